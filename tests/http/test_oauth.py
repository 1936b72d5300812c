"""The OAuth addresses of permits. The numbers are those of the list of tests
that the API was planned with."""
import kit
import pytest
from kit import answer
from proofs import GRANT, Key, OAuth, introspected, said
from test_authorizations import DETAILS, wish
from test_permits import look
from test_tool_calls import rule

route = pytest.mark.route
METADATA = "GET /.well-known/oauth-authorization-server"
TOKEN = "POST /oauth/token"
INTROSPECT = "POST /oauth/introspect"
ASK = "POST /oauth/bc-authorize"
REVOKE = "POST /oauth/revoke"


pytestmark = pytest.mark.usefixtures("no_rules")


# --- Metadata -------------------------------------------------------------

@route(METADATA)
def test_the_metadata(server, nobody):
    r = nobody.get("/.well-known/oauth-authorization-server")
    assert r.status_code == 200
    m = r.json()
    assert m["issuer"] == server.url
    assert m["token_endpoint"] == server.url + "/oauth/token"
    assert m["grant_types_supported"] == [GRANT]
    assert m["response_types_supported"] == []
    assert "jwks_uri" not in m


# --- From the question to the token ---------------------------------------

@route(TOKEN)
@route(INTROSPECT)
def test_a_token_of_a_permit(server, agent, client, gateway, granted,
                             resource):
    p = granted(initiated_by="mara@example.org")
    r = client.token(p["auth_req_id"])
    assert r.status_code == 200, r.text
    assert r.headers["cache-control"] == "no-store"
    t = r.json()
    assert t["access_token"].startswith("sat_") and t["token_type"] == "DPoP"
    assert 0 < t["expires_in"] <= 300 and t["uses_left"] == 1
    assert t["authorization_details"] == DETAILS
    assert t["permit_id"] == p["permit_id"]
    assert t["request_id"] == p["request_id"] and "refresh_token" not in t
    seen = introspected(gateway, t["access_token"])
    assert seen["active"] is True and seen["token_type"] == "DPoP"
    assert seen["iss"] == server.url and seen["aud"] == resource.address
    assert seen["sub"] == "mara@example.org"
    assert seen["act"] == {"sub": "refunds-agent"} and \
        seen["client_id"] == "refunds-agent"
    assert seen["cnf"] == {"jkt": client.pair.jkt}
    assert seen["authorization_details"] == DETAILS
    assert seen["redemption_endpoint"] == server.url + "/api/v1/redemptions"
    assert seen["exp"] - seen["iat"] == t["expires_in"]


def test_48_polls(agent, client, other_agent, granted, asked, operator):
    """A handle of another agent is as unknown as one that nobody has."""
    mine, theirs = granted(), wish(other_agent).json()
    none = said(client.token("sar_" + "A" * 27), 400, "invalid_grant")
    other = said(client.token(theirs["auth_req_id"]), 400, "invalid_grant")
    assert none == other
    assert client.token(mine["auth_req_id"]).status_code == 200


def test_46_a_poll_too_soon(server, client, asked, operator):
    p = asked()
    said(client.token(p["auth_req_id"]), 400, "authorization_pending")
    said(client.token(p["auth_req_id"]), 400, "slow_down")
    said(client.token(p["auth_req_id"]), 400, "slow_down")
    with server.database() as db:
        left = db.execute(
            "UPDATE permit o SET poll_after = now() FROM permit p "
            "WHERE o.id = %s AND p.id = o.id "
            "RETURNING extract(epoch FROM p.poll_after - now())",
            [p["permit_id"]]).fetchone()[0]
    assert 4 < left <= 5
    said(client.token(p["auth_req_id"]), 400, "authorization_pending")
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    assert client.token(p["auth_req_id"]).status_code == 200


# --- The key of a token ---------------------------------------------------

def test_40_another_key_gets_no_token(server, agent, client, granted):
    key = server.env["SAYSO_AGENT_KEY"]
    bound = granted(dpop_jkt=client.pair.jkt)["auth_req_id"]
    first = granted()["auth_req_id"]
    assert client.token(first).status_code == 200
    other = OAuth(server, "refunds-agent", key, Key("EdDSA"))
    none = said(other.token("sar_" + "A" * 27), 400, "invalid_grant")
    assert said(other.token(bound), 400, "invalid_grant") == none
    assert said(other.token(first), 400, "invalid_grant") == none
    said(OAuth(server, "refunds-agent", key).token(first), 400,
         "invalid_dpop_proof")
    assert client.token(bound).status_code == 200


def test_a_poll_fixes_the_key(server, client, asked, operator):
    """The first proof of a permit binds it, before the answer too."""
    p = asked()
    said(client.token(p["auth_req_id"]), 400, "authorization_pending")
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    other = OAuth(server, "refunds-agent", client.secret, Key())
    said(other.token(p["auth_req_id"]), 400, "invalid_grant")
    assert client.token(p["auth_req_id"]).status_code == 200


def test_39_a_lost_answer(client, gateway, granted):
    handle = granted()["auth_req_id"]
    first = client.token(handle).json()["access_token"]
    second = client.token(handle).json()["access_token"]
    assert introspected(gateway, first) == {"active": False}
    assert introspected(gateway, second)["active"] is True


def test_a_token_without_a_key(server, agent, operator, open_resource):
    p = wish(agent, resource=open_resource.address).json()
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    bare = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"])
    t = bare.token(p["auth_req_id"]).json()
    assert t["token_type"] == "Bearer"
    gateway = OAuth(server, open_resource.label, open_resource.key)
    seen = introspected(gateway, t["access_token"])
    assert seen["token_type"] == "Bearer" and "cnf" not in seen
    assert seen["sub"] == "refunds-agent" and "act" not in seen


# --- Requests for tokens --------------------------------------------------

def test_H2_a_token_has_what_was_granted(client, granted):
    """A request for a token cannot name details, wider ones or the same."""
    p = granted()
    wide = [{**DETAILS[0], "constraints": {"amount": "9000.00"}}]
    for details in (wide, DETAILS):
        body = said(client.token(p["auth_req_id"],
                                 authorization_details=details),
                    400, "invalid_request")
        assert body["at"] == "authorization_details"
    t = client.token(p["auth_req_id"]).json()
    assert t["authorization_details"] == DETAILS


def end(agent, permit, status):
    intent = kit.get(agent, {"id": permit["intent_id"]})
    kit.made(kit.set_status(agent, intent, status), 200)


def test_48_the_states_of_a_permit(server, client, agent, asked, granted,
                                   operator):
    no = asked()
    answer(operator, {"suspension_id": no["request_id"]}, "reject",
           reason='Ask "Älice" first.')
    body = said(client.token(no["auth_req_id"]), 400, "access_denied")
    assert body["request_id"] == no["request_id"]
    assert body["reason"] == 'Ask "Älice" first.'
    assert "lice" not in body["error_description"]
    late = granted()
    agent.post(f"/api/v1/permits/{late['permit_id']}/revoke", json={})
    said(client.token(late["auth_req_id"]), 400, "access_denied")
    ended = granted()
    end(agent, ended, "completed")
    said(client.token(ended["auth_req_id"]), 400, "invalid_grant")


def test_32_50_the_time_is_over(server, client, agent, asked, granted):
    silent = asked()
    with server.database() as db:
        db.execute("ALTER TABLE suspension DISABLE TRIGGER ALL")
        db.execute("UPDATE suspension SET expires_at = now() WHERE id = %s",
                   [silent["request_id"]])
        db.execute("ALTER TABLE suspension ENABLE TRIGGER ALL")
    said(client.token(silent["auth_req_id"]), 400, "expired_token")
    assert look(agent, silent["permit_id"])["view"] == "expired"
    unused = granted(use_seconds=1)
    with server.database() as db:
        db.execute("SELECT pg_sleep(1.1)")
    said(client.token(unused["auth_req_id"]), 400, "expired_token")
    assert look(agent, unused["permit_id"])["state"] == "active"


def test_what_a_token_request_needs(client, granted):
    handle = granted()["auth_req_id"]
    client.fresh()
    for form, error, at in (
            ({"auth_req_id": handle}, "invalid_request", "grant_type"),
            ({"grant_type": GRANT}, "invalid_request", "auth_req_id"),
            ({"grant_type": GRANT, "auth_req_id": ""}, "invalid_request",
             "auth_req_id"),
            ({"grant_type": "client_credentials", "auth_req_id": handle},
             "unsupported_grant_type", None),
            ({"grant_type": GRANT, "auth_req_id": handle,
              "resource": "https://other.example/"}, "invalid_target",
             "resource")):
        body = said(client.post("/oauth/token", dpop=client.proof(), **form),
                    400, error)
        assert body.get("at") == at


def test_a_permit_without_a_resource_has_no_token(client, agent, operator):
    p = wish(agent).json()
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    said(client.token(p["auth_req_id"]), 400, "invalid_target")


def test_47_what_is_no_form(server, nobody, client, gateway):
    for path, one in (("/oauth/token", client), ("/oauth/revoke", client),
                      ("/oauth/introspect", gateway)):
        r = nobody.get(path)
        assert said(r, 405, "invalid_request") and r.headers["allow"] == "POST"
        key = {"X-API-Key": one.secret}
        said(nobody.post(path, json={"token": "x"}, headers=key), 400,
             "invalid_request")
        form = {**key, "Content-Type": "application/x-www-form-urlencoded"}
        for body in ("token=x&token=x", "a=1&b=2&a=1", "a=%zz", "%ff=1"):
            said(nobody.post(path, content=body, headers=form), 400,
                 "invalid_request")
        said(nobody.post(path, content="&".join(
            f"k{i}=1" for i in range(70)), headers=form), 413,
            "invalid_request")
        said(nobody.post(path, content="a=" + "x" * 17000, headers=form), 413,
             "invalid_request")
        said(nobody.post(path + "?a=1", content="", headers=form), 400,
             "invalid_request")


# --- Clients --------------------------------------------------------------

@pytest.mark.parametrize("auth", ["basic", "post", "header"])
def test_the_ways_of_authentication(client, gateway, granted, auth):
    form = {"grant_type": GRANT, "auth_req_id": granted()["auth_req_id"]}
    r = client.post("/oauth/token", auth=auth, dpop=client.fresh().proof(),
                    **form)
    assert r.status_code == 200, r.text
    seen = introspected(gateway, r.json()["access_token"], auth=auth)
    assert seen["active"] is True


def test_a_client_that_is_none(server, client, gateway, nobody):
    key = client.secret
    form = {"grant_type": GRANT, "auth_req_id": "x"}
    for name, secret in (("refunds-agent", "sayso_" + "A" * 43),
                         ("a" * 200, key), ("a/b", key),
                         ("refunds-agent", "x" * 300),
                         ("refunds-agent", gateway.secret)):
        one = OAuth(server, name, secret)
        for auth in ("basic", "post"):
            r = one.post("/oauth/token", auth=auth, **form)
            said(r, 401, "invalid_client")
            basic = r.headers["www-authenticate"].startswith("Basic ")
            assert basic == (auth == "basic")
    for header in ("Basic", "Basic !", "Basic Zm9v", "Bearer " + key, ""):
        r = client.post("/oauth/token", auth=None,
                        headers={"Authorization": header}, **form)
        said(r, 401, "invalid_client")
    said(client.post("/oauth/token", auth=None, **form), 401,
         "invalid_client")
    said(client.post("/oauth/token", headers={"X-API-Key": key}, **form), 400,
         "invalid_request")
    said(client.post("/oauth/token", client_id="other", **form), 400,
         "invalid_request")


def test_an_address_is_for_its_role(server, client, gateway, granted):
    """An agent does not introspect, a resource has no permits."""
    said(client.post("/oauth/introspect", token="x"), 400,
         "unauthorized_client")
    said(gateway.post("/oauth/token", grant_type=GRANT, auth_req_id="x"), 400,
         "unauthorized_client")
    operator = OAuth(server, "operator", server.env["SAYSO_OPERATOR_KEY"])
    said(operator.post("/oauth/introspect", auth="header", token="x"), 400,
         "unauthorized_client")


# --- Introspection --------------------------------------------------------

def test_41_42_who_sees_a_token(server, agent, client, gateway, granted,
                                other_resource):
    p = granted()
    token = client.token(p["auth_req_id"]).json()["access_token"]
    other = OAuth(server, other_resource.label, other_resource.key)
    assert introspected(other, token) == {"active": False}
    for bad in ("sat_" + "A" * 43, "x", "x" * 5000, token + "x", "ä"):
        assert introspected(gateway, bad) == {"active": False}
    for _ in range(20):
        assert introspected(gateway, token, token_type_hint="y")["active"]
    assert look(agent, p["permit_id"])["used"] == 0
    said(gateway.post("/oauth/introspect"), 400, "invalid_request")


def test_43_a_late_veto_ends_the_token_at_once(operator, client, gateway,
                                               granted):
    p = granted()
    token = client.token(p["auth_req_id"]).json()["access_token"]
    assert introspected(gateway, token)["active"]
    operator.post(f"/api/v1/permits/{p['permit_id']}/revoke", json={})
    assert introspected(gateway, token) == {"active": False}


def test_45_what_ends_a_token(server, agent, client, gateway, granted):
    def token():
        p = granted()
        return p, client.token(p["auth_req_id"]).json()["access_token"]

    p, one = token()
    agent.post("/api/v1/suspensions", json={"question": "And now?",
                                            "intent_id": p["intent_id"]})
    assert introspected(gateway, one) == {"active": False}
    p, one = token()
    end(agent, p, "abandoned")
    assert introspected(gateway, one) == {"active": False}
    p, one = token()
    with server.database() as db:
        db.execute("UPDATE permit_token SET expires_at = now() "
                   "WHERE permit_id = %s", [p["permit_id"]])
    assert introspected(gateway, one) == {"active": False}


# --- Resources ------------------------------------------------------------

def test_45_a_removed_resource(server, agent, operator):
    gone = server.resource("https://gone.example/mcp")
    gateway = OAuth(server, gone.label, gone.key)
    assert introspected(gateway, "x") == {"active": False}
    p = wish(agent, resource=gone.address).json()
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    assert server.sayso("resource", "remove", gone.id).returncode == 0
    said(gateway.post("/oauth/introspect", token="x"), 401, "invalid_client")
    client = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"],
                   Key())
    said(client.token(p["auth_req_id"]), 400, "access_denied")
    assert server.sayso("resource", "remove", gone.id).returncode == 1


# --- Asking ---------------------------------------------------------------

@pytest.fixture
def form(resource):
    """form(...): the parameters of a good request."""
    def make(**more):
        return {"authorization_details": DETAILS,
                "resource": resource.address,
                "binding_message": "Refund order 12345",
                "requested_expiry": "3600", **more}

    return make


@route(ASK)
def test_29_an_agent_asks_over_oauth(agent, client, gateway, operator, form):
    r = client.post("/oauth/bc-authorize", **form(
        goal="Refund the broken order", reasoning="It arrived broken.",
        session_id="s-7", consequence="Money leaves.", scope="openid",
        something="else"))
    assert r.status_code == 200, r.text
    p = r.json()
    assert p["auth_req_id"].startswith("sar_") and p["interval"] == 5
    assert 3590 < p["expires_in"] <= 3600 and p["status"] == "pending_veto"
    seen = agent.get(f"/api/v1/suspensions/{p['request_id']}").json()
    assert seen["title"] == "Refund order 12345"
    assert seen["question"] == "Refund the broken order"
    assert seen["explanation"] == "It arrived broken."
    said(client.token(p["auth_req_id"]), 400, "authorization_pending")
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    t = client.token(p["auth_req_id"]).json()
    assert t["authorization_details"] == DETAILS
    assert introspected(gateway, t["access_token"])["active"]


def test_what_was_asked_is_kept_byte_for_byte(server, agent, client, form):
    details = ('[ {"tool":"shop.refund", "type":"tool_call",'
               '"arguments":{"a":1.10,"b":"\\u00e4"}} ]')
    r = client.post("/oauth/bc-authorize",
                    **form(authorization_details=details))
    assert r.status_code == 200, r.text
    with server.database() as db:
        subject, question = db.execute(
            "SELECT subject, question FROM suspension WHERE id = %s",
            [r.json()["request_id"]]).fetchone()
    assert details in subject and question == "Refund order 12345"


def test_the_hinted_person_decides(server, person, agent, client, operator,
                                   form):
    mara = person("user")
    r = client.post("/oauth/bc-authorize", **form(login_hint=mara.email))
    assert r.status_code == 200, r.text
    about = {"suspension_id": r.json()["request_id"]}
    assert answer(operator, about, "approve").status_code == 403
    with server.client(headers={"X-API-Key": mara.token()}) as theirs:
        assert answer(theirs, about, "approve").status_code == 200
    assert client.token(r.json()["auth_req_id"]).status_code == 200


def test_a_proof_binds_the_request(server, client, operator, form):
    client.fresh()
    at = "/oauth/bc-authorize"
    said(client.post(at, dpop=client.proof(at, nonce="x"), **form()), 400,
         "use_dpop_nonce")
    said(client.post(at, dpop=client.proof(at), **form(dpop_jkt=Key().jkt)),
         400, "invalid_dpop_proof")
    said(client.post(at, dpop=client.proof(), **form()), 400,
         "invalid_dpop_proof")
    proof = client.proof(at)
    r = client.post(at, dpop=proof, **form(dpop_jkt=client.pair.jkt))
    assert r.status_code == 200, r.text
    said(client.post(at, dpop=proof, **form()), 400, "invalid_dpop_proof")
    answer(operator, {"suspension_id": r.json()["request_id"]}, "approve")
    other = OAuth(server, "refunds-agent", client.secret, Key())
    said(other.token(r.json()["auth_req_id"]), 400, "invalid_grant")
    assert client.token(r.json()["auth_req_id"]).status_code == 200


def test_31_rules_decide_over_oauth_too(server, client, form):
    rule(server, 1, "shop.*", "allow")
    p = client.post("/oauth/bc-authorize", **form(use_seconds="60")).json()
    assert p["status"] == "authorized" and 50 < p["expires_in"] <= 60
    assert "request_id" not in p
    assert client.token(p["auth_req_id"]).status_code == 200
    with server.database() as db:
        db.execute("DELETE FROM tool_rule")
    rule(server, 1, "shop.*", "deny", reason="No.")
    body = said(client.post("/oauth/bc-authorize", **form()), 403,
                "access_denied")
    assert body["reason"] == "No."


def test_a_no_is_stored_once_where_connections_were_cut(server, client, form):
    """The no is committed, and the handler does not run once more."""
    rule(server, 1, "shop.*", "deny", reason="No.")
    with server.database() as db:
        def denied():
            return db.execute("SELECT count(*) FROM event WHERE event_type = "
                              "'tool.denied'").fetchone()[0]
        for n in range(5):
            db.execute("SELECT pg_terminate_backend(pid) FROM "
                       "pg_stat_activity WHERE usename = 'sayso_web'")
            before = denied()
            said(client.post("/oauth/bc-authorize", **form()), 403,
                 "access_denied")
            assert denied() == before + 1


@pytest.mark.parametrize("more, error, at", [
    ({"authorization_details": None}, "invalid_request",
     "authorization_details"),
    ({"authorization_details": "{"}, "invalid_authorization_details",
     "authorization_details"),
    ({"authorization_details": "[]"}, "invalid_authorization_details",
     "authorization_details"),
    ({"authorization_details": "[" * 50}, "invalid_authorization_details",
     None),
    ({"authorization_details": [{"type": "payment"}]},
     "invalid_authorization_details", None),
    ({"authorization_details": [{**DETAILS[0], "more": 1}]},
     "invalid_authorization_details", None),
    ({"resource": None}, "invalid_request", "resource"),
    ({"resource": "https://unknown.example/"}, "invalid_target", "resource"),
    ({"resource": "https://gateway.example/mcp#x"}, "invalid_target",
     "resource"),
    ({"login_hint": "nobody@example.org"}, "unknown_user_id", None),
    ({"binding_message": "x" * 201}, "invalid_binding_message",
     "binding_message"),
    ({"binding_message": "a\nb"}, "invalid_binding_message",
     "binding_message"),
    ({"binding_message": "a\u200bb"}, "invalid_binding_message",
     "binding_message"),
    ({"request": "x"}, "invalid_request", "request"),
    ({"id_token_hint": "x"}, "invalid_request", "id_token_hint"),
    ({"login_hint_token": "x"}, "invalid_request", "login_hint_token"),
    ({"user_code": "x"}, "invalid_request", "user_code"),
    ({"requested_expiry": "soon"}, "invalid_request", "requested_expiry"),
    ({"max_uses": "0"}, "invalid_request", "max_uses"),
    ({"max_uses": "1001"}, "invalid_request", "max_uses"),
    ({"dpop_jkt": "x"}, "invalid_request", "dpop_jkt"),
    ({"severity": "critical"}, "invalid_request", "dpop_jkt"),
    ({"severity": "dire"}, "invalid_request", "severity"),
    ({"goal": "x" * 300}, "invalid_request", "goal")])
def test_what_is_refused_when_asking(client, form, more, error, at):
    body = said(client.post("/oauth/bc-authorize", **form(**more)), 400,
                error)
    assert at is None or body["at"] == at


# --- Revocation -----------------------------------------------------------

@route(REVOKE)
def test_an_agent_gives_back(agent, client, gateway, asked, granted):
    p = granted()
    token = client.token(p["auth_req_id"]).json()["access_token"]
    for what in (token, token, "sat_x", "x", "sar_" + "A" * 27):
        r = client.post("/oauth/revoke", token=what)
        assert r.status_code == 200 and r.json() == {}
    assert introspected(gateway, token) == {"active": False}
    assert look(agent, p["permit_id"])["state"] == "active"
    token = client.token(p["auth_req_id"]).json()["access_token"]
    for _ in range(2):
        r = client.post("/oauth/revoke", token=p["auth_req_id"],
                        token_type_hint="refresh_token")
        assert r.status_code == 200
    assert introspected(gateway, token) == {"active": False}
    assert look(agent, p["permit_id"])["state"] == "revoked"
    open_one = asked()
    client.post("/oauth/revoke", token=open_one["auth_req_id"])
    seen = agent.get(f"/api/v1/suspensions/{open_one['request_id']}").json()
    assert seen["state"] == "cancelled"
    said(client.token(open_one["auth_req_id"]), 400, "access_denied")
    said(client.post("/oauth/revoke"), 400, "invalid_request")


def test_H1_nobody_revokes_for_others(server, agent, client, gateway,
                                      granted):
    p = granted()
    token = client.token(p["auth_req_id"]).json()["access_token"]
    other = OAuth(server, "other-agent", client.secret)
    for what in (token, p["auth_req_id"]):
        assert other.post("/oauth/revoke", token=what).status_code == 200
    assert introspected(gateway, token)["active"]
    assert look(agent, p["permit_id"])["state"] == "active"
    said(gateway.post("/oauth/revoke", token=token), 400,
         "unauthorized_client")
