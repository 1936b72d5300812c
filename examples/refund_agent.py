"""An agent on the OpenIntent SDK (pip install openintent==0.17.0): decides
whether a refund needs a person, asks, and goes on with the answer.

    . var/sayso.env; export SAYSO_URL SAYSO_AGENT_KEY
    python3 examples/refund_agent.py [amount]
"""
import asyncio
import os
import sys

from openintent import (Agent, AsyncOpenIntentClient, IntentStatus,
                        SuspensionChoice, on_input_received,
                        on_input_requested, on_suspension_expired)
from openintent.models import EngagementSignals

URL = os.environ["SAYSO_URL"]
KEY = os.environ["SAYSO_AGENT_KEY"]


class Client(AsyncOpenIntentClient):
    """The agent class of the SDK 0.17.0 calls set_status() with its second
    and third argument swapped, and so fails before it has asked anything.
    This one takes both orders; it is not needed once the SDK is mended."""

    async def set_status(self, intent_id, version, status, reason=None):
        if isinstance(version, IntentStatus):
            version, status = status, version
        return await super().set_status(intent_id, version, status, reason)


@Agent("refund-agent")
class RefundAgent:
    def __init__(self):
        self._async_client = Client(URL, KEY, self.agent_id)

    async def refund(self, order, amount):
        made = await self.async_client.create_intent(
            f"Refund for order {order}", "The goods arrived broken.",
            initial_state={"order_id": order, "amount": amount})
        intent = await self.async_client.set_status(
            made.id, made.version, IntentStatus.ACTIVE)
        answer = await self.decide(intent, order, amount)
        await self.complete_intent(intent.id, {"refund_decision": answer})
        return answer

    async def decide(self, intent, order, amount):
        small = amount < 100
        signals = EngagementSignals(confidence=0.95 if small else 0.4,
                                    risk=0.1 if small else 0.6,
                                    reversibility=0.5)
        decision = await self.should_request_input(intent.id, signals=signals)
        print(decision.rationale)
        if decision.mode == "autonomous":
            return "approve"
        if not decision.should_ask:
            return "deny"
        return await self.request_input(
            intent.id,
            question=f"Refund {amount:.2f} EUR for order {order}?",
            response_type="choice",
            choices=[
                SuspensionChoice("approve", f"Refund {amount:.2f} EUR",
                                 "To the card that was paid with.",
                                 style="primary"),
                SuspensionChoice("deny", "Deny",
                                 "The customer is told that there is no "
                                 "refund.", style="danger"),
            ],
            context={"order_id": order, "customer": "alice@example.com",
                     "amount": amount, "currency": "EUR",
                     "reason": "arrived broken"},
            timeout_seconds=3600,
            fallback_policy="complete_with_fallback",
            fallback_value="deny",
            confidence=signals.confidence)

    @on_input_requested
    async def tell(self, intent, suspension):
        print(f"Waiting for an answer at {URL}/suspensions/{suspension.id}",
              flush=True)

    @on_input_received
    async def thank(self, intent, response):
        print(f"{response.responded_by} answered.")

    @on_suspension_expired
    async def late(self, intent, suspension):
        print("Nobody answered in time.")


async def main(amount):
    agent = RefundAgent()
    try:
        answer = await agent.refund("12345", amount)
    finally:
        await agent.async_client.close()
    print(f"The answer: {answer}")
    print("Order 12345 is refunded." if answer == "approve"
          else "Order 12345 is not refunded.")


if __name__ == "__main__":
    asyncio.run(main(float(sys.argv[1]) if len(sys.argv) > 1 else 499.99))
