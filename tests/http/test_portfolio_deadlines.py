"""The deadline of a portfolio ends the questions of its members, whatever
their fallback says (RFC-0026, rule 5); by a clock that the test moves."""
import datetime
import time

import pytest

import kit
from kit import (answer, ask, asleep, events, get, new_intent, refused,
                 respond, suspend, types, wait_for)
from questions import strays
from server import place
from test_portfolios import add, at, end, made, member, portfolio, read

EXPIRED = "intent.suspension_expired"
WHY = "portfolio_deadline_exceeded"


@pytest.fixture(scope="module")
def server(clock):
    with kit.own_server(place("deadlines"), **clock.setting) as one:
        yield one
        with one.database() as db:
            assert strays(db) == []


def later(p, **more):
    """A time so long after the portfolio was made."""
    begun = datetime.datetime.fromisoformat(p["created_at"])
    return (begun + datetime.timedelta(**more)).isoformat()


def ended(client, intent):
    return wait_for(lambda: get(client, intent)["status"] == "abandoned" and
                    get(client, intent))


def stays(client, intent, status="suspended_awaiting_input"):
    """It is still as it was after the clock has looked."""
    time.sleep(0.8)
    assert get(client, intent)["status"] == status


def question(client, intent, **more):
    return ask(client, intent_id=intent["id"],
               fallback_policy="use_default_and_continue",
               fallback_value="deny", **more)


def test_P3_a_suspended_member_is_ended(clock, agent, operator):
    p = portfolio(agent, {"timeout_hours": 1})
    other, idle = portfolio(agent), member(agent, p)
    one = member(agent, p)
    made(add(agent, other, one))
    asked = question(agent, one)
    clock.forward(minutes=59)
    stays(agent, one)
    clock.forward(minutes=1)
    now = ended(agent, one)
    assert now["state"]["abandonment_reason"] == WHY
    mirror = now["state"]["_suspension"]
    assert mirror["resolution"] == "cancelled" and mirror["outcome"] == "none"
    assert mirror["decided_by"] == "clock" and "response" not in mirror
    r = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()
    assert (r["state"], r["outcome"], r["value"]) == ("expired", "none", None)
    assert r["responded_by"] == r["responded_via"] == "clock"
    last = events(agent, one["id"], limit=2)
    assert [e["event_type"] for e in last] == ["status_changed", EXPIRED]
    assert last[1]["payload"] == {
        "suspension_id": asked["suspension_id"], "portfolio_id": p["id"],
        "reason": "portfolio_deadline", "attempts": 1,
        "fallback_policy": "use_default_and_continue"}
    assert last[0]["payload"] == {
        "old_status": "suspended_awaiting_input", "new_status": "abandoned",
        "reason": WHY, "abandonment_reason": WHY, "portfolio_id": p["id"],
        "suspension_id": asked["suspension_id"]}
    assert last[0]["actor"] == "clock"
    refused(answer(operator, asked), 409, "suspension.expired")
    told = read(agent, p)
    assert told["status"] == "active"
    assert told["aggregate_status"]["status"] == "failed"
    assert get(agent, idle)["status"] == "active"


def test_P3_an_answer_after_the_deadline_ends_it(server, clock, agent,
                                                 operator):
    p = portfolio(agent, {"timeout_hours": 1})
    intent, suspension = suspend(agent, timeout_seconds=7200,
                                 fallback_policy="complete_with_fallback",
                                 fallback_value="approve")
    made(add(agent, p, intent))
    with asleep(server, "tick"):
        clock.forward(hours=1)
        refused(respond(operator, intent, suspension, "approve"), 409,
                "suspension.expired")
        now = get(agent, intent)
        assert now["status"] == "abandoned"
        assert now["state"]["_suspension"]["resolution"] == "cancelled"


def test_a_member_that_asks_after_the_deadline(clock, agent):
    p = portfolio(agent, {"timeout_hours": 1})
    one = member(agent, p)
    clock.forward(hours=2)
    stays(agent, one, "active")
    question(agent, one)
    ended(agent, one)


@pytest.mark.parametrize("seconds, reason", [
    (3599, "timeout"), (3600, "portfolio_deadline"),
    (None, "portfolio_deadline"), (3601, "portfolio_deadline")])
def test_P4_what_comes_first_counts(server, clock, agent, operator, seconds,
                                    reason):
    """Found by the clock, and by an answer."""
    for found_by in ("clock", "answer"):
        one = new_intent(agent)
        with asleep(server, "tick"):
            asked = question(agent, one, timeout_seconds=seconds)
            p = portfolio(agent)
            suspended = datetime.datetime.fromisoformat(asked["suspended_at"])
            deadline = suspended + datetime.timedelta(seconds=3600)
            made(operator.patch(at(p), json={
                "deadline": deadline.isoformat()}), 200)
            made(add(agent, p, one))
            clock.forward(hours=2)
            if found_by == "answer":
                refused(answer(operator, asked), 409, "suspension.expired")
        wait_for(lambda: EXPIRED in types(agent, one["id"]))
        [payload] = [e["payload"] for e in events(agent, one["id"])
                     if e["event_type"] == EXPIRED]
        assert payload["reason"] == reason
        status = {"timeout": "active"}.get(reason, "abandoned")
        assert get(agent, one)["status"] == status
        resumed = [e["payload"] for e in events(agent, one["id"])
                   if e["event_type"] == "portfolio.member_resumed"]
        assert [x["resolution"] for x in resumed] == (
            ["fallback"] if reason == "timeout" else [])


def test_P5_a_member_added_after_it_suspended(clock, agent):
    p, one = portfolio(agent, {"timeout_hours": 1}), new_intent(agent)
    question(agent, one)
    made(add(agent, p, one))
    clock.forward(hours=1)
    ended(agent, one)


def test_P5_a_member_removed_before_the_deadline(clock, agent, operator):
    p = portfolio(agent, {"timeout_hours": 1})
    one = member(agent, p)
    asked = question(agent, one)
    assert agent.delete(at(p, "intents", one["id"])).status_code == 204
    clock.forward(hours=2)
    stays(agent, one)
    assert answer(operator, asked).status_code == 200


def test_P5_a_portfolio_that_ended_before(server, clock, agent, operator):
    first = portfolio(agent, {"timeout_hours": 1})
    second = portfolio(agent, {"timeout_hours": 3})
    one = member(agent, first)
    made(add(agent, second, one))
    question(agent, one)
    made(end(agent, first, "abandoned"), 200)
    clock.forward(hours=2)
    stays(agent, one)
    with server.database() as db:  # it is no longer due at each look
        [at_] = db.execute(
            "SELECT deadline_at > now() + interval '1 hour' FROM "
            "open_question WHERE intent_id = %s", [one["id"]]).fetchone()
    assert at_
    clock.forward(hours=1)
    assert ended(agent, one)
    last = events(agent, one["id"], limit=1)[0]["payload"]
    assert last["portfolio_id"] == second["id"]


@pytest.mark.parametrize("first, then", [(None, 1), (5, 1)])
def test_P5_a_deadline_moved_earlier(clock, agent, operator, first, then):
    p = portfolio(agent, {"timeout_hours": first} if first else {})
    one = member(agent, p)
    question(agent, one)
    now = made(operator.patch(at(p), json={
        "deadline": later(p, hours=then)}), 200)
    assert now["deadline"] == kit_time(later(p, hours=then))
    clock.forward(hours=then)
    ended(agent, one)


def kit_time(text):
    return text if "." in text else text + ".000000"


def test_P5_a_deadline_moved_later(clock, agent, operator):
    p = portfolio(agent)
    made(operator.patch(at(p), json={"deadline": later(p, hours=1)}), 200)
    one = member(agent, p)
    question(agent, one)
    made(operator.patch(at(p), json={"deadline": later(p, hours=3)}), 200)
    clock.forward(hours=2)
    stays(agent, one)
    clock.forward(hours=1)
    ended(agent, one)


def test_P5_an_earlier_deadline_while_a_member_asks(clock, agent, operator):
    """Whichever comes first, the clock finds the question in time."""
    for _ in range(20):
        p = portfolio(agent, {"timeout_hours": 9})
        one = member(agent, p)
        deadline = later(p, hours=1)
        asked, changed = kit.together(
            lambda: agent.post("/api/v1/suspensions", json={
                "question": "May I?", "intent_id": one["id"]}),
            lambda: operator.patch(at(p), json={"deadline": deadline}))
        assert asked.status_code == 201 and changed.status_code == 200
        clock.forward(hours=1)
        ended(agent, one)
