/* The whole way of a permit, with real clients: an agent asks over OAuth and
 * yields its turn, a person answers in the browser, the agent's platform is
 * told in the same session, and a gateway runs the tool. */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHmac, randomUUID } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createServer } from "node:https";
import { join } from "node:path";
import * as oauth from "openid-client";

import { pageElsewhere, press, signIn, text } from "./browser.mjs";
import { test } from "./lanes.mjs";
import { freePort, top, withServer } from "./server.mjs";

const agent = "refunds-agent";
const tool = { order: "12345", amount: "49.90", currency: "EUR" };
const details = [{ type: "tool_call", tool: "shop.refund",
    arguments: { order: "12345", currency: "EUR" },
    constraints: { amount: "50.00" } }];

/* ---- parts ---------------------------------------------------------- */

/* A certificate for localhost that vouches for itself. */
function certificate(dir) {
    execFileSync("openssl", ["req", "-x509", "-newkey", "ec", "-pkeyopt",
        "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2", "-subj",
        "/CN=localhost", "-addext", "subjectAltName=DNS:localhost",
        "-keyout", "key.pem", "-out", "cert.pem"],
    { cwd: dir, stdio: "ignore" });
    execFileSync("chmod", ["755", dir]);
    execFileSync("chmod", ["644", join(dir, "cert.pem")]);
    return { key: readFileSync(join(dir, "key.pem")),
             cert: readFileSync(join(dir, "cert.pem")) };
}

/* The agent's platform: keeps what it is sent. */
async function platform(pair) {
    const got = [];
    const wanted = [];
    const server = createServer(pair, (request, response) => {
        const parts = [];
        request.on("data", (part) => parts.push(part));
        request.on("end", () => {
            got.push({ headers: request.headers,
                body: Buffer.concat(parts).toString() });
            response.writeHead(204).end();
            wanted.splice(0).forEach((tell) => tell());
        });
    });
    const port = await freePort();
    await new Promise((done) => server.listen(port, "localhost", done));
    return {
        url: `https://localhost:${port}/push`,
        async next() {
            while (got.length === 0) {
                await new Promise((done) => wanted.push(done));
            }
            return got.shift();
        },
        close: () => server.close(),
    };
}

/* As Standard Webhooks signs a message. */
function verified({ headers, body }, secret) {
    const key = Buffer.from(secret.replace(/^whsec_/, ""), "base64");
    const signed = createHmac("sha256", key).update(
        `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`)
        .digest("base64");
    assert.ok(headers["webhook-signature"].split(" ")
        .includes(`v1,${signed}`));
    return JSON.parse(body);
}

function python() {
    const build = process.env.SAYSO_BUILD ?? join(top, "build-check");
    return join(build, "venv/bin/python");
}

async function gateway(env, url, key) {
    const child = spawn(python(), [join(top, "examples/gateway.py")], {
        env: { ...process.env, SAYSO_URL: env.SAYSO_URL, GATEWAY_URL: url,
               SAYSO_RESOURCE_KEY: key }, stdio: "ignore" });
    const about = new URL(url);
    about.pathname = `/.well-known/oauth-protected-resource${about.pathname}`;
    for (let tries = 0; ; tries += 1) {
        try {
            await fetch(about);
            return child;
        } catch (problem) {
            if (tries === 300 || child.exitCode !== null) {
                throw problem;
            }
            await new Promise((done) => setTimeout(done, 100));
        }
    }
}

function caller(env) {
    return async (role, method, path, body, headers = {}) => {
        const answer = await fetch(env.SAYSO_URL + path, { method,
            headers: { "X-API-Key": env[`SAYSO_${role}_KEY`],
                ...(role === "AGENT" ? { "X-Agent-ID": agent } : {}),
                "Content-Type": "application/json", ...headers },
            body: body && JSON.stringify(body) });
        const said = await answer.text();
        assert.ok(answer.ok, `${method} ${path}: ${answer.status} ${said}`);
        return JSON.parse(said);
    };
}

/* ---- the story ------------------------------------------------------ */

/* A person reads the request, and answers as bring says. */
async function answer(env, id, choice, comment) {
    const page = await pageElsewhere(env.SAYSO_URL);
    const path = `/suspensions/${id}`;
    await page.goto(`/login?next=${encodeURIComponent(path)}`);
    await signIn(page, { email: env.SAYSO_OPERATOR_EMAIL,
        password: env.SAYSO_OPERATOR_PASSWORD });
    await page.waitForURL(`**${path}`);
    const shows = await text(page);
    for (const word of ["Refund order 12345", "shop.refund", "50.00",
        "checks each call with Sayso"]) {
        assert.ok(shows.includes(word), `${word} in: ${shows}`);
    }
    await page.goto(`${path}?choice=${choice.toLowerCase()}`);
    await page.getByLabel("Comment").fill(comment);
    await press(page, choice);
    return page;
}

/* The agent, its platform and the gateway around one server. */
async function around(env, dir, pair, use) {
    const call = caller(env);
    const push = await platform(pair);
    const url = `http://127.0.0.1:${await freePort()}/mcp`;
    const sayso = (...args) => execFileSync(join(env.STATE, "app/sayso"),
        args, { encoding: "utf8", env: { ...process.env,
            SAYSO_CONF: join(env.STATE, "sayso.conf") } }).trim();
    const resource = sayso("resource", "add", "--identifier", url, "--name",
        "Shop tools");
    const key = sayso("key", "create", "--role", "resource", "--label",
        "gateway", "--resource", resource);
    const child = await gateway(env, url, key);
    try {
        const { secret } = await call("ADMIN", "POST", "/api/v1/endpoints",
            { name: "Platform", url: push.url, agent, internal: true });
        const config = await oauth.discovery(new URL(env.SAYSO_URL), agent,
            undefined, oauth.ClientSecretBasic(env.SAYSO_AGENT_KEY),
            { algorithm: "oauth2", execute: [oauth.allowInsecureRequests] });
        await use({ call, config, url,
            pushed: async () => verified(await push.next(), secret) });
    } finally {
        child.kill();
        push.close();
    }
}

function asks({ config, url }) {
    return oauth.initiateBackchannelAuthentication(config, {
        authorization_details: JSON.stringify(details), resource: url,
        binding_message: "Refund order 12345", session_id: "s-1",
        reasoning: "It arrived broken.", scope: "" });
}

/* A key of the agent, which signs its proofs. */
async function keyOf(config) {
    return oauth.getDPoPHandle(config,
        await oauth.randomDPoPKeyPair("ES256"));
}

/* The gateway reports the result after it has answered. */
async function reported(read) {
    for (let tries = 0; (await read()).view !== "completed"; tries += 1) {
        assert.ok(tries < 100, "no result was reported");
        await new Promise((done) => setTimeout(done, 100));
    }
}

async function approved(env, world) {
    const { call, config, url, pushed } = world;
    const asked = await asks(world);
    assert.equal(asked.status, "pending_veto");
    const page = await answer(env, asked.request_id, "Approve", "Fine.");
    const { type, data } = await pushed();
    assert.equal(type, "intent_authorized");
    assert.equal(data.session_id, "s-1");
    assert.equal(data.request_id, asked.request_id);
    const DPoP = await keyOf(config);
    const token = await oauth.pollBackchannelAuthenticationGrant(config,
        asked, undefined, { DPoP });
    assert.equal(token.permit_id, data.permit.id);
    const ran = await oauth.fetchProtectedResource(config,
        token.access_token, new URL(url), "POST", JSON.stringify({
            jsonrpc: "2.0", id: randomUUID(), method: "tools/call",
            params: { name: "shop.refund", arguments: tool } }),
        new Headers({ "Content-Type": "application/json",
            Accept: "application/json, text/event-stream" }), { DPoP });
    assert.equal(ran.status, 200);
    assert.equal((await ran.json()).result.content[0].text,
        "Refunded 49.90 EUR for order 12345.");
    await reported(() => call("AGENT", "GET",
        `/api/v1/permits/${token.permit_id}`));
    await page.reload();
    assert.match(await text(page), /Completed/);
    await page.context().close();
    const intent = await call("AGENT", "GET",
        `/api/v1/intents/${data.intent_id}`);
    const done = await call("AGENT", "POST",
        `/api/v1/intents/${data.intent_id}/status`, { status: "completed" },
        { "If-Match": String(intent.version) });
    assert.equal(done.status, "completed");
}

async function vetoed(env, world) {
    const asked = await asks(world);
    const page = await answer(env, asked.request_id, "Reject",
        "Ask Alice first.");
    await page.context().close();
    const { type, data } = await world.pushed();
    assert.equal(type, "intent_vetoed");
    assert.equal(data.session_id, "s-1");
    assert.equal(data.reason, "Ask Alice first.");
    assert.equal(data.permit, null);
    const DPoP = await keyOf(world.config);
    await assert.rejects(oauth.pollBackchannelAuthenticationGrant(
        world.config, asked, undefined, { DPoP }),
    (error) => error.error === "access_denied");
}

test("an agent yields its turn, and goes on with a permit or a veto", () => {
    const dir = mkdtempSync("/tmp/sayso-yield-");
    const pair = certificate(dir);
    return withServer("yield", "--detach",
        { SAYSO_CA_FILE: join(dir, "cert.pem") }, (env) =>
            around(env, dir, pair, async (world) => {
                await approved(env, world);
                await vetoed(env, world);
            })).finally(() => rmSync(dir, { recursive: true }));
});
