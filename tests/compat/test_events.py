"""Events through the SDK: posting, filters, and the chain."""
import asyncio
import base64
import datetime
import hashlib
import json

import pytest
from openintent import (AsyncOpenIntentClient, BaseAgent, EventType,
                        IntentStatus)
from openintent.exceptions import OpenIntentError
from sdk import access

COMMENT = EventType.COMMENT


def test_posting(client, intent):
    first = client.log_event(intent.id, COMMENT, {"text": "ä \U0001f4b8"})
    assert first.event_type is COMMENT
    assert first.intent_id == intent.id
    assert first.actor == "refunds-agent"
    assert first.payload == {"text": "ä \U0001f4b8"}
    assert first.created_at.tzinfo is None
    assert first.event_hash.startswith("sha256:")
    then = client.log_event(intent.id, COMMENT, trace_id="trace-1",
                            parent_event_id=first.id)
    assert then.sequence == first.sequence + 1
    assert then.previous_event_hash == first.event_hash
    assert (then.trace_id, then.parent_event_id) == ("trace-1", first.id)
    assert client.get_events(intent.id, limit=2) == [then, first]


def test_what_happened_is_told(client, intent):
    client.update_state(intent.id, intent.version, {"a": 1})
    kinds = [e.event_type for e in client.get_events(intent.id)]
    assert kinds == [EventType.STATE_PATCHED, EventType.STATUS_CHANGED,
                     EventType.INTENT_CREATED]


def test_filters(client, intent):
    made = [client.log_event(intent.id, COMMENT, {"n": n}) for n in range(4)]
    only = client.get_events(intent.id, event_type=COMMENT)
    assert only == made[::-1]
    assert client.get_events(intent.id, limit=1) == [made[3]]
    late = client.get_events(intent.id, since=made[2].created_at)
    assert made[3] in late
    assert made[1] not in late
    future = made[3].created_at + datetime.timedelta(days=1)
    assert client.get_events(intent.id, since=future) == []
    created = client.get_events(intent.id, EventType.INTENT_CREATED)
    assert [e.sequence for e in created] == [1]


def test_every_type_that_the_sdk_knows(sync, intent):
    """It is stored and can be read again, or it is the server's own."""
    stored, unknown = [], []
    for type in EventType:
        try:
            stored.append(sync.log_event(intent.id, type, {"n": 1}))
        except OpenIntentError as e:
            if e.response["code"] != "event.servers_own":
                unknown.append(type.value)
    assert unknown == []
    assert sync.get_events(intent.id, limit=len(stored)) == stored[::-1]


def test_nobody_forges_an_answer(client, intent):
    for type in (EventType.INTENT_RESUMED, EventType.INTENT_CREATED,
                 EventType.INTENT_SUSPENSION_EXPIRED,
                 EventType.STATUS_CHANGED, EventType.STATE_PATCHED):
        with pytest.raises(OpenIntentError) as caught:
            client.log_event(intent.id, type, {"value": "approve"})
        assert caught.value.status_code == 403
    assert len(client.get_events(intent.id)) == 2


def test_tools_models_and_streams(client, intent):
    """The events that the SDK's helpers for these post."""
    begun = client.log_tool_call_started(intent.id, "search", "call-1",
                                         {"q": "refund"})
    done = client.log_tool_call_completed(intent.id, "search", "call-1",
                                          {"q": "refund"}, {"hits": 3}, 12)
    failed = client.log_tool_call_failed(intent.id, "search", "call-2", {},
                                         "no network")
    begin = client.start_stream(intent.id, "stream-1", "any", "any")
    assert client.get_events(intent.id, limit=4) == [begin, failed, done,
                                                     begun]
    assert begin.event_type is EventType.STREAM_STARTED


def test_the_chain(client, intent):
    client.log_event(intent.id, COMMENT, {"text": "ä", "n": [1, {"b": 2}]})
    checked = client.verify_event_chain(intent.id)
    assert checked.valid
    assert checked.intent_id == intent.id
    assert (checked.event_count, checked.first_sequence,
            checked.last_sequence, checked.breaks) == (3, 1, 3, [])


def test_the_hashes_can_be_recomputed(agent, sync, intent):
    sync.log_event(intent.id, COMMENT, {"b": "ä\n\"", "a": [1, {"z": None}]})
    sync.set_status(intent.id, intent.version, IntentStatus.COMPLETED)
    previous = None
    events = agent.get(f"/api/v1/intents/{intent.id}/events").json()[::-1]
    for sequence, event in enumerate(events, 1):
        told = event.pop("event_hash")
        text = json.dumps(event, sort_keys=True, separators=(",", ":"),
                          ensure_ascii=False)
        digest = hashlib.sha256(text.encode()).digest()
        code = base64.urlsafe_b64encode(digest).decode().rstrip("=")
        assert told == "sha256:" + code
        assert event["sequence"] == sequence
        assert event["previous_event_hash"] == previous
        previous = told
    assert len(events) == 4


def test_an_agent_delegates(server, sync, intent):
    """Its event is the assignment; the call that follows finds it done."""
    agent = BaseAgent(base_url=server.url,
                      api_key=server.env["SAYSO_AGENT_KEY"])
    agent._agent_id = "refunds-agent"
    agent._async_client = AsyncOpenIntentClient(**access(server,
                                                         "refunds-agent"))
    asyncio.run(agent.delegate(intent.id, "ledger-agent", {"order": 1}))
    told = [e for e in sync.get_events(intent.id)
            if e.event_type == EventType.AGENT_ASSIGNED]
    assert [e.payload for e in told] == [
        {"agent_id": "ledger-agent", "delegated_by": "refunds-agent",
         "payload": {"order": 1}}]
