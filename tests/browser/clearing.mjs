/* The effort of clearing a morning, in a table: clicks, keys, letters, pages
 * loaded, and how often one has to scroll to a button. Twenty requests: eleven
 * refunds alike, two permissions, a form, a text, a choice, a cost, a handoff,
 * one of high risk and a critical one; and twice as many. */
import assert from "node:assert/strict";

import { drawn, text, withPage } from "./browser.mjs";
import * as cards from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import * as plans from "./plans_questions.mjs";
import * as questions from "./questions.mjs";
import { ask, sql } from "./server.mjs";

const by = { who: "operator", width: 1280, height: 720 };
const alike = 11;

/* No two have the same details. */
function refund(word, k, i, severity) {
    return { kind: "approval", severity, question: "Shall it be refunded?",
        explanation: "Return scanned at the depot.", timeout_seconds: 7200,
        subject: { action: { name: "payments.refund" },
            target: "KES-EU-1", scope_summary: "one order",
            consequence: `${i}.40 EUR leave the account KES-EU-1`,
            calls: [{ tool: `payments.refund_${severity}`, args: {
                amount: `${i}.40`, currency: "EUR", order: `${word}-${k}${i}` } }],
        } };
}

/* One that is like no other. */
function permission(name) {
    return cards.permission({ severity: "low", timeout_seconds: 3600,
        subject: { capability: `mail.${name}` } });
}

function twenty(word, k) {
    return [...Array.from({ length: alike }, (_, i) =>
        refund(word, k, 10 + i, "low")),
        permission(`send${k}`), permission(`read${k}`),
        plans.input(), questions.words({ severity: "low",
            timeout_seconds: 7200 }), questions.short(),
        cards.cost(), plans.handoff({ severity: "medium" }),
        refund(word, k, 400, "high"), refund(word, k, 900, "critical")];
}

/* They are asked one after the other: the list has their order. */
async function asked(word, times) {
    for (let k = 0; k < times; k += 1) {
        for (const one of twenty(word, k)) {
            await ask({ ...one, title: `${word} ${one.title ?? "Refund"}` });
        }
    }
}

function open(word) {
    return Number(sql("SELECT count(*) FROM suspension_row WHERE state = " +
        `'pending' AND title LIKE '${word}%'`));
}

function counting(page) {
    const spent = { clicks: 0, keys: 0, letters: 0, loads: 0, scrolls: 0 };
    page.on("load", () => { spent.loads += 1; });
    return spent;
}

const yes = ":is(#answer, .strip) [aria-keyshortcuts='a']";

/* The empty fields of a request that are to be filled. */
async function blanks(page) {
    const empty = [];
    for (const field of await page.locator("#typed, #value, " +
        "#answer .field :is(input, textarea):not([type=hidden], #reason)")
        .filter({ visible: true }).all()) {
        if (!await field.inputValue()) {
            empty.push(field);
        }
    }
    return empty;
}

function wanted(label) {
    return /postcode/i.test(label) ? "10115" : "Red";
}

/* The answers stand below each other, as wide as their column. */
async function aligned(page) {
    const edges = await page.locator(".choose .answer .btn").filter(
        { visible: true }).evaluateAll((all) => all.map((one) => {
        const { left, right } = one.getBoundingClientRect();
        return `${left} to ${right}`;
    }));
    assert.ok(new Set(edges).size <= 1, edges.join());
}

/* ---- by mouse ------------------------------------------------------- */

function mouse(page, spent) {
    async function click(button) {
        const box = await button.boundingBox();
        if (box.y < 0 || box.y + box.height > 720) {
            spent.scrolls += 1;
        }
        spent.clicks += 1;
        await button.click();
    }

    async function go(button) {
        await Promise.all([page.waitForEvent("load"), click(button)]);
        await drawn(page);
    }

    async function write(field) {
        const typed = await page.locator("label[for=typed] code");
        const letters = await typed.count() ? await typed.innerText()
            : wanted(await field.evaluate((one) =>
                one.labels[0]?.innerText ?? ""));
        if (!await field.evaluate((one) => one === document.activeElement)) {
            await click(field);
        }
        await page.keyboard.type(letters);
        spent.letters += letters.length;
    }

    async function answer() {
        await aligned(page);
        for (const field of await blanks(page)) {
            await write(field);
        }
        const button = page.locator(yes).first();
        await go(await button.count() ? button : page.locator(
            "#answer [type=submit]").filter({ visible: true }).first());
    }

    return { click, go, answer };
}

async function answerAll(page, answer) {
    let before = "";
    while (new URL(page.url()).pathname !== "/inbox") {
        assert.notEqual(page.url(), before, await text(page));
        before = page.url();
        await answer();
    }
}

async function byMouse(page, word) {
    const spent = counting(page);
    const hand = mouse(page, spent);
    await page.goto(`/inbox?q=${word}&group=none`);
    spent.loads = 0;
    await hand.go(page.locator("li.row .title").first());
    await answerAll(page, hand.answer);
    return spent;
}

/* The group of those that are alike first, then the others. */
async function byGroup(page, word) {
    const spent = counting(page);
    const hand = mouse(page, spent);
    await page.goto(`/inbox?q=${word}`);
    spent.loads = 0;
    await hand.go(page.locator(".review .btn").first());
    await confirms(page);
    await hand.go(page.locator("form.confirm [type=submit]").first());
    assert.match(await text(page, "#answered"), /^Done: \d+ approved\.$/);
    await hand.go(page.locator("li.row .title").filter(
        { visible: true }).first());
    await answerAll(page, hand.answer);
    return spent;
}

/* The page that confirms shows all that is approved, in a few lines each. */
async function confirms(page) {
    for (const [width, height, most] of [[1280, 720, 80], [768, 1024, 80],
        [360, 740, 190]]) {
        await page.setViewportSize({ width, height });
        const rows = await page.locator(".listed tbody").evaluateAll((all) =>
            all.map((one) => one.getBoundingClientRect().toJSON()));
        const top = Math.max(...rows.map((one) => one.height));
        console.log(`bulk ${width}x${height}: ${rows.filter(({ bottom }) =>
            bottom <= height).length} of ${rows.length} requests whole, ` +
            `each up to ${Math.round(top)} px`);
        assert.ok(top <= most, `${width}: ${top}`);
    }
    await page.setViewportSize({ width: by.width, height: by.height });
}

/* ---- by keyboard ---------------------------------------------------- */

async function byKeyboard(page, word) {
    const spent = counting(page);
    const key = async (name) => {
        spent.keys += 1;
        await page.keyboard.press(name);
    };
    const go = async (name) => {
        await Promise.all([page.waitForEvent("load"), key(name)]);
        await drawn(page);
    };
    const type = async (letters) => {
        spent.letters += letters.length;
        await page.keyboard.type(letters);
    };

    async function answer() {
        const fields = await blanks(page);
        const typed = page.locator("label[for=typed] code");
        if (await typed.count()) { // the field has the focus
            await type(await typed.innerText());
            await go("Enter");
        } else if (fields.length) {
            await key("c");
            for (const [i, field] of fields.entries()) {
                if (i) {
                    await key("Tab");
                }
                await type(wanted(await field.evaluate((one) =>
                    one.labels[0]?.innerText ?? "")));
            }
            await go("Control+Enter");
        } else if (await page.locator("form.confirm").count()) {
            await go("a");
        } else {
            const here = page.url();
            await key("a"); // of low risk it asks for a second press
            await page.waitForFunction((at) => location.href !== at ||
                document.querySelector(".armed"), here);
            if (page.url() === here) {
                await go("a");
            } else {
                await page.waitForLoadState();
                await drawn(page);
            }
        }
    }

    await page.goto(`/inbox?q=${word}&group=none`);
    spent.loads = 0;
    await key("j");
    await go("o");
    await answerAll(page, answer);
    return spent;
}

/* ---- the table ------------------------------------------------------ */

const ways = { mouse: byMouse, keyboard: byKeyboard, "group, then mouse":
    byGroup, "mouse without scripts": byMouse };
/* Of twenty; the opening of the first request is one of the loads. */
const most = { mouse: { clicks: 28, loads: 25 },
    keyboard: { clicks: 0, loads: 25 },
    "group, then mouse": { clicks: 19, loads: 16 },
    "mouse without scripts": { clicks: 28, loads: 25 } };

for (const times of [1, 2]) {
    for (const [way, clear] of Object.entries(ways)) {
        const scripts = !way.endsWith("without scripts");
        if (!scripts && times > 1) {
            continue;
        }
        test(`${20 * times} are cleared by ${way}`, () =>
            withPage({ ...by, scripts }, async (page) => {
                const word = `clear${times}${way.length}${Date.now()}`;
                await asked(word, times);
                const spent = await clear(page, word);
                console.log(`clearing ${20 * times} by ${way}: ` +
                    Object.entries(spent).map(([name, n]) =>
                        `${n} ${name}`).join(", "));
                assert.equal(open(word), 0);
                assert.equal(await page.locator("li.row").count(), 0);
                for (const [name, n] of Object.entries(most[way])) {
                    assert.ok(spent[name] <= n * times, name);
                }
            }));
    }
}
