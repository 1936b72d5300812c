/* The cost of pages: bytes over the wire for who has none of it and for who
 * has its style and script, requests, and the time to the first byte. In a
 * table, by which pages are compared over the years; only the bytes have a
 * limit. */
import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";

import { drawn, withPage } from "./browser.mjs";
import { approval } from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { plan } from "./plans_questions.mjs";
import { ask } from "./server.mjs";

const heaviest = 50 * 1024; // cold
const times = 9; // of which the middle one counts

async function pages() {
    const id = async (question) =>
        `/suspensions/${(await ask(question)).suspension_id}`;
    return { inbox: "/inbox", approval: await id(approval()),
        plan: await id(plan()), history: "/decided" };
}

/* The bytes and the number of the requests while the page is got. */
async function taken(page, get) {
    const devtools = await page.context().newCDPSession(page);
    let bytes = 0, requests = 0;
    await devtools.send("Network.enable");
    devtools.on("Network.loadingFinished", ({ encodedDataLength }) => {
        bytes += encodedDataLength;
        requests += encodedDataLength > 0 ? 1 : 0;
    });
    const answer = await get();
    await drawn(page);
    await devtools.detach();
    return { answer, bytes, requests };
}

function firstByte(page) {
    return page.evaluate(() => {
        const [{ requestStart, responseStart }] =
            performance.getEntriesByType("navigation");
        return responseStart - requestStart;
    });
}

function kilo(bytes) {
    return (bytes / 1024).toFixed(1);
}

async function row(name, path) {
    let cells = null;
    await withPage({ who: "operator" }, async (page) => {
        const cold = await taken(page, () => page.goto(path));
        const html = await cold.answer.text();
        const warm = await taken(page, () => page.goto(path));
        const all = [];
        for (let i = 0; i < times; i += 1) {
            await page.goto(path);
            all.push(await firstByte(page));
        }
        const middle = all.sort((a, b) => a - b)[(times - 1) / 2];
        assert.ok(cold.bytes <= heaviest, `${name}: ${cold.bytes} bytes`);
        assert.ok(warm.bytes < cold.bytes, `${name}: ${warm.bytes} bytes`);
        cells = [name, `${kilo(cold.bytes)} / ${kilo(warm.bytes)}`,
            cold.requests, `${kilo(Buffer.byteLength(html))} / ` +
            kilo(gzipSync(html).length), middle.toFixed(1)];
    });
    return cells;
}

test("what pages cost", async () => {
    const table = [["page", "kB cold / warm", "requests cold",
        "HTML kB raw / packed", "ms to the first byte"]];
    for (const [name, path] of Object.entries(await pages())) {
        table.push(await row(name, path));
    }
    console.log(table.map((cells) => `| ${cells.join(" | ")} |`).join("\n"));
});
