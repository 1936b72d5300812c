"""Checks an export of the log: written from docs/log.md alone, from no code of
Sayso, to show that the page is enough.

    log_by_page.py EXPORT VKEY [KEPT-HEAD...]

Prints what does not hold, a line each, and the number of things that did. Exits
with 1 where something does not."""
import base64
import hashlib
import json
import sys

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import \
    Ed25519PublicKey

BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
DASH = "\u2014"


def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def unpadded(text):
    """The bytes of base64url without padding."""
    assert "=" not in text
    return base64.b64decode(text + "=" * (-len(text) % 4), b"-_",
                            validate=True)


def digest(text):
    prefix, _, rest = text.partition(":")
    data = unpadded(rest)
    assert prefix == "sha256" and len(data) == 32, text
    return data


def base58(data):
    number, text = int.from_bytes(data, "big"), ""
    while number:
        number, rest = divmod(number, 58)
        text = BASE58[rest] + text
    return text


class Key:
    """The key that the auditor knows."""

    def __init__(self, vkey):
        self.origin, self.id, data = vkey.split("+", 2)
        data = base64.b64decode(data, validate=True)
        assert data[0] == 1 and len(data) == 33
        assert sha(self.origin.encode(), b"\n", data)[:4].hex() == self.id
        self.did = "did:key:z" + base58(b"\xed\x01" + data[1:])
        self.key = Ed25519PublicKey.from_public_bytes(data[1:])

    def signed(self, signature, data):
        try:
            self.key.verify(signature, data)
        except InvalidSignature:
            return False
        return True

    def head(self, note):
        """The size and the root that a note signs; None: not by this key."""
        text, _, signatures = note.partition("\n\n")
        origin, size, root = text.split("\n")
        for line in signatures.splitlines():
            dash, name, data = line.split(" ")
            data = base64.b64decode(data, validate=True)
            if (dash, name, data[:4].hex()) == (DASH, self.origin, self.id) \
                    and origin == self.origin \
                    and self.signed(data[4:], f"{text}\n".encode()):
                return int(size), base64.b64decode(root, validate=True)
        return None

    def checkpoint(self, one):
        """The eleven members are signed by this key."""
        form = {k: v for k, v in one.items() if k not in ("type", "signature")}
        text = json.dumps({**form, "anchor": None}, sort_keys=True,
                          separators=(",", ":"))
        return len(form) == 10 and one["signed_by"] == self.did and \
            self.signed(unpadded(one["signature"]), text.encode())


def pairs(row):
    """The merkle_root of a checkpoint."""
    while len(row) & (len(row) - 1):
        row = [*row, row[-1]]
    while len(row) > 1:
        row = [sha(row[i], row[i + 1]) for i in range(0, len(row), 2)]
    return row[0]


def proves(proof, checkpoint):
    """That a checkpoint has an event, as GET .../proof/{event} answers."""
    steps, index = proof["proof_hashes"], proof["leaf_index"]
    if not 0 <= index < checkpoint["event_count"] or \
            2 ** len(steps) < checkpoint["event_count"] or \
            2 ** len(steps) >= 2 * checkpoint["event_count"]:
        return False
    now = digest(proof["event_hash"])
    for step in steps:
        other = digest(step["hash"])
        now = sha(other, now) if index & 1 else sha(now, other)
        index >>= 1
    return now == digest(checkpoint["merkle_root"])


def tree(leaves):
    """The root of a head."""
    if len(leaves) == 1:
        return leaves[0]
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return sha(b"\1", tree(leaves[:left]), tree(leaves[left:]))


def check(lines, key, kept):
    """Returns what does not hold, and how much was checked."""
    wrong, entries, chains, batches, notes = [], [], {}, {}, []
    seen = 0
    for number, line in enumerate(lines, 1):
        one = json.loads(line)
        what = f"line {number}: "
        if number == 1:
            if (one["type"], one["format"]) != ("header", "sayso-log/1"):
                wrong.append(what + "no header")
        elif notes:
            wrong.append(what + "after the head")
        elif one["type"] == "event":
            event = json.loads(one["canonical"])
            chain = chains.setdefault(event["intent_id"], [])
            if sha(one["canonical"].encode()) != digest(one["event_hash"]):
                wrong.append(what + "the text does not have this hash")
            if one["position"] != len(entries):
                wrong.append(what + "not the next position")
            if (event["intent_id"], event["sequence"]) != \
                    (one["intent_id"], one["sequence"]):
                wrong.append(what + "another event than the line says")
            if event["sequence"] != len(chain) + 1 or \
                    event["previous_event_hash"] != (chain or [None])[-1]:
                wrong.append(what + "does not follow the one before it")
            chain.append(one["event_hash"])
            entries.append(digest(one["event_hash"]))
        elif one["type"] == "checkpoint":
            intent, first = one["intent_id"], one["first_sequence"]
            row = entries if intent is None else \
                [digest(h) for h in chains.get(intent, [])]
            row = row[first - 1:one["last_sequence"]]
            if (one["scope"] == "server") != (intent is None) or \
                    first != batches.get(intent, 0) + 1 or \
                    not 0 < one["event_count"] == len(row):
                wrong.append(what + "not the next batch")
            elif pairs(row) != digest(one["merkle_root"]):
                wrong.append(what + "its root is of other events")
            if not key.checkpoint(one):
                wrong.append(what + "not signed by this key")
            batches[intent] = one["last_sequence"]
            seen += 1
        elif one["type"] == "head":
            notes.append(one["note"])
        else:
            wrong.append(what + "of no known type")
    leaves = [sha(b"\0", entry) for entry in entries]
    head = key.head(notes[0]) if notes else None
    if head is None or head != (len(leaves), tree(leaves)):
        wrong.append("the head: missing, not signed, or of other events")
    for note in kept:
        size, root = key.head(note) or (0, b"")
        if not 0 < size <= len(leaves) or tree(leaves[:size]) != root:
            wrong.append("the kept head: not the beginning of this log")
    return wrong, (len(entries), len(chains), seen)


def main(export, vkey, *kept):
    with open(export, encoding="utf-8") as lines:
        wrong, sums = check(lines, Key(vkey),
                            [open(one, encoding="utf-8").read()
                             for one in kept])
    for one in wrong:
        print(one)
    print("%d events of %d intents, %d checkpoints" % sums)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
