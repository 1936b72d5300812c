"""The event log is append only, and whoever changes it all the same is found.

A server of its own: after this its log is broken."""
import json

import psycopg
import pytest

import kit
from kit import (answer, ask, events, get, hash_of, new_intent, patch, put,
                 refused)
from page import Page
from server import place


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("verify")).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def reader(person):
    return person("auditor")


@pytest.fixture
def intent(agent, operator):
    """An intent of five events."""
    asked = ask(agent)
    assert answer(operator, asked, "deny", reason="no").status_code == 200
    one = get(agent, {"id": asked["intent_id"]})
    for n in range(2):
        one = patch(agent, one, put("n", n)).json()
    assert len(events(agent, one["id"])) == 5
    return one["id"]


@pytest.fixture
def tamper(server):
    """Runs SQL as the superuser, with nothing of ours in the way."""
    def run(query, *args):
        with server.database() as db, db.transaction():
            db.execute("SET LOCAL session_replication_role = replica")
            changed = db.execute(query, args).rowcount
            assert changed != 0, query

    return run


@pytest.fixture
def broken(server, agent, reader):
    """Where all three ways of checking say that the chain breaks; None:
    nowhere."""
    def check(intent):
        r = agent.get(f"/api/v1/intents/{intent}/events/verify").json()
        done = server.sayso("verify", intent)
        shown = Page(reader.client.get(f"/intents/{intent}?verify=1")).text
        if done.returncode == 0:
            assert r["chain_valid"] is True, r
            assert done.stdout.endswith(", 0 broken\n"), done.stdout
            assert "breaks" not in shown and r["breaks"] == []
            return None
        assert done.returncode == 1
        lines = done.stdout.splitlines()
        start = f"BROKEN intent {intent} sequence "
        assert lines[0].startswith(start), done.stdout
        assert lines[-1].startswith("1 intents, ")
        assert lines[-1].endswith(", 1 broken")
        at = int(lines[0].removeprefix(start).split(":")[0])
        assert r["chain_valid"] is False, (done.stdout, r)
        assert r["first_broken_sequence"] == at
        assert r["breaks"] == [{"sequence": at, "reason": r["reason"]}]
        assert r["reason"] and r["reason"] in lines[0]
        for event in r["events"]:
            assert event["verified"] is (event["sequence"] < at), r
        assert f"breaks at event {at}" in shown, shown
        return at

    return check


def test_nothing_is_wrong(server, broken, intent):
    assert broken(intent) is None
    done = server.sayso("verify", intent)
    assert done.stdout == "1 intents, 5 events, 0 broken\n"


@pytest.mark.parametrize("sequence", [1, 3, 5])
def test_changed_bytes(broken, intent, tamper, sequence):
    tamper("UPDATE event SET canonical = replace(canonical, '\"actor\":\"',"
           " '\"actor\":\"x') WHERE intent_id = %s AND sequence = %s",
           intent, sequence)
    assert broken(intent) == sequence


def test_a_changed_answer(broken, intent, tamper):
    tamper("UPDATE event SET canonical = replace(canonical, "
           "'\"value\":\"deny\"', '\"value\":\"approve\"') "
           "WHERE intent_id = %s AND sequence = 3", intent)
    assert broken(intent) == 3


@pytest.mark.parametrize("column, value", [
    ("event_type", "comment"), ("event_hash", "sha256:" + "A" * 43),
    ("previous_event_hash", "sha256:" + "A" * 43),
    ("id", "11111111-2222-4333-8444-555555555555"),
    ("created_at", "2020-01-01T00:00:00Z"),
])
def test_a_changed_column(broken, intent, tamper, column, value):
    tamper(f"UPDATE event SET {column} = %s WHERE intent_id = %s AND "
           "sequence = 2", value, intent)
    assert broken(intent) == 2


def test_bytes_and_hash_changed_together(broken, agent, intent, tamper):
    """A forger who hashes anew breaks the link to the next."""
    forge(tamper, agent, intent, 3)
    assert broken(intent) == 4


def test_the_last_one_changed_with_its_hash(broken, agent, intent, tamper):
    """There is no next one; the intent knows the end of its chain."""
    forge(tamper, agent, intent, 5)
    assert broken(intent) == 5


def forge(tamper, agent, intent, sequence):
    event = next(e for e in events(agent, intent)
                 if e["sequence"] == sequence)
    del event["event_hash"]
    event["actor"] = "forger"
    tamper("UPDATE event SET canonical = %s, event_hash = %s "
           "WHERE intent_id = %s AND sequence = %s", kit.canonical(event),
           hash_of(event), intent, sequence)


@pytest.mark.parametrize("sequence", [1, 3, 5])
def test_a_deleted_row(broken, intent, tamper, sequence):
    tamper("DELETE FROM event WHERE intent_id = %s AND sequence = %s",
           intent, sequence)
    assert broken(intent) == (5 if sequence == 5 else sequence + 1)


def test_all_rows_deleted(broken, intent, tamper):
    tamper("DELETE FROM event WHERE intent_id = %s", intent)
    assert broken(intent) == 1


def test_rows_that_changed_places(broken, intent, tamper):
    tamper("UPDATE event SET sequence = CASE sequence WHEN 2 THEN 3 ELSE 2 "
           "END + 100 WHERE intent_id = %s AND sequence IN (2, 3)", intent)
    tamper("UPDATE event SET sequence = sequence - 100 WHERE intent_id = %s "
           "AND sequence > 100", intent)
    assert broken(intent) == 2


def test_an_event_of_another_intent(broken, agent, intent, tamper):
    other = new_intent(agent, "draft")["id"]
    tamper("DELETE FROM event WHERE intent_id = %s AND sequence = 1", intent)
    tamper("UPDATE event SET intent_id = %s WHERE intent_id = %s", intent,
           other)
    assert broken(intent) == 1


def test_a_row_added_behind_the_end(broken, agent, intent, tamper):
    """A role that may insert cannot add an event that the intent does not
    count."""
    last = events(agent, intent, limit=1)[0]
    event = {**last, "sequence": 6,
             "previous_event_hash": last["event_hash"],
             "id": kit.new_id()}
    del event["event_hash"]
    tamper("INSERT INTO event (intent_id, sequence, id, event_type, "
           "created_at, canonical, event_hash, previous_event_hash) "
           "VALUES (%s, 6, %s, %s, %s, %s, %s, %s)", intent, event["id"],
           event["event_type"], event["created_at"] + "Z",
           kit.canonical(event), hash_of(event), last["event_hash"])
    assert broken(intent) == 6


def test_the_intents_own_end_changed(broken, intent, tamper):
    tamper("UPDATE intent SET event_hash = 'sha256:x' WHERE id = %s", intent)
    assert broken(intent) == 5


def test_bytes_that_are_no_json(broken, intent, tamper):
    tamper("UPDATE event SET canonical = '{' WHERE intent_id = %s "
           "AND sequence = 4", intent)
    assert broken(intent) == 4


def test_verifying_everything_names_each_broken_intent(
        server, agent, operator, tamper):
    before = server.sayso("verify").stdout.splitlines()
    names = [new_intent(agent)["id"] for _ in range(3)]
    for one in names[:2]:
        tamper("UPDATE event SET canonical = canonical || ' ' "
               "WHERE intent_id = %s AND sequence = 2", one)
    done = server.sayso("verify")
    assert done.returncode == 1
    fresh = [x for x in done.stdout.splitlines()[:-1] if x not in before]
    assert sorted(fresh) == sorted(
        f"BROKEN intent {one} sequence 2: its bytes do not match its hash"
        for one in names[:2])


# --- Many chains are read at once -----------------------------------------

def pages(server):
    """How often `sayso verify` reads events, as the database logs it."""
    log = server.state / "log/postgres.log"
    with server.database() as db:
        db.execute("ALTER ROLE sayso_owner SET log_min_duration_statement = 0")
    try:
        at = log.stat().st_size
        server.sayso("verify")
        return log.read_bytes()[at:].count(b"execute event_chain")
    finally:
        with server.database() as db:
            db.execute("ALTER ROLE sayso_owner RESET ALL")


def test_not_each_intent_takes_a_round_trip(server, agent):
    before = pages(server)
    for _ in range(200):
        new_intent(agent, "draft")
    assert 0 < before <= pages(server) < before + 100


def comments(agent, intent, n, size):
    for _ in range(n):
        r = agent.post(f"/api/v1/intents/{intent}/events",
                       json={"event_type": "comment",
                             "payload": {"text": "x" * size}})
        assert r.status_code == 201, r.text


def found(server, before=()):
    """The lines that are new, and the last line's counts but for those of the
    signer, who works meanwhile."""
    *lines, last = server.sayso("verify").stdout.splitlines()
    counts = {w: int(n) for n, w in (x.split() for x in last.split(", "))}
    return ([x for x in lines if x not in before],
            {w: counts[w] for w in ("intents", "events", "erased",
                                    "questions", "broken")})


@pytest.mark.parametrize("n, size", [(110, 1), (45, 200_000)])
def test_a_chain_too_long_to_be_read_with_others(server, agent, tamper, n,
                                                 size):
    before, counted = found(server)
    names = [new_intent(agent, "draft")["id"] for _ in range(3)]
    comments(agent, names[1], n, size)
    fresh, now = found(server, before)
    assert not fresh
    assert now["events"] == counted["events"] + 3 + n
    assert now["intents"] == counted["intents"] + 3
    for one, last in zip(names, (1, n + 1, 1)):
        tamper("UPDATE event SET canonical = canonical || ' ' "
               "WHERE intent_id = %s AND sequence = %s", one, last)
    fresh, again = found(server, before)
    assert sorted(fresh) == sorted(
        f"BROKEN intent {one} sequence {last}: its bytes do not match its hash"
        for one, last in zip(names, (1, n + 1, 1)))
    assert again == {**now, "broken": now["broken"] + 3}


def test_more_questions_than_are_read_with_others(server, agent, operator,
                                                  tamper):
    before, counted = found(server)
    asked = [ask(agent)]
    assert answer(operator, asked[0]).status_code == 200
    for n in range(24):
        asked.append(ask(agent, intent_id=asked[0]["intent_id"]))
        assert answer(operator, asked[-1], "deny").status_code == 200
    alone = ask(agent)
    fresh, now = found(server, before)
    assert not fresh
    assert now["questions"] == counted["questions"] + 26
    for one in (asked[1], asked[24], alone):
        tamper("UPDATE suspension SET question = 'x' WHERE id = %s",
               one["suspension_id"])
    fresh, again = found(server, before)
    assert sorted(x.split(":")[0] for x in fresh) == sorted(
        f"BROKEN question {one['suspension_id']} of intent {one['intent_id']}"
        for one in (asked[1], asked[24], alone))
    assert again["questions"] == now["questions"]


def test_verifying_what_there_is_not(server):
    for one in ("x", "11111111-2222-4333-8444-555555555555"):
        done = server.sayso("verify", one)
        assert done.returncode == 1 and "intent.unknown" in done.stderr


def test_a_full_log(server, agent, operator):
    """Reaching the ceiling is an ordinary error, and what is there stays."""
    asked = ask(agent)
    with server.database() as db:
        db.execute("UPDATE intent SET event_sequence = 10000 WHERE id = %s",
                   [asked["intent_id"]])
    at = f"/api/v1/intents/{asked['intent_id']}"
    refused(agent.post(f"{at}/events", json={"event_type": "comment"}), 409,
            "event.log_full")
    assert get(agent, {"id": asked["intent_id"]})["version"] == 1


# --- What the web workers' role may do ------------------------------------

def denied(db, query):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        db.execute(query)


@pytest.mark.parametrize("query", [
    "UPDATE event SET canonical = ''", "DELETE FROM event",
    "TRUNCATE event", "DELETE FROM intent", "DELETE FROM suspension",
    "UPDATE suspension SET question = 'x'", "TRUNCATE suspension CASCADE",
    "SELECT FROM suspension FOR UPDATE", "UPDATE decision SET response = 'x'",
    "DELETE FROM decision", "TRUNCATE decision",
    "UPDATE open_question SET attempt = 2",
    "UPDATE inbox_entry SET audience = 'o'", "DELETE FROM inbox_entry",
    "TRUNCATE intent CASCADE", "DELETE FROM idempotency",
    "UPDATE idempotency SET body = ''",
    "UPDATE api_key SET role = 'admin'", "DELETE FROM api_key",
    "UPDATE api_key SET key_sha256 = repeat('a', 64)",
    "UPDATE principal SET email = 'x@example.com'", "DELETE FROM principal",
    "INSERT INTO migration VALUES (99, 'x', 'x', now())",
    "INSERT INTO receipt (jws) VALUES ('x')", "UPDATE receipt SET jws = 'x'",
    "DELETE FROM receipt", "DELETE FROM receipt_wait",
    "CREATE TABLE mine (a int)", "CREATE VIEW mine AS SELECT 1",
    "CREATE FUNCTION mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE SCHEMA mine", "CREATE TEMP TABLE mine (a int)",
    "ALTER TABLE event DISABLE TRIGGER ALL", "DROP TABLE event",
    "DROP TRIGGER event_append_only ON event",
    "DROP TRIGGER event_erased_only ON event",
    "ALTER TABLE event ADD COLUMN mine int",
    "ALTER ROLE sayso_web SUPERUSER",
    "SET ROLE sayso_owner", "SET session_replication_role = replica",
    "COPY event TO PROGRAM 'true'", "SELECT pg_read_file('/etc/passwd')",
])
def test_what_the_web_role_may_not(server, agent, query):
    ask(agent)
    with server.database("sayso_web") as db:
        denied(db, query)


def test_the_web_role_gives_no_rights_away(server):
    with server.database("sayso_web") as db:
        db.execute("GRANT ALL ON event TO PUBLIC")  # a warning, no more
    with server.database() as db:
        rights = db.execute("SELECT relacl::text FROM pg_class WHERE relname "
                            "= 'event'").fetchone()[0]
    assert "sayso_web=ar/sayso_owner" in rights
    assert "{=" not in rights and ",=" not in rights


def test_not_even_the_owner_changes_an_event(server, agent):
    ask(agent)
    with server.database("sayso_owner") as db:
        denied(db, "UPDATE event SET canonical = canonical || ' '")
        denied(db, "DELETE FROM event")
        denied(db, "TRUNCATE event")


def test_the_web_role_cannot_decide_twice(server, agent, operator):
    asked = ask(agent)
    answer(operator, asked, "deny")
    with server.database("sayso_web") as db:
        with pytest.raises(psycopg.errors.UniqueViolation):
            db.execute("INSERT INTO decision SELECT (d).* FROM (SELECT d FROM "
                       "decision d WHERE suspension_id = %s) one",
                       [asked["suspension_id"]])


def test_a_revoked_key_stays_revoked(server):
    key = server.key("agent", "--agent", "gone", label="gone")
    assert server.sayso("key", "revoke", key[:12]).returncode == 0
    for user in ("sayso_web", None):
        with server.database(*[user] if user else []) as db:
            with pytest.raises(psycopg.errors.CheckViolation):
                db.execute("UPDATE api_key SET revoked_at = NULL "
                           "WHERE label = 'gone'")
