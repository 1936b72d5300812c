-- Lists of open questions. Each is a union of one scan for each kind and each rank, in the
-- order of an index, so that every filter is answered by an index.
-- $1 kinds, $2 ranks, $3 the latest end, $4 the limit; $5: by deadline alone; $6 to
-- $9: the row to continue after, $6 by the class of its rank ($6 NULL: from the start; with
-- $5 the others are -infinity).
-- $10 the audiences, as in the column audience, and $11 the reader.

-- piece: inbox_parts table t
unnest($1::text[]) k (kind)
     CROSS JOIN inbox_ranked($2::smallint[]) r (rank, class)
     CROSS JOIN LATERAL (
        SELECT {t}.suspension_id AS id, r.class, {t}.ending, {t}.suspended_at
          FROM {table} {t}

-- piece: inbox_rows
     LIMIT $4) p
  JOIN suspension_row s ON s.id = p.id
 ORDER BY CASE WHEN $5 THEN 0 ELSE p.class END, p.ending, p.suspended_at, p.id

-- piece: inbox_page t
           AND {t}.ending <= $3::timestamptz
           AND ({t}.ending, {t}.suspended_at, {t}.suspension_id)
             > (CASE WHEN $5 OR r.class = $6 THEN $7::timestamptz ELSE '-infinity' END,
                CASE WHEN $5 OR r.class = $6 THEN $8::timestamptz ELSE '-infinity' END,
                CASE WHEN $5 OR r.class = $6 THEN $9 ELSE '' END)
         ORDER BY {t}.ending, {t}.suspended_at, {t}.suspension_id LIMIT $4) p
     ORDER BY CASE WHEN $5 THEN 0 ELSE p.class END, p.ending, p.suspended_at, p.id
-- use: inbox_rows

-- name: inbox_in_order
-- In the batch of a list or of a count. These tables are narrow, and where the planner
-- estimates a part of one to be small it prefers a bitmap scan and a sort to reading the
-- needed rows of an index; it cannot know the real size of the part.
SELECT set_config('enable_bitmapscan', 'off', true), set_config('enable_seqscan', 'off', true)

-- name: inbox_all
-- Its index has a spelling of its own for "no kind": with the same one the planner would
-- use it for the other two lists as well, while there are few rows.
SELECT {s.suspension} FROM (
    SELECT p.* FROM
-- use: inbox_parts open_question o
         WHERE coalesce(o.kind, '') = replace(k.kind, 'none', '') AND o.inbox_rank = r.rank
-- use: inbox_page o

-- name: inbox_for
SELECT {s.suspension} FROM (
    SELECT p.* FROM unnest($10::text[]) a (audience)
     CROSS JOIN
-- use: inbox_parts inbox_entry e
         WHERE e.audience = a.audience AND e.not_for IS DISTINCT FROM $11
           AND coalesce(e.kind, 'none') = k.kind AND e.inbox_rank = r.rank
-- use: inbox_page e

-- name: inbox_audiences
-- The audiences of what is open, but for those of $1 and for x, whose entries stand in another
-- list too: at most $2, each by one look at the index.
WITH RECURSIVE found (audience) AS (
    (SELECT e.audience FROM inbox_entry e ORDER BY e.audience LIMIT 1)
    UNION ALL
    SELECT (SELECT e.audience FROM inbox_entry e
             WHERE e.audience > f.audience ORDER BY e.audience LIMIT 1)
      FROM found f WHERE f.audience < 'x:')
SELECT audience FROM found
 WHERE audience < 'x:' AND audience <> ALL ($1::text[]) LIMIT $2

-- name: inbox_agent
-- $10: the agent; its questions to all audiences.
SELECT {s.suspension} FROM (
    SELECT p.* FROM
-- use: inbox_parts open_question o
         WHERE o.asked_by = $10
           AND coalesce(o.kind, 'none') = k.kind AND o.inbox_rank = r.rank
-- use: inbox_page o

-- name: inbox_agent_for
-- $12: the agent. Its index also has a spelling of its own.
SELECT {s.suspension} FROM (
    SELECT p.* FROM unnest($10::text[]) a (audience)
     CROSS JOIN
-- use: inbox_parts inbox_entry e
         WHERE e.asked_by = $12 AND e.audience = a.audience
           AND e.not_for IS DISTINCT FROM $11
           AND coalesce(e.kind, '-') = replace(k.kind, 'none', '-') AND e.inbox_rank = r.rank
-- use: inbox_page e

-- name: inbox_words
-- $12: the agent or NULL; $13 to $16: what is searched for; $17: the most rows that have it; $18:
-- the most rows to read.
SELECT {s.suspension} FROM (
    SELECT p.*, r.class FROM search_open($13::tsquery, $14, $15, $16, $17, $18) p
      JOIN inbox_ranked($2::smallint[]) r (rank, class) ON r.rank = p.inbox_rank
     WHERE coalesce(p.kind, 'none') = ANY ($1::text[])
       AND p.ending <= $3::timestamptz
       AND ($12::text IS NULL OR p.asked_by = $12)
       AND ($10::text[] IS NULL
            OR (p.audiences && $10 AND p.not_for IS DISTINCT FROM $11))
       AND (($6::smallint IS NULL AND NOT $5)
            OR (CASE WHEN $5 THEN 0 ELSE class END, p.ending, p.suspended_at, p.id)
             > (CASE WHEN $5 THEN 0 ELSE $6 END, $7::timestamptz, $8::timestamptz, $9))
     ORDER BY CASE WHEN $5 THEN 0 ELSE class END, p.ending, p.suspended_at, p.id
-- use: inbox_rows

-- Counts of each kind $1 and rank $2 that end until $3. $4: audiences, $5: the reader. Each
-- is counted up to 201: the number is in the text, so that a generic plan has it too.

-- piece: inbox_cells
SELECT k.kind, r.rank, n.n
  FROM unnest($1::text[]) k (kind) CROSS JOIN unnest($2::smallint[]) r (rank)
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM (

-- piece: inbox_counted
         LIMIT 201) c) n
 WHERE n.n > 0

-- name: inbox_count_all
-- The order is the index's: without it all matching rows would be collected first.
-- use: inbox_cells
        SELECT 1 FROM open_question o
         WHERE coalesce(o.kind, '') = replace(k.kind, 'none', '') AND o.inbox_rank = r.rank
           AND o.ending <= $3::timestamptz
         ORDER BY o.ending
-- use: inbox_counted

-- name: inbox_count_for
-- use: inbox_cells
        SELECT 1 FROM unnest($4::text[]) a (audience)
         CROSS JOIN LATERAL (
            SELECT 1 FROM inbox_entry e
             WHERE e.audience = a.audience AND e.not_for IS DISTINCT FROM $5
               AND coalesce(e.kind, 'none') = k.kind AND e.inbox_rank = r.rank
               AND e.ending <= $3::timestamptz
             ORDER BY e.ending LIMIT 201) s
-- use: inbox_counted

-- name: inbox_count_agent
-- $4: the agent; its questions to all audiences.
-- use: inbox_cells
        SELECT 1 FROM open_question o
         WHERE o.asked_by = $4
           AND coalesce(o.kind, 'none') = k.kind AND o.inbox_rank = r.rank
           AND o.ending <= $3::timestamptz
         ORDER BY o.ending
-- use: inbox_counted

-- name: inbox_count_agent_for
-- $6: the agent.
-- use: inbox_cells
        SELECT 1 FROM unnest($4::text[]) a (audience)
         CROSS JOIN LATERAL (
            SELECT 1 FROM inbox_entry e
             WHERE e.asked_by = $6 AND e.audience = a.audience
               AND e.not_for IS DISTINCT FROM $5
               AND coalesce(e.kind, '-') = replace(k.kind, 'none', '-') AND e.inbox_rank = r.rank
               AND e.ending <= $3::timestamptz
             ORDER BY e.ending LIMIT 201) s
-- use: inbox_counted

-- name: inbox_count_words
-- A row without a kind has the number of rows with what is searched for, as many as are asked for
-- ($11) where not all rows were read.
WITH hit AS MATERIALIZED (SELECT * FROM search_open($7::tsquery, $8, $9, $10, $11, $12))
SELECT coalesce(h.kind, 'none'), h.inbox_rank, least(count(*), 201) FROM hit h
 WHERE h.id IS NOT NULL
   AND coalesce(h.kind, 'none') = ANY ($1::text[]) AND h.inbox_rank = ANY ($2::smallint[])
   AND h.ending <= $3::timestamptz AND ($6::text IS NULL OR h.asked_by = $6)
   AND ($4::text[] IS NULL OR (h.audiences && $4 AND h.not_for IS DISTINCT FROM $5))
 GROUP BY 1, 2
UNION ALL
SELECT NULL, NULL, CASE WHEN bool_or(id IS NULL) THEN $11 ELSE count(*) END FROM hit

-- piece: inbox_badge whose
       (SELECT count(*) FROM (
            SELECT 1 FROM unnest({whose}::text[]) a (audience)
             CROSS JOIN LATERAL (
                SELECT 1 FROM inbox_entry e
                 WHERE e.audience = a.audience AND e.not_for IS DISTINCT FROM $1
                 ORDER BY coalesce(e.kind, 'none'), e.inbox_rank LIMIT 201) s
             LIMIT 201) c),

-- name: inbox_badges
-- For the reader $1, each counted up to 201: questions they may answer (audiences $2),
-- those for them alone ($3), those for their groups ($4), and all. The order is an index's:
-- without it the planner might scan any other index of open questions.
SELECT
-- use: inbox_badge $2
-- use: inbox_badge $3
-- use: inbox_badge $4
       (SELECT count(*) FROM (
            SELECT 1 FROM open_question LIMIT 201) c)
