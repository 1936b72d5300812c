"""How many workers the large or long requests of one key may occupy, and what
their bytes cost. A request is kept in work by a lock on its intent, which it
waits for."""
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import time

import pytest

import kit
from kit import ask, new_id, new_intent, refused, wait_for
from server import place

route = pytest.mark.route

WORKERS = 4
LARGE = "x" * 20_000


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("workers"), SAYSO_WORKERS=str(WORKERS),
                      SAYSO_DATABASE_TIMEOUT="20")
    del one.environ["SAYSO_LIMIT_RATE"]
    one.start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(100) as one:
        yield one


@contextlib.contextmanager
def own_client(server, name=None):
    """A client with a key of its own, and an intent of it."""
    key = server.key("agent", "--agent", name or f"a-{new_id()}")
    with server.client(headers={"X-API-Key": key}) as client:
        client.intent = new_intent(client)
        yield client


def large(client, intent=None):
    return kit.patch(client, intent or client.intent, kit.put("x", LARGE))


def small(client):
    return kit.patch(client, client.intent, kit.put("y", 1))


def seats(server, pool, client, n):
    """n large requests of the client, in work until their intents are free."""
    before = kit.waiting(server)
    futures = [pool.submit(large, client) for _ in range(n)]
    wait_for(lambda: kit.waiting(server) == before + n)
    return futures


def over(r):
    refused(r, 429, "limit.workers")
    assert int(r.headers["Retry-After"]) > 0


def told(futures):
    return sorted(f.result(30).status_code for f in futures)


def refusals(server):
    with server.client() as client:
        text = client.get("/metrics").text
    return int(re.search(r'refused_total{code="limit.workers"} (\d+)',
                         text)[1])


@route("POST /api/v1/intents/{id}/state")
def test_half_of_the_workers_at_most(server, pool):
    before = refusals(server)
    with own_client(server) as client, own_client(server) as other:
        with kit.locked(server, client.intent):
            held = seats(server, pool, client, 2)
            for _ in range(3):
                over(large(client))
            over(client.post("/api/v1/intents", json={
                "title": "t", "state": {"x": LARGE}}))
            over(client.post("/mcp", json={"x": LARGE}))
            # Small ones, and those of others, are not counted.
            assert client.get("/api/v1/intents").status_code == 200
            ask(client)
            assert large(other).status_code == 200
        # One was carried out; the other had an old version.
        assert told(held) == [200, 409]
        client.intent = kit.get(client, client.intent)
        assert large(client).status_code == 200
    assert refusals(server) - before == 5


def test_a_place_is_given_back_by_every_end(server, pool):
    """Answered, refused by its version, by its body, by its address."""
    with own_client(server) as client:
        at = f"/api/v1/intents/{client.intent['id']}/state"
        for _ in range(2 * WORKERS):
            refused(kit.patch(client, client.intent, kit.put("x", LARGE),
                              version=99), 409)
            refused(client.post(at, content=b"[" * 20_000), 400)
            refused(client.post("/api/v1/intents", content=b"[" * 20_000), 400)
            refused(client.post(f"/api/v1/intents/{new_id()}/state",
                                json={"patches": [kit.put("x", LARGE)]},
                                headers={"If-Match": "1"}), 404)
            refused(client.post("/api/v1/intents", json={
                "title": LARGE}), 422)


def test_a_dead_worker_gives_its_place_back(server, pool):
    with own_client(server) as client:
        with kit.locked(server, client.intent):
            held = seats(server, pool, client, 2)
            busy = [w for w in server.workers()
                    if kit.has_request(w, server.socket)]
            for pid in busy:
                os.kill(pid, signal.SIGKILL)
            assert told(held) == [503, 503]
            wait_for(lambda: kit.waiting(server) == 0)
            wait_for(lambda: len(server.workers()) == WORKERS)
            again = seats(server, pool, client, 2)
            over(large(client))
        assert told(again) == [200, 409]


def test_one_worker_is_kept_for_people(server, pool, person):
    """However many keys there are."""
    one = person("operator")
    with contextlib.ExitStack() as stack:
        keys = [stack.enter_context(own_client(server)) for _ in range(3)]
        asked = ask(keys[0])
        with kit.locked(server, *(k.intent for k in keys)):
            held = [f for k in keys[:2] for f in seats(
                server, pool, k, 2 if k is keys[0] else 1)]
            over(large(keys[1]))
            over(large(keys[2]))
            # A small one of theirs may; a person's is answered, large or not.
            assert one.client.get("/inbox").status_code == 200
            r = one.client.post(
                f"/suspensions/{asked['suspension_id']}/respond",
                data={"comment": LARGE})
            assert r.status_code == 403, "it has no token of a form"
        assert len(told(held)) == 3


@route("GET /api/v1/intents")
@pytest.mark.parametrize("role", ["operator", "admin"])
def test_one_worker_is_kept_for_keys_that_answer(server, pool, role):
    """A list that agents made large is large for whoever answers them."""
    with contextlib.ExitStack() as stack:
        keys = [stack.enter_context(own_client(server)) for _ in range(3)]
        for _ in range(3):
            kit.made(keys[0].post("/api/v1/intents", json={
                "title": "t", "state": {"x": "x" * 400_000}}))
        reads = stack.enter_context(server.client(headers={
            "X-API-Key": server.key(role)}))
        assert reads.get("/api/v1/intents").status_code == 200
        with kit.locked(server, *(k.intent for k in keys)):
            held = [f for k in keys[:2] for f in seats(
                server, pool, k, 2 if k is keys[0] else 1)]
            over(large(keys[2]))
            for _ in range(2):
                assert reads.get("/api/v1/intents").status_code == 200
        assert len(told(held)) == 3


@pytest.mark.parametrize("size", [0, 8000, 15_000])
def test_fifty_small_asks_at_once(server, pool, size):
    """Each stores its context several times, and once more for each
    subscription."""
    with own_client(server) as client:
        for _ in range(10 if size else 0):
            url = f"https://{new_id()}.example/"
            kit.made(client.post("/api/v1/endpoints", json={
                "name": new_id(), "url": url}))
            kit.made(client.post("/api/v1/subscriptions", json={
                "webhook_url": url}))
        got = list(pool.map(lambda n: client.post(
            "/api/v1/suspensions", json={
                "question": "Refund?", "choices": kit.CHOICES,
                "context": {"x": "y" * size}}), range(50)))
    assert {r.status_code for r in got} == {201}


def test_a_setting(server, pool):
    with kit.configured(server, limit_workers=1), own_client(server) as client:
        with kit.locked(server, client.intent):
            held = seats(server, pool, client, 1)
            over(large(client))
        assert told(held) == [200]
    with kit.configured(server, limit_workers=256), \
            own_client(server) as client:
        with kit.locked(server, client.intent):
            held = seats(server, pool, client, WORKERS - 1)
            over(large(client))
        assert told(held) == [200, 409, 409]


def test_one_worker_serves_what_is_large(server):
    with kit.configured(server, workers=1), own_client(server) as client:
        for _ in range(3):
            assert large(client).status_code == 200
            client.intent = kit.get(client, client.intent)


@route("GET /api/v1/intents")
def test_large_reads(server, pool):
    """From the second on they are known to be large, each kind by itself."""
    with own_client(server) as client, own_client(server) as other:
        for _ in range(4):
            kit.made(client.post("/api/v1/intents", json={
                "title": "t", "state": {"x": "x" * 400_000}}))
        assert client.get("/api/v1/intents").status_code == 200
        with kit.locked(server, client.intent):
            held = seats(server, pool, client, 2)
            over(client.get("/api/v1/intents"))
            assert kit.get(client, client.intent)
            assert other.get("/api/v1/intents").status_code == 200
        assert told(held) == [200, 409]
        got = list(pool.map(lambda n: client.get("/api/v1/intents"),
                            range(5 * WORKERS)))
    assert {r.status_code for r in got} <= {200, 429}
    assert 200 in {r.status_code for r in got}


@route("POST /mcp")
def test_mcp_takes_256_kB(server):
    def ping(size):
        body = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {
            "x": ""}}
        body["params"]["x"] = "x" * (size - len(json.dumps(body)))
        return client.post("/mcp", content=json.dumps(body), headers={
            "Accept": "application/json, text/event-stream",
            "Content-Type": "application/json"})

    with own_client(server) as client:
        assert ping(256 * 1024).status_code == 200
        assert ping(256 * 1024 + 1).status_code == 413


def test_bytes_are_charged_to_the_rate(server):
    """A request for each 16 kB of a body; none costs more than a whole burst.
    Time that goes by lets more through."""
    with kit.configured(server, limit_rate=1), own_client(server) as client:
        begun = time.monotonic()
        r = kit.patch(client, client.intent, kit.put("x", "x" * 200_000))
        assert r.status_code == 200, r.text
        late = client.get("/api/v1/intents?limit=1")
        if time.monotonic() - begun < 1:
            refused(late, 429, "limit.rate")
            assert 1 <= int(late.headers["Retry-After"]) <= 10


def test_large_reads_are_charged_to_the_rate(server):
    """By the bytes that they send, where those are more than 1 MB."""
    with own_client(server) as client, own_client(server) as other:
        for n in range(3):
            for one in (client, other):
                kit.made(one.post("/api/v1/intents", json={
                    "title": "t", "state": {"x": "x" * 450_000}}))
        with kit.configured(server, limit_rate=2):
            # Eleven each, of ten.
            got = [client.get("/api/v1/intents") for _ in range(4)]
            # Some large ones are no large read.
            few = [other.get("/api/v1/intents?limit=2") for _ in range(6)]
    assert got[0].status_code == 200
    late = [r for r in got if r.status_code == 429]
    refused(late[0], 429, "limit.rate")
    assert {r.status_code for r in few} == {200}


@route("POST /api/v1/intents/{id}/state")
@route("POST /api/v1/intents/{id}/status")
def test_a_small_change_of_what_is_large(server, pool):
    """It is read and written whole, which its body does not say. From the
    second on it is known."""
    with own_client(server) as client, own_client(server) as other:
        held = [new_intent(client, state={"x": "x" * 100_000})
                for _ in range(3)]
        for one in held:
            made = kit.set_status(client, kit.get(client, one), "blocked")
            assert made.status_code == 200, made.text
        with kit.locked(server, *held):
            before = kit.waiting(server)
            futures = [pool.submit(kit.set_status, client, one, "active", 3)
                       for one in held[:2]]
            wait_for(lambda: kit.waiting(server) == before + 2)
            over(kit.set_status(client, held[2], "active", 3))
            # Another address counts by itself, and so does another key.
            assert small(client).status_code == 200
            assert small(other).status_code == 200
            ask(client)
        assert told(futures) == [200, 200]


@route("GET /api/v1/suspensions/{id}")
def test_reads_of_the_largest_questions_are_small(server, pool):
    """Many of them may be held."""
    with own_client(server) as client:
        asked = ask(client, context={"x": "x" * 250_000})
        at = f"/api/v1/suspensions/{asked['suspension_id']}"
        got = list(pool.map(lambda n: client.get(f"{at}?wait=1"), range(60)))
    assert {r.status_code for r in got} == {200}


@route("POST /api/v1/tool-calls/check")
def test_checks_are_small_whatever_the_rules(server, pool):
    """A check reads all of them."""
    rules = 300
    with server.database() as db:
        db.execute("INSERT INTO tool_rule (position, agent, tool, effect, "
                   "reason, created_at, created_by) SELECT n, '*', "
                   "'none.' || n, 'deny', repeat('x', 300), now(), 'x' "
                   "FROM generate_series(1, %s) n", [rules])
    try:
        with own_client(server) as client:
            got = list(pool.map(lambda n: client.post(
                "/api/v1/tool-calls/check", json={
                    "tool_calls": [{"id": new_id(), "tool": "pay",
                                    "arguments": {}}],
                    "responder": {"mode": "operators"}}), range(50)))
    finally:
        with server.database() as db:
            db.execute("DELETE FROM tool_rule")
    assert {r.status_code for r in got} == {202}, got[0].text
