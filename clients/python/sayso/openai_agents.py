"""OpenAI Agents: a person approves the tools with `needs_approval`.

    result = await run(agent, "Refund order 12345.")

is `Runner.run`, which goes on until no call waits for an approval. A stored
`RunState` in place of the input goes on where that run was.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

from agents import (
    Agent,
    Runner,
    RunResult,
    RunState,
    ToolApprovalItem,
    TResponseInputItem,
)

from . import Client, Denied, _exact
from ._client import of_environment
from ._frameworks import About, adecided, identity, members


async def run(
    agent: Agent[Any],
    input: str | list[TResponseInputItem] | RunState[Any],
    *,
    client: Client | None = None,
    about: About = None,
    wait: float | None = None,
    session_id: str = "",
    **options: Any,
) -> RunResult:
    """`Runner.run`, in which a person decides about the calls of tools.

    `about`: members of the question, or a function of the tool's name and
    arguments that makes them. `session_id`: needed where the ids that the
    model gives to its calls are not unique. `options` are of `Runner.run`.
    """
    result = await Runner.run(agent, input, **options)
    while result.interruptions:
        state = result.to_state()
        await answer(
            state, client=client, about=about, wait=wait, session_id=session_id
        )
        result = await Runner.run(agent, state, **options)
    return result


async def answer(
    state: RunState[Any],
    *,
    client: Client | None = None,
    about: About = None,
    wait: float | None = None,
    session_id: str = "",
) -> None:
    """Approves or rejects every call that a state waits for.

    The state runs no other call under the same id.
    """

    def question(item: ToolApprovalItem) -> dict[str, Any] | None:
        tool = item.qualified_name or item.name or "tool"
        try:
            args = _arguments(item)
        except (_exact.Doubled, _exact.Inexact) as error:
            state.reject(item, rejection_message=_UNREADABLE[type(error)])
            return None
        id = identity(item.call_id) or str(uuid.uuid4())
        return {
            "tool": tool,
            "args": args,
            "wait": wait,
            "target": _target(item, tool),
            "call_id": json.dumps([session_id, id]),
            **members(about, tool, args),
            "edit": False,
        }

    found = [(item, question(item)) for item in state.get_interruptions()]
    calls = [(item, call) for item, call in found if call is not None]
    got = await adecided(
        client or of_environment(), [call for _, call in calls]
    )
    for (item, _), one in zip(calls, got, strict=True):
        if isinstance(one, Denied):
            state.reject(item, rejection_message=str(one))
        else:
            state.approve(item)


_UNREADABLE: dict[type[ValueError], str] = {
    _exact.Doubled: "This call has an argument twice. It does not run.",
    _exact.Inexact: "A number of this call cannot be carried exactly. It does "
    "not run.",
}


def _target(item: ToolApprovalItem, tool: str) -> str:
    """Of a hosted tool, the server too: others have tools of the same name."""
    raw: Any = item.raw_item
    server = (
        raw.get("server_label")
        if isinstance(raw, Mapping)
        else getattr(raw, "server_label", None)
    )
    return f"{tool}, at the server {server}" if server else tool


def _arguments(item: ToolApprovalItem) -> dict[str, Any]:
    """What a person is shown of a call.

    Its arguments, or where it has none, such as the call of a shell, all of
    it. `Doubled` where an argument stands there twice: nobody knows which one
    would run.
    """
    text = item.arguments
    if text is None:
        raw: Any = item.raw_item
        raw = raw if isinstance(raw, Mapping) else raw.model_dump(mode="json")
        return dict(json.loads(json.dumps(raw)))
    try:
        args = _exact.loads(text or "{}")
    except (_exact.Doubled, _exact.Inexact):
        raise
    except ValueError:
        args = text
    if not _exact.carried(args):
        raise _exact.Inexact("a number of the arguments")
    return args if isinstance(args, dict) else {"input": args}
