"""Many agents that wait, each with a connection of its own."""
import asyncio
import json
import time

from pools import PORT

AT_ONCE = 100  # that begin to wait at one time
HELD = 50      # seconds that a read is held
PATIENCE = 120


class Waiters:
    """They read on a machine until there is an answer. ended: suspension -> (when,
    state, value); again: the reads that were not answered, by what came instead."""

    def __init__(self, cluster, host, suspensions):
        self.key, self.suspensions = cluster.keys["agent"], suspensions
        self.ended, self.again, self.failures = {}, [], []
        self.thread = cluster.net.thread(host, self.work)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.thread.join(PATIENCE + 30)
        assert not self.thread.is_alive()

    def work(self):
        try:
            asyncio.run(self.all())
        except BaseException as e:
            self.failures.append(repr(e))
            raise

    async def all(self):
        self.turn = asyncio.Semaphore(AT_ONCE)
        await asyncio.gather(*map(self.wait, self.suspensions))

    async def wait(self, suspension):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            try:
                status, body = await self.read(suspension)
            except (OSError, EOFError, ValueError) as e:
                status, body = type(e).__name__, {}
            if status == 200 and body["state"] != "pending":
                self.ended[suspension] = (time.monotonic(), body["state"],
                                          body["value"])
                return
            if status != 200:
                self.again.append(status)
                await asyncio.sleep(0.2)
        raise AssertionError(f"{suspension}: pending for {PATIENCE} s")

    async def read(self, suspension):
        async with self.turn:
            reader, writer = await asyncio.open_connection("127.0.0.1", PORT)
            writer.write((
                f"GET /api/v1/suspensions/{suspension}?wait={HELD} HTTP/1.0"
                f"\r\nHost: 127.0.0.1:{PORT}\r\nX-API-Key: {self.key}\r\n"
                "X-Agent-ID: waiter\r\n\r\n").encode())
            await writer.drain()
        try:
            answer = await asyncio.wait_for(reader.read(), HELD + 30)
        finally:
            writer.close()
        head, _, body = answer.partition(b"\r\n\r\n")
        return int(head.split()[1]), json.loads(body)
