"""The use of a yes: it counts once, a repeat within five minutes is the same
use, and it ends when it is taken back. Reading uses nothing."""
import pytest
from kit import (answer, ask, end_key, events, get, new_id, refused, set_status,
                 together)
from test_permits import approval, call, look, permit, question
from test_tool_calls import rule

route = pytest.mark.route
REDEEM = "POST /api/v1/redemptions"


def use(client, asked, operation=None, **more):
    return client.post("/api/v1/redemptions", json={
        "suspension_id": asked["suspension_id"],
        "operation_id": operation or new_id(), **more})


def read(client, asked):
    r = client.get(f"/api/v1/suspensions/{asked['suspension_id']}")
    assert r.status_code == 200, r.text
    listed = client.get("/api/v1/suspensions", params={"limit": 100}).json()
    same = [s for s in listed["suspensions"]
            if s["suspension_id"] == asked["suspension_id"]]
    assert [s.get("usable") for s in same] == [r.json().get("usable")]
    return r.json().get("usable"), r.json().get("unusable_reason")


YES_NO = [{"value": "approve", "label": "Go on", "effect": "authorize"},
          {"value": "reject", "label": "Stop", "effect": "veto"}]


def simple(agent, operator, value="approve", **more):
    """A question without a permit, answered."""
    asked = ask(agent, choices=YES_NO, **more)
    assert answer(operator, asked, value).status_code == 200
    return asked


def exact(agent, operator):
    """One with the permit of one exact call."""
    asked = question(agent)
    assert answer(operator, asked).status_code == 200
    return asked


KINDS = pytest.mark.parametrize("make", [simple, exact])


def older(server, asked, minutes=5):
    """Its uses were so long ago."""
    with server.database() as db:
        db.execute("UPDATE answer_use SET at = at - %s * interval '1 min' "
                   "WHERE suspension_id = %s",
                   [minutes, asked["suspension_id"]])
        db.execute("UPDATE redemption r SET at = at - %s * interval '1 min' "
                   "FROM permit p WHERE p.id = r.permit_id AND "
                   "p.suspension_id = %s", [minutes, asked["suspension_id"]])


def abandon(agent, asked):
    intent = get(agent, {"id": asked["intent_id"]})
    r = set_status(agent, intent, "abandoned")
    assert r.status_code == 200, r.text


@route(REDEEM)
@KINDS
def test_an_answer_is_used_once(server, agent, operator, make):
    asked, operation = make(agent, operator), new_id()
    assert read(agent, asked) == (True, None)
    first = use(agent, asked, operation)
    assert first.status_code == 201, first.text
    assert first.json()["uses_left"] == 0 and first.json()["counted"]
    again = use(agent, asked, operation)
    assert again.status_code == 200 and again.json() == first.json()
    refused(use(agent, asked), 409, "permit.spent")
    assert read(agent, asked) == (False, "permit.spent")
    told = [e for e in events(agent, asked["intent_id"])
            if e["event_type"] == "tool.invoked"]
    assert len(told) == 1
    older(server, asked)
    said = refused(use(agent, asked, operation), 409, "permit.used")
    assert "ask again" in said["detail"]


@KINDS
def test_one_of_ten_uses_at_once_counts(agent, operator, make):
    asked = make(agent, operator)
    done = together(*[lambda: use(agent, asked)] * 10)
    assert sorted(r.status_code for r in done) == [201] + [409] * 9


@KINDS
def test_the_same_use_at_once_counts_once(agent, operator, make):
    asked, operation = make(agent, operator), new_id()
    done = together(*[lambda: use(agent, asked, operation)] * 10)
    assert sorted(r.status_code for r in done) == [200] * 9 + [201]


@KINDS
@pytest.mark.parametrize("before", [False, True])
def test_an_abandoned_intent_ends_it(agent, operator, make, before):
    asked, operation = make(agent, operator), new_id()
    if before:
        assert use(agent, asked, operation).status_code == 201
    abandon(agent, asked)
    refused(use(agent, asked, operation), 409, "permit.intent_ended")
    assert not read(agent, asked)[0]


@pytest.mark.parametrize("before", [False, True])
def test_what_was_taken_back_is_no_yes(server, agent, operator, before):
    asked, operation = exact(agent, operator), new_id()
    if before:
        assert use(agent, asked, operation).status_code == 201
    r = operator.post(
        f"/api/v1/permits/{permit(server, asked)}/revoke", json={})
    assert r.status_code == 200 and r.json()["late"] is before
    refused(use(agent, asked, operation), 409, "permit.revoked")
    assert not read(agent, asked)[0]


@pytest.mark.parametrize("before", [False, True])
def test_a_rule_that_forbids_it_by_now(server, agent, operator, no_rules,
                                       before):
    asked, operation = exact(agent, operator), new_id()
    if before:
        assert use(agent, asked, operation).status_code == 201
    rule(server, 1, "shop.refund", "deny")
    assert read(agent, asked) == (False, "permit.spent" if before
                                  else "permit.rule")
    refused(use(agent, asked, operation), 409, "permit.rule")
    refused(agent.post("/api/v1/redemptions", json={
        "permit_id": permit(server, asked), "operation_id": operation,
        "call": call()}), 409, "permit.rule")


def test_calls_that_no_permit_describes_meet_the_rules_too(
        server, agent, operator, no_rules):
    asked = question(agent, approval(calls=[
        {"tool": "shop.refund", "args": {"n": None}}]))
    assert answer(operator, asked).status_code == 200
    rule(server, 1, "shop.*", "deny")
    refused(use(agent, asked), 409, "permit.rule")


@pytest.mark.parametrize("value", ["reject"])
def test_a_no_is_never_used(agent, operator, value):
    asked = ask(agent, choices=YES_NO)
    refused(use(agent, asked), 409, "permit.asked")
    assert read(agent, asked) == (None, None)
    assert answer(operator, asked, value).status_code == 200
    refused(use(agent, asked), 409, "permit.refused")
    assert read(agent, asked) == (None, None)
    withdrawn = ask(agent)
    agent.post(f"/api/v1/suspensions/{withdrawn['suspension_id']}/cancel")
    refused(use(agent, withdrawn), 409, "permit.refused")


def test_an_answer_without_an_effect_is_its_agents_to_read(agent, operator):
    """The server does not know whether it is a yes."""
    asked = ask(agent, choices=[{"value": "sea", "label": "By sea"},
                                {"value": "air", "label": "By air"}])
    assert answer(operator, asked, "air").status_code == 200
    assert read(agent, asked) == (None, None)
    assert use(agent, asked).status_code == 201
    refused(use(agent, asked), 409, "permit.spent")


@pytest.mark.parametrize("choice", [
    {"value": "no", "label": "No"}, {"value": "b", "label": "Deny"},
    {"value": "REJECT"}, {"value": "\uff4e\uff4f", "label": "\uff4e\uff4f"},
    {"value": "cancel", "label": "Cancel"}],
    ids=lambda c: c["value"])
def test_a_word_for_a_no_is_never_used(agent, operator, choice):
    """Also where no choice has an effect."""
    asked = ask(agent, choices=[choice, {"value": "go", "label": "Go on"}])
    assert answer(operator, asked, choice["value"]).status_code == 200
    refused(use(agent, asked), 409, "permit.refused")


def test_the_no_of_a_confirm_and_of_a_text_is_never_used(agent, operator):
    for value, more in (("no", {"response_type": "confirm"}),
                        ("No.", {"response_type": "text"})):
        asked = ask(agent, choices=None, **more)
        assert answer(operator, asked, value).status_code == 200
        refused(use(agent, asked), 409, "permit.refused")
    asked = ask(agent, choices=None, response_type="confirm")
    assert answer(operator, asked, "yes").status_code == 200
    assert use(agent, asked).status_code == 201


def test_what_names_its_action_is_no_word_for_a_no(agent, operator):
    asked = ask(agent, choices=[
        {"value": "cancel", "label": "Cancel order 1234"},
        {"value": "keep", "label": "Keep it"}])
    assert answer(operator, asked, "cancel").status_code == 200
    assert use(agent, asked).status_code == 201


def test_a_choice_without_an_effect_beside_a_yes_is_no_yes(agent, operator):
    asked = ask(agent, choices=[*YES_NO, {"value": "later", "label": "Later"}])
    assert answer(operator, asked, "later").status_code == 200
    refused(use(agent, asked), 409, "permit.refused")


def test_a_use_waits_for_the_intent(agent, operator):
    asked = simple(agent, operator)
    other = ask(agent, intent_id=asked["intent_id"])
    refused(use(agent, asked), 409, "permit.paused")
    assert read(agent, asked) == (False, "permit.paused")
    answer(operator, other)
    assert use(agent, asked).status_code == 201


def test_a_yes_is_over_after_a_week(server, agent, operator):
    asked = exact(agent, operator)
    id_ = permit(server, asked)
    seen = look(agent, id_)
    with server.database() as db:
        seconds = db.execute(
            "SELECT use_seconds FROM permit WHERE suspension_id = %s",
            [asked["suspension_id"]]).fetchone()[0]
    assert seconds == 7 * 24 * 3600 and seen["state"] == "active"


@route(REDEEM)
def test_whose_it_is(agent, other_agent, operator, server):
    for make in (simple, exact):
        asked = make(agent, operator)
        refused(use(other_agent, asked), 404, "suspension.unknown")
        refused(use(operator, asked), 403, "role.forbidden")
    refused(use(agent, {"suspension_id": new_id()}), 404,
            "suspension.unknown")
    refused(use(agent, asked, permit_id=permit(server, asked)), 422,
            "field.unused", "permit_id")
    refused(agent.post("/api/v1/redemptions", json={
        "operation_id": "x", "call": call()}), 422, "field.missing",
            "permit_id")


def test_the_call_is_the_approved_one(agent, operator):
    asked, operation = exact(agent, operator), new_id()
    refused(use(agent, asked, call=call("51.00")), 422, "permit.other",
            "amount")
    assert use(agent, asked, operation, call=call()).status_code == 201
    assert use(agent, asked, operation).status_code == 200
    refused(use(agent, asked, operation, call=call("1.00")), 409,
            "operation.other_call")
    limited = question(agent, approval(constraints={"amount": "50.00"}))
    assert answer(operator, limited).status_code == 200
    refused(use(agent, limited), 422, "field.missing", "call")
    assert use(agent, limited, call=call("49.00")).status_code == 201


def test_a_permission_holds_for_its_time(agent, operator):
    asked = ask(agent, kind="permission", choices=None, response_type=None,
                subject={"capability": "read mail", "target": "inbox",
                         "risk_text": "private", "consequence": "reads",
                         "duration": {"kind": "once"}})
    r = answer(operator, asked, "allow_once")
    assert r.status_code == 200, r.text
    for _ in range(3):
        r = use(agent, asked)
        assert r.status_code == 201 and r.json()["counted"] is False, r.text
    assert read(agent, asked) == (True, None)
    abandon(agent, asked)
    refused(use(agent, asked), 409, "permit.intent_ended")


def test_reading_uses_nothing(agent, operator):
    for make in (simple, exact):
        asked = make(agent, operator)
        for _ in range(3):
            assert read(agent, asked) == (True, None)
        assert use(agent, asked).status_code == 201


def test_a_version_stays_where_no_permit_is_counted(agent, operator):
    asked = simple(agent, operator)
    intent = {"id": asked["intent_id"]}
    version = get(agent, intent)["version"]
    assert use(agent, asked).status_code == 201
    assert get(agent, intent)["version"] == version


@pytest.mark.parametrize("before", [False, True])
@pytest.mark.parametrize("now, ends", [
    (("ask", "critical"), True), (("ask", "low"), False)])
def test_a_rule_that_asks_at_a_higher_risk_by_now(server, agent, operator,
                                                  no_rules, before, now, ends):
    asked = question(agent, severity="high")
    assert answer(operator, asked).status_code == 200
    operation = new_id()
    if before:
        assert use(agent, asked, operation).status_code == 201
    rule(server, 1, "shop.refund", *now)
    r = use(agent, asked, operation)
    if ends:
        refused(r, 409, "permit.rule")
    else:
        assert r.status_code == (200 if before else 201), r.text


def test_a_rule_that_asks_others_by_now(server, agent, operator, no_rules):
    asked = question(agent, severity="high")
    assert answer(operator, asked).status_code == 200
    for by, ends in (("group:ledger", True), ("operators", False)):
        with server.database() as db:
            db.execute("DELETE FROM tool_rule")
        done = server.sayso("rule", "add", "--position", "1", "--tool",
                            "shop.refund", "--effect", "ask", "--severity",
                            "low", "--by", by)
        assert done.returncode == 0, done.stderr
        r = use(agent, asked)
        if ends:
            refused(r, 409, "permit.rule")
        else:
            assert r.status_code == 201, r.text


@KINDS
@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_a_key_that_ended(server, operator, make, how):
    """The agent's other key uses no yes of it, with a permit or without."""
    name = f"two-keys-{new_id()[:8]}"
    first, second = (server.key("agent", "--agent", name) for _ in range(2))
    with server.client(headers={"X-API-Key": first}) as one, \
            server.client(headers={"X-API-Key": second}) as two:
        asked, operation = make(one, operator), new_id()
        assert read(two, asked) == (True, None)
        end_key(server, first, how)
        assert read(two, asked) == (False, "permit.revoked")
        refused(use(two, asked, operation), 409, "permit.revoked")


# --- Several calls ---------------------------------------------------------------

def several(agent, *args, **more):
    return question(agent, approval(calls=[
        {"tool": "shop.refund", "args": a} for a in args], **more))


def one(**arguments):
    return {"tool": "shop.refund", "arguments": arguments}


def test_each_of_several_calls_is_used_once(agent, operator):
    asked = several(agent, {"n": 1}, {"n": 2}, {"n": 2})
    assert answer(operator, asked).status_code == 200
    assert use(agent, asked, call=one(n=1)).status_code == 201
    said = refused(use(agent, asked, call=one(n=1)), 409, "permit.spent")
    assert "approved once" in said["detail"]
    for _ in range(2):
        assert use(agent, asked, call=one(n=2)).status_code == 201
    refused(use(agent, asked, call=one(n=2)), 409, "permit.spent")
    assert read(agent, asked) == (False, "permit.spent")


def test_one_of_several_calls_at_once(agent, operator):
    asked = several(agent, {"n": 1}, {"n": 2})
    assert answer(operator, asked).status_code == 200
    done = together(*[lambda: use(agent, asked, call=one(n=1))] * 6)
    assert sorted(r.status_code for r in done) == [201] + [409] * 5


def test_what_was_left_of_several_calls(agent, operator):
    """The person kept one of three: it is not used three times."""
    asked = several(agent, {"n": 1}, {"n": 2}, {"n": 3}, action={
        "name": "Refund"})
    edited = question(agent, {**approval(calls=[
        {"tool": "shop.refund", "args": {"n": n}} for n in (1, 2, 3)])},
        allow_edit=True)
    kept = approval(calls=[{"tool": "shop.refund", "args": {"n": 3}}])
    r = answer(operator, edited, "edit", subject=kept, reason="That one.",
               typed="order 12345")
    assert r.status_code == 200, r.text
    done = use(agent, edited, call=one(n=3))
    assert done.status_code == 201 and done.json()["uses_left"] == 0
    assert read(agent, edited) == (False, "permit.spent")
    refused(use(agent, edited, call=one(n=3)), 409, "permit.spent")
    assert answer(operator, asked, "reject", reason="No.").status_code == 200


def test_calls_find_their_places_in_any_order(agent, operator):
    """A call that fits two details leaves the one that another needs."""
    p = agent.post("/api/v1/authorizations", json={
        "goal": "x", "authorization_details": [
            {"type": "tool_call", "tool": "shop.refund", "arguments": {},
             "constraints": {"amount": limit}} for limit in ("100.00",
                                                             "50.00")]})
    assert p.status_code == 202, p.text
    asked = {"suspension_id": p.json()["request_id"]}
    assert answer(operator, asked).status_code == 200
    for amount, status in (("40.00", 201), ("90.00", 201), ("1.00", 409)):
        r = use(agent, asked, call=one(amount=amount))
        assert r.status_code == status, r.text
