"""JSON whose numbers are read exactly as they were written."""

from __future__ import annotations

import decimal
import json
from typing import Any


class Doubled(ValueError):
    """An object has a member twice: each reader takes another one."""


class Inexact(ValueError):
    """No type carries a number.

    Its exponent is too large, or it is NaN or Infinity, which is no JSON, and
    which other readers take.
    """


def loads(text: str | bytes) -> Any:
    """Like `json.loads`, without the loss of numbers.

    One that a float cannot carry is a `decimal.Decimal`. ValueError where it
    is no JSON, or is `Doubled` or `Inexact`.
    """
    return json.loads(
        text,
        parse_float=_float,
        parse_constant=_constant,
        object_pairs_hook=_members,
    )


def carried(value: Any) -> bool:
    """Whether a function gets every number of it exactly as it was written."""
    if isinstance(value, dict):
        return all(map(carried, value.values()))
    if isinstance(value, list):
        return all(map(carried, value))
    return not isinstance(value, decimal.Decimal)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise Doubled("an object has a member twice")
    return made


def _float(text: str) -> float | decimal.Decimal:
    number = float(text)
    try:
        exact = decimal.Decimal(text)
    except decimal.InvalidOperation as error:
        raise Inexact("a number has too large an exponent") from error
    # What a float shows is what it is taken for, as everywhere in Python.
    return number if decimal.Decimal(repr(number)) == exact else exact


def _constant(text: str) -> Any:
    raise Inexact(f"{text} is no JSON")
