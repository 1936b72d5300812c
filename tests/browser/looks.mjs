/* Every page in every state: at three widths, light and dark. axe finds
 * nothing, html-validate finds nothing, nothing scrolls sideways, nothing is
 * blocked or complained about, and a page weighs little. The pictures are
 * kept for people to look at. */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { gzipSync } from "node:zlib";
import { HtmlValidate } from "html-validate";

import { calm, overflow, shown } from "./browser.mjs";
import { raw, server } from "./server.mjs";

const axe = readFileSync(
    createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const standards = ["wcag2a", "wcag2aa", "wcag21aa", "wcag22aa"];
const heaviest = 50 * 1024; // bytes over the wire, with style and script
const widths = [360, 768, 1440];

/* A title may be as long as a question's head: it is not for search. */
const rules = new HtmlValidate({
    root: true,
    extends: ["html-validate:recommended"],
    rules: { "long-title": "off" },
});

function pictures() {
    const dir = join(dirname(process.env.SAYSO_VAR ?? server.state),
        "screenshots");
    mkdirSync(dir, { recursive: true });
    return dir;
}

/* A theme changes only contrast, so only that is checked for each. */
async function audit(page, how, theme) {
    const only = theme === "light" ? standards
        : { type: "rule", values: ["color-contrast"] };
    const found = await page.evaluate(async (runOnly) => {
        /* At the end of a list its bar covers no row. */
        const down = document.getElementById("bulk");
        window.scrollTo(0, down ? document.body.scrollHeight : 0);
        const told = await window.axe.run({
            runOnly, resultTypes: ["violations"] });
        window.scrollTo(0, 0);
        return told;
    }, only);
    const said = found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html, failureSummary }) =>
            `${id}: ${html.slice(0, 300)} ${failureSummary}`));
    assert.deepEqual(said, [], how);
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

/* Of long pages the first five screens are kept. */
async function picture(page, how, width) {
    const height = await page.evaluate(() =>
        document.documentElement.scrollHeight);
    await page.screenshot({ path: join(pictures(), `${how}.jpg`),
        type: "jpeg", quality: 75, fullPage: true,
        clip: { x: 0, y: 0, width, height: Math.min(height, 4000) } });
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
    await page.evaluate(axe);
    for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        for (const theme of ["light", "dark"]) {
            const how = `${name}-${width}-${theme}`;
            await page.emulateMedia({ colorScheme: theme });
            assert.equal(await overflow(page), 0, `${how} scrolls sideways`);
            await picture(page, how, width);
            assert.deepEqual(await cutOff(page), [], `${how} cuts off`);
            await audit(page, how, theme);
        }
    }
    calm(page);
}
