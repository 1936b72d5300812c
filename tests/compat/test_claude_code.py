"""A run of Claude Code that ends while a person thinks, and is resumed with
the answer; and its own questions."""
import concurrent.futures

import kit
import pytest
from asking import asked
from coding_agents import Case, Claude, claude


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


@pytest.mark.parametrize("value, heard", [
    ({"answer_1": "A"}, '"A"'), ({"other_1": "Neither of them."},
                                 "Neither of them.")])
def test_its_own_questions(server, operator, home, value, heard):
    """The model hears what a person chose, or wrote."""
    text = f"Which one, {kit.new_id()}?"
    question = {"question": text, "header": "One", "multiSelect": False,
                "options": [{"label": "A", "description": "d" * 300},
                            {"label": "B", "description": "the other"}]}
    case = Case(Claude(server, home), "--permission-prompt-tool",
                "mcp__sayso__permission_prompt")
    case.shell = "AskUserQuestion", {"questions": [question]}
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        said = pool.submit(case.run)
        r = kit.answer(operator, asked(operator, text), value)
        assert r.status_code == 200, r.text
        [told] = said.result(240)
    assert heard in told and text in told
