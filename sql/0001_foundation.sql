-- The ground floor: intents, their suspensions, the event log, leases,
-- assignments, who may call, and answers that are remembered.
--
-- Constraints carry the invariants: whatever the program does, a suspension
-- is decided once, an intent has at most one open question, and an event
-- stays as it was written. JSON that is hashed or given back as it came is
-- text; jsonb would change it.

-- Moments travel to the program as whole microseconds. STABLE as its body is, so that
-- it is inlined; IMMUTABLE made every query plan it anew.
CREATE FUNCTION microseconds(timestamptz) RETURNS bigint
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT (extract(epoch FROM $1) * 1000000)::bigint $$;

-- People.
CREATE TABLE principal (
    id              uuid PRIMARY KEY,
    role            text NOT NULL CHECK (role IN ('operator', 'admin', 'auditor')),
    email           text NOT NULL CHECK (email = lower(email) AND length(email) <= 254),
    name            text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    password_hash   text NOT NULL,
    created_at      timestamptz NOT NULL,
    disabled_at     timestamptz,
    login_failures  integer NOT NULL DEFAULT 0,
    login_failed_at timestamptz,
    UNIQUE (email)
);

-- Programs. The key itself is shown once and never stored.
CREATE TABLE api_key (
    id           uuid PRIMARY KEY,
    key_sha256   text NOT NULL UNIQUE CHECK (length(key_sha256) = 64),
    prefix       text NOT NULL CHECK (length(prefix) <= 24),
    role         text NOT NULL CHECK (role IN ('agent', 'operator', 'admin', 'auditor')),
    label        text NOT NULL CHECK (length(label) BETWEEN 1 AND 120),
    agents       text[] NOT NULL DEFAULT '{}',
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz,
    revoked_at   timestamptz,
    last_used_at timestamptz,
    CHECK ((role = 'agent') = (cardinality(agents) > 0))
);

CREATE TABLE operator_session (
    id_sha256    text PRIMARY KEY CHECK (length(id_sha256) = 64),
    principal_id uuid NOT NULL REFERENCES principal ON DELETE CASCADE,
    created_at   timestamptz NOT NULL,
    seen_at      timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    revoked_at   timestamptz
);
CREATE INDEX operator_session_principal ON operator_session (principal_id);

CREATE TABLE intent (
    id                uuid PRIMARY KEY,
    title             text NOT NULL CHECK (length(title) BETWEEN 1 AND 500),
    description       text,
    created_by        text NOT NULL,
    status            text NOT NULL CHECK (status IN ('draft', 'active', 'blocked',
                          'suspended_awaiting_input', 'completed', 'abandoned')),
    constraints       text NOT NULL,
    state             text NOT NULL,
    confidence        integer NOT NULL DEFAULT 0 CHECK (confidence BETWEEN 0 AND 100),
    version           bigint NOT NULL CHECK (version >= 1),
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL,
    parent_intent_id  uuid REFERENCES intent,
    depends_on        text NOT NULL DEFAULT '[]',  -- the ids of intent_dependency, kept
    governance_policy text,
    session_id        text,
    task_id           text,
    turn_id           text,
    initiated_by      text,
    event_sequence    bigint NOT NULL DEFAULT 0,
    event_hash        text
);
CREATE INDEX intent_newest ON intent (created_at DESC, id DESC);
CREATE INDEX intent_newest_by_status ON intent (status, created_at DESC, id DESC);
CREATE INDEX intent_parent ON intent (parent_intent_id, created_at, id)
    WHERE parent_intent_id IS NOT NULL;

CREATE TABLE intent_dependency (
    intent_id     uuid NOT NULL REFERENCES intent,
    dependency_id uuid NOT NULL REFERENCES intent,
    added_at      timestamptz NOT NULL,
    PRIMARY KEY (intent_id, dependency_id),
    CHECK (intent_id <> dependency_id)
);
CREATE INDEX intent_dependency_reverse ON intent_dependency (dependency_id, intent_id);

CREATE TABLE suspension (
    id                 text PRIMARY KEY CHECK (id ~ '^[A-Za-z0-9._~-]{1,64}$'),
    intent_id          uuid NOT NULL REFERENCES intent,
    seq                bigint NOT NULL CHECK (seq >= 1),
    record             text NOT NULL,  -- the OpenIntent record as it is mirrored
    response_type      text NOT NULL CHECK (response_type IN ('choice', 'confirm', 'text', 'form')),
    title              text,
    question           text NOT NULL CHECK (length(question) BETWEEN 1 AND 4000),
    explanation        text,
    severity           text CHECK (severity IN ('low', 'medium', 'high', 'critical')),
    inbox_rank         smallint NOT NULL GENERATED ALWAYS AS (CASE severity
                           WHEN 'critical' THEN 0 WHEN 'high' THEN 1
                           WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END) STORED,
    subject            text NOT NULL,  -- exactly the bytes that were sent
    subject_sha256     text NOT NULL CHECK (length(subject_sha256) = 64),
    context            text NOT NULL,  -- exactly the bytes that were sent
    choices            text NOT NULL,
    form               text,
    channel_hint       text,
    asked_by           text NOT NULL,  -- the agent's name
    asked_by_key       uuid,
    initiated_by       text,
    suspended_at       timestamptz NOT NULL,
    timeout_seconds    bigint CHECK (timeout_seconds > 0),
    retry_policy       text,
    expires_at         timestamptz,
    fallback_policy    text NOT NULL CHECK (fallback_policy IN ('fail',
                           'complete_with_fallback', 'use_default_and_continue')),
    fallback_value     text,
    on_reject          text NOT NULL CHECK (on_reject IN ('resume', 'abandon')),
    confidence         double precision,
    asked_sequence     bigint NOT NULL,  -- the event that says it was asked
    state              text NOT NULL CHECK (state IN ('pending', 'resolved', 'expired', 'cancelled')),
    outcome            text CHECK (outcome IN ('authorized', 'vetoed', 'changes_requested',
                           'answered', 'declined', 'accepted', 'fallback', 'none')),
    response           text,
    reason             text,
    metadata           text,
    responded_by       text,
    responded_by_claimed text,
    responded_via      text CHECK (responded_via IN ('openintent', 'native', 'browser', 'clock')),
    responded_at       timestamptz,
    audit_summary      text,
    UNIQUE (intent_id, seq),
    CHECK ((state = 'pending') = (responded_at IS NULL)),
    CHECK ((state = 'pending') = (outcome IS NULL))
);
-- At most one open question for an intent.
CREATE UNIQUE INDEX suspension_one_open ON suspension (intent_id) WHERE state = 'pending';
-- The inbox's order: risk, then deadline, then age.
CREATE INDEX suspension_inbox ON suspension
    (inbox_rank, (coalesce(expires_at, 'infinity')), suspended_at, id)
    WHERE state = 'pending';
CREATE INDEX suspension_decided ON suspension (responded_at DESC, id DESC)
    WHERE state <> 'pending';
CREATE INDEX suspension_newest ON suspension (suspended_at DESC, id DESC);
CREATE INDEX suspension_newest_by_state ON suspension (state, suspended_at DESC, id DESC);
CREATE INDEX suspension_newest_by_agent ON suspension (asked_by, suspended_at DESC, id DESC);
CREATE INDEX suspension_newest_by_agent_state
    ON suspension (asked_by, state, suspended_at DESC, id DESC);

-- A decision is written once. What was asked never changes.
CREATE FUNCTION suspension_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'pending' THEN
        RAISE EXCEPTION 'suspension % is decided', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (OLD.id, OLD.intent_id, OLD.seq, OLD.record, OLD.response_type, OLD.title,
        OLD.question, OLD.explanation, OLD.severity, OLD.subject, OLD.subject_sha256,
        OLD.context, OLD.choices, OLD.form, OLD.asked_by, OLD.asked_by_key,
        OLD.fallback_policy, OLD.fallback_value, OLD.on_reject)
       IS DISTINCT FROM
       (NEW.id, NEW.intent_id, NEW.seq, NEW.record, NEW.response_type, NEW.title,
        NEW.question, NEW.explanation, NEW.severity, NEW.subject, NEW.subject_sha256,
        NEW.context, NEW.choices, NEW.form, NEW.asked_by, NEW.asked_by_key,
        NEW.fallback_policy, NEW.fallback_value, NEW.on_reject) THEN
        RAISE EXCEPTION 'suspension % is sealed', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER suspension_sealed BEFORE UPDATE ON suspension
    FOR EACH ROW EXECUTE FUNCTION suspension_sealed();

CREATE TABLE event (
    intent_id           uuid NOT NULL REFERENCES intent,
    sequence            bigint NOT NULL CHECK (sequence >= 1),
    id                  uuid NOT NULL,
    event_type          text NOT NULL,
    created_at          timestamptz NOT NULL,
    canonical           text NOT NULL,  -- the bytes that event_hash is over
    event_hash          text NOT NULL,
    previous_event_hash text,
    PRIMARY KEY (intent_id, sequence),
    CHECK ((sequence = 1) = (previous_event_hash IS NULL))
);
CREATE INDEX event_by_type ON event (intent_id, event_type, sequence DESC);

-- Append only, for the owner too.
CREATE FUNCTION event_append_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'events are append only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER event_append_only BEFORE UPDATE OR DELETE ON event
    FOR EACH ROW EXECUTE FUNCTION event_append_only();
CREATE TRIGGER event_no_truncate BEFORE TRUNCATE ON event
    FOR EACH STATEMENT EXECUTE FUNCTION event_append_only();

CREATE TABLE lease (
    id          uuid PRIMARY KEY,
    intent_id   uuid NOT NULL REFERENCES intent,
    agent_id    text NOT NULL,
    scope       text NOT NULL CHECK (length(scope) BETWEEN 1 AND 255),
    status      text NOT NULL CHECK (status IN ('active', 'released', 'expired', 'revoked')),
    acquired_at timestamptz NOT NULL,
    expires_at  timestamptz NOT NULL,
    released_at timestamptz
);
-- One holder for a scope. A lapsed holder is marked expired before the next
-- one comes in, under the intent's lock.
CREATE UNIQUE INDEX lease_one_holder ON lease (intent_id, scope) WHERE status = 'active';
CREATE INDEX lease_intent ON lease (intent_id, acquired_at DESC, id DESC);

CREATE TABLE assignment (
    intent_id   uuid NOT NULL REFERENCES intent,
    agent_id    text NOT NULL CHECK (length(agent_id) BETWEEN 1 AND 120),
    assigned_at timestamptz NOT NULL,
    assigned_by text NOT NULL,
    PRIMARY KEY (intent_id, agent_id)
);

CREATE TABLE idempotency (
    principal      text NOT NULL,
    key            text NOT NULL,
    request_sha256 text NOT NULL,
    status         integer NOT NULL,
    etag           text,
    body           text NOT NULL,
    created_at     timestamptz NOT NULL,
    CONSTRAINT idempotency_once PRIMARY KEY (principal, key)
);

-- The rows as the program reads them: one list of columns for every query.
CREATE VIEW intent_row AS
SELECT i.id, i.title, i.description, i.created_by, i.status, i.constraints, i.state,
       i.confidence, i.version, microseconds(i.created_at) AS created_us,
       microseconds(i.updated_at) AS updated_us, i.parent_intent_id,
       i.governance_policy, i.session_id, i.task_id, i.turn_id, i.initiated_by,
       i.event_sequence, i.event_hash,
       i.depends_on, i.created_at
  FROM intent i;

CREATE VIEW suspension_row AS
SELECT s.id, s.intent_id, s.seq, s.record, s.response_type, s.title, s.question,
       s.explanation, s.severity, s.subject, s.subject_sha256, s.context, s.choices,
       s.form, s.channel_hint, s.asked_by, s.asked_by_key, s.initiated_by,
       microseconds(s.suspended_at) AS suspended_us, s.timeout_seconds, s.retry_policy,
       microseconds(s.expires_at) AS expires_us, s.fallback_policy, s.fallback_value,
       s.on_reject, s.confidence, s.asked_sequence, s.state, s.outcome, s.response,
       s.reason, s.metadata, s.responded_by, s.responded_by_claimed, s.responded_via,
       microseconds(s.responded_at) AS responded_us, s.audit_summary,
       s.suspended_at, s.responded_at, s.inbox_rank, s.expires_at
  FROM suspension s;

-- What the web workers may do: no DDL, and no change to an event, ever.
GRANT SELECT, INSERT ON event TO sayso_web;
GRANT SELECT, INSERT ON intent_dependency, assignment, idempotency TO sayso_web;
GRANT DELETE ON intent_dependency, assignment TO sayso_web;
GRANT SELECT, INSERT, UPDATE ON intent, suspension, lease, operator_session TO sayso_web;
GRANT SELECT, UPDATE ON intent_row, suspension_row TO sayso_web; -- UPDATE: to lock
GRANT SELECT ON principal, api_key TO sayso_web;
GRANT UPDATE (login_failures, login_failed_at, password_hash) ON principal TO sayso_web;
GRANT UPDATE (last_used_at) ON api_key TO sayso_web;
