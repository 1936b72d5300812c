/* Scenarios of acceptance that can be seen on a page, from the question to the
 * agent's next step. */
import assert from "node:assert/strict";

import { follow, press, shown, text, withPage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { ask, respond, server, suspension } from "./server.mjs";

const drop = {
    kind: "approval", severity: "high", title: "Drop the table orders_2024?",
    question: "Drop the table orders_2024 in production?",
    intent: { title: "Free room", initiated_by: "Dev Patel" },
    subject: {
        action: { provider: "db", name: "drop_table" },
        target: "orders-prod, shop.orders_2024",
        scope_summary: "One table, 41.2 million rows",
        consequence: "The rows are gone for good",
        calls: [{ tool: "db.drop_table", args: { table: "orders_2024" } }],
    },
};

function plan(more, steps) {
    return {
        kind: "plan_review", question: "Carry out the migration?", ...more,
        subject: { plan: {
            steps: steps.map(([id, title]) => ({ id, title })),
            scope: "orders-prod", expected_outputs: ["A partitioned table"],
            risk_summary: "Order pages stop for 2 s",
        } },
    };
}

async function open(page, asked) {
    await page.goto(`/suspensions/${asked.suspension_id}`);
    assert.equal(shown(page).status(), 200);
}

test("a high-risk action shows its scope and its consequence", () =>
    withPage({ who: "operator" }, async (page) => {
        await open(page, await ask(drop));
        const words = await text(page);
        assert.match(words, /High\s*risk/);
        for (const one of ["Approval", "drop_table",
            "orders-prod, shop.orders_2024", "One table, 41.2 million rows",
            "The rows are gone for good", "orders_2024"]) {
            assert.ok(words.includes(one), `${one} in: ${words}`);
        }
        for (const name of ["Reject", "Approve"]) {
            await page.getByRole("link", { name, exact: true }).waitFor();
        }
    }));

test("an approval goes through a controlled action and counts once", () =>
    withPage({ who: "operator" }, async (page) => {
        const asked = await ask(drop);
        await open(page, asked);
        await follow(page, "Approve");
        assert.equal((await suspension(asked.suspension_id)).state, "pending");
        await press(page, "Approve");
        const stored = await suspension(asked.suspension_id);
        assert.equal(stored.outcome, "authorized");
        assert.equal(stored.responded_via, "browser");
        assert.equal(stored.modified, false);
        await assert.rejects(respond(asked.suspension_id,
            { value: "reject", reason: "Too late." }), / 409 /);
        await page.goBack();
        await page.reload();
        assert.equal(await page.locator("form#answer").count(), 0);
        assert.deepEqual(await suspension(asked.suspension_id), stored);
    }));

test("what is resolved collapses and is pending nowhere", () =>
    withPage({ who: "operator" }, async (page) => {
        const title = `Drop table ${Date.now()}?`;
        const asked = await ask({ ...drop, title });
        await page.goto("/inbox?q=" + encodeURIComponent(title));
        assert.ok((await text(page)).includes(title));
        await respond(asked.suspension_id, { value: "reject",
            reason: "Not today." });
        await page.goto("/inbox?q=" + encodeURIComponent(title));
        assert.ok(!(await page.locator("li.row").allInnerTexts())
            .some((row) => row.includes(title)));
        await open(page, asked);
        assert.match(await text(page), /Not today\./);
        assert.equal(await page.locator("form#answer").count(), 0);
        assert.ok(await page.locator("details:not([open])").count() > 0);
    }));

test("a rejected plan keeps its reason and can be revised", () =>
    withPage({ who: "operator" }, async (page) => {
        const first = await ask(plan({}, [["copy", "Copy the rows"],
            ["drop", "Drop the old table"]]));
        await respond(first.suspension_id, { value: "reject",
            reason: "There is no way back." });
        const second = await ask({ ...plan({
            supersedes: first.suspension_id }, [["copy", "Copy the rows"],
            ["rehearse", "Rehearse the way back"]]),
        intent_id: first.intent_id });
        await open(page, second);
        const words = await text(page);
        for (const one of ["There is no way back.", "Rehearse the way back",
            "Drop the old table"]) {
            assert.ok(words.includes(one), `${one} in: ${words}`);
        }
        await open(page, first);
        assert.match(await text(page), /There is no way back\./);
        const link = page.locator(
            `a[href="/suspensions/${second.suspension_id}"]`);
        assert.ok(await link.count() > 0, "a link to what replaced it");
    }));

test("a credential leaves the draft and the task as they were", () =>
    withPage({ who: "operator" }, async (page) => {
        const asked = await ask({
            kind: "credential_needed", question: "Connect GitHub?",
            context: { branch: "checkout-fix" },
            subject: { provider: "GitHub", credential_class: "App",
                settings_url: `${server.url}/settings`,
                draft_ref: "storefront#checkout-fix" },
        });
        await open(page, asked);
        const words = await text(page);
        for (const one of ["GitHub", "storefront#checkout-fix",
            `${server.url}/settings`, "checkout-fix"]) {
            assert.ok(words.includes(one), `${one} in: ${words}`);
        }
        assert.equal(await page.locator("input[type=password]").count(), 0);
        const away = page.locator(`a[href="${server.url}/settings"]`).first();
        assert.match(await away.getAttribute("rel"), /noopener/);
        await press(page, "Answer: I have set it up");
        const stored = await suspension(asked.suspension_id);
        assert.equal(stored.outcome, "answered");
        assert.deepEqual(stored.context, { branch: "checkout-fix" });
        assert.equal(stored.subject.draft_ref, "storefront#checkout-fix");
    }));
