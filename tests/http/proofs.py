"""Proofs of a key (DPoP, RFC 9449), good and bad ones, and an OAuth client
that sends them."""
import base64
import hashlib
import json
import time
import uuid

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519
from cryptography.hazmat.primitives.asymmetric.utils import \
    decode_dss_signature
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

GRANT = "urn:openid:params:grant-type:ciba"
ORDER = 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551


def b64(data):
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def text(value):
    """JSON as it goes into a token; what is text already stays so."""
    return value if isinstance(value, str) else json.dumps(value)


class Key:
    """A key of P-256, or of Ed25519."""

    def __init__(self, alg="ES256"):
        self.alg = alg
        if alg == "ES256":
            self.secret = ec.generate_private_key(ec.SECP256R1())
            n = self.secret.public_key().public_numbers()
            self.jwk = {"crv": "P-256", "kty": "EC",
                        "x": b64(n.x.to_bytes(32)), "y": b64(n.y.to_bytes(32))}
        else:
            self.secret = ed25519.Ed25519PrivateKey.generate()
            raw = self.secret.public_key().public_bytes(Encoding.Raw,
                                                        PublicFormat.Raw)
            self.jwk = {"crv": "Ed25519", "kty": "OKP", "x": b64(raw)}

    @property
    def jkt(self):
        """RFC 7638"""
        members = json.dumps(self.jwk, sort_keys=True, separators=(",", ":"))
        return b64(hashlib.sha256(members.encode()).digest())

    def sign(self, data, other=False):
        """other: the second signature that holds too, (r, n - s)."""
        if self.alg != "ES256":
            return self.secret.sign(data)
        r, s = decode_dss_signature(
            self.secret.sign(data, ec.ECDSA(hashes.SHA256())))
        return r.to_bytes(32) + (ORDER - s if other else s).to_bytes(32)

    def proof(self, htu, nonce=None, token=None, header=None, claims=None,
              other=False, **more):
        """A proof; header and claims: members to change, or whole texts."""
        h = {"typ": "dpop+jwt", "alg": self.alg, "jwk": self.jwk}
        p = {"htm": "POST", "htu": htu, "jti": str(uuid.uuid4()),
             "iat": int(time.time()), **more}
        if nonce:
            p["nonce"] = nonce
        if token:
            p["ath"] = b64(hashlib.sha256(token.encode()).digest())
        for to, change in ((h, header), (p, claims)):
            if isinstance(change, dict):
                to.update(change)
                for name in [k for k, v in to.items() if v is None]:
                    del to[name]
        h = header if isinstance(header, str) else h
        p = claims if isinstance(claims, str) else p
        data = f"{b64(text(h).encode())}.{b64(text(p).encode())}"
        return f"{data}.{b64(self.sign(data.encode(), other))}"


class OAuth:
    """An agent, or a resource, as an OAuth client."""

    def __init__(self, server, name, key, pair=None):
        self.server, self.name, self.secret = server, name, key
        self.client = server.client()
        self.pair, self.nonce = pair, None

    def post(self, path, auth="basic", dpop=None, headers=(), **form):
        headers = dict(headers)
        if auth == "basic":
            word = f"{self.name}:{self.secret}".encode()
            headers["Authorization"] = \
                "Basic " + base64.b64encode(word).decode()
        elif auth == "post":
            form = {**form, "client_id": self.name,
                    "client_secret": self.secret}
        elif auth == "header":
            headers |= {"X-API-Key": self.secret, "X-Agent-ID": self.name}
        if dpop:
            headers["DPoP"] = dpop
        form = {k: v if isinstance(v, str) else json.dumps(v)
                for k, v in form.items() if v is not None}
        r = self.client.post(path, data=form, headers=headers) if form else \
            self.client.post(path, content=b"", headers={
                **headers, "Content-Type":
                "application/x-www-form-urlencoded"})
        self.nonce = r.headers.get("dpop-nonce", self.nonce)
        return r

    def proof(self, path="/oauth/token", **more):
        more.setdefault("nonce", self.nonce)
        return self.pair.proof(self.server.url + path, **more)

    def fresh(self):
        """Gets a nonce where there is none."""
        if not self.nonce:
            r = self.post("/oauth/token", grant_type=GRANT, auth_req_id="x",
                          dpop=self.proof())
            assert r.json()["error"] == "use_dpop_nonce", r.text
        return self

    def token(self, handle, proof=True, **more):
        if proof is True:
            proof = self.fresh().proof() if self.pair else None
        form = {"grant_type": GRANT, "auth_req_id": handle, **more}
        return self.post("/oauth/token", dpop=proof or None, **form)


def said(response, status, error):
    """Checks that it was refused in this way. Returns the body."""
    assert response.status_code == status, response.text
    body = response.json()
    assert body["error"] == error, response.text
    assert response.headers["cache-control"] == "no-store"
    return body


def introspected(gateway, token, **more):
    r = gateway.post("/oauth/introspect", token=token, **more)
    assert r.status_code == 200, r.text
    return r.json()
