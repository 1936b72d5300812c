"""Coordinators of OpenIntent: the agent that answers for an intent and those
below it. C1 and C2 are the numbers of the list of tests that they were planned
with. A server of its own, whose clock the test moves."""
import json

import pytest

import kit
from kit import (answer, ask, events, get, made, new_id, new_intent, patch,
                 put, record, refused, set_status, suspend, together, types,
                 wait_for)
from server import place
from test_streams import Stream

route = pytest.mark.route
PATH = "/api/v1/coordinators"


@pytest.fixture(scope="module")
def server(clock):
    """With two channels to people; nobody is there."""
    with kit.own_server(place("coordinators"), **clock.setting) as one:
        with one.database() as db:
            for name, every in (("desk", True), ("lead", False)):
                db.execute(
                    "INSERT INTO endpoint (id, kind, name, address, notify_to, "
                    "every_question, detail, secret, created_at, created_by) "
                    "VALUES (%s, 'webhook', %s, %s, '{eva}', %s, 'summary', "
                    "'whsec_AAAA', now(), 'x')",
                    [new_id(), name, f"https://{name}.invalid", every])
        yield one


def coordinate(client, intent, name="refunds-agent", **more):
    return client.post(PATH, json={"intent_id": intent["id"],
                                   "agent_id": name, **more})


def of(client, intent):
    return made(client.get(f"/api/v1/intents/{intent['id']}/coordinators"),
                200)


def child(client, parent, **more):
    return made(client.post(f"/api/v1/intents/{parent['id']}/children",
                            json={"title": "Child", **more}))


def told(server, intent):
    """The notices of an intent: channel, type and body."""
    with server.database() as db:
        rows = db.execute(
            "SELECT e.name, d.type, d.recipient, d.body FROM delivery d JOIN "
            "endpoint e ON e.id = d.endpoint_id WHERE d.intent_id = %s "
            "ORDER BY d.created_at, e.name", [intent["id"]]).fetchall()
    return [(name, kind, to, json.loads(body))
            for name, kind, to, body in rows]


# --- One for an intent -----------------------------------------------------

@route("POST /api/v1/coordinators")
@route("GET /api/v1/coordinators/{id}")
@route("GET /api/v1/intents/{id}/coordinators")
def test_C1_one_for_an_intent(agent, other_agent, operator):
    intent = new_intent(agent)
    one = made(coordinate(agent, intent, supervisor_id="eva",
                          suspension_policy="escalate", role="planner",
                          guardrails={"max_tasks_per_plan": 5, "x": [1]},
                          metadata={"team": "refunds"}, version=7))
    assert one["status"] == "active" and one["scope"] == "intent"
    assert one["coordinator_type"] == "llm" and one["version"] == 1
    assert one["supervisor_id"] == "eva" and one["portfolio_id"] is None
    assert one["suspension_policy"] == "escalate"
    assert one["guardrails"] == {"max_tasks_per_plan": 5, "x": [1]}
    assert one["enforced_guardrails"] == ["max_tasks_per_plan"]
    assert one["heartbeat_interval_seconds"] == 60
    assert one["last_heartbeat"] == one["granted_at"]
    assert made(agent.get(f"{PATH}/{one['id']}"), 200) == one
    assert of(operator, intent) == [one]

    body = refused(coordinate(other_agent, intent, "other-agent"), 409,
                   "lease.coordinated")
    assert body["existing_lease"]["id"] == one["id"]
    refused(coordinate(operator, intent, "other-agent"), 409,
            "lease.coordinated")
    again = made(coordinate(agent, intent), 200)
    assert (again["id"], again["version"]) == (one["id"], 2)
    assert again["granted_at"] == one["granted_at"]
    assert again["suspension_policy"] == "isolate"
    assert again["supervisor_id"] is None and again["guardrails"] == {}
    assert of(agent, intent) == [again]
    refused(coordinate(agent, intent, suspension_policy="stop"), 422,
            "field.value", "suspension_policy")


def test_the_terms_of_a_person_are_not_the_agents_to_change(agent, operator):
    intent = new_intent(agent)
    rails = {"max_tasks_per_plan": 1}
    one = made(coordinate(operator, intent, "refunds-agent",
                          guardrails=rails))
    assert one["granted_by"] == "demo operator"
    path = f"{PATH}/{one['id']}"
    refused(coordinate(agent, intent), 403, "coordinator.not_yours")
    refused(agent.delete(path), 403, "coordinator.not_yours")
    assert of(agent, intent) == [one]
    assert agent.post(path + "/heartbeat").status_code == 200
    again = made(coordinate(operator, intent, "refunds-agent"), 200)
    assert (again["version"], again["guardrails"]) == (2, {})
    made(operator.delete(path), 200)
    # A person's terms take the place of the agent's own.
    own = made(coordinate(agent, intent))
    assert own["granted_by"] is None
    made(coordinate(operator, intent, "refunds-agent", guardrails=rails), 200)
    refused(coordinate(agent, intent), 403, "coordinator.not_yours")


def test_two_agents_at_once(agent, other_agent):
    for _ in range(20):
        intent = new_intent(agent)
        got = together(
            lambda: coordinate(agent, intent),
            lambda: coordinate(other_agent, intent, "other-agent"))
        assert sorted(r.status_code for r in got) == [201, 409]
        [one] = of(agent, intent)
        won = next(r for r in got if r.status_code == 201)
        assert one["id"] == won.json()["id"]


@pytest.mark.parametrize("more, code, member", [
    ({"intent_id": None}, "field.missing", "intent_id"),
    ({"intent_id": "x"}, None, "intent_id"),
    ({"portfolio_id": new_id()}, "coordinator.portfolio", "portfolio_id"),
    ({"agent_id": None}, "field.missing", "agent_id"),
    ({"agent_id": "a b"}, "agent.name", "agent_id"),
    ({"coordinator_type": "robot"}, "field.value", "coordinator_type"),
    ({"guardrails": {"on_exceed": "x"}}, "field.value",
     "guardrails.on_exceed"),
    ({"guardrails": {"requires_plan_review": "yes"}}, "field.type",
     "guardrails.requires_plan_review"),
    ({"guardrails": {"x": "x" * 20000}}, "field.too_long", "guardrails"),
    ({"heartbeat_interval_seconds": 0}, None, "heartbeat_interval_seconds")])
def test_a_body_that_cannot_be_read(agent, more, code, member):
    intent = new_intent(agent)
    body = {"intent_id": intent["id"], "agent_id": "refunds-agent", **more}
    refused(agent.post(PATH, json={k: v for k, v in body.items() if v}
                       if None in more.values() else body), 422, code, member)
    assert of(agent, intent) == []


def test_who_makes_one(agent, other_agent, operator):
    intent = new_intent(agent)
    refused(coordinate(agent, intent, "other-agent"), 403,
            "coordinator.not_yours")
    one = made(coordinate(operator, intent, "other-agent"))
    assert one["agent_id"] == "other-agent"
    ended = new_intent(agent, "abandoned")
    refused(coordinate(agent, ended), 409, "intent.ended")
    for id in (new_id(), "x"):
        refused(agent.get(f"{PATH}/{id}"), 404, "coordinator.unknown")
        refused(agent.post(f"{PATH}/{id}/heartbeat"), 404,
                "coordinator.unknown")
    refused(coordinate(agent, {"id": new_id()}), 404, "intent.unknown")


def test_a_coordinator_reaches_its_intent(server, agent, operator):
    name = f"apart-{new_id()[:8]}"
    key = server.key("agent", "--agent", name)
    intent = new_intent(agent)
    with server.client(headers={"X-API-Key": key}) as apart:
        refused(apart.get(f"/api/v1/intents/{intent['id']}"), 404)
        one = made(coordinate(operator, intent, name))
        assert get(apart, intent)["id"] == intent["id"]
        listed = apart.get("/api/v1/intents").json()["intents"]
        assert [i["id"] for i in listed] == [intent["id"]]
        assert apart.post(f"{PATH}/{one['id']}/heartbeat").status_code == 200
        made(operator.delete(f"{PATH}/{one['id']}"), 200)
        refused(apart.get(f"/api/v1/intents/{intent['id']}"), 404)


def test_a_request_that_is_sent_again(agent):
    intent = new_intent(agent)
    headers = {"Idempotency-Key": new_id()}
    body = {"intent_id": intent["id"], "agent_id": "refunds-agent"}
    got = [agent.post(PATH, json=body, headers=headers) for _ in range(2)]
    assert got[0].text == got[1].text and got[1].status_code == 201


def test_100_for_an_intent(server, agent):
    intent = new_intent(agent)
    one = made(coordinate(agent, intent))
    made(agent.delete(f"{PATH}/{one['id']}"), 200)
    with server.database() as db:
        db.execute(
            "INSERT INTO coordinator (id, intent_id, agent_id, role, type, "
            "suspension_policy, guardrails, metadata, heartbeat_seconds, "
            "heartbeat_at, granted_at, ended_at, version) SELECT "
            "gen_random_uuid(), intent_id, agent_id, role, type, "
            "suspension_policy, guardrails, metadata, heartbeat_seconds, "
            "heartbeat_at, granted_at, ended_at, version FROM coordinator, "
            "generate_series(1, 98) WHERE id = %s", [one["id"]])
    made(coordinate(agent, intent))
    [last] = [c for c in of(agent, intent) if c["status"] == "active"]
    made(agent.delete(f"{PATH}/{last['id']}"), 200)
    refused(coordinate(agent, intent), 409, "coordinator.too_many")
    assert len(of(agent, intent)) == 100


# --- Its life --------------------------------------------------------------

@route("POST /api/v1/coordinators/{id}/heartbeat")
def test_two_missed_heartbeats(server, clock, agent, other_agent, operator):
    intent = new_intent(agent)
    one = made(coordinate(agent, intent, supervisor_id="eva",
                          heartbeat_interval_seconds=600))
    beat = f"{PATH}/{one['id']}/heartbeat"
    assert made(agent.post(beat), 200)["status"] == "ok"
    refused(other_agent.post(beat), 403, "coordinator.not_yours")
    refused(operator.post(beat), 403, "coordinator.not_yours")
    clock.forward(seconds=1100)
    assert of(agent, intent)[0]["status"] == "active"
    clock.forward(seconds=110)
    assert of(agent, intent)[0]["status"] == "unresponsive"
    wait_for(lambda: types(agent, intent["id"])[-1] ==
             "coordinator.unresponsive")
    [last] = events(agent, intent["id"], limit=1)
    assert last["actor_type"] == "clock"
    assert last["payload"]["coordinator_id"] == one["id"]
    assert last["payload"]["missed_count"] == 2
    assert last["payload"]["last_heartbeat"] >= one["last_heartbeat"]
    notices = told(server, intent)
    assert sorted(n[:3] for n in notices) == [
        ("desk", "coordinator.unresponsive", "eva"),
        ("lead", "coordinator.unresponsive", "eva")]
    data = notices[0][3]["data"]
    assert data["suspension_id"] is None and data["title"] == "Refund"
    assert data["url"].endswith(f"/intents/{intent['id']}")
    assert "refunds-agent" in data["question"]
    clock.forward(hours=1)
    kit.time.sleep(0.6)
    assert types(agent, intent["id"]).count("coordinator.unresponsive") == 1

    assert agent.post(beat).status_code == 200
    assert of(agent, intent)[0]["status"] == "active"
    clock.forward(seconds=1200)
    wait_for(lambda: types(agent, intent["id"]).count(
        "coordinator.unresponsive") == 2)


@route("DELETE /api/v1/coordinators/{id}")
def test_the_end_of_one(agent, other_agent, operator, admin):
    intent = new_intent(agent)
    first = made(coordinate(agent, intent))
    path = f"{PATH}/{first['id']}"
    refused(other_agent.delete(path), 403, "coordinator.not_yours")
    refused(operator.delete(path), 403, "coordinator.not_yours")
    ended = made(agent.delete(path), 200)
    assert ended["status"] == "completed" and ended["ended_at"]
    assert made(agent.delete(path), 200) == ended
    refused(agent.post(path + "/heartbeat"), 409, "lease.ended")
    second = made(coordinate(other_agent, intent, "other-agent"))
    made(admin.delete(f"{PATH}/{second['id']}"), 200)
    assert [c["id"] for c in of(agent, intent)] == [second["id"], first["id"]]


@pytest.mark.parametrize("status", ["completed", "abandoned"])
def test_it_ends_with_its_intent(clock, agent, status):
    intent = new_intent(agent)
    one = made(coordinate(agent, intent))
    assert set_status(agent, intent, status).status_code == 200
    assert of(agent, intent)[0]["status"] == "completed"
    refused(agent.post(f"{PATH}/{one['id']}/heartbeat"), 409, "lease.ended")
    clock.forward(seconds=130)
    kit.time.sleep(0.6)
    assert "coordinator.unresponsive" not in types(agent, intent["id"])


def test_it_ends_with_the_clocks_decision(clock, agent):
    intent = new_intent(agent)
    made(coordinate(agent, intent, heartbeat_interval_seconds=3600))
    ask(agent, intent_id=intent["id"], timeout_seconds=60)
    clock.forward(seconds=61)
    wait_for(lambda: get(agent, intent)["status"] == "abandoned")
    assert of(agent, intent)[0]["status"] == "completed"


# --- The policy of a suspension --------------------------------------------

def phase(client, upstream, inputs, title="Pay", status="draft"):
    """A draft that depends on another intent, and takes inputs."""
    one = new_intent(client, "draft", title=title,
                     depends_on=[upstream["id"]],
                     state={"_io_inputs": inputs})
    assert one["status"] == status
    return one


def test_C2_isolate(server, agent):
    intent = new_intent(agent, title="Research")
    after = phase(agent, intent, {"found": "Research.findings"})
    made(coordinate(agent, intent, supervisor_id="eva"))
    asked = ask(agent, intent_id=intent["id"])
    assert get(agent, after)["status"] == "draft"
    assert "coordinator.stalled" not in types(agent, asked["intent_id"])
    assert {n[1] for n in told(server, intent)} == {"suspension.asked"}


@pytest.mark.parametrize("sdk", [False, True])
def test_C2_block_dependents(agent, operator, sdk):
    top = new_intent(agent)
    made(coordinate(agent, top, suspension_policy="block_dependents"))
    intent = child(agent, top, title="Research")
    intent = set_status(agent, intent, "active").json()
    after = phase(agent, intent, {"found": "Research.findings"})
    named = new_intent(agent, "draft", title="Named",
                       depends_on=[intent["id"]], state={
                           "_io_inputs": {"x": "r.a"},
                           "_io_dep_title_to_name": {"Research": "r"}})
    free = [phase(agent, intent, {"x": "Other.a"}),
            phase(agent, intent, ["Research.a"]),
            phase(agent, intent, {"x": 7}),
            new_intent(agent, "draft", depends_on=[intent["id"]])]
    if sdk:
        assert set_status(agent, intent,
                          "suspended_awaiting_input").status_code == 200
    else:
        asked = ask(agent, intent_id=intent["id"])
    for one in (after, named):
        now = get(agent, one)
        assert (now["status"], now["version"]) == ("blocked",
                                                   one["version"] + 1)
        [last] = events(agent, one["id"], limit=1)
        assert last["event_type"] == "status_changed"
        assert last["payload"] == {"old_status": "draft",
                                   "new_status": "blocked",
                                   "reason": "upstream_suspended"}
    for one in free:
        assert get(agent, one)["status"] == "draft"
    # The ordinary rule frees them.
    if sdk:
        assert set_status(operator, get(agent, intent),
                          "active").status_code == 200
    else:
        assert answer(operator, asked, "approve").status_code == 200
    assert get(agent, after)["status"] == "blocked"
    done = set_status(agent, get(agent, intent), "completed")
    assert done.status_code == 200, done.text
    assert get(agent, after)["status"] == "active"


@pytest.mark.parametrize("sdk", [False, True])
def test_C2_escalate(server, agent, other_agent, sdk):
    """Asked in one call or in the SDK's two; in a child that was there before
    the coordinator."""
    top = new_intent(agent)
    middle = child(agent, top)
    intent = child(agent, middle)
    one = made(coordinate(other_agent, top, "other-agent",
                          suspension_policy="escalate", supervisor_id="eva"))
    stream = Stream(server, "/api/v1/agents/other-agent/subscribe",
                    server.key("agent", "--agent", "other-agent"))
    intent = set_status(agent, intent, "active").json()
    if sdk:
        intent = set_status(agent, intent, "suspended_awaiting_input").json()
        assert "coordinator.stalled" not in types(agent, intent["id"])
        wanted = record()
        r = patch(agent, intent, put("_suspension", wanted))
        assert r.status_code == 200, r.text
        question = wanted["id"]
    else:
        question = ask(agent, intent_id=intent["id"])["suspension_id"]
    [stalled] = events(agent, intent["id"], event_type="coordinator.stalled")
    assert stalled["actor_type"] == "sayso"
    assert stalled["payload"] == {
        "coordinator_id": one["id"], "agent_id": "other-agent",
        "suspended_intent_id": intent["id"], "suspension_id": question,
        "escalated_to": "eva"}
    assert "coordinator.stalled" not in types(agent, top["id"])
    notices = [n[:3] for n in told(server, intent)]
    assert sorted(notices, key=str) == sorted([
        ("desk", "suspension.asked", None),
        ("desk", "suspension.escalated", "eva"),
        ("lead", "suspension.escalated", "eva")], key=str)
    wait_for(lambda: [f for f in stream.frames
                      if "ESCALATION_REQUIRED" in str(f)])


def test_C2_a_new_child_below_a_coordinator(server, agent):
    """A question that makes its intent below a coordinated one."""
    top = new_intent(agent)
    made(coordinate(agent, top, suspension_policy="escalate"))
    asked = ask(agent, intent={"title": "Below",
                               "parent_intent_id": top["id"]})
    [stalled] = events(agent, asked["intent_id"],
                       event_type="coordinator.stalled")
    assert stalled["payload"]["escalated_to"] is None
    assert {n[:2] for n in told(server, {"id": asked["intent_id"]})} == {
        ("desk", "suspension.asked"), ("desk", "suspension.escalated")}


def test_an_approval_is_no_suspension(agent):
    intent = new_intent(agent)
    made(coordinate(agent, intent, suspension_policy="escalate"))
    r = agent.post(f"/api/v1/intents/{intent['id']}/approvals",
                   json={"action": "Deploy", "reason": "x"})
    assert r.status_code == 201
    assert "coordinator.stalled" not in types(agent, intent["id"])


def test_children_made_while_the_coordinator_is(server, agent):
    """Each child is marked, whichever comes first."""
    for _ in range(20):
        top = new_intent(agent)
        middle = child(agent, top)
        together(lambda: coordinate(agent, top),
                 lambda: child(agent, middle), lambda: child(agent, top),
                 lambda: child(agent, middle))
        with server.database() as db:
            marks = db.execute(
                "SELECT containers & 4 FROM intent WHERE id = %s OR "
                "parent_intent_id IN (%s, %s)",
                [top["id"], top["id"], middle["id"]]).fetchall()
        assert marks == [(4,)] * 5


# --- Of a portfolio ---------------------------------------------------------

PORTFOLIOS = "/api/v1/portfolios"


def portfolio(client, *intents):
    p = made(client.post(PORTFOLIOS, json={"name": "Refunds"}))
    for intent in intents:
        made(client.post(f"{PORTFOLIOS}/{p['id']}/intents",
                         json={"intent_id": intent["id"]}))
    return p


def lead(client, p, name="other-agent", **more):
    return client.post(PATH, json={"portfolio_id": p["id"], "agent_id": name,
                                   **more})


def leads(client, p):
    return made(client.get(f"{PORTFOLIOS}/{p['id']}/coordinators"), 200)


@route("GET /api/v1/portfolios/{id}/coordinators")
def test_C1_one_for_a_portfolio(server, agent, other_agent, operator):
    p = portfolio(agent)
    one = made(lead(operator, p, role="planner"))
    assert (one["scope"], one["portfolio_id"]) == ("portfolio", p["id"])
    assert one["intent_id"] is None and one["version"] == 1
    assert made(other_agent.get(f"{PATH}/{one['id']}"), 200) == one
    assert leads(agent, p) == [one]
    body = refused(lead(agent, p, "refunds-agent"), 409, "lease.coordinated")
    assert body["existing_lease"]["id"] == one["id"]
    refused(lead(other_agent, p, suspension_policy="escalate"), 403,
            "coordinator.not_yours")
    again = made(lead(operator, p, suspension_policy="escalate"), 200)
    assert (again["id"], again["version"]) == (one["id"], 2)
    assert made(other_agent.post(f"{PATH}/{one['id']}/heartbeat"),
                200)["status"] == "ok"
    for client in (agent, other_agent):
        refused(client.delete(f"{PATH}/{one['id']}"), 403,
                "coordinator.not_yours")
    ended = made(operator.delete(f"{PATH}/{one['id']}"), 200)
    assert ended["status"] == "completed"
    refused(lead(other_agent, p), 403, "portfolio.not_yours")
    mine = made(lead(agent, p, "refunds-agent"))
    assert [c["id"] for c in leads(agent, p)] == [mine["id"], one["id"]]
    headers = {"Idempotency-Key": new_id()}
    q = portfolio(agent)
    got = [agent.post(PATH, headers=headers, json={
        "portfolio_id": q["id"], "agent_id": "refunds-agent"})
        for _ in range(2)]
    assert got[0].text == got[1].text and got[1].status_code == 201
    refused(lead(agent, {"id": new_id()}, "refunds-agent"), 404,
            "portfolio.unknown")
    key = server.key("agent", "--agent", f"apart-{new_id()[:8]}")
    with server.client(headers={"X-API-Key": key}) as apart:
        refused(apart.get(f"{PATH}/{mine['id']}"), 404, "coordinator.unknown")
        refused(apart.get(f"{PORTFOLIOS}/{p['id']}/coordinators"), 404,
                "portfolio.unknown")


def test_it_changes_its_portfolio(server, operator, agent):
    name = f"apart-{new_id()[:8]}"
    key = server.key("agent", "--agent", name)
    theirs = new_intent(agent)
    p = portfolio(agent, theirs)
    at = f"{PORTFOLIOS}/{p['id']}"
    with server.client(headers={"X-API-Key": key}) as apart:
        refused(apart.get(at), 404, "portfolio.unknown")
        one = made(lead(operator, p, name))
        # It reads the portfolio, and of its members what it reaches.
        assert made(apart.get(at), 200)["members"] == []
        listed = made(apart.get(PORTFOLIOS), 200)["portfolios"]
        assert [x["id"] for x in listed] == [p["id"]]
        refused(apart.get(f"/api/v1/intents/{theirs['id']}"), 404)
        assert made(apart.get("/api/v1/intents"), 200)["intents"] == []
        own = new_intent(apart)
        made(apart.post(at + "/intents", json={"intent_id": own["id"]}))
        refused(apart.post(at + "/intents", json={
            "intent_id": theirs["id"]}), 404, "intent.unknown")
        done = operator.patch(at + "/status", json={"status": "abandoned"})
        assert done.status_code == 200, done.text
        # Its portfolio has ended, and it with it.
        assert leads(operator, p)[0]["status"] == "completed"
        assert operator.delete(
            f"{at}/intents/{own['id']}").status_code == 204
        refused(apart.get(at), 404, "portfolio.unknown")
        refused(operator.post(PATH, json={
            "portfolio_id": p["id"], "agent_id": name}), 409,
            "portfolio.ended")
        refused(apart.get(f"{PATH}/{one['id']}"), 404, "coordinator.unknown")


@pytest.mark.parametrize("name", ["refunds-agent", "other-agent"])
def test_agents_stay_in_what_a_person_coordinates(agent, other_agent, operator,
                                                  name):
    intent = new_intent(agent)
    p = portfolio(agent, intent)
    at = f"{PORTFOLIOS}/{p['id']}"
    rails = {"max_tasks_per_plan": 1}
    one = made(lead(operator, p, name, guardrails=rails))
    for client in (agent, other_agent) if name == "other-agent" else (agent,):
        refused(client.delete(f"{at}/intents/{intent['id']}"), 403,
                "coordinator.not_yours")
        for status in ("completed", "abandoned"):
            refused(client.patch(at + "/status", json={"status": status}),
                    403, "coordinator.not_yours")
        made(client.patch(at + "/status", json={"status": "active"}), 200)
    assert leads(agent, p) == [one]
    more = new_intent(agent)
    made(agent.post(at + "/intents", json={"intent_id": more["id"]}))
    # A person may, and so may its agents once none of it is a person's.
    gone = operator.delete(f"{at}/intents/{more['id']}")
    assert gone.status_code == 204
    made(operator.delete(f"{PATH}/{one['id']}"), 200)
    made(lead(agent, p, "refunds-agent", guardrails=rails))
    gone = agent.delete(f"{at}/intents/{intent['id']}")
    assert gone.status_code == 204
    made(agent.patch(at + "/status", json={"status": "abandoned"}), 200)


def test_a_threshold_does_not_end_what_a_person_coordinates(agent, operator):
    p = made(agent.post(PORTFOLIOS, json={
        "name": "x", "governance_policy": {"auto_complete_threshold": 1}}))
    three = [new_intent(agent) for _ in range(3)]
    for intent in three:
        made(agent.post(f"{PORTFOLIOS}/{p['id']}/intents",
                        json={"intent_id": intent["id"]}))
    made(lead(operator, p, "refunds-agent"))
    for intent, word in zip(three, ("completed", "abandoned", "completed")):
        assert leads(agent, p)[0]["status"] == "active"
        done = set_status(agent, get(agent, intent), word)
        assert done.status_code == 200, done.text
    # All of them have ended.
    assert leads(agent, p)[0]["status"] == "completed"


def test_it_ends_with_the_threshold_of_its_portfolio(agent):
    intent = new_intent(agent)
    p = made(agent.post(PORTFOLIOS, json={
        "name": "x", "governance_policy": {"auto_complete_threshold": 100}}))
    made(agent.post(f"{PORTFOLIOS}/{p['id']}/intents",
                    json={"intent_id": intent["id"]}))
    made(lead(agent, p, "refunds-agent"))
    assert set_status(agent, get(agent, intent), "completed").status_code == 200
    assert leads(agent, p)[0]["status"] == "completed"


def test_C2_escalate_for_the_members(server, agent, operator):
    intent, other = new_intent(agent), new_intent(agent)
    p = portfolio(agent, intent)
    one = made(lead(operator, p, suspension_policy="escalate",
                    supervisor_id="eva"))
    asked = ask(agent, intent_id=intent["id"])
    [stalled] = events(agent, intent["id"], event_type="coordinator.stalled")
    assert stalled["payload"]["coordinator_id"] == one["id"]
    assert stalled["payload"]["suspension_id"] == asked["suspension_id"]
    assert ("lead", "suspension.escalated", "eva") in [
        n[:3] for n in told(server, intent)]
    ask(agent, intent_id=other["id"])
    below = ask(agent, intent={"title": "Below",
                               "parent_intent_id": intent["id"]})
    for elsewhere in (other["id"], below["intent_id"]):
        assert "coordinator.stalled" not in types(agent, elsewhere)


def test_C2_block_dependents_of_a_member(agent, operator):
    intent = new_intent(agent, title="Research")
    after = phase(agent, intent, {"found": "Research.findings"})
    p = portfolio(agent, intent)
    made(lead(operator, p, suspension_policy="block_dependents"))
    ask(agent, intent_id=intent["id"])
    assert get(agent, after)["status"] == "blocked"


def test_two_that_miss_their_heartbeats_in_one_log(server, clock, agent,
                                                   operator):
    """The intent's and the portfolio's at the same moment."""
    intent = new_intent(agent)
    p = portfolio(agent, intent)
    leases = [made(coordinate(agent, intent, heartbeat_interval_seconds=600)),
              made(lead(operator, p, heartbeat_interval_seconds=600))]
    clock.forward(seconds=1205)
    wait_for(lambda: types(agent, intent["id"]).count(
        "coordinator.unresponsive") == 2)
    assert {e["payload"]["coordinator_id"] for e in
            events(agent, intent["id"], limit=2)} == {x["id"] for x in leases}


@pytest.mark.parametrize("role", ["primary", "member"])
def test_two_missed_heartbeats_of_a_portfolios(server, clock, agent, operator,
                                               role):
    """In the log of the primary member, or else of the first."""
    one, two = new_intent(agent), new_intent(agent)
    p, empty = portfolio(agent, one), portfolio(agent)
    made(agent.post(f"{PORTFOLIOS}/{p['id']}/intents",
                    json={"intent_id": two["id"], "role": role}))
    if role == "member":
        one, two = two, one
    lease = made(lead(operator, p, supervisor_id="eva",
                      heartbeat_interval_seconds=600))
    made(lead(operator, empty, heartbeat_interval_seconds=600))
    clock.forward(seconds=1205)
    assert leads(agent, p)[0]["status"] == "unresponsive"
    wait_for(lambda: types(agent, two["id"])[-1] ==
             "coordinator.unresponsive")
    [last] = events(agent, two["id"], limit=1)
    assert last["payload"]["portfolio_id"] == p["id"]
    assert last["payload"]["coordinator_id"] == lease["id"]
    assert "coordinator.unresponsive" not in types(agent, one["id"])
    assert sorted(n[:3] for n in told(server, two)) == [
        ("desk", "coordinator.unresponsive", "eva"),
        ("lead", "coordinator.unresponsive", "eva")]

    def to_come():
        with server.database() as db:
            return db.execute(
                "SELECT count(*) FROM coordinator WHERE portfolio_id = ANY "
                "(%s) AND lapses_at IS NOT NULL",
                [[p["id"], empty["id"]]]).fetchone()[0]
    wait_for(lambda: to_come() == 0)


def test_decisions_about_a_member(agent, operator, other_agent):
    intent = new_intent(agent)
    p = portfolio(agent, intent)
    one = made(lead(operator, p))
    body = {"coordinator_id": one["id"], "intent_id": intent["id"],
            "decision_type": "plan_created", "summary": "x", "rationale": "y"}
    made(other_agent.post("/api/v1/decisions", json=body))
    refused(agent.post("/api/v1/decisions", json=body), 403,
            "coordinator.not_yours")


# --- Decision records -------------------------------------------------------

@route("POST /api/v1/decisions")
@route("GET /api/v1/intents/{id}/coordinator-decisions")
def test_decision_records(agent, other_agent, operator):
    top = new_intent(agent)
    below = child(agent, top)
    one = made(coordinate(agent, top))
    body = {"coordinator_id": one["id"], "intent_id": below["id"],
            "decision_type": "plan_created", "summary": "Three tasks",
            "rationale": "It is simple.", "confidence": 0.8,
            "alternatives_considered": [{"plan": "two"}], "more": 1}
    first = made(agent.post("/api/v1/decisions", json=body))
    assert first["summary"] == "Three tasks" and first["confidence"] == 0.8
    assert first["alternatives_considered"] == [{"plan": "two"}]
    second = made(operator.post("/api/v1/decisions", json={
        k: body[k] for k in ("coordinator_id", "intent_id", "decision_type",
                             "summary")}))
    assert second["confidence"] is None and second["rationale"] == ""
    path = f"/api/v1/intents/{below['id']}/coordinator-decisions"
    assert made(agent.get(path), 200) == [second, first]
    assert made(agent.get(path, params={"limit": 1}), 200) == [second]
    [last] = events(agent, below["id"], limit=1)
    assert last["id"] == second["id"]
    assert last["event_type"] == "coordinator.decision"

    refused(other_agent.post("/api/v1/decisions", json=body), 403,
            "coordinator.not_yours")
    for wrong, code, member in [
            ({"decision_type": "guess"}, "field.value", "decision_type"),
            ({"coordinator_id": new_id()}, "coordinator.unknown",
             "coordinator_id"),
            ({"confidence": 2}, "field.value", "confidence"),
            ({"alternatives_considered": [1]}, "field.type",
             "alternatives_considered")]:
        refused(agent.post("/api/v1/decisions", json={**body, **wrong}), 422,
                code, member)
    made(agent.delete(f"{PATH}/{one['id']}"), 200)
    refused(agent.post("/api/v1/decisions", json=body), 422,
            "coordinator.unknown", "coordinator_id")


@pytest.mark.parametrize("event_type", [
    "coordinator.decision", "coordinator.stalled",
    "coordinator.unresponsive"])
def test_these_events_are_the_servers(agent, event_type):
    intent = new_intent(agent)
    refused(agent.post(f"/api/v1/intents/{intent['id']}/events", json={
        "event_type": event_type, "actor": "x", "payload": {}}), 403,
        "event.servers_own")
    assert suspend(agent)
