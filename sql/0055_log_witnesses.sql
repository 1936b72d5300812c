-- Checkpoints of the log on demand.
--
-- A request is served once the log has all events of transactions before its own. Whoever made it
-- takes it back where nobody has served it in time.
ALTER TABLE log_request ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
GRANT DELETE ON log_request TO sayso_web;

-- A digest as events and checkpoints write it.
CREATE FUNCTION log_hash(digest bytea) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN 'sha256:' || rtrim(translate(encode(digest, 'base64'), '+/', '-_'), '=');
