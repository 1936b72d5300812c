/** AI SDK: a person approves the tool calls of generateText, streamText and
 * agents.
 *
 *     generateText({ ..., tools: approved(tools) })
 *     generateText({ ..., ...approvals(tools) })
 *     generateText({ ..., tools, toolApproval: toolApproval() })
 *
 * The first wraps the tools, and so holds in every version. The last is an
 * option of version 7, which older ones ignore. The second is both of them: the
 * option asks, and what is wrapped uses the yes just before the tool runs. */
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type AdapterOptions, callIdOf, INEXACT, UNSHOWN } from "./call.js";
import { environment } from "./client.js";
import { Denied } from "./errors.js";
import { carried, isJson, isObject } from "./exact.js";

/** What `toolApproval` and `approvals` take. */
export interface ToolApprovalOptions extends AdapterOptions {
    /** The tools that need an approval; without it all. */
    tools?: readonly string[] | undefined;
}

/** What `approved` takes. */
export interface ApprovedOptions extends ToolApprovalOptions {
    /** The person may change the arguments. */
    edit?: boolean | undefined;
}

// --- In every version -----------------------------------------------------

/** What an `execute` is given beside its input. */
interface Execution {
    toolCallId?: string;
    /** Where Mastra has it. */
    agent?: { toolCallId?: string } | undefined;
    abortSignal?: AbortSignal | undefined;
}

interface Executed {
    execute(input: object, execution?: Execution): unknown;
}

/** The tools, each of which runs after an approval of exactly that call, else
 * its `execute` throws `Denied`. A tool that is not executed here cannot be
 * held back here: that is a TypeError. */
export function approved<Tools extends object>(
    tools: Tools, options: ApprovedOptions = {}): Tools {
    const { tools: names = Object.keys(tools), ...asking } = options;
    const made = Object.fromEntries<unknown>(Object.entries(tools));
    for (const name of names) {
        const tool = made[name] as Partial<Executed> | undefined;
        if (typeof tool?.execute !== "function")
            throw new TypeError(`The tool "${name}" has no execute: it cannot `
                                + "be held back here.");
        made[name] = guarded(name, tool as Executed, asking);
    }
    return made as Tools;
}

function guarded(name: string, tool: Executed, options: ApprovedOptions
                 ): Executed {
    const { client, about, sessionId = "", edit = false, ...waiting }
        = options;
    const execute: Executed["execute"] = async (input, execution) => {
        const args = await (client ?? environment()).approveCall(name, input, {
            signal: execution?.abortSignal, ...about?.(name, input),
            ...waiting, edit, callId: callIdOf(
                sessionId, execution?.toolCallId
                    ?? execution?.agent?.toolCallId) });
        const result = await tool.execute(args, execution);
        return isIterable(result) ? last(result) : result;
    };
    const same = Object.create(Object.getPrototypeOf(tool) as object) as object;
    return Object.assign(same, tool, { execute });
}

function isIterable(value: unknown): value is AsyncIterable<unknown> {
    return typeof value === "object" && value !== null
        && Symbol.asyncIterator in value;
}

/** A tool may tell of its progress; the last part is its result. */
async function last(parts: AsyncIterable<unknown>): Promise<unknown> {
    let result: unknown;
    for await (const part of parts)
        result = part;
    return result;
}

// --- In version 7 ---------------------------------------------------------

type Status = { type: "approved" } | { type: "denied"; reason: string };

interface ToolCall {
    toolCall: { toolCallId: string; toolName: string; input: unknown };
}

/** What `toolApproval` takes. A refusal's reason reaches the model. The yes is
 * used when it is given. It throws where the installed `ai` is older than 7, or
 * is not found. */
export function toolApproval(options: ToolApprovalOptions = {}): Asking {
    refuseOld();
    return asking(options, true);
}

/** The wrapped tools and the option together: the option asks, and the yes is
 * used when the tool runs. An older version ignores the option, and the tools
 * ask. */
export function approvals<Tools extends object>(
    tools: Tools, options: ToolApprovalOptions = {}
): { tools: Tools; toolApproval: Asking } {
    const named = { ...options, tools: options.tools ?? Object.keys(tools) };
    return { tools: approved(tools, named),
             toolApproval: asking(named, false) };
}

type Asking = (call: ToolCall) => Promise<Status | undefined>;

function asking(options: ToolApprovalOptions, use: boolean): Asking {
    const { client, tools, about, sessionId = "", ...waiting } = options;
    return async ({ toolCall }) => {
        const { toolCallId, toolName, input } = toolCall;
        if (tools && !tools.includes(toolName))
            return undefined;
        if (!isObject(input) || !isJson(input))
            return { type: "denied",
                     reason: carried(input) ? UNSHOWN : INEXACT };
        const shown = JSON.stringify(input);
        const args = JSON.parse(shown) as object;
        try {
            await (client ?? environment()).approveCall(toolName, args, {
                keep: waiting.wait === 0, ...about?.(toolName, args),
                ...waiting, edit: false, use,
                callId: callIdOf(sessionId, toolCallId) });
        } catch (error) {
            if (!(error instanceof Denied))
                throw error;
            return { type: "denied", reason: error.message };
        }
        return isJson(toolCall.input)
            && JSON.stringify(toolCall.input) === shown
            ? { type: "approved" }
            : { type: "denied", reason: "The arguments have changed." };
    };
}

/** An older version ignores the option, and runs every tool. */
function refuseOld(): void {
    const found = [__filename, process.argv[1] ?? "",
                   join(process.cwd(), "x")].flatMap(installed);
    const old = found.find((version) => !(parseInt(version) >= 7));
    if (old !== undefined || !found.length)
        throw new Error(`toolApproval needs ai 7 or newer, and ${
            old === undefined ? "none is found" : `${old} ignores it`
        }. Wrap the tools instead: tools: approved(tools).`);
}

/** The version of `ai` that a file gets. */
function installed(file: string): string[] {
    for (let at = file; at !== dirname(at);) {
        at = dirname(at);
        const told = join(at, "node_modules/ai/package.json");
        if (existsSync(told))
            return [(JSON.parse(readFileSync(told, "utf8")) as
                { version: string }).version];
    }
    return [];
}
