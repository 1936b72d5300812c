-- A superuser may write everywhere, and writes nothing for streams: a forgotten psql of the
-- administrator, or a REINDEX by night, is as much a stranger in our database as in another.
-- Of a server whose roles are superusers, which doctor calls WRONG, the processes are known by
-- the names that they give themselves. Only a superuser may write to the catalog of roles.
CREATE FUNCTION stream_writer(id oid, application text) RETURNS boolean LANGUAGE sql STABLE
    RETURN stream_writer(id)
           AND (coalesce(starts_with(application, 'sayso '), false)
                OR NOT has_table_privilege(id, 'pg_catalog.pg_authid', 'TRUNCATE'));

CREATE OR REPLACE FUNCTION stream_horizon(seen pg_snapshot) RETURNS xid8 LANGUAGE plpgsql STABLE AS $$
DECLARE
    here oid;
    strangers xid[];
BEGIN
    IF pg_snapshot_xmin(seen) = pg_snapshot_xmax(seen) THEN
        RETURN pg_snapshot_xmax(seen);
    END IF;
    here := (SELECT oid FROM pg_database WHERE datname = current_database());
    strangers := ARRAY(
        SELECT a.backend_xid FROM pg_stat_get_activity(NULL) a
         WHERE a.backend_xid IS NOT NULL
           AND (a.datid IS DISTINCT FROM here
                OR NOT stream_writer(a.usesysid, a.application_name))
         UNION ALL
        SELECT p.transaction FROM pg_prepared_xact() p
         WHERE p.dbid <> here OR NOT stream_writer(p.ownerid, NULL));
    RETURN coalesce((SELECT r FROM pg_snapshot_xip(seen) r
                      WHERE r::xid <> ALL (strangers) ORDER BY r LIMIT 1),
                    pg_snapshot_xmax(seen));
END
$$;
