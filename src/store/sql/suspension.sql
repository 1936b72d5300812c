-- name: suspension_get
SELECT * FROM suspension_row WHERE id = $1

-- name: suspension_lock
SELECT * FROM suspension_row WHERE id = $1 FOR UPDATE

-- name: suspension_newest_lock
SELECT * FROM suspension_row WHERE intent_id = $1 ORDER BY seq DESC LIMIT 1 FOR UPDATE

-- name: suspension_of_intent
SELECT * FROM suspension_row WHERE intent_id = $1 ORDER BY seq DESC LIMIT 100

-- name: suspension_insert
INSERT INTO suspension (id, intent_id, seq, record, response_type, title, question,
    explanation, severity, subject, subject_sha256, context, choices, form, channel_hint,
    asked_by, asked_by_key, initiated_by, suspended_at, timeout_seconds, retry_policy,
    expires_at, fallback_policy, fallback_value, on_reject, confidence, asked_sequence,
    next_attempt_at, state)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, 'pending')

-- name: suspension_decide
UPDATE suspension
   SET state = $2, outcome = $3, response = $4, reason = $5, metadata = $6,
       responded_by = $7, responded_by_claimed = $8, responded_via = $9,
       responded_at = $10, audit_summary = $11
 WHERE id = $1 AND state = 'pending'

-- name: suspension_inbox
SELECT * FROM suspension_row
 WHERE state = 'pending'
 ORDER BY inbox_rank, coalesce(expires_at, 'infinity'), suspended_at, id LIMIT $1

-- name: suspension_inbox_after
-- Behind the row $2 in the inbox's order, whether that row is still open or not. The
-- row's key comes from a subquery, so that the index is entered at it.
SELECT * FROM suspension_row
 WHERE state = 'pending'
   AND (inbox_rank, coalesce(expires_at, 'infinity'), suspended_at, id)
     > (SELECT c.inbox_rank, coalesce(c.expires_at, 'infinity'), c.suspended_at, c.id
          FROM suspension c WHERE c.id = $2)
 ORDER BY inbox_rank, coalesce(expires_at, 'infinity'), suspended_at, id LIMIT $1

-- name: suspension_open_count
-- Counted up to a ceiling: "1000+" is enough for a person.
SELECT count(*) FROM (SELECT 1 FROM suspension WHERE state = 'pending' LIMIT 1001) open

-- name: suspension_decided
SELECT * FROM suspension_row
 WHERE state <> 'pending' ORDER BY responded_at DESC, id DESC LIMIT $1

-- name: suspension_decided_after
SELECT * FROM suspension_row
 WHERE state <> 'pending' AND (responded_at, id) < ($2::timestamptz, $3)
 ORDER BY responded_at DESC, id DESC LIMIT $1

-- name: suspension_list
SELECT * FROM suspension_row
 WHERE ($2::text IS NULL OR state = $2) AND ($3::text IS NULL OR asked_by = $3)
   AND ($4::timestamptz IS NULL OR (suspended_at, id) < ($4::timestamptz, $5))
 ORDER BY suspended_at DESC, id DESC LIMIT $1

-- name: suspension_ages
-- Open questions by age, for the metrics.
SELECT count(*) FILTER (WHERE age < interval '5 minutes'),
       count(*) FILTER (WHERE age >= interval '5 minutes' AND age < interval '1 hour'),
       count(*) FILTER (WHERE age >= interval '1 hour' AND age < interval '1 day'),
       count(*) FILTER (WHERE age >= interval '1 day')
  FROM (SELECT now() - suspended_at AS age FROM suspension WHERE state = 'pending') open
