"""Databases whose manager is Patroni or pg_auto_failover, with the files that ship."""
import re
import shlex
import shutil
import time

import psycopg

import kit
from pools import (MACHINES, PGBIN, SHIPPED, Pools, addressed, environment, own,
                   shipped)
from server import TOP


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
                return db.execute("SHOW transaction_read_only"
                                  ).fetchone()[0] == "off"
        except psycopg.OperationalError:
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
            self.net.sockets[host] = own(self.state / host)
            own(self.data(host), 0o700)
            text = shipped("patroni.yml", host)
            for old, new in (
                    ("/var/lib/postgresql/15/sayso", self.data(host) / "data"),
                    ("/var/lib/postgresql/", f"{self.state / host}/"),
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
        names = names or ("etcd", "patroni")
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
        self.wait_whole()

    def wait_whole(self):
        kit.wait_for(lambda: self.followers() == (2, 1), 240)

    def start_old(self, host):
        """Its database alone, as it was: nobody has stopped it."""
        self.run(host, "postgres", [PGBIN / "postgres", "-D",
                                    self.data(host) / "data"], "QUIT")
        kit.wait_for(lambda: self.leads(host), 60)


PAGE = (TOP / "docs/operations/cluster.md").read_text()


class AutoFailover(Managed):
    """The machine c has the monitor."""
    tag = "auto"

    def make_databases(self):
        self.databases = ("a", "b")
        passwords = re.search(r"(?m)^\*:5432:.*\n.*\n", PAGE)[0]
        for host in "a", "b", "c":
            home = own(self.state / host)
            own(home / "run", 0o700)
            own(self.data(host), 0o700)
            self.net.sockets[host] = home
            (home / ".pgpass").write_text(passwords)
            (home / ".pgpass").chmod(0o600)
            shutil.chown(home / ".pgpass", "postgres", "postgres")
        self.create("c", "monitor")
        kit.wait_for(lambda: self.answers("c"), 60)
        self.psql("c", "-d", "pg_auto_failover", "-f",
                  SHIPPED / "pg_auto_failover.sql")
        self.create("a", "postgres")
        kit.wait_for(lambda: self.leads("a"), 60)
        line = re.search(r"(?m)^echo '(host sayso .*)'", PAGE)[1]
        with (self.data("a") / "sayso/pg_hba.conf").open("a") as f:
            f.write(addressed(line) + "\n")
        for command in re.findall(r'(?m)^sudo -u postgres psql -c "(.*)"$',
                                  PAGE):
            self.psql("a", "-c", command)

    def psql(self, host, *words):
        done = self.net.run(host, ["psql", "-X", "-v", "ON_ERROR_STOP=1",
                                   *words], cwd="/", env=self.home(host))
        assert done.returncode == 0, done.stderr

    def home(self, host):
        at = self.state / host
        return environment(HOME=str(at), XDG_CONFIG_HOME=str(at / "config"),
                           XDG_DATA_HOME=str(at / "share"),
                           XDG_RUNTIME_DIR=str(at / "run"),
                           LC_ALL="C.UTF-8")

    def create(self, host, kind):
        """By the command of the page, and what systemd does after it."""
        command = re.search(rf"(?ms)^sudo -u postgres (pg_autoctl create {kind}"
                            r" .*?[^\\])$", PAGE)[1]
        words = [addressed(self.own_words(host, word)) for word in
                 shlex.split(command.replace("\\\n", " "))]
        done = self.net.run(host, words, cwd="/", env=self.home(host))
        assert done.returncode == 0, done.stderr
        self.keep(host, words[words.index("--pgdata") + 1])

    def own_words(self, host, word):
        """Of the page's first machine, as those of this one."""
        if word == "10.0.0.1":
            return f"10.0.0.{MACHINES[host]}"
        for old, new in (("db-a", f"db-{host}"),
                         ("monitor.example.org", "10.0.0.3"),
                         ("/var/lib/postgresql", str(self.data(host)))):
            word = word.replace(old, new)
        return word

    def keep(self, host, data):
        self.run(host, "autoctl", ["pg_autoctl", "run", "--pgdata", data],
                 env=self.home(host))

    def add_standbys(self):
        self.create("b", "postgres")
        self.wait_whole()

    def wait_whole(self):
        """Until the monitor would fail over to a standby."""
        with self.database("c", name="pg_auto_failover") as db:
            kit.wait_for(lambda: db.execute(
                "SELECT FROM pgautofailover.node WHERE reportedstate::text IN "
                "('primary', 'secondary') AND reportedstate = goalstate"
                ).rowcount == 2, 120)

    def start_machine(self, host):
        # A machine that starts has nothing in /run.
        shutil.rmtree(self.state / host / "run/pg_autoctl",
                      ignore_errors=True)
        self.keep(host, self.data(host) / "sayso")

    def start_old(self, host):
        self.run(host, "postgres", [PGBIN / "postgres", "-D",
                                    self.data(host) / "sayso"], "QUIT")
        kit.wait_for(lambda: self.leads(host), 60)
