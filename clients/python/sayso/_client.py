"""The client: a server, a key, and the agent that asks."""

from __future__ import annotations

import functools
import os
import platform
import re
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, ParamSpec, TypeVar, cast, overload

import httpx

from . import _questions
from ._answers import Answer
from ._calls import Call, body_of
from ._decorator import Raising, Returning, needing_approval
from ._errors import ConfigurationError
from ._feed import AsyncFeed, Feed
from ._questions import OnAsked, Waiting
from ._requests import Steps, end_of
from ._transport import Transport
from ._types import (
    AskOptions,
    CallOptions,
    DecoratorOptions,
    RedeemedCall,
    Redemption,
    State,
)
from ._version import __version__

if sys.version_info >= (3, 11):
    from typing import Self, Unpack
else:
    from typing_extensions import Self, Unpack

_A = TypeVar("_A", bound=Mapping[str, Any])
_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")

_TIMEOUT = 25.0  # seconds for what is not held
_RETRIES = 2


class Client:
    """A server, a key, and the agent that asks.

    Without them `SAYSO_URL`, `SAYSO_AGENT_KEY` and `SAYSO_AGENT` of the
    environment are taken. Make one for each server and key, and use it for
    everything, from any thread: it keeps its connections. `close` it, or use
    it as a context manager. Each method has a twin for asyncio, with an `a`
    before its name.

    - `timeout`: seconds for a call that the server does not hold.
    - `max_retries`: how often a call is tried again before it is
      `Unreachable`. Once a question is there, waiting for its answer goes on
      as long as its `wait` says.
    - `on_asked`: is called with each question while it is not answered yet;
      its `url` is the page for a person.
    - `http_client`, `async_http_client`: of your own, for example with a
      proxy. Closing them is yours too.
    """

    def __init__(
        self,
        url: str | None = None,
        key: str | None = None,
        agent: str | None = None,
        *,
        timeout: float = _TIMEOUT,
        max_retries: int = _RETRIES,
        on_asked: OnAsked = None,
        http_client: httpx.Client | None = None,
        async_http_client: httpx.AsyncClient | None = None,
    ) -> None:
        """Reads the environment; connects with the first call."""
        self.url = _url(given("SAYSO_URL", url))
        key = given("SAYSO_AGENT_KEY", key)
        if not re.fullmatch("[!-~]+", key):
            raise ConfigurationError(
                "SAYSO_AGENT_KEY has characters that no key has."
            )
        agent = (agent or os.environ.get("SAYSO_AGENT") or "").strip()
        if re.search(r"[\x00-\x1f\x7f]", agent):
            raise ConfigurationError(
                "SAYSO_AGENT has characters that no name has."
            )
        self.max_retries = max_retries
        self.on_asked = on_asked
        headers: dict[str, str | bytes] = {
            "Authorization": f"Bearer {key}",
            "User-Agent": f"sayso-python/{__version__} "
            f"(Python {platform.python_version()}; httpx {httpx.__version__})",
            **({"X-Agent-ID": agent.encode()} if agent else {}),
        }
        self._transport = Transport(
            self.url, key, headers, timeout, http_client, async_http_client
        )

    def __repr__(self) -> str:
        """Without the key."""
        return f"<sayso.Client of {self.url}>"

    def close(self) -> None:
        """Closes the connections of the methods that block."""
        self._transport.close()

    async def aclose(self) -> None:
        """Closes the connections, also those of this event loop."""
        await self._transport.aclose()

    def __enter__(self) -> Self:
        """Of `with`, which closes it."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the connections."""
        self.close()

    async def __aenter__(self) -> Self:
        """Of `async with`, which closes it."""
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Closes the connections."""
        await self.aclose()

    # --- Asking -----------------------------------------------------------

    def _asking(
        self, question: str, options: Mapping[str, Any]
    ) -> Steps[Answer]:
        more = dict(options)
        once = more.pop("once", None)
        waiting = Waiting.of(self.max_retries, True, self.on_asked, more)
        body = body_of({"question": question, **more})
        return _questions.answering(body, once, waiting)

    def ask(self, question: str, **options: Unpack[AskOptions]) -> Answer:
        """Asks a person, and waits for the answer.

        The options are those of `AskOptions`: members of the question as the
        API names them, `once`, and how to wait.
        """
        return self._transport.run(self._asking(question, options))

    async def aask(
        self, question: str, **options: Unpack[AskOptions]
    ) -> Answer:
        """`ask` for asyncio."""
        return await self._transport.arun(self._asking(question, options))

    def _approving(
        self, tool: str, args: Mapping[str, Any], options: Mapping[str, Any]
    ) -> Steps[dict[str, Any]]:
        more = dict(options)
        use = more.pop("use", True)
        waiting = Waiting.of(self.max_retries, False, self.on_asked, more)
        return _questions.approving(Call.of(tool, args, **more), waiting, use)

    def approve_call(
        self, tool: str, args: _A, **options: Unpack[CallOptions]
    ) -> _A:
        """The arguments with which a call of a tool may run now.

        They are those that were shown to a person who has approved them, or
        with `edit=True` what the person made of them. The approval is used
        with that. Anything else is `Denied`. The options are those of
        `CallOptions`.
        """
        return cast(
            _A, self._transport.run(self._approving(tool, args, options))
        )

    async def aapprove_call(
        self, tool: str, args: _A, **options: Unpack[CallOptions]
    ) -> _A:
        """`approve_call` for asyncio."""
        return cast(
            _A,
            await self._transport.arun(self._approving(tool, args, options)),
        )

    @overload
    def require_approval(
        self, function: Callable[_P, _R], /
    ) -> Callable[_P, _R]: ...

    @overload
    def require_approval(
        self,
        function: Callable[_P, _R],
        /,
        **options: Unpack[DecoratorOptions],
    ) -> Callable[_P, _R]: ...

    @overload
    def require_approval(
        self,
        *,
        refusal: Literal["return"],
        **options: Unpack[DecoratorOptions],
    ) -> Returning: ...

    @overload
    def require_approval(
        self,
        *,
        refusal: Literal["raise"] = "raise",
        **options: Unpack[DecoratorOptions],
    ) -> Raising: ...

    def require_approval(
        self, function: Callable[..., Any] | None = None, **options: Any
    ) -> Any:
        """A decorator: the function runs after an approval of this very call.

        Otherwise `Denied` is raised, or with `refusal="return"` its text is
        the result. The options are those of `ApprovalOptions`.
        """
        return needing_approval(lambda: self, function, options)

    # --- Using a yes ------------------------------------------------------

    def use(self, answer: Answer, *, operation: str | None = None) -> None:
        """Uses a yes, just before what it allows is done.

        `Denied` where it is none, or is over. The same `operation` again is
        the same use, for five minutes; without it each is a new one.
        """
        self._transport.run(_questions.using(answer, operation))

    async def ause(
        self, answer: Answer, *, operation: str | None = None
    ) -> None:
        """`use` for asyncio."""
        await self._transport.arun(_questions.using(answer, operation))

    def _redeeming(
        self, operation: str, given: Mapping[str, Any]
    ) -> Steps[dict[str, Any]]:
        body = {name: v for name, v in given.items() if v is not None}
        return _questions.redeeming(
            {**body, "operation_id": operation}, lost=self.max_retries
        )

    def redeem(
        self,
        operation: str,
        *,
        suspension_id: str | None = None,
        permit_id: str | None = None,
        token: str | None = None,
        dpop: Mapping[str, str] | None = None,
        call: RedeemedCall | None = None,
    ) -> Redemption:
        """Counts one use of a permit, before its call runs.

        For a resource that was sent a `token`, and for an agent that has a
        `permit_id`. Run the call only when this returns: everything else is
        an `ApiError`, or `Unreachable`. The same `operation` again within
        five minutes is the same use.
        """
        given = {
            "suspension_id": suspension_id,
            "permit_id": permit_id,
            "token": token,
            "dpop": dpop,
            "call": call,
        }
        return cast(
            Redemption, self._transport.run(self._redeeming(operation, given))
        )

    async def aredeem(
        self,
        operation: str,
        *,
        suspension_id: str | None = None,
        permit_id: str | None = None,
        token: str | None = None,
        dpop: Mapping[str, str] | None = None,
        call: RedeemedCall | None = None,
    ) -> Redemption:
        """`redeem` for asyncio."""
        given = {
            "suspension_id": suspension_id,
            "permit_id": permit_id,
            "token": token,
            "dpop": dpop,
            "call": call,
        }
        steps = self._redeeming(operation, given)
        return cast(Redemption, await self._transport.arun(steps))

    # --- Questions that were asked ----------------------------------------

    def _getting(self, id: str, wait: float | None) -> Steps[Answer]:
        hold = 0 if wait == 0 else None
        end = end_of(None if wait == 0 else wait)
        return _questions.reading(id, hold, end, lost=self.max_retries)

    def get(self, id: str, *, wait: float | None = 0) -> Answer:
        """Reads a question, by the `id` of its answer.

        `wait` is how many seconds to wait for its end; None: until then.
        """
        return self._transport.run(self._getting(id, wait))

    async def aget(self, id: str, *, wait: float | None = 0) -> Answer:
        """`get` for asyncio."""
        return await self._transport.arun(self._getting(id, wait))

    def cancel(self, id: str, *, reason: str | None = None) -> Answer:
        """Withdraws a question. `Conflict` where it has ended already."""
        return self._transport.run(
            _questions.cancelling(id, reason, lost=self.max_retries)
        )

    async def acancel(self, id: str, *, reason: str | None = None) -> Answer:
        """`cancel` for asyncio."""
        return await self._transport.arun(
            _questions.cancelling(id, reason, lost=self.max_retries)
        )

    def _page(
        self, state: State | None, limit: int, after: str | None
    ) -> Steps[tuple[dict[str, Any], httpx.Response]]:
        query = {"state": state, "limit": limit, "after": after}
        return _questions.listing(query, None, end_of(None), self.max_retries)

    def list(
        self, *, state: State | None = None, limit: int = 50
    ) -> Iterator[Answer]:
        """The questions of this agent, newest first.

        It reads page after page of `limit` questions, as you go on.
        """
        after: str | None = None
        while True:
            page, _ = self._transport.run(self._page(state, limit, after))
            yield from map(Answer, page["suspensions"])
            after = page.get("next")
            if after is None:
                return

    async def alist(
        self, *, state: State | None = None, limit: int = 50
    ) -> AsyncIterator[Answer]:
        """`list` for asyncio."""
        after: str | None = None
        while True:
            page, _ = await self._transport.arun(
                self._page(state, limit, after)
            )
            for one in page["suspensions"]:
                yield Answer(one)
            after = page.get("next")
            if after is None:
                return

    def feed(
        self,
        *,
        after: str = "now",
        all_agents: bool = False,
        wait: float | None = None,
    ) -> Feed:
        """The questions that end from now on, each once, as they end.

        One read waits for all of them. `after` is a `place` of an earlier
        feed, or "0" for all that have ended. `all_agents`: those of every
        name of the key. It stops after `wait` seconds without an answer;
        with 0 it has what is there.
        """
        return Feed(self._transport.run, after, all_agents, wait)

    def afeed(
        self,
        *,
        after: str = "now",
        all_agents: bool = False,
        wait: float | None = None,
    ) -> AsyncFeed:
        """`feed` for asyncio: `async for answer in client.afeed()`."""
        return AsyncFeed(self._transport.arun, after, all_agents, wait)

    # --- Files ------------------------------------------------------------

    def upload(self, data: bytes, media_type: str) -> str:
        """Uploads a file, a picture or a text.

        What comes back is its `ref` for `evidence` or `artifacts` of a
        question, whose page shows it.
        """
        return self._transport.run(
            _questions.uploading(data, media_type, self.max_retries)
        )

    async def aupload(self, data: bytes, media_type: str) -> str:
        """`upload` for asyncio."""
        return await self._transport.arun(
            _questions.uploading(data, media_type, self.max_retries)
        )


@functools.cache
def shared(url: str, key: str, agent: str) -> Client:
    """The client of the functions of the module."""
    return Client(url, key, agent)


def of_environment() -> Client:
    """The client of the environment as it is now."""
    return shared(
        *(
            os.environ.get(name, "")
            for name in ("SAYSO_URL", "SAYSO_AGENT_KEY", "SAYSO_AGENT")
        )
    )


# --- Settings -------------------------------------------------------------


def given(name: str, value: str | None) -> str:
    """A setting without the white space around it.

    Such as the line break of a file.
    """
    value = (os.environ.get(name, "") if value is None else value).strip()
    if not value:
        raise ConfigurationError(f"{name} is not set.")
    return value


def _url(url: str) -> str:
    try:
        host = httpx.URL(url).host
    except httpx.InvalidURL:
        host = ""
    if not host or not re.match("https?://", url, re.I):
        raise ConfigurationError(
            "SAYSO_URL has to begin with http:// or https://."
        )
    return url.rstrip("/")
