"""Claude Code and Codex, as they come from the registry, with a model that is
none: a command runs after an operator's yes, and by nothing else."""
import concurrent.futures

import pytest
from coding_agents import CLAUDE, CODEX, claude, codex, ways

NAMES = list(ways(None, None, 0))
# A call of this one is held as long as any, because it has no time of its own.
QUICK = [name for name in NAMES if name != "claude prompt"]


@pytest.fixture
def pool():
    with concurrent.futures.ThreadPoolExecutor(1) as threads:
        yield threads


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_after_a_yes(server, operator, pool, home, name):
    case = ways(server, home, 100)[name]()
    heard = pool.submit(case.run)
    question = case.decide(operator, "approve")
    assert [call["tool"] for call in question["subject"]["calls"]] == ["Bash"]
    assert len(heard.result(240)) == (2 if case.asks else 1)
    assert case.file.read_text() == "once\n"


@pytest.mark.parametrize("name", NAMES)
def test_a_refusal_has_its_reason(server, operator, pool, home, name):
    case = ways(server, home, 100)[name]()
    heard = pool.submit(case.run)
    case.decide(operator, "reject", reason="Not in this directory.")
    [text] = heard.result(240)
    assert "Not in this directory." in text
    assert not case.file.exists()


@pytest.mark.parametrize("name", QUICK)
def test_silence_is_no(server, home, name):
    case = ways(server, home, 1, timeout_seconds=1)[name]()
    [text] = case.run()
    assert "Nobody" in text or "not a yes" in text
    assert not case.file.exists()


CLIENTS = [*([claude] if CLAUDE else []), *([codex] if CODEX else [])]


@pytest.mark.parametrize("client", CLIENTS)
def test_what_is_too_large_is_no(server, home, client):
    """No question could show it. The model hears the limit."""
    case = client(server, home, "hold=60")
    name, given = case.shell
    case.shell = name, {member: f"{text} # {'x' * 230_000}"
                        for member, text in given.items()}
    [text] = case.run()
    assert "224 kB" in text and "Nobody was asked." in text
    assert not case.file.exists()


@pytest.mark.parametrize("client", CLIENTS)
def test_a_hook_that_fails_is_no(server, home, client):
    """By what our pages say: both run the command without it. The server that
    is away is in test_situations.py."""
    case = client(server, home, "hold=wrong")
    assert len(case.run()) == 1
    assert not case.file.exists()
