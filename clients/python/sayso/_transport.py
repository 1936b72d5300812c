"""The connections to a server, over which steps are driven."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import ipaddress
import os
import ssl
import threading
import time
import weakref
from typing import Any, TypeVar

import httpx

from ._crowd import Crowd, Watch
from ._errors import Unreachable
from ._requests import Request, Steps

_T = TypeVar("_T")

_CONNECTIONS = 100
# With threads, which share none, each read is held less long where there are
# more of them than connections.
_CROWDED = 5
# What httpx raises where no whole answer came.
_LOST = httpx.RequestError, httpx.InvalidURL
_free = contextlib.nullcontext()


class Transport:
    """The connections of a client; those of one's own are not closed."""

    def __init__(
        self,
        url: str,
        key: str,
        headers: dict[str, str | bytes],
        timeout: float,
        http_client: httpx.Client | None,
        async_http_client: httpx.AsyncClient | None,
    ) -> None:
        self._url, self._key, self._headers = url, key, headers
        self._timeout = timeout
        self._given = http_client, async_http_client
        self._begin()

    def _begin(self) -> None:
        """Without any connection. A forked process has none of its parent."""
        self._process, self._lock, self._held = (
            os.getpid(),
            threading.Lock(),
            0,
        )
        self._blocking: httpx.Client | None = None
        # One for each event loop, which no other can use.
        self._waiting: weakref.WeakKeyDictionary[
            asyncio.AbstractEventLoop, tuple[httpx.AsyncClient, Crowd]
        ] = weakref.WeakKeyDictionary()

    def _settings(self) -> dict[str, Any]:
        return {
            "mounts": mounts(self._url),
            "verify": _certificates(),
            "limits": httpx.Limits(max_connections=_CONNECTIONS),
        }

    def _http(self) -> httpx.Client:
        if self._process != os.getpid():
            self._begin()
        with self._lock:
            if self._blocking is None:
                self._blocking = self._given[0] or httpx.Client(
                    **self._settings()
                )
            return self._blocking

    def _ahttp(self) -> tuple[httpx.AsyncClient, Crowd]:
        if self._process != os.getpid():
            self._begin()
        loop = asyncio.get_running_loop()
        with self._lock:
            if loop not in self._waiting:
                http = self._given[1] or httpx.AsyncClient(**self._settings())
                self._waiting[loop] = http, Crowd(self.arun)
            return self._waiting[loop]

    def close(self) -> None:
        """Closes those of `run`."""
        here = self._process == os.getpid()
        if here and self._blocking and not self._given[0]:
            self._blocking.close()

    async def aclose(self) -> None:
        """Closes those of `run`, and of `arun` in this event loop."""
        self.close()
        found = self._waiting.get(asyncio.get_running_loop())
        if self._process == os.getpid() and found:
            http, crowd = found
            crowd.close()
            if not self._given[1]:
                await http.aclose()

    # --- Driving ----------------------------------------------------------

    def run(self, steps: Steps[_T]) -> _T:
        """What comes of the steps."""
        got: Any = None
        http = self._http()
        try:
            while True:
                step = steps.send(got)
                got = None
                if isinstance(step, Request):
                    got = self._answer(http, step)
                else:
                    time.sleep(step)
        except StopIteration as end:
            result: _T = end.value
        return result

    def _answer(
        self, http: httpx.Client, step: Request
    ) -> httpx.Response | Unreachable:
        with self._lock:
            self._held += bool(step.hold)
        try:
            crowded = self._held > _CONNECTIONS
            return http.request(
                **self._arguments(
                    step, min(step.hold or 0, _CROWDED if crowded else 60)
                )
            )
        except _LOST as error:
            return self._lost(error)
        finally:
            with self._lock:
                self._held -= bool(step.hold)

    async def arun(self, steps: Steps[_T]) -> _T:
        """What comes of the steps, for asyncio."""
        got: Any = None
        http, crowd = self._ahttp()
        watch = Watch(crowd)
        try:
            while True:
                step = steps.send(got)
                got = None
                if isinstance(step, Request):
                    hold = step.hold or 0
                    if step.ends and hold:
                        hold = await watch.hold(step.ends, hold)
                    got = await self._aanswer(http, crowd, step, hold)
                else:
                    await asyncio.sleep(step)
        except StopIteration as end:
            result: _T = end.value
        finally:
            watch.close()
        return result

    async def _aanswer(
        self, http: httpx.AsyncClient, crowd: Crowd, step: Request, hold: int
    ) -> httpx.Response | Unreachable:
        own = bool(step.ends and hold)
        crowd.reads += own
        try:
            # httpx takes long to find a connection where many wait for one.
            async with _free if hold else crowd.lanes:
                return await http.request(**self._arguments(step, hold))
        except _LOST as error:
            return self._lost(error)
        finally:
            crowd.reads -= own

    def _arguments(self, step: Request, hold: int) -> dict[str, Any]:
        """Those of httpx."""
        path = step.path
        if step.hold is not None:
            path += f"{'&' if '?' in path else '?'}wait={hold}"
        return {
            "method": step.method,
            "url": self._url + path,
            "content": step.content,
            "headers": {**self._headers, **step.headers},
            "follow_redirects": False,
            "timeout": httpx.Timeout(
                self._timeout + hold, connect=self._timeout, pool=None
            ),
        }

    def _lost(self, error: Exception) -> Unreachable:
        """Without the error itself: it has the request, and that the key."""
        said = f"{type(error).__name__}: {error}".replace(self._key, "***")
        return Unreachable(f"No answer from {self._url} ({said}).")


def mounts(url: str) -> dict[str, None]:
    """This machine is reached without a proxy."""
    host = httpx.URL(url).host
    try:
        near = ipaddress.ip_address(host).is_loopback
    except ValueError:
        near = host == "localhost"
    shown = f"[{host}]" if ":" in host else host
    return {f"all://{shown}": None} if near else {}


@functools.cache
def _certificates() -> ssl.SSLContext:
    """Those of the machine, whose reading takes longer than a question."""
    return httpx.create_ssl_context()
