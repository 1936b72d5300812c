"""Costs, attachments, failures and retry policies of OpenIntent. The ladder of
retries is in test_retries.py."""
import re

import pytest
from kit import (NAIVE, at, events, get, made, new_id, new_intent, refused,
                 types)

route = pytest.mark.route


def both(o, *names):
    """Both spellings of its times."""
    for name in names:
        camel = re.sub("_(.)", lambda m: m[1].upper(), name)
        assert o[name] == o[camel] and NAIVE.fullmatch(o[name])


# --- Costs ------------------------------------------------------------------

def cost(client, intent, amount=5, **more):
    return client.post(at(intent, "costs"), json={
        "agent_id": "somebody", "cost_type": "tokens", "amount": amount,
        "unit": "tokens", "provider": None, "metadata": {}, **more})


@route("POST /api/v1/intents/{id}/costs")
@route("GET /api/v1/intents/{id}/costs")
def test_costs_and_their_sums(agent, other_agent):
    intent = new_intent(agent)
    first = made(cost(agent, intent, 1200, provider="x", metadata={"a": 1}))
    assert first["agent_id"] == "refunds-agent" and first["amount"] == 1200
    assert first["metadata"] == {"a": 1} and first["provider"] == "x"
    both(first, "recorded_at")
    made(cost(agent, intent, 0.1, cost_type="money", unit="EUR"))
    last = made(cost(other_agent, intent, 0.1 + 0.2, cost_type="money",
                     unit="EUR"))
    assert last["amount"] == 0.3
    found = made(agent.get(at(intent, "costs")), 200)
    assert [c["amount"] for c in found["costs"]] == [1200, 0.1, 0.3]
    assert found["costs"][0] == first
    assert found["summary"] == {
        "total": 1200.4, "by_type": {"tokens": 1200, "money": 0.4},
        "by_agent": {"refunds-agent": 1200.1, "other-agent": 0.3}}
    assert get(agent, intent)["version"] == intent["version"]
    none = made(agent.get(at(new_intent(agent), "costs")), 200)
    assert none == {"costs": [], "summary": {"total": 0, "by_type": {},
                                             "by_agent": {}}}


@pytest.mark.parametrize("more, code, member", [
    ({"amount": -1}, "field.value", "amount"),
    ({"amount": "5"}, "field.value", "amount"),
    ({"amount": 1e15}, "field.value", "amount"),
    ({"amount": None}, "field.missing", "amount"),
    ({"cost_type": ""}, None, None),
    ({"cost_type": 7}, "field.type", "cost_type"),
    ({"unit": None}, "field.missing", "unit"),
    ({"metadata": {"x": "x" * 5000}}, "field.too_long", "metadata")])
def test_a_cost_that_cannot_be_read(agent, more, code, member):
    intent = new_intent(agent)
    r = cost(agent, intent, **more)
    if code:
        refused(r, 422, code, member)
        assert made(agent.get(at(intent, "costs")), 200)["costs"] == []


def test_1000_costs(server, agent):
    intent = new_intent(agent)
    with server.database() as db:
        db.execute(
            "INSERT INTO intent_cost SELECT gen_random_uuid(), %s, 'a', 't', "
            "1, 'u', NULL, '{}', now() FROM generate_series(1, 999)",
            [intent["id"]])
    made(cost(agent, intent, 1))
    refused(cost(agent, intent, 1), 409, "cost.too_many")
    found = made(agent.get(at(intent, "costs")), 200)
    assert found["summary"]["total"] == 1000
    other = new_intent(agent)
    made(cost(agent, other, 999999999999999))
    refused(cost(agent, other, 1), 422, "field.range", "amount")


def test_a_policys_max_cost(agent, operator):
    intent = new_intent(agent)
    r = agent.put(at(intent, "governance"), json={"max_cost": 10},
                  headers={"If-Match": str(intent["version"])})
    assert r.status_code == 200, r.text
    made(cost(agent, intent, 9.5))
    body = refused(cost(agent, intent, 0.6), 403, "governance.violation")
    assert body["rule"] == "max_cost"
    made(cost(agent, intent, 0.5))
    made(cost(operator, intent, 5))
    assert types(agent, intent["id"]).count("governance.violation") == 1


# --- Attachments --------------------------------------------------------------

FILE = {"filename": "photo.jpg", "mime_type": "image/jpeg", "size": 1234,
        "storage_url": "https://files.example/photo.jpg",
        "metadata": {"width": 3}}


@route("POST /api/v1/intents/{id}/attachments")
@route("GET /api/v1/intents/{id}/attachments")
@route("DELETE /api/v1/intents/{id}/attachments/{attachment_id}")
def test_attachments(agent, other_agent, operator):
    intent = new_intent(agent)
    path = at(intent, "attachments")
    first = made(agent.post(path, json=FILE))
    assert {**first, **FILE} == first
    assert first["uploaded_by"] == "refunds-agent"
    both(first, "created_at")
    second = made(other_agent.post(path, json={
        "filename": "a.pdf", "content_type": "application/pdf",
        "url": "s3://x/a", "size_bytes": 7}))
    assert second["mime_type"] == "application/pdf" and second["size"] == 7
    assert second["storage_url"] == "s3://x/a" and second["metadata"] == {}
    found = made(agent.get(path), 200)
    assert found == {"attachments": [first, second]}
    [last] = events(agent, intent["id"], limit=1)
    assert last["event_type"] == "attachment_added"
    assert last["payload"]["attachment_id"] == second["id"]

    refused(agent.delete(f"{path}/{second['id']}"), 403,
            "attachment.not_yours")
    r = agent.delete(f"{path}/{first['id']}")
    assert r.status_code == 204 and not r.content
    refused(agent.delete(f"{path}/{first['id']}"), 404, "attachment.unknown")
    refused(agent.delete(f"{path}/x"), 404, "attachment.unknown")
    assert operator.delete(f"{path}/{second['id']}").status_code == 204
    assert made(agent.get(path), 200) == {"attachments": []}


@pytest.mark.parametrize("more, code, member", [
    ({"filename": None}, "field.missing", "filename"),
    ({"filename": ""}, "field.empty", "filename"),
    ({"mime_type": 7}, "field.type", "mime_type"),
    ({"storage_url": "x" * 2001}, "field.too_long", "storage_url"),
    ({"size": -1}, None, "size"),
    ({"metadata": []}, "field.type", "metadata")])
def test_an_attachment_that_cannot_be_read(agent, more, code, member):
    intent = new_intent(agent)
    refused(agent.post(at(intent, "attachments"), json={**FILE, **more}), 422,
            code, member)
    assert types(agent, intent["id"])[-1] != "attachment_added"


def test_100_attachments(server, agent):
    intent = new_intent(agent)
    with server.database() as db:
        db.execute(
            "INSERT INTO attachment SELECT gen_random_uuid(), %s, 'a', 'b', 1,"
            " 'c', '{}', 'd', now() FROM generate_series(1, 99)",
            [intent["id"]])
    made(agent.post(at(intent, "attachments"), json=FILE))
    refused(agent.post(at(intent, "attachments"), json=FILE), 409,
            "attachment.too_many")


# --- Failures -------------------------------------------------------------------

def failure(client, intent, **more):
    return client.post(at(intent, "failures"), json={
        "error_code": "TIMEOUT", "error_message": "It took too long.", **more})


def policy(client, intent, **more):
    return client.put(at(intent, "retry-policy"), json={
        "strategy": "fixed", "max_retries": 3, "base_delay_ms": 1000,
        "max_delay_ms": 60000, "fallback_agent_id": None, **more})


@route("POST /api/v1/intents/{id}/failures")
@route("GET /api/v1/intents/{id}/failures")
def test_failures_without_a_policy(agent, other_agent):
    intent = new_intent(agent)
    first = made(failure(agent, intent, agent_id="somebody",
                         metadata={"a": 1}))
    assert first["agent_id"] == "refunds-agent"
    assert first["attempt_number"] == 1 and first["next"] == "nothing"
    assert first["retry_scheduled_at"] is None and first["recoverable"]
    both(first, "created_at")
    second = made(agent.post(at(intent, "failures"), json={
        "error_type": "BUG", "error_message": "x", "recoverable": False,
        "metadata": {}}))
    assert second["attempt_number"] == 2 and second["error_code"] == "BUG"
    third = made(failure(other_agent, intent, attempt_number=7,
                         retry_scheduled_at="2030-01-01T00:00:00"))
    assert third["attempt_number"] == 7
    both(third, "retry_scheduled_at")
    assert made(agent.get(at(intent, "failures")), 200) == {
        "failures": [first, second, third]}
    [last] = events(agent, intent["id"], limit=1)
    assert last["event_type"] == "failure_recorded"
    assert last["payload"] == {
        "failure_id": third["id"], "attempt_number": 7,
        "error_code": "TIMEOUT", "will_retry": False,
        "retry_scheduled_at": "2030-01-01T00:00:00.000000"}


@pytest.mark.parametrize("more, code, member", [
    ({"attempt_number": -1}, None, "attempt_number"),
    ({"error_code": None, "error_message": None}, "field.missing",
     "error_code"),
    ({"error_code": 7}, "field.type", "error_code"),
    ({"error_message": "x" * 4001}, "field.too_long", "error_message"),
    ({"retry_scheduled_at": "soon"}, "field.time", "retry_scheduled_at"),
    ({"recoverable": "yes"}, "field.type", "recoverable")])
def test_a_failure_that_cannot_be_read(agent, more, code, member):
    intent = new_intent(agent)
    refused(failure(agent, intent, **more), 422, code, member)
    assert made(agent.get(at(intent, "failures")), 200) == {"failures": []}


def test_1000_failures(server, agent):
    intent = new_intent(agent)
    with server.database() as db:
        db.execute(
            "INSERT INTO intent_failure SELECT gen_random_uuid(), %s, 'a', 1, "
            "NULL, NULL, true, 'nothing', NULL, NULL, NULL, '{}', now() "
            "FROM generate_series(1, 999)", [intent["id"]])
    made(failure(agent, intent))
    refused(failure(agent, intent), 409, "failure.too_many")


# --- Retry policies ---------------------------------------------------------------

@route("PUT /api/v1/intents/{id}/retry-policy")
@route("GET /api/v1/intents/{id}/retry-policy")
def test_a_retry_policy(agent):
    intent = new_intent(agent)
    path = at(intent, "retry-policy")
    refused(agent.get(path), 404, "retry.no_policy")
    first = made(policy(agent, intent, fallback_agent_id="other-agent"), 200)
    assert first["strategy"] == "fixed" and first["failure_threshold"] == 3
    assert first["fallback_agent_id"] == "other-agent"
    both(first, "created_at", "updated_at")
    assert made(agent.get(path), 200) == first
    again = made(agent.put(path, json={"strategy": "none"}), 200)
    assert again["id"] == first["id"]
    assert again["created_at"] == first["created_at"]
    assert again["updated_at"] > first["updated_at"]
    assert again["max_delay_ms"] == 60000
    refused(agent.put(path, json={}), 422, "field.missing", "strategy")
    for wrong, member in (({"strategy": "x"}, "strategy"),
                          ({"max_retries": 101}, "max_retries"),
                          ({"base_delay_ms": -1}, "base_delay_ms"),
                          ({"fallback_agent_id": "a b"},
                           "fallback_agent_id")):
        refused(policy(agent, intent, **wrong), 422, None, member)
    assert made(agent.get(path), 200) == again


# --- Access -------------------------------------------------------------------------

@route("GET /api/v1/intents/{id}/acl")
def test_the_list_has_who_reaches_the_intent(server, agent, operator):
    intent = new_intent(agent)
    acl = made(agent.get(at(intent, "acl")), 200)
    assert (acl["intent_id"], acl["default_policy"]) == (intent["id"], "open")

    def listed():
        entries = made(agent.get(at(intent, "acl")), 200)["entries"]
        assert {e["permission"] for e in entries} == {"admin"}
        return {e["principal_id"]: e["expires_at"] for e in entries}

    def reaches(name):
        key = server.key("agent", "--agent", name, "--reach", "own")
        with server.client(headers={"X-API-Key": key}) as other:
            return other.get(at(intent)).status_code == 200

    names = ["refunds-agent", "acl-assigned", "acl-leased", "acl-nobody"]
    for name in names[1:]:
        r = operator.post(at(intent, "agents"), json={"agent_id": name})
        assert r.status_code == 200, r.text
    with server.client("agent", agent="acl-leased") as leased:
        made(leased.post(at(intent, "leases"), json={"scope": "x"}))
    for name in names[2:]:
        operator.delete(at(intent, "agents", name))
    now = listed()
    assert {n: n in now for n in names} == {n: reaches(n) for n in names}
    assert set(now) == {"refunds-agent", "acl-assigned", "acl-leased"}
    assert now["acl-leased"] and not now["acl-assigned"]
    refused(agent.get(at({"id": new_id()}, "acl")), 404, "intent.unknown")


# --- All of them --------------------------------------------------------------------

BODIES = {"costs": {"cost_type": "x", "amount": 1, "unit": "y"},
          "attachments": FILE, "failures": {"error_code": "X"}}


@pytest.mark.parametrize("kind", BODIES)
def test_a_request_that_is_sent_again(agent, kind):
    intent = new_intent(agent)
    headers = {"Idempotency-Key": new_id()}
    got = [agent.post(at(intent, kind), json=BODIES[kind], headers=headers)
           for _ in range(2)]
    assert got[0].text == got[1].text
    assert len(made(agent.get(at(intent, kind)), 200)[kind]) == 1


@pytest.mark.parametrize("event_type", ["attachment_added",
                                        "failure_recorded"])
def test_these_events_are_the_servers(agent, event_type):
    intent = new_intent(agent)
    refused(agent.post(at(intent, "events"), json={
        "event_type": event_type, "actor": "x", "payload": {}}), 403,
        "event.servers_own")
