"""Governance policies of OpenIntent: what an intent's completion needs, and
which agents write to it. The numbers are those of the list of tests that they
were planned with."""

import pytest
from kit import (answer, ask, at, events, get, new_intent, patch, refused,
                 set_status, together, types)

route = pytest.mark.route


def put(client, intent, version=None, **policy):
    if version is None:
        version = get(client, intent)["version"]
    return client.put(at(intent, "governance"), json=policy,
                      headers={"If-Match": str(version)})


def governed(agent, **policy):
    """An active intent with a policy."""
    intent = new_intent(agent, "active")
    r = put(agent, intent, **policy)
    assert r.status_code == 200, r.text
    return r.json()


def remove(client, intent):
    return client.delete(at(intent, "governance"), headers={
        "If-Match": str(get(client, intent)["version"])})


def assign(client, intent, name):
    return client.post(at(intent, "agents"), json={"agent_id": name})


def completion(agent, intent, operator=None):
    """A request to complete the intent, approved where there is an operator."""
    r = agent.post(at(intent, "approvals"), json={
        "action": "complete", "reason": "All is done.", "context": {}})
    assert r.status_code == 201, r.text
    asked = r.json()
    if operator:
        done = operator.post(at(intent, "approvals", asked["id"], "approve"))
        assert done.status_code == 200, done.text
    return asked


def complete(client, intent):
    return set_status(client, intent, "completed",
                      version=get(client, intent)["version"])


def violation(response, rule):
    body = refused(response, 403, "governance.violation")
    assert body["detail"]["error"] == "governance_violation"
    assert body["detail"]["rule"] == rule
    assert body["detail"]["message"] == body["message"]
    return body["detail"]


def violations(client, intent):
    return types(client, intent["id"]).count("governance.violation")


# --- The policy -----------------------------------------------------------

@route("PUT /api/v1/intents/{id}/governance")
@route("GET /api/v1/intents/{id}/governance")
@route("DELETE /api/v1/intents/{id}/governance")
def test_a_policy_is_set_read_and_removed(agent, operator):
    intent = new_intent(agent, "active")
    none = agent.get(at(intent, "governance")).json()
    assert none["governance_policy"] is None
    assert none["effective_policy"] == {
        "completion_mode": "auto", "write_scope": "any",
        "quorum_threshold": 0.6, "allowed_agents": [], "max_cost": None,
        "require_status_reason": False}
    made = put(agent, intent, max_cost=12.5, own="x").json()
    assert made["governance_policy"] == {"max_cost": 12.5, "own": "x"}
    assert made["version"] == intent["version"] + 1
    read = agent.get(at(intent, "governance")).json()
    assert read["intent_id"] == intent["id"]
    assert read["governance_policy"] == made["governance_policy"]
    assert read["effective_policy"]["max_cost"] == 12.5
    gone = remove(operator, intent)
    assert gone.status_code == 200 and not gone.json()["governance_policy"]
    last = events(agent, intent["id"], limit=2)
    assert [e["event_type"] for e in last] == [
        "governance.policy_removed", "governance.policy_set"]
    assert last[1]["payload"] == {
        "governance_policy": {"max_cost": 12.5, "own": "x"},
        "version": made["version"]}
    assert last[0]["payload"] == {"version": made["version"] + 1}


def test_a_policy_needs_the_version(agent):
    intent = new_intent(agent, "active")
    path = at(intent, "governance")
    assert agent.put(path, json={}).status_code in (400, 428)
    refused(put(agent, intent, version=99), 409, "intent.version")
    assert agent.delete(path).status_code in (400, 428)


@pytest.mark.parametrize("policy, member", [
    ({"completion_mode": "never"}, "completion_mode"),
    ({"write_scope": 1}, "write_scope"),
    ({"quorum_threshold": 0}, "quorum_threshold"),
    ({"quorum_threshold": 1.01}, "quorum_threshold"),
    ({"max_cost": -1}, "max_cost"), ({"max_cost": "1"}, "max_cost"),
    ({"allowed_agents": [1]}, "allowed_agents"),
    ({"allowed_agents": ["a"] * 51}, "allowed_agents"),
    ({"require_status_reason": "yes"}, "require_status_reason")])
def test_a_policy_that_cannot_be_read(agent, policy, member):
    intent = new_intent(agent, "active")
    refused(put(agent, intent, **policy), 422, at=member)
    refused(agent.post("/api/v1/intents", json={
        "title": "x", "governance_policy": policy}), 422,
        at=f"governance_policy.{member}")
    assert get(agent, intent)["version"] == intent["version"]


def test_H3_an_agent_never_loosens_a_policy(agent, operator):
    intent = governed(agent, completion_mode="require_approval",
                      allowed_agents=["refunds-agent"])
    for looser in ({}, {"completion_mode": "quorum",
                        "allowed_agents": ["refunds-agent"]},
                   {"completion_mode": "require_approval"}):
        refused(put(agent, intent, **looser), 403, "governance.tighten_only")
    refused(remove(agent, intent), 403, "governance.tighten_only")
    assert put(agent, intent, completion_mode="require_approval",
               allowed_agents=["refunds-agent"],
               max_cost=1).status_code == 200
    assert put(operator, intent).status_code == 200
    # A policy that demands nothing may go.
    assert remove(agent, intent).status_code == 200


def test_an_ended_intent_keeps_its_policy(agent, operator):
    intent = governed(agent, max_cost=1)
    assert complete(agent, intent).status_code == 200
    refused(put(operator, intent), 409, "intent.ended")


# --- Completion -----------------------------------------------------------

def test_H2_a_completion_that_needs_an_approval(agent, operator):
    intent = governed(agent, completion_mode="require_approval")
    detail = violation(complete(agent, intent), "completion_mode")
    assert detail["mode"] == "require_approval"
    completion(agent, intent)
    violation(complete(agent, intent), "completion_mode")
    assert violations(agent, intent) == 1  # the same one, told once

    completion(agent, intent, operator)
    now = get(agent, intent)
    changed = patch(agent, now, {"op": "set", "path": "/result",
                                 "value": "another"})
    assert changed.status_code == 200
    violation(complete(agent, intent), "completion_mode")
    assert violations(agent, intent) == 2  # another state

    asked = completion(agent, intent, operator)
    assert complete(agent, intent).status_code == 200
    last = events(agent, intent["id"], limit=2)
    assert [e["event_type"] for e in last] == [
        "status_changed", "governance.approval_enforced"]
    assert last[1]["payload"] == {"mode": "require_approval",
                                  "approval_ids": [asked["id"]]}


def test_a_question_beside_it_changes_no_approved_state(agent, operator):
    intent = governed(agent, completion_mode="require_approval")
    completion(agent, intent, operator)
    asked = ask(agent, intent_id=intent["id"])
    assert answer(operator, asked, "approve").status_code == 200
    assert "_suspension" in get(agent, intent)["state"]
    assert complete(agent, intent).status_code == 200


def test_the_state_is_shown_with_a_request_to_complete(agent):
    intent = new_intent(agent, "active", state={"result": "done"})
    asked = completion(agent, intent)
    r = agent.get(f"/api/v1/suspensions/{asked['id']}").json()
    assert r["subject"] == {"state": {"result": "done"}}


def test_a_state_that_is_too_large_to_be_shown(agent, operator):
    intent = new_intent(agent, "active", state={"x": "x" * (300 << 10)},
                        governance_policy={
                            "completion_mode": "require_approval"})
    refused(agent.post(at(intent, "approvals"), json={
        "action": "complete", "reason": "x", "context": {}}), 413,
        "suspension.too_large")
    violation(complete(agent, intent), "completion_mode")
    assert complete(operator, intent).status_code == 200


def test_another_action_is_no_approval_of_the_completion(agent, operator):
    intent = governed(agent, completion_mode="require_approval")
    for action in ("Complete", "complete it", "deploy"):
        r = agent.post(at(intent, "approvals"), json={
            "action": action, "reason": "x", "context": {}})
        assert operator.post(at(intent, "approvals", r.json()["id"],
                                "approve")).status_code == 200
    denied = completion(agent, intent)
    operator.post(at(intent, "approvals", denied["id"], "deny"))
    violation(complete(agent, intent), "completion_mode")


def test_a_completion_by_a_person_is_the_approval(agent, operator):
    intent = governed(agent, completion_mode="require_approval",
                      require_status_reason=True,
                      write_scope="assigned_only")
    assert complete(operator, intent).status_code == 200
    said = events(agent, intent["id"], limit=2)[1]
    assert said["event_type"] == "governance.approval_enforced"
    assert said["payload"]["approval_ids"] == []
    assert said["payload"]["by"] == said["actor"]


def test_H4_a_quorum_of_the_assigned_agents(server, agent, operator):
    intent = governed(agent, completion_mode="quorum", quorum_threshold=0.6)
    detail = violation(complete(agent, intent), "completion_mode")
    assert detail["mode"] == "quorum"
    names = ["quorum-1", "quorum-2", "quorum-3"]
    keys = [server.key("agent", "--agent", name) for name in names]
    clients = [server.client(headers={"X-API-Key": key}) for key in keys]
    for name in names:
        assert assign(agent, intent, name).status_code == 200
    completion(agent, intent, operator)  # its own: it is not assigned
    for client in clients[:1] * 2:       # one agent counts once
        completion(client, intent, operator)
    violation(complete(agent, intent), "completion_mode")
    completion(clients[1], intent, operator)
    assert complete(clients[2], intent).status_code == 200


def test_H5_a_question_needs_no_reason(agent, operator):
    intent = governed(agent, require_status_reason=True)
    assert set_status(agent, intent,
                      "suspended_awaiting_input").status_code == 200
    asked = ask(agent, intent_id=intent["id"])
    assert answer(operator, asked, "approve").status_code == 200
    violation(complete(agent, intent), "require_status_reason")
    now = get(agent, intent)
    violation(set_status(agent, now, "completed", reason="  "),
              "require_status_reason")
    assert set_status(agent, now, "completed",
                      reason="Done.").status_code == 200


def test_a_completion_and_a_change_of_the_state_at_once(agent, operator):
    for _ in range(10):
        intent = governed(agent, completion_mode="require_approval")
        completion(agent, intent, operator)
        now = get(agent, intent)
        got = together(
            lambda: set_status(agent, now, "completed"),
            lambda: patch(agent, now, {"op": "set", "path": "/x",
                                       "value": 1}))
        assert sorted(r.status_code for r in got) == [200, 409]


# --- Writing --------------------------------------------------------------

def writes(client, intent):
    """One call for each way to write."""
    now = get(client, intent)
    return [patch(client, now, {"op": "set", "path": "/x", "value": 1}),
            client.post(at(intent, "events"), json={
                "event_type": "comment", "payload": {"text": "x"}}),
            client.post(at(intent, "leases"), json={"scope": "x"}),
            set_status(client, now, "abandoned")]


def test_only_assigned_agents_write(agent, operator):
    intent = governed(agent, write_scope="assigned_only")
    for r in writes(agent, intent):
        violation(r, "write_scope")
    assert get(agent, intent)["version"] == intent["version"]
    assert violations(agent, intent) == 1
    assert assign(agent, intent, "refunds-agent").status_code == 200
    assert [r.status_code for r in writes(agent, intent)] == [
        200, 201, 201, 409]


def test_an_assigned_agent_assigns_no_other(server, agent):
    intent = governed(agent, write_scope="assigned_only")
    assert assign(agent, intent, "helper").status_code == 200
    helper = server.client("agent", agent="helper")
    violation(assign(helper, intent, "another"), "write_scope")
    violation(helper.delete(at(intent, "agents/helper")), "write_scope")
    assert assign(agent, intent, "another").status_code == 200


@route("PUT /api/v1/intents/{id}/retry-policy")
def test_a_fallback_agent_is_named_by_who_may_assign_it(server, agent):
    intent = governed(agent, write_scope="assigned_only")
    for name in ("refunds-agent", "helper"):
        assert assign(agent, intent, name).status_code == 200
    helper = server.client("agent", agent="helper")
    body = {"strategy": "none", "fallback_agent_id": "another"}
    violation(helper.put(at(intent, "retry-policy"), json=body),
              "write_scope")
    r = agent.put(at(intent, "retry-policy"), json=body)
    assert r.status_code == 200, r.text


def test_only_allowed_agents_are_assigned_and_write(server, agent):
    intent = governed(agent, allowed_agents=["refunds-agent", "second"])
    violation(assign(agent, intent, "third"), "allowed_agents")
    assert assign(agent, intent, "second").status_code == 200
    second = server.client("agent", agent="second")
    assert put(second, intent, allowed_agents=["second"]).status_code == 200
    for r in writes(agent, intent):
        violation(r, "allowed_agents")
    assert assign(second, intent, "second").status_code == 200
