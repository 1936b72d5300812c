"""Databases whose manager is the test: one of them is the other's synchronous
standby. A third one is there for who wants two standbys."""
import os
import shutil
import signal
import time

import kit
from pools import POOLS, Pools, own

POSTGRES = """
listen_addresses = '*'
unix_socket_directories = '{run}'
max_connections = 100
shared_buffers = 32MB
wal_keep_size = 512MB
wal_sender_timeout = 5s
log_error_verbosity = terse
log_line_prefix = '%m [%p] %u '
"""


class Cluster(Pools):
    databases = ("a", "b", "c")

    def __init__(self):
        super().__init__()
        self.primary, self.standby = "a", "b"

    def configure(self, host):
        """How this one is set, whatever its data was copied from."""
        data = self.data(host)
        (data / "cluster.conf").write_text(
            POSTGRES.format(run=self.state / host))
        (data / "postgresql.auto.conf").write_text("")
        (data / "pg_hba.conf").write_text(
            "local all all trust\nhost all all 192.0.2.0/24 trust\n"
            "host replication all 192.0.2.0/24 trust\n")

    def make_databases(self):
        host = self.primary
        for one in self.databases:
            own(self.state / one)
        own(self.data(host), 0o700)
        self.tool(host, "initdb", "-D", self.data(host), "-U", "postgres",
                  "-E", "UTF8", "--locale=C.UTF-8", "--auth=trust",
                  "--no-instructions", "-N")
        with (self.data(host) / "postgresql.conf").open("a") as f:
            f.write("include_if_exists = 'cluster.conf'\n")
        self.configure(host)
        self.start_postgres(host)

    def runs(self, host):
        return (host, "postgres") in self.processes

    def add_standbys(self):
        self.add_standby(self.standby)
        self.wait_for_standbys("*", 1)

    def add_standby(self, host):
        """A new copy of the primary."""
        of = self.net.address(self.primary)
        shutil.rmtree(self.data(host), ignore_errors=True)
        own(self.data(host), 0o700)
        self.tool(host, "pg_basebackup", "-h", of, "-U", "postgres", "-D",
                  self.data(host), "-X", "stream", "-c", "fast", "-N")
        self.configure(host)
        (self.data(host) / "postgresql.auto.conf").write_text(
            f"primary_conninfo = 'host={of} user=postgres "
            f"application_name={host}'\n")
        (self.data(host) / "standby.signal").touch()
        self.start_postgres(host)

    def make_whole(self):
        """A synchronous standby runs."""
        with self.database() as db:
            found = db.execute(
                "SELECT FROM pg_stat_replication WHERE state = 'streaming' "
                "AND sync_state IN ('sync', 'quorum')").rowcount
        if not found:
            self.add_standbys()
        for pool in POOLS:
            self.wait_ready(pool)

    def wait_for_standbys(self, names, n):
        """From here on nothing is committed without those that are named."""
        with self.database(name="postgres") as db:
            db.execute("ALTER SYSTEM SET synchronous_standby_names = "
                       f"'{names}'")
            db.execute("SELECT pg_reload_conf()")
            kit.wait_for(lambda: db.execute(
                "SELECT FROM pg_stat_replication WHERE state = 'streaming' "
                "AND sync_state IN ('sync', 'quorum')").rowcount == n, 60)

    def promote(self):
        """The standby becomes the primary. When that was begun."""
        begun = time.monotonic()
        self.tool(self.standby, "pg_ctl", "promote", "-D",
                  self.data(self.standby), "-w")
        self.primary, self.standby = self.standby, self.primary
        return begun

    def kill(self, host):
        """The database of a machine, at once and without a word."""
        postmaster = self.processes.pop((host, "postgres"))
        for pid in [postmaster.pid] + kit.children(postmaster.pid):
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        postmaster.wait(20)

    def stop(self, host):
        """In order: what was committed is sent to the standby before."""
        self.tool(host, "pg_ctl", "stop", "-D", self.data(host), "-m",
                  "fast", "-w")
        self.processes.pop((host, "postgres")).wait(20)
