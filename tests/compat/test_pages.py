"""The printed text of docs/with, run with the real frameworks at the oldest and
the newest version that the page calls safe. The model is no model: it calls the
tool, and ends with what came of it. The tool prints that it ran."""
import contextlib
import os
import pathlib
import signal
import subprocess
import sys
import time

import fake_model
import kit
import pytest
from coding_agents import CLAUDE_SDKS
from documents import block
from programs import BUILD, CLAUDE_AGENTS, CLIENTS, CREWAI, NEW_NODE

SITUATIONS = ["approved", "refused", "silence", "away", "wrong key", "no key"]
ARGS = '{"order": "12345", "amount": 50.0}'

LANGCHAIN = f'''
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage

class Model(GenericFakeChatModel):
    def bind_tools(self, tools, **more):
        return self

model = Model(messages=iter([AIMessage("", tool_calls=[
    {{"name": "refund", "args": {ARGS}, "id": "call_1"}}]),
    AIMessage("The end.")]))

def refund(order: str, amount: float) -> str:
    """Refunds an order."""
    print("IT RAN")
    return "done"
'''

OPENAI = f'''
import agents
from openai.types.responses import (
    ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText)
agents.set_tracing_disabled(True)

class Model(agents.Model):
    async def get_response(self, system_instructions, input, *args, **more):
        outputs = [one["output"] for one in input if isinstance(one, dict)
                   and one.get("type") == "function_call_output"]
        text = ResponseOutputText(annotations=[], type="output_text",
                                  text=str(outputs))
        return agents.ModelResponse(response_id=None, usage=agents.Usage(),
            output=[ResponseOutputMessage(
                id="1", role="assistant", status="completed", type="message",
                content=[text])] if outputs else [ResponseFunctionToolCall(
                    arguments='{ARGS}', call_id="call_1", name="refund",
                    type="function_call")])

    def stream_response(self, *args, **more):
        raise NotImplementedError

model = Model()
'''

PYDANTIC = f'''
from pydantic_ai import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.messages import ToolReturnPart
from pydantic_ai.models.function import FunctionModel

def answered(messages, info):
    heard = [part.content for message in messages for part in message.parts
             if isinstance(part, ToolReturnPart)]
    return ModelResponse(parts=[TextPart(str(heard)) if heard else
                                ToolCallPart("refund", {ARGS}, "call_1")])

model = FunctionModel(answered)
'''

CREW = f'''
from crewai import Agent, BaseLLM, Crew, Task
from crewai.tools import tool

turns = ['Thought: x\\nAction: refund\\nAction Input: {ARGS}']

class Model(BaseLLM):
    def call(self, *args, **more):
        return turns.pop() if turns else "Thought: x\\nFinal Answer: The end."

    def supports_function_calling(self):
        return False

    def get_context_window_size(self):
        return 8000

@tool("refund")
def refund(order: str, amount: float) -> str:
    """Refunds an order."""
    print("IT RAN")
    return "done"

one = Agent(role="refunds", goal="g", backstory="b", tools=[refund],
            llm=Model(model="fake"), max_iter=3)
Crew(agents=[one], tasks=[Task(description="Refund it.", expected_output="x",
                               agent=one)]).kickoff()
'''

# The client of the SDK is Claude Code, with a home of its own. Its model hears
# that the tool ran, or why not.
CLAUDE = f'''
import asyncio, os, sys, tempfile
sys.path.insert(0, {str(pathlib.Path(__file__).parent)!r})
import fake_model
os.environ.update(HOME=tempfile.mkdtemp(), ANTHROPIC_API_KEY="none",
                  IS_SANDBOX="1",  # allows all where the user is root
                  DISABLE_AUTOUPDATER="1",
                  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")

def plan(heard):
    return None if heard else (
        "Bash", {{"command": "expr IT : IT && echo RAN"}})
'''
CLAUDE_RUNS = '''
from claude_agent_sdk import ClaudeSDKClient

async def main():
    async with ClaudeSDKClient(options) as agent:
        await agent.query("go")
        async for _ in agent.receive_response():
            pass

with fake_model.running(plan) as (model, url):
    os.environ["ANTHROPIC_BASE_URL"] = url
    asyncio.run(main())
    assert len(model.heard) == 1
    print("IT RAN" if model.heard == ["2\\nRAN"] else model.heard)
'''

# The page, words of its block, the directory of the framework, what comes
# before and after, and what is another text in the test.
PRINTED = 'return f"{amount} EUR are on their way"'
RAN = {PRINTED: 'print("IT RAN"); ' + PRINTED}
PAGES = {
    "langchain, oldest": ("with/langchain.md", "import invoke", "langchain_old",
                          LANGCHAIN, "", {}),
    "langchain": ("with/langchain.md", "import invoke", "frameworks", LANGCHAIN,
                  "", {}),
    "openai": ("with/openai-agents.md", "import run", "frameworks", OPENAI, "",
               {**RAN, 'Agent(name="refunds",':
                'Agent(name="refunds", model=model,'}),
    "pydantic": ("with/pydantic-ai.md", "approvals()", "frameworks", PYDANTIC,
                 "", RAN),
    "function": ("with/any-framework.md", "not refunded:", "frameworks", "", "",
                 RAN),
    "function, returning": ("with/any-framework.md", 'refusal="return"',
                            "frameworks", "", "", RAN)}
if CREWAI:
    PAGES["crewai"] = ("with/crewai.md", "register_before", "crewai", "", CREW,
                       {})
for beside in CLAUDE_AGENTS:
    PAGES[beside] = ("with/claude-agent-sdk.md", "HookMatcher", beside, CLAUDE,
                     CLAUDE_RUNS, {})
    # A hook that raises an exception, where every tool is allowed.
    PAGES[f"{beside}, failing"] = (*PAGES[beside][:5], {
        "except Exception": "except KeyError", 'allowed_tools=["Bash"]':
        'permission_mode="bypassPermissions"'})


@pytest.fixture
def started(server):
    """Runs a program as the agent of a name of its own, in a situation."""
    running = []
    agent = f"agent-{kit.new_id()}"
    key = server.key("agent", "--agent", agent)

    def start(situation, *command, **more):
        env = {**os.environ, "SAYSO_URL": server.url, "SAYSO_AGENT_KEY": key,
               "SAYSO_AGENT": agent, "LANGSMITH_TRACING": "false",
               "CREWAI_DISABLE_TELEMETRY": "true", "OTEL_SDK_DISABLED": "true",
               "CREWAI_TRACING_ENABLED": "false", **more}
        if situation == "away":
            env["SAYSO_URL"] = "http://127.0.0.1:1"
        elif situation == "wrong key":
            env["SAYSO_AGENT_KEY"] = "sayso_wrong"
        elif situation == "no key":
            del env["SAYSO_AGENT_KEY"]
        running.append(subprocess.Popen(
            command, env=env, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            start_new_session=True))
        return running[-1], agent
    yield start
    for process in running:
        kill(process)
        process.communicate()


def kill(process):
    """With what it has started."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)


def said_in(situation, started, operator):
    """Its output; the question of its agent is answered meanwhile."""
    process, agent = started

    def look():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending", "limit": 100}).json()
        return [q for q in rows["suspensions"] if q["asked_by"] == agent]
    if situation in ("approved", "refused", "silence"):
        question, = kit.wait_for(look, 90)
        if situation == "silence":
            time.sleep(0.5)  # it goes on waiting
            assert process.poll() is None
            kill(process)
        else:
            r = kit.answer(operator, question, "approve" if situation ==
                           "approved" else "reject", reason="So.")
            assert r.status_code == 200, r.text
    said, _ = process.communicate(timeout=120)
    return said


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_in_python(started, operator, page, situation):
    document, words, beside, before, after, other = PAGES[page]
    code = block(document, "python", words)
    for text, mended in other.items():
        assert text in code
        code = code.replace(text, mended)
    path = os.pathsep.join(map(str, (CLIENTS / "python",
                                     BUILD / f"python-{beside}")))
    said = said_in(situation, started(
        situation, sys.executable, "-c",
        before + code.replace("run-7", kit.new_id()) + after,
        PYTHONPATH=path), operator)
    assert said.count("IT RAN") == (situation == "approved"), said


@pytest.mark.parametrize("page, language, words, beside", [
    ("with/any-framework.md", "sh", "it holds", "frameworks"),
    *([("with/crewai.md", "python", "it holds", "crewai")] * CREWAI),
    *(("with/claude-agent-sdk.md", "python", "HookMatcher, it holds", beside)
      for beside in CLAUDE_AGENTS)])
def test_the_line_that_shows_that_it_holds(started, page, language, words,
                                           beside):
    code = "\n".join(block(page, language, one)
                     for one in words.split(", "))
    command = ["sh", "-ec", code] if language == "sh" else \
        [sys.executable, "-c", code]
    process, _ = started("no key", *command, PYTHONPATH=os.pathsep.join(
        map(str, (CLIENTS / "python", BUILD / f"python-{beside}"))),
        PATH=os.pathsep.join((os.path.dirname(sys.executable),
                              os.environ["PATH"])))
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "it holds" in said, said
    assert "IT RAN" not in said


# --- TypeScript ------------------------------------------------------------

AI = '''
import { jsonSchema, stepCountIs, tool } from "ai";
import { MockLanguageModelV4 as Mock } from "ai/test";
'''
AI_MODEL = f'''
const model = new Mock({{ doGenerate: async ({{ prompt }}: any) => {{
    const ended = prompt.some((m: any) => m.role === "tool");
    return {{ warnings: [],
        usage: {{ inputTokens: {{ total: 1, noCache: 1, cacheRead: 0,
                                   cacheWrite: 0 }},
                 outputTokens: {{ total: 1, text: 1, reasoning: 0 }} }},
        finishReason: {{ unified: ended ? "stop" : "tool-calls",
                        raw: undefined }},
        content: ended ? [{{ type: "text", text: "The end." }}]
            : [{{ type: "tool-call", toolCallId: "1", toolName: "refund",
                 input: '{ARGS}' }}] }} as any;
}} }});
const tools = {{ refund: tool({{
    description: "Refunds an order.",
    inputSchema: jsonSchema<object>({{ type: "object" }}),
    execute: async () => {{ console.log("IT RAN"); return "done"; }} }}) }};
'''
AGENTS = f'''
import {{ setTracingDisabled, Usage }} from "@openai/agents";
setTracingDisabled(true);
const schema = {{ type: "object" as const, required: ["order", "amount"],
    properties: {{ order: {{ type: "string" as const }},
                   amount: {{ type: "number" as const }} }},
    additionalProperties: false as const }} as any;
const refund = async () => {{ console.log("IT RAN"); return "done"; }};
const model = {{ getResponse: async ({{ input }}: any) => ({{
    usage: new Usage(),
    output: typeof input === "string" || !input.some(
        (one: any) => one.type === "function_call_result")
        ? [{{ type: "function_call", callId: "call_1", name: "refund",
             status: "completed", arguments: '{ARGS}' }}]
        : [{{ type: "message", role: "assistant", status: "completed",
             content: [{{ type: "output_text", text: "The end." }}] }}] }}),
}} as any;
'''
SIX = {'"ai"': '"ai6"', '"ai/test"': '"ai6/test"',
       "MockLanguageModelV4": "MockLanguageModelV3"}
TYPESCRIPT = {
    "ai 7, wrapped": ("with/ai-sdk.md", "approved(tools", AI + AI_MODEL, {}),
    "ai 6, wrapped": ("with/ai-sdk.md", "approved(tools", AI + AI_MODEL, SIX),
    "ai 7, both": ("with/ai-sdk.md", "approvals(tools", AI + AI_MODEL, {}),
    "ai 6, both": ("with/ai-sdk.md", "approvals(tools", AI + AI_MODEL, SIX),
    "ai 7, the option": ("with/ai-sdk.md", "toolApproval(", AI + AI_MODEL,
                         {}),
    "@openai/agents": ("with/openai-agents.md", "answer(", AGENTS, {
        'name: "refunds", tools': 'name: "refunds", model, tools'})}


@pytest.fixture(scope="module")
def compiled(typescript):
    """The programs of all pages, compiled at once."""
    names = {}
    for number, (page, (document, words, before, other)) in enumerate(
            TYPESCRIPT.items()):
        code = before + block(document, "ts", words)
        for text, mended in other.items():
            assert text in code
            code = code.replace(text, mended)
        names[page] = typescript / f"page_{number}.ts"
        names[page].write_text(code.replace(
            '"run-7"', 'process.env["SAYSO_AGENT"]!'))
    names["it holds"] = typescript / "page_holds.ts"
    names["it holds"].write_text(block("with/ai-sdk.md", "ts", "it holds"))
    done = subprocess.run(
        [NEW_NODE, NEW_NODE.parents[2] / "typescript/bin/tsc", "--noEmit",
         "-p", typescript], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    yield names
    for file in names.values():
        file.unlink()


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("page", TYPESCRIPT)
def test_a_page_in_typescript(started, compiled, operator, page, situation):
    said = said_in(situation, started(situation, NEW_NODE, compiled[page]),
                   operator)
    assert said.count("IT RAN") == (situation == "approved"), said


# --- The Claude Agent SDK in TypeScript --------------------------------------

SDKS = {name: sdk.parent for name, sdk in CLAUDE_SDKS.items() if sdk}


@pytest.fixture(scope="module")
def claude_pages(typescript):
    """The page's program for each version of the SDK, compiled."""
    code = block("with/claude-agent-sdk.md", "ts", "HookCallback")
    name = "@anthropic-ai/claude-agent-sdk"
    assert f'"{name}"' in code
    (typescript / "node_modules/@anthropic-ai").mkdir(exist_ok=True)
    files = {}
    for number, (version, sdk) in enumerate(SDKS.items()):
        own = f"{name}-{number}"
        link = typescript / "node_modules" / own
        link.unlink(missing_ok=True)
        link.symlink_to(sdk.resolve())
        files[version] = typescript / f"claude_{number}.ts"
        files[version].write_text(code.replace(f'"{name}"', f'"{own}"'))
    done = subprocess.run(
        [NEW_NODE, NEW_NODE.parents[2] / "typescript/bin/tsc", "--noEmit",
         "--skipLibCheck", "-p", typescript], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    yield files
    for file in files.values():
        file.unlink()


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("version", SDKS)
def test_the_page_of_the_claude_agent_sdk(started, claude_pages, operator,
                                          tmp_path, version, situation):
    def plan(heard):
        return None if heard else ("Bash", {
            "command": "expr IT : IT && echo RAN"})
    with fake_model.running(plan) as (model, url):
        said = said_in(situation, started(
            situation, NEW_NODE, claude_pages[version], HOME=str(tmp_path),
            ANTHROPIC_BASE_URL=url, ANTHROPIC_API_KEY="none",
            DISABLE_AUTOUPDATER="1",
            CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1"), operator)
    assert len(model.heard) == (situation != "silence"), said
    assert (model.heard == ["2\nRAN"]) == (situation == "approved"), said


def test_the_line_of_the_ai_sdk(started, compiled):
    process, _ = started("no key", NEW_NODE, compiled["it holds"])
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and "it holds: Unreachable" in said, said
    assert "IT RAN" not in said
