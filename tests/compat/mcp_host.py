"""A host of the Python package `mcp`: a model, which is none, and the tools of a
server. The client has the extension of tasks, or shows addresses, as it is told.

usage: mcp_host.py '{"url", "key", "agent", "has": ["tasks", "url"],
                     "arguments"}'
Prints what the model was given at each of its turns, the methods that were
called, and the addresses that were shown."""
import asyncio
import json
import sys
from typing import Any, Literal

import httpx2
import mcp
import mcp_types as types
from mcp.client.extension import ClientExtension, ResultClaim
from mcp.client.streamable_http import streamable_http_client

given = json.loads(sys.argv[1])
turns, called, shown = [], [], []


class TaskParams(types.RequestParams):
    task_id: str


class GetTask(types.Request[TaskParams, Literal["tasks/get"]]):
    method: Literal["tasks/get"] = "tasks/get"
    name_param = "taskId"


class Task(types.Result):
    task_id: str
    status: str
    status_message: str
    poll_interval_ms: int
    result: dict[str, Any] | None = None


class NewTask(Task):
    result_type: Literal["task"] = "task"


class Tasks(ClientExtension):
    """Waits for a task as the extension says, and not by the model."""
    identifier = "io.modelcontextprotocol/tasks"

    def claims(self):
        return [ResultClaim(result_type="task", model=NewTask,
                            resolve=self.wait)]

    async def wait(self, task, context):
        while task.status == "working":
            await asyncio.sleep(task.poll_interval_ms / 1000)
            task = await context.session.send_request(
                GetTask(params=TaskParams(task_id=task.task_id)), Task)
        if task.status == "completed":
            return types.CallToolResult.model_validate(task.result)
        return types.CallToolResult(is_error=True, content=[
            types.TextContent(type="text", text=task.status_message)])


async def show(context, params):
    shown.append([params.mode, params.url])
    return types.ElicitResult(action="accept")


def model(heard):
    """Its next call; it asks again for as long as its question is open."""
    turns.append(heard)
    if heard is None:
        return "ask_human", given["arguments"]
    if heard["state"] == "pending":
        return "check_answer", {"suspension_id": heard["suspension_id"]}


async def note(request):
    called.append(json.loads(request.content)["method"])


async def main():
    headers = {"Authorization": f"Bearer {given['key']}",
               "X-Agent-ID": given["agent"]}
    async with httpx2.AsyncClient(headers=headers, timeout=100, event_hooks={
            "request": [note]}) as http:
        to = streamable_http_client(given["url"], http_client=http)
        async with mcp.Client(
                to, extensions=[Tasks()] if "tasks" in given["has"] else None,
                **({"elicitation_callback": show} if "url" in given["has"]
                   else {})) as client:
            call = model(None)
            while call:
                result = await client.call_tool(*call)
                call = model(result.structured_content or {
                    "state": "", "error": result.content[0].text})
    print(json.dumps({"turns": turns, "called": called, "shown": shown}))


asyncio.run(main())
