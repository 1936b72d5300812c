"""Safety of the pages: ending another person's session takes a second step, a
secret is shown until it was stored, typed text is not lost, and a reader sees
exactly the thing they decide on."""
import html
import re

import kit
import pytest
from page import Page, logged, once, press, send

CHOICES = [{"value": "approve", "label": "Approve", "effect": "authorize"},
           {"value": "reject", "label": "Reject", "effect": "veto"}]
PEOPLE, SESSIONS = "/settings/people", "/settings/sessions"


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
    ("disable", "Disable"), ("password", "Reset the password of")])
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
    # An action that was done meanwhile is not offered again.
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
    assert f"Sign out the session of {them.name}, " in Page(asked).text
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
        assert "Nothing is changed yet." in Page(asked).text
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


# --- A6: the head of a decision for many ----------------------------------

def picked(client, *asked, answer="approve"):
    page = client.get("/settings/profile")
    return client.post("/inbox/confirm", data={
        "csrf": Page(page).data("/logout")["csrf"], "answer": answer,
        "pick[]": [f"{a['suspension_id']}:{a['subject_sha256']}"
                   for a in asked]})


def refund(agent, order, **more):
    return kit.ask(agent, title=f"Refund of {order}",
                   **{"subject": {"order": order, "amount": 20},
                      "severity": "low", "choices": CHOICES, **more})


def head(r):
    """The text before the form."""
    return Page(r).text.split("Comment")[0]


@pytest.mark.route("POST /inbox/confirm")
def test_A6_the_head_says_how_many_are_left_out_and_why(agent, operator,
                                                        person):
    me, other = person("operator"), person("operator")
    some = [refund(agent, kit.new_id()) for _ in range(3)]
    some[0] = refund(agent, kit.new_id(), severity="medium")
    high = [refund(agent, kit.new_id(), severity="high") for _ in range(2)]
    text = kit.ask(agent, response_type="text", choices=None, severity="low")
    taken = refund(agent, kit.new_id(), responder={"mode": "named",
                                                   "who": other.email})
    done = refund(agent, kit.new_id())
    assert kit.answer(operator, done).status_code == 200
    r = picked(me.client, *some, *high, text, taken, done)
    seen = head(r)
    assert "Approve 3 requests?" in seen
    assert "5 left out" in seen, seen
    assert "2: Above your limit (medium)." in seen
    assert "1: It has no simple approval." in seen
    assert "1: It was answered in the meantime." in seen
    assert "3 requests, up to medium risk" in seen
    assert seen.index("left out") < r.text.index("h-run")


def test_A6_nothing_left_out_is_not_spoken_of(agent, person):
    seen = head(picked(person("operator").client,
                       refund(agent, kit.new_id())))
    assert "1 left out" not in seen
    assert "more than once" not in seen
    assert "1 request, low risk" in seen


def test_A6_the_same_details_are_told_of(agent, person):
    me, order = person("operator"), kit.new_id()
    one, two = refund(agent, order), refund(agent, order)
    plain = refund(agent, kit.new_id())
    r = picked(me.client, one, two, plain)
    seen = Page(r).text
    assert "2 have the same details as another open request" in head(r)
    assert seen.count("Same details as another open request") == 2
    assert seen.count("also in this list") == 2
    # A question that is not ticked is counted as well.
    r = picked(me.client, one, plain)
    assert "1 has the same details as another open request" in head(r)
    assert f'href="/suspensions/{two["suspension_id"]}"' in r.text
    assert "open, not in this list" in Page(r).text
    # They can be approved all the same.
    r = me.client.post("/inbox/decide", data=Page(picked(
        me.client, one, two)).data("/inbox/decide", **{"pick[]": [
            f"{a['suspension_id']}:{a['subject_sha256']}"
            for a in (one, two)]}))
    assert r.status_code == 303
    assert "2 approved." in Page(me.client.get(r.headers["location"])).text


def test_A6_without_details_nothing_is_the_same(agent, person):
    one, two = (kit.ask(agent, severity="low", context={},
                         choices=CHOICES) for _ in range(2))
    r = picked(person("operator").client, one, two)
    assert "Same details" not in Page(r).text


# --- A1: edits that go beyond what was asked ------------------------------

ASKED = {"action": {"name": "Refund", "provider": "Payments"},
         "target": "KES-EU-1", "scope_summary": "One refund",
         "consequence": "Money leaves", "reversible": True,
         "calls": [{"tool": "payments.refund", "args": {
             "amount": 99.5, "order": "KES-EU-1", "note": "A kind word"}}],
         "constraints": {"amount": 120}}


def edited(**args):
    """The subject with other arguments of its call, or other members."""
    more = {k: args.pop(k) for k in list(args) if k in ASKED}
    tool = args.pop("tool", "payments.refund")
    return {**ASKED, "calls": [{"tool": tool, "args": {
        **ASKED["calls"][0]["args"], **args}}], **more}


def approval(agent, **more):
    return kit.ask(agent, kind="approval", subject=ASKED, choices=None,
                   response_type=None, allow_edit=True, title="Refund 99.50",
                   **{"severity": "low", **more})


def edit(client, asked, subject, **more):
    return kit.answer(client, asked, "edit", subject=subject, **more)


@pytest.mark.parametrize("change", [
    {"amount": 100}, {"order": "KES-EU-10"}, {"more": 1},
    {"reversible": False}, {"amount": 121}, {"tool": "payments.refund_all"},
    {"target": "KES-EU-2"}, {"constraints": {"amount": 500}},
    {"constraints": {}}])
def test_A1_an_edit_beyond_what_was_asked_needs_a_reason(agent, operator,
                                                         change):
    asked = approval(agent)
    for reason in ({}, {"reason": " "}):
        r = edit(operator, asked, edited(**change), **reason)
        assert r.status_code == 422 and r.json()["code"] == "reason.missing"
        assert r.json()["at"] == "reason", r.text
    seen = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()
    assert seen["state"] == "pending"


@pytest.mark.parametrize("change", [
    {"amount": 99}, {"note": "Another kind word"},
    {"constraints": {"amount": 100}}])
def test_A1_less_needs_none(agent, operator, change):
    asked = approval(agent)
    r = edit(operator, asked, edited(**change))
    assert r.status_code == 200, r.text


@pytest.mark.parametrize("change, target", [
    ({"amount": 121}, "KES-EU-1"),
    ({"tool": "payments.refund_all"}, "KES-EU-1"),
    ({"constraints": {"amount": 500}}, "KES-EU-1"),
    ({"target": "KES-EU-2"}, "KES-EU-2")])
def test_A1_another_limit_tool_or_target_is_typed(agent, operator, change,
                                                  target):
    asked = approval(agent)
    for typed in ({}, {"typed": ""}, {"typed": "KES-EU-3"}):
        r = edit(operator, asked, edited(**change), reason="As agreed.",
                 **typed)
        assert kit.refused(r, 422, "typed.differs", "typed")["wanted"] == target
    r = edit(operator, asked, edited(**change), reason="As agreed.",
             typed=target)
    assert r.status_code == 200, r.text


def test_A1_what_stays_within_the_limits_is_not_typed(agent, operator):
    asked = approval(agent)
    r = edit(operator, asked, edited(amount=100), reason="Rounded up.")
    assert r.status_code == 200, r.text


# --- the same on the page ---

def at_respond(asked):
    return f"/suspensions/{asked['suspension_id']}/respond"


def shows(client, asked, choice):
    r = client.get(f"/suspensions/{asked['suspension_id']}",
                   params={"choice": choice})
    assert r.status_code == 200, r.text
    return Page(r)


def change(page, old, new):
    """The data that a browser sends with the field whose value is old set to
    new."""
    data = page.data("/respond")
    key = next(k for k, v in data.items() if v == old)
    return {**data, key: new}


@pytest.fixture(scope="module")
def me(person):
    return person("operator").client


def test_A1_the_difference_marks_what_goes_beyond(agent, me):
    asked = approval(agent)
    data = change(shows(me, asked, "edit"), "99.5", "4999.99")
    r = me.post(at_respond(asked), data={**data, "look": "edit"})
    assert r.status_code == 200, r.text
    seen = Page(r)
    assert "1 change goes beyond the request" in seen.text
    assert seen.text.count("Above the stated limit, 120.") == 2, seen.text
    assert "Approve with changes: amount 99.5 → 4,999.99" in seen.text
    assert len(re.findall(r'<tr class="beyond grave">', r.text)) == 1
    assert "Comment required" in seen.text
    assert "A comment is needed" not in seen.text  # looking is no mistake
    # Without the comment it does not count, and the difference stays.
    r = me.post(at_respond(asked),
                data={**seen.data("/respond"), "value": "edit"})
    assert r.status_code == 422
    assert "A comment is needed" in Page(r).text
    assert "4999.99" in Page(r).text and "beyond the request" in Page(r).text
    # With the comment alone neither: it is above the limit.
    again = {**Page(r).data("/respond"), "value": "edit", "reason": "agreed"}
    r = me.post(at_respond(asked), data=again)
    assert r.status_code == 422 and "KES-EU-1" in Page(r).text
    r = me.post(at_respond(asked), data={**again, "typed": "KES-EU-1"})
    assert r.status_code == 303, r.text


def test_A1_a_lower_value_is_not_marked(agent, me):
    asked = approval(agent)
    data = change(shows(me, asked, "edit"), "99.5", "9.5")
    seen = Page(me.post(at_respond(asked), data={**data, "look": "edit"}))
    assert "beyond" not in seen.text and "Comment optional" in seen.text
    r = me.post(at_respond(asked),
                data={**seen.data("/respond"), "value": "edit"})
    assert r.status_code == 303


def test_A1_the_heading_does_not_state_the_old_figure(agent, me):
    asked = approval(agent)
    data = change(shows(me, asked, "edit"), "99.5", "100")
    seen = Page(me.post(at_respond(asked), data={**data, "look": "edit"}))
    r = me.post(at_respond(asked), data={
        **seen.data("/respond"), "value": "edit", "reason": "rounded up"})
    assert r.status_code == 303, r.text
    done = me.get(f"/suspensions/{asked['suspension_id']}")
    heading = re.search(r"<h1[^>]*>(.*?)</h1>", done.text, re.S)[1]
    words = html.unescape(re.sub("<[^>]+>", "", heading))
    assert words == "Approved with changes: amount 99.5 → 100"
    assert "Above the requested value, 99.5." in Page(done).text
    assert "Requested: Refund 99.50" in Page(done).text


def test_A1_what_was_approved_as_asked_keeps_its_heading(agent, me):
    asked = approval(agent)
    assert kit.answer(me, asked).status_code in (401, 403)  # no key
    r = me.post(at_respond(asked), data=Page(me.get(
        f"/suspensions/{asked['suspension_id']}")).data(
            "/respond", value="approve"))
    assert r.status_code == 303
    done = me.get(f"/suspensions/{asked['suspension_id']}")
    assert "with changes" not in Page(done).text


# --- A8: a secret is shown until it is stored -----------------------------

KEYS, SECRETS = "/settings/keys", "/settings/secrets"


def make_key(boss, label):
    return send(boss.client, KEYS, {"Label": label, "Role": "operator"})


@pytest.mark.route("GET /settings/secrets/{id}")
@pytest.mark.route("POST /settings/secrets/{id}")
def test_A8_a_secret_is_shown_until_it_is_stored(boss, db, server):
    label = f"kept {kit.new_id()}"
    r = make_key(boss, label)
    assert r.status_code == 303
    path = r.headers["location"]
    assert path.startswith(SECRETS)
    shown = boss.client.get(path)
    secret = once(shown)
    assert label in Page(shown).text and len(secret) > 40
    assert shown.headers["cache-control"] == "no-store"
    # A reload sends nothing again and loses nothing.
    assert once(boss.client.get(path)) == secret
    assert db.execute("SELECT count(*) FROM api_key WHERE label = %s",
                      [label]).fetchone() == (1,)
    assert secret not in boss.client.get(KEYS).text
    r = press(boss.client, path, "stored")
    assert r.status_code == 303 and r.headers["location"] == KEYS
    gone = boss.client.get(path)
    assert gone.status_code == 404 and secret not in gone.text
    assert "secret.gone" in gone.text
    assert not logged(server, secret)


def test_A8_the_database_does_not_know_it(boss, db):
    r = make_key(boss, f"sealed {kit.new_id()}")
    secret = once(r, boss.client)
    sealed, session = db.execute(
        "SELECT sealed, session FROM secret_view WHERE id = %s",
        [r.headers["location"].split("/")[-1]]).fetchone()
    assert secret not in sealed
    assert db.execute("SELECT count(*) FROM operator_session WHERE "
                      "id_sha256 = %s", [session]).fetchone() == (1,)


def test_A8_it_is_shown_to_the_one_session_alone(boss, person, server):
    path = make_key(boss, f"own {kit.new_id()}").headers["location"]
    other = person("admin")
    with server.client(headers={"Accept": "text/html"},
                       transport=kit.elsewhere()) as second:
        assert boss.sign_in(second).status_code == 303
        for client in (other.client, second):
            assert client.get(path).status_code == 404
            r = client.post(path, data={
                "csrf": Page(client.get("/inbox")).data("/logout")["csrf"],
                "do": "stored"})
            assert r.status_code == 404
    assert once(boss.client.get(path))
    for wrong in ("x", kit.ANY_ID):
        assert boss.client.get(f"{SECRETS}/{wrong}").status_code == 404


def test_A8_it_is_gone_after_ten_minutes(boss, db):
    path = make_key(boss, f"late {kit.new_id()}").headers["location"]
    id_ = path.split("/")[-1]
    db.execute("UPDATE secret_view SET made_at = made_at - "
               "interval '601 seconds' WHERE id = %s", [id_])
    assert boss.client.get(path).status_code == 404


def test_A8_the_clock_deletes_what_is_left(server):
    with server.database("sayso_tick") as tick:
        tick.execute("DELETE FROM secret_view WHERE made_at < now() - "
                     "interval '1 hour'")
        with pytest.raises(Exception, match="permission denied"):
            tick.execute("SELECT sealed FROM secret_view")


# --- A9: single letter keys are a setting of each person -------------------

def test_A9_a_single_key_is_off_until_somebody_wants_it(person):
    me = person("operator").client
    assert "data-keys" not in me.get("/inbox").text
    for wish, there in (("once", True), ("twice", False)):
        assert send(me, "/settings/profile",
                    {"Answer shortcuts": wish}).status_code == 303
        assert ('data-keys="once"' in me.get("/inbox").text) is there


def test_A9_an_answer_is_final_and_the_page_says_so_before(agent, me):
    for more in ({"severity": "low"}, {"severity": "medium"},
                 {"response_type": "text", "choices": None}):
        asked = kit.ask(agent, **more)
        path = f"/suspensions/{asked['suspension_id']}"
        if more.get("severity") == "medium":
            path += "?choice=approve"
        assert "You cannot change the answer." in Page(me.get(path)).text


# --- A3: a session that ended while somebody answered ---------------------

def answering(db, one, asked, **typed):
    """The data that their browser sends once their session has ended."""
    data = Page(one.client.get(
        f"/suspensions/{asked['suspension_id']}")).data("/respond", **typed)
    db.execute("UPDATE operator_session SET revoked_at = now() WHERE "
               "principal_id = (SELECT id FROM principal WHERE email = %s)",
               [one.email])
    return one.client.post(at_respond(asked), data=data)


def signs_in_again(r, one, client=None):
    """The page that follows, which a reload asks for without a password."""
    who = client or one.client
    data = Page(r).data("/login", email=one.email, password=one.password)
    r = who.post("/login", data=data)
    if r.status_code == 303 and r.headers["location"].endswith("?kept=yes"):
        where = r.headers["location"]
        r = who.get(where)
        again = who.get(where)
        assert (again.status_code, again.url) == (r.status_code, r.url)
        assert re.sub(r"\d+", "0", Page(again).text) == \
            re.sub(r"\d+", "0", Page(r).text)
    return r


def is_open(agent, asked):
    return agent.get(f"/api/v1/suspensions/{asked['suspension_id']}"
                     ).json()["state"] == "pending"


@pytest.mark.route("POST /suspensions/{id}/respond")
def test_A3_what_was_typed_comes_back_after_signing_in(agent, db, person):
    one, asked = person("operator"), kit.ask(agent, severity="low")
    words = 'Half a "sentence"\n</textarea><b>'
    r = answering(db, one, asked, value="approve", reason=words)
    assert r.status_code == 401
    assert "Your answer was NOT recorded" in Page(r).text
    assert "location" not in r.headers and is_open(agent, asked)
    # A wrong password loses nothing.
    data = Page(r).data("/login", email=one.email, password="not this one")
    r = one.client.post("/login", data=data)
    assert r.status_code == 422
    assert "Your answer was NOT recorded" in Page(r).text
    r = signs_in_again(r, one)
    page = Page(r)
    assert "Your answer was NOT recorded" in page.text
    assert page.data("/respond")["reason"].splitlines() == words.splitlines()
    assert is_open(agent, asked)  # nothing is sent by itself
    r = one.client.post(at_respond(asked),
                        data=page.data("/respond", value="approve"))
    assert r.status_code == 303 and not is_open(agent, asked)


def test_A3_what_others_answered_meanwhile_is_shown_beside_it(
        agent, db, person, operator):
    one, asked = person("operator"), kit.ask(agent, severity="low")
    r = answering(db, one, asked, value="approve", reason="Typed too late.")
    assert kit.answer(operator, asked, "deny").status_code == 200
    r = signs_in_again(r, one)
    assert r.request.method == "GET"
    text = Page(r).text
    assert "session.ended" in text and "Typed too late." in text


def test_A3_another_person_is_not_shown_it(agent, db, person, server):
    one, other = person("operator"), person("operator")
    asked = kit.ask(agent, severity="low")
    r = answering(db, one, asked, value="approve", reason="my own words")
    r = signs_in_again(r, other, one.client)
    assert r.status_code == 303
    assert r.headers["location"] == f"/suspensions/{asked['suspension_id']}"
    assert "my own words" not in one.client.get(r.headers["location"]).text


def test_A3_it_was_decided_meanwhile(agent, operator, db, person):
    one, asked = person("operator"), kit.ask(agent, severity="low")
    r = answering(db, one, asked, value="reject", reason="too late, then")
    assert kit.answer(operator, asked).status_code == 200
    r = signs_in_again(r, one)
    assert r.request.method == "GET" and "too late, then" in Page(r).text


def test_A3_what_was_typed_is_shown_to_its_session_and_question_alone(
        agent, db, person):
    one, other = person("operator"), person("operator")
    asked, another = (kit.ask(agent, severity="low") for _ in range(2))
    page = signs_in_again(answering(db, one, asked, value="approve",
                                    reason="mine alone"), one)
    assert "mine alone" in page.text
    kept = one.client.cookies.get("sayso-kept")
    assert kept and "mine" in kept
    # The cookie goes to the page of its question, and counts for nobody else.
    for who, question, shown in ((one, asked, True), (one, another, False),
                                 (other, asked, False)):
        path = f"/suspensions/{question['suspension_id']}"
        r = who.client.get(f"{path}?kept=yes", headers={"Cookie": "; ".join(
            f"{k}={v}" for k, v in {**dict(who.client.cookies),
                                    "sayso-kept": kept}.items())})
        assert r.status_code == 200
        assert ("mine alone" in r.text) is shown, question
    assert "mine alone" not in one.client.get(
        f"/suspensions/{asked['suspension_id']}").text


def test_A3_what_is_long_comes_back_too(agent, db, person):
    one = person("operator")
    asked = kit.ask(agent, response_type="text", choices=None, severity="low")
    r = signs_in_again(answering(db, one, asked, value="long " * 3000), one)
    assert r.status_code == 422 and "long long long" in r.text


def test_A3_another_site_is_given_nothing_back(agent, db, server):
    asked = kit.ask(agent)
    with server.client(headers={"Accept": "text/html"}) as nobody:
        r = nobody.post(at_respond(asked), data={"csrf": "x", "reason": "bad"},
                        headers={"Origin": "https://evil.example",
                                 "Sec-Fetch-Site": "cross-site"})
    assert r.status_code == 303 and "bad" not in r.text
    assert r.headers["location"] == "/login"


def test_A3_what_is_too_long_is_not_carried(agent, db, person):
    one = person("operator")
    asked = kit.ask(agent, response_type="text", choices=None, severity="low")
    r = answering(db, one, asked, value="x" * 40000)
    assert r.status_code == 401 and "xxxx" not in r.text
    assert "too long to be kept" in Page(r).text


def test_A3_many_answers_were_not_recorded(agent, db, person):
    one, asked = person("operator"), refund(agent, kit.new_id())
    r = picked(one.client, asked)
    data = Page(r).data("/inbox/decide")
    db.execute("UPDATE operator_session SET revoked_at = now() WHERE "
               "principal_id = (SELECT id FROM principal WHERE email = %s)",
               [one.email])
    r = one.client.post("/inbox/decide", data=data)
    assert r.status_code == 401 and is_open(agent, asked)
    assert "Your answers were NOT recorded" in Page(r).text
