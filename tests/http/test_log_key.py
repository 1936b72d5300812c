"""Keys of the log: a second one that the first names, the rotation, the end of a
key, and files that have something else."""
import base64
import json
import os
import re
import signal

import pytest
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.hazmat.primitives.asymmetric.ed25519 import (
    Ed25519PrivateKey, Ed25519PublicKey)

import kit
from kit import answer, ask, wait_for
from server import Clock, place
from test_log import Note, claims, receipt, unb64


@pytest.fixture(scope="module")
def clock():
    return Clock.at(place("log-key-clock"))


@pytest.fixture(scope="module")
def server(clock):
    one = kit.Watched(place("log-key"), **clock.setting).start()
    yield one
    one.stop()


@pytest.fixture(scope="module")
def file(server):
    return server.state / "keys/log.key"


def listed(server):
    """The rows of the command, and the keys as they are published."""
    done = server.sayso("log-key", "list")
    assert done.returncode == 0, done.stderr
    rows = [x.split("\t") for x in done.stdout.splitlines()[1:]]
    keys = server.client(headers={}).get("/log/keys").json()
    assert [(r[1], r[3]) for r in rows] == [(k["state"], k["did"])
                                            for k in keys]
    return [{**k, "kid": r[0]} for k, r in zip(keys, rows)]


def key(server, state):
    """The newest one in that state."""
    found = [k for k in listed(server) if k["state"] == state]
    return found[-1] if found else None


def refuses(server, why, *args):
    done = server.sayso("log-key", *args)
    assert (done.returncode, done.stdout) == (1, "")
    assert why in done.stderr


def runs(server, *args):
    done = server.sayso("log-key", *args)
    assert done.returncode == 0, done.stderr
    return done.stdout


def new(server, file):
    """A second key in the file, published as the next one."""
    kid, state = runs(server, "new", "--file", str(file)).strip().split("\t")
    assert state == "next" and key(server, "next")["kid"] == kid
    return kid


def names(old, next_):
    """The old key says that the other follows it."""
    if not old["successor"]:
        return False
    head, body, signature = old["successor"].split(".")
    header, said = json.loads(unb64(head)), json.loads(unb64(body))
    assert header["typ"] == "sayso-key+jwt" and header["alg"] == "EdDSA"
    assert header["kid"] == old["kid"]
    Ed25519PublicKey.from_public_bytes(unb64(old["public_key"])).verify(
        unb64(signature), f"{head}.{body}".encode())
    return said["jwk"]["x"] == next_["public_key"]


def restart(server):
    """The signer alone."""
    old = server.child("seal")
    os.kill(old, signal.SIGKILL)
    server.child("seal", after=old)


def ended(agent, operator):
    """A question that was answered on an intent that ended then."""
    asked = ask(agent)
    assert answer(operator, asked, "approve").status_code == 200
    intent = {"id": asked["intent_id"]}
    assert kit.set_status(agent, kit.get(agent, intent),
                          "abandoned").status_code == 200
    return asked


def signed_by(server, agent, operator):
    """Which key signs receipts now, checkpoints, and heads."""
    asked = ended(agent, operator)
    got = receipt(agent, asked)
    kid = json.loads(unb64(got["receipt"].split(".")[0]))["kid"]
    one = wait_for(lambda: agent.get("/api/v1/checkpoints", params={
        "intent_id": asked["intent_id"]}).json())[0]
    [row] = [k for k in listed(server) if k["did"] == one["signed_by"]]
    note = Note(agent.get("/log/checkpoint").text)
    numbers = {base64.b64decode(s)[:4].hex() for _, s in note.signatures}
    heads = {k["kid"] for k in listed(server)
             if k["vkey"].split("+")[1] in numbers and note.by(k["vkey"])}
    assert len(heads) == len(note.signatures)
    return kid, row["kid"], heads


def test_a_second_key_waits_until_the_first_names_it(server, file, agent,
                                                     operator):
    first = key(server, "current")
    assert first["successor"] is None and first["not_after"] is None
    refuses(server, "there is no next key", "rotate", "--now")
    with kit.asleep(server, "seal"):
        kid = new(server, file)
        refuses(server, "has not named the next one yet", "rotate", "--now")
    assert file.read_text().count("BEGIN PRIVATE KEY") == 2
    assert file.stat().st_mode & 0o077 == 0
    refuses(server, "there is a next key already", "new", "--file", str(file))
    assert file.read_text().count("BEGIN PRIVATE KEY") == 2
    wait_for(lambda: names(key(server, "current"), key(server, "next")))
    assert re.search(rf"note   the key {kid} .* is the next one, made .*; the "
                     "current one names it", server.sayso("doctor").stdout)
    refuses(server, "younger than a day", "rotate")
    assert key(server, "next")["not_before"] is None
    assert signed_by(server, agent, operator) == (
        first["kid"], first["kid"], {first["kid"]})
    assert [k["kid"] for k in jwks(server)] == [first["kid"], kid]


def jwks(server):
    return server.client(headers={}).get("/.well-known/jwks.json").json()[
        "keys"]


def test_the_next_key_is_retired_and_another_one_is_named(server, file):
    """The first one's statement names a key that nobody uses."""
    kid = key(server, "next")["kid"]
    runs(server, "retire", kid)
    assert key(server, "next") is None
    with kit.asleep(server, "seal"):
        new(server, file)
        assert key(server, "current")["successor"]
        refuses(server, "has not named the next one yet", "rotate", "--now")
    wait_for(lambda: names(key(server, "current"), key(server, "next")))


def test_a_rotation(server, file, agent, operator, clock):
    before = receipt(agent, ended(agent, operator))
    first, second = key(server, "current"), key(server, "next")
    clock.forward(hours=25)
    assert runs(server, "rotate") == ""
    [one] = [k for k in listed(server) if k["kid"] == first["kid"]]
    assert one["state"] == "retired" and one["not_after"]
    assert names(one, second)
    assert key(server, "current")["kid"] == second["kid"]
    assert f"the key {second['kid']} of the log is the current one since" in \
        server.sayso("doctor").stdout
    wait_for(lambda: signed_by(server, agent, operator) == (
        second["kid"], second["kid"], {first["kid"], second["kid"]}), 60)
    # Receipts of the first key still count.
    claims(before["receipt"], {"keys": jwks(server)})
    assert first["kid"] in [k["kid"] for k in jwks(server)]
    # A month later heads have one signature, and the other key may go.
    clock.forward(days=31)
    wait_for(lambda: float(re.search(
        r"^sayso_log_key_age_seconds (\S+)$", server.client().get(
            "/metrics").text, re.M)[1]) > 31 * 86400)
    wait_for(lambda: signed_by(server, agent, operator)[2] ==
             {second["kid"]}, 60)
    text = file.read_text()
    file.write_text("-----BEGIN" + text.split("-----BEGIN")[-1])
    restart(server)
    assert signed_by(server, agent, operator)[:2] == (second["kid"],) * 2


def test_a_key_that_was_stolen(server, file, agent, operator):
    old = key(server, "current")
    kept = ended(agent, operator)
    got = receipt(agent, kept)
    refuses(server, "there is no such key", "retire", "x" * 43)
    runs(server, "retire", old["kid"], "--compromised")
    [one] = [k for k in listed(server) if k["kid"] == old["kid"]]
    assert one["state"] == "compromised" and one["not_after"]
    assert old["kid"] not in [k["kid"] for k in jwks(server)]
    wait_for(lambda: "there is no current key" in server.log())
    asked = ask(agent)
    assert answer(operator, asked, "approve").status_code == 200
    kit.refused(agent.get("/api/v1/suspensions/"
                          f"{asked['suspension_id']}/receipt"), 503,
                "receipt.soon")
    # The database has answered: no alert is about it.
    assert "\nsayso_database_errors_total 0\n" in agent.get("/metrics").text
    kid, state = runs(server, "new", "--file", str(file)).strip().split("\t")
    assert state == "current"
    receipt(agent, asked)
    assert signed_by(server, agent, operator) == (kid, kid, {kid})
    # Its word stays, and nobody is given the key to check it.
    assert receipt(agent, kept)["receipt"] == got["receipt"]


# --- Files ----------------------------------------------------------------

def pem(one):
    return one.private_bytes(serialization.Encoding.PEM,
                             serialization.PrivateFormat.PKCS8,
                             serialization.NoEncryption()).decode()


def write(path, text):
    path.write_text(text)


def sparse(path, text):
    with path.open("wb") as f:
        f.truncate(1 << 30)


def unreadable(path, text):
    path.chmod(0)


def directory(path, text):
    path.unlink()
    path.mkdir()


FILES = {
    "gone": (lambda path, text: path.unlink(), "No such file or directory"),
    "empty": (lambda path, text: write(path, ""), "has other keys"),
    "rubbish": (lambda path, text: write(path, "a key"),
                "a text that is not an Ed25519 key"),
    "another": (lambda path, text: write(path, pem(
        Ed25519PrivateKey.generate())), "has other keys"),
    "of another kind": (lambda path, text: write(path, pem(
        rsa.generate_private_key(65537, 2048))),
        "a text that is not an Ed25519 key"),
    "cut": (lambda path, text: write(path, text[:-30]),
            "a text that is not an Ed25519 key"),
    "1 GB": (sparse, "File too large"),
    "not readable": (unreadable, "Permission denied"),
    "a directory": (directory, "Is a directory"),
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_without_the_key(server, file, agent, operator, name):
    change, why = FILES[name]
    kept = file.read_text()
    owner = file.stat()
    start = len(server.log())
    try:
        change(file, kept)
        # The running signer has read the key, and goes on.
        receipt(agent, ended(agent, operator))
        restart(server)
        wait_for(lambda: "there is no current key; nothing is signed"
                 in server.log()[start:])
        said = server.log()[start:]
        assert said.count("nothing is signed") == 1
        if why != "has other keys":
            assert why in said
        wrong = [x for x in server.sayso("doctor").stdout.splitlines()
                 if x.startswith("WRONG  the signer has the current key")]
        # Root, who may run doctor here, can read every file.
        assert name == "not readable" or len(wrong) == 1 and why in wrong[0]
        assert kit.resident(server.child("seal")) < 64 << 20
        asked = ended(agent, operator)
        kit.refused(agent.get("/api/v1/suspensions/"
                              f"{asked['suspension_id']}/receipt"), 503,
                    "receipt.soon")
    finally:
        if file.is_dir():
            file.rmdir()
        file.write_text(kept)
        os.chown(file, owner.st_uid, owner.st_gid)
        file.chmod(0o600)
    receipt(agent, asked)
    assert "seal: there is a key; the log is signed" in server.log()[start:]


@pytest.mark.parametrize("more", ["before", "behind"])
def test_the_key_among_others(server, file, agent, operator, more):
    """Keys that the database does not know sign nothing."""
    kept = file.read_text()
    kid = key(server, "current")["kid"]
    others = "".join(pem(Ed25519PrivateKey.generate()) for _ in range(60))
    write(file, others + kept if more == "before"
          else kept + others + "rubbish")
    try:
        restart(server)
        assert signed_by(server, agent, operator) == (kid, kid, {kid})
        said = server.log().count("a text that is not an Ed25519 key")
        assert more == "before" or said > 0
    finally:
        write(file, kept)


def test_a_file_that_is_full(server, tmp_path):
    """The signer reads no more keys of a file."""
    if there := key(server, "next"):
        runs(server, "retire", there["kid"])
    path = tmp_path / "log.key"
    path.write_bytes(b"".join(
        Ed25519PrivateKey.generate().private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8,
            serialization.NoEncryption()) for _ in range(64)))
    before, keys = path.read_bytes(), listed(server)
    refuses(server, "the file has 64 keys", "new", "--file", path)
    assert path.read_bytes() == before and listed(server) == keys
