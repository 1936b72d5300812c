/* The way back: to the list as it was, with its ticks, from wherever one came. */
import assert from "node:assert/strict";

import { follow, press, text, withPage } from "./browser.mjs";
import { tabTo } from "./keys.mjs";
import { test } from "./lanes.mjs";
import * as questions from "./questions.mjs";
import { api, ask, cancel, respond } from "./server.mjs";

const ways = [true, false].map((scripts) => ({ who: "operator", scripts }));

function each(name, run) {
    for (const options of ways) {
        test(`${name}, scripts ${options.scripts ? "on" : "off"}`, () =>
            withPage(options, (page) => run(page, options.scripts)));
    }
}

/* Low ones that many can be decided with. */
async function some(word, n) {
    const asked = [];
    for (let i = 0; i < n; i += 1) {
        asked.push(await ask({ kind: "approval", title: `${word} ${i}`,
            question: "Shall it be done?", severity: "low", subject: {
                action: { name: "refund" }, target: `order ${word} ${i}`,
                scope_summary: "One order", consequence: "None." } }));
    }
    return asked;
}

function ticked(page) {
    return page.locator("li.row:has(:checked) .title").allInnerTexts();
}

/* ---- many at once --------------------------------------------------- */

each("who goes back from many finds them ticked", async (page, scripts) => {
    const word = `ticks${Date.now()}`;
    await some(word, 4);
    await page.goto(`/inbox?q=${word}&group=none`);
    for (const i of [1, 3]) {
        await page.getByLabel(`Select: ${word} ${i}`).check();
    }
    const before = await ticked(page);
    assert.equal(before.length, 2);
    const go = () => press(page, scripts ? "Approve 2" : "Approve");
    for (const back of [() => follow(page, "Back"),
        () => follow(page, "Inbox"), () => page.goBack()]) {
        await go();
        assert.match(await text(page), /Approve 2 requests\?/);
        await back();
        assert.equal(new URL(page.url()).searchParams.get("q"), word);
        assert.deepEqual(await ticked(page), before);
        if (scripts) {
            assert.match(await text(page, "#bulk"), /2 selected/);
            assert.ok(!page.url().includes("picked"));
        }
    }
    /* Another list begins without them. */
    const links = await page.locator(".menus a").evaluateAll((all) =>
        all.map((one) => one.getAttribute("href")));
    assert.deepEqual(links.filter((one) => one.includes("picked")), []);
    await go();
    await press(page, "Approve 2");
    assert.match(await text(page, "#answered"), /2 approved/);
    assert.equal((await ticked(page)).length, 0);
    assert.equal(await page.locator("li.row").count(), 2);
});

/* Whatever page a form has led to: its links leave it where it is, since to
 * come back to it would be to send the form again. */
each("a request is looked at beside the page of many", async (page,
    scripts) => {
    const word = `beside${Date.now()}`;
    await some(word, 2);
    await page.goto(`/inbox?q=${word}`);
    for (const i of [0, 1]) {
        await page.getByLabel(`Select: ${word} ${i}`).check();
    }
    async function opens() {
        const [other] = await Promise.all([
            page.context().waitForEvent("page"),
            page.getByRole("link", { name: `${word} 0`, exact: true })
                .first().click()]);
        await other.waitForLoadState();
        assert.match(other.url(), /\/suspensions\//);
        await other.close();
    }
    await press(page, scripts ? "Reject 2" : "Reject");
    await opens();
    await press(page, "Reject 2"); // not without a comment
    await opens();
    await page.getByLabel("Comment").fill("Not these.");
    await press(page, "Reject 2");
    assert.match(await text(page, "#answered"), /2 rejected/);
});

each("one is taken out of many", async (page, scripts) => {
    const word = `without${Date.now()}`;
    const asked = await some(word, 4);
    await page.goto(`/inbox?q=${word}&group=none`);
    for (const i of [0, 1, 2]) {
        await page.getByLabel(`Select: ${word} ${i}`).check();
    }
    await press(page, scripts ? "Approve 3" : "Approve");
    await page.getByLabel("Comment").fill("But one.");
    await press(page, `Leave out: ${word} 0`);
    assert.match(await text(page), /Approve 2 requests\?/);
    assert.equal(await page.getByLabel("Comment").inputValue(), "But one.");
    const next = page.getByRole("button", { name: `Leave out: ${word} 1` });
    assert.ok(await next.evaluate((one) => one === document.activeElement));
    await follow(page, "Back");
    assert.deepEqual(await ticked(page), [`${word} 1`, `${word} 2`]);
    await press(page, scripts ? "Approve 2" : "Approve");
    await press(page, "Approve 2");
    assert.match(await text(page, "#answered"), /2 approved/);
    assert.deepEqual(await page.locator("li.row .title").allInnerTexts(),
        [`${word} 0`, `${word} 3`]);
    await cancel(asked[0].suspension_id, "Seen.");
    await cancel(asked[3].suspension_id, "Seen.");
});

for (const [width, height] of [[360, 740], [768, 1024], [1280, 720]]) {
    test(`the answer to many comes after them, ${width} px`, () =>
        withPage({ who: "operator", width, height }, async (page) => {
            const word = `after${Date.now()}`;
            const asked = await some(word, 5);
            await page.goto(`/inbox?q=${word}&group=none`);
            for (let i = 0; i < 5; i += 1) {
                await page.getByLabel(`Select: ${word} ${i}`).check();
            }
            await press(page, "Approve 5");
            const { list, form, now, seen } = await page.evaluate(() => ({
                list: document.querySelector(".listed").getBoundingClientRect()
                    .toJSON(),
                form: document.querySelector(".confirm")
                    .getBoundingClientRect().toJSON(),
                now: document.activeElement.innerText,
                seen: document.querySelector("[data-ready]")
                    .getBoundingClientRect().bottom <= innerHeight,
            }));
            const wide = width >= 1000;
            assert.ok(wide ? form.left >= list.right : form.top >= list.bottom);
            assert.equal(now.startsWith("Approve 5"), seen, now);
            assert.equal(seen, width > 360);
            assert.equal(await page.evaluate(() => scrollY), 0);
            /* A title has its line to itself where that is wide enough. */
            const lines = await page.locator(".listed td a").evaluateAll(
                (all) => all.map((one) => one.getClientRects().length));
            assert.ok(width < 700 || lines.every((n) => n === 1), `${lines}`);
            await page.locator(".leave").last().focus();
            await tabTo(page, ({ id }) => id === "reason");
            const first = await tabTo(page, () => true);
            assert.equal(first.name, "Approve 5");
            for (const one of asked) {
                await cancel(one.suspension_id, "Seen.");
            }
        }));
}

/* ---- at the end of a list ------------------------------------------- */

test("n stops at the end of the list", () =>
    withPage({ who: "operator" }, async (page) => {
        const word = `ends${Date.now()}`;
        const high = await ask({ ...questions.confirm(), severity: "critical",
            title: `${word}x other` });
        await some(word, 3);
        await page.goto(`/inbox?risk=low&q=${word}&group=none`);
        assert.equal(await page.locator("li.row").count(), 3);
        await open(page, "li.row .title");
        for (const last of [false, false, true]) {
            const here = page.url();
            await page.keyboard.press("n");
            if (!last) {
                await page.waitForURL((url) => url.href !== here);
                continue;
            }
            const status = page.locator(".over, .back")
                .locator("[role=status]:not(.looking)").first();
            await status.getByText("End of this list").waitFor();
            const others = await text(page, ".bar .count");
            const n = parseInt(others, 10) - 1;
            assert.ok(n > 0);
            assert.equal(await status.innerText(), "End of this list: " +
                `${n}${others.includes("+") ? "+" : ""} ` +
                `other${n === 1 ? "" : "s"} open.`);
            await page.waitForTimeout(300);
            assert.equal(page.url(), here);
        }
        await cancel(high.suspension_id, "Seen.");
    }));

/* ---- from an answer to the next ------------------------------------- */

test("an answer leads to the next of its list, and says what it was", () =>
    withPage({ who: "operator" }, async (page) => {
        const word = `next${Date.now()}`;
        const high = await ask({ ...questions.confirm(), severity: "critical",
            title: `${word}x other` });
        const asked = await some(word, 4);
        const list = `/inbox?risk=low&q=${word}&group=none`;
        await page.goto(list);
        await open(page, "li.row .title");
        /* The third one is answered by somebody else meanwhile. */
        await respond(asked[2].suspension_id, { value: "approve" });
        for (const [i, next, place, said] of [
            [0, 1, "1 of 4", `Approved: ${word} 0 View 2 left in this list`],
            [1, 3, "1 of 3", `Approved: ${word} 1 View 1 left in this list`],
            [3, null, "2 of 2", "Done: 3 approved."]]) {
            assert.equal(new URL(page.url()).pathname,
                `/suspensions/${asked[i].suspension_id}`);
            assert.equal(new URL(page.url()).search, "");
            assert.equal(await page.locator(".place span").first()
                .innerText(), place);
            await page.keyboard.press("a");
            await Promise.all([page.waitForEvent("load"),
                page.keyboard.press("a")]);
            assert.equal((await text(page, "#answered")).replace(/\s+/g, " "),
                said);
            const h1 = page.locator("main h1");
            assert.ok(await h1.evaluate((one) =>
                one === document.activeElement));
            assert.equal(await h1.getAttribute("aria-describedby"),
                "answered");
            if (next) {
                assert.equal(await page.locator("#answered a").getAttribute(
                    "href"), `/suspensions/${asked[i].suspension_id}`);
                assert.equal(await h1.innerText(), `${word} ${next}`);
            }
        }
        assert.equal(new URL(page.url()).pathname +
            new URL(page.url()).search, list);
        assert.equal(await page.locator("li.row").count(), 0);
        await page.reload();
        assert.equal(await page.locator("#answered").count(), 0);
        await cancel(high.suspension_id, "Seen.");
    }));

/* The pages carry the list, through the step that confirms, and through a
 * mistake. */
test("an answer leads on without a script", () =>
    withPage({ who: "operator", scripts: false }, async (page) => {
        const word = `plain${Date.now()}`;
        const asked = [];
        for (const severity of ["medium", "medium", "medium", "low"]) {
            asked.push(await ask({ ...questions.confirm(), severity,
                title: `${word} ${asked.length}` }));
        }
        const list = `/inbox?q=${word}&group=none`;
        const here = (i) => assert.equal(new URL(page.url()).pathname,
            `/suspensions/${asked[i].suspension_id}`);
        await page.goto(list);
        await open(page, "li.row .title");
        here(0);
        await follow(page, "Approve: Yes");
        await follow(page, "Back");
        await follow(page, "Approve: Yes");
        await press(page, "Approve: Yes");
        here(1);
        assert.equal((await text(page, "#answered")).replace(/\s+/g, " "),
            `Approved: ${word} 0 View 3 left in this list`);
        for (const link of await page.locator(".place a").all()) {
            assert.match(await link.getAttribute("href"),
                new RegExp(`\\?list=%2Finbox%3Fq%3D${word}.*&done=` +
                    asked[0].suspension_id));
        }
        await follow(page, "Approve: Yes");
        await press(page, "Approve: Yes");
        here(2);
        await follow(page, "Reject: No");
        await page.getByLabel("Comment").fill("x".repeat(4001));
        await press(page, "Reject: No");
        await page.getByLabel("Comment").fill("Not now.");
        await press(page, "Reject: No");
        here(3);
        assert.deepEqual(await backOf(page), ["Inbox", list]);
        await press(page, "Approve: Yes");
        assert.equal(await text(page, "#answered"), "Done: 3 approved, 1 rejected.");
        assert.equal(await page.locator("li.row").count(), 0);
    }));

/* A reader who came by a link of a mail sees the result. */
each("an answer from no list shows its result", async (page) => {
    const [asked] = await some(`alone${Date.now()}`, 1);
    await page.goto(`/suspensions/${asked.suspension_id}`);
    await press(page, "Approve");
    assert.match(await text(page), /You approved this/);
    assert.equal(await page.locator("#answered").count(), 0);
});

/* Only what this reader has answered just now is said, whatever an address
 * says. */
test("an address cannot say that something was answered", () =>
    withPage({ who: "other" }, async (page) => {
        const asked = await some(`forged${Date.now()}`, 2);
        await respond(asked[0].suspension_id, { value: "approve" });
        for (const ids of [asked[0].suspension_id, asked[1].suspension_id,
            `${asked[0].suspension_id}.${asked[1].suspension_id}`, "x",
            "..."]) {
            await page.goto(`/inbox?answered=${ids}`);
            assert.equal(await page.locator("#answered").count(), 0);
        }
        await cancel(asked[1].suspension_id, "Seen.");
    }));

/* The page is asked afterwards: it is not to be spoken to while it leaves. */
test("the button says that the answer is being sent", () =>
    withPage({ who: "operator" }, async (page) => {
        const [asked] = await some(`slow${Date.now()}`, 1);
        await page.goto(`/suspensions/${asked.suspension_id}`);
        await page.route("**/respond", async (route) => {
            await new Promise((done) => { setTimeout(done, 6000); });
            await route.continue();
        });
        await page.evaluate(() => {
            const form = document.getElementById("answer");
            const said = [];
            new MutationObserver(() => {
                said.push([...form.querySelectorAll(":disabled")].map((one) =>
                    one.textContent).join() + form.querySelector(
                    "[role=status].sending").textContent);
                sessionStorage.setItem("said", said.join("|"));
            }).observe(form, { subtree: true, childList: true,
                characterData: true });
        });
        await page.getByRole("button", { name: "Approve" }).first()
            .evaluate((one) => one.click());
        await page.getByText("You approved this").first().waitFor();
        assert.match(await page.evaluate(() => sessionStorage.getItem("said")),
            /\|Sending\u2026\|Sending\u2026Still sending. Your text is kept.$/);
    }));

/* ---- from one page to the next -------------------------------------- */

function backOf(page) {
    return page.locator(".back a").first().evaluate((one) =>
        [one.textContent.trim(), one.getAttribute("href")]);
}

async function open(page, selector) {
    await Promise.all([page.waitForEvent("load"),
        page.locator(selector).filter({ visible: true }).first().click()]);
}

async function goBack(page, [label, href]) {
    assert.deepEqual(await backOf(page), [label, href]);
    await open(page, ".back a");
    assert.equal(page.url().replace(/^\w+:\/\/[^/]*/, ""), href);
}

each("a list is what its records lead back to", async (page, scripts) => {
    const word = `lists${Date.now()}`;
    const asked = await some(word, 4);
    for (const { suspension_id: id } of asked.slice(2)) {
        await respond(id, { value: "reject", reason: word });
    }
    const agent = "refunds-agent";
    for (const [label, address] of [
        ["Inbox", `/inbox?q=${word}`], ["History", "/decided"],
        [scripts ? "Low" : "Inbox", "/inbox?risk=low&group=none"],
        ["History", `/decided?outcome=rejected&agent=${agent}`],
        ["Inbox", "/inbox?group=none"]]) {
        await page.goto(address);
        await open(page, "li.row .title");
        await goBack(page, [label, address]);
    }
});

each("what lies within another leads back to it", async (page) => {
    const word = `within${Date.now()}`;
    const as = (method, path, status, body, more) => api("agent", method,
        `/api/v1${path}`, status, body,
        { "X-Agent-ID": "refunds-agent", ...more });
    const asked = await ask({ ...questions.confirm(), title: word });
    const portfolio = await as("POST", "/portfolios", 201, { name: word });
    await as("POST", `/portfolios/${portfolio.id}/intents`, 201,
        { intent_id: asked.intent_id, role: "primary" });
    const [at, task, question] = [`/portfolios/${portfolio.id}`,
        `/intents/${asked.intent_id}`, `/suspensions/${asked.suspension_id}`];
    await page.goto(at);
    await open(page, `a[href="${task}"]`);
    await goBack(page, ["Portfolio", at]);
    await open(page, `a[href="${question}"]`);
    await goBack(page, ["Portfolio", at]);
    await open(page, `a[href="${task}"]`);
    await open(page, `a[href="${question}"]`);
    await goBack(page, ["Task", task]);
    /* Two pages never lead back to each other. */
    assert.deepEqual(await backOf(page), ["Tasks", "/intents"]);
});

/* An answer that was refused is given again from where it was in its list. */
test("after an answer that was refused the next one follows", () =>
    withPage({ who: "operator" }, async (page) => {
        const word = `again${Date.now()}`;
        for (const title of [`${word} first`, `${word} second`]) {
            await ask(questions.words({ title }));
        }
        await page.goto(`/inbox?q=${word}`);
        await page.locator("li.row .title").first().click();
        const first = await text(page, "h1");
        await press(page, "Send answer");
        assert.match(await text(page, ".place"), /1 of 2/);
        await page.locator("#value, [name=value]").first().fill("Yes.");
        await press(page, "Send answer");
        assert.match(await text(page, ".answered"), new RegExp(first));
        assert.notEqual(await text(page, "h1"), first);
    }));
