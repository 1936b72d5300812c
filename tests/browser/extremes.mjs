/* Requests at the limits of what an agent may send: the page stays whole from
 * 320 to 1920 px, nothing of it runs, and no worker needs more memory than one
 * request may have. */
import assert from "node:assert/strict";

import { asked as called } from "./calls.mjs";
import { overflow, shown, withPage } from "./browser.mjs";
import { approval } from "./cards_questions.mjs";
import { cellsHold } from "./cells.mjs";
import { pngOf, upload } from "./evidence.mjs";
import { holds, unfold } from "./hostile.mjs";
import { test } from "./lanes.mjs";
import { plan } from "./plans_questions.mjs";
import { attacks, choice, named } from "./questions.mjs";
import { ask, raw } from "./server.mjs";

const widths = [320, 360, 768, 1000, 1280, 1920];
const word = "W".repeat(600);
const family = "\u{1f468}\u200d\u{1f469}\u200d\u{1f467}\u200d\u{1f466}" +
    "\u{1f3f3}\ufe0f\u200d\u{1f308}\u{1f1ea}\u{1f1fa}";
const right = "\u064a\u0631\u062c\u0649 \u05e9\u05dc\u05d5\u05dd 499.99 EUR " +
    "\u202e\u2066";
const piled = `a${"\u0301\u0336\u0489".repeat(60)}`; // marks on one letter

function many(n, value) {
    return Object.fromEntries(Array.from({ length: n }, (_, i) =>
        [`argument_${i}`, value(i)]));
}

function deep(levels, value) {
    return levels === 0 ? value
        : { [`level ${levels}`]: [deep(levels - 2, value)] };
}

/* Every text of a question, and a choice of each kind. */
function full(of, more = {}) {
    const text = (length) => [...of.repeat(length)].slice(0, length).join("");
    return choice({
        title: text(200), question: text(4000), explanation: text(20000),
        severity: "high", choices: ["authorize", "veto", "request_changes"]
            .map((effect, i) => ({ value: `v${i}`,
                label: `${i} ${text(198)}`, description: text(1000), effect })),
        fallback_value: "v1", context: { [text(150)]: text(3000),
            list: [text(300), text(20)], short: text(8) },
        intent: { title: text(200), description: text(2000),
            initiated_by: text(200) }, ...more,
    });
}

const marked = [
    ...attacks, "<h1>Approved</h1><style>*{display:none}</style>",
    "![pixel](https://evil.example/p.png)", "[go](javascript:alert(1))",
    "[a]: https://evil.example", "<https://evil.example>",
    `${"> ".repeat(200)}deep`, `${"- ".repeat(200)}deep`,
    `${"*".repeat(3000)}`, `${"[".repeat(2000)}`, `\`\`\`\`\`\`${"`".repeat(99)}`,
    "| a | b |\n|---|---|\n| 1 | 2 |", "Title\n=====", "[^1]\n\n[^1]: note",
    `${"1. x\n".repeat(300)}`, `<!-- ${word} -->`, "&#x202e;&lt;b&gt;",
    "---\n***\n___", "\\<b>\\*", "https://evil.example/\u202egnp.exe",
].join("\n\n").slice(0, 20000);

function lines(n, of) {
    return Array.from({ length: n }, (_, i) => of(i)).join("\n");
}

/* 16 million pixels in two kilobytes. */
async function bombs() {
    const side = 4096, evidence = [];
    for (let i = 0; i < 4; i++) {
        const rows = Buffer.alloc(side * (1 + side / 8), i);
        for (let y = 0; y < side; y++) {
            rows[y * (1 + side / 8)] = 0;
        }
        evidence.push({ title: `Picture ${i}`, ref: await upload(
            pngOf(side, side, [1, 0], rows), "image/png") });
    }
    return evidence;
}

async function asks(question) {
    return (await ask(question)).suspension_id;
}

const requests = {
    "200 arguments": () => asks(approval({ subject: { calls: [
        { tool: "import", args: many(200, (i) => i % 7 ? i * 1.5
            : `A value of many letters, number ${i}`) }] } })),
    "20 levels": () => asks(approval({ subject: { calls: [
        { tool: "deep", args: deep(20, "the bottom") }],
    other: deep(20, [1, 2, {}]) } })),
    "words of 600 letters": () => asks(full(word)),
    "words from the right": () => asks(full(right)),
    "emoji": () => asks(full(family)),
    "Markdown of all that is forbidden": () => asks(choice({
        title: named("Read this"), explanation: marked })),
    "a difference of 5,000 lines": () => called("Edit", {
        file_path: `src/${word}.ts`,
        old_string: lines(5000, (i) => `line ${i}`),
        new_string: lines(5000, (i) => i % 3 ? `line ${i}` : `changed ${i}`) }),
    "pictures of many million pixels": async () => asks(choice({
        title: named("Look at these"), evidence: await bombs() })),
    "twenty long answers": () => asks(full("Delete it all, or not. ", {
        choices: Array.from({ length: 20 }, (_, i) => ({ value: `v${i}`,
            label: `${i} ${"of the warehouses ".repeat(10)}`.slice(0, 200),
            description: word.slice(0, 500),
            effect: ["authorize", "request_changes", "veto"][i % 3] })) })),
    "a plan of a hundred hostile steps": () => asks(plan({}, Array.from(
        { length: 100 }, (_, i) => ({ id: `s${i}`,
            title: attacks[i % attacks.length].slice(0, 200) || "step",
            detail: `${attacks[(i + 3) % attacks.length]} ${word}`.slice(0, 500),
            tool: word.slice(0, 100), risk: "high",
            args: { [word.slice(0, 100)]: right, n: i } })))),
    "letters under a pile of marks": () => asks(full(`${piled} `, {
        question: piled.repeat(3), explanation: piled.repeat(5),
        context: { [piled]: piled.repeat(3) } })),
    "lines and spaces that show nothing": () => asks(full("x", {
        explanation: "\n".repeat(9000), context: { tabs: "\t".repeat(3000),
            lines: "\r\n".repeat(3000), spaces: " ".repeat(5000),
            breaks: "\u2028\u2029\u0085\u000b\u000c".repeat(400) } })),
};

/* Numbers of the server that tell of a request over its memory. */
async function overMemory() {
    const { body } = await raw("/metrics");
    return body.toString().split("\n").filter((line) =>
        /^sayso_(worker_recycled|requests_over_memory)_total/.test(line));
}

/* An explanation may have links, and a question its own pictures; no other page
 * has either. */
async function whole(page, name) {
    const found = await page.evaluate(() => ({
        taken: window.taken ?? null,
        strange: [...document.querySelectorAll("main :is(script, style, meta, " +
            "iframe, base, object, form form)")].map((one) => one.outerHTML),
        foreign: [...document.querySelectorAll("[src], [action], link[href]")]
            .map((one) => one.getAttribute("src") ??
                one.getAttribute("action") ?? one.getAttribute("href"))
            .filter((one) => !/^\/[a-z]/.test(one)),
        links: [...document.querySelectorAll("main a[href]")].filter((one) =>
            !/^[/#?]/.test(one.getAttribute("href")) &&
            !(/^https:\/\/[\x21-\x7e]+$/.test(one.getAttribute("href")) &&
                one.rel === "noopener noreferrer"))
            .map((one) => one.outerHTML),
    }));
    assert.deepEqual(found,
        { taken: null, strange: [], foreign: [], links: [] }, name);
    assert.equal(await overflow(page), 0, `${name} scrolls sideways`);
    if (!await page.locator("main img, main a[href^='https:']").count()) {
        await holds(page, name);
    }
    await cellsHold(page, name, widths);
}

for (const [name, make] of Object.entries(requests)) {
    test(`the page stays whole: ${name}`, () =>
        withPage({ who: "operator" }, async (page) => {
            const id = await make();
            const before = await overMemory();
            assert.equal(before.length, 2);
            for (const path of [`/suspensions/${id}`, "/inbox"]) {
                await page.goto(path);
                assert.equal(shown(page).status(), 200);
                await whole(page, `${name}, ${path}`);
            }
            await page.goto(`/suspensions/${id}`);
            await unfold(page);
            await whole(page, `${name}, unfolded`);
            const step = page.locator(".rail a[href*='choice=']").first();
            if (await step.count()) {
                await page.goto(await step.getAttribute("href"));
                assert.equal(shown(page).status(), 200);
                await whole(page, `${name}, while one confirms`);
            }
            assert.deepEqual(await overMemory(), before);
        }));
}
