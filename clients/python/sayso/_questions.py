"""What is done with questions, as the steps of it."""

from __future__ import annotations

import json
import math
import time
import uuid
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import httpx

from ._answers import Answer
from ._calls import Call, body_of, once_after, once_of, sha256
from ._errors import (
    SILENT,
    ApiError,
    Conflict,
    Denied,
    SaysoError,
    Unreachable,
)
from ._requests import (
    HOLD,
    Request,
    Steps,
    end_of,
    log,
    object_of,
    pause_after,
    retry_after,
    sent,
)

ROOT = "/api/v1/suspensions"
_JSON = {"Content-Type": "application/json"}
_SOON = 5.0  # seconds to use or to withdraw, where the waiting is over
_UPLOAD = 60.0  # seconds to upload a file, while the server is busy
_UNUSABLE = (403, 404, 409, 422)  # a permit that may not be used

OnAsked = Callable[[Answer], object] | None


def _post(path: str, body: bytes, **headers: str) -> Request:
    return Request("POST", path, body, {**_JSON, **headers})


def _at(id: str) -> str:
    return f"{ROOT}/{quote(id, safe='')}"


# --- Asking, and waiting --------------------------------------------------


class Telling:
    """Says where a question is answered, once for each question.

    An adapter looks at a question several times, each time with this one.
    """

    def __init__(self, on_asked: OnAsked) -> None:
        self._on_asked, self._told = on_asked, set[str]()

    def __call__(self, answer: Answer) -> None:
        if answer.id in self._told:
            return
        self._told.add(answer.id)
        log.info("Waiting for an answer: %s", answer.raw.get("url"))
        if self._on_asked:
            self._on_asked(answer)


class Waiting(NamedTuple):
    """How an answer is waited for."""

    end: float
    retries: int
    keep: bool
    anew: bool
    tell: Telling

    @classmethod
    def of(
        cls,
        retries: int,
        keep: bool,
        on_asked: OnAsked,
        options: dict[str, Any],
    ) -> Waiting:
        """Takes out of the options what is not of the question."""
        wait = options.pop("wait", None)
        keep = options.pop("keep", keep or wait == 0)
        anew = options.pop("anew", False)
        tell = options.pop("on_asked", None) or on_asked
        if not isinstance(tell, Telling):
            tell = Telling(tell)
        return cls(end_of(wait), retries, keep, anew, tell)


class _Asked(NamedTuple):
    answer: Answer
    old: bool  # the question was there before
    given_up: bool  # it was withdrawn, because the waiting has ended


def answering(
    body: bytes, once: str | None, waiting: Waiting
) -> Steps[Answer]:
    """Asks, and waits for the answer."""
    once = once_of(once)
    while True:
        asked = yield from _asking(body, once, waiting)
        if not (once and _over(asked, waiting)):
            return asked.answer
        once = once_after(once, asked.answer)


def approving(
    call: Call, waiting: Waiting, use: bool
) -> Steps[dict[str, Any]]:
    """The arguments that may run."""
    once = call.once
    while True:
        asked = yield from _asking(call.body, once, waiting)
        if asked.given_up:
            raise Denied(asked.answer, SILENT)
        try:
            args = call.approved(asked.answer)
            if use:
                yield from _redeeming(call, asked.answer, args, once, waiting)
        except Denied as no:
            over = _over(asked, waiting) or (
                no.over and waiting.anew and asked.old
            )
            if not (once and over):
                raise
            once = once_after(once, asked.answer)
        else:
            return args


def _over(asked: _Asked, waiting: Waiting) -> bool:
    """Whether it is asked anew."""
    answer, old, given_up = asked
    ended = answer.over or answer.state == "cancelled"
    return waiting.anew and old and ended and not given_up


def _asking(body: bytes, once: str | None, waiting: Waiting) -> Steps[_Asked]:
    # Without `once` too, each repetition of it is the same question.
    key = once or str(uuid.uuid4())
    made = yield from sent(
        _post(ROOT, body, **{"Idempotency-Key": key}),
        waiting.end,
        lost=waiting.retries,
    )
    answer = Answer(object_of(made, "suspension_id"))
    old = "Idempotency-Replayed" in made.headers
    if old:  # what comes back then is the first answer
        answer = yield from reading(answer.id, 0, waiting.end, answer)
    if answer.pending:
        waiting.tell(answer)
        answer = yield from reading(answer.id, None, waiting.end, answer)
    given_up = answer.pending and not waiting.keep
    if given_up:
        answer = yield from _giving_up(answer)
    return _Asked(answer, old, given_up and answer.state == "cancelled")


def reading(
    id: str,
    hold: int | None,
    end: float,
    known: Answer | None = None,
    lost: float = math.inf,
) -> Steps[Answer]:
    """The question once it has ended, or as it is at the end.

    With a `hold` of 0 it is read once. Where the server is away at the end,
    it is what is known of it.
    """
    while True:
        begun = time.monotonic()
        left = end - begun
        held = HOLD if hold is None else hold
        try:
            read = yield from sent(
                Request(
                    "GET",
                    _at(id),
                    hold=max(0, math.ceil(min(held, left))),
                    ends=id,
                ),
                end,
                lost=lost,
                busy=lost,
            )
        except Unreachable:
            if known is None:
                raise
            return known
        answer = Answer(object_of(read, "suspension_id"))
        if answer.id != id:
            raise Unreachable("The server answered about another question.")
        known, lost = answer, math.inf
        if not answer.pending or left <= 0 or hold == 0:
            return answer
        now = time.monotonic()
        if now - begun < 1 and now < end:  # it did not hold the read
            yield min(pause_after(1, retry_after(read)), end - now)


def _giving_up(answer: Answer) -> Steps[Answer]:
    """Withdraws a question that nobody answered.

    Gives the answer where somebody did in this moment.
    """
    end = end_of(_SOON)
    try:
        return (yield from cancelling(answer.id, None, end=end))
    except Conflict:
        return (yield from reading(answer.id, 0, end, answer))
    except SaysoError as error:
        log.warning("%s stays open: %s", answer.raw.get("url"), error)
        return answer


def cancelling(
    id: str,
    reason: str | None,
    *,
    end: float = math.inf,
    lost: float = math.inf,
) -> Steps[Answer]:
    """Withdraws a question."""
    body = body_of({} if reason is None else {"reason": reason})
    key = {"Idempotency-Key": str(uuid.uuid4())}
    told = yield from sent(
        _post(f"{_at(id)}/cancel", body, **key), end, lost=lost, busy=lost
    )
    return Answer(object_of(told, "suspension_id"))


# --- Using a yes ----------------------------------------------------------


def _redeeming(
    call: Call,
    answer: Answer,
    args: dict[str, Any],
    once: str | None,
    waiting: Waiting,
) -> Steps[None]:
    """Uses the approval of a call.

    The same call again is the same use, for a short time.
    """
    operation = sha256(json.dumps([once, call.subject])) if once else None
    called = {"tool": call.tool, "arguments": args}
    yield from _using(answer, operation, waiting.end, call=called)


def using(answer: Answer, operation: str | None) -> Steps[None]:
    """Uses a yes to exactly what was asked."""
    if not answer._authorized or answer._changed:
        raise Denied(answer)
    yield from _using(answer, once_of(operation), 0)


def _using(
    answer: Answer, operation: str | None, end: float, **more: Any
) -> Steps[None]:
    """Has the server count the use of a yes; Denied where it may not be."""
    body = {
        "suspension_id": answer.id,
        **more,
        "operation_id": operation or uuid.uuid4().hex,
    }
    try:
        yield from redeeming(body, max(end, end_of(_SOON)))
    except ApiError as error:
        if error.status not in _UNUSABLE:
            raise
        raise Denied(
            answer,
            f"The approval cannot be used: {error.detail or error.code} "
            "Ask again.",
            error.code or str(error.status),
            error.request_id,
        ) from None


def redeeming(
    body: Mapping[str, Any], end: float = math.inf, lost: float = math.inf
) -> Steps[dict[str, Any]]:
    """Has the server count a use. Nothing may run where it is away."""
    used = yield from sent(
        _post("/api/v1/redemptions", body_of(body)), end, lost=lost, busy=lost
    )
    return object_of(used, "redemption_id")


# --- Lists and files ------------------------------------------------------


def listing(
    query: Mapping[str, Any], hold: int | None, end: float, lost: float
) -> Steps[tuple[dict[str, Any], httpx.Response]]:
    """A page of questions, and its response."""
    given = {name: v for name, v in query.items() if v is not None}
    told = yield from sent(
        Request("GET", f"{ROOT}?{urlencode(given)}", hold=hold),
        end,
        lost=lost,
        busy=lost,
    )
    return object_of(told, "suspensions"), told


def uploading(data: bytes, media_type: str, retries: int) -> Steps[str]:
    """Uploads a file; its `ref`."""
    told = yield from sent(
        Request(
            "POST", "/api/v1/artifacts", data, {"Content-Type": media_type}
        ),
        end_of(_UPLOAD),
        lost=retries,
    )
    return str(object_of(told, "ref")["ref"])
