"""Which agents are assigned to an intent."""
import pytest

from kit import ANY_ID, NAIVE, events, new_intent, refused, types

route = pytest.mark.route


def at(intent):
    return f"/api/v1/intents/{intent['id']}/agents"


@route("GET /api/v1/intents/{id}/agents")
@route("POST /api/v1/intents/{id}/agents")
@route("DELETE /api/v1/intents/{id}/agents/{agent_id}")
def test_an_agent_is_assigned_and_unassigned(agent, operator):
    intent = new_intent(agent)
    assert agent.get(at(intent)).json() == {"agents": []}
    r = operator.post(at(intent), json={"agent_id": "émile"})
    assert r.status_code == 200
    assert r.json() == {"intent_id": intent["id"], "agent_id": "émile",
                        "assigned": True}
    assert agent.post(at(intent), json={"agent_id": "b"}).status_code == 200
    listed = agent.get(at(intent)).json()["agents"]
    assert [(a["agent_id"], a["assigned_by"]) for a in listed] == [
        ("émile", "demo operator"), ("b", "refunds-agent")]
    assert all(NAIVE.fullmatch(a["assigned_at"]) for a in listed)
    r = agent.delete(at(intent) + "/%C3%A9mile")
    assert r.status_code == 200 and r.json()["assigned"] is False
    refused(agent.delete(at(intent) + "/%C3%A9mile"), 404,
            "agent.not_assigned")
    listed = agent.get(at(intent)).json()["agents"]
    assert [a["agent_id"] for a in listed] == ["b"]
    assert types(agent, intent["id"])[2:] == [
        "agent_assigned", "agent_assigned", "agent_unassigned"]
    last = events(agent, intent["id"], limit=1)[0]
    assert last["payload"] == {"agent_id": "émile"}
    assert last["actor"] == "refunds-agent"


def test_assigning_twice_is_one_assignment(agent):
    intent = new_intent(agent)
    for _ in range(2):
        r = agent.post(at(intent), json={"agent_id": "b"})
        assert r.status_code == 200
    assert len(agent.get(at(intent)).json()["agents"]) == 1


@pytest.mark.parametrize("name", [None, "", "*", "clock", "sayso", "a b",
                                  "a\nb", "a/b", "x" * 121, 7, ["b"], "\u00a0"])
def test_a_name_that_no_agent_can_have(agent, name):
    intent = new_intent(agent)
    r = agent.post(at(intent), json={"agent_id": name})
    refused(r, 422, at="agent_id")
    assert agent.get(at(intent)).json() == {"agents": []}


def test_agents_of_no_intent(agent):
    path = f"/api/v1/intents/{ANY_ID}/agents"
    refused(agent.get(path), 404, "intent.unknown")
    refused(agent.post(path, json={"agent_id": "b"}), 404, "intent.unknown")
    refused(agent.delete(path + "/b"), 404, "intent.unknown")


# --- Delegating, as the SDK does it ------------------------------------------

def delegate(client, intent, name, **more):
    return client.post(f"/api/v1/intents/{intent['id']}/events", json={
        "event_type": "agent_assigned", "actor": "x",
        "payload": {"agent_id": name, "delegated_by": "somebody", **more}})


def test_an_agents_event_of_an_assignment_is_one(agent, operator):
    intent = new_intent(agent)
    r = delegate(agent, intent, "ledger-agent", payload={"order": 1})
    assert r.status_code == 201, r.text
    assert r.json()["payload"] == {"agent_id": "ledger-agent",
                                   "delegated_by": "refunds-agent",
                                   "payload": {"order": 1}}
    again = agent.post(at(intent), json={"agent_id": "ledger-agent"})
    assert again.status_code == 200 and again.json()["assigned"] is True
    assert types(agent, intent["id"]).count("agent_assigned") == 1
    [listed] = agent.get(at(intent)).json()["agents"]
    assert (listed["agent_id"], listed["assigned_by"]) == ("ledger-agent",
                                                           "refunds-agent")
    refused(delegate(agent, intent, "a b"), 422, "agent.name",
            "payload.agent_id")
    refused(delegate(operator, intent, "ledger-agent"), 403,
            "event.servers_own")
    refused(agent.post(f"/api/v1/intents/{intent['id']}/events", json={
        "event_type": "agent_assigned", "actor": "x", "payload": {}}), 403,
        "event.servers_own")


def test_a_policy_says_whom_an_agent_delegates_to(agent):
    intent = new_intent(agent)
    r = agent.put(f"/api/v1/intents/{intent['id']}/governance",
                  json={"allowed_agents": ["refunds-agent"]},
                  headers={"If-Match": str(intent["version"])})
    assert r.status_code == 200, r.text
    refused(delegate(agent, intent, "ledger-agent"), 403,
            "governance.violation")
    assert agent.get(at(intent)).json() == {"agents": []}
