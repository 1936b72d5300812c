"""The ladder of retries after failures, on a server of its own, whose clock the
test moves. A2 is the number of the list of tests that it was planned with."""
import time

import pytest

import kit
from kit import (answer, ask, events, get, new_intent, refused, set_status,
                 wait_for)
from server import place
from test_records import at, failure, made, policy
from test_streams import Stream


OPEN = 60  # questions of one key


@pytest.fixture(scope="module")
def server(clock):
    with kit.own_server(place("retries"), SAYSO_LIMIT_OPEN=str(OPEN),
                        **clock.setting) as one:
        yield one


def assigned(client, intent):
    """The payloads of the clock's assignments, oldest first."""
    found = events(client, intent["id"], event_type="agent_assigned")
    return [e["payload"] for e in reversed(found)
            if e["actor_type"] == "clock"]


def a_while():
    """The clock's process has looked at everything."""
    time.sleep(0.7)


def test_A2_a_ladder_that_waits_for_an_answer(server, clock, agent, operator):
    intent = new_intent(agent)
    made(policy(agent, intent, strategy="linear", base_delay_ms=600_000,
                max_delay_ms=3_600_000, failure_threshold=9), 200)
    stream = Stream(server, "/api/v1/agents/refunds-agent/subscribe",
                    server.key("agent", "--agent", "refunds-agent"))
    one = made(failure(agent, intent))
    assert one["next"] == "retry" and one["resolved_at"] is None
    clock.forward(seconds=500)
    a_while()
    assert assigned(agent, intent) == []
    clock.forward(seconds=101)
    wait_for(lambda: assigned(agent, intent))
    assert assigned(agent, intent) == [
        {"agent_id": "refunds-agent", "reason": "retry", "retry_attempt": 1,
         "last_error": "It took too long."}]
    wait_for(lambda: [f for f in stream.frames if "AGENT_ASSIGNED" in str(f)])
    frame = [f for f in stream.frames if "AGENT_ASSIGNED" in str(f)]
    assert len(frame) == 1 and "retry_attempt" in str(frame[0])
    [kept] = made(agent.get(at(intent, "failures")), 200)["failures"]
    assert kept["resolved_at"] and kept["id"] == one["id"]

    # The second one is due after twice the delay, and the intent is suspended.
    two = made(failure(agent, intent))
    assert two["attempt_number"] == 2
    asked = ask(agent, intent_id=intent["id"])
    clock.forward(seconds=1201)
    a_while()
    clock.forward(hours=2)
    a_while()
    assert len(assigned(agent, intent)) == 1
    assert answer(operator, asked, "approve").status_code == 200
    clock.forward(seconds=6)
    wait_for(lambda: len(assigned(agent, intent)) == 2)
    assert assigned(agent, intent)[1]["retry_attempt"] == 2


def test_A2_a_time_that_was_sent_wins(clock, agent):
    intent = new_intent(agent)
    made(policy(agent, intent, base_delay_ms=60_000_000,
                max_delay_ms=60_000_000, failure_threshold=9), 200)
    one = made(failure(agent, intent,
                       retry_scheduled_at="2020-01-01T00:00:00"))
    assert one["next"] == "retry"
    wait_for(lambda: assigned(agent, intent))


def test_A2_a_fallback_agent_takes_over(clock, agent, operator):
    intent = new_intent(agent)
    r = operator.post(at(intent, "agents"), json={"agent_id": "refunds-agent"})
    assert r.status_code == 200
    for scope in ("a", "b"):
        made(agent.post(at(intent, "leases"), json={"scope": scope}))
    made(policy(agent, intent, fallback_agent_id="ledger-agent"), 200)
    one = made(failure(agent, intent, error_code="PERMISSION_DENIED"))
    assert one["next"] == "fallback"
    wait_for(lambda: assigned(agent, intent))
    assert assigned(agent, intent) == [
        {"agent_id": "ledger-agent", "reason": "fallback",
         "delegated_by": "refunds-agent", "last_error": "It took too long."}]
    listed = made(agent.get(at(intent, "agents")), 200)["agents"]
    assert [a["agent_id"] for a in listed] == ["ledger-agent"]
    leases = made(agent.get(at(intent, "leases")), 200)["leases"]
    assert {x["status"] for x in leases} == {"released"}
    kinds = [e["event_type"] for e in reversed(events(agent, intent["id"]))]
    assert kinds[-4:] == ["lease_released", "lease_released",
                          "agent_unassigned", "agent_assigned"]
    # It happens once.
    again = made(failure(agent, intent, error_code="PERMISSION_DENIED"))
    assert again["next"] == "nothing"
    a_while()
    assert len(assigned(agent, intent)) == 1


def test_A2_without_a_fallback_people_are_asked_once(agent, operator):
    intent = new_intent(agent)
    made(policy(agent, intent, max_retries=0, failure_threshold=9), 200)
    first = made(failure(agent, intent))
    assert first["next"] == "escalation" and first["resolved_at"]
    second = made(failure(agent, intent))
    assert second["next"] == "nothing"
    found = made(agent.get("/api/v1/escalations",
                           params={"intent_id": intent["id"]}), 200)
    [one] = found["escalations"]
    assert one["priority"] == "high" and "TIMEOUT" in one["reason"]
    assert one["context"]["failure_id"] == first["id"]
    assert get(agent, intent)["status"] == "active"


def test_A2_people_are_asked_while_it_is_suspended(agent):
    intent = new_intent(agent)
    made(policy(agent, intent, max_retries=0), 200)
    ask(agent, intent_id=intent["id"])
    assert made(failure(agent, intent))["next"] == "escalation"
    assert get(agent, intent)["state"]["_suspension"]["question"]


def test_nothing_follows_in_an_ended_intent(clock, agent):
    intent = new_intent(agent)
    made(policy(agent, intent, failure_threshold=9), 200)
    assert made(failure(agent, intent))["next"] == "retry"
    done = set_status(agent, intent, "completed")
    assert done.status_code == 200
    assert made(failure(agent, intent))["next"] == "nothing"
    clock.forward(seconds=120)
    a_while()
    assert assigned(agent, intent) == []


# --- The governance policy -------------------------------------------------

def govern(client, intent, *allowed):
    version = get(client, intent)["version"]
    r = client.put(at(intent, "governance"),
                   json={"allowed_agents": list(allowed)},
                   headers={"If-Match": str(version)})
    assert r.status_code == 200, r.text


def escalations(client, intent):
    return made(client.get("/api/v1/escalations",
                           params={"intent_id": intent["id"]}),
                200)["escalations"]


def test_a_fallback_agent_that_is_not_allowed_takes_nothing_over(agent):
    intent = new_intent(agent)
    made(policy(agent, intent, fallback_agent_id="ledger-agent"), 200)
    govern(agent, intent, "refunds-agent")
    refused(policy(agent, intent, fallback_agent_id="ledger-agent"), 403,
            "governance.violation")
    one = made(failure(agent, intent, error_code="PERMISSION_DENIED"))
    assert one["next"] == "escalation" and one["resolved_at"]
    a_while()
    assert assigned(agent, intent) == []
    assert len(escalations(agent, intent)) == 1


def test_a_fallback_agent_that_is_forbidden_since(clock, agent, operator):
    intent = new_intent(agent)
    made(policy(agent, intent, fallback_agent_id="ledger-agent"), 200)
    asked = ask(agent, intent_id=intent["id"])
    one = made(failure(agent, intent, error_code="PERMISSION_DENIED"))
    assert one["next"] == "fallback" and one["resolved_at"] is None
    govern(agent, intent, "refunds-agent")
    assert answer(operator, asked, "approve").status_code == 200
    clock.forward(seconds=6)
    wait_for(lambda: escalations(agent, intent))
    [asked] = escalations(agent, intent)
    assert asked["context"]["failure_id"] == one["id"]
    assert (asked["priority"], asked["status"]) == ("high", "pending")
    assert asked["escalated_by"] == "refunds-agent"
    [kept] = made(agent.get(at(intent, "failures")), 200)["failures"]
    assert kept["next"] == "escalation" and kept["resolved_at"]
    assert assigned(agent, intent) == []
    done = operator.post(f"/api/v1/escalations/{asked['id']}/resolve",
                         json={"resolution": "Leave it."})
    assert done.status_code == 200, done.text
    a_while()
    assert len(escalations(agent, intent)) == 1


def test_an_agent_that_is_forbidden_since_does_not_try_again(clock, agent,
                                                            operator):
    intent = new_intent(agent)
    made(policy(agent, intent, fallback_agent_id="ledger-agent",
                failure_threshold=9, base_delay_ms=600_000,
                max_delay_ms=600_000), 200)
    assert made(failure(agent, intent))["next"] == "retry"
    govern(operator, intent, "ledger-agent")
    clock.forward(seconds=601)
    wait_for(lambda: assigned(agent, intent))
    [given] = assigned(agent, intent)
    assert given["agent_id"] == "ledger-agent"
    assert given["reason"] == "fallback"


# --- What an admin said of the key ------------------------------------------

def test_the_clock_asks_at_the_terms_of_the_agents_key(server, clock, agent,
                                                       operator):
    """Also where they changed after the failure."""
    key = server.key("agent", "--agent", "termed-agent")
    with server.client(headers={"X-API-Key": key}) as termed:
        intent = new_intent(termed)
        made(policy(termed, intent, fallback_agent_id="ledger-agent"), 200)
        asked = ask(termed, intent_id=intent["id"])
        made(failure(termed, intent, error_code="PERMISSION_DENIED"))
        govern(termed, intent, "termed-agent")
        assert server.sayso("key", "floor", key[:12], "critical"
                            ).returncode == 0
        assert server.sayso("key", "by", key[:12], "group:on-call"
                            ).returncode == 0
        assert answer(operator, asked, "approve").status_code == 200
        clock.forward(seconds=6)
        wait_for(lambda: escalations(termed, intent))
        [one] = escalations(termed, intent)
        told = made(operator.get(f"/api/v1/suspensions/{one['id']}"), 200)
        assert told["severity"] == "critical"
        assert told["responder"]["mode"] == "group"
        assert told["responder"]["who"] == "on-call"


def test_the_clock_asks_no_more_than_the_key_may(server, clock, operator):
    """Where the agent's key has no room left, nobody is asked."""
    key = server.key("agent", "--agent", "busy-agent")
    with server.client(headers={"X-API-Key": key}) as busy:
        intent = new_intent(busy)
        made(policy(busy, intent, fallback_agent_id="ledger-agent"), 200)
        asked = ask(busy, intent_id=intent["id"])
        made(failure(busy, intent, error_code="PERMISSION_DENIED"))
        govern(busy, intent, "busy-agent")
        for _ in range(OPEN - 1):
            ask(busy)
        assert answer(operator, asked, "approve").status_code == 200
        ask(busy)
        clock.forward(seconds=6)
        wait_for(lambda: made(busy.get(at(intent, "failures")),
                              200)["failures"][0]["next"] == "nothing")
        assert escalations(busy, intent) == []
        [kept] = made(busy.get(at(intent, "failures")), 200)["failures"]
        assert kept["resolved_at"]
