"""Two pools with one database, and a load balancer before them: one of them dies,
both are busy, and many agents wait at one while operators answer at the other."""
import asyncio
import collections
import itertools
import os
import pathlib
import random
import re
import signal
import time
import types

import httpx
import pytest

import kit
import ledger
import load
from ledger import Answer, Learned, Ledger
from pairs import Pairs
from pools import POOLS, PORT
from story import lost_and_doubled, nobody_hung, nothing_is_lost, read, story
from waiters import Waiters

WAITERS = int(os.environ.get("CLUSTER_WAITERS", 400))
OF_BALANCER = 60  # that wait at both pools while one dies
MIXED = 15  # seconds
SILENT = {"retry_policy": {"max_attempts": 3, "interval_seconds": 2,
                           "final_fallback_policy": "complete_with_fallback"},
          "fallback_value": "deny"}
CHOICES = [{"value": "approve", "label": "Refund", "effect": "authorize"},
           {"value": "deny", "label": "Deny", "effect": "veto"}]


def at(cluster, host, work):
    """work(client), in a thread whose sockets are a machine's; what it gives."""
    out = []

    def run():
        with httpx.Client(base_url=f"http://127.0.0.1:{PORT}", timeout=60,
                          trust_env=False) as client:
            out.append(work(client))
    thread = cluster.net.thread(host, run)
    thread.start()
    thread.join()
    assert out, "see the traceback of the thread"
    return out[0]


def ask(cluster, host, n, **more):
    """So many questions of one agent; their ids."""
    headers = {"X-API-Key": cluster.keys["agent"], "X-Agent-ID": "waiter"}

    def work(client):
        asked = [client.post("/api/v1/suspensions", headers=headers, json={
            "question": "Refund 499.99 EUR?", "choices": CHOICES, **more})
            for _ in range(n)]
        assert {r.status_code for r in asked} == {201}, asked
        return [r.json()["suspension_id"] for r in asked]
    return at(cluster, host, work)


def answer(cluster, load, host, suspensions):
    """An operator answers them one after the other."""
    def work(client):
        client.headers["X-API-Key"] = cluster.keys["operator"]
        for suspension in suspensions:
            load.answer(client, host, suspension)
        return True
    return at(cluster, host, work)


def waiting(cluster, pool):
    """The number of reads that are held there."""
    return int(re.search(r'(?m)^sayso_waiting\{as="read"\} (\d+)$',
                             cluster.get(pool, "/metrics")[1])[1])


def note(book, waiters):
    """Enters the outcomes that the waiters learned."""
    assert not waiters.failures, waiters.failures
    book.learned += [Learned("waiter", s, state, value)
                     for s, (_, state, value) in waiters.ended.items()]


# --- G7 -------------------------------------------------------------------

def dies(cluster):
    cluster.kill_machine("web1")


def vanishes(cluster):
    """Nobody hears that its connections are gone."""
    cluster.net.cut("web1")
    cluster.kill_machine("web1")


@pytest.fixture(scope="module", params=[dies, vanishes],
                ids=lambda f: f.__name__)
def fallen(request, cluster, figures):
    """web1, while agents wait there and its clock has questions to remind of."""
    cluster.make_whole()
    clock = Ledger()
    suspensions = ask(cluster, "balancer", OF_BALANCER)
    waiters = Waiters(cluster, "balancer", suspensions)
    held = []

    def happens(load):
        load.book.asked.update(suspensions)
        kit.wait_for(lambda: waiting(cluster, "web1") + waiting(
            cluster, "web2") >= OF_BALANCER)
        held.append(waiting(cluster, "web1"))
        clock.asked.update(ask(cluster, "balancer", 20, **SILENT))
        request.param(cluster)
        fell = time.monotonic()
        answer(cluster, load, "balancer", suspensions)
        return fell

    with waiters:
        told = story(cluster, figures, f"G7, web1 {request.param.__name__}",
                     happens, pairs=8, places=[("balancer", "balancer")])
    note(told.book, waiters)
    kit.wait_for(lambda: all_ended(cluster, clock))
    late = max(when - told.load.answered[s]
               for s, (when, _, _) in waiters.ended.items())
    figures[-1] += (f"; {held[0]} of {OF_BALANCER} others waited at web1, all "
                    f"had their answers after {late:.2f} s, "
                    f"{len(waiters.again)} reads were repeated by the agent")
    cluster.net.heal("web1")
    cluster.start_pool("web1")
    cluster.wait_ready("web1")
    return told, clock, held[0]


def all_ended(cluster, book):
    read(cluster, book)
    return all(row.state != "pending" for row in book.rows.values())


def test_G7_a_web_host_falls_and_no_answer_is_lost(fallen):
    told, _, held = fallen
    assert held, "nobody waited at web1"
    nothing_is_lost(told)
    nobody_hung(told)


def test_G7_timers_fire_once(fallen):
    _, clock, _ = fallen
    assert len(clock.rows) == 20
    for name in ("decided_once", "expired_in_time", "reminded_once"):
        wrong = ledger.wrong(clock, name)
        assert not wrong, wrong[:10]
    for row in clock.rows.values():
        assert row.state == "expired", row
        # A clock that stood still reminds once of all that was due.
        assert [e.payload["attempt"] for e in clock.of(
            row.id, "intent.suspension_renotified")] in ([2, 3], [3]), row


# --- G8 -------------------------------------------------------------------

class BothPools(load.Load):
    """The mixed load of tests/fault, its clients in turn at either pool."""

    def __init__(self, cluster, book):
        self.urls = itertools.cycle(f"http://{cluster.net.address(pool)}:{PORT}"
                                    for pool in POOLS)
        self.times = []  # of the 200s of operators
        super().__init__(types.SimpleNamespace(env={
            f"SAYSO_{role.upper()}_KEY": key
            for role, key in cluster.keys.items()}), book, random.Random())

    def client(self, role, agent=None):
        self.server.url = next(self.urls)
        return super().client(role, agent)

    def note_answer(self, answer, body):
        super().note_answer(answer, body)
        if answer.status == 200:
            self.times.append(time.monotonic())

    async def story(self, seconds, settled):
        async def end():
            await asyncio.sleep(seconds)
            self.running = False
        await asyncio.gather(end(), *map(self.asker, range(12)),
                             *map(self.worker, range(4)))
        await asyncio.gather(*self.answering)
        await asyncio.to_thread(settled)
        for reader in self.readers:
            assert not reader.task.done(), reader.task.exception()
            reader.task.cancel()
        await self.close()


@pytest.fixture(scope="module")
def mixed(cluster, figures):
    cluster.make_whole()
    book = Ledger()
    with cluster.database() as db:
        for name in ("desk", "lead"):
            book.channels[name] = kit.new_id()
            db.execute("INSERT INTO endpoint (id, kind, name, address, detail, "
                       "internal, secret, created_at, created_by) VALUES (%s, "
                       "'webhook', %s, 'https://127.0.0.1:9/', 'all', true, "
                       "'whsec_MTIzNDU2Nzg5MDEyMzQ1Njc4OTA=', now(), 'x')",
                       [book.channels[name], name])
    failures, one = [], BothPools(cluster, book)

    def settled():
        kit.wait_for(lambda: all_ended(cluster, book) and
                     not ledger.wrong(book, "streamed"), 60)

    def work():
        try:
            asyncio.run(one.story(MIXED, settled))
        except BaseException as e:
            failures.append(repr(e))
            raise
    thread = cluster.net.thread("balancer", work)
    thread.start()
    thread.join()
    assert not failures, failures
    done = cluster.sayso("verify")
    book.verify = (done.returncode, done.stdout + done.stderr)
    read(cluster, book)
    times = sorted(one.times)
    figures.append(
        f"G8, both pools, {MIXED} s of mixed load: {len(book.asked)} questions, "
        f"{len(times)} answers, {lost_and_doubled(book)}, longest gap "
        f"{max(b - a for a, b in zip(times, times[1:])):.2f} s; "
        f"{sum(len(s.frames) for s in book.streams)} events on "
        f"{len(book.streams)} streams; tried again: {dict(one.bumps)}")
    return book


@pytest.mark.parametrize("name", [
    "answered_once", "decided_once", "expired_in_time", "asked_is_there",
    "reminded_once", "waited_in_time", "everybody_learned", "streamed",
    "chains_hold"])
def test_G8_the_ledger_of_both_pools(mixed, name):
    wrong = ledger.wrong(mixed, name)
    assert not wrong, f"{len(wrong)} times:\n" + "\n".join(wrong[:10])


def test_G8_no_event_has_the_number_of_another(mixed):
    numbers = collections.defaultdict(list)
    for e in mixed.events:
        numbers[e.intent].append(e.sequence)
    for intent, found in numbers.items():
        assert found == list(range(1, len(found) + 1)), (intent, found)
    statuses = collections.Counter(a.status for a in mixed.answers)
    assert statuses[200] >= 40 and statuses[409] >= 10, statuses


# --- G6 -------------------------------------------------------------------

def far_apart(cluster, *words):
    """Every machine's packets; gives the reason where the kernel cannot."""
    return [why for host in ("a", "b", "c", *POOLS)
            if (why := cluster.net.shape(host, *words))]


def wakes(cluster, figures, words):
    """WAITERS questions, answered at the other pool; when each was heard of."""
    book = Ledger()
    pairs = Pairs(cluster, book, pairs=0)
    suspensions = ask(cluster, "web2", WAITERS)
    book.asked.update(suspensions)
    with Waiters(cluster, "web2", suspensions) as waiters:
        kit.wait_for(lambda: waiting(cluster, "web2") >= WAITERS, 120)
        kit.together(*[lambda some=suspensions[n::2]: answer(
            cluster, pairs, "web1", some) for n in range(2)])
    note(book, waiters)
    read(cluster, book)
    late = sorted(max(0, when - pairs.answered[s]) * 1000
                  for s, (when, _, _) in waiters.ended.items())
    p50, p99 = late[len(late) // 2], late[len(late) * 99 // 100]
    figures.append(
        f"G6, {len(late)} agents wait at web2, operators answer at web1, "
        f"{words}: {lost_and_doubled(book)}, woken after p50 {p50:.0f} ms, p99 "
        f"{p99:.0f} ms, max {late[-1]:.0f} ms; {len(waiters.again)} reads were "
        "repeated")
    assert set(waiters.ended) == set(suspensions)
    for name in ("answered_once", "decided_once", "everybody_learned"):
        wrong = ledger.wrong(book, name)
        assert not wrong, wrong[:10]


def test_G6_agents_wait_at_one_pool_and_operators_answer_at_the_other(
        cluster, figures):
    cluster.make_whole()
    if why := far_apart(cluster, "delay", "1ms"):
        wakes(cluster, figures, f"no delay, for there is no netem ({why[0]})")
        return
    try:
        wakes(cluster, figures, "1 ms of delay")
        far_apart(cluster, "delay", "1ms", "loss", "1%")
        wakes(cluster, figures, "1 ms of delay and 1 % of loss")
    finally:
        far_apart(cluster)


# --- G10 ------------------------------------------------------------------

def shifted(seconds):
    """The words before a program whose wall clock is so far from the machine's."""
    found = list(pathlib.Path("/usr/lib").glob("*/faketime/libfaketime.so.1"))
    assert found, "libfaketime is not installed"
    return ["env", f"LD_PRELOAD={found[0]}", f"FAKETIME={seconds:+}s",
            "FAKETIME_DONT_FAKE_MONOTONIC=1",
            "ASAN_OPTIONS=verify_asan_link_order=0"]


@pytest.mark.parametrize("seconds", [90, -90])
def test_G10_a_host_whose_clock_differs_does_not_start(cluster, seconds):
    cluster.make_whole()
    cluster.end("web2", "sayso", signal.SIGTERM)
    log = cluster.log / "sayso-web2.log"
    before = log.stat().st_size
    try:
        cluster.start_sayso("web2", shifted(seconds))
        assert cluster.processes["web2", "sayso"].wait(20) == 1
        said = log.read_bytes()[before:].decode()
        found = re.search(r"this host's clock is (-?[\d.]+) s from the database's",
                          said)
        assert found and abs(float(found[1]) - seconds) < 5, said
        assert "serving with" not in said
        doctor = cluster.sayso("doctor", pool="web2", before=shifted(seconds))
        assert doctor.returncode == 1
        assert "WRONG  this host's clock and the database's agree" in \
            doctor.stdout, doctor.stdout + doctor.stderr
        assert cluster.get("web1", "/readyz")[0] == 200
    finally:
        cluster.start_sayso("web2")
    cluster.wait_ready("web2")
    doctor = cluster.sayso("doctor", pool="web2")
    assert "ok     this host's clock and the database's agree" in doctor.stdout


def test_nothing_went_wrong_inside(cluster):
    assert not cluster.complaints()
