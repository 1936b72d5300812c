/** The calls of one turn of a model, as an adapter has them decided. */
import { randomUUID } from "node:crypto";
import {
    type AdapterOptions, type CallOptions, callIdOf, type OnAsked,
} from "./call.js";
import { type Client, environment } from "./client.js";
import { Denied } from "./errors.js";

/** A call that waits for a decision. */
export interface Call {
    /** The tool. */
    readonly tool: string;
    /** Its arguments. */
    readonly args: object;
    /** What a person is asked. */
    readonly options: CallOptions;
}

/** A call, and what a person is asked about it. `sessionId` and `id` identify
 * it; without an id it is a new question.
 * @param edit - Whether it can run with other arguments.
 * @param target - What it is done to, if `about` does not say so. */
export function callOf(tool: string, args: object, id: unknown, edit: boolean,
                       { about, sessionId = "", client: _, ...waiting }:
                       AdapterOptions, target?: string): Call {
    return { tool, args, options: {
        target, keep: waiting.wait === 0, ...about?.(tool, args), ...waiting,
        edit, callId: callIdOf(sessionId, id) ?? randomUUID() } };
}

/** Tells of each question once, however often it is looked at. */
function once(tell: OnAsked | undefined): OnAsked {
    const told = new Set<string>();
    return async (answer) => {
        if (told.has(answer.id))
            return;
        told.add(answer.id);
        await tell?.(answer);
    };
}

/** The arguments with which each call may run now, or why it may not. None may
 * run before all have their answer, and each yes is used then. They are asked
 * in their order, before one is waited for.
 * @throws where a person cannot be asked: none may run. */
export async function decided(given: readonly Call[],
                              client: Client = environment()
                              ): Promise<(object | Denied)[]> {
    const calls = given.map(({ options, ...call }) => ({
        ...call, options: { ...options, onAsked: once(
            options.onAsked ?? client.onAsked) } }));
    const decide = async ({ tool, args, options }: Call,
                          more: CallOptions): Promise<object> => {
        try {
            return await client.approveCall(tool, args, { ...options,
                                                          ...more });
        } catch (error) {
            if (error instanceof Denied)
                return error;
            throw error;
        }
    };
    if (calls.length > 1)
        for (const call of calls)
            await decide(call, { wait: 0, keep: true, use: false });
    const got = await Promise.all(calls.map((call) =>
        decide(call, { use: false })));
    for (const [n, call] of calls.entries())
        if (!(got[n] instanceof Denied))
            got[n] = await decide(call, {});
    return got;
}
