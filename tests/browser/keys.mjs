/* By keyboard alone: from the login to the answer, and the focus is always to
 * be seen. */
import assert from "node:assert/strict";

import { drawn, patience, people, text, withPage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import * as questions from "./questions.mjs";
import { ask, suspension } from "./server.mjs";

/* The focused element: its name, and whether an outline shows it. */
function focused(page) {
    return page.evaluate(() => {
        const one = document.activeElement;
        const bare = one.cloneNode(true);
        bare.querySelectorAll("kbd").forEach((key) => key.remove());
        const ring = (style) => style.outlineStyle !== "none" &&
            parseFloat(style.outlineWidth) >= 2 &&
            !/, 0\)$|transparent/.test(style.outlineColor);
        const at = one.getBoundingClientRect();
        return {
            name: (one.getAttribute("aria-label") ?? bare.innerText ??
                   "").trim() || one.name || one.tagName,
            tag: one.tagName, id: one.id, href: one.getAttribute("href"),
            ring: ring(getComputedStyle(one)) ||
                  ring(getComputedStyle(one, "::after")),
            inside: at.bottom > 0 && at.top < innerHeight && at.right > 0 &&
                    at.left < innerWidth,
        };
    });
}

/* Presses Tab until what is wanted has the focus. */
export async function tabTo(page, wanted) {
    const passed = [];
    for (let i = 0; i < 80; i += 1) {
        await page.keyboard.press("Tab");
        const now = await focused(page);
        if (now.tag === "BODY") {
            continue;
        }
        passed.push(now.name);
        assert.ok(now.ring, `the focus on ${now.name} is not to be seen`);
        assert.ok(now.inside, `${now.name} is out of sight`);
        if (wanted(now)) {
            return now;
        }
    }
    throw new Error(`not reached by Tab: ${passed.join(", ")}`);
}

export async function enter(page) {
    await Promise.all([page.waitForEvent("load", { timeout: patience }),
        page.keyboard.press("Enter")]);
}

async function signIn(page) {
    await page.goto("/login");
    await drawn(page);
    assert.equal((await focused(page)).id, "email"); // has it from the start
    await page.keyboard.type(people.operator.email);
    await tabTo(page, ({ id }) => id === "password");
    await page.keyboard.type(people.operator.password);
    await tabTo(page, ({ name }) => name === "Sign in");
    await enter(page);
    assert.match(page.url(), /\/inbox$/);
}

async function answer(page) {
    const question = questions.choice({ severity: "critical",
        title: questions.named("Refund by keyboard?"),
        timeout_seconds: 600 });
    const asked = await ask(question);
    await signIn(page);
    await tabTo(page, ({ name }) => name === question.title);
    await enter(page);
    await tabTo(page, ({ name }) => name === "Reject: Refuse the refund");
    await enter(page);
    assert.match(page.url(), /\?choice=deny$/);
    await tabTo(page, ({ id }) => id === "reason");
    await page.keyboard.type("Not by keyboard.");
    await tabTo(page, ({ name }) => name === "Back");
    await tabTo(page,
        ({ name }) => name === "Reject: Refuse the refund");
    await enter(page);
    assert.match(await text(page, "#answered"), /^Rejected: /);
    const stored = await suspension(asked.suspension_id);
    assert.equal(stored.reason, "Not by keyboard.");
}

/* A form: every field is reached, ticked and chosen by its keys. */
async function fill(page) {
    const asked = await ask(questions.form());
    await page.goto(`/suspensions/${asked.suspension_id}`);
    await tabTo(page, ({ name }) => name === "Go to form");
    await page.keyboard.press("Enter");
    const typed = { f1: "Anna & Söhne", f3: "7", f4: "1.5",
        f9: "a@b.example" };
    for (const id of ["f1", "f2", "f3", "f4", "f5"]) {
        await tabTo(page, (now) => now.id === id);
        await page.keyboard.type(typed[id] ?? "");
    }
    await page.keyboard.press("Space");
    await tabTo(page, ({ name }) => name === "f6");
    await page.keyboard.press("ArrowDown");
    await tabTo(page, ({ id }) => id === "f7");
    await page.keyboard.type("DE");
    await tabTo(page, ({ name }) => name === "f8[]");
    await page.keyboard.press("Space");
    await tabTo(page, ({ id }) => id === "f9");
    await page.keyboard.type(typed.f9);
    await enter(page);
    const { value } = await suspension(asked.suspension_id);
    assert.deepEqual(value, { name: "Anna & Söhne", count: 7, amount: 1.5,
        urgent: true, colour: "green", land: "DE", days: ["Monday"],
        mail: "a@b.example", greeting: "Dear Alice" });
}

test("from the login to the answer by keyboard alone", () =>
    withPage({}, answer));
test("a form is filled in by keyboard alone", () =>
    withPage({ who: "operator" }, fill));
test("the first Tab leads past the navigation", () =>
    withPage({ who: "operator" }, async (page) => {
        await page.goto("/inbox");
        await tabTo(page, ({ name }) => name === "Skip to content");
        await page.keyboard.press("Enter");
        const next = await tabTo(page, () => true);
        assert.equal(next.name, "Mine");
    }));
