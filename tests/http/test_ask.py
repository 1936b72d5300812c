"""`sayso ask`, for shells and CI: the exit status is the answer."""
import os
import signal
import subprocess
import time

import pytest

from kit import answer, wait_for

YES, NO, NOBODY, FAILED = range(4)


ENDS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


def default_signals():
    """Of a shell in the foreground, also where these tests have others."""
    for number in ENDS:
        signal.signal(number, signal.SIG_DFL)


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
            preexec_fn=default_signals,
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


@pytest.mark.parametrize("no", ["no", "Cancel", "not now", "REJECT"])
def test_a_choice_that_is_a_no(shell, asked, operator, no):
    """`sayso ask ... && ./deploy` does not go on."""
    process = shell(f"Go, {no}?", "--choice", "yes", "--choice", no)
    assert answer(operator, asked(f"Go, {no}?"), no).is_success
    assert ended(process)[:2] == (NO, f"{no}\n")


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


# --- Interrupted -----------------------------------------------------------

def waiting(process):
    """It has told where the answer is given."""
    assert "waiting for an answer" in process.stderr.readline()


@pytest.mark.parametrize("number", ENDS)
def test_it_withdraws_what_nobody_waits_for(shell, asked, operator, number):
    question = f"Interrupted by {number}?"
    process = shell(question)
    waiting(process)
    one = asked(question)
    process.send_signal(number)
    code, out, err = ended(process)
    assert (code, out) == (NOBODY, "") and "withdrawn" in err
    now = operator.get(f"/api/v1/suspensions/{one['suspension_id']}").json()
    assert now["state"] == "cancelled" and "interrupted" in now["reason"]


def test_a_named_question_stays(shell, asked, operator):
    question = "Interrupted, and run again?"
    first = shell(question, "--once", "job-8")
    waiting(first)
    one = asked(question)
    first.send_signal(signal.SIGTERM)
    code, _, err = ended(first)
    assert code == NOBODY and "stays" in err
    again = shell(question, "--once", "job-8")
    assert answer(operator, one, "yes").is_success
    assert ended(again)[0] == YES


def test_an_ignored_signal_stays_ignored(server, shell, asked, operator):
    process = shell("Hung up?")
    process.kill()
    ended(process)
    process = subprocess.Popen(
        ["nohup", *process.args[:2], "Still there?"], text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
        env={"PATH": os.environ["PATH"], "SAYSO_URL": server.url,
             "SAYSO_AGENT_KEY": server.key("agent", "--agent", "shell-bot"),
             "ASAN_OPTIONS": server.environ["ASAN_OPTIONS"]})
    one = asked("Still there?")
    process.send_signal(signal.SIGHUP)
    assert answer(operator, one, "yes").is_success
    assert ended(process)[0] == YES


# --- Values that go into headers and addresses ------------------------------

@pytest.mark.parametrize("once", [
    "job\r\nX-Agent-ID: another", "job\nIdempotency-Key: x", "a job, again",
    "j\u00f6b", "j" * 300])
def test_any_name_is_one_name(shell, asked, operator, once):
    """A line break adds no header, and another name is another question."""
    question = f"Named {len(once)} {once[:3]!r}?"
    first = shell(question, "--once", once)
    waiting(first)
    one = asked(question)
    assert one["asked_by"] == "shell-bot"
    again, other = (shell(question, "--once", name)
                    for name in (once, once + "2"))
    waiting(again), waiting(other)
    rows = operator.get("/api/v1/suspensions",
                        params={"state": "pending"}).json()["suspensions"]
    mine = [s for s in rows if s["question"] == question]
    assert len(mine) == 2
    for row in mine:
        assert answer(operator, row, "yes").is_success
    for process in (first, again, other):
        assert ended(process)[0] == YES


def test_white_space_is_cut(shell, asked, operator, server):
    key = server.key("agent", "--agent", "shell-bot")
    process = shell("Trimmed?", SAYSO_URL=f" {server.url}/\r\n",
                    SAYSO_AGENT_KEY=f"{key}\r\n", SAYSO_AGENT=" shell-bot\n")
    assert answer(operator, asked("Trimmed?"), "yes").is_success
    assert ended(process)[0] == YES


@pytest.mark.parametrize("name, value", [
    ("SAYSO_AGENT_KEY", "sayso_a\nX-Agent-ID: another"),
    ("SAYSO_AGENT_KEY", "sayso_a b"), ("SAYSO_AGENT_KEY", "sayso_\u00e9"),
    ("SAYSO_AGENT", "shell-bot\r\nX-API-Key: b"),
    ("SAYSO_URL", "http://127.0.0.1:9/\r\nHost: x")])
def test_a_value_adds_no_line(shell, name, value):
    code, out, err = ended(shell("x?", **{name: value}))
    assert (code, out) == (FAILED, "")
    assert name in err and value not in err and "sayso_" not in err


@pytest.mark.parametrize("args, more, say", [
    (("x?", "--once", ""), {}, "--once"),
    (("x?", "--once", " \n"), {}, "--once"),
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
