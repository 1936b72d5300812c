"""Portfolios of OpenIntent: their members, what they add up to, their ends.
The numbers are those of the list of tests that they were planned with."""
import re

import kit
import pytest
from kit import (ANY_ID, NAIVE, answer, ask, events, get, made, new_id,
                 new_intent, refused, set_status, together, types, wait_for)

route = pytest.mark.route
PORTFOLIOS = "/api/v1/portfolios"


def at(portfolio, *path):
    return "/".join([PORTFOLIOS, portfolio["id"], *path])


def portfolio(client, policy=None, **more):
    """A new portfolio, as the SDK asks for it."""
    return made(client.post(PORTFOLIOS, json={
        "name": "Returns", "description": None, "created_by": "refunds-agent",
        "governance_policy": policy or {}, "metadata": {}, **more}))


def add(client, p, intent, **more):
    return client.post(at(p, "intents"), json={
        "intent_id": intent["id"], "role": "member", "priority": 0, **more})


def read(client, p):
    return made(client.get(at(p)), 200)


def end(client, p, status):
    return client.patch(at(p, "status"), json={"status": status})


def member(client, p, status="active", **more):
    intent = new_intent(client, status)
    made(add(client, p, intent, **more))
    return intent


def complete(client, intent):
    return made(set_status(client, get(client, intent), "completed"), 200)


@pytest.fixture(scope="module")
def apart(server):
    """A client of an agent that reaches only its own intents."""
    key = server.key("agent", "--agent", "apart")
    with server.client(headers={"X-API-Key": key}) as client:
        yield client


# --- Making and reading ---------------------------------------------------

@route("POST /api/v1/portfolios")
@route("GET /api/v1/portfolios/{id}")
@route("GET /api/v1/portfolios")
def test_P1_a_portfolio_as_the_sdk_makes_and_reads_it(agent, operator):
    p = portfolio(agent, {"deadline": "2030-01-01T00:00:00", "colour": "red"},
                  metadata={"team": "returns"})
    assert p["description"] is None and p["status"] == "active"
    assert p["created_by"] == "refunds-agent" and p["version"] == 1
    assert p["governance_policy"]["colour"] == "red"
    assert p["enforced_policy"] == ["deadline"]
    assert p["deadline"] == "2030-01-01T00:00:00.000000"
    assert p["metadata"] == {"team": "returns"}
    for one, other in (("created_at", "createdAt"), ("updated_at",
                                                     "updatedAt")):
        assert NAIVE.fullmatch(p[one]) and p[one] == p[other]
    assert p["members"] == [] and "intents" not in p
    assert p["aggregate_status"]["status"] == "in_progress"
    assert read(operator, p) == p
    listed = made(agent.get(PORTFOLIOS, params={
        "created_by": "refunds-agent", "limit": 1}), 200)
    [first] = listed["portfolios"]
    assert first["id"] == p["id"]
    assert "members" not in first and "aggregate_status" not in first


def test_the_portfolios_page_by_page(agent):
    maker = f"maker-{new_id()[:8]}"
    ids = [portfolio(agent)["id"] for _ in range(5)]
    seen, after = [], {}
    while True:
        page = made(agent.get(PORTFOLIOS, params={"limit": 2, **after}), 200)
        seen += [p["id"] for p in page["portfolios"]]
        if not page["next"] or len(seen) >= 5:
            break
        after = {"after": page["next"]}
    assert seen[:5] == ids[::-1]
    assert made(agent.get(PORTFOLIOS, params={"created_by": maker}),
                200)["portfolios"] == []
    ended = made(agent.get(PORTFOLIOS, params={"status": "abandoned"}), 200)
    assert not {*ids} & {p["id"] for p in ended["portfolios"]}
    refused(agent.get(PORTFOLIOS, params={"status": "paused"}), 400,
            "request.query", "status")


def test_the_earlier_deadline_counts(agent):
    p = portfolio(agent, {"timeout_hours": 1,
                          "deadline": "2999-01-01T00:00:00Z"})
    assert p["deadline"][:10] >= p["created_at"][:10]
    assert p["deadline"] < "2999"
    assert p["enforced_policy"] == ["deadline", "timeout_hours"]
    body = {"name": "x", "governance": {"auto_complete_threshold": 50}}
    p = made(agent.post(PORTFOLIOS, json=body))
    assert p["enforced_policy"] == ["auto_complete_threshold"]
    assert p["governance_policy"] == {"auto_complete_threshold": 50}


@pytest.mark.parametrize("body, code, where", [
    ({}, "field.missing", "name"),
    ({"name": " "}, "field.empty", "name"),
    ({"name": "x" * 201}, "field.too_long", "name"),
    ({"name": "x", "metadata": []}, "field.type", "metadata"),
    *[({"name": "x", "governance_policy": {key: value}}, code,
       f"governance_policy.{key}") for key, value, code in (
        ("deadline", "soon", "field.time"), ("deadline", 7, "field.type"),
        ("timeout_hours", 0, "field.range"),
        ("timeout_hours", "1", "field.range"),
        ("timeout_hours", 1e9, "field.range"),
        ("require_all_completed", "yes", "field.type"),
        ("allow_partial_completion", 1, "field.type"),
        ("auto_complete_threshold", 0, "field.range"),
        ("auto_complete_threshold", 101, "field.range"))]])
def test_a_portfolio_that_cannot_be(agent, body, code, where):
    refused(agent.post(PORTFOLIOS, json=body), 422, code, where)


def test_a_portfolio_that_there_is_not(agent, operator):
    for id in (ANY_ID, "x"):
        p = {"id": id}
        for path in ((), ("intents",)):
            refused(agent.get(at(p, *path)), 404, "portfolio.unknown")
        refused(end(agent, p, "completed"), 404, "portfolio.unknown")
        refused(add(agent, p, new_intent(agent)), 404, "portfolio.unknown")
        refused(operator.patch(at(p), json={"name": "x"}), 404,
                "portfolio.unknown")


# --- Members --------------------------------------------------------------

@route("POST /api/v1/portfolios/{id}/intents")
@route("DELETE /api/v1/portfolios/{id}/intents/{intent_id}")
def test_a_member_comes_and_goes(agent):
    p, intent = portfolio(agent), new_intent(agent)
    m = made(add(agent, p, intent, role="primary", priority=7))
    assert (m["portfolio_id"], m["intent_id"]) == (p["id"], intent["id"])
    assert (m["role"], m["priority"]) == ("primary", 7)
    assert NAIVE.fullmatch(m["added_at"]) and m["added_at"] == m["addedAt"]
    again = made(add(agent, p, intent, priority=3), 200)
    assert (again["id"], again["role"], again["priority"]) == (
        m["id"], "member", 3)
    assert read(agent, p)["members"] == [
        {"intent_id": intent["id"], "role": "member", "priority": 3,
         "status": "active", "added_at": m["added_at"]}]
    assert get(agent, intent)["version"] == intent["version"]
    gone = agent.delete(at(p, "intents", intent["id"]))
    assert gone.status_code == 204 and gone.text == ""
    assert read(agent, p)["members"] == []
    refused(agent.delete(at(p, "intents", intent["id"])), 404,
            "portfolio.no_member")
    assert types(agent, intent["id"])[-2:] == ["added_to_portfolio",
                                               "removed_from_portfolio"]
    last = events(agent, intent["id"], limit=2)
    assert last[1]["payload"] == {"portfolio_id": p["id"], "role": "primary",
                                  "priority": 7}
    assert last[0]["payload"] == {"portfolio_id": p["id"], "role": "member",
                                  "priority": 3}


def test_an_intent_is_marked_while_it_is_in_one(server, agent):
    def bits():
        with server.database() as db:
            return db.execute("SELECT containers FROM intent WHERE id = %s",
                              [intent["id"]]).fetchone()[0]

    intent, two = new_intent(agent), [portfolio(agent), portfolio(agent)]
    assert bits() == 0
    for p in two:
        made(add(agent, p, intent))
        assert bits() == 1
    for p, left in zip(two, (1, 0)):
        agent.delete(at(p, "intents", intent["id"]))
        assert bits() == left


@route("GET /api/v1/portfolios/{id}/intents")
def test_whole_intents_by_priority(agent):
    p = portfolio(agent)
    low, first, second = (member(agent, p, priority=n) for n in (-1, 5, 5))
    wanted = [first["id"], second["id"], low["id"]]
    page = made(agent.get(at(p, "intents")), 200)
    assert [i["id"] for i in page["intents"]] == wanted
    assert page["intents"][0]["state"] == {} and page["next"] is None
    assert page["aggregate_status"] == read(agent, p)["aggregate_status"]
    seen, after = [], {}
    for _ in range(3):
        page = made(agent.get(at(p, "intents"),
                              params={"limit": 1, **after}), 200)
        seen += [i["id"] for i in page["intents"]]
        after = {"after": page["next"]}
    assert seen == wanted and page["next"] is None
    assert [m["intent_id"] for m in read(agent, p)["members"]] == wanted


def test_what_the_members_add_up_to(agent):
    p = portfolio(agent)
    before = new_intent(agent, "active")
    waits = new_intent(agent, "draft", depends_on=[before["id"]])
    for one in (waits, new_intent(agent, "completed")):
        made(add(agent, p, one))
    told = read(agent, p)["aggregate_status"]
    assert told["total"] == 2 and told["completion_percentage"] == 50
    assert told["by_status"] == {
        "draft": 1, "active": 0, "blocked": 0, "suspended_awaiting_input": 0,
        "completed": 1, "abandoned": 0}
    assert told["blocking_intents"] == [before["id"]]
    assert told["ready_intents"] == [] and told["status"] == "in_progress"
    complete(agent, before)
    assert read(agent, p)["aggregate_status"]["ready_intents"] == [
        waits["id"]]
    made(set_status(agent, waits, "abandoned"), 200)
    assert read(agent, p)["aggregate_status"]["status"] == "failed"
    q = portfolio(agent)
    member(agent, q, "completed")
    assert read(agent, q)["aggregate_status"]["status"] == "completed"


@route("GET /api/v1/intents/{id}/portfolios")
def test_an_intent_is_in_at_most_five(agent):
    intent, six = new_intent(agent), [portfolio(agent) for _ in range(6)]
    for p in six[:5]:
        made(add(agent, p, intent))
    refused(add(agent, six[5], intent), 409, "portfolio.too_many")
    assert made(add(agent, six[0], intent, priority=1), 200)
    listed = made(agent.get(f"/api/v1/intents/{intent['id']}/portfolios"),
                  200)
    assert [p["id"] for p in listed["portfolios"]] == [
        p["id"] for p in six[:5]]


def test_one_primary(agent):
    p = portfolio(agent)
    first = member(agent, p, role="primary")
    other = member(agent, p)
    refused(add(agent, p, other, role="primary"), 409,
            "portfolio.second_primary")
    made(add(agent, p, first, role="primary", priority=2), 200)
    made(add(agent, p, first, role="dependency"), 200)
    made(add(agent, p, other, role="primary"), 200)


def worker_ms(server, response):
    """The time that the worker took for it, by its log."""
    id = response.headers["x-request-id"]
    return float(wait_for(lambda: re.findall(
        rf"request={id} .*total_ms=([0-9.]+)", server.log()))[0])


def test_a_thousand_members_and_no_more(server, agent, operator):
    p, one = portfolio(agent), new_intent(agent)
    with server.database() as db:
        db.execute(
            "WITH made AS (INSERT INTO intent (id, title, created_by, status,"
            " constraints, state, version, created_at, updated_at, containers)"
            " SELECT gen_random_uuid(), 'x', 'x', 'active', '{}', '{}', 1, "
            "now(), now(), 1 FROM generate_series(1, 1000) RETURNING id) "
            "INSERT INTO portfolio_member (id, portfolio_id, intent_id, role, "
            "priority, added_at) SELECT gen_random_uuid(), %s, id, 'member', "
            "0, now() FROM made", [p["id"]])
    refused(add(agent, p, one), 409, "portfolio.full")
    with server.database() as db:
        db.execute("ANALYZE portfolio_member, intent")
    for client in (operator, agent):
        for _ in range(3):
            r = client.get(at(p))
        told = made(r, 200)
        assert told["aggregate_status"]["total"] == 1000
        assert len(told["members"]) == 1000
        print(f"\na portfolio of 1000 members: {worker_ms(server, r)} ms")


# --- Suspended members ----------------------------------------------------

def told_of(client, intent, type):
    """The payloads of the events of that type, oldest first."""
    return [e["payload"] for e in reversed(events(client, intent["id"]))
            if e["event_type"] == type]


def test_P2_a_suspended_member_and_its_answer(agent, operator):
    p, other = portfolio(agent), portfolio(agent)
    member(agent, p)
    one = member(agent, p)
    made(add(agent, other, one))
    question = ask(agent, intent_id=one["id"], timeout_seconds=3600)
    told = read(agent, p)
    assert told["has_suspended_members"] is True
    assert told["suspended_member_count"] == 1 and told["status"] == "active"
    assert told["aggregate_status"]["by_status"] == {
        "draft": 0, "active": 1, "blocked": 0, "suspended_awaiting_input": 1,
        "completed": 0, "abandoned": 0}
    [phase] = told["progress"]["suspended_phases"]
    assert (phase["phase_name"], phase["intent_id"]) == ("Refund", one["id"])
    assert NAIVE.fullmatch(phase["suspended_since"])
    assert NAIVE.fullmatch(phase["expires_at"])
    payloads = told_of(agent, one, "portfolio.member_suspended")
    assert {x["portfolio_id"] for x in payloads} == {p["id"], other["id"]}
    assert len(payloads) == 2
    for x in payloads:
        assert x["suspension_id"] == question["suspension_id"]
        assert x["intent_id"] == one["id"]
        assert x["suspended_since"] == phase["suspended_since"]
        assert x["expires_at"] == phase["expires_at"]
    assert answer(operator, question).status_code == 200
    told = read(agent, p)
    assert told["has_suspended_members"] is False
    assert told["suspended_member_count"] == 0
    assert told["progress"] == {"suspended_phases": []}
    payloads = told_of(agent, one, "portfolio.member_resumed")
    assert len(payloads) == 2
    assert {x["resolution"] for x in payloads} == {"responded"}
    assert {x["status"] for x in payloads} == {"active"}
    assert {x["suspension_id"] for x in payloads} == {
        question["suspension_id"]}
    assert types(agent, one["id"])[-3:-1] == ["intent.resumed",
                                              "portfolio.member_resumed"]


def test_P2_the_two_calls_of_the_sdk(agent, operator):
    """The first one suspends; the question follows."""
    p, one = portfolio(agent), new_intent(agent)
    made(add(agent, p, one))
    for resolved in ("cancelled", "responded"):
        one = set_status(agent, get(agent, one),
                         "suspended_awaiting_input").json()
        last = told_of(agent, one, "portfolio.member_suspended")[-1]
        assert last["suspension_id"] is None and last["expires_at"] is None
        [phase] = read(agent, p)["progress"]["suspended_phases"]
        assert phase["suspended_since"] == last["suspended_since"]
        if resolved == "responded":
            q = made(agent.post("/api/v1/suspensions", json={
                "question": "May I?", "intent_id": one["id"]}))
            assert answer(operator, q, "yes").status_code == 200
        else:
            made(set_status(operator, one, "active"), 200)
        last = told_of(agent, one, "portfolio.member_resumed")[-1]
        assert last["resolution"] == resolved
        assert (last["suspension_id"] is None) == (resolved == "cancelled")
    assert len(told_of(agent, one, "portfolio.member_suspended")) == 2
    assert len(told_of(agent, one, "portfolio.member_resumed")) == 2


def test_an_ended_portfolio_is_told_nothing(agent, operator):
    p = portfolio(agent)
    one = member(agent, p)
    made(end(agent, p, "abandoned"), 200)
    question = ask(agent, intent_id=one["id"])
    assert answer(operator, question).status_code == 200
    assert not [t for t in types(agent, one["id"]) if "member_" in t]


def test_an_intent_in_no_portfolio_is_told_nothing(agent, operator):
    p = portfolio(agent)
    one = member(agent, p)
    agent.delete(at(p, "intents", one["id"]))
    question = ask(agent, intent_id=one["id"])
    assert answer(operator, question).status_code == 200
    assert not [t for t in types(agent, one["id"]) if "member_" in t]


# --- Ends -----------------------------------------------------------------

@route("PATCH /api/v1/portfolios/{id}/status")
def test_P7_it_is_completed_after_its_members(agent):
    strict = portfolio(agent)
    partial = portfolio(agent, {"allow_partial_completion": True})
    loose = portfolio(agent, {"require_all_completed": False})
    one = new_intent(agent)
    for p in (strict, partial, loose):
        made(add(agent, p, one))
    for p in (strict, partial):
        body = refused(end(agent, p, "completed"), 409,
                       "portfolio.members_open")
        assert body["detail"]["open"] == [one["id"]]
    made(end(agent, loose, "completed"), 200)
    made(set_status(agent, one, "abandoned"), 200)
    refused(end(agent, strict, "completed"), 409, "portfolio.members_open")
    done = made(end(agent, partial, "completed"), 200)
    assert (done["status"], done["version"]) == ("completed", 2)
    assert done["status_by"] == "refunds-agent" and done["status_at"]
    assert made(end(agent, partial, "completed"), 200) == done


@pytest.mark.parametrize("rounds", [200])
def test_P6_two_members_complete_at_once(agent, rounds):
    for _ in range(rounds):
        p = portfolio(agent, {"auto_complete_threshold": 100})
        one, two = member(agent, p), member(agent, p)
        assert read(agent, p)["status"] == "active"
        for r in together(lambda: set_status(agent, one, "completed"),
                          lambda: set_status(agent, two, "completed")):
            assert r.status_code == 200, r.text
        done = read(agent, p)
        assert (done["status"], done["version"]) == ("completed", 2)


def test_the_member_that_reaches_the_threshold_completes_it(agent):
    p = portfolio(agent, {"auto_complete_threshold": 60})
    three = [member(agent, p) for _ in range(3)]
    for one, status in zip(three, ("active", "completed", "completed")):
        complete(agent, one)
        assert read(agent, p)["status"] == status
    assert read(agent, p)["version"] == 2


def test_an_ended_portfolio_stays_as_it_is(agent, operator):
    p, one = portfolio(agent), new_intent(agent)
    left = member(agent, p)
    made(end(agent, p, "abandoned"), 200)
    for status in ("active", "completed"):
        refused(end(agent, p, status), 409, "portfolio.ended")
    refused(add(agent, p, one), 409, "portfolio.ended")
    refused(operator.patch(at(p), json={"name": "x"}), 409,
            "portfolio.ended")
    assert read(agent, p)["members"][0]["status"] == "active"
    # Out of it an intent may go, for it may be in five alone.
    gone = agent.delete(at(p, "intents", left["id"]))
    assert gone.status_code == 204 and read(agent, p)["members"] == []
    refused(agent.patch(at(p, "status"), json={"status": "x"}), 422)


@route("PATCH /api/v1/portfolios/{id}")
def test_people_change_what_it_is_called_and_its_deadline(agent, operator):
    p = portfolio(agent, {"deadline": "2030-01-01T00:00:00", "x": 1})
    refused(agent.patch(at(p), json={"name": "Mine"}), 403)
    now = made(operator.patch(at(p), json={
        "name": "Theirs", "description": "All of them.",
        "deadline": "2031-01-01T00:00:00Z"}), 200)
    assert (now["name"], now["description"]) == ("Theirs", "All of them.")
    assert now["deadline"] == "2031-01-01T00:00:00.000000"
    assert now["version"] == 2 and now["governance_policy"]["x"] == 1
    now = made(operator.patch(at(p), json={"description": None,
                                           "deadline": None}), 200)
    assert now["name"] == "Theirs" and now["description"] is None
    assert now["deadline"] is None and now["enforced_policy"] == []
    refused(operator.patch(at(p), json={"deadline": "soon"}), 422,
            "field.time", "deadline")


# --- Whose they are -------------------------------------------------------

def test_P8_only_its_maker_and_people_change_it(agent, other_agent, operator,
                                               auditor):
    p, theirs = portfolio(agent), portfolio(other_agent)
    one = new_intent(agent)
    refused(add(other_agent, theirs, one), 403, "portfolio.not_yours")
    refused(add(other_agent, p, new_intent(other_agent)), 403,
            "portfolio.not_yours")
    refused(end(other_agent, p, "abandoned"), 403, "portfolio.not_yours")
    made(add(operator, theirs, one))
    refused(agent.delete(at(theirs, "intents", one["id"])), 403,
            "portfolio.not_yours")
    refused(end(auditor, p, "abandoned"), 403)
    assert made(end(operator, p, "abandoned"), 200)["status_by"]
    assert read(auditor, p)["status"] == "abandoned"


def test_what_is_out_of_reach_is_left_out(agent, operator, apart):
    p, own = portfolio(agent), new_intent(apart)
    member(agent, p)
    refused(apart.get(at(p)), 404, "portfolio.unknown")
    refused(apart.get(at(p, "intents")), 404, "portfolio.unknown")
    made(add(operator, p, own))
    told = read(apart, p)
    assert [m["intent_id"] for m in told["members"]] == [own["id"]]
    assert told["aggregate_status"]["total"] == 1
    listed = made(apart.get(PORTFOLIOS), 200)["portfolios"]
    assert [x["id"] for x in listed] == [p["id"]]
    page = made(apart.get(at(p, "intents")), 200)
    assert [i["id"] for i in page["intents"]] == [own["id"]]
    mine = portfolio(apart)
    refused(add(apart, mine, new_intent(agent)), 404, "intent.unknown")
    assert read(apart, mine)["members"] == []


@route("POST /api/v1/portfolios")
def test_portfolios_count_as_stored(server):
    key = server.key("agent", "--agent", f"store-{new_id()[:8]}")
    with kit.configured(server, limit_bytes_mb="1", limit_rate="1000"), \
            server.client(headers={"X-API-Key": key}) as client:
        def create():
            return client.post(PORTFOLIOS, json={
                "name": "x", "metadata": {"x": "x" * 60000}})
        wait_for(lambda: create().status_code == 429)
        refused(create(), 429, "limit.bytes")
