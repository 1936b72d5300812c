"""Requests to the server as steps of a generator, and when to repeat them.

A function that talks to the server yields each request, and is sent its
response or the `Unreachable` that came of it; it yields a number to pause so
many seconds. `Client` drives such generators, blocking or with asyncio, so
that everything is written once.
"""

from __future__ import annotations

import dataclasses
import email.utils
import logging
import math
import random
import re
import time
from collections.abc import Generator
from typing import Any, TypeVar

import httpx

from . import _exact
from ._errors import Unreachable, refused

log = logging.getLogger("sayso")

HOLD = 50  # seconds that the server holds a read
BUSY = (429, 502, 503, 504)  # the answers after which it is tried again
_LONGEST = 30.0  # seconds between two tries
_ASKED_FOR = 1.0, 60.0  # the least and the most that the server may ask for

_T = TypeVar("_T")


@dataclasses.dataclass
class Request:
    """A request that may be repeated as it is."""

    method: str
    path: str
    content: bytes | None = None
    headers: dict[str, str] = dataclasses.field(default_factory=dict)
    hold: int | None = None  # seconds that the server may hold it
    ends: str | None = None  # the question whose end it waits for


Steps = Generator[Request | float, Any, _T]


def end_of(wait: float | None) -> float:
    """The time at which a waiting ends."""
    return math.inf if wait is None else time.monotonic() + wait


def sent(
    request: Request,
    end: float = math.inf,
    *,
    lost: float = math.inf,
    busy: float = math.inf,
) -> Steps[httpx.Response]:
    """The response; the request is repeated while the server is away.

    `Unreachable` where it still is at the end, or after it was repeated
    because of so many lost connections, or answers of a busy server.
    """
    tries = 0
    while True:
        got = yield request
        if isinstance(got, Unreachable):
            error, rest, lost = got, lost, lost - 1
        elif got.status_code in BUSY:
            error, rest, busy = _busy(got), busy, busy - 1
        elif got.is_success:
            return got  # type: ignore[no-any-return]
        elif got.status_code < 400:
            raise Unreachable(
                "There is no Sayso server at this address: it leads elsewhere "
                f"({got.status_code}).",
                request_id=_id(got),
            )
        else:
            raise refused(got.status_code, _problem(got), _id(got))
        left = end - time.monotonic()
        if left <= 0 or rest <= 0:
            raise error
        pause = min(pause_after(tries, error.retry_after), left)
        log.log(
            logging.DEBUG if tries else logging.WARNING,
            "%s Trying again in %.1f s.",
            error,
            pause,
        )
        yield pause
        tries += 1


def pause_after(tries: int, asked_for: float | None) -> float:
    """Seconds before the next try, after so many.

    They differ by chance, so that many clients do not come back together.
    """
    if asked_for is not None:
        return asked_for * random.uniform(1, 1.1)
    return min(2.0 ** min(tries, 10), _LONGEST) * random.uniform(0.5, 1)


def retry_after(response: httpx.Response) -> float | None:
    """The seconds of a Retry-After, within reason."""
    said = response.headers.get("Retry-After", "").strip()
    if re.fullmatch(r"[0-9]{1,12}", said):
        seconds = float(said)
    else:
        try:
            at = email.utils.parsedate_to_datetime(said).timestamp()
        except (TypeError, ValueError, OverflowError):
            return None
        seconds = at - time.time()
    least, most = _ASKED_FOR
    return min(max(seconds, least), most)


def object_of(response: httpx.Response, member: str) -> dict[str, Any]:
    """The body, which is an object with this member.

    It is if a server of ours, and nothing before it, has sent it.
    """
    try:
        body = _exact.loads(response.content)
    except ValueError:
        body = None
    if not isinstance(body, dict) or member not in body:
        raise Unreachable(
            "There is no Sayso server at this address: its answer has no "
            f"{member}.",
            request_id=_id(response),
        )
    return body


def _busy(response: httpx.Response) -> Unreachable:
    return Unreachable(
        f"The server is away or busy ({response.status_code}).",
        request_id=_id(response),
        retry_after=retry_after(response),
    )


def _id(response: httpx.Response) -> str | None:
    found: str | None = response.headers.get("X-Request-Id")
    return found


def _problem(response: httpx.Response) -> dict[str, Any]:
    """The body of a refusal.

    A server before the real one may tell of the request in it, and so of the
    key.
    """
    key = response.request.headers.get("Authorization", "")
    text = response.text.replace(key.removeprefix("Bearer ") or "\0", "***")
    try:
        return dict(_exact.loads(text))
    except (TypeError, ValueError):
        return {"detail": " ".join(text.split())[:200]}
