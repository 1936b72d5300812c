"""The pool of workers: stopping, reloading, crashing, hanging.

A server of its own, which the tests stop and start again.
"""
import concurrent.futures
import contextlib
import datetime
import os
import signal
import socket
import threading
import time

import pytest

import kit
from kit import (busy_worker, children, comm, locked, new_intent, plain,
                 set_status, wait_for, waiting)
from page import login_data
from server import place


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("pool")).start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@contextlib.contextmanager
def load(server, clients=4):
    """Requests without a pause while the block runs; gives the statuses."""
    stop, statuses, failed = threading.Event(), [], []

    def one():
        with server.client("agent", agent="load") as client:
            while not stop.is_set():
                try:
                    r = client.post("/api/v1/intents", json={"title": "x"})
                    statuses.append(r.status_code)
                except Exception as e:
                    failed.append(repr(e))

    with concurrent.futures.ThreadPoolExecutor(clients) as pool:
        for _ in range(clients):
            pool.submit(one)
        try:
            yield statuses
        finally:
            stop.set()
    assert failed == []


def test_as_many_workers_as_are_wanted(server):
    assert len(server.workers()) == 4
    for pid in server.workers() + [server.supervisor()]:
        assert comm(pid).startswith("sayso: ")


def test_a_reload_drops_nothing(server):
    with load(server) as statuses:
        for _ in range(5):
            wait_for(lambda: len(server.workers()) == 4)
            before = set(server.workers())
            calls = len(statuses)
            os.kill(server.supervisor(), signal.SIGHUP)
            wait_for(lambda: not before & set(server.workers()))
            wait_for(lambda: len(statuses) > calls + 10)
    wait_for(lambda: len(server.workers()) == 4)
    assert set(statuses) == {201}


def test_a_reload_reads_the_configuration(server):
    conf = server.state / "sayso.conf"
    text = conf.read_text()
    try:
        conf.write_text(text.replace("workers = 4", "workers = 2"))
        os.kill(server.supervisor(), signal.SIGHUP)
        wait_for(lambda: len(server.workers()) == 2)
        # A configuration that cannot be read changes nothing.
        conf.write_text(text + "bogus = 1\n")
        os.kill(server.supervisor(), signal.SIGHUP)
        wait_for(lambda: "reload failed" in server.log())
        assert len(server.workers()) == 2
    finally:
        conf.write_text(text)
        os.kill(server.supervisor(), signal.SIGHUP)
    wait_for(lambda: len(server.workers()) == 4)


def test_a_request_in_flight_survives_a_reload(server, agent):
    intent = new_intent(agent)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        with locked(server, intent):
            got = pool.submit(set_status, agent, intent, "completed")
            wait_for(lambda: waiting(server) == 1)
            os.kill(server.supervisor(), signal.SIGHUP)
            time.sleep(0.3)
        assert got.result(10).status_code == 200
    wait_for(lambda: len(server.workers()) == 4)


def test_killed_workers_come_back(server, agent):
    for _ in range(3):
        before = wait_for(lambda: len(server.workers()) == 4
                          and server.workers())
        for pid in before[:2]:
            os.kill(pid, signal.SIGKILL)
        assert agent.get("/api/v1/intents").status_code == 200
        wait_for(lambda: len(server.workers()) == 4)
    for pid in server.workers():
        os.kill(pid, signal.SIGKILL)
    r = agent.get("/api/v1/intents")  # waits in the socket's queue
    assert r.status_code == 200
    wait_for(lambda: len(server.workers()) == 4, 15)
    assert "ended by signal 9" in server.log()


def test_a_worker_killed_in_a_request_leaves_no_lock_and_no_half(
        server, agent):
    intent = new_intent(agent)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        with locked(server, intent):
            got = pool.submit(set_status, agent, intent, "completed")
            wait_for(lambda: waiting(server) == 1)
            os.kill(busy_worker(server), signal.SIGKILL)
            r = got.result(10)
            assert r.status_code == 503 and r.json()["code"]
    wait_for(lambda: len(server.workers()) == 4)
    wait_for(lambda: waiting(server) == 0)
    assert kit.get(agent, intent) == intent
    assert set_status(agent, intent, "completed").status_code == 200


def test_a_crashing_worker_is_started_again_with_back_off(server):
    wait_for(lambda: len(server.workers()) == 4)
    begun = time.monotonic()
    seen = []
    for _ in range(6):
        pid = wait_for(lambda: [w for w in server.workers()
                                if w not in seen])[0]
        seen.append(pid)
        os.kill(pid, signal.SIGKILL)
    wait_for(lambda: len(server.workers()) == 4)
    assert time.monotonic() - begun < 60


def test_half_a_request_from_the_front_end(server, agent):
    """A front end that connects and sends nothing, or nonsense, costs a worker
    some time and nothing else."""
    path = str(server.socket)
    for data in (b"", b"GET / HTTP/1.0\r\n\r\n", bytes(64),
                 b"\x01\x01\x00\x01\x00\x08\x00\x00" + bytes(8),
                 b"\x01\x63\x00\x01\xff\xff\x00\x00" + b"x" * 70000):
        for _ in range(3):
            with socket.socket(socket.AF_UNIX) as s:
                s.settimeout(5)
                s.connect(path)
                with contextlib.suppress(OSError):
                    s.sendall(data)
    assert agent.get("/api/v1/intents").status_code == 200
    wait_for(lambda: len(server.workers()) == 4, 15)


def test_a_stuck_worker_is_killed(stuck):
    """After thirty seconds in one request; others went on meanwhile."""
    one, pid, begun, request = stuck
    with one.client() as client:
        while pid in one.workers():
            assert time.time() - begun < 60
            assert client.get("/readyz").status_code == 200
            time.sleep(0.2)
    line = next(x for x in one.log().splitlines()
                if f"sayso: web, {pid}, is killed: one piece of work" in x)
    killed = datetime.datetime.fromisoformat(line.split(" ")[0])
    assert 29 < killed.timestamp() - begun < 60
    # nginx answers for it, in JSON.
    assert request.result(20).status_code == 503
    wait_for(lambda: len(one.workers()) == 2)


def test_nobody_listens(server, nobody_here):
    """The program is gone and nginx is not: 503, JSON or a page."""
    path = server.socket
    away = path.with_name("away.sock")
    path.rename(away)
    try:
        for at in ("/api/v1/intents", "/readyz", "/nope"):
            r = nobody_here.get(at)
            assert r.status_code == 503
            assert r.json()["code"] == "server.unavailable"
            assert int(r.headers["retry-after"]) > 0
        for at in ("/inbox", "/suspensions/x", "/login", "/"):
            r = nobody_here.get(at, headers={"Accept": "text/html"})
            assert r.status_code == 503
            assert r.headers["content-type"].startswith("text/html")
            assert int(r.headers["retry-after"]) > 0
    finally:
        away.rename(path)
    assert nobody_here.get("/readyz").status_code == 200


@pytest.fixture
def nobody_here(server):
    with server.client() as client:
        yield client


def test_guessing_at_the_login_is_slowed_down(server, nobody_here):
    """nginx's ceiling for an address, above the program's for a person."""
    data = login_data(nobody_here, email="x@example.com", password="x")
    for _ in range(3):
        assert nobody_here.post("/login", data=data).status_code == 422
    # Requests that cost the program little come faster than real ones.
    slow = None
    for _ in range(600):
        r = nobody_here.post("/login", data={})
        assert r.status_code in (403, 429)
        slow = slow or (r if r.status_code == 429 else None)
        if slow:
            break
    assert slow.headers["content-type"].startswith("text/html")
    assert "Too many" in slow.text
    assert int(slow.headers["retry-after"]) > 0


# --- The last ones: they stop it ------------------------------------------

def test_a_stop_answers_every_request_in_flight(server, agent):
    """Workers in the middle of a request finish it, and the queued requests are
    served, within 10 s; then all processes have ended."""
    intents = [new_intent(agent) for _ in range(4)]
    others = [new_intent(agent) for _ in range(12)]
    supervisor, pid = server.supervisor(), server.pid()

    def change(intent):
        return set_status(agent, intent, "completed").status_code

    with concurrent.futures.ThreadPoolExecutor(16) as pool:
        with locked(server, *intents):
            busy = [pool.submit(change, i) for i in intents]
            wait_for(lambda: waiting(server) == 4)
            queued = [pool.submit(change, i) for i in others]
            wait_for(lambda: kit.queued(server.socket) == 12)
            begun = time.monotonic()
            os.kill(supervisor, signal.SIGTERM)
            time.sleep(0.3)
        assert [f.result(10) for f in busy] == [200] * 4
        assert [f.result(10) for f in queued] == [200] * 12
    wait_for(lambda: comm(supervisor) is None)
    assert time.monotonic() - begun < 30
    wait_for(lambda: comm(pid) is None, 60)
    assert children(supervisor) == []


def test_it_comes_back_with_its_data(server):
    server.stop()
    before = server.env["SAYSO_AGENT_KEY"]
    server.start()
    assert server.env["SAYSO_AGENT_KEY"] == before
    with server.client("agent", agent="refunds-agent") as client:
        r = client.get("/api/v1/intents", params={"status": "completed"})
        assert len(r.json()["intents"]) >= 16


def test_a_killed_supervisor_takes_its_workers_along(server):
    supervisor = server.supervisor()
    workers = server.workers()
    assert len(workers) == 4
    os.kill(supervisor, signal.SIGKILL)
    wait_for(lambda: not any(comm(w) == "sayso: web" for w in workers))
    pid = server.pid()
    wait_for(lambda: comm(pid) is None, 60)
    server.stop()
    server.start()
    assert plain(server, b"GET /readyz HTTP/1.0\r\n\r\n").status == 200
    assert children(server.supervisor())
