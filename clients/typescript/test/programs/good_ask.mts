/** A question with choices, whose value is one of them. */
import { ask, use, type Answer } from "sayso-client";

const answer = await ask("Which colour?", {
    choices: [{ value: "red", effect: "authorize" }, "blue"],
    context: { room: 5 }, severity: "high", wait: 60, once: "run-1",
    responder: { mode: "group", who: "painters" },
    onAsked: ({ url }) => { console.log(url); } });
const colour: "red" | "blue" | null = answer.value;
const reason: string | null = answer.reason;
if (answer.approved) {
    const { uses_left } = await use(answer, { operation: "paint" });
    console.log(colour, reason, uses_left + 1);
}

// With choices that are known later it is anything.
const names: string[] = process.argv;
const other: Answer = await ask("Who?", { choices: names });
const value: unknown = other.value;
const given: 5 | "a" | null = (await ask("How?", {
    choices: ["a"], fallback_policy: "use_default_and_continue",
    fallback_value: 5 as const })).value;
console.log(value, given);
