"""docs/openintent.md of the SDK itself, release 0.17.0: what its agents do, and
what they cannot do. A release that mends one of these changes the page."""
import asyncio
import dataclasses
import datetime
import importlib.metadata
import inspect
import json
import logging
import os
import subprocess
import sys
import time
import uuid

import httpx
import kit
import openintent
import pytest
from openintent import (AsyncOpenIntentClient, BaseAgent, EventType,
                        IntentStatus, OpenIntentClient, on_access_requested,
                        on_assignment, on_complete, on_event,
                        on_input_received, on_input_requested,
                        on_lease_available, on_state_change)
from openintent.agents import (Agent, Coordinator, IntentSpec, PortfolioSpec,
                               on_approval_granted)
from openintent.exceptions import (ConflictError, LeaseConflictError,
                                   OpenIntentError)
from openintent.models import Intent, SuspensionChoice, SuspensionRecord
from sdk import access
from stories import Agent as Asking

SUSPENDED = IntentStatus.SUSPENDED_AWAITING_INPUT


class Bare(BaseAgent):
    """Nothing of it is mended."""


class Loop:
    """An agent whose coroutines are run one after the other."""

    def __init__(self, server, agent):
        self.agent, self.runner = agent, asyncio.Runner()
        agent._agent_id = "refunds-agent"
        agent._async_client = AsyncOpenIntentClient(
            **access(server, "refunds-agent"))
        self.sent = []

        async def remember(request):
            self.sent.append((request.method, request.url.path,
                              request.content))

        agent._async_client._client.event_hooks["request"].append(remember)

    def run(self, coroutine):
        return self.runner.run(coroutine)

    def posted(self):
        """The last words of the addresses that it has posted to."""
        return [path.rpartition("/")[2] for method, path, _ in self.sent
                if method == "POST"]

    def close(self):
        self.run(self.agent._async_client.close())
        self.runner.close()


@pytest.fixture
def bare(server):
    one = Loop(server, Bare(server.url, server.env["SAYSO_AGENT_KEY"]))
    yield one
    one.close()


def test_the_release():
    assert importlib.metadata.version("openintent") == "0.17.0"


# --- An agent that asks ----------------------------------------------------

def test_it_swaps_the_version_and_the_status(bare, sync, intent):
    """Before the question is sent."""
    for kind in (OpenIntentClient, AsyncOpenIntentClient):
        takes = list(inspect.signature(kind.set_status).parameters)
        assert takes[1:4] == ["intent_id", "version", "status"]
    for call in (bare.agent.request_input(intent.id, "Refund?"),
                 bare.agent.complete_intent(intent.id)):
        with pytest.raises(AttributeError) as raised:
            bare.run(call)
        assert str(raised.value) == "'int' object has no attribute 'value'"
    assert bare.posted() == [] and sync.get_intent(intent.id) == intent


def test_the_key_has_to_have_the_name(server):
    """The name in @Agent(...) is what the SDK sends as X-Agent-ID."""
    @Agent("named-agent")
    class Named:
        pass

    async def create(key):
        agent = Named(server.url, key)
        async with agent.async_client as client:
            assert client._client.headers["X-Agent-ID"] == "named-agent"
            return await client.create_intent("Refund", "x")

    made = asyncio.run(create(server.key("agent", "--agent", "named-agent")))
    assert made.created_by == "named-agent"
    with pytest.raises(OpenIntentError) as raised:
        asyncio.run(create(server.key("agent", "--agent", "another-agent")))
    assert raised.value.status_code == 403


def story(server, ask):
    """Runs ask(agent, intent), and gives back the agent, the intent and the
    addresses that it posted to for the intent."""
    async def whole():
        agent = Asking(server, "sdk-agent", None)
        intent = await agent.begin("Refund 499.99 EUR?")
        agent.answers.clear()
        try:
            await ask(agent, intent)
        finally:
            await agent.async_client.close()
        return agent, intent, [path.rpartition("/")[2] for method, path, _ in
                               agent.answers if method == "POST"]
    return asyncio.run(whole())


def test_it_suspends_in_two_calls(server):
    """The event after them is recognised as the server's own."""
    async def ask(agent, intent):
        asking = asyncio.create_task(
            agent.request_input(intent.id, "Refund?", timeout_seconds=3600))
        await agent.questions.get()
        asking.cancel()

    agent, _, posted = story(server, ask)
    assert posted == ["status", "state", "events"]
    assert agent.refused() == []


def test_a_question_whose_agent_died(sync, operator, intent):
    """It stays suspended without a question, until it has its record or is
    abandoned."""
    other = sync.create_intent("Refund", "x")
    other = sync.set_status(other.id, other.version, IntentStatus.ACTIVE)
    mine = str(uuid.uuid4())
    for one in (intent, other):
        one = sync.set_status(one.id, one.version, SUSPENDED)
        kit.refused(kit.respond(operator, {"id": one.id}, mine, "yes"), 409)
        assert sync.get_intent(one.id).status is SUSPENDED
    sync.update_state(intent.id, intent.version + 1, {"_suspension": {
        "id": mine, "question": "Refund?", "response_type": "confirm"}})
    r = kit.respond(operator, {"id": intent.id}, mine, "yes")
    assert r.status_code == 200, r.text
    left = sync.set_status(other.id, other.version + 1, IntentStatus.ABANDONED)
    assert left.status is IntentStatus.ABANDONED


def test_the_servers_clock_counts(sync, operator, intent):
    sync.set_status(intent.id, intent.version, SUSPENDED)
    claimed = {"suspended_at": "2020-01-01T00:00:00.000000",
               "expires_at": "2020-01-01T01:00:00.000000",
               "responded_at": "2020-01-01T00:30:00.000000",
               "response": "yes", "resolution": "responded",
               "responded_by": "me"}
    now = sync.update_state(intent.id, intent.version + 1, {"_suspension": {
        "id": str(uuid.uuid4()), "question": "Refund?", "timeout_seconds": 60,
        "response_type": "confirm", **claimed}})
    record = now.state.get("_suspension")
    assert {k: v for k, v in claimed.items() if record.get(k) == v} == {}
    begun, ends = (SuspensionRecord.from_dict(record).suspended_at,
                   SuspensionRecord.from_dict(record).expires_at)
    assert (ends - begun).total_seconds() == 60
    r = kit.respond(operator, {"id": intent.id}, record["id"], "no")
    assert r.status_code == 200, r.text


class Enough(Exception):
    pass


def test_it_polls_every_two_seconds(server, monkeypatch):
    slept, sleep = [], asyncio.sleep

    async def count(seconds):
        if seconds < 1:
            return await sleep(seconds)
        slept.append(seconds)
        if len(slept) == 4:
            raise Enough

    async def ask(agent, intent):
        with pytest.raises(Enough):
            await agent.request_input(intent.id, "Refund?")

    monkeypatch.setattr(openintent.agents.asyncio, "sleep", count)
    agent, intent, _ = story(server, ask)
    assert slept == [2.0] * 4
    assert [one[:2] for one in agent.answers[-3:]] == [
        ("GET", f"/api/v1/intents/{intent.id}")] * 3


def test_it_stops_without_telling_the_server(server, sync):
    """The server counts from the arrival of the record, the SDK from before
    that."""
    async def ask(agent, intent):
        assert await agent.request_input(
            intent.id, "Refund?", timeout_seconds=1, fallback_value="deny",
            fallback_policy="use_default_and_continue") == "deny"

    agent, intent, posted = story(server, ask)
    assert posted == ["status", "state", "events"]
    record = SuspensionRecord.from_dict(
        sync.get_intent(intent.id).state.get("_suspension"))
    assert (record.expires_at - record.suspended_at).total_seconds() == 1
    assert agent.questions.get_nowait().expires_at <= record.expires_at


def test_an_agent_of_the_decorator_runs(server, sync, tmp_path):
    name = f"decorated-{uuid.uuid4()}"
    code = tmp_path / "decorated.py"
    code.write_text(f"""
import os
from openintent import Agent, BaseAgent, on_assignment

@Agent("{name}")
class One:
    @on_assignment
    async def work(self, intent):
        print(intent.title, flush=True)
        os._exit(0)

BaseAgent.run(One(os.environ["SAYSO_URL"], os.environ["KEY"]))
""")
    running = subprocess.Popen(
        [sys.executable, code], stdout=subprocess.PIPE, text=True,
        env={**os.environ, "SAYSO_URL": server.url,
             "KEY": server.env["SAYSO_AGENT_KEY"]})

    def heard():
        """Its stream begins when it listens: an earlier one is missed."""
        sync.assign_agent(sync.create_intent("For you", "").id, name)
        return running.poll() is not None

    try:
        kit.wait_for(heard, 60)
        assert running.stdout.read() == "For you\n"
    finally:
        running.kill()
        running.communicate()


def test_what_it_knows_nothing_of():
    words = {"severity", "effect", "fields", "form", "on_reject"}
    known = {*inspect.signature(BaseAgent.request_input).parameters}
    for kind in (SuspensionRecord, SuspensionChoice):
        known |= {f.name for f in dataclasses.fields(kind)}
    assert "context" in known and not words & known


# --- What it cannot do: the async client -----------------------------------

GRAPHS = {"create_child_intent", "get_children", "get_descendants",
          "get_ancestors", "get_dependencies", "get_dependents",
          "add_dependency", "remove_dependency", "get_ready_intents",
          "get_blocked_intents", "get_intent_graph"}


def test_the_async_client_has_no_graphs():
    assert all(hasattr(OpenIntentClient, name) for name in GRAPHS)
    assert not any(hasattr(AsyncOpenIntentClient, name) for name in GRAPHS)
    takes = inspect.signature(AsyncOpenIntentClient.create_intent).parameters
    assert not {"depends_on", "parent_intent_id"} & set(takes)


@Coordinator("refunds-agent")
class Lead:
    pass


class Deep(AsyncOpenIntentClient):
    """Posts the members that the SDK's does not have."""

    async def create_intent(self, title, description="", constraints=None,
                            initial_state=None, depends_on=(),
                            parent_intent_id=None):
        r = await self._client.post("/api/v1/intents", json={
            "title": title, "description": description,
            "constraints": constraints or {}, "state": initial_state or {},
            "depends_on": list(depends_on),
            "parent_intent_id": parent_intent_id})
        return Intent.from_dict(self._handle_response(r))


@pytest.mark.parametrize("client", [AsyncOpenIntentClient, Deep])
def test_none_of_its_workflows_runs(server, sync, client):
    """But with a subclass, or with the sync client, which has the member."""
    spec = PortfolioSpec(name="Refunds", intents=[
        IntentSpec("Look"), IntentSpec("Pay", depends_on=["Look"])])

    async def create():
        lead = Lead(server.url, server.env["SAYSO_AGENT_KEY"])
        lead._async_client = client(**access(server, "refunds-agent"))
        async with lead.async_client:
            return await lead.create_portfolio(spec)

    if client is AsyncOpenIntentClient:
        with pytest.raises(TypeError, match="depends_on"):
            asyncio.run(create())
        return
    intents, _ = sync.get_portfolio_intents(asyncio.run(create()).id)
    ids = {one.title: one.id for one in intents}
    assert sync.get_intent(ids["Pay"]).depends_on == [ids["Look"]]


@pytest.fixture
def west(monkeypatch):
    """Local time is five hours behind UTC."""
    monkeypatch.setenv("TZ", "UTC+5")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


def test_the_end_of_a_subscription_has_no_zone(west, agent, bare, intent):
    """Of local time: what ends in four hours there is past in UTC."""
    address = f"https://{uuid.uuid4()}.invalid/hook"
    kit.made(agent.post("/api/v1/endpoints", json={
        "name": address[8:44], "url": address}))
    client = bare.agent.async_client

    def hours_left(hours):
        made = bare.run(client.subscribe(address, intent_id=intent.id,
                                         expires_in_hours=hours))
        sent = json.loads(bare.sent[-1][2])["expires_at"]
        assert "Z" not in sent and "+" not in sent
        listed = agent.get("/api/v1/subscriptions", params={
            "intent_id": intent.id})
        [one] = [s for s in kit.made(listed, 200)["subscriptions"]
                 if s["id"] == made.id]
        begun, ends = (datetime.datetime.fromisoformat(one[name])
                       for name in ("created_at", "expires_at"))
        return round((ends - begun).total_seconds() / 3600, 2)

    assert [hours_left(n) for n in (24, 4, -8)] == [19, 1, 1]
    with pytest.raises(OpenIntentError) as raised:
        hours_left(-10)
    assert raised.value.status_code == 422


# --- What it cannot do: the dispatcher -------------------------------------

class Ears(BaseAgent):
    """Has a handler of every sort, and remembers which of them ran."""

    def __init__(self, *args):
        super().__init__(*args)
        self.ran = []

    def note(name):
        async def handler(self, *args):
            self.ran.append(name)
        return handler

    assignment = on_assignment(note("assignment"))
    state = on_state_change()(note("state"))
    lease_ = on_lease_available("x")(note("lease"))
    complete = on_complete(note("complete"))
    event = on_event("comment")(note("event"))
    asked = on_input_requested(note("asked"))
    answered = on_input_received(note("answered"))
    approved = on_approval_granted(note("approved"))
    access = on_access_requested(note("access"))


@pytest.fixture
def ears(server):
    one = Loop(server, Ears(server.url, server.env["SAYSO_AGENT_KEY"]))
    yield one
    one.close()


@pytest.fixture
def stranger(server):
    """Another agent, with a key of its own."""
    given = {**access(server, "stranger"),
             "api_key": server.key("agent", "--agent", "stranger")}
    with OpenIntentClient(**given) as client:
        yield client


def everything(sync, stranger, operator, intent):
    """One event of each sort, the completion last."""
    now = sync.update_state(intent.id, intent.version, {"a": 1})
    sync.release_lease(intent.id, sync.acquire_lease(intent.id, "x").id)
    sync.assign_agent(intent.id, "refunds-agent")
    sync.log_event(intent.id, EventType.COMMENT, {"text": "x"})
    asked = sync.request_approval(intent.id, "deploy", "x")
    r = operator.post(f"/api/v1/intents/{intent.id}/approvals/{asked.id}"
                      "/approve")
    assert r.status_code == 200, r.text
    stranger.request_access(intent.id, "stranger")
    now = sync.set_status(intent.id, now.version, IntentStatus.BLOCKED)
    now = sync.set_status(intent.id, now.version, IntentStatus.ACTIVE)
    with_agent = {"intent_id": intent.id, "question": "Refund?",
                  "response_type": "confirm"}
    r = sync._client.post("/api/v1/suspensions", json=with_agent)
    assert kit.answer(operator, kit.made(r), "yes").status_code == 200
    now = sync.get_intent(intent.id)
    sync.set_status(intent.id, now.version, IntentStatus.COMPLETED)


FIVE = {"AGENT_ASSIGNED", "STATUS_CHANGED", "STATE_CHANGED", "LEASE_RELEASED",
        "INTENT_COMPLETED"}
OTHERS = {"connected", "comment", "status_changed", "state_patched",
          "agent_assigned", "lease_acquired", "lease_released",
          "access_requested", "intent.suspended", "intent.resumed",
          "governance.approval_granted"}


def test_it_fails_on_every_frame_but_five(ears, sync, stranger, operator,
                                          intent, caplog):
    """And so only these handlers run from a stream. It logs why."""
    frames = []
    with sync.subscribe_sse(intent.id) as stream:
        for frame in stream:
            frames.append(frame)
            if frame.type == "connected":
                everything(sync, stranger, operator, intent)
            elif frame.type == "INTENT_COMPLETED":
                break
    assert FIVE | OTHERS <= {frame.type for frame in frames}
    for frame in frames:
        caplog.clear()
        with caplog.at_level(logging.ERROR, "openintent"):
            ears.run(ears.agent._handle_event(frame))
        why = [str(one.exc_info[1]) for one in caplog.records]
        assert [w.endswith("ACCESS_REQUESTED") for w in why] == (
            [] if frame.type in FIVE else [True]), (frame.type, why)
    assert set(ears.agent.ran) == {"assignment", "state", "lease", "complete"}


def test_a_request_for_access_is_read_from_the_stream(sync, stranger, intent):
    """As the page says: the frame, and a call of one's own."""
    with sync.subscribe_sse(intent.id) as stream:
        for frame in stream:
            if frame.type == "connected":
                stranger.request_access(intent.id, "stranger")
            elif frame.type == "access_requested":
                break
    wanted = frame.data["payload"]
    done = sync.approve_access_request(intent.id, wanted["request_id"])
    assert done.status.value == "approved"
    assert stranger.get_intent(intent.id).id == intent.id


def test_the_agents_stream_is_iterated_over(sync, intent):
    with sync.subscribe_agent("refunds-agent") as stream:
        for frame in stream:
            if frame.type == "connected":
                sync.assign_agent(intent.id, "refunds-agent")
            elif frame.type == "agent_assigned" and \
                    frame.intent_id == intent.id:
                break


def test_an_approval_of_the_governance_proxy(bare, intent):
    with pytest.raises(AttributeError, match="create_approval_request"):
        bare.run(bare.agent.governance.request_approval(intent.id, "complete"))
    assert bare.posted() == []


def test_the_word_lease_in_a_conflict(server, sync, bare):
    assert not issubclass(LeaseConflictError, ConflictError)
    for client in (sync, bare.agent.async_client):
        for said, kind in (("Please wait.", LeaseConflictError),
                           ("Wait.", ConflictError)):
            r = httpx.Response(409, json={"message": "No.", "title": said})
            with pytest.raises(kind):
                client._handle_response(r)


def test_delegating_posts_its_event_first(bare, sync, intent):
    """The event is the assignment, and the call finds it done."""
    bare.run(bare.agent.delegate(intent.id, "ledger-agent"))
    assert bare.posted() == ["events", "agents"]
    told = [e.event_type for e in sync.get_events(intent.id)]
    assert told.count(EventType.AGENT_ASSIGNED) == 1
