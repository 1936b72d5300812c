-- Tasks, plans and their checkpoints (OpenIntent RFC-0012): rows of one intent, written under
-- its lock. facts: the members that only its agents write and read, as a JSON object.

CREATE TABLE plan (
    id            uuid PRIMARY KEY,
    intent_id     uuid NOT NULL REFERENCES intent,
    version       bigint NOT NULL CHECK (version >= 1),
    state         text NOT NULL
                  CHECK (state IN ('draft', 'active', 'paused', 'completed', 'failed',
                                   'cancelled')),
    on_failure    text NOT NULL
                  CHECK (on_failure IN ('pause_and_escalate', 'fail', 'notify', 'retry')),
    paused_reason text CHECK (paused_reason IN ('checkpoint', 'failure')),
    tasks         text NOT NULL, -- a JSON list of ids, in the plan's order
    facts         text NOT NULL,
    created_by    text NOT NULL,
    created_at    timestamptz NOT NULL,
    updated_at    timestamptz NOT NULL,
    activated_at  timestamptz,
    CHECK (paused_reason IS NULL OR state = 'paused')
);
CREATE INDEX plan_intent ON plan (intent_id, created_at, id);

-- Of an ended plan they stay as they were.
CREATE TABLE plan_checkpoint (
    plan_id           uuid NOT NULL REFERENCES plan DEFERRABLE INITIALLY DEFERRED,
    id                text NOT NULL CHECK (id ~ '^[A-Za-z0-9._~-]{1,64}$'),
    intent_id         uuid NOT NULL REFERENCES intent,
    place             smallint NOT NULL CHECK (place BETWEEN 0 AND 19),
    name              text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    after_task        uuid NOT NULL,
    requires_approval boolean NOT NULL,
    approvers         text NOT NULL, -- a JSON list of names
    of_group          boolean NOT NULL, -- the one approver is a group
    timeout_hours     text, -- a JSON number, as it was sent
    on_timeout        text NOT NULL
                      CHECK (on_timeout IN ('escalate', 'auto_approve', 'fail')),
    silence_approves  boolean NOT NULL, -- the server lets it
    on_reject         text NOT NULL CHECK (on_reject IN ('fail', 'retry')),
    severity          text CHECK (severity IN ('low', 'medium', 'high', 'critical')),
    status            text NOT NULL
                      CHECK (status IN ('pending', 'reached', 'approved', 'rejected')),
    decided_by        text,
    decided_at        timestamptz,
    suspension_id     text UNIQUE REFERENCES suspension DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (plan_id, id)
);
CREATE INDEX plan_checkpoint_intent ON plan_checkpoint (intent_id, plan_id, place);
-- One question holds a plan.
CREATE UNIQUE INDEX plan_checkpoint_question ON plan_checkpoint (plan_id)
    WHERE status = 'reached' AND suspension_id IS NOT NULL;

CREATE TABLE task (
    id             uuid PRIMARY KEY,
    intent_id      uuid NOT NULL REFERENCES intent,
    plan_id        uuid REFERENCES plan DEFERRABLE INITIALLY DEFERRED,
    name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 200),
    version        bigint NOT NULL CHECK (version >= 1),
    status         text NOT NULL
                   CHECK (status IN ('pending', 'ready', 'claimed', 'running', 'blocked',
                                     'completed', 'failed', 'cancelled', 'skipped')),
    hold           text CHECK (hold IN ('intent_suspended', 'dependencies_open')),
    held_at        timestamptz,
    assigned_agent text,
    depends_on     text NOT NULL, -- a JSON list of ids
    attempt        integer NOT NULL CHECK (attempt BETWEEN 1 AND max_attempts),
    max_attempts   integer NOT NULL CHECK (max_attempts BETWEEN 1 AND 100),
    facts          text NOT NULL,
    created_at     timestamptz NOT NULL,
    started_at     timestamptz,
    completed_at   timestamptz,
    CHECK (hold IS NULL OR status = 'blocked'),
    CHECK ((hold IS NULL) = (held_at IS NULL))
);
CREATE INDEX task_intent ON task (intent_id, created_at, id);

-- A checkpoint's question lies beside the one that holds the intent.
CREATE OR REPLACE FUNCTION suspension_slot(origin text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (CASE WHEN origin IN ('approval', 'escalation', 'arbitration', 'checkpoint')
                       THEN 1 ELSE 0 END)::smallint $$;
ALTER TABLE suspension DROP CONSTRAINT suspension_origin_check,
    ADD CONSTRAINT suspension_origin_check
    CHECK (origin IN ('tool_call', 'authorization', 'approval', 'escalation', 'arbitration',
                      'checkpoint'))
    NOT VALID;
ALTER TABLE suspension VALIDATE CONSTRAINT suspension_origin_check;

GRANT SELECT, INSERT, UPDATE ON task, plan, plan_checkpoint TO sayso_web;
GRANT DELETE ON plan_checkpoint TO sayso_web;
-- The clock decides checkpoints, and an intent that it ends ends its tasks. Its approval of one
-- checkpoint may ask the question of the next.
GRANT SELECT, UPDATE ON task, plan, plan_checkpoint TO sayso_tick;
GRANT INSERT ON suspension, open_question, inbox_entry TO sayso_tick;
