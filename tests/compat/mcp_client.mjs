// A call of a tool by an MCP package of npm. usage: mcp_client.mjs '{"package",
// "mode"?, "url", "key", "agent", "tool", "arguments"}'; prints its result as
// JSON. The packages stand in NODE_PATH, which modules do not look at.
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const given = JSON.parse(process.argv[2]);
const require = createRequire(`${process.env.NODE_PATH}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)));
const from = given.package;
const { Client } = await load(
    from === "@modelcontextprotocol/sdk" ? `${from}/client/index.js` : from);
const { StreamableHTTPClientTransport } = await load(
    from === "@modelcontextprotocol/sdk"
        ? `${from}/client/streamableHttp.js` : from);

const client = new Client({ name: "compat", version: "1" },
    given.mode ? { versionNegotiation: { mode: given.mode } } : {});
await client.connect(new StreamableHTTPClientTransport(new URL(given.url), {
    requestInit: { headers: { Authorization: `Bearer ${given.key}`,
        "X-Agent-ID": given.agent } } }));
const { tools } = await client.listTools();
const heard = [];
const options = { onprogress: (p) => heard.push(p.message) };
const call = { name: given.tool, arguments: given.arguments };
const result = await (from === "@modelcontextprotocol/sdk"
    ? client.callTool(call, undefined, options)
    : client.callTool(call, options));
console.log(JSON.stringify({ tools: tools.map((t) => t.name),
    heard, isError: result.isError, record: result.structuredContent }));
await client.close();
