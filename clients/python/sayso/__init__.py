"""Ask a person before an AI agent acts. See README.md.

The steps of a question are one generator (`_asking`), which blocking and
asynchronous functions drive alike."""
from __future__ import annotations

import asyncio
import base64
import dataclasses
import email.utils
import functools
import hashlib
import hmac
import inspect
import ipaddress
import json
import math
import os
import re
import time
import uuid
from collections.abc import Callable, Generator, Mapping
from typing import Any, TypeVar

import httpx

from . import _exact
from ._answers import Answer, Denied, Error, InvalidSignature, Unreachable

__all__ = ["Answer", "Client", "Denied", "Error", "InvalidSignature",
           "Unreachable", "aask", "ask", "ause", "require_approval", "use",
           "verify_webhook"]

_HOLD = 50  # seconds that the server holds a read
_PAUSE = 2.0  # seconds before a call is tried again
_PAUSES = 1.0, 60.0  # the least and the most that the server may ask for
_UPLOAD = 60.0  # seconds to upload a file, while the server is busy
_REDEEM = 5.0  # seconds to use an approval, where the waiting is over
_BUSY = (429, 502, 503, 504)  # the answers after which it is tried again
_UNUSABLE = (403, 404, 409, 422)  # a permit that may not be used
_SKEW = 300  # seconds between two clocks

@dataclasses.dataclass
class _Request:
    method: str
    path: str
    content: bytes | None = None
    headers: dict[str, str] = dataclasses.field(default_factory=dict)


# A step is a request, which is answered by a response or an error of the
# connection, or the seconds of a pause.
_T = TypeVar("_T")
_Steps = Generator[_Request | float, Any, _T]


def _end(wait: float | None) -> float:
    return math.inf if wait is None else time.monotonic() + wait


def _asking(body: bytes, once: str | None, end: float
            ) -> _Steps[tuple[Answer, bool]]:
    """The answer, and whether the question was there before."""
    made = _Request("POST", "/api/v1/suspensions", body,
                    {"Content-Type": "application/json",
                     "Idempotency-Key": once or str(uuid.uuid4())})
    asked = yield from _sent(made, end, first=True)
    if asked is None:
        raise Unreachable("The server is away or busy.")
    answer = Answer(_object(asked, "suspension_id"))
    path = f"/api/v1/suspensions/{answer.id}"
    while True:
        begun = time.monotonic()
        left = end - begun
        hold = max(0, math.ceil(min(_HOLD, left)))
        read = yield from _sent(_Request("GET", f"{path}?wait={hold}"), end)
        answer = answer if read is None else _same(answer, Answer(
            _object(read, "suspension_id")))
        if not answer.pending or left <= 0:
            return answer, "Idempotency-Replayed" in asked.headers
        left = end - time.monotonic()
        if read is not None and left > 0 and time.monotonic() - begun < 1:
            # It did not hold the read.
            yield min(_pause(read.headers.get("Retry-After")), left)


def _answering(body: bytes, once: str | None, wait: float | None,
               anew: bool) -> _Steps[Answer]:
    end, once = _end(wait), _once(once)
    while True:
        answer, old = yield from _asking(body, once, end)
        if not (anew and old and once and answer.over):
            return answer
        once = _after(once, answer)


def _approving(call: _Call, wait: float | None, anew: bool, use: bool
               ) -> _Steps[dict[str, Any]]:
    """The arguments that may run."""
    end, once = _end(wait), _once(call.once)
    while True:
        answer, old = yield from _asking(call.body, once, end)
        try:
            args = call.approved(answer)
            if use:
                yield from _redeeming(call, answer, args, once, end)
        except Denied as no:
            if not (anew and old and once and no.over):
                raise
            once = _after(once, answer)
        else:
            return args


def _redeeming(call: _Call, answer: Answer, args: dict[str, Any],
               once: str | None, end: float) -> _Steps[None]:
    """Uses the approval of a call. The same call again is the same use, for a
    short time."""
    yield from _using(
        answer, _sha256(json.dumps([once, call.subject])) if once else None,
        end, call={"tool": call.tool, "arguments": args})


def _using(answer: Answer, operation: str | None, end: float, **more: Any
           ) -> _Steps[None]:
    """Has the server count the use of a yes. Denied where it may not be
    used."""
    body = json.dumps({"suspension_id": answer.id, **more,
                       "operation_id": operation or uuid.uuid4().hex})
    try:
        used = yield from _sent(
            _Request("POST", "/api/v1/redemptions", body.encode(),
                     {"Content-Type": "application/json"}),
            max(end, time.monotonic() + _REDEEM))
    except Error as error:
        if error.status not in _UNUSABLE:
            raise
        said = error.body.get("detail") or error.code
        raise Denied(answer, f"The approval cannot be used: {said} Ask again.",
                     error.code or str(error.status)) from None
    if used is None:
        raise Unreachable("The server is away or busy. The call does not "
                          "run.")
    _object(used, "redemption_id")


def _used(answer: Answer, operation: str | None) -> _Steps[None]:
    if not answer._authorized or answer._changed:
        raise Denied(answer)
    yield from _using(answer, _once(operation), 0)


def _uploading(data: bytes, media_type: str) -> _Steps[str]:
    sent = yield from _sent(
        _Request("POST", "/api/v1/artifacts", data,
                 {"Content-Type": media_type}),
        time.monotonic() + _UPLOAD, first=True)
    if sent is None:
        raise Unreachable("The server is away or busy.")
    return str(_object(sent, "ref")["ref"])


def _sent(request: _Request, end: float, first: bool = False
          ) -> _Steps[httpx.Response | None]:
    """The answer; tried again while the server is away. None where it still
    is at the end."""
    while True:
        got, pause = (yield request), _PAUSE
        if isinstance(got, Unreachable):
            if first:
                raise got
        elif got.status_code in _BUSY:
            pause = _pause(got.headers.get("Retry-After"))
        elif got.is_success:
            return got  # type: ignore[no-any-return]
        else:
            raise Error(got.status_code, _problem(got))
        first = False
        left = end - time.monotonic()
        if left <= 0:
            return None
        yield min(pause, left)


def _pause(text: str | None) -> float:
    """The seconds of a Retry-After, within reason."""
    said = (text or "").strip()
    if re.fullmatch(r"[0-9]{1,12}", said):
        seconds = float(said)
    else:
        try:
            at = email.utils.parsedate_to_datetime(said).timestamp()
        except (TypeError, ValueError, OverflowError):
            return _PAUSE
        seconds = at - time.time()
    least, most = _PAUSES
    return min(max(seconds, least), most)


def _object(response: httpx.Response, member: str) -> dict[str, Any]:
    """The body, which is an object with this member if a server of ours, and
    nothing before it, has sent it."""
    try:
        body = _exact.loads(response.content)
    except ValueError:
        body = None
    if not isinstance(body, dict) or member not in body:
        raise Unreachable("There is no Sayso server at this address: its "
                          f"answer has no {member}.")
    return body


def _same(asked: Answer, read: Answer) -> Answer:
    """The answer, which is to the question that was asked."""
    if read.id != asked.id:
        raise Unreachable("The server answered about another question.")
    return read


def _problem(response: httpx.Response) -> dict[str, Any]:
    """The body of a refusal. A server before the real one may tell of the
    request in it."""
    key = response.request.headers.get("Authorization", "")
    text = response.text.replace(key.removeprefix("Bearer ") or "\0", "***")
    try:
        return dict(_exact.loads(text))
    except (TypeError, ValueError):
        return {"detail": text}


# --- What identifies a request --------------------------------------------

def _identity(*parts: Any) -> str | None:
    """Of a call; None where a part of it is missing, so that it is no other
    call's."""
    if any(part is None or not str(part).strip() for part in parts):
        return None
    return json.dumps([str(part) for part in parts])


def _once(text: str | None) -> str | None:
    """As a header, which takes no other characters and no long text."""
    if text is None or not text.strip():
        return None
    if re.fullmatch(r"[!-~]{1,255}", text) and not text.startswith("sha256:"):
        return text
    shown = json.dumps(text, ensure_ascii=False)
    return "sha256:" + hashlib.sha256(
        shown.encode("utf-8", "surrogatepass")).hexdigest()


def _after(once: str, answer: Answer) -> str:
    """What identifies the request once this answer to it is over."""
    return "sha256:" + _sha256(json.dumps([once, answer.id]))


class Client:
    """A server, a key, and the agent that asks."""

    def __init__(self, url: str | None = None, key: str | None = None,
                 agent: str | None = None) -> None:
        self.url = _given("SAYSO_URL", url).rstrip("/")
        key = _given("SAYSO_AGENT_KEY", key)
        if not re.fullmatch("[!-~]+", key):
            raise Unreachable("SAYSO_AGENT_KEY has characters that no key "
                              "has.")
        agent = (agent or os.environ.get("SAYSO_AGENT") or "").strip()
        if re.search(r"[\x00-\x1f\x7f]", agent):
            raise Unreachable("SAYSO_AGENT has characters that no name has.")
        self._http: dict[str, Any] = {
            "base_url": self.url, "timeout": _HOLD + 25,
            "mounts": _mounts(self.url),
            "headers": {"Authorization": f"Bearer {key}",
                        **({"X-Agent-ID": agent.encode()} if agent else {})}}

    def ask(self, question: str, *, once: str | None = None,
            wait: float | None = None, anew: bool = False,
            **more: Any) -> Answer:
        """Asks, and waits for the answer: `wait` seconds, or until there is
        one. `more` are members of the question as the API names them. `anew`:
        if `once` finds a yes that is over, ask again."""
        return self._run(_answering(_body_of(question, more), once, wait,
                                    anew))

    async def aask(self, question: str, *, once: str | None = None,
                   wait: float | None = None, anew: bool = False,
                   **more: Any) -> Answer:
        return await self._arun(_answering(_body_of(question, more), once,
                                           wait, anew))

    def approve_call(self, tool: str, args: Mapping[str, Any], *,
                     wait: float | None = None, anew: bool = False,
                     use: bool = True, **more: Any) -> dict[str, Any]:
        """The arguments with which a call of a tool may run now, once a
        person has approved it: those that were shown, or with `edit=True`
        what the person made of them. The approval is used with that. Anything
        else is `Denied`. `once` identifies this request, or is made from
        `call_id`, the framework's id of the call; `anew` asks again where
        they find a yes that is over. `target` and `scope` say what it is done
        to, and how far it goes. `use=False` only waits for the approval; the
        same call without it, when the tool runs, uses the approval."""
        return self._run(_approving(_Call.of(tool, args, **more), wait, anew,
                                    use))

    async def aapprove_call(self, tool: str, args: Mapping[str, Any], *,
                            wait: float | None = None, anew: bool = False,
                            use: bool = True, **more: Any) -> dict[str, Any]:
        return await self._arun(_approving(_Call.of(tool, args, **more), wait,
                                           anew, use))

    def use(self, answer: Answer, *, operation: str | None = None) -> None:
        """Uses a yes, just before what it allows is done; Denied where it is
        none, or is over. The same `operation` again is the same use, for five
        minutes; without it each is a new one."""
        self._run(_used(answer, operation))

    async def ause(self, answer: Answer, *, operation: str | None = None
                   ) -> None:
        await self._arun(_used(answer, operation))

    def upload(self, data: bytes, media_type: str) -> str:
        """Uploads a file, a picture or a text. What comes back is its `ref`
        for `evidence` or `artifacts` of a question, whose page shows it."""
        return self._run(_uploading(data, media_type))

    async def aupload(self, data: bytes, media_type: str) -> str:
        return await self._arun(_uploading(data, media_type))

    def _run(self, steps: _Steps[_T]) -> _T:
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
                        except _LOST as error:
                            got = self._lost(error)
                    else:
                        time.sleep(step)
            except StopIteration as end:
                result: _T = end.value
        return result

    async def _arun(self, steps: _Steps[_T]) -> _T:
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
                        except _LOST as error:
                            got = self._lost(error)
                    else:
                        await asyncio.sleep(step)
            except StopIteration as end:
                result: _T = end.value
        return result

    def _lost(self, error: Exception) -> Unreachable:
        """Without the error itself: it has the request, and that the key."""
        key = self._http["headers"]["Authorization"].removeprefix("Bearer ")
        return Unreachable(f"{type(error).__name__}: {error}".replace(
            key, "***"))

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
                 ) -> tuple[inspect.BoundArguments, dict[str, Any]]:
            bound = signature.bind(*args, **named)
            bound.apply_defaults()
            given = _shown(function, bound)
            return bound, {
                "tool": tool, "args": given, "wait": wait, "edit": edit,
                "target": target.format(**given),
                "scope": scope.format(**given),
                "once": once(**given) if once else None, **more}

        @functools.wraps(function)
        def blocking(*args: Any, **named: Any) -> Any:
            bound, about = call(args, named)
            _bind(function, bound, self.approve_call(**about))
            return function(*bound.args, **bound.kwargs)

        @functools.wraps(function)
        async def waiting(*args: Any, **named: Any) -> Any:
            bound, about = call(args, named)
            _bind(function, bound, await self.aapprove_call(**about))
            return await function(*bound.args, **bound.kwargs)

        return waiting if inspect.iscoroutinefunction(function) else blocking


# What httpx raises where no whole answer came.
_LOST = httpx.RequestError, httpx.InvalidURL


def _given(name: str, value: str | None) -> str:
    """A setting without the white space around it, such as the line break of
    a file."""
    value = (os.environ.get(name, "") if value is None else value).strip()
    if not value:
        raise Unreachable(f"{name} is not set.")
    return value


def _mounts(url: str) -> dict[str, None]:
    """This machine is reached without a proxy."""
    try:
        host = httpx.URL(url).host
    except httpx.InvalidURL:
        host = ""
    if not host or not re.match("https?://", url, re.I):
        raise Unreachable("SAYSO_URL has to begin with http:// or "
                          "https://.")
    try:
        near = ipaddress.ip_address(host).is_loopback
    except ValueError:
        near = host == "localhost"
    shown = f"[{host}]" if ":" in host else host
    return {f"all://{shown}": None} if near else {}


# --- The arguments of a function ------------------------------------------

def _object_of(function: Callable[..., Any]) -> str | None:
    """The name of a method's own object, which is no argument of the call."""
    first = next(iter(inspect.signature(function).parameters), None)
    outer = function.__qualname__.rpartition(".")[0]
    in_class = bool(outer) and not outer.endswith("<locals>")
    return first if in_class and first in ("self", "cls") else None


def _shown(function: Callable[..., Any], bound: inspect.BoundArguments
           ) -> dict[str, Any]:
    """The arguments by their names, as a person is shown them."""
    given = dict(bound.arguments)
    given.pop(_object_of(function) or "", None)
    for one in bound.signature.parameters.values():
        if one.kind is one.VAR_KEYWORD:
            more = given.pop(one.name)
            if given.keys() & more.keys():
                raise TypeError("Two arguments have the same name.")
            given.update(more)
        elif one.kind is one.VAR_POSITIONAL:
            given[one.name] = list(given[one.name])
    return given


def _bind(function: Callable[..., Any], bound: inspect.BoundArguments,
          approved: Mapping[str, Any]) -> None:
    """Gives the function what was approved, and nothing else."""
    rest = dict(approved)
    for one in bound.signature.parameters.values():
        if one.name == _object_of(function):
            continue
        if one.kind is one.VAR_KEYWORD:
            bound.arguments[one.name], rest = rest, {}
        elif one.name not in rest:
            raise TypeError(f"{one.name} is no longer among the arguments that "
                            "were approved.")
        elif one.kind is one.VAR_POSITIONAL:
            bound.arguments[one.name] = tuple(rest.pop(one.name))
        else:
            bound.arguments[one.name] = rest.pop(one.name)
    if rest:
        raise TypeError(f"The function does not take {', '.join(rest)}.")


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
    edit: bool

    @classmethod
    def of(cls, tool: str, args: Mapping[str, Any], *, target: str = "",
           scope: str = "", consequence: str = "The agent did not say.",
           edit: bool = False, once: str | None = None,
           call_id: str | None = None, **more: Any) -> _Call:
        try:
            shown = json.loads(json.dumps(args, allow_nan=False))
        except ValueError:  # no number, or a circle
            shown = None
        if shown is None or shown != args:
            raise TypeError("The arguments have to be JSON: a person has to "
                            "see what runs.")
        calls = [{"tool": tool, "args": shown}]
        # The bytes of the subject are what the answer is for.
        subject = json.dumps({
            "action": {"name": tool}, "target": target or tool,
            "scope_summary": scope or f"One call of {tool}",
            "consequence": consequence, "calls": calls})
        rest = json.dumps({"question": f"Run {tool}?", "kind": "approval",
                           **more, "allow_edit": edit})
        if once is None and _identity(call_id) is not None:
            once = _sha256(json.dumps([call_id, calls]))
        return cls(tool, subject,
                   f'{rest[:-1]}, "subject": {subject}}}'.encode(), once,
                   edit)

    def approved(self, answer: Answer) -> dict[str, Any]:
        """The arguments that may run."""
        if not answer._authorized or answer.constraints or (
                answer.approved_subject and not self.edit):
            raise Denied(answer)
        subject = answer.approved_subject or json.loads(self.subject)
        match subject.get("calls"):
            case [{"tool": self.tool, "args": dict(args)}]:
                if answer.subject_sha256 != _sha256(self.subject):
                    pass
                elif _exact.carried(args):
                    return args
                else:
                    raise Denied(answer, "The approved arguments have a "
                                 "number that cannot be carried exactly.")
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
        key = base64.b64decode(secret.strip().removeprefix("whsec_"),
                               validate=True)
        if not key:
            raise ValueError("the secret is empty")
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
    return dict(_exact.loads(body))


# --- With the server of the environment -----------------------------------

def ask(question: str, **more: Any) -> Answer:
    """`Client().ask`."""
    return Client().ask(question, **more)


async def aask(question: str, **more: Any) -> Answer:
    """`Client().aask`."""
    return await Client().aask(question, **more)


def use(answer: Answer, **more: Any) -> None:
    """`Client().use`."""
    Client().use(answer, **more)


async def ause(answer: Answer, **more: Any) -> None:
    """`Client().ause`."""
    await Client().ause(answer, **more)


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
