"""The log's tiles with a reader that others have written: tlog/main.go reads
them by torchwood, and by the packages with which Go reads its checksum
database."""
import base64
import concurrent.futures
import hashlib
import http.server
import json
import os
import subprocess
import threading

import pytest
from cryptography.hazmat.primitives.serialization import load_pem_private_key
from programs import BUILD

import kit

FEW = 300  # events: more than a tile


class Forwarder(http.server.BaseHTTPRequestHandler):
    """Hands on what the log has, and changes a byte of one path."""

    def do_GET(self):
        r = self.server.log.get(self.path)
        data = bytearray(r.content)
        self.server.asked.append(self.path)
        if self.path == self.server.changed:
            data[len(data) // 2] ^= 1
        self.send_response(r.status_code)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="module")
def log(agent):
    """The log, at an address that needs no key."""
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Forwarder) as one:
        one.log, one.asked, one.changed = agent, [], None
        threading.Thread(target=one.serve_forever, daemon=True).start()
        yield one
        one.shutdown()


def head(agent):
    r = agent.get("/log/checkpoint")
    return r.status_code == 200 and r.text


def size_of(note):
    return int(note.split("\n")[1])


@pytest.fixture(scope="module")
def grown(agent, operator):
    """A head of the log, and what came into the log after it: the events of an
    intent, and a receipt with its proof."""
    asked = kit.ask(agent)
    kept = kit.wait_for(lambda: head(agent))
    intent = kit.new_intent(agent)

    def comment(n):
        kit.made(agent.post(f"/api/v1/intents/{intent['id']}/events", json={
            "event_type": "comment", "payload": {"n": n}}))

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        list(threads.map(comment, range(max(20, FEW - size_of(kept)))))
    assert kit.answer(operator, asked).status_code == 200
    listed = kit.events(agent, intent["id"], limit=1000)[::-1]
    at = f"/api/v1/suspensions/{asked['suspension_id']}/receipt"

    def proven():
        r = agent.get(at)
        return r.status_code == 200 and r.json()["tlog_proof"]

    proof = kit.wait_for(proven)
    entry = json.loads(base64.urlsafe_b64decode(
        agent.get(at).json()["receipt"].split(".")[1] + "=="))
    kit.wait_for(lambda: size_of(head(agent)) >= FEW)
    return {"kept": kept, "events": listed, "proof": proof,
            "entry": raw(entry["receipt"]["event"]["event_hash"])}


def raw(event_hash):
    """The entry of an event, as base64."""
    text = event_hash.removeprefix("sha256:") + "="
    return base64.b64encode(base64.urlsafe_b64decode(text)).decode()


@pytest.fixture(scope="module")
def key(nobody):
    [one] = [k for k in nobody.get("/log/keys").json()
             if k["state"] == "current"]
    return one["vkey"]


@pytest.fixture
def reader(log, key):
    """Runs the reader; its process."""
    program = BUILD / "tlog-reader"
    assert program.exists(), \
        f"go build -o {program} in tests/compat/tlog, as ./check does"

    def run(changed=None, **task):
        log.asked.clear()
        log.changed = changed
        given = {"base": f"http://127.0.0.1:{log.server_port}/log/",
                 "key": key, **task}
        return subprocess.run([program], input=json.dumps(given), text=True,
                              capture_output=True, timeout=60)

    yield run
    log.changed = None


def read(done):
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def inclusion(grown):
    """The proof of a receipt, in its parts."""
    lines, _, note = grown["proof"].partition("\n\n")
    first, index, *hashes = lines.split("\n")
    assert first == "c2sp.org/tlog-proof@v1"
    return {"entry": grown["entry"], "head": note, "hashes": hashes,
            "index": int(index.removeprefix("index "))}


def test_the_log_is_read_and_each_entry_is_in_its_tree(reader, log, grown,
                                                       key):
    last = size_of(grown["kept"])
    got = read(reader(prove=[0, 1, 255, 256, last], kept=grown["kept"],
                      inclusion=inclusion(grown)))
    assert got["origin"] == key.split("+")[0]
    assert len(got["entries"]) == got["size"] >= FEW
    mine = [raw(e["event_hash"]) for e in grown["events"]]
    assert [e for e in got["entries"] if e in set(mine)] == mine
    paths = {path.removeprefix("/log/") for path in log.asked}
    full, rest = divmod(got["size"], 256)
    for wanted in ("checkpoint", "tile/0/000", "tile/entries/000",
                   f"tile/1/000.p/{full}" if full < 256 else "tile/1/000",
                   f"tile/0/{full:03}.p/{rest}",
                   f"tile/entries/{full:03}.p/{rest}"):
        assert wanted in paths or (rest == 0 and f"{full:03}.p" in wanted)


@pytest.mark.parametrize("which", ["checkpoint", "tile/0/000", "tile/1/000",
                                   "tile/entries/000", "tile/0/last",
                                   "tile/entries/last"])
def test_one_changed_byte_is_refused(reader, agent, grown, which):
    """The log does not grow meanwhile, so each of these is asked for."""
    size = size_of(kit.wait_for(lambda: head(agent)))
    full, rest = divmod(size, 256)
    if which.endswith("last"):
        if rest == 0:
            kit.new_intent(agent)
            size = size_of(kit.wait_for(
                lambda: size_of(head(agent)) > size and head(agent)))
            full, rest = divmod(size, 256)
        which = which.replace("last", f"{full:03}.p/{rest}")
    elif which == "tile/1/000" and full < 256:
        which += f".p/{full}"
    done = reader(changed=f"/log/{which}")
    assert done.returncode == 1 and done.stdout == "", done.stdout
    assert done.stderr and "panic" not in done.stderr
    read(reader())


def test_a_head_by_another_key_is_refused(reader, key):
    name, _, last = key.split("+", 2)
    data = bytearray(base64.b64decode(last))
    data[20] ^= 1
    number = hashlib.sha256(name.encode() + b"\n" + data).digest()[:4].hex()
    done = reader(key=f"{name}+{number}+{base64.b64encode(data).decode()}")
    assert done.returncode == 1 and "signature" in done.stderr


def test_a_log_that_was_written_again_does_not_have_the_kept_head(
        server, reader, grown, key):
    """By somebody who has the key: the kept head is signed, and is of other
    events."""
    pem = (server.state / "keys/log.key").read_bytes()
    name, number, _ = key.split("+", 2)
    lines = grown["kept"].split("\n")
    lines[2] = base64.b64encode(hashlib.sha256(b"other").digest()).decode()
    text = "\n".join(lines[:3]) + "\n"
    signed = bytes.fromhex(number) + load_pem_private_key(
        pem, None).sign(text.encode())
    other = f"{text}\n— {name} {base64.b64encode(signed).decode()}\n"
    done = reader(kept=other)
    assert done.returncode == 1 and done.stdout == ""
    read(reader(kept=grown["kept"]))


def test_L6_every_two_sizes(reader, tmp_path):
    """The proofs of tests/unit/test_tlog.c, whose entries are the same there
    and in the reader."""
    at = tmp_path / "proofs"
    done = subprocess.run(
        [BUILD / "tests/unit/unit", "--filter", "tlog/proofs_for*"], text=True,
        capture_output=True, timeout=120,
        env={**os.environ, "SAYSO_TLOG_PROOFS": str(at)})
    assert done.returncode == 0, done.stdout + done.stderr
    assert int(read(reader(proofs=str(at)))) == 300 * 299 / 2
    text = at.read_text()
    half = text.rindex(" ", 0, len(text) // 2) + 1
    at.write_text(text[:half] + ("B" if text[half] == "A" else "A")
                  + text[half + 1:])
    assert reader(proofs=str(at)).returncode == 1


def test_a_proof_of_another_event_is_refused(reader, grown):
    right = inclusion(grown)
    read(reader(inclusion=right))
    for wrong in ({"index": right["index"] - 1},
                  {"entry": raw(grown["events"][0]["event_hash"])},
                  {"hashes": right["hashes"][:-1]}):
        assert reader(inclusion={**right, **wrong}).returncode == 1
