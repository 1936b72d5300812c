/* The morning of ./start --demo: that it is whole, and the README's pictures of
 * it. They are kept with the other pictures; with SAYSO_PICTURES, a directory,
 * they go there: SAYSO_PICTURES=docs ./check browser. */
import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { pageElsewhere, signIn, text } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { server, withServer } from "./server.mjs";

function directory() {
    const dir = process.env.SAYSO_PICTURES ??
        join(dirname(process.env.SAYSO_VAR ?? server.state), "screenshots");
    mkdirSync(dir, { recursive: true });
    return dir;
}

async function picture(env, name, path, options) {
    const page = await pageElsewhere(env.SAYSO_URL, options);
    await page.goto(`/login?next=${encodeURIComponent(path)}`);
    await signIn(page, { email: env.SAYSO_OPERATOR_EMAIL,
        password: env.SAYSO_OPERATOR_PASSWORD });
    await page.waitForURL(`**${path}`);
    await page.locator("h1").waitFor();
    await page.screenshot({ path: join(directory(), `${name}.png`) });
    return page;
}

async function list(env, query) {
    const answer = await fetch(`${env.SAYSO_URL}/api/v1/suspensions?${query}`,
        { headers: { "X-API-Key": env.SAYSO_OPERATOR_KEY } });
    assert.equal(answer.status, 200);
    return (await answer.json()).suspensions;
}

/* The same of the history, in which nothing is folded. */
async function pastRows(page) {
    await page.goto("/decided");
    for (const [width, height] of [[1280, 720], [768, 1024], [360, 740]]) {
        await page.setViewportSize({ width, height });
        const whole = await page.locator("li.row").evaluateAll((all) =>
            all.filter((one) => one.getBoundingClientRect().bottom <=
                window.innerHeight).length);
        const all = await page.locator("li.row").count();
        console.log(`history ${width}x${height}: ${whole} of ${all} rows ` +
            "whole");
    }
}

/* How many rows can be seen whole, a folded group being one; each request
 * stands in the list once; the tools are one line. */
async function rows(page) {
    for (const [width, height, wanted, first] of [[1280, 720, 9, 180],
        [768, 1024, 9, 180], [360, 740, 4, 200]]) {
        await page.setViewportSize({ width, height });
        await page.reload();
        const seen = await page.evaluate(() => {
            const all = [...document.querySelectorAll("li.row, summary.row")]
                .filter((one) => one.checkVisibility());
            const boxes = all.map((one) => one.getBoundingClientRect());
            const links = [...document.querySelectorAll("main a")]
                .map((one) => one.getAttribute("href"))
                .filter((one) => one.startsWith("/suspensions/"));
            const tools = [...document.querySelectorAll(
                ".tools h1, .menu:not(.phone), .save-view")].map((one) =>
                one.getBoundingClientRect());
            return { first: boxes[0].top,
                whole: boxes.filter(({ bottom }) =>
                    bottom <= window.innerHeight).length,
                twice: links.length - new Set(links).size,
                lines: Math.max(...tools.map(({ top }) => top)) -
                    Math.min(...tools.map(({ bottom }) => bottom)) };
        });
        console.log(`inbox ${width}x${height}: ${seen.whole} rows whole, ` +
            `the first at ${Math.round(seen.first)}`);
        assert.ok(seen.whole >= wanted, JSON.stringify(seen));
        assert.ok(seen.first <= first, JSON.stringify(seen));
        assert.equal(seen.twice, 0);
        assert.ok(width < 720 || seen.lines < 0, JSON.stringify(seen));
    }
}

test("a morning fills the inbox with all kinds", () =>
    withServer("demo", "--detach --demo", {}, async (env) => {
        const all = await list(env, "limit=100");
        const open = all.filter(({ state }) => state === "pending");
        assert.ok(all.length >= 40 && open.length >= 30, `${open.length}`);
        assert.ok(all.some(({ outcome }) => outcome === "vetoed"));
        assert.ok(new Set(open.map(({ kind }) => kind)).size >= 8);
        assert.ok(new Set(all.map((one) => one.asked_by)).size >= 6);
        const old = Math.min(...open.map((one) =>
            Date.parse(one.suspended_at)));
        assert.ok(Date.now() - old > 3600000, "questions have ages");
        assert.ok(open.some(({ expires_at: end }) =>
            end && Date.parse(end) - Date.now() < 3600000), "some end soon");
        const plan = open.find(({ kind }) => kind === "plan_review");
        assert.ok(plan.supersedes);
        const inbox = await picture(env, "inbox", "/inbox",
            { width: 1280, height: 800 });
        assert.match(await text(inbox), /Drop table orders_2024/);
        await rows(inbox);
        await pastRows(inbox);
        const refund = open.find(({ title }) => /499\.99/.test(title));
        await picture(env, "approval",
            `/suspensions/${refund.suspension_id}`,
            { width: 1280, height: 900 });
        const edit = open.find(({ title }) => /^Edit src/.test(title));
        assert.match(await text(await picture(env, "change",
            `/suspensions/${edit.suspension_id}`,
            { width: 1280, height: 720 })), /return round\(sum\);/);
        await picture(env, "plan", `/suspensions/${plan.suspension_id}`,
            { width: 1280, height: 1100 });
        await picture(env, "phone", `/suspensions/${refund.suspension_id}`,
            { width: 390, height: 780, scale: 2, theme: "dark" });
    }));
