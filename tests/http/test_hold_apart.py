"""Agents are kept apart: an intent out of reach reads as not found at every
route, and people and keys with reach all see it as before."""
import hashlib
import json
import re

import pytest

import kit
from kit import (ANY_ID, KEYED, answer, ask, events, get, new_id, new_intent,
                 patch, put, refused, set_status)
from page import Page
from plans import plan, task
from questions import end_now
from test_streams import Stream

ONES_OWN = re.compile(r"/intents/\{id\}|/subscribe/intents/\{id\}")


class World:
    """Two agents, each with a key of its own, and alpha's things."""

    def __init__(self, server):
        self.server = server
        tag = new_id()[:8]
        self.names = {n: f"{n}-{tag}" for n in ("alpha", "beta", "board")}
        self.keys = {n: server.key("agent", "--agent", self.names[n], *more)
                     for n, more in (("alpha", []), ("beta", []),
                                     ("board", ["--reach", "all"]))}
        self.alpha, self.beta, self.board = (
            self.client(n) for n in ("alpha", "beta", "board"))
        self.other = new_intent(self.alpha)
        made = new_intent(self.alpha, depends_on=[])
        patch(self.alpha, made, put("iban", "DE02"))
        lease = self.alpha.post(self.at(made) + "/leases",
                                json={"scope": "all", "duration_seconds": 900})
        assert lease.status_code == 201
        self.lease = lease.json()
        retries = self.alpha.put(self.at(made) + "/retry-policy",
                                 json={"strategy": "fixed"})
        assert retries.status_code == 200
        approval = self.alpha.post(self.at(made) + "/approvals",
                                   json={"action": "x", "reason": "x"})
        assert approval.status_code == 201
        self.approval = approval.json()
        self.asked = ask(self.alpha, intent_id=made["id"])
        self.intent = get(self.alpha, made)

    def client(self, name, **more):
        return self.server.client(
            headers={"X-API-Key": self.keys[name]}, **more)

    @staticmethod
    def at(intent):
        return f"/api/v1/intents/{intent['id']}"

    def everything(self):
        """Everything of alpha's that a call could have changed."""
        with self.server.database() as db:
            return db.execute("""
                SELECT array(SELECT to_jsonb(i) FROM intent i
                              WHERE i.id = ANY (%(ids)s) ORDER BY id),
                       array(SELECT to_jsonb(l) FROM lease l
                              WHERE l.intent_id = ANY (%(ids)s) ORDER BY id),
                       array(SELECT to_jsonb(a) FROM assignment a
                              WHERE a.intent_id = ANY (%(ids)s)
                              ORDER BY agent_id),
                       array(SELECT to_jsonb(d) FROM intent_dependency d
                              WHERE d.intent_id = ANY (%(ids)s)
                                 OR d.dependency_id = ANY (%(ids)s)),
                       array(SELECT to_jsonb(s) FROM suspension_row s
                              WHERE s.intent_id = ANY (%(ids)s) ORDER BY id),
                       array(SELECT to_jsonb(t) FROM task t
                              WHERE t.intent_id = ANY (%(ids)s) ORDER BY id),
                       array(SELECT to_jsonb(p) FROM plan p
                              WHERE p.intent_id = ANY (%(ids)s) ORDER BY id),
                       (SELECT count(*) FROM event
                         WHERE intent_id = ANY (%(ids)s)),
                       (SELECT count(*) FROM intent
                         WHERE parent_intent_id = ANY (%(ids)s)),
                       (SELECT count(*) FROM subscription
                         WHERE intent_id = ANY (%(ids)s))
                """, {"ids": [self.intent["id"], self.other["id"]]}).fetchone()


@pytest.fixture(scope="module")
def world(server):
    return World(server)


def sent(client, method, path, body, version):
    headers = {"If-Match": str(version)}
    more = {} if body is None else {"json": body}
    return client.request(method, path, headers=headers, **more)


# Bodies that would be accepted from a caller that reaches the intent.
BODIES = {
    "children": {"title": "x"},
    "dependencies": "dependency_id",
    "status": {"status": "completed"},
    "state": {"patches": [{"op": "set", "path": "/iban", "value": "EVIL"}]},
    "events": {"event_type": "comment", "payload": {}},
    "leases": {"scope": "free"},
    "{lease_id}": {},
    "agents": {"agent_id": "beta"},
    "costs": {"cost_type": "x", "amount": 1, "unit": "x"},
    "attachments": {"filename": "x", "mime_type": "x", "storage_url": "x"},
    "failures": {"error_code": "x"},
    "retry-policy": {"strategy": "fixed"},
    "approvals": {"action": "x", "reason": "x"},
    "escalations": {"reason": "x"},
    "arbitrate": {"reason": "x"},
    "decisions": {"decision_type": "x", "outcome": "x"},
    "governance": {},
    "acl": {"default_policy": "open"},
    "entries": {"principal_id": "beta", "permission": "admin"},
    "approve": {}, "deny": {},
}
# Any agent that knows an id may ask for access: test_access.py.
ASKED_FOR = "POST /api/v1/intents/{id}/access-requests"
OF_INTENTS = [r for r in KEYED if "agent" in r.roles
              and ONES_OWN.search(r.pattern) and r.name != ASKED_FOR]


@pytest.mark.parametrize("row", **kit.by_name(OF_INTENTS))
def test_M3_what_is_out_of_reach_is_not_there(world, row):
    """Each route of an intent: 404, word for word as for one that nobody
    has, and nothing is changed."""
    own = new_intent(world.beta)
    body = None
    if row.method in ("POST", "PATCH", "PUT"):
        body = BODIES[row.pattern.rpartition("/")[2]]
        if body == "dependency_id":
            body = {"dependency_id": own["id"]}
    before = world.everything()
    ids = {"lease_id": world.lease["id"], "agent_id": world.names["alpha"],
           "dependency_id": world.other["id"],
           "approval_id": world.approval["id"]}
    real, none = (
        sent(world.beta, row.method, kit.fill(row.pattern, id=one, **ids),
             body, world.intent["version"])
        for one in (world.intent["id"], ANY_ID))
    refused(real, 404, "intent.unknown")
    assert real.text == none.text
    kept = {k: v for k, v in real.headers.items()
            if k not in ("x-request-id", "date", "content-length")}
    assert kept == {k: v for k, v in none.headers.items() if k in kept}
    assert world.everything() == before


@pytest.mark.parametrize("row", **kit.by_name(
    [r for r in OF_INTENTS if r.method == "GET"]))
def test_M3_whoever_reaches_it_reads_it(world, row, operator, auditor):
    event = events(world.alpha, world.intent["id"])[0]
    path = kit.fill(row.pattern, id=world.intent["id"],
                    event_id=event["id"], approval_id=world.approval["id"])
    for client in (world.alpha, world.board, operator, auditor):
        if "subscribe" not in path:  # streams have a test of their own
            assert client.get(path).status_code == 200


# Every other route of a key with a part of the path, and the refusal for
# another agent's.
OTHERS = {
    "GET /api/v1/agents/{agent_id}/subscribe": (403, "agent.not_named"),
    "GET /api/v1/subscribe/agents/{agent_id}": (403, "agent.not_named"),
    "DELETE /api/v1/subscriptions/{id}": (404, "subscription.unknown"),
    "GET /api/v1/suspensions/{id}": (404, "suspension.unknown"),
    "GET /api/v1/suspensions/{id}/action": (404, "suspension.unknown"),
    "POST /api/v1/suspensions/{id}/respond": (404, "suspension.unknown"),
    "POST /api/v1/suspensions/{id}/cancel": (404, "suspension.unknown"),
    "POST /api/v1/suspensions/{id}/reconcile": (404, "suspension.unknown"),
    "GET /api/v1/endpoints/{id}": (404, "endpoint.unknown"),
    "PATCH /api/v1/endpoints/{id}": (404, "endpoint.unknown"),
    "DELETE /api/v1/endpoints/{id}": (404, "endpoint.unknown"),
    "POST /api/v1/endpoints/{id}/test": (404, "endpoint.unknown"),
    "POST /api/v1/endpoints/{id}/rotate": (404, "endpoint.unknown"),
    "GET /api/v1/coordinators/{id}": (404, "coordinator.unknown"),
    "DELETE /api/v1/coordinators/{id}": (404, "coordinator.unknown"),
    "POST /api/v1/coordinators/{id}/heartbeat": (404, "coordinator.unknown"),
    "GET /api/v1/permits/{id}": (404, "permit.unknown"),
    "POST /api/v1/permits/{id}/revoke": (404, "permit.unknown"),
    "POST /api/v1/redemptions/{id}/result": (404, "redemption.unknown"),
    "GET /api/v1/portfolios/{id}": (404, "portfolio.unknown"),
    "PATCH /api/v1/portfolios/{id}/status": (404, "portfolio.unknown"),
    "GET /api/v1/portfolios/{id}/coordinators": (404, "portfolio.unknown"),
    "GET /api/v1/portfolios/{id}/intents": (404, "portfolio.unknown"),
    "GET /api/v1/portfolios/{id}/subscribe": (404, "portfolio.unknown"),
    "GET /api/v1/subscribe/portfolios/{id}": (404, "portfolio.unknown"),
    "POST /api/v1/portfolios/{id}/intents": (404, "intent.unknown"),
    "DELETE /api/v1/portfolios/{id}/intents/{intent_id}":
        (404, "intent.unknown"),
    "GET /api/v1/tasks/{id}": (404, "task.unknown"),
    "PATCH /api/v1/tasks/{id}": (404, "task.unknown"),
    "GET /api/v1/plans/{id}": (404, "plan.unknown"),
    "PATCH /api/v1/plans/{id}": (404, "plan.unknown"),
}
# The routes without one, which a test below covers; or the reason why none
# does.
LISTS = {
    ASKED_FOR: "test_access.py has it: whoever knows an id may ask",
    "POST /hooks/{client}": "it makes an intent of its own",
    "POST /mcp": "test_mcp.py has its own: test_anothers_question",
    "POST /v1/requests": "it makes an intent of its own",
    **{name: "test_aap.py: test_a_request_is_its_agents_alone" for name in (
        "GET /v1/requests/{id}", "DELETE /v1/requests/{id}",
        "POST /v1/requests/{id}/consume", "POST /v1/requests/{id}/outcome")},
    "POST /api/v1/test/answer":
        "test_test_keys.py: test_it_reaches_no_question_of_another_key",
    "POST /api/v1/test/clock": "it names no question",
    "GET /api/v1/intents": "test_M3_a_list_has_what_is_within_reach",
    "POST /api/v1/intents": "test_M3_nothing_is_hung_on_anothers_intent",
    "POST /api/v1/suspensions": "test_M3_nothing_is_asked_in_anothers_intent",
    "GET /api/v1/suspensions": "test_M3_a_list_has_what_is_within_reach",
    "POST /api/v1/subscriptions": "test_M3_nobody_subscribes_to_anothers",
    "GET /api/v1/subscriptions": "test_M3_a_list_has_what_is_within_reach",
    "GET /api/v1/escalations": "test_M3_a_list_has_what_is_within_reach",
    "GET /api/v1/endpoints": "test_M3_a_list_has_what_is_within_reach",
    "POST /api/v1/endpoints": "an endpoint is the agent's that registers it",
    "POST /api/v1/coordinators": "test_M3_nobody_coordinates_anothers",
    "POST /api/v1/decisions": "test_M3_nobody_coordinates_anothers",
    "POST /api/v1/authorizations": "it makes an intent of its own",
    "POST /api/v1/redemptions": "test_M3_nobody_uses_anothers_permit",
    "POST /api/v1/tool-calls/check": "test_M3_no_calls_in_anothers_intent",
    "POST /api/v1/portfolios": "a portfolio is the agent's that makes it",
    "GET /api/v1/portfolios": "test_M3_a_list_has_what_is_within_reach",
    "POST /api/v1/tasks": "test_M3_no_plans_for_anothers_intent",
    "POST /api/v1/plans": "test_M3_no_plans_for_anothers_intent",
    **{name: "test_log.py: test_who_sees_the_checkpoints_of_an_intent"
       for name in ("GET /api/v1/checkpoints", "GET /api/v1/checkpoints/{id}",
                    "GET /api/v1/checkpoints/{id}/proof/{event_id}",
                    "GET /api/v1/verify/consistency")},
    "GET /api/v1/suspensions/{id}/receipt":
        "test_log.py: test_who_sees_a_receipt",
    "POST /api/v1/artifacts": "a file is the agent's that uploads it",
    "GET /api/v1/artifacts/{sha256}":
        "test_artifacts.py: test_another_agent_neither_reads_nor_names_it",
    **{name: "the log of all has no word of an event"
       for name in (r.name for r in KEYED) if " /log/" in name},
}


def test_M3_every_route_of_an_agent_is_in_one_of_the_tables():
    rows = {r.name for r in KEYED if "agent" in r.roles}
    held = {r.name for r in OF_INTENTS} | set(OTHERS) | set(LISTS)
    assert rows == held
    for told in LISTS.values():
        assert " " in told or told in globals(), told


USE = {"operation_id": "x", "call": {"tool": "x", "arguments": {}}}


@pytest.fixture(scope="module")
def theirs(world, operator):
    """An id of alpha's for each of the other routes."""
    p = world.alpha.post("/api/v1/authorizations", json={
        "goal": "x", "max_uses": 2, "authorization_details": [
            {"type": "tool_call", "tool": "x", "arguments": {}}]}).json()
    r = answer(operator, {"suspension_id": p["request_id"]}, "approve")
    assert r.status_code == 200, r.text
    used = world.alpha.post("/api/v1/redemptions", json={
        **USE, "permit_id": p["permit_id"]})
    assert used.status_code == 201, used.text
    r = world.alpha.post("/api/v1/endpoints",
                         json={"name": "a", "url": "https://x.invalid/a"})
    assert r.status_code == 201, r.text
    s = world.alpha.post("/api/v1/subscriptions", json={
        "intent_id": world.other["id"], "webhook_url": "https://x.invalid/a"})
    assert s.status_code == 201, s.text
    kept = world.alpha.post("/api/v1/portfolios", json={"name": "x"})
    assert kept.status_code == 201, kept.text
    k = world.alpha.post("/api/v1/coordinators", json={
        "intent_id": world.other["id"], "agent_id": world.names["alpha"]})
    assert k.status_code == 201, k.text
    return {"endpoints": r.json()["endpoint_id"],
            "portfolios": kept.json()["id"],
            "coordinators": k.json()["id"],
            "subscriptions": s.json()["id"],
            "suspensions": world.asked["suspension_id"],
            "permits": p["permit_id"],
            "redemptions": used.json()["redemption_id"],
            "tasks": task(world.alpha, world.other)["id"],
            "plans": plan(world.alpha, world.other)["id"],
            "agents": world.names["alpha"]}


@pytest.mark.parametrize("name", OTHERS)
def test_M3_what_is_anothers_is_not_there(world, theirs, name):
    [row] = [r for r in KEYED if r.name == name]
    [kind] = [k for k in theirs if f"/{k}/" in row.pattern]
    body = {} if row.method in ("POST", "PATCH") else None
    if name.endswith("/respond"):
        body = {"value": "approve"}
    if name.endswith("/reconcile"):
        body = {"outcome": "authorized"}
    if "/portfolios/" in name and body is not None:
        body = {"status": "abandoned", "intent_id": world.intent["id"]}
    before = world.everything()
    real, none = (
        sent(world.beta, row.method,
             kit.fill(row.pattern, id=one, agent_id=one), body, 1)
        for one in (theirs[kind], new_id()))
    refused(real, *OTHERS[name])
    assert real.text == none.text
    assert world.everything() == before


def test_M3_nobody_coordinates_anothers(world, theirs):
    refused(world.beta.post("/api/v1/coordinators", json={
        "intent_id": world.other["id"], "agent_id": world.names["beta"]}),
        404, "intent.unknown")
    refused(world.beta.post("/api/v1/decisions", json={
        "intent_id": world.other["id"], "summary": "x",
        "coordinator_id": theirs["coordinators"],
        "decision_type": "plan_created"}), 404, "intent.unknown")


def test_M3_nobody_uses_anothers_permit(world, theirs):
    refused(world.beta.post("/api/v1/redemptions", json={
        **USE, "operation_id": "y", "permit_id": theirs["permits"]}), 404,
        "permit.unknown")
    seen = world.alpha.get(f"/api/v1/permits/{theirs['permits']}").json()
    assert seen["used"] == 1 and seen["redemptions"][0]["result"] is None


def test_M3_no_calls_in_anothers_intent(world):
    refused(world.beta.post("/api/v1/tool-calls/check", json={
        "intent_id": world.other["id"],
        "tool_calls": [{"id": "1", "tool": "x", "arguments": {}}]}), 404,
        "intent.unknown")


@pytest.mark.parametrize("what", ["tasks", "plans"])
def test_M3_no_plans_for_anothers_intent(world, theirs, what):
    refused(world.beta.post(f"/api/v1/{what}", json={
        "intent_id": world.other["id"], "name": "x"}), 404, "intent.unknown")
    # Nor with a part of another's.
    own = new_intent(world.beta)
    refused(world.beta.post("/api/v1/plans", json={
        "intent_id": own["id"], "tasks": [theirs["tasks"]]}), 422,
        "task.unknown")
    refused(world.beta.post("/api/v1/tasks", json={
        "intent_id": own["id"], "name": "x", "plan_id": theirs["plans"]}),
        422, "plan.unknown")


def test_M3_a_list_has_what_is_within_reach(world, theirs):
    own = new_intent(world.beta)
    q = ask(world.beta)
    listed = world.beta.get("/api/v1/intents?limit=1000").json()["intents"]
    found = {i["id"] for i in listed}
    assert {own["id"], q["intent_id"]} <= found
    assert world.intent["id"] not in found
    with world.server.database() as db:
        makers = {m for m, in db.execute(
            "SELECT created_by FROM intent WHERE id = ANY (%s)",
            [list(found)])}
    assert makers == {world.names["beta"]}
    asked = world.beta.get("/api/v1/suspensions").json()["suspensions"]
    assert {s["asked_by"] for s in asked} == {world.names["beta"]}
    for name in ("subscriptions", "endpoints", "portfolios"):
        r = world.beta.get(f"/api/v1/{name}")
        assert r.status_code == 200 and theirs[name] not in r.text
    raised = world.alpha.post(
        f"/api/v1/intents/{world.other['id']}/escalations",
        json={"reason": "x"}).json()
    for query in ({}, {"intent_id": world.other["id"]}):
        for client, there in ((world.alpha, True), (world.beta, False)):
            r = client.get("/api/v1/escalations", params=query)
            assert (raised["id"] in r.text) == there
    r = world.beta.get(
        f"/api/v1/subscriptions?intent_id={world.other['id']}")
    assert r.json()["subscriptions"] == []
    r = world.beta.get(f"/api/v1/intents?after={world.intent['id']}")
    none = world.beta.get(f"/api/v1/intents?after={ANY_ID}")
    refused(r, 400, "request.query", "after")
    assert r.text == none.text


def test_M3_a_list_is_paged_by_what_is_reached(world, admin):
    name = f"pager-{new_id()[:8]}"
    key = world.server.key("agent", "--agent", name)
    with world.server.client(headers={"X-API-Key": key}) as pager:
        made = [new_intent(pager, "draft")["id"] for _ in range(4)]
        given = [new_intent(world.alpha)["id"] for _ in range(3)]
        for one in given:
            r = admin.post(f"/api/v1/intents/{one}/agents",
                           json={"agent_id": name})
            assert r.status_code == 200
        # Tied in two ways, listed once.
        r = pager.post(f"/api/v1/intents/{given[0]}/leases",
                       json={"scope": "x"})
        assert r.status_code == 201
        seen, after = [], ""
        while True:
            r = pager.get(f"/api/v1/intents?limit=2{after}").json()["intents"]
            if not r:
                break
            seen += [i["id"] for i in r]
            after = f"&after={r[-1]['id']}"
        assert seen == list(reversed(made + given))
        r = pager.get("/api/v1/intents?status=draft").json()["intents"]
        assert [i["id"] for i in r] == list(reversed(made))
        r = pager.get("/api/v1/intents?limit=2&offset=3").json()["intents"]
        assert [i["id"] for i in r] == seen[3:5]


@pytest.mark.parametrize("member", ["parent_intent_id", "depends_on"])
def test_M3_nothing_is_hung_on_anothers_intent(world, member):
    before = world.everything()

    def made(one):
        value = [one] if member == "depends_on" else one
        r = world.beta.post("/api/v1/intents", json={"title": "x",
                                                     member: value})
        refused(r, 422 if member == "depends_on" else 404, "intent.unknown",
                member)
        return r.text.replace(one, "")

    assert made(world.intent["id"]) == made(new_id())
    own = new_intent(world.beta)
    for one in (world.intent["id"], ANY_ID):
        r = world.beta.post(world.at(own) + "/dependencies",
                            json={"dependency_id": one},
                            headers={"If-Match": str(own["version"])})
        refused(r, 422, "intent.unknown", "dependency_id")
    assert get(world.beta, own)["status"] == "active"
    assert world.everything() == before


def test_M3_nothing_is_asked_in_anothers_intent(world):
    before = world.everything()
    for body in ({"intent_id": "{}"}, {"intent": {"parent_intent_id": "{}"}}):
        texts = set()
        for one in (world.other["id"], ANY_ID):
            text = json.dumps(body).replace("{}", one)
            r = world.beta.post("/api/v1/suspensions", json={
                "question": "?", "response_type": "text",
                "timeout_seconds": 1, **json.loads(text)})
            refused(r, 404, "intent.unknown")
            texts.add(r.text.replace(one, ""))
        assert len(texts) == 1
    assert world.everything() == before


def test_M3_nobody_subscribes_to_anothers(world):
    r = world.beta.post("/api/v1/endpoints",
                        json={"name": "b", "url": "https://x.invalid/b"})
    assert r.status_code == 201
    before = world.everything()
    for one in (world.other["id"], ANY_ID):
        r = world.beta.post("/api/v1/subscriptions", json={
            "intent_id": one, "webhook_url": "https://x.invalid/b"})
        refused(r, 404, "intent.unknown", "intent_id")
    assert world.everything() == before


# --- What gives reach ------------------------------------------------------

def test_assigning_gives_reach_and_taking_back_ends_it(world):
    intent = new_intent(world.alpha)
    at, name = world.at(intent), world.names["beta"]
    assert world.beta.get(at).status_code == 404
    world.alpha.post(at + "/agents", json={"agent_id": name})
    assert world.beta.get(at).status_code == 200
    r = world.beta.post(at + "/leases", json={"scope": "x"})
    assert r.status_code == 201
    lease = r.json()["id"]
    r = patch(world.beta, get(world.beta, intent), put("a", 1))
    assert r.status_code == 200
    world.alpha.delete(at + f"/agents/{name}")
    assert world.beta.get(at).status_code == 200  # it has the lease
    r = world.beta.delete(at + f"/leases/{lease}")
    assert r.status_code == 200
    assert world.beta.get(at).status_code == 404
    refused(world.beta.post(at + "/leases", json={"scope": "x"}), 404,
            "intent.unknown")


def test_M3_a_stream_ends_with_the_reach(world, operator):
    """The stream of an agent that was unassigned ends, and so does that of a
    key that no longer reaches all; streams of agents that still reach the
    intent continue."""
    server, intent = world.server, new_intent(world.alpha)
    at, name = world.at(intent), world.names["beta"]
    once = server.key("agent", "--agent", f"once-{new_id()[:8]}", "--reach",
                      "all")
    r = world.alpha.post(at + "/agents", json={"agent_id": name})
    assert r.status_code == 200
    path = at + "/subscribe"
    stay = [Stream(server, path, key=key) for key in (
        world.keys["alpha"], world.keys["board"],
        server.env["SAYSO_OPERATOR_KEY"])]
    cut = [Stream(server, path, key=key) for key in (world.keys["beta"], once)]
    own = Stream(server, world.at(new_intent(world.beta)) + "/subscribe",
                 key=world.keys["beta"])
    assert [s.status for s in (*stay, *cut, own)] == [200] * 6
    assert world.alpha.delete(at + f"/agents/{name}").status_code == 200
    with server.database() as db:
        done = db.execute(
            "UPDATE api_key SET reach = 'own' WHERE key_sha256 = %s",
            [hashlib.sha256(once.encode()).hexdigest()])
    assert done.rowcount == 1
    kit.wait_for(lambda: all(s.ended for s in cut), 60)
    assert all(s.ended != "cleanly" for s in cut)
    assert world.beta.get(path).status_code == 404
    r = world.alpha.post(at + "/events", json={"event_type": "comment",
                                               "payload": {}})
    assert r.status_code == 201
    for s in stay:
        told = s.until("comment")["data"]
        assert told["actor_type"] == "agent"
    assert [s.ended for s in (*stay, own)] == [None] * 4
    for s in (*stay, own):
        s.close()


def test_M3_pushes_end_with_the_reach(world):
    """One subscribes while it reaches the intent, and is unassigned."""
    intent = new_intent(world.alpha)
    at, name = world.at(intent), world.names["beta"]
    world.alpha.post(at + "/agents", json={"agent_id": name})
    r = world.beta.post("/api/v1/endpoints", json={
        "name": "h", "url": "https://h.invalid/"})
    assert r.status_code == 201, r.text
    r = world.beta.post("/api/v1/subscriptions", json={
        "intent_id": intent["id"], "event_types": ["comment"],
        "webhook_url": "https://h.invalid/"})
    assert r.status_code == 201, r.text

    def pushed():
        with world.server.database() as db:
            return db.execute("SELECT count(*) FROM delivery WHERE "
                              "subscription_id = %s", [r.json()["id"]]
                              ).fetchone()[0]

    def comment():
        r = world.alpha.post(at + "/events", json={
            "event_type": "comment", "payload": {}})
        assert r.status_code in (200, 201), r.text

    comment()
    assert pushed() == 1
    world.alpha.delete(at + f"/agents/{name}")
    comment()
    assert pushed() == 1


def test_a_lease_that_lapsed_gives_no_reach(world):
    intent = new_intent(world.alpha)
    at, name = world.at(intent), world.names["beta"]
    world.alpha.post(at + "/agents", json={"agent_id": name})
    world.beta.post(at + "/leases", json={"scope": "x"})
    world.alpha.delete(at + f"/agents/{name}")
    with world.server.database() as db, kit.asleep(world.server, "tick"):
        db.execute("UPDATE lease SET expires_at = now() - interval '1 s' "
                   "WHERE intent_id = %s", [intent["id"]])
        assert world.beta.get(at).status_code == 404
        # But it does not lapse while the intent waits for an answer.
        r = set_status(world.alpha, get(world.alpha, intent),
                       "suspended_awaiting_input")
        assert r.status_code == 200
        assert world.beta.get(at).status_code == 200


def test_a_handoff_lets_read_and_its_acceptance_gives_reach(world):
    q = ask(world.alpha, kind="handoff_acceptance", response_type=None,
            choices=None,
            responder={"mode": "agent", "who": world.names["beta"]},
            subject={"from": world.names["alpha"], "to": world.names["beta"],
                     "reason": "Yours", "summary": "A refund",
                     "artifacts": [], "evidence": []})
    at = f"/api/v1/intents/{q['intent_id']}"
    r = world.beta.get(at)
    assert r.status_code == 200 and "_suspension" not in r.json()["state"]
    assert world.beta.get(at + "/events").status_code == 404
    r = answer(world.beta, q, "accept")
    assert r.status_code == 200, r.text
    r = world.beta.get(at)
    assert r.json()["owner"] == world.names["beta"]
    assert "_suspension" in r.json()["state"]
    assert set_status(world.beta, r.json(), "completed").status_code == 200


def test_what_stands_around_is_read_and_no_more(world):
    """Parent, its parent and what it depends on, as workflows read them."""
    def given(intent):
        r = world.alpha.post(world.at(intent) + "/agents",
                             json={"agent_id": world.names["beta"]})
        assert r.status_code == 200
        return intent

    top = new_intent(world.alpha)
    mid = new_intent(world.alpha, parent_intent_id=top["id"])
    far = new_intent(world.alpha)
    near = new_intent(world.alpha, depends_on=[far["id"]])
    low = given(new_intent(world.alpha, "draft", parent_intent_id=mid["id"],
                           depends_on=[near["id"]]))
    ask(world.alpha, intent_id=top["id"])
    for one in (top, mid, near):
        at = world.at(one)
        r = world.beta.get(at)
        assert r.status_code == 200
        assert "_suspension" not in r.json()["state"]
        for list_ in ("children", "dependencies", "dependents", "descendants",
                      "ancestors", "ready", "blocked", "graph", "events",
                      "events/verify", "leases", "agents", "subscribe"):
            assert world.beta.get(f"{at}/{list_}").status_code == 404, list_
        refused(set_status(world.beta, r.json(), "abandoned"), 404)
        refused(patch(world.beta, r.json(), put("a", 1)), 404)
        refused(world.beta.post(at + "/children", json={"title": "x"}), 404)
        refused(world.beta.post("/api/v1/intents", json={
            "title": "x", "parent_intent_id": one["id"]}), 404)
    assert "_suspension" in get(world.alpha, top)["state"]
    assert world.beta.get(world.at(far)).status_code == 404
    r = world.beta.get(world.at(low) + "/dependencies").json()["dependencies"]
    assert [i["id"] for i in r] == [near["id"]]
    sister = new_intent(world.alpha, parent_intent_id=low["id"])
    own = new_intent(world.beta, parent_intent_id=low["id"])
    r = world.beta.get(world.at(low) + "/children").json()["children"]
    assert [i["id"] for i in r] == [own["id"]]
    assert world.beta.get(world.at(sister)).status_code == 404
    r = world.alpha.get(world.at(low) + "/children").json()["children"]
    assert [i["id"] for i in r] == [sister["id"]]


# --- The key ---------------------------------------------------------------

def test_a_new_key_reaches_its_own_and_all_is_asked_for(world):
    at = world.at(world.intent)
    assert world.beta.get(at).status_code == 404
    assert world.board.get(at).status_code == 200
    key = world.server.key("agent", "--agent", "*")
    with world.server.client(headers={"X-API-Key": key}) as any_agent:
        assert any_agent.get(at).status_code == 200
    listed = world.server.sayso("key", "list").stdout.splitlines()
    reach = listed[0].split("\t").index("reach")
    by_agents = {x.split("\t")[4]: x.split("\t")[reach] for x in listed[1:]}
    assert by_agents[world.names["beta"]] == "own"
    assert by_agents[world.names["board"]] == "all"


@pytest.mark.parametrize("options", [
    ["--role", "agent", "--agent", "*", "--reach", "own"],
    ["--role", "agent", "--agent", "a", "--reach", "some"],
    ["--role", "operator", "--reach", "own"]])
def test_what_no_key_can_reach(server, options):
    done = server.sayso("key", "create", "--label", "x", *options)
    assert done.returncode == 2 and "--reach" in done.stderr


def test_what_a_key_reaches_is_changed(world):
    at, key = world.at(world.intent), world.keys["beta"]
    for word, status in (("all", 200), ("own", 404)):
        done = world.server.sayso("key", "reach", key[:12], word)
        assert done.returncode == 0 and done.stdout == "1 changed\n"
        assert world.beta.get(at).status_code == status
    for bad in ([key[:12], "some"], [key[:12]], ["nothing", "all"]):
        assert world.server.sayso("key", "reach", *bad).returncode != 0
    star = world.server.key("agent", "--agent", "*")
    done = world.server.sayso("key", "reach", star[:12], "own")
    assert done.returncode == 1 and done.stdout == "0 changed\n"


def test_doctor_names_the_keys_that_reach_all(world):
    done = world.server.sayso("doctor")
    told = [x for x in done.stdout.splitlines() if x.startswith("note ")]
    assert any(world.keys["board"][:12] in x for x in told)
    assert not any(world.keys["beta"][:12] in x for x in told)


# --- Names, and what an agent says of itself -------------------------------

def test_M7_an_agent_cannot_have_a_persons_name(world, agent):
    person = "operator@x.test"
    r = agent.post("/api/v1/intents", json={"title": "x"},
                   headers={"X-Agent-ID": person})
    refused(r, 403, "agent.not_named")
    r = world.alpha.post(world.at(world.other) + "/agents",
                         json={"agent_id": person})
    refused(r, 422, "agent.name", "agent_id")
    done = world.server.sayso("key", "create", "--role", "agent", "--label",
                              "x", "--agent", person)
    assert done.returncode == 2 and "not a valid agent name" in done.stderr


def test_M7_a_name_that_a_key_had_before_stays(world):
    name = f"old-{new_id()[:8]}"
    key = world.server.key("agent", "--agent", name)
    with world.server.database() as db:
        db.execute("UPDATE api_key SET agents = %s WHERE agents = %s",
                   [[name + "@x"], [name]])
    with world.server.client(headers={"X-API-Key": key}) as old:
        made = new_intent(old)
        assert made["created_by"] == name + "@x"
        assert get(old, made)["id"] == made["id"]


def said_by(client, intent_id):
    """The actors of each type of event, and the list's verdict on the chain."""
    listed = kit.events(client, intent_id, limit=100)
    kit.check_chain(listed)
    r = client.get(f"/api/v1/intents/{intent_id}/events/verify").json()
    assert r["chain_valid"] is True
    return {(e["event_type"], e["actor"], e["actor_type"]) for e in listed}


def test_M7_an_event_says_what_kind_of_actor(world, operator, person):
    alpha, name = world.alpha, world.names["alpha"]
    me, key = person("operator"), "demo operator"
    first = new_intent(alpha)
    then = new_intent(alpha, depends_on=[first["id"]])
    assert then["status"] == "blocked"
    by_page = ask(alpha, intent_id=first["id"])
    by_key, late = ask(alpha), ask(alpha)
    path = f"/suspensions/{by_page['suspension_id']}"
    r = me.client.post(path + "/respond", data=Page(
        me.client.get(path)).data("/respond", value="deny"))
    assert r.status_code == 303
    assert answer(operator, by_key, "deny").status_code == 200
    with world.server.database() as db:
        end_now(db, late["suspension_id"])
    # An expiry found by another call is also the clock's.
    assert answer(operator, late, "deny").status_code == 409
    r = set_status(alpha, get(alpha, first), "completed")
    assert r.status_code == 200
    asked = ("intent.suspended", name, "agent")
    assert {asked, ("intent.resumed", me.email, "person"),
            ("intent_created", name, "agent"),
            ("status_changed", name, "agent")} == said_by(alpha, first["id"])
    assert {asked, ("intent.resumed", key, "key")} < said_by(
        alpha, by_key["intent_id"])
    assert {asked, ("intent.suspension_expired", "clock", "clock"),
            ("status_changed", "clock", "clock")} < said_by(
        alpha, late["intent_id"])
    assert ("status_changed", "sayso", "sayso") in said_by(alpha, then["id"])
    page = Page(me.client.get(f"/intents/{by_key['intent_id']}")).text
    assert f"{key} (key)" in page and f"{name} (agent)" not in page


def test_M7_events_from_before_have_no_kind_of_actor(world, person):
    """These bytes were hashed, and the chain continues after them."""
    alpha, previous = world.alpha, None
    with world.server.database() as db, db.transaction():
        db.execute("SET LOCAL session_replication_role = replica")
        # The signer waits: events that it has seen cannot change any more.
        db.execute("SELECT FROM log_end FOR UPDATE")
        old = new_intent(alpha)["id"]
        for event in reversed(kit.events(alpha, old)):
            for member in ("event_hash", "actor_type"):
                del event[member]
            event["previous_event_hash"] = previous
            here = kit.hash_of(event)
            db.execute(
                "UPDATE event SET canonical = %s, event_hash = %s, "
                "previous_event_hash = %s WHERE id = %s",
                [kit.canonical(event), here, previous, event["id"]])
            previous = here
        db.execute("UPDATE intent SET event_hash = %s WHERE id = %s",
                   [previous, old])
    r = alpha.post(f"/api/v1/intents/{old}/events",
                   json={"event_type": "comment", "payload": {}})
    assert r.status_code == 201
    listed = kit.events(alpha, old)
    kit.check_chain(listed)
    assert [e.get("actor_type") for e in listed] == ["agent", None, None]
    r = alpha.get(f"/api/v1/intents/{old}/events/verify").json()
    assert r["chain_valid"] is True and r["event_count"] == 3
    done = world.server.sayso("verify", old)
    assert done.stdout == "1 intents, 3 events, 0 broken\n"
    page = Page(person("auditor").client.get(f"/intents/{old}?verify=1")).text
    assert "breaks" not in page and world.names["alpha"] in page


def test_L4_the_mirror_has_nothing_that_looks_like_the_servers(world,
                                                               operator):
    own = {"approved_subject": {"a": 1}, "constraints": {"uses": 9},
           "modified": True, "approved_sha256": "0" * 64}
    intent, suspension = kit.suspend(world.alpha, **own)
    assert not set(own) & set(intent["state"]["_suspension"])
    assert kit.respond(operator, intent, suspension, "deny").status_code == 200
    assert not set(own) & set(get(world.alpha, intent)["state"]["_suspension"])


def test_L3_who_answered_stands_beside_who_is_claimed(world, operator):
    intent, suspension = kit.suspend(world.alpha)
    r = kit.respond(operator, intent, suspension, "deny",
                    responded_by="ceo@example.com").json()
    mirror = get(world.alpha, intent)["state"]["_suspension"]
    event = world.alpha.get(world.at(intent) + "/events?event_type="
                            "intent.resumed").json()[0]["payload"]
    for told in (r, mirror, event):
        assert told["responded_by"] == "ceo@example.com"
        assert told["decided_by"] == "demo operator"
    native = world.alpha.get(f"/api/v1/suspensions/{suspension}").json()
    assert native["responded_by"] == "demo operator"
    assert native["responded_by_claimed"] == "ceo@example.com"
