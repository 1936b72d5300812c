"""Functions keep their types; with a refusal as the result they may be it."""

import sayso


@sayso.require_approval
def plain(order: str) -> int:
    return len(order)


@sayso.require_approval(target="order {order}", severity="high", wait=60)
def refund(order: str, amount: float = 1.5) -> int:
    return round(amount)


@sayso.require_approval(refusal="return", once=lambda order: f"1:{order}")
def returned(order: str) -> int:
    return len(order)


class Shop:
    @sayso.require_approval(edit=True)
    def close(self, day: str) -> list[str]:
        return [day]


total: int = plain("1") + refund("1", amount=2.5)
told: int | str = returned("1")
days: list[str] = Shop().close("Monday")
tried: int = sayso.require_approval(plain, name="try")("1")
