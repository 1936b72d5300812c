"""Many rounds of a race in little time: two callers, several races at once,
over connections that stay open.

A round over httpx costs two new connections and a client's work that is longer
than the server's; the two requests then seldom meet.
"""
import collections
import concurrent.futures
import http.client
import json
import random
import threading
import urllib.parse

import kit

WIDE = 8  # races at once

Reply = collections.namedtuple("Reply", "status body")
# The thing that a race was about, and the two replies.
Race = collections.namedtuple("Race", "about first second")


class Line:
    """A connection that stays open, of the caller that a client is of."""

    def __init__(self, server, client):
        address = urllib.parse.urlsplit(server.url)
        self.http = http.client.HTTPConnection(
            address.hostname, address.port, timeout=20)
        self.headers = {name: value for name, value in client.headers.items()
                        if name in ("x-api-key", "x-agent-id")}

    def post(self, path, body, kind="application/json", **headers):
        data = body if isinstance(body, str) else json.dumps(body)
        self.http.request("POST", path, data, {
            **self.headers, "Content-Type": kind, **headers})
        r = self.http.getresponse()
        text = r.read().decode()
        assert r.status < 500, f"{path}: {r.status} {text}"
        assert r.status < 400 or not kit.LEAKS.search(text), text
        return Reply(r.status, json.loads(text))


class Rounds:
    """Races between the first two of some clients."""

    def __init__(self, server, *clients):
        self.server, self.clients = server, clients

    def __enter__(self):
        self.lines = [[Line(self.server, one) for one in self.clients]
                      for _ in range(WIDE)]
        self.pool = concurrent.futures.ThreadPoolExecutor(2 * WIDE)
        return self

    def __exit__(self, *_):
        self.pool.shutdown()
        for line in sum(self.lines, []):
            line.http.close()

    def run(self, rounds, make, first, second):
        """Races of first(line, about) of the first client against second of
        the second; make(*lines) gives what a race is about."""
        out = []
        while len(out) < rounds:
            about = list(self.pool.map(lambda lines: make(*lines), self.lines))
            ready = threading.Barrier(2 * WIDE)

            def one(call, line, thing):
                ready.wait(30)
                return call(line, thing)

            todo = [(n, who, call) for n in range(WIDE)
                    for who, call in enumerate((first, second))]
            random.shuffle(todo)
            done = {(n, who): self.pool.submit(
                one, call, self.lines[n][who], about[n])
                for n, who, call in todo}
            out += [Race(about[n], done[n, 0].result(60),
                         done[n, 1].result(60)) for n in range(WIDE)]
        return out
