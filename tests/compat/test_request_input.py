"""The answers that agents on the SDK get: see stories.py.

The SDK polls every two seconds, so all the stories run at the same time, and
each test looks at one of them.
"""
import asyncio
import contextlib

import httpx
import pytest
from openintent import EventType, IntentStatus
from stories import STORIES, SUSPENDED, Agent


@pytest.fixture(scope="module")
def stories(server):
    """The result of each story, by its name; an exception where it failed."""

    async def one(story, human):
        agent = Agent(server, f"{story.__name__}-agent", human)
        told = {"agent": agent}
        async with contextlib.aclosing(agent.async_client._client):
            await asyncio.wait_for(story(agent, told), 120)
        return told

    async def everything():
        headers = {"X-API-Key": server.env["SAYSO_OPERATOR_KEY"]}
        async with httpx.AsyncClient(base_url=server.url, headers=headers,
                                     timeout=20) as human:
            return await asyncio.gather(
                *(one(story, human) for story in STORIES),
                return_exceptions=True)

    names = (story.__name__ for story in STORIES)
    return dict(zip(names, asyncio.run(everything())))


@pytest.fixture
def told(stories, request):
    one = stories[request.node.name.removeprefix("test_").split("[")[0]]
    if isinstance(one, BaseException):
        raise one
    return one


# --- What they told -------------------------------------------------------

def check_answered(told, value, refused=0):
    agent, intent = told["agent"], told["intent"]
    assert told["value"] == value
    assert [r.status_code for r in told["refused"]] == [422] * refused
    assert told["asked"].status is SUSPENDED
    assert told["again"].status_code == 409
    assert intent.status is IntentStatus.ACTIVE
    assert agent.refused() == []

    answer = told["answered"].json()
    assert told["answered"].status_code == 200
    assert answer["intent_id"] == intent.id
    assert answer["suspension_id"] == told["suspension"].id
    assert answer["resolution"] == "responded"
    assert answer["value"] == value
    assert answer["responded_by"] == "alice@example.com"
    assert "Z" not in answer["responded_at"]

    assert agent.happened() == ["requested", "received"]
    status, response = agent.told[1][1:]
    assert status is IntentStatus.ACTIVE
    assert response.suspension_id == told["suspension"].id
    assert response.value == value
    assert response.responded_by
    assert response.responded_at.tzinfo is None

    kinds = [e.event_type for e in told["events"]]
    assert kinds.count(EventType.INTENT_SUSPENDED) == 1
    assert kinds.count(EventType.INTENT_RESUMED) == 1
    assert kinds[0] is EventType.INTENT_RESUMED
    assert told["events"][0].payload["value"] == value
    assert told["events"][0].payload["suspension_id"] == answer[
        "suspension_id"]


def test_choice(told):
    check_answered(told, "approve", refused=5)
    answer = told["answered"].json()
    assert answer["choice_label"] == "Refund 499.99 EUR"
    assert answer["choice_description"] == "To the card that was paid with."
    detail = told["refused"][0].json()["detail"]
    assert detail["error"] == "invalid_choice"
    assert [c["value"] for c in detail["valid_choices"]] == [
        "approve", "deny", "escalate"]
    record = told["asked"].state.get("_suspension")
    assert record["context"] == {"order_id": "12345", "amount": 499.99,
                                 "customer": "Ålice"}
    assert record["channel_hint"] == "slack"
    assert record["confidence_at_suspension"] == 0.55
    assert record["fallback_value"] == "deny"
    assert [c["value"] for c in record["choices"]] == ["approve", "deny",
                                                       "escalate"]
    assert not record.get("resolution")
    assert told["end"].status is IntentStatus.COMPLETED
    assert told["end"].state.get("refunded") is True
    assert told["chain"].valid


def test_confirm(told):
    check_answered(told, "yes", refused=3)
    detail = told["refused"][0].json()["detail"]
    assert [c["value"] for c in detail["valid_choices"]] == ["yes", "no"]


def test_text(told):
    check_answered(told, "Sorry! \U0001f60c\n\"ß\"", refused=3)


def test_form(told):
    check_answered(told, {"iban": "DE00", "amount": 12.5, "note": None},
                   refused=1)


def test_twice(told):
    assert told["values"] == ["approve", "deny"]
    kinds = [e.event_type for e in told["events"]]
    assert kinds.count(EventType.INTENT_SUSPENDED) == 2
    assert kinds.count(EventType.INTENT_RESUMED) == 2


def test_cancelled(told):
    assert told["cancel"].status_code == 200
    assert told["cancel"].json()["state"] == "cancelled"
    assert told["error"].suspension_id == told["suspension"].id
    assert told["late"].status_code == 409
    assert told["intent"].status is IntentStatus.ACTIVE
    assert told["agent"].happened() == ["requested"]
    assert told["agent"].refused() == []


def test_fallback(told):
    assert told["value"] == "deny"
    assert told["agent"].happened() == ["requested", "expired"]
    assert told["late"].status_code == 409
    assert told["late"].json()["code"] == "suspension.expired"
    record = told["intent"].state.get("_suspension")
    assert record["resolution"] == "expired"
    assert told["intent"].status is IntentStatus.ACTIVE
    assert told["end"].status is IntentStatus.COMPLETED
    assert told["agent"].refused() == []


def test_fallback_goes_on(told):
    assert told["value"] == "deny"
    assert told["end"].status is IntentStatus.COMPLETED
    assert told["end"].state.get("refund") == "deny"
    assert told["end"].state.get("_suspension")["resolution"] == "expired"
    kinds = [e.event_type for e in told["events"]]
    assert kinds.count(EventType.INTENT_SUSPENSION_EXPIRED) == 1
    assert EventType.INTENT_RESUMED not in kinds
    assert told["agent"].refused() == []


def test_any_default(told):
    assert told["confirm"] == "deny"
    assert told["choice"] == {"decision": "deny", "amount": 0}
    assert told["agent"].refused() == []


def test_failed(told):
    assert told["error"].suspension_id == told["suspension"].id
    assert told["error"].fallback_policy == "fail"
    assert told["agent"].happened() == ["requested", "expired"]
    assert told["late"].status_code == 409
    assert told["intent"].status is IntentStatus.ABANDONED


def test_reminded(told):
    assert told["value"] == "deny"
    assert told["second"].context == {"_attempt": 2, "_max_attempts": 10,
                                      "_notify_to": "lead@x.org"}
    assert told["answered"].status_code == 200
    kinds = [e.event_type for e in told["events"]]
    assert kinds.count(EventType.INTENT_SUSPENDED) == 1
    assert told["agent"].refused() == []


def test_unheard(told):
    assert told["error"].fallback_policy == "fail"
    assert told["agent"].happened()[-1] == "expired"
    assert told["intent"].status is IntentStatus.ABANDONED
    record = told["intent"].state.get("_suspension")
    assert record["resolution"] == "expired"
    kinds = [e.event_type for e in told["events"]]
    assert kinds.count(EventType.INTENT_SUSPENSION_ESCALATED) == 1
    assert kinds.count(EventType.INTENT_SUSPENSION_EXPIRED) == 1
    # A clock that stood still reminds once of all that was due.
    assert [e.payload["attempt"] for e in told["events"] if e.event_type
            is EventType.INTENT_SUSPENSION_RENOTIFIED] in ([3, 2], [3])
    assert told["agent"].refused() == []


def test_single(told):
    assert told["value"] == "deny"
    assert told["agent"].happened() == ["requested", "expired"]
    assert told["intent"].status is IntentStatus.ACTIVE
    kinds = [e.event_type for e in told["events"]]
    assert kinds.count(EventType.INTENT_SUSPENSION_EXPIRED) == 1
    assert EventType.INTENT_SUSPENSION_RENOTIFIED not in kinds
    assert told["agent"].refused() == []


def test_sealed(told):
    assert told["active"].status_code in (403, 409)
    assert told["resumed"].status_code == 403
    assert told["own"].status_code == 403
    assert told["renewed"].agent_id == "sealed-agent"
    assert told["noted"].state.get("note") == "still here"
    assert "resolution" not in told["noted"].state.get("_suspension")
    assert told["value"] == "deny"


def test_in_between(told):
    assert told["early"].status_code == 409
    assert not told["record"].get("resolution")
    assert not told["record"].get("response")
    assert not told["record"].get("responded_by")
    assert told["wrong"].status_code == 409
    assert told["right"].status_code == 200


def test_engagement(told):
    assert [(d.mode, d.should_ask) for d in told["modes"]] == [
        ("autonomous", False), ("request_input", True),
        ("require_input", True), ("defer", False)]
    assert told["shorthand"].mode == "require_input"
    assert told["agent"].happened() == ["decision"] * 5
    stored = [e.payload for e in told["events"]][::-1]
    made = told["modes"] + [told["shorthand"]]
    assert stored == [d.to_dict() for d in made]
    assert stored[3]["signals"]["context"] == {"order": "12345"}
    assert {e.actor for e in told["events"]} == {"engagement-agent"}
    assert told["agent"].refused() == []
