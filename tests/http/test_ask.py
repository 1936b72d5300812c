"""`sayso ask`, for shells and CI: the exit status is the answer."""
import os
import subprocess
import time

import pytest

from kit import answer, wait_for

YES, NO, NOBODY, FAILED = range(4)


@pytest.fixture(scope="module")
def shell(server):
    """run(*args, **environment) starts the program as a shell would."""
    key = server.key("agent", "--agent", "shell-bot")

    def run(*args, **more):
        env = {"PATH": os.environ["PATH"], "SAYSO_URL": server.url,
               "SAYSO_AGENT_KEY": key, "ASAN_OPTIONS":
               server.environ["ASAN_OPTIONS"], **more}
        return subprocess.Popen(
            [server.state / "app" / "sayso", "ask", *args], text=True,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env={k: v for k, v in env.items() if v is not None})

    return run


def ended(process):
    out, err = process.communicate(timeout=60)
    return process.returncode, out, err


@pytest.fixture
def asked(server, operator):
    """The open question of shell-bot with these words."""
    def find(question):
        def one():
            rows = operator.get("/api/v1/suspensions",
                                params={"state": "pending"}).json()
            return [s for s in rows["suspensions"]
                    if s["question"] == question]

        return wait_for(one)[0]

    return find


@pytest.mark.parametrize("value, status", [("yes", YES), ("no", NO)])
def test_yes_and_no(shell, asked, operator, value, status):
    process = shell(f"Deploy {value}?", "--wait", "5m")
    one = asked(f"Deploy {value}?")
    assert one["asked_by"] == "shell-bot" and one["timeout_seconds"] == 300
    assert answer(operator, one, value, reason="seen \x1b[31mred").is_success
    code, out, err = ended(process)
    assert (code, out) == (status, f"{value}\n")
    assert one["url"] in err and "seen" in err and "\x1b" not in err


def test_choices(shell, asked, operator):
    process = shell("Which one?", "--choice", "blue", "--choice", "green",
                    "--severity", "high", "--explanation", "Two are there.")
    one = asked("Which one?")
    assert [c["value"] for c in one["choices"]] == ["blue", "green"]
    assert one["severity"] == "high"
    assert one["explanation"] == "Two are there."
    assert answer(operator, one, "green", reason="why not").is_success
    assert ended(process)[:2] == (YES, "green\n")


def test_nobody(shell):
    begun = time.monotonic()
    code, out, err = ended(shell("Anybody?", "--wait", "1s"))
    assert (code, out) == (NOBODY, "")
    assert "nobody answered" in err
    assert time.monotonic() - begun >= 1


def test_withdrawn_is_nobody(shell, asked, admin):
    process = shell("Withdrawn?")
    path = f"/api/v1/suspensions/{asked('Withdrawn?')['suspension_id']}"
    assert admin.post(f"{path}/cancel").is_success
    assert ended(process)[0] == NOBODY


def test_the_same_name_finds_its_question(shell, asked, operator):
    """A CI job that is run again does not ask again."""
    first = shell("Once?", "--once", "job-7")
    one = asked("Once?")
    first.kill()
    first.communicate()
    again = shell("Once?", "--once", "job-7")
    assert answer(operator, one, "yes").is_success
    assert ended(again)[0] == YES


@pytest.mark.parametrize("args, more, say", [
    ((), {}, "question first"),
    (("--wait", "1h"), {}, "question first"),
    (("x?", "--wait", "soon"), {}, "--wait"),
    (("x?", "--wait", "60"), {}, "--wait"),
    (("x?", "--wait", "0s"), {}, "--wait"),
    (("x?", "--wait", "99999d"), {}, "--wait"),
    (("x?", "--wait", "-1h"), {}, "--wait"),
    (("x?", "--never"), {}, "--never"),
    (("x?", "--choice"), {}, "needs a value"),
    (("x?",), {"SAYSO_URL": None}, "SAYSO_URL"),
    (("x?",), {"SAYSO_AGENT_KEY": None}, "SAYSO_AGENT_KEY"),
    (("x?",), {"SAYSO_AGENT_KEY": "sayso_wrong"}, "key.unknown"),
    (("x?",), {"SAYSO_AGENT": "another"}, "agent.not_named"),
    (("x?", "--severity", "grave"), {}, "severity"),
    (("",), {}, "field.empty"),
    (("x?",), {"SAYSO_URL": "http://127.0.0.1:9"}, "no answer"),
    (("x?",), {"SAYSO_URL": "file:///etc/passwd"}, "no answer"),
    (("x?",), {"SAYSO_URL": "not an address"}, "no answer")])
def test_what_could_not_be_asked(shell, args, more, say):
    code, out, err = ended(shell(*args, **more))
    assert (code, out) == (FAILED, "")
    assert say in err
