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
