-- The signing keys, as the commands and the process "seal" know them.

-- name: signing_key_list
SELECT {signing_key} FROM signing_key ORDER BY created_at, kid

-- name: signing_key_insert
INSERT INTO signing_key ({signing_key.insert}) VALUES ({signing_key.places})

-- name: signing_key_succeed
-- The next key may be another one than that which was named before.
UPDATE signing_key SET successor = $2 WHERE kid = $1 AND state = 'current'

-- name: signing_key_rest
UPDATE signing_key SET state = 'retired', current_until = $1 WHERE state = 'current'

-- name: signing_key_turn
UPDATE signing_key SET state = 'current', current_from = $1 WHERE state = 'next'

-- name: signing_key_end
-- Ends a key: retired, or compromised.
UPDATE signing_key SET state = $2, current_until = coalesce(current_until, $3),
       current_from = coalesce(current_from, $3)
 WHERE kid = $1 AND state <> 'compromised'
