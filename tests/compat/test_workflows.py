"""The printed text of the pages of Trigger and Inngest, run with the
packages of these engines. Their services cannot be had here: a program on the
loopback address stands for Trigger, and Inngest's own test engine for
Inngest, whose wait for an event ends with what the real webhook brings."""
import subprocess

import kit
import pytest
from documents import block
from programs import NEW_NODE
from server import free_port
from test_pages import environment, said_in, started  # noqa: F401

SITUATIONS = ["approved", "refused", "away", "wrong key"]
REFUND = '''
import { createServer } from "node:http";
const refund = async (args: object) => {
    console.log("IT RAN", JSON.stringify(args));
    return "done";
};
const port = Number(process.env["PORT"]);
'''
TRIGGER = REFUND + '''
import { resourceCatalog, runtime, taskContext } from "@trigger.dev/core/v3";
process.env["TRIGGER_API_URL"] = `http://127.0.0.1:${port}`;
process.env["TRIGGER_SECRET_KEY"] = "tr_dev_none";

// The service: it makes a token, and hears that its address was called.
let call = (_: string): void => undefined;
const called = new Promise<string>((done) => call = done);
const service = createServer(async (request, response) => {
    let body = "";
    for await (const part of request)
        body += part;
    if (request.url!.includes("/callback/"))
        call(body);
    response.setHeader("Content-Type", "application/json");
    response.end(JSON.stringify(request.url!.endsWith("/tokens") ? {
        id: "waitpoint_1", isCached: false, url: `http://127.0.0.1:${port}`
            + "/api/v1/waitpoints/tokens/waitpoint_1/callback/1" }
        : { success: true }));
});
await new Promise<void>((done) => service.listen(port, "127.0.0.1", done));

// What runs a task there.
const ctx = { run: { id: process.env["SAYSO_AGENT"] }, task: {}, queue: {},
              environment: { type: "DEVELOPMENT" }, attempt: {},
              organization: {}, project: {} } as any;
runtime.setGlobalRuntimeManager({ waitForWaitpoint: async () => ({
    ok: true, output: await called, outputType: "application/json" }) } as any);
taskContext.setGlobalTaskContext({ ctx } as any);
let made: any;
resourceCatalog.setGlobalResourceCatalog(new Proxy({}, {
    get: (_, name) => (given: unknown) => {
        if (name === "registerTaskMetadata")
            made = given;
    } }) as any);
setTimeout(async () => {
    await made.fns.run({ order: "12345", amount: 50 }, { ctx })
        .then(console.log, (error: Error) => console.log(error.name));
    service.closeAllConnections();
    service.close();
});
'''
INNGEST = REFUND + '''
import { InngestTestEngine, mockCtx } from "@inngest/test";

// Where the webhook arrives, and what is sent then.
const receiver = createServer(async (request, response) => {
    let body = "";
    for await (const part of request)
        body += part;
    const { status } = await POST(new Request(`http://127.0.0.1:${port}`, {
        method: "POST", body, headers: request.headers as any }));
    response.writeHead(status).end();
});
await new Promise<void>((done) => receiver.listen(port, "127.0.0.1", done));
setTimeout(async () => {
    let send = (_: unknown): void => undefined;
    const sent = new Promise<unknown>((done) => send = done);
    inngest.send = (async (event: unknown) => {
        send(event);
        return { ids: [] };
    }) as any;
    const engine = new InngestTestEngine({
        function: refundOrder as any,
        events: [{ name: "shop/refund", data: { order: "12345", amount: 50 } }],
        transformCtx: (given: any) => {
            const ctx: any = mockCtx(given);
            return { ...ctx, step: { ...ctx.step, run: given.step.run,
                                     waitForEvent: () => sent } };
        } });
    const { result, error } = await engine.execute();
    console.log(result ?? Object(error).name);
    receiver.closeAllConnections();
    receiver.close();
});
'''
PAGES = {"trigger-dev": ("with/trigger-dev.md", "wait.createToken", TRIGGER),
         "inngest": ("with/inngest.md", "step.waitForEvent", INNGEST)}


@pytest.fixture(scope="module")
def compiled(typescript):
    """The program of each page. Their types do not hold with
    exactOptionalPropertyTypes."""
    files = {}
    for page, (document, words, before) in PAGES.items():
        code = before + block(document, "ts", words)
        if page == "inngest":
            code += block("with/inngest.md", "ts", "verifyWebhook")
        files[page] = typescript / "loose" / f"{page}.ts"
        files[page].write_text(code)
    done = subprocess.run(
        [NEW_NODE, NEW_NODE.parents[2] / "typescript/bin/tsc", "--noEmit",
         "-p", typescript / "loose"], text=True, capture_output=True)
    assert done.returncode == 0, done.stdout + done.stderr
    yield files
    for file in files.values():
        file.unlink()


@pytest.fixture
def endpoint(server):
    """Registers an address of this machine, as long as the test runs."""
    with server.client("admin") as admin:
        made = []

        def register(port, **more):
            r = admin.post("/api/v1/endpoints", json={
                "name": f"engine {port}", "internal": True, **more})
            made.append(kit.made(r, 201))
            return made[-1]
        yield register
        for one in made:
            admin.delete(f"/api/v1/endpoints/{one['endpoint_id']}")


@pytest.mark.parametrize("situation", SITUATIONS)
@pytest.mark.parametrize("page", PAGES)
def test_a_page_of_an_engine(started, compiled, endpoint, operator, page,
                             situation):
    port = free_port()
    address = f"http://127.0.0.1:{port}/"
    more = endpoint(port, url=f"{address}api/v1/waitpoints/tokens/",
                    prefix=True) if page == "trigger-dev" else \
        endpoint(port, url=address)
    said = said_in(situation, started(
        situation, NEW_NODE, compiled[page], PORT=str(port),
        SAYSO_WEBHOOK_SECRET=more.get("secret", "")), operator)
    assert said.count("IT RAN") == (situation == "approved"), said
    assert ("not refunded: So." in said) == (situation == "refused"), said
