"""A story: load, something that happens in the middle of it, and what is there at
the end."""
import collections
import os
import re
import time

import ledger
from ledger import Delivery, Event, Ledger, Row
from pairs import Pairs
from pools import POOLS

ANSWERS = int(os.environ.get("CLUSTER_ANSWERS", 300))
# A request has to have ended by then: its own deadline is 2.4 s, but several
# of them may take a worker's turn, and the machine may be busy.
HUNG = 15

# recovered: when the database could work again, by time.monotonic().
Told = collections.namedtuple("Told", "book load verify failed recovered "
                                      "ended")


def story(cluster, figures, name, happens, **places):
    """happens(load) returns the moment of recovery, in time.monotonic()."""
    book = Ledger()
    with Pairs(cluster, book, **places) as load:
        load.until(ANSWERS // 2)
        failed = time.monotonic()
        recovered = happens(load)
        load.until(len(load.answered) + ANSWERS // 2)
        ended = time.monotonic()
    assert not load.failures, load.failures
    done = cluster.sayso("verify", pool="web2")
    read(cluster, book)
    told = Told(book, load, done, failed, recovered, ended)
    figures.append(f"{name}: {summary(told)}")
    return told


def read(cluster, book):
    """The state of the database, as the ledger compares it."""
    book.events, book.deliveries = [], []
    with cluster.database() as db:
        book.until = time.time()
        for row in db.execute(
                "SELECT id, intent_id::text, state, response::json, reason, "
                "extract(epoch FROM suspended_at)::float, "
                "coalesce(extract(epoch FROM expires_at), 'Infinity')::float, "
                "extract(epoch FROM responded_at)::float, "
                "record::json ->> 'channel_hint', "
                "coalesce((retry_policy::json ->> 'max_attempts')::int, 1) "
                "FROM suspension_row WHERE id = ANY (%s)", [list(book.asked)]):
            book.rows[row[0]] = Row(*row)
        for intent, sequence, kind, payload in db.execute(
                "SELECT intent_id::text, sequence, event_type, "
                "canonical::json -> 'payload' FROM event "
                "ORDER BY intent_id, sequence"):
            book.events.append(Event(intent, sequence, kind,
                                     payload.get("suspension_id"), payload))
        for row in db.execute(
                "SELECT id::text, endpoint_id::text, suspension_id, "
                "event_sequence, type, state, tries, body FROM delivery "
                "WHERE suspension_id = ANY (%s)", [list(book.asked)]):
            book.deliveries.append(Delivery(*row))


def answered(told):
    """When the operators' 200s were there."""
    return sorted(r.ended for r in told.load.requests
                  if r.what == "POST respond" and r.status == 200)


def lost_and_doubled(book):
    """The questions whose 200 is not there as it was given; and those that were
    decided twice."""
    def of(name):
        return {line.split(":")[0] for line in ledger.wrong(book, name)}
    twice = collections.Counter(e.suspension for e in book.events
                                if e.type in ledger.ENDS)
    return (f"{len(of('answered_once') | of('asked_is_there'))} lost, "
            f"{sum(n > 1 for n in twice.values())} doubled")


def summary(told):
    times, load = answered(told), told.load
    gap = max(b - a for a, b in zip(times, times[1:]))
    first = next(t for t in times if t > told.recovered) - told.recovered
    wakes = sorted(max(0, woken - load.answered[s]) for woken, s in load.wakes
                   if load.answered.get(s, 0) > told.recovered)
    again = [r for r in load.requests if r.status == 503]
    spread = again[-1].ended - again[0].ended if again else 0
    longest = max(r.ended - r.began for r in load.requests if not r.held)
    return (f"{len(times)} answers, {lost_and_doubled(told.book)}, longest gap "
            f"{gap:.2f} s, over {told.recovered - told.failed:.2f} s after it "
            f"happened, first 200 {first:.2f} s after that; {len(again)} times "
            f"503 within {spread:.2f} s; longest request {longest:.2f} s; woken "
            f"after {1000 * wakes[len(wakes) // 2]:.0f} ms (median), "
            f"{1000 * wakes[-1]:.0f} ms (worst)")


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
             and r.status == 200 and r.began > told.recovered}
    assert after == set(POOLS)
    nobody_hung(told)
    for pool in POOLS:
        assert cluster.get(pool, "/readyz")[0] == 200
        body = cluster.get(pool, "/metrics")[1]
        assert "\nsayso_database_up 1\n" in body


def nobody_hung(told):
    statuses = {r.status for r in told.load.requests}
    assert statuses <= {200, 201, 503}, statuses
    for r in told.load.requests:
        assert r.ended - r.began - r.held < HUNG, r
    last = max(r.ended for r in told.load.requests if r.status == 503) if \
        503 in statuses else 0
    assert last < max(answered(told)), "503 to the end"


def hosts(cluster, seconds):
    """The databases that the workers of both pools use in that time."""
    seen, end = set(), time.monotonic() + seconds
    while time.monotonic() < end:
        for pool in POOLS:
            body = cluster.get(pool, "/metrics")[1]
            seen |= set(re.findall(r'sayso_database_host\{host="(.+)"\}', body))
    return seen
