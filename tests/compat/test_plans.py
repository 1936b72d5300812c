"""Tasks and plans through both clients of the SDK."""
import uuid

import pytest
from openintent import IntentStatus
from openintent.exceptions import (ConflictError, NotFoundError,
                                   OpenIntentError)
from openintent.models import (CheckpointTimeoutAction, PlanFailureAction,
                               PlanState, TaskStatus)


def run(client, task):
    task = client.update_task(task.id, task.version, "running")
    return client.update_task(task.id, task.version, "completed",
                              output={"rows": 3})


def test_S1_tasks(client, intent):
    one = client.create_task(intent.id, "Collect", input={"month": 10},
                             capabilities_required=["sql"], priority="high")
    two = client.create_task(intent.id, "Publish", depends_on=[one.id])
    assert (one.status, two.status) == (TaskStatus.READY, TaskStatus.PENDING)
    assert one.input == {"month": 10} and one.priority == "high"
    assert client.get_task(one.id).blocks == [two.id]
    done = run(client, one)
    assert done.status == TaskStatus.COMPLETED
    assert done.output == {"rows": 3} and done.completed_at
    assert [t.id for t in client.list_tasks(intent.id)] == [one.id, two.id]
    ready = client.list_tasks(intent.id, TaskStatus.READY)
    assert [t.id for t in ready] == [two.id]
    with pytest.raises(ConflictError):
        client.update_task(two.id, 99, "running")
    with pytest.raises(NotFoundError):
        client.get_task(str(uuid.uuid4()))
    for task in (one, two):
        # Lists and objects are never null: the SDK's defaults are for absent
        # members alone.
        assert isinstance(task.metadata, dict)
        assert isinstance(task.artifacts, list)


def test_S1_plans(client, intent):
    one = client.create_task(intent.id, "Collect")
    two = client.create_task(intent.id, "Publish", depends_on=[one.id])
    plan = client.create_plan(
        intent.id, [one.id, two.id], on_failure="notify", checkpoints=[
            {"id": "look", "name": "Look at it", "after_task": one.id,
             "timeout_hours": 4, "on_timeout": "auto_approve"}])
    assert plan.state == PlanState.DRAFT
    assert plan.on_failure == PlanFailureAction.NOTIFY
    [gate] = plan.checkpoints
    assert gate.on_timeout == CheckpointTimeoutAction.AUTO_APPROVE
    assert (gate.status, gate.timeout_hours) == ("pending", 4)
    plan = client.update_plan(plan.id, plan.version, state="active")
    assert plan.state == PlanState.ACTIVE
    with pytest.raises(OpenIntentError) as raised:
        client.update_plan(plan.id, plan.version, checkpoints=[])
    assert raised.value.status_code == 403
    with pytest.raises(ConflictError):
        client.update_plan(plan.id, plan.version + 1, state="paused")
    assert [p.id for p in client.list_plans(intent.id)] == [plan.id]
    assert client.get_plan(plan.id).tasks == [one.id, two.id]


def test_T5_a_checkpoint_waits_for_a_person(client, sync, intent, operator):
    one = client.create_task(intent.id, "Collect")
    two = client.create_task(intent.id, "Publish", depends_on=[one.id])
    plan = client.create_plan(intent.id, [one.id, two.id], state="active",
                              checkpoints=[{"id": "look", "name": "Release?",
                                            "after_task": one.id}])
    run(client, one)
    plan = client.get_plan(plan.id)
    assert plan.state == PlanState.PAUSED
    assert plan.checkpoints[0].status == "reached"
    # The name has the word that the SDK takes for a lease.
    with pytest.raises(ConflictError):
        client.update_task(two.id, client.get_task(two.id).version, "running")
    with pytest.raises(ConflictError):
        client.update_plan(plan.id, plan.version, state="active")
    now = sync.get_intent(intent.id)
    assert now.status == IntentStatus.ACTIVE
    with pytest.raises(ConflictError):
        sync.set_status(now.id, now.version, IntentStatus.COMPLETED)
    done = operator.post(f"/api/v1/plans/{plan.id}/checkpoints/look/approve")
    assert done.status_code == 200, done.text
    plan = client.get_plan(plan.id)
    assert plan.state == PlanState.ACTIVE
    assert plan.checkpoints[0].approved_at
    run(client, client.get_task(two.id))
    assert client.get_plan(plan.id).state == PlanState.COMPLETED


def test_T1_a_task_is_blocked_while_its_intent_is_suspended(client, sync,
                                                            intent, operator):
    task = client.create_task(intent.id, "Collect")
    client.update_task(task.id, task.version, "running")
    now = sync.get_intent(intent.id)
    sync.set_status(now.id, now.version, IntentStatus.SUSPENDED_AWAITING_INPUT)
    blocked = client.get_task(task.id)
    assert blocked.status == TaskStatus.BLOCKED
    assert blocked.blocked_reason == "intent_suspended"
    now = sync.get_intent(intent.id)
    back = operator.post(f"/api/v1/intents/{now.id}/status",
                         json={"status": "active"},
                         headers={"If-Match": str(now.version)})
    assert back.status_code == 200, back.text
    assert client.get_task(task.id).status == TaskStatus.RUNNING
