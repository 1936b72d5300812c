"""What may be said of a question, and of the asking, as types."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypedDict

from ._answers import Answer

if sys.version_info >= (3, 11):
    from typing import Required
else:
    from typing_extensions import Required

Severity = Literal["low", "medium", "high", "critical"]
State = Literal["pending", "resolved", "expired", "cancelled"]
Effect = Literal[
    "authorize",
    "authorize_modified",
    "veto",
    "stop_task",
    "request_changes",
    "answer",
    "decline",
    "accept",
    "none",
]
Kind = Literal[
    "approval",
    "permission",
    "plan_review",
    "elicitation",
    "credential_needed",
    "cost_confirmation",
    "handoff_acceptance",
]


class Choice(TypedDict, total=False):
    """One answer that a person can choose. `effect` says what it does."""

    value: Required[str]
    label: str
    description: str
    style: Literal["primary", "danger", "default"]
    effect: Effect
    reason: Literal["optional", "required", "none"]
    metadata: Mapping[str, Any]


class Question(TypedDict, total=False):
    """The members of a question, as the API names them.

    docs/questions.md describes each of them.
    """

    title: str
    explanation: str
    severity: Severity
    context: Mapping[str, Any]
    kind: Kind
    subject: Mapping[str, Any]
    evidence: Sequence[Mapping[str, Any]]
    artifacts: Sequence[Mapping[str, Any]]
    responder: Mapping[str, Any]
    supersedes: str
    allow_edit: bool
    response_type: Literal["choice", "confirm", "text", "form"]
    choices: Sequence[str | Choice]
    form: Sequence[Mapping[str, Any]] | Mapping[str, Any]
    timeout_seconds: int
    fallback_policy: Literal[
        "fail", "complete_with_fallback", "use_default_and_continue"
    ]
    fallback_value: Any
    retry_policy: Mapping[str, Any]
    on_reject: Literal["resume", "abandon"]
    channel_hint: str
    callback: str
    callback_body: Literal["message", "data", "answer"]
    intent_id: str
    intent: Mapping[str, Any]


class Waiting(TypedDict, total=False):
    """How an answer is waited for.

    - `wait`: seconds to wait for an answer; None, the default: until there is
      one.
    - `anew`: where `once` finds a yes that is over, or a question that was
      withdrawn, ask again.
    - `keep`: leave the question open when `wait` ends. Otherwise it is
      withdrawn then, so that nobody approves what will not run. `ask` keeps
      it unless this is False; all else withdraws it unless this is True, or
      `wait` is 0.
    - `on_asked`: is called with the question while it is not answered yet;
      its `url` is the page for a person. Takes the place of the client's.
    """

    wait: float | None
    anew: bool
    keep: bool
    on_asked: Callable[[Answer], object] | None


class AskOptions(Question, Waiting, total=False):
    """The options of `ask`: the members of `Question`, those of `Waiting`.

    - `once`: identifies this request. Asked again with it, also after a
      restart, it finds the same question.
    """

    once: str | None


class _Call(Question, Waiting, total=False):
    question: str
    target: str
    scope: str
    consequence: str
    edit: bool


class CallOptions(_Call, total=False):
    """The options of `approve_call`: `Question`, `Waiting`, and these.

    - `question`: its text; without it "Run (tool)?".
    - `target`, `scope`, `consequence`: what it is done to, how far it goes,
      and what comes of it.
    - `edit`: the person may change the arguments.
    - `once` identifies this request, or is made from `call_id`, the
      framework's id of the call, and the arguments.
    - `use`: False only waits for the approval. The same call without it, when
      the tool runs, uses the approval.
    """

    once: str | None
    call_id: str | None
    use: bool


class DecoratorOptions(_Call, total=False):
    """The options of `require_approval`, without `refusal`.

    - `name`: the name of the tool; without it the function's.
    - `target`, `scope`: may have arguments in them, as "order {order}".
    - `once`: makes what identifies this request from the arguments.
    """

    name: str
    once: Callable[..., str | None] | None


class ApprovalOptions(DecoratorOptions, total=False):
    """The options of `require_approval`: `Question`, `Waiting`, and these.

    - `name`: the name of the tool; without it the function's.
    - `target`, `scope`: may have arguments in them, as "order {order}".
    - `once`: makes what identifies this request from the arguments.
    - `refusal`: "raise" raises `Denied`. With "return" its text is the result,
      for frameworks that call a tool again when it raises.
    """

    refusal: Literal["raise", "return"]


class RedeemedCall(TypedDict):
    """The call that a permit is used for."""

    tool: str
    arguments: Mapping[str, Any]


class Redemption(TypedDict):
    """One use of a permit, as the server counted it."""

    redemption_id: str | None
    permit_id: str | None
    request_id: str | None
    counted: bool
    n: int
    uses_left: int
    agent: str
    subject: str | None
    amount: str | None
    unit: str | None
