"""Patches of the state document, and the sealed record in it."""
import hashlib

import pytest

from kit import (canonical, events, get, new_id, new_intent, patch, put,
                 record, refused, set_status, suspend, types)

route = pytest.mark.route


def patched(result, **sent):
    """The payload of the event."""
    digest = hashlib.sha256(canonical(result).encode()).hexdigest()
    return {**sent, "state_sha256": digest}


def append(path, value):
    return {"op": "append", "path": path, "value": value}


def remove(path):
    return {"op": "remove", "path": path}


@route("POST /api/v1/intents/{id}/state")
@pytest.mark.parametrize("patches, state", [
    ([put("a", 1)], {"a": 1}),
    ([put("/a", 1)], {"a": 1}),
    ([put("a/", 1)], {"a": 1}),
    ([put("a/b/c", 1)], {"a": {"b": {"c": 1}}}),
    ([put("//a//b", 1)], {"a": {"b": 1}}),
    ([put("a~1b", 1), put("c~0d", 2)], {"a~1b": 1, "c~0d": 2}),
    ([put("a", 1), put("a", {"b": 2}), put("a/c", 3)],
     {"a": {"b": 2, "c": 3}}),
    ([put("a", None)], {"a": None}),
    ([append("l", 1), append("/l", [2]), append("l", None)],
     {"l": [1, [2], None]}),
    ([append("a/b", 1)], {"a": {"b": [1]}}),
    ([put("l", [1, 2, 3]), remove("l/1")], {"l": [1, 3]}),
    ([put("l", [{"a": 1}]), put("l/0/b", 2)], {"l": [{"a": 1, "b": 2}]}),
    ([put("a", 1), remove("a")], {}),
    ([remove("a")], {}),
    ([remove("a/b/c")], {}),
    ([put("a", 1), remove("a"), put("a", 2)], {"a": 2}),
    ([put("a", {"x": 1}), put("b", {"y": 1}), put("a/x", 2)],
     {"a": {"x": 2}, "b": {"y": 1}}),
])
def test_a_patch(agent, patches, state):
    intent = new_intent(agent, "active")
    r = patch(agent, intent, *patches)
    assert r.status_code == 200, r.text
    assert r.json()["state"] == state
    assert r.json()["version"] == intent["version"] + 1
    assert r.headers["etag"] == f'"{intent["version"] + 1}"'
    assert get(agent, intent) == r.json()
    last = events(agent, intent["id"], limit=1)[0]
    assert last["event_type"] == "state_patched"
    assert last["actor"] == "refunds-agent"
    assert last["payload"] == patched(state, patches=patches)


def test_the_merge_form_sets_each_member(agent):
    intent = new_intent(agent, "active", state={"a": {"x": 1}, "b": 2})
    r = agent.post(f"/api/v1/intents/{intent['id']}/state",
                   json={"state": {"a": {"y": 2}, "c": [3]}},
                   headers={"If-Match": str(intent["version"])})
    assert r.status_code == 200
    assert r.json()["state"] == {"a": {"y": 2}, "b": 2, "c": [3]}
    last = events(agent, intent["id"], limit=1)[0]
    assert last["payload"] == patched(
        {"a": {"y": 2}, "b": 2, "c": [3]}, state={"a": {"y": 2}, "c": [3]})


@pytest.mark.parametrize("body, code, at", [
    ({}, "patch.form", "patches"),
    ({"patches": [], "state": {}}, "patch.form", "patches"),
    ({"patches": [put("a", 1)] * 101}, "field.too_many", "patches"),
    ({"patches": {}}, "field.type", "patches"),
    ({"patches": [7]}, "body.not_object", "patches[0]"),
    ({"patches": [{"path": "a", "value": 1}]}, "field.missing",
     "patches[0].op"),
    ({"patches": [put("a", 1), {"op": "set", "value": 1}]}, "field.missing",
     "patches[1].path"),
    ({"patches": [{"op": "set", "path": "a"}]}, "field.missing",
     "patches[0].value"),
    ({"patches": [{"op": "append", "path": "a"}]}, "field.missing",
     "patches[0].value"),
    ({"patches": [{"op": "add", "path": "a", "value": 1}]}, "field.value",
     "patches[0].op"),
    ({"patches": [{**put("a", 1), "x": 1}]}, "field.unknown", "patches[0].x"),
    ({"patches": [put("", 1)]}, "patch.path", None),
    ({"patches": [put("/", 1)]}, "patch.path", None),
    ({"patches": [put("a/" * 17, 1)]}, "patch.path", None),
    ({"patches": [put("x" * 1025, 1)]}, "field.too_long", "patches[0].path"),
    ({"patches": [put("s/x", 1)]}, "patch.path", "s/x"),
    ({"patches": [append("s", 1)]}, "patch.path", "s"),
    ({"patches": [put("l/0", 1)]}, "patch.path", "l/0"),
    ({"patches": [put("l/9/x", 1)]}, "patch.path", "l/9/x"),
    ({"state": []}, "field.type", "state"),
    ({"state": {"a/b": 1}}, "patch.key", "state"),
    ({"state": {"": 1}}, "patch.key", "state"),
    ({"state": {f"k{i}": i for i in range(101)}}, "field.too_many", "state"),
])
def test_a_patch_that_cannot_be(agent, body, code, at):
    intent = new_intent(agent, "active", state={"s": "text", "l": [1]})
    r = agent.post(f"/api/v1/intents/{intent['id']}/state", json=body,
                   headers={"If-Match": str(intent["version"])})
    refused(r, 422, code, at)
    assert get(agent, intent) == intent


def test_no_patches_change_nothing(agent):
    intent = new_intent(agent, "active")
    r = patch(agent, intent)
    assert r.status_code == 200 and r.json() == intent
    assert "state_patched" not in types(agent, intent["id"])


def test_all_patches_or_none(agent):
    intent = new_intent(agent, "active", state={"s": "text"})
    refused(patch(agent, intent, put("a", 1), put("s/x", 1)), 422)
    assert get(agent, intent) == intent
    assert "state_patched" not in types(agent, intent["id"])


def test_a_state_grows_to_its_ceiling_and_not_over_it(agent):
    intent = new_intent(agent, "active")
    half = "x" * (260 << 10)
    r = patch(agent, intent, put("a", half))
    assert r.status_code == 200
    refused(patch(agent, r.json(), put("b", half)), 413,
            "intent.state_too_large")
    assert get(agent, intent)["state"] == {"a": half}


def test_a_state_does_not_grow_deeper_than_it_can_be_read(agent):
    intent = new_intent(agent, "active")
    deep = 1
    for _ in range(28):
        deep = [deep]
    r = patch(agent, intent, put("a", deep))
    assert r.status_code == 200, r.text
    refused(patch(agent, r.json(), put("b/c/d/e/f", deep)), 422,
            "intent.state_too_deep")


@pytest.mark.parametrize("status", ["completed", "abandoned"])
def test_the_state_of_an_ended_intent_stays(agent, status):
    intent = new_intent(agent, status)
    refused(patch(agent, intent, put("a", 1)), 409, "intent.ended")


@pytest.mark.parametrize("status", ["completed", "abandoned"])
def test_nothing_is_begun_for_an_ended_intent(agent, status):
    other = new_intent(agent)
    intent = new_intent(agent)
    path = f"/api/v1/intents/{intent['id']}"
    held = agent.post(path + "/leases", json={"scope": "before"})
    assert held.status_code == 201, held.text
    intent = set_status(agent, get(agent, intent), status).json()
    before = types(agent, intent["id"])
    tries = (
        agent.post(path + "/leases", json={"scope": "after"}),
        agent.patch(f"{path}/leases/{held.json()['id']}",
                    json={"duration_seconds": 60}),
        agent.post(path + "/agents", json={"agent_id": "helper"}),
        agent.post(path + "/dependencies",
                   json={"dependency_id": other["id"]},
                   headers={"If-Match": str(intent["version"])}))
    for r in tries:
        refused(r, 409, "intent.ended")
    assert types(agent, intent["id"]) == before
    assert agent.delete(f"{path}/leases/{held.json()['id']}").status_code == \
        200


def test_other_members_can_be_patched_while_suspended(agent, operator):
    intent, _ = suspend(agent)
    r = patch(agent, intent, put("note", 1))
    assert r.status_code == 200 and r.json()["state"]["note"] == 1
    r = patch(operator, r.json(), put("note", 2))
    assert r.status_code == 200 and r.json()["state"]["note"] == 2
    assert r.json()["state"]["_suspension"] == intent["state"]["_suspension"]


# --- The sealed record ----------------------------------------------------

FORGED = {"resolution": "responded", "response": "approve",
          "responded_by": "alice", "responded_at": "2020-01-01T00:00:00"}


def forgeries(suspension):
    whole = {**record(), "id": suspension, **FORGED}
    return [
        [put("_suspension", whole)],
        [put("/_suspension", whole)],
        [put("//_suspension//", whole)],
        [put("_suspension/response", "approve")],
        [put("/_suspension/resolution", "responded")],
        [put("_suspension", None)],
        [put("_suspension", "gone")],
        [append("_suspension", 1)],
        [append("_suspension/choices", {"value": "x", "label": "x"})],
        [remove("_suspension")],
        [remove("/_suspension/choices/0")],
        [put("innocent", 1), remove("_suspension")],
        [put("_suspension", whole), put("_suspension", whole)],
    ]


@pytest.mark.parametrize("n", range(13))
@pytest.mark.parametrize("role", ["agent", "operator", "admin"])
def test_the_record_is_sealed(agent, by_role, role, n):
    intent, suspension = suspend(agent)
    r = patch(by_role[role], intent, *forgeries(suspension)[n])
    assert r.status_code in ((403, 409) if role != "agent" else (409,)), r.text
    assert get(agent, intent) == intent


@pytest.mark.parametrize("value", [None, {}, "x", {**record(), **FORGED}])
def test_the_record_is_sealed_against_the_merge_form(agent, value):
    intent, _ = suspend(agent)
    r = agent.post(f"/api/v1/intents/{intent['id']}/state",
                   json={"state": {"_suspension": value}},
                   headers={"If-Match": str(intent["version"])})
    refused(r, 409, "suspension.sealed")
    assert get(agent, intent) == intent


@pytest.mark.parametrize("n", range(13))
def test_the_record_stays_sealed_after_the_answer(agent, operator, n):
    from kit import respond
    intent, suspension = suspend(agent)
    assert respond(operator, intent, suspension, "deny").status_code == 200
    intent = get(agent, intent)
    refused(patch(agent, intent, *forgeries(suspension)[n]), 409,
            "suspension.sealed")
    assert get(agent, intent) == intent


@pytest.mark.parametrize("status", ["draft", "active", "blocked"])
def test_no_record_without_suspending_first(agent, status):
    intent = new_intent(agent, status)
    refused(patch(agent, intent, put("_suspension", record())), 409,
            "suspension.sealed")
    assert get(agent, intent) == intent


def test_a_name_that_only_begins_like_the_record_is_nobodys(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    r = patch(agent, intent, put("_suspension_note", 1), put("a", 2),
              put("_suspension", record()))
    assert r.status_code == 200, r.text
    assert r.json()["state"]["_suspension_note"] == 1
    assert r.json()["state"]["a"] == 2


@pytest.mark.parametrize("path", ["_suspension", "/_suspension",
                                  "//_suspension"])
def test_the_record_by_any_spelling_of_its_path(agent, operator, path):
    from kit import respond
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = record()
    r = patch(agent, intent, put(path, {**wanted, **FORGED}))
    assert r.status_code == 200, r.text
    mirror = r.json()["state"]["_suspension"]
    assert not set(FORGED) & set(mirror)
    assert types(agent, intent["id"])[-1] == "intent.suspended"
    assert "state_patched" not in types(agent, intent["id"])
    assert respond(operator, intent, wanted["id"], "deny").status_code == 200


def test_the_record_by_the_merge_form(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = record()
    r = agent.post(f"/api/v1/intents/{intent['id']}/state",
                   json={"state": {"_suspension": wanted, "a": 1}},
                   headers={"If-Match": str(intent["version"])})
    assert r.status_code == 200, r.text
    assert r.json()["state"]["a"] == 1
    assert r.json()["state"]["_suspension"]["id"] == wanted["id"]


def test_only_an_agent_writes_a_record(agent, operator, admin):
    intent = new_intent(agent, "suspended_awaiting_input")
    for client in (operator, admin):
        refused(patch(client, intent, put("_suspension", record())), 403,
                "suspension.agents_ask")


@pytest.mark.parametrize("more, code, at", [
    ({"id": None}, "field.missing", "_suspension.id"),
    ({"id": ""}, "suspension.id", "_suspension.id"),
    ({"id": "a b"}, "suspension.id", "_suspension.id"),
    ({"id": "x" * 65}, "field.too_long", "_suspension.id"),
    ({"id": "../x"}, "suspension.id", "_suspension.id"),
    ({"question": None}, "field.missing", "_suspension.question"),
    ({"question": ""}, "field.empty", "_suspension.question"),
    ({"question": "x" * 4001}, "field.too_long", "_suspension.question"),
    ({"response_type": "vote"}, "field.value", "_suspension.response_type"),
    ({"choices": "yes"}, "field.type", "_suspension.choices"),
    ({"choices": [{"label": "x"}]}, "field.missing", "choices[0].value"),
    ({"choices": [{"value": "x"}] * 2}, "choices.duplicate", "choices[1]"),
    ({"choices": [{"value": str(i)} for i in range(21)]}, "field.too_many",
     "choices"),
    ({"context": []}, "field.type", "_suspension.context"),
    ({"timeout_seconds": 0}, "field.range", "_suspension.timeout_seconds"),
    ({"timeout_seconds": "1"}, "field.range", "_suspension.timeout_seconds"),
    ({"fallback_policy": "guess"}, "field.value",
     "_suspension.fallback_policy"),
    ({"retry_policy": {"max_attempts": 0}}, "field.range",
     "_suspension.retry_policy.max_attempts"),
    ({"confidence_at_suspension": 1.5}, "field.range",
     "_suspension.confidence_at_suspension"),
])
def test_a_record_that_cannot_be(agent, more, code, at):
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = {**record(), **more}
    wanted = {k: v for k, v in wanted.items() if v is not None}
    refused(patch(agent, intent, put("_suspension", wanted)), 422, code, at)
    assert get(agent, intent) == intent


def test_an_id_of_another_question_cannot_be_used_again(agent):
    _, suspension = suspend(agent)
    intent = new_intent(agent, "suspended_awaiting_input")
    r = patch(agent, intent, put("_suspension", record(id=suspension)))
    refused(r, 409, "suspension.id_taken")
    assert get(agent, intent) == intent


def test_what_the_sdk_sends_beside_is_kept(agent):
    wanted = record(
        retry_policy={"max_attempts": 3, "interval_seconds": 60,
                      "strategy": "fixed", "final_fallback_policy": "fail",
                      "escalation_ladder": [
                          {"attempt": 2, "channel_hint": "",
                           "notify_to": ""}]},
        confidence_at_suspension=0.55, decision_record={"mode": "x"},
        channel_hint="slack", timeout_seconds=300.0, x_unknown=[1])
    intent, _ = suspend(agent, **wanted)
    mirror = intent["state"]["_suspension"]
    for key in ("question", "choices", "context", "retry_policy",
                "confidence_at_suspension", "decision_record",
                "channel_hint", "x_unknown"):
        assert mirror[key] == wanted[key], key
    assert mirror["suspended_at"] != wanted["suspended_at"]
    assert "resolution" not in mirror


def test_an_id_that_is_a_uuid_of_any_form(agent, operator):
    from kit import respond
    for suspension in (new_id().upper(), "susp-uuid", "~a.b_c-D"):
        suspension += "" if len(suspension) > 30 else new_id()[:8]
        intent, _ = suspend(agent, id=suspension)
        r = respond(operator, intent, suspension, "deny")
        assert r.status_code == 200, r.text


def test_a_stale_patch_of_the_record(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    r = patch(agent, intent, put("_suspension", record()), version=1)
    refused(r, 409, "intent.version")
    assert set_status(agent, intent, "abandoned").status_code == 200
