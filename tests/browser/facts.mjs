/* Members of a plan, an input, a credential or a handoff beyond those that the
 * kind needs: each is on the page, counted, and only text. */
import assert from "node:assert/strict";

import { shown, text, withSparePage } from "./browser.mjs";
import { holds, unfold } from "./hostile.mjs";
import { test } from "./lanes.mjs";
import {
    credential, first, handoff, input, plan,
} from "./plans_questions.mjs";
import { attacks } from "./questions.mjs";
import { ask, respond } from "./server.mjs";

const by = { who: "operator" };

async function open(page, question) {
    const asked = await ask(question);
    await page.goto(`/suspensions/${asked.suspension_id}`);
    assert.equal(shown(page).status(), 200);
    return asked.suspension_id;
}

/* The rows of the table that no kind asked for. */
async function besides(page) {
    const table = page.locator(".call", { hasText: "Additional data" });
    const rows = await table.locator(".args > div:visible").allInnerTexts();
    return rows.map((one) => one.replace(/\s+/g, " ").trim());
}

const more = { audience: { who: "all customers" }, dry_run: false };
const told = ["audience.who all customers", "dry_run false"];

for (const [name, question, answer] of [
    ["an input", () => input({}, more),
        { value: { name: "Anna", code: "10178" } }],
    ["a credential", () => credential({}, more), { value: "configured" }],
    ["a handoff", () => handoff({}, more), { value: "accept" }],
    ["a plan", () => plan({}, undefined, more), { value: "approve" }]]) {
    test(`what ${name} brings along besides is on its page, also after`, () =>
        withSparePage(by, async (page) => {
            const own = name === "a plan"
                ? told.map((one) => `plan.${one}`) : told;
            const id = await open(page, question());
            assert.deepEqual(await besides(page), own);
            await respond(id, answer);
            await page.reload();
            await page.getByText("Original request", { exact: true }).click();
            assert.deepEqual(await besides(page), own);
        }));
}

test("nothing is said to be besides where nothing is", () =>
    withSparePage(by, async (page) => {
        for (const question of [input(), credential(), handoff(), plan()]) {
            await open(page, question);
            assert.ok(!(await text(page)).includes("Additional data"));
        }
    }));

test("a handoff counts all that comes with it, shown or not", () =>
    withSparePage(by, async (page) => {
        const artifacts = Array.from({ length: 300 }, (_, i) => ({
            title: `Page ${i}`, kind: "scan", ref: `scan:${i}` }));
        await open(page, handoff({}, { artifacts }));
        const whole = await text(page);
        assert.ok(whole.includes("300 artifacts"));
        assert.ok(whole.includes("100 more are in the raw JSON."));
        assert.equal(await page.locator(".refs li").count(), 200);
    }));

/* ---- hostile -------------------------------------------------------- */

const evil = `"><img src=x onerror=window.taken=1>\u202e${"x".repeat(3000)}`;
const facts = { [evil.slice(0, 90)]: attacks, odd: { [attacks[0]]: evil } };

for (const [name, question] of [
    ["an input", () => input({}, { prompt: evil, ...facts })],
    ["a credential", () => credential({}, { provider: evil, probe: undefined,
        credential_class: evil, scopes: [evil, ...attacks],
        draft_ref: evil, ...facts })],
    ["a handoff", () => handoff({}, { from: evil, to: evil, summary: evil,
        reason: evil, resume_target: evil, context_boundary: evil,
        open_questions: [evil, ...attacks], evidence: [{ title: evil,
            ref: evil }],
        artifacts: [{ title: evil, kind: evil, ref: evil,
            [attacks[1]]: evil }], ...facts })]]) {
    test(`hostile facts of ${name} are only text`, () =>
        withSparePage({ ...by, width: 360, height: 740 }, async (page) => {
            await open(page, question());
            if (name === "a credential") {
                /* The one address that leaves the page, as it was allowed. */
                await page.locator(".steps-to a").evaluate(
                    (one) => one.remove());
            }
            await unfold(page);
            const words = await holds(page, name);
            assert.ok(words.includes("<img src=x onerror=window.taken=1>"));
            assert.ok(words.includes("Additional data"));
            assert.ok(words.includes("U+202E"));
        }));
}

test("a hostile plan is only text, and so is its revision", () =>
    withSparePage({ ...by, width: 360, height: 740 }, async (page) => {
        const steps = first.map((one) => ({ ...one, title: evil,
            detail: evil, tool: evil, risk: evil, note: evil,
            [evil.slice(0, 60)]: evil, args: { [evil]: attacks } }));
        const old = await ask(plan({}, first.map((one) => ({ ...one,
            args: attacks, note: evil }))));
        await respond(old.suspension_id, { value: "reject", reason: evil });
        const question = plan({ supersedes: old.suspension_id, evidence: [{
            title: evil.slice(0, 200), ref: evil.slice(0, 900) }] }, steps,
        { scope: evil, risk_summary: evil, ...facts });
        question.subject.plan_ref = evil;
        const id = await open(page, question);
        await holds(page, "a plan, folded");
        await unfold(page);
        assert.ok((await holds(page, "a plan")).includes("U+202E"));
        await page.goto(`/suspensions/${id}?choice=approve_edited`);
        await unfold(page);
        await holds(page, "its edit");
    }));
