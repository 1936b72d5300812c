// Adds the key of an agent to each request, because the conformance client has
// no way to send one. usage: mcp_proxy.mjs '{"url", "key", "agent"}'; prints its
// port. Whatever else a request says goes on as it came, Host and Origin too.
import { createServer, request } from "node:http";

const given = JSON.parse(process.argv[2]);
const server = createServer((asked, answer) => {
    const headers = { ...asked.headers, authorization: `Bearer ${given.key}`,
        "x-agent-id": given.agent };
    // A client that means this proxy means the server behind it.
    const own = `localhost:${server.address().port}`;
    if (headers.host === own)
        headers.host = new URL(given.url).host;
    if (headers.origin === `http://${own}`)
        headers.origin = given.url;
    const on = request(new URL(asked.url, given.url),
        { method: asked.method, headers }, (from) => {
            answer.writeHead(from.statusCode, from.headers);
            from.pipe(answer);
        });
    on.on("error", () => answer.destroy());
    asked.pipe(on);
});
server.listen(0, "localhost", () => console.log(server.address().port));
