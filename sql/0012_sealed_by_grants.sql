-- What was copied goes from suspension, which then has what was asked. No process may
-- change or delete a row of suspension, decision or event: the rights seal them.

DO $$
BEGIN
    LOCK TABLE suspension IN ACCESS EXCLUSIVE MODE;
    IF EXISTS (SELECT FROM suspension s
                 LEFT JOIN open_question o ON o.suspension_id = s.id
                 LEFT JOIN decision d ON d.suspension_id = s.id
                WHERE (o.suspension_id IS NOT NULL) <> (s.state = 'pending')
                   OR s.state IS DISTINCT FROM coalesce(d.state, 'pending')) THEN
        RAISE EXCEPTION 'questions were written while they were moved';
    END IF;
END
$$;

DROP TRIGGER suspension_sealed ON suspension;
DROP FUNCTION suspension_sealed;
DROP PROCEDURE suspension_move;
DROP FUNCTION search_open;

CREATE OR REPLACE VIEW suspension_row AS
SELECT s.id, s.intent_id, s.seq, s.record, s.response_type, s.title, s.question,
       s.explanation, s.severity, s.subject, s.subject_sha256, s.context, s.choices,
       s.form, coalesce(d.channel_hint, o.channel_hint) AS channel_hint, s.asked_by,
       s.asked_by_key, s.initiated_by,
       microseconds(s.suspended_at) AS suspended_us, s.timeout_seconds, s.retry_policy,
       microseconds(s.expires_at) AS expires_us, s.fallback_policy, s.fallback_value,
       s.on_reject, s.confidence, s.asked_sequence, coalesce(d.state, 'pending') AS state,
       d.outcome, d.response, d.reason, d.metadata, d.decided_by AS responded_by,
       d.claimed AS responded_by_claimed, d.via AS responded_via,
       microseconds(d.decided_at) AS responded_us, d.summary AS audit_summary,
       s.suspended_at, d.decided_at AS responded_at, inbox_rank(s.severity) AS inbox_rank,
       s.expires_at, coalesce(d.attempt, o.attempt) AS attempt,
       microseconds(o.next_attempt_at) AS next_attempt_us,
       s.kind, s.allow_edit, s.responder_mode, s.responder, s.not_initiator, s.evidence,
       s.artifacts, s.supersedes, d.constraints, d.approved_subject, d.approved_sha256,
       s.severity_said
  FROM suspension s
  LEFT JOIN open_question o ON o.suspension_id = s.id
  LEFT JOIN decision d ON d.suspension_id = s.id;
-- With about how many bytes a row is, so that a page of them ends by its bytes; counted
-- without fetching a long text.
CREATE VIEW suspension_sized AS
SELECT s.*, octet_length(context) + octet_length(subject) + octet_length(choices)
       + octet_length(question) + coalesce(octet_length(explanation), 0)
       + coalesce(octet_length(form), 0) + coalesce(octet_length(evidence), 0)
       + coalesce(octet_length(artifacts), 0) + coalesce(octet_length(fallback_value), 0)
       + coalesce(octet_length(response), 0) + octet_length(record)
       + coalesce(octet_length(metadata), 0) + coalesce(octet_length(constraints), 0)
       + coalesce(octet_length(approved_subject), 0) + 4000 AS size
  FROM suspension_row s;

-- With their indexes and checks. channel_hint stays, as it was asked; of a question from
-- before it is the last one that was reached.
ALTER TABLE suspension
    DROP COLUMN state, DROP COLUMN outcome, DROP COLUMN response, DROP COLUMN reason,
    DROP COLUMN metadata, DROP COLUMN responded_by, DROP COLUMN responded_by_claimed,
    DROP COLUMN responded_via, DROP COLUMN responded_at, DROP COLUMN audit_summary,
    DROP COLUMN constraints, DROP COLUMN approved_subject, DROP COLUMN approved_sha256,
    DROP COLUMN attempt, DROP COLUMN next_attempt_at, DROP COLUMN audience,
    DROP COLUMN search, DROP COLUMN inbox_rank;

-- ---- What is open ------------------------------------------------------

-- What is due, for the clock: a reminder or the end, whichever is first.
CREATE INDEX open_question_due ON open_question ((least(next_attempt_at, ending)));
-- A key's open questions, to count them up to a limit; equal facts; newest first.
CREATE INDEX open_question_key ON open_question (asked_by_key);
CREATE INDEX open_question_digest ON open_question
    (subject_sha256, (coalesce(suspended_at, 'infinity')), suspension_id);
CREATE INDEX open_question_newest ON open_question (suspended_at DESC, suspension_id DESC);
CREATE INDEX open_question_newest_by_agent ON open_question
    (asked_by, suspended_at DESC, suspension_id DESC);
-- The inbox's order: of all and by agent, and of an audience and by agent there. Kinds and
-- risks are few, so a list is put together from one piece for each of them; then each
-- filter is a part of the index, and a deadline too.
CREATE INDEX open_question_all ON open_question
    ((coalesce(kind, '')), inbox_rank, ending, suspended_at, suspension_id);
CREATE INDEX open_question_agent ON open_question
    (asked_by, (coalesce(kind, 'none')), inbox_rank, ending, suspended_at, suspension_id);
CREATE INDEX inbox_entry_for ON inbox_entry
    (audience, (coalesce(kind, 'none')), inbox_rank, ending, suspended_at, suspension_id);
CREATE INDEX inbox_entry_agent_for ON inbox_entry
    (asked_by, audience, (coalesce(kind, '-')), inbox_rank, ending, suspended_at,
     suspension_id);
-- Each question pays for its own words: put off, they would hold up one that comes
-- later for 150 ms.
CREATE INDEX open_question_search ON open_question USING gin (search)
    WITH (fastupdate = off);

-- Some of what is open and has the words: at most $2 of them, in no order. Where a word
-- is so frequent that the index would give half the table, it is not asked. Planned anew
-- for the words at hand: a plan for any words would go through all that is open.
CREATE FUNCTION search_open(text, bigint)
    RETURNS TABLE (id text, inbox_rank smallint, ending timestamptz,
                   suspended_at timestamptz, kind text, asked_by text,
                   audiences text[], not_for text)
    LANGUAGE plpgsql STABLE ROWS 2000 AS $$
BEGIN
    RETURN QUERY EXECUTE $query$
    WITH frequent AS MATERIALIZED (
        SELECT count(*) > 20 AS yes
          FROM (SELECT o.search FROM open_question o LIMIT 200) o
         WHERE o.search @@ search_query($1))
    (SELECT o.suspension_id, o.inbox_rank, o.ending, o.suspended_at, o.kind, o.asked_by,
            o.audiences, o.not_for
       FROM open_question o
      WHERE (SELECT yes FROM frequent) AND (o.search @@ search_query($1)) IS TRUE LIMIT $2)
    UNION ALL
    (SELECT o.suspension_id, o.inbox_rank, o.ending, o.suspended_at, o.kind, o.asked_by,
            o.audiences, o.not_for
       FROM open_question o
      WHERE NOT (SELECT yes FROM frequent) AND o.search @@ search_query($1) LIMIT $2)
    $query$ USING $1, $2;
END
$$;

-- ---- What was decided --------------------------------------------------

-- The newest question first, by how it ended.
CREATE INDEX decision_newest_by_state ON decision
    (state, suspended_at DESC, suspension_id DESC);
CREATE INDEX decision_newest_by_agent_state ON decision
    (asked_by, state, suspended_at DESC, suspension_id DESC);
-- The newest decision first: of all, by what it was about and how it ended, by who
-- decided, and by agent.
CREATE INDEX decision_newest ON decision (decided_at DESC, suspension_id DESC);
CREATE INDEX decision_by ON decision
    ((coalesce(kind, 'none')),
     (CASE state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
      ELSE outcome END), (coalesce(via, 'none')),
     decided_at DESC, suspension_id DESC);
CREATE INDEX decision_who ON decision (decided_by, decided_at DESC, suspension_id DESC);
CREATE INDEX decision_agent ON decision (asked_by, decided_at DESC, suspension_id DESC);

ANALYZE suspension, open_question, inbox_entry, decision;

-- The web workers ask, answer and cancel. An entry goes with its question. UPDATE, of
-- what the clock alone writes: to lock the row.
GRANT INSERT ON suspension TO sayso_web;
GRANT SELECT ON suspension_sized TO sayso_web;
GRANT SELECT, INSERT, DELETE, UPDATE (next_attempt_at) ON open_question TO sayso_web;
GRANT SELECT, INSERT ON inbox_entry, decision TO sayso_web;
-- tick reminds, and decides as the clock.
GRANT SELECT, DELETE, UPDATE (attempt, next_attempt_at, channel_hint)
    ON open_question TO sayso_tick;
GRANT SELECT, INSERT ON decision TO sayso_tick;
