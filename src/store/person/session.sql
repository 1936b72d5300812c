-- name: session_insert
INSERT INTO operator_session (id_sha256, principal_id, created_at, seen_at, expires_at,
                              browser, os, address)
VALUES ($1, $2, $3, $3, $4, $5, $6, $7)

-- name: session_find
SELECT {p.person}, s.seen_at, s.expires_at
  FROM operator_session s JOIN principal p ON p.id = s.principal_id
 WHERE s.id_sha256 = $1 AND s.revoked_at IS NULL AND p.disabled_at IS NULL

-- name: session_seen
UPDATE operator_session SET seen_at = $2 WHERE id_sha256 = $1

-- name: session_revoke
-- Its browser gets no more pushes.
WITH pushes AS (DELETE FROM person_push WHERE session_sha256 = $1)
UPDATE operator_session SET revoked_at = $2 WHERE id_sha256 = $1 AND revoked_at IS NULL

-- name: session_list
-- Active sessions, of one person or with NULL of everybody, the most recent use first.
-- $3: a session not used since then has ended.
SELECT {s.session}, p.name, p.email
  FROM operator_session s JOIN principal p ON p.id = s.principal_id
 WHERE ($2::uuid IS NULL OR s.principal_id = $2) AND s.revoked_at IS NULL
   AND s.seen_at >= $3 AND s.expires_at > $4 AND p.disabled_at IS NULL
 ORDER BY s.seen_at DESC, s.id_sha256 LIMIT $1

-- name: session_end
-- $2: of that person alone, or with NULL anybody's. Returns the owner.
UPDATE operator_session s SET revoked_at = $3
  FROM principal p
 WHERE p.id = s.principal_id AND s.id_sha256 = $1 AND s.revoked_at IS NULL
   AND ($2::uuid IS NULL OR s.principal_id = $2)
RETURNING p.email

-- name: session_end_all
-- All sessions of a person but one; NULL: all.
UPDATE operator_session SET revoked_at = $3
 WHERE principal_id = $1 AND id_sha256 IS DISTINCT FROM $2 AND revoked_at IS NULL
