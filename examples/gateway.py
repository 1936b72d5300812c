"""An MCP server whose tools run with a permit from Sayso, and not without.

It lists Sayso as its authorization server (RFC 9728). A `tools/call` brings an
access token of a permit and a proof of the agent's key:

    Authorization: DPoP sat_...
    DPoP: eyJ...

The gateway counts one use of the permit, with the whole call, before the tool
runs, and reports the result after it. Sayso compares the call with what a
person approved; the gateway never decides.

    pip install mcp==2.3.0
    export SAYSO_URL=...           where Sayso is
    export SAYSO_RESOURCE_KEY=...  sayso key create --role resource ...
    export GATEWAY_URL=http://127.0.0.1:9000/mcp
                                   as in: sayso resource add --identifier
    python gateway.py
"""
import json
import os
import urllib.parse
import uuid

import httpx2
import uvicorn
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.mcpserver import MCPServer

SAYSO = os.environ["SAYSO_URL"]
RESOURCE = os.environ["GATEWAY_URL"]
ADDRESS = urllib.parse.urlsplit(RESOURCE)
METADATA = "/.well-known/oauth-protected-resource" + ADDRESS.path
TRIES = 3

# --- The tools ------------------------------------------------------------

shop = MCPServer("shop")


@shop.tool(name="shop.refund")
def refund(order: str, amount: str, currency: str) -> str:
    """Refunds an order."""
    return f"Refunded {amount} {currency} for order {order}."


# --- Sayso ----------------------------------------------------------------

class Sayso(TokenVerifier):
    """Asks about tokens, and counts uses."""

    def __init__(self):
        self.client = httpx2.AsyncClient(base_url=SAYSO, timeout=10, headers={
            "X-API-Key": os.environ["SAYSO_RESOURCE_KEY"]})

    async def verify_token(self, token):
        r = await self.client.post("/oauth/introspect", data={"token": token})
        seen = r.raise_for_status().json()
        if not seen["active"]:
            return None
        return AccessToken(token=token, client_id=seen["client_id"], scopes=[],
                           expires_at=seen["exp"], resource=seen["aud"],
                           subject=seen["sub"], claims=seen)

    async def redeem(self, token, proof, call):
        """One use, counted once however often the request has to be sent: the
        operation_id stays the same."""
        body = {"token": token, "operation_id": str(uuid.uuid4()),
                "call": {"tool": call["name"],
                         "arguments": call.get("arguments") or {}}}
        if proof:
            body["dpop"] = {"proof": proof, "htm": "POST", "htu": RESOURCE}
        for n in range(TRIES):
            try:
                r = await self.client.post("/api/v1/redemptions", json=body)
            except httpx2.TransportError:
                if n == TRIES - 1:
                    raise
                continue
            if r.status_code != 503:
                return r
        return r

    async def report(self, use, fine):
        """A failed run gives no use back: nobody knows how far it came."""
        await self.client.post(
            f"/api/v1/redemptions/{use['redemption_id']}/result",
            json={"result": "completed" if fine else "failed"})


# --- The gate -------------------------------------------------------------

async def read(receive):
    body, more = b"", True
    while more:
        message = await receive()
        body += message.get("body", b"")
        more = message.get("more_body", False)
    return body


async def answer(send, status, body, *headers):
    await send({"type": "http.response.start", "status": status, "headers": [
        (b"content-type", b"application/json"),
        *((k.encode(), v.encode()) for k, v in headers)]})
    await send({"type": "http.response.body",
                "body": json.dumps(body).encode()})


class Gate:
    """In front of the MCP server: looks at each tools/call."""

    def __init__(self, app, sayso):
        self.app, self.sayso = app, sayso

    async def __call__(self, scope, receive, send):
        if scope["type"] != "http":
            await self.app(scope, receive, send)
        elif scope["path"] == METADATA:
            await answer(send, 200, {
                "resource": RESOURCE, "authorization_servers": [SAYSO],
                "bearer_methods_supported": ["header"],
                "authorization_details_types_supported": ["tool_call"],
                "dpop_bound_access_tokens_required": True})
        else:
            await self.request(scope, receive, send)

    async def request(self, scope, receive, send):
        body = await read(receive)
        sent = iter([{"type": "http.request", "body": body}])

        async def again():
            return next(sent, None) or await receive()

        try:
            message = json.loads(body) if body else {}
        except ValueError:
            message = None
        if not isinstance(message, dict):
            await answer(send, 400, {"error": "invalid_request"})
        elif message.get("method") != "tools/call":
            await self.app(scope, again, send)
        else:
            await self.call(scope, again, send, message.get("params") or {})

    async def call(self, scope, receive, send, params):
        headers = {k.decode().lower(): v.decode("latin-1")
                   for k, v in scope["headers"]}
        kind, _, token = headers.get("authorization", "").partition(" ")
        if kind.lower() != "dpop" or not await self.sayso.verify_token(token):
            await self.refuse(send, 401, "insufficient_authorization_details")
            return
        r = await self.sayso.redeem(token, headers.get("dpop"), params)
        if r.status_code not in (200, 201):
            await self.refuse(send, 401 if r.status_code == 401 else 403,
                              r.json()["code"])
            return
        fine = False

        async def watched(message):
            nonlocal fine
            if message["type"] == "http.response.body":
                done = json.loads(message.get("body") or b"{}")
                fine = "result" in done and not done["result"].get("isError")
            await send(message)

        try:
            await self.app(scope, receive, watched)
        finally:
            await self.sayso.report(r.json(), fine)

    async def refuse(self, send, status, error):
        place = f"{ADDRESS.scheme}://{ADDRESS.netloc}{METADATA}"
        await answer(send, status, {"error": error}, (
            "www-authenticate",
            f'DPoP error="{error}", resource_metadata="{place}"'))


if __name__ == "__main__":
    app = shop.streamable_http_app(streamable_http_path=ADDRESS.path,
                                   json_response=True, stateless_http=True)
    uvicorn.run(Gate(app, Sayso()), host=ADDRESS.hostname, port=ADDRESS.port,
                log_level="warning")
