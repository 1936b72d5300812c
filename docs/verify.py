#!/usr/bin/env python3
"""Checks an export of Sayso's log, or a receipt, without a line of Sayso's code.
KEY is a "vkey" of /log/keys, learned from elsewhere than the file. --head names a head that
you kept, and gets the new one. Exit status 0: sound, 1: broken, 2: cannot be read."""
import argparse, base64, hashlib, json, os, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

faults = []
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def bytes_of(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
def hash_of(data): return "sha256:" + base64.urlsafe_b64encode(data).decode().rstrip("=")
def hashes(text): return [h(sha(text.encode())) for h in (hash_of, bytes.hex)] if text else [None]
def half(n): return 1 << max(n - 1, 1).bit_length() - 1  # the largest power of two below n
def full(n): return 1 << (n - 1).bit_length()  # the smallest one that is not below n

def check(holds, what):
    holds or faults.append(what) or print("BROKEN", what)

def root(v, node=b"\1"):  # RFC 6962. RFC-0019: node b"", the last one repeated up to 2^n
    v = v if node else v + v[-1:] * (full(len(v)) - len(v))
    k = half(len(v))
    return sha(node, root(v[:k], node), root(v[k:], node)) if len(v) > 1 else v[0]

def climb(leaf, index, size, proof, node=b"\1"):  # to a root; to none with another length
    if size == 1:
        return b"" if proof or index else leaf
    k, rest, last = half(size), proof[:-1], b"".join(proof[-1:])
    if index < k:
        return sha(node, climb(leaf, index, k, rest, node), last)
    return sha(node, last, climb(leaf, index - k, size - k, rest, node))

class Key:
    def __init__(self, vkey):
        self.origin, _, text = vkey.strip().split("+", 2)
        self.public = Ed25519PublicKey.from_public_bytes(base64.b64decode(text)[1:])
    def signed(self, signature, text):
        try:
            return self.public.verify(signature, text) is None
        except InvalidSignature:
            return False
    def head(self, note, what):  # a signed note (C2SP tlog-checkpoint): its size and root
        text, _, lines = note.rpartition("\n\n")
        origin, size, top = text.split("\n")[:3]
        sent = [base64.b64decode(line.split(" ")[2])[4:] for line in lines.splitlines()]
        check(origin == self.origin and any(self.signed(s, text.encode() + b"\n") for s in sent),
              what + ": not signed by KEY")
        return int(size), base64.b64decode(top)
    def checkpoint(self, o, what):  # RFC-0019 signs the other members, with no anchor
        o = {**o, "anchor": None}
        signature = bytes_of(o.pop("signature"))
        text = json.dumps(o, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        check(self.signed(signature, text.encode()), what + ": not signed by KEY")
        return bytes_of(o["merkle_root"][7:])

def export(path, key, kept):
    of, note = {None: []}, None  # the hashes of each intent, and of all
    log = of[None]
    old = key.head(open(kept).read(), kept) if kept and os.path.exists(kept) else (0, b"")
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        o = json.loads(line)
        kind, what = o.pop("type"), f"line {n}"
        if kind == "event":
            what += f", event {o['sequence']} of {o['intent_id']}"
            e, chain = json.loads(o["canonical"]), of.setdefault(o["intent_id"], [])
            place = o["intent_id"], len(chain) + 1, hash_of(chain[-1]) if chain else None
            check(o["event_hash"] in hashes(o["canonical"]), what + ": it was changed")
            check((e["intent_id"], e["sequence"], e["previous_event_hash"]) == place and
                  o["position"] == len(log), what + ": it does not follow the one before it")
            log.append(bytes_of(o["event_hash"][7:]))
            chain.append(log[-1])
        elif kind == "checkpoint":
            what += f", checkpoint {o['checkpoint_id']}"
            v = of.get(o["intent_id"], [])[o["first_sequence"] - 1:o["last_sequence"]]
            check(len(v) == o["event_count"] and v and root(v, b"") == key.checkpoint(o, what),
                  what + ": its root is not that of its events")
        elif kind == "head":
            note, v, what = o["note"], [sha(b"\0", h) for h in log], what + ", the head"
            check(key.head(note, what) == (len(v), root(v)), what + ": of other events")
            check(not old[0] or old == (len(v[:old[0]]), root(v[:old[0]])),
                  f"{kept}: the log was cut or rewritten since")
    check(note, "the export: it has no head")
    if kept and not faults:
        open(kept, "w").write(note)
    print(f"{len(log)} events, {len(of) - 1} intents, {len(faults)} broken")

def receipt(path, key):
    b = json.load(open(path, encoding="utf-8"))
    signed, _, signature = b["receipt"].rpartition(".")
    header, claims = (json.loads(bytes_of(part)) for part in signed.split("."))
    check((header["alg"], header["typ"]) == ("EdDSA", "sayso-receipt+jwt") and "crit" not in header
          and key.signed(bytes_of(signature), signed.encode()), "signature")
    r, h, c = claims["receipt"], claims["receipt"]["event"]["event_hash"], b.get("checkpoint")
    check(all(hashes(d)[0][7:] in r["_sd"] for d in b.get("disclosures", [])), "disclosures")
    for name, digest in {"subject": r["subject_sha256"], "approved_subject": r["approved_sha256"],
                         "asked_event": r["asked_event"]["event_hash"], "event": h}.items():
        check(not b.get("texts") or digest in hashes(b["texts"][name]), name)
    if c:
        proof = [bytes_of(step["hash"][7:]) for step in b["proof"]["proof_hashes"]]
        made = climb(bytes_of(h[7:]), b["proof"]["leaf_index"], full(c["event_count"]), proof, b"")
        check(key.checkpoint(c, "checkpoint") == made, "checkpoint: the proof is wrong")
    if b.get("tlog_proof"):
        lines, _, note = b["tlog_proof"].partition("\n\n")
        (_, index, *proof), (size, top) = lines.split("\n"), key.head(note, "head")
        leaf, proof = sha(b"\0", bytes_of(h[7:])), [base64.b64decode(step) for step in proof]
        check(climb(leaf, int(index[6:]), size, proof) == top, "head: the proof is wrong")
    print(json.dumps(r, indent=1), f"\n{len(faults)} broken")

if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__)
    for option in ("export", "--receipt", "--key", "--head"):
        p.add_argument(option, nargs="?")
    args = p.parse_args()
    try:
        key = Key(args.key)
        receipt(args.receipt, key) if args.receipt else export(args.export, key, args.head)
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as e:
        sys.exit(print("cannot be read:", type(e).__name__, e) or 2)
    sys.exit(bool(faults))
