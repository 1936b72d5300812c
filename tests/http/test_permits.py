"""Permits: what a yes allows, how often, for how long, and what counts the
uses. The numbers are those of the list of tests that the API was planned
with."""
import pytest
from kit import answer, ask, events, new_id, refused, together
from psycopg import errors

route = pytest.mark.route
REDEEM = "POST /api/v1/redemptions"

CALL = {"tool": "shop.refund",
        "args": {"order": "12345", "currency": "EUR", "amount": "50.00"}}


def approval(**more):
    return {"action": {"name": "Refund"}, "target": "order 12345",
            "scope_summary": "One refund", "consequence": "Money leaves.",
            "calls": [CALL], **more}


def limited(**more):
    return approval(constraints={"amount": "50.00"}, **more)


def question(agent, subject=None, **more):
    return ask(agent, **{"kind": "approval", "choices": None,
                         "response_type": None,
                         "subject": subject or approval(), **more})


def permit(server, asked):
    with server.database() as db:
        return db.execute("SELECT id::text FROM permit WHERE suspension_id = "
                          "%s", [asked["suspension_id"]]).fetchone()[0]


def granted(server, agent, operator, subject=None, value="approve", **more):
    asked = question(agent, subject)
    r = answer(operator, asked, value, **more)
    assert r.status_code == 200, r.text
    return permit(server, asked)


def call(amount="50.00", **more):
    return {"tool": "shop.refund",
            "arguments": {"order": "12345", "currency": "EUR",
                          "amount": amount, **more}}


def redeem(client, id_, what=None, operation=None, **more):
    return client.post("/api/v1/redemptions", json={
        "permit_id": id_, "operation_id": operation or new_id(),
        "call": what or call(), **more})


def look(client, id_):
    r = client.get(f"/api/v1/permits/{id_}")
    assert r.status_code == 200, r.text
    return r.json()


# --- From the question to the use -----------------------------------------

@route("GET /api/v1/permits/{id}")
@route(REDEEM)
def test_a_permit_from_the_question_to_its_use(server, agent, operator):
    asked = question(agent)
    id_ = permit(server, asked)
    seen = look(agent, id_)
    assert seen["state"] == "asked" and seen["view"] == "pending_veto"
    assert seen["granted"] is None and seen["max_uses"] == 1
    refused(redeem(agent, id_), 409, "permit.asked")
    assert answer(operator, asked).status_code == 200
    seen = look(agent, id_)
    assert seen["state"] == "active" and seen["view"] == "authorized"
    assert seen["granted"] == [{"type": "tool_call", "tool": "shop.refund",
                                "arguments": CALL["args"]}]
    r = redeem(agent, id_)
    assert r.status_code == 201, r.text
    assert r.json()["n"] == 1 and r.json()["uses_left"] == 0
    seen = look(operator, id_)
    assert seen["state"] == "spent" and seen["view"] == "executing"
    assert len(seen["redemptions"]) == 1
    listed = [e["event_type"] for e in events(agent, asked["intent_id"])]
    assert listed[:2] == ["tool.invoked", "intent.resumed"]


def stored(server, asked):
    """The permit's row, what it means, and what the answer's event says."""
    with server.database() as db:
        return db.execute(
            "SELECT p.state, r.state, r.granted = r.asked, e.canonical::jsonb "
            "#>> '{payload,permit,permit_id}' = p.id::text FROM permit p "
            "JOIN permit_row r USING (id) LEFT JOIN event e ON e.intent_id = "
            "p.intent_id AND e.event_type = 'intent.resumed' "
            "WHERE p.suspension_id = %s", [asked["suspension_id"]]).fetchone()


def test_what_is_granted_as_asked_is_written_with_its_use(server, agent,
                                                          operator):
    asked = question(agent)
    assert stored(server, asked) == ("asked", "asked", None, None)
    assert answer(operator, asked).status_code == 200
    assert stored(server, asked) == ("asked", "active", True, True)
    assert redeem(agent, permit(server, asked)).status_code == 201
    assert stored(server, asked) == ("spent", "spent", True, True)
    # A narrowed permit is written with the answer.
    asked = question(agent, limited())
    assert answer(operator, asked, "constrain",
                  constraints={"amount": "10.00"}).status_code == 200
    assert stored(server, asked) == ("active", "active", False, True)


@pytest.mark.parametrize("change", [
    "granted = '[]'", "granted_sha256 = repeat('0', 64)",
    "granted_at = now()", "not_after = not_after + interval '365 days'"])
@pytest.mark.parametrize("state", ["active", "spent", "revoked"])
def test_what_was_granted_as_asked_is_sealed(server, agent, operator, state,
                                             change):
    asked = question(agent)
    assert answer(operator, asked).status_code == 200
    with server.database() as db, pytest.raises(
            errors.IntegrityConstraintViolation):
        # The row as it may be written, but for the one change.
        db.execute("CREATE TEMP TABLE row AS SELECT granted, granted_sha256, "
                   "granted_at, not_after FROM permit_row WHERE suspension_id "
                   "= %s", [asked["suspension_id"]])
        db.execute(f"UPDATE row SET {change}")
        db.execute("UPDATE permit p SET state = %s, granted = r.granted, "
                   "granted_sha256 = r.granted_sha256, granted_at = "
                   "r.granted_at, not_after = r.not_after, ended_at = CASE %s "
                   "WHEN 'active' THEN NULL ELSE now() END FROM row r WHERE "
                   "suspension_id = %s",
                   [state, state, asked["suspension_id"]])


@pytest.mark.parametrize("state", ["active", "spent", "revoked"])
def test_no_permit_without_an_approval(server, agent, operator, state):
    asked = question(agent)
    no = question(agent)
    assert answer(operator, no, "reject", reason="no").status_code == 200
    for one in (asked, no):
        with server.database() as db, pytest.raises(
                errors.IntegrityConstraintViolation):
            db.execute("UPDATE permit SET state = %s, granted = asked, "
                       "granted_sha256 = asked_sha256, granted_at = now(), "
                       "not_after = now(), ended_at = CASE %s WHEN 'active' "
                       "THEN NULL ELSE now() END WHERE suspension_id = %s",
                       [state, state, one["suspension_id"]])
    answer(operator, asked, "reject", reason="no")


def test_32_silence_a_no_and_a_withdrawal_grant_nothing(server, agent,
                                                       operator):
    no = question(agent)
    assert answer(operator, no, "reject", reason="no").status_code == 200
    gone = question(agent)
    assert agent.post(f"/api/v1/suspensions/{gone['suspension_id']}/cancel"
                      ).status_code == 200
    for asked, view in ((no, "vetoed"), (gone, "revoked")):
        seen = look(agent, permit(server, asked))
        assert seen["state"] == "refused" and seen["view"] == view
        refused(redeem(agent, permit(server, asked)), 409, "permit.refused")


def test_33_the_answer_narrows_what_is_granted(server, agent, operator):
    id_ = granted(server, agent, operator, limited(), "constrain",
                  constraints={"amount": "30.00"})
    assert look(agent, id_)["granted"][0]["constraints"] == {
        "amount": "30.00"}
    refused(redeem(agent, id_, call("49.90")), 422, "permit.limit", "amount")
    assert redeem(agent, id_, call("30.00")).status_code == 201


def test_34_an_answer_never_widens(server, agent, operator):
    asked = question(agent, limited())
    r = answer(operator, asked, "constrain", constraints={"amount": "60.00"})
    refused(r, 422, "amend.wider")
    assert look(agent, permit(server, asked))["state"] == "asked"


@pytest.mark.parametrize("what, code, at", [
    ({"order": "12345", "currency": "EUR"}, "permit.missing", "amount"),
    ({**CALL["args"], "to": "me"}, "permit.extra", "to"),
    ({**CALL["args"], "amount": "50.000001"}, "permit.limit", "amount"),
    ({**CALL["args"], "amount": "5e1"}, "permit.limit", "amount"),
    ({**CALL["args"], "amount": "-1"}, "permit.limit", "amount"),
    ({**CALL["args"], "amount": 50}, "permit.limit", "amount"),
    ({**CALL["args"], "order": "9"}, "permit.other", "order")])
def test_35_a_call_that_is_not_covered(server, agent, operator, what, code,
                                       at):
    id_ = granted(server, agent, operator, limited())
    r = redeem(agent, id_, {"tool": "shop.refund", "arguments": what})
    refused(r, 422, code, at)
    assert look(agent, id_)["used"] == 0


def test_36_another_tool(server, agent, operator):
    id_ = granted(server, agent, operator)
    refused(redeem(agent, id_, {"tool": "shop.pay",
                                "arguments": CALL["args"]}), 422,
            "permit.tool")


def test_38_52_an_operation_counts_once(server, agent, operator):
    id_, operation = granted(server, agent, operator, limited()), new_id()
    first = redeem(agent, id_, operation=operation)
    again = redeem(agent, id_, operation=operation)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json() and look(agent, id_)["used"] == 1
    refused(redeem(agent, id_, call("1.00"), operation), 409,
            "operation.other_call")


def test_H3_of_thirty_uses_at_once_one_counts(server, agent, operator):
    id_ = granted(server, agent, operator)
    found = together(*[lambda: redeem(agent, id_)] * 30)
    assert sorted(r.status_code for r in found) == [201] + [409] * 29
    assert {r.json()["code"] for r in found if r.status_code == 409} == {
        "permit.spent"}
    seen = look(agent, id_)
    used = [e for e in events(agent, seen["intent_id"])
            if e["event_type"] == "tool.invoked"]
    assert seen["used"] == len(used) == len(seen["redemptions"]) == 1


# --- Whose it is ----------------------------------------------------------

def test_H1_a_permit_is_its_agents(server, agent, other_agent, operator,
                                   auditor):
    id_ = granted(server, agent, operator)
    refused(redeem(other_agent, id_), 404, "permit.unknown")
    refused(other_agent.get(f"/api/v1/permits/{id_}"), 404, "permit.unknown")
    refused(other_agent.post(f"/api/v1/permits/{id_}/revoke"), 404,
            "permit.unknown")
    refused(redeem(operator, id_), 403, "role.forbidden")
    refused(redeem(agent, new_id()), 404, "permit.unknown")
    assert look(auditor, id_)["used"] == 0


# --- Results --------------------------------------------------------------

@route("POST /api/v1/redemptions/{id}/result")
def test_a_result_is_reported_once(server, agent, other_agent, operator):
    id_ = granted(server, agent, operator)
    use = redeem(agent, id_).json()["redemption_id"]
    at = f"/api/v1/redemptions/{use}/result"
    body = {"result": "completed", "ref": "re_1"}
    refused(other_agent.post(at, json=body), 404, "redemption.unknown")
    refused(agent.post(at, json={"result": "maybe"}), 422, "field.value")
    assert agent.post(at, json=body).json()["result"] == "completed"
    assert agent.post(at, json=body).status_code == 200
    refused(agent.post(at, json={"result": "failed"}), 409,
            "redemption.result")
    assert look(agent, id_)["view"] == "completed"


# --- Taking back ----------------------------------------------------------

@route("POST /api/v1/permits/{id}/revoke")
def test_43_a_late_veto(server, agent, operator):
    id_ = granted(server, agent, operator)
    r = operator.post(f"/api/v1/permits/{id_}/revoke",
                      json={"reason": "Wrong order."})
    assert r.status_code == 200 and r.json()["state"] == "revoked"
    assert r.json()["late"] is False
    refused(redeem(agent, id_), 409, "permit.revoked")
    refused(operator.post(f"/api/v1/permits/{id_}/revoke"), 409,
            "permit.revoked")
    used = granted(server, agent, operator)
    assert redeem(agent, used).status_code == 201
    r = operator.post(f"/api/v1/permits/{used}/revoke", json={"reason": "x"})
    assert r.status_code == 200 and r.json()["late"] is True
    assert r.json()["state"] == "spent"


def test_44_a_use_and_a_veto_at_once(server, agent, operator):
    for _ in range(25):
        id_ = granted(server, agent, operator)
        use, veto = together(
            lambda: redeem(agent, id_),
            lambda: operator.post(f"/api/v1/permits/{id_}/revoke", json={}))
        assert veto.status_code == 200
        seen = look(agent, id_)
        if use.status_code == 201:
            assert seen["state"] == "spent" and veto.json()["late"]
        else:
            refused(use, 409, "permit.revoked")
            assert seen["state"] == "revoked" and seen["used"] == 0


def test_45_50_what_ends_a_permit(server, agent, operator):
    paused = granted(server, agent, operator)
    asked = ask(agent, intent_id=look(agent, paused)["intent_id"])
    refused(redeem(agent, paused), 409, "permit.paused")
    answer(operator, asked)
    assert redeem(agent, paused).status_code == 201
    ended = granted(server, agent, operator)
    intent = look(agent, ended)["intent_id"]
    version = agent.get(f"/api/v1/intents/{intent}").json()["version"]
    agent.post(f"/api/v1/intents/{intent}/status",
               json={"status": "abandoned"},
               headers={"If-Match": str(version)})
    refused(redeem(agent, ended), 409, "permit.intent_ended")
    asked = question(agent)
    with server.database() as db:
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE permit SET state = 'active', granted = asked, "
                   "granted_sha256 = asked_sha256, granted_at = now(), "
                   "not_after = now() WHERE suspension_id = %s",
                   [asked["suspension_id"]])
    answer(operator, asked, "reject", reason="no")


def test_53_the_kinds_that_make_permits(server, agent):
    def has(**more):
        asked = ask(agent, **{"response_type": None, "choices": None, **more})
        with server.database() as db:
            return db.execute("SELECT count(*) FROM permit WHERE "
                              "suspension_id = %s",
                              [asked["suspension_id"]]).fetchone()[0]

    assert has(kind="approval", subject=approval()) == 1
    assert has(kind="approval", subject={
        "action": {"name": "x"}, "target": "y", "scope_summary": "z"}) == 0
    assert has(kind="permission", subject={
        "capability": "read mail", "target": "inbox", "risk_text": "private",
        "duration": {"kind": "once"}, "consequence": "reads"}) == 1
    assert has(kind="cost_confirmation", subject={
        "purpose": "translate", "estimate": {"amount": 12.5, "unit": "EUR"},
        "limit": {"amount": 20, "unit": "EUR"}}) == 1
    assert has() == 0


# --- Records --------------------------------------------------------------

@pytest.mark.parametrize("type_, member", [
    ("tool.invoked", "permit_id"), ("tool.denied", "redemption_id")])
def test_an_agent_forges_no_record_of_a_use(server, agent, operator, type_,
                                            member):
    intent = look(agent, granted(server, agent, operator))["intent_id"]
    at = f"/api/v1/intents/{intent}/events"
    refused(agent.post(at, json={"event_type": type_,
                                 "payload": {member: "x"}}), 422,
            "event.reserved", "payload")
    own = agent.post(at, json={"event_type": type_, "payload": {"n": 1}})
    assert own.status_code == 201, own.text
