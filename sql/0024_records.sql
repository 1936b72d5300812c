-- Records of agents' work on an intent: costs, attachments, failures, and the policy for
-- trying again. Each is bounded for an intent; a row changes only under the intent's lock.

CREATE TABLE intent_cost (
    id          uuid PRIMARY KEY,
    intent_id   uuid NOT NULL REFERENCES intent,
    agent_id    text NOT NULL,
    cost_type   text NOT NULL,
    amount      numeric(21, 6) NOT NULL CHECK (amount >= 0),
    unit        text NOT NULL,
    provider    text,
    metadata    text NOT NULL,
    recorded_at timestamptz NOT NULL
);
CREATE INDEX intent_cost_order ON intent_cost (intent_id, recorded_at, id);

-- What an agent says about a file elsewhere; the file is not here and never fetched.
CREATE TABLE attachment (
    id          uuid PRIMARY KEY,
    intent_id   uuid NOT NULL REFERENCES intent,
    filename    text NOT NULL,
    mime_type   text NOT NULL,
    size        bigint NOT NULL CHECK (size >= 0),
    storage_url text NOT NULL,
    metadata    text NOT NULL,
    uploaded_by text NOT NULL,
    created_at  timestamptz NOT NULL
);
CREATE INDEX attachment_order ON attachment (intent_id, created_at, id);

CREATE TABLE failure_policy (
    intent_id         uuid PRIMARY KEY REFERENCES intent,
    id                uuid NOT NULL,
    strategy          text NOT NULL
                      CHECK (strategy IN ('none', 'fixed', 'exponential', 'linear')),
    max_retries       integer NOT NULL CHECK (max_retries BETWEEN 0 AND 100),
    base_delay_ms     bigint NOT NULL CHECK (base_delay_ms BETWEEN 0 AND 604800000),
    max_delay_ms      bigint NOT NULL CHECK (max_delay_ms BETWEEN 0 AND 604800000),
    fallback_agent_id text,
    failure_threshold integer NOT NULL CHECK (failure_threshold BETWEEN 1 AND 100),
    created_at        timestamptz NOT NULL,
    updated_at        timestamptz NOT NULL
);

CREATE TABLE intent_failure (
    id                 uuid PRIMARY KEY,
    intent_id          uuid NOT NULL REFERENCES intent,
    agent_id           text NOT NULL,
    attempt_number     integer NOT NULL CHECK (attempt_number BETWEEN 0 AND 1000000),
    error_code         text,
    error_message      text,
    recoverable        boolean NOT NULL,
    next               text NOT NULL CHECK (next IN ('nothing', 'retry', 'fallback', 'escalation')),
    retry_scheduled_at timestamptz,
    resolved_at        timestamptz, -- the next step has been taken
    due_at             timestamptz, -- the clock takes the next step then; NULL: it has none
    metadata           text NOT NULL,
    created_at         timestamptz NOT NULL
);
CREATE INDEX intent_failure_order ON intent_failure (intent_id, created_at, id);
CREATE INDEX intent_failure_due ON intent_failure (due_at, id) WHERE due_at IS NOT NULL;

GRANT SELECT, INSERT ON intent_cost, intent_failure TO sayso_web;
GRANT UPDATE (resolved_at, due_at) ON intent_failure TO sayso_web;
GRANT SELECT, INSERT, DELETE ON attachment TO sayso_web;
GRANT SELECT, INSERT, UPDATE ON failure_policy TO sayso_web;
GRANT SELECT, UPDATE (resolved_at, due_at) ON intent_failure TO sayso_tick;
GRANT SELECT ON failure_policy TO sayso_tick;
GRANT SELECT, INSERT, DELETE ON assignment TO sayso_tick;
