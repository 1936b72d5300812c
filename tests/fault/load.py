"""The load: agents that ask and wait, operators that answer, readers of
streams. Every response goes into the ledger.

The errors that a client has to expect while processes are killed (503, 502, a
connection that breaks) are counted and retried; any other is a failure.
"""
import asyncio
import collections
import json
import time
import uuid

import httpx

import kit
from ledger import Answer, Frame, Learned, Resumed, Stream, Wait

PATIENCE = 180  # seconds until what is tried again has to have worked
PLACES = ("connected", "keepalive")  # frames that only have the position
CHOICES = [{"value": "approve", "label": "Refund", "effect": "authorize"},
           {"value": "deny", "label": "Deny", "effect": "veto"}]
LADDER = [{"attempt": 2, "channel_hint": "desk"},
          {"attempt": 3, "channel_hint": "lead"}]
# By name: the effect and time of silence, and the seconds after which somebody
# answers: both at once, one, or nobody. often: of how many.
PLANS = {
    "quick": {"policy": {"max_attempts": 2, "interval_seconds": 6},
              "after": (0, 0.3), "often": 3, "operators": 1},
    "twice": {"policy": {"max_attempts": 2, "interval_seconds": 6},
              "after": (0, 0.5), "often": 4, "operators": 2},
    "late": {"policy": {"max_attempts": 1, "interval_seconds": 2},
             "after": (1.8, 2.2), "often": 2, "operators": 2},
    "reminded": {"policy": {"max_attempts": 6, "interval_seconds": 2},
                 "after": (2, 5), "often": 1, "operators": 1},
    "silent": {"policy": {"max_attempts": 3, "interval_seconds": 1,
                          "escalation_ladder": LADDER},
               "after": (0, 0), "often": 2, "operators": 0},
}
# Where a question is answered: the address, the member with the value, and the
# values.
Door = collections.namedtuple("Door", "path member values")
RESPOND = Door("/api/v1/suspensions/{}/respond", "value", ["approve", "deny"])
RESUME = Door("/api/v1/resume/{}", "action", ["approve", "reject"])


class Load:
    def __init__(self, server, book, rng):
        self.server, self.book, self.rng = server, book, rng
        self.bumps = collections.Counter()  # what had to be tried again
        self.connections = 0                # of streams
        self.running = True
        self.readers, self.ready = [], 0
        self.clients = []
        self.answering = set()
        self.operators = [self.client("operator") for _ in range(2)]

    def client(self, role, agent=None):
        headers = {"X-API-Key": self.server.env[f"SAYSO_{role.upper()}_KEY"]}
        if agent:
            headers["X-Agent-ID"] = agent
        one = httpx.AsyncClient(
            base_url=self.server.url, headers=headers, trust_env=False,
            timeout=httpx.Timeout(10), limits=httpx.Limits(
                max_connections=None, max_keepalive_connections=5))
        one.who = agent or f"{role} {len(self.clients)}"
        self.clients.append(one)
        return one

    async def close(self):
        for one in self.clients:
            await one.aclose()

    # --- Requests ---------------------------------------------------------

    async def once(self, client, method, path, **more):
        """One request; None where it has to be tried again."""
        try:
            r = await client.request(method, path, **more)
        except httpx.TransportError as e:
            self.bumps[type(e).__name__] += 1
            return None
        kit.check_answer(r)
        if r.status_code in (502, 503, 504):
            self.bumps[str(r.status_code)] += 1
            return None
        return r

    async def sure(self, client, method, path, **more):
        """The same until it is clear what became of it."""
        end = time.monotonic() + PATIENCE
        if method == "POST":
            more.setdefault("headers", {})
            more["headers"].setdefault("Idempotency-Key", str(uuid.uuid4()))
        while time.monotonic() < end:
            if r := await self.once(client, method, path, **more):
                return r
            await self.pause(0.1, 0.4)
        raise AssertionError(f"{method} {path}: no answer in {PATIENCE} s")

    async def pause(self, least, most):
        await asyncio.sleep(self.rng.uniform(least, most))

    # --- Agents -----------------------------------------------------------

    def plan(self):
        return self.rng.choices(list(PLANS.values()), [
            p["often"] for p in PLANS.values()])[0]

    async def ask(self, agent, plan, **more):
        """Asks, and sends for the operators. Gives the question."""
        final = self.rng.choice(
            ["complete_with_fallback", "use_default_and_continue"] if
            "intent_id" in more else ["fail", "complete_with_fallback"])
        r = await self.sure(agent, "POST", "/api/v1/suspensions", json={
            "question": "Refund 499.99 EUR?", "choices": CHOICES,
            "fallback_value": "deny", **self.terms(plan, final), **more})
        kit.refused(r, 201)
        self.book.asked.add(r.json()["suspension_id"])
        self.call_operators(r.json()["suspension_id"], plan, RESPOND)
        return r.json()

    def terms(self, plan, final):
        """The members of a question that say what silence does."""
        out = {"retry_policy": {**plan["policy"],
                                "final_fallback_policy": final}}
        if self.rng.random() < 0.4:
            out["channel_hint"] = "desk"
        return out

    async def wait(self, agent, path, done, **query):
        """Reads, held by the server, until there is a result."""
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            seconds = self.rng.randint(1, 8)
            begun = time.monotonic()
            r = await self.once(agent, "GET", path,
                                params={"wait": seconds, **query},
                                timeout=seconds + 20)
            took = time.monotonic() - begun
            self.book.waits.append(Wait(path, seconds, took,
                                        r.status_code if r else 0))
            if r:
                kit.refused(r, 200)
                if done(r.json()):
                    return r.json()
                if "since" in query:
                    query["since"] = r.json()["version"]
            again = float(r.headers.get("retry-after", 0)) if r else 0.2
            await asyncio.sleep(min(again, 1))
        raise AssertionError(f"{path}: nothing to say in {PATIENCE} s")

    async def outcome(self, agent, question):
        got = await self.wait(
            agent, f"/api/v1/suspensions/{question['suspension_id']}",
            lambda q: q["state"] != "pending")
        self.book.learned.append(Learned(
            agent.who, question["suspension_id"], got["state"],
            got["value"]))

    async def asker(self, n):
        """Asks one question after the other, each in an intent of its own."""
        agent = self.client("agent", f"asker-{n}")
        while self.running:
            plan = self.plan()
            await self.outcome(agent, await self.ask(agent, plan))

    async def worker(self, n):
        """Has one intent, waits for that, and its stream and the agent's own
        are read. Ready when both have begun to speak."""
        agent = self.client("agent", f"worker-{n}")
        own = Reader(self, agent, Stream(agent=agent.who),
                     f"/api/v1/agents/{agent.who}/subscribe")
        await self.until(lambda: own.open)
        intent = (await self.sure(agent, "POST", "/api/v1/intents", json={
            "title": "Refunds"})).json()
        at = f"/api/v1/intents/{intent['id']}"
        of_intent = Reader(self, agent, Stream(intent=intent["id"], after=1),
                           f"{at}/subscribe", last="1")
        self.readers += [own, of_intent]
        r = await self.sure(agent, "POST", f"{at}/agents",
                            json={"agent_id": agent.who})
        assert r.status_code < 300, r.text
        await self.until(lambda: own.stream.frames and
                         of_intent.stream.frames)
        self.ready += 1
        while self.running:
            plan = self.plan()
            asked = await self.ask(agent, plan, intent_id=intent["id"])
            await self.wait(agent, at, lambda i: i["status"] == "active",
                            since=asked["version"])
            await self.outcome(agent, asked)
            await self.sure(agent, "POST", f"{at}/events", json={
                "event_type": "comment", "payload": {"text": "On it."}})

    # --- Operators --------------------------------------------------------

    def call_operators(self, suspension, plan, door):
        after = self.rng.uniform(*plan["after"])
        some = self.rng.sample(self.operators, plan["operators"])
        values = self.rng.sample(door.values, len(some))
        for who, value in zip(some, values):
            one = asyncio.create_task(
                self.answer(who, suspension, value, after, door))
            self.answering.add(one)

    async def answer(self, who, suspension, value, after, door):
        await asyncio.sleep(after)
        reason = str(uuid.uuid4())
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        end = time.monotonic() + PATIENCE
        again = self.rng.random() < 0.2  # a 200 has to stay one
        while time.monotonic() < end:
            r = await self.once(
                who, "POST", door.path.format(suspension),
                json={door.member: value, "reason": reason}, headers=headers)
            if not r:
                await self.pause(0.1, 0.4)
                continue
            self.note_answer(Answer(
                suspension, who.who, value, reason, r.status_code,
                r.json().get("code")), r.json())
            if r.status_code != 200 or not again:
                return
            again = False
        raise AssertionError(f"{suspension}: no answer in {PATIENCE} s")

    def note_answer(self, answer, body):
        self.book.answers.append(answer)
        if answer.status == 200 and "action" in body:
            self.book.resumed.append(Resumed(
                answer.suspension, answer.value, body["outcome"],
                body["status"]))

    async def until(self, what, seconds=20):
        end = time.monotonic() + seconds
        while not what():
            assert time.monotonic() < end, "it did not happen in time"
            await asyncio.sleep(0.05)


class Reader:
    """Reads one stream over as many connections as it takes; now and then it
    is the reader who breaks off."""

    def __init__(self, load, client, stream, path, last=None):
        self.load, self.client, self.stream = load, client, stream
        self.path, self.last, self.open = path, last, False
        load.book.streams.append(stream)
        self.task = asyncio.create_task(self.read())

    async def read(self):
        while True:
            headers = {"Accept": "text/event-stream"}
            if self.last:
                headers["Last-Event-ID"] = self.last
            try:
                async with self.client.stream(
                        "GET", self.path, headers=headers,
                        timeout=httpx.Timeout(10, read=30)) as r:
                    await self.connected(r)
            except httpx.TransportError as e:
                self.load.bumps[f"stream: {type(e).__name__}"] += 1
            await self.load.pause(0.05, 0.3)

    async def connected(self, response):
        if response.status_code != 200:
            assert response.status_code in (502, 503, 504), response
            self.load.bumps[f"stream: {response.status_code}"] += 1
            return
        self.load.connections += 1
        self.open = True
        fields = {}
        async for line in response.aiter_lines():
            name, _, value = line.partition(": ")
            if line and name:
                fields[name] = value
            if line or "data" not in fields:
                continue
            self.take(fields)
            fields = {}
            if self.load.rng.random() < 0.05:
                self.load.bumps["stream: left by its reader"] += 1
                return

    def take(self, fields):
        """A frame: its id is SEQ[.PART] on an intent's stream and
        XID.INTENT.SEQ[.PART] on an agent's."""
        json.loads(fields["data"])
        self.last = fields["id"]
        if fields["event"] in PLACES:
            return
        parts = self.last.split(".")
        intent = self.stream.intent or parts[1]
        self.stream.frames.append(Frame(
            intent, int(parts[0 if self.stream.intent else 2]),
            fields["event"]))
