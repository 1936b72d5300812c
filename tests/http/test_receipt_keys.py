"""Receipts by keys that follow each other: an auditor who learned the first one
checks them all."""
import json

import pytest
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import \
    Ed25519PublicKey

import kit
from kit import wait_for
from server import Clock, place
from test_log import b64, claims, receipt, unb64
from test_log_commands import vkey
from test_log_key import ended, key, names, new, runs


@pytest.fixture(scope="module")
def clock():
    return Clock.at(place("receipt-keys-clock"))


@pytest.fixture(scope="module")
def server(clock):
    with kit.own_server(place("receipt-keys"), **clock.setting) as one:
        yield one


def kid_of(bundle):
    return json.loads(unb64(bundle["receipt"].split(".")[0]))["kid"]


def signed_by(agent, operator, kid):
    """The receipt of a new question, once this key signs them."""
    def there():
        got = receipt(agent, ended(agent, operator))
        return kid_of(got) == kid and got

    return wait_for(there, 60)


def led_to(first, published):
    """The keys that the first one leads to, each named by the one before it."""
    trusted = [first["public_key"]]
    rows = {k["public_key"]: k for k in published}
    while statement := rows[trusted[-1]]["successor"]:
        head, body, signature = statement.split(".")
        assert json.loads(unb64(head))["typ"] == "sayso-key+jwt"
        Ed25519PublicKey.from_public_bytes(unb64(trusted[-1])).verify(
            unb64(signature), f"{head}.{body}".encode())
        trusted.append(json.loads(unb64(body))["jwk"]["x"])
    return trusted


@pytest.fixture(scope="module")
def rotated(server, clock, agent, operator):
    """The first key, and a receipt by it and by each of two that followed."""
    file = server.state / "keys/log.key"
    first = key(server, "current")
    got = [signed_by(agent, operator, first["kid"])]
    for _ in range(2):
        new(server, file)
        wait_for(lambda: names(key(server, "current"), key(server, "next")))
        clock.forward(hours=25)
        runs(server, "rotate")
        got.append(signed_by(agent, operator, key(server, "current")["kid"]))
    return first, got


def test_69_receipts_from_the_first_pinned_key(server, rotated, tmp_path):
    first, got = rotated
    published = server.client(headers={}).get("/log/keys").json()
    trusted = led_to(first, published)
    assert len(trusted) == len({kid_of(b) for b in got}) == 3
    origin = first["vkey"].split("+")[0]
    for bundle, x in zip(got, trusted):
        claims(bundle["receipt"], {"keys": [
            {"kid": kid_of(bundle), "x": x}]})
        path = tmp_path / "receipt.json"
        path.write_text(json.dumps(bundle))
        done = server.sayso("verify", "--receipt", str(path), "--key",
                            vkey(origin, unb64(x)))
        assert done.returncode == 0, done.stdout + done.stderr


def test_69_a_key_that_nobody_named_is_not_led_to(server, rotated):
    first, _ = rotated
    published = server.client(headers={}).get("/log/keys").json()
    [row] = [k for k in published if k["public_key"] == first["public_key"]]
    head, body, signature = row["successor"].split(".")
    said = json.loads(unb64(body))
    said["jwk"]["x"] = b64(b"x" * 32)
    row["successor"] = ".".join(
        [head, b64(json.dumps(said).encode()), signature])
    with pytest.raises(InvalidSignature):
        led_to(first, published)
