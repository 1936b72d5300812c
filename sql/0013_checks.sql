-- What a row may say, as one function for each table that every question writes.
--
-- PostgreSQL reads the text of a CHECK anew in each statement that writes, and plans it:
-- a fifth of what an answer cost the database, and more of a question. A function is read
-- once for each connection. The rules are the same; where a column may be NULL, NULL
-- passes, as in a CHECK of its own.

CREATE FUNCTION intent_fits(status text, title text, confidence integer, version bigint)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN status IN ('draft', 'active', 'blocked', 'suspended_awaiting_input', 'completed',
                      'abandoned')
       AND length(title) BETWEEN 1 AND 500
       AND confidence BETWEEN 0 AND 100
       AND version >= 1;
END
$$;
ALTER TABLE intent
    DROP CONSTRAINT intent_status_check, DROP CONSTRAINT intent_title_check,
    DROP CONSTRAINT intent_confidence_check, DROP CONSTRAINT intent_version_check,
    ADD CONSTRAINT intent_fits CHECK (intent_fits(status, title, confidence, version));

CREATE FUNCTION suspension_fits(id text, seq bigint, response_type text, question text,
                                severity text, severity_said text, subject_sha256 text,
                                timeout_seconds bigint, fallback_policy text, on_reject text,
                                responder_mode text, responder text)
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
       AND (responder_mode IN ('group', 'named', 'agent')) = (responder IS NOT NULL);
END
$$;
ALTER TABLE suspension
    DROP CONSTRAINT suspension_id_check, DROP CONSTRAINT suspension_seq_check,
    DROP CONSTRAINT suspension_response_type_check, DROP CONSTRAINT suspension_question_check,
    DROP CONSTRAINT suspension_severity_check, DROP CONSTRAINT suspension_severity_said_check,
    DROP CONSTRAINT suspension_subject_sha256_check,
    DROP CONSTRAINT suspension_timeout_seconds_check,
    DROP CONSTRAINT suspension_fallback_policy_check,
    DROP CONSTRAINT suspension_on_reject_check, DROP CONSTRAINT suspension_responder_mode_check,
    DROP CONSTRAINT suspension_check2,
    ADD CONSTRAINT suspension_fits
    CHECK (suspension_fits(id, seq, response_type, question, severity, severity_said,
                           subject_sha256, timeout_seconds, fallback_policy, on_reject,
                           responder_mode, responder));

CREATE FUNCTION decision_fits(state text, outcome text, attempt integer,
                              approved_subject text, approved_sha256 text)
    RETURNS boolean LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
BEGIN
    RETURN state IN ('resolved', 'expired', 'cancelled')
       AND outcome IN ('authorized', 'vetoed', 'changes_requested', 'answered', 'declined',
                       'accepted', 'fallback', 'none')
       AND attempt >= 1
       AND length(approved_sha256) = 64
       AND (approved_subject IS NULL) = (approved_sha256 IS NULL);
END
$$;
ALTER TABLE decision
    DROP CONSTRAINT decision_state_check, DROP CONSTRAINT decision_outcome_check,
    DROP CONSTRAINT decision_attempt_check, DROP CONSTRAINT decision_approved_sha256_check,
    DROP CONSTRAINT decision_check,
    ADD CONSTRAINT decision_fits
    CHECK (decision_fits(state, outcome, attempt, approved_subject, approved_sha256));
