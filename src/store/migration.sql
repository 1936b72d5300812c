-- name: migration_applied
SELECT version, name, sha256 FROM migration ORDER BY version

-- name: migration_insert
INSERT INTO migration (version, name, sha256, applied_at) VALUES ($1, $2, $3, now())

-- name: migration_newest
SELECT max(version) FROM migration

-- name: migration_session
SELECT pg_backend_pid()

-- name: migration_watch
-- Of the session $1: which lock it waits for and who has it, NULL where it does not wait;
-- how much of an index it has made, in percent; and a place in the WAL, in bytes.
SELECT (SELECT CASE WHEN l.relation IS NOT NULL THEN 'table ' || l.relation::regclass
                    WHEN l.locktype = 'advisory' THEN 'its turn' ELSE 'rows' END || ', which ' ||
               coalesce((SELECT string_agg(
                             CASE WHEN b.pid = 0 THEN 'a prepared transaction has'
                                  WHEN a.usename IS NULL
                                  THEN format('process %s of PostgreSQL itself has', b.pid)
                                  ELSE format('process %s has (user %s, "%s")', b.pid, a.usename,
                                              a.application_name) END, ' and ')
                           FROM unnest(pg_blocking_pids(l.pid)) b (pid)
                           LEFT JOIN pg_stat_activity a ON a.pid = b.pid), 'nobody has now')
          FROM pg_locks l WHERE l.pid = $1::integer AND NOT l.granted LIMIT 1),
       (SELECT 100 * p.blocks_done / nullif(p.blocks_total, 0)
          FROM pg_stat_progress_create_index p WHERE p.pid = $1::integer LIMIT 1),
       (pg_current_wal_insert_lsn() - '0/0')::bigint

-- name: migration_touches
-- The tables that are there and that statements of the text $1 name: rows (-1: not known),
-- size, and the strongest lock: 3: nobody else may read or write, 2: nobody else may write,
-- 1: rows are locked.
WITH said AS (
    SELECT regexp_replace(regexp_replace(regexp_replace(
               $1::text, '--[^\n]*', '', 'g'), '\$\$.*?\$\$', '', 'g'), '\s+', ' ', 'g') AS text
), named (lock, pattern) AS (VALUES
    (3, '\mALTER TABLE (?:IF EXISTS )?(?:ONLY )?(\w+)'),
    (3, '\mDROP TABLE (?:IF EXISTS )?(\w+)'),
    (3, '\mDROP TRIGGER \w+ ON (\w+)'),
    (2, '\mCREATE (?:UNIQUE )?INDEX \w+ ON (\w+)'),
    (2, '\mCREATE TRIGGER \w+ [^;]*\mON (\w+)'),
    (2, '\mREFERENCES (\w+)'),
    (1, '\mUPDATE (\w+)(?: \w+)? SET\M'),
    (1, '\mDELETE FROM (\w+)'),
    (1, '\mINSERT INTO (\w+)'))
SELECT c.relname, c.reltuples::bigint, pg_total_relation_size(c.oid), max(n.lock)
  FROM said s, named n, regexp_matches(s.text, n.pattern, 'g') m
  JOIN pg_class c ON c.relname = m[1] AND c.relkind = 'r'
                 AND c.relnamespace = 'public'::regnamespace
 GROUP BY c.oid, c.relname, c.reltuples
 ORDER BY c.relname
