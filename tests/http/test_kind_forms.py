"""The fields by which a yes allows less, as they are posted: read exactly,
shown before they count, and no other posted value decides anything."""
import hashlib
import json
import re

import pytest

from kit import ask, answer
from page import Page

route = pytest.mark.route

SUBJECT = {
    "action": {"name": "refund", "provider": "payments"},
    "target": "orders/12345", "scope_summary": "One order",
    "consequence": "The money is gone.", "note": "two\r\nlines", "amount": 5,
    "notify": True,
    "constraints": {"max": 500, "lands": ["DE", "AT", 7], "unit": "EUR"}}
MODES = {"capability": "mail.send", "target": "support", "risk_text": "Some.",
         "duration": {"kind": "task", "seconds": 5400}, "consequence": "Mail."}
MONEY = {"purpose": "Index", "estimate": {"amount": 10, "unit": "USD"},
         "limit": {"amount": 18.50, "unit": "USD"}}


@pytest.fixture(scope="module")
def me(person):
    return person("operator")


def asks(agent, kind, subject, **more):
    return ask(agent, kind=kind, subject=subject, choices=None,
               response_type=None, **{"severity": "low", **more})


def approval(agent, **more):
    return asks(agent, "approval", SUBJECT, allow_edit=True, **more)


def permission(agent, **more):
    return asks(agent, "permission", MODES, **more)


def cost(agent, **more):
    return asks(agent, "cost_confirmation", MONEY, **more)


def at(asked):
    return f"/suspensions/{asked['suspension_id']}"


def show(who, asked, choice):
    r = who.client.get(at(asked), params={"choice": choice})
    assert r.status_code == 200, r.text
    return Page(r)


def fields(page):
    """The data that a browser would send, with every tick."""
    out = {}
    for f in page.form("/respond")["fields"]:
        name = f["name"]
        if not name or f["tag"] == "button":
            continue
        if f["type"] == "checkbox":
            out.setdefault(name, [])
            out[name] += [f["value"]] if f["on"] else []
        elif name.endswith("[]"):
            out.setdefault(name, []).append(f["value"])
        else:
            out[name] = f["value"]
    return out


def post(who, asked, data):
    return who.client.post(at(asked) + "/respond", data=data)


def read(client, asked):
    return client.get("/api/v1" + at(asked)).json()


def pending(client, asked):
    got = read(client, asked)
    return got["state"] == "pending" and got["value"] is None


def through(who, asked, choice, said=None, **typed):
    """Fills in, looks, confirms; returns the page with the difference."""
    said = {"reason": said} if said else {}
    data = {**fields(show(who, asked, choice)), **typed}
    r = post(who, asked, {**data, "look": choice})
    assert r.status_code == 200, r.text
    page = Page(r)
    r = post(who, asked, {**fields(page), **said, "value": choice})
    assert r.status_code == 303, r.text
    return page


# --- What counts ----------------------------------------------------------

@route("GET /suspensions/{id}")
@route("POST /suspensions/{id}/respond")
def test_a_limit(agent, me):
    asked = cost(agent)
    page = through(me, asked, "confirm", f1="7.5")
    assert "18.5 USD" in page.text and "7.5 USD" in page.text
    got = read(agent, asked)
    assert got["constraints"] == {"limit": 7.5}
    assert got["outcome"] == "authorized"


@pytest.mark.parametrize("n,unit,seconds", [
    ("90", "minutes", 5400), ("1", "hours", 3600), ("1", "seconds", 1)])
def test_a_time(agent, me, n, unit, seconds):
    asked = permission(agent)
    data = fields(show(me, asked, "allow_for"))
    assert (data["f1"], data["f2"]) == ("90", "minutes")
    through(me, asked, "allow_for", f1=n, f2=unit)
    assert read(agent, asked)["constraints"] == {"seconds": seconds}


def test_what_was_offered_needs_no_second_look(agent, me):
    for asked, choice in ((cost(agent), "confirm"),
                          (permission(agent), "allow_for")):
        data = fields(show(me, asked, choice))
        assert post(me, asked, {**data, "value": choice}).status_code == 303
        assert read(agent, asked)["outcome"] == "authorized"
    asked = cost(agent)
    data = {k: v for k, v in fields(show(me, asked, "confirm")).items()
            if k != "f1"}
    assert post(me, asked, {**data, "value": "confirm"}).status_code == 303
    assert not read(agent, asked).get("constraints")


# --- What has to be typed -------------------------------------------------

def grave(agent, **more):
    return permission(agent, severity="high", **more)


def test_a_grave_permission_counts_when_its_target_is_typed(agent, me):
    asked = grave(agent)
    page = show(me, asked, "allow_once")
    assert "Type support to confirm" in " ".join(page.text.split())
    data = {**fields(page), "value": "allow_once"}
    for typed in ("", " ", "suppor", "Support", "support now"):
        r = post(me, asked, {**data, "typed": typed})
        assert r.status_code == 422, typed
        assert "Type the value to confirm" in r.text
        assert 'href="#typed"' in r.text
        assert fields(Page(r))["typed"] == typed
    del data["typed"]
    assert post(me, asked, data).status_code == 422
    assert pending(agent, asked)
    r = post(me, asked, {**data, "typed": " support "})
    assert r.status_code == 303
    assert read(agent, asked)["constraints"] == {"uses": 1}


def test_a_no_needs_nothing_typed_nor_does_what_is_not_grave(agent, me):
    asked = grave(agent)
    page = show(me, asked, "deny")
    assert "typed" not in fields(page)
    assert post(me, asked, {**fields(page), "value": "deny"}).status_code == 303
    for severity in ("low", "medium"):
        page = show(me, permission(agent, severity=severity), "allow_once")
        assert "typed" not in fields(page)


def test_a_shorter_time_is_looked_at_and_typed(agent, me):
    asked = grave(agent)
    data = {**fields(show(me, asked, "allow_for")), "f1": "20"}
    r = post(me, asked, {**data, "look": "allow_for", "typed": "sup"})
    assert r.status_code == 200
    data = fields(Page(r))
    assert data["typed"] == "sup"
    r = post(me, asked, {**data, "value": "allow_for"})
    assert r.status_code == 422 and pending(agent, asked)
    through(me, asked, "allow_for", f1="20", typed="support")
    assert read(agent, asked)["constraints"] == {"seconds": 1200}


@pytest.mark.parametrize("target", ["a\u200bb", "x" * 61, "one\ntwo",
                                    "\u202eevil"])
def test_a_target_that_cannot_be_typed_is_named_by_its_facts(agent, me,
                                                             target):
    asked = asks(agent, "permission", {**MODES, "target": target},
                 severity="critical")
    data = {**fields(show(me, asked, "allow_once")), "value": "allow_once"}
    assert post(me, asked, {**data, "typed": target}).status_code == 422
    digits = asked["subject_sha256"][:8]
    assert post(me, asked, {**data, "typed": digits}).status_code == 303


def test_who_comes_too_late_is_told_that_whatever_was_typed(agent, me,
                                                            operator):
    asked = grave(agent)
    data = {**fields(show(me, asked, "allow_once")), "value": "allow_once"}
    assert answer(operator, asked, value="deny").status_code == 200
    assert post(me, asked, {**data, "typed": "no"}).status_code == 409


# --- Limits and subjects --------------------------------------------------

def test_limits(agent, me):
    asked = approval(agent)
    data = fields(show(me, asked, "constrain"))
    assert data["f1"] == "500" and data["f2[]"] == ["0", "1", "2"]
    page = through(me, asked, "constrain", **{"f1": "499", "f2[]": ["2", "0"]})
    assert "lands" in page.text
    assert read(agent, asked)["constraints"] == {
        "max": 499, "lands": ["DE", 7], "unit": "EUR"}


def test_a_subject(agent, me):
    asked = approval(agent)
    page = show(me, asked, "edit")
    data = fields(page)
    names = {f["name"]: f["value"] for f in page.form("/respond")["fields"]
             if f["name"]}
    amount = next(k for k, v in data.items() if v == "5")
    assert names[amount] == "5"
    through(me, asked, "edit", **{amount: "4.50"})
    got = read(agent, asked)
    # Untouched values stay as they were sent, with their line ends.
    assert got["approved_subject"] == {**SUBJECT, "amount": 4.5}
    assert got["subject"] == SUBJECT


def test_the_number_is_of_the_bytes_that_were_approved(agent, me):
    asked = approval(agent)
    wide = {**SUBJECT, "extra": {"none": None}}
    asked = asks(agent, "approval", wide, allow_edit=True)
    data = fields(show(me, asked, "edit"))
    text = json.dumps({**wide, "target": "orders/1"}, indent=1)
    assert json.loads(data["f1"]) == wide
    through(me, asked, "edit", f1=text, reason="the other one",
            typed="orders/1")
    got = read(agent, asked)
    assert got["approved_sha256"] == hashlib.sha256(text.encode()).hexdigest()


# --- What is named is what counts ------------------------------------------

def named(page):
    """The digest that a page says it approves, its own version or not."""
    text = " ".join(page.text.split())
    found = re.findall(r"It (approves your version|applies to the details) "
                       r"(\w{4} \w{4})", text)
    assert len(found) <= 1, text
    return found[0] if found else None


def digits(sha):
    return f"{sha[:4]} {sha[4:8]}"


ORIGINAL = "The agent wrote, for the original:"


@pytest.mark.parametrize("severity", ["low", "high", "critical"])
@pytest.mark.parametrize("reversible", [True, False])
def test_the_step_that_confirms_names_the_version_that_counts(
        agent, me, severity, reversible):
    subject = {**SUBJECT, "reversible": reversible}
    grave = severity != "low" or not reversible
    typed = {"typed": subject["target"]} if severity == "critical" or \
        not reversible else {}

    def edited(**changes):
        asked = asks(agent, "approval", subject, allow_edit=True,
                     severity=severity)
        page = show(me, asked, "edit")
        assert named(page) is None  # there is no version yet
        assert (ORIGINAL in page.text) == grave
        data, put = fields(page), {}
        for key, value in changes.items():
            names = [k for k, v in data.items() if v == str(subject[key])]
            put[names[0]] = value
        return asked, through(me, asked, "edit", "It is true.", **put, **typed)

    asked, page = edited(amount="4.50")
    got = read(agent, asked)
    assert named(page) == ("approves your version",
                           digits(got["approved_sha256"]))
    assert got["approved_sha256"] != got["subject_sha256"]
    # The agent's words on its own facts are not said of the edited ones.
    assert page.text.count(ORIGINAL) == grave
    asked, page = edited(amount="4.50", consequence="Some money is gone.")
    assert named(page)[1] == digits(read(agent, asked)["approved_sha256"])
    assert ORIGINAL not in page.text
    assert ("Some money is gone." in page.text)
    # Unchanged, it is the agent's version that counts.
    asked = asks(agent, "approval", subject, severity=severity)
    page = show(me, asked, "approve")
    assert named(page) == ("applies to the details",
                           digits(asked["subject_sha256"]))
    assert ORIGINAL not in page.text


def test_a_lower_limit_applies_to_what_was_asked(agent, me):
    asked = asks(agent, "cost_confirmation", {
        **MONEY, "consequence": "18.50 USD are gone."}, severity="high")
    page = through(me, asked, "confirm", f1="7.5")
    assert named(page) == ("applies to the details",
                           digits(asked["subject_sha256"]))
    assert page.text.count(ORIGINAL) == 1


# --- What does not --------------------------------------------------------

def test_looking_decides_nothing(agent, me):
    asked = cost(agent)
    data = fields(show(me, asked, "confirm"))
    for act in ({"look": "confirm"}, {"again": "confirm"},
                {"look": "confirm", "value": "confirm"},
                {"again": "confirm", "value": "confirm"},
                {"look": "cancel", "value": "cancel"}):
        r = post(me, asked, {**data, "f1": "3", **act})
        assert r.status_code == 200, act
        assert pending(agent, asked), act


def test_only_what_was_shown_counts(agent, me):
    asked = cost(agent)
    data = {**fields(show(me, asked, "confirm")), "f1": "3"}
    # Never shown, shown with another value, an invented digest.
    seen = fields(Page(post(me, asked, {**data, "look": "confirm"})))
    for bad in (data, {**seen, "f1": "4"}, {**data, "looked": ""},
                {**data, "looked": "0" * 64}):
        r = post(me, asked, {**bad, "value": "confirm"})
        assert r.status_code == 200
        assert "Edited" in Page(r).text
        assert pending(agent, asked)
    assert post(me, asked, {**seen, "value": "confirm"}).status_code == 303


@pytest.mark.parametrize("make,choice,typed", [
    (cost, "confirm", {"f1": v}) for v in (
        "", " ", "18.51", "-1", "1e999", "NaN", "0x1", "1,000", "true", "{}",
        "9" * 400, "1" * 100000, '"3"', "3 USD")] + [
    (permission, "allow_for", {"f1": v, "f2": u}) for v, u in (
        ("", "minutes"), ("0", "hours"), ("91", "minutes"), ("-5", "seconds"),
        ("1.5", "hours"), ("9" * 19, "days"), ("2", "hours"), ("1", "days"),
        ("1", "years"), ("1", ""), ("1", "hours\n"))] + [
    (approval, "constrain", {"f1": v}) for v in (
        "501", "", "much", "[1]", "null")])
def test_what_is_wrong_stands_at_its_field(agent, me, make, choice, typed):
    asked = make(agent)
    data = fields(show(me, asked, choice))
    for act in ("look", "value"):
        r = post(me, asked, {**data, **typed, act: choice})
        assert r.status_code == 422, (act, typed)
        page = Page(r)
        kept = {f["name"]: f["value"] for f in
                page.form("/respond")["fields"] if f["name"]}
        assert kept["f1"] == typed["f1"]
        assert 'class="field bad"' in r.text and 'href="#f' in r.text
    assert pending(agent, asked)


def test_missing_fields(agent, me):
    for make, choice in ((permission, "allow_for"), (approval, "constrain"),
                         (approval, "edit")):
        asked = make(agent)
        data = {k: v for k, v in fields(show(me, asked, choice)).items()
                if not k.startswith("f")}
        r = post(me, asked, {**data, "value": choice})
        assert r.status_code == 422, choice
        assert "This field was not sent." in Page(r).text
        assert pending(agent, asked)


def test_repeated_fields_are_their_first(agent, me):
    asked = cost(agent)
    data = fields(show(me, asked, "confirm"))
    r = post(me, asked, {**data, "f1": ["3", "18"], "look": "confirm"})
    assert r.status_code == 200 and "3 USD" in Page(r).text
    asked = approval(agent)
    data = fields(show(me, asked, "constrain"))
    through(me, asked, "constrain", **{
        "f2[]": ["1", "1", "3", "-1", "x", "", "1"]})
    assert read(agent, asked)["constraints"]["lands"] == ["AT"]
    assert data["f1"] == "500"


def test_nothing_changed_is_no_change(agent, me):
    for choice in ("constrain", "edit"):
        asked = approval(agent)
        data = fields(show(me, asked, choice))
        for act in ("look", "value"):
            r = post(me, asked, {**data, act: choice})
            assert r.status_code == 422
            assert "as requested" in Page(r).text or \
                   "You made no changes" in Page(r).text
        assert pending(agent, asked)


@pytest.mark.parametrize("text", [
    "", "nothing", "[]", "null", "{", '{"a":1,"a":2}', "{}",
    '{"a":' * 40 + "1" + "}" * 40, json.dumps({**SUBJECT, "target": " "}),
    json.dumps({**SUBJECT, "action": None}),
    json.dumps({**SUBJECT, "target": 5})])
def test_a_subject_that_is_none(agent, me, text):
    asked = asks(agent, "approval", {**SUBJECT, "none": None},
                 allow_edit=True)
    data = fields(show(me, asked, "edit"))
    for act in ("look", "value"):
        r = post(me, asked, {**data, "f1": text, act: "edit"})
        assert r.status_code == 422, text
        assert Page(r).value("/respond", "f1") == text
    assert pending(agent, asked)


def test_a_huge_subject(agent, me):
    big = {**SUBJECT, "letter": "x" * 70000}
    asked = asks(agent, "approval", big, allow_edit=True)
    page = show(me, asked, "edit")
    assert "Use the API" in page.text
    r = post(me, asked, {**fields(page), "f1": "{}", "value": "edit"})
    assert r.status_code == 422 and pending(agent, asked)
    asked = asks(agent, "approval", {**SUBJECT, "none": None},
                 allow_edit=True)
    data = fields(show(me, asked, "edit"))
    r = post(me, asked, {**data, "f1": "x" * (129 << 10), "look": "edit"})
    assert r.status_code == 413 and pending(agent, asked)
    many = {f"f{i}": "1" for i in range(401)}
    r = post(me, asked, {**many, **data, "look": "edit"})
    assert r.status_code == 413 and pending(agent, asked)


@pytest.mark.parametrize("more", [
    {"calls": [{"tool": "x"}] * 1980},
    {"calls": [{"tool": "x", "args": {"a": i, "b": [i]}}
               for i in range(660)]},
    {"note": "\u200b" * 60000}, {"target": "\u202e" * 60000},
    {"calls": [{"tool": "\u200b" * 60000}]},
    {"k" * 60000: 1, "l" * 60000: {"m" * 60000: "\u200b"}},
    {"constraints": {str(i): [i, i] for i in range(990)}},
    {"constraints": {"a" * 50000: 7, "b": "x" * 50000}}])
def test_the_heaviest_subject_is_still_a_page(agent, me, more):
    asked = asks(agent, "approval", {**SUBJECT, **more}, allow_edit=True)
    assert me.client.get(at(asked)).status_code == 200
    for choice in ("edit", "constrain", "approve"):
        page = show(me, asked, choice)
        r = post(me, asked, {**fields(page), "look": choice})
        assert r.status_code in (200, 422), choice
    assert pending(agent, asked)


def test_a_field_of_another_answer_is_not_read(agent, me):
    asked = cost(agent)
    data = fields(show(me, asked, "confirm"))
    r = post(me, asked, {**data, "f1": "not a number", "value": "cancel"})
    assert r.status_code == 303
    assert read(agent, asked)["outcome"] == "vetoed"


def test_too_late_is_too_late_with_fields_too(agent, operator, me):
    asked = cost(agent)
    data = fields(show(me, asked, "confirm"))
    assert answer(operator, asked, "cancel").status_code == 200
    for typed in ("3", "not a number"):
        for act in ("look", "again", "value"):
            r = post(me, asked, {**data, "f1": typed, act: "confirm"})
            assert r.status_code == 409, (typed, act)
            # The typed value is not lost.
            assert typed != "3" or 'Limits {"limit":3}' in Page(r).text
    assert read(agent, asked)["outcome"] == "vetoed"


def test_who_may_not_decide_gets_no_look(agent, me, person):
    who = person("operator").email
    asked = cost(agent, responder={"mode": "named", "who": who})
    page = show(me, asked, "confirm")
    assert f"Only {who} can." in page.text
    assert not any(f["action"].endswith("/respond") for f in page.forms)
    other = cost(agent)
    data = {**fields(show(me, other, "confirm")), "f1": "3",
            "subject_sha256": asked["subject_sha256"]}
    for act in ("look", "value"):
        r = post(me, asked, {**data, act: "confirm"})
        assert r.status_code == 403
    assert pending(agent, asked)
