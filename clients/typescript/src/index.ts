/** Ask a person before an AI agent acts. See README.md. */
import {
    createHash, createHmac, randomUUID, timingSafeEqual,
} from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { carried, isJson, isObject, parse } from "./exact.js";

export { ExactNumber } from "./exact.js";

const HOLD = 50; // seconds that the server holds a read
const PAUSE = 2; // seconds before a call is tried again
const PAUSES = [1, 60] as const; // least and most that the server may ask for
const UPLOAD = 60; // seconds to upload a file, while the server is busy
const REDEEM = 5; // seconds to use an approval, where the waiting is over
const BUSY = [429, 502, 503, 504]; // answers after which it is tried again
const UNUSABLE = [403, 404, 409, 422]; // a permit that may not be used
/** No yes, a yes that cannot be used for now, or a mistake of the caller. */
const NOT_OVER = ["permit.paused", "permit.asked", "permit.refused",
  "operation.other_call"];
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
    /** If `once` finds a yes that is over, ask again. */
    anew?: boolean | undefined;
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
    readonly receipt_url?: string;
    readonly usable?: boolean;
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

    /** A yes to exactly what was asked: without limits, not edited, and not
     * over. */
    get approved(): boolean {
        return authorized(this) && !this.over && !changed(this);
    }

    /** A yes that counts no more when it is read: it was used, taken back, or
     * its time has ended. */
    get over(): boolean {
        const { usable } = this.raw; // an old server does not tell
        return authorized(this) && usable !== undefined && usable !== true;
    }
}

function changed({ raw }: Answer): boolean {
    return Boolean(raw.modified || raw.constraints || raw.approved_subject);
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

/** Nobody said yes, or the yes is over; `answer` has the question, `code` the
 * server's word where it did not let the yes be used. */
export class Denied extends Error {
    override name = "Denied";

    constructor(readonly answer: Answer, said = refusal(answer),
                readonly code = "") {
        super(said);
    }

    /** There was a yes, and it counts no more: ask anew. */
    get over(): boolean {
        return this.answer.over
            || this.code !== "" && !NOT_OVER.includes(this.code);
    }
}

/** Why a call does not run, worded for a model as well. */
function refusal({ raw, over }: Answer): string {
    if (raw.state === "pending" || raw.state === "expired")
        return "Nobody answered in time. That is not a yes.";
    if (raw.state === "cancelled")
        return "The question was withdrawn.";
    if (over)
        return "The approval has ended. Ask again.";
    if (raw.outcome === "authorized" && raw.constraints)
        return `Approved only within limits: ${
            shown(raw.constraints)}. Ask again for a call within `
            + "them.";
    if (raw.outcome === "authorized" && raw.approved_subject)
        return "Approved only with changes. Ask again for what was approved.";
    return raw.reason || raw.audit_summary || "Nobody approved this.";
}

function shown(value: unknown): string {
    return JSON.stringify(value, (_, part: unknown) =>
        typeof part === "bigint" ? String(part) : part);
}

// --- The server -----------------------------------------------------------

export interface ClientOptions {
    url?: string | undefined;
    key?: string | undefined;
    agent?: string | undefined;
}

/** What came back. */
interface Got {
    status: number;
    text: string;
    after: string | null;
    replayed: boolean;
}

interface Sending {
    signal?: AbortSignal | undefined;
    body?: string | Uint8Array<ArrayBuffer>;
    /** Of the body; without it JSON. */
    type?: string;
    once?: string | undefined;
    /** An error of the connection is told at once. */
    first?: boolean;
}

/** A server, a key, and the agent that asks. */
export class Client {
    readonly url: string;
    readonly #key: string;
    readonly #headers: Record<string, string>;

    constructor({ url, key, agent }: ClientOptions = {}) {
        this.url = setting("SAYSO_URL", url).replace(/\/+$/, "");
        this.#key = setting("SAYSO_AGENT_KEY", key);
        if (!/^https?:\/\//i.test(this.url) || !URL.canParse(this.url))
            throw new Unreachable("SAYSO_URL has to begin with http:// "
                                  + "or https://.");
        if (!/^[!-~]+$/.test(this.#key))
            throw new Unreachable("SAYSO_AGENT_KEY has characters that no key "
                                  + "has.");
        const name = (agent || process.env["SAYSO_AGENT"] || "").trim();
        if (/[\x00-\x1f\x7f]/.test(name))
            throw new Unreachable("SAYSO_AGENT has characters that no name "
                                  + "has.");
        this.#headers = { Authorization: `Bearer ${this.#key}` };
        if (name) // a header takes bytes, written as Latin-1
            this.#headers["X-Agent-ID"] = Buffer.from(name).toString("latin1");
    }

    /** Asks, and waits for the answer. */
    async ask(question: string, options: AskOptions = {}): Promise<Answer> {
        const { once, wait, signal, anew, ...more } = options;
        const body = JSON.stringify({ question, ...more });
        const end = ending(wait);
        for (let key = onceOf(once);;) {
            const [answer, old] = await this.#answer(body, key, end, signal);
            if (!anew || !old || !key || !answer.over)
                return answer;
            key = after(key, answer);
        }
    }

    /** The arguments with which a call of a tool may run now, once a person
     * has approved it: `args` as they were shown, or with `edit` what the
     * person made of them. The approval is used with that. Anything else is
     * `Denied`. */
    async approveCall<A extends object>(tool: string, args: A,
                                        options: CallOptions = {}
                                        ): Promise<A> {
        const call = new ToolCall(tool, args, options);
        const { wait, signal, anew } = options, end = ending(wait);
        for (let key = call.once;;) {
            const [answer, old] = await this.#answer(call.body, key, end,
                                                     signal);
            try {
                const run = call.approved(answer);
                // The same call again is the same use, for a short time.
                const operation = key
                    && sha256(JSON.stringify([key, call.subject]));
                if (options.use ?? true)
                    await this.#redeem(answer, operation, {
                        tool, arguments: run }, end, signal);
                return run as A;
            } catch (no) {
                if (!anew || !old || !key
                    || !(no instanceof Denied && no.over))
                    throw no;
                key = after(key, answer);
            }
        }
    }

    /** Uses a yes, just before what it allows is done; `Denied` where it is
     * none, or is over. The same `operation` again is the same use, for five
     * minutes; without it each is a new one. */
    async use(answer: Answer, { operation }: { operation?: string } = {}
              ): Promise<void> {
        if (!authorized(answer) || changed(answer))
            throw new Denied(answer);
        await this.#redeem(answer, onceOf(operation), undefined, 0);
    }

    /** Uploads a file, a picture or a text. What comes back is its `ref` for
     * `evidence` or `artifacts` of a question, whose page shows it. */
    async upload(data: string | Uint8Array<ArrayBuffer>, type: string
                 ): Promise<string> {
        const sent = await this.#sent(
            "/api/v1/artifacts", performance.now() + UPLOAD * 1000,
            { body: data, type, first: true });
        if (!sent)
            throw new Unreachable("The server is away or busy.");
        return String((objectOf(sent.text, "ref") as { ref: unknown }).ref);
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

    /** The answer, and whether the question was there before. */
    async #answer(body: string, once: string | undefined, end: number,
                  signal: AbortSignal | undefined
                  ): Promise<[Answer, boolean]> {
        const asked = await this.#sent("/api/v1/suspensions", end, {
            body, once: once ?? randomUUID(), signal, first: true });
        if (!asked)
            throw new Unreachable("The server is away or busy.");
        let answer = new Answer(suspension(asked.text));
        const path = `/api/v1/suspensions/${answer.id}`;
        for (;;) {
            const begun = performance.now(), left = (end - begun) / 1000;
            const hold = Math.max(0, Math.ceil(Math.min(HOLD, left)));
            const read = await this.#sent(`${path}?wait=${hold}`, end,
                                          { signal });
            const told = read && new Answer(suspension(read.text));
            if (told && told.id !== answer.id)
                throw new Unreachable("The server answered about another "
                                      + "question.");
            answer = told ?? answer;
            if (!answer.pending || !(left > 0))
                return [answer, asked.replayed];
            if (read && performance.now() - begun < 1000) // it was not held
                await rest(pauseOf(read.after), end, signal);
        }
    }

    /** Has the server count the use of a yes. Denied where it may not be
     * used. */
    async #redeem(answer: Answer, operation: string | undefined,
                  call: object | undefined, end: number,
                  signal?: AbortSignal): Promise<void> {
        const body = JSON.stringify({
            suspension_id: answer.id, operation_id: operation ?? randomUUID(),
            call });
        try {
            const used = await this.#sent(
                "/api/v1/redemptions",
                Math.max(end, performance.now() + REDEEM * 1000),
                { body, signal });
            if (!used)
                throw new Unreachable("The server is away or busy. The call "
                                      + "does not run.");
            objectOf(used.text, "redemption_id");
        } catch (error) {
            if (!(error instanceof SaysoError)
                || !UNUSABLE.includes(error.status))
                throw error;
            const { body: { detail }, code, status } = error;
            throw new Denied(answer, `The approval cannot be used: ${
                detail || code} Ask again.`, code || String(status));
        }
    }

    /** What came back; tried again while the server is away. Nothing where it
     * still is at the end. */
    async #sent(path: string, end: number, sending: Sending
                ): Promise<Got | undefined> {
        const { signal } = sending;
        for (let { first = false } = sending;; first = false) {
            signal?.throwIfAborted();
            const got = await this.#fetched(path, sending);
            signal?.throwIfAborted();
            let pause = PAUSE;
            if (got instanceof Unreachable) {
                if (first)
                    throw got;
            } else if (BUSY.includes(got.status)) {
                pause = pauseOf(got.after);
            } else if (got.status >= 200 && got.status < 300) {
                return got;
            } else {
                throw new SaysoError(got.status,
                                     problem(this.#scrubbed(got.text)));
            }
            if (!(end > performance.now()))
                return undefined;
            await rest(pause, end, signal);
        }
    }

    async #fetched(path: string, { body, type, once, signal: given }: Sending
                   ): Promise<Got | Unreachable> {
        const limit = AbortSignal.timeout((HOLD + 25) * 1000);
        const signal = given ? AbortSignal.any([limit, given]) : limit;
        try {
            const response = await fetch(this.url + path, {
                signal, redirect: "manual",
                ...(body === undefined ? { headers: this.#headers } : {
                    method: "POST", body, headers: {
                        ...this.#headers,
                        "Content-Type": type ?? "application/json",
                        ...(once && { "Idempotency-Key": once }) } }) });
            return { status: response.status, text: await response.text(),
                     after: response.headers.get("Retry-After"),
                     replayed: response.headers.has("Idempotency-Replayed") };
        } catch (error) {
            // Without the error itself, which may have the request.
            const { cause } = Object(error) as { cause?: unknown };
            return new Unreachable(this.#scrubbed(String(cause ?? error)));
        }
    }

    #scrubbed(text: string): string {
        return text.replaceAll(this.#key, "***");
    }
}

/** A setting without the white space around it, such as the line break of a
 * file. */
function setting(name: string, given: string | undefined): string {
    const value = (given ?? process.env[name] ?? "").trim();
    if (!value)
        throw new Unreachable(`${name} is not set.`);
    return value;
}

function ending(wait: number | undefined): number {
    return performance.now() + (wait ?? Infinity) * 1000;
}

async function rest(seconds: number, end: number,
                    signal: AbortSignal | undefined): Promise<void> {
    const most = Math.max(0, end - performance.now());
    await sleep(Math.min(seconds * 1000, most), undefined, { signal })
        .catch(() => signal?.throwIfAborted());
}

/** The seconds of a Retry-After, within reason. */
function pauseOf(text: string | null): number {
    const said = (text ?? "").trim(), [least, most] = PAUSES;
    const seconds = /^\d{1,12}$/.test(said) ? Number(said)
        : /^[A-Z][a-z]{2},? /.test(said)
            ? (Date.parse(said) - Date.now()) / 1000 : NaN;
    return Number.isNaN(seconds) ? PAUSE
        : Math.min(Math.max(seconds, least), most);
}

/** What identifies a request, as a header: it takes no other characters and no
 * long text. */
function onceOf(text: string | undefined): string | undefined {
    if (!text?.trim())
        return undefined;
    return /^[!-~]{1,255}$/.test(text) && !text.startsWith("sha256:")
        ? text : `sha256:${sha256(JSON.stringify(text))}`;
}

/** What identifies the request once this answer to it is over. */
function after(once: string, answer: Answer): string {
    return `sha256:${sha256(JSON.stringify([once, answer.id]))}`;
}

/** The body, which is an object with this member if a server of ours, and
 * nothing before it, has sent it. */
function objectOf(text: string, member: string): object {
    let read: unknown;
    try {
        read = parse(text);
    } catch {
        // It is told below.
    }
    if (!isObject(read) || !Object.hasOwn(read, member))
        throw new Unreachable("There is no Sayso server at this address: "
                              + `its answer has no ${member}.`);
    return read;
}

function suspension(text: string): Suspension {
    return objectOf(text, "suspension_id") as Suspension;
}

function problem(body: string): Record<string, unknown> {
    try {
        return Object(parse(body));
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
    /** False: only wait for the approval. The same call without it, when the
     * tool runs, uses the approval. */
    use?: boolean | undefined;
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

/** What identifies a call, for the adapters; nothing where it has no id, so
 * that it is no other call's. */
export function callIdOf(sessionId: string, id: unknown): string | undefined {
    return typeof id === "string" && id.trim()
        ? JSON.stringify([sessionId, id]) : undefined;
}

/** What a model is told of such a call. */
export const INEXACT = "A number of this call cannot be carried exactly. It "
    + "does not run. Write it as text.";
export const DOUBLED = "This call has an argument twice. It does not run.";
export const UNSHOWN = "JSON cannot show an argument of this call as it is, so "
    + "nobody could see it. The call does not run.";

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
    readonly subject: string;
    readonly edit: boolean;

    constructor(readonly tool: string, args: object, options: CallOptions) {
        // wait, signal, anew and use are no members of the question.
        const { once, wait, signal, anew, use, target, scope, consequence,
                edit = false, callId, ...more } = options;
        if (!isJson(args) || Array.isArray(args))
            throw new TypeError("The arguments have to be an object of JSON: "
                                + "a person has to see what runs. Write "
                                + "an integer beyond 2^53 as text.");
        const calls = [{ tool, args }];
        // The bytes of the subject are what the answer is for.
        this.subject = JSON.stringify({
            action: { name: tool },
            target: target || tool,
            scope_summary: scope || `One call of ${tool}`,
            consequence: consequence ?? "The agent did not say.",
            calls });
        const rest = JSON.stringify({
            question: `Run ${tool}?`, kind: "approval", ...more,
            allow_edit: edit });
        this.edit = edit;
        this.body = `${rest.slice(0, -1)},"subject":${this.subject}}`;
        this.once = onceOf(once ?? (callId?.trim()
            ? sha256(JSON.stringify([callId, calls])) : undefined));
    }

    /** The arguments that may run. */
    approved(answer: Answer): object {
        if (!authorized(answer) || answer.constraints
            || answer.raw.approved_subject && !this.edit)
            throw new Denied(answer);
        const subject = answer.raw.approved_subject
            ?? parse(this.subject);
        const [call, more] = (subject as Subject).calls ?? [];
        if (answer.raw.subject_sha256 !== sha256(this.subject)
            || call?.tool !== this.tool || !isObject(call.args) || more)
            throw new Denied(answer, "The answer is for another call.");
        if (!carried(call.args))
            throw new Denied(answer, "The approved arguments have a number "
                             + "that cannot be carried exactly.");
        return call.args;
    }
}

interface Subject {
    calls?: { tool?: string; args?: unknown }[];
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
    const key = secret.trim().replace(/^whsec_/, "");
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
    return parse(Buffer.from(body).toString()) as Record<string, unknown>;
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

/** `new Client().use`. */
export async function use(answer: Answer,
                          options: { operation?: string } = {}
                          ): Promise<void> {
    await new Client().use(answer, options);
}

/** `new Client().requireApproval`; the environment is read at the first
 * call. */
export function requireApproval<A extends object, R>(
    run: (args: A) => R | PromiseLike<R>, options: ApprovalOptions<A> = {},
): Approved<A, R> {
    return (args, given) =>
        new Client().requireApproval(run, options)(args, given);
}
