-- name: idempotency_get
SELECT request_sha256, status, etag, body FROM idempotency WHERE principal = $1 AND key = $2

-- name: idempotency_insert
INSERT INTO idempotency (principal, key, request_sha256, status, etag, body, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
