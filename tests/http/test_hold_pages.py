"""What the pages let slip: ending what is another's takes a second step, a
secret is shown until it was stored, what was typed is not lost, and what a
reader decides stands before them as it is."""
import html
import re

import kit
import pytest
from page import Page, logged, press, token

CHOICES = [{"value": "approve", "label": "Approve", "effect": "authorize"},
           {"value": "reject", "label": "Reject", "effect": "veto"}]
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
    """What stands before the form."""
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
    assert "Approve 3 questions?" in seen
    assert "5 of 8 are left out" in seen, seen
    assert "2: Over your bulk limit, medium risk." in seen
    assert "1: It has no plain yes." in seen
    assert "1: It was decided meanwhile." in seen
    assert "Highest among them: Medium" in seen
    assert seen.index("left out") < r.text.index("What will run")


def test_A6_nothing_left_out_is_not_spoken_of(agent, person):
    seen = head(picked(person("operator").client,
                       refund(agent, kit.new_id())))
    assert "of 1 is left out" not in seen
    assert "more than once" not in seen
    assert "Highest among them: Low" in seen


def test_A6_the_same_details_are_told_of(agent, person):
    me, order = person("operator"), kit.new_id()
    one, two = refund(agent, order), refund(agent, order)
    plain = refund(agent, kit.new_id())
    r = picked(me.client, one, two, plain)
    seen = Page(r).text
    assert "2 have the same details as another open request" in head(r)
    assert seen.count("Same details as another open request") == 2
    assert seen.count("also in this list") == 2
    # One that is not ticked is told of as well.
    r = picked(me.client, one, plain)
    assert "1 has the same details as another open request" in head(r)
    assert f'href="/suspensions/{two["suspension_id"]}"' in r.text
    assert "open, not in this list" in Page(r).text
    # They can be approved all the same.
    r = me.client.post("/inbox/decide", data=Page(picked(
        me.client, one, two)).data("/inbox/decide", **{"pick[]": [
            f"{a['suspension_id']}:{a['subject_sha256']}"
            for a in (one, two)]}))
    assert "2 approved" in Page(r).text


def test_A6_without_details_nothing_is_the_same(agent, person):
    one, two = (kit.ask(agent, severity="low", context={},
                         choices=CHOICES) for _ in range(2))
    r = picked(person("operator").client, one, two)
    assert "Same details" not in Page(r).text


# --- A1: edits that go beyond what was asked ------------------------------

ASKED = {"action": {"name": "Refund", "provider": "Payments"},
         "target": "KES-EU-1", "scope_summary": "One refund",
         "consequence": "Money leaves", "reversible": False,
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
    {"reversible": True}, {"amount": 121}, {"tool": "payments.refund_all"},
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


# --- the same on the page ---

def at_respond(asked):
    return f"/suspensions/{asked['suspension_id']}/respond"


def shows(client, asked, choice):
    r = client.get(f"/suspensions/{asked['suspension_id']}",
                   params={"choice": choice})
    assert r.status_code == 200, r.text
    return Page(r)


def change(page, old, new):
    """What a browser sends with the field that has old now saying new."""
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
    assert "1 change goes beyond what was asked for" in seen.text
    assert seen.text.count("Above the stated limit, 120.") == 2, seen.text
    assert "Approve with changes: amount 99.5 → 4,999.99" in seen.text
    assert len(re.findall(r'<tr class="beyond grave">', r.text)) == 1
    assert "Comment required" in seen.text
    assert "A comment is needed" not in seen.text  # to look is no mistake
    # Without the comment it does not count, and the difference stays.
    r = me.post(at_respond(asked),
                data={**seen.data("/respond"), "value": "edit"})
    assert r.status_code == 422
    assert "A comment is needed" in Page(r).text
    assert "4999.99" in Page(r).text and "beyond what" in Page(r).text


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
    assert "Above what was asked for, 99.5." in Page(done).text
    assert "Asked for: Refund 99.50" in Page(done).text


def test_A1_what_was_approved_as_asked_keeps_its_heading(agent, me):
    asked = approval(agent)
    assert kit.answer(me, asked).status_code in (401, 403)  # no key
    r = me.post(at_respond(asked), data=Page(me.get(
        f"/suspensions/{asked['suspension_id']}")).data(
            "/respond", value="approve"))
    assert r.status_code == 303
    done = me.get(f"/suspensions/{asked['suspension_id']}")
    assert "with changes" not in Page(done).text
