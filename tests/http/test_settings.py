"""The settings pages: endpoints, channels, and the log of deliveries. The
rights of each role, the place of each error, and that a secret is shown
once."""
import re

import pytest

import kit
from kit import ROUTES, fill, new_id
from page import Page, fields, filled, once, send

route = pytest.mark.route
LISTS = ("/settings/endpoints", "/settings/channels")
INTERNAL = "Internal address"
SECRET = re.compile(r"whsec_[A-Za-z0-9+/]{43}=")
HIDDEN = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")
HOSTILE = ('<script>alert(1)</script>"\'>{{page.csrf}}\u202egnp\u202c\u200b'
           "&amp;")


@pytest.fixture(scope="module")
def admin(person):
    return person("admin").client


@pytest.fixture(scope="module")
def auditor(person):
    return person("auditor").client


@pytest.fixture(scope="module")
def operator(person):
    return person("operator").client


# --- Forms ----------------------------------------------------------------

def act(client, path, what, **more):
    """Presses one of the buttons on the page of one."""
    r = client.get(path, params={"do": "remove"} if what == "remove" else {})
    form = next(f for f in Page(r).forms if f["action"] == path and any(
        x["tag"] == "button" and x["value"] == what for x in f["fields"]))
    data = {x["name"]: x["value"] for x in form["fields"]
            if x["tag"] == "input"}
    return client.post(path, data={**data, "do": what, **more})


def endpoint(**more):
    return {"Name": "refunds", "Address": f"https://a.example/{new_id()}",
            **more}


def channel(kind="mail", **more):
    address = {"mail": "a@example.com", "slack": "https://hooks.example/T/xyz9",
               "webhook": "https://b.example/in"}[kind]
    return {"Kind": kind, "Name": f"c-{new_id()}", "Address": address,
            "Message content": "title", **more}


def newest(db, name="%"):
    return db.execute("SELECT id::text FROM endpoint WHERE name LIKE %s "
                      "ORDER BY created_at DESC LIMIT 1", [name]).fetchone()[0]


def make(admin, db, path=LISTS[0], values=None):
    values = values or (endpoint() if path == LISTS[0] else channel())
    r = send(admin, path, values)
    assert r.status_code in (200, 303), Page(r).text
    return f"{path}/{newest(db, values['Name'])}"


def column(db, path, name):
    return db.execute(f"SELECT {name} FROM endpoint WHERE id = %s",
                      [path.rpartition("/")[2]]).fetchone()[0]


# --- Who may --------------------------------------------------------------

SETTINGS = [r for r in ROUTES if r.pattern.startswith("/settings")]


def test_operators_see_their_own_settings_alone(operator, admin, auditor):
    for row in SETTINGS:
        r = operator.request(row.method, fill(row.pattern))
        assert (r.status_code == 403) == ("operator" not in row.roles or
                                          row.method == "POST"), row.name
        if r.status_code == 403:
            assert "This is not allowed" in Page(r).text
    assert '"/settings/endpoints"' not in operator.get(
        "/settings/profile").text
    for client in (admin, auditor):
        assert 'href="/settings/endpoints"' in client.get(
            "/settings/profile").text
    for client in (operator, admin, auditor):
        assert 'href="/settings/profile"' in client.get("/inbox").text


def test_auditors_read_and_change_nothing(admin, auditor, db):
    one = make(admin, db)
    for row in SETTINGS:
        r = auditor.request(row.method, fill(row.pattern))
        changes = row.method == "POST" or row.roles == {"admin"}
        assert (r.status_code == 403) == changes, row.name
    for path in (*LISTS, "/settings/deliveries"):
        r = auditor.get(path)
        assert r.status_code == 200
        page = Page(r)
        assert {f["action"] for f in page.forms} == {"/logout", "/inbox"}
        assert one not in r.text
    assert "refunds" in Page(auditor.get(LISTS[0])).text


@route("GET /settings")
def test_settings_begin_with_oneself(admin, operator):
    for client in (admin, operator):
        r = client.get("/settings")
        assert r.status_code == 303
        assert r.headers["location"] == "/settings/profile"


@pytest.mark.parametrize("wrong", [
    {"csrf": ""}, {"csrf": "A" * 60}, {"Origin": "https://evil.example"},
    {"Sec-Fetch-Site": "cross-site"}])
def test_every_form_has_its_token_and_its_origin(admin, db, wrong):
    one = make(admin, db)
    headers = {k: v for k, v in wrong.items() if k != "csrf"}
    before = db.execute("SELECT count(*), max(name), max(secret) FROM "
                        "endpoint").fetchone()
    for path in (*LISTS, one, "/settings/deliveries/" + kit.ANY_ID):
        token = Page(admin.get(LISTS[0])).data("/logout")["csrf"]
        data = {"do": "rotate", "csrf": wrong.get("csrf", token)}
        r = admin.post(path, data=data, headers=headers)
        assert r.status_code == 403, path
    assert before == db.execute("SELECT count(*), max(name), max(secret) FROM "
                                "endpoint").fetchone()


@pytest.mark.parametrize("path", LISTS)
def test_what_is_not_there(admin, db, path):
    other = make(admin, db, LISTS[path == LISTS[0]])
    token = Page(admin.get(path)).data("/logout")["csrf"]
    for id_ in (new_id(), "x", other.rpartition("/")[2]):
        assert admin.get(f"{path}/{id_}").status_code == 404
        r = admin.post(f"{path}/{id_}", data={"csrf": token, "do": "pause"})
        assert r.status_code == 404
    one = make(admin, db, path)
    assert admin.get(one, params={"do": "pause"}).status_code == 400
    assert admin.post(one, data={"csrf": token}).status_code == 400
    assert admin.post(one, data={"csrf": token,
                                 "do": "x"}).status_code == 400
    assert column(db, one, "paused_at") is None


@pytest.mark.parametrize("path, values", [
    (LISTS[0], endpoint), (LISTS[1], channel),
    ("/settings/people", lambda: {"E-mail": f"{new_id()}@example.com",
                                  "Name": "Old Page"}),
    ("/settings/keys", lambda: {"Label": "old page", "Role": "auditor"})])
def test_a_list_without_do_saves(admin, path, values):
    """The contract does not ask for it, and older pages do not send it."""
    csrf = Page(admin.get(path)).data("/logout")["csrf"]
    assert admin.post(path, data={"csrf": csrf}).status_code == 422
    data = filled(admin, path, values())
    assert data.pop("do") == "save"
    assert admin.post(path, data=data).status_code == 303


# --- Endpoints ------------------------------------------------------------

@route("GET /settings/endpoints")
@route("POST /settings/endpoints")
def test_registering_an_endpoint(admin, db):
    values = endpoint(**{
        "Name": "The eu platform", "Agent": "refunds-agent",
        "Outcomes": ["intent_authorized", "intent_vetoed"]})
    r = send(admin, LISTS[0], values)
    assert r.status_code == 303
    secret = once(r, admin)
    assert SECRET.fullmatch(secret)
    row = db.execute("SELECT kind, address, agent, event_types, internal, "
                     "secret, created_by FROM endpoint WHERE id = %s",
                     [newest(db)]).fetchone()
    assert row[:6] == ("agent", values["Address"], "refunds-agent",
                       ["intent_authorized", "intent_vetoed"], False, secret)
    assert row[6].startswith("admin-")
    page = admin.get(LISTS[0])
    assert secret not in page.text  # once
    for word in ("The eu platform", values["Address"], "refunds-agent",
                 "Approved; Rejected", "Active", "none pending"):
        assert word in Page(page).text, word


@pytest.mark.parametrize("change, field, says", [
    ({"Name": ""}, "Name", ""), ({"Name": "x" * 121}, "Name", "long"),
    ({"Name": " "}, "Name", ""), ({"Address": ""}, "Address", ""),
    ({"Address": "http://a.example/"}, "Address", "https"),
    ({"Address": "https://u:p@a.example/"}, "Address", ""),
    ({"Address": "https://a.example/#x"}, "Address", ""),
    ({"Address": "https://"}, "Address", ""),
    ({"Address": "https://a b/"}, "Address", ""),
    ({"Address": "https://a.example/" + "x" * 2000}, "Address", "long"),
    ({"Address": "javascript:alert(1)"}, "Address", ""),
    ({"Address": "https://127.0.0.1/"}, "Address", "private"),
    ({"Address": "https://[fd00::1]:8443/"}, "Address", "private"),
    ({"Agent": "two words"}, "Agent", ""), ({"Agent": "*"}, "Agent", ""),
    ({"Outcomes": ["nothing"]}, "Outcomes", "")])
def test_what_an_endpoint_may_not_be(admin, db, change, field, says):
    n = db.execute("SELECT count(*) FROM endpoint").fetchone()
    values = endpoint(**change)
    r = send(admin, LISTS[0], values)
    assert r.status_code == 422
    name = fields(r)[field]
    page = Page(r)
    assert "1 field needs a change" in page.text
    assert f'href="#{name}"' in r.text and says in page.text
    for label in ("Name", "Address"):  # kept
        assert page.value(LISTS[0], fields(r)[label]) == values[label]
    assert not SECRET.search(r.text)
    assert db.execute("SELECT count(*) FROM endpoint").fetchone() == n


def test_the_same_address_twice(admin):
    values = endpoint(Agent="one-agent")
    assert send(admin, LISTS[0], values).status_code == 303
    r = send(admin, LISTS[0], values)
    assert r.status_code == 422
    assert f'href="#{fields(r)["Address"]}"' in r.text
    assert send(admin, LISTS[0],
                {**values, "Agent": "two-agent"}).status_code == 303


@route("GET /settings/endpoints/{id}")
@route("POST /settings/endpoints/{id}")
def test_changing_an_endpoint(admin, db):
    one = make(admin, db)
    secret = column(db, one, "secret")
    r = admin.get(one)
    assert "Agent" not in fields(r) and secret not in r.text
    r = send(admin, one, {"Name": "Other", "Outcomes": ["intent_resumed"],
                          INTERNAL: "true"})
    assert r.status_code == 303 and r.headers["location"] == LISTS[0]
    assert column(db, one, "name") == "Other"
    assert column(db, one, "event_types") == ["intent_resumed"]
    assert column(db, one, "internal") is True
    assert column(db, one, "secret") == secret
    assert "internal address" in Page(admin.get(LISTS[0])).text
    inside = {"Address": f"https://10.0.0.1/{new_id()}"}
    assert send(admin, one, inside).status_code == 303
    for wrong in ({"Name": ""}, {INTERNAL: ""}):
        r = send(admin, one, wrong)
        assert r.status_code == 422, wrong
    assert column(db, one, "name") == "Other"


def test_a_name_is_only_shown(admin, db):
    one = make(admin, db, values=endpoint(Name=HOSTILE))
    for path in (LISTS[0], one, one + "?do=remove"):
        r = admin.get(path)
        assert r.status_code == 200
        assert "<script>alert" not in r.text
        assert not HIDDEN.search(Page(r).text), path
        assert "U+202E" in Page(r).text
    act(admin, one, "remove")


@pytest.mark.parametrize("path", LISTS)
def test_pausing_and_going_on(admin, db, path):
    one = make(admin, db, path)
    r = act(admin, one, "pause")
    assert r.status_code == 303 and r.headers["location"] == one
    assert column(db, one, "paused_at") is not None
    assert "Paused" in Page(admin.get(path)).text
    act(admin, one, "resume")
    assert column(db, one, "paused_at") is None


def test_one_that_is_gone_can_come_back(admin, db):
    one = make(admin, db)
    db.execute("UPDATE endpoint SET gone_at = now() WHERE id = %s",
               [one.rpartition("/")[2]])
    assert "Disabled (410)" in Page(admin.get(LISTS[0])).text
    assert "410" in Page(admin.get(one)).text
    act(admin, one, "resume")
    assert column(db, one, "gone_at") is None


def test_a_new_secret_is_shown_once(admin, db):
    one = make(admin, db)
    old = column(db, one, "secret")
    page = admin.get(one)
    r = act(admin, one, "rotate")
    assert r.status_code == 303
    new = once(r, admin)
    assert new != old and SECRET.fullmatch(new)
    assert column(db, one, "secret") == new
    assert column(db, one, "previous_secret") == old
    assert column(db, one, "previous_secret_until") is not None
    assert new not in admin.get(one).text
    # The form of the page before does not throw the new one away.
    data = next({x["name"]: x["value"] for x in f["fields"]}
                for f in Page(page).forms
                if any(x["value"] == "rotate" for x in f["fields"]))
    r = admin.post(one, data={**data, "do": "rotate"})
    assert r.status_code == 409 and not SECRET.search(r.text)
    assert column(db, one, "secret") == new


def test_a_channel_that_signs_nothing_has_no_secret(admin, db):
    one = make(admin, db, LISTS[1])
    token = Page(admin.get(one)).data(one)["csrf"]
    r = admin.post(one, data={"csrf": token, "do": "rotate"})
    assert r.status_code == 422 and "endpoint.secret" in Page(r).text
    assert column(db, one, "secret") is None


def test_removing_takes_two_steps(admin, db, server):
    one = make(admin, db)
    deliver(db, server, one, 3)
    r = admin.get(one, params={"do": "remove"})
    assert "3 pending deliveries fail" in Page(r).text
    assert column(db, one, "removed_at") is None
    assert "3 pending" in Page(admin.get(LISTS[0])).text
    r = act(admin, one, "remove")
    assert r.status_code == 303 and r.headers["location"] == LISTS[0]
    assert column(db, one, "removed_at") is not None
    assert admin.get(one).status_code == 404
    states = db.execute("SELECT DISTINCT state FROM delivery WHERE "
                        "endpoint_id = %s", [one.rpartition("/")[2]])
    assert states.fetchall() == [("failed",)]


# --- Channels -------------------------------------------------------------

@route("GET /settings/channels")
@route("POST /settings/channels")
def test_making_a_mail_channel(admin, db):
    values = channel(**{
        "Address": "a@example.com , b@example.com",
        "Message content": "summary",
        "Allowed recipients": "@example.com\r\n\r\n c@example.org \r\n",
        "Default channel: also for requests that name no channel": "true"})
    r = send(admin, LISTS[1], values)
    assert r.status_code == 303 and r.headers["location"] == LISTS[1]
    row = db.execute("SELECT kind, name, address, notify_to, detail, "
                     "every_question, secret FROM endpoint WHERE id = %s",
                     [newest(db)]).fetchone()
    assert row == ("mail", values["Name"], "a@example.com,b@example.com",
                   ["@example.com", "c@example.org"], "summary", True, None)
    text = Page(admin.get(LISTS[1])).text
    for word in (values["Name"], "Mail", "@example.com, c@example.org",
                 "default channel"):
        assert word in text, word


@route("GET /settings/channels/{id}")
@route("POST /settings/channels/{id}")
def test_a_slack_address_is_never_shown_again(admin, db):
    one = make(admin, db, LISTS[1], channel("slack"))
    for path in (LISTS[1], one):
        r = admin.get(path)
        assert "/T/x" not in r.text
        assert "https://hooks.example/…xyz9" in Page(r).text
    r = send(admin, one, {"Name": "on-call"})
    assert r.status_code == 303
    assert column(db, one, "address") == "https://hooks.example/T/xyz9"
    r = send(admin, one, {"Address": "https://hooks.example/T/other"})
    assert column(db, one, "address") == "https://hooks.example/T/other"
    act(admin, one, "remove")


def test_a_webhook_channel_has_a_secret(admin, db):
    r = send(admin, LISTS[1], channel("webhook"))
    assert r.status_code == 303
    assert once(r, admin) == db.execute(
        "SELECT secret FROM endpoint WHERE id = %s",
        [newest(db)]).fetchone()[0]
    one = make(admin, db, LISTS[1], channel("mail"))
    assert "New secret" not in Page(admin.get(one)).text
    token = Page(admin.get(one)).data(one)["csrf"]
    r = admin.post(one, data={"csrf": token, "do": "rotate"})
    assert r.status_code == 422


@pytest.mark.parametrize("change, field", [
    ({"Kind": ""}, "Kind"), ({"Kind": "agent"}, "Kind"), ({"Name": ""}, "Name"),
    ({"Address": ""}, "Address"), ({"Address": "a@b@c"}, "Address"),
    ({"Address": "a@example.com\nBcc: b@example.com"}, "Address"),
    ({"Address": "https://a.example"}, "Address"),
    ({"Kind": "slack", "Address": "a@example.com"}, "Address"),
    ({"Kind": "webhook", "Address": "http://a.example"}, "Address"),
    ({"Kind": "slack", "Address": "https://10.0.0.1/x"}, "Address"),
    ({"Allowed recipients": "anybody"}, "Allowed recipients"),
    ({"Allowed recipients": "\n".join(["a@example.com"] * 65)},
     "Allowed recipients"),
    ({"Message content": "more"}, "Message content")])
def test_what_a_channel_may_not_be(admin, db, change, field):
    n = db.execute("SELECT count(*) FROM endpoint").fetchone()
    values = channel(**change)
    r = send(admin, LISTS[1], values)
    assert r.status_code == 422
    assert f'href="#{fields(r)[field]}"' in r.text, Page(r).text
    assert Page(r).value(LISTS[1], fields(r)["Name"]) == values["Name"]
    assert db.execute("SELECT count(*) FROM endpoint").fetchone() == n


def test_two_channels_of_one_name(admin):
    values = channel()
    assert send(admin, LISTS[1], values).status_code == 303
    r = send(admin, LISTS[1], values)
    assert r.status_code == 422
    assert f'href="#{fields(r)["Name"]}"' in r.text


def test_the_ceiling_of_channels_is_told(admin, db):
    n = db.execute("SELECT count(*) FROM endpoint WHERE kind <> 'agent' AND "
                   "removed_at IS NULL").fetchone()[0]
    db.execute("INSERT INTO endpoint (id, kind, name, address, created_at, "
               "created_by) SELECT gen_random_uuid(), 'mail', 'full-' || g, "
               "'a@example.com', now(), 'test' FROM generate_series(1, %s) g",
               [64 - n])
    try:
        values = channel()
        r = send(admin, LISTS[1], values)
        assert r.status_code == 422 and "64 channels" in Page(r).text
        assert Page(r).value(LISTS[1], fields(r)["Name"]) == values["Name"]
    finally:
        db.execute("DELETE FROM endpoint WHERE name LIKE 'full-%'")


def test_the_form_of_a_new_one_is_a_page(admin, auditor, operator):
    for path, new in ((LISTS[0], "New endpoint"), (LISTS[1], "New channel"),
                      ("/settings/people", "New person"),
                      ("/settings/keys", "New key"),
                      ("/settings/rules", "New rule"),
                      ("/settings/resources", "New resource")):
        page = Page(admin.get(path))
        assert new in page.text
        assert {f["action"] for f in page.forms} == {"/logout", "/inbox"}
        page = Page(admin.get(path, params={"do": "new"}))
        assert page.data(path)["do"] == "save"
        # An auditor is shown no form.
        r = auditor.get(path)
        assert new not in Page(r).text and "?do=new" not in r.text
        r = auditor.get(path, params={"do": "new"})
        assert not any(f["action"] == path for f in Page(r).forms)
        assert operator.get(path, params={"do": "new"}).status_code == 403


def test_what_fails_is_said_where_an_admin_sees_it(admin, auditor, operator,
                                                   db, server):
    mark = "A channel or an endpoint is failing"
    # Those of other tests are none of this one's.
    others = [i for i, in db.execute(
        "UPDATE endpoint SET paused_at = now() WHERE paused_at IS NULL AND "
        "removed_at IS NULL RETURNING id")]
    assert mark not in admin.get("/inbox").text
    path = make(admin, db, LISTS[1])
    done, = deliver(db, server, path, state="delivered", tries=1)
    waits, = deliver(db, server, path, tries=2, answer="503")
    try:
        db.execute("INSERT INTO delivery_try VALUES (%s, 1, "
                   "'2026-11-20T03:12:04Z', 9, 503, 'x')", [waits])
        r = admin.get(LISTS[1])
        row = re.search(rf'href="{path}".*?</tr>', r.text, re.S)[0]
        assert "Failing" in row and "since 20 Nov 2026 03:12:04" in row
        assert "last success" in row and "1 pending" in row
        assert re.search(r'href="/settings/channels"[^>]*>Channels</a>'
                         r'<span class="fails">', r.text)
        assert "Failing since 20 Nov 2026" in Page(admin.get(path)).text
        assert mark in admin.get("/inbox").text
        for client in (auditor, operator):
            assert mark not in client.get("/inbox").text
        # A pause is no failure.
        act(admin, path, "pause")
        assert mark not in admin.get("/inbox").text
    finally:
        db.execute("DELETE FROM delivery_try WHERE delivery_id = %s", [waits])
        db.execute("DELETE FROM delivery WHERE id = ANY (%s)", [[done, waits]])
        db.execute("UPDATE endpoint SET removed_at = now() WHERE id = %s",
                   [path.rpartition("/")[2]])
        db.execute("UPDATE endpoint SET paused_at = NULL WHERE id = ANY (%s)",
                   [others])


# --- The log --------------------------------------------------------------

def deliver(db, server, one, n=1, state="pending", **more):
    """Deliveries to an endpoint, as if a question had ended."""
    with server.client("agent", agent="refunds-agent") as agent:
        asked = kit.ask(agent, title=more.pop("title", None))
    row = {"type": "intent_authorized", "body": '{"type":"x"}', "tries": 0,
           "answer": None, "recipient": None, **more}
    pending = state == "pending"
    return [db.execute(
        "INSERT INTO delivery (id, endpoint_id, intent_id, suspension_id, "
        "event_sequence, type, recipient, body, state, tries, next_at, "
        "created_at, ended_at, answer) VALUES (gen_random_uuid(), %s, %s, %s, "
        "2, %s, %s, %s, %s, %s, CASE WHEN %s THEN now() + interval '1 hour' "
        "END, clock_timestamp(), CASE WHEN %s THEN NULL ELSE now() END, %s) "
        "RETURNING id::text",
        [one.rpartition("/")[2], asked["intent_id"], asked["suspension_id"],
         row["type"], row["recipient"], row["body"], state, row["tries"],
         pending, pending, row["answer"]]).fetchone()[0] for _ in range(n)]


@pytest.fixture
def one(admin, db):
    """An endpoint that is paused, so that nothing is really sent to it."""
    path = make(admin, db)
    act(admin, path, "pause")
    yield path
    db.execute("DELETE FROM delivery WHERE endpoint_id = %s",
               [path.rpartition("/")[2]])


@route("GET /settings/deliveries")
def test_the_log_has_its_columns(admin, auditor, db, server, one):
    waits, = deliver(db, server, one, title="Refund 4,711?", tries=3,
                     answer="503 Service Unavailable", recipient="night desk")
    failed, = deliver(db, server, one, state="failed", tries=1,
                      answer="410, the endpoint is gone")
    for client in (admin, auditor):
        r = client.get("/settings/deliveries")
        text = Page(r).text
        for word in ("Approved", "Refund 4,711?", "to night desk",
                     "503 Service Unavailable", "410, the endpoint is gone",
                     "failed", "Last 24 hours"):
            assert word in text, word
        assert r.text.index(failed) < r.text.index(waits)  # newest first


def log(client, **query):
    r = client.get("/settings/deliveries", params=query)
    assert r.status_code == 200, r.text
    return re.findall(r'href="/settings/deliveries/([0-9a-f-]{36})"', r.text)


def test_filters_and_pages_of_the_log(admin, db, server, one):
    id_ = one.rpartition("/")[2]
    waits = deliver(db, server, one, 52)[::-1]
    sent = deliver(db, server, one, 2, "delivered")[::-1]
    assert log(admin, endpoint=id_, state="pending") == waits[:50]
    assert log(admin, endpoint=id_, state="delivered") == sent
    assert log(admin, endpoint=id_, state="failed") == []
    first = log(admin, endpoint=id_)
    assert first == (sent + waits)[:50]
    r = admin.get("/settings/deliveries", params={"endpoint": id_})
    older = re.search(r'href="([^"]*after=[^"]*)"', r.text)[1]
    older = older.replace("&amp;", "&")
    assert f"endpoint={id_}" in older
    r = admin.get(older)
    rest = re.findall(r'href="/settings/deliveries/([0-9a-f-]{36})"', r.text)
    assert first + rest == sent + waits
    assert "First page" in Page(r).text
    assert "Only deliveries to" in Page(r).text


@pytest.mark.parametrize("query", [
    {"state": "x"}, {"state": ""}, {"endpoint": "x"}, {"after": "x"},
    {"after": kit.ANY_ID}, {"sort": "up"}])
def test_no_such_view_of_the_log(admin, query):
    assert admin.get("/settings/deliveries",
                     params=query).status_code == 400


def test_a_removed_endpoint_keeps_its_log(admin, db, server, one):
    deliver(db, server, one)
    act(admin, one, "remove")
    assert len(log(admin, endpoint=one.rpartition("/")[2])) == 1
    r = admin.get("/settings/deliveries", params={"endpoint": new_id()})
    assert "a removed endpoint" in Page(r).text


@route("GET /settings/deliveries/{id}")
def test_what_was_sent_is_shown_to_the_byte(admin, auditor, db, server, one):
    body = ('{"type": "intent_vetoed",\n "data": {"reason": "'
            + HOSTILE.replace('"', "'") + '", "n": 1.50}}')
    id_, = deliver(db, server, one, body=body, tries=2, answer=HOSTILE,
                   recipient=HOSTILE, type="intent_vetoed")
    for n, (ms, status, answer) in enumerate((
            (15000, None, "it did not answer"), (240, 503, HOSTILE)), 1):
        db.execute("INSERT INTO delivery_try VALUES (%s, %s, now(), %s, %s, "
                   "%s)", [id_, n, ms, status, answer])
    for client in (admin, auditor):
        r = client.get(f"/settings/deliveries/{id_}")
        text = Page(r).text
        for word in (id_, "15.0 s", "240 ms", "503", "it did not answer",
                     "U+202E", "1.50", "3 hidden characters shown"):
            assert word in text, word
        assert not HIDDEN.search(text)
        assert "<script>alert" not in r.text
    assert "Send" not in Page(auditor.get(f"/settings/deliveries/{id_}")).text


@route("POST /settings/deliveries/{id}")
@pytest.mark.parametrize("state", ["pending", "delivered", "failed"])
def test_sending_one_again(admin, db, server, one, state):
    id_, = deliver(db, server, one, state=state, tries=9)
    path = f"/settings/deliveries/{id_}"
    page = Page(admin.get(path))
    data = page.data(path)
    assert ("all that failed" in page.text) == (state == "failed")
    # A form has to name its action.
    r = admin.post(path, data={"csrf": data["csrf"]})
    assert r.status_code == 400 and "request.form" in Page(r).text
    r = admin.post(path, data=data)
    assert r.status_code == 303 and r.headers["location"] == path
    row = db.execute("SELECT state, tries, next_at <= clock_timestamp() FROM "
                     "delivery WHERE id = %s", [id_]).fetchone()
    assert row == ("pending", 0, True)
    assert admin.get(path).status_code == 200


def test_sending_all_again_that_failed(admin, auditor, db, server, one):
    ids = [deliver(db, server, one, state="failed", tries=9)[0]
           for _ in range(3)]
    sent, = deliver(db, server, one, state="delivered", tries=1)
    path = f"/settings/deliveries/{ids[1]}"
    token = Page(admin.get(path)).data(path)["csrf"]
    r = auditor.post(path, data={"csrf": token, "do": "again_all"})
    assert r.status_code == 403
    r = admin.post(path, data={"csrf": token, "do": "again_all"})
    assert r.status_code == 303
    assert r.headers["location"].startswith("/settings/deliveries?endpoint=")
    rows = dict(db.execute(
        "SELECT id::text, state || tries FROM delivery WHERE id = ANY (%s)",
        [[*ids, sent]]).fetchall())
    assert rows == {**{id_: "pending0" for id_ in ids}, sent: "delivered1"}


def test_what_cannot_be_sent_again(admin, db, server, one):
    id_, = deliver(db, server, one, state="failed")
    path = f"/settings/deliveries/{id_}"
    data = Page(admin.get(path)).data(path)
    act(admin, one, "remove")
    r = admin.post(path, data=data)
    assert r.status_code == 409 and "delivery.endpoint" in Page(r).text
    for id_ in (new_id(), "x"):
        path = f"/settings/deliveries/{id_}"
        for r in (admin.get(path), admin.post(path, data=data)):
            assert r.status_code == 404 and "delivery.unknown" in Page(r).text


def test_reading_decides_nothing(admin, db, server, one):
    """No GET of a settings page changes a row."""
    id_, = deliver(db, server, one)
    before = db.execute("SELECT md5(string_agg(e::text, '|' ORDER BY e::text))"
                        " FROM endpoint e").fetchone()
    for query in ({}, {"do": "remove"}):
        assert admin.get(one, params=query).status_code == 200
    assert admin.get(f"/settings/deliveries/{id_}").status_code == 200
    assert before == db.execute(
        "SELECT md5(string_agg(e::text, '|' ORDER BY e::text)) FROM "
        "endpoint e").fetchone()
    assert db.execute("SELECT state FROM delivery WHERE id = %s",
                      [id_]).fetchone() == ("pending",)
