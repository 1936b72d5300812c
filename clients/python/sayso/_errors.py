"""The errors of this package: one class for each thing to do about them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, TypeVar

from ._answers import Answer

_E = TypeVar("_E", bound="SaysoError")


class SaysoError(Exception):
    """Every error of this package. None has the key in it.

    `request_id` is what an operator finds in the log of the server. It is
    None where the server has not answered.
    """

    request_id: str | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        """Carries an error through a pool of processes."""
        return _again, (type(self), str(self), self.__dict__)


def _again(kind: type[_E], message: str, members: dict[str, Any]) -> _E:
    error = kind.__new__(kind, message)
    error.__dict__.update(members)
    return error


class ConfigurationError(SaysoError):
    """A setting is missing or wrong: mend the environment or the program."""


class Unreachable(SaysoError):
    """No Sayso server answered, also when it was tried again: try later.

    `retry_after` is how many seconds the server wants to be left alone, where
    it said so.
    """

    def __init__(
        self,
        message: str,
        *,
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        """Made by this package."""
        super().__init__(message)
        self.request_id, self.retry_after = request_id, retry_after


class InvalidSignature(SaysoError):
    """A message is not from the server, or too old: drop it."""


# --- The server refused ---------------------------------------------------


class ApiError(SaysoError):
    """The server refused: `code` says why, `at` which member it is about."""

    def __init__(
        self,
        status: int,
        body: Mapping[str, Any],
        request_id: str | None = None,
    ) -> None:
        """Made by this package; `body` is a problem of RFC 9457."""
        self.status, self.body, self.request_id = status, body, request_id
        self.code = str(body.get("code", ""))
        self.at = str(body.get("at", ""))
        self.detail = str(body.get("detail", ""))
        said = f"{self.code or status}: {self.detail}"
        if self.at and self.at not in self.detail:
            said += f" (at {self.at})"
        super().__init__(said)


class InvalidRequest(ApiError):
    """400, 422 and the like: mend the program; `at` says where."""


class Unauthenticated(ApiError):
    """401: the key is not valid, or not any more. Ask for another one."""


class Forbidden(ApiError):
    """403: this key, or this name of an agent, may not do that."""


class NotFound(ApiError):
    """404: look at the id and at the agent's name."""


class Conflict(ApiError):
    """409: something was changed or decided already. Read it, then decide."""

    @property
    def suspension_id(self) -> str | None:
        """The question that it is about, where the server says so."""
        found = self.body.get("suspension_id")
        return None if found is None else str(found)


class ServerError(ApiError):
    """5xx: a defect of the server. Report the `request_id`."""


_KINDS: dict[int, type[ApiError]] = {
    401: Unauthenticated,
    403: Forbidden,
    404: NotFound,
    409: Conflict,
}


def refused(
    status: int, body: Mapping[str, Any], request_id: str | None
) -> ApiError:
    """The error of an answer that is no success."""
    other = InvalidRequest if 400 <= status < 500 else ServerError
    return _KINDS.get(status, other)(status, body, request_id)


# --- A person did not say yes ---------------------------------------------

SILENT = "Nobody answered in time. That is not a yes."

# No yes, a yes that cannot be used for now, or a mistake of the caller.
_NOT_OVER = (
    "permit.paused",
    "permit.asked",
    "permit.refused",
    "operation.other_call",
)


class Denied(SaysoError):
    """Nobody said yes, or the yes is over: do not act.

    The text says why, in words you can pass to the model. `answer` has the
    question, `code` the server's word where it did not let a yes be used.
    """

    def __init__(
        self,
        answer: Answer,
        said: str = "",
        code: str = "",
        request_id: str | None = None,
    ) -> None:
        """Without `said` the text is made from the answer."""
        self.answer, self.code, self.request_id = answer, code, request_id
        super().__init__(said or _refusal(answer))

    @property
    def over(self) -> bool:
        """There was a yes, and it counts no more: ask anew."""
        return self.answer.over or self.code not in ("", *_NOT_OVER)


def _refusal(answer: Answer) -> str:
    """Why a call does not run, worded for a model as well."""
    if answer.state in ("pending", "expired"):
        return SILENT
    if answer.state == "cancelled":
        return "The question was withdrawn."
    if answer.over:
        return "The approval has ended. Ask again."
    if answer.outcome == "authorized" and answer.constraints:
        limits = json.dumps(answer.constraints, default=str)
        return (
            f"Approved only within limits: {limits}. Ask again for a call "
            "within them."
        )
    if answer.outcome == "authorized" and answer.approved_subject:
        return "Approved only with changes. Ask again for what was approved."
    return answer.reason or answer.audit_summary or "Nobody approved this."
