-- A question lies in tables of one life each: what was asked (suspension) and what was
-- decided (decision) are only ever added, what moves while it is open is a row of
-- open_question, and inbox_entry has a row for each audience whose list it stands in.
--
-- Three files do it, with Sayso stopped. This one makes the tables and takes the right to
-- write to the old one from every process, so that nothing is lost if one still runs: its
-- writes fail. 0011 copies the rows, some thousand a transaction; it may be interrupted
-- and run again. 0012 makes the indexes and drops what was copied.

-- The inbox's order: the gravest first, what is not said last.
CREATE FUNCTION inbox_rank(severity text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (CASE severity WHEN 'critical' THEN 0 WHEN 'high' THEN 1
                  WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END)::smallint $$;
-- Whose question it is, as one word: o for any operator, else the first letter of the
-- mode and who.
CREATE FUNCTION inbox_audience(mode text, responder text, initiated_by text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT CASE mode WHEN 'operators' THEN 'o'
                 WHEN 'initiator' THEN 'i:' || left(coalesce(initiated_by, ''), 300)
                 ELSE left(mode, 1) || ':' || left(coalesce(responder, ''), 300) END $$;
-- The words of a question, for the search. What is neither a letter nor a digit parts them.
CREATE FUNCTION search_words(title text, question text, asked_by text, id text,
                             intent_id uuid) RETURNS tsvector
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT to_tsvector('simple',
              regexp_replace(coalesce(title, '') || ' ' || question || ' ' || asked_by || ' ' ||
                             id || ' ' || intent_id::text, '[^[:alnum:]]+', ' ', 'g')) $$;

-- A question while it is open. It is deleted by the statement that writes the decision:
-- the process that deletes the row decides.
CREATE TABLE open_question (
    suspension_id   text PRIMARY KEY REFERENCES suspension,
    intent_id       uuid NOT NULL,
    kind            text,
    inbox_rank      smallint NOT NULL,
    ending          timestamptz NOT NULL,  -- infinity: never by itself
    suspended_at    timestamptz NOT NULL,
    asked_by        text NOT NULL,
    asked_by_key    uuid,
    subject_sha256  text NOT NULL,
    search          tsvector NOT NULL,
    audiences       text[] NOT NULL,  -- of its entries, for what is searched
    not_for         text,  -- the initiator, where they must not answer
    -- Only these are ever updated.
    attempt         integer NOT NULL DEFAULT 1 CHECK (attempt >= 1),
    next_attempt_at timestamptz,
    channel_hint    text,  -- the one now in force
    -- At most one open question for an intent.
    CONSTRAINT open_question_intent UNIQUE (intent_id)
);

-- An audience whose list an open question stands in.
CREATE TABLE inbox_entry (
    suspension_id text NOT NULL REFERENCES open_question ON DELETE CASCADE,
    audience      text NOT NULL CHECK (length(audience) <= 302),
    kind          text,
    inbox_rank    smallint NOT NULL,
    ending        timestamptz NOT NULL,
    suspended_at  timestamptz NOT NULL,
    asked_by      text NOT NULL,
    not_for       text,
    PRIMARY KEY (suspension_id, audience)
);

-- How a question ended. kind, asked_by and suspended_at stand here for the lists. The
-- question is there, for the row of open_question that gave way to this one refers to it,
-- and nobody may delete it. A reference from here would look that up again and lock the
-- question's row: an eighth of what an answer costs the database.
CREATE TABLE decision (
    suspension_id    text NOT NULL,
    kind             text,
    asked_by         text NOT NULL,
    suspended_at     timestamptz NOT NULL,
    state            text NOT NULL CHECK (state IN ('resolved', 'expired', 'cancelled')),
    outcome          text NOT NULL CHECK (outcome IN ('authorized', 'vetoed',
                         'changes_requested', 'answered', 'declined', 'accepted', 'fallback',
                         'none')),
    response         text,
    reason           text,
    metadata         text,
    constraints      text,  -- within which it was approved
    approved_subject text,  -- exactly the bytes that were approved instead
    approved_sha256  text CHECK (length(approved_sha256) = 64),
    attempt          integer NOT NULL CHECK (attempt >= 1),  -- reached
    channel_hint     text,                                   -- reached
    decided_by       text,
    claimed          text,  -- the name that an agent gave for the person
    via              text CHECK (via IN ('openintent', 'native', 'browser', 'clock')),
    decided_at       timestamptz NOT NULL,
    summary          text,
    -- A second decision is refused; the call runs again and finds the first.
    CONSTRAINT decision_once PRIMARY KEY (suspension_id),
    CHECK ((approved_subject IS NULL) = (approved_sha256 IS NULL))
);

-- Copies what is not copied yet, in the order of the ids. Each transaction copies whole
-- ids, so the greatest that is there says where to go on.
CREATE PROCEDURE suspension_move() LANGUAGE plpgsql AS $$
DECLARE
    behind text := greatest((SELECT max(suspension_id) FROM open_question),
                            (SELECT max(suspension_id) FROM decision), '');
    last text;
BEGIN
    LOOP
        SELECT max(id) INTO last FROM (
            SELECT id FROM suspension WHERE id > behind ORDER BY id LIMIT 2000) batch;
        EXIT WHEN last IS NULL;
        INSERT INTO decision (suspension_id, kind, asked_by, suspended_at, state, outcome,
            response, reason, metadata, constraints, approved_subject, approved_sha256,
            attempt, channel_hint, decided_by, claimed, via, decided_at, summary)
        SELECT id, kind, asked_by, suspended_at, state, outcome, response, reason, metadata,
               constraints, approved_subject, approved_sha256, attempt, channel_hint,
               responded_by, responded_by_claimed, responded_via, responded_at,
               audit_summary
          FROM suspension WHERE id > behind AND id <= last AND state <> 'pending';
        WITH open AS (
            INSERT INTO open_question (suspension_id, intent_id, kind, inbox_rank, ending,
                suspended_at, asked_by, asked_by_key, subject_sha256, search, audiences,
                not_for, attempt, next_attempt_at, channel_hint)
            SELECT id, intent_id, kind, inbox_rank, coalesce(expires_at, 'infinity'),
                   suspended_at, asked_by, asked_by_key, subject_sha256, search,
                   ARRAY[audience], CASE WHEN not_initiator THEN initiated_by END, attempt,
                   next_attempt_at, channel_hint
              FROM suspension WHERE id > behind AND id <= last AND state = 'pending'
            RETURNING suspension_id)
        INSERT INTO inbox_entry (suspension_id, audience, kind, inbox_rank, ending,
            suspended_at, asked_by, not_for)
        SELECT s.id, s.audience, s.kind, s.inbox_rank, coalesce(s.expires_at, 'infinity'),
               s.suspended_at, s.asked_by, CASE WHEN s.not_initiator THEN s.initiated_by END
          FROM open o JOIN suspension s ON s.id = o.suspension_id;
        COMMIT;
        behind := last;
    END LOOP;
END
$$;

REVOKE ALL ON suspension, suspension_row FROM sayso_web, sayso_wait, sayso_tick;
GRANT SELECT ON suspension, suspension_row TO sayso_web, sayso_tick;
GRANT SELECT ON suspension TO sayso_wait;
