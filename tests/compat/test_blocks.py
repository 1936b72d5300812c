"""Every block of the documents is run by a test that takes it from there, or is
named here with the reason why not."""
import ast
import json
import os
import re
import shutil
import subprocess
import tomllib

import kit
import pytest
from documents import TOP, block
from proofs import Key, OAuth
from reader import (compiled, desk, ended, objects,  # noqa: F401
                    withdrawn)

PAGES = [page for page in sorted(TOP.glob("*.md"))] + [
    page for top in ("bench", "clients", "docs", "examples", "templates")
    for page in sorted((TOP / top).rglob("*.md"))
    if "node_modules" not in page.parts]

SYSTEM = "it is for a machine with systemd, or with Docker"
# So are the lines of INSTALL.
INSTALLS = "the tests install the same, without the network"
CLIENT = "test_situations.py and test_claude_code.py run the client"
SHOWN = "it shows what something looks like"
PACKAGE = "tests/package does the same"
RUN_ELSEWHERE = "another test runs the same"

LANGUAGES = {"sh", "python", "ts", "json", "toml", "text", "cron", "go", "java",
             "csharp", "rust", ""}
# Functions of tests that take words of one page.
IMPLIED = {"manual": "operations/install.md",
           "readme": "../clients/python/README.md"}
INSTALL = re.compile(r"(pip|npm) install .*\n((pip show|npm ls) .*\n)?")

# By page and words of the block.
NOT_RUN = {
    "CONTRIBUTING.md": {"make check": "./check does the same"},
    "README.md": {"./check": "./check and tests/http run them"},
    "clients/python/README.md": {
        "with sayso.Client(url": "test_client_python.py has a client",
        "HumanInTheLoopMiddleware": "docs/with/langchain.md has it whole",
        "claude_agent": "docs/with/claude-agent-sdk.md has it whole",
        "google.adk": "docs/with/google-adk.md has it whole",
        "function_tool": "docs/with/openai-agents.md has it whole",
        "tool_plain": "docs/with/pydantic-ai.md has it whole"},
    "clients/typescript/README.md": {
        "npm pack": INSTALLS,
        "maxRetries: 2": "test_client_typescript.py has a client",
        "approvals({ refund": "docs/with/ai-sdk.md has it whole",
        "query(": "docs/with/claude-agent-sdk.md has it whole",
        "invoke(agent": "docs/with/langchain.md has it whole",
        "result.interruptions": "docs/with/openai-agents.md has it whole"},
    "docs/design.md": {"process   the pool": SHOWN, "route.c, serve.c": SHOWN,
                       "api_key": SHOWN},
    "docs/clients.md": {"mcpServers": "test_mcp.py has a client",
                        "openapi-generator": "tests/openapi runs generators"},
    "docs/log.md": {"BROKEN head.txt": SHOWN, "relied on chk_": SHOWN,
                    "sayso verify --since": "tests/http/test_log_exports.py"},
    "docs/webhooks.md": {"intent_authorized": SHOWN},
    "docs/operations/alerts.md": {"rule_files": SHOWN},
    "docs/operations/backup.md": {
        "systemctl enable --now": SYSTEM, "systemctl edit": SYSTEM,
        "SAYSO_BACKUP_DIR=/srv": SHOWN},
    "docs/operations/cluster.md": {
        "host=db-a,db-b": "./check cluster",
        "install -y postgresql-15 patroni": SYSTEM,
        "postgresql-15-auto-failover": SYSTEM, ":autoctl_node:": RUN_ELSEWHERE,
        "create monitor": "./check cluster", "--name db-a": "./check cluster",
        "ALTER ROLE pgautofailover": "./check cluster",
        "listen 10.0.0.11": "./check cluster"},
    "docs/operations/containers.md": {
        "DATABASE_SECRET": SYSTEM, "10-roles.sql": SYSTEM,
        "compose-env": SYSTEM,
        "kubectl": "there is no cluster; test_manifests.py reads the files"},
    "docs/operations/install.md": {
        "apt-get install": "tests/floors compares it", "systemd-sysusers": SYSTEM,
        "sql/roles.sql": "installed.py runs it", "reload postgresql": SYSTEM,
        "passfile": SHOWN, "sayso.conf.example": SYSTEM,
        "sayso migrate": "installed.py runs it", "/etc/credstore": SYSTEM,
        "log-key rotate": "tests/http/test_log_key.py",
        "site-tls.conf.example": SYSTEM,
        "dpkg-buildpackage": PACKAGE, "install -y ../sayso_": PACKAGE,
        "certbot": "the client is another program; tests/package reads as it does",
        "sayso setup": PACKAGE, "certificate = ": PACKAGE, "worker_rlimit_nofile": SHOWN},
    "docs/operations/problems.md": {
        "log-key retire": "tests/http/test_log_key.py"},
    "docs/operations/running.md": {
        "status=200": SHOWN, '{"time":"': SHOWN, "sign-in at=login": SHOWN, "journalctl": SYSTEM,
        "sayso verify": "tests/http/test_verify.py"},
    "docs/operations/upgrade.md": {"../sayso_": PACKAGE},
    "docs/retention.md": {
        "retention add": "tests/http/test_retention.py",
        "operator disable": "tests/http/test_retention.py"},
    "docs/quickstart.md": {"npm pack": INSTALLS},
    "docs/with/codex.md": {"mcp_servers": CLIENT},
    "docs/with/cursor.md": {"mcpServers": "Cursor cannot be installed"},
    "docs/with/trigger-dev.md": {"api/v1/endpoints": RUN_ELSEWHERE},
    "docs/with/other-languages.md": {
        "using System": "there is no small compiler of C# in Debian",
        "cargo add": "the crates are large; run by hand, as the page says",
        "use serde_json": "the same"},
    "examples/README.md": {
        "refund.sh": "test_examples.py runs the programs",
        "plain_agent.py": "the same", "refund_agent.py": "the same",
        "tool_calls.py": "the same"},
    "templates/README.md": {"SAYSO_SAMPLES": "./check unit compares them"}}


def of(page):
    """The blocks of a page, as (language, text)."""
    return [(language, code) for language, code in
            re.findall(r"(?ms)^ *```(\w*)\n(.*?)^ *```$", page.read_text())]


def named(tree):
    """The page and the words that calls and tuples of a test name. A page
    alone, of blocks(), is all of its blocks in that language."""
    for node in ast.walk(tree):
        parts = node.args if isinstance(node, ast.Call) else \
            node.elts if isinstance(node, ast.Tuple) else ()
        texts = [one.value for one in parts if isinstance(one, ast.Constant)
                 and isinstance(one.value, str) and one.value not in LANGUAGES]
        name = getattr(getattr(node, "func", None), "id", "")
        page = IMPLIED.get(name)
        if name == "block" and parts and isinstance(parts[0], ast.JoinedStr):
            page = "with/*"
        elif texts and texts[0].endswith(".md"):
            page, *texts = texts
        elif name == "block" and len(parts) == 1:
            page = "log.md"
        if page:
            yield page, None if name == "blocks" else [
                word for text in texts for word in text.split(", ")]


def runs():
    """The words that tests name, by page."""
    found = {}
    for file in (TOP / "tests").glob("*/*.py"):
        for page, words in named(ast.parse(file.read_text())):
            for top in ("docs", "docs/with"):
                path = os.path.normpath(f"{top}/{page}")
                found.setdefault(path, []).append(words)
    return found


RUNS = runs()


@pytest.mark.parametrize("page", [str(p.relative_to(TOP)) for p in PAGES])
def test_every_block_is_run(page):
    told = NOT_RUN.get(page, {})
    left = dict(told)
    for language, code in of(TOP / page):
        assert language in LANGUAGES, code
        reasons = [words for words in told if words in code]
        for words in reasons:
            left.pop(words, None)
        words = RUNS.get(page, []) + \
            RUNS.get("docs/with/*", []) * page.startswith("docs/with/")
        is_run = INSTALL.fullmatch(code) or any(
            some is None or any(len(w) > 3 and w in code for w in some)
            for some in words)
        assert reasons or is_run, f"{page}: no test runs\n{code}"
    assert not left, f"{page}: no block has these words"


@pytest.mark.parametrize("page", [str(p.relative_to(TOP)) for p in PAGES])
def test_every_block_is_well_formed(page):
    for language, code in of(TOP / page):
        if language == "sh":
            done = subprocess.run(["bash", "-n"], input=code, text=True,
                                  capture_output=True)
            assert done.returncode == 0, f"{code}{done.stderr}"
        elif language == "python":
            compile(code, page, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT)
        elif language == "json":
            json.loads(code)
        elif language == "toml":
            tomllib.loads(code)


# --- Those that other tests do not run --------------------------------------

# A shell in which an administrator's commands are those of the test's server.
ADMIN = 'sudo() { if [ "$1" = -u ]; then shift 2; fi; "$@"; }\n' \
    'sayso() { var/sayso "$@"; }\n'


def test_the_address_and_the_key(desk):
    code = block("agents.md", "sh", "export SAYSO_URL SAYSO_AGENT_KEY")
    assert ended(desk(f'{code}\necho "$SAYSO_URL"')).startswith("http://127.")


def test_the_numbers_of_an_operator(desk, server):
    """At a socket, which ./start has in place of the port."""
    code = block("operations/running.md", "sh", "/readyz")
    assert "curl -sS http://127.0.0.1:9080" in code
    said = ended(desk(code.replace(
        "-sS", f"-sS --unix-socket {server.socket.parent}/monitor.sock")))
    assert "sayso_build_info" in said


def test_the_first_person_and_key(desk, server):
    code = block("operations/install.md", "sh", "operator create")
    code = code.replace("mara@", f"{kit.new_id()}@").replace(
        "sudo sayso doctor", "")
    key = ended(desk(ADMIN + code)).split()[-1]
    with server.client(headers={"X-API-Key": key}) as client:
        asked = kit.ask(client)
        withdrawn(client, asked)
    assert asked["asked_by"] == "refund-agent"


def test_a_file_is_uploaded(desk, tmp_path):
    shutil.copy(TOP / "docs/inbox.png", tmp_path / "damage.png")
    made, = objects(ended(desk(block("questions.md", "sh", "/artifacts"))))
    assert made["media_type"] == "image/png" and made["ref"]


def test_a_use_of_a_permit(desk, server, operator):
    """The calls of the page, approved and then counted."""
    with server.client("agent", agent="refund-agent") as agent:
        call = {"tool": "shop.refund", "arguments": {
            "order": "12345", "amount": "50.00", "currency": "EUR"}}
        asked = kit.made(agent.post("/api/v1/tool-calls/check", json={
            "task": {"task_id": kit.new_id(), "title": "Refund"},
            "responder": {"mode": "operators"},
            "consequence": "Money leaves the account.",
            "tool_calls": [{"id": "call_1", **call}]}), 202)
        assert kit.answer(operator, {"suspension_id": asked["request_id"]}
                          ).status_code == 200
        read = agent.get(f"/api/v1/suspensions/{asked['request_id']}").json()
    code = block("tool-calls.md", "sh", '"permit_id": "0198..."')
    code = code.replace("0198...", read["permit"]["id"])
    first, again = objects(ended(desk(f"{code}\n{code}")))
    assert first["counted"] and first == again


def test_a_gateway_and_its_tokens(desk, server, operator):
    """From its registration to the use of a token."""
    address = f"https://gw.example/{kit.new_id()}"
    key = ended(desk(ADMIN + block(
        "tool-calls.md", "sh", "sayso resource add").replace(
            "https://gw.example/mcp", address))).split()[-1]
    agent = OAuth(server, "refund-agent", server.env["SAYSO_AGENT_KEY"], Key())
    with server.client("agent", agent="refund-agent") as client:
        asked = kit.made(client.post("/api/v1/authorizations", json={
            "goal": "Refund order 12345", "reasoning": "It arrived broken.",
            "resource": address, "authorization_details": [{
                "type": "tool_call", "tool": "shop.refund",
                "arguments": {"order": "12345"}}]}), 202)
    assert kit.answer(operator, {"suspension_id": asked["request_id"]}
                      ).status_code == 200
    token, = objects(ended(desk(block(
        "tool-calls.md", "sh", "/oauth/token").replace(
            "sar_...", asked["auth_req_id"]),
        proof=agent.fresh().proof())))
    proof = agent.pair.proof(address, token=token["access_token"])
    code = block("tool-calls.md", "sh", "$SAYSO_RESOURCE_KEY")
    for old, new in (("sat_...", token["access_token"]), ("eyJ...", proof),
                     ("https://gw.example/mcp", address)):
        assert old in code
        code = code.replace(old, new)
    used, = objects(ended(desk(code, SAYSO_RESOURCE_KEY=key)))
    assert used["counted"]


HOOKS = [("with/claude-code.md", '"tool_name":"Try"', "claude"),
         ("with/codex.md", '"tool_name":"Try"', "codex"),
         ("with/gemini-cli.md", '"tool_name":"Try"', "gemini"),
         ("with/cursor.md", '"beforeShellExecution","command"', "cursor")]


@pytest.mark.parametrize("page, words, client", HOOKS)
def test_a_hook_is_installed_and_tried(desk, server, tmp_path, page, words,
                                       client):
    """It prints a denial, because nobody has answered, and 0."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "examples").symlink_to(TOP / "examples")
    code = ADMIN + block(page, "sh", "sudo install -m 755") + \
        block(page, "sh", words)
    for old, new in (("/usr/local/bin/", f"{tmp_path}/bin/"),
                     ("URL/", f"{server.url}/"), (" NAME ", " tried-agent ")):
        assert old in code
        code = code.replace(old, new)
    said = ended(desk(code, HOME=str(tmp_path)))
    decision, status = said.strip()[:-1], said.strip()[-1]
    assert status == "0" and "Nobody has answered yet" in said, said
    json.loads(decision)


def test_the_hook_is_installed_alike():
    first = block("clients.md", "sh", "sudo install -m 755")
    assert first == block("with/claude-code.md", "sh", "sudo install -m 755")
    assert first == block("with/codex.md", "sh", "sudo install -m 755")
    assert first == block("with/cursor.md", "sh", "sudo install -m 755")
    assert first == block("with/gemini-cli.md", "sh", "sudo install -m 755")


# --- The packages -----------------------------------------------------------

README = """
import logging, os, sayso
from sayso.testing import FakeServer, approve, deny, silence
said = []
deploy = lambda: print("deployed")
notify = said.append

def run_my_agent(client):
    for n in range(3):
        try:
            client.approve_call("refund", {"order": str(n)}, wait=5)
        except sayso.Denied as no:
            print("denied:", no)
"""
FAKE = """
fake = FakeServer([approve, deny("No."), approve]).__enter__()
os.environ.update(SAYSO_URL=fake.url, SAYSO_AGENT_KEY=fake.key)
"""


def readme(words):
    return block("../clients/python/README.md", "python", words)


def test_the_readme_of_python(desk):
    code = "\n".join([README, FAKE, readme("deploy()"), readme("basicConfig"),
                      readme("import FakeServer"), "print(said)"])
    said = ended(desk(code, language="python"))
    assert said.count("deployed") == 1 and "No." in said, said
    assert "denied" in said and "/suspensions/" in said.splitlines()[-1]


def test_a_real_server_in_the_readme_of_python(desk, server):
    key = server.key("agent", "--agent", "test-agent", "--test")
    code = README.replace("range(3)", "range(2)") + readme("import RealServer")
    said = ended(desk(code, language="python", SAYSO_TEST_KEY=key))
    assert said.count("denied") == 1 and "Too much." in said, said


def test_the_readme_of_typescript_compiles(compiled):
    compiled("async function deploy() {}\n" + block(
        "../clients/typescript/README.md", "ts", "deploy()"))
    begin = """
import assert from "node:assert/strict";
import type { Client } from "sayso-client";
async function runMyAgent(client: Client) { await client.ask("Deploy?"); }
"""
    compiled(begin + block("../clients/typescript/README.md", "ts",
                           "import { approve, deny, FakeServer"))
    compiled('import { approve, deny } from "sayso-client/testing";' + begin +
             block("../clients/typescript/README.md", "ts",
                   "import { RealServer"))
