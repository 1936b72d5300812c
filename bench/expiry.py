"""Silence: many questions whose time ends in the same second, and what an
operator feels of it."""
import threading
import time

import crowd
import machine
from waiters import ANSWER, percentiles

CONNECTIONS = 8
WITHIN = 60  # seconds, and then it is given up
ASK = ('{"question": "Refund 499.99 EUR for order 12345?", "choices": '
       '[{"value": "approve", "label": "Refund 499.99 EUR"}, '
       '{"value": "deny", "label": "Deny"}], "timeout_seconds": 86400, '
       '"context": {"order": "12345", "amount": "499.99 EUR"}}')


class Answers:
    """Operators who answer without a pause, and when each had its 200."""

    def __init__(self, bench, ids):
        self.bench = bench
        self.crowd = crowd.Crowd(bench.port)
        self.ids = iter(ids)
        self.times = []  # (when it came, seconds it took)

    def go(self, w):
        id = next(self.ids, None)
        if id is not None:
            self.crowd.send(w, crowd.request(
                "POST", f"/api/v1/suspensions/{id}/respond",
                self.bench.operator, ANSWER), self.came)

    def came(self, w, status, body, now):
        if status != 200:
            raise SystemExit(f"bench: an answer got {status}: {body[:200]}")
        self.times.append((now, now - w.sent))
        self.go(w)

    def between(self, begin, end):
        taken = [took * 1000 for at, took in self.times if begin <= at < end]
        if len(taken) < 10:
            raise SystemExit("bench: too few answers to measure")
        return {"rate": len(taken) / (end - begin), "answers": len(taken),
                **percentiles(taken)}


def watch(bench, due, left):
    """Notes in left, some times a second, how many are not expired yet."""
    with bench.asking() as ask:
        while left[-1][1] > 0 and time.time() < due + WITHIN:
            time.sleep(0.1)
            n = int(ask("SELECT count(*) FROM open_question WHERE"
                        " least(next_attempt_at, ending)"
                        f" <= to_timestamp({due})"))
            left.append((time.monotonic(), n))


def check(bench, ids):
    """All of them are expired, and the log says so once of each."""
    first, last = bench.range_of(ids)
    found = bench.sql(f"""
        SELECT count(*) FILTER (WHERE d.state = 'expired'), sum(
               (SELECT count(*) FROM event e WHERE e.intent_id = s.intent_id
                   AND e.event_type = 'intent.suspension_expired'))
          FROM generate_series({first}, {last}) n
          JOIN suspension s ON s.id = bench.id('s', n)::text
          LEFT JOIN decision d ON d.suspension_id = s.id""")
    if found != f"{len(ids)}|{len(ids)}":
        raise SystemExit(f"bench: of {len(ids)} questions these are expired,"
                         f" and these events tell of it: {found}")


def measure(bench, n, usual):
    """n questions end at once; usual seconds of answering come before."""
    open_ones = 2000 * (usual + 10 if n > 1000 else usual)
    begun = time.monotonic()
    answers = Answers(bench, bench.fill(open_ones))
    took = time.monotonic() - begun
    sample = bench.ask(ASK)
    due = int(time.time() + usual + 8 + 3 * took * n / open_ones)
    ids = bench.fill(n, sample, due)
    bench.tidy("intent, suspension, open_question, inbox_entry, "
               "decision, event")
    busy = machine.settle(0)
    if time.time() > due - usual - 1:
        raise SystemExit("bench: the rows were not ready in time")
    time.sleep(due - usual - time.time())
    for _ in range(CONNECTIONS):
        answers.go(answers.crowd.wire())
    begun = time.monotonic()
    answers.crowd.until(lambda: time.time() >= due, usual + 1)
    at, left = time.monotonic(), [(time.monotonic(), n)]
    time0 = machine.seconds(bench.root)
    watcher = threading.Thread(target=watch, args=(bench, due, left),
                               daemon=True)
    watcher.start()
    answers.crowd.until(lambda: not watcher.is_alive(), WITHIN + 5)
    done = left[-1][0]
    cpu = machine.spent(time0, machine.seconds(bench.root))
    answers.crowd.close()
    if left[-1][1] > 0:
        raise SystemExit(f"bench: {left[-1][1]} of {n} questions are still "
                         f"pending {WITHIN} s after their end")
    check(bench, ids)
    answered = max(answers.times)[0]
    return {"expiry": {
        "questions": n, "seconds": done - at, "cpu_s": cpu,
        "others_percent": busy, "left": [(t - at, k) for t, k in left]},
        "respond_usual": answers.between(begun + usual * 0.1, at),
        "respond_meanwhile": answers.between(at, min(done, answered))}
