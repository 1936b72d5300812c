"""The settings pages of oneself: sessions, name, time zone, theme, password. A
person's changes there affect nobody else, and take effect at once."""
import contextlib
import re

import kit
import pytest
from page import Page, fields, logged, once, press, send, signs_in, token

route = pytest.mark.route
SESSIONS, PROFILE = "/settings/sessions", "/settings/profile"
TIME = re.compile(r'<time datetime="([^"]+)" title="([^"]+)">([^<]+)</time>')


def row(db, one, columns):
    return db.execute(f"SELECT {columns} FROM principal WHERE email = %s",
                      [one.email]).fetchone()


@contextlib.contextmanager
def again(server, one):
    """The same person in another browser."""
    client = server.client(headers={"Accept": "text/html"},
                           transport=kit.elsewhere())
    assert one.sign_in(client).status_code == 303
    yield client
    client.close()


def inside(client):
    return client.get("/inbox").status_code == 200


def session_keys(client):
    return re.findall(r'do=end&amp;key=(\w{64})"',
                      client.get(SESSIONS).text)


def ending(key):
    """The page that asks before a session is ended."""
    return f"{SESSIONS}?do=end&key={key}"


# --- Sessions -------------------------------------------------------------

@route("GET /settings/sessions")
@route("POST /settings/sessions")
def test_ending_one_of_my_sessions(person, server):
    me, other = person(), person()
    with again(server, me) as second, again(server, me) as third:
        page = Page(me.client.get(SESSIONS))
        assert "3 sessions" in page.text and "This one" in page.text
        assert other.name not in page.text.replace(me.name, "")
        mine = session_keys(me.client)
        assert len(mine) == 2  # not the one at hand
        r = press(me.client, SESSIONS, "end", ending(mine[0]))
        assert r.status_code == 303
        assert inside(me.client)
        assert sorted([inside(second), inside(third)]) == [False, True]
        assert logged(server, f"by={me.email}", "did=session.end ")
        r = me.client.post(SESSIONS, data={
            "csrf": token(me.client), "do": "end", "key": mine[0]})
        assert r.status_code == 404  # it has ended
        assert "session.unknown" in Page(r).text


def test_a_session_is_known_by_its_browser(person, server):
    me = person()
    with server.client(headers={
            "Accept": "text/html", "User-Agent":
            "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Firefox/140.0 <b>"},
            transport=kit.elsewhere()) as other:
        assert me.sign_in(other).status_code == 303
        text = Page(me.client.get(SESSIONS)).text
        assert "Firefox, Linux 127." in text and "<b>" not in text
        assert "Unknown browser" in text  # that of the test itself
        assert "This one" in Page(other.get(SESSIONS)).text


def test_ending_all_my_other_sessions(person, server):
    me, other = person(), person()
    assert "Sign out all other" not in Page(me.client.get(SESSIONS)).text
    with again(server, me) as second, again(server, me) as third:
        assert press(me.client, SESSIONS, "others",
                     f"{SESSIONS}?do=others").status_code == 303
        assert inside(me.client) and inside(other.client)
        assert not inside(second) and not inside(third)
    assert "1 session " in Page(me.client.get(SESSIONS)).text


@pytest.mark.parametrize("role", ["operator", "auditor"])
def test_nobody_ends_the_session_of_another(person, role, db):
    me, other = person(role), person()
    key, = db.execute(
        "SELECT id_sha256 FROM operator_session s JOIN principal p ON p.id = "
        "principal_id WHERE email = %s AND revoked_at IS NULL",
        [other.email]).fetchone()
    assert key not in me.client.get(SESSIONS).text
    assert other.email not in me.client.get(SESSIONS).text
    r = me.client.post(SESSIONS, data={"csrf": token(me.client), "do": "end",
                                       "key": key})
    assert r.status_code == 404 and inside(other.client)


def test_an_admin_sees_and_ends_everybodys(person, server):
    boss, other = person("admin"), person()
    page = boss.client.get(SESSIONS)
    assert other.email in Page(page).text
    form = page.text.split(other.email)[1]
    key = re.search(r'do=end&amp;key=(\w{64})"', form)[1]
    assert press(boss.client, SESSIONS, "end",
                 ending(key)).status_code == 303
    assert not inside(other.client) and inside(boss.client)
    line, = logged(server, f"by={boss.email}", "did=session.end ")
    assert f"whom={other.email}" in line


def test_no_page_shows_a_cookie(person):
    me = person("admin")
    cookie = me.client.cookies["sayso"]
    for path in (SESSIONS, PROFILE, "/settings/people"):
        assert cookie not in me.client.get(path).text


# --- Name, time zone, theme -----------------------------------------------

@route("GET /settings/profile")
@route("POST /settings/profile")
@pytest.mark.parametrize("role", ["operator", "auditor", "admin"])
def test_times_follow_the_zone_of_the_reader(person, role, db, server):
    me, other = person(role), person()
    r = send(me.client, PROFILE, {"Name": "New Name",
                                  "Time zone": "Asia/Kolkata"})
    assert r.status_code == 303 and r.headers["location"] == PROFILE
    assert row(db, me, "name, time_zone, theme") == (
        "New Name", "Asia/Kolkata", "auto")
    r = me.client.get(PROFILE)
    assert "New Name" in Page(r).text
    iso, title, text = TIME.search(r.text).groups()
    assert iso.endswith("Z") and title.endswith(" UTC")
    assert text.endswith(" IST")
    at = [[int(x) for x in re.search(r"(\d\d):(\d\d):\d\d", s).groups()]
          for s in (iso, text)]
    minutes = [h * 60 + m for h, m in at]
    assert (minutes[1] - minutes[0]) % (24 * 60) == 330
    assert TIME.search(other.client.get(PROFILE).text)[3].endswith(" UTC")
    assert logged(server, f"by={me.email}", "did=profile.change",
                  "zone=Asia/Kolkata")
    assert send(me.client, PROFILE, {"Time zone": ""}).status_code == 303
    assert row(db, me, "time_zone") == (None,)
    assert TIME.search(me.client.get(PROFILE).text)[3].endswith(" UTC")


def test_every_page_says_which_zone(person, agent, operator):
    me = person("admin")
    asked = kit.ask(agent, timeout_seconds=3600)
    done = kit.ask(agent)
    assert kit.answer(operator, done).status_code == 200
    send(me.client, PROFILE, {"Time zone": "Asia/Kolkata"})
    for path in ("/inbox", f"/suspensions/{asked['suspension_id']}",
                 f"/suspensions/{done['suspension_id']}", "/decided",
                 f"/intents/{done['intent_id']}", SESSIONS):
        page = me.client.get(path)
        shown = re.sub(r'(title|value)="[^"]*"', "", page.text)
        assert "UTC" not in shown, path
        assert "IST" in shown or "Asia/Kolkata" in shown, path


@pytest.mark.parametrize("theme, attribute", [
    ("dark", ' data-theme="dark"'), ("light", ' data-theme="light"'),
    ("auto", "")])
def test_the_theme_is_on_the_page(person, theme, attribute):
    me = person()
    assert send(me.client, PROFILE, {"Theme": theme}).status_code == 303
    for path in (PROFILE, "/inbox", "/suspensions/none"):
        text = me.client.get(path).text
        assert f'<html lang="en"{attribute}>' in text, path
    assert '<html lang="en">' in person(signed_in=False).client.get(
        "/login").text


@pytest.mark.parametrize("change, field", [
    ({"Name": ""}, "Name"), ({"Name": "x" * 121}, "Name"),
    ({"Time zone": "Europe/Nowhere"}, "Time zone"),
    ({"Time zone": "../../../etc/passwd"}, "Time zone"),
    ({"Time zone": "/etc/localtime"}, "Time zone"),
    ({"Time zone": "tzdata.zi"}, "Time zone"),
    ({"Time zone": "Europe"}, "Time zone"),
    ({"Time zone": "x" * 65}, "Time zone"),
    ({"Theme": "pink"}, "Theme")])
def test_what_a_profile_may_not_be(person, db, change, field):
    me = person()
    before = row(db, me, "name, time_zone, theme")
    r = send(me.client, PROFILE, change)
    assert r.status_code == 422
    assert f'href="#{fields(r)[field]}"' in r.text
    if field != "Theme":
        assert Page(r).value(PROFILE, fields(r)[field]) == change[field]
    assert row(db, me, "name, time_zone, theme") == before


def test_a_zone_that_is_gone_is_utc(person, db):
    me = person()
    db.execute("UPDATE principal SET time_zone = 'Gone/Zone' WHERE email = "
               "%s", [me.email])
    assert TIME.search(me.client.get(PROFILE).text)[3].endswith(" UTC")


# --- The password ---------------------------------------------------------

def change(me, old, new):
    return me.client.post(PROFILE, data={
        "csrf": token(me.client), "do": "password", "old": old,
        "password": new})


def test_a_new_password_for_the_old_one(person, server):
    me = person()
    with again(server, me) as second:
        fresh = kit.new_id()
        r = change(me, me.password, fresh)
        assert r.status_code == 200 and once(r) is None
        assert "Password changed" in Page(r).text
        assert fresh not in r.text and me.password not in r.text
        assert inside(me.client) and not inside(second)
    assert not signs_in(server, me.email, me.password)
    assert signs_in(server, me.email, fresh)
    assert logged(server, f"by={me.email}", "did=profile.password")
    assert not logged(server, fresh)


@pytest.mark.parametrize("old, new, field", [
    ("wrong", "long enough", "old"), ("", "long enough", "old"),
    ("x" * 300, "long enough", "old"), (None, "short", "password"),
    (None, "", "password"), (None, "x" * 201, "password")])
def test_what_does_not_change_a_password(person, server, old, new, field):
    me = person()
    old = me.password if old is None else old
    r = change(me, old, new)
    assert r.status_code == 422
    assert f'href="#{field}"' in r.text
    for secret in (old, new):
        assert not secret or f'value="{secret}' not in r.text
    assert signs_in(server, me.email, me.password)


def test_the_old_password_cannot_be_guessed_quickly(person):
    me = person()
    for _ in range(6):
        r = change(me, "wrong", "long enough")
        assert r.status_code == 422
    assert "Too many attempts" in Page(r).text
    assert change(me, me.password, "long enough").status_code == 422
