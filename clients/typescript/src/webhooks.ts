/** The messages that the server sends to an endpoint of yours. */
import { createHmac, timingSafeEqual } from "node:crypto";
import { InvalidSignature } from "./errors.js";
import { parse } from "./exact.js";

const SKEW = 300; // seconds between two clocks

/** The headers of a request, as Node or `fetch` has them. */
export type WebhookHeaders = { get(name: string): string | null }
    | Readonly<Record<string, string | readonly string[] | undefined>>;

/** A message: docs/webhooks.md has its types. */
export interface WebhookMessage {
    /** What happened, such as `intent_authorized`. */
    readonly type: string;
    /** When. */
    readonly timestamp: string;
    /** The rest of it, such as `suspension_id`, `outcome` and `value`. */
    readonly data: Readonly<Record<string, unknown>>;
}

/** Checks the signature of a message (Standard Webhooks).
 * @param body - The body as it came.
 * @param secret - `whsec_...`, as the endpoint was made with it.
 * @param now - Seconds since 1970; without it those of the clock.
 * @throws InvalidSignature where it is not from the server, or too old. */
export function verifyWebhook(body: string | Uint8Array,
                              headers: WebhookHeaders, secret: string,
                              now = Date.now() / 1000): WebhookMessage {
    const sent = header(headers, "webhook-timestamp");
    const key = secret.trim().replace(/^whsec_/, "");
    if (!/^\d{1,12}$/.test(sent) || !/^[A-Za-z0-9+/]+={0,2}$/.test(key))
        throw new InvalidSignature("the time or the secret is none");
    if (!(Math.abs(now - Number(sent)) <= SKEW))
        throw new InvalidSignature("the message is too old");
    const mine = createHmac("sha256", Buffer.from(key, "base64"))
        .update(`${header(headers, "webhook-id")}.${sent}.`).update(body)
        .digest();
    const given = header(headers, "webhook-signature").split(" ");
    if (!given.some((one) => one.startsWith("v1,") && same(one.slice(3),
                                                           mine)))
        throw new InvalidSignature("the signature does not match");
    return parse(Buffer.from(body).toString()) as WebhookMessage;
}

function same(given: string, mine: Buffer): boolean {
    const bytes = Buffer.from(given, "base64");
    return bytes.length === mine.length && timingSafeEqual(bytes, mine);
}

function header(headers: WebhookHeaders, name: string): string {
    const value: unknown = typeof headers["get"] === "function"
        ? headers["get"](name)
        : Object.entries(headers)
            .find(([key]) => key.toLowerCase() === name)?.[1];
    if (typeof value !== "string")
        throw new InvalidSignature(`no ${name}`);
    return value;
}
