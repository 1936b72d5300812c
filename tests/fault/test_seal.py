"""The signer of the log at each of its steps: killed while a statement waits,
cut off while a commit is on its way, two of them at once, a clock that goes
back, events that are large."""
import base64
import hashlib
import os
import pathlib
import random
import re
import signal
import subprocess
import time
import uuid

import pytest

import kit
from kit import answer, ask, settled, wait_for
from server import Clock, place
from test_database_gone import stop_database
from test_log import once, whole

STEPS = ["log_end", "log_leaf", "log_tile", "log_head", "log_checkpoint",
         "receipt", "receipt_end"]


@pytest.fixture(scope="module")
def clock():
    return Clock.at(place("seal-clock"))


@pytest.fixture(scope="module")
def server(clock):
    one = kit.Watched(place("seal"), **clock.setting).start()
    answered(one.client("agent", agent="seal-agent"), one.client("operator"))
    yield one
    one.stop()


@pytest.fixture(scope="module")
def agent(server):
    return server.client("agent", agent="seal-agent")


@pytest.fixture
def db(server):
    with server.database() as one:
        yield one


def answered(agent, operator, **more):
    one = ask(agent, **more)
    assert answer(operator, one, "approve").status_code == 200
    return one


def all_signed(server, seconds=30):
    with server.database() as db:
        wait_for(lambda: settled(db), seconds)
        once(db)


def session(db, waits=False):
    """The signer's session in the database."""
    row = db.execute(
        "SELECT pid FROM pg_stat_activity WHERE application_name = "
        "'sayso seal' AND (NOT %s OR wait_event_type IN ('Lock', 'IPC'))",
        [waits]).fetchone()
    return row and row[0]


# --- Killed ---------------------------------------------------------------

@pytest.mark.parametrize("table", STEPS)
def test_L5_killed_at_this_step(server, agent, operator, db, table):
    """While the statement that writes this table waits for a lock."""
    all_signed(server)
    with server.database() as holder, holder.transaction():
        holder.execute(f"LOCK TABLE {table} IN SHARE MODE")
        one = answered(agent, operator)
        intent = {"id": one["intent_id"]}
        assert kit.set_status(agent, kit.get(agent, intent),
                              "abandoned").status_code == 200
        wait_for(lambda: session(db, waits=True))
        old = server.child("seal")
        os.kill(old, signal.SIGKILL)
        server.child("seal", after=old)
    all_signed(server)
    whole(server)


@pytest.mark.parametrize("table", ["log_head", "receipt"])
def test_cut_off_at_this_step(server, agent, operator, db, table):
    """The session ends; the process goes on with what the database has."""
    all_signed(server)
    old = server.child("seal")
    with server.database() as holder, holder.transaction():
        holder.execute(f"LOCK TABLE {table} IN SHARE MODE")
        answered(agent, operator)
        pid = wait_for(lambda: session(db, waits=True))
        db.execute("SELECT pg_terminate_backend(%s)", [pid])
        wait_for(lambda: session(db) != pid)
    all_signed(server)
    assert server.child("seal") == old
    whole(server)


def standby(db, name):
    db.execute(f"ALTER SYSTEM SET synchronous_standby_names = '{name}'")
    db.execute("SELECT pg_reload_conf()")
    wait_for(lambda: db.execute("SHOW synchronous_standby_names").fetchone()
             == (name,))


def test_a_commit_whose_outcome_is_unknown(server, agent, operator, db):
    """It waits for a standby when its session is ended: what it wrote is there,
    and the signer has not heard so."""
    all_signed(server)
    old = server.child("seal")
    with kit.asleep(server, "seal"):
        answered(agent, operator)
        before = db.execute("SELECT count(*) FROM log_leaf").fetchone()
        standby(db, "nobody")
    try:
        pid = wait_for(lambda: db.execute(
            "SELECT pid FROM pg_stat_activity WHERE application_name = "
            "'sayso seal' AND wait_event = 'SyncRep'").fetchone())
        db.execute("SELECT pg_terminate_backend(%s)", pid)
        wait_for(lambda: db.execute("SELECT count(*) FROM log_leaf"
                                    ).fetchone() > before)
    finally:
        standby(db, "")
    all_signed(server)
    assert server.child("seal") == old
    whole(server)


def test_the_database_is_stopped(server, agent, operator):
    all_signed(server)
    old = server.child("seal")
    answered(agent, operator)
    stop_database(server, signal.SIGQUIT)
    time.sleep(2)
    kit.start_database(server)
    wait_for(lambda: agent.get("/readyz").status_code == 200)
    answered(agent, operator)
    all_signed(server)
    assert server.child("seal") == old
    whole(server)


# --- Two at once ----------------------------------------------------------

@pytest.fixture
def second(server):
    """Another host: a second server on the same database."""
    conf = server.state / "second.conf"
    run = pathlib.Path(server.socket).parent
    text = (server.state / "sayso.conf").read_text()
    conf.write_text(re.sub(r"^(wait_)?socket = .*$",
                           lambda m: f"{m[1] or ''}socket = "
                                     f"{run}/second{m[1] or ''}.sock",
                           text, flags=re.M))
    owner = (server.state / "postgres").stat()
    with (server.state / "log/second.log").open("w") as log:
        process = subprocess.Popen(
            [server.state / "app/sayso", "serve"], stderr=log, stdout=log,
            env={**server.environ, "SAYSO_CONF": str(conf)},
            **({"user": owner.st_uid, "group": owner.st_gid,
                "extra_groups": []} if os.geteuid() == 0 else {}))
    wait_for(lambda: len(kit.children(process.pid)) >= 7)
    yield server.state / "log/second.log"
    process.send_signal(signal.SIGTERM)
    process.wait(20)


def test_L5_two_sign_one_log(server, agent, operator, db, second):
    """In turn: whoever has slept finds the log longer, with a head of the
    same size."""
    for n in range(12):
        answered(agent, operator)
        if n % 3 == 0:
            all_signed(server)
            with kit.asleep(server, "seal"):
                answered(agent, operator)
                all_signed(server)
    all_signed(server)
    whole(server)
    assert "seal:" not in second.read_text()
    assert db.execute("SELECT count(*) FROM (SELECT FROM log_head GROUP BY "
                      "epoch, size HAVING count(*) > 1) h").fetchone() == (0,)


# --- The clock ------------------------------------------------------------

def test_a_clock_that_goes_back_signs_no_older_time(server, agent, operator,
                                                    db, clock):
    clock.forward(hours=2)
    answered(agent, operator)
    all_signed(server)
    head = db.execute("SELECT max(size), max(signed_at) FROM log_head"
                      ).fetchone()
    clock.forward(hours=-1)
    for _ in range(2):
        one = answered(agent, operator)
        made = {"id": one["intent_id"]}
        assert kit.set_status(agent, kit.get(agent, made),
                              "abandoned").status_code == 200
        all_signed(server)
    size, at = db.execute("SELECT max(size), max(signed_at) FROM log_head"
                          ).fetchone()
    assert size > head[0] and at > head[1]
    assert db.execute("SELECT count(*) FROM log_checkpoint WHERE created_at "
                      "> %s", [head[1]]).fetchone()[0] >= 2
    whole(server)


# --- Large events ---------------------------------------------------------

def sha(text):
    return "sha256:" + base64.urlsafe_b64encode(
        hashlib.sha256(text.encode()).digest()).decode().rstrip("=")


def chain(db, intent, payloads):
    """Appends events with these payloads to an intent, as the server would."""
    sequence, before = db.execute("SELECT event_sequence, event_hash FROM "
                                  "intent WHERE id = %s", [intent]).fetchone()
    rows = []
    for payload in payloads:
        sequence += 1
        one = {"actor": "seal-agent", "created_at":
               "2026-11-20T09:31:44.120931", "event_type": "comment",
               "id": str(uuid.uuid4()), "intent_id": intent,
               "payload": payload, "previous_event_hash": before,
               "sequence": sequence}
        text = kit.canonical(one)
        rows.append([intent, sequence, one["id"], text, sha(text), before])
        before = sha(text)
    with db.transaction():
        db.cursor().executemany(
            "INSERT INTO event (intent_id, sequence, id, event_type, "
            "created_at, canonical, event_hash, previous_event_hash) VALUES "
            "(%s, %s, %s, 'comment', '2026-11-20T09:31:44.120931Z', %s, %s, "
            "%s)", rows)
        db.execute("UPDATE intent SET event_sequence = %s, "
                   "event_hash = %s WHERE id = %s", [sequence, before, intent])


@pytest.mark.parametrize("seals", [1, 2])
def test_L5_killed_while_thousands_wait(server, agent, operator, db, request,
                                     seals):
    """After some milliseconds each, in the middle of one batch or another."""
    all_signed(server)
    if seals == 2:
        request.getfixturevalue("second")
    dice, killed = random.Random(seals), set()
    with kit.asleep(server, "seal"):
        for _ in range(15):
            chain(db, kit.new_intent(agent)["id"], [{"n": n} for n in
                                                    range(400)])
    while len(killed) < 8 and not settled(db):
        pid = server.child("seal")
        if pid not in killed:
            time.sleep(dice.uniform(0, 0.1))
            os.kill(pid, signal.SIGKILL)
            killed.add(pid)
    assert seals == 2 or len(killed) > 3
    answered(agent, operator)
    all_signed(server, 60)
    assert db.execute("SELECT count(*) FROM log_fault").fetchone() == (0,)
    whole(server)


def test_the_database_has_no_room_for_a_large_batch(server, agent, operator,
                                                    db):
    """A smaller one needs no file of its own."""
    all_signed(server)
    start = len(server.log())
    with kit.asleep(server, "seal"):
        intent = kit.new_intent(agent)["id"]
        chain(db, intent, [{"x": f"{n:1200}"} for n in range(500)])
        for text in ("SET temp_file_limit = 0", "SET work_mem = '64kB'"):
            db.execute(f"ALTER ROLE sayso_seal {text}")
        db.execute("SELECT pg_terminate_backend(%s)", [session(db)])
    try:
        answered(agent, operator)
        all_signed(server, 60)
    finally:
        db.execute("ALTER ROLE sayso_seal RESET ALL")
        db.execute("SELECT pg_terminate_backend(%s)", [session(db)])
    assert "seal: nothing is signed" in server.log()[start:]
    answered(agent, operator)
    all_signed(server)
    whole(server)


def test_large_events(server, agent, operator, db):
    """As dense as they come: pages of some events each, and no memory's
    limit."""
    intent = kit.new_intent(agent)["id"]
    dense = {"x": [[1] * 4000] * 132}
    assert len(kit.canonical(dense)) > 1 << 20
    chain(db, intent, [dense] * 40)
    answered(agent, operator)
    all_signed(server, 90)
    assert "memory" not in "\n".join(
        x for x in server.log().splitlines() if "seal:" in x)
    with open(f"/proc/{server.child('seal')}/status") as f:
        peak = int(re.search(r"VmHWM:\s+(\d+)", f.read())[1])
    assert peak < 400 << 10
    whole(server)
