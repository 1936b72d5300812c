/* The inbox by keyboard and by pointer: one hundred mixed questions cleared,
 * what keys never do, several at once without scripts, and how it looks. */
import assert from "node:assert/strict";

import {
    drawn, people, press, shown, text, withPage,
} from "./browser.mjs";
import * as cards from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { holds } from "./hostile.mjs";
import { state } from "./looks.mjs";
import * as plans from "./plans_questions.mjs";
import * as questions from "./questions.mjs";
import { ask, cancel, respond, sql, suspension } from "./server.mjs";

const by = { who: "operator" };

/* Runs with questions of its own and takes back what is still open of them:
 * the first page of the inbox is for others too. */
async function withOpen(options, use) {
    const mine = [];
    const asking = async (question) => {
        const one = await ask(question);
        mine.push(one.suspension_id);
        return one;
    };
    try {
        await withPage(options, (page) => use(page, asking));
    } finally {
        for (const id of mine) {
            if ((await suspension(id)).state === "pending") {
                await cancel(id, "The test is over.");
            }
        }
    }
}
const approval = {
    action: { name: "payments.refund" }, target: "KES-EU-1",
    scope_summary: "one order", consequence: "Money leaves.",
};

function refund(title, more = {}) {
    return { kind: "approval", title, question: "Shall it be refunded?",
        explanation: "Return scanned at the depot.", subject: approval,
        ...more };
}

/* With a call that names an amount. */
function paid(title, amount, more = {}, currency = "EUR") {
    return { ...refund(title, { severity: "low", ...more }),
        subject: { ...approval, calls: [{ tool: "payments.refund_create",
            args: { amount, currency } }] } };
}

/* The kinds that are read one by one, each of a risk of its own. */
const singles = [
    () => refund("", { severity: "high", explanation: "Refuse this one." }),
    () => plans.plan({ severity: "high" }),
    () => cards.permission({ severity: "high", subject: { target: "support" } }),
    () => cards.cost({ severity: "medium" }),
    () => plans.handoff({ severity: "high" }),
    () => plans.credential({ severity: "high" }),
    () => ({ kind: "elicitation", severity: "medium", question: "Which?",
        response_type: "text", subject: { prompt: "Which colour?" } }),
];

/* Fifty-five that are alike, ten of no kind, and five of each of the others. */
async function hundred(word) {
    const asked = [];
    function one(i) {
        const title = `${word} ${i}.40 EUR?`;
        const severity = ["low", "medium"][i % 2];
        return i < 55 ? refund(title, { severity })
            : i < 65 ? { ...questions.confirm(), title, severity: "low" }
            : { ...singles[i % singles.length](), title };
    }
    for (let i = 0; i < 100; i += 10) {
        asked.push(...await Promise.all([...Array(10).keys()].map((k) =>
            ask(one(i + k)))));
    }
    return asked.map(({ suspension_id }) => suspension_id);
}

function ended(word) {
    return sql("SELECT coalesce(kind, 'none') || ' ' || outcome || ' ' || " +
        "count(*) FROM suspension_row WHERE state = 'resolved' AND title LIKE " +
        `'${word}%' GROUP BY kind, outcome ORDER BY 1`).split("\n");
}

async function clear(page, word) {
    const spent = { keys: 0, loads: 0 };
    page.on("load", () => { spent.loads += 1; });

    async function key(...names) {
        for (const name of names) {
            await page.keyboard.press(name);
            spent.keys += 1;
        }
    }

    /* A key that leads to another page. */
    async function go(...names) {
        await Promise.all([page.waitForEvent("load"), key(...names)]);
    }

    /* As many at once as may be, until none is left that may. */
    async function together() {
        for (;;) {
            await key("*", "a");
            await go("a");
            const some = await page.locator("form [type=submit]" +
                "[aria-keyshortcuts=a]").count();
            if (!some) {
                await go("u");
                return;
            }
            await go("a"); // back in the list
            assert.match(await text(page, "#answered"), /^Done: \d+ approved\.$/);
        }
    }

    /* By what stands on its page: words are written, one is refused with a
     * reason, the others are confirmed on a second look. */
    async function one() {
        if (await page.locator("#value").count()) {
            await key("c", ..."Red");
            await go("Control+Enter");
        } else if (/Refuse this one/.test(await text(page))) {
            await go("r");
            await key("c", ..."No");
            await go("Control+Enter");
        } else {
            await go("a");
            const typed = page.locator("label[for=typed] code");
            if (await typed.count()) { // the field has the focus
                await key(...await typed.innerText());
                await go("Enter");
            } else {
                await go("a");
            }
        }
    }

    await page.goto("/inbox");
    await key("/", ...word);
    await go("Enter");
    await together();
    const left = await page.locator("li.row").count();
    await key("j");
    await go("o");
    for (let i = 0; i < left; i += 1) {
        await one(); // which leads to the next
    }
    assert.equal(await page.locator("li.row").count(), 0);
    return spent;
}

test("one hundred mixed questions are cleared from the keyboard", () =>
    withPage(by, async (page) => {
        const word = `hundred${Date.now()}`;
        await hundred(word);
        const spent = await clear(page, word);
        assert.deepEqual(ended(word), ["approval authorized 55",
            "approval vetoed 5", "cost_confirmation authorized 5",
            "credential_needed answered 5", "elicitation answered 5",
            "handoff_acceptance accepted 5", "none authorized 10",
            "permission authorized 5", "plan_review authorized 5"]);
        console.log(`one hundred questions: ${spent.keys} keys, ` +
                    `${spent.loads} page loads`);
        assert.ok(spent.keys < 300, `${spent.keys} keys`);
    }));

test("what is critical is never answered by a key", () =>
    withOpen(by, async (page, asks) => {
        const asked = await asks(refund("Critical by a key?",
            { severity: "critical" }));
        await page.goto(`/suspensions/${asked.suspension_id}`);
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("a")]);
        assert.match(page.url(), /\?choice=approve$/);
        for (const key of ["a", "Control+Enter", "1", "Enter"]) {
            await page.keyboard.press(key);
        }
        await page.waitForTimeout(300);
        const now = await suspension(asked.suspension_id);
        assert.equal(now.state, "pending");
    }));

/* The sentence of each risk on /keys, with the keys that it names. */
test("what the page of shortcuts says of each risk is so", () =>
    withOpen(by, async (page, asks) => {
        await page.goto("/keys");
        const said = (await text(page, ".levels")).replace(/\s+/g, " ");
        const opens = /Medium High the key opens the confirmation, Enter /;
        for (const [severity, says, typed] of [
            ["low", /Low press the key twice to answer/, null],
            ["medium", opens, ""], ["high", opens, ""],
            ["critical", /Critical the key opens the confirmation: type the /,
                approval.target]]) {
            assert.match(said, says);
            const asked = await asks(refund(`Keys ${Date.now()}`,
                { severity }));
            await page.goto(`/suspensions/${asked.suspension_id}`);
            await drawn(page);
            if (typed === null) {
                await page.keyboard.press("a");
            } else {
                await Promise.all([page.waitForEvent("load"),
                    page.keyboard.press("a")]);
                await drawn(page);
                await page.keyboard.type(typed);
            }
            assert.equal((await suspension(asked.suspension_id)).state,
                "pending");
            await Promise.all([page.waitForEvent("load"),
                page.keyboard.press(typed === null ? "a" : "Enter")]);
            assert.equal((await suspension(asked.suspension_id)).outcome,
                "authorized", severity);
        }
    }));

/* Where a person's limit lets many that are critical through, they are still
 * not answered by Enter alone; nor is a critical form by Enter in a field. */
test("what is critical is not sent by Enter alone", () =>
    withOpen({ who: "admin" }, async (page, asks) => {
        const word = `grave${Date.now()}`;
        sql("UPDATE principal SET bulk_limit = 'critical' WHERE email = " +
            `'${people.admin.email}'`);
        const one = await asks(refund(word, { severity: "critical" }));
        const form = await asks({ ...questions.form(), severity: "critical" });
        await page.goto(`/inbox?q=${word}`);
        for (const key of ["j", "x"]) {
            await page.keyboard.press(key);
        }
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("a")]);
        for (const key of ["Enter", "a", "Control+Enter"]) {
            await page.keyboard.press(key);
        }
        await page.waitForTimeout(300);
        assert.match(await text(page), /needs a typed confirmation/);
        await page.goto(`/suspensions/${form.suspension_id}`);
        await page.locator("#f1").fill("Anna & Co");
        await page.locator("#f1").press("Enter");
        await page.waitForTimeout(300);
        for (const { suspension_id } of [one, form]) {
            assert.equal((await suspension(suspension_id)).state, "pending");
        }
        sql("UPDATE principal SET bulk_limit = 'medium' WHERE email = " +
            `'${people.admin.email}'`);
    }));

/* Which key stands on which button, as the page says it. */
function keysOf(page) {
    return page.locator(".choose .answer .btn").evaluateAll((all) =>
        all.map((one) => [one.querySelector("kbd")?.textContent ?? "",
            one.firstChild.textContent.trim()].join(" ")));
}

test("a key does what its button says, whatever the agent calls it", () =>
    withOpen(by, async (page, asks) => {
        const cost = await asks(cards.cost({ severity: "low" }));
        await page.goto(`/suspensions/${cost.suspension_id}`);
        assert.deepEqual(await keysOf(page), [
            "a Approve: Spend up to the limit", "r Reject: Do not spend",
            "3 Stop the task"]);
        await page.keyboard.press("r");
        assert.equal(await page.evaluate(() => document.activeElement.id),
            "reason");
        assert.equal((await suspension(cost.suspension_id)).state, "pending");
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("Control+Enter")]);
        const vetoed = await suspension(cost.suspension_id);
        assert.deepEqual([vetoed.outcome, vetoed.value],
            ["vetoed", "cancel"]);
        const card = await asks({ question: "Which?", severity: "low",
            choices: [
                { value: "wipe", label: "Delete it", style: "danger" },
                { value: "no", label: "Approve nothing", style: "primary",
                  effect: "veto", description: "It covers what is shown." },
            ] });
        await page.goto(`/suspensions/${card.suspension_id}`);
        assert.deepEqual(await keysOf(page), ["1 Delete it",
            "r Reject: Approve nothing"]);
        assert.match(await text(page), new RegExp("The agent skips this " +
            "and continues\\.\\s+The agent says: It covers what is shown\\."));
        await page.keyboard.press("a");
        await page.waitForTimeout(300);
        assert.equal((await suspension(card.suspension_id)).state, "pending");
    }));

test("a group is ticked as a whole", () =>
    withOpen(by, async (page, asks) => {
        const word = `grouped${Date.now()}`;
        for (let i = 0; i < 3; i += 1) {
            await asks(refund(`${word} ${i}`, { severity: "low" }));
        }
        await asks(cards.cost({ title: `${word} costs`, severity: "low" }));
        await page.goto(`/inbox?q=${word}`);
        const group = page.getByLabel("Select all 3 in");
        await page.locator(".folded summary").click();
        await group.check();
        assert.match(await text(page, "#bulk"), /3 selected/);
        await page.locator("[name='pick[]']:checked").first().uncheck();
        assert.equal(await group.evaluate((one) => one.indeterminate), true);
        await group.check();
        assert.equal(await page.locator("[name='pick[]']:checked").count(),
            3);
        await group.uncheck();
        assert.equal(await page.locator("#bulk").isVisible(), false);
        /* It is open the next time too. */
        await page.reload();
        assert.ok(await page.locator("li.row .title").first().isVisible());
        await page.locator(".folded summary").click();
        await page.reload();
        assert.equal(await page.locator(".folded li.row .title").first()
            .isVisible(), false);
    }));

const phone = { ...by, width: 360, height: 740 };

/* Without scripts too, on one line that scrolls on a phone. */
test("filters are menus, and what is set stands beside them", () =>
    withOpen({ ...phone, scripts: false }, async (page, asks) => {
        const word = `menus${Date.now()}`;
        await asks(refund(`${word} tulip`, { severity: "low" }));
        await asks(cards.cost({ title: `${word} roses`, severity: "low" }));
        await page.goto(`/inbox?q=${word}&kind=approval&due=1d`);
        assert.equal(await page.locator("li.row").count(), 0);
        const set = page.locator(".set .flat");
        assert.deepEqual(await set.allInnerTexts().then((all) =>
            all.map((one) => one.replace(/\s+/g, " "))),
        ["Kind: Approval Remove filter", "Due: 1 day Remove filter",
            `Search: ${word} Remove filter`]);
        await Promise.all([page.waitForEvent("load"), set.nth(1).click()]);
        const row = await page.locator("li.row").first().boundingBox();
        assert.ok(row.y + row.height < 740, JSON.stringify(row));
        assert.equal(await page.locator("li.row").count(), 1);
        await page.locator(".menu", { hasText: /^\s*Kind/ })
            .locator("summary").click();
        const all = page.locator(".menu").getByRole("link",
            { name: /^All\b/ }).filter({ visible: true });
        await Promise.all([page.waitForEvent("load"), all.click()]);
        assert.equal(await page.locator("li.row").count(), 2);
        const box = page.locator(".menu").getByRole("searchbox");
        await page.locator(".menu", { hasText: /^\s*Search/ })
            .locator("summary").click();
        assert.equal(await box.inputValue(), word);
        await box.fill(`${word} roses`);
        await press(page, "Search");
        assert.equal(await page.locator("li.row").count(), 1);
    }));

test("a menu closes by Escape and by a press elsewhere", () =>
    withPage(by, async (page) => {
        await page.goto("/inbox");
        const risk = page.locator(".menu", { hasText: /^\s*Risk/ });
        for (const close of [() => page.keyboard.press("Escape"),
            () => page.locator("h1").click(),
            () => page.locator(".menu", { hasText: /^\s*Kind/ })
                .locator("summary").click()]) {
            await risk.locator("summary").click();
            assert.equal(await risk.getAttribute("open"), "");
            await close();
            assert.equal(await risk.getAttribute("open"), null);
        }
    }));

for (const scripts of [true, false]) {
    test(`the history is searched, and a record leads back to it ` +
        `(scripts: ${scripts})`, () => withPage({ ...by, scripts }, async (page) => {
        const word = `past${Date.now()}${scripts}`;
        const ids = [];
        for (const amount of ["240.00", "18.40"]) {
            const asked = await ask(paid(`${word} Refund ${amount} EUR`,
                amount));
            ids.push(asked.suspension_id);
            await respond(asked.suspension_id, { value: "reject",
                reason: `Outside the window of ${word}.` });
        }
        const open = await ask(paid(`${word} Refund 3.20 EUR`, "3.20"));
        await page.goto("/decided");
        const box = page.locator(".bar").getByRole("searchbox");
        await box.fill(`${word} REFUND`);
        await box.press("Enter");
        await page.waitForURL("**/decided?*q=*");
        assert.equal(await box.inputValue(), `${word} REFUND`);
        assert.match(await page.locator(".tools").innerText(),
            /History\s+2\s*requests\s+for\s.*REFUND/s);
        assert.match(await page.locator(".section").first().innerText(),
            /2 rejected/);
        assert.match(await page.locator("li.row").first().innerText(),
            /Rejected.*18\.40 EUR.*Outside the window/s);
        const menu = page.locator(".menu:has([name=over])");
        await menu.locator("summary").click();
        await menu.locator("input[name=over]").fill("100");
        await menu.locator("input[name=unit]").fill("EUR");
        await menu.getByRole("button", { name: "Apply" }).click();
        await page.waitForURL("**/decided?*over=100*");
        assert.equal(await page.locator("li.row").count(), 1);
        const list = page.url();
        await page.locator("li.row .title").click();
        await page.waitForURL(`**/suspensions/${ids[0]}`);
        await page.locator(".back a").click();
        await page.waitForURL(list);
        await page.getByRole("link", { name: "Clear search" }).click();
        await page.waitForURL((url) => !url.searchParams.has("q"));
        await page.goto(`/decided?q=${word}`);
        await page.getByRole("link", { name: "1 open" }).click();
        assert.equal(await page.locator("li.row .title").getAttribute("href"),
            `/suspensions/${open.suspension_id}`);
        await page.getByRole("link", { name: "In history" }).click();
        assert.equal(await page.locator("li.row").count(), 2);
        await cancel(open.suspension_id, "Seen.");
    }));
}

test("on a phone the history shows its list first", () =>
    withPage({ ...phone, scripts: false }, async (page) => {
        const { suspension_id: id } = await ask(questions.confirm());
        await respond(id, { value: "yes" });
        await page.goto("/decided?via=native");
        const row = await page.locator("li.row").first().boundingBox();
        assert.ok(row.y + row.height < 740, JSON.stringify(row));
        assert.match(await page.locator(".past-menus .set").innerText(),
            /Via:\s*API/);
        const menu = page.locator(".menu:has([name=agent])");
        const box = menu.locator("input[name=agent]");
        assert.ok(!await box.isVisible());
        await menu.locator("summary").click();
        await box.fill("refunds-agent");
        await menu.getByRole("button", { name: "Apply" }).click();
        assert.match(page.url(), /via=native.*agent=refunds-agent/);
        assert.match(await page.locator(".past-menus .set").innerText(),
            /API.*refunds-agent/s);
        assert.equal(await page.locator("input[name=agent][type=text]")
            .inputValue(), "refunds-agent");
    }));

/* By the style sheet alone, so without scripts too. */
for (const scripts of [true, false]) {
    test("the bar for many is there with a selection only, scripts " +
        (scripts ? "on" : "off"), () =>
        withOpen({ ...phone, scripts }, async (page, asks) => {
            const word = `ticked${Date.now()}`;
            await asks(refund(`${word} 1`, { severity: "low" }));
            await asks(refund(`${word} 2`, { severity: "medium" }));
            await page.goto(`/inbox?q=${word}`);
            const bar = page.locator("#bulk");
            const buttons = bar.locator(".btn").filter({ visible: true });
            assert.equal(await bar.isVisible(), false);
            await page.locator("[name='pick[]']").first().check();
            assert.deepEqual(await buttons.allInnerTexts(), scripts
                ? ["Select all", "Clear", "Reject 1", "Approve 1"]
                : ["Reject", "Approve"]);
            const { height } = await bar.boundingBox();
            assert.ok(height <= 111, `${height} of 740`);
            if (!scripts) {
                return;
            }
            assert.match(await bar.textContent(), /1 selected/);
            await page.getByRole("button", { name: "Select all" }).click();
            assert.deepEqual(await buttons.allInnerTexts(),
                ["Clear", "Reject 2", "Approve 2"]);
            await page.getByRole("button", { name: "Clear" }).click();
            assert.equal(await bar.isVisible(), false);
            await page.keyboard.press("/");
            await page.keyboard.type("roses");
            assert.equal(await page.locator(".menu .find input")
                .inputValue(), "roses");
        }));
}

test("the bar says the sum, the risk and the limit", () =>
    withOpen(by, async (page, asks) => {
        const word = `summed${Date.now()}`;
        const asked = [["18.40", "EUR", "low"], ["1284.5", "EUR", "low"],
            ["3", "EUR", "medium"], ["5", "USD", "low"],
            ["9.99", "EUR", "high"]];
        for (const [amount, currency, severity] of asked) {
            await asks(paid(`${word} ${amount}`, amount,
                { severity }, currency));
        }
        await page.goto(`/inbox?q=${word}&group=none`);
        const tick = (amount) =>
            page.getByLabel(`Select: ${word} ${amount}`, { exact: true })
                .click();
        const said = () => page.locator("#bulk .quiet").innerText();
        await tick("18.40");
        assert.equal(await said(), "18.40 EUR, all low, within your limit");
        await tick("1284.5");
        assert.equal(await said(),
            "1,302.90 EUR, all low, within your limit");
        await tick("3");
        assert.equal(await said(),
            "1,305.90 EUR, up to medium, within your limit");
        await tick("9.99");
        assert.equal(await said(),
            "1,315.89 EUR, up to high, 1 needs an answer alone");
        await tick("5");
        assert.equal(await said(), "up to high, 1 needs an answer alone");
    }));

test("with Shift a tick counts for all rows in between", () =>
    withOpen(by, async (page, asks) => {
        const word = `ranged${Date.now()}`;
        for (let i = 0; i < 6; i += 1) {
            await asks(refund(`${word} ${i}`, { severity: "low" }));
        }
        await page.goto(`/inbox?q=${word}&group=none`);
        const boxes = page.locator("[name='pick[]']");
        const ticked = () => boxes.evaluateAll((all) =>
            all.map((one) => Number(one.checked)).join(""));
        await boxes.nth(1).click();
        await boxes.nth(4).click({ modifiers: ["Shift"] });
        assert.equal(await ticked(), "011110");
        assert.match(await text(page, "#bulk"), /4 selected/);
        await boxes.nth(2).click({ modifiers: ["Shift"] });
        assert.equal(await ticked(), "010000");
        await boxes.nth(5).click({ modifiers: ["Shift"] });
        assert.equal(await ticked(), "011111");
        const all = page.locator("[data-all]");
        assert.ok(await all.evaluate((one) => one.indeterminate));
        await all.click();
        assert.equal(await ticked(), "111111");
        await all.click();
        assert.equal(await ticked(), "000000");
    }));

/* Two clicks for all of a group; without scripts too. */
for (const scripts of [true, false]) {
    test("a group is reviewed and cleared, scripts " +
        (scripts ? "on" : "off"), () =>
        withOpen({ ...by, scripts }, async (page, asks) => {
            const word = `cleared${Date.now()}`, asked = [];
            for (let i = 1; i < 5; i += 1) {
                asked.push(await asks(paid(`${word} ${i}`, `${i}.25`)));
            }
            const high = await asks(paid(`${word} high`, "7",
                { severity: "high" }));
            await page.goto(`/inbox?q=${word}`);
            assert.match(await text(page, ".folded summary"), new RegExp(
                `^Like ${word} 1\\s+4 requests, all low[^]*` +
                "11\\.00 EUR[^]*refunds-agent"));
            assert.equal(await page.locator("li.row").filter(
                { visible: true }).count(), 1);
            await press(page, "Review 4 in payments.refund_create");
            assert.match(await text(page), /Approve 4 requests\?/);
            assert.deepEqual(await page.locator(
                "tbody td:first-child a:not(.same a)").allInnerTexts(), asked.map((_, i) => `${word} ${i + 1}`));
            assert.match(await text(page, "tfoot"),
                /4 requests, all low\s+11\.00 EUR/);
            await press(page, "Reject instead");
            assert.match(await text(page), /Reject 4 requests\?/);
            await press(page, "Approve instead");
            await press(page, "Approve 4");
            assert.equal(new URL(page.url()).pathname, "/inbox");
            assert.equal(await text(page, "#answered"),
                "Done: 4 approved.");
            for (const { suspension_id: id } of asked) {
                assert.equal((await suspension(id)).outcome, "authorized");
            }
            assert.equal((await suspension(high.suspension_id)).state,
                "pending");
        }));
}

/* The page lists exactly the ones that are answered, also of more than a page. */
test("all that match are answered in pages of fifty", () =>
    withOpen(by, async (page, asks) => {
        const word = `all${Date.now()}`;
        const high = await asks(refund(`${word} high`, { severity: "high" }));
        for (let i = 0; i < 60; i += 10) {
            await Promise.all([...Array(10).keys()].map((k) =>
                asks(paid(`${word} ${i + k}`, "1.00"))));
        }
        await page.goto(`/inbox?q=${word}`);
        const button = page.getByRole("button",
            { name: "Review all 61 that match" });
        assert.equal(await button.isVisible(), false);
        await page.locator("[data-all]").check();
        for (const n of [50, 10]) {
            if (n === 50) {
                await press(page, "Review all 61 that match");
                assert.match(await text(page), new RegExp("50 of 61 that " +
                    "match; 1 before them cannot be answered together"));
                await cancel((await asks(paid(`${word} late`, "2.00")))
                    .suspension_id, "Never mind.");
            } else {
                await press(page, "Review 10 in payments.refund_create");
            }
            assert.equal(await page.locator(".listed tbody").count(), n);
            const listed = await page.locator("input[name='pick[]']")
                .evaluateAll((all) => all.map(({ value }) =>
                    value.split(":")[0]));
            await press(page, `Approve ${n}`);
            assert.equal(await text(page, "#answered"),
                `Done: ${n} approved.`);
            for (const id of listed) {
                assert.equal((await suspension(id)).outcome, "authorized");
            }
        }
        assert.equal((await suspension(high.suspension_id)).state, "pending");
        assert.equal(await page.locator("li.row").count(), 1);
    }));

test("a folded group is passed and opened by keys", () =>
    withOpen(by, async (page, asks) => {
        const word = `folds${Date.now()}`;
        for (let i = 0; i < 3; i += 1) {
            await asks(paid(`${word} ${i}`, "1"));
        }
        await asks(paid(`${word} high`, "1", { severity: "high" }));
        await page.goto(`/inbox?q=${word}`);
        const here = () => page.locator(".row.here").innerText();
        await page.keyboard.press("j");
        assert.match(await here(), new RegExp(`^Like ${word} 0`));
        await page.keyboard.press("j");
        assert.match(await here(), new RegExp(`${word} high`));
        await page.keyboard.press("k");
        await page.keyboard.press("o");
        await page.keyboard.press("j");
        assert.match(await here(), new RegExp(`${word} 0`));
        await page.keyboard.press("k");
        await page.keyboard.press("x");
        assert.match(await text(page, "#bulk"), /3 selected/);
        await page.keyboard.press("Escape");
        assert.equal(await page.locator(":checked").count(), 0);
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("a")]);
        assert.match(await text(page), /Approve 3 requests\?/);
    }));

test("rows are passed, extended and left by their keys", () =>
    withOpen(by, async (page, asks) => {
        const word = `rows${Date.now()}`;
        for (let i = 0; i < 4; i += 1) {
            await asks(refund(`${word} ${i}`, { severity: "low" }));
        }
        const ticked = () => page.locator("[name='pick[]']:checked").count();
        const here = () => page.locator("li.row").evaluateAll((rows) =>
            rows.findIndex((row) => row.matches(".here")));
        await page.goto(`/inbox?q=${word}&group=none`);
        for (const [key, row, n] of [["j", 0, 0], ["j", 1, 0], ["k", 0, 0],
            ["Shift+J", 1, 2], ["Shift+J", 2, 3], ["Shift+K", 1, 3],
            ["x", 1, 2]]) {
            await page.keyboard.press(key);
            assert.deepEqual([await here(), await ticked()], [row, n], key);
        }
        await page.keyboard.press("*");
        await page.keyboard.press("n");
        assert.equal(await ticked(), 0);
        for (const [keys, url] of [["gm", /view=mine$/], ["gi", /\/inbox$/]]) {
            await page.keyboard.press(keys[0]);
            await Promise.all([page.waitForEvent("load"),
                page.keyboard.press(keys[1])]);
            assert.match(page.url(), url);
        }
    }));

test("keys rest while somebody types", () =>
    withOpen(by, async (page, asks) => {
        await asks(refund("Typed over?", { severity: "low" }));
        await page.goto("/inbox");
        await page.keyboard.press("/");
        await page.keyboard.type("jax*a?gd");
        assert.match(page.url(), /\/inbox$/);
        assert.equal(await page.locator(".find input").first().inputValue(),
            "jax*a?gd");
        assert.equal(await page.locator(":checked").count(), 0);
        await page.keyboard.press("Escape");
        await page.keyboard.press("?");
        await page.locator("dialog[open]").waitFor();
        await page.keyboard.press("Escape");
        await page.locator("dialog").waitFor({ state: "detached" });
        await page.keyboard.press("g");
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("d")]);
        assert.match(page.url(), /\/decided$/);
    }));

test("several are decided at once without scripts", () =>
    withOpen({ ...by, scripts: false }, async (page, asks) => {
        const word = `plain${Date.now()}`;
        for (let i = 0; i < 3; i += 1) {
            await asks(refund(`${word} ${i}`,
                { severity: i ? "low" : "critical" }));
        }
        await page.goto(`/inbox?q=${word}`);
        for (const box of await page.locator("[name='pick[]']").all()) {
            await box.check();
        }
        await press(page, "Reject");
        assert.match(await text(page), /Reject 2 requests\?[^]*Left out/);
        await press(page, "Reject 2");
        assert.equal(shown(page).status(), 422);
        await page.getByLabel("Comment").fill("Not today.");
        await press(page, "Reject 2");
        assert.match(await text(page, "#answered"), /2 rejected/);
    }));

/* A title, an agent's words and answers that attack, on the pages of many. */
test("hostile questions stay text when many are decided", () =>
    withOpen({ ...by, width: 360, height: 740 }, async (page, asks) => {
        const word = `vile${Date.now()}`;
        for (const attack of questions.attacks) {
            await asks(refund(`${word} ${attack}`, { severity: "low",
                explanation: attack, choices: [
                    { value: "yes", label: attack, effect: "authorize",
                      description: attack },
                    { value: "no", label: "No", effect: "veto" }] }));
        }
        await page.goto(`/inbox?q=${word}`);
        await page.locator("[data-group]").check();
        await holds(page, "the folded group");
        await press(page, `Approve ${questions.attacks.length}`);
        await holds(page, "the page of many");
        await press(page, `Approve ${questions.attacks.length}`);
        const told = await holds(page, "what became of many");
        assert.match(told, new RegExp(`${questions.attacks.length} approved`));
    }));

test("a hostile name of a saved view stays text", () =>
    withPage({ ...by, width: 360, height: 740 }, async (page) => {
        for (const attack of questions.attacks.slice(0, 10)) {
            await page.goto("/views?path=/inbox&query=risk%3Dlow");
            await page.getByLabel("Name").fill(attack.slice(0, 60));
            await press(page, "Save view");
            await holds(page, "the saved views");
        }
        await page.goto("/inbox");
        await holds(page, "the inbox beside saved views");
        sql("DELETE FROM saved_view WHERE query = 'risk=low'");
    }));

async function some(name) {
    const word = `${name}${Date.now()}`;
    for (const severity of ["low", "medium", "high", "critical"]) {
        await ask(refund(`${word} ${severity} 18.40 EUR`,
            { severity, timeout_seconds: 7200 }));
    }
    await ask({ kind: "cost_confirmation", severity: "medium",
        title: `${word} Spend up to 1,800 USD on re-indexing?`,
        question: "New size charts make 310,000 products stale.",
        subject: { purpose: "index", limit: { amount: 1800, unit: "USD" },
            estimate: { amount: 1200, unit: "USD" } } });
    return `/inbox?q=${word}`;
}

state("inbox-groups", 200, by, async (page) => {
    await page.goto(`${await some("groups")}&group=agent`);
    await page.keyboard.press("j");
    await page.keyboard.press("x");
});
state("inbox-nothing-like-this", 200, by, (page) =>
    page.goto("/inbox?q=nosuchword"));

state("account-menu", 200, by, async (page) => {
    await page.goto("/keys"); // nothing to press lies below it
    await page.locator(".account > summary").click();
});
state("inbox-others", 200, by, async (page) => {
    for (const responder of [{ mode: "named", who: people.other.email },
        { mode: "named", who: people.admin.email }]) {
        await ask(refund("Refund 9.99 EUR", { responder }));
    }
    await page.goto("/inbox?view=others");
    assert.match(await text(page), /Waits for tomas@example\.com/);
});

/* Read from the right, and longer than a row. */
const arabic = "\u0627\u0633\u062a\u0631\u062f\u0627\u062f 499.99 " +
    "\u064a\u0648\u0631\u0648 \u0644\u0644\u0637\u0644\u0628 18-40277 ".repeat(6);

async function fromTheRight(page, ended) {
    const asked = await ask(refund(arabic, { severity: "low",
        explanation: arabic.repeat(3) }));
    if (ended) {
        await respond(asked.suspension_id, { value: "reject",
            reason: arabic });
    }
    return asked.suspension_id;
}

test("a title that is read from the right begins there", () =>
    withOpen(by, async (page) => {
        const id = await fromTheRight(page, false);
        await page.goto(`/suspensions/${id}`);
        for (const selector of ["main h1", ".quote .words"]) {
            assert.equal(await page.locator(selector).first().evaluate((one) =>
                getComputedStyle(one).direction), "rtl", selector);
        }
        await cancel(id, "Seen.");
    }));
state("inbox-from-the-right", 200, by, async (page) => {
    await fromTheRight(page, false);
    await page.goto(`/inbox?q=${arabic.split(" ")[0]}`);
    assert.ok(await page.locator("li.row").count());
});
state("decided-from-the-right", 200, by, async (page) => {
    await fromTheRight(page, true);
    await page.goto("/decided");
});
state("bulk-confirm", 200, by, async (page) => {
    await page.goto(await some("confirm"));
    await page.locator("[data-all]").check();
    await press(page, "Approve 5");
});
state("bulk-done", 200, by, async (page) => {
    await page.goto(await some("done"));
    await page.locator("[data-all]").check();
    await press(page, "Approve 5");
    const first = await page.locator("input[name='pick[]']").first()
        .inputValue();
    await respond(first.split(":")[0], { value: "approve" });
    await press(page, "Approve 2");
    assert.match(await text(page), /1 approved, 1 not/);
});
state("inbox-alike", 200, by, async (page) => {
    const word = `alike${Date.now()}`;
    for (let i = 1; i < 5; i += 1) {
        await ask(paid(`${word} Refund ${i}.40 EUR to A. Novak?`, `${i}.40`,
            { timeout_seconds: i === 4 ? 800 : 7200 }));
    }
    await ask(paid(`${word} Refund 499.99 EUR to Jonas Weber?`, "499.99",
        { severity: "high", timeout_seconds: 500 }));
    await page.goto(`/inbox?q=${word}&risk=low`);
    await page.goto(`/inbox?q=${word}`);
    await page.locator("[data-group]").check();
});
state("inbox-answered", 200, by, async (page) => {
    const word = `told${Date.now()}`;
    for (let i = 1; i < 4; i += 1) {
        await ask(paid(`${word} ${i}`, `${i}.40`));
    }
    await page.goto(`/inbox?q=${word}`);
    await press(page, "Review 3 in payments.refund_create");
    await press(page, "Approve 3");
});
state("saved-views", 200, by, async (page) => {
    await page.goto("/views?path=/inbox&query=risk%3Dhigh");
    await page.getByLabel("Name").fill("High risk");
    await press(page, "Save view");
    await page.goto("/views?path=/inbox&query=risk%3Dlow");
});
state("keys", 200, by, (page) => page.goto("/keys"));
state("decided-narrowed", 200, by, (page) =>
    page.goto("/decided?outcome=rejected&over=1&unit=EUR&q=refund"));
