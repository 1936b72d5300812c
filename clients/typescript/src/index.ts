/** Ask a person before an AI agent acts: README.md.
 * @packageDocumentation */
import { type AnyApproval, type AskOptions, type CallOptions } from "./call.js";
import {
    approvedBy, type CancelOptions, type Client, environment,
    type GetOptions, type ListOptions, type Redemption, type RedeemOptions,
    type UseOptions,
} from "./client.js";
import { type Feed, type FeedOptions } from "./feed.js";
import { type Answer, type Choices, type ValueOf } from "./question.js";

export type {
    AdapterOptions, ApprovalOptions, Approved, ApprovedPositional, AskOptions,
    CallOptions, Given, Names, OnAsked, Waiting,
} from "./call.js";
export { Client } from "./client.js";
export type {
    CancelOptions, ClientOptions, GetOptions, ListOptions, Redemption,
    RedeemOptions, UseOptions,
} from "./client.js";
export {
    ApiError, ConfigurationError, Conflict, Denied, Forbidden,
    InvalidRequest, InvalidSignature, NotFound, SaysoError, ServerError,
    Unauthenticated, Unreachable,
} from "./errors.js";
export { ExactNumber } from "./exact.js";
export { Feed } from "./feed.js";
export type { FeedOptions } from "./feed.js";
export { VERSION } from "./http.js";
export type { Fetch, HttpOptions } from "./http.js";
export { Answer } from "./question.js";
export type {
    Choice, Choices, Effect, FallbackPolicy, FormField, Intent, Kind, Outcome,
    Question, Reference, Responder, ResponseType, RetryPolicy, Severity, State,
    Suspension, ValueOf,
} from "./question.js";
export { verifyWebhook } from "./webhooks.js";
export type { WebhookHeaders, WebhookMessage } from "./webhooks.js";

// --- With the client of the environment -----------------------------------

/** `Client.ask`, with the client of the environment. */
export async function ask<const C extends Choices = readonly never[],
                          F = never>(
    question: string, options: AskOptions<C, F> = {}
): Promise<Answer<ValueOf<C, F>>> {
    return environment().ask(question, options);
}

/** `Client.approveCall`, with the client of the environment. */
export async function approveCall<A extends object>(
    tool: string, args: A, options: CallOptions = {}): Promise<A> {
    return environment().approveCall(tool, args, options);
}

/** `Client.requireApproval`, with the client of the environment, which is read
 * at the first call. */
export const requireApproval = ((
    run: (...args: readonly unknown[]) => unknown, options: AnyApproval = {}) =>
    approvedBy(environment, run, options)) as Client["requireApproval"];

/** `Client.get`, with the client of the environment. */
export async function get(id: string, options: GetOptions = {}
                          ): Promise<Answer> {
    return environment().get(id, options);
}

/** `Client.list`, with the client of the environment. */
export async function* list(options: ListOptions = {}
                            ): AsyncGenerator<Answer, void> {
    yield* environment().list(options);
}

/** `Client.cancel`, with the client of the environment. */
export async function cancel(id: string, options: CancelOptions = {}
                             ): Promise<Answer> {
    return environment().cancel(id, options);
}

/** `Client.feed`, with the client of the environment. */
export function feed(options: FeedOptions = {}): Feed {
    return environment().feed(options);
}

/** `Client.use`, with the client of the environment. */
export async function use(answer: Answer, options: UseOptions = {}
                          ): Promise<Redemption> {
    return environment().use(answer, options);
}

/** `Client.redeem`, with the client of the environment. */
export async function redeem(operation: string, options: RedeemOptions
                             ): Promise<Redemption> {
    return environment().redeem(operation, options);
}

/** `Client.upload`, with the client of the environment. */
export async function upload(data: string | Uint8Array<ArrayBuffer>,
                             mediaType: string,
                             options: { signal?: AbortSignal } = {}
                             ): Promise<string> {
    return environment().upload(data, mediaType, options);
}
