/* Changes while a page is open: the page follows them, and moves nothing that
 * the reader is using. */
import assert from "node:assert/strict";

import {
    follow, makePerson, signIn, text, withPage,
} from "./browser.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import * as questions from "./questions.mjs";
import {
    api, ask, cancel, clear, holder, respond, server, sql,
} from "./server.mjs";

const by = { who: "operator" };

/* In an empty inbox: they count what is open. */
function alone(name, run) {
    test(name, async () => {
        await clear();
        await run();
    });
}

function row(page, asked) {
    return page.locator("li.row", {
        has: page.locator(`a[href="/suspensions/${asked.suspension_id}"]`) });
}

function news(page) {
    return page.locator("[data-live] .news");
}

async function counted(page) {
    return Number(/^\((\d+)\)/.exec(await page.title())?.[1] ?? 0);
}

/* The page listens, and has looked once. */
async function open(page, path = "/inbox") {
    const looked = page.waitForResponse((answer) =>
        answer.request().resourceType() === "fetch");
    await page.goto(path);
    await looked;
}

/* ---- the inbox ------------------------------------------------------ */

alone("a new question announces itself and moves nothing", async () => {
    const first = await ask(questions.confirm());
    await withPage(by, async (page) => {
        await open(page);
        const before = await counted(page);
        const here = row(page, first);
        await here.hover();
        const place = await here.boundingBox();
        const asked = await ask({ ...questions.choice(),
            severity: "critical" });
        await news(page).waitFor();
        assert.equal(await news(page).innerText(),
            "1 new, critical. Show");
        assert.equal(await counted(page), before + 1);
        const count = String(before + 1);
        assert.equal(await text(page, ".bar .count"), `${count} open`);
        assert.equal(await text(page, ".side [href='/inbox'] .n"),
            count);
        assert.match(await text(page, ".tools"), new RegExp(`^Inbox\\s+${count}\\s`));
        assert.equal(await row(page, asked).count(), 0);
        await ask(questions.confirm());
        await page.getByText("2 new, 1 critical. Show").waitFor();
        assert.deepEqual(await here.boundingBox(), place);
        await look(page, "inbox-news");
        await follow(page, "Show");
        await row(page, asked).waitFor();
        assert.equal(await news(page).count(), 0);
    });
});

function places(page) {
    return page.locator("li.row").evaluateAll((all) =>
        all.map((one) => one.getBoundingClientRect().toJSON()));
}

/* The news cover and move no row, and lead to the new ones: each is marked, and the first
 * has the focus, wherever the list has it. */
alone("new ones are shown where they are", async () => {
    const rows = [];
    for (let i = 0; i < 14; i += 1) {
        rows.push(await ask({ ...questions.confirm(), severity: "high" }));
    }
    for (const [width, n] of [[1280, 1], [768, 10], [360, 2]]) {
        await withPage({ ...by, width, height: 720 }, async (page) => {
            await open(page);
            const before = await places(page);
            const asked = [];
            for (let i = 0; i < n; i += 1) {
                asked.push(await ask({ ...questions.confirm(),
                    severity: "low" }));
            }
            await page.getByText(`${n} new. Show`).waitFor();
            const over = await news(page).boundingBox();
            const boxes = await places(page);
            assert.deepEqual(boxes, before);
            assert.deepEqual(boxes.filter(({ left, right, top, bottom }) =>
                left < over.x + over.width && right > over.x &&
                top < over.y + over.height && bottom > over.y), []);
            await follow(page, "Show");
            assert.equal(await page.locator("li.row.fresh").count(), n);
            for (const one of asked) {
                assert.match(await row(page, one).getAttribute("class"),
                    /\bfresh\b/);
            }
            const first = page.locator("li.row.fresh .title").first();
            assert.ok(await first.evaluate((one) =>
                one === document.activeElement));
            assert.match(await first.evaluate((one) => one.textContent),
                /^New\. /);
            const box = await first.boundingBox();
            assert.ok(box.y >= 0 && box.y + box.height <= 720,
                JSON.stringify(box));
            await page.reload();
            assert.equal(await page.locator("li.row.fresh").count(), 0);
            for (const one of asked) {
                await cancel(one.suspension_id, "Seen.");
            }
        });
    }
    for (const one of rows) {
        await cancel(one.suspension_id, "Seen.");
    }
});

alone("one that was answered before it was shown is not announced", () =>
    withPage(by, async (page) => {
        await open(page);
        const asked = await ask(questions.confirm());
        await page.getByText("1 new. Show").waitFor();
        await cancel(asked.suspension_id, "Not any more.");
        await news(page).waitFor({ state: "detached" });
    }));

alone("a decided one leaves when nobody points at the list", async () => {
    const [above, pointed, below] = [await ask(questions.confirm()),
        await ask(questions.confirm()), await ask(questions.confirm())];
    await withPage(by, async (page) => {
        await open(page);
        const before = await counted(page);
        await row(page, pointed).hover();
        const place = await row(page, pointed).boundingBox();
        await respond(above.suspension_id, { value: "yes" });
        await row(page, above).getByText("no longer open").waitFor();
        assert.equal(await counted(page), before - 1);
        assert.match(await page.locator(".menus").textContent(),
            /All\s+\d/);
        await page.waitForTimeout(700);
        assert.equal(await row(page, above).count(), 1);
        assert.deepEqual(await row(page, pointed).boundingBox(), place);
        await page.mouse.move(5, 5);
        await row(page, above).waitFor({ state: "detached" });
        assert.equal(await row(page, below).count(), 1);
        assert.equal(await news(page).count(), 0);
    });
});

/* The words of a group stay true, and so do those of its section. */
alone("a group says what is left of it", async () => {
    const asked = [];
    for (let i = 1; i < 5; i += 1) {
        asked.push(await ask({ kind: "approval", title: `Left ${i}`,
            question: "Shall it be paid?", severity: "low", subject: {
                action: { name: "pay" }, target: "X", scope_summary: "One",
                consequence: "None.", calls: [{ tool: "pay.out",
                    args: { amount: `${i}.50`, currency: "EUR" } }] } }));
    }
    await ask(questions.confirm());
    await withPage(by, async (page) => {
        await open(page);
        await page.mouse.move(5, 5);
        const said = () => text(page, ".list");
        assert.match(await said(), /Alike\s+4 in 1 group\s[^]*4 requests, all low[^]*12\.00 EUR[^]*Others\s+1\b/);
        await respond(asked[3].suspension_id, { value: "approve" });
        await page.getByText("3 requests, all low").waitFor();
        await page.getByRole("button", { name: "Review 3 in pay.out" })
            .waitFor();
        assert.match(await said(), /Alike\s+3 in 1 group\s[^]*3 requests, all low[^]*7\.50 EUR[^]*Others\s+1\b/);
        for (const one of asked.slice(0, 3)) {
            await respond(one.suspension_id, { value: "approve" });
        }
        await page.locator(".grouped").waitFor({ state: "detached" });
        assert.match(await said(), /^(?![^]*Alike)[^]*Others\s+1\b/);
    });
});

alone("a row that a keyboard is on stays until it has left", async () => {
    const asked = await ask(questions.confirm());
    await withPage(by, async (page) => {
        await open(page);
        await page.mouse.move(5, 5);
        await row(page, asked).locator(".title").focus();
        await respond(asked.suspension_id, { value: "no" });
        await row(page, asked).getByText("no longer open").waitFor();
        await page.waitForTimeout(700);
        assert.equal(await row(page, asked).count(), 1);
        await page.keyboard.press("Shift+Tab");
        await row(page, asked).waitFor({ state: "detached" });
    });
});

alone("the last one that leaves leaves an empty inbox", async () => {
    const asked = await ask(questions.confirm());
    await withPage(by, async (page) => {
        await open(page);
        assert.equal(await counted(page), 1);
        await page.mouse.move(5, 5);
        await respond(asked.suspension_id, { value: "yes" });
        await page.getByText("You are all caught up").waitFor();
        assert.equal(await page.title(), "Inbox - Sayso");
        assert.equal(await page.locator(".list").count(), 0);
        const next = await ask(questions.confirm());
        await page.getByText("1 new. Show").waitFor();
        await cancel(next.suspension_id, "Not any more.");
    });
});

alone("without scripts the page says of when it is", () =>
    withPage({ ...by, scripts: false }, async (page) => {
        await page.goto("/inbox");
        assert.match(await text(page, ".asof"),
            /^As of \d\d:\d\d:\d\d UTC\. Reload$/);
        const asked = await ask(questions.confirm());
        await page.waitForTimeout(2500);
        assert.equal(await row(page, asked).count(), 0);
        assert.equal(await news(page).count(), 0);
        await follow(page, "Reload");
        await row(page, asked).waitFor();
    }));

/* ---- all other pages ------------------------------------------------ */

alone("the counts follow on every page", async () => {
    const old = await ask(questions.confirm());
    await respond(old.suspension_id, { value: "yes" });
    const portfolio = await api("agent", "POST", "/api/v1/portfolios", 201,
        { name: "Counted" }, { "X-Agent-ID": "refunds-agent" });
    await withPage({ who: "admin" }, async (page) => {
        const all = ["/decided", "/settings/profile", "/settings/people",
            "/settings/deliveries", "/views", "/keys",
            `/intents/${old.intent_id}`, `/portfolios/${portfolio.id}`,
            `/suspensions/${old.suspension_id}`];
        for (const path of all) {
            const streams = page.waitForResponse("**/inbox/stream");
            await page.goto(path);
            await streams;
            const before = await counted(page), title = await page.title();
            const box = page.locator("main input:not([type=hidden])").first();
            const types = await box.isVisible().catch(() => false);
            if (types) {
                await box.fill("2026-11-20");
            }
            const asked = await ask(questions.confirm());
            await page.waitForFunction((n) =>
                document.title.startsWith(`(${n}) `), before + 1);
            const now = String(before + 1);
            assert.deepEqual([await text(page, ".bar .count"),
                await text(page, ".side [href='/inbox'] .n")],
            [`${now} open`, now], path);
            assert.equal((await page.title()).replace(/^\(.*?\) /, ""),
                title.replace(/^\(.*?\) /, ""), path);
            if (types) {
                assert.equal(await box.inputValue(), "2026-11-20", path);
                assert.ok(await box.evaluate((one) =>
                    one === document.activeElement));
            }
            await cancel(asked.suspension_id, "Counted.");
            await page.waitForFunction((n) => n
                ? document.title.startsWith(`(${n}) `)
                : !document.title.startsWith("("), before);
        }
    });
});

alone("the place of an open request follows too", async () => {
    const asked = await ask(questions.confirm());
    await withPage(by, async (page) => {
        await open(page, `/suspensions/${asked.suspension_id}`);
        assert.equal(await text(page, ".place .quiet"), "1 of 1");
        await ask(questions.confirm());
        await page.getByText(/^\d of 2$/).waitFor();
        assert.equal(await counted(page), 2);
        assert.equal(await text(page, ".bar .count"), "2 open");
    });
});

/* Beyond what is counted the number stands still, and the title tells. */
alone("a new one is told beyond what is counted", () =>
    withPage(by, async (page) => {
        const asked = [];
        while (asked.length < 201) {
            asked.push(...await Promise.all([...Array(67).keys()].map(() =>
                ask(questions.confirm()))));
        }
        await open(page);
        assert.match(await page.title(), /^\(200\+\) Inbox/);
        await ask({ ...questions.confirm(), severity: "critical" });
        await page.waitForFunction(() =>
            document.title.startsWith("(200+, 1 new) Inbox"));
        assert.match(await text(page, ".tools"), /200\+\s+open requests/);
        await page.goto("/decided");
        assert.match(await page.title(), /^\(200\+\) History/);
        await clear();
        await page.waitForFunction(() => document.title === "History - Sayso");
    }));

/* ---- one question --------------------------------------------------- */

alone("a question tells that somebody else decided it", async () => {
    const asked = await ask(questions.words());
    await withPage(by, async (page) => {
        await open(page, `/suspensions/${asked.suspension_id}`);
        const field = page.getByRole("textbox");
        await field.fill("Half a sentence");
        await page.waitForTimeout(1000);
        assert.equal(await news(page).count(), 0);
        await respond(asked.suspension_id, { value: "Another's words" });
        const over = page.locator(".strip.ended");
        await over.waitFor();
        assert.match(await over.innerText(), new RegExp("answered .*Your " +
            "input here was not sent\\.\\s+Half a sentence\\s+" +
            "View$", "s"));
        assert.equal(await field.count(), 0);
        assert.ok(await over.evaluate((one) =>
            document.activeElement === one));
        await look(page, "suspension-news");
        await follow(page, "View");
        assert.match(await text(page), /Another's words/);
    });
});

alone("an answer of one's own is no news", async () => {
    const asked = await ask(questions.confirm());
    await withPage(by, async (page) => {
        await open(page, `/suspensions/${asked.suspension_id}`);
        await Promise.all([page.waitForEvent("load"),
            page.getByRole("button", { name: "Yes" }).click()]);
        assert.match(await text(page), /You approved this/);
        await page.waitForTimeout(1600);
        assert.equal(await news(page).count(), 0);
    });
});

/* ---- the stream ----------------------------------------------------- */

/* The streams that pages of one browser ask for. */
function streams(page) {
    const asked = [];
    page.on("request", (request) => {
        if (request.url().endsWith("/inbox/stream")) {
            asked.push(request);
        }
    });
    return asked;
}

alone("one page listens for all of a browser's", () =>
    withPage(by, async (page) => {
        const mine = streams(page);
        await Promise.all([page.waitForRequest("**/inbox/stream"),
            open(page)]);
        const other = await page.context().newPage();
        const others = streams(other);
        await open(other);
        assert.deepEqual([mine.length, others.length], [1, 0]);
        const asked = await ask(questions.confirm());
        await news(page).waitFor();
        await news(other).waitFor({ timeout: 90000 });
        await Promise.all([other.waitForRequest("**/inbox/stream"),
            page.goto("/decided")]);
        await other.waitForTimeout(500);
        assert.deepEqual([mine.length, others.length], [1, 1]);
        await cancel(asked.suspension_id, "Not any more.");
        await news(other).waitFor({ state: "detached", timeout: 90000 });
    }));

alone("a page hears what came while its stream was broken", () =>
    withPage(by, async (page) => {
        await open(page);
        process.kill(holder(), "SIGKILL");
        const asked = await ask(questions.confirm());
        await news(page).waitFor({ timeout: 90000 });
        await cancel(asked.suspension_id, "Not any more.");
        await news(page).waitFor({ state: "detached", timeout: 90000 });
    }));

alone("a page of somebody who is signed out stops and says so", async () => {
    const person = { email: "leaver@example.com", name: "Lea Leaver",
                     role: "operator", password: "leaves in a moment" };
    makePerson(person);
    await withPage({}, async (page) => {
        const mine = streams(page);
        await Promise.all([page.waitForRequest("**/inbox/stream"),
            signIn(page, person)]);
        await page.waitForTimeout(2000);
        assert.equal(mine.length, 1);
        sql("UPDATE operator_session SET revoked_at = now() WHERE " +
            "principal_id = (SELECT id FROM principal WHERE email = " +
            `'${person.email}')`);
        await page.getByText("Your session has ended.").waitFor(
            { timeout: 90000 });
        const now = mine.length;
        await page.waitForTimeout(7000);
        assert.equal(mine.length, now);
        await follow(page, "Sign in");
        assert.equal(new URL(page.url()).pathname, "/login");
    });
});
