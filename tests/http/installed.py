"""Sayso as the package and docs/operations/install.md install it, without
systemd: its users, its files, PostgreSQL's peer authentication, the supervisor
with the capabilities of its unit.

The users are there in a mount namespace of its own alone, which has another
/etc/passwd; that takes root and the right to make one."""
import contextlib
import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time

import kit
from server import TOP

PG = pathlib.Path("/usr/lib/postgresql/15/bin")
KINDS = ("web", "wait", "tick", "deliver", "seal", "erase")
SANITIZERS = {"ASAN_OPTIONS": "detect_leaks=0"}  # it would trace a process


def possible():
    """None, or the reason."""
    if os.geteuid() != 0:
        return "not root, who alone can make users"
    done = subprocess.run(["unshare", "--mount", "true"], capture_output=True)
    return None if done.returncode == 0 else "no mount namespaces here"


def manual(words):
    """The block of docs/operations/install.md that has the words."""
    text = (TOP / "docs/operations/install.md").read_text()
    blocks = re.findall(r"^```\w*\n(.*?)^```", text, re.M | re.S)
    [block] = [b for b in blocks if words in b]
    return block


def unit(key):
    """The settings of packaging/sayso.service."""
    text = (TOP / "packaging/sayso.service.in").read_text()
    return re.findall(rf"^{key}=(.*)$", text, re.M)[-1]


class Installed:
    def __init__(self):
        self.at = pathlib.Path(tempfile.mkdtemp(prefix="sayso-installed-",
                                                dir="/tmp"))
        self.at.chmod(0o755)
        self.namespace = self.postgres = self.serving = None

    # --- the machine ---

    def make_users(self):
        etc = self.at / "etc"
        etc.mkdir()
        for name in ("passwd", "group"):
            shutil.copy(f"/etc/{name}", etc)
        done = subprocess.run(
            ["systemd-sysusers", f"--root={self.at}",
             TOP / "packaging/sysusers.d/sayso.conf"],
            capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        self.namespace = subprocess.Popen(
            ["unshare", "--mount", "--propagation", "private", "sh", "-c",
             f"mount --bind {etc}/passwd /etc/passwd && "
             f"mount --bind {etc}/group /etc/group && echo there && "
             "exec sleep infinity"], stdout=subprocess.PIPE, text=True)
        assert self.namespace.stdout.readline() == "there\n"

    def command(self, user, *args):
        """Runs a command as that user, in the user's groups."""
        enter = ["nsenter", f"--target={self.namespace.pid}", "--mount"]
        if user != "root":
            enter += ["setpriv", f"--reuid={user}", f"--regid={user}",
                      "--init-groups"]
        return [*enter, *map(str, args)]

    def run(self, user, *args, **kwargs):
        env = {**os.environ, **SANITIZERS, **kwargs.pop("env", {})}
        return subprocess.run(self.command(user, *args), text=True, env=env,
                              capture_output=True, timeout=60, cwd="/",
                              **kwargs)

    def done(self, *args, **kwargs):
        done = self.run(*args, **kwargs)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def directory(self, name, user, mode):
        made = self.at / name
        made.mkdir()
        made.chmod(mode)
        self.done("root", "chown", f"{user}:", made)
        return made

    # --- the database ---

    def start_database(self):
        self.socket_at = self.directory("pg", "postgres", 0o755)
        data = self.directory("data", "postgres", 0o700)
        self.done("postgres", PG / "initdb", "-D", data, "-U", "postgres",
                  "-E", "UTF8", "--locale=C.UTF-8", "--auth=peer",
                  "--no-instructions")
        hba, self.ident = data / "pg_hba.conf", data / "pg_ident.conf"
        line = manual("peer map=sayso")
        hba.write_text(line + hba.read_text())
        self.ident.write_text(manual("sayso-web      sayso_web"))
        with open(data / "postgresql.conf", "a") as f:
            f.write("listen_addresses = ''\n"
                    f"unix_socket_directories = '{self.socket_at}'\n")
        log = open(self.at / "postgres.log", "w")
        self.postgres = subprocess.Popen(
            self.command("postgres", PG / "postgres", "-D", data), cwd="/",
            stdout=log, stderr=log)
        kit.wait_for(lambda: self.psql("postgres", "postgres", "SELECT 1",
                                       "postgres").returncode == 0)
        self.done("postgres", "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1",
                  "-h", self.socket_at, "-f", self.app / "sql/roles.sql",
                  "postgres")

    def reload_database(self):
        self.done("postgres", PG / "pg_ctl", "reload", "-D", self.at / "data")

    def psql(self, user, role, text, database="sayso"):
        """Runs SQL as a system user who connects as that role."""
        return self.run(user, "psql", "-X", "-q", "-At", "-h", self.socket_at,
                        "-v", "ON_ERROR_STOP=1", "-U", role, "-d", database,
                        "-c", text)

    # --- the program ---

    def copy_app(self):
        self.app = self.at / "app"
        self.app.mkdir()
        build = pathlib.Path(os.environ["SAYSO_BUILD"])
        shutil.copy(build / "sayso", self.app)
        for name in ("templates", "sql"):
            shutil.copytree(TOP / name, self.app / name)

    def write_conf(self):
        def text(name):
            out = (TOP / f"packaging/{name}.conf.example").read_text()
            for old, new in (("/var/run/postgresql", self.socket_at),
                             ("/run/sayso", self.at / "run"),
                             ("/usr/share/sayso", self.app)):
                out = out.replace(old, str(new))
            return out

        self.conf = self.at / "etc/sayso.conf"
        self.admin_conf = self.at / "etc/sayso-admin.conf"
        for path, group, name in ((self.conf, "sayso", "sayso"),
                                  (self.admin_conf, "sayso-admin",
                                   "sayso-admin")):
            path.write_text(text(name) + "\n")
            self.done("root", "chown", f"root:{group}", path)
            path.chmod(0o640)
        self.env = {"SAYSO_CONF": str(self.conf),
                    "SAYSO_ADMIN_CONF": str(self.admin_conf)}
        for key in [k for k in os.environ if k.startswith("SAYSO_")]:
            if key not in ("SAYSO_BUILD", "SAYSO_VAR", "SAYSO_PORT"):
                self.env.setdefault(key, "")

    def environ(self):
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith("SAYSO_")}
        own = {k: v for k, v in self.env.items() if v}
        return {**clean, **SANITIZERS, **own}

    def sayso(self, user, *args, **kwargs):
        return subprocess.run(
            self.command(user, self.app / "sayso", *args), text=True,
            env=self.environ(), capture_output=True, timeout=60, cwd="/",
            **kwargs)

    def make_log_key(self):
        """As the manual does it, in another directory."""
        self.log_key = self.at / "etc/sayso.log.key"
        text = manual("-m 0600 /dev/null /etc/sayso.log.key")
        for old, new in (("/etc/sayso.log.key", self.log_key),
                         ("sudo -u sayso-admin sayso",
                          "setpriv --reuid=sayso-admin --regid=sayso-admin "
                          f"--init-groups {self.app}/sayso"),
                         ("sudo ", "")):
            text = text.replace(old, str(new))
        subprocess.run(self.command("root", "sh", "-ec", text), check=True,
                       env=self.environ())
        with self.conf.open("a") as f:
            f.write(f"log_key = {self.log_key}\n")

    def serve(self, **more):
        """As the unit does."""
        wanted = ",".join("+" + c.removeprefix("CAP_").lower()
                          for c in unit("AmbientCapabilities").split())
        bounding = ",".join("+" + c.removeprefix("CAP_").lower()
                            for c in unit("CapabilityBoundingSet").split())
        user = unit("User")
        assert unit("NoNewPrivileges") == "yes"
        clean = {k: v for k, v in os.environ.items()
                 if not k.startswith("SAYSO_")}
        log = open(self.at / "sayso.log", "a")
        self.serving = subprocess.Popen(
            ["nsenter", f"--target={self.namespace.pid}", "--mount",
             "setpriv", f"--reuid={user}", f"--regid={unit('Group')}",
             "--init-groups", f"--inh-caps=-all,{wanted}",
             f"--ambient-caps=-all,{wanted}",
             f"--bounding-set=-all,{bounding}", "--no-new-privs",
             self.app / "sayso", "serve"], cwd="/", umask=0o077,
            env={**clean, **SANITIZERS, "SAYSO_CONF": str(self.conf), **more},
            stdout=log, stderr=log)
        kit.wait_for(lambda: self.ready() == 200)

    def ready(self):
        try:
            return kit.fastcgi(self.at / "run/web.sock", {
                "REQUEST_METHOD": "GET", "REQUEST_URI": "/readyz"}).status
        except OSError:
            return 0

    def children(self, kind):
        return [p for p in kit.children(self.serving.pid)
                if kit.comm(p) == f"sayso: {kind}"]

    def uid(self, user):
        return int(self.done("root", "id", "-u", user))

    def log(self):
        return (self.at / "sayso.log").read_text()

    # --- the whole ---

    def install(self):
        self.make_users()
        self.copy_app()
        self.start_database()
        self.write_conf()
        done = self.sayso("sayso-admin", "migrate")
        assert done.returncode == 0, done.stdout + done.stderr
        self.make_log_key()
        self.directory("run", "sayso", 0o755)
        self.serve()
        return self

    @contextlib.contextmanager
    def changed(self, path, text):
        """The file has another text inside the block."""
        old = path.read_text()
        path.write_text(text)
        try:
            yield
        finally:
            path.write_text(old)

    def remove(self):
        for process, how in ((self.serving, signal.SIGTERM),
                             (self.postgres, signal.SIGINT),
                             (self.namespace, signal.SIGKILL)):
            if process and process.poll() is None:
                process.send_signal(how)
                process.wait(60)
        shutil.rmtree(self.at, ignore_errors=True)


def status_of(pid):
    """/proc/PID/status as a dict."""
    lines = pathlib.Path(f"/proc/{pid}/status").read_text().splitlines()
    return dict(line.split(":", 1) for line in lines)


def settled(what, seconds=30):
    end = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < end
        time.sleep(0.05)
