/** OpenAI Agents: a person approves the tools with `needsApproval`.
 *
 *     let result = await run(agent, input);
 *     while (result.interruptions.length) {
 *         await answer(result.state);
 *         result = await run(agent, result.state);
 *     } */
import { randomUUID } from "node:crypto";
import { type AdapterOptions, callIdOf, DOUBLED, INEXACT } from "./call.js";
import { environment } from "./client.js";
import { Denied } from "./errors.js";
import { carried, Doubled, parse } from "./exact.js";

interface State<Item> {
    getInterruptions(): Item[];
    approve(item: Item): void;
    reject(item: Item, options: { message: string }): void;
}

interface ApprovalItem {
    name?: string | undefined;
    arguments?: string | undefined;
    rawItem: object;
}

/** What the items of the different kinds of tools have. */
interface RawItem {
    type?: string;
    callId?: string;
    id?: string;
    providerData?: { itemId?: string; id?: string; server_label?: string;
                     serverLabel?: string } | undefined;
}

/** Approves or rejects every call that a state waits for. The state runs no
 * other call under the same id. */
export async function answer<Item extends ApprovalItem>(
    state: State<Item>, options: AdapterOptions = {}): Promise<void> {
    const { client = environment(), about, sessionId = "", ...waiting }
        = options;
    const asked = await Promise.all(state.getInterruptions().map(async (
        item) => {
        const raw = item.rawItem as RawItem;
        const tool = item.name ?? raw.type ?? "tool", args = argumentsOf(item);
        const { providerData: more } = raw;
        const id = raw.callId || raw.id || more?.itemId || more?.id;
        if (!args || !carried(args)) {
            state.reject(item, { message: args ? INEXACT : DOUBLED });
            return undefined;
        }
        // Other servers have tools of the same name.
        const server = more?.server_label ?? more?.serverLabel;
        const call = { target: server && `${tool}, at the server ${server}`,
                       keep: waiting.wait === 0, ...about?.(tool, args),
                       ...waiting, edit: false,
                       callId: callIdOf(sessionId, id) ?? randomUUID() };
        const may = (use: boolean) => allowed(state, item, () =>
            client.approveCall(tool, args, { ...call, use }));
        return await may(false) ? { item, may } : undefined;
    }));
    // None runs before all have their answer.
    for (const one of asked)
        if (one && await one.may(true))
            state.approve(one.item);
}

/** Whether the call is approved; if it is not, it is rejected. */
async function allowed<Item>(state: State<Item>, item: Item,
                             approve: () => Promise<object>
                             ): Promise<boolean> {
    try {
        await approve();
        return true;
    } catch (error) {
        if (!(error instanceof Denied))
            throw error;
        state.reject(item, { message: error.message });
        return false;
    }
}

/** What a person is shown of a call: its arguments, or where it has none, such
 * as the call of a shell, all of it. Undefined where an argument stands there
 * twice: nobody knows which one would run. */
function argumentsOf({ arguments: text, rawItem }: ApprovalItem
                     ): object | undefined {
    if (text === undefined)
        return JSON.parse(JSON.stringify(rawItem)) as object;
    let args: unknown = text;
    try {
        args = parse(text || "{}");
    } catch (error) { // other text is shown as it is
        if (error instanceof Doubled)
            return undefined;
    }
    return typeof args === "object" && args !== null && !Array.isArray(args)
        ? args : { input: args };
}
