-- Records of agents' work on an intent: costs, attachments, failures, and the
-- policy for trying again.

-- name: cost_list
SELECT {cost} FROM intent_cost WHERE intent_id = $1 ORDER BY recorded_at, id LIMIT 1000

-- name: cost_totals
SELECT count(*), coalesce(sum(amount), 0)::text FROM intent_cost WHERE intent_id = $1

-- name: cost_insert
INSERT INTO intent_cost ({cost.insert}) VALUES ({cost.places})

-- name: attachment_list
SELECT {attachment} FROM attachment WHERE intent_id = $1 ORDER BY created_at, id LIMIT 100

-- name: attachment_insert
INSERT INTO attachment ({attachment.insert}) VALUES ({attachment.places})

-- name: attachment_delete
DELETE FROM attachment WHERE id = $1 AND intent_id = $2

-- name: failure_list
SELECT {f.failure}, k.severity_floor, k.decides
  FROM intent_failure f LEFT JOIN api_key k ON k.id = f.key_id
 WHERE f.intent_id = $1 ORDER BY f.created_at, f.id LIMIT 1000

-- name: failure_counts
-- Of the intent, of the agent $2, and of its failures that went to another agent or to people.
SELECT count(*), count(*) FILTER (WHERE agent_id = $2),
       count(*) FILTER (WHERE agent_id = $2 AND next IN ('fallback', 'escalation'))
  FROM intent_failure WHERE intent_id = $1

-- name: failure_insert
INSERT INTO intent_failure (due_at, {failure.insert}) VALUES ($1, {failure.places:2})

-- name: failure_policy_get
SELECT {failure_policy} FROM failure_policy WHERE intent_id = $1

-- name: failure_policy_set
INSERT INTO failure_policy ({failure_policy.insert}) VALUES ({failure_policy.places})
ON CONFLICT (intent_id) DO UPDATE SET {failure_policy.excluded}
RETURNING {failure_policy}

-- name: due_failures
-- Failures whose next step is due.
SELECT intent_id FROM intent_failure WHERE due_at <= $1 ORDER BY due_at, id LIMIT 20

-- name: due_failures_due
-- With the fallback agent of the policy as it is now.
SELECT {f.failure}, k.severity_floor, k.decides,
       (SELECT p.fallback_agent_id FROM failure_policy p
           WHERE p.intent_id = f.intent_id)
  FROM intent_failure f LEFT JOIN api_key k ON k.id = f.key_id
 WHERE f.intent_id = ANY ($1::uuid[]) AND f.due_at <= $2
 ORDER BY f.due_at, f.id LIMIT 100

-- name: due_failure_moved
UPDATE intent_failure SET next = $2, resolved_at = $3, due_at = $4 WHERE id = $1

-- name: due_leases_of
-- The active leases of an agent on an intent are released; at most 20, for their events.
UPDATE lease SET status = 'released', released_at = $3
 WHERE id = ANY (ARRAY(SELECT l.id FROM lease l
                        WHERE l.intent_id = $1 AND l.agent_id = $2 AND l.status = 'active'
                        LIMIT 20))
RETURNING {lease}

-- name: due_unassign
DELETE FROM assignment WHERE intent_id = $1 AND agent_id = $2
