-- name: retention_rules
SELECT {retention} FROM retention_rule
 WHERE $1 OR removed_at IS NULL ORDER BY created_at DESC, name

-- name: retention_get
SELECT {retention} FROM retention_rule WHERE name = $1

-- name: retention_insert
INSERT INTO retention_rule ({retention.insert}) VALUES ({retention.places})
    ON CONFLICT (name) DO NOTHING

-- name: retention_start
UPDATE retention_rule SET started_at = $2, started_by = $3
 WHERE name = $1 AND started_at IS NULL AND removed_at IS NULL

-- name: retention_remove
UPDATE retention_rule SET removed_at = $2, removed_by = $3
 WHERE name = $1 AND removed_at IS NULL

-- name: retention_preview
-- What a rule of these days, kind and outcome would erase at $4: by kind and outcome, the number,
-- how many of it have no signed receipt yet, and the oldest and newest end.
SELECT coalesce(d.kind, 'none'), retention_outcome(d.state, d.outcome), count(*),
       count(*) FILTER (WHERE r.suspension_id IS NULL AND NOT s.test),
       microseconds(min(d.decided_at)), microseconds(max(d.decided_at))
  FROM decision d
  JOIN suspension s ON s.id = d.suspension_id
  LEFT JOIN receipt r ON r.suspension_id = d.suspension_id
 WHERE d.decided_at < $4::timestamptz - $1::integer * interval '1 day' AND d.erased_at IS NULL
   AND ($2::text IS NULL OR coalesce(d.kind, 'none') = $2)
   AND ($3::text IS NULL OR retention_outcome(d.state, d.outcome) = $3)
 GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2

-- name: retention_turn
-- The rule of the next batch and its size, $1 where nothing failed; in a transaction of its own.
SELECT rule, questions FROM retention_turn($1::integer)

-- name: retention_erase
-- One batch of about $2 questions by the rule $1, in a transaction of its own.
SELECT looked, questions, intents, left_out FROM retention_erase($1::text, $2::integer)

-- name: retention_again
-- Each rule looks at all from the beginning, without the pause after the last time.
UPDATE retention_rule
   SET passed_at = NULL, place_at = DEFAULT, place_id = DEFAULT, left_out = DEFAULT,
       failing = DEFAULT, size = DEFAULT
 WHERE removed_at IS NULL AND started_at IS NOT NULL

-- name: retention_hold
-- Waits until no other process erases; none does until this session ends. From now on a statement
-- may take 600 seconds, and wait 3 for a lock.
SELECT pg_advisory_lock(6201), set_config('statement_timeout', '600s', false),
       set_config('lock_timeout', '3s', false)
