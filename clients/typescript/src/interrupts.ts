/** The interrupts of LangChain's `humanInTheLoopMiddleware`. */
import { type AdapterOptions } from "./call.js";
import { Denied } from "./errors.js";
import { isObject, ordered } from "./exact.js";
import { type Call, callOf, decided } from "./turn.js";

/** What `invoke` takes. The session is the thread of the agent. */
export type InvokeOptions = Omit<AdapterOptions, "sessionId">;

/** The part of an agent that is used here. */
export interface Invocable {
    /** Runs a turn. */
    invoke(input: never, config?: never): Promise<unknown>;
}

/** What an agent's `invoke` takes as its input. */
export type InputOf<A extends Invocable> = Parameters<A["invoke"]>[0] | null;

/** What an agent's `invoke` takes after it. */
export type ConfigOf<A extends Invocable> = Parameters<A["invoke"]>[1];

/** What an agent's `invoke` gives. */
export type ResultOf<A extends Invocable> = Awaited<ReturnType<A["invoke"]>>;

/** `agent.invoke`, in which a person decides about the calls of tools. It goes
 * on until none waits for an approval. `null` in place of the input goes on
 * where the thread was. Interrupts of another kind are in the result, as
 * ever. */
export type Invoke = <A extends Invocable>(
    agent: A, input: InputOf<A>, config: ConfigOf<A>, options?: InvokeOptions,
) => Promise<ResultOf<A>>;

/** That function. An agent takes no class but that of its own LangGraph, and
 * those of the two kinds of modules are two. */
export function invokeWith(
    Command: new (given: { resume: Record<string, unknown> }) => unknown
): Invoke {
    return async <A extends Invocable>(
        agent: A, input: InputOf<A>, config: ConfigOf<A>,
        options: InvokeOptions = {}): Promise<ResultOf<A>> => {
        const { configurable } = Object(config) as { configurable?: object };
        const { thread_id: thread } = Object(configurable) as {
            thread_id?: unknown };
        for (let given: unknown = input;;) {
            const result = await agent.invoke(given as never, config);
            const found = interrupts(result);
            if (!found.length)
                return result as ResultOf<A>;
            const calls = found.flatMap((one) => callsOf(one, thread, options));
            const got = await decided(calls, options.client);
            given = new Command({ resume: Object.fromEntries(found.map((one) =>
                [one.id, { decisions: one.actions.map((action) =>
                    decision(action, got.shift()!)) }])) });
        }
    };
}

// --- The interrupts ---------------------------------------------------------

/** A call, and what may be decided about it. */
interface Action {
    readonly name: string;
    readonly args: object;
    readonly allowed: readonly string[];
}

/** An interrupt whose calls may all be approved. */
interface Found {
    readonly id: string;
    readonly actions: readonly Action[];
}

interface Request {
    actionRequests?: { name: string; args: object }[];
    reviewConfigs?: { allowedDecisions: string[] }[];
}

/** The other ones are left to the caller. */
function interrupts(result: unknown): Found[] {
    const { __interrupt__: all = [] } = Object(result) as {
        __interrupt__?: { id?: string; value?: unknown }[] };
    return all.flatMap(({ id, value }) => {
        const { actionRequests = [], reviewConfigs = [] }
            = Object(value) as Request;
        const actions = actionRequests.map(({ name, args }, n) => ({
            name, args, allowed: reviewConfigs[n]?.allowedDecisions ?? [] }));
        return id !== undefined && actions.length > 0 && actions.every(
            ({ args, allowed }) => isObject(args)
                && allowed.includes("approve")) ? [{ id, actions }] : [];
    });
}

function callsOf({ id, actions }: Found, thread: unknown,
                 options: InvokeOptions): Call[] {
    // Without a thread nothing identifies a call after a restart.
    return actions.map(({ name, args, allowed }, n) => callOf(
        name, args, typeof thread === "string" ? `${id} ${n}` : undefined,
        allowed.includes("edit"), {
            ...options,
            ...(typeof thread === "string" && { sessionId: thread }) }));
}

function decision({ name, args, allowed }: Action, got: object | Denied
                  ): object {
    if (got instanceof Denied) {
        // "reject" says that the user did; silence is not that.
        const silent = got.answer.state !== "resolved"
            && allowed.includes("respond");
        return { type: silent ? "respond" : "reject", message: got.message };
    }
    return ordered(got) === ordered(args) ? { type: "approve" }
        : { type: "edit", editedAction: { name, args: got } };
}
