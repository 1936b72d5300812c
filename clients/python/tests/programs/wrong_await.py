"""The twins for asyncio are awaited."""

import sayso


async def main() -> None:
    answer = sayso.aask("x?")
    print(answer.approved)  # wrong: attr-defined
    async for one in sayso.list():  # wrong: attr-defined
        print(one.id)
    sayso.get("1", wait="5")  # wrong: arg-type
    await sayso.acancel(1)  # wrong: arg-type
