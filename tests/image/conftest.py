"""The image is built once for all tests, where that is possible."""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "http")]

import databases  # noqa: E402
import engine  # noqa: E402


def pytest_configure(config):
    if why := engine.refused():
        pytest.exit(f"not run: no image can be built: {why}", 0)


@pytest.fixture(scope="session")
def image():
    engine.build()
    return engine.IMAGE


@pytest.fixture(scope="module")
def database():
    one = databases.Database()
    yield one
    one.remove()
