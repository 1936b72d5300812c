-- Ended questions number a to z: copies of one that was answered through the API, each with
-- its own ids and with the chain of its events made anew. The signer gives them their places
-- in the log, and their receipts.
CREATE OR REPLACE PROCEDURE bench.fill_ended(suspension_id text, a bigint, z bigint)
LANGUAGE plpgsql AS $$
DECLARE
    s suspension; i intent; d decision; w ended_words;
    one event; two event; three event; form text;
BEGIN
    SELECT * INTO STRICT s FROM suspension WHERE id = suspension_id;
    SELECT * INTO STRICT d FROM decision q WHERE q.suspension_id = s.id;
    SELECT * INTO STRICT w FROM ended_words q WHERE q.suspension_id = s.id;
    SELECT * INTO STRICT i FROM intent WHERE id = s.intent_id;
    SELECT * INTO STRICT one FROM event WHERE intent_id = i.id AND sequence = 1;
    SELECT * INTO STRICT two FROM event WHERE intent_id = i.id AND sequence = 2;
    SELECT * INTO STRICT three FROM event WHERE intent_id = i.id AND sequence = 3;
    form := bench.asked(s);

    CREATE TEMP TABLE copy ON COMMIT DROP AS
    SELECT iid, sid, c1, h1, c2, h2, c3, bench.event_hash(c3) AS h3
      FROM generate_series(a, z) n,
           LATERAL (SELECT bench.id('i', n)::text AS iid, bench.id('s', n)::text AS sid
                    OFFSET 0) ids,
           LATERAL (SELECT replace(one.canonical, i.id::text, iid) AS c1 OFFSET 0) x1,
           LATERAL (SELECT bench.event_hash(c1) AS h1 OFFSET 0) y1,
           LATERAL (SELECT replace(bench.copy_asked(two.canonical, form, i.id, s.id, iid,
                        sid), one.event_hash, h1) AS c2 OFFSET 0) x2,
           LATERAL (SELECT bench.event_hash(c2) AS h2 OFFSET 0) y2,
           LATERAL (SELECT replace(replace(replace(three.canonical, i.id::text, iid),
                        s.id, sid), two.event_hash, h2) AS c3 OFFSET 0) x3;

    INSERT INTO intent
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(i, jsonb_build_object(
        'id', iid, 'state', replace(i.state, s.id, sid), 'event_hash', h3)) r;
    INSERT INTO suspension
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(s, jsonb_build_object(
        'id', sid, 'intent_id', iid, 'record', replace(s.record, s.id, sid))) r;
    INSERT INTO decision
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(d, jsonb_build_object(
        'suspension_id', sid, 'xid', pg_current_xact_id()::text)) r;
    INSERT INTO ended_words
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(w, jsonb_build_object(
        'suspension_id', sid)) r;
    INSERT INTO event
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(one, jsonb_build_object(
        'intent_id', iid, 'canonical', c1, 'event_hash', h1,
        'xid', pg_current_xact_id()::text)) r
    UNION ALL
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(two, jsonb_build_object(
        'intent_id', iid, 'canonical', c2, 'event_hash', h2, 'previous_event_hash', h1,
        'xid', pg_current_xact_id()::text)) r
    UNION ALL
    SELECT r.* FROM copy, LATERAL jsonb_populate_record(three, jsonb_build_object(
        'intent_id', iid, 'canonical', c3, 'event_hash', h3, 'previous_event_hash', h2,
        'xid', pg_current_xact_id()::text)) r;
END $$;

-- So that a rule need not wait for a week.
ALTER TABLE retention_rule DROP CONSTRAINT IF EXISTS retention_rule_days_check;
