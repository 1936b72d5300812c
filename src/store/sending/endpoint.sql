-- piece: endpoint_columns
SELECT {e.endpoint}, array_to_json(e.event_types)::text, array_to_json(e.notify_to)::text,
       (SELECT count(*) FROM (SELECT 1 FROM delivery d
                               WHERE d.endpoint_id = e.id AND d.state = 'pending'
                               LIMIT 1001) waiting), f.since,
       CASE WHEN f.since IS NOT NULL THEN
           (SELECT max(l.ended_at) FROM (SELECT d.ended_at, d.state FROM delivery d
             WHERE d.endpoint_id = e.id ORDER BY d.created_at DESC, d.id DESC LIMIT 200) l
             WHERE l.state = 'delivered') END
  FROM endpoint e
  LEFT JOIN LATERAL (
    SELECT t.at AS since FROM delivery d JOIN delivery_try t ON t.delivery_id = d.id AND t.n = 1
     WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.tries > 0
     ORDER BY d.created_at LIMIT 1) f ON true

-- piece: endpoint_of reader
-- Those of the agent, of its sort or of an admin; NULL: all.
   AND ({reader}::text IS NULL OR
        (e.agent = reader_name({reader}) AND (e.test IS NULL OR reader_sort(e.test, {reader}))))

-- name: endpoint_list
-- $1: channels, or endpoints of agents; $2: of one agent.
-- use: endpoint_columns
 WHERE e.removed_at IS NULL AND (e.kind <> 'agent') = $1::boolean
-- use: endpoint_of $2
 ORDER BY e.created_at, e.id LIMIT 500

-- name: endpoint_get
-- use: endpoint_columns
 WHERE e.id = $1 AND e.removed_at IS NULL
-- use: endpoint_of $2

-- name: endpoint_failing
SELECT coalesce(bool_or(e.kind = 'agent'), false), coalesce(bool_or(e.kind <> 'agent'), false)
  FROM endpoint e
 WHERE e.removed_at IS NULL AND e.paused_at IS NULL
   AND (e.gone_at IS NOT NULL OR EXISTS (
        SELECT 1 FROM delivery d
         WHERE d.endpoint_id = e.id AND d.state = 'pending' AND d.tries > 0))

-- name: endpoint_prefix
-- That the agent $1 may name the address $2 below.
SELECT id, address FROM endpoint
 WHERE kind = 'agent' AND prefix AND removed_at IS NULL AND gone_at IS NULL
   AND coalesce(agent, '') IN ('', $1) AND starts_with($2, address)
 ORDER BY length(address) DESC, agent NULLS LAST LIMIT 1

-- name: endpoint_last
SELECT {delivery} FROM delivery
 WHERE endpoint_id = $1 ORDER BY created_at DESC, id DESC LIMIT 1

-- name: endpoint_test
-- One at a time.
INSERT INTO delivery (id, endpoint_id, event_sequence, type, body, next_at, created_at)
SELECT $1, $2::uuid, 0, $3::text, $4, $5::timestamptz, $5
 WHERE NOT EXISTS (SELECT 1 FROM delivery
                    WHERE endpoint_id = $2 AND state = 'pending' AND type = $3)

-- name: endpoint_count_lock
-- Transactions that add one count first, and so run one after the other.
SELECT pg_advisory_xact_lock(7361797301)

-- name: endpoint_insert
-- No row, where there are $5 of its sort $4 already, or $7 of its agent $6, or $8 of its key $3.
-- A test key's endpoint is for tests; an admin's is for both sorts.
INSERT INTO endpoint (event_types, notify_to, test, {endpoint.insert})
SELECT ARRAY(SELECT json_array_elements_text($1::json)),
       ARRAY(SELECT json_array_elements_text($2::json)),
       (SELECT k.test FROM api_key k WHERE k.id = $3::uuid), {endpoint.places:9}
 WHERE (SELECT count(*) FROM endpoint e
         WHERE e.removed_at IS NULL AND (e.kind = 'agent') = ($4 = 'agent')) < $5::bigint
   AND ($6::text IS NULL OR (SELECT count(*) FROM endpoint e
                        WHERE e.removed_at IS NULL AND e.agent = $6) < $7::bigint)
   AND ($3::uuid IS NULL OR (SELECT count(*) FROM endpoint e
                        WHERE e.removed_at IS NULL AND e.key_id = $3) < $8::bigint)

-- name: endpoint_reached
-- Has the agent $1 as many as $3, or the key $2 as many as $4?
SELECT (SELECT count(*) FROM endpoint WHERE removed_at IS NULL AND agent = $1) >= $3 OR
       (SELECT count(*) FROM endpoint WHERE removed_at IS NULL AND key_id = $2) >= $4

-- name: endpoint_update
UPDATE endpoint
   SET event_types = ARRAY(SELECT json_array_elements_text($2::json)),
       notify_to = ARRAY(SELECT json_array_elements_text($3::json)), {endpoint.set:4}
 WHERE id = $1 AND removed_at IS NULL

-- name: endpoint_pause
UPDATE endpoint
   SET paused_at = CASE WHEN $2::boolean THEN coalesce(paused_at, $3) END,
       gone_at = CASE WHEN $2 THEN gone_at END
 WHERE id = $1 AND removed_at IS NULL
RETURNING paused_at, gone_at

-- name: endpoint_rotate
UPDATE endpoint
   SET previous_secret = secret, previous_secret_until = $3, secret = $2
 WHERE id = $1 AND removed_at IS NULL AND secret IS NOT NULL

-- name: endpoint_remove
UPDATE endpoint SET removed_at = $2 WHERE id = $1 AND removed_at IS NULL

-- name: endpoint_remove_subscriptions
DELETE FROM subscription WHERE endpoint_id = $1

-- name: endpoint_give_up
-- Some at a time; the sender gives up the others.
UPDATE delivery
   SET state = 'failed', next_at = NULL, ended_at = $2,
       answer = 'Failed: the endpoint was removed.'
 WHERE id IN (SELECT id FROM delivery WHERE endpoint_id = $1 AND state = 'pending' LIMIT 1000)

-- name: endpoint_channels
SELECT {channel}, paused_at IS NOT NULL OR gone_at IS NOT NULL, array_to_json(notify_to)::text
  FROM endpoint
 WHERE kind <> 'agent' AND removed_at IS NULL
 ORDER BY name LIMIT 64
