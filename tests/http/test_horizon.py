"""Transactions of strangers, in another database of the cluster or of another
user of ours, stop neither the streams nor the feed; one that may write for them
does, so that no late commit is skipped, and doctor names it."""
import concurrent.futures
import contextlib
import os
import re
import signal
import time

import psycopg
import pytest

import kit
from kit import answer, ask, new_intent, wait_for
from server import place
from test_streams import Stream


def restart_database(server):
    pid = server.postmaster()
    os.kill(pid, signal.SIGINT)
    wait_for(lambda: kit.comm(pid) != "postgres")
    kit.start_database(server)
    with server.client() as nobody:
        wait_for(lambda: nobody.get("/readyz").status_code == 200)


@pytest.fixture(scope="module")
def server():
    with kit.own_server(place("horizon")) as one:
        with one.database() as db:
            db.execute("ALTER SYSTEM SET max_prepared_transactions = 5")
        restart_database(one)
        with one.database() as db:
            db.execute("CREATE DATABASE elsewhere")
            db.execute("CREATE ROLE stranger LOGIN")
            db.execute("GRANT CONNECT ON DATABASE sayso TO stranger")
        yield one


@contextlib.contextmanager
def session(server, user, database="sayso"):
    """A transaction that has an id and does nothing more."""
    conf = (server.state / "sayso.conf").read_text()
    host = re.search(r"^database = .*host=(\S+)", conf, re.M)[1]
    with psycopg.connect(host=host, dbname=database, user=user) as db:
        db.execute("SELECT pg_current_xact_id()")
        yield db
        db.rollback()


def now(client):
    r = client.get("/api/v1/suspensions", params={"ended_after": "now"})
    assert r.status_code == 200, r.text
    return r.json()["next"]


def feed(client, after, **more):
    r = client.get("/api/v1/suspensions",
                   params={"ended_after": after, **more}, timeout=60)
    assert r.status_code == 200, r.text
    return [s["suspension_id"] for s in r.json()["suspensions"]]


STRANGERS = [("postgres", "elsewhere"), ("sayso_web", "elsewhere"),
             ("stranger", "sayso"), ("postgres", "sayso")]


@pytest.mark.parametrize("user, database", STRANGERS)
def test_a_stranger_stops_nothing(server, agent, operator, user, database):
    if database == "elsewhere":
        with server.database() as db:
            db.execute(f"GRANT CONNECT ON DATABASE elsewhere TO {user}")
    intent = new_intent(agent)
    place_ = now(agent)
    with session(server, user, database), \
            concurrent.futures.ThreadPoolExecutor() as pool:
        of_intent = Stream(server, f"/api/v1/intents/{intent['id']}/subscribe",
                           server.env["SAYSO_AGENT_KEY"])
        of_agent = Stream(server, "/api/v1/agents/refunds-agent/subscribe",
                          server.env["SAYSO_AGENT_KEY"])
        held = pool.submit(feed, agent, place_, wait=50)
        assert agent.post(f"/api/v1/intents/{intent['id']}/agents",
                          json={"agent_id": "refunds-agent"}).status_code == 200
        asked = ask(agent, intent_id=intent["id"])
        assert answer(operator, asked).status_code == 200
        assert held.result(20) == [asked["suspension_id"]]
        of_intent.until("intent.resumed")
        of_agent.until("AGENT_ASSIGNED")
        status = kit.get(agent, intent)
        assert kit.set_status(agent, status, "completed").status_code == 200
        of_agent.until("INTENT_COMPLETED")
        assert feed(agent, place_) == [asked["suspension_id"]]
        done = server.sayso("doctor")
        assert "ok     no transaction keeps streams" in done.stdout
        assert "streams wait for a transaction" not in done.stdout


@pytest.mark.parametrize("user", ["sayso_web", "sayso_tick", "sayso_owner"])
def test_none_of_ours_is_skipped_though_a_stranger_runs(server, agent,
                                                        operator, user):
    place_ = now(agent)
    asked = ask(agent)
    with session(server, "postgres", "elsewhere"):
        with session(server, user) as ours:
            with session(server, "stranger"):
                assert answer(operator, asked).status_code == 200
                assert feed(agent, place_) == []
                next_ = now(agent)
            assert feed(agent, next_) == []
            ours.commit()
        assert feed(agent, place_) == [asked["suspension_id"]]


def test_a_late_commit_comes_in_its_place(server, agent, operator):
    """A transaction of ours that ended a question late, begun before a
    stranger's and after another."""
    place_ = now(agent)
    early, late = ask(agent), ask(agent)
    with session(server, "stranger"), session(server, "sayso_web") as ours, \
            session(server, "postgres", "elsewhere"):
        ours.execute(
            "WITH e AS (DELETE FROM open_question WHERE suspension_id = %s "
            "RETURNING kind, asked_by, suspended_at, attempt) INSERT INTO "
            "decision (suspension_id, kind, asked_by, suspended_at, attempt, "
            "state, outcome, decided_at) SELECT %s, e.*, 'cancelled', 'none', "
            "now() FROM e", [late["suspension_id"]] * 2)
        assert answer(operator, early).status_code == 200
        assert feed(agent, place_) == []
        ours.commit()
        assert feed(agent, place_) == [late["suspension_id"],
                                       early["suspension_id"]]


def lag(client):
    found = re.search(r"^sayso_stream_lag_seconds (\S+)$",
                      client.get("/metrics").text, re.M)
    return float(found[1]) if found else None


def test_a_prepared_one_of_a_stranger_stops_nothing(server, agent, operator):
    """And one of ours does."""
    for user, database, stops in (("postgres", "elsewhere", False),
                                  ("postgres", "sayso", False),
                                  ("sayso_owner", "sayso", True)):
        with session(server, user, database) as other:
            other.execute("PREPARE TRANSACTION 'orphan'")
            other.commit()
            place_ = now(agent)
            asked = ask(agent)
            assert answer(operator, asked).status_code == 200
            wanted = [] if stops else [asked["suspension_id"]]
            assert feed(agent, place_) == wanted
            other.autocommit = True
            other.execute("ROLLBACK PREPARED 'orphan'")
        assert feed(agent, place_) == [asked["suspension_id"]]


def test_ours_that_does_not_end_is_named(server, agent):
    with server.client() as nobody, session(server, "sayso_owner") as ours:
        begun = time.monotonic()
        new_intent(agent)
        wait_for(lambda: (lag(nobody) or 0) > 0)
        wait_for(lambda: time.monotonic() - begun > 1.1)
        pid = ours.info.backend_pid
        named = f"pid {pid}, user sayso_owner, database sayso"
        done = server.sayso("doctor")
        assert named in done.stdout
        assert "ok     no transaction keeps streams waiting" in done.stdout
        wait_for(lambda: time.monotonic() - begun > 10.1)
        done = server.sayso("doctor")
        assert named in done.stdout
        assert "WRONG  no transaction keeps streams waiting" in done.stdout
        assert lag(nobody) > 7
        ours.rollback()
        wait_for(lambda: lag(nobody) == 0)
