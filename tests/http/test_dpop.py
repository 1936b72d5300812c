"""Proofs of a key at the token endpoint (RFC 9449): what holds and what does
not. The numbers are those of the list of tests that the API was planned
with."""
import json
import time

import pytest
from kit import new_id
from proofs import GRANT, Key, OAuth, b64, said
from test_gateways import redeem, token  # noqa: F401

TOKEN = "/oauth/token"


@pytest.fixture(params=["ES256", "EdDSA"])
def pair(request):
    return Key(request.param)


@pytest.fixture
def one(server, pair):
    return OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"],
                 pair).fresh()


@pytest.fixture
def post(one):
    """Sends a proof with a handle that nobody has."""
    def send(proof, **more):
        return one.post(TOKEN, grant_type=GRANT, auth_req_id="sar_none",
                        dpop=proof, **more)

    return send


def holds(response):
    """The proof was read, and the handle is the mistake."""
    said(response, 400, "invalid_grant")


def fails(response):
    said(response, 400, "invalid_dpop_proof")


def test_54_the_nonce(server, pair, granted):
    one = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"], pair)
    form = {"grant_type": GRANT, "auth_req_id": granted()["auth_req_id"]}
    for nonce in (None, "", "1.x", "14961175." + "A" * 43):
        r = one.post(TOKEN, dpop=one.proof(nonce=nonce), **form)
        said(r, 400, "use_dpop_nonce")
        assert r.headers["dpop-nonce"]
    r = one.post(TOKEN, dpop=one.proof(), **form)
    assert r.status_code == 200, r.text


def test_a_nonce_is_the_clients(server, one, other_agent):
    """Of one key it is no use to another."""
    key = server.key("agent", "--agent", "stranger")
    two = OAuth(server, "stranger", key, one.pair).fresh()
    assert two.nonce != one.nonce
    said(one.post(TOKEN, grant_type=GRANT, auth_req_id="x",
                  dpop=one.proof(nonce=two.nonce)), 400, "use_dpop_nonce")


def test_55_the_same_proof_twice(one, asked):
    handle = asked()["auth_req_id"]
    proof = one.proof()
    said(one.token(handle, proof=proof), 400, "authorization_pending")
    fails(one.token(handle, proof=proof))


def test_56_a_key_with_its_secret(one, post):
    for name in ("d", "p", "q", "dp", "dq", "qi", "oth", "k"):
        fails(post(one.proof(header={"jwk": {**one.pair.jwk, name: "AA"}})))


def test_57_algorithms(one, post):
    right = one.pair.alg
    for alg in ("none", "HS256", "RS256", "ES384", "es256", "", None, 1,
                "EdDSA" if right == "ES256" else "ES256"):
        fails(post(one.proof(header={"alg": alg})))
    if right == "EdDSA":
        holds(post(one.proof(header={"alg": "Ed25519"})))
    other = Key("EdDSA" if right == "ES256" else "ES256")
    fails(post(one.proof(header={"jwk": other.jwk})))
    for typ in ("jwt", "dpop", "DPOP+JWT", None):
        fails(post(one.proof(header={"typ": typ})))


def test_58_extensions(one, post):
    fails(post(one.proof(header={"crit": ["b64"], "b64": True})))
    fails(post(one.proof(header={"b64": False})))
    fails(post(one.proof(header={"crit": []})))
    holds(post(one.proof(header={"kid": "x", "jku": "https://evil.example/",
                                 "x5c": []})))


def test_59_a_member_twice(one, post):
    jwk = json.dumps(one.pair.jwk)
    fails(post(one.proof(
        header='{"typ":"dpop+jwt","alg":"%s","alg":"%s","jwk":%s}' %
        (one.pair.alg, one.pair.alg, jwk))))
    claims = '"htm":"POST","htu":"%s","iat":1,"jti":"%s","nonce":"%s"' % (
        one.server.url + TOKEN, new_id(), one.nonce)
    holds(post(one.proof(claims="{%s}" % claims)))
    fails(post(one.proof(claims='{%s,"htm":"POST"}' % claims)))
    fails(post(one.proof(claims="[1]")))
    fails(post(one.proof(claims="{")))


def test_60_other_spellings_of_base64(one, post):
    proof = one.proof()
    head, claims, signature = proof.split(".")
    for bad in (f"{head}=.{claims}.{signature}", f"{head}.{claims}.{signature}=",
                f"{head}.{claims}. {signature}", proof + ".", proof + ".x",
                f"{head}.{claims}", f"{head}.{claims}.", "." * 2, "x", "",
                f"{head}.{claims}.{signature[:-1]}{stray(signature[-1])}",
                proof.replace("-", "+").replace("_", "/") + "+"):
        fails(post(None, headers={"DPoP": bad}))


def stray(c):
    """The character with one of the unused last bits set."""
    signs = ("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
             "0123456789-_")
    return signs[signs.index(c) | 1]


def test_61_the_address(one, post):
    url = one.server.url
    for htu in ("https://evil.example/oauth/token", url + "/oauth/introspect",
                url + "/oauth/token/", url, "", "/oauth/token",
                url.replace("127.0.0.1", "localhost") + TOKEN, None, 7):
        fails(post(one.proof(claims={"htu": htu})))
    forged = "http://evil.example"
    fails(post(one.proof(claims={"htu": forged + TOKEN}),
               headers={"Host": "evil.example"}))
    for htu in (url + TOKEN + "?x=1", url + TOKEN + "#x",
                url.replace("http:", "HTTP:") + TOKEN,
                url + "/oauth/x/../token", url + "/oauth/%74oken"):
        holds(post(one.proof(claims={"htu": htu})))
    for htm in ("GET", "post", "", None):
        fails(post(one.proof(claims={"htm": htm})))


def test_62_the_digest_of_another_token(client, token, redeem):  # noqa: F811
    """At the token endpoint there is no token; at a resource it counts."""
    _, first = token()
    _, second = token()
    proof = client.pair.proof("https://gateway.example/mcp", token=first)
    r = redeem(second, dpop={"proof": proof, "htm": "POST",
                             "htu": "https://gateway.example/mcp"})
    assert r.status_code == 401 and r.json()["code"] == "dpop.proof"


def test_63_the_other_signature_that_holds(server, asked):
    one = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"],
                Key()).fresh()
    handle, jti = asked()["auth_req_id"], new_id()
    said(one.token(handle, proof=one.proof(jti=jti)), 400,
         "authorization_pending")
    fails(one.token(handle, proof=one.proof(jti=jti, other=True)))
    said(one.token(handle, proof=one.proof(other=True)), 400, "slow_down")


def test_64_keys_that_are_none(server):
    small = Key("EdDSA")
    small.jwk = {"crv": "Ed25519", "kty": "OKP", "x": b64(b"\1" + bytes(31))}
    short = Key("EdDSA")
    short.jwk = {"crv": "Ed25519", "kty": "OKP", "x": b64(bytes(31))}
    off = Key()
    off.jwk = {**off.jwk, "y": b64(b"\1" * 32)}
    zero = Key()
    zero.jwk = {**zero.jwk, "x": b64(bytes(32)), "y": b64(bytes(32))}
    cut = Key()
    cut.jwk = {**cut.jwk, "x": b64(b"\1" * 31)}
    bare = Key()
    bare.jwk = {"kty": "EC", "crv": "P-256"}
    curve = Key()
    curve.jwk = {**curve.jwk, "crv": "P-384"}
    for pair in (small, short, off, zero, cut, bare, curve):
        one = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"],
                    Key()).fresh()
        fails(one.post(TOKEN, grant_type=GRANT, auth_req_id="x",
                       dpop=pair.proof(server.url + TOKEN, one.nonce)))


def test_65_two_headers(one):
    form = f"grant_type={GRANT}&auth_req_id=x"
    headers = [("DPoP", one.proof()), ("DPoP", one.proof()),
               ("X-API-Key", one.secret),
               ("Content-Type", "application/x-www-form-urlencoded")]
    fails(one.client.post(TOKEN, content=form, headers=headers))


def test_66_a_long_proof(one, post):
    fails(post(one.proof(pad="x" * 4000)))
    holds(post(one.proof(pad="x" * 2000)))
    for jti in ("x" * 7, "x" * 257, "", None, 12345678):
        fails(post(one.proof(claims={"jti": jti})))
    holds(post(one.proof(claims={"jti": "x" * 8})))
    for iat in ("1", None, [], True):
        fails(post(one.proof(claims={"iat": iat})))
    holds(post(one.proof(iat=int(time.time()) - 86400)))
