-- The seven kinds of question: what each brings along, who may decide, and
-- what was allowed where that is not what was asked for.

ALTER TABLE suspension
    ADD COLUMN kind text CHECK (kind IN ('approval', 'permission', 'plan_review',
        'elicitation', 'credential_needed', 'cost_confirmation', 'handoff_acceptance')),
    ADD COLUMN allow_edit boolean NOT NULL DEFAULT false,
    ADD COLUMN responder_mode text NOT NULL DEFAULT 'operators' CHECK (responder_mode IN
        ('operators', 'initiator', 'group', 'named', 'agent')),
    ADD COLUMN responder text,  -- the group, the name or the agent
    ADD COLUMN not_initiator boolean NOT NULL DEFAULT false,
    ADD COLUMN evidence text NOT NULL DEFAULT '[]',
    ADD COLUMN artifacts text NOT NULL DEFAULT '[]',
    ADD COLUMN supersedes text REFERENCES suspension,
    ADD COLUMN constraints text,       -- within which it was approved
    ADD COLUMN approved_subject text,  -- exactly the bytes that were approved instead
    ADD COLUMN approved_sha256 text CHECK (length(approved_sha256) = 64),
    ADD CHECK ((responder_mode IN ('group', 'named', 'agent')) = (responder IS NOT NULL)),
    ADD CHECK ((approved_subject IS NULL) = (approved_sha256 IS NULL));
-- What became of a plan that was sent back.
CREATE INDEX suspension_supersedes ON suspension (supersedes) WHERE supersedes IS NOT NULL;

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
       s.attempt, microseconds(s.next_attempt_at) AS next_attempt_us,
       s.kind, s.allow_edit, s.responder_mode, s.responder, s.not_initiator, s.evidence,
       s.artifacts, s.supersedes, s.constraints, s.approved_subject, s.approved_sha256
  FROM suspension s;

-- Who has the goal since a handoff.
ALTER TABLE intent ADD COLUMN owner text;
CREATE OR REPLACE VIEW intent_row AS
SELECT i.id, i.title, i.description, i.created_by, i.status, i.constraints, i.state,
       i.confidence, i.version, microseconds(i.created_at) AS created_us,
       microseconds(i.updated_at) AS updated_us, i.parent_intent_id,
       i.governance_policy, i.session_id, i.task_id, i.turn_id, i.initiated_by,
       i.event_sequence, i.event_hash,
       i.depends_on, i.created_at, i.owner
  FROM intent i;

-- Groups of operators: names, sorted, each once, a space between.
ALTER TABLE principal ADD COLUMN groups text
    CHECK (groups ~ '^[a-z0-9._-]+( [a-z0-9._-]+)*$');
ALTER TABLE api_key ADD COLUMN groups text
    CHECK (groups ~ '^[a-z0-9._-]+( [a-z0-9._-]+)*$');

-- Whether somebody could answer is looked up when it is asked.
CREATE INDEX api_key_people ON api_key (label)
    WHERE revoked_at IS NULL AND role IN ('operator', 'admin');

-- People: the risk up to which many questions may be answered at once, and how
-- they see the pages. The last sign-in outlives its session.
ALTER TABLE principal
    ADD COLUMN bulk_limit text NOT NULL DEFAULT 'medium'
        CHECK (bulk_limit IN ('low', 'medium', 'high', 'critical')),
    ADD COLUMN time_zone text CHECK (length(time_zone) BETWEEN 1 AND 64),  -- NULL: UTC
    ADD COLUMN theme text NOT NULL DEFAULT 'auto' CHECK (theme IN ('auto', 'light', 'dark')),
    ADD COLUMN signed_in_at timestamptz;
CREATE INDEX api_key_newest ON api_key (created_at DESC, id DESC);
-- How many questions wait for a group.
CREATE INDEX suspension_open_group ON suspension (responder)
    WHERE state = 'pending' AND responder_mode = 'group';

-- The settings pages add people and keys and change what may change of them;
-- nothing else of a person or a key is theirs to write, and nothing to delete.
GRANT INSERT (id, role, email, name, password_hash, created_at, groups, bulk_limit),
      UPDATE (role, name, groups, bulk_limit, disabled_at, time_zone, theme, signed_in_at)
    ON principal TO sayso_web;
GRANT INSERT (id, key_sha256, prefix, role, label, agents, created_at, expires_at, groups),
      UPDATE (revoked_at)
    ON api_key TO sayso_web;

-- A key that was revoked stays so, whoever may write to it.
CREATE FUNCTION api_key_revoked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'key % is revoked', OLD.id USING ERRCODE = 'check_violation';
END
$$;
CREATE TRIGGER api_key_revoked BEFORE UPDATE OF revoked_at ON api_key
    FOR EACH ROW WHEN (OLD.revoked_at IS NOT NULL AND
                       NEW.revoked_at IS DISTINCT FROM OLD.revoked_at)
    EXECUTE FUNCTION api_key_revoked();

-- A decision is written once. What was asked never changes.
CREATE OR REPLACE FUNCTION suspension_sealed() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.state <> 'pending' THEN
        RAISE EXCEPTION 'suspension % is decided', OLD.id USING ERRCODE = 'check_violation';
    END IF;
    IF (OLD.id, OLD.intent_id, OLD.seq, OLD.record, OLD.response_type, OLD.title,
        OLD.question, OLD.explanation, OLD.severity, OLD.subject, OLD.subject_sha256,
        OLD.context, OLD.choices, OLD.form, OLD.asked_by, OLD.asked_by_key,
        OLD.fallback_policy, OLD.fallback_value, OLD.on_reject, OLD.kind, OLD.allow_edit,
        OLD.responder_mode, OLD.responder, OLD.not_initiator, OLD.initiated_by,
        OLD.expires_at, OLD.evidence, OLD.artifacts, OLD.supersedes)
       IS DISTINCT FROM
       (NEW.id, NEW.intent_id, NEW.seq, NEW.record, NEW.response_type, NEW.title,
        NEW.question, NEW.explanation, NEW.severity, NEW.subject, NEW.subject_sha256,
        NEW.context, NEW.choices, NEW.form, NEW.asked_by, NEW.asked_by_key,
        NEW.fallback_policy, NEW.fallback_value, NEW.on_reject, NEW.kind, NEW.allow_edit,
        NEW.responder_mode, NEW.responder, NEW.not_initiator, NEW.initiated_by,
        NEW.expires_at, NEW.evidence, NEW.artifacts, NEW.supersedes) THEN
        RAISE EXCEPTION 'what suspension % asks is sealed', OLD.id
            USING ERRCODE = 'check_violation';
    END IF;
    RETURN NEW;
END
$$;

-- ---- The inbox ---------------------------------------------------------

-- Whose question it is, as one word: o for any operator, else the first letter
-- of the mode and who. The lists go through these words one after the other.
ALTER TABLE suspension
    ADD COLUMN audience text NOT NULL GENERATED ALWAYS AS (CASE responder_mode
        WHEN 'operators' THEN 'o'
        WHEN 'initiator' THEN 'i:' || left(coalesce(initiated_by, ''), 300)
        ELSE left(responder_mode, 1) || ':' || left(coalesce(responder, ''), 300) END) STORED,
    -- Its words, for the search. Whatever is neither letter nor figure parts them.
    ADD COLUMN search tsvector NOT NULL GENERATED ALWAYS AS (to_tsvector('simple',
        regexp_replace(coalesce(title, '') || ' ' || question || ' ' || asked_by || ' ' ||
                       id || ' ' || intent_id::text, '[^[:alnum:]]+', ' ', 'g'))) STORED;
-- What a person typed: every word has to be there, or to be the start of one.
CREATE FUNCTION search_query(text) RETURNS tsquery
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT to_tsquery('simple', string_agg(word || ':*', ' & '))
            FROM regexp_split_to_table($1, '[^[:alnum:]]+') word WHERE word <> '' $$;
-- The inbox's order, by whom it is for, by agent, by both, and of all. Kinds and risks
-- are few, so a list is put together from one piece for each of them; then each
-- filter is a part of the index, and a deadline too.
CREATE INDEX suspension_inbox_for ON suspension
    (audience, (coalesce(kind, 'none')), inbox_rank, (coalesce(expires_at, 'infinity')),
     suspended_at, id) WHERE state = 'pending';
CREATE INDEX suspension_inbox_agent ON suspension
    (asked_by, (coalesce(kind, 'none')), inbox_rank, (coalesce(expires_at, 'infinity')),
     suspended_at, id) WHERE state = 'pending';
CREATE INDEX suspension_inbox_agent_for ON suspension
    (asked_by, audience, (coalesce(kind, '-')), inbox_rank,
     (coalesce(expires_at, 'infinity')), suspended_at, id) WHERE state = 'pending';
CREATE INDEX suspension_inbox_all ON suspension
    ((coalesce(kind, '')), inbox_rank, (coalesce(expires_at, 'infinity')),
     suspended_at, id) WHERE state = 'pending';
DROP INDEX suspension_inbox;  -- the one above has its place
-- Each question pays for its own words: put off, they would hold up one that comes
-- later for 150 ms.
CREATE INDEX suspension_search ON suspension USING gin (search) WITH (fastupdate = off)
    WHERE state = 'pending';

-- The newest decision first, by what it was about and how it ended, by who
-- decided, and by agent.
CREATE INDEX suspension_decided_by ON suspension
    ((coalesce(kind, 'none')),
     (CASE state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
      ELSE outcome END), (coalesce(responded_via, 'none')),
     responded_at DESC, id DESC) WHERE state <> 'pending';
CREATE INDEX suspension_decided_who ON suspension
    (responded_by, responded_at DESC, id DESC) WHERE state <> 'pending';
CREATE INDEX suspension_decided_agent ON suspension
    (asked_by, responded_at DESC, id DESC) WHERE state <> 'pending';

-- Some of what is open and has the words: at most $2 of them, in no order. Where a word
-- is so frequent that the index would give half the table, it is not asked. Planned anew
-- for the words at hand: a plan for any words would go through all that is open.
CREATE FUNCTION search_open(text, bigint)
    RETURNS TABLE (id text, inbox_rank smallint, ending timestamptz,
                   suspended_at timestamptz, kind text, asked_by text, audience text,
                   not_initiator boolean, initiated_by text)
    LANGUAGE plpgsql STABLE ROWS 2000 AS $$
BEGIN
    RETURN QUERY EXECUTE $query$
    WITH frequent AS MATERIALIZED (
        SELECT count(*) > 20 AS yes
          FROM (SELECT s.search FROM suspension s WHERE s.state = 'pending' LIMIT 200) s
         WHERE s.search @@ search_query($1))
    (SELECT s.id, s.inbox_rank, coalesce(s.expires_at, 'infinity'), s.suspended_at, s.kind,
            s.asked_by, s.audience, s.not_initiator, s.initiated_by
       FROM suspension s
      WHERE s.state = 'pending' AND (SELECT yes FROM frequent)
        AND (s.search @@ search_query($1)) IS TRUE LIMIT $2)
    UNION ALL
    (SELECT s.id, s.inbox_rank, coalesce(s.expires_at, 'infinity'), s.suspended_at, s.kind,
            s.asked_by, s.audience, s.not_initiator, s.initiated_by
       FROM suspension s
      WHERE s.state = 'pending' AND NOT (SELECT yes FROM frequent)
        AND s.search @@ search_query($1) LIMIT $2)
    $query$ USING $1, $2;
END
$$;

-- A view of a list under a name: what stands behind the question mark of its
-- address.
CREATE TABLE saved_view (
    id           uuid PRIMARY KEY,
    principal_id uuid NOT NULL REFERENCES principal ON DELETE CASCADE,
    name         text NOT NULL CHECK (length(name) BETWEEN 1 AND 60),
    path         text NOT NULL CHECK (path IN ('/inbox', '/decided')),
    query        text NOT NULL CHECK (length(query) <= 2000),
    shared       boolean NOT NULL DEFAULT false,
    created_at   timestamptz NOT NULL,
    UNIQUE (principal_id, name)
);
CREATE INDEX saved_view_shared ON saved_view (name) WHERE shared;
GRANT SELECT, INSERT, UPDATE, DELETE ON saved_view TO sayso_web;
