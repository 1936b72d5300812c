"""Programs of users, as mypy --strict sees them."""

import os
import pathlib
import re
import subprocess
import sys

import pytest

import sayso

pytest.importorskip("mypy")
PROGRAMS = pathlib.Path(__file__).parent / "programs"


@pytest.fixture(scope="module")
def found():
    """The errors of each program: line and code."""
    place, env = str(pathlib.Path(sayso.__file__).parents[1]), dict(os.environ)
    if "site-packages" not in place:
        env["MYPYPATH"] = place
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary",
         "--no-incremental", "--hide-error-context",
         *sorted(map(str, PROGRAMS.glob("*.py")))],
        capture_output=True, text=True, cwd=PROGRAMS, env=env)  # fmt: skip
    assert not done.stderr
    errors = {}
    for name, line, code in re.findall(
        r"(?m)^(?:.*/)?(\w+)\.py:(\d+): error: .*\[([\w-]+)\]$", done.stdout
    ):
        errors.setdefault(name, {}).setdefault(int(line), set()).add(code)
    return errors


@pytest.mark.parametrize(
    "program", sorted(path.stem for path in PROGRAMS.glob("*.py"))
)
def test_what_is_wrong_in_a_program_is_found(found, program):
    text = (PROGRAMS / f"{program}.py").read_text()
    wanted = {
        n: line.split("# wrong: ")[1].split(", ")
        for n, line in enumerate(text.splitlines(), 1)
        if "# wrong: " in line
    }
    errors = found.get(program, {})
    assert errors.keys() == wanted.keys(), errors
    for n, codes in errors.items():
        assert codes & set(wanted[n]), (n, codes)
    assert bool(wanted) is program.startswith("wrong_")
