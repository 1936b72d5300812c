-- Deliveries, written in the transaction that they report. Those of a paused endpoint are
-- collected; an endpoint that is gone or removed gets none.

-- name: delivery_hold
-- Until the end of this transaction no endpoint is added: endpoint_count_lock waits for it.
-- And the database's time, to compare ours with.
SELECT clock_timestamp() FROM pg_advisory_xact_lock_shared(7361797301)

-- name: delivery_told
-- Is there any agent's endpoint for events and answers? NULL: none, and none until the
-- transaction ends, where delivery_hold ran before. The first by the index of addresses.
SELECT (SELECT true FROM endpoint WHERE kind = 'agent' AND removed_at IS NULL
         ORDER BY coalesce(agent, ''), address LIMIT 1)

-- name: delivery_push
-- To the endpoints of the asking agent, and those for every agent. An endpoint that an
-- agent registered itself counts while any key that may act as the agent is valid. The keys
-- are counted, because they are few: an EXISTS could read the whole table. An agent to which the
-- intent is closed hears of its own requests for access alone ($8). $9: the trace of the question.
INSERT INTO delivery (id, endpoint_id, intent_id, suspension_id, event_sequence, type, body,
                      next_at, created_at, traceparent)
SELECT gen_random_uuid(), e.id, $2, $3, $4, $5::text, $6, $7::timestamptz, $7, $9
  FROM endpoint e
 WHERE e.kind = 'agent' AND e.removed_at IS NULL AND e.gone_at IS NULL
   AND NOT e.prefix AND coalesce(e.agent, '') IN ('', $1)
   AND (e.test IS NULL OR e.test = (SELECT i.test FROM intent i WHERE i.id = $2))
   AND (e.event_types = '{}' OR $5 = ANY (e.event_types))
   AND (e.agent IS DISTINCT FROM e.created_by OR
        (SELECT count(*) FROM api_key k
          WHERE k.agents && ARRAY[$1, '*'] AND k.revoked_at IS NULL AND k.test = e.test
            AND (k.expires_at IS NULL OR k.expires_at > $7)) > 0)
   AND (e.agent IS NULL OR $8 OR NOT intent_shut($2, e.agent, $7))

-- name: delivery_callback
-- To the address that the question named below its endpoint; $9 asked it. $10: not signed.
-- Whether it still lies there is asked when it is sent.
INSERT INTO delivery (id, endpoint_id, intent_id, suspension_id, event_sequence, type, body,
                      next_at, created_at, address, asked_by, plain, traceparent)
SELECT gen_random_uuid(), e.id, $2, $3, $4, $5::text, $6, $7::timestamptz, $7, $8, $9, $10,
       $11
  FROM endpoint e
 WHERE e.id = $1 AND e.removed_at IS NULL AND e.gone_at IS NULL
   AND NOT intent_shut($2, $9, $7)

-- The events $2 to $3 of an intent to their subscriptions, as event_write shows them.
-- The subscriptions of a key end with the key, and an agent's cover only the intents that it
-- reaches.

-- piece: delivery_of_events
INSERT INTO delivery (id, endpoint_id, subscription_id, intent_id, event_sequence, type, body,
                      next_at, created_at)
SELECT gen_random_uuid(), e.id, s.id, v.intent_id, v.sequence, 'event',
       '{"subscription_id":"' || s.id || '","event":{"event_hash":"' || v.event_hash || '",'
           || substr(v.canonical, 2) || '}',
       $4::timestamptz, $4
  FROM subscription s
  JOIN endpoint e ON e.id = s.endpoint_id AND NOT e.prefix AND e.removed_at IS NULL
                 AND e.gone_at IS NULL
  JOIN event v ON v.intent_id = $1 AND v.sequence BETWEEN $2 AND $3
              AND (s.event_types = '{}' OR v.event_type = ANY (s.event_types))

-- piece: delivery_of_keys
   AND (s.expires_at IS NULL OR s.expires_at > $4)
   AND NOT EXISTS (SELECT 1 FROM api_key k
                    LEFT JOIN principal p ON p.id = k.principal_id
                    WHERE k.id = s.created_by
                      AND (k.revoked_at IS NOT NULL OR k.expires_at <= $4 OR
                           p.disabled_at IS NOT NULL OR
                           (k.role = 'agent' AND
                            intent_reach($1, {reader k.test k.reach coalesce(e.agent,'')},
                                         $4) = 0)))

-- name: delivery_events
-- use: delivery_of_events
 WHERE (s.intent_id = $1 OR s.intent_id IS NULL) AND s.portfolio_id IS NULL
-- use: delivery_of_keys

-- name: delivery_member_events
-- To the subscriptions of the portfolios that the intent is in.
-- use: delivery_of_events
 WHERE s.portfolio_id IN (SELECT m.portfolio_id FROM portfolio_member m WHERE m.intent_id = $1)
-- use: delivery_of_keys

-- name: delivery_notices
-- One message to people: channel, recipient and text of each.
INSERT INTO delivery (id, endpoint_id, intent_id, suspension_id, event_sequence, type,
                      recipient, body, next_at, created_at)
SELECT gen_random_uuid(), n.endpoint_id, $1, $2, $3, $4, nullif(n.recipient, ''), n.body,
       $8::timestamptz, $8
  FROM unnest($5::uuid[], $6::text[], $7::text[]) AS n (endpoint_id, recipient, body)

-- name: delivery_list
SELECT {d.delivery}, e.name, e.kind, coalesce(s.title, s.question, i.title)
  FROM delivery d
  JOIN endpoint e ON e.id = d.endpoint_id
  LEFT JOIN intent i ON i.id = d.intent_id
  LEFT JOIN suspension s ON s.id = d.suspension_id
 WHERE ($2::text IS NULL OR d.state = $2) AND ($3::uuid IS NULL OR d.endpoint_id = $3)
   AND ($4::timestamptz IS NULL OR (d.created_at, d.id) < ($4::timestamptz, $5::uuid))
 ORDER BY d.created_at DESC, d.id DESC LIMIT least($1, 200)

-- name: delivery_get
SELECT {d.delivery}, e.name, e.kind, coalesce(s.title, s.question, i.title), d.body
  FROM delivery d
  JOIN endpoint e ON e.id = d.endpoint_id
  LEFT JOIN intent i ON i.id = d.intent_id
  LEFT JOIN suspension s ON s.id = d.suspension_id
 WHERE d.id = $1

-- name: delivery_tries
SELECT * FROM (SELECT {delivery_try} FROM delivery_try
                WHERE delivery_id = $1 ORDER BY n DESC LIMIT 200) newest
 ORDER BY n

-- name: delivery_counts
-- Counted up to a ceiling, since $1; in the index's order, so that the index is used.
SELECT (SELECT count(*) FROM (SELECT 1 FROM delivery
                               WHERE state = 'delivered' AND created_at > $1
                               ORDER BY created_at DESC LIMIT 10001) delivered),
       (SELECT count(*) FROM (SELECT 1 FROM delivery
                               WHERE state = 'pending' AND created_at > $1
                               ORDER BY created_at DESC LIMIT 10001) waiting),
       (SELECT count(*) FROM (SELECT 1 FROM delivery
                               WHERE state = 'failed' AND created_at > $1
                               ORDER BY created_at DESC LIMIT 10001) failed)

-- name: delivery_waiting
-- Those of active endpoints: the number, up to a ceiling, and the time of the oldest. The
-- number of those that were given up.
SELECT count(*), coalesce(min(microseconds(w.created_at)), 0),
       (SELECT count(*) FROM (SELECT 1 FROM delivery WHERE state = 'failed' LIMIT 10001) f)
  FROM (SELECT d.created_at
          FROM delivery d
          JOIN endpoint e ON e.id = d.endpoint_id AND e.paused_at IS NULL
         WHERE d.state = 'pending' ORDER BY d.created_at LIMIT 10001) w

-- name: delivery_again
UPDATE delivery d SET state = 'pending', tries = 0, next_at = $2, ended_at = NULL
  FROM endpoint e
 WHERE d.id = $1 AND e.id = d.endpoint_id AND e.removed_at IS NULL

-- piece: delivery_given_up
  JOIN endpoint e ON e.id = d.endpoint_id AND e.removed_at IS NULL
                 AND ($1::text IS NULL OR e.name = $1 OR e.id::text = $1)

-- name: delivery_failed
SELECT {d.delivery}, e.name, e.kind, NULL::text
  FROM delivery d
-- use: delivery_given_up
 WHERE d.state = 'failed' AND d.created_at >= $2
 ORDER BY d.created_at DESC, d.id DESC LIMIT 1000

-- name: delivery_failed_again
-- A thousand at a time: whoever sends is not kept waiting.
UPDATE delivery SET state = 'pending', tries = 0, next_at = $3, ended_at = NULL
 WHERE id IN (
SELECT d.id FROM delivery d
-- use: delivery_given_up
 WHERE d.state = 'failed' AND d.created_at >= $2
 ORDER BY d.created_at LIMIT 1000)

-- name: delivery_there
SELECT 1 FROM delivery WHERE id = $1
