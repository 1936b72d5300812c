"""agent.run() of the SDK: what happens comes to the agent, by its stream."""
import json
import os
import pathlib
import queue
import signal
import subprocess
import sys
import threading
import time
import uuid

import pytest
from openintent import EventType, IntentStatus
from openintent.streaming import SSEEventType, SSEStream

HERE = pathlib.Path(__file__).resolve().parent


class Running:
    """An agent's process, and what it told."""

    def __init__(self, server, name, key=None, how="mended"):
        self.name = name
        self.told = []
        self.lines = queue.Queue()
        self.process = subprocess.Popen(
            [sys.executable, HERE / "runner.py", name, server.url,
             key or server.env["SAYSO_AGENT_KEY"], how],
            stdout=subprocess.PIPE, text=True)
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(json.loads(line))

    def drain(self, seconds=0):
        """Everything that it tells within that time."""
        end = time.monotonic() + seconds
        while True:
            try:
                left = max(0.01, end - time.monotonic())
                self.told.append(self.lines.get(timeout=left))
            except queue.Empty:
                return self.told

    def until(self, what, seconds=20, **more):
        """The first that it tells, or has told, of this."""
        end = time.monotonic() + seconds
        wanted = {"what": what, **more}
        seen = 0
        while True:
            for one in self.told[seen:]:
                if wanted.items() <= one.items():
                    return one
            seen = len(self.told)
            left = end - time.monotonic()
            assert left > 0, (wanted, self.told)
            try:
                self.told.append(self.lines.get(timeout=left))
            except queue.Empty:
                pass

    def all(self, what):
        return [one for one in self.told if one["what"] == what]

    def types(self):
        return [one["type"] for one in self.all("frame")]

    def stop(self):
        self.process.kill()
        self.process.wait()


@pytest.fixture
def run(server):
    made = []

    def start(name=None, **more):
        one = Running(server, name or f"run-{uuid.uuid4()}", **more)
        made.append(one)
        one.until("frame", type="connected")
        return one

    yield start
    for one in made:
        one.stop()


def assign(sync, agent, title):
    made = sync.create_intent(title, "")
    sync.set_status(made.id, made.version, IntentStatus.ACTIVE)
    sync.assign_agent(made.id, agent.name)
    return made.id


def answer(operator, intent, suspension, value):
    return operator.post(f"/api/v1/intents/{intent}/suspend/respond",
                         json={"suspension_id": suspension, "value": value})


# --- From the assignment to the end ---------------------------------------

def test_assigned_asked_answered_completed(run, sync, operator):
    agent = run()
    intent = assign(sync, agent, "Refund 499.99 EUR")
    agent.until("assigned", intent=intent)
    asked = agent.until("requested")
    assert asked["question"] == "Refund 499.99 EUR?"
    r = answer(operator, intent, asked["suspension"], "approve")
    assert r.status_code == 200, r.text
    agent.until("received", suspension=asked["suspension"], value="approve")
    agent.until("done", intent=intent, answer="approve")

    now = sync.get_intent(intent)
    assert now.status is IntentStatus.COMPLETED
    assert now.state.get("answer") == "approve"
    # Events of the meantime are read only now: a handler was running.
    agent.until("completed", intent=intent, status="completed")
    agent.until("heard", intent=intent, status="completed")
    agent.drain(1.5)
    for once in ("assigned", "requested", "received", "done", "changed",
                 "completed"):
        assert len(agent.all(once)) == 1, (once, agent.told)
    assert agent.all("changed")[0]["new"] == {"answer": "approve"}
    # A slow server reads the start of the task after the assignment, and then
    # the agent may see it.
    heard = [x["status"] for x in agent.all("heard")]
    assert heard in (["suspended_awaiting_input", "completed"],
                     ["active", "suspended_awaiting_input", "completed"])
    assert not agent.all("expired")
    # Questions are not told a second time to the agent that asked them.
    assert not [t for t in agent.types() if t.startswith("intent.")]
    ids = [one["id"] for one in agent.all("frame")]
    assert len(set(ids)) == len(ids)


def test_the_sdk_as_it_is(run, sync, operator):
    """Nothing of its dispatcher is mended: what it can do, it does."""
    agent = run(how="as it is")
    intent = assign(sync, agent, "Refund 499.99 EUR")
    asked = agent.until("requested")
    answer(operator, intent, asked["suspension"], "deny")
    agent.until("done", intent=intent, answer="deny")
    agent.until("completed", intent=intent)
    agent.drain(1)
    for once in ("assigned", "requested", "received", "done", "changed",
                 "completed"):
        assert len(agent.all(once)) == 1, (once, agent.told)
    assert not agent.all("heard")  # its @on_event


def test_one_question_at_a_time(run, sync, operator):
    """The stream is read again once the answer is there."""
    agent = run()
    first = assign(sync, agent, "Refund 1 EUR")
    asked = agent.until("requested")
    second = assign(sync, agent, "Refund 2 EUR")
    agent.drain(2.5)
    assert [one["intent"] for one in agent.all("assigned")] == [first]
    answer(operator, first, asked["suspension"], "deny")
    agent.until("done", intent=first)
    agent.until("assigned", intent=second)


def test_what_is_others_is_not_told(run, sync, operator):
    agent, other = run(), run()
    theirs = assign(sync, other, "Only look at this")
    other.until("assigned", intent=theirs)
    mine = assign(sync, agent, "Only look at that")
    agent.until("assigned", intent=mine)
    sync.log_event(mine, EventType.COMMENT, {"text": "hello"})
    agent.drain(1)
    assert {one["data"]["intent_id"] for one in agent.all("frame")
            if one["data"]} == {mine}
    assert [one["intent"] for one in agent.all("assigned")] == [mine]
    assert "comment" not in agent.types()
    sync.unassign_agent(mine, agent.name)
    agent.until("frame", type="agent_unassigned")
    before = len(agent.drain(1))
    now = sync.get_intent(mine)
    sync.set_status(mine, now.version, IntentStatus.COMPLETED)
    assert len(agent.drain(1)) == before


# --- A stream that breaks -------------------------------------------------

def kill_holder(server):
    pid = server.child("wait")
    os.kill(pid, signal.SIGKILL)
    return pid


def test_nothing_is_lost_or_told_twice_when_it_breaks(run, server, sync):
    """Also before anything was told: the stream has said where it is."""
    agent = run()
    given = []
    for _ in range(2):
        kill_holder(server)
        given.append(assign(sync, agent, "Only look at this"))
        agent.until("assigned", intent=given[-1], seconds=40)
    agent.drain(1)
    assert [one["intent"] for one in agent.all("assigned")] == given
    assert agent.types().count("agent_assigned") == 2
    assert agent.types().count("connected") == 3


def test_an_agent_that_was_away_goes_on_where_it_was(run, server, sync):
    """With the id that its last stream has told."""
    agent = run()
    first = assign(sync, agent, "Only look at this")
    agent.until("assigned", intent=first)
    last = agent.until("frame", type="agent_assigned")["id"]
    half = agent.until("frame", type="AGENT_ASSIGNED")["id"]
    agent.stop()
    second = assign(sync, agent, "Only look at that")
    for begin, wanted in ((last, [second]), (half, [first, second])):
        stream = SSEStream(
            f"{server.url}/api/v1/agents/{agent.name}/subscribe",
            {"X-API-Key": server.env["SAYSO_AGENT_KEY"],
             "X-Agent-ID": agent.name})
        stream._last_event_id = begin
        got = []
        for event in stream:
            got.append(event)
            if event.type == "agent_assigned" and \
                    event.intent_id == second:
                break
        stream.stop()
        assert [e.intent_id for e in got if e.type == "agent_assigned"] == \
            wanted
        assert [e.intent_id for e in got if e.type == "AGENT_ASSIGNED"] == \
            [second]


def test_a_key_that_was_revoked_hears_no_more(run, server, sync):
    """And its agent, which the SDK has come back at once and for ever, does
    not keep the server busy."""
    name = f"gone-{uuid.uuid4()}"
    key = server.key("agent", "--agent", name, label=name)
    agent = run(name, key=key)
    with server.database() as db:
        ident = db.execute("SELECT id::text FROM api_key WHERE label = %s",
                           [name]).fetchone()[0]
    assert server.sayso("key", "revoke", ident).returncode == 0
    agent.until("frame", type=SSEEventType.ERROR.value, seconds=40)
    missed = assign(sync, agent, "Only look at this")
    agent.drain(5)
    assert not agent.all("assigned")
    errors = [one for one in agent.all("frame") if one["type"] == "error"]
    assert errors[0]["data"]["status_code"] == 401
    assert len(errors) <= 2, errors
    assert missed not in json.dumps(agent.told)


def test_run_of_a_decorated_class_calls_itself(tmp_path):
    """docs/openintent.md says so; a release that mends it changes the page."""
    code = tmp_path / "decorated.py"
    code.write_text("""
from openintent import Agent

@Agent("decorated", base_url="http://127.0.0.1:9", api_key="none")
class One:
    pass

One().run()
""")
    done = subprocess.run([sys.executable, code], capture_output=True,
                          text=True, timeout=60)
    assert done.returncode == 1 and "RecursionError" in done.stderr
