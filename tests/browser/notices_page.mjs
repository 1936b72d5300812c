/* A page that notifies, and what it has told. */
import assert from "node:assert/strict";

import { server } from "./server.mjs";

export const PAGE = "/settings/notifications";
export const by = { who: "operator" };
export const full = { ...by, full: true };

/* The page keeps its notifications in window.told, and can be told that it is
 * hidden: a headless browser shows neither. */
export async function listens(page, { granted = true } = {}) {
    if (granted) {
        await page.context().grantPermissions(["notifications"],
            { origin: server.url });
    }
    await page.context().addInitScript(() => {
        const Real = window.Notification;
        let away = false;
        window.told = [];
        window.asked = 0;
        window.Notification = class extends Real {
            constructor(title, options) {
                super(title, options);
                const one = { title, ...options, open: true };
                window.told.push(one);
                this.close = () => { one.open = false; super.close(); };
            }

            static requestPermission() {
                window.asked += 1;
                return Real.requestPermission();
            }
        };
        Object.defineProperty(document, "hidden", { get: () => away });
        window.goAway = (now) => {
            away = now;
            document.dispatchEvent(new Event("visibilitychange"));
        };
    });
}

/* Turned on there, on a page that listens and is hidden. */
export async function turnedOn(page, { least = "1", whose = "all" } = {}) {
    await page.goto(PAGE);
    await page.getByLabel("Risk").selectOption(least);
    await page.getByLabel("Requests", { exact: true }).selectOption(whose);
    assert.equal(await page.evaluate("asked"), 0);
    await page.getByRole("button", { name: "Turn on" }).click();
    await page.getByText("Notifications are on in this browser.").waitFor();
    assert.equal(await page.evaluate("asked"), 1);
    await Promise.all([page.waitForResponse("**/inbox/stream"),
        page.goto("/decided")]);
    await page.evaluate("goAway(true)");
}

export function told(page) {
    return page.evaluate("told");
}

export async function tells(page, n) {
    await page.waitForFunction((least) => window.told.length >= least, n,
        { timeout: 60000 });
    return told(page);
}
