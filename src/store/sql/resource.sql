-- name: resource_get
SELECT id, identifier, name, require_dpop, microseconds(created_at), microseconds(removed_at)
  FROM resource WHERE identifier = $1 AND removed_at IS NULL

-- name: resource_list
SELECT id, identifier, name, require_dpop, microseconds(created_at), microseconds(removed_at)
  FROM resource ORDER BY created_at DESC, id DESC LIMIT $1

-- name: resource_insert
INSERT INTO resource (id, identifier, name, require_dpop, created_at)
VALUES ($1, $2, $3, $4, $5)
    ON CONFLICT (identifier) DO UPDATE
       SET name = excluded.name, require_dpop = excluded.require_dpop, removed_at = NULL
     WHERE resource.removed_at IS NOT NULL
 RETURNING id, microseconds(created_at)

-- name: resource_remove
UPDATE resource SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL
