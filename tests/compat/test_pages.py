"""The printed text of docs/with, run with the real frameworks at the oldest and
the newest version that the page calls safe. The model is no model: it calls the
tool, and ends with what came of it. The tool prints that it ran."""
import contextlib
import dataclasses
import json
import os
import re
import signal
import subprocess
import sys
import time

import fake_model
import httpx
import kit
import page_models
import pytest
from coding_agents import CLAUDE_SDKS
from documents import block
from programs import CLAUDE_AGENTS, CLIENTS, CREWAI, NEW_NODE, python

SITUATIONS = ["approved", "refused", "silence", "away", "wrong key", "no key"]
ARGS = json.dumps(page_models.ARGS)

# --- Python ----------------------------------------------------------------
# The text before and behind that of a page that does not run alone.

MODEL = """
import page_models
model = page_models.{}()
"""
TOOL = '''
def refund(order: str, amount: float) -> str:
    """Refunds an order."""
    print("IT RAN", order, amount)
    return "done"
'''
CREW_TOOL = '''
from crewai.tools import tool
@tool("refund")''' + TOOL
NO_HOOKS = '''
from crewai.hooks import clear_before_tool_call_hooks
clear_before_tool_call_hooks()
'''
CREW = """
import page_models
from crewai import Agent, Crew, Task

one = Agent(role="refunds", goal="g", backstory="b", tools=[refund],
            llm=page_models.crewai(), max_iter=3)
Crew(agents=[one], tasks=[Task(description="Refund it.", expected_output="x",
                               agent=one)]).kickoff()
"""
ADK = """
import asyncio
from google.adk.runners import InMemoryRunner
from google.genai import types

async def main():
    runner = InMemoryRunner(agent=agent, app_name="page")
    session = await runner.session_service.create_session(
        app_name="page", user_id="u")
    async for _ in runner.run_async(
            user_id="u", session_id=session.id, new_message=types.Content(
                role="user", parts=[types.Part(text="Refund it.")])):
        pass

asyncio.run(main())
"""
HAYSTACK = """
from haystack.dataclasses import ChatMessage
agent.run(messages=[ChatMessage.from_user("Refund it.")])
"""
# The engine of Temporal cannot be installed. This runs the activities as it
# does, and tries them again, once.
TEMPORAL = """
import asyncio, dataclasses
from temporalio.testing import ActivityEnvironment

async def execute_activity(function, arg=None, *, args=None, retry_policy=None,
                           **more):
    for left in (1, 0):
        at = ActivityEnvironment()
        at.info = dataclasses.replace(at.info, workflow_run_id="run-7",
                                      activity_id=function.__name__)
        try:
            return await at.run(function, *(args or [arg]))
        except Exception as error:
            print("failed:", error)
            if not left or getattr(error, "non_retryable", retry_policy):
                raise

workflow.execute_activity = execute_activity
asyncio.run(Refund().run("12345", 50.0))
"""
# The client of the SDK is Claude Code, with a home of its own.
CLAUDE = """
import os, tempfile
os.environ.update(HOME=tempfile.mkdtemp(), ANTHROPIC_API_KEY="none",
                  IS_SANDBOX="1",  # allows all where the user is root
                  DISABLE_AUTOUPDATER="1",
                  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC="1")
"""
CLAUDE_RUNS = """
import asyncio, fake_model
from claude_agent_sdk import ClaudeSDKClient

def plan(heard):
    return None if heard else (
        "Bash", {"command": "printf 'IT %s 12345 50.0' RAN"})

async def main():
    async with ClaudeSDKClient(options) as agent:
        await agent.query("go")
        async for _ in agent.receive_response():
            pass

with fake_model.running(plan) as (model, url):
    os.environ["ANTHROPIC_BASE_URL"] = url
    asyncio.run(main())
    assert len(model.heard) == 1
    print(*model.heard)
"""
FAILING = """
async def failing(*event):
    raise RuntimeError

for held in options.hooks["PreToolUse"]:
    held.hooks[:] = [failing]
options.permission_mode = "bypassPermissions"
"""


@dataclasses.dataclass
class Page:
    """`page`, `words`: of its block. `beside`: the directory of the framework.
    `edits`: a person may change the call. `tells`: the model hears the reason
    of a no. `other`: what is another text in the test."""

    page: str
    words: str
    beside: str = "frameworks"
    before: str = ""
    after: str = ""
    edits: bool = True
    tells: bool = True
    other: dict = dataclasses.field(default_factory=dict)

    def code(self, run):
        code = block(self.page, "python", self.words)
        for text, mended in self.other.items():
            assert text in code
            code = code.replace(text, mended)
        return f"{self.before}\n{code}\n{self.after}".replace("run-7", run)


PRINTED = 'return f"{amount} EUR are on their way"'
RAN = {PRINTED: 'print("IT RAN", order, amount); ' + PRINTED}


def page_of(page, words, model, after="", **more):
    return Page(page, words, before=MODEL.format(model), after=after,
                **{"other": RAN, **more})


LANGCHAIN = Page("with/langchain.md", "import invoke",
                 before=MODEL.format("langchain") + TOOL)
PAGES = {
    "langchain": LANGCHAIN,
    "langchain, oldest": dataclasses.replace(LANGCHAIN,
                                             beside="langchain_old"),
    "openai": page_of("with/openai-agents.md", "import run", "openai_agents",
                      edits=False, other={
                          **RAN, 'Agent(name="refunds",':
                          'Agent(name="refunds", model=model,'}),
    "pydantic": page_of("with/pydantic-ai.md", "approvals()", "pydantic_ai"),
    "adk": page_of("with/google-adk.md", "sayso.adk", "adk", ADK),
    "strands": page_of("with/strands.md", "BeforeToolCallEvent", "strands",
                       'agent("Refund it.")'),
    "agent framework": page_of(
        "with/agent-framework.md", "FunctionMiddleware", "agent_framework",
        'import asyncio\nasyncio.run(agent.run("Refund it."))'),
    "ag2": page_of("with/ag2.md", "ToolResultEvent", "ag2",
                   'import asyncio\nasyncio.run(agent.ask("Refund it."))'),
    "haystack": page_of("with/haystack.md", "Person", "haystack", HAYSTACK),
    "temporal": Page(
        "with/temporal.md", "@workflow.defn", after=TEMPORAL, other={
            "return f\"{args": 'print("IT RAN", args["order"], '
            'args["amount"]); return f"{args'}),
    "gate": Page("with/any-framework.md", "aapprove_call", after="""
import asyncio
print(asyncio.run(run_tool(refund, "refund", {"order": "12345",
                                              "amount": 50.0}, "1")))
""", before=TOOL),
    "function": Page("with/any-framework.md", "not refunded:", edits=False,
                     other=RAN),
    "function, returning": Page("with/any-framework.md", 'refusal="return"',
                                edits=False, other=RAN)}
if CREWAI:
    CREWED = Page("with/crewai.md", "register_before", "crewai",
                  NO_HOOKS + CREW_TOOL, CREW, tells=False)
    PAGES["crewai"] = CREWED
    PAGES["crewai, decorated"] = dataclasses.replace(
        CREWED, words="refusal=", before=NO_HOOKS, edits=False, tells=True,
        other=RAN)
for beside in CLAUDE_AGENTS:
    PAGES[beside] = Page("with/claude-agent-sdk.md", "ClaudeAgentOptions",
                         beside, CLAUDE, CLAUDE_RUNS)


def environment(server, agent, situation):
    """That of a program, in this situation."""
    wrong = {"away": {"SAYSO_URL": "http://127.0.0.1:1"},
             "wrong key": {"SAYSO_AGENT_KEY": "sayso_wrong"},
             "no key": {"SAYSO_AGENT_KEY": None}}
    return {"SAYSO_URL": server.url, "SAYSO_AGENT": agent,
            "SAYSO_AGENT_KEY": server.key("agent", "--agent", agent),
            **wrong.get(situation, {})}


def question_of(agent, operator):
    """The open one, once it is there."""
    def look():
        rows = operator.get("/api/v1/suspensions",
                            params={"state": "pending", "limit": 100}).json()
        return [q for q in rows["suspensions"] if q["asked_by"] == agent]
    question, = kit.wait_for(look, 90)
    return question


def decide(operator, question, situation):
    more = {}
    if situation == "edited":
        more["subject"] = json.loads(re.sub(
            r"\b50(\.0)?\b", "20.5", json.dumps(question["subject"])))
    value = {"approved": "approve", "refused": "reject", "edited": "edit"}
    r = kit.answer(operator, question, value[situation], reason="So.", **more)
    assert r.status_code == 200, r.text


def withdraw(env, question):
    r = httpx.post(f"{env['SAYSO_URL']}/api/v1/suspensions/"
                   f"{question['suspension_id']}/cancel", json={}, headers={
                       "X-API-Key": env["SAYSO_AGENT_KEY"],
                       "X-Agent-ID": env["SAYSO_AGENT"]}, timeout=60)
    assert r.status_code == 200, r.text


@pytest.fixture(scope="module")
def programs():
    """Runs a program where its framework is imported already. There is a
    process for each directory of frameworks, from its first use on."""
    running = {}

    def run(beside, code, env):
        if beside in running and running[beside].busy():
            running.pop(beside).end()  # of a test that failed
        if beside not in running:
            running[beside] = python("page_programs", beside)
        return running[beside].run(code=code, env=env)
    yield run
    for one in running.values():
        one.end()


@pytest.mark.parametrize("page, situation", [
    (page, situation) for page, one in PAGES.items()
    for situation in SITUATIONS + ["edited"] * one.edits])
def test_a_page_in_python(server, operator, programs, page, situation):
    one, agent = PAGES[page], f"agent-{kit.new_id()}"
    env = environment(server, agent, situation)
    got = programs(one.beside, one.code(kit.new_id()), env)
    if situation in ("approved", "edited", "refused", "silence"):
        question = question_of(agent, operator)
        if situation == "silence":
            time.sleep(0.5)  # it goes on waiting
            assert not got.done()
            withdraw(env, question)
        else:
            decide(operator, question, situation)
    said = got.result(120)["said"]
    assert re.findall("IT RAN (.*)", said) == {
        "approved": ["12345 50.0"], "edited": ["12345 20.5"]}.get(
            situation, []), said
    assert situation != "refused" or not one.tells or "So." in said, said


@pytest.mark.parametrize("beside", CLAUDE_AGENTS)
def test_a_hook_that_fails_is_a_no(server, programs, beside):
    """Also where every tool is allowed."""
    one = dataclasses.replace(PAGES[beside], after=FAILING + CLAUDE_RUNS)
    said = programs(beside, one.code("x"), environment(
        server, "refunds-agent", "approved")).result(120)["said"]
    assert "IT RAN" not in said and "Traceback" not in said, said


@pytest.mark.parametrize("page, words, beside", [
    *([("with/crewai.md", "it holds", "crewai")] * CREWAI),
    *(("with/claude-agent-sdk.md", "it holds", beside)
      for beside in CLAUDE_AGENTS)])
def test_the_lines_that_show_that_it_holds(server, programs, page, words,
                                           beside):
    code = block(page, "python", words)
    said = programs(beside, code, environment(
        server, "refunds-agent", "no key")).result(60)["said"]
    assert said.splitlines()[-1] == "it holds", said


# --- Programs of their own ---------------------------------------------------

@pytest.fixture
def started(server):
    """Starts a program as the agent of a name of its own, in a situation."""
    running = []

    def start(situation, *command, **more):
        agent = f"agent-{kit.new_id()}"
        env = {**os.environ, **environment(server, agent, situation), **more}
        running.append(subprocess.Popen(
            command, text=True, stdout=subprocess.PIPE,
            env={name: value for name, value in env.items() if value},
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
    if situation in ("approved", "edited", "refused", "silence"):
        question = question_of(agent, operator)
        if situation == "silence":
            time.sleep(0.5)  # it goes on waiting
            assert process.poll() is None
            kill(process)
        else:
            decide(operator, question, situation)
    said, _ = process.communicate(timeout=120)
    return said


def test_the_lines_of_a_function_that_holds(started):
    process, _ = started(
        "no key", "sh", "-ec", block("with/any-framework.md", "sh", "it holds"),
        PYTHONPATH=str(CLIENTS / "python"), PATH=os.pathsep.join((
            os.path.dirname(sys.executable), os.environ["PATH"])))
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0, said
    assert said.splitlines()[-1] == "it holds" and "IT RAN" not in said


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
    execute: async (args: object) => {{
        console.log("IT RAN", JSON.stringify(args));
        return "done";
    }} }}) }};
'''
MASTRA = AI.replace("import { jsonSchema, stepCountIs, tool } from \"ai\";",
                    'import { createTool } from "@mastra/core/tools";') + \
    AI_MODEL.partition("const tools")[0].replace("model =", "fake =") + '''
const model = fake as any;
const refund = createTool({
    id: "refund", description: "Refunds an order.",
    execute: async (args: unknown) => {
        console.log("IT RAN", JSON.stringify(args));
        return "done";
    } });
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
LANGCHAIN_JS = f'''
import {{ fakeModel, tool }} from "langchain";
import {{ AIMessage }} from "@langchain/core/messages";
const model = fakeModel().respondWithTools([
    {{ name: "refund", args: {ARGS}, id: "call_1" }}
]).respond(new AIMessage("The end."));
const refund = tool(async (args: object) => {{
    console.log("IT RAN", JSON.stringify(args));
    return "done";
}}, {{ name: "refund", description: "Refunds an order.",
      schema: {{ type: "object" }} }});
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
    "langchain": ("with/langchain.md", "humanInTheLoopMiddleware(",
                  LANGCHAIN_JS, {}),
    "mastra": ("with/mastra.md", "approved(", MASTRA, {}),
    "@openai/agents": ("with/openai-agents.md", "answer(", AGENTS, {
        'name: "refunds", tools': 'name: "refunds", model, tools'})}


# Those whose own types do not hold with exactOptionalPropertyTypes.
LOOSE = ("langchain", "langchain, edited")
# Those in which a person may change the arguments, and what allows it.
EDITING = {"ai 7, wrapped": {'["refund"],': '["refund"], edit: true,'},
           "mastra": {'["refund"],': '["refund"], edit: true,'},
           "langchain": {}}
# Those with lines that show that it holds.
HOLDING = (("with/ai-sdk.md", "it holds"),
           ("with/claude-agent-sdk.md", "it holds"))


@pytest.fixture(scope="module")
def compiled(typescript):
    """The programs of all pages, compiled at once."""
    names = {}
    programs = TYPESCRIPT | {f"{page}, edited": (*TYPESCRIPT[page][:3], other)
                             for page, other in EDITING.items()}
    for number, (page, (document, words, before, other)) in enumerate(
            programs.items()):
        code = before + block(document, "ts", words)
        for text, mended in other.items():
            assert text in code
            code = code.replace(text, mended)
        names[page] = typescript / ("loose" if page in LOOSE else ""
                                    ) / f"page_{number}.ts"
        names[page].write_text(code.replace(
            '"run-7"', 'process.env["SAYSO_AGENT"]!'))
    for page, words in HOLDING:
        names[page] = typescript / f"holds_{page[5:-3]}.ts"
        names[page].write_text(block(page, "ts", words))
    for project in (typescript, typescript / "loose"):
        done = subprocess.run(
            [NEW_NODE, NEW_NODE.parents[2] / "typescript/bin/tsc", "--noEmit",
             "-p", project], text=True, capture_output=True)
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


@pytest.mark.parametrize("page", EDITING)
def test_a_page_in_typescript_whose_call_is_changed(started, compiled,
                                                    operator, page):
    said = said_in("edited", started("edited", NEW_NODE,
                                     compiled[f"{page}, edited"]), operator)
    assert said.count("IT RAN") == 1 and '"amount":20.5' in said, said


# --- The Claude Agent SDK in TypeScript --------------------------------------

SDKS = {name: sdk.parent for name, sdk in CLAUDE_SDKS.items() if sdk}


@pytest.fixture(scope="module")
def claude_pages(typescript):
    """The page's program for each version of the SDK, compiled."""
    code = block("with/claude-agent-sdk.md", "ts", "query(")
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


@pytest.mark.parametrize("page, words", HOLDING)
def test_the_lines_that_show_that_it_holds(started, compiled, page, words):
    process, _ = started("no key", NEW_NODE, compiled[page])
    said, _ = process.communicate(timeout=60)
    assert process.returncode == 0 and words in said, said
    assert "IT RAN" not in said
