"""Coding agents that people use, in a home of their own and with a model that
is none. They are large: ./check does without those that it cannot have."""
import json
import os
import pathlib
import subprocess

import fake_model
from asking import decide

BUILD = pathlib.Path(os.environ.get("SAYSO_BUILD", ""))
NODE = BUILD / "node-agents"
MODULES = NODE / "node_modules"
AGENT = "refunds-agent"


def found(pattern):
    """The program of a package, once the package is there as a whole."""
    if not (NODE / "made-of").exists():
        return None
    return next(iter(sorted(MODULES.glob(pattern))), None)


def claude_of(inside=""):
    return found(f"{inside}@anthropic-ai/claude-code-linux-*/claude")


def codex_of(inside=""):
    return found(f"{inside}@openai/codex-linux-*/vendor/*/bin/codex")


CLAUDE, CODEX = claude_of(), codex_of()
GEMINI = found("@google/gemini-cli/bundle/gemini.js")
# The newest, and the oldest that the pages call safe.
VERSIONS = {
    "Claude Code 2.1.332": CLAUDE,
    "Claude Code 2.1.295": claude_of("claude-code-2.1.295/node_modules/"),
    "Claude Code 2.1.197": claude_of("claude-code-2.1.197/node_modules/"),
    "Codex 0.169.0": CODEX,
    "Codex 0.150.0": codex_of("codex-0.150.0/node_modules/"),
    "Gemini CLI 0.61.0": GEMINI,
    "Gemini CLI 0.26.0": found("gemini-cli-0.26.0/dist/index.js")}
# Of the Claude Agent SDK in TypeScript.
CLAUDE_SDKS = {
    "Claude Agent SDK 0.3.332": found("@anthropic-ai/claude-agent-sdk/sdk.mjs"),
    "Claude Agent SDK 0.3.317": found("claude-agent-sdk-0.3.317/sdk.mjs")}
MISSING = [name for name, program in {**VERSIONS, **CLAUDE_SDKS}.items()
           if not program]


def ended(program, *options, cwd, **env):
    """The output of a program. It gets nothing of the environment but the path."""
    done = subprocess.run(
        [program, *map(str, options)], cwd=cwd, text=True, timeout=240,
        stdin=subprocess.DEVNULL, capture_output=True,
        env={"PATH": os.environ["PATH"], **env})
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


MODEL = "?tools=model"  # of the address whose list is for models


class Claude:
    """`hook`: one for PreToolUse. `allow`: the rules of what runs unasked.
    `tools`: the query of the address of the MCP server."""

    def __init__(self, server, home, hook=None, allow=("Bash",), tools=""):
        self.server, self.home = server, home
        settings = {"permissions": {"allow": [*allow, "mcp__sayso"]}}
        if hook:
            settings["hooks"] = {"PreToolUse": [
                {"matcher": "Bash", "hooks": [hook]}]}
        self.settings = home / "settings.json"
        self.settings.write_text(json.dumps(settings))
        self.servers = home / "servers.json"
        self.servers.write_text(json.dumps({"mcpServers": {"sayso": {
            "type": "http", "url": f"{server.url}/mcp{tools}",
            "timeout": 120000,
            "headers": {"X-Agent-ID": AGENT, "Authorization":
                        "Bearer ${SAYSO_AGENT_KEY}"}}}}))

    def run(self, model, *options):
        """One turn, or the rest of one; what it says of it."""
        prompt = [] if "--resume" in options else ["go"]
        text = ended(
            CLAUDE, "-p", *prompt, *options, "--output-format", "json",
            "--settings", self.settings, "--mcp-config", self.servers,
            "--strict-mcp-config", cwd=self.home, HOME=str(self.home),
            ANTHROPIC_BASE_URL=model, ANTHROPIC_API_KEY="none",
            SAYSO_AGENT_KEY=self.server.env["SAYSO_AGENT_KEY"],
            DISABLE_AUTOUPDATER="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")
        return json.loads(text)


CODEX_SHELL = {"shell": "exec_command", "argument": "cmd"}
CODEX_CONFIG = """model = "fake"
model_provider = "fake"
[model_providers.fake]
name = "fake"
base_url = "{model}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
[mcp_servers.sayso]
url = "{url}/mcp{tools}"
bearer_token_env_var = "SAYSO_AGENT_KEY"
http_headers = {{ "X-Agent-ID" = "{agent}" }}
tool_timeout_sec = 120
"""


class Codex:
    """`hook`: one for PreToolUse. Its home must not be a temporary one."""

    def __init__(self, server, home, hook=None, tools=""):
        self.server, self.home, self.tools = server, home, tools
        if hook:
            (home / "hooks.json").write_text(json.dumps({"hooks": {
                "PreToolUse": [{"matcher": "Bash", "hooks": [hook]}]}}))

    def run(self, model):
        (self.home / "config.toml").write_text(CODEX_CONFIG.format(
            model=model, url=self.server.url, tools=self.tools, agent=AGENT))
        return ended(
            CODEX, "exec", "--skip-git-repo-check", "--sandbox",
            "danger-full-access", "--dangerously-bypass-hook-trust", "go",
            cwd=self.home, HOME=str(self.home), CODEX_HOME=str(self.home),
            FAKE_KEY="none",
            SAYSO_AGENT_KEY=self.server.env["SAYSO_AGENT_KEY"])


# --- Ways into us ---------------------------------------------------------

def claude_hook(server, query):
    return {"type": "http", "url": f"{server.url}/hooks/claude?{query}",
            "timeout": 600, "onFailure": "block",
            "allowedEnvVars": ["SAYSO_AGENT_KEY"],
            "headers": {"Authorization": "Bearer $SAYSO_AGENT_KEY",
                        "X-Agent-ID": AGENT}}


def mcp_hook(seconds):
    names = ("hook_event_name", "tool_name", "tool_input", "session_id",
             "tool_use_id")
    return {"type": "mcp_tool", "server": "sayso", "tool": "hook",
            "timeout": 600, "onFailure": "block", "input": {
                **{name: f"${{{name}}}" for name in names},
                "hold_seconds": seconds}}


def command_hook(server, home, query):
    """The example's, with its key in a file of the home."""
    key = home / ".sayso-hook"
    key.write_text(f"""header = "Authorization: Bearer {
        server.env['SAYSO_AGENT_KEY']}"\nheader = "X-Agent-ID: {AGENT}"\n""")
    key.chmod(0o600)
    program = pathlib.Path(__file__).resolve().parents[2] / \
        "examples/sayso-hook"
    return {"type": "command", "timeout": 60, "command":
            f"{program} '{server.url}/hooks/codex?{query}'"}


class Case:
    """A client whose model wants one command to run, which leaves a file.
    `asks`: the model itself asks first, and nothing else does."""

    def __init__(self, client, *options, asks=None, shell="Bash",
                 argument="command"):
        self.client, self.options, self.asks = client, options, asks
        self.file = client.home / "ran"
        self.command = f"echo once >> {self.file}"
        self.shell = shell, {argument: self.command}
        self.told = None  # by the client, at its end

    def plan(self, heard):
        if not self.asks:
            return None if heard else self.shell
        tool, more = self.asks
        if not heard:
            return tool, {"action": "Bash", "target": "a file",
                          "scope_summary": "One line in it", **more,
                          "arguments": {"command": self.command}}
        yes = '"outcome":"authorized"' in heard[0].replace(" ", "")
        return self.shell if yes and len(heard) == 1 else None

    def run(self, *options):
        """The results of its tools, as the model was told them."""
        with fake_model.running(self.plan) as (model, url):
            self.told = self.client.run(url, *self.options, *options)
        return model.heard

    def decide(self, operator, value, **more):
        return decide(operator, "Run Bash?", value,
                      call={"command": self.command}, **more)


def claude(server, home, query):
    return Case(Claude(server, home, claude_hook(server, query)))


def codex(server, home, query):
    return Case(Codex(server, home, command_hook(server, home, query)),
                **CODEX_SHELL)


def ways(server, home, seconds, **more):
    """A function that makes a case, for each way of the clients that are
    there. A person has so many seconds; `more` is for the model that asks."""
    prompt = "--permission-prompt-tool", "mcp__sayso__permission_prompt"
    tool = "request_approval"
    of_claude = {
        "claude hook": lambda: claude(server, home, f"hold={seconds}"),
        "claude mcp_tool": lambda: Case(
            Claude(server, home, mcp_hook(seconds))),
        "claude prompt": lambda: Case(
            Claude(server, home, allow=()), *prompt),
        "claude asks": lambda: Case(
            Claude(server, home, tools=MODEL),
            asks=(f"mcp__sayso__{tool}", more))}
    of_codex = {
        "codex hook": lambda: codex(server, home, f"hold={seconds}"),
        "codex mcp_tool": lambda: Case(
            Codex(server, home, mcp_hook(seconds)), **CODEX_SHELL),
        "codex asks": lambda: Case(
            Codex(server, home, tools=MODEL),
            asks=(f"mcp__sayso::{tool}", more),
            **CODEX_SHELL)}
    return {**(of_claude if CLAUDE else {}), **(of_codex if CODEX else {})}
