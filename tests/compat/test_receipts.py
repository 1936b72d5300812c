"""Receipts with libraries that others have written: five for JOSE, and one for
the SD-JWT of RFC 9901. tests/http/test_log_commands.py has openssl, by the
commands of docs/log.md."""
import base64
import json
import pathlib
import subprocess
import warnings

import joserfc.errors
import joserfc.jwk
import joserfc.jwt
import jwcrypto.common
import jwcrypto.jwk
import jwcrypto.jwt
import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import \
    Ed25519PrivateKey
from sd_jwt.verifier import SDJWTVerifier
from test_oauth import packages

import kit

with warnings.catch_warnings():  # its authors now recommend joserfc
    warnings.simplefilter("ignore")
    import authlib.jose
    from authlib.jose.errors import JoseError as AuthlibError

HERE = pathlib.Path(__file__).resolve().parent
WORDS = {"value": "approve", "reason": "The goods came back."}


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


@pytest.fixture(scope="module")
def bundle(agent, operator):
    """The receipt of an answer, and what belongs to it."""
    asked = kit.ask(agent, choices=[
        {"value": "approve", "label": "Refund", "effect": "authorize"},
        {"value": "deny", "label": "Deny", "effect": "veto"}])
    done = kit.answer(operator, asked, **WORDS)
    assert done.status_code == 200, done.text
    at = f"/api/v1/suspensions/{asked['suspension_id']}/receipt"

    def signed():
        r = agent.get(at)
        return r.status_code == 200 and r.json()

    return {**kit.wait_for(signed), "asked": asked}


@pytest.fixture(scope="module")
def keys(nobody, bundle):
    """As a library fetches them, not those that came with the receipt."""
    r = nobody.get("/.well-known/jwks.json")
    assert r.status_code == 200, r.text
    return r.json()


# --- The libraries: the claims of a token; None: it is refused ---------------

def pyjwt(token, keys):
    try:
        kid = jwt.get_unverified_header(token)["kid"]
        return jwt.decode(token, jwt.PyJWKSet.from_dict(keys)[kid],
                          algorithms=["EdDSA"])
    except jwt.InvalidTokenError:
        return None


def authlib_jose(token, keys):
    try:
        return dict(authlib.jose.JsonWebToken(["EdDSA"]).decode(
            token, authlib.jose.JsonWebKey.import_key_set(keys)))
    except AuthlibError:
        return None


def joserfc_(token, keys):
    try:
        return joserfc.jwt.decode(
            token, joserfc.jwk.KeySet.import_key_set(keys),
            algorithms=["EdDSA"]).claims
    except joserfc.errors.JoseError:
        return None


def jwcrypto_(token, keys):
    try:
        read = jwcrypto.jwt.JWT(
            jwt=token, key=jwcrypto.jwk.JWKSet.from_json(json.dumps(keys)),
            algs=["EdDSA"])
        return json.loads(read.claims)
    except (jwcrypto.common.JWException, ValueError):
        return None


def jose(token, keys):
    done = subprocess.run(
        ["node", HERE / "jose_receipt.mjs", json.dumps(
            {"packages": str(packages()), "keys": keys, "tokens": [token]})],
        text=True, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)[0]


# joserfc warns that RFC 9864 has another word for EdDSA, which others refuse.
pytestmark = pytest.mark.filterwarnings("ignore:EdDSA is deprecated")

library = pytest.mark.parametrize(
    "claims", [pyjwt, authlib_jose, joserfc_, jwcrypto_, jose],
    ids=["PyJWT", "Authlib", "joserfc", "jwcrypto", "jose"])


@library
def test_67_a_library_verifies_a_receipt(bundle, keys, claims):
    said = claims(bundle["receipt"], keys)
    assert said["sub"] == bundle["asked"]["suspension_id"]
    receipt = said["receipt"]
    assert (receipt["state"], receipt["outcome"]) == ("resolved", "authorized")
    assert receipt["intent_id"] == bundle["asked"]["intent_id"]
    assert said == json.loads(unb64(bundle["receipt"].split(".")[1]))


# --- What is not as it was signed --------------------------------------------

def other_claims(token):
    """The claims as a forger would like them."""
    header, body, signature = token.split(".")
    said = unb64(body).replace(b'"authorized"', b'"vetoed"')
    assert said != unb64(body)
    return f"{header}.{b64(said)}.{signature}"


def other_signature(token):
    signed, _, signature = token.rpartition(".")
    data = bytearray(unb64(signature))
    data[40] ^= 1
    return f"{signed}.{b64(bytes(data))}"


def other_key(token):
    """Signed by somebody else, under the name of the server's key."""
    signed = token.rpartition(".")[0]
    signature = Ed25519PrivateKey.generate().sign(signed.encode())
    return f"{signed}.{b64(signature)}"


def no_algorithm(token):
    header, body, _ = token.split(".")
    header = {**json.loads(unb64(header)), "alg": "none"}
    return f"{b64(json.dumps(header).encode())}.{body}."


@library
@pytest.mark.parametrize("change", [other_claims, other_signature, other_key,
                                    no_algorithm])
def test_67_a_library_refuses_a_changed_receipt(bundle, keys, claims, change):
    assert claims(change(bundle["receipt"]), keys) is None


# --- The disclosures (RFC 9901) ----------------------------------------------

def presented(bundle, disclosures, keys):
    """The claims that a verifier of SD-JWT reads from a receipt that is shown
    with these disclosures."""
    [key] = keys["keys"]
    text = "~".join([bundle["receipt"], *disclosures, ""])
    return SDJWTVerifier(
        text, lambda issuer, header: jwcrypto.jwk.JWK(**key)
    ).get_verified_payload()["receipt"]


def test_the_disclosures_are_those_of_an_SD_JWT(bundle, keys, operator):
    asked = bundle["asked"]
    now = kit.read(operator, asked)
    said = presented(bundle, bundle["disclosures"], keys)
    assert "_sd" not in said
    assert {k: said[k] for k in WORDS} == WORDS
    assert said["responded_by"] == now["responded_by"]
    assert said["subject_sha256"] == asked["subject_sha256"]


def test_one_disclosure_is_shown_without_the_others(bundle, keys):
    def name(one):
        return json.loads(unb64(one))[1]

    for one in bundle["disclosures"]:
        said = presented(bundle, [one], keys)
        assert name(one) in said
        assert not any(name(other) in said for other in bundle["disclosures"]
                       if other != one)
    said = presented(bundle, [], keys)
    assert not any(name(one) in said for one in bundle["disclosures"])


def test_a_changed_disclosure_is_not_read(bundle, keys):
    """A verifier that follows RFC 9901 refuses it, or does not see it."""
    for at, one in enumerate(bundle["disclosures"]):
        salt, name, _ = json.loads(unb64(one))
        other = b64(json.dumps([salt, name, "somebody else"]).encode())
        shown = [*bundle["disclosures"]]
        shown[at] = other
        try:
            said = presented(bundle, shown, keys)
        except ValueError:
            continue
        assert name not in said
