"""Long polls: held, answered as soon as there is something to say, and never
lost, whatever dies meanwhile.

A server of its own, whose processes are killed."""
import asyncio
import concurrent.futures
import contextlib
import json
import os
import pathlib
import resource
import signal
import socket
import time

import httpx
import pytest

import kit
from kit import (answer, ask, comm, new_id, new_intent, refused, respond,
                 set_status, suspend, wait_for, waiter_process)
from server import place
from test_database_gone import start_database, stop_database

route = pytest.mark.route
SUSPENSION = "GET /api/v1/suspensions/{id}"
INTENT = "GET /api/v1/intents/{id}"


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("wait")).start()
    one.database_process = None
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(32) as threads:
        yield threads


class Poll:
    """A request that may be held, in a thread and on a connection of its
    own."""

    def __init__(self, server, pool, path, **headers):
        self.began = time.monotonic()
        self.answer = pool.submit(self._get, server, path, headers)

    def _get(self, server, path, headers):
        with server.client("agent", agent="refunds-agent", headers=headers,
                           timeout=70) as client:
            r = client.get(path)
        self.took = time.monotonic() - self.began
        self.ended = time.monotonic()
        return r

    def held(self, seconds=0.4):
        """It is not answered, and nobody works on it."""
        done, _ = concurrent.futures.wait([self.answer], seconds)
        return not done

    def result(self, seconds=30):
        r = self.answer.result(seconds)
        assert r.status_code == 200, r.text
        return r


def poll(server, pool, asked, wait=50):
    return Poll(server, pool,
                f"/api/v1/suspensions/{asked['suspension_id']}?wait={wait}")


def poll_intent(server, pool, intent, wait=50, since=None, **headers):
    since = intent["version"] if since is None else since
    return Poll(server, pool, f"/api/v1/intents/{intent['id']}"
                f"?wait={wait}&since={since}", **headers)


def holding(server):
    """How many connections it has to nginx."""
    return kit.holds(waiter_process(server),
                     pathlib.Path(server.socket).with_name("wait.sock"))


def nobody_lets_go(server):
    """A read held now stays held until the client gives up: an answered call
    was not held, however slow the machine is."""
    return kit.asleep(server, "wait")


def read(client, asked):
    return client.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()


# --- Questions ------------------------------------------------------------

@route(SUSPENSION)
def test_what_is_decided_is_answered_at_once(server, pool, agent, operator):
    asked = ask(agent)
    assert answer(operator, asked).status_code == 200
    with nobody_lets_go(server):
        r = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}?wait=50")
    assert r.json() == read(agent, asked)
    assert "retry-after" not in r.headers


@route(SUSPENSION)
def test_held_and_answered_with_the_answer(server, pool, agent, operator):
    delays, plain = [], []
    for _ in range(9):
        asked = ask(agent)
        begun = time.monotonic()
        read(agent, asked)
        plain.append(time.monotonic() - begun)
        one = poll(server, pool, asked)
        assert one.held()
        assert answer(operator, asked).status_code == 200
        answered = time.monotonic()
        r = one.result()
        assert r.json() == read(agent, asked)
        assert r.json()["value"] == "approve"
        assert "retry-after" not in r.headers
        assert r.headers["cache-control"] == "no-store"
        delays.append(one.ended - answered)
    # Without a note it would be seen once a second.
    assert sorted(delays)[4] < 0.3 + 3 * sorted(plain)[4], (delays, plain)


@route(SUSPENSION)
def test_the_time_is_over(server, pool, agent, operator):
    """Its own time: who wants to wait longer still does."""
    asked = ask(agent)
    longer, one = poll(server, pool, asked), poll(server, pool, asked, 1)
    r = one.result()
    assert r.json()["state"] == "pending"
    assert "retry-after" not in r.headers
    assert one.took > 0.9 and longer.held(0)
    assert answer(operator, asked).status_code == 200
    assert longer.result().json()["state"] == "resolved"


@route(SUSPENSION)
def test_holds_that_began_together_end_apart(server, agent):
    """Each at a random moment of its last fifth."""
    asked = ask(agent)
    with concurrent.futures.ThreadPoolExecutor(40) as many:
        held = [poll(server, many, asked, 5) for _ in range(40)]
        for p in held:
            assert p.result().json()["state"] == "pending"
    assert min(p.took for p in held) >= 3.9
    ended = [p.ended for p in held]
    assert max(ended) - min(ended) > 0.3


@pytest.mark.parametrize("wait", ["56", "-1", "x", "", "1.5", "1e1"])
@route(SUSPENSION)
@route(INTENT)
def test_a_wait_that_is_none(agent, wait):
    asked = ask(agent)
    for path in (f"/api/v1/suspensions/{asked['suspension_id']}",
                 f"/api/v1/intents/{asked['intent_id']}"):
        refused(agent.get(path, params={"wait": wait}), 400, "request.query",
                "wait")


@route(SUSPENSION)
def test_no_wait_at_all(server, agent):
    asked = ask(agent)
    with nobody_lets_go(server):
        r = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}?wait=0")
    assert r.json()["state"] == "pending"


@route(SUSPENSION)
def test_head_never_waits(server, agent):
    asked = ask(agent)
    for path in (f"/api/v1/suspensions/{asked['suspension_id']}?wait=50",
                 f"/api/v1/intents/{asked['intent_id']}?wait=50"):
        with nobody_lets_go(server):
            assert agent.head(path).status_code == 200


@route(SUSPENSION)
def test_two_wait_for_the_same(server, pool, agent, operator):
    asked = ask(agent)
    two = [poll(server, pool, asked) for _ in range(2)]
    assert all(p.held() for p in two)
    assert answer(operator, asked, "deny").status_code == 200
    assert [p.result().json()["value"] for p in two] == ["deny"] * 2


@route(SUSPENSION)
def test_another_question_wakes_nobody(server, pool, agent, operator):
    mine, other = ask(agent), ask(agent)
    one = poll(server, pool, mine)
    assert one.held()
    assert answer(operator, other).status_code == 200
    assert one.held(1.5)
    assert answer(operator, mine).status_code == 200
    one.result()


@route(SUSPENSION)
def test_a_question_of_somebody_else(server, agent):
    asked = ask(agent)
    with server.client("agent", agent="other-agent") as other:
        r = other.get(f"/api/v1/suspensions/{asked['suspension_id']}?wait=50")
    refused(r, 404, "suspension.unknown")
    assert r.elapsed.total_seconds() < 40


@route(SUSPENSION)
def test_unknown_and_without_a_key(server, agent):
    refused(agent.get(f"/api/v1/suspensions/{new_id()}?wait=50"), 404)
    with server.client() as nobody:
        refused(nobody.get(f"/api/v1/suspensions/{new_id()}?wait=50"), 401)


@route(SUSPENSION)
def test_a_key_revoked_meanwhile(server, pool, agent, operator):
    key = server.key("agent", "--agent", "refunds-agent", label="short")
    asked = ask(agent)
    one = Poll(server, pool,
               f"/api/v1/suspensions/{asked['suspension_id']}?wait=50",
               **{"X-API-Key": key})
    assert one.held()
    assert server.sayso("key", "revoke", key[:12]).returncode == 0
    assert answer(operator, asked).status_code == 200
    refused(one.answer.result(10), 401, "key.revoked")


@route(SUSPENSION)
@route("POST /api/v1/suspensions/{id}/cancel")
def test_a_withdrawn_question(server, pool, agent):
    asked = ask(agent)
    one = poll(server, pool, asked)
    assert one.held()
    r = agent.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel")
    assert r.status_code == 200
    assert one.result().json()["state"] == "cancelled"


@route(SUSPENSION)
def test_a_question_whose_time_is_over(server, pool, agent, operator):
    asked = ask(agent, timeout_seconds=1, fallback_policy="fail")
    one = poll(server, pool, asked)
    time.sleep(1.1)
    refused(answer(operator, asked), 409)
    assert one.result().json()["state"] == "expired"


@route(INTENT)
@route("POST /api/v1/intents/{id}/suspend/respond")
def test_a_question_of_the_sdk(server, pool, agent, operator):
    intent, suspension = suspend(agent)
    one = poll_intent(server, pool, intent)
    assert one.held()
    assert respond(operator, intent, suspension, "approve").status_code == 200
    mirror = one.result().json()["state"]["_suspension"]
    assert mirror["response"] == "approve"


# --- Intents --------------------------------------------------------------

@route(INTENT)
def test_an_older_version_is_answered_at_once(server, pool, agent):
    intent = new_intent(agent)
    one = poll_intent(server, pool, intent, since=intent["version"] - 1)
    assert one.result().json()["version"] == intent["version"]


@route(INTENT)
def test_the_next_version(server, pool, agent):
    intent = new_intent(agent)
    one = poll_intent(server, pool, intent)
    assert one.held()
    assert set_status(agent, intent, "blocked").status_code == 200
    assert one.result().json()["status"] == "blocked"


@route(INTENT)
def test_without_since_the_next_change_is_meant(server, pool, agent):
    intent = new_intent(agent)
    one = Poll(server, pool, f"/api/v1/intents/{intent['id']}?wait=50")
    assert one.held()
    assert set_status(agent, intent, "blocked").status_code == 200
    assert one.result().json()["status"] == "blocked"


@route(INTENT)
def test_a_version_to_come_is_waited_for(server, pool, agent):
    intent = new_intent(agent)
    one = poll_intent(server, pool, intent, since=intent["version"] + 1)
    assert one.held()
    r = set_status(agent, intent, "blocked")
    assert one.held(1.5), "this change is not what it asked for"
    assert set_status(agent, r.json(), "active").status_code == 200
    assert one.result().json()["version"] == intent["version"] + 2


@route(INTENT)
def test_unchanged_is_304_after_the_wait(server, pool, agent):
    intent = new_intent(agent)
    etag = {"If-None-Match": f'"{intent["version"]}"'}
    one = poll_intent(server, pool, intent, 1, **etag)
    r = one.answer.result()
    assert r.status_code == 304 and r.text == ""
    assert "retry-after" not in r.headers and one.took > 0.9
    one = poll_intent(server, pool, intent, **etag)
    assert one.held()
    assert set_status(agent, intent, "blocked").status_code == 200
    assert one.result().json()["status"] == "blocked"


@pytest.mark.parametrize("query", ["since=1", "wait=1&since=x",
                                   "wait=1&since=-1", "wait=1&since="])
@route(INTENT)
def test_a_since_that_is_none(agent, query):
    intent = new_intent(agent)
    refused(agent.get(f"/api/v1/intents/{intent['id']}?{query}"), 400,
            "request.query", "since")


@route(INTENT)
def test_an_unknown_intent_is_not_waited_for(agent):
    r = agent.get(f"/api/v1/intents/{new_id()}?wait=50")
    refused(r, 404)
    assert r.elapsed.total_seconds() < 40


# --- What no client may do ------------------------------------------------

@pytest.mark.parametrize("path", [
    "/_wait/poll", "/_wait/poll?intent=x&until=9", "/_wait/stream",
    "/_wait/hold?who=0123456789abcdef", "/_wait/", "/_wait", "/@resume"])
def test_nobody_gets_there_by_himself(agent, path):
    refused(agent.get(path), 404, "route.unknown")


@route(SUSPENSION)
def test_a_header_is_no_way_around_the_wait(server, pool, agent):
    asked = ask(agent)
    one = Poll(server, pool,
               f"/api/v1/suspensions/{asked['suspension_id']}?wait=1",
               WAITED="held", **{"X-Sayso-Waited": "held"})
    one.result()
    assert one.took > 0.9


# --- Whoever dies meanwhile -----------------------------------------------

@route(SUSPENSION)
def test_the_holder_is_killed(server, pool, agent, operator):
    asked = ask(agent)
    held = [poll(server, pool, asked) for _ in range(3)]
    wait_for(lambda: holding(server) == 3)
    pid = waiter_process(server)
    os.kill(pid, signal.SIGKILL)
    for p in held:
        r = p.result()
        assert r.json()["state"] == "pending"
        assert r.headers["retry-after"] == "1"
    wait_for(lambda: waiter_process(server) not in (None, pid))
    one = poll(server, pool, asked)
    assert one.held()
    assert answer(operator, asked).status_code == 200
    assert one.result().json()["state"] == "resolved"


def call(path, body):
    """A function that posts, for a client's call that is held."""
    def post(server):
        with server.client("agent", agent="refunds-agent",
                           timeout=70) as client:
            r = client.post(path, json=body)
        assert r.status_code == 200, r.text
        return r.json()
    return post


def hook_of(tool):
    return call("/hooks/claude", {
        "hook_event_name": "PreToolUse", "tool_name": tool,
        "tool_input": {"command": "ls"}, "tool_use_id": tool,
        "session_id": tool})


def tool_of(name):
    return call("/mcp", {
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "request_approval",
            "_meta": {"callId": name, "threadId": "one"},
            "arguments": {"action": name, "target": "x",
                          "scope_summary": "x"}}})


def hook_says(body):
    return body["hookSpecificOutput"]["permissionDecision"]


def tool_says(body):
    return body["result"]["structuredContent"]["outcome"]


@pytest.mark.parametrize("post, says, no, yes", [
    (hook_of, hook_says, "deny", "allow"),
    (tool_of, tool_says, None, "authorized")])
def test_a_call_whose_holder_is_killed(server, pool, operator, post, says, no,
                                       yes):
    """It is no yes, and the same call finds the answer after."""
    name = f"x{new_id()}"
    held = pool.submit(post(name), server)
    wait_for(lambda: holding(server) == 1)
    pid = waiter_process(server)
    os.kill(pid, signal.SIGKILL)
    assert says(held.result(60)) == no
    wait_for(lambda: waiter_process(server) not in (None, pid))
    rows = operator.get("/api/v1/suspensions", params={"state": "pending"})
    [asked] = [s for s in rows.json()["suspensions"]
               if s["question"] == f"Run {name}?"]
    held = pool.submit(post(name), server)
    wait_for(lambda: holding(server) == 1)
    assert answer(operator, asked).status_code == 200
    assert says(held.result(60)) == yes


def stream_of(server, name):
    """The last event of a call whose client is told of progress; None where
    the stream was cut."""
    takes = {"Accept": "application/json, text/event-stream"}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "request_approval",
        "_meta": {"callId": name, "threadId": "one", "progressToken": name},
        "arguments": {"action": name, "target": "x", "scope_summary": "x"}}}
    with server.client("agent", agent="refunds-agent", headers=takes,
                       timeout=70) as client:
        try:
            r = client.post("/mcp", json=body)
        except httpx.RemoteProtocolError:
            return None
    assert r.headers["content-type"] == "text/event-stream"
    return json.loads(r.text.split("data: ")[-1])


def test_a_stream_whose_holder_is_killed(server, pool, operator):
    """It is cut or says that nobody has answered, and the same call finds the
    answer after."""
    name = f"x{new_id()}"
    held = pool.submit(stream_of, server, name)
    wait_for(lambda: holding(server) == 1)
    pid = waiter_process(server)
    os.kill(pid, signal.SIGKILL)
    cut = held.result(60)
    assert cut is None or tool_says(cut) is None
    wait_for(lambda: waiter_process(server) not in (None, pid))
    rows = operator.get("/api/v1/suspensions", params={"state": "pending"})
    [asked] = [s for s in rows.json()["suspensions"]
               if s["question"] == f"Run {name}?"]
    held = pool.submit(stream_of, server, name)
    wait_for(lambda: holding(server) == 1)
    assert answer(operator, asked).status_code == 200
    assert tool_says(held.result(60)) == "authorized"


@route(SUSPENSION)
def test_an_answer_that_the_killed_one_did_not_read(server, pool, agent,
                                                    operator):
    asked = ask(agent)
    pid = waiter_process(server)
    os.kill(pid, signal.SIGSTOP)
    late = poll(server, pool, asked)
    assert late.held()
    assert answer(operator, asked).status_code == 200
    os.kill(pid, signal.SIGKILL)
    assert late.result().json()["state"] == "resolved"


@route(SUSPENSION)
def test_nobody_holds(server, pool, agent):
    """Without the socket a poll is a plain request."""
    asked = ask(agent)
    path = pathlib.Path(server.socket).with_name("wait.sock")
    path.rename(path.with_suffix(".away"))
    try:
        one = poll(server, pool, asked)
        r = one.result()
        # Not because its time was over.
        assert r.json()["state"] == "pending" and one.took < 50
        assert r.headers["retry-after"] == "1"
    finally:
        path.with_suffix(".away").rename(path)
    again = poll(server, pool, asked)
    assert again.held()
    agent.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel")


@route(SUSPENSION)
def test_a_reload_while_waiting(server, pool, agent, operator):
    asked = ask(agent)
    held = [poll(server, pool, asked) for _ in range(5)]
    wait_for(lambda: holding(server) == 5)
    pid = waiter_process(server)
    os.kill(server.supervisor(), signal.SIGHUP)
    for p in held:
        assert p.result().json()["state"] == "pending"
    wait_for(lambda: waiter_process(server) not in (None, pid))
    one = poll(server, pool, asked)
    assert one.held()
    assert answer(operator, asked).status_code == 200
    assert one.result().json()["state"] == "resolved"


@route(SUSPENSION)
def test_a_database_that_starts_again_while_waiting(server, pool, agent,
                                                    operator):
    asked, other = ask(agent), ask(agent)
    wait_for(lambda: holding(server) == 0)
    held = poll(server, pool, asked)
    wait_for(lambda: holding(server) == 1)
    assert held.held()
    stop_database(server, signal.SIGINT)
    assert held.held(1), "who waits needs no database"
    start_database(server)
    wait_for(lambda: agent.get("/readyz").status_code == 200)
    assert held.held()
    assert answer(operator, asked).status_code == 200
    assert held.result().json()["state"] == "resolved"
    again = poll(server, pool, other)
    assert again.held()
    # The tail is read again too.
    bump(server, other["intent_id"])
    assert answer(operator, other).status_code == 200
    assert again.result().json()["state"] == "resolved"


@route(SUSPENSION)
def test_a_stop_lets_everybody_go(server, pool, agent):
    """One after the other."""
    asked = ask(agent)
    pid = waiter_process(server)
    held = [poll(server, pool, asked) for _ in range(30)]
    wait_for(lambda: holding(server) == 30)
    os.kill(pid, signal.SIGTERM)
    for p in held:
        assert p.result().json()["state"] == "pending" and p.took < 50
    ended = [p.ended for p in held]
    assert max(ended) - min(ended) > 0.5
    wait_for(lambda: comm(pid) != "sayso: wait")


def test_a_stop_of_the_program_answers_all_that_wait(pool):
    """The workers end after them."""
    one = kit.Watched(place("wait-stop"), SAYSO_WORKERS="2").start()
    try:
        with one.client("agent", agent="refunds-agent") as agent:
            asked = ask(agent)
        held = [poll(one, pool, asked) for _ in range(30)]
        wait_for(lambda: holding(one) == 30)
        supervisor = one.supervisor()
        os.kill(supervisor, signal.SIGTERM)
        for p in held:
            assert p.result().json()["state"] == "pending"
            assert p.answer.result().headers["retry-after"] == "1"
        wait_for(lambda: comm(supervisor) != "sayso: serve")
    finally:
        one.stop()
    assert kit.complaints(one) == []


def test_thousands_may_come_back_at_once(server):
    """The queues of both sockets, while nobody takes from them."""
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    for path, pids in (
            (server.socket, server.workers()),
            (pathlib.Path(server.socket).with_name("wait.sock"),
             [server.child("wait")])):
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            with contextlib.ExitStack() as stack:
                for _ in range(3000):
                    s = stack.enter_context(socket.socket(socket.AF_UNIX))
                    s.setblocking(False)
                    s.connect(str(path))
        finally:
            for pid in pids:
                os.kill(pid, signal.SIGCONT)


# --- What no note tells of ------------------------------------------------

def bump(server, intent_id):
    """A change that no worker of this host told of."""
    with server.database() as db:
        db.execute("INSERT INTO event (intent_id, sequence, id, event_type, "
                   "created_at, canonical, event_hash, previous_event_hash) "
                   "SELECT intent_id, sequence + 1, gen_random_uuid(), "
                   "'comment', created_at, '{}', 'x', event_hash FROM event "
                   "WHERE intent_id = %s ORDER BY sequence DESC LIMIT 1",
                   [intent_id])
        db.execute("UPDATE intent SET version = version + 1, event_sequence = "
                   "event_sequence + 1, event_hash = 'x' WHERE id = %s",
                   [intent_id])


@route(INTENT)
def test_the_tail_finds_what_no_note_told_of(server, pool, agent):
    intent = new_intent(agent)
    one = poll_intent(server, pool, intent)
    assert one.held()
    bump(server, intent["id"])
    assert one.result().json()["version"] == intent["version"] + 1


@route(INTENT)
def test_another_host_tells(server, pool, agent):
    intent = new_intent(agent)
    wait_for(lambda: holding(server) == 0)
    one = poll_intent(server, pool, intent)
    wait_for(lambda: holding(server) == 1)
    assert one.held()
    with server.database() as db:
        db.execute("SELECT pg_notify('sayso', %s)",
                   [f"elsewhere {intent['id']} {intent['version'] + 1} -"])
    assert "retry-after" not in one.result().headers
    assert one.took < 50  # not because its time was over


def test_other_hosts_are_told(server, agent, operator):
    with server.database() as db:
        db.execute("LISTEN sayso")
        asked = ask(agent)
        assert answer(operator, asked).status_code == 200
        words = []
        for note in db.notifies(timeout=30):
            assert len(note.payload) < 8000
            words += note.payload.split()[1:]
            if asked["suspension_id"] in words:
                break
    at = words.index(asked["suspension_id"])
    assert words[at - 2] == asked["intent_id"] and int(words[at - 1]) > 0


@pytest.mark.parametrize("text", ["", "x", "x y", "x y z", "x " * 3999, "é",
                                  f"x {new_id()} 1", f"x {new_id()} -1 -",
                                  f"x {new_id()} 99999999999999999999 -"])
def test_a_notice_of_nonsense(server, pool, agent, operator, text):
    with server.database() as db:
        db.execute("SELECT pg_notify('sayso', %s)", [text])
    asked = ask(agent)
    one = poll(server, pool, asked)
    assert one.held(0.2)
    assert answer(operator, asked).status_code == 200
    one.result()


# --- Many -----------------------------------------------------------------

async def get_many(server, paths, ready):
    """Polls all paths at once, on bare connections; the bodies."""
    head = (f"Host: x\r\nX-API-Key: {server.env['SAYSO_AGENT_KEY']}\r\n"
            "X-Agent-ID: refunds-agent\r\nConnection: close\r\n\r\n")

    async def one(path):
        while True:
            begun = time.monotonic()
            told = await once(path)
            # A slow machine comes to the last when their time is over.
            if told["state"] != "pending" or time.monotonic() - begun < 39:
                return told

    async def once(path):
        reader, writer = await asyncio.open_connection("127.0.0.1",
                                                       server.port)
        writer.write(f"GET {path} HTTP/1.1\r\n{head}".encode())
        server.calls.append("GET " + path.partition("?")[0])
        got = await reader.read()
        writer.close()
        top, _, body = got.partition(b"\r\n\r\n")
        assert top.startswith(b"HTTP/1.1 200"), got
        return json.loads(body)

    tasks = [asyncio.ensure_future(one(p)) for p in paths]
    await ready()
    return await asyncio.wait_for(asyncio.gather(*tasks), 120)


def many(server, paths, then):
    def act():
        wait_for(lambda: holding(server) == len(paths), 120)
        then()

    async def ready():
        await asyncio.get_running_loop().run_in_executor(None, act)

    got = asyncio.run(get_many(server, paths, ready))
    wait_for(lambda: holding(server) == 0)
    return got


@route(SUSPENSION)
def test_300_wait_for_one(server, agent, operator):
    asked = ask(agent)
    path = f"/api/v1/suspensions/{asked['suspension_id']}?wait=50"
    got = many(server, [path] * 300, lambda: answer(operator, asked))
    assert {x["value"] for x in got} == {"approve"}


@route(SUSPENSION)
def test_300_wait_for_300(server, agent, operator):
    questions = [ask(agent) for _ in range(300)]
    paths = [f"/api/v1/suspensions/{q['suspension_id']}?wait=50"
             for q in questions]

    def answer_all():
        for q in questions:
            answer(operator, q)

    got = many(server, paths, answer_all)
    assert [x["suspension_id"] for x in got] == \
        [q["suspension_id"] for q in questions]
    assert {x["value"] for x in got} == {"approve"}


def test_who_leaves_is_forgotten(server, agent):
    asked = ask(agent)
    with socket.create_connection(("127.0.0.1", server.port)) as s:
        s.sendall(f"GET /api/v1/suspensions/{asked['suspension_id']}?wait=50 "
                  f"HTTP/1.1\r\nHost: x\r\nX-Agent-ID: refunds-agent\r\n"
                  f"X-API-Key: {server.env['SAYSO_AGENT_KEY']}\r\n\r\n"
                  .encode())
        wait_for(lambda: holding(server) == 1)
    wait_for(lambda: holding(server) == 0)
