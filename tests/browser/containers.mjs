/* A coordinator's plan from its start to its end, in the browser: its steps and
 * its checkpoint on the page of the task, the questions in the inbox, and the
 * portfolio that ends with it. */
import assert from "node:assert/strict";

import {
    follow, press, seeAnswered, shown, text, withPage,
} from "./browser.mjs";
import { holds } from "./hostile.mjs";
import { test } from "./lanes.mjs";
import { look } from "./looks.mjs";
import { attacks } from "./questions.mjs";
import { api } from "./server.mjs";

const names = ["Count the shelves", "Book the lorries", "Pack the shelves",
    "Drive to the new hall", "Count again"];

function as(agent) {
    return (method, path, status, body, headers = {}) =>
        api("agent", method, `/api/v1${path}`, status, body,
            { "X-Agent-ID": agent, ...headers });
}

const coordinator = as("move-coordinator");
const books = as("booking-agent");
const packs = as("packing-agent");

/* In the version that it has now. */
async function move(who, path, ...bodies) {
    for (const body of bodies) {
        const { version } = await who("GET", path, 200);
        await who("PATCH", path, 200, body, { "If-Match": `${version}` });
    }
}

function step(who, task, ...statuses) {
    return move(who, `/tasks/${task.id}`,
        ...statuses.map((status) => ({ status })));
}

async function status(intent, to) {
    const { version } = await coordinator("GET", `/intents/${intent.id}`, 200);
    return coordinator("POST", `/intents/${intent.id}/status`, 200,
        { status: to }, { "If-Match": `${version}` });
}

async function intentOf(portfolio, title, role) {
    const intent = await coordinator("POST", "/intents", 201, { title });
    await status(intent, "active");
    await coordinator("POST", `/portfolios/${portfolio.id}/intents`, 201,
        { intent_id: intent.id, role, priority: role === "primary" ? 9 : 1 });
    return intent;
}

/* A portfolio of two tasks, one of them done; the other has a plan of five
 * steps with a checkpoint after the third. */
async function begin(word) {
    const portfolio = await coordinator("POST", "/portfolios", 201, {
        name: `The new warehouse ${word}`,
        description: "All that has to be done before the doors open.",
        governance_policy: { auto_complete_threshold: 100,
            deadline: "2031-01-31T12:00:00Z" } });
    const done = await intentOf(portfolio, `Rent the hall ${word}`, "member");
    const intent = await intentOf(portfolio, `Move the shelves ${word}`,
        "primary");
    await status(done, "completed");
    await coordinator("POST", "/coordinators", 201, {
        agent_id: "move-coordinator", intent_id: intent.id, type: "llm" });
    for (const agent_id of ["booking-agent", "packing-agent"]) {
        await coordinator("POST", `/intents/${intent.id}/agents`, 200,
            { agent_id });
    }
    const tasks = [];
    for (const [i, name] of names.entries()) {
        tasks.push(await coordinator("POST", "/tasks", 201, {
            intent_id: intent.id, name,
            depends_on: [[], [0], [0], [1, 2], [3]][i].map((d) =>
                tasks[d].id),
            assigned_agent: ["move-coordinator", "booking-agent",
                "packing-agent", "packing-agent", "move-coordinator"][i] }));
    }
    const plan = await coordinator("POST", "/plans", 201, {
        intent_id: intent.id, tasks: tasks.map(({ id }) => id),
        checkpoints: [{ id: "packed", name: `Look at the boxes ${word}`,
            after_task: tasks[2].id, severity: "medium" }],
        state: "active" });
    return { portfolio, intent, tasks, plan };
}

/* Until one agent waits for an answer of its own, and the plan for another. */
async function untilBothWait({ intent, tasks }, word) {
    await step(coordinator, tasks[0], "running", "completed");
    await step(books, tasks[1], "running");
    await step(packs, tasks[2], "running");
    const own = await books("POST", "/suspensions", 201, {
        intent_id: intent.id, question: `Are three lorries enough ${word}?`,
        response_type: "choice", severity: "medium",
        choices: [{ value: "four", label: "Take four", effect: "answer" },
            { value: "three", label: "Three", effect: "answer" }] });
    await step(packs, tasks[2], "completed");
    return own;
}

async function planOf({ plan }) {
    return coordinator("GET", `/plans/${plan.id}`, 200);
}

async function words(page, all) {
    const whole = (await text(page)).replace(/\s+/g, " ");
    for (const one of all) {
        assert.match(whole, one);
    }
}

/* From the inbox to the question and its answer. */
async function answer(page, word, title, name) {
    await page.goto(`/inbox?q=${encodeURIComponent(word)}`);
    await follow(page, title);
    await follow(page, name);
    await press(page, name);
    await seeAnswered(page);
    assert.match(await text(page), /You (approved|answered) this/);
}

async function finish({ intent, tasks }) {
    await step(books, tasks[1], "completed");
    await step(packs, tasks[3], "running", "completed");
    await step(coordinator, tasks[4], "running", "completed");
    await status(intent, "completed");
}

for (const scripts of [true, false]) {
    test(`a plan waits for two answers and completes, scripts ${
        scripts ? "on" : "off"}`, () =>
        withPage({ who: "operator", scripts }, async (page) => {
            const word = scripts ? "north" : "south";
            const story = await begin(word);
            const { intent, portfolio } = story;
            await untilBothWait(story, word);

            await page.goto(`/inbox?q=${word}`);
            await words(page, [/Are three lorries enough/,
                /Checkpoint\. Medium risk\. Look at the boxes/]);
            await page.goto(`/portfolios/${portfolio.id}`);
            await words(page, [/Portfolio Active/, /1 of 2 tasks completed/,
                /Open requests .*Are three lorries enough.* Task: Move/,
                /Checkpoint Look at the boxes/, /Waiting 1/, /Completed 1/]);
            if (scripts) {
                await look(page, "portfolio");
            }
            await follow(page, `Move the shelves ${word}`);
            assert.equal(shown(page).status(), 200);
            await words(page, [/Plan Paused at a checkpoint 2 of 5 steps done/,
                /Book the lorries Waits for an answer Blocked/,
                /Checkpoint Look at the boxes \w+ Waiting for approval/,
                /Drive to the new hall Waits for Book the lorries Pending/]);
            if (scripts) {
                await look(page, "intent-plan");
            }
            await follow(page, "Waits for an answer");
            assert.match(await text(page), /Are three lorries enough/);

            await answer(page, word, `Are three lorries enough ${word}?`,
                "Answer: Take four");
            assert.equal((await planOf(story)).state, "paused");
            await answer(page, word, `Look at the boxes ${word}`, "Approve");
            assert.equal((await planOf(story)).state, "active");
            await finish(story);

            await page.goto(`/intents/${intent.id}`);
            await words(page, [/Task Completed/, /Plan Completed 5 of 5/,
                /Look at the boxes \w+ Approved by Demo Operator/]);
            if (scripts) {
                await look(page, "intent-plan-completed");
            }
            await follow(page, `The new warehouse ${word}`);
            await words(page, [/Portfolio Completed/, /Ended .* by System/,
                /2 of 2 tasks completed/]);
            if (scripts) {
                await look(page, "portfolio-completed");
            }
        }));
}

test("an agent's own request decides a checkpoint, and says so", () =>
    withPage({ who: "operator" }, async (page) => {
        const intent = await coordinator("POST", "/intents", 201,
            { title: "Ship the release" });
        await status(intent, "active");
        const tasks = [];
        for (const name of ["Build it", "Ship it"]) {
            tasks.push(await coordinator("POST", "/tasks", 201, {
                intent_id: intent.id, name,
                depends_on: tasks.map(({ id }) => id) }));
        }
        const plan = await coordinator("POST", "/plans", 201, {
            intent_id: intent.id, tasks: tasks.map(({ id }) => id),
            checkpoints: [{ id: "built", name: "Look at the build",
                after_task: tasks[0].id }],
            state: "active" });
        await step(coordinator, tasks[0], "running", "completed");
        const title = "Is build 4711 good?";
        const own = await coordinator("POST", "/suspensions", 201, {
            intent_id: intent.id, question: title, severity: "medium",
            context: { checkpoint_id: "built", tests: "212 passed" },
            choices: [{ value: "ship", label: "Ship it", effect: "authorize" },
                { value: "hold", label: "Hold it", effect: "veto" }] });
        await page.goto(`/suspensions/${own.suspension_id}`);
        await words(page, [/also decides the checkpoint .?Look at the build/]);
        await look(page, "own-checkpoint");
        await answer(page, intent.id, title, "Approve: Ship it");
        const { checkpoints } = await planOf({ plan });
        assert.equal(checkpoints[0].status, "approved");
    }));

/* A name has at most 200 characters. */
const nasty = (i) => `${attacks[i % attacks.length]}${"w".repeat(200)}`
    .slice(0, 200);

test("names of steps, checkpoints and portfolios are only text", () =>
    withPage({ who: "operator" }, async (page) => {
        const portfolio = await coordinator("POST", "/portfolios", 201,
            { name: nasty(0), description: attacks.join("\n") });
        const intent = await intentOf(portfolio, nasty(1), "primary");
        const tasks = [];
        for (let i = 0; i < attacks.length; i++) {
            tasks.push(await coordinator("POST", "/tasks", 201, {
                intent_id: intent.id, name: nasty(i),
                depends_on: tasks.slice(-2).map(({ id }) => id) }));
        }
        await coordinator("POST", "/plans", 201, {
            intent_id: intent.id, tasks: tasks.map(({ id }) => id),
            checkpoints: tasks.slice(0, 3).map(({ id }, i) =>
                ({ id: `c${i}`, name: nasty(i + 3), after_task: id })),
            state: "active" });
        await step(coordinator, tasks[0], "running", "completed");
        await page.goto(`/intents/${intent.id}`);
        await holds(page, "a plan");
        await look(page, "intent-plan-hostile", { heavy: true });
        await page.goto(`/portfolios/${portfolio.id}`);
        await holds(page, "a portfolio");
        await look(page, "portfolio-hostile", { heavy: true });
        await status(intent, "abandoned"); // takes its question back
    }));
