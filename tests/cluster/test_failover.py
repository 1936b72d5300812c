"""A database's machine dies, is cut off, or is taken out of service, while
agents ask and operators answer through two pools: nothing that was
acknowledged is lost or done twice, and both pools go on with the new primary.

The standby is promoted by the test, as an operator or a failover manager
would. CLUSTER_ANSWERS says how many answers are given in each story, half of
them before it happens."""
import collections
import os
import re
import time

import pytest

import kit
import ledger
from cluster import POOLS, Cluster
from ledger import Event, Ledger, Row
from load import Load

ANSWERS = int(os.environ.get("CLUSTER_ANSWERS", 300))
NOTICED = 0.5  # seconds until somebody promotes the standby
# A request has to have ended by then: its own deadline is 2.4 s, but several
# of them may take a worker's turn, and the machine may be busy.
HUNG = 15

METRICS = {'sayso_database_host{host="192.0.2.1"} 1',
           'sayso_replication_standbys{sync="yes"} 1',
           'sayso_replication_standbys{sync="no"} 0'}

Told = collections.namedtuple("Told", "book load verify failed promoted")


@pytest.fixture(scope="module")
def cluster():
    one = Cluster()
    try:
        one.start()
        yield one
    finally:
        one.close()


def story(cluster, figures, name, happens, after=lambda: None):
    """The load, what happens in the middle of it, and the database's own
    view at the end."""
    if cluster.standby not in cluster.postgres:
        cluster.add_standby()
    book = Ledger()
    with Load(cluster, book) as load:
        load.until(ANSWERS // 2)
        failed = time.monotonic()
        happens()
        promoted = cluster.promote()
        after()
        load.until(len(load.answered) + ANSWERS // 2)
    assert not load.failures, load.failures
    done = cluster.sayso("verify")
    read(cluster, book)
    told = Told(book, load, done, failed, promoted)
    figures.append(f"{name}: {summary(told)}")
    return told


def read(cluster, book):
    with cluster.database() as db:
        book.until = time.time()
        for row in db.execute(
                "SELECT id, intent_id::text, state, response::json, reason, "
                "extract(epoch FROM suspended_at)::float, "
                "coalesce(extract(epoch FROM expires_at), 'Infinity')::float, "
                "extract(epoch FROM responded_at)::float, NULL, 1 "
                "FROM suspension_row WHERE id = ANY (%s)", [list(book.asked)]):
            book.rows[row[0]] = Row(*row)
        for intent, sequence, kind, payload in db.execute(
                "SELECT intent_id::text, sequence, event_type, "
                "canonical::json -> 'payload' FROM event "
                "ORDER BY intent_id, sequence"):
            book.events.append(Event(intent, sequence, kind,
                                     payload.get("suspension_id"), payload))


def answered(told):
    """When the operators' 200s were there."""
    return sorted(r.ended for r in told.load.requests
                  if r.what == "POST respond" and r.status == 200)


def summary(told):
    times, load = answered(told), told.load
    gap = max(b - a for a, b in zip(times, times[1:]))
    first = next(t for t in times if t > told.promoted) - told.promoted
    wakes = sorted(max(0, woken - load.answered[s]) for woken, s in load.wakes
                   if load.answered.get(s, 0) > told.promoted)
    again = [r for r in load.requests if r.status == 503]
    spread = again[-1].ended - again[0].ended if again else 0
    longest = max(r.ended - r.began for r in load.requests if not r.held)
    return (f"{len(times)} answers, longest gap {gap:.2f} s, promoted "
            f"{told.promoted - told.failed:.2f} s after it happened, first "
            f"200 {first:.2f} s after that; {len(again)} times 503 within "
            f"{spread:.2f} s; longest request {longest:.2f} s; woken at the "
            f"other pool after {1000 * wakes[len(wakes) // 2]:.0f} ms "
            f"(median), {1000 * wakes[-1]:.0f} ms (worst)")


def nothing_is_lost(told):
    for name in ("answered_once", "decided_once", "asked_is_there",
                 "everybody_learned"):
        wrong = ledger.wrong(told.book, name)
        assert not wrong, f"{name}: {len(wrong)} times: {wrong[:10]}"
    assert told.verify.returncode == 0, told.verify.stdout
    statuses = collections.Counter(a.status for a in told.book.answers)
    assert statuses.keys() == {200} and statuses[200] >= ANSWERS, statuses


def all_go_on(cluster, told):
    """Both pools answered with the new primary, and no request was left
    hanging or ended with anything but an answer or a 503."""
    after = {r.pool for r in told.load.requests if r.what == "POST respond"
             and r.status == 200 and r.began > told.promoted}
    assert after == set(POOLS)
    statuses = {r.status for r in told.load.requests}
    assert statuses <= {200, 201, 503}, statuses
    for r in told.load.requests:
        assert r.ended - r.began - r.held < HUNG, r
    last = max(r.ended for r in told.load.requests if r.status == 503) if \
        503 in statuses else 0
    assert last < max(answered(told)), "503 to the end"
    for pool in POOLS:
        assert cluster.get(pool, "/readyz")[0] == 200
        body = cluster.get(pool, "/metrics")[1]
        assert "\nsayso_database_up 1\n" in body


def test_doctor_and_metrics_say_who_is_primary_and_who_follows(cluster):
    said = cluster.sayso("doctor").stdout
    assert "ok     the primary is 192.0.2.1\n" in said, said
    assert "ok     standby b at 192.0.2.2: sync, streaming, " in said, said
    assert "ok     an answer is on two machines" in said, said
    for pool in POOLS:
        kit.wait_for(lambda p=pool: METRICS <= set(
            cluster.get(p, "/metrics")[1].splitlines()))
        body = cluster.get(pool, "/metrics")[1]
        assert "\nsayso_replication_lag_seconds " in body


@pytest.fixture(scope="module")
def killed(cluster, figures):
    def happens():
        cluster.kill(cluster.primary)
        time.sleep(NOTICED)
    return story(cluster, figures, "G1, the primary is killed", happens)


def test_G1_the_primary_is_killed_and_no_answer_is_lost(killed):
    nothing_is_lost(killed)


def test_doctor_calls_it_wrong_when_the_standby_is_gone(cluster, killed):
    done = cluster.sayso("doctor")
    assert done.returncode == 1
    assert "ok     the primary is 192.0.2.2\n" in done.stdout, done.stdout
    assert "WRONG  an answer is on two machines" in done.stdout, done.stdout
    body = cluster.get("web1", "/metrics")[1]
    assert '\nsayso_database_host{host="192.0.2.2"} 1\n' in body


def test_G1_both_pools_go_on_with_the_new_primary(cluster, killed):
    all_go_on(cluster, killed)


@pytest.fixture(scope="module")
def cut(cluster, figures, killed):
    old = cluster.primary

    def happens():
        cluster.net.cut(old)
        time.sleep(NOTICED)
    told = story(cluster, figures, "G2, the primary is cut off", happens)
    # It is fenced before it is heard again.
    cluster.kill(old)
    cluster.net.heal(old)
    return told


def test_G2_the_primary_is_cut_off_and_no_answer_is_lost(cut):
    nothing_is_lost(cut)


def test_G2_both_pools_leave_the_primary_that_is_cut_off(cluster, cut):
    all_go_on(cluster, cut)


def hosts(cluster, seconds):
    """The databases that the workers of both pools use in that time."""
    seen, end = set(), time.monotonic() + seconds
    while time.monotonic() < end:
        for pool in POOLS:
            body = cluster.get(pool, "/metrics")[1]
            seen |= set(re.findall(r'sayso_database_host\{host="(.+)"\}', body))
    return seen


@pytest.fixture(scope="module")
def healed(cluster, figures, cut):
    """The old primary is heard again and nobody has ended it: it takes
    connections, and shows what was true before."""
    old, new = cluster.primary, cluster.standby
    used = {}

    def happens():
        cluster.net.cut(old)
        time.sleep(NOTICED)

    def heals():
        cluster.net.heal(old)
        # A pool that has not seen the new one yet finds it within 5 s.
        hosts(cluster, 5)
        used["healed"] = hosts(cluster, 4)
        cluster.reload_pool("web1")
        used["reloaded"] = hosts(cluster, 6)
    told = story(cluster, figures, "G3, the old primary comes back", happens,
                 heals)
    cluster.restart_pool("web2")
    used["restarted"] = hosts(cluster, 2)
    cluster.kill(old)
    return told, used, cluster.net.address(new)


def test_G3_no_answer_is_lost_and_none_comes_from_the_old_one(cluster, healed):
    nothing_is_lost(healed[0])
    # An unknown question would be 404: it is one of the new primary alone.
    all_go_on(cluster, healed[0])


def test_G3_no_worker_uses_the_old_primary(healed):
    _, used, new = healed
    assert used == {"healed": {new}, "reloaded": {new}, "restarted": {new}}


def test_G3_both_pools_say_so(cluster, healed):
    for pool in POOLS:
        log = (cluster.log / f"sayso-{pool}.log").read_text()
        assert "is an old primary, of timeline" in log, pool
        body = cluster.get(pool, "/metrics")[1]
        assert re.search(r"(?m)^sayso_database_behind_total [1-9]", body), pool
        assert int((cluster.state / pool / "database-history").read_text()) > 0


@pytest.fixture(scope="module")
def switched(cluster, figures, healed):
    return story(cluster, figures, "G4, a planned switchover",
                 lambda: cluster.stop(cluster.primary))


def test_G4_a_planned_switchover_loses_no_answer(switched):
    nothing_is_lost(switched)


def test_G4_a_planned_switchover_is_no_error_inside(cluster, switched):
    all_go_on(cluster, switched)


def test_nothing_went_wrong_inside(cluster, switched):
    assert not cluster.complaints()
