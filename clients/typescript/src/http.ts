/** The requests: they are tried again where that is safe, and they stop when
 * the caller, the client or the time wants it. */
import { setTimeout as sleep } from "node:timers/promises";
import {
    ConfigurationError, refused, SaysoError, Unreachable,
} from "./errors.js";
import { isObject, parse } from "./exact.js";

/** The version of this package. */
export const VERSION = "0.2.0";

const BUSY = [429, 502, 503, 504]; // a request with this answer is sent again
const PAUSE = 30; // seconds, the longest pause of our own
const RETRY_AFTER = [1, 60] as const; // the least and the most, in seconds
const TRIES = 2; // after the first one
const LANES = 20; // requests at once, without those that the server holds

/** The part of `fetch` that this package uses. The `fetch` of Node fits, and
 * so does that of `undici`. */
export type Fetch = (url: string, request: {
    method: string;
    headers: Record<string, string>;
    body?: string | Uint8Array<ArrayBuffer>;
    redirect: "manual";
    signal: AbortSignal;
}) => Promise<{
    status: number;
    headers: { get(name: string): string | null };
    text(): Promise<string>;
}>;

/** Where the server is, and how it is reached. */
export interface HttpOptions {
    /** The address of the server; else `SAYSO_URL`. */
    url?: string | undefined;
    /** The key; else `SAYSO_AGENT_KEY`. No error has it. */
    key?: string | undefined;
    /** The name of the agent; else `SAYSO_AGENT`, else the first name of the
     * key. */
    agent?: string | undefined;
    /** Seconds for one request, besides the time for which the server holds
     * it: 25. */
    timeout?: number | undefined;
    /** How often a request without an answer is sent again, before
     * `Unreachable` is thrown: 2. The waiting for an answer to a question goes
     * on as long as its `wait` says. */
    maxRetries?: number | undefined;
    /** A `fetch` of your own, for a proxy, certificates or tests. */
    fetch?: Fetch | undefined;
}

/** One request. Each can be sent again: it changes nothing, or has an identity
 * by which the server knows it. */
export interface Sending {
    /** Makes it a POST. */
    body?: string | Uint8Array<ArrayBuffer>;
    /** Of the body; without it JSON. */
    type?: string;
    /** What identifies the request for the server. */
    once?: string | undefined;
    /** Seconds for which the server may hold it. */
    hold?: number;
    /** Sent again until then, on the clock of `performance`. Without it
     * `maxRetries` counts. */
    until?: number;
    /** Not sent again after this time. */
    end?: number;
    /** Of the caller. */
    signal?: AbortSignal | undefined;
}

/** What came back. */
export interface Got {
    /** The HTTP status. */
    status: number;
    /** The body. */
    text: string;
    /** The header Retry-After. */
    after: string | null;
    /** Whether it is the answer of an earlier request. */
    replayed: boolean;
    /** The header X-Request-Id. */
    requestId: string | undefined;
}

/** The requests to one server. */
export class Http {
    /** The address. */
    readonly url: string;
    readonly #key: string;
    readonly #headers: Readonly<Record<string, string>>;
    readonly #timeout: number;
    readonly #retries: number;
    readonly #fetch: Fetch;
    readonly #running = new Set<AbortController>();
    readonly #lanes = new Lanes(LANES);
    #closed = false;

    constructor(options: HttpOptions) {
        const { agent, timeout = 25, maxRetries = TRIES } = options;
        this.url = setting("SAYSO_URL", options.url).replace(/\/+$/, "");
        this.#key = setting("SAYSO_AGENT_KEY", options.key);
        if (!/^https?:\/\//i.test(this.url) || !URL.canParse(this.url))
            throw new ConfigurationError("SAYSO_URL has to begin with http:// "
                                         + "or https://.");
        if (!/^[!-~]+$/.test(this.#key))
            throw new ConfigurationError("SAYSO_AGENT_KEY has characters that "
                                         + "no key has.");
        const name = (agent || process.env["SAYSO_AGENT"] || "").trim();
        if (/[\x00-\x1f\x7f]/.test(name))
            throw new ConfigurationError("SAYSO_AGENT has characters that no "
                                         + "name has.");
        this.#headers = {
            "Authorization": `Bearer ${this.#key}`,
            "User-Agent": `sayso-typescript/${VERSION}`,
            // A header takes bytes, written as Latin-1.
            ...(name && { "X-Agent-ID": Buffer.from(name).toString("latin1") }),
        };
        this.#timeout = timeout;
        this.#retries = maxRetries;
        this.#fetch = options.fetch
            ?? ((url, request) => fetch(url, request)); // of that moment
    }

    /** Ends all requests and pauses; no other begins. */
    close(): void {
        this.#closed = true;
        for (const stop of this.#running)
            stop.abort(closed());
    }

    /** The answer to a GET, or with a body to a POST. An error where there is
     * none. Undefined where `until` was reached first. */
    async send(path: string, sending: Sending & { until: number }
               ): Promise<Got | undefined>;
    async send(path: string, sending: Sending): Promise<Got>;
    async send(path: string, sending: Sending): Promise<Got | undefined> {
        const { until, end = Infinity, signal } = sending;
        for (let n = 0;; n++) {
            const got = await this.#sent(path, sending);
            if (!(got instanceof Unreachable) && !BUSY.includes(got.status))
                return this.#good(got);
            const over = until === undefined
                ? n >= this.#retries || end <= performance.now()
                : until <= performance.now();
            if (over && until !== undefined)
                return undefined;
            if (over)
                throw got instanceof Unreachable ? got : new Unreachable(
                    `The server is away or busy (${got.status}).`,
                    retryAfter(got.after), got.requestId);
            await this.pause(backOff(n, got instanceof Unreachable
                ? null : got.after), until ?? end, signal);
        }
    }

    /** Waits so many seconds, until then, or until it is woken. */
    async pause(seconds: number, until: number,
                signal: AbortSignal | undefined, woken?: AbortSignal
                ): Promise<void> {
        const most = Math.max(0, until - performance.now());
        await this.#stoppable(signal, Infinity, async (stop) => {
            const ends = woken ? AbortSignal.any([stop, woken]) : stop;
            await sleep(Math.min(seconds * 1000, most), undefined, {
                signal: ends }).catch((error: unknown) => {
                    if (stop.aborted || !woken?.aborted)
                        throw error;
                });
        });
    }

    #good(got: Got): Got {
        const { status, text, requestId } = got;
        if (status >= 200 && status < 300)
            return got;
        if (status >= 300 && status < 400)
            throw new ConfigurationError("SAYSO_URL leads to another address "
                + `(${status}). Set it to the one that answers.`, requestId);
        throw refused(status, this.#scrubbed(text), requestId);
    }

    /** One try. */
    async #sent(path: string, sending: Sending): Promise<Got | Unreachable> {
        const { body, type, once, hold = 0, signal } = sending;
        const headers = {
            ...this.#headers,
            ...(body !== undefined && {
                "Content-Type": type ?? "application/json" }),
            ...(once && { "Idempotency-Key": once }) };
        const request = body === undefined ? { method: "GET", headers }
            : { method: "POST", headers, body };
        let taken = false;
        try {
            if (!hold)
                await this.#stoppable(signal, Infinity,
                                      (stop) => this.#lanes.take(stop));
            taken = !hold;
            return await this.#stoppable(
                signal, hold + this.#timeout, async (stop) => {
                    const response = await this.#fetch(this.url + path, {
                        ...request, redirect: "manual", signal: stop });
                    return { status: response.status,
                             text: await response.text(),
                             after: response.headers.get("Retry-After"),
                             replayed: response.headers.get(
                                 "Idempotency-Replayed") !== null,
                             requestId: response.headers.get("X-Request-Id")
                                 ?? undefined };
                });
        } catch (error) {
            signal?.throwIfAborted();
            if (this.#closed)
                throw closed();
            // Without the error itself, which may have the request.
            const { cause } = Object(error) as { cause?: unknown };
            return new Unreachable(this.#scrubbed(String(cause ?? error)));
        } finally {
            if (taken)
                this.#lanes.give();
        }
    }

    /** Runs something that the caller, the client and a limit can stop. */
    async #stoppable<T>(given: AbortSignal | undefined, seconds: number,
                        run: (stop: AbortSignal) => Promise<T>): Promise<T> {
        given?.throwIfAborted();
        if (this.#closed)
            throw closed();
        const stop = new AbortController();
        const late = setTimeout(() => {
            stop.abort(new Error(`No answer in ${seconds} seconds.`));
        }, Math.min(seconds * 1000, 2 ** 31 - 1));
        const give = () => {
            stop.abort(given?.reason);
        };
        given?.addEventListener("abort", give);
        this.#running.add(stop);
        try {
            return await run(stop.signal);
        } catch (error) {
            throw stop.signal.aborted ? stop.signal.reason : error;
        } finally {
            clearTimeout(late);
            given?.removeEventListener("abort", give);
            this.#running.delete(stop);
        }
    }

    #scrubbed(text: string): string {
        return text.replaceAll(this.#key, "***");
    }
}

/** So many at once; the others wait in a row. */
class Lanes {
    #free: number;
    readonly #row = new Set<() => void>();

    constructor(free: number) {
        this.#free = free;
    }

    /** Waits until one is free. */
    async take(stop: AbortSignal): Promise<void> {
        if (this.#free > 0) {
            this.#free--;
            return;
        }
        await new Promise<void>((taken, fail) => {
            const next = () => {
                stop.removeEventListener("abort", out);
                taken();
            };
            const out = () => {
                this.#row.delete(next);
                fail(stop.reason as Error);
            };
            this.#row.add(next);
            stop.addEventListener("abort", out, { once: true });
        });
    }

    /** Passes one on. */
    give(): void {
        const [next] = this.#row;
        if (!next) {
            this.#free++;
            return;
        }
        this.#row.delete(next);
        next();
    }
}

function closed(): SaysoError {
    return new SaysoError("The client is closed.");
}

/** A setting without the white space around it, such as the line break of a
 * file. */
function setting(name: string, given: string | undefined): string {
    const value = (given ?? process.env[name] ?? "").trim();
    if (!value)
        throw new ConfigurationError(`${name} is not set.`);
    return value;
}

/** The pause in seconds after try `n`: twice as long each time, and never the
 * same for two clients. What the server wants comes first. */
function backOff(n: number, after: string | null): number {
    const wanted = retryAfter(after);
    return wanted === undefined
        ? Math.min(2 ** n, PAUSE) * (0.5 + Math.random() / 2)
        : wanted * (1 + Math.random() / 10);
}

/** The seconds of a Retry-After, within reason. */
export function retryAfter(text: string | null): number | undefined {
    const said = (text ?? "").trim(), [least, most] = RETRY_AFTER;
    const seconds = /^\d{1,12}$/.test(said) ? Number(said)
        : /^[A-Z][a-z]{2},? /.test(said)
            ? (Date.parse(said) - Date.now()) / 1000 : NaN;
    return Number.isNaN(seconds) ? undefined
        : Math.min(Math.max(seconds, least), most);
}

/** What came back, which is an object with this member if a server of ours,
 * and nothing before it, has sent it. */
export function objectOf(got: Got, member: string): object {
    let read: unknown;
    try {
        read = parse(got.text);
    } catch {
        // It is said below.
    }
    if (!isObject(read) || !Object.hasOwn(read, member))
        throw new Unreachable("There is no Sayso server at this address: its "
                              + `answer has no ${member}.`, undefined,
                              got.requestId);
    return read;
}
