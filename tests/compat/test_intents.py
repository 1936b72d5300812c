"""Intents through the SDK: making, reading, changing, and what raises."""
import uuid

import pytest
from openintent import (AsyncOpenIntentClient, IntentStatus,
                        OpenIntentClient)
from openintent.exceptions import (ConflictError, LeaseConflictError,
                                   NotFoundError, OpenIntentError,
                                   ValidationError)
from sdk import Blocking, access

ACTIVE = IntentStatus.ACTIVE
COMPLETED = IntentStatus.COMPLETED


def test_discover(client):
    found = client.discover()
    assert found["protocol"] == "openintent"
    assert found["api_base"] == "/api/v1"
    assert {"intents", "events", "leases", "suspension"} <= set(
        found["capabilities"])


def test_server_config_publishes_no_policy(server):
    client = Blocking(AsyncOpenIntentClient(**access(server, "x")))
    config = client.get_server_config()
    assert config["suspension"] == {"default_retry_policy": None}
    client.close()


def test_create_and_get(client):
    made = client.create_intent(
        "Größe Ω \U0001f4b8 \"q\"", "line\nline\ttab",
        constraints={"max": 3, "rules": ["a"]},
        initial_state={"amount": 499.99, "deep": {"a": [1, None, True]}})
    assert made.title == "Größe Ω \U0001f4b8 \"q\""
    assert made.description == "line\nline\ttab"
    assert made.status is IntentStatus.DRAFT
    assert made.version == 1
    assert made.created_by == "refunds-agent"
    assert made.constraints == {"max": 3, "rules": ["a"]}
    assert made.state.to_dict() == {"amount": 499.99,
                                    "deep": {"a": [1, None, True]}}
    assert made.created_at.tzinfo is None
    assert uuid.UUID(made.id)
    assert client.get_intent(made.id) == made


def test_empty_parts(client):
    made = client.create_intent("Bare", "")
    assert made.description == ""
    assert made.constraints == {}
    assert made.state.to_dict() == {}
    assert not made.has_parent
    assert not made.has_dependencies
    assert made.governance_policy is None


def test_list(client):
    ids = [client.create_intent(f"Listed {i}", "").id for i in range(3)]
    firsts = client.list_intents(limit=2)
    others = client.list_intents(limit=2, offset=2)
    assert [i.id for i in firsts + others][:3] == ids[::-1]
    assert set(ids) <= {i.id for i in client.list_intents()}


def test_list_by_status(client, intent):
    assert client.list_intents(status=ACTIVE)[0].id == intent.id
    drafts = client.list_intents(status=IntentStatus.DRAFT)
    assert intent.id not in {i.id for i in drafts}


def test_children(sync):
    parent = sync.create_intent("Parent")
    one = sync.create_child_intent(parent.id, "One", initial_state={"n": 1})
    two = sync.create_child_intent(parent.id, "Two", depends_on=[one.id])
    three = sync.create_intent("Three", parent_intent_id=parent.id)
    assert one.has_parent and three.has_parent
    assert two.parent_intent_id == parent.id
    assert two.depends_on == [one.id]
    assert {i.id for i in sync.get_children(parent.id)} == {one.id, two.id,
                                                           three.id}
    assert sync.get_children(one.id) == []


def test_dependencies(sync):
    first = sync.create_intent("First")
    then = sync.create_intent("Then", depends_on=[first.id])
    assert sync.get_intent(then.id).depends_on == [first.id]
    assert [i.id for i in sync.get_dependencies(then.id)] == [first.id]
    assert [i.id for i in sync.get_dependents(first.id)] == [then.id]


def test_adding_and_removing_a_dependency(sync, intent):
    first = sync.create_intent("First")
    now = sync.add_dependency(intent.id, first.id, intent.version)
    assert now.depends_on == [first.id]
    assert now.status is IntentStatus.BLOCKED
    with pytest.raises(ConflictError):
        sync.remove_dependency(intent.id, first.id, intent.version)
    now = sync.remove_dependency(intent.id, first.id, now.version)
    assert now.depends_on == []
    assert now.status is ACTIVE


def test_a_cycle_is_a_validation_error(sync):
    first = sync.create_intent("First")
    then = sync.create_intent("Then", depends_on=[first.id])
    with pytest.raises(ValidationError) as caught:
        sync.add_dependency(first.id, then.id, first.version)
    assert caught.value.message
    with pytest.raises(ValidationError):
        sync.add_dependency(first.id, first.id, first.version)


def test_waiting_for_a_dependency(sync):
    first = sync.create_intent("First")
    then = sync.create_intent("Then", depends_on=[first.id])
    then = sync.set_status(then.id, then.version, ACTIVE)
    assert then.status is IntentStatus.BLOCKED
    first = sync.set_status(first.id, first.version, ACTIVE)
    sync.set_status(first.id, first.version, COMPLETED)
    assert sync.get_intent(then.id).status is ACTIVE


def test_status(client):
    one = client.create_intent("Statuses", "")
    one = client.set_status(one.id, one.version, ACTIVE)
    assert (one.status, one.version) == (ACTIVE, 2)
    one = client.set_status(one.id, one.version, COMPLETED, reason="paid")
    assert (one.status, one.version) == (COMPLETED, 3)
    assert client.get_intent(one.id).status is COMPLETED
    with pytest.raises(ConflictError):
        client.set_status(one.id, one.version, ACTIVE)


def test_state(client, intent):
    one = client.update_state(intent.id, intent.version,
                              {"a": 1, "text": "ä", "list": [1, 2]})
    one = client.update_state(intent.id, one.version,
                              {"a": {"b": None}, "new": True})
    assert one.version == intent.version + 2
    assert one.state.to_dict() == {"a": {"b": None}, "text": "ä",
                                   "list": [1, 2], "new": True}
    assert client.get_intent(intent.id).state.get("text") == "ä"


def test_a_stale_version(client, intent):
    now = client.update_state(intent.id, intent.version, {"n": 1})
    for change in (lambda v: client.update_state(intent.id, v, {"n": 2}),
                   lambda v: client.set_status(intent.id, v, COMPLETED)):
        with pytest.raises(ConflictError) as caught:
            change(intent.version)
        assert caught.value.current_version == now.version
        assert caught.value.status_code == 409
        assert caught.value.message
    assert client.get_intent(intent.id) == now


@pytest.mark.parametrize("title", ["Please release the payment",
                                   "LEASE of the office", "Increase, please"])
def test_a_conflict_is_none_about_a_lease(client, title):
    """The SDK takes every 409 that has these letters in it for one."""
    one = client.create_intent(title, title, initial_state={"please": title})
    now = client.set_status(one.id, one.version, ACTIVE, reason=title)
    asked = client.set_status(one.id, now.version,
                              IntentStatus.SUSPENDED_AWAITING_INPUT)
    asked = client.update_state(one.id, asked.version, {"_suspension": {
        "id": str(uuid.uuid4()), "question": title,
        "choices": [{"value": "release", "label": title}]}})
    tries = [
        lambda: client.set_status(one.id, one.version, COMPLETED),
        lambda: client.update_state(one.id, one.version, {"lease": title}),
        lambda: client.set_status(one.id, asked.version, COMPLETED),
        lambda: client.update_state(one.id, asked.version, {
            "_suspension": {"id": "another", "question": title}}),
        lambda: client.update_state(one.id, asked.version, {
            "_suspension/response": "release"}),
    ]
    for attempt in tries:
        with pytest.raises(ConflictError) as caught:
            attempt()
        assert not isinstance(caught.value, LeaseConflictError)


@pytest.mark.parametrize("wrong", [str(uuid.uuid4()), "nope", "12345",
                                   "00000000-0000-0000-0000-00000000000g"])
def test_an_unknown_intent(client, wrong):
    tries = [
        lambda: client.get_intent(wrong),
        lambda: client.set_status(wrong, 1, ACTIVE),
        lambda: client.update_state(wrong, 1, {"a": 1}),
        lambda: client.get_events(wrong),
        lambda: client.get_leases(wrong),
        lambda: client.acquire_lease(wrong, "scope"),
        lambda: client.assign_agent(wrong),
        lambda: client.verify_event_chain(wrong),
    ]
    for attempt in tries:
        with pytest.raises(NotFoundError) as caught:
            attempt()
        assert caught.value.response["detail"]


def test_an_address_that_is_not_there(client):
    """Its body is JSON: the SDK would break on anything else."""
    with pytest.raises(NotFoundError) as caught:
        client.get_intent("nothing/at/all")
    assert caught.value.response["detail"]


@pytest.mark.parametrize("kind", [OpenIntentClient, AsyncOpenIntentClient])
def test_a_wrong_key(server, kind):
    client = kind(server.url, "sayso_wrong", "refunds-agent")
    if kind is AsyncOpenIntentClient:
        client = Blocking(client)
    with pytest.raises(OpenIntentError) as caught:
        client.list_intents()
    assert caught.value.status_code == 401
    assert caught.value.response["detail"]
    client.close()


def test_what_cannot_be_accepted(client):
    with pytest.raises(OpenIntentError) as caught:
        client.create_intent("", "")
    assert caught.value.status_code == 422
    assert caught.value.response["detail"]
    with pytest.raises(ValidationError):
        client.list_intents(limit=0)
