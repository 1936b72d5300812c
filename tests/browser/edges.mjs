/* Where the parts of a request begin, for each kind: reason, first fact, first
 * argument, answers. All of it stands in the first screen; the answers lie right
 * of the facts and come before them in the document; the step that confirms takes
 * the place of the answers alone; on a phone the answers are one row. The table
 * that is printed is the one by which the pages are compared over the years. */
import assert from "node:assert/strict";

import { asked as called, calls } from "./calls.mjs";
import { shown, withSparePage } from "./browser.mjs";
import { approval, cost, permission } from "./cards_questions.mjs";
import { test } from "./lanes.mjs";
import { credential, handoff, input, plan } from "./plans_questions.mjs";
import * as questions from "./questions.mjs";
import { ask } from "./server.mjs";

const by = { who: "operator" };
const screen = { width: 1280, height: 720 }, phone = { width: 360, height: 740 };

/* Four lines. */
const explanation = "The customer reported it broken on the day it arrived, " +
    "with two photos that show the crack and the serial number. ".repeat(3);

/* Each with the choice whose step confirms, where there is one. */
const kinds = () => ({
    "approval, high": [approval(), "approve"],
    "approval, critical": [approval({ severity: "critical" }), "approve"],
    "approval, low": [approval({ severity: "low" })],
    "permission": [permission(), "allow_once"],
    "cost": [cost(), "confirm"],
    "handoff": [handoff({ severity: "medium" }), "accept"],
    "credential": [credential({ severity: "medium" }), "configured"],
    "plan": [plan({ severity: "medium" }), "approve"],
    "form": [input()],
    "text": [questions.words()],
    "choice": [questions.choice({ severity: "medium" }), "refund"],
    "confirm": [questions.confirm({ severity: "medium" }), "yes"],
    "tool call, command": [() => called(...calls.bash), "approve"],
    "tool call, edit": [() => called(...calls.edit), "approve"],
});

/* No other one has the same details, of which a page would have a line. */
async function made(question) {
    if (typeof question === "function") {
        return question();
    }
    const own = { only: questions.named("Here") };
    return (await ask({ ...question, explanation,
        subject: question.kind ? { ...question.subject, ...own } : undefined,
        context: question.kind ? undefined : { ...question.context, ...own },
    })).suspension_id;
}

/* The tops of the parts, and the box of the answers; null: not on the page. */
function edges(page) {
    return page.evaluate(() => {
        const box = (selector) => {
            const one = [...document.querySelectorAll(selector)].find((some) =>
                some.checkVisibility() &&
                some.getBoundingClientRect().height > 1);
            return one?.getBoundingClientRect().toJSON() ?? null;
        };
        const top = (selector) => {
            const found = box(selector);
            return found && Math.round(found.top);
        };
        const buttons = [...document.querySelectorAll(".rail .btn")]
            .filter((one) => one.checkVisibility())
            .map((one) => one.getBoundingClientRect());
        return {
            title: top("h1"), reason: top(".quote"),
            fact: top(".told :is(.card, .cost, #form)"),
            argument: top(".told :is(.args > div, .piece, .pairs > div, " +
                ".cost, .step:not(.heads), #form .field), .rail #value"),
            comment: top(".rail #reason"),
            buttons: buttons.length && [
                Math.round(Math.min(...buttons.map((one) => one.top))),
                Math.round(Math.max(...buttons.map((one) => one.bottom)))],
            left: Math.round(box(".rail")?.left ?? 0),
            widths: new Set(buttons.map((one) => Math.round(one.width))).size,
        };
    });
}

/* Reached by Tab before any part of the facts. */
function railIsFirst(page) {
    return page.evaluate(() => {
        const rail = document.querySelector(".rail");
        const told = document.querySelector(".told");
        return !!(rail.compareDocumentPosition(told) &
            Node.DOCUMENT_POSITION_FOLLOWING);
    });
}

/* On a phone: the row of the answers, and the first fact. */
async function onThePhone(page) {
    await page.setViewportSize(phone);
    await page.evaluate(() => window.scrollTo(0, 0));
    const bar = page.locator(".dock, .jump").filter({ visible: true });
    const { fact } = await edges(page);
    return { fact, bar: await bar.count() ? await bar.boundingBox() : null };
}

test("each kind of request is read and answered in the first screen", () =>
    withSparePage({ ...by, ...screen }, async (page) => {
        const table = [["kind", "buttons", "reason", "first fact",
            "first argument", "comment", "360: bar from (share)",
            "360: first fact"]];
        for (const [kind, [question, choice]] of Object.entries(kinds())) {
            await page.setViewportSize(screen);
            const id = await made(question);
            await page.goto(`/suspensions/${id}`);
            assert.equal(shown(page).status(), 200);
            const is = await edges(page);
            const { fact, bar } = await onThePhone(page);
            table.push([kind, is.buttons.join("-"), is.reason, is.fact,
                is.argument, is.comment ?? "next step", bar
                    ? `${Math.round(bar.y)} ` +
                        `(${Math.round(bar.height / 7.4)} %)` : "none", fact]);
            const how = `${kind}: ${JSON.stringify(is)}`;
            const call = kind.startsWith("tool call");
            assert.ok(is.reason > is.title && is.argument > is.title, how);
            assert.ok(is.argument < 480 && (call || is.reason < 480), how);
            /* The call of a coding agent and the bar of a cost come before the
             * reason. */
            assert.equal(is.reason < is.argument, !call && kind !== "cost",
                how);
            assert.ok(is.buttons[0] < 160 || kind === "text", how);
            assert.ok(is.buttons[1] <= screen.height, how);
            assert.ok(is.left > 900 && is.widths === 1, how);
            assert.ok(await railIsFirst(page), kind);
            assert.ok(!bar || bar.height <= 66, `${kind}: ${bar?.height}`);
            if (choice) {
                await page.setViewportSize(screen);
                await page.goto(`/suspensions/${id}?choice=${choice}`);
                const step = await edges(page);
                assert.deepEqual([step.title, step.reason, step.fact,
                    step.argument], [is.title, is.reason, is.fact,
                    is.argument], `${kind}, while one confirms`);
                assert.ok(step.buttons[1] <= screen.height,
                    `${kind}: ${step.buttons}`);
            }
        }
        console.log(table.map((row) => `| ${row.join(" | ")} |`).join("\n"));
    }));
