"""What the adapters to frameworks have in common."""

from __future__ import annotations

import asyncio
import copy
import json
import time
import uuid
import weakref
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any

from ._errors import Denied

if TYPE_CHECKING:
    from ._client import Client

About = (
    Mapping[str, Any]
    | Callable[[str, dict[str, Any]], Mapping[str, Any]]
    | None
)
"""What an adapter is given to say about the calls that it asks about."""


def members(
    about: About, tool: str, args: dict[str, Any]
) -> Mapping[str, Any]:
    """The members of the question about a call."""
    return about(tool, args) if callable(about) else about or {}


def identity(*parts: Any) -> str | None:
    """Identifies a call.

    None where a part of it is missing, so that it is no other call's.
    """
    if any(part is None or not str(part).strip() for part in parts):
        return None
    return json.dumps([str(part) for part in parts])


# --- The calls of one turn of a model -------------------------------------

_Calls = Iterable[Mapping[str, Any]]
"""The calls, each as the arguments of `approve_call`."""
Decision = dict[str, Any] | Denied
"""The arguments with which a call may run now, or why it may not."""
_ASK = {"wait": 0, "keep": True, "use": False}  # and do not wait


def _told_once(client: Client, call: Mapping[str, Any]) -> dict[str, Any]:
    """The call, whose question is told once however often it is looked at."""
    from ._questions import Telling

    tell = Telling(call.get("on_asked") or client.on_asked)
    return {**call, "on_asked": tell}


def _decision(client: Client, call: Mapping[str, Any]) -> Decision:
    try:
        return client.approve_call(**call)  # type: ignore[no-any-return]
    except Denied as no:
        return no


async def _adecision(client: Client, call: Mapping[str, Any]) -> Decision:
    try:
        return await client.aapprove_call(**call)  # type: ignore[no-any-return]
    except Denied as no:
        return no


def decided(client: Client, calls: _Calls) -> list[Decision]:
    """What is decided about each call, in their order.

    All are asked about before one is waited for. None may run before all have
    their answer, and each yes is used then.
    """
    told = [_told_once(client, call) for call in calls]
    for call in told:
        _decision(client, {**call, **_ASK})
    begun, got = time.monotonic(), []
    for call in told:
        wait = call.get("wait")
        left = wait and max(0, begun + wait - time.monotonic())
        keep = call.get("keep", wait == 0)
        got.append(
            _decision(
                client, {**call, "wait": left, "keep": keep, "use": False}
            )
        )
    return [
        one if isinstance(one, Denied) else _decision(client, call)
        for call, one in zip(told, got, strict=True)
    ]


async def adecided(client: Client, calls: _Calls) -> list[Decision]:
    """`decided` for asyncio."""
    told = [_told_once(client, call) for call in calls]
    for call in told:
        await _adecision(client, {**call, **_ASK})
    got = await asyncio.gather(
        *(_adecision(client, {**call, "use": False}) for call in told)
    )
    return [
        one if isinstance(one, Denied) else await _adecision(client, call)
        for call, one in zip(told, got, strict=True)
    ]


def same(one: Any, other: Any) -> bool:
    """Whether two values are the same JSON, in which 1 is not 1.0."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


class Gate:
    """Asks before each call of a tool.

    Calls of a session that come at once are asked about in their order.
    """

    def __init__(
        self,
        client: Client | None,
        about: About,
        wait: float | None,
        edit: bool,
    ) -> None:
        """Without a client it is that of the environment."""
        self._client, self._about = client, about
        self._options = {"wait": wait, "edit": edit}
        self._turns: weakref.WeakValueDictionary[
            tuple[int, str], asyncio.Lock
        ] = weakref.WeakValueDictionary()

    async def approved(
        self, tool: str, args: dict[str, Any], session: Any, call_id: Any
    ) -> dict[str, Any]:
        """The arguments with which the call may run; else `Denied`."""
        from ._client import of_environment

        client = self._client or of_environment()
        args = copy.deepcopy(args)
        call = _told_once(
            client,
            {
                "tool": tool,
                "args": args,
                "call_id": identity(session, call_id) or str(uuid.uuid4()),
                **self._options,
                **members(self._about, tool, args),
            },
        )
        here = id(asyncio.get_running_loop()), str(session)
        turn = self._turns.setdefault(here, asyncio.Lock())
        async with turn:
            await _adecision(client, {**call, **_ASK})
        approved: dict[str, Any] = await client.aapprove_call(**call)
        return approved
