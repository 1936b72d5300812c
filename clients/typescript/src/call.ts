/** A call of a tool, as a person is asked about it, and what may run after the
 * answer. */
import { createHash } from "node:crypto";
import { type Client } from "./client.js";
import { Denied } from "./errors.js";
import { carried, isJson, isObject, ordered, parse } from "./exact.js";
import {
    type Answer, authorized, type Choices, type Question,
} from "./question.js";

/** How a question is asked, and how long its answer is waited for. */
export interface Waiting {
    /** Identifies this request: asked again, also after a restart, it finds
     * the same question. */
    once?: string | undefined;
    /** If `once` finds a yes that is over, or a question that was withdrawn,
     * ask again. */
    anew?: boolean | undefined;
    /** Seconds to wait for an answer; without it until there is one. With 0
     * it is only asked, or looked at. */
    wait?: number | undefined;
    /** Whether the question stays open when `wait` has ended. Without it that
     * of `ask` does; that of a call is withdrawn, since nothing would run any
     * more. */
    keep?: boolean | undefined;
    /** Gives up the waiting, and leaves the question. */
    signal?: AbortSignal | undefined;
    /** Called once with a question that is open, before its answer is waited
     * for: show its `url`. In place of the client's. */
    onAsked?: OnAsked | undefined;
}

/** Is given a question that is open. What it throws ends the waiting. */
export type OnAsked = (answer: Answer) => void | PromiseLike<void>;

/** What `ask` takes. */
export interface AskOptions<C extends Choices = Choices, F = unknown>
    extends Question<C, F>, Waiting {}

/** What `approveCall` takes. */
export interface CallOptions extends Waiting,
    Omit<Question, "kind" | "subject" | "allow_edit"> {
    /** The question; without it `Run TOOL?`. */
    question?: string;
    /** What it is done to. */
    target?: string | undefined;
    /** How far it goes. */
    scope?: string | undefined;
    /** What cannot be undone. */
    consequence?: string | undefined;
    /** The person may change the arguments. */
    edit?: boolean | undefined;
    /** The framework's id of the call. With the tool and its arguments it
     * identifies the request. */
    callId?: string | undefined;
    /** False: only wait for the approval. The same call without it, when the
     * tool runs, uses the approval. */
    use?: boolean | undefined;
}

/** What `requireApproval` takes. The functions get what the function gets. */
export interface ApprovalOptions<
    P extends readonly unknown[] = readonly unknown[],
    M extends "throw" | "return" = "throw">
    extends Omit<CallOptions, "target" | "scope" | "once" | "callId" | "use"> {
    /** The tool's name; without it the function's. */
    name?: string;
    /** What it is done to. */
    target?: string | ((...args: P) => string);
    /** How far it goes. */
    scope?: string | ((...args: P) => string);
    /** Makes what identifies the request. */
    once?: (...args: P) => string | undefined;
    /** What becomes of a `Denied`: it is thrown, or its text is the result,
     * for a framework that tries a tool again where it throws. */
    refusal?: M;
}

/** All that it takes, whatever the function is. */
export type AnyApproval = ApprovalOptions<readonly unknown[],
                                          "throw" | "return">
    & { params?: readonly string[] };

/** The names of a function's arguments. */
export type Names<P extends readonly unknown[]> =
    { readonly [I in keyof P]-?: string };

/** A function of one object that runs after an approval. */
export type Approved<T, A extends object, R> =
    (this: T, args: A, given?: { signal?: AbortSignal }) => Promise<R>;

/** A function of several arguments that runs after an approval. */
export type ApprovedPositional<T, P extends readonly unknown[], R> =
    (this: T, ...args: P) => Promise<R>;

/** What a function gives, or where it is refused its text. */
export type Given<R, M> = M extends "return" ? R | string : R;

/** What the adapters of frameworks take. */
export interface AdapterOptions {
    /** Without it that of the environment. */
    client?: Client | undefined;
    /** Seconds to wait for an answer; without it until there is one. */
    wait?: number | undefined;
    /** Gives up the waiting. */
    signal?: AbortSignal | undefined;
    /** Needed where the ids that the model gives to its calls are not
     * unique. */
    sessionId?: string | undefined;
    /** Members of the question. */
    about?: ((tool: string, args: object) => Partial<CallOptions>) | undefined;
}

/** What identifies a call, for the adapters; nothing where it has no id, so
 * that it is no other call's. */
export function callIdOf(sessionId: string, id: unknown): string | undefined {
    return typeof id === "string" && id.trim()
        ? JSON.stringify([sessionId, id]) : undefined;
}

// What a model hears of a call that nobody is asked about.
export const INEXACT = "A number of this call cannot be carried exactly. It "
    + "does not run. Write it as text.";
export const DOUBLED = "This call has an argument twice. It does not run.";
export const UNSHOWN = "JSON cannot show an argument of this call as it is, so "
    + "nobody could see it. The call does not run.";

/** A call of a tool, as a person is asked about it. */
export class ToolCall {
    /** The question as it is sent. */
    readonly body: string;
    /** What identifies it. */
    readonly once: string | undefined;
    /** The bytes to which the answer is bound. */
    readonly subject: string;
    readonly #edit: boolean;

    constructor(readonly tool: string, args: object, options: CallOptions) {
        // Those before the line break are no members of the question.
        const { once, wait, signal, anew, use, keep, onAsked,
                target, scope, consequence, edit = false, callId,
                question = `Run ${tool}?`, ...more } = options;
        if (!isJson(args) || Array.isArray(args))
            throw new TypeError("The arguments have to be an object of JSON: "
                                + "a person has to see what runs. Write "
                                + "an integer beyond 2^53 as text.");
        const calls = [{ tool, args }];
        // The bytes of the subject are what the answer is for.
        this.subject = ordered({
            action: { name: tool },
            target: target || tool,
            scope_summary: scope || `One call of ${tool}`,
            consequence: consequence ?? "The agent did not say.",
            calls });
        this.#edit = edit;
        const rest = questionOf(question,
                                { ...more, kind: "approval", allow_edit: edit });
        this.body = `${rest.slice(0, -1)},"subject":${this.subject}}`;
        this.once = onceOf(once ?? (callId?.trim()
            ? sha256(ordered([callId, calls])) : undefined));
    }

    /** The arguments that may run after this answer, else `Denied`. */
    approved(answer: Answer): object {
        const { constraints, approved_subject: changed } = answer;
        if (!authorized(answer) || constraints || changed && !this.#edit)
            throw new Denied(answer);
        const subject = changed ?? parse(this.subject);
        const [call, more] = (subject as Subject).calls ?? [];
        if (answer.subject_sha256 !== sha256(this.subject)
            || call?.tool !== this.tool || !isObject(call.args) || more)
            throw new Denied(answer, "The answer is for another call.");
        if (!carried(call.args))
            throw new Denied(answer, "The approved arguments have a number "
                             + "that cannot be carried exactly.");
        return call.args;
    }

    /** What identifies the use of the approval. The same call again is the
     * same use, for a short time. */
    operation(once: string | undefined): string | undefined {
        return once && sha256(JSON.stringify([once, this.subject]));
    }
}

interface Subject {
    calls?: { tool?: string; args?: unknown }[];
}

/** A question as it is sent. The members are in the order of their names, so
 * that the same question has the same bytes; but a form keeps its order. */
export function questionOf(question: string, { form, ...more }: Question
                           ): string {
    const body = ordered({ question, ...more });
    return form === undefined ? body
        : `${body.slice(0, -1)},"form":${JSON.stringify(form)}}`;
}

/** What identifies a request, as a header: it takes no other characters, and
 * no more than `most`. */
export function onceOf(text: string | undefined, most = 255
                       ): string | undefined {
    if (!text?.trim())
        return undefined;
    return /^[!-~]+$/.test(text) && text.length <= most
        && !text.startsWith("sha256:")
        ? text : `sha256:${sha256(JSON.stringify(text))}`;
}

/** What identifies the request once this answer to it is over. */
export function after(once: string, answer: Answer): string {
    return `sha256:${sha256(JSON.stringify([once, answer.id]))}`;
}

function sha256(data: string): string {
    return createHash("sha256").update(data).digest("hex");
}

// --- Functions ------------------------------------------------------------

/** Between the arguments of a function and those that a person sees. */
export class Signature<P extends readonly unknown[]> {
    /** @param tool - The name of the tool.
     * @param params - The names of the arguments, or nothing where the one
     * argument is the object.
     * @param arity - How many the function has. */
    constructor(readonly tool: string,
                readonly params: readonly string[] | undefined,
                arity: number) {
        if (!tool)
            throw new TypeError("The function needs a name.");
        if (!params && arity > 1)
            throw new TypeError(`${tool} takes several arguments. Give their `
                                + "names in `params`.");
        if (params && (params.length < arity
                       || new Set(params).size < params.length))
            throw new TypeError(`${tool} needs a name for each argument in `
                                + "`params`.");
    }

    /** The arguments as a person sees them. */
    shown(args: P): object {
        const { params } = this;
        if (!params)
            return args[0] as object;
        if (args.length > params.length)
            throw new TypeError(`${this.tool} takes ${params.length} `
                                + "arguments.");
        return Object.fromEntries<unknown>(
            args.map((one, n) => [params[n]!, one]));
    }

    /** The arguments as the function takes them. */
    taken(args: object): P {
        const { params } = this;
        if (!params)
            return [args] as unknown as P;
        const more = Object.keys(args).filter((one) => !params.includes(one));
        if (more.length)
            throw new TypeError(`${this.tool} does not take ${
                more.join(", ")}, which was approved.`);
        const given = args as Record<string, unknown>;
        return params.map((one) => given[one]) as unknown as P;
    }
}
