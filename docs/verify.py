#!/usr/bin/env python3
"""Checks an export of Sayso's log, or a receipt, without a line of Sayso's code. KEY is a "vkey"
of /log/keys, or several with spaces, learned from elsewhere than the file. --head names a head
that you kept, and gets the new one. Exit status 0: sound, 1: broken, 2: cannot be read."""
import argparse, base64, hashlib, json, os, sys
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

faults, most = [], 16 << 20  # bytes of a line, and of a receipt
def sha(*parts): return hashlib.sha256(b"".join(parts)).digest()
def bytes_of(text): return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))  # or base64
def hash_of(data): return "sha256:" + base64.urlsafe_b64encode(data).decode().rstrip("=")
def hashes(text): return [h(sha(text.encode())) for h in (hash_of, bytes.hex)] if text else [None]
def full(n): return 1 << (n - 1).bit_length()  # the smallest one that is not below n
def once(pairs): return dict(pairs) if len(dict(pairs)) == len(pairs) else {}["a key twice"]
def read(text): return json.loads(text, object_pairs_hook=once)
def check(holds, what, why="it was changed", erased=None):
    by = erased and f"by rule {erased['rule']} on {erased['at'][:10]}"
    holds or by or faults.append(what)
    holds or faults[99:] or print("ERASED" if by else "BROKEN", ascii(f"{what}: {by or why}")[1:-1])
def root(v, node=b"\1"):  # RFC 6962. RFC-0019: node b"", the last one repeated up to 2^n
    v = v if node else v + v[-1:] * (full(len(v)) - len(v))
    k = full(len(v)) // 2
    return sha(node, root(v[:k], node), root(v[k:], node)) if len(v) > 1 else v[0]
def climb(leaf, index, size, proof, node=b"\1"):  # to a root; to none with another length
    if size == 1: return b"" if proof or index else leaf
    k, rest, last = full(size) // 2, proof[:-1], b"".join(proof[-1:])
    if index < k: return sha(node, climb(leaf, index, k, rest, node), last)
    return sha(node, last, climb(leaf, index - k, size - k, rest, node))
class Key:
    def __init__(self, text):
        self.origin, keys = text.split("+")[0], [k.split("+", 2)[2] for k in text.strip().split(" ")]
        self.public = [Ed25519PublicKey.from_public_bytes(bytes_of(k)[1:]) for k in keys]
    def signed(self, signature, text):
        for public in self.public:
            try: return public.verify(signature, text) is None
            except InvalidSignature: pass
    def head(self, note, what):  # a signed note (C2SP tlog-checkpoint): its size and root
        text, _, lines = note.rpartition("\n\n")
        origin, size, top = text.split("\n")[:3]
        sent = [bytes_of(line.split(" ")[2])[4:] for line in lines.splitlines()]
        check(origin == self.origin and any(self.signed(s, text.encode() + b"\n") for s in sent),
              what, "not signed by KEY")
        return int(size), bytes_of(top)
    def checkpoint(self, o, what):  # RFC-0019 signs the other members, with no anchor
        text = json.dumps({**o, "anchor": None, "signature": ""}, sort_keys=True,
                          separators=(",", ":"), ensure_ascii=False).replace('"signature":"",', "")
        check(self.signed(bytes_of(o["signature"]), text.encode()), what, "not signed by KEY")
        return bytes_of(o["merkle_root"][7:])

def export(key, args):
    file, kept = open(args.export, encoding="utf-8"), args.head
    header, of, ends, note = read(file.readline(most) or '{"intent_id": 0}'), {None: []}, [], None
    log, part = of[None], header["intent_id"]  # the hashes of all events; of[id]: of an intent
    if part and kept: raise ValueError("--head needs an export of the whole log")
    old = key.head(open(kept).read(), kept) if kept and os.path.exists(kept) else (0, b"")
    for n, o in enumerate(map(read, iter(lambda: file.readline(most), "")), 2):
        kind, id, what = note or o.pop("type"), o.get("intent_id"), f"line {n}"
        if kind == "event":
            what, chain = f"{what}, event {o['sequence']} of {id}", of.setdefault(id, [])
            place = id, len(chain) + 1, hash_of(chain[-1]) if chain else None
            e = read(o["canonical"]) if o["event_hash"] in hashes(o["canonical"]) else {}
            check(e, what, erased=not o["canonical"] and o.get("erased"))
            check(faults or (part or o["position"] == len(log)) and o["sequence"] == place[1] and
                  (not e or place == (e["intent_id"], e["sequence"], e["previous_event_hash"])),
                  what, "it does not follow the one before it")
            if part: ends.append((what, len(log), o["position"], [*map(bytes_of, o["proof"])]))
            for hashed in chain, log: hashed.append(bytes_of(o["event_hash"][7:]))
        elif kind == "checkpoint":
            what, v = f"{what}, checkpoint {o['checkpoint_id']}", of.get(id, [])
            made, v = key.checkpoint(o, what), v[o["first_sequence"] - 1:o["last_sequence"]]
            check(faults or len(v) == o["event_count"] and v and root(v, b"") == made,
                  what, "its root is not that of its events")
        elif kind == "head":
            what, note, v = what + ", the head", o["note"], [sha(b"\0", h) for h in log]
            size, top = key.head(note, what)
            for which, i, at, p in ends:
                check(climb(v[i], at, size, p) == top, which, "its proof is of another head")
            check(part or faults or (size, top) == (len(v), root(v)), what, "of other events")
            check(faults or not old[0] or old == (len(v[:old[0]]), root(v[:old[0]])),
                  kept, "the log was cut or rewritten since")
        elif kind != "consistency": raise ValueError(what)
    check(note, "the export", "it has no head")
    if kept and not faults:  # the new head takes the place of the old one when it is whole
        with open(kept + ".new", "w") as f: f.write(note), f.flush(), os.fsync(f.fileno())
        os.replace(kept + ".new", kept)
    print(f"{len(log)} events, {len(of) - 1} intents, {len(faults)} broken")

def receipt(key, args):
    b = read(open(args.receipt, encoding="utf-8").read(most))
    signed, _, signature = b["receipt"].rpartition(".")
    header, claims = (read(bytes_of(part)) for part in signed.split("."))
    check((header["alg"], header["typ"]) == ("EdDSA", "sayso-receipt+jwt") and "crit" not in header
          and key.signed(bytes_of(signature), signed.encode()), "signature", "not by KEY")
    r, h, texts = claims["receipt"], claims["receipt"]["event"]["event_hash"], b.get("texts")
    check(all(hashes(d)[0][7:] in r["_sd"] for d in b.get("disclosures", [])), "disclosures")
    for name, digest in {"subject": r["subject_sha256"], "approved_subject": r["approved_sha256"],
                         "asked_event": r["asked_event"]["event_hash"], "event": h}.items():
        check(not texts or digest in hashes(texts[name]), name,
              erased=texts and not texts[name] and b.get("erased", {}).get(name))
    if b.get("checkpoint"):
        c, proof = b["checkpoint"], [bytes_of(x["hash"][7:]) for x in b["proof"]["proof_hashes"]]
        check(key.checkpoint(c, "checkpoint") == climb(bytes_of(h[7:]), b["proof"]["leaf_index"],
              full(c["event_count"]), proof, b""), "checkpoint", "the proof is wrong")
    if b.get("tlog_proof"):
        lines, _, note = b["tlog_proof"].partition("\n\n")
        (_, index, *proof), (size, top) = lines.split("\n"), key.head(note, "head")
        leaf, proof = sha(b"\0", bytes_of(h[7:])), [*map(bytes_of, proof)]
        check(climb(leaf, int(index[6:]), size, proof) == top, "head", "the proof is wrong")
    print(json.dumps(r, indent=1), f"\n{len(faults)} broken")

if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__)
    for option in ("export", "--receipt", "--key", "--head"): p.add_argument(option, nargs="?")
    args = p.parse_args()
    try:
        sys.exit((receipt if args.receipt else export)(Key(args.key), args) or bool(faults))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as e:
        sys.exit(print("cannot be read:", type(e).__name__, e) or 2)
