"""The ledger's own test: no finding in a right one, and each check finds each
mistake that it is there for."""
import json

import pytest

import ledger
from ledger import (Answer, Arrival, Delivery, Event, Frame, Issued, Learned,
                    Ledger, Pause, Permit, Redemption, Reported, Resumed, Row,
                    Seen, Stream, Token, Use, Wait)


def push(suspension, kind, value):
    return json.dumps({"type": kind, "data": {
        "suspension_id": suspension, "value": value}})


def notice(suspension, attempt, kind="suspension.reminded"):
    return json.dumps({"type": kind, "data": {
        "suspension_id": suspension, "attempt": attempt}})


def event(intent, sequence, kind, suspension=None, **payload):
    return Event(intent, sequence, kind, suspension, payload)


def right():
    """Two operators answer s1 at once; s2 is reminded, escalated, expires.
    The tool calls of s3 are approved and used, those of s4 rejected."""
    book = Ledger(asked={"s1", "s2"}, pushed_to="agents",
                  channels={"desk": "d", "lead": "l"}, until=100.0)
    book.answers = [
        Answer("s1", "mara", "approve", "r1", 200, None),
        Answer("s1", "mara", "approve", "r1", 200, None),  # sent again
        Answer("s1", "paul", "deny", "r2", 409, "suspension.already_decided"),
        Answer("s2", "paul", "deny", "r3", 409, "suspension.expired")]
    book.waits = [Wait("/s1", 5, 4.2, 200),
                  Wait("/s2", 5, 4.9 + ledger.SLACK, 200)]
    book.learned = [Learned("a", "s1", "resolved", "approve"),
                    Learned("b", "s2", "expired", None)]
    book.rows = {
        "s1": Row("s1", "i1", "resolved", "approve", "r1", 1.0, 20.0, 10.0,
                  None, 1),
        "s2": Row("s2", "i2", "expired", None, None, 1.0, 20.0, 20.5, "desk",
                  3)}
    book.events = [
        event("i1", 1, "intent_created"),
        event("i1", 2, "agent_assigned", agent_id="a"),
        event("i1", 3, "status_changed"),
        event("i1", 4, "intent.suspended", "s1"),
        event("i1", 5, "intent.resumed", "s1", value="approve", reason="r1"),
        event("i1", 6, "status_changed", "s1"),
        event("i2", 1, "intent_created"),
        event("i2", 2, "intent.suspended", "s2"),
        event("i2", 3, "intent.suspension_renotified", "s2", attempt=2,
              channel_hint="desk"),
        event("i2", 4, "intent.suspension_escalated", "s2", attempt=3,
              channel_hint="lead"),
        event("i2", 5, "intent.suspension_renotified", "s2", attempt=3,
              channel_hint="lead"),
        event("i2", 6, "intent.suspension_expired", "s2")]
    book.deliveries = [
        Delivery(id, endpoint, suspension, 1, json.loads(body)["type"],
                 "delivered", 1, body)
        for id, endpoint, suspension, body in (
            ("p1", "agents", "s1", push("s1", "intent_authorized",
                                        "approve")),
            ("p2", "agents", "s2", push("s2", "intent_suspension_expired",
                                        None)),
            ("n1", "d", "s2", notice("s2", 1, "suspension.asked")),
            ("n2", "d", "s2", notice("s2", 2)),
            ("n3", "l", "s2", notice("s2", 3, "suspension.escalated")))]
    book.arrivals = [Arrival(d.id, d.endpoint, d.body, None)
                     for d in book.deliveries]
    book.arrivals.append(book.arrivals[0])  # at least once
    book.streams = [
        Stream(intent="i1", after=2, frames=[
            Frame("i1", 3, "STATUS_CHANGED"), Frame("i1", 3, "status_changed"),
            Frame("i1", 4, "intent.suspended"),
            Frame("i1", 5, "intent.resumed"),
            Frame("i1", 6, "STATUS_CHANGED"),
            Frame("i1", 6, "status_changed")]),
        Stream(agent="a", frames=[
            Frame("i1", 2, "AGENT_ASSIGNED"), Frame("i1", 2, "agent_assigned"),
            Frame("i1", 3, "STATUS_CHANGED"), Frame("i1", 3, "status_changed"),
            Frame("i1", 6, "STATUS_CHANGED"),
            Frame("i1", 6, "status_changed")])]
    tool_calls(book)
    return book


def tool_calls(book):
    """Two uses of permit p3, of which one is sent twice, and one too many."""
    book.asked |= {"s3", "s4"}
    book.pauses = [Pause("k3", "c", "s3", "p3", "h3", "i3", 2),
                   Pause("k3", "c", "s3", "p3", "h3", "i3", 2),
                   Pause("k4", "c", "s4", "p4", "h4", "i4", 1)]
    book.answers += [Answer("s3", "mara", "approve", "r4", 200, None),
                     Answer("s4", "mara", "reject", "r5", 200, None)]
    book.resumed = [Resumed("s3", "approve", "authorized", "Running"),
                    Resumed("s4", "reject", "vetoed", "Canceled")]
    book.learned += [Learned("c", "s3", "resolved", "approve"),
                     Learned("c", "s4", "resolved", "reject")]
    book.tokens = [Token("p3", 200, None, "t2"),
                   Token("p4", 400, "access_denied", None)]
    book.uses = [Use("p3", "o1", 201, None, "u1", 1, 1),
                 Use("p3", "o1", 200, None, "u1", 1, 1),
                 Use("p3", "o2", 201, None, "u2", 2, 0),
                 Use("p3", "o3", 409, "permit.spent", None, None, None)]
    book.reported = [Reported("u1", "completed"), Reported("u2", "failed")]
    book.seen = [
        Seen("p3", "spent", 2, (("u2", 2, "failed"), ("u1", 1, "completed"))),
        Seen("p4", "refused", 0, ())]
    for s, i, value, reason in (("s3", "i3", "approve", "r4"),
                                ("s4", "i4", "reject", "r5")):
        book.rows[s] = Row(s, i, "resolved", value, reason, 1.0, 20.0, 10.0,
                           None, 1)
        body = push(s, "intent_resumed", value)
        book.deliveries.append(Delivery(
            f"push {s}", "agents", s, 1, "intent_resumed", "delivered", 1,
            body))
        book.arrivals.append(Arrival(f"push {s}", "agents", body, None))
        book.events += [
            event(i, 1, "intent_created"), event(i, 2, "intent.suspended", s),
            event(i, 3, "intent.resumed", s, value=value, reason=reason,
                  **({"permit": {"permit_id": "p3"}} if s == "s3" else {}))]
    book.events += [
        event("i3", 3 + n, "tool.invoked", permit_id="p3",
              redemption_id=f"u{n}") for n in (1, 2)]
    book.permits = {
        "p3": Permit("p3", "s3", "c", "h3", "i3", "spent", True, 2, 2),
        "p4": Permit("p4", "s4", "c", "h4", "i4", "refused", False, 1, 0)}
    book.redemptions = [Redemption("u1", "p3", 1, "o1", "completed"),
                        Redemption("u2", "p3", 2, "o2", "failed")]
    book.issued = [Issued("t1", "p3", True), Issued("t2", "p3", True)]
    book.calls = {"s3": 1, "s4": 1}


def row(book, id, **other):
    book.rows[id] = book.rows[id]._replace(**other)


def permit(book, id, **other):
    book.permits[id] = book.permits[id]._replace(**other)


def change(items, n, /, **other):
    items[n] = items[n]._replace(**other)


def swap(items, a, b):
    items[a], items[b] = items[b], items[a]


# Which check has to see it, and what is wrong.
WRONG = [
    ("answered_once", "an answer that is gone",
     lambda b: b.rows.pop("s1")),
    ("answered_once", "an answer that is still open",
     lambda b: row(b, "s1", state="pending", value=None, reason=None)),
    ("answered_once", "another value than the one that got the 200",
     lambda b: row(b, "s1", value="deny")),
    ("answered_once", "another's words",
     lambda b: row(b, "s1", reason="r2")),
    ("answered_once", "a row without its event",
     lambda b: b.events.pop(4)),
    ("answered_once", "an event twice",
     lambda b: b.events.append(b.events[4]._replace(sequence=7))),
    ("answered_once", "an event with another value",
     lambda b: b.events[4].payload.update(value="deny")),
    ("decided_once", "two that both got a 200",
     lambda b: change(b.answers, 2, status=200, code=None)),
    ("decided_once", "a 409 for what nobody decided",
     lambda b: row(b, "s1", state="pending")),
    ("decided_once", "a 409 for the one who decided",
     lambda b: row(b, "s1", reason="r2")),
    ("decided_once", "told that it expired, and it was answered",
     lambda b: change(b.answers, 2, code="suspension.expired")),
    ("decided_once", "told that it was answered, and it expired",
     lambda b: change(b.answers, 3, code="suspension.already_decided")),
    ("decided_once", "somebody who never got to know",
     lambda b: change(b.answers, 2, status=503)),
    ("decided_once", "an answer beside the expiry",
     lambda b: b.events.append(Event("i2", 7, "intent.resumed", "s2", {}))),
    ("decided_once", "an expiry twice",
     lambda b: b.events.append(b.events[11]._replace(sequence=7))),
    ("decided_once", "an answer after the end",
     lambda b: row(b, "s1", responded_at=20.0)),
    ("expired_in_time", "open past its time",
     lambda b: row(b, "s2", state="pending")),
    ("expired_in_time", "expired too early",
     lambda b: row(b, "s2", responded_at=19.9)),
    ("asked_is_there", "a question that is gone",
     lambda b: b.rows.pop("s2")),
    ("delivered", "a delivery that did not arrive",
     lambda b: b.arrivals.pop(1)),
    ("delivered", "one that is left",
     lambda b: change(b.deliveries, 0, state="pending")),
    ("delivered", "one that was given up",
     lambda b: change(b.deliveries, 0, state="failed")),
    ("delivered", "a signature that does not hold",
     lambda b: change(b.arrivals, 5, verified="No matching signature found")),
    ("delivered", "an id of its own for the second try",
     lambda b: change(b.arrivals, 5, id="p9")),
    ("delivered", "other bytes than were written",
     lambda b: change(b.arrivals, 5, body="{}")),
    ("delivered", "at somebody else's door",
     lambda b: change(b.arrivals, 2, endpoint="l")),
    ("told_once", "an end that was not pushed",
     lambda b: b.deliveries.pop(0)),
    ("told_once", "an end that was written twice",
     lambda b: b.deliveries.append(b.deliveries[0]._replace(id="p3"))),
    ("told_once", "another value",
     lambda b: row(b, "s1", value="deny")),
    ("told_once", "pushed as answered, and it expired",
     lambda b: change(b.deliveries, 1, type="intent_resumed")),
    ("told_once", "a push for an open question",
     lambda b: row(b, "s1", state="pending")),
    ("told_once", "a push of what is not there",
     lambda b: change(b.deliveries, 0, suspension="s9")),
    ("reminded_once", "a reminder twice on the log",
     lambda b: b.events.insert(9, b.events[8])),
    ("reminded_once", "an escalation twice",
     lambda b: b.events.insert(10, b.events[9])),
    ("reminded_once", "a reminder twice on a channel",
     lambda b: b.deliveries.append(b.deliveries[3]._replace(id="n9"))),
    ("reminded_once", "the question twice on a channel",
     lambda b: b.deliveries.append(b.deliveries[2]._replace(id="n9"))),
    ("reminded_once", "a question that nobody was told of",
     lambda b: b.deliveries.pop(2)),
    ("reminded_once", "a reminder that was not sent",
     lambda b: b.deliveries.pop(4)),
    ("reminded_once", "more attempts than were asked for",
     lambda b: row(b, "s2", max_attempts=2)),
    ("reminded_once", "a reminder after the end",
     lambda b: change(b.events, 10, sequence=7)),
    ("waited_in_time", "a read that hung",
     lambda b: change(b.waits, 1, took=5.1 + ledger.SLACK)),
    ("everybody_learned", "a waiter that learned nothing",
     lambda b: b.learned.pop(0)),
    ("everybody_learned", "a waiter that learned something else",
     lambda b: change(b.learned, 0, value="deny")),
    ("everybody_learned", "a waiter that was told too early",
     lambda b: change(b.learned, 1, state="pending")),
    ("streamed", "a gap",
     lambda b: b.streams[0].frames.pop(2)),
    ("streamed", "an event twice",
     lambda b: b.streams[0].frames.insert(3, b.streams[0].frames[2])),
    ("streamed", "another order",
     lambda b: swap(b.streams[0].frames, 2, 3)),
    ("streamed", "an end that did not come",
     lambda b: b.streams[0].frames.pop()),
    ("streamed", "a frame of the dispatcher twice",
     lambda b: b.streams[0].frames.insert(1, b.streams[0].frames[0])),
    ("streamed", "a frame of the dispatcher lost",
     lambda b: b.streams[0].frames.pop(0)),
    ("streamed", "a frame of the dispatcher after its event",
     lambda b: swap(b.streams[0].frames, 0, 1)),
    ("streamed", "an event of nobody's",
     lambda b: b.streams[0].frames.append(Frame("i1", 7, "comment"))),
    ("streamed", "an agent's gap",
     lambda b: b.streams[1].frames.pop()),
    ("streamed", "an agent's event twice",
     lambda b: b.streams[1].frames.append(b.streams[1].frames[-1])),
    ("streamed", "an agent's events in another order",
     lambda b: b.streams[1].frames.extend(
         [b.streams[1].frames.pop(2), b.streams[1].frames.pop(2)])),
    ("chains_hold", "a broken chain",
     lambda b: setattr(b, "verify", (1, "BROKEN intent i1 sequence 2"))),
    ("chains_hold", "a gap in the log",
     lambda b: b.events.pop(2)),
    ("paused_once", "a check whose question is gone",
     lambda b: b.rows.pop("s3")),
    ("paused_once", "a check whose permit is gone",
     lambda b: b.permits.pop("p4")),
    ("paused_once", "a check without its call",
     lambda b: b.calls.pop("s4")),
    ("paused_once", "a call twice",
     lambda b: b.calls.update(s4=2)),
    ("paused_once", "another handle than was told",
     lambda b: permit(b, "p4", handle="h9")),
    ("paused_once", "more uses than were told",
     lambda b: permit(b, "p3", max_uses=3)),
    ("paused_once", "the permit of another question",
     lambda b: permit(b, "p3", suspension="s4")),
    ("paused_once", "another intent than was told",
     lambda b: row(b, "s4", intent="i9")),
    ("paused_once", "a check that was sent again and asked twice",
     lambda b: change(b.pauses, 2, key="k3")),
    ("paused_once", "a permit that nobody asked for",
     lambda b: b.pauses.pop()),
    ("paused_once", "a question that nobody asked",
     lambda b: b.calls.update(s9=1)),
    ("granted_by_approval", "an approval without a grant",
     lambda b: permit(b, "p3", state="asked", granted=False)),
    ("granted_by_approval", "a grant after a rejection",
     lambda b: permit(b, "p4", state="active", granted=True)),
    ("granted_by_approval", "a rejected permit that is still asked for",
     lambda b: permit(b, "p4", state="asked")),
    ("granted_by_approval", "a grant of silence",
     lambda b: row(b, "s3", state="expired", value=None)),
    ("granted_by_approval", "a grant before the answer",
     lambda b: row(b, "s3", state="pending", value=None)),
    ("granted_by_approval", "a permit without a question",
     lambda b: b.rows.pop("s4")),
    ("granted_by_approval", "a grant twice on the log",
     lambda b: b.events.append(event("i3", 6, "intent.resumed", "s3",
                                     permit={"permit_id": "p3"}))),
    ("granted_by_approval", "a grant of a rejection on the log",
     lambda b: b.events.append(event("i4", 4, "intent.resumed", "s4",
                                     permit={"permit_id": "p4"}))),
    ("granted_by_approval", "a token of what was rejected",
     lambda b: b.issued.append(Issued("t4", "p4", False))),
    ("granted_by_approval", "a use of what was rejected",
     lambda b: b.redemptions.append(
         Redemption("u4", "p4", 1, "o4", None))),
    ("resumed_as_told", "an approval that said no",
     lambda b: change(b.resumed, 0, outcome="vetoed")),
    ("resumed_as_told", "a rejection after which the task goes on",
     lambda b: change(b.resumed, 1, task="Running")),
    ("resumed_as_told", "an approval of what was rejected",
     lambda b: row(b, "s3", value="reject")),
    ("resumed_as_told", "a rejection of what is open",
     lambda b: row(b, "s4", state="pending", value=None)),
    ("resumed_as_told", "an approval without an active permit",
     lambda b: permit(b, "p3", state="refused", granted=False)),
    ("resumed_as_told", "a rejection with an active permit",
     lambda b: permit(b, "p4", state="active", granted=True)),
    ("tokens_of_grants", "a token of what was rejected",
     lambda b: change(b.tokens, 1, status=200, sha256="t1")),
    ("tokens_of_grants", "no token of what was approved",
     lambda b: change(b.tokens, 0, status=400, code="access_denied",
                      sha256=None)),
    ("tokens_of_grants", "a token that is not there",
     lambda b: b.issued.pop(1)),
    ("tokens_of_grants", "a token of another permit",
     lambda b: change(b.issued, 1, permit="p4")),
    ("tokens_of_grants", "two tokens that live",
     lambda b: [permit(b, "p3", state="active"), *(
         change(b.issued, n, ended=False) for n in (0, 1))]),
    ("tokens_of_grants", "a token that lives after the last use",
     lambda b: change(b.issued, 1, ended=False)),
    ("used_as_counted", "a use that was not counted",
     lambda b: permit(b, "p3", used=1, state="active")),
    ("used_as_counted", "a count without its use",
     lambda b: b.redemptions.pop()),
    ("used_as_counted", "a number twice",
     lambda b: change(b.redemptions, 1, n=1)),
    ("used_as_counted", "an operation twice",
     lambda b: change(b.redemptions, 1, operation="o1")),
    ("used_as_counted", "more uses than were allowed",
     lambda b: permit(b, "p3", max_uses=1)),
    ("used_as_counted", "a spent permit with uses left",
     lambda b: permit(b, "p3", max_uses=3)),
    ("used_as_counted", "an active permit without uses left",
     lambda b: permit(b, "p3", state="active")),
    ("used_as_counted", "a use that is not on the log",
     lambda b: b.events.pop()),
    ("used_as_counted", "a use twice on the log",
     lambda b: b.events.append(b.events[-1]._replace(sequence=7))),
    ("used_as_counted", "a use of no permit",
     lambda b: b.permits.pop("p3")),
    ("uses_as_told", "a use that is gone",
     lambda b: b.redemptions.pop(0)),
    ("uses_as_told", "another id for the same operation",
     lambda b: change(b.uses, 1, redemption="u9")),
    ("uses_as_told", "another number",
     lambda b: change(b.uses, 0, n=2)),
    ("uses_as_told", "more uses left than there are",
     lambda b: change(b.uses, 2, left=1)),
    ("uses_as_told", "a use that nobody was told of",
     lambda b: b.uses.pop(2)),
    ("uses_as_told", "a use that was refused and counted",
     lambda b: change(b.uses, 3, operation="o2")),
    ("uses_as_told", "told that it is spent, and it is not",
     lambda b: permit(b, "p3", state="active")),
    ("uses_as_told", "a gateway that never got to know",
     lambda b: change(b.uses, 3, status=401, code="token.expired")),
    ("results_are_there", "a result that is gone",
     lambda b: change(b.redemptions, 0, result=None)),
    ("results_are_there", "another result",
     lambda b: change(b.redemptions, 1, result="completed")),
    ("results_are_there", "a result that nobody reported",
     lambda b: b.reported.pop()),
    ("results_are_there", "a result of no use",
     lambda b: b.redemptions.pop()),
    ("seen_as_it_is", "another state",
     lambda b: permit(b, "p4", state="asked")),
    ("seen_as_it_is", "another count",
     lambda b: change(b.seen, 0, used=1)),
    ("seen_as_it_is", "a use that was not shown",
     lambda b: change(b.seen, 0, uses=(("u1", 1, "completed"),))),
    ("seen_as_it_is", "another result",
     lambda b: change(b.redemptions, 0, result="failed")),
    ("seen_as_it_is", "a permit that is gone",
     lambda b: b.permits.pop("p4")),
    ("seen_as_it_is", "a permit that nobody has read",
     lambda b: b.seen.pop()),
]


@pytest.mark.parametrize("name", ledger.CHECKS)
def test_nothing_is_wrong(name):
    assert ledger.wrong(right(), name) == []


@pytest.mark.parametrize("name, what, spoil", WRONG,
                         ids=[f"{name}: {what}" for name, what, _ in WRONG])
def test_it_is_noticed(name, what, spoil):
    book = right()
    spoil(book)
    assert ledger.wrong(book, name), what


def test_every_check_can_fail():
    assert {name for name, _, _ in WRONG} == set(ledger.CHECKS)
