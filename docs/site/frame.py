"""The frame of the pages under /docs: head, header, the list of pages, style.

They are plain files that nginx serves. Nothing in them is inline, because the
Content-Security-Policy of nginx/server.conf.in lets only files of this server
be loaded. The style is static/app.css, which all pages have, with static/docs.css.
"""
import html
import pathlib

MENU = ('<svg class="icon" aria-hidden="true">'
        '<use href="/static/icons.svg#menu"/></svg>')
# The parts of the documentation.
PLACES = (("/docs", "Docs"), ("/docs/api", "API"),
          ("/docs/search", "Search"))


def escape(text):
    """Text as the content of an element, or as an attribute in quotes."""
    return html.escape(str(text), quote=True)


def link(href, label, here, part=False):
    """A link that says whether it is the page it stands on, or its part."""
    current = "page" if href == here else "true" if part else ""
    mark = f' aria-current="{current}"' if current else ""
    return f'<a href="{escape(href)}"{mark}>{escape(label)}</a>'


def contents(groups, here):
    """The list of pages. groups: (heading or "", [(address, label), ...])."""
    out = []
    for heading, pages in groups:
        if heading:
            out.append(f"<h2>{escape(heading)}</h2>\n")
        items = "".join(f"<li>{link(href, label, here)}</li>\n"
                        for href, label in pages)
        out.append(f"<ul>\n{items}</ul>\n")
    return "".join(out)


def page(here, title, groups, body, places=PLACES, head="", tools=""):
    """A whole page.

    here: its address, such as "/docs/api/questions"; title: text; groups: as
    contents() takes them; body: HTML, with the one h1; places: the parts of the
    documentation, by address and label; head and tools: more HTML for the head
    and for the end of the header.
    """
    pages = contents(groups, here)
    part = max((href for href, _ in places if f"{here}/".startswith(
        f"{href}/")), key=len, default="")
    top = "\n".join(link(href, label, here, href == part)
                    for href, label in places)
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>{escape(title)} - Sayso</title>
<link rel="icon" href="/static/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/static/app.css">
<link rel="stylesheet" href="/static/docs.css">
{head}</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header class="bar">
<details class="drawer">
<summary aria-label="Menu">{MENU}</summary>
<div class="sheet">
<nav aria-label="Menu">
{pages}</nav>
</div>
</details>
<a class="brand" href="/inbox" aria-label="Sayso, go to inbox">sayso<span class="dot"></span></a>
<nav class="places" aria-label="Parts">
{top}
</nav>
{tools}</header>
<div class="shell">
<nav class="contents" aria-label="Pages">
{pages}</nav>
<main id="main" class="text">
{body}</main>
</div>
</body>
</html>
"""


def write(root, path, text):
    """Writes a file below the root of what nginx serves. The page /docs/x is
    docs/x.html or docs/x/index.html there."""
    file = pathlib.Path(root) / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")
