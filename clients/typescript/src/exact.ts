/** JSON whose numbers are read exactly as they were written. */
import { randomUUID } from "node:crypto";

/** A number that no other type carries. As text it is what was written. */
export class ExactNumber {
    /** @param text - As it was written. */
    constructor(readonly text: string) {}

    /** As it was written. */
    toString(): string { return this.text; }

    /** In JSON it is a text. */
    toJSON(): string { return this.text; }
}

/** An object has a member twice: each reader takes another one. */
export class Doubled extends SyntaxError {}

const TOKENS = /"[^"\\]*(?:\\.[^"\\]*)*"|-?\d[\d.eE+-]*/gs;
const STRINGS = /"[^"\\]*(?:\\.[^"\\]*)*"/gs;

/** Like `JSON.parse`; but a number that JavaScript would change is a bigint, or
 * an `ExactNumber` where it is none of the integers. */
export function parse(text: string): unknown {
    const read: unknown = JSON.parse(text), mark = randomUUID();
    let lost = false;
    if (text.replace(STRINGS, "").split(":").length - 1 !== members(read))
        throw new Doubled("an object has a member twice");
    const marked = text.replace(TOKENS, (token) => {
        if (token.startsWith('"') || exact(token))
            return token;
        lost = true;
        return `"${mark}${token}"`;
    });
    // The replacement above may have set it.
    // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition
    return !lost ? read : JSON.parse(marked, (_, value: unknown) =>
        typeof value === "string" && value.startsWith(mark)
            ? numeral(value.slice(mark.length)) : value);
}

function members(value: unknown): number {
    const inside = isObject(value) || Array.isArray(value)
        ? Object.values(value) : [];
    return inside.reduce((sum: number, one) => sum + members(one),
                         isObject(value) ? inside.length : 0);
}

/** Whether a function gets every number of it as it was written. An integer
 * beyond 2^53 may be another one already. */
export function carried(value: unknown): boolean {
    if (typeof value === "number")
        return Number.isFinite(value)
            && (!Number.isInteger(value) || Number.isSafeInteger(value));
    if (typeof value === "bigint" || value instanceof ExactNumber)
        return false;
    return typeof value !== "object" || value === null
        || Object.values(value).every(carried);
}

function exact(text: string): boolean {
    const value = Number(text);
    return Number.isFinite(value) && carried(value)
        && plain(String(value)) === plain(text);
}

function numeral(text: string): bigint | ExactNumber {
    return /^-?\d+$/.test(text) ? BigInt(text) : new ExactNumber(text);
}

/** The digits without zeros around them, and the power of ten. */
function plain(text: string): string {
    const [, sign, whole = "", part = "", power = "0"]
        = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
    const digits = (whole + part).replace(/^0+/, "");
    const kept = digits.replace(/0+$/, "");
    return kept === "" ? "0" : `${sign}${kept}e${
        BigInt(power) - BigInt(part.length)
        + BigInt(digits.length - kept.length)}`;
}

// --- What JSON can show -----------------------------------------------------

/** The JSON of a value, with the members of all objects in the order of their
 * names. */
export function ordered(value: unknown): string {
    return JSON.stringify(JSON.parse(JSON.stringify(value), (_, one: unknown) =>
        !isObject(one) ? one : Object.fromEntries(
            Object.entries(one).sort(([a], [b]) => a < b ? -1 : 1))));
}

/** Whether it is an object, and no array. */
export function isObject(value: unknown): value is object {
    return typeof value === "object" && value !== null
        && !Array.isArray(value);
}

/** Whether JSON shows the value as it is; a member may be undefined. What is
 * read later must be what was shown, so that no member is a function's. */
export function isJson(value: unknown): boolean {
    if (Array.isArray(value)) // its one other property is its length
        return Object.getPrototypeOf(value) === Array.prototype
            && Object.getOwnPropertyNames(value).length === value.length + 1
            && Array.from(value).every(isJson);
    if (!isObject(value))
        return value === null || typeof value === "string"
            || typeof value === "boolean"
            || typeof value === "number" && carried(value);
    const shape: unknown = Object.getPrototypeOf(value);
    return (shape === null || shape === Object.prototype)
        && !Object.getOwnPropertySymbols(value).length
        && Object.values(Object.getOwnPropertyDescriptors(value)).every(
            (one) => one.enumerable && "value" in one
                && (one.value === undefined || isJson(one.value)));
}
