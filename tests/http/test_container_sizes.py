"""A portfolio of 1,000 members and a graph of 300 intents: they answer, and the
worker's time for it is printed. No test fails on a time; these servers run
under sanitizers, so that theirs is several times that of an installed one."""
import re
import statistics

import pytest
from kit import get, new_id, new_intent, set_status, wait_for
from test_intents import depend

MEMBERS, GRAPH, TIMES = 1000, 300, 7


def worked(server, responses):
    """The middle of the workers' times, in milliseconds."""
    def found():
        log = server.log()
        times = [re.search(rf"request={r.headers['x-request-id']} .*"
                           r"total_ms=([\d.]+)", log) for r in responses]
        return times if all(times) else None

    return statistics.median(float(t[1]) for t in wait_for(found))


def measure(server, what, call, status=200, times=TIMES):
    got = [call() for _ in range(times)]
    assert {r.status_code for r in got} == {status}, got[0].text
    size = len(got[0].content)
    print(f"{what}: {worked(server, got):.1f} ms, {size} bytes")
    return got[0].json() if size else None


@pytest.fixture(scope="module")
def full(server, agent):
    """A portfolio with 999 members, 989 of them completed."""
    r = agent.post("/api/v1/portfolios", json={
        "name": "x", "governance_policy": {"auto_complete_threshold": 100}})
    p = r.json()
    with server.database() as db:
        db.execute(
            "WITH made AS (INSERT INTO intent (id, title, created_by, status, "
            "constraints, state, version, created_at, updated_at, containers) "
            "SELECT gen_random_uuid(), 'Refund ' || n, 'refunds-agent', "
            "CASE WHEN n > 10 THEN 'completed' ELSE 'active' END, '{}', '{}', "
            "1, now(), now(), 1 FROM generate_series(1, %s) n RETURNING id) "
            "INSERT INTO portfolio_member (id, portfolio_id, intent_id, role, "
            "priority, added_at) SELECT gen_random_uuid(), %s, id, 'member', "
            "0, now() FROM made", [MEMBERS - 1, p["id"]])
    return p


def test_a_portfolio_of_1000(server, agent, operator, full):
    path = f"/api/v1/portfolios/{full['id']}"
    intent = new_intent(agent)
    body = {"intent_id": intent["id"]}
    measure(server, "a member more", lambda: agent.post(
        path + "/intents", json=body), 201, 1)
    measure(server, "the same again", lambda: agent.post(
        path + "/intents", json=body))
    p = measure(server, f"a portfolio of {MEMBERS}",
                lambda: agent.get(path))
    assert len(p["members"]) == MEMBERS
    assert p["aggregate_status"]["completion_percentage"] == 98
    all_of = measure(server, "its intents as a whole",
                     lambda: agent.get(path + "/intents"))
    assert len(all_of["intents"]) == MEMBERS
    measure(server, "a page of 50 of them", lambda: agent.get(
        path + "/intents", params={"limit": 50}))
    measure(server, "the list of portfolios",
            lambda: agent.get("/api/v1/portfolios"))

    now = get(agent, intent)
    measure(server, "a member waits", lambda: set_status(
        agent, now, "suspended_awaiting_input"), times=1)
    measure(server, "it goes on", lambda: set_status(
        operator, get(agent, intent), "active"), times=1)
    measure(server, "it completes", lambda: set_status(
        agent, get(agent, intent), "completed"), times=1)
    assert agent.get(path).json()["status"] == "active"


def test_a_graph_of_300(server, agent):
    """Three levels deep; each waits for the one before it."""
    root = new_intent(agent, "active")
    with server.database() as db:
        db.execute(
            "WITH made AS (INSERT INTO intent (id, title, created_by, status, "
            "constraints, state, version, created_at, updated_at, "
            "parent_intent_id) SELECT md5(%(seed)s || n)::uuid, 'Step ' || n, "
            "'refunds-agent', 'draft', '{}', '{}', 1, now(), now(), "
            "CASE WHEN n <= 10 THEN %(root)s WHEN n <= 60 THEN "
            "md5(%(seed)s || n %% 10 + 1)::uuid ELSE "
            "md5(%(seed)s || n %% 50 + 11)::uuid END "
            "FROM generate_series(1, %(many)s) n RETURNING id) "
            "SELECT count(*) FROM made",
            {"seed": new_id(), "root": root["id"], "many": GRAPH - 1})
        rows = db.execute(
            "WITH RECURSIVE below (id) AS (SELECT %s::uuid UNION ALL SELECT "
            "i.id FROM below b JOIN intent i ON i.parent_intent_id = b.id) "
            "SELECT i.id FROM below b JOIN intent i USING (id) "
            "ORDER BY i.title", [root["id"]]).fetchall()
        low = [i for (i,) in rows if str(i) != root["id"]]
        leaves = [i for (i,) in db.execute(
            "SELECT id FROM intent i WHERE id = ANY (%s) AND NOT EXISTS "
            "(SELECT 1 FROM intent c WHERE c.parent_intent_id = i.id) "
            "ORDER BY title", [low]).fetchall()]
        db.execute(
            "INSERT INTO intent_dependency (intent_id, dependency_id, "
            "added_at) SELECT a, b, now() FROM unnest(%s::uuid[], "
            "%s::uuid[]) AS e (a, b)", [leaves[1:], leaves[:-1]])
        db.execute(
            "UPDATE intent i SET depends_on = json_build_array("
            "d.dependency_id)::text FROM intent_dependency d "
            "WHERE d.intent_id = i.id AND i.id = ANY (%s)", [leaves])
    assert len(low) == GRAPH - 1
    path = f"/api/v1/intents/{root['id']}"
    graph = measure(server, f"a graph of {GRAPH}",
                    lambda: agent.get(path + "/graph"))
    assert len(graph["nodes"]) == GRAPH
    assert len(graph["edges"]) == GRAPH - 1 + len(leaves) - 1
    below = measure(server, "the descendants",
                    lambda: agent.get(path + "/descendants"))
    assert len(below["descendants"]) == GRAPH - 1
    first, last = ({"id": str(i), "version": 1} for i in (leaves[0],
                                                          leaves[-1]))
    ring = measure(server, "an edge that would close a ring",
                   lambda: depend(agent, first, last), 400)
    assert ring["code"] == "intent.cycle"
    measure(server, "an edge", lambda: depend(agent, {
        **last, "version": 1}, {"id": str(leaves[0])}), times=1)
    measure(server, "a coordinator of all", lambda: agent.post(
        "/api/v1/coordinators", json={
            "intent_id": root["id"], "agent_id": "refunds-agent",
            "heartbeat_interval_seconds": 86400,
            "suspension_policy": "escalate"}), 201, 1)
    now = get(agent, root)
    measure(server, "a question with its coordinator", lambda: set_status(
        agent, now, "suspended_awaiting_input"), times=1)
