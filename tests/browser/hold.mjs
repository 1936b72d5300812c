/* Answers that a page holds back: an edit that goes beyond the question, a
 * question that another person has answered, a letter key while typing, and
 * another person's things. */
import assert from "node:assert/strict";

import {
    follow, makePerson, press, seeAnswered, shown, signIn, text, withPage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import * as questions from "./questions.mjs";
import { ask, endNow, respond, sql, suspension } from "./server.mjs";

const by = { who: "operator" };
const at = ({ suspension_id }) => `/suspensions/${suspension_id}`;

/* ---- A1: an edit beyond what was asked ------------------------------ */

const subject = {
    action: { name: "Refund", provider: "Payments" }, target: "KES-EU-1",
    scope_summary: "One refund", consequence: "Money leaves the account",
    reversible: false, constraints: { amount: 499.99 },
    calls: [{ tool: "payments.refund", args: { amount: 499.99,
        order: "KES-EU-1", note: "With a kind word" } }],
};

function refund(more = {}) {
    return { question: "May I refund it?", kind: "approval",
        title: questions.named("Refund 499.99 EUR"), severity: "low",
        allow_edit: true, subject, ...more };
}

async function retype(page, was, now) {
    for (const field of await page.locator(".edits input[type=text]").all()) {
        if (await field.inputValue() === was) {
            await field.fill(now);
            return;
        }
    }
    throw new Error(`no field says ${was}`);
}

for (const scripts of [true, false]) {
    const how = scripts ? "with scripts" : "without scripts";

    test(`A1: an edit beyond what was asked is marked, ${how}`, () =>
        withPage({ ...by, scripts }, async (page) => {
            const asked = await ask(refund());
            await page.goto(`${at(asked)}?choice=edit`);
            await retype(page, "499.99", "4999.99");
            await press(page, "Review changes");
            assert.match(await text(page),
                /1 change goes beyond the request/);
            assert.equal(await page.locator("tr.beyond.grave").count(), 1);
            assert.match(await text(page, ".confirm h2"),
                /amount 499.99 → 4,999.99/);
            if (scripts) {
                await look(page, "suspension-beyond");
            }
            await page.locator("form.confirm button[name=value]").click();
            await page.waitForLoadState();
            assert.equal((await suspension(asked.suspension_id)).state,
                "pending");
            await page.getByLabel("Comment").fill("They paid twice.");
            const typed = page.locator("#typed");
            if (await typed.count()) {
                await typed.fill("KES-EU-1");
            }
            await Promise.all([page.waitForEvent("load"),
                page.locator("form.confirm button[name=value]").click()]);
            assert.match(await text(page, "h1"),
                /^Approved with changes: amount 499.99 → 4,999.99$/);
            if (scripts) {
                await look(page, "answered-beyond");
            }
        }));
}

/* ---- A3: the session ended meanwhile --------------------------------- */

for (const scripts of [true, false]) {
    test(`A3: what was typed is there after signing in, ${scripts}`,
        async () => {
            const me = { email: `away${scripts}@example.com`, name: "Ava Away",
                role: "operator", password: "away from her desk" };
            makePerson(me);
            const asked = await ask(questions.choice({ severity: "medium" }));
            await withPage({ scripts }, async (page) => {
                await signIn(page, me);
                await page.goto(`${at(asked)}?choice=deny`);
                await page.getByLabel("Comment").fill("My own words");
                sql("UPDATE operator_session SET revoked_at = now() WHERE " +
                    "principal_id = (SELECT id FROM principal WHERE email = " +
                    `'${me.email}')`);
                const sure = page.locator("form.confirm button[name=value]");
                await Promise.all([page.waitForEvent("load"), sure.click()]);
                assert.match(await text(page), /Your answer was NOT recorded/);
                if (scripts) {
                    await look(page, "login-lost");
                }
                await page.getByLabel("E-mail").fill(me.email);
                await page.getByLabel("Password").fill(me.password);
                await press(page, "Sign in");
                assert.match(await text(page), /Your answer was NOT recorded/);
                for (const reload of [false, true]) {
                    if (reload) { // it sends nothing again
                        await page.reload();
                        assert.equal(shown(page).request().method(), "GET");
                    }
                    assert.equal(new URL(page.url()).pathname, at(asked));
                    assert.equal(await page.getByLabel("Comment")
                        .inputValue(), "My own words");
                }
                assert.equal((await suspension(asked.suspension_id)).state,
                    "pending");
                await Promise.all([page.waitForEvent("load"), sure.click()]);
                await seeAnswered(page);
                assert.match(await text(page), /You rejected this/);
            });
        });
}

/* ---- A4: it ended elsewhere ----------------------------------------- */

/* The page listens, and has looked once. */
async function open(page, path) {
    const looked = page.waitForResponse((answer) =>
        answer.request().resourceType() === "fetch");
    await page.goto(path);
    await looked;
}

async function isOver(page, words, told = words) {
    await page.locator(".strip.ended").waitFor();
    assert.match(await text(page, ".strip.ended"), words);
    assert.equal(await page.locator(
        "main :is(button[type=submit], .btn):enabled").count(), 0);
    assert.match(await text(page, "[data-live]"), told);
}

test("A4: an answer elsewhere takes the place of the buttons", async () => {
    const asked = await ask(questions.choice());
    await withPage(by, async (page) => {
        await open(page, at(asked));
        await page.getByLabel("Comment").fill("Half a sentence");
        await respond(asked.suspension_id, { value: "refund" });
        await isOver(page, /approved this.*was not sent\./s);
        assert.match(await text(page, ".strip.ended"), /Half a sentence/);
        assert.match(await text(page, ".chips"), /Approved/);
        await look(page, "suspension-over");
        await follow(page, "View");
    });
});

test("A4: an answer elsewhere ends the confirm step", async () => {
    const asked = await ask(questions.choice({ severity: "medium" }));
    await withPage(by, async (page) => {
        await open(page, `${at(asked)}?choice=refund`);
        await page.getByLabel("Comment").fill("My words");
        await page.locator("form.confirm [type=submit]").focus();
        await respond(asked.suspension_id, { value: "deny", reason: "No." });
        await isOver(page, /rejected this.*was not sent\./s);
        assert.match(await text(page, ".strip.ended"), /My words/);
        assert.ok(await page.locator(".ended").evaluate((one) =>
            document.activeElement === one));
        assert.ok(!/Nothing is sent yet/.test(await text(page)));
        await page.keyboard.press("a");
        await page.keyboard.press("a");
        assert.equal((await suspension(asked.suspension_id)).value, "deny");
    });
});

test("A4: the countdown ticks, and its end takes the buttons", async () => {
    const asked = await ask(questions.choice({ timeout_seconds: 20 }));
    await withPage(by, async (page) => {
        await open(page, at(asked));
        const left = page.locator("[data-rel=left]");
        const before = await left.innerText();
        await page.waitForFunction((was) => document.querySelector(
            "[data-rel=left]").textContent !== was, before);
        await isOver(page, /expired/i,
            /The deadline has passed|expired/);
    });
});

test("A4: an expiry elsewhere ends the confirm step", async () => {
    const asked = await ask(questions.choice({ severity: "medium" }));
    await withPage(by, async (page) => {
        await open(page, `${at(asked)}?choice=refund`);
        await endNow(asked);
        await isOver(page, /expired/);
    });
});

test("A4: without scripts the answer says it", async () => {
    const asked = await ask(questions.choice());
    await withPage({ ...by, scripts: false }, async (page) => {
        await page.goto(at(asked));
        await respond(asked.suspension_id, { value: "refund" });
        await Promise.all([page.waitForEvent("load"), page.locator(
            "#answer button[value=part]").click()]);
        assert.match(await text(page), /answered this .* before you/);
    });
});

/* ---- A8: a secret is shown until it is stored ------------------------ */

for (const scripts of [true, false]) {
    test(`A8: a new key survives a reload, ${scripts}`, () =>
        withPage({ who: "admin", scripts }, async (page) => {
            const label = questions.named("kept");
            await page.goto("/settings/keys?do=new");
            await page.getByLabel("Label").fill(label);
            await page.getByLabel(/^Operator/).check();
            await press(page, "Create key");
            const secret = await text(page, ".key code");
            assert.match(new URL(page.url()).pathname,
                /^\/settings\/secrets\//);
            await page.reload();
            assert.equal(await text(page, ".key code"), secret);
            assert.equal(sql("SELECT count(*) FROM api_key WHERE label = " +
                `'${label}'`), "1");
            if (scripts) {
                await look(page, "settings-secret");
            }
            const there = page.url();
            await press(page, "I have stored it");
            assert.equal(new URL(page.url()).pathname, "/settings/keys");
            await page.goto(there);
            assert.match(await text(page), /no longer shown/);
        }));
}

/* ---- A7: what is another's ------------------------------------------ */

for (const scripts of [true, false]) {
    test(`A7: disabling somebody asks first, ${scripts}`, () =>
        withPage({ who: "admin", scripts }, async (page) => {
            const one = { email: `asked${scripts}@example.com`,
                name: "Ada Asked", role: "operator",
                password: "a password of hers" };
            makePerson(one);
            const id = sql("SELECT id FROM principal WHERE email = " +
                `'${one.email}'`);
            const disabled = () => sql("SELECT disabled_at IS NOT NULL " +
                `FROM principal WHERE id = '${id}'`);
            await page.goto(`/settings/people/${id}`);
            await follow(page, "Disable account");
            assert.match(await text(page), /Nothing is changed yet/);
            assert.equal(disabled(), "f");
            await follow(page, "Back");
            await follow(page, "Disable account");
            await press(page, "Disable the account");
            assert.equal(disabled(), "t");
        }));
}

/* ---- A9: a letter is pressed twice ---------------------------------- */

async function state(asked) {
    const now = await suspension(asked.suspension_id);
    return now.state === "pending" ? "pending" : now.value;
}

async function pressTwice(page, key) {
    await page.keyboard.press(key);
    await Promise.all([page.waitForEvent("load"), page.keyboard.press(key)]);
}

test("A9: a letter answers at its second press", () =>
    withPage(by, async (page) => {
        const asked = await ask(questions.short());
        await page.goto(at(asked));
        assert.match(await text(page, ".strip"), /You cannot change the answer\./);
        await page.keyboard.press("a");
        const note = page.locator(".armed-note[role=status]");
        assert.match(await note.innerText(), /^Press a again to answer: /);
        assert.equal(await page.locator(".btn.armed").count(), 1);
        await look(page, "suspension-armed");
        assert.equal(await state(asked), "pending");
        await page.keyboard.press("a");
        await page.waitForLoadState();
        await page.locator("[data-summary]").waitFor();
        assert.equal(await state(asked), "refund");
    }));

test("A9: another key, Escape or a click stops it", () =>
    withPage(by, async (page) => {
        const asked = await ask(questions.short());
        await page.goto(at(asked));
        const url = page.url();
        for (const stop of [() => page.keyboard.press("Escape"),
            () => page.keyboard.press("j"), () => page.mouse.click(5, 400)]) {
            await page.waitForTimeout(800);
            await page.keyboard.press("a");
            assert.equal(await page.locator(".btn.armed").count(), 1);
            await stop();
            assert.equal(await page.locator(".btn.armed").count(), 0);
            assert.equal(await text(page, ".armed-note"), "");
        }
        await page.waitForTimeout(300);
        assert.equal(page.url(), url);
        assert.equal(await state(asked), "pending");
    }));

test("A9: a word that is typed outside of the box answers nothing", () =>
    withPage(by, async (page) => {
        const asked = await ask(questions.short());
        await page.goto(at(asked));
        await page.getByLabel("Comment").fill("they");
        await page.getByLabel("Comment").blur();
        const url = page.url();
        await page.keyboard.type("saw it, agree, all 112 as agreed: aa 22");
        await page.waitForTimeout(500);
        assert.equal(page.url(), url);
        assert.equal(await state(asked), "pending");
        await page.getByLabel("Comment").blur();
        await page.keyboard.type("not now");
        await page.waitForTimeout(500);
        assert.equal(page.url(), url);
        assert.match(await page.getByLabel("Comment").inputValue(),
            /they.*ot now$/);
    }));

test("A9: a click answers at once, with and without scripts", async () => {
    for (const scripts of [true, false]) {
        await withPage({ ...by, scripts }, async (page) => {
            const asked = await ask(questions.short());
            await page.goto(at(asked));
            await Promise.all([page.waitForEvent("load"), page.locator(
                "#answer button[value=refund]").click()]);
            assert.equal(await state(asked), "refund");
        });
    }
});

test("A9: who says so answers by a single key", async () => {
    const me = { email: "single@example.com", name: "Sina Single",
        role: "operator", password: "a single key will do" };
    makePerson(me);
    await withPage({}, async (page) => {
        await signIn(page, me);
        await page.waitForURL("**/inbox");
        const first = await ask(questions.short());
        await page.goto(at(first));
        await pressTwice(page, "a");
        assert.equal(await state(first), "refund");
        await page.goto("/settings/profile");
        await page.getByLabel(/^Single key/).check();
        await press(page, "Save");
        const second = await ask(questions.short());
        await page.goto(at(second));
        await Promise.all([page.waitForEvent("load"),
            page.keyboard.press("a")]);
        assert.equal(await state(second), "refund");
    });
});
