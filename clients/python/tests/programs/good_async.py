"""The same with asyncio, and with a client."""

import asyncio

import httpx

import sayso


@sayso.require_approval(severity="low")
async def act(x: int) -> int:
    return x


@sayso.require_approval(refusal="return")
async def told(x: int) -> int:
    return x


async def main() -> None:
    async with sayso.Client(
        "http://127.0.0.1:8080", "key", async_http_client=httpx.AsyncClient()
    ) as client:
        answer = await client.aask("Deploy?", wait=5, keep=False)
        again: sayso.Answer = await client.aget(answer.id, wait=None)
        async for one in client.alist(state="pending", limit=10):
            await client.acancel(one.id, reason="No longer needed.")
        feed = client.afeed(all_agents=True)
        async for one in feed:
            place: str = feed.place
            print(one.id, place, again.approved)
    number: int = await act(1)
    number_or_text: int | str = await told(1)
    print(number, number_or_text)


asyncio.run(main())
