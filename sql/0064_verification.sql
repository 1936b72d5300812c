-- How `sayso verify` ended last, of all and of what came after a checkpoint: for the metrics, and
-- for `sayso verify --since last`. The command runs as the owner, who alone writes here.
CREATE TABLE verification (
    scope         text PRIMARY KEY CHECK (scope IN ('all', 'since')),
    ended_at      timestamptz NOT NULL,
    broken        bigint NOT NULL CHECK (broken >= 0), -- faults of the last run
    sound_at      timestamptz,                         -- the end of the last sound one
    checkpoint_id text -- the newest that the last sound one covers; NULL: there was none
);
GRANT SELECT ON verification TO sayso_web;
