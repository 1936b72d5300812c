/* A plan, an input, a credential and a handoff, as agents ask for them. facts:
 * what a plan or a subject says otherwise, or besides. */
import { named } from "./questions.mjs";
import { server } from "./server.mjs";

function step(id, title, detail, tool, risk) {
    return { id, title, detail, tool, risk };
}

export const first = [
    step("backup", "Take a backup of orders", "41.2 million rows", "db.backup",
        "low"),
    step("copy", "Copy the rows", "One transaction", "db.copy", "medium"),
    step("switch", "Switch reads and writes", "Rename at once", "db.switch",
        "high"),
    step("drop", "Drop orders_old", "The old table", "db.drop", "high"),
];

export const second = [
    first[0],
    step("rehearse", "Rehearse the way back", "Switch, fail, return",
        "db.rehearse", "low"),
    step("copy", "Copy the rows", "Batches of 50,000", "db.copy", "medium"),
    first[2],
    step("tell", "Tell the team", "Message to #data-platform", "chat.post",
        "unheard of"),
];

/* The same steps with what their tools are given. */
function given(steps, copy) {
    return steps.map((one) => ({ ...one, args: { table: "orders",
        ...one.id === "copy" && { columns: ["id", "placed_at"], ...copy } } }));
}

export const firstGiven = given(first, { batch: "all" });
export const secondGiven = given(second, { batch: 50000, pause: "250 ms" });

export function plan(more = {}, steps = first, facts = {}) {
    return {
        kind: "plan_review", severity: "low", timeout_seconds: 7200,
        title: named("Carry out the migration of orders?"),
        question: "May the orders table be moved to partitions?",
        explanation: "Order pages slow down by about 9 % a month.",
        evidence: [
            { title: "Query timings", ref: "https://metrics.example/q/77" },
            { title: "Row counts", ref: "job:4711" }],
        subject: {
            plan: {
                steps, scope: "Cluster orders-prod, table orders only",
                expected_outputs: ["A partitioned table", "A report"],
                risk_summary: "Pages stand still for up to 2 s",
                cost_summary: "About 14 USD", ...facts },
            plan_ref: "https://plans.example/orders/2" },
        intent: { title: named("Move orders to partitions"),
                  initiated_by: "Dev Patel" },
        ...more,
    };
}

const address = [
    { key: "name", label: "Name on the parcel", required: true },
    { key: "code", label: "Postcode", required: true, min_length: 5 },
];

export function input(more = {}, facts = {}) {
    return {
        kind: "elicitation", severity: "low", form: address,
        title: named("Where shall the order be shipped?"),
        question: "The label printer refused the postcode.",
        subject: { prompt: "Which address is right?", ...facts }, ...more,
    };
}

export function credential(more = {}, facts = {}) {
    return {
        kind: "credential_needed", severity: "low",
        title: named("Connect GitHub for the release?"),
        question: "I cannot push without it.",
        explanation: "The fix is ready and its tests pass.",
        subject: {
            provider: "GitHub, organisation kestrel",
            credential_class: "App installation",
            scopes: ["contents: write", "pull_requests: write"],
            settings_url: `${server.url}/settings?for=release-agent`,
            draft_ref: "branch fix/postcode-1017", ...facts },
        intent: { title: named("Release the fix"), task_id: "task-1017" },
        ...more,
    };
}

export function handoff(more = {}, facts = {}) {
    return {
        kind: "handoff_acceptance", severity: "low",
        title: named("Take over the patent check?"),
        question: "Please take it from here.",
        explanation: "It became a question of law.",
        subject: {
            from: "research-agent", to: "Legal", summary: "38 claims compared",
            reason: "Two claims need a legal reading",
            open_questions: ["Is a magnet a locking element?"],
            artifacts: [
                { title: "Claim chart", kind: "table",
                  ref: "https://files.example/claims" },
                { title: "Search log", kind: "text", ref: "log:212" }],
            evidence: [], ...facts },
        ...more,
    };
}
