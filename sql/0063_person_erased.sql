-- What is known of a person is erased on request: their name and address, their comments, and the
-- names that agents gave for them. In their place stands a name that says nothing, the same
-- everywhere, so that it can still be seen which decisions one person took.
--
-- Run by a command as the owner, in one transaction: all of it or nothing. Nothing is changed (and
-- alias is NULL) while `open_requests` that name the person are open, or `unsigned` ones, or
-- events, are in no signed head yet. dry: only counts. No row: nobody has the address.
CREATE FUNCTION person_erase(mail text, at timestamptz, dry boolean)
    RETURNS TABLE (alias text, requests bigint, events bigint, open_requests bigint,
                   unsigned bigint)
    LANGUAGE plpgsql AS $$
DECLARE
    p principal;
    -- The address, and no longer one that has it in it.
    named text;
    by_them text[];  -- requests that they answered, or in whose answer they are named
    for_them text[]; -- requests that were asked for them, or of them
    ids text[];
BEGIN
    SELECT * INTO p FROM principal x WHERE x.email = mail FOR UPDATE;
    IF NOT FOUND THEN
        RETURN;
    END IF;
    named := '(^|[^a-zA-Z0-9._%+-])' || regexp_replace(mail, '([^a-z0-9@])', '\\\1', 'g')
             || '($|[^a-zA-Z0-9-])';
    by_them := ARRAY(SELECT d.suspension_id FROM decision d
                      WHERE d.decided_by = mail OR d.claimed IN (mail, p.name));
    for_them := ARRAY(SELECT s.id FROM suspension s
                       WHERE s.initiated_by = mail OR s.initiator_id = p.id
                          OR s.responder = mail OR s.record ~ named);
    ids := by_them || for_them;
    CREATE TEMPORARY TABLE person_event ON COMMIT DROP AS
    SELECT e.intent_id, e.sequence FROM event e
     WHERE e.canonical <> '' AND strpos(e.canonical, mail) > 0 AND e.canonical ~ named
     UNION
    SELECT s.intent_id, s.asked_sequence FROM suspension s
     WHERE s.id = ANY (for_them) AND s.asked_sequence > 0
     UNION
    SELECT s.intent_id, r.event_sequence FROM receipt r JOIN suspension s ON s.id = r.suspension_id
     WHERE r.suspension_id = ANY (by_them);
    requests := (SELECT count(DISTINCT x) FROM unnest(ids) x);
    events := (SELECT count(*) FROM person_event);
    open_requests := (SELECT count(*) FROM open_question o WHERE o.suspension_id = ANY (ids));
    unsigned := (SELECT count(*) FROM decision d JOIN suspension s ON s.id = d.suspension_id
                  WHERE d.suspension_id = ANY (ids) AND NOT s.test
                    AND NOT EXISTS (SELECT FROM receipt r WHERE r.suspension_id = s.id)
                    AND NOT EXISTS (SELECT FROM receipt_wait w
                                     WHERE w.suspension_id = s.id AND w.lost))
                + (SELECT count(*) FROM person_event e
                    WHERE NOT retention_sealed(e.intent_id, e.sequence));
    IF dry OR open_requests > 0 OR unsigned > 0 THEN
        DROP TABLE person_event;
        RETURN NEXT;
        RETURN;
    END IF;
    alias := 'erased-' || left(replace(gen_random_uuid()::text, '-', ''), 12) || '@invalid';

    -- The account, and what hangs on it.
    UPDATE principal SET email = alias, name = 'Erased person', groups = NULL, time_zone = NULL,
           password_hash = '', disabled_at = coalesce(disabled_at, at), signed_in_at = NULL
     WHERE id = p.id;
    UPDATE api_key SET label = 'Erased person', groups = NULL,
           revoked_at = coalesce(revoked_at, at)
     WHERE principal_id = p.id;
    DELETE FROM person_push WHERE principal_id = p.id;
    DELETE FROM operator_session WHERE principal_id = p.id;
    DELETE FROM known_browser WHERE principal_id = p.id;
    DELETE FROM saved_view WHERE principal_id = p.id;
    DELETE FROM person_mail WHERE principal_id = p.id;

    -- The log.
    INSERT INTO event_erased (intent_id, sequence, rule, at)
    SELECT x.intent_id, x.sequence, 'person', person_erase.at
      FROM person_event x JOIN event e ON e.intent_id = x.intent_id AND e.sequence = x.sequence
     WHERE e.canonical <> '';
    UPDATE event e SET canonical = '' FROM person_event x
     WHERE x.intent_id = e.intent_id AND x.sequence = e.sequence AND e.canonical <> '';
    UPDATE receipt SET salt = NULL WHERE suspension_id = ANY (ids);

    -- Requests and answers.
    UPDATE decision d
       SET reason = CASE WHEN d.decided_by = mail THEN NULL ELSE d.reason END,
           decided_by = CASE WHEN d.decided_by = mail THEN person_erase.alias
                             ELSE d.decided_by END,
           claimed = CASE WHEN d.claimed IN (mail, p.name) THEN person_erase.alias
                          ELSE d.claimed END,
           summary = NULL
     WHERE d.suspension_id = ANY (by_them);
    UPDATE suspension s
       SET initiated_by = CASE WHEN s.initiated_by = mail THEN person_erase.alias
                               ELSE s.initiated_by END,
           responder = CASE WHEN s.responder = mail THEN person_erase.alias
                            ELSE s.responder END,
           record = regexp_replace(s.record, named, '\1' || person_erase.alias || '\2', 'g')
     WHERE s.id = ANY (for_them);
    UPDATE intent SET initiated_by = person_erase.alias WHERE initiated_by = mail;
    UPDATE intent i SET state = person_state(i.state, named, person_erase.alias, by_them)
     WHERE i.id IN (SELECT s.intent_id FROM suspension s WHERE s.id = ANY (ids))
       AND i.state::json #>> '{_suspension,id}' = ANY (ids);
    -- The clock reads the words again; of what was erased there are only names.
    DELETE FROM ended_words w USING decision d
     WHERE d.suspension_id = ANY (ids) AND d.erased_at IS NULL
       AND w.decided_at = d.decided_at AND w.suspension_id = d.suspension_id;
    INSERT INTO search_fill (at, id) SELECT 'infinity', '' WHERE cardinality(ids) > 0
    ON CONFLICT (one) DO UPDATE SET at = 'infinity', id = '';
    UPDATE ended_words w
       SET words = array_to_tsvector(array_replace(tsvector_to_array(w.words), 'w=' || mail,
                                                   'w=' || person_erase.alias))
      FROM decision d
     WHERE d.suspension_id = ANY (by_them) AND w.decided_at = d.decided_at
       AND w.suspension_id = d.suspension_id;

    -- Who did what.
    UPDATE plan_checkpoint c
       SET decided_by = CASE WHEN c.decided_by = mail THEN person_erase.alias
                             ELSE c.decided_by END,
           approvers = regexp_replace(c.approvers, named, '\1' || person_erase.alias || '\2', 'g')
     WHERE c.decided_by = mail OR c.approvers ~ named;
    UPDATE permit SET ended_by = person_erase.alias WHERE ended_by = mail;
    UPDATE redemption SET by = person_erase.alias WHERE by = mail;
    UPDATE answer_use SET by = person_erase.alias WHERE by = mail;
    UPDATE restore_claim SET by = person_erase.alias WHERE by = mail;
    UPDATE tool_rule SET created_by = person_erase.alias WHERE created_by IN (mail, p.name);
    UPDATE endpoint SET created_by = person_erase.alias WHERE created_by IN (mail, p.name);
    UPDATE endpoint SET notify_to = array_remove(notify_to, mail)
     WHERE mail = ANY (notify_to);
    UPDATE portfolio SET created_by = person_erase.alias WHERE created_by = mail;
    UPDATE portfolio SET status_by = person_erase.alias WHERE status_by = mail;
    UPDATE coordinator SET granted_by = person_erase.alias WHERE granted_by = mail;
    UPDATE acl_entry SET granted_by = person_erase.alias WHERE granted_by = mail;
    UPDATE assignment SET assigned_by = person_erase.alias WHERE assigned_by = mail;
    UPDATE log_request SET by = person_erase.alias WHERE by = mail;
    UPDATE subscription SET subscriber_id = person_erase.alias WHERE subscriber_id = mail;
    UPDATE retention_rule SET created_by = person_erase.alias WHERE created_by IN (mail, p.name);
    UPDATE retention_rule SET started_by = person_erase.alias WHERE started_by IN (mail, p.name);
    UPDATE retention_rule SET removed_by = person_erase.alias WHERE removed_by IN (mail, p.name);
    DELETE FROM delivery v
     WHERE v.recipient = mail OR (v.state <> 'pending' AND v.body ~ named);
    DROP TABLE person_event;
    RETURN NEXT;
END $$;

-- The state of a task whose record names the person; where they answered, without the comment.
CREATE FUNCTION person_state(state text, named text, alias text, by_them text[])
    RETURNS text LANGUAGE plpgsql STABLE AS $$
DECLARE
    record json := state::json -> '_suspension';
    said text;
BEGIN
    said := (SELECT '{' || string_agg(to_json(m.key)::text || ':' || m.value::text, ',') || '}'
               FROM json_each(record) m
              WHERE m.key <> 'reason' OR record ->> 'id' <> ALL (by_them));
    said := regexp_replace(said, named, '\1' || alias || '\2', 'g');
    RETURN (SELECT '{' || string_agg(to_json(m.key)::text || ':' ||
                                     CASE m.key WHEN '_suspension' THEN said
                                     ELSE m.value::text END, ',') || '}'
              FROM json_each(state::json) m);
END $$;
REVOKE ALL ON FUNCTION person_erase(text, timestamptz, boolean) FROM PUBLIC;
