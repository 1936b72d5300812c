-- The benchmark's own database objects: rows to work on, and the row
-- work of each request as one stored function, for pgbench.
--
-- Run by psql as a superuser. Never used by the server.

CREATE SCHEMA bench;
GRANT USAGE ON SCHEMA bench TO sayso_web;

-- The id of the n-th prepared row: ordered in time like the server's own.
CREATE FUNCTION bench.id(kind text, n bigint) RETURNS uuid
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (lpad(to_hex(n), 12, '0') || substr(md5(kind || n::text), 1, 20))::uuid;

-- A new id, made as the server makes its own.
CREATE FUNCTION bench.id_new() RETURNS uuid LANGUAGE sql VOLATILE
    RETURN (lpad(to_hex((extract(epoch FROM clock_timestamp()) * 1000)::bigint), 12, '0')
            || substr(md5(random()::text), 1, 20))::uuid;

CREATE FUNCTION bench.event_hash(canonical text) RETURNS text
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN 'sha256:' || rtrim(translate(
        encode(sha256(convert_to(canonical, 'UTF8')), 'base64'), '+/', '-_'), '=');

-- The text of a question, whose digest its event has (suspension_asked_sha256): for rows
-- of plain texts.
CREATE FUNCTION bench.asked(s suspension) RETURNS text LANGUAGE sql STABLE AS $$
    SELECT '{' || string_agg(to_json(k) || ':' || to_json(v), ',' ORDER BY k COLLATE "C") || '}'
      FROM (SELECT k, CASE k WHEN 'suspended_at'
                          THEN to_char(s.suspended_at AT TIME ZONE 'UTC',
                                       'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')
                          ELSE v END
              FROM jsonb_each_text(to_jsonb(s)) x (k, v)
             WHERE v IS NOT NULL
               AND k NOT IN ('asked_sequence', 'asked_by_key', 'channel_hint')) x (k, v) $$;

-- The event that asked it, for a copy with other ids.
CREATE FUNCTION bench.copy_asked(canonical text, form text, i uuid, s text, iid text, sid text)
    RETURNS text LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN replace(replace(replace(canonical, i::text, iid), s, sid),
                   encode(sha256(convert_to(form, 'UTF8')), 'hex'),
                   encode(sha256(convert_to(replace(replace(form, i::text, iid), s, sid),
                                            'UTF8')), 'hex'));

-- Open questions number a to z: copies of one that was asked through the
-- API, each with its own ids and with the chain of its events made anew. due:
-- when their time ends, where that is not as in the original.
CREATE PROCEDURE bench.fill(suspension_id text, a bigint, z bigint,
                            due timestamptz DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
    s suspension; i intent; created event; asked event; o open_question; e inbox_entry;
    form text;
BEGIN
    SELECT * INTO STRICT s FROM suspension WHERE id = suspension_id;
    SELECT * INTO STRICT o FROM open_question q WHERE q.suspension_id = s.id;
    SELECT * INTO STRICT e FROM inbox_entry q WHERE q.suspension_id = s.id;
    SELECT * INTO STRICT i FROM intent WHERE id = s.intent_id;
    SELECT * INTO STRICT created FROM event WHERE intent_id = i.id AND sequence = 1;
    SELECT * INTO STRICT asked FROM event WHERE intent_id = i.id AND sequence = 2;
    form := bench.asked(s);

    CREATE TEMP TABLE copy ON COMMIT DROP AS
    SELECT n, iid, sid, c1, h1, c2, bench.event_hash(c2) AS h2
      FROM generate_series(a, z) n,
           LATERAL (SELECT bench.id('i', n)::text AS iid, bench.id('s', n)::text AS sid
                    OFFSET 0) ids,
           LATERAL (SELECT replace(created.canonical, i.id::text, iid) AS c1 OFFSET 0) one,
           LATERAL (SELECT bench.event_hash(c1) AS h1 OFFSET 0) hash,
           LATERAL (SELECT replace(bench.copy_asked(asked.canonical, form, i.id, s.id, iid,
                        sid), created.event_hash, h1) AS c2 OFFSET 0) two;

    INSERT INTO intent
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(i, jsonb_build_object(
        'id', iid, 'state', replace(i.state, s.id, sid), 'event_hash', h2)) r;

    INSERT INTO suspension
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(s, jsonb_build_object(
        'id', sid, 'intent_id', iid, 'record', replace(s.record, s.id, sid),
        'expires_at', coalesce(due, s.expires_at))) r;
    INSERT INTO open_question
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(o, jsonb_build_object(
        'suspension_id', sid, 'intent_id', iid, 'ending', coalesce(due, o.ending))) r;
    INSERT INTO inbox_entry
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(e, jsonb_build_object(
        'suspension_id', sid, 'ending', coalesce(due, e.ending))) r;

    INSERT INTO event
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(created, jsonb_build_object(
        'intent_id', iid, 'canonical', c1, 'event_hash', h1,
        'xid', pg_current_xact_id()::text)) r
    UNION ALL
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(asked, jsonb_build_object(
        'intent_id', iid, 'canonical', c2, 'event_hash', h2, 'previous_event_hash', h1,
        'xid', pg_current_xact_id()::text)) r;
END $$;

-- The number of events that the log does not have.
CREATE FUNCTION bench.unsigned() RETURNS bigint LANGUAGE sql
    RETURN (SELECT count(*) FROM event e
             WHERE (e.xid, e.intent_id, e.sequence) >
                   (SELECT xid, intent_id, sequence FROM log_end
                     UNION ALL SELECT '0', '00000000-0000-0000-0000-000000000000', 0 LIMIT 1));

-- How many of the questions a to z are answered.
CREATE FUNCTION bench.answered(a bigint, z bigint) RETURNS bigint LANGUAGE sql
    RETURN (SELECT count(*) FROM generate_series(a, z) n
              JOIN decision d ON d.suspension_id = bench.id('s', n)::text
             WHERE d.state = 'resolved');

-- n deliveries to the first so many endpoints: copies of those that told of one
-- question.
CREATE PROCEDURE bench.tell(suspension_id text, n bigint, endpoints bigint,
                            due timestamptz)
LANGUAGE sql AS $$
    INSERT INTO delivery
    SELECT r.*
      FROM (SELECT o.d, gen_random_uuid() AS id
              FROM generate_series(0, n - 1) k
              JOIN (SELECT d, row_number() OVER (ORDER BY d.endpoint_id) - 1 AS at
                      FROM delivery d
                     WHERE d.suspension_id = tell.suspension_id AND d.state = 'delivered'
                     ORDER BY d.endpoint_id LIMIT endpoints) o ON o.at = k % endpoints) x,
           LATERAL jsonb_populate_record(x.d, jsonb_build_object(
               'id', x.id, 'state', 'pending', 'tries', 0, 'created_at', clock_timestamp(),
               'next_at', due, 'ended_at', NULL, 'answer', NULL)) r
$$;

-- These two write no real events: their rows say that an old transaction wrote them, which the
-- signer of the log has passed.

-- The row work of a respond: the same locks, the intent's update, one row deleted where
-- the question was open and one written for the decision, and the event; with texts of
-- the same length, which the caller sends.
CREATE FUNCTION bench.respond(n bigint, new_state text, response text, reason text,
                              summary text, canonical text, hash text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    sid text := bench.id('s', n);
    i intent;
    s suspension_row;
    t timestamptz := clock_timestamp();
BEGIN
    SELECT * INTO STRICT i FROM intent
     WHERE id = (SELECT x.intent_id FROM suspension x WHERE x.id = sid) FOR NO KEY UPDATE;
    PERFORM FROM open_question o WHERE o.suspension_id = sid FOR UPDATE;
    SELECT * INTO STRICT s FROM suspension_row x WHERE x.id = sid;
    UPDATE intent x
       SET status = 'active', state = new_state, version = i.version + 1, updated_at = t,
           event_sequence = i.event_sequence + 1, event_hash = hash
     WHERE x.id = i.id;
    WITH ended AS (
        DELETE FROM open_question o WHERE o.suspension_id = sid
        RETURNING o.kind, o.asked_by, o.suspended_at, o.attempt, o.channel_hint, o.words),
    found AS (
        INSERT INTO ended_words (decided_at, suspension_id, words)
        SELECT t, sid, e.words || array_to_tsvector(ARRAY['o=none', 'v=native', 'w=bench'])
          FROM ended e)
    INSERT INTO decision (suspension_id, state, outcome, response, reason, decided_by, via,
        decided_at, summary, xid, kind, asked_by, suspended_at, attempt, channel_hint)
    SELECT sid, 'resolved', 'none', respond.response, respond.reason, 'bench', 'native', t,
           respond.summary, '3'::xid8, e.kind, e.asked_by, e.suspended_at, e.attempt,
           e.channel_hint
      FROM (SELECT) one LEFT JOIN ended e ON true;
    INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical,
                       event_hash, previous_event_hash, xid)
    VALUES (i.id, i.event_sequence + 1, gen_random_uuid(), 'intent.resumed', t,
            respond.canonical, hash, i.event_hash, '3');
END $$;

-- The row work of asking: the same inserts.
CREATE FUNCTION bench.suspend(title text, new_state text, record text, question text,
                              subject text, context text, choices text,
                              created text, asked text, hash text, key_id text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    iid uuid := bench.id_new();
    t timestamptz := clock_timestamp();
BEGIN
    INSERT INTO intent (id, title, created_by, status, constraints, state, confidence,
                        version, created_at, updated_at, event_sequence, event_hash)
    VALUES (iid, title, 'bench', 'suspended_awaiting_input', '{}', new_state, 0, 1, t, t, 2,
            hash);
    WITH asked AS (
        INSERT INTO suspension AS s (id, intent_id, seq, record, response_type, question,
            subject, subject_sha256, context, choices, asked_by, asked_by_key, suspended_at,
            fallback_policy, on_reject, asked_sequence)
        VALUES (bench.id_new()::text, iid, 1, record, 'choice', question, subject,
                repeat('0', 64), context, choices, 'bench', key_id::uuid, t, 'fail',
                'resume', 2)
        RETURNING s.*),
    open AS (
        INSERT INTO open_question (suspension_id, intent_id, kind, inbox_rank, ending,
            suspended_at, asked_by, asked_by_key, subject_sha256, words, audiences,
            not_for, channel_hint)
        SELECT a.id, a.intent_id, a.kind, inbox_rank(a.severity),
               coalesce(a.expires_at, 'infinity'), a.suspended_at, a.asked_by,
               a.asked_by_key, a.subject_sha256,
               array_to_tsvector(array_remove(string_to_array(concat_ws(' ', a.title,
                   a.question, a.asked_by, a.id, a.context), ' '), '')),
               ARRAY[inbox_audience(a.responder_mode, a.responder, a.initiated_by)],
               CASE WHEN a.not_initiator THEN a.initiated_by END, a.channel_hint
          FROM asked a)
    INSERT INTO inbox_entry (suspension_id, audience, kind, inbox_rank, ending,
        suspended_at, asked_by, not_for)
    SELECT a.id, inbox_audience(a.responder_mode, a.responder, a.initiated_by), a.kind,
           inbox_rank(a.severity), coalesce(a.expires_at, 'infinity'), a.suspended_at,
           a.asked_by, CASE WHEN a.not_initiator THEN a.initiated_by END
      FROM asked a;
    INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical,
                       event_hash, previous_event_hash, xid)
    VALUES (iid, 1, gen_random_uuid(), 'intent_created', t, created, hash, NULL, '3');
    INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical,
                       event_hash, previous_event_hash, xid)
    VALUES (iid, 2, gen_random_uuid(), 'intent.suspended', t, asked, hash, hash, '3');
END $$;
