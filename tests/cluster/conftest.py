"""These tests use the ledger of tests/fault and the fixtures of tests/http. The
measurements are printed at the end, with or without a failure."""
import pathlib
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "http"),
                str(HERE.parent / "fault")]

import net  # noqa: E402

FIGURES = pytest.StashKey()


def pytest_configure(config):
    config.stash[FIGURES] = []
    if why := net.refused():
        pytest.exit(f"not run: no network namespaces: {why}", 0)
    net.sweep()


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash[FIGURES]:
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def figures(pytestconfig):
    return pytestconfig.stash[FIGURES]


@pytest.fixture(scope="session")
def cluster():
    from cluster import Cluster
    yield from running(Cluster())


def running(one):
    try:
        one.start()
        yield one
    finally:
        one.close()
