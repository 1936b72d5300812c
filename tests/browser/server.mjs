/* One Sayso for the whole run: real nginx, workers and PostgreSQL by ./start,
 * and the agent's side of it through the API. Never looks at a page. */
import { execFile, execFileSync, spawnSync } from "node:child_process";
import {
    chmodSync, mkdtempSync, readFileSync, realpathSync, rmSync,
} from "node:fs";
import { createServer } from "node:net";
import { request } from "node:http";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";

export const top = join(dirname(fileURLToPath(import.meta.url)), "../..");
/* Not Debian's wrapper, which is a script that takes longer than psql. */
const psql = "/usr/lib/postgresql/15/bin/psql";
const environ = {
    ...process.env, SAYSO_TEMPLATES_STRICT: "yes", SAYSO_PASSWORD_COST: "min",
    // As in tests/server.py.
    ASAN_OPTIONS: "malloc_context_size=5:quarantine_size_mb=16:" +
        (process.env.ASAN_OPTIONS ?? ""),
};
let made = null; // the directory, when it is only ours

/* The values of sayso.env, and the directory of the state. */
export const server = { url: "", state: "", env: {} };

/* "GET /path" of every request for a page. */
export const visited = new Set();

export function freePort() {
    return new Promise((done) => {
        const one = createServer();
        one.listen(0, "127.0.0.1", () => {
            const { port } = one.address();
            one.close(() => done(port));
        });
    });
}

function run(command, args, options = {}) {
    const done = spawnSync(command, args, {
        cwd: top, env: environ, encoding: "utf8", timeout: 60000, ...options,
    });
    if (done.status !== 0) {
        throw new Error(`${command} ${args.join(" ")}: ${done.error ?? ""}` +
                        `${done.stdout}${done.stderr}`);
    }
    return done.stdout.trim();
}

export async function startServer() {
    if (!environ.SAYSO_VAR) {
        made = mkdtempSync("/tmp/sayso-browser-");
        chmodSync(made, 0o755);
        environ.SAYSO_VAR = made;
    }
    environ.SAYSO_PORT ??= String(await freePort());
    run(join(top, "start"), ["--detach"],
        { timeout: 240000, stdio: ["ignore", "pipe", "pipe"] });
    const file = realpathSync(join(environ.SAYSO_VAR, "sayso.env"));
    server.state = dirname(file);
    for (const line of readFileSync(file, "utf8").split("\n")) {
        const at = line.indexOf("=");
        if (at > 0) {
            server.env[line.slice(0, at)] = line.slice(at + 1);
        }
    }
    server.url = server.env.SAYSO_URL;
}

/* Another one beside it, which ./start WORDS makes: use(the values of its
 * sayso.env, and STATE, its directory), and stop. The other tests go on
 * meanwhile. */
export async function withServer(name, words, settings, use) {
    const state = `${environ.SAYSO_VAR}-${name}`;
    const env = { ...environ, SAYSO_VAR: state, ...settings,
                  SAYSO_PORT: String(await freePort()) };
    const start = (how) => promisify(execFile)(join(top, "start"),
        how.split(" "),
        { cwd: top, env, timeout: 300000 });
    try {
        await start(words);
        const file = realpathSync(join(state, "sayso.env"));
        const values = readFileSync(file, "utf8").split("\n")
            .map((line) => /^(\w+)=(.*)$/.exec(line)?.slice(1))
            .filter(Boolean);
        await use({ ...Object.fromEntries(values), STATE: dirname(file) });
    } finally {
        await start("--stop");
    }
}

export function stopServer() {
    run(join(top, "start"), ["--stop"]);
    if (made) {
        rmSync(made, { recursive: true, force: true });
    }
}

/* A command of the program, with a line for its standard input. */
export function sayso(args, input = "") {
    return run(join(server.state, "app/sayso"), args, {
        input: `${input}\n`,
        env: { ...environ, SAYSO_CONF: join(server.state, "sayso.conf") },
    });
}

/* The rows of the route table that answer with a page. */
export function pageRoutes() {
    const table = readFileSync(join(top, "src/doors/route.c"), "utf8");
    const row = /\{(GET|POST), "([^"]+)", (?:OPEN|COOKIE),[^}]*?\bHTML,/g;
    return [...table.matchAll(row)].map(([, method, pattern]) =>
        ({ method, pattern }));
}

/* A statement as the database's superuser: for what no door can do. */
export function sql(statement) {
    const conf = readFileSync(join(server.state, "sayso.conf"), "utf8");
    const host = /^database = .*host=(\S+)/m.exec(conf)[1];
    return run(psql, ["-X", "-q", "-At", "-v", "ON_ERROR_STOP=1", "-h", host,
        "-U", "postgres", "-d", "sayso", "-c", statement]);
}

/* A JSON request; role names the key, and the answer's status is demanded. */
export async function api(role, method, path, status, body, headers = {}) {
    const answer = await fetch(server.url + path, {
        method,
        headers: {
            "X-API-Key": server.env[`SAYSO_${role.toUpperCase()}_KEY`],
            ...(body === undefined ? {}
                : { "Content-Type": "application/json" }),
            ...headers,
        },
        body: body === undefined ? undefined : JSON.stringify(body),
        signal: AbortSignal.timeout(60000),
    });
    const text = await answer.text();
    if (answer.status !== status) {
        throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    }
    return text ? JSON.parse(text) : null;
}

/* An agent asks; the answer has suspension_id and intent_id. */
export function ask(question, agent = "refunds-agent") {
    return api("agent", "POST", "/api/v1/suspensions", 201, question,
        { "X-Agent-ID": agent });
}

export function suspension(id) {
    return api("operator", "GET", `/api/v1/suspensions/${id}`, 200);
}

export function respond(id, body) {
    return api("operator", "POST", `/api/v1/suspensions/${id}/respond`, 200,
        body);
}

export function cancel(id, reason, agent = "refunds-agent") {
    return api("agent", "POST", `/api/v1/suspensions/${id}/cancel`, 200,
        { reason }, { "X-Agent-ID": agent });
}

/* Removes the questions that other tests left open. */
export async function clear() {
    for (;;) {
        const { suspensions } = await api("operator", "GET",
            "/api/v1/suspensions?state=pending&limit=100", 200);
        if (!suspensions.length) {
            return;
        }
        for (const { suspension_id: id } of suspensions) {
            await api("admin", "POST", `/api/v1/suspensions/${id}/cancel`,
                200, { reason: "Cleared." }).catch((e) => {
                if (!/: 409 /.test(e.message)) { // it ended meanwhile
                    throw e;
                }
            });
        }
    }
}

/* Its time is over, as if it had passed. */
export function endNow({ suspension_id: id }) {
    const past = "now() - interval '1 s'";
    sql(`WITH o AS (UPDATE open_question SET ending = ${past}
                     WHERE suspension_id = '${id}' RETURNING suspension_id),
              e AS (UPDATE inbox_entry SET ending = ${past}
                     WHERE suspension_id = '${id}')
         UPDATE suspension SET expires_at = ${past}
          WHERE id IN (SELECT suspension_id FROM o)`);
}

/* A question whose time ends within the next second, and has ended. */
export async function askExpired(question) {
    const asked = await ask({ ...question, timeout_seconds: 1 });
    await new Promise((done) => setTimeout(done, 1200));
    return asked;
}

/* A request without a browser's help: the answer as it is on the wire. */
export function raw(path,
    { method = "GET", headers = {}, body, localAddress } = {}) {
    visited.add(`${method} ${path.split("?")[0]}`);
    return new Promise((done, failed) => {
        const options = { method, headers, localAddress };
        const sent = request(server.url + path, options, (got) => {
            const parts = [];
            got.on("data", (part) => parts.push(part));
            got.on("end", () => done({
                status: got.statusCode, headers: got.headers,
                body: Buffer.concat(parts),
            }));
        });
        sent.setTimeout(60000, () => sent.destroy(new Error("timeout")));
        sent.on("error", failed);
        sent.end(body);
    });
}

/* The process of this server that holds streams. */
export function holder() {
    const all = execFileSync("ps", ["-eo", "pid=,ppid=,comm="],
        { encoding: "utf8" }).split("\n").map((line) =>
        /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line)).filter(Boolean);
    const parent = new Map(all.map(([, pid, up]) => [pid, up]));
    const main = readFileSync(join(server.state, "pid"), "utf8").trim();
    return Number(all.find(([, pid, , name]) => name === "sayso: wait" &&
        parent.get(parent.get(pid)) === main)[1]);
}
