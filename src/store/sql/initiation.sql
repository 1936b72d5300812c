-- name: initiation_insert
INSERT INTO initiation (id_sha256, principal_id, agent, created_at, expires_at)
VALUES ($1, $2, $3, $4, $5)
