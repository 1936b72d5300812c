-- Portfolios (OpenIntent RFC-0004, RFC-0007): intents that are watched and ended together.

CREATE TABLE portfolio (
    id                uuid PRIMARY KEY,
    name              text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    description       text,
    created_by        text NOT NULL,
    status            text NOT NULL CHECK (status IN ('active', 'completed', 'abandoned')),
    status_by         text,  -- NULL: it is as it was made
    status_at         timestamptz,
    governance_policy text NOT NULL,  -- JSON, an object
    metadata          text NOT NULL,  -- JSON, an object
    deadline          timestamptz NOT NULL,  -- by its policy; infinity: none
    -- The percentage of completed members that completes it; NULL: none.
    threshold         smallint CHECK (threshold BETWEEN 1 AND 100),
    version           bigint NOT NULL,
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL
);
CREATE INDEX portfolio_newest ON portfolio (created_at DESC, id DESC);
CREATE INDEX portfolio_newest_by_creator ON portfolio (created_by, created_at DESC, id DESC);

-- Written under the locks of its intent and its portfolio.
CREATE TABLE portfolio_member (
    id           uuid PRIMARY KEY,
    portfolio_id uuid NOT NULL REFERENCES portfolio,
    intent_id    uuid NOT NULL REFERENCES intent,
    role         text NOT NULL CHECK (role IN ('primary', 'member', 'dependency')),
    priority     integer NOT NULL,
    added_at     timestamptz NOT NULL,
    CONSTRAINT portfolio_member_intent UNIQUE (intent_id, portfolio_id)
);
CREATE INDEX portfolio_member_order
    ON portfolio_member (portfolio_id, priority DESC, added_at, intent_id);
CREATE UNIQUE INDEX portfolio_member_primary ON portfolio_member (portfolio_id)
    WHERE role = 'primary';

-- The earliest deadline of an intent's active portfolios, or an earlier moment: for the clock,
-- which reads the portfolios before it ends anything.
ALTER TABLE open_question ADD COLUMN deadline_at timestamptz NOT NULL DEFAULT 'infinity';
DROP INDEX open_question_due;
CREATE INDEX open_question_due ON open_question ((least(next_attempt_at, ending, deadline_at)));
GRANT UPDATE (deadline_at) ON open_question TO sayso_web, sayso_tick;

-- A subscription to the events of whichever intents are members.
ALTER TABLE subscription ADD COLUMN portfolio_id uuid REFERENCES portfolio,
    ADD CONSTRAINT subscription_one CHECK (intent_id IS NULL OR portfolio_id IS NULL);
DROP INDEX subscription_intent;
CREATE INDEX subscription_intent ON subscription (intent_id) WHERE portfolio_id IS NULL;
CREATE INDEX subscription_portfolio ON subscription (portfolio_id)
    WHERE portfolio_id IS NOT NULL;

-- watched: the portfolios that the intent was in at that time and still is, and the agents
-- that reach it, for the streams of portfolios; NULL for an intent in none.
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
                   'agents', (SELECT json_agg(t.agent)
                                FROM (SELECT t.agent FROM intent_tie t
                                       WHERE t.intent_id = i.id AND t.until > now()
                                         AND t.agent IS NOT NULL LIMIT 400) t))
          FROM intent i WHERE i.id = e.intent_id AND i.containers & 1 = 1) AS watched
  FROM event e;

GRANT SELECT, INSERT ON portfolio, portfolio_member TO sayso_web;
GRANT UPDATE (name, description, status, status_by, status_at, governance_policy, deadline,
              version, updated_at) ON portfolio TO sayso_web;
GRANT UPDATE (role, priority), DELETE ON portfolio_member TO sayso_web;
-- The clock appends the events of a member that goes on.
GRANT SELECT ON portfolio, portfolio_member TO sayso_tick;
