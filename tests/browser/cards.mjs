/* The pages of an approval, a permission and a cost confirmation: all of it
 * is seen, answered in every way, and allowed less or otherwise only after
 * the difference was shown. */
import assert from "node:assert/strict";

import {
    drawn, follow, press, shown, text, withSparePage,
} from "./browser.mjs";
import {
    approval, cost, flat, hostileApproval, hostileCost, hostilePermission,
    permission,
} from "./cards_questions.mjs";
import { holds } from "./hostile.mjs";
import { test } from "./lanes.mjs";
import { credential, handoff, input, plan } from "./plans_questions.mjs";
import { ask, suspension } from "./server.mjs";

const by = { who: "operator" };
const ways = [{ ...by, scripts: true }, { ...by, scripts: false }];
/* A changed approval is confirmed under the server's word alone. */
const changed = "Approve with changes";

async function open(page, question, query = "") {
    const asked = await ask(question);
    await page.goto(`/suspensions/${asked.suspension_id}${query}`);
    assert.equal(shown(page).status(), 200);
    return asked.suspension_id;
}

async function pending(id) {
    assert.equal((await suspension(id)).state, "pending");
}

function both(name, run) {
    for (const options of ways) {
        test(`${name}, scripts ${options.scripts ? "on" : "off"}`, () =>
            withSparePage(options, run));
    }
}

/* A grave permission wants its target from the keyboard. */
async function typeWhatIsAllowed(page) {
    const field = page.locator("#typed");
    if (await field.count()) {
        await field.fill(await page.locator("label[for=typed] code")
            .innerText());
    }
}

/* Asks, presses first (and confirms, where it takes two steps), and gives what
 * is stored. */
async function decide(page, question, first, reason,
    two = question.severity !== "low") {
    const id = await open(page, question);
    // At low risk it is a button, also where the server asks once more.
    await (question.severity === "low" ? press : follow)(page, first);
    if (reason) {
        await page.getByLabel("Comment").fill(reason);
    }
    if (two) {
        await pending(id);
        await typeWhatIsAllowed(page);
        await press(page, first);
    }
    assert.equal(shown(page).status(), 200);
    return suspension(id);
}

async function words(page, all, selector) {
    const whole = await text(page, selector);
    for (const one of all) {
        assert.ok(whole.includes(one), `${one} in: ${whole}`);
    }
}

/* ---- what is shown -------------------------------------------------- */

test("an approval shows every call with every value", () =>
    withSparePage(by, async (page) => {
        await open(page, approval());
        await words(page, ["One decision for all 2 calls",
            "payments.refund_create", "KES-EU-1", "499.99",
            "Visa ending 4417", "U+200B", "1 hidden character shown",
            "orders.set_status", "Show 870 characters",
            "Payment account KES-EU-1"]);
        await words(page, ["Consequence",
            "From the agent"]);
        await words(page, ["Reversible\nYes",
            "Scope\nOne customer, one order",
            "Once the bank has it, the money is gone."], ".claims");
        await words(page, ["From refunds-agent"], ".quote");
        const raw = page.locator("summary", { hasText: "Raw JSON" });
        await raw.click();
        await words(page, ["\"tool\":\"payments.refund_create\""], ".raw");
    }));

test("what an approval does not tell is unknown, what it tells besides is " +
     "shown", () => withSparePage(by, async (page) => {
    await open(page, approval({ severity: "low", subject: {
        calls: undefined, reversible: undefined, consequence: undefined,
        safe_input: { fields: { to: "all customers" }, omitted_count: 3 },
        ritual: { animal: "goat" } } }));
    await words(page, ["Reversible\nnot provided",
        "Consequence\nnot provided"], ".claims");
    await words(page, ["The agent reports that it left out 3 values",
        "all customers",
        "Additional data", "ritual.animal", "goat"]);
}));

/* Not for those who may not read the page of an agent. */
test("the agent's name leads to what it asked on the same target", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, approval());
        await follow(page, "refunds-agent");
        assert.equal(shown(page).status(), 200);
        assert.equal(new URL(page.url()).search,
            `?name=refunds-agent&question=${id}`);
        await words(page, ["refunds-agent", "Payment account KES-EU-1"]);
        await withSparePage({ who: "user" }, async (other) => {
            await other.goto(`/suspensions/${id}`);
            assert.equal(await other.locator(".by a").count(), 0);
        });
    }));

/* None of them is folded at first: a yes in one step has shown them. */
both("of two hundred values those are found that matter", async (page) => {
    const args = Object.fromEntries(Array.from({ length: 200 }, (_, i) =>
        [`argument_${i}`, i === 150 ? "The NEEDLE" : i]));
    const id = await open(page, approval({ severity: "low", subject: {
        calls: [{ tool: "import", args }] } }));
    const visible = () => page.locator(".call .args > div")
        .filter({ visible: true }).count();
    const box = page.locator(".call .sift input");
    const others = page.locator(".call .others > summary");
    assert.equal(await visible(), 200);
    assert.equal(await text(page, ".call .others > summary"),
        "188 more values");
    await others.click();
    assert.equal(await visible(), 12);
    if (await box.isVisible()) {
        await box.fill("needle");
        assert.equal(await visible(), 1);
        assert.equal(await text(page, ".call .sift [role=status]"),
            "1 of 200 values");
        await box.fill("argument_19");
        assert.equal(await visible(), 11);
        await box.fill("");
        assert.equal(await visible(), 200);
        assert.equal(await page.evaluate(() =>
            document.activeElement.type), "search");
        await page.keyboard.type("a"); // a letter, and no answer
        await pending(id);
    }
    await press(page, "Approve");
    assert.equal((await suspension(id)).outcome, "authorized");
});

test("a permission shows its facts with labels", () =>
    withSparePage(by, async (page) => {
        await open(page, permission());
        await words(page, ["Permission", "mail.send", "Target",
            "support@kestrel.example", "Duration",
            "for this task, at most 1 hour", "Risk",
            "cannot be called back", "Consequence", "412 customers",
            "Current access", "draft only", "Requested access",
            "draft and send"]);
    }));

test("a cost confirmation shows estimate, limit and what is spent", () =>
    withSparePage(by, async (page) => {
        await open(page, cost());
        await words(page, ["Low", "1,240", "Likely", "1,480", "High",
            "1,900", "312.4 USD", "1,800 USD", "Below the high estimate",
            "Build the product index again"]);
        await open(page, cost({ subject: { spent_so_far: undefined,
            estimate: { amount: 7, unit: "USD" } } }));
        await words(page, ["not provided", "Covers the estimate."]);
        assert.equal(await page.locator("svg.cost").count(), 1);
    }));

/* ---- answered in every way ------------------------------------------ */

both("an approval is approved and rejected", async (page) => {
    const whole = { calls: approval().subject.calls.slice(0, 1) };
    for (const [question, two] of [
        [approval({ severity: "low", subject: whole }), false],
        [approval({ severity: "low" }), true], // a letter of it is folded
        [approval({ severity: "high" }), true]]) {
        const yes = await decide(page, question, "Approve", "", two);
        assert.equal(yes.outcome, "authorized");
        assert.equal(yes.constraints ?? null, null);
        assert.match(await text(page), /You approved this/);
    }
    const no = await decide(page, approval(), "Reject", "Ask for photos.");
    assert.equal(no.outcome, "vetoed");
    assert.equal(no.reason, "Ask for photos.");
});

test("a grave approval is not rejected without a reason", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, approval(), "?choice=reject");
        await press(page, "Reject");
        assert.equal(shown(page).status(), 422);
        await pending(id);
    }));

both("a permission is given once, for a time, and denied", async (page) => {
    const once = await decide(page, permission(), "Approve: Allow once");
    assert.equal(once.outcome, "authorized");
    assert.match(await text(page), /Approved once/);
    assert.doesNotMatch(await text(page), /with changes/);
    const whole = await decide(page, permission(),
        "Approve with changes: Allow temporarily");
    assert.deepEqual(whole.constraints, { seconds: 3600 });
    const no = await decide(page, permission(), "Reject", "Not tonight.");
    assert.equal(no.outcome, "vetoed");
});

both("a cost is confirmed, cancelled, and its task stopped", async (page) => {
    for (const severity of ["low", "medium"]) {
        const yes = await decide(page, cost({ severity }),
            "Approve: Spend up to the limit");
        assert.equal(yes.outcome, "authorized");
        assert.equal(yes.constraints ?? null, null);
    }
    const no = await decide(page, cost(), "Reject: Do not spend");
    assert.equal(no.outcome, "vetoed");
    await decide(page, cost(), "Stop the task");
    assert.match(await text(page), /The task was stopped/);
});

/* ---- less ----------------------------------------------------------- */

both("a shorter time is shown before it counts", async (page) => {
    const id = await open(page, permission({ severity: "low" }));
    await follow(page, "Approve with changes: Allow temporarily");
    await page.getByLabel("Duration").fill("30");
    await page.getByLabel("Unit").selectOption("minutes");
    await press(page, "Approve with changes: Allow temporarily");
    await words(page, ["changed", "1 hour", "30 minutes"], ".diff");
    await pending(id);
    await press(page, changed);
    const stored = await suspension(id);
    assert.deepEqual(stored.constraints, { seconds: 1800 });
    assert.equal(stored.outcome, "authorized");
});

both("a longer time is refused at its field", async (page) => {
    const id = await open(page, permission(), "?choice=allow_for");
    await page.getByLabel("Duration").fill("2");
    await page.getByLabel("Comment").fill("Two is fine.");
    await press(page, "Approve with changes: Allow temporarily");
    assert.equal(shown(page).status(), 422);
    await words(page, ["You can only reduce"], ".field.bad");
    assert.equal(await page.getByLabel("Duration").inputValue(), "2");
    assert.equal(await page.getByLabel("Comment").inputValue(),
        "Two is fine.");
    await page.locator("[role=alert] a").first().click();
    await page.waitForURL(/#f1$/);
    await pending(id);
    for (const wrong of ["", "0", "-1", "1.5", "an hour", "9".repeat(30)]) {
        await page.getByLabel("Duration").fill(wrong);
        await press(page, "Review changes");
        assert.equal(shown(page).status(), 422, wrong);
    }
    await pending(id);
});

both("a lower limit is shown before it counts", async (page) => {
    const id = await open(page, cost({ severity: "low" }));
    await follow(page, "Lower the limit");
    assert.equal(await page.getByLabel("Limit").inputValue(), "1800");
    await page.getByLabel("Limit").fill("1500.50");
    await press(page, "Review changes");
    await words(page, ["1,800 USD", "1,500.50 USD"], ".diff");
    await press(page, "Edit again");
    assert.equal(await page.getByLabel("Limit").inputValue(), "1500.50");
    await page.getByLabel("Limit").fill("1801");
    await press(page, "Review changes");
    assert.equal(shown(page).status(), 422);
    await page.getByLabel("Limit").fill("1500.50");
    await press(page, "Approve: Spend up to the limit");
    await pending(id);
    await press(page, changed);
    const stored = await suspension(id);
    assert.deepEqual(stored.constraints, { limit: 1500.5 });
});

both("limits are tightened, never widened", async (page) => {
    const id = await open(page, flat());
    await page.locator(".changes > summary").click();
    await follow(page, "Approve with changes: Lower the limits");
    await press(page, "Review changes");
    assert.equal(shown(page).status(), 422);
    await words(page, ["You made no changes"], "[role=alert]");
    await page.getByLabel("max_amount").fill("501");
    await press(page, "Review changes");
    assert.equal(shown(page).status(), 422);
    await page.getByLabel("max_amount").fill("200");
    await page.getByRole("checkbox", { name: "AT" }).uncheck();
    await press(page, "Review changes");
    assert.equal(shown(page).status(), 200);
    await words(page, ["max_amount", "500", "200", "countries"], ".diff");
    await pending(id);
    await press(page, changed);
    const stored = await suspension(id);
    assert.deepEqual(stored.constraints, { max_amount: 200,
        countries: ["DE", "CH"], currency: "EUR" });
});

/* ---- otherwise ------------------------------------------------------ */

both("an edit shows its difference, and only that is approved",
    async (page) => {
        const id = await open(page, flat());
        await page.locator(".changes > summary").click();
        await follow(page, "Approve with changes: Edit the values");
        await words(page, ["499.9"], ".edit:has([value='499.9']) .was");
        assert.ok(await page.locator(".told .edit").count() > 4);
        await press(page, "Review changes");
        assert.equal(shown(page).status(), 422);
        await page.getByLabel(/^amount/).fill("120.50");
        await page.getByLabel(/^notify/).selectOption("false");
        await press(page, "Review changes");
        await words(page, ["amount", "499.9", "120.50", "notify", "true",
            "false"], ".diff");
        assert.equal(await page.locator(".diff tbody tr").count(), 2);
        await pending(id);
        await press(page, changed); // a switch: not without a comment
        assert.equal(shown(page).status(), 422);
        await pending(id);
        await page.getByLabel("Comment").fill("They are not told.");
        await press(page, changed);
        const { approved_subject: now, subject } = await suspension(id);
        assert.deepEqual(now, { ...subject, amount: 120.5,
            notify: false });
    });

test("what is too deep for fields is edited as JSON", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, approval({ allow_edit: true,
            subject: { coupon: null } }), "?choice=edit");
        const box = page.getByLabel("Details as JSON");
        const whole = JSON.parse(await box.inputValue());
        await box.fill("{\"action\": ");
        await press(page, "Review changes");
        assert.equal(shown(page).status(), 422);
        await words(page, ["This is not JSON", "line 1"], ".field.bad");
        assert.equal(await box.inputValue(), "{\"action\": ");
        await box.fill(JSON.stringify({ ...whole, target: "" }));
        await press(page, "Review changes");
        assert.equal(shown(page).status(), 422);
        whole.calls[0].args.amount = 100;
        delete whole.calls[1].args.letter;
        await box.fill(JSON.stringify({ ...whole, added: "x" }));
        await press(page, "Review changes");
        assert.equal(shown(page).status(), 200);
        await words(page, ["calls[0].args.amount", "499.99", "100",
            "removed", "calls[1].args.letter", "added"], ".diff");
        await pending(id);
        await press(page, changed); // a member more: not without a comment
        assert.equal(shown(page).status(), 422);
        await pending(id);
        await page.getByLabel("Comment").fill("A hundred will do.");
        await press(page, changed);
        assert.match(await text(page), /You approved this/);
    }));

test("what was changed behind a shown difference is shown again", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, cost(), "?choice=confirm");
        await page.getByLabel("Limit").fill("900");
        await press(page, "Review changes");
        await page.locator("form#answer [name=f1]").evaluate((one) => {
            one.value = "1700";
        });
        await press(page, changed);
        await words(page, ["1,700 USD"], ".diff");
        await pending(id);
    }));

test("facts that changed meanwhile are not decided, and what was typed " +
     "stays", () => withSparePage(by, async (page) => {
    const id = await open(page, cost(), "?choice=confirm");
    await page.getByLabel("Limit").fill("900");
    await page.locator("[name=subject_sha256]").evaluate((one) => {
        one.value = "0".repeat(64);
    });
    await press(page, "Review changes");
    assert.equal(shown(page).status(), 409);
    assert.equal(await page.getByLabel("Limit").inputValue(), "900");
    await pending(id);
}));

/* The reader of a long page keeps the answers in sight, where all of them fit. */
test("the answers stay in sight, and are reached before the facts", () =>
    withSparePage({ ...by, width: 1280, height: 720 }, async (page) => {
        await open(page, approval({ severity: "low", context }));
        const top = () => page.locator(".rail").evaluate((one) =>
            one.getBoundingClientRect().top);
        await page.evaluate(() => window.scrollTo(0, 900));
        assert.equal(await top(), 16);
        await page.setViewportSize({ width: 1280, height: 320 });
        await page.waitForFunction(() =>
            !document.querySelector(".rail.fits"));
        await page.evaluate(() => window.scrollTo(0, 900));
        assert.ok(await top() < -200);
        assert.ok(await page.evaluate(() => {
            const all = [...document.querySelectorAll("main a, main button, " +
                "main textarea, main summary")];
            const last = all.findLastIndex((one) => one.closest(".rail"));
            const first = all.findIndex((one) => one.closest(".told"));
            return last >= 0 && last < first;
        }));
    }));

/* ---- the strip ------------------------------------------------------ */

/* Enough facts for a page that is longer than a window. */
const context = Object.fromEntries(Array.from({ length: 90 }, (_, i) =>
    [`key ${i}`, `A value of some letters, ${i}`]));
const options = Array.from({ length: 9 }, (_, i) => ({
    value: `v${i}`, label: `Ship from warehouse ${i}` }));

async function inFirstScreen(page) {
    await page.setViewportSize({ width: 1280, height: 720 });
    await page.evaluate(() => window.scrollTo(0, 0));
    const box = await page.locator(".strip .btn").filter({ visible: true })
        .last().boundingBox();
    assert.ok(box.y > 0 && box.y + box.height < 720, JSON.stringify(box));
}

/* At the end of the page; of a 740 pixels high phone. A bar that rests comes
 * when the browser has seen that the form is out of sight. */
async function atTheBottom(page, selector) {
    await page.setViewportSize({ width: 360, height: 740 });
    await page.evaluate(() => window.scrollTo(0, 1e6));
    await page.locator(selector).waitFor();
    const bar = await page.locator(selector).boundingBox();
    assert.ok(Math.abs(bar.y + bar.height - 740) < 2, JSON.stringify(bar));
    return bar;
}

test("each is decided without scrolling, and a phone keeps the strip", () =>
    withSparePage(by, async (page) => {
        for (const question of [approval({ allow_edit: true, subject: {
            constraints: { max: 5 } } }), permission(), cost(), plan(),
        credential(), handoff(),
        input({ form: undefined, choices: options.slice(0, 3) }),
        input({ form: undefined, choices: options })]) {
            await open(page, { ...question, context });
            await inFirstScreen(page);
            const bar = await atTheBottom(page, ".dock, .jump");
            assert.ok(bar.height <= 66, JSON.stringify(bar));
        }
    }));

/* The row has the main answer and the no; its link shows all of them. */
both("a phone's row leads to every answer", async (page) => {
    await page.setViewportSize({ width: 360, height: 740 });
    await open(page, approval({ severity: "low" }));
    const visible = () => page.locator(".dock .btn")
        .filter({ visible: true }).allInnerTexts();
    const row = await visible();
    assert.deepEqual(row.slice(1), ["Reject", "\u2026"]);
    assert.match(row[0], /^Approve/);
    assert.equal(await page.getByLabel("Comment").isVisible(), false);
    await page.evaluate(() => window.scrollTo(0, 200));
    await page.getByRole("link", { name: "All answers" }).click();
    assert.deepEqual(await visible(), [...row.slice(0, 2), "Close"]);
    assert.equal(await page.getByLabel("Comment").isVisible(), true);
    await page.getByRole("link", { name: "Close" }).click();
    assert.deepEqual(await visible(), row);
    assert.equal(await page.evaluate(() => window.scrollY), 200);
    /* A zoomed window has no room for a row that stays. */
    await page.setViewportSize({ width: 360, height: 420 });
    assert.equal(await page.locator(".dock").evaluate((one) =>
        getComputedStyle(one).position), "static");
    assert.equal(await page.getByLabel("Comment").isVisible(), true);
});

/* Two answers may differ only at their end. */
test("a long answer is not cut on a phone", () =>
    withSparePage({ ...by, width: 360, height: 740 }, async (page) => {
        const label = "Delete the orders of the customer ".repeat(5);
        await open(page, { question: "Which?", severity: "low", context,
            choices: [
                { value: "a", label: `${label}, all of them` },
                { value: "b", label: `${label}, none of them` },
                { value: "c", label: "Neither" }] });
        await atTheBottom(page, ".jump");
        const cut = await page.locator(".choose .btn").evaluateAll((all) =>
            all.flatMap((one) => [one, one.querySelector("bdi")])
                .filter((one) => one.scrollHeight > one.clientHeight + 1 &&
                    getComputedStyle(one).overflowY !== "visible").length);
        assert.equal(cut, 0);
        const end = page.locator(".choose .btn", { hasText: "none of them" });
        await end.scrollIntoViewIfNeeded();
        const box = await end.boundingBox();
        assert.ok(box.y >= 0 && box.x + box.width <= 360);
    }));

test("a bar leads to more answers than fit in it on a phone", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, input({ form: undefined, context,
            choices: options }));
        await atTheBottom(page, ".jump");
        for (const one of await page.locator(".strip .btn").all()) {
            assert.ok((await one.boundingBox()).height >= 44);
        }
        await page.getByRole("link", { name: "Go to the answers" }).click();
        const box = await page.locator(".strip .btn").first().boundingBox();
        assert.ok(box.y >= 0 && box.y < 400, JSON.stringify(box));
        await press(page, "Answer: Ship from warehouse 8");
        assert.equal((await suspension(id)).value, "v8");
    }));

both("a bar leads to a form and to words on a phone", async (page) => {
    for (const [question, name, field] of [
        [input({ context }), "Go to form", "Name on the parcel"],
        [input({ form: undefined, response_type: "text", context }),
            "Go to your answer",
            "Your answer"]]) {
        await open(page, question);
        await inFirstScreen(page);
        assert.equal(await page.locator(".jump").isVisible(), false);
        const bar = await atTheBottom(page, ".jump");
        assert.ok(bar.height < 80);
        const link = page.locator(".jump").getByRole("link", { name });
        assert.ok((await link.boundingBox()).height >= 44);
        await link.click();
        const box = await page.getByLabel(field).boundingBox();
        assert.ok(box.y >= 0 && box.y + box.height < 740 - bar.height);
        await page.getByLabel(field).focus();
        assert.equal(await page.locator(".jump").isVisible(), false);
    }
});

test("the strip says why a reader may not decide, and who can", () =>
    withSparePage(by, async (page) => {
        await open(page, approval({ responder: { mode: "named",
            who: "tomas@example.com" } }));
        await words(page, ["You can view this", "for somebody else",
            "Only tomas@example.com can."], ".strip");
        assert.equal(await page.locator("form#answer").count(), 0);
    }));

test("nothing critical is decided by Enter alone", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, cost({ severity: "critical" }));
        await follow(page, "Approve: Spend up to the limit");
        await page.getByLabel("Limit").fill("1700");
        await Promise.all([page.waitForEvent("load"),
            page.getByLabel("Limit").press("Enter")]);
        await words(page, ["1,700 USD"], ".diff");
        await drawn(page);
        assert.equal(await page.evaluate(() =>
            document.activeElement.id), "typed");
        await pending(id);
        await press(page, "Edit again");
        await page.getByLabel("Limit").fill("1800");
        await Promise.all([page.waitForEvent("load"),
            page.getByLabel("Limit").press("Enter")]);
        await words(page, ["You made no changes"], "form#answer");
        await pending(id);
    }));

test("an edit is made with the keyboard alone", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, permission(), "?choice=allow_for");
        await page.getByLabel("Duration").focus();
        await page.keyboard.press("Control+A");
        await page.keyboard.type("20");
        await page.keyboard.press("Tab");
        await page.keyboard.type("min");
        await page.keyboard.press("Tab");
        await page.keyboard.type("support@kestrel.example");
        await page.keyboard.press("Tab");
        await page.keyboard.type("Enough for the letter.");
        for (let i = 0; i < 2; i += 1) {
            await page.keyboard.press("Tab");
        }
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("Enter")]);
        await words(page, ["20 minutes"], ".diff");
        await pending(id);
        await drawn(page);
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("Enter")]);
        const stored = await suspension(id);
        assert.deepEqual(stored.constraints, { seconds: 1200 });
        assert.equal(stored.reason, "Enough for the letter.");
    }));

/* ---- hostile -------------------------------------------------------- */

for (const [name, question, choice] of [
    ["an approval", hostileApproval, "edit"],
    ["limits", hostileApproval, "constrain"],
    ["a permission", hostilePermission, "allow_for"],
    ["a cost", hostileCost, "confirm"]]) {
    test(`a hostile agent cannot break the page of ${name}`, () =>
        withSparePage({ ...by, width: 360, height: 740 }, async (page) => {
            const id = await open(page, question());
            await page.evaluate(() => document.querySelectorAll("details")
                .forEach((one) => { one.open = true; }));
            await holds(page, name);
            await page.goto(`/suspensions/${id}?choice=${choice}`);
            await holds(page, `${name}, its inputs`);
            await pending(id);
        }));
}
