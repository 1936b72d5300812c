/* Tool calls and permits: a task that is checked, paused, approved by the
 * person for whom the agent works, and goes on; and the pages of permits. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import {
    follow, makePerson, people, press, seeAnswered, shown, signIn, text,
    withPage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import * as questions from "./questions.mjs";
import { api, ask, respond, server, sql, suspension } from "./server.mjs";

const agent = { "X-Agent-ID": "shop-agent" };

const stranger = { email: "otto@example.com", name: "Otto Other",
    role: "user", password: "sees only his own tasks" };

/* A check that pauses; the answer has request_id and the addresses. */
function check(more = {}) {
    return api("agent", "POST", "/api/v1/tool-calls/check", 202, {
        task: { task_id: randomUUID(), session_id: "s-1",
                title: "Refund order 12345" },
        initiated_by: people.user.email,
        explanation: "The parcel arrived broken.",
        consequence: "50.00 EUR leave the account.",
        tool_calls: [
            { id: "call_1", tool: "shop.refund", arguments: {
                order: "12345", amount: "50.00", currency: "EUR" } },
            { id: "call_2", type: "function", function: {
                name: "mail_send", arguments: '{"to":"alice"}' } },
        ],
        ...more,
    }, agent);
}

function answerOf({ request_id: id }) {
    return api("agent", "GET", `/api/v1/suspensions/${id}`, 200, undefined,
        agent);
}

function path(url) {
    assert.ok(url.startsWith(server.url));
    return url.slice(server.url.length);
}

function redeem(permit, call, operation = randomUUID()) {
    return api("agent", "POST", "/api/v1/redemptions", 201, {
        permit_id: permit, operation_id: operation, call }, agent);
}

test("a user approves the calls of a task, and the task goes on", async () => {
    const pause = await check();
    await withPage({ who: "user" }, async (page) => {
        await page.goto("/inbox");
        assert.match(await text(page), /Refund order 12345/);
        await page.goto(path(pause.approval_url));
        assert.equal(new URL(page.url()).pathname,
            `/suspensions/${pause.request_id}`);
        const shows = await text(page);
        for (const word of ["shop.refund", "50.00", "mail_send", "alice",
            "on behalf of uma@example.com", "up to 2 times"]) {
            assert.ok(shows.includes(word), `${word} in: ${shows}`);
        }
        assert.equal((await answerOf(pause)).state, "pending");
        await look(page, "tools-approve");
        await press(page, "Approve");
        await seeAnswered(page);
        assert.match(await text(page), /0 of 2/);
        await look(page, "tools-approved");
    });
    const told = await answerOf(pause);
    assert.equal(told.outcome, "authorized");
    assert.equal(told.responded_by, people.user.email);
    assert.equal(told.tool_calls.length, 2);
    const used = await redeem(told.permit.id, { tool: "shop.refund",
        arguments: told.tool_calls[0].arguments });
    await api("agent", "POST",
        `/api/v1/redemptions/${used.redemption_id}/result`, 200,
        { result: "completed", ref: "re_1" }, agent);
    await withPage({ who: "operator" }, async (page) => {
        await page.goto(`/suspensions/${pause.request_id}`);
        assert.match(await text(page), /1 of 2/);
        assert.match(await text(page), /re_1/);
        await look(page, "tools-used");
    });
});

test("a user rejects, and the task is canceled", async () => {
    const pause = await check();
    await withPage({ who: "user" }, async (page) => {
        await page.goto(path(pause.rejection_url));
        await page.getByLabel("Comment").fill("Ask Alice first.");
        await press(page, "Reject");
        assert.equal(shown(page).status(), 200);
    });
    const told = await answerOf(pause);
    assert.equal(told.outcome, "vetoed");
    assert.equal(told.reason, "Ask Alice first.");
    assert.equal(told.permit, undefined);
    const intent = await api("agent", "GET",
        `/api/v1/intents/${pause.intent_id}`, 200, undefined, agent);
    assert.equal(intent.status, "abandoned");
});

test("another user sees nothing of it", async () => {
    const pause = await check();
    makePerson(stranger);
    await withPage({}, async (page) => {
        await page.goto("/login");
        await signIn(page, stranger);
        await page.goto("/inbox");
        assert.doesNotMatch(await text(page), /Refund order 12345/);
        await page.goto(path(pause.approval_url));
        assert.equal(shown(page).status(), 404);
    });
    assert.equal((await answerOf(pause)).state, "pending");
});

test("a challenge is completed through the same page", async () => {
    const pause = await check({ tool_calls: undefined, auth_challenges: [{
        server_name: "Calendar", auth_server: "https://auth.example",
        scopes: ["read"], auth_url: `${server.url}/settings/profile` }] });
    await withPage({ who: "user" }, async (page) => {
        await page.goto(path(pause.resume_url));
        assert.match(await text(page), /Calendar/);
        await look(page, "tools-challenge");
        await press(page, "Answer: I have set it up");
    });
    assert.equal((await answerOf(pause)).outcome, "answered");
});

/* ---- permits and rules --------------------------------------------- */

async function granted() {
    const asked = await ask({
        question: "Refund order 12345?", kind: "approval", severity: "medium",
        subject: { action: { name: "Refund" }, target: "order 12345",
            scope_summary: "One refund", consequence: "Money leaves.",
            calls: [{ tool: "shop.refund", args: { order: "12345" } }] },
    });
    await respond(asked.suspension_id, { value: "approve" });
    return asked;
}

test("an operator takes a permit back on its page", async () => {
    const asked = await granted();
    await withPage({ who: "operator" }, async (page) => {
        await page.goto(`/suspensions/${asked.suspension_id}`);
        await page.getByRole("link", { name: "Revoke", exact: true }).click();
        await page.waitForURL(/\/settings\/permits\?do=revoke/);
        await look(page, "permits-revoke");
        await page.getByLabel("Comment").fill("Wrong order.");
        await press(page, "Revoke the permit");
        assert.equal(new URL(page.url()).pathname,
            `/suspensions/${asked.suspension_id}`);
        assert.match(await text(page), /Revoked/);
        assert.match(await text(page), /Wrong order\./);
        await look(page, "permits-revoked");
    });
    const { permit } = await suspension(asked.suspension_id);
    assert.equal(permit.state, "revoked");
});

test("the permits in use are listed", async () => {
    await granted();
    await withPage({ who: "operator" }, async (page) => {
        await page.goto("/settings/permits");
        assert.match(await text(page), /shop\.refund/);
        await look(page, "permits");
    });
});

test("rules are added and removed", async () => {
    await withPage({ who: "admin" }, async (page) => {
        await page.goto("/settings/rules");
        await look(page, "rules-none");
        for (const [position, tool, effect, risk] of [
            ["10", "docs.read*", /^Allow/, "None"],
            ["20", "shop.*", /^Ask/, "High"]]) {
            await follow(page, "New rule");
            await page.getByLabel("Position").fill(position);
            await page.getByLabel(/^Tool/).fill(tool);
            await page.getByLabel(effect).check();
            await page.getByLabel(risk, { exact: true }).check();
            await press(page, "Add rule");
        }
        assert.match(await text(page), /docs\.read\*/);
        await look(page, "rules");
        for (const position of ["10", "20"]) {
            await page.goto(`/settings/rules?do=remove&key=${position}`);
            await press(page, "Remove the rule");
        }
        assert.match(await text(page), /No rules/);
    });
});

test("a rule of retention is added, looked at and removed", async () => {
    await withPage({ who: "admin" }, async (page) => {
        await page.goto("/settings/retention");
        await look(page, "retention-none");
        await follow(page, "New rule");
        await page.getByRole("textbox", { name: /^Name/ }).fill("refusals-90d");
        await page.getByLabel(/^Days/).fill("36500");
        await press(page, "Add rule");
        await look(page, "retention");
        await follow(page, "refusals-90d");
        await look(page, "retention-rule");
        await follow(page, "Start erasing");
        assert.match(await text(page), /Nothing is erased yet/);
        await look(page, "retention-start");
        await page.goto("/settings/retention/refusals-90d?do=remove");
        await press(page, "Remove the rule");
        assert.match(await text(page), /Removed/);
    });
});

test("an erased request says by which rule", async () => {
    const asked = await ask(questions.confirm());
    await respond(asked.suspension_id, { value: "yes", reason: "Yes." });
    sql(`SELECT retention_questions(ARRAY['${asked.suspension_id}'],
        'refusals-90d', now())`);
    await withPage({ who: "operator" }, async (page) => {
        await page.goto(`/suspensions/${asked.suspension_id}`);
        assert.match(await text(page), /Erased by rule refusals-90d on/);
        await look(page, "erased");
    });
});

test("a gateway is registered, and its key shown once", async () => {
    await withPage({ who: "admin" }, async (page) => {
        await page.goto("/settings/resources");
        await follow(page, "New resource");
        await page.getByLabel("Address").fill(
            `https://${randomUUID()}.example/mcp`);
        await page.getByRole("textbox", {name: /^Name/}).fill("Shop tools");
        await press(page, "Add resource");
        const key = await page.locator("p.key code").innerText();
        assert.match(key, /^sayso_/);
        await page.goto("/settings/resources");
        assert.match(await text(page), /Shop tools/);
        await look(page, "resources");
    });
});

test("a person creates a token of their own", async () => {
    await withPage({ who: "user" }, async (page) => {
        await page.goto("/settings/tokens");
        await follow(page, "New token");
        await page.getByLabel("Label").fill("Chat");
        await page.getByLabel("Your password").fill(people.user.password);
        await look(page, "tokens");
        await press(page, "Create token");
        const token = await page.locator("p.key code").innerText();
        const r = await fetch(`${server.url}/api/v1/initiations`, {
            method: "POST", body: JSON.stringify({ agent: "shop-agent" }),
            headers: { "X-API-Key": token,
                "Content-Type": "application/json" } });
        assert.equal(r.status, 201);
    });
});
