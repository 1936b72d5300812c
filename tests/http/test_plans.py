"""Plans of OpenIntent and their checkpoints (RFC-0012). The numbers are those
of the list of tests that they were planned with."""
import pytest
from kit import (ANY_ID, answer, configured, get, new_id, new_intent, refused,
                 respond, set_status, suspend, together)
from page import Page
from plans import (PLANS, TASKS, change, checkpoint, decide, gated, kinds,
                   last, move, plan, question, reached, read, task,
                   unknown_ids)

route = pytest.mark.route


# --- Making, reading, changing ----------------------------------------------

@route("POST /api/v1/plans")
@route("GET /api/v1/plans/{id}")
@route("GET /api/v1/intents/{id}/plans")
def test_a_plan_is_made_and_read(agent, operator):
    intent = new_intent(agent, "active")
    one, two = task(agent, intent), task(agent, intent)
    of = plan(agent, intent, two, one, conditions=[{"when": "x"}],
              metadata={"a": 1}, state=None)
    assert of["state"] == "draft" and of["version"] == 1
    assert of["tasks"] == [two["id"], one["id"]]
    assert of["on_failure"] == "pause_and_escalate"
    assert of["on_complete"] == "notify" and of["checkpoints"] == []
    assert of["conditions"] == [{"when": "x"}]
    assert of["progress"]["by_status"]["ready"] == 2
    assert of["progress"]["total"] == 2
    assert read(operator, of) == of
    r = agent.get(f"/api/v1/intents/{intent['id']}/plans")
    assert r.json() == [of]
    # The tasks stay as the agent has them.
    assert read(agent, one) == {**one, "plan_id": of["id"]}
    three = task(agent, intent, plan_id=of["id"])
    now = read(agent, of)
    assert now["tasks"][-1] == three["id"] and now["version"] == 2
    assert last(agent, intent, "plan.created") == {
        "plan_id": of["id"], "task_count": 2}
    assert get(agent, intent)["version"] == intent["version"]


def test_a_plan_that_is_sent_again_is_made_once(agent):
    intent = new_intent(agent, "active")
    headers = {"Idempotency-Key": new_id()}
    got = [agent.post(PLANS, json={"intent_id": intent["id"]},
                      headers=headers) for _ in range(2)]
    assert got[0].text == got[1].text
    assert got[1].headers["Location"] == got[0].headers["Location"]
    assert kinds(agent, intent) == ["plan.created"]


@pytest.mark.parametrize("body, code, at", [
    ({"tasks": [ANY_ID]}, "task.unknown", "tasks"),
    ({"tasks": ["x"]}, "field.value", "tasks"),
    ({"tasks": [ANY_ID] * 201}, "field.too_many", "tasks"),
    ({"on_failure": "weep"}, "field.value", "on_failure"),
    ({"checkpoints": [{}]}, "field.missing", "checkpoints[0].name"),
    ({"checkpoints": [{"name": "x"}]}, "field.missing",
     "checkpoints[0].after_task"),
    ({"checkpoints": [{"name": "x", "after_task": ANY_ID}]},
     "checkpoint.task", "checkpoints"),
    ({"checkpoints": [{"name": "x", "after": ANY_ID, "id": "a/b"}]},
     "field.value", "checkpoints[0].id"),
    ({"checkpoints": [{"name": "x", "after": ANY_ID, "id": "a"}] * 2},
     "field.value", "checkpoints[1].id"),
    ({"checkpoints": [{"name": "x", "after": ANY_ID}] * 21},
     "field.too_many", "checkpoints"),
    ({"checkpoints": [{"name": "x", "after": ANY_ID,
                       "timeout_hours": 9000}]}, "field.value",
     "checkpoints[0].timeout_hours"),
    ({"checkpoints": [{"name": "x", "after": ANY_ID,
                       "approvers": ["x"] * 21}]}, "field.too_many",
     "checkpoints[0].approvers"),
    ({"checkpoints": [{"name": "x", "after": ANY_ID,
                       "approvers": ["Nobody at all"]}]}, "responder.nobody",
     "checkpoints[0].approvers")])
def test_a_plan_that_cannot_be_made(agent, body, code, at):
    intent = new_intent(agent, "active")
    refused(agent.post(PLANS, json={"intent_id": intent["id"], **body}), 422,
            code, at)
    assert kinds(agent, intent) == []


def test_a_plan_that_is_too_large(agent):
    intent = new_intent(agent, "active")
    refused(agent.post(PLANS, json={"intent_id": intent["id"], "metadata": {
        "x": "x" * 140000}}), 413, "plan.too_large")


def test_plans_that_are_not_there(agent, operator):
    refused(agent.post(PLANS, json={"intent_id": ANY_ID}), 404,
            "intent.unknown")
    refused(agent.post(PLANS, json={}), 422, "field.missing", "intent_id")
    for id in unknown_ids():
        refused(agent.get(f"{PLANS}/{id}"), 404, "plan.unknown")
        refused(agent.patch(f"{PLANS}/{id}", json={},
                            headers={"If-Match": "1"}), 404, "plan.unknown")
        refused(decide(operator, {"id": id}, "approve"), 404,
                "checkpoint.unknown")
    refused(agent.get(f"/api/v1/intents/{ANY_ID}/plans"), 404,
            "intent.unknown")


def test_an_intent_has_at_most_20_plans(agent):
    intent = new_intent(agent, "active")
    for _ in range(20):
        plan(agent, intent)
    refused(agent.post(PLANS, json={"intent_id": intent["id"]}), 409,
            "plan.too_many")


@route("PATCH /api/v1/plans/{id}")
def test_a_plan_changes_in_the_version_that_was_read(agent):
    intent = new_intent(agent, "active")
    one, two = task(agent, intent), task(agent, intent)
    of = plan(agent, intent, one)
    path = f"{PLANS}/{of['id']}"
    refused(agent.patch(path, json={}), 428, "request.precondition")
    body = refused(change(agent, of, version=9, state="active"), 409,
                   "plan.version")
    assert body["current_version"] == 1 and "lease" not in str(body)
    now = change(agent, of, tasks=[two["id"]], on_failure="fail").json()
    assert now["tasks"] == [two["id"]] and now["on_failure"] == "fail"
    assert read(agent, one)["plan_id"] is None
    other = plan(agent, intent, one)
    refused(change(agent, of, tasks=[one["id"]]), 422, "task.planned",
            "tasks")
    assert move(agent, of, "active", "paused")["paused_reason"] is None
    refused(change(agent, two, status="claimed"), 409, "plan.paused")
    move(agent, of, "active", "cancelled")
    assert read(agent, two)["status"] == "cancelled"
    refused(change(agent, of, state="active"), 409, "plan.ended")
    refused(agent.post(TASKS, json={"intent_id": intent["id"], "name": "x",
                                    "plan_id": of["id"]}), 409, "plan.ended")
    refused(change(agent, other, state="paused"), 409, "plan.transition")
    assert kinds(agent, intent, "plan.") == [
        "plan.created", "plan.created", "plan.activated", "plan.paused",
        "plan.resumed"]
    ended = set_status(agent, intent, "completed")
    assert ended.status_code == 200
    assert read(agent, other)["state"] == "cancelled"
    refused(change(agent, other, state="active"), 409, "intent.ended")


def test_a_plan_ends_with_its_last_task(agent):
    intent = new_intent(agent, "active")
    one, two = task(agent, intent), task(agent, intent)
    of = plan(agent, intent, one, two, state="active")
    move(agent, one, "running", "completed")
    now = read(agent, of)
    assert now["progress"]["completion_percentage"] == 50
    move(agent, two, "skipped")
    now = read(agent, of)
    assert now["state"] == "completed"
    told = last(agent, intent, "plan.completed")
    assert (told["tasks_completed"], told["tasks_skipped"]) == (1, 1)


# --- Failures ----------------------------------------------------------------

def failing(agent, on_failure, attempts=1):
    intent = new_intent(agent, "active")
    one = task(agent, intent, max_attempts=attempts)
    of = plan(agent, intent, one, task(agent, intent), state="active",
              on_failure=on_failure)
    move(agent, one, "running", "failed", error="The bank is closed.")
    return intent, one, read(agent, of)


def escalations(agent, intent):
    r = agent.get("/api/v1/escalations", params={"intent_id": intent["id"]})
    return r.json()["escalations"]


def test_a_failure_pauses_the_plan_and_escalates(agent, operator):
    intent, one, of = failing(agent, "pause_and_escalate")
    assert (of["state"], of["paused_reason"]) == ("paused", "failure")
    [raised] = escalations(agent, intent)
    assert raised["priority"] == "high" and raised["status"] == "pending"
    assert raised["context"]["task_id"] == one["id"]
    done = operator.post(f"/api/v1/escalations/{raised['id']}/resolve",
                         json={"resolution": "Wait for Monday."})
    assert done.status_code == 200
    assert move(agent, of, "active")["paused_reason"] is None
    assert last(agent, intent, "plan.paused")["reason"] == "failure"


def test_other_ways_to_fail(agent):
    intent, one, of = failing(agent, "fail")
    assert of["state"] == "failed"
    assert last(agent, intent, "plan.failed")["failed_task_id"] == one["id"]
    intent, one, of = failing(agent, "notify")
    assert of["state"] == "active"
    [raised] = escalations(agent, intent)
    assert raised["priority"] == "medium"
    intent, one, of = failing(agent, "retry", attempts=2)
    assert of["state"] == "active"
    assert (read(agent, one)["status"], read(agent, one)["attempt"]) == (
        "ready", 2)
    move(agent, one, "running", "failed")
    assert read(agent, of)["paused_reason"] == "failure"
    assert len(escalations(agent, intent)) == 1
    intent, one, of = failing(agent, "pause_and_escalate", attempts=2)
    assert of["state"] == "active" and escalations(agent, intent) == []


# --- Checkpoints --------------------------------------------------------------

def test_T5_a_checkpoint_is_a_question(agent, operator, person):
    intent, of, first, second, id = reached(agent)
    assert of["paused_reason"] == "checkpoint"
    gate = of["checkpoints"][0]
    assert gate["status"] == "reached" and gate["approved_by"] is None
    asked = question(agent, id)
    assert asked["state"] == "pending" and asked["title"] == "Look at it"
    assert asked["context"]["plan_id"] == of["id"]
    assert asked["context"]["output"] == {"found": 3}
    assert asked["subject"] == asked["context"]
    me = person("operator")
    found = me.client.get("/inbox", params={"q": intent["id"]})
    assert "Look at it" in found.text
    now = get(agent, intent)
    assert (now["status"], now["version"]) == ("active", intent["version"])
    assert "_suspension" not in now["state"]
    told = last(agent, intent, "plan.checkpoint_reached")
    assert len(told.pop("asked_sha256")) == 64
    assert told == {"plan_id": of["id"], "checkpoint_id": "cp-1",
                    "requires_approval": True, "suspension_id": id}
    assert last(agent, intent, "plan.paused")["reason"] == "checkpoint"
    refused(change(agent, second, status="claimed"), 409, "plan.paused")
    refused(agent.post(f"/api/v1/suspensions/{id}/cancel"), 403,
            "checkpoint.sealed")


def test_a_checkpoint_after_a_task_with_a_large_output(agent, operator,
                                                       person):
    intent, of, first, second = gated(agent)
    move(agent, first, "completed", output={"text": "x" * 120000})
    id = read(agent, of)["checkpoints"][0]["suspension_id"]
    assert len(question(agent, id)["context"]["output"]["text"]) == 120000
    assert person("operator").client.get(f"/suspensions/{id}").status_code \
        == 200
    assert decide(operator, of, "approve").status_code == 200


def test_T6_it_is_approved_in_the_browser(agent, person):
    intent, of, first, second, id = reached(agent)
    me = person("operator")
    page = Page(me.client.get(f"/suspensions/{id}"))
    assert "Approve this checkpoint?" in page.text
    assert "The plan goes on." in page.text
    assert "The plan fails, and its open steps are cancelled." in page.text
    assert "as sent by the agent" not in page.text
    # A yes to what nobody has rated takes a second step.
    step = Page(me.client.get(f"/suspensions/{id}",
                              params={"choice": "approve"}))
    r = me.client.post(f"/suspensions/{id}/respond",
                       data=step.data("/respond", value="approve"))
    assert r.status_code == 303, r.text
    now = read(agent, of)
    gate = now["checkpoints"][0]
    assert now["state"] == "active" and gate["status"] == "approved"
    assert gate["approved_by"] == me.email and gate["approved_at"]
    assert question(agent, id)["outcome"] == "authorized"
    assert "The plan goes on." in me.client.get(f"/suspensions/{id}").text
    assert kinds(agent, intent)[-4:] == [
        "plan.checkpoint_reached", "plan.paused",
        "plan.checkpoint_approved", "plan.resumed"]
    assert get(agent, intent)["version"] == intent["version"]
    move(agent, second, "running", "completed")
    assert read(agent, of)["state"] == "completed"


@route("POST /api/v1/plans/{id}/checkpoints/{checkpoint_id}/approve")
@route("POST /api/v1/plans/{id}/checkpoints/{checkpoint_id}/reject")
def test_T6_it_is_answered_with_a_key(agent, operator):
    intent, of, first, second, id = reached(agent)
    for how in ("approve", "reject"):
        refused(decide(agent, of, how), 403)
    refused(answer(agent, {"suspension_id": id}, "approve"), 403)
    done = decide(operator, of, "reject", json={"reason": "Not on Friday."})
    assert done.status_code == 200, done.text
    assert done.json() == read(agent, of)
    assert done.json()["state"] == "failed"
    assert done.json()["checkpoints"][0]["status"] == "rejected"
    assert read(agent, second)["status"] == "cancelled"
    assert read(agent, first)["status"] == "completed"
    assert last(agent, intent, "plan.checkpoint_rejected")["reason"] == \
        "Not on Friday."
    body = refused(decide(operator, of, "approve"), 409,
                   "suspension.already_decided")
    assert "lease" not in str(body)
    intent, of, first, second, id = reached(agent)
    assert answer(operator, {"suspension_id": id}, "approve").status_code == \
        200
    assert read(agent, of)["state"] == "active"
    refused(decide(operator, of, "approve", gate="cp-2"), 404,
            "checkpoint.unknown")


def test_T6_only_the_approvers_decide(agent, operator, desk):
    alice, bob = desk("Alice Plan"), desk("Bob Plan", "planners")
    for approvers, may in ((["Alice Plan"], alice), (["planners"], bob),
                           (["Alice Plan", "planners"], bob)):
        of, id = (r := reached(agent, approvers=approvers))[1], r[-1]
        for who in {operator, alice, bob} - {may}:
            if len(approvers) > 1 and who is alice:
                continue
            refused(decide(who, of, "approve"), 403, "suspension.not_yours")
            refused(answer(who, {"suspension_id": id}, "approve"), 403,
                    "suspension.not_yours")
        done = decide(may, of, "approve")
        assert done.status_code == 200, done.text
        assert done.json()["checkpoints"][0]["approvers"] == approvers


def test_H1_two_answers_to_a_checkpoint_at_once(agent, operator,
                                                other_operator):
    for _ in range(10):
        intent, of, first, second, id = reached(agent)
        got = together(lambda: decide(operator, of, "approve"),
                       lambda: decide(other_operator, of, "reject"))
        assert sorted(r.status_code for r in got) == [200, 409]
        won = next(r for r in got if r.status_code == 200).json()
        assert read(agent, of) == won


def test_a_rejection_sends_the_task_back(agent, operator):
    intent, of, first, second, id = reached(agent, on_reject="retry")
    assert read(agent, second)["status"] == "ready"
    assert decide(operator, of, "reject").status_code == 200
    now = read(agent, of)
    assert now["state"] == "active"
    assert now["checkpoints"][0]["status"] == "pending"
    assert now["checkpoints"][0]["suspension_id"] is None
    assert (read(agent, first)["status"], read(agent, first)["attempt"]) == (
        "ready", 2)
    assert read(agent, second)["status"] == "pending"
    move(agent, first, "running", "completed")
    again = read(agent, of)["checkpoints"][0]["suspension_id"]
    assert again not in (None, id)
    assert decide(operator, of, "approve").status_code == 200
    assert read(agent, of)["state"] == "active"


def test_one_checkpoint_after_the_other(agent, operator):
    intent = new_intent(agent, "active")
    first, second = task(agent, intent), task(agent, intent)
    gates = [checkpoint(first, id="a"), checkpoint(first, id="b"),
             checkpoint(first, id="c", requires_approval=False)]
    of = plan(agent, intent, first, second, checkpoints=gates, state="active")
    move(agent, first, "running", "completed")
    assert [c["status"] for c in read(agent, of)["checkpoints"]] == [
        "reached", "pending", "pending"]
    assert decide(operator, of, "approve", "a").status_code == 200
    now = read(agent, of)
    assert now["state"] == "paused"
    assert [c["status"] for c in now["checkpoints"]] == [
        "approved", "reached", "pending"]
    assert decide(operator, of, "approve", "b").status_code == 200
    now = read(agent, of)
    assert now["state"] == "active"
    assert [c["status"] for c in now["checkpoints"]] == [
        "approved", "approved", "reached"]
    move(agent, second, "running", "completed")
    assert read(agent, of)["state"] == "completed"


def test_a_pause_or_a_skip_is_no_way_around(agent):
    intent, of, first, second = gated(agent)
    move(agent, of, "paused")
    move(agent, first, "completed")
    assert read(agent, of)["checkpoints"][0]["status"] == "pending"
    assert move(agent, of, "active")["state"] == "paused"
    intent = new_intent(agent, "active")
    first = task(agent, intent)
    of = plan(agent, intent, first, checkpoints=[checkpoint(first)],
              state="active")
    move(agent, first, "skipped")
    now = read(agent, of)
    assert now["paused_reason"] == "checkpoint"


def test_T8_an_agent_loosens_nothing(agent, operator):
    intent, of, first, second = gated(agent)
    gate = checkpoint(first)
    for sent in ([], [{**gate, "requires_approval": False}],
                 [{**gate, "name": "x"}], [{**gate, "timeout_hours": 1}],
                 [{**gate, "on_timeout": "auto_approve"}],
                 [{**gate, "after_task": second["id"]}]):
        refused(change(agent, of, checkpoints=sent), 403, "checkpoint.sealed")
    refused(change(agent, of, tasks=[second["id"]]), 403, "checkpoint.sealed")
    now = change(agent, of, checkpoints=[
        {**gate, "status": "approved", "approved_by": "me"},
        checkpoint(second, id="cp-2")]).json()
    assert [c["status"] for c in now["checkpoints"]] == ["pending"] * 2
    assert now["checkpoints"][0]["approved_by"] is None
    refused(change(agent, of, state="completed"), 409,
            "plan.awaiting_approval")
    move(agent, first, "completed")
    for state in ("active", "completed"):
        refused(change(agent, of, state=state), 409, "plan.awaiting_approval")
    body = refused(set_status(agent, get(agent, intent), "completed"), 409,
                   "plan.awaiting_approval")
    assert "Look" not in str(body)
    refused(change(operator, of, state="active"), 409,
            "plan.awaiting_approval")
    refused(change(operator, of, checkpoints=[]), 403, "checkpoint.sealed")
    draft = plan(agent, intent, checkpoints=[])
    assert change(agent, draft, checkpoints=[]).status_code == 200


def test_an_agent_requires_an_approval_later(agent, operator):
    intent, of, first, second = gated(agent, requires_approval=False)
    now = change(agent, of, checkpoints=[checkpoint(first)]).json()
    assert now["checkpoints"][0]["requires_approval"] is True
    move(agent, first, "completed")
    assert read(agent, of)["paused_reason"] == "checkpoint"


def test_people_may_loosen(agent, operator):
    intent, of, first, second = gated(agent)
    now = change(operator, of, checkpoints=[
        checkpoint(first, requires_approval=False)]).json()
    assert now["checkpoints"][0]["requires_approval"] is False
    assert change(operator, of, checkpoints=[]).json()["checkpoints"] == []
    move(agent, first, "completed")
    assert read(agent, of)["state"] == "active"


@pytest.mark.parametrize("how", ["plan", "intent"])
def test_a_checkpoint_ends_with_its_plan(agent, operator, how):
    intent, of, first, second, id = reached(agent)
    if how == "plan":
        move(agent, of, "cancelled")
    else:
        assert set_status(agent, get(agent, intent),
                          "abandoned").status_code == 200
    assert question(agent, id)["state"] == "cancelled"
    assert read(agent, of)["state"] == {"plan": "cancelled",
                                        "intent": "failed"}[how]
    refused(decide(operator, of, "approve"), 409,
            "suspension.already_decided")


def test_T9_an_agent_gets_its_own_answer(agent, other_agent, operator):
    intent, id = suspend(agent)
    assert respond(operator, intent, id, "deny").status_code == 200
    agent.post(f"/api/v1/intents/{intent['id']}/agents",
               json={"agent_id": "other-agent"})
    reached(other_agent, intent=intent)
    now = get(agent, intent)
    assert now["state"]["_suspension"]["id"] == id
    assert now["state"]["_suspension"]["response"] == "deny"
    assert now["status"] == "active"


def test_at_most_20_questions_are_open(agent, operator):
    intent, of, first, second = gated(agent)
    for n in range(20):
        r = agent.post(f"/api/v1/intents/{intent['id']}/approvals",
                       json={"action": f"Step {n}", "reason": "x"})
        assert r.status_code == 201, r.text
    refused(change(agent, first, status="completed"), 409,
            "question.too_many")
    assert read(agent, first)["status"] == "running"
    done = operator.post(f"/api/v1/intents/{intent['id']}/approvals/"
                         f"{r.json()['id']}/deny")
    assert done.status_code == 200
    move(agent, first, "completed")
    assert read(agent, of)["paused_reason"] == "checkpoint"


def test_a_checkpoint_counts_as_a_question_of_the_key(server):
    with configured(server, limit_open=1), \
            server.client(headers={"X-API-Key": server.key(
                "agent", "--agent", "planner")}) as client:
        first = reached(client)
        intent, of, one, two = gated(client)
        refused(change(client, one, status="completed"), 429, "limit.open")
        assert read(client, one)["status"] == "running"
        move(client, first[1], "cancelled")
        move(client, one, "completed")


def test_the_severity_is_the_agents_or_higher(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    of = plan(agent, intent, one, checkpoints=[checkpoint(
        one, severity="high", timeout_hours=2.5, on_timeout="auto_approve")])
    gate = of["checkpoints"][0]
    assert gate["severity"] == "high" and gate["timeout_hours"] == 2.5
    assert gate["on_timeout"] == "auto_approve"
    assert gate["on_timeout_enforced"] == "escalate"
    move(agent, of, "active")
    move(agent, one, "running", "completed")
    id = read(agent, of)["checkpoints"][0]["suspension_id"]
    asked = question(agent, id)
    assert asked["severity"] == "high" and asked["expires_at"] is None


# --- At once ------------------------------------------------------------------

def test_the_last_two_tasks_end_at_once(agent):
    for _ in range(10):
        intent = new_intent(agent, "active")
        both = [task(agent, intent) for _ in range(2)]
        of = plan(agent, intent, *both, state="active")
        for one in both:
            move(agent, one, "running")
        got = together(*[lambda one=one: change(agent, one, version=2,
                                                status="completed")
                         for one in both])
        assert [r.status_code for r in got] == [200, 200]
        assert read(agent, of)["state"] == "completed"
        assert kinds(agent, intent).count("plan.completed") == 1


def test_an_approval_meets_the_end_of_its_plan(agent, operator):
    for _ in range(10):
        intent, of, first, second, id = reached(agent)
        got = together(lambda: decide(operator, of, "approve"),
                       lambda: change(agent, of, version=of["version"],
                                      state="cancelled"))
        states = {(200, 409): ("active", "resolved"),
                  (409, 200): ("cancelled", "cancelled")}
        plan_is, question_is = states[tuple(r.status_code for r in got)]
        assert read(agent, of)["state"] == plan_is
        assert question(agent, id)["state"] == question_is


def test_a_task_ends_while_its_intent_is_suspended(agent, operator):
    for _ in range(10):
        intent, of, first, second = gated(agent)
        now = get(agent, intent)
        got = together(
            lambda: change(agent, first, version=2, status="completed"),
            lambda: set_status(agent, now, "suspended_awaiting_input"))
        assert got[1].status_code == 200
        wanted = {200: ("completed", "paused"), 409: ("blocked", "active")}
        assert (read(agent, first)["status"], read(agent, of)["state"]) == \
            wanted[got[0].status_code]
