-- name: initiation_insert
-- For the agent $3, which a test key has or not at this moment.
INSERT INTO initiation (id_sha256, principal_id, agent, created_at, expires_at, test)
SELECT $1, $2, $3, $4, $5, key_taken(ARRAY[$3], false) IS NOT NULL

-- name: initiation_take
-- A ticket $1 for the agent $2 that is valid at $3 and not used.
SELECT i.principal_id, p.email FROM initiation i JOIN principal p ON p.id = i.principal_id
 WHERE i.id_sha256 = $1 AND i.agent = reader_name($2)
   AND i.test = {reads_tests $2} AND i.expires_at > $3 AND i.intent_id IS NULL
   AND p.disabled_at IS NULL
   FOR UPDATE OF i

-- name: initiation_end
-- Those of a person that no task was started with.
UPDATE initiation SET expires_at = $2
 WHERE principal_id = $1 AND intent_id IS NULL AND expires_at > $2

-- name: initiation_use
UPDATE initiation SET intent_id = $2 WHERE id_sha256 = $1
