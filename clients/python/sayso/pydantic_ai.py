"""Pydantic AI: a person approves the deferred tool calls of a run.

    Agent(model, capabilities=[approvals()])

A tool with `requires_approval=True` then runs with the arguments that were
approved, and a refusal is its result.
"""

from __future__ import annotations

import copy
import uuid
from typing import Any

from pydantic_ai import RunContext, ToolApproved, ToolDenied
from pydantic_ai.capabilities import HandleDeferredToolCalls
from pydantic_ai.messages import ToolCallPart
from pydantic_ai.tools import DeferredToolRequests, DeferredToolResults

from . import Client, Denied
from ._client import of_environment
from ._frameworks import About, adecided, identity, members


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

        got = await adecided(
            client or of_environment(), map(question, requests.approvals)
        )
        return requests.build_results(
            approvals={
                call.tool_call_id: ToolDenied(str(one))
                if isinstance(one, Denied)
                # Also what was not changed: it is what the person has seen.
                else ToolApproved(override_args=one)
                for call, one in zip(requests.approvals, got, strict=True)
            }
        )

    return HandleDeferredToolCalls(handle)
