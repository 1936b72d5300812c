-- The sender's side of deliveries.

-- piece: outbox_host
coalesce(e.key_id::text, e.agent, e.id::text) || ' ' || substring(e.address FROM '://([^/?#]*)')

-- name: outbox_take
-- Reads a few of each endpoint, $5 at most, so that one with many does not hide the
-- others. $2 has an endpoint once for each delivery that is being sent there. People's
-- channels come first. Then each owner of endpoints gets one in turn, and their endpoints
-- in turn too, up to $6 at once, and all of them $7 more; but none at the places $8, which
-- do not answer: an owner's endpoints at one host, and of a prefix the callbacks of one agent.
-- The plan is made for the 64; $3 is not more. With a callback goes the address that it has to
-- be below: none, where its endpoint takes none from its agent any more. The candidates are found without locks; those
-- that another process claims meanwhile are skipped.
WITH busy AS (
    SELECT b.id, count(*) AS n, min(coalesce(e.key_id::text, e.agent, b.id::text)) AS owner
      FROM unnest($2::uuid[]) AS b (id) LEFT JOIN endpoint e ON e.id = b.id
     GROUP BY b.id
), few AS (
    SELECT d.id, d.next_at, e.kind = 'agent' AS agents,
           coalesce(e.key_id::text, e.agent, e.id::text) AS owner,
           coalesce(busy.n, 0) + row_number() OVER (PARTITION BY e.id
                                                    ORDER BY d.next_at) AS turn
      FROM endpoint e
      LEFT JOIN busy ON busy.id = e.id
     CROSS JOIN LATERAL (
           SELECT id, next_at FROM delivery
            WHERE endpoint_id = e.id AND state = 'pending' AND next_at <= $1
              AND (NOT e.prefix OR md5(
-- use: outbox_host
                   || coalesce(' ' || asked_by, '')) <> ALL ($8::text[]))
            ORDER BY next_at LIMIT greatest(0, $5 - coalesce(busy.n, 0))) d
     WHERE e.paused_at IS NULL AND e.gone_at IS NULL AND e.removed_at IS NULL
       AND (e.kind <> 'agent' OR e.prefix OR md5(
-- use: outbox_host
           ) <> ALL ($8::text[]))
), shares AS (
    SELECT id, next_at, agents,
           row_number() OVER (PARTITION BY owner ORDER BY turn, next_at, id)
           + (SELECT coalesce(sum(n), 0) FROM busy WHERE busy.owner = few.owner) AS turn
      FROM few
), due AS (
    SELECT id FROM (
        SELECT id, agents, turn, next_at
          FROM (SELECT *, row_number() OVER (PARTITION BY agents
                                             ORDER BY turn, next_at, id) AS n
                  FROM shares WHERE NOT agents OR turn <= $6::bigint) fair
         WHERE NOT agents OR n <= $7::bigint
         ORDER BY agents, turn, next_at, id
         LIMIT 64) first
     LIMIT $3
), mine AS (
    SELECT id FROM delivery
     WHERE id IN (SELECT id FROM due) AND state = 'pending' AND next_at <= $1
       FOR UPDATE SKIP LOCKED
)
UPDATE delivery d SET next_at = $4
  FROM mine, endpoint e
 WHERE d.id = mine.id AND e.id = d.endpoint_id
RETURNING {d.outbox_item}, e.kind, coalesce(d.address, e.address), d.address IS NOT NULL, e.secret,
          CASE WHEN e.previous_secret_until > $1 THEN e.previous_secret END, e.internal,
          CASE WHEN e.kind = 'push'
                 OR e.prefix AND coalesce(e.agent, '') IN ('', d.asked_by) THEN e.address END,
          md5(
-- use: outbox_host
          || coalesce(' ' || d.asked_by, ''))

-- name: outbox_next
-- $1: places that do not answer, as above.
SELECT microseconds(min(d.next_at)), clock_timestamp()
  FROM endpoint e
 CROSS JOIN LATERAL (
       SELECT next_at FROM delivery
        WHERE endpoint_id = e.id AND state = 'pending'
          AND (NOT e.prefix OR md5(
-- use: outbox_host
               || coalesce(' ' || asked_by, '')) <> ALL ($1::text[]))
        ORDER BY next_at LIMIT 1) d
 WHERE e.paused_at IS NULL AND e.gone_at IS NULL AND e.removed_at IS NULL
   AND (e.kind <> 'agent' OR e.prefix OR md5(
-- use: outbox_host
       ) <> ALL ($1::text[]))

-- name: outbox_finish
-- Stored only if no other try was stored meanwhile and the delivery was not requeued: its
-- count of tries is the one before. For one that was given up only a late success counts.
WITH done AS (
    UPDATE delivery
       SET state = CASE WHEN $4::boolean THEN 'delivered'
                        WHEN $5::timestamptz IS NULL THEN 'failed'
                        ELSE 'pending' END,
           tries = $2, next_at = $5,
           ended_at = CASE WHEN $5::timestamptz IS NULL THEN $6::timestamptz END,
           answer = $3
     WHERE id = $1 AND tries = $2::integer - 1
       AND (state = 'pending' OR (state = 'failed' AND $4))
    RETURNING id
)
INSERT INTO delivery_try (delivery_id, n, at, ms, status, answer)
SELECT done.id, 1 + coalesce((SELECT max(n) FROM delivery_try
                               WHERE delivery_id = done.id), 0), $7, $8, $9, $3
  FROM done

-- name: outbox_gone
UPDATE endpoint SET gone_at = $2 WHERE id = $1 AND gone_at IS NULL

-- name: outbox_unsubscribe
-- The push service knows the browser of the delivery $1 no more.
DELETE FROM person_push WHERE address = (SELECT address FROM delivery WHERE id = $1)

-- name: outbox_give_up
-- Deliveries to an endpoint that is gone or removed, and those that were due at a paused
-- one before $2: some at a time.
UPDATE delivery
   SET state = 'failed', next_at = NULL, ended_at = $1,
       answer = 'Failed: the endpoint is ' || old.why || '.'
  FROM (SELECT d.id, e.why
          FROM (SELECT id, CASE WHEN gone_at IS NOT NULL OR removed_at IS NOT NULL
                                THEN 'gone' ELSE 'paused for seven days' END AS why,
                       CASE WHEN gone_at IS NOT NULL OR removed_at IS NOT NULL
                            THEN 'infinity' ELSE $2::timestamptz END AS due
                  FROM endpoint
                 WHERE gone_at IS NOT NULL OR removed_at IS NOT NULL
                    OR paused_at IS NOT NULL) e
         CROSS JOIN LATERAL (
               SELECT id FROM delivery
                WHERE endpoint_id = e.id AND state = 'pending' AND next_at <= e.due
                ORDER BY next_at LIMIT 200) d
         LIMIT 200) old
 WHERE delivery.id = old.id
