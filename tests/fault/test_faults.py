"""Every process that may die is killed under load, and nothing is lost.

Agents ask, wait and listen, operators answer, questions remind and expire, a
receiver gets deliveries; agents check tool calls, and a gateway uses their
permits. Meanwhile a web worker, `wait`, `tick`, `deliver` and PostgreSQL are
killed in turn, at moments that the printed seed decides (FAULT_SEED repeats
it), and then while a tool call is held at each step of its requests. Then the
ledger of all responses is compared with the database: one test for each of its
checks.
"""
import asyncio
import collections
import os
import random
import time

import pytest

import callers
import kit
import ledger
import questions
from faults import OF_OTHERS, STEPS, VICTIMS, Faults
from ledger import (Delivery, Event, Issued, Ledger, Permit, Redemption, Row)
from load import Load
from receiver import Receiver
from server import Clock, place

SEED = int(os.environ.get("FAULT_SEED", time.time_ns() % 1000000))
ROUNDS = (2, 3)  # at least, at most
ASKERS = 20
WORKERS = 3
CALLERS = 8
SETTLED = 40  # seconds after the load until nothing may be left to do
# Seconds after which what a dead sender had in hand is free (30), and what
# failed twice is tried again (60, give or take a fifth). As often as here they
# may be leapt over before the verifier calls a message too new.
LEAP = 73
LEAPS = 3

CHANNELS = ("desk", "lead")


@pytest.fixture(scope="module")
def receiver():
    one = Receiver()
    yield one
    one.close()


@pytest.fixture(scope="module")
def clock(receiver):
    return Clock(receiver.at / "clock")


@pytest.fixture(scope="module")
def server(receiver, clock):
    # All of its database is compared: it begins with nothing.
    one = kit.Watched(place(str(os.getpid())), **clock.setting,
                      SAYSO_CA_FILE=str(receiver.ca_file))
    one.start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def told(server, receiver, clock):
    """Everything that happened, in a ledger; with the load and the faults
    that made it."""
    print(f"FAULT_SEED={SEED}")
    rng = random.Random(SEED)
    book = Ledger()
    register(server, receiver, book)
    callers.register(server)
    load, faults = Load(server, book, rng), Faults(server, rng)
    try:
        asyncio.run(story(server, clock, load, faults))
    finally:
        book.arrivals = list(receiver.arrivals)
    read(server, clock, book)
    print("\n".join(summary(book, load, faults)))
    return book, load, faults


def register(server, receiver, book):
    """An endpoint for the answers of all agents, and two channels."""
    with server.client("admin") as admin:
        r = admin.post("/api/v1/endpoints", json={
            "name": "agents", "url": receiver.url("agents"),
            "internal": True})
    assert r.status_code == 201, r.text
    book.pushed_to = r.json()["endpoint_id"]
    receiver.open("agents", r.json()["endpoint_id"], r.json()["secret"])
    with server.database() as db:
        for name in CHANNELS:
            id, secret = kit.new_id(), "whsec_" + "MTIzNDU2Nzg5MDEyMzQ1Njc4OTA="
            db.execute(
                "INSERT INTO endpoint (id, kind, name, address, detail, "
                "internal, secret, created_at, created_by) VALUES (%s, "
                "'webhook', %s, %s, 'all', true, %s, now(), 'a test')",
                [id, name, receiver.url(name), secret])
            book.channels[name] = id
            receiver.open(name, id, secret)


async def story(server, clock, load, faults):
    """The load with the faults in it, and then a while to settle."""
    async def kill():
        await load.until(lambda: load.ready == WORKERS, 30)
        await faults.rounds(*ROUNDS)
        faults.took("to kill everybody in turn")
        await faults.at_steps()
        faults.took("to kill them at the steps of a tool call")
        await load.until(lambda: enough(load.book), 120)
        load.running = False

    gateway = load.client("resource")
    everybody = [load.asker(n) for n in range(ASKERS)]
    everybody += [load.worker(n) for n in range(WORKERS)]
    everybody += [callers.Caller(load, gateway, n).work()
                  for n in range(CALLERS)]
    await asyncio.gather(kill(), *everybody)
    await asyncio.gather(*load.answering)
    faults.took("to the last answer")
    await settled(server, load.book, "questions")
    for _ in range(LEAPS):
        clock.forward(seconds=LEAP)
        if await settled(server, load.book, "questions", "deliveries"):
            break
    faults.took("to settle")
    for reader in load.readers:
        assert not reader.task.done(), reader.task.exception()
        reader.task.cancel()
    await load.close()


def enough(book):
    """Was there what test_enough_happened wants of the load?"""
    statuses = collections.Counter(a.status for a in book.answers)
    expired = sum(x.state == "expired" for x in book.learned)
    return statuses[200] >= 40 and statuses[409] >= 10 and expired >= 10


async def settled(server, book, *things):
    """Until nothing is left to do, or too much time has passed; which?"""
    end = time.monotonic() + SETTLED
    while time.monotonic() < end:
        if not await asyncio.to_thread(left, server, book, things):
            return True
        await asyncio.sleep(0.2)
    return False


def left(server, book, things):
    """Work that is still to be done, and events still to be streamed."""
    pending = {"questions": "open_question",
               "deliveries": "delivery WHERE state = 'pending'"}
    with server.database() as db:
        n = sum(db.execute(f"SELECT count(*) FROM {pending[thing]}"
                           ).fetchone()[0] for thing in things)
        for stream in book.streams:
            last = stream.frames[-1]
            n += db.execute(
                "SELECT count(*) FROM event WHERE intent_id = %s AND "
                "sequence > %s AND (%s OR event_type = 'status_changed')",
                [last.intent, last.sequence, not stream.agent]).fetchone()[0]
    return n


def read(server, clock, book):
    """The state of the database at the end."""
    done = server.sayso("verify")
    book.verify = (done.returncode, done.stdout + done.stderr)
    with server.database() as db:
        book.until = time.time() + clock.seconds
        for row in db.execute(
                "SELECT id, intent_id::text, state, response::json, reason, "
                "extract(epoch FROM suspended_at)::float, "
                "extract(epoch FROM expires_at)::float, "
                "extract(epoch FROM responded_at)::float, "
                "record::json ->> 'channel_hint', (retry_policy::json ->> "
                "'max_attempts')::int FROM suspension_row"):
            book.rows[row[0]] = Row(*row)
        for intent, sequence, kind, payload in db.execute(
                "SELECT intent_id::text, sequence, event_type, "
                "canonical::json -> 'payload' FROM event "
                "ORDER BY intent_id, sequence"):
            book.events.append(Event(intent, sequence, kind,
                                     payload.get("suspension_id"), payload))
        for row in db.execute(
                "SELECT id::text, endpoint_id::text, suspension_id, "
                "event_sequence, type, state, tries, body FROM delivery"):
            book.deliveries.append(Delivery(*row))
        read_permits(db, book)


def read_permits(db, book):
    book.calls = dict(db.execute("SELECT suspension_id, count(*) FROM "
                                 "suspension_call GROUP BY 1").fetchall())
    for row in db.execute(
            "SELECT id::text, suspension_id, agent, auth_req_id, "
            "intent_id::text, state, granted IS NOT NULL, max_uses, used "
            "FROM permit_row"):
        book.permits[row[0]] = Permit(*row)
    for row in db.execute("SELECT id::text, permit_id::text, n, operation_id, "
                          "result FROM redemption"):
        book.redemptions.append(Redemption(*row))
    for row in db.execute("SELECT token_sha256, permit_id::text, "
                          "ended_at IS NOT NULL FROM permit_token"):
        book.issued.append(Issued(*row))


def summary(book, load, faults):
    """The coverage of the run, for the log."""
    kinds = collections.Counter(e.type for e in book.events)
    rows = collections.Counter(r.state for r in book.rows.values())
    answers = collections.Counter(a.status for a in book.answers)
    late = [r.responded_at - r.expires_at for r in book.rows.values()
            if r.state == "expired"]
    yield "seconds: " + ", ".join(f"{s:.1f} {what}"
                                  for what, s in faults.times)
    yield "killed: " + ", ".join(f"{who} {took:.1f} s"
                                 for who, took in faults.killed)
    yield f"of these in the middle of something: {', '.join(faults.at_work)}"
    yield f"questions: {dict(rows)}, expired at most {max(late):.1f} s late"
    yield f"answers by status: {dict(answers)}"
    yield f"reminders: {kinds['intent.suspension_renotified']}, escalations: " \
          f"{kinds['intent.suspension_escalated']}"
    yield f"deliveries: {len(book.deliveries)}, arrivals: {len(book.arrivals)}"
    yield f"held reads: {len(book.waits)}, the longest " \
          f"{max(w.took - w.seconds for w in book.waits):.1f} s over its time"
    yield f"streams: {len(book.streams)}, frames " \
          f"{sum(len(s.frames) for s in book.streams)}, connections " \
          f"{load.connections}"
    yield "at a step: " + ", ".join(" ".join(x) for x in faults.steps)
    yield f"checks: {len(book.pauses)}, permits " \
          f"{dict(collections.Counter(p.state for p in book.permits.values()))}"
    yield "uses by status: " \
          f"{dict(collections.Counter(u.status for u in book.uses))}, tokens " \
          f"{len(book.issued)}, results {len(book.reported)}"
    yield f"tried again: {dict(load.bumps)}"


@pytest.mark.parametrize("name", ledger.CHECKS)
def test_the_ledger(told, name):
    wrong = ledger.wrong(told[0], name)
    assert not wrong, f"{len(wrong)} times:\n" + "\n".join(wrong[:10])


def test_enough_happened(told):
    """A run that proves something: every process was killed, and everything
    that is checked has occurred."""
    book, load, faults = told
    killed = collections.Counter(v for v, _ in faults.killed)
    assert all(killed[v] >= ROUNDS[0] for v in VICTIMS), killed
    statuses = collections.Counter(a.status for a in book.answers)
    assert statuses[200] >= 40 and statuses[409] >= 10, statuses
    states = collections.Counter(r.state for r in book.rows.values())
    assert states["expired"] >= 10, states
    kinds = collections.Counter(e.type for e in book.events)
    assert kinds["intent.suspension_renotified"] >= 20, kinds
    assert kinds["intent.suspension_escalated"] >= 10, kinds
    # Sent again: refused by the receiver, or its sender was killed.
    assert len(book.arrivals) > len(book.deliveries) >= 100
    assert load.connections > len(book.streams)
    assert sum(len(s.frames) for s in book.streams) >= 40
    assert len(faults.at_work) >= ROUNDS[0]


def test_enough_tool_calls(told):
    """Each step had its fault, and permits were granted, refused and used."""
    book, _, faults = told
    assert {x[1:] for x in faults.steps if x[0] == "web"} == {
        (request, table) for request, some in STEPS.items()
        for _, table in some}
    victims = collections.Counter(x[0] for x in faults.steps)
    assert all(victims[v] for v in ("postgres", *OF_OTHERS)), victims
    states = collections.Counter(p.state for p in book.permits.values())
    assert states["spent"] >= 10 and states["refused"] >= 10, states
    statuses = collections.Counter(u.status for u in book.uses)
    assert statuses[201] >= 20 and statuses[200] and statuses[409] >= 10, \
        statuses
    ended = collections.Counter(r.action for r in book.resumed)
    assert ended["approve"] >= 10 and ended["reject"] >= 10, ended


def test_every_question_is_open_or_decided(told, server):
    with server.database() as db:
        assert questions.strays(db) == []


def test_nothing_went_wrong_inside(told, server, receiver):
    assert receiver.failures == []
    assert not [x for x in kit.complaints(server)
                if not x.endswith("ended by signal 9")]
