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
        """Into a new database. The machine's clock is again where it was."""
        machine.roles()
        if database == "sayso":
            machine.env = {**self.env, "SAYSO_URL": machine.url}
            machine.clock.forward(seconds=self.at + 60 - time.time()
                                  - machine.clock.seconds)
            (machine.state / "keys/log.key").unlink(missing_ok=True)
            machine.psql("postgres", "-c", "DROP DATABASE sayso WITH (FORCE)")
            machine.roles()
        else:
            machine.psql("postgres", "-c", f"CREATE DATABASE {database} OWNER "
                         "sayso_owner TEMPLATE template0 LC_COLLATE 'C' "
                         "LC_CTYPE 'C.UTF-8'")
        machine.done(PG / "psql", "-X", "-q", "-v", "ON_ERROR_STOP=1", "-h",
                     machine.socket_at, "-U", "postgres", "-d", database,
                     input=self.sql)
        filling = Filling.of(machine, self.state)
        filling.address = self.env["SAYSO_URL"]
        return filling


def machine_of(name):
    one = Machine(f"upgrade-{name}").start()
    one.clock = Clock(one.state / "clock")
    one.environ.update(one.clock.setting)
    one.install(Version.current())
    return one


@pytest.fixture(scope="module")
def machine(request):
    one = machine_of(request.module.__name__.removeprefix("test_"))
    yield one
    one.stop()


@pytest.fixture(scope="session")
def oldest():
    return Stored("df0d9d8")
