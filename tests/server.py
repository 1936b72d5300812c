"""One Sayso for a test run: real nginx, workers and PostgreSQL by ./start."""
import atexit
import datetime
import itertools
import mmap
import os
import pathlib
import re
import shutil
import socket
import struct
import subprocess
import tempfile
import time
import uuid

import httpx
import psycopg

TOP = pathlib.Path(__file__).resolve().parent.parent


# AddressSanitizer keeps less of the past: five callers for each piece of
# memory, and 16 MB that were freed. Its usual 30 and 256 MB cost a quarter of
# the processor time of the tests over HTTP.
SANITIZER = "malloc_context_size=5:quarantine_size_mb=16:"

turns = itertools.count()


def free_port():
    """A port on the loopback address that nobody uses just now. Where ./check
    says SAYSO_PORT it is one of the fifty from there on, which nobody else
    takes before it is listened at."""
    first = int(os.environ.get("SAYSO_PORT", 0))
    for _ in range(50):
        port = first + next(turns) % 50 if first else 0
        with socket.socket() as s:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                s.bind(("127.0.0.1", port))
            except OSError:
                continue
            return s.getsockname()[1]
    raise AssertionError(f"no port is free from {first} on")


def place(name=""):
    """A directory for a server: beside SAYSO_VAR, where ./check reads the logs,
    or a new one that the database's user can reach."""
    var = os.environ.get("SAYSO_VAR")
    if var:
        return pathlib.Path(f"{var}-{name}" if name else var)
    made = pathlib.Path(tempfile.mkdtemp(prefix="sayso-", dir="/tmp"))
    made.chmod(0o755)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def comm(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/comm").read_text().strip()
    except OSError:
        return None


def children(pid):
    """Also those that have ended and were not waited for yet."""
    out = []
    for task in pathlib.Path(f"/proc/{pid}/task").glob("*/children"):
        try:
            out += map(int, task.read_text().split())
        except OSError:
            continue  # the thread has ended
    return out


class Clock:
    """A clock that the test moves: Server(..., **clock.setting). The file has
    to be one that the server's user can read."""

    def __init__(self, path):
        path = pathlib.Path(path)
        path.write_bytes(bytes(16))
        path.chmod(0o644)
        with path.open("r+b") as f:
            self.shift = mmap.mmap(f.fileno(), 16)
        self.seconds = 0
        self.setting = {"SAYSO_TEST_CLOCK": str(path)}

    @classmethod
    def at(cls, where):
        """In a directory of its own, place(NAME)."""
        where.mkdir(exist_ok=True)
        where.chmod(0o755)
        return cls(where / "clock")

    def forward(self, **span):
        """Goes on by a timedelta: hours=24."""
        self.seconds += datetime.timedelta(**span).total_seconds()
        self.shift[:8] = struct.pack("=q", int(self.seconds * 1_000_000))

    def wrong(self, seconds):
        """The clock of the server's host alone is so far from the others."""
        self.shift[8:] = struct.pack("=q", int(seconds * 1_000_000))


class Database(psycopg.Connection):
    """A connection that its `with` gives back: to open one takes PostgreSQL
    longer than most of what a test wants to know."""

    def __exit__(self, kind, *what):
        idle = psycopg.pq.TransactionStatus.IDLE
        if kind or self.spare is None or self.info.transaction_status != idle:
            return super().__exit__(kind, *what)
        try:
            self.execute("DISCARD ALL")
            self.spare.append(self)
        except psycopg.OperationalError:
            self.close()  # it was ended meanwhile


class Server:
    """Starts Sayso in a directory of its own; SAYSO_BUILD names the build."""

    def __init__(self, var, **settings):
        self.var = pathlib.Path(var)
        self.port = free_port()
        self.environ = {
            **os.environ,
            "SAYSO_VAR": str(self.var),
            "SAYSO_PORT": str(self.port),
            "SAYSO_TEMPLATES_STRICT": "yes",
            "SAYSO_PASSWORD_COST": "min",
            # One key does the work of many: a test of the limits sets its own.
            "SAYSO_LIMIT_RATE": "100000",
            "ASAN_OPTIONS": SANITIZER + os.environ.get("ASAN_OPTIONS", ""),
            **settings,
        }
        self.calls = []  # "GET /path" of every request of its clients
        self.spare = []  # connections to its database that nobody uses

    def run(self, *args, **kwargs):
        return subprocess.run(
            [TOP / "start", *args], env=self.environ, cwd=TOP, text=True,
            capture_output=True, timeout=300, stdin=subprocess.DEVNULL,
            **kwargs)

    def start(self):
        done = self.run("--detach")
        assert done.returncode == 0, done.stdout + done.stderr
        # ./start keeps the state elsewhere where the database's user cannot
        # reach the directory, and leaves a link to it.
        self.state = (self.var / "sayso.env").resolve().parent
        self.env = {}
        for line in (self.state / "sayso.env").read_text().splitlines():
            if "=" in line:
                key, value = line.split("=", 1)
                self.env[key] = value.strip("'\"")
        self.url = self.env["SAYSO_URL"]
        return self

    @property
    def socket(self):
        """The FastCGI socket, which has to be there. Deep down in the file
        system ./start puts it elsewhere, so the configuration tells."""
        conf = (self.state / "sayso.conf").read_text()
        line = next(x for x in conf.splitlines() if x.startswith("socket ="))
        path = pathlib.Path(line.split("=", 1)[1].strip())
        assert path.is_socket(), path
        return path

    def stop(self):
        while self.spare:
            self.spare.pop().close()
        return self.run("--stop")

    def pid(self):
        """The process of ./start, and of a named child."""
        return int((self.state / "pid").read_text())

    def supervisor(self):
        serving = [p for p in children(self.pid())
                   if comm(p) == "sayso: serve"]
        return serving[0]

    def workers(self):
        return [p for p in children(self.supervisor())
                if comm(p) == "sayso: web"]

    def child(self, name, after=None):
        """The process that is "wait", "tick", "deliver" or "seal"; the one
        that the supervisor starts after another has ended."""
        end = time.monotonic() + 30
        while time.monotonic() < end:
            for pid in children(self.supervisor()):
                if comm(pid) == f"sayso: {name}" and pid != after:
                    return pid
            time.sleep(0.01)
        raise AssertionError(f"no process is sayso: {name}")

    def client(self, role=None, agent=None, **kwargs):
        """An HTTP client with the key of a role; None: without a key."""
        # Threads share a client, and one of them may end an idle connection
        # just when another takes it: none is kept.
        headers = {"Connection": "close"}
        if role:
            headers["X-API-Key"] = self.env[f"SAYSO_{role.upper()}_KEY"]
        if agent:
            headers["X-Agent-ID"] = agent
        headers.update(kwargs.pop("headers", {}))
        return httpx.Client(base_url=self.url, headers=headers,
                            follow_redirects=False,
                            event_hooks={"request": [self.note]},
                            **{"timeout": 20, "verify": False, **kwargs})

    def note(self, request):
        self.calls.append(f"{request.method} {request.url.path}")

    def sayso(self, *args, conf=None, **kwargs):
        """Runs a command of the program against this server's database."""
        conf = {"SAYSO_CONF": str(conf or self.state / "sayso.conf")}
        return subprocess.run(
            [self.state / "app" / "sayso", *args], text=True, timeout=300,
            capture_output=True, env={**self.environ, **conf}, **kwargs)

    def database(self, user="postgres"):
        """A connection to its database; by default the superuser's."""
        while user == "postgres" and self.spare:
            db = self.spare.pop()
            try:
                db.execute("SELECT")
                return db
            except psycopg.OperationalError:
                db.close()  # it was ended meanwhile
        conf = (self.state / "sayso.conf").read_text()
        host = re.search(r"^database = .*host=(\S+)", conf, re.M)[1]
        db = Database.connect(host=host, dbname="sayso", user=user,
                              autocommit=True, prepare_threshold=None)
        db.spare = self.spare if user == "postgres" else None
        return db

    def key(self, role, *options, label=None):
        """A new key; agents need --agent NAME among the options."""
        done = self.sayso("key", "create", "--role", role, "--label",
                          label or f"test {role}", *options)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    def resource(self, address, *options, label=None):
        """A new resource, and a client with its key. The client has its
        address, id, label and key."""
        done = self.sayso("resource", "add", "--identifier", address, "--name",
                          "A gateway", *options)
        assert done.returncode == 0, done.stderr
        label = label or f"gateway-{uuid.uuid4()}"
        key = self.key("resource", "--resource", done.stdout.strip(),
                       label=label)
        client = self.client(headers={"X-API-Key": key})
        client.address, client.id = address, done.stdout.strip()
        client.label, client.key = label, key
        return client
