"""A call of a tool by the Python package `mcp`, of either major version.

usage: mcp_client.py '{"url", "key", "agent", "tool", "arguments"}'
Prints what the server was asked by and its result, as JSON."""
import asyncio
import json
import sys

import mcp

given = json.loads(sys.argv[1])
heard = []


async def progress(n, total, message):
    heard.append(message)


headers = {"Authorization": f"Bearer {given['key']}",
           "X-Agent-ID": given["agent"]}


def told(version, tools, result):
    dump = result.model_dump(mode="json", by_alias=True)
    print(json.dumps({"version": version, "tools": [t.name for t in tools],
                      "heard": heard, "isError": dump["isError"],
                      "record": dump["structuredContent"]}))


async def second():
    import httpx2
    from mcp.client.streamable_http import streamable_http_client
    async with httpx2.AsyncClient(headers=headers, timeout=100) as http:
        to = streamable_http_client(given["url"], http_client=http)
        async with mcp.Client(to) as client:
            tools = (await client.list_tools()).tools
            result = await client.call_tool(given["tool"], given["arguments"],
                                            progress_callback=progress)
            told(client.protocol_version, tools, result)


async def first():
    from mcp.client.streamable_http import streamablehttp_client
    async with streamablehttp_client(given["url"], headers=headers) as (
            receive, send, _):
        async with mcp.ClientSession(receive, send) as session:
            begun = await session.initialize()
            tools = (await session.list_tools()).tools
            result = await session.call_tool(given["tool"],
                                             given["arguments"],
                                             progress_callback=progress)
            told(begun.protocolVersion, tools, result)


asyncio.run(second() if hasattr(mcp, "Client") else first())
