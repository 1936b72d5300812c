"""The OpenIntent SDK as its users have it, with one thing mended."""
import asyncio

from openintent import AsyncOpenIntentClient, IntentStatus


class Client(AsyncOpenIntentClient):
    """BaseAgent calls set_status() with the version and the status swapped,
    and fails on it before anything is sent; this one takes both orders.
    Nothing else of the SDK is changed."""

    async def set_status(self, intent_id, version, status, reason=None):
        if isinstance(version, IntentStatus):
            version, status = status, version
        return await super().set_status(intent_id, version, status, reason)


class Blocking:
    """An asynchronous client that can be called like the synchronous one, so
    that one test serves both."""

    def __init__(self, client):
        self.client = client
        self.runner = asyncio.Runner()

    def __getattr__(self, name):
        thing = getattr(self.client, name)
        if not asyncio.iscoroutinefunction(thing):
            return thing

        def call(*args, **kwargs):
            return self.runner.run(thing(*args, **kwargs))

        return call

    def close(self):
        self.runner.run(self.client.close())
        self.runner.close()


def access(server, agent):
    """The arguments of every client of the SDK."""
    return {"base_url": server.url,
            "api_key": server.env["SAYSO_AGENT_KEY"],
            "agent_id": agent}
