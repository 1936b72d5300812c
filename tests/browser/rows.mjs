/* The rows of the inbox at every width: their parts stand beside each other, and
 * none is out of its place. */
import assert from "node:assert/strict";

import { withSparePage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import * as questions from "./questions.mjs";
import { ask, sql } from "./server.mjs";

const edges = [620, 720, 840, 1000, 1024];
const widths = [...Array.from({ length: 21 }, (_, i) => 320 + 80 * i),
    ...edges.flatMap((one) => [one - 1, one + 1])].sort((a, b) => a - b);
const title = "Refund the price of the stove to Jonas Weber for order 18-40277";

function paid(name, amount, more = {}) {
    return ask({ kind: "approval", title: questions.named(name),
        question: "May I?", severity: "low", timeout_seconds: 7200,
        explanation: "The stove broke on the day it arrived.",
        subject: { action: { name: "refund" }, target: "KES-EU-1",
            scope_summary: "One order", consequence: "Money leaves.",
            calls: [{ tool: "payments.refund_create",
                args: { amount, currency: "EUR" } }] }, ...more },
    "a-refunds-agent-with-a-name");
}

/* Parts of a row that lie over one another or out of it, and names of groups
 * that are neither whole nor in a title. */
function faults() {
    const seen = (one) => one.checkVisibility() &&
        one.getBoundingClientRect().width > 1 &&
        getComputedStyle(one).clipPath === "none";
    const parts = ".c-pick, .c-kind, .title, .name, .c-figure, .c-agent, " +
        ".c-end, .word, .late, .waits, .said-why, .c-age, .how-many";
    const found = [];
    for (const row of document.querySelectorAll(".row.inbox:not(.heads)")) {
        const own = row.getBoundingClientRect();
        const all = [...row.querySelectorAll(parts)].filter((one) =>
            seen(one) && one.innerText.trim());
        const boxes = all.map((one) => [one, one.getBoundingClientRect()]);
        for (const [one, box] of boxes) {
            if (box.left < own.left - 1 || box.right > own.right + 1 ||
                box.bottom > own.bottom + 1) {
                found.push(`${one.className} is out of its row`);
            }
            for (const [other, its] of boxes) {
                if (one !== other && !one.contains(other) &&
                    !other.contains(one) && box.left < its.right - 1 &&
                    its.left < box.right - 1 && box.top < its.bottom - 1 &&
                    its.top < box.bottom - 1) {
                    found.push(`${one.className} is over ${other.className}`);
                }
            }
        }
    }
    for (const name of document.querySelectorAll(".folded .name")) {
        if (name.scrollHeight > name.clientHeight + 2 &&
            !name.innerText.includes(name.title)) {
            found.push("a name is cut and has no title");
        }
        if (name.scrollWidth > name.clientWidth + 1) {
            found.push(`the name of a group is cut: ${name.innerText}`);
        }
    }
    return [...new Set(found)];
}

test("the parts of a row keep their places at every width", () =>
    withSparePage({ who: "operator" }, async (page) => {
        const word = `Placed${Date.now()}`;
        for (let i = 0; i < 3; i += 1) {
            await paid(`${word} ${title}`, `${i + 1}.40`);
        }
        for (const severity of ["medium", "critical"]) {
            const { suspension_id: id } = await paid(`${word} ${title}`,
                "1499.99", { severity });
            sql(`UPDATE open_question SET attempt = 2
                WHERE suspension_id = '${id}'`);
        }
        await page.goto(`/inbox?q=${word}`);
        assert.equal(await page.locator(".late", { hasText: "Reminder sent" })
            .count(), 2);
        assert.equal(await page.locator(".folded").count(), 1);
        for (const width of widths) {
            await page.setViewportSize({ width, height: 800 });
            assert.deepEqual(await page.evaluate(faults), [], `at ${width}`);
        }
        await look(page, "inbox-places");
    }));
