-- What the pages need: equal questions are told of each other, a secret that was made
-- on a page is kept until it was stored, and a person may answer with a single key.

-- Open questions by the digest of their facts.
CREATE INDEX suspension_open_digest ON suspension (subject_sha256, suspended_at, id)
    WHERE state = 'pending';
