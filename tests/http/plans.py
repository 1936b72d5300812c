"""Tasks and plans of OpenIntent over HTTP: what their tests share."""
from kit import events, made, new_id, new_intent

TASKS, PLANS = "/api/v1/tasks", "/api/v1/plans"


def read(client, thing):
    """A task or a plan as it is now."""
    path = PLANS if "checkpoints" in thing else TASKS
    r = client.get(f"{path}/{thing['id']}")
    assert r.status_code == 200, r.text
    return r.json()


def task(client, intent, name="Collect", **more):
    return made(client.post(TASKS, json={"intent_id": intent["id"],
                                         "name": name, **more}))


def plan(client, intent, *tasks, **more):
    return made(client.post(PLANS, json={
        "intent_id": intent["id"], "tasks": [t["id"] for t in tasks], **more}))


def change(client, thing, version=None, **body):
    """Changes a task or a plan, in the version that it has now."""
    path = PLANS if "checkpoints" in thing else TASKS
    if version is None:
        version = read(client, thing)["version"]
    return client.patch(f"{path}/{thing['id']}", json=body,
                        headers={"If-Match": str(version)})


def move(client, thing, *steps, **more):
    """Moves it through these states; the last answer."""
    member = "state" if "checkpoints" in thing else "status"
    for step in steps:
        r = change(client, thing, **{member: step}, **more)
        assert r.status_code == 200, r.text
        thing = r.json()
    return thing


def checkpoint(after, name="Look at it", **more):
    return {"id": "cp-1", "name": name, "after_task": after["id"], **more}


def gated(client, *, intent=None, approvers=None, on_reject=None, **more):
    """An active plan of two tasks with a checkpoint between, whose first task
    runs. Returns the intent, the plan and its tasks."""
    intent = intent or new_intent(client, "active")
    first = task(client, intent, "Collect")
    second = task(client, intent, "Publish", depends_on=[first["id"]])
    words = {"approvers": approvers, "on_reject": on_reject, **more}
    gate = checkpoint(first, **{k: v for k, v in words.items()
                                if v is not None})
    one = plan(client, intent, first, second, checkpoints=[gate],
               state="active")
    move(client, first, "running")
    return intent, one, first, second


def reached(client, **more):
    """The same, waiting for its approval; and the question's id."""
    intent, one, first, second = gated(client, **more)
    move(client, first, "completed", output={"found": 3})
    found = read(client, one)
    assert found["state"] == "paused", found
    return intent, found, first, second, \
        found["checkpoints"][0]["suspension_id"]


def decide(client, one, how, gate="cp-1", **more):
    """Answers for a checkpoint with a person's key."""
    return client.post(f"{PLANS}/{one['id']}/checkpoints/{gate}/{how}",
                       **more)


def question(client, id):
    r = client.get(f"/api/v1/suspensions/{id}")
    assert r.status_code == 200, r.text
    return r.json()


def kinds(client, intent, *prefixes):
    """The types of an intent's events that begin so, oldest first."""
    prefixes = prefixes or ("task.", "plan.")
    return [e["event_type"] for e in reversed(events(client, intent["id"]))
            if e["event_type"].startswith(prefixes)]


def last(client, intent, event_type):
    """The payload of the newest event of the type."""
    return next(e["payload"] for e in events(client, intent["id"])
                if e["event_type"] == event_type)


def unknown_ids():
    return new_id(), "x"
