"""Agents that wait: what each of them holds, and how soon it is woken."""
import json
import random
import time

import crowd
import machine

PACE = 1000  # new waiters a second
RATE = 50  # answers a second, in the second part
OPERATORS = 8
ANSWER = '{"value": "approve", "reason": "The photo shows it."}'


def percentiles(ms):
    ms = sorted(ms)
    return {"p50_ms": ms[len(ms) // 2], "p99_ms": ms[len(ms) * 99 // 100]}


class Waiters:
    """The agents of one run, each with a question of its own."""

    def __init__(self, bench, n):
        self.bench = bench
        self.crowd = crowd.Crowd(bench.port)
        self.ids = bench.fill(n)
        self.again = 0  # answered while still pending, and asked again
        self.wrong = []
        self.in_hand = {}  # id: when the agent had the answer
        self.pressed = {}  # id: when the operator sent it
        self.told = {}  # id: when the operator had a 200

    def read(self, id, wait=""):
        return crowd.request("GET", f"/api/v1/suspensions/{id}{wait}",
                             self.bench.agent)

    def park(self, w, id):
        w.own = id
        self.crowd.send(w, self.read(id, "?wait=55"), self.came)

    def came(self, w, status, body, now):
        state = json.loads(body).get("state") if status == 200 else None
        if state == "pending":
            self.again += 1
            self.park(w, w.own)
        elif state == "resolved" and w.own in self.pressed:
            self.in_hand[w.own] = now
        else:
            self.wrong.append((status, body[:200]))

    def check(self):
        if self.wrong:
            raise SystemExit(f"bench: a waiter got {self.wrong[0]}, and "
                             f"{len(self.wrong) - 1} more did")

    def warm(self):
        """Reads each once, so that what is measured is the waiting."""
        def look(w, status, body, now):
            if status != 200:
                self.wrong.append((status, body[:200]))
        wires = [self.crowd.wire() for _ in range(OPERATORS)]
        self.crowd.each(map(self.read, self.ids), wires, look)
        for w in wires:
            self.crowd.drop(w)
        self.check()

    def arrive(self):
        begun = time.monotonic()
        for n, id in enumerate(self.ids):
            while time.monotonic() - begun < n / PACE:
                self.crowd.turn(0.001)
            self.park(self.crowd.wire(), id)
        self.crowd.turn(0)

    def press(self, w, id):
        """An operator answers."""
        def told(w, status, body, now):
            self.told[id] = now
            if status != 200:
                self.wrong.append((status, body[:200]))
        self.pressed[id] = time.monotonic()
        path = f"/api/v1/suspensions/{id}/respond"
        self.crowd.send(w, crowd.request("POST", path, self.bench.operator,
                                         ANSWER), told)

    def latencies(self, ids):
        """From the operator's 200, and from the press; in ms."""
        def both(since):
            return percentiles([max(self.in_hand[id] - since[id], 0) * 1000
                                for id in ids])
        return {**both(self.told), "answers": len(ids),
                "from_press": both(self.pressed)}

    def wake(self, ids):
        """One after the other."""
        w = self.crowd.wire()
        for id in ids:
            self.press(w, id)
            if not self.crowd.until(lambda: id in self.in_hand
                                    and id in self.told, 5):
                raise SystemExit("bench: a waiter was not woken within 5 s")
        self.crowd.drop(w)
        self.check()
        return self.latencies(ids)

    def wake_at(self, ids, rate):
        """At a rate, whatever becomes of the ones before."""
        wires = [self.crowd.wire() for _ in range(OPERATORS)]
        begun = time.monotonic()
        for n, id in enumerate(ids):
            while time.monotonic() - begun < n / rate:
                self.crowd.turn(begun + n / rate - time.monotonic())
            if not self.crowd.until(lambda: any(not w.then for w in wires), 5):
                raise SystemExit("bench: the operators' answers hang")
            self.press(next(w for w in wires if not w.then), id)
        if not self.crowd.until(lambda: all(
                id in self.in_hand and id in self.told for id in ids), 5):
            raise SystemExit("bench: a waiter was not woken within 5 s")
        for w in wires:
            self.crowd.drop(w)
        self.check()
        return {**self.latencies(ids), "rate": rate}


def measure(bench, n, answers):
    """n agents wait, and twice so many answers come."""
    waiters = Waiters(bench, n)
    wait = bench.pid("sayso: wait")
    waiters.warm()
    empty, before = machine.sockets(wait), machine.memory(bench.root)
    in_kernel, busy = machine.kernel(), machine.settle(bench.patience)
    waiters.arrive()
    waiters.crowd.until(lambda: machine.sockets(wait) - empty >= n, 15)
    time.sleep(1)
    waiters.crowd.turn(0)
    waiters.check()
    held = machine.sockets(wait) - empty
    if held < n:
        raise SystemExit(f"bench: {held} of {n} waiters are held")
    grown = machine.growth(before, machine.memory(bench.root))
    result = {
        "held": held, "pss_kb": machine.total(grown, "pss") / held,
        "rss_kb": machine.total(grown, "rss") / held,
        "kernel_kb": (machine.kernel() - in_kernel) / held,
        "of": {name: one["pss"] / held for name, one in grown.items()},
        "others_percent": busy}
    chosen = random.Random(1).sample(waiters.ids, 2 * answers)
    time0 = machine.seconds(bench.root)
    single = waiters.wake(chosen[:answers])
    many = waiters.wake_at(chosen[answers:], RATE)
    result["cpu_s"] = machine.spent(time0, machine.seconds(bench.root))
    waiters.crowd.close()
    bench.until(lambda: machine.sockets(wait) - empty <= 0, 10)
    result["left"] = max(machine.sockets(wait) - empty, 0)
    result["asked_again"] = waiters.again
    return {"waiters": result, "wake": single, "wake_rate": many}
