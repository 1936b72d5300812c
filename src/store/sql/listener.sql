-- name: listener_keys
-- Which of these keys still hold.
SELECT id FROM api_key
 WHERE id = ANY ($1::uuid[]) AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > $2)

-- name: listener_sessions
-- Which of these sessions still hold: not idle, and of somebody who may enter.
SELECT s.id_sha256
  FROM operator_session s JOIN principal p ON p.id = s.principal_id
 WHERE s.id_sha256 = ANY ($1::text[]) AND s.revoked_at IS NULL AND s.expires_at > $2
   AND s.seen_at >= $3 AND p.disabled_at IS NULL
