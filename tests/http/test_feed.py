"""The feed of questions that have ended: one read for many agents, complete
and in order, held until there is something to tell."""
import concurrent.futures
import uuid

import pytest

from kit import answer, ask, refused, wait_for

LIST = "GET /api/v1/suspensions"
pytestmark = pytest.mark.route(LIST)


@pytest.fixture(scope="module")
def names():
    return [f"feed-{n}-{uuid.uuid4().hex[:8]}" for n in range(3)]


@pytest.fixture(scope="module")
def key(server, names):
    options = [word for name in names for word in ("--agent", name)]
    return server.key("agent", *options)


@pytest.fixture
def agents(server, key, names):
    """A client for each name of one key."""
    clients = [server.client(headers={"X-API-Key": key, "X-Agent-ID": name},
                             timeout=70) for name in names]
    yield clients
    for client in clients:
        client.close()


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        yield threads


watched = {}


@pytest.fixture(autouse=True)
def database(server):
    with server.database() as watched["db"]:
        yield


def settled():
    """The feed goes as far as the oldest open transaction of the server: of
    its clock or its signer, for a moment."""
    return watched["db"].execute(
        "SELECT FROM pg_stat_activity WHERE datname = current_database() AND "
        "backend_xid IS NOT NULL AND application_name LIKE 'sayso %'"
    ).rowcount == 0


def feed(client, after, **query):
    wait_for(settled)
    r = client.get("/api/v1/suspensions",
                   params={"ended_after": after, **query})
    assert r.status_code == 200, r.text
    return r.json()


def ids(page):
    return [s["suspension_id"] for s in page["suspensions"]]


def now(client):
    page = feed(client, "now")
    assert page["suspensions"] == [] and page["more"] is False
    return page["next"]


def test_every_end_is_there_once_and_in_order(agents, operator):
    first = agents[0]
    start = now(first)
    asked = [ask(first) for _ in range(4)]
    assert feed(first, start)["suspensions"] == []
    assert answer(operator, asked[2]).status_code == 200
    assert first.post(f"/api/v1/suspensions/{asked[0]['suspension_id']}"
                      "/cancel").status_code == 200
    assert answer(operator, asked[1], "deny").status_code == 200
    page = feed(first, start)
    assert ids(page) == [asked[n]["suspension_id"] for n in (2, 0, 1)]
    assert [s["state"] for s in page["suspensions"]] == [
        "resolved", "cancelled", "resolved"]
    one = first.get(f"/api/v1/suspensions/{asked[2]['suspension_id']}").json()
    assert page["suspensions"][0] == {
        k: one[k] for k in page["suspensions"][0]}
    assert feed(first, page["next"])["suspensions"] == []


def test_pages_follow_one_another(agents, operator):
    first = agents[0]
    place = now(first)
    asked = [ask(first) for _ in range(5)]
    for one in asked:
        assert answer(operator, one).status_code == 200
    got, more = [], True
    while more:
        page = feed(first, place, limit=2)
        assert len(page["suspensions"]) <= 2
        got, place, more = got + ids(page), page["next"], page["more"]
    assert got == [a["suspension_id"] for a in asked]


def test_a_page_of_the_largest_is_cut(agents, operator):
    first = agents[0]
    place = now(first)
    asked = [ask(first, context={"text": "\u0416" * 60000})
             for _ in range(120)]
    for one in asked:
        assert answer(operator, one).status_code == 200
    got, pages, more = [], 0, True
    while more:
        page = feed(first, place, limit=100)
        got, place, more = got + ids(page), page["next"], page["more"]
        pages += 1
    assert got == [a["suspension_id"] for a in asked]
    assert pages > 2


def test_one_name_or_every_name_of_the_key(agents, operator, names,
                                           other_agent):
    start = now(agents[0])
    asked = [ask(agent) for agent in agents]
    strange = ask(other_agent)
    for one in [*asked, strange]:
        assert answer(operator, one).status_code == 200
    mine = [a["suspension_id"] for a in asked]
    for agent, one in zip(agents, mine):
        assert ids(feed(agent, start)) == [one]
    page = feed(agents[1], start, agents="all")
    assert ids(page) == mine
    assert [s["asked_by"] for s in page["suspensions"]] == names
    assert strange["suspension_id"] in ids(feed(other_agent, start))
    everybody = ids(feed(operator, start))
    assert {*mine, strange["suspension_id"]} <= {*everybody}


def test_a_read_is_held_until_a_question_ends(agents, operator, pool):
    first, second, _ = agents
    start = now(first)
    asked = ask(second)
    held = pool.submit(feed, first, start, agents="all", wait=50)
    over_all = pool.submit(feed, operator, start, wait=15)
    done, _ = concurrent.futures.wait([held], 0.4)
    assert not done
    assert answer(operator, asked).status_code == 200
    assert ids(held.result(40)) == [asked["suspension_id"]]
    assert asked["suspension_id"] in ids(over_all.result(40))


def test_a_read_that_nothing_ends_is_empty_in_time(agents, pool):
    first = agents[0]
    start = now(first)
    page = feed(first, start, wait=1)
    assert page["suspensions"] == [] and page["more"] is False
    assert feed(first, page["next"])["suspensions"] == []


def test_no_end_is_passed_over_while_another_commits(server, agents,
                                                     operator, pool):
    """An older transaction of a worker may still end a question: the feed waits for it,
    so that its cursor never passes an end that is not visible yet."""
    first = agents[0]
    start = now(first)
    asked = ask(first)
    with server.database("sayso_web") as db:
        db.execute("BEGIN")
        db.execute("SELECT pg_current_xact_id()")
        assert answer(operator, asked).status_code == 200
        assert feed(first, start)["suspensions"] == []
        held = pool.submit(feed, first, start, wait=50)
        done, _ = concurrent.futures.wait([held], 0.4)
        assert not done
        db.execute("COMMIT")
    assert ids(held.result(40)) == [asked["suspension_id"]]


def test_the_search_is_bounded(server, agents, operator):
    """Ten thousand ends of others are passed in one read, not all."""
    first, second, _ = agents
    asked = ask(first)
    start = now(first)
    with server.database() as db:
        db.execute(
            "INSERT INTO decision (suspension_id, asked_by, suspended_at, "
            "state, outcome, attempt, decided_at) SELECT 'feed-' || n, "
            "'nobody', now(), 'cancelled', 'none', 1, now() "
            "FROM generate_series(1, 12000) n")
    try:
        assert answer(operator, asked).status_code == 200
        page = feed(first, start)
        assert page["suspensions"] == [] and page["more"] is True
        page = feed(first, page["next"])
        assert ids(page) == [asked["suspension_id"]]
        assert page["more"] is False
    finally:
        with server.database() as db:
            db.execute("DELETE FROM decision WHERE asked_by = 'nobody'")


@pytest.mark.parametrize("query, at", [
    ({"ended_after": "x"}, "ended_after"),
    ({"ended_after": "-1"}, "ended_after"),
    ({"ended_after": "1.a/b"}, "ended_after"),
    ({"ended_after": "1."}, "ended_after"),
    ({"ended_after": "e1"}, "ended_after"),
    ({"ended_after": "e1."}, "ended_after"),
    ({"ended_after": "e01.1"}, "ended_after"),
    ({"ended_after": "ex.1"}, "ended_after"),
    ({"ended_after": "now", "agents": "some"}, "agents"),
    ({"ended_after": "now", "state": "pending"}, "state"),
    ({"ended_after": "now", "after": str(uuid.uuid4())}, "after"),
    ({"agents": "all"}, "agents"),
    ({"wait": "5"}, "wait")])
def test_what_makes_no_sense_is_refused(agents, query, at):
    refused(agents[0].get("/api/v1/suspensions", params=query), 400,
            "request.query", at)


def test_a_place_of_another_epoch_is_none(agents):
    body = refused(agents[0].get("/api/v1/suspensions", params={
        "ended_after": "e1.5"}), 409, "feed.restored", "ended_after")
    assert body["restore_epoch"] == 0 and "restored_from" not in body


def test_an_intent_that_was_closed_to_the_agent_is_left_out(agents, operator,
                                                            admin):
    """Its questions are out of reach, also those that have ended."""
    first = agents[0]
    start = now(first)
    shut, open_ = ask(first), ask(first)
    with_entry = f"/api/v1/intents/{shut['intent_id']}"
    for one in shut, open_:
        assert answer(operator, one).status_code == 200
    assert ids(feed(first, start)) == [shut["suspension_id"],
                                       open_["suspension_id"]]
    owner = first.get(with_entry).json()
    assert owner["created_by"] == shut["asked_by"]  # the maker keeps access
    r = admin.put(f"{with_entry}/acl",
                  json={"default_policy": "closed", "entries": []})
    assert r.status_code == 200, r.text
    assert ids(feed(first, start)) == [shut["suspension_id"],
                                       open_["suspension_id"]]


def test_a_question_in_anothers_closed_intent_is_left_out(
        agents, operator, admin, other_agent):
    first = agents[0]
    made = other_agent.post("/api/v1/intents", json={"title": "x"}).json()
    path = f"/api/v1/intents/{made['id']}"
    name = first.headers["x-agent-id"]
    assert other_agent.post(f"{path}/agents",
                            json={"agent_id": name}).is_success
    assert other_agent.post(f"{path}/status", json={"status": "active"},
                            headers={"If-Match": "1"}).is_success
    start = now(first)
    asked = ask(first, intent_id=made["id"])
    assert answer(operator, asked).status_code == 200
    assert ids(feed(first, start)) == [asked["suspension_id"]]
    assert other_agent.delete(f"{path}/agents/{name}").is_success
    r = admin.put(f"{path}/acl",
                  json={"default_policy": "closed", "entries": []})
    assert r.status_code == 200, r.text
    assert ids(feed(first, start)) == []
    assert ids(feed(first, start, agents="all")) == []
    assert asked["suspension_id"] in ids(feed(operator, start))
