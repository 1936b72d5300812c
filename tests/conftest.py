"""The parts that all suites in Python share: one running server for the
session."""
import gc
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

from server import Server, place  # noqa: E402

# Python looks for garbage less often: an eighth of the time of the tests of the
# contract.
gc.set_threshold(20000, 20, 50)


def pytest_configure(config):
    config.addinivalue_line(
        "markers", "route(name): the test calls this row of the route table")


@pytest.fixture(scope="session")
def server():
    one = Server(place()).start()
    yield one
    one.stop()


# A client is of one file of tests, because the file may have a server of its own.

@pytest.fixture(scope="module")
def agent(server):
    with server.client("agent", agent="refunds-agent") as client:
        yield client


@pytest.fixture(scope="module")
def operator(server):
    with server.client("operator") as client:
        yield client


@pytest.fixture(scope="module")
def admin(server):
    with server.client("admin") as client:
        yield client


@pytest.fixture(scope="module")
def nobody(server):
    with server.client() as client:
        yield client
