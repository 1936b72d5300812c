"""The words that mean yes or no, for the fake server of `testing`.

And what the server refuses because of them when it is asked.
"""

from __future__ import annotations

import unicodedata
from typing import Any

YES = frozenset(
    [
        "approve",
        "accept",
        "y",
        "yes",
        "yes please",
        "yep",
        "yeah",
        "ok",
        "okay",
        "sure",
        "fine",
        "true",
        "approved",
        "accepted",
        "agree",
        "agreed",
        "allow",
        "allowed",
        "authorize",
        "authorized",
        "authorise",
        "authorised",
        "confirm",
        "confirmed",
        "permit",
        "permitted",
        "grant",
        "granted",
        "proceed",
        "continue",
        "go",
        "go ahead",
        "go on",
        "do it",
        "run",
        "run it",
        "execute",
        "ja",
        "genehmigen",
        "erlauben",
        "oui",
        "approuver",
        "accepter",
        "sí",
        "si",
        "aprobar",
        "aceptar",
        "sì",
        "approva",
        "accetta",
        "sim",
        "aprovar",
        "aceitar",
    ]
)
NO = frozenset(
    [
        "reject",
        "decline",
        "no",
        "no thanks",
        "nope",
        "rejected",
        "refuse",
        "refused",
        "deny",
        "denied",
        "declined",
        "disagree",
        "disallow",
        "disapprove",
        "forbid",
        "forbidden",
        "veto",
        "vetoed",
        "do not",
        "don't",
        "do not do it",
        "don't do it",
        "nein",
        "ablehnen",
        "non",
        "refuser",
        "rejeter",
        "rechazar",
        "denegar",
        "rifiuta",
        "não",
        "rejeitar",
        "recusar",
        "n",
        "not now",
        "never",
        "false",
        "block",
        "blocked",
        "cancel",
        "cancelled",
        "canceled",
        "abort",
        "aborted",
        "stop",
        "stop it",
        "stop the task",
        "halt",
        "dismiss",
        "abbrechen",
        "annuler",
        "cancelar",
        "annulla",
    ]
)

_AUTHORIZE = "authorize", "authorize_modified", "accept"
_REFUSE = "veto", "decline", "stop_task", "request_changes"


def opposite(text: str, effect: str) -> bool:
    """Whether the text says the opposite of the effect."""
    word = _opening(text)
    return (word in NO and effect in _AUTHORIZE) or (
        word in YES and effect in _REFUSE
    )


def begins(label: str, value: str) -> bool:
    """Whether the label begins with the word of the value, and says more."""
    return _opening(label).startswith(_opening(value) + " ")


def fold(text: str) -> str:
    """As labels are compared."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def refused(
    choices: list[dict[str, Any]], confirm: bool
) -> tuple[str, str] | None:
    """The code of the refusal of such choices, and its place."""
    if all(one["effect"] == "none" for one in choices):
        return None
    for n, one in enumerate(choices):
        if opposite(one["value"], one["effect"]) and (
            confirm or not begins(one["label"], one["value"])
        ):
            return "choice.value_opposite", f"choices[{n}].value"
    labels = [fold(one["label"]) for one in choices]
    for n, one in enumerate(choices):
        if labels[n] in labels[:n]:
            return "choice.label_equal", f"choices[{n}].label"
        if opposite(one["label"], one["effect"]):
            return "choice.label_opposite", f"choices[{n}].label"
    return None


def authorizes(choices: list[dict[str, Any]], value: Any) -> bool:
    """Whether a fallback with this value would be a yes."""
    yes = [one for one in choices if one["effect"] in _AUTHORIZE]
    return bool(yes) and (
        value is True
        or (
            isinstance(value, str)
            and (
                _opening(value) in YES
                or any(one["value"] == value for one in yes)
            )
        )
    )


def _opening(text: str) -> str:
    """The words before the first sign of punctuation, folded."""
    said, folded = "", fold(text)
    for n, sign in enumerate(folded):
        if _wordy(sign):
            said += sign
        elif said and (
            sign == " "
            or (sign in "-_\u2010" and _wordy(folded[n + 1 : n + 2]))
        ):
            said += " "
        elif said:
            break
    return said.strip()


def _wordy(sign: str) -> bool:
    return sign == "'" or (
        sign != "" and unicodedata.category(sign)[0] in "LMN"
    )
