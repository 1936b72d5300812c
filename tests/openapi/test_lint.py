"""docs/openapi.yaml passes two linters without an error or a warning, and the
documents that are made from it pass one."""
import json
import os
import pathlib
import subprocess

import pytest
from openapi_contract import PATH, TOP, operations

HERE = pathlib.Path(__file__).resolve().parent


def build():
    return pathlib.Path(os.environ["SAYSO_BUILD"])


def packages():
    """Those that package.json beside this file pins."""
    for place in (build() / "node-openapi", HERE):
        if (place / "node_modules").exists():
            return place / "node_modules"
    raise AssertionError(f"run npm install in {HERE}")


def program(name):
    return packages() / ".bin" / name


def test_spectral():
    done = subprocess.run(
        [program("spectral"), "lint", "--ruleset", HERE / ".spectral.yaml",
         "--fail-severity", "hint", PATH],
        cwd=TOP, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.parametrize("path", [
    PATH, build() / "docs/openapi-agents.yaml",
    build() / "docs/openapi-client.yaml"], ids=lambda path: path.stem)
def test_redocly(path):
    done = subprocess.run(["node", HERE / "redocly.cjs", path], text=True,
                          capture_output=True, timeout=120,
                          env={**os.environ, "NODE_PATH": str(packages())})
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == []


def test_every_operation_has_a_success():
    """A 2xx; or for people, in a browser, a page that is elsewhere."""
    for method, path, operation in operations():
        leads = {"pages", "tool calls"} & set(operation["tags"])
        wanted = ("2", "303") if leads else "2"
        assert any(status.startswith(wanted)
                   for status in operation["responses"]), f"{method} {path}"
