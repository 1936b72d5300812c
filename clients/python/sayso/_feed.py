"""The feed: one read that waits for the answers to many questions."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import Any

from ._answers import Answer
from ._questions import listing
from ._requests import HOLD, Steps, end_of, pause_after, retry_after


class _Place:
    """Where a feed is.

    `place` is where another feed goes on, as `after`: keep it when you have
    handled an answer. What was read and not handled yet comes again then.
    """

    def __init__(
        self, after: str, all_agents: bool, wait: float | None
    ) -> None:
        self.place, self._wait = after, wait
        self._query = {"agents": "all" if all_agents else None}
        self._ready: deque[Answer] = deque()
        self._next = after

    def _reading(self) -> Steps[bool]:
        """Reads the next page that has an answer. False: there is none."""
        end = end_of(self._wait)
        while True:
            begun = time.monotonic()
            left = end - begun
            page, told = yield from listing(
                {**self._query, "ended_after": self._next},
                int(max(0, min(HOLD, left))),
                end,
                float("inf"),
            )
            self._ready.extend(map(Answer, page["suspensions"]))
            self._next = str(page["next"])
            if self._ready:
                return True
            self.place = self._next
            if page.get("more"):
                continue
            now = time.monotonic()
            if now >= end:
                return False
            if now - begun < 1:  # it did not hold the read
                yield min(pause_after(1, retry_after(told)), end - now)

    def _taken(self) -> Answer:
        answer = self._ready.popleft()
        if not self._ready:
            self.place = self._next
        return answer


class Feed(_Place):
    """An iterator of questions as they end; see `Client.feed`.

    `place` is where another feed goes on, as `after`: keep it when you have
    handled an answer. What was read and not handled yet comes again then.
    """

    def __init__(
        self,
        run: Callable[[Steps[Any]], Any],
        after: str,
        all_agents: bool,
        wait: float | None,
    ) -> None:
        """Made by `Client.feed`."""
        super().__init__(after, all_agents, wait)
        self._run = run

    def __iter__(self) -> Feed:
        """Itself."""
        return self

    def __next__(self) -> Answer:
        """The next question that has ended."""
        if not self._ready and not self._run(self._reading()):
            raise StopIteration
        return self._taken()


class AsyncFeed(_Place):
    """An asynchronous iterator of questions as they end; see `Client.afeed`.

    `place` is where another feed goes on, as `after`: keep it when you have
    handled an answer. What was read and not handled yet comes again then.
    """

    def __init__(
        self,
        run: Callable[[Steps[Any]], Awaitable[Any]],
        after: str,
        all_agents: bool,
        wait: float | None,
    ) -> None:
        """Made by `Client.afeed`."""
        super().__init__(after, all_agents, wait)
        self._run = run

    def __aiter__(self) -> AsyncFeed:
        """Itself."""
        return self

    async def __anext__(self) -> Answer:
        """The next question that has ended."""
        if not self._ready and not await self._run(self._reading()):
            raise StopAsyncIteration
        return self._taken()
