/* The whole way of a question: an agent asks through the API, an operator
 * signs in, reads, answers, and the agent reads the answer; with scripts and
 * without. */
import assert from "node:assert/strict";

import {
    calm, follow, people, press, seeAnswered, shown, signIn, text,
    withPage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import * as questions from "./questions.mjs";
import { ask, suspension } from "./server.mjs";

function title(question) {
    return question.title ?? question.question;
}

/* By its words: other tests fill the inbox's first page too. */
async function find(page, question) {
    await page.locator(".find input").first().fill(title(question));
    await Promise.all([page.waitForURL(/\/inbox\?q=/),
        page.keyboard.press("Enter")]);
}

/* From the login, over the inbox, to the question. */
async function arrive(page, question) {
    await signIn(page, people.operator);
    assert.match(page.url(), /\/inbox$/);
    assert.match(await page.title(), /^\(\d+\+?\) Inbox - Sayso$/);
    await find(page, question);
    const row = page.locator("li.row", { hasText: title(question) });
    await row.waitFor();
    const words = await row.innerText();
    assert.match(words, /refunds-agent/);
    assert.match(words, /\d+ (s|min) ago/);
    await follow(page, title(question));
    assert.equal(shown(page).status(), 200);
}

/* After the answer: the summary, the lists, the record, the agent's side. */
async function leave(page, asked, question, { value, says }) {
    const id = asked.suspension_id;
    assert.equal(shown(page).status(), 200);
    const before = shown(page).request().redirectedFrom();
    assert.equal(before.method(), "POST");
    assert.equal((await before.response()).status(), 303);
    /* To the list, or to the next one of it. */
    if (new URL(page.url()).pathname === "/inbox") {
        assert.ok((await text(page, "#answered")).includes(title(question)));
    }
    await seeAnswered(page);
    assert.equal(new URL(page.url()).pathname, `/suspensions/${id}`);
    const summary = await text(page);
    for (const one of [...says, "Demo Operator", "in the browser"]) {
        assert.ok(summary.includes(one), `${one} in: ${summary}`);
    }

    const stored = await suspension(id);
    assert.equal(stored.state, "resolved");
    assert.deepEqual(stored.value, value);
    assert.equal(stored.responded_by, people.operator.email);

    await page.goto("/inbox");
    await find(page, question);
    const inbox = page.locator("li.row", { hasText: title(question) });
    assert.equal(await inbox.count(), 0);
    await page.goto("/decided");
    while (!await inbox.count()) { // others decide too
        await follow(page, "Older");
    }
    await record(page, asked);
}

async function record(page, asked) {
    await page.goto(`/intents/${asked.intent_id}`);
    const rows = page.locator("table.chain tbody tr");
    const events = await rows.allInnerTexts();
    assert.ok(events.some((row) => row.includes("Request created")));
    assert.ok(events.some((row) => row.includes("Request answered")));
    assert.ok(events.every((row) => row.includes("not verified")));
    await follow(page, "Verify now");
    assert.match(page.url(), /verify=1#chain$/);
    assert.match(await text(page, "#chain"), /The chain of all \d+ events is intact\./);
    for (const row of await rows.allInnerTexts()) {
        assert.match(row, /intact/);
    }
}

/* ---- the ways of answering ------------------------------------------ */

async function choose(page, asked, question) {
    const words = await text(page);
    for (const { label, description } of question.choices) {
        assert.ok(words.includes(label) && words.includes(description));
    }
    for (const one of ["refunds-agent", "on behalf of Mara Lindqvist", "Low",
        "Shall order 12345 be refunded in full?", "Two photos show it.",
        "items[1].sku", "B-2", "499.99", "[]", "Comment required",
        " left", "then: default “Reject: Refuse the refund”",
        "the agent continues with its default, " +
        "\"Reject: Refuse the refund\""]) {
        assert.ok(words.includes(one), `${one} in: ${words}`);
    }
    const [main, danger] = ["Approve: Refund 499.99 EUR",
        "Reject: Refuse the refund"].map(
        (name) => page.getByRole("button", { name, exact: true }));
    assert.match(await main.getAttribute("class"), /auth filled/);
    assert.match(await danger.getAttribute("class"), /veto/);
    await page.getByText("Raw JSON").click();
    assert.deepEqual(JSON.parse(await page.locator("ol.raw").innerText()),
        question.context);
    const digest = (await suspension(asked.suspension_id)).subject_sha256;
    assert.ok((await text(page)).includes(digest.match(/.{4}/g).join(" ")));
    await page.getByText("Dear shop").first().click();
    /* A yes to more than is seen at once leads to a second step, to which
     * the comment comes along. */
    await page.getByLabel("Comment").fill("Seen the photos.");
    await press(page, "Approve: Refund 499.99 EUR");
    assert.match(await text(page, "form#answer"),
        /1 long text is cut or folded on this page\./);
    assert.equal((await suspension(asked.suspension_id)).state, "pending");
    assert.equal(await page.getByLabel("Comment").inputValue(),
        "Seen the photos.");
    await press(page, "Approve: Refund 499.99 EUR");
    return { value: "refund",
             says: ["You approved this", "Seen the photos.",
                 "continues with “Approve: Refund 499.99 EUR”"] };
}

async function sayNo(page) {
    const words = await text(page);
    assert.ok(words.includes("No deadline") && words.includes("1204"));
    assert.match(words, /waits until somebody answers/);
    await press(page, "Reject: No");
    return { value: "no", says: ["No"] };
}

async function write(page) {
    assert.match(await text(page), /1[0-5] min left\s+then: task stops/);
    await press(page, "Send answer");
    assert.equal(shown(page).status(), 422);
    assert.match(await text(page), /The answer is empty/);
    const value = "  Dear <Alice> & co,\nwe are sorry. \u{1f636}";
    await page.getByLabel("Your answer").fill(value);
    await press(page, "Send answer");
    return { value, says: ["You answered this",
        "Dear <Alice> & co,\nwe are"] };
}

/* A field whose label begins with these words. */
function field(page, label) {
    return page.getByLabel(new RegExp(`^${label}\\b`));
}

async function fill(page) {
    assert.match(await text(page), /7 of 13 fields are required\./);
    assert.equal(await field(page, "Greeting").inputValue(), "Dear Alice");
    await field(page, "Name of the shop").fill("ab");
    await field(page, "Letter").fill("One\n\nTwo <three>");
    await field(page, "How many").fill("eleven");
    await field(page, "Amount").fill("1e");
    await field(page, "By courier").check();
    await field(page, "Country").selectOption("SE");
    await field(page, "Friday").check();
    await field(page, "Send a copy").fill("nobody");
    await field(page, "Page").fill("javascript:alert(1)");
    await field(page, "Greeting").fill("");
    await press(page, "Send answers");
    await refused(page);
    await field(page, "Name of the shop").fill("Anna & Söhne");
    await field(page, "How many").fill("7");
    await field(page, "Amount").fill("499.90");
    await field(page, "Deep blue").check();
    await field(page, "Send a copy").fill("a@example.com");
    await field(page, "Page").fill("https://example.com/?a=1&b=<2>");
    await field(page, "Day\\b(?!s)").first().fill("2026-12-24");
    await field(page, "Not before").fill("2026-12-24T09:30");
    await press(page, "Send answers");
    return {
        value: {
            name: "Anna & Söhne", letter: "One\n\nTwo <three>", count: 7,
            amount: 499.9, urgent: true, colour: "blue", land: "SE",
            days: ["Friday"], mail: "a@example.com",
            page: "https://example.com/?a=1&b=<2>", day: "2026-12-24",
            moment: "2026-12-24T09:30:00Z",
        },
        says: ["Anna & Söhne", "Deep blue", "Friday", "Two <three>"],
    };
}

/* Each mistake stands at its field and in the list above, and nothing that
 * was typed is lost. */
async function refused(page) {
    assert.equal(shown(page).status(), 422);
    const banner = page.getByRole("alert");
    assert.match(await banner.innerText(), /6 fields need a change/);
    assert.match(await banner.innerText(), /Your input is kept/);
    assert.equal(await page.locator(".field.bad").count(), 6);
    for (const link of await banner.getByRole("link").all()) {
        const at = page.locator(await link.getAttribute("href"));
        assert.equal(await at.count(), 1);
    }
    const wrong = page.locator(".field.bad", { hasText: "How many" });
    assert.ok((await wrong.locator(".error").innerText()).length > 10);
    assert.equal(await wrong.locator("input").getAttribute("aria-invalid"),
        "true");
    const kept = [["Name of the shop", "ab"], ["Letter", "One\n\nTwo <three>"],
        ["How many", "eleven"], ["Amount", "1e"], ["Country", "SE"],
        ["Send a copy", "nobody"], ["Page", "javascript:alert(1)"],
        ["Greeting", ""]];
    for (const [label, value] of kept) {
        assert.equal(await field(page, label).inputValue(), value, label);
    }
    assert.ok(await field(page, "By courier").isChecked());
    assert.ok(await field(page, "Friday").isChecked());
    assert.ok(!await field(page, "Monday").isChecked());
}

const ways = [
    ["choice", questions.choice, choose],
    ["confirm", questions.confirm, sayNo],
    ["text", questions.words, write],
    ["form", questions.form, fill],
];

for (const scripts of [true, false]) {
    for (const [name, make, answer] of ways) {
        const how = scripts ? "with scripts" : "without scripts";
        test(`a ${name} is asked and answered ${how}`, () =>
            withPage({ scripts }, async (page) => {
                const question = make();
                const asked = await ask(question);
                await arrive(page, question);
                const told = await answer(page, asked, question);
                calm(page);
                await leave(page, asked, question, told);
            }));
    }
}
