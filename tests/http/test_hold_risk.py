"""Silence and risk are the operator's: what a fallback may pick, and what
silence leaves behind."""
import pytest

import kit
from kit import (answer, ask, configured, events, get, new_intent, patch, put,
                 record, refused, suspend, wait_for)
from test_kinds import SUBJECTS

AUTHORIZES = [{"value": "go", "label": "Go", "effect": "authorize"},
              {"value": "no", "label": "No", "effect": "veto",
               "reason": "required"}]
GOES_ON = {"fallback_policy": "complete_with_fallback"}
SEVERITIES = [None, "low", "medium", "high", "critical"]


@pytest.fixture
def lenient(server):
    """The operator lets silence authorize at severity low."""
    with configured(server, silence_may_authorize="low"):
        yield


def asking(client, **body):
    body = {"question": "Refund?", **GOES_ON, **body}
    return client.post("/api/v1/suspensions",
                       json={k: v for k, v in body.items() if v is not None})


def kind(word, **body):
    return {"kind": word, "subject": SUBJECTS[word], **body}


def expired(client, asked):
    def state():
        r = client.get(f"/api/v1/suspensions/{asked['suspension_id']}")
        return r.json() if r.json()["state"] == "expired" else None

    wait_for(state)
    return state()


# --- Silence --------------------------------------------------------------

@pytest.mark.parametrize("severity", SEVERITIES)
def test_h3_silence_is_never_a_yes(agent, severity):
    """A wire of a million, one second, no person, and a yes at its end."""
    for body in (kind("approval", fallback_value="approve"),
                 kind("permission", fallback_value="allow_once"),
                 kind("handoff_acceptance", fallback_value="accept"),
                 {"choices": AUTHORIZES, "fallback_value": "go"},
                 {"response_type": "confirm", "fallback_value": "yes"},
                 {"fallback_value": "yes"}):
        r = asking(agent, severity=severity, timeout_seconds=1, **body)
        refused(r, 422, "fallback.authorizes", "fallback_value")


@pytest.mark.parametrize("severity", SEVERITIES)
def test_h3_a_no_may_be_silent(agent, severity):
    for body in (kind("approval", fallback_value="reject"),
                 {"choices": AUTHORIZES, "fallback_value": "no"},
                 {"response_type": "confirm", "fallback_value": "no"},
                 {"response_type": "text", "fallback_value": "as usual"}):
        r = asking(agent, severity=severity, **body)
        assert r.status_code == 201, r.text
    r = asking(agent, severity=severity, choices=AUTHORIZES,
               fallback_value="go", fallback_policy="fail")
    assert r.status_code == 201, r.text


def test_h3_the_other_door_of_the_same_rule(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = record(kind="approval", subject=SUBJECTS["approval"], **GOES_ON,
                    fallback_value="approve")
    del wanted["choices"]
    refused(patch(agent, intent, put("_suspension", wanted)), 422,
            "fallback.authorizes", "fallback_value")


def test_h3_the_operator_may_allow_it_at_low_alone(agent, lenient):
    for severity in SEVERITIES:
        r = asking(agent, severity=severity, fallback_value="approve",
                   **kind("approval"))
        if severity == "low":
            assert r.status_code == 201, r.text
        else:
            refused(r, 422, "fallback.authorizes", "fallback_value")


@pytest.mark.parametrize("body", [
    {"response_type": "confirm", "choices": None, "fallback_value": "deny"},
    {"response_type": "confirm", "choices": None, "fallback_value": "yes"},
    {"fallback_value": {"decision": "deny", "by": "timeout"}},
    {"fallback_value": ["deny"]}, {"fallback_value": "maybe"},
    {"fallback_value": 5}, {"fallback_value": False},
    {"response_type": "text", "choices": None, "fallback_value": ""},
    {"response_type": "form", "choices": None, "fallback_value": "none"}])
def test_h3_an_openintent_default_is_taken_as_it_is(agent, operator, auditor,
                                                    body):
    """RFC-0025: any value. No choice of it has an effect, so it is no yes."""
    body = {k: v for k, v in {**GOES_ON, "timeout_seconds": 1,
                              "choices": kit.CHOICES, **body}.items()
            if v is not None}
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = {**record(), **body}
    if "choices" not in body:
        wanted.pop("choices")
    r = patch(agent, intent, put("_suspension", wanted))
    assert r.status_code == 200, r.text
    seen = expired(auditor, {"suspension_id": wanted["id"]})
    assert seen["outcome"] == "fallback"
    assert seen["value"] == body["fallback_value"]
    assert "Nobody answered" in seen["audit_summary"]
    assert "its own default" in seen["audit_summary"]
    mirror = get(agent, intent)["state"]["_suspension"]
    assert mirror["response"] == body["fallback_value"]
    assert mirror["resolution"] == "expired"
    assert mirror["decided_by"] == "clock"
    ended = events(agent, intent["id"],
                   event_type="intent.suspension_expired")
    assert ended[0]["payload"]["fallback_value"] == body["fallback_value"]


def test_h3_a_value_that_is_no_choice_is_handed_back(agent, auditor):
    for value in ("later", {"choice": "go"}, "GO"):
        r = asking(agent, choices=AUTHORIZES, fallback_value=value,
                   timeout_seconds=1)
        assert r.status_code == 201, r.text
        seen = expired(auditor, r.json())
        assert seen["outcome"] == "fallback" and seen["value"] == value


def test_h3_with_a_kind_a_fallback_is_an_answer(agent):
    refused(asking(agent, **kind("approval", fallback_value="later")), 422,
            "response.invalid_choice", "fallback_value")
    refused(asking(agent, **kind("elicitation", fallback_value="")), 422,
            "response.empty", "fallback_value")


def test_h3_the_pages_say_that_nobody_answers(agent, person):
    me = person("operator").client
    asked = ask(agent, response_type="confirm", choices=None, **GOES_ON,
                fallback_value="no", timeout_seconds=3)
    assert asked["on_expiry"].startswith("If nobody answers by ")
    assert asked["on_expiry"].endswith(
        ', the agent goes on with its own default, "Reject: No".')
    path = f"/suspensions/{asked['suspension_id']}"
    assert "goes on with its own default, “Reject: No”" in me.get(path).text
    expired(agent, asked)
    page = me.get(path).text
    assert "Nobody answered by" in page
    assert "goes on with its own default, “Reject: No”" in page
    page = me.get(f"/intents/{asked['intent_id']}").text
    assert "nobody answered, the agent goes on with its own default" in page


# --- What silence leaves behind -------------------------------------------

def test_m6_silence_leaves_the_same_in_the_row_and_in_the_mirror(
        agent, lenient):
    r = asking(agent, severity="low", timeout_seconds=1,
               fallback_value="allow_once", **kind("permission"))
    assert r.status_code == 201, r.text
    seen = expired(agent, r.json())
    mirror = get(agent, {"id": seen["intent_id"]})["state"][
        "_suspension"]
    assert mirror["constraints"] == {"uses": 1} and mirror["modified"] is True
    assert seen["constraints"] == {"uses": 1} and seen["modified"] is True
    assert "approved_sha256" not in mirror or \
        mirror["approved_sha256"] == seen["approved_sha256"]


# --- A bare yes or no -----------------------------------------------------

def test_a_bare_yes_or_no_means_what_it_says(agent, operator):
    for value, outcome in (("yes", "authorized"), ("no", "vetoed")):
        r = agent.post("/api/v1/suspensions", json={"question": "Go on?"})
        assert r.status_code == 201, r.text
        assert {c["value"]: c["effect"] for c in r.json()["choices"]} == {
            "yes": "authorize", "no": "veto"}
        r = answer(operator, r.json(), value)
        assert r.status_code == 200, r.text
        assert r.json()["outcome"] == outcome


def test_an_openintent_confirm_has_no_effects(agent, operator, auditor):
    _, one = suspend(agent, response_type="confirm", choices=None)
    seen = auditor.get(f"/api/v1/suspensions/{one}").json()
    assert {c["effect"] for c in seen["choices"]} == {"none"}
    r = answer(operator, {"suspension_id": one}, "yes")
    assert r.json()["outcome"] == "none", r.text
