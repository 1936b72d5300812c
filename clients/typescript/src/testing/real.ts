/** A script that is taken to a real server. */
import { setTimeout as sleep } from "node:timers/promises";
import { Client } from "../client.js";
import { ApiError, ConfigurationError, refused } from "../errors.js";
import { type HttpOptions } from "../http.js";
import { type Suspension } from "../question.js";
import { type Asked, type Changes, replyTo, type Scripted } from "./replies.js";

const LOOK = 100; // milliseconds between two looks for questions
const TURNS = 20; // attempts and escalations that a silence passes

/** A real server, whose operator has a script. Questions that were open before
 * are left alone. A silence needs a question with a deadline, and moves the
 * clock of all open questions of the key. An error of the script is thrown by
 * `stop`; its question is withdrawn. */
export class RealServer {
    /** The questions, oldest first, as they were read last. */
    readonly asked: Suspension[] = [];
    /** Its address. */
    readonly url: string;
    /** The key. */
    readonly key: string;
    readonly #agent: string;
    readonly #script: Iterator<Scripted>;
    readonly #seen = new Set<string>();
    readonly #over = new AbortController();
    #operator: Promise<void> = Promise.resolve();
    #error: Error | undefined;

    private constructor(script: Iterable<Scripted>, options: HttpOptions) {
        this.#script = script[Symbol.iterator]();
        const { url = process.env["SAYSO_URL"],
                key = process.env["SAYSO_TEST_KEY"],
                agent = "test-agent" } = options;
        if (!url || !key)
            throw new ConfigurationError("SAYSO_URL and SAYSO_TEST_KEY are "
                                         + "needed.");
        this.url = url.trim().replace(/\/+$/, "");
        this.key = key.trim();
        this.#agent = agent;
    }

    /** Takes a script to the server.
     * @param options - Its `key` is one of `sayso key create --test`; without
     * it SAYSO_TEST_KEY. */
    static async start(script: Iterable<Scripted>,
                       options: HttpOptions = {}): Promise<RealServer> {
        const server = new RealServer(script, options);
        for (const { suspension_id } of await server.#open())
            server.#seen.add(suspension_id);
        server.#operator = server.#operate();
        return server;
    }

    /** Ends the script; the server goes on. */
    async stop(): Promise<void> {
        this.#over.abort();
        await this.#operator;
        for (const question of this.asked)
            await this.#read(question);
        if (this.#error)
            throw this.#error;
    }

    /** The same as `stop`. */
    async [Symbol.asyncDispose](): Promise<void> {
        await this.stop();
    }

    /** A client of it. */
    client(agent = this.#agent): Client {
        return new Client({ url: this.url, key: this.key, agent });
    }

    async #operate(): Promise<void> {
        const { signal } = this.#over;
        while (!signal.aborted) {
            await this.#answerNew().catch((error: unknown) => {
                this.#failed(error);
            });
            await sleep(LOOK, undefined, { signal }).catch(() => undefined);
        }
    }

    async #answerNew(): Promise<void> {
        for (const question of (await this.#open()).reverse()) {
            if (this.#seen.has(question.suspension_id))
                continue;
            this.#seen.add(question.suspension_id);
            this.asked.push(question);
            try {
                await this.#answer(question);
            } catch (error) {
                this.#failed(error); // before the agent goes on
                await this.#withdraw(question);
            }
        }
    }

    #failed(error: unknown): void {
        this.#error ??= error instanceof Error ? error
            : new Error(String(error));
    }

    async #answer(question: Asked): Promise<void> {
        const next = this.#script.next();
        if (next.done)
            throw new Error("The script has no reply to: "
                            + question.question);
        const { to } = replyTo(question, next.value);
        const made = to?.(question);
        if (!made)
            return;
        if (made.state === "expired")
            await this.#expire(question);
        else if (made.state === "cancelled")
            await this.#withdraw(question);
        else
            Object.assign(question, await this.#sent(
                "test/answer", answerOf(question, made)));
    }

    async #expire(question: Asked): Promise<void> {
        for (let turn = 0; turn < TURNS; turn++) {
            const { state, expires_at: at } = question;
            if (state !== "pending")
                return;
            if (!at)
                break;
            const left = Math.ceil((Date.parse(at) - Date.now()) / 1000) + 1;
            await this.#sent("test/clock",
                             { forward_seconds: Math.max(1, left) });
            await this.#read(question, 10);
        }
        throw new Error(`It never ends without an answer: ${
            question.question}`);
    }

    async #withdraw(question: Suspension): Promise<void> {
        await this.#sent(`suspensions/${question.suspension_id}/cancel`, {});
        await this.#read(question);
    }

    async #open(): Promise<Asked[]> {
        const { suspensions } = await this.#fetched(
            "suspensions?state=pending&limit=100") as {
                suspensions: Asked[] };
        return suspensions;
    }

    async #read(question: Suspension, wait = 0): Promise<void> {
        Object.assign(question, await this.#fetched(
            `suspensions/${question.suspension_id}?wait=${wait}`));
    }

    /** What is typed to confirm an answer is given where it is wanted. */
    async #sent(door: string, body: object): Promise<object> {
        try {
            return await this.#fetched(door, body);
        } catch (error) {
            if (!(error instanceof ApiError) || !("wanted" in error.body))
                throw error;
            return this.#fetched(door, { ...body,
                                         typed: error.body["wanted"] });
        }
    }

    async #fetched(door: string, body?: object): Promise<object> {
        const response = await fetch(`${this.url}/api/v1/${door}`, {
            signal: AbortSignal.timeout(30_000), redirect: "manual",
            headers: {
                "Authorization": `Bearer ${this.key}`,
                "X-Agent-ID": Buffer.from(this.#agent).toString("latin1"),
                "Content-Type": "application/json" },
            ...(body && { method: "POST", body: JSON.stringify(body) }) });
        const text = await response.text();
        if (!response.ok)
            throw refused(response.status, text);
        return JSON.parse(text) as object;
    }
}

/** What the server takes, of the members that a reply makes. */
function answerOf(question: Suspension, made: Changes): object {
    const { value, reason, constraints, approved_subject: subject } = made;
    const declined = ["text", "form"].includes(question.response_type)
        && question.choices.some((c) => c.value === value);
    return { suspension_id: question.suspension_id,
             [declined ? "choice" : "value"]: value,
             reason, constraints, subject };
}
