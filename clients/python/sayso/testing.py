"""Servers for the tests of an agent, whose operator has a script.

    with FakeServer([approve, deny("Too much."), silence]) as server:
        run_my_agent(server.client())
    assert server.asked[1]["state"] == "resolved"

The fake one is on the loopback address and answers as the real one does:
questions with choices, yes or no, or a text, and approvals. A form and other
kinds are refused. `RealServer` takes the same script to a real server, with a
key of `sayso key create --test`, and all kinds. Each question takes the next
reply of the script.
"""

from __future__ import annotations

import dataclasses
import datetime
import hashlib
import json
import re
import secrets
import threading
import time
import urllib.parse
import uuid
from collections.abc import Callable, Iterable, Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx

from . import Client, _words
from ._client import given
from ._errors import refused
from ._transport import mounts

Question = dict[str, Any]


@dataclasses.dataclass(frozen=True)
class Reply:
    """What the operator does; `to` makes members of the ended question."""

    to: Callable[[Question], Mapping[str, Any]] | None

    def __call__(self, question: Question) -> Reply:
        """Itself, so that it can be in a script as functions are."""
        return self


def _chosen(
    effects: tuple[str, ...], reason: str | None = None, **more: Any
) -> Reply:
    def to(question: Question) -> dict[str, Any]:
        found = [c for c in question["choices"] if c["effect"] in effects]
        if not found:
            raise AssertionError(
                f"no choice is {effects[0]}: {question['question']}"
            )
        return {"value": found[0]["value"], "reason": reason, **more}

    return Reply(to)


approve = _chosen(("authorize", "accept"))
pending = Reply(None)  # nobody has answered yet; the agent needs a `wait`
silence = Reply(
    lambda question: {
        "state": "expired",
        "responded_by": "clock",
        "responded_via": "clock",
        **(
            {"outcome": "none"}
            if question["fallback_policy"] == "fail"
            else {"outcome": "fallback", "value": question["fallback_value"]}
        ),
    }
)
withdrawn = Reply(
    lambda question: {
        "state": "cancelled",
        "outcome": "none",
        "responded_by": question["asked_by"],
    }
)


def deny(reason: str | None = None) -> Reply:
    """Says no. Some questions need a reason for it."""
    return _chosen(("veto", "decline"), reason)


def answer(value: Any, reason: str | None = None) -> Reply:
    """Answers with this value: of a choice, a text, or a form."""
    return Reply(lambda question: {"value": value, "reason": reason})


def constrain(reason: str | None = None, **limits: Any) -> Reply:
    """Approves within lower limits."""
    return Reply(
        lambda question: {
            "value": "constrain",
            "reason": reason,
            "modified": True,
            "constraints": {**question["subject"]["constraints"], **limits},
        }
    )


def edit(reason: str | None = None, **args: Any) -> Reply:
    """Approves the call with other arguments."""

    def to(question: Question) -> dict[str, Any]:
        subject = json.loads(json.dumps(question["subject"]))
        subject["calls"][0]["args"].update(args)
        return {
            "value": "edit",
            "reason": reason,
            "modified": True,
            "approved_subject": subject,
            "approved_sha256": _sha256(json.dumps(subject)),
        }

    return Reply(to)


Script = Iterable[Callable[[Question], Reply]]


class FakeServer:
    """A server on the loopback address, for `with`.

    `script` has replies, or functions of the question that give one. `asked`
    has the questions, as they are at the end.
    """

    def __init__(self, script: Script) -> None:
        """Starts with `with`."""
        self.script, self.asked = iter(script), list[Question]()
        self.key = f"sk_{secrets.token_hex(16)}"
        self._lock, self._wishes = threading.Lock(), dict[str, Any]()
        self._replies = dict[str, Reply]()
        self._ended = list[Question]()  # in their order
        self._uses = dict[str, str]()
        fake = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                size = int(self.headers.get("Content-Length", 0))
                self.answered("POST", self.rfile.read(size).decode())

            def do_GET(self) -> None:
                self.answered("GET", "")

            def answered(self, method: str, body: str) -> None:
                replayed = False
                try:
                    status, told = fake._answered(
                        method, self.path, body, dict(self.headers.items())
                    )
                    replayed = told.pop("replayed", False)
                except _Refused as refused:
                    status, told = refused.status, refused.body
                except Exception as error:  # of the script, or of this file
                    told = _Refused(500, "script.wrong", repr(error)).body
                    status = 500
                data = json.dumps(told).encode()
                self.send_response(status)
                self.send_header(
                    "Content-Type",
                    "application/json"
                    if status < 400
                    else "application/problem+json",
                )
                self.send_header("Content-Length", str(len(data)))
                if replayed:
                    self.send_header("Idempotency-Replayed", "true")
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *args: Any) -> None:
                pass

        class Http(ThreadingHTTPServer):
            request_queue_size = 128  # of connections that come at once

        self._http = Http(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._http.server_port}"

    def client(self, agent: str = "test-agent") -> Client:
        """A client of it."""
        return Client(self.url, self.key, agent)

    def __enter__(self) -> FakeServer:
        """Starts it."""
        threading.Thread(
            target=self._http.serve_forever, args=[0.05], daemon=True
        ).start()
        return self

    def __exit__(self, *_: object) -> None:
        """Stops it."""
        self._http.shutdown()
        self._http.server_close()

    # --- What it answers --------------------------------------------------

    def _answered(
        self, method: str, path: str, body: str, headers: dict[str, str]
    ) -> tuple[int, dict[str, Any]]:
        named = {k.lower(): v for k, v in headers.items()}
        key = named.get("x-api-key") or named.get(
            "authorization", ""
        ).removeprefix("Bearer ")
        if not key:
            raise _Refused(401, "key.missing", "An API key is needed.")
        if key != self.key:
            raise _Refused(401, "key.unknown", "The API key is not valid.")
        path, _, query = path.partition("?")
        given = dict(urllib.parse.parse_qsl(query))
        root = "/api/v1/suspensions"
        with self._lock:
            if (method, path) == ("POST", root):
                return 201, self._asked(body, named)
            if (method, path) == ("POST", "/api/v1/redemptions"):
                return self._used(json.loads(body))
            if (method, path) == ("GET", root):
                self._check_query(given)
                told = self._listed(given)
                waits = "ended_after" in given and not told["suspensions"]
            else:
                question = self._of_id(
                    path.removeprefix(f"{root}/").removesuffix("/cancel")
                )
                if method == "POST":
                    return 200, self._cancelled(question, body)
                self._end(question)
                told, waits = question, question["state"] == "pending"
        if waits and given.get("wait", "0") != "0":
            time.sleep(0.05)  # the hold, shortened
        return 200, told

    def _of_id(self, ident: str) -> Question:
        for question in self.asked:
            if question["suspension_id"] == ident:
                return question
        raise _Refused(
            404, "suspension.unknown", "There is no suspension with this id."
        )

    def _check_query(self, given: dict[str, str]) -> None:
        ids = [question["suspension_id"] for question in self.asked]
        limits = [str(n) for n in range(1, 101)]
        for name, allowed in (
            ("limit", limits),
            ("state", ["pending", "resolved", "expired", "cancelled"]),
            ("after", ids),
            ("ended_after", ["now", *map(str, range(len(ids) + 1))]),
        ):
            if name in given and given[name] not in allowed:
                raise _Refused(
                    400, "request.query", f'"{name}" is wrong.', name
                )
        if "ended_after" in given and given.keys() & {"state", "after"}:
            at = "state" if "state" in given else "after"
            detail = f'"ended_after" excludes "{at}".'
            raise _Refused(400, "request.query", detail, at)

    def _listed(self, given: dict[str, str]) -> dict[str, Any]:
        """A page of the list, newest first, or of the feed."""
        after = given.get("ended_after")
        if after is not None:
            place = len(self._ended) if after == "now" else int(after)
            for question in self.asked:
                self._end(question)
            return {
                "suspensions": self._ended[place:],
                "next": str(len(self._ended)),
                "more": False,
            }
        rows = [
            question
            for question in reversed(self.asked)
            if given.get("state") in (None, question["state"])
        ]
        ids = [question["suspension_id"] for question in rows]
        begin = ids.index(given["after"]) + 1 if "after" in given else 0
        end = begin + int(given.get("limit", 50))
        return {
            "suspensions": rows[begin:end],
            "next": ids[end - 1] if end < len(rows) else None,
        }

    def _cancelled(self, question: Question, text: str) -> Question:
        self._end(question)
        if question["state"] != "pending":
            raise _Refused(
                409,
                "suspension.already_decided",
                "This suspension was already decided.",
            )
        reason = json.loads(text or "{}").get("reason")
        self._replies[question["suspension_id"]] = Reply(
            lambda one: {**(withdrawn.to or dict)(one), "reason": reason}
        )
        self._end(question)
        return question

    def _asked(self, text: str, headers: dict[str, str]) -> dict[str, Any]:
        once = headers.get("idempotency-key") or str(uuid.uuid4())
        if once not in self._wishes:
            question = _question(
                text, headers.get("x-agent-id", "agent"), self.url
            )
            reply = next(self.script, None)
            if reply is None:
                raise _Refused(
                    500,
                    "script.over",
                    f"The script has no reply to: {question['question']}",
                )
            self._replies[question["suspension_id"]] = reply(question)
            self.asked.append(question)
            self._wishes[once] = (
                text,
                {
                    **question,
                    "status": "suspended_awaiting_input",
                    "version": 1,
                },
            )
            return dict(self._wishes[once][1])
        first, told = self._wishes[once]
        if first != text:
            raise _Refused(
                409,
                "idempotency.other_request",
                "This Idempotency-Key was used for another request.",
                suspension_id=told["suspension_id"],
            )
        return {**told, "replayed": True}

    def _permitted(self, sent: dict[str, Any]) -> Question:
        """The question whose yes is used."""
        if "permit_id" not in sent:
            return self._of_id(sent.get("suspension_id", ""))
        if "call" not in sent:
            raise _Refused(422, "field.missing", '"call" is needed.', "call")
        for question in self.asked:
            if question.get("permit", {}).get("id") == sent["permit_id"]:
                return question
        raise _Refused(
            404, "permit.unknown", "There is no permit with this id."
        )

    def _used(self, sent: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Counts the use of a yes."""
        question = self._permitted(sent)
        self._end(question)
        subject = question["approved_subject"] or question["subject"]
        calls = [
            {"tool": call["tool"], "arguments": call["args"]}
            for call in subject.get("calls", [])
        ]
        if question["outcome"] != "authorized":
            raise _Refused(409, "permit.refused", "Nobody approved this.")
        if calls and sent.get("call", calls[0]) not in calls:
            raise _Refused(
                422, "permit.other", "This is not the call that was approved."
            )
        status = 200
        if question["suspension_id"] not in self._uses:
            if not question["usable"]:  # so says the test
                raise _Refused(
                    409,
                    question["unusable_reason"],
                    "The time to use this approval has ended.",
                )
            self._uses[question["suspension_id"]] = sent["operation_id"]
            question.update(usable=False, unusable_reason="permit.spent")
            question.get("permit", {}).update(state="spent", used=1)
            status = 201
        if self._uses[question["suspension_id"]] != sent["operation_id"]:
            raise _Refused(
                409, "permit.spent", "This approval was already used."
            )
        permit = question.get("permit", {}).get("id")
        return status, {
            "redemption_id": permit and str(uuid.uuid4()),
            "permit_id": permit,
            "request_id": question["suspension_id"],
            "counted": True,
            "n": 1,
            "uses_left": 0,
            "agent": question["asked_by"],
            "subject": question["initiated_by"],
            "amount": None,
            "unit": None,
        }

    def _end(self, question: Question) -> None:
        reply = self._replies[question["suspension_id"]]
        if question["state"] != "pending" or reply.to is None:
            return
        made = {
            "state": "resolved",
            "responded_by": "operator",
            "responded_via": "native",
            "responded_at": _time(),
            **reply.to(question),
        }
        if not (made.get("reason") or "").strip() and any(
            choice["value"] == made.get("value")
            and choice.get("reason") == "required"
            for choice in question["choices"]
        ):
            raise AssertionError(
                f"This answer needs a reason: {question['question']}"
            )
        self._ended.append(question)
        question.update(
            {
                "outcome": _outcome(question, made["value"])
                if made["state"] == "resolved"
                else None,
                **made,
            }
        )
        question["audit_summary"] = (
            f"{question['outcome']}, by {question['responded_by']}"
        )
        question["receipt_url"] = (
            question["url"].replace("/suspensions/", "/api/v1/suspensions/", 1)
            + "/receipt"
        )
        if question["outcome"] != "authorized":
            return
        question.update(usable=True, unusable_reason=None)
        if question["subject"].get("calls"):
            question["permit"] = {
                "id": str(uuid.uuid4()),
                "state": "active",
                "max_uses": 1,
                "used": 0,
                "not_after": _time(7 * 24 * 3600),
                "granted_sha256": _sha256(json.dumps(question["subject"])),
            }


# --- The script at a real server ------------------------------------------

_LOOK = 0.1  # seconds between two looks for questions
_TURNS = 20  # attempts and escalations that a silence passes


class RealServer:
    """The script at a real server, for `with`.

    `key` is one of `sayso key create --test`, or SAYSO_TEST_KEY. Questions
    that were open before are left alone. A silence needs a question with a
    deadline, and moves the clock of all open questions of the key. An error of
    the script is raised at the end, from the error of the agent that came of
    it; its question is withdrawn.
    """

    def __init__(
        self,
        script: Script,
        url: str | None = None,
        key: str | None = None,
        agent: str = "test-agent",
    ) -> None:
        """Begins with `with`."""
        self.script, self.asked = iter(script), list[Question]()
        self.url = given("SAYSO_URL", url).rstrip("/")
        self.key = given("SAYSO_TEST_KEY", key)
        self.agent = agent
        self._seen = set[str]()
        self._error: Exception | None = None
        self._over = threading.Event()
        self._operator = threading.Thread(target=self._operate, daemon=True)
        self._http = httpx.Client(
            base_url=self.url,
            timeout=30,
            mounts=mounts(self.url),
            headers={"X-API-Key": self.key, "X-Agent-ID": agent},
        )

    def client(self) -> Client:
        """A client of it."""
        return Client(self.url, self.key, self.agent)

    def __enter__(self) -> RealServer:
        """Begins to answer."""
        self._seen = {q["suspension_id"] for q in self._open()}
        self._operator.start()
        return self

    def __exit__(
        self, kind: object, error: BaseException | None, *_: object
    ) -> None:
        """Stops, and raises what was wrong with the script."""
        self._over.set()
        self._operator.join()
        for question in self.asked:
            self._read(question)
        self._http.close()
        if self._error and (error is None or isinstance(error, Exception)):
            raise self._error from error

    def _operate(self) -> None:
        while not self._over.wait(_LOOK):
            try:
                self._answer_new()
            except Exception as error:
                self._error = self._error or error

    def _answer_new(self) -> None:
        for question in reversed(self._open()):
            if question["suspension_id"] in self._seen:
                continue
            self._seen.add(question["suspension_id"])
            self.asked.append(question)
            try:
                self._answer(question)
            except Exception:
                self._withdraw(question)
                raise

    def _answer(self, question: Question) -> None:
        reply = next(self.script, None)
        if reply is None:
            raise AssertionError(
                f"The script has no reply to: {question['question']}"
            )
        reply = reply(question)
        if reply.to is None:
            return
        made = reply.to(question)
        match made.get("state"):
            case "expired":
                self._expire(question)
            case "cancelled":
                self._withdraw(question)
            case _:
                question.update(
                    self._sent("test/answer", _answer_of(question, made))
                )

    def _expire(self, question: Question) -> None:
        for _ in range(_TURNS):
            if question["state"] != "pending":
                return
            at = question["expires_at"]
            if at is None:
                break
            left = datetime.datetime.fromisoformat(
                at.replace("Z", "+00:00")
            ) - datetime.datetime.now(datetime.timezone.utc)
            self._sent(
                "test/clock",
                {"forward_seconds": max(1, round(left.total_seconds()) + 1)},
            )
            self._read(question, wait=10)
        raise AssertionError(
            f"It never ends without an answer: {question['question']}"
        )

    def _withdraw(self, question: Question) -> None:
        self._sent(f"suspensions/{question['suspension_id']}/cancel", {})
        self._read(question)

    def _open(self) -> list[Question]:
        found = self._told(
            self._http.get("/api/v1/suspensions?state=pending&limit=100")
        )
        return list(found["suspensions"])

    def _read(self, question: Question, wait: int = 0) -> None:
        question.update(
            self._told(
                self._http.get(
                    f"/api/v1/suspensions/{question['suspension_id']}?wait={wait}"
                )
            )
        )

    def _sent(self, door: str, body: dict[str, Any]) -> dict[str, Any]:
        def post() -> httpx.Response:
            return self._http.post(f"/api/v1/{door}", json=body)

        response = post()
        if response.status_code == 422 and "wanted" in response.json():
            body["typed"] = response.json()["wanted"]
            response = post()
        return self._told(response)

    def _told(self, response: httpx.Response) -> dict[str, Any]:
        if not response.is_success:
            raise refused(
                response.status_code,
                response.json(),
                response.headers.get("X-Request-Id"),
            )
        return dict(response.json())


def _answer_of(question: Question, made: Mapping[str, Any]) -> dict[str, Any]:
    """What the server takes, of the members that a reply makes."""
    body = {
        "suspension_id": question["suspension_id"],
        "value": made["value"],
        "reason": made.get("reason"),
        "constraints": made.get("constraints"),
        "subject": made.get("approved_subject"),
    }
    if question["response_type"] in ("text", "form") and any(
        c["value"] == made["value"] for c in question["choices"]
    ):
        body["choice"] = body.pop("value")  # to decline
    return {k: v for k, v in body.items() if v is not None}


# --- The questions of the fake one ----------------------------------------


class _Refused(Exception):
    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        at: str | None = None,
        **more: Any,
    ) -> None:
        self.status = status
        self.body = {
            "type": "about:blank",
            "title": "Refused",
            "status": status,
            "code": code,
            "detail": detail,
            **({"at": at} if at else {}),
            **more,
        }


# The members that a question may have, and what they are without.
_DEFAULTS: dict[str, Any] = {
    "kind": None,
    "title": None,
    "question": None,
    "explanation": None,
    "severity": None,
    "response_type": None,
    "choices": [],
    "form": None,
    "context": {},
    "subject": None,
    "evidence": [],
    "artifacts": [],
    "responder": {"mode": "operators", "who": None, "not_initiator": False},
    "supersedes": None,
    "allow_edit": False,
    "channel_hint": None,
    "callback": None,
    "callback_body": None,
    "timeout_seconds": None,
    "retry_policy": None,
    "fallback_policy": "fail",
    "fallback_value": None,
    "on_reject": "resume",
    "intent_id": None,
    "intent": {},
}

_OUTCOMES = {
    "authorize": "authorized",
    "authorize_modified": "authorized",
    "veto": "vetoed",
    "stop_task": "vetoed",
    "answer": "answered",
    "request_changes": "changes_requested",
    "decline": "declined",
    "accept": "accepted",
    "none": "none",
}

_YES_NO = [
    {
        "value": "yes",
        "label": "Yes",
        "style": "primary",
        "effect": "authorize",
    },
    {"value": "no", "label": "No", "style": "default", "effect": "veto"},
]


def _outcome(question: Question, value: Any) -> str:
    if question["response_type"] == "text":
        return "answered"
    for choice in question["choices"]:
        if choice["value"] == value:
            return _OUTCOMES[choice["effect"]]
    raise AssertionError(
        f"{value!r} is not a choice of: {question['question']}"
    )


def _question(text: str, agent: str, url: str) -> Question:
    try:
        sent = {k: v for k, v in json.loads(text).items() if v is not None}
    except ValueError as error:
        raise _Refused(
            400, "json.syntax", str(error), "line 1, column 1"
        ) from error
    _check(sent)
    body, ident = {**_DEFAULTS, **sent}, str(uuid.uuid4())
    raw = _raw(text, "subject") or _raw(text, "context") or "{}"
    seconds = body["timeout_seconds"]
    expires = None if seconds is None else _time(seconds)
    return {
        "suspension_id": ident,
        "intent_id": body["intent_id"] or str(uuid.uuid4()),
        "state": "pending",
        "kind": body["kind"],
        "title": body["title"],
        "question": body["question"],
        "explanation": body["explanation"],
        "severity": body["severity"],
        "severity_said": body["severity"],
        "response_type": _type(body),
        "choices": _choices(body),
        "form": None,
        "context": body["context"],
        "subject": json.loads(raw),
        "subject_sha256": _sha256(raw),
        "evidence": body["evidence"],
        "artifacts": body["artifacts"],
        "supersedes": body["supersedes"],
        "allow_edit": body["allow_edit"],
        "responder": body["responder"],
        "channel_hint": body["channel_hint"],
        **({"callback": body["callback"]} if body["callback"] else {}),
        "asked_by": agent,
        "initiated_by": body["intent"].get("initiated_by"),
        "initiator": ("claimed" if "initiated_by" in body["intent"] else None),
        "suspended_at": _time(),
        **({"timeout_seconds": seconds} if seconds else {}),
        "retry_policy": body["retry_policy"],
        "attempt": 1,
        "next_attempt_at": None,
        "expires_at": expires,
        "fallback_policy": body["fallback_policy"],
        "fallback_value": body["fallback_value"],
        "on_reject": body["on_reject"],
        "on_expiry": "This request waits until somebody answers it."
        if expires is None
        else f"It ends at {expires}.",
        "outcome": None,
        "value": None,
        "modified": False,
        "constraints": None,
        "approved_subject": None,
        "approved_sha256": None,
        "reason": None,
        "metadata": None,
        "responded_by": None,
        "responded_via": None,
        "responded_at": None,
        "audit_summary": None,
        "url": f"{url}/suspensions/{ident}",
    }


def _check(sent: dict[str, Any]) -> None:
    for name in sent:
        if name not in _DEFAULTS:
            raise _Refused(
                422,
                "field.unknown",
                "This member is not supported here.",
                name,
            )
    question = sent.get("question")
    if question is None:
        raise _Refused(
            422, "field.missing", '"question" is needed.', "question"
        )
    if not isinstance(question, str):
        raise _Refused(
            422, "field.type", '"question" has to be text.', "question"
        )
    if not question.strip():
        raise _Refused(422, "field.empty", "A question is needed.", "question")
    if sent.get("severity", "low") not in (
        "low",
        "medium",
        "high",
        "critical",
    ):
        raise _Refused(
            422,
            "field.value",
            '"severity" has to be one of: low medium high critical.',
            "severity",
        )
    seconds = sent.get("timeout_seconds", 1)
    if not isinstance(seconds, int) or not 1 <= seconds <= 31622400:
        raise _Refused(
            422,
            "field.range",
            '"timeout_seconds" has to be from 1 to 31622400.',
            "timeout_seconds",
        )
    if "form" in sent or sent.get("kind", "approval") != "approval":
        raise _Refused(
            501, "fake.unsupported", "Test this one with a real server."
        )
    subject = sent.get("subject", {})
    facts = ["action", "target", "scope_summary"]
    facts += ["consequence"] * _is_high(sent)
    missing = [name for name in facts if not _said(subject.get(name))]
    if "kind" in sent and missing:
        raise _Refused(
            422,
            "kind.facts",
            f'The fact "{missing[0]}" is needed.',
            f"subject.{missing[0]}",
            missing=missing,
        )
    _check_choices({**_DEFAULTS, **sent})


def _check_choices(body: dict[str, Any]) -> None:
    choices = _choices(body)
    values = [c["value"] for c in choices]
    for n, value in enumerate(values):
        if value in values[:n]:
            raise _Refused(
                422,
                "choices.duplicate",
                "Two choices have the same value.",
                f"choices[{n}]",
            )
    wrong = _words.refused(choices, _type(body) == "confirm")
    if wrong:
        raise _Refused(
            422,
            wrong[0],
            "It says the opposite of the choice's "
            "effect, or what another label says.",
            wrong[1],
        )
    if body["fallback_policy"] != "fail" and _words.authorizes(
        choices, body["fallback_value"]
    ):
        raise _Refused(
            422,
            "fallback.authorizes",
            "Silence is never a yes.",
            "fallback_value",
        )


def _said(fact: Any) -> bool:
    return bool(fact.strip() if isinstance(fact, str) else fact)


def _is_high(body: dict[str, Any]) -> bool:
    """Whether the question needs more of its agent, and of who answers."""
    return body.get("severity") in ("high", "critical")


def _type(body: dict[str, Any]) -> str:
    return str(
        body["response_type"]
        or ("choice" if body["choices"] or body["kind"] else "confirm")
    )


def _choices(body: dict[str, Any]) -> list[dict[str, Any]]:
    if body["choices"]:
        whole = [
            {"value": c} if isinstance(c, str) else c for c in body["choices"]
        ]
        return [{"label": c["value"], "effect": "none", **c} for c in whole]
    if body["kind"] is None:
        return _YES_NO if _type(body) == "confirm" else []
    more = []
    if (body["subject"] or {}).get("constraints"):
        more.append(_amend("constrain", "Lower the limits", "constraints"))
    if body["allow_edit"]:
        more.append(_amend("edit", "Edit the values", "subject"))
    return [
        {
            "value": "reject",
            "label": "Reject",
            "style": "danger",
            "effect": "veto",
            "reason": "required" if _is_high(body) else "optional",
        },
        *more,
        {
            "value": "approve",
            "label": "Approve",
            "style": "primary",
            "effect": "authorize",
            "reason": "optional",
        },
    ]


def _amend(value: str, label: str, takes: str) -> dict[str, Any]:
    return {
        "value": value,
        "label": label,
        "style": "default",
        "effect": "authorize_modified",
        "reason": "optional",
        "takes": takes,
    }


def _raw(text: str, name: str) -> str | None:
    """The text of a member as it was sent: its bytes are what is hashed."""
    read = json.JSONDecoder().raw_decode
    at = text.index("{") + 1
    while True:
        at = at + len(re.match(r"[\s,]*", text[at:])[0])  # type: ignore
        if text[at] == "}":
            return None
        key, at = read(text, at)
        at = text.index(":", at) + 1
        at += len(text[at:]) - len(text[at:].lstrip())
        value, end = read(text, at)
        if key == name and value is not None:
            return text[at:end]
        at = end


def _sha256(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _time(later: float = 0) -> str:
    at = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
        seconds=later
    )
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
