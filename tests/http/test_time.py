"""Silence, by a clock that the test moves: reminders, escalation, expiry,
leases, and what is thrown away. Days pass in moments here."""
import collections
import json
import os
import pathlib
import re
import signal
import subprocess
import time
import urllib.parse

import pytest

import kit
from kit import (answer, ask, asleep, events, get, new_intent, patch, put,
                 read, record, refused, respond, suspend, types, wait_for)
from page import login_data
from proofs import GRANT, Key, OAuth
from server import place

HOUR = 3600
DAY = 24 * HOUR
REMINDED = "intent.suspension_renotified"
ESCALATED = "intent.suspension_escalated"
EXPIRED = "intent.suspension_expired"
TOLD = (REMINDED, ESCALATED, EXPIRED)


CHANNELS = ("desk", "floor", "mail", "c2", "c4", "c9", "keys", "late")


@pytest.fixture(scope="module")
def server(clock):
    """With channels to people that a ladder may name; nobody is there."""
    one = kit.Watched(place("time"), **clock.setting).start()
    with one.database() as db:
        for name in CHANNELS:
            endpoint(db, "webhook", name, notify_to=["*"])
    yield one
    verified = one.sayso("verify")
    one.stop()
    assert verified.returncode == 0, verified.stdout
    # Its tests kill the clock, and nothing else may die.
    assert not [x for x in kit.complaints(one)
                if not x.endswith("ended by signal 9") or "tick" not in x]


def endpoint(db, kind, name, **columns):
    row = {"id": kit.new_id(), "kind": kind, "name": name,
           "address": f"https://{name}.invalid", "secret": "whsec_AAAA",
           "created_at": "2026-11-20T09:00:00Z", "created_by": "x", **columns}
    db.execute(f"INSERT INTO endpoint ({', '.join(row)}) VALUES "
               f"({', '.join(['%s'] * len(row))})", list(row.values()))
    return row["id"]


def policy(attempts, interval, **more):
    return {"max_attempts": attempts, "interval_seconds": interval, **more}


def until(client, asked, **wanted):
    """Reads a question until it is as wanted."""
    def seen():
        found = read(client, asked)
        return found if wanted.items() <= found.items() else None

    return wait_for(seen)


def told(client, asked):
    """The clock's events of a question, oldest first."""
    found = events(client, asked["intent_id"])
    return [(e["event_type"], e["payload"]) for e in reversed(found)
            if e["event_type"] in TOLD]


# --- Reminders ------------------------------------------------------------

def test_the_trace_of_a_question_that_expires(clock, server, agent):
    """It goes on with the message about the end."""
    to = kit.made(agent.post("/api/v1/endpoints", json={
        "name": "x", "url": "https://agent.example/"}))["endpoint_id"]
    trace = f"00-{'4b' * 16}-{'0a' * 8}-01"
    asked = ask(agent, timeout_seconds=60, headers={"traceparent": trace})
    clock.forward(seconds=61)
    with server.database() as db:
        found = wait_for(lambda: db.execute(
            "SELECT type, traceparent FROM delivery WHERE suspension_id = %s",
            [asked["suspension_id"]]).fetchall())
    assert agent.delete(f"/api/v1/endpoints/{to}").status_code in (200, 204)
    assert found == [("intent_suspension_expired", trace)]


def test_a_ladder_of_72_hours(clock, agent):
    asked = ask(agent, channel_hint="desk", retry_policy=policy(
        3, DAY, escalation_ladder=[
            {"attempt": 2, "channel_hint": "floor"},
            {"after_attempt": 3, "channel": "mail", "notify": "lead@x.org"}],
        final_fallback_policy="complete_with_fallback"),
        fallback_value="deny")
    begun = time.monotonic()
    assert asked["attempt"] == 1
    assert asked["retry_policy"]["escalation_ladder"][1] == {
        "attempt": 3, "channel_hint": "mail", "notify_to": "lead@x.org"}
    clock.forward(hours=23)
    time.sleep(0.6)
    assert told(agent, asked) == []

    clock.forward(hours=1)
    second = until(agent, asked, attempt=2)
    clock.forward(hours=24)
    third = until(agent, asked, attempt=3)
    clock.forward(hours=24)
    end = until(agent, asked, state="expired")
    assert time.monotonic() - begun < 60

    assert second["channel_hint"] == "floor"
    assert second["next_attempt_at"] > asked["next_attempt_at"]
    assert third["channel_hint"] == "mail"
    assert third["next_attempt_at"] is None
    assert end["outcome"] == "fallback" and end["value"] == "deny"
    assert end["responded_by"] == end["responded_via"] == "clock"
    id = asked["suspension_id"]
    naive = second["next_attempt_at"].rstrip("Z")
    assert told(agent, asked) == [
        (ESCALATED, {"suspension_id": id, "attempt": 2,
                     "escalated_to": None, "channel_hint": "floor"}),
        (REMINDED, {"suspension_id": id, "attempt": 2, "max_attempts": 3,
                    "channel_hint": "floor", "notify_to": None,
                    "next_attempt_at": naive}),
        (ESCALATED, {"suspension_id": id, "attempt": 3,
                     "escalated_to": "lead@x.org", "channel_hint": "mail"}),
        (REMINDED, {"suspension_id": id, "attempt": 3, "max_attempts": 3,
                    "channel_hint": "mail", "notify_to": "lead@x.org",
                    "next_attempt_at": None}),
        (EXPIRED, {"suspension_id": id, "attempts": 3, "reason": "timeout",
                   "fallback_policy": "complete_with_fallback",
                   "fallback_value": "deny"})]


def test_a_reminder_is_no_change_of_the_intent(clock, agent, operator):
    intent, suspension = suspend(agent, retry_policy=policy(3, HOUR))
    clock.forward(hours=1)
    asked = {"suspension_id": suspension, "intent_id": intent["id"]}
    until(agent, asked, attempt=2)
    assert get(agent, intent) == {**get(agent, intent),
                                  "version": intent["version"],
                                  "status": intent["status"],
                                  "state": intent["state"]}
    # The first question can be answered at any time before the end, and
    # whoever has answered is not reminded.
    assert respond(operator, intent, suspension, "deny").status_code == 200
    clock.forward(hours=3)
    time.sleep(0.6)
    assert [t for t, _ in told(agent, asked)] == [REMINDED]


def test_an_hours_outage(server, clock, agent):
    """Caught up in order, and one reminder for each question."""
    ladder = [{"attempt": n, "channel_hint": f"c{n}", "notify_to": f"p{n}"}
              for n in (2, 4, 9)]
    with asleep(server, "tick"):
        asked = ask(agent, retry_policy=policy(10, 600,
                                               escalation_ladder=ladder))
        ended = [ask(agent, timeout_seconds=HOUR - 60 * n) for n in range(5)]
        clock.forward(hours=1)
        # The clock stands still, but nobody answers too late.
        assert read(agent, ended[0])["state"] == "pending"
    seen = until(agent, asked, attempt=7)
    for one in ended:
        until(agent, one, state="expired")
    assert [(t, p["attempt"]) for t, p in told(agent, asked)] == [
        (ESCALATED, 2), (ESCALATED, 4), (REMINDED, 7)]
    payload = told(agent, asked)[-1][1]
    assert payload["channel_hint"] == "c4" and payload["notify_to"] == "p4"
    assert payload["next_attempt_at"] == seen["next_attempt_at"].rstrip("Z")
    with server.database() as db:
        order = db.execute(
            "SELECT intent_id::text FROM event WHERE event_type = %s AND "
            "intent_id = ANY (%s) ORDER BY xid, ctid",
            [EXPIRED, [one["intent_id"] for one in ended]]).fetchall()
    assert [x for x, in order] == [one["intent_id"]
                                   for one in reversed(ended)]
    # The outage was no longer than the rest of the ladder: it goes on.
    clock.forward(minutes=20)
    until(agent, asked, attempt=9)
    clock.forward(minutes=20)
    assert until(agent, asked, state="expired")
    assert [(t, p.get("attempt")) for t, p in told(agent, asked)][3:] == [
        (ESCALATED, 9), (REMINDED, 9), (EXPIRED, None)]
    assert told(agent, asked)[-1][1]["attempts"] == 9


@pytest.fixture
def queued(server):
    """The deliveries of a question to its agent and to people, oldest first."""
    with server.database() as db:
        id = endpoint(db, "agent", "agent", agent="refunds-agent")

        def rows(asked):
            return db.execute(
                "SELECT e.name, d.type, recipient, event_sequence, body FROM "
                "delivery d JOIN endpoint e ON e.id = d.endpoint_id WHERE "
                "suspension_id = %s ORDER BY event_sequence, d.type",
                [asked["suspension_id"]]).fetchall()

        yield rows
        db.execute("UPDATE endpoint SET removed_at = now() WHERE id = %s",
                   [id])


def test_people_and_the_agent_are_told(clock, agent, queued):
    asked = ask(agent, channel_hint="floor", title="A title",
                retry_policy=policy(3, HOUR, escalation_ladder=[
                    {"attempt": 3, "channel_hint": "mail",
                     "notify_to": "lead@example.org"}]))
    assert [x[:2] for x in queued(asked)] == [("floor", "suspension.asked")]
    for attempt in (2, 3):
        clock.forward(hours=1)
        until(agent, asked, attempt=attempt)
    clock.forward(hours=1)
    until(agent, asked, state="expired")
    told = queued(asked)[1:]
    assert [x[:3] for x in told] == [
        ("floor", "suspension.reminded", None),
        ("mail", "suspension.escalated", "lead@example.org"),
        ("agent", "intent_suspension_expired", None)]
    sequence = {e["event_type"]: e["sequence"] for e in
                reversed(events(agent, asked["intent_id"]))}
    assert told[1][3] == sequence[REMINDED]
    assert told[2][3] == sequence["status_changed"]
    for one in told[:2]:
        body = json.loads(one[4])
        assert body["type"] == one[1]
        assert asked["url"] in one[4] and "A title" in one[4]


def test_after_the_end_nobody_is_reminded(server, clock, agent):
    with asleep(server, "tick"):
        asked = ask(agent, retry_policy=policy(3, HOUR))
        clock.forward(hours=4)
    until(agent, asked, state="expired")
    assert told(agent, asked) == [
        (EXPIRED, {"suspension_id": asked["suspension_id"], "attempts": 1,
                   "fallback_policy": "fail", "reason": "timeout"})]


# --- The end --------------------------------------------------------------

@pytest.mark.parametrize("fallback, status", [
    ("fail", "abandoned"), ("complete_with_fallback", "active"),
    ("use_default_and_continue", "active")])
@pytest.mark.parametrize("openintent", [True, False])
def test_silence(clock, agent, operator, fallback, status, openintent):
    more = {"timeout_seconds": HOUR, "fallback_policy": fallback,
            "fallback_value": "deny"}
    if openintent:
        intent, suspension = suspend(agent, **more)
        asked = {"suspension_id": suspension, "intent_id": intent["id"]}
    else:
        asked = ask(agent, **more)
        intent = get(agent, {"id": asked["intent_id"]})
    clock.forward(minutes=59)
    time.sleep(0.4)
    assert read(agent, asked)["state"] == "pending"
    clock.forward(minutes=1)
    end = until(agent, asked, state="expired")
    now = get(agent, intent)
    assert now["status"] == status
    assert now["version"] == intent["version"] + 1
    assert now["state"]["_suspension"]["resolution"] == "expired"
    assert end["value"] == (None if fallback == "fail" else "deny")
    assert types(agent, intent["id"])[-2:] == [EXPIRED, "status_changed"]
    refused(respond(operator, intent, asked["suspension_id"], "approve"), 409,
            "suspension.expired")
    assert get(agent, intent) == now


def test_one_attempt_without_an_interval_is_a_plain_timeout(clock, agent):
    """As the SDK means it, whose client then polls for ever."""
    intent, suspension = suspend(
        agent, timeout_seconds=HOUR, retry_policy=policy(
            1, 0, strategy="fixed", final_fallback_policy="fail"))
    asked = {"suspension_id": suspension, "intent_id": intent["id"]}
    clock.forward(hours=1)
    until(agent, asked, state="expired")
    assert [t for t, _ in told(agent, asked)] == [EXPIRED]


def test_it_is_told_on_the_page(server, clock, agent):
    person = kit.new_id()
    made = server.sayso("operator", "create", "--email",
                        f"{person}@example.com", "--name", "Reader",
                        "--password-stdin", input=person + "\n")
    assert made.returncode == 0, made.stderr
    asked = ask(agent, retry_policy=policy(3, HOUR, escalation_ladder=[
        {"attempt": 2, "channel_hint": "floor", "notify_to": "lead"}]))
    clock.forward(hours=1)
    until(agent, asked, attempt=2)
    with server.client(headers={"Accept": "text/html"}) as browser:
        data = login_data(browser, email=f"{person}@example.com",
                          password=person)
        assert browser.post("/login", data=data).status_code == 303
        for path, words in ((f"/intents/{asked['intent_id']}",
                             ("Request escalated", "Reminder sent")),
                            (f"/suspensions/{asked['suspension_id']}",
                             ("Escalated", "Reminder sent"))):
            text = re.sub(r"<[^>]*>", " ", browser.get(path).text)
            for word in words + ("attempt 2 of 3", "via floor",
                                 "to lead", "next on"):
                assert word in text, (path, word)
        # Signed in fourteen days ago is no longer signed in, and a day
        # later nothing is left of it.
        assert session_count(server) > 0
        clock.forward(days=14)
        assert browser.get("/inbox").status_code == 303
        clock.forward(days=1, seconds=5)
        wait_for(lambda: session_count(server) == 0)


def session_count(server):
    with server.database() as db:
        return db.execute("SELECT count(*) FROM operator_session"
                          ).fetchone()[0]


# --- What is refused ------------------------------------------------------

BAD = [
    ({"retry_policy": policy(3, 0)}, "retry.interval",
     "retry_policy.interval_seconds"),
    ({"retry_policy": {"max_attempts": 2}}, "retry.interval",
     "retry_policy.interval_seconds"),
    ({"retry_policy": policy(100, 31622400)}, "retry.window",
     "retry_policy.interval_seconds"),
    ({"retry_policy": {"interval_seconds": 5, "escalation_ladder": [
        {"attempt": 2}]}}, "retry.attempt",
     "retry_policy.escalation_ladder"),
]


@pytest.mark.parametrize("body, code, at", BAD)
def test_what_contradicts_itself_at_both_doors(agent, body, code, at):
    asked = {"question": "Refund?", "choices": kit.CHOICES, **body}
    asked = {k: v for k, v in asked.items() if v is not None}
    refused(agent.post("/api/v1/suspensions", json=asked), 422, code, at)
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = {k: v for k, v in record(**body).items() if v is not None}
    refused(patch(agent, intent, put("_suspension", wanted)), 422, code, at)
    assert get(agent, intent) == intent


@pytest.mark.parametrize("ladder, at", [
    ([{"attempt": 0}], "[0].attempt"),
    ([{"attempt": 4}], "[0].attempt"),
    ([{"after_attempt": 4}], "[0].after_attempt"),
    ([{"attempt": 2}, {"attempt": 2}], "[1].attempt"),
    ([{"attempt": 2}, {"notify_to": "x"}], "[1].attempt"),
    ([{"attempt": 2, "notify_to": "x" * 255}], "[0].notify_to"),
    ([{"attempt": 2, "channel_hint": 5}], "[0].channel_hint"),
    ([3], "[0]"), ([{"attempt": 2}] * 11, "")])
def test_a_ladder_that_cannot_be(agent, ladder, at):
    body = policy(3, 60, escalation_ladder=ladder)
    path = "retry_policy.escalation_ladder" + at
    refused(agent.post("/api/v1/suspensions",
                       json={"question": "?", "retry_policy": body}), 422,
            None, path)
    intent = new_intent(agent, "suspended_awaiting_input")
    refused(patch(agent, intent, put("_suspension",
                                     record(retry_policy=body))), 422, None,
            "_suspension." + path)


def test_what_the_sdk_sends_is_not_refused(agent):
    """Its policy says 3600 seconds where its user says nothing, whatever the
    timeout; at the native door somebody meant it."""
    body = {"timeout_seconds": 300, "retry_policy": policy(3, 3600)}
    suspend(agent, **body)
    suspend(agent, fallback_policy="complete_with_fallback")
    refused(agent.post("/api/v1/suspensions", json={"question": "?", **body}),
            422, "retry.interval", "retry_policy.interval_seconds")


# --- Defaults -------------------------------------------------------------

KEYS = {"interval_seconds": 600, "escalation_ladder": [
    {"attempt": 2, "channel_hint": "keys", "notify_to": ""},
    {"attempt": 9, "channel_hint": "late", "notify_to": ""}]}
SERVERS = {"max_attempts": 3, "interval_seconds": 900, "strategy": "servers",
           "final_fallback_policy": "use_default_and_continue"}


@pytest.fixture(scope="module")
def keyed(server):
    key = server.key("agent", "--agent", "keyed-agent", "--retry-policy",
                     json.dumps(KEYS))
    with server.client(headers={"X-API-Key": key}) as client:
        yield client


def configure(server, line):
    """Replaces the default in the configuration, and reloads."""
    conf = server.state / "sayso.conf"
    lines = [x for x in conf.read_text().splitlines()
             if not x.startswith("default_retry_policy")]
    conf.write_text("\n".join(lines + ([line] if line else [])) + "\n")
    os.kill(server.supervisor(), signal.SIGHUP)


def reconfigure(server, line):
    """The same, until no worker is left that knows the old one."""
    old = set(server.workers())
    configure(server, line)
    wait_for(lambda: server.workers() and not old & set(server.workers()))


def published(client):
    return client.get("/api/v1/server/config").json()["suspension"][
        "default_retry_policy"]


@pytest.fixture
def defaults(server, agent):
    assert published(agent) is None
    reconfigure(server, f"default_retry_policy = {json.dumps(SERVERS)}")
    assert published(agent) == SERVERS
    yield
    reconfigure(server, None)
    assert published(agent) is None


FIRST = KEYS["escalation_ladder"][:1]


@pytest.mark.parametrize("body, is_policy", [
    ({}, policy(3, 600, strategy="servers", escalation_ladder=FIRST,
                final_fallback_policy="use_default_and_continue")),
    ({"timeout_seconds": 60, "fallback_policy": "fail"},
     policy(3, 60, strategy="servers", escalation_ladder=FIRST,
            final_fallback_policy="fail")),
    ({"retry_policy": {"max_attempts": 2}, "timeout_seconds": 60},
     policy(2, 60, strategy="servers", escalation_ladder=FIRST,
            final_fallback_policy="use_default_and_continue")),
    ({"retry_policy": {"max_attempts": 1, "strategy": "own"}},
     policy(1, 600, strategy="own",
            final_fallback_policy="use_default_and_continue")),
    ({"retry_policy": policy(9, 5, escalation_ladder=[],
                             final_fallback_policy="fail")},
     policy(9, 5, strategy="servers", final_fallback_policy="fail")),
])
def test_what_a_question_inherits(keyed, defaults, body, is_policy):
    asked = ask(keyed, fallback_value="deny", **body)
    assert asked["retry_policy"] == is_policy
    assert asked["fallback_policy"] == is_policy["final_fallback_policy"]
    payload = events(keyed, asked["intent_id"], limit=1)[0]["payload"]
    assert payload["retry_policy"] == is_policy
    mirror = get(keyed, {"id": asked["intent_id"]})["state"]["_suspension"]
    assert is_policy.items() <= mirror["retry_policy"].items()


def test_an_inherited_fallback_is_checked_too(keyed, defaults):
    refused(keyed.post("/api/v1/suspensions", json={"question": "?"}), 422,
            "field.missing", "fallback_value")


def test_another_key_inherits_the_servers_alone(agent, defaults):
    asked = ask(agent, fallback_value="deny")
    assert asked["retry_policy"] == SERVERS


def test_without_the_servers_default_the_keys_counts(keyed, agent):
    assert published(agent) is None
    assert ask(keyed)["retry_policy"] == policy(
        1, 600, strategy="fixed", final_fallback_policy="fail")
    assert ask(agent)["retry_policy"] is None


@pytest.mark.parametrize("bad", [
    '{"max_attempts": 0}', '{"max_attempts": 3}', '{"max_attempts": }',
    '{"interval_seconds": 60, "final_fallback_policy": "yes"}',
    '{"max_attempts": 2, "interval_seconds": 31622400}',
    '{"escalation_ladder": [{"attempt": 0}]}'])
def test_a_default_that_cannot_be(server, agent, bad):
    made = server.sayso("key", "create", "--role", "agent", "--agent", "x",
                        "--label", "x", "--retry-policy", bad)
    assert made.returncode == 2 and "--retry-policy" in made.stderr
    before = server.log().count("reload failed")
    configure(server, f"default_retry_policy = {bad}")
    wait_for(lambda: server.log().count("reload failed") > before)
    assert "configuration: default_retry_policy: " in server.log()
    assert published(agent) is None
    reconfigure(server, None)


def test_a_policy_belongs_to_agents_and_is_listed(server, keyed):
    for role in ("operator", "admin"):
        made = server.sayso("key", "create", "--role", role, "--label", "x",
                            "--retry-policy", "{}")
        assert made.returncode == 2, made.stdout
    made = server.sayso("key", "create", "--role", "agent", "--agent", "x",
                        "--label", "x", "--retry-policy",
                        '{"strategy": "' + "x" * 1500 + '"}')
    assert made.returncode == 2
    rows = [x.split("\t") for x in
            server.sayso("key", "list").stdout.splitlines()]
    at = rows[0].index("retry policy")
    flags = {x[4]: x[at] for x in rows[1:]}
    assert flags["keyed-agent"] == "yes" and flags["*"] == "no"


# --- The SDK's own posts --------------------------------------------------

def echo(client, asked, kind, attempt):
    r = client.post(f"/api/v1/intents/{asked['intent_id']}/events", json={
        "event_type": kind, "payload": {
            "suspension_id": asked["suspension_id"], "attempt": attempt,
            "max_attempts": 3, "channel_hint": None, "notify_to": "x",
            "next_attempt_at": "2026-11-20T09:26:13Z"}})
    assert r.status_code == 200, r.text
    return r.json()


def test_reminders_that_the_sdk_posts_are_no_second_ones(clock, agent):
    asked = ask(agent, retry_policy=policy(3, HOUR, escalation_ladder=[
        {"attempt": n, "notify_to": f"p{n}"} for n in (2, 3)]))
    # Ahead of the server there is only the question itself.
    assert echo(agent, asked, REMINDED, 2)["event_type"] == "intent.suspended"
    for attempt in (2, 3):
        clock.forward(hours=1)
        until(agent, asked, attempt=attempt)
    listed = events(agent, asked["intent_id"])
    stored = {(e["event_type"], e["payload"].get("attempt")): e
              for e in listed}
    for kind in (REMINDED, ESCALATED):
        for attempt in (2, 3, 2):
            assert echo(agent, asked, kind, attempt) == stored[kind, attempt]
        # Not come to yet, or said wrongly: the newest one.
        for attempt in (4, None, "2"):
            assert echo(agent, asked, kind, attempt) == stored[kind, 3]
    assert events(agent, asked["intent_id"]) == listed


# --- Leases ---------------------------------------------------------------

def acquire(client, intent, scope="refunds", seconds=60):
    r = client.post(f"/api/v1/intents/{intent['id']}/leases",
                    json={"scope": scope, "duration_seconds": seconds})
    assert r.status_code == 201, r.text
    return r.json()


def renew(client, lease):
    return client.patch(f"/api/v1/intents/{lease['intent_id']}/leases/"
                        f"{lease['id']}", json={"duration_seconds": 60})


def status(server, lease):
    with server.database() as db:
        return db.execute("SELECT status FROM lease WHERE id = %s",
                          [lease["id"]]).fetchone()[0]


def test_a_lapsed_lease_is_told_once(server, clock, agent):
    intent = new_intent(agent)
    leases = [acquire(agent, intent, f"s{n}") for n in range(70)]
    other = acquire(agent, new_intent(agent), seconds=HOUR)
    clock.forward(seconds=61)
    wait_for(lambda: all(status(server, x) == "expired" for x in leases))
    released = events(agent, intent["id"], event_type="lease_released")
    assert {e["actor"] for e in released} == {"clock"}
    assert sorted(e["payload"]["lease_id"] for e in released) == sorted(
        x["id"] for x in leases)
    one = leases[0]
    assert [e["payload"] for e in released
            if e["payload"]["lease_id"] == one["id"]] == [
        {"lease_id": one["id"], "agent_id": "refunds-agent", "scope": "s0",
         "expires_at": one["expires_at"], "reason": "expired"}]
    assert status(server, other) == "active"
    # It can be taken up again while nobody has the scope, and that is told.
    assert renew(agent, one).status_code == 200
    assert types(agent, intent["id"])[-1] == "lease_acquired"
    acquire(agent, intent, "s1")
    refused(renew(agent, leases[1]), 409, "lease.taken")
    time.sleep(0.6)
    assert len(events(agent, intent["id"],
                      event_type="lease_released")) == 70


def test_what_a_suspended_intent_holds_does_not_lapse(server, clock, agent,
                                                      operator):
    intent, suspension = suspend(agent)
    lease = acquire(agent, intent)
    free = acquire(agent, new_intent(agent))
    clock.forward(minutes=10)
    wait_for(lambda: status(server, free) == "expired")
    assert status(server, lease) == "active"
    assert respond(operator, intent, suspension, "deny").status_code == 200
    # Its time counts again; it is looked at again within a minute.
    clock.forward(seconds=61)
    wait_for(lambda: status(server, lease) == "expired")


def test_the_next_holder_makes_the_end_of_the_last_known(server, clock,
                                                         agent):
    intent = new_intent(agent)
    with asleep(server, "tick"):
        acquire(agent, intent)
        clock.forward(seconds=61)
        acquire(agent, intent)
    clock.forward(seconds=61)
    wait_for(lambda: types(agent, intent["id"])[2:] == [
        "lease_acquired", "lease_released", "lease_acquired",
        "lease_released"])


# --- What has outlived its use --------------------------------------------

def count(server, table):
    with server.database() as db:
        return db.execute(f"SELECT count(*) FROM {table}").fetchone()[0]


def test_answers_are_remembered_for_a_week(server, clock, agent):
    key = {"Idempotency-Key": kit.new_id()}
    first = ask(agent, headers=key)
    clock.forward(days=6, hours=23)
    time.sleep(0.6)
    assert ask(agent, headers=key) == first
    clock.forward(hours=2)
    wait_for(lambda: count(server, "idempotency") == 0)
    assert ask(agent, headers=key)["suspension_id"] != first["suspension_id"]


def test_deliveries_and_subscriptions_go(server, clock, agent):
    now = "to_timestamp(%s)"
    at = time.time() + clock.seconds
    intent = new_intent(agent)["id"]
    kept = kit.new_id()
    with server.database() as db:
        db.execute("DELETE FROM delivery")
        to = endpoint(db, "agent", "x", removed_at="2026-11-20T09:00:00Z")
        for n, ended in enumerate((at - 29 * DAY, at - 31 * DAY, None)):
            db.execute(
                "INSERT INTO delivery (id, endpoint_id, intent_id, "
                "event_sequence, type, body, state, next_at, created_at, "
                f"ended_at) VALUES (%s, %s, %s, 1, 'x', %s, %s, {now}, {now},"
                f" {now})", [kit.new_id(), to, intent, str(n),
                             "delivered" if ended else "pending",
                             None if ended else at + 9 * DAY, at, ended])
        db.execute("INSERT INTO delivery_try SELECT id, 1, created_at, 5, "
                   "200, 'ok' FROM delivery")
        for id, end in ((kit.new_id(), at - 1), (kept, at + DAY)):
            db.execute(
                "INSERT INTO subscription (id, endpoint_id, subscriber_id, "
                f"created_at, created_by, expires_at) VALUES (%s, %s, 'x', "
                f"{now}, %s, {now})", [id, to, at, kit.new_id(), end])
    clock.forward(seconds=61)
    wait_for(lambda: count(server, "delivery") == 2)
    wait_for(lambda: count(server, "subscription") == 1)
    assert count(server, "delivery_try") == 2
    with server.database() as db:
        assert [x for x, in db.execute("SELECT body FROM delivery ORDER BY 1"
                                       )] == ["0", "2"]
        db.execute("DELETE FROM delivery; DELETE FROM subscription")


def test_proofs_and_tokens_go(server, clock, agent):
    now = "to_timestamp(%s)"
    at = time.time() + clock.seconds
    asked = agent.post("/api/v1/authorizations", json={
        "goal": "x", "authorization_details": [
            {"type": "tool_call", "tool": "x", "arguments": {}}]}).json()
    with server.database() as db:
        for n, seen in enumerate((at - 400, at - 700)):
            db.execute(f"INSERT INTO dpop_proof VALUES ('k', %s, {now})",
                       [str(n) * 64, seen])
        for n, end in enumerate((at - DAY + 200, at - DAY - 10)):
            db.execute(
                "INSERT INTO permit_token VALUES (%s, %s, NULL, "
                f"{now}, {now}, {now}, 'revoked')",
                [str(n) * 64, asked["permit_id"], end - 100, end, end])
    clock.forward(seconds=61)
    wait_for(lambda: count(server, "permit_token") == 1)
    wait_for(lambda: count(server, "dpop_proof") == 1)
    with server.database() as db:
        assert db.execute("SELECT token_sha256 FROM permit_token"
                          ).fetchone()[0] == "0" * 64


# --- More than one, and none ----------------------------------------------

@pytest.fixture
def second(server):
    """Another host: a second server on the same database."""
    conf = server.state / "second.conf"
    run = pathlib.Path(server.socket).parent
    text = (server.state / "sayso.conf").read_text()
    text = re.sub(r"^(wait_)?socket = .*$",
                  lambda m: f"{m[1] or ''}socket = "
                            f"{run}/second{m[1] or ''}.sock",
                  text, flags=re.M)
    conf.write_text(text)
    with (server.state / "log/second.log").open("w") as log:
        owner = (server.state / "postgres").stat()
        process = subprocess.Popen(
            [server.state / "app/sayso", "serve"], stderr=log, stdout=log,
            env={**server.environ, "SAYSO_CONF": str(conf)},
            **({"user": owner.st_uid, "group": owner.st_gid,
                "extra_groups": []} if os.geteuid() == 0 else {}))
    try:
        wait_for(lambda: len(kit.children(process.pid)) >= 7)
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)


def ask_many(agent, n, **more):
    return [ask(agent, retry_policy=policy(2, HOUR), **more)
            for _ in range(n)]


def check_once(server, asked, wanted):
    """Each event of the clock is there once for each question."""
    with server.database() as db:
        rows = db.execute(
            "SELECT intent_id::text, event_type, count(*) FROM event WHERE "
            "intent_id = ANY (%s) AND event_type = ANY (%s) GROUP BY 1, 2",
            [[a["intent_id"] for a in asked], list(TOLD)]).fetchall()
    assert collections.Counter((t, n) for _, t, n in rows) == {
        (t, 1): len(asked) for t in wanted}


def all_are(server, asked, attempt, state):
    with server.database() as db:
        return db.execute(
            "SELECT count(*) FROM suspension_row WHERE id = ANY (%s) AND attempt "
            "= %s AND state = %s", [[a["suspension_id"] for a in asked],
                                    attempt, state]
        ).fetchone()[0] == len(asked)


def test_two_hosts_do_each_thing_once(server, second, clock, agent):
    asked = ask_many(agent, 160)
    leases = [acquire(agent, new_intent(agent)) for _ in range(30)]
    clock.forward(hours=1)
    wait_for(lambda: all_are(server, asked, 2, "pending"))
    wait_for(lambda: all(status(server, x) == "expired" for x in leases))
    clock.forward(hours=1)
    wait_for(lambda: all_are(server, asked, 2, "expired"))
    check_once(server, asked, [REMINDED, EXPIRED])
    for lease in leases:
        found = events(agent, lease["intent_id"], event_type="lease_released")
        assert len(found) == 1


def test_a_nonce_holds_on_every_host(server, second):
    one = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"],
                Key()).fresh()
    form = urllib.parse.urlencode({"grant_type": GRANT,
                                   "auth_req_id": "sar_none"}).encode()
    for nonce, error in ((one.nonce, "invalid_grant"),
                         ("1.x", "use_dpop_nonce")):
        r = kit.fastcgi(pathlib.Path(server.socket).parent / "second.sock", {
            "REQUEST_METHOD": "POST", "REQUEST_URI": "/oauth/token",
            "HTTP_CONTENT_TYPE": "application/x-www-form-urlencoded",
            "CONTENT_LENGTH": str(len(form)), "HTTP_X_API_KEY": one.secret,
            "HTTP_DPOP": one.proof(nonce=nonce)}, form)
        assert r.status == 400 and json.loads(r.body)["error"] == error


def test_killed_again_and_again(server, clock, agent):
    asked = ask_many(agent, 160)
    for hours, state in ((1, "pending"), (1, "expired")):
        clock.forward(hours=hours)
        for _ in range(3):
            time.sleep(0.05)
            killed = server.child("tick")
            os.kill(killed, signal.SIGKILL)
            server.child("tick", after=killed)
        wait_for(lambda: all_are(server, asked, 2, state))
    check_once(server, asked, [REMINDED, EXPIRED])


def test_one_that_cannot_be_worked_on_does_not_stop_the_others(
        server, clock, agent):
    asked = ask_many(agent, 12)
    with server.database() as db:
        db.execute("UPDATE intent SET state = '{' WHERE id = %s",
                   [asked[3]["intent_id"]])
        # One that only the database refuses.
        db.execute("ALTER TABLE intent ADD CONSTRAINT bad CHECK (id <> "
                   f"'{asked[7]['intent_id']}' OR status <> 'abandoned')")
    clock.forward(hours=2)
    rest = [a for n, a in enumerate(asked) if n not in (3, 7)]
    wait_for(lambda: all_are(server, rest, 1, "expired"))
    wait_for(lambda: server.log().count("is skipped for a minute") == 2)
    for n in (3, 7):
        assert read(agent, asked[n])["state"] == "pending"
        assert asked[n]["suspension_id"] in server.log()
    with server.database() as db:
        db.execute("ALTER TABLE intent DROP CONSTRAINT bad")
        db.execute("UPDATE intent SET state = '{}' WHERE id = %s",
                   [asked[3]["intent_id"]])
    os.kill(server.child("tick"), signal.SIGKILL)  # and it has forgotten
    wait_for(lambda: all_are(server, asked, 1, "expired"))


def test_a_full_log_does_not_stop_the_clock(server, clock, agent):
    asked = ask(agent, retry_policy=policy(3, HOUR))
    with server.database() as db:
        tail = db.execute("SELECT event_sequence, event_hash FROM intent "
                          "WHERE id = %s", [asked["intent_id"]]).fetchone()
        db.execute("UPDATE intent SET event_sequence = 10000 WHERE id = %s",
                   [asked["intent_id"]])
    clock.forward(hours=1)
    until(agent, asked, attempt=2)
    assert told(agent, asked) == []
    with server.database() as db:
        db.execute("UPDATE intent SET event_sequence = %s, event_hash = %s "
                   "WHERE id = %s", [*tail, asked["intent_id"]])
    clock.forward(hours=1)
    until(agent, asked, attempt=3)
    assert [t for t, _ in told(agent, asked)] == [REMINDED]


def test_a_database_that_goes_and_comes(server, clock, agent, operator):
    """Told once, not with every try, and everything is done afterwards."""
    asked = ask(agent, timeout_seconds=HOUR)
    intent, suspension = suspend(agent, timeout_seconds=2 * HOUR)
    postmaster = server.postmaster()
    def told(words):
        return server.log().count("tick: " + words)

    before = told("paused"), told("resumed")
    with server.database() as db:
        os.kill(postmaster, signal.SIGSTOP)
        try:
            db.execute("SELECT pg_terminate_backend(pid) FROM "
                       "pg_stat_activity WHERE usename = 'sayso_tick'")
            clock.forward(hours=1)
            wait_for(lambda: told("paused") > before[0])
            time.sleep(3)
        finally:
            os.kill(postmaster, signal.SIGCONT)
    until(agent, asked, state="expired")
    assert answer(operator, {"suspension_id": suspension},
                  "deny").status_code == 200
    # The clock says so when all that was due is done.
    wait_for(lambda: told("resumed") > before[1])
    assert (told("paused"), told("resumed")) == tuple(
        n + 1 for n in before)
