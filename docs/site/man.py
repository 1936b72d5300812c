#!/usr/bin/python3
"""Writes a manual page to stdout, from what is written already.

    docs/site/man.py sayso.8 SAYSO                     what `SAYSO help` says
    docs/site/man.py sayso.conf.5 docs/operations/configuration.md
    docs/site/man.py sayso-hook.1 examples/sayso-hook  its first comment
"""
import pathlib
import re
import subprocess
import sys

DESCRIBE = {
    "sayso.8": "lets a person decide before an AI agent acts",
    "sayso.conf.5": "the configuration of sayso",
    "sayso-hook.1": "asks Sayso before a coding agent runs a tool"}


def plain(text):
    """A line of text as troff takes it."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"^(?=[.'])", r"\\&", text)


def marked(text):
    """Markdown within a line: code is bold, and a link is its words."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    parts = text.split("`")
    return "".join(rf"\fB{plain(part)}\fP" if n % 2 else plain(part)
                   for n, part in enumerate(parts))


def head(page):
    name, section = page.rsplit(".", 1)
    yield f'.TH {name.upper()} {section} "" Sayso'
    yield ".SH NAME"
    yield f"{plain(name)} \\- {DESCRIBE[page]}"


def paragraphs(text):
    for part in text.strip().split("\n\n"):
        yield ".PP"
        if part.startswith("    ") or part.startswith("  "):
            yield from (".nf", *map(plain, part.splitlines()), ".fi")
        else:
            yield from map(marked, part.splitlines())


# --- sayso(8) ---------------------------------------------------------------

def commands(program):
    """Each line that begins with the program's name, with the indented ones
    behind it, and the paragraphs after all."""
    said = subprocess.run([program, "help"], check=True, text=True,
                          stdout=subprocess.PIPE).stdout
    listed, rest = said.split("\n\n", 1)
    yield from (".SH SYNOPSIS", ".B sayso", ".I command",
                ".RI [ options ]", ".SH COMMANDS")
    another = False  # command with the same description
    for line in listed.splitlines():
        call, _, about = line.partition("  ")
        if call:
            yield from (".TQ" if another else ".TP", f".B {plain(call)}")
        if about:
            yield plain(about.strip())
        another = not about
    yield ".SH CONFIGURATION"
    yield from paragraphs(rest)
    yield from (".SH SEE ALSO", ".BR sayso.conf (5),", ".BR sayso\\-hook (1),",
                "the pages under /docs of a server")


# --- sayso.conf(5) ----------------------------------------------------------

def settings(path):
    _, begin, table = pathlib.Path(path).read_text().split("\n\n", 2)
    yield ".SH DESCRIPTION"
    yield from paragraphs(begin)
    yield ".SH SETTINGS"
    for row in table.strip().splitlines()[2:]:
        names, default, about = row.strip("| ").split(" | ", 2)
        yield from (".TP", marked(names), f"Default: {marked(default)}.", ".br",
                    marked(about))
    yield from (".SH FILES", ".I /etc/sayso.conf", ".br",
                ".I /etc/sayso\\-admin.conf", ".SH SEE ALSO", ".BR sayso (8)")


# --- sayso-hook(1) ----------------------------------------------------------

def comment(path):
    lines = pathlib.Path(path).read_text().splitlines()[1:]
    text = "\n".join(line[2:] for line in
                     lines[:next(n for n, line in enumerate(lines)
                                 if not line.startswith("#"))])
    yield ".SH DESCRIPTION"
    yield from paragraphs(text)
    yield from (".SH SEE ALSO", ".BR sayso (8)")


PAGES = {"sayso.8": commands, "sayso.conf.5": settings,
         "sayso-hook.1": comment}

if __name__ == "__main__":
    page, source = sys.argv[1:]
    print(*head(page), *PAGES[page](source), sep="\n")
