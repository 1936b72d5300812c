/** AI SDK 7: a person approves the tool calls of generateText, streamText and
 * agents.
 *
 *     generateText({ ..., toolApproval: toolApproval() }) */
import { type AdapterOptions, Client, Denied } from "./index.js";

export interface ToolApprovalOptions extends AdapterOptions {
    /** The tools that need an approval; without it all. */
    tools?: readonly string[] | undefined;
}

type Status = { type: "approved" } | { type: "denied"; reason: string };

interface ToolCall {
    toolCall: { toolCallId: string; toolName: string; input: unknown };
}

/** What `toolApproval` takes. A refusal's reason reaches the model. */
export function toolApproval(options: ToolApprovalOptions = {}):
    (call: ToolCall) => Promise<Status | undefined> {
    const { client, tools, about, sessionId = "", ...waiting } = options;
    return async ({ toolCall }) => {
        const { toolCallId, toolName, input } = toolCall;
        if (tools && !tools.includes(toolName))
            return undefined;
        const shown = JSON.stringify(input);
        const args = Object(JSON.parse(shown)) as object;
        try {
            await (client ?? new Client()).approveCall(toolName, args, {
                ...about?.(toolName, args), ...waiting, edit: false,
                callId: `${sessionId}:${toolCallId}` });
        } catch (error) {
            if (!(error instanceof Denied))
                throw error;
            return { type: "denied", reason: error.message };
        }
        return JSON.stringify(toolCall.input) === shown
            ? { type: "approved" }
            : { type: "denied", reason: "The arguments have changed." };
    };
}
