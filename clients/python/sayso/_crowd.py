"""Many questions that are waited for at once, by one read of the feed.

A held read for each would need as many connections. The feed only wakes: the
question itself is read then, so that nothing depends on what the feed says.
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from collections import defaultdict
from collections.abc import Awaitable, Callable
from typing import Any

from ._errors import SaysoError
from ._questions import listing
from ._requests import HOLD, Steps, log, pause_after

# So many coroutines have a held read of their own.
_OWN_READS = 20
_LANES = 20
_PAUSE = 1.0  # seconds after a read of the feed that was not held


class Crowd:
    """The coroutines of an event loop that wait for questions to end."""

    def __init__(self, run: Callable[[Steps[Any]], Awaitable[Any]]) -> None:
        self.reads = 0  # of those that have one of their own
        self.lanes = asyncio.Semaphore(_LANES)  # for what is not held
        self.woken: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self.begun = asyncio.Event()
        self._run = run
        self._task: asyncio.Task[None] | None = None

    def follow(self) -> None:
        """Sees to it that the feed is read."""
        if self._task is None or self._task.done():
            self.begun.clear()
            self._task = asyncio.create_task(self._following())

    def close(self) -> None:
        """Ends that."""
        if self._task is not None:
            self._task.cancel()

    async def _following(self) -> None:
        place, hold, missed, failed = "now", 0, False, 0
        while self.woken:
            begun = time.monotonic()
            try:
                page, _ = await self._run(
                    listing({"ended_after": place}, hold, math.inf, math.inf)
                )
            except SaysoError as error:  # such as a place before a restore
                log.warning("The feed begins again: %s", error)
                place, hold, missed = "now", 0, True
                await asyncio.sleep(pause_after(failed, None))
                failed += 1
                continue
            failed = 0
            self.begun.set()
            ended = [one["suspension_id"] for one in page["suspensions"]]
            for id in list(self.woken) if missed else ended:
                for event in self.woken.get(id, ()):
                    event.set()
            if hold and not ended and time.monotonic() - begun < _PAUSE:
                await asyncio.sleep(_PAUSE)
            place, hold, missed = str(page["next"]), HOLD, False


class Watch:
    """The waiting of one coroutine for one question."""

    def __init__(self, crowd: Crowd) -> None:
        self._crowd, self._event, self._id = crowd, asyncio.Event(), ""

    async def hold(self, id: str, seconds: int) -> int:
        """The seconds for which the read of the question may be held.

        In a crowd they are 0. The first time it is read as soon as the feed
        has begun, since it may have ended before; then once it has ended, or
        the seconds are over.
        """
        if not self._id and self._crowd.reads < _OWN_READS:
            return seconds
        event = self._event if self._id else self._crowd.begun
        self._id = id
        self._crowd.woken[id].add(self._event)
        self._crowd.follow()
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(event.wait(), seconds)
        self._event.clear()
        return 0

    def close(self) -> None:
        """It is not waited for any more."""
        waiting = self._crowd.woken.get(self._id)
        if waiting is not None:
            waiting.discard(self._event)
            if not waiting:
                del self._crowd.woken[self._id]
