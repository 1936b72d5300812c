-- Plans, their checkpoints, and tasks. Tasks come without their facts where all of an intent are
-- read: these may be large.

-- name: plan_of_intent
SELECT {p.plan}, k.severity_floor, k.decides
  FROM plan p LEFT JOIN api_key k ON k.id = p.key_id
 WHERE p.intent_id = $1 ORDER BY p.created_at, p.id LIMIT 20

-- name: plan_checkpoints
SELECT {checkpoint},
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
INSERT INTO plan ({plan.insert}) VALUES ({plan.places})

-- name: plan_update
UPDATE plan SET {plan.set:2} WHERE id = $1

-- name: plan_checkpoint_insert
INSERT INTO plan_checkpoint ({checkpoint.insert}) VALUES ({checkpoint.places})

-- name: plan_checkpoint_update
UPDATE plan_checkpoint SET {checkpoint.set:3} WHERE plan_id = $1 AND id = $2

-- name: plan_checkpoint_delete
DELETE FROM plan_checkpoint WHERE plan_id = $1 AND id = $2

-- name: task_of_intent
SELECT {task}, octet_length(facts)
  FROM task WHERE intent_id = $1 ORDER BY created_at, id LIMIT 200

-- name: task_get
SELECT {task}, octet_length(facts), facts
  FROM task WHERE id = $1

-- name: task_list
SELECT {task}, octet_length(facts), facts
  FROM task WHERE intent_id = $1 AND ($2::text IS NULL OR status = $2)
 ORDER BY created_at, id LIMIT $3 OFFSET $4

-- name: task_stuck
-- Those that failed or that their agents blocked, with what these say about it.
SELECT {task}, octet_length(facts), facts
  FROM task WHERE intent_id = $1 AND (status = 'failed' OR status = 'blocked' AND hold IS NULL)
 ORDER BY created_at, id LIMIT 200

-- name: task_insert
INSERT INTO task ({task.insert}) VALUES ({task.places})

-- name: task_update
-- What agents write, of one task.
UPDATE task SET {task.set:2} WHERE id = $1

-- name: task_move
-- What moves, of many tasks; an empty text means NULL.
UPDATE task t
   SET plan_id = nullif(u.plan_id, '')::uuid, version = u.version, status = u.status,
       hold = nullif(u.hold, ''), held_at = nullif(u.held_at, '')::timestamptz,
       assigned_agent = nullif(u.assigned_agent, ''), attempt = u.attempt,
       started_at = nullif(u.started_at, '')::timestamptz,
       completed_at = nullif(u.completed_at, '')::timestamptz,
       runs_until = nullif(u.runs_until, '')::timestamptz,
       time_left = nullif(u.time_left, '')::bigint
  FROM unnest($1::uuid[], $2::text[], $3::bigint[], $4::text[], $5::text[], $6::text[],
              $7::text[], $8::int[], $9::text[], $10::text[], $11::text[], $12::text[])
       AS u (id, plan_id, version, status, hold, held_at, assigned_agent, attempt, started_at,
             completed_at, runs_until, time_left)
 WHERE t.id = u.id

-- name: due_tasks
-- Tasks that have run as long as they may.
SELECT intent_id FROM task WHERE runs_until <= $1 ORDER BY runs_until, id LIMIT 20

-- name: due_tasks_of
-- The same of these intents, with their facts.
SELECT {task}, octet_length(facts), facts
  FROM task WHERE intent_id = ANY ($1::uuid[]) AND runs_until <= $2
 ORDER BY runs_until, id LIMIT 20

-- name: due_task_later
UPDATE task SET runs_until = $2 WHERE id = $1

-- name: task_mark
-- The intent has tasks or plans.
UPDATE intent SET containers = containers | 2 WHERE id = $1
