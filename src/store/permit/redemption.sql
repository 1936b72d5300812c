-- name: redemption_of_operation
SELECT {redemption} FROM redemption WHERE permit_id = $1 AND operation_id = $2

-- name: redemption_calls
-- What the uses of a permit were made for.
SELECT r.tool, r.arguments FROM redemption r WHERE r.permit_id = $1 ORDER BY r.n

-- name: redemption_get
SELECT {redemption} FROM redemption WHERE id = $1

-- name: redemption_list
-- The newest first.
SELECT {redemption} FROM redemption WHERE permit_id = $1 ORDER BY n DESC LIMIT $2

-- name: redemption_insert
INSERT INTO redemption (arguments, by_key, {redemption.insert})
VALUES ($1, $2, {redemption.places:3})

-- name: redemption_result
UPDATE redemption SET {redemption.set:2} WHERE id = $1 AND result IS NULL

-- name: answer_use_get
SELECT {answer_use} FROM answer_use WHERE suspension_id = $1

-- name: answer_use_insert
INSERT INTO answer_use ({answer_use.insert}) VALUES ({answer_use.places})

-- name: answer_use_states
-- What the usability of answers ($1) at $2 depends on, in their order.
SELECT i.status, u.at, p.id, p.state, p.not_after, p.ended_by,
       k.revoked_at IS NOT NULL OR coalesce(k.expires_at <= $2, false),
       r.removed_at IS NOT NULL,
       intent_access(i.id, i.test, i.created_by, i.owner, i.acl,
                     {reader s.test coalesce(k.reach,'all') s.asked_by}, $2)
  FROM unnest($1::text[]) WITH ORDINALITY q (id, n)
  JOIN suspension s ON s.id = q.id
  JOIN intent i ON i.id = s.intent_id
  LEFT JOIN answer_use u ON u.suspension_id = s.id
  LEFT JOIN permit_row p ON p.suspension_id = s.id
  LEFT JOIN api_key k ON k.id = s.asked_by_key
  LEFT JOIN resource r ON r.id = p.resource_id
 ORDER BY q.n
