"""A gate of one's own around the calls of tools."""

from typing import TypedDict

import sayso


class Refund(TypedDict):
    order: str
    amount: float


def run(args: Refund, call_id: str) -> str:
    with sayso.Client(max_retries=5, timeout=10) as client:
        try:
            approved = client.approve_call(
                "refund", args, call_id=call_id, edit=True, scope="One order"
            )
        except sayso.Denied as no:
            return str(no)
        amount: float = approved["amount"]
        return f"{amount} EUR"


def gateway(token: str, args: Refund) -> int:
    used = sayso.redeem(
        "operation-1",
        token=token,
        call={"tool": "refund", "arguments": dict(args)},
    )
    return used["uses_left"]
