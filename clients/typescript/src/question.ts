/** A question: what an agent gives, and what the server says of it. The members
 * have the names of the API (docs/openapi.yaml). */

/** How bad a wrong yes would be. The inbox is ordered by it. */
export type Severity = "low" | "medium" | "high" | "critical";

/** What a question is about. Each kind wants its facts in `subject`, and brings
 * its choices: docs/kinds.md. */
export type Kind = "approval" | "permission" | "plan_review" | "elicitation"
    | "credential_needed" | "cost_confirmation" | "handoff_acceptance";

/** How a question is answered. */
export type ResponseType = "choice" | "confirm" | "text" | "form";

/** What a choice does. */
export type Effect = "authorize" | "authorize_modified" | "veto" | "stop_task"
    | "request_changes" | "answer" | "decline" | "accept" | "none";

/** What an answer means. */
export type Outcome = "authorized" | "vetoed" | "changes_requested"
    | "answered" | "declined" | "accepted" | "fallback" | "none";

/** Where a question is. */
export type State = "pending" | "resolved" | "expired" | "cancelled";

/** What follows where nobody answers in time: nothing is allowed (`fail`), or
 * the agent goes on with its `fallback_value`. */
export type FallbackPolicy = "fail" | "complete_with_fallback"
    | "use_default_and_continue";

/** One of the answers that a person can give. */
export interface Choice<V extends string = string> {
    /** What you get back. */
    value: V;
    /** The text on the page; without it the value. */
    label?: string;
    /** What exactly this choice does. */
    description?: string;
    /** How it looks. */
    style?: "primary" | "danger" | "default";
    /** Whether it is a yes (`authorize`), a no (`veto`) or something else. */
    effect?: Exclude<Effect, "authorize_modified">;
    /** Whether the person has to give a reason. */
    reason?: "optional" | "required" | "none";
    /** Yours; it is kept. */
    metadata?: object;
}

/** A field of a form. */
export interface FormField {
    /** The member in the answer. */
    key: string;
    /** The text on the page; without it the key. */
    label?: string;
    /** `string` without it; `text` has several lines. */
    type?: "string" | "text" | "integer" | "number" | "boolean" | "enum"
        | "multi";
    /** Whether it has to be filled in. */
    required?: boolean;
    /** A line below the field. */
    help?: string;
    /** What is filled in beforehand. */
    default?: unknown;
    /** The least, of a number. */
    min?: number;
    /** The most, of a number. */
    max?: number;
    /** The least number of characters. */
    min_length?: number;
    /** The greatest number of characters. */
    max_length?: number;
    /** What the text has to be. */
    format?: "email" | "uri" | "date" | "date-time";
    /** The values of `enum` and `multi`. */
    options?: readonly (string | { value: string; label?: string })[];
}

/** Evidence, or what the agent made: a file that was uploaded, or any word. */
export interface Reference {
    /** The text on the page. */
    title: string;
    /** What `upload` gave, or any other word. Nobody follows it. */
    ref: string;
}

/** Who may answer. */
export interface Responder {
    /** Any operator, the person for whom the agent works, a group, one person,
     * or an agent. */
    mode: "operators" | "initiator" | "group" | "named" | "agent";
    /** The group, the person or the agent. */
    who?: string;
    /** Whether the person for whom the agent works may not. */
    not_initiator?: boolean;
}

/** How often people are reminded, and for how long. */
export interface RetryPolicy {
    /** How often the question is asked. */
    max_attempts?: number;
    /** Seconds for each time. */
    interval_seconds?: number;
    /** Kept. */
    strategy?: string;
    /** Who is asked too, from which attempt on. */
    escalation_ladder?: readonly object[];
    /** In place of `fallback_policy`. */
    final_fallback_policy?: FallbackPolicy;
}

/** The task to which a question belongs. */
export interface Intent {
    /** A short name of it. */
    title?: string;
    /** What it is about. */
    description?: string;
    /** Your id of the session. */
    session_id?: string;
    /** Your id of the task. */
    task_id?: string;
    /** Your id of the turn. */
    turn_id?: string;
    /** The person for whom the agent works. */
    initiated_by?: string;
    /** The task of which it is a part. */
    parent_intent_id?: string;
}

/** The choices of a question: their values, or all of them. */
export type Choices = readonly (string | Choice)[];

/** The members of a question, all of which may be left out. */
export interface Question<C extends Choices = Choices, F = unknown> {
    /** A short heading. */
    title?: string;
    /** Why, with all that helps to decide. */
    explanation?: string;
    /** How bad a wrong yes would be. */
    severity?: Severity;
    /** The facts, shown as a table. */
    context?: object;
    /** What it is about; without it a plain question. */
    kind?: Kind;
    /** The facts to which the answer is bound; of a kind, its facts. Without
     * it `context`. */
    subject?: object;
    /** What supports it. */
    evidence?: readonly Reference[];
    /** What the agent made. */
    artifacts?: readonly (Reference & { kind?: string })[];
    /** Who may answer; without it any operator. */
    responder?: Responder;
    /** An ended question of yours whose place this one takes. */
    supersedes?: string;
    /** Of an approval: a person may change what was asked for. */
    allow_edit?: boolean;
    /** How it is answered; without it, it follows from `choices` and `form`. */
    response_type?: ResponseType;
    /** The answers that a person can give; without them yes and no. */
    choices?: C;
    /** The fields to fill in, or the `requestedSchema` of an MCP elicitation.
     * */
    form?: readonly FormField[] | object;
    /** Seconds until its time is over; without it, it waits for ever. */
    timeout_seconds?: number;
    /** What follows where nobody answers in time. */
    fallback_policy?: FallbackPolicy;
    /** Your own default, where nobody answers in time. It allows nothing. */
    fallback_value?: F;
    /** How often people are reminded. */
    retry_policy?: RetryPolicy;
    /** What a no does to the task: it goes on, or it is given up. */
    on_reject?: "resume" | "abandon";
    /** The name of a channel for the notification. */
    channel_hint?: string;
    /** An address where the answer is sent too: docs/webhooks.md#callbacks. */
    callback?: string;
    /** What is sent there. */
    callback_body?: "message" | "data" | "answer";
    /** The task to which it belongs; without it a new one. */
    intent_id?: string;
    /** More about the new task. */
    intent?: Intent;
}

/** The value of an answer to a question with these choices, and with this
 * default. It is known where each choice is. */
export type ValueOf<C extends Choices, F = never> =
    C extends readonly never[] ? unknown
    : string extends Named<C[number]> ? unknown
    : Named<C[number]> | F | null;

type Named<One> = One extends string ? One
    : One extends { value: infer V } ? V : never;

/** A question as the server has it. */
export interface Suspension<V = unknown> {
    /** Its id. */
    readonly suspension_id: string;
    /** The task that waits for it. */
    readonly intent_id: string;
    /** Where it is: still open, answered, too late, or withdrawn. */
    readonly state: State;
    /** What it is about. */
    readonly kind: Kind | null;
    /** The heading. */
    readonly title: string | null;
    /** The question itself. */
    readonly question: string;
    /** Why, in the agent's words. */
    readonly explanation: string | null;
    /** The severity that counts: the agent's, or a higher one. */
    readonly severity: Severity | null;
    /** The severity that the agent gave. */
    readonly severity_said: Severity | null;
    /** How it is answered. */
    readonly response_type: ResponseType;
    /** The answers that can be given. */
    readonly choices: readonly (Omit<Choice, "effect"> & {
        readonly effect: Effect;
        /** What an answer with it has to have too. */
        readonly takes?: string;
    })[];
    /** The fields to fill in. */
    readonly form: readonly FormField[] | null;
    /** The facts, as they were sent. */
    readonly context: object;
    /** What the answer is bound to, as it was sent. */
    readonly subject: object;
    /** The SHA-256 of the bytes of `subject`. */
    readonly subject_sha256: string;
    /** What supports it. */
    readonly evidence: readonly Reference[];
    /** What the agent made. */
    readonly artifacts: readonly Reference[];
    /** The question whose place this one takes. */
    readonly supersedes: string | null;
    /** Whether a person may change what was asked for. */
    readonly allow_edit: boolean;
    /** Who may answer. */
    readonly responder: Responder;
    /** The channel of the notification. */
    readonly channel_hint: string | null;
    /** Where the answer is sent too. */
    readonly callback?: string;
    /** Of a test: no permit is made. */
    readonly test?: boolean;
    /** The agent. */
    readonly asked_by: string;
    /** The person for whom the agent works. */
    readonly initiated_by?: string | null;
    /** How that person is known. */
    readonly initiator?: "proven" | "claimed" | null;
    /** When it was asked. */
    readonly suspended_at: string;
    /** Seconds from then until its time is over. */
    readonly timeout_seconds?: number;
    /** How often people are reminded. */
    readonly retry_policy: RetryPolicy | null;
    /** 1, and one more for each reminder. */
    readonly attempt: number;
    /** When the next reminder is due. */
    readonly next_attempt_at: string | null;
    /** When its time is over; null: never. */
    readonly expires_at: string | null;
    /** What follows where nobody answers in time. */
    readonly fallback_policy: FallbackPolicy;
    /** The agent's default. */
    readonly fallback_value: unknown;
    /** What a no does to the task. */
    readonly on_reject: "resume" | "abandon";
    /** In a sentence, what follows where nobody answers. */
    readonly on_expiry: string;
    /** What the answer means; null while there is none. */
    readonly outcome: Outcome | null;
    /** The answer; null while there is none. */
    readonly value: V;
    /** Whether something else than what was asked for is allowed. */
    readonly modified: boolean;
    /** The limits within which it is allowed. */
    readonly constraints: object | null;
    /** What is allowed in place of `subject`. */
    readonly approved_subject: object | null;
    /** The SHA-256 of its bytes. */
    readonly approved_sha256: string | null;
    /** Why, in the person's words. */
    readonly reason: string | null;
    /** What came with the answer. */
    readonly metadata: object | null;
    /** A person's e-mail, the label of a key, an agent, or `clock`. */
    readonly responded_by: string | null;
    /** Who answered, as the answer itself says, if that is another one. */
    readonly responded_by_claimed?: string;
    /** The way in which it was answered. */
    readonly responded_via: "openintent" | "native" | "browser" | "clock"
        | "tool_call" | null;
    /** When it was answered. */
    readonly responded_at: string | null;
    /** Who decided what, when and how, in a sentence. */
    readonly audit_summary: string | null;
    /** The page on which a person answers. */
    readonly url: string;
    /** Of an ended one: a signed statement of it. */
    readonly receipt_url?: string;
    /** Of a yes: whether it can be used now. */
    readonly usable?: boolean;
    /** The code that says why it cannot be used. */
    readonly unusable_reason?: string | null;
    /** The permit of a yes. */
    readonly permit?: {
        readonly id: string;
        readonly state: "active" | "spent" | "refused" | "revoked";
        readonly max_uses: number;
        readonly used: number;
        readonly not_after: string | null;
        readonly granted_sha256: string | null;
    };
    /** The agent's id of the task. */
    readonly task_id?: string | null;
    /** Grows with each restore by which the server lost answers; no count. */
    readonly restore_epoch?: number;
    /** It was open in a backup of this time. */
    readonly restored_from?: string;
    /** What the agent said of an answer that a restore lost. */
    readonly claims?: readonly object[];
    /** The rule that erased the contents, and when. */
    readonly erased?: { readonly rule: string; readonly at: string };
    /** The calls of a check of tool calls. */
    readonly tool_calls?: readonly object[];
}

/** A question and what became of it. It has the members of the server's
 * question; `raw` is all that the server sent. */
// The members are getters, made below from one list; hence the two types.
// eslint-disable-next-line @typescript-eslint/no-unsafe-declaration-merging
export class Answer<V = unknown> {
    /** @param raw - What the server sent. */
    constructor(readonly raw: Suspension<V>) {}

    /** The id of the question. */
    get id(): string {
        return this.raw.suspension_id;
    }

    /** Whether nobody has answered, and the time is not over. */
    get pending(): boolean {
        return this.raw.state === "pending";
    }

    /** A yes to exactly what was asked: without limits, not changed, and not
     * over. Everything else is a no. */
    get approved(): boolean {
        return authorized(this) && !this.over && !changed(this);
    }

    /** A yes that no longer counted when it was read: it was used or revoked,
     * or its time has ended. */
    get over(): boolean {
        const { usable } = this.raw; // an old server does not have it
        return authorized(this) && usable !== undefined && (usable as unknown) !== true;
    }
}

/** The members of the question. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type
export interface Answer<V> extends Suspension<V> {}

const MEMBERS: Readonly<Record<keyof Suspension, true>> = {
    suspension_id: true, intent_id: true, state: true, kind: true, title: true,
    question: true, explanation: true, severity: true, severity_said: true,
    response_type: true, choices: true, form: true, context: true,
    subject: true, subject_sha256: true, evidence: true, artifacts: true,
    supersedes: true, allow_edit: true, responder: true, channel_hint: true,
    callback: true, test: true, asked_by: true, initiated_by: true,
    initiator: true, suspended_at: true, timeout_seconds: true,
    retry_policy: true, attempt: true, next_attempt_at: true, expires_at: true,
    fallback_policy: true, fallback_value: true, on_reject: true,
    on_expiry: true, outcome: true, value: true, modified: true,
    constraints: true, approved_subject: true, approved_sha256: true,
    reason: true, metadata: true, responded_by: true,
    responded_by_claimed: true, responded_via: true, responded_at: true,
    audit_summary: true, url: true, receipt_url: true, usable: true,
    unusable_reason: true, permit: true, task_id: true, restore_epoch: true,
    restored_from: true, claims: true, erased: true, tool_calls: true };

for (const name of Object.keys(MEMBERS) as (keyof Suspension)[])
    Object.defineProperty(Answer.prototype, name, {
        get(this: Answer) { return this.raw[name]; } });

/** A yes, perhaps to something else than what was asked. */
export function authorized({ raw }: Answer): boolean {
    return raw.state === "resolved" && raw.outcome === "authorized";
}

/** Whether a yes is to something else than what was asked. */
export function changed({ raw }: Answer): boolean {
    return Boolean(raw.modified || raw.constraints || raw.approved_subject);
}
