"""An export of the log, checked by log_by_page.py, which was written from
docs/log.md alone."""
import base64
import hashlib
import json
import re

import documents
import log_by_page
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import \
    Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding, PublicFormat, load_pem_private_key)
from openintent.models import MerkleProof

import kit


@pytest.fixture(scope="module")
def log(server, agent, operator, tmp_path_factory):
    """An export, the key, and a head from before most of it."""
    asked = kit.ask(agent)
    kit.wait_for(lambda: agent.get("/log/checkpoint").status_code == 200)
    kept = agent.get("/log/checkpoint").text
    assert kit.answer(operator, asked).status_code == 200
    intent = kit.new_intent(agent)
    for n in range(210):
        kit.made(agent.post(f"/api/v1/intents/{intent['id']}/events", json={
            "event_type": "comment", "payload": {"n": n, "text": "Größe"}}))
    at = tmp_path_factory.mktemp("log") / "log.jsonl"

    def exported():
        done = server.sayso("export", "--log", str(at))
        assert done.returncode == 0, done.stderr
        found = [x for x in at.read_text().splitlines() if intent["id"] in x]
        return len(found) >= 212 + 2  # the events, and two checkpoints

    kit.wait_for(exported)
    [key] = [k for k in agent.get("/log/keys").json()
             if k["state"] == "current"]
    return at.read_text().splitlines(), key["vkey"], kept


def check(log, lines=None, kept=None):
    found, vkey, head = log
    return log_by_page.check(lines or found, log_by_page.Key(vkey),
                             [kept or head])[0]


def test_the_page_is_enough_to_verify_the_log(log):
    lines, vkey, kept = log
    wrong, (events, intents, checkpoints) = log_by_page.check(
        lines, log_by_page.Key(vkey), [kept])
    assert wrong == []
    assert events > 210 and intents > 1 and checkpoints >= 2
    assert len(lines) == events + checkpoints + 2


def line_of(lines, words):
    return next(i for i, x in enumerate(lines) if words in x)


def edited(lines, at, **more):
    return [*lines[:at], json.dumps({**json.loads(lines[at]), **more}),
            *lines[at + 1:]]


def text_of(digest):
    return "sha256:" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def hash_of(text):
    return text_of(hashlib.sha256(text.encode()).digest())


def changed_event(lines):
    at = line_of(lines, '\\"n\\":7,')
    return [*lines[:at], lines[at].replace('\\"n\\":7,', '\\"n\\":8,'),
            *lines[at + 1:]], "does not have this hash"


def changed_with_its_hash(lines):
    at = line_of(lines, '\\"n\\":7,')
    text = json.loads(lines[at])["canonical"].replace('"n":7,', '"n":8,')
    return edited(lines, at, canonical=text, event_hash=hash_of(text)), \
        "does not follow"


def removed_event(lines):
    at = line_of(lines, '\\"n\\":7,')
    return [*lines[:at], *lines[at + 1:]], "next position"


def swapped_events(lines):
    at = line_of(lines, '\\"n\\":7,')
    return [*lines[:at], lines[at + 1], lines[at], *lines[at + 2:]], \
        "does not follow"


def changed_checkpoint(lines):
    at = line_of(lines, '"checkpoint_id"')
    return edited(lines, at, created_at="2020-01-01T00:00:00.000000"), \
        "not signed"


def missing_checkpoint(lines):
    """The first of two batches that follow each other."""
    found = [json.loads(x) for x in lines if '"checkpoint_id"' in x]
    first = next(c for c in found if any(
        c["intent_id"] == d["intent_id"] and
        d["first_sequence"] == c["last_sequence"] + 1 for d in found))
    at = line_of(lines, first["checkpoint_id"])
    return [*lines[:at], *lines[at + 1:]], "next batch"


def changed_head(lines):
    note = json.loads(lines[-1])["note"]
    return edited(lines, len(lines) - 1, note=note.replace("\n", "\n1", 1)), \
        "the head"


def no_head(lines):
    return lines[:-1], "the head"


@pytest.mark.parametrize("change", [
    changed_event, changed_with_its_hash, removed_event, swapped_events,
    changed_checkpoint, missing_checkpoint, changed_head, no_head])
def test_a_change_is_found_by_the_page(log, change):
    lines, said = change(log[0])
    assert any(said in wrong for wrong in check(log, lines)), check(log, lines)


def test_another_key_has_signed_nothing_of_it(log):
    lines, vkey, _ = log
    origin = vkey.split("+")[0]
    raw = b"\1" + Ed25519PrivateKey.generate().public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)
    number = hashlib.sha256(origin.encode() + b"\n" + raw).digest()[:4].hex()
    other = f"{origin}+{number}+{base64.b64encode(raw).decode()}"
    wrong, _ = log_by_page.check(lines, log_by_page.Key(other), [])
    assert [x for x in wrong if "signed" not in x] == []
    assert len(wrong) > 2


def test_a_log_that_was_written_again_is_found_by_a_kept_head(server, log):
    """The export holds, and was signed with the key of the server; the kept
    head is of other events."""
    lines, vkey, kept = log
    secret = load_pem_private_key(
        (server.state / "keys/log.key").read_bytes(), None)
    origin, number, _ = vkey.split("+", 2)
    text, _, _ = kept.partition("\n\n")
    name, size, _ = text.split("\n")
    other = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    text = f"{name}\n{size}\n{other}\n"
    signature = base64.b64encode(
        bytes.fromhex(number) + secret.sign(text.encode())).decode()
    wrong = check(log, kept=f"{text}\n— {origin} {signature}\n")
    assert wrong == ["the kept head: not the beginning of this log"]


# --- Proofs of checkpoints ---------------------------------------------------

def proof_of(entries, index):
    """A proof and its checkpoint, as far as they say where an event is."""
    row, steps, at = entries, [], index
    while len(row) & (len(row) - 1):
        row = [*row, row[-1]]
    while len(row) > 1:
        side = "left" if at & 1 else "right"
        steps.append({"hash": text_of(row[at ^ 1]), "position": side})
        row = [log_by_page.sha(*row[i:i + 2]) for i in range(0, len(row), 2)]
        at >>= 1
    root = text_of(row[0])
    return ({"event_hash": text_of(entries[min(index, len(entries) - 1)]),
             "proof_hashes": steps, "leaf_index": index, "merkle_root": root},
            {"event_count": len(entries), "merkle_root": root})


@pytest.mark.parametrize("n", [1, 2, 3, 5, 100])
def test_L3_a_proof_holds_by_the_page_and_for_the_sdk(n):
    entries = [hashlib.sha256(b"%d" % i).digest() for i in range(n)]
    for index in range(n):
        proof, checkpoint = proof_of(entries, index)
        assert MerkleProof.from_dict(proof).verify()
        assert log_by_page.proves(proof, checkpoint)
        proof["leaf_index"] ^= 1
        assert not log_by_page.proves(proof, checkpoint)


def test_L3_two_forgeries_that_the_sdk_takes_are_refused():
    """A node as an event with a shorter proof, and the repeated last hash as a
    fourth event of three."""
    entries = [hashlib.sha256(b"%d" % i).digest() for i in range(3)]
    proof, checkpoint = proof_of(entries, 0)
    node = {**proof, "proof_hashes": proof["proof_hashes"][1:],
            "event_hash": text_of(log_by_page.sha(*entries[:2]))}
    fourth, _ = proof_of(entries, 3)
    for forged in (node, fourth):
        assert MerkleProof.from_dict(forged).verify()
        assert not log_by_page.proves(forged, checkpoint)


# --- The events that agents may post -----------------------------------------

def test_the_page_has_the_events_that_an_agent_may_post(agent):
    section = documents.section("log.md", "The events of an intent")
    rows = re.findall(r"^\| [^|]+ \| (`.*`) \|$", section, re.M)
    said = {x for row in rows for x in re.findall("`([^`]+)`", row)}
    contract = (documents.TOP / "docs/openapi.yaml").read_text()
    listed = re.search(r"\n    EventType:.*?\n((?:        - \S+\n)+)",
                       contract, re.S)[1]
    at = f"/api/v1/intents/{kit.new_intent(agent)['id']}/events"
    may = set()
    for one in re.findall(r"- (\S+)", listed):
        r = agent.post(at, json={"event_type": one, "payload": {}})
        if r.status_code == 201:
            may.add(one)
        else:
            assert r.json()["code"] == "event.servers_own", r.text
    assert said == may and len(may) > 40


# --- The vectors -------------------------------------------------------------

SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
THREE = "AHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ="
TWO = "boOT17jIwdSSy9iX+kF2if6aW3PLYYijtirwv41N3OY="


def test_L1_the_vectors_of_the_page():
    text = documents.section("log.md", "The formats")
    note = documents.block("log.md", "text", "sayso.example/log")
    checkpoint = json.loads(documents.block("log.md", "json", "chk_1"))
    [seed] = re.findall(r"`([0-9a-f]{64})`", text)
    [vkey] = re.findall(r"`(sayso\.example/log\+\S+)`", text)
    assert seed == SEED
    raw = Ed25519PrivateKey.from_private_bytes(bytes.fromhex(SEED)).public_key(
        ).public_bytes(Encoding.Raw, PublicFormat.Raw)
    assert vkey.endswith(base64.b64encode(b"\1" + raw).decode())
    key = log_by_page.Key(vkey)
    entries = [hashlib.sha256(x).digest() for x in (b"1", b"2", b"3")]
    leaves = [log_by_page.sha(b"\0", x) for x in entries]
    assert base64.b64decode(THREE) == log_by_page.tree(leaves)
    assert base64.b64decode(TWO) == log_by_page.tree(leaves[:2])
    assert key.head(note) == (3, log_by_page.tree(leaves))
    assert key.head(note.replace("\n3\n", "\n4\n")) is None
    assert log_by_page.pairs(entries) == \
        log_by_page.digest(checkpoint["merkle_root"])
    assert key.checkpoint(checkpoint)
    assert key.checkpoint({**checkpoint, "anchor": {"type": "x"}})
    assert not key.checkpoint({**checkpoint, "event_count": 2})
