"""The synchronous standby dies: nothing is acknowledged meanwhile, everybody hears
why, and it goes on by itself. With two of which one is enough nobody notices."""
import json
import time

import pytest

import kit
from pools import POOLS, TIMEOUT
from story import HUNG, ANSWERS, nobody_hung, nothing_is_lost, story

GONE = 5  # seconds


def ready(cluster, pool):
    status, body = cluster.get(pool, "/readyz")
    body = json.loads(body)
    return status, body.get("code"), body.get("detail", "")


@pytest.fixture(scope="module")
def gone(cluster, figures):
    cluster.make_whole()
    seen = {}

    def happens(load):
        cluster.kill(cluster.standby)
        seen["died"] = time.monotonic()
        for pool in POOLS:
            seen[pool] = kit.wait_for(
                lambda p=pool: (x := ready(cluster, p))[0] != 200 and x)
        seen["noticed"] = time.monotonic()
        seen["doctor"] = cluster.sayso("doctor").stdout
        time.sleep(max(0, seen["died"] + GONE - time.monotonic()))
        seen["back"] = time.monotonic()
        cluster.start_postgres(cluster.standby)
        return time.monotonic()
    told = story(cluster, figures, "G5, the synchronous standby dies", happens)
    refused = [r for r in told.load.requests if r.status == 503]
    figures[-1] += (f"; /readyz 503 after {seen['noticed'] - seen['died']:.2f}"
                    f" s; an answer was refused after at most "
                    f"{max(r.ended - r.began for r in refused):.2f} s")
    return told, seen


def test_G5_no_answer_is_lost(gone):
    nothing_is_lost(gone[0])


def test_G5_nothing_is_acknowledged_without_the_standby(gone):
    told, seen = gone
    stored = [r for r in told.load.requests if r.what.startswith("POST")
              and r.began > seen["died"] and r.ended < seen["back"]]
    assert stored and {r.status for r in stored} == {503}, stored
    took = sorted(r.ended - r.began for r in stored)
    assert took[len(took) // 2] < HUNG / 2 and took[-1] < HUNG, took


def test_G5_both_pools_say_why(cluster, gone):
    _, seen = gone
    for pool in POOLS:
        status, code, words = seen[pool]
        assert (status, code) == (503, "database.standby"), seen[pool]
        assert "standby" in words
    assert "WRONG  an answer is on two machines" in seen["doctor"]


def test_G5_it_goes_on_by_itself(cluster, gone):
    told, _ = gone
    nobody_hung(told)
    for pool in POOLS:
        cluster.wait_ready(pool)


@pytest.fixture(scope="module")
def one_of_two(cluster, figures, gone):
    """ANY 1: one of them is enough."""
    first, second = cluster.standby, "c"
    cluster.add_standby(second)
    cluster.wait_for_standbys(f"ANY 1 ({first}, {second})", 2)
    refused = []

    def happens(load):
        cluster.kill(first)
        died = time.monotonic()
        enough = len(load.answered) + ANSWERS // 2
        while len(load.answered) < enough and not load.failures:
            refused.extend(x for pool in POOLS
                           if (x := ready(cluster, pool))[0] != 200)
        return died
    cluster.patience(20)  # nothing is refused because a machine is slow
    told = story(cluster, figures, "G5, one of two standbys dies", happens)
    cluster.patience(TIMEOUT)
    return told, refused


def test_G5_with_two_standbys_nothing_is_noticed(one_of_two):
    told, refused = one_of_two
    nothing_is_lost(told)
    nobody_hung(told)
    assert {r.status for r in told.load.requests} == {200, 201}
    assert not refused, refused
