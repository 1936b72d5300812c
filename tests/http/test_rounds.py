"""Two at once, many hundred times: an approval against another or against a
rejection, and a use of a permit against a late veto. The numbers are those of
the list of tests that the API was planned with."""
import collections
import urllib.parse

import pytest
from kit import new_id
from proofs import GRANT
from rounds import Rounds
from test_authorizations import DETAILS
from test_permits import call

ROUNDS = 1000
FEWER = 200  # of what differs little from another race


@pytest.fixture
def allowed(server):
    """A rule that gives permits without a question."""
    with server.database() as db:
        db.execute("INSERT INTO tool_rule VALUES (1, '*', 'shop.*', 'allow', "
                   "NULL, NULL, now(), 'x')")
        yield
        db.execute("DELETE FROM tool_rule")


@pytest.fixture
def pushes(server):
    """An endpoint of agents that collects what it would get."""
    one = new_id()
    with server.database() as db:
        db.execute("INSERT INTO endpoint (id, kind, name, address, secret, "
                   "created_at, created_by, paused_at) VALUES (%s, 'agent', "
                   "'rounds', 'https://rounds.invalid/', 'whsec_AAAA', now(), "
                   "'x', now())", [one])
        yield one
        db.execute("DELETE FROM delivery WHERE endpoint_id = %s", [one])
        db.execute("DELETE FROM endpoint WHERE id = %s", [one])


def redeem(line, permit):
    return line.post("/api/v1/redemptions", {
        "permit_id": permit["permit_id"], "operation_id": new_id(),
        "call": permit["call"]})


# --- Two answers (H5) -----------------------------------------------------

def check(line):
    what = {"tool": "shop.refund", "arguments": {"order": new_id()}}
    r = line.post("/api/v1/tool-calls/check", {
        "responder": {"mode": "operators"}, "max_uses": 1,
        "tool_calls": [{"id": "call_1", **what}]})
    assert r.status == 202, r.body
    return r.body | {"call": what}


def resume(action):
    return lambda line, pause: line.post(
        f"/api/v1/resume/{pause['request_id']}", {"action": action})


def winners(races, values):
    """The answers that got the 200, by the ids of their questions."""
    out = {}
    for pause, *replies in races:
        assert sorted(r.status for r in replies) == [200, 409], replies
        won = next(n for n, r in enumerate(replies) if r.status == 200)
        lost = replies[1 - won].body
        assert lost["code"] == "suspension.already_decided", lost
        assert lost["responded_by"] == replies[won].body["responded_by"]
        assert lost["value"] == values[won]
        out[pause["request_id"]] = values[won], replies[won].body[
            "responded_by"]
    return out


def stored(server, ids, endpoint):
    """The answers to the questions, how many events and pushes tell of each,
    and the permits with their uses."""
    with server.database() as db:
        return {id: rest for id, *rest in db.execute(
            "SELECT s.id, d.response::json #>> '{}', d.decided_by, (SELECT "
            "count(*) FROM event e WHERE e.intent_id = s.intent_id AND "
            "event_type = 'intent.resumed'), (SELECT count(*) FROM delivery v "
            "WHERE v.suspension_id = s.id AND endpoint_id = %s), "
            "p.id::text, p.state, p.used, (SELECT count(*) FROM redemption r "
            "WHERE r.permit_id = p.id) FROM suspension s JOIN decision d ON "
            "d.suspension_id = s.id JOIN permit_row p ON p.suspension_id = s.id "
            "WHERE s.id = ANY (%s)", [endpoint, ids])}


@pytest.mark.parametrize("other, rounds", [("approve", ROUNDS),
                                           ("reject", FEWER)])
def test_H5_two_answers_at_once(server, agent, operator, other_operator,
                                pushes, other, rounds):
    """One answer, one event, one push; and then one use of two at once."""
    with Rounds(server, operator, other_operator, agent) as answering:
        races = answering.run(rounds, lambda a, b, line: check(line),
                              resume("approve"), resume(other))
    won = winners(races, ["approve", other])
    before = stored(server, list(won), pushes)
    for id, (value, by) in won.items():
        state = "active" if value == "approve" else "refused"
        told = [value, by, 1, 1, state, 0, 0]
        assert before[id][:4] + before[id][5:] == told, id
    todo = [{**r.about, "permit_id": before[r.about["request_id"]][4]}
            for r in races]
    with Rounds(server, agent, agent) as using:
        uses = using.run(len(todo), lambda a, b: todo.pop(), redeem, redeem)
    after = stored(server, list(won), pushes)
    for pause, *replies in uses:
        yes = won[pause["request_id"]][0] == "approve"
        assert sorted(r.status for r in replies) == ([201, 409] if yes
                                                     else [409, 409])
        assert after[pause["request_id"]][5:] == (
            ["spent", 1, 1] if yes else ["refused", 0, 0])
    ends = collections.Counter(won.values())
    print(f"{len(won)} rounds: {dict(ends)}")
    assert len(ends) == 2, ends


# --- A use and a veto (44) ------------------------------------------------

def wish(line, **more):
    r = line.post("/api/v1/authorizations", {
        "goal": "Refund order 12345", "authorization_details": DETAILS,
        **more})
    assert r.status == 201, r.body
    return r.body | {"call": call()}


def revoke(line, permit):
    return line.post(f"/api/v1/permits/{permit['permit_id']}/revoke", {})


def check_vetoes(server, races):
    """Never both effects, as told and as stored; and each was first."""
    with server.database() as db:
        found = {id: tuple(rest) for id, *rest in db.execute(
            "SELECT p.id::text, p.state, p.used, (SELECT count(*) FROM "
            "redemption r WHERE r.permit_id = p.id), ARRAY(SELECT event_type "
            "FROM event e WHERE e.intent_id = p.intent_id AND event_type IN "
            "('tool.invoked', 'grant.revoked') ORDER BY sequence) "
            "FROM permit_row p WHERE id = ANY (%s)",
            [[r.about["permit_id"] for r in races]])}
    ends = collections.Counter()
    for permit, use, veto in races:
        assert veto.status == 200, veto.body
        if use.status == 201:
            told = "spent", 1, 1, ["tool.invoked", "grant.revoked"]
        else:
            assert (use.status, use.body["code"]) == (409, "permit.revoked")
            told = "revoked", 0, 0, ["grant.revoked"]
        assert veto.body["late"] == (use.status == 201), veto.body
        assert (veto.body["state"], veto.body["used"]) == told[:2]
        assert found[permit["permit_id"]] == told
        ends[told[0]] += 1
    print(f"{len(races)} rounds: {dict(ends)}")
    assert len(ends) == 2, ends


def test_44_a_use_and_a_veto_at_once(server, agent, admin, allowed):
    with Rounds(server, agent, admin) as rounds:
        check_vetoes(server, rounds.run(ROUNDS, lambda line, _: wish(line),
                                        redeem, revoke))


def test_44_at_a_gateway(server, agent, admin, client, resource, allowed):
    """The same with a token that is bound to a key."""
    client.fresh()

    def with_token(_, __, line):
        permit = wish(line, resource=resource.address)
        r = line.post("/oauth/token", urllib.parse.urlencode({
            "grant_type": GRANT, "auth_req_id": permit["auth_req_id"]}),
            "application/x-www-form-urlencoded", DPoP=client.proof())
        assert r.status == 200, r.body
        return permit | {"token": r.body["access_token"]}

    def use(line, permit):
        proof = client.pair.proof(resource.address, token=permit["token"])
        return line.post("/api/v1/redemptions", {
            "token": permit["token"], "operation_id": new_id(),
            "call": permit["call"], "dpop": {
                "proof": proof, "htm": "POST", "htu": resource.address}})

    with Rounds(server, resource, admin, agent) as rounds:
        check_vetoes(server, rounds.run(FEWER, with_token, use, revoke))
