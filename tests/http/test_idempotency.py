"""Idempotency-Key on every POST: the same request again has one effect and
one answer; another request under the same key is refused."""
import functools

import pytest

from kit import (ROUTES, answer, asleep, ask, events, get, lost, new_id,
                 new_intent, put, record, refused, suspend, together, wait_for)
from plans import reached

# A ticket that was lost is made again: an answer that holds it is not kept. A
# use is repeated by its operation_id, a result by itself; a heartbeat says that
# the agent lives now. Clients of MCP and hooks have ids of their calls. A
# checkpoint of the log is made where events are new, and stamped once; a head has
# one line of a witness. A file is its digest.
NOT_KEPT = ("POST /mcp", "POST /hooks/{client}",
            "POST /api/v1/artifacts",
            "POST /api/v1/admin/checkpoints",
            "POST /api/v1/admin/checkpoints/{id}/anchor",
            "POST /api/v1/admin/log/cosignatures",
            "POST /api/v1/coordinators/{id}/heartbeat",
            "POST /api/v1/initiations", "POST /api/v1/redemptions",
            "POST /api/v1/redemptions/{id}/result")
# Without the Agent Approval Protocol: test_aap.py.
POSTS = [r.name for r in ROUTES if r.method == "POST" and r.proof == "KEY"
         and r.name not in NOT_KEPT and r.style != "AAP"]


class Case:
    """A good request for a route: by whom, where, what, and another body."""

    def __init__(self, client, path, body, other, headers=None):
        self.client, self.path, self.headers = client, path, headers or {}
        self.body, self.other = body, other

    def send(self, key, body=None, client=None):
        return (client or self.client).post(
            self.path, json=self.body if body is None else body,
            headers={**self.headers, "Idempotency-Key": key})


def match(intent):
    return {"If-Match": str(intent["version"])}


def portfolio_case(rest, agent):
    path = "/api/v1/portfolios"
    if rest == "portfolios":
        return Case(agent, path, {"name": "a"}, {"name": "b"})
    p = agent.post(path, json={"name": "prepared"}).json()
    one, two = ({"intent_id": new_intent(agent)["id"]} for _ in range(2))
    return Case(agent, f"{path}/{p['id']}/intents", one, two)


@functools.cache
def one_intent(agent):
    """The same one for all: making another would be an effect too."""
    return new_intent(agent)


def access(name):
    return {"principal_id": name, "requested_permission": "read",
            "reason": "x"}


def make(name, server, agent, operator, tester):
    """A case for a row of the route table."""
    rest = name.removeprefix("POST /api/v1/")
    if rest == "intents":
        return Case(agent, "/api/v1/intents", {"title": "a"}, {"title": "b"})
    if rest == "suspensions":
        return Case(agent, "/api/v1/suspensions", {"question": "a?"},
                    {"question": "b?"})
    if rest.startswith("suspensions/"):
        asked = ask(agent)
        path = "/api/v1/" + rest.replace("{id}", asked["suspension_id"])
        if rest.endswith("cancel"):
            return Case(agent, path, {"reason": "a"}, {"reason": "b"})
        if rest.endswith("reconcile"):
            lost(server, asked)
            return Case(agent, path, {"outcome": "authorized"},
                        {"outcome": "vetoed"})
        return Case(operator, path, {"value": "approve"}, {"value": "deny"})
    if rest.startswith("resume/"):
        asked = ask(agent, kind="approval", choices=None, severity="low",
                    subject={"action": {"name": "Refund"}, "target": "x",
                             "scope_summary": "One refund"})
        path = f"/api/v1/resume/{asked['suspension_id']}"
        return Case(operator, path, {"action": "approve"},
                    {"action": "reject"})
    if rest == "tool-calls/check":
        call = {"id": "1", "tool": "shop.refund", "arguments": {}}
        body = {"tool_calls": [call], "responder": {"mode": "operators"}}
        return Case(agent, "/api/v1/tool-calls/check", body,
                    {**body, "explanation": "b"})
    if rest == "authorizations" or rest.startswith("permits/"):
        detail = {"type": "tool_call", "tool": "shop.refund", "arguments": {}}
        body = {"goal": "a", "authorization_details": [detail]}
        if rest == "authorizations":
            return Case(agent, f"/api/v1/{rest}", body, {**body, "goal": "b"})
        asked = agent.post("/api/v1/authorizations", json=body).json()
        answer(operator, {"suspension_id": asked["request_id"]})
        path = "/api/v1/" + rest.replace("{id}", asked["permit_id"])
        return Case(operator, path, {"reason": "a"}, {"reason": "b"})
    if rest == "endpoints":
        body = {"name": "a", "url": f"https://{new_id()}.invalid/"}
        return Case(agent, "/api/v1/endpoints", body, {**body, "name": "b"})
    if rest == "test/clock":
        return Case(tester, f"/api/v1/{rest}", {"forward_seconds": 1},
                    {"forward_seconds": 2})
    if rest == "test/answer":
        body = {"suspension_id": ask(tester)["suspension_id"],
                "value": "approve"}
        return Case(tester, f"/api/v1/{rest}", body, {**body, "value": "deny"})
    if rest in ("endpoints/{id}/rotate", "endpoints/{id}/test",
                "subscriptions"):
        body = {"name": "prepared", "url": f"https://{new_id()}.invalid/"}
        made = agent.post("/api/v1/endpoints", json=body).json()
        if rest == "subscriptions":
            body = {"webhook_url": made["url"]}
            return Case(agent, "/api/v1/subscriptions", body,
                        {**body, "subscriber_id": "b"})
        path = "/api/v1/" + rest.replace("{id}", made["endpoint_id"])
        return Case(agent, path, None, {})
    if "{approval_id}" in rest or rest.startswith("escalations/"):
        intent = new_intent(agent, "active")
        kind = "approvals" if "{approval_id}" in rest else "escalations"
        asked = agent.post(f"/api/v1/intents/{intent['id']}/{kind}",
                           json={"action": "a", "reason": "a"}).json()
        path = "/api/v1/" + rest.replace("{approval_id}", asked["id"]).replace(
            "{id}", intent["id"] if kind == "approvals" else asked["id"])
        return Case(operator, path, {"resolution": "a", "notes": "a"},
                    {"resolution": "b", "notes": "b"})
    if "{request_id}" in rest:
        intent = new_intent(agent, "active")
        asked = agent.post(f"/api/v1/intents/{intent['id']}/access-requests",
                           json=access("a")).json()
        path = "/api/v1/" + rest.replace("{request_id}", asked["id"]).replace(
            "{id}", intent["id"])
        return Case(operator, path, {"reason": "a"}, {"reason": "b"})
    if rest in ("tasks", "plans"):
        body = {"intent_id": one_intent(agent)["id"], "name": "a"}
        return Case(agent, f"/api/v1/{rest}", body, {**body, "metadata": {}})
    if "{checkpoint_id}" in rest:
        of = reached(agent)[1]
        path = "/api/v1/" + rest.replace("{id}", of["id"]).replace(
            "{checkpoint_id}", of["checkpoints"][0]["id"])
        return Case(operator, path, {"reason": "a"}, {"reason": "b"})
    if rest.endswith("suspend/respond"):
        intent, suspension = suspend(agent)
        path = "/api/v1/" + rest.replace("{id}", intent["id"])
        body = {"suspension_id": suspension, "value": "approve"}
        return Case(operator, path, body, {**body, "value": "deny"})
    if rest.startswith("portfolios"):
        return portfolio_case(rest, agent)
    intent = new_intent(agent)
    if rest in ("coordinators", "decisions"):
        body = {"intent_id": intent["id"], "agent_id": "refunds-agent"}
        if rest == "decisions":
            made = agent.post("/api/v1/coordinators", json=body).json()
            body |= {"coordinator_id": made["id"], "summary": "a",
                     "decision_type": "plan_created"}
        return Case(agent, "/api/v1/" + rest, body,
                    {**body, "summary": "b", "role": "b"})
    path = "/api/v1/" + rest.replace("{id}", intent["id"])
    if rest.endswith("/dependencies"):
        one, two = new_intent(agent), new_intent(agent)
        return Case(agent, path, {"dependency_id": one["id"]},
                    {"dependency_id": two["id"]}, match(intent))
    bodies = {
        "children": ({"title": "a"}, {"title": "b"}),
        "status": ({"status": "blocked"}, {"status": "completed"}),
        "state": ({"patches": [put("a", 1)]}, {"patches": [put("a", 2)]}),
        "events": ({"event_type": "comment"},
                   {"event_type": "comment", "payload": {"a": 1}}),
        "leases": ({"scope": "a"}, {"scope": "b"}),
        "agents": ({"agent_id": "a"}, {"agent_id": "b"}),
        "approvals": ({"action": "a", "reason": "a"},
                      {"action": "b", "reason": "a"}),
        "escalations": ({"reason": "a"}, {"reason": "b"}),
        "arbitrate": ({"reason": "a"}, {"reason": "b"}),
        "costs": ({"cost_type": "a", "unit": "a", "amount": 1},
                  {"cost_type": "a", "unit": "a", "amount": 2}),
        "attachments": ({"filename": "a", "mime_type": "a", "url": "a"},
                        {"filename": "b", "mime_type": "a", "url": "a"}),
        "failures": ({"error_code": "a"}, {"error_code": "b"}),
        "entries": ({"principal_id": "a"}, {"principal_id": "b"}),
        "access-requests": (access("a"), access("b")),
        "decisions": ({"decision_type": "a", "outcome": "a"},
                      {"decision_type": "a", "outcome": "b"}),
    }
    return Case(agent, path, *bodies[rest.split("/")[-1]], match(intent))


@pytest.fixture(scope="module", autouse=True)
def no_endpoints_left(server):
    """Each would get a message about every later question of the agent."""
    yield
    with server.database() as db:
        db.execute("DELETE FROM subscription")
        db.execute("UPDATE endpoint SET removed_at = now() "
                   "WHERE removed_at IS NULL")


@pytest.fixture(autouse=True)
def no_clock(server):
    """An expiry in between is not a second effect, nor is the end of one."""
    def idle():
        with server.database() as db:
            return not db.execute(
                "SELECT count(*) FROM pg_stat_activity WHERE state = 'active'"
                " AND application_name = 'sayso tick'").fetchone()[0]
    with asleep(server, "tick"):
        wait_for(idle)
        yield


def count(server):
    """The rows that a second effect would change, over all of the database."""
    with server.database() as db:
        return db.execute(
            "SELECT (SELECT count(*) FROM event),"
            " (SELECT sum(version) FROM intent),"
            " (SELECT count(*) FROM suspension),"
            " (SELECT count(*) FROM decision),"
            " (SELECT count(*) FROM lease),"
            " (SELECT count(*) FROM acl_entry),"
            " (SELECT count(*) FROM idempotency),"
            " (SELECT count(*) FROM endpoint WHERE name <> 'prepared'),"
            " (SELECT count(*) FROM endpoint WHERE previous_secret <> ''),"
            " (SELECT count(*) FROM subscription),"
            " (SELECT count(*) FROM portfolio WHERE name <> 'prepared'),"
            " (SELECT count(*) FROM portfolio_member),"
            " (SELECT count(*) FROM restore_claim)").fetchone()


@pytest.mark.parametrize("name", POSTS)
def test_the_same_again_is_the_same_answer(server, agent, operator, tester,
                                           name):
    case, key = make(name, server, agent, operator, tester), new_id()
    first = case.send(key)
    assert first.status_code in (200, 201, 202), first.text
    assert "idempotency-replayed" not in first.headers
    before = count(server)
    for _ in range(2):
        again = case.send(key)
        assert again.status_code == first.status_code
        # A secret is shown once: a replay has none.
        shown = {k: v for k, v in first.json().items() if k != "secret"}
        assert again.json() == shown
        assert again.headers.get("etag") == first.headers.get("etag")
        assert again.headers["idempotency-replayed"] == "true"
    assert count(server) == before


@pytest.mark.parametrize("name", POSTS)
def test_the_same_key_for_something_else(server, agent, operator, tester,
                                         name):
    case, key = make(name, server, agent, operator, tester), new_id()
    first = case.send(key)
    assert first.status_code in (200, 201, 202)
    before = count(server)
    body = refused(case.send(key, case.other), 409,
                   "idempotency.other_request")
    assert body.get("suspension_id") == first.json().get("suspension_id")
    assert count(server) == before
    # The same bytes at another address are another request too.
    other = make(name, server, agent, operator, tester)
    if other.path != case.path:
        middle = count(server)
        refused(other.send(key, case.body), 409, "idempotency.other_request")
        assert count(server) == middle


@pytest.mark.parametrize("name", POSTS)
def test_a_refusal_is_not_remembered(server, agent, operator, tester, name):
    case, key = make(name, server, agent, operator, tester), new_id()
    refused(case.send(key, {"reason": 7, "title": 7, "question": 7,
                            "scope": 7, "agent_id": 7, "event_type": 7,
                            "status": 7, "patches": 7, "dependency_id": 7,
                            "suspension_id": 7, "notes": 7,
                            "resolution": 7, "name": 7, "intent_id": 7}), 422)
    assert case.send(key).status_code in (200, 201, 202)


def test_a_key_belongs_to_who_sent_it(server, agent, other_agent, operator):
    key, body = new_id(), {"title": "x"}
    made = {c.post("/api/v1/intents", json=body,
                   headers={"Idempotency-Key": key}).json()["id"]
            for c in (agent, other_agent, operator)}
    assert len(made) == 3


def test_the_answer_of_the_first_is_not_for_the_second(
        agent, operator, other_operator):
    """Only the winner's key replays; another one gets the conflict."""
    asked, key = ask(agent), new_id()
    path = f"/api/v1/suspensions/{asked['suspension_id']}/respond"
    headers = {"Idempotency-Key": key}
    first = operator.post(path, json={"value": "deny"}, headers=headers)
    assert first.status_code == 200
    refused(other_operator.post(path, json={"value": "deny"},
                                headers=headers), 409,
            "suspension.already_decided")
    refused(operator.post(path, json={"value": "deny"}), 409,
            "suspension.already_decided")
    again = operator.post(path, json={"value": "deny"}, headers=headers)
    assert again.status_code == 200 and again.content == first.content


def test_a_replay_after_things_went_on(agent, operator):
    """The first answer is repeated, though the intent has changed since."""
    intent = new_intent(agent)
    at = f"/api/v1/intents/{intent['id']}/status"
    headers = {"If-Match": "2", "Idempotency-Key": new_id()}
    first = agent.post(at, json={"status": "blocked"}, headers=headers)
    r = operator.post(at, json={"status": "abandoned"},
                      headers={"If-Match": "3"})
    assert r.status_code == 200
    again = agent.post(at, json={"status": "blocked"}, headers=headers)
    assert again.status_code == 200 and again.content == first.content
    assert get(agent, intent)["status"] == "abandoned"


@pytest.mark.parametrize("key", [
    "", "a b", "x" * 256, b"caf\xc3\xa9", "a\tb", b"\xff"])
def test_a_key_that_cannot_be(agent, key):
    r = agent.post("/api/v1/intents", json={"title": "x"},
                   headers=[(b"Idempotency-Key",
                             key if isinstance(key, bytes)
                             else key.encode())])
    refused(r, 400, None if b"\xff" == key else "idempotency.key")


def test_a_key_of_255_characters(agent):
    key = (new_id() * 8)[:255]
    for status in (201, 201):
        r = agent.post("/api/v1/intents", json={"title": "x"},
                       headers={"Idempotency-Key": key})
        assert r.status_code == status


def test_the_second_call_of_the_sdk_with_a_key(agent):
    intent, key = new_intent(agent, "suspended_awaiting_input"), new_id()
    body = {"patches": [put("_suspension", record())]}
    headers = {**match(intent), "Idempotency-Key": key}
    at = f"/api/v1/intents/{intent['id']}/state"
    first = agent.post(at, json=body, headers=headers)
    again = agent.post(at, json=body, headers=headers)
    assert first.status_code == again.status_code == 200
    assert first.content == again.content


# --- At once --------------------------------------------------------------

def test_100_equal_requests_at_once(server, agent):
    key, title = new_id(), f"one of many {new_id()}"
    before = count(server)

    def send():
        return agent.post("/api/v1/suspensions", json={"question": title},
                          headers={"Idempotency-Key": key})

    got = together(*[send] * 100)
    assert {r.status_code for r in got} == {201}
    assert len({r.content for r in got}) == 1
    replayed = [r for r in got if "idempotency-replayed" in r.headers]
    assert len(replayed) == 99
    after = count(server)
    assert [b - a for a, b in zip(before, after)] == \
        [2, 1, 1, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("name", [
    "POST /api/v1/suspensions/{id}/respond",
    "POST /api/v1/intents/{id}/suspend/respond",
    "POST /api/v1/intents/{id}/events"])
def test_equal_requests_at_once_about_one_intent(server, agent, operator,
                                                 name, tester):
    case, key = make(name, server, agent, operator, tester), new_id()
    got = together(*[lambda: case.send(key)] * 30)
    assert {r.status_code for r in got} <= {200, 201}
    assert len({r.content for r in got}) == 1
    assert sum("idempotency-replayed" in r.headers for r in got) == 29


def test_different_requests_at_once_under_one_key(agent):
    key = new_id()
    got = together(*[lambda n=n: agent.post(
        "/api/v1/intents", json={"title": f"t{n}"},
        headers={"Idempotency-Key": key}) for n in range(20)])
    assert sorted(r.status_code for r in got) == [201] + [409] * 19
    made = next(r.json() for r in got if r.status_code == 201)
    assert len(events(agent, made["id"])) == 1
