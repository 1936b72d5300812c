/** OpenAI Agents: a person approves the tools with `needsApproval`.
 *
 *     let result = await run(agent, input);
 *     while (result.interruptions.length) {
 *         await answer(result.state);
 *         result = await run(agent, result.state);
 *     } */
import { type AdapterOptions, Client, Denied } from "./index.js";

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

/** Approves or rejects every call that a state waits for. The state runs no
 * other call under the same id. */
export async function answer<Item extends ApprovalItem>(
    state: State<Item>, options: AdapterOptions = {}): Promise<void> {
    const { client = new Client(), about, sessionId = "", ...waiting }
        = options;
    await Promise.all(state.getInterruptions().map(async (item) => {
        const tool = item.name ?? "tool", args = argumentsOf(item.arguments);
        const { callId } = item.rawItem as { callId?: string };
        try {
            await client.approveCall(tool, args, {
                ...about?.(tool, args), ...waiting, edit: false,
                callId: `${sessionId}:${callId}` });
            state.approve(item);
        } catch (error) {
            if (!(error instanceof Denied))
                throw error;
            state.reject(item, { message: error.message });
        }
    }));
}

function argumentsOf(text = "{}"): object {
    let args: unknown = text;
    try {
        args = JSON.parse(text);
    } catch {
        // It is shown as it is.
    }
    return typeof args === "object" && args !== null && !Array.isArray(args)
        ? args : { input: args };
}
