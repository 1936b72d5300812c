-- name: approval_of_completion
-- The agents assigned to the intent $1; those of them with an approved request of the action
-- $2 about the subject $3; the ids of at most 50 of these requests, of whomever.
WITH approved AS (
    SELECT s.id, s.asked_by FROM suspension s JOIN decision d ON d.suspension_id = s.id
     WHERE s.intent_id = $1 AND s.origin = 'approval' AND s.title = $2
       AND s.subject_sha256 = $3 AND d.outcome = 'authorized')
SELECT (SELECT count(*) FROM assignment WHERE intent_id = $1),
       (SELECT count(*) FROM assignment g WHERE g.intent_id = $1
           AND EXISTS (SELECT 1 FROM approved p WHERE p.asked_by = g.agent_id)),
       (SELECT coalesce(json_agg(id), '[]')::text FROM (SELECT id FROM approved LIMIT 50) few)
