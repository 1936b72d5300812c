"""The log as lines of JSON, and the trace of a caller."""
import json

import pytest

import kit
from kit import wait_for
from page import login_data
from server import place

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = {"traceparent": f"00-{TRACE}-00f067aa0ba902b7-01"}


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("json-log"))
    one.start()
    with kit.configured(one, log_format="json"):
        yield one
    one.stop()


def lines(server):
    """Those since the configuration was loaded: all of them are objects."""
    said = server.log().splitlines()
    first = next(n for n, x in enumerate(said) if x.startswith("{"))
    return [json.loads(line) for line in said[first:]]


def of(server, request):
    return [x for x in lines(server) if x.get("request") == request]


def test_each_line_is_an_object(server):
    with server.client() as c:
        c.get("/nowhere")
    said = wait_for(lambda: lines(server))
    assert all(x["time"] and x["level"] for x in said)
    assert any("supervisor: reloaded" in x.get("message", "") for x in said)


def test_a_request_is_one_line(server):
    with server.client(headers={"X-API-Key": server.key("operator")}) as c:
        r = c.get("/api/v1/suspensions?limit=1", headers=PARENT)
    request = r.headers["X-Request-Id"]
    one, = wait_for(lambda: of(server, request))
    assert one["trace"] == TRACE
    assert one["route"] == "GET /api/v1/suspensions"
    assert one["status"] == 200 and one["bytes"] == len(r.content)
    assert one["principal"].startswith("operator:")
    assert one["total_ms"] >= one["database_ms"] >= 0
    assert one["level"] == "info" and one["time"].endswith("Z")
    assert "message" not in one


def test_what_a_stranger_sends_stays_in_its_member(server):
    account = 'x","level":"error\\@example.org\n{"a":1}'
    with server.client() as c:
        r = c.post("/login", data=login_data(c, email=account, password="x"),
                   headers={"traceparent": '00-"}-1'})
    got = wait_for(lambda: [x for x in of(server, r.headers["X-Request-Id"])
                            if "message" in x])
    assert "sign-in" in got[0]["message"] and got[0]["level"] == "notice"
    assert "trace" not in got[0]


def test_the_other_format_has_the_trace_too(server):
    with kit.configured(server, log_format="text"):
        with server.client() as c:
            r = c.get("/healthz", headers=PARENT)
        line = wait_for(lambda: [x for x in server.log().splitlines()
                                 if r.headers["X-Request-Id"] in x])
    assert f"trace={TRACE}" in line[-1] and "status=200" in line[-1]
