-- The feed of ended questions has the order of the transactions that ended them, as the
-- streams have that of events. What ended before this has no place in it.
ALTER TABLE decision ADD COLUMN xid xid8;
ALTER TABLE decision ALTER COLUMN xid SET DEFAULT pg_current_xact_id();
CREATE INDEX decision_feed ON decision (xid, suspension_id) INCLUDE (asked_by)
    WHERE xid IS NOT NULL;
GRANT SELECT (xid, suspension_id) ON decision TO sayso_wait;
