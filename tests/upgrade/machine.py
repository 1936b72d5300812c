"""A machine for an upgrade: PostgreSQL, nginx and the program, each a process of
its own, so that the program alone is replaced; and the builds of commits of the
project's own history."""
import os
import pathlib
import pwd
import re
import shutil
import signal
import subprocess
import tempfile
import time

import httpx

from server import TOP, Server, comm, place

PG = pathlib.Path("/usr/lib/postgresql/15/bin")
CLEAN = {"PATH": "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
         "LC_ALL": "C"}
PASSED_ON = re.compile(r"SAYSO_(WORKERS|TEMPLATES_STRICT|PASSWORD_COST|"
                       r"DATABASE_TIMEOUT|TEST_CLOCK|CA_FILE|LIMIT_\w+)$|"
                       r"\w*SAN_OPTIONS$")


class Version:
    """A checkout and its build."""

    def __init__(self, top, build):
        self.top, self.build = pathlib.Path(top), pathlib.Path(build)
        self.permits = "/api/v1/permits/{id}:" in (
            self.top / "docs/openapi.yaml").read_text()

    @classmethod
    def current(cls):
        return cls(TOP, os.environ["SAYSO_BUILD"])

    @classmethod
    def of(cls, commit, where):
        """Builds a commit below a folder, once."""
        def run(*args, cwd=TOP, **kwargs):
            return subprocess.run(args, cwd=cwd, check=True, text=True,
                                  capture_output=True, **kwargs)
        try:
            full = run("git", "rev-parse", "--verify",
                       f"{commit}^{{commit}}").stdout.strip()
        except subprocess.CalledProcessError:
            raise SystemExit(
                f"{commit} is not in this clone: git fetch --unshallow")
        top = pathlib.Path(where) / full[:10]
        if not (top / "built").exists():
            shutil.rmtree(top, ignore_errors=True)
            (top / "build").mkdir(parents=True)
            tar = subprocess.run(["git", "archive", full], cwd=TOP,
                                 check=True, stdout=subprocess.PIPE).stdout
            subprocess.run(["tar", "-x", "-C", top], input=tar, check=True)
            run("autoreconf", "-i", cwd=top)
            run("../configure", "-q", cwd=top / "build")
            run("make", f"-j{os.cpu_count()}", "sayso", cwd=top / "build")
            (top / "built").touch()
        return cls(top, top / "build")


class Machine(Server):
    """start() makes the cluster; then version by version: install(), migrate()
    and serve()."""

    def __init__(self, name, **settings):
        super().__init__(place(name), **settings)
        self.postgres = self.nginx = self.serving = None
        self.user = "postgres" if os.geteuid() == 0 else \
            pwd.getpwuid(os.geteuid()).pw_name

    # --- the parts ---

    def start(self):
        """The cluster and its database are running, and empty."""
        self.state = pathlib.Path(tempfile.mkdtemp(prefix="sayso-upgrade-",
                                                   dir="/tmp"))
        self.state.chmod(0o755)
        self.socket_at = self.directory("run", 0o700)
        for name in ("log", "nginx", "keys"):
            self.directory(name, 0o755)
        # ./check finds the logs by this.
        self.var.mkdir(parents=True, exist_ok=True)
        (self.state / "sayso.env").touch()
        link = self.var / "sayso.env"
        link.unlink(missing_ok=True)
        link.symlink_to(self.state / "sayso.env")
        self.url = f"http://127.0.0.1:{self.port}"
        data = self.directory("postgres", 0o700)
        self.done(PG / "initdb", "-D", data, "-U", "postgres", "-E", "UTF8",
                  "--locale=C.UTF-8", "--lc-collate=C", "--auth-local=trust",
                  "--auth-host=reject", "-k", "--no-instructions", "-N")
        with open(data / "postgresql.conf", "a") as f:
            f.write("listen_addresses = ''\nmax_connections = 300\n"
                    f"unix_socket_directories = '{self.socket_at}'\n"
                    "jit = off\nlog_error_verbosity = terse\n")
        self.postgres = self.begin("postgres", PG / "postgres", "-D", data)
        self.until(lambda: self.run_as(
            PG / "pg_isready", "-q", "-h", self.socket_at).returncode == 0)
        return self

    def directory(self, name, mode):
        made = self.state / name
        made.mkdir()
        made.chmod(mode)
        shutil.chown(made, self.user)
        return made

    def as_user(self, *args):
        if os.geteuid() != 0:
            return [*map(str, args)]
        return ["setpriv", f"--reuid={self.user}",
                f"--regid={pwd.getpwnam(self.user).pw_gid}", "--clear-groups",
                *map(str, args)]

    def env_of_program(self):
        return {**CLEAN, "SAYSO_CONF": str(self.state / "sayso.conf"),
                **{k: v for k, v in self.environ.items()
                   if PASSED_ON.match(k)}}

    def run_as(self, *args, **kwargs):
        return subprocess.run(
            self.as_user(*args), text=True, cwd="/", timeout=300,
            **{"env": self.env_of_program(), "capture_output": True, **kwargs})

    def done(self, *args, **kwargs):
        done = self.run_as(*args, **kwargs)
        assert done.returncode == 0, f"{args}: {done.stdout}{done.stderr}"
        return done.stdout

    def begin(self, name, *args):
        path = self.state / "log" / f"{name}.log"
        with open(path, "a") as log:
            shutil.chown(path, self.user)
            return subprocess.Popen(self.as_user(*args), cwd="/", stdout=log,
                                    stderr=log, stdin=subprocess.DEVNULL,
                                    env=self.env_of_program())

    @staticmethod
    def until(done, seconds=60):
        end = time.monotonic() + seconds
        while not done():
            assert time.monotonic() < end
            time.sleep(0.02)

    @staticmethod
    def end(process, how=signal.SIGTERM):
        if process and process.poll() is None:
            process.send_signal(how)
            process.wait(60)

    def stop(self):
        while self.spare:
            self.spare.pop().close()
        self.end(self.nginx, signal.SIGQUIT)
        self.end(self.serving)
        self.end(self.postgres, signal.SIGQUIT)  # its data go, too
        for name in ("postgres", "app", "run"):
            shutil.rmtree(self.state / name, ignore_errors=True)

    # --- a version ---

    def install(self, version):
        """The files of a version, and the configuration and the site that its
        ./start writes. nginx has to be loaded anew."""
        app = self.state / "app"
        shutil.rmtree(app, ignore_errors=True)
        app.mkdir()
        shutil.copy(version.build / "sayso", app)
        for name in ("templates", "static", "sql"):
            shutil.copytree(version.top / name, app / name)
        shutil.copy(version.top / "docs/openapi.yaml", app)
        words = {"$run": self.socket_at, "$var": self.state, "$app": app,
                 "$port": self.port}
        conf = re.search(r'>"\$var/sayso\.conf" <<END\n(.*?)^END$',
                         (version.top / "start").read_text(), re.M | re.S)[1]
        for word, value in words.items():
            conf = conf.replace(word, str(value))
        (self.state / "sayso.conf").write_text(conf)
        number = version.top / "packaging/site-version"
        site = subprocess.run([number, version.top / "nginx"], text=True,
                              stdout=subprocess.PIPE).stdout.strip() \
            if number.exists() else ""
        places = {"VAR": self.state, "FILES": 4096, "CONNECTIONS": 3996,
                  "ROOT": app, "NGINX": self.state / "nginx", "SITE": site,
                  "LISTEN": f"127.0.0.1:{self.port}",
                  "MONITOR": f"unix:{self.socket_at}/monitor.sock",
                  "SOCKET": f"{self.socket_at}/web.sock",
                  "WAIT_SOCKET": f"{self.socket_at}/wait.sock"}
        for path in (version.top / "nginx").glob("*.conf.in"):
            text = path.read_text()
            for name, value in places.items():
                text = text.replace(f"@{name}@", str(value))
            (self.state / "nginx" / path.name[:-3]).write_text(text)

    def roles(self):
        return self.psql("postgres", "-f", self.state / "app/sql/roles.sql")

    def psql(self, database, *args):
        return self.done(PG / "psql", "-X", "-q", "-At", "-v",
                         "ON_ERROR_STOP=1", "-h", self.socket_at, "-U",
                         "postgres", "-d", database, *args)

    def sayso(self, *args, conf=None, **kwargs):
        if conf:
            kwargs["env"] = {**self.env_of_program(), "SAYSO_CONF": str(conf)}
        return self.run_as(self.state / "app/sayso", *args, **kwargs)

    def migrate(self):
        self.roles()
        done = self.sayso("migrate")
        assert done.returncode == 0, done.stdout + done.stderr

    def make_log_key(self):
        """Where the version has a log that is signed."""
        file = self.state / "keys/log.key"
        if "log_key" in (self.state / "sayso.conf").read_text() and \
                not file.exists():
            done = self.sayso("log-key", "new", "--file", file)
            assert done.returncode == 0, done.stderr

    def begin_serving(self):
        self.serving = self.begin("sayso", self.state / "app/sayso", "serve")

    def serve(self):
        self.make_log_key()
        self.begin_serving()
        self.load_site()
        self.wait_ready()

    def load_site(self):
        monitor = self.socket_at / "monitor.sock"
        if self.nginx:
            self.nginx.send_signal(signal.SIGHUP)
            return
        monitor.unlink(missing_ok=True)
        self.nginx = self.begin("nginx", "nginx", "-e",
                                self.state / "log/nginx.log", "-c",
                                self.state / "nginx/nginx.conf")

    def status(self, path):
        """Of a GET by nobody; None: there was no answer."""
        try:
            with self.client() as nobody:
                return nobody.get(path).status_code
        except httpx.TransportError:
            return None

    def wait_ready(self):
        def ready():
            assert self.serving.poll() is None, self.log()
            return self.status("/readyz") == 200
        self.until(ready)

    def stop_serving(self):
        while self.spare:
            self.spare.pop().close()
        self.end(self.serving)
        self.serving = None

    def log(self, name="sayso"):
        return (self.state / "log" / f"{name}.log").read_text()

    def supervisor(self):
        return self.serving.pid

    def pid(self):
        return self.serving.pid

    def make_keys(self):
        self.env = {"SAYSO_URL": self.url}
        for role, more in (("agent", ["--agent", "*"]), ("operator", []),
                           ("admin", [])):
            self.env[f"SAYSO_{role.upper()}_KEY"] = self.key(role, *more)

    def dump_to(self, name):
        """As the manual makes it, and where walk() finds it."""
        _run(self, f"sudo -u postgres pg_dump -Fc -d sayso > {name}")

    def dump(self, *options, database="sayso"):
        text = self.done(PG / "pg_dump", "-h", self.socket_at, "-U",
                         "postgres", "-d", database, *options)
        # It differs in each dump, and an old psql does not know it.
        return re.sub(r"(?m)^\\(un)?restrict .*\n", "", text)


# --- the manual -----------------------------------------------------------

def block(page, words):
    """The lines of the block of a page of docs that has the words."""
    text = (TOP / "docs" / page).read_text()
    blocks = re.findall(r"^ *```\w*\n(.*?)^ *```", text, re.M | re.S)
    [found] = [b for b in blocks if words in b]
    # A line that is indented goes on with the one before it.
    return re.sub(r"\\?\n +", " ", found).splitlines()


def walk(machine, page, words, does):
    """Runs a block line by line. A line that begins with one of the words of
    `does` is that call: what installs, starts or stops something. Commands of
    the database and of the program run as they are printed. Returns what each
    printed; machine.took has the seconds."""
    said, machine.took = {}, {}
    for line in block(page, words):
        begun = time.monotonic()
        key = next((k for k in sorted(does, key=len, reverse=True)
                    if line.startswith(k)), None)
        said[line] = does[key]() if key else _run(machine, line)
        machine.took[line] = time.monotonic() - begun
    return said


def _run(machine, line):
    """A command of PostgreSQL or of the program, at its place here."""
    args = line.split(" ")
    program = args[1] if args[1] != "-u" else args[3]
    assert args[0] == "sudo" and program in (
        "sayso", "psql", "pg_dump", "pg_restore", "createdb"), \
        f"the line is of no kind that is known here: {line}"
    line = re.sub(r"^sudo (-u \S+ )?", "", line)
    line = line.replace("/usr/share/sayso/sql", f"{machine.state}/app/sql")
    line = re.sub(r"(?<![\w/])([\w-]+\.dump)", rf"{machine.state}/keys/\1",
                  line)
    rest = line.removeprefix(program)
    command = f"{machine.state}/app/sayso" if program == "sayso" else \
        f"{PG}/{program} -h {machine.socket_at} -U postgres"
    done = machine.run_as("sh", "-c", command + rest)
    assert done.returncode == 0 or " doctor" in line, \
        f"{line}: {done.stdout}{done.stderr}"
    return done.stdout
