"""The pages of patterns, of tests of an agent and of other languages, run as they
are printed."""
import os
import subprocess

import kit
import pytest
from documents import block
from programs import GO, JAVA
from reader import (WAITED, compiled, decide, desk, ended,  # noqa: F401
                    objects, waiting)

AGENT = "refund-agent"


# --- Patterns --------------------------------------------------------------

@pytest.mark.parametrize("value, said", [
    ("approve", "499.99 EUR for order 12345 are on their way"),
    ("reject", "Too much.")])
def test_a_refund_over_a_limit(desk, operator, value, said):
    run = desk(block("patterns.md", "python", "LIMIT").replace("refund:", f"{value}:"),
               language="python")
    question = decide(operator, AGENT, value, "Too much.")
    assert question["subject"]["calls"][0]["args"] == {
        "order": "12345", "amount": 499.99}
    first, second = ended(run).splitlines()
    assert first == "20.00 EUR for order 12344 are on their way"
    assert said in second


@pytest.mark.parametrize("value, status", [("yes", 0), ("no", 1)])
def test_a_deploy(desk, server, operator, tmp_path, value, status):
    (tmp_path / "deploy").write_text("#!/bin/sh\necho deployed\n")
    (tmp_path / "deploy").chmod(0o755)
    code = block("patterns.md", "sh", "sayso ask").replace("1.4.2", f"1-{value}")
    run = desk(code, PATH=f"{server.state}/app:{os.environ['PATH']}",
               SAYSO_AGENT="ci", ASAN_OPTIONS="detect_leaks=0")
    question = decide(operator, "ci", value)
    assert question["severity"] == "high"
    said, _ = run.communicate(timeout=60)
    assert run.returncode == status, said
    assert ("deployed" in said.splitlines()) == (value == "yes")


def test_a_draft_that_a_person_edits(desk, operator):
    run = desk(block("patterns.md", "python", "send_mail"), language="python")
    subject = waiting(operator, AGENT)["subject"]
    subject["calls"][0]["args"]["text"] = "We refund the order tomorrow."
    decide(operator, AGENT, "edit", subject=subject)
    assert ended(run) == "to alice@example.org: We refund the order tomorrow.\n"


def test_a_budget(desk, operator):
    run = desk(block("patterns.md", "python", "Budget"), language="python")
    decide(operator, AGENT, "confirm")
    question = decide(operator, AGENT, "confirm", constraints={"limit": 20})
    assert question["subject"]["spent_so_far"] == {"amount": 18, "unit": "EUR"}
    assert ended(run).splitlines() == [
        "page 1 is translated", "page 2 is translated",
        "stopped: 20.00 EUR is the limit"]


@pytest.fixture(scope="module")
def of_both(server):
    """A key of an operator in both groups, and one of each group."""
    keys = [server.key("operator", "--groups", groups, label=f"desk {n}")
            for n, groups in enumerate(("support,finance", "support",
                                        "finance"))]
    clients = [server.client(headers={"X-API-Key": key}) for key in keys]
    yield clients
    for client in clients:
        client.close()


@pytest.mark.parametrize("second, said", [(2, "transferring"),
                                          (1, "not transferring")])
def test_four_eyes(desk, of_both, second, said):
    """The second answer is somebody else's, or of the same key."""
    both, support, finance = of_both
    answers = (support, finance) if second == 2 else (both, both)
    run = desk(block("patterns.md", "python", "def both").replace("run-15", kit.new_id()),
               language="python")
    decide(answers[0], AGENT, "yes")
    question = decide(answers[1], AGENT, "yes")
    assert question["context"]["approved_by"].startswith("desk")
    assert ended(run) == f"{said}\n"


# --- Testing an agent ------------------------------------------------------

@pytest.fixture
def a_test_key(desk):
    """As the page makes it."""
    return ended(desk(block("testing.md", "sh", "key create") +
                      'echo "$SAYSO_TEST_KEY"')).strip()


TESTS = [("testing.md", "import FakeServer", "FakeServer, silence"),
         ("testing.md", "import RealServer", "answer, RealServer")]


@pytest.mark.parametrize("page, python, ts", TESTS)
def test_a_test_in_both_languages(desk, compiled, a_test_key, page, python, ts):
    for language, code in (("python", block(page, "python", python)),
                           ("ts", compiled(block(page, "ts", ts)))):
        run = desk(code, language=language, SAYSO_TEST_KEY=a_test_key)
        assert ended(run) == "it holds\n"


def test_a_script_answers_what_a_test_key_asked(desk, server, a_test_key):
    with server.client(headers={"X-API-Key": a_test_key}) as tester:
        asked = kit.ask(tester)
        later = kit.ask(tester, timeout_seconds=80000)
        code = block("testing.md", "sh", "/test/clock").replace(
            WAITED, asked["suspension_id"])
        answer, moved = objects(ended(desk(code, SAYSO_TEST_KEY=a_test_key)))
        assert answer["outcome"] == "none" and answer["value"] == "approve"
        assert moved == {"moved": 1}
        path = f"/api/v1/suspensions/{later['suspension_id']}?wait=50"
        assert tester.get(path).json()["state"] == "expired"


# --- Other languages -------------------------------------------------------

def go(at, run):
    (at / "ask.go").write_text(block(
        "with/other-languages.md", "go", "package main").replace("run-12", run))
    subprocess.run([GO, "build", "-o", at / "ask", at / "ask.go"], check=True,
                   cwd=at, env={**os.environ, "GOTOOLCHAIN": "local"})
    return f"exec {at}/ask"


def java(at, run):
    (at / "Ask.java").write_text(block(
        "with/other-languages.md", "java", "public class Ask").replace(
            "run-12", run))
    subprocess.run([JAVA, "-d", at, at / "Ask.java"], check=True)
    return f"exec java -cp {at} Ask"


@pytest.mark.parametrize("value, said", [("yes", "refunding"),
                                         ("no", "not refunding")])
@pytest.mark.parametrize("language", [go, java] if JAVA else [go])
def test_another_language(desk, operator, tmp_path, language, value, said):
    run = desk(language(tmp_path, kit.new_id()))
    question = decide(operator, AGENT, value)
    first, second = ended(run).splitlines()
    assert first == f"waiting for an answer: {question['url']}"
    assert second == said
