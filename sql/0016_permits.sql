-- Permits: one row from the question on. Its terms are sealed when it is asked for, an
-- answer may narrow them once, and each use is a row of redemption.

CREATE TABLE permit (
    id             uuid PRIMARY KEY,
    intent_id      uuid NOT NULL REFERENCES intent DEFERRABLE INITIALLY DEFERRED,
    suspension_id  text UNIQUE -- NULL: a rule decided
                   REFERENCES suspension DEFERRABLE INITIALLY DEFERRED,
    auth_req_id    text NOT NULL UNIQUE CHECK (auth_req_id ~ '^sar_[A-Za-z0-9_-]{27}$'),
    agent          text NOT NULL,
    agent_key      uuid NOT NULL REFERENCES api_key,
    resource_id    uuid REFERENCES resource, -- NULL: the agent itself uses it
    jkt            text CHECK (jkt ~ '^[A-Za-z0-9_-]{43}$'),
    asked          text NOT NULL,
    asked_sha256   text NOT NULL CHECK (length(asked_sha256) = 64),
    granted        text,
    granted_sha256 text CHECK (length(granted_sha256) = 64),
    max_uses       integer NOT NULL CHECK (max_uses BETWEEN 1 AND 1000),
    use_seconds    integer NOT NULL CHECK (use_seconds BETWEEN 1 AND 31622400),
    budget         numeric CHECK (budget > 0),
    budget_of      text,
    budget_unit    text,
    used           integer NOT NULL DEFAULT 0,
    spent          numeric NOT NULL DEFAULT 0,
    state          text NOT NULL
                   CHECK (state IN ('asked', 'active', 'spent', 'refused', 'revoked')),
    reason         text,
    ended_by       text,
    created_at     timestamptz NOT NULL,
    granted_at     timestamptz,
    not_after      timestamptz,
    ended_at       timestamptz,
    poll_after     timestamptz,
    CHECK (used BETWEEN 0 AND max_uses),
    CHECK (spent >= 0 AND (budget IS NULL OR spent <= budget)),
    CHECK ((budget IS NULL) = (budget_of IS NULL) AND (budget IS NULL) = (budget_unit IS NULL)),
    CHECK ((granted IS NULL) = (granted_sha256 IS NULL)
           AND (granted IS NULL) = (granted_at IS NULL)
           AND (granted IS NULL) = (not_after IS NULL)),
    CHECK ((state IN ('active', 'spent')) <= (granted IS NOT NULL)),
    CHECK ((state IN ('asked', 'refused')) <= (granted IS NULL)),
    CHECK ((state IN ('asked', 'active')) = (ended_at IS NULL))
);
CREATE INDEX permit_newest ON permit (created_at DESC, id DESC);
CREATE INDEX permit_live ON permit (created_at DESC, id DESC) WHERE state = 'active';
CREATE INDEX permit_intent ON permit (intent_id);

-- The steps are asked -> active | refused and active -> spent | revoked. Everything else of
-- a permit stays as it was written, or is written once.
CREATE FUNCTION permit_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF (NEW.id, NEW.intent_id, NEW.suspension_id, NEW.auth_req_id, NEW.agent, NEW.agent_key,
        NEW.resource_id, NEW.asked, NEW.asked_sha256, NEW.max_uses, NEW.use_seconds,
        NEW.budget, NEW.budget_of, NEW.budget_unit, NEW.created_at)
       IS DISTINCT FROM
       (OLD.id, OLD.intent_id, OLD.suspension_id, OLD.auth_req_id, OLD.agent, OLD.agent_key,
        OLD.resource_id, OLD.asked, OLD.asked_sha256, OLD.max_uses, OLD.use_seconds,
        OLD.budget, OLD.budget_of, OLD.budget_unit, OLD.created_at)
       OR (OLD.jkt IS NOT NULL AND NEW.jkt IS DISTINCT FROM OLD.jkt)
       OR (OLD.granted IS NOT NULL
           AND (NEW.granted, NEW.granted_sha256, NEW.granted_at, NEW.not_after)
               IS DISTINCT FROM
               (OLD.granted, OLD.granted_sha256, OLD.granted_at, OLD.not_after))
       OR NEW.used < OLD.used OR NEW.spent < OLD.spent
       OR (OLD.state <> NEW.state
           AND (OLD.state, NEW.state) NOT IN (('asked', 'active'), ('asked', 'refused'),
                                              ('active', 'spent'), ('active', 'revoked')))
    THEN
        RAISE EXCEPTION 'a permit is sealed' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER permit_sealed BEFORE UPDATE ON permit
    FOR EACH ROW EXECUTE FUNCTION permit_sealed();

CREATE TABLE permit_token (
    token_sha256 text PRIMARY KEY CHECK (length(token_sha256) = 64),
    permit_id    uuid NOT NULL REFERENCES permit,
    jkt          text,
    issued_at    timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL CHECK (expires_at <= issued_at + interval '300 s'),
    ended_at     timestamptz,
    ended_why    text CHECK (ended_why IN ('replaced', 'revoked', 'spent')),
    CHECK ((ended_at IS NULL) = (ended_why IS NULL))
);
CREATE UNIQUE INDEX permit_token_live ON permit_token (permit_id) WHERE ended_at IS NULL;
CREATE INDEX permit_token_age ON permit_token (expires_at);

CREATE TABLE redemption (
    id           uuid PRIMARY KEY,
    permit_id    uuid NOT NULL REFERENCES permit,
    n            integer NOT NULL CHECK (n >= 1),
    operation_id text NOT NULL CHECK (operation_id ~ '^[\x21-\x7e]{1,200}$'),
    call_sha256  text NOT NULL CHECK (length(call_sha256) = 64),
    tool         text NOT NULL,
    arguments    text NOT NULL,
    amount       numeric,
    by           text NOT NULL,
    by_key       uuid NOT NULL REFERENCES api_key,
    at           timestamptz NOT NULL,
    result       text CHECK (result IN ('completed', 'failed')),
    result_ref   text CHECK (length(result_ref) <= 500),
    result_at    timestamptz,
    UNIQUE (permit_id, n),
    UNIQUE (permit_id, operation_id),
    CHECK ((result IS NULL) = (result_at IS NULL))
);

-- Proofs that were used, so that none is used twice.
CREATE TABLE dpop_proof (
    jkt        text NOT NULL,
    jti_sha256 text NOT NULL CHECK (length(jti_sha256) = 64),
    seen_at    timestamptz NOT NULL,
    PRIMARY KEY (jkt, jti_sha256)
);
CREATE INDEX dpop_proof_age ON dpop_proof (seen_at);

GRANT SELECT, INSERT ON permit, permit_token, redemption, dpop_proof TO sayso_web;
GRANT UPDATE (jkt, granted, granted_sha256, granted_at, not_after, used, spent, state, reason,
              ended_by, ended_at, poll_after) ON permit TO sayso_web;
GRANT UPDATE (ended_at, ended_why) ON permit_token TO sayso_web;
GRANT UPDATE (result, result_ref, result_at) ON redemption TO sayso_web;
GRANT SELECT (id, suspension_id, state) ON permit TO sayso_tick;
GRANT UPDATE (state, reason, ended_by, ended_at) ON permit TO sayso_tick;
GRANT SELECT (jkt, jti_sha256, seen_at), DELETE ON dpop_proof TO sayso_tick;
GRANT SELECT (token_sha256, expires_at), DELETE ON permit_token TO sayso_tick;
