"""The log while its signer is killed: no event is left out or numbered twice, no
two heads have one size, and every receipt comes."""
import os
import random
import signal
import threading
import time

import pytest

import kit
from server import place

KILLS = 12
SECONDS = 10


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("log")).start()
    yield one
    one.stop()


def decide(server, stop, asked):
    """Asks and answers, again and again."""
    agent = server.client("agent", agent="log-agent")
    operator = server.client("operator")
    while not stop.is_set():
        r = agent.post("/api/v1/suspensions", json={
            "question": "Go?", "response_type": "confirm"})
        if r.status_code != 201:
            continue
        id = r.json()["suspension_id"]
        r = operator.post(f"/api/v1/suspensions/{id}/respond",
                          json={"value": random.choice(["yes", "no"])})
        if r.status_code == 200:
            asked.append(id)


def once(db):
    """Each event is in the log once, without a gap, and each head has a size
    of its own and a later time than the one before."""
    n, last, events = db.execute("""
        SELECT count(*), max(position) + 1,
               count(DISTINCT (intent_id, sequence)) FROM log_leaf""").fetchone()
    assert n == last == events
    assert db.execute("""
        SELECT count(*) FROM (
            SELECT signed_at, lag(signed_at) OVER (ORDER BY size) AS before
              FROM log_head) h WHERE signed_at <= before""").fetchone() == (0,)
    assert db.execute("""
        SELECT count(*) FROM (
            SELECT first_sequence, lag(last_sequence) OVER (
                       PARTITION BY intent_id ORDER BY first_sequence) AS l
              FROM log_checkpoint) c
         WHERE first_sequence <> coalesce(l, 0) + 1""").fetchone() == (0,)


def test_the_signer_is_killed(server):
    stop, asked = threading.Event(), []
    threads = [threading.Thread(target=decide, args=(server, stop, asked))
               for _ in range(3)]
    for t in threads:
        t.start()
    dice = random.Random(26)
    try:
        for _ in range(KILLS):
            time.sleep(dice.uniform(0.2, 2 * SECONDS / KILLS - 0.2))
            os.kill(server.child("seal"), signal.SIGKILL)
    finally:
        stop.set()
        for t in threads:
            t.join()
    assert len(asked) > 20
    with server.database() as db:
        kit.wait_for(lambda: kit.settled(db), 60)
        once(db)
        assert db.execute("SELECT count(*) FROM log_fault").fetchone() == (0,)
        missing = db.execute("""
            SELECT count(*) FROM decision d
             WHERE NOT EXISTS (SELECT FROM receipt r
                                WHERE r.suspension_id = d.suspension_id)
            """).fetchone()
        assert missing == (0,)
    whole(server)


def whole(server):
    """The export holds, for the key that the server shows."""
    path = server.state / "run" / "log.jsonl"
    key = server.client().get("/log/keys").json()[0]["vkey"]
    done = server.sayso("export", "--log", str(path))
    assert done.returncode == 0, done.stderr
    done = server.sayso("verify", "--bundle", str(path), "--key", key)
    assert done.returncode == 0, done.stdout
    assert done.stdout.endswith(" 0 broken\n")


def test_what_does_not_fit_the_last_head_is_not_signed(server):
    """The owner of the tables changes tiles: the signer notices when it reads
    it again, and says so until somebody has looked."""
    agent = server.client("agent", agent="log-agent")
    with server.database() as db:
        before = db.execute("SELECT max(size) FROM log_head").fetchone()
        db.execute("ALTER TABLE log_tile DISABLE TRIGGER ALL")
        db.execute("""
            UPDATE log_tile SET hashes = set_byte(hashes, 0,
                                                  255 - get_byte(hashes, 0))
            """)
        db.execute("ALTER TABLE log_tile ENABLE TRIGGER ALL")
        os.kill(server.child("seal"), signal.SIGKILL)
        agent.post("/api/v1/suspensions", json={
            "question": "Go?", "response_type": "confirm"})
        log = server.state / "log" / "sayso.log"
        kit.wait_for(lambda: "log.inconsistent" in log.read_text())
        time.sleep(2)
        assert db.execute("SELECT max(size) FROM log_head"
                          ).fetchone() == before
