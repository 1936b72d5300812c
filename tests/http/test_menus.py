"""The sidebar and the menu of the settings: their words are those of the pages
they lead to, and each page marks the entry that it is, or belongs to."""
import html
import re

import pytest
from kit import answer, ask
from test_browse import CHOICES
from test_container_pages import portfolio

ENTRY = re.compile(r'<li[^>]*><a href="([^"]*)"( aria-current="(\w+)")?>(.*?)'
                   r"</a>", re.S)


def menu(r, label):
    """The entries of a menu: {address: (words, mark)}."""
    found = re.search(rf'<nav [^>]*aria-label="{label}">(.*?)</nav>', r.text,
                      re.S)
    out = {}
    for url, _, mark, body in ENTRY.findall(found[1] if found else ""):
        body = re.sub(r'<span class="n">.*?</span>', "", body)
        words = html.unescape(re.sub(r"<[^>]*>", "", body)).strip()
        out[html.unescape(url)] = words, mark
    return out


def marks(r, label="Pages"):
    return {words: mark for words, mark in menu(r, label).values() if mark}


def show(client, path, **query):
    r = client.get(path, params=query or None)
    assert r.status_code == 200, r.text
    return r


def heads(r):
    title = re.search(r"<title>(?:\([^)]*\) )?(.*) - Sayso</title>", r.text)[1]
    h1 = re.search(r"<h1[^>]*>(.*?)</h1>", r.text, re.S)[1]
    return html.unescape(title), html.unescape(h1)


@pytest.mark.parametrize("role", ["admin", "operator", "auditor", "user"])
def test_the_words_of_an_entry_are_those_of_its_page(agent, person, role):
    me = person(role).client
    ask(agent)  # so that no list begins with the first steps
    side = menu(show(me, "/inbox"), "Pages")
    settings = menu(show(me, "/settings/profile"), "Settings")
    assert "/inbox" in side and "/settings/profile" in settings
    for label, entries in (("Pages", side), ("Settings", settings)):
        for url, (words, _) in entries.items():
            r = show(me, url)
            mark = menu(r, label)[url][1]
            if words == "Settings":  # a group of pages, that begins with one
                assert mark == "true", url
                assert marks(r, "Settings"), url
                continue
            assert heads(r) == (words, words), url
            assert marks(r, label) == {words: "page"}, url


@pytest.mark.parametrize("role", ["admin", "operator", "auditor", "user"])
def test_no_link_leads_to_what_its_reader_may_not_open(agent, person, role):
    ask(agent)
    me = person(role).client
    side = menu(show(me, "/inbox"), "Pages")
    settings = menu(show(me, "/settings/profile"), "Settings")
    links = {}  # one of each sort
    for url in {**side, **settings, "/inbox?q=nothing-has-it": None}:
        for link in re.findall(r'href="(/[^"]*)"', show(me, url).text):
            sort = re.sub(r"[0-9a-f-]{36}|=[^&]*", "", link)
            if not link.startswith(("/static/", "/docs")):
                links[sort] = link, url
    for link, url in links.values():
        r = me.get(html.unescape(link))
        assert r.status_code < 400, f"{link} on {url}: {r.status_code}"


@pytest.fixture(scope="module")
def me(person):
    return person("admin").client


def test_a_page_marks_the_list_that_it_belongs_to(agent, operator, me):
    asked = ask(agent)
    done = ask(agent, choices=CHOICES)
    assert answer(operator, done).status_code == 200
    at = f"/suspensions/{asked['suspension_id']}"
    past = f"/suspensions/{done['suspension_id']}"
    assert marks(show(me, at)) == {"Inbox": "true"}
    for path in (past, f"{past}/receipt"):
        assert marks(show(me, path)) == {"History": "true"}, path
    everything = menu(show(me, at), "Pages")["/inbox?view=all"][0]
    assert marks(show(me, at, list="/inbox?view=all&risk=low")) == {
        everything: "true"}
    of = portfolio(agent)
    for path, words in ((f"/intents/{asked['intent_id']}", "Tasks"),
                        (f"/intents/{asked['intent_id']}/stop", "Tasks"),
                        ("/portfolios", "Tasks"),
                        (f"/portfolios/{of['id']}", "Tasks"),
                        ("/agent?name=refunds-agent", "Agents")):
        assert marks(show(me, path)) == {words: "true"}, path
    assert marks(show(me, "/settings/rules", do="new"), "Settings") == {
        "Rules": "true"}
