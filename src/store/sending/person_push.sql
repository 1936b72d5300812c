-- Browsers that subscribed to Web Push.

-- name: person_push_lock
-- Those who add one count first, and so run one after the other.
SELECT 1 FROM principal WHERE id = $1 FOR NO KEY UPDATE

-- name: person_push_insert
-- No row where the person has $9 others.
INSERT INTO person_push (id, principal_id, session_sha256, endpoint_id, address, least, mine,
                         since)
SELECT $1, $2, $3, $4, $5, $6, $7, $8
 WHERE (SELECT count(*) FROM person_push WHERE principal_id = $2) < $9::bigint

-- name: person_push_delete
DELETE FROM person_push WHERE principal_id = $1 AND address = $2

-- name: due_mail_push
-- One message to each browser whose person may answer one of the questions $1, at most every
-- $3: it is empty, and one says what several would. A session that has ended gets none.
WITH wanted AS (
    SELECT DISTINCT u.id
      FROM open_question o
      JOIN person_push u ON o.suspended_at >= u.since
      JOIN principal p ON p.id = u.principal_id AND p.disabled_at IS NULL
      JOIN operator_session s ON s.id_sha256 = u.session_sha256 AND s.revoked_at IS NULL
                             AND s.expires_at > $2 AND s.seen_at > $4
     WHERE o.suspension_id = ANY ($1::text[]) AND o.not_for IS DISTINCT FROM p.email
       AND (CASE o.inbox_rank WHEN 4 THEN 2 ELSE o.inbox_rank END) <= inbox_rank(u.least)
       AND o.audiences && person_audiences(p.role, p.email, p.groups, u.mine)
), told AS (
    UPDATE person_push u SET sent_at = $2
      FROM wanted w
     WHERE u.id = w.id AND (u.sent_at IS NULL OR u.sent_at <= $3 OR u.sent_at > $2)
    RETURNING u.endpoint_id, u.address
)
INSERT INTO delivery (id, endpoint_id, event_sequence, type, body, next_at, created_at, address)
SELECT gen_random_uuid(), t.endpoint_id, 0, 'push', '', $2::timestamptz, $2, t.address
  FROM told t JOIN endpoint e ON e.id = t.endpoint_id AND e.removed_at IS NULL
                             AND e.gone_at IS NULL AND e.paused_at IS NULL
