"""Guardrails of coordinators (OpenIntent RFC-0013): reviews of plans, limits of
tasks, escalations, and the coordinator's right over tasks of others. C3 is the
number of the list of tests that they were planned with."""
import re

import pytest
from kit import (answer, get, made, new_id, new_intent, refused, set_status,
                 together)
from plans import (change, checkpoint, kinds, last, move, plan, reached, read,
                   task)

route = pytest.mark.route


def guarded(client, name="refunds-agent", intent=None, **guardrails):
    """An active intent whose coordinator has these guardrails."""
    intent = intent or new_intent(client, "active")
    more = {"supervisor_id": guardrails.pop("supervisor_id")} \
        if "supervisor_id" in guardrails else {}
    r = client.post("/api/v1/coordinators", json={
        "intent_id": intent["id"], "agent_id": name,
        "heartbeat_interval_seconds": 86400,
        "guardrails": guardrails, **more})
    assert r.status_code in (200, 201), r.text  # 200: renewed
    assert sorted(r.json()["enforced_guardrails"]) == sorted(guardrails)
    return intent


def under_review(client, *names, intent=None, **more):
    """A plan of such tasks that waits for its review."""
    intent = intent or guarded(client, requires_plan_review=True)
    tasks = [task(client, intent, name) for name in names or ["Collect"]]
    one = plan(client, intent, *tasks, **more)
    r = change(client, one, state="active")
    assert r.status_code == 200, r.text
    return intent, r.json(), tasks


def question(client, one):
    r = client.get(f"/api/v1/suspensions/{one['review_suspension_id']}")
    assert r.status_code == 200, r.text
    return r.json()


def decide(client, one, value, **more):
    return answer(client, {"suspension_id": one["review_suspension_id"]},
                  value, **more)


def violation(response, guardrail, limit):
    body = refused(response, 403, "guardrail.violation")
    assert body["detail"]["error"] == "guardrail_violation"
    assert body["detail"]["guardrail"] == guardrail
    assert body["detail"]["limit"] == limit


# --- Reviews ---------------------------------------------------------------

def test_C3_a_plan_waits_for_its_review(agent, operator, person):
    intent, one, [first, second] = under_review(agent, "Collect", "Publish")
    assert (one["state"], one["paused_reason"]) == ("paused", "plan_review")
    assert get(agent, intent)["status"] == "active"
    asked = question(operator, one)
    assert asked["state"] == "pending"
    assert [t["name"] for t in asked["context"]["tasks"]] == ["Collect",
                                                              "Publish"]
    assert [c["value"] for c in asked["choices"]] == [
        "reject", "request_changes", "approve"]
    told = last(agent, intent, "plan.paused")
    assert re.fullmatch("[0-9a-f]{64}", told.pop("asked_sha256"))
    assert told == {"plan_id": one["id"], "reason": "plan_review",
                    "suspension_id": one["review_suspension_id"]}
    # Neither the plan nor what it is about moves meanwhile.
    refused(change(agent, one, state="active"), 409, "plan.awaiting_approval")
    refused(change(agent, one, tasks=[first["id"]]), 409,
            "plan.awaiting_approval")
    refused(change(agent, one, checkpoints=[]), 409, "plan.awaiting_approval")
    refused(change(agent, first, name="Delete all"), 409,
            "plan.awaiting_approval")
    refused(change(agent, first, status="running"), 409)
    refused(agent.post("/api/v1/tasks", json={
        "intent_id": intent["id"], "plan_id": one["id"], "name": "x"}), 409,
        "plan.awaiting_approval")
    refused(set_status(agent, get(agent, intent), "completed"), 409,
            "plan.awaiting_approval")
    refused(decide(agent, one, "approve"), 403)
    page = person("operator").client.get(
        f"/suspensions/{one['review_suspension_id']}")
    assert page.status_code == 200
    assert "Collect" in page.text and "Approve the plan" in page.text
    for words in ("The plan is carried out.",
                  "The plan goes back to its agent as a draft.",
                  "The plan fails, and its open steps are cancelled.",
                  "From the plan, as its agents wrote it"):
        assert words in page.text
    assert "skips this" not in page.text
    assert decide(operator, one, "approve").status_code == 200
    now = read(agent, one)
    assert (now["state"], now["paused_reason"]) == ("active", None)
    assert last(agent, intent, "plan.activated")["plan_id"] == one["id"]
    move(agent, first, "running", "completed")
    move(agent, second, "running", "completed")
    assert read(agent, one)["state"] == "completed"


def test_C3_changes_are_requested(agent, operator, person):
    intent, one, [first] = under_review(agent)
    r = decide(operator, one, "request_changes", reason="Ask Eva first.")
    assert r.status_code == 200, r.text
    now = read(agent, one)
    assert (now["state"], now["paused_reason"]) == ("draft", None)
    assert now["review_reason"] == "Ask Eva first."
    no = last(agent, intent, "plan.checkpoint_rejected")
    assert no["reason"] == "Ask Eva first." and no["checkpoint_id"] is None
    assert no["decision"] == "changes_requested"
    # A draft's tasks are not taken around the review.
    refused(change(agent, first, status="running"), 409,
            "plan.awaiting_approval")
    again = change(agent, one, state="active").json()
    assert again["paused_reason"] == "plan_review"
    assert again["review_suspension_id"] != one["review_suspension_id"]
    assert decide(operator, again, "approve").status_code == 200
    assert read(agent, one)["state"] == "active"
    assert "The plan went back to its agent as a draft." in \
        page_of(person, one)
    assert "The plan is carried out." in page_of(person, again)


def page_of(person, one, **query):
    r = person("operator").client.get(
        f"/suspensions/{one['review_suspension_id']}", params=query)
    assert r.status_code == 200
    return r.text


def test_C3_a_rejection_fails_the_plan(agent, operator, person):
    intent, one, [first] = under_review(agent)
    assert " gets your rejection, and the plan fails." in \
        page_of(person, one, choice="reject")
    assert decide(operator, one, "reject").status_code == 200
    assert "The plan failed." in page_of(person, one)
    assert read(agent, one)["state"] == "failed"
    assert read(agent, first)["status"] == "cancelled"
    refused(decide(operator, one, "approve"), 409)


@pytest.mark.parametrize("how", ["cancelled", "intent"])
def test_C3_the_question_ends_with_the_plan(agent, operator, how):
    intent, one, _ = under_review(agent)
    if how == "intent":
        done = set_status(agent, get(agent, intent), "abandoned")
    else:
        done = change(agent, one, state="cancelled")
    assert done.status_code == 200, done.text
    assert question(operator, one)["state"] == "cancelled"
    refused(decide(operator, one, "approve"), 409)


def test_C3_a_plan_that_is_made_active(agent, operator):
    intent = guarded(agent, requires_plan_review=True)
    one = plan(agent, intent, task(agent, intent), state="active")
    assert one["paused_reason"] == "plan_review"
    # A person needs no review.
    other = plan(operator, intent, task(operator, intent), state="active")
    assert other["state"] == "active"


def test_C3_the_agent_does_not_take_the_question_back(agent, operator):
    _, one, _ = under_review(agent)
    refused(agent.post("/api/v1/suspensions/"
                       f"{one['review_suspension_id']}/cancel"), 403,
            "checkpoint.sealed")


def test_C3_the_supervisor_reviews(server, agent, operator):
    name = f"lead-{new_id()[:8]}"
    key = server.key("operator", label=name)
    intent = guarded(agent, requires_plan_review=True, supervisor_id=name)
    _, one, _ = under_review(agent, intent=intent)
    wanted = question(operator, one)["responder"]
    assert (wanted["mode"], wanted["who"]) == ("named", name)
    refused(decide(operator, one, "approve"), 403, "suspension.not_yours")
    with server.client(headers={"X-API-Key": key}) as lead:
        assert decide(lead, one, "approve").status_code == 200
    # One that is nobody leaves it to the operators.
    intent = guarded(agent, requires_plan_review=True, supervisor_id="nobody")
    _, one, _ = under_review(agent, intent=intent)
    assert decide(operator, one, "approve").status_code == 200


def new_child(client, intent):
    return made(client.post(f"/api/v1/intents/{intent['id']}/children",
                            json={"title": "Below", "status": "active"}))


def leads(server, n):
    """The names of new operators."""
    names = [f"lead-{new_id()[:8]}" for _ in range(n)]
    for name in names:
        server.key("operator", label=name)
    return names


def test_the_supervisor_is_a_persons_choice(server, agent, operator):
    top_lead, lead, friend = leads(server, 3)
    top = guarded(operator, requires_plan_review=True, supervisor_id=top_lead)
    middle = guarded(operator, intent=new_child(agent, top),
                     max_tasks_per_plan=9, supervisor_id=lead)
    intent = guarded(agent, intent=new_child(agent, middle),
                     checkpoint_timeout_hours=3, supervisor_id=friend)
    _, one, _ = under_review(agent, intent=intent)
    wanted = question(operator, one)["responder"]
    assert (wanted["mode"], wanted["who"]) == ("named", lead)
    # One that a person left open is open.
    top = guarded(operator, requires_plan_review=True)
    intent = guarded(agent, intent=new_child(agent, top), supervisor_id=friend)
    _, one, _ = under_review(agent, intent=intent)
    assert question(operator, one)["responder"]["mode"] == "operators"


def test_the_supervisor_is_the_nearest_that_is_named(server, agent, operator):
    far, near = leads(server, 2)
    top = guarded(agent, requires_plan_review=True, supervisor_id=far)
    middle = guarded(agent, intent=new_child(agent, top),
                     max_tasks_per_plan=9, supervisor_id=near)
    intent = guarded(agent, intent=new_child(agent, middle),
                     checkpoint_timeout_hours=3)
    _, one, _ = under_review(agent, intent=intent)
    assert question(operator, one)["responder"]["who"] == near


def test_silence_tells_the_supervisor_of_a_person(server, agent, operator):
    lead, friend = leads(server, 2)
    top = guarded(operator, checkpoint_timeout_hours=3, supervisor_id=lead)
    intent = guarded(agent, intent=new_child(agent, top), supervisor_id=friend)
    *_, id = reached(agent, intent=intent)
    with server.database() as db:
        [policy] = db.execute("SELECT retry_policy FROM suspension"
                              " WHERE id = %s", [id]).fetchone()
    assert lead in policy and friend not in policy


def test_the_coordinators_of_people_count_below_many(agent, operator):
    intent = guarded(operator, max_tasks_per_plan=1)
    for _ in range(14):
        intent = guarded(agent, intent=new_child(agent, intent))
    tasks = [task(agent, intent) for _ in range(2)]
    violation(agent.post("/api/v1/plans", json={
        "intent_id": intent["id"], "tasks": [t["id"] for t in tasks]}),
        "max_tasks_per_plan", 1)


def test_C3_a_checkpoint_after_the_review(agent, operator):
    intent = guarded(agent, requires_plan_review=True)
    first = task(agent, intent)
    one = plan(agent, intent, first, checkpoints=[checkpoint(first)])
    move(agent, first, "skipped")
    one = move(agent, one, "active")
    assert decide(operator, one, "approve").status_code == 200
    now = read(agent, one)
    assert (now["state"], now["paused_reason"]) == ("paused", "checkpoint")
    assert now["checkpoints"][0]["suspension_id"]


def test_a_changed_plan_is_reviewed_again(agent, operator):
    intent = guarded(agent, requires_replan_review=True)
    first, second = task(agent, intent), task(agent, intent, "Publish")
    one = plan(agent, intent, first, state="active")
    assert one["state"] == "active"
    same = change(agent, one, tasks=[first["id"]]).json()
    assert same["state"] == "active"
    one = change(agent, one, tasks=[first["id"], second["id"]]).json()
    assert (one["state"], one["paused_reason"]) == ("paused", "plan_review")
    assert question(operator, one)["context"]["was_active"] is True
    assert decide(operator, one, "approve").status_code == 200
    assert last(agent, intent, "plan.resumed")["plan_id"] == one["id"]
    one = read(agent, one)
    one = change(agent, one, checkpoints=[checkpoint(second)]).json()
    assert one["paused_reason"] == "plan_review"
    assert decide(operator, one, "approve").status_code == 200
    task(agent, intent, "One more", plan_id=one["id"])
    one = read(agent, one)
    assert one["paused_reason"] == "plan_review"
    # Not while its agent pauses it either.
    assert decide(operator, one, "approve").status_code == 200
    move(agent, one, "paused")
    one = change(agent, one, tasks=[first["id"]] + [second["id"]]).json()
    assert one["paused_reason"] == "plan_review"


def replanned(client, *names):
    """An active plan of such tasks that an approval made active."""
    intent = guarded(client, requires_plan_review=True,
                     requires_replan_review=True)
    return under_review(client, *names, intent=intent)


@pytest.mark.parametrize("body", [
    {"name": "Delete all"}, {"description": "Delete all of it."},
    {"input": {"table": "customers"}}, {"depends_on": []},
    {"assigned_agent": "other-agent"}, {"permissions": "all"},
    {"requires_tools": ["drop"]}])
def test_a_changed_task_is_reviewed_again(agent, operator, body):
    intent, one, [first, second] = replanned(agent, "Collect", "Publish")
    assert decide(operator, one, "request_changes").status_code == 200
    second = change(agent, second, depends_on=[first["id"]]).json()
    one = move(agent, read(agent, one), "active")
    assert decide(operator, one, "approve").status_code == 200
    # Members that are sent as they are change nothing.
    same = {k: second[k] for k in ("name", "description", "input", "priority",
                                   "depends_on", "permissions")}
    change(agent, second, **same, metadata={"done": 0.5})
    assert read(agent, one)["state"] == "active"
    r = change(agent, second, **body)
    assert r.status_code == 200, r.text
    one = read(agent, one)
    assert (one["state"], one["paused_reason"]) == ("paused", "plan_review")
    assert question(operator, one)["context"]["was_active"] is True
    refused(change(agent, first, status="running"), 409,
            "plan.awaiting_approval")
    assert decide(operator, one, "approve").status_code == 200
    assert read(agent, one)["state"] == "active"
    # A person's change needs no review.
    assert change(operator, second, name="Tell").status_code == 200
    assert read(agent, one)["state"] == "active"


def test_a_task_that_runs_is_reviewed_again(agent, operator):
    intent, one, [first, second] = replanned(agent, "Collect", "Publish")
    assert decide(operator, one, "approve").status_code == 200
    move(agent, first, "running", max_attempts=1)
    # A call changes or moves it.
    for status in ("completed", "failed"):
        refused(change(agent, first, status=status, input={"rows": 7}), 409,
                "plan.awaiting_approval")
    assert read(agent, first)["input"] == {}
    assert change(agent, first, input={"rows": 7}).status_code == 200
    one = read(agent, one)
    assert one["paused_reason"] == "plan_review"
    # People look at it, and what runs goes on.
    refused(change(agent, first, name="Delete all"), 409,
            "plan.awaiting_approval")
    move(agent, first, "completed", output={"found": 3})
    assert decide(operator, one, "approve").status_code == 200
    assert read(agent, one)["state"] == "active"


def test_the_supervisor_reviews_a_changed_task(server, agent, operator):
    name = f"lead-{new_id()[:8]}"
    server.key("operator", label=name)
    intent = guarded(agent, requires_replan_review=True, supervisor_id=name)
    first = task(agent, intent)
    one = plan(agent, intent, first, state="active")
    assert change(agent, first, name="Delete all").status_code == 200
    wanted = question(operator, read(agent, one))["responder"]
    assert (wanted["mode"], wanted["who"]) == ("named", name)


def test_a_running_task_while_its_plan_is_reviewed(agent):
    intent = guarded(agent, requires_plan_review=True)
    first = task(agent, intent)
    move(agent, first, "running")
    one = plan(agent, intent, first, state="active")
    assert one["paused_reason"] == "plan_review"
    refused(change(agent, first, name="Delete all"), 409,
            "plan.awaiting_approval")
    assert change(agent, first, metadata={"done": 0.5}).status_code == 200


def test_changes_that_were_requested_are_reviewed(agent, operator):
    intent = guarded(agent, requires_replan_review=True)
    first = task(agent, intent)
    one = plan(agent, intent, first, state="active")
    assert change(agent, first, name="Delete all").status_code == 200
    one = read(agent, one)
    assert decide(operator, one, "request_changes").status_code == 200
    assert read(agent, one)["state"] == "draft"
    refused(change(agent, first, status="running"), 409,
            "plan.awaiting_approval")
    one = move(agent, one, "active")
    assert one["paused_reason"] == "plan_review"
    assert decide(operator, one, "approve").status_code == 200
    move(agent, first, "running")


def test_a_change_while_a_checkpoint_asks(agent):
    intent = guarded(agent, requires_replan_review=True)
    intent, one, _, second, _ = reached(agent, intent=intent)
    refused(agent.post("/api/v1/tasks", json={
        "intent_id": intent["id"], "plan_id": one["id"], "name": "x"}), 409,
        "plan.awaiting_approval")
    assert len(read(agent, one)["tasks"]) == 2


def test_H1_two_answers_to_a_review_at_once(agent, operator, other_operator):
    for _ in range(10):
        intent, one, _ = under_review(agent)
        got = together(lambda: decide(operator, one, "approve"),
                       lambda: decide(other_operator, one, "reject"))
        assert sorted(r.status_code for r in got) == [200, 409]
        now = read(agent, one)["state"]
        assert now == ("active" if got[0].status_code == 200 else "failed")


# --- Limits ------------------------------------------------------------------

def test_the_tasks_of_a_plan(agent, operator):
    intent = guarded(agent, max_tasks_per_plan=2)
    tasks = [task(agent, intent) for _ in range(3)]
    r = agent.post("/api/v1/plans", json={
        "intent_id": intent["id"], "tasks": [t["id"] for t in tasks]})
    violation(r, "max_tasks_per_plan", 2)
    one = plan(agent, intent, *tasks[:2])
    violation(change(agent, one, tasks=[t["id"] for t in tasks]),
              "max_tasks_per_plan", 2)
    violation(agent.post("/api/v1/tasks", json={
        "intent_id": intent["id"], "plan_id": one["id"], "name": "x"}),
        "max_tasks_per_plan", 2)
    assert change(operator, one,
                  tasks=[t["id"] for t in tasks]).status_code == 200


def test_the_tasks_that_run_at_once(agent, operator):
    intent = guarded(agent, max_concurrent_tasks=1)
    one, two = task(agent, intent), task(agent, intent)
    move(agent, one, "claimed")
    for step in ("claimed", "running"):
        violation(change(agent, two, status=step), "max_concurrent_tasks", 1)
    move(agent, one, "running")
    move(agent, one, "completed")
    move(agent, two, "running")


def test_the_strictest_counts(agent):
    top = guarded(agent, max_tasks_per_plan=1, max_concurrent_tasks=9)
    r = agent.post(f"/api/v1/intents/{top['id']}/children",
                   json={"title": "Below"})
    assert r.status_code == 201, r.text
    intent = guarded(agent, intent=r.json(), max_tasks_per_plan=5)
    tasks = [task(agent, intent) for _ in range(2)]
    violation(agent.post("/api/v1/plans", json={
        "intent_id": intent["id"], "tasks": [t["id"] for t in tasks]}),
        "max_tasks_per_plan", 1)


def test_failures_escalate(agent, operator):
    intent = guarded(agent, auto_escalate_after_failures=2)
    one = task(agent, intent, max_attempts=5)
    plan(agent, intent, one, state="active")

    def asked():
        r = operator.get("/api/v1/escalations",
                         params={"intent_id": intent["id"]})
        return r.json()["escalations"]

    move(agent, one, "running", "failed")
    assert asked() == []
    move(agent, one, "ready", "running", "failed")
    [escalation] = asked()
    assert escalation["priority"] == "high"
    move(agent, one, "ready", "running", "failed")
    assert len(asked()) == 1


@pytest.mark.parametrize("late", [False, True])
def test_failures_over_the_limit_escalate_once(agent, operator, late):
    """A limit that was set late, or lowered, below the failures so far."""
    intent = new_intent(agent, "active")
    if not late:
        guarded(agent, intent=intent, auto_escalate_after_failures=5)
    one = task(agent, intent, max_attempts=9)
    plan(agent, intent, one, state="active")

    def asked():
        return len(operator.get("/api/v1/escalations", params={
            "intent_id": intent["id"]}).json()["escalations"])

    move(agent, one, "running", "failed")
    for _ in range(2):
        move(agent, one, "ready", "running", "failed")
    assert asked() == 0
    guarded(agent, intent=intent, auto_escalate_after_failures=2)
    for _ in range(3):
        move(agent, one, "ready", "running", "failed")
        assert asked() == 1


def test_the_time_of_a_checkpoint(agent, operator):
    intent = guarded(agent, checkpoint_timeout_hours=3, supervisor_id="eva")
    *_, id = reached(agent, intent=intent, on_timeout="fail")
    of = operator.get(f"/api/v1/suspensions/{id}").json()
    assert of["expires_at"]
    intent = guarded(agent, checkpoint_timeout_hours=3)
    *_, id = reached(agent, intent=intent, on_timeout="fail",
                     timeout_hours=1)
    less = operator.get(f"/api/v1/suspensions/{id}").json()
    assert less["expires_at"] < of["expires_at"]


# --- The coordinator and the tasks of others ---------------------------------

def test_a_coordinator_moves_the_tasks_of_others(agent, other_agent, operator):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    move(agent, one, "running")
    refused(change(other_agent, one, status="completed"), 403,
            "task.not_yours")
    guarded(operator, "other-agent", intent=intent)
    move(other_agent, one, "completed")
    assert kinds(agent, intent)[-1] == "task.completed"


def test_a_portfolios_coordinator_moves_them_too(agent, other_agent,
                                                 operator):
    intent = new_intent(agent, "active")
    p = agent.post("/api/v1/portfolios", json={"name": "x"}).json()
    agent.post(f"/api/v1/portfolios/{p['id']}/intents",
               json={"intent_id": intent["id"]})
    r = operator.post("/api/v1/coordinators", json={
        "portfolio_id": p["id"], "agent_id": "other-agent",
        "heartbeat_interval_seconds": 86400,
        "guardrails": {"max_tasks_per_plan": 1}})
    assert r.status_code == 201, r.text
    one, two = task(agent, intent), task(agent, intent)
    move(agent, one, "running")
    move(other_agent, one, "completed")
    violation(agent.post("/api/v1/plans", json={
        "intent_id": intent["id"], "tasks": [one["id"], two["id"]]}),
        "max_tasks_per_plan", 1)
