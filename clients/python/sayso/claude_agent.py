"""The Claude Agent SDK: a person approves the calls of tools.

    ClaudeAgentOptions(hooks=gate("Bash|Write|Edit"))

The hook is asked before `allowed_tools` and permission modes, which skip a
`can_use_tool`. A hook that fails, or is too late, is a no.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from claude_agent_sdk import HookMatcher

from . import Client, ConfigurationError, Denied
from ._frameworks import About, Gate

if TYPE_CHECKING:
    from claude_agent_sdk.types import HookEvent

_log = logging.getLogger("sayso")
_SPARE = 400  # seconds of the hook's time that are not waited


def gate(
    matcher: str | None = None,
    *,
    client: Client | None = None,
    about: About = None,
    wait: float = 86000,
    edit: bool = True,
) -> dict[HookEvent, list[HookMatcher]]:
    """The hooks of `ClaudeAgentOptions`, in which a person decides.

    `matcher`: the tools that need an approval, as `HookMatcher` takes them;
    without it all. `about`: members of the question, or a function of the
    tool's name and arguments that makes them. `wait`: seconds to wait for an
    answer. `edit`: the person may change arguments.
    """
    asking = Gate(client, about, wait, edit)

    async def hook(event: Any, call_id: str | None, context: Any) -> Any:
        said: dict[str, Any] = {"hookEventName": "PreToolUse"}
        try:
            said["updatedInput"] = await asking.approved(
                event["tool_name"],
                event["tool_input"],
                event.get("session_id"),
                call_id,
            )
            said["permissionDecision"] = "allow"
        except Exception as no:
            if not isinstance(no, Denied):
                _log.warning("A tool does not run: %r", no)
            said["permissionDecision"] = "deny"
            said["permissionDecisionReason"] = str(no) or repr(no)
        return {"hookSpecificOutput": said}

    try:
        held = HookMatcher(
            matcher=matcher,
            hooks=[hook],
            timeout=wait + _SPARE,
            on_failure="block",
        )
    except TypeError:
        raise ConfigurationError(
            "This needs claude-agent-sdk 0.2.177 or newer: an older one runs "
            "the tool when a hook fails."
        ) from None
    return {"PreToolUse": [held]}
