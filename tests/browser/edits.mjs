/* The fields of a yes with changes, and the calls that they are about: each value
 * has the name that the page gives it, and is seen whole. */
import assert from "node:assert/strict";

import { press, shown, text, withSparePage } from "./browser.mjs";
import { approval } from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import { ask, suspension } from "./server.mjs";

const by = { who: "operator" };
const long = "Once the bank has it, the money is gone, and only the customer " +
    "can send it back. Nobody else can.";

function editable() {
    return approval({ allow_edit: true, subject: { consequence: long,
        calls: [
            { tool: "payments.refund_create", target: "KES-EU-1", args: {
                amount: 499.99, currency: "EUR",
                to: { name: "Jonas Weber" } } },
            { tool: "orders.set_status", args: {
                status: "refunded", restock: false } }] } });
}

async function open(page, question, query = "") {
    const asked = await ask(question);
    await page.goto(`/suspensions/${asked.suspension_id}${query}`);
    assert.equal(shown(page).status(), 200);
    return asked.suspension_id;
}

function texts(page, selector) {
    return page.locator(selector).evaluateAll((all) => all.map((one) =>
        one.innerText.replace(/\s+/g, " ").trim()));
}

test("an edit names each value as the page does, and shows it whole", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, editable());
        const heads = await texts(page, ".call .call-head");
        const names = await texts(page, ".call .args dt");
        await page.goto(`/suspensions/${id}?choice=edit`);
        assert.deepEqual((await texts(page, ".edits .call-head")).slice(0, 2),
            heads.slice(0, 2));
        const calls = ".edit-group:not(.named) .edit";
        assert.deepEqual(await texts(page, `${calls} bdi:first-child`), names);
        assert.deepEqual(await texts(page, ".named .edit label bdi"),
            ["Action", "Provider", "Target", "Tool of call 1",
                "Target of call 1", "Tool of call 2", "Scope", "Consequence",
                "Reversible"]);
        assert.doesNotMatch(await text(page, ".edits"), /calls\[|args\./);
        for (const width of [320, 360, 768, 1000, 1280, 1920]) {
            await page.setViewportSize({ width, height: 740 });
            assert.deepEqual(await page.locator(
                ".edit :is(input, textarea)").evaluateAll((all) =>
                all.filter((one) => one.scrollWidth > one.clientWidth + 1 ||
                    one.scrollHeight > one.clientHeight + 2).map((one) =>
                    one.value)), [], `at ${width}`);
        }
        await page.setViewportSize({ width: 1280, height: 720 });
        await look(page, "card-edit-calls");
        await page.getByLabel("amount", { exact: false }).first().fill("1");
        await press(page, "Review changes");
        assert.match(await text(page, "form#answer h2"), /amount 499.99 → 1/);
        assert.deepEqual(await texts(page, ".diff tbody th bdi"),
            ["amount of call 1"]);
        await press(page, "Edit again");
        for (const name of ["Target", "Scope"]) {
            await page.getByRole("textbox", { name, exact: true }).fill("");
        }
        await press(page, "Review changes");
        assert.deepEqual(await texts(page, "[role=alert] a"),
            ["Target: This value is needed.", "Scope: This value is needed."]);
        assert.equal((await suspension(id)).state, "pending");
    }));

test("the head of the only call names what the request is about", () =>
    withSparePage(by, async (page) => {
        const calls = [{ tool: "payments.refund_create", args: { amount: 5 } }];
        await open(page, approval({ severity: "low", subject: {
            action: { name: "refund_create", provider: "payments" },
            target: "KES-EU-1", calls } }));
        assert.deepEqual(await texts(page, ".call .call-head"),
            ["1 payments.refund_create on KES-EU-1"]);
        for (const one of ["Action", "Provider", "Target"]) {
            assert.equal(await page.locator(".told dt", { hasText:
                new RegExp(`^${one}$`) }).count(), 0, one);
        }
    }));
