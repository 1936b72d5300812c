"""The manual's pages, which are made of what is written elsewhere, name each command
and each setting of the program."""
import os
import pathlib
import re
import subprocess

import pytest

from server import TOP

MADE = pathlib.Path(os.environ["SAYSO_BUILD"]) / "man"
PAGES = ("sayso.8", "sayso.conf.5", "sayso-hook.1")


def page(name):
    return (MADE / name).read_text().replace("\\-", "-")


@pytest.mark.parametrize("name", PAGES)
def test_man_has_no_complaint(name):
    done = subprocess.run(
        ["man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", MADE / name],
        text=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        env={**os.environ, "LC_ALL": "C.UTF-8", "MANROFFSEQ": "",
             "MANWIDTH": "80"})
    assert (done.returncode, done.stderr) == (0, "")


def test_each_command_is_in_the_manual():
    main = (TOP / "src/process/main.c").read_text()
    table = main.split("} commands[] = {")[1].split("};")[0]
    commands = {"serve", *re.findall(r'\{"([a-z][a-z-]*)",', table)}
    named = re.findall(r"(?m)^\.B sayso ([a-z-]+)", page("sayso.8"))
    assert set(named) == commands and "setup" in commands


def settings():
    """Those of the table in conf.c."""
    table = (TOP / "src/base/conf.c").read_text()
    table = table.split("\n} keys[] = {")[1].split("\n};")[0]
    yield from re.findall(r"^ +(?:NEEDED|TEXT|NUMBER|WORD)\((\w+),", table,
                          re.M)
    for kind in re.findall(r"^ +FLOOR\(\d, (\w+)\)", table, re.M):
        yield f"severity_floor_{kind}"


def described():
    """Names of the page; one that begins with _ is an end of the first."""
    for line in re.findall(r"(?m)^\.TP\n(.*)", page("sayso.conf.5")):
        first, *others = re.findall(r"\\fB(\w+)\\fP", line)
        yield first
        for other in others:
            yield other if other[0] != "_" else \
                re.sub("_[a-z]+$", "", first) + other


def test_each_setting_is_in_the_manual():
    assert sorted(described()) == sorted(settings())


def test_the_example_has_settings_that_there_are():
    for name in ("sayso", "sayso-admin"):
        text = (TOP / f"packaging/{name}.conf.example").read_text()
        assert set(re.findall(r"(?m)^#?(\w+) = ", text)) <= set(settings())
