"""Explanations in Markdown: what a person reads hides nothing of what was sent,
and what is stored is what was sent."""
import html
import re

import pytest
from kit import ask, read

SEEN = "[Refund policy](https://evil.example/policy) and https://a.example/b"


@pytest.fixture(scope="module")
def show(server, agent):
    """The part of the page that has an agent's words."""
    from conftest import Person
    me = Person(server, "operator")
    me.sign_in()

    def one(text):
        asked = ask(agent, explanation=text)
        assert read(agent, asked)["explanation"] == text
        page = me.client.get(f"/suspensions/{asked['suspension_id']}").text
        return page.split('<div class="quote">')[1].split("</section>")[0]

    yield one
    me.client.close()


def marked(part):
    return part.split('<div class="words marked">')[1].split("<details")[0]


def test_marks_become_what_they_mean(show):
    part = marked(show("# Why\n\n- a *b*\n- **c** `d`\n\n3. e\n\n> f\n\n"
                       "```sh\nrm -rf build\n```"))
    for piece in (">Why</h3>", "<ul>", "<em>b</em>",
                  "<strong>c</strong>", "<code><bdi>d</bdi></code>",
                  '<li value="3">', "<blockquote>", "<bdi>sh</bdi>",
                  "<pre tabindex=\"0\"><code><bdi>rm -rf build</bdi>"):
        assert piece in part, piece


def test_the_text_as_it_was_sent_stands_behind_it(show):
    text = "# A\n\n[x](https://e.example) *b* <i>c</i>"
    part = show(text)
    sent = part.split("Exactly as sent</summary>")[1]
    assert html.escape(text, quote=False) in html.unescape(
        sent).replace("<i>", "&lt;i&gt;").replace("</i>", "&lt;/i&gt;")
    assert "<i>" not in part


def test_a_link_shows_its_address(show):
    part = marked(show(SEEN))
    assert re.search("Refund policy <a href=\"https://evil.example/"
                     "policy\" target=\"_blank\" rel=\"noopener noreferrer\">"
                     "<bdi>https://evil.example/policy</bdi></a>", part)
    assert "<bdi>https://a.example/b</bdi></a>" in part


@pytest.mark.parametrize("text", [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>",
    "![x](https://e.example/x.png)", "[x](javascript:alert(1))",
    "[x](data:text/html,y)", "[x](//evil.example)", "[x](http://e.example)",
    "[a](https://good.example@evil.example/)", "<https://e.example/\u202ex>",
    "&lt;b&gt; &#8203;"])
def test_nothing_else_becomes_markup(show, text):
    part = show("*x* " + text)
    assert not re.search("<(script|img|iframe|svg|style|form)", part)
    for link in re.findall('href="([^"]*)"', part):
        assert re.fullmatch(r"https://e\.example/(x\.png)?", link), link


@pytest.mark.parametrize("text", [
    "*a\u200bb*", "`a\u200bb`", "# a\u200bb", "> a\u200bb",
    "[a\u200bb](https://e.example/)", "```a\u200bb\n```"])
def test_hidden_characters_are_shown(show, text):
    assert 'a<code class="hid">U+200B</code>b' in marked(show(text))


def test_a_text_without_marks_is_shown_as_it_is(show):
    part = show("Two lines,\n  2*3*4 and snake_case.")
    assert '<p class="words" dir="auto">Two lines,\n  2*3*4 and ' \
        'snake_case.</p>' in part
    assert "Exactly as sent" not in part


def test_too_many_marks_are_shown_as_they_are(show):
    text = "*a* " * 4900
    part = show(text)
    assert text.strip() in part and "<em>" not in part


@pytest.mark.parametrize("part", ["> " * 5000, "- " * 5000, "[" * 10000,
                                  "*a " * 5000, "`a``b```c" * 1000,
                                  "- a\n" * 4000, "- a\n" * 800])
def test_hostile_texts_make_a_page(show, part):
    assert show(part[:19000] + "!")
