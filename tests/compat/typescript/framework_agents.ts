/** Agents on TypeScript's frameworks, as framework_agents.py has them on
 * Python's. Reads one JSON object a line and answers with one. */
import { createInterface } from "node:readline";
import {
    Agent, type AgentOutputItem, type Model, type ModelRequest,
    type ModelResponse, RunToolApprovalItem, run as runAgent, tool as agentTool,
    setTracingDisabled, Usage,
} from "@openai/agents";
import { generateText, jsonSchema, stepCountIs, streamText, tool } from "ai";
import * as ai6 from "ai6";
import { MockLanguageModelV3 } from "ai6/test";
import { MockLanguageModelV4, simulateReadableStream } from "ai/test";
import { MemorySaver } from "@langchain/langgraph";
import { AIMessage } from "@langchain/core/messages";
import * as langchain from "langchain";
import { Client } from "sayso-client";
import { approvals, approved, toolApproval } from "sayso-client/ai";
import { invoke } from "sayso-client/langchain";
import { answer } from "sayso-client/openai-agents";

interface Refund {
    order: string;
    amount: number;
}

interface Given {
    kind: string;
    url: string;
    key: string | null;
    tool: string;
    session: string;
    calls: Record<string, Refund>;
    wait: number | null;
    about: Record<string, string | number>;
    ends: boolean;
    changes: boolean;
    items?: object[];
    cwd?: string;
    allowed?: { allowed_decisions: string[] } | null;
}

const schema = {
    type: "object" as const,
    properties: { order: { type: "string" as const },
                  amount: { type: "number" as const } },
    required: ["order" as const, "amount" as const],
    additionalProperties: false as const,
};

/** The agent ends once its question is there. */
class Ends extends Client {
    override async approveCall(...given: any[]): Promise<any> {
        const [tool, args, options] = given;
        await super.approveCall(tool, args, { ...options, wait: 0, keep: true })
            .catch(() => undefined);
        throw new Error("it ends");
    }
}

/** Something changes the call just when it has been approved. */
class Changes extends Client {
    input: Refund | undefined;
    change: (() => Promise<void>) | undefined;

    override async approveCall(...given: any[]): Promise<any> {
        const [tool, args, options] = given;
        const approved = await super.approveCall(tool, args, options);
        const { change } = this;
        this.change = undefined;
        await change?.();
        if (this.input)
            this.input.amount = 5000;
        return approved;
    }
}

/** A turn that calls the tool, as the test wants it. */
class Run {
    readonly ran: Refund[] = [];
    heard: string[] = [];
    readonly told: string[] = [];
    readonly asking;

    constructor(readonly given: Given) {
        const kind = given.ends ? Ends : given.changes ? Changes : Client;
        process.env["SAYSO_URL"] = given.url; // for those without a key
        this.asking = {
            client: given.key === null ? undefined : new kind({
                url: given.url, key: given.key, agent: "refunds-agent",
                onAsked: ({ id }) => void this.told.push(id) }),
            sessionId: given.session, wait: given.wait ?? undefined,
            about: (_: string, args: object) => {
                const { order } = args as Refund;
                return { ...JSON.parse(JSON.stringify(given.about).replace(
                    "{order}", order)), target: `order ${order}` };
            } };
    }

    readonly refund = (args: Refund): string => {
        this.ran.push(args);
        return "refunded";
    };
}

// --- AI SDK ---------------------------------------------------------------

function parts({ given }: Run, results: boolean) {
    return results
        ? [{ type: "text" as const, text: "The end." }]
        : Object.entries(given.calls).map(([toolCallId, args]) => ({
            type: "tool-call" as const, toolCallId, toolName: given.tool,
            input: JSON.stringify(args) }));
}

type StreamPart = Awaited<ReturnType<MockLanguageModelV4["doStream"]>>[
    "stream"] extends ReadableStream<infer Part> ? Part : never;

const usage = {
    inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
    outputTokens: { total: 1, text: 1, reasoning: 0 } };

/** The model, and the tool, and what came of it for the model. */
function sdk(run: Run) {
    const called = (prompt: { role: string; content: unknown }[]) => {
        const results = prompt.filter((m) => m.role === "tool");
        run.heard = results.flatMap((m) => m.content as object[])
            .flatMap((part) => "output" in part
                ? [JSON.stringify(part.output)] : []);
        return run.heard.length > 0;
    };
    const finishReason = (ended: boolean) => ({
        unified: ended ? "stop" as const : "tool-calls" as const,
        raw: undefined });
    const model = new MockLanguageModelV4({
        doGenerate: async ({ prompt }) => {
            const ended = called(prompt);
            return { content: parts(run, ended), usage, warnings: [],
                     finishReason: finishReason(ended) };
        },
        doStream: async ({ prompt }) => {
            const ended = called(prompt);
            const chunks = parts(run, ended).flatMap((part): StreamPart[] =>
                part.type === "text"
                    ? [{ type: "text-start", id: "1" },
                       { type: "text-delta", id: "1", delta: part.text },
                       { type: "text-end", id: "1" }]
                    : [part]);
            chunks.push({ type: "finish", usage,
                          finishReason: finishReason(ended) });
            return { stream: simulateReadableStream({ chunks }) };
        } });
    return {
        model, prompt: "Refund it.", stopWhen: stepCountIs(3),
        tools: { [run.given.tool]: tool({
            description: "Refunds an order.",
            inputSchema: jsonSchema<Refund>(schema),
            onInputAvailable: ({ input }) => {
                if (run.asking.client instanceof Changes)
                    run.asking.client.input = input;
            },
            execute: run.refund }) },
        toolApproval: toolApproval({ ...run.asking,
                                     tools: [run.given.tool] }) };
}

async function aiText(run: Run): Promise<void> {
    await generateText(sdk(run));
}

async function aiStream(run: Run): Promise<void> {
    const failed: unknown[] = [];
    const result = streamText({
        ...sdk(run), onError: ({ error }) => void failed.push(error) });
    await result.consumeStream({ onError: (error) => void failed.push(error) });
    if (failed.length)
        throw failed[0];
}

/** With the tools wrapped, which holds in every version. */
async function aiWrapped(run: Run): Promise<void> {
    const { toolApproval: _, tools, ...options } = sdk(run);
    await generateText({ ...options, tools: approved(tools, run.asking) });
}

/** With the option, and the tools wrapped for it. */
async function aiBoth(run: Run): Promise<void> {
    const { toolApproval: _, tools, ...options } = sdk(run);
    await generateText({ ...options, ...approvals(tools, run.asking) });
}

/** A tool that tells of its progress. */
async function aiGenerator(run: Run): Promise<void> {
    const { toolApproval: _, tools, ...options } = sdk(run);
    const { [run.given.tool]: one } = tools;
    const told = { ...one, execute: async function* (args: Refund) {
        yield "half";
        yield run.refund(args);
    } };
    await generateText({ ...options, tools: approved(
        { [run.given.tool]: told } as unknown as typeof tools, run.asking) });
}

/** The model and the tools of version 6. */
function sdk6(run: Run) {
    const usage = {
        inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: 1, text: 1, reasoning: 0 } };
    const model = new MockLanguageModelV3({
        doGenerate: async ({ prompt }) => {
            const results = prompt.filter((m) => m.role === "tool");
            run.heard = results.flatMap((m) => m.content as object[])
                .flatMap((part) => "output" in part
                    ? [JSON.stringify(part.output)] : []);
            const ended = run.heard.length > 0;
            return { content: parts(run, ended), usage, warnings: [],
                     finishReason: { raw: undefined,
                                     unified: ended ? "stop" as const
                                         : "tool-calls" as const } };
        } });
    return { model, prompt: "Refund it.", stopWhen: ai6.stepCountIs(3),
             tools: { [run.given.tool]: ai6.tool({
                 description: "Refunds an order.",
                 inputSchema: ai6.jsonSchema<Refund>(schema),
                 execute: run.refund }) } };
}

async function ai6Wrapped(run: Run): Promise<void> {
    const { tools, ...options } = sdk6(run);
    await ai6.generateText({ ...options,
                             tools: approved(tools, run.asking) });
}

/** In a directory whose version of the SDK ignores the option. */
async function ai6Option(run: Run): Promise<void> {
    const before = process.cwd();
    process.chdir(run.given.cwd!);
    try {
        const given = { ...sdk6(run),
                        toolApproval: toolApproval(run.asking) };
        await ai6.generateText(given);
    } finally {
        process.chdir(before);
    }
}

/** Inputs that JSON does not show as they are. */
const odd: Record<string, () => unknown> = {
    infinite: () => ({ order: "1", amount: Infinity }),
    map: () => new Map([["amount", 5000]]),
    set: () => ({ order: new Set(["1"]) }),
    date: () => ({ order: new Date(0) }),
    instance: () => ({ order: new (class { toJSON() { return 2; } })() }),
    hidden: () => Object.defineProperty({ order: "1" }, "toJSON", {
        value: () => ({ order: "2" }) }),
    getter: () => ({ get order() { return Math.random(); } }),
    array: () => ({ order: Object.assign([1], { toJSON: () => [2] }) }),
    bytes: () => ({ order: new Uint8Array(2) }),
    big: () => ({ amount: 2 ** 60 }), nothing: () => undefined,
    text: () => "1", list: () => [1] };

/** Calls as the SDK has them, some without an id. */
async function aiItems(run: Run): Promise<void> {
    const asks = toolApproval(run.asking);
    for (const item of run.given.items! as { odd?: string }[]) {
        const toolCall = item.odd ? { ...item, input: odd[item.odd]!() }
                                  : item;
        const status = await asks({ toolCall: toolCall as never });
        run.heard.push(status?.type === "denied" ? status.reason : "yes");
    }
}

// --- LangChain ------------------------------------------------------------

const threads = new Map<string, { agent: any; run: Run }>(); // by session

/** The types of LangChain do not hold with exactOptionalPropertyTypes. */
const { createAgent, fakeModel, humanInTheLoopMiddleware }
    = langchain as Record<string, any>;

function langchainAgent({ given }: Run): any {
    const calls = Object.entries(given.calls).map(([id, args]) => ({
        name: given.tool, args, id }));
    const allowed = given.allowed?.allowed_decisions.map((one) =>
        one === "respond" ? "reject" : one); // which it does not have
    return createAgent({
        model: fakeModel().respondWithTools(calls)
            .respond(new AIMessage("The end."))
            .respond(new AIMessage("The end.")),
        tools: [langchain.tool(
            async (args: any) => threads.get(given.session)!.run.refund(args),
            { name: given.tool, description: "Refunds an order.", schema })],
        checkpointer: new MemorySaver(),
        middleware: [humanInTheLoopMiddleware({ interruptOn: {
            [given.tool]: allowed ? { allowedDecisions: allowed } : true } })],
    });
}

async function langchainJs(run: Run): Promise<void> {
    const { given } = run, { client, wait, about } = run.asking;
    const config = { configurable: { thread_id: given.session } };
    const known = threads.get(given.session);
    const agent = known?.agent ?? langchainAgent(run);
    threads.set(given.session, { agent, run });
    const store = async (amount?: number) => {
        const { values } = await agent.graph.getState(config);
        const { id, tool_calls: calls } = values.messages.at(-1);
        const changed = calls.map((call: any) => ({ ...call, args: {
            ...given.calls[call.id], ...(amount && { amount }) } }));
        if (JSON.stringify(changed) !== JSON.stringify(calls))
            await agent.graph.updateState(config, { messages: [
                new AIMessage({ id, content: "", tool_calls: changed })] });
    };
    if (known)
        await store();
    if (given.changes)
        (client as Changes).change = () => store(5000);
    const { messages } = await invoke(
        agent, known ? null : { messages: [["user", "Refund it."]] }, config,
        { client, wait, about });
    run.heard = messages.filter((one: any) => one.getType() === "tool")
        .map((one: any) => one.content);
}

// --- OpenAI Agents --------------------------------------------------------

class FakeModel implements Model {
    constructor(readonly run: Run) {}

    async getResponse({ input }: ModelRequest): Promise<ModelResponse> {
        const { given } = this.run;
        const results = typeof input === "string" ? []
            : input.filter((one) => one.type === "function_call_result");
        this.run.heard = results.map((one) => JSON.stringify(one.output));
        const output: AgentOutputItem[] = results.length
            ? [{ type: "message", role: "assistant", status: "completed",
                 content: [{ type: "output_text", text: "The end." }] }]
            : Object.entries(given.calls).map(([callId, args]) => ({
                type: "function_call", callId, name: given.tool,
                status: "completed", arguments: JSON.stringify(args) }));
        return { output, usage: new Usage() };
    }

    getStreamedResponse(): never {
        throw new Error("it does not stream");
    }
}

async function openaiAgents(run: Run): Promise<void> {
    setTracingDisabled(true);
    const agent = new Agent({
        name: "refunds", model: new FakeModel(run),
        tools: [agentTool({
            name: run.given.tool, description: "Refunds an order.",
            parameters: schema, strict: true, needsApproval: true,
            execute: async (args) => run.refund(args as Refund) })] });
    let result = await runAgent(agent, "Refund it.");
    while (result.interruptions.length) {
        await answer(result.state, run.asking);
        result = await runAgent(agent, result.state);
    }
}

/** Calls of other kinds than a function's, as a state has them. */
async function openaiItems(run: Run): Promise<void> {
    const agent = new Agent({ name: "refunds" });
    const items = run.given.items!.map((item) =>
        new RunToolApprovalItem(item as never, agent as never));
    await answer({
        getInterruptions: () => items,
        approve: (item) => void run.ran.push(item.rawItem as never),
        reject: (_, { message }) => void run.heard.push(message),
    }, { ...run.asking, about: undefined });
}

const kinds: Record<string, (run: Run) => Promise<void>> = {
    ai_text: aiText, ai_stream: aiStream, ai_wrapped: aiWrapped,
    ai_both: aiBoth,
    ai_generator: aiGenerator, ai6_wrapped: ai6Wrapped, ai6_option: ai6Option,
    ai_items: aiItems, langchain_js: langchainJs,
    openai_agents_js: openaiAgents,
    openai_items_js: openaiItems };

for await (const line of createInterface({ input: process.stdin })) {
    const given = JSON.parse(line) as Given;
    const run = new Run(given);
    let error: string | null = null;
    try {
        await kinds[given.kind]!(run);
    } catch (thrown) {
        error = thrown instanceof Error
            ? `${thrown.name}: ${thrown.message}` : String(thrown);
    }
    const { ran, heard, told } = run;
    console.log(JSON.stringify({ ran, heard, told, error }));
}
