"""An agent asks for a permit before it acts, and yields its turn. The numbers
are those of the list of tests that the API was planned with."""
import pytest
from kit import answer, new_id, refused
from test_permits import call, look, redeem
from test_tool_calls import rule

route = pytest.mark.route


pytestmark = pytest.mark.usefixtures("no_rules")


DETAILS = [{"type": "tool_call", "tool": "shop.refund",
            "arguments": {"order": "12345", "currency": "EUR"},
            "constraints": {"amount": "50.00"}}]


def wish(client, **more):
    headers = more.pop("headers", {})
    body = {"goal": "Refund order 12345", "reasoning": "It arrived broken.",
            "session_id": "s-1", "authorization_details": DETAILS, **more}
    body = {k: v for k, v in body.items() if v is not None}
    return client.post("/api/v1/authorizations", json=body, headers=headers)


@route("POST /api/v1/authorizations")
def test_29_the_agent_yields_and_goes_on(agent, operator):
    r = wish(agent)
    assert r.status_code == 202, r.text
    p = r.json()
    assert p["object"] == "authorization" and p["yield"] is True
    assert p["status"] == "pending_veto" and p["session_id"] == "s-1"
    assert p["auth_req_id"].startswith("sar_") and p["interval"] == 5
    assert look(agent, p["permit_id"])["asked"] == DETAILS
    done = answer(operator, {"suspension_id": p["request_id"]}, "approve")
    assert done.status_code == 200, done.text
    assert done.json()["explanation"] == "It arrived broken."
    assert redeem(agent, p["permit_id"], call("49.90")).status_code == 201


def test_30_a_veto_and_its_reason(agent, operator):
    p = wish(agent).json()
    answer(operator, {"suspension_id": p["request_id"]}, "reject",
           reason="Ask Alice first.")
    seen = look(agent, p["permit_id"])
    assert seen["view"] == "vetoed" and seen["reason"] == "Ask Alice first."
    intent = agent.get(f"/api/v1/intents/{p['intent_id']}").json()
    assert intent["status"] == "active"


def test_31_rules_allow_and_deny(server, agent):
    rule(server, 1, "shop.*", "allow")
    r = wish(agent)
    assert r.status_code == 201 and r.json()["status"] == "authorized"
    assert redeem(agent, r.json()["permit_id"], call("1.00")
                  ).status_code == 201
    with server.database() as db:
        db.execute("DELETE FROM tool_rule")
    rule(server, 1, "shop.*", "deny", reason="No.")
    r = wish(agent)
    assert r.status_code == 201 and r.json()["status"] == "vetoed"
    assert r.json()["reason"] == "No." and "permit_id" not in r.json()


@pytest.mark.parametrize("then", ["allow", "ask"])
@pytest.mark.parametrize("now", ["deny", "ask"])
def test_the_same_request_meets_the_rules_of_now(server, agent, operator,
                                                 then, now):
    key = {"Idempotency-Key": new_id()}
    severity = {"ask": "high"}
    rule(server, 2, "shop.*", then, severity.get(then))
    first = wish(agent, headers=key).json()
    assert first["status"] == {"allow": "authorized",
                               "ask": "pending_veto"}[then]
    rule(server, 1, "shop.*", now, severity.get(now), reason="No."
         if now == "deny" else None)
    again = [wish(agent, headers=key).json() for _ in range(2)]
    assert again[0] == again[1]
    if now == "deny":
        assert again[0]["status"] == "vetoed" and again[0]["reason"] == "No."
        assert "permit_id" not in again[0]
    else:
        assert again[0]["status"] == "pending_veto"
        assert (again[0] == first) is (then == "ask")


def test_37_a_budget_over_several_uses(agent, operator):
    p = wish(agent, max_uses=3, budget={"amount": "100", "unit": "EUR",
                                        "of": "amount"}).json()
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    assert redeem(agent, p["permit_id"], call("50.00")).status_code == 201
    assert redeem(agent, p["permit_id"], call("30.00")).status_code == 201
    refused(redeem(agent, p["permit_id"], call("30.00")), 409,
            "permit.budget")
    assert look(agent, p["permit_id"])["spent"] == "80"


def test_an_action_of_a_provider(agent, operator):
    p = wish(agent, authorization_details=None, action_spec={
        "provider": "shop", "action": "refund",
        "params": {"order": "12345"}}).json()
    assert look(agent, p["permit_id"])["asked"] == [
        {"type": "tool_call", "tool": "shop.refund",
         "arguments": {"order": "12345"}}]


def test_what_is_refused(agent):
    for more, code, at in (
            ({"authorization_details": []}, "permit.details",
             "authorization_details"),
            ({"authorization_details": None}, "permit.details",
             "authorization_details"),
            ({"severity": "critical"}, "permit.jkt", "dpop_jkt"),
            ({"resource": "https://gw.example/mcp"}, "resource.unknown",
             "resource"),
            ({"veto_seconds": 59}, "field.range", "veto_seconds"),
            ({"goal": " "}, "field.empty", "goal"),
            ({"choices": []}, "field.unknown", "choices")):
        refused(wish(agent, **more), 422, code, at)
