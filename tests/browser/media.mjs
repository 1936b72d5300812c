/* The pages as others see them than on a screen of their own colours: on paper,
 * in colours that the reader forces, and zoomed until little fits. */
import assert from "node:assert/strict";

import { follow, overflow, text, withSparePage } from "./browser.mjs";
import { approval, cost, flat, permission } from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { printed } from "./looks.mjs";
import { credential, handoff, input, plan } from "./plans_questions.mjs";
import * as questions from "./questions.mjs";
import { ask, respond } from "./server.mjs";

const by = { who: "operator" };

async function open(page, question, query = "") {
    const asked = await ask(question);
    await page.goto(`/suspensions/${asked.suspension_id}${query}`);
    return asked;
}

/* One that may be answered together with others. */
function small(agent) {
    return ask({ kind: "approval", severity: "low",
        title: questions.named("Refund 9.99 EUR"), question: "May I?",
        subject: { action: { name: "payments.refund" }, target: "KES-EU-1",
            scope_summary: "One order", consequence: "Money leaves." } },
    agent);
}

/* ---- paper ---------------------------------------------------------- */

/* A sheet has no frame, nothing to press, no part that would scroll and no dark
 * ground, also for readers who chose a dark one. */
async function sheet(page, name) {
    await page.emulateMedia({ media: "print", colorScheme: "dark" });
    /* A4 at 96 dots in an inch, without the margins. */
    await page.setViewportSize({ width: 673, height: 1000 });
    assert.equal(await overflow(page), 0, name);
    const found = await page.evaluate(() => {
        const seen = (one) => one.checkVisibility(
            { checkVisibilityCSS: true }) &&
            one.getBoundingClientRect().height > 1;
        const all = [...document.querySelectorAll("body *")].filter(seen);
        return {
            frame: all.filter((one) => one.matches(".bar *, .side *, .btn, " +
                "button, .menu *, .save-view, " +
                ":is(input, textarea, select):not(#form *)"))
                .map((one) => one.outerHTML.slice(0, 120)),
            fixed: all.filter((one) => ["fixed", "sticky"].includes(
                getComputedStyle(one).position)).map((one) => one.className),
            dark: all.filter((one) => {
                const { backgroundColor: ground } = getComputedStyle(one);
                const [r, g, b, a = 1] = ground.match(/[\d.]+/g).map(Number);
                return a > 0 && r + g + b < 3 * 200;
            }).map((one) => one.className),
            pale: all.filter((one) => one.matches("a, p, dd, td, bdi")).filter(
                (one) => getComputedStyle(one).color.match(/\d+/g).slice(0, 3)
                    .some((part) => Number(part) > 120))
                .map((one) => one.outerHTML.slice(0, 120)),
            narrow: all.filter((one) => one.matches(".said-why") &&
                one.getBoundingClientRect().width < 200 &&
                one.getBoundingClientRect().height > 40).map((one) =>
                one.innerText),
            scrolls: all.filter((one) => ["auto", "scroll"].includes(
                getComputedStyle(one).overflowY) &&
                one.scrollHeight > one.clientHeight + 1).map((one) =>
                one.className),
            cut: all.filter((one) => one.matches(":not(#form *)") &&
                getComputedStyle(one).overflowX !== "visible" &&
                one.scrollWidth > one.clientWidth + 1).map((one) =>
                one.className),
        };
    });
    assert.deepEqual(found, { frame: [], fixed: [], dark: [], pale: [],
        narrow: [], scrolls: [], cut: [] }, name);
    if (process.env.SAYSO_SCREENSHOTS === "yes") {
        await printed(page, name);
    }
    const words = await text(page);
    /* The page is used again. */
    await page.emulateMedia({ media: "screen", colorScheme: "light" });
    return words;
}

test("a request on paper is its head, its facts and their digest", () =>
    withSparePage(by, async (page) => {
        await open(page, approval());
        const words = await sheet(page, "paper-request");
        for (const one of ["Refund 499.99 EUR to Jonas Weber", "High",
            "refunds-agent", "two photos", "payments.refund_create",
            "Visa ending 4417", "If nobody answers", "SHA-256",
            "Dear Mr Weber, we are sorry."]) {
            assert.ok(words.includes(one), `${one} in: ${words}`);
        }
        for (const question of [plan(), cost(), questions.form(),
            questions.words(), questions.choice()]) {
            await open(page, question);
            await sheet(page, "paper-other");
        }
        /* While one confirms, nothing is decided: the sheet is the same. */
        await open(page, approval(), "?choice=approve");
        assert.doesNotMatch(await sheet(page, "paper-confirm"),
            /Nothing is sent yet|to confirm/);
    }));

test("an answered request on paper has its decision", () =>
    withSparePage(by, async (page) => {
        const asked = await open(page, approval());
        await respond(asked.suspension_id, { value: "reject",
            reason: "The photos show another stove." });
        await page.reload();
        const words = await sheet(page, "paper-answered");
        for (const one of ["Rejected", "The photos show another stove.",
            "payments.refund_create", "SHA-256"]) {
            assert.ok(words.includes(one), `${one} in: ${words}`);
        }
        await page.goto(`/suspensions/${asked.suspension_id}/receipt`);
        await sheet(page, "paper-receipt");
        await page.goto(`/intents/${asked.intent_id}`);
        await sheet(page, "paper-task");
    }));

test("the lists on paper have their rows whole", () =>
    withSparePage(by, async (page) => {
        const title = questions.named(`Send${" a long letter".repeat(11)}`);
        const asked = await ask(questions.short({ title }), "paper-agent");
        await page.goto("/inbox?agent=paper-agent");
        assert.ok((await sheet(page, "paper-inbox")).includes(title));
        await respond(asked.suspension_id, { value: "refund" });
        await page.goto("/decided?agent=paper-agent");
        assert.ok((await sheet(page, "paper-history")).includes(title));
    }));

/* ---- forced colours --------------------------------------------------- */

/* All that the eye may tell one from another by, in forced colours. */
function looksOf(page, selector) {
    return page.locator(selector).first().evaluate((one) => {
        const { outlineStyle, outlineColor, borderColor, borderWidth,
            backgroundColor, color } = getComputedStyle(one);
        return [outlineStyle, outlineStyle === "none" ? "" : outlineColor,
            borderWidth === "0px" ? "" : borderColor, backgroundColor,
            color].join(" ");
    });
}

async function differ(page, one, other) {
    assert.notEqual(await looksOf(page, one), await looksOf(page, other),
        `${one} looks like ${other}`);
}

test("what is chosen, first or drawn is marked in forced colours", () =>
    withSparePage(by, async (page) => {
        await page.emulateMedia({ forcedColors: "active" });
        await open(page, cost({ severity: "low" }));
        await differ(page, ".rail .btn.filled", ".rail .btn:not(.filled)");
        const legend = await page.locator(".legend li").evaluateAll((all) =>
            all.map((one) => {
                const { backgroundColor, borderStyle, width } =
                    getComputedStyle(one, "::before");
                return [backgroundColor, borderStyle, width].join(" ");
            }));
        assert.equal(new Set(legend).size, legend.length, legend.join("; "));
        const bar = await page.locator(".cost rect").evaluateAll((all) =>
            all.map((one) => {
                const { fill, stroke, strokeDasharray } =
                    getComputedStyle(one);
                return [fill, stroke, strokeDasharray].join(" ");
            }));
        assert.equal(new Set(bar).size, bar.length, bar.join("; "));
        await small("forced-agent");
        await small("forced-agent");
        await page.goto("/inbox?agent=forced-agent");
        await differ(page, ".side [aria-current]", ".side a:not([aria-current])");
        await page.locator("[name='pick[]']:visible").first().check();
        await differ(page, "li.row:has(:checked)",
            "li.row:not(:has(:checked))");
        await page.goto("/settings/profile");
        await differ(page, ".groups [aria-current]",
            ".groups a:not([aria-current])");
        await page.emulateMedia({ forcedColors: "none" });
    }));

/* ---- zoom ----------------------------------------------------------- */

const context = Object.fromEntries(Array.from({ length: 60 }, (_, i) =>
    [`key ${i}`, `A value of some letters, ${i}`]));

/* The share of the window's height that each thing takes which stays in place,
 * while the page lies under it. */
function shares(page) {
    return page.evaluate(() => [...document.querySelectorAll("body *")]
        .filter((one) => ["fixed", "sticky"].includes(
            getComputedStyle(one).position) && one.checkVisibility())
        .map((one) => one.getBoundingClientRect())
        .filter(({ top, bottom, width, height }) => height > 1 && width > 1 &&
            bottom > 0 && top < window.innerHeight)
        .map(({ height }) => height / window.innerHeight));
}

/* Of 1280 x 720, of 1440 x 900 and of a phone, at 200 and 400 %. */
const zoomed = [[640, 360], [320, 180], [720, 450], [360, 225], [180, 370]];

async function leavesRoom(page, what) {
    const most = [];
    for (const [width, height] of zoomed) {
        await page.setViewportSize({ width, height });
        for (const at of [0, 200, 1e6]) {
            await page.evaluate((y) => window.scrollTo(0, y), at);
            const found = await shares(page);
            assert.ok(found.every((one) => one <= 0.15),
                `${what} at ${width} x ${height}: ${found}`);
            most.push(...found);
        }
    }
    console.log(`zoomed to 200 and 400 %: ${what}: bars take up to ` +
        `${Math.round(100 * Math.max(0, ...most))} % of the height`);
}

test("no bar takes more than 15 % of a zoomed window", () =>
    withSparePage(by, async (page) => {
        for (const question of [approval(), flat(), permission(), cost(),
            plan(), credential(), handoff(), input(),
            questions.words(), questions.choice()]) {
            await open(page, { ...question, context });
            await leavesRoom(page, question.title ?? question.question);
        }
        await open(page, approval(), "?choice=approve");
        await leavesRoom(page, "the step that confirms");
        await page.setViewportSize({ width: 1280, height: 720 });
        await small("zoom-agent");
        await page.goto("/inbox?agent=zoom-agent");
        await page.locator("[name='pick[]']:visible").first().check();
        await leavesRoom(page, "the inbox with a selection");
        await page.setViewportSize({ width: 1280, height: 720 });
        await follow(page, "History");
        await leavesRoom(page, "the history");
    }));

/* ---- from the right ------------------------------------------------- */

const arabic = "\u064a\u0631\u062c\u0649 \u0625\u0639\u0627\u062f\u0629 499.99 " +
    "EUR \u0625\u0644\u0649 \u0627\u0644\u0639\u0645\u064a\u0644 ";

test("texts that are read from the right begin there, and stay apart", () =>
    withSparePage(by, async (page) => {
        const long = arabic.repeat(4);
        await open(page, approval({ severity: "low", title: arabic,
            question: long, explanation: long, subject: {
                consequence: long, scope_summary: long,
                calls: [{ tool: "refund", args: { note: long,
                    amount: "499.99" } }] } }));
        const texts = await page.evaluate(() => {
            const found = [];
            const all = document.createTreeWalker(
                document.querySelector("main"), NodeFilter.SHOW_TEXT);
            while (all.nextNode()) {
                const { data, parentElement } = all.currentNode;
                if (/[\u0600-\u06ff]/.test(data) &&
                    parentElement.checkVisibility()) {
                    found.push([getComputedStyle(parentElement).direction,
                        parentElement.outerHTML.slice(0, 80)]);
                }
            }
            return found;
        });
        assert.ok(texts.length >= 6, texts.join("; "));
        assert.deepEqual(texts.filter(([way]) => way !== "rtl"), []);
        for (const selector of ["h1", ".asked .lead", ".quote .words",
            ".claims .words", ".args .words[dir]"]) {
            const first = page.locator(`main ${selector}`).filter({
                hasText: "\u0625\u0639\u0627\u062f\u0629" }).first();
            assert.equal(await first.evaluate((one) => {
                const { textAlign, direction } = getComputedStyle(one);
                return `${direction} ${textAlign}`;
            }), "rtl start", selector);
        }
    }));
