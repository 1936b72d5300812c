"""A failover by Patroni, with the files that ship, while agents ask and operators
answer: the machine of the primary dies, and its database comes back as it was."""
import re
import time

import pytest

import kit
from conftest import running
from managers import Patroni
from pools import POOLS
from story import all_go_on, hosts, nothing_is_lost, story


@pytest.fixture(scope="module")
def patroni():
    yield from running(Patroni())


def refusals(cluster):
    """The number of connections to an old primary that were refused."""
    return sum(int(re.search(r"(?m)^sayso_database_behind_total (\d+)$",
                             cluster.get(pool, "/metrics")[1])[1])
               for pool in POOLS)


def fails_over(cluster, figures, name):
    """The story, and what the pools used while the old primary was there."""
    old, used = cluster.primary, {}

    def happens(load):
        cluster.kill_machine(old)
        recovered = cluster.wait_for_another()
        kit.wait_for(lambda: all(
            cluster.get(pool, "/readyz")[0] == 200 for pool in POOLS), 60)
        cluster.start_old(old)
        hosts(cluster, 5)  # a pool looks at all of them every three seconds
        used["hosts"] = hosts(cluster, 2)
        used["refusals"] = refusals(cluster)
        cluster.kill_machine(old)
        return recovered
    told = story(cluster, figures, name, happens)
    return told, used, cluster.net.address(cluster.primary)


@pytest.fixture(scope="module")
def by_patroni(patroni, figures):
    return fails_over(patroni, figures, "Patroni, the primary's machine dies")


def test_patroni_says_that_its_file_is_right(patroni):
    done = patroni.net.run("c", ["patroni", "--validate-config",
                                 patroni.state / "c/patroni.yml"])
    # The addresses of a cluster that runs are in use; and the lines of pg_hba.conf
    # stand where they hold for all machines, not for the first start alone.
    wrong = [line for line in (done.stdout + done.stderr).splitlines()
             if "already in use" not in line and
             "bootstrap.pg_hba" not in line]
    assert not wrong, wrong


def test_patroni_loses_no_answer(by_patroni):
    nothing_is_lost(by_patroni[0])


def test_with_patroni_both_pools_go_on(patroni, by_patroni):
    all_go_on(patroni, by_patroni[0])


def test_with_patroni_an_old_primary_is_not_believed(by_patroni):
    _, used, new = by_patroni
    assert used["hosts"] == {new} and used["refusals"] > 0, used


def test_patroni_makes_the_old_primary_a_standby(patroni, by_patroni):
    patroni.start_machine("a", "etcd", "patroni")
    kit.wait_for(lambda: patroni.followers() == (2, 1), 90)
    done = patroni.sayso("doctor")
    assert "ok     an answer is on two machines" in done.stdout, done.stdout
    assert not patroni.complaints()
