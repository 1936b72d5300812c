"""POST .../suspend/respond, as RFC-0025 sections 4 and 8 say."""
import time

import pytest

from kit import (ANY_ID, CHOICES, NAIVE, ask, asleep, events, get, new_id,
                 new_intent, refused, respond, suspend, types)

route = pytest.mark.route

VALID = [{"value": "approve", "label": "Approve refund",
          "description": "Issue full refund"},
         {"value": "deny", "label": "Deny refund"}]


@route("POST /api/v1/intents/{id}/suspend/respond")
def test_an_answer(agent, operator):
    intent, suspension = suspend(agent)
    r = respond(operator, intent, suspension, "approve",
                responded_by="alice@example.com", metadata={"channel": "web"})
    assert r.status_code == 200
    body = r.json()
    assert NAIVE.fullmatch(body.pop("responded_at"))
    assert body == {
        "intent_id": intent["id"], "suspension_id": suspension,
        "resolution": "responded", "value": "approve",
        "choice_label": "Approve refund",
        "choice_description": "Issue full refund",
        "responded_by": "alice@example.com", "decided_by": "demo operator",
        "metadata": {"channel": "web"}}


def test_what_an_answer_does(agent, operator):
    intent, suspension = suspend(agent)
    answer = respond(operator, intent, suspension, "deny", reason="too much",
                     responded_by="alice@example.com",
                     metadata={"channel": "web"}).json()
    assert answer["choice_label"] == "Deny refund"
    assert "choice_description" not in answer
    now = get(agent, intent)
    assert now["status"] == "active"
    assert now["version"] == intent["version"] + 1
    mirror = now["state"]["_suspension"]
    assert mirror["resolution"] == "responded"
    assert mirror["response"] == "deny"
    assert mirror["responded_at"] == answer["responded_at"]
    assert mirror["responded_by"] == "alice@example.com"
    assert mirror["decided_by"] == "demo operator"
    assert mirror["metadata"] == {"channel": "web"}
    assert mirror["reason"] == "too much"
    assert mirror["question"] == intent["state"]["_suspension"]["question"]
    event = events(agent, intent["id"], limit=1)[0]
    assert event["event_type"] == "intent.resumed"
    assert event["actor"] == "demo operator"
    payload = event["payload"]
    assert payload["intent_id"] == intent["id"]
    assert payload["suspension_id"] == suspension
    assert payload["value"] == "deny"
    # The claimed name in the protocol's member, and the authenticated one
    # beside it.
    for told in (payload, answer, mirror):
        assert told["responded_by"] == "alice@example.com"
        assert told["decided_by"] == "demo operator"
    assert "responded_by_claimed" not in payload
    assert payload["responded_at"] == answer["responded_at"]
    assert payload["reason"] == "too much"


def test_without_a_claim_the_key_answers(agent, operator):
    intent, suspension = suspend(agent)
    r = respond(operator, intent, suspension, "approve")
    assert r.json()["responded_by"] == "demo operator"
    assert "metadata" not in r.json()


# --- 4.1: the four types --------------------------------------------------

@pytest.mark.parametrize("value", [
    "Approve", "approve ", "APPROVE", "", None, 0, 1, True, [], ["approve"],
    {}, {"value": "approve"}, "Approve refund", "x" * 5000])
def test_a_choice_that_there_is_not(agent, operator, value):
    intent, suspension = suspend(agent)
    r = respond(operator, intent, suspension, value)
    body = refused(r, 422, "response.invalid_choice")
    assert body["valid_choices"] == VALID
    assert body["detail"]["error"] == "invalid_choice"
    assert body["detail"]["valid_choices"] == VALID
    assert get(agent, intent) == intent
    assert types(agent, intent["id"])[-1] == "intent.suspended"


def test_no_value_at_all(agent, operator):
    intent, suspension = suspend(agent)
    r = operator.post(f"/api/v1/intents/{intent['id']}/suspend/respond",
                      json={"suspension_id": suspension})
    assert refused(r, 422)["valid_choices"] == VALID


@pytest.mark.parametrize("value", ["yes", "no"])
def test_confirm_without_choices_is_yes_or_no(agent, operator, value):
    intent, suspension = suspend(agent, response_type="confirm", choices=None)
    body = refused(respond(operator, intent, suspension, "maybe"), 422)
    assert [c["value"] for c in body["valid_choices"]] == ["yes", "no"]
    assert [c["label"] for c in body["valid_choices"]] == ["Yes", "No"]
    for wrong in (True, "Yes", "y", "", None, ["yes"]):
        refused(respond(operator, intent, suspension, wrong), 422)
    r = respond(operator, intent, suspension, value)
    assert r.status_code == 200
    assert r.json()["choice_label"] == value.capitalize()
    assert get(agent, intent)["state"]["_suspension"]["response"] == value


def test_confirm_with_the_sdks_choices(agent, operator):
    intent, suspension = suspend(
        agent, response_type="confirm",
        choices=[{"value": "yes", "label": "Yes", "style": "primary"},
                 {"value": "no", "label": "No", "style": "default"}])
    refused(respond(operator, intent, suspension, "maybe"), 422)
    assert respond(operator, intent, suspension, "yes").status_code == 200


@pytest.mark.parametrize("value", ["x", " ", "0", "ünï\ncødé 😀", "x" * 20000])
def test_text_is_any_text_that_is_not_empty(agent, operator, value):
    intent, suspension = suspend(agent, response_type="text", choices=None)
    for wrong in ("", None, 0, [], {}, "x" * 20001):
        r = respond(operator, intent, suspension, wrong)
        assert "valid_choices" not in refused(r, 422)
    r = respond(operator, intent, suspension, value)
    assert r.status_code == 200 and r.json()["value"] == value
    assert "choice_label" not in r.json()
    assert get(agent, intent)["state"]["_suspension"]["response"] == value


@pytest.mark.parametrize("value", [
    {}, {"amount": 499.99, "nested": {"a": [1, None]}}, [], [1], "words", "",
    0, False])
def test_a_form_is_passed_through(agent, operator, value):
    intent, suspension = suspend(agent, response_type="form", choices=None,
                                 context={"amount": 0})
    r = respond(operator, intent, suspension, value)
    assert r.status_code == 200, r.text
    assert r.json()["value"] == value
    assert get(agent, intent)["state"]["_suspension"]["response"] == value


def test_a_form_without_a_value(agent, operator):
    intent, suspension = suspend(agent, response_type="form", choices=None)
    r = operator.post(f"/api/v1/intents/{intent['id']}/suspend/respond",
                      json={"suspension_id": suspension})
    refused(r, 422)


def test_without_a_response_type_it_is_a_choice(agent, operator):
    intent, suspension = suspend(agent, response_type=None)
    mirror = intent["state"]["_suspension"]
    assert mirror.get("response_type", "choice") == "choice"
    refused(respond(operator, intent, suspension, "x"), 422,
            "response.invalid_choice")
    assert respond(operator, intent, suspension, "deny").status_code == 200


def test_a_choice_without_choices_takes_what_is_typed(agent, operator):
    """In a record alone: at the native door there is at least one."""
    intent, suspension = suspend(agent, choices=None)
    refused(respond(operator, intent, suspension, ""), 422)
    assert respond(operator, intent, suspension, "By sea").status_code == 200
    read = agent.get(f"/api/v1/suspensions/{suspension}").json()
    assert (read["value"], read["outcome"]) == ("By sea", "answered")
    r = agent.post("/api/v1/suspensions", json={
        "question": "How?", "response_type": "choice"})
    refused(r, 422, "field.missing", "choices")


def test_a_value_that_is_too_large(agent, operator):
    intent, suspension = suspend(agent, response_type="form", choices=None)
    refused(respond(operator, intent, suspension, "x" * (129 << 10)), 413,
            "response.too_large")
    assert get(agent, intent) == intent


# --- 8: errors ------------------------------------------------------------

@pytest.mark.parametrize("body, at", [
    ({"value": "approve"}, "suspension_id"),
    ({"value": "approve", "suspension_id": ""}, "suspension_id"),
    ({"value": "approve", "suspension_id": None}, "suspension_id"),
    ({"value": "approve", "suspension_id": 7}, "suspension_id"),
    ({"value": "approve", "suspension_id": ["x"]}, "suspension_id"),
    ({"value": "approve", "suspension_id": "x" * 65}, "suspension_id"),
    ({"value": "x", "suspension_id": "x", "responded_by": 1}, "responded_by"),
    ({"value": "x", "suspension_id": "x", "responded_by": "x" * 201},
     "responded_by"),
    ({"value": "x", "suspension_id": "x", "metadata": []}, "metadata"),
    ({"value": "x", "suspension_id": "x", "reason": {}}, "reason"),
])
def test_a_body_that_cannot_be_an_answer(agent, operator, body, at):
    intent, _ = suspend(agent)
    r = operator.post(f"/api/v1/intents/{intent['id']}/suspend/respond",
                      json=body)
    refused(r, 422, at=at)
    assert get(agent, intent) == intent


def test_members_that_a_later_client_may_send(agent, operator):
    intent, suspension = suspend(agent)
    r = respond(operator, intent, suspension, "deny", channel="slack")
    assert r.status_code == 200


def test_no_such_intent(operator):
    refused(respond(operator, {"id": ANY_ID}, new_id(), "x"), 404,
            "intent.unknown")
    refused(respond(operator, {"id": "x"}, new_id(), "x"), 404,
            "intent.unknown")


def test_no_key(agent, nobody):
    intent, suspension = suspend(agent)
    refused(respond(nobody, intent, suspension, "approve"), 401,
            "key.missing")
    refused(respond(nobody, intent, suspension, "approve",
                    headers={"X-API-Key": "sayso_bad"}), 401, "key.unknown")
    assert get(agent, intent) == intent


@pytest.mark.parametrize("status", ["draft", "active", "blocked",
                                    "completed", "abandoned"])
def test_an_intent_that_is_not_suspended(agent, operator, status):
    intent = new_intent(agent, status)
    refused(respond(operator, intent, new_id(), "approve"), 409,
            "intent.not_suspended")
    assert get(agent, intent) == intent


def test_the_window_between_status_and_record(agent, operator):
    """The status is set and the question is missing: nobody can answer what
    nobody has seen."""
    intent = new_intent(agent, "suspended_awaiting_input")
    for suspension in (new_id(), "", "x"):
        r = respond(operator, intent, suspension, "approve")
        refused(r, 409 if suspension else 422)
    assert get(agent, intent) == intent


def test_another_suspension(agent, operator):
    intent, _ = suspend(agent)
    other, theirs = suspend(agent)
    for wrong in (new_id(), theirs, intent["id"]):
        refused(respond(operator, intent, wrong, "approve"), 409,
                "suspension.not_active")
    assert get(agent, intent) == intent
    assert get(agent, other) == other


def test_a_second_answer_names_the_first(agent, operator, other_operator):
    intent, suspension = suspend(agent)
    first = respond(operator, intent, suspension, "approve")
    assert first.status_code == 200
    before = get(agent, intent)
    for client in (operator, other_operator):
        body = refused(respond(client, intent, suspension, "deny"), 409,
                       "suspension.already_decided")
        assert body["value"] == "approve"
        assert body["responded_by"] == "demo operator"
        assert body["state"] == "resolved"
        moment = body["responded_at"].rstrip("Z")
        assert moment[:19] == first.json()["responded_at"][:19]
    assert get(agent, intent) == before
    assert types(agent, intent["id"]).count("intent.resumed") == 1


def test_an_old_suspension_of_an_intent_that_asks_again(agent, operator):
    from kit import patch, put, record, set_status
    intent, first = suspend(agent)
    respond(operator, intent, first, "approve")
    intent = set_status(agent, get(agent, intent),
                        "suspended_awaiting_input").json()
    refused(respond(operator, intent, first, "deny"), 409)
    second = record()
    intent = patch(agent, intent, put("_suspension", second)).json()
    refused(respond(operator, intent, first, "deny"), 409,
            "suspension.not_active")
    assert get(agent, intent) == intent
    r = respond(operator, intent, second["id"], "deny")
    assert r.status_code == 200


def test_what_was_seen_has_to_be_what_is_stored(agent, operator):
    intent, suspension = suspend(agent)
    refused(respond(operator, intent, suspension, "approve",
                    subject_sha256="0" * 64), 409, "suspension.changed")
    assert get(agent, intent) == intent
    seen = operator.get(f"/api/v1/suspensions/{suspension}").json()
    r = respond(operator, intent, suspension, "approve",
                subject_sha256=seen["subject_sha256"])
    assert r.status_code == 200


# --- Who may --------------------------------------------------------------

def test_an_agent_cannot_answer(agent, other_agent, auditor):
    intent, suspension = suspend(agent)
    for client in (agent, other_agent, auditor):
        refused(respond(client, intent, suspension, "approve"), 403,
                "role.forbidden")
    assert get(agent, intent) == intent


def test_an_admin_may_answer(agent, admin):
    intent, suspension = suspend(agent)
    assert respond(admin, intent, suspension, "deny").status_code == 200


def test_a_question_of_the_native_door_is_answered_here_too(agent, operator):
    asked = ask(agent)
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["state"]["_suspension"]["choices"][0]["value"] == "approve"
    r = respond(operator, intent, asked["suspension_id"], "deny")
    assert r.status_code == 200
    seen = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()
    assert seen["state"] == "resolved" and seen["value"] == "deny"


# --- Silence --------------------------------------------------------------

POLICIES = {"fail": "abandoned", "complete_with_fallback": "active",
            "use_default_and_continue": "active"}


@pytest.fixture(scope="module")
def silent(server, agent):
    """A question for each policy, a second after its time was over, which the
    clock has not seen yet."""
    with asleep(server, "tick"):
        yield overdue(agent)


def overdue(agent):
    out = {p: suspend(agent, timeout_seconds=1, fallback_policy=p,
                      fallback_value="deny") for p in POLICIES}
    out["retry"] = suspend(agent, timeout_seconds=3600, fallback_policy="fail",
                           retry_policy={
                               "max_attempts": 2, "interval_seconds": 1,
                               "final_fallback_policy":
                                   "complete_with_fallback"},
                           fallback_value="deny")
    time.sleep(2.1)
    return out


@pytest.mark.parametrize("policy", POLICIES)
def test_too_late(agent, operator, silent, policy):
    intent, suspension = silent[policy]
    assert intent["state"]["_suspension"]["expires_at"]
    # Reading decides nothing.
    assert get(agent, intent) == intent
    body = refused(respond(operator, intent, suspension, "approve"), 409,
                   "suspension.expired")
    assert body["state"] == "expired" and body["responded_by"] == "clock"
    now = get(agent, intent)
    assert now["status"] == POLICIES[policy]
    assert now["version"] == intent["version"] + 1
    mirror = now["state"]["_suspension"]
    assert mirror["resolution"] == "expired"
    if policy == "fail":
        assert "response" not in mirror
    else:
        assert mirror["response"] == "deny"
    assert types(agent, intent["id"])[-2:] == ["intent.suspension_expired",
                                               "status_changed"]
    payload = events(agent, intent["id"], limit=2)[1]["payload"]
    assert payload["suspension_id"] == suspension
    assert payload["fallback_policy"] == policy
    assert payload["attempts"] == 1 and payload["reason"] == "timeout"
    # And it stays so.
    refused(respond(operator, intent, suspension, "approve"), 409,
            "suspension.expired")
    assert get(agent, intent) == now


def test_the_window_of_a_retry_policy(agent, operator, silent):
    """interval_seconds x max_attempts, whatever timeout_seconds is; and its
    final_fallback_policy wins. The attempts are those that were made."""
    intent, suspension = silent["retry"]
    refused(respond(operator, intent, suspension, "approve"), 409,
            "suspension.expired")
    now = get(agent, intent)
    assert now["status"] == "active"
    assert now["state"]["_suspension"]["response"] == "deny"
    payload = events(agent, intent["id"], limit=2)[1]["payload"]
    assert payload["attempts"] == 1
    assert payload["fallback_policy"] == "complete_with_fallback"


def test_an_answer_in_time(agent, operator):
    intent, suspension = suspend(agent, timeout_seconds=60)
    r = respond(operator, intent, suspension, CHOICES[0]["value"])
    assert r.status_code == 200
