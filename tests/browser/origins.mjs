/* Requests to people that hold nothing: approvals, escalations and arbitrations
 * of OpenIntent, from the inbox to the answer that the agent reads. */
import assert from "node:assert/strict";

import {
    follow, press, seeAnswered, shown, text, withPage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import { api, sayso } from "./server.mjs";

const agent = { "X-Agent-ID": "refunds-agent" };

function post(intent, path, body) {
    return api("agent", "POST", `/api/v1/intents/${intent.id}/${path}`, 201,
        body, agent);
}

/* An intent at work, with something in its state. */
async function intentOf(title) {
    const made = await api("agent", "POST", "/api/v1/intents", 201,
        { title, state: { result: "49.90 EUR refunded" } }, agent);
    return api("agent", "POST", `/api/v1/intents/${made.id}/status`, 200,
        { status: "active" }, { ...agent, "If-Match": `${made.version}` });
}

/* From its row in the inbox to its page. */
async function openFromInbox(page, title, chip) {
    await page.goto(`/inbox?q=${encodeURIComponent(title)}`);
    assert.match(await text(page), new RegExp(chip));
    await follow(page, title);
    assert.equal(shown(page).status(), 200);
}

async function confirmed(page, name) {
    await follow(page, name);
    await press(page, name);
}

test("an approval is found in the inbox, read and given", () =>
    withPage({ who: "operator" }, async (page) => {
        const intent = await intentOf("A release");
        const asked = await post(intent, "approvals", {
            action: "Deploy build 4711", reason: "The tests are green.",
            context: { build: 4711 } });
        await openFromInbox(page, "Deploy build 4711", "Approval request");
        assert.match(await text(page), /The tests are green/);
        await look(page, "approval_request");
        await confirmed(page, "Approve");
        await seeAnswered(page);
        assert.match(await text(page), /You approved this/);
        const read = await api("agent", "GET",
            `/api/v1/intents/${intent.id}/approvals/${asked.id}`, 200,
            undefined, agent);
        assert.equal(read.status, "approved");
        await page.goto(`/suspensions/${asked.id}`);
        assert.match(await text(page), /Audit event\s+4/);
        await look(page, "approval_given");
        await page.goto(`/intents/${intent.id}`);
        assert.match(await text(page), /Approval granted/);
        await look(page, "intent_with_approval");
    }));

test("a request to complete a task shows the state that it is about", () =>
    withPage({ who: "operator" }, async (page) => {
        const intent = await intentOf("A refund to complete");
        const asked = await post(intent, "approvals", {
            action: "complete", reason: "All is done.", context: {} });
        await page.goto(`/suspensions/${asked.id}`);
        const words = await text(page);
        assert.match(words, /Complete the task/);
        assert.match(words, /The task's state when this was requested/);
        assert.match(words, /49\.90 EUR refunded/);
        await look(page, "completion_request");
        await confirmed(page, "Reject: Deny");
        assert.match(await text(page), /You rejected this/);
    }));

test("an escalation is answered with a text", () =>
    withPage({ who: "operator" }, async (page) => {
        const intent = await intentOf("A payment");
        const asked = await post(intent, "escalations", {
            reason: "The bank is silent.", priority: "high", context: {} });
        await openFromInbox(page, "The bank is silent.", "Escalation");
        await look(page, "escalation");
        await page.getByLabel("Your answer").fill("Call them.");
        await press(page, "Send answer");
        const { escalations } = await api("agent", "GET",
            `/api/v1/escalations?intent_id=${intent.id}`, 200, undefined,
            agent);
        assert.equal(escalations[0].id, asked.id);
        assert.equal(escalations[0].resolution, "Call them.");
    }));

test("a request for access says what a yes gives, and gives it", () =>
    withPage({ who: "operator" }, async (page) => {
        const intent = await intentOf("A ledger to be shared");
        await api("agent", "PUT", `/api/v1/intents/${intent.id}/acl`, 200,
            { default_policy: "closed", entries: [] }, agent);
        const asked = await post(intent, "access-requests", {
            principal_id: "audit-agent", requested_permission: "write",
            reason: "I check the sums." });
        await openFromInbox(page, "audit-agent: write access",
            "Access request");
        const words = await text(page);
        assert.match(words, /Give the agent audit-agent write access/);
        assert.match(words, /I check the sums/);
        assert.match(words, /It cannot change anything/);
        assert.match(words,
            /It cannot complete or stop the task, or give others access/);
        await look(page, "access_request");
        await confirmed(page, "Approve: Read access");
        await seeAnswered(page);
        assert.match(await text(page), /You approved this/);
        const { entries } = await api("agent", "GET",
            `/api/v1/intents/${intent.id}/acl`, 200, undefined, agent);
        assert.deepEqual(entries.filter((e) => e.id !== e.principal_id)
            .map((e) => [e.principal_id, e.permission]),
        [["audit-agent", "read"]]);
        await page.goto(`/intents/${intent.id}`);
        const task = await text(page);
        assert.match(task, /Closed to agents, except/);
        assert.match(task, /audit-agent\s+can read it/);
        assert.match(task, /Access requested\s*audit-agent write/);
        assert.match(task, /Access given\s*audit-agent read/);
        assert.ok(asked.url.endsWith(asked.id));
        await look(page, "intent_closed");
    }));

test("a request for access is refused", () =>
    withPage({ who: "operator" }, async (page) => {
        const intent = await intentOf("A ledger to be kept");
        const asked = await post(intent, "access-requests", {
            principal_id: "audit-agent", requested_permission: "admin",
            reason: "Let me." });
        await page.goto(`/suspensions/${asked.id}`);
        assert.match(await text(page), /give others access/);
        await confirmed(page, "Reject: Deny");
        assert.match(await text(page), /You rejected this/);
        const { access_requests: all } = await api("agent", "GET",
            `/api/v1/intents/${intent.id}/access-requests`, 200, undefined,
            agent);
        assert.equal(all[0].status, "denied");
    }));

test("an arbitration is decided by one of its options", () =>
    withPage({ who: "operator" }, async (page) => {
        const intent = await intentOf("A dispute");
        await post(intent, "arbitrate", { reason: "We differ on order 8.",
            context: { options: [{ value: "pay", label: "Pay now" },
                { value: "wait" }] } });
        await openFromInbox(page, "We differ on order 8.", "Arbitration");
        await look(page, "arbitration");
        await press(page, "Answer: Pay now");
        const { decisions } = await api("agent", "GET",
            `/api/v1/intents/${intent.id}/decisions`, 200, undefined, agent);
        assert.equal(decisions[0].outcome, "pay");
    }));

test("a request of a test key is marked everywhere", () =>
    withPage({ who: "operator" }, async (page) => {
        const key = sayso(["key", "create", "--role", "agent", "--agent",
            "drill-agent", "--label", "drills", "--test"]);
        const drill = (path, status, body) =>
            api("agent", "POST", `/api/v1/${path}`, status, body,
                { "X-API-Key": key, "X-Agent-ID": "drill-agent" });
        const title = "Refund 20 EUR, as a drill?";
        const { suspension_id } = await drill("suspensions", 201, {
            question: title, kind: "approval", severity: "medium",
            subject: { action: { name: "refund" }, target: "order 1",
                scope_summary: "One refund of 20 EUR",
                consequence: "20 EUR leave the account.",
                calls: [{ tool: "refund", args: { amount: 20 } }] } });
        await openFromInbox(page, title, "Test");
        assert.match(await text(page), /^.*Test/m);
        await look(page, "test-request");
        await drill("test/answer", 200, { suspension_id, value: "approve" });
        await page.reload();
        assert.match(await text(page), /Test\s+Approval[^]*Test script approved/);
        await look(page, "test-answered");
    }));
