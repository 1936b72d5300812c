/** The calls of one turn, at the fake server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "sayso-client";
import { answer } from "sayso-client/openai-agents";
import { approve, deny, FakeServer, pending } from "sayso-client/testing";

const items = ["call_1", "call_2"].map((callId) => ({
    name: "refund", arguments: "{}", rawItem: { type: "function_call", callId },
}));

function state() {
    const made = { approved: [], rejected: [], getInterruptions: () => items };
    made.approve = (item) => made.approved.push(item);
    made.reject = (item, { message }) => made.rejected.push(message);
    return made;
}

test("each question is told once, however it ends", async () => {
    const server = await FakeServer.start([approve, pending]);
    const told = [];
    const client = new Client({ url: server.url, key: server.key,
                                onAsked: ({ id }) => void told.push(id) });
    try {
        const one = state();
        await answer(one, { client, wait: 0.2 });
        assert.deepEqual(one.approved, [items[0]]);
        assert.deepEqual(told, server.asked.map((q) => q.suspension_id));
    } finally {
        await server.stop();
    }
});

/** The first one is withdrawn just when all are asked. */
test("one that is asked anew is told too", async () => {
    const server = await FakeServer.start([pending, approve, deny("No.")]);
    const told = [];
    const client = new Client({
        url: server.url, key: server.key, onAsked: async ({ id }) => {
            if (told.push(id) === 2)
                await client.cancel(told[0]);
        } });
    try {
        const one = state();
        await answer(one, { client, about: () => ({ anew: true }) });
        assert.deepEqual(one.rejected, ["No."]);
        assert.equal(server.asked.length, 3);
        assert.deepEqual(told, server.asked.map((q) => q.suspension_id));
    } finally {
        await server.stop();
    }
});
