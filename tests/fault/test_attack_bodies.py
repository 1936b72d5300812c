"""One key that sends large bodies over 96 connections, against everybody else:
no process ends, and every honest call is answered as it should be.

Times are printed beside those of a quiet server, and not judged: machines
differ. BODIES_SECONDS=60 for a longer one by hand."""
import asyncio
import json
import os
import pathlib
import sys

import pytest

import kit
from honest import Agent, Book, Honest, Operator
from page import signed_in
from server import place

SECONDS = int(os.environ.get("BODIES_SECONDS", 10))
CONNECTIONS = 96
HERE = pathlib.Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("bodies"), SAYSO_WORKERS="4")
    # The attack is stopped by the limits as they are by themselves.
    del one.environ["SAYSO_LIMIT_RATE"]
    one.start()
    yield one
    one.stop()


class Person(Honest):
    """Looks at the inbox, and at what was decided."""

    def __init__(self, server):
        super().__init__(server, "none", None)
        self.client.headers = {"Cookie": f"sayso={signed_in(server)}"}

    async def work(self):
        while self.running:
            for path in ("/inbox", "/decided"):
                await self.page(path)
                await asyncio.sleep(0.05)


class Told:
    def __init__(self, server):
        self.book, self.hostile = Book(), {}
        self.agents = [Agent(server, server.key(
            "agent", "--agent", f"honest-{n}"), self.book) for n in range(3)]
        self.operators = [Operator(server, server.key(
            "operator", label="Op"), self.book)]
        self.people = [Person(server)]
        self.honest = self.agents + self.operators + self.people

    async def story(self, server):
        key = server.key("agent", "--agent", "mallory")
        tasks = {one: asyncio.create_task(one.work()) for one in self.honest}
        await asyncio.sleep(SECONDS)
        for one in self.honest:
            one.phase = "attacked"
        hostile = await asyncio.create_subprocess_exec(
            sys.executable, HERE / "bodies.py", server.url, key, str(SECONDS),
            str(CONNECTIONS), stdout=asyncio.subprocess.PIPE)
        said, _ = await asyncio.wait_for(hostile.communicate(),
                                         SECONDS + 120)
        assert hostile.returncode == 0
        self.hostile = json.loads(said)
        # The agents end when their last question was answered.
        for some in (self.agents, self.operators, self.people):
            for one in some:
                one.running = False
            await asyncio.gather(*(tasks[one] for one in some))
        for one in self.honest:
            await one.client.aclose()


def times(some, phase):
    return sorted(t for one in some for t in one.took[phase])


def line(name, some):
    quiet, attacked = (times(some, p) for p in ("quiet", "attacked"))
    at = {p: [t[len(t) * k // 100] * 1000 for k in (50, 99)]
          for p, t in (("quiet", quiet), ("attacked", attacked))}
    return (f"{name}: quiet {len(quiet)} calls, median "
            f"{at['quiet'][0]:.1f} ms, p99 {at['quiet'][1]:.1f} ms; attacked "
            f"{len(attacked)} calls, median {at['attacked'][0]:.1f} ms, p99 "
            f"{at['attacked'][1]:.1f} ms, "
            f"{at['attacked'][1] / at['quiet'][1]:.1f} times")


@pytest.fixture(scope="module")
def told(server):
    one = Told(server)
    asyncio.run(one.story(server))
    print(f"\nthe hostile key was told: {one.hostile}")
    print(line("agents and operators", one.agents + one.operators))
    print(line("pages", one.people))
    return one


def test_no_process_ended(told, server):
    assert kit.complaints(server) == []


def test_every_honest_call_was_answered(told):
    """Honest.call and Honest.page check each; here, that there were some. How
    many fit into the seconds of the attack is a matter of the machine."""
    for some in (told.agents + told.operators, told.people):
        for phase in ("quiet", "attacked"):
            assert times(some, phase)


def test_the_attack_was_refused(told):
    """An attack that meets no limit proves nothing."""
    assert "429 limit.workers" in told.hostile
    assert not [k for k in told.hostile if k.startswith("5")], told.hostile


def test_nothing_is_lost(told, server):
    book = told.book
    assert book.asked == [] and book.answers
    with server.database() as db:
        rows = dict(db.execute(
            "SELECT suspension_id, response::json #>> '{}' FROM decision WHERE "
            "state = 'resolved'").fetchall())
    assert rows == book.answers == book.learned
