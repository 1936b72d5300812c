-- The log over all events, as the process "seal" writes it. Digests are hexadecimal texts in
-- parameters and results.

-- name: tlog_begin
INSERT INTO log_end (epoch, size, xid, intent_id, sequence)
VALUES ($1, 0, '0', '00000000-0000-0000-0000-000000000000', 0)
ON CONFLICT (epoch) DO NOTHING

-- name: tlog_take
-- The end of the log, locked. No row: another process works on it, or it has not begun.
SELECT size, xid, intent_id, sequence FROM log_end WHERE epoch = $1 FOR UPDATE SKIP LOCKED

-- name: tlog_size
SELECT size FROM log_end WHERE epoch = $1

-- name: tlog_newest
-- The size of the newest head, and the latest time that anything was signed at.
SELECT (SELECT size FROM log_head WHERE epoch = $1 ORDER BY size DESC LIMIT 1),
       microseconds(greatest(
           (SELECT signed_at FROM log_head ORDER BY signed_at DESC LIMIT 1),
           (SELECT created_at FROM log_checkpoint ORDER BY created_at DESC LIMIT 1)))

-- name: tlog_waiting
-- Work that is left: the time of the first event that follows; whether it, the first decision
-- that follows, and the first checkpoint that somebody asked for are below the oldest transaction
-- that may still write here, NULL where there is none; and how many chains are broken, as far as
-- they are counted.
SELECT microseconds(e.created_at),
       CASE WHEN e.xid IS NOT NULL THEN e.xid < stream_horizon(pg_current_snapshot()) END,
       CASE WHEN d.xid IS NOT NULL THEN d.xid < stream_horizon(pg_current_snapshot()) END,
       CASE WHEN q.xid IS NOT NULL THEN q.xid < stream_horizon(pg_current_snapshot()) END,
       (SELECT count(*) FROM (SELECT FROM log_fault WHERE NOT late LIMIT 1000) f)
  FROM (SELECT) one
  LEFT JOIN receipt_end r ON true
  LEFT JOIN log_end o ON o.epoch = $1
  LEFT JOIN LATERAL (
      SELECT xid, created_at FROM event
       WHERE (xid, intent_id, sequence)
             > (coalesce(o.xid, '0'),
                coalesce(o.intent_id, '00000000-0000-0000-0000-000000000000'),
                coalesce(o.sequence, 0))
       ORDER BY xid, intent_id, sequence LIMIT 1) e ON true
  LEFT JOIN LATERAL (
      SELECT xid FROM decision
       WHERE xid IS NOT NULL AND (xid, suspension_id) > (r.xid, r.suspension_id)
       ORDER BY xid, suspension_id LIMIT 1) d ON true
  LEFT JOIN LATERAL (
      SELECT xid FROM log_request WHERE ended_at IS NULL ORDER BY at LIMIT 1) q ON true

-- piece: tlog_before
  LEFT JOIN LATERAL (SELECT hash FROM log_leaf l
                      WHERE l.epoch = $1 AND l.intent_id = p.intent_id
                        AND l.sequence = p.sequence - 1 LIMIT 1) b ON true

-- name: tlog_events
-- The next page of events in the order over all, only below the oldest transaction that may
-- still write here; with the digest of the event before, where the log has it, and whether the
-- log has the event itself. Limited in bytes as tail_read is; bytes that are more than an event
-- may have are left out. A transaction may have its number before it waits for the intent, so
-- the page is read by intent and sequence; one row is the last in the order over all.
SELECT p.xid, p.intent_id, p.sequence, id, event_type, microseconds(created_at),
       CASE WHEN size <= $6 THEN canonical END, event_hash, previous_event_hash,
       encode(b.hash, 'hex'), l.position IS NOT NULL,
       (SELECT true FROM log_fault f WHERE f.intent_id = p.intent_id LIMIT 1),
       (SELECT true FROM event e
         WHERE e.intent_id = p.intent_id AND e.sequence = p.sequence - 1 LIMIT 1),
       row_number() OVER (ORDER BY p.xid, p.intent_id, p.sequence) = count(*) OVER (), rule
  FROM (SELECT q.*, sum(size) OVER (ORDER BY xid, intent_id, sequence
                                    ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT *, least(octet_length(canonical), $6::bigint + 1) AS size FROM event
                 WHERE (xid, intent_id, sequence) > ($2::xid8, $3::uuid, $4::bigint)
                   AND xid < (SELECT stream_horizon(pg_current_snapshot()))
                 ORDER BY xid, intent_id, sequence LIMIT $5) q) p
-- use: tlog_before
  LEFT JOIN LATERAL (SELECT position FROM log_leaf l
                      WHERE l.epoch = $1 AND l.intent_id = p.intent_id
                        AND l.sequence = p.sequence LIMIT 1) l ON true
-- use: event_rule p
 WHERE bytes - size < $6
 ORDER BY p.intent_id, p.sequence

-- name: tlog_events_of
-- The same of one intent, after those that the log has.
SELECT p.xid, p.intent_id, p.sequence, id, event_type, microseconds(created_at),
       CASE WHEN size <= $4 THEN canonical END, event_hash, previous_event_hash,
       encode(b.hash, 'hex'), false, false, false, false, rule
  FROM (SELECT q.*, sum(size) OVER (ORDER BY sequence ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT *, least(octet_length(canonical), $4::bigint + 1) AS size FROM event
                 WHERE intent_id = $2
                   AND sequence > coalesce((SELECT max(sequence) FROM log_leaf
                                             WHERE epoch = $1 AND intent_id = $2), 0)
                   AND xid < (SELECT stream_horizon(pg_current_snapshot()))
                 ORDER BY sequence LIMIT $3) q) p
-- use: tlog_before
-- use: event_rule p
 WHERE bytes - size < $4
 ORDER BY p.sequence

-- name: tlog_append
INSERT INTO log_leaf (epoch, position, intent_id, sequence, hash)
SELECT $1, $2 + n - 1, i::uuid, s::bigint, decode(h, 'hex')
  FROM unnest($3::text[], $4::text[], $5::text[]) WITH ORDINALITY AS u (i, s, h, n)

-- name: tlog_end
UPDATE log_end SET size = $2, xid = $3, intent_id = $4, sequence = $5 WHERE epoch = $1

-- name: tlog_tile_put
INSERT INTO log_tile (epoch, level, number, hashes) VALUES ($1, $2, $3, decode($4, 'hex'))
ON CONFLICT (epoch, level, number) DO UPDATE SET hashes = excluded.hashes

-- name: tlog_tile
SELECT encode(hashes, 'hex') FROM log_tile WHERE epoch = $1 AND level = $2 AND number = $3

-- name: tlog_edge
-- The tiles at the end of a log of this size.
SELECT t.level, encode(t.hashes, 'hex')
  FROM generate_series(0, 6) l
  JOIN log_tile t ON t.epoch = $1 AND t.level = l AND t.number = $2::bigint >> (8 * (l + 1))

-- name: tlog_leaves
-- The digests of events by their position.
SELECT encode(hash, 'hex') FROM log_leaf
 WHERE epoch = $1 AND position >= $2 AND position < $3 ORDER BY position

-- name: tlog_of_intent
-- The digests of an intent's events.
SELECT encode(hash, 'hex') FROM log_leaf
 WHERE epoch = $1 AND intent_id = $2 AND sequence BETWEEN $3 AND $4 ORDER BY sequence

-- name: tlog_position
SELECT position FROM log_leaf WHERE epoch = $1 AND intent_id = $2 AND sequence = $3

-- name: tlog_head
-- The newest.
SELECT size, encode(root, 'hex'), note, microseconds(signed_at) FROM log_head
 WHERE epoch = $1 ORDER BY size DESC LIMIT 1

-- name: tlog_head_of
SELECT size, encode(root, 'hex'), note, microseconds(signed_at) FROM log_head
 WHERE epoch = $1 AND size = $2

-- name: tlog_head_cosigned
-- The newest that a witness has signed.
SELECT size, encode(root, 'hex'), note, microseconds(signed_at) FROM log_head
 WHERE epoch = $1 AND size = (SELECT max(size) FROM log_cosignature WHERE epoch = $1)

-- name: tlog_cosignatures
-- The lines that follow the signatures of a head.
SELECT coalesce(string_agg(line || chr(10), '' ORDER BY at, key), '') FROM log_cosignature
 WHERE epoch = $1 AND size = $2

-- name: tlog_cosignature_put
INSERT INTO log_cosignature (epoch, size, key, line, by, at) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (epoch, size, key) DO NOTHING

-- name: tlog_head_put
INSERT INTO log_head (epoch, size, root, note, signed_at)
VALUES ($1, $2, decode($3, 'hex'), $4, $5)

-- name: tlog_fault_put
INSERT INTO log_fault (intent_id, sequence, late, reason, found_at)
SELECT i::uuid, s::bigint, l::boolean, r, $5
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) u (i, s, l, r)
ON CONFLICT (intent_id) DO UPDATE SET late = false WHERE log_fault.late AND NOT excluded.late

-- name: tlog_fault_end
DELETE FROM log_fault WHERE intent_id = $1

-- name: tlog_faults
-- Those after an intent: all, those that are late, or the others.
SELECT intent_id, sequence, late, reason, microseconds(found_at) FROM log_fault
 WHERE intent_id > $1 AND CASE $2 WHEN 'late' THEN late WHEN 'broken' THEN NOT late ELSE true END
 ORDER BY intent_id LIMIT $3

-- name: tlog_requests
-- Those of transactions before which nothing is missing any more. Locked, so that whoever made one
-- cannot take it back meanwhile.
SELECT id, intent_id FROM log_request
 WHERE ended_at IS NULL AND xid < (SELECT stream_horizon(pg_current_snapshot()))
 ORDER BY at LIMIT 20 FOR UPDATE SKIP LOCKED

-- name: tlog_request_end
UPDATE log_request SET ended_at = $2, checkpoint_id = $3 WHERE id = $1

-- name: tlog_export
-- Events by their position. The page ends with the event that reaches 8 MB.
SELECT p.position, p.intent_id, p.sequence, event_hash, canonical, rule, erased_at
  FROM (SELECT l.position, e.*, octet_length(canonical) AS size,
               sum(octet_length(canonical))
                   OVER (ORDER BY l.position ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT * FROM log_leaf WHERE epoch = $1 AND position >= $2 AND position < $3
                 ORDER BY position LIMIT 500) l
          JOIN LATERAL (SELECT * FROM event
                         WHERE intent_id = l.intent_id AND sequence = l.sequence
                        LIMIT 1) e ON true) p
-- use: event_rule p
 WHERE bytes - size < 8388608
 ORDER BY p.position

-- name: tlog_export_of
-- The same of one intent ($4), from a sequence on.
SELECT p.position, p.intent_id, p.sequence, event_hash, canonical, rule, erased_at
  FROM (SELECT l.position, e.*, octet_length(canonical) AS size,
               sum(octet_length(canonical))
                   OVER (ORDER BY l.sequence ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT * FROM log_leaf WHERE epoch = $1 AND intent_id = $4 AND sequence >= $2
                 ORDER BY sequence LIMIT 500) l
          JOIN LATERAL (SELECT * FROM event
                         WHERE intent_id = l.intent_id AND sequence = l.sequence
                        LIMIT 1) e ON true
         WHERE l.position < $3) p
-- use: event_rule p
 WHERE bytes - size < 8388608
 ORDER BY p.sequence
