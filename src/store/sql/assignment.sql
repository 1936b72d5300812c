-- name: assignment_insert
INSERT INTO assignment (intent_id, agent_id, assigned_at, assigned_by)
VALUES ($1, $2, $3, $4) ON CONFLICT DO NOTHING

-- name: assignment_delete
DELETE FROM assignment WHERE intent_id = $1 AND agent_id = $2

-- name: assignment_list
SELECT agent_id, microseconds(assigned_at), assigned_by FROM assignment
 WHERE intent_id = $1 ORDER BY assigned_at, agent_id LIMIT 200

-- name: assignment_there
SELECT EXISTS (SELECT 1 FROM assignment WHERE intent_id = $1 AND agent_id = $2)

-- name: assignment_reach
-- The agents that are tied to the intent at $2 in any way, and until when; NULL: without end.
SELECT t.agent, CASE WHEN isfinite(max(t.until)) THEN microseconds(max(t.until)) END
  FROM intent_tie t
 WHERE t.intent_id = $1 AND t.agent IS NOT NULL AND t.until > $2
 GROUP BY t.agent ORDER BY t.agent LIMIT 1000
