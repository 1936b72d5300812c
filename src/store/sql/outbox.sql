-- The sender's side of deliveries.

-- name: outbox_take
-- Looks at a few of each endpoint, $5 at most, so that one with many does not
-- hide the others. $2 has an endpoint once for each delivery that is on its way
-- there. The plan is made for the 64; $3 is not more.
-- Which to take is found without locks; what another process claims meanwhile
-- is left to it.
WITH due AS (
    SELECT id FROM (
        SELECT d.id, d.next_at
          FROM endpoint e
         CROSS JOIN LATERAL (
               SELECT id, next_at FROM delivery
                WHERE endpoint_id = e.id AND state = 'pending' AND next_at <= $1
                ORDER BY next_at
                LIMIT greatest(0, $5 - (SELECT count(*) FROM unnest($2::uuid[]) busy
                                         WHERE busy = e.id))) d
         WHERE e.paused_at IS NULL AND e.gone_at IS NULL AND e.removed_at IS NULL
         ORDER BY d.next_at
         LIMIT 64) oldest
     LIMIT $3
), mine AS (
    SELECT id FROM delivery
     WHERE id IN (SELECT id FROM due) AND state = 'pending' AND next_at <= $1
       FOR UPDATE SKIP LOCKED
)
UPDATE delivery d SET next_at = $4
  FROM mine, endpoint e
 WHERE d.id = mine.id AND e.id = d.endpoint_id
RETURNING d.id, d.endpoint_id, e.kind, e.address, d.recipient, d.body, e.secret,
          CASE WHEN e.previous_secret_until > $1 THEN e.previous_secret END,
          e.internal, d.tries

-- name: outbox_next
SELECT microseconds(min(d.next_at))
  FROM endpoint e
 CROSS JOIN LATERAL (
       SELECT next_at FROM delivery
        WHERE endpoint_id = e.id AND state = 'pending'
        ORDER BY next_at LIMIT 1) d
 WHERE e.paused_at IS NULL AND e.gone_at IS NULL AND e.removed_at IS NULL

-- name: outbox_finish
-- A result that comes after somebody else's counts only if it is the better
-- one: sent again meanwhile, or given up.
WITH done AS (
    UPDATE delivery
       SET state = CASE WHEN $4::boolean THEN 'delivered'
                        WHEN $5::timestamptz IS NULL THEN 'failed'
                        ELSE 'pending' END,
           tries = $2, next_at = $5,
           ended_at = CASE WHEN $5::timestamptz IS NULL THEN $6::timestamptz END,
           answer = $3
     WHERE id = $1 AND tries = $2::integer - 1 AND state <> 'delivered'
    RETURNING id
)
INSERT INTO delivery_try (delivery_id, n, at, ms, status, answer)
SELECT done.id, 1 + coalesce((SELECT max(n) FROM delivery_try
                               WHERE delivery_id = done.id), 0), $7, $8, $9, $3
  FROM done

-- name: outbox_gone
UPDATE endpoint SET gone_at = $2 WHERE id = $1 AND gone_at IS NULL

-- name: outbox_give_up
-- What waits for an endpoint that is gone or was removed, and what should have gone to a
-- paused one before $2: some at a time.
UPDATE delivery
   SET state = 'failed', next_at = NULL, ended_at = $1,
       answer = 'Given up: the endpoint is ' || old.why || '.'
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
