"""clients/: what a server, the environment and a framework may do to the
packages. Nothing runs then, and each error says why."""
import asyncio
import concurrent.futures
import contextlib
import datetime
import email.utils
import http.server
import json
import os
import pickle
import subprocess
import sys
import threading
import time
import traceback
import types

import kit
import pytest
from asking import asked, decide, signed
from documents import TOP
from programs import CLIENTS, NEW_NODE, Program, load_python

sayso = load_python()
testing = load_python("testing")

KEY = "sk_4d5ecret"


@pytest.fixture(scope="module")
def do(typescript):
    """Has the package for TypeScript do something; as many at once as the test
    wants."""
    started = []

    def run(what, **more):
        program = next((p for p in started if not p.busy()), None)
        if program is None:
            program = Program(NEW_NODE, typescript / "client.js")
            started.append(program)
        return program.run(**{"do": what, "options": {}, "question": "x?",
                              "key": KEY, **more})
    yield run
    for program in started:
        program.end()


@contextlib.contextmanager
def answering(answer):
    """A server that answers with what a function of the request gives: a
    status, headers and a body. Knows the requests."""
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            size = int(self.headers.get("Content-Length", 0))
            body = self.rfile.read(size)
            requests.append((self.command, self.path, self.headers, body))
            status, headers, told = answer(*requests[-1])
            told = told if isinstance(told, bytes) else json.dumps(
                told).encode()
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(told)))
            self.end_headers()
            self.wfile.write(told)

        do_POST = do_GET

        def log_message(self, *args):
            pass
    requests = []
    httpd = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    httpd.daemon_threads = True
    threading.Thread(target=httpd.serve_forever, args=[0.05],
                     daemon=True).start()
    httpd.url, httpd.requests = (f"http://127.0.0.1:{httpd.server_port}",
                                 requests)
    yield httpd
    httpd.shutdown()
    httpd.server_close()


PENDING = {"suspension_id": "1", "state": "pending", "outcome": None}


# --- Waiting ---------------------------------------------------------------

def away(after):
    def answer(method, path, headers, body):
        return 429, after, {"code": "limit.rate"}
    return answer


def reads_are_busy(after):
    """The question is taken; its reads are not."""
    def answer(method, path, headers, body):
        if method == "POST":
            return 201, {}, PENDING
        return 503, after, {"code": "busy"}
    return answer


def reads_are_not_held(after):
    def answer(method, path, headers, body):
        return 201 if method == "POST" else 200, after, PENDING
    return answer


SOON = email.utils.format_datetime(
    datetime.datetime.now(datetime.timezone.utc), usegmt=True)
LATE = "Wed, 21 Oct 2099 07:28:00 GMT"
AFTERS = [{}, *({"Retry-After": text} for text in (
    "0", "", "-1", "1e9", "1000000000", "2592000", "99999999999999999999",
    "0.001", "soon", "NaN", "\u00b2", SOON, LATE, "Wed, 99 Oct 2099"))]


def python_asks(url):
    try:
        return sayso.Client(url, KEY).ask("x?", wait=2).state
    except sayso.Unreachable:
        return "Unreachable"


@pytest.mark.parametrize("kind", [away, reads_are_busy, reads_are_not_held])
def test_a_client_that_is_told_to_wait_waits(do, kind):
    """For two seconds each, all at once."""
    with contextlib.ExitStack() as stack, \
            concurrent.futures.ThreadPoolExecutor(len(AFTERS)) as pool:
        used = [stack.enter_context(answering(kind(
            {k: v.encode().decode("latin-1") for k, v in after.items()})))
            for after in AFTERS * 2]
        half = len(AFTERS)
        got = [pool.submit(python_asks, one.url) for one in used[:half]] + [
            do("ask", url=one.url, options={"wait": 2})
            for one in used[half:half + 4]]
        for one in got:
            one.result(60)
        for n in range(half + 4, 2 * half, 4):
            for one in [do("ask", url=one.url, options={"wait": 2})
                        for one in used[n:n + 4]]:
                got.append(one)
                one.result(60)
        for after, one in zip(AFTERS * 2, used):
            assert 1 <= len(one.requests) <= 5, after
        for one in got:
            told = one.result()
            if kind is away:
                assert told == "Unreachable" or \
                    told["known"] == ["Unreachable"]
            else:
                assert "pending" in (told, dict(told)["state"]
                                     if isinstance(told, dict) else "")


def test_a_wait_of_years_is_no_loop(do):
    """No timer overflows."""
    with answering(reads_are_busy({"Retry-After": "2592000"})) as one:
        got = do("ask", url=one.url, options={"wait": 1e9})
        time.sleep(1.5)
        assert not got.done() and len(one.requests) <= 5


# --- The key ---------------------------------------------------------------

def all_of(error):
    """Everything that can be read of an error."""
    seen, text = set(), ""
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        text += f"{error} {error!r} {error.args} {vars(error)}"
        text += "".join(traceback.format_exception(error))
        error = error.__cause__ or error.__context__
    return text


def ask_with(key, url):
    return sayso.Client(url, key, max_retries=0).ask("x?", wait=0)


def aask_with(key, url):
    return asyncio.run(sayso.Client(url, key, max_retries=0).aask(
        "x?", wait=0))


def echoes(method, path, headers, body):
    """Such as a proxy that shows the request that it did not like."""
    return 400, {}, f"<html>{headers['Authorization']}</html>".encode()


WRONG_KEYS = [f"{KEY}\n", f" {KEY}\r\n", f"sk_\n{KEY}", f"{KEY}\0", f"{KEY}é",
              f"{KEY} x", KEY]


@pytest.mark.parametrize("way", [ask_with, aask_with])
@pytest.mark.parametrize("key", WRONG_KEYS)
def test_the_key_is_in_no_error_in_python(way, key):
    with answering(echoes) as one:
        for url in (one.url, "http://127.0.0.1:1", "http://[::1", "x"):
            with pytest.raises(Exception) as error:
                way(key, url)
            assert isinstance(error.value, sayso.SaysoError)
            assert "4d5ecret" not in all_of(error.value), url


@pytest.mark.parametrize("key", WRONG_KEYS)
def test_the_key_is_in_no_error_in_typescript(do, key):
    with answering(echoes) as one:
        for url in (one.url, "http://127.0.0.1:9", "http://[::1", "x"):
            got = do("ask", key=key, url=url,
                     options={"wait": 0}).result(30)
            assert got["known"][0] in ("InvalidRequest", "Unreachable",
                                       "ConfigurationError")
            assert "4d5ecret" not in json.dumps(got), url


def test_white_space_around_a_setting_is_cut(server, do, monkeypatch):
    monkeypatch.setenv("SAYSO_URL", f" {server.url}/\n")
    monkeypatch.setenv("SAYSO_AGENT_KEY",
                       server.env["SAYSO_AGENT_KEY"] + "\r\n")
    monkeypatch.setenv("SAYSO_AGENT", "refunds-agent\n")
    assert sayso.ask("x?", wait=0).asked_by == "refunds-agent"
    got = do("ask", url=f" {server.url}/\n", agent="refunds-agent\n",
             key=server.env["SAYSO_AGENT_KEY"] + "\r\n",
             options={"wait": 0}).result(30)
    assert got["raw"]["asked_by"] == "refunds-agent"


@pytest.mark.parametrize("name", ["SAYSO_URL", "SAYSO_AGENT_KEY"])
@pytest.mark.parametrize("value", [None, "", " \n"])
def test_what_is_not_set_is_told(server, do, monkeypatch, name, value):
    monkeypatch.setenv("SAYSO_URL", server.url)
    monkeypatch.setenv("SAYSO_AGENT_KEY", "x")
    if value is None:
        monkeypatch.delenv(name)
    else:
        monkeypatch.setenv(name, value)
    with pytest.raises(sayso.ConfigurationError,
                       match=f"{name} is not set"):
        sayso.ask("x?")
    given = {"url": server.url, "key": "x",
             {"SAYSO_URL": "url", "SAYSO_AGENT_KEY": "key"}[name]: value or ""}
    got = do("ask", **given).result(30)
    assert f"{name} is not set" in got["message"]


# --- Names and identities --------------------------------------------------

NAMES = ["Zoë", "佐藤", "зоя", "agent-1"]
ONCES = ["run 8", "größe", "a\nX-Agent-ID: other", "x" * 400, "1", "\U0001f600",
         "sha256:0", " 1", "a%20b", "a b"]


@pytest.fixture(scope="module")
def any_key(server):
    return server.key("agent", "--agent", "*")


@pytest.mark.parametrize("name", NAMES)
def test_an_agent_of_any_name_asks(server, do, any_key, name):
    client = sayso.Client(server.url, any_key, name)
    assert client.ask("x?", wait=0).asked_by == name
    got = do("ask", url=server.url, key=any_key, agent=name,
             options={"wait": 0}).result(30)
    assert got["raw"]["asked_by"] == name


def test_any_once_identifies_a_request(server, do, any_key):
    """In both packages it is the same."""
    name = f"agent-{kit.new_id()}"
    client = sayso.Client(server.url, any_key, name)
    ids = []
    for once in ONCES:
        made = client.ask("x?", once=once, wait=0).id
        assert client.ask("x?", once=once, wait=0).id == made
        with pytest.raises(sayso.Conflict,
                           match="idempotency.other_request") as conflict:
            client.ask("y?", once=once, wait=0)
        assert conflict.value.suspension_id == made
        got = do("ask", url=server.url, key=any_key, agent=name, question="y?",
                 options={"wait": 0, "once": once}).result(30)
        assert got["code"] == "idempotency.other_request", once
        ids.append(made)
    assert len(set(ids)) == len(ONCES)


@pytest.mark.parametrize("once", [None, "", "  "])
def test_no_once_is_no_identity(server, do, any_key, once):
    name = f"agent-{kit.new_id()}"
    client = sayso.Client(server.url, any_key, name)
    ids = {client.ask("x?", once=once, wait=0).id for _ in range(2)}
    ids |= {do("ask", url=server.url, key=any_key, agent=name,
               options={"wait": 0, **({} if once is None else {"once": once})}
               ).result(30)["id"] for _ in range(2)}
    assert len(ids) == 4


@pytest.mark.parametrize("call_id", [None, "", " "])
def test_a_call_without_an_id_finds_no_old_one(server, do, any_key, call_id):
    tool, ids = f"tool_{kit.new_id()}", set()
    client = sayso.Client(server.url, any_key, "refunds-agent")
    for _ in range(2):
        with pytest.raises(sayso.Denied) as no:
            client.approve_call(tool, {}, call_id=call_id, wait=0)
        ids.add(no.value.answer.id)
        got = do("approve", url=server.url, key=any_key, tool=tool, call={},
                 options={"wait": 0, **({} if call_id is None
                                        else {"callId": call_id})})
        ids.add(got.result(30)["id"])
    assert len(ids) == 4


# --- Errors and answers ----------------------------------------------------

ENDED = {**PENDING, "state": "resolved", "outcome": "vetoed",
         "reason": "Too much."}


def denied(no):
    raise no


@pytest.mark.parametrize("error", [
    sayso.InvalidRequest(422, {"code": "field.unknown", "at": "x",
                               "detail": "No."}, "req-1"),
    sayso.ConfigurationError("SAYSO_URL is not set."),
    sayso.Unreachable("away"), sayso.InvalidSignature("old"),
    sayso.Denied(sayso.Answer(ENDED)),
    sayso.Denied(sayso.Answer(ENDED), "It is over.", "permit.revoked")])
def test_an_error_comes_through_a_pool(error):
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is type(error) and str(again) == str(error)
    assert vars(again) == vars(error)
    with concurrent.futures.ProcessPoolExecutor(1) as pool:
        with pytest.raises(type(error)) as got:
            pool.submit(denied, error).result(60)
        assert str(got.value) == str(error)


def suspension_members():
    import yaml
    told = yaml.safe_load((TOP / "docs/openapi.yaml").read_text())
    return set(told["components"]["schemas"]["Suspension"]["properties"])


def test_an_answer_has_its_members_and_no_others():
    answer = sayso.Answer(ENDED)
    for name in suspension_members():
        assert getattr(answer, name) == ENDED.get(name)
    for name in ("vetoed", "aproved", "no_such_member", "_x"):
        with pytest.raises(AttributeError):
            getattr(answer, name)


def test_the_types_of_an_answer(tmp_path):
    """As mypy --strict sees them."""
    good = ("import sayso\na = sayso.ask('x?')\nyes: bool = a.approved\n"
            "why: str | None = a.reason\nurl: str = a.url\n")
    bad = "import sayso\nif not sayso.ask('x?').vetoed:\n    pass\n"
    for name, code, status in (("good", good, 0), ("bad", bad, 1)):
        file = tmp_path / f"{name}.py"
        file.write_text(code)
        done = subprocess.run(
            [sys.executable, "-m", "mypy", "--strict", "--cache-dir",
             tmp_path / "cache", file], capture_output=True, text=True,
            env={**os.environ, "MYPYPATH": str(CLIENTS / "python")})
        assert done.returncode == status, done.stdout + done.stderr


@pytest.mark.parametrize("told", [b"<html>", b"[]", b"\xff", b'{"a": NaN}'])
def test_what_is_no_sayso_server_is_told(do, told):
    with answering(lambda *_: (200, {}, told)) as one:
        with pytest.raises(sayso.Unreachable, match="no Sayso server"):
            sayso.Client(one.url, "x").ask("x?", wait=0)
        got = do("ask", url=one.url).result(30)
        assert got["known"] == ["Unreachable"]


# --- Numbers ---------------------------------------------------------------

EXACT = ["0", "-0.0", "1.50", "1e2", "50.5", "9007199254740991", "0.1",
         "-12.25e-3", "5e-324"]
# Python carries all integers.
INTEGERS = ["9007199254740993", "-9007199254740993", "18446744073709551616",
            "9007199254740992", "1" + "0" * 40, "1.7976931348623157e308"]
LOST = ["0.12345678901234567890123", "1e400", "1e-400",
        "9007199254740993.0", "1.00000000000000000001",
        "100000000000000000000.01"]


def edited_to(number):
    """A server whose person changed the amount to this."""
    def answer(method, path, headers, body):
        if path.endswith("redemptions"):
            used.append(json.loads(body))
            return 201, {}, {"redemption_id": "3"}
        if method == "POST":
            text = body.decode()
            answer.subject = text[text.index('"subject":') + 10:-1].strip()
            return 201, {}, PENDING
        subject = json.loads(answer.subject)
        subject["calls"][0]["args"]["amount"] = "NUMBER"
        import hashlib
        told = json.dumps({
            "suspension_id": "1", "state": "resolved",
            "outcome": "authorized", "modified": True, "constraints": None,
            "subject_sha256": hashlib.sha256(
                answer.subject.encode()).hexdigest(),
            "usable": True,
            "approved_subject": subject}).replace('"NUMBER"', number)
        return 200, {}, told.encode()
    used = []
    return answer


def approved_in_python(url):
    try:
        return sayso.Client(url, KEY).approve_call("refund", {"amount": 5},
                                                   edit=True)
    except sayso.Denied as no:
        return str(no)


@pytest.mark.parametrize("number", EXACT + INTEGERS + LOST)
def test_a_number_is_the_approved_one_or_nothing_runs(do, number):
    import decimal
    with answering(edited_to(number)) as one:
        got = approved_in_python(one.url)
        if number in LOST:
            assert "cannot be carried exactly" in got
        else:
            assert decimal.Decimal(repr(got["amount"])) == \
                decimal.Decimal(number)
        got = do("approve", url=one.url, tool="refund", call={"amount": 5},
                 options={"edit": True}).result(30)
        if number in LOST + INTEGERS:
            assert "cannot be carried exactly" in got["message"]
        else:
            assert got == {"amount": float(number)}
        uses = [json.loads(body, parse_float=decimal.Decimal)
                for _, path, _, body in one.requests if "redemp" in path]
        assert len(uses) == 2 - (number in LOST) - (number in LOST + INTEGERS)
        for use in uses:
            assert use["call"]["arguments"]["amount"] == \
                decimal.Decimal(number)


@pytest.mark.parametrize("number", [2**53, -2**53 - 1, 2**63, 1e300])
def test_an_integer_that_may_be_another_one_is_not_asked_about(do, number):
    got = do("approve", url="http://127.0.0.1:9", tool="refund",
             call={"amount": [number]}).result(30)
    assert got["error"] == "TypeError" and "2^53" in got["message"]


SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.mark.parametrize("number", EXACT + INTEGERS + LOST)
def test_a_push_has_its_numbers(do, number):
    import decimal
    body = f'{{"data": [{number}, "{number}"]}}'
    headers = signed(body, SECRET)
    value, text = sayso.verify_webhook(body.encode(), headers, SECRET)["data"]
    assert text == number
    assert decimal.Decimal(str(value)) == decimal.Decimal(number)
    for got in do("webhook", push=[body, headers, SECRET]).result(30):
        value, text = got["data"]
        assert text == number
        if isinstance(value, dict):
            value, = value.values()
        assert decimal.Decimal(str(value)) == decimal.Decimal(number)


def test_a_secret_from_a_file_ends_in_a_line_break(do):
    headers = signed("{}", SECRET)
    assert sayso.verify_webhook(b"{}", headers, f"{SECRET}\n") == {}
    got = do("webhook", push=["{}", headers, f"{SECRET}\n"]).result(30)
    assert got == [{}, {}]


@pytest.mark.parametrize("bad", [
    float("nan"), float("inf"), [10**5000], {"a": float("-inf")}, {1: 2}, (1,)])
def test_what_is_no_json_is_not_asked_about(bad):
    with pytest.raises(TypeError):
        sayso.Client("http://127.0.0.1:9", "x").approve_call("x", {"x": bad})


def test_a_big_number_at_the_real_server(server, operator, do, any_key):
    """The function runs with what the person typed, or not at all."""
    import decimal
    for number in ("9007199254740993", "0.12345678901234567890123"):
        tool, edited = f"tool_{kit.new_id()}", []
        client = sayso.Client(server.url, any_key, "refunds-agent")
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            waits = [pool.submit(client.approve_call, tool, {"account": n},
                                 edit=True, question=f"{tool}{n}?")
                     for n in (1,)]
            waits.append(do("approve", url=server.url, key=any_key, tool=tool,
                            call={"account": 2}, options={
                                "edit": True, "question": f"{tool}2?"}))
            for n in (1, 2):
                question = asked(operator, f"{tool}{n}?")
                subject = question["subject"]
                subject["calls"][0]["args"]["account"] = "NUMBER"
                body = json.dumps({"value": "edit", "reason": "So.",
                                   "typed": tool, "subject": subject})
                at = f"/api/v1/suspensions/{question['suspension_id']}/respond"
                edited.append(operator.post(
                    at, content=body.replace('"NUMBER"', number),
                    headers={"Content-Type": "application/json"}))
                # Nobody waits for ever, whatever came of it.
                operator.post(at, json={"value": "reject", "reason": "No."})
            try:
                got = waits[0].result(30)["account"]
                assert decimal.Decimal(repr(got)) == decimal.Decimal(number)
            except sayso.Denied:
                pass
            assert waits[1].result(30)["known"] == ["Denied"]
        # 422: the server takes no number that is another one as a double.
        assert {r.status_code for r in edited} <= {200, 422}, edited[0].text


# --- An approval is used once ----------------------------------------------

def test_reading_uses_nothing(server, operator, any_key, do):
    client = sayso.Client(server.url, any_key, "refunds-agent")
    tool = f"tool_{kit.new_id()}"
    subject = {"action": {"name": tool}, "target": "x", "scope_summary": "x",
               "consequence": "x", "calls": [{"tool": tool, "args": {}}]}
    about = {"kind": "approval", "subject": subject, "once": kit.new_id()}
    client.ask(f"{tool}?", wait=0, **about)
    decide(operator, f"{tool}?", "approve")
    for _ in range(3):
        answer = client.ask(f"{tool}?", **about)
        assert answer.approved and not answer.over
    permit = operator.get(f"/api/v1/permits/{answer.permit['id']}").json()
    assert permit["redemptions"] == []
    r = operator.post(f"/api/v1/permits/{answer.permit['id']}/revoke", json={})
    assert r.status_code == 200, r.text
    answer = client.ask(f"{tool}?", **about)
    assert answer.over and not answer.approved
    assert client.ask(f"{tool}?", wait=0, anew=True, **about).id != answer.id


def test_a_yes_without_calls_is_used_once(server, operator, any_key, do):
    client = sayso.Client(server.url, any_key, "refunds-agent")
    text = f"Deploy? {kit.new_id()}"
    about = {"once": kit.new_id()}
    pending = client.ask(text, wait=0, **about)
    with pytest.raises(sayso.Denied, match="Nobody answered"):
        client.use(pending)
    decide(operator, text, "yes")
    answer = client.ask(text, **about)
    assert answer.approved
    client.use(answer, operation="größe 1")
    client.use(answer, operation="größe 1")
    asyncio.run(client.ause(answer, operation="größe 1"))
    with pytest.raises(sayso.Denied) as no:
        client.use(answer)
    assert no.value.code == "permit.spent" and no.value.over
    text = f"Deploy? {kit.new_id()}"
    given = {"url": server.url, "key": any_key, "question": text,
             "options": {"once": kit.new_id()}}
    first = do("use", operation="größe 1", **given)
    decide(operator, text, "yes")
    first = first.result(30)
    assert first["used"] == "yes" and first["answer"]["approved"]
    again = do("use", operation="größe 1", **given).result(30)
    assert again["used"] == "yes" and again["answer"]["over"]
    other = do("use", **given).result(30)
    assert not other["answer"]["approved"]
    assert other["used"]["code"] == "permit.spent" and other["used"]["over"]


@pytest.mark.parametrize("value, said", [
    ("no", "So."), ("yes", None)])
def test_a_no_is_not_used(server, operator, any_key, do, value, said):
    text = f"Deploy? {kit.new_id()}"
    got = do("use", url=server.url, key=any_key, question=text)
    decide(operator, text, value, reason="So.")
    used = got.result(30)["used"]
    assert used == "yes" if said is None else used["message"] == said


def approve_in_python(server, key, do, tool, **more):
    try:
        return sayso.Client(server.url, key, "refunds-agent").approve_call(
            tool, {"n": 1}, **more)
    except sayso.Denied as no:
        return {"message": str(no), "code": no.code, "over": no.over,
                "id": no.answer.id}


def approve_in_typescript(server, key, do, tool, **more):
    if "call_id" in more:
        more["callId"] = more.pop("call_id")
    return do("approve", url=server.url, key=key, tool=tool, call={"n": 1},
              options=more).result(30)


@pytest.mark.parametrize("approve", [approve_in_python, approve_in_typescript])
def test_a_yes_counts_once_and_until_it_is_taken_back(
        server, operator, any_key, do, approve):
    tool, call = f"tool_{kit.new_id()}", {"call_id": kit.new_id()}

    def run(**more):
        return approve(server, any_key, do, tool, **call, **more)
    asked_of = run(wait=0)["id"]
    decide(operator, f"Run {tool}?", "approve")
    assert run() == {"n": 1}
    path = f"/api/v1/suspensions/{asked_of}"
    permit = f"/api/v1/permits/{operator.get(path).json()['permit']['id']}"
    assert len(operator.get(permit).json()["redemptions"]) == 1
    assert run() == {"n": 1}, "the same call again is the same use"
    assert len(operator.get(permit).json()["redemptions"]) == 1
    call["call_id"] = kit.new_id()
    assert run(wait=0)["code"] == "", "another call is another question"
    # Taken back before it was used.
    question = decide(operator, f"Run {tool}?", "approve")
    path = f"/api/v1/suspensions/{question['suspension_id']}"
    permit = f"/api/v1/permits/{operator.get(path).json()['permit']['id']}"
    r = operator.post(f"{permit}/revoke", json={})
    assert r.status_code == 200, r.text
    no = run()
    assert no["code"] == "permit.revoked" and no["over"]
    assert "Ask again" in no["message"]
    again = run(wait=0, anew=True)
    assert again["id"] != no["id"] and again["code"] == ""
    decide(operator, f"Run {tool}?", "approve")
    assert run(anew=True) == {"n": 1}
    assert run()["code"] == "permit.revoked", "without it, as before"


def test_another_question_answers_nothing(do):
    """A yes to another question, which something before the server keeps."""
    yes = {**PENDING, "suspension_id": "2", "state": "resolved",
           "outcome": "authorized", "usable": True}

    def answer(method, path, headers, body):
        return (201, {}, PENDING) if method == "POST" else (200, {}, yes)
    with answering(answer) as server:
        with pytest.raises(sayso.Unreachable, match="another question"):
            sayso.Client(server.url, KEY).ask("x?", wait=5)
        got = do("ask", url=server.url, options={"wait": 5}).result(30)
    assert got["known"] == ["Unreachable"]
    assert "another question" in got["message"]


def test_a_change_that_nobody_may_make_is_no(do):
    """A yes to other arguments, where what was asked would run."""
    def changed(question):
        made = testing.edit(amount=1).to(question)
        return testing.Reply(lambda _: {**made, "value": "approve"})
    with testing.FakeServer([changed] * 4) as server:
        for more in ({}, {"allow_edit": True}):
            with pytest.raises(sayso.Denied, match="only with changes"):
                server.client().approve_call("refund", {"amount": 5}, **more)
            assert server.asked[-1]["allow_edit"] is False
            got = do("approve", url=server.url, key=server.key, options=more,
                     tool="refund", call={"amount": 5}).result(30)
            assert "only with changes" in got["message"]
            assert server.asked[-1]["allow_edit"] is False


@pytest.mark.parametrize("usable, approved", [
    ({}, True), ({"usable": True}, True), ({"usable": False}, False),
    ({"usable": None}, False), ({"usable": 1}, False)])
def test_a_yes_is_one_that_can_be_used(do, usable, approved):
    yes = {"suspension_id": "1", "state": "resolved", "outcome": "authorized",
           **usable}
    with answering(lambda *request: (200, {}, yes)) as server:
        answer = sayso.Client(server.url, KEY).ask("x?", wait=5)
        got = do("ask", url=server.url, options={"wait": 5}).result(30)
    assert answer.approved is got["approved"] is approved


# --- A hook that must not fail ----------------------------------------------

@pytest.mark.parametrize("tools, called", [
    (["refund"], "refund"), (["Refund Order"], "refund_order"),
    (["\u00dcberweisung"], "uberweisung"), (["\u8fd4\u91d1"], ""),
    (["\u8fd4\u91d1"], "\u8fd4\u91d1"), (None, "refund"), (None, None),
    (["refund"], None), (["refund"], 5),
    (["transfer the whole amount of an order to a customer's bank account "
      "abroad"], "transfer_the_whole_amount_of_an_order_to_a_customers_b_"
     "0a1b2c3d")])
def test_the_hook_of_crewai_says_no(tools, called):
    """CrewAI runs the tool where it fails, or where it has nothing to say."""
    hook = load_python("crewai").approvals(
        sayso.Client("http://127.0.0.1:1", KEY, max_retries=0),
        tools=tools)
    context = types.SimpleNamespace(tool_name=called, tool_input={})
    assert hook(context) is False
    assert hook(types.SimpleNamespace()) is False


def test_the_hook_of_crewai_leaves_other_tools_alone():
    hook = load_python("crewai").approvals(
        sayso.Client("http://127.0.0.1:1", KEY), tools=["refund"])
    for called in ("lookup", "refund_all", "ref"):
        assert hook(types.SimpleNamespace(tool_name=called,
                                          tool_input={})) is None


# --- Functions -------------------------------------------------------------

def test_what_a_decorated_function_may_be():
    with testing.FakeServer([testing.approve] * 5) as server:
        client, ran = server.client(), []

        class Shop:
            def __init__(self, name):
                self.name = name

            @client.require_approval
            def refund(self, order, /, amount, *tags, fee=1, **more):
                ran.append((self.name, order, amount, tags, fee, more))

            @classmethod
            @client.require_approval
            def close(cls, day):
                ran.append((cls.__name__, day))

            @client.require_approval
            async def later(self, day):
                ran.append((self.name, day))
        shop = Shop("Bonn")
        shop.refund("1", 50, "a", "b", note="x")
        Shop.close("Monday")
        asyncio.run(shop.later("Tuesday"))
        assert ran == [("Bonn", "1", 50, ("a", "b"), 1, {"note": "x"}),
                       ("Shop", "Monday"), ("Bonn", "Tuesday")]
        calls = [q["subject"]["calls"][0]["args"] for q in server.asked]
        assert calls == [{"order": "1", "amount": 50, "tags": ["a", "b"],
                          "fee": 1, "note": "x"}, {"day": "Monday"},
                         {"day": "Tuesday"}]

        @client.require_approval
        def act(self, x):  # no method: it is shown
            ran.append(self)
        act("me", 1)
        assert server.asked[-1]["subject"]["calls"][0]["args"] == {
            "self": "me", "x": 1}


# --- Proxies ---------------------------------------------------------------

TRIED = """
from sayso.testing import FakeServer, RealServer, approve
with FakeServer([approve]) as server:
    assert server.client().ask("x?").approved
"""


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy"])
def test_the_fake_server_in_typescript_too(typescript, name):
    program = Program(NEW_NODE, typescript / "fake.js", NODE_USE_ENV_PROXY="1",
                      **{name: "http://127.0.0.1:1"})
    got = program.run(agent=True).result(60)
    program.end()
    assert got["ran"] == [50, 20]


@pytest.mark.parametrize("name", ["HTTP_PROXY", "http_proxy", "ALL_PROXY"])
def test_the_fake_server_is_reached_beside_a_proxy(name):
    done = subprocess.run(
        [sys.executable, "-c", TRIED], capture_output=True, text=True,
        timeout=60, env={**os.environ, "PYTHONPATH": str(CLIENTS / "python"),
                         name: "http://127.0.0.1:1"})
    assert done.returncode == 0, done.stderr


