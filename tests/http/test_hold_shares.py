"""The limits of one caller, and that other callers are not affected: streams,
held reads, requests, questions, bytes, endpoints, deliveries.

Two servers: one with few streams, and one with the defaults; other limits are
set for a test by the file and a reload.
"""
import base64
import concurrent.futures
import contextlib
import json
import os
import pathlib
import re
import signal
import socket
import threading
import time

import httpx
import pytest

import kit
from kit import (ask, children, new_id, new_intent, refused, wait_for,
                 waiter_process)
from page import signed_in
from receiver import Authority, Receiver
from server import place

route = pytest.mark.route

STREAMS, HELD = 30, 10
REFUSED_HELD = 8  # of one caller, for at least so many seconds:
REFUSED_FOR = 4.9
KEPT = 76_000_000  # unsent bytes of all streams, and one event's more
WAIT_MAX = 200_000_000  # the memory of the process that holds them


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("shares"), SAYSO_LIMIT_STREAMS=str(STREAMS),
                      SAYSO_LIMIT_HELD=str(HELD))
    del one.environ["SAYSO_LIMIT_RATE"]
    one.start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@pytest.fixture(scope="module")
def authority():
    return Authority(place("shares-receivers"))


@pytest.fixture(scope="module")
def receiver(authority):
    one = Receiver(authority.context())
    yield one
    one.close()


@pytest.fixture(scope="module")
def wide(authority):
    one = kit.Watched(place("shares-wide"),
                      SAYSO_CA_FILE=str(authority.file),
                      # Of a sanitized build: what was given back is not kept.
                      ASAN_OPTIONS="quarantine_size_mb=1:"
                      + os.environ.get("ASAN_OPTIONS", ""))
    del one.environ["SAYSO_LIMIT_RATE"]
    one.start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@pytest.fixture(scope="module")
def operator_cookie(server):
    """The session of whom ./start made."""
    return signed_in(server)


class Open:
    """A stream that is read only when it is asked to: its connection."""

    def __init__(self, server, path, key=None, cookie=None, last=None,
                 wait=True):
        self.s = socket.socket()
        self.s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 14)
        self.s.settimeout(60)
        self.s.connect(("127.0.0.1", server.port))
        who = f"Cookie: sayso={cookie}" if cookie else \
            f"X-API-Key: {key}" if key else "X-None: x"
        more = f"Last-Event-ID: {last}\r\n" if last else ""
        self.s.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\n"
                       f"Connection: close\r\n{who}\r\n{more}"
                       f"Accept: text/event-stream\r\n\r\n".encode())
        self.seen = b""
        if wait:
            self.until(b"\n\n")

    def until(self, what, behind=b""):
        """Reads until it is there; False: the connection ended before."""
        while what not in self.seen.partition(behind or b"HTTP")[2]:
            try:
                chunk = self.s.recv(1 << 16)
            except ConnectionError:
                chunk = b""
            if not chunk:
                return False
            self.seen += chunk
        return True

    @property
    def status(self):
        self.until(b"\r\n\r\n")
        return int(self.seen.split()[1])

    @property
    def last(self):
        return re.findall(rb"\nid: (\S+)\n", self.seen)[-1].decode()

    def close(self):
        self.s.close()


def own_key(server, *agents):
    options = [x for a in agents or ["a1"] for x in ("--agent", a)]
    return server.key("agent", *options, label=f"k {new_id()[:8]}")


def holding(server):
    path = pathlib.Path(server.socket).with_name("wait.sock")
    return kit.holds(waiter_process(server), path)


@pytest.fixture
def full(server):
    """A key that has all its streams."""
    key = own_key(server)
    intent = new_intent(server.client(headers={"X-API-Key": key}))
    path = f"/api/v1/intents/{intent['id']}/subscribe"
    streams = [Open(server, path, key) for _ in range(STREAMS)]
    assert {s.status for s in streams} == {200}
    yield key, path
    for s in streams:
        s.close()
    wait_for(lambda: holding(server) == 0)


# --- Streams and held reads ----------------------------------------------

@route("GET /api/v1/intents/{id}/subscribe")
def test_H5_one_key_at_its_ceiling_takes_nothing_of_others(
        server, full, operator_cookie):
    key, path = full
    server.calls.append(f"GET {path}")
    r = httpx.get(server.url + path, timeout=30, headers={
        "X-API-Key": key, "Accept": "text/event-stream"})
    refused(r, 429, "limit.streams")
    assert int(r.headers["Retry-After"]) > 0
    other = own_key(server, "a2")
    theirs = Open(server, "/api/v1/agents/a2/subscribe", other)
    inbox = Open(server, "/inbox/stream", cookie=operator_cookie)
    assert theirs.status == inbox.status == 200
    theirs.close()
    inbox.close()


def test_H5_a_session_has_a_ceiling_too(server, operator_cookie):
    streams = [Open(server, "/inbox/stream", cookie=operator_cookie)
               for _ in range(STREAMS)]
    assert {s.status for s in streams} == {200}
    again = Open(server, "/inbox/stream", cookie=operator_cookie)
    assert again.status == 429
    key = own_key(server)
    theirs = Open(server, "/api/v1/agents/a1/subscribe", key)
    assert theirs.status == 200
    for s in (*streams, again, theirs):
        s.close()
    wait_for(lambda: holding(server) == 0)


def test_H5_a_few_refused_streams_wait_and_the_others_are_answered(
        server, full):
    """A refused client reconnects at once, without an end."""
    key, path = full
    headers = {"X-API-Key": key, "Accept": "text/event-stream"}

    def come(n):
        begun = time.monotonic()
        r = httpx.get(server.url + path, headers=headers, timeout=60)
        refused(r, 429, "limit.streams")
        return n, begun, time.monotonic()

    for _ in range(5):
        with concurrent.futures.ThreadPoolExecutor(16) as pool:
            first = [pool.submit(come, n) for n in range(REFUSED_HELD)]
            try:
                wait_for(lambda: holding(server) == STREAMS + REFUSED_HELD, 4)
            except AssertionError:  # a slow machine looked when it was over
                continue
            more = [pool.submit(come, n).result() for n in range(4)]
            held = [f.result() for f in first]
        assert min(e - b for _, b, e in held) >= REFUSED_FOR
        # Unless it took so long that there was room again.
        if max(e for *_, e in more) < min(b for _, b, _ in held) + REFUSED_FOR:
            break
    else:
        pytest.fail("those beyond are held as well")


@route("GET /api/v1/suspensions/{id}")
def test_H5_reads_that_wait(server):
    key, other = own_key(server), own_key(server, "a2")
    headers = {"X-API-Key": key}
    with server.client(headers=headers) as client, \
            server.client(headers={"X-API-Key": other}) as second:
        mine, theirs = ask(client), ask(second)
        path = f"/api/v1/suspensions/{mine['suspension_id']}?wait=50"
        polls = [Open(server, path, key, wait=False) for _ in range(HELD)]
        wait_for(lambda: holding(server) == HELD)
        r = client.get(path)
        refused(r, 429, "limit.held")
        assert int(r.headers["Retry-After"]) > 0
        assert client.get(path.split("?")[0]).status_code == 200
        path = f"/api/v1/suspensions/{theirs['suspension_id']}?wait=50"
        polls.append(Open(server, path, other, wait=False))
        wait_for(lambda: holding(server) == HELD + 1)
        for p in polls:
            p.close()
        wait_for(lambda: holding(server) == 0)


def test_L1_what_is_held_without_a_key(server):
    """Some of each address, whatever it asks for, and few of one kind."""
    kinds = [f"/api/v1/agents/x{n}/subscribe" for n in range(6)]
    streams = [Open(server, kind, "nonsense", wait=False)
               for kind in kinds for _ in range(10)]
    wait_for(lambda: holding(server) > 0)
    most = 0
    for _ in range(20):
        most = max(most, holding(server))
        time.sleep(0.05)
    assert 0 < most <= 32, most
    beyond = Open(server, kinds[0], "nonsense")
    assert beyond.status in (401, 429)
    for s in (*streams, beyond):
        s.close()
    wait_for(lambda: holding(server) == 0)


@pytest.mark.parametrize("seal", ["", "&seal=", "&seal=" + "A" * 43 + "%3D"])
def test_L2_nothing_is_held_without_a_workers_word(server, seal):
    path = pathlib.Path(server.socket).with_name("wait.sock")
    for where, query in (
            ("stream", f"to=inbox&xid=1&after=0&skip=0&key={kit.ANY_ID}"),
            ("stream", "to=inbox&xid=1&after=0&skip=0&session=" + "0" * 64),
            ("poll", f"intent={kit.ANY_ID}&since=1&until=1&key=x")):
        said = kit.spoken(path, {"DOCUMENT_URI": f"/_wait/{where}",
                                 "QUERY_STRING": query + seal})
        assert said == b""


# --- What is unsent -------------------------------------------------------

@contextlib.contextmanager
def nginx_asleep(server):
    """nginx is stopped, so that nothing reaches a reader: neither its buffers
    nor the system's take a part of the counted bytes."""
    pid = int((server.state / "nginx/nginx.pid").read_text())
    workers = children(pid)
    for one in workers:
        os.kill(one, signal.SIGSTOP)
    try:
        yield
    finally:
        for one in workers:
            os.kill(one, signal.SIGCONT)


def big_event(server, key, intent):
    """An event of 0.96 MB, straight to a worker."""
    body = json.dumps({"patches": [kit.put("x", "a" * 480_000),
                                   kit.put("x", "b" * 480_000)]}).encode()
    r = kit.fastcgi(server.socket, {
        "REQUEST_METHOD": "POST", "CONTENT_LENGTH": str(len(body)),
        "REQUEST_URI": f"/api/v1/intents/{intent['id']}/state",
        "HTTP_X_API_KEY": key, "HTTP_IF_MATCH": str(intent["version"]),
        "REQUEST_ID": new_id().replace("-", ""), "REMOTE_ADDR": "127.0.0.1",
    }, body)
    assert r.status == 200, r.body


def most(pid, done, seconds=20):
    """The largest RSS until a condition holds, and for a moment after."""
    seen, end = [], time.monotonic() + seconds
    while time.monotonic() < end and not done():
        seen.append(kit.resident(pid))
        time.sleep(0.01)
    for _ in range(20):
        seen.append(kit.resident(pid))
        time.sleep(0.01)
    return max(seen)


def whole(stream):
    return stream.until(b"}\n\n", behind=b"event: state_patched")


def test_H1_600_that_do_not_read_share_one_frame(wide):
    pid = waiter_process(wide)
    keys = [own_key(wide), own_key(wide)]
    intent = new_intent(wide.client(headers={"X-API-Key": keys[0]}))
    path = f"/api/v1/intents/{intent['id']}/subscribe"
    streams = [Open(wide, path, keys[n % 2]) for n in range(600)]
    before = kit.resident(pid)
    with nginx_asleep(wide):
        big_event(wide, keys[0], intent)
        after = most(pid, lambda: False, 3)
    assert after - before < KEPT, (before, after)
    # Each still gets all of it.
    assert all(whole(s) for s in streams[:3])
    for s in streams:
        s.close()
    wait_for(lambda: holding(wide) == 0)


@pytest.fixture
def fast(wide):
    """More megabytes a second than a key may send otherwise."""
    with limits(wide, rate=1000000):
        yield wide


def test_H1_who_has_most_unsent_is_cut_and_comes_back(fast):
    """Frames that have one reader each, of twice as much as is kept."""
    wide = fast
    pid = waiter_process(wide)
    hostile, honest = own_key(wide), own_key(wide, "a2")
    theirs = new_intent(wide.client(headers={"X-API-Key": honest}))
    stays = Open(wide, f"/api/v1/intents/{theirs['id']}/subscribe", honest)
    client = wide.client(headers={"X-API-Key": hostile})
    intents = [new_intent(client) for _ in range(120)]
    streams = [Open(wide, f"/api/v1/intents/{i['id']}/subscribe", hostile)
               for i in intents]
    before = kit.resident(pid)
    with nginx_asleep(wide):
        big_event(wide, honest, theirs)
        for i in intents:
            big_event(wide, hostile, i)
        after = most(pid, lambda: cut(wide))
    assert after < WAIT_MAX, (before, after)
    assert cut(wide), "nobody was"
    assert whole(stays), "it had less unsent"
    ended = [(s, i) for s, i in zip(streams, intents) if not whole(s)]
    s, i = ended[0]
    again = Open(wide, f"/api/v1/intents/{i['id']}/subscribe", hostile,
                 last=s.last)
    assert whole(again), (s.last, again.seen[:500], again.seen[-200:])
    for s in (*streams, stays, again):
        s.close()
    wait_for(lambda: holding(wide) == 0)


def cut(server):
    """How many streams were, by the log."""
    log = (server.state / "log/sayso.log").read_text()
    return sum(int(n) for n in re.findall(r"streams cut .*unsent: (\d+)", log))


# --- Requests, questions, bytes, subscriptions, endpoints -----------------

def reload(server, text):
    conf, before = server.state / "sayso.conf", set(server.workers())
    conf.write_text(text)
    os.kill(server.supervisor(), signal.SIGHUP)
    wait_for(lambda: len(server.workers()) == 4
             and not before & set(server.workers()))


@contextlib.contextmanager
def limits(server, **values):
    text = (server.state / "sayso.conf").read_text()
    reload(server, text + "".join(f"limit_{k} = {v}\n"
                                  for k, v in values.items()))
    try:
        yield
    finally:
        reload(server, text)


def over(response, code):
    refused(response, 429, code)
    assert int(response.headers["Retry-After"]) > 0


def refusals(server, code):
    """How many the metrics tell of."""
    with server.client() as client:
        text = client.get("/metrics").text
    return int(re.search(rf'sayso_refused_total{{code="{code}"}} (\d+)',
                         text)[1])


def test_H5_requests_a_second(wide):
    """A second's worth five times over at once, and then as they come."""
    key, other = own_key(wide), own_key(wide, "a2")
    before = refusals(wide, "limit.rate")
    with limits(wide, rate=1), \
            wide.client(headers={"X-API-Key": key}) as client, \
            wide.client(headers={"X-API-Key": other}) as second, \
            concurrent.futures.ThreadPoolExecutor(20) as pool:
        got = list(pool.map(lambda n: client.get("/api/v1/intents?limit=1"),
                            range(60)))
        assert second.get("/api/v1/intents?limit=1").status_code == 200
    late = [r for r in got if r.status_code != 200]
    assert len(got) - len(late) >= 5 and late
    for r in late:
        over(r, "limit.rate")
    assert refusals(wide, "limit.rate") - before == len(late)


def test_H5_a_person_is_told_in_a_page(wide):
    cookie = signed_in(wide)
    with limits(wide, rate=1), \
            wide.client(headers={"Cookie": f"sayso={cookie}"}) as client, \
            concurrent.futures.ThreadPoolExecutor(20) as pool:
        got = list(pool.map(lambda n: client.get("/keys"), range(60)))
    late = [r for r in got if r.status_code == 429]
    assert late and "limit.rate" in late[0].text
    assert late[0].headers["Content-Type"].startswith("text/html")
    assert int(late[0].headers["Retry-After"]) > 0


@route("POST /api/v1/suspensions")
def test_H5_open_questions(server):
    key, other = own_key(server), own_key(server, "a2")
    with limits(server, open=3), \
            server.client(headers={"X-API-Key": key}) as client, \
            server.client(headers={"X-API-Key": other}) as second:
        asked = [ask(client) for _ in range(3)]
        body = {"question": "One more?", "response_type": "confirm"}
        over(client.post("/api/v1/suspensions", json=body), "limit.open")
        intent = new_intent(client)
        r = client.post(f"/api/v1/intents/{intent['id']}/status",
                        json={"status": "suspended_awaiting_input"},
                        headers={"If-Match": str(intent["version"])})
        r = kit.patch(client, r.json(), kit.put("_suspension", kit.record()))
        over(r, "limit.open")
        ask(second)
        kit.answer(server.client("operator"), asked[0])
        assert client.post("/api/v1/suspensions", json=body
                           ).status_code == 201


def test_H5_bytes_of_a_day(server):
    key, other = own_key(server), own_key(server, "a2")
    with limits(server, bytes_mb=1), \
            server.client(headers={"X-API-Key": key}) as client, \
            server.client(headers={"X-API-Key": other}) as second:
        asked, intent = ask(client), new_intent(client)
        # The state, and the event that tells of it.
        for _ in range(2):
            r = kit.patch(client, intent, kit.put("x", "a" * 400_000))
            assert r.status_code == 200, r.text
            intent = r.json()
        r = kit.patch(client, intent, kit.put("x", "b"))
        over(r, "limit.bytes")
        # Reads and answers of people do not count to the key's limit of bytes.
        assert kit.get(client, intent)["state"]["x"][0] == "a"
        kit.answer(server.client("operator"), asked)
        ask(second)


def test_H5_bytes_that_were_saved(server):
    """Every few megabytes, in the database: for the other hosts, and for the
    next start."""
    key = own_key(server)
    with server.client(headers={"X-API-Key": key}) as client:
        intent = new_intent(client)
        for n in range(12):
            r = kit.patch(client, intent, kit.put("x", "a" * 500_000))
            assert r.status_code == 200, r.text
            intent = r.json()
    with server.database() as db:
        [[bytes_, days]] = db.execute(
            "SELECT sum(bytes), count(*) FROM key_stored JOIN api_key k ON "
            "k.id = key_id WHERE prefix = %s", [key[:12]]).fetchall()
    assert bytes_ >= 4 << 20 and days in (1, 2)


@route("POST /api/v1/endpoints")
@route("POST /api/v1/subscriptions")
def test_H5_endpoints_and_subscriptions(server):
    """Of a key, whatever names its agents have."""
    key = own_key(server, "*")
    other = own_key(server, "a2")

    def register(client, agent):
        return client.post("/api/v1/endpoints", headers={"X-Agent-ID": agent},
                           json={"name": "x",
                                 "url": f"https://x.example/{new_id()}"})

    with limits(server, endpoints=3, subscriptions=2), \
            server.client(headers={"X-API-Key": key}) as client, \
            server.client(headers={"X-API-Key": other}) as second:
        made = [register(client, f"n{n}") for n in range(3)]
        assert {r.status_code for r in made} == {201}
        over(register(client, "n9"), "limit.endpoints")
        assert register(second, "a2").status_code == 201
        intent = new_intent(client)
        body = {"webhook_url": made[0].json()["url"],
                "intent_id": intent["id"]}
        as_first = {"X-Agent-ID": "n0"}
        for status in (201, 201, 429):
            r = client.post("/api/v1/subscriptions", json=body,
                            headers=as_first)
            assert r.status_code == status, r.text
        over(r, "limit.subscriptions")


# --- Deliveries -----------------------------------------------------------

class Tarpit:
    """Accepts connections, and never answers."""

    def __init__(self):
        self.s = socket.create_server(("127.0.0.1", 0))
        self.port = self.s.getsockname()[1]
        self.open, self.most, self.all = set(), 0, []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self):
        while True:
            try:
                one, _ = self.s.accept()
            except OSError:
                return
            self.all.append(one)
            threading.Thread(target=self._hold, args=(one,),
                             daemon=True).start()

    def _hold(self, one):
        self.open.add(one)
        self.most = max(self.most, len(self.open))
        with contextlib.suppress(OSError):
            while one.recv(4096):
                pass
        self.open.discard(one)

    def close(self):
        for one in (self.s, *self.all):
            one.close()


SECRET = "whsec_" + base64.b64encode(bytes(32)).decode()


def test_M4_slow_endpoints_of_one_agent_delay_nobody(wide, receiver):
    """Three hundred that wait for twenty of them: eight are being sent at once,
    and the others' arrive meanwhile."""
    tarpit = Tarpit()
    intent = new_intent(wide.client("agent", agent="alpha"))["id"]
    path = f"/{new_id()}"

    def endpoint(db, kind, agent, address):
        one = new_id()
        db.execute("INSERT INTO endpoint (id, kind, name, address, agent, "
                   "internal, secret, created_at, created_by) VALUES (%s, %s, "
                   "%s, %s, %s, true, %s, now(), 'x')",
                   [one, kind, one, address, agent, SECRET])
        return one

    def queue(db, to, n):
        db.execute("INSERT INTO delivery (id, endpoint_id, intent_id, "
                   "event_sequence, type, body, next_at, created_at) SELECT "
                   "gen_random_uuid(), %s, %s, 1, 'x', '{}', now() - interval "
                   "'1 hour', now() FROM generate_series(1, %s)",
                   [to, intent, n])

    with wide.database() as db:
        slow = [endpoint(db, "agent", "alpha",
                         f"https://127.0.0.1:{tarpit.port}/{n}")
                for n in range(20)]
        with db.transaction():
            for one in slow:
                queue(db, one, 15)
        wait_for(lambda: tarpit.most >= 8)
        theirs = endpoint(db, "agent", "beta", receiver.url(path))
        people = endpoint(db, "webhook", None, receiver.url(path + "/people"))
        queue(db, theirs, 1)
        queue(db, people, 1)
        wait_for(lambda: receiver.at(path) and receiver.at(path + "/people"),
                 60)
        # It may hear of an end after the next one has come.
        assert tarpit.most <= 16, tarpit.most
        db.execute("UPDATE endpoint SET paused_at = now() WHERE id = ANY (%s)",
                   [slow])
    tarpit.close()
