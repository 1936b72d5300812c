/* Brings every page into each of its states, and has it looked at. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";

import {
    follow, openPage, closePage, overflow, people, press, signIn, text,
    withPage,
} from "./browser.mjs";
import * as cards from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { printed, state } from "./looks.mjs";
import * as plans from "./plans_questions.mjs";
import * as questions from "./questions.mjs";
import {
    api, ask, askExpired, cancel, clear, endNow, pageRoutes, respond, sql,
    visited,
} from "./server.mjs";

const by = { who: "operator" };

async function openOne(page, asked, query = "") {
    await page.goto(`/suspensions/${asked.suspension_id}${query}`);
}

/* A question that ended, seen by the operator. */
function ended(name, question, end) {
    state(`answered-${name}`, 200, by, async (page) => {
        const asked = await ask(question);
        await end(asked.suspension_id);
        await openOne(page, asked);
    });
}

/* ---- the empty house, before anybody asked -------------------------- */

const first = { lane: "first" }, last = { lane: "last" };

state("inbox-empty", 200, by, (page) => page.goto("/inbox"), first);
state("decided-empty", 200, by, (page) => page.goto("/decided"), first);
state("inbox-first", 200, { who: "admin" },
    (page) => page.goto("/inbox"), first);
for (const scripts of [true, false]) {
    test(`a test request is asked and answered, ${scripts}`, () =>
        withPage({ who: "admin", scripts }, async (page) => {
            await page.goto("/inbox");
            await press(page, "Send me a test request");
            await follow(page, "Say hello to the team?");
            await press(page, "Approve: Say hello");
            await page.goto("/inbox");
            await page.getByText("Waiting for the first request").waitFor();
        }), "first");
}
test("the steps say when the first request is there", () =>
    withPage({ who: "admin" }, async (page) => {
        await page.goto("/inbox");
        await page.getByText("Waiting for the first request").waitFor();
        await ask(questions.confirm());
        await page.getByRole("link", { name: "Show", exact: true }).click();
        await page.getByRole("heading", { name: "Inbox" }).waitFor();
    }), "first");
state("login-fresh", 200, {}, (page) => page.goto("/login"));
for (const name of ["", "/questions", "/pages", "/types", "/errors"]) {
    state(`reference${name.replace("/", "-")}`, 200, {}, (page) =>
        page.goto(`/docs/api${name}`));
}
state("login-error", 422, {}, async (page) => {
    await page.goto("/login?next=%2Fdecided");
    await signIn(page, { ...people.operator, password: "wrong" });
});

/* ---- errors --------------------------------------------------------- */

state("error-not-found", 404, by, (page) => page.goto("/suspensions/none"));
state("error-signed-out", 404, {}, (page) => page.goto("/no/such/page"));
state("error-query", 400, by, (page) => page.goto("/inbox?sort=up"));
state("unavailable", 200, {}, (page) => page.goto("/static/unavailable.html"));
state("error-forbidden", 403, by, async (page) => {
    await openOne(page, await ask(questions.confirm()));
    await page.locator("form#answer [name=csrf]").evaluate(
        (input) => { input.value = "old"; });
    await press(page, "Approve: Yes");
});

/* ---- one open question ---------------------------------------------- */

state("suspension-direct", 200, by, async (page) =>
    openOne(page, await ask(questions.choice())));
state("suspension-direct-error", 422, by, async (page) => {
    await openOne(page, await ask(questions.choice()));
    await press(page, "Reject: Refuse the refund");
});
state("suspension-two-step", 200, by, async (page) =>
    openOne(page, await ask(questions.choice({ severity: "high" }))));
state("suspension-confirm", 200, by, async (page) =>
    openOne(page, await ask(questions.choice({ severity: "critical" })),
        "?choice=refund"));
state("suspension-confirm-error", 422, by, async (page) => {
    await openOne(page, await ask(questions.choice({ severity: "medium" })));
    await follow(page, "Reject: Refuse the refund");
    await press(page, "Reject: Refuse the refund");
});
state("suspension-yes-no", 200, by, async (page) =>
    openOne(page, await ask(questions.confirm())));
state("suspension-many", 200, by, async (page) => {
    const choices = Array.from({ length: 12 }, (_, i) => ({
        value: `v${i}`, label: `Warehouse number ${i + 1}`,
        description: i % 3 ? `It is ${i} hours away.` : undefined }));
    await openOne(page, await ask(questions.choice({ choices,
        fallback_value: "v1" })));
});
state("suspension-text", 200, by, async (page) =>
    openOne(page, await ask(questions.words())));
state("suspension-text-error", 422, by, async (page) => {
    await openOne(page, await ask(questions.words()));
    await press(page, "Send answer");
});
state("suspension-form", 200, by, async (page) =>
    openOne(page, await ask(questions.form())));
state("suspension-form-errors", 422, by, async (page) => {
    await openOne(page, await ask(questions.form()));
    await page.getByLabel("How many").fill("many");
    await press(page, "Send answers");
});
state("suspension-changed", 409, by, async (page) => {
    await openOne(page, await ask(questions.choice({ severity: "high" })),
        "?choice=part");
    await page.locator("[name=subject_sha256]").evaluate(
        (input) => { input.value = "f".repeat(64); });
    await press(page, "Request changes: Offer half");
});
state("suspension-overdue", 200, by, async (page) =>
    openOne(page, await askExpired(questions.choice())));
for (const kind of ["choice", "form"]) {
    state(`suspension-cannot-${kind}`, 200, { who: "auditor" },
        async (page) => openOne(page, await ask(questions[kind]())));
}

/* ---- closed questions ----------------------------------------------- */

const says = (value, reason) => (id) => respond(id, { value, reason });

ended("approved", questions.choice({ severity: "high" }), says("refund"));
ended("rejected", questions.choice(),
    says("deny", "The photos show another parcel.\nAsk for new ones."));
ended("text", questions.words(), says("Dear Alice,\nwe are sorry."));
ended("form", questions.form(), says({
    name: "Anna & Söhne", count: 7, amount: 499.9, urgent: true,
    colour: "blue", land: "SE", days: ["Friday", "Monday"],
    mail: "a@example.com" }));
ended("withdrawn", questions.choice(), (id) => cancel(id, "Not needed."));
state("answered-expired", 200, by, async (page) => {
    const asked = await askExpired(questions.choice());
    await cancel(asked.suspension_id).catch(() => {}); // runs the expiry
    await openOne(page, asked);
});

/* ---- receipts -------------------------------------------------------- */

/* Its page, once it is signed. */
async function openReceipt(page, { suspension_id: id }) {
    await page.goto(`/suspensions/${id}`);
    await follow(page, "Receipt");
    for (let n = 0;
        n < 50 && await page.getByText("Not signed yet").count(); n++) {
        await page.waitForTimeout(200);
        await page.reload();
    }
    await page.getByRole("heading", { name: "Signature" }).waitFor();
}

/* The receipt of a question that ended. */
function receipt(name, question, end) {
    state(`receipt-${name}`, 200, by, async (page) => {
        const asked = await ask(question);
        await end(asked.suspension_id);
        await openReceipt(page, asked);
    });
}

receipt("approved", questions.choice({ severity: "high" }),
    says("refund", "The photos show it."));
receipt("approval", cards.approval(), says("approve"));
receipt("edited", plans.plan(), (id) => respond(id, {
    value: "approve_edited", constraints: { steps: [{ id: "copy" },
        { id: "backup", note: "Twice." }] } }));
receipt("form", questions.form(), says({
    name: "Anna & Söhne", count: 7, amount: 499.9, urgent: true,
    colour: "blue", land: "SE", days: ["Friday"], mail: "a@example.com" }));
receipt("withdrawn", questions.words(), (id) => cancel(id, "Not needed."));
state("receipt-expired", 200, by, async (page) => {
    const asked = await askExpired(questions.choice());
    await cancel(asked.suspension_id).catch(() => {}); // runs the expiry
    await openReceipt(page, asked);
});
state("receipt-not-signed", 200, by, async (page) => {
    const asked = await ask(questions.choice());
    await respond(asked.suspension_id, { value: "refund" });
    await openReceipt(page, asked);
    sql(`SET session_replication_role = replica;
         DELETE FROM receipt WHERE suspension_id = '${asked.suspension_id}'`);
    await page.reload();
    await page.getByText("has waited for").waitFor();
});
state("receipt-held", 200, by, async (page) => {
    const asked = await ask(questions.choice());
    await respond(asked.suspension_id, { value: "refund" });
    await openReceipt(page, asked);
    sql(`SET session_replication_role = replica;
         DELETE FROM receipt WHERE suspension_id = '${asked.suspension_id}';
         INSERT INTO receipt_wait (suspension_id, since, lost)
         VALUES ('${asked.suspension_id}', now(), true)`);
    await page.reload();
    await page.getByText("Nothing can be signed.").waitFor();
});
test("a receipt is found, downloaded and printed without a script", () =>
    withPage({ ...by, scripts: false }, async (page) => {
        const asked = await ask(questions.choice());
        await respond(asked.suspension_id, { value: "refund" });
        await openReceipt(page, asked);
        for (const [name, whole] of [["Download", true],
            ["Download without contents", false]]) {
            const link = page.getByRole("link", { name, exact: true });
            await link.focus();
            const [file] = await Promise.all([page.waitForEvent("download"),
                page.keyboard.press("Enter")]);
            /* No event of the page reports the request of a download. */
            visited.add(`GET ${new URL(file.url()).pathname}`);
            assert.equal(file.suggestedFilename(), "receipt-" +
                `${asked.suspension_id}${whole ? "" : "-no-texts"}.json`);
            const bundle = JSON.parse(readFileSync(await file.path(), "utf8"));
            assert.equal("texts" in bundle, whole);
            assert.equal(bundle.receipt.split(".").length, 3);
        }
        await page.emulateMedia({ media: "print" });
        assert.equal(await page.locator(".bar").isVisible(), false);
        assert.match(await text(page), /SHA-256/);
        /* A4 at 96 dots in an inch, without the margins. */
        await page.setViewportSize({ width: 673, height: 1000 });
        assert.equal(await overflow(page), 0);
        if (process.env.SAYSO_SCREENSHOTS === "yes") {
            await printed(page, "receipt");
        }
    }));

/* ---- plans, inputs, credentials, handoffs ---------------------------- */

async function revised() {
    const old = await ask(plans.plan({ severity: "high" },
        plans.firstGiven));
    await respond(old.suspension_id, { value: "reject",
        reason: "No way back between copying and dropping." });
    return { old, now: await ask(plans.plan({ severity: "high",
        supersedes: old.suspension_id }, plans.secondGiven,
        { scope: "Cluster orders-prod, schema shop" })) };
}

state("plan", 200, by, async (page) =>
    openOne(page, await ask(plans.plan({}, plans.firstGiven))));
state("plan-revision", 200, by, async (page) =>
    openOne(page, (await revised()).now));
state("plan-replaced", 200, by, async (page) => {
    await openOne(page, (await revised()).old);
    await page.getByText("Original request", { exact: true }).click();
});
state("plan-edit", 200, by, async (page) =>
    openOne(page, (await revised()).now, "?choice=approve_edited"));
state("plan-edit-error", 422, by, async (page) => {
    await openOne(page, await ask(plans.plan()), "?choice=approve_edited");
    await page.locator("#o2").fill("second");
    await page.locator("#n1").fill("x".repeat(1001));
    await press(page, "Review changes");
}, { typed: 1001 });
state("plan-look", 200, by, async (page) => {
    await openOne(page, await ask(plans.plan()), "?choice=approve_edited");
    await page.locator("#k4").uncheck();
    await page.locator("#o3").fill("0.5");
    await page.locator("#n2").fill("After the 03:30 batch");
    await press(page, "Review changes");
});
state("plan-edited", 200, by, async (page) => {
    const asked = await ask(plans.plan());
    await respond(asked.suspension_id, { value: "approve_edited",
        constraints: { steps: [{ id: "copy" },
            { id: "backup", note: "Twice." }] } });
    await openOne(page, asked);
});
state("input-form", 200, by, async (page) =>
    openOne(page, await ask(plans.input())));
state("input-words", 200, by, async (page) => openOne(page,
    await ask(plans.input({ form: undefined, response_type: "text" }))));
state("credential", 200, by, async (page) =>
    openOne(page, await ask(plans.credential({ severity: "medium" },
        { expires: "2027-01-01", rights: { admin: false, on: ["shop"] } }))));
state("handoff", 200, by, async (page) =>
    openOne(page, await ask(plans.handoff({ severity: "medium" },
        { deadline: "2027-01-01" }))));
state("intent-handed-over", 200, by, async (page) => {
    const asked = await ask(plans.handoff());
    await respond(asked.suspension_id, { value: "accept" });
    await page.goto(`/intents/${asked.intent_id}`);
});

/* ---- too late ------------------------------------------------------- */

/* A page that hears no news: else it would say it before the answer does. */
async function deaf(page) {
    await page.route("**/*", (route) =>
        ["fetch", "eventsource"].includes(route.request().resourceType())
            ? null : route.continue());
}

state("stale-answered", 409, by, async (page) => {
    const asked = await ask(questions.short());
    const other = await openPage({ who: "other" });
    await deaf(page);
    await openOne(page, asked);
    await openOne(other, asked);
    await other.getByLabel("Comment").fill("Half is fair.");
    await press(other, "Request changes: Offer half");
    await closePage(other);
    await page.getByLabel("Comment").fill("Paid at once.");
    await press(page, "Approve: Refund 499.99 EUR");
});
state("stale-expired", 409, by, async (page) => {
    const asked = await ask(questions.form({ timeout_seconds: 3600 }));
    await deaf(page);
    await openOne(page, asked);
    endNow(asked);
    await press(page, "Send answers");
});

/* ---- lists ---------------------------------------------------------- */

state("inbox-full", 200, by, async (page) => {
    await clear();
    const severities = ["low", "medium", "high", "critical", undefined];
    for (let i = 0; i < 55; i += 1) {
        await ask(questions.choice({ severity: severities[i % 5],
            timeout_seconds: i % 4 ? 300 * (i + 1) : undefined }),
        i % 2 ? "refunds-agent" : "warehouse-and-shipping-agent");
    }
    await page.goto("/inbox");
    assert.equal(await page.locator("li.row").count(), 50);
}, last);
state("inbox-last", 200, by, async (page) => {
    await page.goto("/inbox");
    while (await page.getByRole("link", { name: "Older" }).count()) {
        await follow(page, "Older");
    }
    await page.getByRole("link", { name: "First page" }).waitFor();
}, last);
state("decided-full", 200, by, async (page) => {
    for (let i = 0; i < 52; i += 1) {
        const { suspension_id: id } = await ask(questions.choice({
            severity: i % 2 ? "high" : undefined }));
        await respond(id, i % 3 ? { value: "refund" } : { value: "deny",
            reason: "The photos show another parcel." });
    }
    /* The longest word for an end, and a form, which is a line of its fields. */
    const { suspension_id: less } = await ask(cards.cost());
    await respond(less, { value: "confirm", constraints: { limit: 1500 } });
    const { suspension_id: form } = await ask(plans.input());
    await respond(form, { value: { name: "Familie Aydin", code: "10178" } });
    await page.goto("/decided");
    assert.equal(await page.locator("li.row").count(), 50);
    const rows = await text(page);
    assert.match(rows, /Approved, edited/);
    assert.match(rows, /parcel: Familie Aydin, Postcode: 10178/);
    await follow(page, "Older");
    await page.getByRole("link", { name: "First page" }).waitFor();
    await page.goto("/decided");
}, last);

/* ---- one intent ----------------------------------------------------- */

/* With relations, two questions, a lease, a state and a posted event. */
async function rich() {
    const to = (path, status, body) =>
        api("agent", "POST", `/api/v1/intents${path}`, status, body);
    const parent = await to("", 201, { title: "Answer all complaints",
        description: "The whole of Monday.", state: { open: 3 } });
    const { intent_id: id, suspension_id } = await ask(questions.choice({
        severity: "high", intent: { title: "Handle the complaint",
            parent_intent_id: parent.id } }));
    await respond(suspension_id, { value: "refund" });
    await to(`/${id}/agents`, 200, { agent_id: "warehouse-agent" });
    await to(`/${id}/leases`, 201, { scope: "orders/12345",
        duration_seconds: 60 });
    await to(`/${id}/events`, 201, { event_type: "comment",
        payload: { text: "Two photos were read.", size: 120044 } });
    await ask({ ...questions.words(), intent_id: id, intent: undefined });
    return { id, parent };
}

state("intent-unverified", 200, by, async (page) =>
    page.goto(`/intents/${(await rich()).id}`));
state("intent-verified", 200, by, async (page) =>
    page.goto(`/intents/${(await rich()).id}?verify=1`));
state("intent-parent", 200, by, async (page) =>
    page.goto(`/intents/${(await rich()).parent.id}`));
state("intent-broken", 200, by, async (page) => {
    const { id } = await rich();
    sql(`ALTER TABLE event DISABLE TRIGGER ALL;
         UPDATE event SET canonical = replace(canonical, 'photos', 'fotos')
          WHERE intent_id = '${id}';
         ALTER TABLE event ENABLE TRIGGER ALL`);
    await page.goto(`/intents/${id}?verify=1`);
    await page.getByText("The chain breaks at event").waitFor();
});

/* ---- hostile -------------------------------------------------------- */

const much = { heavy: true };

state("suspension-hostile", 200, by, async (page) =>
    openOne(page, await ask(questions.hostileChoice())), much);
state("suspension-hostile-form", 200, by, async (page) =>
    openOne(page, await ask(questions.hostileForm())), much);
state("inbox-hostile", 200, by, async (page) => {
    await ask(questions.hostileChoice());
    await ask(questions.hostileForm());
    await page.goto("/inbox");
}, { ...much, ...last });

/* ---- approvals, permissions, costs ---------------------------------- */

for (const kind of ["approval", "permission", "cost"]) {
    state(`kind-${kind}`, 200, by, async (page) =>
        openOne(page, await ask(cards[kind]())));
}
state("kind-approval-offers", 200, by, async (page) =>
    openOne(page, await ask(cards.flat({ severity: "medium" }))));
state("kind-approval-cannot", 200, { who: "auditor" }, async (page) =>
    openOne(page, await ask(cards.approval())));
for (const [name, kind, choice] of [["edit", "flat", "edit"],
    ["constrain", "flat", "constrain"], ["json", "approval", "edit"],
    ["seconds", "permission", "allow_for"],
    ["typed", "permission", "allow_once"], ["limit", "cost", "confirm"]]) {
    state(`amend-${name}`, 200, by, async (page) =>
        openOne(page, await ask(cards[kind](kind === "approval"
            ? { allow_edit: true } : {})), `?choice=${choice}`));
}
state("amend-errors", 422, by, async (page) => {
    await openOne(page, await ask(cards.cost()), "?choice=confirm");
    await page.getByLabel("Limit").fill("a lot");
    await press(page, "Review changes");
});
state("amend-difference", 200, by, async (page) => {
    await openOne(page, await ask(cards.flat({ severity: "high" })),
        "?choice=edit");
    await page.getByLabel(/^amount/).fill("120.50");
    await page.getByRole("textbox", { name: /^Consequence/ })
        .fill("Half of it. ".repeat(30));
    await press(page, "Review changes");
});
for (const kind of ["Approval", "Permission", "Cost"]) {
    state(`kind-hostile-${kind.toLowerCase()}`, 200, by, async (page) =>
        openOne(page, await ask(cards[`hostile${kind}`]())), much);
}
state("amend-hostile", 200, by, async (page) =>
    openOne(page, await ask(cards.hostileApproval()), "?choice=constrain"),
much);

test("every page of the route table was asked for", () => {
    const rows = pageRoutes();
    assert.ok(rows.length >= 9);
    for (const { method, pattern } of rows) {
        const path = pattern.replaceAll(/\{\w+\}/g, "[^/]+");
        const exact = new RegExp(`^${method} ${path}$`);
        assert.ok([...visited].some((one) => exact.test(one)),
            `${method} ${pattern}`);
    }
}, "last");
