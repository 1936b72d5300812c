-- Questions that have ended and whose receipt has to wait: the chain of their intent does not
-- hold, or (lost) there is no event that says how they ended. The others go on. Those that ended
-- before the feed of decisions have no place in its order, and are found from here.
CREATE TABLE receipt_wait (
    suspension_id text PRIMARY KEY REFERENCES suspension,
    since         timestamptz NOT NULL,
    lost          boolean NOT NULL
);
INSERT INTO receipt_wait (suspension_id, since, lost)
SELECT s.id, now(), false FROM decision d JOIN suspension s ON s.id = d.suspension_id
 WHERE d.xid IS NULL AND NOT s.test;

GRANT SELECT, INSERT, DELETE ON receipt_wait TO sayso_seal;
GRANT UPDATE (lost) ON receipt_wait TO sayso_seal;
GRANT SELECT ON receipt_wait TO sayso_web;
GRANT SELECT ON suspension_sized TO sayso_seal;
GRANT SELECT (suspension_id, ordinal, call_id, tool, arguments_sha256) ON suspension_call
    TO sayso_seal;
