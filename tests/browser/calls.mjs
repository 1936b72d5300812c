/* The calls of coding agents: the title says the effect, and the command, the
 * change or the patch is the first thing under it. */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";

import { follow, press, shown, text, withSparePage } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { state } from "./looks.mjs";
import { api, suspension } from "./server.mjs";

const by = { who: "operator" };
const lines = (n, word) => Array.from({ length: n }, (_, i) =>
    `${word} ${i + 1}`).join("\n");

const cart = `export function total(cart: Cart): Money {
  let sum = Money.zero(cart.currency);
  for (const line of cart.lines) {
    sum = sum.add(line.price);
  }
  return sum;
}
`;

const patch = `*** Begin Patch
*** Update File: src/cart.ts
@@ export function total(cart: Cart): Money {
   for (const line of cart.lines) {
-    sum = sum.add(line.price);
+    sum = sum.add(line.price.times(line.quantity));
   }
*** Add File: tests/cart.test.ts
+import { total } from "../src/cart";
+
+test("a line counts as often as it was bought", () => {
+  expect(total(twoApples)).toEqual(euros("1.20"));
+});
*** Delete File: src/cart_old.ts
*** End Patch`;

export const calls = {
    bash: ["Bash", {
        command: "rm -rf build && npm run deploy -- --prod",
        description: "Deploy the shop", timeout: 120000,
    }, "Run `rm -rf build && npm run deploy -- --prod`"],
    edit: ["Edit", {
        file_path: "/srv/shop/src/cart.ts",
        old_string: cart,
        new_string: cart.replace("line.price)",
            "line.price.times(line.quantity))")
            .replace("zero(cart.currency)", "zero(cart.currency, 2)"),
    }, "Edit /srv/shop/src/cart.ts (+2 -2)"],
    multi: ["MultiEdit", {
        file_path: "/srv/shop/src/config.ts",
        edits: [
            { old_string: "const retries = 3;",
              new_string: "const retries = 5;" },
            { old_string: "timeout: 1000", new_string: "timeout: 4000",
              replace_all: true },
            { old_string: lines(60, "unchanged"),
              new_string: `${lines(60, "unchanged")}\nadded` },
        ],
    }, "Edit /srv/shop/src/config.ts (+3 -2) with replace_all"],
    write: ["Write", {
        file_path: "/srv/shop/deploy/nightly.sh",
        content: "#!/bin/sh\nset -eu\n\tmake\n\tmake install\n",
    }, "Write /srv/shop/deploy/nightly.sh (4 lines)"],
    long: ["Bash", {
        command: `cat <<'END' >notes.txt\n${lines(30, "line")}\nEND`,
    }, "Run `cat <<'END' >notes.txt \u21b5 line 1 \u21b5 line 2 \u21b5 line 3 " +
       "\u21b5 line 4 \u21b5 line 5 \u21b5 line 6 \u21b5 line 7 \u21b5 " +
       "line 8 \u21b5 line 9 \u21b5 line 10 \u21b5 line 1` \u2026 157 more " +
       "characters"],
    patch: ["apply_patch", { command: patch },
        "Patch 3 files, 1 added, 1 deleted (+6 -1): src/cart.ts, " +
        "tests/cart.test.ts, src/cart_old.ts"],
    fetch: ["WebFetch", {
        url: "https://example.com/docs/api?version=2",
        prompt: "Which fields does an order have?",
    }, "Fetch example.com/docs/api?version=2"],
    mcp: ["mcp__postgres__query", {
        query: "DELETE FROM cart WHERE updated_at < now() - interval '90 days'",
        database: "shop",
    }, "Run mcp__postgres__query: `DELETE FROM cart WHERE updated_at < " +
       "now() - interval '90 days'` with database"],
};

/* The question about a call of Claude Code. */
export async function asked(tool, args) {
    const cwd = `/srv/shop/${randomUUID()}`;
    await api("agent", "POST", "/hooks/claude?hold=0", 200, {
        session_id: randomUUID(), hook_event_name: "PreToolUse", cwd,
        tool_name: tool, tool_input: args, tool_use_id: randomUUID(),
    });
    const { suspensions } = await api("operator", "GET",
        "/api/v1/suspensions?state=pending&limit=100", 200);
    return suspensions.find((one) => one.explanation?.includes(cwd))
        .suspension_id;
}

async function open(page, tool, args) {
    const id = await asked(tool, args);
    await page.goto(`/suspensions/${id}`);
    assert.equal(shown(page).status(), 200);
    return id;
}

for (const [name, [tool, args, title]] of Object.entries(calls)) {
    state(`a-call-${name}`, 200, by, async (page) => {
        const id = await open(page, tool, args);
        /* Code stands for the backticks. */
        const said = title.replace(/^([^`]*)`([^`]+)`([^`]*)$/u, "$1$2$3");
        assert.equal(await text(page, "h1"), said);
        assert.equal(await page.locator("h1 code").count(),
            Number(said !== title));
        assert.ok((await page.title()).includes(title.slice(0, 100)));
        await page.goto("/inbox");
        assert.equal(await text(page, `a[href="/suspensions/${id}"]`), said);
        await page.goto(`/suspensions/${id}`);
    });
}

state("inbox-calls", 200, by, async (page) => {
    for (const [tool, args] of Object.values(calls)) {
        await asked(tool, args);
    }
    await page.goto("/inbox");
});

function rows(page, selector = ".lines li") {
    return page.locator(selector).evaluateAll((all) => all.map((one) =>
        one.innerText.replace(/\n/g, "")));
}

test("an edit is a difference of lines before all other facts", () =>
    withSparePage(by, async (page) => {
        await open(page, ...calls.edit);
        assert.deepEqual(await rows(page), [
            "export function total(cart: Cart): Money {",
            "\u2212  let sum = Money.zero(cart.currency);",
            "+  let sum = Money.zero(cart.currency, 2);",
            "  for (const line of cart.lines) {",
            "\u2212    sum = sum.add(line.price);",
            "+    sum = sum.add(line.price.times(line.quantity));",
            "  }", "  return sum;", "}",
        ]);
        const first = await page.locator(".piece").first().boundingBox();
        const facts = await page.locator(".pairs").first().boundingBox();
        assert.ok(first.y < facts.y);
        assert.match(await page.locator(".lines").first().evaluate((one) =>
            getComputedStyle(one).fontFamily), /mono/);
        assert.doesNotMatch(await text(page, ".call"), /old_string/);
    }));

test("the query of any tool is a text of its own", () =>
    withSparePage(by, async (page) => {
        await open(page, ...calls.mcp);
        assert.equal(await text(page, ".piece-head"), "Query");
        assert.equal(await text(page, "pre.code"), calls.mcp[1].query);
    }));

test("unchanged lines are folded, and a yes takes a second step", () =>
    withSparePage(by, async (page) => {
        const id = await open(page, ...calls.multi);
        assert.deepEqual((await rows(page)).slice(0, 4), [
            "\u2212const retries = 3;", "+const retries = 5;",
            "\u2212timeout: 1000", "+timeout: 4000"]);
        const folded = page.getByText("57 unchanged lines");
        assert.equal(await folded.count(), 1);
        assert.equal(await page.getByText("unchanged 1", { exact: true })
            .isVisible(), false);
        await folded.click();
        assert.equal(await page.getByText("unchanged 1", { exact: true })
            .isVisible(), true);
        assert.equal((await suspension(id)).state, "pending");
        await follow(page, "Approve");
        assert.match(await text(page, ".confirm"),
            /1 long text is cut or folded on this page/);
    }));

test("a command is shown whole, with its hidden characters", () =>
    withSparePage(by, async (page) => {
        await open(page, "Bash", { command: "echo `date`" });
        assert.equal(await text(page, "h1"), "Run ``echo `date```");
        const id = await open(page, "Bash", { command: "ls\u202e\n\trm -rf /\n" });
        assert.equal(await text(page, "h1"),
            "Run ls[U+202E] \u21b5 rm -rf /");
        assert.equal(await page.locator("pre.code").evaluate((one) =>
            one.textContent), "lsU+202E\n\trm -rf /\n");
        assert.match(await text(page, ".piece-head"),
            /1 hidden character shown/);
        await follow(page, "Approve");
        await press(page, "Approve");
        assert.equal((await suspension(id)).outcome, "authorized");
    }));

test("a long command is folded, and a yes takes a second step", () =>
    withSparePage(by, async (page) => {
        await open(page, "Bash", { command: lines(30, "echo") });
        assert.match(await text(page, ".piece summary"),
            /^Show 30 lines, starts/);
        assert.equal(await page.locator("pre.code").isVisible(), false);
        await follow(page, "Approve");
        assert.match(await text(page, ".confirm"), /1 long text is cut/);
    }));

test("a change of 5,000 lines stays on its page", () =>
    withSparePage(by, async (page) => {
        await open(page, "Edit", { file_path: "a",
            old_string: lines(5000, "a"), new_string: lines(5000, "b") });
        assert.match(await text(page, "h1"), /\(\+5000 -5000\)/);
        assert.ok(await page.locator(".lines li").count() <= 2000);
        await follow(page, "Approve");
        assert.match(await text(page, ".confirm"), /cut or folded/);
    }));
