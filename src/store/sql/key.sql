-- name: key_page
-- The newest first; $2 and $3: time and id of the row to continue after.
SELECT id, prefix, role, label, array_to_string(agents, ', '), groups,
       microseconds(created_at), microseconds(last_used_at), microseconds(expires_at),
       microseconds(revoked_at), reach, severity_floor
  FROM api_key
 WHERE $2::timestamptz IS NULL OR (created_at, id) < ($2::timestamptz, $3::uuid)
 ORDER BY created_at DESC, id DESC LIMIT $1

-- name: key_get
SELECT id, prefix, role, label, array_to_string(agents, ', '), groups,
       microseconds(created_at), microseconds(last_used_at), microseconds(expires_at),
       microseconds(revoked_at), reach, severity_floor
  FROM api_key WHERE id = $1

-- name: key_make
INSERT INTO api_key (id, key_sha256, prefix, role, label, agents, created_at, expires_at,
                     groups, reach, severity_floor)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)

-- name: key_reach
-- For a valid key that names its agents; any other keeps the reach all.
UPDATE api_key SET reach = $2
 WHERE id = $1 AND revoked_at IS NULL AND role = 'agent' AND NOT '*' = ANY (agents)

-- name: key_floor
UPDATE api_key SET severity_floor = $2 WHERE id = $1

-- name: key_end
UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL

-- name: key_stored
INSERT INTO key_stored AS k (key_id, day, bytes)
VALUES ($1, ($2::timestamptz AT TIME ZONE 'UTC')::date, $3)
    ON CONFLICT (key_id, day) DO UPDATE SET bytes = k.bytes + excluded.bytes
RETURNING bytes
