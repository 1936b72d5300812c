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

import { calm, overflow, shown, withSparePage } from "./browser.mjs";
import { cellsHold } from "./cells.mjs";
import { test } from "./lanes.mjs";
import { raw, server } from "./server.mjs";

const auditor = [
    createRequire(import.meta.url).resolve("axe-core/axe.min.js"),
    fileURLToPath(new URL("audit.js", import.meta.url)),
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

/* A theme changes only contrast, so only that is checked for each. */
async function audit(page, how, theme) {
    const keys = await page.evaluate(() => {
        /* At the end of a list its bar covers no row. */
        const down = document.getElementById("bulk");
        window.scrollTo(0, down ? document.body.scrollHeight : 0);
        return window.audit.keys();
    });
    const asked = keys.filter((key) => !passed.has(key));
    const told = asked.length === 0 ? { passed: [], found: [] }
        : await page.evaluate((some) => window.audit.contrast(some), asked);
    told.passed.forEach((key) => passed.add(key));
    if (theme === "light") {
        told.found.push(...await page.evaluate((those) =>
            window.audit.rules(those), standards));
    }
    await page.evaluate(() => window.scrollTo(0, 0));
    assert.deepEqual(told.found, [], how);
}

/* Boxes that hide a part of the words in them, but for those that end with an
 * ellipsis, and what only screen readers are told. */
function cutOff(page) {
    return page.evaluate(() => {
        function hides(one) {
            const { overflowX, display } = getComputedStyle(one);
            return ["hidden", "clip"].includes(overflowX) &&
                display !== "inline" && one.clientWidth > 1;
        }

        function ends(one) { // with an ellipsis
            const { textOverflow, webkitLineClamp } = getComputedStyle(one);
            return textOverflow === "ellipsis" || webkitLineClamp !== "none" ||
                (one !== document.body && ends(one.parentElement));
        }

        function outside(text, box) {
            const range = document.createRange();
            range.selectNodeContents(text);
            return text.data.trim() && text.parentElement.checkVisibility() &&
                getComputedStyle(text.parentElement).clipPath === "none" &&
                !ends(text.parentElement) &&
                [...range.getClientRects()].some((is) =>
                    is.right > box.right + 1 || is.left < box.left - 1 ||
                    is.bottom > box.bottom + 1 || is.top < box.top - 1);
        }

        return [...document.querySelectorAll("body *")].filter(hides)
            .flatMap((one) => {
                const box = one.getBoundingClientRect(), cut = [];
                const texts = document.createTreeWalker(one,
                    NodeFilter.SHOW_TEXT);
                while (texts.nextNode()) {
                    if (outside(texts.currentNode, box)) {
                        cut.push(`${one.tagName}.${one.className}: ` +
                            texts.currentNode.data.trim().slice(0, 60));
                    }
                }
                return cut;
            });
    });
}

/* Texts that end with an ellipsis, of which the beginning is what is cut: a title
 * that is read from the right, in a box that is cut there. */
function headless(page) {
    return page.evaluate(() => [...document.querySelectorAll("main *")]
        .filter((one) => !one.matches("input") && one.clientWidth > 1 &&
            one.checkVisibility() &&
            getComputedStyle(one).textOverflow === "ellipsis")
        .flatMap((one) => {
            const texts = document.createTreeWalker(one,
                NodeFilter.SHOW_TEXT);
            const range = document.createRange();
            const box = one.getBoundingClientRect();
            do {
                texts.nextNode();
            } while (texts.currentNode !== one &&
                !texts.currentNode.data?.trim());
            if (texts.currentNode === one || !texts.currentNode.data?.trim()) {
                return [];
            }
            const at = texts.currentNode.data.search(/\S/u);
            range.setStart(texts.currentNode, at);
            range.setEnd(texts.currentNode, at + 1);
            const is = range.getBoundingClientRect();
            return is.left < box.left - 1 || is.right > box.right + 1
                ? [`${one.className}: ${one.innerText.slice(0, 60)}`] : [];
        }));
}

/* Items of a list under each other that do not begin at one edge: a class that
 * means something elsewhere moves or marks them. */
function ragged(page) {
    return page.evaluate(() => [...document.querySelectorAll("ol, ul")]
        .filter((list) => getComputedStyle(list).display === "block")
        .flatMap((list) => {
            const items = [...list.children].filter((one) =>
                one.checkVisibility());
            const edge = (one) => [one.getBoundingClientRect().left,
                getComputedStyle(one).borderLeftWidth].join(", border ");
            const usual = items.length && edge(items[0]);
            return items.filter((one) => edge(one) !== usual).map((one) =>
                `${one.className}: ${edge(one)}, not ${usual}`);
        }));
}

/* The button that confirms, where it is not the last one of its step: none stands
 * below it or, on more than a phone, further right. */
function strayed(page, phone) {
    return page.evaluate((narrow) => [...document.querySelectorAll(
        ".confirm .ends")].flatMap((ends) => {
        const boxes = [...ends.querySelectorAll(".btn")].map((one) =>
            one.getBoundingClientRect());
        const last = boxes.at(-1);
        return last && boxes.some(({ right, bottom }) =>
            bottom > last.bottom + 1 || (!narrow && right > last.right + 1))
            ? [ends.innerText] : [];
    }), phone);
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

async function weigh(page, html, name) {
    const packed = (await shown(page).allHeaders())["content-encoding"];
    const own = packed === "gzip" ? gzipSync(html, { level: 1 }).length
        : Buffer.byteLength(html);
    const sum = own + await shared();
    assert.ok(sum <= heaviest, `${name} weighs ${sum} bytes, ${own} its own`);
}

/* ---- all of it ------------------------------------------------------ */

/* Looks at the page as it stands now. heavy: an agent filled it up, so its
 * weight is not ours. */
export async function look(page, name, { heavy = false } = {}) {
    const html = await markup(page, name);
    if (!heavy) {
        await weigh(page, html, name);
    }
    const devtools = await page.context().newCDPSession(page);
    await devtools.send("Runtime.evaluate", { expression: auditor });
    for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const theme of ["light", "dark"]) {
            const how = `${name}-${width}-${theme}`;
            await page.emulateMedia({ colorScheme: theme });
            assert.equal(await overflow(page), 0, `${how} scrolls sideways`);
            assert.deepEqual(await cutOff(page), [], `${how} cuts off`);
            assert.deepEqual(await strayed(page, width < 720), [], how);
            assert.deepEqual(await ragged(page), [], `${how} is ragged`);
            assert.deepEqual(await headless(page), [],
                `${how} cuts the beginning off`);
            await audit(page, how, theme);
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
export function state(name, status, options, bring, { lane, heavy } = {}) {
    test(`looks: ${name}`, () => withSparePage(options, async (page) => {
        await bring(page);
        assert.equal(shown(page).status(), status);
        await look(page, name, { heavy });
    }), lane);
}
