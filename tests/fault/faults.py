"""Faults: SIGKILL for one process of a server at a time, and for its database,
which is then started again as ./start does.

Only the children of a server that the test itself started are touched.
"""
import asyncio
import os
import signal
import time

import kit

VICTIMS = ("web", "wait", "tick", "deliver", "postgres")

AT_WORK = 3  # seconds to wait for somebody to be in the middle of something
ENOUGH = 30  # seconds after which no further round begins


def has_work(db, name, victim, path):
    if name == "web":
        return kit.has_request(victim, path)
    return db.execute("SELECT FROM pg_stat_activity WHERE usename = %s AND "
                      "state <> 'idle'", [f"sayso_{name}"]).rowcount


class Faults:
    def __init__(self, server, rng):
        self.server, self.rng = server, rng
        self.killed = []   # (victim, seconds until it was back)
        self.at_work = []  # those that were in the middle of something
        self.begun, self.times = time.monotonic(), []

    def took(self, what):
        """Notes how long it was since the last time."""
        now = time.monotonic()
        self.times.append((what, now - self.begun))
        self.begun = now

    async def rounds(self, least, most):
        """Each victim once in a round, in another order each time, at any
        moment. On a machine that is busy with other things, fewer rounds."""
        enough = time.monotonic() + ENOUGH
        for n in range(most):
            if n >= least and time.monotonic() > enough:
                break
            for victim in self.rng.sample(VICTIMS, len(VICTIMS)):
                await asyncio.sleep(self.rng.uniform(0.3, 1.2))
                begun = time.monotonic()
                if victim == "postgres":
                    await self.kill_database()
                else:
                    await self.kill_child(victim)
                self.killed.append((victim, time.monotonic() - begun))

    def children(self, name):
        return {p for p in kit.children(self.server.supervisor())
                if kit.comm(p) == f"sayso: {name}"}

    async def kill_child(self, name):
        before = await asyncio.to_thread(self.children, name)
        victim = await asyncio.to_thread(self.choose, name, sorted(before))
        os.kill(victim, signal.SIGKILL)
        await self.until(
            lambda: len(now := self.children(name)) == len(before) and
            now != before)

    def choose(self, name, some):
        """One of some, in the middle of its work where that can be had: a
        worker with a request, or whoever has a transaction."""
        end = time.monotonic() + AT_WORK
        with self.server.database() as db:
            while name != "wait" and time.monotonic() < end:
                if busy := [p for p in some if has_work(
                        db, name, p, self.server.socket)]:
                    self.at_work.append(name)
                    return self.rng.choice(busy)
        return self.rng.choice(some)

    async def kill_database(self):
        pid = self.server.postmaster()
        leftover = [pid] + await asyncio.to_thread(kit.children, pid)
        os.kill(pid, signal.SIGKILL)
        await self.until(
            lambda: not any(kit.comm(p) == "postgres" for p in leftover))
        await asyncio.sleep(self.rng.uniform(0, 0.5))
        kit.start_database(self.server)
        await self.until(self.ready, 30)

    def ready(self):
        with self.server.client() as client:
            return client.get("/readyz").status_code == 200

    async def until(self, what, seconds=20):
        await asyncio.to_thread(kit.wait_for, what, seconds)
