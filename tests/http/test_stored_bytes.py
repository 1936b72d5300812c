"""Whatever an agent can store is counted in `limit_bytes_mb`: each writing
route of the route table is called with as large a text as it takes, and the
count grows by that. A new route has to be named here."""
import re
import uuid

import pytest

import kit
from kit import CHOICES, at, made, new_id, new_intent
from plans import plan, task
from proofs import GRANT, OAuth

API = "/api/v1"
KB = 1024


class World:
    """The callers, and the bytes counted so far."""

    def __init__(self, server):
        self.server, self.nobody = server, server.client()
        self.name = f"storer-{new_id()[:8]}"
        self.key = server.key("agent", "--agent", self.name)
        self.agent = server.client(headers={"X-API-Key": self.key})
        self.operator = server.client("operator")
        self.other = server.client("agent", agent="taker")
        self.oauth = OAuth(server, self.name, self.key)
        self.resource = server.resource(f"https://{new_id()}.example/mcp",
                                        "--allow-bearer")
        test = server.key("agent", "--agent", f"t-{self.name}", "--test")
        self.tester = server.client(headers={"X-API-Key": test})

    def count(self):
        text = self.nobody.get("/metrics").text
        return int(re.search(r"^sayso_stored_bytes_total (\d+)$", text,
                             re.M)[1])

    def intent(self, **more):
        return new_intent(self.agent, "active", **more)

    def post(self, path, **body):
        return self.agent.post(API + path, json=body)

    def of(self, *path, client=None, **body):
        """A call about an intent of its own."""
        return (client or self.agent).post(at(self.intent(), *path), json=body)

    def match(self, method, path, thing, **body):
        return self.agent.request(method, path, json=body or None, headers={
            "If-Match": str(thing["version"])})


@pytest.fixture(scope="module")
def world(server):
    return World(server)


def portfolio(w, *intents, text="x"):
    one = made(w.post("/portfolios", name="x"))
    for i in intents:
        made(w.post(f"/portfolios/{one['id']}/intents", intent_id=i["id"]))
    return f"{API}/portfolios/{one['id']}"


def coordinator(w):
    one = made(w.post("/coordinators", intent_id=w.intent()["id"],
                      agent_id=w.name))
    return f"{API}/coordinators/{one['id']}"


def coordinated(w):
    intent = w.intent()
    one = made(w.post("/coordinators", intent_id=intent["id"],
                      agent_id=w.name))
    return {"intent_id": intent["id"], "coordinator_id": one["id"]}


def lease(w):
    intent = w.intent()
    one = made(w.agent.post(at(intent, "leases"), json={"scope": "s"}))
    return at(intent, "leases", one["id"])


def endpoint(w):
    one = made(w.post("/endpoints", name="x", url=f"https://{new_id()}.example/"))
    return one["endpoint_id"], one["url"]


def entry(w):
    intent = w.intent()
    one = made(w.agent.post(at(intent, "acl/entries"), json={
        "principal_id": "other", "permission": "read"}))
    return at(intent, "acl/entries", one["id"])


def wanted(w, decide):
    """A request of another agent for access, answered by one with admin."""
    intent = w.intent()
    with w.server.client("agent", agent="other-agent") as other:
        one = made(other.post(at(intent, "access-requests"), json={
            "principal_id": "other-agent", "principal_type": "agent",
            "requested_permission": "read", "reason": "x"}))
    return at(intent, "access-requests", one["id"], decide)


def asked(w, client=None, **more):
    return kit.ask(client or w.agent, **more)


def handoff(w):
    """A question that another agent answers."""
    intent = w.intent()
    made(w.agent.post(at(intent, "agents"), json={"agent_id": "taker"}), 200)
    return asked(w, intent_id=intent["id"], kind="handoff_acceptance",
                 choices=None, response_type=None,
                 subject={"from": w.name, "to": "taker", "summary": "x",
                          "reason": "x", "artifacts": [], "evidence": []},
                 responder={"mode": "agent", "who": "taker"})["suspension_id"]


def permit(w, text="x"):
    """A granted one, and its call."""
    one = made(w.post("/authorizations", goal="x", reasoning=text,
                      authorization_details=[{
                          "type": "tool_call", "tool": "shop.refund",
                          "arguments": {"order": "7"}}]), 202)
    made(kit.answer(w.operator, {"suspension_id": one["request_id"]}), 200)
    return one["permit_id"]


def redeem(w, text):
    return w.agent.post(f"{API}/redemptions", headers={
        "Idempotency-Key": new_id()}, json={
            "permit_id": permit(w), "operation_id": new_id(), "call": {
                "tool": "shop.refund", "arguments": {"order": "7"}}})


def approval_request(w, text="x"):
    return w.agent.post("/v1/requests", headers={
        "Idempotency-Key": new_id()}, json={
            "tool": "refund", "arguments": {"x": text}, "timeout": "10m"})


def consumable(w):
    one = made(approval_request(w))
    made(kit.answer(w.operator, {"suspension_id": one["id"]}), 200)
    return one["id"]


def consume(w, one):
    return w.agent.post(f"/v1/requests/{one}/consume", headers={
        "Idempotency-Key": new_id()})


def consumed(w):
    one = consumable(w)
    made(consume(w, one), 200)
    return one


def redeemed(w):
    return made(redeem(w, ""))["redemption_id"]


def mcp(w, text):
    """The call ends with the time of its question."""
    return w.agent.post("/mcp", json={
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "ask_human", "arguments": {
                "question": "x?", "context": {"x": text},
                "timeout_seconds": 1}}})


def hook(w, text):
    return w.agent.post("/hooks/claude?hold=0", json={
        "session_id": new_id(), "cwd": "/", "permission_mode": "default",
        "hook_event_name": "PreToolUse", "tool_name": "Bash",
        "tool_input": {"command": text}, "tool_use_id": new_id()})


# For each route the size of a text, all of which is stored, and the call. Size 0: it has no place for a text; something is counted.
ROWS = {
    "POST /api/v1/intents": (400 * KB, lambda w, x: w.post(
        "/intents", title="x", state={"x": x})),
    "POST /api/v1/intents/{id}/children": (400 * KB, lambda w, x: w.of(
        "children", title="x", state={"x": x})),
    "POST /api/v1/intents/{id}/dependencies": (0, lambda w, x: w.match(
        "POST", at(i := w.intent(), "dependencies"), i,
        dependency_id=w.intent()["id"])),
    "DELETE /api/v1/intents/{id}/dependencies/{dependency_id}": (
        0, lambda w, x: (d := w.intent(), i := w.intent(), w.match(
            "POST", at(i, "dependencies"), i, dependency_id=d["id"]),
            i := kit.get(w.agent, i),
            w.match("DELETE", at(i, "dependencies", d["id"]), i))[-1]),
    "POST /api/v1/intents/{id}/status": (1000, lambda w, x: w.match(
        "POST", at(i := w.intent(), "status"), i, status="blocked",
        reason=x)),
    "POST /api/v1/intents/{id}/state": (400 * KB, lambda w, x: kit.patch(
        w.agent, w.intent(), kit.put("x", x))),
    "POST /api/v1/intents/{id}/events": (200 * KB, lambda w, x: w.of(
        "events", event_type="comment", payload={"x": x})),
    "POST /api/v1/intents/{id}/leases": (200, lambda w, x: w.of(
        "leases", scope=x)),
    "PATCH /api/v1/intents/{id}/leases/{lease_id}": (
        0, lambda w, x: w.agent.patch(lease(w), json={"duration_seconds": 60})),
    "DELETE /api/v1/intents/{id}/leases/{lease_id}": (
        0, lambda w, x: w.agent.delete(lease(w))),
    "POST /api/v1/intents/{id}/agents": (100, lambda w, x: w.of(
        "agents", agent_id=x)),
    "POST /api/v1/subscriptions": (0, lambda w, x: w.post(
        "/subscriptions", intent_id=w.intent()["id"],
        webhook_url=endpoint(w)[1])),
    "PUT /api/v1/intents/{id}/governance": (0, lambda w, x: w.match(
        "PUT", at(i := w.intent(), "governance"), i, max_cost=5)),
    "DELETE /api/v1/intents/{id}/governance": (0, lambda w, x: (
        i := w.intent(), w.agent.put(at(i, "governance"), json={}, headers={
            "If-Match": str(i["version"])}),
        w.match("DELETE", at(i, "governance"), kit.get(w.agent, i)))[-1]),
    "POST /api/v1/intents/{id}/approvals": (30 * KB, lambda w, x: w.of(
        "approvals", action="x", reason="x", context={"x": x})),
    "POST /api/v1/intents/{id}/escalations": (30 * KB, lambda w, x: w.of(
        "escalations", reason="x", context={"x": x})),
    "POST /api/v1/intents/{id}/decisions": (3000, lambda w, x: w.of(
        "decisions", decision_type="x", outcome="x", reasoning=x)),
    "POST /api/v1/intents/{id}/arbitrate": (30 * KB, lambda w, x: w.of(
        "arbitrate", reason="x", context={"x": x})),
    "POST /api/v1/portfolios": (30 * KB, lambda w, x: w.post(
        "/portfolios", name="x", metadata={"x": x})),
    "PATCH /api/v1/portfolios/{id}/status": (0, lambda w, x: w.agent.patch(
        portfolio(w) + "/status", json={"status": "abandoned"})),
    "POST /api/v1/portfolios/{id}/intents": (0, lambda w, x: w.agent.post(
        portfolio(w) + "/intents", json={"intent_id": w.intent()["id"]})),
    "DELETE /api/v1/portfolios/{id}/intents/{intent_id}": (
        0, lambda w, x: w.agent.delete(
            portfolio(w, i := w.intent()) + f"/intents/{i['id']}")),
    "POST /api/v1/coordinators": (15 * KB, lambda w, x: w.post(
        "/coordinators", intent_id=w.intent()["id"], agent_id=w.name,
        metadata={"x": x})),
    "DELETE /api/v1/coordinators/{id}": (
        0, lambda w, x: w.agent.delete(coordinator(w))),
    "POST /api/v1/coordinators/{id}/heartbeat": (
        0, lambda w, x: w.agent.post(coordinator(w) + "/heartbeat")),
    "POST /api/v1/decisions": (1000, lambda w, x: w.post(
        "/decisions", **coordinated(w),
        decision_type="plan_created", summary=x, rationale="x")),
    "POST /api/v1/intents/{id}/costs": (4000, lambda w, x: w.of(
        "costs", cost_type="x", amount=1, unit="x", metadata={"x": x})),
    "POST /api/v1/intents/{id}/attachments": (4000, lambda w, x: w.of(
        "attachments", filename="x", mime_type="x", storage_url="x",
        metadata={"x": x})),
    "DELETE /api/v1/intents/{id}/attachments/{attachment_id}": (
        0, lambda w, x: (i := w.intent(), w.agent.delete(at(
            i, "attachments", made(w.agent.post(at(i, "attachments"), json={
                "filename": "x", "mime_type": "x",
                "storage_url": "x"}))["id"])))[-1]),
    "PUT /api/v1/intents/{id}/retry-policy": (0, lambda w, x: w.agent.put(
        at(w.intent(), "retry-policy"), json={"strategy": "fixed"})),
    "POST /api/v1/intents/{id}/failures": (4000, lambda w, x: w.of(
        "failures", error_code="x", metadata={"x": x})),
    "PUT /api/v1/intents/{id}/acl": (0, lambda w, x: w.agent.put(
        at(w.intent(), "acl"), json={"default_policy": "closed"})),
    "POST /api/v1/intents/{id}/acl/entries": (500, lambda w, x: w.of(
        "acl/entries", principal_id="other", permission="read", reason=x)),
    "DELETE /api/v1/intents/{id}/acl/entries/{entry_id}": (
        0, lambda w, x: w.agent.delete(entry(w))),
    "POST /api/v1/intents/{id}/access-requests": (1000, lambda w, x: w.of(
        "access-requests", client=w.other, principal_id="taker",
        principal_type="agent", requested_permission="read", reason=x)),
    "POST /api/v1/intents/{id}/access-requests/{request_id}/approve": (
        500, lambda w, x: w.agent.post(wanted(w, "approve"),
                                       json={"reason": x})),
    "POST /api/v1/intents/{id}/access-requests/{request_id}/deny": (
        500, lambda w, x: w.agent.post(wanted(w, "deny"),
                                       json={"reason": x})),
    "POST /api/v1/tasks": (100 * KB, lambda w, x: w.post(
        "/tasks", intent_id=w.intent()["id"], name="x", metadata={"x": x})),
    "PATCH /api/v1/tasks/{id}": (100 * KB, lambda w, x: w.match(
        "PATCH", f"{API}/tasks/{(t := task(w.agent, w.intent()))['id']}", t,
        metadata={"x": x})),
    "POST /api/v1/plans": (100 * KB, lambda w, x: w.post(
        "/plans", intent_id=w.intent()["id"], name="x", metadata={"x": x})),
    "PATCH /api/v1/plans/{id}": (100 * KB, lambda w, x: w.match(
        "PATCH", f"{API}/plans/{(p := plan(w.agent, w.intent()))['id']}", p,
        metadata={"x": x})),
    "POST /api/v1/suspensions": (100 * KB, lambda w, x: w.post(
        "/suspensions", question="x?", choices=CHOICES, context={"x": x})),
    "POST /api/v1/suspensions/{id}/respond": (1000, lambda w, x: w.other.post(
        f"{API}/suspensions/{handoff(w)}/respond",
        json={"value": "decline", "reason": x})),
    "POST /api/v1/suspensions/{id}/cancel": (1000, lambda w, x: w.post(
        f"/suspensions/{asked(w)['suspension_id']}/cancel", reason=x)),
    "POST /api/v1/suspensions/{id}/reconcile": (4000, lambda w, x: w.post(
        f"/suspensions/{kit.lost(w.server, asked(w))['suspension_id']}"
        "/reconcile", outcome="authorized", value=x)),
    "POST /api/v1/test/answer": (1000, lambda w, x: w.tester.post(
        f"{API}/test/answer", json={"suspension_id": asked(
            w, w.tester)["suspension_id"], "value": "approve", "reason": x})),
    "POST /api/v1/test/clock": (0, lambda w, x: (
        asked(w, w.tester), w.tester.post(f"{API}/test/clock", json={
            "forward_seconds": 1}))[-1]),
    "POST /api/v1/endpoints": (1000, lambda w, x: w.post(
        "/endpoints", name="x", url=f"https://{new_id()}.example/{x}")),
    "PATCH /api/v1/endpoints/{id}": (0, lambda w, x: w.agent.patch(
        f"{API}/endpoints/{endpoint(w)[0]}", json={"name": "y"})),
    "POST /api/v1/endpoints/{id}/rotate": (0, lambda w, x: w.post(
        f"/endpoints/{endpoint(w)[0]}/rotate")),
    "POST /api/v1/endpoints/{id}/test": (0, lambda w, x: w.post(
        f"/endpoints/{endpoint(w)[0]}/test")),
    "POST /hooks/{client}": (60 * KB, hook),
    "POST /mcp": (100 * KB, mcp),
    "POST /api/v1/tool-calls/check": (60 * KB, lambda w, x: w.post(
        "/tool-calls/check", tool_calls=[{
            "id": new_id(), "tool": "x", "arguments": {"x": x}}],
        responder={"mode": "operators"})),
    "POST /api/v1/authorizations": (30 * KB, lambda w, x: w.post(
        "/authorizations", goal="x", reasoning="x", authorization_details=[{
            "type": "tool_call", "tool": "x", "arguments": {"x": x}}])),
    "POST /api/v1/permits/{id}/revoke": (500, lambda w, x: w.post(
        f"/permits/{permit(w)}/revoke", reason=x)),
    "POST /api/v1/redemptions": (0, redeem),
    "POST /api/v1/redemptions/{id}/result": (100, lambda w, x: w.post(
        f"/redemptions/{redeemed(w)}/result", result="completed", ref=x)),
    "POST /v1/requests": (60 * KB, approval_request),
    "DELETE /v1/requests/{id}": (0, lambda w, x: w.agent.delete(
        f"/v1/requests/{made(approval_request(w))['id']}")),
    "POST /v1/requests/{id}/consume": (
        0, lambda w, x: consume(w, consumable(w))),
    "POST /v1/requests/{id}/outcome": (500, lambda w, x: w.agent.post(
        f"/v1/requests/{consumed(w)}/outcome",
        json={"status": "succeeded", "note": x})),
    "POST /api/v1/artifacts": (60 * KB, lambda w, x: w.agent.post(
        API + "/artifacts", content=x,
        headers={"Content-Type": "text/plain"})),
    "POST /oauth/bc-authorize": (30 * KB, lambda w, x: w.oauth.post(
        "/oauth/bc-authorize", scope="openid", binding_message="x",
        resource=w.resource.address,
        authorization_details=[{
            "type": "tool_call", "tool": "x", "arguments": {"x": x}}])),
}
# Those that take away or hand out, and store nothing of the agent's.
NOTHING = {"DELETE /api/v1/subscriptions/{id}",
           "DELETE /api/v1/intents/{id}/agents/{agent_id}",
           "DELETE /api/v1/endpoints/{id}", "POST /oauth/token",
           "POST /oauth/revoke"}
AGENTS = [r for r in kit.ROUTES if "agent" in r.roles and r.method != "GET"]


def test_every_writing_route_is_known():
    assert {r.name for r in AGENTS} == ROWS.keys() | NOTHING


def grows(w, size, call):
    """The last call's bytes: what it needed before is counted first."""
    text = "".join(uuid.uuid4().hex for _ in range(size // 32 + 1))[:size]
    seen = []

    class Counted:
        """Notes the count before each request of the agent's."""
        def __init__(self, client):
            self.client = client

        def __getattr__(self, name):
            method = getattr(self.client, name)

            def run(*args, **more):
                seen.append(w.count())
                return method(*args, **more)
            return run

    names = ("agent", "tester", "other", "oauth")
    before = {name: getattr(w, name) for name in names}
    try:
        for name in names:
            setattr(w, name, Counted(before[name]))
        r = call(w, text)
    finally:
        for name in names:
            setattr(w, name, before[name])
    assert r.status_code < 300, r.text
    return w.count() - seen[-1]


@pytest.mark.parametrize("name", ROWS)
def test_what_is_stored_is_counted(world, name):
    size, call = ROWS[name]
    grown = grows(world, size, call)
    assert grown >= max(size, 1), (grown, size)
