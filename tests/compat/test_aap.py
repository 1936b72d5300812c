"""The Agent Approval Protocol's own client for Python, unmodified: its gate
asks, waits, consumes and reports, and its adapters put that before the calls
of agents."""
import asyncio
import concurrent.futures
import uuid

import agentapprovalprotocol as aap
import pytest

from kit import answer, wait_for
from programs import python
from test_frameworks import ARGS, Case, not_run


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        yield threads


@pytest.fixture
def key(server):
    return server.key("agent", "--agent", "aap-bot")


def call(**more):
    return aap.Call(**{"key": str(uuid.uuid4()), "tool": "refund",
                       "arguments": {"order": "7", "amount": 49.5},
                       "reasoning": "The photo shows it.", **more})


def gate(server, key, **more):
    return aap.Gate(aap.Client(server.url, key), **more)


def asked(operator):
    """The open question of the bot."""
    def find():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending"}).json()
        return [s for s in rows["suspensions"] if s["asked_by"] == "aap-bot"]

    return wait_for(find)[0]


def test_approved_it_runs_once(server, key, operator, pool):
    one = call()
    check = pool.submit(gate(server, key).check, one)
    question = asked(operator)
    assert question["subject"]["calls"] == [
        {"tool": "refund", "args": {"order": "7", "amount": 49.5}}]
    assert answer(operator, question, "approve").status_code == 200
    allowed = check.result(60)
    assert isinstance(allowed, aap.Allow)
    assert allowed.report("succeeded", "done") is True
    shown = operator.get(f"/api/v1/suspensions/{allowed.request_id}").json()
    permit = operator.get(f"/api/v1/permits/{shown['permit']['id']}").json()
    assert [(r["result"], r["ref"]) for r in permit["redemptions"]] == [
        ("completed", "done")]
    again = gate(server, key).check(one)
    assert isinstance(again, aap.Deny) and again.status == "consumed"


def test_refused_it_does_not_run(server, key, operator, pool):
    check = pool.submit(gate(server, key).check, call())
    assert answer(operator, asked(operator), "reject",
                  reason="Too much.").status_code == 200
    denied = check.result(60)
    assert not denied and denied.status == "denied"
    assert "Too much." in denied.reason


def test_nobody_answers(server, key):
    denied = gate(server, key, timeout="1s").check(call())
    assert not denied and denied.status == "expired"


def test_a_run_that_pauses_and_comes_back(server, key, operator):
    """The asynchronous mode: the same call finds its request."""
    async def story():
        client = aap.AsyncClient(server.url, key)
        one = call(context={"run": "r-1"})
        paused = await aap.AsyncGate(client, mode="async").check(one)
        assert isinstance(paused, aap.Pending)
        decided = answer(operator, {"suspension_id": paused.request_id},
                         "approve")
        assert decided.status_code == 200
        allowed = await aap.AsyncGate(client, mode="async").check(one)
        assert isinstance(allowed, aap.Allow)
        assert allowed.request_id == paused.request_id
        other = await aap.AsyncGate(client, mode="async").check(
            call(key=one.key, context={"run": "r-1"},
                 arguments={"order": "7", "amount": 9999}))
        assert isinstance(other, aap.Pending)
        assert other.request_id != paused.request_id
        await client.cancel(other.request_id)

    asyncio.run(story())


def test_a_wrong_key_runs_nothing(server):
    denied = gate(server, "sayso_nobody").check(call())
    assert not denied and denied.status == "error"


# --- Its adapters ---------------------------------------------------------

@pytest.fixture(scope="module")
def frameworks():
    program = python("framework_agents")
    yield program
    program.end()


@pytest.fixture(params=["aap_langchain", "aap_pydantic_ai"])
def case(request, server, key, frameworks):
    one = Case(server, lambda kind: frameworks, request.param)
    one.given["key"] = key
    return one


def test_the_call_of_an_agent_runs_after_a_yes(case, operator):
    got = case.run()
    question = asked(operator)
    assert question["subject"]["calls"] == [{"tool": case.tool, "args": ARGS}]
    assert answer(operator, question, "approve").status_code == 200
    got = got.result(60)
    assert got["ran"] == [ARGS] and got["heard"] == ["refunded"]
    shown = operator.get(
        f"/api/v1/suspensions/{question['suspension_id']}").json()
    permit = operator.get(f"/api/v1/permits/{shown['permit']['id']}").json()
    assert [r["result"] for r in permit["redemptions"]] == ["completed"]


def test_the_call_of_an_agent_is_refused(case, operator):
    got = case.run()
    assert answer(operator, asked(operator), "reject",
                  reason="It was refunded before.").status_code == 200
    not_run(got.result(60), "It was refunded before.")


@pytest.mark.parametrize("wrong", [{"url": "http://127.0.0.1:1"},
                                   {"key": "sayso_wrong"}, {"key": ""}])
def test_an_agent_that_cannot_ask_runs_nothing(case, wrong):
    assert case.run(**wrong).result(60)["ran"] == []


def test_nobody_answers_an_agent(case):
    not_run(case.run(wait=1).result(60))
