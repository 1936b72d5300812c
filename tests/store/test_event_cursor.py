"""The tail of all events: in order, nothing skipped, nothing twice."""
import json

import pytest
import rows
from server import TOP
from statements import STATEMENTS

PAGE = (500, 8 << 20)
NIL = "00000000-0000-0000-0000-000000000000"


def run(db, name, *values):
    db.execute("DEALLOCATE ALL")
    db.execute(f"PREPARE one AS {STATEMENTS[name]}".encode())
    given = ", ".join("NULL" if v is None else f"'{v}'" for v in values)
    return db.execute(f"EXECUTE one{f'({given})' if given else ''}").fetchall()


@pytest.fixture
def wait(server):
    """As the process that holds streams."""
    with server.database("sayso_wait") as db:
        yield db


def now(db):
    return (run(db, "event_cursor_now")[0][0], NIL, 0)


def behind(db, cursor, page=PAGE):
    """(intent, sequence) of what the tail gives, and the rows."""
    got = run(db, "event_cursor_read", *cursor, *page)
    return [(str(r[1]), r[2]) for r in got], got


def cursor_of(row):
    return (row[0], row[1], row[2])


def test_what_commits_from_now_on_is_behind_now(web, wait):
    intent = rows.intent(web)
    rows.event(web, intent, 1)
    start = now(wait)
    assert behind(wait, start)[0] == []
    rows.event(web, intent, 2)
    rows.event(web, intent, 3)
    assert behind(wait, start)[0] == [(intent, 2), (intent, 3)]


def test_one_that_commits_late_is_not_skipped(server, web, wait):
    """It took its number first and commits last: no later event is returned
    before it commits."""
    slow, quick = rows.intent(web), rows.intent(web)
    start = now(wait)
    with server.database("sayso_web") as other:
        other.autocommit = False
        rows.event(other, slow, 1)
        rows.event(web, quick, 1)
        assert behind(wait, start)[0] == []
        assert now(wait) == (start[0], NIL, 0)
        other.commit()
    assert behind(wait, start)[0] == [(slow, 1), (quick, 1)]


def test_one_that_was_rolled_back_holds_nothing_up(server, web, wait):
    intent = rows.intent(web)
    start = now(wait)
    with server.database("sayso_web") as other:
        other.autocommit = False
        rows.event(other, intent, 1)
        other.rollback()
    rows.event(web, intent, 1)
    assert behind(wait, start)[0] == [(intent, 1)]


def test_pages_join_without_gap_or_double(web, wait):
    intents = sorted(rows.intent(web) for _ in range(3))
    start = cursor = now(wait)
    with web.transaction():
        for intent in reversed(intents):
            for k in range(1, 4):
                rows.event(web, intent, k)
    rows.event(web, intents[0], 4)
    want = [(i, k) for i in intents for k in (1, 2, 3)] + [(intents[0], 4)]
    assert behind(wait, start)[0] == want
    seen = []
    while page := run(wait, "event_cursor_read", *cursor, 4, PAGE[1]):
        assert len(page) <= 4
        seen += [(str(r[1]), r[2]) for r in page]
        cursor = cursor_of(page[-1])
    assert seen == want


def test_a_page_ends_by_its_bytes(web, wait):
    """With the event that reaches them: a page is never empty for that."""
    intent = rows.intent(web)
    start = now(wait)
    for k in range(1, 6):
        rows.event(web, intent, k, canonical=json.dumps({"x": "y" * 990}))
    ask = lambda most: behind(wait, start, (500, most))[0]  # noqa: E731
    assert ask(1) == [(intent, 1)]
    assert ask(999) == [(intent, 1)]
    assert ask(1001) == [(intent, 1), (intent, 2)]
    assert ask(2500) == [(intent, 1), (intent, 2), (intent, 3)]
    assert len(run(wait, "event_cursor_intent", intent, 0, 500, 2500)) == 3


def test_the_questions_record_counts_and_comes_along(web, superuser, wait):
    intent = rows.intent(web)
    start = now(wait)
    record = json.dumps({"id": "q1", "question": "?" * 2000})
    question = rows.suspension(superuser, intent, asked_sequence=1,
                               record=record)
    rows.event(web, intent, 1, event_type="intent.suspended")
    rows.event(web, intent, 2, event_type="intent.suspension_renotified")
    rows.event(web, intent, 3, event_type="intent.suspension_expired",
               canonical=json.dumps({"payload": {"suspension_id": question}}))
    rows.event(web, intent, 4, event_type="intent.suspension_expired",
               canonical=json.dumps({"payload": {}}))
    records = [r[6] for r in behind(wait, start)[1]]
    assert records == [record, None, record, None]
    assert len(behind(wait, start, (500, 2000))[1]) == 1


def test_who_is_assigned_and_the_version_come_along(web, wait):
    intent, alone = rows.intent(web, version=7), rows.intent(web)
    for n, agent in enumerate(["b", "a\"\\", "c"]):
        rows.insert(web, "assignment", {
            "intent_id": intent, "agent_id": agent, "assigned_by": "x",
            "assigned_at": f"2026-11-20T09:00:0{n}Z"})
    start = now(wait)
    rows.event(web, intent, 1)
    rows.event(web, alone, 1)
    got = [(r[7], r[8]) for r in behind(wait, start)[1]]
    assert got == [(["a\"\\", "b", "c"], 7), ([], 1)]


def test_of_one_intent_behind_a_sequence(web, wait):
    intent, other = rows.intent(web), rows.intent(web)
    for k in range(1, 6):
        rows.event(web, intent, k)
        rows.event(web, other, k)
    get = lambda *a: [(str(r[1]), r[2]) for r in  # noqa: E731
                      run(wait, "event_cursor_intent", *a)]
    assert get(intent, 3, *PAGE) == [(intent, 4), (intent, 5)]
    assert get(intent, 0, 2, PAGE[1]) == [(intent, 1), (intent, 2)]
    assert get(intent, 5, *PAGE) == []


def test_what_a_dump_brought_is_old(superuser, web, wait):
    """The transactions that wrote it are another cluster's, and to come
    here."""
    intent = rows.intent(web)
    rows.event(superuser, intent, 1, xid="99999999999")
    start = now(wait)
    for _ in range(2):
        superuser.execute((TOP / "sql/after_restore.sql").read_text())
    (xid,), = superuser.execute(
        "SELECT xid::text FROM event WHERE intent_id = %s",
        [intent]).fetchall()
    assert xid == "3" and behind(wait, start)[0] == []
    with pytest.raises(Exception, match="append only"):
        superuser.execute("DELETE FROM event WHERE intent_id = %s", [intent])
