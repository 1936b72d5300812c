/* How people are told of new requests outside of a page. */
import assert from "node:assert/strict";

import { people, press, text, withPage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import { by, full, listens, PAGE, turnedOn } from "./notices_page.mjs";
import * as questions from "./questions.mjs";
import { ask, cancel, server, sql } from "./server.mjs";

test("notifications are asked for by a button alone, and can be turned off",
    async () => {
        await withPage(full, async (page) => {
            await listens(page);
            await turnedOn(page);
            await page.goto(PAGE);
            assert.equal(await page.evaluate("asked"), 0);
            await page.getByLabel("Risk").selectOption("4");
            await page.reload();
            assert.equal(await page.getByLabel("Risk").inputValue(), "4");
            await look(page, "notifications");
            await page.getByRole("button", { name: "Turn off" }).click();
            await page.getByText("Notifications are off").waitFor();
            assert.equal(await page.evaluate(() =>
                localStorage.getItem("notify")), null);
        });
        await withPage(full, async (page) => {
            await listens(page, { granted: false });
            await page.goto(PAGE);
            await page.getByText("Notifications are off").waitFor();
            await page.evaluate(() => Object.defineProperty(
                Notification, "permission", { get: () => "denied" }));
            await page.getByRole("button", { name: "Turn on" }).click();
            await page.getByText("This browser blocks notifications").waitFor();
            assert.ok(!await page.getByRole("button", { name: "Turn on" })
                .isVisible());
        });
        await withPage({ ...by, scripts: false }, async (page) => {
            await page.goto(PAGE);
            assert.match(await text(page), /Notifications need a script/);
            assert.ok(!await page.locator("#browser").isVisible());
        });
    });

test("mail is chosen on the page, in the time zone of the browser", () =>
    withPage({ who: "other" }, async (page) => {
        await page.goto(PAGE);
        const zone = page.getByLabel("Time zone");
        const own = await page.evaluate(() =>
            Intl.DateTimeFormat().resolvedOptions().timeZone);
        assert.equal(await zone.inputValue(), own);
        assert.ok(await page.locator("#zones option").count() > 300);
        await page.getByRole("combobox", { name: /^Mail/ }).selectOption("24");
        await zone.fill("Asia/Kolkata");
        await press(page, "Save");
        assert.match(await text(page), /Enter a time, as in 08:30/);
        await look(page, "notifications-errors");
        await page.getByLabel(/^Time of a daily digest/).fill("8:30");
        await page.getByLabel(/^Quiet from/).fill("19:00");
        await page.getByLabel(/^Quiet until/).fill("07:30");
        await press(page, "Save");
        assert.equal(await page.getByLabel(/^Time of a daily/).inputValue(),
            "08:30");
        assert.equal(await zone.inputValue(), "Asia/Kolkata");
        assert.match(await text(page), /No channel for mail may send to/);
        await page.getByRole("combobox", { name: /^Mail/ }).selectOption("off");
        await zone.fill("");
        await press(page, "Save");
        assert.equal(await page.getByRole("combobox", { name: /^Mail/ }).inputValue(), "off");
    }));

test("a request says who else has it open", () =>
    withPage(by, async (page) => {
        const asked = await ask(questions.confirm());
        const path = `/suspensions/${asked.suspension_id}`;
        await page.clock.install();
        await page.goto(path);
        const said = page.locator(".looking");
        assert.equal(await said.innerText(), "");
        const before = await page.locator(".strip").boundingBox();
        await withPage({ who: "other" }, async (other) => {
            await other.goto(path);
            assert.equal(await other.locator(".looking").innerText(),
                "Demo Operator is looking at this");
            await look(other, "looking");
        });
        await page.clock.runFor(21000);
        await page.getByText(`${people.other.name} is looking at this`)
            .waitFor();
        assert.deepEqual(await page.locator(".strip").boundingBox(), before);
        await cancel(asked.suspension_id, "Seen.");
    }));

/* A push service is on the internet: the browser's own is not asked here. */
async function subscribes(page) {
    await page.context().addInitScript(() => {
        PushManager.prototype.subscribe = async function (options) {
            window.subscribed = options;
            this.constructor.prototype.getSubscription = async () => ({
                endpoint: "https://push.example/one",
                unsubscribe: async () => true });
            return { endpoint: "https://push.example/one" };
        };
    });
}

test("an installed page says that a request waits, and keeps nothing", () =>
    withPage({ ...full, who: "admin" }, async (page) => {
        await page.goto("/settings/channels?do=new");
        await page.getByLabel("Web Push to installed pages").check();
        await page.getByRole("textbox", { name: /^Name/ }).fill("phones");
        await page.getByRole("textbox", { name: /^Address/ })
            .fill("ops@example.org");
        await page.getByRole("textbox", { name: /^Allowed recipients/ })
            .fill("@example.com");
        await page.getByLabel("Title only").check();
        await press(page, "Create channel");
        await listens(page);
        await subscribes(page);
        await page.goto(PAGE);
        const sent = page.waitForResponse((answer) =>
            answer.request().method() === "POST");
        await page.getByRole("button", { name: "Turn on" }).click();
        assert.equal((await sent).status(), 303);
        const { applicationServerKey, userVisibleOnly } =
            await page.evaluate("subscribed");
        assert.ok(userVisibleOnly && applicationServerKey.length === 87);
        assert.match(sql("SELECT address FROM person_push"),
            /push\.example\/one/);
        await look(page, "notifications-push");
        await page.evaluate("goAway(true)");
        const devtools = await page.context().newCDPSession(page);
        const ready = new Promise((done) => {
            devtools.on("ServiceWorker.workerRegistrationUpdated",
                ({ registrations: [one] }) => one && done(one.registrationId));
        });
        await devtools.send("ServiceWorker.enable");
        await devtools.send("ServiceWorker.deliverPushMessage", {
            origin: server.url, registrationId: await ready, data: "" });
        await page.waitForFunction(async () => {
            const worker = await navigator.serviceWorker.ready;
            const all = await worker.getNotifications();
            return all.some(({ body }) => body === "A request waits");
        });
        assert.deepEqual(await page.evaluate(() => caches.keys()), []);
        await page.evaluate("goAway(false)");
        const over = page.waitForResponse((answer) =>
            answer.request().method() === "POST");
        await page.getByRole("button", { name: "Turn off" }).click();
        assert.equal((await over).status(), 303);
        assert.equal(sql("SELECT count(*) FROM person_push").trim(), "0");
        sql("UPDATE endpoint SET removed_at = now() WHERE name = 'phones'");
    }), "last");
