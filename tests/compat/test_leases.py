"""Leases and agents through the SDK."""
import datetime
import time
import uuid

import pytest
from openintent import EventType, IntentStatus
from openintent.exceptions import (LeaseConflictError, NotFoundError,
                                   OpenIntentError)
from openintent.models import LeaseStatus

ACTIVE = LeaseStatus.ACTIVE


def left(lease):
    """Seconds until it ends; its times are UTC without saying so."""
    now = datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    return (lease.expires_at - now).total_seconds()


def test_acquire_and_release(client, intent):
    lease = client.acquire_lease(intent.id, "payment", duration_seconds=60)
    assert lease.intent_id == intent.id
    assert lease.agent_id == "refunds-agent"
    assert lease.scope == "payment"
    assert lease.status is ACTIVE
    assert lease.expires_at.tzinfo is None
    assert 0 < left(lease) <= 60
    assert client.get_leases(intent.id) == [lease]
    assert client.release_lease(intent.id, lease.id) is None
    assert [x for x in client.get_leases(intent.id)
            if x.status is ACTIVE] == []
    kinds = [e.event_type for e in client.get_events(intent.id, limit=2)]
    assert kinds == [EventType.LEASE_RELEASED, EventType.LEASE_ACQUIRED]


def test_one_holder_for_each_scope(client, rival, intent):
    held = client.acquire_lease(intent.id, "payment")
    with pytest.raises(LeaseConflictError) as caught:
        rival.acquire_lease(intent.id, "payment")
    assert caught.value.status_code == 409
    assert caught.value.existing_lease["id"] == held.id
    assert caught.value.existing_lease["agent_id"] == "refunds-agent"
    other = rival.acquire_lease(intent.id, "letter")
    assert other.agent_id == "ledger-agent"
    client.release_lease(intent.id, held.id)
    assert rival.acquire_lease(intent.id, "payment").status is ACTIVE


def test_renewing(client, intent):
    lease = client.acquire_lease(intent.id, "payment", duration_seconds=10)
    longer = client.renew_lease(intent.id, lease.id, duration_seconds=600)
    assert longer.id == lease.id
    assert left(longer) > 300
    assert client.get_leases(intent.id) == [longer]


def test_a_lapsed_lease(client, rival, intent):
    lost = client.acquire_lease(intent.id, "payment", duration_seconds=1)
    kept = client.acquire_lease(intent.id, "letter", duration_seconds=1)
    time.sleep(1.1)
    told = {x.id: x.status for x in client.get_leases(intent.id)}
    assert told.get(lost.id) is not ACTIVE
    taken = rival.acquire_lease(intent.id, "payment")
    with pytest.raises(LeaseConflictError):
        client.renew_lease(intent.id, lost.id)
    assert client.renew_lease(intent.id, kept.id).status is ACTIVE
    holders = {x.scope: x.id for x in client.get_leases(intent.id)
               if x.status is ACTIVE}
    assert holders == {"payment": taken.id, "letter": kept.id}


def test_renewing_while_suspended(client, rival, intent, server):
    """The agent keeps what it holds for as long as the question is open."""
    lease = client.acquire_lease(intent.id, "payment", duration_seconds=60)
    client.set_status(intent.id, intent.version,
                      IntentStatus.SUSPENDED_AWAITING_INPUT)
    with server.database() as db:
        db.execute("UPDATE lease SET expires_at = now() - interval '1 s' "
                   "WHERE id = %s", [lease.id])
    with pytest.raises(LeaseConflictError):
        rival.acquire_lease(intent.id, "payment")
    renewed = client.renew_lease(intent.id, lease.id, duration_seconds=60)
    assert renewed.status is ACTIVE


def test_the_lease_of_another(client, rival, intent):
    lease = client.acquire_lease(intent.id, "payment")
    with pytest.raises(OpenIntentError) as caught:
        rival.release_lease(intent.id, lease.id)
    assert caught.value.status_code == 403
    with pytest.raises(OpenIntentError):
        rival.renew_lease(intent.id, lease.id)
    assert client.get_leases(intent.id)[0].agent_id == "refunds-agent"


def test_a_lease_that_is_not_there(client, intent):
    for wrong in (str(uuid.uuid4()), "nope"):
        with pytest.raises(NotFoundError):
            client.renew_lease(intent.id, wrong)
        with pytest.raises(NotFoundError):
            client.release_lease(intent.id, wrong)
    lease = client.acquire_lease(intent.id, "payment")
    elsewhere = client.create_intent("Another", "")
    with pytest.raises(NotFoundError):
        client.renew_lease(elsewhere.id, lease.id)


def test_the_context_manager(sync, rival, intent):
    with sync.lease(intent.id, "payment", duration_seconds=30) as lease:
        assert lease.status is ACTIVE
        with pytest.raises(LeaseConflictError):
            rival.acquire_lease(intent.id, "payment")
    assert rival.acquire_lease(intent.id, "payment").status is ACTIVE


def test_assigning_agents(agent, client, intent):
    def assigned():
        told = agent.get(f"/api/v1/intents/{intent.id}/agents").json()
        return {a["agent_id"] for a in told["agents"]}

    assert isinstance(client.assign_agent(intent.id), dict)
    client.assign_agent(intent.id, "ledger-agent")
    client.assign_agent(intent.id, "ledger-agent")
    assert assigned() == {"refunds-agent", "ledger-agent"}
    assert client.unassign_agent(intent.id, "ledger-agent") is None
    client.unassign_agent(intent.id)
    assert assigned() == set()
    kinds = {e.event_type for e in client.get_events(intent.id)}
    assert {EventType.AGENT_ASSIGNED, EventType.AGENT_UNASSIGNED} <= kinds
