"""Endpoints, subscriptions and deliveries: the constraints, and the recipients
that the inserting statements find."""
import json

import pytest
from psycopg import errors
from psycopg.rows import dict_row

import rows
from records import FIELDS
from rows import refused
from statements import STATEMENTS

LATER = "2026-11-20T10:00:00Z"


pytestmark = pytest.mark.usefixtures("nothing_stays")


@pytest.fixture
def db(superuser):
    """Without what other tests have left."""
    superuser.execute("DELETE FROM delivery_try")
    superuser.execute("DELETE FROM delivery")
    superuser.execute("DELETE FROM subscription")
    superuser.execute("UPDATE endpoint SET removed_at = now()")
    return superuser


def run(db, name, *values):
    """Runs a statement of the program unchanged."""
    given = ", ".join("NULL" if v is None else f"$given${v}$given$"
                      for v in values)
    db.execute(f"PREPARE one AS {STATEMENTS[name]}".encode())
    done = db.execute(f"EXECUTE one({given})".encode())
    db.execute("DEALLOCATE one")
    return done


def delivered(db):
    found = db.cursor(row_factory=dict_row).execute(
        "SELECT *, id::text, endpoint_id::text FROM delivery ORDER BY "
        "event_sequence").fetchall()
    return found


# --- Constraints ----------------------------------------------------------

def test_one_endpoint_for_an_address_of_an_agent(db):
    one = {"address": "https://a.example/"}
    first = rows.endpoint(db, agent="a", **one)
    rows.endpoint(db, agent="b", **one)
    rows.endpoint(db, **one)
    for agent in ("a", None):
        assert refused(db, errors.UniqueViolation, rows.endpoint, agent=agent,
                       **one) == "endpoint_address"
    db.execute("UPDATE endpoint SET removed_at = now() WHERE id = %s",
               [first])
    rows.endpoint(db, agent="a", **one)


def test_one_channel_for_a_name(db):
    first = rows.endpoint(db, kind="slack", name="ops", secret=None)
    assert refused(db, errors.UniqueViolation, rows.endpoint, kind="webhook",
                   name="ops") == "endpoint_channel_name"
    rows.endpoint(db, name="ops")  # of an agent: that is no channel
    db.execute("UPDATE endpoint SET removed_at = now() WHERE id = %s",
               [first])
    rows.endpoint(db, kind="mail", name="ops", secret=None)


@pytest.mark.parametrize("columns", [
    {"kind": "sms"}, {"name": ""}, {"name": "x" * 121}, {"address": ""},
    {"address": "x" * 2001}, {"detail": "more"}, {"secret": None},
    {"kind": "webhook", "secret": None}, {"kind": "slack", "agent": "a"}])
def test_an_endpoint_that_cannot_be(db, columns):
    assert refused(db, errors.CheckViolation, rows.endpoint, **columns)


@pytest.mark.parametrize("columns", [
    {"state": "lost"}, {"state": "pending", "next_at": None},
    {"state": "delivered"}, {"state": "failed"}])
def test_a_delivery_that_cannot_be(db, columns):
    intent, endpoint = rows.intent(db), rows.endpoint(db)
    assert refused(db, errors.CheckViolation, rows.delivery, endpoint, intent,
                   **columns)


# --- Whom a push goes to --------------------------------------------------

@pytest.mark.parametrize("columns, told", [
    ({}, True),
    ({"agent": "bot"}, True),
    ({"agent": "other"}, False),
    ({"agent": "Bot"}, False),
    ({"event_types": ["intent_vetoed"]}, True),
    ({"event_types": ["intent_authorized", "intent_vetoed"]}, True),
    ({"event_types": ["intent_authorized"]}, False),
    ({"event_types": ["event"]}, False),
    ({"paused_at": rows.NOW}, True),
    ({"gone_at": rows.NOW}, False),
    ({"removed_at": rows.NOW}, False),
    ({"kind": "webhook"}, False),
    ({"kind": "slack", "every_question": True}, False)])
def test_a_push(db, columns, told):
    intent = rows.intent(db)
    endpoint = rows.endpoint(db, **columns)
    run(db, "delivery_push", "bot", intent, "s-1", 7, "intent_vetoed",
        '{"a":1}', LATER, False, "00-a-b-01")
    found = delivered(db)
    assert len(found) == told
    if told:
        one = found[0]
        assert one["endpoint_id"] == endpoint and one["body"] == '{"a":1}'
        assert one["type"] == "intent_vetoed" and one["state"] == "pending"
        assert one["suspension_id"] == "s-1" and one["event_sequence"] == 7
        assert one["next_at"] == one["created_at"] and not one["tries"]
        assert one["traceparent"] == "00-a-b-01"


# --- Which events go to a subscription ------------------------------------

@pytest.fixture
def logged(db):
    """An intent with three events; gives its id."""
    intent = rows.intent(db)
    for n, kind in enumerate(["comment", "intent.resumed", "comment"], 1):
        rows.event(db, intent, n, event_type=kind, event_hash=f"sha256:{n}",
                   canonical=json.dumps({"sequence": n, "event_type": kind}))
    return intent


def sent(db, intent, first=2, last=3):
    run(db, "delivery_events", intent, first, last, LATER)
    return [d["event_sequence"] for d in delivered(db)]


@pytest.mark.parametrize("columns, sequences", [
    ({}, [2, 3]),
    ({"event_types": ["comment"]}, [3]),
    ({"event_types": ["comment", "intent.resumed"]}, [2, 3]),
    ({"event_types": ["status_changed"]}, []),
    ({"expires_at": LATER}, []),
    ({"expires_at": rows.NOW}, []),
    ({"expires_at": "2026-11-20T10:00:01Z"}, [2, 3])])
@pytest.mark.parametrize("every", [True, False])
def test_events(db, logged, columns, sequences, every):
    rows.subscription(db, rows.endpoint(db),
                      intent_id=None if every else logged, **columns)
    assert sent(db, logged) == sequences


def test_events_of_another_intent(db, logged):
    rows.subscription(db, rows.endpoint(db), intent_id=rows.intent(db))
    assert sent(db, logged) == []


@pytest.mark.parametrize("columns, sequences", [
    ({"paused_at": rows.NOW}, [2, 3]), ({"gone_at": rows.NOW}, []),
    ({"removed_at": rows.NOW}, []), ({"event_types": ["event"]}, [2, 3]),
    ({"event_types": ["intent_vetoed"]}, [2, 3])])
def test_events_to_an_endpoint(db, logged, columns, sequences):
    rows.subscription(db, rows.endpoint(db, **columns))
    assert sent(db, logged) == sequences


def test_the_body_of_an_event(db, logged):
    subscription = rows.subscription(db, rows.endpoint(db), intent_id=logged)
    sent(db, logged, 2, 2)
    one, = delivered(db)
    assert one["type"] == "event" and str(one["subscription_id"]) == \
        subscription
    assert json.loads(one["body"]) == {
        "subscription_id": subscription,
        "event": {"event_hash": "sha256:2", "sequence": 2,
                  "event_type": "intent.resumed"}}


# --- Notices, the log, ceilings -------------------------------------------

def test_notices(db):
    intent = rows.intent(db)
    one = rows.endpoint(db, kind="slack", name="a")
    two = rows.endpoint(db, kind="mail", name="b")
    run(db, "delivery_notices", intent, "s-1", 3, "suspension.asked",
        f"{{{one},{two}}}", '{"","eva@example.org"}', '{"{\\"a\\":1}","{}"}',
        LATER)
    found = {d["endpoint_id"]: d for d in delivered(db)}
    assert found[one]["recipient"] is None and found[one]["body"] == '{"a":1}'
    assert found[two]["recipient"] == "eva@example.org"


def test_again(db):
    intent, endpoint = rows.intent(db), rows.endpoint(db)
    one = rows.delivery(db, endpoint, intent, state="failed", next_at=None,
                        tries=9, ended_at=rows.NOW)
    run(db, "delivery_again", one, LATER)
    found, = delivered(db)
    assert (found["state"], found["tries"], found["ended_at"]) == \
        ("pending", 0, None)
    db.execute("UPDATE endpoint SET removed_at = now()")
    assert run(db, "delivery_again", one, LATER).rowcount == 0


def test_the_ceiling_of_each_sort(db):
    def insert(kind, name, ceiling, agent=None, own=9):
        row = {"id": rows.intent(db), "kind": kind, "name": name,
               "address": f"https://{name}.example", "agent": agent,
               "detail": "title", "every_question": "false",
               "internal": "false", "prefix": "false", "secret": "x",
               "created_at": LATER, "created_by": "x"}
        written = [row.get(f.column) for f in FIELDS["endpoint"]
                   if "INSERT" in f.places]
        return run(db, "endpoint_insert", "[]", "[]", None, kind, ceiling,
                   agent, own, 9, *written).rowcount

    assert [insert("agent", f"a{n}", 2) for n in range(3)] == [1, 1, 0]
    assert [insert(k, k, 2) for k in ("mail", "slack", "webhook")] == [1, 1, 0]
    db.execute("UPDATE endpoint SET removed_at = now() WHERE name = 'a0'")
    assert insert("agent", "a3", 2) == 1
    assert [insert("agent", f"b{n}", 9, "bot", 2) for n in range(3)] == \
        [1, 1, 0]
    assert insert("agent", "c0", 9, "other", 2) == 1


def test_what_is_given_up_with_an_endpoint(db):
    intent = rows.intent(db)
    one, two = rows.endpoint(db), rows.endpoint(db)
    waits = rows.delivery(db, one, intent)
    done = rows.delivery(db, one, intent, state="delivered", next_at=None)
    other = rows.delivery(db, two, intent)
    run(db, "endpoint_give_up", one, LATER)
    found = {d["id"]: d for d in delivered(db)}
    assert found[waits]["state"] == "failed" and found[waits]["answer"]
    assert found[done]["state"] == "delivered"
    assert found[other]["state"] == "pending"


def test_no_endpoint_is_added_while_a_decision_is_written(web, owner):
    """It has looked whether there is one (delivery_told)."""
    with web.transaction(force_rollback=True):
        web.execute(STATEMENTS["delivery_hold"])
        with owner.transaction(force_rollback=True):
            owner.execute("SET LOCAL lock_timeout = '50ms'")
            with pytest.raises(errors.LockNotAvailable):
                owner.execute(STATEMENTS["endpoint_count_lock"])


def test_decisions_do_not_wait_for_each_other_to_tell(web, owner):
    with web.transaction(force_rollback=True):
        web.execute(STATEMENTS["delivery_hold"])
        with owner.transaction(force_rollback=True):
            owner.execute("SET LOCAL lock_timeout = '50ms'")
            owner.execute(STATEMENTS["delivery_hold"])
