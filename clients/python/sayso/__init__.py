"""Ask a person before an AI agent acts. See README.md.

The steps of a question are one generator (`_steps`), which blocking and
asynchronous functions drive alike."""
from __future__ import annotations

import asyncio
import base64
import dataclasses
import functools
import hashlib
import hmac
import inspect
import json
import os
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from typing import Any

import httpx

__all__ = ["Answer", "Client", "Denied", "Error", "InvalidSignature",
           "Unreachable", "aask", "ask", "require_approval",
           "verify_webhook"]

_HOLD = 50  # seconds that the server holds a read
_PAUSE = 2  # seconds before a call is tried again
_SKEW = 300  # seconds between two clocks


class Error(Exception):
    """The server refused: `code` says why, `at` where."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status, self.body = status, body
        self.code = str(body.get("code", ""))
        self.at = str(body.get("at", ""))
        super().__init__(f"{self.code}: {body.get('detail', '')}")


class Unreachable(Exception):
    """The first call did not reach the server."""


class InvalidSignature(Exception):
    """The message is not from the server, or too old."""


@dataclasses.dataclass(frozen=True)
class Answer:
    """A question, as the server tells of it."""

    raw: Mapping[str, Any]

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return self.raw.get(name)

    @property
    def id(self) -> str:
        return str(self.raw["suspension_id"])

    @property
    def approved(self) -> bool:
        """A yes to what was asked, without limits."""
        return (self.raw["state"] == "resolved"
                and self.raw["outcome"] == "authorized"
                and not self.raw.get("constraints"))

    @property
    def pending(self) -> bool:
        return self.raw["state"] == "pending"


class Denied(Exception):
    """Nobody said yes; `answer` has the question."""

    def __init__(self, answer: Answer) -> None:
        self.answer = answer
        super().__init__(answer.reason or answer.audit_summary
                         or "Nobody has answered.")


@dataclasses.dataclass
class _Request:
    method: str
    path: str
    content: bytes | None = None
    headers: dict[str, str] = dataclasses.field(default_factory=dict)


# A step is a request, which is answered by a response or an error of the
# connection, or the seconds of a pause.
_Steps = Generator[_Request | float, Any, Answer]


def _steps(body: bytes, once: str, wait: float | None) -> _Steps:
    end = None if wait is None else time.monotonic() + wait
    made = _Request("POST", "/api/v1/suspensions", body,
                    {"Content-Type": "application/json",
                     "Idempotency-Key": once})
    answer = Answer((yield from _sent(made, first=True)))
    path = f"/api/v1/suspensions/{answer.id}"
    while True:
        left = _HOLD if end is None else end - time.monotonic()
        hold = max(0, min(_HOLD, int(left)))
        answer = Answer((yield from _sent(
            _Request("GET", f"{path}?wait={hold}"))))
        if not answer.pending or left <= 0:
            return answer


def _sent(request: _Request, first: bool = False
          ) -> Generator[_Request | float, Any, dict[str, Any]]:
    """The body of the answer; tried again while the server is away."""
    while True:
        got = yield request
        if isinstance(got, Exception):
            if first:
                raise Unreachable(str(got)) from got
            yield _PAUSE
            continue
        first = False
        if got.status_code in (429, 503):
            yield float(got.headers.get("Retry-After", _PAUSE))
        elif got.is_success:
            return got.json()
        else:
            raise Error(got.status_code, _body(got))


def _body(response: httpx.Response) -> dict[str, Any]:
    try:
        return dict(response.json())
    except ValueError:
        return {"detail": response.text}


class Client:
    """A server, a key, and the agent that asks."""

    def __init__(self, url: str | None = None, key: str | None = None,
                 agent: str | None = None) -> None:
        self.url = url or os.environ["SAYSO_URL"]
        key = key or os.environ["SAYSO_AGENT_KEY"]
        agent = agent or os.environ.get("SAYSO_AGENT")
        self._http: dict[str, Any] = {
            "base_url": self.url, "timeout": _HOLD + 25,
            "headers": {"Authorization": f"Bearer {key}",
                        **({"X-Agent-ID": agent} if agent else {})}}

    def ask(self, question: str, *, once: str | None = None,
            wait: float | None = None, **more: Any) -> Answer:
        """Asks, and waits for the answer: `wait` seconds, or until there is
        one. `more` are members of the question as the API names them."""
        return self._run(_body_of(question, more), once, wait)

    async def aask(self, question: str, *, once: str | None = None,
                   wait: float | None = None, **more: Any) -> Answer:
        return await self._arun(_body_of(question, more), once, wait)

    def _run(self, body: bytes, once: str | None,
             wait: float | None) -> Answer:
        steps = _steps(body, once or str(uuid.uuid4()), wait)
        got: Any = None
        with httpx.Client(**self._http) as http:
            try:
                while True:
                    step = steps.send(got)
                    got = None
                    if isinstance(step, _Request):
                        try:
                            got = http.request(
                                step.method, step.path, content=step.content,
                                headers=step.headers)
                        except httpx.TransportError as error:
                            got = error
                    else:
                        time.sleep(step)
            except StopIteration as end:
                return end.value

    async def _arun(self, body: bytes, once: str | None,
                    wait: float | None) -> Answer:
        steps = _steps(body, once or str(uuid.uuid4()), wait)
        got: Any = None
        async with httpx.AsyncClient(**self._http) as http:
            try:
                while True:
                    step = steps.send(got)
                    got = None
                    if isinstance(step, _Request):
                        try:
                            got = await http.request(
                                step.method, step.path, content=step.content,
                                headers=step.headers)
                        except httpx.TransportError as error:
                            got = error
                    else:
                        await asyncio.sleep(step)
            except StopIteration as end:
                return end.value

    def require_approval(
            self, function: Callable[..., Any] | None = None, *,
            target: str = "", scope: str = "", name: str = "",
            once: Callable[..., str] | None = None,
            wait: float | None = None, edit: bool = False,
            **more: Any) -> Any:
        """A decorator: the function runs after an approval of exactly this
        call, else `Denied` is raised. `target` and `scope` are formatted with
        the arguments; `once` makes the name of the wish from them."""
        if function is None:
            return functools.partial(
                self.require_approval, target=target, scope=scope, name=name,
                once=once, wait=wait, edit=edit, **more)
        approval = _Approval(function, target, scope, name, once, edit, more)

        @functools.wraps(function)
        def blocking(*args: Any, **named: Any) -> Any:
            call = approval.of(args, named)
            return call.run(self._run(call.body, call.once, wait))

        @functools.wraps(function)
        async def waiting(*args: Any, **named: Any) -> Any:
            call = approval.of(args, named)
            return await call.run(await self._arun(call.body, call.once,
                                                   wait))

        return waiting if inspect.iscoroutinefunction(function) else blocking


def _body_of(question: str, more: Mapping[str, Any]) -> bytes:
    return json.dumps({"question": question, **more}).encode()


# --- Approvals of a call --------------------------------------------------

@dataclasses.dataclass
class _Approval:
    function: Callable[..., Any]
    target: str
    scope: str
    name: str
    once: Callable[..., str] | None
    edit: bool
    more: Mapping[str, Any]

    def of(self, args: tuple[Any, ...], named: dict[str, Any]) -> _Call:
        signature = inspect.signature(self.function)
        bound = signature.bind(*args, **named)
        bound.apply_defaults()
        given = dict(bound.arguments)
        text = json.dumps(given)
        if json.loads(text) != given:
            raise TypeError("The arguments have to be JSON: a person has to "
                            "see what runs.")
        tool = self.name or self.function.__qualname__
        subject = json.dumps({
            "action": {"name": tool},
            "target": self.target.format(**given) or tool,
            "scope_summary": self.scope.format(**given) or f"One call of "
                                                            f"{tool}",
            "consequence": self.more.get("consequence",
                                         "The agent did not say."),
            "calls": [{"tool": tool, "args": json.loads(text)}]})
        rest = {"question": f"Run {tool}?", "kind": "approval",
                "allow_edit": self.edit,
                **{k: v for k, v in self.more.items() if k != "consequence"}}
        # The bytes of the subject are what the answer is for.
        body = json.dumps(rest)[:-1] + f', "subject": {subject}}}'
        return _Call(self.function, subject, body.encode(),
                     self.once(**given) if self.once else None)


@dataclasses.dataclass
class _Call:
    function: Callable[..., Any]
    subject: str
    body: bytes
    once: str | None

    def run(self, answer: Answer) -> Any:
        if not answer.approved:
            raise Denied(answer)
        if answer.subject_sha256 != _sha256(self.subject):
            raise Denied(answer)
        approved = answer.approved_subject
        args = (approved or json.loads(self.subject))["calls"][0]["args"]
        return self.function(**args)


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


# --- Webhooks -------------------------------------------------------------

def verify_webhook(body: bytes, headers: Mapping[str, str], secret: str, *,
                   now: float | None = None) -> dict[str, Any]:
    """The message of a push, once its signature (Standard Webhooks) is
    checked. `secret`: whsec_..., as the endpoint was made with it."""
    named = {k.lower(): v for k, v in headers.items()}
    try:
        sent = int(named["webhook-timestamp"])
        signed = f"{named['webhook-id']}.{sent}.".encode() + body
        key = base64.b64decode(secret.removeprefix("whsec_"), validate=True)
        given = [s.partition(",") for s in
                 named["webhook-signature"].split()]
    except (KeyError, ValueError) as error:
        raise InvalidSignature(str(error)) from error
    if abs((time.time() if now is None else now) - sent) > _SKEW:
        raise InvalidSignature("the message is too old")
    mine = base64.b64encode(hmac.digest(key, signed, "sha256")).decode()
    if not any(version == "v1" and hmac.compare_digest(value, mine)
               for version, _, value in given):
        raise InvalidSignature("the signature does not match")
    return dict(json.loads(body))


# --- With the server of the environment -----------------------------------

def ask(question: str, **more: Any) -> Answer:
    """`Client().ask`."""
    return Client().ask(question, **more)


async def aask(question: str, **more: Any) -> Answer:
    """`Client().aask`."""
    return await Client().aask(question, **more)


def require_approval(function: Callable[..., Any] | None = None,
                     **more: Any) -> Any:
    """`Client().require_approval`; the environment is read at the first
    call."""
    if function is None:
        return functools.partial(require_approval, **more)

    @functools.wraps(function)
    def late(*args: Any, **named: Any) -> Any:
        return Client().require_approval(function, **more)(*args, **named)

    return late
