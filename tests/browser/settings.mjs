/* The settings pages: each in every state, with and without scripts, by
 * keyboard, and with hostile words in every place that shows some. */
import assert from "node:assert/strict";

import {
    follow, press, shown, text, withPage,
} from "./browser.mjs";
import { holds } from "./hostile.mjs";
import { enter, tabTo } from "./keys.mjs";
import { test } from "./lanes.mjs";
import { state } from "./looks.mjs";
import * as questions from "./questions.mjs";
import { ask, respond, sql } from "./server.mjs";

const by = { who: "admin" };
const endpoints = "/settings/endpoints";
const channels = "/settings/channels";
const log = "/settings/deliveries";
const secret = /whsec_[A-Za-z0-9+/]{43}=/;

/* ---- what there is -------------------------------------------------- */

const quoted = (words) => `'${String(words).replaceAll("'", "''")}'`;

/* An endpoint as if it had been registered; nothing is sent while it is
 * paused. */
function endpoint({ kind = "agent", name = questions.named("platform"),
    address = `https://a.example/${Math.random()}`, agent = null,
    set = "paused_at = now()" } = {}) {
    const id = sql(`INSERT INTO endpoint (id, kind, name, address, agent,
        notify_to, secret, created_at, created_by, paused_at) VALUES
        (gen_random_uuid(), ${quoted(kind)}, ${quoted(name)},
         ${quoted(address)}, ${agent ? quoted(agent) : "NULL"},
         ${kind === "agent" ? "'{}'" : "'{a@example.com,@example.org}'"},
         ${/agent|webhook/.test(kind) ? "'whsec_x'" : "NULL"}, now(),
         'ines@example.com', now()) RETURNING id`);
    sql(`UPDATE endpoint SET ${set} WHERE id = '${id}'`);
    return id;
}

/* A question that has ended, so that no inbox fills up with them. */
async function ended(more) {
    const asked = await ask(questions.confirm(more));
    await respond(asked.suspension_id, { value: "yes" });
    return asked;
}

let usual = null;

async function delivery(to, { state: at = "pending", tries = [], body = "{}",
    recipient = null, type = "intent_authorized", question } = {}) {
    usual ??= ended();
    const asked = await (question ? ended(question) : usual);
    const last = tries.at(-1)?.[2];
    const id = sql(`INSERT INTO delivery (id, endpoint_id, intent_id,
        suspension_id, event_sequence, type, recipient, body, state, tries,
        next_at, created_at, answer) VALUES (gen_random_uuid(), '${to}',
        '${asked.intent_id}', ${quoted(asked.suspension_id)}, 2,
        ${quoted(type)}, ${recipient === null ? "NULL" : quoted(recipient)},
        ${quoted(body)}, '${at}', ${tries.length},
        ${at === "pending" ? "now() + interval '1 hour'" : "NULL"},
        clock_timestamp(), ${last ? quoted(last) : "NULL"}) RETURNING id`);
    for (const [i, [ms, status, answer]] of tries.entries()) {
        sql(`INSERT INTO delivery_try VALUES ('${id}', ${i + 1}, now(), ${ms},
             ${status || "NULL"}, ${quoted(answer)})`);
    }
    return id;
}

const failing = [[15000, 0, "it did not answer within 15 seconds"],
    [240, 503, "503 Service Unavailable"]];
const body = JSON.stringify({ type: "intent_authorized",
    timestamp: "2026-11-20T02:47:40Z", data: { event: "intent_authorized",
        intent_id: "019a", outcome: "authorized", value: "refund",
        waited_seconds: 2580, stale: false } });

/* ---- looks ---------------------------------------------------------- */

const first = { lane: "first" };

state("settings-endpoints-empty", 200, by,
    (page) => page.goto(endpoints), first);
state("settings-channels-empty", 200, by,
    (page) => page.goto(channels), first);
state("settings-log-empty", 200, by, (page) => page.goto(log), first);

function some() {
    endpoint({ agent: "refunds-agent", set: "paused_at = NULL" });
    endpoint({ address: `https://10.4.0.12:8443/a/${Math.random()}`,
        set: "internal = true, event_types = '{intent_vetoed,event}'" });
    endpoint({ name: questions.named("old platform"), set: "gone_at = now()" });
    endpoint({ kind: "mail", address: "cfo@example.com,finance@example.com",
        set: "detail = 'summary', every_question = true" });
    endpoint({ kind: "slack",
        address: "https://hooks.example/services/T0/B0/secretQx7Z" });
    endpoint({ kind: "webhook", set: "detail = 'all', paused_at = now()" });
}

state("settings-endpoints", 200, by, async (page) => {
    some();
    await page.goto("/settings");
    assert.equal(new URL(page.url()).pathname, "/settings/profile");
    await follow(page, "Endpoints");
    assert.equal(new URL(page.url()).pathname, endpoints);
});
state("settings-channels", 200, by, async (page) => {
    some();
    await page.goto(channels);
});
state("settings-endpoints-auditor", 200, { who: "auditor" }, async (page) => {
    some();
    await page.goto(endpoints);
    assert.equal(await page.locator("main form").count(), 0);
});
state("settings-endpoint-made", 200, by, async (page) => {
    await page.goto(endpoints);
    await follow(page, "New endpoint");
    await page.getByRole("textbox", {name: /^Name/}).fill(questions.named("eu"));
    await page.getByLabel("Address", { exact: false }).first().fill(
        `https://agents.example/${Math.random()}`);
    await press(page, "Create endpoint");
    assert.match(await text(page), secret);
});
state("settings-endpoint-errors", 422, by, async (page) => {
    await page.goto(`${endpoints}?do=new`);
    await page.getByLabel("Rejected").check();
    await page.getByLabel("Agent", { exact: false }).first().fill("two words");
    await press(page, "Create endpoint");
});
state("settings-channel-errors", 422, by, async (page) => {
    await page.goto(`${channels}?do=new`);
    await page.getByLabel("Slack", { exact: true }).check();
    await page.locator("#f2").fill("on-call");
    await press(page, "Create channel");
});
state("setting-endpoint", 200, by, (page) =>
    page.goto(`${endpoints}/${endpoint()}`));
state("setting-channel", 200, by, (page) =>
    page.goto(`${channels}/${endpoint({ kind: "slack" })}`));
state("setting-gone", 200, by, (page) =>
    page.goto(`${endpoints}/${endpoint({ set: "gone_at = now()" })}`));
state("setting-remove", 200, by, async (page) => {
    const id = endpoint();
    await delivery(id);
    await page.goto(`${endpoints}/${id}`);
    await follow(page, "Remove");
    assert.match(await text(page),
        /(1 pending delivery fails|\d+ pending deliveries fail)/);
});
state("setting-rotated", 200, by, async (page) => {
    await page.goto(`${endpoints}/${endpoint()}`);
    await press(page, "Create new secret");
    assert.match(await text(page), secret);
});
state("setting-rotated-again", 409, by, async (page) => {
    await page.goto(`${endpoints}/${endpoint()}`);
    await page.locator("[name=seen]").first().evaluate(
        (input) => { input.form.querySelector("[name=seen]").value = "x"; });
    await page.locator("form:has([value=rotate]) [name=seen]").evaluate(
        (input) => { input.value = "another"; });
    await press(page, "Create new secret");
});
state("settings-log", 200, by, async (page) => {
    const id = endpoint(), chat = endpoint({ kind: "slack" });
    await delivery(id, { state: "delivered", tries: [[200, 200, "200 OK"]] });
    await delivery(chat, { recipient: "night desk",
        type: "suspension.escalated" });
    await delivery(id, { tries: failing });
    await delivery(id, { state: "failed",
        tries: [[90, 410, "410, the endpoint is gone"]] });
    await page.goto(log);
});
state("settings-log-of-one", 200, by, async (page) => {
    const id = endpoint();
    for (let i = 0; i < 51; i += 1) {
        await delivery(id, { state: "delivered",
            tries: [[200, 200, "200 OK"]] });
    }
    await page.goto(`${log}?endpoint=${id}`);
    await follow(page, "Older");
    await page.getByRole("link", { name: "First page" }).waitFor();
});
state("settings-log-none", 200, by, (page) =>
    page.goto(`${log}?state=failed&endpoint=${endpoint()}`));
state("delivery-failing", 200, by, async (page) => {
    const id = await delivery(endpoint(), { tries: failing, body });
    await page.goto(`${log}/${id}`);
});
state("delivery-mail", 200, { who: "auditor" }, async (page) => {
    const id = await delivery(endpoint({ kind: "mail" }), { body,
        recipient: "cfo@example.com" });
    await page.goto(`${log}/${id}`);
});
state("settings-forbidden", 403, { who: "operator" },
    (page) => page.goto(endpoints));

/* ---- hostile -------------------------------------------------------- */

const all = questions.attacks.join(" ");
const villain = `"><b>${questions.attacks[1]}\u202e\u200b${"x".repeat(60)}`
    .slice(0, 120);

test("nothing of hostile settings and deliveries runs or hides", () =>
    withPage({ ...by, width: 360, height: 740 }, async (page) => {
        const to = endpoint({ name: villain, agent: "y".repeat(120),
            address: `https://a.example/${"x".repeat(1900)}` });
        const chat = endpoint({ kind: "slack", name: `"><b>\u202e chat`,
            address: `https://${"h".repeat(60)}.example/${villain}`,
            set: `notify_to = ARRAY[${quoted(all.slice(0, 4000))},
                  ${quoted("W".repeat(10000))}]` });
        const ids = [];
        for (const one of [to, chat]) {
            ids.push(await delivery(one, { recipient: all, type: all,
                body: JSON.stringify({ [all]: all, w: "W".repeat(10000) }),
                tries: [[10, 500, all + "W".repeat(10000)]],
                question: { title: all.slice(0, 200) } }));
        }
        for (const path of [endpoints, `${endpoints}/${to}`,
            `${endpoints}/${to}?do=remove`, channels, `${channels}/${chat}`,
            log, `${log}?endpoint=${to}`, ...ids.map((id) => `${log}/${id}`)]) {
            await page.goto(path);
            assert.equal(shown(page).status(), 200, path);
            await page.evaluate(() => document.querySelectorAll("details")
                .forEach((one) => { one.open = true; }));
            const words = await holds(page, path);
            assert.match(words, /U\+202E/, path);
        }
        sql(`DELETE FROM delivery_try;
             DELETE FROM delivery WHERE endpoint_id IN ('${to}', '${chat}');
             DELETE FROM endpoint WHERE id IN ('${to}', '${chat}')`);
    }), "last");

/* ---- doing it ------------------------------------------------------- */

for (const scripts of [true, false]) {
    const how = scripts ? "with scripts" : "without scripts";
    test(`an endpoint from its registration to its end, ${how}`, () =>
        withPage({ ...by, scripts }, async (page) => {
            const name = questions.named("life");
            await page.goto("/inbox");
            await follow(page, "Settings");
            await follow(page, "Endpoints");
            await follow(page, "New endpoint");
            await page.getByRole("textbox", {name: /^Name/}).fill(name);
            await page.locator("#f2").fill("http://a.example/");
            await press(page, "Create endpoint");
            assert.equal(await page.getByRole("textbox", {name: /^Name/}).inputValue(), name);
            await page.locator("#f2").fill(
                `https://a.example/${Math.random()}`);
            await press(page, "Create endpoint");
            assert.match(await text(page), secret);
            await page.goto(endpoints);
            assert.doesNotMatch(await text(page), secret);
            await follow(page, name);
            await press(page, "Pause");
            await press(page, "Resume");
            await page.getByLabel("Withdrawn").check();
            await press(page, "Save");
            assert.match(await text(page), /Withdrawn/);
            await follow(page, name);
            await follow(page, "Remove");
            await press(page, "Remove");
            assert.equal(new URL(page.url()).pathname, endpoints);
            assert.ok(!(await text(page)).includes(name));
        }));
    test(`a delivery is sent again, ${how}`, () =>
        withPage({ ...by, scripts }, async (page) => {
            const id = await delivery(endpoint(), { state: "failed",
                tries: failing });
            await page.goto(`${log}/${id}`);
            assert.match(await text(page), /Failed/);
            await press(page, "Send again");
            assert.match(await text(page), /Pending/);
            assert.equal(sql(`SELECT state FROM delivery
                               WHERE id = '${id}'`), "pending");
        }));
}

test("the secret is copied, where there are scripts", () =>
    withPage(by, async (page) => {
        await page.context().grantPermissions(
            ["clipboard-read", "clipboard-write"]);
        const id = endpoint();
        await page.goto(`${endpoints}/${id}`);
        await press(page, "Create new secret");
        await page.getByRole("button", { name: "Copy" }).click();
        await page.getByRole("button", { name: "Copied" }).waitFor();
        assert.equal(await page.evaluate(() => navigator.clipboard.readText()),
            sql(`SELECT secret FROM endpoint WHERE id = '${id}'`));
    }));

test("a channel is made by keyboard alone", () =>
    withPage(by, async (page) => {
        const name = questions.named("desk");
        await page.goto(channels);
        await tabTo(page, (now) => now.name === "New channel");
        await enter(page);
        await tabTo(page, (now) => now.name === "f1");
        await page.keyboard.press("Space");
        await tabTo(page, ({ id }) => id === "f2");
        await page.keyboard.type(name);
        await tabTo(page, ({ id }) => id === "f3");
        await page.keyboard.type("desk@example.com");
        await tabTo(page, ({ id }) => id === "f4");
        await page.keyboard.type("@example.com");
        await tabTo(page, (now) => now.name === "f5");
        await page.keyboard.press("ArrowDown");
        await tabTo(page, ({ id }) => id === "f6");
        await page.keyboard.press("Space");
        await tabTo(page, (now) => now.name === "Create channel");
        await enter(page);
        assert.match(await text(page), new RegExp(name));
        assert.equal(sql(`SELECT kind || detail || every_question FROM endpoint
            WHERE name = ${quoted(name)}`), "mailsummarytrue");
        await tabTo(page, (now) => now.name === name);
        await enter(page);
        await tabTo(page, (now) => now.name === "Pause");
        await enter(page);
        assert.match(await text(page), /Paused/);
    }));
