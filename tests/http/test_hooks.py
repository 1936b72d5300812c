"""The hooks of coding agents: each client asks before a tool runs, and gets the
answer in its own form. Nothing but a yes is told as one."""
import concurrent.futures
import json

import kit
import pytest
from kit import new_id, refused, wait_for
from test_mcp import ERAS, call, respond
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
def test_late_is_the_clients_wish(agent, operator):
    for late, word in (("ask", "ask"), ("defer", "defer"), ("deny", "deny")):
        tool = tool_name()
        sent = event("PreToolUse", tool)
        query = {"late": late, **({} if late == "defer" else {"hold": 0})}
        assert pre_tool(post(agent, "claude", sent, **query))[0] == word
        # Other forms have no such word.
        for client, name, read in (("claude", "PermissionRequest", permission),
                                   ("gemini", "BeforeTool", gemini)):
            other = post(agent, client, event(name, tool_name()), hold=0,
                         late=late)
            assert read(other)[0] == "deny"
        # Resumed, the same call finds the answer.
        respond(operator, asked(operator, tool), "approve")
        assert pre_tool(post(agent, "claude", sent, **query))[0] == "allow"


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


@pytest.fixture
def no_rules(server):
    yield
    with server.database() as db:
        db.execute("DELETE FROM tool_rule")


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
@pytest.mark.parametrize("change, code, at", [
    ({"hook_event_name": None}, "field.missing", "hook_event_name"),
    ({"hook_event_name": "Stop"}, "hook.event", "hook_event_name"),
    ({"tool_name": None}, "field.missing", "tool_name"),
    ({"tool_name": "a b"}, "tool_call.shape", "tool_calls[0]"),
    ({"tool_input": "x"}, "field.value", "tool_input"),
    ({"tool_input": "[]"}, "field.value", "tool_input"),
    ({"tool_input": 7}, "field.value", "tool_input"),
    ({"tool_use_id": "x" * 201}, "field.too_long", "tool_use_id")])
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
