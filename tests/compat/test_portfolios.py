"""Portfolios through the SDK's two clients."""
import asyncio
import contextlib
import uuid

import pytest
from openintent import IntentStatus
from openintent.exceptions import (ConflictError, InputCancelledError,
                                   OpenIntentError)
from openintent.models import MembershipRole, PortfolioStatus
from stories import CHOICES, Agent


def test_P1_a_portfolio_made_and_read(client):
    made = client.create_portfolio("Returns", None, {"colour": "red"},
                                   {"team": "returns"})
    read = client.get_portfolio(made.id)
    for p in (made, read):
        assert (p.name, p.description) == ("Returns", None)
        assert p.status is PortfolioStatus.ACTIVE and p.intents == []
        assert p.created_by == "refunds-agent"
        assert p.governance_policy == {"colour": "red"}
        assert p.metadata == {"team": "returns"}
        assert p.created_at and p.updated_at
        assert p.aggregate_status.total == 0
    listed = client.list_portfolios("refunds-agent")
    assert listed[0].id == made.id
    assert made.id in [p.id for p in client.list_portfolios()]


def test_S1_members_and_the_end(client, sync, rival, intent):
    p = client.create_portfolio("Returns")
    m = client.add_intent_to_portfolio(p.id, intent.id,
                                       MembershipRole.PRIMARY, 7)
    assert (m.portfolio_id, m.intent_id) == (p.id, intent.id)
    assert m.role is MembershipRole.PRIMARY and m.priority == 7
    assert m.added_at
    intents, told = client.get_portfolio_intents(p.id)
    assert [i.id for i in intents] == [intent.id]
    assert told.total == 1 and told.by_status["active"] == 1
    assert [x.id for x in client.get_intent_portfolios(intent.id)] == [p.id]
    with pytest.raises(ConflictError):
        client.update_portfolio_status(p.id, PortfolioStatus.COMPLETED)
    with pytest.raises(OpenIntentError) as raised:
        rival.update_portfolio_status(p.id, PortfolioStatus.ABANDONED)
    assert raised.value.status_code == 403
    sync.set_status(intent.id, intent.version, IntentStatus.COMPLETED)
    done = client.update_portfolio_status(p.id, PortfolioStatus.COMPLETED)
    assert done.status is PortfolioStatus.COMPLETED
    assert done.aggregate_status.completion_percentage == 100


def test_S1_a_member_is_taken_out(client, intent):
    p = client.create_portfolio("Returns")
    client.add_intent_to_portfolio(p.id, intent.id)
    client.remove_intent_from_portfolio(p.id, intent.id)
    assert client.get_portfolio_intents(p.id)[0] == []
    with pytest.raises(OpenIntentError):
        client.remove_intent_from_portfolio(p.id, intent.id)


def test_P2_a_suspended_member_is_told(client, sync, intent):
    p = client.create_portfolio("Returns")
    client.add_intent_to_portfolio(p.id, intent.id)
    sync.set_status(intent.id, intent.version,
                    IntentStatus.SUSPENDED_AWAITING_INPUT)
    read = client.get_portfolio(p.id)
    assert read.aggregate_status.by_status["suspended_awaiting_input"] == 1
    assert read.status is PortfolioStatus.ACTIVE


def test_P9_a_portfolios_stream(sync, intent):
    """Only the sync client has it."""
    p = sync.create_portfolio("Returns")
    sync.add_intent_to_portfolio(p.id, intent.id)
    with sync.subscribe_portfolio(p.id) as stream:
        for event in stream:
            if event.type == "connected":
                sync.set_status(intent.id, intent.version,
                                IntentStatus.COMPLETED)
            elif event.type == "INTENT_COMPLETED":
                break
    assert event.data["intent_id"] == intent.id
    assert event.portfolio_id == p.id


def test_P10_a_subscription(client, sync, server):
    address = f"https://{uuid.uuid4()}.invalid/hook"
    with server.client("agent", agent="refunds-agent") as agent:
        made = agent.post("/api/v1/endpoints",
                          json={"name": "Hook", "url": address})
        assert made.status_code == 201, made.text
    p = client.create_portfolio("Returns")
    one = client.subscribe(portfolio_id=p.id, webhook_url=address)
    assert one.portfolio_id == p.id and one.intent_id is None
    assert client.get_subscriptions(portfolio_id=p.id) == [one]
    sync.unsubscribe(one.id)
    assert client.get_subscriptions(portfolio_id=p.id) == []


def test_P3_an_agent_is_not_handed_its_fallback(server):
    """The deadline of the portfolio ends the question before its time."""
    async def story():
        agent = Agent(server, "deadline-agent", None)
        client = agent.async_client
        async with contextlib.aclosing(client._client):
            intent = await agent.begin("Refund 499.99 EUR?")
            p = await client.create_portfolio("Returns", None,
                                              {"timeout_hours": 0.001})
            await client.add_intent_to_portfolio(p.id, intent.id)
            with pytest.raises(InputCancelledError):
                await asyncio.wait_for(agent.request_input(
                    intent.id, "Refund 499.99 EUR?", choices=CHOICES,
                    timeout_seconds=3600, fallback_value="deny",
                    fallback_policy="use_default_and_continue"), 30)
            return await client.get_intent(intent.id)

    assert asyncio.run(story()).status is IntentStatus.ABANDONED
