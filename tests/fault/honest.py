"""Honest clients during an attack: agents that ask and wait, operators that
answer, and a sampling of the server's memory."""
import asyncio
import collections
import time
import uuid

import httpx

import kit
from attack import CHOICES

PATIENCE = 180  # seconds until an answer has to be there
PAUSE = 0.1     # seconds between two questions of an agent


class Book:
    """The questions of the agents and the answers of the operators."""

    def __init__(self):
        self.asked, self.answers, self.learned = [], {}, {}


class Honest:
    """A client with a key. The times of its calls are kept by the phase in
    which they began."""

    def __init__(self, server, key, book):
        self.book, self.running, self.phase = book, True, "quiet"
        self.took = collections.defaultdict(list)
        self.client = httpx.AsyncClient(
            base_url=server.url, headers={"X-API-Key": key}, trust_env=False,
            timeout=httpx.Timeout(30))

    async def send(self, method, path, timed=True, **more):
        phase, begun = self.phase, time.monotonic()
        r = await self.client.request(method, path, **more)
        if timed:
            self.took[phase].append(time.monotonic() - begun)
        return r

    async def call(self, method, path, status, timed=True, **more):
        r = await self.send(method, path, timed, **more)
        kit.refused(r, status)
        return r.json()

    async def page(self, path):
        r = await self.send("GET", path)
        assert r.status_code == 200, r.text


class Agent(Honest):
    """Asks, waits for the answer, and asks again."""

    async def work(self):
        while self.running:
            asked = (await self.call(
                "POST", "/api/v1/suspensions", 201, json={
                    "question": "Refund 499.99 EUR?", "choices": CHOICES},
                headers={"Idempotency-Key": str(uuid.uuid4())}
            ))["suspension_id"]
            self.book.asked.append(asked)
            self.book.learned[asked] = await self.learn(asked)
            await asyncio.sleep(PAUSE)  # far below the rate of its key

    async def learn(self, asked):
        path, end = f"/api/v1/suspensions/{asked}", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            now = await self.call("GET", path, 200, False, params={"wait": 10})
            if now["state"] != "pending":
                await self.call("GET", path, 200)
                return now["value"]
        raise AssertionError(f"{asked}: no answer")


class Operator(Honest):
    """Answers what the agents ask, and reads the list."""

    async def work(self):
        while self.running:
            if not self.book.asked:
                await asyncio.sleep(0.01)
                continue
            asked = self.book.asked.pop(0)
            value = "approve" if len(self.book.answers) % 2 else "deny"
            await self.call("POST", f"/api/v1/suspensions/{asked}/respond",
                            200, json={"value": value, "reason": "seen"})
            self.book.answers[asked] = value
            await self.call("GET", "/api/v1/suspensions?limit=20", 200)


class Memory:
    """The resources of a server's processes, sampled five times a second."""

    def __init__(self, server):
        self.supervisor, self.running = server.supervisor(), True
        self.most, self.together = collections.Counter(), 0  # MB

    def look(self):
        total = 0
        for pid in kit.children(self.supervisor):
            kind, mb = kit.comm(pid), kit.resident(pid) >> 20
            self.most[kind] = max(self.most[kind], mb)
            total += mb
        self.together = max(self.together, total)

    async def watch(self):
        while self.running:
            await asyncio.to_thread(self.look)
            await asyncio.sleep(0.2)
