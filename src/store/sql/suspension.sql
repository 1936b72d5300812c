-- name: suspension_get
SELECT * FROM suspension_row WHERE id = $1

-- name: suspension_lock
SELECT * FROM suspension_row WHERE id = $1 FOR UPDATE

-- name: suspension_newest_lock
SELECT * FROM suspension_row WHERE intent_id = $1 ORDER BY seq DESC LIMIT 1 FOR UPDATE

-- name: suspension_of_intent
SELECT * FROM suspension_row WHERE intent_id = $1 ORDER BY seq DESC LIMIT 100

-- name: suspension_revision
-- Up to a ceiling; nothing that was asked changes, so the chain has an end.
WITH RECURSIVE chain AS (
    SELECT s.supersedes, 1 AS n FROM suspension s WHERE s.id = $1
    UNION ALL
    SELECT s.supersedes, c.n + 1 FROM chain c JOIN suspension s ON s.id = c.supersedes
     WHERE c.n < 1000)
SELECT max(n) FROM chain

-- name: suspension_replacing
SELECT * FROM suspension_row WHERE supersedes = $1 ORDER BY suspended_at DESC, id LIMIT 1

-- name: suspension_insert
INSERT INTO suspension (id, intent_id, seq, record, response_type, title, question,
    explanation, severity, subject, subject_sha256, context, choices, form, channel_hint,
    asked_by, asked_by_key, initiated_by, suspended_at, timeout_seconds, retry_policy,
    expires_at, fallback_policy, fallback_value, on_reject, confidence, asked_sequence,
    next_attempt_at, kind, allow_edit, responder_mode, responder, not_initiator, evidence,
    artifacts, supersedes, severity_said, state)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
        $19, $20, $21, $22, $23, $24, $25, $26, $27, $28, $29, $30, $31, $32, $33, $34,
        $35, $36, $37, 'pending')

-- name: suspension_decide
UPDATE suspension
   SET state = $2, outcome = $3, response = $4, reason = $5, metadata = $6,
       responded_by = $7, responded_by_claimed = $8, responded_via = $9,
       responded_at = $10, audit_summary = $11, constraints = $12, approved_subject = $13,
       approved_sha256 = $14
 WHERE id = $1 AND state = 'pending'

-- name: suspension_list
-- Pages end by their bytes too, as those of intents do.
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY suspended_at DESC, id DESC
                                    ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT s.*, octet_length(context) + octet_length(subject) + octet_length(choices)
                       + octet_length(question) + coalesce(octet_length(explanation), 0)
                       + coalesce(octet_length(form), 0) + coalesce(octet_length(evidence), 0)
                       + coalesce(octet_length(artifacts), 0)
                       + coalesce(octet_length(fallback_value), 0)
                       + coalesce(octet_length(response), 0) + octet_length(record)
                       + coalesce(octet_length(metadata), 0)
                       + coalesce(octet_length(constraints), 0)
                       + coalesce(octet_length(approved_subject), 0) + 4000 AS size
                  FROM suspension_row s
                 WHERE ($2::text IS NULL OR state = $2)
                   AND ($3::text IS NULL OR asked_by = $3)
                   AND ($4::timestamptz IS NULL
                        OR (suspended_at, id) < ($4::timestamptz, $5))
                 ORDER BY suspended_at DESC, id DESC LIMIT $1) q) p
 WHERE bytes - size < $6
 ORDER BY suspended_at DESC, id DESC

-- name: suspension_ages
-- Open questions by age, for the metrics.
SELECT count(*) FILTER (WHERE age < interval '5 minutes'),
       count(*) FILTER (WHERE age >= interval '5 minutes' AND age < interval '1 hour'),
       count(*) FILTER (WHERE age >= interval '1 hour' AND age < interval '1 day'),
       count(*) FILTER (WHERE age >= interval '1 day')
  FROM (SELECT now() - suspended_at AS age FROM suspension WHERE state = 'pending') open

-- name: suspension_same
-- Other open questions with the same facts, a few of each digest.
SELECT s.id, s.title, left(s.question, 400), s.subject_sha256
  FROM (SELECT DISTINCT unnest($1::text[])) d (digest)
 CROSS JOIN LATERAL (
    SELECT s.id, s.title, s.question, s.subject_sha256 FROM suspension s
     WHERE s.state = 'pending' AND s.subject_sha256 = d.digest
       AND s.id <> ALL ($2::text[])
     ORDER BY s.suspended_at, s.id LIMIT $3) s

-- name: suspension_open_of
-- Read in the index, as far as the limit.
SELECT count(*)
  FROM (SELECT 1 FROM suspension WHERE asked_by_key = $1 AND state = 'pending' LIMIT $2) open
