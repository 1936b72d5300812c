"""No page, message or table shows a text of an agent with a hidden character in
it: one of each class, in every text of every kind of question, on every page
that shows them."""
import html.parser
import re

import pytest
from kit import answer, ask, at, made, new_id, new_intent
from page import Page, token
from plans import checkpoint, move, plan, reached, task
from test_kinds import SUBJECTS

# tests/unit/test_text.c has the others.
CLASSES = {
    "override": "\u202e", "zero width": "\u200b", "no-break": "\ufeff",
    "soft hyphen": "\u00ad", "tag": "\U000e0041",
    "variation selector": "\ufe0e", "Hangul filler": "\u3164",
    "flood": "\u0301" * 12,
}
KEPT = {"value", "name", "href", "src", "action", "id", "for", "class", "form",
        "data-live", "data-copy", "data-first", "datetime", "content"}
MARK = re.compile(r"U\+([0-9A-F]{4,6})")


class Shown(html.parser.HTMLParser):
    """The words of a page, drawn and in attributes that people are told."""

    def __init__(self, page):
        super().__init__()
        self.words, self.skip = [], 0
        self.feed(page)
        self.close()
        self.text = "".join(self.words)

    def handle_starttag(self, tag, attrs):
        self.skip += tag in ("script", "style", "textarea")
        self.words += [f" {v} " for k, v in attrs if v and k not in KEPT]

    def handle_endtag(self, tag):
        self.skip -= tag in ("script", "style", "textarea")

    def handle_data(self, data):
        if not self.skip:
            self.words.append(data)


def check(r, sign, least=1, status=200):
    """A page that shows texts with the sign has a mark for each, and never the
    sign."""
    assert r.status_code == status, r.text
    # A table begins with the mark of its encoding.
    text = Shown(r.text).text if "html" in r.headers["content-type"] \
        else r.text.removeprefix("\ufeff")
    assert (sign if len(sign) == 1 else sign[:6]) not in text, (
        text.replace(sign, "@@@@@"))
    number = f"{ord(sign[0]):04X}"
    assert MARK.findall(text).count(number) >= least, text
    return text


@pytest.fixture(scope="module", params=CLASSES.values(), ids=CLASSES)
def sign(request):
    return request.param


@pytest.fixture(scope="module")
def me(person):
    return person("admin").client


@pytest.fixture(scope="module")
def agent(server, sign):
    """One with a name of its own, whose questions are listed alone."""
    with server.client("agent", agent=f"bad-{ord(sign[0]):x}") as client:
        yield client


@pytest.fixture
def bad(sign):
    """bad("Refund") has the sign in the middle."""
    return lambda word: f"{word[:2]}{sign}{word[2:]}"


def whole(value, bad):
    """Every text of a value, and every name of a member in its free parts."""
    if isinstance(value, str):
        return bad(value)
    if isinstance(value, list):
        return [whole(one, bad) for one in value]
    if isinstance(value, dict):
        return {k: whole(v, bad) for k, v in value.items()}
    return value


def subject(kind, server, bad):
    one = whole(SUBJECTS[kind], bad)
    if kind == "permission":
        one["duration"] = SUBJECTS[kind]["duration"]
    if kind == "credential_needed":
        one["settings_url"] = server.url + "/settings"
        one["draft_ref"] = bad("draft:1")
    if kind == "approval":
        one["calls"][0]["args"] = {bad("amount"): bad("much")}
        one["calls"][0]["target"] = bad("order")
        one["constraints"] = SUBJECTS[kind]["constraints"]
    if kind == "plan_review":
        one["plan"]["steps"] = [
            {"id": "a", "title": bad("Read"), "detail": bad("Detail"),
             "tool": bad("mail.read"), "note": bad("A note")},
            {"id": "b", "title": bad("Send")}]
    if kind == "handoff_acceptance":
        one["artifacts"] = [{"title": bad("Draft"), "ref": bad("doc:1"),
                             "kind": bad("text")}]
        one["evidence"] = [{"title": bad("Proof"), "ref": bad("doc:2")}]
        one["open_questions"] = [bad("Who pays?")]
    if kind == "cost_confirmation":
        one["estimate"]["unit"] = one["limit"]["unit"] = "EUR"
    return one


def path_of(asked, more=""):
    return f"/suspensions/{asked['suspension_id']}{more}"


def question(client, bad, **more):
    return ask(client, **{
        "title": bad("Refund?"), "question": bad("May I?"),
        "explanation": bad("It broke."), "severity": "low",
        "context": {bad("order"): bad("12345"), "list": [bad("one")]},
        "choices": [{"value": "yes", "label": bad("Refund it"),
                     "description": bad("Money leaves"), "effect": "authorize"},
                    {"value": "no", "label": bad("Keep it"), "effect": "veto",
                     "description": bad("Nothing")}],
        "intent": {"title": bad("Task"), "description": bad("All of it"),
                   "initiated_by": bad("Mara")}, **more})


def pages_of(asked, me, sign):
    own = {"agent": f"bad-{ord(sign[0]):x}"}
    check(me.get(path_of(asked)), sign)
    check(me.get("/inbox", params=own), sign)
    check(me.get("/inbox", params={"group": "like", **own}), sign)
    check(me.get(f"/intents/{asked['intent_id']}?verify=1"), sign)


def done_pages(asked, me, sign):
    own = {"agent": f"bad-{ord(sign[0]):x}"}
    check(me.get(path_of(asked)), sign)
    check(me.get("/decided", params=own), sign)
    check(me.get("/decided.csv", params=own), sign)
    check(me.get(f"/intents/{asked['intent_id']}?verify=1"), sign)


def test_a_question_and_its_answer(agent, operator, me, sign, bad):
    asked = question(agent, bad)
    pages_of(asked, me, sign)
    for choice in ("yes", "no"):
        check(me.get(path_of(asked, f"?choice={choice}")), sign, 5)
    late = Page(me.get(path_of(asked))).data("/respond", value="yes")
    r = me.get("/inbox", params={"q": asked["suspension_id"]})
    picks = re.findall(r'name="pick\[\]" value="([^"]+)"', r.text)
    data = {"csrf": token(me), "answer": "approve", "pick[]": picks}
    check(me.post("/inbox/confirm", data=data), sign)
    r = answer(operator, asked, "yes", reason=bad("So be it."))
    assert r.status_code == 200, r.text
    done_pages(asked, me, sign)
    check(me.post(path_of(asked, "/respond"), data=late), sign, status=409)


@pytest.mark.parametrize("kind", SUBJECTS)
def test_each_kind(server, agent, operator, me, sign, bad, kind):
    asked = question(agent, bad, kind=kind, subject=subject(kind, server, bad),
                     choices=None, response_type=None, context=None)
    check(me.get(path_of(asked)), sign, 4)
    choices = agent.get(f"/api/v1{path_of(asked)}").json()["choices"] or []
    for one in choices:
        check(me.get(path_of(asked, f"?choice={one['value']}")), sign, 4)
    pages_of(asked, me, sign)
    yes = next((c["value"] for c in choices
                if c["effect"] in ("authorize", "accept")), None)
    if kind != "credential_needed":
        r = answer(operator, asked, yes or bad("red"))
        assert r.status_code == 200, r.text
        done_pages(asked, me, sign)


def test_a_default(agent, me, sign, bad):
    asked = question(agent, bad, fallback_policy="complete_with_fallback",
                     fallback_value="no", timeout_seconds=900)
    pages_of(asked, me, sign)


def test_a_form(agent, operator, me, sign, bad):
    asked = question(agent, bad, choices=None, response_type="form", form=[
        {"key": "a", "type": "string", "label": bad("Name"),
         "help": bad("Help"), "default": bad("Mara")},
        {"key": "b", "type": "enum", "label": bad("Size"),
         "options": [{"value": "s", "label": bad("Small")},
                     {"value": "m", "label": bad("Medium")}]},
        {"key": "c", "type": "enum", "label": bad("Of many"),
         "options": [bad(f"option {n}") for n in range(9)]},
        {"key": "d", "type": "multi", "label": bad("Some"),
         "options": [bad("one"), bad("two")]}])
    check(me.get(path_of(asked)), sign, 15)
    pages_of(asked, me, sign)
    r = answer(operator, asked, {"a": bad("Mara"), "b": "s",
                                 "c": bad("option 1"), "d": [bad("one")]})
    assert r.status_code == 200, r.text
    done_pages(asked, me, sign)


def test_a_text(agent, operator, me, sign, bad):
    asked = question(agent, bad, choices=None, response_type="text")
    pages_of(asked, me, sign)
    r = answer(operator, asked, bad("Some words"))
    assert r.status_code == 200, r.text
    done_pages(asked, me, sign)


def test_a_task_and_a_portfolio(agent, me, sign, bad):
    intent = new_intent(agent, "active", title=bad("Collect"),
                        description=bad("All"), state={bad("a"): bad("b")})
    first = task(agent, intent, bad("First"))
    plan(agent, intent, first, state="active",
         checkpoints=[checkpoint(first, bad("Look"))])
    move(agent, first, "running")
    move(agent, first, "failed", error=bad("broken"))
    made(agent.post(at(intent, "events"), json={
        "event_type": "comment", "payload": {bad("k"): bad("v")}}), 201)
    check(me.get(f"/intents/{intent['id']}"), sign, 5)
    one = made(agent.post("/api/v1/portfolios", json={
        "name": bad("Returns"), "description": bad("Many")}))
    made(agent.post(f"/api/v1/portfolios/{one['id']}/intents", json={
        "intent_id": intent["id"]}))
    check(me.get(f"/portfolios/{one['id']}"), sign, 3)


def test_a_change_of_a_yes(server, agent, me, sign, bad):
    """The form, the difference, a refused one, and the version approved."""
    asked = question(agent, bad, kind="approval", allow_edit=True, context=None,
                     subject=subject("approval", server, bad), choices=None,
                     response_type=None)
    page = me.get(path_of(asked, "?choice=edit"))
    check(page, sign, 4)
    data = Page(page).data("/respond")
    key = next(k for k, v in data.items() if v == bad("much"))
    data = {**data, key: bad("more"), "look": "edit"}
    r = me.post(path_of(asked, "/respond"), data=data)
    text = check(r, sign, 4)
    assert "difference" in text or "Approve with changes" in text
    data = {**Page(r).data("/respond"), "value": "edit", "reason": bad("Yes"),
            "typed": bad("order 12345")}
    late = {**data, "typed": bad("another")}
    check(me.post(path_of(asked, "/respond"), data={**data, "value": bad("x")}),
          sign, status=422)
    r = me.post(path_of(asked, "/respond"), data=data)
    assert r.status_code == 303, r.text
    done_pages(asked, me, sign)
    check(me.post(path_of(asked, "/respond"), data=late), sign, status=409)


def test_a_plan_and_its_revision(server, agent, operator, me, sign, bad):
    def put(**more):
        return question(agent, bad, kind="plan_review", choices=None,
                        response_type=None, context=None, **more)

    one = subject("plan_review", server, bad)
    first = put(subject=one)
    check(me.get(path_of(first, "?choice=approve_edited")), sign, 4)
    assert answer(operator, first, "request_changes",
                  reason=bad("Leave it out.")).status_code == 200
    other = {"plan": {**one["plan"], "version": 2, "scope": bad("Less"),
                      "steps": [{**one["plan"]["steps"][0],
                                 **{k: bad("Other") for k in (
                                     "title", "detail", "tool", "note")}}]}}
    second = put(subject=other, intent=None, intent_id=first["intent_id"],
                 supersedes=first["suspension_id"])
    text = check(me.get(path_of(second)), sign, 10)
    assert "Compared with" in text
    page = Page(me.get(path_of(second, "?choice=approve_edited")))
    r = me.post(path_of(second, "/respond"), data=page.data(
        "/respond", look="approve_edited", n1=bad("My note")))
    check(r, sign, 10)


def test_a_refused_form(agent, me, sign, bad):
    asked = question(agent, bad, choices=None, response_type="form", form=[
        {"key": "a", "type": "integer", "label": bad("Number"),
         "required": True}])
    page = Page(me.get(path_of(asked)))
    r = me.post(path_of(asked, "/respond"),
                data=page.data("/respond", f1=bad("many")))
    check(r, sign, 3, status=422)


def test_a_request_for_access(agent, operator, me, sign, bad):
    intent = new_intent(agent, "active", title=bad("Collect"))
    asked = made(agent.post(at(intent, "access-requests"), json={
        "principal_id": "other-agent", "principal_type": "agent",
        "requested_permission": "write", "reason": bad("I can help.")}))
    check(me.get(f"/intents/{intent['id']}"), sign, 2)
    check(me.get(f"/suspensions/{asked['id']}"), sign)


def test_a_checkpoint(agent, me, sign, bad):
    *_, id_ = reached(agent, name=bad("Look"))
    check(me.get(f"/suspensions/{id_}"), sign)


def test_the_log_of_deliveries(agent, me, channel, sign, bad):
    channel("mail", bad("Ops"), address="ops@example.com", every=True)
    question(agent, bad)
    check(me.get("/settings/channels"), sign)
    check(me.get("/settings/deliveries"), sign, 2)
