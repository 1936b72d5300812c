-- name: subscription_endpoint
-- An endpoint of the agent $1, or with NULL of any, the one for every agent first. One for
-- callbacks gets no events.
SELECT e.id FROM endpoint e
 WHERE e.kind = 'agent' AND NOT e.prefix AND e.removed_at IS NULL AND e.address = $2
-- use: endpoint_of $1
 ORDER BY e.agent NULLS FIRST, e.id LIMIT 1

-- name: subscription_count_lock
-- Transactions that add one count first, and so run one after the other.
SELECT pg_advisory_xact_lock(7361797302)

-- name: subscription_counts
-- The number of the key $1; of those to every intent, the key's and all keys'.
SELECT (SELECT count(*) FROM subscription WHERE created_by = $1),
       count(*) FILTER (WHERE created_by = $1), count(*)
  FROM subscription WHERE intent_id IS NULL AND portfolio_id IS NULL

-- name: subscription_insert
INSERT INTO subscription (id, endpoint_id, intent_id, subscriber_id, event_types, created_at,
                          created_by, expires_at, portfolio_id)
VALUES ($1, $2, $3, $4, ARRAY(SELECT json_array_elements_text($5::json)), $6, $7, $8, $9)

-- name: subscription_list
SELECT s.id, e.address, s.intent_id, s.subscriber_id, array_to_json(s.event_types)::text,
       microseconds(s.created_at), s.created_by, microseconds(s.expires_at),
       e.gone_at IS NOT NULL, s.portfolio_id
  FROM subscription s JOIN endpoint e ON e.id = s.endpoint_id
 WHERE ($3::uuid IS NULL OR s.id > $3)
-- use: endpoint_of $1
   AND ($2::uuid IS NULL OR (s.intent_id = $2 AND s.portfolio_id IS NULL))
   AND ($4::uuid IS NULL OR s.portfolio_id = $4)
 ORDER BY s.id LIMIT 200

-- name: subscription_keys_ended
-- The keys of these subscriptions that are no longer valid. A query of its own: within the
-- list it would cost so much that the planner would choose a generic plan for all filters.
SELECT id FROM api_key
 WHERE id = ANY ($1::uuid[]) AND (revoked_at IS NOT NULL OR expires_at <= $2)

-- name: subscription_delete
DELETE FROM subscription s USING endpoint e
 WHERE s.id = $1 AND e.id = s.endpoint_id
-- use: endpoint_of $2
