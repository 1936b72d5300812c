-- Web Push: a channel of kind push has the server's key for push services, and browsers that
-- subscribed through it get an empty message when somebody may have to answer.
ALTER TABLE endpoint DROP CONSTRAINT endpoint_kind_check;
ALTER TABLE endpoint ADD CONSTRAINT endpoint_kind_check
    CHECK (kind IN ('agent', 'mail', 'push', 'slack', 'webhook'));

-- A browser, as long as the session in which it subscribed.
CREATE TABLE person_push (
    id             uuid PRIMARY KEY,
    principal_id   uuid NOT NULL REFERENCES principal,
    session_sha256 text NOT NULL REFERENCES operator_session ON DELETE CASCADE,
    endpoint_id    uuid NOT NULL REFERENCES endpoint,
    address        text NOT NULL CHECK (length(address) BETWEEN 1 AND 2000),
                   -- of the browser at its push service
    least          text NOT NULL CHECK (least IN ('low', 'medium', 'high', 'critical')),
    mine           boolean NOT NULL, -- only what names the person or a group of theirs
    since          timestamptz NOT NULL, -- requests before it are not pushed
    sent_at        timestamptz,      -- the newest message
    CONSTRAINT person_push_address UNIQUE (address)
);
CREATE INDEX person_push_person ON person_push (principal_id);
CREATE INDEX person_push_session ON person_push (session_sha256);

GRANT SELECT, INSERT, DELETE ON person_push TO sayso_web;
GRANT SELECT, UPDATE (sent_at) ON person_push TO sayso_tick;
GRANT SELECT (id_sha256, revoked_at, expires_at, seen_at) ON operator_session TO sayso_tick;
GRANT SELECT (address), DELETE ON person_push TO sayso_deliver;
