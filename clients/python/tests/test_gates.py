"""The adapters that ask before each call, without their frameworks."""

import asyncio
import dataclasses
import importlib
import logging
import sys
import types

import pytest

import sayso
import sayso.adk
import sayso.crewai
from sayso.testing import (
    FakeServer,
    approve,
    deny,
    edit,
    pending,
    withdrawn,
)

ARGS = {"order": "12345", "amount": 50.0}
AWAY = sayso.Client("http://127.0.0.1:1", "none", max_retries=0)


@dataclasses.dataclass
class HookMatcher:
    """That of the Claude Agent SDK."""

    matcher: str | None = None
    hooks: list = dataclasses.field(default_factory=list)
    timeout: float | None = None
    on_failure: str | None = None


@pytest.fixture
def claude(monkeypatch):
    sdk = types.ModuleType("claude_agent_sdk")
    sdk.HookMatcher = HookMatcher
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", sdk)
    monkeypatch.delitem(sys.modules, "sayso.claude_agent", raising=False)
    yield importlib.import_module("sayso.claude_agent")
    sys.modules.pop("sayso.claude_agent", None)


def claude_says(module, client, args, session="s", call="call_1", **more):
    """What the hook says: the decision, the reason, and the arguments."""
    [held] = module.gate(client=client, **more)["PreToolUse"]
    event = {"tool_name": "refund", "tool_input": args, "session_id": session}
    said = asyncio.run(held.hooks[0](event, call, None))["hookSpecificOutput"]
    assert said["hookEventName"] == "PreToolUse"
    return (
        said["permissionDecision"],
        said.get("permissionDecisionReason"),
        said.get("updatedInput"),
    )


async def adk_call(gate, args, session="s", call="call_1"):
    """The result that the tool gets without running, or None."""
    return await gate(
        tool=types.SimpleNamespace(name="refund"),
        args=args,
        tool_context=types.SimpleNamespace(
            session=types.SimpleNamespace(id=session), function_call_id=call
        ),
    )


def adk_says(client, args, session="s", call="call_1", **more):
    gate = sayso.adk.gate(client, **more)
    return asyncio.run(adk_call(gate, args, session, call))


# --- The Claude Agent SDK -------------------------------------------------


def test_claude_runs_what_was_approved(claude):
    with FakeServer([approve, edit(amount=20.0), deny("No."), withdrawn]) as f:
        client = f.client()
        says = [
            claude_says(claude, client, ARGS, call=str(n)) for n in range(4)
        ]
    assert says == [
        ("allow", None, ARGS),
        ("allow", None, {**ARGS, "amount": 20.0}),
        ("deny", "No.", None),
        ("deny", "The question was withdrawn.", None),
    ]


def test_claude_is_denied_whatever_fails(claude, monkeypatch):
    for name in ("SAYSO_URL", "SAYSO_AGENT_KEY"):
        monkeypatch.delenv(name, raising=False)
    for client, args, reason in (
        (AWAY, ARGS, "No answer from"),
        (None, ARGS, "SAYSO_URL is not set"),
        (AWAY, {"a": {1}}, "not JSON serializable"),
    ):
        decision, why, ran = claude_says(claude, client, args)
        assert (decision, ran) == ("deny", None)
        assert reason in why


def test_claude_is_held_when_the_hook_fails(claude):
    [held] = claude.gate("Bash|Write", wait=60)["PreToolUse"]
    assert (held.matcher, held.on_failure) == ("Bash|Write", "block")
    assert held.timeout > 60


def test_an_sdk_that_runs_the_tool_then_is_refused(claude, monkeypatch):
    def older(matcher=None, hooks=(), timeout=None):
        raise AssertionError

    monkeypatch.setattr(claude, "HookMatcher", older)
    with pytest.raises(sayso.ConfigurationError, match=r"0\.2\.177 or newer"):
        claude.gate()


# --- Google ADK -----------------------------------------------------------


def test_adk_runs_what_was_approved():
    script = [approve, edit(amount=20.0), deny("No."), withdrawn]
    with FakeServer(script) as fake:
        client, ran, said = fake.client(), [], []
        for n in range(4):
            args = dict(ARGS)
            said.append(adk_says(client, args, call=str(n)))
            ran.append(args)
    assert said == [
        None,
        None,
        {"error": "No."},
        {"error": "The question was withdrawn."},
    ]
    assert ran[:2] == [ARGS, {**ARGS, "amount": 20.0}]


def test_adk_ends_when_the_server_is_away():
    with pytest.raises(sayso.Unreachable):
        adk_says(AWAY, dict(ARGS))


def test_adk_asks_about_the_tools_that_are_named():
    assert adk_says(AWAY, dict(ARGS), tools=["other"]) is None
    with pytest.raises(sayso.Unreachable):
        adk_says(AWAY, dict(ARGS), tools=["other", "refund"])


# --- What identifies a call -----------------------------------------------


@pytest.mark.parametrize("framework", ["claude", "adk"])
def test_a_call_of_a_session_is_one_question(framework, request):
    """And what has no id, or is of no session, is always a new one."""
    if framework == "claude":
        module = request.getfixturevalue("claude")

        def says(client, **more):
            return claude_says(module, client, ARGS, **more)

    else:

        def says(client, **more):
            return adk_says(client, dict(ARGS), **more)

    with FakeServer([deny("No.")] * 7) as fake:
        client = fake.client()
        for more, asked in (
            ({}, 1),
            ({}, 1),
            ({"call": "call_2"}, 2),
            ({"session": "t"}, 3),
            ({"call": None}, 4),
            ({"call": None}, 5),
            ({"session": None}, 6),
            ({"session": None}, 7),
        ):
            says(client, **more)
            assert len(fake.asked) == asked, more


def test_calls_that_come_at_once_are_asked_in_their_order():
    """So that a script of replies is for them, and the inbox shows it."""

    async def turn(client):
        gate = sayso.adk.gate(client)
        said = await asyncio.gather(
            *(adk_call(gate, {"n": n}, call=n) for n in range(6))
        )
        return [one is None for one in said]

    with FakeServer([approve, deny("No.")] * 3) as fake:
        assert asyncio.run(turn(fake.client())) == [True, False] * 3


def test_members_of_the_question(claude):
    def about(tool, args):
        return {"severity": "low", "target": f"order {args['order']}"}

    with FakeServer([approve, approve]) as fake:
        claude_says(claude, fake.client(), ARGS, about=about)
        adk_says(fake.client(), dict(ARGS), about=about)
    for question in fake.asked:
        assert question["severity"] == "low"
        assert question["subject"]["target"] == "order 12345"


def asks_crewai(client, **more):
    hook = sayso.crewai.approvals(client, **more)
    hook(types.SimpleNamespace(tool_name="refund", tool_input={**ARGS}))


@pytest.mark.parametrize("framework", ["claude", "adk", "crewai"])
def test_a_question_is_told_once(framework, request, caplog):
    """Also where it is looked at several times, and is never answered."""
    caplog.set_level(logging.INFO, "sayso")
    if framework == "claude":
        module = request.getfixturevalue("claude")
    for reply, wait in ((approve, None), (pending, 0.2), (pending, 0)):
        told = []
        about = {"on_asked": lambda one, told=told: told.append(one.url)}
        with FakeServer([reply]) as fake:
            client = fake.client()
            if framework == "claude":
                wait = 60 if wait is None else wait
                claude_says(module, client, ARGS, about=about, wait=wait)
            elif framework == "adk":
                adk_says(client, {**ARGS}, about=about, wait=wait)
            else:
                asks_crewai(client, about=about, wait=wait)
        assert told == [fake.asked[0]["url"]], (reply, wait)
        waits = [one for one in caplog.messages if "Waiting" in one]
        assert waits == [f"Waiting for an answer: {told[0]}"]
        caplog.clear()


# --- CrewAI ---------------------------------------------------------------


def test_crewai_runs_after_a_yes_alone():
    with FakeServer([approve, deny("No."), withdrawn]) as fake:
        hook = sayso.crewai.approvals(fake.client(), tools=["refund"])
        call = types.SimpleNamespace(tool_name="refund", tool_input={**ARGS})
        assert [hook(call) for _ in range(3)] == [None, False, False]
        assert hook(types.SimpleNamespace(tool_name="look")) is None
    assert sayso.crewai.approvals(AWAY)(call) is False
    assert call.tool_input == ARGS


def test_crewai_runs_with_what_a_person_made_of_it():
    """CrewAI takes the object that it gave, and another one for none."""
    with FakeServer([edit(amount=20.0)] * 2) as fake:
        hook = sayso.crewai.approvals(fake.client())
        for given, ran in (({**ARGS}, None), ({}, False)):
            call = types.SimpleNamespace(tool_name="refund", tool_input=given)
            assert hook(call) is ran
            assert given == ({**ARGS, "amount": 20.0} if ran is None else {})


def test_a_call_of_crewai_that_changes_meanwhile_does_not_run():
    call = types.SimpleNamespace(tool_name="refund", tool_input={**ARGS})

    def script(question):
        call.tool_input["amount"] = 5000.0
        return approve

    with FakeServer([script]) as fake:
        assert sayso.crewai.approvals(fake.client())(call) is False
