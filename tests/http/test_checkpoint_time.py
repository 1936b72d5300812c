"""Checkpoints that nobody answers, by a clock that the test moves."""
import pytest

import kit
from kit import configured, events, get, types, wait_for
from plans import checkpoint, kinds, last, move, plan, read, reached, task
from server import place

CHOICES = [{"value": "approve", "label": "Approve", "effect": "authorize"},
           {"value": "deny", "label": "Deny", "effect": "veto"}]
ESCALATED = "intent.suspension_escalated"


@pytest.fixture(scope="module")
def server(clock):
    """With a channel to people that gets every question."""
    with kit.own_server(place("plans"), **clock.setting) as one:
        with one.database() as db:
            db.execute("""
                INSERT INTO endpoint (id, kind, name, address, secret,
                                      every_question, created_at, created_by)
                VALUES (gen_random_uuid(), 'webhook', 'desk',
                        'https://desk.invalid', 'whsec_AAAA', true, now(), 'x')
                """)
        yield one


@pytest.fixture(scope="module")
def lenient(server):
    with configured(server, silence_may_authorize="low"):
        yield


def until(client, of, **wanted):
    def seen():
        found = read(client, of)
        return found if wanted.items() <= found.items() else None

    return wait_for(seen)


def notices(server, id):
    with server.database() as db:
        return [t for (t,) in db.execute(
            "SELECT type FROM delivery WHERE suspension_id = %s "
            "ORDER BY created_at", [id])]


def test_T7_silence_rejects(clock, agent):
    intent, of, first, second, id = reached(agent, timeout_hours=2,
                                            on_timeout="fail")
    clock.forward(hours=1)
    assert read(agent, of)["state"] == "paused"
    clock.forward(hours=1)
    now = until(agent, of, state="failed")
    assert now["checkpoints"][0]["status"] == "rejected"
    told = last(agent, intent, "plan.checkpoint_rejected")
    assert told["rejected_by"] == "clock"
    assert read(agent, second)["status"] == "cancelled"
    r = agent.get(f"/api/v1/suspensions/{id}").json()
    assert (r["state"], r["outcome"]) == ("expired", "none")
    # The intent is not touched.
    found = get(agent, intent)
    assert (found["status"], found["version"]) == ("active",
                                                   intent["version"])
    assert "intent.suspension_expired" not in types(agent, intent["id"])


def test_T7_silence_approves_what_is_low(clock, agent, lenient):
    intent, of, first, second, id = reached(
        agent, timeout_hours=2, on_timeout="auto_approve", severity="low")
    assert of["checkpoints"][0]["on_timeout_enforced"] == "auto_approve"
    clock.forward(hours=2)
    now = until(agent, of, state="active")
    gate = now["checkpoints"][0]
    assert (gate["status"], gate["approved_by"]) == ("approved", "clock")
    move(agent, second, "running", "completed")
    assert read(agent, of)["state"] == "completed"


def test_the_clocks_approval_asks_for_the_next(clock, agent, server, lenient):
    intent = kit.new_intent(agent, "active")
    one, two = task(agent, intent), task(agent, intent)
    of = plan(agent, intent, one, two, state="active", checkpoints=[
        checkpoint(one, id="a", severity="low", timeout_hours=1,
                   on_timeout="auto_approve"),
        checkpoint(one, id="b", timeout_hours=1, on_timeout="fail")])
    move(agent, one, "running", "completed")
    clock.forward(hours=1)
    wait_for(lambda: [c["status"] for c in read(agent, of)["checkpoints"]] ==
             ["approved", "reached"])
    now = read(agent, of)
    assert now["paused_reason"] == "checkpoint"
    assert notices(server, now["checkpoints"][1]["suspension_id"]) == [
        "suspension.asked"]
    clock.forward(hours=1)
    until(agent, of, state="failed")


@pytest.mark.parametrize("more", [
    {"on_timeout": "escalate"},
    {"on_timeout": "auto_approve", "severity": "medium"},
    {"on_timeout": "auto_approve"}])
def test_T7_silence_tells_others_once(clock, agent, server, lenient, more):
    intent, of, first, second, id = reached(agent, timeout_hours=2, **more)
    assert of["checkpoints"][0]["on_timeout_enforced"] == "escalate"
    clock.forward(hours=2)
    wait_for(lambda: ESCALATED in types(agent, intent["id"]))
    clock.forward(days=400)
    other = reached(agent, timeout_hours=1, on_timeout="fail")[1]
    clock.forward(hours=1)
    until(agent, other, state="failed")
    told = [e["payload"] for e in events(agent, intent["id"])
            if e["event_type"] == ESCALATED]
    assert told == [{"suspension_id": id, "attempt": 2,
                     "escalated_to": "admins", "channel_hint": None}]
    assert notices(server, id) == ["suspension.asked", "suspension.escalated"]
    assert read(agent, of)["state"] == "paused"
    assert agent.get(f"/api/v1/suspensions/{id}").json()["state"] == "pending"


def test_T3_an_expiry_ends_tasks_and_plans(clock, agent):
    intent = kit.new_intent(agent, "active")
    one, two = task(agent, intent), task(agent, intent)
    of = plan(agent, intent, one, two, state="active")
    move(agent, one, "running")
    kit.ask(agent, intent_id=intent["id"], timeout_seconds=3600,
            fallback_policy="fail")
    assert read(agent, one)["status"] == "blocked"
    clock.forward(hours=1)
    until(agent, of, state="failed")
    assert last(agent, intent, "task.cancelled")["task_ids"] == [
        one["id"], two["id"]]
    assert kinds(agent, intent).count("task.cancelled") == 1


def test_an_expiry_that_goes_on_frees_the_task(clock, agent):
    intent = kit.new_intent(agent, "active")
    one = task(agent, intent)
    move(agent, one, "running")
    kit.ask(agent, intent_id=intent["id"], timeout_seconds=3600,
            fallback_policy="use_default_and_continue",
            fallback_value="deny")
    clock.forward(hours=1)
    wait_for(lambda: read(agent, one)["status"] == "running")
    assert last(agent, intent, "task.unblocked")["resolution"] == "fallback"


@pytest.mark.parametrize("default", ["approve", "deny"])
def test_silence_to_an_agents_own_question(clock, agent, server, lenient,
                                           default):
    """Its default decides no checkpoint, and the server asks people again."""
    intent, of, *_ = reached(agent, severity="low")
    asked = kit.ask(agent, intent_id=intent["id"], timeout_seconds=3600,
                    context={"checkpoint_id": "cp-1"}, severity="low",
                    choices=CHOICES,
                    fallback_policy="use_default_and_continue",
                    fallback_value=default)["suspension_id"]
    clock.forward(hours=1)
    again = wait_for(lambda: next(
        (c["suspension_id"] for c in read(agent, of)["checkpoints"]
         if c["suspension_id"] != asked), None))
    now = read(agent, of)
    assert now["state"] == "paused"
    assert now["checkpoints"][0]["status"] == "reached"
    assert agent.get(f"/api/v1/suspensions/{asked}").json()["outcome"] == \
        "fallback"
    assert get(agent, intent)["status"] == "active"
    assert notices(server, again) == ["suspension.asked"]


def test_an_agents_own_question_that_fails_ends_the_plan(clock, agent):
    intent, of, *_ = reached(agent)
    kit.ask(agent, intent_id=intent["id"], timeout_seconds=3600,
            context={"checkpoint_id": "cp-1"}, choices=CHOICES,
            fallback_policy="fail")
    clock.forward(hours=1)
    until(agent, of, state="failed")
    assert get(agent, intent)["status"] == "abandoned"


def test_both_questions_of_an_intent_are_due_at_once(clock, agent):
    intent, of, first, second, id = reached(agent, timeout_hours=1,
                                            on_timeout="fail")
    asked = kit.ask(agent, intent_id=intent["id"], timeout_seconds=3600,
                    fallback_policy="use_default_and_continue",
                    fallback_value="deny")
    clock.forward(hours=2)
    until(agent, of, state="failed")
    wait_for(lambda: agent.get(
        f"/api/v1/suspensions/{asked['suspension_id']}").json()["state"] ==
        "expired")
    assert get(agent, intent)["status"] == "active"


def test_a_late_answer_meets_the_end(clock, agent, server):
    intent, of, first, second, id = reached(agent, timeout_hours=1,
                                            on_timeout="fail")
    with kit.asleep(server, "tick"), server.client("operator") as operator:
        clock.forward(hours=2)
        kit.refused(operator.post(
            f"/api/v1/plans/{of['id']}/checkpoints/cp-1/approve"), 409,
            "suspension.expired")
        assert read(agent, of)["state"] == "failed"


# --- The coordinator's supervisor and hours ---------------------------------

def coordinated(client, **more):
    intent = kit.new_intent(client, "active")
    r = client.post("/api/v1/coordinators", json={
        "intent_id": intent["id"], "agent_id": "refunds-agent",
        "heartbeat_interval_seconds": 86400, **more})
    assert r.status_code == 201, r.text
    return intent


def test_T7_silence_tells_the_supervisor_once(clock, agent, server):
    intent = coordinated(agent, supervisor_id="eva",
                         guardrails={"checkpoint_timeout_hours": 2})
    *_, id = reached(agent, intent=intent)
    clock.forward(hours=2)
    wait_for(lambda: ESCALATED in types(agent, intent["id"]))
    clock.forward(hours=20)
    kit.time.sleep(0.6)
    told = [e["payload"]["escalated_to"] for e in events(agent, intent["id"])
            if e["event_type"] == ESCALATED]
    assert told == ["eva"]
    assert notices(server, id) == ["suspension.asked", "suspension.escalated"]


def test_the_hours_of_the_coordinator_reject(clock, agent):
    intent = coordinated(agent, guardrails={"checkpoint_timeout_hours": 2})
    _, of, *_ = reached(agent, intent=intent, on_timeout="fail")
    clock.forward(hours=2)
    until(agent, of, state="failed")


# --- The time of a task -------------------------------------------------------

def test_a_task_that_runs_too_long_fails(clock, agent, server):
    intent = kit.new_intent(agent, "active")
    one = task(agent, intent, timeout_seconds=600, max_attempts=1)
    of = plan(agent, intent, one, state="active")
    move(agent, one, "running")
    clock.forward(seconds=500)
    kit.time.sleep(0.6)
    assert read(agent, one)["status"] == "running"
    clock.forward(seconds=101)
    late = until(agent, one, status="failed")
    assert late["error"]["code"] == "timeout"
    assert last(agent, intent, "task.failed")["will_retry"] is False
    now = until(agent, of, state="paused")
    assert now["paused_reason"] == "failure"
    [asked] = agent.get("/api/v1/escalations", params={
        "intent_id": intent["id"]}).json()["escalations"]
    assert asked["priority"] == "high"
    assert notices(server, asked["id"]) == ["suspension.asked"]


def test_a_task_is_tried_again_after_its_time(clock, agent):
    intent = kit.new_intent(agent, "active")
    one = task(agent, intent, timeout_seconds=600, max_attempts=2)
    plan(agent, intent, one, on_failure="retry", state="active")
    move(agent, one, "running")
    clock.forward(seconds=601)
    again = until(agent, one, status="ready")
    assert again["attempt"] == 2
    move(agent, one, "running", "completed")
    clock.forward(seconds=601)
    kit.time.sleep(0.6)
    assert read(agent, one)["status"] == "completed"


@pytest.mark.parametrize("how", ["agent", "question"])
def test_time_that_is_blocked_does_not_count(clock, agent, server, how):
    intent = kit.new_intent(agent, "active")
    one = task(agent, intent, timeout_seconds=600)
    move(agent, one, "running")
    clock.forward(seconds=300)
    if how == "agent":
        move(agent, one, "blocked")
    else:
        asked = kit.ask(agent, intent_id=intent["id"])
    clock.forward(hours=3)
    kit.time.sleep(0.6)
    assert read(agent, one)["status"] == "blocked"
    if how == "agent":
        move(agent, one, "running")
    else:
        with server.client("operator") as operator:
            assert kit.answer(operator, asked).status_code == 200
    assert read(agent, one)["status"] == "running"
    clock.forward(seconds=200)
    kit.time.sleep(0.6)
    assert read(agent, one)["status"] == "running"
    clock.forward(seconds=105)
    until(agent, one, status="failed")


def test_tasks_that_run_too_long_at_once(clock, agent):
    """Each asks people, one after the other."""
    intent = kit.new_intent(agent, "active")
    tasks = [task(agent, intent, timeout_seconds=600, max_attempts=1)
             for _ in range(3)]
    plan(agent, intent, *tasks, on_failure="notify", state="active")
    for one in tasks:
        move(agent, one, "running")
    clock.forward(seconds=601)
    for one in tasks:
        until(agent, one, status="failed")
    asked = agent.get("/api/v1/escalations", params={
        "intent_id": intent["id"]}).json()["escalations"]
    assert len(asked) == 3
