"""The pages of a plan, an input, a credential and a handoff, as they are
posted: no script is needed, what was typed is kept, and nothing else than what
was seen is allowed."""
import re

import pytest

from kit import answer, ask, get
from page import Page


@pytest.fixture(scope="module")
def me(person):
    return person("operator")


def at(asked):
    return f"/suspensions/{asked['suspension_id']}"


def show(who, asked, **query):
    r = who.client.get(at(asked), params=query)
    assert r.status_code == 200
    return Page(r)


def post(who, asked, page, **typed):
    """A value of None is not sent, like a box that is not ticked."""
    data = page.data("/respond", **typed)
    return who.client.post(at(asked) + "/respond",
                           data={k: v for k, v in data.items()
                                 if v is not None})


def read(client, asked):
    return client.get("/api/v1" + at(asked)).json()


def step(name, **more):
    return {"id": name, "title": f"Step {name}", "detail": f"Does {name}",
            "tool": f"db.{name}", "risk": "low", **more}


def ask_plan(client, names="abcd", steps=None, **more):
    plan = {"steps": steps or [step(n) for n in names], "scope": "One table",
            "expected_outputs": ["A report"], "risk_summary": "Low",
            "cost_summary": "14 USD"}
    return ask(client, kind="plan_review", response_type=None, choices=None,
               subject={"plan": plan}, **more)


def edit(who, asked, **typed):
    """The page with the fields, filled in and looked at."""
    page = show(who, asked, choice="approve_edited")
    return post(who, asked, page, look="approve_edited", **typed)


def confirm(who, asked, looked):
    assert looked.status_code == 200, looked.text
    return post(who, asked, Page(looked), value="approve_edited")


# --- Steps ----------------------------------------------------------------

def test_steps_are_dropped_reordered_and_noted(agent, me):
    asked = ask_plan(agent)
    looked = edit(me, asked, k2=None, o4="0.5", n3="After the batch")
    assert read(agent, asked)["state"] == "pending"
    text = Page(looked).text
    assert "3 steps" in text and "1 removed" in text
    assert "After the batch" in text and "was step 4" in text
    assert confirm(me, asked, looked).status_code == 303
    got = read(agent, asked)
    assert got["outcome"] == "authorized" and got["value"] == "approve_edited"
    assert got["constraints"] == {"steps": [
        {"id": "d"}, {"id": "a"}, {"id": "c", "note": "After the batch"}]}
    done = show(me, asked).text
    assert "Approved with changes" in done and "Approved version" in done
    assert "After the batch" in done and "1 removed" in done


@pytest.mark.parametrize("typed, field, says", [
    ({"o2": "x"}, "o2", "Enter the position as a number"),
    ({"o2": ""}, "o2", "Enter the position as a number"),
    ({"o2": "-1"}, "o2", "Enter the position as a number"),
    ({"o2": "1e99"}, "o2", "Enter the position as a number"),
    ({"o2": "1"}, "o2", "Another step has the same position"),
    ({"n3": "x" * 1001}, "n3", "at most 1000 characters"),
])
def test_a_mistake_stands_at_its_field(agent, me, typed, field, says):
    asked = ask_plan(agent)
    r = edit(me, asked, n1="Keep this", k4=None, **typed)
    assert r.status_code == 422
    page = Page(r)
    assert says in page.text and f'href="#{field}"' in r.text
    assert re.search(rf'id="{field}"[^>]*aria-invalid="true"', r.text)
    assert page.value("/respond", field) == typed[field]
    assert page.value("/respond", "n1") == "Keep this"
    assert "k4" not in page.data("/respond")
    assert read(agent, asked)["state"] == "pending"


def test_no_step_is_no_plan(agent, me):
    asked = ask_plan(agent, "ab")
    r = edit(me, asked, k1=None, k2=None)
    assert r.status_code == 422 and "at least one" in Page(r).text
    assert read(agent, asked)["state"] == "pending"


def test_a_plan_as_it_was_is_approved_not_edited(agent, me):
    asked = ask_plan(agent, "ab")
    r = edit(me, asked)
    assert r.status_code == 422 and "Use Approve instead" in Page(r).text
    r = edit(me, asked, o1="3", o2="4")
    assert r.status_code == 422
    assert read(agent, asked)["state"] == "pending"


def test_only_what_was_seen_is_allowed(agent, me):
    asked = ask_plan(agent)
    page = show(me, asked, choice="approve_edited")
    # Without a look, and with another plan than the one looked at.
    r = post(me, asked, page, value="approve_edited", k1=None)
    assert r.status_code == 200 and "removed" in Page(r).text
    looked = edit(me, asked, k1=None)
    r = post(me, asked, Page(looked), value="approve_edited", k2=None)
    assert r.status_code == 200 and "2 removed" in Page(r).text
    assert read(agent, asked)["state"] == "pending"
    r = post(me, asked, page, value="approve_edited", k1=None,
             subject_sha256="0" * 64)
    assert r.status_code == 409
    assert read(agent, asked)["state"] == "pending"


def test_a_hundred_steps_fit_in_a_form(agent, me):
    asked = ask_plan(agent, steps=[step(f"s{n}") for n in range(100)])
    looked = edit(me, asked, k100=None, o1="99.5", n1="é" * 1000)
    assert confirm(me, asked, looked).status_code == 303
    kept = read(agent, asked)["constraints"]["steps"]
    assert len(kept) == 99 and kept[-1]["id"] == "s0"


def test_fields_that_the_plan_has_not_are_nothing(agent, me):
    asked = ask_plan(agent, "ab")
    page = show(me, asked, choice="approve_edited")
    data = page.data("/respond", look="approve_edited", k3="yes", o3="1",
                     k0="yes", ksome="yes", n2="A note")
    looked = me.client.post(at(asked) + "/respond", data=data)
    assert confirm(me, asked, looked).status_code == 303
    assert [s["id"] for s in read(agent, asked)["constraints"]["steps"]] == [
        "a", "b"]


def test_repeated_and_hostile_fields(agent, me):
    evil = '"><script>alert(1)</script>\u202e'
    asked = ask_plan(agent, steps=[step(evil, title=evil, detail=evil),
                                   step("b")])
    r = edit(me, asked, n1=evil, o2="x")
    assert r.status_code == 422 and "<script>alert" not in r.text
    page = show(me, asked, choice="approve_edited")
    data = list(page.data("/respond", look="approve_edited").items())
    looked = me.client.post(
        at(asked) + "/respond", headers={
            "Content-Type": "application/x-www-form-urlencoded"},
        content="&".join(f"{k}={v}" for k, v in data) + "&o1=9&o1=8&n1=x")
    assert looked.status_code in (200, 422)
    looked = edit(me, asked, n1=evil)
    assert "<script>alert" not in looked.text and "U+202E" in looked.text
    assert confirm(me, asked, looked).status_code == 303
    kept = read(agent, asked)["constraints"]["steps"]
    assert kept[0] == {"id": evil, "note": evil}


def test_too_many_fields(agent, me):
    asked = ask_plan(agent)
    page = show(me, asked, choice="approve_edited")
    data = page.data("/respond", value="approve_edited",
                     **{f"x{n}": "1" for n in range(500)})
    r = me.client.post(at(asked) + "/respond", data=data)
    assert r.status_code == 413
    assert read(agent, asked)["state"] == "pending"


# --- Revisions ------------------------------------------------------------

@pytest.mark.parametrize("heavy", [
    {"args": "\u200b" * 60000}, {"args": '"' * 60000},
    {"args": "&" * 240000}, {"detail": "&" * 240000}, {"args": {"k" * 60000: 1, "l": '"' * 60000}},
    {"args": {str(i): [i, "'"] for i in range(450)}},
    {"args": [[str(i)] for i in range(900)]}])
@pytest.mark.parametrize("n", [1, 100])
def test_the_heaviest_plan_and_its_revision_are_still_pages(
        agent, operator, me, heavy, n):
    names = [f"s{i}" for i in range(n)]
    first = ask_plan(agent, steps=[
        step(name, **(heavy if name == "s0" else {"args": 1}))
        for name in names])
    show(me, first)
    answer(operator, first, "reject", reason="No.")
    # All of it is other than it was, and the last step holds it.
    second = ask_plan(agent, supersedes=first["suspension_id"], steps=[
        step(name, risk="high",
             **(heavy if name == names[-1] else {"args": 2}))
        for name in names], timeout_seconds=3600)
    show(me, second)
    assert edit(me, second, n1="A note").status_code == 200


def test_a_rejected_plan_keeps_its_reason_and_is_superseded(agent, operator,
                                                            me):
    first = ask_plan(agent, "abc")
    answer(operator, first, "reject", reason="No way back.")
    steps = [step("a"), step("x"), step("b", detail="In batches")]
    second = ask_plan(agent, steps=steps, supersedes=first["suspension_id"])
    page = me.client.get(at(second))
    text = Page(page).text
    for words in ("Revision 2", "Revision 1: Rejected by", "No way back.",
                  "1 new, 1 changed, 1 removed, 1 same", "Does b",
                  "In batches"):
        assert words in text, words
    assert f'href="{at(first)}"' in page.text
    old = me.client.get(at(first))
    assert "No way back." in Page(old).text
    assert "Revision 1" in Page(old).text and "Step c" in Page(old).text
    assert f'href="{at(second)}"' in old.text
    answer(operator, second, "request_changes", reason="Smaller batches.")
    third = ask_plan(agent, supersedes=second["suspension_id"])
    assert "Revision 3" in show(me, third).text
    assert "Smaller batches." in show(me, third).text


def test_a_plan_is_compared_with_the_one_that_was_approved(agent, me):
    """A step that the operator removed comes back as new, and is marked."""
    first = ask_plan(agent, "abc")
    looked = edit(me, first, k1=None)
    assert confirm(me, first, looked).status_code == 303
    second = ask_plan(agent, "abc", supersedes=first["suspension_id"])
    text = show(me, second).text
    assert "Revision 1, as approved" in text
    assert "1 new, 2 same" in text
    third = ask_plan(agent, "bc", supersedes=first["suspension_id"])
    assert "2 same" in show(me, third).text
    assert "removed" not in show(me, third).text


# --- Declining ------------------------------------------------------------

FORM = [{"key": "name", "label": "Name", "required": True}]


@pytest.mark.parametrize("more", [{"form": FORM}, {"response_type": "text"}])
def test_declining_is_an_answer_and_sends_nothing_typed(agent, me, more):
    asked = ask(agent, kind="elicitation", choices=None,
                **{"response_type": None, **more})
    page = show(me, asked)
    typed = {"value": "typed"} if "form" not in more else {"f1": "typed"}
    r = post(me, asked, page, choice="decline", reason="Ask Tomas.", **typed)
    assert r.status_code == 303
    got = read(agent, asked)
    assert got["outcome"] == "declined" and got["value"] is None
    assert got["reason"] == "Ask Tomas."
    assert "Declined" in show(me, asked).text


def test_a_form_is_sent_without_a_choice(agent, me):
    asked = ask(agent, kind="elicitation", choices=None, response_type=None,
                form=FORM)
    assert post(me, asked, show(me, asked)).status_code == 422
    r = post(me, asked, show(me, asked), choice="submit", f1="Anna")
    assert r.status_code == 303
    got = read(agent, asked)
    assert got["outcome"] == "answered" and got["value"] == {"name": "Anna"}


def test_a_choice_that_is_none_of_its(agent, me):
    asked = ask(agent, kind="elicitation", choices=None, response_type="text")
    for choice in ("approve", "", "decline "):
        r = post(me, asked, show(me, asked), choice=choice, value="x")
        assert r.status_code == 422, choice
    assert read(agent, asked)["state"] == "pending"
    plain = ask(agent, choices=None, response_type="text")
    assert "Decline" not in show(me, plain).text


# --- Credentials ----------------------------------------------------------

def ask_credential(client, server, **more):
    subject = {"provider": "GitHub", "credential_class": "App installation",
               "scopes": ["contents: write"], "draft_ref": "branch fix/1017",
               "settings_url": f"{server.url}/settings?for=a&b=<c>", **more}
    return ask(client, kind="credential_needed", response_type=None,
               choices=None, subject=subject)


def test_no_field_takes_a_secret(agent, me, server):
    asked = ask_credential(agent, server)
    r = me.client.get(at(asked))
    page = Page(r)
    names = {f["name"] for form in page.forms for f in form["fields"]
             if form["action"].endswith("/respond")}
    assert names <= {"csrf", "subject_sha256", "value", "reason", "reader",
                     "list", "done"}
    assert "Not verified" in page.text and "branch fix/1017" in page.text
    host = server.url.split("//")[1]
    assert f"<strong>{host}</strong>" in r.text
    assert 'rel="noopener noreferrer"' in r.text and "prefetch" not in r.text


@pytest.mark.parametrize("value, outcome", [("configured", "answered"),
                                            ("decline", "declined")])
def test_a_credential_is_answered_and_the_draft_kept(agent, me, server, value,
                                                     outcome):
    asked = ask_credential(agent, server)
    before = get(agent, {"id": asked["intent_id"]})
    assert post(me, asked, show(me, asked), value=value).status_code == 303
    got = read(agent, asked)
    assert got["outcome"] == outcome
    assert got["subject"]["draft_ref"] == "branch fix/1017"
    after = get(agent, {"id": asked["intent_id"]})
    assert after["title"] == before["title"]
    assert "branch fix/1017" in show(me, asked).text
    assert "Go to" not in show(me, asked).text


# --- Handoffs -------------------------------------------------------------

def ask_handoff(client, **more):
    subject = {"from": "research-agent", "to": "Legal", "summary": "38 claims",
               "reason": "A question of law", "artifacts": [
                   {"title": "Chart", "kind": "table",
                    "ref": "https://files.example/1"},
                   {"title": "Log", "kind": "text", "ref": "log:212"}],
               "evidence": [], **more}
    return ask(client, kind="handoff_acceptance", response_type=None,
               severity="low",
               choices=None, subject=subject)


def test_accepting_changes_the_owner(agent, me):
    asked = ask_handoff(agent)
    at_intent = f"/intents/{asked['intent_id']}"
    assert "since the handoff" not in me.client.get(at_intent).text
    page = show(me, asked)
    assert "none" in page.text and "Chart" in page.text
    assert post(me, asked, page, value="accept").status_code == 303
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["owner"] == me.email
    shown = Page(me.client.get(at_intent)).text
    assert f"Owner {me.email} since the handoff" in shown


def test_declining_a_handoff_needs_a_reason(agent, me):
    asked = ask_handoff(agent)
    r = post(me, asked, show(me, asked), value="decline")
    assert r.status_code == 422 and "comment is needed" in Page(r).text
    r = post(me, asked, show(me, asked), value="decline", reason="Not ours.")
    assert r.status_code == 303
    assert read(agent, asked)["outcome"] == "declined"
    assert get(agent, {"id": asked["intent_id"]}).get("owner") is None


# --- References -----------------------------------------------------------

@pytest.mark.parametrize("ref, link", [
    ("https://files.example/a?b=1#c", True),
    ("https://files.example:8443/", True),
    ("http://files.example/", False),
    ("javascript:alert(1)", False),
    ("https://good.example@evil.example/", False),
    ("https://good.example\\@evil.example/", False),
    ("https:///evil.example", False),
    ("https://exa\u200bmple.example/", False),
    ("https://файл.example/", False),
    ("//evil.example/", False),
    (" https://files.example/", False),
])
def test_only_a_plain_https_address_becomes_a_link(agent, me, ref, link):
    asked = ask(agent, evidence=[{"title": "A piece", "ref": ref}])
    r = me.client.get(at(asked))
    found = re.findall(r'<a href="([^"]*)" target="_blank" '
                       r'rel="noopener noreferrer"><bdi>A piece', r.text)
    assert len(found) == link
    assert "A piece" in Page(r).text
    assert ("files.example" in Page(r).text) == ("files.example" in ref)


# --- The place in the inbox -----------------------------------------------

def links(r):
    return {rel: re.findall(f'<a rel="{rel}" href="([^"]*)"', r.text)
            for rel in ("prev", "next")}


def test_a_question_leads_to_its_neighbours(agent, me):
    """By risk and time. The inbox shows what ends soon before all others, where
    it stands among them."""
    for severity in ("critical", "critical", "high"):
        ask(agent, severity=severity, timeout_seconds=7200)
    order, soon = [], set()
    inbox = me.client.get("/inbox?group=none").text
    for part in re.split('<h2 class="section', inbox):
        rows = re.findall(r'class="title" href="(/suspensions/[^"]*)"', part)
        soon.update(rows if part.startswith(" late") else [])
        order += [] if part.startswith(" late") else rows
    assert len(order) >= 3

    def onward(url, rel):
        found = links(me.client.get(url))[rel]
        return onward(found[0], rel) if found and found[0] in soon else found
    for one, after in list(zip(order, order[1:]))[:3]:
        assert onward(one, "next") == [after]
        assert onward(after, "prev") == [one]
    assert onward(order[0], "prev") == []
    if not soon:
        assert "2 of " in Page(me.client.get(order[1])).text


def test_only_open_questions_have_a_place(agent, operator, me):
    asked = ask(agent)
    assert answer(operator, asked).status_code == 200
    assert links(me.client.get(at(asked))) == {"prev": [], "next": []}


def test_what_is_anothers_stands_among_all(agent, me, person):
    asked = ask(agent, responder={"mode": "named",
                                  "who": person("admin").email})
    r = me.client.get(at(asked))
    assert "You can view this" in Page(r).text
    assert re.search(r"\d+ of (more than )?\d+|after the first",
                     Page(r).text)
    found = links(r)
    assert found["prev"] or found["next"]
