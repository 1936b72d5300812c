-- Streams and the feed read in the order of the transactions that wrote, and only what is
-- below the oldest one that may still write for them. A snapshot names the transactions that
-- run in the whole cluster; those of other databases, and of users who may not write here,
-- are strangers, whatever they do and however long.
--
-- PostgreSQL shows everybody which session, and which prepared transaction, has which id.
-- A session that has one keeps it to its end, so that an id belongs to one user and one
-- database. One that is not found has ended since the snapshot was taken, and may have
-- written: it counts until the next look.
CREATE FUNCTION stream_writer(id oid) RETURNS boolean LANGUAGE sql STABLE
    RETURN coalesce(has_table_privilege(id, 'event', 'INSERT')
                    OR has_table_privilege(id, 'decision', 'INSERT')
                    OR pg_has_role(id, 'sayso_owner', 'MEMBER')
                    OR pg_has_role(id, 'sayso_web', 'MEMBER')
                    OR pg_has_role(id, 'sayso_tick', 'MEMBER'), false);

-- The snapshot is an argument, so that it is the caller's.
CREATE FUNCTION stream_horizon(seen pg_snapshot) RETURNS xid8 LANGUAGE plpgsql STABLE AS $$
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
           AND (a.datid IS DISTINCT FROM here OR NOT stream_writer(a.usesysid))
         UNION ALL
        SELECT p.transaction FROM pg_prepared_xact() p
         WHERE p.dbid <> here OR NOT stream_writer(p.ownerid));
    RETURN coalesce((SELECT r FROM pg_snapshot_xip(seen) r
                      WHERE r::xid <> ALL (strangers) ORDER BY r LIMIT 1),
                    pg_snapshot_xmax(seen));
END
$$;

-- The clock measures how far streams are behind.
GRANT SELECT (xid, created_at) ON event TO sayso_tick;
