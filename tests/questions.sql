-- Many questions at once, for tests and the benchmark. The temporary table question takes
-- a row for each: what was asked, and beside it how it ended. questions_store() then puts
-- them where they belong and empties it. For one session; running it again is fine.
CREATE TEMPORARY TABLE IF NOT EXISTS question (LIKE suspension INCLUDING DEFAULTS);
ALTER TABLE question
    ADD COLUMN IF NOT EXISTS state text NOT NULL DEFAULT 'pending',
    ADD COLUMN IF NOT EXISTS outcome text,
    ADD COLUMN IF NOT EXISTS response text,
    ADD COLUMN IF NOT EXISTS reason text,
    ADD COLUMN IF NOT EXISTS metadata text,
    ADD COLUMN IF NOT EXISTS constraints text,
    ADD COLUMN IF NOT EXISTS approved_subject text,
    ADD COLUMN IF NOT EXISTS approved_sha256 text,
    ADD COLUMN IF NOT EXISTS attempt integer NOT NULL DEFAULT 1,
    ADD COLUMN IF NOT EXISTS next_attempt_at timestamptz,
    ADD COLUMN IF NOT EXISTS responded_by text,
    ADD COLUMN IF NOT EXISTS responded_by_claimed text,
    ADD COLUMN IF NOT EXISTS responded_via text,
    ADD COLUMN IF NOT EXISTS responded_at timestamptz,
    ADD COLUMN IF NOT EXISTS audit_summary text;

-- As src/domain/search/search.c takes them, for texts of plain words.
CREATE OR REPLACE FUNCTION pg_temp.question_words(q question) RETURNS tsvector LANGUAGE sql AS $$
    SELECT array_to_tsvector(ARRAY(
        SELECT DISTINCT w FROM (
            SELECT regexp_split_to_table(lower(concat_ws(' ', q.title, q.question, q.asked_by,
                       q.responded_by, q.reason)), '[^[:alnum:]]+')
            UNION ALL VALUES ('i=' || q.id), ('i=' || q.intent_id), ('a=' || q.asked_by),
                ('k=' || coalesce(q.kind, 'none')), ('r=' || coalesce(q.severity, 'none')))
            x (w) WHERE w <> ''
        UNION ALL SELECT w FROM (VALUES
            ('o=' || CASE q.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
                     ELSE q.outcome END),
            ('v=' || coalesce(q.responded_via, 'none')), ('w=' || q.responded_by)) x (w)
         WHERE q.state <> 'pending' AND w IS NOT NULL)) $$;

CREATE OR REPLACE FUNCTION pg_temp.questions_store() RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    columns text := (SELECT string_agg(quote_ident(attname), ', ')
                       FROM pg_attribute
                      WHERE attrelid = 'suspension'::regclass AND attnum > 0
                        AND NOT attisdropped);
BEGIN
    EXECUTE format('INSERT INTO suspension (%1$s) SELECT %1$s FROM question', columns);
    -- Older databases have the words in another way.
    IF to_regclass('ended_words') IS NULL THEN
        INSERT INTO open_question (suspension_id, intent_id, kind, inbox_rank, ending,
            suspended_at, asked_by, asked_by_key, subject_sha256, search, audiences, not_for,
            attempt, next_attempt_at, channel_hint)
        SELECT id, intent_id, kind, inbox_rank(severity), coalesce(expires_at, 'infinity'),
               suspended_at, asked_by, asked_by_key, subject_sha256,
               search_words(title, question, asked_by, id, intent_id),
               ARRAY[inbox_audience(responder_mode, responder, initiated_by)],
               CASE WHEN not_initiator THEN initiated_by END, attempt, next_attempt_at,
               channel_hint
          FROM question q WHERE state = 'pending';
    ELSE
        INSERT INTO open_question (suspension_id, intent_id, kind, inbox_rank, ending,
            suspended_at, asked_by, asked_by_key, subject_sha256, words, audiences, not_for,
            attempt, next_attempt_at, channel_hint)
        SELECT id, intent_id, kind, inbox_rank(severity), coalesce(expires_at, 'infinity'),
               suspended_at, asked_by, asked_by_key, subject_sha256,
               pg_temp.question_words(q),
               ARRAY[inbox_audience(responder_mode, responder, initiated_by)],
               CASE WHEN not_initiator THEN initiated_by END, attempt, next_attempt_at,
               channel_hint
          FROM question q WHERE state = 'pending';
    END IF;
    INSERT INTO inbox_entry (suspension_id, audience, kind, inbox_rank, ending,
        suspended_at, asked_by, not_for)
    SELECT id, inbox_audience(responder_mode, responder, initiated_by), kind,
           inbox_rank(severity), coalesce(expires_at, 'infinity'), suspended_at, asked_by,
           CASE WHEN not_initiator THEN initiated_by END
      FROM question q WHERE state = 'pending';
    INSERT INTO decision (suspension_id, kind, asked_by, suspended_at, state, outcome,
        response, reason, metadata, constraints, approved_subject, approved_sha256, attempt,
        channel_hint, decided_by, claimed, via, decided_at, summary)
    SELECT id, kind, asked_by, suspended_at, state, outcome, response, reason, metadata,
           constraints, approved_subject, approved_sha256, attempt, channel_hint,
           responded_by, responded_by_claimed, responded_via, responded_at, audit_summary
      FROM question q WHERE state <> 'pending';
    IF to_regclass('ended_words') IS NOT NULL THEN
        INSERT INTO ended_words (decided_at, suspension_id, words)
        SELECT responded_at, id, pg_temp.question_words(q)
          FROM question q WHERE state <> 'pending' AND responded_at IS NOT NULL;
        -- They may be older than what is summed up.
        DELETE FROM search_part;
    END IF;
    TRUNCATE question;
END
$$;
