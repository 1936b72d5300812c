-- Retention: rules that erase the contents of questions that have ended, some time after that.
--
-- What goes are the words and facts: of the question, its answer, its tool calls and permits,
-- its files, and the bytes of its events; with the last question of a task those of the task.
-- What stays are ids, times, outcomes, who decided, and all that is hashed or signed. The function
-- below is the only way: a role that may run it reads and writes nothing else.
DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_erase') THEN
        RAISE EXCEPTION 'there is no role sayso_erase: run roles.sql of this version first';
    END IF;
END
$$;

-- A rule is never changed: events that it erased name it. It erases from its start on, which is
-- a step of its own: what it would erase is shown before. One that was removed stays.
CREATE TABLE retention_rule (
    name       text PRIMARY KEY CHECK (name ~ '^[a-z0-9][a-z0-9._-]{0,59}$'
                                       AND name <> 'person'), -- sql/0063
    days       integer NOT NULL CHECK (days BETWEEN 7 AND 36500), -- since the end
    kind       text, -- of questions; none: without a kind; NULL: any
    outcome    text, -- as the history names it; NULL: any
    created_at timestamptz NOT NULL,
    created_by text NOT NULL,
    started_at timestamptz, -- NULL: it erases nothing yet
    started_by text,
    removed_at timestamptz,
    removed_by text,
    erased     bigint NOT NULL DEFAULT 0, -- questions
    -- Questions are looked at by the time of their end, from the oldest on, up to here.
    place_at   timestamptz NOT NULL DEFAULT '-infinity',
    place_id   text NOT NULL DEFAULT '',
    passed_at  timestamptz, -- the last time that all were looked at
    CHECK (kind IN ('none', 'approval', 'permission', 'plan_review', 'elicitation',
                    'credential_needed', 'cost_confirmation', 'handoff_acceptance')),
    CHECK (outcome IN ('authorized', 'vetoed', 'changes_requested', 'answered', 'declined',
                       'accepted', 'fallback', 'none', 'expired', 'withdrawn')),
    CHECK ((started_at IS NULL) = (started_by IS NULL)),
    CHECK ((removed_at IS NULL) = (removed_by IS NULL))
);
CREATE FUNCTION retention_rule_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' OR (OLD.removed_at IS DISTINCT FROM NEW.removed_at
                            AND OLD.removed_at IS NOT NULL)
       OR (NEW.name, NEW.days, NEW.kind, NEW.outcome, NEW.created_at)
          IS DISTINCT FROM (OLD.name, OLD.days, OLD.kind, OLD.outcome, OLD.created_at)
       OR (OLD.started_at IS NOT NULL AND NEW.started_at IS DISTINCT FROM OLD.started_at) THEN
        RAISE EXCEPTION 'a rule of retention stays as it was made'
              USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER retention_rule_stays BEFORE UPDATE OR DELETE ON retention_rule
    FOR EACH ROW EXECUTE FUNCTION retention_rule_stays();
GRANT SELECT, INSERT (name, days, kind, outcome, created_at, created_by),
      UPDATE (started_at, started_by, removed_at, removed_by) ON retention_rule TO sayso_web;

-- Tasks whose questions are erased, and in which something happened since: they wait until
-- nothing has for as long as the rule says.
CREATE TABLE retention_wait (
    intent_id uuid PRIMARY KEY REFERENCES intent,
    rule      text NOT NULL REFERENCES retention_rule,
    since     timestamptz NOT NULL, -- of the newest event then
    looked_at timestamptz NOT NULL
);
CREATE INDEX retention_wait_rule ON retention_wait (rule, looked_at);

-- Erased: by which rule, and when.
ALTER TABLE decision ADD COLUMN erased_rule text, ADD COLUMN erased_at timestamptz;

DROP VIEW suspension_sized;
DROP VIEW suspension_row;
CREATE VIEW suspension_row AS
SELECT s.id, s.intent_id, s.seq, s.record, s.response_type, s.title, s.question,
       s.explanation, s.severity, s.subject, s.subject_sha256, s.context, s.choices,
       s.form, coalesce(d.channel_hint, o.channel_hint) AS channel_hint, s.asked_by,
       s.asked_by_key, s.initiated_by, s.suspended_at, s.timeout_seconds, s.retry_policy,
       s.expires_at, s.fallback_policy, s.fallback_value, s.on_reject, s.confidence,
       s.asked_sequence, coalesce(d.state, 'pending') AS state, d.outcome, d.response, d.reason,
       d.metadata, d.decided_by AS responded_by, d.claimed AS responded_by_claimed,
       d.via AS responded_via, d.decided_at AS responded_at, d.summary AS audit_summary,
       inbox_rank(s.severity) AS inbox_rank, coalesce(d.attempt, o.attempt) AS attempt,
       o.next_attempt_at, s.kind, s.allow_edit, s.responder_mode, s.responder, s.not_initiator,
       s.evidence, s.artifacts, s.supersedes, d.constraints, d.approved_subject,
       d.approved_sha256, s.severity_said, s.initiator_id, s.origin, s.callback,
       s.callback_body, s.callback_endpoint, s.test, d.erased_rule, d.erased_at
  FROM suspension s
  LEFT JOIN open_question o ON o.suspension_id = s.id
  LEFT JOIN decision d ON d.suspension_id = s.id;
CREATE VIEW suspension_sized AS
SELECT s.*, octet_length(context) + octet_length(subject) + octet_length(choices)
       + octet_length(question) + coalesce(octet_length(explanation), 0)
       + coalesce(octet_length(form), 0) + coalesce(octet_length(evidence), 0)
       + coalesce(octet_length(artifacts), 0) + coalesce(octet_length(fallback_value), 0)
       + coalesce(octet_length(response), 0) + octet_length(record)
       + coalesce(octet_length(metadata), 0) + coalesce(octet_length(constraints), 0)
       + coalesce(octet_length(approved_subject), 0) + 4000 AS size
  FROM suspension_row s;
GRANT SELECT ON suspension_row, suspension_sized TO sayso_web, sayso_tick, sayso_seal;

-- An event that was erased has no record.
CREATE OR REPLACE VIEW event_row AS
SELECT e.xid, e.intent_id, e.sequence, e.event_type, e.canonical, e.event_hash,
       CASE WHEN e.canonical = '' THEN NULL
       WHEN e.event_type = 'intent.suspended' THEN
           (SELECT s.record FROM suspension s
             WHERE s.intent_id = e.intent_id AND s.asked_sequence = e.sequence)
       WHEN e.event_type = 'intent.suspension_expired' THEN
           (SELECT s.record FROM suspension s
             WHERE s.id = e.canonical::jsonb #>> '{payload,suspension_id}')
       END AS record,
       (SELECT coalesce(json_agg(a.agent_id), '[]')
          FROM (SELECT agent_id FROM assignment WHERE intent_id = e.intent_id
                 ORDER BY agent_id LIMIT 200) a) AS agents,
       (SELECT i.version FROM intent i WHERE i.id = e.intent_id) AS version,
       (SELECT json_build_object(
                   'portfolios', (SELECT json_agg(m.portfolio_id) FROM portfolio_member m
                                   WHERE m.intent_id = i.id AND m.added_at <= e.created_at),
                   'closed', i.acl = 2,
                   'test', i.test,
                   'agents', (SELECT json_agg(t.agent)
                                FROM (SELECT t.agent FROM intent_tie t
                                       WHERE t.intent_id = i.id AND t.until > now()
                                         AND t.agent IS NOT NULL LIMIT 400) t))
          FROM intent i WHERE i.id = e.intent_id
                          AND (i.containers & 1 = 1 OR i.acl = 2 OR i.test))
           AS watched
  FROM event e;

-- ---- What was sealed gives way to a rule alone ---------------------------

-- An event may lose its bytes where event_erased names the rule, and changes in no other way.
CREATE FUNCTION event_erased_only() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.canonical <> ''
       OR (NEW.intent_id, NEW.sequence, NEW.id, NEW.event_type, NEW.created_at, NEW.event_hash,
           NEW.previous_event_hash, NEW.xid)
          IS DISTINCT FROM
          (OLD.intent_id, OLD.sequence, OLD.id, OLD.event_type, OLD.created_at, OLD.event_hash,
           OLD.previous_event_hash, OLD.xid)
       OR NOT EXISTS (SELECT FROM event_erased x
                       WHERE x.intent_id = OLD.intent_id AND x.sequence = OLD.sequence) THEN
        RAISE EXCEPTION 'events are append only' USING ERRCODE = 'insufficient_privilege';
    END IF;
    RETURN NEW;
END $$;
DROP TRIGGER event_append_only ON event;
CREATE TRIGGER event_append_only BEFORE DELETE ON event
    FOR EACH ROW EXECUTE FUNCTION event_append_only();
CREATE TRIGGER event_erased_only BEFORE UPDATE ON event
    FOR EACH ROW EXECUTE FUNCTION event_erased_only();

-- A permit may lose what it permitted with its question or its task.
CREATE FUNCTION permit_erased(p permit) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT FROM decision d
                WHERE d.suspension_id = p.suspension_id AND d.erased_at IS NOT NULL)
       OR EXISTS (SELECT FROM event_erased x WHERE x.intent_id = p.intent_id AND x.sequence = 1);
DROP TRIGGER permit_sealed ON permit;
CREATE TRIGGER permit_sealed BEFORE UPDATE ON permit FOR EACH ROW
    WHEN (NEW.asked_sha256 <> repeat('0', 64)) EXECUTE FUNCTION permit_sealed();
CREATE FUNCTION permit_blanked() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.asked <> '[]' OR coalesce(NEW.granted, '[]') <> '[]' OR NOT permit_erased(OLD)
       OR (NEW.id, NEW.intent_id, NEW.suspension_id, NEW.auth_req_id, NEW.agent, NEW.agent_key,
           NEW.resource_id, NEW.jkt, NEW.max_uses, NEW.use_seconds, NEW.used, NEW.state,
           NEW.created_at, NEW.granted_at, NEW.not_after, NEW.ended_at)
          IS DISTINCT FROM
          (OLD.id, OLD.intent_id, OLD.suspension_id, OLD.auth_req_id, OLD.agent, OLD.agent_key,
           OLD.resource_id, OLD.jkt, OLD.max_uses, OLD.use_seconds, OLD.used, OLD.state,
           OLD.created_at, OLD.granted_at, OLD.not_after, OLD.ended_at) THEN
        RAISE EXCEPTION 'a permit is sealed' USING ERRCODE = 'integrity_constraint_violation';
    END IF;
    RETURN NEW;
END $$;
CREATE TRIGGER permit_blanked BEFORE UPDATE ON permit FOR EACH ROW
    WHEN (NEW.asked_sha256 = repeat('0', 64)) EXECUTE FUNCTION permit_blanked();

-- ---- Erasing ---------------------------------------------------------------

-- How a question ended, as a rule and the history name it.
CREATE FUNCTION retention_outcome(state text, outcome text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
RETURN CASE state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
            ELSE outcome END;

-- Has a signed head this event?
CREATE FUNCTION retention_sealed(intent uuid, last bigint) RETURNS boolean LANGUAGE sql STABLE
RETURN last = 0 OR EXISTS (
    SELECT FROM log_leaf l
     WHERE l.epoch IN (SELECT epoch FROM log_end) AND l.intent_id = intent AND l.sequence = last
       AND l.position < (SELECT max(h.size) FROM log_head h WHERE h.epoch = l.epoch));

-- In place of contents.
CREATE FUNCTION retention_words(rule text, at timestamptz) RETURNS text LANGUAGE sql STABLE
RETURN 'Erased by rule ' || rule || ' on ' || to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD') || '.';

-- The state of a task without the record of these questions; whole: with nothing else either, but
-- a member that says so.
CREATE FUNCTION retention_state(state text, ids text[], whole boolean, rule text, at timestamptz)
    RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    erased constant text := json_build_object(
        'rule', rule, 'at', to_char(at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"'));
    record json := state::json -> '_suspension';
BEGIN
    IF record ->> 'id' = ANY (ids) THEN
        record := json_build_object(
            'id', record -> 'id', 'question', retention_words(rule, at),
            'resolution', record -> 'resolution', 'outcome', record -> 'outcome',
            'responded_at', record -> 'responded_at', 'erased', erased::json);
    ELSIF NOT whole THEN
        RETURN state;
    END IF;
    IF whole THEN
        RETURN '{"_erased":' || erased || coalesce(',"_suspension":' || record::text, '') || '}';
    END IF;
    -- The texts of all other members stay as they are.
    RETURN (SELECT '{' || string_agg(to_json(m.key)::text || ':' ||
                                     CASE m.key WHEN '_suspension' THEN record::text
                                     ELSE m.value::text END, ',') || '}'
              FROM json_each(state::json) m);
END $$;

-- The contents of these questions, which have ended.
CREATE FUNCTION retention_questions(ids text[], rule text, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    zeros constant text := repeat('0', 64);
    said constant text := retention_words(rule, at);
    tasks constant uuid[] := ARRAY(SELECT DISTINCT s.intent_id FROM suspension s
                                    WHERE s.id = ANY (ids));
    files uuid[];
BEGIN
    INSERT INTO event_erased (intent_id, sequence, rule, at)
    SELECT DISTINCT e.intent_id, e.sequence, retention_questions.rule, retention_questions.at
      FROM suspension s
      JOIN event e ON e.intent_id = s.intent_id AND e.canonical <> ''
      LEFT JOIN permit p ON p.suspension_id = s.id
     WHERE s.id = ANY (ids)
       AND (e.sequence = s.asked_sequence
            OR strpos(e.canonical, '"' || s.id || '"') > 0
            OR strpos(e.canonical, '"' || p.id || '"') > 0);
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
    DELETE FROM delivery v USING suspension s
     WHERE s.id = ANY (ids) AND v.intent_id = s.intent_id AND v.state <> 'pending'
       AND strpos(v.body, '"' || s.id || '"') > 0
       AND v.created_at >= (SELECT min(s.suspended_at) FROM suspension s WHERE s.id = ANY (ids));
    UPDATE intent i
       SET state = retention_state(i.state, ids, false, retention_questions.rule,
                                   retention_questions.at)
     WHERE i.id = ANY (tasks)
       AND i.state::json #>> '{_suspension,id}' = ANY (ids);
END $$;

-- The contents of these tasks, whose questions are erased.
CREATE FUNCTION retention_intents(ids uuid[], rule text, at timestamptz) RETURNS void
    LANGUAGE plpgsql AS $$
DECLARE
    zeros constant text := repeat('0', 64);
BEGIN
    INSERT INTO event_erased (intent_id, sequence, rule, at)
    SELECT e.intent_id, e.sequence, retention_intents.rule, retention_intents.at
      FROM event e WHERE e.intent_id = ANY (ids) AND e.canonical <> '';
    UPDATE event SET canonical = '' WHERE intent_id = ANY (ids) AND canonical <> '';
    UPDATE intent i
       SET title = retention_words(retention_intents.rule, retention_intents.at),
           description = NULL, constraints = '[]', governance_policy = NULL, session_id = NULL,
           task_id = NULL, turn_id = NULL, initiated_by = NULL, initiator_id = NULL,
           state = retention_state(i.state, NULL, true, retention_intents.rule,
                                   retention_intents.at)
     WHERE i.id = ANY (ids);
    UPDATE intent_cost SET metadata = '{}', provider = NULL WHERE intent_id = ANY (ids);
    DELETE FROM attachment WHERE intent_id = ANY (ids);
    UPDATE intent_failure SET error_code = NULL, error_message = NULL, metadata = '{}'
     WHERE intent_id = ANY (ids);
    UPDATE plan SET facts = '{}', review_reason = NULL WHERE intent_id = ANY (ids);
    UPDATE plan_checkpoint SET name = 'erased', approvers = '[]' WHERE intent_id = ANY (ids);
    UPDATE task SET name = 'erased', facts = '{}' WHERE intent_id = ANY (ids);
    UPDATE coordinator SET role = 'erased', guardrails = '{}', metadata = '{}'
     WHERE intent_id = ANY (ids);
    UPDATE acl_entry SET reason = NULL WHERE intent_id = ANY (ids);
    UPDATE lease SET scope = 'erased' WHERE intent_id = ANY (ids) AND status <> 'active';
    DELETE FROM tool_task WHERE intent_id = ANY (ids);
    UPDATE redemption r
       SET tool = 'erased', arguments = '{}', call_sha256 = zeros, result_ref = NULL, amount = NULL
      FROM permit p WHERE p.intent_id = ANY (ids) AND r.permit_id = p.id;
    UPDATE permit
       SET asked = '[]', asked_sha256 = zeros, granted = CASE WHEN granted IS NULL THEN NULL
                                                              ELSE '[]' END,
           granted_sha256 = CASE WHEN granted IS NULL THEN NULL ELSE zeros END, reason = NULL,
           budget = NULL, budget_of = NULL, budget_unit = NULL, spent = 0
     WHERE intent_id = ANY (ids);
    DELETE FROM delivery v
     WHERE v.intent_id = ANY (ids)
       AND v.created_at >= (SELECT min(i.created_at) FROM intent i WHERE i.id = ANY (ids));
    DELETE FROM retention_wait WHERE intent_id = ANY (ids);
END $$;

-- Of these tasks, which are locked: erases those in which nothing is open, nothing is left of a
-- question and nothing happened since `before`; the others wait. Returns how many were erased.
CREATE FUNCTION retention_rest(ids uuid[], rule text, before timestamptz, at timestamptz)
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
    ON CONFLICT (intent_id) DO UPDATE SET looked_at = excluded.looked_at;
    RETURN cardinality(ready);
END $$;

-- Erases about `most` questions by one of the rules: those that follow its place. Where a rule has
-- looked at all that is old enough it looks again an hour later. No row: there is nothing to do.
--
-- A question is left for later while its task is locked by somebody else, while an event of the
-- task is in no signed head, while it has no receipt, while a permit of it may be used, and while
-- a message about it is to be sent. One batch runs at a time.
CREATE FUNCTION retention_erase(most integer)
    RETURNS TABLE (rule text, looked bigint, questions bigint, intents bigint)
    LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp
    -- A plan that was made while event_erased was small would read all of it for each batch.
    SET plan_cache_mode = force_custom_plan AS $$
DECLARE
    r retention_rule;
    at constant timestamptz := now();
    before timestamptz;
    found_at timestamptz[];
    found_ids text[];
    busy text[];
    waiting uuid[];
    locked uuid[];
    ready text[];
    done boolean;
BEGIN
    IF NOT pg_try_advisory_xact_lock(6201) THEN
        RETURN;
    END IF;
    SELECT * INTO r FROM retention_rule x
     WHERE x.removed_at IS NULL AND x.started_at IS NOT NULL
       AND coalesce(x.passed_at < at - interval '1 hour', true)
     ORDER BY x.passed_at NULLS FIRST, x.name LIMIT 1 FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    before := at - r.days * interval '1 day';
    SELECT coalesce(array_agg(x.decided_at ORDER BY x.decided_at, x.suspension_id), '{}'),
           coalesce(array_agg(x.suspension_id ORDER BY x.decided_at, x.suspension_id), '{}')
      INTO found_at, found_ids
      FROM (SELECT d.decided_at, d.suspension_id FROM decision d
             WHERE (d.decided_at, d.suspension_id) > (r.place_at, r.place_id)
               AND d.decided_at < before AND d.erased_at IS NULL
               AND (r.kind IS NULL OR coalesce(d.kind, 'none') = r.kind)
               AND (r.outcome IS NULL OR retention_outcome(d.state, d.outcome) = r.outcome)
             ORDER BY d.decided_at, d.suspension_id LIMIT most) x;
    looked := cardinality(found_ids);
    SELECT array_agg(v.suspension_id) INTO busy FROM delivery v
     WHERE v.state = 'pending' AND v.suspension_id = ANY (found_ids);
    -- At the end the tasks that wait, each once a day.
    waiting := ARRAY(SELECT w.intent_id FROM retention_wait w
                      WHERE w.rule = r.name AND w.looked_at < at - interval '1 day'
                        AND looked < most
                      ORDER BY w.looked_at LIMIT most);
    done := looked < most AND cardinality(waiting) < most;
    SELECT coalesce(array_agg(x.id), '{}') INTO locked
      FROM (SELECT i.id FROM intent i
             WHERE i.id = ANY (waiting)
                OR i.id IN (SELECT s.intent_id FROM suspension s WHERE s.id = ANY (found_ids))
             ORDER BY i.id FOR NO KEY UPDATE SKIP LOCKED) x;
    SELECT coalesce(array_agg(s.id), '{}') INTO ready
      FROM suspension s JOIN intent i ON i.id = s.intent_id
     WHERE s.id = ANY (found_ids) AND i.id = ANY (locked)
       AND retention_sealed(i.id, i.event_sequence)
       AND NOT EXISTS (SELECT FROM log_fault f WHERE f.intent_id = i.id)
       AND (s.test OR EXISTS (SELECT FROM receipt c WHERE c.suspension_id = s.id)
            OR EXISTS (SELECT FROM receipt_wait w WHERE w.suspension_id = s.id AND w.lost))
       AND NOT EXISTS (SELECT FROM permit_row p WHERE p.suspension_id = s.id
                          AND p.state = 'active' AND p.not_after > at)
       AND s.id <> ALL (coalesce(busy, '{}'));
    PERFORM retention_questions(ready, r.name, at);
    rule := r.name;
    questions := cardinality(ready);
    intents := retention_rest(
        ARRAY(SELECT x FROM unnest(locked) x
               WHERE x = ANY (waiting)
                  OR x IN (SELECT s.intent_id FROM suspension s WHERE s.id = ANY (ready))),
        r.name, before, at);
    UPDATE retention_rule x
       SET place_at = CASE WHEN done THEN '-infinity' WHEN looked > 0 THEN found_at[looked]
                           ELSE x.place_at END,
           place_id = CASE WHEN done THEN '' WHEN looked > 0 THEN found_ids[looked]
                           ELSE x.place_id END,
           passed_at = CASE WHEN done THEN at ELSE x.passed_at END,
           erased = x.erased + questions
     WHERE x.name = r.name;
    RETURN NEXT;
END $$;
REVOKE ALL ON FUNCTION retention_erase(integer) FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retention_erase(integer) TO sayso_erase;
REVOKE ALL ON FUNCTION retention_questions(text[], text, timestamptz),
    retention_intents(uuid[], text, timestamptz),
    retention_rest(uuid[], text, timestamptz, timestamptz) FROM PUBLIC;
GRANT SELECT ON migration, restore TO sayso_erase;
