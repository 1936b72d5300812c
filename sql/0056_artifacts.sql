-- Files that agents upload for their questions: images and texts. A row is an agent's own: two
-- that upload the same bytes have two.

CREATE TABLE artifact (
    id          uuid PRIMARY KEY,
    sha256      text NOT NULL CHECK (sha256 ~ '^[0-9a-f]{64}$'), -- of the bytes; its ref
    uploaded_by text NOT NULL,
    key_id      uuid NOT NULL REFERENCES api_key,
    test        boolean NOT NULL,
    media_type  text NOT NULL CHECK (media_type IN
        ('image/png', 'image/jpeg', 'image/gif', 'image/webp',
         'text/plain', 'text/markdown', 'text/x-diff', 'application/json')),
    size        integer NOT NULL CHECK (size BETWEEN 1 AND 1048576),
    width       integer CHECK (width BETWEEN 1 AND 8192), -- of an image, in pixels
    height      integer CHECK (height BETWEEN 1 AND 8192),
    uploaded_at timestamptz NOT NULL,
    used        boolean NOT NULL DEFAULT false, -- a question has it, and keeps it
    bytes       bytea, -- NULL: erased; what a question was asked with stays known by the digest
    CHECK (octet_length(bytes) = size),
    CHECK (encode(sha256(bytes), 'hex') = sha256),
    CHECK ((media_type LIKE 'image/%') = (width IS NOT NULL)),
    CHECK ((width IS NULL) = (height IS NULL)),
    CONSTRAINT artifact_once UNIQUE (sha256, uploaded_by, test)
);
-- What no question uses: counted for each key, and removed by its age.
CREATE INDEX artifact_unused_key ON artifact (key_id) WHERE NOT used;
CREATE INDEX artifact_unused_age ON artifact (uploaded_at) WHERE NOT used;

CREATE TABLE artifact_use (
    suspension_id text NOT NULL REFERENCES suspension,
    artifact_id   uuid NOT NULL REFERENCES artifact,
    PRIMARY KEY (suspension_id, artifact_id)
);
CREATE INDEX artifact_use_of ON artifact_use (artifact_id, suspension_id);

GRANT SELECT, INSERT, UPDATE (uploaded_at, used) ON artifact TO sayso_web;
GRANT SELECT, INSERT ON artifact_use TO sayso_web;
-- The clock reads no byte of a file. UPDATE: to lock a row.
GRANT SELECT (id, uploaded_at, used), DELETE ON artifact TO sayso_tick;
