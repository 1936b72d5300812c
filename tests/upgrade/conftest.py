"""Fixtures of the tests of upgrades: a machine with the program that was built,
and databases that commits of the project's history made (see dump)."""
import gzip
import json
import pathlib
import sys
import time

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from filling import Filling  # noqa: E402
from machine import PG, Machine, Version  # noqa: E402
from server import Clock  # noqa: E402


class Stored:
    """A stored database of a commit, and what it acknowledged."""

    def __init__(self, commit):
        self.commit = commit
        self.sql = gzip.open(HERE / f"{commit}.sql.gz", "rt").read()
        book = json.loads(gzip.open(HERE / f"{commit}.json.gz").read())
        self.told, self.stored, self.env, self.at, self.state = (
            book[k] for k in ("told", "stored", "env", "at", "filling"))

    def restore(self, machine, database="sayso"):
        """Into a new database. For that of the server, the machine's clock is
        again where it was."""
        if database == "sayso":
            empty(machine)
            machine.env = {**self.env, "SAYSO_URL": machine.url}
            machine.clock.forward(seconds=self.at + 60 - time.time())
        else:
            machine.roles()
            machine.psql("postgres", "-c", f"CREATE DATABASE {database} OWNER "
                         "sayso_owner TEMPLATE template0 LC_COLLATE 'C' "
                         "LC_CTYPE 'C.UTF-8'")
        machine.done(PG / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h",
                     machine.socket_at, "-U", "postgres", "-d", database,
                     input=self.sql)
        filling = Filling.of(machine, self.state)
        filling.address = self.env["SAYSO_URL"]
        return filling


def empty(machine):
    """The server is stopped, its database is empty, its clock is right."""
    machine.stop_serving()
    for path in ("keys/log.key", "run/database-history"):
        (machine.state / path).unlink(missing_ok=True)
    machine.psql("postgres", "-c",
                 "DROP DATABASE IF EXISTS sayso WITH (FORCE)")
    machine.roles()
    machine.clock.forward(seconds=-machine.clock.seconds)


def machine_of(name):
    one = Machine(name).start()
    one.clock = Clock(one.state / "clock")
    one.environ.update(one.clock.setting)
    one.install(Version.current())
    return one


@pytest.fixture(scope="session")
def machine():
    one = machine_of("machine")
    yield one
    one.stop()


@pytest.fixture(scope="session")
def oldest():
    return Stored("df0d9d8")
