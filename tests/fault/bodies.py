"""A hostile key that sends large bodies over many connections, as fast as they
are answered: bodies.py URL KEY SECONDS CONNECTIONS. Its last line is its
results, as JSON: the count of each status and code.

A program of its own, so that its work does not slow the measuring clients. The
bodies are small numbers, which take the longest to parse, and store nothing:
each is refused where the server reads it at all."""
import asyncio
import collections
import json
import sys
import time
import urllib.parse

MB = 1024 * 1024
ZEROS = "[" + "0," * (MB // 2 - 200) + "0]"
BODIES = {
    "/mcp": '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":'
            + ZEROS[:2 * (255 * 1024 // 2)] + "0]}}",
    "/api/v1/intents": '{"title":"","state":{"a":' + ZEROS + "}}",
    "/api/v1/suspensions": '{"question":"","context":{"a":'
                           + ZEROS[:2 * (255 * 1024 // 2)] + "0]}}",
}


class Hostile:
    def __init__(self, url, key, seconds):
        at = urllib.parse.urlsplit(url)
        self.at, self.end = (at.hostname, at.port), time.monotonic() + seconds
        self.got = collections.Counter()
        self.requests = [(
            f"POST {path} HTTP/1.1\r\nHost: {at.netloc}\r\nX-API-Key: {key}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}"
            "\r\nAccept: application/json, text/event-stream\r\n\r\n"
            + body).encode() for path, body in BODIES.items()]

    async def answer(self, reader):
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        status, length = int(head.split()[1]), 0
        for line in head.lower().split("\r\n"):
            if line.startswith("content-length:"):
                length = int(line.split(":")[1])
        body = await reader.readexactly(length) if length else b""
        code = json.loads(body).get("code", "") if status == 429 else ""
        self.got[f"{status} {code}".strip()] += 1
        return "connection: close" not in head.lower()

    async def connection(self, n):
        """One after the other, again where it is broken."""
        while time.monotonic() < self.end:
            try:
                reader, writer = await asyncio.open_connection(*self.at)
                again = True
                while again and time.monotonic() < self.end:
                    writer.write(self.requests[n % len(self.requests)])
                    await writer.drain()
                    again = await self.answer(reader)
                    n += 1
                writer.close()
            except (OSError, asyncio.IncompleteReadError) as e:
                self.got[type(e).__name__] += 1

    async def run(self, connections):
        await asyncio.gather(*map(self.connection, range(connections)))


def main(url, key, seconds, connections):
    hostile = Hostile(url, key, float(seconds))
    asyncio.run(hostile.run(int(connections)))
    print(json.dumps(hostile.got))


if __name__ == "__main__":
    main(*sys.argv[1:])
