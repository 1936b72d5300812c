"""Receipts: of every end that a question can have, and the page that shows
one. The formats are checked in test_log.py; the numbers are those of the list
of tests that the API was planned with."""
import argparse
import concurrent.futures
import html
import json
import re

import pytest

import doors
import kit
from kit import (ANY_ID, answer, ask, at, made, new_id, new_intent, refused,
                 set_status, suspend, wait_for)
from page import Page
from plans import change, decide, reached
from server import place
from test_aap import create as aap_create
from test_authorizations import wish
from test_guardrails import decide as review
from test_guardrails import under_review
from test_log import holds, receipt, vkey
from test_log_commands import verify
from test_mcp import call as mcp_call
from test_mcp import modern, newest
from test_permits import permit
from test_portfolios import member, portfolio
from test_tool_calls import call as tool_call
from test_tool_calls import check
from test_tool_titles import hook

__all__ = ["verify"]  # a fixture
route = pytest.mark.route
RECEIPT = "GET /api/v1/suspensions/{id}/receipt"
PAGE = "GET /suspensions/{id}/receipt"
FILE = "GET /suspensions/{id}/receipt.json"
API = "/api/v1"
EFFECTS = [{"value": "go", "label": "Send", "effect": "authorize"},
           {"value": "no", "label": "Do not send", "effect": "veto"}]


@pytest.fixture(scope="module")
def server(clock):
    with kit.own_server(place("receipts-http"), **clock.setting) as one:
        yield one


@pytest.fixture(scope="module")
def tester(server):
    key = server.key("agent", "--agent", "tested-bot", "--test")
    with server.client(headers={"X-API-Key": key}) as client:
        yield client


# --- Ways in which a question ends ----------------------------------------
# Each takes a scene, ends a question, and returns its id.

class Scene:
    def __init__(self, server, clock, agent, operator, admin, person):
        self.server, self.clock, self.agent = server, clock, agent
        self.operator, self.admin, self.person = operator, admin, person

    def wait(self):
        """Until everything that is open has expired."""
        self.clock.forward(hours=2)


def through(door):
    def end(x):
        id_, say = door(x.agent, x.server)
        r = say(x.operator)
        assert r.status_code in (200, 201), r.text
        return id_

    end.__name__ = f"answered_through_{door.__name__}"
    return end


def answered_on_the_page(x):
    me = x.person("operator")
    asked = ask(x.agent)["suspension_id"]
    shown = Page(me.client.get(f"/suspensions/{asked}",
                               params={"choice": "approve"}))
    r = me.client.post(f"/suspensions/{asked}/respond",
                       data=shown.data("/respond", value="approve"))
    assert r.status_code == 303, r.text
    return asked


def answered_in_bulk(x):
    me, word = x.person("operator"), f"bulk {new_id()}"
    asked = made(x.agent.post(f"{API}/suspensions", json={
        "question": "?", "title": word, "severity": "low", "kind": "approval",
        "subject": {"action": {"name": "send"}, "target": "x",
                    "scope_summary": "One.", "consequence": "One is sent.",
                    "rollback": "none"}}))
    with x.server.database() as db:
        db.execute("UPDATE principal SET bulk_limit = 'low' WHERE email = %s",
                   [me.email])
    page = me.client.get("/inbox", params={"q": word})
    pick = re.findall(r'name="pick\[\]" value="([^"]+)"', page.text)
    r = me.client.post("/inbox/decide", data={
        "csrf": Page(page).value("/inbox/confirm", "csrf"),
        "answer": "approve", "pick[]": pick})
    assert r.status_code in (200, 303), r.text
    return asked["suspension_id"]


def answered_aap(x):
    with x.server.client("agent", agent="aap-bot") as bot:
        one = aap_create(bot)
    made(answer(x.operator, {"suspension_id": one["id"]}), 200)
    return one["id"]


def withdrawn_aap(x):
    with x.server.client("agent", agent="aap-bot") as bot:
        one = aap_create(bot)
        r = bot.delete(f"/v1/requests/{one['id']}")
        assert r.status_code in (200, 204), r.text
    return one["id"]


def answered_veto_window(x):
    one = made(wish(x.agent), 202)
    made(answer(x.operator, {"suspension_id": one["request_id"]}), 200)
    return one["request_id"]


def vetoed_veto_window(x):
    one = made(wish(x.agent), 202)
    made(answer(x.operator, {"suspension_id": one["request_id"]}, "reject",
                reason="Not today."), 200)
    return one["request_id"]


def expired_veto_window(x):
    one = made(wish(x.agent, veto_seconds=600), 202)
    x.wait()
    return one["request_id"]


def answered_tool_calls(x):
    one = made(check(x.agent, tool_call(order="1"),
                     tool_call("mail_send", "call_2", to="alice")), 202)
    made(x.operator.post(f"{API}/resume/{one['request_id']}",
                         json={"action": "approve"}), 200)
    return one["request_id"]


def rejected_tool_calls(x):
    one = made(check(x.agent), 202)
    made(x.operator.post(f"{API}/resume/{one['request_id']}",
                         json={"action": "reject", "reason": "No."}), 200)
    return one["request_id"]


def answered_hook(x):
    asked = hook(x.agent, x.operator, "claude", "Bash", {"command": "ls"})
    made(answer(x.operator, asked), 200)
    return asked["suspension_id"]


def answered_mcp(x):
    words = f"Which colour? {new_id()}"
    with concurrent.futures.ThreadPoolExecutor() as pool:
        held = pool.submit(mcp_call, x.agent, modern, "ask_human",
                           question=words, choices=["red", "blue"])
        asked = newest(x.operator, words)
        made(answer(x.operator, asked, "blue"), 200)
        held.result(20)
    return asked["suspension_id"]


def answered_form(x):
    asked = ask(x.agent, response_type="text", choices=None)
    made(answer(x.operator, asked, "As you like."), 200)
    return asked["suspension_id"]


def silent(policy, **more):
    def end(x):
        asked = ask(x.agent, fallback_policy=policy, timeout_seconds=60,
                    **more)
        x.wait()
        return asked["suspension_id"]

    end.__name__ = f"expired_{policy}"
    return end


def expired_openintent(x):
    _, one = suspend(x.agent, timeout_seconds=60)
    x.wait()
    return one


def withdrawn_by_its_agent(x):
    asked = ask(x.agent)["suspension_id"]
    made(x.agent.post(f"{API}/suspensions/{asked}/cancel",
                      json={"reason": "done by hand"}), 200)
    return asked


def withdrawn_by_an_admin(x):
    asked = ask(x.agent)["suspension_id"]
    made(x.admin.post(f"{API}/suspensions/{asked}/cancel", json={}), 200)
    return asked


def withdrawn_with_its_task(x):
    asked = ask(x.agent)
    intent = kit.get(x.agent, {"id": asked["intent_id"]})
    made(set_status(x.agent, intent, "abandoned"), 200)
    return asked["suspension_id"]


def beside(x, path, intent=None, **body):
    intent = intent or new_intent(x.agent)
    return intent, made(x.agent.post(at(intent, path), json={
        "reason": "x", **body}))["id"]


def withdrawn_approval(x):
    _, one = beside(x, "approvals", action="deploy")
    made(x.agent.post(f"{API}/suspensions/{one}/cancel", json={}), 200)
    return one


def withdrawn_access(x):
    intent = new_intent(x.agent)
    with x.server.client("agent", agent="other-agent") as other:
        one = made(other.post(at(intent, "access-requests"), json={
            "principal_id": "other-agent", "principal_type": "agent",
            "requested_permission": "read", "reason": "x"}))["id"]
        made(other.post(f"{API}/suspensions/{one}/cancel", json={}), 200)
    return one


def escalation_of_a_completed_task(x):
    intent, one = beside(x, "escalations")
    made(set_status(x.agent, kit.get(x.agent, intent), "completed"), 200)
    return one


def approval_of_an_abandoned_task(x):
    intent, one = beside(x, "approvals", action="deploy")
    made(set_status(x.agent, kit.get(x.agent, intent), "abandoned"), 200)
    return one


def arbitration_of_a_stopped_task(x):
    """A no to the question of the task ends it, and this one with it."""
    intent, one = beside(x, "arbitrate")
    asked = ask(x.agent, intent_id=intent["id"], choices=EFFECTS,
                on_reject="abandon")
    made(answer(x.operator, asked, "no", reason=f"Like {one}"), 200)
    return one


def approval_of_an_expired_task(x):
    intent, one = beside(x, "approvals", action="deploy")
    asked = ask(x.agent, intent_id=intent["id"], timeout_seconds=60,
                question=f"About {one}?")
    x.wait()
    return one


def stopped_by_its_portfolio(x):
    intent = member(x.agent, portfolio(x.agent, {"timeout_hours": 1}))
    asked = ask(x.agent, intent_id=intent["id"], fallback_value="deny",
                fallback_policy="use_default_and_continue")
    x.wait()
    return asked["suspension_id"]


def checkpoint_that_nobody_answered(x):
    *_, id_ = reached(x.agent, timeout_hours=1, on_timeout="fail")
    x.wait()
    return id_


def checkpoint_rejected(x):
    _, one, _, _, id_ = reached(x.agent)
    made(decide(x.operator, one, "reject", json={"reason": "no"}), 200)
    return id_


def checkpoint_of_a_cancelled_plan(x):
    _, one, _, _, id_ = reached(x.agent)
    r = change(x.admin, one, state="cancelled")
    assert r.status_code == 200, r.text
    return id_


def review_of_a_cancelled_plan(x):
    _, one, _ = under_review(x.agent)
    r = change(x.admin, one, state="cancelled")
    assert r.status_code == 200, r.text
    return one["review_suspension_id"]


def checkpoint_replaced(x):
    """The agent's own question, whose text has the id, takes its place."""
    intent, _, _, _, id_ = reached(x.agent)
    ask(x.agent, intent_id=intent["id"], question=f"Instead of {id_}?",
        context={"checkpoint_id": "cp-1", "suspension_id": id_},
        choices=EFFECTS)
    return id_


def own_checkpoint(x):
    intent, *_ = reached(x.agent)
    asked = ask(x.agent, intent_id=intent["id"], choices=EFFECTS,
                context={"checkpoint_id": "cp-1"})
    made(answer(x.operator, asked, "go"), 200)
    return asked["suspension_id"]


def checkpoint_of_an_abandoned_task(x):
    intent, _, _, _, id_ = reached(x.agent)
    made(set_status(x.admin, kit.get(x.admin, intent), "abandoned"), 200)
    return id_


def reviewed(how):
    def end(x):
        _, one, _ = under_review(x.agent)
        made(review(x.operator, one, how, reason="As it is."), 200)
        return one["review_suspension_id"]

    end.__name__ = f"review_{how}"
    return end


# The end; its state, outcome and way; its value.
ENDS = [
    (through(doors.native), "resolved", "none", "native", "approve"),
    (through(doors.openintent), "resolved", "none", "openintent",
     "approve"),
    (through(doors.approve), "resolved", "authorized", "openintent",
     "approve"),
    (through(doors.deny), "resolved", "vetoed", "openintent", "deny"),
    (through(doors.escalation), "resolved", "answered", "openintent", "x"),
    (through(doors.arbitration), "resolved", "answered", "openintent", "x"),
    (through(doors.access), "resolved", "authorized", "openintent", "read"),
    (through(doors.no_access), "resolved", "vetoed", "openintent", "deny"),
    (through(doors.checkpoint), "resolved", "authorized", "openintent",
     "approve"),
    (checkpoint_rejected, "resolved", "vetoed", "openintent", "reject"),
    (answered_on_the_page, "resolved", "none", "browser", "approve"),
    (answered_in_bulk, "resolved", "authorized", "browser", "approve"),
    (answered_aap, "resolved", "authorized", "native", "approve"),
    (answered_veto_window, "resolved", "authorized", "native", "approve"),
    (vetoed_veto_window, "resolved", "vetoed", "native", "reject"),
    (answered_tool_calls, "resolved", "authorized", "tool_call", "approve"),
    (rejected_tool_calls, "resolved", "vetoed", "tool_call", "reject"),
    (answered_hook, "resolved", "authorized", "native", "approve"),
    (answered_mcp, "resolved", "none", "native", "blue"),
    (answered_form, "resolved", "answered", "native", "As you like."),
    (own_checkpoint, "resolved", "authorized", "native", "go"),
    (reviewed("approve"), "resolved", "authorized", "native", "approve"),
    (reviewed("reject"), "resolved", "vetoed", "native", "reject"),
    (reviewed("request_changes"), "resolved", "changes_requested", "native",
     "request_changes"),
    (silent("fail"), "expired", "none", "clock", None),
    (silent("complete_with_fallback", fallback_value="deny"), "expired",
     "fallback", "clock", "deny"),
    (silent("use_default_and_continue", fallback_value={"n": 1}), "expired",
     "fallback", "clock", {"n": 1}),
    (expired_openintent, "expired", "none", "clock", None),
    (expired_veto_window, "expired", "none", "clock", None),
    (stopped_by_its_portfolio, "expired", "none", "clock", None),
    (checkpoint_that_nobody_answered, "expired", "none", "clock", None),
    (withdrawn_by_its_agent, "cancelled", "none", "native", None),
    (withdrawn_by_an_admin, "cancelled", "none", "native", None),
    (withdrawn_with_its_task, "cancelled", "none", "openintent", None),
    (withdrawn_aap, "cancelled", "none", "native", None),
    (withdrawn_approval, "cancelled", "none", "native", None),
    (withdrawn_access, "cancelled", "none", "native", None),
    (escalation_of_a_completed_task, "cancelled", "none", "native", None),
    (approval_of_an_abandoned_task, "cancelled", "none", "native", None),
    (arbitration_of_a_stopped_task, "cancelled", "none", "native", None),
    (approval_of_an_expired_task, "cancelled", "none", "native", None),
    (checkpoint_of_a_cancelled_plan, "cancelled", "none", "native", None),
    (review_of_a_cancelled_plan, "cancelled", "none", "native", None),
    (checkpoint_of_an_abandoned_task, "cancelled", "none", "native", None),
    (checkpoint_replaced, "cancelled", "none", "native", None),
]


@pytest.fixture
def scene(server, clock, agent, operator, admin, person):
    return Scene(server, clock, agent, operator, admin, person)


@route(RECEIPT)
@pytest.mark.parametrize("end, state, outcome, via, value", ENDS,
                         ids=[e[0].__name__ for e in ENDS])
def test_74_every_end_has_a_receipt(scene, no_rules, verify, tmp_path, end,
                                    state, outcome, via, value):
    one = end(scene)
    now = wait_for(lambda: (q := kit.read(scene.operator, {
        "suspension_id": one}))["state"] != "pending" and q)
    bundle = receipt(scene.operator, now)
    said, words = holds(scene.operator, bundle)
    r = said["receipt"]
    assert (r["state"], r["outcome"], r["responded_via"]) == \
        (state, outcome, via)
    assert words.get("value") == value
    assert said["sub"] == one and r["intent_id"] == now["intent_id"]
    assert r["responded_at"] == now["responded_at"]
    assert words["responded_by"] == now["responded_by"]
    # The event is one of this end, not another of the same transaction.
    event = json.loads(bundle["texts"]["event"])
    assert event["sequence"] > r["asked_event"]["sequence"]
    payload, type_ = event["payload"], event["event_type"]
    named = one in (payload.get(k) for k in (
        "suspension_id", "approval_id", "request_id", "arbitration_id",
        "escalation_id"))
    assert type_ not in ("intent.suspended", "plan.checkpoint_reached")
    assert named or (type_ == "status_changed" and payload["new_status"] in
                     ("completed", "abandoned"))
    # The auditor's check of the rows finds the same event.
    done = scene.server.sayso("verify", now["intent_id"])
    assert done.returncode == 0, done.stdout
    # So does the check of the bundle alone, ours and the one without us.
    file, key = tmp_path / "receipt.json", vkey(scene.operator)
    file.write_text(json.dumps(bundle))
    done = scene.server.sayso("verify", "--receipt", str(file), "--key", key)
    assert done.returncode == 0, done.stdout + done.stderr
    assert [x.split() for x in done.stdout.splitlines()] == [
        ["ok", x] for x in ("signature", "disclosures", "subject", "question",
                            "answer", "facts", "checkpoint", "head")
        if x != "checkpoint" or bundle["checkpoint"]]
    verify.receipt(verify.Key(key), argparse.Namespace(receipt=file))
    assert verify.faults == []


def test_the_clock_of_a_test_moves_no_other_question(scene, tester):
    """Both expire at once, the one of the test before the other."""
    with kit.asleep(scene.server, "tick"):
        ask(tester, timeout_seconds=60)
        made(tester.post(f"{API}/test/clock",
                         json={"forward_seconds": 36000}), 200)
        intent, one = beside(scene, "approvals", action="deploy")
        asked = ask(scene.agent, intent_id=intent["id"], timeout_seconds=60)
        scene.wait()
    wait_for(lambda: kit.read(scene.agent, {"suspension_id": one})["state"] ==
             "cancelled")
    holds(scene.agent, receipt(scene.agent, {"suspension_id": one}))
    assert kit.read(scene.agent, {"suspension_id": one})["responded_at"] == \
        kit.read(scene.agent, asked)["responded_at"]


def test_the_calls_are_those_of_the_tool_call_door(scene, no_rules):
    """Their digests are signed; what an agent calls "calls" is its own."""
    one = answered_tool_calls(scene)
    r = holds(scene.agent, receipt(scene.agent, {"suspension_id": one})
              )[0]["receipt"]
    sent = kit.read(scene.agent, {"suspension_id": one})["tool_calls"]
    assert [(c["id"], c["tool"]) for c in r["calls"]] == \
        [(c["id"], c["tool"]) for c in sent]
    with scene.server.database() as db:
        kept = db.execute(
            "SELECT arguments_sha256 FROM suspension_call "
            "WHERE suspension_id = %s ORDER BY ordinal", [one]).fetchall()
    assert [c["arguments_sha256"] for c in r["calls"]] == \
        [k for (k,) in kept]
    words = [{"id": "Zanzibar", "tool": "Quokka", "arguments_sha256": "x"}]
    asked = ask(scene.agent, context={"calls": words})
    answer(scene.operator, asked)
    r = holds(scene.agent, receipt(scene.agent, asked))[0]["receipt"]
    assert r["calls"] is None


def test_a_permit_that_was_taken_back_before_the_signature(scene, no_rules):
    """The receipt says what the answer granted, as its event does."""
    with kit.asleep(scene.server, "seal"):
        one = answered_tool_calls(scene)
        id_ = permit(scene.server, {"suspension_id": one})
        made(scene.operator.post(f"{API}/permits/{id_}/revoke",
                                 json={"reason": "Wrong order."}), 200)
    bundle = receipt(scene.operator, {"suspension_id": one})
    said = holds(scene.operator, bundle)[0]["receipt"]["permit"]
    event = json.loads(bundle["texts"]["event"])["payload"]["permit"]
    assert said["id"] == id_
    for name in ("granted_sha256", "max_uses"):
        assert said[name] == event[name]
    assert said["not_after"].rstrip("Z") == event["not_after"].rstrip("Z")


def test_a_large_question_stops_no_receipt(scene, no_rules):
    """As many words in the places of a receipt as an agent can put there."""
    wide = [{"id": "x" * 50, "tool": "y" * 50} for _ in range(1500)]
    asked = [ask(scene.agent, context={"calls": wide})["suspension_id"]]
    answer(scene.operator, {"suspension_id": asked[0]})
    names = [tool_call("\U00010348" * 198 + f"{n:02}",
                       "\U00010348" * 198 + f"{n:02}") for n in range(50)]
    one = check(scene.agent, *names)
    if one.status_code == 202:
        asked.append(one.json()["request_id"])
        made(scene.operator.post(f"{API}/resume/{asked[-1]}",
                                 json={"action": "reject"}), 200)
    asked.append(through(doors.native)(scene))
    for each in asked:
        receipt(scene.operator, {"suspension_id": each}, whole=False)


def test_events_that_name_the_question_are_not_its_end(scene):
    """An agent posts what looks like one, before and after the answer."""
    asked = ask(scene.agent)
    fake = {"suspension_id": asked["suspension_id"], "outcome": "authorized",
            "event_type": "intent.resumed"}
    intent = {"id": asked["intent_id"]}
    for type_ in ("intent.resumed", "status_changed", "decision_recorded"):
        refused(scene.agent.post(at(intent, "events"), json={
            "event_type": type_, "payload": fake}), 403)
    for type_ in ("comment", "engagement.decision", "task.progress"):
        made(scene.agent.post(at(intent, "events"), json={
            "event_type": type_, "payload": fake}))
    made(answer(scene.operator, asked, reason=str(fake)), 200)
    made(scene.agent.post(at(intent, "events"), json={
        "event_type": "comment", "payload": fake}))
    bundle = receipt(scene.agent, asked)
    holds(scene.agent, bundle)
    assert json.loads(bundle["texts"]["event"])["event_type"] == \
        "intent.resumed"


# --- Who asked for access -------------------------------------------------

def shut(client, intent):
    made(client.put(at(intent, "acl"), json={"default_policy": "closed",
                                             "entries": []}), 200)


@pytest.fixture
def outside(server, agent):
    """A closed intent, an agent that asked for access to it, and the id of
    its question."""
    intent = new_intent(agent)
    shut(agent, intent)
    with server.client("agent", agent="other-agent") as other:
        one = made(other.post(at(intent, "access-requests"), json={
            "principal_id": "other-agent", "principal_type": "agent",
            "requested_permission": "read", "reason": "To help."}))["id"]
        yield intent, other, {"suspension_id": one}


def pays(agent, intent):
    made(set_status(agent, kit.get(agent, intent), "completed",
                    reason="paid ACME"), 200)


def of_its_intent(client, asked):
    """The receipt, when a checkpoint of the intent has its event."""
    return wait_for(lambda: (b := receipt(client, asked))["checkpoint"] and
                    b["checkpoint"]["intent_id"] and b)


def holds_without_words_of_the_intent(other, asked, whole):
    """It is what an operator has, but for the events' words."""
    bundle = receipt(other, asked)
    assert {k: v for k, v in whole.items() if bundle.get(k) != v}.keys() == \
        {"texts", "checkpoint", "proof"}
    assert "texts" not in bundle and "ACME" not in str(bundle)
    assert bundle["checkpoint"] is None and bundle["proof"] is None
    said, words = holds(other, {**bundle, "texts": whole["texts"]})
    assert "ACME" not in str(said) and "ACME" not in str(words)
    short = receipt(other, asked, texts="no")
    assert {k: v for k, v in bundle.items() if k != "disclosures"} == short
    r = other.get(f"{API}/suspensions/{asked['suspension_id']}/receipt",
                  headers={"Accept": "application/jose"})
    assert r.status_code == 200 and r.text == bundle["receipt"]
    refused(other.get(f"{API}/checkpoints/"
                      f"{whole['checkpoint']['checkpoint_id']}"), 404)


@route(RECEIPT)
def test_who_asked_for_access_reads_no_event(agent, operator, outside):
    intent, other, asked = outside
    pays(agent, intent)
    whole = of_its_intent(operator, asked)
    assert json.loads(whole["texts"]["event"])["payload"]["reason"] == \
        "paid ACME"
    holds(operator, whole)
    holds_without_words_of_the_intent(other, asked, whole)


@route(RECEIPT)
def test_who_was_given_access_reads_the_whole_receipt(agent, operator,
                                                      outside):
    intent, other, asked = outside
    made(operator.post(at(intent, "access-requests", asked["suspension_id"],
                          "approve"), json={"reason": "Not ACME."}), 200)
    pays(agent, intent)
    whole = of_its_intent(other, asked)
    assert whole.keys() == of_its_intent(operator, asked).keys()
    assert json.loads(whole["texts"]["event"])["event_type"] == \
        "access_request_approved"
    holds(other, whole)


# --- The page -------------------------------------------------------------

def on_page(me, id_, **params):
    r = me.client.get(f"/suspensions/{id_}/receipt", params=params)
    assert r.status_code == 200, r.text
    return r


@route(PAGE)
@route(FILE)
def test_the_page_of_a_receipt(server, agent, operator, person):
    me = person("operator")
    asked = ask(agent, title="Refund 12345", context={"amount": "49.99"})
    id_ = asked["suspension_id"]
    r = me.client.get(f"/suspensions/{id_}/receipt")
    assert (r.status_code, r.headers["location"]) == \
        (303, f"/suspensions/{id_}")
    answer(operator, asked, reason="The goods came back.")
    bundle = receipt(operator, asked)
    said = holds(operator, bundle)[0]
    decided = me.client.get(f"/suspensions/{id_}").text
    assert f'href="/suspensions/{id_}/receipt"' in decided
    shown = on_page(me, id_)
    page = Page(shown)
    kid = json.loads(kit.base64.urlsafe_b64decode(
        bundle["receipt"].split(".")[0] + "=="))["kid"]
    for words in ("Refund 12345", "Refund order 12345?", "49.99",
                  "The goods came back.", "via the API", "Not signed",
                  asked["subject_sha256"], kid, id_,
                  said["receipt"]["event"]["event_hash"],
                  f"sayso verify --receipt receipt-{id_}.json --key"):
        assert (words in page.text) == (words != "Not signed"), words
    links = re.findall(rf'href="(/suspensions/{id_}/receipt.json[^"]*)"',
                       shown.text)
    whole, short = (me.client.get(html.unescape(x)).json() for x in links)
    assert whole["receipt"] == bundle["receipt"] == short["receipt"]
    assert whole["texts"] == bundle["texts"] and "texts" not in short


def test_the_page_before_the_signature(server, agent, operator, person):
    me = person("operator")
    with kit.asleep(server, "seal"):
        asked = ask(agent)
        answer(operator, asked)
        page = Page(on_page(me, asked["suspension_id"]))
        assert "Not signed yet" in page.text
        assert "has waited for" in page.text
        assert "sayso verify" not in page.text
        with server.database() as db:
            (kid,) = db.execute(
                "UPDATE signing_key SET state = 'retired', current_until = "
                "now() WHERE state = 'current' RETURNING kid").fetchone()
            try:
                page = Page(on_page(me, asked["suspension_id"]))
                assert "Nothing is signed" in page.text
                assert "This server has no key." in page.text
            finally:
                db.execute("UPDATE signing_key SET state = 'current', "
                           "current_until = NULL WHERE kid = %s", [kid])
    wait_for(lambda: "Not signed" not in
             Page(on_page(me, asked["suspension_id"])).text)


def test_who_sees_the_page(agent, operator, person, tester):
    asked = ask(agent)
    answer(operator, asked)
    receipt(operator, asked, whole=False)
    for path in ("receipt", "receipt.json"):
        at_ = f"/suspensions/{asked['suspension_id']}/{path}"
        for role in ("operator", "auditor", "admin"):
            assert person(role).client.get(at_).status_code == 200
        assert person("user").client.get(at_).status_code == 404
        assert person("operator").client.get(
            f"/suspensions/{ANY_ID}/{path}").status_code == 404
    of_test = ask(tester)
    made(tester.post("/api/v1/test/answer", json={
        "suspension_id": of_test["suspension_id"], "value": "approve"}), 200)
    me, id_ = person("operator"), of_test["suspension_id"]
    r = me.client.get(f"/suspensions/{id_}/receipt")
    assert r.status_code == 404 and "has no receipt" in r.text
    assert "/receipt" not in me.client.get(f"/suspensions/{id_}").text
