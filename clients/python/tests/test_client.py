"""Requests: their connections, their repetition, and their errors."""

import asyncio
import logging
import multiprocessing
import pickle

import httpx
import pytest
from conftest import PENDING, YES

import sayso
from sayso.testing import FakeServer, approve, pending

GONE = httpx.ConnectError("gone")
BUSY = 503, {"code": "busy"}


# --- Connections ----------------------------------------------------------


def connections(monkeypatch):
    """Those that are made from here on."""
    made = []
    for kind in (httpx.Client, httpx.AsyncClient):
        real = kind.__init__

        def init(self, *args, real=real, **more):
            made.append(type(self))
            real(self, *args, **more)

        monkeypatch.setattr(kind, "__init__", init)
    return made


def test_a_client_keeps_its_connections(monkeypatch):
    made = connections(monkeypatch)
    with FakeServer([approve] * 6) as server, server.client() as client:
        for n in range(3):
            assert client.ask(f"{n}?").approved

        async def three():
            async with client:
                return await asyncio.gather(
                    *(client.aask(f"{n}?") for n in range(3, 6))
                )

        assert all(one.approved for one in asyncio.run(three()))
        assert made == [httpx.Client, httpx.AsyncClient]


def test_the_functions_of_the_module_share_a_client(monkeypatch):
    made = connections(monkeypatch)
    with FakeServer([approve] * 4) as server:
        monkeypatch.setenv("SAYSO_URL", server.url)
        monkeypatch.setenv("SAYSO_AGENT_KEY", server.key)
        ran = sayso.require_approval(lambda x: x, name="act")
        assert [ran(n) for n in range(3)] == [0, 1, 2]
        assert sayso.get(server.asked[0]["suspension_id"]).over
        assert made == [httpx.Client]


def test_each_event_loop_has_connections_of_its_own():
    with FakeServer([approve] * 3) as server:
        client = server.client()
        for n in range(3):
            assert asyncio.run(client.aask(f"{n}?")).approved


def test_a_client_that_is_closed_asks_nothing(server):
    with FakeServer([approve] * 2) as fake:
        with fake.client() as client:
            client.ask("1?")
        with pytest.raises(RuntimeError, match="closed"):
            client.ask("2?")
    with server.client((201, PENDING), (200, YES)) as client:
        client.ask("1?")
    assert client.ask("2?").approved, "of one's own, that is one's own"


def asks(client, text):
    assert client.ask(text).approved


def test_a_forked_process_has_connections_of_its_own():
    with FakeServer([approve] * 2) as server:
        client = server.client()
        asks(client, "1?")
        child = multiprocessing.get_context("fork").Process(
            target=asks, args=(client, "2?")
        )
        child.start()
        child.join(30)
        assert child.exitcode == 0


def test_what_is_sent(server):
    server.client((201, PENDING), (200, YES)).ask("x?")
    ask, read = server.requests
    assert ask.headers["User-Agent"].startswith(
        f"sayso-python/{sayso.__version__} "
    )
    assert ask.headers["X-Agent-ID"] == "tester"
    assert read.extensions["timeout"] == {
        "connect": 25.0,
        "read": 75.0,
        "write": 75.0,
        "pool": None,
    }
    assert "sk_key" not in repr(server.client(BUSY))


# --- Trying again ---------------------------------------------------------


@pytest.mark.parametrize("once", [None, "run-1"])
def test_a_question_is_repeated_as_the_same(server, pauses, once):
    client = server.client(GONE, BUSY, GONE, (201, PENDING), (200, YES))
    assert client.ask("x?", once=once).approved
    keys = {r.headers.get("Idempotency-Key") for r in server.requests[:4]}
    assert len(keys) == 1
    assert keys == {once} or once is None
    assert 0.5 <= pauses[0] <= 1 <= pauses[1] <= 2 <= pauses[2] <= 4


@pytest.mark.parametrize("retries", [0, 3])
def test_a_server_that_is_not_there_is_told(server, pauses, retries):
    client = server.client(GONE, max_retries=retries)
    for call in (
        lambda: client.ask("x?"),
        lambda: client.get("1"),
        lambda: client.cancel("1"),
        lambda: client.redeem("1", permit_id="1"),
        lambda: client.upload(b"x", "text/plain"),
        lambda: next(client.list()),
    ):
        server.requests.clear()
        with pytest.raises(sayso.Unreachable, match=r"sayso\.test .*gone"):
            call()
        assert len(server.requests) == 1 + retries


def test_the_server_says_when_to_come_back(server, pauses):
    client = server.client(
        (429, {}, {"Retry-After": "7"}),
        (503, {}, {"Retry-After": "0"}),
        (201, PENDING),
        (200, YES),
    )
    assert client.ask("x?").approved
    assert 7 <= pauses[0] <= 7.7
    assert 1 <= pauses[1] <= 1.1
    client = server.client(
        (429, {}, {"Retry-After": "9", "X-Request-Id": "req-1"}),
        max_retries=0,
    )
    with pytest.raises(sayso.Unreachable) as away:
        client.get("1")
    assert away.value.retry_after == 9
    assert away.value.request_id == "req-1"


def test_the_waiting_goes_on_while_the_server_is_away(server, pauses):
    client = server.client((201, PENDING), *[GONE, BUSY] * 9, (200, YES))
    assert client.ask("x?").approved
    assert len(pauses) == 18
    assert max(pauses) <= 30


# --- Where the question is ------------------------------------------------


def test_the_page_of_a_question_is_told(server, caplog):
    caplog.set_level(logging.INFO, "sayso")
    told = []
    client = server.client(
        (201, PENDING), (200, YES), on_asked=lambda one: told.append(one.url)
    )
    client.ask("x?")
    assert told == [PENDING["url"]]
    assert caplog.messages == [f"Waiting for an answer: {PENDING['url']}"]
    asyncio.run(
        server.client((201, PENDING), (200, YES)).aask(
            "x?", on_asked=lambda one: told.append(one.state)
        )
    )
    assert told[1:] == ["pending"]
    old = 201, PENDING, {"Idempotency-Replayed": "true"}
    server.client(old, (200, YES), on_asked=told.append).ask("x?", once="1")
    assert len(told) == 2, "it has its answer already"


# --- Errors ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "kind"),
    [
        (400, sayso.InvalidRequest),
        (401, sayso.Unauthenticated),
        (403, sayso.Forbidden),
        (404, sayso.NotFound),
        (409, sayso.Conflict),
        (413, sayso.InvalidRequest),
        (422, sayso.InvalidRequest),
        (500, sayso.ServerError),
        (501, sayso.ServerError),
    ],
)
def test_an_error_for_each_thing_to_do(server, status, kind):
    body = {
        "code": "a.code",
        "detail": "It is wrong.",
        "at": "choices[0]",
        "suspension_id": "7",
    }
    client = server.client((status, body, {"X-Request-Id": "req-1"}))
    with pytest.raises(sayso.ApiError) as error:
        client.ask("x?")
    assert type(error.value) is kind
    assert error.value.status == status
    assert error.value.code == "a.code"
    assert error.value.request_id == "req-1"
    assert str(error.value) == "a.code: It is wrong. (at choices[0])"
    if kind is sayso.Conflict:
        assert error.value.suspension_id == "7"
    assert pickle.loads(pickle.dumps(error.value)).body == body


def test_all_errors_are_of_one_kind(server, monkeypatch):
    for name in sayso.__all__:
        kind = getattr(sayso, name)
        if isinstance(kind, type) and issubclass(kind, Exception):
            assert issubclass(kind, sayso.SaysoError)
    monkeypatch.delenv("SAYSO_URL", raising=False)
    with pytest.raises(sayso.ConfigurationError, match="SAYSO_URL is not set"):
        sayso.ask("x?")
    for body in (b"<html>", b"[]", {"id": "1"}):
        with pytest.raises(sayso.Unreachable, match="no Sayso server"):
            server.client((200, body)).ask("x?")


def test_a_page_that_sends_elsewhere_is_not_followed(server):
    there = {"Location": "https://elsewhere.test/"}
    with pytest.raises(sayso.Unreachable, match=r"elsewhere \(302\)"):
        server.client((302, {}, there)).ask("x?")
    assert len(server.requests) == 1


def test_a_wait_ends(server):
    with FakeServer([pending]) as fake:
        assert fake.client().ask("x?", wait=0.1).pending


# --- Many at once ---------------------------------------------------------


def test_many_questions_share_a_read():
    """A held read for each of a few, and one of the feed for the others."""
    held, most = [], {"feed": 0, "single": 0}

    def kind(request):
        return "feed" if "ended_after" in request.url.params else "single"

    async def begun(request):
        if request.url.params.get("wait", "0") != "0":
            held.append(kind(request))
            for one in most:
                most[one] = max(most[one], held.count(one))

    async def answered(response):
        if response.request.url.params.get("wait", "0") != "0":
            held.remove(kind(response.request))

    async def main(server):
        asked = asyncio.Semaphore(0)
        http = httpx.AsyncClient(
            event_hooks={"request": [begun], "response": [answered]}
        )
        client = sayso.Client(
            server.url,
            server.key,
            on_asked=lambda _: asked.release(),
            async_http_client=http,
        )
        tasks = [asyncio.ensure_future(client.aask(str(n))) for n in range(60)]
        for _ in tasks:
            await asked.acquire()
        while not most["feed"]:
            await asyncio.sleep(0.01)
        for question in list(server.asked):
            await client.acancel(question["suspension_id"])
        return await asyncio.gather(*tasks)

    with FakeServer([pending] * 60) as server:
        answers = asyncio.run(asyncio.wait_for(main(server), 60))
    assert {one.state for one in answers} == {"cancelled"}
    assert most["feed"] == 1
    assert 1 <= most["single"] <= 20


def test_a_feed_that_breaks_wakes_all(monkeypatch):
    monkeypatch.setattr("sayso._crowd._OWN_READS", 0)
    with FakeServer([pending]) as server:
        server._listed = lambda given: {"suspensions": [], "next": "x"}
        client = server.client()

        async def main():
            first = asyncio.ensure_future(client.aask("1?"))
            await asyncio.sleep(0.2)
            # The place "x" is none, so that the next read fails.
            del server._listed
            await client.acancel(server.asked[0]["suspension_id"])
            return await asyncio.wait_for(first, 20)

        assert asyncio.run(main()).state == "cancelled"
