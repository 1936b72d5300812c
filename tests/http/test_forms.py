"""Answering in the browser, with the forms of the pages: no script is needed,
typed text is not lost, and a GET decides nothing."""
import html
import re

import pytest

from kit import answer, ask, asleep, events, get, new_id
from page import Page
from questions import end_now

route = pytest.mark.route


@pytest.fixture(scope="module")
def me(person):
    return person("operator")


@pytest.fixture(scope="module")
def other(person):
    return person("admin")


@pytest.fixture(scope="module")
def reader(person):
    return person("auditor")


def at(asked):
    return f"/suspensions/{asked['suspension_id']}"


def show(who, asked, **query):
    r = who.client.get(at(asked), params=query)
    assert r.status_code == 200
    return Page(r)


def send(who, asked, page=None, headers=None, **typed):
    page = page or show(who, asked)
    return who.client.post(at(asked) + "/respond",
                           data=page.data("/respond", **typed),
                           headers=headers)


def read(client, asked):
    return client.get("/api/v1" + at(asked)).json()


# --- A choice -------------------------------------------------------------

@route("GET /suspensions/{id}")
@route("POST /suspensions/{id}/respond")
def test_a_choice(agent, me):
    asked = ask(agent)
    page = show(me, asked)
    assert "Refund order 12345?" in page.text
    assert "Approve refund" in page.text and "Issue full refund" in page.text
    assert set(page.buttons("/respond")) == {"approve", "deny"}
    r = send(me, asked, value="deny", reason="too much")
    assert r.status_code == 303 and r.headers["location"] == at(asked)
    got = read(agent, asked)
    assert got["state"] == "resolved" and got["value"] == "deny"
    assert got["reason"] == "too much"
    assert got["responded_by"] == me.email
    assert got["responded_via"] == "browser"
    last = events(agent, asked["intent_id"], limit=1)[0]
    assert last["event_type"] == "intent.resumed"
    assert last["actor"] == me.email
    done = show(me, asked)
    assert "Deny refund" in done.text and "too much" in done.text
    assert not any(f["action"].endswith("/respond") for f in done.forms)


def test_a_confirmation_without_choices(agent, me):
    asked = ask(agent, response_type="confirm", choices=None, severity="low")
    assert set(show(me, asked).buttons("/respond")) == {"yes", "no"}
    assert send(me, asked, value="no").status_code == 303
    assert read(agent, asked)["value"] == "no"


def test_what_matters_takes_two_steps(agent, me):
    asked = ask(agent, severity="high", context={"amount": 499.99})
    first = me.client.get(at(asked))
    links = re.findall(r'href="([^"]*\?choice=[^"]*)"', first.text)
    assert sorted(links) == [f"{at(asked)}?choice=approve",
                             f"{at(asked)}?choice=deny"]
    page = show(me, asked, choice="approve")
    assert page.buttons("/respond") == ["approve"]
    # Looking at it, twice, has decided nothing.
    assert read(agent, asked)["state"] == "pending"
    assert len(events(agent, asked["intent_id"])) == 2
    r = send(me, asked, page, value="approve")
    assert r.status_code == 303
    assert read(agent, asked)["value"] == "approve"


def test_a_choice_that_there_is_not(agent, me):
    asked = ask(agent)
    page = show(me, asked)
    for value in ("maybe", "", "approve "):
        r = send(me, asked, page, value=value)
        assert r.status_code == 422, value
    r = me.client.post(at(asked) + "/respond", data=page.data("/respond"))
    assert r.status_code == 422
    assert read(agent, asked)["state"] == "pending"
    assert show(me, asked, choice="maybe").text
    assert read(agent, asked)["state"] == "pending"


def test_a_reason_that_is_needed(agent, me):
    asked = ask(agent, choices=[
        {"value": "no", "label": "No", "effect": "veto",
         "reason": "required"}])
    for reason in ("", "  "):
        r = send(me, asked, value="no", reason=reason)
        assert r.status_code == 422
        assert "comment is needed" in Page(r).text
    long = "x" * 4001
    r = send(me, asked, value="no", reason=long)
    assert r.status_code == 422
    assert long in r.text  # what was typed is kept
    assert read(agent, asked)["state"] == "pending"
    r = send(me, asked, value="no", reason="because <b>\r\nof it")
    assert r.status_code == 303
    assert read(agent, asked)["reason"] == "because <b>\nof it"


# --- Words ----------------------------------------------------------------

def test_a_text(agent, me):
    asked = ask(agent, response_type="text", choices=None)
    for empty in ("", " \r\n "):
        r = send(me, asked, value=empty)
        assert r.status_code == 422
        assert "empty" in Page(r).text
    long = "wörds </textarea><script>alert(1)</script> " + "x" * 20000
    r = send(me, asked, value=long)
    assert r.status_code == 422
    assert "<script>alert(1)" not in r.text
    assert Page(r).value("/respond", "value") == long
    assert read(agent, asked)["state"] == "pending"
    typed = " first line\r\nsecond 😀 "
    assert send(me, asked, value=typed).status_code == 303
    assert read(agent, asked)["value"].split() == typed.split()
    assert "\r" not in read(agent, asked)["value"]


# --- A form ---------------------------------------------------------------

FORM = [
    {"key": "amount", "label": "Amount", "type": "number", "required": True,
     "max": 500},
    {"key": "count", "label": "Count", "type": "integer", "default": 3},
    {"key": "note", "label": "Note", "type": "text", "max_length": 40},
    {"key": "sure", "label": "Sure", "type": "boolean", "default": True},
    {"key": "how", "label": "How", "type": "enum",
     "options": [{"value": "a", "label": "By A"}, "b"], "default": "b"},
    {"key": "which", "label": "Which", "type": "enum",
     "options": [str(i) for i in range(10)]},
    {"key": "tags", "label": "Tags", "type": "multi",
     "options": ["x", "y", "z"]},
    {"key": "mail", "label": "Mail", "format": "email"},
    {"key": "day", "label": "Day", "format": "date"},
    {"key": "at", "label": "At", "format": "date-time"},
]


@pytest.mark.parametrize("zone, there, said", [
    (None, "2026-11-23T10:30", "UTC"),
    ("Gone/Zone", "2026-11-23T10:30", "UTC"),
    ("Asia/Kolkata", "2026-11-23T16:00", "Asia/Kolkata"),
    ("America/New_York", "2026-11-23T05:30", "America/New_York")])
def test_a_moment_is_typed_by_the_readers_clock(server, agent, person, zone,
                                                there, said):
    one = person("operator")
    with server.database() as db:
        db.execute("UPDATE principal SET time_zone = %s WHERE email = %s",
                   [zone, one.email])
    asked = ask(agent, response_type="form", choices=None, form=[
        {"key": "at", "label": "At", "format": "date-time",
         "default": "2026-11-23T10:30:00Z"},
        {"key": "then", "label": "Then", "format": "date-time"}])
    page = show(one, asked)
    assert page.text.count(f"Time in {said}") == 2
    given = page.data("/respond")
    assert given["f1"] == there
    r = one.client.post(at(asked) + "/respond", data={**given, "f2": there})
    assert r.status_code == 303, r.text
    assert read(agent, asked)["value"] == {"at": "2026-11-23T10:30:00Z",
                                           "then": "2026-11-23T10:30:00Z"}


def test_a_form_keeps_what_was_typed_until_it_is_right(agent, me):
    asked = ask(agent, response_type="form", choices=None, form=FORM)
    page = show(me, asked)
    given = page.data("/respond")
    assert given["f2"] == "3" and given["f4"] == "true"
    assert given["f5"] == "b" and "f7[]" not in given
    typed = {"f1": "501", "f2": "three", "f3": "<b>note</b>\r\n\"two\"",
             "f5": "a", "f6": "7", "f7[]": ["x", "z"], "f8": "nobody",
             "f9": "2026-02-30", "f10": "2026-11-23T10:30"}
    del given["f4"]  # a tick that was taken away
    r = me.client.post(at(asked) + "/respond", data={**given, **typed})
    assert r.status_code == 422
    again = Page(r)
    for words in ("larger than allowed", "whole number",
                  "not an e-mail address", "not a date like"):
        assert words in again.text, words
    back = again.data("/respond")
    for key in ("f1", "f2", "f5", "f6", "f8", "f9", "f10"):
        assert back[key] == typed[key], key
    assert back["f3"] == typed["f3"].replace("\r\n", "\n")
    assert "f4" not in back
    ticks = [f["value"] for f in again.form("/respond")["fields"]
             if f["name"] == "f7[]" and f["on"]]
    assert ticks == ["x", "z"]
    assert read(agent, asked)["state"] == "pending"

    right = {**back, "f1": "499.90", "f2": "4", "f7[]": ticks,
             "f8": "a@example.com", "f9": "2026-02-28"}
    r = me.client.post(at(asked) + "/respond", data=right)
    assert r.status_code == 303, r.text
    value = read(agent, asked)["value"]
    assert value == {
        "amount": 499.90, "count": 4, "note": '<b>note</b>\n"two"',
        "sure": False, "how": "a", "which": "7", "tags": ["x", "z"],
        "mail": "a@example.com", "day": "2026-02-28",
        "at": "2026-11-23T10:30:00Z"}
    done = show(me, asked)
    assert "By A" in done.text and "499.9" in done.text


def test_what_is_not_filled_in_is_absent(agent, me):
    asked = ask(agent, response_type="form", choices=None, form=FORM)
    data = show(me, asked).data("/respond", f1="1")
    for key in ("f2", "f4", "f5"):
        data[key] = ""
    r = me.client.post(at(asked) + "/respond", data=data)
    assert r.status_code == 303
    value = read(agent, asked)["value"]
    assert value["amount"] == 1 and value["sure"] is False
    assert not {"count", "note", "how", "which", "mail", "day"} & set(value)


def test_a_form_of_the_protocol_alone(agent, me):
    """Without a field list the context's keys are the fields."""
    from kit import suspend
    intent, suspension = suspend(agent, response_type="form", choices=None,
                                 context={"order": "12345", "amount": 5})
    asked = {"suspension_id": suspension}
    data = show(me, asked).data("/respond")
    assert data["f1"] == "12345" and data["f2"] == "5"
    r = me.client.post(at(asked) + "/respond", data={**data, "f2": "7"})
    assert r.status_code == 303
    mirror = get(agent, intent)["state"]["_suspension"]
    assert mirror["response"] == {"order": "12345", "amount": 7}


# --- Too late -------------------------------------------------------------

@pytest.mark.parametrize("kind", ["choice", "text", "form"])
def test_somebody_was_faster(agent, me, other, kind):
    more = {"choice": {}, "text": {"response_type": "text", "choices": None},
            "form": {"response_type": "form", "choices": None, "form": FORM}}
    theirs = {"choice": {"value": "approve"}, "text": {"value": "theirs"},
              "form": {"f1": "111"}}[kind]
    mine = {"choice": {"value": "deny"}, "text": {"value": "my own words"},
            "form": {"f1": "222"}}[kind]
    asked = ask(agent, **more[kind])
    mine_page, their_page = show(me, asked), show(other, asked)
    assert send(other, asked, their_page, reason="first",
                **theirs).status_code == 303
    before = read(agent, asked)
    r = send(me, asked, mine_page, reason="my own comment", **mine)
    assert r.status_code == 409
    page = Page(r)
    # The page shows the responder, the answer and the time; the typed text is
    # kept.
    assert other.email in page.text or other.name in page.text
    assert {"choice": "Approve refund", "text": "theirs",
            "form": "111"}[kind] in page.text
    assert {"choice": "Deny refund", "text": "my own words",
            "form": "222"}[kind] in page.text
    assert "my own comment" in page.text
    moment = before["responded_at"][11:19]
    assert moment in page.text or moment in r.text
    assert "already_decided" in page.text
    assert read(agent, asked) == before


def test_the_time_was_up(server, agent, me):
    with asleep(server, "tick"):
        late_answer(server, agent, me)


def late_answer(server, agent, me):
    """That finds a question whose end the clock has not seen yet."""
    asked = ask(agent, timeout_seconds=60,
                fallback_policy="complete_with_fallback",
                fallback_value="deny")
    page = show(me, asked)
    with server.database() as db:
        end_now(db, asked["suspension_id"])
    # The page says so; reading it decides nothing.
    late = show(me, asked)
    assert not any(f["action"].endswith("/respond") for f in late.forms)
    assert read(agent, asked)["state"] == "pending"
    r = send(me, asked, page, value="approve")
    assert r.status_code == 409
    assert "expired" in Page(r).text.lower()
    assert read(agent, asked)["state"] == "expired"
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["status"] == "active"
    assert intent["state"]["_suspension"]["response"] == "deny"


def test_it_was_withdrawn(agent, me):
    asked = ask(agent)
    page = show(me, asked)
    agent.post(f"/api/v1{at(asked)}/cancel", json={"reason": "over"})
    r = send(me, asked, page, value="approve")
    assert r.status_code == 409
    assert "withdr" in Page(r).text.lower()
    assert read(agent, asked)["state"] == "cancelled"


def test_the_same_form_twice(agent, me):
    """The back button and a double press: one answer."""
    asked = ask(agent)
    page = show(me, asked)
    assert send(me, asked, page, value="approve").status_code == 303
    assert send(me, asked, page, value="approve").status_code == 409
    assert len(events(agent, asked["intent_id"],
                      event_type="intent.resumed")) == 1


@pytest.mark.parametrize("seen", ["", "0" * 64, None])
def test_what_was_shown_is_not_what_is_stored(agent, me, seen):
    asked = ask(agent, context={"amount": 1})
    data = show(me, asked).data("/respond", value="approve",
                                reason="typed before")
    if seen is None:
        del data["subject_sha256"]
    else:
        data["subject_sha256"] = seen
    r = me.client.post(at(asked) + "/respond", data=data)
    assert r.status_code == 409
    # The question again, in its current state, with the typed text.
    again = Page(r)
    assert "typed before" in r.text
    assert again.data("/respond")["subject_sha256"] == asked["subject_sha256"]
    assert read(agent, asked)["state"] == "pending"


# --- Who may --------------------------------------------------------------

@pytest.mark.parametrize("change", ["none", "empty", "wrong", "anothers",
                                    "cut"])
def test_a_form_needs_its_pages_token(agent, me, other, change):
    asked = ask(agent)
    data = show(me, asked).data("/respond", value="approve")
    token = data.pop("csrf")
    assert len(token) == 60
    assert token != show(me, asked).data("/respond")["csrf"]
    data.update({"none": {}, "empty": {"csrf": ""},
                 "wrong": {"csrf": "A" * 16 + "." + "A" * 43},
                 "cut": {"csrf": token[:-1]},
                 "anothers": {"csrf": show(other, asked).data(
                     "/respond")["csrf"]}}[change])
    r = me.client.post(at(asked) + "/respond", data=data)
    assert r.status_code == 403
    assert "request.csrf" in r.text
    assert read(agent, asked)["state"] == "pending"


@pytest.mark.parametrize("headers", [
    {"Origin": "https://evil.example"}, {"Origin": "null"},
    {"Sec-Fetch-Site": "cross-site"}, {"Sec-Fetch-Site": "same-site"}])
def test_a_form_from_another_site(agent, me, headers):
    asked = ask(agent)
    r = send(me, asked, value="approve", headers=headers)
    assert r.status_code == 403 and "request.origin" in Page(r).text
    assert read(agent, asked)["state"] == "pending"


def test_the_token_does_not_travel_in_the_address(agent, me):
    asked = ask(agent)
    token = show(me, asked).data("/respond")["csrf"]
    r = me.client.post(f"{at(asked)}/respond?csrf={token}&value=approve")
    assert r.status_code == 400
    assert read(agent, asked)["state"] == "pending"


def test_an_auditor_reads_and_does_not_answer(agent, me, reader):
    asked = ask(agent)
    page = show(reader, asked)
    assert not any(f["action"].endswith("/respond") for f in page.forms)
    data = {**show(me, asked).data("/respond", value="approve"),
            "csrf": page.data("/logout")["csrf"]}
    r = reader.client.post(at(asked) + "/respond", data=data)
    assert r.status_code == 403
    assert read(agent, asked)["state"] == "pending"


def test_nothing_is_decided_by_reading(agent, me):
    asked = ask(agent, severity="low")
    before = get(agent, {"id": asked["intent_id"]})
    for path in (at(asked), at(asked) + "?choice=approve", "/inbox",
                 f"/intents/{asked['intent_id']}"):
        assert me.client.get(path).status_code == 200
        assert me.client.head(path).status_code == 200
    assert me.client.get(at(asked) + "/respond").status_code == 405
    assert get(agent, {"id": asked["intent_id"]}) == before


@pytest.mark.parametrize("body, status", [
    (b"value=%", 400), (b"value=%ff", 400), (b"csrf=%00", 400),
    (b"&".join(b"f%d=x" % i for i in range(3000)), 413),
    (b"value=" + b"x" * (513 << 10), 413)])
def test_a_body_that_is_no_form(agent, me, body, status):
    asked = ask(agent)
    r = me.client.post(at(asked) + "/respond", content=body, headers={
        "Content-Type": "application/x-www-form-urlencoded"})
    assert r.status_code == status
    assert read(agent, asked)["state"] == "pending"


def test_more_than_an_answer_may_hold(agent, me):
    asked = ask(agent, response_type="text", choices=None)
    r = send(me, asked, value="x" * (200 << 10))
    assert r.status_code == 413
    assert read(agent, asked)["state"] == "pending"


@pytest.mark.parametrize("path, status", [
    ("/suspensions/x", 404), (f"/suspensions/{new_id()}", 404),
    ("/intents/x", 404), (f"/intents/{new_id()}", 404),
    ("/suspensions/x/y", 404), ("/inbox?bogus=1", 400),
    ("/inbox?after=1&after=1", 400), ("/inbox?after=nothing", 400),
    ("/decided?after=nothing", 400), ("/suspensions/", 404),
    (f"/intents/{new_id()}?verify=2", 400)])
def test_a_page_of_nothing(me, path, status):
    r = me.client.get(path)
    assert r.status_code == status
    page = Page(r)
    assert str(status) in page.text
    assert r.headers["x-request-id"] in page.text


# --- The lists and the intent ---------------------------------------------

HOSTILE = ("<script>alert(1)</script><img src=x onerror=alert(2)> "
           "{{page.csrf}} \"'> \u202egnp.exe\u200b &amp;")


@route("GET /inbox")
@route("GET /decided")
@route("GET /intents/{id}")
def test_hostile_text_on_every_page(agent, me, reader):
    asked = ask(agent, question=HOSTILE, title=HOSTILE, severity="critical",
                explanation=HOSTILE, context={HOSTILE: HOSTILE},
                choices=[{"value": HOSTILE, "label": HOSTILE,
                          "description": HOSTILE, "effect": "answer",
                          "reason": "optional"}],
                intent={"title": HOSTILE, "description": HOSTILE,
                        "initiated_by": HOSTILE},
                timeout_seconds=1000, fallback_value=HOSTILE,
                fallback_policy="complete_with_fallback")
    pages = [me.client.get(p) for p in
             ("/inbox", at(asked), f"/intents/{asked['intent_id']}")]
    pages.append(me.client.get(at(asked), params={"choice": HOSTILE}))
    assert Page(pages[-1]).buttons("/respond") == [HOSTILE]
    r = send(me, asked, Page(pages[-1]), value=HOSTILE, reason=HOSTILE)
    assert r.status_code == 303
    assert read(agent, asked)["value"] == HOSTILE
    pages += [me.client.get(p) for p in
              ("/decided", at(asked),
               f"/intents/{asked['intent_id']}?verify=1")]
    for r in pages:
        assert r.status_code == 200
        assert "<script>alert" not in r.text and "<img" not in r.text
        assert "U+202E" in r.text and "U+200B" in r.text
        shown = re.sub(r'value="[^"]*"|<textarea.*?</textarea>', "", r.text,
                       flags=re.S)
        assert "\u202e" not in shown and "\u200b" not in shown


def test_the_inbox_is_most_urgent_first_and_pages(agent, operator, me):
    title = f"many {new_id()}"
    most = [at(ask(agent, title=title, severity="critical"))
            for _ in range(52)]
    low = at(ask(agent, title=f"low {title}", severity="low"))
    path, seen, pages = "/inbox", [], 0
    while path and pages < 60:
        r = me.client.get(path)
        assert r.status_code == 200
        rows = re.findall(r'class="title" href="(/suspensions/[^"?]+)"',
                          r.text)
        seen += [x for i, x in enumerate(rows) if x not in rows[:i]]
        older = re.search(r'href="(/inbox\?after=[^"]+)">Older', r.text)
        path, pages = older and html.unescape(older[1]), pages + 1
    assert pages >= 2
    assert len(set(seen)) == len(seen)
    assert max(map(seen.index, most)) < seen.index(low)


def test_the_decided_list_shows_who_and_what(agent, me, operator):
    asked = ask(agent, title=f"decided {new_id()}")
    answer(operator, asked, "deny")
    page = Page(me.client.get("/decided"))
    assert asked["title"] in page.text
    assert "demo operator" in page.text


def test_an_intent_with_its_chain(server, agent, me):
    asked = ask(agent)
    send(me, asked, value="approve")
    path = f"/intents/{asked['intent_id']}"
    plain = Page(me.client.get(path))
    r = me.client.get(path + "?verify=1")
    checked = Page(r)
    assert plain.text != checked.text
    assert "not verified" in plain.text and "not verified" not in checked.text
    # Both say how many there are, which is how many they list.
    rows = len(re.findall(r'<tr id="e\d+"', r.text))
    assert f" {rows} events. " in plain.text
    assert f"The chain of all {rows} events is intact." in checked.text
    with server.database() as db, db.transaction():
        db.execute("SET LOCAL session_replication_role = replica")
        before = db.execute("SELECT canonical FROM event WHERE intent_id = %s"
                            " AND sequence = 2",
                            [asked["intent_id"]]).fetchone()
        change = ("UPDATE event SET canonical = %s WHERE intent_id = %s "
                  "AND sequence = 2")
        db.execute(change, [before[0] + " ", asked["intent_id"]])
    try:
        broken = Page(me.client.get(path + "?verify=1"))
    finally:
        with server.database() as db, db.transaction():
            db.execute("SET LOCAL session_replication_role = replica")
            db.execute(change, [before[0], asked["intent_id"]])
    assert "broken" in broken.text
    assert "breaks at event 2" in broken.text


# --- Forms without fields ----------------------------------------------------

BARE = {"type": "object", "title": "Sure", "properties": {}}


@pytest.mark.parametrize("kind", [None, "elicitation"])
def test_a_form_without_fields_is_a_plain_yes_or_no(agent, operator, me, kind):
    """As MCP servers ask: shall I?"""
    def asking():
        return ask(agent, kind=kind, response_type="form", choices=None,
                   form=BARE)

    asked = asking()
    assert asked["kind"] == "elicitation" and asked["form"] == []
    page = show(me, asked)
    assert send(me, asked, page).status_code == 303
    assert read(agent, asked)["outcome"] == "answered"
    assert read(agent, asked)["value"] == {}
    asked = asking()
    assert send(me, asked, choice="decline").status_code == 303
    assert read(agent, asked)["outcome"] == "declined"
    asked = asking()
    assert answer(operator, asked, {"a": 1}).status_code == 422
    assert answer(operator, asked, {}).json()["outcome"] == "answered"
    asked = asking()
    r = answer(operator, asked, None, choice="no")
    assert r.json()["outcome"] == "declined", r.text


def test_what_generators_write_can_be_left_empty(agent, operator, me):
    """Optional[str], Optional[int], int32."""
    def maybe(type, **more):
        return {"anyOf": [{"type": type, **more}, {"type": "null"}],
                "default": None}

    asked = ask(agent, response_type="form", choices=None, form={
        "type": "object", "required": ["age", "name"], "properties": {
            "name": maybe("string"), "many": maybe("integer"),
            "age": {"type": "integer", "format": "int32"}}})
    page = show(me, asked)
    names = {f["key"]: n for n, f in enumerate(asked["form"])}
    assert names.keys() == {"name", "many", "age"}
    assert answer(operator, asked, {"age": 2 ** 31}).status_code == 422
    assert answer(operator, asked, {}).status_code == 422
    assert "name" in page.text
    r = answer(operator, asked, {"age": 2 ** 31 - 1})
    assert r.status_code == 200 and r.json()["value"] == {"age": 2 ** 31 - 1}


def test_an_answer_that_is_too_long_is_kept_on_the_page(agent, me):
    """Each field is as long as it may be; quoted, all of them are not."""
    asked = ask(agent, response_type="form", choices=None, form=[
        {"key": f"k{n}", "label": f"K{n}", "type": "text",
         "max_length": 20000}
        for n in range(5)])
    typed = {f"f{n}": '"' * 20000 for n in range(1, 6)}
    r = me.client.post(at(asked) + "/respond", data={
        **show(me, asked).data("/respond"), **typed})
    assert r.status_code == 413
    again = Page(r)
    assert "The answer is too long" in again.text
    assert again.data("/respond")["f5"] == typed["f5"]
    assert read(agent, asked)["state"] == "pending"
