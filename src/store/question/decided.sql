-- Lists of decided questions, newest first. $1 the limit, $2 and $3 the row to continue
-- after ($2 infinity: from the start), $4 and $5 the range of time, $6 kinds,
-- $7 outcomes, $8 doors.

-- name: decided_all
SELECT {s.suspension} FROM (
    SELECT d.suspension_id AS id, d.decided_at FROM decision d
     WHERE (d.decided_at, d.suspension_id) < ($2::timestamptz, $3)
       AND d.decided_at >= $4::timestamptz AND d.decided_at < $5::timestamptz
     ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT $1) p
  JOIN suspension_row s ON s.id = p.id
 ORDER BY p.decided_at DESC, p.id DESC

-- name: decided_by
SELECT {s.suspension} FROM (
    SELECT p.* FROM unnest($6::text[]) k (kind) CROSS JOIN unnest($7::text[]) o (outcome)
     CROSS JOIN unnest($8::text[]) v (door)
     CROSS JOIN LATERAL (
        SELECT d.suspension_id AS id, d.decided_at FROM decision d
         WHERE coalesce(d.kind, 'none') = k.kind
           AND (CASE d.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
                 ELSE d.outcome END) = o.outcome
           AND coalesce(d.via, 'none') = v.door
           AND (d.decided_at, d.suspension_id) < ($2::timestamptz, $3)
           AND d.decided_at >= $4::timestamptz AND d.decided_at < $5::timestamptz
         ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT $1) p
     ORDER BY p.decided_at DESC, p.id DESC LIMIT $1) p
  JOIN suspension_row s ON s.id = p.id
 ORDER BY p.decided_at DESC, p.id DESC

-- $9: {of}; $10: {other}, or NULL; $11: the number of answers that are scanned. Where
-- there are more, a last row that is not counted has the position of the scan.
-- piece: decided_seen of other
WITH seen AS MATERIALIZED (
    SELECT d.suspension_id AS id, d.decided_at, d.{other},
           coalesce(d.kind, 'none') AS kind, coalesce(d.via, 'none') AS door,
           (CASE d.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
            ELSE d.outcome END) AS outcome
      FROM decision d
     WHERE d.{of} = $9
       AND (d.decided_at, d.suspension_id) < ($2::timestamptz, $3)
       AND d.decided_at >= $4::timestamptz AND d.decided_at < $5::timestamptz
     ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT $11),
fit AS MATERIALIZED (
    SELECT id, decided_at FROM seen
     WHERE kind = ANY ($6::text[]) AND outcome = ANY ($7::text[]) AND door = ANY ($8::text[])
       AND ($10::text IS NULL OR {other} = $10)
     ORDER BY decided_at DESC, id DESC LIMIT $1),
last AS (
    SELECT id, decided_at FROM seen
     WHERE (SELECT count(*) FROM seen) = $11 AND (SELECT count(*) FROM fit) < $1
     ORDER BY decided_at, id LIMIT 1)
SELECT {s.suspension}, p.fits
  FROM (SELECT id, decided_at, true AS fits FROM fit
         UNION ALL SELECT id, decided_at, false FROM last) p
  JOIN suspension_row s ON s.id = p.id
 ORDER BY p.decided_at DESC, p.id DESC, p.fits DESC

-- name: decided_who
-- use: decided_seen decided_by asked_by

-- name: decided_agent
-- use: decided_seen asked_by decided_by

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
