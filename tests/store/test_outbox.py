"""Claiming due deliveries: fast with very many waiting rows, each claimed by
one sender, and no endpoint delays the others."""
import contextlib
import hashlib
import json
import threading
import uuid

import pytest
from statements import STATEMENTS
from test_plans import plan, quote

NOW = "2026-11-20T09:00:00Z"
LATER = "2026-11-20T09:00:30Z"
LONG_AGO = "2026-11-13T09:00:00Z"
PER_ENDPOINT, PER_OWNER = 4, 8


@pytest.fixture(scope="module")
def many(server):
    """100,000 deliveries that wait, half of them due, half of one endpoint;
    200 endpoints, some paused, gone or removed, two
    in between with a single one. Nobody sends them here."""
    stop_sender(server)
    ids = {}
    with server.database() as db:
        db.execute("SET synchronous_commit = off")
        db.execute("SET session_replication_role = replica")  # no triggers
        db.execute("""
            INSERT INTO intent (id, title, created_by, status, constraints,
                                state, version, created_at, updated_at)
            VALUES (md5('outbox')::uuid, 'x', 'x', 'active', '{}', '{}', 1,
                    now(), now())""")
        db.execute("""
            INSERT INTO endpoint (id, kind, name, address, secret, created_at,
                                  created_by, paused_at, gone_at, removed_at)
            SELECT md5('e' || n)::uuid, 'agent', 'e' || n,
                   'https://127.0.0.1:1/' || n, 'whsec_AAAA', now(), 'x',
                   CASE WHEN n % 50 = 7 THEN now() END,
                   CASE WHEN n % 50 = 8 THEN now() END,
                   CASE WHEN n % 50 = 9 THEN now() END
              FROM generate_series(0, 199) n""")
        db.execute("""
            INSERT INTO delivery (id, endpoint_id, intent_id, event_sequence,
                                  type, body, state, next_at, created_at,
                                  ended_at)
            SELECT md5('d' || n)::uuid,
                   md5('e' || CASE WHEN mod(n, 2) = 0 THEN 0
                                   ELSE mod(n / 2, 198) END)::uuid,
                   md5('outbox')::uuid, 1, 'x', '{}',
                   CASE WHEN n < 100000 THEN 'pending' ELSE 'delivered' END,
                   CASE WHEN n < 50000 THEN %(now)s::timestamptz
                                            - n * interval '1 ms'
                        WHEN n < 100000 THEN %(now)s::timestamptz
                                             + interval '1 hour' END,
                   now(), CASE WHEN n >= 100000 THEN now() END
              FROM generate_series(0, 119999) n""",
                   {"now": NOW})
        for n in (198, 199):
            ids[n] = str(uuid.uuid4())
            db.execute("""
                INSERT INTO delivery (id, endpoint_id, intent_id,
                    event_sequence, type, body, next_at, created_at)
                VALUES (%s, md5(%s)::uuid, md5('outbox')::uuid, 1, 'x', '{}',
                        %s, now())""", [ids[n], f"e{n}", NOW])
        db.execute("ANALYZE")
    yield ids
    with server.database() as db:
        db.execute("TRUNCATE delivery, delivery_try")
        db.execute("DELETE FROM endpoint")
        db.execute("DELETE FROM intent WHERE id = md5('outbox')::uuid")
        db.execute("REVOKE sayso_deliver FROM sayso_owner")
        db.execute("GRANT CONNECT ON DATABASE sayso TO sayso_deliver")


def stop_sender(server):
    """The server's own sender may not touch what is claimed here."""
    with server.database() as db:
        db.execute("REVOKE CONNECT ON DATABASE sayso FROM sayso_deliver")
        db.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                   "WHERE usename = 'sayso_deliver'")
        db.execute("GRANT sayso_deliver TO sayso_owner")


@pytest.fixture
def sender(server, many):
    with session(server) as db:
        yield db


@contextlib.contextmanager
def session(server):
    """As the sender's role, which may not sign in itself."""
    with server.database("sayso_owner") as db:
        db.prepare_threshold = None  # or DEALLOCATE takes what it prepared
        db.execute("SET ROLE sayso_deliver")
        yield db


def places(names):
    return "{" + ",".join(names) + "}"


def take(db, busy=(), limit=64, now=NOW, claim=LATER, away=()):
    """Rows of (id, endpoint)."""
    db.execute("DEALLOCATE ALL")
    db.execute(f"PREPARE one AS {STATEMENTS['outbox_take']}".encode())
    ways = "{" + ",".join(busy) + "}"
    rows = db.execute(f"EXECUTE one({quote(now)}, {quote(ways)}, {limit}, "
                      f"{quote(claim)}, {PER_ENDPOINT}, {PER_OWNER}, 64, "
                      f"{quote(places(away))})").fetchall()
    return [(str(r[0]), str(r[1])) for r in rows]


def name(db, n):
    return str(db.execute("SELECT md5(%s)::uuid", [f"e{n}"]).fetchone()[0])


TAKE = [NOW, "{}", 64, LATER, PER_ENDPOINT, PER_OWNER, 64, "{}"]
BUSY = [NOW, "{" + ",".join([str(uuid.uuid4())] * 64) + "}", 1, LATER,
        PER_ENDPOINT, PER_OWNER, 64, "{" + "0" * 32 + "}"]


@pytest.mark.parametrize("generic", [False, True],
                         ids=["custom", "generic"])
@pytest.mark.parametrize("statement, values", [
    ("outbox_take", TAKE), ("outbox_take", BUSY), ("outbox_next", ["{}"]),
    ("outbox_give_up", [NOW, LONG_AGO])], ids=["take", "busy", "next", "give_up"])
def test_the_plan(sender, statement, values, generic):
    nodes = plan(sender, statement, values, generic)
    scans = [n["Relation Name"] for n in nodes
             if n["Node Type"] == "Seq Scan"]
    assert "delivery" not in scans, json.dumps(nodes, indent=1)
    used = {n["Index Name"] for n in nodes if "Index Name" in n}
    assert "delivery_due" in used, used


@pytest.mark.parametrize("generic", [False, True],
                         ids=["custom", "generic"])
def test_it_looks_at_few(sender, generic):
    """Reads a few of each endpoint, not all that wait."""
    with sender.transaction(force_rollback=True):
        mode = "force_generic_plan" if generic else "force_custom_plan"
        sender.execute("DEALLOCATE ALL")
        sender.execute(f"PREPARE one AS {STATEMENTS['outbox_take']}".encode())
        sender.execute(f"SET LOCAL plan_cache_mode = {mode}")
        given = ", ".join(map(quote, TAKE))
        found = sender.execute("EXPLAIN (ANALYZE, FORMAT JSON) EXECUTE one("
                               f"{given})").fetchone()[0][0]

        def most(node):
            return max([node["Actual Rows"] * node["Actual Loops"],
                        *map(most, node.get("Plans", []))])

        assert most(found["Plan"]) <= PER_ENDPOINT * 200, json.dumps(found, indent=1)


def test_no_endpoint_hides_the_others(sender, many):
    """The oldest are all of a few endpoints, and each gets four."""
    with sender.transaction(force_rollback=True):
        taken = take(sender)
        assert len(taken) == len({t[0] for t in taken}) == 64
        per = [sum(t[1] == e for t in taken) for e in {t[1] for t in taken}]
        assert max(per) <= PER_ENDPOINT
        closed = {name(sender, n) for n in range(200) if n % 50 in (7, 8, 9)}
        assert not closed & {t[1] for t in taken}
        # And all of them in turn.
        seen = {t[1] for t in taken}
        for _ in range(20):
            busy = [e for e in seen for _ in range(4)]
            seen |= {t[1] for t in take(sender, busy)}
        assert name(sender, 198) in seen and name(sender, 199) in seen
        assert len(seen) == 200 - len(closed)

@pytest.fixture
def crowd(sender):
    """Beside the others: ten for each of three endpoints of one agent, one of
    another's, and two of a channel to people, which are the newest."""
    def add(kind, agent, n, at):
        one = str(uuid.uuid4())
        sender.execute(
            "INSERT INTO endpoint (id, kind, name, address, agent, secret, "
            "created_at, created_by) VALUES (%s, %s, %s, "
            "'https://slow.example:8443/x?' || %s, %s, 'x', now(), 'x')",
            [one, kind, one, one, agent])
        sender.execute(
            "INSERT INTO delivery (id, endpoint_id, intent_id, event_sequence, "
            "type, body, next_at, created_at) SELECT gen_random_uuid(), %s, "
            "md5('outbox')::uuid, 1, 'x', '{}', %s, now() FROM "
            "generate_series(1, %s)", [one, at, n])
        return one

    with sender.transaction(force_rollback=True):
        sender.execute("RESET ROLE")
        slow = [add("agent", "slow", 10, LONG_AGO) for _ in range(3)]
        other = add("agent", "other", 1, NOW)
        people = add("webhook", None, 2, NOW)
        sender.execute("SET ROLE sayso_deliver")
        yield slow, other, people


def test_people_first_and_then_owners_in_turn(sender, crowd):
    slow, _, people = crowd
    assert [t[1] for t in take(sender, limit=2)] == [people] * 2
    got = [t[1] for t in take(sender, [people] * 2, limit=62)]
    # The oldest are all of one owner; the first of each comes before them.
    assert len(set(got)) == 62 and sum(e in slow for e in got) == 1


def test_an_owner_has_a_share(sender, crowd):
    slow, _, _ = crowd
    for n in range(PER_OWNER + 2):
        with sender.transaction(force_rollback=True):
            busy = [slow[i % 3] for i in range(n)]
            sender.execute("UPDATE endpoint SET gone_at = now() WHERE id <> "
                           "ALL (%s)", [slow])
            got = [t[1] for t in take(sender, busy)]
            assert len(got) == max(0, PER_OWNER - n)


def test_a_host_that_does_not_answer(sender, crowd):
    """For its owner alone, and never for people."""
    slow, other, people = crowd
    place = sender.execute(
        "SELECT md5('slow slow.example:8443')").fetchone()[0]
    sender.execute("UPDATE endpoint SET gone_at = now() WHERE id <> ALL (%s)",
                   [[*slow, other, people]])
    got = {t[1] for t in take(sender, away=[place])}
    assert got == {other, people}


def test_a_callback_that_does_not_answer(sender, crowd):
    """For the agent that asked alone, though it has the oldest."""
    prefix = crowd[1]
    sender.execute("RESET ROLE")
    sender.execute("UPDATE endpoint SET agent = NULL, prefix = true, "
                   "address = 'https://n8n.example/wait/' WHERE id = %s",
                   [prefix])
    sender.execute("UPDATE endpoint SET gone_at = now() WHERE id <> %s",
                   [prefix])
    for agent, n, at in (("a", 10, LONG_AGO), ("b", 1, NOW)):
        sender.execute(
            "INSERT INTO delivery (id, endpoint_id, intent_id, "
            "event_sequence, type, body, next_at, created_at, address, "
            "asked_by) SELECT gen_random_uuid(), %s, md5('outbox')::uuid, 1, "
            "'x', '{}', %s, now(), 'https://n8n.example/wait/' || i, %s FROM "
            "generate_series(1, %s) i", [prefix, at, agent, n])
    sender.execute("SET ROLE sayso_deliver")
    own, a, b = (f"{prefix} n8n.example{who}" for who in ("", " a", " b"))
    by = "SELECT asked_by FROM delivery WHERE id = ANY (%s::uuid[])"
    for away, left in (([], {"a"}), ([a], {"b", None}), ([b], {"a"}),
                       ([a, own], {"b"}), ([a, b, own], set())):
        away = [hashlib.md5(place.encode()).hexdigest() for place in away]
        with sender.transaction(force_rollback=True):
            next_at = sender.execute(
                STATEMENTS["outbox_next"].replace("$1", "%s"),
                [places(away)] * 2).fetchone()[0]
            assert (next_at is None) == (not left)
            ids = [t[0] for t in take(sender, away=away)]
            assert {r[0] for r in sender.execute(by, [ids])} == left


def test_what_is_on_its_way_counts(sender):
    first = name(sender, 0)
    with sender.transaction(force_rollback=True):
        # The others would come in turn.
        sender.execute("UPDATE endpoint SET gone_at = now() WHERE id <> %s",
                       [first])
        for n in range(6):
            taken = take(sender, [first] * n)
            got = sum(t[1] == first for t in taken)
            assert got == max(0, PER_ENDPOINT - n), (n, got)
    with sender.transaction(force_rollback=True):
        assert len(take(sender, limit=3)) == 3
        assert take(sender, limit=0) == []


def test_a_claim_lapses(sender, many):
    with sender.transaction(force_rollback=True):
        sender.execute("RESET ROLE")
        sender.execute("UPDATE endpoint SET paused_at = now() "
                       "WHERE name <> 'e198'")
        sender.execute("SET ROLE sayso_deliver")
        mine = [(many[198], name(sender, 198))]
        assert take(sender) == mine
        assert take(sender) == []
        assert take(sender, now=LATER) == mine


def test_several_senders_take_each_once(server, sender):
    """At the same time, as often as it takes."""
    lists, failed = [], []

    def one():
        try:
            with session(server) as db:
                own = []
                lists.append(own)
                for _ in range(500):
                    own += [t[0] for t in take(db)]
                    if own and sum(map(len, lists)) > 400:
                        break
        except Exception as e:
            failed.append(repr(e))

    threads = [threading.Thread(target=one) for _ in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join(60)
    assert not failed
    taken = [d for v in lists for d in v]
    assert len(taken) == len(set(taken)) > 400
    assert all(lists)


# --- Writing down ---------------------------------------------------------

def finish(db, delivery, n, next_at=None, delivered=False, status=None):
    db.execute("DEALLOCATE ALL")
    db.execute(f"PREPARE one AS {STATEMENTS['outbox_finish']}".encode())
    values = [delivery, n, f"try {n}", str(delivered).lower(), next_at, NOW,
              NOW, 12, status]
    db.execute(f"EXECUTE one({', '.join(map(quote, values))})")
    state = db.execute("SELECT state, tries, answer FROM delivery WHERE id = "
                       "%s", [delivery]).fetchone()
    log = db.execute("SELECT n, status, answer FROM delivery_try WHERE "
                     "delivery_id = %s ORDER BY n", [delivery]).fetchall()
    return state, log


def test_tries_are_written_down_once(sender, many):
    with sender.transaction(force_rollback=True):
        one = many[198]
        state, log = finish(sender, one, 1, LATER, status=500)
        assert state == ("pending", 1, "try 1")
        assert log == [(1, 500, "try 1")]
        # Of an expired claim: another sender has sent it meanwhile.
        assert finish(sender, one, 1, delivered=True) == (state, log)
        state, log = finish(sender, one, 2, delivered=True, status=204)
        assert state == ("delivered", 2, "try 2") and len(log) == 2
        assert finish(sender, one, 3, LATER) == (state, log)


def test_sent_again_the_log_goes_on(sender, many):
    with sender.transaction(force_rollback=True):
        one = many[199]
        finish(sender, one, 1, status=500)
        sender.execute("UPDATE delivery SET state = 'pending', tries = 0, "
                       "next_at = %s, ended_at = NULL WHERE id = %s",
                       [NOW, one])
        state, log = finish(sender, one, 1, delivered=True, status=200)
        assert state[:2] == ("delivered", 1)
        assert [t[:2] for t in log] == [(1, 500), (2, 200)]


def test_what_waits_for_who_is_gone_is_given_up(sender):
    with sender.transaction(force_rollback=True):
        gone = [name(sender, n) for n in range(200) if n % 50 in (8, 9)]
        count = ("SELECT count(*) FROM delivery WHERE state = 'pending' AND "
                 "endpoint_id = ANY (%s::uuid[])")
        before = sender.execute(count, [gone]).fetchone()[0]
        sender.execute("DEALLOCATE ALL")
        sender.execute("PREPARE one AS "
                       f"{STATEMENTS['outbox_give_up']}".encode())
        done = sender.execute(f"EXECUTE one({quote(NOW)}, "
                              f"{quote(LONG_AGO)})").rowcount
        assert 0 < done <= 200
        left = sender.execute(count, [gone]).fetchone()[0]
        assert left == before - done
        all_left = "SELECT count(*) FROM delivery WHERE state = 'pending'"
        total = sender.execute(all_left).fetchone()[0]
        while done:
            done = sender.execute(f"EXECUTE one({quote(NOW)}, "
                              f"{quote(LONG_AGO)})").rowcount
        assert sender.execute(count, [gone]).fetchone()[0] == 0
        assert sender.execute(all_left).fetchone()[0] == total - left


def test_what_waits_too_long_for_who_is_paused_is_given_up(sender, server):
    with session(server) as db, db.transaction(force_rollback=True):
        db.execute("RESET ROLE")
        paused, other = name(db, 10), name(db, 11)
        db.execute("UPDATE endpoint SET gone_at = NULL, removed_at = NULL, "
                   "paused_at = CASE WHEN id = %s THEN %s::timestamptz END",
                   [paused, NOW])
        db.execute("UPDATE delivery SET next_at = %s::timestamptz - "
                   "interval '1 s' WHERE id IN (SELECT id FROM delivery WHERE "
                   "endpoint_id = ANY (%s::uuid[]) AND state = 'pending' "
                   "ORDER BY id LIMIT 20)", [LONG_AGO, [paused, other]])
        old = ("SELECT count(*) FROM delivery WHERE state = 'pending' AND "
               "next_at < %s AND endpoint_id = %s")
        waits, others = (db.execute(old, [LONG_AGO, e]).fetchone()[0]
                         for e in (paused, other))
        assert waits > 0 and others > 0
        db.execute("SET ROLE sayso_deliver")
        db.execute("DEALLOCATE ALL")
        db.execute(f"PREPARE one AS {STATEMENTS['outbox_give_up']}".encode())
        done = db.execute(f"EXECUTE one({quote(NOW)}, "
                          f"{quote(LONG_AGO)})").rowcount
        assert done == waits
        assert db.execute(old, [LONG_AGO, other]).fetchone()[0] == others
        assert db.execute(
            "SELECT DISTINCT answer FROM delivery WHERE state = 'failed' AND "
            "endpoint_id = %s", [paused]).fetchall() == [
                ("Failed: the endpoint is paused for seven days.",)]
