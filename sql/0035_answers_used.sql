-- The use of an answer that made no permit: one, by the operation that was first. A later one
-- finds the row, and the same one is the same use for a short time.
CREATE TABLE answer_use (
    suspension_id text PRIMARY KEY REFERENCES suspension,
    operation_id  text NOT NULL CHECK (operation_id ~ '^[\x21-\x7e]{1,200}$'),
    call_sha256   text CHECK (length(call_sha256) = 64), -- NULL: no call was named
    by            text NOT NULL,
    by_key        uuid NOT NULL REFERENCES api_key,
    at            timestamptz NOT NULL
);
GRANT SELECT, INSERT ON answer_use TO sayso_web;

-- A permit that the answer did not narrow is granted as it was asked: its row may say nothing
-- else, whenever it is written. One that is taken back may say nothing. What an answer narrows is written with the decision.
CREATE OR REPLACE FUNCTION permit_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
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
                                              ('asked', 'spent'), ('asked', 'revoked'),
                                              ('active', 'spent'), ('active', 'revoked')))
    THEN
        RAISE EXCEPTION 'a permit is sealed' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    IF OLD.state = 'asked' AND NEW.state IN ('active', 'spent', 'revoked')
       AND NOT (NEW.state = 'revoked' AND NEW.granted IS NULL AND NEW.used = 0)
       AND NOT EXISTS (
           SELECT FROM decision d
            WHERE d.suspension_id = NEW.suspension_id AND d.state = 'resolved'
              AND d.outcome = 'authorized'
              AND (((NEW.granted, NEW.granted_sha256, NEW.granted_at, NEW.not_after)
                    IS NOT DISTINCT FROM
                    (NEW.asked, NEW.asked_sha256, d.decided_at,
                     d.decided_at + NEW.use_seconds * interval '1 s'))
                   OR (d.xid = pg_current_xact_id()
                       AND (d.constraints IS NOT NULL OR d.approved_sha256 IS NOT NULL
                            OR d.kind = 'permission'))))
    THEN
        RAISE EXCEPTION 'nobody approved the permit'
              USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
