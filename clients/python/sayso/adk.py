"""Google ADK: a person approves the calls of tools.

    LlmAgent(..., before_tool_callback=gate())

A tool then runs with the arguments that were approved, and a refusal is its
result.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any

from . import Client, Denied
from ._frameworks import About, Gate


def gate(
    client: Client | None = None,
    *,
    tools: Iterable[str] | None = None,
    about: About = None,
    wait: float | None = None,
    edit: bool = True,
) -> Callable[[Any, dict[str, Any], Any], Awaitable[dict[str, Any] | None]]:
    """A `before_tool_callback` in which a person decides.

    Where the agent has several, it is the last one: a later one could change
    the call. `tools`: the names of those that need an approval; without it
    all. `about`: members of the question, or a function of the tool's name
    and arguments that makes them. `edit`: the person may change arguments.
    """
    named = None if tools is None else frozenset(tools)
    asking = Gate(client, about, wait, edit)

    async def before_tool(
        tool: Any, args: dict[str, Any], tool_context: Any
    ) -> dict[str, Any] | None:
        if named is not None and tool.name not in named:
            return None
        session, call_id = tool_context.session, tool_context.function_call_id
        try:
            approved = await asking.approved(
                tool.name, args, session.id, call_id
            )
        except Denied as no:
            return {"error": str(no)}
        # ADK runs the tool with this very object.
        args.clear()
        args.update(approved)
        return None

    return before_tool
