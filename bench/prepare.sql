-- What the benchmark needs in its own database: rows to work on, and the row
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

-- Open questions number a to z: copies of one that was asked through the
-- API, each with its own ids and with the chain of its events made anew. due:
-- when their time ends, where that is not as in the original.
CREATE PROCEDURE bench.fill(suspension_id text, a bigint, z bigint,
                            due timestamptz DEFAULT NULL)
LANGUAGE plpgsql AS $$
DECLARE
    s suspension; i intent; created event; asked event;
    columns text;
BEGIN
    SELECT * INTO STRICT s FROM suspension WHERE id = suspension_id;
    SELECT * INTO STRICT i FROM intent WHERE id = s.intent_id;
    SELECT * INTO STRICT created FROM event WHERE intent_id = i.id AND sequence = 1;
    SELECT * INTO STRICT asked FROM event WHERE intent_id = i.id AND sequence = 2;

    CREATE TEMP TABLE copy ON COMMIT DROP AS
    SELECT n, iid, sid, c1, h1, c2, bench.event_hash(c2) AS h2
      FROM generate_series(a, z) n,
           LATERAL (SELECT bench.id('i', n)::text AS iid, bench.id('s', n)::text AS sid
                    OFFSET 0) ids,
           LATERAL (SELECT replace(created.canonical, i.id::text, iid) AS c1 OFFSET 0) one,
           LATERAL (SELECT bench.event_hash(c1) AS h1 OFFSET 0) hash,
           LATERAL (SELECT replace(replace(replace(asked.canonical, i.id::text, iid),
                        s.id, sid), created.event_hash, h1) AS c2 OFFSET 0) two;

    INSERT INTO intent
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(i, jsonb_build_object(
        'id', iid, 'state', replace(i.state, s.id, sid), 'event_hash', h2)) r;

    SELECT string_agg(quote_ident(attname), ', ' ORDER BY attnum) INTO columns
      FROM pg_attribute
     WHERE attrelid = 'suspension'::regclass AND attnum > 0 AND attgenerated = ''
       AND NOT attisdropped;
    EXECUTE format('INSERT INTO suspension (%1$s) SELECT %1$s FROM (
        SELECT r.* FROM copy, LATERAL jsonb_populate_record($1, jsonb_build_object(
            ''id'', sid, ''intent_id'', iid, ''record'', replace($1.record, $1.id, sid),
            ''expires_at'', coalesce($2, $1.expires_at))) r) x',
        columns) USING s, due;

    INSERT INTO event
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(created, jsonb_build_object(
        'intent_id', iid, 'canonical', c1, 'event_hash', h1)) r
    UNION ALL
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(asked, jsonb_build_object(
        'intent_id', iid, 'canonical', c2, 'event_hash', h2, 'previous_event_hash', h1)) r;
END $$;

-- How many of the questions a to z are answered.
CREATE FUNCTION bench.answered(a bigint, z bigint) RETURNS bigint LANGUAGE sql
    RETURN (SELECT count(*) FROM generate_series(a, z) n
              JOIN suspension s ON s.id = bench.id('s', n)::text
             WHERE s.state = 'resolved');

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

-- The row work of a respond: the same locks, the same two updates and one
-- insert, with texts of the same length, which the caller sends.
CREATE FUNCTION bench.respond(n bigint, new_state text, response text, reason text,
                              summary text, canonical text, hash text)
RETURNS void LANGUAGE plpgsql AS $$
DECLARE
    sid text := bench.id('s', n);
    i intent;
    s suspension;
    t timestamptz := clock_timestamp();
BEGIN
    SELECT * INTO STRICT i FROM intent
     WHERE id = (SELECT x.intent_id FROM suspension x WHERE x.id = sid) FOR UPDATE;
    SELECT * INTO STRICT s FROM suspension x WHERE x.id = sid FOR UPDATE;
    UPDATE intent x
       SET status = 'active', state = new_state, version = i.version + 1, updated_at = t,
           event_sequence = i.event_sequence + 1, event_hash = hash
     WHERE x.id = i.id;
    UPDATE suspension x
       SET state = 'resolved', outcome = 'none', response = respond.response,
           reason = respond.reason, metadata = NULL, responded_by = 'bench',
           responded_by_claimed = NULL, responded_via = 'native', responded_at = t,
           audit_summary = summary
     WHERE x.id = sid AND x.state = 'pending';
    IF NOT FOUND THEN
        RAISE EXCEPTION 'question % is decided', n;
    END IF;
    INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical,
                       event_hash, previous_event_hash)
    VALUES (i.id, i.event_sequence + 1, gen_random_uuid(), 'intent.resumed', t,
            respond.canonical, hash, i.event_hash);
END $$;

-- The row work of asking: the same four inserts.
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
    INSERT INTO suspension (id, intent_id, seq, record, response_type, question, subject,
        subject_sha256, context, choices, asked_by, asked_by_key, suspended_at,
        fallback_policy, on_reject, asked_sequence, state)
    VALUES (bench.id_new()::text, iid, 1, record, 'choice', question, subject,
            repeat('0', 64), context, choices, 'bench', key_id::uuid, t, 'fail', 'resume',
            2, 'pending');
    INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical,
                       event_hash, previous_event_hash)
    VALUES (iid, 1, gen_random_uuid(), 'intent_created', t, created, hash, NULL);
    INSERT INTO event (intent_id, sequence, id, event_type, created_at, canonical,
                       event_hash, previous_event_hash)
    VALUES (iid, 2, gen_random_uuid(), 'intent.suspended', t, asked, hash, hash);
END $$;
