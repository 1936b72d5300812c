-- name: event_cursor_now
SELECT stream_horizon(pg_current_snapshot())

-- name: event_cursor_read
-- In the order over all events, only below the oldest transaction that may still
-- write here. A page is limited in bytes too, because one event may have a megabyte; they
-- are counted without reading a long text.
SELECT xid, intent_id, sequence, event_type, canonical, event_hash, record, agents, version,
       watched
  FROM (SELECT q.*, octet_length(canonical) + coalesce(octet_length(record), 0) AS size,
               sum(octet_length(canonical) + coalesce(octet_length(record), 0))
                   OVER (ORDER BY xid, intent_id, sequence ROWS UNBOUNDED PRECEDING) AS bytes
          FROM (SELECT * FROM event_row
                 WHERE (xid, intent_id, sequence) > ($1::xid8, $2::uuid, $3::bigint)
                   AND xid < (SELECT stream_horizon(pg_current_snapshot()))
                 ORDER BY xid, intent_id, sequence LIMIT $4) q) p
 WHERE bytes - size < $5
 ORDER BY xid, intent_id, sequence

-- name: event_cursor_ended
-- The key that asked each question that has ended, in the order of the feed.
SELECT d.xid, d.suspension_id, s.asked_by_key
  FROM decision d JOIN suspension s ON s.id = d.suspension_id
 WHERE (d.xid, d.suspension_id) > ($1::xid8, $2)
   AND d.xid < (SELECT stream_horizon(pg_current_snapshot()))
 ORDER BY d.xid, d.suspension_id LIMIT $3

-- name: event_cursor_intent
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

-- name: event_cursor_held
-- The time of the oldest event that is not below the horizon yet; NULL: all are.
SELECT microseconds(created_at) FROM event
 WHERE xid >= (SELECT stream_horizon(pg_current_snapshot())) ORDER BY xid LIMIT 1

-- name: event_cursor_holders
-- The transactions that streams have to wait for: pid or the name of a prepared one, user,
-- database, age in microseconds. The oldest first.
SELECT pid::text, usename, datname,
       (1000000 * extract(epoch FROM clock_timestamp() - xact_start))::bigint
  FROM pg_stat_activity
 WHERE backend_xid IS NOT NULL AND datname = current_database()
   AND stream_writer(usesysid, application_name)
 UNION ALL
SELECT 'prepared ' || gid, owner, database,
       (1000000 * extract(epoch FROM clock_timestamp() - prepared))::bigint
  FROM pg_prepared_xacts p
 WHERE database = current_database()
   AND stream_writer((SELECT oid FROM pg_roles WHERE rolname = owner), NULL)
 ORDER BY 4 DESC LIMIT 20
