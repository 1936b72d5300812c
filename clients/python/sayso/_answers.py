"""What comes back from the server: answers and refusals."""
from __future__ import annotations

import dataclasses
import json
from collections.abc import Mapping
from typing import Any, Generic, TypeVar, overload

_T = TypeVar("_T")


class _Member(Generic[_T]):
    """A member of a question, by the name that the API gives to it. None where
    the server does not tell of it."""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, question: None, owner: type) -> _Member[_T]: ...

    @overload
    def __get__(self, question: Answer, owner: type) -> _T: ...

    def __get__(self, question: Answer | None, owner: type
                ) -> _Member[_T] | _T:
        if question is None:
            return self
        value: _T = question.raw.get(self.name)  # type: ignore[assignment]
        return value


@dataclasses.dataclass(frozen=True)
class Answer:
    """A question, as the server tells of it; `raw` has all of it."""

    raw: Mapping[str, Any]

    suspension_id = _Member[str]()
    intent_id = _Member[str]()
    state = _Member[str]()
    kind = _Member[str | None]()
    title = _Member[str | None]()
    question = _Member[str]()
    explanation = _Member[str | None]()
    severity = _Member[str | None]()
    severity_said = _Member[str | None]()
    response_type = _Member[str]()
    choices = _Member[list[dict[str, Any]]]()
    form = _Member[list[dict[str, Any]] | None]()
    context = _Member[dict[str, Any]]()
    subject = _Member[dict[str, Any] | None]()
    subject_sha256 = _Member[str | None]()
    evidence = _Member[list[dict[str, Any]]]()
    artifacts = _Member[list[dict[str, Any]]]()
    supersedes = _Member[str | None]()
    allow_edit = _Member[bool]()
    responder = _Member[dict[str, Any]]()
    channel_hint = _Member[str | None]()
    callback = _Member[str | None]()
    test = _Member[bool | None]()
    asked_by = _Member[str]()
    initiated_by = _Member[str | None]()
    initiator = _Member[str | None]()
    suspended_at = _Member[str]()
    timeout_seconds = _Member[int | None]()
    retry_policy = _Member[dict[str, Any] | None]()
    attempt = _Member[int]()
    next_attempt_at = _Member[str | None]()
    expires_at = _Member[str | None]()
    fallback_policy = _Member[str]()
    fallback_value = _Member[Any]()
    on_reject = _Member[str]()
    on_expiry = _Member[str]()
    outcome = _Member[str | None]()
    value = _Member[Any]()
    modified = _Member[bool]()
    constraints = _Member[dict[str, Any] | None]()
    approved_subject = _Member[dict[str, Any] | None]()
    approved_sha256 = _Member[str | None]()
    reason = _Member[str | None]()
    metadata = _Member[dict[str, Any] | None]()
    responded_by = _Member[str | None]()
    responded_by_claimed = _Member[str | None]()
    responded_via = _Member[str | None]()
    responded_at = _Member[str | None]()
    audit_summary = _Member[str | None]()
    url = _Member[str]()
    receipt_url = _Member[str | None]()
    usable = _Member[bool | None]()
    unusable_reason = _Member[str | None]()
    permit = _Member[dict[str, Any] | None]()
    task_id = _Member[str | None]()
    restore_epoch = _Member[int | None]()
    restored_from = _Member[str | None]()
    claims = _Member[list[dict[str, Any]] | None]()
    tool_calls = _Member[list[dict[str, Any]] | None]()

    @property
    def id(self) -> str:
        return str(self.raw["suspension_id"])

    @property
    def approved(self) -> bool:
        """A yes to exactly what was asked: without limits, not edited, and
        not over."""
        return self._authorized and not (self.over or self._changed)

    @property
    def over(self) -> bool:
        """A yes that counts no more when it is read: it was used, taken back,
        or its time has ended."""
        return self._authorized and self.raw.get("usable", True) is not True

    @property
    def pending(self) -> bool:
        return bool(self.raw["state"] == "pending")

    @property
    def _authorized(self) -> bool:
        """A yes, perhaps to something else than what was asked."""
        return bool(self.raw["state"] == "resolved"
                    and self.raw["outcome"] == "authorized")

    @property
    def _changed(self) -> bool:
        return bool(self.raw.get("modified") or self.raw.get("constraints")
                    or self.raw.get("approved_subject"))


# --- Refusals -------------------------------------------------------------

class Error(Exception):
    """The server refused: `code` says why, `at` where."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status, self.body = status, body
        self.code = str(body.get("code", ""))
        self.at = str(body.get("at", ""))
        super().__init__(f"{self.code}: {body.get('detail', '')}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.status, dict(self.body)), self.__dict__


class Unreachable(Exception):
    """The server could not be asked."""


class InvalidSignature(Exception):
    """The message is not from the server, or too old."""


# No yes, a yes that cannot be used for now, or a mistake of the caller.
_NOT_OVER = ("permit.paused", "permit.asked", "permit.refused",
             "operation.other_call")


class Denied(Exception):
    """Nobody said yes, or the yes is over; `answer` has the question, `code`
    the server's word where it did not let the yes be used."""

    def __init__(self, answer: Answer, said: str = "", code: str = "") -> None:
        self.answer, self.code = answer, code
        super().__init__(said or _refusal(answer))

    @property
    def over(self) -> bool:
        """There was a yes, and it counts no more: ask anew."""
        return self.answer.over or self.code not in ("", *_NOT_OVER)

    def __reduce__(self) -> tuple[Any, ...]:
        return (type(self), (self.answer, str(self), self.code),
                self.__dict__)


def _refusal(answer: Answer) -> str:
    """Why a call does not run, worded for a model as well."""
    if answer.state in ("pending", "expired"):
        return "Nobody answered in time. That is not a yes."
    if answer.state == "cancelled":
        return "The question was withdrawn."
    if answer.over:
        return "The approval has ended. Ask again."
    if answer.outcome == "authorized" and answer.constraints:
        return (f"Approved only within limits: "
                f"{json.dumps(answer.constraints, default=str)}. Ask again "
                "for a call within them.")
    if answer.outcome == "authorized" and answer.approved_subject:
        return "Approved only with changes. Ask again for what was approved."
    return answer.reason or answer.audit_summary or "Nobody approved this."
