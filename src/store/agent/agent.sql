-- Agents, as their questions show them. Each statement reads a bounded part of the
-- decisions: of one agent or one person, the newest first, by index.

-- name: first_run
-- Has an agent asked, other than $1, whose requests are for trying? Has an agent a key of
-- its own, and is there a channel that notifies people?
SELECT EXISTS (SELECT 1 FROM suspension WHERE asked_by <> $1),
       EXISTS (SELECT 1 FROM api_key WHERE role = 'agent' AND NOT test AND revoked_at IS NULL
                  AND (expires_at IS NULL OR expires_at > $2)),
       EXISTS (SELECT 1 FROM endpoint WHERE kind <> 'agent' AND removed_at IS NULL)

-- name: answered_since
-- The answers of $1 since $2, at most $3 of them: their number, and the median of the time
-- from the question to the answer, in microseconds.
SELECT count(*),
       (extract(epoch FROM percentile_disc(0.5) WITHIN GROUP (ORDER BY d.wait)) * 1000000)::bigint
  FROM (SELECT decided_at - suspended_at AS wait FROM decision
         WHERE decided_by = $1 AND decided_at >= $2
         ORDER BY decided_at DESC, suspension_id DESC LIMIT $3) d

-- The names that have asked are few where decisions are many: each is found from the one
-- before it, by index. $1: the name before, or ''; $2: their number at most.
-- piece: agent_next name
least((SELECT d.asked_by FROM decision d WHERE d.asked_by > {name} ORDER BY d.asked_by LIMIT 1), (SELECT o.asked_by FROM open_question o WHERE o.asked_by > {name} ORDER BY o.asked_by LIMIT 1))

-- name: agent_list
-- $3: questions that ended since then are counted, up to 201; open ones too. The number is
-- in the text, so that a generic plan has it too.
WITH RECURSIVE agent (name, n) AS (
    SELECT {agent_next $1}, 1
    UNION ALL
    SELECT {agent_next agent.name}, n + 1
      FROM agent WHERE name IS NOT NULL AND n < $2)
SELECT a.name,
       (SELECT count(*) FROM (SELECT 1 FROM open_question o
         WHERE o.asked_by = a.name LIMIT 201) o),
       (SELECT count(*) FROM (SELECT 1 FROM decision d
         WHERE d.asked_by = a.name AND d.decided_at >= $3
         ORDER BY d.decided_at DESC LIMIT 201) d),
       microseconds((SELECT o.suspended_at FROM open_question o
         WHERE o.asked_by = a.name ORDER BY o.suspended_at DESC, o.suspension_id DESC LIMIT 1)),
       microseconds((SELECT d.decided_at FROM decision d
         WHERE d.asked_by = a.name ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT 1))
  FROM agent a WHERE a.name IS NOT NULL ORDER BY a.n

-- name: agent_figures
-- How the questions of $1 ended since $2, at most $3 of them, the newest first: a row for
-- each end with their number, and with how many a person changed in approving them. In the
-- row without an end their number, and the median of the time to an answer.
WITH seen AS MATERIALIZED (
    SELECT CASE d.state WHEN 'expired' THEN 'expired' WHEN 'cancelled' THEN 'withdrawn'
           ELSE d.outcome END AS ending,
           d.constraints IS NOT NULL OR d.approved_sha256 IS NOT NULL AS changed,
           CASE d.state WHEN 'resolved' THEN d.decided_at - d.suspended_at END AS wait
      FROM decision d WHERE d.asked_by = $1 AND d.decided_at >= $2
     ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT $3)
SELECT ending, count(*), count(*) FILTER (WHERE changed) FROM seen GROUP BY ending
UNION ALL
SELECT NULL, count(*),
       (extract(epoch FROM percentile_disc(0.5) WITHIN GROUP (ORDER BY wait)) * 1000000)::bigint
  FROM seen

-- name: agent_open
-- The open questions of $1, counted up to $2.
SELECT count(*) FROM (SELECT 1 FROM open_question o WHERE o.asked_by = $1 LIMIT $2) o

-- name: agent_newest
-- The newest open questions of $1, then those that ended last, at most $2 of each.
SELECT {s.suspension} FROM (
    (SELECT o.suspension_id AS id, o.suspended_at AS at, true AS open FROM open_question o
      WHERE o.asked_by = $1 ORDER BY o.suspended_at DESC, o.suspension_id DESC LIMIT $2)
    UNION ALL
    (SELECT d.suspension_id, d.decided_at, false FROM decision d
      WHERE d.asked_by = $1 ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT $2)) p
  JOIN suspension_row s ON s.id = p.id
 ORDER BY p.open DESC, p.at DESC, p.id DESC

-- name: agent_on_target
-- The newest of $1 that ended, at most $3 of them, whose facts have the text $4 and are of
-- at most 64 kB: for whoever reads whether it is their target.
SELECT {s.suspension} FROM (
    SELECT p.id, p.decided_at FROM (
        SELECT d.suspension_id AS id, d.decided_at FROM decision d
         WHERE d.asked_by = $1
         ORDER BY d.decided_at DESC, d.suspension_id DESC LIMIT $3) p
      JOIN suspension f ON f.id = p.id
     WHERE octet_length(f.subject) <= 65536 AND strpos(f.subject, $4) > 0 AND p.id <> $2
     ORDER BY p.decided_at DESC, p.id DESC LIMIT 20) p
  JOIN suspension_row s ON s.id = p.id
 ORDER BY p.decided_at DESC, p.id DESC
