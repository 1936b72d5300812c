-- Records of agents' work on an intent: costs, attachments, failures, and the
-- policy for trying again.

-- name: cost_list
SELECT id, intent_id, agent_id, cost_type, amount::text, unit, provider, metadata,
       microseconds(recorded_at)
  FROM intent_cost WHERE intent_id = $1 ORDER BY recorded_at, id LIMIT 1000

-- name: cost_totals
SELECT count(*), coalesce(sum(amount), 0)::text FROM intent_cost WHERE intent_id = $1

-- name: cost_insert
INSERT INTO intent_cost (id, intent_id, agent_id, cost_type, amount, unit, provider, metadata,
                         recorded_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: attachment_list
SELECT id, intent_id, filename, mime_type, size, storage_url, metadata, uploaded_by,
       microseconds(created_at)
  FROM attachment WHERE intent_id = $1 ORDER BY created_at, id LIMIT 100

-- name: attachment_insert
INSERT INTO attachment (id, intent_id, filename, mime_type, size, storage_url, metadata,
                        uploaded_by, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)

-- name: attachment_delete
DELETE FROM attachment WHERE id = $1 AND intent_id = $2

-- piece: failure_columns
SELECT f.id, f.intent_id, f.agent_id, f.attempt_number, f.error_code, f.error_message,
       f.recoverable, f.next, microseconds(f.retry_scheduled_at), microseconds(f.resolved_at),
       f.metadata, microseconds(f.created_at), f.key_id, k.severity_floor, k.decides

-- name: failure_list
-- use: failure_columns
  FROM intent_failure f LEFT JOIN api_key k ON k.id = f.key_id
 WHERE f.intent_id = $1 ORDER BY f.created_at, f.id LIMIT 1000

-- name: failure_counts
-- Of the intent, of the agent $2, and of its failures that went to another agent or to people.
SELECT count(*), count(*) FILTER (WHERE agent_id = $2),
       count(*) FILTER (WHERE agent_id = $2 AND next IN ('fallback', 'escalation'))
  FROM intent_failure WHERE intent_id = $1

-- name: failure_insert
INSERT INTO intent_failure (id, intent_id, agent_id, attempt_number, error_code,
                            error_message, recoverable, next, retry_scheduled_at, resolved_at,
                            due_at, metadata, created_at, key_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)

-- name: failure_policy_get
SELECT id, intent_id, strategy, max_retries, base_delay_ms, max_delay_ms, fallback_agent_id,
       failure_threshold, microseconds(created_at), microseconds(updated_at)
  FROM failure_policy WHERE intent_id = $1

-- name: failure_policy_set
INSERT INTO failure_policy (id, intent_id, strategy, max_retries, base_delay_ms, max_delay_ms,
                            fallback_agent_id, failure_threshold, created_at, updated_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9)
ON CONFLICT (intent_id) DO UPDATE
   SET strategy = $3, max_retries = $4, base_delay_ms = $5, max_delay_ms = $6,
       fallback_agent_id = $7, failure_threshold = $8, updated_at = $9
RETURNING id, intent_id, strategy, max_retries, base_delay_ms, max_delay_ms,
          fallback_agent_id, failure_threshold, microseconds(created_at),
          microseconds(updated_at)

-- name: due_failures
-- Failures whose next step is due.
SELECT intent_id FROM intent_failure WHERE due_at <= $1 ORDER BY due_at, id LIMIT 20

-- name: due_failures_due
-- With the fallback agent of the policy as it is now.
-- use: failure_columns
       , (SELECT p.fallback_agent_id FROM failure_policy p
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
RETURNING id, intent_id, agent_id, scope, status, microseconds(acquired_at),
          microseconds(expires_at), microseconds(released_at)

-- name: due_unassign
DELETE FROM assignment WHERE intent_id = $1 AND agent_id = $2
