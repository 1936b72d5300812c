-- What one key may use: how many questions it has open, what it stored in a
-- day, and which endpoints it registered.

-- A key's open questions, to count them up to a limit.
CREATE INDEX suspension_open_key ON suspension (asked_by_key) WHERE state = 'pending';

-- Bytes stored by a key on a day of UTC. Written once for every few megabytes
-- of each host, so that no transaction waits for it.
CREATE TABLE key_stored (
    key_id uuid NOT NULL REFERENCES api_key ON DELETE CASCADE,
    day    date NOT NULL,
    bytes  bigint NOT NULL CHECK (bytes >= 0),
    PRIMARY KEY (key_id, day)
);

-- The key that registered an endpoint; NULL: a person, or from before.
ALTER TABLE endpoint ADD COLUMN key_id uuid;
CREATE INDEX endpoint_key ON endpoint (key_id) WHERE removed_at IS NULL;

GRANT SELECT, INSERT, UPDATE ON key_stored TO sayso_web;
GRANT SELECT, DELETE ON key_stored TO sayso_tick;
