-- The access control lists of intents. Rows change only under the lock of their intent.

-- name: acl_list
-- Those that are not over at $2.
SELECT {acl_entry} FROM acl_entry WHERE intent_id = $1 AND expires_at > $2
 ORDER BY granted_at, principal_id LIMIT 50

-- name: acl_all
-- Those that are over too.
SELECT {acl_entry} FROM acl_entry WHERE intent_id = $1 ORDER BY granted_at, principal_id LIMIT 50

-- name: acl_put
INSERT INTO acl_entry ({acl_entry.insert}) VALUES ({acl_entry.places})
ON CONFLICT (intent_id, principal_id) DO UPDATE SET {acl_entry.excluded}

-- name: acl_remove
DELETE FROM acl_entry WHERE id = ANY ($1::uuid[])

-- name: acl_mark
-- After a change of entries; $2: the intent is closed.
UPDATE intent i
   SET acl = CASE WHEN $2 THEN 2
                  WHEN EXISTS (SELECT 1 FROM acl_entry e WHERE e.intent_id = i.id) THEN 1
                  ELSE 0 END
 WHERE i.id = $1

-- name: acl_end_leases
-- After a change: the active leases of the agents $2, and of those that may not write at $3.
UPDATE lease SET status = 'revoked', released_at = $3
 WHERE id = ANY (ARRAY(SELECT l.id FROM lease l
                        WHERE l.intent_id = $1 AND l.status = 'active'
                          AND (l.agent_id = ANY ($2::text[]) OR
                               intent_access_of($1, l.agent_id, $3) < 2)))
RETURNING {lease}

-- name: acl_end_deliveries
-- After a change: deliveries that wait for agents that the intent is closed to at $3, or that
-- have no tie left of those in $2. Of a prefix they are for the agents that asked. The answer
-- to a request for access is still sent.
UPDATE delivery SET state = 'failed', next_at = NULL, ended_at = $3,
       answer = 'Failed: the agent may no longer read the task.'
 WHERE id = ANY (ARRAY(
     SELECT d.id FROM endpoint e
      CROSS JOIN LATERAL (SELECT x.id, x.suspension_id,
                                  coalesce(e.agent, x.asked_by) AS agent FROM delivery x
                           WHERE x.endpoint_id = e.id AND x.state = 'pending'
                             AND x.intent_id = $1) d
      WHERE e.kind = 'agent' AND e.removed_at IS NULL AND (e.agent IS NOT NULL OR e.prefix)
        AND d.agent IS NOT NULL
        AND (intent_shut($1, d.agent, $3) OR
             (d.agent = ANY ($2::text[]) AND intent_access_of($1, d.agent, $3) = 0))
        AND NOT EXISTS (SELECT 1 FROM suspension s
                         WHERE s.id = d.suspension_id AND s.origin = 'access')))

-- name: acl_ties
-- The agents that are tied to the intent at $2 in any way: the strongest, and until when; NULL:
-- without end.
SELECT DISTINCT ON (t.agent) t.agent, t.access,
       CASE WHEN isfinite(t.until) THEN microseconds(t.until) END
  FROM intent_tie t
 WHERE t.intent_id = $1 AND t.agent IS NOT NULL AND t.until > $2
 ORDER BY t.agent, t.access DESC, t.until DESC LIMIT 1000

-- name: acl_giver
-- The agent $2, which calls with the key $3, and the agent $4. Is $2 assigned to the intent $1
-- while it is open; is $4 the same agent, or a name beside $2 of the key at hand or of another
-- one; does a key of $2 reach all; has $2 the access $5 at $6, and until when (NULL: no end)?
WITH mine AS (
    SELECT k.agents, k.reach FROM api_key k
     WHERE k.id = $3
        OR (k.role = 'agent' AND k.agents @> ARRAY[$2::text] AND k.revoked_at IS NULL
            AND (k.expires_at IS NULL OR k.expires_at > $6))
), has AS (
    SELECT CASE e.permission WHEN 'admin' THEN 3 WHEN 'write' THEN 2 ELSE 1 END AS access,
           e.expires_at AS until
      FROM acl_entry e WHERE e.intent_id = $1 AND e.principal_id = $2
    UNION ALL
    SELECT CASE i.acl WHEN 2 THEN 2 ELSE 3 END, 'infinity'
      FROM assignment g JOIN intent i ON i.id = g.intent_id
     WHERE g.intent_id = $1 AND g.agent_id = $2
    UNION ALL
    SELECT 3, 'infinity' FROM coordinator c JOIN intent i ON i.id = c.intent_id
     WHERE c.intent_id = $1 AND c.agent_id = $2 AND c.ended_at IS NULL AND i.acl < 2
    UNION ALL
    SELECT 3, l.expires_at FROM lease l JOIN intent i ON i.id = l.intent_id
     WHERE l.intent_id = $1 AND l.agent_id = $2 AND l.status = 'active' AND i.acl < 2
       AND NOT EXISTS (SELECT 1 FROM acl_entry e
                        WHERE e.intent_id = $1 AND e.principal_id = $2)
), most AS (SELECT max(until) AS until FROM has WHERE access >= $5::integer AND until > $6)
SELECT EXISTS (SELECT 1 FROM assignment g JOIN intent i ON i.id = g.intent_id
                WHERE g.intent_id = $1 AND g.agent_id = $2 AND i.acl < 2),
       $2 = $4 OR EXISTS (SELECT 1 FROM mine WHERE $4 = ANY (agents) OR '*' = ANY (agents)),
       EXISTS (SELECT 1 FROM mine WHERE reach = 'all'),
       until IS NOT NULL, microseconds(CASE WHEN isfinite(until) THEN until END)
  FROM most

-- name: acl_borrowed
-- Until when the agent $2 has any access to the intent $1 by its ties at $3; NULL: without end, or
-- it has none.
SELECT CASE WHEN isfinite(max(t.until)) THEN microseconds(max(t.until)) END
  FROM intent_tie t WHERE t.intent_id = $1 AND t.agent = $2 AND t.until > $3

-- name: acl_requests
-- The requests for access to an intent, the newest first.
SELECT {s.suspension} FROM suspension_row s WHERE s.intent_id = $1 AND s.origin = 'access'
 ORDER BY s.seq DESC LIMIT 200

-- name: acl_requested
-- What limits another request: those of the intent, those of the agent $2, those that are open,
-- of all and of that agent, and is one open with the title $3?
SELECT count(*), count(*) FILTER (WHERE s.asked_by = $2), count(o.suspension_id),
       count(o.suspension_id) FILTER (WHERE s.asked_by = $2),
       coalesce(bool_or(o.suspension_id IS NOT NULL AND s.title = $3), false)
  FROM (SELECT x.id, x.asked_by, x.title FROM suspension x
         WHERE x.intent_id = $1 AND x.origin = 'access' ORDER BY x.seq DESC LIMIT 200) s
  LEFT JOIN open_question o ON o.suspension_id = s.id

-- name: due_acl
-- Entries that are over.
SELECT intent_id FROM acl_entry WHERE expires_at <= $1 AND expires_at < 'infinity'
 ORDER BY expires_at, id LIMIT 20

-- name: due_acl_of
SELECT {acl_entry} FROM acl_entry WHERE intent_id = ANY ($1::uuid[]) AND expires_at <= $2
