"""Titles of tool calls, in the server's words: on the list, on the page, and in
messages that may show arguments."""
import html
import re

import pytest
from kit import new_id
from test_endpoints import told

route = pytest.mark.route
HOOK = "POST /hooks/{client}"

PATCH = """*** Begin Patch
*** Update File: src/cart.ts
@@
-a
+b
*** Delete File: src/old.ts
*** End Patch"""

CALLS = {
    "bash": ("claude", "Bash", {"command": "rm -rf build && make"},
             "Run `rm -rf build && make`"),
    "edit": ("claude", "Edit", {
        "file_path": "src/cart.ts", "old_string": "a\nb\n",
        "new_string": "a\nc\n"},
             "Edit src/cart.ts (+1 -1)"),
    "patch": ("codex", "apply_patch", {"command": PATCH},
              "Patch 2 files, 1 deleted (+1 -1): src/cart.ts, src/old.ts"),
    "shell": ("codex", "shell", {"command": ["bash", "-lc", "ls; id"]},
              "Run `ls; id`"),
    "gemini": ("gemini", "run_shell_command", {"command": "ls\nid"},
               "Run `ls \u21b5 id`"),
    "fetch": ("claude", "WebFetch", {"url": "https://example.com/a",
                                     "prompt": "Is it safe?"},
              "Fetch example.com/a"),
    "mcp": ("cursor", "mcp__fs__delete",
            {"path": "/srv/\u202etxt", "all": True},
            'Run mcp__fs__delete: "/srv/[U+202E]txt" with all'),
}
EVENTS = {"claude": "PreToolUse", "codex": "PreToolUse",
          "gemini": "BeforeTool", "cursor": "beforeMCPExecution"}


@pytest.fixture(scope="module")
def reader(person):
    return person().client


def hook(agent, operator, client, tool, args):
    """The question about a call."""
    cwd = f"/srv/{new_id()}"
    r = agent.post(f"/hooks/{client}", params={"hold": 0}, json={
        "session_id": new_id(), "conversation_id": new_id(), "cwd": cwd,
        "hook_event_name": EVENTS[client], "tool_name": tool,
        "tool_input": args, "tool_use_id": new_id()})
    assert r.status_code == 200, r.text
    rows = operator.get("/api/v1/suspensions", params={
        "state": "pending", "limit": 100}).json()["suspensions"]
    return next(s for s in rows if cwd in (s["explanation"] or ""))


def words(text):
    """A command is shown as code, without its marks."""
    return html.unescape(re.sub("<[^>]*>", "", re.sub(
        "</?code[^>]*>", "`", text)))


def row_of(reader, question):
    page = reader.get("/inbox",
                      params={"q": question["suspension_id"]}).text
    link = re.search(rf'<a class="title" href="/suspensions/'
                     rf'{question["suspension_id"]}"[^>]*>(.*?)</a>', page)
    return words(link[1])


def heading(page):
    return words(re.search("<h1[^>]*>(.*?)</h1>", page)[1])


@route(HOOK)
@pytest.mark.parametrize("case", CALLS)
def test_the_title_says_what_is_done(agent, operator, reader, case):
    client, tool, args, title = CALLS[case]
    question = hook(agent, operator, client, tool, args)
    assert question["title"] == title
    assert question["question"] == f"Run {tool}?"
    assert row_of(reader, question) == title
    page = reader.get(f"/suspensions/{question['suspension_id']}").text
    assert heading(page) == title
    assert title in html.unescape(re.search("<title>(.*?)</title>", page)[1])
    assert f"Run {tool}?" not in page


@route(HOOK)
def test_a_long_command_says_that_it_goes_on(agent, operator, reader):
    command = "make " + "x" * 300 + "; rm -rf /"
    question = hook(agent, operator, "claude", "Bash", {"command": command})
    said = row_of(reader, question)
    assert said.startswith("Run `make xxx")
    assert said.endswith("` \u2026 215 more characters")
    page = reader.get(f"/suspensions/{question['suspension_id']}").text
    assert command in html.unescape(page)


@route(HOOK)
def test_arguments_go_where_a_channel_shows_them(agent, operator, server,
                                                 channel):
    made = {detail: channel("slack", f"c-{new_id()}", detail=detail,
                            every=True)
            for detail in ("title", "summary", "all")}
    hook(agent, operator, "claude", "Bash", {"command": "ls"})
    for detail, endpoint in made.items():
        (_, _, body, _), = told(server, endpoint)
        assert body["data"]["title"] == (
            "Run `ls`" if detail == "all" else "Run Bash?")
        assert ("calls" in body["data"]) == (detail == "all")
        if detail == "all":
            assert body["data"]["calls"] == [
                {"tool": "Bash", "left": 0,
                 "arguments": [{"name": "command", "value": "ls"}]}]


@route("POST /api/v1/tool-calls/check")
@pytest.mark.parametrize("calls, title", [
    ([("Bash", {"command": "make"}), ("shop.refund", {"order": "1"})],
     "2 calls: Run `make`; Run shop.refund"),
    ([("shop.refund", {"order": "1"})], "The agent's words"),
])
def test_the_words_of_an_agent_are_no_title_of_a_known_tool(
        agent, operator, calls, title):
    r = agent.post("/api/v1/tool-calls/check", json={
        "task": {"task_id": new_id(), "title": "The agent's words"},
        "responder": {"mode": "operators"},
        "tool_calls": [{"id": f"c{i}", "tool": tool, "arguments": args}
                       for i, (tool, args) in enumerate(calls)]})
    assert r.status_code == 202, r.text
    question = operator.get(
        f"/api/v1/suspensions/{r.json()['request_id']}").json()
    assert question["title"] == title
