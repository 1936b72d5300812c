-- A permit that is granted as it was asked is not written again: the decision says so. Its row
-- is written with its first use, or when it is taken back.
CREATE VIEW permit_row AS
SELECT p.id, p.intent_id, p.suspension_id, p.auth_req_id, p.agent, p.agent_key, p.resource_id,
       p.jkt, p.asked, p.asked_sha256, p.max_uses, p.use_seconds, p.budget, p.budget_of,
       p.budget_unit, p.used, p.spent, p.reason, p.ended_by, p.created_at, p.ended_at,
       p.poll_after, CASE WHEN d.suspension_id IS NULL THEN p.state ELSE 'active' END AS state,
       CASE WHEN d.suspension_id IS NULL THEN p.granted ELSE p.asked END AS granted,
       CASE WHEN d.suspension_id IS NULL THEN p.granted_sha256 ELSE p.asked_sha256 END
           AS granted_sha256,
       CASE WHEN d.suspension_id IS NULL THEN p.granted_at ELSE d.decided_at END AS granted_at,
       CASE WHEN d.suspension_id IS NULL THEN p.not_after
            ELSE d.decided_at + p.use_seconds * interval '1 s' END AS not_after
  FROM permit p
  LEFT JOIN decision d ON d.suspension_id = p.suspension_id AND p.state = 'asked'
                      AND d.state = 'resolved' AND d.outcome = 'authorized';
GRANT SELECT ON permit_row TO sayso_web;

-- So it may go from asked to spent or revoked, after an approval.
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
       AND NOT EXISTS (SELECT FROM decision d
                        WHERE d.suspension_id = NEW.suspension_id AND d.state = 'resolved'
                          AND d.outcome = 'authorized')
    THEN
        RAISE EXCEPTION 'nobody approved the permit'
              USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END
$$;
