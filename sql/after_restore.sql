-- After a dump was restored into another cluster, for psql as a superuser, with the
-- program stopped; running it again changes nothing.
--
-- Streams read events, and the feed reads decisions, in the order of the transactions that
-- wrote them. A new cluster counts transactions from the start, so those of the dump would
-- come up again as new ones when its counter reaches their numbers. Nothing that is hashed
-- is touched.
BEGIN;
ALTER TABLE event DISABLE TRIGGER event_erased_only;
UPDATE event SET xid = '3' WHERE xid > pg_current_xact_id();
ALTER TABLE event ENABLE TRIGGER event_erased_only;
UPDATE decision SET xid = '3' WHERE xid > pg_current_xact_id();
-- The log looks at all of them again, and passes over those that it has.
UPDATE log_end SET xid = '3', intent_id = '00000000-0000-0000-0000-000000000000', sequence = 0;
UPDATE receipt_end SET xid = '3', suspension_id = '';
UPDATE log_request SET xid = '3' WHERE xid > pg_current_xact_id();
-- Mails at once begin with what is asked from now on.
UPDATE person_mail_place SET xid = NULL;
COMMIT;
