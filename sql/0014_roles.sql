-- Roles and tokens: users, resources, tokens of people, and who started a task.
--
-- A user sees and answers only what was started for them. A resource is a gateway
-- that runs tools. A token of a person acts as that person; only they make it.

ALTER TABLE principal DROP CONSTRAINT principal_role_check,
    ADD CONSTRAINT principal_role_check
    CHECK (role IN ('operator', 'admin', 'auditor', 'user'));

CREATE TABLE resource (
    id           uuid PRIMARY KEY,
    identifier   text NOT NULL UNIQUE -- RFC 8707 2: absolute, no fragment
                 CHECK (identifier ~ '^https?://[^#?\s]+$'
                        AND length(identifier) <= 500),
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    require_dpop boolean NOT NULL DEFAULT true,
    created_at   timestamptz NOT NULL,
    removed_at   timestamptz
);

-- The role of a person's token is stored as it was when the token was made; the
-- role that counts is the person's.
ALTER TABLE api_key DROP CONSTRAINT api_key_role_check,
    ADD CONSTRAINT api_key_role_check
    CHECK (role IN ('agent', 'operator', 'admin', 'auditor', 'user', 'resource')),
    ADD COLUMN principal_id uuid REFERENCES principal ON DELETE CASCADE,
    ADD COLUMN resource_id uuid REFERENCES resource,
    ADD CONSTRAINT api_key_resource CHECK ((role = 'resource') = (resource_id IS NOT NULL)),
    ADD CONSTRAINT api_key_user CHECK (role <> 'user' OR principal_id IS NOT NULL),
    ADD CONSTRAINT api_key_person
    CHECK (principal_id IS NULL OR (role NOT IN ('agent', 'resource') AND expires_at IS NOT NULL));
CREATE INDEX api_key_person_newest ON api_key (principal_id, created_at DESC)
    WHERE principal_id IS NOT NULL;

-- initiator_id: the initiator is proven. origin: the API that asked, where the server
-- worded the question; NULL for all others.
ALTER TABLE suspension ADD COLUMN initiator_id uuid REFERENCES principal,
    ADD COLUMN origin text CHECK (origin IN ('tool_call', 'authorization'));
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
       s.severity_said, s.initiator_id, s.origin
  FROM suspension s
  LEFT JOIN open_question o ON o.suspension_id = s.id
  LEFT JOIN decision d ON d.suspension_id = s.id;
-- With about how many bytes a row is, so that a page of them ends by its bytes; counted
-- without fetching a long text.
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

-- A ticket that proves which person started a task. It decides nothing, so an agent
-- may hold it.
CREATE TABLE initiation (
    id_sha256    text PRIMARY KEY CHECK (length(id_sha256) = 64),
    principal_id uuid NOT NULL REFERENCES principal ON DELETE CASCADE,
    agent        text NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    intent_id    uuid UNIQUE -- NULL: not used yet
                 REFERENCES intent DEFERRABLE INITIALLY DEFERRED
);
CREATE INDEX initiation_age ON initiation (expires_at);

-- Set: the initiator is proven. Else initiated_by is what the agent claims.
ALTER TABLE intent ADD COLUMN initiator_id uuid REFERENCES principal;
CREATE OR REPLACE VIEW intent_row AS
SELECT i.id, i.title, i.description, i.created_by, i.status, i.constraints, i.state,
       i.confidence, i.version, microseconds(i.created_at) AS created_us,
       microseconds(i.updated_at) AS updated_us, i.parent_intent_id,
       i.governance_policy, i.session_id, i.task_id, i.turn_id, i.initiated_by,
       i.event_sequence, i.event_hash,
       i.depends_on, i.created_at, i.owner, i.initiator_id
  FROM intent i;

ALTER TABLE decision DROP CONSTRAINT decision_via_check,
    ADD CONSTRAINT decision_via_check
    CHECK (via IN ('openintent', 'native', 'browser', 'clock', 'tool_call'));

GRANT SELECT, INSERT ON resource, initiation TO sayso_web;
GRANT INSERT (principal_id, resource_id) ON api_key TO sayso_web;
-- Streams and subscriptions of a person's token end when the person is disabled.
GRANT SELECT (principal_id) ON api_key TO sayso_wait, sayso_tick;
GRANT SELECT (id, disabled_at) ON principal TO sayso_tick;
GRANT UPDATE (name, require_dpop, removed_at) ON resource TO sayso_web;
GRANT UPDATE (intent_id) ON initiation TO sayso_web;
GRANT SELECT (id_sha256, expires_at), DELETE ON initiation TO sayso_tick;
