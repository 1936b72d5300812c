/** The hook before each tool of the Claude Agent SDK, at the fake server. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { Client } from "sayso-client";
import { gate } from "sayso-client/claude-agent";
import {
    approve, deny, edit, FakeServer, silence, withdrawn,
} from "sayso-client/testing";

const EVENT = { hook_event_name: "PreToolUse", tool_name: "Bash",
                tool_input: { command: "ls", timeout: 5 }, session_id: "s" };

async function decisionOf(options, event = EVENT, callId = "toolu_1") {
    const { PreToolUse: [{ hooks: [hook] }] } = gate("Bash", options);
    const { hookSpecificOutput: said } = await hook(event, callId, {});
    assert.equal(said.hookEventName, "PreToolUse");
    const { permissionDecision, permissionDecisionReason = "",
            updatedInput } = said;
    assert.equal(updatedInput === undefined, permissionDecision === "deny");
    return [permissionDecision, updatedInput ?? permissionDecisionReason];
}

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

test("a tool runs after a yes, and as a person has changed it", withServer(
    [approve, edit({ command: "ls -l" }), deny("No."), silence, withdrawn],
    async (client, server) => {
    assert.deepEqual(await decisionOf({ client }),
                     ["allow", EVENT.tool_input]);
    const about = (tool, args) => ({ target: `${tool}: ${args.command}` });
    assert.deepEqual(
        await decisionOf({ client, about }, EVENT, "toolu_2"),
        ["allow", { command: "ls -l", timeout: 5 }]);
    assert.equal(server.asked[1].subject.target, "Bash: ls");
    assert.equal(server.asked[1].allow_edit, true);
    for (const [n, why] of ["No.", "Nobody answered in time. That is not a "
        + "yes.", "The question was withdrawn."].entries())
        assert.deepEqual(await decisionOf({ client }, EVENT, `toolu_${n + 3}`),
                         ["deny", why]);
}));

test("a call is found again by its session and its id", withServer(
    [approve, deny("x"), deny("y")], async (client, server) => {
    await decisionOf({ client });
    assert.equal((await decisionOf({ client }))[0], "allow");
    const other = { ...EVENT, session_id: "t" };
    assert.deepEqual(await decisionOf({ client }, other), ["deny", "x"]);
    assert.deepEqual(await decisionOf({ client }, EVENT, ""),
                     ["deny", "y"]);
    assert.equal(server.asked.length, 3);
}));

test("whatever fails is a no", async () => {
    const away = new Client({ url: "http://127.0.0.1:9", key: "k",
                              maxRetries: 0 });
    const about = () => {
        throw new Error("a mistake");
    };
    const big = { ...EVENT, tool_input: { n: 2 ** 60 } };
    const stopped = AbortSignal.abort(new Error("enough"));
    delete process.env.SAYSO_URL;
    for (const [options, event, why] of [
        [{ client: away }, EVENT, /No person could be asked.*Unreachable/],
        [{}, EVENT, /SAYSO_URL is not set/],
        [{ client: away, about }, EVENT, /a mistake/],
        [{ client: away, signal: stopped }, EVENT, /enough/],
        [{ client: away }, big, /an object of JSON/],
        [{ client: away }, { ...EVENT, tool_input: "ls" }, /not the call/],
        [{ client: away }, { hook_event_name: "Stop" }, /not the call/],
        [{ client: away }, null, /TypeError/]]) {
        const [decision, reason] = await decisionOf(options, event);
        assert.equal(decision, "deny");
        assert.match(reason, why);
    }
});

test("its time ends before that of the client", () => {
    const of = (...given) => gate(...given).PreToolUse[0];
    const { timeout, onFailure, matcher } = of("Bash");
    assert.deepEqual([timeout, onFailure, matcher], [86400, "block", "Bash"]);
    assert.equal(of("", { wait: 60 }).timeout, 460);
    assert.ok(of("", { wait: Infinity }).timeout * 1000 < 2 ** 31);
    assert.ok(!("matcher" in of()));
});
