"""Making, reading and listing intents; children and dependencies."""
import pytest

from kit import (ANY_ID, NAIVE, events, get, new_id, new_intent, patch, put,
                 refused, set_status, types)

route = pytest.mark.route


@route("POST /api/v1/intents")
@route("GET /api/v1/intents/{id}")
def test_an_intent_as_the_sdk_makes_it(agent):
    r = agent.post("/api/v1/intents", json={
        "title": "Refund", "description": "of order 12345",
        "constraints": {"limit": 500}, "state": {"step": 1},
        "created_by": "somebody-else", "governance_policy": {"a": 1}})
    made = r.json()
    assert r.status_code == 201
    assert r.headers["etag"] == '"1"'
    assert made["status"] == "draft" and made["version"] == 1
    assert made["created_by"] == "refunds-agent"  # whoever the body names
    assert made["constraints"] == {"limit": 500}
    assert made["state"] == {"step": 1}
    assert made["governance_policy"] == {"a": 1}
    assert made["parent_intent_id"] is None and made["depends_on"] == []
    assert made["confidence"] == 0
    for key in ("created_at", "updated_at"):
        assert NAIVE.fullmatch(made[key]), made[key]
    read = agent.get(f"/api/v1/intents/{made['id']}")
    assert read.json() == made
    assert read.headers["etag"] == '"1"'
    assert types(agent, made["id"]) == ["intent_created"]


def test_the_least_that_an_intent_needs(agent):
    made = agent.post("/api/v1/intents", json={"title": "x"}).json()
    assert made["description"] is None
    assert made["constraints"] == {} and made["state"] == {}
    assert made["governance_policy"] is None


def test_constraints_as_the_older_list(agent):
    made = new_intent(agent, constraints=["no cash"])
    assert made["constraints"] == ["no cash"]


def test_text_comes_back_as_it_was_sent(agent):
    title = 'Ünïcødé \u202e <b>&amp; "quotes" \\ 😀 \u0001'
    made = new_intent(agent, title=title, state={title: [title, 1e-7, -0.5]})
    assert made["title"] == title
    assert made["state"] == {title: [title, 1e-7, -0.5]}


@pytest.mark.parametrize("body, code, at", [
    ({}, "field.missing", "title"),
    ({"title": None}, "field.missing", "title"),
    ({"title": ""}, "field.empty", "title"),
    ({"title": " \t"}, "field.empty", "title"),
    ({"title": 7}, "field.type", "title"),
    ({"title": "x" * 501}, "field.too_long", "title"),
    ({"title": "x", "description": []}, "field.type", "description"),
    ({"title": "x", "description": "x" * 20001}, "field.too_long",
     "description"),
    ({"title": "x", "constraints": "none"}, "field.type", "constraints"),
    ({"title": "x", "state": []}, "field.type", "state"),
    ({"title": "x", "governance_policy": 1}, "field.type",
     "governance_policy"),
    ({"title": "x", "confidence": 101}, "field.range", "confidence"),
    ({"title": "x", "parent_intent_id": "7"}, "field.uuid",
     "parent_intent_id"),
    ({"title": "x", "depends_on": "7"}, "field.type", "depends_on"),
    ({"title": "x", "depends_on": [7]}, "field.uuid", "depends_on"),
    ({"title": "x", "depends_on": [ANY_ID] * 101}, "field.too_many",
     "depends_on"),
    ({"title": "x", "state": {"_suspension": {"resolution": "responded"}}},
     "suspension.sealed", "state._suspension"),
])
def test_a_body_that_cannot_be_an_intent(agent, body, code, at):
    refused(agent.post("/api/v1/intents", json=body), 422, code, at)


@pytest.mark.parametrize("member, value, status", [
    ("parent_intent_id", ANY_ID, 404), ("depends_on", [ANY_ID], 422)])
def test_an_intent_that_it_cannot_refer_to(agent, member, value, status):
    r = agent.post("/api/v1/intents", json={"title": "x", member: value})
    refused(r, status, "intent.unknown", member)


def test_the_title_may_have_500_characters(agent):
    title = "😀" * 500
    assert new_intent(agent, title=title)["title"] == title


def test_a_state_over_its_ceiling(agent):
    body = {"title": "x", "state": {"a": "x" * (513 << 10)}}
    refused(agent.post("/api/v1/intents", json=body), 413,
            "intent.state_too_large")


def test_not_modified(agent):
    made = new_intent(agent, "draft")
    at = f"/api/v1/intents/{made['id']}"
    r = agent.get(at, headers={"If-None-Match": '"1"'})
    assert r.status_code == 304 and r.content == b""
    assert agent.get(at, headers={"If-None-Match": '"2"'}).status_code == 200


# --- Lists ----------------------------------------------------------------

@route("GET /api/v1/intents")
def test_a_list_is_newest_first(agent):
    made = [new_intent(agent, "draft")["id"] for _ in range(3)]
    listed = agent.get("/api/v1/intents", params={"limit": 3}).json()
    assert [i["id"] for i in listed["intents"]] == made[::-1]


def test_a_list_by_status_pages_by_key_and_by_offset(agent):
    made = [new_intent(agent, "abandoned")["id"] for _ in range(4)]
    query = {"status": "abandoned", "limit": 2}
    first = agent.get("/api/v1/intents", params=query).json()["intents"]
    assert [i["id"] for i in first] == made[:1:-1]
    for rest in ({"after": first[1]["id"]}, {"offset": 2}):
        r = agent.get("/api/v1/intents", params={**query, **rest})
        assert [i["id"] for i in r.json()["intents"]] == made[1::-1]
        assert {i["status"] for i in r.json()["intents"]} == {"abandoned"}


@route("POST /api/v1/intents/{id}/state")
def test_the_log_has_what_was_set(agent):
    """Whichever member has it; the other one may be null."""
    for body in ({"patches": None, "state": {"x": 1}},
                 {"state": None, "patches": [
                     {"op": "set", "path": "x", "value": 1}]}):
        intent = new_intent(agent)
        r = agent.post(f"/api/v1/intents/{intent['id']}/state", json=body,
                       headers={"If-Match": str(intent["version"])})
        assert r.status_code == 200, r.text
        [last] = events(agent, intent["id"], limit=1)
        del last["payload"]["state_sha256"]
        assert last["payload"] == {k: v for k, v in body.items() if v}


@pytest.mark.parametrize("query", [
    {"status": "bogus"}, {"limit": "0"}, {"limit": "1001"}, {"limit": "x"},
    {"limit": ""}, {"limit": "-1"}, {"offset": "-1"}, {"offset": "10001"},
    {"limit": "99999999999999999999"}])
def test_a_query_that_cannot_be(agent, query):
    refused(agent.get("/api/v1/intents", params=query), 400, "request.query",
            next(iter(query)))


def test_a_page_after_nothing(agent):
    for after in (ANY_ID, "x"):
        r = agent.get("/api/v1/intents", params={"after": after})
        assert r.status_code in (400, 404), r.text


# --- Children -------------------------------------------------------------

@route("GET /api/v1/intents/{id}/children")
@route("POST /api/v1/intents/{id}/children")
def test_children(agent):
    parent = new_intent(agent, "active")
    at = f"/api/v1/intents/{parent['id']}/children"
    empty = agent.get(at).json()
    assert empty["children"] == [] and empty["next"] is None
    # The path says whose child it is, whatever the body says.
    r = agent.post(at, json={"title": "First", "parent_intent_id": None})
    assert r.status_code == 201
    assert r.json()["parent_intent_id"] == parent["id"]
    second = new_intent(agent, "draft", parent_intent_id=parent["id"])
    children = agent.get(at).json()["children"]
    assert [c["id"] for c in children] == [r.json()["id"], second["id"]]


def test_a_parent_completes_after_its_children(agent):
    parent = new_intent(agent, "active")
    child = new_intent(agent, "active", parent_intent_id=parent["id"])
    refused(set_status(agent, parent, "completed"), 409,
            "intent.children_open")
    assert set_status(agent, child, "abandoned").status_code == 200
    assert set_status(agent, parent, "completed").status_code == 200


# --- Dependencies ---------------------------------------------------------

def depend(client, intent, on, version=None):
    return client.post(
        f"/api/v1/intents/{intent['id']}/dependencies",
        json={"dependency_id": on["id"] if isinstance(on, dict) else on},
        headers={"If-Match": str(version or intent["version"])})


@route("GET /api/v1/intents/{id}/dependencies")
@route("GET /api/v1/intents/{id}/dependents")
@route("POST /api/v1/intents/{id}/dependencies")
@route("DELETE /api/v1/intents/{id}/dependencies/{dependency_id}")
def test_a_dependency_comes_and_goes(agent):
    first, second = new_intent(agent, "active"), new_intent(agent, "active")
    at = f"/api/v1/intents/{second['id']}/dependencies"
    r = depend(agent, second, first)
    assert r.status_code == 200
    assert r.headers["etag"] == f'"{second["version"] + 1}"'
    assert r.json()["depends_on"] == [first["id"]]
    assert r.json()["status"] == "blocked"
    listed = agent.get(at).json()["dependencies"]
    assert [i["id"] for i in listed] == [first["id"]]
    listed = agent.get(f"/api/v1/intents/{first['id']}/dependents").json()
    assert [i["id"] for i in listed["dependents"]] == [second["id"]]
    r = agent.delete(f"{at}/{first['id']}",
                     headers={"If-Match": str(r.json()["version"])})
    assert r.status_code == 200
    assert r.json()["depends_on"] == [] and r.json()["status"] == "active"
    assert types(agent, second["id"])[2:] == [
        "dependency_added", "status_changed", "dependency_removed",
        "status_changed"]


def test_an_intent_made_with_dependencies_waits_for_them(agent):
    first, second = new_intent(agent, "active"), new_intent(agent, "active")
    waiting = new_intent(agent, "draft",
                         depends_on=[first["id"], second["id"]])
    assert waiting["depends_on"] == [first["id"], second["id"]]
    waiting = set_status(agent, waiting, "active").json()
    assert waiting["status"] == "blocked"
    refused(set_status(agent, waiting, "active"), 409,
            "intent.dependencies_open")
    assert set_status(agent, first, "completed").status_code == 200
    assert get(agent, waiting)["status"] == "blocked"
    assert set_status(agent, second, "completed").status_code == 200
    freed = get(agent, waiting)
    assert freed["status"] == "active"
    assert freed["version"] == waiting["version"] + 1
    assert types(agent, waiting["id"])[-1] == "status_changed"
    assert set_status(agent, freed, "completed").status_code == 200


def test_all_that_waited_go_on(agent):
    """However many there are: they are written some at a time."""
    first, other = new_intent(agent, "active"), new_intent(agent, "active")
    made = [new_intent(agent, "draft", depends_on=[first["id"]])
            for _ in range(110)]
    held = new_intent(agent, "draft", depends_on=[first["id"], other["id"]])
    waiting = [set_status(agent, i, "active").json() for i in made + [held]]
    assert {i["status"] for i in waiting} == {"blocked"}
    assert set_status(agent, first, "completed").status_code == 200
    for i in waiting[:-1]:
        freed = get(agent, i)
        assert freed["status"] == "active"
        assert freed["version"] == i["version"] + 1
        assert types(agent, i["id"])[-1] == "status_changed"
    assert get(agent, held)["status"] == "blocked"


def test_a_full_log_of_one_that_waits_stops_nothing(server, agent):
    first = new_intent(agent, "active")
    waits = new_intent(agent, "draft", depends_on=[first["id"]])
    assert set_status(agent, waits, "active").json()["status"] == "blocked"
    with server.database() as db:
        def move(sequence):
            return db.execute(
                "UPDATE intent i SET event_sequence = %s FROM intent old "
                "WHERE i.id = %s AND old.id = i.id "
                "RETURNING old.event_sequence",
                [sequence, waits["id"]]).fetchone()[0]
        was = move(10000)
        assert set_status(agent, first, "completed").status_code == 200
        assert move(was) == 10000
        assert get(agent, waits)["status"] == "active"
        # As its events have it.
        db.execute("UPDATE intent SET status = 'blocked' WHERE id = %s",
                   [waits["id"]])


def test_completing_waits_for_dependencies(agent):
    first, second = new_intent(agent, "active"), new_intent(agent, "active")
    blocked = depend(agent, second, first).json()
    refused(set_status(agent, blocked, "completed"), 409)
    assert get(agent, second)["status"] == "blocked"


def test_no_cycles(agent):
    a, b, c = (new_intent(agent, "draft") for _ in range(3))
    refused(depend(agent, a, a), 400, "intent.cycle", "dependency_id")
    assert depend(agent, a, b).status_code == 200
    assert depend(agent, b, c).status_code == 200
    refused(depend(agent, c, a), 400, "intent.cycle", "dependency_id")
    assert get(agent, c)["depends_on"] == []


def test_a_dependency_that_is_there_already(agent):
    a, b = new_intent(agent, "draft"), new_intent(agent, "draft")
    once = depend(agent, a, b).json()
    refused(depend(agent, once, b), 400, "intent.dependency_exists",
            "dependency_id")
    assert get(agent, a)["depends_on"] == [b["id"]]


def test_a_dependency_that_does_not_exist(agent):
    a = new_intent(agent, "draft")
    refused(depend(agent, a, new_id()), 422, "intent.unknown",
            "dependency_id")
    refused(depend(agent, a, "x"), 422, "field.uuid", "dependency_id")
    for other, code in (("x", "intent.unknown"),
                        (new_id(), "intent.no_dependency"),
                        (new_intent(agent)["id"], "intent.no_dependency")):
        at = f"/api/v1/intents/{a['id']}/dependencies/{other}"
        refused(agent.delete(at, headers={"If-Match": "1"}), 404, code)


def test_a_dependency_needs_the_version(agent):
    a, b = new_intent(agent, "draft"), new_intent(agent, "draft")
    at = f"/api/v1/intents/{a['id']}/dependencies"
    refused(agent.post(at, json={"dependency_id": b["id"]}), 400,
            "request.if_match")
    refused(agent.delete(f"{at}/{b['id']}"), 400, "request.if_match")
    stale = depend(agent, a, b, version=7)
    assert refused(stale, 409, "intent.version")["current_version"] == 1
    assert get(agent, a)["depends_on"] == []


def test_a_dependency_of_a_suspended_intent_waits_for_its_answer(
        agent, operator):
    """Suspended stays suspended; what comes after is looked at on resume."""
    from kit import respond, suspend
    first = new_intent(agent, "active")
    intent, suspension = suspend(agent)
    added = depend(agent, intent, first)
    assert added.json()["status"] == "suspended_awaiting_input"
    assert respond(operator, intent, suspension, "approve").status_code == 200
    assert get(agent, intent)["status"] == "blocked"


def test_patching_a_copy_does_not_change_another(agent):
    one, two = new_intent(agent, "active"), new_intent(agent, "active")
    assert patch(agent, one, put("a", 1)).status_code == 200
    assert get(agent, two)["state"] == {}
