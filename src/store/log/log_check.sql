-- The log and the events, as `sayso verify` reads them: as the owner.

-- name: log_check_ends
-- Each log, with what there is of it: the leaves from position $1 on.
SELECT epoch, size, xid, intent_id, sequence,
       (SELECT count(*) FROM log_leaf l WHERE l.epoch = e.epoch AND l.position >= $1),
       (SELECT count(*) FROM log_tile t WHERE t.epoch = e.epoch),
       (SELECT coalesce(max(size), 0) FROM log_head h WHERE h.epoch = e.epoch)
  FROM log_end e ORDER BY epoch

-- name: log_check_epoch
-- The log that had this origin.
SELECT epoch FROM log_head WHERE starts_with(note, $1 || E'\n') ORDER BY epoch DESC LIMIT 1

-- name: log_check_leaves
-- With the hash of the event, in the order of their positions.
SELECT l.position, l.intent_id, l.sequence, encode(l.hash, 'hex'), e.event_hash
  FROM (SELECT * FROM log_leaf WHERE epoch = $1 AND position >= $2 AND position < $3
         ORDER BY position) l
  LEFT JOIN LATERAL (SELECT event_hash FROM event
                      WHERE intent_id = l.intent_id AND sequence = l.sequence LIMIT 1) e ON true
 ORDER BY l.position

-- name: log_check_leaves_of
-- The same of one intent, by their sequence.
SELECT l.position, l.intent_id, l.sequence, encode(l.hash, 'hex'), e.event_hash
  FROM (SELECT * FROM log_leaf WHERE epoch = $1 AND intent_id = $2 AND sequence BETWEEN $3 AND $4
         ORDER BY sequence) l
  LEFT JOIN LATERAL (SELECT event_hash FROM event
                      WHERE intent_id = l.intent_id AND sequence = l.sequence LIMIT 1) e ON true
 ORDER BY l.sequence

-- name: log_check_heads
SELECT size, encode(root, 'hex'), note, microseconds(signed_at) FROM log_head
 WHERE epoch = $1 AND size > $2 AND size <= $3 ORDER BY size LIMIT 100

-- piece: log_check_before
       coalesce((SELECT p.last_sequence FROM log_checkpoint p
                  WHERE p.epoch = c.epoch
                    AND coalesce(p.intent_id, '00000000-0000-0000-0000-000000000000')
                        = coalesce(c.intent_id, '00000000-0000-0000-0000-000000000000')
                    AND p.first_sequence < c.first_sequence
                  ORDER BY p.first_sequence DESC LIMIT 1), 0)

-- name: log_check_checkpoints
-- Each with the last sequence of the one before it.
SELECT {c.log_checkpoint},
-- use: log_check_before
  FROM log_checkpoint c
 WHERE (created_at, id) > ($1::timestamptz, $2) ORDER BY created_at, id LIMIT 100

-- name: log_check_point
-- The newest checkpoint of the server in a log that a head covers: with an id, over so many events
-- at most, or of such a time at the latest. With the transaction of its last event.
SELECT {c.log_checkpoint},
-- use: log_check_before
       , coalesce((SELECT e.xid FROM log_leaf l
                     JOIN event e ON e.intent_id = l.intent_id AND e.sequence = l.sequence
                    WHERE l.epoch = $1 AND l.position = c.last_sequence - 1), '0')
  FROM log_checkpoint c
 WHERE epoch = $1 AND coalesce(intent_id, '00000000-0000-0000-0000-000000000000')
                    = '00000000-0000-0000-0000-000000000000'
   AND ($2::text IS NULL OR id = $2) AND ($3::bigint IS NULL OR last_sequence <= $3)
   AND ($4::timestamptz IS NULL OR created_at <= $4)
   AND last_sequence <= (SELECT max(size) FROM log_head WHERE epoch = $1)
 ORDER BY first_sequence DESC LIMIT 1

-- The ends of the chains that have events after position $2 of a log, each once.

-- name: log_check_grown
-- By the last event of each that the log has, from that position on.
SELECT i.id, i.event_sequence, i.event_hash, l.position
  FROM log_leaf l JOIN intent i ON i.id = l.intent_id
 WHERE l.epoch = $1 AND l.position >= $2
   AND NOT EXISTS (SELECT FROM log_leaf n WHERE n.epoch = l.epoch AND n.intent_id = l.intent_id
                                            AND n.sequence > l.sequence)
 ORDER BY l.position LIMIT 500

-- name: log_check_grown_unlogged
-- Those of which the log has none of them yet, after a place in the order over all events.
SELECT i.id, i.event_sequence, i.event_hash, e.xid, e.sequence
  FROM event e JOIN intent i ON i.id = e.intent_id
 WHERE (e.xid, e.intent_id, e.sequence) > ($3::xid8, $4::uuid, $5::bigint)
   AND NOT EXISTS (SELECT FROM event n
                    WHERE n.intent_id = e.intent_id AND n.sequence > e.sequence)
   AND NOT EXISTS (SELECT FROM log_leaf l WHERE l.epoch = $1 AND l.intent_id = e.intent_id
                                            AND (l.sequence = e.sequence OR l.position >= $2))
 ORDER BY e.xid, e.intent_id, e.sequence LIMIT 500

-- name: log_check_unlogged
-- Events up to the end of a log, from a transaction on, that it does not have, but for those of
-- broken chains.
SELECT e.intent_id, e.sequence
  FROM event e LEFT JOIN log_leaf l
    ON l.epoch = $1 AND l.intent_id = e.intent_id AND l.sequence = e.sequence
 WHERE (e.xid, e.intent_id, e.sequence) <= ($2::xid8, $3::uuid, $4::bigint)
   AND e.xid >= $5::xid8
   AND l.position IS NULL
   AND NOT EXISTS (SELECT FROM log_fault f WHERE f.intent_id = e.intent_id)
 ORDER BY e.xid, e.intent_id, e.sequence LIMIT 20

-- name: log_check_written
-- The events at these positions; first those whose row was written by another transaction than
-- the one that added the event, which a restore does to all.
SELECT l.position, l.intent_id, l.sequence,
       e.xmin::text::bigint <> e.xid::text::bigint & 4294967295 AS again
  FROM log_leaf l
  JOIN LATERAL (SELECT xmin, xid FROM event
                 WHERE intent_id = l.intent_id AND sequence = l.sequence LIMIT 1) e ON true
 WHERE l.epoch = $1 AND l.position >= $2 AND l.position < $3
 ORDER BY again DESC, l.position LIMIT 21

-- name: log_check_intents
-- The rows of these intents, limited in bytes.
SELECT p.*
  FROM (SELECT q.*, n, sum(size) OVER (ORDER BY n ROWS UNBOUNDED PRECEDING) AS bytes
          FROM unnest($1::uuid[]) WITH ORDINALITY AS d (of, n)
         CROSS JOIN LATERAL (
               SELECT r.*,
-- use: intent_size
                 FROM intent r WHERE r.id = d.of LIMIT 1) q) p
 WHERE bytes - size < $2
 ORDER BY n

-- The permit that the answer to a question granted. One that was granted as it was asked, and
-- taken back before its first use, has no own record of that.

-- piece: question_permit row
  LEFT JOIN LATERAL (
      SELECT id, max_uses, coalesce(granted_sha256, asked_sha256) AS granted_sha256,
             coalesce(not_after, {row}.responded_at + use_seconds * interval '1 s') AS not_after
        FROM permit_row
       WHERE suspension_id = {row}.id
         AND (granted IS NOT NULL
              OR ({row}.outcome = 'authorized' AND ended_at >= {row}.responded_at))
       LIMIT 1) m ON true

-- The calls of tools that a question is about.

-- piece: question_calls row
  LEFT JOIN LATERAL (
      SELECT json_agg(json_build_object('id', call_id, 'tool', tool, 'arguments_sha256',
                                        arguments_sha256) ORDER BY ordinal) AS calls
        FROM suspension_call WHERE suspension_id = {row}.id AND {row}.origin = 'tool_call')
      c ON true

-- name: log_check_questions
-- The questions of each of the intents $1 with the event that asked each, the one that ended it if
-- its bytes were erased, what its answer granted, and its receipt. The bytes of all are limited.
SELECT {p.suspension},
       q.sequence, q.event_type, q.canonical, q.event_hash,
       e.sequence, e.event_type, e.canonical, e.event_hash, e.id, e.previous_event_hash,
       m.id, m.granted_sha256, m.max_uses, microseconds(m.not_after),
       r.event_sequence, r.salt, r.jws, r.kid, microseconds(r.signed_at),
       NOT p.test AND (d.xid, p.id) <= (n.xid, n.suspension_id)
       AND NOT EXISTS (SELECT FROM receipt_wait w WHERE w.suspension_id = p.id),
       c.calls::text, p.found, p.n
  FROM (SELECT s.*, u.n, count(*) OVER () AS found,
               sum(size) OVER (ORDER BY u.n, seq ROWS UNBOUNDED PRECEDING) AS bytes
          FROM unnest($1::uuid[]) WITH ORDINALITY AS u (of, n)
         CROSS JOIN LATERAL (
               SELECT * FROM suspension_sized WHERE intent_id = u.of AND seq > $2
                ORDER BY seq LIMIT $3) s) p
  CROSS JOIN receipt_end n
  LEFT JOIN LATERAL (SELECT xid FROM decision WHERE suspension_id = p.id LIMIT 1) d ON true
  LEFT JOIN LATERAL (SELECT * FROM receipt WHERE suspension_id = p.id LIMIT 1) r ON true
  LEFT JOIN LATERAL (SELECT * FROM event
                      WHERE intent_id = p.intent_id AND sequence = p.asked_sequence
                      LIMIT 1) q ON true
  LEFT JOIN LATERAL (
      SELECT * FROM event
       WHERE intent_id = p.intent_id AND sequence > p.asked_sequence AND canonical = ''
         AND (sequence = r.event_sequence OR xid = d.xid)
       ORDER BY sequence = r.event_sequence DESC NULLS LAST, sequence LIMIT 1) e ON true
-- use: question_permit p
-- use: question_calls p
 WHERE bytes - size < $4
 ORDER BY p.n, p.seq
