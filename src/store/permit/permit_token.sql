-- name: permit_token_insert
INSERT INTO permit_token (token_sha256, {permit_token.insert})
VALUES ($1, {permit_token.places:2})

-- name: permit_token_end
-- The live token of a permit, if there is one.
UPDATE permit_token SET ended_at = $2, ended_why = $3
 WHERE permit_id = $1 AND ended_at IS NULL

-- name: permit_token_revoke
-- Of the agent $2 alone.
UPDATE permit_token t SET ended_at = $3, ended_why = 'revoked'
  FROM permit p
 WHERE t.token_sha256 = $1 AND p.id = t.permit_id AND p.agent = $2 AND t.ended_at IS NULL

-- name: permit_token_get
-- With the intent of its permit.
SELECT {t.permit_token}, t.ended_at IS NOT NULL, i.status, i.initiated_by,
       EXISTS (SELECT 1 FROM open_question o WHERE o.intent_id = i.id AND o.slot = 0)
  FROM permit_token t
  JOIN permit p ON p.id = t.permit_id
  JOIN intent i ON i.id = p.intent_id
 WHERE t.token_sha256 = $1

-- name: dpop_proof_insert
INSERT INTO dpop_proof (jkt, jti_sha256, seen_at) VALUES ($1, $2, $3)
    ON CONFLICT DO NOTHING
