/** A client at the fake server, and at a `fetch` of its own. */
import assert from "node:assert/strict";
import { test } from "node:test";
import {
    Answer, ApiError, Client, ConfigurationError, Conflict, Denied, Forbidden,
    InvalidRequest, NotFound, SaysoError, ServerError, Unauthenticated,
    Unreachable, VERSION,
} from "sayso-client";
import {
    answer, approve, deny, edit, FakeServer, pending, withdrawn,
} from "sayso-client/testing";

/** Runs with a client of a fake server. */
function withServer(script, run) {
    return async () => {
        const server = await FakeServer.start(script);
        try {
            await run(server.client(), server);
        } finally {
            await server.stop();
        }
    };
}

async function all(those) {
    const found = [];
    for await (const one of those)
        found.push(one);
    return found;
}

const PENDING = { suspension_id: "1", state: "pending", outcome: null,
                  url: "http://sayso.test/suspensions/1" };
const YES = { ...PENDING, state: "resolved", outcome: "authorized" };

/** A client whose server gives these, one after the other; the last one for
 * ever. An Error is one of the connection. */
function scripted(replies, options = {}) {
    const requests = [];
    const client = new Client({
        url: "http://sayso.test", key: "sk_secret", ...options,
        fetch: async (url, request) => {
            requests.push({ url, ...request });
            const [status, body, headers = {}]
                = replies[Math.min(requests.length, replies.length) - 1];
            if (body instanceof Error)
                throw body;
            return new Response(typeof body === "string" ? body
                                : JSON.stringify(body), { status, headers });
        } });
    return { client, requests };
}

const LOST = [0, new Error("connection lost")];

// --- Questions --------------------------------------------------------------

test("a question is asked, read, listed and withdrawn",
     withServer([approve, pending, pending], async (client) => {
    const yes = await client.ask("Deploy?");
    assert.ok(yes.approved && !yes.pending);
    assert.equal(yes.audit_summary, "authorized, by operator");
    const open = await client.ask("And?", { wait: 0 });
    assert.equal((await client.get(open.id)).state, "pending");
    const gone = await client.cancel(open.id, { reason: "It is late." });
    assert.equal(gone.state, "cancelled");
    await assert.rejects(client.cancel(open.id), (no) =>
        no instanceof Conflict && no.code === "suspension.already_decided"
        && no.suspensionId === open.id && no.requestId.length > 10);
    await assert.rejects(client.get("other"), NotFound);
    await client.ask("Last?", { wait: 0 });
    const listed = await all(client.list({ limit: 1 }));
    assert.deepEqual(listed.map((one) => one.question),
                     ["Last?", "And?", "Deploy?"]);
    const pendings = await all(client.list({ state: "pending" }));
    assert.deepEqual(pendings.map((one) => one.question), ["Last?"]);
}));

test("the feed has each that has ended",
     withServer([approve, deny("No."), pending], async (client, server) => {
    const feed = client.feed({ after: "0", wait: 0 });
    for (const text of ["a", "b", "c"])
        await client.ask(text, { wait: 0 });
    const seen = [];
    for await (const one of feed)
        seen.push([one.question, one.outcome, feed.place]);
    assert.deepEqual(seen, [["a", "authorized", "0"], ["b", "vetoed", "2"]]);
    const more = client.feed({ after: feed.place, allAgents: true });
    const other = server.client("other-agent");
    setTimeout(() => void client.cancel(server.asked[2].suspension_id), 100);
    for await (const one of more) {
        assert.equal(one.question, "c");
        assert.equal(more.place, "3");
        break;
    }
    assert.deepEqual(await all(other.feed({ after: "0",
                                                        wait: 0 })), []);
}));

test("a yes is used once", withServer([approve, deny()], async (client) => {
    const yes = await client.ask("Deploy?");
    const use = await client.use(yes, { operation: "größe" });
    assert.deepEqual([use.n, use.uses_left, use.permit_id], [1, 0, null]);
    await client.use(yes, { operation: "größe" });
    await assert.rejects(client.use(yes), (no) =>
        no instanceof Denied && no.over && no.code === "permit.spent"
        && no.answer === yes && no.requestId !== undefined);
    const no = await client.ask("Really?");
    await assert.rejects(client.use(no), Denied);
}));

test("a permit is redeemed", withServer([approve], async (client) => {
    const args = { order: "1" };
    await client.approveCall("refund", args, { use: false, once: "run-1" });
    const [{ id }] = await all(client.list());
    const { permit } = await client.get(id);
    await assert.rejects(client.redeem("op", { permitId: permit.id, call: {
        tool: "refund", arguments: { order: "2" } } }), InvalidRequest);
    const call = { tool: "refund", arguments: args };
    const use = await client.redeem("op", { permitId: permit.id, call });
    assert.equal(use.permit_id, permit.id);
    await assert.rejects(client.redeem("op-2", { permitId: permit.id, call }),
                         Conflict);
}));

test("once survives members in another order, but a form keeps its own",
     withServer([approve], async (client, server) => {
    const one = await client.ask("Deploy?", {
        once: "run-1", context: { b: { y: 1, x: 2 }, a: [{ d: 1, c: 2 }] },
        severity: "low" });
    const again = await client.ask("Deploy?", {
        severity: "low", context: { a: [{ c: 2, d: 1 }], b: { x: 2, y: 1 } },
        once: "run-1" });
    assert.equal(one.id, again.id);
    assert.equal(server.asked.length, 1);
    const { client: other, requests } = scripted([[201, YES], [200, YES]]);
    await other.ask("Where?", { form: {
        type: "object", properties: { street: {}, city: {} } } });
    assert.match(requests[0].body, /"street".*"city"/);
}));

test("anew asks again where the question was withdrawn",
     withServer([withdrawn, approve], async (client) => {
    assert.equal((await client.ask("x?", { once: "1" })).state, "cancelled");
    const again = await client.ask("x?", { once: "1", anew: true });
    assert.ok(again.approved);
}));

test("who asks is told where it is answered", async () => {
    const server = await FakeServer.start([approve, pending, approve]);
    const shown = [];
    const client = new Client({ url: server.url, key: server.key,
                                onAsked: ({ url }) => shown.push(url) });
    await client.ask("x?", { once: "1" });
    await client.ask("x?", { once: "1" }); // it has ended
    await client.ask("y?", { wait: 0 });
    await client.ask("z?", { onAsked: ({ id }) => shown.push(id) });
    assert.deepEqual(shown, [server.asked[0].url, server.asked[1].url,
                             server.asked[2].suspension_id]);
    await assert.rejects(client.ask("y?"), ServerError); // the script is over
    await server.stop();
});

test("many are waited for by one read of the feed",
     withServer(Array(61).fill(pending), async (other, server) => {
    const open = { held: 0, other: 0 }, most = { held: 0, other: 0 };
    const client = new Client({
        url: server.url, key: server.key, agent: "test-agent",
        fetch: async (url, request) => {
            const kind = /wait=[1-9]/.test(url) ? "held" : "other";
            most[kind] = Math.max(most[kind], ++open[kind]);
            try {
                return new Response(await (await fetch(url, request)).text());
            } finally {
                open[kind]--;
            }
        } });
    const asked = Array.from({ length: 60 }, (_, n) => client.ask(`${n}?`));
    const stop = new AbortController();
    const given = client.ask("0?", { once: "1", signal: stop.signal })
        .catch((error) => error.message);
    while (server.asked.length < 61)
        await new Promise((done) => setTimeout(done, 5));
    stop.abort(new Error("enough"));
    for (const { suspension_id } of server.asked)
        await other.cancel(suspension_id);
    const states = (await Promise.all(asked)).map(({ state }) => state);
    assert.deepEqual(states, Array(60).fill("cancelled"));
    assert.ok(most.held <= 21 && most.other <= 20, JSON.stringify(most));
    assert.equal(await given, "enough");
    assert.equal(open.held, 0); // the feed is left
}));

test("a crowd gets its answers where the feed cannot be read", async () => {
    let ended = false, feeds = 0;
    const client = new Client({
        url: "http://sayso.test", key: "k", fetch: async (url, { signal }) => {
            const { pathname, searchParams } = new URL(url);
            if (searchParams.has("ended_after")) {
                ended = ++feeds > 1;
                return ended && searchParams.get("ended_after") === "now"
                    ? new Response('{"suspensions": [], "next": "7"}')
                    : new Response('{"code": "feed.restored"}',
                                   { status: 409 });
            }
            const id = pathname.split("/").at(-1);
            if (searchParams.get("wait") === "0" || ended)
                return new Response(JSON.stringify({
                    ...(ended ? YES : PENDING), suspension_id: id }));
            await new Promise((_, fail) => signal.addEventListener(
                "abort", () => fail(signal.reason)));
        } });
    const held = Array.from({ length: 20 }, (_, n) =>
        client.get(`h${n}`, { wait: 60 }));
    const crowd = await Promise.all([1, 2, 3].map((n) =>
        client.get(`c${n}`, { wait: 60 })));
    assert.ok(crowd.every(({ state }) => state === "resolved"));
    client.close();
    await assert.rejects(Promise.any(held));
});

// --- Calls --------------------------------------------------------------------

test("a call that nobody answers is withdrawn", withServer(
    [pending, pending, pending, pending], async (client, server) => {
    const late = /Nobody answered in time/;
    await assert.rejects(client.approveCall("refund", {}, { wait: 0.1 }),
                         (no) => no instanceof Denied && late.test(no.message)
                             && no.answer.state === "cancelled");
    await assert.rejects(client.approveCall("refund", {}, {
        wait: 0.1, keep: true }), late);
    await assert.rejects(client.approveCall("refund", {}, { wait: 0 }), late);
    const asked = await client.ask("x?", { wait: 0.1, keep: false });
    assert.equal(asked.state, "cancelled");
    assert.deepEqual(server.asked.map(({ state }) => state),
                     ["cancelled", "pending", "pending", "cancelled"]);
}));

test("an answer that came before the withdrawal counts", async () => {
    const args = JSON.stringify({ n: 1 });
    let subject;
    const client = new Client({
        url: "http://sayso.test", key: "k", fetch: async (url, request) => {
            const { pathname } = new URL(url);
            if (pathname.endsWith("/cancel"))
                return new Response('{"code": "suspension.already_decided"}',
                                    { status: 409 });
            if (pathname.endsWith("/redemptions"))
                return new Response('{"redemption_id": "2"}');
            if (request.method === "POST") {
                subject = request.body.slice(
                    request.body.indexOf('"subject":') + 10, -1);
                return new Response(JSON.stringify(PENDING));
            }
            reads++;
            const { createHash } = await import("node:crypto");
            return new Response(JSON.stringify(reads < 3 ? PENDING : {
                ...YES, usable: true, subject_sha256:
                    createHash("sha256").update(subject).digest("hex") }));
        } });
    let reads = 0;
    assert.deepEqual(await client.approveCall("t", JSON.parse(args),
                                              { wait: 0.05 }), { n: 1 });
});

test("a function runs after a yes", withServer(
    [approve, edit({ amount: 20 }), deny("No."), deny("No.")],
    async (client, server) => {
    class Shop {
        name = "Bonn";
        refund = client.requireApproval(
            function refund({ order, amount }) {
                return `${this.name} ${order} ${amount}`;
            }, { edit: true, target: ({ order }) => `order ${order}` });
        pay = client.requireApproval(
            async function pay(order, amount = 1) {
                return `${this.name} ${order} ${amount}`;
            }, { params: ["order", "amount"], edit: true, refusal: "return",
                 scope: (order) => `only ${order}` });
    }
    const shop = new Shop();
    assert.equal(shop.refund.name, "refund");
    assert.equal(await shop.refund({ order: "1", amount: 50 }), "Bonn 1 50");
    assert.equal(await shop.pay("2", 50), "Bonn 2 20");
    assert.deepEqual(server.asked[1].subject.calls,
                     [{ args: { amount: 50, order: "2" }, tool: "pay" }]);
    assert.equal(server.asked[0].subject.target, "order 1");
    assert.equal(server.asked[1].subject.scope_summary, "only 2");
    assert.equal(await shop.pay("3", 1), "No.");
    await assert.rejects(shop.refund({ order: "4", amount: 1 }), Denied);
}));

test("what cannot be shown is refused before anybody is asked", async () => {
    const { client, requests } = scripted([LOST]);
    const two = (a, b) => [a, b];
    assert.throws(() => client.requireApproval(two), /`params`/);
    assert.throws(() => client.requireApproval(two, { params: ["a"] }),
                  /a name for each/);
    assert.throws(() => client.requireApproval(two, { params: ["a", "a"] }),
                  /a name for each/);
    assert.throws(() => client.requireApproval(() => 0), /needs a name/);
    const held = client.requireApproval(two, { params: ["a", "b"] });
    await assert.rejects(held(1, 2, 3), TypeError);
    await assert.rejects(held(1, new Date()), TypeError);
    await assert.rejects(held(1, 2n ** 60n), TypeError);
    assert.equal(requests.length, 0);
});

// --- The connection -----------------------------------------------------------

test("each refusal has a class for what to do", async () => {
    const kinds = { 400: InvalidRequest, 401: Unauthenticated, 403: Forbidden,
                    404: NotFound, 409: Conflict, 422: InvalidRequest,
                    428: InvalidRequest, 500: ServerError };
    for (const [status, kind] of Object.entries(kinds)) {
        const { client } = scripted([[Number(status), {
            code: "a.b", detail: "So.", at: "x" },
            { "X-Request-Id": "r-1" }]]);
        await assert.rejects(client.ask("x?"), (error) => {
            assert.equal(error.constructor, kind);
            assert.ok(error instanceof ApiError && error instanceof SaysoError);
            assert.deepEqual(
                [error.name, error.code, error.detail, error.at, error.status,
                 error.requestId, error.message],
                [kind.name, "a.b", "So.", "x", Number(status), "r-1",
                 "a.b: So."]);
            return true;
        });
    }
});

test("what is no answer of a Sayso server is told", async () => {
    for (const [reply, kind, said] of [
        [[200, "<html>"], Unreachable, /no Sayso server/],
        [[200, {}], Unreachable, /has no suspension_id/],
        [[301, "<html>"], ConfigurationError, /another address \(301\)/],
        [[400, "<html>sk_secret"], InvalidRequest, /<html>\*\*\*/]]) {
        const { client } = scripted([reply]);
        await assert.rejects(client.ask("x?"), (error) =>
            error instanceof kind && said.test(error.message));
    }
    assert.throws(() => new Client({ url: " ", key: "k" }),
                  ConfigurationError);
});

test("a question is sent again with its own key", async () => {
    const { client, requests } = scripted([
        LOST, [503, "", { "Retry-After": "1" }], [201, YES], [200, YES]]);
    const begun = performance.now();
    assert.ok((await client.ask("x?")).approved);
    assert.ok(performance.now() - begun >= 1500);
    const keys = requests.slice(0, 3).map(({ headers }) =>
        headers["Idempotency-Key"]);
    assert.equal(new Set(keys).size, 1);
    assert.match(keys[0], /^[0-9a-f-]{36}$/);
    assert.equal(requests[0].headers["User-Agent"],
                 `sayso-typescript/${VERSION}`);
});

test("it gives up after so many tries", async () => {
    const { client, requests } = scripted([LOST], { maxRetries: 1 });
    await assert.rejects(client.ask("x?"), /connection lost/);
    assert.equal(requests.length, 2);
    const busy = scripted([[429, "", { "Retry-After": "7" }]],
                          { maxRetries: 0 });
    await assert.rejects(busy.client.get("1"), (error) =>
        error instanceof Unreachable && error.retryAfter === 7);
});

test("once a question is there, it is waited for whatever happens", async () => {
    const { client, requests } = scripted(
        [[201, PENDING], LOST, LOST, [200, YES]], { maxRetries: 0 });
    assert.ok((await client.ask("x?")).approved);
    assert.equal(requests.length, 4);
    const short = scripted([[201, PENDING], [502, ""]]);
    const begun = performance.now();
    assert.ok((await short.client.ask("x?", { wait: 0.3 })).pending);
    assert.ok(performance.now() - begun < 1500);
});

test("a request has its time", async () => {
    const client = new Client({
        url: "http://sayso.test", key: "k", timeout: 0.05, maxRetries: 0,
        fetch: (_, { signal }) => new Promise((_, fail) =>
            signal.addEventListener("abort", () => fail(signal.reason))) });
    await assert.rejects(client.ask("x?"), (error) =>
        error instanceof Unreachable && /No answer in/.test(error.message));
});

test("a signal and the end of the client end the waiting",
     withServer([pending, pending], async (client, server) => {
    const stop = new AbortController();
    const first = client.ask("x?", { signal: stop.signal });
    const second = client.ask("y?");
    setTimeout(() => stop.abort(new Error("enough")), 100);
    await assert.rejects(first, /enough/);
    setTimeout(() => client.close(), 100);
    await assert.rejects(second, /The client is closed/);
    await assert.rejects(client.get("1"), SaysoError);
    assert.deepEqual(server.asked.map(({ state }) => state),
                     ["pending", "pending"]);
}));

test("an answer has the members of the server's question", () => {
    const read = new Answer({ ...YES, reason: "So.", usable: false });
    assert.deepEqual([read.id, read.reason, read.over, read.approved,
                      read.receipt_url], ["1", "So.", true, false, undefined]);
});

test("a value is typed and given", withServer(
    [answer("blue")], async (client) => {
    const { value } = await client.ask("Which?", { choices: ["red", "blue"] });
    assert.equal(value, "blue");
}));
