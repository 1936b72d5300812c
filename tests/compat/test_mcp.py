"""The MCP clients that people use, from their registries, at our door: each
asks, is approved and refused by an operator, and hears when nobody answers."""
import concurrent.futures
import json
import os
import pathlib
import subprocess
import sys
import time

import jsonschema
import kit
import pytest
from asking import asked, decide
from documents import block

HERE = pathlib.Path(__file__).resolve().parent
BUILD = pathlib.Path(os.environ.get("SAYSO_BUILD", ""))
NODE = BUILD / "node-compat/node_modules"
TOOLS = ["ask_human", "request_approval", "check_answer", "withdraw_question",
         "permission_prompt", "hook"]


def python(env):
    return ([sys.executable, HERE / "mcp_client.py"], env, {})


def node(package, **more):
    return (["node", HERE / "mcp_client.mjs"], {"NODE_PATH": str(NODE)},
            {"package": f"@modelcontextprotocol/{package}", **more})


# name: program, environment, its part of the argument; and the version that it
# speaks with us, where it says so.
CLIENTS = {
    "python 2": (*python({}), "2026-07-28"),
    "python 1": (*python({"PYTHONPATH": str(BUILD / "python-mcp1")}),
                 "2025-11-25"),
    "sdk": (*node("sdk"), None),
    "client": (*node("client"), None),
    "client, modern": (*node("client", mode="auto"), None)}


@pytest.fixture(params=CLIENTS)
def start(request, server):
    """The client, ended; and the version that it shall have spoken."""
    program, env, more, version = CLIENTS[request.param]

    def call(tool, arguments, **other):
        given = {"url": f"{server.url}/mcp", "agent": "refunds-agent",
                 "key": server.env["SAYSO_AGENT_KEY"], "tool": tool,
                 "arguments": arguments, **more, **other}
        return subprocess.run([*program, json.dumps(given)], timeout=120,
                              env={**os.environ, **env}, text=True,
                              capture_output=True), version
    return call


@pytest.fixture
def run(start):
    def call(tool, **arguments):
        done, version = start(tool, arguments)
        assert done.returncode == 0, done.stderr
        body = json.loads(done.stdout)
        assert body["tools"] == TOOLS
        assert version == body.get("version")
        return body
    return call


@pytest.mark.parametrize("value, outcome", [("approve", "authorized"),
                                            ("reject", "vetoed")])
def test_an_approval_is_given_and_refused(run, operator, value, outcome):
    action = f"refund_{kit.new_id()}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waits = pool.submit(
            run, "request_approval", action=action, target="order 12345",
            scope_summary="One refund of 50 EUR", arguments={"amount": 50})
        question = decide(operator, f"Run {action}?", value)
        body = waits.result(60)
    assert not body["isError"]
    assert body["heard"] == ["Nobody has answered yet."]
    record = body["record"]
    assert record["suspension_id"] == question["suspension_id"]
    assert record["state"] == "resolved" and record["outcome"] == outcome


def test_nobody_answers(run):
    body = run("ask_human", question="Anybody?", timeout_seconds=1)
    record = body["record"]
    assert record["state"] == "expired" and record["outcome"] == "none"
    assert record["value"] is None and "not a yes" in record["message"]


def test_what_is_not_there_is_an_error_for_the_model(run):
    body = run("check_answer", suspension_id=kit.new_id())
    assert body["isError"] is True and body.get("record") is None


def runs(done):
    """How often a host runs the tool, which goes by the outcome."""
    record = json.loads(done.stdout)["record"] if done.stdout else None
    return int(bool(record) and record["outcome"] == "authorized")


@pytest.mark.parametrize("situation", ["approved", "refused", "silence",
                                       "away", "wrong key", "no key"])
def test_how_often_a_tool_runs(start, operator, situation):
    action = f"refund_{kit.new_id()}"
    about = {"action": action, "target": "order 12345", "scope_summary": "x",
             "arguments": {"amount": 50},
             **({"timeout_seconds": 1} if situation == "silence" else {})}
    wrong = {"away": {"url": "http://127.0.0.1:1/mcp"},
             "wrong key": {"key": "sayso_wrong"},
             "no key": {"key": ""}}.get(situation, {})
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waits = pool.submit(start, "request_approval", about, **wrong)
        if situation in ("approved", "refused"):
            decide(operator, f"Run {action}?",
                   "approve" if situation == "approved" else "reject")
        done, _ = waits.result(120)
    assert runs(done) == (situation == "approved"), done.stderr


# --- While a person thinks -------------------------------------------------

def hosted(server, *has, path="/mcp?tools=model", **arguments):
    given = {"url": f"{server.url}{path}", "agent": "refunds-agent",
             "key": server.env["SAYSO_AGENT_KEY"], "has": has,
             "arguments": arguments}
    done = subprocess.run([sys.executable, HERE / "mcp_host.py",
                           json.dumps(given)], timeout=120, text=True,
                          capture_output=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def thought(operator, server, *has, seconds=0, **more):
    """The question of a host, which a person answers after some seconds; and
    what the host says."""
    question = f"Where? {kit.new_id()}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        said = pool.submit(hosted, server, *has, question=question, **more)
        one = asked(operator, question)
        time.sleep(seconds)
        assert kit.answer(operator, one, "Here").status_code == 200
        return one, said.result(60)


@pytest.mark.parametrize("path", ["/mcp", "/mcp?tools=model"])
def test_the_model_is_not_asked_while_a_person_thinks(
        server, operator, path):
    """Its client waits: the call ends at once, and its model has two turns,
    however long the person takes."""
    one, said = thought(operator, server, "tasks", path=path,
                          seconds=5)
    first, last = said["turns"]
    assert first is None and last["value"] == "Here"
    assert last["suspension_id"] == one["suspension_id"]
    assert said["called"].count("tools/call") == 1
    assert said["called"].count("tasks/get") >= 2


def test_other_clients_wait_as_before(server, operator):
    one, said = thought(operator, server)
    assert [turn and turn["value"] for turn in said["turns"]] == [None, "Here"]
    assert said["called"].count("tools/call") == 1
    assert "tasks/get" not in said["called"] and said["shown"] == []


@pytest.mark.parametrize("has, gets", [(["url"], False),
                                       (["url", "tasks"], True)])
def test_the_page_is_shown_once(server, operator, has, gets):
    one, said = thought(operator, server, *has)
    assert said["shown"] == [["url", one["url"]]]
    assert [turn and turn["value"] for turn in said["turns"]] == [None, "Here"]
    assert said["called"].count("tools/call") == 2
    assert ("tasks/get" in said["called"]) is gets


def by_package(server, **more):
    """The report of the extension's package about a task."""
    given = {"url": f"{server.url}/mcp", "agent": "refunds-agent",
             "key": server.env["SAYSO_AGENT_KEY"], **more}
    done = subprocess.run(["node", HERE / "mcp_tasks.mjs", json.dumps(given)],
                          env={**os.environ, "NODE_PATH": str(NODE)},
                          text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.parametrize("value, outcome", [("approve", "authorized"),
                                            ("reject", "vetoed")])
def test_the_package_of_the_extension_waits(server, operator, value, outcome):
    action = f"refund_{kit.new_id()}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waits = pool.submit(by_package, server, tool="request_approval",
                            arguments={"action": action, "target": "order 1",
                                       "scope_summary": "One refund"})
        question = decide(operator, f"Run {action}?", value)
        said = waits.result(60)
    assert said["kind"] == "task"
    assert said["task"] == question["suspension_id"]
    assert said["outcome"]["status"] == "completed"
    record = said["outcome"]["result"]["structuredContent"]
    assert record["outcome"] == outcome
    assert said["called"][0] == "tools/call" and said["seen"][0] == "working"
    assert set(said["called"][1:]) == {"tasks/get"}


def test_the_package_of_the_extension_cancels(server, operator):
    said = by_package(server, tool="ask_human", cancel=True,
                      arguments={"question": "Never mind?"})
    assert said["outcome"] == {"status": "cancelled"}
    assert said["called"] == ["tools/call", "tasks/cancel"]
    r = operator.get(f"/api/v1/suspensions/{said['task']}")
    assert r.json()["state"] == "cancelled"


# VS Code demands this of .vscode/mcp.json; it is the part that the page uses.
VS_CODE = {
    "type": "object", "additionalProperties": False, "properties": {
        "inputs": {"type": "array", "items": {
            "type": "object", "additionalProperties": False,
            "required": ["id", "type", "description"], "properties": {
                "id": {"type": "string"}, "description": {"type": "string"},
                "type": {"const": "promptString"},
                "password": {"type": "boolean"}}}},
        "servers": {"type": "object", "additionalProperties": {
            "type": "object", "additionalProperties": False,
            "required": ["url"], "properties": {
                "type": {"enum": ["http", "sse"]},
                "url": {"type": "string", "pattern": "^https?://.+"},
                "headers": {"type": "object", "additionalProperties": {
                    "type": "string"}}}}}}}


def test_the_file_of_vs_code(server):
    """It has no key: VS Code asks for it. With that a client connects."""
    code = block("with/vscode.md", "json", "promptString")
    given = json.loads(code.replace("URL", server.url)
                       .replace("NAME", "refunds-agent"))
    jsonschema.validate(given, VS_CODE)
    asked, = given["inputs"]
    one = given["servers"]["sayso"]
    assert asked["password"] is True
    headers = {name: value.replace(f"${{input:{asked['id']}}}",
                                   server.env["SAYSO_AGENT_KEY"])
               for name, value in one["headers"].items()}
    program, env, more = node("sdk")
    done = subprocess.run([*program, json.dumps({
        **more, "url": one["url"], "agent": headers["X-Agent-ID"],
        "key": headers["Authorization"].removeprefix("Bearer "),
        "tool": "check_answer", "arguments": {"suspension_id": kit.new_id()}})],
        env={**os.environ, **env}, text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    said = json.loads(done.stdout)
    assert "request_approval" in said["tools"] and said["isError"] is True
