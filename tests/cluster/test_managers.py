"""A failover by Patroni and one by pg_auto_failover, with the files and commands of
the manual: the machine of the primary dies while agents ask and operators answer,
and its database comes back as it was. Both wait for most of the time: they go on
side by side."""
import collections
import concurrent.futures
import re

import pytest

import kit
from managers import AutoFailover, Patroni
from pools import POOLS
from story import all_go_on, hosts, nothing_is_lost, story

# used: the databases that the pools used while the old primary was there;
# refused: the connections to it that they gave up.
Managed = collections.namedtuple("Managed", "cluster told used refused doctor")


@pytest.fixture(scope="module")
def both(figures):
    # A process that a thread starts ends with the thread.
    with concurrent.futures.ThreadPoolExecutor(2) as threads:
        clusters = {"Patroni": Patroni(), "pg_auto_failover": AutoFailover()}
        try:
            yield dict(zip(clusters, threads.map(
                lambda at: fails_over(at[1], figures, at[0]),
                clusters.items())))
        finally:
            for one in clusters.values():
                one.close()


@pytest.fixture(params=["Patroni", "pg_auto_failover"])
def managed(request, both):
    return both[request.param]


def fails_over(cluster, figures, name):
    cluster.start()
    old, seen = cluster.primary, {}

    def happens(load):
        cluster.kill_machine(old)
        recovered = cluster.wait_for_another()
        for pool in POOLS:
            cluster.wait_ready(pool)
        cluster.start_old(old)
        # A pool looks at all of them every three seconds.
        kit.wait_for(lambda: hosts(cluster, 1) == {
            cluster.net.address(cluster.primary)}, 60)
        seen["used"] = hosts(cluster, 2)
        seen["refused"] = sum(map(refused, [cluster] * 2, POOLS))
        cluster.kill_machine(old)
        return recovered
    told = story(cluster, figures, f"{name}, the primary's machine dies",
                 happens)
    cluster.start_machine(old)
    cluster.wait_whole()
    return Managed(cluster, told, **seen, doctor=cluster.sayso("doctor"))


def refused(cluster, pool):
    return int(re.search(r"(?m)^sayso_database_behind_total (\d+)$",
                         cluster.get(pool, "/metrics")[1])[1])


def test_a_manager_loses_no_answer(managed):
    nothing_is_lost(managed.told)


def test_both_pools_go_on(managed):
    all_go_on(managed.cluster, managed.told)


def test_an_old_primary_is_not_believed(managed):
    new = managed.cluster.net.address(managed.cluster.primary)
    assert managed.used == {new} and managed.refused > 0, managed


def test_the_old_primary_becomes_a_standby(managed):
    said = managed.doctor.stdout
    assert "ok     an answer is on two machines" in said, said
    assert not managed.cluster.complaints()


def test_patroni_says_that_its_file_is_right(both):
    cluster = both["Patroni"].cluster
    done = cluster.net.run("c", ["patroni", "--validate-config",
                                 cluster.state / "c/patroni.yml"])
    # The addresses of a cluster that runs are in use; and the lines of pg_hba.conf
    # stand where they hold for all machines, not for the first start alone.
    wrong = [line for line in (done.stdout + done.stderr).splitlines()
             if "already in use" not in line and
             "bootstrap.pg_hba" not in line]
    assert not wrong, wrong
