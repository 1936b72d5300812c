-- The state of the database server and of its standbys, run as sayso_tick; and whether a
-- write succeeds, run as sayso_web too.

-- name: replication_server
-- Only a role that may read all statistics sees the state of standbys.
SELECT pg_is_in_recovery(), current_setting('synchronous_standby_names'),
       pg_has_role('pg_read_all_stats', 'USAGE')

-- name: replication_standbys
-- The lag of each: in bytes, and in the time since it had caught up or sent its last
-- message. Other receivers of the log, such as a backup, are left out.
SELECT application_name, coalesce(host(client_addr), 'local'), state, sync_state, bytes,
       CASE WHEN bytes = 0 THEN 0
            ELSE 1000000 * greatest(0, extract(epoch FROM replay_lag),
                                    extract(epoch FROM clock_timestamp() - reply_time))
       END::bigint
  FROM (SELECT *, greatest(0, pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery()
                                                   THEN pg_last_wal_receive_lsn()
                                                   ELSE pg_current_wal_lsn() END,
                                              replay_lsn))::bigint AS bytes
          FROM pg_stat_replication WHERE state IN ('streaming', 'catchup')) s
 ORDER BY sync_state IN ('sync', 'quorum') DESC, application_name, pid LIMIT 16

-- Does a commit wait for a standby, and has for a moment? A wait is not cancelled, and its
-- session goes on waiting when the client has gone.

-- piece: replication_waiting
       EXISTS (SELECT FROM pg_stat_activity
                WHERE wait_event = 'SyncRep' AND datname = current_database()
                  AND query_start < clock_timestamp() - interval '0.1 s')

-- name: replication_waits
SELECT
-- use: replication_waiting

-- name: replication_prove
-- Is the server still the primary? Where commits wait for a standby, a new one that succeeds says
-- so: the standby of an old primary follows it no more. It writes nothing while another waits.
-- false: it could not be tried.
SELECT CASE WHEN current_setting('synchronous_standby_names') = '' OR pg_is_in_recovery()
            THEN true
            WHEN
-- use: replication_waiting
            THEN false
            ELSE pg_logical_emit_message(true, 'sayso', '') IS NOT NULL END

-- name: replication_memory
-- The next statement is to need the disk.
SELECT set_config('work_mem', '64kB', true)

-- name: replication_room
-- Some hundred kilobytes of a temporary file: the row below has its place already, and
-- would be written on a full disk too.
SELECT count(*) FROM generate_series(1, 20000)

-- name: replication_write
INSERT INTO write_probe AS p (written_at) VALUES (clock_timestamp())
    ON CONFLICT (one) DO UPDATE SET written_at = excluded.written_at
