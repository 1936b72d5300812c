"""The programs in examples/, run as their readers run them."""
import pathlib
import subprocess
import sys

import pytest
from page import new_token
from programs import rest_of

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = TOP / "examples"


# As the README says it: the file is read by a shell, two names are exported.
SHELL = '. "$0"; export SAYSO_URL SAYSO_AGENT_KEY; exec "$@"'
PROGRAMS = {"refund.sh": ["sh", EXAMPLES / "refund.sh"],
            "plain_agent.py": [sys.executable, EXAMPLES / "plain_agent.py"],
            "refund_agent.py": [sys.executable, EXAMPLES / "refund_agent.py"]}
CHAT = [sys.executable, EXAMPLES / "tool_calls.py"]


class Running:
    """An example that was started; what it prints is read as it comes."""

    def __init__(self, server, name, *args):
        self.process = subprocess.Popen(
            ["sh", "-c", SHELL, server.var / "sayso.env", *PROGRAMS[name],
             *args], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            text=True, cwd=TOP, env={"PATH": "/usr/bin:/bin"})
        self.lines = []

    def asked(self):
        """The id of its question, from the address that it prints."""
        for line in self.process.stdout:
            self.lines.append(line.strip())
            if line.startswith("Waiting for an answer at "):
                return line.strip().rpartition("/")[2]
        pytest.fail("it did not ask: " + "\n".join(self.lines))

    def ended(self):
        self.lines += rest_of(self.process, 20).splitlines()
        return self.process.returncode


@pytest.fixture
def run(server):
    started = []

    def one(name, *args):
        started.append(Running(server, name, *args))
        return started[-1]

    yield one
    for running in started:
        running.process.kill()
        running.process.communicate()


def test_they_ask_and_print_the_answer(run, operator):
    """All at once, because one looks for its answer every two seconds."""
    wanted = [(name, value) for name in PROGRAMS
              for value in ("approve", "deny")]
    running = [run(name) for name, _ in wanted]
    for one, (_, value) in zip(running, wanted):
        id = one.asked()
        told = operator.get(f"/api/v1/suspensions/{id}").json()
        assert told["state"] == "pending"
        assert told["question"] == "Refund 499.99 EUR for order 12345?"
        assert told["asked_by"] == "refund-agent"
        assert told["context"]["amount"] == 499.99
        # Members of these names further inside must not mislead anybody.
        answer = operator.post(
            f"/api/v1/suspensions/{id}/respond",
            json={"value": value, "metadata": {"value": "approve",
                                               "state": "pending"}})
        assert answer.status_code == 200
    for one, (_, value) in zip(running, wanted):
        assert one.ended() == 0
        end = "refunded" if value == "approve" else "not refunded"
        assert one.lines[-2:] == [f"The answer: {value}",
                                  f"Order 12345 is {end}."]


def test_the_agent_completes_its_intent(run, operator):
    one = run("refund_agent.py")
    id = one.asked()
    told = operator.get(f"/api/v1/suspensions/{id}").json()
    operator.post(f"/api/v1/intents/{told['intent_id']}/suspend/respond",
                  json={"suspension_id": id, "value": "approve"})
    assert one.ended() == 0
    intent = operator.get(f"/api/v1/intents/{told['intent_id']}").json()
    assert intent["status"] == "completed"
    assert intent["state"]["refund_decision"] == "approve"
    events = operator.get(f"/api/v1/intents/{told['intent_id']}/events")
    assert "engagement.decision" in {e["event_type"] for e in events.json()}


def test_an_agent_that_was_killed_finds_its_question(run, operator):
    first = run("plain_agent.py", "run-killed")
    id = first.asked()
    first.process.kill()
    assert operator.post(f"/api/v1/suspensions/{id}/respond",
                         json={"value": "approve"}).status_code == 200
    again = run("plain_agent.py", "run-killed")
    assert again.asked() == id
    assert again.ended() == 0
    assert again.lines[-1] == "Order 12345 is refunded."


def test_a_small_refund_needs_nobody(run):
    one = run("refund_agent.py", "20")
    assert one.ended() == 0
    assert one.lines[-2:] == ["The answer: approve",
                              "Order 12345 is refunded."]


def test_the_shell_agent_takes_no_for_no(run, agent):
    """A question that was taken back is not an answer."""
    one = run("refund.sh")
    taken = agent.post(f"/api/v1/suspensions/{one.asked()}/cancel", json={},
                       headers={"X-Agent-ID": "refund-agent"})
    assert taken.status_code == 200
    assert one.ended() == 1
    assert one.lines[-1] == "No answer: cancelled"


def test_a_key_that_is_refused(server):
    """The server's answer is printed, and the key is not."""
    done = subprocess.run(
        ["sh", EXAMPLES / "refund.sh"], capture_output=True, text=True,
        timeout=20, env={"PATH": "/usr/bin:/bin", "SAYSO_URL": server.url,
                         "SAYSO_AGENT_KEY": "sayso_wrong"})
    assert done.returncode == 1
    assert "key" in done.stderr
    assert "sayso_wrong" not in done.stdout + done.stderr


def test_without_an_environment():
    done = subprocess.run(
        ["sh", EXAMPLES / "refund.sh"], capture_output=True, text=True,
        timeout=20, env={"PATH": "/usr/bin:/bin"})
    assert done.returncode != 0
    assert "SAYSO_URL" in done.stderr


# --- Tool calls -----------------------------------------------------------

@pytest.fixture
def chat(server):
    """tool_calls.py and the token of the person whom it asks."""
    token = new_token(server)
    with server.client(headers={"X-API-Key": token}) as user, \
            server.database() as db:
        email = db.execute(
            "SELECT email FROM principal p JOIN api_key k ON k.principal_id = "
            "p.id WHERE k.prefix = %s", [token[:12]]).fetchone()[0]
        process = subprocess.Popen(
            ["sh", "-c", SHELL, server.var / "sayso.env", *CHAT, email],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            cwd=TOP, env={"PATH": "/usr/bin:/bin"})
        yield process, user
        process.kill()
        process.communicate()


@pytest.mark.parametrize("action, code, said", [
    ("approve", 0, "refunded 50.00 EUR for order 12345\nwrote to alice: Your "
     "money is on its way.\n"),
    ("reject", 1, "Canceled: Ask Alice first.\n")])
def test_a_user_decides_about_tool_calls(chat, action, code, said):
    process, user = chat
    line = process.stdout.readline()
    assert line.startswith("Approve at "), line + process.stdout.read()
    address = line.split()[-1].partition("?")[0]
    r = user.post(address, json={"action": action,
                                 "reason": "Ask Alice first."})
    assert r.status_code == 200, r.text
    rest = rest_of(process, 60)
    assert (process.returncode, rest) == (code, said)
    at = address.replace("/resume/", "/suspensions/")
    told = user.get(at).json()
    assert ("permit" in told) == (action == "approve")
    if action == "approve":
        assert told["permit"]["used"] == 2
        assert told["permit"]["state"] == "spent"
