/** What test_client_typescript.py has the package do. Reads one JSON object a
 * line and answers with one. */
import { createInterface } from "node:readline";
import { inspect } from "node:util";
import {
    Answer, ApiError, Client, Denied, ExactNumber, SaysoError, ask,
    requireApproval, verifyWebhook, type ApprovalOptions, type AskOptions,
} from "sayso-client";

interface Refund {
    order: string;
    amount?: number;
    tags?: string[];
}

interface Given {
    do: string;
    url: string;
    key: string;
    question: string;
    options: AskOptions;
    approval: ApprovalOptions<[Refund]> & { name: string };
    args: Refund;
    /** The call is given up once it waits for its answer. */
    abort?: boolean;
    named?: boolean;
    push: [string, Record<string, string>, string];
    agent?: string;
    operation?: string;
    file: [string, string];
    tool: string;
    call: object;
}

function clientOf({ url, key, agent = "refunds-agent" }: Given): Client {
    return new Client({ url, key, agent });
}

function signalOf({ abort }: Given): { signal?: AbortSignal } {
    if (!abort)
        return {};
    const stop = new AbortController(), real = globalThis.fetch;
    globalThis.fetch = (address, options) => {
        const response = real(address, options);
        if (options?.method !== "POST") {
            globalThis.fetch = real;
            stop.abort(new Error("no time left"));
        }
        return response;
    };
    return { signal: stop.signal };
}

function told(answer: Answer) {
    const { raw, id, approved, over, pending, value, reason, state } = answer;
    return { raw, id, approved, over, pending, value, reason, state };
}

async function refund(given: Given) {
    const ran: Refund[] = [];
    const run = clientOf(given).requireApproval(
        (args: Refund) => {
            ran.push(args);
            return "done" as const;
        }, {
            ...given.approval, target: ({ order }) => `order ${order}`,
            ...(given.named ? { once: ({ order }: Refund) =>
                `${given.approval.name}:${order}` } : {}) });
    try {
        const waits = run(given.args, signalOf(given));
        given.args.tags?.push("added while it waits");
        const result: "done" = await waits;
        return { ran, result };
    } catch (error) {
        return { ran, ...failed(error) };
    }
}

async function badArguments(given: Given) {
    class Thing {}
    const cyclic: { self?: object } = {};
    cyclic.self = cyclic;
    const run = clientOf(given).requireApproval((_: object) => 0,
                                                { name: "bad" });
    return await Promise.all(
        [{ x: new Thing() }, { x: new Date(0) }, { x: NaN }, { x: () => 0 },
         { x: [undefined] }, { x: 1n }, { [Symbol("x")]: 1 }, [1], cyclic]
            .map(async (args) => {
                try {
                    await run(args);
                    return "ran";
                } catch (error) {
                    return (error as Error).name;
                }
            }));
}

async function module(given: Given) {
    process.env["SAYSO_URL"] = given.url;
    process.env["SAYSO_AGENT_KEY"] = given.key;
    process.env["SAYSO_AGENT"] = "refunds-agent";
    async function double({ x }: { x: number }): Promise<number> {
        return 2 * x;
    }
    const doubled: number = await requireApproval(
        double, { question: given.question })({ x: 21 });
    return { doubled, ...told(await ask("x?", { wait: 0 })) };
}

function failed(error: unknown) {
    if (!(error instanceof Error))
        return { error: String(error) };
    return {
        error: error.name, message: error.message,
        known: error instanceof SaysoError ? [error.name] : [],
        ...(error instanceof ApiError
            ? { status: error.status, code: error.code, at: error.at } : {}),
        ...(error instanceof Denied ? {
            id: error.answer.id, code: error.code, over: error.over } : {}),
        whole: inspect(error, { depth: 9, showHidden: true }) };
}

const todo: Record<string, (given: Given) => unknown> = {
    ask: async (given) => told(await clientOf(given).ask(
        given.question, { ...given.options, ...signalOf(given) })),
    use: async (given) => {
        const client = clientOf(given), { operation } = given;
        const answer = await client.ask(given.question, given.options);
        const used = await client.use(answer, { ...(operation === undefined
            ? {} : { operation }) }).then(() => "yes", failed);
        return { answer: told(answer), used };
    },
    upload: async (given) => {
        const client = clientOf(given), [data, type] = given.file;
        const ref = await client.upload(data, type);
        const { id } = await client.ask(given.question, {
            wait: 0, evidence: [{ title: "The log", ref }] });
        const same = await client.upload(new TextEncoder().encode(data), type);
        return { id, ref, same: same === ref };
    },
    refund, badArguments, module,
    approve: async (given) => await clientOf(given).approveCall(
        given.tool, given.call, given.options),
    webhook: ({ push: [body, headers, secret] }) =>
        [verifyWebhook(body, headers, secret),
         verifyWebhook(Buffer.from(body), new Headers(headers), secret)] };

/** JSON, in which what it has no type for can be seen. */
function written(value: unknown): string {
    return JSON.stringify(value, (_, part: unknown) =>
        typeof part === "bigint" ? { bigint: String(part) }
        : part instanceof ExactNumber ? { exact: part.text } : part);
}

for await (const line of createInterface({ input: process.stdin })) {
    const given = JSON.parse(line) as Given;
    try {
        console.log(written(await todo[given.do]!(given)));
    } catch (error) {
        console.log(written(failed(error)));
    }
}
