/* The one script: it copies, keeps times fresh, and sends a form once. */
import assert from "node:assert/strict";

import { follow, shown, text, withPage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import * as questions from "./questions.mjs";
import { ask } from "./server.mjs";

const by = { who: "operator" };

test("the identifier is copied, where there are scripts", async () => {
    const asked = await ask(questions.confirm());
    await withPage(by, async (page) => {
        await page.context().grantPermissions(
            ["clipboard-read", "clipboard-write"]);
        await page.goto(`/suspensions/${asked.suspension_id}`);
        await page.getByRole("button", { name: "Copy the ID" })
            .click();
        await page.getByRole("button", { name: "Copied" }).waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
            asked.suspension_id);
    });
    await withPage({ ...by, scripts: false }, async (page) => {
        await page.goto(`/suspensions/${asked.suspension_id}`);
        assert.equal(await page.locator("[data-copy]")
            .filter({ visible: true }).count(), 0);
    });
});

test("times grow old on the page, by the server's clock", () =>
    withPage(by, async (page) => {
        /* The reader's own clock is far off. */
        await page.clock.install({ time: new Date("2031-01-01T00:00:00Z") });
        const asked = await ask(questions.choice({ timeout_seconds: 3300 }));
        await page.goto(`/suspensions/${asked.suspension_id}`);
        assert.match(await text(page), /\b\d+ s ago\b[^]*5\d min left/);
        await page.clock.fastForward("05:01");
        assert.match(await text(page),
            /\b[5-9] min ago\b[^]*(4\d|50) min left/);
        await page.clock.fastForward("56:00");
        assert.match(await text(page), /expired/);
    }));

test("a form that is pressed twice is sent once", () =>
    withPage(by, async (page) => {
        const asked = await ask(questions.confirm());
        let sent = 0;
        page.on("request", (request) => {
            sent += request.method() === "POST";
        });
        await page.goto(`/suspensions/${asked.suspension_id}`);
        await Promise.all([page.waitForEvent("load"),
            page.getByRole("button", { name: "Yes" }).evaluate((button) => {
                button.click();
                button.click();
            })]);
        assert.equal(shown(page).status(), 200);
        assert.equal(sent, 1);
        assert.match(await text(page), /You approved this/);
    }));

test("a form that comes back by Back can be sent again", () =>
    withPage(by, async (page) => {
        const asked = await ask(questions.confirm());
        await page.goto(`/suspensions/${asked.suspension_id}`);
        await follow(page, "View task");
        await page.goBack();
        await Promise.all([page.waitForEvent("load"),
            page.getByRole("button", { name: "No" }).click()]);
        assert.match(await text(page), /You rejected this/);
    }));
