"""A run of Claude Code that ends while a person thinks, and is resumed with
the answer."""
import pytest
from coding_agents import claude


@pytest.mark.parametrize("value", ["approve", "reject"])
def test_it_ends_and_is_resumed(server, operator, home, value):
    case = claude(server, home, "late=defer")
    assert case.run() == []
    first = case.told
    assert first["terminal_reason"] == "tool_deferred"
    assert first["deferred_tool_use"]["input"]["command"] == case.command
    assert not case.file.exists()
    case.decide(operator, value, reason="It was looked at.")
    [text] = case.run("--resume", first["session_id"])
    assert case.told["session_id"] == first["session_id"]
    if value == "approve":
        assert case.file.read_text() == "once\n"
    else:
        assert "It was looked at." in text and not case.file.exists()
