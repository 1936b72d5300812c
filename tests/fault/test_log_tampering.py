"""Somebody with all rights over the database changes rows of the log, of events and
of questions, and `sayso verify` names what was changed.

Each test gets the same server, whose log is whole, and puts back what it changed."""
import base64
import contextlib
import hashlib
import json
import re
import time

import psycopg
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import \
    Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (Encoding,
                                                          PublicFormat)

import kit
from kit import settled
from server import place

TABLES = """intent event log_leaf log_tile log_head log_checkpoint log_end
receipt decision suspension signing_key event_erased""".split()


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("tampering")).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def made(server, tmp_path_factory):
    """Questions with ends of each kind, more than a tile of events, and the
    head of that log, kept elsewhere; nothing is added after that."""
    agent = server.client("agent", agent="log-agent")
    operator = server.client("operator")
    vetoed = kit.ask(agent)
    assert kit.answer(operator, vetoed, "deny",
                      reason="Too much.").status_code == 200
    approved = kit.ask(agent)
    assert kit.answer(operator, approved).status_code == 200
    withdrawn = kit.ask(agent)
    kit.made(agent.post(
        f"/api/v1/suspensions/{withdrawn['suspension_id']}/cancel",
        json={"reason": "Not needed."}), 200)
    pending = kit.ask(agent)
    # An approval that ends with its task, and whose id another answer has.
    stopped = kit.new_intent(agent)
    approval = kit.made(agent.post(kit.at(stopped, "approvals"), json={
        "action": "deploy", "reason": "x"}))["id"]
    other = kit.ask(agent, intent_id=stopped["id"])
    kit.made(kit.answer(operator, other, reason=f"Like {approval}."), 200)
    kit.made(kit.set_status(agent, kit.get(agent, stopped), "completed"), 200)
    calls = kit.made(agent.post("/api/v1/tool-calls/check", json={
        "responder": {"mode": "operators"}, "tool_calls": [
            {"id": f"call_{n}", "tool": "shop.refund",
             "arguments": {"order": n}} for n in (1, 2)]}), 202)
    kit.made(operator.post(f"/api/v1/resume/{calls['request_id']}",
                           json={"action": "approve"}), 200)

    def comment(n):
        kit.made(agent.post(
            f"/api/v1/intents/{approved['intent_id']}/events",
            json={"event_type": "comment", "payload": {"n": n}}))

    def checkpoint():
        """The clock makes one too, and may have been the first."""
        comment(-1)
        with server.database() as db:
            kit.wait_for(lambda: settled(db), 60)
        r = operator.post("/api/v1/admin/checkpoints", json={})
        return r if r.status_code == 201 else None
    point = kit.made(kit.wait_for(checkpoint))
    for n in range(300):
        comment(n)
    intent = kit.get(agent, {"id": vetoed["intent_id"]})
    kit.made(kit.set_status(agent, intent, "completed"), 200)
    with server.database() as db:
        kit.wait_for(lambda: settled(db), 60)
    head = agent.get("/log/checkpoint").text
    key = [k for k in agent.get("/log/keys").json()
           if k["state"] == "current"][0]["vkey"]
    at = tmp_path_factory.mktemp("kept") / "head.txt"
    at.write_text(head)
    return {"vetoed": vetoed, "approved": approved, "withdrawn": withdrawn,
            "pending": pending, "head": at, "key": key, "point": point,
            "size": int(head.splitlines()[1])}


@pytest.fixture
def tamper(server, made):
    """Runs SQL as the superuser, with nothing of ours in the way; all is as it
    was after the test."""
    # On a slow machine the supervisor takes a sleeping process for a frozen one.
    with server.database() as db, contextlib.suppress(ProcessLookupError), \
            kit.asleep(server, "seal"):
        db.execute("SET session_replication_role = replica")
        for table in TABLES:
            db.execute(f"CREATE TABLE kept_{table} AS SELECT * FROM {table}")

        def run(query, *args):
            assert db.execute(query, args).rowcount != 0, query

        run.db = db
        yield run
        for table in TABLES:
            for query in ("DELETE FROM {0} t WHERE NOT EXISTS (SELECT FROM "
                          "kept_{0} k WHERE k.* IS NOT DISTINCT FROM t.*)",
                          "INSERT INTO {0} SELECT * FROM kept_{0} k WHERE NOT "
                          "EXISTS (SELECT FROM {0} t WHERE k.* IS NOT DISTINCT "
                          "FROM t.*)", "DROP TABLE kept_{0}"):
                db.execute(query.format(table))


@pytest.fixture
def verify(server, made):
    """The lines of faults."""
    def run(*options, rows=False):
        done = server.sayso("verify", *options)
        lines = done.stdout.splitlines()
        found = [x for x in lines if x.startswith("BROKEN ")]
        assert done.returncode == (1 if found else 0), (
            done.stdout + done.stderr)
        assert lines[-1].endswith(f" {len(found)} broken")
        return [x for x in lines if x.startswith("  ")] if rows else found

    return run


def test_the_log_is_whole(verify, made, server):
    assert verify() == []
    assert verify("--head", str(made["head"])) == []
    assert verify("--head", str(made["head"]), "--key", made["key"]) == []
    for name in ("vetoed", "approved", "withdrawn", "pending"):
        assert verify(made[name]["intent_id"]) == []


def one(lines, *words):
    """There is one fault, and it has these words."""
    assert len(lines) == 1, lines
    for word in words:
        assert word in lines[0], lines


# --- A whole history, written again ---------------------------------------

def rewrite(tamper, intent_id, change, log=False):
    """Changes the events of an intent, and computes its chain anew, with its
    checkpoints unsigned; log: with the leaves and tiles too. Gives back the
    sequences that changed."""
    db, before, changed = tamper.db, None, []
    for sequence, text in db.execute(
            "SELECT sequence, canonical FROM event WHERE intent_id = %s "
            "ORDER BY sequence", [intent_id]).fetchall():
        event = json.loads(text)
        change(event)
        event["previous_event_hash"] = before
        new = kit.canonical(event)
        before = kit.hash_of(event)
        if new == text:
            continue
        changed.append(sequence)
        tamper("UPDATE event SET canonical = %s, event_hash = %s, "
               "previous_event_hash = %s WHERE intent_id = %s AND sequence = "
               "%s", new, before, event["previous_event_hash"], intent_id,
               sequence)
    tamper("UPDATE intent SET event_hash = %s WHERE id = %s", before,
           intent_id)
    if log:
        numbered(tamper)
    return changed


def raw(hash):
    return base64.urlsafe_b64decode(hash.removeprefix("sha256:") + "=")


def numbered(tamper):
    """Leaves and tiles of the events as they are now."""
    row = []
    for position, hash in tamper.db.execute("""
            SELECT position, event_hash FROM log_leaf JOIN event
             USING (intent_id, sequence) ORDER BY position""").fetchall():
        tamper("UPDATE log_leaf SET hash = %s WHERE position = %s", raw(hash),
               position)
        row.append(hashlib.sha256(b"\0" + raw(hash)).digest())
    level = 0
    while row:
        for n in range(0, len(row), 256):
            tamper("UPDATE log_tile SET hashes = %s WHERE level = %s AND "
                   "number = %s", b"".join(row[n:n + 256]), level, n // 256)
        row = [rooted(row[n:n + 256]) for n in range(0, len(row) // 256 * 256,
                                                     256)]
        level += 1


def rooted(hashes):
    while len(hashes) > 1:
        half = 1 << (len(hashes) - 1).bit_length() - 1
        return hashlib.sha256(b"\1" + rooted(hashes[:half]) +
                              rooted(hashes[half:])).digest()
    return hashes[0]


def authorized(event):
    """The veto becomes a yes."""
    p = event["payload"]
    if event["event_type"] == "intent.resumed":
        p.update(value="approve", outcome="authorized", reason="Fine.")
        p.pop("choice_label", None)


def H4(tamper, made, log=False):
    """The attack of the review: the veto is an approval now."""
    id = made["vetoed"]["suspension_id"]
    tamper("""UPDATE decision SET outcome = 'authorized', reason = 'Fine.',
              response = '"approve"' WHERE suspension_id = %s""", id)
    recorded(tamper, made["vetoed"], response="approve", reason="Fine.",
             outcome="authorized")
    return rewrite(tamper, made["vetoed"]["intent_id"], authorized, log)


def recorded(tamper, asked, **members):
    """Changes the record in the state of the intent, which agents read."""
    tamper("UPDATE intent SET state = jsonb_set(state::jsonb, '{_suspension}', "
           "(state::jsonb -> '_suspension') || %s::jsonb)::text WHERE id = %s",
           json.dumps(members), asked["intent_id"])


def test_H4_a_veto_that_became_a_yes(verify, tamper, made):
    changed = H4(tamper, made)
    receipt, event = sorted(verify(), key=lambda x: "receipt" not in x)
    assert f"receipt of question {made['vetoed']['suspension_id']} " in receipt
    one([event],
        f"event {changed[0]} of intent {made['vetoed']['intent_id']} ",
        "it was changed after the log had it")


class Forger:
    """Signs everything anew with a key of its own, and puts that into the
    table of keys, as if it always had been there."""

    def __init__(self, tamper):
        self.tamper, self.key = tamper, Ed25519PrivateKey.generate()
        self.raw = self.key.public_key().public_bytes(Encoding.Raw,
                                                      PublicFormat.Raw)
        self.x = base64.urlsafe_b64encode(self.raw).decode().rstrip("=")
        jwk = f'{{"crv":"Ed25519","kty":"OKP","x":"{self.x}"}}'
        self.kid = self.b64(hashlib.sha256(jwk.encode()).digest())
        self.did = "did:key:z" + base58(b"\xed\x01" + self.raw)

    @staticmethod
    def b64(data):
        return base64.urlsafe_b64encode(data).decode().rstrip("=")

    def key_row(self):
        self.tamper("UPDATE signing_key SET kid = %s, did = %s, public_key = "
                    "%s", self.kid, self.did, self.x)

    def heads(self, least):
        row = [bytes(h) for h, in self.tamper.db.execute(
            "SELECT hash FROM log_leaf ORDER BY position").fetchall()]
        row = [hashlib.sha256(b"\0" + h).digest() for h in row]
        for size, note in self.tamper.db.execute(
                "SELECT size, note FROM log_head WHERE size >= %s",
                [least]).fetchall():
            top = rooted(row[:size])
            name = note.split("\n")[0]
            text = f"{name}\n{size}\n{base64.b64encode(top).decode()}\n"
            typed = b"\x01" + self.raw
            id = hashlib.sha256(name.encode() + b"\n" + typed).digest()[:4]
            line = base64.b64encode(id + self.key.sign(text.encode()))
            self.tamper(
                "UPDATE log_head SET note = %s, root = %s WHERE size = %s",
                f"{text}\n— {name} {line.decode()}\n", top, size)

    def checkpoints(self):
        db = self.tamper.db
        for id, intent, first, last, at in db.execute(
                "SELECT id, intent_id, first_sequence, last_sequence, to_char("
                "created_at AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US'"
                ") FROM log_checkpoint").fetchall():
            row = [bytes(h) for h, in db.execute(
                "SELECT hash FROM log_leaf WHERE CASE WHEN %s::uuid IS NULL "
                "THEN position BETWEEN %s - 1 AND %s - 1 ELSE intent_id = %s "
                "AND sequence BETWEEN %s AND %s END ORDER BY position",
                [intent, first, last, intent, first, last]).fetchall()]
            root = "sha256:" + self.b64(paired(row))
            form = {"anchor": None, "checkpoint_id": id, "created_at": at,
                    "event_count": last - first + 1, "first_sequence": first,
                    "intent_id": intent and str(intent), "signed_by": self.did,
                    "last_sequence": last, "merkle_root": root,
                    "scope": "intent" if intent else "server"}
            self.tamper(
                "UPDATE log_checkpoint SET merkle_root = %s, signature = %s, "
                "signed_by = %s WHERE id = %s", root,
                self.b64(self.key.sign(kit.canonical(form).encode())),
                self.did, id)

    def receipts(self, made):
        """Each says what it said, and that of the veto the contrary."""
        db, vetoed = self.tamper.db, made["vetoed"]
        events = dict(db.execute(
            "SELECT sequence, event_hash FROM event WHERE intent_id = %s",
            [vetoed["intent_id"]]).fetchall())
        for id, salt, jws in db.execute(
                "SELECT suspension_id, salt, jws FROM receipt").fetchall():
            claims = json.loads(raw(jws.split(".")[1] + "=="))
            said = claims["receipt"]
            if id == vetoed["suspension_id"]:
                sequence = said["event"]["sequence"]
                said["outcome"] = "authorized"
                said["event"].update(
                    event_hash=events[sequence],
                    previous_event_hash=events[sequence - 1])
                by = db.execute("SELECT decided_by FROM decision WHERE "
                                "suspension_id = %s", [id]).fetchone()[0]
                said["_sd"] = self.digests(salt, {
                    "reason": "Fine.", "responded_by": by,
                    "value": "approve"})
            input = ".".join(self.b64(part.encode()) for part in (
                json.dumps({"alg": "EdDSA", "kid": self.kid,
                            "typ": "sayso-receipt+jwt"}),
                kit.canonical(claims)))
            self.tamper("UPDATE receipt SET kid = %s, jws = %s "
                        "WHERE suspension_id = %s", self.kid,
                        f"{input}.{self.b64(self.key.sign(input.encode()))}",
                        id)

    def digests(self, salt, said):
        import hmac
        texts = []
        for name, value in said.items():
            own = self.b64(hmac.digest(salt.encode(), name.encode(),
                                       "sha256"))
            text = json.dumps([own, name, value], separators=(",", ":"))
            texts.append(self.b64(text.encode()))
        return sorted(self.b64(hashlib.sha256(t.encode()).digest())
                      for t in texts)


def paired(row):
    while len(row) & (len(row) - 1):
        row = [*row, row[-1]]
    while len(row) > 1:
        row = [hashlib.sha256(a + b).digest()
               for a, b in zip(row[::2], row[1::2])]
    return row[0]


def base58(data):
    signs = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
    n, text = int.from_bytes(data, "big"), ""
    while n:
        n, rest = divmod(n, 58)
        text = signs[rest] + text
    return text


@contextlib.contextmanager
def forged(tamper, made):
    """All of it: events, leaves, tiles, heads, checkpoints and receipts, with
    a key that was not there yesterday."""
    changed = H4(tamper, made, log=True)
    forger = Forger(tamper)
    forger.key_row()
    forger.heads(0)
    forger.checkpoints()
    forger.receipts(made)
    yield changed


def test_H4_a_log_that_was_signed_anew_is_sound_by_itself(verify, tamper,
                                                          made):
    """Nobody finds that without a head or a key from elsewhere."""
    with forged(tamper, made):
        assert verify() == []


def test_H4_the_head_of_yesterday_names_the_row(verify, tamper, made):
    with forged(tamper, made) as changed:
        options = "--head", str(made["head"])
        lines = verify(*options)
        name = f"BROKEN {made['head']}: "
        assert any(x.startswith(name + "it does not begin this log")
                   for x in lines), lines
        assert any(x.startswith(name + "no key") for x in lines), lines
        rows = verify(*options, rows=True)
        assert any(f"event {changed[0]} of intent "
                   f"{made['vetoed']['intent_id']} " in x and
                   "was written again" in x for x in rows), rows


def test_H4_the_key_of_yesterday_names_the_key(verify, tamper, made):
    with forged(tamper, made):
        lines = verify("--key", made["key"])
        assert any(x.startswith("BROKEN key ") for x in lines)


def test_H4_with_the_true_key_the_head_finds_what_stands_between(
        verify, tamper, made):
    """Somebody with the rights over the database and without the key leaves the
    heads before the change, and they narrow it down."""
    H4(tamper, made, log=True)
    tamper("DELETE FROM log_head WHERE size > 8")
    rows = verify("--head", str(made["head"]), rows=True)
    assert any("event 3 of intent " + made["vetoed"]["intent_id"] in x
               for x in rows), rows


# --- Rows of questions ----------------------------------------------------

@pytest.mark.parametrize("column, value, named", [
    ("outcome", "authorized", "outcome"), ("response", '"approve"', "response"),
    ("reason", "Fine.", "reason"), ("reason", None, "reason"),
    ("decided_by", "somebody", "responded_by"),
    ("claimed", "somebody", "claimed"), ("via", "browser", "responded_via"),
    ("decided_at", "2026-01-01T00:00:00Z", "responded_at"),
    ("constraints", '{"limit": 1}', "constraints"),
    ("state", "expired", "state"), ("state", "cancelled", "state")])
def test_a_decision_alone(verify, tamper, made, column, value, named):
    id = made["vetoed"]["suspension_id"]
    tamper(f"UPDATE decision SET {column} = %s WHERE suspension_id = %s",
           value, id)
    one(verify(), f"question {id} ", named)


def test_the_decision_of_a_withdrawn_question(verify, tamper, made):
    id = made["withdrawn"]["suspension_id"]
    tamper("UPDATE decision SET state = 'resolved', outcome = 'authorized' "
           "WHERE suspension_id = %s", id)
    one(verify(), f"question {id} ", "state and outcome")


def test_the_reason_of_a_withdrawn_question(verify, tamper, made):
    """Its event does not have it; its receipt has."""
    id = made["withdrawn"]["suspension_id"]
    tamper("UPDATE decision SET reason = 'x' WHERE suspension_id = %s", id)
    one(verify(), f"question {id} ", "reason")
    recorded(tamper, made["withdrawn"], reason="x")
    one(verify(), f"receipt of question {id} ")


def test_a_decision_that_is_gone(verify, tamper, made):
    id = made["vetoed"]["suspension_id"]
    tamper("DELETE FROM decision WHERE suspension_id = %s", id)
    one(verify(), f"question {id} ", "decision is missing")


def test_a_decision_that_nobody_made(verify, tamper, made):
    id = made["pending"]["suspension_id"]
    tamper("INSERT INTO decision (suspension_id, kind, asked_by, suspended_at,"
           " state, outcome, response, attempt, decided_by, via, decided_at) "
           "SELECT id, kind, asked_by, suspended_at, 'resolved', 'authorized',"
           " '\"approve\"', 1, 'operator', 'browser', now() FROM suspension "
           "WHERE id = %s", id)
    one(verify(), f"question {id} ", "no event of the log")


@pytest.mark.parametrize("column, value, named", [
    ("question", "Refund 1 euro?", "question"), ("severity", "low", "severity"),
    ("choices", "[]", "choices"), ("title", "x", "digest"),
    ("explanation", "x", "digest"), ("context", '{"a": 1}', "digest"),
    ("asked_by", "x", "digest"), ("responder_mode", "initiator", "digest"),
    ("expires_at", "2030-01-01T00:00:00Z", "digest"),
    ("subject", '{"amount": 1}', "subject")])
def test_a_question_alone(verify, tamper, made, column, value, named):
    id = made["vetoed"]["suspension_id"]
    tamper(f"UPDATE suspension SET {column} = %s WHERE id = %s", value, id)
    one(verify(), f"question {id} ", named)


def test_a_subject_with_its_digest(verify, tamper, made):
    id = made["vetoed"]["suspension_id"]
    tamper("UPDATE suspension SET subject = %s, subject_sha256 = %s "
           "WHERE id = %s", '{"x": 1}',
           hashlib.sha256(b'{"x": 1}').hexdigest(), id)
    one(verify(), f"question {id} ", "subject_sha256")


def test_a_question_that_is_gone(verify, tamper, made):
    id = made["vetoed"]["suspension_id"]
    for table, column in (("receipt", "suspension_id"),
                          ("decision", "suspension_id"), ("suspension", "id")):
        tamper(f"DELETE FROM {table} WHERE {column} = %s", id)
    one(verify(), made["vetoed"]["intent_id"], "question that it asked")


def test_an_old_event_is_compared_with_what_it_has(verify, tamper, made):
    """Before the log was signed events had less: no salt, no digest."""
    id = made["pending"]["suspension_id"]
    rewrite(tamper, made["pending"]["intent_id"], older, log=True)
    for table in ("log_head", "log_checkpoint"):
        tamper(f"DELETE FROM {table}")
    tamper("DELETE FROM receipt")
    tamper("UPDATE decision SET xid = NULL")
    assert verify() == []
    tamper("UPDATE suspension SET title = 'x' WHERE id = %s", id)
    assert verify() == []
    tamper("UPDATE suspension SET question = 'x' WHERE id = %s", id)
    one(verify(), f"question {id} ", "question")


def older(event):
    event.pop("salt")
    event["payload"].pop("asked_sha256", None)


# --- Rows of events and of intents ----------------------------------------

@pytest.mark.parametrize("change", [
    "canonical = overlay(canonical PLACING '9' FROM 40 FOR 1)",
    "canonical = canonical || ' '", "canonical = '{}'", "canonical = 'x'",
    "canonical = replace(canonical, '\"value\":\"deny\"', "
    "'\"value\":\"approve\"')",
    "event_hash = 'sha256:' || repeat('A', 43)", "event_hash = 'x'",
    "previous_event_hash = 'sha256:' || repeat('A', 43)",
    "event_type = 'comment'", "created_at = '2026-01-01T00:00:00Z'",
    "id = '11111111-2222-4333-8444-555555555555'"])
def test_an_event(verify, tamper, made, change):
    id = made["vetoed"]["intent_id"]
    tamper(f"UPDATE event SET {change} WHERE intent_id = %s AND sequence = 3",
           id)
    one(verify(), f"intent {id} sequence 3: ")


@pytest.mark.parametrize("sequence", [1, 3])
def test_an_event_that_is_gone(verify, tamper, made, sequence):
    id = made["vetoed"]["intent_id"]
    tamper("DELETE FROM event WHERE intent_id = %s AND sequence = %s", id,
           sequence)
    one(verify(), f"intent {id} sequence {sequence + 1}: ", "missing")


def last_of(tamper, id):
    return tamper.db.execute("SELECT event_sequence FROM intent WHERE id = %s",
                             [id]).fetchone()[0]


def test_the_last_event_that_is_gone(verify, tamper, made):
    id = made["vetoed"]["intent_id"]
    last = last_of(tamper, id)
    tamper("DELETE FROM event WHERE intent_id = %s AND sequence = %s", id,
           last)
    one(verify(), f"intent {id} sequence {last}: ", "missing at the end")


def test_the_last_event_that_is_gone_with_the_end_of_its_chain(
        verify, tamper, made):
    """The chain holds; the log knows the event."""
    id = made["vetoed"]["intent_id"]
    last = last_of(tamper, id)
    tamper("DELETE FROM event WHERE intent_id = %s AND sequence = %s", id,
           last)
    tamper("UPDATE intent i SET event_sequence = e.sequence, event_hash = "
           "e.event_hash, status = 'active' FROM event e WHERE i.id = %s AND "
           "e.intent_id = i.id AND e.sequence = %s", id, last - 1)
    one(verify(), f"event {last} of intent {id} ", "it is missing")


def test_two_events_that_changed_places(verify, tamper, made):
    """Each with a chain that holds: only the log knows their order."""
    id = made["approved"]["intent_id"]
    was = dict(tamper.db.execute(
        "SELECT sequence, canonical FROM event WHERE intent_id = %s AND "
        "sequence IN (20, 21)", [id]).fetchall())

    def swapped(event):
        other = was.get({20: 21, 21: 20}.get(event["sequence"]))
        if other:
            for key in ("payload", "salt", "id", "created_at"):
                event[key] = json.loads(other)[key]

    tamper("UPDATE event e SET id = o.id, created_at = o.created_at FROM event "
           "o WHERE e.intent_id = %s AND o.intent_id = e.intent_id AND "
           "(e.sequence, o.sequence) IN ((20, 21), (21, 20))", id)
    changed = rewrite(tamper, id, swapped)
    assert len(changed) > 200
    one(verify(), f"event 20 of intent {id} ", "after the log had it")


@pytest.mark.parametrize("change, named", [
    ("title = 'x'", "title"), ("status = 'active'", "status"),
    ("status = 'abandoned'", "status"),
    ("state = '{\"a\": 1}'", "state"),
    ("state = jsonb_set(state::jsonb, '{a}', '1')::text", "state")])
def test_an_intent_alone(verify, tamper, made, change, named):
    id = made["vetoed"]["intent_id"]
    tamper(f"UPDATE intent SET {change} WHERE id = %s", id)
    one(verify(), f"intent {id}: its {named} ")


@pytest.mark.parametrize("member, value", [
    ("response", '"approve"'), ("resolution", '"expired"'),
    ("outcome", '"authorized"'), ("decided_by", '"x"'), ("reason", '"x"'),
    ("question", '"x"'), ("choices", "[]")])
def test_the_record_that_agents_read(verify, tamper, made, member, value):
    """In the state of the intent."""
    id = made["vetoed"]["suspension_id"]
    tamper("UPDATE intent SET state = jsonb_set(state::jsonb, %s, %s)::text "
           "WHERE id = %s", ["_suspension", member], value,
           made["vetoed"]["intent_id"])
    one(verify(), f"question {id} ", member)


# --- Rows of the log ------------------------------------------------------

FLIP = "set_byte({0}, 0, 255 - get_byte({0}, 0))"


def test_a_leaf(verify, tamper, made):
    tamper(f"UPDATE log_leaf SET hash = {FLIP.format('hash')} "
           "WHERE position = 5")
    one(verify(), "leaf 5", "event ", "intent ")


def test_a_leaf_that_is_gone(verify, tamper, made):
    tamper("DELETE FROM log_leaf WHERE position = 5")
    lines = verify()
    assert "BROKEN leaf 5: it is missing" in lines
    assert any("the log does not have it" in x for x in lines)


def test_a_tile(verify, tamper, made):
    tamper(f"UPDATE log_tile SET hashes = {FLIP.format('hashes')} "
           "WHERE level = 0 AND number = 0")
    one(verify(), "tile 0/0", "event ")


def test_an_upper_tile(verify, tamper, made):
    tamper(f"UPDATE log_tile SET hashes = {FLIP.format('hashes')} "
           "WHERE level = 1")
    one(verify(), "tile 1/0")


@pytest.mark.parametrize("level", [0, 1])
def test_a_tile_that_is_gone(verify, tamper, made, level):
    tamper("DELETE FROM log_tile WHERE level = %s AND number = 0", level)
    one(verify(), f"tile {level}/0", "missing")


@pytest.mark.parametrize("change, named", [
    (f"root = {FLIP.format('root')}", "size and root"),
    ("note = replace(note, E'\\n\\n', E'\\nx\\n\\n')", "no key"),
    ("note = 'x'", "head of"),
    ("signed_at = '2020-01-01T00:00:00Z'", "of that time")])
def test_a_head(verify, tamper, made, change, named):
    tamper(f"UPDATE log_head SET {change} "
           "WHERE size = (SELECT max(size) FROM log_head)")
    one(verify(), "head of ", named)


@pytest.mark.parametrize("change, named", [
    ("merkle_root = 'sha256:' || repeat('A', 43)", "signed"),
    ("signature = repeat('A', 86)", "signed"),
    ("signed_by = 'did:key:z6Mk'", "signed"),
    ("created_at = '2020-01-01T00:00:00Z'", "signed")])
def test_a_checkpoint(verify, tamper, made, change, named):
    tamper(f"UPDATE log_checkpoint SET {change} WHERE id = (SELECT id FROM "
           "log_checkpoint WHERE first_sequence = 101)")
    one(verify(), "checkpoint chk_", named)


def test_a_checkpoint_that_is_gone(verify, tamper, made):
    tamper("DELETE FROM log_checkpoint WHERE first_sequence = 101")
    one(verify(), "checkpoint chk_", "does not follow")


@pytest.mark.parametrize("change, named", [
    ("jws = overlay(jws PLACING 'AAAA' FROM length(jws) - 10)", "signed"),
    ("jws = 'x'", "receipt of"), ("kid = repeat('k', 43)", "signed"),
    ("event_sequence = 1", "event"), ("salt = 'x'", "name"),
    ("signed_at = '2020-01-01T00:00:00Z'", "current")])
def test_a_receipt(verify, tamper, made, change, named):
    id = made["vetoed"]["suspension_id"]
    tamper(f"UPDATE receipt SET {change} WHERE suspension_id = %s", id)
    one(verify(), id, named)


def test_the_receipt_of_another_question(verify, tamper, made):
    ids = [made[x]["suspension_id"] for x in ("vetoed", "approved")]
    tamper("UPDATE receipt r SET jws = o.jws, salt = o.salt FROM receipt o "
           "WHERE r.suspension_id = %s AND o.suspension_id = %s", *ids)
    one(verify(), f"receipt of question {ids[0]} ")


def test_a_receipt_that_is_gone(verify, tamper, made):
    id = made["vetoed"]["suspension_id"]
    tamper("DELETE FROM receipt WHERE suspension_id = %s", id)
    one(verify(), f"receipt of question {id} ", "missing")


def test_a_log_that_was_cut(verify, tamper, made):
    """The events are there, and were taken out of the log."""
    tamper("DELETE FROM log_leaf WHERE position >= 200")
    tamper("DELETE FROM log_tile")
    tamper("DELETE FROM log_head WHERE size > 200")
    tamper("UPDATE log_end SET size = 200")
    lines = verify("--head", str(made["head"]))
    assert any(x.startswith(f"BROKEN {made['head']}: the log was cut")
               for x in lines), lines


def test_a_key_that_is_gone(verify, tamper, made):
    tamper("UPDATE signing_key SET public_key = repeat('A', 43), kid = "
           "repeat('k', 43), did = 'x'")
    lines = verify("--head", str(made["head"]))
    assert any(x.startswith(f"BROKEN {made['head']}: no key") for x in lines)
    lines = verify("--key", made["key"])
    assert any(x.startswith("BROKEN key kkk") for x in lines)


# --- Erased events --------------------------------------------------------

def erase(tamper, id, sequence, rule="contents-90d"):
    tamper("UPDATE event SET canonical = '' WHERE intent_id = %s AND "
           "sequence = %s", id, sequence)
    if rule:
        tamper("INSERT INTO event_erased VALUES (%s, %s, %s, now())", id,
               sequence, rule)


def test_what_a_rule_erased_is_sound(verify, tamper, made, server):
    id = made["vetoed"]["intent_id"]
    for sequence in (1, 3):
        erase(tamper, id, sequence)
    assert verify() == [] == verify("--head", str(made["head"]))
    done = server.sayso("verify", id)
    assert f"ERASED event 3 of intent {id}: by rule contents-90d on 20" in \
        done.stdout


def test_what_a_rule_erased_is_said_everywhere(tamper, made, server, tmp_path):
    id, asked = (made["vetoed"][x] for x in ("intent_id", "suspension_id"))
    erase(tamper, id, 3)
    agent = server.client("agent", agent="log-agent")
    [event] = [e for e in agent.get(f"/api/v1/intents/{id}/events").json()
               if e["sequence"] == 3]
    assert event["erased"]["rule"] == "contents-90d"
    assert (event["event_type"], event["payload"]) == ("intent.resumed", {})
    assert agent.get(f"/api/v1/intents/{id}/events/{event['id']}").json() == \
        event
    checked = agent.get(f"/api/v1/intents/{id}/events/verify").json()
    assert checked["chain_valid"]
    assert [e["sequence"] for e in checked["events"] if "erased" in e] == [3]
    receipt = agent.get(f"/api/v1/suspensions/{asked}/receipt").json()
    assert receipt["texts"]["event"] is None and receipt["texts"]["subject"]
    assert receipt["erased"] == {"event": event["erased"]}
    (tmp_path / "receipt.json").write_text(json.dumps(receipt))
    done = server.sayso("verify", "--receipt", str(tmp_path / "receipt.json"),
                        "--key", made["key"])
    assert done.returncode == 0, done.stdout
    assert "ERASED answer: by rule contents-90d on 20" in done.stdout
    log = str(tmp_path / "log.jsonl")
    assert server.sayso("export", "--log", log).returncode == 0
    done = server.sayso("verify", "--bundle", log, "--key", made["key"])
    assert done.returncode == 0, done.stdout
    assert f"event 3 of {id}: by rule contents-90d on 20" in done.stdout


def test_what_no_rule_erased_is_broken(verify, tamper, made):
    id = made["vetoed"]["intent_id"]
    erase(tamper, id, 3, rule=None)
    one(verify(), f"intent {id} sequence 3", "no rule erased them")


def test_a_hash_that_was_erased_too_is_broken(verify, tamper, made):
    id = made["vetoed"]["intent_id"]
    erase(tamper, id, 3)
    tamper("UPDATE event SET event_hash = 'sha256:' || repeat('A', 43) WHERE "
           "intent_id = %s AND sequence = 3", id)
    lines = verify()
    assert any(f"intent {id} sequence 4" in x for x in lines)


# --- What came after a checkpoint -------------------------------------------

@pytest.fixture
def since(server, made):
    """Lines of a check that begins at the checkpoint, or elsewhere."""
    def run(at=made["point"]["checkpoint_id"], *options, status=None):
        done = server.sayso("verify", "--since", str(at), *options)
        lines = done.stdout.splitlines()
        broken = [x for x in lines if x.startswith("BROKEN ")]
        assert done.returncode == (1 if broken else 0), (
            done.stdout + done.stderr)
        assert lines[-1].endswith(f" {len(broken)} broken")
        return lines

    return run


def test_it_says_what_it_has_checked_and_on_what_it_relied(since, made):
    point, size = made["point"], made["size"]
    at = point["last_sequence"]
    whole = [f"relied on {point['checkpoint_id']} of "
             f"{point['created_at']}Z for the first {at} events of the log",
             f"checked events {at + 1} to {size}, and their intents as a whole",
             f"not checked: intents without an event after {at}"]
    for where in (point["checkpoint_id"], at, at + 7,
                  point["created_at"] + "Z"):
        lines = since(where)
        assert lines[:-1] == whole, where
        assert lines[-1].startswith("2 intents, ")
    assert since(at, "--head", str(made["head"]), "--key", made["key"])[0] \
        == whole[0]


def test_a_change_before_it_is_left_out_and_not_called_sound(
        since, verify, tamper, made):
    id = made["withdrawn"]["intent_id"]
    tamper("UPDATE event SET canonical = replace(canonical, 'actor', 'axtor') "
           "WHERE intent_id = %s AND sequence = 1", id)
    assert since()[-2].startswith("not checked: intents without an event ")
    one(verify(), f"intent {id} sequence 1")


@pytest.mark.parametrize("query", [
    "UPDATE event SET canonical = replace(canonical, 'actor', 'axtor') WHERE "
    "intent_id = %(vetoed)s AND sequence = 4",
    # Before it, of an intent that has gone on.
    "UPDATE event SET canonical = replace(canonical, 'actor', 'axtor') WHERE "
    "intent_id = %(approved)s AND sequence = 2",
    "UPDATE decision SET reason = 'x' WHERE suspension_id = (SELECT id FROM "
    "suspension WHERE intent_id = %(vetoed)s)",
    "DELETE FROM event WHERE intent_id = %(approved)s AND sequence = 150",
    # Also where it is of events that were not read.
    "UPDATE log_tile SET hashes = overlay(hashes PLACING sha256('x') FROM 1) "
    "WHERE level = 0 AND number = 0",
    "DELETE FROM log_tile WHERE level = 0 AND number = 0",
    "UPDATE log_checkpoint SET signature = repeat('A', 86) WHERE "
    "first_sequence = 101"])
def test_a_change_after_it_is_found(since, server, tamper, made, query):
    with server.database() as db:
        ids = {k: made[k]["intent_id"] for k in ("vetoed", "approved")}
        query = psycopg.ClientCursor(db).mogrify(query, ids)
    tamper(query)
    assert since()[0].startswith("BROKEN ")


def test_an_event_that_the_log_does_not_have_yet(since, server, tamper, made):
    id = made["pending"]["intent_id"]
    with server.client("agent", agent="log-agent") as agent:
        kit.made(agent.post(f"/api/v1/intents/{id}/events", json={
            "event_type": "comment", "payload": {}}))
    assert since()[-1].startswith("3 intents, ")
    tamper("UPDATE event SET canonical = replace(canonical, 'comment', 'x') "
           "WHERE intent_id = %s AND event_type = 'comment'", id)
    assert since()[0].startswith(f"BROKEN intent {id} sequence ")


def test_what_a_rule_erased_after_it(since, tamper, made):
    id = made["vetoed"]["intent_id"]
    erase(tamper, id, 3)
    lines = since()
    assert lines[0].startswith(
        f"ERASED event 3 of intent {id}: by rule contents-90d on 20")
    assert ", 1 erased, " in lines[-1]


@pytest.mark.parametrize("change", [
    "last_sequence = last_sequence + 100, event_count = event_count + 100",
    "merkle_root = 'sha256:' || repeat('A', 43)"])
def test_a_forged_point(since, tamper, made, change):
    point = made["point"]["checkpoint_id"]
    tamper(f"UPDATE log_checkpoint SET {change} WHERE id = %s", point)
    lines = since()
    assert lines[0].startswith(f"BROKEN checkpoint {point}: ")
    assert lines[1] == "nothing else was checked"


def test_a_point_with_a_key_of_its_own(since, tamper, made):
    Forger(tamper).key_row()
    lines = since(made["point"]["checkpoint_id"], "--key", made["key"])
    assert any(x.startswith("BROKEN key ") for x in lines)


@pytest.mark.parametrize("at, named", [
    ("chk_AAAAAAAAAAAAAAAAAAAAAA", "no checkpoint"), (1, "no checkpoint"),
    ("2020-01-01T00:00:00Z", "no checkpoint"), ("yesterday", "has to be"),
    (0, "has to be"), ("chk_'; --", "no checkpoint")])
def test_a_point_that_is_none(server, made, at, named):
    done = server.sayso("verify", "--since", str(at))
    assert done.returncode == 2 and named in done.stderr and not done.stdout


def numbers(server):
    with server.client() as nobody:
        return dict(re.findall(r"(?m)^sayso_verify_(\S+) (\d+)$",
                               nobody.get("/metrics").text))


def test_the_last_check_goes_on_and_is_a_number(since, server, tamper, made):
    with server.database() as db:
        db.execute("DELETE FROM verification")
    at = 'last_success_timestamp_seconds{{scope="{}"}}'.format
    assert numbers(server) == {at("all"): "0", at("since"): "0",
                               'broken{scope="all"}': "0",
                               'broken{scope="since"}': "0"}
    assert len(since("last")) == 1  # of all: there was none
    all_ = numbers(server)
    assert 0 <= time.time() - int(all_[at("all")]) < 60
    assert all_[at("since")] == "0"
    newest = since("last")
    assert newest[0].startswith("relied on chk_")
    sound = numbers(server)[at("since")]
    assert int(sound) >= int(all_[at("all")])
    tamper("UPDATE log_head SET root = sha256('x') WHERE size = (SELECT "
           "max(size) FROM log_head)")
    assert since("last")[0].startswith("BROKEN ")
    assert numbers(server) == {**all_, at("since"): sound,
                               'broken{scope="since"}': "1"}
