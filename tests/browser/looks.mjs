/* Every page in every state: at three widths, light and dark. axe finds
 * nothing, html-validate finds nothing, nothing scrolls sideways, no cell lies
 * outside its box at any width, nothing is blocked or complained about, and a
 * page weighs little. With
 * SAYSO_SCREENSHOTS=yes, pictures are kept for people to look at. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { fileURLToPath } from "node:url";
import { HtmlValidate, StaticConfigLoader } from "html-validate";

import { calm, shown, withSparePage } from "./browser.mjs";
import { cellsHold } from "./cells.mjs";
import { test } from "./lanes.mjs";
import { raw, server } from "./server.mjs";

const auditor = [
    createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
    fileURLToPath(new URL("audit.js", import.meta.url)),
    fileURLToPath(new URL("layout.js", import.meta.url)),
].map((path) => `${readFileSync(path, "utf8")};`).join("\n");
const standards = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"];
const heaviest = 50 * 1024; // bytes over the wire, with style and script
const widths = [360, 768, 1440];

/* One configuration for all pages, so that it is made once. */
class OneConfig extends StaticConfigLoader {
    getConfigFor(...where) {
        this.config ??= super.getConfigFor(...where);
        return this.config;
    }
}

/* A title may be as long as a question's head: it is not for search. */
const rules = new HtmlValidate(new OneConfig({
    extends: ["html-validate:recommended"],
    rules: { "long-title": "off" },
}));

function directory() {
    const dir = join(dirname(process.env.SAYSO_VAR ?? server.state),
        "screenshots");
    mkdirSync(dir, { recursive: true });
    return dir;
}

const passed = new Set(); // keys of texts, see audit.js
export const looked = new Set(); // names of pages on which axe found nothing

/* In as few steps as it can be: each waits for the page. A theme changes only
 * contrast, so of axe's rules only that one is checked for each. */
async function audit(page, how, theme, phone) {
    const { layout, keys } = await page.evaluate((narrow) => {
        const found = window.layout(narrow);
        /* At the end of a list its bar covers no row. */
        const down = document.getElementById("bulk");
        window.scrollTo(0, down ? document.body.scrollHeight : 0);
        return { layout: found, keys: window.audit.keys() };
    }, phone);
    assert.deepEqual(layout, { sideways: 0, cutOff: [], strayed: [],
        ragged: [], headless: [] }, how);
    const { passed: more, found } = await page.evaluate(
        async ([some, those]) => {
            const told = some.length ? await window.audit.contrast(some)
                : { passed: [], found: [] };
            if (those) {
                told.found.push(...await window.audit.rules(those));
            }
            window.scrollTo(0, 0);
            return told;
        }, [keys.filter((key) => !passed.has(key)),
            theme === "light" ? standards : null]);
    more.forEach((key) => passed.add(key));
    assert.deepEqual(found, [], how);
}

/* In both themes; the dark one first, which the page has from the audit. Of long
 * pages the first five screens are kept. The window is as high as the picture:
 * for one of more than the window shows, a page is laid out and drawn there and
 * back. */
async function pictures(page, devtools, name, width) {
    const height = await page.evaluate(() =>
        document.documentElement.scrollHeight);
    await page.setViewportSize({ width, height: Math.min(height, 4000) });
    for (const theme of ["dark", "light"]) {
        await page.emulateMedia({ colorScheme: theme });
        const { data } = await devtools.send("Page.captureScreenshot",
            { format: "jpeg", quality: 75 });
        writeFileSync(join(directory(), `${name}-${width}-${theme}.jpg`),
            data, "base64");
    }
}

/* The page on paper, for people to look at: its sheets, and all of it at the
 * width of a sheet. */
export async function printed(page, name) {
    await page.screenshot({ path: join(directory(), `${name}-paper.png`),
        fullPage: true });
    await page.pdf({ path: join(directory(), `${name}.pdf`), format: "A4" });
}

/* The document as it came: well-formed, and of our house. */
async function markup(page, name) {
    const answer = shown(page);
    const html = await answer.text();
    const report = await rules.validateString(html, `${name}.html`);
    const said = report.results.flatMap(({ messages }) => messages.map(
        ({ line, column, ruleId, message }) =>
            `${line}:${column} ${ruleId}: ${message}: ` +
            `${html.split("\n")[line - 1]?.slice(0, 200)}`));
    assert.deepEqual(said, [], name);
    const inline = await page.evaluate(() => [
        ...document.querySelectorAll("style, script:not([src]), base")].concat(
        [...document.querySelectorAll("*")].filter((one) =>
            [...one.attributes].some(({ name }) => /^(on|style$)/.test(name))))
        .map((one) => one.outerHTML));
    assert.deepEqual(inline, [], name);
    return html;
}

/* ---- weight --------------------------------------------------------- */

let parts = null; // bytes of what all pages share, as served

async function shared() {
    parts ??= (await Promise.all(["app.css", "app.js", "icons.svg",
        "favicon.svg"].map((file) => raw(`/static/${file}`, {
        headers: { "Accept-Encoding": "gzip" } })))).reduce(
        (sum, { body }) => sum + body.length, 0);
    return parts;
}

async function weigh(page, html, name, typed) {
    const headers = await shown(page).allHeaders();
    /* A document that the browser had already is only confirmed, by its
     * ETag, without a word of how it was sent before. */
    const packed = headers["content-encoding"] === "gzip" || headers.etag;
    const own = packed ? gzipSync(html, { level: 1 }).length
        : Buffer.byteLength(html) - typed;
    const sum = own + await shared();
    assert.ok(sum <= heaviest, `${name} weighs ${sum} bytes, ${own} its own`);
}

/* ---- all of it ------------------------------------------------------ */

/* Looks at the page as it stands now. heavy: an agent filled it up, so its
 * weight is not ours; typed: bytes that its reader has typed. */
export async function look(page, name, { heavy = false, typed = 0 } = {}) {
    const html = await markup(page, name);
    if (!heavy) {
        await weigh(page, html, name, typed);
    }
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Runtime.evaluate", { expression: auditor });
    for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const theme of ["light", "dark"]) {
            const how = `${name}-${width}-${theme}`;
            await page.emulateMedia({ colorScheme: theme });
            await audit(page, how, theme, width < 720);
        }
        if (process.env.SAYSO_SCREENSHOTS === "yes") {
            await pictures(page, devtools, name, width);
        }
    }
    await devtools.detach();
    looked.add(name);
    await cellsHold(page, name);
    calm(page);
}

/* A test that looks at a page; bring takes a page there. */
export function state(name, status, options, bring,
    { lane, heavy, typed } = {}) {
    test(`looks: ${name}`, () => withSparePage(options, async (page) => {
        await bring(page);
        assert.equal(shown(page).status(), status);
        await look(page, name, { heavy, typed });
    }), lane);
}
