-- Times are read as they are stored: each call of microseconds() costs a statement more to start
-- than to run. Work reads an intent from its table, and a question by its parts.
DROP VIEW suspension_sized;
DROP VIEW suspension_row;
CREATE VIEW suspension_row AS
SELECT s.id, s.intent_id, s.seq, s.record, s.response_type, s.title, s.question,
       s.explanation, s.severity, s.subject, s.subject_sha256, s.context, s.choices,
       s.form, coalesce(d.channel_hint, o.channel_hint) AS channel_hint, s.asked_by,
       s.asked_by_key, s.initiated_by, s.suspended_at, s.timeout_seconds, s.retry_policy,
       s.expires_at, s.fallback_policy, s.fallback_value, s.on_reject, s.confidence,
       s.asked_sequence, coalesce(d.state, 'pending') AS state, d.outcome, d.response, d.reason,
       d.metadata, d.decided_by AS responded_by, d.claimed AS responded_by_claimed,
       d.via AS responded_via, d.decided_at AS responded_at, d.summary AS audit_summary,
       inbox_rank(s.severity) AS inbox_rank, coalesce(d.attempt, o.attempt) AS attempt,
       o.next_attempt_at, s.kind, s.allow_edit, s.responder_mode, s.responder, s.not_initiator,
       s.evidence, s.artifacts, s.supersedes, d.constraints, d.approved_subject,
       d.approved_sha256, s.severity_said, s.initiator_id, s.origin, s.callback,
       s.callback_body, s.callback_endpoint, s.test
  FROM suspension s
  LEFT JOIN open_question o ON o.suspension_id = s.id
  LEFT JOIN decision d ON d.suspension_id = s.id;
CREATE VIEW suspension_sized AS
SELECT s.*, octet_length(context) + octet_length(subject) + octet_length(choices)
       + octet_length(question) + coalesce(octet_length(explanation), 0)
       + coalesce(octet_length(form), 0) + coalesce(octet_length(evidence), 0)
       + coalesce(octet_length(artifacts), 0) + coalesce(octet_length(fallback_value), 0)
       + coalesce(octet_length(response), 0) + octet_length(record)
       + coalesce(octet_length(metadata), 0) + coalesce(octet_length(constraints), 0)
       + coalesce(octet_length(approved_subject), 0) + 4000 AS size
  FROM suspension_row s;
GRANT SELECT ON suspension_row, suspension_sized TO sayso_web, sayso_tick;
DROP VIEW intent_row;

-- The checks that came since 0013 join the function of their table, for the reason given there.
ALTER TABLE intent DROP CONSTRAINT intent_fits;
DROP FUNCTION intent_fits;
CREATE FUNCTION intent_fits(status text, title text, confidence integer, version bigint,
                            containers smallint, acl smallint)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN status IN ('draft', 'active', 'blocked', 'suspended_awaiting_input', 'completed',
                      'abandoned')
       AND length(title) BETWEEN 1 AND 500
       AND confidence BETWEEN 0 AND 100
       AND version >= 1
       AND containers BETWEEN 0 AND 7
       AND acl BETWEEN 0 AND 2;
END
$$;
ALTER TABLE intent DROP CONSTRAINT intent_containers_check, DROP CONSTRAINT intent_acl_check,
    ADD CONSTRAINT intent_fits
    CHECK (intent_fits(status, title, confidence, version, containers, acl));

ALTER TABLE suspension DROP CONSTRAINT suspension_fits;
DROP FUNCTION suspension_fits;
CREATE FUNCTION suspension_fits(id text, seq bigint, response_type text, question text,
                                severity text, severity_said text, subject_sha256 text,
                                timeout_seconds bigint, fallback_policy text, on_reject text,
                                responder_mode text, responder text, kind text, origin text,
                                callback_body text)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN id ~ '^[A-Za-z0-9._~-]{1,64}$'
       AND seq >= 1
       AND response_type IN ('choice', 'confirm', 'text', 'form')
       AND length(question) BETWEEN 1 AND 4000
       AND severity IN ('low', 'medium', 'high', 'critical')
       AND severity_said IN ('none', 'low', 'medium', 'high')
       AND length(subject_sha256) = 64
       AND timeout_seconds > 0
       AND fallback_policy IN ('fail', 'complete_with_fallback', 'use_default_and_continue')
       AND on_reject IN ('resume', 'abandon')
       AND responder_mode IN ('operators', 'initiator', 'group', 'named', 'agent')
       AND (responder_mode IN ('group', 'named', 'agent')) = (responder IS NOT NULL)
       AND kind IN ('approval', 'permission', 'plan_review', 'elicitation',
                    'credential_needed', 'cost_confirmation', 'handoff_acceptance')
       AND origin IN ('tool_call', 'authorization', 'approval', 'escalation', 'arbitration',
                      'checkpoint', 'plan_review', 'own_checkpoint', 'access')
       AND callback_body IN ('message', 'data', 'answer');
END
$$;
ALTER TABLE suspension DROP CONSTRAINT suspension_kind_check,
    DROP CONSTRAINT suspension_origin_check, DROP CONSTRAINT suspension_callback_body_check,
    ADD CONSTRAINT suspension_fits
    CHECK (suspension_fits(id, seq, response_type, question, severity, severity_said,
                           subject_sha256, timeout_seconds, fallback_policy, on_reject,
                           responder_mode, responder, kind, origin, callback_body));

ALTER TABLE decision DROP CONSTRAINT decision_fits;
DROP FUNCTION decision_fits;
CREATE FUNCTION decision_fits(state text, outcome text, attempt integer,
                              approved_subject text, approved_sha256 text, via text)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN state IN ('resolved', 'expired', 'cancelled')
       AND outcome IN ('authorized', 'vetoed', 'changes_requested', 'answered', 'declined',
                       'accepted', 'fallback', 'none')
       AND attempt >= 1
       AND length(approved_sha256) = 64
       AND (approved_subject IS NULL) = (approved_sha256 IS NULL)
       AND via IN ('openintent', 'native', 'browser', 'clock', 'tool_call');
END
$$;
ALTER TABLE decision DROP CONSTRAINT decision_via_check,
    ADD CONSTRAINT decision_fits
    CHECK (decision_fits(state, outcome, attempt, approved_subject, approved_sha256, via));

CREATE FUNCTION open_question_fits(attempt integer, slot smallint)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN attempt >= 1 AND slot BETWEEN 0 AND 20;
END
$$;
ALTER TABLE open_question DROP CONSTRAINT open_question_attempt_check,
    DROP CONSTRAINT open_question_slot_check,
    ADD CONSTRAINT open_question_fits CHECK (open_question_fits(attempt, slot));

CREATE FUNCTION event_fits(sequence bigint, previous_event_hash text)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN sequence >= 1 AND (sequence = 1) = (previous_event_hash IS NULL);
END
$$;
ALTER TABLE event DROP CONSTRAINT event_sequence_check, DROP CONSTRAINT event_check,
    ADD CONSTRAINT event_fits CHECK (event_fits(sequence, previous_event_hash));
