"""Two restores from one dump, one after the other, into the same cluster and
served by the same pool: each is a history of its own, and the second is used
without a word to the pool."""
import datetime
import re

import pytest

import kit
import test_log
from kit import answer, ask, refused, wait_for
from server import place
from test_restored import (EPOCH, database, feed, log_at, read, restore, tool)
from test_log_commands import vkey
from test_streams import Stream, note

FIRST = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)


class World:
    """Before the dump, after the first restore and after the second."""


def head(client, at):
    def found():
        r = client.get(f"{at}/checkpoint")
        return r.status_code == 200 and r.text

    return wait_for(found)


def said(server, *times):
    """The last one counts."""
    for time in times:
        done = server.sayso("restored", "--lost-from", time)
        assert done.returncode == 0, done.stderr


def start(server):
    done = server.run("--detach")
    assert done.returncode == 0, done.stdout + done.stderr


def restored(server, dump, *times):
    """The dump is all that there is."""
    assert server.run("--stop").returncode == 0
    with database(server):
        tool(server, "psql", "-X", "-q", "-c", "DROP DATABASE sayso")
        restore(server, dump)
        said(server, *times)
    start(server)


def epoch(client):
    return int(client.get("/healthz").headers[EPOCH])


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("restored-again")).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def twice(server):
    w = World()
    with server.client("agent", agent="refunds-agent") as agent, \
            server.client("operator") as operator:
        w.intent, w.open = kit.new_intent(agent), ask(agent)
        w.path = f"/api/v1/intents/{w.intent['id']}/subscribe"
        (key,) = agent.get("/log/keys").json()
        w.key = test_log.unb64(key["public_key"])
        w.host = key["vkey"].split("/")[0]
        head(agent, "/log")
        w.dump = tool(server, "pg_dump", "-Fc", "-d", "sayso")
        at = datetime.datetime.now(datetime.timezone.utc)
        w.from_ = at.isoformat()
        # The first time was too late: the restore is said again.
        restored(server, w.dump, w.from_,
                 (at - datetime.timedelta(hours=1)).isoformat())
        w.first = epoch(agent)
        w.asked = ask(agent)
        assert answer(operator, w.asked).status_code == 200
        stream = Stream(server, w.path)
        note(agent, w.intent)
        w.id = stream.until("comment")["id"]
        stream.close()
        w.place = feed(agent, "now").json()["next"]
        test_log.receipt(agent, w.asked)  # the log has the answer
        w.head = server.state / "run/first.txt"
        w.head.write_text(head(agent, f"/log/{w.first}"))
        w.history = server.state / "run/database-history"
        w.before = wait_for(lambda: w.history.exists() and
                            w.history.read_text())
        w.inode, w.log = w.history.stat().st_ino, len(server.log())
        restored(server, w.dump, w.from_)
    return w


@pytest.fixture
def agent(server, twice):
    with server.client("agent", agent="refunds-agent") as client:
        yield client


def test_the_pool_uses_the_second(server, twice, agent):
    assert read(agent, twice.open).json()["state"] == "pending"
    refused(read(agent, twice.asked), 404, "suspension.unknown")
    assert "is an old primary" not in server.log()[twice.log:]
    assert "\nsayso_database_behind_total 0\n" in agent.get("/metrics").text


def test_the_pool_remembers_the_second(server, twice, agent):
    numbers = [[int(n) for n in text.split()] for text in (
        twice.before, wait_for(lambda: twice.history.read_text()
                               != twice.before
                               and twice.history.read_text()))]
    (cluster, first, line), second = numbers
    assert second == [cluster, epoch(agent), line] and second[1] > first


def test_each_restore_has_a_number_of_its_own(twice, agent):
    """Of the second at which it was said."""
    second = epoch(agent)
    assert second > twice.first
    now = datetime.datetime.now(datetime.timezone.utc)
    assert second <= (now - FIRST).total_seconds() < second + 600
    assert read(agent, twice.open).json()["restore_epoch"] == second


def test_each_restore_has_a_log_of_its_own(server, twice, agent):
    at = f"/log/{epoch(agent)}"
    new = log_at(agent, at, twice.host + at, twice.key)
    old = log_at(agent, "/log", f"{twice.host}/log", twice.key)
    assert old and set(old) <= set(new)
    refused(agent.get(f"/log/{twice.first}/checkpoint"), 404, "log.no_head")
    (key,) = agent.get("/log/keys").json()
    assert key["vkey"] == vkey(twice.host + at, twice.key)


def test_a_head_of_the_first_is_of_no_log_that_is_here(server, twice, agent):
    """It is of a log that is gone, and not a sign of a forged one."""
    head(agent, f"/log/{epoch(agent)}")
    assert server.sayso("verify").returncode == 0
    done = server.sayso("verify", "--head", str(twice.head))
    said = done.stdout + done.stderr
    assert done.returncode == 1 and "its log is not there" in said, said
    assert len(re.findall(r"(?m)^BROKEN", said)) <= 1, said
    # A log that is to begin with a later restore is another one.
    name = f"{twice.host}/log/{twice.first}"
    later = twice.head.with_name("later.txt")
    later.write_text(twice.head.read_text().replace(
        name, f"{twice.host}/log/{epoch(agent) + 1}", 1))
    done = server.sayso("verify", "--head", str(later))
    assert "is a head of another log" in done.stdout + done.stderr


def test_a_place_of_the_first_is_none_of_the_second(server, twice, agent):
    assert twice.id.startswith(f"e{twice.first}.")
    assert twice.place.startswith(f"e{twice.first}.")
    body = refused(feed(agent, twice.place), 409, "feed.restored",
                   "ended_after")
    assert body["restore_epoch"] == epoch(agent)
    stream = Stream(server, twice.path, last=twice.id)
    note(agent, twice.intent, 2)
    frame = stream.until("comment")
    assert frame["data"]["payload"]["n"] == 2
    assert frame["id"].startswith(f"e{epoch(agent)}.")
    stream.close()


LARGE = 1 << 30  # a second of the year 2060


def test_a_larger_number_goes_on(server, twice, agent):
    """As of a clock that was ahead: the next is larger, and fits everywhere."""
    assert server.run("--stop").returncode == 0
    with database(server):
        tool(server, "psql", "-X", "-q", "-d", "sayso", "-c",
             "INSERT INTO restore OVERRIDING SYSTEM VALUE SELECT "
             f"{LARGE}, {LARGE}, said_at, lost_from, open_until, go_at, "
             "system_identifier, database_oid FROM restore "
             "ORDER BY n DESC LIMIT 1")
        said(server, twice.from_)
        with server.database() as db:
            assert db.execute("SELECT n, epoch FROM restore ORDER BY n DESC "
                              "LIMIT 1").fetchone() == (LARGE + 1, LARGE + 1)
    start(server)
    assert epoch(agent) == LARGE + 1
    at = f"/log/{LARGE + 1}"
    log_at(agent, at, twice.host + at, twice.key)
    assert feed(agent, "now").json()["next"].startswith(f"e{LARGE + 1}.")
    stream = Stream(server, twice.path)
    note(agent, twice.intent, 3)
    last = stream.until("comment")["id"]
    stream.close()
    assert last.startswith(f"e{LARGE + 1}.")
    note(agent, twice.intent, 4)
    stream = Stream(server, twice.path, last=last)
    assert stream.until("comment")["data"]["payload"]["n"] == 4
    stream.close()
    wait_for(lambda: int(twice.history.read_text().split()[1]) == LARGE - 1)
    asked = ask(agent)
    with server.client("operator") as operator:
        assert answer(operator, asked).status_code == 200
    test_log.holds(agent, test_log.receipt(agent, asked))
    assert server.sayso("verify").returncode == 0
