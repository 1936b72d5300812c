"""One walk through all that the contract promises to succeed, with the
contract's own examples: each is accepted, and each answer is as it says."""
import contextlib
import json
import os
import pathlib
import re
import sys
import time
import uuid

import pytest
from openapi_contract import (BY_ID, DOC, PATH, TOP, example, follow,
                              judge)

sys.path.insert(0, str(TOP / "tests" / "http"))

from kit import configured, lost  # noqa: E402
from page import Page, new_token, once, typed  # noqa: E402
from test_log_witnesses import Witness  # noqa: E402
from tsa import Authority  # noqa: E402

ANY_ID = "11111111-2222-4333-8444-555555555555"

SEEN = set()


def call(client, operation_id, status, path=None, **kwargs):
    """Calls an operation; the answer has to be the one that was wanted and
    one that the contract has."""
    method, pattern, _ = BY_ID[operation_id]
    address = re.sub(r"\{(\w+)\}", lambda m: path[m[1]], pattern)
    answer = client.request(method.upper(), address, **kwargs)
    assert answer.status_code == status, f"{operation_id}: {answer.text[:500]}"
    judge(operation_id, answer)
    SEEN.add((operation_id, str(status)))
    return answer


def ask(agent, name="choice", **more):
    body = {**example("ask", name), **more}
    return call(agent, "ask", 201, json=body).json()


def draft(agent, **kwargs):
    body = example("createIntent", "complaint")
    return call(agent, "createIntent", 201, json=body, **kwargs)


# ---- Sayso's own door -----------------------------------------------------

def test_questions(agent, operator, server):
    body = example("ask", "choice")
    asked = call(agent, "ask", 201, json=body)
    at = {"id": asked.json()["suspension_id"]}
    assert asked.headers["Location"] == \
        f"{server.url}/api/v1/suspensions/{at['id']}"
    call(agent, "ask", 422, json={})
    call(agent, "ask", 400, content="{")
    call(agent, "ask", 409, json={"question": "Once more?",
                                  "intent_id": asked.json()["intent_id"]})
    call(agent, "readQuestion", 200, at)
    listed = call(agent, "listQuestions", 200, params={"limit": 1}).json()
    assert listed["suspensions"][0]["suspension_id"] == at["id"]
    call(agent, "listQuestions", 400, params={"after": "nothing"})
    call(operator, "answer", 422, at, json={"value": "maybe"})
    call(operator, "answer", 422, at, json={"value": "deny"})
    call(agent, "answer", 403, at, json=example("answer", "approve"))
    done = call(operator, "answer", 200, at,
                json=example("answer", "approve")).json()
    assert done["outcome"] == "authorized"
    call(operator, "answer", 409, at, json=example("answer", "deny"))
    call(operator, "answer", 404, {"id": "nothing"}, json={"value": "x"})


def test_asking_again(agent):
    key = {"Idempotency-Key": "walk-ask"}
    body = example("ask", "choice")
    asked = call(agent, "ask", 201, json=body, headers=key)
    again = call(agent, "ask", 201, json=body, headers=key)
    assert again.text == asked.text
    assert again.headers["Idempotency-Replayed"] == "true"
    assert again.headers.get("Location") == asked.headers["Location"]
    call(agent, "ask", 409, json={**body, "title": "Other"}, headers=key)


@pytest.mark.parametrize("name", ["confirm", "form", "text"])
def test_other_questions(agent, operator, name):
    asked = ask(agent, name)
    at = {"id": asked["suspension_id"]}
    value = {"confirm": "yes", "text": "We are sorry.",
             "form": example("answer", "form")["value"]}[name]
    if name == "form":
        call(operator, "answer", 422, at, json={"value": {"colour": 1}})
    call(operator, "answer", 200, at,
         json={"value": value, "responded_by": "bob@example.com",
               "metadata": {"channel": "phone"}})


KINDS = [("approval", "constrain"), ("approval", "edit"),
         ("permission", "allowFor"), ("plan", "steps"), ("cost", "limit")]


@pytest.mark.parametrize("name, sent", KINDS)
def test_kinds(agent, operator, admin, name, sent):
    asked = ask(agent, name)
    at = {"id": asked["suspension_id"]}
    required = call(admin, "readAction", 200, at).json()
    assert required["type"] == "action.required"
    call(operator, "answer", 422, at, json={
        "value": asked["choices"][-1]["value"], "subject": {}})
    body = example("answer", sent)
    if "typed" in body:
        untyped = {k: v for k, v in body.items() if k != "typed"}
        refused = call(operator, "answer", 422, at, json=untyped).json()
        assert refused["code"] == "typed.differs"
        assert refused["wanted"] == body["typed"]
    assert ("typed" in body) == (name == "approval")
    done = call(operator, "answer", 200, at, json=body).json()
    assert done["outcome"] == "authorized" and done["modified"]
    resolved = call(agent, "readAction", 200, at).json()
    assert resolved["type"] == "action.resolved"
    call(agent, "readQuestion", 200, at)


def test_other_kinds(agent, operator, server):
    asked = ask(agent, "handoff")
    at = {"id": asked["suspension_id"]}
    call(operator, "answer", 200, at, json={"value": "accept"})
    owner = call(agent, "readIntent", 200, {"id": asked["intent_id"]})
    assert owner.json()["owner"]
    credential = example("ask", "credential")
    credential["subject"]["settings_url"] = server.url + "/settings"
    asked = call(agent, "ask", 201, json=credential).json()
    at = {"id": asked["suspension_id"]}
    call(agent, "answer", 403, at, json={"value": "configured"})
    call(operator, "answer", 200, at, json={"value": "configured"})
    words = call(agent, "ask", 201, json={
        "question": "Which colour?", "kind": "elicitation"}).json()
    at = {"id": words["suspension_id"]}
    call(operator, "answer", 422, at, json={"value": "x",
                                            "choice": "decline"})
    call(operator, "answer", 200, at, json=example("answer", "decline"))
    call(agent, "ask", 422, json={"question": "May I?", "kind": "approval"})
    call(agent, "readAction", 404, {"id": "nothing"})


@contextlib.contextmanager
def rule(server, tool, effect):
    """While it is used, the only rule about tool calls."""
    with server.database() as db:
        db.execute("INSERT INTO tool_rule VALUES (1, '*', %s, %s, NULL, NULL, "
                   "now(), 'x')", [tool, effect])
        try:
            yield
        finally:
            db.execute("DELETE FROM tool_rule")


def test_tool_calls(agent, operator, admin, nobody, server):
    headers = {"X-API-Key": new_token(server)}
    ticket = call(nobody, "initiate", 201, headers=headers,
                  json={"agent": "refunds-agent"}).json()["initiation"]
    call(operator, "initiate", 403, json={"agent": "refunds-agent"})
    body = example("checkToolCalls", "refund")
    del body["responder"]
    body["task"]["task_id"] = "t-walk-tools"  # others use the example's too
    started = {**body, "initiation": ticket}
    pause = call(agent, "checkToolCalls", 202, json=started).json()
    assert pause["initiator"] == "proven"
    call(agent, "checkToolCalls", 409, json=body)
    call(agent, "checkToolCalls", 422, json={**body, "tool_calls": [{}]})
    at = {"id": pause["request_id"]}
    led = call(nobody, "resumePage", 303, at, params={"action": "approve"})
    assert led.headers["Location"].endswith("?choice=approve")
    call(nobody, "resume", 422, at, headers=headers, json={"action": "maybe"})
    call(operator, "resume", 403, at, json=example("resume", "approve"))
    call(nobody, "resume", 200, at, headers=headers,
         json=example("resume", "approve"))
    call(nobody, "resume", 409, at, headers=headers,
         json=example("resume", "reject"))
    told = call(agent, "readQuestion", 200, at).json()
    assert told["tool_calls"] == body["tool_calls"]
    assert told["permit"]["state"] == "active"
    read = {"task": {"task_id": "t-walk"}, "tool_calls": [
        {"id": "call_1", "tool": "docs.read", "arguments": {}}]}
    with rule(server, "docs.*", "allow"):
        decided = call(agent, "checkToolCalls", 200, json=read).json()
    assert decided["decision"] == "allow"


def test_mcp(agent):
    listed = call(agent, "mcp", 200, json=example("mcp", "tools")).json()
    assert "ask_human" in {t["name"] for t in listed["result"]["tools"]}
    call(agent, "mcp", 202, json=example("mcp", "initialized"))
    call(agent, "mcp", 400, json={})
    told = call(agent, "hook", 200, {"client": "claude"}, params={"hold": 0},
                json=example("hook", "claude")).json()
    assert told["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_oauth(agent, operator, server):
    """With a resource that takes tokens without a key; proofs are tried by the
    tests over HTTP."""
    details = json.dumps(
        example("authorize", "refund")["authorization_details"])
    with server.resource("https://walk.example/mcp",
                         "--allow-bearer") as gateway:
        call(agent, "oauthMetadata", 200)
        asked = call(agent, "oauthAsk", 200, data={
            "authorization_details": details,
            "resource": gateway.address}).json()
        form = {"grant_type": "urn:openid:params:grant-type:ciba",
                "auth_req_id": asked["auth_req_id"]}
        call(agent, "oauthToken", 400, data=form)
        call(operator, "answer", 200, {"id": asked["request_id"]},
             json={"value": "approve"})
        token = call(agent, "oauthToken", 200, data=form).json()
        body = {"token": token["access_token"]}
        seen = call(gateway, "oauthIntrospect", 200, data=body).json()
        assert seen["active"] and seen["aud"] == gateway.address
        call(agent, "oauthRevoke", 200, data=body)
        seen = call(gateway, "oauthIntrospect", 200, data=body).json()
        assert seen == {"active": False}
        call(gateway, "redeem", 401, json={**example("redeem", "gateway"),
                                           **body})


def test_permits(agent, operator, server):
    body = example("authorize", "refund")
    asked = call(agent, "authorize", 202, json=body).json()
    assert asked["yield"] is True
    call(agent, "authorize", 422, json={"goal": "Refund"})
    at = {"id": asked["permit_id"]}
    use = {**example("redeem", "refund"), "permit_id": at["id"]}
    use["call"] = {"tool": "shop.refund", "arguments": {
        "order": "12345", "currency": "EUR", "amount": "49.90"}}
    call(agent, "redeem", 409, json=use)
    call(operator, "answer", 200, {"id": asked["request_id"]},
         json={"value": "approve"})
    call(agent, "permit", 200, at)
    call(agent, "permit", 404, {"id": "nothing"})
    used = call(agent, "redeem", 201, json=use).json()
    assert call(agent, "redeem", 200, json=use).json() == used
    call(agent, "redeem", 422, json={"permit_id": at["id"]})
    one = {"id": used["redemption_id"]}
    call(agent, "redemptionResult", 200, one,
         json=example("redemptionResult", "completed"))
    call(agent, "redemptionResult", 409, one, json={"result": "failed"})
    late = call(operator, "permitRevoke", 200, at, json={"reason": "x"})
    assert late.json()["late"] is True
    with rule(server, "shop.*", "deny"):
        call(agent, "authorize", 201, json=body)


def test_what_is_too_large_is_refused_whole(agent, operator):
    at = {"id": ask(agent, "confirm")["suspension_id"]}
    call(operator, "answer", 413, at,
         json={"value": "yes", "metadata": {"note": "x" * 200_000}})
    assert call(agent, "readQuestion", 200, at).json()["state"] == "pending"


def test_deny(agent, operator):
    at = {"id": ask(agent)["suspension_id"]}
    done = call(operator, "answer", 200, at, json=example("answer", "deny"))
    assert done.json()["outcome"] == "vetoed"


def test_taking_back(agent):
    at = {"id": ask(agent)["suspension_id"]}
    call(agent, "takeBack", 422, at, json={"reasons": ""})
    call(agent, "takeBack", 200, at, json=example("takeBack", "reason"))
    call(agent, "takeBack", 409, at, json={})
    at = {"id": ask(agent)["suspension_id"]}
    call(agent, "takeBack", 200, at)


def test_an_answer_that_a_restore_lost(agent, server):
    asked = ask(agent)
    at = {"id": asked["suspension_id"]}
    body = example("reconcile", "used")
    call(agent, "reconcile", 409, at, json=body)
    lost(server, asked)
    call(agent, "reconcile", 422, at, json={"outcome": "x"})
    call(agent, "reconcile", 201, at, json=body)
    call(agent, "reconcile", 200, at, json=body)
    call(agent, "reconcile", 404, {"id": "nothing"}, json=body)


def test_endpoints(agent, admin):
    body = example("registerEndpoint", "platform")
    # Another suite may have sent the example already.
    for there in agent.get("/api/v1/endpoints").json()["endpoints"]:
        agent.delete(f"/api/v1/endpoints/{there['endpoint_id']}")
    key = {"Idempotency-Key": "walk-endpoint"}
    made = call(agent, "registerEndpoint", 201, json=body, headers=key)
    again = call(agent, "registerEndpoint", 201, json=body, headers=key)
    # The secret is shown once, and not in an answer that is repeated.
    shown = made.json()
    assert shown.pop("secret") and again.json() == shown
    assert again.headers["Idempotency-Replayed"] == "true"
    at = {"id": shown["endpoint_id"]}
    call(agent, "registerEndpoint", 409, json=body)
    call(agent, "registerEndpoint", 422, json={**body, "url": "http://x"})
    call(agent, "registerEndpoint", 403, json={**body, "internal": True})
    call(agent, "listEndpoints", 200)
    call(admin, "readEndpoint", 200, at)
    call(agent, "readEndpoint", 404, {"id": "nothing"})
    call(agent, "changeEndpoint", 200, at,
         json=example("changeEndpoint", "pause"))
    call(agent, "testEndpoint", 202, at)
    call(agent, "testEndpoint", 409, at)
    call(agent, "readEndpoint", 200, at)
    call(agent, "changeEndpoint", 422, at, json={"paused": 1})
    key = {"Idempotency-Key": "walk-rotate"}
    shown = call(agent, "rotateSecret", 200, at, headers=key).json()
    again = call(agent, "rotateSecret", 200, at, headers=key).json()
    assert shown.pop("secret") and again == shown
    subscription = example("subscribe", "all")
    one = call(agent, "subscribe", 201, json=subscription).json()
    call(agent, "subscribe", 422, json={"webhook_url": "https://x.invalid"})
    call(agent, "listSubscriptions", 200)
    call(agent, "listSubscriptions", 400, params={"after": "nothing"})
    call(agent, "unsubscribe", 204, {"id": one["id"]})
    call(agent, "unsubscribe", 404, {"id": one["id"]})
    call(agent, "removeEndpoint", 204, at)
    call(agent, "removeEndpoint", 404, at)


def soon(client, operation_id, *args, **more):
    """The log's own process makes it, so it is there after a moment."""
    method, pattern, _ = BY_ID[operation_id]
    end = time.monotonic() + 20
    while time.monotonic() < end:
        path = args[0] if args else {}
        address = re.sub(r"\{(\w+)\}", lambda m: path[m[1]], pattern)
        answer = client.request(method.upper(), address, **more)
        if answer.status_code == 200 and answer.text != "[]":
            break
        judge(operation_id, answer)
        time.sleep(0.05)
    return call(client, operation_id, 200, *args, **more)


def cosigned(agent, admin, server):
    """A witness adds its line to the newest head."""
    w = Witness("witness.example")
    with configured(server, log_witnesses=w.vkey):
        note = agent.get("/log/checkpoint").text
        call(admin, "addCosignature", 200, json={"note": note + w.line(note)})
        call(admin, "addCosignature", 422, json={"note": note})
        foreign = note.replace("/log\n", "/other\n", 1)
        call(admin, "addCosignature", 404, json={"note": foreign})
        call(agent, "logHead", 200, params={"cosigned": "yes"})


def anchored(operator, server):
    """A checkpoint without an authority, and with one."""
    made = call(operator, "makeCheckpoint", 201,
                json={"scope": "server"}).json()
    at = {"id": made["checkpoint_id"]}
    call(operator, "anchorCheckpoint", 501, at)
    call(operator, "anchorCheckpoint", 404, {"id": "x"})
    call(operator, "anchorCheckpoint", 422, at, json={"provider": "other"})
    tsa = Authority()
    try:
        with configured(server, tsa_url=tsa.url):
            tsa.answer = lambda query: (500, b"no")
            call(operator, "anchorCheckpoint", 503, at)
            tsa.answer = tsa.stamp
            call(operator, "anchorCheckpoint", 200, at)
    finally:
        tsa.close()


def test_the_log(agent, operator, admin, nobody, server):
    intent = draft(agent).json()
    at = {"id": intent["id"]}
    call(agent, "setStatus", 200, at, json={"status": "abandoned"},
         headers={"If-Match": "1"})
    listed = soon(agent, "listCheckpoints",
                  params={"intent_id": intent["id"]}).json()
    call(agent, "listCheckpoints", 400, params={"scope": "other"})
    call(agent, "listCheckpoints", 404, params={"after": "x"})
    of = {"id": listed[0]["checkpoint_id"]}
    call(agent, "getCheckpoint", 200, of)
    call(agent, "getCheckpoint", 404, {"id": "x"})
    event = call(agent, "listEvents", 200, at).json()[0]
    call(agent, "proveEvent", 200, {**of, "event_id": event["id"]})
    call(agent, "proveEvent", 404, {**of, "event_id": ANY_ID})
    both = {"from_checkpoint": of["id"], "to_checkpoint": of["id"]}
    call(agent, "verifyConsistency", 200, params=both)
    call(agent, "verifyConsistency", 404,
         params={**both, "to_checkpoint": "x"})
    call(nobody, "logKeys", 200)
    call(nobody, "receiptKeys", 200)
    call(nobody, "didDocument", 200)
    call(agent, "readEvent", 200, {**at, "event_id": event["id"]})
    call(agent, "readEvent", 404, {**at, "event_id": ANY_ID})
    other = {"intent_id": draft(agent).json()["id"]}
    call(operator, "makeCheckpoint", 201, json=other)
    call(operator, "makeCheckpoint", 409, json=other)
    call(operator, "makeCheckpoint", 404, json={"intent_id": ANY_ID})
    call(operator, "makeCheckpoint", 422, json={"scope": "intent"})
    anchored(operator, server)
    soon(agent, "logHead")
    cosigned(agent, admin, server)
    call(agent, "logTile2", 200, {"level": "0", "n1": "000.p", "n2": "1"})
    call(agent, "logTile", 404, {"level": "7", "n": "000"})
    # A log of 256 million events would be needed for the others.
    with server.database() as db:
        for number in (7, 1000, 1000000):
            db.execute("INSERT INTO log_tile SELECT epoch, 5, %s, %s "
                       "FROM log_end", [number, bytes(8192)])
    call(agent, "logTile", 200, {"level": "5", "n": "007"})
    parts = {"level": "5", "n1": "x001", "n2": "000.p", "n3": "5"}
    call(agent, "logTile3", 200, parts)
    call(agent, "logTile4", 200, {**parts, "n2": "x000", "n3": "000.p",
                                  "n4": "5"})
    # Nor was anything restored here: rows as the log after a restore has.
    with server.database() as db:
        db.execute("INSERT INTO log_tile SELECT 7, level, number, hashes "
                   "FROM log_tile WHERE epoch = 0 AND level = 5")
        db.execute("INSERT INTO log_head SELECT 7, size, root, note, "
                   "signed_at FROM log_head LIMIT 1")
    call(agent, "logHeadOf", 200, {"epoch": "7"})
    call(agent, "logHeadOf", 404, {"epoch": "8"})
    of = {**parts, "epoch": "7"}
    call(agent, "logTileOf", 200, {**of, "n": "007"})
    call(agent, "logTile2Of", 200, {**of, "n1": "007.p", "n2": "1"})
    call(agent, "logTile3Of", 200, of)
    call(agent, "logTile4Of", 200, {**of, "n2": "x000", "n3": "000.p",
                                    "n4": "5"})
    with server.database() as db, db.transaction():
        db.execute("SET LOCAL session_replication_role = replica")
        db.execute("DELETE FROM log_tile WHERE level = 5")
        db.execute("DELETE FROM log_head WHERE epoch = 7")


def test_receipts(agent, operator):
    asked = ask(agent)
    at = {"id": asked["suspension_id"]}
    call(agent, "readReceipt", 409, at)
    call(operator, "answer", 200, at, json=example("answer", "approve"))
    soon(agent, "readReceipt", at)
    call(agent, "readReceipt", 200, at, params={"texts": "no"})
    call(agent, "readReceipt", 200, at,
         headers={"Accept": "application/jose"})
    call(agent, "readReceipt", 404, {"id": "x"})


def test_files(agent):
    text = {"content": "The log", "headers": {"Content-Type": "text/plain"}}
    made = call(agent, "uploadArtifact", 201, **text).json()
    call(agent, "uploadArtifact", 200, **text)
    call(agent, "uploadArtifact", 422, **{**text, "content": ""})
    call(agent, "uploadArtifact", 415, content="x",
         headers={"Content-Type": "text/html"})
    call(agent, "readArtifact", 200, {"sha256": made["ref"]})
    call(agent, "readArtifact", 404, {"sha256": "x"})


def test_questions_of_a_test_key(agent, server):
    key = server.key("agent", "--agent", "walked", "--test")
    with server.client(headers={"X-API-Key": key}) as tester:
        asked = ask(tester)
        body = {**example("testAnswer", "approve"),
                "suspension_id": asked["suspension_id"]}
        call(agent, "testAnswer", 403, json=body)
        call(tester, "testAnswer", 422, json={"value": "approve"})
        call(tester, "testAnswer", 200, json=body)
        call(tester, "testAnswer", 409, json=body)
        later = ask(tester, timeout_seconds=3600)
        moved = call(tester, "testClock", 200, json={"forward_seconds": 60})
        assert moved.json() == {"moved": 1}
        call(tester, "takeBack", 200, {"id": later["suspension_id"]})


def test_the_agent_approval_protocol(agent, operator):
    body = {"tool": "refund", "arguments": {"order": "7"}, "timeout": "10m"}

    def submitted(name):
        key = {"Idempotency-Key": name}
        one = call(agent, "aapCreate", 201, json=body, headers=key).json()
        call(agent, "aapCreate", 200, json=body, headers=key)
        return {"id": one["id"]}

    at = submitted("walk-aap-1")
    call(agent, "aapRead", 200, at)
    call(agent, "aapConsume", 409, at)
    call(operator, "answer", 200, at, json={"value": "approve"})
    call(agent, "aapOutcome", 409, at, json={"status": "succeeded"})
    call(agent, "aapConsume", 200, at)
    call(agent, "aapOutcome", 200, at, json={"status": "succeeded"})
    call(agent, "aapCancel", 409, at)
    call(agent, "aapCancel", 200, submitted("walk-aap-2"))
    call(agent, "aapRead", 404, {"id": ANY_ID})


# ---- OpenIntent -----------------------------------------------------------

def test_discovery(nobody):
    for name in ("discover", "readConfig"):
        answer = call(nobody, name, 200)
        given = BY_ID[name][2]["responses"]["200"]["content"]
        assert answer.json() == \
            given["application/json"]["examples"]["sayso"]["value"]


def test_intents(agent):
    made = draft(agent)
    at = {"id": made.json()["id"]}
    read = call(agent, "readIntent", 200, at)
    assert read.headers["ETag"] == made.headers["ETag"] == '"1"'
    call(agent, "readIntent", 304, at, headers={"If-None-Match": '"1"'})
    call(agent, "readIntent", 404, {"id": "nothing"})
    call(agent, "listIntents", 200, params={"status": "draft", "limit": 2})
    call(agent, "listIntents", 200, params={"after": at["id"]})
    call(agent, "listIntents", 400, params={"colour": "red"})
    call(agent, "createIntent", 422, json={})
    other = draft(agent).json()["id"]
    more = {"title": "Two", "depends_on": [other, other.upper()],
            "parent_intent_id": at["id"].upper()}
    answer = agent.post("/api/v1/intents", json=more)
    if answer.status_code != 422:
        judge("createIntent", answer)
        two = {"id": answer.json()["id"]}
        assert call(agent, "readIntent", 200, two).json() == answer.json()
    call(agent, "setStatus", 400, at, json={"status": "active"})
    for version, name in enumerate(["active", "abandoned"], 1):
        call(agent, "setStatus", 200, at, json=example("setStatus", name),
             headers={"If-Match": str(version)})
    call(agent, "setStatus", 409, at, json=example("setStatus", "active"),
         headers={"If-Match": '"1"'})


def test_state(agent):
    at = {"id": draft(agent).json()["id"]}
    for version, name in enumerate(["patches", "merge"], 1):
        changed = call(agent, "patchState", 200, at,
                       json=example("patchState", name),
                       headers={"If-Match": str(version)})
    assert changed.json()["state"] == {
        "order": "12345", "customer": "Alice", "notes": ["Photo asked for"]}
    call(agent, "patchState", 422, at, headers={"If-Match": "3"},
         json={"patches": [{"op": "set", "path": "/", "value": 1}]})


def test_graph(agent):
    parent = {"id": draft(agent).json()["id"]}
    child = call(agent, "createChild", 201, parent,
                 json=example("createChild", "child")).json()["id"]
    call(agent, "listChildren", 200, parent)
    call(agent, "addDependency", 200, parent, headers={"If-Match": "1"},
         json={"dependency_id": child})
    call(agent, "addDependency", 400, {"id": child},
         json={"dependency_id": parent["id"]}, headers={"If-Match": "1"})
    for name in ("listDescendants", "listAncestors", "listReady",
                 "listBlocked", "getGraph"):
        call(agent, name, 200, parent)
        call(agent, name, 404, {"id": "nothing"})
    call(agent, "listDependencies", 200, parent)
    call(agent, "listDependents", 200, {"id": child})
    gone = {**parent, "dependency_id": child}
    call(agent, "removeDependency", 200, gone, headers={"If-Match": "2"})
    call(agent, "removeDependency", 404, gone, headers={"If-Match": "3"})


def test_governance(agent, operator):
    made = draft(agent).json()
    at = {"id": made["id"]}
    call(agent, "readGovernance", 200, at)
    call(agent, "setGovernance", 200, at,
         json=example("setGovernance", "approval"), headers={"If-Match": "1"})
    call(agent, "setGovernance", 403, at, json={}, headers={"If-Match": "2"})
    call(agent, "setGovernance", 422, at, json={"max_cost": -1},
         headers={"If-Match": "2"})
    call(agent, "setStatus", 403, at, json=example("setStatus", "active"),
         headers={"If-Match": "2"})
    call(agent, "removeGovernance", 403, at, headers={"If-Match": "2"})
    call(operator, "removeGovernance", 409, at, headers={"If-Match": "1"})
    call(operator, "removeGovernance", 200, at, headers={"If-Match": "2"})


def test_workflow(agent):
    made = call(agent, "createIntent", 201, json={"title": "x", "state": {
        "_io_inputs": {"a": "y.x"}, "_io_outputs": {"z": "string"}}})
    at = {"id": made.json()["id"]}
    call(agent, "acquireLease", 422, at, json={"scope": "x"})
    call(agent, "setStatus", 200, at, json=example("setStatus", "active"),
         headers={"If-Match": "1"})
    call(agent, "setStatus", 422, at, json={"status": "completed"},
         headers={"If-Match": "2"})


def test_beside(agent, operator):
    at = {"id": draft(agent).json()["id"]}
    asked = [call(agent, "requestApproval", 201, at,
                  json=example("requestApproval", "usual")).json()["id"]
             for _ in range(2)]
    call(agent, "requestApproval", 422, at, json={})
    for id, name in zip(asked, ("approveApproval", "denyApproval")):
        one = {**at, "approval_id": id}
        call(agent, "readApproval", 200, one)
        call(operator, name, 200, one, json=example(name, "usual"))
        call(operator, name, 409, one)
    call(agent, "readApproval", 404, {**at, "approval_id": "nothing"})
    raised = {"id": call(agent, "escalate", 201, at,
                         json=example("escalate", "usual")).json()["id"]}
    call(agent, "listEscalations", 200, params={"status": "pending"})
    call(operator, "resolveEscalation", 200, raised,
         json=example("resolveEscalation", "usual"))
    call(operator, "resolveEscalation", 409, raised,
         json=example("resolveEscalation", "usual"))
    call(agent, "requestArbitration", 201, at,
         json=example("requestArbitration", "usual"))
    call(operator, "recordDecision", 201, at, json={
        "decision_type": "arbitration", "outcome": "pay"})
    call(agent, "recordDecision", 201, at,
         json=example("recordDecision", "usual"))
    call(agent, "listDecisions", 200, at)


def test_portfolios(agent, operator):
    one = {"id": call(agent, "makePortfolio", 201,
                      json=example("makePortfolio", "usual")).json()["id"]}
    call(agent, "makePortfolio", 422, json={})
    call(agent, "listPortfolios", 200, params={"status": "active"})
    call(agent, "listPortfolios", 400, params={"status": "paused"})
    intent = draft(agent).json()
    body = {**example("addToPortfolio", "usual"), "intent_id": intent["id"]}
    call(agent, "addToPortfolio", 201, one, json=body)
    call(agent, "addToPortfolio", 200, one, json=body)
    call(agent, "readPortfolio", 200, one)
    call(agent, "listPortfolioIntents", 200, one)
    call(agent, "listPortfoliosOfIntent", 200, {"id": intent["id"]})
    call(operator, "changePortfolio", 200, one,
         json=example("changePortfolio", "usual"))
    call(agent, "setPortfolioStatus", 409, one, json={"status": "completed"})
    member = {**one, "intent_id": intent["id"]}
    call(agent, "removeFromPortfolio", 204, member)
    call(agent, "removeFromPortfolio", 404, member)
    call(agent, "setPortfolioStatus", 200, one,
         json=example("setPortfolioStatus", "usual"))
    for name in ("readPortfolio", "listPortfolioIntents"):
        call(agent, name, 404, {"id": ANY_ID})


def test_records(agent):
    at = {"id": draft(agent).json()["id"]}
    call(agent, "recordCost", 201, at, json=example("recordCost", "usual"))
    call(agent, "recordCost", 422, at, json={})
    call(agent, "listCosts", 200, at)
    file = call(agent, "addAttachment", 201, at,
                json=example("addAttachment", "usual")).json()
    call(agent, "addAttachment", 422, at, json={})
    call(agent, "listAttachments", 200, at)
    one = {**at, "attachment_id": file["id"]}
    call(agent, "removeAttachment", 204, one)
    call(agent, "removeAttachment", 404, one)
    call(agent, "readRetryPolicy", 404, at)
    call(agent, "setRetryPolicy", 200, at,
         json=example("setRetryPolicy", "usual"))
    call(agent, "setRetryPolicy", 422, at, json={"max_retries": -1})
    call(agent, "readRetryPolicy", 200, at)
    call(agent, "recordFailure", 201, at,
         json=example("recordFailure", "usual"))
    call(agent, "recordFailure", 422, at, json={"error_code": 7})
    call(agent, "listFailures", 200, at)


def test_access(agent, operator, server):
    at = {"id": draft(agent).json()["id"]}
    call(agent, "setAcl", 200, at, json=example("setAcl", "usual"))
    call(agent, "setAcl", 422, at, json={})
    call(agent, "readAcl", 200, at)
    entry = call(agent, "grantAccess", 201, at,
                 json=example("grantAccess", "usual")).json()
    call(agent, "grantAccess", 422, at, json={})
    one = {**at, "entry_id": entry["id"]}
    call(agent, "revokeAccess", 204, one)
    call(agent, "revokeAccess", 404, one)
    key = server.key("agent", "--agent", "research-agent")
    with server.client(headers={"X-API-Key": key}) as stranger:
        call(stranger, "readAcl", 404, at)
        for name in ("approveAccessRequest", "denyAccessRequest"):
            body = example("requestAccess", "usual")
            asked = call(stranger, "requestAccess", 201, at, json=body).json()
            call(stranger, "requestAccess", 409, at, json=body)
            one = {**at, "request_id": asked["id"]}
            call(operator, name, 422, one, json={"reason": 7})
            call(operator, name, 200, one, json=example(name, "usual"))
            call(operator, name, 409, one)
            call(operator, name, 404, {**at, "request_id": "x"})
        call(stranger, "readAcl", 200, at)
        call(stranger, "setAcl", 403, at, json=example("setAcl", "usual"))
        call(stranger, "requestAccess", 422, at, json={})
    call(agent, "listAccessRequests", 200, at)


def test_coordinators(agent, server):
    intent = {"id": draft(agent).json()["id"]}
    body = {**example("makeCoordinator", "usual"), "intent_id": intent["id"]}
    made = call(agent, "makeCoordinator", 201, json=body).json()
    call(agent, "makeCoordinator", 200, json=body)
    call(agent, "makeCoordinator", 422, json={})
    with server.client("agent", agent="other-agent") as other:
        call(other, "makeCoordinator", 409,
             json={**body, "agent_id": "other-agent"})
        call(other, "makeCoordinator", 403, json=body)
    at = {"id": made["id"]}
    call(agent, "readCoordinator", 200, at)
    call(agent, "readCoordinator", 404, {"id": "nothing"})
    call(agent, "beatCoordinator", 200, at)
    call(agent, "listCoordinators", 200, intent)
    one = {"id": call(agent, "makePortfolio", 201,
                      json=example("makePortfolio", "usual")).json()["id"]}
    call(agent, "makeCoordinator", 201, json={
        "agent_id": "refunds-agent", "portfolio_id": one["id"]})
    call(agent, "listPortfolioCoordinators", 200, one)
    record = {**example("recordCoordination", "usual"),
              "coordinator_id": made["id"], "intent_id": intent["id"]}
    call(agent, "recordCoordination", 201, json=record)
    call(agent, "recordCoordination", 422, json={
        **record, "coordinator_id": ANY_ID})
    call(agent, "listCoordination", 200, intent, params={"limit": 5})
    call(agent, "endCoordinator", 200, at)
    call(agent, "beatCoordinator", 409, at)


def versioned(client, name, one, status, **kwargs):
    """A change of a task or a plan in the version of its last answer."""
    return call(client, name, status, {"id": one["id"]},
                headers={"If-Match": str(one["version"])}, **kwargs).json()


def test_plans(agent, operator):
    intent = draft(agent).json()
    at = {"id": intent["id"]}
    body = {**example("createTask", "usual"), "intent_id": intent["id"]}
    task = call(agent, "createTask", 201, json=body).json()
    call(agent, "createTask", 422, json={"intent_id": intent["id"]})
    call(agent, "createTask", 400, content="{")
    call(agent, "readTask", 200, task)
    call(agent, "readTask", 404, {"id": "nothing"})
    call(agent, "listTasks", 200, at, params={"status": "ready"})
    call(agent, "listTasks", 400, at, params={"limit": 0})
    call(agent, "changeTask", 428, task, json={})
    gates = [{"id": name, "name": "Look at it", "after_task": task["id"]}
             for name in ("one", "two")]
    body = {**example("createPlan", "usual"), "intent_id": intent["id"],
            "tasks": [task["id"]], "checkpoints": gates}
    plan = call(agent, "createPlan", 201, json=body).json()
    call(agent, "createPlan", 422, json={})
    call(agent, "readPlan", 200, plan)
    call(agent, "readPlan", 404, {"id": "nothing"})
    call(agent, "listPlans", 200, at)
    plan = versioned(agent, "changePlan", plan, 200,
                     json=example("changePlan", "usual"))
    versioned(agent, "changePlan", plan, 403, json={"checkpoints": []})
    call(agent, "changePlan", 428, plan, json={})
    task = call(agent, "readTask", 200, task).json()
    task = versioned(agent, "changeTask", task, 200,
                     json=example("changeTask", "usual"))
    versioned(agent, "changeTask", task, 409, json={"status": "ready"})
    versioned(agent, "changeTask", task, 200, json={
        "status": "completed", "output": {"rows": 3}})
    for gate, name in (("one", "approveCheckpoint"),
                       ("two", "rejectCheckpoint")):
        one = {"id": plan["id"], "checkpoint_id": gate}
        call(operator, name, 200, one, json=example(name, "usual"))
        call(operator, name, 409, one)
    call(operator, "approveCheckpoint", 404, {"id": "x",
                                              "checkpoint_id": "x"})
    versioned(agent, "changePlan", plan, 409, json={})


def test_openintent_question(agent, operator):
    at = {"id": draft(agent).json()["id"]}
    call(agent, "setStatus", 200, at, json=example("setStatus", "suspended"),
         headers={"If-Match": "1"})
    call(operator, "respond", 409, at, json=example("respond", "approve"))
    body = example("patchState", "question")
    record = body["patches"][0]["value"]
    call(agent, "patchState", 200, at, json=body, headers={"If-Match": "2"})
    call(agent, "postEvent", 200, at,
         json={"event_type": "intent.suspended",
               "payload": {"suspension_id": record["id"]}})
    answer = {**example("respond", "approve"), "suspension_id": record["id"]}
    call(operator, "respond", 422, at, json={**answer, "value": "maybe"})
    call(operator, "respond", 422, at, json={"value": "approve"})
    call(operator, "respond", 200, at, json=answer)
    call(operator, "respond", 409, at, json=answer)
    resumed = call(agent, "readIntent", 200, at).json()
    assert resumed["status"] == "active"
    assert resumed["state"]["_suspension"]["response"] == "approve"


def test_events(agent):
    at = {"id": draft(agent).json()["id"]}
    for name in ("comment", "engagement"):
        call(agent, "postEvent", 201, at, json=example("postEvent", name))
    call(agent, "postEvent", 403, at, json={"event_type": "intent.resumed"})
    call(agent, "postEvent", 409, at, json={"event_type": "intent.suspended"})
    call(agent, "postEvent", 422, at, json={"event_type": "tea"})
    call(agent, "listEvents", 200, at, params={
        "event_type": "comment", "since": "2026-01-01T00:00:00", "before": 9})
    found = call(agent, "verifyEvents", 200, at).json()
    assert found["chain_valid"] and found["event_count"] == 3


def test_leases(agent, server):
    at = {"id": draft(agent).json()["id"]}
    body = example("acquireLease", "refund")
    held = call(agent, "acquireLease", 201, at, json=body).json()
    with server.client("agent", agent="mail-agent") as other:
        call(other, "acquireLease", 409, at, json=body)
        one = {**at, "lease_id": held["id"]}
        call(other, "renewLease", 403, one, json={})
    call(agent, "listLeases", 200, at)
    call(agent, "renewLease", 200, one, json=example("renewLease", "longer"))
    call(agent, "releaseLease", 200, one)
    call(agent, "renewLease", 409, one, json={})
    call(agent, "renewLease", 404, {**at, "lease_id": at["id"]}, json={})


def test_agents(agent):
    at = {"id": draft(agent).json()["id"]}
    call(agent, "assignAgent", 200, at, json=example("assignAgent", "mail"))
    listed = call(agent, "listAgents", 200, at).json()["agents"]
    assert [a["agent_id"] for a in listed] == ["mail-agent"]
    call(agent, "unassignAgent", 200, {**at, "agent_id": "mail-agent"})
    call(agent, "unassignAgent", 404, {**at, "agent_id": "mail-agent"})


# ---- streams --------------------------------------------------------------

def listen(client, operation_id, **path):
    """The first frame of a stream."""
    address = re.sub(r"\{(\w+)\}", lambda m: path[m[1]],
                     BY_ID[operation_id][1])
    with client.stream("GET", address) as answer:
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == "text/event-stream"
        for line in answer.iter_lines():
            if line.startswith("event: "):
                assert line == "event: connected"
                break
    SEEN.add((operation_id, "200"))


def test_streams(agent):
    at = {"id": draft(agent).json()["id"]}
    for name in ("streamIntent", "streamIntentToo"):
        listen(agent, name, **at)
        call(agent, name, 404, {"id": "nothing"})
    made = call(agent, "makePortfolio", 201, json={"name": "x"}).json()
    for name in ("streamPortfolio", "streamPortfolioToo"):
        listen(agent, name, id=made["id"])
        call(agent, name, 404, {"id": "nothing"})
    for name in ("streamAgent", "streamAgentToo"):
        listen(agent, name, agent_id="refunds-agent")
        call(agent, name, 404, {"agent_id": "clock"})


# ---- who may --------------------------------------------------------------

def test_no_key(nobody):
    for name, (method, path, operation) in BY_ID.items():
        if operation["security"] == [{"ApiKey": []}, {"Bearer": []}]:
            answer = call(nobody, name, 401, dict.fromkeys(
                re.findall(r"\{(\w+)\}", path), "x"))
            assert answer.headers["WWW-Authenticate"]


def test_bearer(agent, nobody):
    key = agent.headers["X-API-Key"]
    bearer = {"Authorization": f"Bearer {key}"}
    call(nobody, "listIntents", 200, headers=bearer)
    call(nobody, "listIntents", 401, headers={"Authorization": "Bearer x"})


def test_an_agent_by_name(agent):
    call(agent, "listIntents", 200, headers={"X-Agent-ID": "mail-agent"})
    call(agent, "listIntents", 403, headers={"X-Agent-ID": "*"})


@pytest.mark.parametrize("accept", ["*/*", "text/html"])
def test_errors_before_the_door(agent, accept):
    """An invalid address, query or header is answered in the error style of the
    door that it was meant for."""
    wanted = {"Accept": accept}
    call(agent, "readIntent", 404, {"id": "a%2Fb"}, headers=wanted)
    call(agent, "readIntent", 400, {"id": "%FF"}, headers=wanted)
    call(agent, "readQuestion", 404, {"id": "a%2Fb"}, headers=wanted)
    call(agent, "listIntents", 400, params=b"limit=%F", headers=wanted)
    call(agent, "listIntents", 413, params={"status": "x" * 5000},
         headers=wanted)
    call(agent, "listIntents", 400, headers={**wanted, "X-Word": b"\xe9"})


# ---- pages and operations -------------------------------------------------

def test_operations(nobody):
    for name in ("health", "ready", "metrics"):
        call(nobody, name, 200)
        call(nobody, name, 400, params={"colour": "red"})


def test_served_as_it_is(nobody):
    made = pathlib.Path(os.environ["SAYSO_BUILD"], "docs")
    for name, path in (("contract", PATH),
                       ("contractForAgents", made / "openapi-agents.yaml"),
                       ("contractForGenerators", made / "openapi-client.yaml")):
        assert call(nobody, name, 200).text == path.read_text()


def test_pages_without_session(nobody):
    """Where a page is not shown the login is, and nothing is decided."""
    for name, (method, path, operation) in BY_ID.items():
        if operation["security"] == [{"Session": []}]:
            if name in ("streamInbox", "inboxNotices", "suspensionLooking"):
                call(nobody, name, 401, {"id": "x"})
                continue
            answer = call(nobody, name, 303, {"id": "x", "sha256": "x",
                                              "name": "x"})
            assert answer.headers["Location"].startswith("/login")


@pytest.fixture
def browser(server):
    with server.client() as one:
        yield one


def token(page):
    """The token of the forms on a page."""
    return re.search(r'name="csrf" value="([^"]+)"', page.text)[1]


def sign_in(browser, server, status=303, headers=None, **more):
    page = call(browser, "pageLogin", 200, params={"next": "/decided"})
    form = {"csrf": token(page),
            "email": server.env["SAYSO_OPERATOR_EMAIL"],
            "password": server.env["SAYSO_OPERATOR_PASSWORD"], **more}
    return call(browser, "signIn", status, data=form, headers=headers)


def test_login(browser, server):
    call(browser, "pageHome", 303)
    sign_in(browser, server, 403, csrf="guess")
    sign_in(browser, server, 422, password="guess")
    sign_in(browser, server, 403, {"Origin": "https://elsewhere.example"})
    done = sign_in(browser, server, next="/decided")
    assert done.headers["Location"] == "/decided"
    assert "HttpOnly" in done.headers["Set-Cookie"]
    call(browser, "pageLogin", 303)
    for name in ("pageInbox", "pageDecided"):
        call(browser, name, 200)
        call(browser, name, 400, params={"colour": "red"})
    for name in ("pageQuestion", "pageIntent", "pagePortfolio"):
        call(browser, name, 404, {"id": "nothing"})
    page = call(browser, "pageInbox", 200)
    listen(browser, "streamInbox")
    call(browser, "inboxNotices", 200, params={"of": "nothing"})
    call(browser, "suspensionLooking", 404, {"id": "nothing"})
    call(browser, "signOut", 403, data={"csrf": "guess"})
    call(browser, "signOut", 303, data={"csrf": token(page)})
    call(browser, "pageInbox", 303)


def test_page_of_a_question(agent, browser, server):
    asked = ask(agent, "confirm")
    at = {"id": asked["suspension_id"]}
    sign_in(browser, server)
    form = {"csrf": token(call(browser, "pageQuestion", 200, at)),
            "subject_sha256": asked["subject_sha256"]}
    call(browser, "suspensionLooking", 200, at)
    call(browser, "inboxNotices", 200, params={"of": at["id"]})
    call(browser, "pageAnswer", 422, at, data={**form, "value": "maybe"})
    call(browser, "pageAnswer", 403, at, data={"value": "yes"})
    call(browser, "pageAnswer", 303, at, data={**form, "value": "yes"})
    call(browser, "pageAnswer", 409, at, data={**form, "value": "no"})
    call(browser, "pageQuestion", 200, at)
    call(browser, "pageIntent", 200, {"id": asked["intent_id"]},
         params={"verify": "1"})
    soon(agent, "readReceipt", at)
    call(browser, "pageReceipt", 200, at)
    call(browser, "downloadReceipt", 200, at)


def test_page_of_a_file(agent, browser, server):
    ref = call(agent, "uploadArtifact", 201, content="Its log",
               headers={"Content-Type": "text/plain"}).json()["ref"]
    ask(agent, "confirm", evidence=[{"title": "Log", "ref": ref}])
    sign_in(browser, server)
    call(browser, "pageArtifact", 200, {"sha256": ref})
    call(browser, "pageArtifact", 404, {"sha256": "x"})


def test_page_of_a_portfolio(agent, browser, server):
    at = {"id": call(agent, "makePortfolio", 201,
                     json=example("makePortfolio", "usual")).json()["id"]}
    sign_in(browser, server)
    call(browser, "pagePortfolio", 200, at, params={"status": "active"})
    call(browser, "pagePortfolio", 400, at, params={"status": "gone"})


def test_pages_of_agents_and_tasks(agent, browser, server):
    asked = call(agent, "ask", 201, json={"question": "May I?"}).json()
    at = {"id": asked["intent_id"]}
    sign_in(browser, server)
    name = re.search(r'href="/agent\?name=([^"&]+)"',
                     call(browser, "pageAgents", 200).text)[1]
    call(browser, "pageAgent", 200, params={"name": name})
    call(browser, "pageAgent", 400)
    call(browser, "pageAgent", 404, params={"name": "nobody"})
    call(browser, "pageTasks", 400, params={"status": "gone"})
    call(browser, "pagePortfolios", 200, params={"status": "active"})
    page = call(browser, "pageTaskStop", 200, at)
    call(browser, "pageTaskStopDo", 303, at, data={"csrf": token(page)})


def labelled(page, **values):
    """The data that a browser sends for fields that are known by their labels."""
    names = {label: a or b for a, b, label in re.findall(
        r'<(?:label for="(\w+)">|fieldset id="(\w+)">\s*<legend>)'
        r"<bdi>([^<]*)</bdi>", page.text)}
    return {"csrf": token(page),
            **{names[k.replace("_", " ")]: v for k, v in values.items()}}


def store(one, made):
    """Reads the secret that a form leads to, and says that it is stored."""
    where, id_ = made.headers["Location"].rsplit("/", 1)
    assert where == "/settings/secrets"
    page = call(one, "pageSecret", 200, {"id": id_})
    assert page.headers["Cache-Control"] == "no-store" and once(page)
    done = call(one, "pageSecretStored", 303, {"id": id_},
                data={"csrf": token(page), "do": "stored"})
    call(one, "pageSecret", 404, {"id": id_})
    return done.headers["Location"]


def settle(one, kind, where, **values):
    """Makes an endpoint or a channel, and gives it a new secret."""
    page = call(one, f"page{kind}s", 200, params={"do": "new"})
    call(one, f"page{kind}Make", 422, data={"csrf": token(page)})
    made = call(one, f"page{kind}Make", 303, data=labelled(page, **values))
    assert store(one, made) == f"/settings/{where}"
    at = {"id": re.search(f'href="/settings/{where}/([0-9a-f-]{{36}})"',
                          call(one, f"page{kind}s", 200).text)[1]}
    page = call(one, f"page{kind}", 200, at)
    hidden = dict(re.findall(
        r'<input type="hidden" name="(\w+)" value="([^"]*)"', page.text))
    rotate = {**hidden, "do": "rotate"}
    made = call(one, f"page{kind}Change", 303, at, data=rotate)
    assert store(one, made) == f"/settings/{where}/{at['id']}"
    call(one, f"page{kind}Change", 409, at, data=rotate)


def test_settings(server, agent, operator):
    who = {"email": "walk@example.com", "password": "a horse and a battery"}
    done = server.sayso("operator", "create", "--email", who["email"],
                        "--name", "Walk", "--role", "admin",
                        "--password-stdin", input=who["password"] + "\n")
    assert done.returncode == 0, done.stderr
    with server.client() as one:
        sign_in(one, server, **who)
        call(one, "pageSettings", 303)
        settle(one, "Endpoint", "endpoints", Name="walk",
               Address="https://walk.example/in")
        settle(one, "Channel", "channels", Kind="webhook", Name="walk",
               Address="https://walk.example/people", Message_content="title")
        asked = call(agent, "ask", 201, json={"question": "Walk?"}).json()
        call(operator, "answer", 200, {"id": asked["suspension_id"]},
             json={"value": "yes"})
        log = call(one, "pageDeliveries", 200)
        at = {"id": re.search('href="/settings/deliveries/([0-9a-f-]{36})"',
                              log.text)[1]}
        page = call(one, "pageDelivery", 200, at)
        for what in ("again", "again_all"):
            call(one, "pageDeliveryAgain", 303, at,
                 data={"csrf": token(page), "do": what})


LISTS = ["pageInbox", "pageDecided", "exportDecidedCsv", "exportDecidedLines",
         "pageViews", "pageKeyboard", "pageSettings", "pageProfile",
         "pageSessions", "pagePeople", "pageGroups", "pageKeys",
         "pageTokens", "pageRules", "pagePermits", "pageResources",
         "pageNotifications", "pageAgents", "pageTasks", "pagePortfolios"]
FORMS = ["pageBulkConfirm", "pageBulkDecide", "pageViewSave",
         "pageProfileChange", "pageSessionsEnd", "pagePersonMake",
         "pageKeyMake", "pageTokensChange", "pageRulesChange",
         "pagePermitsChange", "pageResourcesChange",
         "pageNotificationsChange", "pageTrial"]
ONES = ["pagePerson", "pagePersonChange", "pageKey", "pageKeyRevoke",
        "pageKeyFloor", "pageSecret", "pageSecretStored", "pageTaskStop",
        "pageTaskStopDo"]


def test_pages_ask_who_it_is(browser):
    for name in [*LISTS, *FORMS, "pageAgent"]:
        call(browser, name, 303)
    for name in ONES:
        call(browser, name, 303, {"id": ANY_ID})


def admin_of(server, one):
    who = {"email": f"{uuid.uuid4()}@example.com", "password": "a horse, a bat"}
    done = server.sayso("operator", "create", "--email", who["email"],
                        "--name", "Walk", "--role", "admin",
                        "--password-stdin", input=who["password"] + "\n")
    assert done.returncode == 0, done.stderr
    sign_in(one, server, **who)
    return who


def test_pages_of_many(server, agent):
    with server.client() as one:
        admin_of(server, one)
        for name in LISTS:
            if name != "pageSettings":
                call(one, name, 200)
        high, low = ask(agent, "approval"), ask(agent, severity="low")
        page = call(one, "pageInbox", 200, params={"view": "all"})
        data = {"csrf": token(page), "answer": "approve", "pick[]": [
            f"{low['suspension_id']}:{low['subject_sha256']}"]}
        call(one, "pageBulkConfirm", 403, data={"answer": "approve"})
        call(one, "pageBulkConfirm", 200, data=data)
        call(one, "pageBulkDecide", 422, data={**data, "answer": "reject"})
        call(one, "pageBulkDecide", 200, data={**data, "pick[]": [
            f"{high['suspension_id']}:{high['subject_sha256']}"]})
        call(one, "pageBulkDecide", 303, data=data)
        view = {"csrf": data["csrf"], "path": "/inbox", "query": "risk=high"}
        call(one, "pageViewSave", 422, data=view)
        call(one, "pageViewSave", 303, data={**view, "name": "Walk"})


def filled(page, path, values):
    """The data that a browser sends: the form as it is, and the typed values."""
    return Page(page).data(path, **typed(page, values))


def make_key(one, **values):
    """Makes a key; gives back which."""
    page = call(one, "pageKeys", 200, params={"do": "new"})
    made = call(one, "pageKeyMake", 303,
                data=filled(page, "/settings/keys", {"Expires": "30", **values}))
    assert store(one, made) == "/settings/keys"
    page = call(one, "pageKeys", 200)
    return {"id": re.search('href="/settings/keys/([0-9a-f-]{36})"',
                            page.text)[1]}


def test_pages_of_sessions(server):
    with server.client() as one:
        admin_of(server, one)
        csrf = token(call(one, "pageProfile", 200))
        nothing = {"do": "end", "key": "nothing"}
        call(one, "pageSessions", 200, params={"do": "others"})
        call(one, "pageSessions", 404, params=nothing)
        call(one, "pageSessionsEnd", 404, data={"csrf": csrf, **nothing})
        call(one, "pageSessionsEnd", 303, data={"csrf": csrf,
                                                "do": "others"})


def test_pages_of_people(server):
    with server.client() as one:
        who = admin_of(server, one)
        csrf = token(call(one, "pageProfile", 200))
        for name, email in (("Pia", f"{uuid.uuid4()}@example.com"), ("", "")):
            page = call(one, "pagePeople", 200, params={"do": "new"})
            data = filled(page, "/settings/people",
                          {"E-mail": email, "Name": name})
            made = call(one, "pagePersonMake", 303 if name else 422,
                        data=data)
            assert not name or store(one, made) == "/settings/people"
        page = call(one, "pagePeople", 200)
        ids = re.findall('href="/settings/people/([0-9a-f-]{36})"', page.text)
        at = next({"id": i} for i in ids if "Pia" in call(
            one, "pagePerson", 200, {"id": i}).text)
        call(one, "pagePerson", 200, at, params={"do": "password"})
        call(one, "pagePerson", 400, at, params={"do": "nothing"})
        call(one, "pagePersonChange", 400, at, data={"csrf": csrf})
        made = call(one, "pagePersonChange", 303, at,
                    data={"csrf": csrf, "do": "password"})
        assert store(one, made) == "/settings/people"
        call(one, "pageProfileChange", 200, data={
            "csrf": csrf, "do": "password", "old": who["password"],
            "password": "another horse, a bat"})


def test_pages_of_keys(server):
    with server.client() as one:
        admin_of(server, one)
        csrf = token(call(one, "pageProfile", 200))
        floor = {"csrf": csrf, "floor": "high"}
        at = make_key(one, Label="walk", Role="auditor")
        call(one, "pageKeyFloor", 409, at, data=floor)
        call(one, "pageKeyRevoke", 303, at, data={"csrf": csrf,
                                                  "do": "revoke"})
        at = make_key(one, Label="walk, too", Role="agent", Agents="walker")
        call(one, "pageKey", 200, at)
        call(one, "pageKeyFloor", 400, at, data={**floor, "floor": "tall"})
        call(one, "pageKeyFloor", 404, {"id": ANY_ID}, data=floor)
        call(one, "pageKeyFloor", 303, at, data=floor)
        call(one, "pageKeyRevoke", 303, at, data={"csrf": csrf, "do": "all"})


def test_pages_of_retention(server):
    """A rule that nobody starts: it would erase what other tests ask."""
    with server.client() as one:
        admin_of(server, one)
        call(one, "pageRetention", 200)
        for name, status in (("walk", 303), ("No name", 422)):
            page = call(one, "pageRetention", 200, params={"do": "new"})
            call(one, "pageRetentionAdd", status, data=filled(
                page, "/settings/retention",
                {"Name": name, "Days": "36500"}))
        at, csrf = {"name": "walk"}, token(call(one, "pageProfile", 200))
        call(one, "pageRetentionRule", 200, at, params={"do": "start"})
        call(one, "pageRetentionRule", 404, {"name": "nothing"})
        call(one, "pageRetentionChange", 400, at, data={"csrf": csrf})
        call(one, "pageRetentionChange", 303, at,
             data={"csrf": csrf, "do": "remove"})


def test_the_walk_was_complete():
    """Last: every success that the contract promises has been seen."""
    promised = {(name, status) for name, (_, _, o) in BY_ID.items()
                for status in o["responses"] if status < "400"}
    assert sorted(promised - SEEN) == []


def test_nothing_is_left_in_the_cupboard():
    """Every component is in use."""
    text = str(DOC["paths"]) + str(DOC["components"])
    for kind in ("parameters", "headers", "responses", "examples", "schemas"):
        for name in DOC["components"][kind]:
            assert f"'#/components/{kind}/{name}'" in text, name
            assert follow({"$ref": f"#/components/{kind}/{name}"})
