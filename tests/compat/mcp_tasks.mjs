// A call of a tool by the package of the Tasks extension, which is strict about
// what a task looks like. usage: mcp_tasks.mjs '{"url", "key", "agent", "tool",
// "arguments", "cancel"?}'; prints how the task ended, the states that were seen,
// and the methods that were called. The package has no way to send by itself.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const given = JSON.parse(process.argv[2]);
const packages = `${process.env.NODE_PATH}/@modelcontextprotocol`;
const require = createRequire(`${process.env.NODE_PATH}/`);
const { Client, StreamableHTTPClientTransport } = await import(
    pathToFileURL(require.resolve("@modelcontextprotocol/client")));
const { createTaskSessionFromClient } = await import(
    pathToFileURL(`${packages}/ext-tasks/dist/client/index.js`));

const headers = { Authorization: `Bearer ${given.key}`,
    "X-Agent-ID": given.agent };
const clientInfo = { name: "compat", version: "1" };
const client = new Client(clientInfo,
    { versionNegotiation: { mode: "auto" } });
await client.connect(new StreamableHTTPClientTransport(new URL(given.url),
    { requestInit: { headers } }));

const called = [], seen = [];
let id = 0;
async function rawDispatch(request, options) {
    called.push(request.method);
    const params = request.params;
    const r = await fetch(given.url, { method: "POST", headers: {
        ...headers, "Content-Type": "application/json",
        Accept: "application/json, text/event-stream",
        "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": request.method,
        "Mcp-Name": params.name ?? params.taskId,
        ...options?.context?.headers },
    signal: options?.signal,
    body: JSON.stringify({ jsonrpc: "2.0", id: ++id, ...request }) });
    const { error, result } = await r.json();
    return error ? { kind: "error", error } : { kind: "result", result };
}

const session = createTaskSessionFromClient(client, { endpointId: "sayso",
    rawDispatch, v2RequestFraming: { protocolVersion: "2026-07-28", clientInfo,
        clientCapabilities: { extensions: {
            "io.modelcontextprotocol/tasks": {} } } } });
const execution = await session.callTool(given.tool, given.arguments);
if (given.cancel)
    await execution.cancel();
const { outcome } = await execution.settle({ onEvent: (e) => {
    if (e.type === "task") seen.push(e.task.status);
} });
console.log(JSON.stringify({ kind: execution.kind, outcome, seen, called,
    task: execution.handle?.taskId }));
await session.close();
await client.close();
