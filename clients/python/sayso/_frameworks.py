"""What the adapters to frameworks have in common."""

from __future__ import annotations

import asyncio
import contextlib
import copy
import json
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


async def asked(client: Client, calls: Iterable[Mapping[str, Any]]) -> None:
    """Asks about all calls, in their order, before one is waited for."""
    for call in calls:
        with contextlib.suppress(Denied):
            await client.aapprove_call(
                **{**call, "wait": 0, "keep": True, "use": False}
            )


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
        call = {
            "tool": tool,
            "args": args,
            "call_id": identity(session, call_id) or str(uuid.uuid4()),
            **self._options,
            **members(self._about, tool, args),
        }
        here = id(asyncio.get_running_loop()), str(session)
        turn = self._turns.setdefault(here, asyncio.Lock())
        async with turn:
            await asked(client, [call])
        approved: dict[str, Any] = await client.aapprove_call(**call)
        return approved
