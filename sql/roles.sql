-- The roles and the database, for psql as a superuser, once before
-- `sayso migrate`; running it again changes nothing.
--
-- sayso_owner owns the tables and alone may change them. Each kind of process
-- is a role of its own: what it may touch is granted in the migrations.

DO $$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_owner') THEN
        CREATE ROLE sayso_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_web') THEN
        CREATE ROLE sayso_web LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_wait') THEN
        CREATE ROLE sayso_wait LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_tick') THEN
        CREATE ROLE sayso_tick LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_deliver') THEN
        CREATE ROLE sayso_deliver LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_seal') THEN
        CREATE ROLE sayso_seal LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'sayso_erase') THEN
        CREATE ROLE sayso_erase LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE;
    END IF;
END
$$;

-- Texts are compared by their bytes; C.UTF-8 has the same order and is slower.
SELECT 'CREATE DATABASE sayso OWNER sayso_owner TEMPLATE template0 '
       'ENCODING ''UTF8'' LC_COLLATE ''C'' LC_CTYPE ''C.UTF-8'''
 WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'sayso')
\gexec

-- The clock measures the standbys, because it handles no untrusted input. With this right
-- it also sees the statistics of other sessions and the texts of their statements, which
-- have no values where they come from Sayso.
GRANT pg_read_all_stats TO sayso_tick;

REVOKE ALL ON DATABASE sayso FROM PUBLIC;
GRANT CONNECT ON DATABASE sayso
    TO sayso_web, sayso_wait, sayso_tick, sayso_deliver, sayso_seal, sayso_erase;
