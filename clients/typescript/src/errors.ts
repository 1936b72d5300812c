/** The errors: one base, and a class for each thing that one does about them. */
import { isObject, parse } from "./exact.js";
import { type Answer, authorized } from "./question.js";

/** The base of all errors of this package. */
export class SaysoError extends Error {
    override readonly name: string = "SaysoError";

    /** @param message - What is wrong.
     * @param requestId - The server's id of the request. An operator finds it
     * in the server's log. */
    constructor(message: string, readonly requestId?: string) {
        super(message);
    }
}

/** A setting is missing or wrong: set it. */
export class ConfigurationError extends SaysoError {
    override readonly name = "ConfigurationError";
}

/** The server is away or busy, also after several tries, or something else
 * answers at its address. Nothing was allowed; try again later. */
export class Unreachable extends SaysoError {
    override readonly name = "Unreachable";

    /** @param message - What happened.
     * @param retryAfter - The seconds after which the server wants to be asked
     * again, if it said so.
     * @param requestId - The server's id of the request. */
    constructor(message: string, readonly retryAfter?: number,
                requestId?: string) {
        super(message, requestId);
    }
}

/** A message is not from the server, or too old: drop it. */
export class InvalidSignature extends SaysoError {
    override readonly name = "InvalidSignature";
}

/** A yes that cannot be used for now, a no, or a mistake of the caller. */
const NOT_OVER = ["permit.paused", "permit.asked", "permit.refused",
  "operation.other_call"];

/** Nobody said yes, or the yes is over: do not act. The message can be passed
 * to a model. */
export class Denied extends SaysoError {
    override readonly name = "Denied";

    /** @param answer - The question, as it is now.
     * @param message - Why it is not allowed.
     * @param code - The server's code, if it did not let the yes be used.
     * @param requestId - The server's id of the request. */
    constructor(readonly answer: Answer, message = refusal(answer),
                readonly code = "", requestId?: string) {
        super(message, requestId);
    }

    /** There was a yes, and it no longer counts: ask again. */
    get over(): boolean {
        return this.answer.over
            || this.code !== "" && !NOT_OVER.includes(this.code);
    }
}

/** Why a call does not run, worded for a model as well. */
function refusal(answer: Answer): string {
    const { state, constraints, approved_subject: changed } = answer;
    if (state === "pending" || state === "expired")
        return "Nobody answered in time. That is not a yes.";
    if (state === "cancelled")
        return "The question was withdrawn.";
    if (answer.over)
        return "The approval has ended. Ask again.";
    if (authorized(answer) && constraints)
        return `Approved only within limits: ${shown(constraints)}. Ask again `
            + "for a call within them.";
    if (authorized(answer) && changed)
        return "Approved only with changes. Ask again for what was approved.";
    return answer.reason || answer.audit_summary || "Nobody approved this.";
}

function shown(value: unknown): string {
    return JSON.stringify(value, (_, part: unknown) =>
        typeof part === "bigint" ? String(part) : part);
}

/** The server refused a request. Its subclasses say what to do. */
export class ApiError extends SaysoError {
    override readonly name: string = "ApiError";
    /** Says for a program what is wrong: docs/errors.md has all codes. */
    readonly code: string;
    /** Says for a person what is wrong. */
    readonly detail: string;
    /** The member or parameter that is wrong, or nothing. */
    readonly at: string;

    /** @param status - The HTTP status.
     * @param body - The whole answer.
     * @param requestId - The server's id of the request. */
    constructor(readonly status: number,
                readonly body: Readonly<Record<string, unknown>>,
                requestId?: string) {
        const { code = "", detail = "", at = "" } = body;
        super(`${String(code) || status}: ${String(detail)}`, requestId);
        this.code = String(code);
        this.detail = String(detail);
        this.at = String(at);
    }
}

/** The request is wrong: mend the program. */
export class InvalidRequest extends ApiError {
    override readonly name = "InvalidRequest";
}

/** The key is missing or not valid (401): use another one. */
export class Unauthenticated extends ApiError {
    override readonly name = "Unauthenticated";
}

/** The key, or the agent's name, may not do this (403). */
export class Forbidden extends ApiError {
    override readonly name = "Forbidden";
}

/** There is nothing with this id for this agent's name (404). */
export class NotFound extends ApiError {
    override readonly name = "NotFound";
}

/** Something changed or was decided already (409): read it again. */
export class Conflict extends ApiError {
    override readonly name = "Conflict";

    /** The question that is in the way, if the server named one. */
    get suspensionId(): string | undefined {
        const { suspension_id: id } = this.body;
        return typeof id === "string" ? id : undefined;
    }
}

/** A defect of the server (5xx): report `requestId`. */
export class ServerError extends ApiError {
    override readonly name = "ServerError";
}

const KINDS: Readonly<Record<number, typeof ApiError>> = {
    401: Unauthenticated, 403: Forbidden, 404: NotFound, 409: Conflict };

/** The error of a refusal. The body is text, since something else than the
 * server may have sent it. */
export function refused(status: number, text: string, requestId?: string
                        ): ApiError {
    const kind = KINDS[status]
        ?? (status >= 500 ? ServerError : InvalidRequest);
    let body: unknown;
    try {
        body = parse(text);
    } catch {
        // It is no JSON.
    }
    return new kind(status, isObject(body)
        ? body as Record<string, unknown> : { detail: text }, requestId);
}
