-- Statements of `sayso key` and `sayso doctor`, run as the owner.

-- name: key_list
SELECT id, prefix, role, label, array_to_string(agents, ','), created_at::text,
       coalesce(last_used_at::text, 'never'),
       CASE WHEN revoked_at IS NOT NULL THEN 'revoked'
            WHEN expires_at <= now() THEN 'expired' ELSE 'active' END,
       CASE WHEN retry_policy IS NULL THEN 'no' ELSE 'yes' END,
       coalesce(replace(groups, ' ', ','), ''), reach, coalesce(severity_floor, 'none'),
       CASE WHEN test THEN 'yes' ELSE 'no' END, coalesce(decides, '')
  FROM api_key ORDER BY created_at

-- name: key_severity_floor
UPDATE api_key SET severity_floor = $2
 WHERE (id::text = $1 OR prefix = $1) AND role = 'agent' AND revoked_at IS NULL

-- name: key_decides_named
UPDATE api_key SET decides = $2
 WHERE (id::text = $1 OR prefix = $1) AND role = 'agent' AND revoked_at IS NULL

-- name: key_reach_named
-- A key of any agent keeps the reach all.
UPDATE api_key SET reach = $2
 WHERE (id::text = $1 OR prefix = $1) AND role = 'agent' AND revoked_at IS NULL
   AND NOT '*' = ANY (agents)

-- name: key_revoke
UPDATE api_key SET revoked_at = now()
 WHERE (id::text = $1 OR prefix = $1) AND revoked_at IS NULL

-- name: doctor_reach
-- The valid keys whose agents reach every intent.
SELECT prefix, label FROM api_key
 WHERE role = 'agent' AND reach = 'all' AND revoked_at IS NULL
   AND (expires_at IS NULL OR expires_at > now())
 ORDER BY created_at LIMIT 100

-- name: doctor_pairs
-- The names that both a valid test key and a valid real key have.
SELECT t.prefix, t.label, key_taken(array_remove(t.agents, '*'), true) FROM api_key t
 WHERE t.test AND t.revoked_at IS NULL AND (t.expires_at IS NULL OR t.expires_at > now())
   AND key_taken(array_remove(t.agents, '*'), true) IS NOT NULL
 ORDER BY t.created_at LIMIT 100

-- name: doctor_near
-- Valid keys that use more than four fifths of a ceiling: of open questions $1, of bytes
-- stored today $2, of subscriptions $3, of endpoints $4.
SELECT k.prefix, k.label, u.ceiling, u.n, u.most
  FROM (SELECT asked_by_key AS key_id, 'limit_open' AS ceiling, count(*) AS n, $1::bigint AS most
          FROM open_question GROUP BY asked_by_key
         UNION ALL
        SELECT key_id, 'limit_bytes_mb', bytes / 1000000, $2 FROM key_stored
         WHERE day = (now() AT TIME ZONE 'UTC')::date
         UNION ALL
        SELECT created_by, 'limit_subscriptions', count(*), $3 FROM subscription
         WHERE expires_at IS NULL OR expires_at > now() GROUP BY created_by
         UNION ALL
        SELECT key_id, 'limit_endpoints', count(*), $4 FROM endpoint
         WHERE removed_at IS NULL GROUP BY key_id) u
  JOIN api_key k ON k.id = u.key_id AND k.revoked_at IS NULL
                AND (k.expires_at IS NULL OR k.expires_at > now())
 WHERE u.n * 5 > u.most * 4
 ORDER BY u.n::numeric / u.most DESC, k.id LIMIT 100

-- name: doctor_rights
-- Rights of the connected role that no web worker should have.
SELECT current_user,
       (SELECT bool_or(has_table_privilege(t, 'UPDATE, DELETE, TRUNCATE')
                       OR has_any_column_privilege(t, 'UPDATE'))
          FROM unnest('{event,suspension,decision}'::text[]) t),
       has_schema_privilege('public', 'CREATE'),
       (SELECT rolsuper FROM pg_roles WHERE rolname = current_user),
       current_setting('fsync') || '/' || current_setting('synchronous_commit'),
       microseconds(clock_timestamp()),
       current_setting('transaction_read_only')::boolean
