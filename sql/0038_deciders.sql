-- What a person holds ends with a new password and when they are disabled, for good. The
-- tokens of those who are disabled today were only asleep.
GRANT UPDATE (expires_at) ON initiation TO sayso_web;
UPDATE api_key k SET revoked_at = p.disabled_at FROM principal p
 WHERE p.id = k.principal_id AND p.disabled_at IS NOT NULL AND k.revoked_at IS NULL;

-- Who decides about the questions of a key, or about the calls of a rule that asks: operators,
-- those of a group, or the person who started the task, proven. NULL: whom the agent names.
ALTER TABLE api_key ADD COLUMN decides text
    CHECK (decides ~ '^(operators|initiator|group:[a-z0-9._-]{1,60})$'),
    ADD CHECK (decides IS NULL OR role = 'agent');
ALTER TABLE tool_rule ADD COLUMN decides text
    CHECK (decides ~ '^(operators|initiator|group:[a-z0-9._-]{1,60})$'),
    ADD CHECK (decides IS NULL OR effect = 'ask');
GRANT INSERT (decides), UPDATE (decides) ON api_key TO sayso_web;
GRANT SELECT (severity_floor, decides) ON api_key TO sayso_tick;

-- The key of the agent, whose terms hold for the questions that the server asks for it, and
-- the limit of failures that people were told of.
ALTER TABLE plan ADD COLUMN key_id uuid REFERENCES api_key,
    ADD COLUMN told integer NOT NULL DEFAULT 0;
ALTER TABLE intent_failure ADD COLUMN key_id uuid REFERENCES api_key;
