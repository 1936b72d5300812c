"""Event streams: who may listen, and from which position. The address that a
worker hands over is captured behind nginx."""
import json
import urllib.parse

import kit
import pytest
from kit import ANY_ID, new_id, new_intent, refused

route = pytest.mark.route
INTENT = ("/api/v1/intents/{}/subscribe", "/api/v1/subscribe/intents/{}")
AGENT = ("/api/v1/agents/{}/subscribe", "/api/v1/subscribe/agents/{}")


@pytest.fixture
def listen(server):
    """listen(path, key) is a worker's answer to a GET."""
    def call(path, key=None, method="GET", **headers):
        server.calls.append(f"{method} {path.split('?')[0]}")
        params = {"REQUEST_METHOD": method, "REQUEST_URI": path,
                  **{f"HTTP_{k.upper()}": v for k, v in headers.items()}}
        if key:
            params["HTTP_X_API_KEY"] = key
        return kit.fastcgi(server.socket, params)
    return call


@pytest.fixture
def keys(server):
    return {r: server.env[f"SAYSO_{r.upper()}_KEY"]
            for r in ("agent", "operator", "admin")}


def target(answer):
    """The parameters of the stream that was handed over."""
    assert answer.status == 200 and answer.body == b"", answer
    at = urllib.parse.urlsplit(answer.headers["x-accel-redirect"])
    assert at.path == "/_wait/stream"
    query = dict(urllib.parse.parse_qsl(at.query, keep_blank_values=True))
    assert len(query.pop("seal")) == 44
    return query


def said(answer, status, code):
    assert answer.status == status, answer
    assert json.loads(answer.body)["code"] == code, answer


def now(server):
    with server.database() as db:
        return int(db.execute("SELECT pg_snapshot_xmin("
                              "pg_current_snapshot())::text").fetchone()[0])


# --- An intent's ----------------------------------------------------------

@route("GET /api/v1/intents/{id}/subscribe")
@route("GET /api/v1/subscribe/intents/{id}")
def test_an_intents_stream_begins_behind_its_last_event(agent, keys, listen):
    intent = new_intent(agent)
    last = kit.events(agent, intent["id"])[0]["sequence"]
    for path in INTENT:
        for role in keys:
            t = target(listen(path.format(intent["id"]), keys[role]))
            assert t["to"] == "intent" and t["intent"] == intent["id"]
            assert t["after"] == str(last) and t["skip"] == "0"
            assert t["key"] and "session" not in t


@pytest.mark.parametrize("given, after, skip", [
    ("1", 1, 0), ("2", 2, 0), ("1.1", 1, 1), ("3", 2, 0), ("999.1", 2, 0),
    ("0", 2, 0), ("x", 2, 0), ("", 2, 0), ("1.2", 2, 0), ("1 ", 1, 0),
    ("9223372036854775807", 2, 0), ("9" * 40, 2, 0), ("1\tx", 2, 0)])
def test_it_goes_on_from_where_it_was(agent, keys, listen, given, after, skip):
    """Only from an id of ours; from any other it begins anew."""
    intent = new_intent(agent)
    assert kit.events(agent, intent["id"])[0]["sequence"] == 2
    path = INTENT[0].format(intent["id"])
    query = f"?after={urllib.parse.quote(given.strip())}"
    for answer in (listen(path, keys["agent"], last_event_id=given),
                   listen(path + query, keys["agent"])):
        t = target(answer)
        assert (t["after"], t["skip"]) == (str(after), str(skip))


def test_what_a_browser_remembers_comes_before_its_first_address(
        agent, keys, listen):
    """It connects again to the address that it began with."""
    intent = new_intent(agent)
    path = INTENT[0].format(intent["id"])
    t = target(listen(path + "?after=1", keys["agent"], last_event_id="2"))
    assert t["after"] == "2"


def test_an_intent_that_there_is_not(keys, listen):
    for path in INTENT:
        for at in (ANY_ID, "x", "%00", "1"):
            answer = listen(path.format(at), keys["operator"])
            assert answer.status in (400, 404)
        said(listen(path.format(ANY_ID), keys["operator"]), 404,
             "intent.unknown")


# --- An agent's -----------------------------------------------------------

@route("GET /api/v1/agents/{agent_id}/subscribe")
@route("GET /api/v1/subscribe/agents/{agent_id}")
def test_an_agents_stream_begins_now(server, keys, listen):
    before = now(server)
    for path in AGENT:
        for role in keys:
            t = target(listen(path.format("some-agent"), keys[role]))
            assert t["to"] == "agent" and t["agent"] == "some-agent"
            assert before <= int(t["xid"]) <= now(server)
            assert (t["intent"], t["after"], t["skip"]) == ("", "0", "0")


def test_whose_stream_an_agent_may_hear(server, keys, listen):
    """The one that it speaks for, whichever its header picks."""
    key = server.key("agent", "--agent", "a1", "--agent", "b2")
    for path in AGENT:
        for name in ("a1", "b2"):
            for asked in ({}, {"x_agent_id": "a1"}, {"x_agent_id": "b2"}):
                t = target(listen(path.format(name), key, **asked))
                assert t["agent"] == name
        for name in ("a", "a11", "A1", "c3", "*"):
            assert listen(path.format(name), key).status in (403, 404)
        said(listen(path.format("c3"), key), 403, "agent.not_named")
        said(listen(path.format("a1"), key, x_agent_id="c3"), 403,
             "agent.not_named")


def test_a_key_that_is_looked_up_twice_is_still_looked_at(server, listen):
    """It is remembered, revoked, and then refused."""
    key = server.key("agent", "--agent", "a1", "--agent", "b2",
                     label=f"revoked {new_id()}")
    path = AGENT[0].format("b2")
    for _ in range(3):
        ident = target(listen(path, key, x_agent_id="a1"))["key"]
    assert server.sayso("key", "revoke", ident).returncode == 0
    for _ in range(4):
        said(listen(path, key, x_agent_id="a1"), 401, "key.revoked")


@pytest.mark.parametrize("name", ["%2A", "clock", "sayso", "a%20b", "%E2%80%A8",
                                  "x" * 121])
def test_a_name_that_no_agent_has(keys, listen, name):
    for role in keys:
        said(listen(AGENT[0].format(name), keys[role]), 404, "agent.unknown")


@pytest.mark.parametrize("given", ["", "0", "07", "{later}", "1.x.1", "{now}.{id}",
                                   "{now}.{id}.0", "{later}.{id}.1",
                                   "9223372036854775807.{id}.1", "0.{id}.1"])
def test_an_order_of_all_goes_on_only_from_its_own(server, keys, listen,
                                                   given):
    id_ = given.format(now=now(server), later=now(server) + 9999, id=ANY_ID)
    before = now(server)
    t = target(listen(AGENT[0].format("a"), keys["agent"], last_event_id=id_))
    assert before <= int(t["xid"]) <= now(server)
    assert (t["intent"], t["after"], t["skip"]) == ("", "0", "0")


def test_an_order_of_all_goes_on_from_where_it_was(server, keys, listen):
    xid = now(server) - 1
    for id_, skip in ((f"{xid}.{ANY_ID}.7", "0"), (f"{xid}.{ANY_ID}.7.1", "1")):
        path = AGENT[0].format("a")
        for answer in (listen(path, keys["agent"], last_event_id=id_),
                       listen(f"{path}?after={id_}", keys["agent"])):
            t = target(answer)
            assert (t["xid"], t["intent"], t["after"], t["skip"]) == (
                str(xid), ANY_ID, "7", skip)
    t = target(listen(AGENT[0].format("a"), keys["agent"],
                      last_event_id=str(xid)))
    assert (t["xid"], t["intent"], t["after"]) == (str(xid), "", "0")


# --- The inbox's ----------------------------------------------------------

@route("GET /inbox/stream")
def test_the_inbox_is_for_people(server, person, listen):
    for role in ("operator", "admin", "auditor"):
        one = person(role)
        cookie = f"sayso={one.client.cookies['sayso']}"
        t = target(listen("/inbox/stream", cookie=cookie))
        assert t["to"] == "inbox" and len(t["session"]) == 64
        assert "key" not in t and one.client.cookies["sayso"] not in str(t)


def test_nobody_else_hears_of_it(keys, listen, nobody):
    for key in (None, *keys.values()):
        said(listen("/inbox/stream", key), 401, "session.missing")
    said(listen("/inbox/stream", cookie=f"sayso={'x' * 43}"), 401,
         "session.missing")
    refused(nobody.get("/inbox/stream"), 401, "session.missing")


# --- All of them ----------------------------------------------------------

def test_head_holds_nothing(agent, keys, server):
    intent = new_intent(agent)
    for path in (*(p.format(intent["id"]) for p in INTENT),
                 *(p.format("refunds-agent") for p in AGENT)):
        r = agent.head(path)
        assert r.status_code == 200 and r.content == b""
        assert r.headers["content-type"] == "text/event-stream"


def test_one_that_comes_back_is_told_to_wait(keys, listen, server):
    """It was handed over, and nobody took it."""
    params = {"REQUEST_METHOD": "GET", "WAITED": "unheld",
              "REQUEST_URI": AGENT[0].format("a"),
              "HTTP_X_API_KEY": keys["agent"]}
    answer = kit.fastcgi(server.socket, params)
    said(answer, 503, "stream.unavailable")
    assert int(answer.headers["retry-after"]) > 0
