"""Gateways: they use permits with the tokens that agents send them. The
numbers are those of the list of tests that the API was planned with."""
import pytest
from kit import events, new_id, refused, together
from proofs import OAuth, introspected, said
from test_permits import call, look

route = pytest.mark.route
REDEEM = "POST /api/v1/redemptions"
RESULT = "POST /api/v1/redemptions/{id}/result"


@pytest.fixture
def token(client, granted):
    """token(...): a permit that was granted, and a token for it."""
    def make(**more):
        p = granted(**more)
        r = client.token(p["auth_req_id"])
        assert r.status_code == 200, r.text
        return p, r.json()["access_token"]

    return make


@pytest.fixture
def redeem(client, resource):
    """Redeems as the gateway does, with the proof of the caller."""
    def make(token, what=None, operation=None, at=resource, dpop=True, **more):
        htu = resource.address + "/tools"
        if dpop is True:
            dpop = {"proof": client.pair.proof(htu, token=token, **more),
                    "htm": "POST", "htu": htu}
        body = {"token": token, "operation_id": operation or new_id(),
                "call": what or call("49.90"), "dpop": dpop}
        return at.post("/api/v1/redemptions",
                       json={k: v for k, v in body.items() if v})

    return make


@route(REDEEM)
@route(RESULT)
@route("GET /api/v1/permits/{id}")
def test_29_a_gateway_uses_a_permit(agent, gateway, resource, token, redeem):
    p, one = token()
    r = redeem(one)
    assert r.status_code == 201, r.text
    use = r.json()
    assert use["permit_id"] == p["permit_id"] and use["uses_left"] == 0
    assert use["agent"] == "refunds-agent" and use["n"] == 1
    assert introspected(gateway, one) == {"active": False}
    done = resource.post(f"/api/v1/redemptions/{use['redemption_id']}/result",
                         json={"result": "completed", "ref": "re_1"})
    assert done.status_code == 200, done.text
    seen = look(resource, p["permit_id"])
    assert seen == look(agent, p["permit_id"])
    assert seen["view"] == "completed"
    assert seen["redemptions"][0]["by"] == resource.label
    used = [e for e in events(agent, p["intent_id"])
            if e["event_type"] == "tool.invoked"]
    assert len(used) == 1 and used[0]["actor"] == resource.label


def test_H3_one_use_is_one(client, token, redeem):
    p, one = token()
    found = together(*[lambda: redeem(one)] * 30)
    assert sorted(r.status_code for r in found) == [201] + [409] * 29
    assert {r.json()["code"] for r in found if r.status_code == 409} == {
        "permit.spent"}
    said(client.token(p["auth_req_id"]), 400, "invalid_grant")


def test_38_an_operation_counts_once(token, redeem):
    _, one = token()
    operation = new_id()
    first = redeem(one, operation=operation)
    again = redeem(one, operation=operation, dpop=None)
    assert (first.status_code, again.status_code) == (201, 200)
    assert first.json() == again.json()
    refused(redeem(one, call("1.00"), operation), 409,
            "operation.other_call")


def test_49_several_uses(agent, token, redeem):
    p, one = token(max_uses=3)
    for left in (2, 1, 0):
        assert redeem(one).json()["uses_left"] == left
    refused(redeem(one), 409, "permit.spent")
    assert look(agent, p["permit_id"])["state"] == "spent"


def test_41_a_token_of_another_resource(server, agent, token, redeem,
                                       resource, other_resource):
    p, one = token()
    refused(redeem(one, at=other_resource), 401, "token.unknown")
    for bad in ("sat_" + "A" * 43, "x", one + "x"):
        refused(redeem(bad), 401, "token.unknown")
    refused(other_resource.get(f"/api/v1/permits/{p['permit_id']}"), 404,
            "permit.unknown")
    use = redeem(one).json()["redemption_id"]
    for client in (other_resource, agent):
        refused(client.post(f"/api/v1/redemptions/{use}/result",
                            json={"result": "completed"}), 404,
                "redemption.unknown")


def test_H1_the_agent_itself_uses_none_of_a_resource(agent, granted):
    p = granted()
    refused(agent.post("/api/v1/redemptions", json={
        "permit_id": p["permit_id"], "operation_id": "x",
        "call": call("1.00")}), 403, "permit.not_yours")


def test_39_an_old_token(token, client, redeem):
    p, first = token()
    second = client.token(p["auth_req_id"]).json()["access_token"]
    refused(redeem(first), 401, "token.expired")
    assert redeem(second).status_code == 201


def test_43_after_a_late_veto(operator, token, redeem):
    p, one = token()
    operator.post(f"/api/v1/permits/{p['permit_id']}/revoke", json={})
    refused(redeem(one), 409, "permit.revoked")


def test_a_permit_ends_with_the_access_of_its_agent(
        server, operator, client, gateway, token, redeem):
    """Read access is not enough: using a permit writes to the intent's log."""
    p, one = token()
    entries = f"/api/v1/intents/{p['intent_id']}/acl/entries"
    # Only a handoff takes an intent from the agent that made it.
    with server.database() as db:
        db.execute("UPDATE intent SET created_by = 'another', acl = 2 "
                   "WHERE id = %s", [p["intent_id"]])
    for permission in (None, "read"):
        if permission:
            operator.post(entries, json={
                "principal_id": "refunds-agent", "principal_type": "agent",
                "permission": permission}).raise_for_status()
        refused(redeem(one), 409, "permit.revoked")
        assert introspected(gateway, one) == {"active": False}
    operator.post(entries, json={
        "principal_id": "refunds-agent", "principal_type": "agent",
        "permission": "write"}).raise_for_status()
    assert introspected(gateway, one)["active"] is True
    assert redeem(one).status_code == 201


def test_44_a_use_and_a_veto_at_once(operator, agent, token, redeem):
    for _ in range(10):
        p, one = token()
        use, veto = together(
            lambda: redeem(one),
            lambda: operator.post(f"/api/v1/permits/{p['permit_id']}/revoke",
                                  json={}))
        assert veto.status_code == 200, veto.text
        assert (use.status_code == 201) == veto.json()["late"]
        if use.status_code != 201:
            refused(use, 409, "permit.revoked")
            assert look(agent, p["permit_id"])["used"] == 0


def test_50_a_token_ends_with_its_time(server, token, redeem):
    p, one = token()
    with server.database() as db:
        db.execute("UPDATE permit_token SET expires_at = now() "
                   "WHERE permit_id = %s", [p["permit_id"]])
    refused(redeem(one), 401, "token.expired")


def test_51_who_only_introspects_uses_nothing(agent, gateway, token):
    p, one = token()
    for _ in range(3):
        assert introspected(gateway, one)["uses_left"] == 1
    assert look(agent, p["permit_id"])["redemptions"] == []


def test_the_key_of_the_caller(client, token, redeem, resource):
    """A token is nothing without proofs of the key that it is bound to."""
    p, one = token()
    refused(redeem(one, dpop=None), 401, "dpop.proof")
    for members in ({"htu": "https://evil.example/mcp"}, {"htm": "GET"},
                    {"iat": 1}, {"ath": "x"}):
        refused(redeem(one, claims=members), 401, "dpop.proof")
    elsewhere = "https://evil.example/mcp"
    refused(redeem(one, dpop={
        "proof": client.pair.proof(elsewhere, token=one), "htm": "POST",
        "htu": elsewhere}), 401, "dpop.proof", "dpop.htu")
    from proofs import Key
    refused(redeem(one, dpop={
        "proof": Key().proof(resource.address, token=one), "htm": "POST",
        "htu": resource.address}), 401, "dpop.other_key")
    same = {"proof": client.pair.proof(resource.address, token=one),
            "htm": "POST", "htu": resource.address}
    refused(redeem(one, call("90.00"), dpop=same), 422, "permit.limit")
    assert redeem(one, dpop=same).status_code == 201
    _, other = token()
    assert redeem(other).status_code == 201


def test_a_proof_is_used_once(client, token, redeem, resource):
    _, one = token(max_uses=2)
    same = {"proof": client.pair.proof(resource.address, token=one),
            "htm": "POST", "htu": resource.address}
    assert redeem(one, dpop=same).status_code == 201
    refused(redeem(one, dpop=same), 401, "dpop.replay")
    assert redeem(one).status_code == 201


def test_what_a_redemption_needs(resource, token):
    _, one = token()
    good = {"token": one, "operation_id": "x", "call": call("1.00")}
    for more, code, at in (
            ({"permit_id": new_id()}, "field.unknown", "permit_id"),
            ({"token": None}, "field.missing", "token"),
            ({"token": "x" * 300}, "field.too_long", "token"),
            ({"operation_id": ""}, "field.empty", "operation_id"),
            ({"operation_id": "a b"}, "field.value", "operation_id"),
            ({"dpop": {}}, "field.missing", "dpop.proof"),
            ({"dpop": {"proof": "x", "htm": "POST", "htu": "x", "y": 1}},
             "field.unknown", "dpop.y"),
            ({"dpop": "x"}, "field.type", "dpop")):
        refused(resource.post("/api/v1/redemptions", json={**good, **more}),
                422, code, at)


def test_a_bearer_token_needs_no_proof(server, agent, operator,
                                       open_resource):
    from kit import answer
    from test_authorizations import wish
    p = wish(agent, resource=open_resource.address).json()
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    bare = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"])
    one = bare.token(p["auth_req_id"]).json()["access_token"]
    r = open_resource.post("/api/v1/redemptions", json={
        "token": one, "operation_id": "x", "call": call("1.00")})
    assert r.status_code == 201, r.text


# --- What ends a permit that a gateway uses -----------------------------------

@pytest.fixture
def ruled(server):
    """ruled(tool, effect, ...): a rule, until the end of the test."""
    from test_tool_calls import rule
    yield lambda *rest, **more: rule(server, 1, *rest, **more)
    with server.database() as db:
        db.execute("DELETE FROM tool_rule")


@pytest.mark.parametrize("now, ends", [
    (("shop.refund", "deny"), True), (("shop.*", "ask", "critical"), True),
    (("shop.refund", "ask", "low"), False), (("shop.refund", "allow"), False)])
def test_a_rule_that_is_stricter_by_now(agent, client, gateway, token, redeem,
                                        granted, ruled, now, ends):
    """At each address that says whether the permit can be used."""
    _, one = token(severity="high")
    later = granted(severity="high")
    ruled(*now)
    assert introspected(gateway, one)["active"] is not ends
    r = client.token(later["auth_req_id"])
    if not ends:
        assert r.status_code == 200 and redeem(one).status_code == 201
        return
    said(r, 400, "invalid_grant")
    refused(redeem(one), 409, "permit.rule")


def test_access_that_ended(server, operator, gateway, resource):
    """Of an agent whose key reaches only what it is tied to, in an intent that is
    open."""
    from kit import answer, at, made, new_intent
    from proofs import Key
    name = f"guest-{new_id()[:8]}"
    key = server.key("agent", "--agent", name)
    guest = OAuth(server, name, key, Key())
    intent = new_intent(operator)

    def lend():
        return made(operator.post(at(intent, "acl/entries"), json={
            "principal_id": name, "permission": "write"}))["id"]

    entry = lend()
    with server.client(headers={"X-API-Key": key}) as api:
        p = made(api.post("/api/v1/tool-calls/check", json={
            "intent_id": intent["id"], "resource": resource.address,
            "responder": {"mode": "operators"}, "tool_calls": [
                {"id": "1", "tool": "shop.refund", "arguments": {"n": 1}}]}),
            202)
        assert answer(operator, {"suspension_id": p["request_id"]}
                      ).status_code == 200
        one = guest.token(p["auth_req_id"]).json()["access_token"]
        assert introspected(gateway, one)["active"] is True
        path = f"/api/v1/suspensions/{p['request_id']}"
        assert api.get(path).json()["usable"] is True
        assert operator.delete(at(intent, "acl/entries", entry)
                               ).status_code in (200, 204)
        assert introspected(gateway, one) == {"active": False}
        assert api.get(path).json()["usable"] is False
        htu = resource.address
        use = {"token": one, "operation_id": "x",
               "call": {"tool": "shop.refund", "arguments": {"n": 1}}}
        refused(resource.post("/api/v1/redemptions", json={
            **use, "dpop": {"proof": guest.pair.proof(htu, token=one),
                            "htm": "POST", "htu": htu}}), 409,
            "permit.revoked")
        lend()
        r = resource.post("/api/v1/redemptions", json={
            **use, "dpop": {"proof": guest.pair.proof(htu, token=one),
                            "htm": "POST", "htu": htu}})
        assert r.status_code == 201, r.text
