"""A hostile agent: one key that does at once everything that the limits are
there for.

A program of its own, so that its work does not slow the measuring clients:
attack.py URL KEY NAME SECONDS. Its last line is its results, as JSON: the count
of each status and code. Every loop is bounded in number and ends by itself; an
answer of 500 ends the program with an error.
"""
import asyncio
import collections
import itertools
import json
import re
import socket
import sys
import time
import uuid

import httpx

BIG = 480 * 1024  # what a state may hold, nearly
CHOICES = [{"value": "approve", "label": "Refund", "effect": "authorize"},
           {"value": "deny", "label": "Not this one", "effect": "veto"}]
STREAMS = 80   # of a round, that are never read
READS = 100    # that are held
MOST = 1000    # rounds of a loop
FLOODS = 4     # pipelines at once
PIPELINE = 400  # requests in one
ANSWER = re.compile(rb'HTTP/1.1 ([45]\d\d).*?"code":"([^"]*)"', re.DOTALL)
RUBBISH = [b"[" * 100000, b"{" + b'"a":1,' * 50000, b"\xff" * 200000,
           b'{"question": ' + b"9" * 1000 + b"}",
           b'{"title": "t", "state": {"x": [' + b",".join([b"{}"] * 330000)
           + b"]}}",
           json.dumps({"question": "?", "context": {
               str(n): n for n in range(4096)}}).encode(),
           json.dumps({"question": "?", "choices": [
               {"value": str(n)} for n in range(21)]}).encode()]


# The refusals that it has to get before it ends; a busy machine may take
# longer.
WANTED = {"413 request.too_large", *(f"429 limit.{k}" for k in (
    "rate", "workers", "open", "bytes", "streams", "held", "subscriptions",
    "endpoints"))}
LONGER = 5  # times as long, at most


class Hostile:
    def __init__(self, url, key, name, seconds):
        self.name, self.end = name, time.monotonic() + seconds
        self.last = self.end + (LONGER - 1) * seconds
        headers = {"X-API-Key": key, "X-Agent-ID": name}
        self.client = httpx.AsyncClient(
            base_url=url, headers=headers, trust_env=False,
            timeout=httpx.Timeout(30), limits=httpx.Limits(
                max_connections=None, max_keepalive_connections=5))
        self.request = "".join(f"{k}: {v}\r\n" for k, v in headers.items())
        self.got, self.sockets = collections.Counter(), []

    def over(self):
        now = time.monotonic()
        return now > self.last or now > self.end and WANTED <= set(self.got)

    async def call(self, method, path, **more):
        """One request; None where the connection broke."""
        try:
            r = await self.client.request(method, path, **more)
        except httpx.TransportError as e:
            self.got[type(e).__name__] += 1
            return None
        assert r.status_code != 500, f"{method} {path}: {r.text}"
        code = r.json().get("code") if r.status_code >= 400 else ""
        self.got[f"{r.status_code} {code or ''}".strip()] += 1
        return r

    async def made(self, path, **body):
        r = await self.call("POST", path, json=body)
        return r.json() if r is not None and r.status_code == 201 else None

    async def rounds(self, one, pause=0.05, most=MOST):
        """one(n) again and again until the attack is over."""
        for n in itertools.count():
            if self.over() or n == most:
                return
            await one(n)
            await asyncio.sleep(pause)

    async def intents(self, n):
        """C1: intents of the largest size, and lists of them."""
        await self.made("/api/v1/intents", title="c", state={"x": "x" * BIG})
        await self.call("GET", "/api/v1/intents?limit=1000")

    async def events(self):
        """H1: large events of small values, verified over and over."""
        intent = {}

        async def one(n):
            if not intent:
                intent.update(await self.made("/api/v1/intents", title="e")
                              or {})
                return
            at = f"/api/v1/intents/{intent['id']}"
            r = await self.call(
                "POST", f"{at}/state",
                json={"patches": [
                    {"op": "set", "path": "z", "value": [0] * BIG},
                    {"op": "remove", "path": "z"}]},
                headers={"If-Match": str(intent["version"])})
            if r is not None and r.status_code == 200:
                intent["version"] = r.json()["version"]
            await self.call("GET", f"{at}/events/verify")
            await self.call("GET", f"{at}/events?limit=1000")

        await self.rounds(one)

    async def questions(self, n):
        """H1: as many and as large as they may be, and the list of them."""
        await self.made("/api/v1/suspensions", question="x" * 4000, context={
            "x": "y" * (150 * 1024)}, choices=[
                {**CHOICES[0], "metadata": {"x": [{}] * 8000}}, CHOICES[1]])
        await self.call("GET", "/api/v1/suspensions?limit=100")

    async def streams(self, n):
        """H5: streams that nobody reads. Of those of a round some may be
        refused for the rate."""
        path = f"/api/v1/agents/{self.name}/subscribe"
        url, loop = self.client.base_url, asyncio.get_running_loop()
        for _ in range(STREAMS):
            one = socket.socket()
            one.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            one.setblocking(False)
            self.sockets.append(one)
            await loop.sock_connect(one, (url.host, url.port))
            await loop.sock_sendall(one, (
                f"GET {path} HTTP/1.1\r\nHost: x\r\n{self.request}"
                "Accept: text/event-stream\r\n\r\n").encode())
        await self.call("GET", path, timeout=7,
                        headers={"Accept": "text/event-stream"})

    async def reads(self):
        """H5: reads that are held, as many as it gets."""
        asked = None
        while not asked and not self.over():
            asked = await self.made("/api/v1/suspensions", question="Held?",
                                    choices=CHOICES)
            await asyncio.sleep(0.1)

        async def one(n):
            await self.call("GET",
                            f"/api/v1/suspensions/{asked['suspension_id']}",
                            params={"wait": 5})

        await asyncio.gather(*(self.rounds(one, 0.5) for _ in range(READS)))

    async def rubbish(self, n):
        await self.call("POST", "/api/v1/suspensions" if n % 2 else
                        "/api/v1/intents", content=RUBBISH[n % len(RUBBISH)],
                        headers={"Content-Type": "application/json"})

    async def pushes(self, n):
        """M4: endpoints that never answer, and subscriptions to them."""
        await self.made("/api/v1/endpoints", name=f"e{n}",
                        url=f"https://e{n}.invalid/")
        await self.made("/api/v1/subscriptions", event_types=["intent.resumed"],
                        webhook_url="https://e0.invalid/")

    async def flood(self, n):
        """Small requests in one pipeline: a slow machine too gets over the
        rate with them."""
        one = (f"GET /api/v1/intents/{uuid.uuid4()} HTTP/1.1\r\nHost: x\r\n"
               f"{self.request}").encode()
        url = self.client.base_url
        try:
            reader, writer = await asyncio.open_connection(url.host, url.port)
            writer.write((one + b"\r\n") * (PIPELINE - 1)
                         + one + b"Connection: close\r\n\r\n")
            said = await asyncio.wait_for(reader.read(-1), 30)
            writer.close()
        except (OSError, TimeoutError) as e:
            self.got[type(e).__name__] += 1
            return
        for status, code in ANSWER.findall(said):
            assert status != b"500", said
            self.got[f"{status.decode()} {code.decode()}"] += 1

    async def run(self):
        await asyncio.gather(
            self.rounds(self.intents), self.events(),
            self.rounds(self.questions), self.rounds(self.streams, 5, 12),
            self.reads(), self.rounds(self.rubbish),
            self.rounds(self.pushes, 0.2),
            *(self.rounds(self.flood, 15) for _ in range(FLOODS)))
        for one in self.sockets:
            one.close()
        await self.client.aclose()


def main(url, key, name, seconds):
    hostile = Hostile(url, key, name, float(seconds))
    asyncio.run(hostile.run())
    print(json.dumps(hostile.got))


if __name__ == "__main__":
    main(*sys.argv[1:])
