"""Agents on the SDK ask, people answer: every way that a question can end.

Each story asks in the background, acts in between, and writes down what it
saw; test_request_input.py looks at that."""
import asyncio
import uuid

import pytest
from openintent import (BaseAgent, EventType, HumanRetryPolicy, IntentStatus,
                        SuspensionChoice, on_engagement_decision,
                        on_input_received, on_input_requested,
                        on_suspension_expired)
from openintent.exceptions import (ConflictError, InputCancelledError,
                                   InputTimeoutError, OpenIntentError)
from openintent.models import (EngagementSignals, EscalationStep, ResponseType)
from sdk import Client, access

SUSPENDED = IntentStatus.SUSPENDED_AWAITING_INPUT
CHOICES = [
    SuspensionChoice("approve", "Refund 499.99 EUR", style="primary",
                     description="To the card that was paid with."),
    SuspensionChoice("deny", "Deny", style="danger"),
    SuspensionChoice("escalate", "Ask a senior",
                     metadata={"team": "refunds"}),
]


class Agent(BaseAgent):
    """Remembers what happened to it; `human` is an operator's client."""

    def __init__(self, server, name, human):
        super().__init__()
        self._agent_id = name
        self._async_client = Client(**access(server, name))
        self.human = human
        self.told = []
        self.answers = []  # of the server: method, path, status
        self.questions = asyncio.Queue()

        async def remember(response):
            self.answers.append((response.request.method,
                                 response.request.url.path,
                                 response.status_code))

        self._async_client._client.event_hooks["response"].append(remember)

    @on_input_requested
    async def requested(self, intent, suspension):
        self.told.append(("requested", intent.status, suspension))
        self.questions.put_nowait(suspension)

    @on_input_received
    async def received(self, intent, response):
        self.told.append(("received", intent.status, response))

    @on_suspension_expired
    async def expired(self, intent, suspension):
        self.told.append(("expired", intent.status, suspension))

    @on_engagement_decision
    async def decided(self, intent, decision):
        self.told.append(("decision", intent.status, decision))

    async def begin(self, title):
        made = await self.async_client.create_intent(title, "")
        return await self.async_client.set_status(
            made.id, made.version, IntentStatus.ACTIVE)

    async def ended(self, intent_id):
        """The intent, once its question is over for the server too."""
        for _ in range(100):
            intent = await self.async_client.get_intent(intent_id)
            if intent.status is not SUSPENDED:
                break
            await asyncio.sleep(0.2)
        return intent

    async def respond(self, intent_id, suspension_id, value, **more):
        return await self.human.post(
            f"/api/v1/intents/{intent_id}/suspend/respond",
            json={"suspension_id": suspension_id, "value": value,
                  "responded_by": "alice@example.com", **more})

    def happened(self):
        return [what for what, *_ in self.told]

    def refused(self):
        return [one for one in self.answers if one[2] >= 400]


async def asked(agent, told, title, wrong=(), right=None, **question):
    """Asks, answers: what is wrong first, each to be refused, then right."""
    intent = await agent.begin(title)
    asking = asyncio.create_task(
        agent.request_input(intent.id, title, **question))
    suspension = await agent.questions.get()
    told["suspension"] = suspension
    told["asked"] = await agent.async_client.get_intent(intent.id)
    told["refused"] = [
        await agent.respond(intent.id, suspension.id, value)
        for value in wrong]
    told["answered"] = await agent.respond(intent.id, suspension.id, right)
    told["again"] = await agent.respond(intent.id, suspension.id, right)
    told["value"] = await asking
    told["intent"] = await agent.async_client.get_intent(intent.id)
    told["events"] = await agent.async_client.get_events(intent.id)


async def choice(agent, told):
    await asked(agent, told, "Refund 499.99 EUR?", choices=CHOICES,
                wrong=["maybe", "", None, 1, ["approve"]], right="approve",
                context={"order_id": "12345", "amount": 499.99,
                         "customer": "Ålice"},
                channel_hint="slack", timeout_seconds=3600,
                fallback_policy="complete_with_fallback",
                fallback_value="deny", confidence=0.55)
    await agent.complete_intent(told["intent"].id, {"refunded": True})
    told["end"] = await agent.async_client.get_intent(told["intent"].id)
    told["chain"] = await agent.async_client.verify_event_chain(
        told["intent"].id)


async def confirm(agent, told):
    await asked(agent, told, "Deploy?", response_type="confirm",
                wrong=["maybe", "Yes", True], right="yes")


async def text(agent, told):
    await asked(agent, told, "What shall the letter say?",
                response_type=ResponseType.TEXT.value,
                wrong=["", None, {"a": 1}], right="Sorry! \U0001f60c\n\"ß\"")


async def form(agent, told):
    await asked(agent, told, "Whom to pay?", response_type="form",
                context={"iban": "", "amount": 0}, wrong=[None],
                right={"iban": "DE00", "amount": 12.5, "note": None})


async def twice(agent, told):
    """The second question does not get the first one's answer."""
    intent = await agent.begin("Two questions")
    told["values"] = []
    for right in ("approve", "deny"):
        asking = asyncio.create_task(agent.request_input(
            intent.id, "Refund?", choices=CHOICES))
        suspension = await agent.questions.get()
        await agent.respond(intent.id, suspension.id, right)
        told["values"].append(await asking)
    told["events"] = await agent.async_client.get_events(intent.id)


async def cancelled(agent, told):
    intent = await agent.begin("Cancelled")
    asking = asyncio.create_task(agent.request_input(
        intent.id, "Refund?", choices=CHOICES))
    suspension = await agent.questions.get()
    told["suspension"] = suspension
    told["cancel"] = await agent.async_client._client.post(
        f"/api/v1/suspensions/{suspension.id}/cancel",
        json={"reason": "The customer withdrew."})
    with pytest.raises(InputCancelledError) as caught:
        await asking
    told["error"] = caught.value
    told["late"] = await agent.respond(intent.id, suspension.id, "approve")
    told["intent"] = await agent.async_client.get_intent(intent.id)


async def fallback(agent, told):
    """The agent gives up by its own clock and goes on with its work."""
    intent = await agent.begin("Nobody there")
    told["value"] = await agent.request_input(
        intent.id, "Refund?", choices=CHOICES, timeout_seconds=1,
        fallback_policy="complete_with_fallback", fallback_value="deny")
    told["suspension"] = await agent.questions.get()
    told["late"] = await agent.respond(intent.id, told["suspension"].id,
                                       "approve")
    told["intent"] = await agent.async_client.get_intent(intent.id)
    await agent.complete_intent(intent.id)
    told["end"] = await agent.async_client.get_intent(intent.id)


async def fallback_goes_on(agent, told):
    """As before, and nobody tried to answer: the agent's next call finds the
    question expired."""
    intent = await agent.begin("Nobody there at all")
    told["value"] = await agent.request_input(
        intent.id, "Refund?", choices=CHOICES, timeout_seconds=1,
        fallback_policy="use_default_and_continue", fallback_value="deny")
    await agent.complete_intent(intent.id, {"refund": told["value"]})
    told["end"] = await agent.async_client.get_intent(intent.id)
    told["events"] = await agent.async_client.get_events(intent.id)


async def any_default(agent, told):
    """RFC-0025's fallback is any value: it need not be one of the answers."""
    intent = await agent.begin("Nobody there, and a default of its own")
    told["confirm"] = await agent.request_input(
        intent.id, "Deploy?", response_type="confirm", timeout_seconds=1,
        fallback_policy="complete_with_fallback", fallback_value="deny")
    told["choice"] = await agent.request_input(
        intent.id, "Refund?", choices=CHOICES, timeout_seconds=1,
        fallback_policy="use_default_and_continue",
        fallback_value={"decision": "deny", "amount": 0})


async def failed(agent, told):
    intent = await agent.begin("Nobody there, and no fallback")
    with pytest.raises(InputTimeoutError) as caught:
        await agent.request_input(intent.id, "Refund?", choices=CHOICES,
                                  timeout_seconds=1)
    told["error"] = caught.value
    told["suspension"] = await agent.questions.get()
    told["late"] = await agent.respond(intent.id, told["suspension"].id,
                                       "approve")
    told["intent"] = await agent.async_client.get_intent(intent.id)


async def reminded(agent, told):
    """The SDK reminds by itself: its events are understood."""
    intent = await agent.begin("Reminded")
    asking = asyncio.create_task(agent.request_input(
        intent.id, "Refund?", choices=CHOICES,
        retry_policy=HumanRetryPolicy(
            max_attempts=10, interval_seconds=2,
            escalation_ladder=[EscalationStep(2, "email", "lead@x.org")],
            final_fallback_policy="complete_with_fallback")))
    first = await agent.questions.get()
    told["second"] = await agent.questions.get()
    told["answered"] = await agent.respond(intent.id, first.id, "deny")
    told["value"] = await asking
    told["events"] = await agent.async_client.get_events(intent.id)


async def unheard(agent, told):
    """Nobody answers the reminders: the server ends it, before the SDK's own
    clock would, and both have told of the same attempt once."""
    intent = await agent.begin("Unheard")
    with pytest.raises(InputTimeoutError) as caught:
        await agent.request_input(
            intent.id, "Refund?", choices=CHOICES, timeout_seconds=300,
            retry_policy=HumanRetryPolicy(
                max_attempts=3, interval_seconds=2,
                escalation_ladder=[EscalationStep(2, "email", "lead@x.org")]))
    told["error"] = caught.value
    # The clocks of both end it in the same moment.
    told["intent"] = await agent.ended(intent.id)
    told["events"] = await agent.async_client.get_events(intent.id)


async def single(agent, told):
    """One attempt without an interval: the SDK has no clock of its own then
    and asks the server until it says that time is up."""
    intent = await agent.begin("Single")
    told["value"] = await agent.request_input(
        intent.id, "Refund?", choices=CHOICES, timeout_seconds=2,
        fallback_value="deny", retry_policy=HumanRetryPolicy(
            max_attempts=1, interval_seconds=0,
            final_fallback_policy="complete_with_fallback"))
    told["intent"] = await agent.async_client.get_intent(intent.id)
    told["events"] = await agent.async_client.get_events(intent.id)


async def sealed(agent, told):
    """Neither the agent nor another one answers in an operator's place."""
    client = agent.async_client
    intent = await agent.begin("Sealed")
    lease = await client.acquire_lease(intent.id, "payment")
    asking = asyncio.create_task(agent.request_input(
        intent.id, "Refund?", choices=CHOICES))
    suspension = await agent.questions.get()
    now = await client.get_intent(intent.id)
    record = now.state.get("_suspension")
    forged = {**record, "resolution": "responded", "response": "approve"}
    for patch in ({"_suspension": forged}, {"_suspension": None},
                  {"_suspension/resolution": "responded"},
                  {"/_suspension/response": "approve"}):
        with pytest.raises(ConflictError):
            await client.update_state(intent.id, now.version, patch)
    with pytest.raises(OpenIntentError) as caught:
        await client.set_status(intent.id, now.version, IntentStatus.ACTIVE)
    told["active"] = caught.value
    with pytest.raises(OpenIntentError) as caught:
        await client.log_event(intent.id, EventType.INTENT_RESUMED, {
            "suspension_id": suspension.id, "value": "approve"})
    told["resumed"] = caught.value
    told["own"] = await client._client.post(
        f"/api/v1/intents/{intent.id}/suspend/respond",
        json={"suspension_id": suspension.id, "value": "approve"})
    told["renewed"] = await client.renew_lease(intent.id, lease.id)
    now = await client.get_intent(intent.id)
    told["noted"] = await client.update_state(intent.id, now.version,
                                              {"note": "still here"})
    await agent.respond(intent.id, suspension.id, "deny")
    told["value"] = await asking


async def in_between(agent, told):
    """Between the SDK's two calls there is nothing to answer yet."""
    client = agent.async_client
    intent = await agent.begin("In between")
    mine = str(uuid.uuid4())
    now = await client.set_status(intent.id, intent.version, SUSPENDED)
    told["early"] = await agent.respond(intent.id, "anything", "approve")
    now = await client.update_state(intent.id, now.version, {"_suspension": {
        "id": mine, "question": "Refund?", "response": "approve",
        "resolution": "responded", "responded_by": "me"}})
    told["record"] = now.state.get("_suspension")
    told["wrong"] = await agent.respond(intent.id, "another", "approve")
    told["right"] = await agent.respond(intent.id, mine, "approve")


async def engagement(agent, told):
    intent = await agent.begin("Engagement")
    told["intent"] = intent
    told["modes"] = [
        await agent.should_request_input(intent.id, signals=signals)
        for signals in (EngagementSignals(0.95, 0.05, 0.9),
                        EngagementSignals(0.7, 0.3, 0.8),
                        EngagementSignals(0.4, 0.3, 0.8),
                        EngagementSignals(0.9, 0.9, 0.8,
                                          context={"order": "12345"}))]
    told["shorthand"] = await agent.should_request_input(
        intent.id, confidence=0.55, risk=0.6, reversibility=0.8)
    told["events"] = await agent.async_client.get_events(
        intent.id, event_type=EventType.ENGAGEMENT_DECISION)


STORIES = [choice, confirm, text, form, twice, cancelled, fallback,
           fallback_goes_on, any_default, failed, reminded, unheard, single,
           sealed, in_between, engagement]
