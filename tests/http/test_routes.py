"""The route table and these tests: every row has one.

A test names the rows that it exercises with @pytest.mark.route, and
conftest.py checks that it called them. The names are read from the sources, so
that this holds however few of the tests are run."""
import ast
import pathlib
import re

from kit import ROUTES
from server import TOP


def marked():
    """Every name in a route marker, and where it stands."""
    out = {}
    for path in pathlib.Path(__file__).parent.glob("test_*.py"):
        tree = ast.parse(path.read_text())
        named = {node.targets[0].id: node.value for node in tree.body
                 if isinstance(node, ast.Assign)
                 and isinstance(node.targets[0], ast.Name)}
        for node in ast.walk(tree):
            for mark in getattr(node, "decorator_list", []):
                called = isinstance(mark, ast.Call) and ast.unparse(mark.func)
                if called in ("route", "pytest.mark.route"):
                    arg = mark.args[0]
                    name = named.get(getattr(arg, "id", None), arg).value
                    out.setdefault(name, []).append(
                        f"{path.name}::{node.name}")
    return out


def test_every_route_has_a_test():
    known = marked()
    missing = [r.name for r in ROUTES if r.name not in known]
    assert not missing, f"no test for {missing}"


def test_every_name_is_a_route():
    names = {r.name for r in ROUTES}
    unknown = {n: where for n, where in marked().items() if n not in names}
    assert not unknown, f"no such route: {unknown}"


def test_no_row_was_overlooked():
    text = (TOP / "src/doors/route.c").read_text()
    table = text.split("routes[] = {")[1].split("\n};")[0]
    assert len(ROUTES) == len(re.findall(r"^    \{\w+, ", table, re.M)) > 40
    assert len({r.name for r in ROUTES}) == len(ROUTES)


def test_a_row_is_reached():
    """No earlier pattern of the same method takes a row's requests away."""
    from kit import fill, find
    for row in ROUTES:
        assert find(row.method, fill(row.pattern)) == row, row.name
