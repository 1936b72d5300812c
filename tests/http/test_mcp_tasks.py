"""Tasks of MCP: a question as a task, which the client waits for by itself; and
the address of the question for the person at the client."""
import concurrent.futures
import json
import time

import httpx
import kit
import pytest
from kit import new_id
from test_mcp import (META, call, failed, legacy, modern, newest, respond,
                      told, valid)

TASKS = META + "tasks"


def able(**capabilities):
    """The capabilities of a client, as they are with each message."""
    return {META + "clientCapabilities": capabilities}


HAS_TASKS = able(extensions={TASKS: {}})
SHOWS = able(elicitation={"form": {}, "url": {}})


def ask(client, meta=HAS_TASKS, tool="ask_human", more={}, **arguments):
    """The answer to the call of a tool, which comes at once."""
    begun = time.monotonic()
    r = modern(client, "tools/call", name=tool, arguments=arguments,
               _meta=meta, **more)
    assert r.status_code == 200, r.text
    assert time.monotonic() - begun < 20
    return r.json()["result"]


def task(client, method, id, **more):
    return modern(client, f"tasks/{method}", taskId=id,
                  **{"_meta": HAS_TASKS, **more})


def got(client, id):
    r = task(client, "get", id)
    assert r.status_code == 200, r.text
    return r.json()["result"]


def pending(client, **more):
    """The id of a new task."""
    return ask(client, question=f"Which one? {new_id()}", **more)["taskId"]


def state(operator, id):
    return operator.get(f"/api/v1/suspensions/{id}").json()["state"]


# --- A question as a task --------------------------------------------------

@pytest.mark.route("POST /mcp")
def test_a_question_is_a_task(agent, operator):
    made = ask(agent, question="Which colour?", choices=["red", "blue"])
    assert made["resultType"] == "task" and made["status"] == "working"
    assert made["ttlMs"] is None and made["pollIntervalMs"] == 2000
    assert made["createdAt"] == made["lastUpdatedAt"]
    id = made["taskId"]
    assert state(operator, id) == "pending"
    assert got(agent, id) == {**made, "resultType": "complete"}
    respond(operator, {"suspension_id": id}, "blue")
    done = got(agent, id)
    assert done["status"] == "completed"
    assert done["lastUpdatedAt"] > done["createdAt"]
    assert done["result"]["resultType"] == "complete"
    record = valid(agent, told(done))
    assert record["value"] == "blue" and record["suspension_id"] == id
    # It is the question of every other door.
    assert told(call(agent, legacy, "check_answer", suspension_id=id)) == \
        record


@pytest.mark.parametrize("value, outcome", [("approve", "authorized"),
                                            ("reject", "vetoed")])
def test_an_approval_is_a_task(agent, operator, value, outcome):
    id = ask(agent, tool="request_approval", action="refund",
             target="order 12345", scope_summary="One refund",
             arguments={"amount": 50})["taskId"]
    respond(operator, {"suspension_id": id}, value)
    record = told(got(agent, id))
    assert record["outcome"] == outcome
    assert record.get("usable") is (True if value == "approve" else None)


def test_silence_is_not_a_yes(agent):
    id = pending(agent, timeout_seconds=1)
    kit.wait_for(lambda: got(agent, id)["status"] != "working")
    done = got(agent, id)
    assert done["status"] == "completed" and "not a yes" in \
        done["statusMessage"]
    assert told(done)["state"] == "expired"


def test_an_earlier_question_is_a_task_too(agent):
    id = pending(agent)
    again = ask(agent, tool="check_answer", suspension_id=id)
    assert again["resultType"] == "task" and again["taskId"] == id
    now = ask(agent, tool="check_answer", suspension_id=id, wait_seconds=0)
    assert now["structuredContent"]["state"] == "pending"


def test_the_same_call_is_the_same_task(agent):
    meta = {**HAS_TASKS, "claudecode/toolUseId": f"toolu_{new_id()}"}
    assert ask(agent, meta, question="Same?")["taskId"] == \
        ask(agent, meta, question="Same?")["taskId"]


def test_the_client_may_ask_less_often_later(agent, server):
    id = pending(agent)
    with server.database() as db:
        for minutes, wanted in ((5, 15000), (60, 30000)):
            db.execute("UPDATE suspension SET suspended_at = now() - "
                       "%s * interval '1 minute' WHERE id = %s",
                       (minutes, id))
            assert abs(got(agent, id)["pollIntervalMs"] - wanted) < 1000


@pytest.mark.route("POST /mcp")
def test_a_task_is_cancelled(agent, operator):
    id = pending(agent)
    for _ in range(2):
        r = task(agent, "cancel", id)
        assert r.status_code == 200
        assert r.json()["result"] == {"resultType": "complete"}
        assert state(operator, id) == "cancelled"
    done = got(agent, id)
    assert done["status"] == "cancelled" and "result" not in done


def test_an_answer_is_not_taken_back(agent, operator):
    id = pending(agent)
    respond(operator, {"suspension_id": id}, "This one")
    assert task(agent, "cancel", id).json()["result"] == {
        "resultType": "complete"}
    assert told(got(agent, id))["value"] == "This one"


def test_cancelled_and_answered_at_once(agent, operator):
    """One of them wins, and the task says which."""
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for _ in range(4):
            id = pending(agent)
            cancelled = pool.submit(task, agent, "cancel", id)
            answered = pool.submit(
                operator.post, f"/api/v1/suspensions/{id}/respond",
                json={"value": "This one"})
            assert cancelled.result().status_code == 200
            yes = answered.result().status_code == 200
            assert got(agent, id)["status"] == (
                "completed" if yes else "cancelled")


def test_a_client_cannot_answer_its_task(agent, operator):
    id = pending(agent)
    r = task(agent, "update", id, inputResponses={
        "answer": {"action": "accept", "content": {"value": "yes"}}})
    assert r.json()["result"] == {"resultType": "complete"}
    assert state(operator, id) == "pending"


# --- What is refused ------------------------------------------------------

@pytest.fixture(scope="module")
def strangers(server):
    """Another name of the same key, and another key."""
    key = server.key("agent", "--agent", "other-agent")
    with server.client("agent", agent="other-agent", timeout=20) as name, \
            server.client(timeout=20, headers={
                "X-API-Key": key, "X-Agent-ID": "other-agent"}) as other:
        yield [name, other]


METHODS = pytest.mark.parametrize("method", ["get", "update", "cancel"])


@METHODS
def test_anothers_task_is_not_there(agent, operator, strangers, method):
    id = pending(agent)
    missing = failed(task(agent, method, new_id()), 400, -32602)
    for stranger in strangers:
        assert failed(task(stranger, method, id), 400, -32602) == missing
    assert state(operator, id) == "pending"


@METHODS
@pytest.mark.parametrize("id", [
    "", "x", "../" * 20, "\u0001", "x" * 3000, "0" * 36, 7, None, True, {}, [],
    {"a": {"b": [[[[]]]]}}])
def test_what_is_no_task(agent, method, id):
    assert failed(task(agent, method, id), 400, -32602)


@METHODS
def test_a_task_without_an_id(agent, method):
    failed(modern(agent, f"tasks/{method}", _meta=HAS_TASKS), 400, -32602)


@METHODS
def test_the_header_names_the_task(agent, method):
    id = pending(agent)
    for name in ("", "ask_human", new_id(), "=?base64?eA==?="):
        failed(task(agent, method, id, headers={"Mcp-Name": name}), 400,
               -32020)
    assert got(agent, id)["status"] == "working"


@METHODS
def test_tasks_are_for_clients_that_have_them(agent, method):
    id = pending(agent)
    error = failed(task(agent, method, id, _meta={}), 400, -32021)
    assert error["data"] == {"requiredCapabilities": {
        "extensions": {TASKS: {}}}}
    failed(legacy(agent, f"tasks/{method}", taskId=id, _meta=HAS_TASKS), 200,
           -32601)
    assert got(agent, id)["status"] == "working"


@pytest.mark.parametrize("method", ["tasks/list", "tasks/result", "tasks/",
                                    "tasks/get/", "tasks"])
def test_what_the_extension_has_not(agent, method):
    failed(modern(agent, method, _meta=HAS_TASKS), 404, -32601)


@pytest.mark.parametrize("capabilities", [
    None, "tasks", 7, [], {"extensions": [TASKS]}, {"extensions": TASKS},
    {"extensions": {TASKS: True}}, {"extensions": {TASKS: None}},
    {"elicitation": "url"}, {"elicitation": {}},
    {"elicitation": {"form": {}}}, {"elicitation": {"url": False}},
    {"elicitation": ["url"]}])
def test_who_declares_neither_is_held(agent, capabilities):
    """As before: the question ends, and the call with it."""
    done = ask(agent, {META + "clientCapabilities": capabilities},
               question="Anybody?", timeout_seconds=1)
    assert told({"result": done})["state"] == "expired"


def test_capabilities_of_the_handshake_do_not_count(agent):
    body = call(agent, legacy, "ask_human", {**HAS_TASKS, **SHOWS},
                question="Anybody?", timeout_seconds=1)
    assert told(body)["state"] == "expired"


def test_a_deep_and_a_large_message(agent):
    deep = json.loads('{"a":' * 30 + "{}" + "}" * 30)
    failed(task(agent, "get", new_id(), inputResponses=deep), 400, -32700)
    large = {f"key{n}": "x" * 50 for n in range(3000)}
    failed(task(agent, "update", new_id(), inputResponses=large), 400, -32602)


# --- Notes of the end -----------------------------------------------------

def listen(client, *ids, id="listen-1", meta=HAS_TASKS, accept=
           "application/json, text/event-stream", filter=None):
    return modern(client, "subscriptions/listen", _meta=meta, headers={
        "Accept": accept}, notifications={"taskIds": list(ids)}
        if filter is None else filter)


def notes(r, seen):
    """Those of a stream; it is of the tasks that were seen."""
    assert r.status_code == 200, r.text
    assert r.headers["content-type"] == "text/event-stream"
    events = [json.loads(line.removeprefix("data: "))
              for line in r.text.splitlines() if line.startswith("data: ")]
    first, *between, last = events
    of = {META + "subscriptionId": "a"}
    assert first["method"] == "notifications/subscriptions/acknowledged"
    assert first["params"] == {"_meta": of, "notifications": {
        "taskIds": seen}}
    assert last == {"jsonrpc": "2.0", "id": "a", "result": {
        "_meta": of, "resultType": "complete"}}
    for note in between:
        assert note["method"] == "notifications/tasks"
        assert note["params"].pop("_meta") == of
    return [note["params"] for note in between]


@pytest.mark.route("POST /mcp")
def test_a_client_listens_to_the_end_of_a_task(agent, operator):
    id = pending(agent)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        listens = pool.submit(listen, agent, id)
        assert not concurrent.futures.wait([listens], 0.5).done
        respond(operator, {"suspension_id": id}, "This one")
        [note] = notes(listens.result(20), [id])
    done = got(agent, id)
    done.pop("resultType")
    assert note == done and note["status"] == "completed"


def test_the_subscription_is_known_at_once(agent, server):
    id = pending(agent)
    body = {"jsonrpc": "2.0", "id": 7, "method": "subscriptions/listen",
            "params": {"notifications": {"taskIds": [id]}, "_meta": {
                META + "protocolVersion": "2026-07-28", **HAS_TASKS}}}
    with httpx.stream("POST", f"{server.url}/mcp", json=body, headers={
            "X-API-Key": server.env["SAYSO_AGENT_KEY"],
            "X-Agent-ID": "refunds-agent", "Accept": "text/event-stream",
            "MCP-Protocol-Version": "2026-07-28",
            "Mcp-Method": "subscriptions/listen"}, timeout=60) as stream:
        lines = stream.iter_lines()
        next(lines)
        first = json.loads(next(lines).removeprefix("data: "))
        assert first["params"]["_meta"] == {META + "subscriptionId": 7}
        assert first["params"]["notifications"] == {"taskIds": [id]}
        task(agent, "cancel", id)
        assert '"status":"cancelled"' in "".join(lines)


def test_a_task_that_has_ended_is_told_at_once(agent):
    id = pending(agent)
    task(agent, "cancel", id)
    [note] = notes(listen(agent, id), [id])
    assert note["status"] == "cancelled"


def test_nobody_listens_to_anothers_task(agent, strangers):
    id = pending(agent)
    for stranger in strangers:
        assert notes(listen(stranger, id), []) == []


def test_one_of_many_is_listened_to(agent):
    """The first that the caller may read."""
    id, other = pending(agent), pending(agent)
    task(agent, "cancel", id)
    [note] = notes(listen(agent, new_id(), "x", 7, {}, id, other), [id])
    assert note["taskId"] == id
    assert notes(listen(agent, *[new_id() for _ in range(3000)], id), []) == []
    assert notes(listen(agent), []) == []


@pytest.mark.parametrize("ids", ["x", 7, True, {}, None])
def test_no_list_of_tasks(agent, ids):
    status, code = (404, -32601) if ids is None else (400, -32602)
    failed(listen(agent, filter={"taskIds": ids}), status, code)


def test_other_notes_there_are_not(agent):
    for filter in ({}, {"toolsListChanged": True}, "x", []):
        failed(listen(agent, filter=filter), 404, -32601)
    failed(listen(agent, new_id(), accept="application/json"), 400, -32602)
    failed(listen(agent, new_id(), meta={}), 400, -32021)


def test_the_id_of_a_subscription_is_short(agent, server):
    r = agent.post("/mcp", headers={
        "Accept": "text/event-stream", "MCP-Protocol-Version": "2026-07-28",
        "Mcp-Method": "subscriptions/listen"}, json={
        "jsonrpc": "2.0", "id": "x" * 100, "method": "subscriptions/listen",
        "params": {"notifications": {"taskIds": [pending(agent)]}, "_meta": {
            META + "protocolVersion": "2026-07-28", **HAS_TASKS}}})
    failed(r, 400, -32602)


# --- The page of the question ----------------------------------------------

def again(client, first, meta=SHOWS, action="accept", **arguments):
    return ask(client, meta, more={
        "requestState": first["requestState"],
        "inputResponses": {"page": {"action": action}}}, **arguments)


def asked(operator, question):
    rows = operator.get("/api/v1/suspensions",
                        params={"state": "pending", "limit": 100}).json()
    return [s for s in rows["suspensions"] if s["question"] == question]


@pytest.mark.route("POST /mcp")
@pytest.mark.parametrize("action", ["accept", "decline", "cancel"])
def test_the_page_is_shown_to_the_person_at_the_client(
        agent, operator, server, action):
    """The answer counts whether the link was opened or not."""
    text = f"Which one? {new_id()}"
    first = ask(agent, SHOWS, question=text)
    assert first["resultType"] == "input_required"
    [one] = first["inputRequests"].values()
    assert one["method"] == "elicitation/create"
    assert set(one["params"]) == {"mode", "message", "url"}
    assert one["params"]["mode"] == "url"
    [question] = asked(operator, text)
    url = f"{str(server.url).rstrip('/')}/suspensions/" \
        f"{question['suspension_id']}"
    assert one["params"]["url"] == url
    with server.client() as anybody:
        assert anybody.get(url).status_code in (303, 401)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        waits = pool.submit(again, agent, first, action=action, question=text)
        assert not concurrent.futures.wait([waits], 0.5).done
        assert asked(operator, text) == [question]
        respond(operator, question, "This one")
        record = told({"result": waits.result(20)})
    assert record["suspension_id"] == question["suspension_id"]
    assert record["value"] == "This one"


def test_the_page_first_and_then_a_task(agent, operator):
    both = able(elicitation={"url": {}}, extensions={TASKS: {}})
    first = ask(agent, both, question="Both?")
    assert first["resultType"] == "input_required"
    made = again(agent, first, both, question="Both?")
    assert made["resultType"] == "task"
    assert first["inputRequests"]["page"]["params"]["url"].endswith(
        made["taskId"])


@pytest.mark.parametrize("forged", ["", "x", "x" * 9000, 7, None, {}, []])
def test_a_forged_state_is_another_question(agent, operator, forged):
    text = f"Which one? {new_id()}"
    first = ask(agent, SHOWS, question=text)
    [question] = asked(operator, text)
    respond(operator, question, "Secret")
    record = told({"result": again(
        agent, {**first, "requestState": forged}, question=text,
        timeout_seconds=1)})
    assert record["suspension_id"] != question["suspension_id"]
    assert record["value"] is None


def test_a_state_belongs_to_its_call(agent, operator, server, strangers):
    key = server.key("agent", "--agent", "refunds-agent")
    namesake = server.client(headers={"X-API-Key": key,
                                      "X-Agent-ID": "refunds-agent"})
    text = f"Which one? {new_id()}"
    first = ask(agent, SHOWS, question=text)
    [question] = asked(operator, text)
    respond(operator, question, "Secret")
    for client, more in ((strangers[0], {}), (namesake, {}),
                         (agent, {"severity": "low"})):
        made = again(client, first, HAS_TASKS, question=text, **more)
        assert made["taskId"] != question["suspension_id"]
        task(client, "cancel", made["taskId"])
    namesake.close()
    assert again(agent, first, question=text)["structuredContent"][
        "value"] == "Secret"
