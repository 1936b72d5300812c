"""Silence after a restore: a person may have said no to a question that is open
again, so its default never approves anything."""
import datetime

import pytest

import kit
from kit import answer, ask, configured, events, get, wait_for
from page import Page
from plans import reached
from plans import read as read_plan
from server import place
from test_restored import CHOICES, read, tool
from test_restored_again import restored


class World:
    """The questions that were open at the dump."""


def silent(agent, value, **more):
    return ask(agent, severity="low", choices=CHOICES, timeout_seconds=3600,
               fallback_policy="complete_with_fallback", fallback_value=value,
               **more)


@pytest.fixture(scope="module")
def server(clock):
    one = kit.Watched(place("restored-silence"), **clock.setting).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def lost(server, clock, person):
    w, low = World(), {"silence_may_authorize": "low"}
    with server.client("agent", agent="refunds-agent") as agent, \
            server.client("operator") as operator:
        with configured(server, **low):
            w.yes, w.no = silent(agent, "approve"), silent(agent, "deny")
            w.intent, w.plan, _, _, w.gate = reached(
                agent, timeout_hours=1, on_timeout="auto_approve",
                severity="low")
        assert w.plan["checkpoints"][0]["on_timeout_enforced"] == \
            "auto_approve"
        w.dump = tool(server, "pg_dump", "-Fc", "-d", "sayso")
        at = datetime.datetime.now(datetime.timezone.utc)
        for one, no in ((w.yes, "deny"), ({"suspension_id": w.gate},
                                          "reject")):
            r = answer(operator, one, no, reason="No.")
            assert r.status_code == 200, r.text
        restored(server, w.dump, at.isoformat())
        w.pending = read(agent, w.yes).json()
        w.page = person("operator").client.get(
            f"/suspensions/{w.yes['suspension_id']}")
        assert server.sayso("restored", "--go").returncode == 0
        with configured(server, **low):
            w.new = silent(agent, "approve")
    clock.forward(hours=2)
    return w


@pytest.fixture
def agent(server, lost):
    with server.client("agent", agent="refunds-agent") as client:
        yield client


def ended(agent, asked):
    def seen():
        found = read(agent, asked).json()
        return found["state"] == "expired" and found
    return wait_for(seen)


def test_a_default_that_approves_ends_the_task(server, lost, agent):
    found = ended(agent, lost.yes)
    assert (found["outcome"], found.get("value")) == ("none", None)
    assert "may be lost. Nothing was approved" in found["audit_summary"]
    intent = agent.get(f"/api/v1/intents/{found['intent_id']}").json()
    assert intent["status"] == "abandoned"
    # An SDK's agent goes on with its default where it reads "expired".
    mirror = intent["state"]["_suspension"]
    assert mirror["resolution"] == "cancelled" and "response" not in mirror
    told, = [e["payload"] for e in events(agent, found["intent_id"])
             if e["event_type"] == "intent.suspension_expired"]
    assert (told["fallback_policy"], told["reason"]) == ("fail", "restored")
    assert "fallback_value" not in told


def test_its_page_says_so(lost, agent, person):
    ended(agent, lost.yes)
    r = person("operator").client.get(
        f"/suspensions/{lost.yes['suspension_id']}")
    text = Page(r).text
    assert "Nothing was approved, and the task was stopped" in text, text
    assert "continue" not in text and "default" not in text, text
    assert "the task stops instead" in lost.pending["on_expiry"]
    assert "then: task stops" in Page(lost.page).text


def test_a_default_that_approves_nothing_counts(lost, agent):
    found = ended(agent, lost.no)
    assert (found["outcome"], found["value"]) == ("fallback", "deny")


def test_a_default_of_a_new_question_counts(lost, agent):
    found = ended(agent, lost.new)
    assert (found["outcome"], found["value"]) == ("fallback", "approve")


def test_a_checkpoint_is_rejected(lost, agent):
    assert ended(agent, {"suspension_id": lost.gate})["outcome"] == "none"
    wait_for(lambda: read_plan(agent, lost.plan)["state"] == "failed")
    assert read_plan(agent, lost.plan)["checkpoints"][0]["status"] == \
        "rejected"
    assert get(agent, lost.intent)["status"] == lost.intent["status"]


def test_no_chain_is_broken(server, lost, agent):
    for one in (lost.yes, lost.no, {"suspension_id": lost.gate}):
        ended(agent, one)
    done = server.sayso("verify")
    assert done.returncode == 0, done.stdout
