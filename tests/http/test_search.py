"""The search: what is open and what has ended are found by all that they say,
by who answered, by amount and tool; whatever somebody types, and by nobody who
may not see them."""
import re
import time
import urllib.parse

import pytest
from kit import answer, ask, new_id, wait_for
from page import Page, token

APPROVAL = {"action": {"name": "payments.refund"}, "scope_summary": "one order",
            "consequence": "Money leaves."}
pytestmark = pytest.mark.usefixtures("agent")


@pytest.fixture(scope="module")
def me(person):
    one = person("operator")
    return one


@pytest.fixture
def word():
    return "w" + new_id().replace("-", "")[-11:]


@pytest.fixture
def refund(agent, word):
    """refund(amount, ...) asks for one; the search finds it by its word."""
    def make(amount="240.00", tool="payments.refund_create", args=None, **more):
        return ask(agent, kind="approval", response_type=None, choices=None,
                   severity=more.pop("severity", "medium"),
                   title=more.pop("title", f"Refund for {word}"),
                   subject={**APPROVAL, "target": f"KES-EU-1-{word}",
                            "calls": [{"tool": tool, "args": {
                                "amount": amount, "currency": "EUR",
                                **(args or {})}}]},
                   **more)
    return make


def found(client, path="/decided", **query):
    r = client.get(path, params=query)
    assert r.status_code == 200, r.text
    return re.findall(r'class="title" href="/suspensions/([^"]+)"', r.text)


def press(person, asked, value, reason=None):
    """An answer in the browser, so that it is the person's."""
    csrf = token(person.client)
    r = person.client.post(f"/suspensions/{asked['suspension_id']}/respond",
                           data={"csrf": csrf, "value": value,
                                 "subject_sha256": asked["subject_sha256"],
                                 **({"reason": reason} if reason else {})})
    assert r.status_code == 303, Page(r).text


def test_all_that_a_question_says_is_found(me, refund, operator, word):
    """Open and ended alike."""
    asked = refund(args={"to": "Äsop Vandenberghe", "photos": ["IMG-7781"],
                         "deep": {"er": [1, {"x": "Tiefsee"}]}},
                   explanation="Goodwill for a *late* parcel",
                   question="Is this the 30-day window?",
                   context={"channel": "Chat transcript"})
    said = ["refund", "payments.refund_create", "kes-eu-1", "goodwill", "asop",
            "vandenb", "img 7781", "tiefsee", "30-day window", "transcript",
            "240.00", "refunds-agent", "re", "REFUND", "one order"]
    for path in ("/inbox", "/decided"):
        for one in said:
            assert found(me.client, path, q=f"{word} {one}") == [
                asked["suspension_id"]], (path, one)
        for one in (asked["suspension_id"], asked["intent_id"]):
            assert found(me.client, path, q=one) == [asked["suspension_id"]]
        for one in ("nowhere", "refunded", "mg"):
            assert found(me.client, path, q=f"{word} {one}") == []
        if path == "/inbox":
            assert found(me.client, "/decided", q=word) == []
            r = answer(operator, asked, "reject",
                       reason="Outside the window; offer a Gutschein.")
            assert r.status_code == 200, r.text
    assert found(me.client, "/inbox", q=word) == []
    assert found(me.client, q=f"{word} gutsch") == [asked["suspension_id"]]


@pytest.mark.parametrize("title, yes, no", [
    ("注文12345の返金を確認", ["返金", "返", "の返金を", "12345", "確認", "認"],
     ["金返", "返金確認"]),
    ("ยืนยันการคืนเงินลูกค้า", ["คืนเงิน", "ลูกค้า"], ["เงินคืน"]),
    ("Zażółć GĘŚLĄ jaźń", ["zazolc", "gesla", "JAZN", "ja"], ["azn"]),
    ("Cafe\u0301 Ｔｏｋｙｏ ﾃﾞﾝﾜ", ["café", "tokyo", "デンワ", "デン"], ["テン"]),
    ("Ёлка и Ещё", ["елка", "ещё", "еще"], ["лка"]),
])
def test_letters_of_all_scripts(me, agent, operator, word, title, yes, no):
    asked = ask(agent, title=f"{word} {title}", response_type="confirm",
                choices=None)
    for path in ("/inbox", "/decided"):
        for q in yes:
            assert found(me.client, path, q=f"{word} {q}") == [
                asked["suspension_id"]], (path, q)
        for q in no:
            assert found(me.client, path, q=f"{word} {q}") == [], (path, q)
        if path == "/inbox":
            assert answer(operator, asked, "yes").status_code == 200


def test_a_person_is_found_by_any_part_of_the_name(
        server, person, refund, word):
    ines, other = person("operator"), person("operator")
    part = "q" + word[-6:]
    with server.database() as db:
        db.execute("UPDATE principal SET name = %s WHERE email = %s",
                   [f"Inés Ro{part}th", ines.email])
    hers, his = refund(), refund()
    press(ines, hers, "reject", "No.")
    press(other, his, "reject", "No.")
    id = hers["suspension_id"]
    for q in ("ines", "Inés", f"ro{part}", part, part[1:], ines.email[:6]):
        assert id in found(other.client, q=f"{word} {q}"), q
    assert found(other.client, q=f"{word} ro{part}th") == [id]
    for who in (f"ines ro{part}th", part, f"Inés Ro{part}th", ines.email):
        assert found(other.client, q=word, who=who) == [id], who
    assert found(other.client, q=word, who="nobody-" + part) == []
    # The row says the name, and the list offers it.
    text = other.client.get("/decided", params={"q": word}).text
    assert f"Inés Ro{part}th" in text
    assert f'<option value="{ines.email}">Inés Ro{part}th</option>' in text


def test_amount_tool_and_risk_narrow_the_list(me, refund, operator, word):
    small = refund("18.40", severity="low")
    large = refund("1299.00", tool="payments.transfer")
    for one in (small, large):
        assert answer(operator, one, "reject", reason="No.").status_code == 200
    both = [large["suspension_id"], small["suspension_id"]]
    see = lambda **q: found(me.client, q=word, **q)
    assert see() == both
    assert see(over="10", unit="EUR") == both == see(over="18.39", unit="eur")
    assert see(over="18.40", unit="EUR") == both[:1] == see(over="100")
    assert see(over="1299", unit="EUR") == [] == see(over="10", unit="USD")
    assert see(tool="payments.transfer") == both[:1]
    assert see(tool="payments") == []
    assert see(risk="low") == both[1:] and see(risk="none") == []
    assert see(risk="medium", tool="payments.transfer", outcome="rejected",
               via="native", kind="approval", agent="refunds-agent") == both[:1]
    assert see(outcome="approved") == []
    text = me.client.get("/decided", params={"q": word, "over": "100",
                                             "unit": "EUR"}).text
    assert "Over 100 EUR" in text and "1,299.00" in text
    # The files have the same rows, and what was called.
    r = me.client.get("/decided.jsonl", params={"q": word, "over": "100"})
    line, = map(__import__("json").loads, r.text.splitlines())
    assert line["outcome"] == "rejected" and line["via"] == "native"
    assert (line["amount"], line["unit"], line["tool"]) == (
        "1299.00", "EUR", "payments.transfer")
    assert line["target"] == f"KES-EU-1-{word}"
    assert line["arguments"] == {"amount": "1299.00", "currency": "EUR"}


def test_an_edited_amount_counts_as_it_was_approved(me, refund, operator, word):
    asked = refund("64.80", allow_edit=True)
    edited = {**APPROVAL, "target": f"KES-EU-1-{word}", "calls": [
        {"tool": "payments.refund_create",
         "args": {"amount": "59.90", "currency": "EUR"}}]}
    r = answer(operator, asked, "edit", reason="Without shipping.",
               subject=edited)
    assert r.status_code == 200, r.text
    id = [asked["suspension_id"]]
    assert found(me.client, q=word, over="59") == id
    assert found(me.client, q=word, over="60") == []
    assert found(me.client, q=f"{word} 59.90") == id
    text = Page(me.client.get("/decided", params={"q": word})).text
    assert re.search(r"Approved, edited .* 59\.90 EUR", text), text


def test_days_have_their_sums(me, refund, operator, word):
    for n in range(3):
        asked = refund()
        assert answer(operator, asked, "reject" if n else "approve",
                      reason="So.").status_code == 200
    expired = refund(timeout_seconds=1)
    wait_for(lambda: expired["suspension_id"] in found(me.client, q=word))
    text = Page(me.client.get("/decided", params={"q": word})).text
    assert re.search(r"2 rejected, 1 approved, 1 expired", text), text
    assert re.search(rf"History 4 requests for {word}", text), text
    # The open ones are one link away.
    refund()
    r = me.client.get("/decided", params={"q": word})
    link = re.search(r'<a href="(/inbox\?view=all&amp;q=[^"]+)">1 open</a>',
                     r.text)[1]
    r = me.client.get(link.replace("&amp;", "&"))
    assert r.text.count('class="title" href="/suspensions/') == 1
    # And the other way round.
    assert f'<a href="/decided?q={word}">In history</a>' in r.text


@pytest.mark.parametrize("q", [
    "'", '"', "\\", "a & b | !c <-> d:*", "%", "%25_", "( ( (", "''; DROP",
    "\u0000", "\ud83d\ude00".encode("utf-16", "surrogatepass").decode("utf-16"),
    "\u202e\u200b", "x" * 200, "a " * 100, "我" * 200, "ﷺ" * 60, "{}[]=i=",
    "o=vetoed", "w=a@b.c", "n="], ids=range(19))
def test_whatever_is_typed(me, q):
    for path in ("/inbox", "/decided", "/decided.csv"):
        r = me.client.get(path + "?q=" + urllib.parse.quote(q))
        assert r.status_code == (400 if "\0" in q else 200), (path, q)


def test_a_long_text_is_refused(me):
    for n, status in ((201, 400), (7000, 413), (60_000, 414)):
        r = me.client.get("/decided?q=" + "x" * n)
        assert r.status_code == status, n
        r = me.client.get("/decided?who=" + "x" * max(n, 301))
        assert r.status_code == status, n


def test_who_may_not_see_finds_nothing(server, person, refund, word, agent):
    """A user sees what was started for them; the history is not for them."""
    user = person("user")
    hidden = refund()
    assert found(user.client, "/inbox", q=word) == []
    own = ask(agent, title=f"{word} own", response_type="confirm",
              choices=None, responder={"mode": "initiator"},
              intent={"title": "x", "initiated_by": user.email})
    assert found(user.client, "/inbox", q=word) in ([], [
        own["suspension_id"]])
    assert hidden["suspension_id"] not in found(user.client, "/inbox", q=word)
    for path in ("/decided", "/decided.csv", "/decided.jsonl"):
        assert user.client.get(path, params={"q": word}).status_code in (
            303, 403)


def test_a_hostile_question_is_found_and_bounded(server, me, agent, word):
    """Many words, long ones, and names that are no words."""
    asked = ask(agent, title=word, response_type="confirm", choices=None,
                context={"many": [f"v{n}x" for n in range(5000)],
                         "long": "y" * 20000, "odd": "' \\ & | :* \u202e"})
    assert found(me.client, "/inbox", q=word) == [asked["suspension_id"]]
    with server.database() as db:
        n, size = db.execute(
            "SELECT length(words), pg_column_size(words) FROM open_question "
            "WHERE suspension_id = %s", [asked["suspension_id"]]).fetchone()
    assert n <= 160 and size < 4000


def test_what_is_from_before_is_read_again(server, me, refund, operator, word):
    """After an update: questions that have no words yet, open and ended."""
    still, ended = refund(), refund()
    assert answer(operator, ended, "reject", reason="Kiwi.").status_code == 200
    with server.database() as db:
        db.execute("UPDATE open_question SET words = NULL, amount = NULL "
                   "WHERE suspension_id = %s", [still["suspension_id"]])
        db.execute("DELETE FROM ended_words WHERE suspension_id = %s",
                   [ended["suspension_id"]])
        db.execute("INSERT INTO search_fill (at, id) VALUES ('infinity', '') "
                   "ON CONFLICT DO NOTHING")
    wait_for(lambda: found(me.client, "/inbox", q=word) ==
             [still["suspension_id"]], seconds=20)
    wait_for(lambda: found(me.client, q=f"{word} kiwi", over="239") ==
             [ended["suspension_id"]], seconds=20)

    def whole():
        with server.database() as db:
            return db.execute("SELECT count(*) FROM search_fill"
                              ).fetchone()[0] == 0
    wait_for(whole, seconds=20)
    assert "still being indexed" not in me.client.get("/decided").text
