"""CrewAI: a person approves the calls of tools.

    register_before_tool_call_hook(approvals(tools=["refund"]))

CrewAI runs the tool when a hook raises an exception. This hook says no then.
"""

from __future__ import annotations

import copy
import logging
import re
import unicodedata
from collections.abc import Callable, Iterable
from typing import Any

from . import Client, Denied
from ._client import of_environment
from ._frameworks import About, members, same

_log = logging.getLogger("sayso")


def approvals(
    client: Client | None = None,
    *,
    tools: Iterable[str] | None = None,
    about: About = None,
    wait: float | None = None,
    edit: bool = True,
) -> Callable[[Any], bool | None]:
    """A hook for `register_before_tool_call_hook`.

    Register it as the last one: a later one could change the call. `tools`:
    those that need an approval; without it all. `about`: members of the
    question, or a function of the tool's name and arguments that makes them;
    CrewAI's calls have no id, so that each is a new question unless `once` is
    among them. `edit`: the person may change arguments.
    """
    named = None if tools is None else [_plain(tool) for tool in tools]

    def asks(tool: str) -> bool:
        plain = _plain(tool)
        return named is None or any(_same(plain, one) for one in named)

    def hook(context: Any) -> bool | None:
        tool: Any = getattr(context, "tool_name", None)
        try:
            if not asks(tool):
                return None
            given = context.tool_input
            shown = copy.deepcopy(given)
            args = (client or of_environment()).approve_call(
                tool,
                shown,
                wait=wait,
                edit=edit,
                **members(about, tool, shown),
            )
            # CrewAI runs the call with this very object, unless it is empty.
            if not same(given, shown) or (args and not given):
                raise ValueError("The call was changed after the question.")
            given.clear()
            given.update(args)
            return None
        except Denied as no:
            _log.info("%s does not run: %s", tool, no)
            return False
        except Exception as error:  # CrewAI would go on
            _log.warning("%s does not run: %s", tool, error)
            return False

    return hook


_LONG, _HEAD = 55, 24  # signs of a name that CrewAI cuts, and that it keeps


def _plain(name: str) -> str:
    """A tool's name as CrewAI writes it, in letters of its own.

    A name without any of these becomes empty, and is the same as every other
    such name.
    """
    letters = unicodedata.normalize("NFKD", name).encode("ascii", "ignore")
    return re.sub("[^a-z0-9]", "", letters.decode().lower())


def _same(plain: str, named: str) -> bool:
    """Whether it is the tool, whose long name CrewAI cuts to its head.

    Another tool with the same head is asked about too, so that none runs
    unasked.
    """
    return plain == named or (
        len(named) > _HEAD
        and max(len(plain), len(named)) > _LONG - _HEAD
        and plain[:_HEAD] == named[:_HEAD]
    )
