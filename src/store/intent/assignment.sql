-- name: assignment_insert
INSERT INTO assignment ({assignment.insert}) VALUES ({assignment.places})
ON CONFLICT DO NOTHING

-- name: assignment_delete
DELETE FROM assignment WHERE intent_id = $1 AND agent_id = $2

-- name: assignment_list
SELECT {assignment} FROM assignment
 WHERE intent_id = $1 ORDER BY assigned_at, agent_id LIMIT 200

-- name: assignment_there
SELECT EXISTS (SELECT 1 FROM assignment WHERE intent_id = $1 AND agent_id = $2)
