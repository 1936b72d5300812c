"""A question and its answer, as they come back from the server."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, Generic, Literal, TypeVar, overload

_T = TypeVar("_T")

_Object = dict[str, Any]
_State = Literal["pending", "resolved", "expired", "cancelled"]
_Outcome = Literal[
    "authorized",
    "vetoed",
    "changes_requested",
    "answered",
    "declined",
    "accepted",
    "fallback",
    "none",
]
_Severity = Literal["low", "medium", "high", "critical"]


class _Member(Generic[_T]):
    """A member of a question, by the name that the API gives to it.

    None where the server does not tell of it.
    """

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    @overload
    def __get__(self, question: None, owner: type) -> _Member[_T]: ...

    @overload
    def __get__(self, question: Answer, owner: type) -> _T: ...

    def __get__(
        self, question: Answer | None, owner: type
    ) -> _Member[_T] | _T:
        if question is None:
            return self
        value: _T = question.raw.get(self.name)  # type: ignore[assignment]
        return value


@dataclasses.dataclass(frozen=True)
class Answer:
    """A question, as the server tells of it, with its answer once it has one.

    `raw` has all of it. The members have the names of the API; those that the
    server did not send are None.
    """

    raw: Mapping[str, Any]

    suspension_id = _Member[str]()
    """Identifies the question; `id` is the same."""
    intent_id = _Member[str]()
    """The task that waits for the answer."""
    state = _Member[_State]()
    """`resolved` is any answer, also a no: look at `approved`."""
    kind = _Member[str | None]()
    title = _Member[str | None]()
    question = _Member[str]()
    explanation = _Member[str | None]()
    severity = _Member[_Severity | None]()
    """The one that counts, raised by what the operator has set."""
    severity_said = _Member[_Severity | None]()
    """The one that the agent gave."""
    response_type = _Member[Literal["choice", "confirm", "text", "form"]]()
    choices = _Member[list[_Object]]()
    form = _Member[list[_Object] | None]()
    context = _Member[_Object]()
    subject = _Member[_Object | None]()
    """What the answer is bound to."""
    subject_sha256 = _Member[str | None]()
    """The SHA-256 of the bytes of the subject, as they were sent."""
    evidence = _Member[list[_Object]]()
    artifacts = _Member[list[_Object]]()
    supersedes = _Member[str | None]()
    allow_edit = _Member[bool]()
    responder = _Member[_Object]()
    """Who may answer."""
    channel_hint = _Member[str | None]()
    callback = _Member[str | None]()
    test = _Member[bool | None]()
    """A test key asked it: no permit comes of it."""
    asked_by = _Member[str]()
    """The agent."""
    initiated_by = _Member[str | None]()
    """The person for whom the agent works."""
    initiator = _Member[Literal["proven", "claimed"] | None]()
    suspended_at = _Member[str]()
    """When it was asked."""
    timeout_seconds = _Member[int | None]()
    retry_policy = _Member[_Object | None]()
    attempt = _Member[int]()
    """1 for the question, one more for each reminder."""
    next_attempt_at = _Member[str | None]()
    expires_at = _Member[str | None]()
    """None means never."""
    fallback_policy = _Member[str]()
    fallback_value = _Member[Any]()
    on_reject = _Member[Literal["resume", "abandon"]]()
    on_expiry = _Member[str]()
    """What silence will do, in words."""
    outcome = _Member[_Outcome | None]()
    """What the answer means; None while it is pending."""
    value = _Member[Any]()
    """The answer: a choice's value, a text, or the values of a form."""
    modified = _Member[bool]()
    """Less, or something else, was approved than what was asked."""
    constraints = _Member[_Object | None]()
    """The limits within which it is approved."""
    approved_subject = _Member[_Object | None]()
    """What was approved in place of the subject."""
    approved_sha256 = _Member[str | None]()
    reason = _Member[str | None]()
    """Why, in the words of the person who answered."""
    metadata = _Member[_Object | None]()
    responded_by = _Member[str | None]()
    responded_by_claimed = _Member[str | None]()
    responded_via = _Member[str | None]()
    responded_at = _Member[str | None]()
    audit_summary = _Member[str | None]()
    """Who decided what, when and where, in a sentence."""
    url = _Member[str]()
    """The page on which a person answers."""
    receipt_url = _Member[str | None]()
    """A signed statement of the answer."""
    usable = _Member[bool | None]()
    """A yes can be used now. `approved` and `over` look at it."""
    unusable_reason = _Member[str | None]()
    permit = _Member[_Object | None]()
    task_id = _Member[str | None]()
    restore_epoch = _Member[int | None]()
    restored_from = _Member[str | None]()
    claims = _Member[list[_Object] | None]()
    erased = _Member[_Object | None]()
    """The rule that erased the contents, and when."""
    tool_calls = _Member[list[_Object] | None]()

    @property
    def id(self) -> str:
        """Identifies the question at the server."""
        return str(self.raw["suspension_id"])

    @property
    def approved(self) -> bool:
        """A yes to exactly what was asked.

        It is without limits, not edited, and not over.
        """
        return self._authorized and not (self.over or self._changed)

    @property
    def over(self) -> bool:
        """A yes that counts no more when it is read.

        It was used, taken back, or its time has ended.
        """
        return self._authorized and self.raw.get("usable", True) is not True

    @property
    def pending(self) -> bool:
        """Nobody has answered yet, and its time is not over."""
        return bool(self.raw["state"] == "pending")

    @property
    def _authorized(self) -> bool:
        """A yes, perhaps to something else than what was asked."""
        return bool(
            self.raw["state"] == "resolved"
            and self.raw["outcome"] == "authorized"
        )

    @property
    def _changed(self) -> bool:
        return bool(
            self.raw.get("modified")
            or self.raw.get("constraints")
            or self.raw.get("approved_subject")
        )
