-- A row that is written again and again, so that readiness means that a write succeeds. It
-- holds nothing else.
CREATE TABLE write_probe (
    one        boolean PRIMARY KEY DEFAULT true CHECK (one),
    written_at timestamptz NOT NULL
) WITH (fillfactor = 10);

GRANT SELECT, INSERT, UPDATE ON write_probe TO sayso_web, sayso_tick;
