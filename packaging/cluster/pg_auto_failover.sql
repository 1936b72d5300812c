-- The monitor of pg_auto_failover (docs/operations/cluster.md): psql -f, on the
-- monitor, in its database pg_auto_failover. Times are in milliseconds.

-- A machine is dead when it has not reported for so long, and does not answer.
ALTER SYSTEM SET pgautofailover.node_considered_unhealthy_timeout = 10000;
ALTER SYSTEM SET pgautofailover.health_check_period = 2000;
ALTER SYSTEM SET pgautofailover.health_check_timeout = 2000;
ALTER SYSTEM SET pgautofailover.health_check_retry_delay = 1000;
-- A primary that is cut off stops itself after timeout.network_partition_timeout
-- of its own settings, 20 s. The other one waits for longer.
ALTER SYSTEM SET pgautofailover.primary_demote_timeout = 25000;
SELECT pg_reload_conf();

-- The passwords, as in .pgpass of the machines.
ALTER ROLE autoctl_node PASSWORD 'replace-1';
