"""The transition table, for everybody who may ask for a move."""
import pytest

from kit import (events, get, new_intent, patch, put, record, refused,
                 set_status, suspend, types)

route = pytest.mark.route

DRAFT, ACTIVE, BLOCKED, SUSPENDED, COMPLETED, ABANDONED = STATUSES = (
    "draft", "active", "blocked", "suspended_awaiting_input", "completed",
    "abandoned")

ALLOWED = {
    (DRAFT, ACTIVE), (DRAFT, SUSPENDED), (DRAFT, ABANDONED),
    (ACTIVE, BLOCKED), (ACTIVE, SUSPENDED), (ACTIVE, COMPLETED),
    (ACTIVE, ABANDONED), (BLOCKED, ACTIVE), (BLOCKED, ABANDONED),
    (SUSPENDED, ABANDONED),
    # Again the same end: nothing changes and nothing is wrong.
    (COMPLETED, COMPLETED), (ABANDONED, ABANDONED)}


def expected(role, start, to):
    if (start, to) == (SUSPENDED, ACTIVE):
        return 403 if role == "agent" else 200
    return 200 if (start, to) in ALLOWED else 409


@route("POST /api/v1/intents/{id}/status")
@pytest.mark.parametrize("role", ["agent", "operator", "admin"])
@pytest.mark.parametrize("to", STATUSES)
@pytest.mark.parametrize("start", STATUSES)
def test_every_move(agent, by_role, role, start, to):
    intent = new_intent(agent, start)
    assert intent["status"] == start
    r = set_status(by_role[role], intent, to)
    assert r.status_code == expected(role, start, to), r.text
    now = get(agent, intent)
    moved = r.status_code == 200 and to != start
    assert now["status"] == (to if moved else start)
    assert now["version"] == intent["version"] + (1 if moved else 0)
    if r.status_code == 200:
        assert r.json() == now
        assert r.headers["etag"] == f'"{now["version"]}"'
    if r.status_code == 409:
        assert r.json()["code"] == "intent.transition"
    if r.status_code == 403:
        assert r.json()["code"] == "intent.resume_forbidden"


@pytest.mark.parametrize("role", ["agent", "operator", "admin"])
@pytest.mark.parametrize("to", STATUSES)
def test_every_move_out_of_an_open_question(agent, by_role, role, to):
    """Only an answer resumes; a caller who may end the intent ends its
    question."""
    intent, suspension = suspend(agent)
    r = set_status(by_role[role], intent, to)
    if to == ABANDONED:
        assert r.status_code == 200, r.text
        mirror = r.json()["state"]["_suspension"]
        assert mirror["resolution"] == "cancelled"
        seen = agent.get(f"/api/v1/suspensions/{suspension}").json()
        assert seen["state"] == "cancelled"
        return
    wanted = 403 if (role, to) == ("agent", ACTIVE) else 409
    assert r.status_code == wanted, r.text
    assert get(agent, intent) == intent


def test_another_agent_cannot_end_a_question_by_ending_the_intent(
        agent, other_agent):
    intent, suspension = suspend(agent)
    refused(set_status(other_agent, intent, ABANDONED), 403)
    assert get(agent, intent) == intent


@pytest.mark.parametrize("value, code", [
    (None, "field.missing"), ("", "field.value"), ("bogus", "field.value"),
    ("Active", "field.value"), ("failed", "field.value"),
    ("active abandoned", "field.value"), (1, "field.value"),
    (["active"], "field.value")])
def test_a_status_that_there_is_not(agent, value, code):
    intent = new_intent(agent, "draft")
    refused(set_status(agent, intent, value), 422, code, "status")


def test_the_event_tells_who_moved_it_from_where_and_why(agent, operator):
    intent = new_intent(agent, "active")
    r = set_status(operator, intent, "abandoned", reason="no longer wanted")
    assert r.status_code == 200
    last = events(agent, intent["id"], limit=1)[0]
    assert last["event_type"] == "status_changed"
    assert last["payload"] == {"old_status": "active",
                               "new_status": "abandoned",
                               "reason": "no longer wanted"}
    assert last["actor"] == "demo operator"


def test_the_same_end_again_writes_no_event(agent):
    intent = new_intent(agent, "completed")
    before = types(agent, intent["id"])
    assert set_status(agent, intent, "completed").status_code == 200
    assert types(agent, intent["id"]) == before


# --- If-Match -------------------------------------------------------------

@pytest.mark.parametrize("value", ["", "x", "0", "-1", "1.0", "1, 1", "W/\"1\"",
                                   "99999999999999999999", "*", '"1'])
def test_an_if_match_that_is_no_version(agent, value):
    intent = new_intent(agent, "draft")
    refused(set_status(agent, intent, "active", version=value), 400,
            "request.if_match")


def test_no_if_match(agent):
    intent = new_intent(agent, "draft")
    for at, body in (("status", {"status": "active"}),
                     ("state", {"patches": [put("a", 1)]})):
        r = agent.post(f"/api/v1/intents/{intent['id']}/{at}", json=body)
        refused(r, 400, "request.if_match")
    assert get(agent, intent) == intent


def test_an_if_match_with_quotes_is_the_same(agent):
    intent = new_intent(agent, "draft")
    r = set_status(agent, intent, "active", version='"1"')
    assert r.status_code == 200 and r.headers["etag"] == '"2"'


def test_a_stale_version_names_the_current_one(agent):
    intent = new_intent(agent, "active")
    for version in (1, 3):
        r = set_status(agent, intent, "completed", version=version)
        body = refused(r, 409, "intent.version")
        assert body["current_version"] == 2
    r = patch(agent, intent, put("a", 1), version=1)
    assert refused(r, 409, "intent.version")["current_version"] == 2
    assert get(agent, intent) == intent


# --- Suspending in two calls ----------------------------------------------

def test_the_window_between_status_and_record_can_be_left(agent, operator):
    intent = new_intent(agent, SUSPENDED)
    back = set_status(operator, intent, ACTIVE)
    assert back.status_code == 200 and back.json()["status"] == ACTIVE


def test_a_new_question_clears_the_old_record(agent, operator):
    from kit import respond
    intent, suspension = suspend(agent)
    assert respond(operator, intent, suspension, "deny").status_code == 200
    now = get(agent, intent)
    assert now["state"]["_suspension"]["resolution"] == "responded"
    again = set_status(agent, now, SUSPENDED)
    assert "_suspension" not in again.json()["state"]
    second = record()
    r = patch(agent, again.json(), put("_suspension", second))
    assert r.status_code == 200
    assert r.json()["state"]["_suspension"]["id"] == second["id"]
