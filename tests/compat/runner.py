"""An agent on the SDK as its users run it: a process of its own, in
agent.run(). Tells what happens to it as JSON, one line each."""
import json
import sys

from openintent import (BaseAgent, SuspensionChoice, on_assignment,
                        on_complete, on_event, on_input_received,
                        on_input_requested, on_state_change,
                        on_suspension_expired)
from sdk import Client


DISPATCHED = ("AGENT_ASSIGNED", "STATUS_CHANGED", "LEASE_RELEASED",
              "STATE_CHANGED", "INTENT_COMPLETED")


def say(what, **more):
    print(json.dumps({"what": what, **more}), flush=True)


class Agent(BaseAgent):
    """Asks whenever it is given something to do, and goes by the answer."""

    def __init__(self, name, base_url, api_key, how="mended"):
        super().__init__(base_url=base_url, api_key=api_key)
        self._agent_id = name
        self.mended = how == "mended"
        self._async_client = Client(base_url=base_url, api_key=api_key,
                                    agent_id=name)

    async def _handle_event(self, event):
        """The SDK's own raises for every event that is not one of the first
        five, because its enumeration lacks the member it looks up, and so never
        calls @on_event. This one does the rest of its work."""
        say("frame", type=event.type, id=event.id, data=event.data)
        if event.type in DISPATCHED or not self.mended:
            await super()._handle_event(event)
        else:
            await self._on_generic_event(event)

    @on_assignment
    async def work(self, intent):
        say("assigned", intent=intent.id)
        if intent.title.startswith("Only look"):
            return
        answer = await self.request_input(
            intent.id, f"{intent.title}?", context={"order": "12345"},
            choices=[SuspensionChoice("approve", "Approve"),
                     SuspensionChoice("deny", "Deny")])
        await self.patch_state(intent.id, {"answer": answer})
        await self.complete_intent(intent.id)
        say("done", intent=intent.id, answer=answer)

    @on_complete
    async def completed(self, intent):
        say("completed", intent=intent.id, status=intent.status.value)

    @on_state_change(keys=["answer"])
    async def changed(self, intent, old, new):
        say("changed", intent=intent.id, new=new)

    @on_event("status_changed")
    async def heard(self, intent, event):
        say("heard", intent=intent.id,
            status=event.data["payload"]["new_status"])

    @on_input_requested
    async def requested(self, intent, suspension):
        say("requested", suspension=suspension.id,
            question=suspension.question)

    @on_input_received
    async def received(self, intent, response):
        say("received", suspension=response.suspension_id,
            value=response.value)

    @on_suspension_expired
    async def expired(self, intent, suspension):
        say("expired", suspension=suspension.id)


if __name__ == "__main__":
    Agent(*sys.argv[1:]).run()
