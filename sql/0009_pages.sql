-- What the pages need: equal questions are told of each other, a secret that was made
-- on a page is kept until it was stored, and a person may answer with a single key.

-- Open questions by the digest of their facts.
CREATE INDEX suspension_open_digest ON suspension (subject_sha256, suspended_at, id)
    WHERE state = 'pending';

-- Off: a letter that answers takes a second press.
ALTER TABLE principal ADD COLUMN single_key boolean NOT NULL DEFAULT false;
GRANT UPDATE (single_key) ON principal TO sayso_web;

-- A secret that was just made, for the one session that made it. It is encrypted with
-- the cookie, of which the database has only the digest; tick deletes what is left.
CREATE TABLE secret_view (
    id      uuid PRIMARY KEY,
    session text NOT NULL REFERENCES operator_session ON DELETE CASCADE,
    sealed  text NOT NULL CHECK (length(sealed) <= 16384),
    made_at timestamptz NOT NULL
);
CREATE INDEX secret_view_session ON secret_view (session);
CREATE INDEX secret_view_age ON secret_view (made_at);
GRANT SELECT, INSERT, DELETE ON secret_view TO sayso_web;
GRANT SELECT (id, made_at), DELETE ON secret_view TO sayso_tick;
