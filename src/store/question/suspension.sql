-- name: suspension_get
-- And of its intent, the agent's task and whether it is closed.
SELECT {s.suspension}, i.task_id, i.acl = 2
  FROM suspension_row s JOIN intent i ON i.id = s.intent_id
 WHERE s.id = $1

-- name: suspension_beside
-- The open questions that hold nothing. An agent's own about a checkpoint counts as the
-- server's that it replaced, which may be asked again.
SELECT count(*) FROM open_question q
 WHERE intent_id = $1
   AND (slot > 0 OR EXISTS (SELECT 1 FROM plan_checkpoint c
                             WHERE c.suspension_id = q.suspension_id))

-- A unit of work reads a question by its parts: joining them costs as much as all the rest.
-- The lock on it, taken after its intent's, is on the row that exists while it is open. The
-- rows of what was asked and decided are never locked.

-- name: suspension_open
SELECT suspension_id, channel_hint, attempt, next_attempt_at, traceparent
  FROM open_question WHERE suspension_id = $1 FOR UPDATE

-- name: suspension_open_of_intent
SELECT suspension_id, channel_hint, attempt, next_attempt_at, traceparent
  FROM open_question WHERE intent_id = $1 AND slot = 0 FOR UPDATE

-- name: suspension_asked
SELECT {suspension.insert} FROM suspension WHERE id = $1

-- name: suspension_asked_newest
-- Of those that hold the intent.
SELECT {suspension.insert} FROM suspension
 WHERE intent_id = $1 AND suspension_slot(origin) = 0 ORDER BY seq DESC LIMIT 1

-- name: suspension_decided
SELECT suspension_id, state, outcome, response, constraints, approved_subject,
       approved_sha256, reason, metadata, decided_by, claimed, via, decided_at, summary,
       channel_hint, attempt
  FROM decision WHERE suspension_id = $1

-- name: suspension_of_intent
SELECT {s.suspension} FROM suspension_row s WHERE intent_id = $1 ORDER BY seq DESC LIMIT 100

-- name: suspension_revision
-- Up to a ceiling. A question never changes once asked, so the chain has an end.
WITH RECURSIVE chain AS (
    SELECT s.supersedes, 1 AS n FROM suspension s WHERE s.id = $1
    UNION ALL
    SELECT s.supersedes, c.n + 1 FROM chain c JOIN suspension s ON s.id = c.supersedes
     WHERE c.n < 1000)
SELECT max(n) FROM chain

-- name: suspension_replacing
SELECT {s.suspension} FROM suspension_row s WHERE supersedes = $1
 ORDER BY suspended_at DESC, id LIMIT 1

-- name: suspension_insert
-- $1: the time of the first reminder, or NULL; $2: its words, with a space between two; $3, $4:
-- its amount, or NULL; $5: the trace. Where the initiator may not answer, it is one that waits for
-- others than them: audience x.
WITH asked AS (
    INSERT INTO suspension ({suspension.insert}) VALUES ({suspension.places:6}) RETURNING *),
open AS (
    INSERT INTO open_question (suspension_id, intent_id, kind, inbox_rank, ending,
        suspended_at, asked_by, asked_by_key, subject_sha256, words, amount, unit, audiences,
        not_for, next_attempt_at, channel_hint, traceparent, slot)
    SELECT id, intent_id, kind, inbox_rank(severity), coalesce(expires_at, 'infinity'),
           suspended_at, asked_by, asked_by_key, subject_sha256,
           array_to_tsvector(string_to_array($2, ' ')), $3::numeric, $4,
           array_remove(ARRAY[inbox_audience(responder_mode, responder, initiated_by),
               CASE WHEN not_initiator THEN 'x:' || left(initiated_by, 300) END], NULL),
           CASE WHEN not_initiator THEN initiated_by END, $1, channel_hint, $5,
           CASE WHEN suspension_slot(origin) = 0 THEN 0 ELSE (
               SELECT coalesce(min(n), 21) FROM generate_series(1, 20) n
                WHERE NOT EXISTS (SELECT 1 FROM open_question o
                                   WHERE o.intent_id = asked.intent_id AND o.slot = n)) END
      FROM asked)
INSERT INTO inbox_entry (suspension_id, audience, kind, inbox_rank, ending, suspended_at,
    asked_by, not_for)
SELECT id, audience, kind, inbox_rank(severity), coalesce(expires_at, 'infinity'),
       suspended_at, asked_by,
       CASE WHEN not_initiator AND audience NOT LIKE 'x:%' THEN initiated_by END
  FROM asked CROSS JOIN LATERAL (
       SELECT inbox_audience(responder_mode, responder, initiated_by)
       UNION ALL
       SELECT 'x:' || left(initiated_by, 300)
        WHERE not_initiator AND initiated_by IS NOT NULL) a (audience)

-- name: suspension_decide
-- The statement that deletes the row of the open question inserts the decision. Without
-- that row the decision's columns are NULL, and it is refused. $1: words of the answer; $2, $3:
-- the amount that was approved in place of the one that was asked for, or NULL.
WITH ended AS (
    DELETE FROM open_question WHERE suspension_id = $4
    RETURNING kind, asked_by, suspended_at, attempt, channel_hint, words, amount, unit),
found AS (
-- use: ended_words e $1 $16 $4
           coalesce($2::numeric, e.amount), coalesce($3, e.unit)
      FROM ended e WHERE e.words IS NOT NULL)
INSERT INTO decision (suspension_id, state, outcome, response, constraints, approved_subject,
    approved_sha256, reason, metadata, decided_by, claimed, via, decided_at, summary, kind,
    asked_by, suspended_at, attempt, channel_hint)
SELECT $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15,
       greatest($16::timestamptz, e.suspended_at), $17, e.kind, e.asked_by, e.suspended_at,
       e.attempt, e.channel_hint
  FROM (SELECT) one LEFT JOIN ended e ON true

-- The newest escalations, open or ended ($3) or both, of intents that the agent $1 reaches at
-- $2: of the newest of all, or of one intent ($4).

-- piece: escalation_found
     WHERE intent_access(i.id, i.test, i.created_by, i.owner, i.acl, $1, $2) > 0
       AND ($3::boolean IS NULL OR $3 = EXISTS (SELECT 1 FROM open_question o
                                                 WHERE o.suspension_id = x.id))
     ORDER BY x.suspended_at DESC, x.id DESC LIMIT 100)
 ORDER BY s.suspended_at DESC, s.id DESC

-- name: suspension_escalations
SELECT {s.suspension} FROM suspension_row s
 WHERE s.id IN (
    SELECT x.id
      FROM (SELECT e.id, e.intent_id, e.suspended_at FROM suspension e
             WHERE e.origin = 'escalation'
             ORDER BY e.suspended_at DESC, e.id DESC LIMIT 10000) x
      JOIN intent i ON i.id = x.intent_id
-- use: escalation_found

-- name: suspension_escalations_of
SELECT {s.suspension} FROM suspension_row s
 WHERE s.id IN (
    SELECT x.id
      FROM (SELECT e.id, e.intent_id, e.suspended_at FROM suspension e
             WHERE e.intent_id = $4 AND e.origin = 'escalation'
             ORDER BY e.seq DESC LIMIT 10000) x
      JOIN intent i ON i.id = x.intent_id
-- use: escalation_found

-- name: suspension_arbitration
-- The open arbitration of an intent that was asked for first.
SELECT s.id FROM open_question o JOIN suspension s ON s.id = o.suspension_id
 WHERE o.intent_id = $1 AND o.slot > 0 AND s.origin = 'arbitration'
 ORDER BY s.seq LIMIT 1

-- The server takes questions back.
-- piece: suspension_taken_back
    RETURNING suspension_id, kind, asked_by, suspended_at, attempt, channel_hint, words, amount,
              unit),
found AS (
-- use: ended_words e $6 $4 e.suspension_id
           e.amount, e.unit
      FROM ended e WHERE e.words IS NOT NULL)
INSERT INTO decision (suspension_id, kind, asked_by, suspended_at, attempt, channel_hint, state,
    outcome, decided_by, via, decided_at, summary)
SELECT e.suspension_id, e.kind, e.asked_by, e.suspended_at, e.attempt, e.channel_hint,
       'cancelled', 'none', $2, $3, greatest($4::timestamptz, e.suspended_at), $5
  FROM ended e

-- name: suspension_end_beside
-- The questions that hold nothing, of intents ($1) that have ended.
WITH ended AS (
    DELETE FROM open_question WHERE intent_id = ANY ($1::uuid[]) AND slot > 0
-- use: suspension_taken_back

-- name: suspension_take_back
-- Questions of the server ($1), whose reason to ask has gone.
WITH ended AS (
    DELETE FROM open_question WHERE suspension_id = ANY ($1::text[])
-- use: suspension_taken_back

-- The newest questions of all, or of an agent ($2) but those of intents that are closed to it
-- ($6): of every state, open ones, and those that ended in one way. A page is limited in bytes too.

-- piece: suspension_listed table id
SELECT {p.suspension}, (SELECT i.task_id FROM intent i WHERE i.id = p.intent_id), found
  FROM (SELECT q.*, sum(size) OVER (ORDER BY at DESC, id DESC ROWS UNBOUNDED PRECEDING)
                    AS bytes, count(*) OVER () AS found
          FROM (SELECT s.*, x.suspended_at AS at
                  FROM {table} x JOIN suspension_sized s ON s.id = x.{id}
                 WHERE ($3::timestamptz IS NULL
                        OR (x.suspended_at, x.{id}) < ($3::timestamptz, $4))
                   AND ($2::text IS NULL OR (x.asked_by = reader_name($2) AND
                        s.test = {reads_tests $2} AND
                        (s.origin = 'access' OR NOT intent_shut(s.intent_id, $2, $6))))

-- piece: suspension_paged id
                 ORDER BY x.suspended_at DESC, x.{id} DESC LIMIT $1) q) p
 WHERE bytes - size < $5
 ORDER BY at DESC, id DESC

-- name: suspension_list
-- use: suspension_listed suspension id
-- use: suspension_paged id

-- name: suspension_list_open
-- use: suspension_listed open_question suspension_id
-- use: suspension_paged suspension_id

-- name: suspension_list_ended
-- use: suspension_listed decision suspension_id
                   AND x.state = $7
-- use: suspension_paged suspension_id

-- name: suspension_feed
-- Questions that have ended, in the order of the transactions that ended them, after
-- ($1, $2) and only below the oldest transaction that may still end one: of the agent $3, of the
-- names of the key $4, or of all; without those of intents that are closed to their agents
-- ($8). So many are searched ($5) and returned ($6); a page is limited in bytes ($7) too. Each
-- row also says how the search ended: below which transaction, after how many found and
-- searched, and at which of them. Without questions there is one row.
WITH horizon AS MATERIALIZED (SELECT stream_horizon(pg_current_snapshot()) AS xid),
searched AS MATERIALIZED (
    SELECT d.xid, d.suspension_id AS id, d.asked_by
      FROM decision d
     WHERE (d.xid, d.suspension_id) > ($1::xid8, $2)
       AND d.xid < (SELECT xid FROM horizon)
     ORDER BY d.xid, d.suspension_id LIMIT $5),
found AS MATERIALIZED (
    SELECT x.* FROM searched x
     WHERE ($3::text IS NULL OR x.asked_by = reader_name($3))
       AND ($4::uuid IS NULL OR EXISTS (
               SELECT 1 FROM api_key k
                WHERE k.id = $4 AND k.agents && ARRAY[x.asked_by, '*']))
       AND (($3::text IS NULL AND $4::uuid IS NULL) OR EXISTS (
               SELECT 1 FROM suspension s
                WHERE s.id = x.id
                  AND s.test = coalesce({reads_tests $3},
                                        (SELECT k.test FROM api_key k WHERE k.id = $4))
                  AND (s.origin = 'access' OR NOT intent_shut(s.intent_id, x.asked_by, $8))))
     ORDER BY x.xid, x.id LIMIT $6),
page AS (
    SELECT s.*, f.xid AS ended_xid,
           sum(s.size) OVER (ORDER BY f.xid, f.id ROWS UNBOUNDED PRECEDING) AS bytes
      FROM found f JOIN suspension_sized s ON s.id = f.id)
SELECT {p.suspension}, (SELECT i.task_id FROM intent i WHERE i.id = p.intent_id), p.ended_xid,
       whole.*
  FROM (SELECT (SELECT xid FROM horizon), (SELECT count(*) FROM found),
               (SELECT count(*) FROM searched), last.xid, last.id
          FROM (SELECT) one
          LEFT JOIN (SELECT xid, id FROM searched ORDER BY xid DESC, id DESC LIMIT 1) last
            ON true) whole
  LEFT JOIN page p ON p.bytes - p.size < $7
 ORDER BY p.ended_xid, p.id

-- name: suspension_test_clock
-- The open questions of a test key ($1) become $2 microseconds older.
WITH mine AS (
    SELECT o.suspension_id FROM open_question o
      JOIN suspension s ON s.id = o.suspension_id
     WHERE o.asked_by_key = $1 AND s.test AND suspension_slot(s.origin) = 0
     ORDER BY o.suspension_id FOR UPDATE OF o)
UPDATE open_question o
   SET ending = o.ending - $2 * interval '1 us', test_shift = o.test_shift + $2,
       next_attempt_at = o.next_attempt_at - $2 * interval '1 us'
  FROM mine WHERE o.suspension_id = mine.suspension_id

-- name: suspension_ages
-- Open questions by age, by risk and those past their end, for the metrics.
SELECT count(*) FILTER (WHERE age < interval '5 minutes'),
       count(*) FILTER (WHERE age >= interval '5 minutes' AND age < interval '1 hour'),
       count(*) FILTER (WHERE age >= interval '1 hour' AND age < interval '1 day'),
       count(*) FILTER (WHERE age >= interval '1 day'),
       count(*) FILTER (WHERE late > interval '10 seconds'),
       count(*) FILTER (WHERE inbox_rank = 4), count(*) FILTER (WHERE inbox_rank = 3),
       count(*) FILTER (WHERE inbox_rank = 2), count(*) FILTER (WHERE inbox_rank = 1),
       count(*) FILTER (WHERE inbox_rank = 0)
  FROM (SELECT now() - suspended_at AS age, inbox_rank,
               now() - least(nullif(ending, 'infinity'), nullif(deadline_at, 'infinity')) AS late
          FROM open_question) open

-- name: suspension_same
-- Other open questions with the same facts, a few of each digest. The time is spelt as in
-- their own index: with the one of all open questions a search might take long.
SELECT s.id, s.title, left(s.question, 400), s.subject_sha256
  FROM (SELECT DISTINCT unnest($1::text[])) d (digest)
 CROSS JOIN LATERAL (
    SELECT o.suspension_id AS id, o.subject_sha256 FROM open_question o
     WHERE o.subject_sha256 = d.digest AND o.suspension_id <> ALL ($2::text[])
     ORDER BY coalesce(o.suspended_at, 'infinity'), o.suspension_id LIMIT $3) o
  JOIN suspension s ON s.id = o.id

-- name: suspension_open_of
-- Read from the index, up to the limit.
SELECT count(*)
  FROM (SELECT 1 FROM open_question WHERE asked_by_key = $1 LIMIT $2) open
