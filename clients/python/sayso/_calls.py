"""A call of a tool, as a person is asked about it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import re
from collections.abc import Mapping
from typing import Any

from . import _exact
from ._answers import Answer
from ._errors import Denied
from ._frameworks import identity


def body_of(members: Mapping[str, Any]) -> bytes:
    """A body whose bytes do not depend on the order of its members.

    So `once` finds the question whatever order a program gives them. The
    order of a form is that of its fields on the page, and stays.
    """
    ordered = {
        name: value if name == "form" else _ordered(value)
        for name, value in sorted(members.items())
    }
    return json.dumps(ordered).encode()


def _ordered(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {name: _ordered(value[name]) for name in sorted(value)}
    if isinstance(value, (list, tuple)):
        return [_ordered(one) for one in value]
    return value


def once_of(text: str | None) -> str | None:
    """As a header, which takes no other characters and no long text."""
    if text is None or not text.strip():
        return None
    if re.fullmatch(r"[!-~]{1,255}", text) and not text.startswith("sha256:"):
        return text
    shown = json.dumps(text, ensure_ascii=False)
    return (
        "sha256:"
        + hashlib.sha256(shown.encode("utf-8", "surrogatepass")).hexdigest()
    )


def once_after(once: str, answer: Answer) -> str:
    """What identifies the request once this answer to it is over."""
    return "sha256:" + sha256(json.dumps([once, answer.id]))


def sha256(text: str) -> str:
    """In hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


@dataclasses.dataclass
class Call:
    """What is asked about a call, and what is approved of it."""

    tool: str
    subject: str
    body: bytes
    once: str | None
    edit: bool

    @classmethod
    def of(
        cls,
        tool: str,
        args: Mapping[str, Any],
        *,
        target: str = "",
        scope: str = "",
        consequence: str = "The agent did not say.",
        edit: bool = False,
        once: str | None = None,
        call_id: str | None = None,
        **more: Any,
    ) -> Call:
        """`TypeError` where the arguments are not JSON."""
        try:
            shown = json.loads(json.dumps(args, allow_nan=False))
        except ValueError:  # no number, or a circle
            shown = None
        if shown is None or shown != args:
            raise TypeError(
                "The arguments have to be JSON: a person has to see what runs."
            )
        calls = [{"tool": tool, "args": shown}]
        # The bytes of the subject are what the answer is for.
        subject = json.dumps(
            {
                "action": {"name": tool},
                "target": target or tool,
                "scope_summary": scope or f"One call of {tool}",
                "consequence": consequence,
                "calls": calls,
            },
            sort_keys=True,
        )
        rest = body_of(
            {
                "question": f"Run {tool}?",
                "kind": "approval",
                **more,
                "allow_edit": edit,
            }
        )
        if once is None and identity(call_id) is not None:
            once = sha256(json.dumps([call_id, calls], sort_keys=True))
        body = rest[:-1] + f', "subject": {subject}}}'.encode()
        return cls(tool, subject, body, once_of(once), edit)

    def approved(self, answer: Answer) -> dict[str, Any]:
        """The arguments that may run."""
        if (
            not answer._authorized
            or answer.constraints
            or (answer.approved_subject and not self.edit)
        ):
            raise Denied(answer)
        subject = answer.approved_subject or json.loads(self.subject)
        match subject.get("calls"):
            case [{"tool": self.tool, "args": dict(args)}]:
                if answer.subject_sha256 != sha256(self.subject):
                    pass
                elif _exact.carried(args):
                    return args
                else:
                    raise Denied(
                        answer,
                        "The approved arguments have a number that cannot be "
                        "carried exactly.",
                    )
        raise Denied(answer, "The answer is for another call.")
