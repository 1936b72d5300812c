/** CommonJS: one client, with a `fetch` of its own, that is closed. */
import { Client, type ClientOptions, type Suspension } from "sayso-client";
import { approve, FakeServer, type Reply } from "sayso-client/testing";

const options: ClientOptions = {
    url: process.env["SAYSO_URL"], key: "k", timeout: 10, maxRetries: 5,
    fetch: globalThis.fetch };

async function main(): Promise<void> {
    await using server = await FakeServer.start(
        [approve, (asked: Suspension): Reply => {
            console.log(asked.question);
            return approve;
        }]);
    using client = new Client({ ...options, url: server.url, key: server.key });
    for await (const one of client.list({ state: "pending" }))
        await client.cancel(one.id, { reason: "It is over." });
    const feed = client.feed({ after: "0", wait: 1, allAgents: true });
    for await (const { outcome } of feed)
        console.log(outcome === "authorized", feed.place);
}
void main();
