"""A clock of the host that is wrong, or jumps: nothing is ended by it, neither
by the clock's process nor by an answer, and the server says so until somebody
has looked. The clock of all hosts, which other tests move, is another one."""
import os
import re
import signal
import time

import pytest

import kit
from kit import (answer, ask, asleep, get, made, new_intent, read, refused,
                 respond, set_status, suspend, wait_for)
from page import Page
from server import place
from test_portfolios import member, portfolio

HOUR = 3600
CODE = "clock.differs"
CHOICES = [{"value": "approve", "label": "Approve", "effect": "authorize"},
           {"value": "deny", "label": "Deny", "effect": "veto"}]


@pytest.fixture(scope="module")
def server(clock):
    with kit.own_server(place("clocks"), **clock.setting) as one:
        yield one


def look(server, nobody):
    """Somebody looks: the server is reloaded, and ready."""
    old = {server.child("tick"), *server.workers()}
    os.kill(server.supervisor(), signal.SIGHUP)
    wait_for(lambda: not old & {*kit.children(server.supervisor())})
    wait_for(lambda: nobody.get("/readyz").status_code == 200)


@pytest.fixture(autouse=True)
def right(server, clock, nobody):
    yield
    clock.wrong(0)
    look(server, nobody)


def metric(nobody, name):
    return float(re.search(rf"^{name} (\S+)$", nobody.get("/metrics").text,
                           re.M)[1])


def noticed(nobody):
    wait_for(lambda: nobody.get("/readyz").status_code == 503)
    refused(nobody.get("/readyz"), 503, CODE)
    assert metric(nobody, "sayso_clock_held") == 1
    time.sleep(0.6)  # the clock's process has looked twice


def deadlines(agent):
    """Things of each kind that time ends: over in an hour."""
    asked = ask(agent, timeout_seconds=600)
    held, held_id = suspend(agent, timeout_seconds=600)
    ends = portfolio(agent, {"timeout_hours": 0.5})
    one = member(agent, ends)
    of_portfolio = ask(agent, intent_id=one["id"])
    leased = new_intent(agent)
    made(agent.post(f"/api/v1/intents/{leased['id']}/leases",
                    json={"scope": "x", "duration_seconds": 600}))
    late = ask(agent, timeout_seconds=3 * HOUR)
    return asked, held, held_id, of_portfolio, leased, late


def nothing_ended(server, agent, before):
    asked, held, held_id, of_portfolio, leased, late = before
    for one in asked, of_portfolio, late:
        assert read(agent, one)["state"] == "pending"
    assert get(agent, held)["status"] == "suspended_awaiting_input"
    with server.database() as db:
        assert db.execute("SELECT status FROM lease WHERE intent_id = %s",
                          [leased["id"]]).fetchone() == ("active",)


def test_a_clock_an_hour_ahead_ends_nothing(server, clock, agent, operator,
                                            nobody):
    before = deadlines(agent)
    asked, held, held_id, of_portfolio, leased, late = before
    clock.wrong(HOUR)
    noticed(nobody)
    assert 3590 < metric(nobody, "sayso_clock_skew_seconds") < 3610
    nothing_ended(server, agent, before)
    # Nor does a call that finds it over by this clock, of whatever kind.
    refused(answer(operator, asked), 503, CODE)
    refused(respond(operator, held, held_id, "approve"), 503, CODE)
    refused(answer(operator, of_portfolio), 503, CODE)
    refused(agent.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel",
                       json={}), 503, CODE)
    refused(agent.post(f"/api/v1/intents/{leased['id']}/leases",
                       json={"scope": "x"}), 503, CODE)
    nothing_ended(server, agent, before)
    # One that is open by both clocks is answered.
    assert answer(operator, late).status_code == 200
    done = server.sayso("doctor")
    assert "WRONG  this host's clock and the database's agree" in done.stdout
    assert "WRONG  the clock has been right" in done.stdout
    assert re.search(r"clock: this host's clock (was|jumped by) 3\d+\.\d s",
                     server.log())

    # Right again, and still said, until somebody has looked.
    clock.wrong(0)
    wait_for(lambda: metric(nobody, "sayso_clock_skew_seconds") == 0)
    refused(nobody.get("/readyz"), 503, CODE)
    done = server.sayso("doctor")
    assert "ok     this host's clock and the database's agree" in done.stdout
    assert "WRONG  the clock has been right" in done.stdout
    look(server, nobody)
    assert metric(nobody, "sayso_clock_held") == 0
    assert "ok     the clock has been right" in server.sayso("doctor").stdout
    assert answer(operator, asked).status_code == 200
    assert respond(operator, held, held_id, "approve").status_code == 200
    assert answer(operator, of_portfolio).status_code == 200


def test_a_bulk_action_goes_on_after_one_that_is_not_ended(
        server, clock, agent, person, nobody):
    """The database confirmed nothing, because nothing was sent to it."""
    due, late = (ask(agent, severity="low", title=f"In {n} h", choices=CHOICES,
                     timeout_seconds=n * HOUR - 60) for n in (1, 3))
    me = person("operator").client
    data = {"csrf": Page(me.get("/settings/profile")).data("/logout")["csrf"],
            "answer": "approve",
            "pick[]": [f"{a['suspension_id']}:{a['subject_sha256']}"
                       for a in (due, late)]}
    clock.wrong(HOUR)
    noticed(nobody)
    text = Page(me.post("/inbox/decide", data=data)).text
    assert "1 approved, 1 not" in text, text
    assert "Not recorded" in text and "Nothing expires until" in text
    assert "Unknown" not in text and "Not tried" not in text
    assert read(agent, due)["state"] == "pending"
    assert read(agent, late)["value"] == "approve"


def test_a_respond_alone_notices_it(server, clock, agent, operator):
    """The clock's process, which looks more often, does not tell the worker."""
    with asleep(server, "tick"), asleep(server, "deliver"):
        asked = ask(agent, timeout_seconds=600)
        clock.wrong(HOUR)
        refused(answer(operator, asked), 503, CODE)
    assert read(agent, asked)["state"] == "pending"


def test_a_clock_behind_takes_no_late_answer(server, clock, agent, operator,
                                             nobody):
    """By the database's time it is over, and the answer too late."""
    with asleep(server, "tick"):
        asked = ask(agent, timeout_seconds=600)
        clock.forward(minutes=11)
        clock.wrong(-HOUR)
        refused(answer(operator, asked), 503, CODE)
    noticed(nobody)
    assert -3610 < metric(nobody, "sayso_clock_skew_seconds") < -3590
    assert read(agent, asked)["state"] == "pending"
    clock.wrong(0)
    look(server, nobody)
    wait_for(lambda: read(agent, asked)["state"] == "expired")


def test_a_jump_back_and_forth_that_the_database_shares_is_noticed(
        server, clock, agent, nobody):
    """Where both run on one machine their clocks jump together: here the jump
    is over before anybody asks the database."""
    asked = ask(agent, timeout_seconds=600)
    clock.wrong(-30)
    noticed(nobody)
    clock.wrong(0)
    refused(nobody.get("/readyz"), 503, CODE)
    assert read(agent, asked)["state"] == "pending"


def not_early(server, suspension):
    with server.database() as db:
        asked, ended = db.execute(
            "SELECT suspended_at, decided_at FROM decision WHERE "
            "suspension_id = %s", [suspension]).fetchone()
    assert asked == ended


@pytest.mark.parametrize("end", ["respond", "cancel", "beside", "deadline"])
def test_an_end_is_not_before_its_beginning(server, clock, agent, operator,
                                            nobody, end):
    """Asked while the clock was an hour ahead, and ended when it was right."""
    one = member(agent, portfolio(agent, {"timeout_hours": 0.5}))
    beside = new_intent(agent)
    clock.wrong(HOUR)
    asked = ask(agent, timeout_seconds=3 * HOUR)
    of_portfolio = ask(agent, intent_id=one["id"])
    approval = made(agent.post(f"/api/v1/intents/{beside['id']}/approvals",
                               json={"action": "x", "reason": "x"}))
    clock.wrong(0)
    look(server, nobody)
    at = f"/api/v1/suspensions/{asked['suspension_id']}"
    if end == "respond":
        assert answer(operator, asked).status_code == 200
        r = agent.get(at).json()
        assert r["responded_at"] == r["suspended_at"]
    elif end == "cancel":
        assert agent.post(f"{at}/cancel", json={}).status_code == 200
    elif end == "beside":
        assert set_status(agent, get(agent, beside),
                          "abandoned").status_code == 200
        return not_early(server, approval["id"])
    else:
        clock.forward(minutes=31)
        wait_for(lambda: read(agent, of_portfolio)["state"] == "expired")
        return not_early(server, of_portfolio["suspension_id"])
    not_early(server, asked["suspension_id"])


def test_a_moved_clock_of_all_is_no_wrong_one(server, clock, agent, nobody):
    asked = ask(agent, timeout_seconds=600)
    clock.forward(hours=1)
    wait_for(lambda: read(agent, asked)["state"] == "expired")
    assert nobody.get("/readyz").status_code == 200
    assert metric(nobody, "sayso_clock_held") == 0


# --- What has an end of its own ---------------------------------------------------

CALL = {"tool": "shop.refund", "arguments": {"order": "7"}}


def granted(agent, operator):
    """A permit; how it is redeemed."""
    one = made(agent.post("/api/v1/authorizations", json={
        "goal": "x", "reasoning": "x",
        "authorization_details": [{"type": "tool_call", **CALL}]}), 202)
    made(answer(operator, {"suspension_id": one["request_id"]}), 200)
    permit = made(agent.get(f"/api/v1/permits/{one['permit_id']}"), 200)

    def redeem():
        operation = kit.new_id()
        return agent.post("/api/v1/redemptions", headers={
            "Idempotency-Key": operation}, json={
                "permit_id": permit["permit_id"], "operation_id": operation,
                "call": CALL})
    return redeem


def test_a_clock_ahead_ends_no_yes(server, clock, agent, operator, nobody):
    redeem = granted(agent, operator)
    clock.wrong(24 * HOUR)
    refused(redeem(), 503, CODE)
    clock.wrong(0)
    look(server, nobody)
    made(redeem())


def test_a_clock_behind_makes_no_yes_shorter(server, clock, agent, operator,
                                             nobody):
    redeem = granted(agent, operator)
    clock.wrong(-HOUR)
    noticed(nobody)
    made(redeem())


def test_a_clock_behind_makes_no_yes_longer(server, clock, agent, operator,
                                            nobody):
    redeem = granted(agent, operator)
    clock.forward(hours=24)
    clock.wrong(-48 * HOUR)
    refused(redeem(), 503, CODE)
    clock.wrong(0)
    look(server, nobody)
    refused(redeem(), 409, "permit.lapsed")


def test_a_clock_behind_makes_no_key_longer(server, clock, nobody):
    with server.database() as db, server.client(headers={
            "X-API-Key": (key := server.key("agent", "--agent", "short"))
            }) as client:
        assert client.get("/api/v1/suspensions").status_code == 200
        clock.wrong(-HOUR)
        noticed(nobody)
        kit.end_key(server, key, "expired")
        refused(client.get("/api/v1/suspensions"), 401)


def test_polls_go_on_after_a_clock_that_was_ahead(server, clock, agent,
                                                  nobody):
    """The distance between two of them was counted by the wrong one."""
    from proofs import OAuth
    name = f"poller-{kit.new_id()[:8]}"
    oauth = OAuth(server, name, server.key("agent", "--agent", name))
    resource = server.resource(f"https://{kit.new_id()}.example/mcp",
                               "--allow-bearer")
    asked = made(oauth.post(
        "/oauth/bc-authorize", scope="openid", binding_message="x",
        resource=resource.address,
        authorization_details=[{"type": "tool_call", **CALL}]), 200)

    def poll():
        return oauth.post("/oauth/token", grant_type="urn:openid:params:"
                          "grant-type:ciba", auth_req_id=asked["auth_req_id"])

    clock.wrong(HOUR)
    refused(poll(), 400)
    clock.wrong(0)
    look(server, nobody)
    assert poll().json()["error"] == "authorization_pending"


def test_what_is_asked_with_a_clock_behind_has_its_whole_time(
        server, clock, agent, operator, nobody):
    """Else it would end at once when the clock is right again."""
    clock.wrong(-HOUR)
    noticed(nobody)
    asked = ask(agent, timeout_seconds=600)
    intent = new_intent(agent)
    beside = ask(agent, intent_id=intent["id"], timeout_seconds=600)
    clock.wrong(0)
    look(server, nobody)
    later = ask(agent, timeout_seconds=1)
    wait_for(lambda: read(agent, later)["state"] == "expired")
    for one in (asked, beside):
        assert read(agent, one)["state"] == "pending"
        assert answer(operator, one).status_code == 200


def test_a_clock_behind_lends_no_access_for_longer(server, clock, operator,
                                                   nobody):
    """Neither to read nor to write, by single address, list or feed."""
    guest, maker = (server.client(headers={"X-API-Key": server.key(
        "agent", "--agent", f"{n}-{kit.new_id()[:8]}")})
        for n in ("guest", "maker"))
    name = ask(guest)["asked_by"]
    intent = new_intent(maker)
    made(operator.put(kit.at(intent, "acl"), json={
        "default_policy": "closed", "entries": []}), 200)
    ends = time.time() + clock.seconds + HOUR
    made(operator.post(kit.at(intent, "acl/entries"), json={
        "principal_id": name, "permission": "write",
        "expires_at": time.strftime("%Y-%m-%dT%H:%M:%S",
                                    time.gmtime(ends))}))
    assert guest.get(kit.at(intent)).status_code == 200
    clock.forward(hours=2)
    clock.wrong(-3 * HOUR)
    noticed(nobody)
    refused(guest.get(kit.at(intent)), 404)
    refused(guest.post(kit.at(intent, "events"), json={
        "event_type": "comment", "payload": {}}), 404)
    listed = guest.get("/api/v1/intents").json()
    assert intent["id"] not in str(listed)
    guest.close()
    maker.close()


def test_what_is_made_with_a_clock_behind_works_at_once(server, clock, nobody):
    """A session, a new token, and the page that shows it."""
    from page import login_data, once, send
    clock.wrong(-48 * HOUR)
    noticed(nobody)
    password = server.env["SAYSO_OPERATOR_PASSWORD"]
    with server.client(headers={"Accept": "text/html"},
                       transport=kit.elsewhere()) as client:
        r = client.post("/login", data=login_data(
            client, email=server.env["SAYSO_OPERATOR_EMAIL"],
            password=password))
        assert r.status_code == 303
        assert client.get("/inbox").status_code == 200
        token = once(send(client, "/settings/tokens", {
            "Label": "Chat", "Expires": "30", "Your password": password}),
            client)
    with server.client(headers={"X-API-Key": token}) as client:
        assert client.get("/api/v1/suspensions").status_code == 200
        made(client.post("/api/v1/initiations", json={"agent": "refunds-agent"}))
        ticket = client.post("/api/v1/initiations", json={
            "agent": "refunds-agent"}).json()["initiation"]
    with server.client("agent", agent="refunds-agent") as client:
        r = client.post("/api/v1/tool-calls/check", json={
            "task": {"task_id": kit.new_id()}, "initiation": ticket,
            "tool_calls": [{"id": "c", "tool": "pay", "arguments": {}}]})
        assert r.status_code == 202, r.text
