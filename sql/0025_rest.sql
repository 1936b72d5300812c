-- The clock asks people where no agent may take over after a failure.
GRANT UPDATE (next) ON intent_failure TO sayso_tick;

-- A coordinator is of an intent, or of a portfolio and its members. Only the first reaches by
-- it: to answer for a portfolio is not to read what others put into it.
ALTER TABLE coordinator ALTER COLUMN intent_id DROP NOT NULL,
    ALTER COLUMN intent_created_at DROP NOT NULL,
    ADD COLUMN portfolio_id uuid REFERENCES portfolio,
    ADD CONSTRAINT coordinator_place CHECK (num_nonnulls(intent_id, portfolio_id) = 1);
CREATE UNIQUE INDEX coordinator_one_of_portfolio ON coordinator (portfolio_id)
    WHERE ended_at IS NULL;
CREATE INDEX coordinator_portfolio ON coordinator (portfolio_id, granted_at DESC, id DESC)
    WHERE portfolio_id IS NOT NULL;
CREATE INDEX coordinator_lapsing_of_portfolio ON coordinator (lapses_at)
    WHERE portfolio_id IS NOT NULL AND lapses_at IS NOT NULL;
DROP INDEX coordinator_newest_by_agent;
CREATE INDEX coordinator_newest_by_agent
    ON coordinator ((CASE WHEN ended_at IS NULL AND intent_id IS NOT NULL THEN agent_id END),
                    intent_created_at DESC, intent_id DESC)
    WHERE (CASE WHEN ended_at IS NULL AND intent_id IS NOT NULL THEN agent_id END) IS NOT NULL;
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
SELECT c.intent_id,
       CASE WHEN c.ended_at IS NULL AND c.intent_id IS NOT NULL THEN c.agent_id END,
       c.intent_created_at, 'infinity' FROM coordinator c;

-- A review of a plan, which its coordinator's guardrails want, is a question beside the one that
-- holds the intent.
CREATE OR REPLACE FUNCTION suspension_slot(origin text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (CASE WHEN origin IN ('approval', 'escalation', 'arbitration', 'checkpoint',
                                       'plan_review')
                       THEN 1 ELSE 0 END)::smallint $$;
ALTER TABLE suspension DROP CONSTRAINT suspension_origin_check,
    ADD CONSTRAINT suspension_origin_check
    CHECK (origin IN ('tool_call', 'authorization', 'approval', 'escalation', 'arbitration',
                      'checkpoint', 'plan_review'))
    NOT VALID;
ALTER TABLE suspension VALIDATE CONSTRAINT suspension_origin_check;
ALTER TABLE plan
    ADD COLUMN review_id text UNIQUE REFERENCES suspension DEFERRABLE INITIALLY DEFERRED,
    ADD COLUMN review_reason text,
    DROP CONSTRAINT plan_paused_reason_check,
    ADD CONSTRAINT plan_paused_reason_check
    CHECK (paused_reason IN ('checkpoint', 'failure', 'plan_review'));

-- timeout_seconds of a task: the clock fails one that runs until then. While it is blocked, the
-- microseconds that are left.
ALTER TABLE task ADD COLUMN runs_until timestamptz, ADD COLUMN time_left bigint
        CHECK (time_left > 0),
    ADD CONSTRAINT task_runs_until CHECK (runs_until IS NULL OR status = 'running'),
    ADD CONSTRAINT task_time_left CHECK (time_left IS NULL OR status = 'blocked');
CREATE INDEX task_running ON task (runs_until, id) WHERE runs_until IS NOT NULL;
