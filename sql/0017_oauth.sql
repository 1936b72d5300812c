-- The OAuth addresses: a secret for the nonces of an agent's proofs, which the agent does not
-- know and every host of this database does.

ALTER TABLE api_key ADD COLUMN nonce_secret text NOT NULL DEFAULT gen_random_uuid()::text;
