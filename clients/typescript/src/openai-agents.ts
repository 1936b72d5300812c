/** OpenAI Agents: a person approves the tools with `needsApproval`.
 *
 *     let result = await run(agent, input);
 *     while (result.interruptions.length) {
 *         await answer(result.state);
 *         result = await run(agent, result.state);
 *     } */
import { type AdapterOptions, DOUBLED, INEXACT } from "./call.js";
import { Denied } from "./errors.js";
import { carried, Doubled, parse } from "./exact.js";
import { callOf, decided } from "./turn.js";

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
    const found = state.getInterruptions().flatMap((item) => {
        const raw = item.rawItem as RawItem;
        const tool = item.name ?? raw.type ?? "tool", args = argumentsOf(item);
        const { providerData: more } = raw;
        const id = raw.callId || raw.id || more?.itemId || more?.id;
        if (!args || !carried(args)) {
            state.reject(item, { message: args ? INEXACT : DOUBLED });
            return [];
        }
        // Other servers have tools of the same name.
        const server = more?.server_label ?? more?.serverLabel;
        return [{ item, call: callOf(
            tool, args, id, false, options,
            server && `${tool}, at the server ${server}`) }];
    });
    const got = await decided(found.map(({ call }) => call), options.client);
    for (const [n, { item }] of found.entries()) {
        const decision = got[n]!;
        if (decision instanceof Denied)
            state.reject(item, { message: decision.message });
        else
            state.approve(item);
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
