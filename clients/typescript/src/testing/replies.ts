/** What the operator of a script does. */
import { createHash } from "node:crypto";
import { type Suspension } from "../question.js";

/** The members of a question, which change when it ends. */
export type Changes = { -readonly [M in keyof Suspension]?: Suspension[M] };

/** A question of a server for tests. */
export type Asked = { -readonly [M in keyof Suspension]: Suspension[M] };

/** What the operator does: makes members of the ended question. */
export interface Reply {
    /** Nothing where nobody answers yet. */
    readonly to: ((question: Suspension) => Changes) | null;
}

/** A reply, or a function of the question that gives one. */
export type Scripted = Reply | ((question: Suspension) => Reply);

/** The reply to this question. */
export function replyTo(question: Suspension, one: Scripted): Reply {
    return "to" in one ? one : one(question);
}

function chosen(effects: readonly string[], reason: string | null): Reply {
    return { to: ({ choices, question }) => {
        const found = choices.find(({ effect }) => effects.includes(effect));
        if (!found)
            throw new Error(`no choice is ${effects[0]!}: ${question}`);
        return { value: found.value, reason };
    } };
}

/** A yes. */
export const approve: Reply = chosen(["authorize", "accept"], null);

/** Nobody has answered yet; the agent needs a `wait`. */
export const pending: Reply = { to: null };

/** Nobody answers in time. */
export const silence: Reply = { to: (question) => ({
    state: "expired", responded_by: "clock", responded_via: "clock",
    ...(question.fallback_policy === "fail"
        ? { outcome: "none" }
        : { outcome: "fallback", value: question.fallback_value }) }) };

/** The agent withdraws the question. */
export const withdrawn: Reply = { to: (question) => ({
    state: "cancelled", outcome: "none", responded_by: question.asked_by }) };

/** A no. It needs a reason where the severity is high or critical. */
export function deny(reason: string | null = null): Reply {
    return chosen(["veto", "decline"], reason);
}

/** A value: of a choice, a text, or the object of a form. */
export function answer(value: unknown, reason: string | null = null): Reply {
    return { to: () => ({ value, reason }) };
}

/** A yes within lower limits. */
export function constrain(limits: object, reason: string | null = null
                          ): Reply {
    return { to: ({ subject }) => ({
        value: "constrain", reason, modified: true, constraints: {
            ...(subject as { constraints?: object }).constraints, ...limits },
    }) };
}

/** A yes to the call with other arguments. */
export function edit(args: object, reason: string | null = null): Reply {
    return { to: (question) => {
        const subject = structuredClone(question.subject) as {
            calls: [{ args: object }] };
        Object.assign(subject.calls[0].args, args);
        return { value: "edit", reason, modified: true,
                 approved_subject: subject,
                 approved_sha256: sha256(JSON.stringify(subject)) };
    } };
}

/** In hexadecimal digits. */
export function sha256(text: string): string {
    return createHash("sha256").update(text).digest("hex");
}
