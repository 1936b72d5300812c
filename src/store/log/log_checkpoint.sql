-- Checkpoints of the log.

-- name: log_checkpoint_insert
INSERT INTO log_checkpoint ({log_checkpoint.insert}) VALUES ({log_checkpoint.places})

-- name: log_checkpoint_get
SELECT {log_checkpoint} FROM log_checkpoint WHERE id = $1

-- name: log_checkpoint_list
-- Newest first, after one that is known.
SELECT {c.log_checkpoint} FROM log_checkpoint c
 WHERE ($1::uuid IS NULL OR intent_id = $1) AND ($2::text IS NULL OR scope = $2)
   AND ($3::text IS NULL OR (created_at, id) < (SELECT created_at, id FROM log_checkpoint
                                                 WHERE id = $3))
 ORDER BY created_at DESC, id DESC LIMIT $4

-- name: log_checkpoint_open
-- The events of intents that no checkpoint covers: the first, the last that the log has, and
-- whether that is the last of an intent that has ended.
SELECT i.id, coalesce(c.last, 0) + 1, l.last,
       i.status IN ('completed', 'abandoned') AND l.last = i.event_sequence
  FROM intent i
  LEFT JOIN LATERAL (SELECT last_sequence AS last FROM log_checkpoint
                      WHERE epoch = $1 AND coalesce(intent_id, '00000000-0000-0000-0000-000000000000') = i.id
                      ORDER BY first_sequence DESC LIMIT 1) c ON true
  JOIN LATERAL (SELECT sequence AS last FROM log_leaf
                 WHERE epoch = $1 AND intent_id = i.id
                 ORDER BY sequence DESC LIMIT 1) l ON true
 WHERE i.id = ANY ($2::text[]::uuid[]) AND l.last > coalesce(c.last, 0)

-- name: log_checkpoint_covering
-- The checkpoint with this event, by its sequence or position + 1.
SELECT {c.log_checkpoint} FROM (
    SELECT * FROM log_checkpoint
     WHERE epoch = $1 AND first_sequence <= $3
       AND coalesce(intent_id, '00000000-0000-0000-0000-000000000000')
           = coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
     ORDER BY first_sequence DESC LIMIT 1) c
 WHERE c.last_sequence >= $3

-- name: log_checkpoint_server
-- The last position + 1 that a checkpoint of the server covers, and its time.
SELECT last_sequence, microseconds(created_at) FROM log_checkpoint
 WHERE epoch = $1 AND coalesce(intent_id, '00000000-0000-0000-0000-000000000000')
                    = '00000000-0000-0000-0000-000000000000'
 ORDER BY first_sequence DESC LIMIT 1

-- name: log_checkpoint_event
-- An event of a checkpoint, by its id: its sequence or position + 1, its hash, its intent.
SELECT sequence, event_hash, intent_id FROM event
 WHERE intent_id = $2 AND sequence BETWEEN $3 AND $4 AND id = $5 AND $1::integer IS NOT NULL

-- name: log_checkpoint_event_server
-- Among the events of the transactions from its first to its last: no index has their ids.
WITH edge AS (
    SELECT e.xid FROM log_leaf l JOIN event e ON e.intent_id = l.intent_id AND e.sequence = l.sequence
     WHERE l.epoch = $1 AND l.position IN ($3::bigint - 1, $4::bigint - 1))
SELECT l.position + 1, e.event_hash, e.intent_id
  FROM (SELECT id, intent_id, sequence, event_hash FROM event
         WHERE xid BETWEEN (SELECT min(xid) FROM edge) AND (SELECT max(xid) FROM edge)
         ORDER BY xid, intent_id, sequence LIMIT 131072) e
  JOIN log_leaf l ON l.epoch = $1 AND l.intent_id = e.intent_id AND l.sequence = e.sequence
 WHERE e.id = $5 AND $2::uuid IS NULL AND l.position BETWEEN $3 - 1 AND $4 - 1

-- name: log_checkpoint_event_late
-- The same for one that came into the log later than its transaction, because its chain was
-- broken: among all that the checkpoint covers.
SELECT l.position + 1, e.event_hash, e.intent_id
  FROM log_leaf l
  JOIN LATERAL (SELECT * FROM event
                 WHERE intent_id = l.intent_id AND sequence = l.sequence AND id = $5
                LIMIT 1) e ON true
 WHERE l.epoch = $1 AND $2::uuid IS NULL AND l.position BETWEEN $3 - 1 AND $4 - 1

-- name: log_checkpoint_between
-- The number of checkpoints of the same log from one sequence to another, at most $5; whether they
-- follow each other without a gap; and whether the first event of each but the first carries the
-- hash that the log has of the event before it in its intent.
WITH batch AS (
    SELECT first_sequence, last_sequence, lag(last_sequence) OVER (ORDER BY first_sequence) AS before
      FROM (SELECT first_sequence, last_sequence FROM log_checkpoint
             WHERE epoch = $1 AND coalesce(intent_id, '00000000-0000-0000-0000-000000000000')
                                = coalesce($2::uuid, '00000000-0000-0000-0000-000000000000')
               AND first_sequence BETWEEN $3 AND $4
             ORDER BY first_sequence DESC LIMIT $5) q)
SELECT count(*),
       coalesce(bool_and(b.first_sequence = coalesce(b.before + 1, $3))
                AND max(b.last_sequence) = $4, false),
       coalesce(bool_and(b.before IS NULL
                         OR coalesce(e.event_hash = log_hash(l.hash)
                                     AND CASE WHEN l.sequence = 1 THEN e.previous_event_hash IS NULL
                                              ELSE e.previous_event_hash = log_hash(p.hash) END,
                                     false)), false)
  FROM batch b
  LEFT JOIN LATERAL (
      SELECT intent_id, sequence, hash FROM log_leaf
       WHERE epoch = $1 AND intent_id = $2 AND sequence = b.first_sequence UNION ALL
      SELECT intent_id, sequence, hash FROM log_leaf
       WHERE epoch = $1 AND $2::uuid IS NULL AND position = b.first_sequence - 1) l
      ON b.before IS NOT NULL
  LEFT JOIN LATERAL (SELECT event_hash, previous_event_hash FROM event
                      WHERE intent_id = l.intent_id AND sequence = l.sequence LIMIT 1) e ON true
  LEFT JOIN LATERAL (SELECT hash FROM log_leaf
                      WHERE epoch = $1 AND intent_id = l.intent_id AND sequence = l.sequence - 1
                      LIMIT 1) p ON true

-- name: log_checkpoint_boundary
-- The first event after a checkpoint.
SELECT e.sequence, e.event_hash, e.previous_event_hash, l.position + 1
  FROM log_leaf l JOIN event e ON e.intent_id = l.intent_id AND e.sequence = l.sequence
 WHERE l.epoch = $1 AND l.position = $3::bigint AND $2::uuid IS NULL UNION ALL
SELECT e.sequence, e.event_hash, e.previous_event_hash, l.position + 1
  FROM log_leaf l JOIN event e ON e.intent_id = l.intent_id AND e.sequence = l.sequence
 WHERE l.epoch = $1 AND l.intent_id = $2 AND l.sequence = $3::bigint + 1

-- name: log_request_insert
INSERT INTO log_request (id, intent_id, by, at) VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO NOTHING

-- name: log_request_get
SELECT ended_at IS NOT NULL, checkpoint_id FROM log_request WHERE id = $1

-- name: log_request_withdraw
DELETE FROM log_request WHERE id = $1 AND ended_at IS NULL

-- name: log_checkpoint_export
-- Those over events of the first $2 positions, oldest first, after one that is known.
SELECT {c.log_checkpoint} FROM log_checkpoint c
 WHERE epoch = $1 AND (created_at, id) > ($3::timestamptz, $4)
   AND CASE WHEN intent_id IS NULL THEN last_sequence <= $2::bigint
            ELSE (SELECT position FROM log_leaf l
                   WHERE l.epoch = $1 AND l.intent_id = c.intent_id
                     AND l.sequence = c.last_sequence) < $2 END
 ORDER BY created_at, id LIMIT 500

-- name: log_checkpoint_export_of
-- The same of one intent ($5).
SELECT {c.log_checkpoint} FROM log_checkpoint c
 WHERE epoch = $1 AND (created_at, id) > ($3::timestamptz, $4) AND intent_id = $5
   AND (SELECT position FROM log_leaf l
         WHERE l.epoch = $1 AND l.intent_id = $5 AND l.sequence = c.last_sequence) < $2::bigint
 ORDER BY created_at, id LIMIT 500
