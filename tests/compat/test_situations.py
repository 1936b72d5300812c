"""The pages of coding agents as they are printed, with the clients themselves,
in every situation between a press and the run of a tool: approved, refused,
silence, a wrong key, no key, the hook missing, the server away. The tool runs
once, after the yes, and never else.

A client whose key can change runs once: its model wants one command after the
other, and what is between it and the server changes before each of them. The
model is none, and the server is the real one."""
import concurrent.futures
import http.server
import json
import os
import shutil
import subprocess
import threading

import fake_model
import httpx
import kit
import pytest
from coding_agents import AGENT, BUILD, CODEX_CONFIG, VERSIONS
from documents import TOP, block, blocks

HOOK = "/usr/local/bin/sayso-hook"
ALL = ["approved", "refused", "silence", "wrong key", "no key", "hook missing",
       "server away"]


class Way(http.server.BaseHTTPRequestHandler):
    """The way to the server: a question waits as long as the situation says."""

    def do_POST(self):
        way, body = self.server, self.rfile.read(
            int(self.headers["Content-Length"]))
        kept = {name: self.headers[name] for name in (
            "Authorization", "X-Agent-ID", "Content-Type")
            if name in self.headers}
        place = self.path.partition("?")[0]
        way.asked.append(self.headers.get("Authorization"))
        r = httpx.post(f"{way.to}{place}", content=body, headers=kept,
                       params={"hold": way.hold}, timeout=120)
        self.send_response(r.status_code)
        for name in ("Content-Type", "Sayso-Decision"):
            if name in r.headers:
                self.send_header(name, r.headers[name])
        self.send_header("Content-Length", str(len(r.content)))
        self.end_headers()
        self.wfile.write(r.content)

    def log_message(self, *args):
        pass


class Between(http.server.ThreadingHTTPServer):
    def __init__(self, server):
        super().__init__(("127.0.0.1", 0), Way)
        self.to, self.hold, self.asked = server.url, 60, []
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.thread = threading.Thread(target=self.serve_forever)
        self.thread.start()

    def leave(self):
        if self.thread:
            self.shutdown()
            self.server_close()
            self.thread.join()
            self.thread = None


class Run:
    """One run of a client, in the situations that are named."""

    def __init__(self, server, operator, home, key):
        self.operator, self.home = operator, home
        self.between = Between(server)
        self.key = key
        self.file, self.hook = home / "ran", home / "sayso-hook"
        shutil.copy(TOP / "examples/sayso-hook", self.hook)
        self.keep(key)
        self.ways = {"silence": lambda: setattr(self.between, "hold", 1),
                     "wrong key": lambda: self.keep("sayso_wrong"),
                     "no key": lambda: (home / ".sayso-hook").unlink(),
                     "hook missing": self.hook.unlink,
                     "server away": self.away}

    def keep(self, key):
        """As the page says it: the lines of the file are of its printf."""
        (self.home / ".sayso-hook").write_text(
            f'header = "Authorization: Bearer {key}"\n'
            f'header = "X-Agent-ID: {AGENT}"\n')

    def away(self):
        shutil.copy(TOP / "examples/sayso-hook", self.hook)
        self.keep(self.key)
        self.between.leave()

    def printed(self, document, language, words):
        """A block of a page, with the places and names of this run."""
        text, = [b for b in blocks(f"with/{document}", language) if words in b]
        assert "URL" in text
        return (text.replace("URL", self.between.url).replace("NAME", AGENT)
                .replace(HOOK, str(self.hook)))

    def decide(self, command, value):
        def look():
            rows = self.operator.get("/api/v1/suspensions", params={
                "state": "pending", "limit": 100}).json()["suspensions"]
            return [s for s in rows if command in json.dumps(s["subject"])]
        question = kit.wait_for(look, 120)[0]
        r = kit.answer(self.operator, question, value, reason="Not here.")
        assert r.status_code == 200, r.text

    def of(self, client, situations, shell):
        """The situations, of these, in which the tool ran."""
        commands = {s: f"echo {s} >> {self.file}" for s in situations}
        done = []
        with concurrent.futures.ThreadPoolExecutor(1) as person:
            def plan(heard):
                if len(heard) == len(situations):
                    return None
                now = situations[len(heard)]
                if now not in done:
                    done.append(now)
                    self.ways.get(now, lambda: None)()
                    value = {"approved": "approve", "refused": "reject"}.get(
                        now)
                    if value:
                        answers.append(person.submit(
                            self.decide, commands[now], value))
                name, argument = shell
                return name, {argument: commands[now]}
            answers = []
            with fake_model.running(plan) as (model, url):
                client(url)
            for one in answers:
                one.result(10)
        assert done == situations, done
        assert len(model.heard) == len(situations), model.heard
        return self.file.read_text().split("\n")[:-1] if self.file.exists() \
            else []


def ended(program, *options, home, **env):
    # Exit statuses differ where a tool was blocked; what ran is what counts.
    return subprocess.run(
        [*program, *map(str, options)], cwd=home, text=True, timeout=240,
        stdin=subprocess.DEVNULL, capture_output=True,
        env={"PATH": os.environ["PATH"], "HOME": str(home), "TERM": "dumb",
             **env})


# --- The clients ------------------------------------------------------------

def claude(program, run, situations, *options, settings, key):
    """The page's settings, and the key in the environment."""
    (run.home / "settings.json").write_text(settings)

    def client(model):
        ended([program], "-p", "go", "--settings", run.home / "settings.json",
              "--allowedTools", "Bash", *options, home=run.home,
              ANTHROPIC_BASE_URL=model, ANTHROPIC_API_KEY="none",
              DISABLE_AUTOUPDATER="1",
              CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1",
              **({"SAYSO_AGENT_KEY": key} if key else {}))
    return run.of(client, situations, ("Bash", "command"))


def key_of(run, situations):
    """The key is read once: such a situation is the only one of its run."""
    return {"wrong key": "sayso_wrong", "no key": None}.get(situations[0],
                                                            run.key)


def claude_command(program, run, situations):
    return claude(program, run, situations, key=None, settings=run.printed(
        "claude-code.md", "json", '"type": "command"'))


def claude_http(program, run, situations):
    return claude(program, run, situations, key=key_of(run, situations),
                  settings=run.printed("claude-code.md", "json",
                                       '"url": "URL/hooks/claude"'))


def claude_mcp_tool(program, run, situations):
    """Held as long as the hook says, so a silence has a hook of its own."""
    settings, = [b for b in blocks("with/claude-code.md", "json")
                 if "mcp_tool" in b]
    if situations == ["silence"]:
        settings = settings.replace("540", "1")
    servers = run.printed("claude-code.md", "json", '"url": "URL/mcp"')
    if situations == ["server away"]:
        run.between.leave()
    else:
        servers = servers.replace(run.between.url, run.between.to)
    (run.home / "servers.json").write_text(servers)
    return claude(program, run, situations, "--strict-mcp-config",
                  "--mcp-config", run.home / "servers.json",
                  settings=settings, key=key_of(run, situations))


def codex(program, run, situations):
    page = run.printed("codex.md", "toml", "hooks.PreToolUse")

    def client(model):
        (run.home / "config.toml").write_text(CODEX_CONFIG.format(
            model=model, url=run.between.url, tools="", agent=AGENT)
            .partition("[mcp_servers")[0] + page)
        ended([program], "exec", "--skip-git-repo-check", "--sandbox",
              "danger-full-access", "--dangerously-bypass-hook-trust", "go",
              home=run.home, CODEX_HOME=str(run.home), FAKE_KEY="none")
    return run.of(client, situations, ("exec_command", "cmd"))


def gemini(program, run, situations):
    page = json.loads(run.printed("gemini-cli.md", "json", "BeforeTool"))
    (run.home / ".gemini").mkdir()
    (run.home / ".gemini/settings.json").write_text(json.dumps({
        **page, "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"disableAutoUpdate": True}}))

    def client(model):
        ended(["node", program], "--model", "gemini-2.5-flash", "--yolo",
              "--prompt", "go", home=run.home, GEMINI_API_KEY="none",
              GOOGLE_GEMINI_BASE_URL=model,
              GEMINI_CLI_TRUST_WORKSPACE="true")
    return run.of(client, situations, ("run_shell_command", "command"))


# --- The runs ---------------------------------------------------------------

HTTP = [["approved", "refused", "silence", "server away"], ["wrong key"],
        ["no key"]]
MCP = [["approved", "refused"], ["silence"], ["wrong key"], ["no key"],
       ["server away"]]
# The newest version, and the oldest that the page calls safe.
WAYS = [(claude_command, "Claude Code 2.1.332", [ALL]),
        (claude_command, "Claude Code 2.1.197", [ALL]),
        (claude_http, "Claude Code 2.1.332", HTTP),
        (claude_http, "Claude Code 2.1.295", HTTP),
        (claude_mcp_tool, "Claude Code 2.1.332", MCP),
        (codex, "Codex 0.169.0", [ALL]), (codex, "Codex 0.150.0", [ALL]),
        (gemini, "Gemini CLI 0.61.0", [ALL]),
        (gemini, "Gemini CLI 0.26.0", [ALL])]
CASES = {f"{way.__name__} {version} {', '.join(situations)}":
         (way, VERSIONS[version], situations)
         for way, version, runs in WAYS for situations in runs
         if VERSIONS[version]}


@pytest.fixture(scope="module")
def came_of(request, server, operator):
    """The result of each case, as a future. The clients wait more than they work: some of
    them run at a time."""
    def one(way, program, situations):
        home = BUILD / f"agent-{kit.new_id()}"
        home.mkdir()
        run = Run(server, operator, home, server.env["SAYSO_AGENT_KEY"])
        try:
            return way(program, run, situations)
        finally:
            run.between.leave()
            shutil.rmtree(home, ignore_errors=True)

    wanted = [item.callspec.params["case"] for item in request.session.items
              if "came_of" in item.fixturenames]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        yield {case: pool.submit(one, *CASES[case]) for case in wanted}


@pytest.mark.parametrize("case", CASES)
def test_a_tool_runs_after_a_yes_alone(came_of, case):
    expected = ["approved"] if "approved" in CASES[case][2] else []
    assert came_of[case].result() == expected


def test_the_pages_name_the_versions_that_are_tested():
    for way, version, _ in WAYS:
        name, _, number = version.rpartition(" ")
        page = {"Claude Code": "claude-code.md", "Codex": "codex.md",
                "Gemini CLI": "gemini-cli.md"}[name]
        first = (TOP / "docs/with" / page).read_text().split("\n\n")[1]
        assert first.startswith("**Which versions are safe.**")
        assert number in first, page


@pytest.mark.parametrize("version", [v for v, program in VERSIONS.items()
                                     if program and v == "Gemini CLI 0.61.0"])
def test_the_key_of_an_mcp_server_is_in_the_environment(server, home, version):
    """And in no file: the page's lines, and what Gemini CLI says of the
    server."""
    lines = block("with/gemini-cli.md", "json", "mcpServers")
    (home / ".gemini").mkdir()
    (home / ".gemini/settings.json").write_text(
        lines.replace("URL", server.url).replace("NAME", AGENT))

    def listed(key):
        done = ended(["node", VERSIONS[version]], "mcp", "list", home=home,
                     SAYSO_AGENT_KEY=key, GEMINI_CLI_TRUST_WORKSPACE="true")
        return done.stdout + done.stderr
    assert "- Connected" in listed(server.env["SAYSO_AGENT_KEY"])
    assert "- Disconnected" in listed("sayso_wrong")
