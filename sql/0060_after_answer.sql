-- What a person sees after an answer that was given from a list: the next open request
-- of it, the list, or the answered request.
ALTER TABLE principal ADD COLUMN after_answer text NOT NULL DEFAULT 'next'
    CHECK (after_answer IN ('next', 'list', 'stay'));
GRANT UPDATE (after_answer) ON principal TO sayso_web;
