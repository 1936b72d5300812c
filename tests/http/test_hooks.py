"""The hooks of coding agents: each client asks before a tool runs, and gets the
answer in its own form. Nothing but a yes is told as one."""
import concurrent.futures
import html
import json
import re

import kit
import pytest
from kit import new_id, refused, wait_for
from test_mcp import ERAS, call, modern, respond
from test_tool_calls import rule

route = pytest.mark.route
HOOK = "POST /hooks/{client}"


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        yield threads


def event(name, tool, **more):
    return {"session_id": f"s-{new_id()}", "transcript_path": "/x.jsonl",
            "cwd": "/srv/shop", "permission_mode": "default",
            "hook_event_name": name, "tool_name": tool,
            "tool_input": {"command": "rm -r build", "n": 1.50},
            "tool_use_id": f"toolu_{new_id()}", **more}


def post(agent, client, body, **query):
    r = agent.post(f"/hooks/{client}", json=body, params=query)
    assert r.status_code == 200, r.text
    assert r.headers["Sayso-Decision"] in ("allow", "ask", "defer", "deny")
    # An empty object is a yes for Codex alone, and nothing else is one to it.
    assert (r.json() == {}) == (
        client == "codex" and body["hook_event_name"] == "PreToolUse"
        and r.headers["Sayso-Decision"] == "allow")
    return r.json()


def asked(operator, tool):
    def look():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending", "limit": 100}).json()
        return [s for s in rows["suspensions"]
                if s["question"] == f"Run {tool}?"]
    return wait_for(look)[0]


def tool_name():
    return f"Bash_{new_id()[:13]}"


# The client, the event, and how its answer says a word and why.
def pre_tool(body):
    if body == {}:
        return "allow", "to Codex"
    o = body["hookSpecificOutput"]
    assert o["hookEventName"] == "PreToolUse"
    return o["permissionDecision"], o["permissionDecisionReason"]


def permission(body):
    o = body["hookSpecificOutput"]
    assert o["hookEventName"] == "PermissionRequest"
    d = o["decision"]
    return d["behavior"], d.get("message")


def gemini(body):
    return body["decision"], body["reason"]


def cursor(body):
    assert body["user_message"] == body["agent_message"]
    return body["permission"], body["user_message"]


WAYS = {"claude": ("claude", "PreToolUse", pre_tool),
        "claude permission": ("claude", "PermissionRequest", permission),
        "codex": ("codex", "PreToolUse", pre_tool),
        "codex permission": ("codex", "PermissionRequest", permission),
        "gemini": ("gemini", "BeforeTool", gemini),
        "cursor": ("cursor", "beforeMCPExecution", cursor),
        "cursor tool": ("cursor", "preToolUse", cursor)}


@pytest.fixture(params=WAYS)
def way(request):
    return WAYS[request.param]


@route(HOOK)
@pytest.mark.parametrize("value, word", [("approve", "allow"),
                                         ("reject", "deny")])
def test_a_person_decides(agent, operator, pool, way, value, word):
    client, name, read = way
    tool = tool_name()
    sent = event(name, tool)
    if client == "cursor":  # its input is a text
        sent["tool_input"] = json.dumps(sent["tool_input"])
    waits = pool.submit(post, agent, client, sent)
    question = asked(operator, tool)
    assert not waits.done()
    assert question["kind"] == "approval"
    assert question["subject"]["calls"] == [
        {"tool": tool, "args": {"command": "rm -r build", "n": 1.5}}]
    assert "/srv/shop" in question["explanation"]
    intent = operator.get(f"/api/v1/intents/{question['intent_id']}").json()
    assert intent["session_id"] == sent["session_id"]
    respond(operator, question, value)
    said, why = read(waits.result(20))
    assert said == word
    assert why or (word == "allow" and read is permission)
    if name == "PermissionRequest":
        return
    # The same call again: the same answer, and no new question.
    assert read(post(agent, client, sent)) == (said, why)


@route(HOOK)
def test_nobody_answers_is_no(agent, operator, way):
    client, name, read = way
    tool = tool_name()
    said, why = read(post(agent, client, event(name, tool), hold=0))
    assert said == "deny" and "Nobody has answered yet" in why
    assert asked(operator, tool)["suspension_id"] in why


@route(HOOK)
def test_a_command_of_a_shell_is_asked_about(agent, operator, pool):
    command = f"make deploy-{new_id()}"
    waits = pool.submit(post, agent, "cursor", {
        "hook_event_name": "beforeShellExecution", "command": command,
        "cwd": "/x", "conversation_id": "c1", "generation_id": "g1"})

    def look():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending", "limit": 100}).json()
        return [s for s in rows["suspensions"] if s["subject"].get("calls")
                == [{"tool": "Shell", "args": {"command": command}}]]
    respond(operator, wait_for(look)[0], "approve")
    assert cursor(waits.result(20))[0] == "allow"


@route(HOOK)
@pytest.mark.parametrize("given, target", [
    ({"file_path": "/srv/a.c", "content": "x"}, "/srv/a.c"),
    ({"url": "https://example.com/", "prompt": "x"}, "https://example.com/"),
    ({"command": "make all"}, "make all"),
    ({"command": "\nmake\nrm -r build"}, "make ... (16 characters)"),
    ({"command": "é" * 300}, "é" * 200 + " ... (300 characters)"),
    ({"command": ["make"]}, "/srv/shop"), ({"path": " "}, "/srv/shop")])
def test_the_question_says_what_it_is_done_to(agent, operator, given, target):
    tool = tool_name()
    post(agent, "claude", event("PreToolUse", tool, tool_input=given), hold=0)
    subject = asked(operator, tool)["subject"]
    assert subject["target"] == target
    assert subject["action"] == {"name": tool, "provider": "Claude Code"}
    assert subject["calls"] == [{"tool": tool, "args": given}]


@route(HOOK)
def test_late_is_the_clients_wish(agent, operator):
    for late, word in (("ask", "ask"), ("defer", "defer"), ("deny", "deny")):
        tool = tool_name()
        sent = event("PreToolUse", tool)
        query = {"late": late, **({} if late == "defer" else {"hold": 0})}
        assert pre_tool(post(agent, "claude", sent, **query))[0] == word
        # Another event has no such word.
        other = post(agent, "claude", event("PermissionRequest", tool_name()),
                     hold=0, late=late)
        assert permission(other)[0] == "deny"
        # Resumed, the same call finds the answer.
        respond(operator, asked(operator, tool), "approve")
        assert pre_tool(post(agent, "claude", sent, **query))[0] == "allow"


@route(HOOK)
@pytest.mark.parametrize("client", ["codex", "gemini", "cursor"])
@pytest.mark.parametrize("late", ["ask", "defer"])
def test_a_word_that_a_client_does_not_know(agent, operator, client, late):
    """It would run the tool: nobody is asked, and nothing is answered."""
    tool = tool_name()
    _, name, read = WAYS[client]
    r = agent.post(f"/hooks/{client}", params={"late": late},
                   json=event(name, tool))
    refused(r, 400, "request.query", "late")
    assert "Sayso-Decision" not in r.headers
    assert open_of(operator, tool) == []
    said = post(agent, client, event(name, tool), hold=0, late="deny")
    assert read(said)[0] == "deny"


@route(HOOK)
def test_a_yes_to_codex(agent, operator):
    """It calls a hook failed that says "allow"."""
    sent = event("PreToolUse", tool_name())
    post(agent, "codex", sent, hold=0)
    respond(operator, asked(operator, sent["tool_name"]), "approve")
    assert post(agent, "codex", sent) == {}
    assert pre_tool(post(agent, "claude", sent))[1] != "to Codex"


@route(HOOK)
def test_a_permission_request_is_asked_each_time(agent, operator, pool):
    """It has no id of the call: a yes of before is not handed out again."""
    tool = tool_name()
    sent = event("PermissionRequest", tool)
    del sent["tool_use_id"]
    ids = set()
    for _ in range(2):
        waits = pool.submit(post, agent, "claude", sent)
        question = asked(operator, tool)
        ids.add(question["suspension_id"])
        respond(operator, question, "approve")
        assert permission(waits.result(20))[0] == "allow"
    assert len(ids) == 2


@route(HOOK)
def test_other_arguments_gain_nothing(agent, operator, pool):
    """The id of an approved call, with another command."""
    tool = tool_name()
    sent = event("PreToolUse", tool)
    waits = pool.submit(post, agent, "claude", sent)
    respond(operator, asked(operator, tool), "approve")
    assert pre_tool(waits.result(20))[0] == "allow"
    sent["tool_input"]["command"] = "rm -r /"
    assert pre_tool(post(agent, "claude", sent, hold=0))[0] == "deny"
    question = asked(operator, tool)
    assert question["subject"]["calls"][0]["args"]["command"] == "rm -r /"


# --- Words that are too long for a question -------------------------------

LONG = {"tool_use_id": "t" * 201, "session_id": "\u00e9" * 201, "cwd":
        "/srv/" + "d" * 1000, "tool_name": "mcp__shop__" + "n" * 200}


@route(HOOK)
@pytest.mark.parametrize("member", LONG)
@pytest.mark.parametrize("way", WAYS)
def test_long_words_are_asked_about(agent, operator, way, member):
    """Of two that differ behind their heads, each is its own."""
    client, name, read = WAYS[way]
    command = f"make {new_id()}"
    sent = event(name, tool_name(), tool_input={"command": command})
    sent[member] = LONG[member] + new_id()
    other = {**sent, member: LONG[member] + new_id()}
    assert read(post(agent, client, sent, hold=0))[0] == "deny"
    [question] = of_command(operator, command)
    if member == "cwd":
        assert sent["cwd"] in question["explanation"]
    if member == "tool_name":
        assert sent["tool_name"] in question["explanation"]
        assert question["subject"]["calls"][0]["tool"].startswith("mcp__shop")
    respond(operator, question, "approve")
    if name == "PermissionRequest":
        return
    assert read(post(agent, client, sent, hold=0))[0] == "allow"
    if member != "cwd":
        assert read(post(agent, client, other, hold=0))[0] == "deny"


ODD = ["a b", "a\u00a0b", "a\tb", "a\u200bb", "a\u202eb", "a\nb", " "]


@route(HOOK)
@pytest.mark.parametrize("odd", ODD)
def test_odd_names_are_asked_about(agent, operator, odd):
    """A person reads the name as it is; no two of them are the same tool."""
    command = f"make {new_id()}"
    sent = event("PreToolUse", odd, tool_input={"command": command})
    assert pre_tool(post(agent, "claude", sent, hold=0))[0] == "deny"
    [question] = of_command(operator, command)
    assert f"The whole name of the tool: {odd}" in question["explanation"]
    shown = question["subject"]["calls"][0]["tool"]
    assert shown.startswith(re.sub(r"[^ab]", "_", odd) + "\u2026")
    respond(operator, question, "approve")
    for other in ["a_b", shown, *ODD]:
        if other != odd:
            another = {**sent, "tool_name": other}
            assert pre_tool(post(agent, "claude", another, hold=0))[0] == "deny"
    assert pre_tool(post(agent, "claude", sent, hold=0))[0] == "allow"


@route(HOOK)
def test_rules_see_an_odd_name_whole(agent, server, no_rules):
    rule(server, 1, "a\u200bb", "deny", reason="Never here.")
    rule(server, 2, "*", "allow")
    for name, word in [("a_b", "allow"), ("a b", "deny"), ("a\u200bb", "deny")]:
        said, why = pre_tool(post(agent, "claude", event("PreToolUse", name),
                                  hold=0))
        assert said == word, name
        assert (why == "Never here.") == (name == "a\u200bb"), why


def nested(depth):
    return {"a": nested(depth - 1)} if depth else {}


WRONG = {"224 kB": {"content": "x" * 230_000},
         "too deep": nested(29),
         "more digits than a double": {"n": "0.1234567890123456789"},
         "1 to 200 visible characters": None}


@route(HOOK)
@pytest.mark.parametrize("said", WRONG)
def test_what_cannot_be_shown_is_no(agent, operator, way, said):
    """And the client hears why, as a decision: an error would be a hook that
    fails, after which some of them go on."""
    client, name, read = way
    given, tool = WRONG[said], tool_name()
    sent = json.dumps(event(name, tool if given else "", tool_input=given or {}))
    r = agent.post(f"/hooks/{client}", params={"hold": 0}, headers={
        "Content-Type": "application/json"}, content=re.sub(
            r'"(0\.[0-9]+)"', r"\1", sent))
    word, why = read(r.json())
    assert word == r.headers["Sayso-Decision"] == "deny"
    assert said in why and "Nobody was asked." in why
    rows = operator.get("/api/v1/suspensions", params={
        "state": "pending", "limit": 100}).json()["suspensions"]
    assert not given or not [s for s in rows if tool in s["question"]]


def of_command(operator, command):
    rows = operator.get("/api/v1/suspensions",
                        params={"state": "pending", "limit": 100}).json()
    return [s for s in rows["suspensions"] if s["subject"].get("calls", [{}])
            [0].get("args", {}).get("command") == command]


@pytest.fixture(scope="module")
def reader(person):
    return person()


@route(HOOK)
@pytest.mark.parametrize("kilobytes", [70, 200])
def test_a_large_file_is_asked_about(agent, operator, reader, kilobytes):
    """A tool that writes a file has all of it in its arguments."""
    tool = tool_name()
    content = ("\u20ac" + "x" * 60 + "\n") * (kilobytes * 1000 // 66)
    sent = event("PreToolUse", tool, tool_input={
        "file_path": "/srv/a.c", "content": content})
    body = json.dumps(sent, ensure_ascii=False).encode()

    def word():
        r = agent.post("/hooks/claude", params={"hold": 0}, content=body,
                       headers={"Content-Type": "application/json"})
        assert r.status_code == 200, r.text
        return pre_tool(r.json())[0]
    assert word() == "deny"
    question = asked(operator, tool)
    assert question["subject"]["calls"][0]["args"]["content"] == content
    page = reader.client.get(f"/suspensions/{question['suspension_id']}")
    assert page.status_code == 200
    respond(operator, question, "approve")
    assert word() == "allow"


@route(HOOK)
@pytest.mark.parametrize("id_", ["a b", "a\u200bb", "x" * 5000, "\n"])
def test_an_id_of_any_form(agent, operator, id_):
    tool = tool_name()
    sent = event("PreToolUse", tool, tool_use_id=id_ + "1")
    assert pre_tool(post(agent, "claude", sent, hold=0))[0] == "deny"
    respond(operator, asked(operator, tool), "approve")
    assert pre_tool(post(agent, "claude", sent, hold=0))[0] == "allow"
    sent["tool_use_id"] = id_ + "2"
    assert pre_tool(post(agent, "claude", sent, hold=0))[0] == "deny"


@route(HOOK)
def test_a_conversation_is_cut_at_a_character(agent, operator):
    tool = tool_name()
    sent = event("beforeMCPExecution", tool)
    del sent["session_id"]
    sent["conversation_id"] = "x" * 199 + "\u20ac" * 10
    assert cursor(post(agent, "cursor", sent, hold=0))[0] == "deny"
    intent = asked(operator, tool)["intent_id"]
    kept = operator.get(f"/api/v1/intents/{intent}").json()["session_id"]
    assert kept.startswith("x" * 100) and len(kept) == 200


@route("POST /mcp")
@pytest.mark.parametrize("member", ["tool_use_id", "tool_name"])
def test_long_words_of_a_permission_prompt(agent, operator, member):
    command = f"make {new_id()}"
    sent = {"tool_name": tool_name(), "tool_use_id": "t", member:
            LONG[member] + new_id(), "input": {"command": command}}

    def prompt():
        return text_of(call(agent, modern, "permission_prompt",
                            hold_seconds=0, **sent))["behavior"]
    assert prompt() == "deny"
    [question] = of_command(operator, command)
    respond(operator, question, "approve")
    assert prompt() == "allow"


@route(HOOK)
def test_rules_decide_without_a_person(agent, server, no_rules):
    for position, word in enumerate(("allow", "deny"), 1):
        tool = tool_name()
        rule(server, position, tool, word)
        said, why = pre_tool(post(agent, "claude", event("PreToolUse", tool)))
        assert said == word and "rule" in why
    tool = tool_name()
    rule(server, 3, tool, "deny", reason="Never here.")
    assert pre_tool(post(agent, "claude", event("PreToolUse", tool))) == \
        ("deny", "Never here.")


@route(HOOK)
def test_rules_see_a_long_name_whole(agent, operator, server, no_rules):
    name = LONG["tool_name"]
    rule(server, 1, "*_delete", "deny", reason="Never here.")
    rule(server, 2, "mcp__shop__*", "allow")

    def word(tool):
        return pre_tool(post(agent, "claude", event("PreToolUse", tool),
                             hold=0))
    assert word("mcp__shop__read")[0] == "allow"
    assert word(name + "_delete") == ("deny", "Never here.")
    # Its head alone is no name that a rule could allow.
    said, why = word(name + "_read")
    assert said == "deny" and "Nobody has answered yet" in why


@route(HOOK)
@pytest.mark.parametrize("change, code, at", [
    ({"hook_event_name": None}, "field.missing", "hook_event_name"),
    ({"hook_event_name": "Stop"}, "hook.event", "hook_event_name"),
    ({"tool_name": None}, "field.missing", "tool_name"),
    ({"tool_input": "x"}, "field.value", "tool_input"),
    ({"tool_input": "[]"}, "field.value", "tool_input"),
    ({"tool_input": 7}, "field.value", "tool_input"),
    ({"tool_use_id": 7}, "field.type", "tool_use_id")])
def test_what_cannot_be_read_is_refused(agent, change, code, at):
    body = {k: v for k, v in event("PreToolUse", "Bash", **change).items()
            if v is not None}
    r = agent.post("/hooks/claude", json=body)
    assert r.status_code == 422, r.text
    assert r.json()["code"] == code, r.text
    assert r.json()["at"].startswith(at), r.text


@route(HOOK)
def test_an_unknown_client(agent):
    refused(agent.post("/hooks/emacs", json=event("PreToolUse", "x")), 404,
            "hook.unknown")
    refused(agent.post("/hooks/claude", params={"late": "maybe"},
                       json=event("PreToolUse", "x")), 400, "request.query",
            "late")


# --- The same by tools of the MCP door ------------------------------------

def text_of(body):
    result = body["result"]
    assert result["isError"] is False and "structuredContent" not in result
    return json.loads(result["content"][0]["text"])


@route("POST /mcp")
@ERAS
@pytest.mark.parametrize("value, word", [("approve", "allow"),
                                         ("reject", "deny")])
def test_a_permission_prompt(agent, operator, pool, era, value, word):
    tool = tool_name()
    waits = pool.submit(call, agent, era, "permission_prompt", tool_name=tool,
                        input={"command": "ls"}, tool_use_id="toolu_" + tool)
    respond(operator, asked(operator, tool), value)
    body = text_of(waits.result(20))
    assert body["behavior"] == word
    assert ("message" in body) == (word == "deny")


@route("POST /mcp")
@ERAS
def test_a_hook_by_a_tool(agent, operator, pool, era):
    tool = tool_name()
    sent = event("PreToolUse", tool)
    sent["tool_input"] = json.dumps(sent["tool_input"])
    waits = pool.submit(call, agent, era, "hook", **sent)
    respond(operator, asked(operator, tool), "approve")
    assert pre_tool(text_of(waits.result(20)))[0] == "allow"
    late = text_of(call(agent, era, "hook", hold_seconds=0,
                        **event("PermissionRequest", tool_name())))
    assert permission(late)[0] == "deny"


@route("POST /mcp")
@ERAS
@pytest.mark.parametrize("value", ["approve", "reject"])
def test_a_hook_of_codex_by_a_tool(server, operator, era, value):
    """A yes is what Codex takes for one; a no has its words."""
    tool = tool_name()
    sent = {**event("PreToolUse", tool), "hold_seconds": 0}
    with server.client(headers={
            "Authorization": f"Bearer {server.env['SAYSO_AGENT_KEY']}",
            "X-Agent-ID": "refunds-agent",
            "User-Agent": "codex-mcp-client/0.169.0"}) as codex:
        call(codex, era, "hook", **sent)
        respond(operator, asked(operator, tool), value)
        body = text_of(call(codex, era, "hook", **sent))
    if value == "approve":
        assert body == {}
    else:
        assert body["hookSpecificOutput"]["permissionDecision"] == "deny"


@route("POST /mcp")
def test_sessions_with_long_names_are_apart(agent, operator):
    """The same call of two sessions is two questions."""
    text = f"Which one? {new_id()}"
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        waits = [pool.submit(call, agent, modern, "ask_human", question=text,
                             meta={"sessionId": "s" * 300 + end, "callId": "c"})
                 for end in "ab"]

        def two():
            rows = of_question(operator, text)
            return rows if len(rows) == 2 else None
        for number, row in enumerate(wait_for(two)):
            respond(operator, row, f"Number {number}.")
        said = [json.loads(w.result(60)["result"]["content"][0]["text"])
                for w in waits]
    assert {s["value"] for s in said} == {"Number 0.", "Number 1."}


# --- Several calls of a session -------------------------------------------

def open_of(operator, tool):
    rows = operator.get("/api/v1/suspensions",
                        params={"state": "pending", "limit": 100}).json()
    return [s for s in rows["suspensions"] if s["question"] == f"Run {tool}?"]


@route(HOOK)
def test_other_arguments_withdraw_the_old_question(agent, operator):
    tool = tool_name()
    first = event("PreToolUse", tool)
    assert pre_tool(post(agent, "claude", first, hold=0))[0] == "deny"
    [old] = open_of(operator, tool)
    again = {**first, "tool_input": {"command": "rm -r /"}}
    assert pre_tool(post(agent, "claude", again, hold=0))[0] == "deny"
    [new] = open_of(operator, tool)
    assert new["suspension_id"] != old["suspension_id"]
    ended = operator.get(f"/api/v1/suspensions/{old['suspension_id']}").json()
    assert ended["state"] == "cancelled"
    assert "other arguments" in ended["reason"]
    respond(operator, new, "approve")
    assert pre_tool(post(agent, "claude", again, hold=0))[0] == "allow"
    assert pre_tool(post(agent, "claude", first, hold=0))[0] == "deny"


@route(HOOK)
def test_one_deferred_call_of_a_session(agent, operator):
    """A client forgets all but one of those that it deferred."""
    session, tool = f"s-{new_id()}", tool_name()
    first = event("PreToolUse", tool, session_id=session)
    second = event("PreToolUse", tool, session_id=session)
    assert pre_tool(post(agent, "claude", first, late="defer"))[0] == "defer"
    word, why = pre_tool(post(agent, "claude", second, late="defer"))
    assert word == "deny" and "Only one call" in why
    [asked_for] = open_of(operator, tool)
    assert pre_tool(post(agent, "claude", first, late="defer"))[0] == "defer"
    elsewhere = event("PreToolUse", tool)
    assert pre_tool(post(agent, "claude", elsewhere,
                         late="defer"))[0] == "defer"
    respond(operator, asked_for, "approve")
    assert pre_tool(post(agent, "claude", first, late="defer"))[0] == "allow"
    third = event("PreToolUse", tool, session_id=session)
    assert pre_tool(post(agent, "claude", third, late="defer"))[0] == "defer"


# --- The client's own question tool ---------------------------------------

QUESTIONS = [
    {"question": "Which database?", "header": "Store", "multiSelect": False,
     "options": [{"label": "PostgreSQL", "description": "the one we have"},
                 {"label": "SQLite", "description": ""}]},
    {"question": "Which parts?", "header": "Parts", "multiSelect": True,
     "options": [{"label": "API"}, {"label": "Pages"}, {"label": "Docs"}]}]


def user_tool(**more):
    return {"hook_event_name": "PreToolUse", "tool_name": "AskUserQuestion",
            "session_id": f"s-{new_id()}", "tool_use_id": f"t-{new_id()}",
            "tool_input": {"questions": QUESTIONS}, **more}


@route(HOOK)
@pytest.mark.parametrize("name, says", [("PreToolUse", pre_tool),
                                        ("PermissionRequest", permission)])
def test_the_clients_questions_are_a_form(agent, operator, name, says):
    body = user_tool(hook_event_name=name)
    assert says(post(agent, "claude", body, hold=0))[0] == "deny"
    rows = operator.get("/api/v1/suspensions",
                        params={"state": "pending", "limit": 100}).json()
    asked_for = rows["suspensions"][0]
    assert asked_for["question"] == "The agent has questions."
    fields = asked_for["form"]
    assert [f["label"] for f in fields] == [
        "Which database?", "Other (question 1)", "Which parts?",
        "Other (question 2)"]
    assert [o["value"] for o in fields[0]["options"]] == ["PostgreSQL",
                                                          "SQLite"]
    respond(operator, asked_for, {"answer_1": "PostgreSQL",
                                  "answer_2": ["API", "Docs"]})
    assert updated_by(post(agent, "claude", body, hold=0), says) == {
        "questions": QUESTIONS, "answers": {"Which database?": "PostgreSQL",
                                            "Which parts?": "API, Docs"}}


def updated_by(got, says=pre_tool):
    assert says(got)[0] == "allow"
    o = got["hookSpecificOutput"]
    return o.get("updatedInput") or o["decision"]["updatedInput"]


def of_question(operator, text):
    rows = operator.get("/api/v1/suspensions",
                        params={"state": "pending", "limit": 100}).json()
    return [s for s in rows["suspensions"]
            if s["question"] == text[:4000] or s["question"][:100] ==
            text[:100]]


def one_question(**more):
    text = f"Which one, {new_id()}?"
    return text, {"question": text, "header": "One", "multiSelect": False,
                  "options": [{"label": "A", "description": "the first"},
                              {"label": "B", "description": "the second"}],
                  **more}


@route(HOOK)
@pytest.mark.parametrize("multi, value, said", [
    (False, {"other_1": " Neither, wait. "}, "Neither, wait."),
    (False, {"answer_1": "A", "other_1": "but later"}, "A, but later"),
    (True, {"answer_1": ["A", "B"], "other_1": "C"}, "A, B, C"),
    (False, {"answer_1": "B"}, "B")])
def test_words_of_ones_own(agent, operator, multi, value, said):
    text, question = one_question(multiSelect=multi)
    body = user_tool(tool_input={"questions": [question]})
    post(agent, "claude", body, hold=0)
    [asked_for] = of_question(operator, text)
    assert [f["type"] for f in asked_for["form"]] == [
        "multi" if multi else "enum", "text"]
    respond(operator, asked_for, value)
    assert updated_by(post(agent, "claude", body, hold=0))["answers"] == {
        text: said}


@route(HOOK)
@pytest.mark.parametrize("how", ["decline", "empty"])
def test_a_person_need_not_answer(agent, operator, how):
    text, question = one_question()
    body = user_tool(tool_input={"questions": [question]})
    post(agent, "claude", body, hold=0)
    [asked_for] = of_question(operator, text)
    r = operator.post(
        f"/api/v1/suspensions/{asked_for['suspension_id']}/respond",
        json={"choice": "decline", "reason": "Ask the owner."}
        if how == "decline" else {"value": {"other_1": " "}})
    assert r.status_code == 200, r.text
    got = post(agent, "claude", body, hold=0)
    said, why = pre_tool(got)
    assert said == "deny" and "updatedInput" not in got["hookSpecificOutput"]
    assert why == "Ask the owner." or how == "empty" and "without" in why


WIDE = "w" * 215
MANY = [{"label": f"option {i}"} for i in range(130)]


@route(HOOK)
@pytest.mark.parametrize("more", [
    {"options": [{"label": "A", "description": WIDE}, {"label": "B"}]},
    {"options": [{"label": WIDE, "description": "x"}, {"label": WIDE + "2"}]},
    {"question": "q" * 234}, {"question": "q" * 5000}, {"header": "h" * 1200},
    {"options": MANY}, {"options": [{"label": "A"}, {"label": "A"}]},
    {"options": [{"label": "A", "preview": "a\nb"}, {"label": "B"}]},
    {"options": [{"label": "A", "description": "d" * 30000}]},
    {"question": "Which password, token or secret?"}])
def test_a_question_of_any_size_is_asked(agent, operator, reader, more):
    text, question = one_question(**more)
    text = question["question"]
    body = user_tool(tool_input={"questions": [question]})
    assert pre_tool(post(agent, "claude", body, hold=0))[0] == "deny"
    asked_for = of_question(operator, text)[0]
    page = reader.client.get(
        f"/suspensions/{asked_for['suspension_id']}").text
    for words in (text, question["header"], *(
            w for o in question["options"] for w in o.values())):
        assert words in html.unescape(page), words[:40]
    field = asked_for["form"][0]
    chosen = field["options"][-1]["value"]
    respond(operator, asked_for, {"answer_1": chosen})
    label = question["options"][len(field["options"]) - 1]["label"]
    updated_input = updated_by(post(agent, "claude", body, hold=0))
    assert updated_input == {"questions": [question], "answers": {text: label}}


@route(HOOK)
def test_no_secret_is_typed(agent, operator):
    """A question that could ask for one is answered by its options alone."""
    text, question = one_question(question=f"Your password, {new_id()}?")
    body = user_tool(tool_input={"questions": [question]})
    post(agent, "claude", body, hold=0)
    [asked_for] = of_question(operator, question["question"])
    assert [f["type"] for f in asked_for["form"]] == ["enum"]
    assert asked_for["form"][0]["required"]


@route(HOOK)
def test_only_what_was_shown_comes_back(agent, operator):
    text, question = one_question(hidden="x")
    question["options"][0]["action"] = "rm -r /"
    body = user_tool(tool_input={
        "questions": [question], "answers": {text: "B"}, "metadata": {"a": 1},
        "command": "rm -r /"})
    post(agent, "claude", body, hold=0)
    [asked_for] = of_question(operator, text)
    respond(operator, asked_for, {"answer_1": "A"})
    _, shown = one_question(question=text)
    assert updated_by(post(agent, "claude", body, hold=0)) == {
        "questions": [shown], "answers": {text: "A"}}


@route(HOOK)
def test_rules_see_the_clients_questions(agent, operator, server, no_rules):
    text, question = one_question()
    body = user_tool(tool_input={"questions": [question]})
    rule(server, 1, "Ask*", "deny", reason="Nobody is there.")
    assert pre_tool(post(agent, "claude", body)) == ("deny",
                                                     "Nobody is there.")
    assert of_question(operator, text) == []
    with server.database() as db:
        db.execute("UPDATE tool_rule SET effect = 'ask', severity = 'low', "
                   "reason = NULL")
    post(agent, "claude", body, hold=0)
    [asked_for] = of_question(operator, text)
    assert asked_for["severity"] == "low"
    # A tool that may be used is used: the question is asked.
    rule(server, 2, "*", "allow")
    with server.database() as db:
        db.execute("DELETE FROM tool_rule WHERE position = 1")
    assert pre_tool(post(agent, "claude", body, hold=0))[0] == "deny"
    respond(operator, asked_for, {"answer_1": "A"})
    assert updated_by(post(agent, "claude", body))["answers"] == {text: "A"}


@route(HOOK)
@pytest.mark.parametrize("given", [
    {}, {"questions": []}, {"questions": "x"}, {"questions": [1]},
    {"questions": [{"question": "x?", "options": []}]},
    {"questions": [{"question": "", "options": [{"label": "a"}]}]},
    {"questions": [{"question": "x?", "options": [{}]}]},
    {"questions": [{"question": "x?", "options": [{"label": "a"}]}] * 2},
    {"questions": [{"question": f"{i}?", "options": [{"label": "a"}]}
                   for i in range(21)]}])
def test_questions_that_are_none(agent, given):
    r = agent.post("/hooks/claude", json=user_tool(tool_input=given))
    refused(r, 422, "field.value", "tool_input")


# --- Changed arguments ----------------------------------------------------

def updated(client, body):
    if client == "gemini":
        return body["hookSpecificOutput"]["tool_input"]
    o = body["hookSpecificOutput"]
    return o.get("updatedInput") or o["decision"]["updatedInput"]


@route(HOOK)
@pytest.mark.parametrize("way", ["claude", "claude permission", "gemini"])
def test_a_person_changes_the_arguments(agent, operator, way):
    client, name, says = WAYS[way]
    tool = tool_name()
    body = event(name, tool)
    assert says(post(agent, client, body, hold=0, edit="yes"))[0] == "deny"
    [asked_for] = open_of(operator, tool)
    subject = asked_for["subject"]
    subject["calls"][0]["args"] = {"command": "ls build"}
    r = operator.post(
        f"/api/v1/suspensions/{asked_for['suspension_id']}/respond",
        json={"value": "edit", "subject": subject, "reason": "Look first."})
    assert r.status_code == 200, r.text
    got = post(agent, client, body, hold=0, edit="yes")
    assert says(got)[0] == "allow"
    assert updated(client, got) == {"command": "ls build"}
    without = post(agent, client, {**body, "tool_use_id": f"t-{new_id()}"},
                   hold=0)
    assert says(without)[0] == "deny" and "ls build" not in str(without)


@route(HOOK)
def test_no_other_tool_is_approved_in_place(agent, operator):
    tool = tool_name()
    body = event("PreToolUse", tool)
    post(agent, "claude", body, hold=0, edit="yes")
    [asked_for] = open_of(operator, tool)
    subject = asked_for["subject"]
    subject["calls"][0]["tool"] = "Write"
    r = operator.post(
        f"/api/v1/suspensions/{asked_for['suspension_id']}/respond",
        json={"value": "edit", "subject": subject, "reason": "Another."})
    got = post(agent, "claude", body, hold=0, edit="yes")
    assert pre_tool(got)[0] == "deny", r.text
    assert "updatedInput" not in got["hookSpecificOutput"]


@route(HOOK)
@pytest.mark.parametrize("client, edit", [("codex", "yes"), ("cursor", "yes"),
                                          ("claude", "maybe")])
def test_edits_where_the_client_takes_none(agent, client, edit):
    name = "preToolUse" if client == "cursor" else "PreToolUse"
    refused(agent.post(f"/hooks/{client}", params={"edit": edit},
                       json=event(name, "x")), 400, "request.query", "edit")
