"""examples/sayso-hook: its exit status is 0 for a decision of the client that it
speaks for, and 2, which blocks a tool, for everything else."""
import concurrent.futures
import http.server
import json
import os
import subprocess
import threading
import time

import pytest
from asking import decide
from documents import TOP

HOOK = TOP / "examples/sayso-hook"
KEY = "sayso_key-of.the_test"
CLIENTS = {
    "claude": ({"hook_event_name": "PreToolUse"}, lambda word: {
        "hookSpecificOutput": {"hookEventName": "PreToolUse",
                               "permissionDecision": word}}),
    "codex": ({"hook_event_name": "PreToolUse"}, lambda word: {
        "hookSpecificOutput": {"hookEventName": "PreToolUse",
                               "permissionDecision": word}}),
    "gemini": ({"hook_event_name": "BeforeTool"},
               lambda word: {"decision": word, "reason": "x"}),
    "cursor": ({"hook_event_name": "beforeMCPExecution"},
               lambda word: {"permission": word})}


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers as the test says: a status, headers, and a body."""

    def do_POST(self):
        sent = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.heard.append((self.path, self.headers, sent))
        answers = self.server.answers
        status, headers, body = answers[min(len(self.server.heard),
                                            len(answers)) - 1]
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.server.heard.append((self.path, self.headers, b""))
        self.send_response(200)
        self.end_headers()

    def log_message(self, *args):
        pass


class Fake(http.server.ThreadingHTTPServer):
    """A server that is none, on the loopback address."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.heard, self.answers = [], []
        self.url = f"http://127.0.0.1:{self.server_port}"
        threading.Thread(target=self.serve_forever).start()


@pytest.fixture
def fake():
    one = Fake()
    yield one
    one.shutdown()
    one.server_close()


@pytest.fixture
def run(tmp_path):
    """run(url, event, file=, **environment): status, output, what was said."""
    def run_(url, event, file=None, **env):
        if file is not None:
            (tmp_path / ".sayso-hook").write_text(file)
        done = subprocess.run(
            [HOOK, url], input=json.dumps(event), text=True, timeout=60,
            capture_output=True,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path), **env})
        return done.returncode, done.stdout, done.stderr
    return run_


@pytest.fixture
def heard(fake, run):
    """heard(client, *answers): what came of these answers of the server."""
    def of(client, *answers, url="{url}/hooks/{client}", **env):
        fake.answers = [
            (status, headers, body if isinstance(body, bytes)
             else json.dumps(body).encode())
            for status, headers, body in answers]
        event = {**CLIENTS[client][0], "tool_name": "Bash", "tool_input": {}}
        got = run(url.format(url=fake.url, client=client), event,
                  **{"SAYSO_AGENT_KEY": KEY, **env})
        assert got[0] in (0, 2) and KEY not in got[1] + got[2]
        # Nothing but a decision is printed, and nothing without a sentence.
        assert (got[0] == 0) == bool(got[1]) == (not got[2])
        return got
    return of


YES = (200, {}, {"decision": "allow"})


def blocked(got, *words):
    assert got[0] == 2, got
    assert got[2].endswith(": this does not run.\n")
    assert all(word in got[2] for word in words), got[2]


@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("word, mark", [
    ("allow", {}), ("deny", {}), ("allow", {"Sayso-Decision": "same"})])
def test_a_decision_is_printed(heard, client, word, mark):
    body = CLIENTS[client][1](word)
    mark = {name: word for name in mark}
    status, out, _ = heard(client, (200, mark, body))
    assert (status, json.loads(out)) == (0, body)


@pytest.mark.parametrize("client, status, headers, body", [
    ("gemini", 302, {"Location": "/sign-in"}, "yes"),
    ("claude", 301, {"Location": "/"}, "yes"),
    ("codex", 307, {"Location": "/again"}, "yes"),
    ("cursor", 201, {}, "yes"), ("claude", 204, {}, b""),
    ("gemini", 206, {}, "yes"), ("codex", 400, {}, "yes"),
    ("claude", 401, {}, "yes"), ("cursor", 404, {}, "yes"),
    ("claude", 500, {}, "yes"), ("codex", 502, {}, "yes"),
    *((client, 200, headers, body) for client in CLIENTS
      for headers, body in [
          ({}, b""), ({}, b"{}"), ({}, b"[]"), ({}, b"<html>Sign in</html>"),
          ({"Content-Type": "application/json"}, b'{"ok":true}'),
          ({}, "cut"), ({}, "another client"), ({}, "word"),
          ({"Sayso-Decision": "deny"}, "yes")]),
    ("claude", 200, {}, b"null"), ("gemini", 200, {}, "twice"),
    ("cursor", 200, {"Sayso-Decision": "none"}, "yes"),
    ("claude", 200, {}, "flat")])
def test_nothing_else_is_one(heard, fake, client, status, headers, body):
    yes = json.dumps(CLIENTS[client][1]("allow"))
    body = {"yes": yes, "cut": yes[:-1], "twice": yes + yes,
            "another client": json.dumps(CLIENTS[
                "claude" if client == "gemini" else "gemini"][1]("allow")),
            "word": json.dumps(CLIENTS[client][1]("maybe")),
            "flat": json.dumps({
                "hookSpecificOutput.hookEventName": "PreToolUse",
                "hookSpecificOutput.permissionDecision": "allow"}),
            }.get(body, body)
    body = body.encode() if isinstance(body, str) else body
    blocked(heard(client, (status, headers, body)))
    assert len(fake.heard) == 1  # no redirect was followed


@pytest.mark.parametrize("word", ["ask", "defer"])
@pytest.mark.parametrize("client", ["claude", "codex", "gemini"])
def test_only_claude_can_wait(heard, client, word):
    got = heard(client, (200, {"Sayso-Decision": word},
                         CLIENTS[client][1](word)))
    assert got[0] == (0 if client == "claude" else 2)


@pytest.mark.parametrize("client", ["claude", "codex"])
@pytest.mark.parametrize("mark, status", [
    ({"Sayso-Decision": "allow"}, 0), ({"sayso-decision": " allow "}, 0),
    ({"Sayso-Decision": "deny"}, 2), ({}, 2)])
def test_an_empty_yes_is_of_codex(heard, client, mark, status):
    got = heard(client, (200, mark, b"{}"))
    assert got[0] == (status if client == "codex" else 2)
    assert got[1] == ("{}" if got[0] == 0 else "")


@pytest.mark.parametrize("body", [
    b'{"decision":"allow","reason":"x}', b"{'decision':'allow'}",
    b'{"decision":"allow",}', b'{"decision":"allow" "reason":"x"}',
    b'{"decision":"deny","decision":"allow"}', b'{"decision":"allow"} x',
    b'{"decision":"allow","n":01}', b'{"decision":"all\\u006fw"}',
    b'{"decision":"allow","r":"\\x"}', b'{"decision":"allow","r":"a\nb"}',
    b'["decision","allow"]', b'{"a":{"decision":"allow"}}'])
def test_json_is_read_as_json(heard, body):
    blocked(heard("gemini", (200, {}, body)))


def test_a_large_decision(heard):
    body = {"decision": "allow", "reason": "\u20ac\n\"" * 9000, "list": [
        {"n": n, "x": None, "f": -1.5e3} for n in range(500)]}
    status, out, _ = heard("gemini", (200, {}, body))
    assert status == 0 and json.loads(out) == body


# --- A server that is busy -------------------------------------------------

BUSY = {  # the status, Retry-After, the query, what comes of it, the requests
    "429": (429, "1", "", 0, 2), "503": (503, "1", "", 0, 2),
    "none": (503, None, "", 0, 2), "empty": (503, "", "", 0, 2),
    "zero": (503, "0", "", 0, 2), "negative": (429, "-1", "", 0, 2),
    "words": (503, "soon", "", 0, 2),
    "date": (503, "Wed, 21 Oct 2026 07:28:00 GMT", "", 0, 2),
    "long": (429, "1000", "", 2, 1), "huge": (429, "9" * 30, "", 2, 1),
    "over": (503, "2", "?hold=0", 2, 9)}


def busy(home, status, after, query, end, requests):
    """One run; the server is busy once, or until the end."""
    fake, headers = Fake(), {} if after is None else {"Retry-After": after}
    busy = status, headers, b""
    yes = 200, {}, b'{"decision":"allow"}'
    fake.answers = [busy] if end else [busy, yes]
    begun = time.monotonic()
    done = subprocess.run(
        [HOOK, f"{fake.url}/hooks/gemini{query}"], input="{}", text=True,
        capture_output=True, timeout=100, env={
            "PATH": os.environ["PATH"], "HOME": home, "SAYSO_AGENT_KEY": KEY})
    took = time.monotonic() - begun
    fake.shutdown()
    fake.server_close()
    return done, took, fake.heard


@pytest.fixture(scope="module")
def busy_runs(tmp_path_factory):
    """They wait, all at once."""
    home = str(tmp_path_factory.mktemp("home"))
    with concurrent.futures.ThreadPoolExecutor(len(BUSY)) as pool:
        yield {name: pool.submit(busy, home, *one)
               for name, one in BUSY.items()}


@pytest.mark.parametrize("name", BUSY)
def test_a_busy_server_is_asked_again(busy_runs, name):
    """After a pause, with the same event, and never beyond its own time."""
    status, _, _, end, requests = BUSY[name]
    done, took, heard = busy_runs[name].result()
    assert done.returncode == end, done.stderr
    assert len(heard) <= requests and len({sent for _, _, sent in heard}) == 1
    if end:
        assert str(status) in done.stderr and not done.stdout
    else:
        assert len(heard) == 2 and took >= 1


# --- Its address and its key -----------------------------------------------

@pytest.mark.parametrize("file", [
    'header = "Authorization: Bearer {}"\nheader = "X-Agent-ID: Zo\u00eb"\n',
    'header = "Authorization: Bearer {} "\r\nheader = " X-Agent-ID: Zo\u00eb"\r\n',
    'header: Authorization: Bearer {}\nheader "X-Agent-ID:Zo\u00eb"'])
def test_the_key_in_the_file(heard, fake, file):
    assert heard("gemini", YES, file=file.format(KEY),
                 SAYSO_AGENT_KEY="another")[0] == 0
    path, headers, _ = fake.heard[0]
    assert path == "/hooks/gemini?hold=50"
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["X-Agent-ID"].encode("latin-1").decode() == "Zo\u00eb"


@pytest.mark.parametrize("key, url", [
    (f" {KEY}\r\n", "{url}/hooks/{client}?hold=7&edit=yes"),
    (f"\n{KEY}\n", " {url}/hooks/{client}?hold=7 \r\n")])
def test_white_space_is_cut(heard, fake, key, url):
    assert heard("gemini", YES, url=url, SAYSO_AGENT_KEY=key,
                 SAYSO_AGENT=" ci \n")[0] == 0
    path, headers, _ = fake.heard[0]
    assert path.startswith("/hooks/gemini?hold=7")
    assert headers["Authorization"] == f"Bearer {KEY}"
    assert headers["X-Agent-ID"] == "ci"


@pytest.mark.parametrize("env", [
    {"SAYSO_AGENT_KEY": ""}, {"SAYSO_AGENT_KEY": " \n"},
    {"SAYSO_AGENT_KEY": "a\nX-Agent-ID: other"}, {"SAYSO_AGENT_KEY": "a b"},
    {"SAYSO_AGENT_KEY": 'a"\nlocation\n#'}, {"SAYSO_AGENT_KEY": "k\u00e9y"},
    {"SAYSO_AGENT": 'a"\nlocation\n#"'}, {"SAYSO_AGENT": "a\nX-A: b"},
    {"url": "{url}/hooks/emacs"}, {"url": "{url}/mcp"}, {"url": ""},
    {"url": "file:///hooks/gemini"}, {"url": "{url}/hooks/gemini?hold=x"},
    {"url": '{url}/hooks/gemini"\nlocation'}, {"url": "{url}/a b/hooks/gemini"},
    {"url": "{url}/hooks/gemini?hold="}, {"url": "{url}/hooks/gemini/x"}])
def test_nothing_is_sent_with_what_cannot_be(heard, fake, env):
    blocked(heard("gemini", YES, **env))
    assert fake.heard == []


@pytest.mark.parametrize("url", ["http://127.0.0.1:9/hooks/gemini",
                                 "http://no-such.invalid/hooks/gemini",
                                 f"http://{KEY}@127.0.0.1:9/hooks/gemini"])
def test_nobody_is_there(heard, url):
    blocked(heard("gemini", YES, url=url))


def test_its_own_configuration_of_curl_counts_for_nothing(heard, fake,
                                                          tmp_path):
    (tmp_path / ".curlrc").write_text("location\nfail\n")
    blocked(heard("gemini", (302, {"Location": f"{fake.url}/x"}, YES[2])))
    assert len(fake.heard) == 1


# --- The server itself -----------------------------------------------------

@pytest.mark.parametrize("client", CLIENTS)
@pytest.mark.parametrize("value, word", [("approve", "allow"),
                                         ("reject", "deny")])
def test_with_the_server(server, operator, run, client, value, word):
    command = f"echo {client} {value} {time.time_ns()}"
    event = {**CLIENTS[client][0], "tool_name": "Bash", "session_id": "s",
             "tool_use_id": command.replace(" ", "_"),
             "tool_input": {"command": command}}
    url = f"{server.url}/hooks/{client}?hold="
    env = {"SAYSO_AGENT_KEY": server.env["SAYSO_AGENT_KEY"],
           "SAYSO_AGENT": "refunds-agent"}
    got = []
    waits = threading.Thread(
        target=lambda: got.append(run(url + "40", event, **env)))
    waits.start()
    decide(operator, "Run Bash?", value, call={"command": command})
    waits.join()
    status, out, said = got[0]
    assert status == 0 and said == ""
    if client == "codex" and word == "allow":
        assert out == "{}"
    else:
        assert f'"{word}"' in out


def test_what_a_client_may_send(server, run):
    """A name that no question can have is asked about all the same; what is too
    large to be shown is a no that names the limit."""
    command = f"echo {time.time_ns()}"
    event = {"hook_event_name": "BeforeTool", "tool_name": "delete all \u202e",
             "tool_input": {"command": command}, "session_id": "s"}
    url = f"{server.url}/hooks/gemini?hold="
    env = {"SAYSO_AGENT_KEY": server.env["SAYSO_AGENT_KEY"],
           "SAYSO_AGENT": "refunds-agent"}
    status, out, _ = run(url + "0", event, **env)
    assert (status, json.loads(out)["decision"]) == (0, "deny")
    assert "Nobody has answered yet" in out
    event["tool_input"] = {"command": command, "content": "x" * 230_000}
    status, out, _ = run(url + "0", event, **env)
    assert (status, json.loads(out)["decision"]) == (0, "deny")
    assert "at most 224 kB" in json.loads(out)["reason"]
    event["tool_input"]["content"] = "x" * 300_000
    blocked(run(url + "0", event, **env), "413", "256 kB")


def test_errors_of_the_server(server, run):
    url = f"{server.url}/hooks/gemini"
    event = {"hook_event_name": "Stop"}
    blocked(run(url, event, SAYSO_AGENT_KEY="sayso_wrong"), "401",
            "key.unknown")
    blocked(run(url, event, SAYSO_AGENT="refunds-agent", SAYSO_AGENT_KEY=
                server.env["SAYSO_AGENT_KEY"]), "422", "hook.event")
    blocked(run(url + "?late=ask", event, SAYSO_AGENT="refunds-agent",
                SAYSO_AGENT_KEY=server.env["SAYSO_AGENT_KEY"]), "400",
            "request.query")
