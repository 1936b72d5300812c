/* Chromium, and a page that tells everything that went wrong on it. Knows how
 * to sign in; knows nothing of single questions. */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { chromium } from "playwright-core";

import { sayso, server, visited } from "./server.mjs";

export const patience = 30000; // ms that a page may take
let browser = null;
let whole = null; // a second one, once somebody wants it
const signedIn = new Map(); // who -> storage state

export const people = {
    operator: null,
    other: { email: "tomas@example.com", name: "Tomas Berg",
             role: "operator", password: "another correct horse" },
    admin: { email: "ines@example.com", name: "Ines Roth",
             role: "admin", password: "sets where things go" },
    auditor: { email: "ada@example.com", name: "Ada Auditor",
               role: "auditor", password: "reads and does not answer" },
    user: { email: "uma@example.com", name: "Uma User",
            role: "user", password: "starts tasks and decides them" },
};

/* A person of their own for a test that signs out or is locked out. */
export function makePerson({ email, name, role, password }) {
    sayso(["operator", "create", "--email", email, "--name", name,
        "--role", role, "--password-stdin"], password);
}

/* The shell draws the same pages without a browser around them, for two
 * thirds of the work. /usr/bin/chromium would add options of its own, and has
 * pages drawn by a graphics card that there is not. */
const programs = ["chromium-headless-shell", "chromium"].map((name) =>
    `/usr/lib/chromium/${name}`);

function launch(order) {
    return chromium.launch({
        executablePath: order.find(existsSync) ?? "/usr/bin/chromium",
        args: ["--headless", "--no-sandbox", "--disable-gpu",
            "--disable-quic", "--no-first-run",
            "--disable-background-networking", "--disable-component-update",
            "--disable-sync"],
        timeout: 30000,
    });
}

export async function startBrowser() {
    browser = await launch(programs);
    people.operator = {
        email: server.env.SAYSO_OPERATOR_EMAIL, name: "Demo Operator",
        role: "operator", password: server.env.SAYSO_OPERATOR_PASSWORD,
    };
    makePerson(people.other);
    makePerson(people.auditor);
    makePerson(people.admin);
    makePerson(people.user);
}

export async function stopBrowser() {
    await browser?.close();
    await (await whole)?.close();
}

/* ---- pages ---------------------------------------------------------- */

/* An answer that is not a 200 is told to the console too; that it was meant
 * is for the test to say. */
const meant = /the server responded with a status of 4\d\d/;

/* So is that a stream was cut, or refused to somebody who was signed out. */
const ended = /ERR_INCOMPLETE_CHUNKED_ENCODING|a status of (401|503)/;

function watch(page) {
    const trouble = [];
    page.trouble = trouble;
    page.documents = []; // answers that became the page, the newest last
    page.on("dialog", (dialog) => {
        trouble.push(`dialog: ${dialog.message()}`);
        dialog.dismiss().catch(() => {});
    });
    page.on("console", (message) => {
        if (message.type() !== "error" && message.type() !== "warning") {
            return;
        }
        const own = message.location().url.split("#")[0] ===
                    page.url().split("#")[0];
        const stream = message.location().url.endsWith("/inbox/stream");
        if (!(own && meant.test(message.text())) &&
            !(stream && ended.test(message.text()))) {
            trouble.push(`console: ${message.text()}`);
        }
    });
    page.on("pageerror", (error) => trouble.push(`script: ${error.message}`));
    page.on("request", (request) => {
        visited.add(
            `${request.method()} ${new URL(request.url()).pathname}`);
        if (new URL(request.url()).origin !== server.url) {
            trouble.push(`elsewhere: ${request.url()}`);
        }
    });
    page.on("response", (answer) => {
        const request = answer.request();
        if (request.resourceType() === "document" &&
            request.frame() === page.mainFrame() &&
            (answer.status() < 300 || answer.status() >= 400)) {
            page.documents.push(answer);
        }
        if (answer.status() >= 500) {
            trouble.push(`${answer.status()}: ${request.url()}`);
        }
    });
}

/* Nothing ran, nothing was blocked, nothing went elsewhere. */
export function calm(page) {
    assert.deepEqual(page.trouble, [], `on ${page.url()}`);
}

/* The answer that the page was made of. */
export function shown(page) {
    return page.documents.at(-1);
}

/* A page of another server, without a watch over it. */
export async function pageElsewhere(url, { width = 1280, height = 800,
    theme = "light", scale = 1 } = {}) {
    const context = await browser.newContext({ baseURL: url,
        colorScheme: theme, viewport: { width, height },
        deviceScaleFactor: scale });
    context.setDefaultTimeout(patience);
    return context.newPage();
}

const usual = { who: null, scripts: true, width: 1280, height: 720,
                theme: "light", full: false };

/* A page in a context of its own. who: a key of people, or null for nobody;
 * scripts: false to do without; full: in a whole browser, which the shell is
 * not: it lets nobody allow a notification. */
export async function openPage(options) {
    const { who, scripts, width, height, theme, full } =
        { ...usual, ...options };
    if (who && !signedIn.has(who)) {
        const first = await openPage();
        /* A test of wrong passwords may just have reached nginx's limit. */
        for (let n = 0; n < 10 && !first.url().endsWith("/inbox"); n++) {
            await first.waitForTimeout(n && 1000);
            await first.goto("/login");
            await signIn(first, people[who]);
        }
        await first.waitForURL("**/inbox");
        signedIn.set(who, await first.context().storageState());
        await closePage(first);
    }
    whole ??= full ? launch([...programs].reverse()) : null;
    const context = await (full ? await whole : browser).newContext({
        baseURL: server.url, javaScriptEnabled: scripts, colorScheme: theme,
        viewport: { width, height },
        storageState: who ? signedIn.get(who) : undefined,
    });
    context.setDefaultTimeout(patience);
    await context.addInitScript(() => {
        document.addEventListener("securitypolicyviolation", (event) => {
            console.error(`policy: ${event.violatedDirective} ` +
                          `${event.blockedURI} ${event.sample}`);
        });
    });
    const page = await context.newPage();
    watch(page);
    return page;
}

export async function closePage(page) {
    calm(page);
    await page.context().close();
}

/* Runs with a page and closes it, whatever happens. */
export async function withPage(options, use) {
    const page = await openPage(options);
    try {
        await use(page);
        calm(page);
    } finally {
        await page.context().close();
    }
}

/* ---- pages that are used again -------------------------------------- */

const spare = new Map(); // options -> pages that nobody has just now

/* Leaves it as a new one is: signed in as at first, nothing stored, nothing
 * told, on no page. */
async function cleared(page, { who, width, height, theme }) {
    await page.evaluate(() => {
        localStorage.clear();
        sessionStorage.clear();
    });
    await page.unrouteAll({ behavior: "ignoreErrors" });
    await page.mouse.move(0, 0);
    await page.goto("about:blank");
    const context = page.context();
    await context.clearCookies();
    await context.addCookies(who ? signedIn.get(who).cookies : []);
    await page.setViewportSize({ width, height });
    await page.emulateMedia({ colorScheme: theme });
    page.trouble.length = 0;
    page.documents.length = 0;
}

/* The same with a page that other tests had before: a new page is a new process,
 * to which every script is new. Not for a test that listens to the page, moves
 * its clock or opens another. After a test that failed a page is not used
 * again. */
export async function withSparePage(options, use) {
    const all = { ...usual, ...options };
    const kind = JSON.stringify(all);
    if (!spare.has(kind)) {
        spare.set(kind, []);
    }
    const page = spare.get(kind).pop() ?? await openPage(all);
    try {
        await use(page);
        calm(page);
        await cleared(page, all);
        spare.get(kind).push(page);
    } catch (problem) {
        await page.context().close();
        throw problem;
    }
}

export async function signIn(page, { email, password }) {
    if (!page.url().includes("/login")) {
        await page.goto("/login");
    }
    await page.getByLabel("E-mail").fill(email);
    await page.getByLabel("Password").fill(password);
    await press(page, "Sign in");
}

/* Until the page was drawn, and what is given the focus from the start has it:
 * a picture needs that, with scripts and without. */
export async function drawn(page) {
    await page.screenshot({ clip: { x: 0, y: 0, width: 1, height: 1 } });
}

export async function cookieOf(page) {
    const cookies = await page.context().cookies();
    return cookies.map(({ name, value }) => `${name}=${value}`).join("; ");
}

/* ---- what can be seen ----------------------------------------------- */

/* How many pixels the page is wider than the window. */
export function overflow(page) {
    return page.evaluate(() => {
        const root = document.documentElement;
        return Math.max(root.scrollWidth, document.body.scrollWidth) -
               root.clientWidth;
    });
}

export function text(page, selector = "main") {
    return page.locator(selector).innerText();
}

/* From wherever an answer led to the page of what was answered: who came from
 * a list is on the next page of it. */
export async function seeAnswered(page) {
    if (await page.locator("#answered").count()) {
        await follow(page, "View");
    }
}

/* Sends the form that a button belongs to and waits for what comes. */
export async function press(page, name) {
    await Promise.all([
        page.waitForEvent("load", { timeout: patience }),
        page.getByRole("button", { name, exact: true }).first().click(),
    ]);
}

export async function follow(page, name) {
    await Promise.all([
        page.waitForEvent("load", { timeout: patience }),
        page.getByRole("link", { name, exact: true }).first().click(),
    ]);
}
