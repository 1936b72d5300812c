-- What a person holds ends with a new password and when they are disabled, for good. The
-- tokens of those who are disabled today were only asleep.
GRANT UPDATE (expires_at) ON initiation TO sayso_web;
UPDATE api_key k SET revoked_at = p.disabled_at FROM principal p
 WHERE p.id = k.principal_id AND p.disabled_at IS NOT NULL AND k.revoked_at IS NULL;
