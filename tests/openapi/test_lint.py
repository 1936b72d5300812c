"""docs/openapi.yaml passes Spectral without an error or a warning."""
import os
import pathlib
import subprocess

from openapi_contract import PATH, TOP

HERE = pathlib.Path(__file__).resolve().parent


def program(name):
    """One that package.json beside this file pins."""
    places = [HERE / "node_modules"]
    if "SAYSO_BUILD" in os.environ:
        build = pathlib.Path(os.environ["SAYSO_BUILD"])
        places.insert(0, build / "node-openapi" / "node_modules")
    for place in places:
        if (place / ".bin" / name).exists():
            return place / ".bin" / name
    raise AssertionError(
        f"{name} is not there: run npm install in {HERE}")


def spectral():
    return program("spectral")


def test_spectral():
    done = subprocess.run(
        [spectral(), "lint", "--ruleset", HERE / ".spectral.yaml",
         "--fail-severity", "hint", PATH],
        cwd=TOP, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
