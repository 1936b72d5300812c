-- Mail to people about requests, as they chose it. The clock runs due_mail_*.

-- name: person_mail_get
SELECT {person_mail} FROM person_mail WHERE principal_id = $1

-- name: person_mail_put
INSERT INTO person_mail ({person_mail.insert}) VALUES ({person_mail.places})
ON CONFLICT (principal_id) DO UPDATE SET {person_mail.excluded}

-- name: person_mail_delete
DELETE FROM person_mail WHERE principal_id = $1

-- name: due_mail_look
-- Is there anything to do? Mails at once or pushes are wanted; a digest is due; one is to be tried again
-- soon; the place is set; there are events after it.
SELECT EXISTS (SELECT FROM person_mail WHERE every_hours = 0)
       OR EXISTS (SELECT FROM person_push),
       EXISTS (SELECT FROM person_mail m JOIN principal p ON p.id = m.principal_id
                WHERE (m.next_at <= $1 OR (m.next_at IS NULL AND m.every_hours > 0))
                  AND p.disabled_at IS NULL),
       EXISTS (SELECT FROM person_mail m JOIN delivery d ON d.id = m.digest_id
                WHERE d.state = 'pending' AND d.tries > 0
                  AND d.next_at > $1 AND d.next_at <= $2),
       EXISTS (SELECT FROM person_mail_place WHERE xid IS NOT NULL),
       EXISTS (SELECT FROM person_mail_place p
                CROSS JOIN LATERAL (
                     SELECT e.xid FROM event e
                      WHERE (e.xid, e.intent_id, e.sequence) > (p.xid, p.intent_id, p.sequence)
                      ORDER BY e.xid, e.intent_id, e.sequence LIMIT 1) e
                WHERE e.xid < stream_horizon(pg_current_snapshot()))

-- name: due_mail_place
-- No row: another process is at it.
SELECT xid::text, intent_id, sequence FROM person_mail_place FOR UPDATE SKIP LOCKED

-- name: due_mail_begin
-- From now on; with $1 there is no place.
UPDATE person_mail_place
   SET xid = CASE WHEN NOT $1::boolean THEN stream_horizon(pg_current_snapshot()) END,
       intent_id = '00000000-0000-0000-0000-000000000000', sequence = 0

-- name: due_mail_move
UPDATE person_mail_place SET xid = $1::text::xid8, intent_id = $2, sequence = $3

-- name: due_mail_events
-- After the place, in the order over all events; the question where one was asked and is open.
SELECT e.xid::text, e.intent_id, e.sequence,
       CASE WHEN e.event_type = 'intent.suspended' THEN
           (SELECT o.suspension_id FROM open_question o
              JOIN suspension s ON s.id = o.suspension_id
             WHERE o.intent_id = e.intent_id AND s.asked_sequence = e.sequence LIMIT 1) END
  FROM (SELECT xid, intent_id, sequence, event_type FROM event
         WHERE (xid, intent_id, sequence) > ($1::text::xid8, $2::uuid, $3::bigint)
           AND xid < (SELECT stream_horizon(pg_current_snapshot()))
         ORDER BY xid, intent_id, sequence LIMIT 500) e
 ORDER BY e.xid, e.intent_id, e.sequence

-- name: due_mail_questions
SELECT {s.suspension} FROM suspension_row s JOIN open_question o ON o.suspension_id = s.id
 WHERE s.id = ANY ($1::text[])

-- name: due_mail_people
-- Those of the people who want a mail of each at once that may answer it.
SELECT {m.person_mail}, p.email, p.role, p.groups, p.time_zone, o.suspension_id
  FROM open_question o
  JOIN person_mail m ON m.every_hours = 0 AND o.suspended_at >= m.since
  JOIN principal p ON p.id = m.principal_id AND p.disabled_at IS NULL
 WHERE o.suspension_id = ANY ($1::text[]) AND o.not_for IS DISTINCT FROM p.email
   AND o.audiences && person_audiences(p.role, p.email, p.groups, m.mine)
 ORDER BY m.principal_id, o.suspended_at, o.suspension_id

-- name: due_mail_digests
-- Digests that are due, some at a time, and the choices of those that have no time yet. Does
-- the one before still wait? A person who cannot sign in gets none.
SELECT {m.person_mail}, p.email, p.role, p.groups, p.time_zone,
       coalesce((SELECT d.state = 'pending' FROM delivery d WHERE d.id = m.digest_id), false)
  FROM person_mail m JOIN principal p ON p.id = m.principal_id
 WHERE (m.next_at <= $1 OR (m.next_at IS NULL AND m.every_hours > 0))
   AND p.disabled_at IS NULL
 ORDER BY m.next_at LIMIT 10 FOR UPDATE OF m SKIP LOCKED

-- name: due_mail_again
-- Digests that could not be sent, shortly before the next try.
SELECT {m.person_mail}, p.email, p.role, p.groups, p.time_zone
  FROM person_mail m JOIN principal p ON p.id = m.principal_id
  JOIN delivery d ON d.id = m.digest_id
 WHERE d.state = 'pending' AND d.tries > 0 AND d.next_at > $1 AND d.next_at <= $2
   AND d.body::json ->> 'timestamp' < $3
 LIMIT 10

-- name: due_mail_keep
-- Unless the person has just chosen something else.
UPDATE person_mail SET {person_mail.part:3} WHERE principal_id = $1 AND since = $2

-- name: due_mail_queue
-- $3, $4: NULL and 0 for a digest, which is about no single question.
INSERT INTO delivery (id, endpoint_id, intent_id, suspension_id, event_sequence, type,
                      recipient, body, next_at, created_at)
SELECT $1, $2, (SELECT intent_id FROM suspension WHERE id = $3), $3, $4, $5, $6, $7,
       $8::timestamptz, $8

-- name: due_mail_anew
UPDATE delivery SET body = $2 WHERE id = $1 AND state = 'pending' AND tries > 0

-- name: due_mail_end
UPDATE delivery SET state = 'failed', next_at = NULL, ended_at = $2,
                    answer = 'Not sent: nothing waits any more.'
 WHERE id = $1 AND state = 'pending' AND tries > 0
