"""Two pools of Sayso with nginx, each on a machine of its own, and a load balancer
on another. The databases are those of a subclass."""
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile

import psycopg

import kit
from net import Net
from server import TOP, place

BUILD = pathlib.Path(os.environ["SAYSO_BUILD"])
PGBIN = pathlib.Path("/usr/lib/postgresql/15/bin")
SHIPPED = TOP / "packaging/cluster"  # its addresses are 10.0.0.N
MACHINES = {"a": 1, "b": 2, "c": 3, "balancer": 10, "web1": 11, "web2": 12}
POOLS = ("web1", "web2")
PORT = 8080  # of each pool, and of the load balancer on its machine
RAM, ROOM = "/dev/shm", 4 << 30  # for the databases, where it has the room
TIMEOUT = 2  # database_timeout, the default
ENDS_BY = {"nginx": signal.SIGQUIT, "sayso": signal.SIGTERM}

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
limit_rate = 100000
limit_held = 10000
limit_open = 20000
"""
# Around the shipped balancer.conf, which is for the block http of Debian's nginx.
BALANCER = """
daemon off; worker_processes 1; worker_rlimit_nofile 20000;
error_log {at}/error.log; pid {at}/pid;
events {{ worker_connections 9000; }}
http {{
access_log off;
client_body_temp_path {at}/body; proxy_temp_path {at}/proxy;
fastcgi_temp_path {at}/fastcgi; scgi_temp_path {at}/scgi;
uwsgi_temp_path {at}/uwsgi;
"""


def own(path, mode=0o755):
    path.mkdir(mode=mode, exist_ok=True)
    shutil.chown(path, "postgres", "postgres")
    return path


def environment(**more):
    """Without what says how the servers of other suites are to be."""
    return {k: v for k, v in os.environ.items()
            if not k.startswith(("SAYSO_", "PG"))} | more


class Pools:
    """A subclass has make_databases(), add_standbys(), and primary, the name of a
    machine. databases: the machines that may be it; sign_in: more words of the
    connection strings; tag: another one for each class."""

    databases, sign_in, tag = (), "", ""

    def __init__(self):
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="sayso-cl-",
                                                   dir="/tmp"))
        self.state.chmod(0o755)
        self.disk = pathlib.Path(tempfile.mkdtemp(prefix="sayso-cl-", dir=(
            RAM if shutil.disk_usage(RAM).free > ROOM else "/tmp")))
        self.disk.chmod(0o755)
        var = place(self.tag)  # ./check looks there for the logs
        var.mkdir(parents=True, exist_ok=True)
        (var / "sayso.env").unlink(missing_ok=True)
        (var / "sayso.env").symlink_to(self.state / "sayso.env")
        self.log = own(self.state / "log")
        self.net = Net(MACHINES, self.tag,
                       [self.disk])
        self.processes = {}  # (machine, name) -> process
        self.keys = {}

    # --- Processes --------------------------------------------------------

    def run(self, host, name, args, dies_by="TERM", env=None):
        self.processes[host, name] = self.net.popen(
            host, args, self.log / f"{name}-{host}.log", dies_by=dies_by,
            cwd="/", env=env or environment(LC_ALL="C.UTF-8"))

    def end(self, host, name, sig):
        one = self.processes.pop((host, name))
        one.send_signal(sig)
        one.wait(30)

    def kill_machine(self, host):
        """All processes of a machine, at once and without a word: those that
        watch over others first."""
        for at, one in self.processes.items():
            if at[0] == host:
                one.kill()
        while pids := self.net.pids(host):
            for pid in pids:
                try:
                    os.kill(pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
        # One that nobody has waited for still has its number: a manager would
        # take it for the running server.
        for at in [at for at in self.processes if at[0] == host]:
            self.processes.pop(at).wait(20)

    # --- PostgreSQL -------------------------------------------------------

    def data(self, host):
        return self.disk / host

    def tool(self, host, name, *args):
        done = self.net.run(host, [PGBIN / name, *args], cwd="/",
                            env=environment(LC_ALL="C.UTF-8"))
        assert done.returncode == 0, (name, done.stdout, done.stderr)
        return done.stdout

    def start_postgres(self, host):
        self.run(host, "postgres", [PGBIN / "postgres", "-D",
                                    self.data(host)], "QUIT")
        kit.wait_for(lambda: self.answers(host), 60)

    def answers(self, host):
        return subprocess.run(
            [PGBIN / "pg_isready", "-q", "-h", self.state / host],
            env=environment()).returncode == 0

    def database(self, host=None, user="postgres", name="sayso"):
        return psycopg.connect(host=str(self.state / (host or self.primary)),
                               dbname=name, user=user, autocommit=True)

    def make_tables(self):
        self.tool(self.primary, "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1",
                  "-h", self.state / self.primary, "-U", "postgres", "-f",
                  self.state / "app/sql/roles.sql")
        if self.sign_in:
            with self.database() as db:
                for name, in db.execute("SELECT rolname FROM pg_roles WHERE "
                                        "rolname LIKE 'sayso_%'").fetchall():
                    db.execute(f"ALTER ROLE {name} PASSWORD 'cluster'")
        self.sure("migrate")
        for role, more in (("agent", ["--agent", "*"]), ("operator", [])):
            self.keys[role] = self.sure("key", "create", "--role", role,
                                        "--label", "cluster", *more).strip()

    def sure(self, *args):
        """The output of a command, in the end: on a busy machine a database may
        take longer to accept a connection than each host is given."""
        def done():
            tried.append(self.sayso(*args))
            return tried[-1].returncode == 0 or \
                "database.unavailable" not in tried[-1].stderr
        tried = []
        kit.wait_for(done, 30)
        assert tried[-1].returncode == 0, tried[-1].stdout + tried[-1].stderr
        return tried[-1].stdout

    # --- The pools --------------------------------------------------------

    def make_pool(self, pool):
        var, app = own(self.state / pool), self.state / "app"
        hosts = ",".join(map(self.net.address, self.databases))
        (var / "sayso.conf").write_text(CONF.format(
            hosts=f"host={hosts} {self.sign_in}", var=var, app=app,
            port=PORT, timeout=TIMEOUT))
        own(var / "nginx")
        own(var / "log")
        number = subprocess.run(
            [TOP / "packaging/site-version", TOP / "nginx"], check=True,
            text=True, capture_output=True).stdout.strip()
        words = {"NGINX": var / "nginx", "SITE": number, "VAR": var,
                 "FILES": 20000, "CONNECTIONS": 9000, "ROOT": app,
                 "LISTEN": PORT, "MONITOR": "127.0.0.1:9080",
                 "SOCKET": var / "web.sock",
                 "WAIT_SOCKET": var / "wait.sock"}
        for name in ("nginx", "site", "http", "server", "fastcgi", "monitor"):
            text = (TOP / f"nginx/{name}.conf.in").read_text()
            text = re.sub("@([A-Z_]+)@", lambda m: str(words[m[1]]), text)
            if name == "site":  # and who believes the load balancer
                page = (TOP / "docs/operations/cluster.md").read_text()
                believed = re.search(r"(?m)^    set_real_ip_from .*\n.*\n", page)
                text = text.replace(f"listen {PORT};\n", f"listen {PORT};\n" +
                                    addressed(believed[0]))
            (var / f"nginx/{name}.conf").write_text(text)

    def sayso(self, *args, pool="web1", before=()):
        """A command of the program, on a pool's machine."""
        return self.net.run(
            pool, [*before, self.state / "app/sayso", *args], cwd="/",
            env=environment(SAYSO_CONF=self.state / pool / "sayso.conf"))

    def start_pool(self, pool, before=()):
        self.start_sayso(pool, before)
        self.start_nginx(pool, self.state / pool / "nginx/nginx.conf")

    def start_sayso(self, pool, before=()):
        """before: a program that starts it, with its arguments."""
        self.run(pool, "sayso", [*before, self.state / "app/sayso", "serve"],
                 env=environment(SAYSO_CONF=self.state / pool / "sayso.conf"))

    def start_nginx(self, host, conf):
        self.run(host, "nginx", ["nginx", "-e", self.log / f"nginx-{host}.log",
                                 "-c", conf], "QUIT")

    def patience(self, seconds):
        """Another database_timeout for both pools."""
        for pool in POOLS:
            conf = self.state / pool / "sayso.conf"
            conf.write_text(re.sub(r"(?m)^database_timeout = .*",
                                   f"database_timeout = {seconds}",
                                   conf.read_text()))
            self.restart_pool(pool)

    def reload_pool(self, pool):
        """New workers, which know nothing yet."""
        self.processes[pool, "sayso"].send_signal(signal.SIGHUP)

    def restart_pool(self, pool):
        for name in ("nginx", "sayso"):
            self.end(pool, name, signal.SIGTERM)
        self.start_pool(pool)
        self.wait_ready(pool)

    def wait_ready(self, pool):
        kit.wait_for(lambda: self.get(pool, "/readyz")[0] == 200, 60)

    def start_balancer(self):
        """The shipped one, without TLS."""
        at = own(self.state / "balancer")
        text = shipped("balancer.conf", "balancer")
        text = re.sub(r"(?m)^ *ssl_.*\n", "", text)
        text = re.sub(r"listen 443 ssl.*;", f"listen 127.0.0.1:{PORT};", text)
        (at / "nginx.conf").write_text(BALANCER.format(at=at) + text + "}\n")
        self.net.sysctl("balancer", SHIPPED / "balancer.sysctl")
        self.start_nginx("balancer", at / "nginx.conf")

    def get(self, host, path):
        """The status and the body of a request by curl on a pool's machine."""
        done = self.net.run(host, [
            "curl", "-s", "-m", "10", "-w", "\\n%{http_code}",
            f"http://127.0.0.1:{PORT}{path}"], env=environment())
        body, _, status = done.stdout.rpartition("\n")
        return int(status or 0), body

    # --- All of it --------------------------------------------------------

    def start(self):
        app = self.state / "app"
        app.mkdir()
        shutil.copy(BUILD / "sayso", app)
        for name in ("templates", "static", "sql"):
            shutil.copytree(TOP / name, app / name)
        shutil.copy(TOP / "docs/openapi.yaml", app)
        subprocess.run(["chmod", "-R", "a+rX", app], check=True)
        self.make_databases()
        for pool in POOLS:
            self.make_pool(pool)
        self.add_standbys()
        self.make_tables()
        for pool in POOLS:
            self.start_pool(pool)
        self.start_balancer()
        for pool in POOLS:
            self.wait_ready(pool)

    def complaints(self):
        return [line for pool in POOLS
                for line in (self.log / f"sayso-{pool}.log").read_text(
                    errors="replace").splitlines()
                if re.search("Sanitizer|runtime error|internal code|"
                             r"supervisor: sayso: \w+, \d+, (ended|is killed)",
                             line)]

    def close(self):
        try:
            of_pools = {at: one for at, one in self.processes.items()
                        if at[1] in ENDS_BY}
            for (_, name), one in of_pools.items():
                one.send_signal(ENDS_BY[name])
            for one in of_pools.values():
                one.wait(20)
            for host in self.databases:
                self.kill_machine(host)
        finally:
            self.net.close()
            if "SAYSO_VAR" not in os.environ:
                shutil.rmtree(self.state, ignore_errors=True)


def shipped(name, host):
    """A file of packaging/cluster, which is for the first database machine, as a
    reader changes it for another machine."""
    out = []
    for line in (SHIPPED / name).read_text().splitlines(keepends=True):
        if line.count("10.0.0.") == 1 and host in MACHINES:
            # Its own address; a line with those of all machines stays.
            line = line.replace("10.0.0.1:", f"10.0.0.{MACHINES[host]}:")
        out.append(line.replace("db-a", f"db-{host}")
                   if line.count("10.0.0.") < 2 else line)
    return addressed("".join(out))


def addressed(text):
    """With the addresses of these machines."""
    return text.replace("10.0.0.", "192.0.2.")
