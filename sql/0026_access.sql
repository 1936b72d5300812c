-- The access of agents to an intent (OpenIntent RFC-0011): entries, and intents that are closed
-- to agents without one.

-- 0: open, without entries; 1: open, with entries; 2: closed. With 0 nothing else is looked up.
ALTER TABLE intent ADD COLUMN acl smallint NOT NULL DEFAULT 0 CHECK (acl BETWEEN 0 AND 2);

-- A row changes only under the lock of its intent, and goes when it is taken back or over.
CREATE TABLE acl_entry (
    id                uuid PRIMARY KEY,
    intent_id         uuid NOT NULL REFERENCES intent,
    intent_created_at timestamptz NOT NULL,
    principal_id      text NOT NULL, -- an agent's name
    permission        text NOT NULL CHECK (permission IN ('read', 'write', 'admin')),
    reason            text,
    granted_by        text NOT NULL,
    granted_at        timestamptz NOT NULL,
    expires_at        timestamptz NOT NULL, -- infinity: never
    CONSTRAINT acl_entry_principal UNIQUE (intent_id, principal_id)
);
CREATE INDEX acl_entry_newest_by_agent
    ON acl_entry (principal_id, intent_created_at DESC, intent_id DESC);
CREATE INDEX acl_entry_lapsing ON acl_entry (expires_at, id) WHERE expires_at < 'infinity';
CREATE TRIGGER acl_entry_made BEFORE INSERT ON acl_entry
    FOR EACH ROW EXECUTE FUNCTION intent_made();

CREATE OR REPLACE VIEW intent_row AS
SELECT i.id, i.title, i.description, i.created_by, i.status, i.constraints, i.state,
       i.confidence, i.version, microseconds(i.created_at) AS created_us,
       microseconds(i.updated_at) AS updated_us, i.parent_intent_id,
       i.governance_policy, i.session_id, i.task_id, i.turn_id, i.initiated_by,
       i.event_sequence, i.event_hash,
       i.depends_on, i.created_at, i.owner, i.initiator_id, i.containers, i.acl
  FROM intent i;

-- What ties an agent to an intent, until when, and the access that it gives: 1 read, 2 write,
-- 3 admin. The strongest tie counts. Of a closed intent a lease and the coordinator are none,
-- and a lease is none for an agent with an entry, so that nobody gets more by a lease than the
-- entry gives.
CREATE OR REPLACE VIEW intent_tie AS
SELECT i.id AS intent_id, i.created_by AS agent,
       coalesce(i.created_at, 'infinity') AS created_at, 'infinity'::timestamptz AS until,
       3 AS access
  FROM intent i
UNION ALL
SELECT i.id, i.owner, coalesce(i.created_at, 'infinity'), 'infinity', 3 FROM intent i
UNION ALL
SELECT a.intent_id, a.agent_id, a.intent_created_at, 'infinity',
       (SELECT CASE i.acl WHEN 2 THEN 2 ELSE 3 END FROM intent i WHERE i.id = a.intent_id)
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
          FROM intent i WHERE i.id = l.intent_id), 3
  FROM lease l
UNION ALL
SELECT c.intent_id,
       CASE WHEN c.ended_at IS NULL AND c.intent_id IS NOT NULL THEN c.agent_id END,
       c.intent_created_at,
       (SELECT CASE i.acl WHEN 2 THEN '-infinity'::timestamptz ELSE 'infinity' END
          FROM intent i WHERE i.id = c.intent_id), 3
  FROM coordinator c
UNION ALL
SELECT e.intent_id, e.principal_id, e.intent_created_at, e.expires_at,
       CASE e.permission WHEN 'admin' THEN 3 WHEN 'write' THEN 2 ELSE 1 END
  FROM acl_entry e;

-- The access of a reader to an intent at that moment: 0 none to 3 admin. The reader is NULL for
-- people, who have all; an agent's name; or, after a slash, the name of an agent whose key
-- reaches every intent, which is true of open ones. The last function is a part of the
-- statement that calls it, so that the maker and the owner, who ask most, cost no look at the
-- view.
CREATE FUNCTION intent_access_of(id uuid, acl smallint, reader text, at timestamptz)
    RETURNS integer LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
DECLARE
    name text := ltrim(reader, '/');
BEGIN
    IF starts_with(reader, '/') AND $2 < 2 THEN
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
CREATE FUNCTION intent_access_of(id uuid, reader text, at timestamptz)
    RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT intent_access_of($1, (SELECT i.acl FROM intent i WHERE i.id = $1), $2, $3) $$;
CREATE FUNCTION intent_access(id uuid, maker text, owner text, acl smallint, reader text,
                              at timestamptz)
    RETURNS integer LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN reader IS NULL OR maker = reader OR owner = reader OR
                           (acl < 2 AND starts_with(reader, '/')) THEN 3
                      ELSE intent_access_of(id, acl, reader, at) END $$;
-- Is the intent closed, and to this agent?
CREATE FUNCTION intent_shut(id uuid, agent text, at timestamptz)
    RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT (SELECT i.acl FROM intent i WHERE i.id = $1) = 2
             AND intent_access_of($1, $2, $3) = 0 $$;
DROP FUNCTION intent_tied, intent_tie_holds;

-- A request for access is a question beside the one that holds the intent.
CREATE OR REPLACE FUNCTION suspension_slot(origin text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (CASE WHEN origin IN ('approval', 'escalation', 'arbitration', 'checkpoint',
                                       'plan_review', 'access')
                       THEN 1 ELSE 0 END)::smallint $$;
ALTER TABLE suspension DROP CONSTRAINT suspension_origin_check,
    ADD CONSTRAINT suspension_origin_check
    CHECK (origin IN ('tool_call', 'authorization', 'approval', 'escalation', 'arbitration',
                      'checkpoint', 'plan_review', 'access'))
    NOT VALID;
ALTER TABLE suspension VALIDATE CONSTRAINT suspension_origin_check;
CREATE INDEX suspension_access ON suspension (intent_id, seq DESC) WHERE origin = 'access';

-- watched: the portfolios that the intent was in at that time and still is, the agents that
-- reach it, and whether it is closed to all others; NULL for an open intent in none.
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
                   'agents', (SELECT json_agg(t.agent)
                                FROM (SELECT t.agent FROM intent_tie t
                                       WHERE t.intent_id = i.id AND t.until > now()
                                         AND t.agent IS NOT NULL LIMIT 400) t))
          FROM intent i WHERE i.id = e.intent_id AND (i.containers & 1 = 1 OR i.acl = 2))
           AS watched
  FROM event e;

GRANT SELECT, INSERT, DELETE ON acl_entry TO sayso_web;
GRANT UPDATE (permission, reason, granted_by, granted_at, expires_at) ON acl_entry TO sayso_web;
GRANT SELECT, DELETE ON acl_entry TO sayso_tick;
-- Deliveries to an agent without access are not sent any more.
GRANT UPDATE (state, next_at, ended_at, answer) ON delivery TO sayso_web, sayso_tick;
