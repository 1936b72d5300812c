"""The blocks of code in the documents, as a reader copies them."""
import pathlib
import re

TOP = pathlib.Path(__file__).resolve().parents[2]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.M | re.S)


def blocks(document, language):
    """The blocks of docs/<document> in a language, in their order."""
    text = (TOP / "docs" / document).read_text()
    found = [code for name, code in BLOCK.findall(text) if name == language]
    assert found, f"{document} has no block of {language}"
    return found


def languages(document):
    """Those of its blocks; all of them have one."""
    text = (TOP / "docs" / document).read_text()
    found = [name for name, _ in BLOCK.findall(text)]
    assert text.count("```") == 2 * len(found), document
    return set(found)


def block(document, language, words):
    """The one of them that has the words."""
    found = [code for code in blocks(document, language) if words in code]
    assert len(found) == 1, f"{len(found)} blocks of {document} have {words}"
    return found[0]


def section(document, name):
    """The text below the heading, up to the next one."""
    text = (TOP / "docs" / document).read_text()
    return text.split(f"\n## {name}\n")[1].split("\n## ")[0]


def rows(document, name):
    """The cells of the tables below a heading, without the heads."""
    lines = [line for line in section(document, name).splitlines()
             if line.startswith("|")]
    heads = {n + step for n, line in enumerate(lines)
             if re.fullmatch(r"[|-]+", line) for step in (-1, 0)}
    return [[cell.strip() for cell in line.strip("|").split(" | ")]
            for n, line in enumerate(lines) if n not in heads]
