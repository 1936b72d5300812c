"""Two pools with one database, and a load balancer before them: one of them dies,
both are busy, and many agents wait at one while operators answer at the other."""
import os
import pathlib
import re
import signal
import time

import httpx
import pytest

import kit
import ledger
from ledger import Answer, Learned, Ledger
from pools import PORT
from story import nobody_hung, nothing_is_lost, read, story
from waiters import Waiters

WAITERS = int(os.environ.get("CLUSTER_WAITERS", 400))
OF_BALANCER = 60  # that wait at both pools while one dies
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
        assert [e.payload["attempt"] for e in clock.of(
            row.id, "intent.suspension_renotified")] == [2, 3], row


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
