-- name: migration_applied
SELECT version, name, sha256 FROM migration ORDER BY version

-- name: migration_insert
INSERT INTO migration (version, name, sha256, applied_at) VALUES ($1, $2, $3, now())
