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
import math
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
_PAUSE = 2.0  # seconds before a call is tried again
_BUSY = (429, 502, 503, 504)  # the answers after which it is tried again
_SKEW = 300  # seconds between two clocks


class Error(Exception):
    """The server refused: `code` says why, `at` where."""

    def __init__(self, status: int, body: Mapping[str, Any]) -> None:
        self.status, self.body = status, body
        self.code = str(body.get("code", ""))
        self.at = str(body.get("at", ""))
        super().__init__(f"{self.code}: {body.get('detail', '')}")


class Unreachable(Exception):
    """The server could not be asked."""


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
        """A yes to exactly what was asked: without limits, not edited."""
        return self._authorized and not (
            self.raw.get("modified") or self.raw.get("constraints")
            or self.raw.get("approved_subject"))

    @property
    def pending(self) -> bool:
        return bool(self.raw["state"] == "pending")

    @property
    def _authorized(self) -> bool:
        """A yes, perhaps to something else than what was asked."""
        return bool(self.raw["state"] == "resolved"
                    and self.raw["outcome"] == "authorized")


class Denied(Exception):
    """Nobody said yes; `answer` has the question."""

    def __init__(self, answer: Answer, said: str = "") -> None:
        self.answer = answer
        super().__init__(said or _refusal(answer))


def _refusal(answer: Answer) -> str:
    """Why a call does not run, worded for a model as well."""
    if answer.state in ("pending", "expired"):
        return "Nobody answered in time. That is not a yes."
    if answer.state == "cancelled":
        return "The question was withdrawn."
    if answer.outcome == "authorized" and answer.constraints:
        return (f"Approved only within limits: "
                f"{json.dumps(answer.constraints)}. Ask again for a call "
                "within them.")
    if answer.outcome == "authorized" and answer.approved_subject:
        return "Approved only with changes. Ask again for what was approved."
    return answer.reason or answer.audit_summary or "Nobody said yes."


@dataclasses.dataclass
class _Request:
    method: str
    path: str
    content: bytes | None = None
    headers: dict[str, str] = dataclasses.field(default_factory=dict)


# A step is a request, which is answered by a response or an error of the
# connection, or the seconds of a pause.
_Step = _Request | float
_Steps = Generator[_Step, Any, Answer]


def _steps(body: bytes, once: str | None, wait: float | None) -> _Steps:
    end = math.inf if wait is None else time.monotonic() + wait
    made = _Request("POST", "/api/v1/suspensions", body,
                    {"Content-Type": "application/json",
                     "Idempotency-Key": once or str(uuid.uuid4())})
    asked = yield from _sent(made, end, first=True)
    if asked is None:
        raise Unreachable("The server is away or busy.")
    answer = Answer(asked)
    path = f"/api/v1/suspensions/{answer.id}"
    while True:
        left = end - time.monotonic()
        hold = max(0, math.ceil(min(_HOLD, left)))
        read = yield from _sent(_Request("GET", f"{path}?wait={hold}"), end)
        answer = answer if read is None else Answer(read)
        if not answer.pending or left <= 0:
            return answer


def _sent(request: _Request, end: float, first: bool = False
          ) -> Generator[_Step, Any, dict[str, Any] | None]:
    """The body of the answer; tried again while the server is away. None
    where it still is at the end."""
    while True:
        got, pause = (yield request), _PAUSE
        if isinstance(got, Exception):
            if first:
                raise Unreachable(str(got)) from got
        elif got.status_code in _BUSY:
            pause = _seconds(got.headers.get("Retry-After"))
        elif got.is_success:
            return dict(got.json())
        else:
            raise Error(got.status_code, _body(got))
        first = False
        if time.monotonic() + pause > end:
            return None
        yield pause


def _seconds(text: str | None) -> float:
    return float(text) if text and text.isdigit() else _PAUSE


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

    def approve_call(self, tool: str, args: Mapping[str, Any], *,
                     wait: float | None = None, **more: Any
                     ) -> dict[str, Any]:
        """The arguments with which a call of a tool may run, once a person
        has approved it: those that were shown, or with `edit=True` what the
        person made of them. Anything else is `Denied`. `once` identifies
        this request, or is made from `call_id`, the framework's id of the
        call; `target` and `scope` say what it is done to, and how far it
        goes."""
        call = _Call.of(tool, args, **more)
        return call.approved(self._run(call.body, call.once, wait))

    async def aapprove_call(self, tool: str, args: Mapping[str, Any], *,
                            wait: float | None = None, **more: Any
                            ) -> dict[str, Any]:
        call = _Call.of(tool, args, **more)
        return call.approved(await self._arun(call.body, call.once, wait))

    def _run(self, body: bytes, once: str | None,
             wait: float | None) -> Answer:
        steps = _steps(body, once, wait)
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
                answer: Answer = end.value
                return answer

    async def _arun(self, body: bytes, once: str | None,
                    wait: float | None) -> Answer:
        steps = _steps(body, once, wait)
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
                answer: Answer = end.value
                return answer

    def require_approval(
            self, function: Callable[..., Any] | None = None, *,
            target: str = "", scope: str = "", name: str = "",
            once: Callable[..., str] | None = None,
            wait: float | None = None, edit: bool = False,
            **more: Any) -> Any:
        """A decorator: the function runs after an approval of exactly this
        call, else `Denied` is raised. `target` and `scope` are formatted with
        the arguments; `once` makes what identifies this request from them."""
        if function is None:
            return functools.partial(
                self.require_approval, target=target, scope=scope, name=name,
                once=once, wait=wait, edit=edit, **more)
        tool = name or function.__qualname__
        signature = inspect.signature(function)

        def call(args: tuple[Any, ...], named: dict[str, Any]
                 ) -> dict[str, Any]:
            bound = signature.bind(*args, **named)
            bound.apply_defaults()
            given = dict(bound.arguments)
            for one in signature.parameters.values():
                if one.kind is one.VAR_KEYWORD:
                    given.update(given.pop(one.name))
            return {"tool": tool, "args": given, "wait": wait, "edit": edit,
                    "target": target.format(**given),
                    "scope": scope.format(**given),
                    "once": once(**given) if once else None, **more}

        @functools.wraps(function)
        def blocking(*args: Any, **named: Any) -> Any:
            return function(**self.approve_call(**call(args, named)))

        @functools.wraps(function)
        async def waiting(*args: Any, **named: Any) -> Any:
            return await function(
                **await self.aapprove_call(**call(args, named)))

        return waiting if inspect.iscoroutinefunction(function) else blocking


def _body_of(question: str, more: Mapping[str, Any]) -> bytes:
    return json.dumps({"question": question, **more}).encode()


# --- Approvals of a call --------------------------------------------------

@dataclasses.dataclass
class _Call:
    """A call of a tool, as a person is asked about it."""

    tool: str
    subject: str
    body: bytes
    once: str | None

    @classmethod
    def of(cls, tool: str, args: Mapping[str, Any], *, target: str = "",
           scope: str = "", consequence: str = "The agent did not say.",
           edit: bool = False, once: str | None = None,
           call_id: str | None = None, **more: Any) -> _Call:
        shown = json.loads(json.dumps(args))
        if shown != args:
            raise TypeError("The arguments have to be JSON: a person has to "
                            "see what runs.")
        calls = [{"tool": tool, "args": shown}]
        # The bytes of the subject are what the answer is for.
        subject = json.dumps({
            "action": {"name": tool}, "target": target or tool,
            "scope_summary": scope or f"One call of {tool}",
            "consequence": consequence, "calls": calls})
        rest = json.dumps({"question": f"Run {tool}?", "kind": "approval",
                           "allow_edit": edit, **more})
        if once is None and call_id is not None:
            once = _sha256(json.dumps([call_id, calls]))
        return cls(tool, subject,
                   f'{rest[:-1]}, "subject": {subject}}}'.encode(), once)

    def approved(self, answer: Answer) -> dict[str, Any]:
        """The arguments that may run."""
        if not answer._authorized or answer.constraints:
            raise Denied(answer)
        subject = answer.approved_subject or json.loads(self.subject)
        match subject.get("calls"):
            case [{"tool": self.tool, "args": dict(args)}]:
                if answer.subject_sha256 == _sha256(self.subject):
                    return args
        raise Denied(answer, "The answer is for another call.")


# What an adapter is given to say about the calls that it asks about.
_About = (Mapping[str, Any] | Callable[[str, dict[str, Any]],
                                       Mapping[str, Any]] | None)


def _members(about: _About, tool: str, args: dict[str, Any]
             ) -> Mapping[str, Any]:
    return about(tool, args) if callable(about) else about or {}


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

    def approved() -> Any:
        return Client().require_approval(function, **more)

    @functools.wraps(function)
    def late(*args: Any, **named: Any) -> Any:
        return approved()(*args, **named)

    @functools.wraps(function)
    async def awaited(*args: Any, **named: Any) -> Any:
        return await approved()(*args, **named)

    return awaited if inspect.iscoroutinefunction(function) else late
