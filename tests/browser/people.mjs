/* Signing in and out, the page after it, and the rights of an auditor. */
import assert from "node:assert/strict";

import {
    cookieOf, makePerson, openPage, people, press, shown, signIn, text,
    withPage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import * as questions from "./questions.mjs";
import { ask, raw, sayso, server, sql, suspension } from "./server.mjs";

function pathOf(page) {
    const { pathname, search } = new URL(page.url());
    return pathname + search;
}

/* Somebody whose sessions are nobody else's. */
function guest(name) {
    const person = { email: `${name}@example.com`, name: "A Guest",
        role: "operator", password: "a password of a guest" };
    makePerson(person);
    return person;
}

for (const scripts of [true, false]) {
    const how = scripts ? "with scripts" : "without scripts";
    test(`a wrong password keeps the e-mail, ${how}`, () =>
        withPage({ scripts }, async (page) => {
            const asked = await ask(questions.confirm());
            await page.goto(`/suspensions/${asked.suspension_id}`);
            assert.equal(pathOf(page), "/login?next=" +
                encodeURIComponent(`/suspensions/${asked.suspension_id}`));
            await signIn(page, { ...people.operator, password: "wrong" });
            assert.equal(shown(page).status(), 422);
            assert.match(await text(page), /Sign-in failed/);
            assert.equal(await page.getByLabel("E-mail").inputValue(),
                people.operator.email);
            assert.equal(await page.getByLabel("Password").inputValue(), "");
            await page.getByLabel("Password").fill(people.operator.password);
            await press(page, "Sign in");
            assert.equal(pathOf(page), `/suspensions/${asked.suspension_id}`);
            const cookies = await page.context().cookies();
            assert.ok(cookies.some(({ name }) => name === "sayso"));
            for (const { httpOnly, sameSite } of cookies) {
                assert.ok(httpOnly && sameSite === "Lax");
            }
        }));
}

test("an unknown e-mail and a wrong password are answered alike", () =>
    withPage({}, async (page) => {
        const told = [];
        for (const email of [people.operator.email, "nobody@example.com"]) {
            await page.goto("/login");
            await signIn(page, { email, password: "wrong" });
            told.push(await text(page));
        }
        assert.equal(told[0], told[1]);
    }));

test("what was typed as an e-mail is only text", () =>
    withPage({}, async (page) => {
        const email = `"><script>window.taken=1</script>@example.com`;
        await signIn(page, { email, password: "wrong" });
        assert.equal(await page.getByLabel("E-mail").inputValue(), email);
        assert.equal(await page.evaluate(() => window.taken), undefined);
        await signIn(page, { email: "x".repeat(300), password: "y" });
        assert.equal(shown(page).status(), 422);
        assert.match(await text(page), /too long/);
    }));

const strangers = ["//evil.example/", "https://evil.example/",
    "/\\evil.example", "\\\\evil.example", "/\t/evil.example",
    "javascript:alert(1)", "evil.example", "/%0d%0aSet-Cookie:a=b",
    "///evil.example", " /inbox", "/inbox\u0000", `/${"a".repeat(3000)}`];

/* The login form as it is served: its cookie and its token. */
async function loginForm() {
    const { headers, body } = await raw("/login", {
        headers: { Accept: "text/html" } });
    return {
        cookie: headers["set-cookie"][0].split(";")[0],
        csrf: /name="csrf" value="([^"]+)"/.exec(body.toString())[1],
    };
}

/* nginx limits the sign-ins of an address, and the browser has them all: those
 * of a form come from one of its own. */
const addresses = new Map();

function addressOf(cookie) {
    if (!addresses.has(cookie)) {
        addresses.set(cookie, `127.0.1.${1 + addresses.size % 250}`);
    }
    return addresses.get(cookie);
}

function sendLogin(cookie, fields) {
    const { email, password } = people.operator;
    return raw("/login", {
        method: "POST", localAddress: addressOf(cookie),
        body: new URLSearchParams({ email, password, ...fields }).toString(),
        headers: { Accept: "text/html", Cookie: cookie,
            "Content-Type": "application/x-www-form-urlencoded" },
    });
}

/* Where a sign-in with this wish leads, without a browser's help. */
async function led(next, session) {
    if (session) {
        return raw(`/login?next=${encodeURIComponent(next)}`, {
            headers: { Accept: "text/html", Cookie: session } });
    }
    const { cookie, csrf } = await loginForm();
    return sendLogin(cookie, { next, csrf });
}

test("signing in leads to our own pages alone", () =>
    withPage({ who: "operator" }, async (page) => {
        const cookie = await cookieOf(page);
        for (const next of strangers) {
            for (const { status, headers } of [await led(next),
                await led(next, cookie)]) {
                assert.ok(status === 303 || status === 400, next);
                assert.ok(status === 400 || headers.location === "/inbox" ||
                    /^\/%0d/.test(headers.location),
                `${next} led to ${headers.location}`);
            }
        }
        await page.context().clearCookies();
        for (const [next, to] of [["//evil.example/", "/inbox"],
            ["/\\evil.example", "/inbox"], ["/decided", "/decided"]]) {
            await page.goto(`/login?next=${encodeURIComponent(next)}`);
            await signIn(page, people.operator);
            assert.equal(page.url(), server.url + to);
            await page.context().clearCookies();
        }
    }));

test("a login form without its token signs nobody in", async () => {
    const { cookie, csrf } = await loginForm();
    const other = await loginForm();
    for (const { status, headers } of [await sendLogin(cookie, { csrf: "" }),
        await sendLogin(cookie, {}), await sendLogin("", { csrf }),
        await sendLogin(other.cookie, { csrf })]) {
        assert.equal(status, 403);
        assert.ok(!String(headers["set-cookie"]).includes("sayso="));
    }
    assert.equal((await sendLogin(cookie, { csrf })).status, 303);
});

test("every page behind the login leads to it and back", () =>
    withPage({}, async (page) => {
        const { suspension_id: id, intent_id: intent } =
            await ask(questions.confirm());
        for (const path of ["/", "/inbox", "/decided", `/suspensions/${id}`,
            `/intents/${intent}`]) {
            await page.goto(path);
            assert.equal(new URL(page.url()).pathname, "/login", path);
            await signIn(page, people.operator);
            assert.equal(pathOf(page), path === "/" ? "/inbox" : path);
            await page.context().clearCookies();
        }
    }));

for (const width of [1280, 360]) {
    test(`signing out ends the session, ${width} px`, () =>
        withPage({ width, scripts: false }, async (page) => {
            await signIn(page, guest(`leaver${width}`));
            const cookie = await cookieOf(page);
            await page.locator(".account > summary").click();
            await Promise.all([page.waitForURL("**/login"),
                page.getByRole("button", { name: "Sign out" })
                    .filter({ visible: true }).click()]);
            assert.ok(!(await cookieOf(page)).includes("sayso="));
            await page.goto("/inbox");
            assert.equal(pathOf(page), "/login");
            /* Nor is the cookie good any more for who kept it. */
            const { status } = await raw("/inbox", { headers: {
                Cookie: cookie, Accept: "text/html" } });
            assert.equal(status, 303);
        }));
}

for (const scripts of [true, false]) {
    test(`the account has a menu for the keyboard, scripts ${scripts}`, () =>
        withPage({ who: "operator", scripts }, async (page) => {
            await page.goto("/inbox");
            const menu = page.locator(".account > summary");
            await menu.focus();
            await page.keyboard.press("Enter");
            assert.match((await text(page, ".account .drop")).replace(/\s+/g,
                " "), new RegExp(`${people.operator.name} operator ` +
                "Notifications Profile and theme Shortcuts Sign out"));
            await page.keyboard.press("Tab");
            assert.equal(await page.evaluate(() =>
                document.activeElement.getAttribute("href")),
            "/settings/notifications");
            if (scripts) {
                await page.keyboard.press("Escape");
                assert.ok(!await page.locator(".account .drop").isVisible());
                assert.ok(await menu.evaluate((one) =>
                    one === document.activeElement));
                await page.keyboard.press("Space");
                await page.mouse.click(600, 400);
                assert.ok(!await page.locator(".account .drop").isVisible());
            }
        }));
}

test("a revoked session ends on the next step, and answers nothing", () =>
    withPage({}, async (page) => {
        const person = guest("revoked");
        const asked = await ask(questions.short());
        await signIn(page, person);
        await page.goto(`/suspensions/${asked.suspension_id}`);
        sayso(["operator", "disable", "--email", person.email]);
        await press(page, "Approve: Refund 499.99 EUR");
        assert.match(await text(page), /Your answer was NOT recorded/);
        await page.getByLabel("Password").waitFor();
        const stored = await suspension(asked.suspension_id);
        assert.equal(stored.state, "pending");
        await signIn(page, person);
        assert.equal(shown(page).status(), 422);
        sayso(["operator", "enable", "--email", person.email]);
        await signIn(page, person);
        assert.equal(pathOf(page), "/inbox");
    }));

test("guessing is slowed down, and a while later it is forgiven", async () => {
    const { email, password } = guest("guessed");
    const { cookie, csrf } = await loginForm();
    const of = "WHERE account_sha256 = encode(sha256(convert_to(" +
        `'${email}', 'UTF8')), 'hex')`;
    const failed = (ago, n) => sql("UPDATE sign_in_failure SET failures = " +
        `${n}, failed_at = now() - interval '${ago} s' ${of}`);
    await sendLogin(cookie, { csrf, email, password: "wrong" });
    assert.equal(sql(`SELECT failures FROM sign_in_failure ${of}`), "1");
    failed(0, 10);
    const right = () => sendLogin(cookie, { csrf, email, password });
    const soon = await right();
    assert.equal(soon.status, 429);
    assert.match(soon.body.toString(), /Too many failed attempts\. Wait \d+ sec/);
    failed(31, 10);
    assert.equal((await right()).status, 303);
});

/* ---- the auditor ---------------------------------------------------- */

test("an auditor sees all and answers nothing", async () => {
    const open = await Promise.all([questions.choice(),
        questions.choice({ severity: "high" }), questions.confirm(),
        questions.words(), questions.form()].map((one) => ask(one)));
    await withPage({ who: "auditor" }, async (page) => {
        for (const { suspension_id: id, intent_id } of open) {
            await page.goto(`/suspensions/${id}`);
            const words = await text(page);
            assert.match(words, /You can view this/);
            assert.match(words, /Any operator or admin can/);
            assert.equal(await page.locator("form#answer, .choose").count(),
                0);
            await page.goto(`/suspensions/${id}?choice=refund`);
            assert.equal(await page.locator("form#answer, .choose").count(),
                0);
            await page.goto(`/intents/${intent_id}?verify=1`);
            assert.match(await text(page), /intact/);
        }
        for (const list of ["/inbox", "/decided"]) {
            await page.goto(list);
            assert.ok(await page.locator("li.row").count() > 0);
        }
        await forced(page, open[0].suspension_id);
    });
});

/* The auditor makes the form that the page does not have. */
async function forced(page, id) {
    const csrf = await page.locator("[name=csrf]").first()
        .getAttribute("value");
    const operator = await openPage({ who: "operator" });
    await operator.goto(`/suspensions/${id}`);
    const seen = await operator.locator("[name=subject_sha256]")
        .getAttribute("value");
    await operator.context().close();
    const { status, body } = await raw(`/suspensions/${id}/respond`, {
        method: "POST",
        headers: { Cookie: await cookieOf(page), Accept: "text/html",
            "Content-Type": "application/x-www-form-urlencoded" },
        body: new URLSearchParams({ csrf, value: "refund",
            subject_sha256: seen, reason: "I say so" }).toString(),
    });
    assert.equal(status, 403);
    assert.match(body.toString(), /This is not allowed/);
    assert.equal((await suspension(id)).state, "pending");
}
