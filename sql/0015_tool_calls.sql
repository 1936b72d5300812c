-- The tool-call door: rules, tasks, and the calls of a question.

CREATE TABLE tool_rule (
    position   integer PRIMARY KEY CHECK (position BETWEEN 1 AND 10000),
    agent      text NOT NULL CHECK (length(agent) BETWEEN 1 AND 200),
    tool       text NOT NULL CHECK (length(tool) BETWEEN 1 AND 200),
    effect     text NOT NULL CHECK (effect IN ('allow', 'ask', 'deny')),
    severity   text CHECK (severity IN ('low', 'medium', 'high', 'critical')),
    reason     text CHECK (length(reason) <= 500),
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    CHECK ((effect = 'ask') = (severity IS NOT NULL))
);

-- The intent of an agent's task. Written in the transaction that makes the intent, before
-- it; a second first check of the same task starts again and finds this row.
CREATE TABLE tool_task (
    agent     text NOT NULL,
    task_id   text NOT NULL CHECK (length(task_id) BETWEEN 1 AND 200),
    intent_id uuid NOT NULL UNIQUE REFERENCES intent DEFERRABLE INITIALLY DEFERRED,
    CONSTRAINT tool_task_once PRIMARY KEY (agent, task_id)
);

-- Insert only. A call has no decision of its own: all calls of a question are decided
-- together.
CREATE TABLE suspension_call (
    suspension_id    text NOT NULL REFERENCES suspension DEFERRABLE INITIALLY DEFERRED,
    ordinal          integer NOT NULL CHECK (ordinal BETWEEN 1 AND 50),
    call_id          text NOT NULL,
    tool             text NOT NULL,
    sent             text NOT NULL,
    arguments        text NOT NULL,
    arguments_sha256 text NOT NULL CHECK (length(arguments_sha256) = 64),
    rule             integer,
    PRIMARY KEY (suspension_id, ordinal),
    UNIQUE (suspension_id, call_id)
);

GRANT SELECT, INSERT, DELETE ON tool_rule TO sayso_web;
GRANT SELECT, INSERT ON tool_task, suspension_call TO sayso_web;
