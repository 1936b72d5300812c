-- A restore to an older point loses answers and uses of permits that somebody may have acted
-- on. `sayso restored` says so, once for each restore, with a row here: the newest counts.
-- Rows are never changed but for go_at, and no process may write here.
CREATE TABLE restore (
    n                 integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    epoch             integer NOT NULL CHECK (epoch >= 0),
    said_at           timestamptz NOT NULL,
    lost_from         timestamptz, -- of the newest loss; NULL: nothing was ever lost
    -- Questions that were asked up to here, and are open, were open in that backup.
    open_until        timestamptz,
    go_at             timestamptz, -- NULL: the clock and the deliveries wait
    -- The cluster and the database for which it was said.
    system_identifier bigint NOT NULL,
    database_oid      oid NOT NULL,
    CHECK ((lost_from IS NULL) = (open_until IS NULL)),
    CHECK ((epoch = 0) = (lost_from IS NULL))
);
INSERT INTO restore (epoch, said_at, go_at, system_identifier, database_oid)
SELECT 0, now(), now(), c.system_identifier, d.oid
  FROM pg_control_system() c, pg_database d WHERE d.datname = current_database();

-- What each connection has to know: epoch, lost_from, open_until, does the rest wait, and is
-- this another cluster or database than the one for which it was said?
CREATE FUNCTION restore_now() RETURNS text LANGUAGE sql STABLE AS $$
SELECT concat_ws(' ', r.epoch, coalesce(microseconds(r.lost_from), 0),
                 coalesce(microseconds(r.open_until), 0), (r.go_at IS NULL)::int,
                 (NOT EXISTS (SELECT FROM pg_control_system() c, pg_database d
                               WHERE d.datname = current_database()
                                 AND d.oid = r.database_oid
                                 AND c.system_identifier = r.system_identifier))::int)
  FROM restore r ORDER BY r.n DESC LIMIT 1
$$;
GRANT SELECT ON restore TO sayso_web, sayso_wait, sayso_tick, sayso_deliver;
