"""The check before tools run: five shapes of a call, rules, the pause and what
ends it. The numbers are those of the list of tests that the API was planned
with."""
import hashlib
import html
import json
import re

import pytest
from kit import ask, asleep, events, new_id, refused, together
from page import Page, fields, press, send
from questions import end_now
from test_resume import caller, resume, state  # noqa: F401

route = pytest.mark.route
CHECK = "POST /api/v1/tool-calls/check"


@pytest.fixture(scope="module")
def mara(caller):  # noqa: F811
    return caller()


@pytest.fixture(scope="module")
def other(caller):  # noqa: F811
    return caller()


pytestmark = pytest.mark.usefixtures("no_rules")


def rule(server, position, tool, effect, severity=None, reason=None,
         agent="*"):
    with server.database() as db:
        db.execute("INSERT INTO tool_rule VALUES (%s, %s, %s, %s, %s, %s, "
                   "now(), 'x')",
                   [position, agent, tool, effect, severity, reason])


def call(tool="shop.refund", id_="call_1", **arguments):
    return {"id": id_, "tool": tool, "arguments": arguments}


def check(client, *calls, **more):
    headers = more.pop("headers", {})
    body = {"tool_calls": list(calls) or [call(order="12345")],
            "responder": {"mode": "operators"}, **more}
    body = {k: v for k, v in body.items() if v is not None}
    return client.post("/api/v1/tool-calls/check", json=body, headers=headers)


def check_text(client, text, **more):
    body = json.dumps({"responder": {"mode": "operators"}, **more})
    return client.post("/api/v1/tool-calls/check",
                       content=f'{body[:-1]}, "tool_calls": [{text}]}}')


def told(client, request_id):
    r = client.get(f"/api/v1/suspensions/{request_id}")
    assert r.status_code == 200, r.text
    return r.json()


def counts(server):
    with server.database() as db:
        # Without what the clock does meanwhile.
        return db.execute("""
            SELECT (SELECT count(*) FROM intent),
                   (SELECT count(*) FROM event WHERE canonical NOT LIKE %s),
                   (SELECT count(*) FROM suspension)""",
                          ['%"actor_type":"clock"%']).fetchone()


# --- The pause ------------------------------------------------------------

@route(CHECK)
def test_the_pause_says_all_that_an_agent_needs(server, agent, mara):
    task = {"task_id": new_id(), "session_id": "s-1", "turn_id": "u-4",
            "title": "Refund order 12345"}
    r = check(agent, task=task, responder=None, initiated_by=mara.email,
              explanation="The customer sent photos.")
    assert r.status_code == 202, r.text
    p = r.json()
    assert r.headers["location"] == (
        f"{server.url}/api/v1/suspensions/{p['request_id']}")
    assert p["object"] == "tool_approval_request" and p["decision"] == "ask"
    assert p["status"] == "Paused" and p["task_id"] == task["task_id"]
    assert p["session_id"] == "s-1" and p["initiator"] == "claimed"
    at = f"{server.url}/api/v1/resume/{p['request_id']}"
    assert p["approval_url"] == at + "?action=approve"
    assert p["rejection_url"] == at + "?action=reject"
    assert p["poll_url"].endswith("?wait=50")
    assert p["tool_calls"] == [call(order="12345")]
    s = told(agent, p["request_id"])
    assert s["kind"] == "approval" and s["severity"] == "high"
    assert s["subject"]["calls"] == [{"tool": "shop.refund",
                                      "args": {"order": "12345"}}]
    assert s["subject_sha256"] == p["subject_sha256"]
    assert s["question"] == "Run shop.refund?" and s["initiator"] == "claimed"
    assert s["on_reject"] == "abandon" and s["fallback_policy"] == "fail"
    assert s["task_id"] == task["task_id"] and "permit" not in s
    assert s["tool_calls"] == p["tool_calls"]


SHAPES = [
    '{"id": "1", "tool": "shop.refund", "arguments": {"a":1.10}}',
    '{"id": "1", "type": "function", "function": {"name": "shop.refund", '
    '"arguments": "{\\"a\\":1.10}"}}',
    '{"type": "tool_use", "id": "1", "name": "shop.refund", "input": '
    '{"a":1.10}}',
    '{"name": "shop.refund", "arguments": {"a":1.10}}']


def test_1_five_shapes_give_the_same_subject(agent):
    seen = set()
    for shape in SHAPES:
        r = check_text(agent, shape)
        assert r.status_code == 202, r.text
        seen.add(r.json()["subject_sha256"])
    assert len(seen) == 1
    kernel = ('{"id": "1", "plugin_name": "shop", "function_name": "refund", '
              '"arguments": {"a":1.10}}')
    r = check_text(agent, kernel)
    assert r.status_code == 202 and r.json()["subject_sha256"] not in seen
    same = check_text(agent, SHAPES[0].replace("shop.refund", "shop-refund"))
    assert same.json()["subject_sha256"] == r.json()["subject_sha256"]


def test_2_the_arguments_stay_byte_for_byte(server, agent):
    for shape in SHAPES:
        r = check_text(agent, shape)
        assert shape in r.text
        with server.database() as db:
            subject = db.execute("SELECT subject FROM suspension WHERE id = "
                                 "%s", [r.json()["request_id"]]).fetchone()[0]
        assert '{"a":1.10}' in subject
        assert hashlib.sha256(subject.encode()).hexdigest() == \
            r.json()["subject_sha256"]


def test_3_4_what_is_no_call_is_refused(agent):
    twice = check(agent, call(), call())
    refused(twice, 422, "tool_call.id", "tool_calls[1].id")
    r = check_text(agent, '{"id": "1", "type": "function", "function": '
                          '{"name": "x", "arguments": "{no json"}}')
    refused(r, 422, "tool_call.arguments",
            "tool_calls[0].function.arguments")
    refused(check(agent, {"id": "1"}), 422, "tool_call.shape",
            "tool_calls[0]")
    refused(check(agent, tool_calls=[]), 422, "tool_call.shape", "tool_calls")
    refused(check(agent, *[call(id_=str(i)) for i in range(51)]), 422,
            "tool_call.shape", "tool_calls")
    for name in ("choices", "form", "fallback_policy", "allow_edit",
                 "constraints", "on_reject"):
        refused(check(agent, **{name: 1}), 422, "field.unknown", name)
    both = check(agent, auth_challenges=[])
    refused(both, 422, "tool_call.shape", "auth_challenges")


# --- Rules ----------------------------------------------------------------

def test_5_an_unknown_tool_is_asked_about_at_high(agent):
    r = check(agent)
    assert r.status_code == 202
    assert told(agent, r.json()["request_id"])["severity"] == "high"


def test_6_a_hint_asks_where_a_rule_allows(server, agent):
    rule(server, 1, "shop.*", "allow")
    assert check(agent).json()["decision"] == "allow"
    for hint in ({"severity": "high"}, {"requires_approval": True}):
        assert check(agent, **hint).json()["decision"] == "ask"


def test_7_one_refused_call_refuses_all(server, agent):
    rule(server, 1, "shop.refund", "deny", reason="Not for agents.")
    rule(server, 2, "*", "allow")
    task = {"task_id": new_id()}
    first = check(agent, call("shop.look"), task=task).json()
    before = agent.get(f"/api/v1/intents/{first['intent_id']}").json()
    r = check(agent, call("shop.look"), call("shop.refund", "call_2"),
              task=task)
    assert r.status_code == 200 and r.json()["decision"] == "deny"
    assert r.json()["reason"] == "Not for agents."
    assert [c["rule"] for c in r.json()["calls"]] == [2, 1]
    after = agent.get(f"/api/v1/intents/{first['intent_id']}").json()
    assert before["status"] == after["status"] == "active"
    denied = [e for e in events(agent, first["intent_id"])
              if e["event_type"] == "tool.denied"]
    assert len(denied) == 1 and denied[0]["actor"] == "sayso"


def test_8_allow_stores_the_intent_of_a_new_task_alone(server, agent):
    rule(server, 1, "shop.*", "allow")
    task = {"task_id": new_id()}
    before = counts(server)
    first = check(agent, task=task)
    assert first.status_code == 200
    assert first.json()["object"] == "tool_decision"
    assert first.json()["calls"] == [{"id": "call_1", "tool": "shop.refund",
                                      "rule": 1}]
    between = counts(server)
    assert between == (before[0] + 1, before[1] + 1, before[2])
    again = check(agent, task=task)
    assert again.json()["intent_id"] == first.json()["intent_id"]
    assert counts(server) == between


def test_9_the_agent_cannot_loosen_a_rule(server, agent):
    rule(server, 1, "shop.*", "ask", "medium")
    r = check(agent, requires_approval=False, severity="low")
    assert r.json()["decision"] == "ask"
    assert told(agent, r.json()["request_id"])["severity"] == "medium"


def test_the_keys_floor_raises_an_ask_and_asks_about_nothing(server):
    rule(server, 1, "shop.look", "allow")
    rule(server, 2, "shop.*", "ask", "low")
    key = server.key("agent", "--agent", "floored", "--severity-floor",
                     "critical", label="floored")
    with server.client(headers={"X-API-Key": key}) as client:
        assert check(client, call("shop.look")).json()["decision"] == "allow"
        r = check(client)
        assert told(client, r.json()["request_id"])["severity"] == "critical"


def test_the_first_rule_counts(server, agent):
    rule(server, 5, "*", "deny")
    rule(server, 2, "shop.*", "allow", agent="nobody")
    rule(server, 3, "shop.*", "allow")
    assert check(agent).json()["decision"] == "allow"
    assert check(agent, call("mail.send")).json()["decision"] == "deny"


# --- Ends of a pause ------------------------------------------------------

def mine(agent, who, **more):
    r = check(agent, task={"task_id": new_id()}, responder=None,
              initiated_by=who, **more)
    assert r.status_code == 202, r.text
    return r.json()


def test_10_14_the_initiator_approves_and_rejects(agent, mara, other,
                                                  operator):
    p = mine(agent, mara.email)
    refused(resume(other.api, p["request_id"], "approve"), 404,
            "suspension.unknown")
    refused(resume(operator, p["request_id"], "approve"), 403,
            "suspension.not_yours")
    r = mara.api.post(p["approval_url"])
    assert r.status_code == 200, r.text
    assert r.json()["status"] == "Running"
    assert r.json()["task_id"] == p["task_id"]
    s = told(agent, p["request_id"])
    assert s["outcome"] == "authorized" and s["responded_via"] == "tool_call"
    p = mine(agent, mara.email)
    r = mara.api.post(p["rejection_url"])
    assert r.status_code == 200 and r.json()["status"] == "Canceled"
    assert r.json()["intent_status"] == "abandoned"


def test_H4_each_pause_has_an_id_of_its_own(agent, mara):
    p = mine(agent, mara.email)
    assert mara.api.post(p["approval_url"]).status_code == 200
    again = check(agent, intent_id=p["intent_id"], responder=None).json()
    assert again["request_id"] != p["request_id"]
    assert again["intent_id"] == p["intent_id"]
    assert again["initiator"] == "claimed"
    refused(mara.api.post(p["approval_url"]), 409,
            "suspension.already_decided")
    assert state(agent, again["request_id"]) == "pending"


def test_19_a_second_check_meets_the_open_pause(agent, mara):
    p = mine(agent, mara.email)
    r = check(agent, task={"task_id": p["task_id"]}, responder=None)
    refused(r, 409, "suspension.open")
    assert r.json()["suspension_id"] == p["request_id"]


def test_20_two_first_checks_make_one_intent(server, agent):
    rule(server, 1, "shop.*", "allow")
    for _ in range(10):
        task = {"task_id": new_id()}
        found = together(*[lambda: check(agent, task=task)] * 4)
        assert {r.status_code for r in found} == {200}
        assert len({r.json()["intent_id"] for r in found}) == 1
        with server.database() as db:
            n = db.execute("SELECT count(*) FROM intent WHERE task_id = %s",
                           [task["task_id"]]).fetchone()[0]
        assert n == 1


def test_21_a_task_that_has_ended(agent, mara):
    p = mine(agent, mara.email)
    assert mara.api.post(p["rejection_url"]).status_code == 200
    r = check(agent, task={"task_id": p["task_id"]}, responder=None)
    refused(r, 409, "task.ended")


def test_a_task_is_its_agents(server, agent, other_agent):
    rule(server, 1, "shop.*", "allow")
    task = {"task_id": new_id()}
    ours = check(agent, task=task).json()["intent_id"]
    theirs = check(other_agent, task=task).json()["intent_id"]
    assert ours != theirs


# --- Initiators -----------------------------------------------------------

def ticket(caller_, agent_name):
    r = caller_.api.post("/api/v1/initiations", json={"agent": agent_name})
    assert r.status_code == 201, r.text
    return r.json()["initiation"]


@pytest.fixture(scope="module")
def name(agent):
    return told(agent, ask(agent)["suspension_id"])["asked_by"]


def test_23_a_ticket_is_for_one_agent_one_use_and_ten_minutes(
        server, agent, mara, name):
    for bad in ("sin_" + "A" * 43, ticket(mara, "another-agent"), "x"):
        r = check(agent, initiation=bad, responder=None)
        refused(r, 422, "initiation.unknown", "initiation")
    good = ticket(mara, name)
    assert check(agent, initiation=good, responder=None).status_code == 202
    refused(check(agent, initiation=good, responder=None), 422,
            "initiation.unknown")
    late = ticket(mara, name)
    with server.database() as db:
        db.execute("UPDATE initiation SET expires_at = now() WHERE id_sha256 "
                   "= %s", [hashlib.sha256(late.encode()).hexdigest()])
    refused(check(agent, initiation=late, responder=None), 422,
            "initiation.unknown")


def test_24_a_ticket_proves_the_initiator(agent, mara, name):
    r = check(agent, initiation=ticket(mara, name), responder=None)
    assert r.json()["initiator"] == "proven"
    s = told(agent, r.json()["request_id"])
    assert s["initiator"] == "proven" and s["initiated_by"] == mara.email
    assert mara.api.post(r.json()["approval_url"]).status_code == 200


def test_a_later_check_keeps_the_initiator(server, agent, mara, other, name):
    rule(server, 1, "shop.*", "allow")
    task = {"task_id": new_id()}
    assert check(agent, task=task, initiation=ticket(mara, name)
                 ).status_code == 200
    refused(check(agent, task=task, initiation=ticket(other, name)), 422,
            "initiation.other", "initiation")
    refused(check(agent, task=task, initiated_by=other.email), 422,
            "initiation.other", "initiated_by")
    assert check(agent, task=task, initiated_by=mara.email).status_code == 200


def test_an_initiator_is_needed_or_another_responder(agent):
    refused(check(agent, responder=None), 422, "responder.initiator")
    refused(check(agent, responder=None, initiated_by="nobody@x.example"),
            422, "responder.nobody")


# --- Challenges -----------------------------------------------------------

def test_25_an_auth_challenge_is_completed(server, agent, mara):
    challenge = {"server_name": "Mail", "auth_server": "https://auth.example",
                 "scopes": ["read"], "auth_url": f"{server.url}/settings"}
    r = check(agent, tool_calls=None, auth_challenges=[challenge],
              responder=None, initiated_by=mara.email)
    assert r.status_code == 202, r.text
    p = r.json()
    assert p["object"] == "auth_challenge"
    assert p["auth_challenges"] == [challenge]
    s = told(agent, p["request_id"])
    assert s["kind"] == "credential_needed"
    assert s["subject"]["settings_url"] == challenge["auth_url"]
    r = mara.api.post(p["resume_url"], json={"action": "complete"})
    assert r.status_code == 200 and r.json()["status"] == "Running"


# --- Together -------------------------------------------------------------

def test_H5_an_approval_and_a_rejection_at_once(agent, mara):
    for _ in range(20):
        p = mine(agent, mara.email)
        found = together(lambda: mara.api.post(p["approval_url"]),
                         lambda: mara.api.post(p["rejection_url"]))
        assert sorted(r.status_code for r in found) == [200, 409]
        ended = [e for e in events(agent, p["intent_id"])
                 if e["event_type"] == "intent.resumed"]
        assert len(ended) == 1


def test_28_the_page_shows_all_calls(agent, mara):
    r = check(agent, call("shop.refund", amount="50.00"),
              call("mail.send", "call_2", to="alice"), responder=None,
              initiated_by=mara.email)
    page = mara.one.client.get(f"/suspensions/{r.json()['request_id']}")
    for word in ("shop.refund", "50.00", "mail.send", "alice",
                 "All 2 calls, or none of them."):
        assert word in page.text


# --- Where rules are set --------------------------------------------------

RULES = "/settings/rules"


@route("GET /settings/rules")
@route("POST /settings/rules")
def test_an_admin_adds_and_removes_a_rule(server, agent, person):
    boss = person("admin").client
    values = {"Position": "10", "Agent": "*", "Tool": "shop.*",
              "Effect": "deny", "Risk": "none", "Reason": "Not today."}
    r = send(boss, RULES, values)
    assert r.status_code == 303, r.text
    assert check(agent).json()["reason"] == "Not today."
    r = send(boss, RULES, values)
    assert r.status_code == 422 and "Another rule has this position" in r.text
    for wrong, said in (({"Position": "10001"}, "1 to 10000"),
                        ({"Tool": "a b"}, "A pattern has"),
                        ({"Effect": "ask"}, "A rule that asks needs")):
        r = send(boss, RULES, {**values, "Position": "11", **wrong})
        assert r.status_code == 422 and said in r.text, r.text
    r = press(boss, RULES, "remove", page=f"{RULES}?do=remove&key=10")
    assert r.status_code == 303
    assert check(agent).json()["decision"] == "ask"
    gone = boss.get(f"{RULES}?do=remove&key=10")
    assert gone.status_code == 404 and "rule.unknown" in gone.text
    reader = person("auditor").client
    assert "New rule" not in reader.get(RULES).text
    assert person("operator").client.get(RULES).status_code == 403


def test_rules_on_the_terminal(server, agent):
    def rule_(*words):
        return server.sayso("rule", *words)

    r = rule_("add", "--position", "3", "--tool", "shop.*", "--effect",
              "allow")
    assert r.returncode == 0, r.stderr
    assert check(agent).json()["decision"] == "allow"
    assert "3\t*\tshop.*\tallow\t-\t" in rule_("list").stdout
    again = ("add", "--position", "3", "--tool", "x", "--effect", "deny")
    r = rule_(*again)
    assert r.returncode == 1 and "rule.taken" in r.stderr
    with server.database() as db:
        db.execute("INSERT INTO tool_rule SELECT n, '*', 'x', 'deny', NULL, "
                   "NULL, now(), 'x' FROM generate_series(4, 1002) n")
    r = rule_("add", "--position", "2000", *again[3:])
    assert r.returncode == 1 and "rule.many" in r.stderr
    with server.database() as db:
        db.execute("DELETE FROM tool_rule WHERE position > 3")
    for wrong in (["--effect", "maybe"], ["--effect", "ask"],
                  ["--effect", "allow", "--severity", "high"]):
        assert rule_("add", "--position", "4", "--tool", "x",
                     *wrong).returncode == 2
    assert rule_("remove", "3").returncode == 0
    assert rule_("remove", "3").returncode == 1
    assert check(agent).json()["decision"] == "ask"


def test_22_an_answer_that_comes_too_late(server, agent, mara):
    p = mine(agent, mara.email)
    with asleep(server, "tick"):
        with server.database() as db:
            end_now(db, p["request_id"])
        refused(mara.api.post(p["approval_url"]), 409, "suspension.expired")
    s = told(agent, p["request_id"])
    assert s["state"] == "expired" and "permit" not in s
    intent = agent.get(f"/api/v1/intents/{p['intent_id']}").json()
    assert intent["status"] == "abandoned"
    with server.database() as db:
        state = db.execute("SELECT state FROM permit WHERE suspension_id = %s",
                           [p["request_id"]]).fetchone()
    assert state == ("refused",)


# --- For a gateway --------------------------------------------------------

def test_a_pause_for_a_gateway_names_its_permit(agent, mara, resource):
    r = check(agent, responder=None, initiated_by=mara.email,
              resource=resource.address, max_uses=2)
    assert r.status_code == 202, r.text
    p = r.json()
    assert p["auth_req_id"].startswith("sar_") and p["interval"] == 5
    seen = agent.get(f"/api/v1/permits/{p['permit_id']}").json()
    assert (seen["resource"], seen["max_uses"]) == (resource.address, 2)
    assert seen["request_id"] == p["request_id"]
    unknown = check(agent, resource="https://unknown.example/")
    refused(unknown, 422, "resource.unknown", "resource")


def test_a_rule_gives_a_gateway_an_active_permit(server, agent, resource):
    rule(server, 1, "shop.*", "allow")
    task = {"task_id": new_id()}
    assert "permit_id" not in check(agent, task=task).json()
    p = check(agent, task=task, resource=resource.address).json()
    assert p["decision"] == "allow" and p["auth_req_id"].startswith("sar_")
    seen = agent.get(f"/api/v1/permits/{p['permit_id']}").json()
    assert seen["state"] == "active" and seen["request_id"] is None
    assert seen["intent_id"] == p["intent_id"]


# --- Names and numbers that look the same ---------------------------------------

@pytest.mark.parametrize("tool", [
    "Shop.refund", "SHOP.REFUND", "\uff53hop.refund", "shop\u2024refund",
    "shop\uff0erefund", "sh\u043ep.refund"])
def test_a_rule_that_denies_means_what_looks_the_same(server, agent, tool):
    rule(server, 1, "shop.*", "deny")
    rule(server, 2, "*", "allow")
    r = check(agent, call(tool))
    assert r.status_code in (200, 422), r.text
    assert r.status_code == 422 or r.json()["decision"] == "deny"
    assert check(agent, call("mail.send")).json()["decision"] == "allow"


@pytest.mark.parametrize("number", [
    "1.0000000000000000001", "9007199254740993.0", "1e-400"])
def test_a_number_that_a_double_does_not_hold(agent, number):
    r = check_text(agent, '{"id": "a", "tool": "pay", "arguments": '
                   f'{{"amount": [{number}]}}}}')
    assert refused(r, 422, "tool_call.arguments")


# --- From a request to a rule ----------------------------------------------

def test_an_admin_is_led_from_a_request_to_a_rule(server, agent, person,
                                                  no_rules):
    boss, tom = person("admin").client, person("operator").client
    asked = check(agent, call(f"shop.{'x' * 8}")).json()
    at = f"/suspensions/{asked['request_id']}"
    words = "Ask no more for this tool"
    assert words not in tom.get(at).text
    link = html.unescape(re.search(rf'href="([^"]+)">{words}',
                                   boss.get(at).text)[1])
    r = boss.get(link)
    page = Page(r)
    assert "New rule" in page.text
    rules = "/settings/rules"
    assert page.value(rules, fields(r)["Agent"]) == "refunds-agent"
    assert page.value(rules, fields(r)["Tool"]) == "shop.xxxxxxxx"
    data = page.data(rules)
    assert boss.post(rules, data=data).status_code == 303
    r = check(agent, call(f"shop.{'x' * 8}"))
    assert r.status_code == 200 and r.json()["decision"] == "allow"
    # The next one comes before it.
    r = boss.get(f"{rules}?do=new")
    assert Page(r).value(rules, fields(r)["Position"]) == "99"


@pytest.mark.parametrize("tools", [["shop.*"], ["*"], ["a.one", "a.two"]])
def test_no_rule_for_more_than_the_tool(agent, person, no_rules, tools):
    boss = person("admin").client
    asked = check(agent, *(call(t, f"call_{i}")
                           for i, t in enumerate(tools))).json()
    r = boss.get(f"/suspensions/{asked['request_id']}")
    assert r.status_code == 200
    assert "Ask no more for this tool" not in r.text
