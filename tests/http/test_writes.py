"""`/readyz` means that a write succeeds: a full disk, a synchronous standby that
is gone, a pool whose clock stands still. A server of its own, with a database of
its own."""
import contextlib
import html

import pytest

import kit
from kit import ask, new_intent, refused, wait_for
from page import Page
from server import place

route = pytest.mark.route
CHOICES = [{**one, "effect": effect} for one, effect in zip(
    kit.CHOICES, ("authorize", "veto"))]
ASK = {"question": "Refund?", "response_type": "confirm"}


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("writes"), SAYSO_DATABASE_TIMEOUT="2").start()
    yield one
    one.stop()
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]


def ready(client):
    r = client.get("/readyz")
    if r.status_code == 200:
        assert r.json()["status"] == "ready"
        return None
    assert int(r.headers["Retry-After"]) > 0
    return refused(r, 503)["code"]


@contextlib.contextmanager
def full(server, table):
    """Every new row of the table fails as on a full disk."""
    with server.database() as db:
        db.execute(
            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN RAISE EXCEPTION 'no space' USING ERRCODE = '53100'; "
            "END $$")
        db.execute(f"CREATE TRIGGER full_disk BEFORE INSERT ON {table} "
                   "FOR EACH ROW EXECUTE FUNCTION full_disk()")
    try:
        yield
    finally:
        with server.database() as db:
            db.execute("DROP FUNCTION full_disk CASCADE")


@contextlib.contextmanager
def no_standby(server):
    """A synchronous standby that is named and not there."""
    with server.database() as db:
        db.execute("ALTER SYSTEM SET synchronous_standby_names = 'nobody'")
        db.execute("SELECT pg_reload_conf()")
    try:
        yield
    finally:
        with server.database() as db:
            db.execute("SET synchronous_commit = local")
            db.execute("ALTER SYSTEM RESET synchronous_standby_names")
            db.execute("SELECT pg_reload_conf()")


def waiting(server):
    """Sessions whose commit waits for a standby."""
    with server.database() as db:
        return db.execute("SELECT count(*) FROM pg_stat_activity WHERE "
                          "wait_event = 'SyncRep'").fetchone()[0]


@route("GET /readyz")
def test_a_pool_that_writes_is_ready(server, agent):
    assert ready(agent) is None
    with server.database() as db:
        first = db.execute("SELECT written_at FROM write_probe").fetchone()
        wait_for(lambda: db.execute("SELECT written_at FROM write_probe"
                                    ).fetchone() != first)
        assert db.execute("SELECT count(*) FROM write_probe").fetchone() == (1,)


def test_a_full_disk(server, agent):
    """The error of a request is known to readiness at once."""
    asked = ask(agent)
    with full(server, "suspension"):
        body = refused(agent.post("/api/v1/suspensions", json=ASK), 503,
                       "database.full")
        assert "disk" in body["detail"]
        assert ready(agent) == "database.full"
        # Reads go on.
        assert agent.get(f"/api/v1/suspensions/{asked['suspension_id']}"
                         ).status_code == 200
    wait_for(lambda: ready(agent) is None)
    ask(agent)


def test_a_full_disk_that_no_request_met(server, agent):
    with full(server, "write_probe"):
        wait_for(lambda: ready(agent) == "database.full")
    wait_for(lambda: ready(agent) is None)


def test_the_trial_needs_room(server):
    """A temporary file, though the row is in its place already."""
    before = temporary(server)
    wait_for(lambda: temporary(server) > before)


def temporary(server):
    with server.database() as db:
        return db.execute("SELECT temp_files FROM pg_stat_database WHERE "
                          "datname = 'sayso'").fetchone()[0]


def test_no_synchronous_standby(server, agent):
    """The sentence names the cause, for each write, and nothing is piled up
    meanwhile: a commit that waits keeps its session."""
    intent = new_intent(agent)
    with no_standby(server):
        # PostgreSQL reads its configuration again in its own time.
        wait_for(lambda: agent.post("/api/v1/suspensions", json=ASK)
                 .status_code == 503)
        for _ in range(2):
            body = refused(agent.post("/api/v1/suspensions", json=ASK), 503,
                           "database.standby")
        assert "standby" in body["detail"]
        wait_for(lambda: ready(agent) == "database.standby")
        # One that only waits for the lock of such a one.
        at = f"/api/v1/intents/{intent['id']}/state"
        for _ in range(2):
            refused(kit.patch(agent, intent, kit.put("x", 1)), 503,
                    "database.standby")
        assert agent.get(at.rpartition("/")[0]).status_code == 200
        before = waiting(server)
        for _ in range(20):
            assert ready(agent) == "database.standby"
        assert waiting(server) == before
    wait_for(lambda: waiting(server) == 0)
    wait_for(lambda: ready(agent) is None)
    ask(agent)


@route("POST /inbox/decide")
def test_no_synchronous_standby_ends_a_bulk_action(server, agent, person):
    """At the first that was not confirmed: each more would leave a session
    that waits. The page says which were not tried, and leads on to them."""
    asked = [ask(agent, severity="low", subject={"n": n}, title=f"Bulk {n}",
                 choices=CHOICES) for n in range(4)]
    me = person("operator").client
    data = {"csrf": Page(me.get("/settings/profile")).data("/logout")["csrf"],
            "answer": "approve",
            "pick[]": [f"{a['suspension_id']}:{a['subject_sha256']}"
                       for a in asked]}
    with no_standby(server):
        wait_for(lambda: agent.post("/api/v1/suspensions", json=ASK)
                 .status_code == 503)
        before = waiting(server)
        r = me.post("/inbox/decide", data=data)
        # The first, and perhaps some of the clock's process.
        assert waiting(server) - before in (1, 2, 3)
    text = Page(r).text
    assert r.status_code == 200 and "0 approved, 4 not" in text, text
    assert text.count("Unknown") == 1 and text.count("Not tried") == 3
    assert all(f"Bulk {n} Low risk" in text for n in range(1, 4))
    assert "Continue with 3 not tried" in text
    ids = [a["suspension_id"] for a in asked]
    assert f"picked={'.'.join(ids[1:])}\"" in html.unescape(r.text)
    wait_for(lambda: waiting(server) == 0)
    wait_for(lambda: ready(agent) is None)
    assert [agent.get(f"/api/v1/suspensions/{i}").json()["state"]
            for i in ids[1:]] == ["pending"] * 3


def test_a_pool_whose_clock_stands_still_is_ready(server, agent):
    """A worker tries itself, when nobody has lately."""
    with kit.asleep(server, "tick"):
        with full(server, "write_probe"):
            wait_for(lambda: ready(agent) == "database.full")
        wait_for(lambda: ready(agent) is None)


@pytest.mark.parametrize("tick", ["runs", "stands still"])
def test_a_database_that_only_reads(server, agent, tick):
    """A request that met it, or the clock's process: nobody believes the last
    write that succeeded."""
    intent = new_intent(agent)
    doctor = "the database takes writes"
    assert f"ok     {doctor}" in server.sayso("doctor").stdout
    with contextlib.ExitStack() as stack:
        if tick != "runs":
            stack.enter_context(kit.asleep(server, "tick"))
            assert ready(agent) is None
        with server.database() as db:
            db.execute("ALTER SYSTEM SET default_transaction_read_only = on")
            db.execute("SELECT pg_reload_conf()")
        try:
            if tick == "runs":
                wait_for(lambda: ready(agent) is not None)
            else:
                wait_for(lambda: agent.post("/api/v1/suspensions", json=ASK
                                            ).status_code == 503)
            for _ in range(5):
                assert ready(agent) == "database.unavailable"
            assert kit.get(agent, intent)
            assert f"WRONG  {doctor}" in server.sayso("doctor").stdout
        finally:
            with server.database() as db:
                db.execute("SET transaction_read_only = off")
                db.execute("ALTER SYSTEM RESET default_transaction_read_only")
                db.execute("SELECT pg_reload_conf()")
        wait_for(lambda: ready(agent) is None)
    ask(agent)
