"""An upgrade of a server that is in use: agents wait, questions are asked and
answered, webhooks are queued. Nothing that was acknowledged may be lost."""
import threading
import time

import httpx

from filling import API, CHOICES, Filling, lost_and_changed, within
from machine import walk
from receiver import Authority, Receiver

PATIENCE = 120  # seconds for which a caller goes on trying


class Caller(threading.Thread):
    """An agent's program: it repeats a call that got no answer or a 5xx, with
    the same key."""
    most = 5  # seconds for which it waits as it is told

    def __init__(self, machine, name):
        super().__init__(daemon=True)
        self.machine, self.agent = machine, name
        self.wrong, self.refused = [], []
        self.over = threading.Event()

    def run(self):
        with self.machine.client("agent", agent=self.agent,
                                 timeout=70) as client:
            self.client = client
            try:
                self.work()
            except Exception as e:  # told to the test
                self.wrong.append(f"{self.agent}: {e!r}")

    def call(self, client, method, path, **more):
        end = time.monotonic() + PATIENCE
        while True:
            begun, pause = time.monotonic(), 0.1
            try:
                r = client.request(method, path, **more)
                if r.status_code < 429:
                    return r
                said = f"{r.status_code} {r.text[:200]}"
                pause = float(r.headers.get("Retry-After", pause))
            except httpx.HTTPError as e:
                said = repr(e)
            self.refused.append((begun, time.monotonic(), said))
            assert time.monotonic() < end, f"{method} {path}: {said}"
            time.sleep(min(pause, self.most))


class Waiter(Caller):
    """It has asked before, and holds its read until there is an answer."""

    def __init__(self, machine, n):
        super().__init__(machine, f"waiter-{n}")
        with machine.client("agent", agent=self.agent) as client:
            r = client.post(f"{API}/suspensions", json={
                "question": f"Waiter {n}?", "choices": CHOICES})
            assert r.status_code == 201, r.text
            self.id = r.json()["suspension_id"]
        self.learned = self.learned_at = None

    def work(self):
        while not self.learned:
            r = self.call(self.client, "GET",
                          f"{API}/suspensions/{self.id}?wait=50")
            assert r.status_code == 200, r.text
            if r.json()["state"] != "pending":
                self.learned = r.json()["value"]
                self.learned_at = time.monotonic()
            else:
                time.sleep(float(r.headers.get("Retry-After", 0)))


class Pairs(Caller):
    """Asks, answers and reads, at a rate; told: the answer of each question."""

    def __init__(self, machine, n, every):
        super().__init__(machine, f"pairs-{n}")
        self.every, self.told = every, {}

    def work(self):
        n = 0
        with self.machine.client("operator") as operator:
            while not self.over.is_set():
                begun = time.monotonic()
                self.pair(operator, n)
                n += 1
                self.over.wait(self.every - (time.monotonic() - begun))

    def pair(self, operator, n):
        key = f"{self.agent}-{n}"
        r = self.call(self.client, "POST", f"{API}/suspensions",
                      json={"question": f"Pair {n}?", "choices": CHOICES},
                      headers={"Idempotency-Key": f"ask-{key}"})
        assert r.status_code == 201, r.text
        id_ = r.json()["suspension_id"]
        value = ("approve", "deny")[n % 2]
        r = self.call(operator, "POST", f"{API}/suspensions/{id_}/respond",
                      json={"value": value, "reason": key},
                      headers={"Idempotency-Key": f"answer-{key}"})
        assert r.status_code == 200, r.text
        self.told[id_] = value

    def check(self):
        """After all: each as it was acknowledged."""
        with self.machine.client("agent", agent=self.agent) as client:
            for id_, value in self.told.items():
                r = client.get(f"{API}/suspensions/{id_}")
                if r.status_code != 200 or r.json()["value"] != value:
                    yield f"{id_}: told {value}, {r.text}"


class Prober(Caller):
    """Reads a question twenty times a second, and notes when it could not."""
    most = 0.05

    def __init__(self, machine, id_):
        super().__init__(machine, "refunds-0")
        self.id = id_

    def work(self):
        while not self.over.is_set():
            r = self.call(self.client, "GET", f"{API}/suspensions/{self.id}")
            assert r.status_code == 200, r.text
            time.sleep(0.05)


def prepare(machine):
    """The receiver of its webhooks, whose certificate it trusts."""
    authority = Authority(machine.state / "authority")
    machine.environ["SAYSO_CA_FILE"] = str(authority.file)
    return Receiver(authority.context())


def commands(machine, version):
    """The lines of a block that install, start and stop, for walk()."""
    def start():
        machine.make_log_key()  # of a version without one
        machine.begin_serving()

    def nginx():
        done = machine.run_as("nginx", "-t", "-e",
                              machine.state / "log/nginx.log", "-c",
                              machine.state / "nginx/nginx.conf")
        assert done.returncode == 0, done.stderr
        machine.load_site()
        machine.wait_ready()

    nothing = dict.fromkeys(("autoreconf", "./configure", "make",
                             "sudo systemd-sysusers",
                             "sudo systemctl daemon-reload"), lambda: None)
    return {**nothing, "sudo systemctl stop": machine.stop_serving,
            "sudo make install": lambda: machine.install(version),
            "sudo systemctl start": start, "sudo nginx -t": nginx}


def by_the_manual(machine, new):
    """The block of docs/operations/upgrade.md; returns what each line printed,
    the seconds from the stop until the server is ready, and those of the dump
    among them."""
    begun = time.monotonic()
    said = walk(machine, "operations/upgrade.md", "./configure",
                commands(machine, new))
    dumped = next(s for line, s in machine.took.items() if "pg_dump" in line)
    looked = next(s for line, s in machine.took.items() if "doctor" in line)
    return said, time.monotonic() - begun - looked, dumped


def compare(machine, filling, told, stored):
    """All that is lost, and all that is otherwise."""
    lost, changed = lost_and_changed(stored, filling.stored())
    now = filling.told()
    lost += [path for path in told if path not in now]
    changed += [f"{path}{place}" for path in told if path in now
                for place in within(told[path], now[path])]
    changed += filling.repeat()
    return lost, changed


def arrived(machine, receiver, stored, path="/agents"):
    """The queued webhooks, once they may be sent: those that are missing."""
    with machine.client("admin") as admin:
        [one] = [e for e in admin.get(f"{API}/endpoints").json()["endpoints"]
                 if e["name"] == "Agents"]
        r = admin.patch(f"{API}/endpoints/{one['endpoint_id']}",
                        json={"paused": False})
        assert r.status_code == 200, r.text
    wanted = {key.split()[1] for key in stored if key.startswith("delivery")}
    end = time.monotonic() + 60
    missing = wanted
    while missing and time.monotonic() < end:
        time.sleep(0.2)
        missing = wanted - {r.headers.get("webhook-id", "").removeprefix("msg_")
                            for r in receiver.at(path)}
    return missing, len(wanted)


def sound(machine):
    done = machine.sayso("verify")
    assert done.returncode == 0 and " 0 broken" in done.stdout, \
        done.stdout + done.stderr
    return done.stdout.strip()


def upgrade(machine, old, new, n, waiters, rate):
    """From one version to another, in use. Returns the report."""
    receiver = prepare(machine)
    machine.install(old)
    machine.migrate()
    machine.serve()
    machine.make_keys()
    filling = Filling(machine, n, old.permits,
                      receiver.url("/agents", "localhost")).make()
    filling.settle()
    told, stored = filling.told(), filling.stored()
    waiting = [Waiter(machine, i) for i in range(waiters)]
    pairs = [Pairs(machine, i, 5 / rate) for i in range(5)]
    prober = Prober(machine, filling.ids[0])
    callers = [*waiting, *pairs, prober]
    for one in callers:
        one.start()
    time.sleep(2)
    said, seconds, dumped = by_the_manual(machine, new)
    answered = answer_all(machine, waiting)
    for one in waiting:
        one.join(PATIENCE)
    time.sleep(1)
    for one in callers:
        one.over.set()
        one.join(PATIENCE)
    lost, changed = compare(machine, filling, told, stored)
    missing, queued = arrived(machine, receiver, stored)
    receiver.close()
    wrong = [w for one in callers for w in one.wrong] + [
        w for one in pairs for w in one.check()]
    late = sorted(one.learned_at - answered[one.id] for one in waiting
                  if one.learned)
    times = [t for begun, end, _ in prober.refused for t in (begun, end)]
    return {
        "questions": n, "things": len(stored), "lost": lost,
        "changed": changed, "wrong": wrong,
        "waiters without an answer": sum(
            one.learned != "approve" for one in waiting),
        "seconds until a waiter knew, worst": round(max(late, default=-1), 3),
        "pairs": sum(len(one.told) for one in pairs),
        "webhooks": queued, "webhooks missing": len(missing),
        "seconds from stop to ready": round(seconds, 2),
        "of them the dump": round(dumped, 2),
        "seconds of refusal": round(max(times) - min(times), 2) if times
        else 0.0,
        "refusals": sorted({s.split('"detail"')[0][:60] for one in callers
                            for _, _, s in one.refused}),
        "verify": sound(machine),
        "applied": sum("applied" in x for out in said.values() if out
                       for x in str(out).splitlines()),
        "doctor": next(out for line, out in said.items() if "doctor" in line)}


def answer_all(machine, waiting):
    """When each was answered."""
    answered = {}
    with machine.client("operator") as operator:
        for one in waiting:
            answered[one.id] = time.monotonic()
            r = operator.post(f"{API}/suspensions/{one.id}/respond",
                              json={"value": "approve", "reason": "It is so"})
            assert r.status_code == 200, r.text
    return answered
