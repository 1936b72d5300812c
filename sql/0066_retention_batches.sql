-- A batch of retention took its tasks by two conditions with OR between them, and PostgreSQL read all
-- tasks for that: four seconds for a hundred requests where there were a million. By one list it
-- finds them with the index.
CREATE OR REPLACE FUNCTION retention_erase(most integer)
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
    wanted uuid[];
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
    wanted := waiting || ARRAY(SELECT s.intent_id FROM suspension s WHERE s.id = ANY (found_ids));
    SELECT coalesce(array_agg(x.id), '{}') INTO locked
      FROM (SELECT i.id FROM intent i WHERE i.id = ANY (wanted)
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
