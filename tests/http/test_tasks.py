"""Tasks of OpenIntent (RFC-0012), and what a suspension does to them. The
numbers are those of the list of tests that they were planned with."""
import pytest
from kit import (ANY_ID, answer, ask, get, new_id, new_intent, refused,
                 set_status)
from plans import (TASKS, change, kinds, last, made, move, plan, read, task,
                   unknown_ids)

route = pytest.mark.route


# --- Making and reading ----------------------------------------------------

@route("POST /api/v1/tasks")
@route("GET /api/v1/tasks/{id}")
@route("GET /api/v1/intents/{id}/tasks")
def test_a_task_is_made_and_read(agent, operator):
    intent = new_intent(agent, "active")
    one = task(agent, intent, input={"rows": 7}, capabilities_required=["sql"],
               unknown_member=1)
    assert one["status"] == "ready" and one["version"] == 1
    assert one["input"] == {"rows": 7} and one["artifacts"] == []
    assert one["priority"] == "normal" and one["permissions"] == "inherit"
    assert one["metadata"] == {} and one["output"] is None
    assert read(agent, one) == one
    two = task(agent, intent, "Publish", depends_on=[one["id"]])
    assert two["status"] == "pending"
    assert read(agent, one)["blocks"] == [two["id"]]
    path = f"/api/v1/intents/{intent['id']}/tasks"
    listed = operator.get(path).json()
    assert [t["id"] for t in listed] == [one["id"], two["id"]]
    assert [t["id"] for t in agent.get(
        path, params={"status": "pending", "limit": 1}).json()] == [two["id"]]
    assert agent.get(path, params={"offset": 2}).json() == []
    refused(agent.get(path, params={"status": "asleep"}), 400,
            "request.query", "status")
    assert kinds(agent, intent) == ["task.created", "task.created"]
    assert last(agent, intent, "task.created")["name"] == "Publish"
    # The intent is not another one for it.
    assert get(agent, intent)["version"] == intent["version"]


def test_a_task_that_is_sent_again_is_made_once(agent):
    intent = new_intent(agent, "active")
    headers = {"Idempotency-Key": new_id()}
    body = {"intent_id": intent["id"], "name": "Collect"}
    got = [agent.post(TASKS, json=body, headers=headers) for _ in range(2)]
    assert got[0].text == got[1].text
    assert got[1].headers["Location"] == got[0].headers["Location"]
    assert kinds(agent, intent) == ["task.created"]


@pytest.mark.parametrize("body, status, code, at", [
    ({}, 422, "field.missing", "name"),
    ({"name": " "}, 422, "field.empty", "name"),
    ({"name": "x" * 201}, 422, "field.too_long", "name"),
    ({"name": "x", "input": []}, 422, "field.type", "input"),
    ({"name": "x", "artifacts": {}}, 422, "field.type", "artifacts"),
    ({"name": "x", "max_attempts": 0}, 422, "field.range", "max_attempts"),
    ({"name": "x", "depends_on": ["x"]}, 422, "field.value", "depends_on"),
    ({"name": "x", "depends_on": [ANY_ID] * 2}, 422, "field.value",
     "depends_on"),
    ({"name": "x", "depends_on": [ANY_ID]}, 422, "task.unknown",
     "depends_on"),
    ({"name": "x", "plan_id": ANY_ID}, 422, "plan.unknown", "plan_id"),
    ({"name": "x", "assigned_agent": "a b"}, 422, "field.value",
     "assigned_agent"),
    ({"name": "x", "input": {"x": "x" * 140000}}, 413, "task.too_large",
     None)])
def test_a_task_that_cannot_be_made(agent, body, status, code, at):
    intent = new_intent(agent, "active")
    refused(agent.post(TASKS, json={"intent_id": intent["id"], **body}),
            status, code, at)
    assert kinds(agent, intent) == []


def test_tasks_that_are_not_there(agent):
    refused(agent.post(TASKS, json={"intent_id": ANY_ID, "name": "x"}), 404,
            "intent.unknown")
    refused(agent.post(TASKS, json={"name": "x"}), 422, "field.missing",
            "intent_id")
    for id in unknown_ids():
        refused(agent.get(f"{TASKS}/{id}"), 404, "task.unknown")
        refused(agent.patch(f"{TASKS}/{id}", json={},
                            headers={"If-Match": "1"}), 404, "task.unknown")
    refused(agent.get(f"/api/v1/intents/{ANY_ID}/tasks"), 404,
            "intent.unknown")


def test_an_ended_intent_takes_no_task(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    done = new_intent(agent, "completed")
    refused(agent.post(TASKS, json={"intent_id": done["id"], "name": "x"}),
            409, "intent.ended")
    assert set_status(agent, intent, "completed").status_code == 200
    assert read(agent, one)["status"] == "cancelled"
    refused(change(agent, one, status="ready"), 409, "intent.ended")


def test_an_intent_has_at_most_200_tasks(agent, server):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    with server.database() as db:
        db.execute("""
            INSERT INTO task (id, intent_id, name, version, status,
                              depends_on, attempt, max_attempts, facts,
                              created_at)
            SELECT gen_random_uuid(), %s, 'x', 1, 'ready', '[]', 1, 3, '{}',
                   now() FROM generate_series(2, 200)""", [intent["id"]])
    refused(agent.post(TASKS, json={"intent_id": intent["id"], "name": "x"}),
            409, "task.too_many")
    move(agent, one, "running")
    # All of them end with the intent, in one event.
    assert set_status(agent, intent, "abandoned").status_code == 200
    assert len(last(agent, intent, "task.cancelled")["task_ids"]) == 200


def test_the_tasks_of_an_intent_have_4_MB(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    large = {"x": [[n] for n in range(13000)]}  # its tree is far larger
    for n in range(60):
        r = agent.post(TASKS, json={"intent_id": intent["id"], "name": "x",
                                    "input": large})
        if r.status_code != 201:
            break
    refused(r, 413, "task.too_large")
    refused(change(agent, one, input=large), 413, "task.too_large")
    r = agent.get(f"/api/v1/intents/{intent['id']}/tasks")
    assert r.status_code == 200 and len(r.json()) == n + 1


# --- Changing --------------------------------------------------------------

@route("PATCH /api/v1/tasks/{id}")
def test_a_task_runs_to_its_end(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    two = task(agent, intent, "Publish", depends_on=[one["id"]])
    now = move(agent, one, "claimed")
    assert now["assigned_agent"] == "refunds-agent" and now["version"] == 2
    now = move(agent, one, "running")
    assert now["started_at"]
    now = move(agent, one, "completed", output={"found": 3},
               artifacts=["a.csv"])
    assert now["output"] == {"found": 3} and now["completed_at"]
    assert read(agent, two)["status"] == "ready"
    assert kinds(agent, intent) == [
        "task.created", "task.created", "task.claimed", "task.started",
        "task.completed", "task.ready"]
    told = last(agent, intent, "task.completed")
    assert told["output"] == {"found": 3} and told["artifacts"] == ["a.csv"]
    assert last(agent, intent, "task.ready")["resolved_dependencies"] == [
        one["id"]]
    move(agent, two, "running")
    assert kinds(agent, intent)[-2:] == ["task.claimed", "task.started"]


def test_a_task_changes_in_the_version_that_was_read(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    path = f"{TASKS}/{one['id']}"
    refused(agent.patch(path, json={"status": "claimed"}), 428,
            "request.precondition")
    refused(agent.patch(path, json={}, headers={"If-Match": "x"}), 400,
            "request.if_match")
    body = refused(change(agent, one, version=7, status="claimed"), 409,
                   "task.version")
    assert body["current_version"] == 1
    assert "lease" not in str(body)
    now = change(agent, one, name="Gather", metadata={"a": 1},
                 description=None, depends_on=[]).json()
    assert (now["name"], now["metadata"]) == ("Gather", {"a": 1})
    refused(change(agent, one, name=" "), 422, "field.empty", "name")
    refused(change(agent, one, status="asleep"), 422, "field.value", "status")
    refused(change(agent, one, assigned_agent="a b"), 422, "field.value",
            "assigned_agent")


@pytest.mark.parametrize("steps, to, code", [
    ([], "completed", "task.transition"), ([], "failed", "task.transition"),
    ([], "pending", "task.transition"),
    (["running"], "skipped", "task.transition"),
    (["running", "completed"], "cancelled", "task.transition"),
    (["cancelled"], "ready", "task.transition"),
    (["skipped"], "ready", "task.transition")])
def test_moves_that_are_not_there(agent, steps, to, code):
    one = task(agent, new_intent(agent, "active"))
    move(agent, one, *steps)
    refused(change(agent, one, status=to), 409, code)


def test_a_task_waits_for_another(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    two = task(agent, intent, depends_on=[one["id"]])
    refused(change(agent, two, status="ready"), 409, "task.waiting")
    refused(change(agent, two, status="running"), 409, "task.transition")
    refused(change(agent, one, depends_on=[two["id"]]), 400, "task.cycle",
            "depends_on")
    refused(change(agent, one, depends_on=[one["id"]]), 400, "task.cycle",
            "depends_on")
    move(agent, one, "running")
    refused(change(agent, one, depends_on=[]), 409, "task.transition")
    assert change(agent, two, depends_on=[]).json()["status"] == "ready"
    move(agent, two, "claimed", "ready")
    assert read(agent, two)["assigned_agent"] is None


@pytest.mark.parametrize("client", ["agent", "operator"])
def test_what_an_ended_task_was_about_is_settled(request, agent, client):
    client = request.getfixturevalue(client)
    intent = new_intent(agent, "active")
    done = task(agent, intent, max_attempts=1)
    move(agent, done, "running", "completed", output={"found": 3})
    skipped, lost = task(agent, intent), task(agent, intent, max_attempts=1)
    move(agent, skipped, "skipped")
    move(agent, lost, "running", "failed")
    for one in (done, skipped, lost):
        for body in ({"name": "Gather"}, {"input": {"rows": 7}},
                     {"description": "All of it."},
                     {"assigned_agent": "x-agent"}):
            refused(change(client, one, **body), 409, "task.transition")
    for one in (done, skipped):
        refused(change(client, one, output={"found": 4}), 409,
                "task.transition")
    now = change(client, done, name="Collect", output={"found": 3},
                 metadata={"seen": True}).json()
    assert (now["name"], now["metadata"]) == ("Collect", {"seen": True})


def test_a_task_fails_and_is_tried_again(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent, max_attempts=2)
    move(agent, one, "running", "failed", error="The bank is closed.")
    assert last(agent, intent, "task.failed")["will_retry"] is True
    now = move(agent, one, "ready", input={"bank": "another"})
    assert (now["attempt"], now["input"]) == (2, {"bank": "another"})
    move(agent, one, "running", "failed")
    assert last(agent, intent, "task.failed") == {
        "task_id": one["id"], "error": "The bank is closed.", "attempt": 2,
        "will_retry": False}
    refused(change(agent, one, status="ready"), 409, "task.transition")


def test_an_agent_blocks_its_task_itself(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    now = move(agent, one, "running", "blocked",
               blocked_reason="intent_suspended")
    assert now["blocked_reason"] == "intent_suspended"
    assert now["suspended_intent_id"] is None
    assert move(agent, one, "running")["blocked_reason"] is None


def test_T4_a_task_is_its_agents(agent, other_agent, operator):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    agent.post(f"/api/v1/intents/{intent['id']}/agents",
               json={"agent_id": "other-agent"})
    move(agent, one, "running")
    refused(change(other_agent, one, status="completed"), 403,
            "task.not_yours")
    refused(change(other_agent, one, metadata={"a": 1}), 403,
            "task.not_yours")
    move(operator, one, "completed")
    # It is handed to the one that the body names.
    two = task(agent, intent)
    assert move(agent, two, "claimed", assigned_agent="other-agent")[
        "assigned_agent"] == "other-agent"
    refused(change(agent, two, status="running"), 403, "task.not_yours")
    move(other_agent, two, "running")


def test_W1_W2_a_task_declares_inputs_and_outputs(agent, operator):
    first = new_intent(agent, "active", title="Research")
    r = agent.post("/api/v1/intents", json={
        "title": "Write", "depends_on": [first["id"]]})
    intent = r.json()
    io = {"_io_inputs": {"findings": "Research.findings"},
          "_io_outputs": {"text": "string"}}
    one = task(agent, intent, input=io)
    asked = ask(agent, intent_id=first["id"])
    body = refused(change(agent, one, status="claimed"), 422,
                   "io.upstream_suspended")
    assert body["detail"]["task_id"] == one["id"]
    assert answer(operator, asked).status_code == 200
    refused(change(agent, one, status="running"), 422, "io.unresolvable")
    assert read(agent, one)["status"] == "ready"
    r = agent.post(f"/api/v1/intents/{first['id']}/state",
                   json={"state": {"findings": 3}}, headers={
                       "If-Match": str(get(agent, first)["version"])})
    assert r.status_code == 200, r.text
    assert set_status(agent, r.json(), "completed").status_code == 200
    move(agent, one, "running")
    refused(change(agent, one, status="completed"), 422, "io.missing_output")
    refused(change(agent, one, status="completed", output={"text": 1}), 422,
            "io.type")
    assert read(agent, one)["status"] == "running"
    move(agent, one, "completed", output={"text": "x"})


def test_a_policy_that_lets_only_assigned_agents_write(agent):
    intent = new_intent(agent, "draft", governance_policy={
        "write_scope": "assigned_only"})
    refused(agent.post(TASKS, json={"intent_id": intent["id"], "name": "x"}),
            403, "governance.violation")
    r = agent.post(f"/api/v1/intents/{intent['id']}/agents",
                   json={"agent_id": "refunds-agent"})
    assert r.status_code in (200, 201), r.text
    task(agent, intent)


# --- The mirror ------------------------------------------------------------

def both(agent, other_agent):
    """An intent on which two agents each run a task."""
    intent = new_intent(agent, "active")
    agent.post(f"/api/v1/intents/{intent['id']}/agents",
               json={"agent_id": "other-agent"})
    mine, other = task(agent, intent), task(agent, intent)
    move(agent, mine, "running")
    move(other_agent, other, "running")
    return intent, mine, other


def test_T1_a_running_task_waits_for_the_answer(agent, operator):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    of = plan(agent, intent, one, state="active")
    move(agent, one, "running")
    asked = ask(agent, intent_id=intent["id"], timeout_seconds=3600)
    now = read(agent, one)
    assert now["status"] == "blocked"
    assert now["blocked_reason"] == "intent_suspended"
    assert now["suspended_intent_id"] == intent["id"]
    [row] = read(agent, of)["progress"]["suspended_tasks"]
    assert row["task_id"] == one["id"] and row["intent_id"] == intent["id"]
    assert row["expires_at"] == asked["expires_at"].rstrip("Z")
    told = last(agent, intent, "task.blocked")
    assert told["reason"] == "intent_suspended"
    assert told["blocked_by"] == told["suspended_intent_id"] == intent["id"]
    assert told["suspension_id"] == asked["suspension_id"]
    refused(change(agent, one, status="running"), 409, "task.suspended")
    assert answer(operator, asked).status_code == 200
    now = read(agent, one)
    assert (now["status"], now["blocked_reason"]) == ("running", None)
    assert now["suspended_intent_id"] is None
    assert read(agent, of)["progress"]["suspended_tasks"] == []
    assert last(agent, intent, "task.unblocked") == {
        "task_id": one["id"], "task_ids": [one["id"]],
        "resolution": "responded"}


def test_T1_a_status_call_blocks_and_frees_too(agent, operator):
    intent = new_intent(agent, "active")
    one, waiting = task(agent, intent), task(agent, intent)
    move(agent, one, "running")
    assert set_status(agent, intent,
                      "suspended_awaiting_input").status_code == 200
    assert read(agent, one)["blocked_reason"] == "intent_suspended"
    refused(change(agent, waiting, status="claimed"), 409, "intent.suspended")
    assert set_status(operator, get(agent, intent),
                      "active").status_code == 200
    assert read(agent, one)["status"] == "running"


def test_T2_only_the_tasks_of_who_asks_are_blocked(agent, other_agent,
                                                   operator):
    intent, mine, other = both(agent, other_agent)
    asked = ask(agent, intent_id=intent["id"])
    assert read(agent, mine)["status"] == "blocked"
    assert read(agent, other)["status"] == "running"
    assert last(agent, intent, "task.blocked")["task_ids"] == [mine["id"]]
    assert answer(operator, asked).status_code == 200
    move(agent, mine, "completed")
    # None of its own runs: all of them are blocked.
    ask(agent, intent_id=intent["id"])
    assert read(agent, other)["status"] == "blocked"


def test_T3_a_task_waits_for_a_dependency_of_its_intent(agent, operator):
    intent, first = new_intent(agent, "active"), new_intent(agent, "active")
    one = task(agent, intent)
    move(agent, one, "running")
    asked = ask(agent, intent_id=intent["id"])
    r = agent.post(f"/api/v1/intents/{intent['id']}/dependencies",
                   json={"dependency_id": first["id"]},
                   headers={"If-Match": str(get(agent, intent)["version"])})
    assert r.status_code == 200, r.text
    assert answer(operator, asked).status_code == 200
    now = read(agent, one)
    assert now["status"] == "blocked"
    assert now["blocked_reason"] == "dependencies_open"
    refused(change(agent, one, status="running"), 409, "task.suspended")
    assert set_status(agent, first, "completed").status_code == 200
    assert get(agent, intent)["status"] == "active"
    assert read(agent, one)["status"] == "running"
    assert last(agent, intent, "task.unblocked")["resolution"] == \
        "dependencies_completed"


@pytest.mark.parametrize("how", ["stop", "abandoned"])
def test_T3_tasks_and_plans_end_with_the_intent(agent, operator, how):
    intent = new_intent(agent, "active")
    one, two = task(agent, intent), task(agent, intent)
    of = plan(agent, intent, one, two, state="active")
    move(agent, one, "running")
    asked = ask(agent, intent_id=intent["id"], choices=[
        {"value": "go", "label": "Go on"},
        {"value": "stop", "label": "Stop", "effect": "stop_task"}])
    if how == "stop":
        assert answer(operator, asked, "stop").status_code == 200
    else:
        assert set_status(agent, get(agent, intent),
                          "abandoned").status_code == 200
    assert {read(agent, t)["status"] for t in (one, two)} == {"cancelled"}
    assert read(agent, of)["state"] == "failed"
    assert last(agent, intent, "task.cancelled") == {
        "task_id": one["id"], "task_ids": [one["id"], two["id"]],
        "reason": "intent_abandoned"}
    assert last(agent, intent, "plan.failed")["plan_id"] == of["id"]
    assert kinds(agent, intent).count("task.cancelled") == 1


def test_a_withdrawn_question_frees_the_task(agent):
    intent = new_intent(agent, "active")
    one = task(agent, intent)
    move(agent, one, "running")
    asked = ask(agent, intent_id=intent["id"])
    r = agent.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel")
    assert r.status_code == 200
    assert read(agent, one)["status"] == "running"
    assert last(agent, intent, "task.unblocked")["resolution"] == "cancelled"


def test_no_agent_writes_the_events_of_tasks(agent):
    intent = new_intent(agent, "active")
    for event_type in ("task.completed", "plan.resumed"):
        refused(agent.post(f"/api/v1/intents/{intent['id']}/events", json={
            "event_type": event_type, "payload": {}}), 403,
            "event.servers_own")
    made(agent.post(f"/api/v1/intents/{intent['id']}/events", json={
        "event_type": "task.progress", "payload": {"done": 0.5}}))
