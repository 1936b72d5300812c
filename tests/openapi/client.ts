// The types that were made from the document of agents, used as a program does.
import type { components, paths } from "./sayso";

type Ask = paths["/api/v1/suspensions"]["post"]["requestBody"]["content"]["application/json"];
type Read = paths["/api/v1/suspensions/{id}"]["get"];
type Told = Read["responses"][200]["content"]["application/json"];

export const body: Ask = { question: "Generated?", choices: ["yes", "no"] };
export const wait: NonNullable<Read["parameters"]["query"]> = { wait: 50 };
export const approved = (told: Told): boolean => told.outcome === "authorized";
export const code = (problem: components["schemas"]["Problem"]): boolean =>
    problem.code === "suspension.unknown";

// @ts-expect-error a question is needed
export const wrong: Ask = { title: "Generated?" };
// @ts-expect-error there is no such code
export const never = (p: components["schemas"]["Problem"]): boolean => p.code === "no.such";
