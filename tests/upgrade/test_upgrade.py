"""An upgrade by docs/operations/upgrade.md: of databases that old commits made,
and of a server in use."""
import pprint

import pytest

import live
from conftest import Stored, empty
from machine import Version
from test_migrate import files

WRONG_HERE = {"passwords are hashed at full cost"}  # as in all tests


# The events of a version without the log get their places by and by.
LATER = {"the log has all events that are older than a minute"}


def fine(machine, report):
    """`doctor` finds nothing wrong, but for what passes by itself."""
    def wrong(text):
        return {line[7:].split(":")[0] for line in text.splitlines()
                if line.startswith("WRONG")} - WRONG_HERE
    assert wrong(report) <= LATER
    machine.until(lambda: not wrong(machine.sayso("doctor").stdout))


@pytest.mark.parametrize("commit", ["df0d9d8", "e126336"])
def test_from_the_database_of_an_old_commit(machine, commit):
    stored = Stored(commit)
    receiver = live.prepare(machine)
    filling = stored.restore(machine)
    machine.psql("sayso", "-c", "UPDATE endpoint SET address = "
                 f"'{receiver.url('/agents', 'localhost')}'")
    # It is as it was.
    assert filling.stored() == stored.stored
    refused_before(machine, int(machine.psql(
        "sayso", "-c", "SELECT max(version) FROM migration")))
    said, seconds, _ = live.by_the_manual(machine, Version.current())
    lost, changed = live.compare(machine, filling, stored.told, stored.stored)
    assert (lost, changed) == ([], [])
    fine(machine, next(v for k, v in said.items() if "doctor" in k))
    missing, queued = live.arrived(machine, receiver, stored.stored)
    assert queued and not missing
    live.sound(machine)
    answers_of_every_kind(machine, filling)
    live.sound(machine)
    machine.stop_serving()
    receiver.close()


def refused_before(machine, number):
    """The new program with the old tables: it answers 503, and the doctor and
    the plan name what is to be done."""
    machine.begin_serving()
    machine.load_site()
    with machine.client("agent", agent="a") as agent:
        machine.until(lambda: machine.status("/healthz") == 200)
        for r in (agent.get("/readyz"), agent.get("/api/v1/suspensions"),
                  agent.post("/api/v1/suspensions", json={"question": "?"})):
            assert (r.status_code, r.json()["code"]) == (
                503, "server.upgrading")
            assert int(r.headers["Retry-After"]) > 0
    newest = int(files()[-1][:4])
    said = machine.sayso("doctor").stdout
    assert "WRONG  the program and the tables are of one version: the tables " \
        f"are number {number}, this program needs {newest}; run `sayso " \
        "migrate`\n" in said
    said = machine.sayso("migrate", "--plan").stdout
    assert said.endswith(f"{sum(int(f[:4]) > number for f in files())} to "
                         "apply; nothing was changed\n")


def answers_of_every_kind(machine, filling):
    """The open ones go on: one of each kind is answered."""
    kinds = set()
    for n, id_ in enumerate(filling.ids):
        with machine.client("agent", agent=f"refunds-{n % 10}") as agent:
            record = agent.get(f"/api/v1/suspensions/{id_}").json()
            kind = record["kind"] or record["response_type"]
            if record["state"] == "pending" and kind not in kinds:
                kinds.add(kind)
                filling.permits = False
                filling.answer(agent, id_, "first", n)
                r = agent.get(f"/api/v1/suspensions/{id_}?wait=5").json()
                assert r["state"] == "resolved"
    assert len(kinds) == 10, kinds


def test_a_server_in_use(machine):
    empty(machine)
    current = Version.current()
    report = live.upgrade(machine, current, current, 140, 20, 5)
    pprint.pprint({k: v for k, v in report.items() if k != "doctor"})
    for name in ("lost", "changed", "wrong"):
        assert report[name] == [], name
    assert report["waiters without an answer"] == 0
    assert report["webhooks missing"] == 0 < report["webhooks"]
    assert report["pairs"] > 10
    fine(machine, report["doctor"])
