"""Mail to people about requests, as each of them chose it: which requests, at
once or as a digest, and the quiet hours. A server of its own, with a mail server,
whose clock the tests move."""
import datetime
import os
import signal
import time
import zoneinfo

import kit
import pytest
from kit import answer, ask, children, comm, new_id, wait_for
from page import Page, logged, send
from receiver import Mailbox
from server import place

route = pytest.mark.route
PAGE = "/settings/notifications"
AT_ONCE, HOURLY, DAILY = "0", "1", "24"


@pytest.fixture(scope="module")
def mailbox():
    one = Mailbox()
    yield one
    one.close()


@pytest.fixture(scope="module")
def server(mailbox, clock):
    one = kit.Watched(place("person-mail"),
                      SAYSO_SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}",
                      SAYSO_MAIL_FROM="sayso@example.org",
                      **clock.setting).start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]
    assert "signal 11" not in one.log() and "signal 6" not in one.log()
    assert "is skipped for a minute" not in one.log()


@pytest.fixture(autouse=True)
def nothing_waits(server):
    """A digest has everything that waits, of other tests too."""
    yield
    with server.client("operator") as one, server.client("admin") as admin:
        while True:
            rows = one.get("/api/v1/suspensions", params={
                "state": "pending", "limit": 100}).json()["suspensions"]
            if not rows:
                break
            for s in rows:
                admin.post(f"/api/v1/suspensions/{s['suspension_id']}/cancel",
                           json={"reason": "Cleared."})
    with server.database() as db:
        db.execute("DELETE FROM person_mail")


@pytest.fixture
def through(channel):
    """A channel that may send to everybody here."""
    return channel("mail", f"m-{new_id()}", "desk@example.com",
                   notify_to=["@example.com"])


def choose(one, when, **more):
    values = {"Mail": when, "Risk of these requests": "low",
              "These requests": "all", "Time zone": "", **more}
    return send(one.client, PAGE, values)


def chosen(one, when, **more):
    r = choose(one, when, **more)
    assert r.status_code == 303, r.text
    return one


def mails(mailbox, one):
    return [m for _, to, m, _ in mailbox.mails if to == [one.email]]


def text_of(mail):
    return next(mail.iter_parts()).get_content()


def settled(server, seconds=1.5):
    """The clock has looked at everything, and all is sent."""
    time.sleep(seconds)
    with server.database() as db:
        wait_for(lambda: db.execute(
            "SELECT count(*) FROM delivery WHERE state = 'pending' AND "
            "tries = 0").fetchone() == (0,))


# --- At once ---------------------------------------------------------------

@route("POST /settings/notifications")
def test_each_request_at_once(server, agent, person, mailbox, through):
    me = chosen(person(), AT_ONCE, **{"Risk of these requests": "high"})
    other = person()
    settled(server)
    low = ask(agent, title="Small", severity="low")
    plain = ask(agent, title="Unrated")
    high = ask(agent, title="Large", severity="high", explanation="Because.")
    mail, = wait_for(lambda: mails(mailbox, me))
    settled(server)
    assert mails(mailbox, me) == [mail] and not mails(mailbox, other)
    assert mail["subject"] == "New request: Large"
    said = text_of(mail)
    assert f"{server.url}/suspensions/{high['suspension_id']}" in said
    assert f"{server.url}{PAGE}" in said
    assert "Because." not in said  # the channel shows the title
    with server.client("operator") as op:
        for one in (low, plain, high):
            assert op.get(f"/api/v1/suspensions/{one['suspension_id']}"
                          ).json()["state"] == "pending"


@route("POST /settings/notifications")
def test_only_what_names_me_or_my_group(server, agent, person, mailbox,
                                        through):
    me = chosen(person(), AT_ONCE, **{"These requests": "narrow"})
    with server.database() as db:
        db.execute("UPDATE principal SET groups = 'desk' WHERE email = %s",
                   [me.email])
    settled(server)
    ask(agent, title="Anybody's")
    ask(agent, title="Mine", responder={"mode": "named", "who": me.email})
    ask(agent, title="Ours", responder={"mode": "group", "who": "desk"})
    wait_for(lambda: len(mails(mailbox, me)) == 2)
    settled(server)
    assert sorted(m["subject"] for m in mails(mailbox, me)) == [
        "New request: Mine", "New request: Ours"]


def test_nothing_without_a_channel_that_allows_it(server, agent, person,
                                                  mailbox, channel):
    channel("mail", f"m-{new_id()}", "desk@example.com",
            notify_to=["@example.org"])
    channel("mail", f"m-{new_id()}", "desk@example.com",
            notify_to=["@example.com"], paused=True)
    me = chosen(person(), AT_ONCE)
    assert "you get none" in Page(me.client.get(PAGE)).text
    settled(server)
    ask(agent, severity="high")
    settled(server)
    assert not mails(mailbox, me)


def test_many_in_an_hour_come_as_a_digest(server, agent, person, mailbox,
                                          through, clock):
    me = chosen(person(), AT_ONCE)
    settled(server)
    for n in range(25):
        ask(agent, title=f"Request {n}", severity="low",
            timeout_seconds=86400)
    wait_for(lambda: len(mails(mailbox, me)) >= 20)
    settled(server)
    assert len(mails(mailbox, me)) == 20
    clock.forward(minutes=61)
    wait_for(lambda: len(mails(mailbox, me)) == 21)
    digest = mails(mailbox, me)[-1]
    assert digest["subject"] == "25 requests wait for you"
    said = text_of(digest)
    assert said.count("/suspensions/") == 20 and "5 more:" in said
    settled(server)
    clock.forward(minutes=61)
    settled(server)
    assert len(mails(mailbox, me)) == 21


# --- Digests ---------------------------------------------------------------

def test_a_digest_has_what_still_waits(server, agent, operator, person,
                                       mailbox, through, clock):
    me = chosen(person(), HOURLY, **{"Time zone": "Asia/Kolkata"})
    gone = ask(agent, title="Answered meanwhile", timeout_seconds=86400)
    low = ask(agent, title="Small", severity="low", timeout_seconds=86400)
    high = ask(agent, title="Large", severity="high", timeout_seconds=86400)
    assert answer(operator, gone).status_code == 200
    settled(server)
    assert not mails(mailbox, me)
    assert "The next digest is due" in Page(me.client.get(PAGE)).text
    clock.forward(minutes=61)
    mail, = wait_for(lambda: mails(mailbox, me))
    assert mail["subject"] == "2 requests wait for you"
    text, page = mail.iter_parts()
    for part in (text.get_content(), page.get_content()):
        assert "Answered meanwhile" not in part
        assert part.index("Large") < part.index("Small")
        assert f"{server.url}/suspensions/{high['suspension_id']}" in part
        assert " IST" in part
    assert answer(operator, low).status_code == 200
    assert answer(operator, high).status_code == 200
    clock.forward(minutes=61)
    settled(server)
    assert mails(mailbox, me) == [mail]  # nothing waits


def test_a_daily_digest_in_the_zone_of_the_person(server, agent, person,
                                                  mailbox, through, clock):
    zone = zoneinfo.ZoneInfo("America/New_York")
    now = datetime.datetime.now(zone) + datetime.timedelta(
        seconds=clock.seconds)
    at = now + datetime.timedelta(minutes=30)
    me = chosen(person(), DAILY, **{
        "Time zone": "America/New_York",
        "Time of a daily digest": at.strftime("%H:%M")})
    ask(agent, title="Waits", timeout_seconds=3 * 86400)
    settled(server)
    with server.database() as db:
        (due,), = db.execute(
            "SELECT next_at FROM person_mail m JOIN principal p ON p.id = "
            "m.principal_id WHERE email = %s", [me.email]).fetchall()
    assert abs((due - at).total_seconds()) < 60
    clock.forward(minutes=31)
    wait_for(lambda: len(mails(mailbox, me)) == 1)
    clock.forward(hours=23)
    settled(server)
    assert len(mails(mailbox, me)) == 1
    clock.forward(hours=1)
    wait_for(lambda: len(mails(mailbox, me)) == 2)


def test_quiet_hours(server, agent, operator, person, mailbox, through, clock):
    zone = zoneinfo.ZoneInfo("Asia/Kolkata")
    now = datetime.datetime.now(zone) + datetime.timedelta(
        seconds=clock.seconds)
    hour = datetime.timedelta(hours=1)
    quiet = {"Quiet from": (now - hour).strftime("%H:%M"),
             "Quiet until": (now + hour).strftime("%H:%M"),
             "Time zone": "Asia/Kolkata"}
    me = chosen(person(), AT_ONCE, **quiet)
    other = chosen(person(), HOURLY, **quiet)
    settled(server)
    ended = ask(agent, title="Over", timeout_seconds=86400)
    ask(agent, title="At night", severity="critical", timeout_seconds=86400)
    assert answer(operator, ended).status_code == 200
    settled(server)
    clock.forward(minutes=50)
    settled(server)
    assert not mails(mailbox, me) and not mails(mailbox, other)
    clock.forward(minutes=15)
    for one in (me, other):
        mail, = wait_for(lambda one=one: mails(mailbox, one))
        assert mail["subject"] == "1 request waits for you"
        assert "At night" in text_of(mail) and "Over" not in text_of(mail)
    ask(agent, title="By day")
    wait_for(lambda: len(mails(mailbox, me)) == 2)
    assert mails(mailbox, me)[-1]["subject"] == "New request: By day"


def test_a_digest_that_could_not_be_sent_has_what_waits_when_it_is(
        server, agent, operator, person, mailbox, through, clock):
    me, idle = person(), person()
    for one in (me, idle):
        chosen(one, HOURLY, **{"These requests": "narrow"})
        mailbox.refuse[one.email] = "450 Not now"
    first = {one: ask(agent, title="The first", timeout_seconds=86400,
                      responder={"mode": "named", "who": one.email})
             for one in (me, idle)}
    settled(server)
    clock.forward(minutes=61)
    with server.database() as db:
        wait_for(lambda: db.execute(
            "SELECT count(*) FROM delivery WHERE type = 'digest' AND "
            "state = 'pending' AND tries >= 1").fetchone() == (2,))
    ask(agent, title="The second", timeout_seconds=86400,
        responder={"mode": "named", "who": me.email})
    for one in (me, idle):
        assert answer(operator, first[one]).status_code == 403
        with server.client(headers={"X-API-Key": one.token()}) as own:
            assert answer(own, first[one]).status_code == 200
        del mailbox.refuse[one.email]
    mail, = wait_for(lambda: mails(mailbox, me), seconds=150)
    assert mail["subject"] == "1 request waits for you"
    assert "The second" in text_of(mail) and "The first" not in text_of(mail)
    with server.database() as db:
        wait_for(lambda: db.execute(
            "SELECT state, answer FROM delivery WHERE type = 'digest' AND "
            "recipient = %s", [idle.email]).fetchall() == [
                ("failed", "Not sent: nothing waits any more.")], seconds=150)
    assert not mails(mailbox, idle)


# --- Each once -------------------------------------------------------------

def test_each_once_whatever_is_killed(server, agent, person, mailbox,
                                      through):
    me = chosen(person(), AT_ONCE)
    settled(server)
    asked = []
    for n in range(18):
        asked.append(ask(agent, title=f"Request {n}")["suspension_id"])
        if n % 3 == 2:
            for p in children(server.supervisor()):
                if comm(p) == "sayso: tick":
                    os.kill(p, signal.SIGKILL)
            time.sleep(0.3)
    with server.database() as db:
        wait_for(lambda: db.execute(
            "SELECT count(*) FROM delivery WHERE recipient = %s AND "
            "state = 'delivered'", [me.email]).fetchone() == (18,),
            seconds=60)
        settled(server)
        rows = db.execute(
            "SELECT suspension_id FROM delivery WHERE recipient = %s",
            [me.email]).fetchall()
    assert sorted(id for id, in rows) == sorted(asked)
    assert len(mails(mailbox, me)) == 18


def test_who_chooses_later_gets_nothing_from_before(server, agent, person,
                                                    mailbox, through):
    first = chosen(person(), AT_ONCE)
    settled(server)
    ask(agent, title="Before")
    wait_for(lambda: len(mails(mailbox, first)) == 1)
    chosen(first, "off")
    settled(server)
    ask(agent, title="Unseen")
    settled(server)
    later = chosen(person(), AT_ONCE)
    settled(server)
    ask(agent, title="After")
    wait_for(lambda: mails(mailbox, later))
    settled(server)
    assert [m["subject"] for m in mails(mailbox, later)] == [
        "New request: After"]
    assert len(mails(mailbox, first)) == 1


# --- The page --------------------------------------------------------------

@route("GET /settings/notifications")
@route("POST /settings/notifications")
def test_choices_are_kept_and_checked(server, person, through):
    me = person()
    assert "@example.com" in Page(me.client.get(PAGE)).text
    chosen(me, DAILY, **{
        "Time of a daily digest": "8:05", "Risk of these requests": "medium",
        "These requests": "narrow", "Quiet from": "19:00",
        "Quiet until": "07:30", "Time zone": "Europe/Berlin"})
    with server.database() as db:
        row = db.execute(
            "SELECT least, mine, every_hours, daily_at, quiet_from, "
            "quiet_until, time_zone FROM person_mail m JOIN principal p ON "
            "p.id = m.principal_id WHERE email = %s", [me.email]).fetchone()
    assert row == ("medium", True, 24, 485, 1140, 450, "Europe/Berlin")
    shown = me.client.get(PAGE).text
    for value in ("08:05", "19:00", "07:30", "Europe/Berlin"):
        assert f'value="{value}"' in shown
    assert logged(server, f"by={me.email}", "did=notifications.change when=24")
    for wrong, label in (
            ({"Time of a daily digest": ""}, "Enter a time"),
            ({"Time of a daily digest": "24:00"}, "Enter a time"),
            ({"Time of a daily digest": "8"}, "Enter a time"),
            ({"Quiet from": "19:00", "Quiet until": ""}, "Enter a time"),
            ({"Quiet from": "7:30", "Quiet until": "07:30"}, "another time"),
            ({"Time zone": "Europe/Nowhere"}, "Unknown time zone"),
            ({"Risk of these requests": "none"}, "needs a change")):
        r = choose(me, DAILY, **{"Time of a daily digest": "08:00", **wrong})
        assert r.status_code == 422, wrong
        if label != "needs a change":
            assert label in r.text, wrong
    with server.database() as db:
        assert db.execute(
            "SELECT daily_at FROM person_mail m JOIN principal p ON p.id = "
            "m.principal_id WHERE email = %s",
            [me.email]).fetchone() == (485,)
    chosen(me, "off")
    with server.database() as db:
        assert not db.execute(
            "SELECT FROM person_mail m JOIN principal p ON p.id = "
            "m.principal_id WHERE email = %s", [me.email]).fetchall()


@route("POST /settings/notifications")
def test_a_person_of_role_user_hears_of_their_own(server, agent, person,
                                                  mailbox, through):
    me = chosen(person("user"), AT_ONCE)
    settled(server)
    ask(agent, title="Somebody's")
    ask(agent, title="Theirs", responder={"mode": "initiator"},
        intent={"title": "For them", "initiated_by": me.email})
    wait_for(lambda: mails(mailbox, me))
    settled(server)
    assert [m["subject"] for m in mails(mailbox, me)] == [
        "New request: Theirs"]
