-- Receipts, as the process "seal" writes them and others read them.

-- name: receipt_take
SELECT xid, suspension_id FROM receipt_end FOR UPDATE

-- The questions of a list d (xid, suspension_id), with what a receipt says of them and whether
-- they have one. Limited in bytes as the feed of decisions is.

-- piece: receipt_questions bytes
SELECT {s.suspension}, s.ended_xid, q.event_hash, m.id, m.granted_sha256, m.max_uses,
       microseconds(m.not_after), c.calls::text,
       (SELECT true FROM receipt r WHERE r.suspension_id = s.id LIMIT 1),
       (SELECT late FROM log_fault f WHERE f.intent_id = s.intent_id LIMIT 1)
  FROM (SELECT s.*, d.xid AS ended_xid,
               sum(s.size) OVER (ORDER BY d.xid, s.id ROWS UNBOUNDED PRECEDING) AS bytes
          FROM d JOIN LATERAL (SELECT * FROM suspension_sized
                                WHERE id = d.suspension_id LIMIT 1) s ON true) s
  LEFT JOIN LATERAL (SELECT event_hash FROM event
                      WHERE intent_id = s.intent_id AND sequence = s.asked_sequence
                      LIMIT 1) q ON true
-- use: question_permit s
-- use: question_calls s
 WHERE bytes - size < {bytes}
 ORDER BY s.ended_xid, s.id

-- name: receipt_due
-- The decisions that follow, in the order of their transactions.
WITH d AS MATERIALIZED (
    SELECT xid, suspension_id FROM decision
     WHERE (xid, suspension_id) > ($1::xid8, $2)
       AND xid < (SELECT stream_horizon(pg_current_snapshot()))
     ORDER BY xid, suspension_id LIMIT $3)
-- use: receipt_questions $4

-- name: receipt_waiting
-- Those that wait, after $1.
WITH d AS MATERIALIZED (
    SELECT '0'::xid8 AS xid, suspension_id FROM receipt_wait
     WHERE suspension_id > $1 ORDER BY suspension_id LIMIT $2)
-- use: receipt_questions $3

-- The events of these types ($5) that may have ended the questions $2 of the intents $3, which
-- were asked by the events $4: the caller reads which. passed: the log $1 has it, or is past
-- its place.

-- piece: receipt_endings_of
       CROSS JOIN LATERAL (
           SELECT * FROM event
            WHERE intent_id = d.intent_id::uuid AND sequence > d.asked::bigint
              AND event_type = ANY ($5::text[])
              AND (position('"' || d.id || '"' IN canonical) > 0
                   OR (event_type = 'status_changed'
                       AND (position('"new_status":"completed"' IN canonical) > 0
                            OR position('"new_status":"abandoned"' IN canonical) > 0)))
-- piece: receipt_endings_logged
           ) e
  LEFT JOIN LATERAL (SELECT position FROM log_leaf
                      WHERE epoch = $1 AND intent_id = e.intent_id AND sequence = e.sequence
                      LIMIT 1) l ON true
 ORDER BY d.n, e.sequence

-- piece: receipt_endings_columns
SELECT d.n, e.sequence, e.id, e.event_type, e.canonical, e.event_hash,
       e.previous_event_hash, microseconds(e.created_at), l.position IS NOT NULL,
       EXISTS (SELECT FROM log_end
                WHERE epoch = $1
                  AND (xid, intent_id, sequence) >= (e.xid, e.intent_id, e.sequence))

-- name: receipt_endings
-- Of the transactions $6.
-- use: receipt_endings_columns
  FROM unnest($2::text[], $3::text[], $4::text[], $6::text[])
       WITH ORDINALITY AS d (id, intent_id, asked, xid, n)
-- use: receipt_endings_of
              AND xid = d.xid::xid8
-- use: receipt_endings_logged

-- name: receipt_endings_ever
-- use: receipt_endings_columns
  FROM unnest($2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS d (id, intent_id, asked, n)
-- use: receipt_endings_of
-- use: receipt_endings_logged

-- name: receipt_put
INSERT INTO receipt (suspension_id, event_sequence, salt, jws, kid, signed_at)
VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (suspension_id) DO NOTHING

-- name: receipt_end
UPDATE receipt_end SET xid = $1, suspension_id = $2

-- name: receipt_wait
INSERT INTO receipt_wait AS w (suspension_id, since, lost) VALUES ($1, $2, $3)
ON CONFLICT (suspension_id) DO UPDATE SET lost = excluded.lost WHERE w.lost <> excluded.lost

-- name: receipt_wait_end
DELETE FROM receipt_wait WHERE suspension_id = $1

-- name: receipt_get
SELECT event_sequence, salt, jws, kid, microseconds(signed_at) FROM receipt
 WHERE suspension_id = $1

-- name: receipt_held
-- Why one waits: the first broken event of its intent, and whether its own is lost. No row, or
-- neither: it waits for a moment alone.
SELECT f.sequence, w.lost
  FROM receipt_wait w
  JOIN suspension s ON s.id = w.suspension_id
  LEFT JOIN log_fault f ON f.intent_id = s.intent_id AND NOT f.late
 WHERE w.suspension_id = $1
