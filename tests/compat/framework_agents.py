"""Agents on Python's frameworks, whose one tool needs an approval. The model is
no model: it calls the tool, hears what came of it, and ends.

Reads one JSON object a line and answers with one: see test_frameworks.py. The
frameworks and clients/python stand in PYTHONPATH."""
import asyncio
import contextlib
import json
import os
import sys
import types

import sayso


class Ends(sayso.Client):
    """The agent ends once its question is there."""

    def approve_call(self, *args, **more):
        try:
            super().approve_call(*args, **{**more, "wait": 0})
        except sayso.Denied as no:
            raise EOFError("it ends") from no

    async def aapprove_call(self, *args, **more):
        self.approve_call(*args, **more)


class Changes(sayso.Client):
    """Something changes the call just when it has been approved."""

    change = None

    def changed(self, args):
        change, self.change = self.change, None
        if change:
            change()
        return args

    def approve_call(self, *args, **more):
        return self.changed(super().approve_call(*args, **more))

    async def aapprove_call(self, *args, **more):
        return self.changed(await super().aapprove_call(*args, **more))


class Run:
    """A turn that calls the tool, as the test wants it."""

    def __init__(self, given):
        for name, value in given.items():
            setattr(self, name, value)
        self.ran, self.heard, self.told = [], [], []
        kind = Ends if self.ends else Changes
        if self.key is None:  # the agent's author has forgotten it
            os.environ["SAYSO_URL"] = self.url
            os.environ.pop("SAYSO_AGENT_KEY", None)
        self.client = None if not self.key else kind(
            self.url, self.key, "refunds-agent",
            on_asked=lambda question: self.told.append(question.id))
        self.asking = {"client": self.client, "wait": self.wait,
                       "about": self.members}

    def changed_calls(self):
        return {call: {**args, "amount": 5000}
                for call, args in self.calls.items()}

    def members(self, tool, args):
        about = {name: value.format(**args) if isinstance(value, str)
                 else value for name, value in self.about.items()}
        return {**about, "target": f"order {args['order']}"}

    def gate(self):
        """The options of a gate of the Agent Approval Protocol."""
        return {} if self.wait is None else {"timeout": f"{self.wait}s"}

    def refund(self, order: str, amount: float) -> str:
        """Refunds an order."""
        self.ran.append({"order": order, "amount": amount})
        return "refunded"


# --- LangChain ------------------------------------------------------------

BEGIN = {"messages": [("user", "Refund it.")]}
threads = {}  # the agents that ended, by their session


def langchain_agent(run, middleware):
    from langchain.agents import create_agent
    from langchain_core.language_models.fake_chat_models import (
        GenericFakeChatModel)
    from langchain_core.messages import AIMessage
    from langchain_core.tools import StructuredTool
    from langgraph.checkpoint.memory import InMemorySaver

    class Model(GenericFakeChatModel):
        def bind_tools(self, tools, **more):
            return self

    def refund(order: str, amount: float) -> str:
        return threads[run.session]["run"].refund(order, amount)
    calls = [{"name": run.tool, "args": args, "id": call}
             for call, args in run.calls.items()]
    return create_agent(
        Model(messages=iter([AIMessage("", tool_calls=calls),
                             AIMessage("The end.")])),
        [StructuredTool.from_function(refund, name=run.tool,
                                      description="Refunds an order.")],
        middleware=[middleware], checkpointer=InMemorySaver())


def langchain_heard(run, result):
    from langchain_core.messages import ToolMessage

    run.heard = [m.content for m in result["messages"]
                 if isinstance(m, ToolMessage)]


def langchain(run, mode, waits):
    from langchain.agents.middleware import HumanInTheLoopMiddleware
    from langchain_core.messages import AIMessage
    from sayso.langchain import ainvoke, invoke

    config = {"configurable": {"thread_id": run.session}}
    given = None
    if run.session not in threads:
        threads[run.session] = {"agent": langchain_agent(
            run, HumanInTheLoopMiddleware({run.tool: run.allowed or True},
                                          interrupt_mode=mode))}
        given = BEGIN
    thread = threads[run.session]
    agent, thread["run"] = thread["agent"], run

    def store(args):
        last = agent.get_state(config).values["messages"][-1]
        calls = [{**call, "args": args[call["id"]]}
                 for call in last.tool_calls]
        if calls != last.tool_calls:
            agent.update_state(config, {"messages": [
                AIMessage("", id=last.id, tool_calls=calls)]})
    if not given:
        store(run.calls)
    if run.changes:
        run.client.change = lambda: store(run.changed_calls())
    if waits:
        result = asyncio.run(ainvoke(agent, given, config, **run.asking))
    else:
        result = invoke(agent, given, config, **run.asking)
    langchain_heard(run, result)


def langchain_batched(run):
    langchain(run, "batched", waits=False)


def langchain_per_call(run):
    langchain(run, "per_call", waits=True)


def aap_langchain(run):
    """With the adapter of the Agent Approval Protocol."""
    from agentapprovalprotocol.langgraph import ApprovalMiddleware

    agent = langchain_agent(run, ApprovalMiddleware(run.url, run.key,
                                                    **run.gate()))
    threads[run.session] = {"run": run}
    langchain_heard(run, agent.invoke(
        BEGIN, {"configurable": {"thread_id": run.session}}))


# --- OpenAI Agents --------------------------------------------------------

def openai_agents(run):
    import agents
    from openai.types.responses import (
        ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText)
    from sayso.openai_agents import run as approved

    class Model(agents.Model):
        async def get_response(self, system_instructions, input, *args,
                               **more):
            outputs = [one["output"] for one in input if isinstance(one, dict)
                       and one.get("type") == "function_call_output"]
            run.heard = outputs
            calls = [ResponseFunctionToolCall(
                arguments=json.dumps(args), call_id=call, name=run.tool,
                type="function_call") for call, args in run.calls.items()]
            end = ResponseOutputMessage(
                id="1", role="assistant", status="completed", type="message",
                content=[ResponseOutputText(annotations=[], text="The end.",
                                            type="output_text")])
            return agents.ModelResponse(
                output=[end] if outputs else calls, usage=agents.Usage(),
                response_id=None)

        def stream_response(self, *args, **more):
            raise NotImplementedError

    agents.set_tracing_disabled(True)
    tool = agents.function_tool(run.refund, name_override=run.tool,
                                needs_approval=True)
    agent = agents.Agent(name="refunds", model=Model(), tools=[tool])
    asyncio.run(approved(agent, "Refund it.", session_id=run.session,
                         **run.asking))


def openai_items(run):
    """Calls of other kinds than a function's, as a state has them."""
    import agents
    from openai.types.responses.response_output_item import McpApprovalRequest
    from sayso.openai_agents import answer

    agent = agents.Agent(name="refunds")
    raw = [McpApprovalRequest(**item) if item["type"] == "mcp_approval_request"
           else item for item in run.items]
    items = [agents.ToolApprovalItem(agent, one) for one in raw]
    state = types.SimpleNamespace(
        get_interruptions=lambda: items,
        approve=lambda item: run.ran.append(run.items[items.index(item)]),
        reject=lambda item, rejection_message: run.heard.append(
            rejection_message))
    asyncio.run(answer(state, session_id=run.session,
                       **{**run.asking, "about": None}))


# --- Pydantic AI ----------------------------------------------------------

def pydantic_agent(run, capability, **tool):
    from pydantic_ai import Agent, ModelResponse, TextPart, Tool, ToolCallPart
    from pydantic_ai.messages import ToolReturnPart
    from pydantic_ai.models.function import FunctionModel

    def model(messages, info):
        run.heard = [part.content for message in messages
                     for part in message.parts
                     if isinstance(part, ToolReturnPart)]
        if run.heard:
            return ModelResponse(parts=[TextPart("The end.")])
        return ModelResponse(parts=[ToolCallPart(run.tool, args, call)
                                    for call, args in run.calls.items()])
    agent = Agent(FunctionModel(model), capabilities=[capability],
                  tools=[Tool(run.refund, name=run.tool, **tool)])
    agent.run_sync("Refund it.", conversation_id=run.session)


def pydantic_ai(run):
    from sayso.pydantic_ai import approvals

    def change():
        for call, args in run.changed_calls().items():
            run.calls[call].update(args)
    if run.changes:
        run.client.change = change
    pydantic_agent(run, approvals(**run.asking), requires_approval=True)


def pydantic_items(run):
    """Calls that have no id, or of no conversation."""
    from pydantic_ai.messages import ToolCallPart
    from pydantic_ai.tools import DeferredToolRequests
    from sayso.pydantic_ai import approvals

    for item in run.items:
        call = ToolCallPart(run.tool, {}, item["call"])
        got = asyncio.run(approvals(**{**run.asking, "about": None}).handler(
            types.SimpleNamespace(conversation_id=item["conversation"]),
            DeferredToolRequests(approvals=[call])))
        run.heard += [one.message for one in got.approvals.values()]


def langchain_items(run):
    """Interrupts that have no id, or of no thread."""
    from langgraph.types import Interrupt
    from sayso.langchain import invoke

    request = {"action_requests": [{"name": run.tool, "args": {}}],
               "review_configs": [{"allowed_decisions": ["approve"]}]}
    for item in run.items:
        more = {"id": item["call"]} if item["call"] else {}
        states = iter([(Interrupt(request, **more),), ()])
        agent = types.SimpleNamespace(
            get_state=lambda config: types.SimpleNamespace(
                interrupts=next(states)),
            invoke=lambda given, config: getattr(given, "resume", None))
        got = invoke(agent, None, {"configurable": {
            "thread_id": item["conversation"]}}, **{**run.asking,
                                                   "about": None})
        run.heard += [one["message"] for one in
                      next(iter(got.values()))["decisions"]]


# --- Google ADK -----------------------------------------------------------

def adk(run):
    from google.adk.agents import LlmAgent
    from google.adk.models import BaseLlm, LlmResponse
    from google.adk.runners import InMemoryRunner
    from google.adk.tools import FunctionTool
    from google.genai import types
    from sayso.adk import gate

    class Model(BaseLlm):
        async def generate_content_async(self, llm_request, stream=False):
            run.heard = [str(part.function_response.response)
                         for content in llm_request.contents
                         for part in content.parts if part.function_response]
            parts = [types.Part(text="The end.")] if run.heard else [
                types.Part(function_call=types.FunctionCall(
                    name=run.tool, args=args, id=call))
                for call, args in run.calls.items()]
            yield LlmResponse(content=types.Content(role="model", parts=parts))

    def change():
        for call, args in run.changed_calls().items():
            run.calls[call].update(args)
    if run.changes:
        run.client.change = change
    tool = FunctionTool(run.refund)
    tool.name = run.tool
    agent = LlmAgent(name="refunds", model=Model(model="fake"), tools=[tool],
                     before_tool_callback=gate(**run.asking))

    async def turn():
        runner = InMemoryRunner(agent=agent, app_name="refunds")
        await runner.session_service.create_session(
            app_name="refunds", user_id="u", session_id=run.session)
        said = types.Content(role="user", parts=[types.Part(text="Refund it.")])
        async for _ in runner.run_async(user_id="u", session_id=run.session,
                                        new_message=said):
            pass
    asyncio.run(turn())


# --- CrewAI ---------------------------------------------------------------

def crewai(run):
    with contextlib.redirect_stdout(sys.stderr):
        run_crew(run)


def run_crew(run):
    from crewai import Agent, BaseLLM, Crew, Task
    from crewai import hooks
    from crewai.tools import tool
    from sayso.crewai import approvals

    turns = list(run.calls.values())

    class Model(BaseLLM):
        def call(self, messages, *args, **more):
            if not turns:
                run.heard = [json.dumps(messages[-2:])]
                return "Thought: I know.\nFinal Answer: The end."
            args = turns.pop()
            return (f"Thought: x\nAction: {run.tool}\n"
                    f"Action Input: {json.dumps(args)}")

        def supports_function_calling(self):
            return False

        def get_context_window_size(self):
            return 8000

    held = tool(run.tool)(run.refund)
    hooks.clear_before_tool_call_hooks()
    hooks.register_before_tool_call_hook(approvals(tools=[run.tool],
                                                   **run.asking))
    agent = Agent(role="refunds", goal="g", backstory="b", max_iter=3,
                  llm=Model(model="fake"), tools=[held], cache=False)
    Crew(agents=[agent], tasks=[Task(
        description="Refund it.", expected_output="x", agent=agent)]).kickoff()


def aap_pydantic_ai(run):
    """With the adapter of the Agent Approval Protocol."""
    from agentapprovalprotocol.pydantic_ai import ApprovalCapability

    pydantic_agent(run, ApprovalCapability(run.url, run.key, **run.gate()))


KINDS = {f.__name__: f for f in (
    langchain_batched, langchain_per_call, langchain_items, openai_agents,
    openai_items, pydantic_ai, pydantic_items, adk, crewai, aap_langchain,
    aap_pydantic_ai)}


def answered(line):
    given = json.loads(line)
    kind = KINDS[given.pop("kind")]
    run, error = Run(given), None
    try:
        kind(run)
    except EOFError:
        error = "it ends"
    except Exception as thrown:
        error = f"{type(thrown).__name__}: {thrown}"
    return {"ran": run.ran, "heard": run.heard, "told": run.told,
            "error": error}


for line in sys.stdin:
    print(json.dumps(answered(line)), flush=True)
