"""A name with letters of several alphabets, such as a Cyrillic "а" in
"refunds-аgent", says so wherever a page or a message shows it."""
import html.parser
import re

import pytest
from kit import answer, ask, at, made, new_id, new_intent, respond, suspend
from page import Page, token
from plans import checkpoint, move, plan, task
from server import TOP
from test_kinds import SUBJECTS
from test_permits import CALL, permit, redeem
from test_tool_calls import call
from test_tool_calls import check as tool_calls

TAG = new_id()[:8]
AGENT = f"refunds-\u0430gent-{TAG}"
LABEL = f"r\u0435funds key {TAG}"
TOOL = f"shop.r\u0435fund-{TAG}"
PROVIDER = f"str\u0456pe-{TAG}"
OTHER = f"\u0430uditor-{TAG}"
NAMES = [AGENT, LABEL, TOOL, PROVIDER, OTHER]
SAID = "letters of several alphabets"
NEAR = 60  # characters between a name and what is said of it


class Shown(html.parser.HTMLParser):
    """The words that a reader is shown or told. Not what a form sends, the raw
    JSON of what was asked, whose bytes have to stay as they are, nor a title in
    a list, which is a sentence: the page that it leads to marks it."""
    VOID = {"input", "meta", "link", "br", "rect"}

    def __init__(self, page):
        super().__init__()
        self.words, self.told, self.open = [], [], []
        self.feed(page)
        self.close()
        self.text = re.sub(r"\s+", " ", "".join(self.words))

    def handle_starttag(self, tag, attrs):
        a = dict(attrs)
        skip = tag in ("title", "script", "style", "textarea") or (
            tag, a.get("class")) in (("ol", "raw"), ("a", "title"))
        self.told += [a[k] for k in ("aria-label", "title") if a.get(k)]
        if tag in ("p", "li", "td", "dd", "dt", "h1", "h2", "div", "tr"):
            self.words.append(" ")
        if tag not in self.VOID:
            self.open.append(skip)

    def handle_endtag(self, tag):
        if tag not in self.VOID:
            self.open.pop()

    def handle_data(self, data):
        if not any(self.open):
            self.words.append(data)


def marked(text, names=NAMES):
    """How often the names are in the text; each has to be followed by what is
    said of it, before the next."""
    either = "|".join(re.escape(one) for one in names)
    parts = re.split(either, text)[1:]
    for n, part in enumerate(parts):
        assert SAID in part[:NEAR + len(SAID)], (n, part[:200], text[:3000])
    return len(parts)


def check(r, *names, status=200):
    """A page shows these names, and each name on it is marked."""
    assert r.status_code == status, r.text
    shown = Shown(r.text)
    marked(shown.text)
    for words in shown.told:
        marked(words)
    for name in names:
        assert name in shown.text, (name, shown.text)
    return shown.text


@pytest.fixture(scope="module")
def villain(server):
    key = server.key("agent", "--agent", AGENT, label=LABEL)
    with server.client(headers={"X-API-Key": key}) as client:
        yield client


@pytest.fixture(scope="module")
def me(person):
    return person("admin").client


def approval(**more):
    return {"action": {"name": TOOL, "provider": PROVIDER}, "target": OTHER,
            "scope_summary": "One refund", "consequence": "Money leaves.",
            "calls": [{**CALL, "tool": TOOL, "target": OTHER}], **more}


def question(client, **more):
    return ask(client, **{"question": f"Refund {TAG}?", "kind": "approval",
                          "choices": None, "response_type": None,
                          "severity": "low", "subject": approval(), **more})


def page_of(asked, more=""):
    return f"/suspensions/{asked['suspension_id']}{more}"


def test_what_is_marked_and_what_is_not(villain, me):
    """A name of one alphabet is not, whatever stands beside it."""
    plain = question(villain, subject=approval(
        action={"name": "\u0432\u043e\u0437\u0432\u0440\u0430\u0442",
                "provider": "stripe"}, target="\u0437\u0430\u043a\u0430\u0437 AB",
        calls=[CALL]), explanation="p\u0430y")
    text = check(me.get(page_of(plain)), AGENT)
    assert text.count(SAID) == text.count(AGENT) >= 3


def test_the_inbox_in_every_form(villain, me):
    made_ = [question(villain), question(villain, question=f"Pay {TAG}?")]
    check(me.get("/inbox", params={"q": TAG}), AGENT)
    for group in ("agent", "none", "deadline"):
        text = check(me.get("/inbox", params={"group": group, "q": TAG}), AGENT)
    text = check(me.get("/inbox", params={"agent": AGENT}), AGENT)
    assert "Remove filter" in text
    r = me.get("/inbox", params={"q": TAG})
    picks = re.findall(r'name="pick\[\]" value="([^"]+)"', r.text)
    assert len(picks) >= 2
    data = {"csrf": token(me), "answer": "approve", "pick[]": picks}
    check(me.post("/inbox/confirm", data=data), AGENT)
    r = me.post("/inbox/decide", data=data)
    assert r.status_code == 303
    check(me.get(r.headers["location"]))
    check(me.get(page_of(made_[0])), AGENT)


@pytest.mark.parametrize("kind, names", [
    ("approval", [TOOL, PROVIDER, OTHER]), ("permission", [TOOL, OTHER]),
    ("plan_review", [TOOL]), ("elicitation", []),
    ("credential_needed", [PROVIDER]), ("cost_confirmation", []),
    ("handoff_acceptance", [OTHER])])
def test_a_question_of_each_kind(server, villain, me, kind, names):
    subject = {
        "approval": approval(),
        "permission": {**SUBJECTS["permission"], "capability": TOOL,
                       "target": OTHER},
        "plan_review": {"plan": {"scope": "All", "expected_outputs": ["a"],
                                 "risk_summary": "low", "version": 1,
                                 "steps": [{"id": "a", "title": "Read",
                                            "tool": TOOL}]}},
        "credential_needed": {**SUBJECTS["credential_needed"],
                              "provider": PROVIDER,
                              "settings_url": server.url + "/settings"},
        "handoff_acceptance": {**SUBJECTS["handoff_acceptance"], "from": OTHER,
                               "to": AGENT}}.get(kind, SUBJECTS[kind])
    asked = question(villain, kind=kind, subject=subject, severity="high",
                     explanation="A reason")
    check(me.get(page_of(asked)), AGENT, *names)
    choices = villain.get(f"/api/v1{page_of(asked)}").json()["choices"] or []
    for one in choices:
        check(me.get(page_of(asked, f"?choice={one['value']}")), AGENT)


@pytest.mark.parametrize("how", ["approve", "reject"])
def test_an_answered_question(server, villain, operator, me, how):
    asked = question(villain, explanation="A reason")
    late = Page(me.get(page_of(asked))).data("/respond", value="approve")
    assert answer(operator, asked, how, reason="So be it.").status_code == 200
    check(me.get(page_of(asked)), AGENT)
    check(me.post(page_of(asked, "/respond"), data=late), status=409)
    check(me.get("/decided", params={"agent": AGENT}), AGENT)
    if how == "reject":
        return
    id_ = permit(server, asked)
    redeem(villain, id_, {"tool": TOOL, "arguments": CALL["args"]})
    check(me.get(page_of(asked)), AGENT, TOOL)
    other = question(villain)
    assert answer(operator, other).status_code == 200
    check(me.get("/settings/permits"), AGENT, TOOL)
    check(me.get("/settings/permits", params={
        "do": "revoke", "key": permit(server, other)}), AGENT)


def test_a_question_that_its_agent_withdrew(villain, me):
    asked = question(villain)
    late = Page(me.get(page_of(asked))).data("/respond", value="approve")
    r = villain.post(f"/api/v1{page_of(asked)}/cancel", json={"reason": "over"})
    assert r.status_code == 200, r.text
    text = check(me.get(page_of(asked)), AGENT)
    assert f"{AGENT} ({SAID}) withdrew the request" in text
    text = check(me.post(page_of(asked, "/respond"), data=late), AGENT,
                 status=409)
    assert f"{AGENT} ({SAID}) withdrew this" in text


def test_a_question_for_another(villain, me):
    asked = question(villain, kind="handoff_acceptance",
                     subject=SUBJECTS["handoff_acceptance"],
                     responder={"mode": "agent", "who": OTHER})
    text = check(me.get(page_of(asked)), AGENT, OTHER)
    assert "You can view this." in text


def test_a_question_on_behalf_of_somebody(villain, me):
    r = tool_calls(villain, call(TOOL), initiated_by=OTHER)
    assert r.status_code == 202, r.text
    asked = {"suspension_id": r.json()["request_id"]}
    check(me.get(page_of(asked)), AGENT, OTHER, TOOL)
    text = check(me.get("/inbox", params={"agent": AGENT}), AGENT, OTHER)
    assert f"on behalf of {OTHER}" in text


def test_an_answer_for_somebody(villain, operator, me):
    intent, id_ = suspend(villain)
    r = respond(operator, intent, id_, "approve", responded_by=OTHER)
    assert r.status_code == 200, r.text
    check(me.get(f"/suspensions/{id_}"), AGENT, OTHER)
    check(me.get(f"/intents/{intent['id']}"), AGENT, OTHER)
    check(me.get("/decided", params={"agent": AGENT}), OTHER)


def test_the_page_of_a_task(villain, me):
    intent = new_intent(villain, "active")
    first = task(villain, intent, "Collect", assigned_agent=AGENT)
    plan(villain, intent, first, state="active",
         checkpoints=[checkpoint(first)])
    move(villain, first, "running")
    made(villain.post(at(intent, "agents"), json={"agent_id": OTHER}), 200)
    made(villain.post(at(intent, "acl/entries"), json={
        "principal_id": OTHER, "principal_type": "agent",
        "permission": "read"}))
    text = check(me.get(f"/intents/{intent['id']}"), AGENT, OTHER)
    assert f"Created by {AGENT} ({SAID})" in text
    assert f"{OTHER} ({SAID}) can read it" in text
    assert f"created by {AGENT} ({SAID}), " in text


def test_the_labels_of_choices(villain, operator, me):
    label = f"R\u0435fund {TAG}"
    asked = ask(villain, severity="high", choices=[
        {"value": "yes", "label": label, "effect": "authorize"},
        {"value": "no", "label": "Keep it", "effect": "veto"}])
    assert marked(check(me.get(page_of(asked))), [label]) >= 1
    assert marked(check(me.get(page_of(asked, "?choice=yes"))), [label]) >= 2
    assert answer(operator, asked, "yes").status_code == 200
    text = check(me.get(page_of(asked)))
    assert f"Approve: {label} ({SAID})" in text


def test_the_page_of_a_portfolio(villain, me):
    one = made(villain.post("/api/v1/portfolios", json={"name": "Returns"}))
    path = f"/api/v1/portfolios/{one['id']}"
    intent = new_intent(villain, "active")
    made(villain.post(f"{path}/intents", json={"intent_id": intent["id"]}))
    question(villain)
    check(me.get(f"/portfolios/{one['id']}"), AGENT)
    made(villain.patch(f"{path}/status", json={"status": "abandoned"}), 200)
    text = check(me.get(f"/portfolios/{one['id']}"), AGENT)
    assert f"by {AGENT} ({SAID})" in text


def test_keys_and_resources(server, villain, me):
    check(me.get("/settings/keys"), AGENT, LABEL)
    with server.database() as db:
        id_ = db.execute("SELECT id FROM api_key WHERE label = %s",
                         [LABEL]).fetchone()[0]
    r = me.get(f"/settings/keys/{id_}")
    check(r, AGENT, LABEL)
    assert f"{LABEL} ({SAID}) - Sayso</title>" in r.text
    with server.resource(f"https://{TAG}.example/mcp", label=OTHER):
        check(me.get("/settings/keys"), OTHER)


def test_no_template_prints_a_name_without_it():
    """Also of a page that the tests above do not know."""
    name = re.compile(r"(?:<bdi>|dir=\"auto\">)\{\{(agent|by|created_by|made_by|on_behalf|owner|"
                      r"resource|responded_by|revoked_by|tool|who)(\|\w+)?\}\}")
    for path in (TOP / "templates").rglob("*.html"):
        if path.name == "plan_row.html":
            continue  # its text is a sentence, which has it in itself
        for line in path.read_text().splitlines():
            bare = name.findall(line)
            said = line.count("{{>inline/mixed_letters}}")
            assert len(bare) <= said * 2, (path.name, line)
