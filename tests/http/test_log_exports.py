"""The verifiers with exports of one intent, with events that a rule erased, and
with hostile files: one line for one cause, and bounded memory."""
import base64
import hashlib
import json
import re
import shlex

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import (
    Encoding, PublicFormat, load_pem_private_key)

import kit
from server import place
from test_log_commands import (block, both, either, lines_of, part, run,
                               signed, vkey, write)

__all__ = ["run", "signed"]  # fixtures
RULE = {"rule": "contents-90d", "at": "2026-11-27T00:00:00Z"}


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("exports")).start()
    yield one
    one.stop()


def faults(done):
    assert done.returncode in (0, 1), done.stdout + done.stderr
    found = [x for x in done.stdout.splitlines() if x.startswith("BROKEN ")]
    assert (done.returncode == 1) == bool(found), done.stdout
    return found


def parsed(run):
    return [json.loads(x) for x in lines_of(run)]


def put(run, lines):
    write(run, [json.dumps(x) for x in lines])


def events(lines):
    return [x for x in lines if x["type"] == "event"]


def rehashed(o, **members):
    """The event with these members and the hash of its own bytes."""
    e = {**json.loads(o["canonical"]), **members}
    o["canonical"] = kit.canonical(e)
    o["event_hash"] = kit.hash_of(e)


# --- One cause is one line ------------------------------------------------

def moved(lines):
    at = [i for i, x in enumerate(lines) if '"n":7}' in x.get("canonical", "")]
    lines[at[0]], lines[at[0] + 1] = lines[at[0] + 1], lines[at[0]]


def doubled(lines):
    lines.insert(3, lines[2])


def lost(lines):
    del lines[2]


def lost_many(lines):
    del lines[20:40]


def bytes_alone(lines):
    lines[5]["canonical"] += " "


def hash_alone(lines):
    lines[5]["event_hash"] = lines[6]["event_hash"]


def other_bytes(lines):
    rehashed(lines[5], actor="forger")


def bytes_missing(lines):
    lines[5]["canonical"] = None


def no_rule(lines):
    lines[5].update(canonical=None, erased={})


def no_checkpoint(lines):
    at = [i for i, x in enumerate(lines) if x["type"] == "checkpoint"
          and x["scope"] == "intent"]
    lines[at[0]]["event_count"] -= 1


def last_event(lines):
    del lines[[i for i, x in enumerate(lines) if x["type"] == "event"][-1]]


@both
@pytest.mark.parametrize("change", [
    lost, lost_many, bytes_alone, hash_alone, other_bytes, bytes_missing,
    no_rule, no_checkpoint, last_event])
def test_one_cause_is_one_line(run, code, change):
    lines = parsed(run)
    change(lines)
    put(run, lines)
    assert len(faults(run(code))) == 1, run(code).stdout


@both
@pytest.mark.parametrize("change", [moved, doubled])
def test_an_order_that_was_changed(run, code, change):
    lines = parsed(run)
    change(lines)
    put(run, lines)
    assert 1 <= len(faults(run(code))) <= 3


@both
def test_nothing_follows_the_head(run, code):
    lines = lines_of(run)
    for more in (lines[2], lines[-1]):
        write(run, [*lines, more])
        assert run(code).returncode == 2


# --- Erased events --------------------------------------------------------

@both
def test_an_erased_event(run, code):
    lines = parsed(run)
    for at in (1, 5, 30):
        lines[at].update(canonical=None, erased=RULE)
    put(run, lines)
    done = run(code)
    assert faults(done) == []
    said = [x for x in done.stdout.splitlines() if x.startswith("ERASED ")]
    assert len(said) == 3
    assert re.fullmatch(r"ERASED line 6, event \d+ of \S+: by rule "
                        r"contents-90d on 2026-11-27", said[1])


@both
def test_an_erased_event_holds_its_place(run, code):
    """Its hash is in the chain, in the checkpoints and in the head."""
    lines = parsed(run)
    lines[5].update(canonical=None, erased=RULE,
                    event_hash=lines[6]["event_hash"])
    put(run, lines)
    assert faults(run(code))


@either
def test_a_receipt_of_erased_events(run, code):
    b = json.loads((run.at / "receipt.json").read_text())
    b["texts"].update(asked_event=None, event=None)
    (run.at / "receipt.json").write_text(json.dumps(b))
    assert len(faults(run(code))) == 2
    b["erased"] = {"asked_event": RULE, "event": RULE}
    (run.at / "receipt.json").write_text(json.dumps(b))
    done = run(code)
    assert faults(done) == []
    assert len(re.findall(r"(?m)^ERASED \w+: by rule contents-90d on "
                          "2026-11-27$", done.stdout)) == 2


# --- The export of one intent ---------------------------------------------

@pytest.fixture
def intent(run, server):
    """Its events are the only ones that the export shows."""
    counts = {}
    for o in events(parsed(run)):
        counts[o["intent_id"]] = counts.get(o["intent_id"], 0) + 1
    id = max(counts, key=counts.get)

    def export(*options):
        done = server.sayso("export", "--log", str(run.at / "log.jsonl"),
                            "--intent", id, *options)
        assert done.returncode == 0, done.stderr
        lines = parsed(run)
        assert {o["intent_id"] for o in events(lines)} == {id}
        assert len(events(lines)) == counts[id]
        return lines

    export.id = id
    return export


def no_head(code):
    return code.replace(" --head head.txt", "")


@both
def test_the_export_of_an_intent(run, code, intent):
    lines = intent()
    assert faults(run(no_head(code))) == []
    assert lines[0]["intent_id"] == intent.id
    proofs = [o["proof"] for o in events(lines)]
    assert all(proofs) and not any("scope" in o and o["scope"] == "server"
                                   for o in lines)


def proof_of_another(lines):
    lines[2]["proof"] = lines[3]["proof"]


def longer_proof(lines):
    lines[2]["proof"].append(lines[2]["proof"][0])


def no_proof(lines):
    lines[2]["proof"] = []


def another_position(lines):
    lines[2]["position"] += 1


@both
@pytest.mark.parametrize("change", [
    lost, bytes_alone, bytes_missing, no_checkpoint, proof_of_another,
    longer_proof, no_proof, another_position])
def test_a_change_of_an_export_of_an_intent(run, code, intent, change):
    lines = intent()
    change(lines)
    put(run, lines)
    assert len(faults(run(no_head(code)))) == 1, run(no_head(code)).stdout


def test_an_older_head_of_the_export_of_an_intent(run, intent):
    """sayso verify: the consistency proof leads from it to the newer one."""
    code, head = both.args[1][0], run.at / "head.txt"
    old = head.read_text()
    intent()
    assert "export with --head" in faults(run(code))[0]
    assert head.read_text() == old
    lines = intent("--head", str(head))
    assert faults(run(code)) == []
    assert head.read_text() == lines[-1]["note"] != old
    head.write_text(old)
    at = [x["type"] for x in lines].index("consistency")
    lines[at]["hashes"][-1] = lines[at]["hashes"][0]
    put(run, lines)
    assert "rewritten" in faults(run(code))[0]


def test_the_page_exports_an_intent(run, server, intent):
    words = block("export --intent").split()
    assert words[:3] == ["sayso", "export", "--intent"]
    at = run.at / words[-1]
    done = server.sayso(*[{"\"$INTENT\"": intent.id, words[-1]: str(at)}.get(
        x, x) for x in words[1:]])
    assert done.returncode == 0, done.stderr
    done = run(f"sayso verify --bundle {at} --key \"$LOG_KEY\"")
    assert faults(done) == []


def test_the_page_checks_the_database(run, server):
    words = block("sayso verify --head").split()
    assert words == ["sayso", "verify", "--head", "head.txt"]
    head = "--head", str(run.at / "head.txt")
    done = server.sayso("verify", *64 * head)
    assert done.returncode == 0, done.stdout + done.stderr
    done = server.sayso("verify", *65 * head)
    assert done.returncode == 2 and "at most 64" in done.stderr
    done = server.sayso("verify", "--head", str(run.at / "head.txt"))
    assert done.returncode == 0, done.stdout
    words = block("verify --since last").split()
    done = server.sayso(*words[1:], "--head", str(run.at / "head.txt"))
    assert done.returncode == 0, done.stdout
    assert server.sayso("verify", "--head", str(run.at / "receipt.json")
                        ).returncode == 2
    assert server.sayso("verify", "--head", str(run.at / "x")).returncode == 2
    assert server.sayso("verify", "--key", "x").returncode == 2
    assert server.sayso("verify", "--what").returncode == 2


def test_verify_py_wants_the_whole_log_for_an_older_head(run, intent):
    intent()
    done = run(both.args[1][1])
    assert done.returncode == 2 and "whole log" in done.stdout


def test_what_cannot_be_exported(run, server):
    for options, status in ((["--intent", "x"], 2), ([], 2), (
            ["--intent", "11111111-2222-4333-8444-555555555555"], 1),
            (["--head", str(run.at / "receipt.json")], 1)):
        log = ["--log", str(run.at / "x.jsonl")] if options else []
        done = server.sayso("export", *log, *options)
        assert done.returncode == status, done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_several_keys(run):
    """After a rotation the log has signatures of two."""
    raw = Ed25519PrivateKey.generate().public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)
    other, code = vkey(run.key.split("+")[0], raw), both.args[1]
    for keys in (other, run.key), (run.key, other):
        assert faults(run(code[1], " ".join(keys))) == []
        assert faults(run("sayso verify --bundle log.jsonl" + "".join(
            f" --key '{key}'" for key in keys))) == []
    assert faults(run(code[1], f"{other} {other}"))
    assert run(code[1], f"{run.key} x").returncode == 2


# --- Hostile files --------------------------------------------------------

MEASURED = """
import resource, subprocess, sys
status = subprocess.run(["sh", "-e", "-c", sys.argv[1]]).returncode
used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss
print(used, "kB", file=sys.stderr) if used > 1_500_000 else None
sys.exit(status if used <= 1_500_000 else 99)
"""


def bounded(run, code):
    """Runs it with a bound of its memory. A limit of the address space is none
    under AddressSanitizer."""
    done = run(f"python3 -c {shlex.quote(MEASURED)} {shlex.quote(code)}")
    assert done.returncode != 99, done.stderr
    return done


def sparse(at, size=1 << 30, start=b""):
    with open(at, "wb") as f:
        f.write(start)
        f.truncate(size)


@both
@pytest.mark.parametrize("start", [b"", b"[", b'{"type":"header","x":"'])
def test_a_gigabyte_of_nothing(run, code, start):
    sparse(run.at / "log.jsonl", start=start)
    done = bounded(run, code)
    assert done.returncode == 2, done.stdout + done.stderr
    assert len((done.stdout + done.stderr).splitlines()) == 1


@either
def test_a_receipt_of_a_gigabyte(run, code):
    for start in (b"", b'{"receipt":"'):
        sparse(run.at / "receipt.json", start=start)
        done = bounded(run, code)
        assert done.returncode == 2, done.stdout + done.stderr
        assert len((done.stdout + done.stderr).splitlines()) == 1


@both
def test_many_bad_lines_print_few(run, code):
    lines = lines_of(run)
    write(run, [lines[0], *[lines[2]] * 5000, lines[-1]])
    done = bounded(run, code)
    assert 1 <= len(faults(done)) <= 101
    assert "broken" in done.stdout.splitlines()[-1]


def twins(text):
    """The last key is there twice, in front with another value."""
    return '{"canonical":"x","note":"x","receipt":"x",' + text[1:]


@both
@pytest.mark.parametrize("at", [2, -1])
def test_a_key_that_is_there_twice(run, code, at):
    lines = lines_of(run)
    lines[at] = twins(lines[at])
    write(run, lines)
    assert run(code).returncode == 2


@both
def test_twins_in_the_bytes_of_an_event(run, code):
    lines = parsed(run)
    o = lines[5]
    o["canonical"] = '{"actor":"x",' + o["canonical"][1:]
    o["event_hash"] = "sha256:" + base64.urlsafe_b64encode(hashlib.sha256(
        o["canonical"].encode()).digest()).decode().rstrip("=")
    put(run, lines)
    assert run(code).returncode in (1, 2)


@either
def test_twins_in_a_receipt(run, code):
    text = (run.at / "receipt.json").read_text()
    (run.at / "receipt.json").write_text(twins(text))
    assert run(code).returncode == 2


@both
@pytest.mark.parametrize("member", ["intent_id", "event_hash", "position",
                                    "sequence", "canonical", "type"])
@pytest.mark.parametrize("value", [None, 0, -1, 1e308, "", "x", [], {}, True,
                                   "\x1b[2J\n0 broken"])
def test_members_of_other_types(run, code, member, value):
    lines = parsed(run)
    lines[3][member] = value
    put(run, lines)
    done = run(code)
    assert done.returncode in (1, 2), done.stdout
    assert "Traceback" not in done.stderr
    assert "\x1b" not in done.stdout + done.stderr


@either
def test_a_receipt_with_other_headers(run, code, server):
    """All signed by the right key."""
    key = load_pem_private_key(
        (server.state / "keys/log.key").read_bytes(), None)
    assert isinstance(key, Ed25519PrivateKey)
    b = json.loads((run.at / "receipt.json").read_text())
    header, claims, _ = b["receipt"].split(".")
    header = json.loads(base64.urlsafe_b64decode(header + "=="))

    def with_header(**members):
        o = {k: v for k, v in {**header, **members}.items() if v is not None}
        text = base64.urlsafe_b64encode(
            json.dumps(o).encode()).decode().rstrip("=")
        signed = f"{text}.{claims}"
        signature = base64.urlsafe_b64encode(key.sign(signed.encode()))
        b["receipt"] = f"{signed}.{signature.decode().rstrip('=')}"
        (run.at / "receipt.json").write_text(json.dumps(b))
        return run(code)

    assert faults(with_header()) == []
    for members in ({"alg": "none"}, {"alg": "ES256"}, {"alg": "HS256"},
                    {"alg": "Ed448"}, {"crit": ["x"], "x": 1},
                    {"crit": []}, {"b64": False, "crit": ["b64"]},
                    {"typ": "JWT"}, {"typ": "sayso-key+jwt"},
                    {"alg": None}, {"typ": None}):
        done = with_header(**members)
        assert done.returncode in (1, 2), (members, done.stdout)
        if done.returncode == 1:
            assert faults(done)[0].startswith("BROKEN signature"), members


@either
def test_a_receipt_without_a_signature(run, code):
    b = json.loads((run.at / "receipt.json").read_text())
    whole = b["receipt"]
    for text in (whole[:whole.rindex(".") + 1], whole[:whole.rindex(".")],
                 part(whole, 5), whole + ".x", "..", ""):
        b["receipt"] = text
        (run.at / "receipt.json").write_text(json.dumps(b))
        assert run(code).returncode in (1, 2), text
