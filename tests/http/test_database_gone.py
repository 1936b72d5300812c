"""PostgreSQL stopped, ended, and killed: 503 within 3 s, and all works again
without a restart of anything else.

A server of its own; only its processes are touched.
"""
import concurrent.futures
import os
import signal
import time

import pytest

import kit
from kit import answer, ask, children, comm, new_id, new_intent, wait_for
from page import login_data
from server import place

# The situation of test_pool.py takes half a minute: it begins here.
pytestmark = pytest.mark.usefixtures("stuck")


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("database"), SAYSO_DATABASE_TIMEOUT="4").start()
    one.database_process = None
    # One that still starts would not serve its share.
    with one.database() as db:
        wait_for(lambda: db.execute(
            "SELECT count(DISTINCT pid) FROM pg_stat_activity WHERE "
            "application_name = 'sayso web'").fetchone()[0] == 4, 60)
    yield one
    one.stop()
    process = one.database_process
    assert not process or wait_for(lambda: process.poll() is not None)
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@pytest.fixture
def nobody(server):
    with server.client() as client:
        yield client


def start_database(server):
    server.database_process = kit.start_database(server)


def stop_database(server, sig):
    pid = server.postmaster()
    os.kill(pid, sig)
    wait_for(lambda: comm(pid) != "postgres", 20)


def unavailable(call):
    """One request, answered long before any timeout, with its sentence."""
    begun = time.monotonic()
    r = call()
    took = time.monotonic() - begun
    assert r.status_code == 503, r.text
    assert took < 12, took
    assert 1 <= int(r.headers["retry-after"]) <= 60
    return r


def gone(server, agent, operator, nobody, asked):
    """The answer to every kind of request while the database is down."""
    at = f"/api/v1/suspensions/{asked['suspension_id']}"
    login = login_data(nobody, email="a@example.com", password="x")
    calls = [
        lambda: agent.get(f"/api/v1/intents/{asked['intent_id']}"),
        lambda: agent.post("/api/v1/suspensions", json={"question": "Q?"}),
        lambda: agent.get(at),
        lambda: operator.post(at + "/respond", json={"value": "deny"}),
        lambda: nobody.get("/readyz"),
        lambda: nobody.post("/login", data=login),
        lambda: nobody.get("/inbox", headers={
            "Cookie": "sayso=" + "A" * 43, "Accept": "text/html"}),
    ]
    # Four workers: four at a time are served at once.
    for some in (calls[:4], calls[4:]):
        for r in kit.together(*[lambda c=c: unavailable(c) for c in some]):
            if "json" in r.headers["content-type"]:
                assert r.json()["code"] == "database.unavailable"
    # Requests without the database still work.
    assert nobody.get("/healthz").status_code == 200
    assert nobody.get("/.well-known/openintent.json").status_code == 200
    assert nobody.get("/login").status_code == 200
    metrics = nobody.get("/metrics")
    assert metrics.status_code == 200
    assert "\nsayso_database_up 0\n" in metrics.text


def back(server, agent, operator, asked):
    """Afterwards: at once, with every worker, and nothing was lost."""
    wait_for(lambda: agent.get("/readyz").status_code == 200)
    got = kit.together(*[lambda: agent.get("/readyz")] * 12)
    assert {r.status_code for r in got} == {200}
    r = answer(operator, asked, "deny")
    assert r.status_code == 200, r.text
    new_intent(agent)


@pytest.fixture
def asked(agent):
    return ask(agent)


def test_the_database_stands_still(server, agent, operator, nobody, asked):
    postmaster = server.postmaster()
    stopped = [postmaster] + children(postmaster)
    supervisor, workers = server.supervisor(), set(server.workers())
    for pid in stopped:
        os.kill(pid, signal.SIGSTOP)
    try:
        gone(server, agent, operator, nobody, asked)
    finally:
        for pid in stopped:
            os.kill(pid, signal.SIGCONT)
    back(server, agent, operator, asked)
    assert server.supervisor() == supervisor
    assert set(server.workers()) == workers


@pytest.mark.parametrize("sig", [signal.SIGINT, signal.SIGQUIT,
                                 signal.SIGKILL])
def test_the_database_ends(server, agent, operator, nobody, asked, sig):
    supervisor, workers = server.supervisor(), set(server.workers())
    leftover = children(server.postmaster())
    stop_database(server, sig)
    wait_for(lambda: not any(comm(p) == "postgres" for p in leftover), 20)
    gone(server, agent, operator, nobody, asked)
    start_database(server)
    back(server, agent, operator, asked)
    assert server.supervisor() == supervisor
    assert set(server.workers()) == workers


def test_every_connection_is_cut(server, agent, operator, asked):
    """A restart between two requests causes no error."""
    for _ in range(3):
        assert agent.get("/readyz").status_code == 200
        with server.database() as db:
            db.execute("SELECT pg_terminate_backend(pid) FROM "
                       "pg_stat_activity WHERE usename = 'sayso_web'")
        got = kit.together(*[lambda: agent.post(
            "/api/v1/intents", json={"title": "x"})] * 8)
        assert {r.status_code for r in got} == {201}
    assert answer(operator, asked, "deny").status_code == 200


def test_a_row_that_somebody_holds(server, agent, operator, asked):
    """A lock that is not released is an ordinary 503 too."""
    with server.database() as db, db.transaction():
        db.execute("SELECT FROM intent WHERE id = %s FOR UPDATE",
                   [asked["intent_id"]])
        unavailable(lambda: answer(operator, asked, "deny"))
        # Reading takes no locks.
        r = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}")
        assert r.json()["state"] == "pending"
    assert answer(operator, asked, "deny").status_code == 200


def test_no_answer_that_got_a_200_is_lost(server, agent, operator):
    """The database is killed under load; what was answered is there."""
    asked = [ask(agent) for _ in range(60)]
    ledger, refusals = {}, 0

    def one(question):
        try:
            return question["suspension_id"], answer(
                operator, question, "approve", reason=new_id(),
                headers={"Idempotency-Key": new_id()})
        except Exception as e:
            raise AssertionError(f"an answer without a status: {e!r}")

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        running = [pool.submit(one, q) for q in asked]
        wait_for(lambda: sum(f.done() for f in running) >= 10)
        leftover = children(server.postmaster())
        stop_database(server, signal.SIGKILL)
        wait_for(lambda: not any(comm(p) == "postgres" for p in leftover),
                 20)
        time.sleep(0.5)
        start_database(server)
        for f in running:
            suspension, r = f.result(60)
            assert r.status_code in (200, 503), r.text
            if r.status_code == 200:
                ledger[suspension] = r.json()
            else:
                refusals += 1
    wait_for(lambda: agent.get("/readyz").status_code == 200, 20)
    assert len(ledger) >= 10
    for suspension, said in ledger.items():
        got = operator.get(f"/api/v1/suspensions/{suspension}").json()
        assert got == said
    for question in asked:
        if question["suspension_id"] not in ledger:
            r = answer(operator, question, "deny")
            assert r.status_code in (200, 409)
    done = server.sayso("verify")
    assert done.returncode == 0, done.stdout
