"""Subscriptions through the SDK."""
import datetime
import uuid

import pytest
from openintent import EventType
from openintent.exceptions import NotFoundError, OpenIntentError


@pytest.fixture
def hook(server):
    """The address of a registered endpoint; nothing listens there."""
    address = f"https://{uuid.uuid4()}.invalid/hook"
    with server.client("agent", agent="refunds-agent") as client:
        made = client.post("/api/v1/endpoints",
                           json={"name": "Hook", "url": address})
        assert made.status_code == 201, made.text
        yield address
        client.delete(f"/api/v1/endpoints/{made.json()['endpoint_id']}")


def test_subscribe_and_unsubscribe(client, sync, intent, hook):
    one = client.subscribe(intent_id=intent.id, event_types=["comment"],
                           webhook_url=hook)
    assert one.intent_id == intent.id and one.portfolio_id is None
    assert one.subscriber_id == "refunds-agent" and one.active is True
    assert one.event_types == ["comment"] and one.webhook_url == hook
    assert client.get_subscriptions(intent_id=intent.id) == [one]
    assert one.id in [s.id for s in client.get_subscriptions()]
    assert client.get_subscriptions(portfolio_id=str(uuid.uuid4())) == []
    assert sync.unsubscribe(one.id) is None
    assert client.get_subscriptions(intent_id=intent.id) == []
    with pytest.raises(NotFoundError):
        sync.unsubscribe(one.id)


def test_an_end(sync, intent, hook):
    """Only one of the clients can say it."""
    one = sync.subscribe(intent_id=intent.id, webhook_url=hook,
                         expires_at=datetime.datetime(2999, 1, 1))
    assert one.active is True
    assert sync.get_subscriptions(intent_id=intent.id) == [one]
    with pytest.raises(OpenIntentError):
        sync.subscribe(intent_id=intent.id, webhook_url=hook,
                       expires_at=datetime.datetime(2020, 1, 1))


def test_what_is_written_for_one(server, client, intent, hook):
    one = client.subscribe(intent_id=intent.id, webhook_url=hook)
    event = client.log_event(intent.id, EventType.COMMENT, {"text": "é"})
    with server.database() as db:
        body, = db.execute("SELECT body::json FROM delivery WHERE "
                           "subscription_id = %s", [one.id]).fetchone()
    assert body["subscription_id"] == one.id
    assert body["event"]["id"] == event.id
    assert body["event"]["payload"] == {"text": "é"}


def test_an_address_that_nobody_registered(client, intent):
    with pytest.raises(OpenIntentError) as caught:
        client.subscribe(intent_id=intent.id,
                         webhook_url="https://elsewhere.invalid/")
    assert caught.value.status_code == 422
