"""Coordinators through the SDK, sync and async."""
import pytest
from openintent.exceptions import LeaseConflictError, OpenIntentError
from openintent.models import (CoordinatorStatus, CoordinatorType,
                               DecisionType)


def test_S1_a_coordinator(client, intent):
    one = client.create_coordinator_lease(
        client.agent_id, intent.id, supervisor_id="eva",
        suspension_policy="escalate", coordinator_type="composite",
        guardrails={"max_tasks_per_plan": 7, "on_exceed": "pause"})
    assert one.intent_id == intent.id and one.agent_id == client.agent_id
    assert one.coordinator_type is CoordinatorType.COMPOSITE
    assert one.status is CoordinatorStatus.ACTIVE
    assert one.guardrails.max_tasks_per_plan == 7
    assert one.last_heartbeat and one.granted_at
    assert client.get_coordinator_lease(one.id) == one
    assert client.list_coordinator_leases(intent.id) == [one]
    beat = client.coordinator_heartbeat(one.id)
    assert beat["status"] == "ok" and beat["next_heartbeat_at"]
    record = client.create_decision_record(
        one.id, intent.id, DecisionType.PLAN_CREATED, "Three tasks",
        "It is simple.", confidence=0.5)
    assert client.list_decision_records(intent.id) == [record]


def test_C1_a_second_one_is_a_lease_conflict(client, rival, intent):
    one = client.create_coordinator_lease(client.agent_id, intent.id)
    with pytest.raises(LeaseConflictError):
        rival.create_coordinator_lease(rival.agent_id, intent.id)
    again = client.create_coordinator_lease(client.agent_id, intent.id)
    assert (again.id, again.version) == (one.id, 2)
    with pytest.raises(OpenIntentError) as raised:
        client.create_coordinator_lease(client.agent_id, intent.id,
                                        suspension_policy="stop")
    assert raised.value.status_code == 422
