-- name: approval_of_completion
-- The agents assigned to the intent $1; those of them with an approved request of the action
-- $2 about the subject $3; the ids of at most 50 of these requests, of whomever. Names that
-- one key speaks for are one agent, and so are names that one key asked for.
WITH assigned AS (
    SELECT g.agent_id AS name,
           (SELECT min(o.agent_id) FROM assignment o
             WHERE o.intent_id = $1
               AND o.agent_id = ANY (ARRAY(
                       SELECT g.agent_id UNION ALL
                       SELECT unnest(k.agents) FROM api_key k
                        WHERE k.revoked_at IS NULL
                          AND k.agents @> ARRAY[g.agent_id]))) AS agent
      FROM assignment g WHERE g.intent_id = $1
), approved AS (
    SELECT s.id, s.asked_by, s.asked_by_key
      FROM suspension s JOIN decision d ON d.suspension_id = s.id
     WHERE s.intent_id = $1 AND s.origin = 'approval' AND s.title = $2
       AND s.subject_sha256 = $3 AND d.outcome = 'authorized')
SELECT (SELECT count(DISTINCT agent) FROM assigned),
       (SELECT least(count(DISTINCT g.agent), count(DISTINCT p.asked_by_key))
          FROM assigned g JOIN approved p ON p.asked_by = g.name),
       (SELECT coalesce(json_agg(id), '[]')::text FROM (SELECT id FROM approved LIMIT 50) few)
