#!/usr/bin/env python3
"""Checks what Sayso signed, without Sayso: an export of its log, or a receipt.

    verify.py EXPORT.jsonl --key KEY [--head FILE]
    verify.py --receipt RECEIPT.json --key KEY

KEY is a "vkey" of /log/keys, learned from somewhere else than the file. FILE has the head of
an earlier run, and gets that of this one. Exit 0: sound, 1: broken, 2: cannot be read.
It needs the package cryptography, and no line of Sayso's code.
"""
import argparse, base64, hashlib, json, os, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

faults = []


def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def b64u(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
def url(data): return base64.urlsafe_b64encode(data).decode().rstrip("=")
def named(text): return "sha256:" + url(sha(text.encode()))
def jcs(o): return json.dumps(o, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def check(holds, what):
    if not holds:
        faults.append(what)
        print("BROKEN", what)
    return holds


class Key:
    def __init__(self, text):
        self.name, self.id, key = text.strip().split("+", 2)
        self.raw = base64.b64decode(key)[1:]
        assert sha(self.name.encode(), b"\n\1", self.raw)[:4].hex() == self.id, "no key"

    def signed(self, signature, text):
        try:
            Ed25519PublicKey.from_public_bytes(self.raw).verify(signature, text)
        except InvalidSignature:
            return False
        return True

    def head(self, note, what):
        """The size and the root of a signed note (C2SP tlog-checkpoint)."""
        text, _, lines = note.rpartition("\n\n")
        origin, size, root = text.split("\n")[:3]
        sent = [base64.b64decode(line.split(" ")[2]) for line in lines.splitlines()]
        check(origin == self.name and any(
            s[:4].hex() == self.id and self.signed(s[4:], text.encode() + b"\n")
            for s in sent), f"{what}: not signed by this key")
        return int(size), base64.b64decode(root)

    def checkpoint(self, o):
        """An RFC-0019 checkpoint: all members but the signature, without the anchor."""
        o = {**o, "anchor": None}
        signature = b64u(o.pop("signature"))
        check(self.signed(signature, jcs(o)), f"{o['checkpoint_id']}: not signed by this key")


def tree(hashes):
    """RFC 6962, over the hashes of leaves."""
    if len(hashes) == 1:
        return hashes[0]
    k = 1 << (len(hashes) - 1).bit_length() - 1
    return sha(b"\1", tree(hashes[:k]), tree(hashes[k:]))


def merkle(row):
    """RFC-0019: the last is repeated up to a power of two."""
    row = row + row[-1:] * ((1 << (len(row) - 1).bit_length()) - len(row))
    while len(row) > 1:
        row = [sha(*row[i:i + 2]) for i in range(0, len(row), 2)]
    return row[0]


def export(path, key, kept):
    ends, of, raw, erased = {}, {}, [], 0
    old = key.head(open(kept).read(), kept) if kept and os.path.exists(kept) else (0, b"")
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        o = json.loads(line)
        kind = o.pop("type")
        if kind == "event":
            intent, number, text = o["intent_id"], o["sequence"], o["canonical"]
            what, before = f"line {n}, event {number} of {intent}", ends.get(intent, (0, None))
            check((number, o["position"]) == (before[0] + 1, len(raw)), f"{what}: one is missing")
            if text is None:
                erased += check("erased" in o, f"{what}: its bytes are missing")
            elif check(named(text) == o["event_hash"], f"{what}: its bytes are not its hash's"):
                e = json.loads(text)
                check((e["intent_id"], e["sequence"], e["previous_event_hash"]) ==
                      (intent, number, before[1]), f"{what}: it does not follow")
            ends[intent] = number, o["event_hash"]
            raw.append(b64u(o["event_hash"][7:]))
            of.setdefault(intent, []).append(raw[-1])
        elif kind == "checkpoint":
            row = (of.get(o["intent_id"], []) if o["intent_id"] else raw)
            row = row[o["first_sequence"] - 1:o["last_sequence"]]
            check(row and len(row) == o["event_count"] and
                  "sha256:" + url(merkle(row)) == o["merkle_root"],
                  f"{o['checkpoint_id']}: its root is not that of its events")
            key.checkpoint(o)
        elif kind == "head":
            leaves, note = [sha(b"\0", r) for r in raw], o["note"]
            size, root = key.head(note, "the head")
            check(size == len(leaves) and tree(leaves) == root, "the head: not of these events")
            check(old[0] <= size and (not old[0] or tree(leaves[:old[0]]) == old[1]),
                  f"{kept}: the log was written again")
    if kept and not faults:
        open(kept, "w").write(note)
    print(f"{len(raw)} events, {len(ends)} intents, {erased} erased, {len(faults)} broken")


def receipt(path, key):
    b = json.load(open(path, encoding="utf-8"))
    signed, _, signature = b["receipt"].rpartition(".")
    header, claims = (json.loads(b64u(part)) for part in signed.split("."))
    check(header["typ"] == "sayso-receipt+jwt" and header["alg"] == "EdDSA" and
          key.signed(b64u(signature), signed.encode()), "the signature")
    r, texts = claims["receipt"], b.get("texts", {})
    check(all(url(sha(d.encode())) in r["_sd"] for d in b.get("disclosures", [])), "a disclosure")
    for text, digest in (("subject", "subject_sha256"), ("approved_subject", "approved_sha256")):
        if texts:
            mine = texts[text] and hashlib.sha256(texts[text].encode()).hexdigest()
            check(mine == r[digest], text)
    for text in ("asked_event", "event") if texts else ():
        check(named(texts[text]) == r[text]["event_hash"], text)
    if b.get("checkpoint"):
        key.checkpoint(b["checkpoint"])
        h = b64u(r["event"]["event_hash"][7:])
        for step in b["proof"]["proof_hashes"]:
            other = b64u(step["hash"][7:])
            h = sha(other, h) if step["position"] == "left" else sha(h, other)
        check("sha256:" + url(h) == b["checkpoint"]["merkle_root"], "the proof")
    print(json.dumps(r, indent=1), f"\n{len(faults)} broken")


parser = argparse.ArgumentParser(usage=__doc__)
parser.add_argument("export", nargs="?")
for option in ("--receipt", "--key", "--head"):
    parser.add_argument(option)
args = parser.parse_args()
try:
    key = Key(args.key)
    receipt(args.receipt, key) if args.receipt else export(args.export, key, args.head)
except (OSError, ValueError, KeyError, TypeError, AttributeError, AssertionError) as e:
    sys.exit(print("cannot be read:", type(e).__name__) or 2)
sys.exit(bool(faults))
