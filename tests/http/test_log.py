"""The verifiable log over HTTP: checkpoints and their proofs (RFC-0019),
receipts, keys, heads and tiles. The checks are worked out here, by the formats
alone."""
import base64
import hashlib
import json
import time

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import \
    Ed25519PublicKey
from openintent.models import MerkleProof

import kit
from kit import (ANY_ID, answer, ask, asleep, canonical, configured, events,
                 get, hash_of, made, new_id, new_intent, own_server, refused,
                 set_status, wait_for)
from server import place

LIST = "GET /api/v1/checkpoints"
ONE = "GET /api/v1/checkpoints/{id}"
PROOF = "GET /api/v1/checkpoints/{id}/proof/{event_id}"
CONSISTENCY = "GET /api/v1/verify/consistency"
RECEIPT = "GET /api/v1/suspensions/{id}/receipt"
JWKS = "GET /.well-known/jwks.json"
KEYS = "GET /log/keys"
HEAD = "GET /log/checkpoint"
TILE = "GET /log/tile/{level}/{n}"
TILE2 = "GET /log/tile/{level}/{n1}/{n2}"
TILE3 = "GET /log/tile/{level}/{n1}/{n2}/{n3}"
TILE4 = "GET /log/tile/{level}/{n1}/{n2}/{n3}/{n4}"
HEAD_OF = "GET /log/{epoch}/checkpoint"
TILE_OF = "GET /log/{epoch}/tile/{level}/{n}"
TILE2_OF = "GET /log/{epoch}/tile/{level}/{n1}/{n2}"
TILE3_OF = "GET /log/{epoch}/tile/{level}/{n1}/{n2}/{n3}"
TILE4_OF = "GET /log/{epoch}/tile/{level}/{n1}/{n2}/{n3}/{n4}"
route = pytest.mark.route

MEMBERS = set("""checkpoint_id intent_id scope merkle_root event_count
first_sequence last_sequence created_at signed_by signature anchor""".split())


# --- The formats ----------------------------------------------------------

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def digest(text):
    """The bytes of a hash as events and checkpoints write it."""
    assert text.startswith("sha256:")
    return unb64(text[7:])


def base58(text):
    n = 0
    for sign in text:
        n = n * 58 + "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstu" \
            "vwxyz".index(sign)
    return n.to_bytes(34, "big")


def key_of(did):
    data = base58(did.removeprefix("did:key:z"))
    assert data[:2] == b"\xed\x01"
    return Ed25519PublicKey.from_public_bytes(data[2:])


def paired(row):
    """The tree of RFC-0019 above these digests."""
    while len(row) & (len(row) - 1):
        row = [*row, row[-1]]
    while len(row) > 1:
        row = [sha(a, b) for a, b in zip(row[::2], row[1::2])]
    return row[0]


def rooted(entries):
    """The root of RFC 9162 above the leaves of these entries."""
    if len(entries) == 1:
        return sha(b"\0", entries[0])
    half = 1 << (len(entries) - 1).bit_length() - 1
    return sha(b"\1", rooted(entries[:half]), rooted(entries[half:]))


def signed(checkpoint):
    """Its signature holds; ValueError otherwise."""
    assert set(checkpoint) == MEMBERS
    form = {k: v for k, v in checkpoint.items() if k != "signature"}
    key_of(checkpoint["signed_by"]).verify(
        unb64(checkpoint["signature"]),
        canonical({**form, "anchor": None}).encode())
    return checkpoint


def proves(proof, checkpoint):
    """Its proof holds, and is as long as the batch wants it."""
    steps = proof["proof_hashes"]
    count, index = checkpoint["event_count"], proof["leaf_index"]
    assert proof["merkle_root"] == checkpoint["merkle_root"]
    assert proof["checkpoint_id"] == checkpoint["checkpoint_id"]
    assert len(steps) == (count - 1).bit_length() and index < count
    now = digest(proof["event_hash"])
    for level, step in enumerate(steps):
        side = "left" if index >> level & 1 else "right"
        assert step["position"] == side
        other = digest(step["hash"])
        now = sha(other, now) if side == "left" else sha(now, other)
    assert now == digest(checkpoint["merkle_root"])
    assert MerkleProof.from_dict(proof).verify()  # OpenIntent's own


class Note:
    """A signed note of C2SP: its text, and the signatures by name."""

    def __init__(self, text):
        self.text, _, lines = text.partition("\n\n")
        self.text += "\n"
        self.origin, self.size, self.root = self.text.splitlines()
        self.size, self.root = int(self.size), base64.b64decode(self.root)
        self.signatures = [line.split(" ")[1:] for line in lines.splitlines()]

    def by(self, vkey):
        name, number, key = vkey.split("+", 2)
        data = base64.b64decode(key)
        assert data[:1] == b"\1"
        assert sha(name.encode(), b"\n", data)[:4].hex() == number
        mine = [base64.b64decode(s) for n, s in self.signatures if n == name]
        (mine,) = [s for s in mine if s[:4].hex() == number]
        Ed25519PublicKey.from_public_bytes(data[1:]).verify(
            mine[4:], self.text.encode())
        return self


def included(entry, index, size, path):
    """The root that an inclusion proof of RFC 9162 leads to."""
    now, last = sha(b"\0", entry), size - 1
    for step in path:
        if index & 1 or index == last:
            now = sha(b"\1", step, now)
            while not index & 1 and index:
                index, last = index >> 1, last >> 1
        else:
            now = sha(b"\1", now, step)
        index, last = index >> 1, last >> 1
    assert last == 0
    return now


def consistent(old, new, path):
    """RFC 9162 2.1.4.2: the new tree has the old one as its beginning."""
    (m, first), (n, second) = old, new
    if m == n:
        return not path and first == second
    path = list(path)
    if m & (m - 1) == 0:
        path.insert(0, first)
    at, last = m - 1, n - 1
    while at & 1:
        at, last = at >> 1, last >> 1
    one = two = path[0]
    for step in path[1:]:
        if at & 1 or at == last:
            one, two = sha(b"\1", step, one), sha(b"\1", step, two)
            while not at & 1 and at:
                at, last = at >> 1, last >> 1
        else:
            two = sha(b"\1", two, step)
        at, last = at >> 1, last >> 1
    return (one, two, last) == (first, second, 0)


# --- Checkpoints ----------------------------------------------------------

def checkpoints(client, **query):
    r = client.get("/api/v1/checkpoints", params=query)
    assert r.status_code == 200, r.text
    return r.json()


def ended(client, comments=0):
    """An intent with so many comments that has ended; its events, oldest
    first, and its checkpoints likewise."""
    intent = new_intent(client, "draft")
    for _ in range(comments):
        comment(client, intent)
    if comments >= 98:  # before its end: whole batches alone
        full = wait_for(lambda: len(got := checkpoints(
            client, intent_id=intent["id"])) == (comments + 1) // 100 and got)
        assert {c["event_count"] for c in full} == {100}
    assert set_status(client, get(client, intent),
                      "abandoned").status_code == 200
    return intent, covered(client, intent)


def covered(client, intent):
    """Its events and checkpoints, oldest first, when all are covered."""
    listed = events(client, intent["id"], limit=1000)[::-1]

    def all_():
        found = checkpoints(client, intent_id=intent["id"])[::-1]
        return sum(c["event_count"] for c in found) == len(listed) and found

    return listed, wait_for(all_)


@pytest.fixture(scope="module")
def long(agent):
    """250 events, of which the last one ends the intent."""
    intent, (listed, found) = ended(agent, 248)
    assert len(listed) == 250
    return intent, listed, found


@route(LIST)
@route(ONE)
def test_L2_batches_of_an_intent(agent, long):
    intent, listed, found = long
    assert checkpoints(agent, intent_id=intent["id"])[::-1] == found
    assert [(c["first_sequence"], c["last_sequence"], c["event_count"])
            for c in found] == [(1, 100, 100), (101, 200, 100), (201, 250, 50)]
    for c in found:
        signed(c)
        assert (c["scope"], c["intent_id"], c["anchor"]) == \
            ("intent", intent["id"], None)
        batch = listed[c["first_sequence"] - 1:c["last_sequence"]]
        assert digest(c["merkle_root"]) == paired(
            [digest(e["event_hash"]) for e in batch])
        assert agent.get(
            f"/api/v1/checkpoints/{c['checkpoint_id']}").json() == c
    with pytest.raises(InvalidSignature):
        signed({**found[0], "event_count": 99})


def test_L2_batches_of_one_moment_keep_their_order(agent, server):
    """All three are made at once where the signer was away."""
    with asleep(server, "seal"):
        intent = new_intent(agent, "draft")
        for n in range(248):
            made(agent.post(f"/api/v1/intents/{intent['id']}/events", json={
                "event_type": "comment", "payload": {"n": n}}))
        made(set_status(agent, get(agent, intent), "abandoned"), 200)
    _, found = covered(agent, intent)
    assert [c["last_sequence"] for c in found] == [100, 200, 250]


def test_L2_nothing_new_makes_no_checkpoint(agent, long):
    time.sleep(1.5)
    assert len(checkpoints(agent, intent_id=long[0]["id"])) == 3


def test_pages_of_checkpoints(agent, long):
    of = {"intent_id": long[0]["id"]}
    whole = checkpoints(agent, **of)
    first = checkpoints(agent, **of, limit=2)
    rest = checkpoints(agent, **of, limit=2, after=first[-1]["checkpoint_id"])
    assert first + rest == whole
    assert checkpoints(agent, **of, scope="server") == []
    assert checkpoints(agent, **of, scope="intent") == whole


@route(PROOF)
def test_L3_each_event_is_proven(agent, long):
    _, listed, found = long
    seen = 0
    for c in found:
        at = f"/api/v1/checkpoints/{c['checkpoint_id']}/proof"
        for e in listed[c["first_sequence"] - 1:c["last_sequence"]]:
            proof = agent.get(f"{at}/{e['id']}").json()
            assert (proof["event_id"], proof["event_hash"]) == \
                (e["id"], e["event_hash"])
            assert proof["leaf_index"] == e["sequence"] - c["first_sequence"]
            proves(proof, c)
            seen += 1
    assert seen == len(listed)


@pytest.mark.parametrize("comments", [0, 1, 3])
def test_L3_small_batches(agent, comments):
    _, (listed, (c,)) = ended(agent, comments)
    assert c["event_count"] == comments + 2
    for e in listed:
        proves(agent.get(f"/api/v1/checkpoints/{c['checkpoint_id']}/proof/"
                         f"{e['id']}").json(), c)


def test_an_event_of_another_batch_is_not_covered(agent, long):
    _, listed, found = long
    at = f"/api/v1/checkpoints/{found[0]['checkpoint_id']}/proof/"
    for other in (listed[100]["id"], ANY_ID, "x"):
        refused(agent.get(at + other), 404, "log.not_covered")


def between(client, a, b):
    return client.get("/api/v1/verify/consistency", params={
        "from_checkpoint": a["checkpoint_id"],
        "to_checkpoint": b["checkpoint_id"]}).json()


@route(CONSISTENCY)
def test_consistency(agent, long):
    _, listed, found = long
    got = between(agent, found[0], found[2])
    assert got == {
        "from_checkpoint": found[0]["checkpoint_id"],
        "to_checkpoint": found[2]["checkpoint_id"], "consistent": True,
        "boundary_event": {
            k: listed[100][k] for k in
            ("sequence", "event_hash", "previous_event_hash")}}
    assert got["boundary_event"]["previous_event_hash"] == \
        listed[99]["event_hash"]
    assert between(agent, found[1], found[1])["consistent"] is True
    # The last event of all has none after it.
    assert between(agent, found[2], found[2])["boundary_event"] is None


def test_consistency_that_there_is_not(agent, long):
    _, _, found = long
    other = ended(agent)[1][1][0]
    for a, b in ((found[2], found[0]), (other, found[2]), (found[0], other)):
        got = between(agent, a, b)
        assert got["consistent"] is False and got["boundary_event"] is None


def test_ids_that_nothing_has(agent, long):
    c = long[2][0]["checkpoint_id"]
    for unknown in ("chk_AAAAAAAAAAAAAAAAAAAAAA", "x", ANY_ID):
        for path in (f"checkpoints/{unknown}", f"checkpoints/{unknown}/proof/"
                     f"{ANY_ID}", f"checkpoints?after={unknown}",
                     "verify/consistency?from_checkpoint="
                     f"{unknown}&to_checkpoint={c}",
                     "verify/consistency?to_checkpoint="
                     f"{unknown}&from_checkpoint={c}",
                     f"verify/consistency?from_checkpoint={c}"):
            refused(agent.get(f"/api/v1/{path}"), 404,
                    "log_checkpoint.unknown")
    refused(agent.get("/api/v1/checkpoints?scope=other"), 400,
            "request.query")
    refused(agent.get(f"/api/v1/checkpoints?intent_id={ANY_ID}"), 404,
            "intent.unknown")


def test_who_sees_the_checkpoints_of_an_intent(
        agent, stranger, operator, auditor, admin, long):
    intent, listed, found = long
    one = f"/api/v1/checkpoints/{found[0]['checkpoint_id']}"
    for client in (operator, admin, auditor):
        assert client.get(one).json() == found[0]
        assert checkpoints(client, intent_id=intent["id"])[::-1] == found
        assert found[2] in checkpoints(client, limit=1000)
        proves(client.get(f"{one}/proof/{listed[4]['id']}").json(), found[0])
    for path in (one, f"{one}/proof/{listed[4]['id']}",
                 f"/api/v1/checkpoints?after={found[0]['checkpoint_id']}",
                 "/api/v1/verify/consistency?from_checkpoint="
                 f"{found[0]['checkpoint_id']}&to_checkpoint="
                 f"{found[0]['checkpoint_id']}"):
        refused(stranger.get(path), 404, "log_checkpoint.unknown")
    refused(stranger.get(f"/api/v1/checkpoints?intent_id={intent['id']}"),
            404, "intent.unknown")
    # An agent that names no intent gets the server's alone.
    for client in (agent, stranger):
        assert {c["scope"] for c in checkpoints(client)} <= {"server"}
        assert {c["scope"] for c in checkpoints(client, scope="intent")} <= \
            {"server"}


def test_readers_of_an_intent_read_its_checkpoints(agent, stranger, long):
    intent, listed, found = long
    one = f"/api/v1/checkpoints/{found[1]['checkpoint_id']}"
    access = f"/api/v1/intents/{intent['id']}/acl/entries"
    refused(stranger.get(one), 404)
    entry = made(agent.post(access, json={
        "principal_id": "log-stranger", "permission": "read"}))
    assert stranger.get(one).json() == found[1]
    # The grant is an event too, and soon has a checkpoint.
    assert checkpoints(stranger, intent_id=intent["id"])[::-1][:3] == found
    proves(stranger.get(f"{one}/proof/{listed[150]['id']}").json(), found[1])
    assert between(stranger, found[0], found[1])["consistent"] is True
    agent.delete(f"{access}/{entry['id']}")
    refused(stranger.get(one), 404)


@pytest.fixture
def stranger(server):
    """An agent that reaches nothing of the others."""
    key = server.key("agent", "--agent", "log-stranger")
    with server.client(headers={"X-API-Key": key}) as client:
        yield client


# --- The server's log -----------------------------------------------------

def vkey(client):
    (key,) = [k for k in client.get("/log/keys").json()
              if k["state"] == "current"]
    return key["vkey"]


def head(client, size=1):
    """The newest head that has so many events, its signature checked."""
    def large():
        r = client.get("/log/checkpoint")
        if r.status_code == 404:
            refused(r, 404, "log.no_head")
            return None
        assert r.headers["content-type"] == "text/plain; charset=utf-8"
        note = Note(r.text).by(vkey(client))
        return note if note.size >= size else None

    return wait_for(large)


def number(n):
    """A tile's number as its address has it."""
    parts = [f"{n % 1000:03d}"]
    while n := n // 1000:
        parts.insert(0, f"x{n % 1000:03d}")
    return "/".join(parts)


def tiles(client, level, count, width, log="/log"):
    """The hashes of a level of the tree, or its entries."""
    out = b""
    for n in range((count + 255) // 256):
        part = min(256, count - 256 * n)
        r = client.get(f"{log}/tile/{level}/{number(n)}" +
                       (f".p/{part}" if part < 256 else ""))
        assert r.status_code == 200, r.text
        assert r.headers["content-type"] == "application/octet-stream"
        assert "max-age=31536000, immutable" in r.headers["cache-control"]
        assert len(r.content) == part * width
        out += r.content
    return [out[i:i + width] for i in range(0, len(out), width)]


@route(HEAD)
@route(TILE)
@route(TILE2)
def test_tiles_lead_to_the_head(agent, long):
    note = head(agent, 256)
    assert note.origin.endswith("/log")
    entries = tiles(agent, "entries", note.size, 34)
    assert {e[:2] for e in entries} == {b"\0\x20"}
    entries = [e[2:] for e in entries]
    assert rooted(entries) == note.root
    leaves = tiles(agent, 0, note.size, 32)
    assert leaves == [sha(b"\0", e) for e in entries]
    above = tiles(agent, 1, note.size // 256, 32)
    assert above == [rooted(entries[i:i + 256]) for i in
                     range(0, note.size // 256 * 256, 256)]
    # Each event of the intent is in it once, in its order.
    of = [digest(e["event_hash"]) for e in long[1]]
    assert [e for e in entries if e in set(of)] == of


def test_a_head_only_grows(agent):
    before = head(agent)
    ended(agent)
    after = head(agent, before.size + 2)
    entries = [e[2:] for e in tiles(agent, "entries", after.size, 34)]
    assert rooted(entries[:before.size]) == before.root
    assert rooted(entries) == after.root


@pytest.mark.parametrize("path", [
    "0/999", "6/000", "7/000", "-1/000", "x/000", "entries/999", "0/0",
    "0/0000", "0/x000", "0/000.p/0", "0/000.p/256", "0/000.p/01x", "0/000/1",
    "0/001/000", "0/x001/000", "0/x001/x000/000", "0/x001/x000/000.p/1",
    "0/x0001/000", "entries/x001/x000/000.p/1", "0/000.p", "0/+01"])
@route(TILE)
@route(TILE2)
@route(TILE3)
@route(TILE4)
def test_tiles_that_are_not_there(agent, path):
    refused(agent.get(f"/log/tile/{path}"), 404, "log.no_tile")
    for other in ("6/000", "6/000.p/1", "6/x001/000.p/1",
                  "6/x001/x000/000.p/1"):  # one of each row
        refused(agent.get(f"/log/tile/{other}"), 404, "log.no_tile")


@route(TILE3)
@route(TILE4)
def test_tiles_with_long_numbers(agent, server):
    """256 million events would have them: rows as such a log has."""
    head(agent)
    data = hashlib.shake_256(b"tile").digest(8192)
    with server.database() as db:
        for n in (1000, 1000000):
            db.execute("INSERT INTO log_tile SELECT epoch, 5, %s, %s "
                       "FROM log_end", [n, data])
    try:
        for path in ("x001/000", "x001/x000/000"):
            assert agent.get(f"/log/tile/5/{path}").content == data
            assert agent.get(f"/log/tile/5/{path}.p/7").content == data[:224]
    finally:
        with server.database() as db, db.transaction():
            db.execute("SET LOCAL session_replication_role = replica")
            db.execute("DELETE FROM log_tile WHERE level = 5")


@route(HEAD_OF)
@route(TILE_OF)
@route(TILE2_OF)
@route(TILE3_OF)
@route(TILE4_OF)
def test_a_log_after_a_restore_has_an_address_of_its_own(agent, server):
    """test_restored.py has a real one: here are rows as such a log has."""
    data = hashlib.shake_256(b"restored").digest(8192)
    with server.database() as db:
        db.execute("INSERT INTO log_head VALUES (7, 1, %s, 'the head', now())",
                   [bytes(32)])
        for n in (0, 1000, 1000000):
            db.execute("INSERT INTO log_tile VALUES (7, 0, %s, %s)", [n, data])
    try:
        assert agent.get("/log/7/checkpoint").text == "the head"
        assert agent.get("/log/checkpoint").text != "the head"
        for path in ("000", "x001/000", "x001/x000/000"):
            assert agent.get(f"/log/7/tile/0/{path}").content == data
            assert agent.get(f"/log/7/tile/0/{path}.p/7").content == \
                data[:224]
        for epoch in ("8", "0", "07", "-7", "x", "99999999999", "tile"):
            refused(agent.get(f"/log/{epoch}/checkpoint"), 404, "log.no_head")
            refused(agent.get(f"/log/{epoch}/tile/0/000.p/7"), 404,
                    "log.no_tile")
    finally:
        with server.database() as db, db.transaction():
            db.execute("SET LOCAL session_replication_role = replica")
            for table in ("log_tile", "log_head"):
                db.execute(f"DELETE FROM {table} WHERE epoch = 7")


@route(KEYS)
@route(JWKS)
def test_the_keys(server, agent):
    with server.client(headers={}) as nobody:
        listed = nobody.get("/log/keys").json()
        jwks = nobody.get("/.well-known/jwks.json")
        assert jwks.headers["cache-control"] == "public, max-age=300"
        jwks = jwks.json()
    assert set(listed[0]) == {"did", "public_key", "state", "not_before",
                              "not_after", "successor", "vkey"}
    assert [k["state"] for k in listed] == ["current"]
    raw = unb64(listed[0]["public_key"])
    assert base58(listed[0]["did"][9:])[2:] == raw
    assert base64.b64decode(listed[0]["vkey"].split("+", 2)[2]) == b"\1" + raw
    (key,) = jwks["keys"]
    assert (key["kty"], key["crv"], unb64(key["x"]), key["use"]) == \
        ("OKP", "Ed25519", raw, "sig")
    thumb = {k: key[k] for k in ("crv", "kty", "x")}  # RFC 7638
    assert key["kid"] == b64(sha(canonical(thumb).encode()))


def test_a_head_needs_a_key_unless_the_log_is_public(server, agent, auditor):
    head(agent)
    paths = "/log/checkpoint", "/log/tile/0/000.p/1"
    with server.client(headers={}) as nobody:
        for path in paths:
            refused(nobody.get(path), 401, "key.missing")
            r = auditor.get(path)
            assert r.headers["cache-control"].startswith("private, max-age=")
        with configured(server, log_public="yes"):
            for path in paths:
                r = nobody.get(path)
                assert r.status_code == 200
                assert r.headers["cache-control"].startswith("public, max-a")
        refused(nobody.get(paths[0]), 401, "key.missing")


# --- Receipts -------------------------------------------------------------

def receipt(client, asked, whole=True, **query):
    """The receipt; with the proofs, which a head or two later has."""
    at = f"/api/v1/suspensions/{asked['suspension_id']}/receipt"

    def there():
        r = client.get(at, params=query)
        if r.status_code == 503:
            refused(r, 503, "receipt.soon")
            assert r.headers["retry-after"] == "1"
            return None
        assert r.status_code == 200, r.text
        got = r.json()
        return None if whole and not got["tlog_proof"] else got

    return wait_for(there)


def claims(jws, jwks):
    """The claims of a receipt, its signature checked."""
    head_, body, signature = jws.split(".")
    header = json.loads(unb64(head_))
    (key,) = [k for k in jwks["keys"] if k["kid"] == header["kid"]]
    assert (header["alg"], header["typ"]) == ("EdDSA", "sayso-receipt+jwt")
    Ed25519PublicKey.from_public_bytes(unb64(key["x"])).verify(
        unb64(signature), f"{head_}.{body}".encode())
    return json.loads(unb64(body))


def disclosed(bundle, said):
    """The words of the disclosures, each with its digest in the receipt."""
    out = {}
    for one in bundle["disclosures"]:
        assert b64(sha(one.encode())) in said["receipt"]["_sd"]
        salt, name, value = json.loads(unb64(one))
        assert len(unb64(salt)) >= 16
        out[name] = value
    assert len(out) == len(said["receipt"]["_sd"])
    return out


def holds(client, bundle):
    """All of a bundle is what its receipt says. Returns the claims and what
    was disclosed."""
    said = claims(bundle["receipt"], bundle["keys"])
    r, texts = said["receipt"], bundle["texts"]
    for name, at in (("asked_event", r["asked_event"]), ("event", r["event"])):
        assert sha(texts[name].encode()) == digest(at["event_hash"])
        assert json.loads(texts[name])["sequence"] == at["sequence"]
    assert hashlib.sha256(texts["subject"].encode()).hexdigest() == \
        r["subject_sha256"]
    if texts["approved_subject"] is not None:
        assert hashlib.sha256(texts["approved_subject"].encode()
                              ).hexdigest() == r["approved_sha256"]
    if bundle["checkpoint"]:
        proves(bundle["proof"], signed(bundle["checkpoint"]))
        assert bundle["proof"]["event_hash"] == r["event"]["event_hash"]
    if bundle["tlog_proof"]:
        text, _, note = bundle["tlog_proof"].partition("\n\n")
        first, index, *path = text.splitlines()
        assert first == "c2sp.org/tlog-proof@v1"
        note = Note(note).by(vkey(client))
        assert included(digest(r["event"]["event_hash"]),
                        int(index.removeprefix("index ")), note.size,
                        [base64.b64decode(p) for p in path]) == note.root
    return said, disclosed(bundle, said)


@route(RECEIPT)
def test_the_receipt_of_an_answer(agent, operator, auditor):
    asked = ask(agent)
    at = f"/api/v1/suspensions/{asked['suspension_id']}/receipt"
    refused(agent.get(at), 409, "suspension.pending")
    done = answer(operator, asked, reason="The goods came back.").json()
    receipt(agent, asked, whole=False)
    bundle = receipt(agent, asked)
    said, words = holds(agent, bundle)
    r = said["receipt"]
    assert said["sub"] == asked["suspension_id"]
    assert said["jti"] == json.loads(bundle["texts"]["event"])["id"]
    assert (r["state"], r["outcome"], r["responded_via"], r["responded_at"],
            r["intent_id"], r["asked_by"], r["subject_sha256"]) == tuple(
        done[k] for k in ("state", "outcome", "responded_via", "responded_at",
                          "intent_id", "asked_by", "subject_sha256"))
    assert words["value"] == "approve"
    assert words["reason"] == "The goods came back."
    assert words["responded_by"] == done["responded_by"]
    assert receipt(auditor, asked)["receipt"] == bundle["receipt"]


def test_73_without_texts_it_has_no_word_of_the_question(agent, operator):
    secret = ("Zanzibar", "Quokka", "Xylophone")
    asked = ask(agent, question=f"Pay {secret[0]}?",
                context={"to": secret[1]})
    answer(operator, asked, reason=secret[2])
    whole = receipt(agent, asked)
    assert all(any(word in text for text in (
        *filter(None, whole["texts"].values()), str(holds(agent, whole)[1])))
        for word in secret)
    short = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}/receipt",
                      params={"texts": "no"})
    assert set(short.json()) == {"receipt", "checkpoint", "proof",
                                 "tlog_proof", "keys"}
    assert short.json()["receipt"] == whole["receipt"]
    said = claims(whole["receipt"], whole["keys"])
    for word in (*secret, '"approve"', "demo operator"):
        assert word not in short.text and word not in json.dumps(said)


def test_the_token_alone(agent, operator):
    asked = ask(agent)
    answer(operator, asked)
    whole = receipt(agent, asked, whole=False)
    r = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}/receipt",
                  headers={"Accept": "application/jose"})
    assert r.headers["content-type"] == "application/jose"
    assert r.text == whole["receipt"]


def test_a_test_question_has_none(tester):
    asked = ask(tester)
    at = f"/api/v1/suspensions/{asked['suspension_id']}/receipt"
    refused(tester.get(at), 409, "suspension.pending")
    r = tester.post("/api/v1/test/answer", json={
        "suspension_id": asked["suspension_id"], "value": "approve"})
    assert r.status_code == 200, r.text
    refused(tester.get(at), 404, "receipt.test")


def test_who_sees_a_receipt(agent, operator, stranger, user, resource):
    asked = ask(agent)
    answer(operator, asked)
    receipt(agent, asked, whole=False)
    at = f"/api/v1/suspensions/{asked['suspension_id']}/receipt"
    refused(stranger.get(at), 404, "suspension.unknown")
    refused(resource.get(at), 403, "role.forbidden")
    assert user.get(at).status_code == user.get(
        at.removesuffix("/receipt")).status_code
    refused(agent.get(at.replace(asked["suspension_id"], ANY_ID)), 404,
            "suspension.unknown")
    refused(agent.get(at, params={"words": "no"}), 400,
            "request.unknown_key")


# --- Events whose transactions overtake each other ------------------------

def comment(client, intent):
    r = client.post(f"/api/v1/intents/{intent['id']}/events",
                    json={"event_type": "comment", "payload": {}})
    assert r.status_code == 201, r.text


def written(db, intent_id):
    """The next event of the intent, as a transaction of the server writes
    it."""
    last = db.execute(
        "SELECT canonical, event_hash FROM event WHERE intent_id = %s "
        "ORDER BY sequence DESC LIMIT 1", [intent_id]).fetchone()
    event = json.loads(last[0])
    event |= {"sequence": event["sequence"] + 1, "id": new_id(),
              "previous_event_hash": last[1]}
    hash_ = hash_of(event)
    db.execute("INSERT INTO event (intent_id, sequence, id, event_type, "
               "created_at, canonical, event_hash, previous_event_hash) "
               "VALUES (%s, %s, %s, %s, %s, %s, %s, %s)",
               [intent_id, event["sequence"], event["id"],
                event["event_type"], event["created_at"] + "Z",
                canonical(event), hash_, last[1]])
    db.execute("UPDATE intent SET event_sequence = %s, event_hash = %s "
               "WHERE id = %s", [event["sequence"], hash_, intent_id])


def positions(db, intent_id):
    return [p for p, in db.execute(
        "SELECT position FROM log_leaf WHERE intent_id = %s "
        "ORDER BY sequence", [intent_id])]


@pytest.mark.parametrize("seen", [False, True])
def test_an_event_whose_transaction_began_earlier(server, agent, seen):
    """A transaction may have its number before it waits for the intent. So an
    event may come before the one that it follows; nothing is broken then."""
    intent = new_intent(agent, "draft")
    with server.database() as db, server.database("sayso_web") as early, \
            server.database("sayso_web") as between:
        early.execute("BEGIN")
        early.execute("SELECT pg_current_xact_id()")
        if seen:
            between.execute("BEGIN")
            between.execute("SELECT pg_current_xact_id()")
        comment(agent, intent)
        written(early, intent["id"])
        early.execute("COMMIT")
        if seen:  # the later event alone is below the oldest transaction
            assert wait_for(lambda: db.execute(
                "SELECT late FROM log_fault WHERE intent_id = %s",
                [intent["id"]]).fetchone()) == (True,)
            between.execute("COMMIT")
        wait_for(lambda: len(positions(db, intent["id"])) == 3)
        got = positions(db, intent["id"])
        assert got == sorted(got)
        assert db.execute("SELECT count(*) FROM log_fault WHERE intent_id = %s",
                          [intent["id"]]).fetchone() == (0,)
    assert f"seal: intent {intent['id']}" not in server.log()


def test_an_event_that_is_missing():
    """The chain is broken, and that is said once."""
    server = kit.Watched(place("log-broken")).start()
    agent = server.client("agent")
    intent = new_intent(agent, "draft")
    for _ in range(5):
        comment(agent, intent)
    with server.database() as db:
        wait_for(lambda: len(positions(db, intent["id"])) == 6)
        db.execute("UPDATE intent SET event_sequence = event_sequence + 1 "
                   "WHERE id = %s", [intent["id"]])
        for _ in range(3):
            comment(agent, intent)
        wait_for(lambda: db.execute(
            "SELECT late, sequence FROM log_fault WHERE intent_id = %s",
            [intent["id"]]).fetchone() == (False, 8))
        comment(agent, intent)
        assert len(positions(db, intent["id"])) == 6
        time.sleep(1)
        assert server.log().count(f"seal: intent {intent['id']}") == 1
    server.stop()


# --- The server's checkpoints ---------------------------------------------

def test_a_proof_of_the_servers_names_no_intent_of_others(
        server, stranger, operator):
    """The server's checkpoints are everybody's, their events are not."""
    first = wait_for(lambda: checkpoints(operator, scope="server"))[-1]
    at = f"/api/v1/checkpoints/{first['checkpoint_id']}"
    assert stranger.get(at).json() == first
    with server.database() as db:
        (event,) = db.execute(
            "SELECT id::text FROM event JOIN log_leaf USING (intent_id, "
            "sequence) WHERE position = 0").fetchone()
    proof = operator.get(f"{at}/proof/{event}").json()
    assert proof["leaf_index"] == 0
    proves(proof, first)
    refused(stranger.get(f"{at}/proof/{event}"), 404, "intent.unknown")


def test_the_servers_checkpoints(clock):
    """The first is made with the first events; the next five minutes later, if
    anything is new."""
    with own_server(place("log-clock"), **clock.setting) as server, \
            server.client("agent") as agent:
        new_intent(agent, "abandoned")
        wait_for(lambda: checkpoints(agent, scope="server"))
        last = new_intent(agent, "abandoned")
        covered(agent, last)
        assert len(checkpoints(agent, scope="server")) == 1
        clock.forward(minutes=5)
        two = wait_for(lambda: len(got := checkpoints(
            agent, scope="server")) == 2 and got)[::-1]
        clock.forward(minutes=5)
        time.sleep(1.5)
        assert checkpoints(agent, scope="server")[::-1] == two
        entries = [e[2:] for e in
                   tiles(agent, "entries", head(agent, 4).size, 34)]
        first, second = map(signed, two)
        assert (first["first_sequence"], second["last_sequence"]) == \
            (1, len(entries))
        for c in two:
            assert (c["scope"], c["intent_id"]) == ("server", None)
            assert digest(c["merkle_root"]) == paired(
                entries[c["first_sequence"] - 1:c["last_sequence"]])
        event = events(agent, last["id"])[0]
        proves(agent.get(f"/api/v1/checkpoints/{second['checkpoint_id']}/proof"
                         f"/{event['id']}").json(), second)
        got = between(agent, first, second)
        sizes = first["last_sequence"], second["last_sequence"]
        assert got["consistent"] is True
        assert got["boundary_event"]["event_hash"] == \
            "sha256:" + b64(entries[sizes[0]])
        proof = got["tlog_consistency"]
        assert (proof["from_size"], proof["to_size"]) == sizes
        assert consistent(*((n, rooted(entries[:n])) for n in sizes),
                          map(base64.b64decode, proof["hashes"]))
        assert between(agent, first, first)["tlog_consistency"]["hashes"] == []
        back = between(agent, second, first)
        assert back["consistent"] is False and "tlog_consistency" not in back
