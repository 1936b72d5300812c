/* Evidence that is read on the page: explanations in Markdown, pictures, texts,
 * changes and JSON that an agent uploaded. */
import assert from "node:assert/strict";
import { crc32, deflateSync } from "node:zlib";

import { shown, text, withSparePage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { state } from "./looks.mjs";
import { ask, respond, server } from "./server.mjs";

const by = { who: "operator" };

/* A file of rows of pixels, each after a filter byte. */
export function pngOf(width, height, [depth, colours], rows) {
    function chunk(kind, data) {
        const body = Buffer.concat([Buffer.from(kind), data]);
        const size = Buffer.alloc(4), sum = Buffer.alloc(4);
        size.writeUInt32BE(data.length);
        sum.writeUInt32BE(crc32(body));
        return Buffer.concat([size, body, sum]);
    }
    const head = Buffer.alloc(13);
    head.writeUInt32BE(width, 0);
    head.writeUInt32BE(height, 4);
    head.set([depth, colours, 0, 0, 0], 8);
    return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
        chunk("IHDR", head), chunk("IDAT", deflateSync(rows)),
        chunk("IEND", Buffer.alloc(0))]);
}

/* A picture: rows of another colour each, and a frame around them. */
function png(width, height) {
    const rows = Buffer.alloc(height * (1 + 3 * width));
    for (let y = 0; y < height; y++) {
        for (let x = 0; x < width; x++) {
            const edge = Math.min(x, y, width - 1 - x, height - 1 - y) < 8;
            rows.set(edge ? [40, 44, 52]
                : [200, 80 + 140 * y / height, 60 + 120 * x / width],
            y * (1 + 3 * width) + 1 + 3 * x);
        }
    }
    return pngOf(width, height, [8, 2], rows);
}

/* Its ref. */
export async function upload(body, type) {
    const answer = await fetch(`${server.url}/api/v1/artifacts`, {
        method: "POST", body,
        headers: { "X-API-Key": server.env.SAYSO_AGENT_KEY,
            "X-Agent-ID": "refunds-agent", "Content-Type": type },
    });
    assert.ok([200, 201].includes(answer.status), await answer.clone().text());
    return (await answer.json()).ref;
}

const reason = `# Why this refund

The stove was **broken on arrival**: the photo shows the *serial number*, which
matches \`SN-4711\`.

- Eleven orders, no refund yet
- A replacement is out until January
  1. ordered again
  2. cancelled by the [supplier](https://supplier.example/orders/18-40277)

> I paid for it in October and would like my money back.

\`\`\`diff
-  paid: 499.99
+  paid: 0.00
\`\`\`

Policy: https://docs.example/refunds?region=de#late.`;

const patch = `diff --git a/src/cart.ts b/src/cart.ts
--- a/src/cart.ts
+++ b/src/cart.ts
@@ -1,4 +1,4 @@
 export function total(cart) {
-  return cart.lines.length;
+  return cart.lines.reduce((sum, line) => sum + line.price, 0);
 }
`;

const log = Array.from({ length: 80 }, (_, i) =>
    `2026-11-27T05:${String(i % 60).padStart(2, "0")}:00Z line ${i + 1} of ` +
    "the carrier's report").join("\n");

async function asked(more = {}) {
    const files = [["Photo of the damage", png(640, 420), "image/png"],
        ["Change of the order", patch, "text/x-diff"],
        ["Order as stored", JSON.stringify({ order: "18-40277",
            lines: [{ item: "Stove", price: 499.99 }], paid: true }),
        "application/json"],
        ["The carrier's report", log, "text/plain"],
        ["Notes", "## Calls\n\n- 12 Nov: *no answer*\n", "text/markdown"]];
    const evidence = [{ title: "Chat", ref: "https://chat.example/c/1" }];
    for (const [title, body, type] of files) {
        evidence.push({ title, ref: await upload(body, type) });
    }
    return ask({ title: "Refund 499.99 EUR to Jonas Weber",
        question: "May I refund the order?", severity: "low",
        explanation: reason, evidence, ...more });
}

async function open(page, question) {
    await page.goto(`/suspensions/${question.suspension_id}`);
    assert.equal(shown(page).status(), 200);
}

state("evidence", 200, by, async (page) => {
    await open(page, await asked());
    await drawnPicture(page);
}, { heavy: true });

state("evidence-open", 200, by, async (page) => {
    await open(page, await asked());
    await page.locator("details.file, .sent").evaluateAll((all) =>
        all.forEach((one) => { one.open = true; }));
    await drawnPicture(page);
}, { heavy: true });

state("evidence-answered", 200, by, async (page) => {
    const question = await asked();
    await respond(question.suspension_id, { value: "yes" });
    await open(page, question);
    await page.locator("details").evaluateAll((all) =>
        all.forEach((one) => { one.open = true; }));
}, { heavy: true });

/* The picture is loaded, whole in its window, and in its own proportion. */
async function drawnPicture(page) {
    const image = page.locator(".file img").first();
    await image.scrollIntoViewIfNeeded();
    await page.waitForFunction(() =>
        document.querySelector(".file img").naturalWidth > 0);
    const { width, height } = await image.boundingBox();
    assert.ok(Math.abs(width / height - 640 / 420) < 0.02, `${width}/${height}`);
    await page.evaluate(() => window.scrollTo(0, 0));
}

/* In a tab of its own, as the page's links open it: a browser's own page around
 * a file may complain of what it is not allowed. */
async function alone(page, href, use) {
    const tab = await page.context().newPage();
    const answer = await tab.goto(new URL(href, server.url).href);
    assert.equal(answer.status(), 200);
    assert.match(answer.headers()["content-security-policy"], /sandbox/);
    await use(tab, answer);
    await tab.close();
}

test("a picture opens by itself, in a page that runs nothing", () =>
    withSparePage(by, async (page) => {
        await open(page, await asked());
        const href = await page.locator(".file > a").first()
            .getAttribute("href");
        await alone(page, href, (tab, answer) => assert.equal(
            answer.headers()["content-type"], "image/png"));
    }));

test("a text that looks like a page is shown as a text", () =>
    withSparePage(by, async (page) => {
        const ref = await upload("<!doctype html><title>Sayso</title>" +
            "<script>document.title = 'ran'</script><h1>Sign in</h1>",
        "text/plain");
        const question = await ask({ question: "May I?",
            evidence: [{ title: "A page", ref }] });
        await open(page, question);
        await alone(page, `/artifacts/${ref}`, async (tab) => {
            assert.notEqual(await tab.title(), "ran");
            assert.equal(await tab.locator("h1").count(), 0);
            assert.match(await text(tab, "body"), /<h1>Sign in<\/h1>/);
        });
    }));

test("the marks of an explanation are what they mean", () =>
    withSparePage(by, async (page) => {
        await open(page, await asked());
        assert.equal(await text(page, ".quote h3"), "Why this refund");
        assert.equal(await text(page, ".quote strong"), "broken on arrival");
        assert.equal(await page.locator(".quote ol li").count(), 2);
        assert.match(await text(page, ".quote .marked"),
            /supplier https:\/\/supplier\.example\/orders\/18-40277/);
        assert.equal(await page.locator(".sent pre").isVisible(), false);
        await page.getByText("Exactly as sent").first().click();
        assert.equal(await page.locator(".sent pre").first().evaluate((one) =>
            one.textContent), reason);
    }));

test("a change is shown by its lines, JSON as a table, each as sent too", () =>
    withSparePage(by, async (page) => {
        await open(page, await asked());
        const change = page.locator("details.file", { hasText: "Change of" });
        assert.equal(await change.locator(".add").count(), 1);
        assert.equal(await change.locator(".del").count(), 1);
        const json = page.locator("details.file", { hasText: "Order as" });
        assert.match(await json.innerText(), /lines\[0\]\.price/);
        const report = page.locator("details.file", { hasText: "carrier" });
        assert.equal(await report.evaluate((one) => one.open), false);
        await report.locator("summary").first().click();
        assert.equal(await report.locator(".raw li").count(), 80);
    }));
