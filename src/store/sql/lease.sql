-- name: lease_list
SELECT id, intent_id, agent_id, scope, status, microseconds(acquired_at),
       microseconds(expires_at), microseconds(released_at)
  FROM lease WHERE intent_id = $1 ORDER BY acquired_at DESC, id DESC LIMIT 200

-- name: lease_get
SELECT id, intent_id, agent_id, scope, status, microseconds(acquired_at),
       microseconds(expires_at), microseconds(released_at)
  FROM lease WHERE id = $1 AND intent_id = $2

-- name: lease_holder
SELECT id, intent_id, agent_id, scope, status, microseconds(acquired_at),
       microseconds(expires_at), microseconds(released_at)
  FROM lease WHERE intent_id = $1 AND scope = $2 AND status = 'active'

-- name: lease_newest
SELECT id, intent_id, agent_id, scope, status, microseconds(acquired_at),
       microseconds(expires_at), microseconds(released_at)
  FROM lease WHERE intent_id = $1 AND scope = $2
 ORDER BY acquired_at DESC, id DESC LIMIT 1

-- name: lease_insert
INSERT INTO lease (id, intent_id, agent_id, scope, status, acquired_at, expires_at)
VALUES ($1, $2, $3, $4, 'active', $5, $6)

-- name: lease_update
UPDATE lease SET status = $2, expires_at = $3, released_at = $4 WHERE id = $1
