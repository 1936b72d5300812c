"""Fixtures of the store tests: the database of a running server."""
import pathlib
import sys

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))


@pytest.fixture(scope="session", autouse=True)
def no_autovacuum(server):
    """It holds a transaction open and changes plans, at any moment. The tests
    of plans say ANALYZE themselves."""
    with server.database() as db:
        db.execute("ALTER SYSTEM SET autovacuum = off")
        db.execute("SELECT pg_reload_conf()")


@pytest.fixture
def web(server):
    """As what the workers are."""
    with server.database("sayso_web") as db:
        yield db


@pytest.fixture
def owner(server):
    with server.database("sayso_owner") as db:
        yield db


@pytest.fixture
def superuser(server):
    with server.database() as db:
        yield db


@pytest.fixture
def nothing_stays(superuser):
    with superuser.transaction(force_rollback=True):
        yield
