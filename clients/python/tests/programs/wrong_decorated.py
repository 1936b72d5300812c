"""A decorated function takes what it took, and gives what it gave."""

import sayso


@sayso.require_approval(severity="high")
def refund(order: str, amount: float) -> int:
    return round(amount)


@sayso.require_approval(refusal="return")
def told(order: str) -> int:
    return len(order)


@sayso.require_approval(tarjet="x")  # wrong: call-overload
def other(order: str) -> int:
    return len(order)


refund("1", "2")  # wrong: arg-type
refund("1")  # wrong: call-arg
text: str = refund("1", 2.0)  # wrong: assignment
number: int = told("1")  # wrong: assignment
sayso.require_approval(once="fixed")  # wrong: call-overload
sayso.require_approval(refusal="rais")  # wrong: call-overload
