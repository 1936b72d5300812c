-- Tests live apart: what a test key makes is marked. Test keys reach that alone, and the keys of
-- real agents reach none of it.

ALTER TABLE intent ADD COLUMN test boolean NOT NULL DEFAULT false;
ALTER TABLE portfolio ADD COLUMN test boolean NOT NULL DEFAULT false;
-- Of an endpoint that an agent registered itself. NULL: an admin's, which hears of both sorts.
ALTER TABLE endpoint ADD COLUMN test boolean;
ALTER TABLE initiation ADD COLUMN test boolean NOT NULL DEFAULT false;
-- A name may go from one sort to the other once its keys have ended: a task's id is known by both.
ALTER TABLE tool_task ADD COLUMN test boolean NOT NULL DEFAULT false,
    DROP CONSTRAINT tool_task_once,
    ADD CONSTRAINT tool_task_once PRIMARY KEY (agent, task_id, test);

-- The rows that are there. Where a real key asked as well, or has the name of the maker, the
-- intent stays a real one: nothing is taken from a real agent.
CREATE TEMPORARY TABLE test_only AS
SELECT DISTINCT n.name FROM api_key k CROSS JOIN unnest(k.agents) n (name)
 WHERE k.test AND n.name <> '*'
   AND NOT EXISTS (SELECT 1 FROM api_key r
                    WHERE r.role = 'agent' AND NOT r.test AND n.name = ANY (r.agents));
UPDATE intent i SET test = true
 WHERE (i.created_by IN (SELECT name FROM test_only) OR
        EXISTS (SELECT 1 FROM suspension s WHERE s.intent_id = i.id AND s.test))
   AND NOT EXISTS (SELECT 1 FROM suspension s JOIN api_key k ON k.id::text = s.asked_by_key::text
                    WHERE s.intent_id = i.id AND k.role = 'agent' AND NOT k.test);
UPDATE suspension s SET test = true FROM intent i
 WHERE i.id = s.intent_id AND i.test AND NOT s.test;
UPDATE tool_task t SET test = true FROM intent i WHERE i.id = t.intent_id AND i.test;
UPDATE portfolio p SET test = true
 WHERE (p.created_by IN (SELECT name FROM test_only) OR
        EXISTS (SELECT 1 FROM portfolio_member m WHERE m.portfolio_id = p.id))
   AND NOT EXISTS (SELECT 1 FROM portfolio_member m JOIN intent i ON i.id = m.intent_id
                    WHERE m.portfolio_id = p.id AND NOT i.test);
UPDATE endpoint e SET test = coalesce((SELECT k.test FROM api_key k WHERE k.id = e.key_id),
                                      e.agent IN (SELECT name FROM test_only))
 WHERE e.kind = 'agent' AND e.agent = e.created_by;
UPDATE initiation SET test = true WHERE agent IN (SELECT name FROM test_only);
DROP TABLE test_only;

-- A reader, or a caller that statements compare with stored names, is an agent's name; before it
-- "/", where its key reaches every intent, and before that "test/" of a test key. No name has a
-- slash. NULL: people.
CREATE FUNCTION reader_name(reader text) RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT split_part(reader, '/', -1) $$;
CREATE FUNCTION reader_all(reader text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT starts_with(reader, '/') OR starts_with(reader, 'test//') $$;
-- Is something of this sort within the reader's world?
CREATE FUNCTION reader_sort(test boolean, reader text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT reader IS NULL OR test = starts_with(reader, 'test/') $$;

-- As before, and whether the intent is a test: a tie counts for readers of that sort alone.
CREATE OR REPLACE VIEW intent_tie AS
SELECT i.id AS intent_id, i.created_by AS agent,
       coalesce(i.created_at, 'infinity') AS created_at, 'infinity'::timestamptz AS until,
       3 AS access, i.test
  FROM intent i
UNION ALL
SELECT i.id, i.owner, coalesce(i.created_at, 'infinity'), 'infinity', 3, i.test FROM intent i
UNION ALL
SELECT a.intent_id, a.agent_id, a.intent_created_at, 'infinity',
       (SELECT CASE i.acl WHEN 2 THEN 2 ELSE 3 END FROM intent i WHERE i.id = a.intent_id),
       (SELECT i.test FROM intent i WHERE i.id = a.intent_id)
  FROM assignment a
UNION ALL
SELECT l.intent_id, CASE l.status WHEN 'active' THEN l.agent_id END, l.intent_created_at,
       (SELECT CASE WHEN i.acl = 2 OR
                         (i.acl = 1 AND EXISTS (SELECT 1 FROM acl_entry e
                                                 WHERE e.intent_id = i.id
                                                   AND e.principal_id = l.agent_id))
                    THEN '-infinity'
                    WHEN i.status = 'suspended_awaiting_input' THEN 'infinity'
                    ELSE l.expires_at END
          FROM intent i WHERE i.id = l.intent_id), 3,
       (SELECT i.test FROM intent i WHERE i.id = l.intent_id)
  FROM lease l
UNION ALL
SELECT c.intent_id,
       CASE WHEN c.ended_at IS NULL AND c.intent_id IS NOT NULL THEN c.agent_id END,
       c.intent_created_at,
       (SELECT CASE i.acl WHEN 2 THEN '-infinity'::timestamptz ELSE 'infinity' END
          FROM intent i WHERE i.id = c.intent_id), 3,
       (SELECT i.test FROM intent i WHERE i.id = c.intent_id)
  FROM coordinator c
UNION ALL
SELECT e.intent_id, e.principal_id, e.intent_created_at, e.expires_at,
       CASE e.permission WHEN 'admin' THEN 3 WHEN 'write' THEN 2 ELSE 1 END,
       (SELECT i.test FROM intent i WHERE i.id = e.intent_id)
  FROM acl_entry e;

-- The access by ties, of a reader of the intent's sort.
CREATE OR REPLACE FUNCTION intent_access_of(id uuid, acl smallint, reader text, at timestamptz)
    RETURNS integer LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    name text := reader_name(reader);
BEGIN
    IF reader_all(reader) AND $2 < 2 THEN
        RETURN 3;
    END IF;
    IF $2 = 0 THEN
        RETURN CASE WHEN EXISTS (SELECT 1 FROM intent_tie t
                                  WHERE t.intent_id = $1 AND t.agent = name AND t.until > $4)
               THEN 3 ELSE 0 END;
    END IF;
    RETURN coalesce((SELECT max(t.access) FROM intent_tie t
                      WHERE t.intent_id = $1 AND t.agent = name AND t.until > $4), 0);
END
$$;
DROP FUNCTION intent_access;
-- The access of a reader to an intent at that moment: 0 none to 3 admin; none to one of the other
-- sort. A part of the statement that calls it, so that the maker and the owner, who ask most,
-- cost no look at the view.
CREATE FUNCTION intent_access(id uuid, test boolean, maker text, owner text, acl smallint,
                              reader text, at timestamptz)
    RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN reader IS NULL THEN 3
                      WHEN test <> starts_with(reader, 'test/') THEN 0
                      WHEN maker = reader OR owner = reader OR
                           (acl < 2 AND starts_with(reader, '/')) THEN 3
                      ELSE intent_access_of(id, acl, reader, at) END $$;
-- The same by the intent's id.
CREATE FUNCTION intent_reach(id uuid, reader text, at timestamptz)
    RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT (SELECT intent_access(i.id, i.test, i.created_by, i.owner, i.acl, $2, $3)
                    FROM intent i WHERE i.id = $1) $$;

-- watched: as before, and of a test that it is one.
CREATE OR REPLACE VIEW event_row AS
SELECT e.xid, e.intent_id, e.sequence, e.event_type, e.canonical, e.event_hash,
       CASE e.event_type
       WHEN 'intent.suspended' THEN
           (SELECT s.record FROM suspension s
             WHERE s.intent_id = e.intent_id AND s.asked_sequence = e.sequence)
       WHEN 'intent.suspension_expired' THEN
           (SELECT s.record FROM suspension s
             WHERE s.id = e.canonical::jsonb #>> '{payload,suspension_id}')
       END AS record,
       (SELECT coalesce(json_agg(a.agent_id), '[]')
          FROM (SELECT agent_id FROM assignment WHERE intent_id = e.intent_id
                 ORDER BY agent_id LIMIT 200) a) AS agents,
       (SELECT i.version FROM intent i WHERE i.id = e.intent_id) AS version,
       (SELECT json_build_object(
                   'portfolios', (SELECT json_agg(m.portfolio_id) FROM portfolio_member m
                                   WHERE m.intent_id = i.id AND m.added_at <= e.created_at),
                   'closed', i.acl = 2,
                   'test', i.test,
                   'agents', (SELECT json_agg(t.agent)
                                FROM (SELECT t.agent FROM intent_tie t
                                       WHERE t.intent_id = i.id AND t.until > now()
                                         AND t.agent IS NOT NULL LIMIT 400) t))
          FROM intent i WHERE i.id = e.intent_id
                          AND (i.containers & 1 = 1 OR i.acl = 2 OR i.test))
           AS watched
  FROM event e;

-- A name belongs to real keys or to test keys. These names of the other sort's valid keys are none
-- that this key may use: those that it names itself, and for a key of any agent all of them.
CREATE FUNCTION key_taken(agents text[], test boolean) RETURNS text
    LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT string_agg(DISTINCT n.name, ' ')
            FROM api_key o CROSS JOIN unnest(o.agents) n (name)
           WHERE o.role = 'agent' AND o.test <> $2 AND n.name <> '*'
             AND o.revoked_at IS NULL AND (o.expires_at IS NULL OR o.expires_at > now())
             AND ('*' = ANY ($1) OR n.name = ANY ($1)) $$;
-- Workers cache a key as long as its row is the same one: what changes the names of the other
-- sort writes the rows of the keys that have to know again.
CREATE FUNCTION api_key_named() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    UPDATE api_key k SET reach = k.reach
     WHERE k.role = 'agent' AND k.test <> NEW.test
       AND (k.agents && NEW.agents OR '*' = ANY (k.agents));
    RETURN NULL;
END
$$;
CREATE TRIGGER api_key_named AFTER INSERT OR UPDATE OF agents, test, revoked_at ON api_key
    FOR EACH ROW WHEN (NEW.role = 'agent') EXECUTE FUNCTION api_key_named();

GRANT SELECT (test) ON api_key TO sayso_wait, sayso_tick;
