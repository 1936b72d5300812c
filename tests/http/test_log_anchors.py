"""Time stamps of checkpoints of the log, by an authority (RFC 3161)."""
import base64
import threading
import time

import pytest
from openintent.models import LogCheckpoint

from kit import (asleep, configured, events, made, new_intent, own_server,
                 refused, together, wait_for)
from server import place
from test_log import checkpoints, covered, digest, sha, signed
from test_log_admin import make, of_size
from tsa import Authority

ANCHOR = "POST /api/v1/admin/checkpoints/{id}/anchor"
route = pytest.mark.route


def anchor(client, checkpoint, **body):
    at = f"/api/v1/admin/checkpoints/{checkpoint['checkpoint_id']}/anchor"
    return client.post(at, **({"json": body} if body else {}), timeout=60)


@route(ANCHOR)
def test_without_an_authority_nothing_is_anchored(agent, operator, auditor):
    _, c, _ = of_size(agent, operator, 1)
    for _ in range(2):
        refused(anchor(operator, c), 501, "anchor.not_configured")
    for client in (agent, auditor):
        refused(anchor(client, c), 403, "role.forbidden")
    refused(anchor(operator, {"checkpoint_id": "x"}), 404,
            "log_checkpoint.unknown")
    refused(anchor(operator, c, provider="other"), 422, "field.value",
            "provider")
    refused(anchor(operator, c, url="http://x"), 422, "field.unknown", "url")


@pytest.fixture(scope="module")
def stamped():
    """A server with an authority, and that."""
    tsa = Authority()
    with own_server(place("log-anchor")) as server, \
            configured(server, tsa_url=tsa.url):
        yield server, tsa
    tsa.close()


def test_an_anchor_is_a_stamp_of_the_root(stamped):
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator:
        intent, c, _ = of_size(agent, operator, 3)
        got = made(anchor(operator, c), 200)
        a = got["anchor"]
        assert {**got, "anchor": None} == c
        assert signed(got)
        assert set(a) == {"type", "provider", "reference", "timestamp_proof",
                          "anchored_at"}
        assert (a["type"], a["provider"], a["reference"]) == (
            "external-timestamp", "rfc3161", "02")
        proof, root = base64.b64decode(a["timestamp_proof"]), digest(
            c["merkle_root"])
        assert tsa.verified(proof, root)
        assert not tsa.verified(proof, sha(b"other"))
        headers, query = tsa.asked[-1]
        assert headers["Content-Type"] == "application/timestamp-query"
        assert root in query
        # Once: the same answer, and the authority is not asked again.
        asked = len(tsa.asked)
        for client in (operator, server.client("admin")):
            assert made(anchor(client, c, provider="rfc3161"), 200) == got
        assert len(tsa.asked) == asked
        assert LogCheckpoint.from_dict(got).to_dict()["anchor"]["reference"] \
            == "02"
        assert checkpoints(agent, intent_id=intent["id"]) == [got]
        # The intent's log says so, without the stamp itself.
        last = events(agent, intent["id"])[0]
        assert (last["event_type"], last["actor_type"]) == \
            ("log.checkpoint.anchored", "sayso")
        assert last["payload"] == {
            "checkpoint_id": c["checkpoint_id"],
            **{k: a[k] for k in ("type", "provider", "reference",
                                 "anchored_at")}}


def test_an_anchor_of_the_servers_and_of_an_intent_that_ended(stamped):
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator:
        intent = new_intent(agent, "abandoned")
        _, (c,) = covered(agent, intent)
        server_wide = made(make(operator, scope="server"))
        with server.database() as db:
            count = "SELECT count(*) FROM event WHERE event_type = " \
                "'log.checkpoint.anchored'"
            before = db.execute(count).fetchone()[0]
            for one in (server_wide, c):
                got = made(anchor(operator, one), 200)
                assert tsa.verified(base64.b64decode(
                    got["anchor"]["timestamp_proof"]), digest(
                        one["merkle_root"]))
            assert db.execute(count).fetchone()[0] == before + 1
            assert db.execute("SELECT count(*) FROM log_anchor").fetchone() \
                == (0,)
        # The event after the end has a checkpoint of its own.
        assert len(covered(agent, intent)[1]) == 2


def test_at_once_it_is_asked_for_once(stamped):
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator, \
            server.client("admin") as admin:
        _, c, _ = of_size(agent, operator, 2)
        asked = len(tsa.asked)
        got = together(*[lambda k=k: anchor(k, c) for k in
                         (operator, admin, operator, admin)])
        assert [r.status_code for r in got] == [200] * 4
        assert len({r.text for r in got}) == 1
        assert len(tsa.asked) == asked + 1


def refusing(tsa):
    """Answers that are no stamp, by name."""
    other = sha(b"other")

    def bad_signature(query):
        good = bytearray(tsa.reply(query))
        good[-9] ^= 1
        return 200, bytes(good)

    def large_serial(query):
        kept = (tsa.dir / "serial").read_text()
        (tsa.dir / "serial").write_text("AB" * 30 + "\n")
        reply = tsa.reply(query)
        (tsa.dir / "serial").write_text(kept)
        return 200, reply

    root = lambda query: query[query.index(b"\x04\x20") + 2:][:32]  # noqa: E731
    return {
        "rejected": lambda q: (200, tsa.reply(q, "other")),
        "of another digest": lambda q: (200, tsa.reply(tsa.query(other))),
        "of another request": lambda q: (200, tsa.reply(tsa.query(root(q)))),
        "without a nonce": lambda q: (200, tsa.reply(tsa.query(
            root(q), "-no_nonce"))),
        "of a signature that does not hold": bad_signature,
        "without its certificate": lambda q: (200, tsa.reply(
            q.replace(b"\x01\x01\xff", b"\x01\x01\x00"))),
        "of a large serial number": large_serial,
        "with something behind it": lambda q: (200, tsa.reply(q) + b"\0"),
        "rubbish": lambda q: (200, b"0\x82\xff\xff rubbish"),
        "empty": lambda q: (200, b""),
        "the query": lambda q: (200, q),
        "large": lambda q: (200, tsa.reply(q) + bytes(20000)),
        "larger": lambda q: (200, bytes(200000)),
        "an error": lambda q: (500, b"no"),
        "a redirect": lambda q: (302, b""),
    }


def test_what_is_no_stamp_is_not_taken(stamped):
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator:
        intent, c, _ = of_size(agent, operator, 1)
        try:
            for name, answer in refusing(tsa).items():
                tsa.answer = answer
                r = anchor(operator, c)
                refused(r, 503, "anchor.failed")
                assert int(r.headers["retry-after"]) > 0, name
                assert checkpoints(agent, intent_id=intent["id"]) == [c]
        finally:
            tsa.answer = tsa.stamp
        assert made(anchor(operator, c), 200)["anchor"]


def anchored(client, checkpoint):
    at = f"/api/v1/checkpoints/{checkpoint['checkpoint_id']}"
    return wait_for(lambda: (found := client.get(at).json())["anchor"] and
                    found)


def test_what_failed_is_tried_again(stamped):
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator:
        _, c, _ = of_size(agent, operator, 1)
        tsa.answer = lambda query: (503, b"later")
        refused(anchor(operator, c), 503, "anchor.failed")
        tsa.answer = tsa.stamp
        assert made(anchor(operator, anchored(operator, c)), 200)


def test_after_nine_tries_it_is_given_up(stamped):
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator, server.database() as db:
        _, c, _ = of_size(agent, operator, 1)
        row = "log_anchor WHERE checkpoint_id = %s"
        tsa.answer = lambda query: (503, b"no")
        refused(anchor(operator, c), 503, "anchor.failed")
        db.execute("UPDATE log_anchor SET tries = 8, due_at = now() WHERE "
                   "checkpoint_id = %s", [c["checkpoint_id"]])
        wait_for(lambda: db.execute(
            f"SELECT tries = 9 AND failure IS NOT NULL FROM {row}",
            [c["checkpoint_id"]]).fetchone() == (True,))
        assert db.execute(f"SELECT due_at, failure FROM {row}", [
            c["checkpoint_id"]]).fetchone() == (None, "no")
        tsa.answer = tsa.stamp
        assert made(anchor(operator, c), 200)["anchor"]


def test_a_try_without_a_result_is_made_again(stamped):
    """Its sender died."""
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator, server.database() as db:
        intent, c, _ = of_size(agent, operator, 1)
        db.execute("INSERT INTO log_anchor (checkpoint_id, intent_id, at, "
                   "due_at, tries) VALUES (%s, %s, now(), now(), 1)",
                   [c["checkpoint_id"], intent["id"]])
        assert tsa.verified(base64.b64decode(
            anchored(operator, c)["anchor"]["timestamp_proof"]),
            digest(c["merkle_root"]))


def test_an_authority_that_does_not_answer(stamped):
    server, tsa = stamped
    go_on = threading.Event()

    def slow(query):
        go_on.wait(40)
        return 200, b""

    with server.client("agent") as agent, \
            server.client("operator") as operator:
        _, c, _ = of_size(agent, operator, 1)
        tsa.answer = slow
        begun = time.monotonic()
        refused(anchor(operator, c), 503, "anchor.failed")
        assert time.monotonic() - begun < 26
        tsa.answer = tsa.stamp
        go_on.set()
        assert made(anchor(operator, c), 200)["anchor"]


def test_a_sender_that_is_away_stamps_later(stamped):
    server, tsa = stamped
    with server.client("agent") as agent, \
            server.client("operator") as operator:
        _, c, _ = of_size(agent, operator, 1)
        with asleep(server, "deliver"):
            refused(anchor(operator, c), 503, "anchor.soon")
        assert made(anchor(operator, c), 200) == anchored(operator, c)
