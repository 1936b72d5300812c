-- The erasing by rules of retention: which events name a question, whose turn it is, how much one
-- batch takes, and the tasks that wait under a rule that was removed.

-- ---- The events of a question ----------------------------------------------

-- The questions that an event names, each by its id; 'permit:' before the id of a permit. No id of
-- a question has a colon. Only these members of the payload count: an id is chosen by the agent
-- that asks, and its bytes may stand in any other place.
CREATE FUNCTION retention_named(event_type text, canonical text) RETURNS text[]
    LANGUAGE sql IMMUTABLE AS $$
SELECT array_remove(ARRAY[p.suspension_id, p.request_id, p.approval_id, p.escalation_id,
                          p.arbitration_id, 'permit:' || p.permit_id], NULL)
       || CASE event_type WHEN 'governance.approval_enforced'
          THEN ARRAY(SELECT json_array_elements_text(p.approval_ids)) ELSE '{}' END
  FROM json_to_record(canonical::json -> 'payload')
       AS p (suspension_id text, request_id text, approval_id text, escalation_id text,
             arbitration_id text, permit_id text, approval_ids json)
$$;

-- The id of the question whose record came with this change of the task's state; NULL: none.
CREATE FUNCTION retention_recorded(canonical text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
SELECT coalesce(p.state #>> '{_suspension,id}',
                (SELECT x #>> '{value,id}' FROM json_array_elements(p.patches) x
                  WHERE btrim(x ->> 'path', '/') = '_suspension'))
  FROM json_to_record(nullif(canonical, '')::json -> 'payload') AS p (state json, patches json)
$$;

-- The contents of these questions, which have ended.
CREATE OR REPLACE FUNCTION retention_questions(ids text[], rule text, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    zeros constant text := repeat('0', 64);
    said constant text := retention_words(rule, at);
    tasks constant uuid[] := ARRAY(SELECT DISTINCT s.intent_id FROM suspension s
                                    WHERE s.id = ANY (ids));
    files uuid[];
BEGIN
    -- Of the types that the server alone writes, those that name a question, each read once. An
    -- agent may write 'tool.invoked' too, but the server's own are short and name the use. A
    -- decision that a coordinator recorded for itself may be long.
    INSERT INTO event_erased (intent_id, sequence, rule, at)
    WITH named AS MATERIALIZED (
        SELECT e.intent_id, e.sequence, n.name
          FROM event e
          CROSS JOIN LATERAL unnest(retention_named(e.event_type, e.canonical)) n (name)
         WHERE e.intent_id = ANY (tasks) AND e.canonical <> ''
           AND e.event_type IN (
               'access_request_approved', 'access_request_denied',
               'coordinator.escalation_resolved', 'coordinator.handoff', 'coordinator.stalled',
               'decision_recorded', 'governance.approval_denied', 'governance.approval_enforced',
               'governance.approval_granted', 'grant.revoked', 'intent.resumed',
               'intent.suspension_escalated', 'intent.suspension_expired',
               'intent.suspension_renotified', 'plan.activated', 'plan.checkpoint_approved',
               'plan.checkpoint_reached', 'plan.checkpoint_rejected', 'plan.resumed',
               'portfolio.member_resumed', 'portfolio.member_suspended', 'status_changed',
               'tool.invoked')
           AND (e.event_type <> 'tool.invoked'
                OR octet_length(e.canonical) < 4096
                   AND e.canonical::json #> '{payload,redemption_id}' IS NOT NULL)
           AND (e.event_type <> 'decision_recorded'
                OR strpos(e.canonical, '"arbitration_id":"') > 0)
    ), wanted AS (
        SELECT s.intent_id, s.id AS name FROM suspension s WHERE s.id = ANY (ids)
         UNION ALL
        SELECT s.intent_id, 'permit:' || p.id
          FROM suspension s JOIN permit p ON p.suspension_id = s.id WHERE s.id = ANY (ids)
    )
    SELECT x.intent_id, x.sequence, retention_questions.rule, retention_questions.at
      FROM (SELECT n.intent_id, n.sequence
              FROM named n JOIN wanted w ON w.intent_id = n.intent_id AND w.name = n.name
             UNION
            SELECT e.intent_id, e.sequence
              FROM suspension s JOIN event e ON e.intent_id = s.intent_id
                                            AND e.sequence = s.asked_sequence
             WHERE s.id = ANY (ids) AND e.canonical <> ''
             UNION
            -- The newest change of the state before that, where it asked. It alone is parsed.
            SELECT s.intent_id, c.sequence
              FROM suspension s
              CROSS JOIN LATERAL (SELECT e.sequence, e.canonical FROM event e
                                   WHERE e.intent_id = s.intent_id
                                     AND e.event_type = 'state_patched'
                                     AND e.sequence < s.asked_sequence
                                   ORDER BY e.sequence DESC LIMIT 1) c
             WHERE s.id = ANY (ids) AND retention_recorded(c.canonical) = s.id) x;
    UPDATE event e SET canonical = ''
      FROM event_erased x
     WHERE x.intent_id = ANY (tasks) AND e.intent_id = ANY (tasks)
       AND x.intent_id = e.intent_id AND x.sequence = e.sequence AND e.canonical <> '';
    -- The history still lists it: by agent, id, kind, outcome, risk, way and who answered.
    UPDATE ended_words w
       SET words = array_to_tsvector(ARRAY(SELECT x FROM unnest(tsvector_to_array(w.words)) x
                                            WHERE x ~ '^[aikorvw]=')),
           amount = NULL, unit = NULL
      FROM decision d
     WHERE d.suspension_id = ANY (ids) AND w.decided_at = d.decided_at
       AND w.suspension_id = d.suspension_id;
    -- Copies of the answer's reason.
    UPDATE plan SET review_reason = NULL WHERE review_id = ANY (ids);
    UPDATE acl_entry e SET reason = NULL
      FROM suspension s JOIN decision d ON d.suspension_id = s.id
     WHERE s.id = ANY (ids) AND e.intent_id = s.intent_id AND e.reason = d.reason;
    UPDATE decision d
       SET erased_rule = retention_questions.rule, erased_at = retention_questions.at,
           response = NULL, reason = NULL, metadata = NULL, constraints = NULL,
           approved_subject = NULL, approved_sha256 = NULL, claimed = NULL, summary = NULL,
           channel_hint = NULL
     WHERE d.suspension_id = ANY (ids);
    UPDATE suspension s
       SET record = '{}', title = NULL, question = said, explanation = NULL, subject = '{}',
           subject_sha256 = zeros, context = '{}', choices = '[]', form = NULL,
           channel_hint = NULL, initiated_by = NULL, initiator_id = NULL, retry_policy = NULL,
           fallback_value = NULL, confidence = NULL, evidence = '[]', artifacts = '[]',
           callback = NULL,
           responder = CASE responder_mode WHEN 'named' THEN 'erased' ELSE responder END
     WHERE s.id = ANY (ids);
    DELETE FROM suspension_call WHERE suspension_id = ANY (ids);
    UPDATE redemption r
       SET tool = 'erased', arguments = '{}', call_sha256 = zeros, result_ref = NULL, amount = NULL
      FROM permit p WHERE p.suspension_id = ANY (ids) AND r.permit_id = p.id;
    UPDATE permit
       SET asked = '[]', asked_sha256 = zeros, granted = CASE WHEN granted IS NULL THEN NULL
                                                              ELSE '[]' END,
           granted_sha256 = CASE WHEN granted IS NULL THEN NULL ELSE zeros END, reason = NULL,
           budget = NULL, budget_of = NULL, budget_unit = NULL, spent = 0
     WHERE suspension_id = ANY (ids);
    UPDATE answer_use SET call_sha256 = NULL WHERE suspension_id = ANY (ids);
    UPDATE restore_claim SET said = '{}', said_sha256 = lpad(n::text, 64, '0')
     WHERE suspension_id = ANY (ids);
    UPDATE receipt SET salt = NULL WHERE suspension_id = ANY (ids);
    -- Files of others stay.
    WITH gone AS (DELETE FROM artifact_use WHERE suspension_id = ANY (ids)
                  RETURNING artifact_id)
    SELECT array_agg(DISTINCT artifact_id) INTO files FROM gone;
    DELETE FROM artifact a
     WHERE a.id = ANY (files)
       AND NOT EXISTS (SELECT FROM artifact_use u WHERE u.artifact_id = a.id);
    DELETE FROM delivery v
     WHERE v.suspension_id = ANY (ids)
       AND v.created_at >= (SELECT min(s.suspended_at) FROM suspension s WHERE s.id = ANY (ids));
    -- What was sent to a subscription is one event.
    DELETE FROM delivery v USING event_erased x
     WHERE x.intent_id = ANY (tasks) AND v.intent_id = x.intent_id
       AND v.event_sequence = x.sequence AND v.subscription_id IS NOT NULL
       AND v.state <> 'pending'
       AND v.created_at >= (SELECT min(s.suspended_at) FROM suspension s WHERE s.id = ANY (ids));
    UPDATE intent i
       SET state = retention_state(i.state, ids, false, retention_questions.rule,
                                   retention_questions.at)
     WHERE i.id = ANY (tasks)
       AND i.state::json #>> '{_suspension,id}' = ANY (ids);
END $$;

-- ---- The tasks that wait ----------------------------------------------------

-- Of these tasks, which are locked: erases those in which nothing is open, nothing is left of a
-- question and nothing happened since `before`; the others wait, for this rule from now on. Returns
-- how many were erased.
CREATE OR REPLACE FUNCTION retention_rest(ids uuid[], rule text, before timestamptz,
                                          at timestamptz)
    RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
    ready uuid[];
BEGIN
    SELECT coalesce(array_agg(i.id), '{}') INTO ready FROM intent i
     WHERE i.id = ANY (ids) AND i.updated_at < before
       AND retention_sealed(i.id, i.event_sequence)
       AND NOT EXISTS (SELECT FROM event e WHERE e.intent_id = i.id
                          AND e.sequence = i.event_sequence AND e.created_at >= before)
       AND NOT EXISTS (SELECT FROM open_question o WHERE o.intent_id = i.id)
       AND NOT EXISTS (SELECT FROM suspension s JOIN decision d ON d.suspension_id = s.id
                        WHERE s.intent_id = i.id AND d.erased_at IS NULL)
       AND NOT EXISTS (SELECT FROM permit_row p WHERE p.intent_id = i.id
                          AND p.state = 'active' AND p.not_after > at)
       AND i.id <> ALL (ARRAY(SELECT v.intent_id FROM delivery v
                               WHERE v.state = 'pending' AND v.intent_id = ANY (ids)));
    PERFORM retention_intents(ready, rule, at);
    INSERT INTO retention_wait (intent_id, rule, since, looked_at)
    SELECT i.id, rule, i.updated_at, at FROM intent i
     WHERE i.id = ANY (ids) AND i.id <> ALL (ready)
    ON CONFLICT (intent_id) DO UPDATE
       SET rule = excluded.rule, since = excluded.since, looked_at = excluded.looked_at;
    RETURN cardinality(ready);
END $$;

-- The tasks that wait for this rule, each once a day: those that are its own, and those of a rule
-- that was removed, where this one fits a question of theirs. n: from 1 on; events: of the tasks
-- up to this one.
CREATE FUNCTION retention_waiting(r retention_rule, at timestamptz, most integer)
    RETURNS TABLE (n bigint, intent_id uuid, events numeric) LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT row_number() OVER x, w.intent_id, sum(i.event_sequence) OVER x
      FROM (SELECT v.intent_id, v.looked_at FROM retention_wait v
             WHERE v.rule IN (SELECT o.name FROM retention_rule o
                               WHERE o.name = r.name OR o.removed_at IS NOT NULL)
               AND v.looked_at < at - interval '1 day'
               AND v.intent_id <> ALL (r.left_out)
               AND (v.rule = r.name
                    OR EXISTS (SELECT FROM suspension s JOIN decision d ON d.suspension_id = s.id
                                WHERE s.intent_id = v.intent_id
                                  AND (r.kind IS NULL OR coalesce(d.kind, 'none') = r.kind)
                                  AND (r.outcome IS NULL
                                       OR retention_outcome(d.state, d.outcome) = r.outcome)))
             ORDER BY v.looked_at, v.intent_id LIMIT most) w
      JOIN intent i ON i.id = w.intent_id
    WINDOW x AS (ORDER BY w.looked_at, w.intent_id ROWS UNBOUNDED PRECEDING);
END $$;

-- ---- One batch ---------------------------------------------------------------

-- After a batch that fails the next one has one question, and each that ends well doubles that. The
-- task of one that fails alone is left out until the next time that all are looked at. A batch of
-- none leaves it out. The rules have turns.
ALTER TABLE retention_rule
    ADD COLUMN turn_at timestamptz, -- when its last batch began
    ADD COLUMN failing boolean NOT NULL DEFAULT false, -- that one has not ended well, or not yet
    ADD COLUMN size integer NOT NULL DEFAULT 1000, -- of a batch, questions
    ADD COLUMN left_out uuid[] NOT NULL DEFAULT '{}'; -- tasks

CREATE INDEX decision_unerased ON decision (decided_at, suspension_id)
    INCLUDE (kind, state, outcome) WHERE erased_at IS NULL;

-- The questions of the next batch of a rule, at most so many. n: from 1 on; events: of the tasks of
-- the questions up to this one.
CREATE FUNCTION retention_found(r retention_rule, at timestamptz, most integer)
    RETURNS TABLE (n bigint, decided_at timestamptz, id text, intent_id uuid, events numeric)
    LANGUAGE plpgsql STABLE AS $$
BEGIN
    RETURN QUERY
    SELECT y.n, y.decided_at, y.suspension_id, y.intent_id,
           sum(CASE WHEN y.first THEN i.event_sequence ELSE 0 END) OVER (ORDER BY y.n)
      FROM (SELECT row_number() OVER w AS n, x.decided_at, x.suspension_id, s.intent_id,
                   row_number() OVER (PARTITION BY s.intent_id
                                      ORDER BY x.decided_at, x.suspension_id) = 1 AS first
              FROM (SELECT d.decided_at, d.suspension_id FROM decision d
                     WHERE (d.decided_at, d.suspension_id) > (r.place_at, r.place_id)
                       AND d.decided_at < at - r.days * interval '1 day' AND d.erased_at IS NULL
                       AND (r.kind IS NULL OR coalesce(d.kind, 'none') = r.kind)
                       AND (r.outcome IS NULL
                            OR retention_outcome(d.state, d.outcome) = r.outcome)
                       AND d.suspension_id NOT IN (SELECT o.id FROM suspension o
                                                    WHERE o.intent_id = ANY (r.left_out))
                     ORDER BY d.decided_at, d.suspension_id LIMIT most) x
              JOIN suspension s ON s.id = x.suspension_id
            WINDOW w AS (ORDER BY x.decided_at, x.suspension_id)) y
      JOIN intent i ON i.id = y.intent_id;
END $$;

-- Of these questions, those of locked tasks that may be erased. The others are left for later: an
-- event of the task is in no signed head, there is no receipt, a permit may be used, or a message
-- is to be sent.
CREATE FUNCTION retention_ready(ids text[], locked uuid[], at timestamptz) RETURNS text[]
    LANGUAGE plpgsql STABLE AS $$
DECLARE
    busy constant text[] := ARRAY(SELECT v.suspension_id FROM delivery v
                                   WHERE v.state = 'pending' AND v.suspension_id = ANY (ids));
BEGIN
    RETURN ARRAY(
    SELECT s.id FROM suspension s JOIN intent i ON i.id = s.intent_id
     WHERE s.id = ANY (ids) AND i.id = ANY (locked)
       AND retention_sealed(i.id, i.event_sequence)
       AND NOT EXISTS (SELECT FROM log_fault f WHERE f.intent_id = i.id)
       AND (s.test OR EXISTS (SELECT FROM receipt c WHERE c.suspension_id = s.id)
            OR EXISTS (SELECT FROM receipt_wait w WHERE w.suspension_id = s.id AND w.lost))
       AND NOT EXISTS (SELECT FROM permit_row p WHERE p.suspension_id = s.id
                          AND p.state = 'active' AND p.not_after > at)
       AND s.id <> ALL (busy));
END $$;

-- Before each batch, in a transaction of its own: the rule whose turn it is, and the number of
-- questions of its batch, at most `most`. No row: there is nothing to do, or another process is at
-- it. A rule that could leave no task out waits as after a whole look.
CREATE FUNCTION retention_turn(most integer) RETURNS TABLE (rule text, questions integer)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    IF NOT pg_try_advisory_xact_lock(6201) THEN
        RETURN;
    END IF;
    UPDATE retention_rule SET passed_at = now(), failing = false, size = 1
     WHERE failing AND size = 0;
    RETURN QUERY
    UPDATE retention_rule r
       SET turn_at = clock_timestamp(), failing = true,
           size = CASE WHEN r.failing THEN (r.size > 1)::integer ELSE r.size END
     WHERE r.name = (SELECT x.name FROM retention_rule x
                      WHERE x.removed_at IS NULL AND x.started_at IS NOT NULL
                        AND coalesce(x.passed_at < now() - interval '1 hour', true)
                      ORDER BY x.turn_at NULLS FIRST, x.name LIMIT 1)
    RETURNING r.name, least(r.size, most);
END $$;

-- Erases about `most` questions by this rule: those that follow its place. Where a rule has looked
-- at all that is old enough it looks again an hour later. A batch ends early where its tasks have
-- many events. A batch of none leaves the first task out. No row: the rule erases nothing, or
-- another process is at it. A task that somebody else has locked is left for later.
CREATE FUNCTION retention_erase(wanted text, most integer)
    RETURNS TABLE (rule text, looked bigint, questions bigint, intents bigint, left_out uuid)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    -- A plan that was made while event_erased was small would read all of it for each batch.
    SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    events_most constant integer := 20000; -- but one task has all of its events
    r retention_rule;
    at constant timestamptz := now();
    found_at timestamptz[];
    found_ids text[];
    found_events numeric;
    waiting uuid[] := '{}';
    of_found uuid[];
    locked uuid[];
    ready text[];
    n bigint;
    done boolean;
BEGIN
    IF NOT pg_try_advisory_xact_lock(6201) THEN
        RETURN;
    END IF;
    SELECT * INTO r FROM retention_rule x
     WHERE x.name = wanted AND x.removed_at IS NULL AND x.started_at IS NOT NULL FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    IF most = 0 THEN
        left_out := coalesce((SELECT x.intent_id FROM retention_found(r, at, 1) x),
                             (SELECT x.intent_id FROM retention_waiting(r, at, 1) x));
        UPDATE retention_rule x
           SET left_out = array_remove(r.left_out || retention_erase.left_out, NULL),
               passed_at = CASE WHEN retention_erase.left_out IS NULL THEN at ELSE x.passed_at END,
               failing = false, size = 1
         WHERE x.name = r.name;
        RETURN QUERY SELECT r.name, 0::bigint, 0::bigint, 0::bigint, left_out;
        RETURN;
    END IF;
    SELECT count(*),
           coalesce(array_agg(x.decided_at ORDER BY x.n)
                    FILTER (WHERE x.events <= events_most OR x.n = 1), '{}'),
           coalesce(array_agg(x.id ORDER BY x.n)
                    FILTER (WHERE x.events <= events_most OR x.n = 1), '{}'),
           coalesce(max(x.events), 0)
      INTO n, found_at, found_ids, found_events
      FROM retention_found(r, at, most) x;
    looked := cardinality(found_ids);
    done := n < most AND looked = n;
    -- At the end the tasks that wait.
    IF done THEN
        SELECT count(*),
               coalesce(array_agg(x.intent_id ORDER BY x.n)
                        FILTER (WHERE x.events + found_events <= events_most
                                   OR x.n = 1 AND looked = 0), '{}')
          INTO n, waiting
          FROM retention_waiting(r, at, most) x;
        done := n < most AND cardinality(waiting) = n;
    END IF;
    of_found := ARRAY(SELECT s.intent_id FROM suspension s WHERE s.id = ANY (found_ids));
    locked := ARRAY(SELECT i.id FROM intent i WHERE i.id = ANY (waiting || of_found)
                     ORDER BY i.id FOR NO KEY UPDATE SKIP LOCKED);
    ready := retention_ready(found_ids, locked, at);
    IF ready <> '{}' THEN
        PERFORM retention_questions(ready, r.name, at);
    END IF;
    rule := r.name;
    questions := cardinality(ready);
    intents := retention_rest(
        ARRAY(SELECT x FROM unnest(locked) x
               WHERE x = ANY (waiting)
                  OR x IN (SELECT s.intent_id FROM suspension s WHERE s.id = ANY (ready))),
        r.name, at - r.days * interval '1 day', at);
    UPDATE retention_rule x
       SET place_at = CASE WHEN done THEN '-infinity' WHEN looked > 0 THEN found_at[looked]
                           ELSE x.place_at END,
           place_id = CASE WHEN done THEN '' WHEN looked > 0 THEN found_ids[looked]
                           ELSE x.place_id END,
           passed_at = CASE WHEN done THEN at ELSE x.passed_at END,
           left_out = CASE WHEN done THEN '{}' ELSE x.left_out END,
           erased = x.erased + questions,
           failing = false, size = least(2 * x.size, 1000)
     WHERE x.name = r.name;
    RETURN NEXT;
END $$;

-- As the version before this one calls it.
CREATE OR REPLACE FUNCTION retention_erase(most integer)
    RETURNS TABLE (rule text, looked bigint, questions bigint, intents bigint)
    LANGUAGE sql SECURITY DEFINER SET search_path = public, pg_temp
    AS $$
SELECT e.rule, e.looked, e.questions, e.intents
  FROM retention_turn(most) t, retention_erase(t.rule, t.questions) e
$$;

REVOKE ALL ON FUNCTION retention_erase(text, integer), retention_turn(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention_erase(text, integer), retention_turn(integer) TO sayso_erase;
REVOKE ALL ON FUNCTION retention_found(retention_rule, timestamptz, integer),
    retention_waiting(retention_rule, timestamptz, integer),
    retention_ready(text[], uuid[], timestamptz) FROM PUBLIC;
