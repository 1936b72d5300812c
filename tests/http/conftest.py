"""Fixtures of the tests over HTTP.

A test names the rows of the route table that it exercises:
@pytest.mark.route("POST /api/v1/intents"). This file checks that it really
called them; test_routes.py checks that every row has a test.
"""
import concurrent.futures
import os
import pathlib
import signal
import sys
import time

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import kit  # noqa: E402
from page import login_data, new_token, once, send  # noqa: E402
from proofs import Key, OAuth  # noqa: E402
from server import Clock, place  # noqa: E402


@pytest.fixture(scope="session")
def server():
    with kit.own_server(place()) as one:
        yield one


@pytest.fixture(scope="module")
def clock(request):
    """A clock that the tests of a file move, for a server of its own."""
    return Clock.at(place(f"{request.module.__name__}-clock"))


@pytest.fixture(scope="module")
def db(server):
    """The superuser's connection."""
    with server.database() as connection:
        yield connection


@pytest.fixture
def browser(server):
    """A browser in which nobody has signed in."""
    with server.client(headers={"Accept": "text/html"},
                       transport=kit.elsewhere()) as client:
        yield client


@pytest.fixture
def no_rules(server):
    """The rules for tools that a test made end with it."""
    yield
    with server.database() as db:
        db.execute("DELETE FROM tool_rule")


@pytest.fixture(scope="session")
def auditor(server):
    server.env["SAYSO_AUDITOR_KEY"] = server.key("auditor")
    with server.client("auditor") as client:
        yield client


@pytest.fixture(scope="module")
def other_agent(server):
    with server.client("agent", agent="other-agent") as client:
        yield client


@pytest.fixture(scope="session")
def other_operator(server):
    key = server.key("operator", label="Second Operator")
    with server.client(headers={"X-API-Key": key}) as client:
        yield client


@pytest.fixture(scope="module")
def desk(server):
    """desk(label, groups) makes an operator's key and gives a client."""
    made_ = []

    def make(label, groups=None):
        key = server.key("operator", label=label)
        with server.database() as db:
            db.execute("UPDATE api_key SET groups = %s WHERE label = %s",
                       [groups, label])
        made_.append(server.client(headers={"X-API-Key": key}))
        return made_[-1]

    yield make
    for client in made_:
        client.close()


@pytest.fixture(scope="session")
def stuck():
    """A worker that hangs in a request, and other processes that stand still, on
    a server of its own, so that other tests use the half minute until they are
    killed."""
    one = kit.Watched(place("stuck"), SAYSO_WORKERS="2").start()
    with one.client("agent", agent="a", timeout=60) as client, \
            concurrent.futures.ThreadPoolExecutor() as pool:
        intent = kit.new_intent(client)
        with kit.locked(one, intent):
            begun = time.time()
            request = pool.submit(kit.set_status, client, intent, "completed")
            kit.wait_for(lambda: kit.waiting(one) == 1)
            pid = kit.busy_worker(one)
            os.kill(pid, signal.SIGSTOP)
            one.frozen = {name: one.child(name)
                          for name in ("tick", "deliver", "wait", "seal")}
            for other in one.frozen.values():
                os.kill(other, signal.SIGSTOP)
        for _ in range(5):
            assert client.get("/readyz").status_code == 200
        yield one, pid, begun, request
        for left in {pid, *one.frozen.values()} & set(
                kit.children(one.supervisor())):
            os.kill(left, signal.SIGCONT)
    one.stop()


@pytest.fixture
def channel(server):
    """channel(kind, name, ...) makes a channel to people."""
    made = []

    def make(kind, name, address="https://x.invalid/", notify_to=(),
             detail="title", every=False, paused=False):
        one = kit.new_id()
        with server.database() as db:
            db.execute(
                "INSERT INTO endpoint (id, kind, name, address, notify_to, "
                "detail, every_question, secret, created_at, created_by, "
                "paused_at) VALUES (%s, %s, %s, %s, %s, %s, %s, 'whsec_AAAA', "
                "now(), 'x', %s)",
                [one, kind, name, address, list(notify_to), detail, every,
                 "now" if paused else None])
        made.append(one)
        return {"endpoint_id": one}

    yield make
    with server.database() as db:
        db.execute("UPDATE endpoint SET removed_at = now() WHERE id = ANY "
                   "(%s)", [made])


@pytest.fixture(scope="session")
def user(server):
    """The token of a person of that role, as a client."""
    with server.client(headers={"X-API-Key": new_token(server)}) as client:
        yield client


@pytest.fixture(scope="session")
def resource(server):
    """The key of a gateway, as a client; its address and id beside it."""
    with server.resource("https://gateway.example/mcp") as client:
        yield client


@pytest.fixture(scope="session")
def other_resource(server):
    with server.resource("https://other.example/mcp") as client:
        yield client


@pytest.fixture(scope="session")
def open_resource(server):
    """A gateway that takes tokens without a key too."""
    with server.resource("https://open.example/mcp",
                         "--allow-bearer") as client:
        yield client


@pytest.fixture(scope="session")
def tester(server):
    """An agent with a key for tests."""
    key = server.key("agent", "--agent", "tested-bot", "--test")
    with server.client(headers={"X-API-Key": key}) as client:
        yield client


@pytest.fixture
def by_role(agent, operator, admin, auditor, user, resource, tester):
    return {"agent": agent, "operator": operator, "admin": admin,
            "auditor": auditor, "user": user, "resource": resource,
            "tester": tester}


@pytest.fixture
def client(server):
    """The agent as an OAuth client, with a key of its own for proofs."""
    return OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"],
                 Key())


@pytest.fixture
def gateway(server, resource):
    return OAuth(server, resource.label, resource.key)


@pytest.fixture
def asked(agent, resource):
    """asked(...): a question for a permit of the resource."""
    def make(**more):
        from test_authorizations import wish
        r = wish(agent, **{"resource": resource.address, **more})
        assert r.status_code == 202, r.text
        return r.json()

    return make


@pytest.fixture
def granted(asked, operator):
    def make(value="approve", **more):
        p = asked(**more)
        r = kit.answer(operator, {"suspension_id": p["request_id"]}, value)
        assert r.status_code == 200, r.text
        return p

    return make


@pytest.fixture(autouse=True)
def really_called(request):
    """The rows that a test names have to be among its calls."""
    named = [m.args[0] for m in request.node.iter_markers("route")]
    if not named:
        yield
        return
    server = request.getfixturevalue("server")
    before = len(server.calls)
    yield
    called = set()
    for call in server.calls[before:]:
        row = kit.find(*call.split(" ", 1))
        called.add(row.name if row else call)
    missing = set(named) - called
    assert not missing, f"named and not called: {missing}"


class Person:
    """A person who may sign in, and a client that has."""

    def __init__(self, server, role):
        self.email = f"{role}-{kit.new_id()}@example.com"
        self.name = f"Some {role.capitalize()}"
        self.password = kit.new_id()
        made = server.sayso("operator", "create", "--email", self.email,
                            "--name", self.name, "--role", role,
                            "--password-stdin", input=self.password + "\n")
        assert made.returncode == 0, made.stderr
        self.client = server.client(headers={"Accept": "text/html"},
                                    transport=kit.elsewhere())

    def sign_in(self, client=None, headers=None, **more):
        """Posts the login form, from a browser that may be signed in."""
        client = client or self.client
        client.cookies.delete("sayso") if "sayso" in client.cookies else None
        data = login_data(client, email=self.email, password=self.password)
        return client.post("/login", data={**data, **more}, headers=headers)

    def token(self):
        """A new API token of theirs, as the page shows it."""
        r = send(self.client, "/settings/tokens", {
            "Label": "Chat", "Expires": "30", "Your password": self.password})
        text = once(r, self.client)
        assert text, r.text
        return text


@pytest.fixture(scope="module")
def person(server):
    """person(role) makes one of them."""
    made = []

    def make(role="operator", signed_in=True):
        one = Person(server, role)
        made.append(one)
        if signed_in:
            assert one.sign_in().status_code == 303
        return one

    yield make
    for one in made:
        one.client.close()
