"""An intent that has ended: nothing is begun for it at any route. Records of the
past, ends of what it had and access to it are still accepted. A new route has
to be named here."""
import pytest

import kit
from kit import (CHOICES, KEYED, ask, at, events, get, made, new_id,
                 new_intent, refused, set_status, types)
from plans import change, checkpoint, gated, plan, task
from test_hold_apart import BODIES, ONES_OWN, sent

API = "/api/v1"
ENDS = ("completed", "abandoned")
# Of an intent in the address: the code of the refusal.
BEGIN = {
    "POST .../children": "parent.ended",
    "POST .../dependencies": "intent.ended",
    "POST .../state": "intent.ended",
    "POST .../leases": "intent.ended",
    "PATCH .../leases/{lease_id}": "intent.ended",
    "POST .../agents": "intent.ended",
    "PUT .../governance": "intent.ended",
    "DELETE .../governance": "intent.ended",
    "PUT .../retry-policy": "intent.ended",
    "POST .../approvals": "intent.ended",
    "POST .../escalations": "intent.ended",
    "POST .../arbitrate": "intent.ended",
    "POST .../access-requests": "intent.ended",
    "POST .../approvals/{approval_id}/approve": "suspension.already_decided",
    "POST .../approvals/{approval_id}/deny": "suspension.already_decided",
    "POST .../suspend/respond": "intent.not_suspended",
}
# The past: an agent may write it down later.
RECORD = {"POST .../events", "POST .../costs", "POST .../attachments",
          "POST .../failures", "POST .../decisions"}
# Something that it had ends, or is taken away.
END = {"DELETE .../leases/{lease_id}", "DELETE .../agents/{agent_id}",
       "DELETE .../dependencies/{dependency_id}",
       "DELETE .../attachments/{attachment_id}",
       "DELETE .../acl/entries/{entry_id}"}
# Its readers.
ACCESS = {"PUT .../acl", "POST .../acl/entries"}
# Of a question that ended with it.
GONE = {"POST .../access-requests/{request_id}/approve",
        "POST .../access-requests/{request_id}/deny"}
# Only to where it is: every other status is refused.
STATUS = {"POST .../status"}


def short(row):
    return row.name.replace(f"{API}/intents/{{id}}", "...")


WRITING = [r for r in KEYED if r.method != "GET" and
           ONES_OWN.search(r.pattern)]


def test_every_writing_route_of_an_intent_is_named():
    assert {short(r) for r in WRITING} == \
        BEGIN.keys() | RECORD | END | ACCESS | GONE | STATUS


class Ended:
    """An intent with one thing of each kind, and its end."""

    def __init__(self, agent, operator, other_agent, end):
        self.agent = agent
        one = self.intent = new_intent(agent)
        self.other = new_intent(agent)
        done = new_intent(agent, "completed")
        made(agent.post(at(one, "dependencies"), json={
            "dependency_id": done["id"]}, headers={"If-Match": "2"}), 200)
        made(agent.post(at(one, "agents"), json={"agent_id": "taker"}), 200)
        made(operator.put(at(one, "governance"), json={"max_cost": 5}, headers={
            "If-Match": str(get(agent, one)["version"])}), 200)
        self.ids = {"agent_id": "taker", "dependency_id": done["id"]}
        for name, path, body in (
                ("lease_id", "leases", {"scope": "s"}),
                ("attachment_id", "attachments", BODIES["attachments"]),
                ("entry_id", "acl/entries", {"principal_id": "other",
                                             "permission": "read"}),
                ("approval_id", "approvals", BODIES["approvals"])):
            self.ids[name] = made(agent.post(at(one, path), json=body))["id"]
        self.ids["request_id"] = made(other_agent.post(
            at(one, "access-requests"), json={
                "principal_id": "other-agent", "principal_type": "agent",
                "requested_permission": "read", "reason": "x"}))["id"]
        self.task = task(agent, one)
        self.plan = plan(agent, one, task(agent, one, "Second"))
        if end == "completed":
            made(operator.post(at(one, "approvals", self.ids["approval_id"],
                                  "approve"), json={}), 200)
        made(set_status(operator, get(agent, one), end), 200)
        self.version = get(agent, one)["version"]

    def send(self, client, row, body):
        return sent(client, row.method,
                    kit.fill(row.pattern, id=self.intent["id"], **self.ids),
                    body, get(self.agent, self.intent)["version"])


@pytest.fixture(params=ENDS)
def ended(request, agent, operator, other_agent):
    return Ended(agent, operator, other_agent, request.param)


def body_of(row, ended):
    last = row.pattern.rpartition("/")[2]
    if row.method == "DELETE":
        return None
    if last == "dependencies":
        return {"dependency_id": ended.other["id"]}
    if last == "access-requests":
        return {"principal_id": "other-agent", "principal_type": "agent",
                "requested_permission": "write", "reason": "x"}
    if last == "respond":
        return {"suspension_id": new_id(), "value": "approve"}
    return BODIES[last]


@pytest.mark.parametrize("row", **kit.by_name(
    [r for r in WRITING if short(r) in BEGIN]))
def test_nothing_is_begun(ended, agent, operator, other_agent, row):
    one = (other_agent if row.pattern.endswith("access-requests") else
           operator if "agent" not in row.roles or "approval_id" in row.pattern
           else agent)
    before = events(agent, ended.intent["id"])
    r = ended.send(one, row, body_of(row, ended))
    refused(r, 409, BEGIN[short(row)])
    assert events(agent, ended.intent["id"]) == before


@pytest.mark.parametrize("row", **kit.by_name(
    [r for r in WRITING if short(r) in RECORD | END | ACCESS]))
def test_what_is_still_accepted(ended, agent, row):
    r = ended.send(agent, row, body_of(row, ended))
    assert r.status_code in (200, 201, 204), r.text
    assert get(agent, ended.intent)["status"] in ENDS


@pytest.mark.parametrize("status", ["draft", "active", "blocked", *ENDS,
                                    "suspended_awaiting_input"])
def test_the_status_stays(ended, agent, operator, status):
    now = get(agent, ended.intent)
    for one in (agent, operator):
        r = set_status(one, now, status)
        if status == now["status"]:
            assert r.status_code == 200, r.text
        else:
            refused(r, 409, "intent.transition")
    assert get(agent, ended.intent) == now


def elsewhere(w):
    """Routes that name the intent in the body."""
    one = {"intent_id": w.intent["id"]}
    gate = checkpoint(w.task)
    return {
        "a child": ("POST", "/intents", {
            "title": "x", "parent_intent_id": w.intent["id"]}),
        "a question": ("POST", "/suspensions", {
            "question": "x?", "choices": CHOICES, **one}),
        "a task": ("POST", "/tasks", {"name": "x", **one}),
        "a plan": ("POST", "/plans", {"name": "x", **one}),
        "a gate": ("POST", "/plans", {"checkpoints": [gate],
                                      "tasks": [w.task["id"]], **one}),
        "a coordinator": ("POST", "/coordinators", {
            "agent_id": "refunds-agent", **one})}


@pytest.mark.parametrize("what", [
    "a child", "a question", "a task", "a plan", "a gate", "a coordinator"])
def test_nothing_is_begun_elsewhere(ended, agent, what):
    method, path, body = elsewhere(ended)[what]
    before = types(agent, ended.intent["id"])
    r = agent.request(method, API + path, json=body)
    said = refused(r, 409)
    assert said["code"] in ("intent.ended", "parent.ended",
                            "intent.transition")
    assert types(agent, ended.intent["id"]) == before


def test_its_tasks_and_plans_stay(ended, agent):
    for r in (change(agent, ended.task, name="y"),
              change(agent, ended.task, status="running"),
              change(agent, ended.plan, state="active"),
              change(agent, ended.plan, name="y")):
        refused(r, 409, "intent.ended")


@pytest.mark.parametrize("end", ["abandoned"])
def test_a_gate_of_a_plan_ends_with_it(agent, operator, end):
    intent, one, first, _ = gated(agent)
    change(agent, first, status="completed")
    made(set_status(operator, get(agent, intent), end), 200)
    for how in ("approve", "reject"):
        r = operator.post(f"{API}/plans/{one['id']}/checkpoints/cp-1/{how}",
                          json={"reason": "x"})
        assert r.status_code == 409, r.text
    assert ask(agent)["state"] == "pending"
