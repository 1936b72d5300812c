/* The pages of a plan, an input, a credential and a handoff: seen whole,
 * answered in every way, and what stands there after the decision. */
import assert from "node:assert/strict";

import {
    follow, press, seeAnswered, shown, text, withPage, withSparePage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import {
    credential, first, handoff, input, plan, second,
} from "./plans_questions.mjs";
import { api, ask, respond, server, suspension } from "./server.mjs";

const by = { who: "operator" };

function both(name, run) {
    for (const scripts of [true, false]) {
        test(`${name}, scripts ${scripts ? "on" : "off"}`, () =>
            withSparePage({ ...by, scripts }, run));
    }
}

async function open(page, question, query = "") {
    const asked = await ask(question);
    await page.goto(`/suspensions/${asked.suspension_id}${query}`);
    assert.equal(shown(page).status(), 200);
    return asked.suspension_id;
}

async function pending(id) {
    assert.equal((await suspension(id)).state, "pending");
}

async function words(page, all, selector) {
    const whole = (await text(page, selector)).replace(/\s+/g, " ");
    for (const one of all) {
        assert.ok(whole.includes(one), `${one} in: ${whole}`);
    }
}

async function without(page, all) {
    const whole = await text(page);
    for (const one of all) {
        assert.ok(!whole.includes(one), one);
    }
}

/* The attributes of a link that leaves the page. */
async function leaves(page, name, href) {
    const link = page.getByRole("link", { name, exact: true }).first();
    assert.equal(await link.getAttribute("href"), href);
    assert.equal(await link.getAttribute("target"), "_blank");
    assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
}

/* ---- plans ---------------------------------------------------------- */

test("a plan shows its steps, scope, outputs, risk, cost and where it is",
    () => withSparePage(by, async (page) => {
        await open(page, plan({}, second));
        await words(page, ["5 steps", "Take a backup of orders",
            "41.2 million rows", "db.backup", "Medium", "unheard of",
            "Cluster orders-prod, table orders only", "A partitioned table",
            "Pages stand still for up to 2 s", "About 14 USD",
            "From refunds-agent", "Row counts job:4711",
            "Query timings metrics.example"]);
        await leaves(page, "Query timings", "https://metrics.example/q/77");
        await leaves(page, "https://plans.example/orders/2",
            "https://plans.example/orders/2");
        assert.equal(await page.getByRole("link", { name: "Row counts" })
            .count(), 0);
        await without(page, ["Change", "new", "Revision"]);
    }));

test("what a plan does not tell is unknown, never guessed", () =>
    withSparePage(by, async (page) => {
        await open(page, plan({ subject: { plan: {
            steps: [{ id: "a", title: "Only a title" }], scope: "One table",
            expected_outputs: [], risk_summary: "Low" } } }));
        const row = (await text(page, "li.step")).replace(/\s+/g, " ");
        assert.equal(row, "1 Only a title not provided not provided");
        await words(page, ["Cost not provided", "none"]);
    }));

/* The page's values with every fold closed, as rows of words. */
function values(page, row) {
    return page.locator("li.step:visible").nth(row).locator(".values tr")
        .allInnerTexts().then((all) => all.map((one) =>
            one.replace(/\s+/g, " ").trim()));
}

test("a step shows its arguments unfolded, and whose its note is", () =>
    withSparePage(by, async (page) => {
        await open(page, plan({}, [{ ...first[0], note: "Safe, trust me",
            args: { table: "orders", rows: [1, 2], live: true },
            command: "pg_dump orders", cost: "3 USD" }, first[1]]));
        assert.deepEqual(await values(page, 0), [
            "args.table orders text, 6", "args.rows[0] 1 integer",
            "args.rows[1] 2 integer", "args.live true boolean",
            "command pg_dump orders text, 14", "cost 3 USD text, 5"]);
        assert.deepEqual(await values(page, 1), []);
        await words(page, ["Agent's note: Safe, trust me"], ".steps");
        await follow(page, "Approve with changes: Edit the steps");
        await page.getByLabel("Note").nth(0).fill("Keep a week");
        await press(page, "Review changes");
        await words(page, ["Agent's note: Safe, trust me",
            "Operator's note: Keep a week", "1 note added, 1 same"],
        ".told");
    }));

test("a changed step shows what its arguments were", () =>
    withSparePage(by, async (page) => {
        const steps = (args) => [{ ...first[0], args }, first[1]];
        const old = await ask(plan({}, steps({ table: "orders", rows: 5 })));
        await respond(old.suspension_id, { value: "reject", reason: "No." });
        await open(page, plan({ supersedes: old.suspension_id },
            steps({ table: "customers", rows: 5, force: true })));
        assert.deepEqual(await values(page, 0), [
            "args.table orders customers changed, text, 9",
            "args.rows 5 integer", "args.force true added, boolean"]);
        assert.equal(await page.locator(".values del:visible").innerText(),
            "orders");
        await words(page, ["1 changed, 1 same"], ".steps");
    }));

for (const [button, value, outcome, reason] of [
    ["Approve", "approve", "authorized", ""],
    ["Reject", "reject", "vetoed", "No way back."],
    ["Request changes", "request_changes", "changes_requested", "Smaller."],
]) {
    both(`a plan can be answered with ${button}`, async (page) => {
        const id = await open(page, plan());
        if (reason) {
            await press(page, button);
            assert.equal(shown(page).status(), 422);
            await words(page, ["A comment is needed"]);
            await pending(id);
            await page.getByLabel("Comment").fill(reason);
        }
        await press(page, button);
        const got = await suspension(id);
        assert.equal(got.outcome, outcome);
        assert.equal(got.value, value);
        assert.equal(got.reason ?? "", reason);
        await words(page, ["Audit event", reason]);
    });
}

both("the steps of a plan are kept, dropped, moved and noted", async (page) => {
    const id = await open(page, plan());
    await follow(page, "Approve with changes: Edit the steps");
    await words(page, ["Nothing is sent yet", "Untick"]);
    await page.getByLabel("Drop orders_old").uncheck();
    await page.getByLabel("Position").nth(2).fill("0.5");
    await page.getByLabel("Note").nth(1).fill("After the 03:30 batch");
    await page.getByLabel("Comment").fill("The table stays.");
    await press(page, "Review changes");
    await pending(id);
    await words(page, ["3 steps", "Switch reads and writes", "was step 3",
        "Operator's note: After the 03:30 batch", "Drop orders_old",
        "removed"],
    ".told");
    await press(page, "Edit again");
    assert.equal(await page.getByLabel("Position").nth(2).inputValue(), "0.5");
    assert.equal(await page.getByLabel("Drop orders_old").isChecked(), false);
    await press(page, "Review changes");
    await press(page, "Approve with changes");
    const got = await suspension(id);
    assert.deepEqual(got.constraints.steps, [{ id: "switch" },
        { id: "backup" }, { id: "copy", note: "After the 03:30 batch" }]);
    assert.equal(got.outcome, "authorized");
    await words(page, ["Approved with changes", "Approved version",
        "Operator's note: After the 03:30 batch", "was step 3",
        "The table stays.",
        "The approved version differs from the request."]);
});

both("a mistake in a step stands at its field and keeps what was typed",
    async (page) => {
        const id = await open(page, plan(), "?choice=approve_edited");
        await page.getByLabel("Position").nth(1).fill("second");
        await page.getByLabel("Note").nth(0).fill("Keep this");
        await page.getByLabel("Drop orders_old").uncheck();
        await press(page, "Review changes");
        assert.equal(shown(page).status(), 422);
        await words(page, ["1 field needs a change",
            "Step 2: Enter the position as a number"]);
        const place = page.locator("#o2");
        assert.equal(await place.inputValue(), "second");
        assert.equal(await place.getAttribute("aria-invalid"), "true");
        assert.equal(await page.locator("#n1").inputValue(), "Keep this");
        assert.equal(await page.locator("#k4").isChecked(), false);
        await pending(id);
    });

test("a plan goes through the keyboard alone", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, plan(), "?choice=approve_edited");
        await page.locator("#k4").focus();
        await page.keyboard.press("Space");
        await page.keyboard.press("Tab");
        await page.keyboard.press("Tab");
        await page.keyboard.type("Not now");
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("Enter")]);
        await words(page, ["3 steps", "removed"], ".told");
        await pending(id);
    }));

/* surfaces 4.12, 9 */
test("a rejected plan keeps its reason; its revision shows what differs", () =>
    withSparePage(by, async (page) => {
        const old = await ask(plan());
        await respond(old.suspension_id, { value: "reject",
            reason: "No way back.\nRehearse it." });
        const id = await open(page, plan({ supersedes: old.suspension_id },
            second));
        await words(page, ["Revision 2", "Compared with Revision 1",
            "Revision 1: Rejected by", "No way back.", "Rehearse it.",
            "2 new, 1 changed, 1 removed, 2 same", "One transaction",
            "Batches of 50,000", "Drop orders_old", "was step 4"]);
        assert.equal(await page.locator(".step.changed del").last()
            .innerText(), "One transaction");
        await follow(page, "Open Revision 1");
        await words(page, ["Rejected", "Revision 1", "No way back."]);
        await page.getByText("Original request", { exact: true }).click();
        await words(page, ["Drop orders_old", "One transaction"]);
        const next = page.locator("dt", { hasText: "Replaced by" })
            .locator("xpath=../dd/a");
        assert.equal(await next.getAttribute("href"), `/suspensions/${id}`);
    }));

test("a revision that changes only its scope says so", () =>
    withSparePage(by, async (page) => {
        const old = await ask(plan());
        await respond(old.suspension_id, { value: "reject", reason: "No." });
        const revision = (facts) => plan({ supersedes: old.suspension_id },
            first, facts);
        await open(page, revision({ scope: "Every cluster", force: true }));
        await words(page, ["Other changes 2 differences",
            "plan.scope Cluster orders-prod, table orders only " +
            "Every cluster", "plan.force none true",
            "4 steps 4 same"]);
        await open(page, revision({ version: 7 }));
        await words(page, ["Other changes same as Revision 1",
            "4 steps 4 same"]);
    }));

test("on a phone the changed steps come first, the others are folded", () =>
    withSparePage({ ...by, width: 360 }, async (page) => {
        const old = await ask(plan());
        await respond(old.suspension_id, { value: "reject", reason: "No." });
        await open(page, plan({ supersedes: old.suspension_id }, second));
        const seen = page.locator(".steps li.step:visible strong");
        assert.deepEqual(await seen.allInnerTexts(), [
            "Rehearse the way back", "Copy the rows", "Tell the team",
            "Drop orders_old"]);
        await page.getByText("2 unchanged steps").click();
        assert.equal(await seen.count(), 6);
    }));

/* ---- inputs --------------------------------------------------------- */

both("an input is sent, with errors at its fields", async (page) => {
    const id = await open(page, input());
    await words(page, ["Which address is right?", "Decline"]);
    await page.getByLabel("Name on the parcel").fill("Familie Aydın");
    await page.getByLabel("Postcode").fill("1017");
    await press(page, "Send answers");
    assert.equal(shown(page).status(), 422);
    assert.equal(await page.getByLabel("Name on the parcel").inputValue(),
        "Familie Aydın");
    await pending(id);
    await page.getByLabel("Postcode").fill("10178");
    await press(page, "Send answers");
    const got = await suspension(id);
    assert.equal(got.outcome, "answered");
    assert.deepEqual(got.value, { name: "Familie Aydın", code: "10178" });
});

for (const [name, more] of [["a form", {}],
    ["words", { form: undefined, response_type: "text" }]]) {
    both(`declining ${name} is an answer, leaving is none`, async (page) => {
        const id = await open(page, input(more));
        await page.locator("form#answer :is(input, textarea):not([type])")
            .or(page.locator("form#answer input[type=text]")).first()
            .fill("typed and not sent");
        await page.goto("/inbox");
        await pending(id);
        await page.goto(`/suspensions/${id}`);
        await page.getByLabel("Comment").fill("Ask Tomas.");
        await press(page, "Decline");
        const got = await suspension(id);
        assert.equal(got.outcome, "declined");
        assert.equal(got.value, null);
        assert.equal(got.reason, "Ask Tomas.");
        await seeAnswered(page);
        await words(page, ["Declined", "Ask Tomas.", "continues without an answer"]);
    });
}

test("Enter in a field sends and never declines", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, input());
        await page.getByLabel("Name on the parcel").fill("Anna");
        await page.getByLabel("Postcode").fill("10178");
        await Promise.all([page.waitForEvent("load"),
            page.getByLabel("Postcode").press("Enter")]);
        assert.equal((await suspension(id)).outcome, "answered");
    }));

both("the options of an input are buttons, and so is the way out",
    async (page) => {
        const choices = [{ value: "a", label: "Hamburg" },
            { value: "b", label: "Linz" }];
        const id = await open(page, input({ form: undefined, choices }));
        await words(page, ["Hamburg", "Linz", "Decline"], ".strip");
        await press(page, "Answer: Linz");
        const got = await suspension(id);
        assert.equal(got.value, "b");
        assert.equal(got.outcome, "answered");
    });

/* ---- credentials ---------------------------------------------------- */

/* surfaces 4.12, 10 */
for (const [button, outcome] of [["Answer: I have set it up", "answered"],
    ["Decline: Not now", "declined"]]) {
    both(`a credential keeps draft and task context: ${button}`,
        async (page) => {
            const id = await open(page, credential());
            const asked = await suspension(id);
            const intent = `/api/v1/intents/${asked.intent_id}`;
            await words(page, ["GitHub, organisation kestrel",
                "App installation", "contents: write", "Not verified",
                "branch fix/postcode-1017", "Never paste a password"]);
            await leaves(page, `Go to ${new URL(server.url).host}`,
                `${server.url}/settings?for=release-agent`);
            assert.equal(await page.locator(".address strong").innerText(),
                new URL(server.url).host);
            assert.equal(await page.locator(
                "main input:not([type=hidden])").count(), 0);
            await pending(id);
            await press(page, button);
            assert.equal((await suspension(id)).outcome, outcome);
            assert.equal((await api("operator", "GET", intent, 200)).task_id,
                "task-1017");
            await page.getByText("Original request", { exact: true }).click();
            await words(page, ["branch fix/postcode-1017"]);
            assert.equal(await page.getByRole("link", { name: /^Go to/ })
                .count(), 0);
        });
}

test("opening where a credential is set up decides nothing", () =>
    withPage(by, async (page) => {
        const id = await open(page, credential());
        const link = page.getByRole("link", { name: /^Go to/ });
        const [other] = await Promise.all([
            page.context().waitForEvent("page"), link.click()]);
        await other.waitForLoadState();
        await other.close();
        await pending(id);
    }));

/* ---- handoffs ------------------------------------------------------- */

both("an accepted handoff changes the owner", async (page) => {
    const id = await open(page, handoff());
    await words(page, ["research-agent", "Legal", "38 claims compared",
        "Two claims need a legal reading", "2 artifacts",
        "Claim chart files.example", "Search log log:212",
        "Is a magnet a locking element?", "Evidence none"]);
    await leaves(page, "Claim chart", "https://files.example/claims");
    await press(page, "Accept");
    await words(page, ["Accepted", "handed the task over"]);
    const { intent_id: intent } = await suspension(id);
    await page.goto(`/intents/${intent}`);
    await words(page, ["since the handoff", server.env.SAYSO_OPERATOR_EMAIL],
        ".meta");
});

both("a handoff is declined with a reason, and the owner stays",
    async (page) => {
        const id = await open(page, handoff({ severity: "medium" },
            { evidence: [{ title: "A letter", ref: "https://x.example/" }] }));
        /* The button, the step that confirms it and the record say the same. */
        await words(page, ["The agent keeps the task."], ".rail");
        await follow(page, "Decline");
        await words(page, ["refunds-agent keeps the task."], ".rail");
        await press(page, "Decline");
        assert.equal(shown(page).status(), 422);
        await pending(id);
        await page.getByLabel("Comment").fill("Not ours.");
        await press(page, "Decline");
        await words(page, ["Declined", "refunds-agent keeps the task."]);
        await without(page, ["skips this", "without it"]);
        const got = await suspension(id);
        assert.equal(got.outcome, "declined");
        assert.equal(got.reason, "Not ours.");
        const intent = await api("operator", "GET",
            `/api/v1/intents/${got.intent_id}`, 200);
        assert.equal(intent.owner ?? null, null);
    });

/* ---- from one question to the next ---------------------------------- */

both("an open question leads to its neighbours", async (page) => {
    await ask(plan({ severity: "critical" }));
    const id = await open(page, plan({ severity: "critical" }));
    await ask(plan({ severity: "critical" }));
    await page.reload();
    await words(page, [" of "], ".place");
    await follow(page, "Previous");
    await follow(page, "Next");
    assert.ok(page.url().endsWith(id));
    await pending(id);
});

test("p and n lead to the neighbours, and rest in a field", () =>
    withSparePage(by, async (page) => {
        await ask(plan({ severity: "critical" }));
        const id = await open(page, plan({ severity: "critical" }),
            "?choice=reject");
        await page.getByLabel("Comment").fill("p");
        await page.keyboard.press("n");
        assert.equal(await page.getByLabel("Comment").inputValue(), "pn");
        await page.goto(`/suspensions/${id}`);
        const before = await page.locator("[rel=prev]").getAttribute("href");
        await Promise.all([page.waitForURL(`**${before}`),
            page.keyboard.press("p")]);
        await page.waitForLoadState();
        await Promise.all([page.waitForURL(`**/suspensions/${id}`),
            page.keyboard.press("n")]);
    }));
