/** Claude Agent SDK: a person decides before each tool.
 *
 *     query({ prompt, options: { hooks: gate("Bash|Write|Edit") } }) */
import { type AdapterOptions, callIdOf } from "./call.js";
import { environment } from "./client.js";
import { Denied } from "./errors.js";
import { isObject } from "./exact.js";

const WAIT = 86_000; // seconds, about a day
const MOST = 2_000_000; // seconds; the timer of a client has an end
const REST = 400; // seconds that the client waits longer

/** What `gate` takes. Without `sessionId` it is the client's. */
export interface GateOptions extends AdapterOptions {
    /** Whether the person may change the arguments; without it true. */
    edit?: boolean | undefined;
}

/** What a hook is given. */
export interface GateEvent {
    /** Which event it is. */
    hook_event_name: string;
    /** The tool. */
    tool_name?: unknown;
    /** Its arguments. */
    tool_input?: unknown;
    /** The session of the client. */
    session_id?: string;
}

/** What a hook gives back. */
export interface GateOutput {
    /** The decision. */
    hookSpecificOutput: {
        hookEventName: "PreToolUse";
        permissionDecision: "allow" | "deny";
        permissionDecisionReason?: string;
        updatedInput?: Record<string, unknown>;
    };
}

/** A hook of the SDK. */
export type GateHook = (event: GateEvent, callId: string | undefined,
                        given?: { signal?: AbortSignal }
                        ) => Promise<GateOutput>;

/** The hooks of an agent. */
export interface GateHooks {
    /** The one before each tool. */
    PreToolUse: [{
        matcher?: string;
        hooks: [GateHook];
        timeout: number;
        onFailure: "block";
    }];
}

/** Hooks for the options of the SDK. A tool runs after an approval of exactly
 * that call; everything else, also an error and the end of the time, is a no
 * with its reason.
 * @param matcher - The tools, as the SDK writes them; without it all. */
export function gate(matcher?: string, options: GateOptions = {}): GateHooks {
    const wait = Math.min(options.wait ?? WAIT, MOST);
    const hook: GateHook = async (event, callId, given) => {
        try {
            return said("allow", { updatedInput: await approved(
                event, callId, { signal: given?.signal, ...options, wait }) });
        } catch (no) {
            return said("deny", { permissionDecisionReason: reason(no) });
        }
    };
    return { PreToolUse: [{
        ...(matcher !== undefined && { matcher }), hooks: [hook],
        timeout: wait + REST, onFailure: "block" }] };
}

async function approved(
    { hook_event_name, tool_name: tool, tool_input: args, session_id }:
    GateEvent, callId: string | undefined,
    { client = environment(), about, sessionId = session_id ?? "", edit = true,
      ...waiting }: GateOptions): Promise<Record<string, unknown>> {
    if (hook_event_name !== "PreToolUse" || typeof tool !== "string"
        || !isObject(args))
        throw new TypeError("This event is not the call of a tool.");
    return client.approveCall(tool, args as Record<string, unknown>, {
        ...about?.(tool, args), ...waiting, edit,
        callId: callIdOf(sessionId, callId) });
}

function said(permissionDecision: "allow" | "deny",
              more: Partial<GateOutput["hookSpecificOutput"]>): GateOutput {
    return { hookSpecificOutput: {
        hookEventName: "PreToolUse", permissionDecision, ...more } };
}

function reason(no: unknown): string {
    return no instanceof Denied ? no.message
        : `No person could be asked, so it does not run. ${String(no)}`;
}
