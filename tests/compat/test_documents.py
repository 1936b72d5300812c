"""The code in the documents for authors of agents, run as it stands there
against a real server."""
import base64
import datetime
import itertools
import json
import os
import re
import socket
import subprocess
import tomllib

import httpx
import kit
import pytest
import standardwebhooks
from documents import TOP, block, blocks, languages
from programs import rest_of
from reader import (WAITED, compiled, decide, desk, ended,  # noqa: F401
                    objects, withdrawn)
from server import free_port


def listens(port):
    with socket.socket() as s:
        return s.connect_ex(("127.0.0.1", port)) == 0


# --- The quickstart --------------------------------------------------------

@pytest.mark.parametrize("value, outcome", [("yes", "authorized"),
                                            ("no", "vetoed")])
def test_the_quickstart_with_curl(desk, operator, value, outcome):
    code = block("quickstart.md", "sh", "run-5:deploy")
    run = desk(code.replace("run-5", f"run-{value}"))
    decide(operator, "deployer", value)
    answer, = objects(ended(run))
    assert answer["outcome"] == outcome


def test_a_key_that_the_reader_makes(desk, server):
    key = ended(desk(block("agents.md", "sh", "key create"))).strip()
    with server.client(headers={"X-API-Key": key}) as client:
        asked = kit.ask(client)
        withdrawn(client, asked)
    assert asked["asked_by"] == "refund-agent", asked


@pytest.mark.parametrize("value, said", [("yes", "deploying\n"),
                                         ("no", "not deploying\n")])
def test_the_quickstart_in_python(desk, operator, value, said):
    code = block("quickstart.md", "python", "run-6:deploy")
    run = desk(code.replace("run-6", f"run-{value}"), language="python")
    question = decide(operator, "refund-agent", value)
    assert ended(run) == f"answer at {question['url']}\n{said}"


@pytest.mark.parametrize("value, said", [("yes", "deploying\n"),
                                         ("no", "not deploying\n")])
def test_the_quickstart_in_typescript(desk, compiled, operator, value, said):
    code = block("quickstart.md", "ts", "run-7:deploy")
    run = desk(compiled(code.replace("run-7", f"ts-{value}")), language="ts")
    decide(operator, "refund-agent", value)
    assert ended(run) == said


@pytest.fixture
def receiver(desk):
    """The port of the quickstart's receiver, and its process."""
    port = free_port()
    process = desk(block("quickstart.md", "python", "Receiver")
                   .replace("9099", str(port)), language="python")
    kit.wait_for(lambda: listens(port))
    return port, process


def test_the_quickstarts_webhook(desk, receiver):
    port, process = receiver
    ended(desk(block("quickstart.md", "sh", "endpoint.json")
               .replace("9099", str(port))))
    assert "'type': " in process.stdout.readline()


def test_the_quickstarts_receiver_believes_signatures_alone(receiver,
                                                            tmp_path):
    port, process = receiver
    secret = "whsec_" + base64.b64encode(os.urandom(24)).decode()
    (tmp_path / "endpoint.json").write_text(json.dumps({"secret": secret}))
    signer, now = standardwebhooks.Webhook(secret), datetime.datetime.now()
    for body, sent in (('{"n": 1}', '{"n": 2}'), ('{"n": 3}', '{"n": 3}')):
        headers = {"webhook-id": "m", "webhook-timestamp":
                   str(int(now.timestamp())),
                   "webhook-signature": signer.sign("m", now, body)}
        try:
            r = httpx.post(f"http://127.0.0.1:{port}/", content=sent,
                           headers=headers, timeout=60)
        except httpx.RemoteProtocolError:
            assert body != sent
        else:
            assert body == sent and r.status_code == 204
    process.terminate()
    said = rest_of(process, 20)
    assert "InvalidSignature" in said and "{'n': 3}\n" in said
    assert "{'n': 2}" not in said


# --- The first day ---------------------------------------------------------

def test_a_question_and_its_answer_with_curl(desk, operator):
    asked, = objects(ended(desk(block("agents.md", "sh", "Idempotency-Key"))))
    assert asked["state"] == "pending" and asked["status"]
    again, = objects(ended(desk(block("agents.md", "sh", "Idempotency-Key"))))
    assert again == asked
    read = block("agents.md", "sh", "wait=50").replace(
        WAITED, asked["suspension_id"])
    run = desk(read)
    decide(operator, "refund-agent", "approve")
    answer, = objects(ended(run))
    assert answer["outcome"] == "authorized" and answer["usable"] is True
    assert "status" not in answer and "version" not in answer
    use = block("agents.md", "sh", '"operation_id"').replace(
        WAITED, asked["suspension_id"])
    first, again = objects(ended(desk(f"{use}\n{use}")))
    assert first["counted"] and first == again
    spent = json.loads(ended(desk(use.replace("run-1", "run-9"))))
    assert spent["code"] == "permit.spent"


def test_nothing_was_lost_without_a_restore(desk, server, operator):
    with server.client("agent", agent="refund-agent") as agent:
        asked = kit.ask(agent)
    assert kit.answer(operator, asked).status_code == 200
    claim = block("agents.md", "sh", "/reconcile").replace(
        WAITED, asked["suspension_id"])
    said = json.loads(ended(desk(claim)))
    assert said["code"] == "claim.nothing_lost", said


@pytest.mark.parametrize("value, words, said", [
    ("approve", "Approved:", "refunding"),
    ("deny", "Rejected by", "not refunding")])
def test_a_whole_agent(desk, operator, value, words, said):
    code = block("agents.md", "python", "sayso.ask")
    run = desk(code.replace("run-2", f"run-{value}"), language="python")
    decide(operator, "refund-agent", value)
    sentence, last = ended(run).splitlines()
    assert sentence.startswith(words)
    assert last == said


# --- Questions and kinds ---------------------------------------------------

def test_a_form(desk, operator):
    asked, = objects(ended(desk(block("questions.md", "sh", '"form"'))))
    assert [f["key"] for f in asked["form"]] == ["city", "parcels", "by",
                                                 "gift"]
    decide(operator, "refund-agent", {"city": "Bonn", "by": "sea"})


def test_the_reminders_of_the_document(agent, admin):
    policy = json.loads(block("questions.md", "json", "escalation_ladder"))
    for step in policy["escalation_ladder"]:
        r = agent.post("/api/v1/suspensions", json={
            "question": "Who is told?",
            "retry_policy": {**policy, "escalation_ladder": [step]}})
        kit.refused(r, 422, "channel.unknown")
    made = agent.post("/api/v1/suspensions", json={
        "question": "Who is told?",
        "retry_policy": {**policy, "escalation_ladder": []}}).json()
    assert made["retry_policy"]["max_attempts"] == policy["max_attempts"]
    assert agent.post(f"/api/v1/suspensions/{made['suspension_id']}/cancel",
                      json={}).status_code == 200


def test_one_of_each_kind(desk):
    said = objects(ended(desk("\n".join(blocks("kinds.md", "sh")))))
    told = [(one["kind"], one["value"], one["outcome"], one["modified"])
            for one in said if one["state"] != "pending"]
    assert len(said) == 2 * len(told)
    assert told == [
        ("approval", "constrain", "authorized", True),
        ("permission", "allow_for", "authorized", True),
        ("plan_review", "request_changes", "changes_requested", False),
        ("plan_review", "approve_edited", "authorized", True),
        ("elicitation", None, "declined", False),
        ("credential_needed", "configured", "answered", False),
        ("cost_confirmation", "confirm", "authorized", True),
        ("handoff_acceptance", "accept", "accepted", False)]
    assert said[1]["constraints"] == {"amount": 300,
                                      "countries": ["de", "fr"]}


# --- Webhooks, tool calls, OpenIntent, the log -----------------------------

def test_the_feed(desk):
    page, = objects(ended(desk(block("webhooks.md", "sh", "ended_after"))))
    assert page["suspensions"] == [] and page["next"] and not page["more"]


def test_a_prefix_for_callbacks(desk):
    made, = objects(ended(desk(block("webhooks.md", "sh", '"prefix"'))))
    assert made["prefix"] is True


def test_a_shell_asks(desk, server, operator, tmp_path):
    """The line of the page, with the program in the path."""
    code = block("with/shell.md", "sh", "sayso ask")
    (tmp_path / "deploy").write_text("#!/bin/sh\necho deployed\n")
    (tmp_path / "deploy").chmod(0o755)
    code = re.sub(r"(?m)^export SAYSO_URL=\S+ SAYSO_AGENT=ci",
                  f"export SAYSO_AGENT=ci PATH={server.state}/app:$PATH "
                  "ASAN_OPTIONS=detect_leaks=0 VERSION=$1", code)
    for value, status in (("yes", 0), ("no", 1)):
        run = desk(code, "sh", value)
        decide(operator, "ci", value)
        out, _ = run.communicate(timeout=60)
        assert run.returncode == status, out
        assert ("deployed" in out.splitlines()) == (value == "yes")


def test_an_endpoint_and_a_stream(desk):
    made, = objects(ended(desk(
        block("webhooks.md", "sh", "agents.example.org"))))
    assert made["secret"].startswith("whsec_")
    stream = ended(desk(block("webhooks.md", "sh", "/subscribe")
                        .replace("-m 5", "-m 1")))
    assert "event: connected" in stream


def test_tool_calls_are_checked(desk, agent):
    asked, = objects(ended(desk(block("tool-calls.md", "sh", "tool_calls"))))
    assert asked["decision"] == "ask"
    r = agent.post(f"/api/v1/suspensions/{asked['request_id']}/cancel",
                   json={}, headers={"X-Agent-ID": "refund-agent"})
    assert r.status_code == 200, r.text


def test_an_intent_that_is_waited_for(desk, agent):
    intent = kit.new_intent(agent)
    code = block("openintent.md", "sh", "since=1").replace(
        "INTENT_ID", intent["id"])
    said = ended(desk(code.replace("-H", "-H 'X-Agent-ID: refunds-agent' -H")))
    assert re.search(r"(?i)^etag: ", said, re.M)
    assert json.loads(said.rpartition("\n")[2])["id"] == intent["id"]


def test_the_log_is_verified(desk, agent, operator):
    asked = kit.ask(agent)
    kit.answer(operator, asked)
    code = block("log.md", "python", "sha256")
    said = ended(desk(code, asked["intent_id"], language="python"))
    assert re.search(r"^\d+ events hold; the last one is sha256:", said)


# --- Clients and frameworks ------------------------------------------------

PAGES = ["clients.md", *(f"with/{p.name}" for p in
                         sorted((TOP / "docs/with").glob("*.md")))]


def hooks_of(said):
    """Every hook of a client's settings."""
    for groups in said.get("hooks", {}).values():
        for group in groups:
            yield from group.get("hooks", [group])


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_gives_is_well_formed_and_closes(page):
    """A hook that gets no answer has to stop the tool: by an option of the
    client, or by the command; so has one whose command is not there."""
    read = {"json": json.loads, "toml": tomllib.loads}
    for language in languages(page):
        for code in blocks(page, language):
            if language == "python":
                compile(code, page, "exec")
            said = read[language](code) if language in read else {}
            for hook in hooks_of(said):
                if hook.get("type") in ("http", "mcp_tool"):
                    assert hook["onFailure"] == "block", page
                else:
                    assert re.fullmatch(
                        "/usr/local/bin/sayso-hook '?URL/hooks/[^ ]+ "
                        r"\|\| exit 2", hook["command"]), page
                    assert hook["timeout"] >= 60
                if "cursor" in page:
                    assert hook["failClosed"] is True


EVENTS = {
    "claude": {"hook_event_name": "PreToolUse", "tool_name": "Bash",
               "tool_input": {"command": "ls"}, "session_id": "s"},
    "codex": {"hook_event_name": "PreToolUse", "tool_name": "Bash",
              "tool_input": {"command": "ls"}, "session_id": "s"},
    "gemini": {"hook_event_name": "BeforeTool", "tool_name": "Bash",
               "tool_input": {"command": "ls"}, "session_id": "s"},
    "cursor": {"hook_event_name": "beforeShellExecution", "command": "ls",
               "conversation_id": "s"}}
numbers = itertools.count()


@pytest.fixture
def hook(server, tmp_path):
    """Runs examples/sayso-hook as a client does, with a bare environment."""
    def start(client, url=None, key=None):
        key = key or server.env["SAYSO_AGENT_KEY"]
        (tmp_path / ".sayso-hook").write_text(
            f'header = "Authorization: Bearer {key}"\n'
            'header = "X-Agent-ID: hooked-agent"\n')
        event = {**EVENTS[client], "tool_use_id": f"call-{next(numbers)}"}
        process = subprocess.Popen(
            [TOP / "examples/sayso-hook",
             f"{url or server.url}/hooks/{client}"], text=True,
            env={"PATH": "/usr/bin:/bin", "HOME": str(tmp_path)},
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        process.stdin.write(json.dumps(event))
        process.stdin.close()
        process.stdin = None
        return process
    return start


def word_of(client, said):
    if client == "codex" and said == {}:  # which it takes for a yes
        return "allow"
    return {"gemini": lambda: said["decision"],
            "cursor": lambda: said["permission"]}.get(
        client,
        lambda: said["hookSpecificOutput"]["permissionDecision"])()


@pytest.mark.parametrize("value, word", [("approve", "allow"),
                                         ("reject", "deny")])
@pytest.mark.parametrize("client", EVENTS)
def test_the_hook_that_runs_a_command(hook, operator, client, value, word):
    process = hook(client)
    decide(operator, "hooked-agent", value)
    said, complaint = process.communicate(timeout=60)
    assert process.returncode == 0, complaint
    assert word_of(client, json.loads(said)) == word


@pytest.mark.parametrize("wrong", [{"url": "http://127.0.0.1:1"},
                                   {"key": "sayso_wrong"}])
def test_the_hook_without_an_answer_blocks(hook, wrong):
    process = hook("gemini", **wrong)
    said, complaint = process.communicate(timeout=60)
    assert (process.returncode, said) == (2, "")
    assert "this does not run" in complaint


@pytest.mark.parametrize("value, said", [
    ("approve", "50.0 EUR are on their way"), ("reject", "not refunded: No.")])
def test_a_function_of_any_framework(desk, operator, value, said):
    for words, text in (("run-3", said),
                        ("run-5", said.removeprefix("not refunded: "))):
        code = block("with/any-framework.md", "python", words)
        run = desk(code.replace(words, f"{words}-{value}"), language="python")
        decide(operator, "refund-agent", value, reason="No.")
        assert ended(run) == f"{text}\n"


@pytest.mark.parametrize("value, said", [
    ("approve", "refunding"), ("reject", "not refunding: No.")])
def test_the_agent_approval_protocol(desk, server, operator, value, said):
    key = server.key("agent", "--agent", f"aap-{value}")
    code = block("with/aap.md", "python", "aap.Gate").replace(
        'os.environ["SAYSO_AGENT_KEY"]', repr(key))
    run = desk(code, language="python")
    decide(operator, f"aap-{value}", value, reason="No.")
    assert ended(run).startswith(said.partition("No.")[0])


def test_the_agent_of_openintent(desk, operator):
    run = desk(block("openintent.md", "python", "@Agent"), language="python")
    decide(operator, "refund-agent", "approve")
    assert ended(run) == "the answer: approve\n"


def test_the_first_question_of_the_readme(desk, operator):
    asked, = objects(ended(desk(
        block("../README.md", "sh", "arrived broken"))))
    read = block("../README.md", "sh", "suspensions/SUSPENSION_ID")
    decide(operator, "refund-agent", "approve")
    answer, = objects(ended(desk(
        read.replace(WAITED, asked["suspension_id"]))))
    assert (answer["state"], answer["value"]) == ("resolved", "approve")


@pytest.mark.parametrize("value, said", [
    ("approve", "50 EUR are on their way"), ("reject", "not refunded: No.")])
def test_a_function_in_typescript(desk, compiled, operator, value, said):
    code = block("with/any-framework.md", "ts", "requireApproval")
    run = desk(compiled(code.replace("run-4", f"node-{value}")), language="ts")
    decide(operator, "refund-agent", value, reason="No.")
    assert ended(run) == f"{said}\n"
