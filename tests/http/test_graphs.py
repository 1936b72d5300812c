"""Intents that wait for each other: trees, dependencies, rings, aggregates."""
import random

import pytest
from kit import (ANY_ID, UNSUPPORTED, events, fill, get, new_intent, refused,
                 respond, set_status, suspend, together, types)
from test_intents import depend

route = pytest.mark.route
STATUSES = ("draft", "active", "blocked", "suspended_awaiting_input",
            "completed", "abandoned")


def child(agent, parent, status="draft", **more):
    return new_intent(agent, status, parent_intent_id=parent["id"], **more)


def under(client, intent, what):
    r = client.get(f"/api/v1/intents/{intent['id']}/{what}")
    assert r.status_code == 200, r.text
    return r.json()


def ids(intents):
    return [i["id"] for i in intents]


# --- Waiting --------------------------------------------------------------

def test_G1_a_dependent_waits_until_its_dependency_completes(agent, operator):
    first, question = suspend(agent)
    second = new_intent(agent, "draft", depends_on=[first["id"]])
    second = set_status(agent, second, "active").json()
    assert second["status"] == "blocked"
    assert respond(operator, first, question, "approve").status_code == 200
    assert get(agent, second)["status"] == "blocked"
    done = set_status(agent, get(agent, first), "completed")
    assert done.status_code == 200
    assert get(agent, second)["status"] == "active"
    assert types(agent, second["id"])[-1] == "status_changed"
    [last] = events(agent, second["id"], limit=1)
    assert last["payload"]["reason"] == "dependencies_completed"


def test_G2_the_end_waits_and_says_for_what(agent):
    first, _ = suspend(agent)
    second = new_intent(agent, "active", depends_on=[])
    second = depend(agent, second, first).json()
    refused(set_status(agent, second, "active"), 409,
            "intent.dependencies_open")
    parent = new_intent(agent, "active")
    open_one = child(agent, parent)
    body = refused(set_status(agent, parent, "completed"), 409,
                   "intent.children_open")
    assert body["detail"]["open"] == [open_one["id"]]
    assert get(agent, parent)["status"] == "active"


# --- Rings ----------------------------------------------------------------

def test_G3_a_child_may_not_wait_for_what_waits_for_it(agent):
    top = new_intent(agent, "draft")
    middle = child(agent, top)
    low = child(agent, middle)
    for other in (middle, top):
        refused(depend(agent, low, other), 400, "intent.cycle",
                "dependency_id")
        refused(agent.post(f"/api/v1/intents/{middle['id']}/children",
                           json={"title": "x", "depends_on": [other["id"]]}),
                400, "intent.cycle", "depends_on")
    # Through a dependency: y waits for top, so nothing below top may wait for
    # y; and what y waits for may not be below it either.
    y = new_intent(agent, "draft", depends_on=[top["id"]])
    refused(depend(agent, low, y), 400, "intent.cycle")
    refused(agent.post(f"/api/v1/intents/{low['id']}/children",
                       json={"title": "x", "depends_on": [y["id"]]}), 400,
            "intent.cycle")
    assert ids(under(agent, middle, "children")["children"]) == [low["id"]]
    assert get(agent, low)["depends_on"] == []
    # A parent may wait for a child, which it does anyhow.
    assert depend(agent, top, middle).status_code == 200


@pytest.mark.parametrize("rounds", [25])
def test_G4_edges_that_close_a_ring_at_once(agent, rounds):
    """Of four edges that make a ring at most three are there at the end."""
    for _ in range(rounds):
        four = [new_intent(agent, "draft") for _ in range(4)]
        got = together(*[
            lambda a=a, b=b: depend(agent, a, b)
            for a, b in zip(four, four[1:] + four[:1])])
        assert sorted(r.status_code for r in got) == [200, 200, 200, 400], [
            r.text for r in got]


def test_G4_a_child_and_an_edge_that_close_a_ring_at_once(agent):
    for _ in range(25):
        parent, other = (new_intent(agent, "draft") for _ in range(2))
        got = together(
            lambda: agent.post(
                f"/api/v1/intents/{parent['id']}/children",
                json={"title": "x", "depends_on": [other["id"]]}),
            lambda: depend(agent, other, parent))
        assert sorted(r.status_code for r in got) in ([200, 400], [201, 400])


def test_an_intent_that_too_many_wait_for_gets_no_more(server, agent):
    first, other = new_intent(agent, "draft"), new_intent(agent, "draft")
    with server.database() as db:
        db.execute(
            "WITH made AS (INSERT INTO intent (id, title, created_by, status,"
            " constraints, state, version, created_at, updated_at) "
            "SELECT gen_random_uuid(), 'x', 'x', 'draft', '{}', '{}', 1, "
            "now(), now() FROM generate_series(1, 10001) RETURNING id) "
            "INSERT INTO intent_dependency (intent_id, dependency_id, "
            "added_at) SELECT id, %s, now() FROM made", [first["id"]])
    refused(depend(agent, first, other), 409, "intent.graph_too_large")
    assert depend(agent, other, first).status_code == 200


# --- The end of a parent --------------------------------------------------

@pytest.mark.parametrize("status", ["completed", "abandoned"])
def test_G5_an_ended_intent_gets_no_child(agent, status):
    parent = new_intent(agent, status)
    asking = {"question": "May I?", "response_type": "confirm",
              "intent": {"title": "x", "parent_intent_id": parent["id"]}}
    for path, body in (
            (f"/api/v1/intents/{parent['id']}/children", {"title": "x"}),
            ("/api/v1/intents", {"title": "x",
                                 "parent_intent_id": parent["id"]}),
            ("/api/v1/suspensions", asking)):
        refused(agent.post(path, json=body), 409, "parent.ended")
    assert under(agent, parent, "children")["children"] == []


def test_G5_a_child_while_its_parent_ends(agent):
    for _ in range(25):
        parent = new_intent(agent, "active")
        ended, made = together(
            lambda: set_status(agent, parent, "completed"),
            lambda: agent.post(f"/api/v1/intents/{parent['id']}/children",
                               json={"title": "x"}))
        assert (ended.status_code, made.status_code) in ((200, 409),
                                                         (409, 201))


def test_G6_children_that_depend_on_one_that_completes(server, agent):
    """P waits for D; children of P that depend on D are made while D
    completes. Nothing waits in a circle."""
    def deadlocks():
        return server.log("postgres").count("deadlock detected")

    before = deadlocks()
    for _ in range(20):
        d = new_intent(agent, "active")
        p = new_intent(agent, "active")
        p = depend(agent, p, d).json()

        def make():
            return agent.post(f"/api/v1/intents/{p['id']}/children", json={
                "title": "x", "depends_on": [d["id"]]})

        got = together(*[make] * 4, lambda: set_status(agent, d, "completed"))
        assert [r.status_code for r in got] == [201] * 4 + [200], [
            r.text for r in got]
        assert get(agent, p)["status"] == "active"
    assert deadlocks() == before


# --- Looking at many ------------------------------------------------------

@route("GET /api/v1/intents/{id}/graph")
@route("GET /api/v1/intents/{id}/descendants")
@route("GET /api/v1/intents/{id}/ancestors")
def test_G7_a_graph_three_levels_deep(agent):
    outside = new_intent(agent, "active")
    root = new_intent(agent, "active")
    seed = random.Random(7)
    levels = [[root], [], []]
    for n in range(60):
        parent = seed.choice(levels[min(n // 20, 1)])
        status = seed.choice(["draft", "active", "completed", "abandoned"])
        made = child(agent, parent, status if n >= 20 else "active")
        depth = 1 + (parent in levels[1])
        levels[depth].append(made)
    below = levels[1] + levels[2]
    waits = levels[1][0]
    assert depend(agent, waits, outside).status_code == 200
    assert depend(agent, levels[1][1], levels[1][2]).status_code == 200

    graph = under(agent, root, "graph")
    now = {n["id"]: n for n in graph["nodes"]}
    assert graph["root_id"] == root["id"] == graph["nodes"][0]["id"]
    assert graph["truncated"] is False
    assert set(now) == {root["id"], outside["id"], *ids(below)}
    assert [i for i, n in now.items() if n["outside"]] == [outside["id"]]
    for i in below:
        assert now[i["id"]]["parent_intent_id"] == i["parent_intent_id"]
    edges = [(e["from"], e["to"], e["type"]) for e in graph["edges"]]
    assert len(edges) == len(set(edges)) == len(below) + 2
    assert (waits["id"], outside["id"], "dependency") in edges
    assert (root["id"], waits["id"], "parent") in edges

    agg = graph["aggregate_status"]
    assert agg["total"] == len(below)
    assert set(agg["by_status"]) == set(STATUSES)
    for status in STATUSES:
        assert agg["by_status"][status] == sum(
            now[i["id"]]["status"] == status for i in below)
    assert agg["completion_percentage"] == \
        100 * agg["by_status"]["completed"] // len(below)
    open_one = now[levels[1][2]["id"]]["status"] != "completed"
    assert set(agg["blocking_intents"]) == {outside["id"]} | (
        {levels[1][2]["id"]} if open_one else set())
    assert waits["id"] not in agg["ready_intents"]
    assert all(now[i]["status"] in ("draft", "active")
               for i in agg["ready_intents"])

    assert set(ids(under(agent, root, "descendants")["descendants"])) == set(
        ids(below))
    low = levels[2][0]
    assert ids(under(agent, low, "ancestors")["ancestors"]) == [
        low["parent_intent_id"], root["id"]]


@route("GET /api/v1/intents/{id}/ready")
@route("GET /api/v1/intents/{id}/blocked")
def test_G8_ready_and_blocked_children(agent):
    parent = new_intent(agent, "active")
    free = child(agent, parent)
    working = child(agent, parent, "active")
    done = child(agent, parent, "completed")
    child(agent, parent, "suspended_awaiting_input")
    child(agent, parent, "abandoned")
    waits = child(agent, parent, depends_on=[done["id"], free["id"]])
    fine = child(agent, parent, depends_on=[done["id"]])
    assert ids(under(agent, parent, "ready")["ready"]) == ids(
        [free, working, fine])
    assert ids(under(agent, parent, "blocked")["blocked"]) == [waits["id"]]
    agg = under(agent, parent, "children")["aggregate_status"]
    assert agg["total"] == 7 and agg["completion_percentage"] == 14
    assert agg["by_status"] == {
        "draft": 3, "active": 1, "blocked": 0,
        "suspended_awaiting_input": 1, "completed": 1, "abandoned": 1}
    assert agg["blocking_intents"] == [free["id"]]
    assert agg["ready_intents"] == ids([free, working, fine])


@pytest.fixture(scope="module")
def large(server):
    """An intent with 1,001 children."""
    with server.client("agent", agent="alpha") as agent:
        parent = new_intent(agent, "active")
    with server.database() as db:
        db.execute(
            "INSERT INTO intent (id, title, created_by, status, constraints, "
            "state, version, created_at, updated_at, parent_intent_id) "
            "SELECT gen_random_uuid(), 'x', 'x', 'draft', '{}', '{}', 1, "
            "now(), now(), %s FROM generate_series(1, 1001)", [parent["id"]])
    return parent


def test_what_is_too_large_says_so(agent, large):
    path = f"/api/v1/intents/{large['id']}"
    refused(agent.get(path + "/descendants"), 413, "response.too_large")
    graph = under(agent, large, "graph")
    assert graph["truncated"] is True and len(graph["nodes"]) == 1000
    page = under(agent, large, "children")
    assert len(page["children"]) == 1000 and page["next"]
    assert page["aggregate_status"]["total"] == 1001


def test_an_open_question_stands_in_the_graph(agent):
    parent = new_intent(agent, "active")
    asked = agent.post("/api/v1/suspensions", json={
        "question": "May I?", "response_type": "confirm",
        "timeout_seconds": 600,
        "intent": {"title": "x", "parent_intent_id": parent["id"]}}).json()
    _, node = under(agent, parent, "graph")["nodes"]
    assert node["id"] == asked["intent_id"]
    assert node["suspension_id"] == asked["suspension_id"]
    assert node["expires_at"] is not None


@pytest.mark.parametrize("what", ["graph", "descendants", "ancestors", "ready",
                                  "blocked", "children"])
def test_what_is_asked_of_an_intent_that_is_not_there(agent, what):
    for id in (ANY_ID, "x"):
        refused(agent.get(f"/api/v1/intents/{id}/{what}"), 404,
                "intent.unknown")


# --- Not a part of this server --------------------------------------------

def test_the_rows_are_found():
    assert len(UNSUPPORTED) > 45


@pytest.mark.parametrize("method, pattern", UNSUPPORTED)
def test_an_address_that_is_not_a_part_of_it_says_so(server, agent, method,
                                                     pattern):
    path = fill(pattern)
    body = refused(agent.request(method, path, params={"limit": "5"}), 501,
                   "feature.unsupported")
    assert body["detail"] == body["message"]
    if pattern.startswith("/v1/"):  # of the Agent Approval Protocol
        assert "rfc" not in body
    else:
        assert body["rfc"] in {f"00{n}" for n in range(14, 23)}
    with server.client() as nobody:
        assert nobody.request(method, path).status_code == 401
