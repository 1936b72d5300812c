-- Coordinators: the agent that answers for an intent and those below it, or for a portfolio and
-- its members. A row changes only under the lock of its intent or portfolio.

-- name: coordinator_get
SELECT {coordinator} FROM coordinator WHERE id = $1

-- name: coordinator_active
SELECT {coordinator} FROM coordinator WHERE intent_id = $1 AND ended_at IS NULL

-- name: coordinator_active_of_portfolio
SELECT {coordinator} FROM coordinator WHERE portfolio_id = $1 AND ended_at IS NULL

-- name: coordinator_list_of_portfolio
SELECT {coordinator} FROM coordinator WHERE portfolio_id = $1 ORDER BY granted_at DESC, id DESC LIMIT $2

-- name: coordinator_list
SELECT {coordinator} FROM coordinator WHERE intent_id = $1 ORDER BY granted_at DESC, id DESC LIMIT $2

-- name: coordinator_over
-- Those that answer for the intent: its own and those of its ancestors, the nearest first, then
-- those of the portfolios of the intent $3. Those that people granted come before all others: an
-- agent may grant itself any number of nearer ones.
WITH RECURSIVE above (id, height) AS (
    SELECT $1::uuid, 0
    UNION ALL
    SELECT i.parent_intent_id, a.height + 1 FROM above a JOIN intent i ON i.id = a.id
     WHERE i.parent_intent_id IS NOT NULL)
SELECT {coordinator}
  FROM (SELECT c.*, a.height FROM above a
          JOIN coordinator c ON c.intent_id = a.id AND c.ended_at IS NULL
        UNION ALL
        SELECT c.*, 1000000 FROM portfolio_member m
          JOIN coordinator c ON c.portfolio_id = m.portfolio_id AND c.ended_at IS NULL
         WHERE m.intent_id = $3) c
 ORDER BY granted_by IS NULL, height, granted_at, id LIMIT $2

-- name: coordinator_insert
INSERT INTO coordinator (lapses_at, {coordinator.insert}) VALUES ($1, {coordinator.places:2})

-- name: coordinator_update
UPDATE coordinator SET lapses_at = $2, {coordinator.set:3} WHERE id = $1

-- name: coordinator_end
-- An intent ends, and so does its coordinator.
UPDATE coordinator SET ended_at = $2, lapses_at = NULL
 WHERE intent_id = $1 AND ended_at IS NULL

-- name: coordinator_end_of_portfolios
-- Those of these portfolios that have ended.
UPDATE coordinator c SET ended_at = $2, lapses_at = NULL
 WHERE c.portfolio_id = ANY ($1::uuid[]) AND c.ended_at IS NULL
   AND EXISTS (SELECT 1 FROM portfolio p WHERE p.id = c.portfolio_id AND p.status <> 'active')

-- name: coordinator_below
-- The number of intents that are below $1, up to a limit.
WITH RECURSIVE below (id) AS (
    SELECT $1::uuid
    UNION ALL
    SELECT c.id FROM below b JOIN intent c ON c.parent_intent_id = b.id)
SELECT count(*) FROM (SELECT 1 FROM below LIMIT 10001) b

-- name: coordinator_mark
-- Marks the intent and those below it as coordinated. No mark is taken away again: one too
-- many costs a look for a coordinator at a change of status.
WITH RECURSIVE below (id) AS (
    SELECT $1::uuid
    UNION ALL
    SELECT c.id FROM below b JOIN intent c ON c.parent_intent_id = b.id)
UPDATE intent SET containers = containers | 4
 WHERE id = ANY (ARRAY(SELECT id FROM below)) AND containers & 4 = 0

-- name: coordinator_dependents
-- Drafts that depend on $1 and take inputs from other intents, after $2: the references, and
-- the phases of their dependencies by title. They are locked. One that another transaction has
-- locked is left out, so that none waits in a circle.
SELECT i.id, i.version, i.event_sequence, i.event_hash,
       (i.state::json -> '_io_inputs')::text, (i.state::json -> '_io_dep_title_to_name')::text,
       i.test
  FROM intent i
 WHERE i.id IN (SELECT d.intent_id FROM intent_dependency d WHERE d.dependency_id = $1)
   AND i.id > $2 AND i.status = 'draft' AND strpos(i.state, '"_io_inputs"') > 0
 ORDER BY i.id LIMIT $3
   FOR NO KEY UPDATE SKIP LOCKED

-- piece: coordinator_told_in
-- The intent in whose log it is told of; a portfolio has none of its own.
coalesce(c.intent_id, (SELECT m.intent_id FROM portfolio_member m
                        WHERE m.portfolio_id = c.portfolio_id
                        ORDER BY m.role = 'primary' DESC, m.priority DESC, m.added_at, m.intent_id
                        LIMIT 1))

-- name: due_coordinators
-- Coordinators that have missed two heartbeats and were not told of yet.
SELECT intent_id
  FROM (SELECT
-- use: coordinator_told_in
               AS intent_id
          FROM coordinator c WHERE c.lapses_at <= $1 ORDER BY c.lapses_at, c.id LIMIT 20) due
 WHERE intent_id IS NOT NULL

-- name: due_coordinators_alone
-- Nobody is told of one of an empty portfolio.
UPDATE coordinator SET lapses_at = NULL
 WHERE id IN (SELECT c.id FROM coordinator c
               WHERE c.lapses_at <= $1 AND c.portfolio_id IS NOT NULL
                 AND NOT EXISTS (SELECT 1 FROM portfolio_member m
                                  WHERE m.portfolio_id = c.portfolio_id)
               LIMIT 20 FOR UPDATE SKIP LOCKED)

-- name: due_lock_intents
SELECT id FROM intent WHERE id = ANY ($1::uuid[]) FOR NO KEY UPDATE SKIP LOCKED

-- name: due_coordinators_lapsed
SELECT {coordinator}, told_in
  FROM (SELECT c.*,
-- use: coordinator_told_in
               AS told_in
          FROM coordinator c WHERE c.lapses_at <= $2) c
 WHERE told_in = ANY ($1::uuid[])

-- name: due_coordinator_told
UPDATE coordinator SET lapses_at = NULL WHERE id = $1 AND lapses_at <= $2
