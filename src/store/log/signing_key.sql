-- The signing keys, as the commands and the process "seal" know them.

-- name: signing_key_list
SELECT {signing_key} FROM signing_key ORDER BY created_at, kid

-- name: signing_key_insert
INSERT INTO signing_key ({signing_key.insert}) VALUES ({signing_key.places})

-- name: signing_key_succeed
UPDATE signing_key SET successor = $2 WHERE kid = $1 AND successor IS NULL

-- name: signing_key_turn
-- The next key becomes the current one.
UPDATE signing_key
   SET state = CASE state WHEN 'next' THEN 'current' ELSE 'retired' END,
       current_from = CASE state WHEN 'next' THEN $1 ELSE current_from END,
       current_until = CASE state WHEN 'next' THEN NULL ELSE $1 END
 WHERE state IN ('next', 'current')

-- name: signing_key_end
-- Ends a key: retired, or compromised.
UPDATE signing_key SET state = $2, current_until = coalesce(current_until, $3),
       current_from = coalesce(current_from, $3)
 WHERE kid = $1 AND state <> 'compromised'
