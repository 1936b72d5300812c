"""Leases: one holder for a scope, for a time."""
import time

import pytest

from kit import (ANY_ID, NAIVE, get, new_id, new_intent, refused, respond,
                 set_status, suspend, together, types)

route = pytest.mark.route


def acquire(client, intent, scope="refunds", seconds=300):
    return client.post(f"/api/v1/intents/{intent['id']}/leases",
                       json={"scope": scope, "duration_seconds": seconds})


def at(lease):
    return f"/api/v1/intents/{lease['intent_id']}/leases/{lease['id']}"


def renew(client, lease, seconds=300):
    return client.patch(at(lease), json={"duration_seconds": seconds})


def listed(client, intent):
    r = client.get(f"/api/v1/intents/{intent['id']}/leases")
    assert r.status_code == 200
    return r.json()["leases"]


@route("POST /api/v1/intents/{id}/leases")
@route("GET /api/v1/intents/{id}/leases")
@route("DELETE /api/v1/intents/{id}/leases/{lease_id}")
def test_a_lease_is_taken_and_given_back(agent):
    intent = new_intent(agent)
    r = acquire(agent, intent)
    lease = r.json()
    assert r.status_code == 201
    assert lease["agent_id"] == "refunds-agent"
    assert lease["scope"] == "refunds" and lease["status"] == "active"
    assert lease["intent_id"] == intent["id"]
    assert lease["released_at"] is None
    for key in ("acquired_at", "created_at", "expires_at"):
        assert NAIVE.fullmatch(lease[key])
    assert listed(agent, intent) == [lease]
    r = agent.delete(at(lease))
    assert r.status_code == 200 and r.json()["status"] == "released"
    assert NAIVE.fullmatch(r.json()["released_at"])
    assert listed(agent, intent)[0]["status"] == "released"
    assert types(agent, intent["id"])[2:] == ["lease_acquired",
                                              "lease_released"]
    # Holding one is no change of the intent.
    assert get(agent, intent)["version"] == intent["version"]


def test_giving_back_twice_is_no_second_event(agent):
    intent = new_intent(agent)
    lease = acquire(agent, intent).json()
    first, second = agent.delete(at(lease)), agent.delete(at(lease))
    assert first.json() == second.json()
    assert types(agent, intent["id"]).count("lease_released") == 1


def test_one_holder(agent, other_agent):
    intent = new_intent(agent)
    lease = acquire(agent, intent).json()
    for client in (agent, other_agent):
        body = refused(acquire(client, intent), 409, "lease.held")
        assert body["existing_lease"] == lease
    assert acquire(other_agent, intent, "other scope").status_code == 201
    assert acquire(other_agent, new_intent(agent)).status_code == 201
    agent.delete(at(lease))
    assert acquire(other_agent, intent).status_code == 201


def test_the_words_of_a_conflict_let_clients_tell_it_from_others(
        agent, other_agent):
    intent = new_intent(agent)
    acquire(agent, intent)
    assert "lease" in acquire(other_agent, intent).text.lower()


@route("PATCH /api/v1/intents/{id}/leases/{lease_id}")
def test_renewing(agent):
    intent = new_intent(agent)
    lease = acquire(agent, intent, seconds=10).json()
    renewed = renew(agent, lease, 600)
    assert renewed.status_code == 200
    assert renewed.json()["expires_at"] > lease["expires_at"]
    assert renewed.json()["acquired_at"] == lease["acquired_at"]
    assert listed(agent, intent) == [renewed.json()]
    # There is no type for it that clients could read.
    assert types(agent, intent["id"])[-1] == "lease_acquired"


def test_another_agents_lease(agent, other_agent, admin):
    lease = acquire(agent, new_intent(agent)).json()
    refused(renew(other_agent, lease), 403, "lease.not_holder")
    refused(other_agent.delete(at(lease)), 403, "lease.not_holder")
    revoked = admin.delete(at(lease))
    assert revoked.status_code == 200 and revoked.json()["status"] == "revoked"
    refused(renew(agent, lease), 409, "lease.ended")


def test_one_given_back_cannot_be_renewed(agent):
    lease = acquire(agent, new_intent(agent)).json()
    agent.delete(at(lease))
    refused(renew(agent, lease), 409, "lease.ended")


def test_renewing_while_suspended(agent, operator):
    intent, suspension = suspend(agent)
    lease = acquire(agent, intent).json()
    r = renew(agent, lease, 600)
    assert r.status_code == 200 and r.json()["status"] == "active"
    assert respond(operator, intent, suspension, "deny").status_code == 200


def test_lapsing(agent, other_agent):
    """One wait for all tests of an expired lease."""
    active = [new_intent(agent) for _ in range(4)]
    taken = [acquire(agent, i, seconds=1).json() for i in active]
    intent, suspension = suspend(agent)
    kept = acquire(agent, intent, seconds=1).json()
    time.sleep(1.1)

    # It reads as expired, nobody else took it, so it can be renewed.
    assert listed(agent, active[0])[0]["status"] == "expired"
    r = renew(agent, taken[0])
    assert r.status_code == 200 and r.json()["status"] == "active"
    refused(acquire(other_agent, active[0]), 409, "lease.held")

    # Another took it: no revival, and one holder at every moment.
    assert acquire(other_agent, active[1]).status_code == 201
    refused(renew(agent, taken[1]), 409, "lease.taken")
    assert [x["status"] for x in listed(agent, active[1])] == ["active",
                                                               "expired"]

    # Its former holder may take it anew.
    assert acquire(agent, active[3]).status_code == 201

    # A suspended intent's leases do not lapse.
    assert listed(agent, intent)[0]["status"] == "active"
    refused(acquire(other_agent, intent), 409, "lease.held")
    assert renew(agent, kept).status_code == 200
    intent = get(agent, intent)
    assert set_status(agent, intent, "abandoned").status_code == 200

    # No renewal either after the other agent has released it.
    held = acquire(other_agent, active[2]).json()
    assert other_agent.delete(at(held)).status_code == 200
    refused(renew(agent, taken[2]), 409, "lease.taken")


def test_the_same_scope_by_many_at_once(server, agent):
    for _ in range(5):
        intent = new_intent(agent)
        clients = [server.client("agent", agent=f"a{n}") for n in range(6)]
        got = together(*(lambda c=c: acquire(c, intent) for c in clients))
        assert sorted(r.status_code for r in got) == [201] + [409] * 5
        holder = next(r for r in got if r.status_code == 201).json()
        for r in got:
            if r.status_code == 409:
                assert r.json()["existing_lease"]["id"] == holder["id"]


@pytest.mark.parametrize("body, code, field", [
    ({}, "field.missing", "scope"),
    ({"scope": ""}, "field.empty", "scope"),
    ({"scope": 1}, "field.type", "scope"),
    ({"scope": "x" * 256}, "field.too_long", "scope"),
    ({"scope": "x", "duration_seconds": 0}, "field.range",
     "duration_seconds"),
    ({"scope": "x", "duration_seconds": -1}, "field.range",
     "duration_seconds"),
    ({"scope": "x", "duration_seconds": 86401}, "field.range",
     "duration_seconds"),
    ({"scope": "x", "duration_seconds": "60"}, "field.range",
     "duration_seconds"),
    ({"scope": "x", "duration_seconds": 1.5}, "field.range",
     "duration_seconds"),
])
def test_a_body_that_cannot_be_a_lease(agent, body, code, field):
    intent = new_intent(agent)
    r = agent.post(f"/api/v1/intents/{intent['id']}/leases", json=body)
    refused(r, 422, code, field)
    assert listed(agent, intent) == []


def test_a_lease_that_there_is_not(agent):
    intent = new_intent(agent)
    lease = acquire(agent, intent).json()
    other = new_intent(agent)
    for intent_id, lease_id in ((intent["id"], new_id()),
                                (intent["id"], "x"),
                                (other["id"], lease["id"])):
        path = f"/api/v1/intents/{intent_id}/leases/{lease_id}"
        refused(agent.patch(path, json={}), 404, "lease.unknown")
        refused(agent.delete(path), 404, "lease.unknown")
    path = f"/api/v1/intents/{ANY_ID}/leases"
    refused(agent.get(path), 404, "intent.unknown")
    refused(agent.post(path, json={"scope": "x"}), 404, "intent.unknown")
    refused(agent.patch(f"{path}/{lease['id']}", json={}), 404,
            "intent.unknown")
