"""Receipts while the log of one task is broken: those of all other questions
go on, and its own come when the log holds again. And receipts after an hour in
which nobody signed any."""
import contextlib
import os
import signal

import pytest

import kit
from server import Clock, place


@pytest.fixture(scope="module")
def clock():
    return Clock.at(place("receipts-clock"))


@pytest.fixture(scope="module")
def server(clock):
    one = kit.Watched(place("receipts"), **clock.setting).start()
    yield one
    one.stop()


def receipt(client, asked):
    return client.get(
        f"/api/v1/suspensions/{asked['suspension_id']}/receipt")


def has_receipt(client, asked):
    return kit.wait_for(lambda: receipt(client, asked).status_code == 200)


def ended(agent, operator, **more):
    asked = kit.ask(agent, **more)
    kit.made(kit.answer(operator, asked), 200)
    return asked


def owner(server, *statements):
    """As the owner of the tables, who changes what nobody may change."""
    with server.database() as db, db.transaction():
        db.execute("ALTER TABLE event DISABLE TRIGGER ALL")
        for text, values in statements:
            db.execute(text, values)
        db.execute("ALTER TABLE event ENABLE TRIGGER ALL")


def looks_again(server):
    """The signer looks at broken chains when it starts, and each minute."""
    os.kill(server.child("seal"), signal.SIGKILL)


def last(server, asked):
    """The question's last event."""
    with server.database() as db:
        return db.execute(
            "SELECT intent_id, sequence, canonical FROM event "
            "WHERE intent_id = %s ORDER BY sequence DESC LIMIT 1",
            [asked["intent_id"]]).fetchone()


def counts(server, *asked):
    """Receipts of these questions, and how many questions wait."""
    with server.database() as db:
        return db.execute(
            "SELECT (SELECT count(*) FROM receipt "
            "         WHERE suspension_id = ANY (%s)),"
            "       (SELECT count(*) FROM receipt_wait)",
            [[a["suspension_id"] for a in asked]]).fetchone()


def test_one_broken_chain_stops_no_other_receipt(server, agent, operator):
    has_receipt(agent, ended(agent, operator))
    with kit.asleep(server, "seal"):
        broken = ended(agent, operator)
        intent, sequence, canonical = last(server, broken)
        owner(server, ("UPDATE event SET canonical = "
                       "replace(canonical, 'approve', 'apprave') "
                       "WHERE intent_id = %s AND sequence = %s",
                       [intent, sequence]))
        later = [ended(agent, operator) for _ in range(3)]
    for one in later:
        has_receipt(agent, one)
    said = kit.refused(receipt(agent, broken), 409, "receipt.held")
    assert f"broken at event {sequence}" in said["detail"]
    # A second question of the same task waits too.
    second = ended(agent, operator, intent_id=str(intent))
    after = ended(agent, operator)
    has_receipt(agent, after)
    kit.refused(receipt(agent, second), 409, "receipt.held")
    assert counts(server, broken, second, after, *later) == (4, 2)

    owner(server, ("UPDATE event SET canonical = %s "
                   "WHERE intent_id = %s AND sequence = %s",
                   [canonical, intent, sequence]))
    looks_again(server)
    has_receipt(agent, broken)
    has_receipt(agent, second)
    assert counts(server, broken, second, after, *later) == (6, 0)
    with server.database() as db:
        assert db.execute("SELECT count(*) FROM log_fault").fetchone() == (0,)
        assert db.execute(
            "SELECT count(*) - count(DISTINCT (intent_id, sequence)) "
            "FROM log_leaf").fetchone() == (0,)


def test_an_end_without_its_event_stops_no_other_receipt(server, agent,
                                                         operator):
    """Somebody deletes the last event of a task: nothing after it says that
    one is missing."""
    with kit.asleep(server, "seal"):
        lost = ended(agent, operator)
        intent, sequence, _ = last(server, lost)
        owner(server,
              ("CREATE TABLE kept AS SELECT * FROM event "
               "WHERE intent_id = %s AND sequence = %s", [intent, sequence]),
              ("DELETE FROM event WHERE intent_id = %s AND sequence = %s",
               [intent, sequence]))
        later = ended(agent, operator)
    has_receipt(agent, later)
    said = kit.refused(receipt(agent, lost), 409, "receipt.held")
    assert "no event" in said["detail"]
    # The next event of the task shows it, and what was kept mends it.
    kit.made(agent.post(kit.at({"id": str(intent)}, "events"),
                        json={"event_type": "comment"}))
    with server.database() as db:
        kit.wait_for(lambda: db.execute(
            "SELECT sequence FROM log_fault").fetchone() == (sequence + 1,))
    kit.refused(receipt(agent, lost), 409, "receipt.held")
    owner(server, ("INSERT INTO event SELECT * FROM kept", []),
          ("DROP TABLE kept", []))
    looks_again(server)
    has_receipt(agent, lost)
    assert counts(server, lost, later) == (2, 0)


def test_a_later_end_of_its_task_is_not_the_end_of_a_question(server, agent,
                                                              operator):
    """A question that an older release took back without an event of its own
    has no receipt, whatever its agent writes as it ends the task."""
    with kit.asleep(server, "seal"):
        intent = kit.new_intent(agent)
        lost, other = [{"suspension_id": kit.made(agent.post(
            kit.at(intent, "escalations"), json={"reason": "x"}))["id"]}
            for _ in range(2)]
        with server.database() as db:
            db.execute(
                "WITH ended AS (DELETE FROM open_question "
                "  WHERE suspension_id = %s RETURNING suspension_id, kind,"
                "  asked_by, suspended_at, attempt, channel_hint) "
                "INSERT INTO decision (suspension_id, kind, asked_by,"
                "  suspended_at, attempt, channel_hint, state, outcome,"
                "  decided_by, via, decided_at) "
                "SELECT ended.*, 'cancelled', 'none', 'sayso', 'native',"
                "  suspended_at + interval '1 millisecond' FROM ended",
                [lost["suspension_id"]])
    kit.wait_for(lambda: receipt(agent, lost).status_code == 409)
    kit.made(kit.set_status(agent, kit.get(agent, intent), "completed",
                            reason="withdrawn by its person"), 200)
    has_receipt(agent, other)
    looks_again(server)
    for _ in range(2):  # the second is signed after the look
        has_receipt(agent, ended(agent, operator))
    said = kit.refused(receipt(agent, lost), 409, "receipt.held")
    assert "no event" in said["detail"]
    assert counts(server, lost, other) == (1, 1)
    with server.database() as db:
        db.execute("DELETE FROM receipt_wait WHERE suspension_id = %s",
                   [lost["suspension_id"]])


def test_the_signer_is_killed_while_receipts_wait(server, agent, operator):
    """Nothing is lost, and nothing is there twice."""
    with kit.asleep(server, "seal"):
        broken = [ended(agent, operator) for _ in range(5)]
        kept = [last(server, one) for one in broken]
        owner(server, *[("UPDATE event SET canonical = canonical || ' ' "
                         "WHERE intent_id = %s AND sequence = %s", row[:2])
                        for row in kept])
    with server.database() as db:
        kit.wait_for(lambda: db.execute(
            "SELECT count(*) FROM receipt_wait").fetchone() == (5,))
        for n, (intent, sequence, canonical) in enumerate(kept):
            owner(server, ("UPDATE event SET canonical = %s "
                           "WHERE intent_id = %s AND sequence = %s",
                           [canonical, intent, sequence]))
            looks_again(server)
            kit.wait_for(lambda: db.execute(
                "SELECT count(*) FROM receipt_wait").fetchone()[0] <= 4 - n)
    for one in broken:
        has_receipt(agent, one)
    assert counts(server, *broken) == (5, 0)


def test_71_an_hour_without_the_other_processes(server, clock, agent,
                                                operator):
    """Older receipts stay as they are. Questions that were answered meanwhile
    get theirs afterwards, once."""
    def texts(*asked):
        return [receipt(agent, one).json()["receipt"] for one in asked]

    first = ended(agent, operator)
    has_receipt(agent, first)
    before = texts(first)
    with contextlib.ExitStack() as sleeping:
        for name in ("tick", "deliver", "seal"):
            sleeping.enter_context(kit.asleep(server, name))
        later = [ended(agent, operator) for _ in range(5)]
        clock.forward(hours=1)
        for one in later:
            said = receipt(agent, one)
            kit.refused(said, 503, "receipt.soon")
            assert said.headers["retry-after"] == "1"
        assert texts(first) == before
    for one in later:
        has_receipt(agent, one)
    signed = texts(first, *later)
    looks_again(server)
    after = ended(agent, operator)
    has_receipt(agent, after)
    assert texts(first, *later) == signed and signed[:1] == before
    assert counts(server, first, after, *later) == (7, 0)
