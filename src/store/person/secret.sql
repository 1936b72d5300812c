-- New secrets that a page shows until their reader has stored them.

-- name: secret_keep
INSERT INTO secret_view (id, session, sealed, made_at) VALUES ($1, $2, $3, $4)

-- name: secret_read
SELECT sealed FROM secret_view WHERE id = $1 AND session = $2 AND made_at > $3

-- name: secret_end
-- Those of all sessions of a person.
DELETE FROM secret_view v USING operator_session s
 WHERE s.id_sha256 = v.session AND s.principal_id = $1

-- name: secret_forget
DELETE FROM secret_view WHERE id = $1 AND session = $2
