-- name: listener_keys
-- The ones that are still valid, by their index from 1: the key is and, where an agent and
-- an intent are given, the agent has access to the intent. The token of
-- a person is valid while they are not disabled.
SELECT u.place
  FROM unnest($1::uuid[], $2::text[], $3::text[]) WITH ORDINALITY AS u (id, agent, intent, place)
  JOIN api_key k ON k.id = u.id
  LEFT JOIN principal p ON p.id = k.principal_id
 WHERE k.revoked_at IS NULL AND p.disabled_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > $4)
   AND (u.agent = '' OR
        intent_reach(nullif(u.intent, '')::uuid,
                     {reader k.test k.reach u.agent}, $4) > 0)

-- name: listener_sessions
-- The sessions that are still valid: not idle, and of a person who is not disabled.
SELECT s.id_sha256
  FROM operator_session s JOIN principal p ON p.id = s.principal_id
 WHERE s.id_sha256 = ANY ($1::text[]) AND s.revoked_at IS NULL AND s.expires_at > $2
   AND s.seen_at >= $3 AND p.disabled_at IS NULL
