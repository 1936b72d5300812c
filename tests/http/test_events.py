"""Posting and listing events; who may write which; the hash chain."""
import base64
import hashlib
import re

import pytest

from kit import (ANY_ID, NAIVE, answer, ask, check_chain, events, get,
                 hash_of, new_id, new_intent, patch, put, refused, respond,
                 set_status, suspend, types)

route = pytest.mark.route

# The types that OpenIntent's clients can read; any other makes them raise.
KNOWN = set("""
intent_created state_patched status_changed agent_assigned agent_unassigned
constraint_added constraint_removed dependency_added dependency_removed
lease_acquired lease_released arbitration_requested decision_recorded
attachment_added portfolio_created added_to_portfolio removed_from_portfolio
failure_recorded comment intent.suspended intent.resumed
intent.suspension_expired engagement.decision intent.suspension_renotified
intent.suspension_escalated portfolio.member_suspended
portfolio.member_resumed access_granted access_revoked access_expired
access_requested access_request_approved access_request_denied
""".split())

# Types that report a decision or an act of the server: a forgery from anybody
# else.
SERVERS = """
intent_created state_patched status_changed agent_assigned agent_unassigned
dependency_added dependency_removed lease_acquired lease_released
arbitration_requested decision_recorded intent.resumed intent.suspension_expired portfolio.member_suspended
portfolio.member_resumed access_granted access_revoked access_expired
access_requested access_request_approved access_request_denied
plan.checkpoint_approved
plan.checkpoint_rejected governance.policy_set governance.policy_removed
governance.approval_granted governance.approval_denied
governance.approval_enforced governance.violation log.checkpoint.created
log.checkpoint.anchored grant.created grant.delegated grant.revoked
grant.resumed credential.created credential.revoked agent.identity.verified
""".split()


def post(client, intent, event_type, payload=None, **more):
    body = {"event_type": event_type, **more}
    if payload is not None:
        body["payload"] = payload
    return client.post(f"/api/v1/intents/{intent['id']}/events", json=body)


@route("POST /api/v1/intents/{id}/events")
@route("GET /api/v1/intents/{id}/events")
def test_an_event_is_stored_and_listed(agent):
    intent = new_intent(agent, "active")
    r = post(agent, intent, "comment", {"text": "hello"},
             actor="somebody-else", trace_id="t-1", parent_event_id="e-1")
    assert r.status_code == 201
    event = r.json()
    assert event["actor"] == "refunds-agent"  # whatever the body says
    assert event["payload"] == {"text": "hello"}
    assert event["trace_id"] == "t-1" and event["parent_event_id"] == "e-1"
    assert event["intent_id"] == intent["id"] and event["sequence"] == 3
    assert NAIVE.fullmatch(event["created_at"])
    listed = events(agent, intent["id"])
    assert listed[0] == event
    assert [e["sequence"] for e in listed] == [3, 2, 1]
    check_chain(listed)
    # An event is no change of the intent that others would have to re-read.
    assert get(agent, intent)["version"] == intent["version"]


def test_the_least_that_an_event_needs(agent):
    event = post(agent, new_intent(agent), "comment").json()
    assert event["payload"] == {}
    assert "trace_id" not in event and "parent_event_id" not in event


@pytest.mark.parametrize("body, code, at", [
    ({}, "field.missing", "event_type"),
    ({"event_type": ""}, "event.type", "event_type"),
    ({"event_type": "lease_renewed"}, "event.type", "event_type"),
    ({"event_type": "lease_expired"}, "event.type", "event_type"),
    ({"event_type": "bogus"}, "event.type", "event_type"),
    ({"event_type": "COMMENT"}, "event.type", "event_type"),
    ({"event_type": 1}, "field.type", "event_type"),
    ({"event_type": "x" * 81}, "field.too_long", "event_type"),
    ({"event_type": "comment", "payload": []}, "field.type", "payload"),
    ({"event_type": "comment", "payload": "x"}, "field.type", "payload"),
    ({"event_type": "comment", "trace_id": 1}, "field.type", "trace_id"),
    ({"event_type": "comment", "actor": {}}, "field.type", "actor"),
    ({"event_type": "comment", "sequence": 1}, "field.unknown", "sequence"),
    ({"event_type": "comment", "event_hash": "x"}, "field.unknown",
     "event_hash"),
])
def test_a_body_that_cannot_be_an_event(agent, body, code, at):
    intent = new_intent(agent, "draft")
    r = agent.post(f"/api/v1/intents/{intent['id']}/events", json=body)
    refused(r, 422, code, at)
    assert types(agent, intent["id"]) == ["intent_created"]


@pytest.mark.parametrize("role", ["agent", "operator", "admin"])
@pytest.mark.parametrize("event_type", SERVERS)
def test_forged_events(agent, by_role, role, event_type):
    intent, suspension = suspend(agent)
    r = post(by_role[role], intent, event_type,
             {"suspension_id": suspension, "value": "approve",
              "responded_by": "alice"}, actor="alice")
    refused(r, 403, "event.servers_own")
    assert types(agent, intent["id"])[-1] == "intent.suspended"


@pytest.mark.parametrize("event_type", [
    "comment", "engagement.decision", "task.progress",
    "task.delegated", "coordinator.heartbeat"])
def test_events_that_anybody_may_write(agent, event_type):
    intent = new_intent(agent, "draft")
    payload = {"mode": "request_input", "should_ask": True, "rationale": "x",
               "signals": {"confidence": 0.55, "risk": 0.6,
                           "reversibility": 0.8, "context": {}}}
    event = post(agent, intent, event_type, payload)
    assert event.status_code == 201, event.text
    assert event.json()["payload"] == payload


def test_an_actor_is_who_called(agent, operator, other_agent):
    intent = new_intent(agent)
    for client, name in ((other_agent, "other-agent"),
                         (operator, "demo operator")):
        assert post(client, intent, "comment").json()["actor"] == name


# --- The SDK's own post of what the server has written --------------------

def echo(client, intent, suspension, event_type="intent.suspended"):
    return post(client, intent, event_type, {
        "suspension_id": suspension, "question": "Refund?",
        "response_type": "choice", "choices": [], "channel_hint": None,
        "timeout_seconds": None, "fallback_policy": "fail",
        "confidence_at_suspension": None, "retry_policy": None})


@pytest.mark.parametrize("event_type", [
    "intent.suspended", "intent.suspension_renotified",
    "intent.suspension_escalated"])
def test_the_echo_of_the_servers_own_event_is_no_second_one(
        agent, event_type):
    intent, suspension = suspend(agent)
    before = events(agent, intent["id"])
    assert before[0]["event_type"] == "intent.suspended"
    for _ in range(2):
        r = echo(agent, intent, suspension, event_type)
        assert r.status_code == 200
        assert r.json() == before[0]
    assert events(agent, intent["id"]) == before


def test_the_echo_after_the_answer(agent, operator):
    intent, suspension = suspend(agent)
    assert respond(operator, intent, suspension, "deny").status_code == 200
    before = events(agent, intent["id"])
    r = echo(agent, intent, suspension)
    assert r.status_code == 200
    assert r.json()["event_type"] == "intent.suspended"
    assert events(agent, intent["id"]) == before


def test_an_echo_of_nothing_is_a_forgery(agent):
    intent, suspension = suspend(agent)
    other = new_intent(agent, "active")
    for r in (echo(agent, intent, new_id()), echo(agent, other, suspension),
              echo(agent, intent, None),
              post(agent, intent, "intent.suspended")):
        refused(r, 409, "event.servers_own")
    assert types(agent, other["id"]) == ["intent_created", "status_changed"]


def test_what_the_suspended_event_says(agent):
    intent, suspension = suspend(
        agent, timeout_seconds=300, confidence_at_suspension=0.5,
        channel_hint="slack")
    payload = events(agent, intent["id"])[0]["payload"]
    mirror = intent["state"]["_suspension"]
    assert payload["suspension_id"] == suspension
    assert payload["question"] == mirror["question"]
    assert payload["response_type"] == "choice"
    assert [c["value"] for c in payload["choices"]] == ["approve", "deny"]
    assert payload["channel_hint"] == "slack"
    assert payload["timeout_seconds"] == 300
    assert payload["fallback_policy"] == "fail"
    assert payload["confidence_at_suspension"] == 0.5
    assert payload["retry_policy"] is None


# --- Lists ----------------------------------------------------------------

@pytest.fixture(scope="module")
def many(agent):
    intent = new_intent(agent, "active")
    for n in range(8):
        kind = "comment" if n % 2 else "task.progress"
        assert post(agent, intent, kind, {"n": n}).status_code == 201
    return intent["id"]


def sequences(agent, many, **query):
    return [e["sequence"] for e in events(agent, many, **query)]


def test_a_page(agent, many):
    assert sequences(agent, many) == list(range(10, 0, -1))
    assert sequences(agent, many, limit=3) == [10, 9, 8]
    assert sequences(agent, many, limit=3, offset=3) == [7, 6, 5]
    assert sequences(agent, many, limit=3, before=5) == [4, 3, 2]
    assert sequences(agent, many, offset=10) == []


def test_a_filter_by_type(agent, many):
    assert sequences(agent, many, event_type="comment") == [10, 8, 6, 4]
    assert sequences(agent, many, event_type="comment", limit=1,
                     offset=1) == [8]


def test_a_filter_by_time(agent, many):
    all_of = events(agent, many)
    since = all_of[3]["created_at"]
    assert sequences(agent, many, since=since) == [10, 9, 8, 7]
    assert sequences(agent, many, since=since + "Z") == [10, 9, 8, 7]
    assert sequences(agent, many, since=since[:19]) != []
    assert sequences(agent, many, since="2999-01-01T00:00:00") == []


@pytest.mark.parametrize("query", [
    {"limit": "0"}, {"limit": "1001"}, {"limit": "x"}, {"offset": "-1"},
    {"offset": "x"}, {"before": "0"}, {"since": "yesterday"}, {"since": ""},
    {"since": "2026-02-30T00:00:00"}])
def test_a_query_that_cannot_be(agent, many, query):
    r = agent.get(f"/api/v1/intents/{many}/events", params=query)
    refused(r, 400, "request.query", next(iter(query)))


def test_every_type_that_is_ever_listed_is_known(agent, operator):
    intent, suspension = suspend(agent)
    respond(operator, intent, suspension, "deny")
    agent.post(f"/api/v1/intents/{intent['id']}/leases",
               json={"scope": "s", "duration_seconds": 1})
    agent.post(f"/api/v1/intents/{intent['id']}/agents",
               json={"agent_id": "x"})
    assert set(types(agent, intent["id"])) <= KNOWN


# --- The hash chain -------------------------------------------------------

HARD = {
    "numbers": [0, -0.0, 1, -1, 1.0, 0.1, 499.99, 1e21, 1e-7, 5e-324,
                1.7976931348623157e308, 123456789012345680000.0 / 1000,
                9007199254740993, -9223372036854775808, 0.000001, 1e-6],
    "text": "\u0000"[1:] + "\b\t\n\f\r\u000b\u001f\u007f\u2028\"\\/é😀",
    "keys": {"\ufb33": 1, "😀": 2, "é": 3, "e\u0301": 4, "": 5, "a": 6,
             "A": 7, "10": 8, "1": 9, "\r": 10},
    "deep": [[[[{"a": [None, True, False]}]]]],
}


def test_the_chain_recomputed_from_what_get_shows(agent, operator, admin):
    intent, suspension = suspend(agent, context=HARD)
    assert post(agent, intent, "comment", HARD).status_code == 201
    assert patch(agent, get(agent, intent),
                 put("hard", HARD)).status_code == 200
    r = respond(operator, intent, suspension, "approve", metadata=HARD,
                reason="wórds 😀", responded_by="alice@example.com")
    assert r.status_code == 200
    set_status(agent, get(agent, intent), "completed")
    listed = events(agent, intent["id"])
    assert [e["event_type"] for e in reversed(listed)] == [
        "intent_created", "status_changed", "status_changed",
        "intent.suspended", "comment", "state_patched", "intent.resumed",
        "status_changed"]
    check_chain(listed)
    r = agent.get(f"/api/v1/intents/{intent['id']}/events/verify").json()
    assert r["chain_valid"] is True


def test_the_hash_is_over_the_very_bytes(agent):
    """A client with the answer's bytes can check a hash without a parser."""
    intent = new_intent(agent, "draft")
    r = post(agent, intent, "comment", HARD)
    head, rest = re.fullmatch(
        rb'\{"event_hash":"sha256:([^"]{43})",(.*)', r.content,
        re.S).groups()
    digest = hashlib.sha256(b"{" + rest).digest()
    assert base64.urlsafe_b64encode(digest).rstrip(b"=") == head
    assert hash_of(r.json()) == r.json()["event_hash"]


def test_a_question_through_the_native_door_is_in_the_chain(agent, operator):
    asked = ask(agent, context=HARD, severity="high", timeout_seconds=60)
    assert answer(operator, asked, metadata=HARD).status_code == 200
    listed = events(agent, asked["intent_id"])
    assert [e["event_type"] for e in reversed(listed)] == [
        "intent_created", "intent.suspended", "intent.resumed"]
    check_chain(listed)


@route("GET /api/v1/intents/{id}/events/verify")
def test_verify_shows_each_link(agent):
    intent = new_intent(agent, "completed")
    at = f"/api/v1/intents/{intent['id']}/events"
    r = agent.get(f"{at}/verify")
    listed = agent.get(at).json()[::-1]
    assert r.json() == {
        "intent_id": intent["id"], "event_count": 3, "first_sequence": 1,
        "last_sequence": 3, "chain_valid": True, "breaks": [],
        "events": [{"sequence": e["sequence"], "event_hash": e["event_hash"],
                    "previous_event_hash": e["previous_event_hash"],
                    "verified": True} for e in listed]}


def test_events_of_no_intent(agent):
    for at in ("events", "events/verify"):
        refused(agent.get(f"/api/v1/intents/{ANY_ID}/{at}"), 404,
                "intent.unknown")


def test_numbers_keep_what_was_sent(agent):
    big = 9007199254740993
    event = post(agent, new_intent(agent), "comment", {"n": big}).json()
    assert event["payload"]["n"] == big
