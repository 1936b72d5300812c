"""What one caller may take of the server, and that the others do not notice:
streams, held reads, requests, questions, bytes, endpoints, deliveries.

Two servers: one with low ceilings, and one with those that it comes with."""
import concurrent.futures
import pathlib
import re
import socket
import time

import httpx
import pytest

import kit
from kit import (ask, children, comm, new_id, new_intent, refused, wait_for)
from server import place

route = pytest.mark.route

STREAMS, HELD = 30, 10
REFUSED_HELD = 8  # of one caller, for at least so many seconds:
REFUSED_FOR = 4.9
KEPT = 76_000_000  # unsent bytes of all streams, and one event's more


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("shares"), SAYSO_LIMIT_STREAMS=str(STREAMS),
                      SAYSO_LIMIT_HELD=str(HELD)).start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@pytest.fixture(scope="module")
def wide():
    one = kit.Watched(place("shares-wide")).start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@pytest.fixture(scope="module")
def operator_cookie(server):
    """The session of whom ./start made."""
    return signed_in(server)


def signed_in(server):
    with server.client(headers={"Accept": "text/html"}) as client:
        from page import login_data
        r = client.post("/login", data=login_data(
            client, email=server.env["SAYSO_OPERATOR_EMAIL"],
            password=server.env["SAYSO_OPERATOR_PASSWORD"]))
        assert r.status_code == 303
        return client.cookies["sayso"]


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

    def until(self, what):
        """Reads until it is there; False: the connection ended before."""
        while what not in self.seen:
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


def waiter_process(server):
    return [p for p in children(server.supervisor())
            if comm(p) == "sayso: wait"][0]


def holding(server):
    path = pathlib.Path(server.socket).with_name("wait.sock")
    return kit.holds(waiter_process(server), path)


def rss(pid):
    text = pathlib.Path(f"/proc/{pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", text)[1]) * 1024


def quarantine(pid):
    """What a sanitized build keeps of the memory that was given back."""
    maps = pathlib.Path(f"/proc/{pid}/maps").read_text()
    return 256 << 20 if "libasan" in maps else 0


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
    """A client that is refused comes back at once, for ever."""
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
            wait_for(lambda: holding(server) == STREAMS + REFUSED_HELD)
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
    time.sleep(1)
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

def big_event(client, intent):
    """An event of 0.96 MB."""
    r = kit.patch(client, intent, kit.put("x", "a" * 480_000),
                  kit.put("x", "b" * 480_000))
    assert r.status_code == 200, r.text
    return r.json()


def test_H1_600_that_do_not_read_share_one_frame(wide):
    pid = waiter_process(wide)
    keys = [own_key(wide), own_key(wide)]
    client = wide.client(headers={"X-API-Key": keys[0]})
    intent = new_intent(client)
    path = f"/api/v1/intents/{intent['id']}/subscribe"
    streams = [Open(wide, path, keys[n % 2]) for n in range(600)]
    before = rss(pid)
    big_event(client, intent)
    most = 0
    for _ in range(40):
        most = max(most, rss(pid))
        time.sleep(0.05)
    assert most - before < KEPT, (before, most)
    # Each still gets all of it.
    for s in streams[:3]:
        assert s.until(b"event: state_patched") and s.until(b"}\n\n")
    for s in streams:
        s.close()
    wait_for(lambda: holding(wide) == 0)


def test_H1_who_has_most_unsent_is_cut_and_comes_back(wide):
    """Frames that have no more than one reader each: twice the ceiling."""
    pid = waiter_process(wide)
    hostile, honest = own_key(wide), own_key(wide, "a2")
    client = wide.client(headers={"X-API-Key": hostile})
    other = wide.client(headers={"X-API-Key": honest})
    theirs = new_intent(other)
    stays = Open(wide, f"/api/v1/intents/{theirs['id']}/subscribe", honest)
    intents = [new_intent(client) for _ in range(120)]
    streams = [Open(wide, f"/api/v1/intents/{i['id']}/subscribe", hostile)
               for i in intents]
    before, most = rss(pid), 0
    for i in intents:
        big_event(client, i)
        most = max(most, rss(pid))
    assert most - before < KEPT + quarantine(pid), (before, most)
    wait_for(lambda: "too much is unsent; streams cut" in
             (wide.state / "log/sayso.log").read_text())
    big_event(other, theirs)
    assert stays.until(b"event: state_patched") and stays.until(b"}\n\n")
    cut = [(s, i) for s, i in zip(streams, intents)
           if not (s.until(b"event: state_patched") and s.until(b"}\n\n"))]
    assert cut, "nobody was"
    s, i = cut[0]
    again = Open(wide, f"/api/v1/intents/{i['id']}/subscribe", hostile,
                 last=s.last)
    assert again.until(b"event: state_patched")
    for s in (*streams, stays, again):
        s.close()
    wait_for(lambda: holding(wide) == 0)
