"""What a request may hold: lists of the largest rows, bodies that grow in
memory, and a worker that lives through all of them."""
import json
import re

import pytest

from kit import Watched, complaints, new_intent, refused
from server import place

LARGE = "x" * 500_000
MANY = 52


@pytest.fixture(scope="module")
def server():
    one = Watched(place("ceilings"), SAYSO_WORKERS="2",
                  SAYSO_DATABASE_TIMEOUT="20").start()
    workers = one.workers()
    yield one
    assert complaints(one) == []
    assert one.workers() == workers
    one.stop()


@pytest.fixture(scope="module")
def agent(server):
    with server.client("agent", agent="alpha", timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def auditor(server):
    server.env["SAYSO_AUDITOR_KEY"] = server.key("auditor")
    with server.client("auditor", timeout=60) as client:
        yield client


@pytest.fixture(scope="module")
def family(agent):
    """A parent with more children of the largest size than one page holds,
    all of which one intent waits for."""
    parent = new_intent(agent, title="parent")
    made = [new_intent(agent, title=f"c{n}", parent_intent_id=parent["id"],
                       state={"x": LARGE})["id"] for n in range(MANY)]
    waiting = new_intent(agent, title="waits", depends_on=made)
    return parent["id"], made, waiting["id"]


def walk(client, path, member, **query):
    """All that a list holds, page by page, and how long the pages were."""
    found, pages, after = [], [], None
    while after or not pages:
        if after:
            query["after"] = after
        r = client.get(path, params=query)
        assert r.status_code == 200, r.text
        page = r.json()
        rows = page[member]
        assert rows
        found += rows
        pages.append(len(rows))
        after = page["next"]
        assert after in (None, rows[-1]["id"])
    return found, pages


def counter(client, name):
    text = client.get("/metrics").text
    return int(re.search(rf"^{name} (\d+)$", text, re.M)[1])


@pytest.mark.route("GET /api/v1/intents")
def test_c1_intents_of_the_largest_size_are_listed_page_by_page(
        auditor, family):
    r = auditor.get("/api/v1/intents")
    assert r.status_code == 200
    assert 1 < len(r.json()["intents"]) < 50 and r.json()["next"]
    found, pages = walk(auditor, "/api/v1/intents", "intents", limit=1000)
    ids = [i["id"] for i in found]
    assert len(ids) == len(set(ids)) == MANY + 2
    assert len(pages) >= 3


@pytest.mark.route("GET /api/v1/intents/{id}/children")
@pytest.mark.route("GET /api/v1/intents/{id}/dependencies")
@pytest.mark.route("GET /api/v1/intents/{id}/dependents")
def test_c1_relations_of_the_largest_size_are_listed_page_by_page(
        auditor, family):
    parent, made, waiting = family
    for path, member in ((parent, "children"), (waiting, "dependencies")):
        found, pages = walk(auditor, f"/api/v1/intents/{path}/{member}",
                            member)
        assert [i["id"] for i in found] == made
        assert 1 < len(pages) < MANY
    found, pages = walk(auditor, f"/api/v1/intents/{made[0]}/dependents",
                        "dependents", limit=1)
    assert [i["id"] for i in found] == [waiting] and pages == [1]
    refused(auditor.get(f"/api/v1/intents/{parent}/children",
                        params={"after": waiting}),
            400, "request.query", "after")


@pytest.mark.route("POST /api/v1/intents")
def test_h1_a_body_whose_tree_is_too_large_is_refused(server, agent):
    before = counter(agent, "sayso_requests_over_memory_total")
    body = '{"title": "t", "state": {"x": [' + ",".join(["{}"] * 340_000) \
        + "]}}"
    r = agent.post("/api/v1/intents", content=body,
                   headers={"Content-Type": "application/json"})
    refused(r, 413, "request.too_large")
    assert counter(agent, "sayso_requests_over_memory_total") == before + 1


@pytest.mark.route("GET /api/v1/suspensions/{id}")
def test_h1_an_answer_that_is_too_large_ends_the_request_alone(server, agent):
    made = agent.post("/api/v1/suspensions", json={
        "question": "May I?", "response_type": "text"})
    assert made.status_code == 201
    id = made.json()["suspension_id"]
    with server.database() as db:
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE suspension SET context = %s WHERE id = %s",
                   (json.dumps({"x": [{}] * 400_000}), id))
    before = counter(agent, "sayso_requests_over_memory_total")
    for _ in range(5):
        refused(agent.get(f"/api/v1/suspensions/{id}"), 503, "request.memory")
    assert counter(agent, "sayso_requests_over_memory_total") == before + 5
    assert agent.get("/readyz").status_code == 200
