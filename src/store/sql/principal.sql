-- name: key_find
SELECT id, role, label, array_to_json(agents)::text, microseconds(expires_at),
       microseconds(revoked_at), retry_policy, groups, reach, severity_floor,
       microseconds(last_used_at),
       xmin::text
  FROM api_key WHERE key_sha256 = $1

-- name: key_version
-- The transaction that wrote the row: changes with every change of it.
SELECT xmin::text FROM api_key WHERE key_sha256 = $1

-- name: key_used
UPDATE api_key SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)

-- name: principal_there
-- Is there a person or key that can answer? $1: the group, or with NULL $2: the name;
-- $3: now.
SELECT 1 FROM principal
 WHERE disabled_at IS NULL AND role IN ('operator', 'admin')
   AND ($1::text = ANY (string_to_array(groups, ' ')) OR email = $2)
UNION ALL
SELECT 1 FROM api_key
 WHERE revoked_at IS NULL AND role IN ('operator', 'admin')
   AND (expires_at IS NULL OR expires_at > $3::timestamptz)
   AND ($1::text = ANY (string_to_array(groups, ' ')) OR label = $2)
LIMIT 1

-- name: operator_entered
UPDATE principal SET signed_in_at = $2 WHERE id = $1

-- name: session_insert
INSERT INTO operator_session (id_sha256, principal_id, created_at, seen_at, expires_at)
VALUES ($1, $2, $3, $3, $4)

-- name: session_find
SELECT p.id, p.role, p.email, p.name, microseconds(s.seen_at), microseconds(s.expires_at),
       p.groups, p.bulk_limit, p.time_zone, p.theme, p.single_key
  FROM operator_session s JOIN principal p ON p.id = s.principal_id
 WHERE s.id_sha256 = $1 AND s.revoked_at IS NULL AND p.disabled_at IS NULL

-- name: session_seen
UPDATE operator_session SET seen_at = $2 WHERE id_sha256 = $1

-- name: session_revoke
UPDATE operator_session SET revoked_at = $2 WHERE id_sha256 = $1 AND revoked_at IS NULL
