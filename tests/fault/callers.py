"""Agents that check tool calls before they run them, and the gateway that uses
their permits. Every response goes into the ledger.

A request without an answer may have been done or not, so it is sent again: a
check with its Idempotency-Key, a redemption with its operation_id, a request
for a token with a new proof. The new token replaces the one that was lost.
"""
import asyncio
import hashlib
import time
import uuid

import kit
from ledger import Pause, Reported, Seen, Token, Use
from load import PATIENCE, RESUME
from proofs import GRANT, Key

ADDRESS = "https://gateway.example/mcp"
TOOL = "shop.refund"
TURNS = 3  # checks of one task, at most


def register(server):
    """The rule of the tool, and the key of the gateway."""
    done = server.sayso("rule", "add", "--position", "1", "--tool", "shop.*",
                        "--effect", "ask", "--severity", "medium")
    assert done.returncode == 0, done.stderr
    with server.resource(ADDRESS) as client:
        server.env["SAYSO_RESOURCE_KEY"] = client.key


class Caller:
    """An agent with a key of its own for proofs."""

    def __init__(self, load, gateway, n):
        self.load, self.book, self.rng = load, load.book, load.rng
        self.gateway = gateway
        self.agent = load.client("agent", f"caller-{n}")
        self.key, self.nonce = Key(), None

    async def work(self):
        """One task after the other; a task goes on while it is approved."""
        while self.load.running:
            task = {"task_id": str(uuid.uuid4()), "title": "Refunds"}
            for _ in range(self.rng.randint(1, TURNS)):
                pause = await self.check(task)
                token = await self.token(pause)
                if token:
                    await self.use(pause, token)
                await self.look(pause)
                if not token:
                    break

    async def check(self, task):
        """Asks, sends for the operators, and waits for what they say."""
        plan, max_uses = self.load.plan(), self.rng.randint(1, 3)
        call = {"id": "call_1", "tool": TOOL, "arguments": {
            "order": str(uuid.uuid4()), "amount": "50.00"}}
        body = {"task": task, "tool_calls": [call], "resource": ADDRESS,
                "max_uses": max_uses, "dpop_jkt": self.key.jkt,
                "responder": {"mode": "operators"},
                **self.load.terms(plan, "fail")}
        key = str(uuid.uuid4())
        pause = await self.pause(key, body)
        self.book.asked.add(pause.suspension)
        self.load.call_operators(pause.suspension, plan, RESUME)
        await self.load.outcome(self.agent,
                                {"suspension_id": pause.suspension})
        if self.rng.random() < 0.2:  # the same check, the same answer
            await self.pause(key, body)
        self.call = {"tool": TOOL, "arguments": call["arguments"]}
        return pause

    async def pause(self, key, body):
        r = await self.load.sure(
            self.agent, "POST", "/api/v1/tool-calls/check", json=body,
            headers={"Idempotency-Key": key})
        told = kit.refused(r, 202)
        assert told["tool_calls"] == body["tool_calls"], told
        self.book.pauses.append(Pause(
            key, self.agent.who, told["request_id"], told["permit_id"],
            told["auth_req_id"], told["intent_id"], body["max_uses"]))
        return self.book.pauses[-1]

    # --- Tokens -----------------------------------------------------------

    async def token(self, pause):
        """The token of a permit, or None where it was not granted."""
        url, end = "/oauth/token", time.monotonic() + PATIENCE
        while time.monotonic() < end:
            proof = self.key.proof(self.load.server.url + url,
                                   nonce=self.nonce)
            r = await self.load.once(
                self.agent, "POST", url, headers={"DPoP": proof},
                data={"grant_type": GRANT, "auth_req_id": pause.handle})
            if not r:
                await self.load.pause(0.1, 0.4)
                continue
            self.nonce = r.headers.get("dpop-nonce", self.nonce)
            body = r.json()
            if body.get("error") != "use_dpop_nonce":
                return self.note_token(pause, r.status_code, body)
        raise AssertionError(f"{pause}: no token in {PATIENCE} s")

    def note_token(self, pause, status, body):
        token = body.get("access_token")
        self.book.tokens.append(Token(
            pause.permit, status, body.get("error"),
            token and hashlib.sha256(token.encode()).hexdigest()))
        return token

    # --- Uses -------------------------------------------------------------

    async def use(self, pause, token):
        """Runs the tool at the gateway, once more than is allowed, all at
        once."""
        await asyncio.gather(*[self.redeem(pause, token)
                               for _ in range(pause.max_uses + 1)])

    async def redeem(self, pause, token):
        body = {"token": token, "operation_id": str(uuid.uuid4()),
                "call": self.call, "dpop": {
                    "proof": self.key.proof(ADDRESS, token=token),
                    "htm": "POST", "htu": ADDRESS}}
        again = self.rng.random() < 0.2  # the same operation, the same answer
        for _ in range(1 + again):
            r = await self.load.sure(self.gateway, "POST",
                                     "/api/v1/redemptions", json=body)
            got = r.json()
            self.book.uses.append(Use(
                pause.permit, body["operation_id"], r.status_code,
                got.get("code"), got.get("redemption_id"), got.get("n"),
                got.get("uses_left")))
            if r.status_code not in (200, 201):
                return
        await self.report(got["redemption_id"])

    async def report(self, redemption):
        result = self.rng.choice(["completed", "failed"])
        r = await self.load.sure(
            self.gateway, "POST", f"/api/v1/redemptions/{redemption}/result",
            json={"result": result, "ref": "re_1"})
        kit.refused(r, 200)
        self.book.reported.append(Reported(redemption, result))

    async def look(self, pause):
        """Reads the permit when nothing is left to do with it."""
        who = self.rng.choice([self.agent, self.gateway])
        r = await self.load.sure(who, "GET",
                                 f"/api/v1/permits/{pause.permit}")
        body = kit.refused(r, 200)
        self.book.seen.append(Seen(
            pause.permit, body["state"], body["used"], tuple(
                (x["redemption_id"], x["n"], x["result"])
                for x in body["redemptions"])))
