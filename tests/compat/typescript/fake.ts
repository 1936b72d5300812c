/** Starts a fake server for each script that it reads, and tells where. */
import { createInterface } from "node:readline";
import * as testing from "sayso/testing";

type Scripted = [name: string, ...given: any[]];

function reply([name, ...given]: Scripted): testing.Reply {
    switch (name) {
    case "deny":
        return testing.deny(...given);
    case "answer":
        return testing.answer(given[0]);
    case "constrain":
        return testing.constrain(given[1], given[0]);
    case "edit":
        return testing.edit(given[1], given[0]);
    case "approve": case "silence": case "withdrawn": case "pending":
        return testing[name];
    default:
        throw new Error(name);
    }
}

/** The test of an agent. */
async function agent() {
    const server = await testing.FakeServer.start([
        testing.approve, testing.deny("Too much."),
        (question) => testing.edit({ amount: question["allow_edit"] && 20 }),
        testing.silence, testing.pending]);
    const ran: number[] = [], said: string[] = [];
    const refund = server.client().requireApproval(
        ({ amount }: { amount: number }) => ran.push(amount),
        { name: "refund", edit: true, wait: 0.2 });
    for (let turn = 0; turn < 5; turn++)
        await refund({ amount: 50 }).catch((no) => {
            said.push((no as Error).message);
        });
    const states = server.asked.map(({ state }) => state);
    await server.stop();
    return { ran, said, states };
}

for await (const line of createInterface({ input: process.stdin })) {
    const { script } = JSON.parse(line) as { script?: Scripted[] };
    if (!script) {
        console.log(JSON.stringify(await agent()));
        continue;
    }
    const { url, key } = await testing.FakeServer.start(script.map(reply));
    console.log(JSON.stringify({ url, key }));
}
