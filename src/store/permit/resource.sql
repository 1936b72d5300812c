-- name: resource_get
SELECT {resource} FROM resource WHERE identifier = $1 AND removed_at IS NULL

-- name: resource_list
SELECT {resource} FROM resource ORDER BY created_at DESC, id DESC LIMIT $1

-- name: resource_insert
INSERT INTO resource ({resource.insert}) VALUES ({resource.places})
    ON CONFLICT (identifier) DO UPDATE SET {resource.excluded}, removed_at = NULL
     WHERE resource.removed_at IS NOT NULL
 RETURNING {resource}

-- name: resource_remove
UPDATE resource SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL
