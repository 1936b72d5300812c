-- Plans, their checkpoints, and tasks. Tasks come without their facts where all of an intent are
-- read: these may be large.

-- name: plan_board
SELECT p.id, p.intent_id, p.version, p.state, p.on_failure, p.paused_reason, p.tasks, p.facts,
       p.created_by, microseconds(p.created_at), microseconds(p.updated_at),
       microseconds(p.activated_at), p.review_id, p.review_reason, p.key_id, p.told,
       k.severity_floor, k.decides
  FROM plan p LEFT JOIN api_key k ON k.id = p.key_id
 WHERE p.intent_id = $1 ORDER BY p.created_at, p.id LIMIT 20

-- name: plan_checkpoints
SELECT plan_id, intent_id, id, place, name, after_task, requires_approval, approvers,
       of_group, timeout_hours, on_timeout, silence_approves, on_reject, severity, status,
       decided_by, microseconds(decided_at), suspension_id,
       EXISTS (SELECT 1 FROM open_question q
                WHERE q.suspension_id = plan_checkpoint.suspension_id AND q.slot = 0)
  FROM plan_checkpoint WHERE intent_id = $1 ORDER BY plan_id, place LIMIT 400

-- name: plan_get
SELECT intent_id FROM plan WHERE id = $1

-- name: plan_until
-- When the question that holds the intent ends.
SELECT microseconds(ending) FROM open_question
 WHERE intent_id = $1 AND slot = 0 AND ending < 'infinity'

-- name: plan_question
SELECT suspension_id FROM plan_checkpoint WHERE plan_id = $1 AND id = $2

-- name: plan_asked
-- The checkpoint that a question is about.
SELECT name FROM plan_checkpoint WHERE suspension_id = $1

-- name: plan_insert
INSERT INTO plan (id, intent_id, version, state, on_failure, paused_reason, tasks, facts,
                  created_by, created_at, updated_at, activated_at, review_id, review_reason,
                  told, key_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16)

-- name: plan_update
UPDATE plan
   SET version = $2, state = $3, on_failure = $4, paused_reason = $5, tasks = $6, facts = $7,
       updated_at = $8, activated_at = $9, review_id = $10, review_reason = $11, told = $12
 WHERE id = $1

-- name: plan_checkpoint_insert
INSERT INTO plan_checkpoint (plan_id, id, intent_id, place, name, after_task,
    requires_approval, approvers, of_group, timeout_hours, on_timeout, silence_approves,
    on_reject, severity, status, decided_by, decided_at, suspension_id)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)

-- name: plan_checkpoint_update
UPDATE plan_checkpoint
   SET place = $3, name = $4, after_task = $5, requires_approval = $6, approvers = $7,
       of_group = $8, timeout_hours = $9, on_timeout = $10, silence_approves = $11,
       on_reject = $12, severity = $13, status = $14, decided_by = $15, decided_at = $16,
       suspension_id = $17
 WHERE plan_id = $1 AND id = $2

-- name: plan_checkpoint_delete
DELETE FROM plan_checkpoint WHERE plan_id = $1 AND id = $2


-- piece: task_columns
SELECT id, intent_id, plan_id, name, version, status, hold, microseconds(held_at),
       assigned_agent, depends_on, attempt, max_attempts, microseconds(created_at),
       microseconds(started_at), microseconds(completed_at), microseconds(runs_until),
       time_left, octet_length(facts)

-- name: task_board
-- use: task_columns
  FROM task WHERE intent_id = $1 ORDER BY created_at, id LIMIT 200

-- name: task_get
-- use: task_columns
       , facts
  FROM task WHERE id = $1

-- name: task_list
-- use: task_columns
       , facts
  FROM task WHERE intent_id = $1 AND ($2::text IS NULL OR status = $2)
 ORDER BY created_at, id LIMIT $3 OFFSET $4

-- name: task_told
-- Those that failed or that their agents blocked, with what these say about it.
-- use: task_columns
       , facts
  FROM task WHERE intent_id = $1 AND (status = 'failed' OR status = 'blocked' AND hold IS NULL)
 ORDER BY created_at, id LIMIT 200

-- name: task_insert
INSERT INTO task (id, intent_id, plan_id, name, version, status, assigned_agent, depends_on,
                  attempt, max_attempts, facts, created_at)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)

-- name: task_update
-- What agents write, of one task.
UPDATE task SET name = $2, depends_on = $3, max_attempts = $4, facts = $5 WHERE id = $1

-- name: task_move
-- What moves, of many tasks; an empty text means NULL.
UPDATE task t
   SET version = u.version, status = u.status, hold = nullif(u.hold, ''),
       held_at = nullif(u.held_at, '')::timestamptz, plan_id = nullif(u.plan, '')::uuid,
       assigned_agent = nullif(u.agent, ''), attempt = u.attempt,
       started_at = nullif(u.started_at, '')::timestamptz,
       completed_at = nullif(u.completed_at, '')::timestamptz,
       runs_until = nullif(u.runs_until, '')::timestamptz,
       time_left = nullif(u.time_left, '')::bigint
  FROM unnest($1::uuid[], $2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[],
              $7::text[], $8::int[], $9::text[], $10::text[], $11::text[], $12::text[])
       AS u (id, version, status, hold, held_at, plan, agent, attempt, started_at,
             completed_at, runs_until, time_left)
 WHERE t.id = u.id

-- name: due_tasks
-- Tasks that have run as long as they may.
SELECT intent_id FROM task WHERE runs_until <= $1 ORDER BY runs_until, id LIMIT 20

-- name: due_tasks_of
-- The same of these intents, with their facts.
-- use: task_columns
       , facts
  FROM task WHERE intent_id = ANY ($1::uuid[]) AND runs_until <= $2
 ORDER BY runs_until, id LIMIT 20

-- name: due_task_later
UPDATE task SET runs_until = $2 WHERE id = $1

-- name: task_mark
-- The intent has tasks or plans.
UPDATE intent SET containers = containers | 2 WHERE id = $1
