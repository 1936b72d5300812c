-- Time and push: reminders and escalation, the order over all events that
-- streams read by, and the endpoints that agents and people are told at.

-- What a key's agents mean by silence, where they do not say it themselves.
ALTER TABLE api_key ADD COLUMN retry_policy text;

-- Which attempt a question is at, and when the next one is due.
ALTER TABLE suspension
    ADD COLUMN attempt integer NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    ADD COLUMN next_attempt_at timestamptz;
-- What is due, for the clock: a reminder or the end, whichever is first.
CREATE INDEX suspension_due ON suspension ((least(next_attempt_at, expires_at)))
    WHERE state = 'pending';
CREATE OR REPLACE VIEW suspension_row AS
SELECT s.id, s.intent_id, s.seq, s.record, s.response_type, s.title, s.question,
       s.explanation, s.severity, s.subject, s.subject_sha256, s.context, s.choices,
       s.form, s.channel_hint, s.asked_by, s.asked_by_key, s.initiated_by,
       microseconds(s.suspended_at) AS suspended_us, s.timeout_seconds, s.retry_policy,
       microseconds(s.expires_at) AS expires_us, s.fallback_policy, s.fallback_value,
       s.on_reject, s.confidence, s.asked_sequence, s.state, s.outcome, s.response,
       s.reason, s.metadata, s.responded_by, s.responded_by_claimed, s.responded_via,
       microseconds(s.responded_at) AS responded_us, s.audit_summary,
       s.suspended_at, s.responded_at, s.inbox_rank, s.expires_at,
       s.attempt, microseconds(s.next_attempt_at) AS next_attempt_us
  FROM suspension s;

-- An order over all events. A reader goes only below the oldest transaction
-- that still runs, so one that commits late is never skipped.
ALTER TABLE event ADD COLUMN xid xid8 NOT NULL DEFAULT pg_current_xact_id();
CREATE INDEX event_tail ON event (xid, intent_id, sequence);
-- An event with what its frames on streams hold beside it.
CREATE VIEW event_row AS
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
       (SELECT i.version FROM intent i WHERE i.id = e.intent_id) AS version
  FROM event e;

CREATE INDEX lease_lapsing ON lease (expires_at, id) WHERE status = 'active';
CREATE INDEX idempotency_age ON idempotency (created_at);
CREATE INDEX operator_session_age ON operator_session ((least(expires_at, revoked_at)));

-- Where to tell: an agent's endpoint, or a channel to people.
CREATE TABLE endpoint (
    id             uuid PRIMARY KEY,
    kind           text NOT NULL CHECK (kind IN ('agent', 'mail', 'slack', 'webhook')),
    name           text NOT NULL CHECK (length(name) BETWEEN 1 AND 120),
    address        text NOT NULL CHECK (length(address) BETWEEN 1 AND 2000),
    agent          text,  -- whose answers go to an agent's endpoint; NULL: every agent's
    event_types    text[] NOT NULL DEFAULT '{}',  -- of an agent's endpoint; empty: all
    notify_to      text[] NOT NULL DEFAULT '{}',  -- whom a channel may be told to address
    detail         text NOT NULL DEFAULT 'title'
                   CHECK (detail IN ('title', 'summary', 'all')),
    every_question boolean NOT NULL DEFAULT false,  -- also those that name no channel
    internal       boolean NOT NULL DEFAULT false,  -- a private address is meant
    secret         text,
    previous_secret       text,  -- still signs until then, beside the new one
    previous_secret_until timestamptz,
    created_at     timestamptz NOT NULL,
    created_by     text NOT NULL,
    paused_at      timestamptz,
    gone_at        timestamptz,  -- it answered 410
    removed_at     timestamptz,  -- the log of its deliveries stays
    CHECK (kind = 'agent' OR agent IS NULL),
    CHECK (kind IN ('mail', 'slack') OR secret IS NOT NULL)
);
CREATE UNIQUE INDEX endpoint_channel_name ON endpoint (name)
    WHERE kind <> 'agent' AND removed_at IS NULL;
CREATE UNIQUE INDEX endpoint_address ON endpoint (coalesce(agent, ''), address)
    WHERE kind = 'agent' AND removed_at IS NULL;

-- RFC-0006: which events of which intents go to an endpoint.
CREATE TABLE subscription (
    id            uuid PRIMARY KEY,
    endpoint_id   uuid NOT NULL REFERENCES endpoint,
    intent_id     uuid REFERENCES intent,  -- NULL: every intent
    subscriber_id text NOT NULL CHECK (length(subscriber_id) BETWEEN 1 AND 200),
    event_types   text[] NOT NULL DEFAULT '{}',  -- empty: all
    created_at    timestamptz NOT NULL,
    created_by    uuid NOT NULL,  -- the key
    expires_at    timestamptz
);
CREATE INDEX subscription_intent ON subscription (intent_id);
CREATE INDEX subscription_age ON subscription (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX subscription_endpoint ON subscription (endpoint_id);
CREATE INDEX subscription_key ON subscription (created_by);

-- What is to be told, written in the transaction that it tells of.
CREATE TABLE delivery (
    id              uuid PRIMARY KEY,
    endpoint_id     uuid NOT NULL REFERENCES endpoint,
    subscription_id uuid,
    intent_id       uuid NOT NULL REFERENCES intent,
    suspension_id   text,
    event_sequence  bigint NOT NULL,
    type            text NOT NULL,
    recipient       text,  -- whom to address on the channel; NULL: its own
    body            text NOT NULL,  -- exactly the bytes that are signed
    state           text NOT NULL DEFAULT 'pending'
                    CHECK (state IN ('pending', 'delivered', 'failed')),
    tries           integer NOT NULL DEFAULT 0,
    next_at         timestamptz,
    created_at      timestamptz NOT NULL,
    ended_at        timestamptz,
    answer          text,  -- how the last try went, in words
    CHECK ((state = 'pending') = (next_at IS NOT NULL))
);
CREATE INDEX delivery_due ON delivery (endpoint_id, next_at) WHERE state = 'pending';
CREATE INDEX delivery_age ON delivery (ended_at) WHERE ended_at IS NOT NULL;
CREATE INDEX delivery_newest ON delivery (created_at DESC, id DESC);
CREATE INDEX delivery_newest_by_state ON delivery (state, created_at DESC, id DESC);
CREATE INDEX delivery_newest_by_endpoint ON delivery (endpoint_id, created_at DESC, id DESC);

CREATE TABLE delivery_try (
    delivery_id uuid NOT NULL REFERENCES delivery ON DELETE CASCADE,
    n           integer NOT NULL,
    at          timestamptz NOT NULL,
    ms          integer NOT NULL,
    status      integer,  -- of HTTP or SMTP; NULL: none came
    answer      text NOT NULL,
    PRIMARY KEY (delivery_id, n)
);

-- The web workers ask, answer and administer.
GRANT SELECT, INSERT, UPDATE ON endpoint TO sayso_web;
GRANT SELECT, INSERT, DELETE ON subscription TO sayso_web;
GRANT SELECT, INSERT ON delivery TO sayso_web;
GRANT UPDATE (state, tries, next_at, ended_at, answer) ON delivery TO sayso_web;
GRANT SELECT ON delivery_try TO sayso_web;

-- wait reads what streams carry, and whether who listens still may.
GRANT SELECT ON event, event_row, intent, suspension, assignment TO sayso_wait;
GRANT SELECT (id, expires_at, revoked_at) ON api_key TO sayso_wait;
GRANT SELECT (id_sha256, principal_id, seen_at, expires_at, revoked_at)
    ON operator_session TO sayso_wait;
GRANT SELECT (id, disabled_at) ON principal TO sayso_wait;

-- tick decides as the clock, and cleans up.
GRANT SELECT, UPDATE ON intent, suspension, intent_row, suspension_row, lease TO sayso_tick;
GRANT SELECT, INSERT ON event, delivery TO sayso_tick;
GRANT SELECT ON intent_dependency, endpoint, subscription, migration TO sayso_tick;
GRANT SELECT, DELETE ON idempotency, operator_session, delivery, subscription TO sayso_tick;

-- deliver sends.
GRANT SELECT ON delivery, endpoint TO sayso_deliver;
GRANT UPDATE (state, tries, next_at, ended_at, answer) ON delivery TO sayso_deliver;
GRANT UPDATE (gone_at) ON endpoint TO sayso_deliver;
GRANT SELECT, INSERT ON delivery_try TO sayso_deliver;
