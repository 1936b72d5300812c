/** Servers for tests, whose operator has a script.
 *
 *     const server = await FakeServer.start(
 *         [approve, deny("Too much."), silence]);
 *     await runMyAgent(server.client());
 *     await server.stop();
 *
 * The fake one is on the loopback address and answers as the real one does:
 * questions with choices, yes or no, or a text, and approvals. A form and other
 * kinds are refused. `RealServer` takes the same script to a real server, with
 * a key of `sayso key create --test`, and all kinds. Each question takes the
 * next reply of the script. */
import { createHash, randomUUID } from "node:crypto";
import {
    createServer, type IncomingMessage, type Server, type ServerResponse,
} from "node:http";
import { type AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import {
    Client, type ClientOptions, SaysoError, type Suspension,
} from "./index.js";
import { authorizes, refused, type WordedChoice } from "./words.js";

type Writable = { -readonly [M in keyof Suspension]: Suspension[M] };
type Members = Record<string, any>;

/** What the operator does: makes members of the ended question. */
export interface Reply {
    readonly to: ((question: Suspension) => Members) | null;
}

type Scripted = Reply | ((question: Suspension) => Reply);

// --- Replies --------------------------------------------------------------

function chosen(effects: readonly string[], reason: string | null): Reply {
    return { to: ({ choices, question }) => {
        const found = (choices as Members[])
            .find(({ effect }) => effects.includes(effect));
        if (!found)
            throw new Error(`no choice is ${effects[0]}: ${question}`);
        return { value: found["value"], reason };
    } };
}

export const approve = chosen(["authorize", "accept"], null);

/** Nobody has answered yet; the agent needs a `wait`. */
export const pending: Reply = { to: null };

export const silence: Reply = { to: (question) => ({
    state: "expired", responded_by: "clock", responded_via: "clock",
    ...(question["fallback_policy"] === "fail"
        ? { outcome: "none" }
        : { outcome: "fallback", value: question["fallback_value"] }) }) };

export const withdrawn: Reply = { to: (question) => ({
    state: "cancelled", outcome: "none",
    responded_by: question["asked_by"] }) };

export function deny(reason: string | null = null): Reply {
    return chosen(["veto", "decline"], reason);
}

export function answer(value: unknown, reason: string | null = null): Reply {
    return { to: () => ({ value, reason }) };
}

/** Approves within lower limits. */
export function constrain(limits: object, reason: string | null = null
                          ): Reply {
    return { to: ({ subject }) => ({
        value: "constrain", reason, modified: true,
        constraints: { ...(subject as Members)["constraints"], ...limits },
    }) };
}

/** Approves the call with other arguments. */
export function edit(args: object, reason: string | null = null): Reply {
    return { to: (question) => {
        const subject = structuredClone(question["subject"]) as Members;
        Object.assign(subject["calls"][0].args, args);
        return { value: "edit", reason, modified: true,
                 approved_subject: subject,
                 approved_sha256: sha256(JSON.stringify(subject)) };
    } };
}

// --- The fake server ------------------------------------------------------

export class FakeServer {
    /** The questions, oldest first, as they are now. */
    readonly asked: Suspension[] = [];
    readonly key = `sk_${randomUUID().replaceAll("-", "")}`;
    readonly #script: Iterator<Scripted>;
    readonly #http: Server;
    readonly #replies = new Map<string, Reply>();
    readonly #uses = new Map<string, string>();
    readonly #wishes = new Map<string, { body: string; told: Members }>();

    private constructor(script: Iterable<Scripted>) {
        this.#script = script[Symbol.iterator]();
        this.#http = createServer((asked, told) => {
            void this.#serve(asked, told);
        });
    }

    /** `script`: replies, or functions of the question that give one. */
    static async start(script: Iterable<Scripted>): Promise<FakeServer> {
        const server = new FakeServer(script);
        besideProxy();
        await new Promise<void>((done) =>
            server.#http.listen(0, "127.0.0.1", done));
        return server;
    }

    async stop(): Promise<void> {
        this.#http.closeAllConnections();
        await new Promise((done) => this.#http.close(done));
    }

    get url(): string {
        const { port } = this.#http.address() as AddressInfo;
        return `http://127.0.0.1:${port}`;
    }

    client(agent = "test-agent"): Client {
        return new Client({ url: this.url, key: this.key, agent });
    }

    async #serve(request: IncomingMessage, response: ServerResponse
                 ): Promise<void> {
        let status: number, body: Members, replayed = false;
        try {
            let text = "";
            for await (const part of request.setEncoding("utf8"))
                text += part as string;
            [status, body, replayed = false]
                = await this.#answered(request, text);
        } catch (error) {
            ({ status, body } = error instanceof Refused ? error
                // Of the script, or of this file.
                : new Refused(500, "script.wrong", String(error)));
        }
        const type = status < 400 ? "json" : "problem+json";
        response.writeHead(status, {
            "Content-Type": `application/${type}`,
            ...(replayed && { "Idempotency-Replayed": "true" }) });
        response.end(JSON.stringify(body));
    }

    async #answered({ headers, method, url = "" }: IncomingMessage,
                    text: string): Promise<[number, Members, boolean?]> {
        const key = headers["x-api-key"]
            ?? headers.authorization?.replace(/^Bearer /, "");
        if (!key)
            throw new Refused(401, "key.missing", "An API key is needed.");
        if (key !== this.key)
            throw new Refused(401, "key.unknown",
                              "The API key is not valid.");
        const [path, query = ""] = url.split("?");
        const root = "/api/v1/suspensions";
        if (method === "POST" && path === root)
            return [201, ...this.#ask(text, headers)];
        if (method === "POST" && path === "/api/v1/redemptions")
            return this.#use(JSON.parse(text) as Members);
        const question = this.asked.find(({ suspension_id }) =>
            method === "GET" && path === `${root}/${suspension_id}`);
        if (!question)
            throw new Refused(404, "suspension.unknown",
                              "There is no suspension with this id.");
        this.#end(question);
        if (question.state === "pending" && !query.endsWith("=0"))
            await sleep(50); // the hold
        return [200, question];
    }

    #ask(text: string, headers: IncomingMessage["headers"]
         ): [Members, boolean] {
        const once = String(headers["idempotency-key"] ?? randomUUID());
        let wish = this.#wishes.get(once);
        const replayed = wish !== undefined;
        if (!wish) {
            const agent = String(headers["x-agent-id"] ?? "agent");
            const question = asQuestion(text, agent, this.url);
            const { done, value } = this.#script.next();
            if (done)
                throw new Refused(500, "script.over", "The script has no "
                                  + `reply to: ${question["question"]}`);
            this.#replies.set(question.suspension_id,
                              "to" in value ? value : value(question));
            this.asked.push(question);
            wish = { body: text, told: {
                ...question, status: "suspended_awaiting_input",
                version: 1 } };
            this.#wishes.set(once, wish);
        }
        if (wish.body !== text)
            throw new Refused(409, "idempotency.other_request", "This "
                + "Idempotency-Key was used for another request.");
        return [wish.told, replayed];
    }

    /** Counts the use of a yes. */
    #use({ suspension_id, operation_id, call }: Members): [number, Members] {
        const question: Writable | undefined = this.asked.find((one) =>
            one.suspension_id === suspension_id);
        if (!question)
            throw new Refused(404, "suspension.unknown",
                              "There is no suspension with this id.");
        this.#end(question);
        const subject = (question.approved_subject
                         ?? question["subject"]) as Members;
        const calls = ((subject["calls"] ?? []) as Members[])
            .map(({ tool, args }) => ({ tool, arguments: args as unknown }));
        if (question.outcome !== "authorized")
            throw new Refused(409, "permit.refused", "Nobody approved this.");
        if (calls.length && call
            && !calls.some((one) => isDeepStrictEqual(call, one)))
            throw new Refused(422, "permit.other", "This is not the call that "
                              + "was approved.");
        const permit = question["permit"] as Members | undefined;
        const fresh = !this.#uses.has(suspension_id);
        if (fresh) {
            if (!question.usable) // so says the test
                throw new Refused(409, String(question["unusable_reason"]),
                                  "The time to use this approval has ended.");
            this.#uses.set(suspension_id, operation_id);
            Object.assign(question, { usable: false,
                                      unusable_reason: "permit.spent" });
            if (permit)
                Object.assign(permit, { state: "spent", used: 1 });
        }
        if (this.#uses.get(suspension_id) !== operation_id)
            throw new Refused(409, "permit.spent",
                              "This approval was already used.");
        return [fresh ? 201 : 200, {
            redemption_id: permit ? randomUUID() : null,
            permit_id: permit?.["id"] ?? null, request_id: suspension_id,
            counted: true, n: 1, uses_left: 0, agent: question["asked_by"],
            subject: question["initiated_by"], amount: null, unit: null }];
    }

    #end(question: Writable): void {
        const { to } = this.#replies.get(question.suspension_id)!;
        if (question.state !== "pending" || !to)
            return;
        const made: Members = {
            state: "resolved", responded_by: "operator",
            responded_via: "native", responded_at: time(), ...to(question) };
        if (made["state"] === "resolved")
            made["outcome"] = outcomeOf(question, made["value"]);
        Object.assign(question, made);
        question.audit_summary
            = `${question.outcome}, by ${question.responded_by}`;
        question.receipt_url = question.url.replace(
            "/suspensions/", "/api/v1/suspensions/") + "/receipt";
        if (question.outcome !== "authorized")
            return;
        Object.assign(question, { usable: true, unusable_reason: null });
        const subject = question["subject"] as Members;
        if (subject["calls"]?.length)
            question["permit"] = {
                id: randomUUID(), state: "active", max_uses: 1, used: 0,
                not_after: time(7 * 24 * 3600),
                granted_sha256: sha256(JSON.stringify(subject)) };
    }
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

// --- The script at a real server ------------------------------------------

const LOOK = 100; // milliseconds between two looks for questions
const TURNS = 20; // attempts and escalations that a silence passes

/** Questions that were open before are left alone. A silence needs a question
 * with a deadline, and moves the clock of all open questions of the key. An
 * error of the script is thrown by `stop`; its question is withdrawn. */
export class RealServer {
    /** The questions, oldest first, as they were told of last. */
    readonly asked: Suspension[] = [];
    readonly #script: Iterator<Scripted>;
    readonly #seen = new Set<string>();
    readonly #over = new AbortController();
    readonly #access: { url: string; key: string; agent: string };
    #operator: Promise<void> = Promise.resolve();
    #error: unknown;

    private constructor(script: Iterable<Scripted>, options: ClientOptions) {
        this.#script = script[Symbol.iterator]();
        const { url = process.env["SAYSO_URL"],
                key = process.env["SAYSO_TEST_KEY"],
                agent = "test-agent" } = options;
        if (!url || !key)
            throw new Error("SAYSO_URL and SAYSO_TEST_KEY are needed.");
        this.#access = { url: url.trim().replace(/\/+$/, ""),
                         key: key.trim(), agent };
    }

    /** `key` is one of `sayso key create --test`, or SAYSO_TEST_KEY. */
    static async start(script: Iterable<Scripted>,
                       options: ClientOptions = {}): Promise<RealServer> {
        const server = new RealServer(script, options);
        for (const { suspension_id } of await server.#open())
            server.#seen.add(suspension_id);
        server.#operator = server.#operate();
        return server;
    }

    async stop(): Promise<void> {
        this.#over.abort();
        await this.#operator;
        for (const question of this.asked)
            await this.#read(question);
        if (this.#error !== undefined)
            throw this.#error;
    }

    client(): Client {
        return new Client(this.#access);
    }

    async #operate(): Promise<void> {
        const { signal } = this.#over;
        while (!signal.aborted) {
            await this.#answerNew().catch((error: unknown) => {
                this.#error ??= error;
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
                await this.#withdraw(question);
                throw error;
            }
        }
    }

    async #answer(question: Suspension): Promise<void> {
        const { done, value } = this.#script.next();
        if (done)
            throw new Error("The script has no reply to: "
                            + `${question["question"]}`);
        const { to } = "to" in value ? value : value(question);
        const made = to?.(question);
        if (!made)
            return;
        if (made["state"] === "expired")
            await this.#expire(question);
        else if (made["state"] === "cancelled")
            await this.#withdraw(question);
        else
            Object.assign(question, await this.#sent(
                "test/answer", answerOf(question, made)));
    }

    async #expire(question: Suspension): Promise<void> {
        for (let turn = 0; turn < TURNS; turn++) {
            if (question.state !== "pending")
                return;
            const at = question["expires_at"] as string | null;
            if (!at)
                break;
            const left = Math.ceil((Date.parse(at) - Date.now()) / 1000) + 1;
            await this.#sent("test/clock",
                             { forward_seconds: Math.max(1, left) });
            await this.#read(question, 10);
        }
        throw new Error("It never ends without an answer: "
                        + `${question["question"]}`);
    }

    async #withdraw(question: Suspension): Promise<void> {
        await this.#sent(`suspensions/${question.suspension_id}/cancel`, {});
        await this.#read(question);
    }

    async #open(): Promise<Writable[]> {
        const { suspensions } = await told(
            await this.#fetched("suspensions?state=pending&limit=100"));
        return suspensions as Writable[];
    }

    async #read(question: Suspension, wait = 0): Promise<void> {
        Object.assign(question, await told(await this.#fetched(
            `suspensions/${question.suspension_id}?wait=${wait}`)));
    }

    async #sent(door: string, body: Members): Promise<Members> {
        const response = await this.#fetched(door, body);
        if (response.status !== 422)
            return told(response);
        const refused = await response.json() as Members;
        if (!("wanted" in refused))
            throw new SaysoError(422, refused);
        return told(await this.#fetched(
            door, { ...body, typed: refused["wanted"] }));
    }

    #fetched(door: string, body?: Members): Promise<Response> {
        const { url, key, agent } = this.#access;
        return fetch(`${url}/api/v1/${door}`, {
            signal: AbortSignal.timeout(30_000), redirect: "manual",
            headers: { Authorization: `Bearer ${key}`,
                       "X-Agent-ID": Buffer.from(agent).toString("latin1"),
                       "Content-Type": "application/json" },
            ...(body && { method: "POST", body: JSON.stringify(body) }) });
    }
}

async function told(response: Response): Promise<Members> {
    const body = await response.json() as Members;
    if (!response.ok)
        throw new SaysoError(response.status, body);
    return body;
}

/** What the server takes, of the members that a reply makes. */
function answerOf(question: Suspension, made: Members): Members {
    const { value, reason, constraints, approved_subject: subject } = made;
    const declined = ["text", "form"].includes(
        String(question["response_type"]))
        && (question["choices"] as Members[]).some((c) => c["value"] === value);
    return { suspension_id: question.suspension_id,
             [declined ? "choice" : "value"]: value,
             reason, constraints, subject };
}

// --- The questions of the fake one ----------------------------------------

class Refused extends Error {
    readonly body: Members;

    constructor(readonly status: number, code: string, detail: string,
                at?: string, more: object = {}) {
        super(detail);
        this.body = { type: "about:blank", title: "Refused", status, code,
                      detail, ...(at ? { at } : {}), ...more };
    }
}

// The members that a question may have, and what they are without.
const defaults: Members = {
    kind: null, title: null, question: null, explanation: null,
    severity: null, response_type: null, choices: [], form: null,
    context: {}, subject: null, evidence: [], artifacts: [],
    responder: { mode: "operators", who: null, not_initiator: false },
    supersedes: null, allow_edit: false, channel_hint: null,
    timeout_seconds: null, retry_policy: null, fallback_policy: "fail",
    fallback_value: null, on_reject: "resume", intent_id: null, intent: {} };

const outcomes: Record<string, string> = {
    authorize: "authorized", authorize_modified: "authorized",
    veto: "vetoed", stop_task: "vetoed", answer: "answered",
    request_changes: "changes_requested", decline: "declined",
    accept: "accepted", none: "none" };

function outcomeOf(question: Suspension, value: unknown): string {
    if (question["response_type"] === "text")
        return "answered";
    const choice = (question["choices"] as Members[])
        .find((one) => one["value"] === value);
    if (!choice)
        throw new Error(`${String(value)} is not a choice of: ${
            question["question"]}`);
    return outcomes[choice["effect"]]!;
}

function asQuestion(text: string, agent: string, url: string): Suspension {
    const sent = parsed(text);
    check(sent);
    const body: Members = { ...defaults, ...sent };
    const id = randomUUID(), seconds = body["timeout_seconds"];
    const subject = body["subject"] ?? body["context"];
    const expires = seconds === null ? null : time(seconds);
    const { initiated_by = null } = body["intent"];
    return {
        suspension_id: id, intent_id: body["intent_id"] ?? randomUUID(),
        state: "pending", kind: body["kind"], title: body["title"],
        question: body["question"], explanation: body["explanation"],
        severity: body["severity"], severity_said: body["severity"],
        response_type: typeOf(body), choices: choicesOf(body), form: null,
        context: body["context"], subject,
        subject_sha256: sha256(raw(text, body["subject"] ? "subject"
                                                         : "context")),
        evidence: body["evidence"], artifacts: body["artifacts"],
        supersedes: body["supersedes"], allow_edit: body["allow_edit"],
        responder: body["responder"], channel_hint: body["channel_hint"],
        asked_by: agent, initiated_by,
        initiator: initiated_by === null ? null : "claimed",
        suspended_at: time(),
        ...(seconds === null ? {} : { timeout_seconds: seconds }),
        retry_policy: body["retry_policy"], attempt: 1,
        next_attempt_at: null, expires_at: expires,
        fallback_policy: body["fallback_policy"],
        fallback_value: body["fallback_value"],
        on_reject: body["on_reject"],
        on_expiry: expires === null
            ? "This request waits until somebody answers it."
            : `It ends at ${expires}.`,
        outcome: null, value: null, modified: false, constraints: null,
        approved_subject: null, approved_sha256: null, reason: null,
        metadata: null, responded_by: null, responded_via: null,
        responded_at: null, audit_summary: null,
        url: `${url}/suspensions/${id}` };
}

function parsed(text: string): Members {
    try {
        return Object.fromEntries(Object.entries(JSON.parse(text) as object)
            .filter(([, value]) => value !== null));
    } catch (error) {
        throw new Refused(400, "json.syntax", String(error),
                          "line 1, column 1");
    }
}

const TOKENS = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

/** The text of a member as it was sent: its bytes are what is hashed. */
function raw(text: string, name: string): string {
    let depth = 0, key: unknown, start = -1, end = 0, named = false;
    for (const { 0: token, index } of text.matchAll(TOKENS)) {
        if (depth === 1 && (token === "," || token === "}")) {
            if (key === name)
                return text.slice(start, end);
            named = false;
        } else if (depth === 1 && token === ":") {
            named = true;
            start = -1;
        } else if (depth === 1 && !named) {
            key = JSON.parse(token);
        } else if (start < 0) {
            start = index;
        }
        end = index + token.length;
        depth += "{[".includes(token) ? 1 : "}]".includes(token) ? -1 : 0;
    }
    return "{}";
}

function check(sent: Members): void {
    const { question, severity = "low", kind, subject = {} } = sent;
    for (const name of Object.keys(sent))
        if (!Object.hasOwn(defaults, name))
            throw new Refused(422, "field.unknown",
                              "This member is not supported here.", name);
    if (question === undefined)
        throw new Refused(422, "field.missing", '"question" is needed.',
                          "question");
    if (typeof question !== "string")
        throw new Refused(422, "field.type", '"question" has to be text.',
                          "question");
    if (!question.trim())
        throw new Refused(422, "field.empty", "A question is needed.",
                          "question");
    if (!["low", "medium", "high", "critical"].includes(severity))
        throw new Refused(422, "field.value", '"severity" has to be one of: '
                          + "low medium high critical.", "severity");
    if ("form" in sent || (kind ?? "approval") !== "approval")
        throw new Refused(501, "fake.unsupported",
                          "Test this one with a real server.");
    const missing = ["action", "target", "scope_summary"]
        .filter((name) => !subject[name]);
    if (kind && missing.length)
        throw new Refused(422, "kind.facts", `The fact "${missing[0]}" is `
                          + "needed.", `subject.${missing[0]}`, { missing });
    checkChoices({ ...defaults, ...sent });
}

function checkChoices(body: Members): void {
    const choices = choicesOf(body) as WordedChoice[];
    const values = choices.map(({ value }) => value);
    const again = values.findIndex((value, n) => values.indexOf(value) < n);
    if (again >= 0)
        throw new Refused(422, "choices.duplicate", "Two choices have the "
                          + "same value.", `choices[${again}]`);
    const [code, at] = refused(choices, typeOf(body) === "confirm") ?? [];
    if (code)
        throw new Refused(422, code, "It says the opposite of the choice's "
                          + "effect, or what another label says.", at);
    if (body["fallback_policy"] !== "fail"
        && authorizes(choices, body["fallback_value"]))
        throw new Refused(422, "fallback.authorizes",
                          "Silence is never a yes.", "fallback_value");
}

function typeOf(body: Members): string {
    return body["response_type"]
        ?? (body["choices"].length || body["kind"] ? "choice" : "confirm");
}

function choicesOf(body: Members): Members[] {
    const { choices, kind, subject, allow_edit } = body;
    if (choices.length)
        return (choices as (string | Members)[])
            .map((one) => typeof one === "string" ? { value: one } : one)
            .map((one) => ({ label: one["value"], effect: "none", ...one }));
    if (!kind)
        return typeOf(body) !== "confirm" ? []
            : [choice("yes", "Yes", "primary", "authorize"),
               choice("no", "No", "default", "veto")];
    const reason = "optional", effect = "authorize_modified";
    return [
        { ...choice("reject", "Reject", "danger", "veto"), reason },
        ...(subject?.["constraints"] ? [
            { ...choice("constrain", "Lower the limits", "default", effect),
              reason, takes: "constraints" }] : []),
        ...(allow_edit ? [
            { ...choice("edit", "Edit the values", "default", effect),
              reason, takes: "subject" }] : []),
        { ...choice("approve", "Approve", "primary", "authorize"), reason }];
}

function choice(value: string, label: string, style: string, effect: string
                ): Members {
    return { value, label, style, effect };
}

function sha256(text: string): string {
    return createHash("sha256").update(text).digest("hex");
}

function time(later = 0): string {
    return new Date(Date.now() + later * 1000).toISOString();
}
