-- Agents are kept apart: each reaches the intents that it is tied to.

-- Keys that are there go on reaching every intent; new ones say what they reach. One that
-- speaks for any agent reaches all, and so does every key but an agent's.
ALTER TABLE api_key ADD COLUMN reach text NOT NULL DEFAULT 'all'
    CHECK (reach IN ('all', 'own')),
    ADD CHECK (reach = 'all' OR (role = 'agent' AND NOT '*' = ANY (agents)));
ALTER TABLE api_key ALTER COLUMN reach DROP DEFAULT;

-- When the intent was made, so that what an agent reaches is read in that order.
ALTER TABLE assignment ADD COLUMN intent_created_at timestamptz;
ALTER TABLE lease ADD COLUMN intent_created_at timestamptz;
UPDATE assignment a SET intent_created_at = i.created_at
  FROM intent i WHERE i.id = a.intent_id;
UPDATE lease l SET intent_created_at = i.created_at
  FROM intent i WHERE i.id = l.intent_id;
ALTER TABLE assignment ALTER COLUMN intent_created_at SET NOT NULL;
ALTER TABLE lease ALTER COLUMN intent_created_at SET NOT NULL;
CREATE FUNCTION intent_made() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    NEW.intent_created_at := (SELECT created_at FROM intent WHERE id = NEW.intent_id);
    RETURN NEW;
END
$$;
CREATE TRIGGER assignment_made BEFORE INSERT ON assignment
    FOR EACH ROW EXECUTE FUNCTION intent_made();
CREATE TRIGGER lease_made BEFORE INSERT ON lease
    FOR EACH ROW EXECUTE FUNCTION intent_made();

-- What an agent made and owns, newest first. The time stands in an expression so that a
-- plan for an agent with few cannot take the index of all intents for as good.
CREATE INDEX intent_newest_by_maker
    ON intent (created_by, (coalesce(created_at, 'infinity')) DESC, id DESC);
CREATE INDEX intent_newest_by_owner
    ON intent (owner, (coalesce(created_at, 'infinity')) DESC, id DESC)
    WHERE owner IS NOT NULL;
CREATE INDEX assignment_newest_by_agent
    ON assignment (agent_id, intent_created_at DESC, intent_id DESC);
CREATE INDEX lease_newest_by_agent
    ON lease ((CASE status WHEN 'active' THEN agent_id END), intent_created_at DESC,
              intent_id DESC) WHERE (CASE status WHEN 'active' THEN agent_id END) IS NOT NULL;

-- What ties an agent to an intent, and until when: it made it, owns it, is assigned to it
-- or holds a lease on it, which does not lapse while the intent waits for an answer. This
-- is the one place that says so; every statement that asks goes by it. Each part reads one
-- table and leaves out nothing, so that a list takes them in the order of their indexes.
CREATE VIEW intent_tie AS
SELECT i.id AS intent_id, i.created_by AS agent,
       coalesce(i.created_at, 'infinity') AS created_at, 'infinity'::timestamptz AS until
  FROM intent i
UNION ALL
SELECT i.id, i.owner, coalesce(i.created_at, 'infinity'), 'infinity' FROM intent i
UNION ALL
SELECT a.intent_id, a.agent_id, a.intent_created_at, 'infinity' FROM assignment a
UNION ALL
SELECT l.intent_id, CASE l.status WHEN 'active' THEN l.agent_id END, l.intent_created_at,
       CASE (SELECT i.status FROM intent i WHERE i.id = l.intent_id)
       WHEN 'suspended_awaiting_input' THEN 'infinity' ELSE l.expires_at END
  FROM lease l;

-- Is the agent (NULL: one that reaches all) tied to an intent at that moment? The first
-- function is a part of the statement that calls it, so that its maker and owner, who ask
-- most, cost no look at the view.
CREATE FUNCTION intent_tie_holds(intent_id uuid, agent text, at timestamptz)
    RETURNS boolean LANGUAGE plpgsql STABLE PARALLEL SAFE AS $$
BEGIN
    RETURN EXISTS (SELECT 1 FROM intent_tie t
                    WHERE t.intent_id = $1 AND t.agent = $2 AND t.until > $3);
END
$$;
CREATE FUNCTION intent_tied(id uuid, maker text, owner text, agent text, at timestamptz)
    RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
    AS $$ SELECT CASE WHEN agent IS NULL OR maker = agent OR owner = agent THEN true
                      ELSE intent_tie_holds(id, agent, at) END $$;

GRANT SELECT ON intent_tie TO sayso_web, sayso_wait, sayso_tick;
GRANT INSERT (reach), UPDATE (reach) ON api_key TO sayso_web;
GRANT SELECT (role, reach) ON api_key TO sayso_tick;
GRANT SELECT (reach) ON api_key TO sayso_wait;
