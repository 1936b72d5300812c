"""A server in the process, whose answers a test gives."""

import json

import httpx
import pytest

import sayso

PENDING = {
    "suspension_id": "1",
    "state": "pending",
    "outcome": None,
    "url": "http://sayso.test/suspensions/1",
}
YES = {**PENDING, "state": "resolved", "outcome": "authorized", "usable": True}


class Server:
    """Gives the answers in turn, the last one again and again.

    An answer is a status and a body, perhaps with headers, or an exception.
    """

    def __init__(self):
        self.requests, self.answers = [], []

    def __call__(self, request):
        self.requests.append(request)
        answer = self.answers[0]
        if len(self.answers) > 1:
            self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        status, body, *headers = answer
        return httpx.Response(
            status,
            content=body if isinstance(body, bytes) else json.dumps(body),
            headers=headers[0] if headers else {},
        )

    def client(self, *answers, **more):
        self.answers = list(answers)
        transport = httpx.MockTransport(self)
        return sayso.Client(
            "http://sayso.test",
            "sk_key",
            "tester",
            http_client=httpx.Client(transport=transport),
            async_http_client=httpx.AsyncClient(transport=transport),
            **more,
        )

    def told(self):
        """Of each request, its method and path."""
        return [f"{r.method} {r.url.raw_path.decode()}" for r in self.requests]


@pytest.fixture
def server():
    return Server()


@pytest.fixture
def pauses(monkeypatch):
    """The pauses, which take no time."""
    found = []
    monkeypatch.setattr("sayso._transport.time.sleep", found.append)
    return found
