/** Starts a fake server for each script that it reads, and tells where. */
import { createInterface } from "node:readline";
import { type Suspension } from "sayso-client";
import * as testing from "sayso-client/testing";

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

interface Access {
    url: string;
    key: string;
}

/** The test of an agent. */
async function agent(real?: Access) {
    const script = [
        testing.approve, testing.deny("Too much."),
        (question: Suspension) =>
            testing.edit({ amount: question["allow_edit"] && 20 }),
        testing.silence, testing.pending];
    const server = real ? await testing.RealServer.start(script, real)
                        : await testing.FakeServer.start(script);
    const ran: number[] = [], said: string[] = [];
    const refund = server.client().requireApproval(
        ({ amount }: { amount: number }) => ran.push(amount),
        { name: "refund", edit: true, wait: real ? 15 : 0.2,
          timeout_seconds: 86400, severity: "critical" });
    for (let turn = 0; turn < 5; turn++)
        await refund({ amount: 50 }).catch((no) => {
            said.push((no as Error).message);
        });
    await server.stop();
    return { ran, said, states: server.asked.map(({ state }) => state) };
}

async function over(real: Access) {
    const server = await testing.RealServer.start([], real);
    const { state } = await server.client().ask("x?", { wait: 20 });
    const error = await server.stop().then(() => "none", String);
    return { state, error };
}

for await (const line of createInterface({ input: process.stdin })) {
    const { script, real, over: isOver } = JSON.parse(line) as {
        script?: Scripted[]; real?: Access; over?: boolean };
    if (!script) {
        const told = isOver ? await over(real!) : await agent(real);
        console.log(JSON.stringify(told));
        continue;
    }
    const { url, key } = await testing.FakeServer.start(script.map(reply));
    console.log(JSON.stringify({ url, key }));
}
