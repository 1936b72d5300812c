/* The way of an answer: the confirm state, the needed reason, an earlier answer
 * of another person, the end of the time, facts that changed; and that reading
 * decides nothing. */
import assert from "node:assert/strict";

import {
    closePage, cookieOf, drawn, follow, openPage, press, shown, text, withPage,
} from "./browser.mjs";
import { cost } from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import * as questions from "./questions.mjs";
import {
    ask, askExpired, cancel, endNow, raw, respond, server, suspension,
} from "./server.mjs";

const approve = "Approve: Refund 499.99 EUR";
const refuse = "Reject: Refuse the refund";
const half = "Request changes: Offer half";

async function open(page, asked) {
    await page.goto(`/suspensions/${asked.suspension_id}`);
    assert.equal(shown(page).status(), 200);
}

async function pending(asked) {
    assert.equal((await suspension(asked.suspension_id)).state, "pending");
}

async function sentForm(page) {
    return page.locator("form#answer").evaluate((form) =>
        new URLSearchParams(new FormData(form)).toString());
}

/* ---- two steps ------------------------------------------------------ */

for (const severity of ["medium", "high", "critical"]) {
    for (const scripts of [true, false]) {
        const how = `${severity}, scripts ${scripts ? "on" : "off"}`;
        test(`the first press only opens the confirm state: ${how}`, () =>
            withPage({ who: "operator", scripts }, (page) =>
                confirmed(page, severity)));
    }
}

/* Focus from the start is given when a page is drawn, not when it is loaded. */
async function focusedName(page) {
    await drawn(page);
    return page.evaluate(() => document.activeElement.name);
}

async function confirmed(page, severity) {
    const asked = await ask(questions.choice({ severity }));
    await open(page, asked);
    assert.equal(await page.locator("form#answer").count(), 0);
    await follow(page, approve);
    const words = await text(page, "form#answer");
    for (const one of [`${approve}\\?`, "Nothing is sent yet",
        "refunds-agent gets this answer", "You cannot change the answer",
        "The customer gets the money", "to the details [0-9a-f]{4}"]) {
        assert.match(words, new RegExp(one));
    }
    assert.equal(await focusedName(page),
        severity === "critical" ? "typed" : "value");
    await pending(asked);
    await follow(page, "Back");
    await pending(asked);
    await follow(page, approve);
    if (severity === "critical") {
        await press(page, approve);
        assert.equal(shown(page).status(), 422);
        assert.match(await text(page), /Type the value to confirm/);
        await pending(asked);
        await page.getByLabel("to confirm").fill("Approve");
    }
    await press(page, approve);
    assert.match(await text(page), /You approved this/);
    const stored = await suspension(asked.suspension_id);
    assert.equal(stored.value, "refund");
}

test("a low severity is answered in one step, an unsaid one in two", () =>
    withPage({ who: "operator" }, async (page) => {
        await open(page, await ask(questions.choice({ severity: "low" })));
        await press(page, half);
        assert.match(await text(page), /You asked for changes/);
        await open(page, await ask(questions.short()));
        await press(page, approve);
        assert.match(await text(page), /You approved this/);
        const asked = await ask(questions.short({ severity: undefined }));
        await open(page, asked);
        for (const one of [half, approve]) {
            await follow(page, one);
            await pending(asked);
            await follow(page, "Back");
        }
    }));

/* ---- looking -------------------------------------------------------- */

test("no link on any page decides anything, nor does any GET", () =>
    withPage({ who: "operator" }, async (page) => {
        const one = await ask(questions.choice({ severity: "high" }));
        const two = await ask(questions.confirm());
        const cookie = await cookieOf(page);
        const seen = new Set(["/", "/inbox", "/decided", "/login"]);
        for (const { suspension_id: id } of [one, two]) {
            seen.add(`/suspensions/${id}`);
            seen.add(`/suspensions/${id}/respond`);
            seen.add(`/suspensions/${id}/respond?value=yes`);
            seen.add(`/suspensions/${id}?value=yes`);
            seen.add(`/suspensions/${id}?choice=yes&confirm=1`);
        }
        /* A set is walked in the order of adding, with what is added. */
        for (const path of seen) {
            const got = await raw(path, { headers: {
                Cookie: cookie, Accept: "text/html" } });
            assert.ok(got.status < 500, path);
            const html = got.body.toString();
            for (const [, link] of html.matchAll(/<a [^>]*href="([^"#]+)/g)) {
                /* Another test's evidence may lie elsewhere. */
                assert.match(link, /^(\/[a-z]|https:\/\/\w+\.example\/)/,
                    path);
                if (seen.size < 150 && link.startsWith("/")) {
                    seen.add(link.replaceAll("&amp;", "&"));
                }
            }
        }
        assert.ok(seen.has(`/suspensions/${one.suspension_id}?choice=refund`));
        await pending(one);
        await pending(two);
    }));

/* ---- reasons -------------------------------------------------------- */

for (const severity of ["low", "high"]) {
    test(`a needed reason is asked for, severity ${severity}`, () =>
        withPage({ who: "operator" }, async (page) => {
            const asked = await ask(questions.choice({ severity }));
            await open(page, asked);
            if (severity === "high") {
                await follow(page, refuse);
            }
            await page.getByLabel("Comment").fill("   ");
            await press(page, refuse);
            assert.equal(shown(page).status(), 422);
            const box = page.getByLabel("Comment");
            assert.match(await text(page, "[role=alert]"),
                /A comment is needed/);
            assert.equal(await box.getAttribute("aria-invalid"), "true");
            assert.match(await text(page, ".field.bad"), /Enter a comment/);
            await pending(asked);
            await box.fill("x".repeat(4001));
            await press(page, refuse);
            assert.equal(shown(page).status(), 422);
            assert.equal((await box.inputValue()).length, 4001);
            await box.fill("The photos show\nanother <thing>.");
            await press(page, refuse);
            assert.match(await text(page), /You rejected this/);
            const stored = await suspension(asked.suspension_id);
            assert.equal(stored.reason.replaceAll("\r", ""),
                "The photos show\nanother <thing>.");
        }));
}

/* ---- too late ------------------------------------------------------- */

/* With scripts the page says it as soon as it happens: hold.mjs. */
const plain = { who: "operator", scripts: false };

test("of two operators the second sees who decided what and when", async () => {
    const asked = await ask(questions.short());
    await ask(questions.choice({ severity: "critical" }));
    const winner = await openPage({ who: "other" });
    await withPage(plain, async (loser) => {
        await open(winner, asked);
        await open(loser, asked);
        await winner.getByLabel("Comment").fill("Half is fair.");
        await press(winner, half);
        await loser.getByLabel("Comment").fill("Paid at once.");
        await press(loser, approve);
        assert.equal(shown(loser).status(), 409);
        const words = await text(loser);
        for (const one of ["tomas@example.com answered this",
            "before you", "Offer half", "Half is fair.", "in the browser",
            "Your answer", approve, "not recorded", "Paid at once.",
            "409, suspension.already_decided"]) {
            assert.ok(words.includes(one), `${one} in: ${words}`);
        }
        assert.match(words, /\d+ \w+ 20\d\d \d\d:\d\d:\d\d UTC/);
        await loser.getByRole("link", { name: "View task" }).waitFor();
        const way = loser.getByRole("link", { name: "Open", exact: true });
        assert.match(await way.getAttribute("href"), /^\/suspensions\//);
        await follow(loser, "View request");
        assert.match(await text(loser), /tomas@example.com asked for changes/);
    });
    await closePage(winner);
    const stored = await suspension(asked.suspension_id);
    assert.equal(stored.responded_by, "tomas@example.com");
});

test("the same form sent twice says that it was answered already", () =>
    withPage(plain, async (page) => {
        const asked = await ask(questions.short());
        const twin = await openPage(plain);
        await open(page, asked);
        await open(twin, asked);
        await press(page, approve);
        await press(twin, approve);
        assert.equal(shown(twin).status(), 409);
        assert.match(await text(twin), /You already answered this/);
        await closePage(twin);
    }));

test("a question that expired before the answer says so", () =>
    withPage(plain, async (page) => {
        const asked = await ask(questions.short({ timeout_seconds: 3600,
            fallback_policy: "fail", fallback_value: undefined }));
        await open(page, asked);
        endNow(asked);
        await press(page, approve);
        assert.equal(shown(page).status(), 409);
        const words = await text(page);
        assert.match(words, /The request expired/);
        assert.match(words, /suspension\.expired/);
        assert.match(words, /task was stopped/);
        const stored = await suspension(asked.suspension_id);
        assert.equal(stored.state, "expired");
        await open(page, asked);
        assert.match(await text(page), /The request expired on/);
    }));

test("a question whose time is over offers no answer", () =>
    withPage({ who: "operator" }, async (page) => {
        await open(page, await askExpired(questions.choice()));
        // Before the clock has come by, and after.
        assert.match(await text(page),
            /The deadline has passed|The request expired on/);
        assert.equal(await page.locator("form#answer, .choose").count(), 0);
    }));

test("a withdrawn question says who took it back", () =>
    withPage(plain, async (page) => {
        const asked = await ask(questions.short());
        await open(page, asked);
        await cancel(asked.suspension_id, "Solved by itself");
        await press(page, approve);
        assert.equal(shown(page).status(), 409);
        assert.match(await text(page), /refunds-agent withdrew this/);
        await open(page, asked);
        assert.match(await text(page), /withdrew the request/);
    }));

test("an answer via the API is shown with its door", () =>
    withPage({ who: "operator" }, async (page) => {
        const asked = await ask(questions.choice());
        await respond(asked.suspension_id, { value: "part" });
        await open(page, asked);
        assert.match(await text(page), /via the API/);
    }));

/* ---- what was seen -------------------------------------------------- */

test("facts other than those that were shown are not decided", () =>
    withPage({ who: "operator" }, async (page) => {
        const asked = await ask(questions.short());
        await open(page, asked);
        await page.getByLabel("Comment").fill("Read it.");
        await page.locator("form#answer [name=subject_sha256]").evaluate(
            (input) => { input.value = "0".repeat(64); });
        await press(page, approve);
        assert.equal(shown(page).status(), 409);
        assert.match(await text(page, "[role=alert]"),
            /The request has changed/);
        assert.equal(await page.getByLabel("Comment").inputValue(),
            "Read it.");
        await pending(asked);
        await press(page, approve);
        assert.match(await text(page), /You approved this/);
    }));

test("a step begins where something has to be written, else at its button", () =>
    withPage({ who: "operator" }, async (page) => {
        await open(page, await ask(questions.choice({ severity: "medium" })));
        await follow(page, refuse);
        assert.equal(await focusedName(page), "reason");
        await press(page, refuse);
        assert.equal(shown(page).status(), 422);
        assert.equal(await focusedName(page), "reason");
        await open(page, await ask(cost()));
        await follow(page, "Approve: Spend up to the limit");
        assert.equal(await focusedName(page), "value");
    }));

test("where the facts changed, Enter alone does not confirm", () =>
    withPage({ who: "operator" }, async (page) => {
        const asked = await ask(questions.choice({ severity: "high" }));
        await open(page, asked);
        await follow(page, approve);
        await page.locator("form#answer [name=subject_sha256]").evaluate(
            (input) => { input.value = "0".repeat(64); });
        await press(page, approve);
        assert.equal(shown(page).status(), 409);
        assert.equal(await focusedName(page), undefined);
        await pending(asked);
    }));

test("an answer that was not offered is refused", () =>
    withPage({ who: "operator" }, async (page) => {
        for (const severity of ["low", "high"]) {
            const asked = await ask(questions.choice({ severity }));
            await page.goto(
                `/suspensions/${asked.suspension_id}?choice=refund`);
            const form = page.locator("form#answer");
            await form.locator("button[name=value]").first().evaluate(
                (button) => { button.value = "everything"; });
            await Promise.all([page.waitForEvent("load"),
                form.locator("button[name=value]").first().click()]);
            assert.equal(shown(page).status(), 422);
            assert.match(await text(page), /Invalid answer/);
            await pending(asked);
        }
    }));

test("a form without its token, or of another site, decides nothing", () =>
    withPage({ who: "operator" }, async (page) => {
        const asked = await ask(questions.short());
        await open(page, asked);
        const whole = `${await sentForm(page)}&value=refund`;
        const send = (body, headers) => raw(
            `/suspensions/${asked.suspension_id}/respond`, {
                method: "POST", body, headers: {
                    "Content-Type": "application/x-www-form-urlencoded",
                    Cookie: cookie, ...headers } });
        const cookie = await cookieOf(page);
        const refused = [
            await send(whole.replace(/csrf=[^&]*/, "csrf=no")),
            await send(whole.replace(/csrf=[^&]*&/, "")),
            await send(whole, { Origin: "https://evil.example" }),
            await send(whole, { "Sec-Fetch-Site": "cross-site" }),
        ];
        for (const { status, body } of refused) {
            assert.equal(status, 403);
            assert.match(body.toString(), /^<!DOCTYPE html>/);
        }
        await pending(asked);
        const done = await send(whole, { Origin: server.url });
        assert.equal(done.status, 303);
    }));
