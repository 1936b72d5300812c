"""The settings pages of people, groups and keys: the rights of each role, the
place of each error, that a secret is shown once, and that a change takes effect
with the next request."""
import concurrent.futures
import html
import re

import kit
import pytest
from kit import ROUTES, fill, new_id
from page import (Page, button, fields, filled, logged, once, press, send,
                  signs_in, token)

route = pytest.mark.route
PEOPLE, KEYS = "/settings/people", "/settings/keys"
SESSIONS, PROFILE = "/settings/sessions", "/settings/profile"
LIMIT = "Bulk limit"
HOSTILE = '<script>alert(1)</script>"{{page.csrf}}\u202egnp\u200b'
OWN = re.compile(r"^\w+ /settings/(people|groups|keys|sessions|profile)")
ROWS = [r for r in ROUTES if OWN.match(r.name)]


@pytest.fixture(scope="module")
def boss(person):
    return person("admin")


@pytest.fixture(scope="module")
def admin(boss):
    return boss.client


def row(db, email, columns="id::text"):
    found = db.execute(f"SELECT {columns} FROM principal WHERE email = %s",
                       [email]).fetchone()
    return found[0] if len(found) == 1 else found


def at(db, someone):
    return f"{PEOPLE}/{row(db, someone.email)}"


def listed(client, email):
    """The page of the list that has them."""
    r = client.get(PEOPLE)
    while email not in r.text:
        older = re.search(r'href="([^"]*after=[^"]*)"', r.text)
        r = client.get(html.unescape(older[1]))
    return r


def new_person(**more):
    return {"E-mail": f"p-{new_id()}@example.com", "Name": "Pia Person",
            **more}


# --- Who may --------------------------------------------------------------

def test_each_role_reaches_its_own_pages(person):
    for role in ("operator", "auditor", "admin"):
        client = person(role).client
        for one in ROWS:
            r = client.request(one.method, fill(one.pattern))
            # A form without its token is refused for every sender.
            refused = role not in one.roles or one.method == "POST"
            assert (r.status_code == 403) == refused, (role, one.name)


def test_an_auditor_reads_and_has_no_form(person):
    client = person("auditor").client
    for path in (PEOPLE, "/settings/groups", KEYS):
        page = Page(client.get(path))
        assert {f["action"] for f in page.forms} == {"/logout", "/inbox"}
        assert not re.search(rf'href="{path}/[0-9a-f]', client.get(path).text)


def test_who_is_signed_out_is_asked_to_sign_in(server):
    with server.client(headers={"Accept": "text/html"}) as client:
        for one in ROWS:
            r = client.request(one.method, fill(one.pattern))
            assert r.status_code == 303, one.name
            assert r.headers["location"].startswith("/login")


@pytest.mark.parametrize("wrong", [
    {"csrf": ""}, {"csrf": "A" * 60}, {"Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site"}])
def test_every_form_has_its_token_and_its_origin(admin, db, person, wrong):
    them = person("operator", signed_in=False)
    key = db.execute("SELECT id::text FROM api_key WHERE revoked_at IS NULL "
                     "LIMIT 1").fetchone()[0]
    headers = {k: v for k, v in wrong.items() if k != "csrf"}
    csrf = wrong.get("csrf", token(admin))

    def all_rows():
        return db.execute(
            "SELECT (SELECT md5(string_agg(p::text, '|' ORDER BY id)) FROM "
            "principal p), (SELECT count(revoked_at) FROM api_key)").fetchone()

    before = all_rows()
    for path in (PEOPLE, at(db, them), KEYS, f"{KEYS}/{key}", PROFILE,
                 SESSIONS):
        for what in ("save", "disable", "password", "revoke", "others"):
            r = admin.post(path, data={"do": what, "csrf": csrf},
                           headers=headers)
            assert r.status_code == 403, path
    assert all_rows() == before


def test_what_is_not_there_or_not_said(admin, db, person):
    csrf = token(admin)
    for id_ in (new_id(), "x"):
        for path in (PEOPLE, KEYS):
            code = "key.unknown" if path == KEYS else "person.unknown"
            r = admin.get(f"{path}/{id_}")
            assert r.status_code == 404 and code in Page(r).text
            r = admin.post(f"{path}/{id_}", data={
                "csrf": csrf, "do": "revoke" if path == KEYS else "disable"})
            assert r.status_code == 404 and code in Page(r).text
        assert admin.get(f"{KEYS}?after={id_}").status_code == 404
    them = at(db, person("operator", signed_in=False))
    for path in (them, SESSIONS, PROFILE):
        for what in ({}, {"do": "remove"}):
            r = admin.post(path, data={"csrf": csrf, **what})
            assert r.status_code == 400, path


# --- People ---------------------------------------------------------------

@route("GET /settings/people")
@route("POST /settings/people")
def test_adding_a_person(admin, boss, db, server):
    values = new_person(**{"Role": "auditor", LIMIT: "high",
                           "Groups": "on-call, finance  finance,"})
    values["E-mail"] = values["E-mail"].upper()
    r = send(admin, PEOPLE, values)
    assert r.status_code == 303
    email, password = values["E-mail"].lower(), once(r, admin)
    assert row(db, email, "role, name, groups, bulk_limit") == (
        "auditor", "Pia Person", "finance on-call", "high")
    assert password not in row(db, email, "password_hash")
    page = listed(admin, email)
    assert password not in page.text and once(page) is None  # never again
    for word in (email, "Pia Person", "finance, on-call", "never"):
        assert word in Page(page).text, word
    assert signs_in(server, email, password)
    assert "s ago" in Page(listed(admin, email)).text
    line, = logged(server, "did=person.add", f"whom={email}")
    assert f"by={boss.email}" in line and "role=auditor" in line
    assert not logged(server, password)


@pytest.mark.parametrize("change, field", [
    ({"E-mail": ""}, "E-mail"), ({"E-mail": "x"}, "E-mail"),
    ({"E-mail": "a b@example.com"}, "E-mail"),
    ({"E-mail": "a@" + "x" * 260}, "E-mail"),
    ({"Name": " "}, "Name"), ({"Name": "x" * 121}, "Name"),
    ({"Role": "agent"}, "Role"), ({"Role": ""}, "Role"),
    ({"Groups": "Finance"}, "Groups"), ({"Groups": "x" * 61}, "Groups"),
    ({"Groups": ",".join(f"g{i}" for i in range(21))}, "Groups"),
    ({LIMIT: "none"}, LIMIT)])
def test_what_a_person_may_not_be(admin, db, change, field):
    n = db.execute("SELECT count(*) FROM principal").fetchone()
    values = new_person(Groups="finance", **{})
    values.update(change)
    r = send(admin, PEOPLE, values)
    assert r.status_code == 422
    names, page = fields(r), Page(r)
    assert f'href="#{names[field]}"' in r.text
    assert "1 field needs a change" in page.text
    for label in ("E-mail", "Name", "Groups"):  # kept
        assert page.value(PEOPLE, names[label]) == values[label]
    assert once(r) is None
    assert db.execute("SELECT count(*) FROM principal").fetchone() == n


def test_an_email_address_is_there_once(admin, boss):
    r = send(admin, PEOPLE, new_person(**{"E-mail": boss.email.upper()}))
    assert r.status_code == 422 and once(r) is None
    assert f'href="#{fields(r)["E-mail"]}"' in r.text


@route("GET /settings/people/{id}")
@route("POST /settings/people/{id}")
def test_a_change_counts_at_once(admin, db, person, server):
    them = person("operator")
    one = at(db, them)
    assert them.client.get(PEOPLE).status_code == 403
    r = send(admin, one, {"Name": "Other Name", "Role": "admin",
                          "Groups": "legal", LIMIT: "critical"})
    assert r.status_code == 303 and r.headers["location"] == PEOPLE
    assert row(db, them.email, "name, role, groups, bulk_limit") == (
        "Other Name", "admin", "legal", "critical")
    assert them.client.get(PEOPLE).status_code == 200
    assert "Other Name" in them.client.get("/inbox").text
    assert send(admin, one, {"Role": "auditor",
                             "Groups": ""}).status_code == 303
    assert row(db, them.email, "groups") is None
    assert them.client.get(one).status_code == 403
    assert logged(server, "did=person.change", them.email, "role=auditor")
    r = send(admin, one, {"Name": ""})
    assert r.status_code == 422 and row(db, them.email, "name") == "Other Name"


def test_disabling_ends_the_sessions(admin, db, person, server):
    them = person("operator")
    one = at(db, them)
    assert them.client.get("/inbox").status_code == 200
    r = press(admin, one, "disable", f"{one}?do=disable")
    assert r.status_code == 303 and r.headers["location"] == one
    r = them.client.get("/inbox")
    assert r.status_code == 303
    assert r.headers["location"].startswith("/login")
    assert not signs_in(server, them.email, them.password)
    assert "Disabled" in Page(listed(admin, them.email)).text
    press(admin, one, "enable")
    assert them.client.get("/inbox").status_code == 303  # ended for good
    assert signs_in(server, them.email, them.password)
    for what in ("disable", "enable"):
        assert logged(server, f"did=person.{what}", them.email)


def test_a_new_password_is_shown_once(admin, db, person, server):
    them = person("operator")
    one = at(db, them)
    r = press(admin, one, "password", f"{one}?do=password")
    assert r.status_code == 303
    password = once(r, admin)
    assert password not in admin.get(one).text
    assert them.client.get("/inbox").status_code == 303
    assert not signs_in(server, them.email, them.password)
    assert signs_in(server, them.email, password)
    assert not logged(server, password)


def test_nobody_demotes_or_disables_themselves(admin, boss, db):
    one = at(db, boss)
    page = Page(admin.get(one))
    assert "Disable" not in page.text and "New password" not in page.text
    for role in ("operator", "auditor"):
        r = send(admin, one, {"Role": role})
        assert r.status_code == 422
        assert f'href="#{fields(r)["Role"]}"' in r.text
    csrf = token(admin)
    for what in ("disable", "password"):
        r = admin.post(one, data={"csrf": csrf, "do": what})
        assert r.status_code == 409, what
    assert row(db, boss.email, "role, disabled_at") == ("admin", None)
    r = send(admin, one, {"Name": "The Boss", "Groups": "board"})
    assert r.status_code == 303 and "The Boss" in admin.get("/inbox").text


def test_an_admin_always_remains(db, person):
    """Two admins who demote each other at once: one of them stays."""
    for what in ("disable", "demote"):
        two = person("admin"), person("admin")
        emails = [x.email for x in two]
        others = [x[0] for x in db.execute(
            "UPDATE principal SET role = 'operator' WHERE role = 'admin' AND "
            "NOT email = ANY (%s) RETURNING id", [emails]).fetchall()]
        try:
            def ready(who, whom):
                path = at(db, whom)
                data = (button(who.client, path, "disable",
                               f"{path}?do=disable")
                        if what == "disable" else
                        filled(who.client, path, {"Role": "operator"}))
                return who, path, data

            def end(who, path, data):
                return who.client.post(path, data=data)

            both = ready(*two), ready(*two[::-1])
            with concurrent.futures.ThreadPoolExecutor() as pool:
                each = [pool.submit(end, *one) for one in both]
                codes = sorted(x.result().status_code for x in each)
            left = db.execute(
                "SELECT count(*) FROM principal WHERE role = 'admin' AND "
                "disabled_at IS NULL").fetchone()
            assert left == (1,), codes
        finally:
            db.execute("UPDATE principal SET role = 'admin' WHERE id = ANY "
                       "(%s)", [others])
            db.execute("UPDATE principal SET disabled_at = now() WHERE "
                       "email = ANY (%s)", [emails])


def test_names_are_only_shown(admin, db):
    values = new_person(Name=HOSTILE)
    assert send(admin, PEOPLE, values).status_code == 303
    one = f"{PEOPLE}/{row(db, values['E-mail'])}"
    for r in (listed(admin, values["E-mail"]), admin.get(one)):
        assert "<script>alert" not in r.text and "\u202e" not in Page(r).text
        assert "U+202E" in Page(r).text


def test_more_people_than_a_page(admin, db):
    db.execute("INSERT INTO principal (id, role, email, name, password_hash, "
               "created_at) SELECT gen_random_uuid(), 'operator', 'zz' || "
               "lpad(n::text, 4, '0') || '@example.com', 'x', 'x', now() "
               "FROM generate_series(1, 120) n")
    try:
        seen, path = [], PEOPLE
        while path:
            r = admin.get(path)
            seen += re.findall(r"zz\d{4}@", r.text)
            older = re.search(r'href="([^"]*after=[^"]*)"', r.text)
            path = html.unescape(older[1]) if older else None
        assert seen == [f"zz{n:04d}@" for n in range(1, 121)]
    finally:
        db.execute("DELETE FROM principal WHERE email LIKE 'zz%'")


# --- Groups ---------------------------------------------------------------

@route("GET /settings/groups")
def test_groups_with_who_is_in_them_and_what_waits(admin, agent, db, person,
                                                   server):
    name, gone = f"g{new_id()[:8]}", f"h{new_id()[:8]}"
    them, other = person(), person()
    send(admin, at(db, them), {"Groups": f"{name}, {gone}"})
    server.key("operator", "--groups", name, label=f"desk {name}")
    for group in (name, name, gone):
        kit.ask(agent, responder={"mode": "group", "who": group})
    text = Page(admin.get("/settings/groups")).text
    assert f"{name} 1 {them.name} 1 desk {name} 2" in text
    assert f"{gone} 1 {them.name} none 1" in text
    one = at(db, them)
    press(admin, one, "disable", f"{one}?do=disable")
    text = Page(admin.get("/settings/groups")).text
    assert f"{name} none 1 desk {name} 2" in text
    assert f"{gone} no members who can answer none none 1" in text
    assert other.client.get("/settings/groups").status_code == 403


# --- Keys -----------------------------------------------------------------

@route("GET /settings/keys")
@route("POST /settings/keys")
def test_making_a_key(admin, boss, db, server):
    label = f"refunds {new_id()}"
    r = send(admin, KEYS, {"Label": label, "Role": "agent", "Expires": "30",
                           "Agents": "refunds-agent, other-agent"})
    assert r.status_code == 303
    key = once(r, admin)
    assert key not in admin.get(KEYS).text and key[:12] in admin.get(KEYS).text
    assert db.execute(
        "SELECT role, agents, groups, round(extract(epoch FROM expires_at - "
        "created_at) / 86400) FROM api_key WHERE label = %s",
        [label]).fetchone() == ("agent", ["refunds-agent", "other-agent"],
                                None, 30)
    with server.client(headers={"X-API-Key": key,
                                "X-Agent-ID": "other-agent"}) as client:
        assert client.get("/api/v1/intents").status_code == 200
    text = Page(admin.get(KEYS)).text
    assert f"{label} {key[:12]}… Agent refunds-agent, other-agent" in text
    line, = logged(server, "did=key.make", label)
    assert f"by={boss.email}" in line
    assert not logged(server, key)


@pytest.mark.parametrize("change, field", [
    ({"Label": ""}, "Label"), ({"Label": "x" * 121}, "Label"),
    ({"Role": "clock"}, "Role"), ({"Agents": ""}, "Agents"),
    ({"Agents": "two words"}, "Agents"), ({"Agents": "a/b"}, "Agents"),
    ({"Agents": ",".join(f"a{i}" for i in range(65))}, "Agents"),
    ({"Role": "operator"}, "Agents"),
    ({"Groups": "finance"}, "Groups"),
    ({"Role": "operator", "Agents": "", "Groups": "A"}, "Groups"),
    ({"Expires": "31"}, "Expires")])
def test_what_a_key_may_not_be(admin, db, change, field):
    n = db.execute("SELECT count(*) FROM api_key").fetchone()
    values = {"Label": "x", "Role": "agent", "Agents": "a", **change}
    r = send(admin, KEYS, values)
    assert r.status_code == 422 and once(r) is None
    assert f'href="#{fields(r)[field]}"' in r.text
    for label in ("Label", "Agents"):  # kept
        assert Page(r).value(KEYS, fields(r)[label]) == values[label]
    assert db.execute("SELECT count(*) FROM api_key").fetchone() == n


@route("GET /settings/keys/{id}")
@route("POST /settings/keys/{id}")
def test_revoking_takes_two_steps_and_counts_at_once(admin, db, server):
    label = f"desk {new_id()}"
    key = once(send(admin, KEYS, {"Label": label, "Role": "operator",
                                  "Groups": "legal, finance",
                                  "Expires": "0"}), admin)
    id_, = db.execute("SELECT id::text FROM api_key WHERE label = %s AND "
                      "groups = 'finance legal' AND expires_at IS NULL",
                      [label]).fetchone()
    path = f"{KEYS}/{id_}"
    assert f'href="{path}"' in admin.get(KEYS).text
    with server.client(headers={"X-API-Key": key}) as client:
        for _ in range(3):  # so that workers remember it
            assert client.get("/api/v1/intents").status_code == 200
        r = admin.get(path)
        assert f"Revoke {label} ?" in Page(r).text and key not in r.text
        assert client.get("/api/v1/intents").status_code == 200
        r = press(admin, path, "revoke")
        assert r.status_code == 303 and r.headers["location"] == KEYS
        assert client.get("/api/v1/intents").status_code == 401
    text = Page(admin.get(KEYS)).text
    assert "Revoked" in text and f'href="{path}"' not in admin.get(KEYS).text
    assert "This key is no longer active" in Page(admin.get(path)).text
    when = db.execute("SELECT revoked_at FROM api_key WHERE id = %s", [id_])
    first = when.fetchone()
    admin.post(path, data={"csrf": token(admin), "do": "revoke"})
    assert first == db.execute("SELECT revoked_at FROM api_key WHERE id = %s",
                               [id_]).fetchone()
    assert logged(server, "did=key.revoke", label)
    for at_, what, code in ((path, {"do": "own"}, "key.reach"),
                            (path + "/floor", {"floor": "low"}, "key.ended")):
        r = admin.post(at_, data={"csrf": token(admin), **what})
        assert r.status_code == 409 and code in Page(r).text


def test_more_keys_than_a_page(admin, db):
    db.execute("INSERT INTO api_key (id, key_sha256, prefix, role, label, "
               "created_at, reach) SELECT gen_random_uuid(), lpad(n::text, 64, "
               "'x'), 'x', 'auditor', 'many ' || n, now(), 'all' FROM "
               "generate_series(1, 150) n")
    try:
        seen, path = [], KEYS
        while path:
            r = admin.get(path)
            seen += re.findall(r"many \d+(?=<)", r.text)
            older = re.search(r'href="([^"]*after=[^"]*)"', r.text)
            path = html.unescape(older[1]) if older else None
        assert len(seen) == len(set(seen)) == 150
    finally:
        db.execute("DELETE FROM api_key WHERE label LIKE 'many %'")


# --- The same by command --------------------------------------------------

def lines(server, *command):
    done = server.sayso(*command)
    assert done.returncode == 0, done.stderr
    return [x.split("\t") for x in done.stdout.splitlines()]


def test_people_by_command(server, db):
    email = f"cli-{new_id()}@example.com"
    made = server.sayso("operator", "create", "--email", email, "--name", "C",
                        "--groups", "b, a", "--bulk-limit", "low")
    assert made.returncode == 0
    assert row(db, email, "role, groups, bulk_limit") == (
        "operator", "a b", "low")
    line, = [x for x in lines(server, "operator", "list") if x[0] == email]
    assert line[4:] == ["active", "a,b", "low"]
    change = "operator", "change", "--email", email
    assert server.sayso(*change, "--role", "admin").returncode == 0
    assert row(db, email, "role, name, groups, bulk_limit") == (
        "admin", "C", "a b", "low")
    assert server.sayso(*change, "--groups", "", "--name", "D",
                        "--bulk-limit", "high").returncode == 0
    assert row(db, email, "role, name, groups, bulk_limit") == (
        "admin", "D", None, "high")
    for wrong in (("--groups", "A"), ("--bulk-limit", "x"), ("--role", "x"),
                  ("--name", ""), ("--password-stdin",)):
        assert server.sayso(*change, *wrong).returncode == 2, wrong
    assert server.sayso("operator", "change", "--email", "no@example.com",
                        "--name", "x").returncode == 1


def test_groups_of_keys_by_command(server):
    label = f"cli {new_id()}"
    server.key("operator", "--groups", "b,a", label=label)
    line, = [x for x in lines(server, "key", "list") if x[3] == label]
    assert line[9] == "a,b"
    for wrong in (("agent", "--agent", "a", "--groups", "a"),
                  ("auditor", "--groups", "a"), ("operator", "--groups", "A")):
        done = server.sayso("key", "create", "--label", "x", "--role", *wrong)
        assert done.returncode == 2 and "groups" in done.stderr, wrong
