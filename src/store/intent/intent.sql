-- Where $2 is an agent (as in intent_access), access says what it may do on the intent at $3:
-- 0 nothing to 3 all of it.

-- name: intent_get
-- And key_version of the key $3 at $2, if there is one to look at.
SELECT i.*, (SELECT k.xmin FROM api_key k WHERE k.ctid = $2 AND k.key_sha256 = $3)
  FROM intent i WHERE i.id = $1

-- name: intent_ties
-- The access of an agent that neither made nor owns the intent.
SELECT intent_reach($1, $2, $3)

-- name: intent_kin
-- Is there an intent below the open $1, or one that depends on it, to which the agent $2 is tied
-- at $3, or does a handoff of $1 wait for its answer? The nearest are searched first, up to a
-- limit.
WITH RECURSIVE below (id, depth) AS (
    SELECT c.id, 1 FROM intent c WHERE c.parent_intent_id = $1
    UNION ALL
    SELECT c.id, b.depth + 1 FROM below b JOIN intent c ON c.parent_intent_id = b.id
     WHERE b.depth < 32)
SELECT (SELECT i.acl < 2 AND reader_sort(i.test, $2) FROM intent i WHERE i.id = $1) AND (
       EXISTS (SELECT 1 FROM open_question o JOIN suspension s ON s.id = o.suspension_id
                WHERE o.intent_id = $1 AND s.responder_mode = 'agent'
                  AND s.responder = reader_name($2))
    OR EXISTS (SELECT 1 FROM (SELECT d.intent_id AS id FROM intent_dependency d
                               WHERE d.dependency_id = $1 LIMIT 10000) r
                WHERE intent_reach(r.id, $2, $3) > 0)
    OR EXISTS (SELECT 1 FROM (SELECT b.id FROM below b LIMIT 10000) r
                WHERE intent_reach(r.id, $2, $3) > 0))

-- A unit of work takes its intents' locks by one statement and reads by another, because a
-- statement sees the rows committed before it began, and so before it waited.

-- name: intent_take
SELECT 1 FROM intent WHERE id = $1 FOR NO KEY UPDATE

-- name: intent_take_of_suspension
SELECT 1 FROM intent
 WHERE id = (SELECT s.intent_id FROM suspension s WHERE s.id = $1) FOR NO KEY UPDATE

-- name: intent_take_two
SELECT 1 FROM intent WHERE id IN ($1, $2) ORDER BY id FOR NO KEY UPDATE

-- name: intent_take_dependents
-- An intent and all its dependents, in the order of their ids.
SELECT 1 FROM intent i
 WHERE i.id = $1
    OR i.id IN (SELECT d.intent_id FROM intent_dependency d WHERE d.dependency_id = $1)
 ORDER BY i.id FOR NO KEY UPDATE

-- name: intent_take_descendants
-- An intent and those below it, in the order of their ids.
WITH RECURSIVE below (id) AS (
    SELECT $1::uuid
    UNION ALL
    SELECT c.id FROM below b JOIN intent c ON c.parent_intent_id = b.id)
SELECT 1 FROM intent i WHERE i.id = ANY (ARRAY(SELECT id FROM below LIMIT 10001))
 ORDER BY i.id FOR NO KEY UPDATE

-- name: intent_parent
-- Of a new intent: has it ended, and what does the new one inherit? Locked, so that it cannot
-- end before the new one is there.
SELECT status IN ('completed', 'abandoned'), containers & 4, test
  FROM intent WHERE id = $1 FOR SHARE

-- piece: intent_waits
EXISTS (SELECT 1 FROM intent_dependency d JOIN intent x ON x.id = d.dependency_id
                    WHERE d.intent_id = r.id AND x.status <> 'completed')

-- name: intent_taken
-- told: as in delivery_told.
SELECT r.*, (SELECT true FROM endpoint WHERE kind = 'agent' AND removed_at IS NULL
              ORDER BY coalesce(agent, ''), address LIMIT 1) AS told,
       intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $2, $3) AS access
  FROM intent r WHERE r.id = $1

-- name: intent_taken_of_suspension
SELECT r.*, (SELECT true FROM endpoint WHERE kind = 'agent' AND removed_at IS NULL
              ORDER BY coalesce(agent, ''), address LIMIT 1) AS told
  FROM intent r
 WHERE r.id = (SELECT s.intent_id FROM suspension s WHERE s.id = $1)

-- name: intent_edges
-- May it go on, and may it end? And the list of its dependencies.
SELECT NOT
-- use: intent_waits
       AS dependencies_done,
       NOT EXISTS (SELECT 1 FROM intent c
                    WHERE c.parent_intent_id = r.id
                      AND c.status NOT IN ('completed', 'abandoned')) AS children_done,
       r.depends_on
  FROM intent r WHERE r.id = $1

-- name: intent_insert
INSERT INTO intent (id, title, description, created_by, status, constraints, state,
                    confidence, version, created_at, updated_at, parent_intent_id,
                    governance_policy, session_id, task_id, turn_id, initiated_by,
                    event_sequence, event_hash, depends_on, initiator_id, containers, test)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17,
        $18, $19, $20, $21, $22, $23)

-- name: intent_update
UPDATE intent
   SET status = $2, state = $3, version = $4, updated_at = $5, event_sequence = $6,
       event_hash = $7, owner = $8
 WHERE id = $1

-- name: intent_govern
UPDATE intent SET governance_policy = $2 WHERE id = $1

-- name: intent_needed
-- The dependencies of an intent, and when the question of a suspended one ends.
SELECT x.id, x.title, x.status, s.expires_at
  FROM intent_dependency d JOIN intent x ON x.id = d.dependency_id
  LEFT JOIN open_question o ON o.intent_id = x.id AND o.slot = 0
  LEFT JOIN suspension s ON s.id = o.suspension_id
 WHERE d.intent_id = $1 ORDER BY x.created_at, x.id LIMIT 100

-- piece: intent_size
                       octet_length(state) + octet_length(constraints) + 2000
                       + coalesce(octet_length(governance_policy), 0)
                       + coalesce(octet_length(description), 0) AS size

-- A page of a list is limited in bytes as well as in rows, and ends with the row that
-- reaches the limit, so that it is never empty while there are rows. Bytes are counted
-- without reading a long text. The last column is the number of rows without that limit.

-- The reader of the first two lists is a person, or an agent whose key reaches every open intent.

-- name: intent_list
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*,
-- use: intent_size
                  FROM intent r
                 WHERE ($1::text IS NULL OR status = $1)
                   AND intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $5, $6) > 0
                 ORDER BY created_at DESC, id DESC LIMIT $3 OFFSET $4) q) p
 WHERE bytes - size < $2
 ORDER BY created_at DESC, id DESC

-- name: intent_list_after
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY created_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*,
-- use: intent_size
                  FROM intent r
                 WHERE ($1::text IS NULL OR status = $1)
                   AND (created_at, id) < ($4::timestamptz, $5::uuid)
                   AND intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $6, $7) > 0
                 ORDER BY created_at DESC, id DESC LIMIT $3) q) p
 WHERE bytes - size < $2
 ORDER BY created_at DESC, id DESC

-- name: intent_list_own
-- Those that the agent $1 is tied to at $2, after the one with the time $4 and the id $5.
-- Of each sort of tie as many as are needed are read, in the order of its index.
SELECT p.*
  FROM (SELECT q.*,
               sum(size) OVER (ORDER BY tie_at DESC, id DESC ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*,
-- use: intent_size
                       , o.created_at AS tie_at
                  FROM (SELECT DISTINCT t.created_at, t.intent_id FROM intent_tie t
                         WHERE t.agent = reader_name($1) AND t.test = {reads_tests $1}
                           AND t.until > $2
                           AND (t.created_at, t.intent_id) < ($4::timestamptz, $5::uuid)
                           AND ($3::text IS NULL OR
                                (SELECT i.status FROM intent i WHERE i.id = t.intent_id) = $3)
                         ORDER BY t.created_at DESC, t.intent_id DESC LIMIT $7 OFFSET $8) o
                  JOIN intent r ON r.id = o.intent_id
                 ORDER BY o.created_at DESC, o.intent_id DESC) q) p
 WHERE bytes - size < $6
 ORDER BY tie_at DESC, id DESC

-- The agent $6 sees the related intents that it reaches at $7; it may read those that the
-- intent depends on and that are not closed.

-- piece: intent_children_head
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY created_at, id ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*, 3 AS access,
-- use: intent_size
                  FROM intent r
                 WHERE parent_intent_id = $1
                   AND intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $6, $7) > 0
                   AND ($4::timestamptz IS NULL OR (created_at, id) > ($4, $5::uuid))

-- piece: intent_children_tail
                 ORDER BY created_at, id LIMIT $3) q) p
 WHERE bytes - size < $2
 ORDER BY created_at, id

-- name: intent_children
-- use: intent_children_head
-- use: intent_children_tail

-- name: intent_ready
-- use: intent_children_head
                   AND status IN ('draft', 'active') AND NOT
-- use: intent_waits
-- use: intent_children_tail

-- name: intent_waiting
-- use: intent_children_head
                   AND status NOT IN ('completed', 'abandoned') AND
-- use: intent_waits
-- use: intent_children_tail

-- name: intent_descendants
-- Breadth first; $4 and $5 are not used.
WITH RECURSIVE below (id, depth) AS (
    SELECT $1::uuid, 0
    UNION ALL
    SELECT c.id, b.depth + 1 FROM below b JOIN intent c ON c.parent_intent_id = b.id)
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY depth, created_at, id ROWS UNBOUNDED PRECEDING)
                        AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*, 3 AS access, b.depth,
-- use: intent_size
                  FROM (SELECT id, depth FROM below LIMIT $3 + 1) b
                  JOIN intent r ON r.id = b.id
                 WHERE b.depth > 0
                   AND intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $6, $7) > 0
                   AND $4::timestamptz IS NULL AND $5::uuid IS NULL) q) p
 WHERE bytes - size < $2
 ORDER BY depth, created_at, id

-- name: intent_ancestors
-- The nearest first; $4 and $5 are not used.
WITH RECURSIVE above (id, height) AS (
    SELECT parent_intent_id, 1 FROM intent WHERE id = $1
    UNION ALL
    SELECT i.parent_intent_id, a.height + 1 FROM above a JOIN intent i ON i.id = a.id)
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY height ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*,
                       intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $6, $7) AS access,
                       a.height,
-- use: intent_size
                  FROM (SELECT id, height FROM above LIMIT $3) a
                  JOIN intent r ON r.id = a.id
                 WHERE $4::timestamptz IS NULL AND $5::uuid IS NULL) q
         WHERE reader_sort(test, $6) AND (acl < 2 OR access > 0)) p
 WHERE bytes - size < $2
 ORDER BY height

-- name: intent_dependencies
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY added_at, id ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*,
                       intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $6, $7) AS access,
                       d.added_at,
-- use: intent_size
                  FROM intent_dependency d JOIN intent r ON r.id = d.dependency_id
                 WHERE d.intent_id = $1
                   AND ($4::timestamptz IS NULL OR (d.added_at, r.id) > ($4, $5::uuid))
                   AND reader_sort(r.test, $6)
                   AND (r.acl < 2 OR
                        intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $6, $7) > 0)
                 ORDER BY d.added_at, r.id LIMIT $3) q) p
 WHERE bytes - size < $2
 ORDER BY added_at, id

-- name: intent_dependents
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY added_at, id ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*, 3 AS access, d.added_at,
-- use: intent_size
                  FROM intent_dependency d JOIN intent r ON r.id = d.intent_id
                 WHERE d.dependency_id = $1
                   AND intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $6, $7) > 0
                   AND ($4::timestamptz IS NULL OR (d.added_at, r.id) > ($4, $5::uuid))
                 ORDER BY d.added_at, r.id LIMIT $3) q) p
 WHERE bytes - size < $2
 ORDER BY added_at, id

-- name: intent_related_at
-- The position of an intent among those related to $1, for the page after it.
SELECT microseconds(CASE $3 WHEN 'child' THEN
           (SELECT created_at FROM intent WHERE id = $2 AND parent_intent_id = $1)
       WHEN 'dependency' THEN (SELECT added_at FROM intent_dependency
                                WHERE intent_id = $1 AND dependency_id = $2)
       ELSE (SELECT added_at FROM intent_dependency
              WHERE intent_id = $2 AND dependency_id = $1) END)

-- name: intent_refs
SELECT r.id,
       intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $2, $3) AS access, r.test
  FROM intent r WHERE r.id = ANY ($1::uuid[])

-- name: intent_dependency_insert
INSERT INTO intent_dependency (intent_id, dependency_id, added_at) VALUES ($1, $2, $3)
ON CONFLICT DO NOTHING

-- name: intent_dependency_delete
DELETE FROM intent_dependency WHERE intent_id = $1 AND dependency_id = $2

-- name: intent_depends_on
-- Writes an intent's list of dependencies again, after a change.
UPDATE intent
   SET depends_on = (SELECT coalesce(json_agg(d.dependency_id
                                              ORDER BY d.added_at, d.dependency_id), '[]')::text
                       FROM intent_dependency d WHERE d.intent_id = $1)
 WHERE id = $1

-- name: intent_graph
-- Edges are added one after the other, so that each addition sees the edges before it.
SELECT pg_advisory_xact_lock(7361797303)

-- name: intent_ring
-- An intent ends after its dependencies and its children. Is one of $2 the intent $1, or has
-- one of them to end after it? Up from $1, up to a limit: found, and the number searched.
WITH RECURSIVE later (id) AS (
    SELECT $1::uuid
    UNION
    SELECT u.id FROM later l CROSS JOIN LATERAL (
        SELECT i.parent_intent_id AS id FROM intent i
         WHERE i.id = l.id AND i.parent_intent_id IS NOT NULL
        UNION ALL
        SELECT d.intent_id FROM intent_dependency d WHERE d.dependency_id = l.id) u
)
SELECT coalesce(bool_or(id = ANY ($2::uuid[])), false), count(*)
  FROM (SELECT id FROM later LIMIT 10001) l

-- name: intent_open
-- What $1 waits for: at most 20 dependencies and children that are in the way of its end.
(SELECT d.dependency_id FROM intent_dependency d JOIN intent x ON x.id = d.dependency_id
  WHERE d.intent_id = $1 AND x.status <> 'completed' ORDER BY d.added_at LIMIT 20)
UNION ALL
(SELECT c.id FROM intent c
  WHERE c.parent_intent_id = $1 AND c.status NOT IN ('completed', 'abandoned')
  ORDER BY c.created_at, c.id LIMIT 20)
LIMIT 20

-- name: intent_nodes
-- $1 and those below it, down to $4 levels, that the agent $2 reaches at $3, and the
-- dependencies of these elsewhere: at most $5 in all. Of one that is closed to it only the id and
-- the status are told, which those that wait for it show as well.
WITH RECURSIVE below (id, depth) AS (
    SELECT $1::uuid, 0
    UNION ALL
    SELECT c.id, b.depth + 1 FROM below b JOIN intent c ON c.parent_intent_id = b.id
     WHERE b.depth < $4::int
), inside AS MATERIALIZED (
    SELECT r.id, b.depth
      FROM (SELECT id, depth FROM below LIMIT $5) b JOIN intent r ON r.id = b.id
     WHERE b.depth = 0 OR intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $2, $3) > 0
), node AS (
    SELECT id, depth FROM inside
    UNION ALL
    SELECT DISTINCT d.dependency_id, NULL::int FROM inside i
      JOIN intent_dependency d ON d.intent_id = i.id
      JOIN intent y ON y.id = d.dependency_id AND reader_sort(y.test, $2)
     WHERE NOT EXISTS (SELECT 1 FROM inside x WHERE x.id = d.dependency_id)
)
SELECT i.id, CASE WHEN n.told THEN i.title END, i.status, CASE WHEN n.told THEN s.expires_at END,
       i.version, CASE WHEN n.told THEN i.parent_intent_id END,
       CASE WHEN n.told THEN i.depends_on ELSE '[]' END,
       CASE WHEN n.told THEN o.suspension_id END, n.depth IS NULL
  FROM (SELECT q.id, q.depth, q.depth IS NOT NULL OR NOT coalesce(intent_shut(q.id, $2, $3), false) AS told
          FROM node q) n
  JOIN intent i ON i.id = n.id LEFT JOIN open_question o
    ON o.intent_id = i.id AND o.slot = 0
  LEFT JOIN suspension s ON s.id = o.suspension_id
 ORDER BY n.depth NULLS LAST, i.created_at, i.id LIMIT $5

-- name: intent_unblockable
-- Blocked intents for which $1 was the last open dependency, some at a time, because their
-- number has no limit; only the columns that the next event needs. Their locks are held.
SELECT r.id, r.version, r.event_sequence, r.event_hash, r.containers, r.test FROM intent r
 WHERE r.status = 'blocked'
   AND r.id IN (SELECT d.intent_id FROM intent_dependency d WHERE d.dependency_id = $1)
   AND NOT EXISTS (SELECT 1 FROM intent_dependency d JOIN intent x ON x.id = d.dependency_id
                    WHERE d.intent_id = r.id AND x.status <> 'completed' AND x.id <> $1)
 ORDER BY r.id LIMIT 50

-- name: intent_move
UPDATE intent
   SET status = $2, version = $3, updated_at = $4, event_sequence = $5, event_hash = $6
 WHERE id = $1

-- name: intent_dependencies_insert
INSERT INTO intent_dependency (intent_id, dependency_id, added_at)
SELECT $1, d.id, $3::timestamptz + d.n * interval '1 microsecond'
  FROM unnest($2::uuid[]) WITH ORDINALITY AS d (id, n)
ON CONFLICT DO NOTHING

-- name: intent_shut
-- Is $1 closed, and to the agent $2 at $3?
SELECT intent_shut($1, $2, $3)
