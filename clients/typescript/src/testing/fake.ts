/** A server on the loopback address, which answers as the real one does. */
import { randomUUID } from "node:crypto";
import {
    createServer, type IncomingMessage, type Server, type ServerResponse,
} from "node:http";
import { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { Client } from "../client.js";
import { isObject } from "../exact.js";
import { type Suspension } from "../question.js";
import { asQuestion, outcomeOf, Refused, time } from "./questions.js";
import {
    type Asked, type Reply, replyTo, type Scripted, sha256, withdrawn,
} from "./replies.js";

const HOLD = 50; // milliseconds for which it holds a read
const ROOT = "/api/v1/suspensions";
const STATES = ["pending", "resolved", "expired", "cancelled"];

/** A request. */
interface Call {
    readonly method: string;
    readonly path: string;
    readonly query: URLSearchParams;
    readonly headers: IncomingMessage["headers"];
    readonly text: string;
}

/** Its status and body, and whether it is the answer from before. */
type Told = [status: number, body: object, replayed?: boolean];

/** A server on the loopback address whose operator has a script. Each question
 * takes the next reply of it. */
export class FakeServer {
    /** The questions, oldest first, as they are now. */
    readonly asked: Suspension[] = [];
    /** The key that it knows. */
    readonly key = `sk_${randomUUID().replaceAll("-", "")}`;
    readonly #script: Iterator<Scripted>;
    readonly #http: Server;
    readonly #replies = new Map<string, Reply>();
    readonly #ended: Suspension[] = [];
    readonly #uses = new Map<string, string>();
    readonly #wishes = new Map<string, { body: string;
        told: Suspension & { status: string; version: number } }>();

    private constructor(script: Iterable<Scripted>) {
        this.#script = script[Symbol.iterator]();
        this.#http = createServer((asked, told) => {
            void this.#serve(asked, told);
        });
    }

    /** Starts one.
     * @param script - Replies, or functions of the question that give one. */
    static async start(script: Iterable<Scripted>): Promise<FakeServer> {
        const server = new FakeServer(script);
        besideProxy();
        await new Promise<void>((done) =>
            server.#http.listen(0, "127.0.0.1", done));
        return server;
    }

    /** Stops it. */
    async stop(): Promise<void> {
        this.#http.closeAllConnections();
        await new Promise((done) => this.#http.close(done));
    }

    /** The same as `stop`. */
    async [Symbol.asyncDispose](): Promise<void> {
        await this.stop();
    }

    /** Its address. */
    get url(): string {
        const { port } = this.#http.address() as AddressInfo;
        return `http://127.0.0.1:${port}`;
    }

    /** A client of it. */
    client(agent = "test-agent"): Client {
        return new Client({ url: this.url, key: this.key, agent });
    }

    async #serve(request: IncomingMessage, response: ServerResponse
                 ): Promise<void> {
        let status: number, body: object, replayed = false;
        try {
            let text = "";
            for await (const part of request.setEncoding("utf8"))
                text += part as string;
            const { headers, method = "GET", url = "" } = request;
            const { pathname: path, searchParams: query }
                = new URL(url, this.url);
            this.#admit(headers);
            [status, body, replayed = false]
                = await this.#answered({ method, path, query, headers, text });
        } catch (error) {
            ({ status, body } = error instanceof Refused ? error
                // Of the script, or of this file.
                : new Refused(500, "script.wrong", String(error)));
        }
        const type = status < 400 ? "json" : "problem+json";
        response.writeHead(status, {
            "Content-Type": `application/${type}`,
            "X-Request-Id": randomUUID(),
            ...(replayed && { "Idempotency-Replayed": "true" }) });
        response.end(JSON.stringify(body));
    }

    #admit(headers: Call["headers"]): void {
        const key = headers["x-api-key"]
            ?? headers.authorization?.replace(/^Bearer /, "");
        if (!key)
            throw new Refused(401, "key.missing", "An API key is needed.");
        if (key !== this.key)
            throw new Refused(401, "key.unknown",
                              "The API key is not valid.");
    }

    async #answered(call: Call): Promise<Told> {
        const { method, path, query, text } = call;
        const [id, action] = path.slice(ROOT.length + 1).split("/");
        if (method === "POST" && path === "/api/v1/redemptions")
            return this.#use(JSON.parse(text) as Use);
        if (path === ROOT && method === "POST")
            return this.#ask(call);
        if (path === ROOT) {
            this.#checkQuery(query);
            return [200, query.has("ended_after")
                ? await this.#feed(call) : this.#list(call)];
        }
        const question = this.#find(id);
        if (method === "POST" && action === "cancel")
            return [200, this.#cancel(question, text)];
        this.#end(question);
        if (question.state === "pending" && query.get("wait") !== "0")
            await sleep(HOLD);
        return [200, question];
    }

    #find(id: string | undefined): Asked {
        const found = this.asked.find((one) => one.suspension_id === id);
        if (!found)
            throw new Refused(404, "suspension.unknown",
                              "There is no suspension with this id.");
        return found;
    }

    #ask({ text, headers }: Call): Told {
        const once = String(headers["idempotency-key"] ?? randomUUID());
        let wish = this.#wishes.get(once);
        const replayed = wish !== undefined;
        if (!wish) {
            const question = asQuestion(text, agentOf(headers), this.url);
            const next = this.#script.next();
            if (next.done)
                throw new Refused(500, "script.over", "The script has no "
                                  + `reply to: ${question.question}`);
            this.#replies.set(question.suspension_id,
                              replyTo(question, next.value));
            this.asked.push(question);
            wish = { body: text, told: {
                ...question, status: "suspended_awaiting_input",
                version: 1 } };
            this.#wishes.set(once, wish);
        }
        if (wish.body !== text)
            throw new Refused(409, "idempotency.other_request", "This "
                + "Idempotency-Key was used for another request.",
                undefined, { suspension_id: wish.told.suspension_id });
        return [201, wish.told, replayed];
    }

    // --- Several questions ------------------------------------------------

    #checkQuery(query: URLSearchParams): void {
        const allowed: Record<string, (text: string) => boolean> = {
            limit: (text) => /^([1-9]\d?|100)$/.test(text),
            state: (text) => STATES.includes(text),
            after: (text) => this.asked.some((one) =>
                one.suspension_id === text),
            ended_after: (text) => text === "now" || /^\d{1,9}$/.test(text) };
        const wrong = [...query].find(([name, text]) =>
            !(allowed[name]?.(text) ?? true))?.[0];
        const other = query.has("ended_after")
            ? ["state", "after"].find((name) => query.has(name)) : undefined;
        const at = wrong ?? other;
        if (at !== undefined)
            throw new Refused(400, "request.query", `"${at}" is wrong.`, at);
    }

    #list({ query, headers }: Call): object {
        this.#endAll();
        const state = query.get("state"), after = query.get("after");
        const mine = this.asked.filter((one) =>
            one.asked_by === agentOf(headers)
            && (!state || one.state === state)).reverse();
        const from = mine.findIndex((one) => one.suspension_id === after) + 1;
        const to = from + Number(query.get("limit") ?? 50);
        const suspensions = mine.slice(from, to);
        return { suspensions, next: to < mine.length
            ? suspensions.at(-1)!.suspension_id : null };
    }

    async #feed({ query, headers }: Call): Promise<object> {
        this.#endAll();
        const after = query.get("ended_after"), all = query.has("agents");
        const from = after === "now" ? this.#ended.length : Number(after);
        const found = () => this.#ended.slice(from).filter((one) =>
            all || one.asked_by === agentOf(headers));
        let left = 1000 * Number(query.get("wait") ?? 0);
        for (; left > 0 && !found().length; left -= HOLD)
            await sleep(HOLD, undefined, { ref: false });
        return { suspensions: found(), next: String(this.#ended.length),
                 more: false };
    }

    // --- The end of a question ----------------------------------------------

    #endAll(): void {
        for (const one of this.asked)
            this.#end(one);
    }

    #end(question: Asked): void {
        const { to } = this.#replies.get(question.suspension_id)!;
        if (question.state === "pending" && to)
            this.#change(question, to);
    }

    #cancel(question: Asked, text: string): Suspension {
        this.#end(question);
        const { state, suspension_id, outcome, responded_by, responded_at,
                value, audit_summary } = question;
        if (state !== "pending")
            throw new Refused(
                409, state === "expired" ? "suspension.expired"
                    : "suspension.already_decided",
                `This request is no longer open: ${audit_summary}`, undefined,
                { suspension_id, state, outcome, responded_by, responded_at,
                  value, audit_summary });
        const { reason = null } = JSON.parse(text || "{}") as {
            reason?: string | null };
        return this.#change(question, (one) => ({ ...withdrawn.to!(one),
                                                  reason }));
    }

    #change(question: Asked, to: NonNullable<Reply["to"]>): Suspension {
        const made = { state: "resolved", responded_by: "operator",
                       responded_via: "native", responded_at: time(),
                       ...to(question) } as const;
        const outcome = made.state === "resolved"
            ? outcomeOf({ ...question, ...made }) : made.outcome!;
        Object.assign(question, made, { outcome });
        question.audit_summary = `${outcome}, by ${question.responded_by}`;
        question.receipt_url = question.url.replace(
            "/suspensions/", `${ROOT}/`) + "/receipt";
        this.#ended.push(question);
        if (outcome !== "authorized")
            return question;
        Object.assign(question, { usable: true, unusable_reason: null });
        if (callsOf(question.subject).length)
            question.permit = {
                id: randomUUID(), state: "active", max_uses: 1, used: 0,
                not_after: time(7 * 24 * 3600),
                granted_sha256: sha256(JSON.stringify(question.subject)) };
        return question;
    }

    // --- The use of a yes ---------------------------------------------------

    /** Counts the use of a yes. */
    #use({ suspension_id, permit_id, operation_id, call }: Use): Told {
        const permitted = this.asked.find(({ permit }) =>
            permit_id && permit?.id === permit_id);
        const question = permitted ?? this.#find(suspension_id);
        const id = question.suspension_id, { permit } = question;
        this.#end(question);
        const calls = callsOf(question.approved_subject ?? question.subject);
        if (question.outcome !== "authorized")
            throw new Refused(409, question.state === "pending"
                ? "permit.asked" : "permit.refused", "Nobody approved this.");
        if (calls.length && (call || permitted)
            && !calls.some((one) => isDeepStrictEqual(call, one)))
            throw new Refused(422, "permit.other", "This is not the call that "
                              + "was approved.");
        const fresh = !this.#uses.has(id);
        if (fresh) {
            if (!question.usable) // so says the test
                throw new Refused(409, String(question.unusable_reason),
                                  "The time to use this approval has ended.");
            this.#uses.set(id, operation_id);
            Object.assign(question, {
                usable: false, unusable_reason: "permit.spent",
                ...(permit && { permit: {
                    ...permit, state: "spent", used: 1 } }) });
        }
        if (this.#uses.get(id) !== operation_id)
            throw new Refused(409, "permit.spent",
                              "This approval was already used.");
        return [fresh ? 201 : 200, {
            redemption_id: permit ? randomUUID() : null,
            permit_id: permit?.id ?? null, request_id: id,
            counted: true, n: 1, uses_left: 0, agent: question.asked_by,
            subject: question.initiated_by, amount: null, unit: null }];
    }
}

interface Use {
    suspension_id?: string;
    permit_id?: string;
    operation_id: string;
    call?: unknown;
}

/** The calls of a subject, as they are redeemed. */
function callsOf(subject: object): object[] {
    const { calls } = subject as { calls?: unknown };
    return !Array.isArray(calls) ? []
        : calls.filter(isObject).map((one) => {
            const { tool, args } = one as { tool?: unknown; args?: unknown };
            return { tool, arguments: args };
        });
}

function agentOf(headers: Call["headers"]): string {
    return String(headers["x-agent-id"] ?? "agent");
}

/** Node may send every fetch to a proxy (NODE_USE_ENV_PROXY), which does not
 * reach this machine's loopback address. */
function besideProxy(): void {
    const { env } = process;
    const name = env["no_proxy"] === undefined ? "NO_PROXY" : "no_proxy";
    const hosts = env[name]?.split(/[,\s]+/).filter(Boolean) ?? [];
    if (!hosts.includes("127.0.0.1"))
        env[name] = [...hosts, "127.0.0.1"].join(",");
}
