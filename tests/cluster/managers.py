"""Databases whose manager is Patroni or pg_auto_failover, with the files that ship."""
import re
import time

import kit
from pools import PGBIN, Pools, environment, own, shipped


class Managed(Pools):
    databases = ("a", "b", "c")
    sign_in = "password=cluster"

    def __init__(self):
        super().__init__()
        self.primary = "a"

    def leads(self, host):
        """Does its database take writes?"""
        try:
            with self.database(host, name="postgres") as db:
                return not db.execute("SELECT pg_is_in_recovery()"
                                      ).fetchone()[0]
        except Exception:
            return False

    def wait_for_another(self):
        """Until another machine has the primary. When that was seen."""
        others = [h for h in self.databases if h != self.primary]
        self.primary = kit.wait_for(
            lambda: next(filter(self.leads, others), None), 120)
        return time.monotonic()

    def followers(self):
        """The number of standbys, and of those that a commit waits for."""
        with self.database(name="postgres") as db:
            states = [x for x, in db.execute(
                "SELECT sync_state FROM pg_stat_replication WHERE state = "
                "'streaming' AND application_name <> 'pg_basebackup'")]
        return len(states), sum(x in ("sync", "quorum") for x in states)


class Patroni(Managed):
    tag = "patroni"

    def make_databases(self):
        for host in self.databases:
            own(self.state / host)
            own(self.data(host), 0o700)
            text = shipped("patroni.yml", host)
            for old, new in (
                    ("/var/lib/postgresql/15/sayso", self.data(host) / "data"),
                    ("/var/lib/postgresql/", f"{self.state / host}/"),
                    ("/var/run/postgresql", self.state / host),
                    # The test looks into the database as root.
                    ("local all postgres peer", "local all all trust")):
                assert old in text, old
                text = text.replace(old, str(new))
            (self.state / host / "patroni.yml").write_text(text)
        for host in self.databases:
            self.start_machine(host, "etcd")
        self.start_machine("a", "patroni")
        kit.wait_for(lambda: self.leads("a"), 60)

    def start_machine(self, host, *names):
        if "etcd" in names:
            words = dict(re.findall(r'(?m)^(\w+)="(.*)"$',
                                    shipped("etcd", host)))
            words["ETCD_DATA_DIR"] = str(self.data(host) / "etcd")
            self.run(host, "etcd", ["etcd"], env=environment(**words))
        if "patroni" in names:
            self.run(host, "patroni",
                     ["patroni", self.state / host / "patroni.yml"])

    def add_standbys(self):
        for host in "b", "c":
            self.start_machine(host, "patroni")
        kit.wait_for(lambda: self.followers() == (2, 1), 90)

    def start_old(self, host):
        """Its database alone, as it was: nobody has stopped it."""
        self.run(host, "postgres", [PGBIN / "postgres", "-D",
                                    self.data(host) / "data"], "QUIT")
        kit.wait_for(lambda: self.leads(host), 60)
