-- The search: by all that a question says and by how it ended, in what is open and in what has
-- ended alike.
--
-- The program takes the words of a question (domain/search/search.h) and writes them with it:
-- into open_question, and with those of the answer into ended_words. No index lists them. A
-- search reads the newest rows one by one, and further back only the parts whose summary has all
-- of the words: search_part is some hundred rows, and search_bits the summary of them. So
-- asking and answering pay for one row, and a search costs about the same whether its words are
-- in every question, in one, or in none. The clock makes the parts, some minutes behind.

-- ---- What is open ------------------------------------------------------

-- words NULL: of a question from before; the clock reads it.
ALTER TABLE open_question DROP COLUMN search,
    ADD COLUMN words tsvector, ADD COLUMN amount numeric, ADD COLUMN unit text;
DROP FUNCTION search_open(text, bigint);
DROP FUNCTION search_words(text, text, text, text, uuid);
DROP FUNCTION search_query(text);
DROP FUNCTION search_apart(text);
CREATE INDEX open_question_unread ON open_question (suspended_at) WHERE words IS NULL;
GRANT UPDATE (words, amount, unit) ON open_question TO sayso_tick;

-- ---- What has ended ----------------------------------------------------

CREATE TABLE ended_words (
    decided_at    timestamptz NOT NULL,
    suspension_id text NOT NULL,
    words         tsvector NOT NULL,
    amount        numeric,
    unit          text,
    PRIMARY KEY (decided_at, suspension_id)
);
GRANT SELECT, INSERT ON ended_words TO sayso_web, sayso_tick;

-- While it has a row: the clock reads questions that have ended without a row of ended_words,
-- from this one backwards. A row with infinity has all of them read, but those that are there.
CREATE TABLE search_fill (
    one   boolean PRIMARY KEY DEFAULT true CHECK (one),
    at    timestamptz NOT NULL,
    id    text NOT NULL
);
INSERT INTO search_fill (at, id) SELECT 'infinity', '' WHERE EXISTS (SELECT FROM suspension);
GRANT SELECT ON search_fill TO sayso_web;
GRANT SELECT, DELETE, UPDATE (at, id) ON search_fill TO sayso_tick;

-- ---- Summaries ---------------------------------------------------------

-- The rows after (from_at, from_id) up to (to_at, to_id), in the order of time: of ended_words,
-- or of open_question, which may have fewer of them now. Rows come in behind the last part only.
CREATE TABLE search_part (
    id      bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    open    boolean NOT NULL,
    from_at timestamptz NOT NULL,
    from_id text NOT NULL,
    to_at   timestamptz NOT NULL,
    to_id   text NOT NULL,
    n       integer NOT NULL
);
CREATE UNIQUE INDEX search_part_newest ON search_part (open, to_at DESC, to_id DESC);
-- A slice that is not there has no bit set.
CREATE TABLE search_bits (
    slice smallint NOT NULL,
    part  bigint NOT NULL REFERENCES search_part ON DELETE CASCADE,
    bits  bit(2048) NOT NULL,
    PRIMARY KEY (slice, part)
);
CREATE INDEX search_bits_part ON search_bits (part);
GRANT SELECT ON search_part, search_bits TO sayso_web;
GRANT SELECT, INSERT, DELETE ON search_part, search_bits TO sayso_tick;

-- The parts that may have all of the terms, newest first: of each term there is a word or mark
-- (terms, slices and bits have one element for each) whose bits are all set.
CREATE FUNCTION search_parts(of_open boolean, terms int[], slices int[], masks bit varying[],
                             before_at timestamptz, since timestamptz)
    RETURNS bigint[] LANGUAGE sql STABLE
    AS $$
    SELECT ARRAY(
        SELECT p.id FROM search_part p
         WHERE p.open = of_open AND p.from_at < before_at AND p.to_at >= since
           AND (cardinality(terms) = 0 OR p.id IN (
                   SELECT b.part
                     FROM unnest(terms, slices, masks) t (term, slice, mask)
                    CROSS JOIN LATERAL (
                       SELECT x.part FROM search_bits x
                        WHERE x.slice = t.slice
                          AND x.bits & t.mask::bit(2048) = t.mask::bit(2048)
                        OFFSET 0) b -- one look at the index for each
                    GROUP BY b.part
                   HAVING count(DISTINCT t.term) = (SELECT max(x) FROM unnest(terms) x)))
         ORDER BY p.to_at DESC, p.to_id DESC LIMIT 1000) $$;

-- What has ended and has the words, newest first, at most `most`, before (before_at, before_id)
-- and from `since` on; with an amount above `over`, of the unit (NULL: of any), where `over` is not NULL. Reads
-- about `looks` rows: where there are more, a last row that does not fit is the last one that was
-- read.
CREATE FUNCTION search_ended(query tsquery, terms int[], slices int[], masks bit varying[],
                             over numeric, of_unit text, before_at timestamptz, before_id text,
                             since timestamptz, most bigint, looks bigint)
    RETURNS TABLE (id text, at timestamptz, fits boolean)
    LANGUAGE plpgsql STABLE ROWS 200 AS $$
DECLARE
    part record;
    low record;
    parts bigint[];
    i integer := 0;
    n bigint;
    further boolean;
BEGIN
    -- First what is in no part yet.
    SELECT coalesce(max(x.to_at), '-infinity') AS from_at, coalesce(max(x.to_id), '') AS from_id,
           timestamptz 'infinity' AS to_at, '' AS to_id, 0 AS n
      INTO part
      FROM (SELECT p.to_at, p.to_id FROM search_part p WHERE NOT p.open
             ORDER BY p.to_at DESC, p.to_id DESC LIMIT 1) x;
    LOOP
        -- The lowest row of it that is read.
        further := false;
        IF i = 0 THEN
            SELECT count(*) INTO part.n FROM (
                SELECT 1 FROM ended_words w
                 WHERE (w.decided_at, w.suspension_id) > (part.from_at, part.from_id)
                   AND (w.decided_at, w.suspension_id) < (before_at, before_id)
                   AND w.decided_at >= since LIMIT looks + 1) x;
            further := part.n > looks;
            IF further THEN
                SELECT w.decided_at AS at, w.suspension_id AS id INTO low FROM ended_words w
                 WHERE (w.decided_at, w.suspension_id) < (before_at, before_id)
                 ORDER BY w.decided_at DESC, w.suspension_id DESC OFFSET looks - 1 LIMIT 1;
            ELSE -- all of it: from the next text behind from_id
                SELECT part.from_at AS at, part.from_id || chr(1) AS id INTO low;
            END IF;
        ELSE
            EXIT WHEN i > cardinality(parts);
            SELECT p.* INTO part FROM search_part p WHERE p.id = parts[i];
            i := i + 1;
            SELECT w.decided_at AS at, w.suspension_id AS id INTO low FROM ended_words w
             WHERE (w.decided_at, w.suspension_id) > (part.from_at, part.from_id)
             ORDER BY w.decided_at, w.suspension_id LIMIT 1;
            -- It was read before.
            CONTINUE WHEN NOT FOUND OR (low.at, low.id) >= (before_at, before_id);
        END IF;
        RETURN QUERY
        SELECT w.suspension_id, w.decided_at, true FROM ended_words w
         WHERE (w.decided_at, w.suspension_id) >= (low.at, low.id)
           AND (w.decided_at, w.suspension_id) <= (part.to_at, part.to_id)
           AND (w.decided_at, w.suspension_id) < (before_at, before_id)
           AND w.decided_at >= since
           AND (query IS NULL OR w.words @@ query)
           AND (over IS NULL OR (w.amount > over
                                 AND (of_unit IS NULL OR w.unit = of_unit)))
         ORDER BY w.decided_at DESC, w.suspension_id DESC LIMIT most;
        GET DIAGNOSTICS n = ROW_COUNT;
        most := most - n;
        EXIT WHEN most <= 0;
        looks := looks - part.n;
        IF further OR looks <= 0 THEN
            RETURN QUERY SELECT low.id, low.at, false;
            EXIT;
        END IF;
        IF i = 0 THEN
            parts := search_parts(false, terms, slices, masks, before_at, since);
            i := 1;
        END IF;
    END LOOP;
END
$$;

-- What is open and has the words, at most `most`, in no order. Where more than `looks` rows
-- would have to be read, the last row has no id.
CREATE FUNCTION search_open(query tsquery, terms int[], slices int[], masks bit varying[],
                            most bigint, looks bigint)
    RETURNS TABLE (id text, inbox_rank smallint, ending timestamptz,
                   suspended_at timestamptz, kind text, asked_by text,
                   audiences text[], not_for text)
    LANGUAGE plpgsql STABLE ROWS 2000 AS $$
DECLARE
    part record;
    parts bigint[];
    i integer := 0;
    n bigint;
BEGIN
    SELECT coalesce(max(x.to_at), '-infinity') AS from_at, coalesce(max(x.to_id), '') AS from_id,
           timestamptz 'infinity' AS to_at, '' AS to_id, 0 AS n
      INTO part
      FROM (SELECT p.to_at, p.to_id FROM search_part p WHERE p.open
             ORDER BY p.to_at DESC, p.to_id DESC LIMIT 1) x;
    LOOP
        RETURN QUERY
        SELECT o.suspension_id, o.inbox_rank, o.ending, o.suspended_at, o.kind, o.asked_by,
               o.audiences, o.not_for
          FROM (SELECT q.* FROM open_question q
                 WHERE (q.suspended_at, q.suspension_id) > (part.from_at, part.from_id)
                   AND (q.suspended_at, q.suspension_id) <= (part.to_at, part.to_id)
                 ORDER BY q.suspended_at DESC, q.suspension_id DESC LIMIT looks) o
         WHERE o.words @@ query LIMIT most;
        GET DIAGNOSTICS n = ROW_COUNT;
        most := most - n;
        EXIT WHEN most <= 0;
        looks := looks - part.n;
        IF looks <= 0 THEN
            RETURN QUERY SELECT NULL::text, NULL::smallint, NULL::timestamptz,
                NULL::timestamptz, NULL::text, NULL::text, NULL::text[], NULL::text;
            EXIT;
        END IF;
        IF i = 0 THEN
            parts := search_parts(true, terms, slices, masks, 'infinity', '-infinity');
        END IF;
        i := i + 1;
        EXIT WHEN i > cardinality(parts);
        SELECT p.* INTO part FROM search_part p WHERE p.id = parts[i];
    END LOOP;
END
$$;

-- ---- Saved views -------------------------------------------------------

-- The words of the history's address are those of its page now.
UPDATE saved_view
   SET query = regexp_replace(regexp_replace(regexp_replace(query,
           '(^|&)door=', '\1via='), '(^|&)outcome=vetoed(&|$)', '\1outcome=rejected\2'),
           '(^|&)outcome=authorized(&|$)', '\1outcome=approved\2')
 WHERE path = '/decided';
