"""Ask a person before an AI agent acts.

    import sayso

    answer = sayso.ask("Deploy to production?", once="run-8:deploy")
    if answer.approved:
        sayso.use(answer)  # it counts once
        deploy()

The functions use the server, the key and the agent's name of the environment:
`SAYSO_URL`, `SAYSO_AGENT_KEY` and `SAYSO_AGENT`. They are methods of `Client`
too. See README.md.
"""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any, Literal, ParamSpec, TypeVar, overload

from ._answers import Answer
from ._client import Client, of_environment
from ._decorator import Raising, Returning, needing_approval
from ._errors import (
    ApiError,
    ConfigurationError,
    Conflict,
    Denied,
    Forbidden,
    InvalidRequest,
    InvalidSignature,
    NotFound,
    SaysoError,
    ServerError,
    Unauthenticated,
    Unreachable,
)
from ._feed import AsyncFeed, Feed
from ._types import (
    ApprovalOptions,
    AskOptions,
    CallOptions,
    Choice,
    DecoratorOptions,
    Effect,
    Kind,
    Question,
    RedeemedCall,
    Redemption,
    Severity,
    State,
)
from ._version import __version__
from ._webhooks import verify_webhook

if sys.version_info >= (3, 11):
    from typing import Unpack
else:
    from typing_extensions import Unpack

# Without `list`, which is another one everywhere else.
__all__ = [
    "Answer",
    "ApiError",
    "ApprovalOptions",
    "AskOptions",
    "AsyncFeed",
    "CallOptions",
    "Choice",
    "Client",
    "ConfigurationError",
    "Conflict",
    "Denied",
    "Effect",
    "Feed",
    "Forbidden",
    "InvalidRequest",
    "InvalidSignature",
    "Kind",
    "NotFound",
    "Question",
    "RedeemedCall",
    "Redemption",
    "SaysoError",
    "ServerError",
    "Severity",
    "State",
    "Unauthenticated",
    "Unreachable",
    "__version__",
    "aapprove_call",
    "aask",
    "acancel",
    "afeed",
    "aget",
    "alist",
    "approve_call",
    "aredeem",
    "ask",
    "aupload",
    "ause",
    "cancel",
    "feed",
    "get",
    "redeem",
    "require_approval",
    "upload",
    "use",
    "verify_webhook",
]

_A = TypeVar("_A", bound=Mapping[str, Any])
_P = ParamSpec("_P")
_R = TypeVar("_R")


def ask(question: str, **options: Unpack[AskOptions]) -> Answer:
    """`Client().ask`: asks a person, and waits for the answer."""
    return of_environment().ask(question, **options)


async def aask(question: str, **options: Unpack[AskOptions]) -> Answer:
    """`ask` for asyncio."""
    return await of_environment().aask(question, **options)


def approve_call(tool: str, args: _A, **options: Unpack[CallOptions]) -> _A:
    """`Client().approve_call`: the arguments with which a call may run."""
    return of_environment().approve_call(tool, args, **options)


async def aapprove_call(
    tool: str, args: _A, **options: Unpack[CallOptions]
) -> _A:
    """`approve_call` for asyncio."""
    return await of_environment().aapprove_call(tool, args, **options)


def use(answer: Answer, *, operation: str | None = None) -> None:
    """`Client().use`: uses a yes, just before what it allows is done."""
    of_environment().use(answer, operation=operation)


async def ause(answer: Answer, *, operation: str | None = None) -> None:
    """`use` for asyncio."""
    await of_environment().ause(answer, operation=operation)


def redeem(
    operation: str,
    *,
    suspension_id: str | None = None,
    permit_id: str | None = None,
    token: str | None = None,
    dpop: Mapping[str, str] | None = None,
    call: RedeemedCall | None = None,
) -> Redemption:
    """`Client().redeem`: counts one use of a permit, before its call runs."""
    return of_environment().redeem(
        operation,
        suspension_id=suspension_id,
        permit_id=permit_id,
        token=token,
        dpop=dpop,
        call=call,
    )


async def aredeem(
    operation: str,
    *,
    suspension_id: str | None = None,
    permit_id: str | None = None,
    token: str | None = None,
    dpop: Mapping[str, str] | None = None,
    call: RedeemedCall | None = None,
) -> Redemption:
    """`redeem` for asyncio."""
    return await of_environment().aredeem(
        operation,
        suspension_id=suspension_id,
        permit_id=permit_id,
        token=token,
        dpop=dpop,
        call=call,
    )


def get(id: str, *, wait: float | None = 0) -> Answer:
    """`Client().get`: reads a question."""
    return of_environment().get(id, wait=wait)


async def aget(id: str, *, wait: float | None = 0) -> Answer:
    """`get` for asyncio."""
    return await of_environment().aget(id, wait=wait)


def cancel(id: str, *, reason: str | None = None) -> Answer:
    """`Client().cancel`: withdraws a question."""
    return of_environment().cancel(id, reason=reason)


async def acancel(id: str, *, reason: str | None = None) -> Answer:
    """`cancel` for asyncio."""
    return await of_environment().acancel(id, reason=reason)


def feed(
    *, after: str = "now", all_agents: bool = False, wait: float | None = None
) -> Feed:
    """`Client().feed`: the questions that end from now on, as they end."""
    return of_environment().feed(after=after, all_agents=all_agents, wait=wait)


def afeed(
    *, after: str = "now", all_agents: bool = False, wait: float | None = None
) -> AsyncFeed:
    """`feed` for asyncio."""
    return of_environment().afeed(
        after=after, all_agents=all_agents, wait=wait
    )


def upload(data: bytes, media_type: str) -> str:
    """`Client().upload`: uploads a file, and gives its `ref`."""
    return of_environment().upload(data, media_type)


async def aupload(data: bytes, media_type: str) -> str:
    """`upload` for asyncio."""
    return await of_environment().aupload(data, media_type)


@overload
def require_approval(function: Callable[_P, _R], /) -> Callable[_P, _R]: ...


@overload
def require_approval(
    function: Callable[_P, _R], /, **options: Unpack[DecoratorOptions]
) -> Callable[_P, _R]: ...


@overload
def require_approval(
    *, refusal: Literal["return"], **options: Unpack[DecoratorOptions]
) -> Returning: ...


@overload
def require_approval(
    *,
    refusal: Literal["raise"] = "raise",
    **options: Unpack[DecoratorOptions],
) -> Raising: ...


def require_approval(
    function: Callable[..., Any] | None = None, /, **options: Any
) -> Any:
    """`Client().require_approval`; the environment is read at each call."""
    return needing_approval(of_environment, function, options)


def list(*, state: State | None = None, limit: int = 50) -> Iterator[Answer]:
    """`Client().list`: the questions of this agent, newest first."""
    return of_environment().list(state=state, limit=limit)


def alist(
    *, state: State | None = None, limit: int = 50
) -> AsyncIterator[Answer]:
    """`list` for asyncio."""
    return of_environment().alist(state=state, limit=limit)
