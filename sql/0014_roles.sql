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
                 CHECK (identifier ~ '^https?://[^#?\s]{1,490}$'),
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

-- A ticket that proves which person started a task. It decides nothing, so an agent
-- may hold it.
CREATE TABLE initiation (
    id_sha256    text PRIMARY KEY CHECK (length(id_sha256) = 64),
    principal_id uuid NOT NULL REFERENCES principal ON DELETE CASCADE,
    agent        text NOT NULL,
    created_at   timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    intent_id    uuid UNIQUE REFERENCES intent -- NULL: not used yet
);
CREATE INDEX initiation_age ON initiation (expires_at);

-- Set: the initiator is proven. Else initiated_by is what the agent claims.
ALTER TABLE intent ADD COLUMN initiator_id uuid REFERENCES principal;

ALTER TABLE decision DROP CONSTRAINT decision_via_check,
    ADD CONSTRAINT decision_via_check
    CHECK (via IN ('openintent', 'native', 'browser', 'clock', 'tool_call', 'authorization'));

GRANT SELECT, INSERT ON resource, initiation TO sayso_web;
GRANT INSERT (principal_id, resource_id) ON api_key TO sayso_web;
GRANT UPDATE (name, require_dpop, removed_at) ON resource TO sayso_web;
GRANT UPDATE (intent_id) ON initiation TO sayso_web;
GRANT SELECT (id_sha256, expires_at), DELETE ON initiation TO sayso_tick;
