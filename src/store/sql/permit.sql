-- piece: permit_names
SELECT p.id, p.intent_id, p.suspension_id, p.auth_req_id, p.agent,

-- piece: permit_own
       p.jkt, p.asked, p.asked_sha256, p.granted, p.granted_sha256, p.max_uses, p.use_seconds,
       p.budget, p.budget_of, p.budget_unit, p.used, p.spent, p.state, p.reason, p.ended_by,
       p.created_at, p.granted_at, p.not_after, p.ended_at, p.poll_after,

-- piece: permit_columns
-- use: permit_names
       r.identifier,
-- use: permit_own
       k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= now(), false),
       r.removed_at IS NOT NULL, r.id, coalesce(r.require_dpop, false)

-- piece: permit_from
  FROM permit_row p JOIN api_key k ON k.id = p.agent_key
  LEFT JOIN resource r ON r.id = p.resource_id

-- name: permit_insert
-- $6: the address of a resource in use, or NULL.
INSERT INTO permit (id, intent_id, suspension_id, auth_req_id, agent, resource_id, jkt, asked,
                    asked_sha256, granted, granted_sha256, max_uses, use_seconds, budget,
                    budget_of, budget_unit, state, created_at, granted_at, not_after,
                    ended_at, agent_key)
VALUES ($1, $2, $3, $4, $5, (SELECT id FROM resource WHERE identifier = $6), $7, $8, $9, $10,
        $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22)

-- name: permit_of_suspension
-- use: permit_columns
-- use: permit_from
 WHERE p.suspension_id = $1

-- name: permit_of_open
-- That of an open question, without what a use of it needs.
-- use: permit_names
       (SELECT r.identifier FROM resource r WHERE r.id = p.resource_id),
-- use: permit_own
       false, false, NULL, false
  FROM permit p WHERE p.suspension_id = $1

-- name: permit_get
-- And the access of its agent to its intent at $2, and whether that is closed.
-- use: permit_columns
     , intent_access(i.id, i.test, i.created_by, i.owner, i.acl,
                     CASE k.reach WHEN 'all' THEN '/' ELSE '' END || p.agent, $2), i.acl = 2
-- use: permit_from
  JOIN intent i ON i.id = p.intent_id
 WHERE p.id = $1

-- name: permit_live
-- Permits that can be used at $1, the newest first, after the one at $2 with the id $3.
-- $5: only those of requests that this person initiated.
-- use: permit_columns
     , coalesce(s.title, s.question, i.title)
-- use: permit_from
  JOIN intent i ON i.id = p.intent_id
  LEFT JOIN suspension s ON s.id = p.suspension_id
 WHERE p.state = 'active' AND p.ended_at IS NULL AND p.not_after > $1::timestamptz
   AND ($2::timestamptz IS NULL OR (p.created_at, p.id) < ($2::timestamptz, $3::uuid))
   AND ($5::uuid IS NULL OR s.initiator_id = $5)
 ORDER BY p.created_at DESC, p.id DESC LIMIT $4

-- name: permit_by_handle
-- use: permit_columns
-- use: permit_from
 WHERE p.auth_req_id = $1

-- name: permit_polled
-- The key is written once.
UPDATE permit SET jkt = coalesce(jkt, $2), poll_after = coalesce($3, poll_after)
 WHERE id = $1

-- name: permit_update
UPDATE permit
   SET granted = $2, granted_sha256 = $3, granted_at = $4, not_after = $5, used = $6,
       spent = $7, state = $8, reason = $9, ended_by = $10, ended_at = $11
 WHERE id = $1

-- name: permit_refuse
UPDATE permit SET state = 'refused', reason = $2, ended_by = $3, ended_at = $4
 WHERE suspension_id = $1 AND state = 'asked'
