"""The words on the buttons are the server's: an agent's label never hides the
effect of a choice, and hidden parts of a page are not approved in one step."""
import json
import re

import pytest

from kit import answer, ask, new_id, record, refused
from kit import new_intent, patch, put, suspend
from page import Page

route = pytest.mark.route

SUBJECT = {"action": {"name": "refund"}, "target": "orders/12345",
           "scope_summary": "One order", "consequence": "The money is gone."}


@pytest.fixture(scope="module")
def me(person):
    return person("operator")


def choice(value, label, effect=None, **more):
    return {"value": value, "label": label, **more,
            **({"effect": effect} if effect else {})}


PAIR = [choice("pay", "Refund 499.99 EUR", "authorize", style="primary"),
        choice("keep", "Keep the money", "veto", style="danger")]


def approval(agent, choices=None, **more):
    return ask(agent, **{"kind": "approval", "subject": SUBJECT,
                         "severity": "low", "response_type": None,
                         "choices": choices, **more})


def at(asked):
    return f"/suspensions/{asked['suspension_id']}"


def page(who, asked, **query):
    r = who.client.get(at(asked), params=query)
    assert r.status_code == 200, r.text
    return r


def words(markup):
    """The text of a piece of a page."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", markup)).strip()


def buttons(r):
    """The words of each button that answers, by its tone."""
    return [(words(text), tone) for tone, text in re.findall(
        r'<(?:a|button) class="btn ([^"]*)"[^>]*(?:choice=|name="value")'
        r'[^>]*>(.*?)</(?:a|button)>', r.text, re.S)]


# --- H2: what an agent calls a choice ---------------------------------------

REFUSED = [
    ("choice.label_opposite", 0, {
        "kind": "approval", "severity": "low", "subject": SUBJECT,
        "choices": [choice("a", "Reject", "authorize"),
                    choice("b", "Approve", "veto")]}),
    ("choice.label_opposite", 0, {
        "kind": "approval", "subject": SUBJECT, "response_type": "confirm",
        "choices": [choice("yes", "No, stop", "authorize"),
                    choice("no", "Keep it", "veto")]}),
    ("choice.label_opposite", 1, {
        "severity": "critical",
        "choices": [choice("a", "Leave it alone", "veto"),
                    choice("b", "Deny (safe)", "authorize")]}),
    ("choice.label_equal", 1, {
        "choices": [choice("a", "Delete it", "authorize"),
                    choice("b", " delete\u200b IT", "veto")]}),
    ("choice.label_equal", 1, {
        "choices": [choice("a", "Caf\u00e9", "answer"),
                    choice("b", "Cafe\u0301", "none")]}),
    ("choice.label_opposite", 0, {
        "choices": [choice("a", "\uff2e\uff4f", "authorize")]}),
]


@pytest.mark.parametrize("code, i, body", REFUSED)
@route("POST /api/v1/suspensions")
def test_H2_a_label_says_no_other_thing_than_its_effect(agent, code, i, body):
    r = agent.post("/api/v1/suspensions", json={
        "question": "Go on?", "response_type": "choice", **body} if
        "response_type" not in body and "kind" not in body else
        {"question": "Go on?", **body})
    refused(r, 422, code, f"choices[{i}].label")


def test_H2_an_openintent_record_of_a_kind_is_held_to_it_too(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    r = patch(agent, intent, put("_suspension", record(
        kind="approval", subject=SUBJECT, severity="low",
        choices=[choice("a", "Reject", "authorize"),
                 choice("b", "Approve", "veto")])))
    refused(r, 422, "choice.label_opposite")


def test_H2_a_plain_record_keeps_its_labels(agent, me):
    """OpenIntent's own questions have no effects: nothing is refused, and
    equal labels are told apart by their values."""
    intent, asked = suspend(agent, choices=[
        choice("a", "Stop"), choice("b", "Caf\u00e9", style="primary"),
        choice("c", "Cafe\u0301", style="danger")])
    r = page(me, {"suspension_id": asked})
    assert buttons(r) == [("Stop", "plain"), ("Caf\u00e9 b", "plain"),
                          ("Cafe\u0301 c", "veto")]
    mirror = agent.get(f"/api/v1/intents/{intent['id']}").json()
    labels = [c["label"] for c in mirror["state"]["_suspension"]["choices"]]
    assert labels == ["Stop", "Caf\u00e9", "Cafe\u0301"]


@route("GET /suspensions/{id}")
def test_H2_the_button_says_what_it_does(agent, me):
    low = approval(agent, PAIR)
    assert buttons(page(me, low)) == [
        ("Approve: Refund 499.99 EUR", "auth filled"),
        ("Reject: Keep the money", "veto")]
    high = approval(agent, PAIR, severity="high")
    assert buttons(page(me, high)) == buttons(page(me, low))
    own = approval(agent)
    assert buttons(page(me, own)) == [("Approve", "auth filled"),
                                      ("Reject", "veto")]


def test_H2_the_agents_style_makes_no_button_the_one_to_press(agent, me):
    asked = ask(agent, choices=[
        choice("a", "Delete everything", "none", style="primary"),
        choice("b", "Leave", "veto", style="primary"),
        choice("c", "Rename", "authorize")])
    assert buttons(page(me, asked)) == [
        ("Approve: Rename", "auth filled"), ("Reject: Leave", "veto"),
        ("Delete everything", "plain")]


def test_H2_the_confirm_step_says_it_again(agent, me):
    asked = approval(agent, PAIR, severity="high")
    r = page(me, asked, choice="pay")
    assert "<h2>" in r.text
    heading = re.search(r'id="answer".*?<h2>(.*?)</h2>', r.text, re.S)[1]
    assert words(heading) == "Approve: Refund 499.99 EUR?"
    assert ("Approve: Refund 499.99 EUR", "auth filled") in buttons(r)
    r = page(me, asked, choice="keep")
    heading = re.search(r'id="answer".*?<h2>(.*?)</h2>', r.text, re.S)[1]
    assert words(heading) == "Reject: Keep the money?"


@route("POST /inbox/confirm")
def test_H2_so_does_the_page_of_several(agent, me):
    asked = approval(agent, PAIR)
    sha = agent.get("/api/v1" + at(asked)).json()["subject_sha256"]
    csrf = Page(me.client.get("/inbox")).data("/logout")["csrf"]
    for way, said in (("approve", "Approve: Refund 499.99 EUR"),
                      ("reject", "Reject: Keep the money")):
        r = me.client.post("/inbox/confirm", data={
            "csrf": csrf, "answer": way,
            "pick[]": f"{asked['suspension_id']}:{sha}"})
        assert r.status_code == 200, r.text
        assert said in words(r.text)


@route("POST /suspensions/{id}/respond")
@route("GET /decided.csv")
def test_H2_the_record_says_what_was_done(agent, me):
    title = f"Refund {new_id()}"
    asked = approval(agent, PAIR, title=title)
    data = Page(page(me, asked)).data("/respond", value="keep",
                                      reason="Too much.")
    assert me.client.post(at(asked) + "/respond",
                          data=data).status_code == 303
    seen = agent.get("/api/v1" + at(asked)).json()
    assert seen["value"] == "keep" and seen["outcome"] == "vetoed"
    assert seen["audit_summary"].startswith(
        'Rejected: "Reject: Keep the money", by ')
    assert "Reject: Keep the money" in words(page(me, asked).text)
    got = me.client.get("/decided.csv").text
    assert '"Reject: Keep the money"' in got


def test_H2_a_stale_answer_names_both(agent, me, operator):
    asked = approval(agent, PAIR)
    data = Page(page(me, asked)).data("/respond", value="keep", reason="No.")
    assert answer(operator, asked, "pay").status_code == 200
    r = me.client.post(at(asked) + "/respond", data=data)
    assert r.status_code == 409
    assert "Approve: Refund 499.99 EUR" in words(r.text)
    assert "Reject: Keep the money" in words(r.text)


def test_H2_silence_is_named_by_its_word(agent, me):
    asked = approval(agent, PAIR, timeout_seconds=600, fallback_value="keep",
                     fallback_policy="complete_with_fallback")
    assert 'with its default, "Reject: Keep the money".' in asked[
        "on_expiry"]
    assert "with its default, &quot;Reject: Keep the money&quot;." in words(
        page(me, asked).text)


# --- M5: what a page does not show --------------------------------------------

def calls(n, last="ls"):
    return {**SUBJECT, "calls": [
        {"tool": "shell.run", "args": {"cmd": "ls"}} for _ in range(n - 1)] + [
        {"tool": "shell.run", "args": {"cmd": last}}]}


def sentence(r):
    """The words of the confirm step about unseen facts; None: none."""
    found = re.search(r'name="unseen".*?<strong>(.*?)</strong>', r.text, re.S)
    return found and words(found[1])


def press(me, asked, r=None, **typed):
    r = r or page(me, asked)
    return me.client.post(at(asked) + "/respond",
                          data=Page(r).data("/respond", **typed))


def state(agent, asked):
    return agent.get("/api/v1" + at(asked)).json()["state"]


@route("POST /suspensions/{id}/respond")
def test_M5_three_hundred_and_one_calls(agent, me):
    """`rm /` stands in the last call, of which no row is in the open: low
    risk, and yet no yes without the step that says so."""
    asked = approval(agent, subject=calls(301, "rm /"))
    r = page(me, asked)
    data = Page(r).data("/respond", value="approve", reason="Seen it.")
    # A form that was made by somebody else gets the step too.
    for more in ({}, {"unseen": ""}, {"unseen": "0.0"}, {"unseen": "402"}):
        r = me.client.post(at(asked) + "/respond", data={**data, **more})
        assert r.status_code == 200, r.text
        assert state(agent, asked) == "pending"
        # 201 calls of two values each, and what the rows had no room for.
        assert re.fullmatch(r"[45]\d\d values are cut or folded on this page.",
                            sentence(r))
        assert Page(r).value("/respond", "reason") == "Seen it."
    raw = re.search(r'<details class="card fold" open>.*?</details>', r.text,
                    re.S)[0]
    assert 'href="#raw-facts"' in r.text and 'id="raw-facts"' in raw
    assert "rm /" in raw
    assert press(me, asked, r, value="approve").status_code == 303
    seen = agent.get("/api/v1" + at(asked)).json()
    assert seen["outcome"] == "authorized"


def test_M5_a_no_takes_one_step(agent, me):
    asked = approval(agent, subject=calls(301))
    assert press(me, asked, value="reject").status_code == 303
    assert state(agent, asked) == "resolved"


@pytest.mark.parametrize("more, said", [
    ({"subject": {**SUBJECT, "script": "x" * 201}}, "1 long text is"),
    ({"subject": {**SUBJECT, "script": "a\n" * 13, "b": "y" * 300}},
     "2 long texts are"),
    ({"subject": {**SUBJECT, "consequence": "Gone. " * 101}},
     "1 long text is"),
    ({"subject": {**SUBJECT, "k" * 201: 1}}, "1 long text is"),
    ({"subject": {**SUBJECT, "many": list(range(501)), "long": "z" * 999}},
     "2 values are"),
    ({"question": "Why? " * 500, "title": "Short"}, "1 long text is"),
])
def test_M5_what_is_cut_or_folded_is_said(agent, me, more, said):
    asked = approval(agent, **more)
    r = press(me, asked, value="approve")
    assert r.status_code == 200 and state(agent, asked) == "pending"
    assert sentence(r).startswith(said)
    assert press(me, asked, r, value="approve").status_code == 303


def test_M5_without_a_kind_and_for_what_has_no_effect(agent, me):
    context = {f"k{i}": "v" for i in range(510)}
    asked = ask(agent, context=context, severity="low", choices=[
        choice("go", "Go on", "authorize"), choice("plain", "Plain")])
    r = press(me, asked, value="go")
    assert sentence(r) == "10 values are cut or folded on this page."
    assert 'href="#raw-context"' in r.text
    assert press(me, asked, value="plain").status_code == 303


def test_M5_what_is_all_shown_takes_one_step(agent, me):
    asked = approval(agent, subject={**calls(100), "short": "x" * 200})
    assert sentence(page(me, asked, choice="approve")) is None
    assert press(me, asked, value="approve").status_code == 303


def test_M5_a_limit_is_not_confirmed_at_once_either(agent, me):
    asked = ask(agent, kind="cost_confirmation", severity="low", choices=None,
                response_type=None, subject={
                    "purpose": "Index. " * 100,
                    "estimate": {"amount": 10, "unit": "USD"},
                    "limit": {"amount": 20, "unit": "USD"}})
    r = press(me, asked, value="confirm")
    assert r.status_code == 200 and state(agent, asked) == "pending"
    assert sentence(r) == "1 long text is cut or folded on this page."
    assert press(me, asked, r, value="confirm").status_code == 303


def test_M5_what_is_typed_again_says_it_again(agent, me):
    """An error on the way keeps the step."""
    asked = approval(agent, subject={**SUBJECT, "script": "x" * 201},
                     choices=[choice("go", "Run it now", "authorize",
                                     reason="required"),
                              choice("no", "Leave it", "veto")])
    r = press(me, asked, value="go")
    r = press(me, asked, page(me, asked, choice="go"), value="go")
    assert r.status_code == 422 and sentence(r)
    assert state(agent, asked) == "pending"
    assert press(me, asked, r, value="go", reason="Read.").status_code == 303


@route("POST /inbox/decide")
def test_M5_it_is_not_approved_among_others(agent, me):
    asked = approval(agent, subject=calls(301, "rm /"))
    sha = agent.get("/api/v1" + at(asked)).json()["subject_sha256"]
    csrf = Page(me.client.get("/inbox")).data("/logout")["csrf"]
    r = me.client.post("/inbox/decide", data={
        "csrf": csrf, "answer": "approve",
        "pick[]": f"{asked['suspension_id']}:{sha}"})
    assert r.status_code == 200, r.text
    assert "too long for a list" in words(r.text)
    assert state(agent, asked) == "pending"


@route("POST /api/v1/suspensions")
def test_M5_more_than_anybody_reads_is_not_asked(agent, operator):
    values = {**SUBJECT, "many": list(range(2001))}
    r = agent.post("/api/v1/suspensions", json={
        "question": "Go on?", "kind": "approval", "subject": values})
    refused(r, 422, "subject.too_large", "subject")
    # A context is not a subject: its hidden parts take a second step.
    r = agent.post("/api/v1/suspensions", json={
        "question": "Go on?", "context": values})
    assert r.status_code == 201, r.text
    values["many"] = values["many"][:1990]
    approval(agent, subject=values)


def test_M5_the_context_of_a_plain_record_is_never_refused_for_it(agent):
    suspend(agent, context={f"k{i}": i for i in range(4000)})
