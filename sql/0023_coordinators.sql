-- Coordinators: the agent that answers for an intent and those below it.

CREATE TABLE coordinator (
    id                uuid PRIMARY KEY,
    intent_id         uuid NOT NULL REFERENCES intent,
    intent_created_at timestamptz NOT NULL,
    agent_id          text NOT NULL,
    role              text NOT NULL,
    supervisor_id     text, -- NULL: any operator
    type              text NOT NULL
                      CHECK (type IN ('llm', 'human', 'composite', 'system')),
    suspension_policy text NOT NULL
                      CHECK (suspension_policy IN ('isolate', 'block_dependents', 'escalate')),
    guardrails        text NOT NULL, -- JSON, as sent
    metadata          text NOT NULL,
    heartbeat_seconds integer NOT NULL CHECK (heartbeat_seconds BETWEEN 1 AND 86400),
    heartbeat_at      timestamptz NOT NULL,
    lapses_at         timestamptz, -- the clock tells of it then; NULL: never, or it has
    granted_at        timestamptz NOT NULL,
    ended_at          timestamptz, -- NULL: it is the intent's coordinator
    version           bigint NOT NULL CHECK (version > 0),
    CHECK (ended_at IS NULL OR lapses_at IS NULL)
);
CREATE UNIQUE INDEX coordinator_one ON coordinator (intent_id) WHERE ended_at IS NULL;
CREATE INDEX coordinator_intent ON coordinator (intent_id, granted_at DESC, id DESC);
CREATE INDEX coordinator_lapsing ON coordinator (lapses_at, id) WHERE lapses_at IS NOT NULL;
CREATE INDEX coordinator_newest_by_agent
    ON coordinator ((CASE WHEN ended_at IS NULL THEN agent_id END), intent_created_at DESC,
                    intent_id DESC)
    WHERE (CASE WHEN ended_at IS NULL THEN agent_id END) IS NOT NULL;
CREATE TRIGGER coordinator_made BEFORE INSERT ON coordinator
    FOR EACH ROW EXECUTE FUNCTION intent_made();

-- A coordinator reaches its intent, too.
CREATE OR REPLACE VIEW intent_tie AS
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
  FROM lease l
UNION ALL
SELECT c.intent_id, CASE WHEN c.ended_at IS NULL THEN c.agent_id END, c.intent_created_at,
       'infinity' FROM coordinator c;

GRANT SELECT, INSERT, UPDATE ON coordinator TO sayso_web;
GRANT SELECT, UPDATE (lapses_at, ended_at) ON coordinator TO sayso_tick;
