-- An agent may hold an answer, or have used one, that a restore lost. What it says of that is
-- kept beside the question for the people who answer: its own words, which decide nothing. No
-- process changes or deletes a row.
CREATE TABLE restore_claim (
    suspension_id text NOT NULL REFERENCES suspension,
    n             integer NOT NULL CHECK (n BETWEEN 1 AND 5),
    said          text NOT NULL CHECK (octet_length(said) <= 16384), -- JSON, an object
    said_sha256   text NOT NULL CHECK (length(said_sha256) = 64),
    by            text NOT NULL,
    by_key        uuid NOT NULL REFERENCES api_key,
    at            timestamptz NOT NULL,
    PRIMARY KEY (suspension_id, n),
    UNIQUE (suspension_id, said_sha256)
);
GRANT SELECT, INSERT ON restore_claim TO sayso_web;
