-- An endpoint may stand for all addresses below its own: a question names one of them as its
-- callback, where the platform that asked waits for the answer. Such an endpoint gets nothing
-- else. A message to try an endpoint belongs to no intent.
ALTER TABLE endpoint ADD COLUMN prefix boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT prefix OR (kind = 'agent' AND right(address, 1) = '/'));
ALTER TABLE delivery ADD COLUMN address text,  -- of a callback; NULL: the endpoint's
    ALTER COLUMN intent_id DROP NOT NULL;
-- A test key's questions are answered by the author's own script, which also moves their
-- clock: each open question has its own.
ALTER TABLE suspension ADD COLUMN callback text,
    ADD COLUMN callback_body text CHECK (callback_body IN ('message', 'data', 'answer')),
    ADD COLUMN callback_endpoint uuid,
    ADD COLUMN test boolean NOT NULL DEFAULT false;
ALTER TABLE api_key ADD COLUMN test boolean NOT NULL DEFAULT false,
    ADD CHECK (NOT test OR role = 'agent');
ALTER TABLE open_question ADD COLUMN test_shift bigint NOT NULL DEFAULT 0;  -- microseconds
GRANT UPDATE (ending, test_shift) ON open_question TO sayso_web;

DROP VIEW suspension_sized;
DROP VIEW suspension_row;
CREATE VIEW suspension_row AS
SELECT s.id, s.intent_id, s.seq, s.record, s.response_type, s.title, s.question,
       s.explanation, s.severity, s.subject, s.subject_sha256, s.context, s.choices,
       s.form, coalesce(d.channel_hint, o.channel_hint) AS channel_hint, s.asked_by,
       s.asked_by_key, s.initiated_by,
       microseconds(s.suspended_at) AS suspended_us, s.timeout_seconds, s.retry_policy,
       microseconds(s.expires_at) AS expires_us, s.fallback_policy, s.fallback_value,
       s.on_reject, s.confidence, s.asked_sequence, coalesce(d.state, 'pending') AS state,
       d.outcome, d.response, d.reason, d.metadata, d.decided_by AS responded_by,
       d.claimed AS responded_by_claimed, d.via AS responded_via,
       microseconds(d.decided_at) AS responded_us, d.summary AS audit_summary,
       s.suspended_at, d.decided_at AS responded_at, inbox_rank(s.severity) AS inbox_rank,
       s.expires_at, coalesce(d.attempt, o.attempt) AS attempt,
       microseconds(o.next_attempt_at) AS next_attempt_us,
       s.kind, s.allow_edit, s.responder_mode, s.responder, s.not_initiator, s.evidence,
       s.artifacts, s.supersedes, d.constraints, d.approved_subject, d.approved_sha256,
       s.severity_said, s.initiator_id, s.origin, s.callback, s.callback_body,
       s.callback_endpoint, s.test
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
