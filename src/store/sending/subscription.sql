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
INSERT INTO subscription (endpoint_id, event_types, {subscription.insert})
VALUES ($1, ARRAY(SELECT json_array_elements_text($2::json)), {subscription.places:3})

-- name: subscription_list
SELECT {s.subscription}, e.address, array_to_json(s.event_types), e.gone_at IS NOT NULL
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
