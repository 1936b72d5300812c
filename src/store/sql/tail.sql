-- name: tail_now
SELECT pg_snapshot_xmin(pg_current_snapshot())

-- name: tail_read
-- In the order over all events, only below the oldest transaction that still
-- runs. A page is limited in bytes too, because one event may have a megabyte; they
-- are counted without reading a long text.
SELECT xid, intent_id, sequence, event_type, canonical, event_hash, record, agents, version,
       watched
  FROM (SELECT q.*, octet_length(canonical) + coalesce(octet_length(record), 0) AS size,
               sum(octet_length(canonical) + coalesce(octet_length(record), 0))
                   OVER (ORDER BY xid, intent_id, sequence ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT * FROM event_row
                 WHERE (xid, intent_id, sequence) > ($1::xid8, $2::uuid, $3::bigint)
                   AND xid < pg_snapshot_xmin(pg_current_snapshot())
                 ORDER BY xid, intent_id, sequence LIMIT $4) q) p
 WHERE bytes - size < $5
 ORDER BY xid, intent_id, sequence

-- name: tail_ended
-- The key that asked each question that has ended, in the order of the feed.
SELECT d.xid, d.suspension_id, s.asked_by_key
  FROM decision d JOIN suspension s ON s.id = d.suspension_id
 WHERE (d.xid, d.suspension_id) > ($1::xid8, $2)
   AND d.xid < pg_snapshot_xmin(pg_current_snapshot())
 ORDER BY d.xid, d.suspension_id LIMIT $3

-- name: tail_intent
-- The same of one intent, whose events commit in their order.
SELECT xid, intent_id, sequence, event_type, canonical, event_hash, record, agents, version,
       watched
  FROM (SELECT q.*, octet_length(canonical) + coalesce(octet_length(record), 0) AS size,
               sum(octet_length(canonical) + coalesce(octet_length(record), 0))
                   OVER (ORDER BY sequence ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT * FROM event_row WHERE intent_id = $1 AND sequence > $2
                 ORDER BY sequence LIMIT $3) q) p
 WHERE bytes - size < $4
 ORDER BY sequence
