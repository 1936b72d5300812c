"""The pages under /docs/api, which the build makes of docs/openapi.yaml."""
import collections
import html.parser
import re

import pytest
from openapi_contract import DOC, operations
from test_lint import build

SITE = build() / "site"
PAGES = sorted((SITE / "docs/api").glob("*.html"))


class Marks(html.parser.HTMLParser):
    """The ids and the links of a page."""

    def __init__(self, path):
        super().__init__()
        self.ids, self.links = collections.Counter(), []
        self.feed(path.read_text())

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        if "id" in attrs:
            self.ids[attrs["id"]] += 1
        if tag == "a":
            self.links.append(attrs["href"])


MARKS = {path: Marks(path) for path in PAGES}


def file_of(address):
    at = SITE / address.lstrip("/")
    return at / "index.html" if at.is_dir() else at.with_suffix(".html")


def test_each_group_has_a_page():
    grouped = [tag for part in DOC["x-tagGroups"] for tag in part["tags"]]
    assert sorted(grouped) == sorted(tag["name"] for tag in DOC["tags"])
    assert {path.stem for path in PAGES} == {
        *(tag.replace(" ", "-") for tag in grouped),
        "index", "types", "openintent-types", "errors"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_a_page_is_small_and_whole(path):
    text = path.read_text()
    assert len(text.encode()) <= 50 * 1024
    assert not re.search(r"<style|<script|\sstyle=|\son\w+=|javascript:", text)
    assert set(MARKS[path].ids.values()) == {1}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    for link in MARKS[path].links:
        address, _, place = link.partition("#")
        if address.startswith("/docs/api") or not address:
            there = file_of(address) if address else path
            assert there in MARKS, link
            assert not place or place in MARKS[there].ids, link


def test_every_operation_and_member_is_there():
    texts = {path.stem: path.read_text() for path in PAGES}
    for method, path, operation in operations():
        [tag] = operation["tags"]
        page = texts[tag.replace(" ", "-")]
        assert f'<h2 id="{operation["operationId"]}">' in page
        assert f"<code>{path}</code>" in page
        assert f'#{operation["operationId"]}">' in texts["index"]
    every = "".join(texts.values())
    for name, schema in DOC["components"]["schemas"].items():
        for member in schema.get("properties", {}):
            assert f"<code>{member}</code>" in every, (name, member)


def test_it_is_served(server):
    with server.client() as nobody:
        for address in ("/docs/api", "/docs/api/", "/docs/api/questions"):
            answer = nobody.get(address)
            assert answer.status_code == 200, address
            assert answer.text == file_of(address.rstrip("/")).read_text()
            assert answer.headers["content-type"] == "text/html; charset=utf-8"
            assert "default-src 'none'" in \
                answer.headers["content-security-policy"]
        assert nobody.get("/docs/api/nothing").status_code == 404
        assert nobody.get("/docs/api/../../openapi.yaml").status_code != 500
