"""What the pages let slip: ending what is another's takes a second step, a
secret is shown until it was stored, what was typed is not lost, and what a
reader decides stands before them as it is."""
import html
import re

import kit
import pytest
from page import Page, logged, press, token

PEOPLE, SESSIONS = "/settings/people", "/settings/sessions"


@pytest.fixture(scope="module")
def db(server):
    with server.database() as connection:
        yield connection


@pytest.fixture(scope="module")
def boss(person):
    return person("admin")


def one(db, email, columns):
    return db.execute(f"SELECT {columns} FROM principal WHERE email = %s",
                      [email]).fetchone()[0]


def at(db, someone):
    return f"{PEOPLE}/{one(db, someone.email, 'id')}"


def buttons(r, what):
    """The buttons of a page that post do=what."""
    return re.findall(rf'<button[^>]* name="do" value="{what}"', r.text)


# --- A7: ending an account, a session, a password -------------------------

@pytest.mark.parametrize("what, word", [
    ("disable", "Disable"), ("password", "Make a new password for")])
def test_A7_ending_an_account_asks_first(boss, db, person, what, word):
    them = person("operator")
    path = at(db, them)
    page = boss.client.get(path)
    assert not buttons(page, what)
    asked = boss.client.get(f"{path}?do={what}")
    assert f"{word} {them.name} ?" in Page(asked).text
    assert "Nothing is changed yet." in Page(asked).text
    assert len(buttons(asked, what)) == 1 and not buttons(asked, "save")
    # To look decides nothing.
    assert them.client.get("/inbox").status_code == 200
    assert press(boss.client, path, what,
                 f"{path}?do={what}").status_code in (200, 303)
    assert them.client.get("/inbox").status_code == 303


def test_A7_no_other_step_is_asked_for(boss, db, person):
    them = person("operator")
    path = at(db, them)
    assert boss.client.get(f"{path}?do=enable").status_code == 400
    press(boss.client, path, "disable", f"{path}?do=disable")
    # What was done meanwhile is not asked for again.
    page = boss.client.get(f"{path}?do=disable")
    assert page.status_code == 200 and not buttons(page, "disable")
    assert len(buttons(page, "enable")) == 1


def test_A7_ending_a_session_asks_first(boss, db, person):
    them = person("operator")
    page = boss.client.get(SESSIONS)
    assert not buttons(page, "end")
    row = page.text.split(them.email)[1].split("</tr>")[0]
    path = html.unescape(re.search(r'href="([^"]+do=end[^"]+)"', row)[1])
    asked = boss.client.get(path)
    assert f"End the session of {them.name}, {them.email}" in Page(asked).text
    assert them.client.get("/inbox").status_code == 200
    assert press(boss.client, SESSIONS, "end", path).status_code == 303
    assert them.client.get("/inbox").status_code == 303
    assert boss.client.get(path).status_code == 404


def test_A7_ending_all_my_other_sessions_asks_first(person, server):
    me = person("operator")
    with server.client(headers={"Accept": "text/html"},
                       transport=kit.elsewhere()) as second:
        assert me.sign_in(second).status_code == 303
        page = me.client.get(SESSIONS)
        assert not buttons(page, "others")
        assert f'href="{SESSIONS}?do=others"' in page.text
        asked = me.client.get(f"{SESSIONS}?do=others")
        assert "Nothing is ended yet." in Page(asked).text
        assert second.get("/inbox").status_code == 200
        press(me.client, SESSIONS, "others", f"{SESSIONS}?do=others")
        assert second.get("/inbox").status_code == 303


def test_A7_nobody_is_asked_about_the_session_of_another(person, db):
    me, other = person("operator"), person("operator")
    key = db.execute(
        "SELECT id_sha256 FROM operator_session s JOIN principal p ON p.id = "
        "principal_id WHERE email = %s", [other.email]).fetchone()[0]
    r = me.client.get(f"{SESSIONS}?do=end&key={key}")
    assert r.status_code == 404 and other.email not in r.text
