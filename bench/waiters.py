"""Agents that wait: what each of them holds, and how soon it is woken."""
import json
import random
import time

import crowd
import machine

PACE = 1000  # new waiters a second, at most
CROWD = 200  # of them on their way at once, about
RATE = 50  # answers a second, in the second part
OPERATORS = 8
WITHIN = 10  # seconds, and then an agent was not woken
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

    def state(self, body):
        return json.loads(body).get("state")

    def came(self, w, status, body, now):
        state = self.state(body) if status == 200 else None
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

    def arrive(self, held):
        """Some at a time; held() says how many the server has."""
        for n, id in enumerate(self.ids):
            if n % CROWD == 0:
                self.crowd.until(lambda: False, CROWD / PACE)
                self.crowd.until(lambda: held() >= n - CROWD, WITHIN)
            self.park(self.crowd.wire(), id)
        self.crowd.until(lambda: held() >= len(self.ids), WITHIN)

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

    def woken(self, ids):
        """Waits until all of them have their answer."""
        self.crowd.until(lambda: all(id in self.in_hand and id in self.told
                                     for id in ids), WITHIN)
        self.check()
        told = sum(id in self.told for id in ids)
        have = sum(id in self.in_hand for id in ids)
        if have < len(ids) or told < len(ids):
            raise SystemExit(f"bench: {WITHIN} s after the last of {len(ids)}"
                             f" answers {told} operators have their 200 and"
                             f" {have} agents their answer")

    def wake(self, ids):
        """One after the other."""
        w = self.crowd.wire()
        for id in ids:
            self.press(w, id)
            self.woken([id])
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
        self.woken(ids)
        for w in wires:
            self.crowd.drop(w)
        self.check()
        return {**self.latencies(ids), "rate": rate}


class Calls(Waiters):
    """Agents whose MCP client waits in a call of a tool."""

    def park(self, w, id):
        w.own = id
        call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
                "params": {"name": "check_answer",
                           "arguments": {"suspension_id": id}}}
        self.crowd.send(w, crowd.request("POST", "/mcp", self.bench.agent,
                                         json.dumps(call)), self.came)

    def state(self, body):
        return json.loads(body)["result"]["structuredContent"]["state"]


def measure_calls(bench, n, answers):
    """The same of MCP calls."""
    return {f"mcp_{name}": one for name, one in
            measure(bench, n, answers, Calls).items()}


def measure(bench, n, answers, of=Waiters):
    """n agents wait, and twice so many answers come."""
    waiters = of(bench, n)
    bench.tidy("intent, suspension, open_question, inbox_entry, event")
    wait = bench.pid("sayso: wait")
    waiters.warm()
    busy = machine.settle(bench.patience)
    before, in_kernel = machine.memory(bench.root), machine.kernel()
    empty = machine.open_files(wait)

    def held_now():
        return machine.open_files(wait) - empty

    waiters.arrive(held_now)
    waiters.crowd.until(lambda: False, 1)
    waiters.check()
    held = held_now()
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
    bench.until(lambda: held_now() <= 0, WITHIN)
    result["left"] = max(held_now(), 0)
    result["asked_again"] = waiters.again
    return {"waiters": result, "wake": single, "wake_rate": many}
