"""Clients of the OpenIntent SDK, both kinds of them."""
import pathlib
import sys

import pytest
from openintent import AsyncOpenIntentClient, IntentStatus, OpenIntentClient
from sdk import Blocking, access

# The tests over HTTP have functions that are used here too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "http"))


@pytest.fixture(scope="session")
def sync(server):
    with OpenIntentClient(**access(server, "refunds-agent")) as client:
        yield client


@pytest.fixture(scope="session")
def rival(server):
    """Another agent under the same key."""
    with OpenIntentClient(**access(server, "ledger-agent")) as client:
        yield client


@pytest.fixture(scope="session", params=["sync", "async"])
def client(request, server, sync):
    """The functions of both clients are tested with both."""
    if request.param == "sync":
        yield sync
        return
    one = Blocking(AsyncOpenIntentClient(**access(server, "refunds-agent")))
    yield one
    one.close()


@pytest.fixture
def intent(sync):
    """A new intent that is being worked on."""
    made = sync.create_intent("Refund order 12345", "It arrived broken.")
    return sync.set_status(made.id, made.version, IntentStatus.ACTIVE)
