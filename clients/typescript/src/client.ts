/** A server, a key, and the agent that asks. */
import { randomUUID } from "node:crypto";
import {
    after, type AnyApproval, type ApprovalOptions, type Approved,
    type ApprovedPositional, type AskOptions, type CallOptions, type Given,
    type Names, type OnAsked, onceOf, questionOf, Signature, ToolCall,
    type Waiting,
} from "./call.js";
import { Crowd, Watch } from "./crowd.js";
import {
    ApiError, Conflict, Denied, SaysoError, Unreachable,
} from "./errors.js";
import { Feed, type FeedOptions, type Page } from "./feed.js";
import {
    type Got, Http, type HttpOptions, objectOf, retryAfter,
} from "./http.js";
import {
    Answer, authorized, changed, type Choices, type State, type Suspension,
    type ValueOf,
} from "./question.js";

const HOLD = 50; // seconds for which the server holds a read
const PAUSE = 2; // seconds to the next read where it did not
const UNUSABLE = [403, 404, 409, 422]; // answers about a yes that is over
const LATE = "Nobody answered in time. That is not a yes.";

/** What a client is made of. */
export interface ClientOptions extends HttpOptions {
    /** Called once with each question that is open, before its answer is
     * waited for: show its `url`. */
    onAsked?: OnAsked | undefined;
}

/** What `get` takes. */
export interface GetOptions {
    /** Seconds to wait for an answer; 0 without it, and `Infinity` until there
     * is one. */
    wait?: number | undefined;
    /** Gives up the waiting. */
    signal?: AbortSignal | undefined;
}

/** What `list` takes. */
export interface ListOptions {
    /** Only questions in this state. */
    state?: State | undefined;
    /** How many the server sends at once, at most 100: 50. */
    limit?: number | undefined;
    /** Gives up the reading. */
    signal?: AbortSignal | undefined;
}

/** What `cancel` takes. */
export interface CancelOptions {
    /** Why; people can read it. */
    reason?: string | undefined;
    /** Gives up the request. */
    signal?: AbortSignal | undefined;
}

/** What `use` takes. */
export interface UseOptions {
    /** What identifies the use: the same one again is the same use, for five
     * minutes. Without it each is a new one. */
    operation?: string | undefined;
    /** Gives up the request. */
    signal?: AbortSignal | undefined;
}

/** What `redeem` takes: what is used, and for which call. */
export interface RedeemOptions {
    /** A question of the agent that was answered. */
    suspensionId?: string | undefined;
    /** Or a permit of the agent. */
    permitId?: string | undefined;
    /** Or, of a resource, the token that it was sent. */
    token?: string | undefined;
    /** The proof that came with the token. */
    dpop?: { proof: string; htm: string; htu: string } | undefined;
    /** The call that runs now. */
    call?: { tool: string; arguments: object } | undefined;
    /** Gives up the request. */
    signal?: AbortSignal | undefined;
}

/** A use that the server counted. */
export interface Redemption {
    /** Its id; null without a permit. */
    readonly redemption_id: string | null;
    /** The permit; null of a yes without one. */
    readonly permit_id: string | null;
    /** The question. */
    readonly request_id: string | null;
    /** False of a permission and of a cost, which hold for their time. */
    readonly counted: boolean;
    /** The number of the use. */
    readonly n: number;
    /** How many there still are. */
    readonly uses_left: number;
    /** The agent. */
    readonly agent: string;
    /** The person for whom the agent works. */
    readonly subject: string | null;
    /** How much of a budget it took. */
    readonly amount: string | null;
    /** Of what. */
    readonly unit: string | null;
}

/** A server, a key, and the agent that asks. Make one, and use it for all
 * questions. */
export class Client {
    readonly #http: Http;
    readonly #onAsked: OnAsked | undefined;
    readonly #crowd = new Crowd({
        now: async (signal) => (await this.#page({
            ended_after: "now", wait: "0" }, {
                signal, until: Infinity })).next ?? "0",
        feed: (after, signal) => this.feed({ after, signal }),
        pause: (...given) => this.#http.pause(...given) });

    /** @param options - Without them those of the environment.
     * @throws ConfigurationError where one is missing or wrong. */
    constructor(options: ClientOptions = {}) {
        this.#http = new Http(options);
        this.#onAsked = options.onAsked;
    }

    /** The address of the server. */
    get url(): string {
        return this.#http.url;
    }

    /** What is called with each question that is open. */
    get onAsked(): OnAsked | undefined {
        return this.#onAsked;
    }

    /** Ends all that this client does: what still waits fails. The questions
     * stay open. */
    close(): void {
        this.#http.close();
    }

    /** The same as `close`. */
    [Symbol.dispose](): void {
        this.close();
    }

    /** Asks, and waits for the answer.
     * @param question - One or two sentences.
     * @returns The question, as it is after that; `approved` is a yes. */
    async ask<const C extends Choices = readonly never[], F = never>(
        question: string, options: AskOptions<C, F> = {}
    ): Promise<Answer<ValueOf<C, F>>> {
        const { once, anew, wait, keep = true, signal, onAsked, ...more }
            = options;
        const body = questionOf(question, more);
        const waiting = { keep, signal, onAsked, end: ending(wait) };
        for (let key = onceOf(once);;) {
            const { answer, old } = await this.#asked(body, key, waiting);
            if (!anew || !old || !key
                || !(answer.over || answer.state === "cancelled"))
                return answer as Answer<ValueOf<C, F>>;
            key = after(key, answer);
        }
    }

    /** Asks for a call of a tool, and uses the approval.
     * @param args - The arguments, an object of JSON.
     * @returns The arguments with which it may run now: those that were shown,
     * or with `edit` what the person made of them.
     * @throws Denied where it may not run. */
    async approveCall<A extends object>(tool: string, args: A,
                                        options: CallOptions = {}
                                        ): Promise<A> {
        const call = new ToolCall(tool, args, options);
        const { wait, signal, onAsked, anew, use = true } = options;
        const { keep = !use || wait === 0 } = options;
        const waiting = { keep, signal, onAsked, end: ending(wait) };
        for (let key = call.once;;) {
            const { answer, old, late } = await this.#asked(call.body, key,
                                                            waiting);
            try {
                if (late)
                    throw new Denied(answer, LATE);
                const run = call.approved(answer);
                if (use)
                    await this.#used(answer, call.operation(key), {
                        call: { tool, arguments: run }, signal });
                return run as A;
            } catch (no) {
                if (!anew || !old || !key || !(no instanceof Denied
                    && (no.over || answer.state === "cancelled")))
                    throw no;
                key = after(key, answer);
            }
        }
    }

    /** A function that runs after an approval of exactly this call, else it
     * throws `Denied`. Its one argument is an object of JSON; or `params` names
     * its arguments. `this` is passed on, and is not shown. */
    requireApproval<T, P extends readonly unknown[], R,
                    M extends "throw" | "return" = "throw">(
        run: (this: T, ...args: P) => R | PromiseLike<R>,
        options: ApprovalOptions<P, M> & { params: Names<NoInfer<P>> },
    ): ApprovedPositional<T, P, Given<R, M>>;
    requireApproval<T, A extends object, R,
                    M extends "throw" | "return" = "throw">(
        run: (this: T, args: A) => R | PromiseLike<R>,
        options?: ApprovalOptions<[A], M>,
    ): Approved<T, A, Given<R, M>>;
    requireApproval(
        run: (...args: readonly unknown[]) => unknown,
        options: AnyApproval = {},
    ): (...args: readonly unknown[]) => Promise<unknown> {
        return approvedBy(() => this, run, options);
    }

    /** A question that this agent asked.
     * @throws NotFound where there is none with this id. */
    async get(id: string, { wait = 0, signal }: GetOptions = {}
              ): Promise<Answer> {
        return this.#waited(id, ending(wait), signal);
    }

    /** The questions that this agent asked, newest first, of all pages. */
    async *list({ state, limit = 50, signal }: ListOptions = {}
                ): AsyncGenerator<Answer, void> {
        for (let from: string | null = "";;) {
            const page = await this.#page({
                ...(state && { state }), limit: String(limit),
                ...(from && { after: from }) }, { signal });
            for (const one of page.suspensions)
                yield new Answer(one);
            from = page.next;
            if (!from)
                return;
        }
    }

    /** Withdraws a question that is open.
     * @throws Conflict where it has ended already. */
    async cancel(id: string, { reason, signal }: CancelOptions = {}
                 ): Promise<Answer> {
        return answerOf(await this.#http.send(`${pathOf(id)}/cancel`, {
            body: JSON.stringify({ reason }), once: randomUUID(), signal }));
    }

    /** The questions of this agent as they end, with one read for all of
     * them. It begins with the first step of the loop. */
    feed({ after: place = "now", allAgents = false, wait = Infinity, signal
         }: FeedOptions = {}): Feed {
        return new Feed(place, wait, async (from, end) => {
            const begun = performance.now(), hold = holdOf(end);
            const got = await this.#page({
                ended_after: from, wait: String(hold),
                ...(allAgents && { agents: "all" }) }, {
                    hold, signal, ...(wait === Infinity && { until: wait }) });
            if (hold && !got.suspensions.length && !got.more)
                await this.#notHeld(got, begun, end, signal);
            return got;
        });
    }

    /** Uses a yes, just before what it allows is done.
     * @throws Denied where it is none, or is over: do not act. */
    async use(answer: Answer, { operation, signal }: UseOptions = {}
              ): Promise<Redemption> {
        if (!authorized(answer) || changed(answer))
            throw new Denied(answer);
        return this.#used(answer, operation, { signal });
    }

    /** Uses a permit, a yes or a token, just before the call runs.
     * @param operation - What identifies the use: the same one again is the
     * same use, for five minutes.
     * @throws ApiError where it cannot be used: do not run it. */
    async redeem(operation: string, {
        suspensionId, permitId, token, dpop, call, signal }: RedeemOptions
                 ): Promise<Redemption> {
        const got = await this.#http.send("/api/v1/redemptions", {
            signal, body: JSON.stringify({
                suspension_id: suspensionId, permit_id: permitId, token, dpop,
                operation_id: onceOf(operation, 200) ?? randomUUID(), call }) });
        return objectOf(got, "redemption_id") as Redemption;
    }

    /** Uploads a file, a picture or a text.
     * @returns Its `ref` for `evidence` or `artifacts` of a question, whose
     * page shows it. */
    async upload(data: string | Uint8Array<ArrayBuffer>, mediaType: string,
                 { signal }: { signal?: AbortSignal } = {}): Promise<string> {
        const got = await this.#http.send("/api/v1/artifacts", {
            body: data, type: mediaType, signal });
        return String((objectOf(got, "ref") as { ref: unknown }).ref);
    }

    /** Asks and waits. `old`: the question was there before, and this call has
     * not ended it. `late`: it was withdrawn, since `wait` has ended. */
    async #asked(body: string, once: string | undefined,
                 { keep, signal, onAsked = this.#onAsked, end }:
                 Waiting & { end: number }
                 ): Promise<{ answer: Answer, old: boolean, late: boolean }> {
        const made = await this.#http.send("/api/v1/suspensions", {
            body, once: once ?? randomUUID(), end, signal });
        let answer = answerOf(made);
        if (made.replayed) // it is the first answer, from long ago
            answer = await this.#waited(answer.id, 0, signal, answer);
        if (answer.pending) {
            await onAsked?.(answer);
            answer = await this.#waited(answer.id, end, signal, answer);
        }
        const late = answer.pending && !keep;
        if (late)
            answer = await this.#withdrawn(answer);
        return { answer, old: made.replayed && !late,
                 late: late && answer.state === "cancelled" };
    }

    /** The question once it has ended, or as it is at the end. */
    async #waited(id: string, end: number, signal: AbortSignal | undefined,
                  known?: Answer): Promise<Answer> {
        const watch = new Watch(id);
        try {
            for (let answer = known;;) {
                let begun = 0, held = 0;
                const got = await this.#crowd.read<Got | undefined>(
                    watch, holdOf(end), end, signal, (hold) => {
                        begun = performance.now();
                        held = hold;
                        return this.#http.send(`${pathOf(id)}?wait=${hold}`, {
                            hold, signal, ...(answer && { until: end }) });
                    });
                if (!got) // the server was away until the end
                    return answer!;
                answer = answerOf(got, id);
                if (!answer.pending || end <= begun)
                    return answer;
                if (held)
                    await this.#notHeld(got, begun, end, signal);
            }
        } finally {
            this.#crowd.leave(watch);
        }
    }

    /** Waits where the server did not hold a read. */
    async #notHeld({ after: text }: { after?: string | null }, begun: number,
                   end: number, signal: AbortSignal | undefined
                   ): Promise<void> {
        if (performance.now() - begun < 1000)
            await this.#http.pause(retryAfter(text ?? null) ?? PAUSE, end,
                                   signal);
    }

    /** Withdraws a question for which nobody waits any more. An answer that
     * was there first counts. */
    async #withdrawn(answer: Answer): Promise<Answer> {
        try {
            return await this.cancel(answer.id, {
                reason: "The agent does not wait any longer." });
        } catch (error) {
            if (error instanceof Conflict)
                return this.get(answer.id);
            if (error instanceof SaysoError)
                return answer; // no yes either
            throw error;
        }
    }

    async #used(answer: Answer, operation: string | undefined,
                more: RedeemOptions): Promise<Redemption> {
        try {
            return await this.redeem(operation ?? "", {
                ...more, suspensionId: answer.id });
        } catch (error) {
            if (!(error instanceof ApiError)
                || !UNUSABLE.includes(error.status))
                throw error;
            const { detail, code, status, requestId } = error;
            throw new Denied(answer, `The approval cannot be used: ${
                detail || code} Ask again.`, code || String(status), requestId);
        }
    }

    async #page(query: Record<string, string>, sending: {
        signal: AbortSignal | undefined; hold?: number; until?: number }
                ): Promise<Page & { after: string | null }> {
        const got = await this.#http.send(
            `/api/v1/suspensions?${new URLSearchParams(query).toString()}`,
            sending);
        return { ...objectOf(got, "suspensions") as Page, after: got.after };
    }
}

/** The function, which runs after an approval of a client's. */
export function approvedBy(
    client: () => Client, run: (...args: readonly unknown[]) => unknown,
    options: AnyApproval,
): (...args: readonly unknown[]) => Promise<unknown> {
    const { name = run.name, params, target, scope, once, refusal, ...more }
        = options;
    const signature = new Signature(name, params, run.length);
    async function approved(this: unknown, ...all: readonly unknown[]
                            ): Promise<unknown> {
        // A function of one object takes a signal too. A framework may give
        // more there.
        const args = params ? all : all.slice(0, 1);
        const { signal = more.signal } = params ? {}
            : Object(all[1]) as { signal?: AbortSignal };
        let call: object;
        try {
            call = await client().approveCall(name, signature.shown(args), {
                ...more, signal, once: once?.(...args),
                target: typeof target === "function" ? target(...args) : target,
                scope: typeof scope === "function" ? scope(...args) : scope });
        } catch (no) {
            if (refusal === "return" && no instanceof Denied)
                return no.message;
            throw no;
        }
        return run.apply(this, [...signature.taken(call)]);
    }
    return Object.defineProperty(approved, "name", { value: name });
}

function ending(wait = Infinity): number {
    return performance.now() + wait * 1000;
}

function holdOf(end: number): number {
    const left = (end - performance.now()) / 1000;
    return Math.max(0, Math.ceil(Math.min(HOLD, left)));
}

function pathOf(id: string): string {
    return `/api/v1/suspensions/${encodeURIComponent(id)}`;
}

/** The question that came back, which is the one that was asked for. */
function answerOf(got: Got, id?: string): Answer {
    const answer = new Answer(objectOf(got, "suspension_id") as Suspension);
    if (id !== undefined && answer.id !== id)
        throw new Unreachable("The server answered about another question.",
                              undefined, got.requestId);
    return answer;
}

// --- The environment ------------------------------------------------------

let shared: { of: string; client: Client } | undefined;

/** The client of SAYSO_URL, SAYSO_AGENT_KEY and SAYSO_AGENT, which is the same
 * one while these are. */
export function environment(): Client {
    const { SAYSO_URL, SAYSO_AGENT_KEY, SAYSO_AGENT } = process.env;
    const of = JSON.stringify([SAYSO_URL, SAYSO_AGENT_KEY, SAYSO_AGENT]);
    if (shared?.of !== of)
        shared = { of, client: new Client() };
    return shared.client;
}
