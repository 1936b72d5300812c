"""A PostgreSQL of its own, as the compose files prepare theirs."""
import pathlib
import secrets
import shutil
import subprocess
import tempfile

import engine
import kit
import yaml

from server import TOP, free_port

PG = pathlib.Path("/usr/lib/postgresql/15/bin")
SECRET = secrets.token_urlsafe(24)
COMPOSE = yaml.safe_load((TOP / "packaging/compose.yaml").read_text())


class Database:
    """A PostgreSQL with TCP and passwords, made by the files that compose.yaml
    gives to its container."""

    def __init__(self):
        self.at = pathlib.Path(tempfile.mkdtemp(prefix="sayso-image-",
                                                dir="/tmp"))
        shutil.chown(self.at, "postgres")
        self.port = free_port()
        self.run(PG / "initdb", "-D", self.at / "data", "-U", "postgres", "-E",
                 "UTF8", "--locale=C.UTF-8", "--auth-local=trust",
                 "--auth-host=scram-sha-256", "--no-instructions")
        self.process = subprocess.Popen(
            self.as_user(PG / "postgres", "-D", self.at / "data", "-p",
                         self.port, "-k", self.at, "-h", "127.0.0.1"),
            cwd="/", stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        kit.wait_for(lambda: engine.call(
            PG / "pg_isready", "-h", self.at, "-p", self.port).returncode == 0)
        self.initialize()

    def as_user(self, *args):
        return ["setpriv", "--reuid=postgres", "--regid=postgres",
                "--clear-groups", *map(str, args)]

    def run(self, *args):
        return engine.done(*self.as_user(*args), cwd="/")

    def initialize(self):
        volumes = dict(v.removesuffix(":ro").split(":") for v in
                       COMPOSE["services"]["database"]["volumes"]
                       if v.startswith("."))
        for source, _ in sorted(volumes.items(), key=lambda v: v[1]):
            path = TOP / "packaging" / source
            command = ["psql", "-X", "-v", "ON_ERROR_STOP=1", "-d", "postgres",
                       "-f", path] if source.endswith(".sql") else ["sh", path]
            self.run("env", f"DATABASE_SECRET={SECRET}",
                     "POSTGRES_USER=postgres", "PGUSER=postgres",
                     f"PGHOST={self.at}", f"PGPORT={self.port}", *command)

    def query(self, sql):
        return self.run("psql", "-X", "-A", "-t", "-h", self.at, "-p",
                        self.port, "-U", "postgres", "-d", "sayso", "-c", sql)

    def remove(self):
        self.process.terminate()
        self.process.wait(60)
        shutil.rmtree(self.at, ignore_errors=True)
