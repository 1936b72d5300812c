"""Event streams as their readers see them: in order, without a gap and none
twice, whatever breaks; and what becomes of readers that are slow or no longer
welcome.

A server of its own, whose processes are killed."""
import concurrent.futures
import json
import os
import pathlib
import signal
import socket
import threading
import time

import httpx
import pytest

import kit
from kit import (answer, ask, events, new_id, new_intent, refused, respond,
                 set_status, suspend, wait_for, waiter_process)
from server import place

route = pytest.mark.route


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("streams")).start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


PLACES = ("connected", "keepalive")  # frames that only tell where it is


class Stream:
    """A reader in a thread of its own. ended: None while it is open, then how
    it ended. last: the id to go on from."""

    def __init__(self, server, path, key=None, last=None, cookie=None):
        self.frames, self.comments, self.ended = [], 0, None
        self.status, self.last, self.places = None, last, []
        headers = {"Accept": "text/event-stream"}
        if cookie:
            headers["Cookie"] = f"sayso={cookie}"
        else:
            headers["X-API-Key"] = key or server.env["SAYSO_AGENT_KEY"]
        if last:
            headers["Last-Event-ID"] = last
        server.calls.append(f"GET {path}")
        self.closed = threading.Event()
        self.began = time.monotonic()
        self.thread = threading.Thread(
            target=self._run, args=(server.url + path, headers), daemon=True)
        self.thread.start()
        wait_for(lambda: self.status or self.ended, 20)

    def _run(self, url, headers):
        try:
            with httpx.stream("GET", url, headers=headers,
                              timeout=60) as self.response:
                self.headers = self.response.headers
                self.status = self.response.status_code
                self._read()
            self.ended = "cleanly"
        except (httpx.HTTPError, RuntimeError, OSError) as e:
            self.ended = repr(e)
        self.took = time.monotonic() - self.began

    def _read(self):
        frame = {}
        for line in self.response.iter_lines():
            if self.closed.is_set():
                return
            if line.startswith(":"):
                self.comments += 1
            elif line:
                key, _, value = line.partition(": ")
                assert key not in frame
                frame[key] = value
            elif "data" in frame:
                frame["data"] = json.loads(frame["data"])
                place = frame["event"] in PLACES
                (self.places if place else self.frames).append(frame)
                self.last = frame["id"]
                frame = {}
            else:
                assert frame in ({}, {"retry": "5000"})
                frame = {}

    def until(self, what, seconds=10):
        """Waits for a frame of that event type, or a test of one; gives it."""
        test = what if callable(what) else lambda f: f["event"] == what
        return wait_for(lambda: next(filter(test, list(self.frames)), None),
                        seconds)

    def close(self):
        self.closed.set()


def intents_stream(server, intent, **more):
    return Stream(server, f"/api/v1/intents/{intent['id']}/subscribe", **more)


def note(client, intent, n=0, size=0):
    r = client.post(f"/api/v1/intents/{intent['id']}/events",
                    json={"event_type": "comment", "actor": "refunds-agent",
                          "payload": {"n": n, "pad": "x" * size}})
    assert r.status_code in (200, 201), r.text


# Two that only have to be left alone: they begin before all tests.

@pytest.fixture(scope="module", autouse=True)
def idle(server, agent):
    stream = intents_stream(server, new_intent(agent))
    yield stream
    stream.close()


@pytest.fixture(scope="module", autouse=True)
def unread(server, agent):
    """A reader that takes nothing of more than all buffers hold."""
    intent = new_intent(agent)
    pid = waiter_process(server)
    path = pathlib.Path(server.socket).with_name("wait.sock")
    with socket.socket() as s:
        s.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 16)
        s.connect(("127.0.0.1", server.port))
        before = kit.holds(pid, path)
        s.sendall(f"GET /api/v1/intents/{intent['id']}/subscribe HTTP/1.1\r\n"
                  f"Host: x\r\nX-API-Key: {server.env['SAYSO_AGENT_KEY']}\r\n"
                  f"\r\n".encode())
        wait_for(lambda: kit.holds(pid, path) == before + 1)
        for n in range(60):
            note(agent, intent, n, 200_000)
        yield s, pid, time.monotonic()


# --- What comes -----------------------------------------------------------

@route("GET /api/v1/intents/{id}/subscribe")
def test_what_happens_is_told_at_once(server, agent):
    intent = new_intent(agent)
    stream = intents_stream(server, intent)
    assert stream.headers["content-type"] == "text/event-stream"
    assert stream.headers["cache-control"] == "no-store"
    assert stream.status == 200 and stream.frames == []
    delays, plain = [], []
    for n in range(9):
        begun = time.monotonic()
        kit.get(agent, intent)
        plain.append(time.monotonic() - begun)
        note(agent, intent, n)
        begun = time.monotonic()
        stream.until(lambda f: f["data"].get("payload", {}).get("n") == n)
        delays.append(time.monotonic() - begun)
    # Without a wake-up it would be seen once a second.
    assert sorted(delays)[4] < 0.3 + 3 * sorted(plain)[4], (delays, plain)
    listed = [e["sequence"] for e in events(agent, intent["id"])]
    assert [int(f["id"]) for f in stream.frames] == sorted(listed)[-9:]
    stream.close()


@route("GET /api/v1/subscribe/intents/{id}")
@route("POST /api/v1/intents/{id}/suspend/respond")
def test_a_question_and_its_answer(server, agent, operator):
    intent = new_intent(agent)
    stream = Stream(server, f"/api/v1/subscribe/intents/{intent['id']}")
    r = set_status(agent, intent, "suspended_awaiting_input")
    wanted = kit.record()
    r = kit.patch(agent, r.json(), kit.put("_suspension", wanted))
    assert r.status_code == 200
    asked = stream.until("intent.suspended")["data"]
    assert asked["id"] == wanted["id"]
    assert asked["question"] == wanted["question"]
    assert respond(operator, intent, wanted["id"], "approve").status_code == 200
    assert stream.until("intent.resumed")
    stream.close()


@route("GET /api/v1/agents/{agent_id}/subscribe")
@route("GET /api/v1/subscribe/agents/{agent_id}")
def test_an_agent_hears_of_its_work_alone(server, agent, operator):
    name = f"a-{new_id()}"
    intent = new_intent(agent)
    streams = [Stream(server, f"/api/v1/agents/{name}/subscribe"),
               Stream(server, f"/api/v1/subscribe/agents/{name}")]
    r = agent.post(f"/api/v1/intents/{intent['id']}/agents",
                   json={"agent_id": name})
    assert r.status_code in (200, 201)
    agent.post(f"/api/v1/intents/{intent['id']}/agents",
               json={"agent_id": f"b-{name}"})
    for s in streams:
        assert s.until("AGENT_ASSIGNED")["data"]["intent_id"] == intent["id"]
    note(agent, intent)
    now = kit.get(agent, intent)
    assert set_status(agent, now, "completed").status_code == 200
    for s in streams:
        s.until("status_changed")
        time.sleep(0.2)
        assert [f["event"] for f in s.frames] == [
            "AGENT_ASSIGNED", "agent_assigned", "INTENT_COMPLETED",
            "status_changed"]
        s.close()


@route("GET /inbox/stream")
def test_the_inbox_hears_of_questions(server, agent, operator, person):
    cookie = person("operator").client.cookies["sayso"]
    stream = Stream(server, "/inbox/stream", cookie=cookie)
    asked = ask(agent)
    one = stream.until("suspension")["data"]
    assert one == {"intent_id": asked["intent_id"], "change": "asked",
                   "suspension_id": asked["suspension_id"]}
    assert answer(operator, asked).status_code == 200
    stream.until(lambda f: f["data"]["change"] == "answered")
    stream.close()


# --- Going on -------------------------------------------------------------

@route("GET /api/v1/intents/{id}/subscribe")
def test_an_intents_stream_goes_on(server, agent):
    """All behind the id, old and new, once."""
    intent = new_intent(agent)
    for n in range(10):
        note(agent, intent, n)
    listed = sorted(e["sequence"] for e in events(agent, intent["id"]))
    stream = intents_stream(server, intent, last=str(listed[0]))
    note(agent, intent, 10)
    stream.until(lambda f: f["data"].get("payload", {}).get("n") == 10)
    assert [int(f["id"]) for f in stream.frames if "." not in f["id"]] == [
        *listed[1:], listed[-1] + 1]
    stream.close()


@route("GET /api/v1/intents/{id}/subscribe")
@route("GET /api/v1/agents/{agent_id}/subscribe")
def test_broken_between_two_frames_of_one_event(server, agent):
    """The second alone, and then what follows."""
    name = f"a-{new_id()}"
    intent = new_intent(agent)
    for path in (f"/api/v1/agents/{name}/subscribe",
                 f"/api/v1/intents/{intent['id']}/subscribe"):
        first = Stream(server, path)
        now = kit.get(agent, intent)
        r = agent.post(f"/api/v1/intents/{intent['id']}/agents",
                       json={"agent_id": name})
        assert r.status_code in (200, 201), r.text
        set_status(agent, kit.get(agent, intent),
                   "blocked" if now["status"] == "active" else "active")
        first.until("status_changed")
        got = [(f["event"], f["id"]) for f in first.frames]
        first.close()
        assert len(got) == 4
        for at in range(len(got)):
            again = Stream(server, path, last=got[at][1])
            if at < 3:
                again.until("status_changed")
            time.sleep(0.2)
            assert [(f["event"], f["id"]) for f in again.frames] == \
                got[at + 1:], got[at]
            again.close()
        agent.delete(f"/api/v1/intents/{intent['id']}/agents/{name}")


@route("GET /api/v1/intents/{id}/subscribe")
def test_more_than_a_page_behind(server, agent):
    intent = new_intent(agent)
    for n in range(620):
        note(agent, intent, n)
    stream = intents_stream(server, intent, last="1")
    stream.until(lambda f: f["data"].get("payload", {}).get("n") == 619, 20)
    numbers = [f["data"]["payload"]["n"] for f in stream.frames
               if f["event"] == "comment"]
    assert numbers == list(range(620))
    stream.close()


@route("GET /api/v1/intents/{id}/subscribe")
def test_a_frame_larger_than_the_ceiling(server, agent):
    """It passes when nothing else is unsent; and many of them do."""
    intent = new_intent(agent)
    stream = intents_stream(server, intent)
    now = intent
    for n in range(6):
        r = kit.patch(agent, now, kit.put("big", f"{n}" + "x" * 400_000))
        assert r.status_code == 200, r.text
        now = r.json()
    wait_for(lambda: len([f for f in stream.frames
                          if f["event"] == "state_patched"]) == 6, 20)
    assert stream.ended is None
    stream.close()


@route("GET /api/v1/intents/{id}/subscribe")
def test_c1_an_event_of_many_values_does_not_end_the_holder(server, agent):
    """A small text whose tree takes some 110 MB."""
    intent, pid = new_intent(agent), waiter_process(server)
    stream = intents_stream(server, intent)
    r = kit.patch(agent, intent, kit.put("x", [{}] * 110_000))
    assert r.status_code == 200, r.text
    stream.until("state_patched", 20)
    note(agent, intent)
    stream.until("comment", 20)
    assert waiter_process(server) == pid and stream.ended is None
    stream.close()


# --- Refused --------------------------------------------------------------

SLOWED = 9.9  # seconds: ten, measured by another clock


def refuse(server, path, key):
    headers = {"Accept": "text/event-stream", "X-API-Key": key}
    begun = time.monotonic()
    r = httpx.get(server.url + path, headers=headers, timeout=30)
    return r, begun, time.monotonic()


def test_refusals_are_slowed_down(server, agent):
    """The first at once, the next ten seconds after it; each kind by
    itself."""
    good = server.env["SAYSO_AGENT_KEY"]
    bad = server.key("agent", "--agent", "x1", label="narrow")
    kinds = [(f"/api/v1/intents/{new_id()}/subscribe", good, 404),
             ("/api/v1/agents/a/subscribe", "nonsense", 401),
             ("/api/v1/agents/somebody/subscribe", bad, 403),
             ("/api/v1/nothing/subscribe", good, 404)]

    def twice(kind):
        path, key, status = kind
        first, begun, soon = refuse(server, path, key)
        second, _, late = refuse(server, path, key)
        assert first.status_code == second.status_code == status
        refused(first, status)
        assert soon - begun < SLOWED < late - begun, (begun, soon, late)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        list(pool.map(twice, kinds))


def test_other_refusals_are_not(server):
    took = []
    for _ in range(5):
        with server.client() as nobody:
            r = nobody.get("/api/v1/intents")
        refused(r, 401)
        took.append(r.elapsed.total_seconds())
    # All but the first would be.
    assert min(took[1:]) < SLOWED, took


# --- Left alone -----------------------------------------------------------

def test_an_unread_stream_is_cut(server, unread):
    """No more is kept for it than the system's buffers and ours hold, and
    after a while nothing."""
    s, pid, since = unread
    assert waiter_process(server) == pid
    system = pathlib.Path("/proc/sys/net/ipv4/tcp_wmem").read_text().split()
    s.settimeout(5)
    time.sleep(max(0, since + 22 - time.monotonic()))
    got, last = 0, b""
    try:
        while chunk := s.recv(1 << 20):
            got, last = got + len(chunk), (last + chunk)[-7:]
    except ConnectionError:
        pass
    assert 0 < got < int(system[2]) + 2_000_000 < 60 * 200_000
    assert last != b"\r\n0\r\n\r\n", "it did not end well"


def test_a_stream_without_events_is_kept_alive(idle):
    wait_for(lambda: idle.comments >= 1, 25)
    assert idle.ended is None and idle.frames == []
    assert [p["event"] for p in idle.places] == ["connected"]


# --- Whoever breaks -------------------------------------------------------

class Ledger:
    """A reader that breaks off and goes on, over and over."""

    def __init__(self, server, path):
        self.server, self.path = server, path
        self.got, self.stop, self.last = [], threading.Event(), None
        self.stream = Stream(server, path)
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def _run(self):
        while not self.stop.is_set():
            end = time.monotonic() + 0.4
            while time.monotonic() < end and not self.stream.ended:
                time.sleep(0.02)
            self._again()
        wait_for(self.read_all)
        time.sleep(0.5)  # for doubles
        self._collect()

    def _collect(self):
        self.stream.close()
        taken = list(self.stream.frames)
        self.got += [(f["event"], f["id"]) for f in taken]
        if taken:
            return taken[-1]["id"]
        return self.stream.places[-1]["id"] if self.stream.places \
            else self.last

    def _again(self):
        self.last = self._collect()
        time.sleep(0.05)
        self.stream = Stream(self.server, self.path, last=self.last)

    def read_all(self):
        return self.whole(self.got + [(f["event"], f["id"])
                                      for f in list(self.stream.frames)])

    def end(self, whole):
        """whole: is it all that has to come?"""
        self.whole = whole
        self.stop.set()
        self.thread.join()
        return self.got


@route("GET /api/v1/intents/{id}/subscribe")
@route("GET /api/v1/agents/{agent_id}/subscribe")
def test_nothing_is_missed_and_nothing_doubled(server, agent):
    """Readers that break off, a holder that is killed, many writers."""
    name = f"a-{new_id()}"
    intents = [new_intent(agent) for _ in range(4)]
    ledgers = {i["id"]: Ledger(server,
                               f"/api/v1/intents/{i['id']}/subscribe")
               for i in intents}
    all_of_them = Ledger(server, f"/api/v1/agents/{name}/subscribe")
    first = {i["id"]: len(events(agent, i["id"])) for i in intents}

    def write(intent):
        with server.client("agent", agent="refunds-agent") as client:
            client.post(f"/api/v1/intents/{intent['id']}/agents",
                        json={"agent_id": name})
            for n in range(60):
                now = kit.get(client, intent)
                to = "blocked" if now["status"] == "active" else "active"
                assert set_status(client, now, to).status_code == 200
                time.sleep(0.02)

    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        done = [pool.submit(write, i) for i in intents]
        for _ in range(3):
            time.sleep(1)
            pid = waiter_process(server)
            if pid:
                os.kill(pid, signal.SIGKILL)
        for d in done:
            d.result(60)
    wait_for(lambda: waiter_process(server))
    time.sleep(1)
    for i in intents:
        def numbers(got):
            return [int(id_.partition(".")[0]) for event, id_ in got
                    if not event.isupper()]

        listed = sorted(e["sequence"] for e in
                        events(agent, i["id"], limit=1000))
        got = numbers(ledgers[i["id"]].end(
            lambda got: listed[-1] in numbers(got)))
        assert got == listed[first[i["id"]]:]

    def changes(got):
        return [x for x in got if x[0] == "status_changed"]

    got = all_of_them.end(lambda got: len(changes(got)) >= 4 * 60)
    assert len(got) == len(set(got)), "doubles"
    assert len(changes(got)) == 4 * 60


# --- Ending ---------------------------------------------------------------

@route("GET /api/v1/agents/{agent_id}/subscribe")
@route("GET /inbox/stream")
def test_who_may_no_longer_listen(server, agent, person):
    key = server.key("agent", "--agent", "a1", label=f"short {new_id()}")
    gone, out = person("operator"), person("operator")
    stays = Stream(server, "/api/v1/agents/a1/subscribe")
    cut = [Stream(server, "/api/v1/agents/a1/subscribe", key=key)]
    cut += [Stream(server, "/inbox/stream", cookie=p.client.cookies["sayso"])
            for p in (gone, out)]
    cut += [Stream(server, "/api/v1/agents/a1/subscribe", key=gone.token())]
    time.sleep(1)
    assert [s.ended for s in (stays, *cut)] == [None] * 5
    assert server.sayso("key", "revoke", key[:12]).returncode == 0
    r = server.sayso("operator", "disable", "--email", gone.email)
    assert r.returncode == 0, r.stderr
    with server.database() as db:
        db.execute("UPDATE operator_session s SET revoked_at = now() FROM "
                   "principal p WHERE p.id = principal_id AND email = %s",
                   [out.email])
    wait_for(lambda: all(s.ended for s in cut), 40)
    assert all(s.ended != "cleanly" for s in cut)
    assert stays.ended is None
    stays.close()


def test_a_holder_that_ends_breaks_its_streams(server, agent):
    streams = [intents_stream(server, new_intent(agent)) for _ in range(3)]
    pid = waiter_process(server)
    os.kill(pid, signal.SIGTERM)
    for s in streams:
        wait_for(lambda: s.ended)
        assert s.ended != "cleanly"
    wait_for(lambda: waiter_process(server) not in (None, pid))


def test_nobody_holds(server, agent):
    """The connection breaks, so that the SDK pauses."""
    path = pathlib.Path(server.socket).with_name("wait.sock")
    path.rename(path.with_suffix(".away"))
    try:
        s = intents_stream(server, new_intent(agent))
        wait_for(lambda: s.ended)
        assert s.status is None and "RemoteProtocolError" in s.ended
    finally:
        path.with_suffix(".away").rename(path)


@route("GET /api/v1/agents/{agent_id}/subscribe")
def test_a_stream_goes_on_before_anything_was_read(server, agent):
    """From the place that it told when it began."""
    path = f"/api/v1/agents/a-{new_id()}/subscribe"
    name = path.split("/")[4]
    first = Stream(server, path)
    wait_for(lambda: first.places)
    first.close()
    intent = new_intent(agent)
    r = agent.post(f"/api/v1/intents/{intent['id']}/agents",
                   json={"agent_id": name})
    assert r.status_code == 200
    again = Stream(server, path, last=first.places[0]["id"])
    assert again.until("AGENT_ASSIGNED")["data"]["intent_id"] == intent["id"]
    wait_for(lambda: again.places)
    assert again.places[0]["id"] == first.places[0]["id"]
    again.close()


# --- Portfolios -----------------------------------------------------------

def portfolio(client, *intents):
    r = client.post("/api/v1/portfolios", json={"name": "Returns"})
    assert r.status_code == 201, r.text
    for i in intents:
        join(client, r.json(), i)
    return r.json()


def join(client, p, intent):
    r = client.post(f"/api/v1/portfolios/{p['id']}/intents",
                    json={"intent_id": intent["id"]})
    assert r.status_code == 201, r.text


def sequences(frames, intent):
    return [f["data"]["sequence"] for f in frames
            if f["data"]["intent_id"] == intent["id"]
            and not f["event"].isupper()]


@route("GET /api/v1/portfolios/{id}/subscribe")
@route("GET /api/v1/subscribe/portfolios/{id}")
def test_P9_a_portfolios_stream_over_a_restart(server, agent):
    """No gap and no double, with a member that is added in between."""
    one, two, other = (new_intent(agent) for _ in range(3))
    p = portfolio(agent, one)
    path = f"/api/v1/portfolios/{p['id']}/subscribe"
    first = Stream(server, path)
    too = Stream(server, f"/api/v1/subscribe/portfolios/{p['id']}")
    note(agent, one)
    note(agent, other)
    frame = first.until("comment")
    assert frame["data"]["portfolio_id"] == p["id"]
    assert frame["data"]["intent_id"] == one["id"]
    assert frame["data"]["event_hash"]
    assert too.until("comment")["data"] == frame["data"]
    os.kill(waiter_process(server), signal.SIGKILL)
    wait_for(lambda: first.ended)
    note(agent, one)
    note(agent, two)
    join(agent, p, two)
    note(agent, two)
    wait_for(lambda: waiter_process(server))
    again = wait_for(lambda: (lambda s: s if s.status else None)(
        Stream(server, path, last=first.last)), 30)
    note(agent, two)
    set_status(agent, one, "completed")
    done = again.until("INTENT_COMPLETED")
    assert done["data"]["portfolio_id"] == p["id"]
    again.until(lambda f: f["event"] == "status_changed")
    frames = first.frames + again.frames
    all_of_one = [e["sequence"] for e in reversed(events(agent, one["id"]))]
    assert sequences(frames, one) == all_of_one[-3:]
    # From the event by which it was added.
    all_of_two = [e["sequence"] for e in reversed(events(agent, two["id"]))]
    wait_for(lambda: len(sequences(again.frames, two)) == 3)
    assert sequences(again.frames, two) == all_of_two[-3:]
    assert len({f["id"] for f in frames}) == len(frames)
    assert sequences(frames, other) == []
    assert agent.delete(f"/api/v1/portfolios/{p['id']}/intents/{two['id']}"
                        ).status_code == 204
    again.until("removed_from_portfolio")
    note(agent, two)
    note(agent, one)
    wait_for(lambda: len(sequences(again.frames, one)) == 3)
    assert len(sequences(again.frames, two)) == 4
    for s in (too, again):
        s.close()


@route("GET /api/v1/portfolios/{id}/subscribe")
def test_a_portfolios_stream_leaves_out_what_is_not_reached(server, agent,
                                                            operator):
    key = server.key("agent", "--agent", "apart", label=f"apart {new_id()}")
    with server.client(headers={"X-API-Key": key}) as apart:
        theirs, own, mine = (new_intent(agent), new_intent(apart),
                             new_intent(agent))
        r = agent.post(f"/api/v1/intents/{mine['id']}/agents",
                       json={"agent_id": "apart"})
        assert r.status_code == 200, r.text
        p = portfolio(operator, theirs, own, mine)
        path = f"/api/v1/portfolios/{p['id']}/subscribe"
        stream, whole = Stream(server, path, key=key), Stream(server, path)
        for i in (theirs, own, mine):
            note(agent, i)
        for s, n in ((stream, 2), (whole, 3)):
            wait_for(lambda: len(s.frames) >= n)
        time.sleep(0.5)
        assert {f["data"]["intent_id"] for f in stream.frames} == {
            own["id"], mine["id"]}
        assert len(whole.frames) == 3
        q = portfolio(agent, theirs)
        refused(apart.get(f"/api/v1/portfolios/{q['id']}/subscribe"), 404,
                "portfolio.unknown")
        for s in (stream, whole):
            s.close()
