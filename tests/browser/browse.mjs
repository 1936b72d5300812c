/* Agents, tasks and portfolios: their lists, the page of an agent, and the page
 * that stops a task; with hostile names, with and without scripts. */
import assert from "node:assert/strict";

import { follow, press, shown, text, withPage } from "./browser.mjs";
import { holds } from "./hostile.mjs";
import { enter, tabTo } from "./keys.mjs";
import { test } from "./lanes.mjs";
import { look, state } from "./looks.mjs";
import * as questions from "./questions.mjs";
import { api, ask, respond, sql, suspension } from "./server.mjs";

const by = { who: "operator" };
const agentAt = (name) => `/agent?name=${encodeURIComponent(name)}`;

/* ---- looks ---------------------------------------------------------- */

state("agents", 200, by, async (page) => {
    await ask(questions.confirm());
    await page.goto("/agents");
});
state("agents-none", 200, by, (page) => page.goto("/agents?after=%F4%8F%BF%BF"));
state("agent", 200, by, async (page) => {
    const asked = await ask(questions.confirm());
    await respond(asked.suspension_id, { value: "yes" });
    const open = await ask(questions.confirm());
    const { asked_by: name } = await suspension(open.suspension_id);
    await page.goto(agentAt(name));
});
state("agent-unknown", 404, by, (page) => page.goto(agentAt("nobody at all")));
state("tasks", 200, by, async (page) => {
    await ask(questions.confirm());
    await page.goto("/intents");
});
state("tasks-none", 200, by, (page) => page.goto("/intents?status=draft"));
state("portfolios", 200, by, async (page) => {
    await api("agent", "POST", "/api/v1/portfolios", 201,
        { name: questions.named("Returns") });
    await page.goto("/portfolios");
});
state("task-stop", 200, by, async (page) => {
    const asked = await ask(questions.confirm());
    await page.goto(`/intents/${asked.intent_id}/stop`);
});

/* ---- room ----------------------------------------------------------- */

test("a title has the room of its list, and no link lies over another", () =>
    withPage({ who: "admin" }, async (page) => {
        const asked = await ask(questions.confirm({ title: questions.named(
            "Send the letter about the late parcel to all customers") }));
        const { asked_by: name } = await suspension(asked.suspension_id);
        for (const [path, part] of [["/intents", 0.45], ["/agents", 0.45],
            [agentAt(name), 0.45]]) {
            for (const [width, least] of [[1280, part], [360, 0.85]]) {
                await page.setViewportSize({ width, height: 740 });
                await page.goto(path);
                const room = await page.locator(
                    ".rows td:first-child, .links .title").first().evaluate(
                    (one) => one.getBoundingClientRect().width /
                        one.closest(".card").clientWidth);
                assert.ok(room > least, `${path} at ${width}: ${room}`);
            }
        }
        const long = "The build runners of the whole company, and of its " +
            "suppliers";
        const { endpoint_id: id } = await api("admin", "POST",
            "/api/v1/endpoints", 201,
            { name: long, url: `https://a.example/${Date.now()}` });
        sql(`INSERT INTO delivery (id, endpoint_id, intent_id, suspension_id,
                 event_sequence, type, body, state, created_at, ended_at, tries)
             VALUES (gen_random_uuid(), '${id}', '${asked.intent_id}',
                 '${asked.suspension_id}', 2, 'intent_authorized', '{}',
                 'failed', now(), now(), 1)`);
        await page.setViewportSize({ width: 360, height: 740 });
        await page.goto(`/settings/deliveries?endpoint=${id}`);
        const [above, below] = await page.locator(
            "td[data-head^=Request] a").evaluateAll((all) => all.map((one) => {
            const range = document.createRange();
            range.selectNodeContents(one);
            return range.getBoundingClientRect().toJSON();
        }));
        assert.ok(below.top >= above.bottom - 4, `${below.top} ${above.bottom}`);
        sql(`DELETE FROM delivery WHERE endpoint_id = '${id}'`);
        await api("admin", "DELETE", `/api/v1/endpoints/${id}`, 204);
    }));

/* ---- doing it ------------------------------------------------------- */

test("the side leads to agents and tasks, and from one to the other", () =>
    withPage(by, async (page) => {
        const title = questions.named("Side");
        const asked = await ask(questions.confirm({ title }));
        const { asked_by: name } = await suspension(asked.suspension_id);
        await page.goto("/inbox");
        await follow(page, "Agents");
        await follow(page, name);
        assert.match(await text(page, "h1"), new RegExp(name));
        await follow(page, "Agents");
        await follow(page, "Tasks");
        await follow(page, "Portfolios");
        assert.equal(new URL(page.url()).pathname, "/portfolios");
    }));

for (const scripts of [true, false]) {
    const how = scripts ? "with scripts" : "without scripts";
    test(`a task is stopped, ${how}`, () =>
        withPage({ ...by, scripts }, async (page) => {
            const asked = await ask(questions.confirm());
            await page.goto(`/intents/${asked.intent_id}`);
            await follow(page, "Stop the task");
            assert.match(await text(page), /is withdrawn\./);
            await page.getByLabel("Comment").fill("It runs wild.");
            await press(page, "Stop the task");
            assert.equal(new URL(page.url()).pathname,
                `/intents/${asked.intent_id}`);
            assert.match(await text(page), /Stopped/);
            const now = await suspension(asked.suspension_id);
            assert.equal(now.state, "cancelled");
            assert.equal(now.reason, "It runs wild.");
        }));
}

test("a task is stopped by keyboard alone", () =>
    withPage(by, async (page) => {
        const asked = await ask(questions.confirm());
        await page.goto(`/intents/${asked.intent_id}/stop`);
        await tabTo(page, ({ id }) => id === "reason");
        await page.keyboard.type("No.");
        await tabTo(page, (now) => now.name === "Stop the task");
        await enter(page);
        assert.match(await text(page), /Stopped/);
    }));

/* ---- hostile -------------------------------------------------------- */

test("nothing of hostile agents' names runs or hides", () =>
    withPage({ ...by, width: 360, height: 740 }, async (page) => {
        const villain = `"><b>${questions.attacks[1]}\u202e\u200b` +
            "x".repeat(60);
        const quoted = `'${villain.replaceAll("'", "''")}'`;
        const asked = await ask(questions.confirm({ title: villain }));
        sql(`UPDATE open_question SET asked_by = ${quoted}
             WHERE suspension_id = '${asked.suspension_id}'`);
        for (const path of [`/agents?after=${encodeURIComponent("!")}`,
            agentAt(villain), "/intents", `/intents/${asked.intent_id}/stop`]) {
            await page.goto(path);
            assert.equal(shown(page).status(), 200, path);
            assert.match(await holds(page, path), /U\+202E/, path);
        }
        await look(page, "task-stop-hostile");
        sql(`UPDATE open_question SET asked_by = 'refunds-agent'
             WHERE suspension_id = '${asked.suspension_id}'`);
    }), "last");
