"""The parts that tests over HTTP share: the route table as data, helpers that
make intents and questions, and checks of every answer."""
import base64
import collections
import concurrent.futures
import contextlib
import decimal
import hashlib
import itertools
import json
import os
import pathlib
import pwd
import re
import signal
import socket
import struct
import subprocess
import threading
import time
import uuid

import httpx

from server import TOP, Server, children, comm, free_port

ROLES = ("agent", "operator", "admin", "auditor", "user", "resource")
ANY_ID = "11111111-2222-4333-8444-555555555555"
NAIVE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}")
ZULU = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")

# --- The route table ------------------------------------------------------

Route = collections.namedtuple(
    "Route", "name method pattern proof roles query body style needs")


def _strings(text, macros):
    """C's concatenation of literals and macros that are literals."""
    out = ""
    for word in re.findall(r'"[^"]*"|[A-Z_]+', text):
        out += word[1:-1] if word[0] == '"' else _strings(macros[word], macros)
    return out


_OUT = r"^ *OUT\((\w+), (.*)\),\n"


def _unsupported():
    """The methods and addresses that answer 501."""
    text = (TOP / "src/doors/route.c").read_text()
    macros = dict(re.findall(r"^#define (\w+) (.+)$", text, re.M))
    return [(method, _strings(pattern, macros))
            for method, pattern in re.findall(_OUT, text, re.M)]


def _routes():
    text = (TOP / "src/doors/route.c").read_text()
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    macros = dict(re.findall(r"^#define (\w+) (.+)$", text, re.M))
    sets = {"ROLE_" + r.upper(): {r} for r in ROLES}
    table = text.split("routes[] = {")[1].split("\n};")[0]
    table = re.sub(_OUT, "", table, flags=re.M)
    for name, value in re.findall(r"(\w+) = ([^,{}]+)",
                                  text.split("enum {")[1].split("}")[0]):
        sets[name] = set().union(*(sets[w] for w in value.strip().split(" | ")))
    out = []
    for row in re.findall(r"\{(.*?)\}[,\s]*(?=\{|$)", table, re.S):
        parts = [p.strip() for p in re.split(r",\s*(?![^{]*})", row)]
        if len(parts) != 9:
            raise ValueError(f"a row of the route table: {row}")
        method, pattern, proof, who, query, body, style, _, needs = parts
        pattern = _strings(pattern, macros)
        roles = set() if who == "0" else set().union(
            *(sets[w] for w in who.split(" | ")))
        size = re.fullmatch(r"(\d+)( \* KB)?", body)
        out.append(Route(f"{method} {pattern}", method, pattern, proof, roles,
                         [w.split(":")[0]
                          for w in _strings(query, macros).split()],
                         int(size[1]) * (1024 if size[2] else 1), style,
                         needs))
    return out


ROUTES = _routes()
UNSUPPORTED = _unsupported()
KEYED = [r for r in ROUTES if r.proof in ("KEY", "LOG")]
# Without the address that answers JSON-RPC, and the one that takes files:
# test_mcp.py, test_artifacts.py.
WRITING = [r for r in ROUTES if r.method in ("POST", "PATCH", "PUT")
           and r.style not in ("HTML", "OAUTH")
           and r.pattern not in ("/mcp", "/api/v1/artifacts")]


def by_name(rows):
    return {"argvalues": rows, "ids": [r.name for r in rows]}


def fill(pattern, **ids):
    """The pattern with an id that nothing has, or the given ones."""
    return re.sub(r"\{(\w+)\}", lambda m: ids.get(m[1], ANY_ID), pattern)


_PATTERNS = [(r, re.compile(re.sub(r"\\\{\w+\\\}", "[^/]+",
                                   re.escape(r.pattern)))) for r in ROUTES]


def find(method, path):
    """The row that answers a request, or None."""
    method = "GET" if method == "HEAD" else method
    for r, at in _PATTERNS:
        if r.method == method and at.fullmatch(path):
            return r
    return None


# --- What holds for every answer ------------------------------------------

LEAKS = re.compile(r"SELECT |INSERT |UPDATE |Sanitizer|/tmp/|/var/|/src/|"
                   r"\.c:\d|\.sql\b|0x[0-9a-f]{8}|"
                   r"(?i:sqlstate|libpq|\bpg_|postgres)")


def style_of(method, path):
    row = find(method, path)
    if row:
        return row.style
    for row in ROUTES:
        if path.startswith("/api/") and \
                row.pattern.split("/")[:4] == path.split("/")[:4]:
            return row.style
    if path.startswith("/oauth/"):
        return "OAUTH"
    if path.startswith("/v1/"):
        return "DETAIL" if (method, path) in UNSUPPORTED else "AAP"
    return "DETAIL" if path.startswith(("/api/", "/.well-")) else None


def check_answer(response):
    """Checks every answer of the server; raises where a check fails."""
    method, path = response.request.method, response.request.url.path
    status, text = response.status_code, response.text
    assert status != 500, f"{method} {path}: 500 {text}"
    assert 200 <= status < 504, f"{method} {path}: {status}"
    if status < 400 or method == "HEAD":
        return
    # A token is random and may spell any word.
    plain_text = re.sub(r'name="csrf" value="[^"]*"', "", text)
    assert not LEAKS.search(plain_text), f"{method} {path}: {text}"
    kind = response.headers["content-type"]
    assert response.headers["x-content-type-options"] == "nosniff"
    assert response.headers["cache-control"] == "no-store"
    assert status != 503 or int(response.headers["retry-after"]) > 0
    if kind.startswith("text/html"):
        assert style_of(method, path) in ("HTML", None)
        assert text.lower().startswith("<!doctype html>"), text
        return
    assert status != 429 or int(response.headers["retry-after"]) > 0
    body = response.json()
    assert isinstance(body, dict), text
    if status == 409 and not str(body.get("code")).startswith("lease."):
        assert "lease" not in text.lower(), text
    if "x-request-id" not in response.headers:  # it came from nginx
        assert kind == "application/json" and body["detail"] and body["code"]
    elif path == "/mcp" and kind == "application/json":
        assert body["jsonrpc"] == "2.0"
        assert body["error"]["code"] < 0 and body["error"]["message"]
    elif style_of(method, path) == "OAUTH":
        assert kind == "application/json", kind
        assert body["error"]
        # RFC 6749 5.2
        assert re.fullmatch(r"[\x20-\x21\x23-\x5b\x5d-\x7e]+",
                            body["error_description"])
    elif style_of(method, path) == "AAP":
        assert kind == "application/json", kind
        error = body["error"]
        assert error["type"] and error["code"] and error["message"]
    elif style_of(method, path) == "DETAIL":
        assert kind == "application/json", kind
        assert body["detail"] and body["message"] and body["code"]
    else:
        assert kind == "application/problem+json", kind
        assert body["status"] == status and body["title"] and body["type"]
        assert body["detail"] and body["code"]


class Watched(Server):
    """A server whose answers are all checked."""

    def client(self, *args, **kwargs):
        def watch(response):
            response.read()
            check_answer(response)

        client = super().client(*args, **kwargs)
        client.event_hooks = {**client.event_hooks, "response": [watch]}
        return client

    def postmaster(self):
        pid = (self.state / "postgres/postmaster.pid").read_text()
        return int(pid.splitlines()[0])

    def log(self, name="sayso"):
        return (self.state / "log" / f"{name}.log").read_text()


def waiter_process(server):
    """The process that holds waiters; None while there is none."""
    found = [p for p in children(server.supervisor())
             if comm(p) == "sayso: wait"]
    return found[0] if len(found) == 1 else None


def complaints(server):
    """Lines of the log that no request should be able to cause."""
    return [x for x in server.log().splitlines()
            if re.search("Sanitizer|runtime error|internal code|was left open|"
                         r"supervisor: sayso: \w+, \d+, (ended|is killed)", x)]


@contextlib.contextmanager
def own_server(where, **settings):
    """A server of these tests alone. After them every chain verifies, and the
    log has no internal error."""
    one = Watched(where, **settings).start()
    yield one
    verified = one.sayso("verify").stdout
    one.stop()
    assert " broken" in verified
    # Some tests write the rows of questions themselves, without an event.
    assert not re.findall("^BROKEN (?!question|receipt of question).*",
                          verified, re.M)
    assert complaints(one) == []


@contextlib.contextmanager
def other_nginx(server, at, port):
    """Another nginx before the same workers, of the files in that directory."""
    for path in at.glob("*.conf"):
        path.write_text(re.sub(r"listen unix:\S+;",
                               f"listen 127.0.0.1:{free_port()};",
                               path.read_text()))
    (at / "log").write_text("")
    # As the user of ./start's own nginx: no other may connect to the sockets.
    owner = (server.state / "postgres").stat()
    for path in (at, *at.iterdir()):
        os.chown(path, owner.st_uid, owner.st_gid)
    as_owner = {"user": owner.st_uid, "group": owner.st_gid,
                "extra_groups": []} if os.geteuid() == 0 else {}
    run = subprocess.Popen(["nginx", "-e", at / "log", "-c",
                            at / "nginx.conf"], cwd="/", **as_owner)

    def there():
        assert run.poll() is None, (at / "log").read_text()
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", port)) == 0

    wait_for(there)
    yield
    run.terminate()
    run.wait(30)


class _Patient(httpx.HTTPTransport):
    """Sends a request again that nginx refused, for its limit of sign-ins is
    shared by all tests. An answer of Sayso has an id."""

    def handle_request(self, request):
        for _ in range(200):
            response = super().handle_request(request)
            if response.status_code != 429 or \
                    "x-request-id" in response.headers:
                break
            response.close()
            time.sleep(0.05)
        return response


def elsewhere(patient=True):
    """A transport from an address of its own, of the many that a loopback
    has: nginx counts logins by address."""
    n = next(_addresses)
    of = _Patient if patient else httpx.HTTPTransport
    return of(verify=False, local_address=f"127.1.{n // 250}.{n % 250 + 1}")


_addresses = itertools.count()


def wait_for(what, seconds=30):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if got := what():
            return got
        time.sleep(0.05)
    raise AssertionError("it did not happen in time")


def settled(db):
    """Is all that happened in the newest log, with a head and with receipts?"""
    events, leaves, ended, receipts, head = db.execute(
        "SELECT (SELECT count(*) FROM event), (SELECT size FROM log_end ORDER "
        "BY epoch DESC LIMIT 1), (SELECT count(*) FROM decision), (SELECT "
        "count(*) FROM receipt), (SELECT size FROM log_head ORDER BY epoch DESC,"
        " size DESC LIMIT 1)").fetchone()
    return events == leaves == head and ended == receipts


def start_database(server):
    """As ./start does, which does not restart it by itself."""
    data = server.state / "postgres"
    owner = pwd.getpwuid(data.stat().st_uid)
    as_owner = {}
    if os.geteuid() == 0:
        as_owner = {"user": owner.pw_uid, "group": owner.pw_gid,
                    "extra_groups": []}
    # Its log stays in the place of ./start, and belongs to the owner.
    with open(server.state / "log/postgres.log", "a") as log:
        process = subprocess.Popen(
            ["/usr/lib/postgresql/15/bin/postgres", "-D", data], stdout=log,
            stderr=log, stdin=subprocess.DEVNULL, cwd="/",
            start_new_session=True, **as_owner)
    # The test waits for it itself: no other process reaps this child.
    threading.Thread(target=process.wait, daemon=True).start()
    return process


@contextlib.contextmanager
def configured(server, **settings):
    """The server with these settings, until all of its workers have the old
    ones again."""
    conf = server.state / "sayso.conf"
    before = conf.read_text()
    kept = [x for x in before.splitlines()
            if x.split("=")[0].strip() not in settings]
    lines = [f"{k} = {v}" for k, v in settings.items()]

    def load(text):
        old = set(server.workers())
        conf.write_text(text)
        os.kill(server.supervisor(), signal.SIGHUP)
        wait_for(lambda: server.workers() and
                 not old & set(server.workers()))

    load("\n".join(kept + lines) + "\n")
    try:
        yield
    finally:
        load(before)


@contextlib.contextmanager
def locked(server, *intents):
    """Holds the rows of intents, so that requests about them wait."""
    with server.database() as db, db.transaction():
        db.execute("SELECT FROM intent WHERE id = ANY (%s) FOR UPDATE",
                   [[i["id"] for i in intents]])
        yield db


@contextlib.contextmanager
def asleep(server, name):
    """Stops one of the server's processes, so that its work is not done."""
    pid = server.child(name)
    os.kill(pid, signal.SIGSTOP)
    try:
        yield pid
    finally:
        os.kill(pid, signal.SIGCONT)


def waiting(server):
    """How many statements of the workers wait for a lock."""
    with server.database() as db:
        return db.execute("SELECT count(*) FROM pg_stat_activity WHERE "
                          "usename = 'sayso_web' AND wait_event_type = "
                          "'Lock'").fetchone()[0]


def connections(path):
    """The inodes of the sockets accepted at a path, from /proc."""
    rows = [x.split() for x in
            pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]]
    return {f"socket:[{row[6]}]" for row in rows
            if len(row) == 8 and row[7] == str(path) and row[5] == "03"}


def holds(pid, path):
    """How many of them a process has."""
    def target(link):
        try:
            return os.readlink(link)
        except OSError:
            return None  # it was closed meanwhile

    try:
        have = {target(f) for f in pathlib.Path(f"/proc/{pid}/fd").iterdir()}
    except OSError:
        return 0
    return len(connections(path) & have)


def has_request(worker, path):
    """Holds it one of the connections to nginx?"""
    return holds(worker, path) > 0


def queued(path):
    """The number of connections at a path that were not accepted yet."""
    rows = [x.split() for x in
            pathlib.Path("/proc/net/unix").read_text().splitlines()[1:]]
    return sum(len(row) == 8 and row[7] == str(path) and row[5] == "02"
               for row in rows)


def busy_worker(server):
    """The one worker that has a request."""
    def busy():
        found = [w for w in server.workers() if has_request(w, server.socket)]
        return found if len(found) == 1 else None

    return wait_for(busy)[0]


def resident(pid):
    """The memory of a process, in bytes; 0 where it has ended."""
    try:
        text = pathlib.Path(f"/proc/{pid}/statm").read_text()
    except OSError:
        return 0
    return int(text.split()[1]) * os.sysconf("SC_PAGE_SIZE")


def _flat(body):
    """The Agent Approval Protocol has an error in a member of its own."""
    error = body.get("error")
    if not isinstance(error, dict):
        return body
    return {**body, **error, "detail": error["message"]}


def refused(response, status, code=None, at=None):
    """Checks that it was refused in this way. Returns the body."""
    said = response.text[:500]
    assert response.status_code == status, said
    body = _flat(response.json())
    if code:
        assert body["code"] == code, said
    if at is not None:
        assert body.get("at") == at, said
    return body


# --- Making things --------------------------------------------------------

def new_id():
    return str(uuid.uuid4())


def get(client, intent):
    r = client.get(f"/api/v1/intents/{intent['id']}")
    assert r.status_code == 200, r.text
    return r.json()


def set_status(client, intent, status, version=None, **more):
    version = intent["version"] if version is None else version
    return client.post(f"/api/v1/intents/{intent['id']}/status",
                       json={"status": status, **more},
                       headers={"If-Match": str(version)})


def patch(client, intent, *patches, version=None):
    version = intent["version"] if version is None else version
    return client.post(f"/api/v1/intents/{intent['id']}/state",
                       json={"patches": list(patches)},
                       headers={"If-Match": str(version)})


def put(path, value):
    return {"op": "set", "path": path, "value": value}


def at(intent, *path):
    """The path of an intent, or of a part of it."""
    return "/".join(["/api/v1/intents", intent["id"], *path])


def made(response, status=201):
    assert response.status_code == status, response.text
    return response.json()


def new_intent(client, status="active", **body):
    """An intent in one of the statuses that a call can set."""
    r = client.post("/api/v1/intents", json={"title": "Refund", **body})
    assert r.status_code == 201, r.text
    steps = {"draft": [], "active": ["active"],
             "blocked": ["active", "blocked"],
             "suspended_awaiting_input": ["active", "suspended_awaiting_input"],
             "completed": ["active", "completed"],
             "abandoned": ["abandoned"]}[status]
    for step in steps:
        r = set_status(client, r.json(), step)
        assert r.status_code == 200, r.text
    return r.json()


CHOICES = [{"value": "approve", "label": "Approve refund",
            "description": "Issue full refund", "style": "primary"},
           {"value": "deny", "label": "Deny refund", "style": "danger"}]


def record(**more):
    """A record as the SDK writes it."""
    return {"id": new_id(), "question": "Refund order 12345?",
            "response_type": "choice", "choices": CHOICES,
            "context": {"order_id": "12345", "amount": 499.99},
            "fallback_policy": "fail",
            "suspended_at": "2020-01-01T00:00:00.000000", **more}


def suspend(client, **more):
    """The SDK's two calls; returns the intent and the suspension's id."""
    intent = new_intent(client, "suspended_awaiting_input")
    wanted = record(**more)
    wanted = {k: v for k, v in wanted.items() if v is not None}
    r = patch(client, intent, put("_suspension", wanted))
    assert r.status_code == 200, r.text
    return r.json(), wanted["id"]


def respond(client, intent, suspension_id, value, **more):
    headers = more.pop("headers", {})
    return client.post(f"/api/v1/intents/{intent['id']}/suspend/respond",
                       json={"suspension_id": suspension_id, "value": value,
                             **more}, headers=headers)


def ask(client, **more):
    headers = more.pop("headers", {})
    body = {"question": "Refund order 12345?", "response_type": "choice",
            "choices": CHOICES, **more}
    body = {k: v for k, v in body.items() if v is not None}
    r = client.post("/api/v1/suspensions", json=body, headers=headers)
    assert r.status_code == 201, r.text
    return r.json()


def read(client, asked):
    """A question as it is now."""
    r = client.get(f"/api/v1/suspensions/{asked['suspension_id']}")
    assert r.status_code == 200, r.text
    return r.json()


def answer(client, asked, value="approve", **more):
    headers = more.pop("headers", {})
    return client.post(
        f"/api/v1/suspensions/{asked['suspension_id']}/respond",
        json={"value": value, **more}, headers=headers)


def lost(server, asked):
    """As after a restore that took the use of its yes back."""
    with server.database() as db:
        db.execute("INSERT INTO answer_use (suspension_id, operation_id, by, "
                   "by_key, at) SELECT id, 'restored', 'restore', "
                   "asked_by_key, now() FROM suspension WHERE id = %s",
                   [asked["suspension_id"]])
    return asked


def end_key(server, key, how):
    """"revoked" or "expired", now."""
    column = {"revoked": "revoked_at", "expired": "expires_at"}[how]
    with server.database() as db:
        done = db.execute(
            f"UPDATE api_key SET {column} = now() WHERE key_sha256 = %s",
            [hashlib.sha256(key.encode()).hexdigest()])
    assert done.rowcount == 1


def events(client, intent_id, **query):
    r = client.get(f"/api/v1/intents/{intent_id}/events", params=query)
    assert r.status_code == 200, r.text
    return r.json()


def types(client, intent_id):
    """The types of an intent's events, oldest first."""
    return [e["event_type"] for e in reversed(events(client, intent_id))]


# --- The hash chain, worked out independently -----------------------------

def _number(v):
    """As ECMAScript prints a double (ECMA-262, Number::toString)."""
    if isinstance(v, int):
        return str(v)
    sign, digits, exponent = decimal.Decimal(repr(v)).normalize().as_tuple()
    digits, minus = "".join(map(str, digits)), "-" if sign else ""
    k, n = len(digits), len(digits) + exponent
    if v == 0:
        return "0"
    if k <= n <= 21:
        return minus + digits + "0" * (n - k)
    if 0 < n <= 21:
        return f"{minus}{digits[:n]}.{digits[n:]}"
    if -6 < n <= 0:
        return f"{minus}0.{'0' * -n}{digits}"
    rest = "." + digits[1:] if k > 1 else ""
    return f"{minus}{digits[0]}{rest}e{'+' if n > 0 else ''}{n - 1}"


def canonical(v):
    """RFC 8785, as text."""
    if isinstance(v, dict):
        keys = sorted(v, key=lambda k: k.encode("utf-16-be"))
        return "{" + ",".join(canonical(k) + ":" + canonical(v[k])
                              for k in keys) + "}"
    if isinstance(v, list):
        return "[" + ",".join(map(canonical, v)) + "]"
    if isinstance(v, (int, float)) and not isinstance(v, bool):
        return _number(v)
    return json.dumps(v, ensure_ascii=False)


def hash_of(event):
    """The hash that an event as GET shows it should have."""
    rest = {k: v for k, v in event.items() if k != "event_hash"}
    digest = hashlib.sha256(canonical(rest).encode()).digest()
    return "sha256:" + base64.urlsafe_b64encode(digest).decode().rstrip("=")


def check_chain(listed):
    """Checks events as listed, newest first."""
    previous = None
    for n, event in enumerate(reversed(listed), 1):
        assert event["sequence"] == n
        assert event["previous_event_hash"] == previous
        assert event["event_hash"] == hash_of(event)
        previous = event["event_hash"]


# --- At once, and without a client library --------------------------------

def together(*calls):
    """Runs the calls at the same moment, each in a thread of its own."""
    barrier = threading.Barrier(len(calls))

    def one(call):
        barrier.wait(30)
        return call()

    with concurrent.futures.ThreadPoolExecutor(len(calls)) as pool:
        return list(pool.map(one, calls, timeout=60))


Plain = collections.namedtuple("Plain", "status headers body")


def plain(server, data, timeout=60):
    """Sends bytes to nginx as they are and reads one answer to its end."""
    with socket.create_connection(("127.0.0.1", server.port), timeout) as s:
        s.settimeout(timeout)
        try:
            s.sendall(data)
        except ConnectionError:
            pass  # it has answered before it read all
        got = b""
        while chunk := _receive(s):
            got += chunk
            head, end, body = got.partition(b"\r\n\r\n")
            length = re.search(rb"(?i)content-length: *(\d+)", head)
            if end and length and len(body) >= int(length[1]):
                break
    head, _, body = got.partition(b"\r\n\r\n")
    lines = head.decode().split("\r\n")
    headers = {k.lower(): v for k, v in
               (line.split(": ", 1) for line in lines[1:] if ": " in line)}
    return Plain(int(lines[0].split()[1]), headers, body)


def _receive(s):
    try:
        return s.recv(65536)
    except ConnectionError:
        return b""


# --- FastCGI, without nginx -----------------------------------------------

def spoken(path, params, body=b""):
    """One request at a FastCGI socket, as our site sends it; gives the bytes of
    the answer."""
    params = {"REQUEST_ID": new_id(), **params}
    def record(kind, data):
        out = b""
        while True:
            part, data = data[:65000], data[65000:]
            out += struct.pack("!BBHHBx", 1, kind, 1, len(part), 0) + part
            if not data:
                return out

    def pair(name, value):
        sizes = b"".join(struct.pack("!I", len(x) | 1 << 31)
                         for x in (name, value))
        return sizes + name + value

    encoded = b"".join(pair(k.encode(), v.encode())
                       for k, v in params.items())
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(60)
        s.connect(str(path))
        s.sendall(record(1, struct.pack("!HB5x", 1, 0)) + record(4, encoded)
                  + record(4, b"") + (record(5, body) if body else b"")
                  + record(5, b""))
        data = b""
        while chunk := s.recv(65536):
            data += chunk
    out = b""
    while data:
        _, kind, _, size, padding = struct.unpack("!BBHHBx", data[:8])
        if kind == 6:
            out += data[8:8 + size]
        data = data[8 + size + padding:]
    return out


def fastcgi(path, params, body=b""):
    """One request to a worker; gives its status, headers and body."""
    out = spoken(path, params, body)
    head, _, body = out.partition(b"\r\n\r\n")
    headers = dict(line.split(": ", 1)
                   for line in head.decode().split("\r\n"))
    return Plain(int(headers.pop("Status").split()[0]),
                 {k.lower(): v for k, v in headers.items()}, body)
