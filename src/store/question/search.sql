-- The search for questions (sql/0057): finding them, and what the clock does for it.

-- name: search_people
-- The people, and the keys that may answer, with one of the words $1 in their name or address;
-- the word's number, from 1 on. Those with a name that begins with it come first.
WITH person AS MATERIALIZED (
    SELECT name, ' ' || regexp_replace(lower(normalize(said, NFKD)), '[\u0300-\u036f]', '', 'g')
                 AS said
      FROM (SELECT email AS name, name || ' ' || email AS said FROM principal
            UNION ALL
            SELECT label, label FROM api_key WHERE role IN ('operator', 'admin')) p)
SELECT w.n, f.name
  FROM unnest($1::text[]) WITH ORDINALITY w (word, n)
 CROSS JOIN LATERAL (
    SELECT DISTINCT position(' ' || w.word IN p.said) = 0 AS within, p.name FROM person p
     WHERE position(w.word IN p.said) > 0
     ORDER BY within, p.name LIMIT 20) f
 ORDER BY f.within, w.n, f.name

-- name: search_ended
-- The ids of what has ended, newest first, with its end; a last row that does not fit says how
-- far the search went.
SELECT p.id, microseconds(p.at), p.fits,
       (CASE d.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
        ELSE d.outcome END)
  FROM search_ended($1::tsquery, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) p
  JOIN decision d ON d.suspension_id = p.id
 ORDER BY p.at DESC, p.id DESC, p.fits DESC

-- name: search_rows
SELECT {s.suspension}
  FROM unnest($1::text[]) WITH ORDINALITY f (id, n) JOIN suspension_row s ON s.id = f.id
 ORDER BY f.n

-- name: search_filling
-- How far back questions can be found, while older ones are being read.
SELECT microseconds(least(at, now())) FROM search_fill

-- name: search_agents
-- The names of agents that have asked something that has ended, by a skip scan of the index,
-- however many questions there are.
WITH RECURSIVE agent (name) AS (
    (SELECT d.asked_by FROM decision d ORDER BY d.asked_by LIMIT 1)
    UNION ALL
    SELECT (SELECT d.asked_by FROM decision d WHERE d.asked_by > a.name
             ORDER BY d.asked_by LIMIT 1)
      FROM agent a WHERE a.name IS NOT NULL)
SELECT name FROM (SELECT name FROM agent LIMIT 101) a WHERE name IS NOT NULL

-- name: search_persons
-- Names and addresses of people who may have answered, for a list to choose from; first those
-- with the addresses $1.
SELECT email, name FROM principal WHERE role IN ('operator', 'admin') OR email = ANY ($1::text[])
 ORDER BY email <> ALL ($1::text[]), disabled_at IS NOT NULL, email LIMIT 200

-- The clock: what has no words yet, and the parts.

-- name: search_unread_open
SELECT {s.suspension}
  FROM (SELECT suspension_id AS id, suspended_at FROM open_question WHERE words IS NULL
         ORDER BY suspended_at LIMIT $1) o
  JOIN suspension_row s ON s.id = o.id

-- name: search_unread_ended
-- Backwards from the place of search_fill.
SELECT {s.suspension}
  FROM (SELECT d.suspension_id AS id
          FROM search_fill f
         CROSS JOIN LATERAL (
            SELECT x.suspension_id, x.decided_at FROM decision x
             WHERE (x.decided_at, x.suspension_id) < (f.at, f.id)
             ORDER BY x.decided_at DESC, x.suspension_id DESC LIMIT $1) d) d
  JOIN suspension_row s ON s.id = d.id
 ORDER BY s.responded_at DESC, s.id DESC

-- name: search_read_open
-- One that has ended meanwhile is read with what has ended.
UPDATE open_question o
   SET words = array_to_tsvector(string_to_array(u.words, ' ')),
       amount = nullif(u.amount, '')::numeric, unit = nullif(u.unit, '')
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) u (id, words, amount, unit)
 WHERE o.suspension_id = u.id AND o.words IS NULL

-- name: search_read_ended
INSERT INTO ended_words (decided_at, suspension_id, words, amount, unit)
SELECT d.decided_at, u.id, array_to_tsvector(string_to_array(u.words, ' ')),
       nullif(u.amount, '')::numeric, nullif(u.unit, '')
  FROM unnest($1::text[], $2::text[], $3::text[], $4::text[]) u (id, words, amount, unit)
  JOIN decision d ON d.suspension_id = u.id
ON CONFLICT DO NOTHING

-- name: search_fill_move
UPDATE search_fill f SET at = d.decided_at, id = d.suspension_id
  FROM decision d WHERE d.suspension_id = $1

-- name: search_fill_end
DELETE FROM search_fill

-- piece: search_last open
 (SELECT coalesce(max(p.to_at), '-infinity') AS at, coalesce(max(p.to_id), '') AS id
    FROM (SELECT to_at, to_id FROM search_part WHERE open = {open}
           ORDER BY to_at DESC, to_id DESC LIMIT 1) p) l

-- name: search_pending_ended
-- The end of the last part, and how many rows are behind it up to the time $1, up to $2. None
-- while older ones are being read.
SELECT l.at::text, l.id, count(x)
  FROM
-- use: search_last false
  LEFT JOIN LATERAL (
    SELECT 1 FROM ended_words x
     WHERE (x.decided_at, x.suspension_id) > (l.at, l.id) AND x.decided_at < $1::timestamptz
       AND NOT EXISTS (SELECT 1 FROM search_fill) LIMIT $2) x ON true
 GROUP BY l.at, l.id

-- name: search_pending_open
SELECT l.at::text, l.id, count(x)
  FROM
-- use: search_last true
  LEFT JOIN LATERAL (
    SELECT 1 FROM open_question x
     WHERE (x.suspended_at, x.suspension_id) > (l.at, l.id)
       AND x.suspended_at < $1::timestamptz
       AND NOT EXISTS (SELECT 1 FROM open_question u WHERE u.words IS NULL) LIMIT $2) x ON true
 GROUP BY l.at, l.id

-- name: search_next_ended
-- Rows behind ($2, $3), up to the time $1.
SELECT x.decided_at::text, x.suspension_id, array_to_string(tsvector_to_array(x.words), ' '),
       x.amount::text, x.unit
  FROM ended_words x
 WHERE (x.decided_at, x.suspension_id) > ($2::timestamptz, $3)
   AND x.decided_at < $1::timestamptz
 ORDER BY x.decided_at, x.suspension_id LIMIT $4

-- name: search_next_open
SELECT x.suspended_at::text, x.suspension_id, array_to_string(tsvector_to_array(x.words), ' '),
       x.amount::text, x.unit
  FROM open_question x
 WHERE (x.suspended_at, x.suspension_id) > ($2::timestamptz, $3)
   AND x.suspended_at < $1::timestamptz
 ORDER BY x.suspended_at, x.suspension_id LIMIT $4

-- name: search_part_insert
-- Parts of open questions ($1) behind ($2, $3): each up to a row ($4, $5), with so many rows
-- ($6); and of the parts by their number ($7), slices ($8) with their bits ($9). The same
-- slices of all parts lie together. Another process of this sort may have been faster.
WITH new AS (
    SELECT u.*
      FROM unnest($4::timestamptz[], $5::text[], $6::integer[]) WITH ORDINALITY
           AS u (to_at, to_id, n, number)
      JOIN
-- use: search_last $1
        ON (l.at, l.id) = ($2::timestamptz, $3)),
part AS (
    INSERT INTO search_part (open, from_at, from_id, to_at, to_id, n)
    SELECT $1, coalesce(lag(to_at) OVER (ORDER BY number), $2),
           coalesce(lag(to_id) OVER (ORDER BY number), $3), to_at, to_id, n
      FROM new ORDER BY number
    ON CONFLICT DO NOTHING RETURNING id, to_at, to_id)
INSERT INTO search_bits (slice, part, bits)
SELECT b.slice, part.id, b.bits::bit(2048)
  FROM unnest($7::bigint[], $8::smallint[], $9::bit varying[]) b (number, slice, bits)
  JOIN new ON new.number = b.number
  JOIN part ON (part.to_at, part.to_id) = (new.to_at, new.to_id)
 ORDER BY b.slice, b.number

-- name: search_part_end
-- Parts of open questions that have all ended.
DELETE FROM search_part p
 WHERE p.open AND NOT EXISTS (
    SELECT 1 FROM open_question o
     WHERE (o.suspended_at, o.suspension_id) > (p.from_at, p.from_id)
       AND (o.suspended_at, o.suspension_id) <= (p.to_at, p.to_id))
