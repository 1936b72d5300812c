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

-- name: principal_there
-- Is there a person or key that can answer? $1: the group, or with NULL $2: the name;
-- $3: now; $4: users count too.
SELECT 1 FROM principal
 WHERE disabled_at IS NULL AND (role IN ('operator', 'admin') OR ($4 AND role = 'user'))
   AND ($1::text = ANY (string_to_array(groups, ' ')) OR email = $2)
UNION ALL
SELECT 1 FROM api_key
 WHERE revoked_at IS NULL AND role IN ('operator', 'admin')
   AND (expires_at IS NULL OR expires_at > $3::timestamptz)
   AND ($1::text = ANY (string_to_array(groups, ' ')) OR label = $2)
LIMIT 1

-- name: session_insert
INSERT INTO operator_session (id_sha256, principal_id, created_at, seen_at, expires_at)
VALUES ($1, $2, $3, $3, $4)

-- name: session_find
SELECT {p.person}, s.seen_at, s.expires_at
  FROM operator_session s JOIN principal p ON p.id = s.principal_id
 WHERE s.id_sha256 = $1 AND s.revoked_at IS NULL AND p.disabled_at IS NULL

-- name: session_seen
UPDATE operator_session SET seen_at = $2 WHERE id_sha256 = $1

-- name: session_revoke
UPDATE operator_session SET revoked_at = $2 WHERE id_sha256 = $1 AND revoked_at IS NULL
