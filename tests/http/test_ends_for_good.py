"""A new password and a disabling end all that a person holds, for good: sessions,
tokens, initiation tickets and the pages that show a new secret. Enabling the
person again brings none of it back."""
import concurrent.futures

import kit
import pytest
from page import Page, once, press, send, token

PROFILE = "/settings/profile"
PEOPLE = "/settings/people"
TOKENS = "/settings/tokens"


@pytest.fixture(scope="module")
def admin(person):
    return person("admin").client


def key(server, text):
    return server.client(headers={"X-API-Key": text})


def make_token(one):
    """A token of a person, and the address of the page that shows it."""
    r = send(one.client, TOKENS, {"Label": "Chat", "Expires": "30",
                                  "Your password": one.password})
    return once(r, one.client), r.headers["location"]


class Held:
    """All that a person can hold, and whether it works."""

    def __init__(self, server, one, agent="tickets"):
        self.server, self.one = server, one
        self.first, _ = make_token(one)
        self.second, self.page = make_token(one)
        with key(server, self.first) as c:
            r = c.post("/api/v1/initiations", json={"agent": agent})
            assert r.status_code == 201, r.text
        self.ticket, self.agent = r.json()["initiation"], agent
        self.key = server.key("agent", "--agent", agent)

    def tokens(self):
        out = []
        for text in (self.first, self.second):
            with key(self.server, text) as c:
                out.append(c.get("/api/v1/suspensions").status_code)
        return out

    def starts(self):
        """Does the ticket still prove who starts a task?"""
        with key(self.server, self.key) as c:
            r = c.post("/api/v1/tool-calls/check", json={
                "task": {"task_id": kit.new_id()}, "initiation": self.ticket,
                "tool_calls": [{"id": "c", "tool": "pay", "arguments": {}}]})
        return r.status_code

    def all_ended(self, db):
        assert self.tokens() == [401, 401]
        assert self.starts() == 422
        assert db.execute(
            "SELECT count(*) FROM secret_view v JOIN operator_session s ON "
            "s.id_sha256 = v.session JOIN principal p ON p.id = s.principal_id "
            "WHERE p.email = %s", [self.one.email]).fetchone()[0] == 0


def at(db, one):
    found = db.execute("SELECT id FROM principal WHERE email = %s",
                       [one.email]).fetchone()
    return f"{PEOPLE}/{found[0]}"


def command(server, *words, stdin=None):
    done = server.sayso("operator", *words, input=stdin)
    assert done.returncode == 0, done.stderr


def by_page_password(server, admin, db, one):
    assert press(admin, at(db, one), "password",
                 at(db, one) + "?do=password").status_code == 303


def by_page_disable(server, admin, db, one):
    where = at(db, one)
    assert press(admin, where, "disable",
                 where + "?do=disable").status_code == 303
    r = admin.post(where, data={"csrf": token(admin), "do": "enable"})
    assert r.status_code == 303


def by_command_password(server, admin, db, one):
    command(server, "password", "--email", one.email, "--password-stdin",
            stdin="another long enough phrase\n")


def by_command_disable(server, admin, db, one):
    command(server, "disable", "--email", one.email)
    command(server, "enable", "--email", one.email)


def by_own_password(server, admin, db, one):
    r = one.client.post(PROFILE, data={
        "csrf": token(one.client), "do": "password", "old": one.password,
        "password": "another long enough phrase"})
    assert r.status_code == 200, Page(r).text
    assert "your tokens have ended" in Page(r).text
    assert one.client.get("/inbox").status_code == 200  # this session stays


@pytest.mark.parametrize("end", [
    by_page_password, by_page_disable, by_command_password,
    by_command_disable, by_own_password])
def test_all_that_they_hold_ends(server, admin, db, person, end):
    one, other = person("admin"), person()
    held, others = Held(server, one, "tickets-one"), make_token(other)[0]
    assert held.tokens() == [200, 200]
    assert one.client.get(held.page).status_code == 200
    end(server, admin, db, one)
    held.all_ended(db)
    with key(server, others) as c:  # nobody else loses anything
        assert c.get("/api/v1/suspensions").status_code == 200
    if end is not by_own_password:
        assert one.client.get("/inbox").status_code == 303


def test_a_ticket_that_was_used_keeps_its_task(server, admin, db, person):
    one = person()
    held = Held(server, one, "tickets-two")
    assert held.starts() in (200, 202)
    by_page_password(server, admin, db, one)
    with key(server, held.key) as c:
        found = c.get("/api/v1/suspensions").json()
    assert one.email in str(found)


def test_the_pages_say_it(admin, db, person):
    one = person()
    where = at(db, one)
    for what in ("password", "disable"):
        assert "tokens" in Page(admin.get(f"{where}?do={what}")).text
    assert "your tokens" in Page(one.client.get(PROFILE)).text


def test_a_password_that_was_replaced_meanwhile_gives_nothing(server, db,
                                                              person):
    """Between the check of the old password and what it allows, the new one
    is set: no session, no token."""
    one = person()
    old = db.execute("SELECT password_hash FROM principal WHERE email = %s",
                     [one.email]).fetchone()[0]

    def sign_in():
        with server.client(headers={"Accept": "text/html"},
                           transport=kit.elsewhere()) as client:
            return one.sign_in(client).status_code

    def make():
        return send(one.client, TOKENS, {
            "Label": "Chat", "Expires": "30",
            "Your password": one.password}).status_code

    def change():
        return one.client.post(PROFILE, data={
            "csrf": token(one.client), "do": "password", "old": one.password,
            "password": "the thief's own phrase"}).status_code

    for act in (sign_in, make, change):
        with server.database() as lock, \
                concurrent.futures.ThreadPoolExecutor(1) as pool:
            with lock.transaction():
                lock.execute("UPDATE principal SET password_hash = 'other' "
                             "WHERE email = %s", [one.email])
                tried = pool.submit(act)
                kit.wait_for(lambda: kit.waiting(server))
            assert tried.result() == 409, act  # person.changed
            lock.execute("UPDATE principal SET password_hash = %s WHERE "
                         "email = %s", [old, one.email])


# --- Guesses at a password -----------------------------------------------------

def test_a_person_is_told_of_guesses(server, person):
    """From other networks, without being kept out; others are not told."""
    one, other = person(), person()
    page = Page(one.client.get("/settings/sessions"))
    assert "wrong password" not in page.text
    with server.database() as db:
        for n in range(3):  # as three networks would leave them behind
            db.execute(
                "INSERT INTO sign_in_failure VALUES (encode(sha256(%s::bytea), "
                "'hex'), %s, 2, now() - %s * interval '25 min')",
                [one.email, f"192.0.2.{n}", n])
    page = Page(one.client.get("/settings/sessions"))
    assert "6 wrong passwords for your account" in page.text
    assert "from 3 networks" in page.text
    assert "wrong password" not in Page(
        other.client.get("/settings/sessions")).text
    assert one.client.get("/inbox").status_code == 200
    with server.database() as db:
        db.execute("UPDATE sign_in_failure SET failed_at = failed_at - "
                   "interval '20 min'")
    assert "4 wrong passwords" in Page(
        one.client.get("/settings/sessions")).text


@pytest.mark.parametrize("typed", ["Zo\u00eb ist lange weg",
                                   "Zoe\u0308 ist lange weg"])
def test_a_password_is_typed_in_either_form(server, person, typed):
    one = person()
    command(server, "password", "--email", one.email, "--password-stdin",
            stdin="Zoe\u0308 ist lange weg\n")
    one.password = typed
    assert one.sign_in().status_code == 303


def test_the_clock_reads_no_secret_of_a_webhook(server):
    with server.database() as db:
        for column, may in (("secret", False), ("previous_secret", False),
                            ("address", True), ("prefix", True)):
            assert db.execute(
                "SELECT has_column_privilege('sayso_tick', 'endpoint', %s, "
                "'SELECT')", [column]).fetchone()[0] == may, column
