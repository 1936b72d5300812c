/* New requests of all agents, outside of a page. Each test counts those that there
 * are: no other test asks meanwhile. */
import assert from "node:assert/strict";

import { people, withPage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { full, listens, tells, told, turnedOn } from "./notices_page.mjs";
import * as questions from "./questions.mjs";
import { ask, cancel, holder } from "./server.mjs";

test("a new request notifies where no page is visible", () =>
    withPage(full, async (page) => {
        await listens(page);
        await turnedOn(page, { least: "3" });
        const low = await ask({ ...questions.confirm(), severity: "low" });
        const asked = await ask({ ...questions.confirm(), severity: "critical",
            title: "Drop the table <b>orders</b>" });
        const mine = (one) => one.tag === asked.suspension_id;
        await page.waitForFunction((id) => window.told.some((one) =>
            one.tag === id), asked.suspension_id, { timeout: 60000 });
        const { title, body, open } = (await told(page)).find(mine);
        assert.deepEqual({ title, body, open }, { title: "Critical risk",
            body: "Drop the table <b>orders</b>", open: true });
        assert.ok(!(await told(page)).some(({ tag }) =>
            tag === low.suspension_id));
        await cancel(asked.suspension_id, "Not any more.");
        await page.waitForFunction((id) => window.told.some((one) =>
            one.tag === id && !one.open), asked.suspension_id,
        { timeout: 60000 });
        await cancel(low.suspension_id, "Seen.");
    }));

test("nothing notifies while a page is visible", () =>
    withPage(full, async (page) => {
        await listens(page);
        await turnedOn(page);
        const other = await page.context().newPage();
        await other.goto("/keys");
        const seen = await ask(questions.confirm());
        await page.waitForTimeout(4000);
        assert.deepEqual(await told(page), []);
        await other.close();
        const asked = await ask(questions.confirm());
        await tells(page, 1);
        assert.deepEqual((await told(page)).map(({ tag }) => tag),
            [asked.suspension_id]);
        await cancel(seen.suspension_id, "Seen.");
        await cancel(asked.suspension_id, "Seen.");
    }));

test("only one's own requests notify where that is chosen", () =>
    withPage(full, async (page) => {
        await listens(page);
        await turnedOn(page, { whose: "mine" });
        const any = await ask(questions.confirm());
        const other = await ask({ ...questions.confirm(), responder:
            { mode: "named", who: people.other.email } });
        const asked = await ask({ ...questions.confirm(), responder:
            { mode: "named", who: people.operator.email } });
        await tells(page, 1);
        await page.waitForTimeout(2500);
        assert.deepEqual((await told(page)).map(({ tag }) => tag),
            [asked.suspension_id]);
        for (const one of [any, other, asked]) {
            await cancel(one.suspension_id, "Seen.");
        }
    }));

test("many at once are one notification", () =>
    withPage(full, async (page) => {
        await listens(page);
        await turnedOn(page);
        const held = holder();
        process.kill(held, "SIGSTOP"); // so that they come together
        const all = await Promise.all(Array.from({ length: 12 }, () =>
            ask({ ...questions.confirm(), severity: "high" })))
            .finally(() => process.kill(held, "SIGCONT"));
        const [first] = await tells(page, 1);
        assert.match(first.title, /^(More than )?\d+ new requests$/);
        assert.equal(first.body, "Highest risk: High");
        assert.ok((await told(page)).length <= 4);
        for (const one of all) {
            await cancel(one.suspension_id, "Seen.");
        }
    }));
