/* Forms that are refused: the focus is on the first field that needs a change, or
 * on what says why nothing was sent; with scripts and without. */
import assert from "node:assert/strict";

import { drawn, press, shown, withSparePage } from "./browser.mjs";
import { flat } from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { plan } from "./plans_questions.mjs";
import * as questions from "./questions.mjs";
import { ask } from "./server.mjs";

function both(name, who, run) {
    for (const scripts of [true, false]) {
        test(`${name}, scripts ${scripts ? "on" : "off"}`, () =>
            withSparePage({ who, scripts, height: 740 }, run));
    }
}

async function open(page, question, query = "") {
    const asked = await ask(question);
    await page.goto(`/suspensions/${asked.suspension_id}${query}`);
}

/* Sends the form: it comes back, with the focus in sight on a field that says
 * what is wrong with it, and on no later one. */
async function refused(page, button, field, status = 422) {
    await press(page, button);
    assert.equal(shown(page).status(), status);
    await drawn(page);
    const found = await page.evaluate(() => {
        const one = document.activeElement;
        const { top, bottom } = one.getBoundingClientRect();
        const bad = one.closest(".field");
        return { at: one.name || one.className,
            says: !bad || !!bad.querySelector(".error"),
            first: !bad || bad === document.querySelector(".field.bad"),
            seen: top >= 0 && bottom <= window.innerHeight };
    });
    assert.deepEqual(found, { at: field, says: true, first: true, seen: true });
}

both("a refused form has the focus on its first wrong field", "operator",
    async (page) => {
        await open(page, questions.form());
        await refused(page, "Send answers", "f1");
        await page.getByLabel("Name of the shop").fill("Kestrel");
        await page.getByLabel("How many").fill("2");
        await page.getByLabel("Amount in EUR").fill("5");
        await refused(page, "Send answers", "f6"); // of radio buttons
        await page.getByLabel("green").check();
        await page.getByLabel("Country").selectOption("AT");
        await refused(page, "Send answers", "f8[]"); // of ticks
        await page.getByLabel("Monday").check();
        await refused(page, "Send answers", "f9");
    });

both("a refused text has the focus", "operator", async (page) => {
    await open(page, questions.words());
    await refused(page, "Send answer", "value");
});

both("a refused edit has the focus on its first wrong value", "operator",
    async (page) => {
        await open(page, flat(), "?choice=constrain");
        await page.getByLabel("max_amount").fill("lots");
        await refused(page, "Review changes", "f1");
        await open(page, plan(), "?choice=approve_edited");
        await page.locator("#o2").fill("x");
        await page.locator("#o3").fill("y");
        await refused(page, "Review changes", "o2");
    });

both("a form that is refused as a whole has the focus on the reason",
    "operator", async (page) => {
        await open(page, questions.short({ severity: "low" }));
        await page.locator("[name=subject_sha256]").evaluate((one) => {
            one.value = "0".repeat(64);
        });
        await refused(page, "Approve: Refund 499.99 EUR", "banner", 409);
    });

both("a refused setting has the focus on its first wrong field", "admin",
    async (page) => {
        await page.goto("/settings/endpoints?do=new");
        const name = await page.locator("form .field :is(input, select)")
            .first().getAttribute("name");
        await refused(page, await page.locator("form.make [type=submit]")
            .innerText(), name);
    });

test("a choice that has a value is not said to be required", () =>
    withSparePage({ who: "operator" }, async (page) => {
        const options = ["red", "green"];
        await open(page, questions.form({ form: [
            { key: "a", label: "Nothing chosen", type: "enum", required: true,
                options },
            { key: "b", label: "One chosen", type: "enum", required: true,
                options, default: "red" }] }));
        assert.deepEqual((await page.locator("legend").allInnerTexts()).map(
            (one) => one.trim()), ["Nothing chosen required", "One chosen"]);
    }));
