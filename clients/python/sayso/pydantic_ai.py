"""Pydantic AI: a person approves the deferred tool calls of a run.

    Agent(model, capabilities=[approvals()])

A tool with `requires_approval=True` then runs with the arguments that were
approved, and a refusal is its result."""
from __future__ import annotations

import asyncio
from typing import Any

from pydantic_ai import RunContext, ToolApproved, ToolDenied
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults

from . import Client, Denied, _About, _identity, _members


def approvals(client: Client | None = None, *, about: _About = None,
              wait: float | None = None, edit: bool = True
              ) -> HandleDeferredToolCalls[Any]:
    """`about`: members of the question, or a function of the tool's name and
    arguments that makes them. `edit`: the person may change arguments."""

    async def handle(ctx: RunContext[Any], requests: DeferredToolRequests
                     ) -> DeferredToolResults:
        async def ask(call: ToolCallPart) -> ToolApproved | ToolDenied:
            args = call.args_as_dict()
            try:
                # Also what was not changed: it is what the person has seen.
                return ToolApproved(override_args=await server.aapprove_call(
                    call.tool_name, args, wait=wait, edit=edit,
                    call_id=_identity(ctx.conversation_id,
                                      call.tool_call_id),
                    **_members(about, call.tool_name, args)))
            except Denied as no:
                return ToolDenied(str(no))

        server = client or Client()
        got = await asyncio.gather(*map(ask, requests.approvals))
        return requests.build_results(approvals={
            call.tool_call_id: result
            for call, result in zip(requests.approvals, got)})

    return HandleDeferredToolCalls(handle)
