#!/usr/bin/python3
"""Writes the pages under /docs from the Markdown of the checkout, each also as
Markdown, with an index for the search and a list for language models.

    docs/site/pages.py CHECKOUT DIRECTORY

docs/README.md says which pages there are, in which groups and order. A link to
another file of the checkout takes that file along.
"""
import collections
import json
import os
import pathlib
import re
import shutil
import sys
import unicodedata

from markdown_it import MarkdownIt

from frame import PLACES, escape, page, write

ROOT = "/docs"
INDEX = "docs/README.md"
# Served at another address than that of its file.
ELSEWHERE = {"docs/openapi.yaml": "/openapi.yaml", "README.md": ROOT}
LANGUAGES = {"curl": "curl", "Python": "python", "TypeScript": "ts",
             "JavaScript or TypeScript": "ts", "Go": "go", "Java": "java",
             "C#": "csharp", "Rust": "rust"}
NO_HEADS = re.compile(r'<thead>\n<tr>\n(<th scope="col"></th>\n)+</tr>\n</thead>\n')
LONG = 3  # headings from which on a page has a list of them
LEAD = 140  # characters of a part that the search shows
EVERYWHERE = set("""a an and are as at be but by can do for from has have if in
is it its no not of on one or so that the then there this to was what when where
which with you your""".split())

HEAD = '<script src="/static/docs.js" defer></script>\n'
SEARCH = f"{ROOT}/search"
FIND = f"""<form class="find" method="get" action="{SEARCH}" role="search">
<input type="search" name="q" maxlength="200" placeholder="Search the documentation" aria-label="Search the documentation" autocomplete="off">
<button class="btn small plain" type="submit">Search</button>
</form>
"""
# Where the header has no room for it.
SEEK = FIND.replace('"find"', '"find seek"')


def markdown():
    return MarkdownIt("commonmark", {"html": False}).enable("table")


# --- Where a page is ------------------------------------------------------

def address(path):
    """The address of a file of the checkout; of a page without its ending."""
    if path in ELSEWHERE:
        return ELSEWHERE[path]
    if not path.endswith(".md"):
        return f"{ROOT}/{path.removeprefix('docs/')}"
    if path.startswith("docs/"):
        place = path.removeprefix("docs/").removesuffix(".md")
        return f"{ROOT}/{place}".removesuffix("/README")
    if "/" not in path:
        return f"{ROOT}/project/{path.removesuffix('.md').lower()}"
    return f"{ROOT}/{path.removesuffix('.md').removesuffix('/README')}"


def beside(path):
    """The address of a page's Markdown."""
    return f"{address(path)}.md" if address(path) != ROOT \
        else f"{ROOT}/index.md"


class Checkout:
    """The files that are read, and the list of pages."""

    def __init__(self, top):
        self.top = pathlib.Path(top)
        self.taken = set()  # files that pages link to
        self.groups = []    # (heading, [(path, label, what it says), ...])
        self.contents()
        self.order = [INDEX] + [path for _, group in self.groups
                                for path, _, _ in group]
        every = {str(file.relative_to(self.top))
                 for file in (self.top / "docs").rglob("*.md")}
        if every - set(self.order):
            sys.exit(f"{INDEX} lacks {sorted(every - set(self.order))}")

    def text(self, path):
        return (self.top / path).read_text(encoding="utf-8")

    def contents(self):
        for line in self.text(INDEX).splitlines():
            item = re.match(r"- \[(.+?)\]\((\S+?)\)(?:: (.*))?$", line)
            if line.startswith("## "):
                self.groups.append((line[3:], []))
            elif item:
                label, to, said = item.groups()
                self.groups[-1][1].append((self.named(INDEX, to), label,
                                           said or ""))

    def label(self, file):
        """The name of a page in the list of them."""
        for _, group in self.groups:
            for path, label, _ in group:
                if path == file:
                    return label
        return "Documentation"

    def named(self, path, to):
        """The file that a link of a page leads to."""
        return os.path.normpath(os.path.join(os.path.dirname(path), to))

    def link(self, path, href, ending=""):
        """Where a link of a page leads on the site."""
        if re.match(r"\w+:", href) or href.startswith("#"):
            return href
        to, hash_, anchor = href.partition("#")
        file = self.named(path, to)
        if file in self.order:
            to = beside(file) if ending else address(file)
        elif file in ELSEWHERE:
            to = ELSEWHERE[file]
        elif (self.top / file).is_file() and not file.endswith(".md"):
            self.taken.add(file)
            to = address(file)
        else:
            sys.exit(f"{path}: {href} is on no page")
        return f"{to}{hash_}{anchor}"


# --- From Markdown to HTML ------------------------------------------------

def plain(token):
    """The words of a token with text in it."""
    return "".join(t.content if t.type in ("text", "code_inline") else
                   " " if t.type in ("softbreak", "hardbreak") else ""
                   for t in token.children)


def slug(text):
    """The name of a heading, as links in Markdown have it."""
    return re.sub(r"[^\w\- ]", "", text.lower()).replace(" ", "-")


class Part:
    """A heading, and the words below it up to the next one."""

    def __init__(self, anchor, heading):
        self.anchor, self.heading = anchor, heading
        self.words, self.code = [], []


class Page:
    """A page, read once: its HTML, and the parts that the search knows."""

    def __init__(self, checkout, path):
        self.checkout, self.path = checkout, path
        self.markdown = markdown()
        self.tokens = self.markdown.parse(checkout.text(path))
        self.parts, self.below = [], []  # below: (anchor, heading), level 2
        self.read()
        self.title = self.parts[0].heading
        self.html = NO_HEADS.sub("", self.grouped(self.rendered()))

    def read(self):
        names = set()
        for n, token in enumerate(self.tokens):
            if token.type == "heading_open":
                heading = plain(self.tokens[n + 1])
                name = slug(heading)
                while name in names:
                    name += "-1"
                names.add(name)
                token.attrSet("id", name)
                self.parts.append(Part(name, heading))
                if token.tag == "h2":
                    self.below.append((name, heading))
            elif token.type == "inline":
                self.addresses(token)
                if self.tokens[n - 1].type != "heading_open":
                    self.parts[-1].words.append(plain(token))
            elif token.type == "fence":
                self.parts[-1].code.append(token.content)

    def addresses(self, token):
        """Links lead to pages of the site, and have their names where they
        have those of files."""
        for child, text in zip(token.children, token.children[1:] + [None]):
            for name in ("href", "src"):
                if name not in child.attrs:
                    continue
                file = self.checkout.named(self.path,
                                           child.attrs[name].split("#")[0])
                if text and re.fullmatch(r"[\w./-]+\.md", text.content):
                    text.content = self.checkout.label(file)
                child.attrSet(name, self.checkout.link(
                    self.path, child.attrs[name]))

    def rendered(self):
        render, options = self.markdown.renderer, self.markdown.options
        out, heads, column = [], [], 0
        for n, token in enumerate(self.tokens):
            if token.type == "fence":
                name = f' class="language-{escape(token.info)}"' \
                    if token.info else ""
                out.append((token, f'<pre tabindex="0"><code{name}>'
                            f"{escape(token.content)}</code></pre>\n"))
            elif token.type in ("table_open", "table_close"):
                out.append((token, '<div class="wide" tabindex="0"><table>\n'
                            if token.nesting == 1 else "</table></div>\n"))
            elif token.type == "inline":
                text = render.render([token], options, {})
                text = re.sub(r"^\[ \] (.*)$", r'<label class="tick">'
                              r'<input type="checkbox"><span>\1</span></label>',
                              text, flags=re.S)
                out.append((token, text))
            else:
                if token.type == "tr_open":
                    column = 0
                elif token.type == "th_open":
                    token.attrs = {"scope": "col"}
                    heads = heads[:column] + [plain(self.tokens[n + 1])]
                    column += 1
                elif token.type == "td_open":
                    # Its head stands with it where the table is narrow.
                    token.attrs = {"data-head": heads[column]} \
                        if column and heads[column] else {}
                    column += 1
                out.append((token, render.renderToken(self.tokens, n, options,
                                                      {})))
        return out

    def grouped(self, rendered):
        """Paragraphs that begin with the name of a language, each with the
        block after it, stand together: the script makes tabs of them."""
        out, n, open_ = [], 0, False
        while n < len(rendered):
            told = self.language(n)
            if told:
                end = self.block_after(n)
                if not open_:
                    out.append('<div class="langs">\n')
                open_ = True
                out.append(f'<section data-lang="{LANGUAGES[told]}" '
                           f'aria-label="{told}">\n')
                out += [text for _, text in rendered[n:end]]
                out.append("</section>\n")
                n = end
                continue
            if open_:
                out.append("</div>\n")
            open_ = False
            out.append(rendered[n][1])
            n += 1
        return "".join(out) + ("</div>\n" if open_ else "")

    def language(self, n):
        """The language that begins the paragraph, or None."""
        if self.tokens[n].type != "paragraph_open" or self.tokens[n].level:
            return None
        words = self.tokens[n + 1].children
        if len(words) > 2 and words[1].type == "strong_open" and \
                not words[0].content:
            words = words[1:]
        if len(words) < 2 or words[0].type != "strong_open":
            return None
        name = words[1].content.rstrip(".")
        return name if name in LANGUAGES and self.block_after(n) else None

    def block_after(self, n):
        """Behind the last of the blocks that stand after a paragraph."""
        while self.tokens[n].type != "paragraph_close":
            n += 1
        end = n + 1
        while end < len(self.tokens) and self.tokens[end].type == "fence":
            end += 1
        return end if end > n + 1 else None


# --- The whole ------------------------------------------------------------

def around(checkout, pages, path):
    """The pages before and after, and the page as Markdown."""
    order, out = checkout.order, []
    at = order.index(path)
    for step, word, rel in ((-1, "Previous", "prev"), (1, "Next", "next")):
        if 0 <= at + step < len(order):
            other = order[at + step]
            out.append(f'<a rel="{rel}" href="{address(other)}">{word}: '
                       f"{escape(pages[other].title)}</a>\n")
    return (f'<nav class="around" aria-label="Around this page">\n'
            f'{"".join(out)}<a href="{beside(path)}">This page as Markdown'
            "</a>\n</nav>\n")


def below(one):
    """A list of the headings, where there are some."""
    if len(one.below) < LONG:
        return ""
    items = "".join(f'<li><a href="#{name}">{escape(heading)}</a></li>\n'
                    for name, heading in one.below)
    return ('<details class="below"><summary>On this page</summary>\n'
            f"<ul>\n{items}</ul>\n</details>\n")


def listed(checkout):
    """All pages, for the search without a script."""
    out = []
    for heading, group in checkout.groups:
        items = "".join(f'<li><a href="{address(path)}">{escape(label)}</a>'
                        f"{': ' if said else ''}{inline(said)}</li>\n"
                        for path, label, said in group)
        out.append(f"<h2>{escape(heading)}</h2>\n<ul>\n{items}</ul>\n")
    return "".join(out)


def inline(text):
    return MarkdownIt("commonmark", {"html": False}).renderInline(text)


def words_of(text):
    """Words in lower case without accents: whole ones with their _, and the
    pieces of these."""
    text = unicodedata.normalize("NFKD", text.lower())
    text = "".join(c for c in text if not unicodedata.combining(c))
    for word in re.findall(r"\w+", text):
        yield word
        if "_" in word:
            yield from word.split("_")


def index(pages):
    """For the search: the pages, their parts with how many words each has, and
    of each word the parts that have it: the step from one number to the next,
    and behind a * how often, where it is more than once."""
    places, parts, words = [], [], {}
    for path, one in pages.items():
        places.append([address(path), one.title])
        for part in one.parts:
            lead = " ".join(" ".join(part.words).split())
            if len(lead) > LEAD:
                lead = lead[:LEAD].rsplit(" ", 1)[0] + " ..."
            counts = collections.Counter(words_of(" ".join(
                [part.heading, *part.words, *part.code])))
            for word, count in counts.items():
                if len(word) > 1 and word not in EVERYWHERE:
                    words.setdefault(word, []).append((len(parts), count))
            parts.append([len(places) - 1, part.anchor, part.heading, lead,
                          counts.total()])
    steps = {}
    for word, found in sorted(words.items()):
        before = [0] + [n for n, _ in found]
        steps[word] = " ".join(
            f"{n - last}" + (f"*{count}" if count > 1 else "")
            for (n, count), last in zip(found, before))
    return json.dumps({"pages": places, "parts": parts, "words": steps,
                       "everywhere": sorted(EVERYWHERE)},
                      ensure_ascii=False, separators=(",", ":"))


def for_models(checkout, pages):
    """llms.txt: what there is to read, as Markdown."""
    first = checkout.text(INDEX).split("\n\n")[1].replace("\n", " ")
    out = [f"# Sayso\n\n> {first}\n"]
    for heading, group in checkout.groups:
        out.append(f"\n## {heading}\n\n")
        out += [f"- [{label}]({beside(path)}){': ' if said else ''}{said}\n"
                for path, label, said in group]
    return "".join(out)


def as_markdown(checkout, path):
    """The text of a page with links to the Markdown of others."""
    def to(m):
        return f"]({checkout.link(path, m[1], '.md')})"
    kept = re.split(r"(?ms)(^```.*?^```$)", checkout.text(path))
    return "".join(text if text.startswith("```") else
                   re.sub(r"\]\(([^)\s]+)\)", to, text) for text in kept)


def main(top, root):
    checkout = Checkout(top)
    pages = {path: Page(checkout, path) for path in checkout.order}
    groups = [(heading, [(address(path), label) for path, label, _ in group])
              for heading, group in checkout.groups]

    def put(at, text):
        write(root, at.lstrip("/"), text)

    for path, one in pages.items():
        here = address(path)
        body = one.html.replace("</h1>\n", f"</h1>\n{below(one)}", 1) + \
            around(checkout, pages, path)
        head = (f'<link rel="alternate" type="text/markdown" '
                f'href="{beside(path)}">\n{HEAD}')
        put(beside(path).removesuffix(".md") + ".html",
            page(here, one.title, groups, body, PLACES, head, FIND))
        put(beside(path), as_markdown(checkout, path))
    body = (f'<h1>Search</h1>\n{SEEK}<p id="said" role="status"></p>\n'
            f'<ol id="found"></ol>\n{listed(checkout)}')
    put(f"{SEARCH}.html", page(SEARCH, "Search", groups, body, PLACES, HEAD))
    put(f"{ROOT}/search.json", index(pages))
    put(f"{ROOT}/llms.txt", for_models(checkout, pages))
    for file in checkout.taken:
        to = pathlib.Path(root) / address(file).lstrip("/")
        to.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(checkout.top / file, to)


if __name__ == "__main__":
    main(*sys.argv[1:])
