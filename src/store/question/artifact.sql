-- Files that agents upload. Their bytes are base64 in the statements.

-- name: artifact_unused
-- Of a key, counted up to $2.
SELECT count(*) FROM (SELECT 1 FROM artifact WHERE key_id = $1 AND NOT used LIMIT $2) x

-- name: artifact_put
-- The same bytes again keep their row, and are as new. Without bytes: they were erased.
INSERT INTO artifact ({artifact.insert}, bytes)
VALUES ({artifact.places:2}, decode($1, 'base64'))
ON CONFLICT ON CONSTRAINT artifact_once
DO UPDATE SET uploaded_at = greatest(artifact.uploaded_at, excluded.uploaded_at)
RETURNING {artifact}, bytes IS NULL

-- name: artifact_take
-- For a question that names them: those of an agent, locked until it is there.
SELECT {artifact} FROM artifact
 WHERE uploaded_by = $1 AND test = $2 AND sha256 = ANY ($3::text[]) ORDER BY id
   FOR NO KEY UPDATE

-- name: artifact_use
WITH used AS (UPDATE artifact SET used = true WHERE id = ANY ($2::uuid[]) AND NOT used)
INSERT INTO artifact_use (suspension_id, artifact_id) SELECT $1, unnest($2::uuid[])

-- name: artifact_of
-- Those of a question, and the beginning of the texts.
SELECT {t.artifact}, t.bytes IS NULL,
       CASE WHEN t.width IS NULL
            THEN translate(encode(substr(t.bytes, 1, $2), 'base64'), E'\n', '') END
  FROM artifact_use u JOIN artifact t ON t.id = u.artifact_id
 WHERE u.suspension_id = $1 ORDER BY t.id

-- name: artifact_questions
-- Some questions that have these bytes: of each agent's, the last by their ids, which mostly are
-- the newest.
SELECT u.suspension_id, t.id
  FROM artifact t
 CROSS JOIN LATERAL (SELECT x.suspension_id FROM artifact_use x WHERE x.artifact_id = t.id
                      ORDER BY x.suspension_id DESC LIMIT 20) u
 WHERE t.sha256 = $1 LIMIT 20

-- name: artifact_question
SELECT u.suspension_id, t.id
  FROM artifact_use u JOIN artifact t ON t.id = u.artifact_id
 WHERE u.suspension_id = $2 AND t.sha256 = $1

-- name: artifact_own
-- Of the agent that uploaded it.
SELECT id FROM artifact WHERE sha256 = $1 AND uploaded_by = $2 AND test = $3

-- name: artifact_get
SELECT {artifact}, translate(encode(bytes, 'base64'), E'\n', '') FROM artifact WHERE id = $1
