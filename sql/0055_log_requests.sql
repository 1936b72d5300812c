-- Checkpoints of the log on demand, and their time stamps.
--
-- A request is served once the log has all events of transactions before its own. Whoever made it
-- takes it back where nobody has served it in time.
ALTER TABLE log_request ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
GRANT DELETE ON log_request TO sayso_web;

-- A digest as events and checkpoints write it.
CREATE FUNCTION log_hash(digest bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'sha256:' || rtrim(translate(encode(digest, 'base64'), '+/', '-_'), '=');

-- Checkpoints that somebody wants to have stamped: asked for by the web, stamped by the sender,
-- taken over by the clock, which writes the event about it and deletes the row.
CREATE TABLE log_anchor (
    checkpoint_id text PRIMARY KEY REFERENCES log_checkpoint,
    intent_id     uuid REFERENCES intent, -- of the checkpoint
    at            timestamptz NOT NULL,
    due_at        timestamptz, -- of the next try, also where this one gets no result; NULL: none
    tries         integer NOT NULL DEFAULT 0,
    failure       text,        -- of the last try, in words
    anchor        text,        -- JSON
    CHECK (anchor IS NULL OR (failure IS NULL AND due_at IS NULL))
);
CREATE INDEX log_anchor_due ON log_anchor (due_at) WHERE due_at IS NOT NULL;

-- A checkpoint is anchored once.
CREATE TRIGGER log_checkpoint_anchored BEFORE UPDATE OF anchor ON log_checkpoint FOR EACH ROW
    WHEN (OLD.anchor IS NOT NULL) EXECUTE FUNCTION log_append_only();

GRANT SELECT, INSERT, UPDATE (at, due_at, tries, failure) ON log_anchor TO sayso_web;
GRANT SELECT, UPDATE (due_at, tries, failure, anchor) ON log_anchor TO sayso_deliver;
GRANT SELECT (id, merkle_root) ON log_checkpoint TO sayso_deliver;
GRANT SELECT, DELETE ON log_anchor TO sayso_tick;
GRANT SELECT, UPDATE (anchor) ON log_checkpoint TO sayso_tick;
