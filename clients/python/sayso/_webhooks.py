"""Messages that the server pushes."""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Mapping
from typing import Any

from . import _exact
from ._errors import InvalidSignature

_SKEW = 300  # seconds between two clocks


def verify_webhook(
    body: bytes,
    headers: Mapping[str, str],
    secret: str,
    *,
    now: float | None = None,
) -> dict[str, Any]:
    """The message of a push, once its signature was checked.

    The signature is that of Standard Webhooks. `secret` is whsec_..., as the
    endpoint was made with it. Raises `InvalidSignature`.
    """
    named = {k.lower(): v for k, v in headers.items()}
    try:
        sent = int(named["webhook-timestamp"])
        signed = f"{named['webhook-id']}.{sent}.".encode() + body
        key = base64.b64decode(
            secret.strip().removeprefix("whsec_"), validate=True
        )
        if not key:
            raise ValueError("the secret is empty")
        given = [s.partition(",") for s in named["webhook-signature"].split()]
    except (KeyError, ValueError) as error:
        raise InvalidSignature(str(error)) from error
    if abs((time.time() if now is None else now) - sent) > _SKEW:
        raise InvalidSignature("the message is too old")
    mine = base64.b64encode(hmac.digest(key, signed, "sha256"))
    if not any(
        version == "v1" and hmac.compare_digest(value.encode(), mine)
        for version, _, value in given
    ):
        raise InvalidSignature("the signature does not match")
    return dict(_exact.loads(body))
