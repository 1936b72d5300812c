"""The log as those who run the server see it: a chain that broke, a log that is
not signed, and why. In the log of the server, /metrics, `sayso doctor`, and the
inbox of admins."""
import os
import re
import signal

import pytest

import kit
from kit import answer, ask, configured, wait_for
from page import Page
from server import Clock, place


@pytest.fixture(scope="module")
def server(clock):
    one = kit.Watched(place("log-seen"), **clock.setting).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def admin(person):
    return person("admin").client


def metric(server, name):
    with server.client() as client:
        found = re.findall(rf"^{re.escape(name)} (\S+)$",
                           client.get("/metrics").text, re.M)
    return float(found[0]) if found else None


def stopped(server, why):
    return metric(server, f'sayso_log_stopped{{why="{why}"}}')


def wrong(server):
    """Lines of doctor about the log."""
    return [x for x in server.sayso("doctor").stdout.splitlines()
            if x.startswith("WRONG") and re.search("the log|chain", x)]


def lines(client):
    """The lines about the log in an inbox."""
    found = re.findall('<div class="banner" role="alert">(.*?)</div>',
                       client.get("/inbox").text, re.S)
    return re.findall("<p>(.*?)</p>", found[0], re.S) if found else []


def has_receipt(client, asked):
    return client.get(f"/api/v1/suspensions/{asked['suspension_id']}/receipt"
                      ).status_code == 200


def answered(agent, operator):
    one = ask(agent)
    assert answer(operator, one, "approve").status_code == 200
    return one


def logged(db, asked):
    """All events of its intent are in the log."""
    return db.execute(
        "SELECT (SELECT count(*) FROM log_leaf WHERE intent_id = %s) = "
        "(SELECT count(*) FROM event WHERE intent_id = %s)",
        [asked["intent_id"]] * 2).fetchone()[0]


def restart(server):
    """The signer alone, which then looks at everything at once."""
    old = server.child("seal")
    os.kill(old, signal.SIGKILL)
    server.child("seal", after=old)


def sound(server, *clients):
    """Nothing is to be seen."""
    wait_for(lambda: metric(server, "sayso_log_lag_seconds") == 0)
    assert metric(server, "sayso_log_broken_intents") == 0
    assert stopped(server, "no_key") == stopped(server, "inconsistent") == 0
    assert wrong(server) == []
    for client in clients:
        assert lines(client) == []


def change(db, intent, sequence, old, new):
    """The owner of the tables changes an event."""
    with db.transaction():
        db.execute("ALTER TABLE event DISABLE TRIGGER event_erased_only")
        assert db.execute(
            "UPDATE event SET canonical = replace(canonical, %s, %s) "
            "WHERE intent_id = %s AND sequence = %s",
            [old, new, intent, sequence]).rowcount == 1
        db.execute("ALTER TABLE event ENABLE TRIGGER event_erased_only")


def test_a_chain_that_breaks_is_refused_and_said(
        server, agent, operator, admin, person, db):
    sound(server, admin)
    with kit.asleep(server, "seal"):
        one = ask(agent, question="Refund?")
        change(db, one["intent_id"], 2, "Refund?", "Refuse?")
        assert answer(operator, one, "approve").status_code == 200
        other = answered(agent, operator)
    broken, asked = one["intent_id"], one["suspension_id"]
    wait_for(lambda: metric(server, "sayso_log_broken_intents") == 1)
    # The others go on, though they were answered later.
    wait_for(lambda: logged(db, other))
    assert not has_receipt(agent, one)
    assert db.execute("SELECT sequence FROM log_leaf WHERE intent_id = %s",
                      [broken]).fetchall() == [(1,)]
    said = [x for x in server.log().splitlines() if broken in x
            and "seal:" in x]
    assert len(said) == 1 and "event 2: its bytes do not match its hash" in \
        said[0]
    (line,) = wrong(server)
    assert broken in line and "event 2" in line
    (line,) = lines(admin)
    assert f'href="/intents/{broken}?verify=1#chain"' in line
    assert "event 2 is broken: its bytes do not match its hash" in line
    page = Page(admin.get(f"/intents/{broken}?verify=1"))
    assert "event 2" in page.text.lower()
    for role in ("operator", "auditor"):
        assert lines(person(role).client) == []
    # Further events of it break nothing more, and are not said again.
    agent.post(f"/api/v1/intents/{broken}/events", json={
        "event_type": "comment", "payload": {"n": 1}}).raise_for_status()
    third = answered(agent, operator)
    wait_for(lambda: logged(db, third))
    assert len([x for x in server.log().splitlines() if broken in x
                and "seal:" in x]) == 1
    # It is looked at again each minute, and when the signer starts.
    change(db, broken, 2, "Refuse?", "Refund?")
    restart(server)
    wait_for(lambda: metric(server, "sayso_log_broken_intents") == 0)
    assert f"intent {broken}: its chain holds again" in server.log()
    wait_for(lambda: has_receipt(agent, one))
    assert asked
    sound(server, admin)
    assert db.execute("SELECT max(sequence) FROM log_leaf WHERE intent_id = %s",
                      [broken]).fetchone() == db.execute(
        "SELECT max(sequence) FROM event WHERE intent_id = %s",
        [broken]).fetchone()


def test_many_chains_break_at_once(server, agent, operator, admin, db):
    """Few are named, all are kept, and all are mended."""
    with kit.asleep(server, "seal"):
        many = [kit.new_intent(agent, "draft")["id"] for _ in range(30)]
        for intent in many:
            change(db, intent, 1, '"intent_created"', '"intent_crested"')
    wait_for(lambda: metric(server, "sayso_log_broken_intents") == 30)
    said = server.log()
    assert 0 < sum(x in said for x in many) < 30
    assert "seal: 10 other intents are broken" in said
    (line,) = wrong(server)
    assert line.endswith("; and others")
    assert len(lines(admin)) == 4
    for intent in many:
        change(db, intent, 1, '"intent_crested"', '"intent_created"')
    restart(server)
    wait_for(lambda: metric(server, "sayso_log_broken_intents") == 0)
    sound(server, admin)


def test_an_event_that_is_too_large_is_no_event(server, agent, admin, db):
    """Nobody but the owner of the tables can write one."""
    with kit.asleep(server, "seal"):
        intent = kit.new_intent(agent, "draft")["id"]
        change(db, intent, 1, "{", "{" + " " * (9 << 20))
        other = kit.new_intent(agent, "draft")["id"]
    wait_for(lambda: metric(server, "sayso_log_broken_intents") == 1)
    wait_for(lambda: db.execute("SELECT FROM log_leaf WHERE intent_id = %s",
                                [other]).fetchone() is not None)
    (line,) = lines(admin)
    assert "it is larger than an event may be" in line
    change(db, intent, 1, " " * (9 << 20), "")
    restart(server)
    wait_for(lambda: metric(server, "sayso_log_broken_intents") == 0)


def test_without_a_key_nothing_is_signed(server, agent, operator, admin):
    with configured(server, log_key="/nonexistent"):
        wait_for(lambda: stopped(server, "no_key") == 1)
        one = answered(agent, operator)
        kit.refused(agent.get("/api/v1/suspensions/"
                              f"{one['suspension_id']}/receipt"), 503,
                    "receipt.soon")
        wait_for(lambda: metric(server, "sayso_log_lag_seconds") > 0)
        (line,) = wrong(server)
        assert "/nonexistent" in line
        (line,) = lines(admin)
        assert "there is no key" in line
        assert server.log().count("there is no current key; nothing is "
                                  "signed") == 1
    wait_for(lambda: has_receipt(agent, one))
    sound(server, admin)


def test_a_signer_that_does_not_reach_the_database(server, agent, operator,
                                                   admin):
    dsn = re.search("^database_seal = (.*)$",
                    (server.state / "sayso.conf").read_text(), re.M)[1]
    with configured(server, database_seal=dsn.replace("sayso_seal", "nobody")):
        wait_for(lambda: stopped(server, "silent") == 1, 60)
        assert metric(server, "sayso_log_lag_seconds") is None
        (line,) = lines(admin)
        assert "its signer does not run" in line
        assert any("each process reaches the database" in x for x in
                   server.sayso("doctor").stdout.splitlines()
                   if x.startswith("WRONG"))
        one = answered(agent, operator)
    wait_for(lambda: has_receipt(agent, one))
    sound(server, admin)
    assert stopped(server, "silent") == 0


def test_a_log_that_is_behind(server, agent, operator, admin, clock):
    """By a transaction that has not ended."""
    with server.database("sayso_web") as slow, slow.transaction():
        slow.execute("SELECT pg_current_xact_id()")
        one = answered(agent, operator)
        wait_for(lambda: metric(server, "sayso_log_lag_seconds") > 0)
        clock.forward(minutes=3)
        wait_for(lambda: metric(server, "sayso_log_lag_seconds") > 120)
        assert any("older than a minute" in x for x in wrong(server))
        (line,) = lines(admin)
        assert "The log is 3 minutes behind" in line
        assert not has_receipt(agent, one)
    wait_for(lambda: has_receipt(agent, one))
    sound(server, admin)


def test_what_does_not_fit_the_last_head(server, agent, operator, admin, db):
    """The last of these tests: nothing is signed afterwards."""
    heads = db.execute("SELECT max(size) FROM log_head").fetchone()
    with db.transaction():
        db.execute("ALTER TABLE log_tile DISABLE TRIGGER ALL")
        db.execute("UPDATE log_tile SET hashes = set_byte(hashes, 0, "
                   "255 - get_byte(hashes, 0))")
        db.execute("ALTER TABLE log_tile ENABLE TRIGGER ALL")
    restart(server)
    one = answered(agent, operator)
    wait_for(lambda: stopped(server, "inconsistent") == 1)
    assert "seal: nothing is signed: log.inconsistent" in server.log()
    (line,) = wrong(server)
    assert "fits its last head" in line
    (line,) = lines(admin)
    assert "does not fit its last signed head" in line
    assert db.execute("SELECT max(size) FROM log_head").fetchone() == heads
    assert not has_receipt(agent, one)
