-- piece: key_version_of k
-- The transactions that wrote the row last, and those of the person or resource that it
-- belongs to: changes with every change of what it is.
CASE WHEN {k}.principal_id IS NULL AND {k}.resource_id IS NULL THEN {k}.xmin::text
     ELSE concat_ws(',', {k}.xmin,
                    (SELECT p.xmin FROM principal p WHERE p.id = {k}.principal_id),
                    (SELECT r.xmin FROM resource r WHERE r.id = {k}.resource_id)) END

-- name: key_find
-- A token of a person is that person, as they are now.
SELECT k.id, coalesce(p.role, k.role), coalesce(p.email, k.label),
       array_to_string(k.agents, ' '), microseconds(k.expires_at),
       microseconds(coalesce(k.revoked_at, p.disabled_at, r.removed_at)), k.retry_policy,
       CASE WHEN p.id IS NULL THEN k.groups ELSE p.groups END, k.reach, k.severity_floor,
       k.decides, coalesce(p.name, k.label), k.principal_id, k.resource_id, k.nonce_secret, k.test,
       CASE WHEN k.test OR '*' = ANY (k.agents) THEN key_taken(k.agents, k.test) END,
       microseconds(k.last_used_at),
-- use: key_version_of k
       , k.ctid
  FROM api_key k
  LEFT JOIN principal p ON p.id = k.principal_id
  LEFT JOIN resource r ON r.id = k.resource_id
 WHERE k.key_sha256 = $1

-- name: key_version
-- Of a key that belongs to nobody, where its row was: every change moves it. intent_get has
-- it too.
SELECT xmin FROM api_key WHERE ctid = $1 AND key_sha256 = $2

-- name: key_version_owned
SELECT
-- use: key_version_of k
  FROM api_key k WHERE k.key_sha256 = $1

-- name: key_used
UPDATE api_key SET last_used_at = $2 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < $2)

-- piece: key_columns
-- A token of a person is that person, as they are now.
SELECT {k.key}, coalesce(p.role, k.role), coalesce(p.groups, k.groups),
       coalesce(k.revoked_at, p.disabled_at), array_to_string(k.agents, ', '), p.email
  FROM api_key k LEFT JOIN principal p ON p.id = k.principal_id

-- name: key_page
-- The newest first; $2 and $3: time and id of the row to continue after.
-- use: key_columns
 WHERE $2::timestamptz IS NULL OR (k.created_at, k.id) < ($2::timestamptz, $3::uuid)
 ORDER BY k.created_at DESC, k.id DESC LIMIT $1

-- name: key_get
-- use: key_columns
 WHERE k.id = $1

-- name: key_tokens
-- Those of a person that hold at $2, the newest first.
-- use: key_columns
 WHERE k.principal_id = $1 AND k.revoked_at IS NULL AND k.expires_at > $2
 ORDER BY k.created_at DESC, k.id DESC LIMIT $3

-- name: key_make
INSERT INTO api_key (agents, {key.insert}) VALUES ($1, {key.places:2})

-- name: key_insert
-- As the owner, who alone makes keys with a retry policy and for tests.
INSERT INTO api_key (agents, retry_policy, test, {key.insert}) VALUES ($1, $2, $3, {key.places:4})

-- name: key_taken
-- The names of $1, with a space between, that valid keys of the other sort than $2 have;
-- NULL: none.
SELECT key_taken(array_remove($1::text[], '*'), $2)

-- name: key_reach
-- For a valid key that names its agents; any other keeps the reach all.
UPDATE api_key SET reach = $2
 WHERE id = $1 AND revoked_at IS NULL AND role = 'agent' AND NOT '*' = ANY (agents)

-- name: key_terms
UPDATE api_key SET severity_floor = $2, decides = $3 WHERE id = $1

-- name: key_decides
SELECT decides FROM api_key WHERE id = $1

-- name: key_end
UPDATE api_key SET revoked_at = $2 WHERE id = $1 AND revoked_at IS NULL

-- name: key_end_token
UPDATE api_key SET revoked_at = $3
 WHERE id = $1 AND principal_id = $2 AND revoked_at IS NULL

-- name: key_end_tokens
-- Those of a person, also where they have expired.
UPDATE api_key SET revoked_at = $2 WHERE principal_id = $1 AND revoked_at IS NULL

-- name: key_stored
INSERT INTO key_stored AS k (key_id, day, bytes)
VALUES ($1, ($2::timestamptz AT TIME ZONE 'UTC')::date, $3)
    ON CONFLICT (key_id, day) DO UPDATE SET bytes = k.bytes + excluded.bytes
RETURNING bytes
