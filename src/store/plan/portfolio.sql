-- Portfolios and their members. Where $2 is an agent of limited reach, it reads a portfolio
-- that it made, whose coordinator it is, or of which it reaches a member at $3; other readers
-- (as in intent_access) read all.

-- piece: portfolio_columns
SELECT {p.portfolio},
       (SELECT k.agent_id FROM coordinator k WHERE k.portfolio_id = p.id AND k.ended_at IS NULL),
       (SELECT k.granted_by FROM coordinator k WHERE k.portfolio_id = p.id AND k.ended_at IS NULL)

-- piece: portfolio_reached
reader_sort(p.test, $2)
   AND ($2::text IS NULL OR reader_all($2) OR p.created_by = reader_name($2) OR EXISTS (
            SELECT 1 FROM coordinator k
             WHERE k.portfolio_id = p.id AND k.ended_at IS NULL AND k.agent_id = reader_name($2))
        OR EXISTS (
            SELECT 1 FROM portfolio_member m JOIN intent i ON i.id = m.intent_id
             WHERE m.portfolio_id = p.id
               AND intent_access(i.id, i.test, i.created_by, i.owner, i.acl, $2, $3) > 0))

-- name: portfolio_get
-- use: portfolio_columns
  FROM portfolio p
 WHERE p.id = $1 AND
-- use: portfolio_reached

-- name: portfolio_take
SELECT 1 FROM portfolio WHERE id = $1 FOR NO KEY UPDATE

-- name: portfolio_list
-- The newest first, after the portfolio $4.
-- use: portfolio_columns
  FROM portfolio p
 WHERE ($5::text IS NULL OR p.created_by = $5) AND ($6::text IS NULL OR p.status = $6)
   AND ($4::uuid IS NULL OR (p.created_at, p.id) < (
            SELECT x.created_at, x.id FROM portfolio x WHERE x.id = $4))
   AND
-- use: portfolio_reached
 ORDER BY p.created_at DESC, p.id DESC LIMIT $1

-- name: portfolio_of_intent
-- use: portfolio_columns
  FROM portfolio_member m JOIN portfolio p ON p.id = m.portfolio_id
 WHERE m.intent_id = $1 ORDER BY m.added_at, p.id LIMIT 5

-- name: portfolio_insert
INSERT INTO portfolio ({portfolio.insert}) VALUES ({portfolio.places})

-- name: portfolio_update
UPDATE portfolio SET {portfolio.set:2} WHERE id = $1

-- name: portfolio_open
-- At most 20 members that stand in the way of its completion; $2: abandoned ones do not.
SELECT m.intent_id FROM portfolio_member m JOIN intent i ON i.id = m.intent_id
 WHERE m.portfolio_id = $1 AND i.status <> 'completed' AND NOT ($2 AND i.status = 'abandoned')
 ORDER BY m.priority DESC, m.added_at, m.intent_id LIMIT 20

-- name: portfolio_members
-- The members that the agent $2 reaches at $3, in their order, and then the intents elsewhere
-- that those of them that have not ended depend on; of one that is closed to it only the id and
-- the status.
WITH inside AS MATERIALIZED (
    SELECT {m.portfolio_member}, i.status
      FROM portfolio_member m JOIN intent i ON i.id = m.intent_id
     WHERE m.portfolio_id = $1
       AND intent_access(i.id, i.test, i.created_by, i.owner, i.acl, $2, $3) > 0
     LIMIT 1100
), node AS (
    SELECT {portfolio_member} FROM inside
    UNION ALL
    SELECT DISTINCT NULL::uuid, NULL::uuid, d.dependency_id, NULL, NULL::int, NULL::timestamptz
      FROM inside x JOIN intent_dependency d ON d.intent_id = x.intent_id
      JOIN intent z ON z.id = d.dependency_id AND reader_sort(z.test, $2)
     WHERE x.status NOT IN ('completed', 'abandoned')
       AND NOT EXISTS (SELECT 1 FROM inside y WHERE y.intent_id = d.dependency_id)
)
SELECT i.id, CASE WHEN n.told THEN i.title END, i.status,
       CASE WHEN n.told THEN i.depends_on ELSE '[]' END,
       CASE WHEN n.told THEN o.suspension_id END,
       CASE WHEN n.told THEN microseconds(s.expires_at) END,
       {n.portfolio_member},
       CASE i.status WHEN 'suspended_awaiting_input'
       THEN coalesce(o.suspended_at, i.updated_at) END
  FROM (SELECT q.*, q.id IS NOT NULL OR NOT coalesce(intent_shut(q.intent_id, $2, $3), false)
                    AS told
          FROM node q) n
  JOIN intent i ON i.id = n.intent_id LEFT JOIN open_question o
    ON o.intent_id = i.id AND o.slot = 0
  LEFT JOIN suspension s ON s.id = o.suspension_id
 ORDER BY n.id IS NULL, n.priority DESC, n.added_at, i.id LIMIT 5000

-- name: portfolio_intents
-- The members as whole intents, after the one with the id $6; as the lists of intent.sql.
SELECT p.*
  FROM (SELECT q.*, sum(size) OVER (ORDER BY place DESC, added_at, id
                                    ROWS UNBOUNDED PRECEDING) AS bytes,
               count(*) OVER () AS found
          FROM (SELECT r.*, 3 AS access, m.priority AS place, m.added_at,
-- use: intent_size
                  FROM portfolio_member m JOIN intent r ON r.id = m.intent_id
                 WHERE m.portfolio_id = $1
                   AND intent_access(r.id, r.test, r.created_by, r.owner, r.acl, $2, $3) > 0
                   AND ($6::uuid IS NULL OR (-m.priority, m.added_at, m.intent_id) > (
                            SELECT -x.priority, x.added_at, x.intent_id
                              FROM portfolio_member x
                             WHERE x.portfolio_id = $1 AND x.intent_id = $6))
                 ORDER BY m.priority DESC, m.added_at, m.intent_id LIMIT $5) q) p
 WHERE bytes - size < $4
 ORDER BY place DESC, added_at, id

-- name: portfolio_member
-- The membership of the intent $2, and what limits another one: the members of the portfolio,
-- the portfolios of the intent, and whether another intent is its primary one.
SELECT {m.portfolio_member},
       (SELECT count(*) FROM portfolio_member x WHERE x.portfolio_id = $1),
       (SELECT count(*) FROM portfolio_member x WHERE x.intent_id = $2),
       EXISTS (SELECT 1 FROM portfolio_member x
                WHERE x.portfolio_id = $1 AND x.role = 'primary' AND x.intent_id <> $2)
  FROM (SELECT) one LEFT JOIN portfolio_member m
    ON m.portfolio_id = $1 AND m.intent_id = $2

-- name: portfolio_join
INSERT INTO portfolio_member ({portfolio_member.insert}) VALUES ({portfolio_member.places})
ON CONFLICT (intent_id, portfolio_id) DO UPDATE SET {portfolio_member.excluded}

-- name: portfolio_leave
DELETE FROM portfolio_member WHERE portfolio_id = $1 AND intent_id = $2

-- name: portfolio_mark
-- After a change of memberships: the bit that says whether the intent is in a portfolio.
UPDATE intent i
   SET containers = CASE WHEN EXISTS (SELECT 1 FROM portfolio_member m
                                       WHERE m.intent_id = i.id)
                    THEN i.containers | 1 ELSE i.containers & 6 END
 WHERE i.id = $1

-- name: portfolio_active
-- The active portfolios of an intent.
SELECT p.id, p.threshold FROM portfolio_member m JOIN portfolio p ON p.id = m.portfolio_id
 WHERE m.intent_id = $1 AND p.status = 'active' ORDER BY p.id LIMIT 5

-- name: portfolio_take_many
SELECT 1 FROM portfolio WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE

-- name: portfolio_complete
-- Of these, those whose threshold is reached, where the intent $2 counts as completed. Where a
-- person granted the coordinator, open members stay with it.
UPDATE portfolio p
   SET status = 'completed', status_by = $3, status_at = $4, version = p.version + 1,
       updated_at = $4
 WHERE p.id = ANY ($1::uuid[]) AND p.status = 'active'
   AND p.threshold <= (
           SELECT count(*) FILTER (WHERE i.status = 'completed' OR i.id = $2) * 100 / count(*)
             FROM portfolio_member m JOIN intent i ON i.id = m.intent_id
            WHERE m.portfolio_id = p.id)
   AND NOT EXISTS (
           SELECT 1 FROM coordinator k
             JOIN portfolio_member m ON m.portfolio_id = k.portfolio_id
             JOIN intent i ON i.id = m.intent_id
            WHERE k.portfolio_id = p.id AND k.ended_at IS NULL AND k.granted_by IS NOT NULL
              AND i.id <> $2 AND i.status NOT IN ('completed', 'abandoned'))

-- name: portfolio_over
-- Of each of these intents, the active portfolio whose deadline was over first.
SELECT DISTINCT ON (m.intent_id) m.intent_id, p.id, microseconds(p.deadline)
  FROM portfolio_member m JOIN portfolio p ON p.id = m.portfolio_id
 WHERE m.intent_id = ANY ($1::uuid[]) AND p.status = 'active' AND p.deadline <= $2
 ORDER BY m.intent_id, p.deadline, p.id

-- name: portfolio_share
-- No deadline of the intent's portfolios changes until the transaction ends.
SELECT 1 FROM portfolio
 WHERE id IN (SELECT m.portfolio_id FROM portfolio_member m WHERE m.intent_id = $1)
 ORDER BY id FOR SHARE

-- name: portfolio_deadlines
-- The deadlines of these intents' questions, as their portfolios are now.
UPDATE open_question o
   SET deadline_at = coalesce((
           SELECT min(p.deadline) FROM portfolio_member m
             JOIN portfolio p ON p.id = m.portfolio_id
            WHERE m.intent_id = o.intent_id AND p.status = 'active'), 'infinity')
 WHERE o.intent_id = ANY ($1::uuid[]) AND o.slot = 0

-- name: portfolio_waiting
-- The members that wait for an answer.
SELECT m.intent_id FROM portfolio_member m
  JOIN open_question o ON o.intent_id = m.intent_id AND o.slot = 0
 WHERE m.portfolio_id = $1 ORDER BY m.intent_id

-- name: portfolio_questions
-- The open questions of the members, those that end first before the others, and how many
-- there are.
SELECT {s.suspension}, q.found
  FROM (SELECT o.suspension_id, o.ending, o.suspended_at, count(*) OVER () AS found
          FROM portfolio_member m JOIN open_question o ON o.intent_id = m.intent_id
         WHERE m.portfolio_id = $1
         ORDER BY o.ending, o.suspended_at, o.suspension_id LIMIT $2) q
  JOIN suspension_row s ON s.id = q.suspension_id
 ORDER BY q.ending, q.suspended_at, s.id

-- name: portfolio_take_intents
SELECT 1 FROM intent WHERE id = ANY ($1::uuid[]) ORDER BY id FOR NO KEY UPDATE
