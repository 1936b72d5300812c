"""The inbox: the audience of a question, filters in the address, several
answers at once, saved views, and decided questions with their export."""
import contextlib
import csv
import html
import io
import json
import pathlib
import re
import subprocess
import time
from urllib.parse import quote

import httpx
import pytest

import kit

from kit import answer, ask, new_id, wait_for
from page import Page, send
from questions import many

route = pytest.mark.route
csv.field_size_limit(1 << 24)  # arguments may be longer than its 128 kB

APPROVAL = {"action": {"name": "payments.refund"}, "target": "KES-EU-1",
            "scope_summary": "one order", "consequence": "Money leaves."}
COST = {"purpose": "index", "estimate": {"amount": 1200, "unit": "USD"},
        "limit": {"amount": 1800, "unit": "USD"}}
PERMISSION = {"capability": "mail.send", "target": "support",
              "risk_text": "Some.", "consequence": "Mail.",
              "duration": {"kind": "once"}}


@pytest.fixture(scope="module")
def tag():
    """A word that only this module's questions have."""
    return "w" + new_id().replace("-", "")[:12]


@pytest.fixture(scope="module")
def me(person):
    return person("operator")


@pytest.fixture
def post(agent, tag):
    """post(title, ...) asks a question that the search finds."""
    def make(title="Refund?", **more):
        return ask(agent, title=f"{title} {tag}",
                   **{"response_type": "confirm", "choices": None,
                      "severity": "medium", **more})
    return make


@pytest.fixture
def approval(post):
    def make(title="Refund?", subject=None, **more):
        return post(title, kind="approval", response_type=None,
                    subject={**APPROVAL, **(subject or {})}, **more)
    return make


def in_groups(server, one, *groups):
    with server.database() as db:
        db.execute("UPDATE principal SET groups = %s WHERE email = %s",
                   [" ".join(groups) or None, one.email])


def listed(client, **query):
    """The ids that a list shows, in its order."""
    r = client.get("/inbox", params=query)
    assert r.status_code == 200, r.text
    return re.findall(r'class="title" href="/suspensions/([^"]+)"', r.text)


def walk(client, **query):
    """The same of all its pages."""
    path, seen = "/inbox?" + str(httpx.QueryParams(query)), []
    for _ in range(100):
        r = client.get(path)
        assert r.status_code == 200, r.text
        seen += re.findall(r'class="title" href="/suspensions/([^"]+)"', r.text)
        older = re.search(r'href="([^"]+)">Older', r.text)
        if not older:
            break
        path = older[1].replace("&amp;", "&")
    assert len(seen) == len(set(seen))
    return seen


def ids(*asked):
    return [a["suspension_id"] for a in asked]


# --- Whose ----------------------------------------------------------------

@route("GET /inbox")
def test_the_inbox_is_what_its_reader_may_answer(server, post, person, tag):
    one, other = person("operator"), person("operator")
    finance, legal_ = "finance" + new_id()[:8], "legal" + new_id()[:8]
    in_groups(server, one, finance, "night")
    in_groups(server, other, legal_)
    anyone = post()
    mine = post(responder={"mode": "named", "who": one.email})
    theirs = post(responder={"mode": "named", "who": other.email})
    ours = post(responder={"mode": "group", "who": finance})
    legal = post(responder={"mode": "group", "who": legal_})
    asked = post(responder={"mode": "initiator"},
                 intent={"title": "x", "initiated_by": one.email})
    barred = post(responder={"mode": "operators", "not_initiator": True},
                  intent={"title": "x", "initiated_by": one.email})
    see = lambda **q: set(listed(one.client, q=tag, **q))
    assert see() == set(ids(anyone, mine, ours, asked))
    assert see(view="mine") == set(ids(mine, asked))
    assert see(view="groups") == set(ids(ours))
    assert see(view="all") >= set(ids(anyone, mine, theirs, ours, legal,
                                      asked, barred))
    # Without the search too: another statement.
    assert set(listed(one.client, view="mine")) == set(ids(mine, asked))
    assert set(listed(one.client, agent="refunds-agent", view="groups")) == \
        set(ids(ours))
    r = one.client.get("/inbox?view=mine")
    text = Page(r).text
    assert re.search(r"Mine Any [\d+]+ Mine 2 My groups 1 Kind", text), text
    assert 'href="/inbox" aria-current="true"' in r.text  # to remove it
    # No numbers that the other filters do not narrow; they are kept.
    r = one.client.get("/inbox?view=mine&risk=low")
    assert "Mine Any Mine My groups Kind" in Page(r).text
    assert 'href="/inbox?risk=low&amp;view=groups"' in r.text


def test_who_only_reads_sees_all_and_decides_nothing(person, post, tag):
    reader = person("auditor")
    asked = post()
    assert asked["suspension_id"] in listed(reader.client, q=tag)
    page = reader.client.get("/inbox")
    assert "pick[]" not in page.text
    r = reader.client.post("/inbox/confirm", data={"answer": "approve"})
    assert r.status_code == 403


def test_the_count_is_what_the_reader_can_act_on(server, person, post):
    one = person("operator")

    def count(view):
        page = Page(one.client.get("/inbox"))
        return re.search(rf"Any [\d+]+ {view} (\d+)?", page.text)[1]

    # Beyond two hundred the title shows no number; the count of their own does.
    assert count("Mine") is None
    post(responder={"mode": "named", "who": person("operator").email})
    assert count("Mine") is None
    post(responder={"mode": "named", "who": one.email})
    assert count("Mine") == "1"
    assert re.search(r"<title>\([\d+,]+\) ", one.client.get("/decided").text)


def counts(client, path):
    """Every place of a page that says how many open requests the inbox has."""
    text = client.get(path).text
    head, _, rest = text.partition('<main id="main">')
    places = {
        "title": r"<title>\(([^)]*)\)",
        "bar": r'class="count">([^< ]*)',
        "sheet": r'class="sheet">.*?href="/inbox"[^>]*>.*?<span class="n">'
                 r"([^<]*)",
        "side": r'class="side".*?href="/inbox"[^>]*>.*?<span class="n">'
                r"([^<]*)"}
    found = {k: re.search(v, head, re.S)[1] for k, v in places.items()}
    more = {
        "heading": r'class="quiet total">([\d,+]+)'
                   r'<span class="of"> open requests? for you',
        "chip": r'>All <span class="n">([^<]*)',
        "pager": r"<span>50 of ([\d,+]+) shown</span>",
        "place": r'class="quiet nth">[\d,]+ of ([\d,+]+)</span>'}
    for k, v in more.items():
        if match := re.search(v, rest):
            found[k] = match[1]
    return found


def test_all_counts_of_a_page_are_one(person, post):
    """Up to two hundred, and beyond."""
    one, asked = person("user"), []
    for n, said in ((1, "1"), (2, "2"), (60, "60"), (200, "200"),
                    (201, "200+"), (203, "200+")):
        while len(asked) < n:
            asked.append(post(intent={"title": "x", "initiated_by": one.email},
                              responder={"mode": "initiator"}))
        found = counts(one.client, "/inbox")
        assert set(found.values()) == {said}, (n, found)
        assert {"heading", "chip"} <= set(found)
        assert ("pager" in found) == (n > 50)
        found = counts(one.client,
                       f"/suspensions/{asked[0]['suspension_id']}")
        assert set(found.values()) == {said}, (n, found)
    text = one.client.get("/inbox").text
    assert '1<span class="of"> open request ' not in text
    assert '200+<span class="of"> open requests for you' in text


# --- Filters --------------------------------------------------------------

@route("GET /inbox")
def test_each_filter_narrows_the_list(me, post, approval, other_agent, tag):
    word = "f" + new_id()[:8]
    low = approval(word, severity="low", timeout_seconds=600)
    high = approval(word, severity="high", timeout_seconds=7200)
    plain = post(word, severity=None)
    foreign = ask(other_agent, title=f"{word} {tag}", severity="low")
    see = lambda **q: listed(me.client, q=f"{word} {tag}", **q)
    assert see() == ids(low, high, plain, foreign)  # what is due is first
    assert see(sort="deadline")[:2] == ids(low, high)
    assert see(kind="approval") == ids(low, high)
    assert see(kind="none") == ids(plain, foreign)
    assert see(risk="low") == ids(low, foreign)
    assert see(risk="none") == ids(plain)
    assert see(agent="other-agent") == ids(foreign)
    assert see(due="15m") == ids(low)
    assert see(due="4h") == ids(low, high)
    assert see(kind="approval", risk="high", agent="refunds-agent",
               due="1d", view="all") == ids(high)
    # The same without the search.
    for query in ({"kind": "approval"}, {"risk": "low"}, {"due": "15m"},
                  {"agent": "other-agent"}, {"view": "all"}):
        found = set(walk(me.client, **query)) & set(
            ids(low, high, plain, foreign))
        assert found == set(see(**query)), query


def test_an_agents_name_narrows_the_list_to_it(server, me, post, tag):
    word, name = "n" + new_id()[:8], 'a&agent=b+"\u00fc%41'
    key = server.key("agent", "--agent", name)
    with server.client(headers={"X-API-Key": key}) as odd:
        theirs = ask(odd, title=f"{word} {tag}", severity="low")
    others = post(word, severity="low")
    query = {"q": f"{word} {tag}", "risk": "low", "sort": "deadline"}
    r = me.client.get("/inbox", params=query)
    links = {html.unescape(re.sub("<[^>]*>", "", shown)): html.unescape(url)
             for url, shown in re.findall(
                 r'<a class="flat" href="([^"]+)"><span>(<bdi>.*?)</span></a>',
                 r.text)}
    assert len(links) == 2
    for agent, asked in ((name, theirs), ("refunds-agent", others)):
        url = links[agent]
        # The other filters stay.
        assert dict(httpx.URL(url).params) == {**query, "agent": agent}
        r = me.client.get(url)
        assert re.findall(r'class="title" href="/suspensions/([^"]+)"',
                          r.text) == ids(asked)
        # It is what the list is narrowed to, and no way to anywhere.
        assert "<summary>Agent</summary>" not in r.text
        assert "Remove filter" in r.text


@pytest.mark.parametrize("q", [
    "view=x", "kind=x", "risk=up", "due=5", "sort=up", "group=x", "q=" +
    "x" * 201, "agent=" + "x" * 121, "after=nothing", "kind=approval&kind=x",
    "bogus=1"])
def test_an_unknown_filter_is_refused(me, q):
    assert me.client.get(f"/inbox?{q}").status_code == 400


def test_words_are_found_by_their_start_and_ids_whole(me, post):
    word = "zebra" + new_id()[:6]
    asked = post(f"{word.upper()}_2024", question="Über-Größe: 18-40391?")
    for q in (word, word[:6], f"{word} 2024", f"{word} größe", f"{word} 18-40",
              asked["suspension_id"], asked["intent_id"],
              f"{word} refunds-agent"):
        assert asked["suspension_id"] in listed(me.client, q=q), q
    for q in (f"{word} nothing", word[1:], "!!", "'; --", "& | ! <-> :*"):
        assert asked["suspension_id"] not in listed(me.client, q=q), q


@pytest.mark.parametrize("title, found, not_found", [
    ("注文12345の返金を確認してください",
     ["返金", "返金を確認", "12345", "の返金 注文", "１２３４５"],
     ["金返", "返金注文"]),
    ("ยืนยันการคืนเงินลูกค้า", ["คืนเงิน", "ลูกค้า"], ["เงินคืน"]),
    ("请批准向客户退款500元", ["退款", "客户退款", "500"], ["款退"]),
    ("Über-Größe für Kunden", ["größe", "kun"], ["unden"]),
])
def test_words_without_spaces_between_them(me, post, title, found, not_found):
    tag = "tag" + new_id()[:6]
    asked = post(f"{tag} {title}")["suspension_id"]
    for q in found:
        assert asked in listed(me.client, q=f"{tag} {q}"), q
    for q in not_found:
        assert asked not in listed(me.client, q=f"{tag} {q}"), q


def test_the_list_pages_by_key(me, post, tag):
    word = "page" + new_id()[:6]
    all_of_them = {post(word, severity=s)["suspension_id"]
                   for s in ("low", "medium", "critical", None) * 14}
    for query in ({"q": word}, {"q": word, "sort": "deadline"}, {},
                  {"view": "all", "sort": "deadline"}):
        seen = walk(me.client, **query)
        assert all_of_them <= set(seen), query


def test_what_silence_has_done_is_said(server, me, person, channel, post):
    """An answer is overdue when an attempt passed, until the time is up."""
    name, other = f"desk {new_id()}", person("operator")
    channel("webhook", name, notify_to=[me.email])
    policy = {"max_attempts": 3, "interval_seconds": 3600,
              "final_fallback_policy": "fail"}
    up = post("Climbed", retry_policy={**policy, "escalation_ladder": [
        {"attempt": 2, "channel_hint": name, "notify_to": me.email}]})
    again = post("Repeated", retry_policy=policy)

    def row(who, asked):
        r = who.client.get("/inbox", params={"q": asked["suspension_id"]})
        return Page(r).text

    for asked in (up, again):
        assert "Reminder sent" not in row(me, asked)
        assert "Escalated" not in row(me, asked)
    with server.database() as db:
        db.execute("UPDATE open_question SET attempt = 2 WHERE suspension_id "
                   "= ANY (%s)",
                   [[up["suspension_id"], again["suspension_id"]]])
    assert "Reminder sent" in row(me, up) and "2 h left" in row(me, up)
    assert "Escalated to you." in row(me, up)
    assert "Escalated." in row(other, up)
    assert "Reminder sent" in row(me, again)
    assert "Escalated" not in row(me, again)


def paid(amount, currency="EUR", tool="payments.refund_create"):
    return {**APPROVAL, "calls": [{"tool": tool, "args": {
        "amount": amount, "currency": currency}}]}


def groups(client, **query):
    """The folded groups of a list: name, number and risk, sum, ids."""
    text = client.get("/inbox", params=query).text
    found = []
    for part in text.split('class="grouped folded"')[1:]:
        part = part.split("</details>")[0]
        head = part.split("</summary>")[0]
        sum_ = re.search(r'class="figure">([^<]+)</span> <bdi[^>]*>([^<]*)',
                         head)
        found.append((
            re.search(r'class="said-why"><bdi>([^<]*)', head)[1],
            re.search(r'class="how-many">([^<]*)', head)[1],
            " ".join(sum_.groups()) if sum_ else "",
            re.findall(r'class="title" href="/suspensions/([^"]+)"', part)))
    return found


@route("GET /inbox")
def test_alike_requests_are_one_group_with_their_sum(me, approval, post):
    """Of one agent, kind, risk, tool and currency; from three on."""
    word = "like" + new_id()[:6]
    euro = [approval(f"{word} {n}", paid(f"{n}.40"), severity="low")
            for n in range(1, 4)]
    for n in range(2):
        approval(f"{word} two", paid("5", tool="other.tool"), severity="low")
        approval(f"{word} dollar", paid("7.5", "USD"), severity="low")
        approval(f"{word} medium", paid("8"), severity="medium")
    for n in range(3):
        post(f"{word} words alone", severity="low")
        approval(f"{word} high", paid("9"), severity="high")
        approval(f"{word} unsaid", paid("9"), severity=None)
    assert groups(me.client, q=word) == [
        ("payments.refund_create", "3 requests, all low", "7.20 EUR",
         ids(*euro))]
    shown = listed(me.client, q=word)
    assert len(shown) == len(set(shown)) == 18
    assert groups(me.client, q=word, group="none") == []
    text = Page(me.client.get(f"/inbox?q={word}")).text
    assert "Alike 3 in 1 group" in text and "Others 15" in text, text
    assert "refunds-agent 18" in Page(
        me.client.get(f"/inbox?q={word}&group=agent")).text
    assert "No deadline 18" in Page(
        me.client.get(f"/inbox?q={word}&group=deadline")).text


def test_a_group_has_a_sum_only_of_equal_currencies(me, approval):
    word = "sum" + new_id()[:6]
    mixed = {**APPROVAL, "calls": [
        {"tool": "pay", "args": {"amount": "1.00", "currency": "EUR"}},
        {"tool": "pay", "args": {"amount": 2, "currency": "USD"}}]}
    odd = {**APPROVAL, "calls": [{"tool": "pay", "args": {
        "amount": "1e3", "currency": "EUR"}}]}
    both = {**APPROVAL, "calls": [
        {"tool": "pay", "args": {"amount": "1.50", "currency": "EUR"}},
        {"tool": "pay", "args": {"amount": 1000, "currency": "EUR"}}]}
    for subject, said in ((mixed, ""), (odd, ""), (both, "3,004.50 EUR")):
        mine = word + new_id()[:6]
        for _ in range(3):
            approval(mine, subject, severity="low")
        (_, _, total, _), = groups(me.client, q=mine)
        assert total == said, (subject, total)


def test_groups_go_to_the_readers_limit_and_are_reviewed_together(
        me, approval, person, server):
    word = "limit" + new_id()[:6]
    for n in range(3):
        approval(word, paid("1"), severity="medium")
    (_, said, total, of), = groups(me.client, q=word)
    assert (said, total) == ("3 requests, all medium", "3 EUR")
    page = me.client.get(f"/inbox?q={word}")
    pick = re.findall(r'<input type="hidden" name="pick\[\]" value="([^"]+)"',
                      page.text)
    assert [p.split(":")[0] for p in pick] == of
    r = confirm(me.client, Page(page).value("/inbox/confirm", "csrf"),
                "approve", pick, back=f"/inbox?q={word}")
    assert "Approve 3 requests?" in Page(r).text
    low = person("operator")
    with server.database() as db:
        db.execute("UPDATE principal SET bulk_limit = 'low' WHERE email = %s",
                   [low.email])
    assert groups(low.client, q=word) == []


def test_what_is_due_stands_first_and_once(me, post, agent):
    """On all pages together, whatever its risk, and in no other list."""
    word = "due" + new_id()[:6]
    post(f"{word} critical", severity="critical")
    due = [ask(agent, title=f"{word} {n}", severity=[None, "low"][n % 2],
               timeout_seconds=600 + n) for n in range(4)]
    rest = [ask(agent, title=f"{word} {n}", severity="low",
                timeout_seconds=7200) for n in range(60)]
    assert len(rest) == 60
    seen = walk(me.client, q=word)
    assert seen[:4] == ids(*due) and len(seen) == 65
    text = me.client.get(f"/inbox?q={word}").text
    assert "Due in 15 min <span class=\"n\"><span class=\"k\">4</span>" in text
    assert "<span>50 of 65 shown</span>" in text
    assert listed(me.client, q=word, sort="deadline")[:4] == ids(*due)
    # Of another risk than the list: told, with a link to them.
    r = me.client.get(f"/inbox?q={word}&risk=low")
    assert listed(me.client, q=word, risk="low")[:2] == ids(due[1], due[3])
    assert "2 with another risk" in Page(r).text
    there = re.search(r'href="([^"]+)">2 with another', r.text)[1]
    found = re.findall(r'class="title" href="/suspensions/([^"]+)"',
                       me.client.get(there.replace("&amp;", "&")).text)
    assert found == ids(*due)


# --- Several at once ------------------------------------------------------

def picks(client, **query):
    r = client.get("/inbox", params=query)
    page = Page(r)
    return (page.value("/inbox/confirm", "csrf"),
            re.findall(r'type="checkbox" name="pick\[\]" value="([^"]+)"',
                       r.text))


def confirm(client, csrf, answer, pick, **more):
    return client.post("/inbox/confirm", data={
        "csrf": csrf, "answer": answer, "pick[]": pick, **more})


@route("POST /inbox/confirm")
@route("POST /inbox/decide")
def test_one_decision_for_many_leaves_out_what_is_not_for_it(
        me, approval, post, operator, person):
    word = "bulk" + new_id()[:6]
    low = approval(f"{word} low", severity="low")
    unsaid = approval(f"{word} unsaid")
    high = approval(f"{word} high", severity="high")
    cost = post(f"{word} cost", kind="cost_confirmation", response_type=None,
                severity="low", subject=COST)
    text = post(f"{word} text", response_type="text", severity="low")
    foreign = post(f"{word} foreign", severity="low", responder={
        "mode": "named", "who": person("operator").email})
    csrf, pick = picks(me.client, q=word, view="all")
    assert len(pick) == 6
    r = confirm(me.client, csrf, "approve", pick,
                back=f"/inbox?q={word}")
    page = Page(r)
    assert r.status_code == 200 and "Approve 2 requests?" in page.text
    assert "Above your limit (medium)." in page.text
    assert page.text.count("It has no simple approval.") == 3  # and at the head
    assert "You cannot answer this request." in page.text
    # A GET or this page decides nothing.
    assert me.client.get("/inbox/confirm").status_code == 405
    for asked in (low, unsaid, high):
        got = operator.get(f"/api/v1/suspensions/{asked['suspension_id']}")
        assert got.json()["state"] == "pending"
    # All of them are sent; the ones left out stay out.
    r = me.client.post("/inbox/decide", data={
        "csrf": csrf, "answer": "approve", "pick[]": pick})
    page = Page(r)
    assert "2 approved, 4 not" in page.text
    states = {a: operator.get(f"/api/v1/suspensions/{a}").json()["state"]
              for a in ids(low, unsaid, high, cost, text, foreign)}
    assert list(states.values()) == ["resolved"] * 2 + ["pending"] * 4


def test_all_that_is_approved_together_is_shown(me, approval, post):
    """An agent's label is not the choice's effect."""
    word = "whole" + new_id()[:6]
    calls = [{"tool": "payments.transfer", "dry": False,
              "args": {"amount": 50000, "to": "a<b>\u202e"}}]
    approval(f"{word} Refund 5 EUR", {"calls": calls}, severity="low")
    approval(f"{word} long", {"calls": [{"tool": "t", "args": {
        "text": "x" * 2000}}]}, severity="low")
    approval(f"{word} many", {"calls": [{"tool": "t", "args": {
        "list": [1] * 60}}]}, severity="low")
    post(f"{word} grave", kind="permission", response_type=None,
         severity="medium", subject=PERMISSION)
    csrf, pick = picks(me.client, q=word)
    r = confirm(me.client, csrf, "approve", pick)
    text = " ".join(Page(r).text.split())
    assert "Approve 2 requests?" in text
    for part in ("calls[0].tool payments.transfer", "calls[0].dry false",
                 "calls[0].args.amount 50000", "calls[0].args.to a<b> U+202E",
                 f" {APPROVAL['target']} ",
                 f"capability {PERMISSION['capability']}"):
        assert part in text, part
    assert text.count("Its details are too long for a list.") == 3
    # A question that was left out stays out when it is sent, and a no needs no
    # facts.
    r = me.client.post("/inbox/decide", data={
        "csrf": csrf, "answer": "approve", "pick[]": pick})
    assert "2 approved, 2 not" in Page(r).text
    csrf, pick = picks(me.client, q=word)
    r = confirm(me.client, csrf, "reject", pick)
    assert "Reject 2 requests?" in Page(r).text


SAME = "Same details as another open request:"


@pytest.mark.parametrize("kind, subject", [
    ("approval", APPROVAL), ("cost_confirmation", COST),
    ("permission", PERMISSION)])
def test_an_open_request_names_those_with_the_same_details(
        me, post, operator, person, kind, subject):
    mark = new_id()[:8]

    def asked(**more):
        return post(f"same {mark}", kind=kind, response_type=None,
                    severity="low", subject={**subject, "mark": mark, **more})

    def shown(one, who=me, **params):
        r = who.client.get(f"/suspensions/{one['suspension_id']}",
                           params=params)
        assert r.status_code == 200
        part = r.text.partition(SAME)[2].partition("</p>")[0]
        assert (SAME in r.text) == bool(part)
        others = re.search(r" and (\d+\+?) other", part)
        return re.findall(r'href="/suspensions/([^"]+)"', part) + (
            [others[1]] if others else [])

    first = asked()
    assert shown(first) == []
    second, other = asked(), asked(mark="another")
    assert shown(second) == [first["suspension_id"]]
    assert shown(first) == [second["suspension_id"]]
    assert shown(other) == []
    choice = operator.get(f"/api/v1/suspensions/{first['suspension_id']}"
                          ).json()["choices"][0]["value"]
    assert shown(first, choice=choice) == [second["suspension_id"]]
    assert answer(operator, first, choice).status_code == 200
    assert shown(second) == []
    named = [asked()["suspension_id"]]
    assert shown(second) == named
    for n in range(1, 12):
        asked()
        assert shown(second) == named + [str(n) if n < 10 else "9+"]
    # A user may not learn of what others are asked.
    user = person("user")
    named = post(f"same {mark}", kind=kind, response_type=None, severity="low",
                 subject={**subject, "mark": mark},
                 intent={"title": "x", "initiated_by": user.email},
                 responder={"mode": "initiator"})
    assert shown(named, who=user) == []


def test_a_grave_permission_is_not_approved_among_many(server, post, person):
    word, boss = "typed" + new_id()[:6], person("operator")
    with server.database() as db:
        db.execute("UPDATE principal SET bulk_limit = 'critical' WHERE "
                   "email = %s", [boss.email])
    for severity in ("medium", "high"):
        post(f"{word} {severity}", kind="permission", response_type=None,
             severity=severity, subject=PERMISSION)
    csrf, pick = picks(boss.client, q=word)
    r = confirm(boss.client, csrf, "approve", pick)
    assert "Approve 1 request?" in Page(r).text
    assert "It needs a typed confirmation." in Page(r).text
    r = boss.client.post("/inbox/decide", data={
        "csrf": csrf, "answer": "approve", "pick[]": pick})
    assert "1 approved, 1 not" in Page(r).text


def test_a_changed_or_answered_one_is_refused_and_named(
        me, approval, operator, agent):
    word = "stale" + new_id()[:6]
    for n in range(3):
        approval(f"{word} {n}", severity="low")
    csrf, pick = picks(me.client, q=word)
    changed = pick[0][:-4] + "beef"
    taken = {"suspension_id": pick[1].split(":")[0]}
    assert answer(operator, taken).status_code == 200
    data = {"csrf": csrf, "answer": "approve"}
    page = Page(confirm(me.client, csrf, "approve", [changed, *pick[1:]]))
    assert "Approve 1 request?" in page.text
    assert "The request has changed." in page.text
    page = Page(me.client.post("/inbox/decide", data={
        **data, "pick[]": [changed, *pick[1:], "nothing:0"]}))
    assert "1 approved, 3 not" in page.text
    assert "The request has changed." in page.text
    assert "no longer open" in page.text
    assert "There is no suspension with this id." in page.text
    # The one that was refused is still open, and each has its own event.
    left = operator.get(f"/api/v1/suspensions/{changed.split(':')[0]}").json()
    assert left["state"] == "pending"
    done = operator.get(f"/api/v1/suspensions/{pick[2].split(':')[0]}").json()
    assert done["responded_by"] == me.email and done["outcome"] == "authorized"


def test_many_are_rejected_with_a_reason_only(me, approval, operator):
    word = "no" + new_id()[:6]
    asked = [approval(f"{word} {n}", severity="low") for n in range(2)]
    csrf, pick = picks(me.client, q=word)
    data = {"csrf": csrf, "answer": "reject", "pick[]": pick}
    r = me.client.post("/inbox/decide", data=data)
    assert r.status_code == 422 and "Enter a comment" in r.text
    r = me.client.post("/inbox/decide", data={**data, "reason": " "})
    assert r.status_code == 422
    r = me.client.post("/inbox/decide", data={**data, "reason": "Not now."})
    assert r.status_code == 303
    page = Page(me.client.get(r.headers["location"]))
    assert "2 rejected." in page.text
    for one in ids(*asked):
        got = operator.get(f"/api/v1/suspensions/{one}").json()
        assert (got["outcome"], got["reason"]) == ("vetoed", "Not now.")


def test_at_most_fifty_and_only_with_a_token(me, approval):
    approval("token", severity="low")
    csrf, pick = picks(me.client)
    many = [f"{new_id()}:{'0' * 64}" for _ in range(51)]
    for answer, chosen, code in (("approve", many, "bulk.many"),
                                 ("maybe", pick, "bulk.answer")):
        r = confirm(me.client, csrf, answer, chosen)
        assert r.status_code == 422 and code in Page(r).text
    assert confirm(me.client, "x", "approve", pick).status_code == 403
    r = me.client.post("/inbox/decide", data={"csrf": "x", "answer":
                                              "approve", "pick[]": pick})
    assert r.status_code == 403
    page = Page(confirm(me.client, csrf, "approve", []))
    assert "No requests selected" in page.text
    r = confirm(me.client, csrf, "approve", [], back="//evil.example/")
    assert "evil" not in r.text


def test_a_persons_limit_is_theirs(server, person, approval):
    one = person("operator")
    word = "limit" + new_id()[:6]
    approval(f"{word} a", severity="high")
    approval(f"{word} b", severity="low")
    approval(f"{word} c")
    for limit, many in (("low", 1), ("medium", 2), ("critical", 3)):
        with server.database() as db:
            db.execute("UPDATE principal SET bulk_limit = %s WHERE email = %s",
                       [limit, one.email])
        csrf, pick = picks(one.client, q=word)
        text = Page(confirm(one.client, csrf, "approve", pick)).text
        assert f"Approve {many} request" in text, (limit, text)


def test_one_is_taken_out_of_many(me, approval, operator):
    """By its id; the others keep their digests, the sum and the comment
    follow."""
    word = "without" + new_id()[:6]
    asked = [approval(f"{word} {n}", paid(f"{n}.50"), severity="low")
             for n in range(1, 4)]
    csrf, pick = picks(me.client, q=word)
    page = Page(confirm(me.client, csrf, "approve", pick))
    assert "Approve 3 requests?" in page.text and "7.50 EUR" in page.text
    without = [f["value"] for f in page.form("/inbox/decide")["fields"]
               if f["name"] == "without"]
    assert without == ids(*asked)
    r = confirm(me.client, csrf, "approve", pick, without=without[1],
                reason="Seen <all>.", back=f"/inbox?q={word}")
    page = Page(r)
    assert "Approve 2 requests?" in page.text and "5.00 EUR" in page.text
    assert "One request was left out." in page.text
    assert page.value("/inbox/decide", "reason") == "Seen <all>."
    left = re.findall(r'name="pick\[\]" value="([^"]+)"', r.text)
    assert left == [pick[0], pick[2]]
    # The focus is at the one that stood behind it.
    assert re.findall(r'name="without" value="([^"]+)"[^>]*autofocus',
                      r.text) == [without[2]]
    assert f"picked={without[0]}.{without[2]}" in html.unescape(r.text)
    # The last one has nothing behind it, and one alone cannot be left out.
    r = confirm(me.client, csrf, "approve", left, without=without[2])
    assert "Approve 1 request?" in Page(r).text
    assert 'name="without"' not in r.text and "data-ready" in r.text
    r = confirm(me.client, csrf, "approve", left[:1], without=without[0])
    assert "No requests selected" in Page(r).text
    # Nothing is taken out by the id of another one.
    r = confirm(me.client, csrf, "approve", left, without=without[1])
    assert "Approve 2 requests?" in Page(r).text
    r = me.client.post("/inbox/decide", data={**page.data("/inbox/decide"),
                                              "pick[]": left})
    assert r.status_code == 303
    states = [operator.get(f"/api/v1/suspensions/{a}").json()["state"]
              for a in ids(*asked)]
    assert states == ["resolved", "pending", "resolved"]


@pytest.mark.parametrize("back, to", [
    ("/inbox?risk=low", "/inbox?risk=low&"), ("/inbox", "/inbox?"),
    ("//evil.example/", "/inbox?"), ("/inbox/../decided", "/inbox?")])
def test_many_lead_back_to_their_list(me, person, approval, back, to):
    """The line says what its reader has answered, and only that."""
    word = "back" + new_id()[:6]
    approval(word, severity="low")
    csrf, pick = picks(me.client, q=word)
    r = me.client.post("/inbox/decide", data={
        "csrf": csrf, "answer": "approve", "pick[]": pick, "back": back})
    assert r.status_code == 303
    where = r.headers["location"]
    assert where == to + "answered=" + pick[0].split(":")[0]
    text = Page(me.client.get(where)).text
    assert "Approved:" in text and word in text
    assert "Approved:" not in Page(person("operator").client.get(where)).text


def test_all_that_match_are_the_ones_listed(me, approval, operator):
    """By digest, at most fifty, of the list alone; what was asked since is not
    answered."""
    word = "match" + new_id()[:6]
    high = approval(f"{word} high", severity="high")
    asked = [approval(f"{word} {n}", paid("1"), severity="low")
             for n in range(52)]
    other_ = approval("x" + word[::-1], severity="low")
    csrf, _ = picks(me.client, q=word)
    r = me.client.post("/inbox/confirm", data={
        "csrf": csrf, "all": "approve", "back": f"/inbox?q={word}"})
    page = Page(r)
    assert "Approve 50 requests?" in page.text
    assert ("50 of 53 that match; 1 before them cannot be answered together."
            in page.text)
    data = page.data("/inbox/decide")
    listed_ = re.findall(r'name="pick\[\]" value="([^":]+):', r.text)
    assert len(listed_) == 50 and set(listed_) <= set(ids(*asked))
    late = approval(f"{word} late", severity="low")
    r = me.client.post("/inbox/decide", data={**data, "pick[]": re.findall(
        r'name="pick\[\]" value="([^"]+)"', r.text)})
    assert r.status_code == 303
    states = {a: operator.get(f"/api/v1/suspensions/{a}").json()["state"]
              for a in ids(high, *asked, other_, late)}
    assert {a for a, state in states.items() if state == "resolved"} == set(
        listed_)
    for back in ("/inbox?risk=up", "/inbox?q=%zz"):
        r = me.client.post("/inbox/confirm", data={
            "csrf": csrf, "all": "approve", "back": back})
        assert r.status_code == 400
    r = me.client.post("/inbox/confirm", data={
        "csrf": csrf, "all": "maybe", "back": "/inbox"})
    assert r.status_code == 422


def test_what_waits_for_others_is_a_list_of_its_own(server, person, post,
                                                   me):
    """The reader may see them and not answer: they are for a person, a group, or
    for whoever is not the one for whom the agent works."""
    word = "others" + new_id()[:6]
    one, other = person("operator"), person("operator")
    in_groups(server, one, "mine")
    in_groups(server, other, "theirs")
    own = {"title": "Hers", "initiated_by": one.email}
    name = lambda mode, who: {"mode": mode, "who": who}
    asked = {
        "mine": post(word),
        "named": post(word, severity="low",
                      responder=name("named", other.email)),
        "group": post(word, responder=name("group", "theirs")),
        "own group": post(word, responder=name("group", "mine")),
        "four eyes": post(word, intent=own, responder={
            "mode": "operators", "not_initiator": True}),
        "both": post(word, intent=own, responder={
            **name("group", "theirs"), "not_initiator": True})}
    waits = ["named", "group", "four eyes", "both"]
    wanted = sorted(ids(*(asked[x] for x in waits)))
    for query in ({"q": word}, {"agent": "refunds-agent"}, {}):
        found = walk(one.client, view="others", **query)
        assert len(found) == len(set(found))
        assert sorted(set(found) & set(ids(*asked.values()))) == wanted, query
    r = one.client.get("/inbox", params={"view": "others", "q": word})
    page = Page(r)
    assert 'name="pick[]"' not in r.text
    assert f"Waits for {other.email}" in page.text
    assert "Waits for theirs" in page.text
    assert "Waits for another operator" in page.text
    assert re.search(r'href="/inbox\?view=others" aria-current="page"', r.text)
    # Together with the inbox it is all that is open.
    may = walk(one.client, q=word)
    assert sorted(may + wanted) == sorted(ids(*asked.values()))
    assert not set(ids(asked["four eyes"])) & set(walk(
        me.client, view="others", q=word))
    # Each ends with its answer.
    r = other.client.post(
        f"/suspensions/{asked['named']['suspension_id']}/respond",
        data=Page(other.client.get(
            f"/suspensions/{asked['named']['suspension_id']}")).data(
                "/respond", value="yes"))
    r = one.client.get("/inbox", params={"view": "others", "q": word})
    assert len(re.findall('class="title"', r.text)) == 3


# --- What is found ----------------------------------------------------------

def test_what_is_searched_for_is_marked(me, post, operator):
    """In open and ended ones; a text of an agent stays a text."""
    word = "mark" + new_id()[:6]
    asked = post(f"{word} <img src=x onerror=1> & Refunds caf\u00e9",
                 severity="low", explanation=f"\u8fd4\u91d1 </span>{word}")
    title = (f'>{element("mark", word)} &lt;{element("mark", "img")} src=x '
             f'onerror=1&gt; &amp; {element("mark", "Refund")}s '
             f'{element("mark", "caf" + chr(0xe9))} ')
    query = {"q": f"{word.upper()} refund IMG cafe \u8fd4\u91d1"}
    text = me.client.get("/inbox", params=query).text
    assert title in text
    assert (f'{element("mark", chr(0x8fd4) + chr(0x91d1))} &lt;/span&gt;'
            f'{element("mark", word)}<') in text
    assert "<mark>" not in me.client.get("/inbox").text
    answer(operator, asked, "yes", reason=f"<b>{word}</b>")
    text = me.client.get("/decided", params=query).text
    assert title in text
    assert f'&lt;b&gt;{element("mark", word)}&lt;/b&gt;' in text
    # The agent's name, where that is what was typed.
    text = me.client.get("/decided", params={"q": f"{word} refunds-ag"}).text
    assert "<mark>refunds</mark>-<mark>ag</mark>ent" in text


def element(tag, text):
    return f"<{tag}>{text}</{tag}>"


# --- From an answer to the next -------------------------------------------

def after(client, asked, **posted):
    """Where the answer to a request leads."""
    page = Page(client.get(f"/suspensions/{asked['suspension_id']}"))
    r = client.post(f"/suspensions/{asked['suspension_id']}/respond",
                    data=page.data("/respond", value="yes", **posted))
    assert r.status_code == 303, r.text
    return r.headers["location"]


@route("POST /suspensions/{id}/respond")
def test_an_answer_leads_to_the_next_of_its_list(me, post, person, operator):
    word = "leads" + new_id()[:6]
    ask_ = lambda **more: post(word, severity="low", **more)
    one, gone, foreign, next_ = (
        ask_(), ask_(),
        ask_(responder={"mode": "named", "who": person("operator").email}),
        ask_())
    list_ = f"/inbox?view=all&q={word}&after={one['suspension_id']}"
    operator.post(f"/api/v1/suspensions/{gone['suspension_id']}/respond",
                  json={"value": "yes"})
    where = after(me.client, one, list=list_.partition("&after")[0])
    assert where == (f"/suspensions/{next_['suspension_id']}"
                     f"?answered={one['suspension_id']}"
                     f"&list=%2Finbox%3Fview%3Dall%26q%3D{word}")
    page = Page(me.client.get(where))
    assert "Approved:" in page.text
    assert "View 2 left in this list" in page.text
    # At the end of the list back to it; the pages themselves say what was
    # answered on the way.
    r = me.client.post(f"/suspensions/{next_['suspension_id']}/respond",
                       data=page.data("/respond", value="yes"))
    where = r.headers["location"]
    assert where == (f"/inbox?view=all&q={word}&answered="
                     f"{one['suspension_id']}.{next_['suspension_id']}")
    assert "Done: 2 approved." in Page(me.client.get(where)).text
    # From its second page, of which nothing is left, back to that.
    last = ask_()
    where = after(me.client, last, list=list_)
    assert where == f"{list_}&answered={last['suspension_id']}"
    # From no list, or from nowhere here: the result.
    for list_ in ("", "/decided", "//evil.example/inbox", "https://evil/",
                  "/inboxes//evil.example", "/inbox?q=a\r\nb"):
        asked, _ = ask_(), ask_()
        where = after(me.client, asked, list=list_)
        assert where == f"/suspensions/{asked['suspension_id']}", list_
    # From one that does not exist to the inbox.
    asked = ask_()
    where = after(me.client, asked, list="/inbox?risk=up&q=%zz")
    assert where == f"/inbox?risk=up&q=%zz&answered={asked['suspension_id']}"
    assert me.client.get("/inbox?answered=" + "x." * 900).status_code == 200


@pytest.mark.parametrize("wish", ["list", "stay", "next"])
def test_an_answer_leads_where_its_reader_wishes(person, post, wish):
    word = "wish" + new_id()[:6]
    one = person("operator")
    assert send(one.client, "/settings/profile",
                {"After an answer": wish}).status_code == 303
    asked, later = (post(word, severity="low") for _ in range(2))
    where = after(one.client, asked, list=f"/inbox?q={word}")
    assert where == {
        "list": f"/inbox?q={word}&answered={asked['suspension_id']}",
        "stay": f"/suspensions/{asked['suspension_id']}",
        "next": f"/suspensions/{later['suspension_id']}"
                f"?answered={asked['suspension_id']}"
                f"&list=%2Finbox%3Fq%3D{word}"}[wish]


def test_a_list_with_a_long_address_is_left_out(me, post):
    """The next one is led to without it, and the result shown at its end."""
    words = "\U00020000" * 200
    asked, later = (post(explanation=words, severity="low")
                    for _ in range(2))
    list_ = "/inbox?q=" + quote(words)
    assert after(me.client, asked, list=list_) == (
        f"/suspensions/{later['suspension_id']}"
        f"?answered={asked['suspension_id']}")
    where = after(me.client, later, list="/inbox?q=" + "x" * 5000)
    assert where == f"/suspensions/{later['suspension_id']}"


def way(response):
    """The link that leads to the yes of a confirm."""
    return html.unescape(
        re.search(r'href="([^"]+choice=yes[^"]*)"', response.text)[1])


def test_the_list_is_the_one_that_a_link_stands_in(server, me, post):
    """Without a script the browser says it, and the links of the page."""
    word = "stands" + new_id()[:6]
    asked, later = post(word), post(word)
    r = me.client.get(
        f"/suspensions/{asked['suspension_id']}", headers={
            "Referer": f"{server.url}/inbox?q={word}&answered=x.y&picked=z"})
    list_ = f"list=%2Finbox%3Fq%3D{word}"
    assert f'href="/inbox?q={word}"' in r.text
    page = Page(me.client.get(way(r)))
    r = me.client.post(f"/suspensions/{asked['suspension_id']}/respond",
                       data=page.data("/respond", value="yes"))
    assert r.headers["location"] == (
        f"/suspensions/{later['suspension_id']}"
        f"?answered={asked['suspension_id']}&{list_}")
    to = way(me.client.get(r.headers["location"]))
    assert to.endswith(f"&{list_}&done={asked['suspension_id']}")
    for elsewhere in ("https://evil.example/inbox", server.url + "/decided",
                      server.url + "/inboxes", server.url):
        r = me.client.get(f"/suspensions/{later['suspension_id']}",
                          headers={"Referer": elsewhere})
        assert 'data-list=""' in r.text, elsewhere


@pytest.mark.parametrize("list_, said", [
    ("/inbox?q={word}", "left in this list"), ("/inbox", "left in Inbox"),
    ("/inbox?agent=refunds-agent", "left in refunds-agent"),
    ("/inbox?kind=none", "left in Question"),
    ("/inbox?kind=none&risk=low", "left in this list"),
    ("/inbox?agent=nobody-here", ""), ("/inbox?risk=up", ""), ("/decided", ""),
    ("/inbox?q=%zz", "")])
def test_the_line_says_how_many_are_left(me, post, list_, said):
    word = "left" + new_id()[:6]
    done, next_ = (post(f"{word} {n}", severity="low") for n in range(2))
    after(me.client, done)
    text = Page(me.client.get(
        f"/suspensions/{next_['suspension_id']}", params={
            "answered": done["suspension_id"],
            "list": list_.format(word=word)})).text
    assert "Approved:" in text
    assert said in text if said else " left in " not in text, text


# --- Saved views ----------------------------------------------------------

@route("GET /views")
@route("POST /views")
def test_a_view_is_saved_shared_and_removed(person):
    one, other = person("operator"), person("operator")
    name = "Night " + new_id()[:6]
    page = Page(one.client.get(
        "/views", params={"path": "/inbox", "query": "risk=high&due=1h"}))
    save = lambda client, **typed: client.post(
        "/views", data=page.data("/views", name=name, **typed))
    assert save(one.client).status_code == 303
    assert name in one.client.get("/inbox").text
    assert 'href="/inbox?risk=high&amp;due=1h"' in one.client.get(
        "/decided").text
    assert name not in other.client.get("/inbox").text
    assert save(one.client, shared="yes").status_code == 303  # gives way
    # Once in the list, and twice on the way to it.
    assert one.client.get("/views").text.count(f">{name}<") == 3
    assert name in other.client.get("/inbox").text
    views = one.client.get("/views").text
    view = re.search(r'name="id" value="([^"]+)"', views)[1]
    theirs = Page(other.client.get(
        "/views", params={"path": "/inbox", "query": "risk=low"}))
    gone = {"csrf": theirs.value("/views", "csrf"), "do": "remove", "id": view}
    assert other.client.post("/views", data=gone).status_code == 303
    assert name in one.client.get("/views").text  # it was not theirs
    gone["csrf"] = page.value("/views", "csrf")
    assert one.client.post("/views", data=gone).status_code == 303
    assert name not in one.client.get("/views").text


@pytest.mark.parametrize("typed", [
    {"name": ""}, {"name": "x" * 61}, {"path": "/settings"},
    {"query": "a=<b>"}, {"query": "x" * 2001}, {"query": "a=b#c"}])
def test_what_is_no_view_is_not_saved(me, typed):
    page = Page(me.client.get(
        "/views", params={"path": "/inbox", "query": "risk=high"}))
    data = page.data("/views", **{"name": "x", **typed})
    assert me.client.post("/views", data=data).status_code == 422


def test_at_most_fifty_views(person):
    client = person("operator").client
    page = Page(client.get(
        "/views", params={"path": "/inbox", "query": "risk=high"}))
    save = lambda name: client.post(
        "/views", data=page.data("/views", name=name))
    for n in range(50):
        assert save(f"View {n}").status_code == 303
    r = save("View 50")
    assert r.status_code == 409 and "already have 50 saved views" in Page(r).text
    assert save("View 49").status_code == 303  # one of the fifty


@route("GET /keys")
def test_the_keys_are_a_page(me):
    text = Page(me.client.get("/keys")).text
    assert "Next, previous row j k" in text and \
        "type the target, then Enter" in text


# --- Decided --------------------------------------------------------------

@route("GET /decided")
@route("GET /decided.csv")
@route("GET /decided.jsonl")
def test_what_was_decided_is_narrowed_and_exported(
        me, approval, agent, operator):
    name = "dec-" + new_id()[:6]
    yes = approval("=cmd|calc", headers={"X-Agent-ID": "refunds-agent"},
                   explanation=name)
    no = approval('Say "no", please')
    assert answer(operator, yes).status_code == 200
    r = answer(operator, no, "reject", reason="+1,\n2")
    assert r.status_code == 200, r.text

    def see(**query):
        r = me.client.get("/decided", params=query)
        assert r.status_code == 200, r.text
        found = re.findall(r'class="title" href="/suspensions/([^"]+)"',
                           r.text)
        return [one for one in found if one in ids(yes, no)]

    assert see() == ids(no, yes)
    assert see(outcome="rejected") == ids(no)
    assert see(outcome="approved", kind="approval", via="native") == \
        ids(yes)
    assert see(kind="permission") == [] == see(via="clock")
    assert see(agent="refunds-agent") == ids(no, yes)
    assert see(agent="refunds-agent", outcome="rejected") == ids(no)
    assert see(agent="nobody") == [] == see(until="2020-01-01")
    assert see(**{"from": "2020-01-01"}) == ids(no, yes)
    who = operator.get(f"/api/v1/suspensions/{ids(no)[0]}").json()[
        "responded_by"]
    assert see(who=who, outcome="rejected") == ids(no)
    assert see(who=who, agent="nobody") == []
    text = Page(me.client.get("/decided", params={"who": who})).text
    assert re.search(r"refunds-agent Approval ", text), text

    r = me.client.get("/decided.csv", params={"who": who})
    assert r.headers["content-type"] == "text/csv; charset=utf-8"
    assert "attachment" in r.headers["content-disposition"]
    assert r.content.startswith(b"\xef\xbb\xbfdecided_at,")  # Excel needs it
    rows = {x["suspension_id"]: x for x in csv.DictReader(
        io.StringIO(r.content.decode("utf-8-sig"), newline=""))}
    assert rows[ids(yes)[0]]["title"].startswith("'=cmd|calc")
    assert rows[ids(no)[0]]["title"].startswith('Say "no", please')
    assert rows[ids(no)[0]]["reason"] == "'+1,\n2"
    r = me.client.get("/decided.jsonl", params={"outcome": "rejected"})
    lines = {x["suspension_id"]: x for x in map(json.loads,
                                                r.text.splitlines())}
    assert ids(yes)[0] not in lines
    assert lines[ids(no)[0]]["reason"] == "+1,\n2"
    assert lines[ids(no)[0]]["outcome"] == "rejected"


def exported(client, asked):
    """A question's row in both files, with the same filters."""
    def only(rows):
        return [x for x in rows if x["suspension_id"] == ids(asked)[0]][0]

    r = client.get("/decided.csv", params={"agent": "refunds-agent"})
    table = only(csv.DictReader(io.StringIO(r.text[1:], newline="")))
    r = client.get("/decided.jsonl", params={"agent": "refunds-agent"})
    line = only(map(json.loads, r.text.splitlines()))
    assert list(table) == list(line)
    return table, line


def test_the_export_says_what_was_allowed_instead(
        me, approval, operator, agent):
    edited = approval("edit", allow_edit=True)
    # The kind's own choices, as the page offers them.
    offered = {x["value"]: x["label"] for x in operator.get(
        f"/api/v1/suspensions/{ids(edited)[0]}").json()["choices"]}
    r = answer(operator, edited, "edit", reason="the other one",
               typed="KES-EU-2",
               subject={**APPROVAL, "target": "KES-EU-2"})
    assert r.status_code == 200, r.text
    table, line = exported(me.client, edited)
    assert line["value"] == table["value"] == "edit"
    assert line["label"] == table["label"] == \
        f"Approve with changes: {offered['edit']}"
    assert line["modified"] is True and table["modified"] == "true"
    assert line["approved_sha256"] == table["approved_sha256"] == \
        r.json()["approved_sha256"]
    assert line["approved_sha256"] != line["subject_sha256"]
    assert line["constraints"] is None and table["constraints"] == ""

    less = approval("less", subject={"constraints": {"amount": 500}})
    r = answer(operator, less, "constrain", constraints={"amount": 9})
    assert r.status_code == 200, r.text
    table, line = exported(me.client, less)
    assert line["constraints"] == {"amount": 9} == \
        json.loads(table["constraints"])
    assert line["modified"] is True
    assert line["approved_sha256"] == (r.json()["approved_sha256"] or "")

    as_asked = approval("as asked")
    assert answer(operator, as_asked).status_code == 200
    table, line = exported(me.client, as_asked)
    assert line["modified"] is False and table["modified"] == "false"
    assert line["approved_sha256"] == table["approved_sha256"] == ""


def test_the_export_says_what_was_answered(me, post, operator):
    asked = post("Which?", kind="elicitation", response_type=None,
                 subject={"prompt": "Which?"},
                 form=[{"key": "n", "type": "integer"}, {"key": "who"}])
    given = {"n": 3, "who": "=SUM(A1)"}
    r = answer(operator, asked, given)
    assert r.status_code == 200, r.text
    table, line = exported(me.client, asked)
    assert line["value"] == given == json.loads(table["value"])
    assert line["label"] == "" and line["outcome"] == "answered"
    # A text answer is text in a table, and harmless there.
    words = post("Words?", kind="elicitation", response_type=None,
                 subject={"prompt": "Words?"})
    assert answer(operator, words, "=1+1").status_code == 200
    table, line = exported(me.client, words)
    assert line["value"] == "=1+1" and table["value"] == "'=1+1"
    # A decline has no value.
    no = post("No?", kind="elicitation", response_type=None,
              subject={"prompt": "No?"})
    r = operator.post(f"/api/v1/suspensions/{ids(no)[0]}/respond",
                      json={"choice": "decline"})
    assert r.status_code == 200, r.text
    table, line = exported(me.client, no)
    assert line["value"] is None and table["value"] == ""


def test_the_export_says_what_an_expiry_went_on_with(me, agent):
    expire = {"timeout_seconds": 1}
    asked = ask(agent, **expire, fallback_policy="use_default_and_continue",
                fallback_value="deny")
    ended = ask(agent, **expire)
    for one in ids(asked, ended):
        wait_for(lambda: agent.get(f"/api/v1/suspensions/{one}").json()[
            "state"] == "expired")
    table, line = exported(me.client, asked)
    assert line["outcome"] == table["outcome"] == "expired"
    assert line["value"] == table["value"] == "deny"
    assert line["label"] == table["label"] == "Deny refund"
    table, line = exported(me.client, ended)
    assert line["value"] is None and table["value"] == "" == table["label"]
    for one, said in ((asked, "continued with its default, “Deny refund”"),
                      (ended, "task stopped")):
        r = me.client.get("/decided", params={
            "q": one["suspension_id"]})
        assert f"No answer in 1 s, {said}" in Page(r).text


@pytest.mark.parametrize("q", ["outcome=x", "via=x", "kind=x", "from=x",
                               "until=2020-13-01", "after=nothing"])
def test_an_unknown_filter_of_the_decided_is_refused(me, q):
    assert me.client.get(f"/decided?{q}").status_code == 400


@contextlib.contextmanager
def many_decided(server, n, response="null", kinds=(None,), ends=("none",)):
    """n answers of one person, written as the program writes them, their
    kinds and outcomes in turn."""
    of = {"who": new_id(), "n": n, "response": response,
          "kinds": list(kinds), "ends": list(ends)}
    with server.database() as db, db.transaction():
        db.execute("SET LOCAL session_replication_role = replica")
        db.execute("""
            INSERT INTO intent (id, title, created_by, status, constraints,
                state, version, created_at, updated_at)
            SELECT md5(%(who)s || n)::uuid, 'x', 'x', 'active', '{}', '{}', 1,
                   '2020-01-01', '2020-01-01'
              FROM generate_series(1, %(n)s) n""", of)
        many(db, """
            INSERT INTO question (id, intent_id, seq, record, response_type,
                question, subject, subject_sha256, context, choices, asked_by,
                suspended_at, fallback_policy, on_reject, asked_sequence,
                state, outcome, response, responded_at, responded_by,
                responded_via, kind)
            SELECT %(who)s || '-' || n, md5(%(who)s || n)::uuid, 1, '{}',
                   'text', '?', '{}', repeat('0', 64), '{}', '[]', 'x',
                   '2020-01-01', 'fail', 'resume', 1, 'resolved',
                   (%(ends)s::text[])[1 + n %% cardinality(%(ends)s)],
                   %(response)s,
                   timestamptz '2020-01-02' + n * interval '1 second',
                   %(who)s, 'native',
                   (%(kinds)s::text[])[1 + n %% cardinality(%(kinds)s)]
              FROM generate_series(1, %(n)s) n""", of)
    try:
        yield of["who"]
    finally:
        with server.database() as db, db.transaction():
            # The signer waits for their events.
            db.execute("SELECT FROM receipt_end FOR UPDATE")
            db.execute("DELETE FROM receipt_wait "
                       "WHERE starts_with(suspension_id, %(who)s)", of)
            db.execute("WITH gone AS (DELETE FROM decision WHERE decided_by = "
                       "%(who)s RETURNING suspension_id) DELETE FROM "
                       "suspension WHERE id IN (SELECT * FROM gone)", of)
            db.execute("DELETE FROM ended_words WHERE starts_with("
                       "suspension_id, %(who)s)", of)
            db.execute("DELETE FROM intent WHERE id IN (SELECT md5(%(who)s || "
                       "n)::uuid FROM generate_series(1, %(n)s) n)", of)


def test_a_day_is_the_readers(server, person):
    """Both questions were answered on the second of January, by UTC."""
    one = person()
    with many_decided(server, 2) as who:
        for zone, day in ((None, 2), ("America/New_York", 1),
                          ("Asia/Kolkata", 2)):
            with server.database() as db:
                db.execute("UPDATE principal SET time_zone = %s WHERE "
                           "email = %s", [zone, one.email])
            for key, shown in (("from", day >= 2), ("until", day <= 1)):
                other = "2020-01-02" if key == "from" else "2020-01-01"
                query = {"who": who, key: other}
                r = one.client.get("/decided", params=query)
                assert (f"/suspensions/{who}-1" in r.text) == shown, zone
                r = one.client.get("/decided.jsonl", params=query)
                assert len(r.text.splitlines()) == 2 * shown, zone
            query = {"who": who, "from": f"2020-01-0{day}",
                     "until": f"2020-01-0{day}"}
            r = one.client.get("/decided", params=query)
            assert f"/suspensions/{who}-2" in r.text, zone


def chips(client, **query):
    """The options of each row of filters, with their counts."""
    r = client.get("/decided", params=query)
    assert r.status_code == 200, r.text
    rows = re.findall(r'<span class="lbl">(Outcome|Kind|Via)</span></summary>'
                      r'\s*<ul class="drop counts">(.*?)</ul>', r.text, re.S)
    return {head: dict(re.findall(
        r'<a class="flat"[^>]*>(?:<svg.*?</svg>)?([^<]+?)'
        r'(?: <span class="n">([^<]*)</span>)?</a>', row))
        for head, row in rows}


JANUARY = {"from": "2020-01-02", "until": "2020-01-02"}


def test_the_filters_of_the_decided_are_counted(server, me):
    with many_decided(server, 12, kinds=(
            "approval", "approval", "permission", None),
            ends=("authorized", "vetoed")) as who:
        # By the index of all, and among those of one person or agent.
        for by in (JANUARY, {"who": who}, {"agent": "x", **JANUARY},
                   {"agent": "x", "who": who}):
            ends = {"All": "12", "Approved": "6", "Rejected": "6"}
            assert chips(me.client, **by) == {
                "Outcome": ends, "Via": {"Any": "12", "API": "12"},
                "Kind": {"All": "12", "Approval": "6", "Permission": "3",
                         "Question": "3"}}
            # A row does not count what is chosen in itself.
            assert chips(me.client, outcome="rejected", **by) == {
                "Outcome": ends, "Via": {"Any": "6", "API": "6"},
                "Kind": {"All": "6", "Approval": "3", "Question": "3"}}
            # A chosen filter stays visible, so that it can be removed.
            assert chips(me.client, kind="permission", outcome="rejected",
                         **by) == {
                "Outcome": {"All": "3", "Approved": "3", "Rejected": "0"},
                "Kind": {"All": "6", "Approval": "3", "Permission": "0",
                         "Question": "3"}, "Via": {"Any": "0"}}
        assert chips(me.client, who=who, agent="other")["Kind"] == {
            "All": "0"}


def test_a_count_is_never_less_than_it_seems(server, me):
    with many_decided(server, 200) as who:
        assert chips(me.client, **JANUARY)["Kind"] == {
            "All": "200", "Question": "200"}
    with many_decided(server, 201) as who:
        for by in (JANUARY, {"who": who}):
            assert chips(me.client, **by)["Kind"] == {
                "All": "200+", "Question": "200+"}
    # Beyond what is looked through of one person few may be more, and none
    # may be some.
    with many_decided(server, 2001, kinds=[None] * 99 + ["cost_confirmation"]
                      ) as who:
        told = chips(me.client, who=who)["Kind"]
        assert told["All"] == told["Question"] == "200+"
        assert told["Cost"] == "" == told["Approval"]
        told = chips(me.client, **JANUARY)["Kind"]
        assert told == {"All": "200+", "Cost": "20", "Question": "200+"}
    with many_decided(server, 2000, kinds=[None] * 99 + ["cost_confirmation"]
                      ) as who:
        assert chips(me.client, who=who)["Kind"] == {
            "All": "200+", "Cost": "20", "Question": "200+"}


def jsonl_ids(text):
    return [x["suspension_id"] for x in map(json.loads, text.splitlines())
            if "cut" not in x]


def csv_ids(text):
    rows = list(csv.reader(io.StringIO(text.lstrip("\ufeff"), newline="")))
    at = rows[0].index("suspension_id")
    return [x[at] for x in rows[1:] if len(x) > 2]


def high_water(*pids):
    """The most memory that one of them ever had, in bytes; 0: they have ended."""
    most = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            text = pathlib.Path(f"/proc/{pid}/status").read_text()
            most = max([most] + [int(n) * 1024 for n in
                                 re.findall(r"VmHWM:\s+(\d+) kB", text)])
    return most


def peak(server, *args):
    """Runs a command; its output, and the most memory that it had."""
    most = 0
    done = subprocess.Popen(
        [server.state / "app/sayso", *args], stdout=subprocess.PIPE, text=True,
        env={**server.environ, "SAYSO_CONF": server.state / "sayso.conf"})
    while done.poll() is None:
        most = max(most, high_water(done.pid))
        time.sleep(0.005)
    assert done.returncode == 0
    return done.communicate()[0], most


def test_the_command_exports_all(server, me, tmp_path):
    """In memory that does not grow with them."""
    file = tmp_path / "decided"
    with many_decided(server, 20_000, response='"' + "x" * 600 + '"'):
        with server.database() as db:
            all_ = db.execute("SELECT count(*) FROM ended_words").fetchone()[0]
        for options, ids in (((), jsonl_ids), (("--csv",), csv_ids)):
            said, most = peak(server, "export", "--decided", file, *options)
            # 17,000 rows less.
            _, few = peak(server, "export", "--decided", tmp_path / "few",
                          "--since", "2020-01-02T04:43:20Z", *options)
            assert most < few + 8_000_000
            found = ids(file.read_text())
            assert len(found) == len(set(found)) == all_
            assert said == f"{all_} requests\n"
        done = server.sayso("export", "--decided", str(file), "--since",
                            "2100-01-01T00:00:00Z")
        assert done.stdout == "0 requests\n"
        assert server.sayso("export", "--decided", str(file), "--since",
                            "yesterday").returncode == 2


def test_an_export_tells_where_it_ends(server, me):
    """More rows than one file holds."""
    with many_decided(server, 30_050, kinds=("approval", None),
                      ends=("authorized", "vetoed")) as who:
        r = me.client.get("/decided.jsonl", params={"who": who})
        lines = [json.loads(x) for x in r.text.splitlines()]
        assert len(lines) == 5001 and "at most 5,000" in lines[-1]["cut"]
        assert len({x["suspension_id"] for x in lines[:-1]}) == 5000
        rows = list(csv.reader(io.StringIO(me.client.get(
            "/decided.csv", params={"who": who}).text[1:], newline="")))
        assert len(rows) == 5002 and "at most 5,000" in rows[-1][0]
        assert lines[-1]["after"] == lines[-2]["suspension_id"] == \
            rows[-1][1]
        # Each says where the next begins, to the end.
        most = high_water(*server.workers())
        for path, ids in (("/decided.jsonl", jsonl_ids),
                          ("/decided.csv", csv_ids)):
            seen, url = [], f"{path}?who={who}"
            while url:
                r = me.client.get(url)
                seen += ids(r.text)
                url = r.links.get("next", {}).get("url")
            assert len(seen) == len(set(seen)) == 30_050
        # Twelve files more need what one needed.
        assert high_water(*server.workers()) < most + 8_000_000
        # One page reads 30,000 of them, and says so.
        r = me.client.get("/decided", params={
            "who": who, "kind": "approval", "outcome": "rejected"})
        assert "Only 30,000 requests were searched" in r.text
        assert 'href="/decided?who=' in r.text and ">Older" in r.text


def test_an_export_ends_with_a_whole_row(server, me):
    """More bytes than one file holds."""
    words = "w" * 120_000
    with many_decided(server, 80, json.dumps(words)) as who:
        r = me.client.get("/decided.jsonl", params={"who": who})
        assert r.status_code == 200 and len(r.content) < (8 << 20) + 1000
        *lines, last = map(json.loads, r.text.splitlines())
        assert 60 < len(lines) < 70 and "8 MB" in last["cut"]
        assert all(x["value"] == words for x in lines)
        *rows, last = csv.reader(io.StringIO(me.client.get(
            "/decided.csv", params={"who": who}).text, newline=""))
        # The first one is the names.
        assert len(rows) == len(lines) + 1 and "8 MB" in last[0]
        assert {len(x) for x in rows} == {len(lines[0])} == {26}


@route("GET /inbox")
@route("POST /api/v1/suspensions")
def test_the_initiator_is_left_out_however_spelled(post, me, person):
    """An exclusion also holds for another spelling with capitals or a space."""
    asked = post("Whose?", intent={
        "title": "T", "initiated_by": f"  {me.email.upper()} "},
        responder={"mode": "operators", "not_initiator": True})
    other = post("Whose?", intent={
        "title": "T", "initiated_by": person("operator").email},
        responder={"mode": "operators", "not_initiator": True})
    seen = listed(me.client, q=asked["suspension_id"])
    assert asked["suspension_id"] not in seen
    assert other["suspension_id"] in listed(me.client,
                                            q=other["suspension_id"])
    page = me.client.get(f"/suspensions/{asked['suspension_id']}").text
    assert "You can view this." in page
    # Nor among many.
    csrf, _ = picks(me.client, view="all")
    r = me.client.post("/inbox/decide", data={
        "csrf": csrf, "answer": "approve", "pick[]":
        [f"{asked['suspension_id']}:{asked['subject_sha256']}"]})
    assert "The agent works on your behalf here" in r.text and "1 not" in r.text


def many_keys(levels, n):
    """Objects in objects, all of whose keys are there at once."""
    keys = {f"{a}{b}": 0 for a in "abcdefghijklmnopqrstuvwxyz"
            for b in "abcdefghijklmnopqrstuvwxyz0123456789"}
    out = {}
    for _ in range(levels):
        out = {**dict(list(keys.items())[:n]), "z": out}
    return out


@route("GET /inbox")
@route("GET /api/v1/suspensions")
def test_no_agent_makes_the_inbox_too_heavy(server, agent, post, me, tag):
    """A page of questions, each as large as it may be."""
    choices = [{"value": "a", "metadata": many_keys(13, 600)}, {"value": "b"}]
    word = f"heavy{new_id()[:8]}"
    asked = [post(word, response_type="choice", choices=choices,
                  severity="critical", timeout_seconds=600,
                  fallback_policy="complete_with_fallback",
                  fallback_value="b") for _ in range(52)]
    assert len(listed(me.client, q=word)) == 50
    assert len(listed(me.client, q=word, group="like")) == 50
    r = agent.get("/api/v1/suspensions?limit=100")
    assert r.status_code in (200, 413), r.text
    for one in asked:
        assert agent.post(f"/api/v1/suspensions/{one['suspension_id']}/cancel",
                          json={"reason": "Enough."}).status_code == 200
    assert len(listed(me.client, q=word)) == 0
    assert me.client.get("/decided").status_code == 200
    # One that had grown may have been replaced; none ended otherwise.
    assert kit.complaints(server) == []
    r = agent.post("/api/v1/suspensions", json={
        "question": "Q?", "choices": [
            {"value": "a", "metadata": many_keys(20, 600)}, {"value": "b"}]})
    assert r.status_code == 413 and r.json()["code"] == "suspension.too_large"
