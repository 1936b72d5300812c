"""Sending, to real receivers: signed requests over TLS, mail, Slack.

A server of its own whose clock the tests move. The rows are written as the
asking and deciding transactions write them."""
import base64
import contextlib
import datetime
import json
import os
import signal
import time
import unittest.mock
import uuid

import pytest
import standardwebhooks

import kit
from kit import children, comm, wait_for
from receiver import Authority, Mailbox, Receiver
from server import place
from test_database_gone import start_database, stop_database

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
OLD_SECRET = "whsec_" + base64.b64encode(bytes(range(32, 64))).decode()


@pytest.fixture(scope="module")
def authority():
    return Authority(place("receivers"))


@pytest.fixture(scope="module")
def receiver(authority):
    one = Receiver(authority.context())
    yield one
    one.close()


@pytest.fixture(scope="module")
def mailbox():
    one = Mailbox()
    yield one
    one.close()


@pytest.fixture(scope="module")
def server(authority, mailbox, clock):
    one = kit.Watched(place("deliver"), SAYSO_CA_FILE=str(authority.file),
                      SAYSO_SMTP_URL=f"smtp://127.0.0.1:{mailbox.port}",
                      SAYSO_MAIL_FROM="sayso@example.org",
                      **clock.setting).start()
    one.database_process = None
    yield one
    one.stop()
    process = one.database_process
    assert not process or wait_for(lambda: process.poll() is not None)
    assert not [x for x in kit.complaints(one) if "Sanitizer" in x]
    assert "whsec_" not in one.log() and "hidden-word" not in one.log()


@pytest.fixture
def db(server):
    with server.database("sayso_web") as one:
        yield one


@pytest.fixture
def intent(server):
    with server.client("agent", agent="refunds-agent") as client:
        return kit.new_intent(client)["id"]


@pytest.fixture
def path():
    """A path of one test alone."""
    return f"/{uuid.uuid4()}"


def deliverer(server):
    return next((p for p in children(server.supervisor())
                 if comm(p) == "sayso: deliver"), None)


def endpoint(db, clock, address, **more):
    row = {"id": str(uuid.uuid4()), "kind": "agent", "address": address,
           "name": str(uuid.uuid4()), "internal": True, "secret": SECRET,
           "created_at": moment(clock), "created_by": "test", **more}
    insert(db, "endpoint", row)
    return row["id"]


def insert(db, table, row):
    db.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES "
               f"({', '.join(['%s'] * len(row))})", list(row.values()))


def moment(clock):
    return (datetime.datetime.now(datetime.timezone.utc)
            + datetime.timedelta(seconds=clock.seconds))


def queue(db, clock, endpoint_id, intent_id, **more):
    row = {"id": str(uuid.uuid4()), "endpoint_id": endpoint_id,
           "intent_id": intent_id, "event_sequence": 1,
           "type": "intent_authorized", "body": push(intent_id),
           "next_at": moment(clock), "created_at": moment(clock), **more}
    insert(db, "delivery", row)
    return row["id"]


def push(intent_id):
    return json.dumps({"type": "intent_authorized",
                       "timestamp": "2026-11-20T09:31:44.120931Z",
                       "data": {"event": "intent_authorized",
                                "intent_id": intent_id, "value": "ja, größer",
                                "reason": "say \"yes\"\n"}})


def row(db, delivery_id):
    cursor = db.execute(
        "SELECT state, tries, answer, microseconds(next_at) AS next, "
        "microseconds(ended_at) AS ended FROM delivery WHERE id = %s",
        [delivery_id])
    names = [c.name for c in cursor.description]
    return dict(zip(names, cursor.fetchone()))


def tries(db, delivery_id):
    """(n, status, ms) of each try."""
    return db.execute("SELECT n, status, ms FROM delivery_try WHERE "
                      "delivery_id = %s ORDER BY n", [delivery_id]).fetchall()


def settled(db, delivery_id, seconds=20):
    """Its row once it no longer waits."""
    wait_for(lambda: row(db, delivery_id)["state"] != "pending", seconds)
    return row(db, delivery_id)


def tried(db, delivery_id, n=1, seconds=20):
    """Its row once it was tried n times."""
    wait_for(lambda: len(tries(db, delivery_id)) >= n, seconds)
    return row(db, delivery_id)


def verify(clock, request, secret=SECRET):
    """With the published verifier, at the time of the moved clock."""
    class Moved(datetime.datetime):
        @classmethod
        def now(cls, tz=None):
            return (datetime.datetime.now(tz)
                    + datetime.timedelta(seconds=clock.seconds))

    with unittest.mock.patch("standardwebhooks.webhooks.datetime", Moved):
        return standardwebhooks.Webhook(secret).verify(request.body,
                                                       request.headers)


def waits(db, delivery_id, least, most):
    """Is its next try so many seconds behind the last one?"""
    (left,) = db.execute(
        "SELECT extract(epoch FROM d.next_at - t.at) - t.ms / 1000.0 FROM "
        "delivery d JOIN delivery_try t ON t.delivery_id = d.id WHERE d.id = "
        "%s ORDER BY t.n DESC LIMIT 1", [delivery_id]).fetchone()
    assert least - 1 <= left <= most + 1, left


# --- Signed requests ------------------------------------------------------

def test_a_push_arrives_signed(db, clock, receiver, intent, path):
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    got = settled(db, sent)
    assert (got["state"], got["tries"]) == ("delivered", 1)
    assert got["ended"] and not got["next"]
    (request,) = receiver.at(path)
    headers = {k.lower(): v for k, v in request.headers.items()}
    assert headers["webhook-id"] == sent
    assert headers["content-type"] == "application/json"
    assert headers["user-agent"].startswith("Sayso/")
    assert "expect" not in headers
    assert request.body.decode() == push(intent)
    assert verify(clock, request)["data"]["value"] == "ja, größer"
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        verify(clock, request, OLD_SECRET)
    ((n, status, ms),) = tries(db, sent)
    assert (n, status) == (1, 204) and 0 <= ms < 15000


def test_it_looks_by_itself(db, clock, receiver, intent, path):
    """Every second, also without a wake-up."""
    to = endpoint(db, clock, receiver.url(path))
    took = []
    for _ in range(5):
        begun = time.monotonic()
        sent = queue(db, clock, to, intent)
        settled(db, sent)
        took.append(time.monotonic() - begun)
    assert sorted(took)[2] < 3, took


def test_an_error_and_then_success(db, clock, receiver, intent, path):
    receiver.answer(path, 500, said="kaputt \u202e".encode() + b"\xff\x00")
    receiver.answer(path, 503)
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    got = tried(db, sent)
    assert (got["state"], got["tries"]) == ("pending", 1)
    assert got["answer"].startswith("kaputt")
    waits(db, sent, 4, 6)
    clock.forward(seconds=7)
    got = tried(db, sent, 2)
    assert (got["state"], got["tries"]) == ("pending", 2)
    waits(db, sent, 48, 72)
    clock.forward(seconds=73)
    got = settled(db, sent)
    assert (got["state"], got["tries"]) == ("delivered", 3)
    assert [t[1] for t in tries(db, sent)] == [500, 503, 204]
    asked = receiver.at(path)
    assert len(asked) == 3
    assert {r.headers["webhook-id"] for r in asked} == {sent}
    assert len({r.headers["webhook-timestamp"] for r in asked}) == 3
    verify(clock, asked[-1])


def test_a_day_of_tries_and_then_no_more(db, clock, receiver, intent, path):
    receiver.answer(path, 500, always=True)
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    begun = clock.seconds
    for n in range(1, 9):
        got = tried(db, sent, n)
        assert got["state"] == "pending"
        left = got["next"] / 1e6 - moment(clock).timestamp()
        clock.forward(seconds=left + 1)
    got = settled(db, sent)
    assert (got["state"], got["tries"]) == ("failed", 9)
    assert 0.8 * 88565 < clock.seconds - begun < 1.2 * 88565 + 60
    assert len(receiver.at(path)) == 9


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_a_redirect_is_not_followed(db, clock, receiver, intent, path, status):
    receiver.answer(path, status, {"location": receiver.url(path + "/else")})
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    got = tried(db, sent)
    assert got["state"] == "pending" and "redirect" in got["answer"]
    assert tries(db, sent)[0][1] == status
    assert len(receiver.at(path)) == 1 and not receiver.at(path + "/else")


def test_gone(server, db, clock, receiver, intent, path):
    """410: it is marked, and nothing more is sent there."""
    receiver.answer(path, 410)
    to = endpoint(db, clock, receiver.url(path))
    later = [queue(db, clock, to, intent,
                   next_at=moment(clock) + datetime.timedelta(hours=1))
             for _ in range(20)]
    sent = queue(db, clock, to, intent)
    got = settled(db, sent)
    assert got["state"] == "failed" and "410" in got["answer"]
    assert db.execute("SELECT gone_at FROM endpoint WHERE id = %s",
                      [to]).fetchone()[0]
    for one in later:
        got = settled(db, one)
        assert got["state"] == "failed" and got["tries"] == 0
    # A delivery that was written after the removal is given up as well.
    late = queue(db, clock, to, intent)
    assert settled(db, late, 30)["state"] == "failed"
    assert len(receiver.at(path)) == 1


@pytest.mark.parametrize("asked, least, most", [
    ("30", 30, 30), ("1", 4, 6), ("100000000", 86400, 86400), ("soon", 4, 6),
    (None, 60, 121)])
def test_retry_after(db, clock, receiver, intent, path, asked, least, most):
    if asked is None:
        when = (datetime.datetime.now(datetime.timezone.utc)
                + datetime.timedelta(seconds=120))
        asked = when.strftime("%a, %d %b %Y %H:%M:%S GMT")
    receiver.answer(path, 429, {"retry-after": asked})
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    tried(db, sent)
    waits(db, sent, least, most)


def test_a_slow_endpoint_holds_up_nobody(db, clock, receiver, intent, path):
    receiver.answer(path + "/slow", 204, delay=25, always=True)
    slow = endpoint(db, clock, receiver.url(path + "/slow"))
    fast = endpoint(db, clock, receiver.url(path + "/fast"))
    with db.transaction():
        stuck = [queue(db, clock, slow, intent) for _ in range(100)]
        flowing = [queue(db, clock, fast, intent) for _ in range(100)]
    begun = time.monotonic()
    for one in flowing:
        assert settled(db, one, 60)["state"] == "delivered"
    # No more than four at once wait for the slow one.
    rounds = 1 + (time.monotonic() - begun) // 14
    assert len(receiver.at(path + "/slow")) <= 4 * rounds
    wait_for(lambda: sum(len(tries(db, s)) for s in stuck) >= 4, 60)
    ended = [tries(db, s)[0] for s in stuck if tries(db, s)]
    assert all(t[1] is None and 14000 < t[2] < 30000 for t in ended), ended
    (before,) = db.execute(
        "SELECT count(*) FROM delivery WHERE id = ANY (%s) AND ended_at < "
        "(SELECT min(at + ms * interval '1 ms') FROM delivery_try WHERE "
        "delivery_id = ANY (%s))", [flowing, stuck]).fetchone()
    assert before >= 10, before
    db.execute("UPDATE endpoint SET paused_at = now() WHERE id = %s", [slow])


def test_paused_waits_and_then_comes(db, clock, receiver, intent, path):
    to = endpoint(db, clock, receiver.url(path), paused_at=moment(clock))
    sent = queue(db, clock, to, intent)
    time.sleep(2.5)
    assert row(db, sent)["tries"] == 0 and not receiver.at(path)
    db.execute("UPDATE endpoint SET paused_at = NULL WHERE id = %s", [to])
    assert settled(db, sent)["state"] == "delivered"


def test_both_secrets_sign_for_a_while(db, clock, receiver, intent, path):
    later = moment(clock) + datetime.timedelta(hours=24)
    to = endpoint(db, clock, receiver.url(path), previous_secret=OLD_SECRET,
                  previous_secret_until=later)
    settled(db, queue(db, clock, to, intent))
    (request,) = receiver.at(path)
    verify(clock, request, SECRET)
    verify(clock, request, OLD_SECRET)
    clock.forward(hours=24, seconds=1)
    settled(db, queue(db, clock, to, intent))
    request = receiver.at(path)[1]
    verify(clock, request, SECRET)
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        verify(clock, request, OLD_SECRET)


# --- Where nothing is sent ------------------------------------------------

@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.1", "[::1]",
                                  "2130706433", "0x7f.1", "0.0.0.0",
                                  "[::ffff:127.0.0.1]"])
def test_a_private_address_is_refused(db, clock, receiver, intent, path, host):
    """Also one that a name leads to."""
    to = endpoint(db, clock, receiver.url(path, host), internal=False)
    sent = queue(db, clock, to, intent)
    got = tried(db, sent)
    assert got["state"] == "pending" and "private" in got["answer"], got
    assert tries(db, sent)[0][1] is None
    assert not receiver.at(path)


def test_a_connection_is_not_shared_with_who_may_less(db, clock, receiver,
                                                      intent, path):
    """The connection for an internal endpoint is still open."""
    ours = endpoint(db, clock, receiver.url(path))
    theirs = endpoint(db, clock, receiver.url(path + "/x"), internal=False)
    assert settled(db, queue(db, clock, ours, intent))["state"] == "delivered"
    got = tried(db, queue(db, clock, theirs, intent))
    assert "private" in got["answer"]
    assert not receiver.at(path + "/x")


@pytest.mark.parametrize("internal", [True, False])
@pytest.mark.parametrize("address", [
    "http://127.0.0.1:{}{}", "ftp://127.0.0.1:{}{}", "file:///etc/hosts?{}{}",
    "gopher://127.0.0.1:{}{}", "smtp://127.0.0.1:{}{}"])
def test_only_https_is_spoken(db, clock, intent, path, address, internal):
    """But to the machine itself, where an admin said so."""
    plain = Receiver()
    try:
        to = endpoint(db, clock, address.format(plain.port, path),
                      internal=internal)
        if internal and address.startswith("http://127"):
            assert settled(db, queue(db, clock, to, intent))["state"] == \
                "delivered"
            return
        got = tried(db, queue(db, clock, to, intent))
        assert "https" in got["answer"], got
        assert not plain.requests
    finally:
        plain.close()


def test_a_certificate_is_checked(db, clock, authority, intent, path):
    wrong = Receiver(authority.context("wrong", "DNS:elsewhere.example"))
    try:
        to = endpoint(db, clock, wrong.url(path))
        got = tried(db, queue(db, clock, to, intent))
        assert got["state"] == "pending" and not wrong.requests
        assert "127.0.0.1" in got["answer"]
    finally:
        wrong.close()


def test_an_authority_that_is_not_ours(db, clock, intent, path):
    other = Receiver(Authority(place("others")).context())
    try:
        to = endpoint(db, clock, other.url(path))
        got = tried(db, queue(db, clock, to, intent))
        assert "certificate" in got["answer"] and not other.requests
    finally:
        other.close()


def test_a_long_answer_is_not_read_to_its_end(db, clock, receiver, intent,
                                              path):
    receiver.answer(path, 500, said="ä".encode() * (4 << 20))
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    got = tried(db, sent)
    assert tries(db, sent)[0][1] == 500
    assert set(got["answer"]) == {"ä"} and len(got["answer"]) == 250


# --- Whatever happens to us -----------------------------------------------

def test_it_is_killed_in_the_middle(server, db, clock, receiver, intent, path):
    """A delivery that was being sent is sent again, with the same id."""
    receiver.answer(path, 204, delay=3)
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    wait_for(lambda: receiver.at(path))
    old = deliverer(server)
    os.kill(old, signal.SIGKILL)
    wait_for(lambda: deliverer(server) not in (None, old))
    time.sleep(1.5)
    assert row(db, sent)["state"] == "pending"
    assert len(receiver.at(path)) == 1
    clock.forward(seconds=31)
    assert settled(db, sent)["state"] == "delivered"
    first, second = receiver.at(path)
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == sent
    assert first.body == second.body
    verify(clock, second)


def test_it_stops_soon(server, db, clock, receiver, intent, path):
    """With something on its way; that comes again from the next one."""
    receiver.answer(path, 204, delay=14)
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    wait_for(lambda: receiver.at(path))
    old = deliverer(server)
    begun = time.monotonic()
    os.kill(old, signal.SIGTERM)
    wait_for(lambda: deliverer(server) != old)
    assert time.monotonic() - begun < 9  # it did not wait for the answer
    wait_for(lambda: deliverer(server))
    clock.forward(seconds=31)
    assert settled(db, sent)["state"] == "delivered"


def test_it_stops_at_once_when_idle(server):
    took = []
    for _ in range(3):
        old = wait_for(lambda: deliverer(server))
        begun = time.monotonic()
        os.kill(old, signal.SIGTERM)
        wait_for(lambda: deliverer(server) != old)
        took.append(time.monotonic() - begun)
    assert min(took) < 1, took
    wait_for(lambda: deliverer(server))


def test_many_senders_send_each_once(server, db, clock, receiver, intent,
                                     path):
    """Two more servers on the same database. Each looks once a second, and
    one alone would need four: so that all of them take some."""
    for n in range(8):
        receiver.answer(f"{path}/{n}", 204, delay=0.3, always=True)
    to = [endpoint(db, clock, receiver.url(f"{path}/{n}")) for n in range(8)]
    with contextlib.ExitStack() as stack:
        others = [stack.enter_context(another(server, n)) for n in range(2)]
        wait_for(lambda: db.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE usename = "
            "'sayso_deliver'").fetchone() == (3,))
        with db.transaction():
            sent = [queue(db, clock, to[n % 8], intent) for n in range(400)]
        for one in sent:
            assert settled(db, one)["state"] == "delivered"
        asked = [r for t in range(8) for r in receiver.at(f"{path}/{t}")]
        assert len(asked) == 400
        assert {r.headers["webhook-id"] for r in asked} == set(sent)
        taking = [log.read_text().count("deliver delivery=")
                  for log in others]
        assert min(taking) > 0, taking


@contextlib.contextmanager
def another(server, n):
    """A second `sayso serve` with sockets of its own; gives its log."""
    import subprocess

    conf = (server.state / "sayso.conf").read_text()
    for name in ("web.sock", "wait.sock"):
        conf = conf.replace(name, f"{n}-{name}")
    own = server.state / f"sender-{n}.conf"
    own.write_text(conf)
    own.chmod(0o644)
    log = server.state / "log" / f"sender-{n}.log"
    # As whoever runs the first one: a root would become other users.
    first = os.stat(f"/proc/{server.supervisor()}")
    as_first = {} if os.geteuid() else {
        "user": first.st_uid, "group": first.st_gid, "extra_groups": []}
    with log.open("w") as out:
        process = subprocess.Popen(
            [server.state / "app" / "sayso", "serve"], stderr=out, cwd="/",
            env={**server.environ, "SAYSO_CONF": str(own)}, **as_first)
    try:
        wait_for(lambda: "serving with" in log.read_text())
        yield log
    finally:
        process.terminate()
        process.wait(20)


def test_the_database_is_restarted(server, db, clock, receiver, intent, path):
    """While a delivery is being sent: its result is stored when the database is
    back, and nothing is lost."""
    receiver.answer(path, 204, delay=2)
    to = endpoint(db, clock, receiver.url(path))
    sent = queue(db, clock, to, intent)
    wait_for(lambda: receiver.at(path))
    old = deliverer(server)
    leftover = children(server.postmaster())
    stop_database(server, signal.SIGQUIT)
    wait_for(lambda: not any(comm(p) == "postgres" for p in leftover), 20)
    time.sleep(3)
    start_database(server)
    wait_for(lambda: reachable(server), 20)
    with server.database("sayso_web") as again:
        assert settled(again, sent, 15)["state"] == "delivered"
        assert len(receiver.at(path)) == 1
        more = queue(again, clock, to, intent)
        assert settled(again, more)["state"] == "delivered"
    assert deliverer(server) == old


def reachable(server):
    try:
        server.database().close()
        return True
    except Exception:
        return False


# --- People ---------------------------------------------------------------

TITLE = ("Refund 499.99 EUR \u202eevil\u200b to <b>Bob</b> & Co?\r\n"
         "Bcc: victim@example.com\n=?UTF-8?B?SGk=?=")


def notice(type="suspension.asked", **more):
    data = {"suspension_id": "s-1", "intent_id": "i-1", "title": TITLE,
            "severity": "high", "agent": "refunds-agent", "attempt": 1,
            "max_attempts": 3, "asked_at": "2026-11-20T03:12:04.000001Z",
            "expires_at": None, "notify_to": None,
            "url": "https://sayso.example.org/suspensions/s-1",
            "question": "Shall it go out? Größe & <script>alert(1)</script>",
            "on_expiry": "If nobody answers it keeps waiting.",
            "explanation": "Because.\nSecond \u2066line\u2069.\n.\n.dot",
            "context": {"order": "12345", "<x>": [1, 2]},
            "choices": ["Approve <refund>", "Deny"], **more}
    return json.dumps({"type": type, "timestamp": "2026-11-20T03:12:05Z",
                       "data": data}, ensure_ascii=False)


def channel(db, clock, kind, address, **more):
    return endpoint(db, clock, address, kind=kind,
                    secret=SECRET if kind == "webhook" else None, **more)


def mail_for(mailbox, sent):
    return [m for m in mailbox.mails
            if m[2]["message-id"] == f"<{sent}@example.org>"]


def test_a_mail(db, clock, mailbox, intent):
    to = channel(db, clock, "mail", "ops@example.org, second@example.org")
    sent = queue(db, clock, to, intent, type="suspension.asked",
                 body=notice())
    assert settled(db, sent)["state"] == "delivered"
    ((sender, recipients, mail, raw),) = mail_for(mailbox, sent)
    assert sender == "sayso@example.org"
    assert recipients == ["ops@example.org", "second@example.org"]
    assert mail["to"] == "ops@example.org, second@example.org"
    assert mail["from"] == "Sayso <sayso@example.org>"
    assert mail["bcc"] is None
    assert mail["auto-submitted"] == "auto-generated"
    subject = mail["subject"]
    assert "[U+202E]evil[U+200B]" in subject and "Bcc: victim" in subject
    assert "=?UTF-8?B?SGk=?=" in subject and not mail.defects
    sent_at = mail["date"].datetime
    assert abs((sent_at - moment(clock)).total_seconds()) < 60
    assert mail["date"].startswith(sent_at.strftime("%a, "))
    assert mail.get_content_type() == "multipart/alternative"
    text, page = mail.iter_parts()
    for part in (text, page):
        assert part.get_content_charset() == "utf-8" and not part.defects
    said = text.get_content()
    for line in ("https://sayso.example.org/suspensions/s-1", "Risk: High",
                 "Agent: refunds-agent", "Deadline: no deadline",
                 "Requested: 20 Nov 2026 03:12:04 UTC", "- Deny", ".dot",
                 "If nobody answers it keeps waiting."):
        assert line in said.split("\n"), said
    assert "Second [U+2066]line[U+2069]." in said
    html = page.get_content()
    assert 'href="https://sayso.example.org/suspensions/s-1"' in html
    assert "&lt;script&gt;" in html and "<script" not in html
    assert '<code class="hid">U+202E</code>' in html
    assert "<form" not in html and "/respond" not in html
    for part in (said, html):
        assert not set(part) & set("\u202e\u200b\u2066\u2069\r"), part
    assert all(len(x) <= 78 for x in raw.split(b"\r\n"))
    assert b"\n" not in raw.replace(b"\r\n", b"")
    assert raw.isascii()


def test_a_mail_to_somebody_by_name(db, clock, mailbox, intent):
    to = channel(db, clock, "mail", "ops@example.org")
    sent = queue(db, clock, to, intent, recipient="mara@example.org",
                 type="suspension.reminded",
                 body=notice("suspension.reminded", title="Größe?", attempt=2,
                             notify_to="mara@example.org",
                             expires_at="2026-11-21T03:12:04Z"))
    assert settled(db, sent)["state"] == "delivered"
    ((_, recipients, mail, _),) = mail_for(mailbox, sent)
    assert recipients == ["mara@example.org"]
    assert mail["subject"] == "Reminder 1 of 2: Größe?"
    said = next(mail.iter_parts()).get_content()
    assert "Deadline: 21 Nov 2026 03:12:04 UTC" in said
    assert "For: mara@example.org" in said


def test_a_mail_with_the_title_only(db, clock, mailbox, intent):
    body = json.loads(notice(title="Short"))
    for key in ("question", "on_expiry", "explanation", "context", "choices"):
        del body["data"][key]
    to = channel(db, clock, "mail", "ops@example.org")
    sent = queue(db, clock, to, intent, type="suspension.asked",
                 body=json.dumps(body))
    assert settled(db, sent)["state"] == "delivered"
    ((_, _, mail, _),) = mail_for(mailbox, sent)
    assert mail["subject"] == "New request: Short"
    for part in mail.iter_parts():
        assert "Context" not in part.get_content()


def test_a_mail_that_is_refused(db, clock, mailbox, intent):
    mailbox.refuse["nobody@example.org"] = "550 There is nobody"
    to = channel(db, clock, "mail", "nobody@example.org")
    sent = queue(db, clock, to, intent, type="suspension.asked",
                 body=notice())
    got = tried(db, sent)
    assert got["state"] == "pending" and tries(db, sent)[0][1] == 550, got
    both = channel(db, clock, "mail", "nobody@example.org,ops@example.org")
    sent = queue(db, clock, both, intent, type="suspension.asked",
                 body=notice())
    assert settled(db, sent)["state"] == "delivered"
    assert mail_for(mailbox, sent)[0][1] == ["ops@example.org"]


@pytest.mark.parametrize("address", [
    "a@example.org>\r\nRCPT TO:<b@example.org", "two words@example.org",
    "no-at-sign", "ä@example.org", "<a@example.org>"])
def test_an_address_that_cannot_be_one(db, clock, mailbox, intent, address):
    before = len(mailbox.mails)
    to = channel(db, clock, "mail", "ops@example.org")
    sent = queue(db, clock, to, intent, recipient=address, body=notice(),
                 type="suspension.asked")
    assert "no valid mail address" in tried(db, sent)["answer"]
    assert len(mailbox.mails) == before


def test_slack(db, clock, receiver, intent, path):
    to = channel(db, clock, "slack", receiver.url(path))
    sent = queue(db, clock, to, intent, type="suspension.asked",
                 body=notice(expires_at="2026-11-20T04:12:04Z",
                             explanation="long & " * 2000))
    assert settled(db, sent)["state"] == "delivered"
    (request,) = receiver.at(path)
    assert "webhook-signature" not in request.headers
    said = json.loads(request.body)
    header, *blocks = said["blocks"]
    assert header["type"] == "header"
    title = header["text"]
    assert title["type"] == "plain_text" and len(title["text"]) <= 150
    assert "[U+202E]" in title["text"] and "&lt;b&gt;" in title["text"]
    assert "\n" not in title["text"]
    fields = next(b["fields"] for b in blocks if "fields" in b)
    assert {"Risk: High", "Agent: refunds-agent",
            "Deadline: 20 Nov 2026 04:12:04 UTC"} <= {
                f["text"] for f in fields}
    (actions,) = [b for b in blocks if b["type"] == "actions"]
    (button,) = actions["elements"]
    assert button["type"] == "button"
    assert button["url"] == "https://sayso.example.org/suspensions/s-1"
    for b in blocks:
        for t in [b["text"]] if "text" in b else b.get("fields", []):
            assert t["type"] == "plain_text" and 0 < len(t["text"]) <= 3000
    assert "<" not in said["text"]
    assert not set(request.body.decode()) & set("\u202e\u200b\u2066\u2069")


def test_a_plain_webhook(db, clock, receiver, intent, path):
    to = channel(db, clock, "webhook", receiver.url(path))
    sent = queue(db, clock, to, intent, type="suspension.asked",
                 body=notice())
    assert settled(db, sent)["state"] == "delivered"
    (request,) = receiver.at(path)
    assert request.body.decode() == notice()
    assert verify(clock, request)["data"]["title"] == TITLE


# --- From a question to its receiver --------------------------------------

def test_an_answer_is_pushed_at_once(server, db, clock, receiver, intent,
                                     path):
    """The sender is woken by the commit, and does not wait for its look."""
    # Nothing else is sent meanwhile, because the end of any delivery makes it
    # look too.
    db.execute("UPDATE endpoint SET paused_at = now() WHERE paused_at IS NULL")
    with server.client("admin") as admin, \
            server.client("agent", agent="pushed-agent") as agent, \
            server.client("operator") as operator, \
            kit.asleep(server, "tick"):
        made = admin.post("/api/v1/endpoints", json={
            "name": "pushed", "url": receiver.url(path), "internal": True,
            "agent": "pushed-agent"})
        assert made.status_code == 201, made.text
        took = []
        for n in range(1, 6):
            asked = kit.ask(agent)
            assert kit.answer(operator, asked).status_code == 200
            begun = time.monotonic()
            wait_for(lambda: len(receiver.at(path)) == n)
            took.append(time.monotonic() - begun)
            request = receiver.at(path)[-1]
            said = verify(clock, request, made.json()["secret"])
            assert said["type"] == "intent_resumed"
            assert said["data"]["value"] == "approve"
            assert said["data"]["suspension_id"] == asked["suspension_id"]
            settled(db, request.headers["webhook-id"])
        # A delivery without a wake-up waits for the next look.
        slept = []
        to = endpoint(db, clock, receiver.url(path))
        for _ in range(5):
            begun = time.monotonic()
            settled(db, queue(db, clock, to, intent))
            slept.append(time.monotonic() - begun)
    assert sorted(took)[2] + 0.3 < sorted(slept)[2], (took, slept)


def test_who_waits_for_another_intent_is_told_that_it_goes_on(
        server, db, receiver, path):
    """The event of the dependent intent is written by the call that completed
    the other one."""
    with server.client("admin") as admin, \
            server.client("agent", agent="waiting-agent") as agent:
        made = admin.post("/api/v1/endpoints", json={
            "name": "waiting", "url": receiver.url(path), "internal": True,
            "agent": "waiting-agent"})
        assert made.status_code == 201, made.text
        first = kit.new_intent(agent)
        second = kit.new_intent(agent, "draft", depends_on=[first["id"]])
        assert kit.set_status(agent, second, "active").json()["status"] == \
            "blocked"
        subscribed = agent.post("/api/v1/subscriptions", json={
            "intent_id": second["id"], "subscriber_id": "me",
            "webhook_url": receiver.url(path)})
        assert subscribed.status_code == 201, subscribed.text
        assert kit.set_status(agent, first, "completed").status_code == 200
        request, = wait_for(lambda: receiver.at(path))
        log = agent.get(f"/api/v1/intents/{second['id']}/events").json()
    said = json.loads(request.body)
    assert said == {"subscription_id": subscribed.json()["id"],
                    "event": log[0]}
    assert log[0]["event_type"] == "status_changed"
    assert log[0]["payload"] == {"old_status": "blocked",
                                 "new_status": "active",
                                 "reason": "dependencies_completed"}
    settled(db, request.headers["webhook-id"])


def test_people_are_told_of_a_question(server, db, clock, mailbox, receiver,
                                       path):
    slack = channel(db, clock, "slack", receiver.url(path),
                    every_question=True, detail="all")
    mail = channel(db, clock, "mail", "team@example.org",
                   every_question=True, detail="title")
    with server.client("agent", agent="a") as agent:
        asked = kit.ask(agent, title="May it\u202e go out?",
                        question="The whole of it.", severity="low")
    sent = wait_for(lambda: db.execute(
        "SELECT id::text FROM delivery WHERE endpoint_id = %s AND "
        "state = 'delivered'", [mail]).fetchone())
    ((_, _, message, _),) = mail_for(mailbox, sent[0])
    assert "May it[U+202E] go out?" in message["subject"]
    said = next(message.iter_parts()).get_content()
    assert f"{server.url}/suspensions/{asked['suspension_id']}" in said
    assert "The whole of it." not in said
    request = wait_for(lambda: receiver.at(path))[0]
    assert "The whole of it." in request.body.decode()
    assert "Approve refund" in request.body.decode()
    for one in (slack, mail):
        db.execute("UPDATE endpoint SET removed_at = now() WHERE id = %s",
                   [one])
