"""The log as an auditor checks it: the commands of docs/log.md, run with what a
server of its own has signed, and with one change of each kind."""
import base64
import hashlib
import importlib.util
import json
import pathlib
import re
import shutil
import subprocess
import sys

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey, Ed25519PublicKey)
from cryptography.hazmat.primitives.serialization import (Encoding,
                                                          PublicFormat)

import kit
from server import TOP, place
from test_log_witnesses import Witness
from tsa import Authority

BLOCKS = re.findall(r"^```(?:sh|cron)\n(.*?)^```",
                    (TOP / "docs/log.md").read_text(), re.M | re.S)


def block(words):
    [one] = [b for b in BLOCKS if words in b]
    return one


def test_no_command_of_the_page_is_left_out():
    here = pathlib.Path(__file__)
    words = re.findall(r'[^.]block\("([^"]+)"\)', here.read_text() +
                       here.with_name("test_log_exports.py").read_text())
    assert [b for b in BLOCKS if not any(w in b for w in words)] == []


def vkey(origin, raw):
    typed = b"\x01" + raw
    name = hashlib.sha256(origin.encode() + b"\n" + typed).digest()[:4]
    return f"{origin}+{name.hex()}+{base64.b64encode(typed).decode()}"


@pytest.fixture(scope="module")
def server():
    one = kit.Watched(place("log")).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def signed(server, tmp_path_factory):
    """A directory with log.jsonl, receipt.json and the first head as the server
    signed them, the key, and the question of the receipt."""
    at = tmp_path_factory.mktemp("signed")
    with server.client("agent", agent="a") as agent, \
            server.client("operator") as operator:
        asked = kit.ask(agent)
        kit.wait_for(lambda: agent.get("/log/checkpoint").status_code == 200)
        (at / "head.txt").write_text(agent.get("/log/checkpoint").text)
        assert kit.answer(operator, asked, "approve",
                          reason="fine").status_code == 200
        for n in range(102):
            kit.new_intent(agent) if n % 50 == 0 else agent.post(
                f"/api/v1/intents/{asked['intent_id']}/events",
                json={"event_type": "comment", "payload": {"n": n}}
            ).raise_for_status()

        def whole():
            r = agent.get(
                f"/api/v1/suspensions/{asked['suspension_id']}/receipt")
            return r.status_code == 200 and all(
                r.json().get(x) for x in ("tlog_proof", "checkpoint")) and r

        (at / "receipt.json").write_text(kit.wait_for(whole).text)
        [key] = [k for k in agent.get("/log/keys").json()
                 if k["state"] == "current"]

    def exported():
        done = server.sayso("export", "--log", str(at / "log.jsonl"))
        assert done.returncode == 0, done.stderr
        return len((at / "log.jsonl").read_text().splitlines()) > 100

    kit.wait_for(exported)
    return at, key["vkey"], asked["suspension_id"]


@pytest.fixture
def run(server, signed, tmp_path):
    """Runs a command of the page in a directory of its own, with the files that the
    server signed."""
    at, key, asked = signed
    for name in ("log.jsonl", "receipt.json", "head.txt"):
        shutil.copy(at / name, tmp_path)
    (tmp_path / "docs").symlink_to(TOP / "docs")
    (tmp_path / "sayso").symlink_to(server.var / "app/sayso")

    def command(code, key=key):
        return subprocess.run(
            ["sh", "-e", "-c", code.replace("python3", sys.executable)],
            cwd=tmp_path, text=True, capture_output=True, timeout=60,
            env={**server.environ, "LOG_KEY": key, "SAYSO_URL": server.url,
                 "KEY": server.env["SAYSO_OPERATOR_KEY"], "ID": asked,
                 "PATH": f"{tmp_path}:/usr/bin:/bin"})

    command.at, command.key = tmp_path, key
    return command


BUNDLE = [block("--bundle"), block("verify.py log.jsonl")]
RECEIPT = [block("sayso verify --receipt"), block("verify.py --receipt")]
both = pytest.mark.parametrize("code", BUNDLE, ids=["sayso", "python"])
either = pytest.mark.parametrize("code", RECEIPT, ids=["sayso", "python"])


def text_of(name):
    return (pathlib.Path(name)).read_text()


# --- A head ---------------------------------------------------------------

def test_cron_keeps_a_head(run, server):
    when, _, command = block("head-$(date").partition(" curl")
    assert when == "0 * * * *"
    command = command.replace("\\%", "%")  # as cron does
    done = run("curl" + command.replace("https://sayso.example.org",
                                        server.url))
    assert done.returncode == 0, done.stderr
    [kept] = run.at.glob("head-????-??-??-??.txt")
    assert kept.read_text().startswith(run.key.split("+")[0] + "\n")
    kept.rename(run.at / "head.txt")
    server.sayso("export", "--log", str(run.at / "log.jsonl"))
    assert run(block("--bundle")).returncode == 0


def test_a_witness_signs_a_head(run, server):
    """The line comes with a head that is not the newest any more."""
    w = Witness("witness.example.org")
    head = (run.at / "head.txt").read_text()
    cosigned = head + w.line(head)
    (run.at / "signed.txt").write_text(cosigned)
    with kit.configured(server, log_witnesses=w.vkey):
        done = run(block("cosignatures").replace(
            "$KEY", server.env["SAYSO_ADMIN_KEY"]))
    assert done.stdout == cosigned, done.stderr
    (run.at / "head.txt").write_text(done.stdout)
    for code in BUNDLE:
        assert run(code).returncode == 0


def test_a_checkpoint_has_a_time_stamp(run, server):
    tsa = Authority()
    with server.client("operator") as operator:
        found = operator.get("/api/v1/checkpoints").json()[0]
    code = f"CHECKPOINT={found['checkpoint_id']}\n" + block("/anchor")
    try:
        with kit.configured(server, tsa_url=tsa.url):
            done = run(code)
        assert done.returncode == 0, done.stderr
        shutil.copy(tsa.ca, run.at / "authority.pem")
        done = run(block("openssl ts"))
        assert "Verification: OK" in done.stdout, done.stderr
        assert "Hash Algorithm: sha256" in done.stdout
        server.sayso("export", "--log", str(run.at / "log.jsonl"))
        assert '"external-timestamp"' in (run.at / "log.jsonl").read_text()
        for code in BUNDLE:
            assert run(code).returncode == 0
        # A stamp is of one root.
        stamped = json.loads((run.at / "checkpoint.json").read_text())
        stamped["merkle_root"] = "sha256:" + "A" * 43
        (run.at / "checkpoint.json").write_text(json.dumps(stamped))
        assert run(block("openssl ts")).returncode != 0
    finally:
        tsa.close()


# --- An export ------------------------------------------------------------

def test_the_page_exports(server, signed, tmp_path):
    code = block("export --log").split()
    assert code[:3] == ["sayso", "export", "--log"]
    done = server.sayso("export", "--log", str(tmp_path / code[3]))
    assert re.fullmatch(r"\d+ events, \d+ checkpoints\n", done.stdout)
    assert (tmp_path / code[3]).read_text().startswith("{")


@both
def test_a_sound_export_holds_and_its_head_is_kept(run, code):
    old = (run.at / "head.txt").read_text()
    done = run(code)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith(" 0 broken\n")
    new = (run.at / "head.txt").read_text()
    last = (run.at / "log.jsonl").read_text().splitlines()[-1]
    assert new == json.loads(last)["note"] != old
    assert run(code).returncode == 0
    (run.at / "head.txt").unlink()
    assert run(code).returncode == 0
    assert (run.at / "head.txt").read_text() == new


@both
def test_a_full_disk_loses_no_head(run, code):
    old = (run.at / "head.txt").read_text()
    done = run(f"trap '' XFSZ\nulimit -f 0\n{code}")
    assert done.returncode == 2, done.stdout + done.stderr
    assert (run.at / "head.txt").read_text() == old
    assert run(code).returncode == 0
    assert (run.at / "head.txt").read_text() != old
    assert [x.name for x in run.at.glob("head*")] == ["head.txt"]


def lines_of(run):
    return (run.at / "log.jsonl").read_text().splitlines()


def write(run, lines):
    (run.at / "log.jsonl").write_text("".join(x + "\n" for x in lines))


def changed_byte(lines):
    at = [i for i, x in enumerate(lines) if '\\"n\\":7}' in x][0]
    lines[at] = lines[at].replace('\\"n\\":7}', '\\"n\\":8}')
    return f"line {at + 1}"


def missing_event(lines):
    at = [i for i, x in enumerate(lines) if '\\"n\\":7}' in x][0]
    del lines[at]
    return f"line {at + 1}"


def another_hash(lines):
    """With its own bytes: the chain does not go on from there."""
    at = [i for i, x in enumerate(lines) if '\\"n\\":7}' in x][0]
    o = json.loads(lines[at])
    o["canonical"] = o["canonical"].replace('"n":7}', '"n":8}')
    digest = hashlib.sha256(o["canonical"].encode()).digest()
    o["event_hash"] = "sha256:" + base64.urlsafe_b64encode(
        digest).decode().rstrip("=")
    lines[at] = json.dumps(o)
    return "not follow|not link|previous|chain"


def changed_checkpoint(lines):
    at = [i for i, x in enumerate(lines) if '"checkpoint_id"' in x][0]
    o = json.loads(lines[at])
    o["created_at"] = "2020-01-01T00:00:00.000000"
    lines[at] = json.dumps(o)
    return "checkpoint chk_.*sign"


def changed_head(lines):
    o = json.loads(lines[-1])
    o["note"] = o["note"].replace("\n", "\n1", 1)
    lines[-1] = json.dumps(o)
    return "head"


def cut(lines):
    del lines[-1]
    return "no head"


@both
@pytest.mark.parametrize("change", [
    changed_byte, missing_event, another_hash, changed_checkpoint,
    changed_head, cut])
def test_a_change_is_named(run, code, change):
    lines = lines_of(run)
    named = change(lines)
    write(run, lines)
    head = (run.at / "head.txt").read_text()
    done = run(code)
    assert done.returncode == 1, done.stdout + done.stderr
    found = [x for x in done.stdout.splitlines() if x.startswith("BROKEN ")]
    assert any(re.search(named, x) for x in found), done.stdout
    assert not done.stdout.endswith(" 0 broken\n")
    assert (run.at / "head.txt").read_text() == head


@both
@pytest.mark.parametrize("rubbish", [
    b"", b"\n", b"rubbish\n", b"[]\n", b'{"type":"event"}\n', b"\xff\xfe\n",
    b"{" * 100000, b"\x00" * 4096])
def test_rubbish_cannot_be_read(run, code, rubbish):
    (run.at / "log.jsonl").write_bytes(rubbish)
    done = run(code)
    assert done.returncode == (1 if rubbish == b"" else 2), done.stdout
    assert "Traceback" not in done.stderr


@both
def test_a_line_that_is_cut_cannot_be_read(run, code):
    text = (run.at / "log.jsonl").read_text()
    (run.at / "log.jsonl").write_text(text[:len(text) // 2])
    assert run(code).returncode == 2


@both
def test_a_foreign_key_signs_nothing(run, code):
    raw = Ed25519PrivateKey.generate().public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)
    (run.at / "head.txt").unlink()
    done = run(code, vkey(run.key.split("+")[0], raw))
    assert done.returncode == 1, done.stdout + done.stderr
    assert re.search("BROKEN .*head.*sign", done.stdout)
    assert not (run.at / "head.txt").exists()


@both
def test_what_is_no_key_and_no_head_is_said(run, code):
    assert run(code, "rubbish").returncode == 2
    assert run(code, "").returncode == 2
    (run.at / "head.txt").write_text("rubbish")
    assert run(code).returncode == 2
    (run.at / "head.txt").unlink()
    (run.at / "head.txt").mkdir()
    assert run(code).returncode == 2
    (run.at / "log.jsonl").unlink()
    assert run(code).returncode == 2


@both
def test_H4_a_log_that_was_cut_does_not_have_the_head_that_was_kept(run, code):
    """As somebody who has the key would: the export is sound by itself. The
    kept head is of the whole log here, and the export is an older one."""
    last = json.loads(lines_of(run)[-1])["note"]
    old = (run.at / "head.txt").read_text()
    size = int(old.split("\n")[1])
    lines = lines_of(run)
    write(run, lines[:1 + size] + [json.dumps({"type": "head", "note": old})])
    (run.at / "head.txt").unlink()
    done = run(code)
    assert done.returncode == 0, done.stdout
    (run.at / "head.txt").write_text(last)
    done = run(code)
    assert done.returncode == 1 and "BROKEN" in done.stdout, done.stdout
    assert "cut" in done.stdout or "smaller" in done.stdout


# --- A receipt ------------------------------------------------------------

@either
def test_a_sound_receipt_holds(run, code):
    done = run(code)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "BROKEN" not in done.stdout
    bundle = json.loads((run.at / "receipt.json").read_text())
    for name in ("texts", "disclosures"):
        del bundle[name]
    (run.at / "receipt.json").write_text(json.dumps(bundle))
    assert run(code).returncode == 0


def part(text, at):
    """One character of it is another one."""
    return text[:at] + ("A" if text[at] != "A" else "B") + text[at + 1:]


def subject(b):
    b["texts"]["subject"] += " "


def event(b):
    b["texts"]["event"] = b["texts"]["event"].replace("fine", "fime")


def question(b):
    b["texts"]["asked_event"] += " "


def payload(b):
    b["receipt"] = part(b["receipt"], b["receipt"].index(".") + 40)


def signature(b):
    b["receipt"] = part(b["receipt"], b["receipt"].rindex(".") + 10)


def disclosure(b):
    b["disclosures"].append("WyJhIiwiYiIsImMiXQ")


def checkpoint(b):
    b["checkpoint"]["event_count"] += 1


def proof(b):
    b["proof"]["proof_hashes"][0]["hash"] = b["checkpoint"]["merkle_root"]


def longer_proof(b):
    b["proof"]["proof_hashes"].append(b["proof"]["proof_hashes"][0])


def another_place(b):
    b["proof"]["leaf_index"] += 1


def head(b):
    lines = b["tlog_proof"].split("\n")
    lines[2] = base64.b64encode(b"0" * 32).decode()
    b["tlog_proof"] = "\n".join(lines)


@either
@pytest.mark.parametrize("change, step", [
    (subject, "subject"), (event, "answer|event"),
    (question, "question|asked_event"), (payload, "signature"),
    (signature, "signature"), (disclosure, "disclosures"),
    (checkpoint, "checkpoint"), (proof, "checkpoint"),
    (longer_proof, "checkpoint"), (another_place, "checkpoint"),
    (head, "head")])
def test_68_the_step_that_fails_is_named(run, code, change, step):
    bundle = json.loads((run.at / "receipt.json").read_text())
    change(bundle)
    (run.at / "receipt.json").write_text(json.dumps(bundle))
    done = run(code)
    if change is payload and done.returncode == 2:
        return  # the claims cannot be read any more
    assert done.returncode == 1, done.stdout + done.stderr
    found = [x for x in done.stdout.splitlines() if x.startswith("BROKEN ")]
    assert found and all(re.match(f"BROKEN ({step}|facts)", x)
                         for x in found), done.stdout


@either
@pytest.mark.parametrize("rubbish", [b"", b"[]", b"{}", b'{"receipt": 1}',
                                     b'{"receipt": "x.y.z"}', b"\xff",
                                     b"[" * 100000])
def test_a_receipt_of_rubbish(run, code, rubbish):
    (run.at / "receipt.json").write_bytes(rubbish)
    done = run(code)
    assert done.returncode in (1, 2) and "Traceback" not in done.stderr
    assert rubbish == b'{"receipt": "x.y.z"}' or done.returncode == 2


@either
def test_a_receipt_by_another_key(run, code):
    raw = Ed25519PrivateKey.generate().public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)
    done = run(code, vkey(run.key.split("+")[0], raw))
    assert done.returncode == 1 and "BROKEN signature" in done.stdout


def test_67_openssl_checks_a_receipt(run):
    for code in (block("-o r.jws"), block("openssl pkey ")):
        done = run(code)
        assert done.returncode == 0, done.stderr
    jws = (run.at / "r.jws").read_text()
    assert jws == json.loads((run.at / "receipt.json").read_text())["receipt"]
    raw = base64.b64decode(run.key.split("+", 2)[2])[1:]
    assert (run.at / "key.pem").read_bytes() == \
        Ed25519PublicKey.from_public_bytes(raw).public_bytes(
            Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    code = block("cut -d. -f1,2")
    done = run(code)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Verified Successfully" in done.stdout
    said = json.loads(run(block("-f2 r.jws")).stdout)
    assert said["receipt"]["state"] == "resolved"
    (run.at / "r.jws").write_text(part(jws, jws.index(".") + 40))
    assert run(code).returncode == 1


def test_72_openssl_checks_a_checkpoint(run):
    code, file = block("c.pop("), run.at / "receipt.json"
    assert run(block("openssl pkey ")).returncode == 0
    bundle = json.loads(file.read_text())
    for member, value, status in (
            ("anchor", {"type": "external-timestamp"}, 0), ("anchor", None, 0),
            ("event_count", bundle["checkpoint"]["event_count"] + 1, 1)):
        bundle["checkpoint"][member] = value
        file.write_text(json.dumps(bundle))
        done = run(code)
        assert done.returncode == status, done.stdout + done.stderr


# --- verify.py alone ------------------------------------------------------

SEED = "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60"
KEY = ("sayso.example/log+dd0e8583+"
       "AddamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea")
DID = "did:key:z6MktwupdmLXVVqTzCw4i46r4uGyosGXRnR3XjN4Zq7oMMsw"
ROOT = "sha256:-YFmKx3NkbJWmlb86MWQsEvAYu4i1Fnkm8UHY4yAmaI"
TWO = "boOT17jIwdSSy9iX+kF2if6aW3PLYYijtirwv41N3OY="
THREE = "AHPl37XTxvcfsNwdsvCW4Cotb9bXpZ0jwQCxWoSI2sQ="
CHECKPOINT = {
    "anchor": None, "checkpoint_id": "chk_1",
    "created_at": "2026-11-20T09:31:44.120931", "event_count": 3,
    "first_sequence": 1, "intent_id": "00000000-0000-0000-0000-000000000001",
    "last_sequence": 3, "merkle_root": ROOT, "scope": "intent",
    "signed_by": DID,
    "signature": "iSYFvFzSFCscWlGvGYBBauKwF_kAfAtqvHsddb0K0s9zDPcRfSS8BNkx4B9"
                 "TSqLIxkD8vIVvr5KX_ORgBzpCCQ"}
HEAD = ("3Q6Fg3ttx3RzpeQkaGJq6VR8UerPrOTBboQKPzasQXyGrfG0/ycAH2dvRiZzwIldiwmK"
        "CuhbjVXlTNMb7jYcmp9qpgE=")


@pytest.fixture
def verify():
    spec = importlib.util.spec_from_file_location(
        "verify", TOP / "docs/verify.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_L1_the_vectors(verify):
    leaves = [hashlib.sha256(x).digest() for x in (b"1", b"2", b"3")]
    key = verify.Key(KEY)
    raw = Ed25519PrivateKey.from_private_bytes(
        bytes.fromhex(SEED)).public_key().public_bytes(Encoding.Raw,
                                                       PublicFormat.Raw)
    assert vkey("sayso.example/log", raw) == KEY
    assert verify.hash_of(verify.root(leaves, b"")) == ROOT
    proof = [verify.bytes_of(x) for x in (
        "TgdAhWK-24tgzgXB3s_jrRa3IjCWfeAfZAt-Rym0n84",
        "QpX3LuseNQe4Rh4kDjuNGMHnvS8RIrEfyexApliUAxo")]
    assert verify.hash_of(verify.climb(leaves[2], 2, 4, proof, b"")) == ROOT
    entries = [verify.sha(b"\0", x) for x in leaves]
    two, three = (base64.b64decode(x) for x in (TWO, THREE))
    assert verify.root(entries) == three and verify.root(entries[:2]) == two
    assert verify.climb(entries[2], 2, 3, [two]) == three
    assert key.checkpoint(CHECKPOINT, "chk_1") == verify.bytes_of(ROOT[7:])
    note = f"sayso.example/log\n3\n{THREE}\n\n— sayso.example/log {HEAD}\n"
    assert key.head(note, "head") == (3, three)
    assert verify.faults == []
    key.checkpoint({**CHECKPOINT, "event_count": 2}, "chk_1")
    key.head(note.replace("\n3\n", "\n4\n"), "head")
    assert len(verify.faults) == 2


def test_verify_py_knows_a_proof_by_its_length_and_place(verify):
    """The two forgeries that RFC-0019's tree allows: a node as a leaf, and the
    place of the repeated last hash."""
    leaves = [hashlib.sha256(x).digest() for x in (b"1", b"2", b"3")]
    root = verify.root(leaves, b"")
    node = verify.sha(leaves[2], leaves[2])
    left = verify.sha(*leaves[:2])
    assert verify.climb(node, 1, 4, [left], b"") != root
    assert verify.climb(node, 1, 2, [left], b"") == root
    assert verify.climb(leaves[2], 3, 2, [leaves[2], left], b"") != root


def test_verify_py_is_short():
    text = text_of(TOP / "docs/verify.py")
    assert len(text.splitlines()) < 120
    assert "sayso" not in re.findall(r"^(?:import|from) (.*)$", text, re.M)
