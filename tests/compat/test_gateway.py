"""examples/gateway.py with real clients: an MCP client calls a tool, Authlib
asks for the token, joserfc signs the proofs."""
import asyncio
import hashlib
import json
import os
import pathlib
import subprocess
import sys
import time
import urllib.parse
import uuid

import httpx
import httpx2
import pytest
from authlib.integrations.httpx_client import OAuth2Client
from joserfc import jws
from joserfc.jwk import ECKey
from joserfc.util import urlsafe_b64encode
from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from server import free_port

TOP = pathlib.Path(__file__).resolve().parent.parent.parent
GRANT = "urn:openid:params:grant-type:ciba"
CALL = {"order": "12345", "amount": "49.90", "currency": "EUR"}
DETAILS = ('[{"type":"tool_call","tool":"shop.refund","arguments":'
           '{"order":"12345","currency":"EUR"},'
           '"constraints":{"amount":"50.00"}}]')


class Proofs:
    """An agent's key."""

    def __init__(self):
        self.key = ECKey.generate_key("P-256", auto_kid=False)
        self.nonce = None

    def proof(self, url, token=None):
        claims = {"htm": "POST", "htu": url, "jti": str(uuid.uuid4()),
                  "iat": int(time.time())}
        if token:
            digest = hashlib.sha256(token.encode()).digest()
            claims["ath"] = urlsafe_b64encode(digest).decode()
        elif self.nonce:
            claims["nonce"] = self.nonce
        header = {"typ": "dpop+jwt", "alg": "ES256",
                  "jwk": self.key.as_dict(private=False)}
        return jws.serialize_compact(header, json.dumps(claims).encode(),
                                     self.key)


class Signed(httpx2.Auth):
    """Adds the token and a fresh proof to each request of the MCP client."""

    def __init__(self, proofs, token, url):
        self.proofs, self.token, self.url = proofs, token, url

    def auth_flow(self, request):
        request.headers["Authorization"] = f"DPoP {self.token}"
        request.headers["DPoP"] = self.proofs.proof(self.url, self.token)
        yield request


def metadata(url):
    at = urllib.parse.urlsplit(url)
    return (f"{at.scheme}://{at.netloc}/.well-known/oauth-protected-resource"
            f"{at.path}")


@pytest.fixture(scope="module")
def gateway(server):
    """The address of a gateway that runs."""
    port = free_port()
    url = f"http://127.0.0.1:{port}/mcp"
    with server.resource(url) as client:
        process = subprocess.Popen(
            [sys.executable, TOP / "examples/gateway.py"],
            env={**os.environ, "SAYSO_URL": server.url, "GATEWAY_URL": url,
                 "SAYSO_RESOURCE_KEY": client.key})
        end = time.monotonic() + 30
        while True:
            try:
                httpx.get(metadata(url), timeout=60)
                break
            except httpx.TransportError:
                assert process.poll() is None and time.monotonic() < end
                time.sleep(0.1)
        yield url
        process.terminate()
        process.wait()


@pytest.fixture
def oauth(server):
    with OAuth2Client("refunds-agent", server.env["SAYSO_AGENT_KEY"],
                      token_endpoint=server.url + "/oauth/token") as client:
        yield client


def asked(server, oauth, gateway, **more):
    r = oauth.request(
        "POST", server.url + "/oauth/bc-authorize", withhold_token=True,
        auth=("refunds-agent", oauth.client_secret), data={
            "authorization_details": DETAILS, "resource": gateway, **more})
    assert r.status_code == 200, r.text
    return r.json()


def token(oauth, proofs, handle):
    """As a client does: again with the nonce where one is wanted."""
    from authlib.integrations.base_client import OAuthError
    for _ in range(2):
        def keep(response):
            proofs.nonce = response.headers.get("dpop-nonce", proofs.nonce)
            return response

        oauth.compliance_hook["access_token_response"] = {keep}
        try:
            return oauth.fetch_token(
                grant_type=GRANT, auth_req_id=handle,
                headers={"DPoP": proofs.proof(oauth.metadata[
                    "token_endpoint"])})
        except OAuthError as e:
            if e.error != "use_dpop_nonce":
                raise
    raise AssertionError("no nonce would do")


def run_tool(gateway, proofs, access_token, arguments=CALL):
    async def run():
        auth = Signed(proofs, access_token, gateway)
        async with httpx2.AsyncClient(auth=auth) as client, \
                streamable_http_client(gateway, http_client=client) as pair, \
                ClientSession(*pair[:2]) as session:
            await session.initialize()
            listed = await session.list_tools()
            assert [t.name for t in listed.tools] == ["shop.refund"]
            return await session.call_tool("shop.refund", arguments)

    return asyncio.run(run())


def test_the_metadata_names_sayso(server, gateway):
    m = httpx.get(metadata(gateway), timeout=60).json()
    assert m["resource"] == gateway
    assert m["authorization_servers"] == [server.url]
    issuer = httpx.get(m["authorization_servers"][0] +
                       "/.well-known/oauth-authorization-server",
                       timeout=60).json()
    assert issuer["issuer"] == server.url


def test_29_a_tool_runs_once_with_a_permit(server, gateway, oauth, operator,
                                           agent):
    proofs = Proofs()
    p = asked(server, oauth, gateway, dpop_jkt=proofs.key.thumbprint())
    r = operator.post(f"/api/v1/suspensions/{p['request_id']}/respond",
                      json={"value": "approve"})
    assert r.status_code == 200, r.text
    t = token(oauth, proofs, p["auth_req_id"])
    assert t["token_type"] == "DPoP"
    done = run_tool(gateway, proofs, t["access_token"])
    assert done.content[0].text == "Refunded 49.90 EUR for order 12345."
    permit = agent.get(f"/api/v1/permits/{t['permit_id']}").json()
    assert permit["view"] == "completed" and permit["state"] == "spent"
    assert permit["redemptions"][0]["tool"] == "shop.refund"


def test_without_a_permit_no_tool_runs(server, gateway, oauth, operator,
                                       agent):
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
            "params": {"name": "shop.refund", "arguments": CALL}}
    headers = {"Accept": "application/json, text/event-stream"}
    for more in ({}, {"Authorization": "Bearer x"},
                 {"Authorization": "DPoP sat_none"}):
        r = httpx.post(gateway, json=call, headers={**headers, **more},
                       timeout=60)
        assert r.status_code == 401
        assert "resource_metadata=" in r.headers["www-authenticate"]
    proofs = Proofs()
    p = asked(server, oauth, gateway)
    operator.post(f"/api/v1/suspensions/{p['request_id']}/respond",
                  json={"value": "approve"})
    t = token(oauth, proofs, p["auth_req_id"])
    signed = {"Authorization": f"DPoP {t['access_token']}",
              "DPoP": proofs.proof(gateway, t["access_token"])}
    call["params"]["arguments"] = {**CALL, "amount": "90.00"}
    r = httpx.post(gateway, json=call, headers={**headers, **signed},
                   timeout=60)
    assert r.status_code == 403 and r.json()["error"] == "permit.limit"
    call["params"]["arguments"] = CALL
    bare = {"Authorization": signed["Authorization"]}
    r = httpx.post(gateway, json=call, headers={**headers, **bare}, timeout=60)
    assert r.status_code == 401 and r.json()["error"] == "dpop.proof"
    permit = agent.get(f"/api/v1/permits/{t['permit_id']}").json()
    assert permit["used"] == 0
