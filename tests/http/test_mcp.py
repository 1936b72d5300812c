"""The door for MCP clients: both eras of the protocol, the tools, and questions
that are held until somebody answers."""
import base64
import concurrent.futures
import json
import re
import socket

import jsonschema
import kit
import pytest
from kit import new_id, refused, wait_for
from test_bad_input import BROKEN

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"


def post(client, body, **headers):
    return client.post("/mcp", json=body, headers=headers)


def legacy(client, method, id=1, headers={}, **params):
    return client.post("/mcp", headers=headers, json={
        "jsonrpc": "2.0", "id": id, "method": method, "params": params})


def modern(client, method, version=MODERN, headers={}, **params):
    said = {"MCP-Protocol-Version": version, "Mcp-Method": method}
    name = params.get("name", params.get("taskId"))
    if isinstance(name, str):
        coded = base64.b64encode(name.encode()).decode()
        said["Mcp-Name"] = name if name.isprintable() else \
            f"=?base64?{coded}?="
    params["_meta"] = {META + "protocolVersion": version,
                       META + "clientCapabilities": {},
                       **params.get("_meta", {})}
    return client.post("/mcp", headers={**said, **headers}, json={
        "jsonrpc": "2.0", "id": "a", "method": method, "params": params})


ERAS = pytest.mark.parametrize("era", [legacy, modern])


def call(client, era, tool, meta={}, **arguments):
    r = era(client, "tools/call", name=tool, arguments=arguments, _meta=meta)
    assert r.status_code in (200, 400), r.text
    return r.json()


def told(body):
    """The record of a tool's answer."""
    result = body["result"]
    assert result["isError"] is False, result
    assert json.loads(result["content"][0]["text"]) == \
        result["structuredContent"]
    return result["structuredContent"]


def valid(client, record):
    """The record, which is as the tools declare it."""
    tools = legacy(client, "tools/list").json()["result"]["tools"]
    jsonschema.validate(record, tools[0]["outputSchema"])
    return record


def failed(body, status, code, data=None):
    assert body.status_code == status, body.text
    error = body.json()["error"]
    assert error["code"] == code and error["message"]
    return error


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(8) as threads:
        yield threads


def newest(operator, question):
    """The open question with this text."""
    def look():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending", "limit": 100}).json()
        return next((s for s in rows["suspensions"]
                     if s["question"] == question), None)
    return wait_for(look)


def respond(operator, asked, value):
    r = operator.post(f"/api/v1/suspensions/{asked['suspension_id']}/respond",
                      json={"value": value})
    assert r.status_code == 200, r.text


# --- The protocol ---------------------------------------------------------

@pytest.mark.route("POST /mcp")
def test_a_client_of_today_shakes_hands(agent):
    for wanted, given in (("2025-06-18", "2025-06-18"),
                          ("2025-03-26", "2025-03-26"),
                          ("2024-11-05", "2025-11-25"),
                          ("2099-01-01", "2025-11-25")):
        r = legacy(agent, "initialize", protocolVersion=wanted,
                   capabilities={}, clientInfo={"name": "x", "version": "1"})
        assert r.status_code == 200, r.text
        assert "mcp-session-id" not in r.headers
        body = r.json()
        assert body["jsonrpc"] == "2.0" and body["id"] == 1
        assert body["result"]["protocolVersion"] == given
        assert body["result"]["capabilities"] == {"tools": {}}
        assert body["result"]["serverInfo"]["name"] == "sayso"
    r = post(agent, {"jsonrpc": "2.0", "method": "notifications/initialized"})
    assert r.status_code == 202 and r.content == b""
    assert legacy(agent, "ping").json()["result"] == {}


def test_a_client_of_tomorrow_discovers(agent):
    body = modern(agent, "server/discover").json()["result"]
    assert body["resultType"] == "complete"
    assert MODERN in body["supportedVersions"]
    assert body["capabilities"] == {
        "tools": {}, "extensions": {META + "tasks": {}}}
    assert body["_meta"][META + "serverInfo"]["name"] == "sayso"
    assert body["ttlMs"] > 0 and body["cacheScope"] == "private"
    failed(modern(agent, "ping"), 404, -32601)
    error = failed(modern(agent, "server/discover", version="2027-01-01"),
                   400, -32022)
    assert error["data"] == {"supported": [MODERN, "2025-11-25"],
                             "requested": "2027-01-01"}


@pytest.mark.parametrize("headers", [
    {"MCP-Protocol-Version": "2025-11-25"}, {"MCP-Protocol-Version": ""},
    {"Mcp-Method": "tools/list"}, {"Mcp-Name": "check_answer"},
    {"Mcp-Name": "=?base64?eA==?="}])
def test_headers_that_say_something_else_are_refused(agent, headers):
    r = modern(agent, "tools/call", headers=headers, name="ask_human",
               arguments={"question": "x"})
    failed(r, 400, -32020)


def test_a_name_in_base64_is_read(agent):
    r = modern(agent, "tools/call", name="no_tool",
               headers={"Mcp-Name": "=?base64?bm9fdG9vbA==?="})
    failed(r, 400, -32602)


@pytest.mark.parametrize("body", [
    b"", b"{", b"[]", b'[{"jsonrpc":"2.0","id":1,"method":"ping"}]', b"7",
    b'{"id":1,"method":"ping"}', b'{"jsonrpc":"1.0","id":1,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":null,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":{},"method":"ping"}',
    b'{"jsonrpc":"2.0","id":1,"method":{}}', b'{"jsonrpc":"2.0","id":1}',
    b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}',
    b'{"jsonrpc":"2.0","id":"' + b"x" * 201 + b'","method":"ping"}'])
def test_rubbish_gets_an_error(agent, body):
    r = agent.post("/mcp", content=body,
                   headers={"Content-Type": "application/json"})
    error = failed(r, 400, -32700 if body in (b"", b"{") or b'"id":2' in body
                   else -32600)
    assert r.json()["id"] is None and error


@pytest.mark.parametrize("name", BROKEN)
def test_broken_json_is_told_as_everywhere(agent, name):
    content, code = BROKEN[name]
    r = agent.post("/mcp", content=content,
                   headers={"Content-Type": "application/json"})
    if len(content) > kit.find("POST", "/mcp").body:
        refused(r, 413, "request.too_large")
        return
    data = failed(r, 400, -32700)["data"]
    assert data["code"] == code if code else data["code"].startswith("json.")
    assert data["message"]


def test_what_is_not_there(agent):
    failed(legacy(agent, "resources/list"), 200, -32601)
    failed(legacy(agent, "server/none"), 200, -32601)
    failed(legacy(agent, "tools/call", name="rm"), 200, -32602)
    failed(legacy(agent, "ping", headers={"MCP-Protocol-Version": "1999"}),
           400, -32600)
    for method in ("GET", "DELETE", "PUT"):
        r = agent.request(method, "/mcp")
        assert r.status_code == 405 and r.headers["Allow"] == "POST"
    r = post(agent, {"jsonrpc": "2.0", "id": 4, "result": {}})
    assert r.status_code == 202 and r.content == b""


def test_pages_of_other_sites_are_refused(agent, server):
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    for headers in ({"Origin": "https://elsewhere.invalid"},
                    {"Origin": "null"}, {"Host": "elsewhere.invalid"}):
        refused(post(agent, ping, **headers), 403, "mcp.origin")
    own = str(server.url).rstrip("/")
    assert post(agent, ping, Origin=own).status_code == 200


def test_without_a_key_nothing_is_said(server, operator):
    with server.client() as client:
        r = legacy(client, "ping")
        assert r.status_code == 401
        assert re.match("Bearer", r.headers["WWW-Authenticate"])
        key = server.env["SAYSO_AGENT_KEY"]
        r = legacy(client, "ping", headers={"Authorization": f"Bearer {key}"})
        assert r.json()["result"] == {}
    assert legacy(operator, "ping").status_code == 403


MODELS = ["ask_human", "request_approval", "check_answer",
          "withdraw_question"]


@ERAS
def test_the_tools_are_listed(agent, era):
    body = era(agent, "tools/list").json()["result"]
    assert [t["name"] for t in body["tools"]] == [
        *MODELS, "permission_prompt", "hook"]
    for t in body["tools"]:
        assert t["annotations"]["destructiveHint"] is False
        assert t["annotations"]["openWorldHint"] is False
        assert t["_meta"]["anthropic/alwaysLoad"] is True
        assert t["inputSchema"]["type"] == "object" and t["description"]
        assert set(t["inputSchema"].get("required", [])) <= \
            set(t["inputSchema"]["properties"])
        assert ("outputSchema" in t) == (t["name"] in MODELS)
    assert ("ttlMs" in body) == (era is modern)


def schemas(value):
    """Every schema in a tool."""
    if isinstance(value, dict):
        if "type" in value or "enum" in value or "anyOf" in value:
            yield value
        for one in value.values():
            yield from schemas(one)


def test_what_a_tool_takes_and_gives_is_typed(agent):
    """Without lists of types, which the Inspector and some models' services
    do not take."""
    for t in legacy(agent, "tools/list").json()["result"]["tools"]:
        for part in ("inputSchema", "outputSchema"):
            for one in schemas(t.get(part)):
                assert not isinstance(one.get("type"), list), one
            jsonschema.Draft202012Validator.check_schema(t.get(part, {}))
            for name, one in t.get(part, {}).get("properties", {}).items():
                assert {"type", "enum", "anyOf"} & set(one), name


def test_the_list_for_models_is_short(agent):
    """It is in every prompt."""
    r = agent.post("/mcp?tools=model", json={
        "jsonrpc": "2.0", "id": 1, "method": "tools/list"})
    assert [t["name"] for t in r.json()["result"]["tools"]] == MODELS
    assert len(r.content) < 3000
    whole = legacy(agent, "tools/list").json()["result"]["tools"]
    for short, t in zip(r.json()["result"]["tools"], whole):
        t.pop("outputSchema")
        assert short == t


@pytest.mark.parametrize("path", ["/mcp?tools=all", "/mcp?tools=",
                                  "/mcp?tools=model&tools=model",
                                  "/mcp?tool=model"])
def test_another_list_is_refused(agent, path):
    r = agent.post(path, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})
    assert r.status_code == 400 and r.json()["code"].startswith("request.")


def test_the_tools_of_clients_can_be_called_everywhere(agent):
    r = agent.post("/mcp?tools=model", json={
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "permission_prompt", "arguments": {
                "tool_name": f"tool_{new_id()}", "input": {"n": 1},
                "hold_seconds": 0}}})
    said = json.loads(r.json()["result"]["content"][0]["text"])
    assert said["behavior"] == "deny"


# --- Asking ---------------------------------------------------------------

@ERAS
def test_a_question_is_held_until_it_is_answered(agent, operator, pool, era):
    text = f"Which colour? {new_id()}"
    waits = pool.submit(call, agent, era, "ask_human", question=text,
                        choices=["red", "blue"], explanation="For the door.",
                        context={"n": 1.50}, severity="low")
    asked = newest(operator, text)
    assert asked["explanation"] == "For the door."
    assert not waits.done()
    respond(operator, asked, "blue")
    body = waits.result(20)
    assert body["id"] == (1 if era is legacy else "a")
    assert ("resultType" in body["result"]) == (era is modern)
    got = valid(agent, told(body))
    assert got["state"] == "resolved" and got["value"] == "blue"
    assert got["suspension_id"] == asked["suspension_id"]
    assert got["message"] and got["url"].endswith(asked["suspension_id"])
    assert "next" not in got


@ERAS
def test_an_approval_is_asked_for_with_the_exact_arguments(
        agent, operator, pool, era):
    action = f"refund_{new_id()}"
    waits = pool.submit(
        call, agent, era, "request_approval", action=action,
        target="order 12345", scope_summary="One refund of 50.00 EUR",
        arguments={"amount": 50.00, "order": "12345"})
    asked = newest(operator, f"Run {action}?")
    assert asked["kind"] == "approval"
    assert asked["subject"]["calls"] == [
        {"tool": action, "args": {"amount": 50.00, "order": "12345"}}]
    respond(operator, asked, "reject" if era is modern else "approve")
    got = valid(agent, told(waits.result(20)))
    assert got["outcome"] == ("vetoed" if era is modern else "authorized")


def test_a_form_is_filled_in(agent, operator, pool):
    text = f"The address? {new_id()}"
    waits = pool.submit(call, agent, legacy, "ask_human", question=text, form={
        "type": "object", "required": ["street"],
        "properties": {"street": {"type": "string", "title": "Street"}}})
    asked = newest(operator, text)
    respond(operator, asked, {"street": "Main"})
    assert valid(agent, told(waits.result(20)))["value"] == {"street": "Main"}


def pending(agent, operator, text, meta=None, **more):
    """A question whose client hangs up once it is asked: that answers
    nothing."""
    body = json.dumps({
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "ask_human", "arguments": {"question": text, **more},
            "_meta": meta or {"claudecode/toolUseId": "toolu_" + text}}})
    url = agent.base_url
    with socket.create_connection((url.host, url.port), 60) as s:
        s.sendall("\r\n".join([
            "POST /mcp HTTP/1.1", f"Host: {url.netloc.decode()}",
            f"X-API-Key: {agent.headers['X-API-Key']}",
            f"X-Agent-ID: {agent.headers['X-Agent-ID']}",
            "Content-Type: application/json",
            f"Content-Length: {len(body)}", "", body]).encode())
        return newest(operator, text)


def test_nobody_answers_is_said_as_that(agent, operator):
    text = f"Anybody? {new_id()}"
    asked = pending(agent, operator, text)
    got = told(call(agent, legacy, "check_answer", wait_seconds=0,
                    suspension_id=asked["suspension_id"]))
    assert valid(agent, got)["state"] == "pending"
    assert got["outcome"] is None
    assert "check_answer" in got["next"]
    # The same call of the client finds the same question.
    respond(operator, asked, "Here")
    again = told(call(agent, legacy, "ask_human", question=text,
                      meta={"claudecode/toolUseId": "toolu_" + text}))
    assert again["suspension_id"] == asked["suspension_id"]
    assert again["value"] == "Here"


def test_the_order_of_arguments_does_not_count(agent, operator):
    """A model that repeats a call may write its arguments in another
    order."""
    text = f"In order? {new_id()}"
    meta = {"claudecode/toolUseId": "toolu_" + text}
    asked = pending(agent, operator, text, meta, severity="low",
                    explanation="Because")
    respond(operator, asked, "Here")
    again = told(call(agent, legacy, "ask_human", meta=meta,
                      explanation="Because", severity="low", question=text))
    assert again["suspension_id"] == asked["suspension_id"]


def test_other_arguments_are_another_question(agent, operator):
    text = f"Again? {new_id()}"
    meta = {"claudecode/toolUseId": "toolu_" + text}
    asked = pending(agent, operator, text)
    other = pending(agent, operator, text + "!", meta)
    assert other["suspension_id"] != asked["suspension_id"]


@pytest.mark.parametrize("meta, same", [
    ({"callId": "call_1", "threadId": "t-1"}, True),
    ({"callId": "call_1", "sessionId": "s-1"}, True),
    ({"callId": "call_1"}, False), ({"callId": "call_1", "threadId": ""}, False),
    ({"callId": "", "threadId": "t-1"}, False), ({"threadId": "t-1"}, False),
    ({"claudecode/toolUseId": ""}, False)])
def test_a_missing_identity_finds_no_old_answer(agent, operator, meta, same):
    """Clients count the calls of each of their sessions from one."""
    text = f"Twice? {new_id()}"
    asked = pending(agent, operator, text, meta)
    respond(operator, asked, "Here")
    again = told(call(agent, legacy, "ask_human", question=text, meta=meta)) \
        if same else pending(agent, operator, text, meta)
    assert (again["suspension_id"] == asked["suspension_id"]) is same


def test_check_answer_waits(agent, operator, pool):
    text = f"Later? {new_id()}"
    asked = pending(agent, operator, text)
    waits = pool.submit(call, agent, modern, "check_answer",
                        suspension_id=asked["suspension_id"])
    respond(operator, asked, "Now")
    assert told(waits.result(20))["value"] == "Now"


def test_a_question_is_withdrawn(agent, operator):
    text = f"Never mind? {new_id()}"
    id = pending(agent, operator, text)["suspension_id"]
    got = told(call(agent, legacy, "withdraw_question", suspension_id=id,
                    reason="Found it."))
    assert got["state"] == "cancelled"
    body = call(agent, legacy, "withdraw_question", suspension_id=id)
    assert body["result"]["isError"] is True
    assert "structuredContent" not in body["result"]


def test_anothers_question_is_not_there(agent, other_agent, operator):
    text = f"Mine? {new_id()}"
    id = pending(agent, operator, text)["suspension_id"]
    for tool in ("check_answer", "withdraw_question"):
        body = call(other_agent, legacy, tool, suspension_id=id)
        assert json.loads(body["result"]["content"][0]["text"])["code"] == \
            "suspension.unknown"


@pytest.mark.parametrize("tool, arguments, at", [
    ("ask_human", {}, "question"),
    ("ask_human", {"question": 7}, "question"),
    ("ask_human", {"question": "x", "responder": {}}, "responder"),
    ("ask_human", {"question": "x", "fallback_value": 1}, "fallback_value"),
    ("ask_human", {"question": "x", "choices": "a"}, "choices"),
    ("ask_human", {"question": "x", "timeout_seconds": 0}, "timeout_seconds"),
    ("request_approval", {"action": "x"}, "subject.target"),
    ("request_approval", {"action": "x", "arguments": []}, "arguments"),
    ("request_approval", {"action": "x" * 201}, "action"),
    ("check_answer", {"suspension_id": "x"}, "suspension_id"),
    ("check_answer", {"suspension_id": new_id(), "wait_seconds": 281},
     "wait_seconds"),
    ("withdraw_question", {}, "suspension_id")])
@ERAS
def test_wrong_arguments_are_named(agent, era, tool, arguments, at):
    error = call(agent, era, tool, **arguments)["error"]
    assert error["code"] == -32602
    assert error["data"]["at"] == at and error["data"]["code"]


@pytest.mark.parametrize("arguments", ["x", 7, [], None])
def test_arguments_have_to_be_an_object(agent, arguments):
    r = legacy(agent, "tools/call", name="ask_human", arguments=arguments)
    assert r.json()["error"]["code"] == -32602


# --- Progress -------------------------------------------------------------

def streamed(server, message):
    """The kind of the answer to one call, and its events."""
    takes = {"Accept": "application/json, text/event-stream"}
    with server.client("agent", agent="refunds-agent", headers=takes,
                       timeout=60) as client:
        r = client.post("/mcp", json=message)
    assert r.status_code == 200, r.text
    kind = r.headers["content-type"]
    if kind == "application/json":
        return kind, [r.json()]
    lines = [line.partition(": ") for line in r.text.splitlines() if line]
    assert {field for field, _, _ in lines} <= {"event", "data", ""}, r.text
    return kind, [json.loads(text) for field, _, text in lines
                  if field == "data"]


def asking(token, **more):
    return {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": {
        "name": "ask_human", "_meta": {"progressToken": token},
        "arguments": {"question": f"Go {kit.new_id()}?", **more}}}


@pytest.mark.route("POST /mcp")
@pytest.mark.parametrize("token", ["t-1", 12, "\"\\\n\u00e4"])
def test_a_client_hears_of_progress(server, operator, token):
    """At once, and the answer is the last event of the same stream."""
    message = asking(token)
    question = message["params"]["arguments"]["question"]
    with concurrent.futures.ThreadPoolExecutor() as pool:
        call = pool.submit(streamed, server, message)

        def open_one():
            rows = operator.get("/api/v1/suspensions",
                                params={"state": "pending"}).json()
            return [s for s in rows["suspensions"]
                    if s["question"] == question]

        asked = kit.wait_for(open_one)[0]
        done, _ = concurrent.futures.wait([call], 0.4)
        assert not done
        assert kit.answer(operator, asked, "do it").status_code == 200
        kind, events = call.result(60)
    assert kind == "text/event-stream"
    first, last = events[0], events[-1]
    assert first["method"] == "notifications/progress"
    assert first["params"]["progressToken"] == token
    assert first["params"]["progress"] == 1
    assert last["id"] == 7 and last["result"]["isError"] is False
    assert last["result"]["structuredContent"]["value"] == "do it"
    assert len(events) == 2


@pytest.mark.route("POST /mcp")
@pytest.mark.parametrize("name, given", [
    ("hook", {"hook_event_name": "PreToolUse", "tool_input": {"n": 1},
              "session_id": "s", "tool_use_id": "t"}),
    ("permission_prompt", {"input": {"n": 1}})])
def test_a_hook_hears_of_progress(server, name, given):
    message = asking("hooked")
    message["params"].update(name=name, arguments={
        "tool_name": f"tool_{kit.new_id()}", "hold_seconds": 1, **given})
    kind, events = streamed(server, message)
    assert kind == "text/event-stream"
    assert [e.get("method") for e in events] == [
        "notifications/progress", None]
    said = json.loads(events[-1]["result"]["content"][0]["text"])
    assert "Nobody has answered yet" in json.dumps(said)


def test_progress_until_nobody_has_answered(server):
    kind, events = streamed(server, asking("t", timeout_seconds=1))
    assert kind == "text/event-stream"
    record = events[-1]["result"]["structuredContent"]
    assert record["state"] == "expired"


@pytest.mark.route("POST /mcp")
@pytest.mark.parametrize("token", ["x" * 100, 1.5, None, {"a": 1}])
def test_no_stream_without_a_token(server, token):
    kind, events = streamed(server, asking(token, timeout_seconds=1))
    assert kind == "application/json" and len(events) == 1


def test_the_address_with_a_slash(agent):
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    r = agent.post("/mcp/", json=body)
    assert r.status_code == 200, r.text
    assert r.json() == agent.post("/mcp", json=body).json()
    assert agent.get("/mcp/").status_code == 405
    assert agent.post("/mcp//", json=body).status_code == 400
