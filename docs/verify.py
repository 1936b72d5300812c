#!/usr/bin/env python3
"""Verifies what Sayso signed, without Sayso: an export of its log, or a receipt.

    verify.py EXPORT.jsonl --key KEY [--head HEAD]    (HEAD: an older one, or a new file)
    verify.py --receipt RECEIPT.json --key KEY

KEY is a line of /log/keys ("host/log+id+base64"). Exit 0: sound, 1: broken, 2: unreadable.
It needs Python 3.8 and nothing else, and does not use a line of Sayso's own code.
"""
import argparse, base64, hashlib, json, os, sys

sha = lambda *parts: hashlib.sha256(b"".join(parts)).digest()
b64 = lambda s: base64.b64decode(s, validate=True)
b64u = lambda s: base64.urlsafe_b64decode(s + "=" * (-len(s) % 4))
named = lambda digest: "sha256:" + base64.urlsafe_b64encode(digest).decode().rstrip("=")
jcs = lambda o: json.dumps(o, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
faults = 0


def fault(where, why):
    global faults
    faults += 1
    print(f"BROKEN {where}: {why}")


# Ed25519 (RFC 8032): P is the field, L the order of the group.
P, L = 2**255 - 19, 2**252 + 27742317777372353535851937790883648493
D = -121665 * pow(121666, P - 2, P) % P


def point(b):
    y, sign = int.from_bytes(b, "little") & (2**255 - 1), b[31] >> 7
    x2 = (y * y - 1) * pow(D * y * y + 1, P - 2, P) % P
    x = pow(x2, (P + 3) // 8, P)
    x = x if (x * x - x2) % P == 0 else x * pow(2, (P - 1) // 4, P) % P
    assert y < P and (x * x - x2) % P == 0 and (x or not sign)
    return (P - x if x & 1 != sign else x, y, 1, (P - x if x & 1 != sign else x) * y % P)


def add(p, q):
    a, b = (p[1] - p[0]) * (q[1] - q[0]) % P, (p[1] + p[0]) * (q[1] + q[0]) % P
    c, d = 2 * p[3] * q[3] * D % P, 2 * p[2] * q[2] % P
    e, f, g, h = b - a, d - c, d + c, b + a
    return (e * f % P, g * h % P, f * g % P, e * h % P)


def times(n, p):
    q = (0, 1, 1, 0)
    while n:
        q, p, n = add(q, p) if n & 1 else q, add(p, p), n >> 1
    return q


def signed(key, sig, text):
    try:
        s, a, r = int.from_bytes(sig[32:], "little"), point(key), point(sig[:32])
        h = int.from_bytes(hashlib.sha512(sig[:32] + key + text).digest(), "little") % L
        base = point(b"\x58" + b"\x66" * 31)
        u, v = times(s, base), add(r, times(h, a))
        return len(sig) == 64 and s < L and all((u[i] * v[2] - v[i] * u[2]) % P == 0 for i in (0, 1))
    except (AssertionError, IndexError):
        return False


def head_of(note, key, name):
    """The size and the root in a signed note (C2SP tlog-checkpoint)."""
    text, _, lines = note.rpartition("\n\n")
    text += "\n"
    origin, size, root = text.split("\n")[:3]
    for line in lines.splitlines():
        _, by, sig = line.split(" ")
        if by == origin == name and b64(sig)[:4] == key[0] and signed(key[1], b64(sig)[4:], text.encode()):
            return int(size), b64(root)
    fault("head", "no signature by this key holds")
    return int(size), b64(root)


def tree(leaves):
    """RFC 6962: the root over hashes of leaves."""
    if len(leaves) < 2:
        return leaves[0] if leaves else sha(b"")
    k = 1 << (len(leaves) - 1).bit_length() - 1
    return sha(b"\1", tree(leaves[:k]), tree(leaves[k:]))


def merkle(hashes):
    """RFC-0019: the root of a checkpoint."""
    row = hashes + hashes[-1:] * ((1 << (len(hashes) - 1).bit_length()) - len(hashes))
    while len(row) > 1:
        row = [sha(row[i], row[i + 1]) for i in range(0, len(row), 2)]
    return row[0]


def log(path, key, name, old):
    ends, hashes, leaves, own, erased, checks = {}, {}, [], [], 0, 0
    for n, line in enumerate(open(path, encoding="utf-8"), 1):
        o, where = json.loads(line), f"line {n}"
        if o["type"] == "event":
            intent, sequence, before = o["intent_id"], o["sequence"], ends.get(o["intent_id"], (0, None))
            if o["canonical"] is None:
                erased += 1
            else:
                e = json.loads(o["canonical"])
                if named(sha(o["canonical"].encode())) != o["event_hash"]:
                    fault(where, f"event {sequence} of {intent}: its bytes do not match its hash")
                if (e["intent_id"], e["sequence"]) != (intent, sequence):
                    fault(where, f"event {sequence} of {intent}: its bytes are another event's")
                if e["previous_event_hash"] != before[1]:
                    fault(where, f"event {sequence} of {intent} does not follow its predecessor")
            if sequence != before[0] + 1 or o["position"] != len(leaves):
                fault(where, f"event {sequence} of {intent}: an event is missing before it")
            ends[intent] = (sequence, o["event_hash"])
            raw = b64u(o["event_hash"][7:])
            hashes.setdefault(intent, []).append(raw)
            leaves.append(sha(b"\0", raw))
            own.append(raw)
        elif o.pop("type") == "checkpoint":
            all_of = hashes.get(o["intent_id"], []) if o["intent_id"] else own
            batch = all_of[o["first_sequence"] - 1:o["last_sequence"]]
            sig, o["anchor"], checks = b64u(o.pop("signature")), None, checks + 1
            if not batch or len(batch) != o["event_count"] or named(merkle(batch)) != o["merkle_root"]:
                fault(where, f"checkpoint {o['checkpoint_id']}: its root is not that of its events")
            if not signed(key[1], sig, jcs(o)):
                fault(where, f"checkpoint {o['checkpoint_id']}: not signed by this key")
        elif "note" in o:
            size, root = head_of(o["note"], key, name)
            if size > len(leaves) or tree(leaves[:size]) != root:
                fault(where, "the head is not that of the events")
            if old and os.path.exists(old):
                before = head_of(open(old).read(), key, name)
                if before[0] > size or tree(leaves[:before[0]]) != before[1]:
                    fault(old, "the log was rewritten: the older head is not its beginning")
            if old and not faults:
                open(old, "w").write(o["note"])
    print(f"{len(leaves)} events, {len(ends)} intents, {checks} checkpoints, {erased} erased, {faults} broken")
