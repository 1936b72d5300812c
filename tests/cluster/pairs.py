"""Agents that ask and wait, operators that answer. Every response goes into the
ledger of tests/fault."""
import collections
import queue
import threading
import time
import uuid

import httpx

import kit
from ledger import Answer, Learned
from pools import PORT

PATIENCE = 90  # seconds until what is tried again has to have worked
HELD = 10      # seconds that a read is held
PAUSE = 0.1    # before something is tried again
CHOICES = [{"value": "approve", "label": "Refund", "effect": "authorize"},
           {"value": "deny", "label": "Deny", "effect": "veto"}]

# began, ended: by time.monotonic(); held: the seconds that were asked for.
Request = collections.namedtuple("Request", "pool what status began ended "
                                            "held")


class Pairs:
    """pairs of an agent and an operator: twice as many clients. places: where
    both are, in turn; an agent is at one pool, and its operator at the other."""

    def __init__(self, cluster, book, pairs=4,
                 places=(("web2", "web1"), ("web1", "web2"))):
        self.cluster, self.book = cluster, book
        self.requests, self.wakes, self.failures = [], [], []
        self.answered = {}  # suspension -> when its 200 was there
        self.ending = threading.Event()
        self.threads = []
        for n in range(pairs):
            asked = queue.Queue()
            for pool, work in zip(places[n % len(places)],
                                  (self.asker, self.answerer)):
                self.threads.append(cluster.net.thread(
                    pool, lambda p=pool, w=work, q=asked, i=n:
                    self.guarded(w, p, q, i)))

    def __enter__(self):
        for one in self.threads:
            one.start()
        return self

    def __exit__(self, *_):
        self.ending.set()
        for one in self.threads:
            one.join(PATIENCE + 30)
        assert not any(one.is_alive() for one in self.threads)

    def guarded(self, work, pool, asked, n):
        role = "agent" if work == self.asker else "operator"
        headers = {"X-API-Key": self.cluster.keys[role]}
        if role == "agent":
            headers["X-Agent-ID"] = f"agent-{n}"
        try:
            with httpx.Client(base_url=f"http://127.0.0.1:{PORT}",
                              headers=headers, trust_env=False,
                              timeout=60) as client:
                work(client, pool, asked)
        except BaseException as e:
            self.failures.append(f"{work.__name__} at {pool}: {e!r}")
            self.ending.set()
            raise

    def until(self, answers, seconds=240):
        """Until so many were given, and told of."""
        kit.wait_for(lambda: self.failures or len(self.answered) >= answers,
                     seconds)
        assert not self.failures, self.failures

    # --- Requests ---------------------------------------------------------

    def once(self, client, pool, method, path, held=0, **more):
        began = time.monotonic()
        r = client.request(method, path, **more)
        what = f"{method} {path.rsplit('/', 1)[-1]}" if method == "POST" \
            else "GET"
        self.requests.append(Request(pool, what, r.status_code, began,
                                     time.monotonic(), held))
        kit.check_answer(r)
        return r

    def sure(self, client, pool, method, path, **more):
        end = time.monotonic() + PATIENCE
        more.setdefault("headers", {})
        if method == "POST":
            more["headers"]["Idempotency-Key"] = str(uuid.uuid4())
        while time.monotonic() < end:
            r = self.once(client, pool, method, path, **more)
            if r.status_code != 503:
                return r
            time.sleep(PAUSE)
        raise AssertionError(f"{method} {path}: 503 for {PATIENCE} s")

    # --- Who makes them ---------------------------------------------------

    def asker(self, client, pool, asked):
        while not self.ending.is_set():
            r = self.sure(client, pool, "POST", "/api/v1/suspensions", json={
                "question": "Refund 499.99 EUR?", "choices": CHOICES})
            assert r.status_code == 201, r.text
            suspension = r.json()["suspension_id"]
            self.book.asked.add(suspension)
            asked.put(suspension)
            got = self.outcome(client, pool, suspension)
            self.wakes.append((time.monotonic(), suspension))
            self.book.learned.append(Learned(
                pool, suspension, got["state"], got["value"]))
        asked.put(None)

    def outcome(self, client, pool, suspension):
        end = time.monotonic() + PATIENCE
        while time.monotonic() < end:
            r = self.sure(client, pool, "GET",
                          f"/api/v1/suspensions/{suspension}", held=HELD,
                          params={"wait": HELD})
            assert r.status_code == 200, r.text
            if r.json()["state"] != "pending":
                return r.json()
        raise AssertionError(f"{suspension}: pending for {PATIENCE} s")

    def answerer(self, client, pool, asked):
        while suspension := asked.get(timeout=PATIENCE + 20):
            self.answer(client, pool, suspension)

    def answer(self, client, pool, suspension):
        reason = str(uuid.uuid4())
        value = "approve" if int(reason[0], 16) % 2 else "deny"
        r = self.sure(client, pool, "POST",
                      f"/api/v1/suspensions/{suspension}/respond",
                      json={"value": value, "reason": reason})
        assert r.status_code == 200, r.text  # an agent waits for this one
        self.book.answers.append(Answer(
            suspension, pool, value, reason, r.status_code,
            r.json().get("code")))
        self.answered[suspension] = time.monotonic()
