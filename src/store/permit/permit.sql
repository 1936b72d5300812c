-- piece: permit_columns
SELECT {p.permit}, r.identifier,
       k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= now(), false),
       r.removed_at IS NOT NULL, r.id, coalesce(r.require_dpop, false)

-- piece: permit_from
  FROM permit_row p JOIN api_key k ON k.id = p.agent_key
  LEFT JOIN resource r ON r.id = p.resource_id

-- name: permit_insert
-- $1: the address of a resource in use, or NULL.
INSERT INTO permit (resource_id, agent_key, {permit.insert})
VALUES ((SELECT id FROM resource WHERE identifier = $1), $2, {permit.places:3})

-- name: permit_of_suspension
-- use: permit_columns
-- use: permit_from
 WHERE p.suspension_id = $1

-- name: permit_of_open
-- That of an open question, without what a use of it needs.
SELECT {p.permit}, (SELECT r.identifier FROM resource r WHERE r.id = p.resource_id),
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

-- name: permit_of_intent
-- The permits of $1 that can be used at $2, at most $3.
-- use: permit_columns
-- use: permit_from
 WHERE p.intent_id = $1 AND p.state = 'active' AND p.ended_at IS NULL
   AND p.not_after > $2::timestamptz
 ORDER BY p.created_at, p.id LIMIT $3

-- name: permit_by_handle
-- use: permit_columns
-- use: permit_from
 WHERE p.auth_req_id = $1

-- name: permit_polled
-- The key is written once.
UPDATE permit SET jkt = coalesce(jkt, $2), poll_after = coalesce($3, poll_after)
 WHERE id = $1

-- name: permit_update
UPDATE permit SET {permit.set:2} WHERE id = $1

-- name: permit_refuse
UPDATE permit SET state = 'refused', reason = $2, ended_by = $3, ended_at = $4
 WHERE suspension_id = $1 AND state = 'asked'
