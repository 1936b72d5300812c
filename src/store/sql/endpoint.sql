-- piece: endpoint_columns
SELECT e.id, e.kind, e.name, e.address, e.agent, array_to_json(e.event_types)::text,
       array_to_json(e.notify_to)::text, e.detail, e.every_question, e.internal, e.secret,
       microseconds(e.created_at), e.created_by, microseconds(e.paused_at),
       microseconds(e.gone_at),
       (SELECT count(*) FROM (SELECT 1 FROM delivery d
                               WHERE d.endpoint_id = e.id AND d.state = 'pending'
                               LIMIT 1001) waiting),
       e.prefix
  FROM endpoint e

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

-- name: endpoint_prefix
-- That the agent $1 may name the address $2 below.
SELECT id, address FROM endpoint
 WHERE kind = 'agent' AND prefix AND removed_at IS NULL AND gone_at IS NULL
   AND coalesce(agent, '') IN ('', $1) AND starts_with($2, address)
 ORDER BY length(address) DESC, agent NULLS LAST LIMIT 1

-- name: endpoint_last
SELECT id, type, state, tries, answer, microseconds(created_at) FROM delivery
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
-- No row, where there are $16 of its sort already, or $17 of its agent, or $19 of its key.
-- A test key's endpoint is for tests; an admin's is for both sorts.
INSERT INTO endpoint (id, kind, name, address, agent, event_types, notify_to, detail,
                      every_question, internal, secret, created_at, created_by, paused_at,
                      gone_at, key_id, prefix, test)
SELECT $1, $2, $3, $4, $5, ARRAY(SELECT json_array_elements_text($6::json)),
       ARRAY(SELECT json_array_elements_text($7::json)), $8, $9, $10, $11, $12, $13, $14, $15,
       $18, $20, (SELECT k.test FROM api_key k WHERE k.id = $18::uuid)
 WHERE (SELECT count(*) FROM endpoint e
         WHERE e.removed_at IS NULL AND (e.kind = 'agent') = ($2 = 'agent')) < $16::bigint
   AND ($5::text IS NULL OR (SELECT count(*) FROM endpoint e
                        WHERE e.removed_at IS NULL AND e.agent = $5) < $17::bigint)
   AND ($18::uuid IS NULL OR (SELECT count(*) FROM endpoint e
                        WHERE e.removed_at IS NULL AND e.key_id = $18) < $19::bigint)

-- name: endpoint_reached
-- Has the agent $1 as many as $3, or the key $2 as many as $4?
SELECT (SELECT count(*) FROM endpoint WHERE removed_at IS NULL AND agent = $1) >= $3 OR
       (SELECT count(*) FROM endpoint WHERE removed_at IS NULL AND key_id = $2) >= $4

-- name: endpoint_update
UPDATE endpoint
   SET name = $2, address = $3, event_types = ARRAY(SELECT json_array_elements_text($4::json)),
       notify_to = ARRAY(SELECT json_array_elements_text($5::json)), detail = $6,
       every_question = $7, internal = $8, prefix = $9
 WHERE id = $1 AND removed_at IS NULL

-- name: endpoint_pause
UPDATE endpoint
   SET paused_at = CASE WHEN $2::boolean THEN coalesce(paused_at, $3) END,
       gone_at = CASE WHEN $2 THEN gone_at END
 WHERE id = $1 AND removed_at IS NULL
RETURNING microseconds(paused_at), microseconds(gone_at)

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
SELECT id, kind, name, address, array_to_json(notify_to)::text, detail, every_question,
       paused_at IS NOT NULL OR gone_at IS NOT NULL
  FROM endpoint
 WHERE kind <> 'agent' AND removed_at IS NULL
 ORDER BY name LIMIT 64
