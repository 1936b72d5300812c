"""The lines that witnesses add to the heads of the log."""
import base64
import os
import signal
import time

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import \
    Ed25519PrivateKey

from kit import configured, new_intent, refused, wait_for
from test_log import head, sha

COSIGN = "POST /api/v1/admin/log/cosignatures"
route = pytest.mark.route


class Witness:
    """As C2SP tlog-cosignature has one."""

    def __init__(self, name, algorithm=4):
        self.name, self.secret = name, Ed25519PrivateKey.generate()
        data = bytes([algorithm]) + self.secret.public_key().public_bytes_raw()
        self.id = sha(name.encode(), b"\n", data)[:4]
        self.vkey = f"{name}+{self.id.hex()}+{base64.b64encode(data).decode()}"

    def line(self, note, at=None, text=None):
        at = int(time.time()) if at is None else at
        text = note.partition("\n\n")[0] + "\n" if text is None else text
        signature = self.secret.sign(
            f"cosignature/v1\ntime {at}\n{text}".encode())
        return f"— {self.name} " + base64.b64encode(
            self.id + at.to_bytes(8, "big") + signature).decode() + "\n"


def cosign(client, note):
    return client.post("/api/v1/admin/log/cosignatures", json={"note": note})


def newest(client, **query):
    return client.get("/log/checkpoint", params=query).text


def fresh(client):
    """A new head, which no witness has signed."""
    new_intent(client, "draft")
    size = head(client).size
    new_intent(client, "draft")
    head(client, size + 1)
    return newest(client)


ONE, TWO = Witness("witness.example/w1"), Witness("other.example")


@pytest.fixture
def witnessed(server):
    with configured(server, log_witnesses=f"{ONE.vkey} {TWO.vkey}"):
        yield


@route(COSIGN)
def test_a_witness_adds_its_line(agent, admin, witnessed):
    note = fresh(agent)
    one, two = ONE.line(note), TWO.line(note)
    r = cosign(admin, note + one)
    assert (r.status_code, r.text) == (200, note + one)
    assert newest(agent) == newest(agent, cosigned="yes") == note + one
    # Another line by the same witness: the first one stays. Lines of others are
    # passed over.
    others = ONE.line(note, int(time.time()) + 1) + \
        Witness("third.example").line(note)
    assert cosign(admin, note + others).text == note + one
    assert cosign(admin, note + others + two).text == note + one + two
    assert newest(agent) == note + one + two
    # A newer head begins without, and an older one still takes some.
    later = fresh(agent)
    assert later.count("—") == 1
    assert newest(agent, cosigned="yes") == note + one + two
    fresh(agent)
    assert cosign(admin, later + ONE.line(later)).text == \
        later + ONE.line(later)
    assert newest(agent, cosigned="yes") == later + ONE.line(later)


def test_what_no_witness_has_signed(agent, admin, operator, auditor,
                                    witnessed):
    note = fresh(agent)
    lines, line = note.splitlines(), ONE.line(note)

    def wrong(code, *more):
        refused(cosign(admin, note + "".join(more)), 422, code, "note")

    wrong("cosignature.signature")
    wrong("cosignature.signature", Witness(ONE.name).line(note))
    wrong("cosignature.signature", Witness("third.example").line(note))
    wrong("cosignature.signature", ONE.line(note, text="x\n"))
    wrong("cosignature.signature", line[:-6] + "AAA=\n")
    wrong("cosignature.time", ONE.line(note, 1))
    wrong("cosignature.time", ONE.line(note, int(time.time()) + 3600))
    wrong("cosignature.note", "— x\n")
    wrong("cosignature.note", line * 64)
    refused(cosign(admin, "x\n\n" + line), 422, "cosignature.note", "note")
    refused(cosign(admin, note + line * 1000), 422)
    other = base64.b64encode(sha(b"other")).decode()
    for change in ([lines[0], "1" + lines[1], lines[2]],
                   ["elsewhere.example/log", *lines[1:3]],
                   [*lines[:2], other],
                   [*lines[:3], "an extension"]):
        text = "\n".join(change) + "\n"
        refused(cosign(admin, f"{text}\n{lines[4]}\n" +
                       ONE.line(note, text=text)), 404, "log.no_head")
    for client in (agent, operator, auditor):
        refused(cosign(client, note + line), 403, "role.forbidden")
    refused(admin.post("/api/v1/admin/log/cosignatures", json={}), 422,
            "field.missing", "note")
    assert newest(agent).count("—") == 1


def test_without_witnesses_no_line_is_taken(agent, admin):
    note = fresh(agent)
    refused(cosign(admin, note + ONE.line(note)), 422,
            "cosignature.signature", "note")


@pytest.mark.parametrize("keys", [
    "x", Witness("w.example", algorithm=1).vkey,
    ONE.vkey.replace("w1+", "w2+"), f"{ONE.vkey}  {TWO.vkey}",
    " ".join(Witness(f"w{n}.example").vkey for n in range(17))],
    ids=["rubbish", "another type", "another id", "two spaces", "17"])
def test_keys_that_are_none_are_not_loaded(server, keys):
    conf = server.state / "sayso.conf"
    before, failed = conf.read_text(), server.log().count("reload failed")
    conf.write_text(f"{before}\nlog_witnesses = {keys}\n")
    try:
        os.kill(server.supervisor(), signal.SIGHUP)
        wait_for(lambda: server.log().count("reload failed") > failed)
    finally:
        conf.write_text(before)
    assert "configuration: log_witnesses: keys of witnesses" in server.log()
