"""Pydantic AI: a person approves the deferred tool calls of a run.

    Agent(model, capabilities=[approvals()])

A tool with `requires_approval=True` then runs with the arguments that were
approved, and a refusal is its result.
"""

from __future__ import annotations

import asyncio
import copy
import uuid
from typing import Any

from pydantic_ai import RunContext, ToolApproved, ToolDenied
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults

from . import Client, Denied
from ._client import of_environment
from ._frameworks import About, asked, identity, members


def approvals(
    client: Client | None = None,
    *,
    about: About = None,
    wait: float | None = None,
    edit: bool = True,
) -> HandleDeferredToolCalls[Any]:
    """The capability in which a person decides about the calls of tools.

    `about`: members of the question, or a function of the tool's name and
    arguments that makes them. `edit`: the person may change arguments.
    """

    async def handle(
        ctx: RunContext[Any], requests: DeferredToolRequests
    ) -> DeferredToolResults:
        def question(call: ToolCallPart) -> dict[str, Any]:
            args = copy.deepcopy(call.args_as_dict())
            return {
                "tool": call.tool_name,
                "args": args,
                "wait": wait,
                "edit": edit,
                "call_id": identity(ctx.conversation_id, call.tool_call_id)
                or str(uuid.uuid4()),
                **members(about, call.tool_name, args),
            }

        async def ask(
            call: dict[str, Any], use: bool
        ) -> ToolApproved | ToolDenied:
            try:
                # Also what was not changed: it is what the person has seen.
                return ToolApproved(
                    override_args=await server.aapprove_call(**call, use=use)
                )
            except Denied as no:
                return ToolDenied(str(no))

        server = client or of_environment()
        calls = [question(call) for call in requests.approvals]
        await asked(server, calls)
        got = await asyncio.gather(*(ask(call, False) for call in calls))
        # None runs before all have their answer.
        got = [
            await ask(call, True) if isinstance(one, ToolApproved) else one
            for call, one in zip(calls, got, strict=True)
        ]
        return requests.build_results(
            approvals={
                call.tool_call_id: result
                for call, result in zip(requests.approvals, got, strict=True)
            }
        )

    return HandleDeferredToolCalls(handle)
