/* The documentation at /docs: its looks, the search, and the languages of a block,
 * with a script and without. */
import assert from "node:assert/strict";

import { follow, shown, withSparePage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { state } from "./looks.mjs";

const looks = { contents: "/docs", languages: "/docs/quickstart",
                tables: "/docs/operations/limits", tasks: "/docs/going-live",
                found: "/docs/search?q=timeout" };
for (const [name, path] of Object.entries(looks)) {
    state(`docs-${name}`, 200, {}, async (page) => {
        await page.goto(path);
        if (name === "found") {
            await page.locator("#found li").first().waitFor();
        }
    }, { heavy: true });
}

const blocks = (page) => page.locator(".langs > section:visible pre");

test("docs: the search finds the section of a word", () =>
    withSparePage({}, async (page) => {
        await page.goto("/docs/agents");
        await page.locator(".find input").fill("Idempot");
        await page.keyboard.press("Enter");
        await page.waitForURL("**/docs/search?q=Idempot");
        const first = page.locator("#found a").first();
        await first.waitFor();
        assert.match(await first.innerText(), /Sending again/);
        const input = page.locator(".find.seek input");
        await input.fill("mister");
        assert.equal(await page.locator("#said").innerText(),
            "Nothing has all of these words.");
        await input.fill("redirects proxy");
        await page.locator("#found a").first().click();
        await page.waitForURL("**/docs/operations/install*");
    }));

test("docs: a language that is chosen is chosen everywhere", () =>
    withSparePage({}, async (page) => {
        await page.goto("/docs/quickstart");
        assert.equal(await blocks(page).count(), 1);
        await page.getByRole("tab", { name: "curl" }).focus();
        await page.keyboard.press("ArrowRight");
        assert.match(await blocks(page).innerText(), /^import sayso/);
        await page.goto("/docs/testing");
        for (const block of await blocks(page).allInnerTexts()) {
            assert.match(block, /^import sayso/);
        }
    }));

test("docs: without a script every block and every page is there", () =>
    withSparePage({ scripts: false }, async (page) => {
        await page.goto("/docs/quickstart");
        assert.equal(await blocks(page).count(), 4);
        await page.goto("/docs/search?q=timeout");
        const pages = await page.locator("main > ul a").count();
        await page.goto("/docs");
        assert.equal(await page.locator("main > ul a").count(), pages);
        assert.ok(pages > 50);
    }));

/* Those of clients say "With ..."; these have the name of a package or file. */
const named = ["Versions", "Python", "Python, changes", "TypeScript",
    "TypeScript, changes", "Templates"];

test("docs: the heading of a page is its entry, and its part is marked", () =>
    withSparePage({}, async (page) => {
        await page.goto("/docs");
        const entries = await page.locator(".contents a").evaluateAll((all) =>
            all.map((one) => [one.innerText, one.href]));
        const differ = [];
        for (const [words, href] of entries) {
            const text = await (await page.request.get(href)).text();
            const [, title] = /<title>(.*) - Sayso<\/title>/.exec(text);
            const [, part] = /class="places"[^]*?aria-current="\w+">(\w+)</.exec(
                text);
            assert.equal(part, "Docs", href);
            if (title !== words && !title.startsWith("With ")) {
                differ.push(words);
            }
        }
        assert.deepEqual(differ, named);
        await page.goto("/docs/api/questions");
        assert.equal(await page.locator(".places [aria-current=true]")
            .innerText(), "API");
    }));

test("docs: the page of keys leads to the reference of the API", () =>
    withSparePage({ who: "admin" }, async (page) => {
        await page.goto("/settings/keys");
        await follow(page, "API reference");
        assert.equal(new URL(page.url()).pathname, "/docs/api");
    }));

test("docs: each page is there as Markdown, and all are in llms.txt", () =>
    withSparePage({}, async (page) => {
        const list = await page.goto("/llms.txt");
        assert.match(list.url(), /\/docs\/llms\.txt$/);
        const links = [...(await list.text()).matchAll(/\]\((\S+?)\)/g)];
        assert.ok(links.length > 50);
        for (const [, path] of links) {
            const markdown = await page.request.get(path);
            assert.equal(markdown.status(), 200, path);
            assert.match(markdown.headers()["content-type"], /markdown/);
            assert.match(await markdown.text(), /^# /);
        }
        await page.goto("/docs/quickstart");
        assert.equal(shown(page).status(), 200);
    }));
