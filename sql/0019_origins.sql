-- Questions beside the one that holds the intent: approvals, escalations and arbitrations of
-- OpenIntent hold nothing. slot: 0 for the question that holds the intent, else one of 20
-- places that an intent has for others.

-- 0: a question of this origin holds the intent.
CREATE FUNCTION suspension_slot(origin text) RETURNS smallint
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    AS $$ SELECT (CASE WHEN origin IN ('approval', 'escalation', 'arbitration')
                       THEN 1 ELSE 0 END)::smallint $$;

ALTER TABLE suspension DROP CONSTRAINT suspension_origin_check,
    ADD CONSTRAINT suspension_origin_check
    CHECK (origin IN ('tool_call', 'authorization', 'approval', 'escalation', 'arbitration'))
    NOT VALID;
ALTER TABLE suspension VALIDATE CONSTRAINT suspension_origin_check;
CREATE INDEX suspension_escalations ON suspension (suspended_at DESC, id DESC)
    WHERE origin = 'escalation';
ALTER TABLE open_question
    ADD COLUMN slot smallint NOT NULL DEFAULT 0 CHECK (slot BETWEEN 0 AND 20),
    DROP CONSTRAINT open_question_intent,
    ADD CONSTRAINT open_question_slot UNIQUE (intent_id, slot);
