/** Ask a person before an AI agent acts. See README.md. */
import {
    createHash, createHmac, randomUUID, timingSafeEqual,
} from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";

const HOLD = 50; // seconds that the server holds a read
const PAUSE = 2; // seconds before a call is tried again
const BUSY = [429, 502, 503, 504]; // answers after which it is tried again
const SKEW = 300; // seconds between two clocks

// --- What is asked, and what comes back -----------------------------------

export type Severity = "low" | "medium" | "high" | "critical";

export interface Choice {
    value: string;
    label?: string;
    description?: string;
    style?: "primary" | "danger" | "default";
    effect?: "authorize" | "authorize_modified" | "veto" | "stop_task"
        | "request_changes" | "answer" | "decline" | "accept" | "none";
    reason?: "optional" | "required" | "none";
    metadata?: object;
}

/** Members of a question, as the API names them: docs/agents.md. */
export interface Members {
    title?: string;
    explanation?: string;
    severity?: Severity;
    context?: object;
    kind?: string;
    subject?: object;
    evidence?: readonly object[];
    artifacts?: readonly object[];
    responder?: object;
    supersedes?: string;
    allow_edit?: boolean;
    response_type?: "choice" | "confirm" | "text" | "form";
    choices?: readonly (string | Choice)[];
    form?: object;
    timeout_seconds?: number;
    fallback_policy?: "fail" | "complete_with_fallback"
        | "use_default_and_continue";
    fallback_value?: unknown;
    retry_policy?: object;
    on_reject?: "resume" | "abandon";
    channel_hint?: string;
    intent_id?: string;
    intent?: object;
}

export interface Waiting {
    /** Identifies this request: asked again, it finds the same question. */
    once?: string | undefined;
    /** Seconds to wait for an answer; without it until there is one. */
    wait?: number | undefined;
    signal?: AbortSignal | undefined;
}

export interface AskOptions extends Members, Waiting {}

/** A question, as the server tells of it. */
export interface Suspension {
    readonly suspension_id: string;
    readonly url: string;
    readonly state: "pending" | "resolved" | "expired" | "cancelled";
    readonly outcome: string | null;
    readonly value: unknown;
    readonly modified: boolean;
    readonly reason: string | null;
    readonly constraints: object | null;
    readonly subject_sha256: string | null;
    readonly approved_subject: unknown;
    readonly responded_by: string | null;
    readonly audit_summary: string | null;
    readonly [member: string]: unknown;
}

export class Answer {
    constructor(readonly raw: Suspension) {}

    get id(): string { return this.raw.suspension_id; }
    get url(): string { return this.raw.url; }
    get state(): Suspension["state"] { return this.raw.state; }
    get outcome(): string | null { return this.raw.outcome; }
    get value(): unknown { return this.raw.value; }
    get reason(): string | null { return this.raw.reason; }
    get constraints(): object | null { return this.raw.constraints; }
    get pending(): boolean { return this.raw.state === "pending"; }

    /** A yes to exactly what was asked: without limits, not edited. */
    get approved(): boolean {
        return authorized(this) && !this.raw.modified
            && !this.raw.constraints && !this.raw.approved_subject;
    }
}

/** A yes, perhaps to something else than what was asked. */
function authorized({ raw }: Answer): boolean {
    return raw.state === "resolved" && raw.outcome === "authorized";
}

// --- Errors ---------------------------------------------------------------

/** The server refused: `code` says why, `at` where. */
export class SaysoError extends Error {
    override name = "SaysoError";
    readonly code: string;
    readonly at: string;

    constructor(readonly status: number,
                readonly body: Readonly<Record<string, unknown>>) {
        super(`${body["code"] ?? ""}: ${body["detail"] ?? ""}`);
        this.code = String(body["code"] ?? "");
        this.at = String(body["at"] ?? "");
    }
}

/** The server could not be asked. */
export class Unreachable extends Error {
    override name = "Unreachable";
}

/** The message is not from the server, or too old. */
export class InvalidSignature extends Error {
    override name = "InvalidSignature";
}

/** Nobody said yes; `answer` has the question. */
export class Denied extends Error {
    override name = "Denied";

    constructor(readonly answer: Answer, said = refusal(answer)) {
        super(said);
    }
}

/** Why a call does not run, worded for a model as well. */
function refusal({ raw }: Answer): string {
    if (raw.state === "pending" || raw.state === "expired")
        return "Nobody answered in time. That is not a yes.";
    if (raw.state === "cancelled")
        return "The question was withdrawn.";
    if (raw.outcome === "authorized" && raw.constraints)
        return `Approved only within limits: ${
            JSON.stringify(raw.constraints)}. Ask again for a call within `
            + "them.";
    if (raw.outcome === "authorized" && raw.approved_subject)
        return "Approved only with changes. Ask again for what was approved.";
    return raw.reason || raw.audit_summary || "Nobody said yes.";
}

// --- The server -----------------------------------------------------------

export interface ClientOptions {
    url?: string | undefined;
    key?: string | undefined;
    agent?: string | undefined;
}

interface Call extends Waiting {
    body: string;
}

/** A server, a key, and the agent that asks. */
export class Client {
    readonly url: string;
    readonly #headers: Record<string, string>;

    constructor({ url, key, agent }: ClientOptions = {}) {
        this.url = (url ?? environment("SAYSO_URL")).replace(/\/+$/, "");
        this.#headers = {
            Authorization: `Bearer ${key ?? environment("SAYSO_AGENT_KEY")}`,
        };
        agent ??= process.env["SAYSO_AGENT"];
        if (agent)
            this.#headers["X-Agent-ID"] = agent;
    }

    /** Asks, and waits for the answer. */
    async ask(question: string, options: AskOptions = {}): Promise<Answer> {
        const { once, wait, signal, ...more } = options;
        const body = JSON.stringify({ question, ...more });
        return this.#answer({ body, once, wait, signal });
    }

    /** The arguments with which a call of a tool may run, once a person has
     * approved it: `args` as they were shown, or with `edit` what the person
     * made of them. Anything else is `Denied`. */
    async approveCall<A extends object>(tool: string, args: A,
                                        options: CallOptions = {}
                                        ): Promise<A> {
        const call = new ToolCall(tool, args, options);
        const { wait, signal } = options;
        const { body, once } = call;
        return call.approved(
            await this.#answer({ body, once, wait, signal })) as A;
    }

    /** The function, which then runs after an approval of exactly this call,
     * else `Denied` is thrown. Its one argument is an object of JSON. */
    requireApproval<A extends object, R>(
        run: (args: A) => R | PromiseLike<R>,
        options: ApprovalOptions<A> = {},
    ): Approved<A, R> {
        const { name, target, scope, once, ...more } = options;
        const tool = name ?? run.name;
        if (!tool)
            throw new TypeError("The function needs a name.");
        return async (args, given = {}) => await run(
            await this.approveCall(tool, args, {
                ...more, ...given, target: text(target, args),
                scope: text(scope, args), once: once?.(args) }));
    }

    async #answer(call: Call): Promise<Answer> {
        const end = performance.now() + (call.wait ?? Infinity) * 1000;
        const asked = await this.#sent("/api/v1/suspensions", end, call);
        if (!asked)
            throw new Unreachable("The server is away or busy.");
        let answer = new Answer(asked);
        const path = `/api/v1/suspensions/${answer.id}`;
        for (;;) {
            const left = (end - performance.now()) / 1000;
            const hold = Math.max(0, Math.ceil(Math.min(HOLD, left)));
            const read = await this.#sent(`${path}?wait=${hold}`, end,
                                          { signal: call.signal });
            answer = read ? new Answer(read) : answer;
            if (!answer.pending || left <= 0)
                return answer;
        }
    }

    /** The body of the answer; tried again while the server is away. Nothing
     * where it still is at the end. */
    async #sent(path: string, end: number, call: Partial<Call>
                ): Promise<Suspension | undefined> {
        let first = call.body !== undefined;
        const once = call.once ?? randomUUID();
        for (;;) {
            call.signal?.throwIfAborted();
            const got = await this.#fetched(path, once, call);
            call.signal?.throwIfAborted();
            let pause = PAUSE;
            if (got instanceof Error) {
                if (first)
                    throw new Unreachable(String(got.cause ?? got),
                                          { cause: got });
            } else if (BUSY.includes(got.status)) {
                pause = Number(got.after ?? PAUSE) || PAUSE;
            } else if (got.status >= 200 && got.status < 300) {
                return JSON.parse(got.text) as Suspension;
            } else {
                throw new SaysoError(got.status, problem(got.text));
            }
            first = false;
            if (performance.now() + pause * 1000 > end)
                return undefined;
            await sleep(pause * 1000, undefined, { signal: call.signal })
                .catch(() => call.signal?.throwIfAborted());
        }
    }

    async #fetched(path: string, once: string, call: Partial<Call>) {
        const limit = AbortSignal.timeout((HOLD + 25) * 1000);
        const signal = call.signal ? AbortSignal.any([limit, call.signal])
                                   : limit;
        const asking = { "Content-Type": "application/json",
                         "Idempotency-Key": once };
        try {
            const response = await fetch(this.url + path, {
                signal, redirect: "manual",
                ...(call.body === undefined
                    ? { headers: this.#headers }
                    : { headers: { ...this.#headers, ...asking },
                        method: "POST", body: call.body }) });
            return { status: response.status, text: await response.text(),
                     after: response.headers.get("Retry-After") };
        } catch (error) {
            return error instanceof Error ? error : new Error(String(error));
        }
    }
}

function environment(name: string): string {
    const value = process.env[name];
    if (!value)
        throw new Error(`${name} is not set.`);
    return value;
}

function problem(body: string): Record<string, unknown> {
    try {
        return Object(JSON.parse(body));
    } catch {
        return { detail: body };
    }
}

// --- Approvals of a call --------------------------------------------------

export interface CallOptions extends Waiting,
    Omit<Members, "kind" | "subject" | "allow_edit"> {
    question?: string;
    /** What it is done to. */
    target?: string | undefined;
    /** How far it goes. */
    scope?: string | undefined;
    /** What cannot be taken back. */
    consequence?: string | undefined;
    /** The person may change the arguments. */
    edit?: boolean | undefined;
    /** The framework's id of the call. With the tool and its arguments it
     * identifies the request. */
    callId?: string | undefined;
}

/** What the adapters of frameworks take. */
export interface AdapterOptions {
    client?: Client | undefined;
    /** Seconds to wait for an answer; without it until there is one. */
    wait?: number | undefined;
    signal?: AbortSignal | undefined;
    /** Needed where the ids that the model gives to its calls are not
     * unique. */
    sessionId?: string | undefined;
    /** Members of the question. */
    about?: ((tool: string, args: object) => Partial<CallOptions>) | undefined;
}

export interface ApprovalOptions<A extends object>
    extends Omit<CallOptions, "target" | "scope" | "once" | "callId"
                              | "signal"> {
    /** The tool's name; without it the function's. */
    name?: string;
    target?: string | ((args: A) => string);
    scope?: string | ((args: A) => string);
    once?: (args: A) => string;
}

/** A function that runs after an approval. */
export type Approved<A extends object, R> =
    (args: A, given?: { signal?: AbortSignal }) => Promise<R>;

function text<A>(given: string | ((args: A) => string) | undefined,
                 args: A): string | undefined {
    return typeof given === "function" ? given(args) : given;
}

/** A call of a tool, as a person is asked about it. */
class ToolCall {
    readonly body: string;
    readonly once: string | undefined;
    readonly #subject: string;

    constructor(readonly tool: string, args: object, options: CallOptions) {
        const { once, wait: _, signal: __, target, scope, consequence, edit,
                callId, ...more } = options;
        if (!isJson(args) || Array.isArray(args))
            throw new TypeError("The arguments have to be an object of JSON: "
                                + "a person has to see what runs.");
        const calls = [{ tool, args }];
        // The bytes of the subject are what the answer is for.
        this.#subject = JSON.stringify({
            action: { name: tool },
            target: target || tool,
            scope_summary: scope || `One call of ${tool}`,
            consequence: consequence ?? "The agent did not say.",
            calls });
        const rest = JSON.stringify({
            question: `Run ${tool}?`, kind: "approval",
            allow_edit: edit ?? false, ...more });
        this.body = `${rest.slice(0, -1)},"subject":${this.#subject}}`;
        this.once = once ?? (callId === undefined
            ? undefined : sha256(JSON.stringify([callId, calls])));
    }

    /** The arguments that may run. */
    approved(answer: Answer): object {
        if (!authorized(answer) || answer.constraints)
            throw new Denied(answer);
        const subject = answer.raw.approved_subject
            ?? JSON.parse(this.#subject) as unknown;
        const [call, more] = (subject as Subject).calls ?? [];
        if (answer.raw.subject_sha256 !== sha256(this.#subject)
            || call?.tool !== this.tool || !isObject(call.args) || more)
            throw new Denied(answer, "The answer is for another call.");
        return call.args;
    }
}

interface Subject {
    calls?: { tool?: string; args?: unknown }[];
}

function isObject(value: unknown): value is object {
    return typeof value === "object" && value !== null
        && !Array.isArray(value);
}

/** Whether JSON shows the value as it is; a member may be undefined. */
function isJson(value: unknown): boolean {
    if (Array.isArray(value))
        return Array.from(value).every(isJson);
    if (!isObject(value))
        return value === null || typeof value === "string"
            || typeof value === "boolean" || Number.isFinite(value);
    const shape: unknown = Object.getPrototypeOf(value);
    return (shape === null || shape === Object.prototype)
        && !Object.getOwnPropertySymbols(value).length
        && Object.values(value).every((v) => v === undefined || isJson(v));
}

function sha256(data: string): string {
    return createHash("sha256").update(data).digest("hex");
}

// --- Webhooks -------------------------------------------------------------

type Headers = { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;

/** The message of a push, once its signature (Standard Webhooks) is checked.
 * `secret`: whsec_..., as the endpoint was made with it. `now`: seconds. */
export function verifyWebhook(body: string | Uint8Array, headers: Headers,
                              secret: string,
                              now = Date.now() / 1000
                              ): Record<string, unknown> {
    const sent = header(headers, "webhook-timestamp");
    const key = secret.replace(/^whsec_/, "");
    if (!/^\d{1,12}$/.test(sent) || !/^[A-Za-z0-9+/]+={0,2}$/.test(key))
        throw new InvalidSignature("the time or the secret is none");
    if (!(Math.abs(now - Number(sent)) <= SKEW))
        throw new InvalidSignature("the message is too old");
    const mine = createHmac("sha256", Buffer.from(key, "base64"))
        .update(`${header(headers, "webhook-id")}.${sent}.`).update(body)
        .digest();
    const given = header(headers, "webhook-signature").split(" ");
    if (!given.some((one) => one.startsWith("v1,") && same(one.slice(3),
                                                           mine)))
        throw new InvalidSignature("the signature does not match");
    return JSON.parse(Buffer.from(body).toString()) as Record<string, unknown>;
}

function same(given: string, mine: Buffer): boolean {
    const bytes = Buffer.from(given, "base64");
    return bytes.length === mine.length && timingSafeEqual(bytes, mine);
}

function header(headers: Headers, name: string): string {
    const value = typeof headers["get"] === "function"
        ? headers["get"](name)
        : Object.entries(headers)
            .find(([key]) => key.toLowerCase() === name)?.[1];
    if (typeof value !== "string")
        throw new InvalidSignature(`no ${name}`);
    return value;
}

// --- With the server of the environment -----------------------------------

/** `new Client().ask`. */
export async function ask(question: string, options: AskOptions = {}
                          ): Promise<Answer> {
    return new Client().ask(question, options);
}

/** `new Client().requireApproval`; the environment is read at the first
 * call. */
export function requireApproval<A extends object, R>(
    run: (args: A) => R | PromiseLike<R>, options: ApprovalOptions<A> = {},
): Approved<A, R> {
    return (args, given) =>
        new Client().requireApproval(run, options)(args, given);
}
