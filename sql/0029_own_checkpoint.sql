-- An agent's own question may take the place of a checkpoint's. It holds the intent, like every
-- question of an agent.
ALTER TABLE suspension DROP CONSTRAINT suspension_origin_check,
    ADD CONSTRAINT suspension_origin_check
    CHECK (origin IN ('tool_call', 'authorization', 'approval', 'escalation', 'arbitration',
                      'checkpoint', 'plan_review', 'own_checkpoint', 'access'))
    NOT VALID;
ALTER TABLE suspension VALIDATE CONSTRAINT suspension_origin_check;
