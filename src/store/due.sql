-- Statements of the clock, run as sayso_tick.

-- name: due_in_order
-- The clock reads by index, however many rows are due. Without this the planner sorts
-- all of them for each batch, when its statistics are older than a burst of questions.
SELECT set_config('enable_sort', 'off', false)

-- name: due_next
SELECT (SELECT microseconds(least(next_attempt_at, ending, deadline_at)) FROM open_question
         WHERE least(next_attempt_at, ending, deadline_at) < 'infinity'
         ORDER BY least(next_attempt_at, ending, deadline_at) LIMIT 1), clock_timestamp()

-- name: due_take
-- Locks the intents whose question is due, oldest first; those locked by another process
-- are skipped. Returns the size of each in bytes, and the question.
SELECT i.id, octet_length(i.state) + octet_length(s.record) + octet_length(s.subject)
             + octet_length(s.context) + coalesce(octet_length(s.fallback_value), 0), s.id
  FROM open_question o
  JOIN intent i ON i.id = o.intent_id
  JOIN suspension s ON s.id = o.suspension_id
 WHERE least(o.next_attempt_at, o.ending, o.deadline_at) <= $1 AND o.suspension_id <> ALL ($2::text[])
 ORDER BY least(o.next_attempt_at, o.ending, o.deadline_at) LIMIT 50
   FOR NO KEY UPDATE OF i SKIP LOCKED

-- name: due_intents
-- The current rows of the locked intents: another statement took the locks.
SELECT r.*,
       NOT EXISTS (SELECT 1 FROM intent_dependency d JOIN intent x ON x.id = d.dependency_id
                    WHERE d.intent_id = r.id AND x.status <> 'completed') AS dependencies_done
  FROM intent r WHERE r.id = ANY ($1::uuid[])

-- name: due_suspensions
SELECT {r.suspension}, o.traceparent, o.test_shift
  FROM open_question o JOIN suspension_row r ON r.id = o.suspension_id
 WHERE o.suspension_id = ANY ($1::text[]) FOR UPDATE OF o

-- The decisions of a whole batch are written by one statement for each table: a row
-- costs a quarter of what it costs alone. An empty text means NULL.

-- name: due_intents_update
UPDATE intent i
   SET status = u.status, state = u.state, version = u.version, updated_at = u.updated_at,
       event_sequence = u.event_sequence, event_hash = u.event_hash
  FROM unnest($1::uuid[], $2::text[], $3::text[], $4::bigint[], $5::timestamptz[],
              $6::bigint[], $7::text[])
       AS u (id, status, state, version, updated_at, event_sequence, event_hash)
 WHERE i.id = u.id

-- Of a question that ends ({e}): its words, and those of its end. For suspension.sql too.
-- piece: ended_words e words at id
INSERT INTO ended_words (decided_at, suspension_id, words, amount, unit)
    SELECT greatest({at}::timestamptz, {e}.suspended_at), {id},
           {e}.words || array_to_tsvector(string_to_array({words}, ' ')),

-- name: due_expire
-- One that is no longer open is left out.
WITH u AS (
    SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[],
                         $6::text[], $7::timestamptz[], $8::text[], $9::text[], $10::text[],
                         $11::text[], $12::text[])
        AS u (id, state, outcome, response, by, via, at, summary, constraints, subject,
              sha256, words)),
ended AS (
    DELETE FROM open_question o USING u WHERE o.suspension_id = u.id
    RETURNING o.suspension_id, o.kind, o.asked_by, o.suspended_at, o.attempt,
              o.channel_hint, o.words, o.amount, o.unit),
found AS (
-- use: ended_words e u.words u.at u.id
           e.amount, e.unit
      FROM ended e JOIN u ON u.id = e.suspension_id WHERE e.words IS NOT NULL)
INSERT INTO decision (suspension_id, kind, asked_by, suspended_at, state, outcome, response,
    constraints, approved_subject, approved_sha256, attempt, channel_hint, decided_by, via,
    decided_at, summary)
SELECT e.suspension_id, e.kind, e.asked_by, e.suspended_at, u.state, u.outcome,
       nullif(u.response, ''), nullif(u.constraints, ''), nullif(u.subject, ''),
       nullif(u.sha256, ''), e.attempt, e.channel_hint, u.by, u.via,
       greatest(u.at, e.suspended_at), u.summary
  FROM ended e JOIN u ON u.id = e.suspension_id

-- name: due_permits
-- Silence grants nothing.
UPDATE permit p SET state = 'refused', ended_by = u.ended_by, ended_at = u.ended_at
  FROM unnest($1::text[], $2::text[], $3::timestamptz[]) u (id, ended_by, ended_at)
 WHERE p.suspension_id = u.id AND p.state = 'asked'

-- name: due_remind
UPDATE open_question o
   SET attempt = u.attempt,
       next_attempt_at = nullif(u.next, '')::timestamptz - o.test_shift * interval '1 us',
       channel_hint = nullif(u.channel_hint, '')
  FROM unnest($1::text[], $2::int[], $3::text[], $4::text[])
       AS u (id, attempt, next, channel_hint)
 WHERE o.suspension_id = u.id

-- name: due_events_insert
INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical, event_hash,
                   previous_event_hash)
SELECT u.intent_id, u.sequence, u.id, u.type, u.created_at, u.canonical, u.hash,
       nullif(u.previous, '')
  FROM unnest($1::uuid[], $2::bigint[], $3::uuid[], $4::text[], $5::timestamptz[],
              $6::text[], $7::text[], $8::text[])
       AS u (intent_id, sequence, id, type, created_at, canonical, hash, previous)

-- name: due_lapsed
-- Expired leases, after a place in their order; those of suspended intents are skipped
-- by the caller.
SELECT l.id, l.intent_id, microseconds(l.expires_at),
       (SELECT i.status = 'suspended_awaiting_input' FROM intent i WHERE i.id = l.intent_id)
  FROM lease l
 WHERE l.status = 'active' AND l.expires_at <= $1 AND (l.expires_at, l.id) > ($2, $3)
 ORDER BY l.expires_at, l.id LIMIT 500

-- name: due_lease_intents
SELECT id FROM intent
 WHERE id = ANY ($1::uuid[]) AND status <> 'suspended_awaiting_input'
   FOR NO KEY UPDATE SKIP LOCKED

-- name: due_leases
SELECT {lease} FROM lease
 WHERE intent_id = ANY ($1::uuid[]) AND status = 'active' AND expires_at <= $2 LIMIT 60

-- Old rows are deleted a few at a time, by their ctid. The condition is checked again, in
-- case a row has changed meanwhile.

-- name: due_idempotency_delete
DELETE FROM idempotency
 WHERE created_at < $1
   AND ctid = ANY (ARRAY(SELECT i.ctid FROM idempotency i
                          WHERE i.created_at < $1 ORDER BY i.created_at LIMIT 500))

-- name: due_session_delete
DELETE FROM operator_session
 WHERE least(expires_at, revoked_at) < $1
   AND ctid = ANY (ARRAY(SELECT s.ctid FROM operator_session s
                          WHERE least(s.expires_at, s.revoked_at) < $1
                          ORDER BY least(s.expires_at, s.revoked_at) LIMIT 500))

-- name: due_delivery_delete
DELETE FROM delivery
 WHERE ended_at < $1
   AND ctid = ANY (ARRAY(SELECT d.ctid FROM delivery d
                          WHERE d.ended_at < $1 ORDER BY d.ended_at LIMIT 500))

-- name: due_subscription_delete
DELETE FROM subscription
 WHERE expires_at < $1
   AND ctid = ANY (ARRAY(SELECT s.ctid FROM subscription s
                          WHERE s.expires_at < $1 ORDER BY s.expires_at LIMIT 500))

-- name: due_known_browser_delete
DELETE FROM known_browser
 WHERE seen_at < $1
   AND ctid = ANY (ARRAY(SELECT k.ctid FROM known_browser k
                          WHERE k.seen_at < $1 ORDER BY k.seen_at LIMIT 500))

-- name: due_sign_in_failure_delete
DELETE FROM sign_in_failure
 WHERE failed_at < $1
   AND ctid = ANY (ARRAY(SELECT f.ctid FROM sign_in_failure f
                          WHERE f.failed_at < $1 ORDER BY f.failed_at LIMIT 500))

-- name: due_stored_delete
DELETE FROM key_stored
 WHERE day < ($1::timestamptz AT TIME ZONE 'UTC')::date
   AND ctid = ANY (ARRAY(SELECT k.ctid FROM key_stored k
                          WHERE k.day < ($1::timestamptz AT TIME ZONE 'UTC')::date
                          LIMIT 500))

-- name: due_secret_delete
DELETE FROM secret_view
 WHERE made_at < $1
   AND id = ANY (ARRAY(SELECT s.id FROM secret_view s
                        WHERE s.made_at < $1 ORDER BY s.made_at LIMIT 500))

-- name: due_log_head_delete
-- The last head of each hour stays, the newest, and those that a witness has signed.
DELETE FROM log_head
 WHERE (epoch, size) IN (
    SELECT h.epoch, h.size FROM log_head h
     WHERE h.signed_at < $1
       AND (SELECT k.signed_at FROM log_head k WHERE k.epoch = h.epoch AND k.size > h.size
             ORDER BY k.size LIMIT 1) < date_trunc('hour', h.signed_at, 'UTC') + interval '1 h'
       AND NOT EXISTS (SELECT FROM log_cosignature c
                        WHERE c.epoch = h.epoch AND c.size = h.size)
     ORDER BY h.signed_at LIMIT 500)

-- name: due_log_request_delete
DELETE FROM log_request
 WHERE at < $1
   AND id = ANY (ARRAY(SELECT r.id FROM log_request r WHERE r.at < $1 ORDER BY r.at LIMIT 500))

-- name: due_initiation_delete
DELETE FROM initiation
 WHERE expires_at < $1
   AND id_sha256 = ANY (ARRAY(SELECT i.id_sha256 FROM initiation i
                               WHERE i.expires_at < $1 ORDER BY i.expires_at LIMIT 500))

-- name: due_dpop_proof_delete
DELETE FROM dpop_proof
 WHERE seen_at < $1
   AND (jkt, jti_sha256) IN (SELECT d.jkt, d.jti_sha256 FROM dpop_proof d
                              WHERE d.seen_at < $1 ORDER BY d.seen_at LIMIT 500)

-- name: due_permit_token_delete
DELETE FROM permit_token
 WHERE expires_at < $1
   AND token_sha256 = ANY (ARRAY(SELECT t.token_sha256 FROM permit_token t
                                  WHERE t.expires_at < $1 ORDER BY t.expires_at LIMIT 500))

-- name: due_artifact_delete
-- What no question uses. A question that is being asked holds the lock.
DELETE FROM artifact
 WHERE NOT used AND uploaded_at < $1
   AND id = ANY (ARRAY(SELECT t.id FROM artifact t
                        WHERE NOT t.used AND t.uploaded_at < $1
                        ORDER BY t.uploaded_at LIMIT 500))
