/* Everything that an agent can send is hostile: nothing of it runs, breaks
 * the page or stays invisible. All at 360 px, with scripts on. */
import assert from "node:assert/strict";

import {
    calm, overflow, press, shown, text, withPage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import * as questions from "./questions.mjs";
import { api, ask, respond, suspension } from "./server.mjs";

const phone = { who: "operator", width: 360, height: 740 };
const rune = new RegExp("[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f" +
    "\\u00ad\\u061c\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f" +
    "\\ufe00-\\ufe0f\\ufeff\\u{e0000}-\\u{e0fff}]", "u");

/* Of an emoji its style and joiners are no hidden characters. */
const styled = "\\p{Extended_Pictographic}(?:\\ufe0f|\\p{Emoji_Modifier})?";
const emoji = new RegExp(`${styled}(?:\\u200d${styled})*`, "gu");

/* An agent's name has no space, no slash and nothing unseen, and may be anything
 * else: here it has a Cyrillic letter. */
const villain = `"><b>\u0430gent&lt;😈${"x".repeat(60)}`;
const header = Buffer.from(villain).toString("latin1");

/* Checks that hold on every page, whatever its content. */
export async function holds(page, what) {
    assert.equal(await overflow(page), 0, `${what} scrolls sideways`);
    const found = await page.evaluate(() => ({
        taken: window.taken,
        links: [...document.querySelectorAll("[href], [src], [action]")].map(
            (one) => one.getAttribute("href") ?? one.getAttribute("src") ??
                     one.getAttribute("action")),
        strange: [...document.querySelectorAll("main *")].filter((one) =>
            ["SCRIPT", "IMG", "META", "IFRAME", "B", "BASE"].includes(
                one.tagName)).map((one) => one.outerHTML),
        tokens: document.querySelectorAll("[name=csrf]").length,
        words: document.body.innerText,
    }));
    assert.equal(found.taken, undefined);
    assert.deepEqual(found.strange, []);
    assert.ok(found.tokens >= 1);
    for (const link of found.links) {
        assert.match(link, /^(\/[a-z]|\/?#|\/$)/, what);
    }
    const hidden = rune.exec(found.words.replaceAll(emoji, ""));
    assert.equal(hidden, null, `hidden on ${what}`);
    calm(page);
    return found.words;
}

async function visit(page, path) {
    await page.goto(path);
    assert.equal(shown(page).status(), 200, path);
    return holds(page, path);
}

export async function unfold(page) {
    await page.evaluate(() => document.querySelectorAll("details").forEach(
        (one) => { one.open = true; }));
}

/* The lists, the question folded and unfolded, the record. */
async function walk(page, { suspension_id: id, intent_id: intent }) {
    await visit(page, `/intents/${intent}?verify=1`);
    await visit(page, "/inbox");
    const words = await visit(page, `/suspensions/${id}`);
    await unfold(page);
    await holds(page, "all unfolded");
    return words;
}

async function afterwards(page, { suspension_id: id, intent_id: intent }) {
    await visit(page, `/suspensions/${id}`);
    await unfold(page);
    await holds(page, "the answered one, unfolded");
    await visit(page, `/suspensions/${id}/receipt`);
    await unfold(page);
    await holds(page, "the receipt, unfolded");
    await visit(page, "/decided");
    await visit(page, `/intents/${intent}?verify=1`);
    await unfold(page);
    await holds(page, "the intent, unfolded");
}

function hostileAsk(question) {
    return ask(question, header);
}

async function choice(page) {
    const asked = await hostileAsk(questions.hostileChoice());
    const words = await walk(page, asked);
    for (const one of ["<script>window.taken = 1</script>", "U+202E", "U+200B",
        "U+00AD", "{{page.csrf}}", "<a href=\"javascript:alert(1)\">",
        "hidden characters shown", "__proto__", "مرحبا", "U+E0041",
        "&lt;b&gt; &amp;", "on behalf of "]) {
        assert.ok(words.includes(one), `${one} in: ${words.slice(0, 3000)}`);
    }
    const before = await suspension(asked.suspension_id);
    const { value, label } = before.choices[1];
    await visit(page, `/suspensions/${asked.suspension_id}?choice=` +
                      encodeURIComponent(value));
    assert.ok((await text(page, "form#answer")).includes(
        label.slice(0, 12).trim().split(/[\u0000-\u001f\u007f-\uffff]/)[0]));
    await page.getByLabel("Comment").fill(questions.attacks.join("\n"));
    await page.evaluate(() => document.querySelector(
        "form#answer button[name=value]").click());
    await page.waitForURL(/\/suspensions\/[^?]*$/);
    const stored = await suspension(asked.suspension_id);
    assert.equal(stored.value, value);
    await afterwards(page, asked);
}

async function form(page) {
    const asked = await hostileAsk(questions.hostileForm());
    await walk(page, asked);
    const typed = questions.attacks[1] + questions.attacks[10];
    await page.locator("#f1").fill(typed.repeat(3));
    await page.locator("#f2").fill(`\n${questions.attacks.join("\n")}`);
    await page.locator("[name='f5[]']").nth(10).check();
    await page.locator("[name=f3]").nth(1).check();
    /* Not an option: refused, and all that was typed comes back. */
    await page.locator("[name=f3]").nth(1).evaluate(
        (input) => { input.value = "<b>other</b>"; });
    await press(page, "Send answers");
    assert.equal(shown(page).status(), 422);
    await holds(page, "the refused form");
    assert.equal(await page.locator("#f1").inputValue(), typed.repeat(3));
    assert.equal(await page.locator("#f2").inputValue(),
        `\n${questions.attacks.join("\n")}`);
    await page.locator("[name=f3]").nth(0).check();
    await press(page, "Send answers");
    const stored = await suspension(asked.suspension_id);
    assert.equal(stored.state, "resolved");
    const keys = stored.form.map(({ key }) => key);
    assert.equal(stored.value[keys[0]], typed.repeat(3));
    assert.deepEqual(stored.value[keys[4]], [questions.attacks[10]]);
    await afterwards(page, asked);
}

/* Words without a space, typed by a person, and somebody who was faster. */
async function late(page) {
    const asked = await hostileAsk({ question: questions.attacks.join(""),
        response_type: "text", intent: { title: "\u202e".repeat(200) } });
    await walk(page, asked);
    await respond(asked.suspension_id, {
        value: "M".repeat(10000) + questions.attacks.join(""),
        reason: "i".repeat(4000), responded_by: questions.attacks[1] });
    await page.goto(`/suspensions/${asked.suspension_id}`);
    await afterwards(page, asked);

    const other = await hostileAsk({ question: "W".repeat(4000),
        response_type: "text" });
    await page.goto(`/suspensions/${other.suspension_id}`);
    await page.getByLabel("Your answer").fill(
        questions.attacks.join("") + "Q".repeat(9000));
    await respond(other.suspension_id, { value: "no", responded_by:
        "\u202e<script>alert(1)</script>" });
    await press(page, "Send answer");
    assert.equal(shown(page).status(), 409);
    const words = await holds(page, "the stale one");
    assert.ok(words.includes("<script>alert(1)</script>"));
}

/* The other door: a record, a state, events, a lease and agents of its own. */
async function openIntent(page) {
    const to = (path, status, body, more = {}) => api("agent", "POST",
        `/api/v1/intents${path}`, status, body,
        { "X-Agent-ID": header, ...more });
    const all = questions.attacks.join(" ");
    const { id, version } = await to("", 201, { title: all.slice(0, 180),
        description: all, state: { [all]: all, list: [[[[all]]]] } });
    await to(`/${id}/agents`, 200, { agent_id: villain });
    await to(`/${id}/leases`, 201, { scope: all.slice(0, 150),
        duration_seconds: 60 });
    await to(`/${id}/events`, 201, { event_type: "comment",
        payload: { [all]: all, long: "W".repeat(9000) } });
    let now = await to(`/${id}/status`, 200,
        { status: "suspended_awaiting_input" }, { "If-Match": `${version}` });
    now = await to(`/${id}/state`, 200, { patches: [{ op: "set",
        path: "_suspension", value: {
            id: "a.b_c~d-1", question: all, response_type: "form",
            context: questions.hostileChoice().context,
            channel_hint: all.slice(0, 100), confidence_at_suspension: 1e-9,
            response: all, responded_by: all } }] },
    { "If-Match": `${now.version}` });
    const asked = { suspension_id: "a.b_c~d-1", intent_id: id };
    await walk(page, asked);
    await page.locator("#f1").fill(questions.attacks[3]);
    await press(page, "Send answers");
    assert.equal((await suspension("a.b_c~d-1")).state, "resolved");
    await afterwards(page, asked);
}

for (const [name, run] of [["choice", choice], ["form", form],
    ["late answer", late], ["OpenIntent record", openIntent]]) {
    test(`nothing of a hostile ${name} runs or hides`, () =>
        withPage(phone, run));
}
