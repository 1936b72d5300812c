/* A grave yes is typed, what ends soon stands above the list, and a risk that
 * the server raised is told. */
import assert from "node:assert/strict";

import { follow, press, shown, text, withSparePage } from "./browser.mjs";
import * as cards from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import * as questions from "./questions.mjs";
import { ask, suspension } from "./server.mjs";

const by = { who: "operator" };

function final(more = {}, subject = {}) {
    return cards.approval({ ...more,
        subject: { reversible: false, ...subject } });
}

async function openOne(page, question) {
    const { suspension_id: id } = await ask(question);
    await page.goto(`/suspensions/${id}`);
    return id;
}

for (const scripts of [true, false]) {
    test(`a critical yes is typed, scripts ${scripts ? "on" : "off"}`, () =>
        withSparePage({ ...by, scripts }, async (page) => {
            const id = await openOne(page, final({ severity: "critical" }));
            await follow(page, "Approve");
            const words = await text(page, "form#answer");
            for (const one of ["Critical risk.", "Cannot be undone:",
                "Once the bank has it, the money is gone.",
                "Payment account KES-EU-1"]) {
                assert.ok(words.includes(one), `${one} in: ${words}`);
            }
            if (scripts) {
                await look(page, "risk-critical");
            }
            await page.getByLabel("to confirm").fill("KES");
            await press(page, "Approve");
            assert.equal(shown(page).status(), 422);
            assert.equal((await suspension(id)).state, "pending");
            await page.getByLabel("to confirm").fill(
                "Payment account KES-EU-1");
            await press(page, "Approve");
            assert.equal((await suspension(id)).outcome, "authorized");
        }));
}

test("a risk that the server raised is told", () =>
    withSparePage(by, async (page) => {
        await openOne(page, final({ severity: "low" },
            { consequence: undefined }));
        const words = await text(page);
        assert.ok(words.includes("Raised from low by Sayso."), words);
        assert.ok(words.includes("No consequence stated"), words);
        await look(page, "risk-raised");
        await follow(page, "Approve");
        assert.match(await text(page, "form#answer"),
            /Cannot be undone: No consequence stated/);
    }));

test("what ends soon stands first in the list, and once", () =>
    withSparePage(by, async (page) => {
        const word = `ending${Date.now()}`;
        const soon = questions.choice({ title: `${word} low`,
            timeout_seconds: 600 });
        await ask(soon);
        await ask(questions.choice({ title: `${word} high`,
            severity: "high" }));
        await page.goto(`/inbox?q=${word}`);
        assert.match(await text(page, ".list"),
            /Due in 15 min\s+1\b.*low.*Others\s+1\b.*high/s);
        assert.deepEqual(await page.locator("li.row .title").allInnerTexts(),
            [`${word} low`, `${word} high`]);
        await look(page, "inbox-soon");
        /* With a filter that leaves it out, a line says so. */
        await page.goto(`/inbox?q=${word}&risk=high`);
        assert.equal(await page.locator("li.row").count(), 1);
        await follow(page, "1 with another risk");
        assert.deepEqual(await page.locator("li.row .title").allInnerTexts(),
            [`${word} low`]);
    }));
