/** The questions of the fake server: which it takes, and what it says of
 * them. */
import { randomUUID } from "node:crypto";
import { isObject } from "../exact.js";
import {
    type Choice, type Effect, type Intent, type Outcome, type Question,
    type Suspension,
} from "../question.js";
import { type Asked, sha256 } from "./replies.js";
import { authorizes, refused } from "./words.js";

/** A refusal. */
export class Refused extends Error {
    /** What is sent. */
    readonly body: object;

    constructor(readonly status: number, code: string, detail: string,
                at?: string, more: object = {}) {
        super(detail);
        this.body = { type: "about:blank", title: "Refused", status, code,
                      detail, ...(at ? { at } : {}), ...more };
    }
}

/** What was sent; nobody has looked at it yet. */
type Sent = Question & { question?: unknown };
type Offered = Suspension["choices"][number];

// The members that a question may have, and what they are without.
const DEFAULTS = {
    kind: null, title: null, question: null, explanation: null,
    severity: null, response_type: null, choices: [], form: null,
    context: {}, subject: null, evidence: [], artifacts: [],
    responder: { mode: "operators", who: null, not_initiator: false },
    supersedes: null, allow_edit: false, channel_hint: null, callback: null,
    callback_body: null, timeout_seconds: null, retry_policy: null,
    fallback_policy: "fail", fallback_value: null, on_reject: "resume",
    intent_id: null, intent: {} };

const OUTCOMES: Record<Effect, Outcome> = {
    authorize: "authorized", authorize_modified: "authorized",
    veto: "vetoed", stop_task: "vetoed", answer: "answered",
    request_changes: "changes_requested", decline: "declined",
    accept: "accepted", none: "none" };

const YEAR = 366 * 24 * 3600; // seconds, the longest time for an answer

/** The outcome of an answer, which the question has to take. */
export function outcomeOf(question: Suspension): Outcome {
    const { response_type, choices, value, reason } = question;
    if (response_type === "text")
        return "answered";
    const choice = choices.find((one) => one.value === value);
    if (!choice)
        throw new Error(`${String(value)} is not a choice of: ${
            question.question}`);
    if (choice.reason === "required" && !reason?.trim())
        throw new Error("reason.missing: This answer needs a reason.");
    return OUTCOMES[choice.effect];
}

/** The question that was sent. */
export function asQuestion(text: string, agent: string, url: string): Asked {
    const sent = parsed(text);
    check(sent);
    const body = { ...DEFAULTS, ...sent } as unknown as Suspension
        & { intent: Intent };
    const id = randomUUID(), seconds = sent.timeout_seconds;
    const expires = seconds ? time(seconds) : null;
    const { initiated_by = null } = body.intent;
    return {
        suspension_id: id, intent_id: sent.intent_id ?? randomUUID(),
        state: "pending", kind: body.kind, title: body.title,
        question: body.question, explanation: body.explanation,
        severity: body.severity, severity_said: body.severity,
        response_type: typeOf(sent), choices: choicesOf(sent), form: null,
        context: body.context, subject: sent.subject ?? body.context,
        subject_sha256: sha256(raw(text, sent.subject ? "subject"
                                                      : "context")),
        evidence: body.evidence, artifacts: body.artifacts,
        supersedes: body.supersedes, allow_edit: body.allow_edit,
        responder: body.responder, channel_hint: body.channel_hint,
        ...(sent.callback ? { callback: sent.callback } : {}),
        asked_by: agent, initiated_by,
        initiator: initiated_by === null ? null : "claimed",
        suspended_at: time(), ...(seconds ? { timeout_seconds: seconds } : {}),
        retry_policy: body.retry_policy, attempt: 1,
        next_attempt_at: null, expires_at: expires,
        fallback_policy: body.fallback_policy,
        fallback_value: body.fallback_value, on_reject: body.on_reject,
        on_expiry: expires === null
            ? "This request waits until somebody answers it."
            : `It ends at ${expires}.`,
        outcome: null, value: null, modified: false, constraints: null,
        approved_subject: null, approved_sha256: null, reason: null,
        metadata: null, responded_by: null, responded_via: null,
        responded_at: null, audit_summary: null,
        url: `${url}/suspensions/${id}` };
}

function parsed(text: string): Sent {
    try {
        const all = Object.entries(
            JSON.parse(text) as Record<string, unknown>);
        return Object.fromEntries(all.filter(([, one]) => one !== null));
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

// --- What is refused --------------------------------------------------------

function check(sent: Sent): void {
    const { question, severity = "low", kind, timeout_seconds: time } = sent;
    for (const name of Object.keys(sent))
        if (!Object.hasOwn(DEFAULTS, name))
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
    if (time !== undefined && !(Number.isInteger(time) && time >= 1
                                && time <= YEAR))
        throw new Refused(422, "field.range", '"timeout_seconds" has to be '
                          + `from 1 to ${YEAR}.`, "timeout_seconds");
    if ("form" in sent || (kind ?? "approval") !== "approval")
        throw new Refused(501, "fake.unsupported",
                          "Test this one with a real server.");
    if (kind)
        checkFacts(sent);
    checkChoices(sent);
}

function checkFacts(sent: Sent): void {
    const subject = (sent.subject ?? {}) as Record<string, unknown>;
    const names = ["action", "target", "scope_summary",
                   ...(isHigh(sent) ? ["consequence"] : [])];
    const missing = names.filter((name) => {
        const fact = subject[name];
        return !(isObject(fact) || typeof fact === "string" && fact.trim());
    });
    if (missing.length)
        throw new Refused(422, "kind.facts", `The fact "${missing[0]!}" is `
                          + "needed.", `subject.${missing[0]!}`, { missing });
}

function checkChoices(sent: Sent): void {
    const choices = choicesOf(sent);
    const values = choices.map(({ value }) => value);
    const again = values.findIndex((value, n) => values.indexOf(value) < n);
    if (again >= 0)
        throw new Refused(422, "choices.duplicate", "Two choices have the "
                          + "same value.", `choices[${again}]`);
    const worded = choices.map((one) => ({ ...one,
                                           label: one.label ?? one.value }));
    const [code, at] = refused(worded, typeOf(sent) === "confirm") ?? [];
    if (code)
        throw new Refused(422, code, "It says the opposite of the choice's "
                          + "effect, or what another label says.", at);
    if ((sent.fallback_policy ?? "fail") !== "fail"
        && authorizes(worded, sent.fallback_value))
        throw new Refused(422, "fallback.authorizes",
                          "Silence is never a yes.", "fallback_value");
}

// --- What can be answered ---------------------------------------------------

function isHigh({ severity }: Sent): boolean {
    return severity === "high" || severity === "critical";
}

function typeOf(sent: Sent): Suspension["response_type"] {
    return sent.response_type
        ?? (sent.choices?.length || sent.kind ? "choice" : "confirm");
}

function choicesOf(sent: Sent): Offered[] {
    const { choices, kind, subject, allow_edit } = sent;
    if (choices?.length)
        return choices
            .map((one): Choice => typeof one === "string"
                ? { value: one } : one)
            .map((one) => ({ label: one.value, effect: "none", ...one }));
    if (!kind)
        return typeOf(sent) !== "confirm" ? []
            : [choice("yes", "Yes", "primary", "authorize"),
               choice("no", "No", "default", "veto")];
    const reason = "optional", effect = "authorize_modified";
    return [
        { ...choice("reject", "Reject", "danger", "veto"),
          reason: isHigh(sent) ? "required" : reason },
        ...(subject && "constraints" in subject ? [
            { ...choice("constrain", "Lower the limits", "default", effect),
              reason, takes: "constraints" } as const] : []),
        ...(allow_edit ? [
            { ...choice("edit", "Edit the values", "default", effect),
              reason, takes: "subject" } as const] : []),
        { ...choice("approve", "Approve", "primary", "authorize"), reason }];
}

function choice(value: string, label: string, style: NonNullable<
                Choice["style"]>, effect: Effect): Offered {
    return { value, label, style, effect };
}

/** The time, or a later one. */
export function time(later = 0): string {
    return new Date(Date.now() + later * 1000).toISOString();
}
