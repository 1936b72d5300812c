"""Approvals, escalations and arbitrations of OpenIntent: questions that hold
nothing, beside the one that holds the intent. The numbers are those of the
list of tests that they were planned with."""

import pytest
from kit import (ANY_ID, answer, ask, at, events, get, made, new_id,
                 new_intent, refused, respond, set_status, suspend, together,
                 types)

route = pytest.mark.route


def approval(agent, intent, action="Deploy to production", **more):
    return agent.post(at(intent, "approvals"), json={
        "action": action, "reason": "The tests are green.",
        "context": {"build": 7}, "requested_by": "deployer", **more})


def escalation(agent, intent, **more):
    return agent.post(at(intent, "escalations"), json={
        "reason": "The bank does not answer.", "priority": "high",
        "urgency": "today", "context": {}, "escalated_by": "payer", **more})


def arbitration(agent, intent, *options):
    return agent.post(at(intent, "arbitrate"), json={
        "reason": "We differ about the refund.",
        "context": {"options": list(options)} if options else {}})


# --- Approvals ------------------------------------------------------------

@route("POST /api/v1/intents/{id}/approvals")
@route("GET /api/v1/intents/{id}/approvals/{approval_id}")
@route("POST /api/v1/intents/{id}/approvals/{approval_id}/approve")
def test_an_approval_from_the_request_to_the_answer(agent, operator):
    intent = new_intent(agent, "active")
    asked = made(approval(agent, intent))
    assert asked["status"] == "pending" and asked["decided_at"] is None
    assert asked["action"] == "Deploy to production"
    assert asked["requested_by"] == "deployer"
    assert asked["context"] == {"build": 7}
    assert asked["url"].endswith(f"/suspensions/{asked['id']}")
    now = get(agent, intent)
    assert (now["status"], now["version"]) == ("active", intent["version"])
    assert "_suspension" not in now["state"]
    r = agent.get(f"/api/v1/suspensions/{asked['id']}").json()
    assert r["state"] == "pending" and r["title"] == "Deploy to production"

    done = operator.post(at(intent, "approvals", asked["id"], "approve"))
    assert done.status_code == 200, done.text
    read = agent.get(at(intent, "approvals", asked["id"])).json()
    assert read == done.json()
    assert read["status"] == "approved" and read["decided_by"]
    last = events(agent, intent["id"], limit=2)
    assert [e["event_type"] for e in last] == [
        "governance.approval_granted", "arbitration_requested"]
    assert last[0]["payload"]["approval_id"] == asked["id"]
    assert last[0]["payload"]["requested_by"] == "deployer"
    assert last[1]["payload"]["request"] == "approval"
    assert get(agent, intent)["version"] == intent["version"]


@route("POST /api/v1/intents/{id}/approvals/{approval_id}/deny")
def test_H6_a_denial_counts_once_whatever_the_action_is_called(agent,
                                                               operator):
    intent = new_intent(agent, "active")
    asked = made(approval(agent, intent, "Please release"))
    deny = at(intent, "approvals", asked["id"], "deny")
    first = operator.post(deny, json={"notes": "Not on a Friday."})
    assert first.json()["status"] == "denied"
    assert first.json()["decision_notes"] == "Not on a Friday."
    body = refused(operator.post(deny), 409, "suspension.already_decided")
    assert "release" not in str(body)
    assert types(agent, intent["id"])[-1] == "governance.approval_denied"


def test_H3_no_agent_answers_for_people(agent, other_agent, operator):
    intent = new_intent(agent, "active")
    asked = made(approval(agent, intent))
    for client in (agent, other_agent):
        for how in ("approve", "deny"):
            refused(client.post(at(intent, "approvals", asked["id"], how)),
                    403)
        assert answer(client, {"suspension_id": asked["id"]},
                      "approve").status_code in (403, 404)
    path = at(intent, "approvals", asked["id"])
    assert agent.get(path).json()["status"] == "pending"


def test_an_approval_is_its_intents(agent, operator):
    one, two = new_intent(agent, "active"), new_intent(agent, "active")
    asked = made(approval(agent, one))
    other = made(escalation(agent, one))
    for id in (asked["id"], new_id(), "x"):
        refused(agent.get(at(two, "approvals", id)), 404)
        refused(operator.post(at(two, "approvals", id, "approve")), 404)
    refused(agent.get(at(one, "approvals", other["id"])), 404,
            "approval.unknown")
    refused(operator.post(at(one, "approvals", other["id"], "deny")), 404,
            "approval.unknown")


def test_H1_two_answers_to_an_approval_at_once(agent, operator,
                                               other_operator):
    for _ in range(25):
        intent = new_intent(agent, "active")
        asked = made(approval(agent, intent))
        path = at(intent, "approvals", asked["id"])
        got = together(lambda: operator.post(path + "/approve"),
                       lambda: other_operator.post(path + "/deny"))
        assert sorted(r.status_code for r in got) == [200, 409]
        won = next(r for r in got if r.status_code == 200).json()
        assert agent.get(path).json() == won
        assert types(agent, intent["id"])[-1] == (
            "governance.approval_granted" if won["status"] == "approved" else
            "governance.approval_denied")


# --- Beside the question that holds the intent ----------------------------

def test_T9_an_agent_gets_the_answer_to_its_own_question(agent, operator):
    intent, question = suspend(agent)
    asked = made(approval(agent, intent))
    now = get(agent, intent)
    assert now["state"]["_suspension"]["id"] == question
    assert now["status"] == "suspended_awaiting_input"
    done = operator.post(at(intent, "approvals", asked["id"], "approve"))
    assert done.status_code == 200
    now = get(agent, intent)
    assert now["state"]["_suspension"].get("response") is None
    assert respond(operator, intent, question, "deny").status_code == 200
    now = get(agent, intent)
    assert now["state"]["_suspension"]["response"] == "deny"
    assert now["status"] == "active"


def test_a_question_of_the_intents_own_beside_an_approval(agent, operator):
    intent = new_intent(agent, "active")
    asked = made(approval(agent, intent))
    own = ask(agent, intent_id=intent["id"])
    assert answer(operator, own, "approve").status_code == 200
    assert get(agent, intent)["status"] == "active"
    again = ask(agent, intent_id=intent["id"])
    assert answer(operator, {"suspension_id": asked["id"]},
                  "approve").status_code == 200
    assert get(agent, intent)["status"] == "suspended_awaiting_input"
    assert answer(operator, again, "approve").status_code == 200


def test_at_most_20_are_open(agent, operator):
    intent = new_intent(agent, "active")
    all_ = [made(approval(agent, intent, f"Step {n}")) for n in range(20)]
    refused(escalation(agent, intent), 409, "question.too_many")
    done = operator.post(at(intent, "approvals", all_[7]["id"], "deny"))
    assert done.status_code == 200
    made(escalation(agent, intent))
    refused(arbitration(agent, intent), 409, "question.too_many")


@pytest.mark.parametrize("status", ["completed", "abandoned"])
def test_H7_an_ended_intent_takes_its_questions_back(agent, operator, status):
    intent = new_intent(agent, "active")
    asked = [made(approval(agent, intent, f"Step {n}")) for n in range(3)]
    asked += [made(escalation(agent, intent)), made(arbitration(agent, intent))]
    assert set_status(agent, intent, status).status_code == 200
    for one in asked:
        r = agent.get(f"/api/v1/suspensions/{one['id']}").json()
        assert r["state"] == "cancelled"
        refused(answer(operator, {"suspension_id": one["id"]}, "approve"), 409,
                "suspension.already_decided")
    path = at(intent, "approvals", asked[0]["id"])
    assert agent.get(path).json()["status"] == "expired"
    refused(approval(agent, intent), 409, "intent.ended")


def test_the_agent_takes_an_approval_back(agent, operator):
    intent = new_intent(agent, "active")
    asked = made(approval(agent, intent))
    r = agent.post(f"/api/v1/suspensions/{asked['id']}/cancel")
    assert r.status_code == 200 and r.json()["state"] == "cancelled"
    now = get(agent, intent)
    assert (now["status"], now["version"]) == ("active", intent["version"])
    refused(operator.post(at(intent, "approvals", asked["id"], "approve")),
            409, "suspension.already_decided")
    assert types(agent, intent["id"])[-1] == "decision_recorded"


def test_a_request_that_is_sent_again_is_asked_once(agent):
    intent = new_intent(agent, "active")
    headers = {"Idempotency-Key": new_id()}
    body = {"action": "Deploy", "reason": "x", "context": {}}
    path = at(intent, "approvals")
    got = [agent.post(path, json=body, headers=headers) for _ in range(2)]
    assert got[0].json() == got[1].json()
    assert types(agent, intent["id"]).count("arbitration_requested") == 1


# --- Escalations ----------------------------------------------------------

@route("POST /api/v1/intents/{id}/escalations")
@route("GET /api/v1/escalations")
@route("POST /api/v1/escalations/{id}/resolve")
def test_an_escalation_from_the_request_to_the_answer(agent, operator):
    intent = new_intent(agent, "active")
    asked = made(escalation(agent, intent))
    assert asked["priority"] == "high" and asked["status"] == "pending"
    assert asked["escalated_by"] == "payer"
    r = agent.get(f"/api/v1/suspensions/{asked['id']}").json()
    assert r["severity"] == "high"

    def listed(**query):
        r = agent.get("/api/v1/escalations", params=query)
        assert r.status_code == 200, r.text
        return [e["id"] for e in r.json()["escalations"]]

    assert listed(intent_id=intent["id"]) == [asked["id"]]
    assert asked["id"] in listed(status="pending")
    done = operator.post(f"/api/v1/escalations/{asked['id']}/resolve", json={
        "resolution": "Call them", "notes": "0800", "resolved_by": "Pia"})
    assert done.status_code == 200, done.text
    assert done.json()["status"] == "resolved"
    assert done.json()["resolution"] == "Call them"
    assert done.json()["resolution_notes"] == "0800"
    assert asked["id"] not in listed(status="pending")
    assert listed(intent_id=intent["id"], status="resolved") == [asked["id"]]
    [last] = events(agent, intent["id"], limit=1)
    assert last["event_type"] == "coordinator.escalation_resolved"
    assert last["payload"]["resolution"] == "Call them"
    refused(operator.post(f"/api/v1/escalations/{asked['id']}/resolve",
                          json={"resolution": "Wait"}), 409)
    refused(agent.get("/api/v1/escalations", params={"status": "x"}), 400,
            "request.query", "status")


def test_what_cannot_be_resolved(agent, operator):
    intent = new_intent(agent, "active")
    asked = made(approval(agent, intent))
    for id in (asked["id"], new_id(), "x"):
        refused(operator.post(f"/api/v1/escalations/{id}/resolve",
                              json={"resolution": "Wait"}), 404,
                "escalation.unknown")
    other = made(escalation(agent, intent))
    refused(agent.post(f"/api/v1/escalations/{other['id']}/resolve",
                       json={"resolution": "Wait"}), 403)
    refused(operator.post(f"/api/v1/escalations/{other['id']}/resolve",
                          json={}), 422, "field.missing", "resolution")


# --- Arbitrations and decisions -------------------------------------------

@route("POST /api/v1/intents/{id}/arbitrate")
@route("POST /api/v1/intents/{id}/decisions")
@route("GET /api/v1/intents/{id}/decisions")
def test_an_arbitration_is_settled_by_a_person(agent, operator):
    intent = new_intent(agent, "active")
    first = made(arbitration(agent, intent, {"value": "pay", "label": "Pay"},
                             {"value": "wait"}))
    second = made(arbitration(agent, intent))
    assert first["requester_id"] == "refunds-agent"
    path = at(intent, "decisions")

    def decide(client, outcome, **more):
        return client.post(path, json={
            "decision_type": "arbitration", "outcome": outcome,
            "reasoning": "It is broken.", **more})

    # An agent's decision is its own record, and settles nothing.
    made(decide(agent, "pay"))
    refused(decide(operator, "burn"), 422)
    settled = made(decide(operator, "pay"))
    assert settled["outcome"] == "pay"
    state = [agent.get(f"/api/v1/suspensions/{a['id']}").json()["state"]
             for a in (first, second)]
    assert state == ["resolved", "pending"]
    made(decide(operator, "Both wait", arbitration_id=second["id"]))
    refused(decide(operator, "pay"), 404, "arbitration.unknown")
    found = agent.get(path).json()["decisions"]
    assert [d["outcome"] for d in found] == ["pay", "pay", "Both wait"]
    assert found[0]["decision_maker_id"] == "refunds-agent"
    assert found[1] == settled


@pytest.mark.parametrize("path, body, code, member", [
    ("approvals", {}, "field.missing", "action"),
    ("approvals", {"action": " ", "reason": "x"}, "field.empty", "action"),
    ("approvals", {"action": "x"}, "field.missing", "reason"),
    ("approvals", {"action": "x" * 201, "reason": "x"}, "field.too_long",
     "action"),
    ("approvals", {"action": "x", "reason": "x", "context": []}, "field.type",
     "context"),
    ("escalations", {"reason": 7}, "field.type", "reason"),
    ("escalations", {"reason": "x", "priority": "mild"}, "field.value",
     "priority"),
    ("arbitrate", {"reason": "x", "context": {"options": [{}]}},
     "field.empty", "context.options"),
    ("arbitrate", {"reason": "x", "context": {
        "options": [{"value": "x"}] * 21}}, "field.too_many",
     "context.options"),
    ("arbitrate", {"reason": "x", "context": {
        "options": [{"value": "x" * 3000}] * 20}}, "field.too_long",
     "context.options"),
    ("decisions", {"decision_type": " ", "outcome": "x"}, "field.empty",
     "decision_type"),
    ("decisions", {"decision_type": "x", "outcome": ""}, "field.empty",
     "outcome"),
    ("decisions", {"outcome": "x"}, "field.missing", "decision_type"),
    ("decisions", {"decision_type": "x"}, "field.missing", "outcome")])
def test_a_body_that_cannot_be_read(agent, path, body, code, member):
    intent = new_intent(agent, "active")
    before = len(types(agent, intent["id"]))
    refused(agent.post(at(intent, path), json=body), 422, code, member)
    assert len(types(agent, intent["id"])) == before


@pytest.mark.parametrize("path, body", [
    ("approvals", {"action": "x", "reason": "x"}),
    ("escalations", {"reason": "x"}), ("arbitrate", {"reason": "x"}),
    ("decisions", {"decision_type": "x", "outcome": "x"})])
def test_an_intent_that_is_not_there(agent, path, body):
    for id in (ANY_ID, "x"):
        refused(agent.post(at({"id": id}, path), json=body), 404,
                "intent.unknown")
