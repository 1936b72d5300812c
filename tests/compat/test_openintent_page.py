"""Every line of docs/openintent.md is held by a test.
tests/compat/openintent_page.txt has its sentences, rows and blocks as they are
there, each with the tests that run it; a row of the table of methods is run by
test_every_method.py. A line that is new or changed fails here until it has its
tests."""
import ast
import re

import pytest
from documents import TOP, rows
from test_every_method import STATES

PAGE = "openintent.md"
HELD = TOP / "tests/compat/openintent_page.txt"
METHODS = "Every method"


def sentences(text):
    """The sentences of a paragraph. One ends before a word that begins with a
    capital or is code."""
    return re.split(r"(?<=[.:]) (?=[A-Z`])", re.sub(r"\s+", " ", text.strip()))


def lines_of(text):
    """The sentences, rows and blocks of a page, without its headings and the
    heads of its tables. A block is its first two lines."""
    text = re.sub(r"(?ms)^```(\w+)\n(.*?)\n.*?^```$",
                  r"\n\n```\1 \2\n\n", text)
    text = re.sub(r"(?m)^\|.*\n\|[-|]+\|$", "", text)
    text = re.sub(r"(?m)^(?=[|#]|- )|(?<=\|)$", "\n", text)
    for part in filter(None, map(str.strip, re.split(r"\n{2,}", text))):
        if part.startswith(("|", "```")):
            yield part
        elif not part.startswith("#"):
            yield from sentences(part.removeprefix("- "))


def held():
    """The lines that have tests: each is followed by these, four spaces in."""
    out = {}
    text = re.sub(r"(?m)^#.*\n", "", HELD.read_text())
    for part in re.split(r"\n{2,}", text.strip()):
        said, tests = [], []
        for line in part.splitlines():
            (tests if line.startswith("    ") else said).append(line.strip())
        assert (line := " ".join(said)) not in out, line
        out[line] = tests
    return out


TEXT = (TOP / "docs" / PAGE).read_text()
LINES = list(lines_of(TEXT))


def is_method(line):
    return line.startswith("| `") and set(re.findall(
        r"`(\w+)`", line.split(" | ")[0])) <= set(STATES)


def test_every_line_has_a_test():
    """And no test is named for a line that is gone."""
    wanted = [line for line in LINES if not is_method(line)]
    assert len(set(wanted)) == len(wanted)
    missing, gone = set(wanted) - set(held()), set(held()) - set(wanted)
    assert not missing, "\n".join(["not held:", *sorted(missing)])
    assert not gone, "\n".join(["not on the page:", *sorted(gone)])


def functions(path):
    """The names of the tests of a file."""
    return {one.name for one in ast.parse(path.read_text()).body
            if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef))
            and one.name.startswith("test_")}


def test_every_test_that_holds_a_line_is_there():
    """A name is FILE::FUNCTION; a file beside this one has no folder."""
    found = {}
    for line, tests in held().items():
        assert tests, line
        for test in tests:
            file, _, name = test.partition("::")
            path = TOP / "tests" / (file if "/" in file else f"compat/{file}")
            if path not in found:
                found[path] = functions(path)
            assert name in found[path], f"{test}, for: {line}"


def test_every_row_of_methods_is_run():
    """test_every_method.py runs each in both clients."""
    table = rows(PAGE, METHODS)
    assert all(is_method(f"| {names} | {state} |") for names, state in table)
    assert len(table) == sum(map(is_method, LINES)) > 25


@pytest.mark.parametrize("text, lines", [
    ("# H\n\nOne is\nhere. Two: `a.b` c.\n", ["One is here.", "Two:",
                                              "`a.b` c."]),
    ("One, i.e. two.\n\n- Three\n  goes on.\n- Four.\n",
     ["One, i.e. two.", "Three goes on.", "Four."]),
    ("Two:\n\n| a | b |\n|---|---|\n| c | d |\n| e | f |\nEnd.\n",
     ["Two:", "| c | d |", "| e | f |", "End."]),
    ("Do:\n\n```sh\nls \\\n\n| a |\n```\n\nDone.\n",
     ["Do:", "```sh ls \\", "Done."])])
def test_the_lines_of_a_page(text, lines):
    assert list(lines_of(text)) == lines


ADDRESS = re.compile(r"/(?:api/v1|portfolios)/[\w/{}-]+")


def test_its_addresses_are_in_the_reference():
    reference = (TOP / "docs/openapi.yaml").read_text()
    named = {re.sub(r"\{\w+\}|[A-Z]{2,}_ID", "{}", at)
             for at in ADDRESS.findall(TEXT)}
    known = {re.sub(r"\{\w+\}", "{}", at)
             for at in re.findall(r"(?m)^  (/\S+):$", reference)}
    assert len(named) > 10 and named <= known


CODE = re.compile(r"\b([45]\d\d) `([a-z_]+\.[a-z_]+)`")


def test_its_codes_are_in_the_reference():
    """With the statuses that it has there."""
    errors = (TOP / "docs/errors.md").read_text()
    source = (TOP / "docs/openapi.yaml").read_text()
    for status, code in CODE.findall(TEXT):
        assert code in source or code in errors, code
        listed = [row for row in errors.splitlines() if f"`{code}`" in row]
        assert not listed or any(status in row for row in listed), (status,
                                                                    code)
