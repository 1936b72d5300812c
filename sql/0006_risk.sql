-- How grave a question is at the least is the operator's to say.

-- The least severity of what a key asks.
ALTER TABLE api_key ADD COLUMN severity_floor text
    CHECK (severity_floor IN ('low', 'medium', 'high', 'critical'));
GRANT INSERT (severity_floor), UPDATE (severity_floor) ON api_key TO sayso_web;

-- Where the server raised the severity: what the agent said, and none for nothing.
ALTER TABLE suspension ADD COLUMN severity_said text
    CHECK (severity_said IN ('none', 'low', 'medium', 'high'));

CREATE OR REPLACE VIEW suspension_row AS
SELECT s.id, s.intent_id, s.seq, s.record, s.response_type, s.title, s.question,
       s.explanation, s.severity, s.subject, s.subject_sha256, s.context, s.choices,
       s.form, s.channel_hint, s.asked_by, s.asked_by_key, s.initiated_by,
       microseconds(s.suspended_at) AS suspended_us, s.timeout_seconds, s.retry_policy,
       microseconds(s.expires_at) AS expires_us, s.fallback_policy, s.fallback_value,
       s.on_reject, s.confidence, s.asked_sequence, s.state, s.outcome, s.response,
       s.reason, s.metadata, s.responded_by, s.responded_by_claimed, s.responded_via,
       microseconds(s.responded_at) AS responded_us, s.audit_summary,
       s.suspended_at, s.responded_at, s.inbox_rank, s.expires_at,
       s.attempt, microseconds(s.next_attempt_at) AS next_attempt_us,
       s.kind, s.allow_edit, s.responder_mode, s.responder, s.not_initiator, s.evidence,
       s.artifacts, s.supersedes, s.constraints, s.approved_subject, s.approved_sha256,
       s.severity_said
  FROM suspension s;

-- What was asked never changes, and what the agent said of its risk is a part of it.
CREATE OR REPLACE FUNCTION suspension_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'pending' THEN
        RAISE EXCEPTION 'suspension % is decided', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (OLD.id, OLD.intent_id, OLD.seq, OLD.record, OLD.response_type, OLD.title,
        OLD.question, OLD.explanation, OLD.severity, OLD.subject, OLD.subject_sha256,
        OLD.context, OLD.choices, OLD.form, OLD.asked_by, OLD.asked_by_key,
        OLD.fallback_policy, OLD.fallback_value, OLD.on_reject, OLD.kind, OLD.allow_edit,
        OLD.responder_mode, OLD.responder, OLD.not_initiator, OLD.initiated_by,
        OLD.expires_at, OLD.evidence, OLD.artifacts, OLD.supersedes, OLD.severity_said)
       IS DISTINCT FROM
       (NEW.id, NEW.intent_id, NEW.seq, NEW.record, NEW.response_type, NEW.title,
        NEW.question, NEW.explanation, NEW.severity, NEW.subject, NEW.subject_sha256,
        NEW.context, NEW.choices, NEW.form, NEW.asked_by, NEW.asked_by_key,
        NEW.fallback_policy, NEW.fallback_value, NEW.on_reject, NEW.kind, NEW.allow_edit,
        NEW.responder_mode, NEW.responder, NEW.not_initiator, NEW.initiated_by,
        NEW.expires_at, NEW.evidence, NEW.artifacts, NEW.supersedes, NEW.severity_said) THEN
        RAISE EXCEPTION 'what suspension % asks is sealed', OLD.id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

-- The inbox sorts what is not said as medium: ranks and the classes that they are sorted
-- by. The rank stays what it is, so the lists are put together from the same pieces of
-- the same indexes.
CREATE FUNCTION inbox_ranked(smallint[])
    RETURNS TABLE (rank smallint, class smallint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 5
    AS $$ SELECT r, CASE r WHEN 4::smallint THEN 2::smallint ELSE r END
            FROM unnest($1) r $$;
-- Those that come before a class, and those of it.
CREATE FUNCTION inbox_until(smallint)
    RETURNS TABLE (rank smallint, class smallint)
    LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 5
    AS $$ SELECT r.rank, r.class FROM inbox_ranked('{0,1,2,4,3}') r WHERE r.class <= $1 $$;
