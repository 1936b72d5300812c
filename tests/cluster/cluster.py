"""Two databases, one of them the other's synchronous standby, and two pools
of Sayso with nginx, each on a machine of its own."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import psycopg

import kit
from net import Net
from server import TOP, place

BUILD = pathlib.Path(os.environ["SAYSO_BUILD"])
PGBIN = pathlib.Path("/usr/lib/postgresql/15/bin")
POOLS = ("web1", "web2")
PORT = 8080  # on the loopback address of each pool's machine
TIMEOUT = 2  # database_timeout, the default

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
CONF = """
database = {hosts} dbname=sayso user=sayso_web
database_owner = {hosts} dbname=sayso user=sayso_owner
database_wait = {hosts} dbname=sayso user=sayso_wait
database_tick = {hosts} dbname=sayso user=sayso_tick
database_deliver = {hosts} dbname=sayso user=sayso_deliver
database_seal = {hosts} dbname=sayso user=sayso_seal
database_erase = {hosts} dbname=sayso user=sayso_erase
database_timeout = {timeout}
require_standby = yes
socket = {var}/web.sock
wait_socket = {var}/wait.sock
templates = {app}/templates
migrations = {app}/sql
public_url = http://127.0.0.1:{port}
workers = 4
password_cost = min
"""


def own(path, mode=0o755):
    path.mkdir(mode=mode, exist_ok=True)
    shutil.chown(path, "postgres", "postgres")
    return path


def environment(**more):
    """Without what says how the servers of other suites are to be."""
    return {k: v for k, v in os.environ.items()
            if not k.startswith(("SAYSO_", "PG"))} | more


class Cluster:
    def __init__(self):
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="sayso-cl-",
                                                   dir="/tmp"))
        self.state.chmod(0o755)
        var = place()  # ./check looks there for the logs
        var.mkdir(parents=True, exist_ok=True)
        (var / "sayso.env").unlink(missing_ok=True)
        (var / "sayso.env").symlink_to(self.state / "sayso.env")
        self.log = own(self.state / "log")
        self.net = Net({"a": 1, "b": 2, "web1": 11, "web2": 12},
                       litter=[self.state / "a", self.state / "b"])
        self.primary, self.standby = "a", "b"
        self.postgres, self.others = {}, {}
        self.keys = {}

    # --- PostgreSQL -------------------------------------------------------

    def data(self, host):
        return self.state / host / "data"

    def tool(self, host, name, *args):
        done = self.net.run(host, [PGBIN / name, *args], cwd="/",
                            env=environment(LC_ALL="C.UTF-8"))
        assert done.returncode == 0, (name, done.stdout, done.stderr)
        return done.stdout

    def configure(self, host):
        """How this one is set, whatever its data was copied from."""
        data = self.data(host)
        (data / "cluster.conf").write_text(
            POSTGRES.format(run=self.state / host))
        (data / "postgresql.auto.conf").write_text("")
        (data / "pg_hba.conf").write_text(
            "local all all trust\nhost all all 192.0.2.0/24 trust\n"
            "host replication all 192.0.2.0/24 trust\n")

    def start_postgres(self, host):
        self.postgres[host] = self.net.popen(
            host, [PGBIN / "postgres", "-D", self.data(host)],
            self.log / f"postgres-{host}.log", dies_by="QUIT", cwd="/",
            env=environment(LC_ALL="C.UTF-8"))
        kit.wait_for(lambda: subprocess.run(
            [PGBIN / "pg_isready", "-q", "-h", self.state / host],
            env=environment()).returncode == 0, 60)

    def make_primary(self):
        host = self.primary
        own(self.state / host)
        self.tool(host, "initdb", "-D", self.data(host), "-U", "postgres",
                  "-E", "UTF8", "--locale=C.UTF-8", "--auth=trust",
                  "--no-instructions", "-N")
        with (self.data(host) / "postgresql.conf").open("a") as f:
            f.write("include_if_exists = 'cluster.conf'\n")
        self.configure(host)
        self.start_postgres(host)

    def add_standby(self):
        """A new one; from here on nothing is committed without it."""
        host, of = self.standby, self.net.address(self.primary)
        shutil.rmtree(self.state / host, ignore_errors=True)
        own(self.state / host)
        self.tool(host, "pg_basebackup", "-h", of, "-U", "postgres", "-D",
                  self.data(host), "-X", "stream", "-c", "fast", "-N")
        self.configure(host)
        (self.data(host) / "postgresql.auto.conf").write_text(
            f"primary_conninfo = 'host={of} user=postgres "
            f"application_name={host}'\n")
        (self.data(host) / "standby.signal").touch()
        self.start_postgres(host)
        with self.database() as db:
            db.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
            db.execute("SELECT pg_reload_conf()")
            kit.wait_for(lambda: db.execute(
                "SELECT FROM pg_stat_replication WHERE state = 'streaming' "
                "AND sync_state = 'sync'").rowcount == 1, 60)

    def database(self, host=None, user="postgres"):
        return psycopg.connect(host=str(self.state / (host or self.primary)),
                               dbname="sayso", user=user, autocommit=True)

    def promote(self):
        """The standby becomes the primary. When that was begun."""
        begun = time.monotonic()
        self.tool(self.standby, "pg_ctl", "promote", "-D",
                  self.data(self.standby), "-w")
        self.primary, self.standby = self.standby, self.primary
        return begun

    def kill(self, host):
        """The database of a machine, at once and without a word."""
        postmaster = self.postgres.pop(host)
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
        self.postgres.pop(host).wait(20)

    # --- The pools --------------------------------------------------------

    def make_pool(self, pool):
        var, app = own(self.state / pool), self.state / "app"
        hosts = ",".join(self.net.address(h) for h in ("a", "b"))
        (var / "sayso.conf").write_text(CONF.format(
            hosts=f"host={hosts}", var=var, app=app, port=PORT,
            timeout=TIMEOUT))
        own(var / "nginx")
        own(var / "log")
        number = subprocess.run(
            [TOP / "packaging/site-version", TOP / "nginx"], check=True,
            text=True, capture_output=True).stdout.strip()
        words = {"NGINX": var / "nginx", "SITE": number, "VAR": var,
                 "FILES": 2000, "CONNECTIONS": 1900, "ROOT": app,
                 "LISTEN": f"127.0.0.1:{PORT}",
                 "MONITOR": "127.0.0.1:9080", "SOCKET": var / "web.sock",
                 "WAIT_SOCKET": var / "wait.sock"}
        for name in ("nginx", "site", "http", "server", "fastcgi", "monitor"):
            text = (TOP / f"nginx/{name}.conf.in").read_text()
            text = re.sub("@([A-Z_]+)@", lambda m: str(words[m[1]]), text)
            (var / f"nginx/{name}.conf").write_text(text)

    def sayso(self, *args, pool="web1"):
        """A command of the program, on a pool's machine."""
        return self.net.run(
            pool, [self.state / "app/sayso", *args], cwd="/",
            env=environment(SAYSO_CONF=self.state / pool / "sayso.conf"))

    def reload_pool(self, pool):
        """New workers, which know nothing yet."""
        self.others[pool, "sayso"].send_signal(signal.SIGHUP)

    def restart_pool(self, pool):
        for name in ("nginx", "sayso"):
            one = self.others.pop((pool, name))
            one.send_signal(signal.SIGTERM)
            one.wait(20)
        self.start_pool(pool)
        kit.wait_for(lambda: self.get(pool, "/readyz")[0] == 200, 60)

    def start_pool(self, pool):
        conf = self.state / pool / "sayso.conf"
        self.others[pool, "sayso"] = self.net.popen(
            pool, [self.state / "app/sayso", "serve"],
            self.log / f"sayso-{pool}.log", dies_by="TERM", cwd="/",
            env=environment(SAYSO_CONF=conf))
        self.others[pool, "nginx"] = self.net.popen(
            pool, ["nginx", "-e", self.log / f"nginx-{pool}.log", "-c",
                   self.state / pool / "nginx/nginx.conf"],
            self.log / f"nginx-{pool}.log", dies_by="QUIT", cwd="/",
            env=environment())

    def get(self, pool, path):
        """The status and the body of a request by curl on a pool's machine."""
        done = self.net.run(pool, [
            "curl", "-s", "-m", "10", "-w", "\\n%{http_code}",
            f"http://127.0.0.1:{PORT}{path}"], env=environment())
        body, _, status = done.stdout.rpartition("\n")
        return int(status or 0), body

    def start(self):
        app = self.state / "app"
        app.mkdir()
        shutil.copy(BUILD / "sayso", app)
        for name in ("templates", "static", "sql"):
            shutil.copytree(TOP / name, app / name)
        shutil.copy(TOP / "docs/openapi.yaml", app)
        subprocess.run(["chmod", "-R", "a+rX", app], check=True)
        self.make_primary()
        self.tool("a", "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h",
                  self.state / "a", "-U", "postgres", "-f",
                  app / "sql/roles.sql")
        for pool in POOLS:
            self.make_pool(pool)
        done = self.sayso("migrate")
        assert done.returncode == 0, done.stdout + done.stderr
        for role, more in (("agent", ["--agent", "*"]), ("operator", [])):
            done = self.sayso("key", "create", "--role", role, "--label",
                              "cluster", *more)
            assert done.returncode == 0, done.stderr
            self.keys[role] = done.stdout.strip()
        self.add_standby()
        for pool in POOLS:
            self.start_pool(pool)
        for pool in POOLS:
            kit.wait_for(lambda p=pool: self.get(p, "/readyz")[0] == 200, 60)

    def complaints(self):
        return [line for pool in POOLS
                for line in (self.log / f"sayso-{pool}.log").read_text(
                    errors="replace").splitlines()
                if re.search("Sanitizer|runtime error|internal code|"
                             r"supervisor: sayso: \w+, \d+, (ended|is killed)",
                             line)]

    def close(self):
        try:
            for (_, name), one in self.others.items():
                one.send_signal(signal.SIGQUIT if name == "nginx"
                                else signal.SIGTERM)
            for one in self.others.values():
                one.wait(20)
            for one in self.postgres.values():
                one.send_signal(signal.SIGQUIT)
                one.wait(20)
        finally:
            self.net.close()
            if "SAYSO_VAR" not in os.environ:
                shutil.rmtree(self.state, ignore_errors=True)
