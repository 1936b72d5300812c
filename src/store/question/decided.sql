-- Counts of the decisions from $1 until $2: by kind with the chosen outcome and door, and
-- so on, each counted up to 201. The number is in the text, so that a generic plan has it
-- too.

-- name: decided_count_by
-- $3 all kinds, $4 outcomes, $5 doors; $6 to $8: the chosen ones, or NULL. The existing
-- combinations are found first, because they are few. The order is the index's: without
-- it all matching rows would be collected before they are counted.
WITH cell AS MATERIALIZED (
    SELECT k.kind, o.outcome, v.door
      FROM unnest($3::text[]) k (kind) CROSS JOIN unnest($4::text[]) o (outcome)
     CROSS JOIN unnest($5::text[]) v (door)
     CROSS JOIN LATERAL (
        SELECT 1 FROM decision d
         WHERE coalesce(d.kind, 'none') = k.kind
           AND (CASE d.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
                 ELSE d.outcome END) = o.outcome
           AND coalesce(d.via, 'none') = v.door
           AND d.decided_at >= $1::timestamptz AND d.decided_at < $2::timestamptz
         ORDER BY d.decided_at DESC LIMIT 1) s),
part AS MATERIALIZED (
    SELECT 'kind' AS axis, kind AS word, * FROM cell
     WHERE ($7::text IS NULL OR outcome = $7) AND ($8::text IS NULL OR door = $8)
    UNION ALL SELECT 'outcome', outcome, * FROM cell
     WHERE ($6::text IS NULL OR kind = $6) AND ($8::text IS NULL OR door = $8)
    UNION ALL SELECT 'door', door, * FROM cell
     WHERE ($6::text IS NULL OR kind = $6) AND ($7::text IS NULL OR outcome = $7))
SELECT a.axis, a.word, n.n
  FROM (SELECT DISTINCT axis, word FROM part) a
 CROSS JOIN LATERAL (SELECT count(*) AS n FROM (
        SELECT 1 FROM part p
         CROSS JOIN LATERAL (
            SELECT 1 FROM decision d
             WHERE coalesce(d.kind, 'none') = p.kind
               AND (CASE d.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
                     ELSE d.outcome END) = p.outcome
               AND coalesce(d.via, 'none') = p.door
               AND d.decided_at >= $1::timestamptz AND d.decided_at < $2::timestamptz
             ORDER BY d.decided_at DESC LIMIT 201) s
         WHERE p.axis = a.axis AND p.word = a.word LIMIT 201) c) n

-- $3 to $5 the chosen ones, else all; $6: {of}; $7: {other}, or NULL; $8: the number of
-- answers that are scanned. A row without an axis has the number scanned.
-- piece: decided_count_seen of other
WITH seen AS MATERIALIZED (
    SELECT d.{other}, coalesce(d.kind, 'none') AS kind,
           coalesce(d.via, 'none') AS door,
           (CASE d.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
            ELSE d.outcome END) AS outcome
      FROM decision d
     WHERE d.{of} = $6
       AND d.decided_at >= $1::timestamptz AND d.decided_at < $2::timestamptz
     ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT $8),
fit AS MATERIALIZED (
    SELECT kind, outcome, door, kind = ANY ($3::text[]) AS k,
           outcome = ANY ($4::text[]) AS o, door = ANY ($5::text[]) AS d
      FROM seen WHERE $7::text IS NULL OR {other} = $7)
SELECT 'kind' AS axis, kind AS word, least(count(*), 201) FROM fit WHERE o AND d GROUP BY kind
UNION ALL SELECT 'outcome', outcome, least(count(*), 201) FROM fit WHERE k AND d GROUP BY outcome
UNION ALL SELECT 'door', door, least(count(*), 201) FROM fit WHERE k AND o GROUP BY door
UNION ALL SELECT NULL, NULL, count(*) FROM seen

-- name: decided_count_who
-- use: decided_count_seen decided_by asked_by

-- name: decided_count_agent
-- use: decided_count_seen asked_by decided_by
