-- name: begin
BEGIN

-- name: commit
COMMIT

-- name: ping
-- The second column is what each new connection hears (store/tables.h). A standby has no
-- timeline of its own yet.
SELECT max(version),
       concat_ws(' ', restore_now(), (SELECT system_identifier FROM pg_control_system()),
                 (SELECT max(n) FROM restore),
                 CASE WHEN pg_is_in_recovery() THEN 0
                      ELSE ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))
                           ::bit(32)::bigint END),
       clock_timestamp()
  FROM migration

-- name: restore_go
-- Do the clock and the deliveries no longer wait?
SELECT go_at IS NOT NULL FROM restore ORDER BY n DESC LIMIT 1

-- name: restore_sessions
-- Processes of the server that are connected: it has to be stopped.
SELECT count(*) FROM pg_stat_activity
 WHERE datname = current_database()
   AND usename IN ('sayso_web', 'sayso_wait', 'sayso_tick', 'sayso_deliver', 'sayso_seal',
                   'sayso_erase')

-- name: restore_said
-- All was lost from $1 on; NULL: nothing, and an earlier loss still counts.
-- The number is larger than all before it, and the second since 2026 (30 bits of it): two
-- restores from one dump, which does not have the other's row, have two. The epoch is the
-- number of the newest loss. The sequence goes along, for the program of an older release.
INSERT INTO restore (n, epoch, said_at, lost_from, open_until, go_at, system_identifier,
                     database_oid)
OVERRIDING SYSTEM VALUE
SELECT setval(pg_get_serial_sequence('restore', 'n'), r.next),
       CASE WHEN $1::timestamptz IS NULL THEN r.epoch ELSE r.next END,
       $2, coalesce($1::timestamptz, r.lost_from),
       CASE WHEN $1::timestamptz IS NULL THEN r.open_until
            ELSE greatest($2::timestamptz, (SELECT max(suspended_at) FROM open_question)) END,
       CASE WHEN $1::timestamptz IS NULL THEN coalesce(r.go_at, $2) END,
       c.system_identifier, d.oid
  FROM (SELECT *, greatest(n + 1, least((1 << 30) - 1, floor(extract(epoch FROM
                      clock_timestamp() - timestamptz '2026-01-01T00:00Z'))))::integer AS next
          FROM restore ORDER BY n DESC LIMIT 1) r, pg_control_system() c, pg_database d
 WHERE d.datname = current_database()
RETURNING epoch

-- name: restore_permits
-- Those that somebody could have been given, or have used, from $1 on.
UPDATE permit p
   SET state = 'revoked', ended_at = $2, ended_by = 'restore', reason = $3
 WHERE (p.state = 'active' AND p.not_after > $1)
    OR (p.state = 'asked' AND NOT EXISTS (
           SELECT FROM decision d
            WHERE d.suspension_id = p.suspension_id
              AND d.decided_at + p.use_seconds * interval '1 s' <= $1))

-- name: restore_tokens
UPDATE permit_token t SET ended_at = $1, ended_why = 'revoked'
  FROM permit p
 WHERE p.id = t.permit_id AND p.state = 'revoked' AND t.ended_at IS NULL

-- name: restore_revoked
-- Those that were taken back at $1, after the permit $3 of the intent $2, with what their
-- events and messages have of their intents.
SELECT p.id, p.intent_id, p.agent, p.suspension_id, p.used, i.status, i.version,
       i.event_sequence, i.event_hash, i.containers, i.test, i.session_id, i.task_id, i.turn_id
  FROM permit p JOIN intent i ON i.id = p.intent_id
 WHERE p.ended_by = 'restore' AND p.ended_at = $1 AND (p.intent_id, p.id) > ($2, $3)
 ORDER BY p.intent_id, p.id LIMIT $4

-- name: restore_uses
-- A yes without a permit counts once too, for seven days (PERMIT_SECONDS_CALL).
INSERT INTO answer_use (suspension_id, operation_id, by, by_key, at)
SELECT d.suspension_id, 'restored', 'restore', s.asked_by_key, $2
  FROM decision d JOIN suspension s ON s.id = d.suspension_id
 WHERE d.decided_at > $1::timestamptz - interval '7 days' AND d.state = 'resolved'
   AND d.outcome NOT IN ('vetoed', 'declined', 'changes_requested')
   AND s.asked_by_key IS NOT NULL
   AND NOT EXISTS (SELECT FROM permit p WHERE p.suspension_id = d.suspension_id)
    ON CONFLICT DO NOTHING

-- name: restore_open
SELECT count(*) FROM open_question

-- name: restore_let_go
UPDATE restore SET go_at = $1
 WHERE n = (SELECT max(n) FROM restore) AND go_at IS NULL

-- name: claim_loss
-- Did a restore take something of the question $1? Its answer, where it was open in the
-- backup, whatever became of it since; or the use of its yes.
SELECT EXISTS (SELECT FROM restore r
                 JOIN suspension s ON s.suspended_at <= r.open_until
                 LEFT JOIN decision d ON d.suspension_id = s.id
                WHERE s.id = $1 AND (d.decided_at IS NULL OR d.decided_at >= r.said_at))
    OR EXISTS (SELECT FROM permit WHERE suspension_id = $1 AND ended_by = 'restore')
    OR EXISTS (SELECT FROM answer_use WHERE suspension_id = $1 AND by = 'restore')

-- name: claim_list
SELECT said, said_sha256, by, microseconds(at) FROM restore_claim
 WHERE suspension_id = $1 ORDER BY n

-- name: claim_insert
INSERT INTO restore_claim (suspension_id, n, said, said_sha256, by, by_key, at)
VALUES ($1, $2, $3, $4, $5, $6, $7)
