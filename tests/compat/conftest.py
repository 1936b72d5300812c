"""Clients of the OpenIntent SDK, both kinds of them."""
import pathlib
import shutil
import sys

import pytest
from openintent import AsyncOpenIntentClient, IntentStatus, OpenIntentClient
from programs import built, CLAUDE_AGENTS, CREWAI, JAVA
from sdk import Blocking, access

# The tests over HTTP have functions that are used here too.
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "http"))

import coding_agents  # noqa: E402
import kit  # noqa: E402

collect_ignore = []
if not coding_agents.CLAUDE:
    collect_ignore.append("test_claude_code.py")
if not (coding_agents.CLAUDE or coding_agents.CODEX):
    collect_ignore.append("test_coding_agents.py")
if not any(coding_agents.VERSIONS.values()):
    collect_ignore.append("test_situations.py")


def pytest_terminal_summary(terminalreporter):
    for name in (coding_agents.MISSING + ["CrewAI"] * (not CREWAI)
                 + ["Claude Agent SDK of Python"] * (len(CLAUDE_AGENTS) < 2)
                 + ["a compiler of Java"] * (not JAVA)):
        terminalreporter.write_line(f"not run: {name} is not installed")
    terminalreporter.write_line("not run: Cursor and VS Code cannot be "
                                "installed by a test")
    terminalreporter.write_line("not run: the services of Trigger and "
                                "Inngest, for which others stand")
    terminalreporter.write_line("not run: n8n, whose page has settings and no "
                                "workflow that a test could run")


@pytest.fixture(scope="session")
def sync(server):
    with OpenIntentClient(**access(server, "refunds-agent")) as client:
        yield client


@pytest.fixture(scope="session")
def rival(server):
    """Another agent under the same key."""
    with OpenIntentClient(**access(server, "ledger-agent")) as client:
        yield client


@pytest.fixture(scope="session")
def person(server):
    """The SDK with an operator's key."""
    with OpenIntentClient(base_url=server.url, agent_id="on-call",
                          api_key=server.env["SAYSO_OPERATOR_KEY"]) as client:
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


@pytest.fixture(scope="session")
def typescript():
    """Where programs that use clients/typescript are."""
    return built()


@pytest.fixture
def intent(sync):
    """A new intent that is being worked on."""
    made = sync.create_intent("Refund order 12345", "It arrived broken.")
    return sync.set_status(made.id, made.version, IntentStatus.ACTIVE)


@pytest.fixture
def home():
    """Of a coding agent. Codex refuses the system's temporary directory."""
    made = coding_agents.BUILD / f"agent-{kit.new_id()}"
    made.mkdir()
    yield made
    shutil.rmtree(made)
