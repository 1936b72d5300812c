"""Gates for frameworks."""

from collections.abc import Mapping
from typing import Any

import sayso
from sayso.adk import gate
from sayso.crewai import approvals


def about(tool: str, args: dict[str, Any]) -> Mapping[str, Any]:
    return {"severity": "high", "target": f"order {args['order']}"}


before_tool_callback = gate(tools=["refund"], about=about, wait=60)
hook = approvals(sayso.Client(), tools=["refund"], edit=False)


async def tool(args: dict[str, Any]) -> dict[str, Any] | None:
    return await before_tool_callback(object(), args, object())
