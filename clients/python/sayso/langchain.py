"""LangChain and LangGraph: a person answers the interrupts.

Those of `HumanInTheLoopMiddleware`, in both of its modes.

    result = invoke(agent, {"messages": [...]}, config)

is `agent.invoke`, which goes on until no call waits for an approval. `None` in
place of the input goes on where the thread was. Interrupts of another kind are
in the result, as ever.
"""

from __future__ import annotations

import dataclasses
import uuid
from typing import Any

from langgraph.types import Command, Interrupt

from . import Client, Denied
from ._client import of_environment
from ._frameworks import (
    About,
    Decision,
    adecided,
    decided,
    identity,
    members,
    same,
)


def invoke(
    agent: Any,
    input: Any,
    config: Any,
    *,
    client: Client | None = None,
    about: About = None,
    wait: float | None = None,
    **options: Any,
) -> Any:
    """`agent.invoke`, in which a person decides about the calls of tools.

    `about`: members of the question, or a function of the tool's name and
    arguments that makes them. `options` are of `agent.invoke`.
    """
    server = client or of_environment()
    result = agent.invoke(input, config, **options)
    while calls := _calls(agent.get_state(config).interrupts):
        got = decided(
            server, [call.question(config, about, wait) for call in calls]
        )
        for resume in _resumes(calls, got):
            result = agent.invoke(resume, config, **options)
    return result


async def ainvoke(
    agent: Any,
    input: Any,
    config: Any,
    *,
    client: Client | None = None,
    about: About = None,
    wait: float | None = None,
    **options: Any,
) -> Any:
    """`invoke` for asyncio, with `agent.ainvoke`."""
    server = client or of_environment()
    result = await agent.ainvoke(input, config, **options)
    while calls := _calls((await agent.aget_state(config)).interrupts):
        got = await adecided(
            server, [call.question(config, about, wait) for call in calls]
        )
        for resume in _resumes(calls, got):
            result = await agent.ainvoke(resume, config, **options)
    return result


@dataclasses.dataclass
class _Call:
    """A call of a tool that waits for a decision."""

    interrupt: Interrupt
    place: int  # in its interrupt
    tool: str
    args: dict[str, Any]
    allowed: set[str]
    # What identifies it here, where the framework does not.
    unknown: str = dataclasses.field(default_factory=lambda: str(uuid.uuid4()))

    def question(
        self, config: Any, about: About, wait: float | None
    ) -> dict[str, Any]:
        return {
            "tool": self.tool,
            "args": self.args,
            "wait": wait,
            "edit": "edit" in self.allowed,
            "call_id": identity(
                _thread(config), _id(self.interrupt), self.place
            )
            or self.unknown,
            **members(about, self.tool, self.args),
        }

    def resume(self, got: Decision) -> dict[str, Any]:
        """The decision as the framework takes it."""
        if isinstance(got, Denied):
            # "reject" says that the user did; silence is not that.
            silent = (
                got.answer.state != "resolved" and "respond" in self.allowed
            )
            kind = "respond" if silent else "reject"
            return {"type": kind, "message": str(got)}
        if same(got, self.args):
            return {"type": "approve"}
        return {
            "type": "edit",
            "edited_action": {"name": self.tool, "args": got},
        }


def _thread(config: Any) -> Any:
    return (config or {}).get("configurable", {}).get("thread_id")


def _id(interrupt: Interrupt) -> str | None:
    """None for what LangGraph writes where there is none."""
    return None if interrupt.id == "placeholder-id" else interrupt.id


def _calls(interrupts: tuple[Interrupt, ...]) -> list[_Call]:
    """Those of every interrupt whose calls may be approved.

    The other ones are left to the caller.
    """
    found = []
    for one in interrupts:
        calls = _calls_of(one)
        if all("approve" in call.allowed for call in calls):
            found += calls
    return found


def _calls_of(one: Interrupt) -> list[_Call]:
    match one.value:
        case {"action_requests": requests, "review_configs": reviews}:
            return [
                _Call(
                    one,
                    n,
                    request["name"],
                    request["args"],
                    set(review["allowed_decisions"]),
                )
                for n, (request, review) in enumerate(
                    zip(requests, reviews, strict=True)
                )
            ]
        case {"type": "tool_approval", "name": tool, "args": args}:
            return [_Call(one, 0, tool, args, _allowed(one.response_schema))]
    return []


def _allowed(schema: Any) -> set[str]:
    """The decisions that the schema of an answer takes."""
    match schema:
        case {"discriminator": {"mapping": mapping}}:
            return set(mapping)
        case {"properties": {"type": {"const": only}}}:
            return {only}
    return {"approve", "reject"}


def _resumes(
    calls: list[_Call], decisions: list[Decision]
) -> list[Command[Any]]:
    """One for each interrupt, by its id.

    An answer to calls that have changed meanwhile is for nothing.
    """
    made: dict[str, Any] = {}
    for call, one in zip(calls, decisions, strict=True):
        decision = call.resume(one)
        if "action_requests" in call.interrupt.value:
            made.setdefault(call.interrupt.id, {"decisions": []})[
                "decisions"
            ].append(decision)
        else:
            made[call.interrupt.id] = decision
    return [Command(resume={key: value}) for key, value in made.items()]
