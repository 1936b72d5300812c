"""Malformed requests: broken JSON to every route that reads some, addresses,
queries, sizes. Never a 500, nothing half-written."""
import gzip
import json

import pytest

from kit import (ANY_ID, KEYED, ROUTES, UNSUPPORTED, WRITING, ask, by_name, fill,
                 find, get, new_intent, plain, put, refused)

DEEP = {n: b'{"a":' + b"[" * (n - 1) + b"]" * (n - 1) + b"}"
        for n in (33, 40, 41, 1000, 100000)}

BROKEN = {
    "nothing": (b"", "json.syntax"),
    "space": (b" \n ", "json.syntax"),
    "half": (b'{"title":', "json.syntax"),
    "unclosed": (b'{"title":"x"', "json.syntax"),
    "unclosed text": (b'{"title":"x}', "json.syntax"),
    "twice": (b'{"title":"x"}{}', "json.syntax"),
    "rest": (b'{"title":"x"} x', "json.syntax"),
    "comma": (b'{"title":"x",}', "json.syntax"),
    "comment": (b'{"title":"x"/**/}', "json.syntax"),
    "quotes": (b"{'title':'x'}", "json.syntax"),
    "bare key": (b'{title:"x"}', "json.syntax"),
    "words": (b'{"title":True}', "json.syntax"),
    "nan": (b'{"title":NaN}', "json.syntax"),
    "infinity": (b'{"title":Infinity}', "json.syntax"),
    "minus infinity": (b'{"title":-Infinity}', "json.syntax"),
    "zero": (b'{"title":01}', "json.syntax"),
    "plus": (b'{"title":+1}', "json.syntax"),
    "point": (b'{"title":.5}', "json.syntax"),
    "hexadecimal": (b'{"title":0x1}', "json.syntax"),
    "line feed": (b'{"title":"a\nb"}', "json.syntax"),
    "escape": (b'{"title":"\\x41"}', "json.syntax"),
    "short escape": (b'{"title":"\\u12"}', "json.syntax"),
    "form": (b"title=x", "json.syntax"),
    "duplicate": (b'{"title":"a","title":"b"}', "json.duplicate_key"),
    "duplicate by escape": (b'{"title":"a","t\\u0069tle":"b"}',
                            "json.duplicate_key"),
    "duplicate inside": (b'{"state":{"a":{"b":1,"b":1}}}',
                         "json.duplicate_key"),
    "depth 33": (DEEP[33], "json.too_deep"),
    "depth 40": (DEEP[40], "json.too_deep"),
    "depth 41": (DEEP[41], "json.too_deep"),
    "depth 1000": (DEEP[1000], "json.too_deep"),
    "not utf-8": (b'{"title":"\xff"}', "json.utf8"),
    "overlong": (b'{"title":"\xc0\xaf"}', "json.utf8"),
    "cesu-8": (b'{"title":"\xed\xa0\xbd\xed\xb8\x80"}', "json.utf8"),
    "cut": (b'{"title":"\xf0\x9f\x98"}', "json.utf8"),
    "beyond": (b'{"title":"\xf4\x90\x80\x80"}', "json.utf8"),
    "latin-1": ('{"title":"é"}'.encode("latin-1"), "json.utf8"),
    "utf-16": ('{"title":"x"}'.encode("utf-16"), None),
    "byte order mark": (b'\xef\xbb\xbf{"title":"x"}', "json.syntax"),
    "high surrogate": (b'{"title":"\\ud83d"}', "json.utf8"),
    "low surrogate": (b'{"title":"\\ude00"}', "json.utf8"),
    "wrong pair": (b'{"title":"\\ud83d\\ud83d"}', "json.utf8"),
    "escaped nul": (b'{"title":"a\\u0000b"}', "json.utf8"),
    "nul": (b'{"title":"a\x00b"}', None),
    "nul behind": (b'{"title":"x"}\x00', None),
    "nul in a key": (b'{"a\\u0000":1}', "json.utf8"),
    "huge integer": (b'{"title":12345678901234567890}', "json.number"),
    "huge": (b'{"title":1e999}', "json.number"),
    "long number": (b'{"title":' + b"1" * 5000 + b"}", "json.number"),
    "members": (json.dumps(dict.fromkeys(map(str, range(4097)))).encode(),
                None),
}

NOT_OBJECTS = {"list": b"[]", "list of one": b'[{"title":"x"}]',
               "text": b'"title"', "number": b"1", "null": b"null",
               "true": b"true"}


def first(row, by_role):
    if row.pattern.startswith("/api/v1/test/"):
        return by_role["tester"]
    return by_role[sorted(row.roles)[0]]


@pytest.fixture(scope="module")
def send(agent, operator, admin, tester):
    """Sends bytes to a route, in an allowed role, about an existing intent."""
    by_role = {"agent": agent, "operator": operator, "admin": admin,
               "tester": tester}
    intent = new_intent(agent)

    def one(row, content):
        # A policy of any members is a good one, but not of this version.
        version = "1" if row.method == "PUT" else "2"
        return first(row, by_role).request(
            row.method, fill(row.pattern, id=intent["id"]), content=content,
            headers={"If-Match": version, "Content-Type": "application/json"})

    yield one
    assert get(agent, intent) == intent


# The requests that need no body.
BARE = ("/cancel", "/rotate", "/resume/{id}", "/revoke", "/approve", "/deny",
        "/heartbeat", "/reject", "{id}/test", "/consume",
        "/anchor")
PAIRS = [(row, name) for row in WRITING for name in BROKEN
         if BROKEN[name][0] or not row.pattern.endswith(BARE)]


@pytest.mark.parametrize("row, name", PAIRS,
                         ids=[f"{r.name}-{n}" for r, n in PAIRS])
def test_broken_json(send, row, name):
    content, code = BROKEN[name]
    if len(content) > row.body:
        refused(send(row, content), 413, "request.too_large")
        return
    body = refused(send(row, content), 400, code)
    assert body["code"].startswith("json.")
    if body["code"] != "json.too_deep" or name == "depth 1000":
        assert body["at"].startswith("line ")


@pytest.mark.parametrize("name", NOT_OBJECTS)
@pytest.mark.parametrize("row", **by_name(WRITING))
def test_json_that_is_no_object(send, row, name):
    refused(send(row, NOT_OBJECTS[name]), 422, "body.not_object")


@pytest.mark.parametrize("row", **by_name(WRITING))
def test_the_place_is_told(send, row):
    body = refused(send(row, b'{\n  "a": 1,\n  "b": x}'), 400,
                   "json.syntax", "line 3, column 8")
    assert body["detail"]


@pytest.mark.parametrize("row", **by_name(WRITING))
def test_the_bodys_ceiling(send, row):
    """One byte more than the route's limit is refused; a body of that size is
    read."""
    def sized(n):
        return b'{"x":"' + b"x" * (n - 8) + b'"}'

    r = send(row, sized(row.body))
    assert r.status_code in (404, 409, 413, 422), r.text
    assert refused(r, r.status_code)["code"] != "request.too_large"
    refused(send(row, sized(row.body + 1)), 413,
            "request.too_large")


@pytest.mark.parametrize("row", **by_name(WRITING))
def test_a_body_over_all_ceilings(send, row):
    refused(send(row, b" " * (1100 << 10)), 413,
            "request.too_large")
    refused(send(row, b" " * (1101 << 10)), 413,
            "request.too_large")


def test_a_body_where_none_is_read(agent):
    """As a client sends it that writes a body for each request."""
    r = agent.request("GET", "/api/v1/intents", content=b"null")
    assert refused(r, 413, "request.too_large")["detail"] == \
        "This address takes no body."


def test_a_body_of_unknown_length(agent):
    def parts():
        yield b'{"title":'
        yield b'"in parts"}'

    r = agent.post("/api/v1/intents", content=parts())
    assert r.status_code == 201 and r.json()["title"] == "in parts"

    def endless():
        for _ in range(300):
            yield b" " * 4096

    try:
        r = agent.post("/api/v1/intents", content=endless())
    except Exception as e:  # nginx may close before it has read all
        assert "WriteError" in type(e).__name__ or "Protocol" in str(e)
    else:
        refused(r, 413, "request.too_large")


@pytest.mark.parametrize("n", [31, 32])
def test_as_deep_as_may_be(agent, n):
    made = agent.post("/api/v1/intents", content=b'{"title":"x","state":'
                      + b'{"a":' * (n - 1) + b"1" + b"}" * n)
    assert made.status_code == 201, made.text
    read = agent.get(f"/api/v1/intents/{made.json()['id']}")
    assert read.json()["state"] == made.json()["state"]


def test_as_deep_as_may_be_in_a_question_and_its_answer(agent, operator):
    context = 1
    for _ in range(31):
        context = {"a": context}
    asked = ask(agent, context=context, response_type="text", choices=None)
    r = operator.post(
        f"/api/v1/suspensions/{asked['suspension_id']}/respond",
        json={"value": "x", "metadata": context})
    assert r.status_code == 200, r.text
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["state"]["_suspension"]["context"] == context
    r = agent.get(f"/api/v1/intents/{intent['id']}/events/verify")
    assert r.json()["chain_valid"] is True


def test_numbers_at_the_edges(agent):
    state = {"a": 2**63 - 1, "b": -2**63, "c": 1e308, "d": 5e-324, "e": 1e21,
             "f": -0.0}
    made = new_intent(agent, state=state)
    assert made["state"] == state
    for text in ("9223372036854775808", "-9223372036854775809", "1e400",
                 "9.3e18"):
        r = agent.post("/api/v1/intents",
                       content=f'{{"title":"x","state":{{"a":{text}}}}}')
        refused(r, 400, "json.number")


def test_nothing_is_half_written(server, agent):
    with server.database() as db:
        query = "SELECT count(*), (SELECT count(*) FROM event) FROM intent"
        before = db.execute(query).fetchone()
        for content, _ in BROKEN.values():
            agent.post("/api/v1/intents", content=content)
            agent.post("/api/v1/suspensions", content=content)
        assert db.execute(query).fetchone() == before


# --- Addresses ------------------------------------------------------------

IDS = ["x", "0", "-1", ANY_ID, ANY_ID[:-1], ANY_ID + "0", "{id}", "a b",
       "' OR 1=1 --", "<script>", "é😀", "x" * 1000, "null", "_", "..."]


def good_body(row):
    return {"title": "x", "question": "x?", "scope": "x", "agent_id": "x",
            "event_type": "comment", "status": "active",
            "suspension_id": "x", "dependency_id": ANY_ID,
            "intent_id": ANY_ID,
            "patches": [put("a", 1)], "value": "x", "action": "approve",
            "reason": "x", "resolution": "x", "decision_type": "x",
            "outcome": "x", "cost_type": "x", "amount": 1, "unit": "x",
            "filename": "x", "mime_type": "x", "storage_url": "x",
            "error_code": "x", "strategy": "fixed", "principal_id": "x",
            "requested_permission": "read", "default_policy": "open"}


ONLY = {"PATCH": ["duration_seconds"], "{id}/test": [], "events": ["event_type"],
        "respond": ["value"], "cancel": [], "rotate": [],
        "resume/": ["action"], "revoke": [],
        "PATCH /api/v1/endpoints": [], "PUT": ["strategy", "default_policy"],
        "PATCH /api/v1/portfolios/{id}": [], "/anchor": []}


@pytest.mark.parametrize("bad", IDS, ids=range(len(IDS)))
@pytest.mark.parametrize("row", **by_name(
    [r for r in KEYED if "{id}" in r.pattern]))
def test_an_id_of_nothing(by_role, row, bad):
    import urllib.parse
    path = fill(row.pattern, id=urllib.parse.quote(bad, safe=""))
    body = good_body(row)
    for name, keys in ONLY.items():
        if name in row.name and "suspend/" not in row.name:
            body = {k: body.get(k, 1) for k in keys}
    if row.name == "PATCH /api/v1/portfolios/{id}/status":
        body = {"status": "active"}
    if row.name.endswith("/outcome"):
        body = {"status": "failed"}
    if row.name.endswith("/reconcile"):
        body = {"outcome": "authorized"}
    kwargs = {"json": body} if row in WRITING else {}
    r = first(row, by_role).request(row.method, path,
                                    headers={"If-Match": "1"}, **kwargs)
    refused(r, 404)


@pytest.mark.parametrize("path, status", [
    ("/api/v1/intents/%00", 400), ("/api/v1/intents/%", 400),
    ("/api/v1/intents/%zz", 400), ("/api/v1/intents/%ff", 400),
    ("/api/v1/intents/a%2fb", 404), ("/api/v1/intents/%2e%2e", 400),
    ("/api/v1/intents//events", 400), ("/api/v1//intents", 400),
    ("//api/v1/intents", 400), ("/api/v1/../v1/intents", 400),
    ("/api/v1/./intents", 400), ("/api/v1/intents/../../../../etc", 400),
    ("/api/v1/intents/", 404), ("/api/v1", 404), ("/api/v2/intents", 404),
    ("/API/v1/intents", 404), ("/api/v1/intents/x/y/z", 404),
    ("/favicon.ico", 404), ("/.git/config", 404), ("/nope", 404),
])
def test_an_address_of_nothing(server, path, status):
    key = server.env["SAYSO_AGENT_KEY"]
    r = plain(server, f"GET {path} HTTP/1.1\r\nHost: x\r\nX-API-Key: {key}"
                      f"\r\nConnection: close\r\n\r\n".encode())
    assert r.status == status, r.body
    assert json.loads(r.body)["code"]
    assert "json" in r.headers["content-type"]


def test_an_address_of_nothing_in_a_browser(nobody):
    r = nobody.get("/nope", headers={"Accept": "text/html"})
    assert r.status_code == 404
    assert r.headers["content-type"].startswith("text/html")
    r = nobody.get("/api/v1/nope", headers={"Accept": "text/html"})
    assert refused(r, 404)["code"] == "route.unknown"


# --- Methods --------------------------------------------------------------

@pytest.mark.parametrize("path", sorted({r.pattern for r in ROUTES}))
def test_a_method_that_an_address_does_not_have(agent, path):
    has = {r.method for r in ROUTES if r.pattern == path}
    has |= {method for method, pattern in UNSUPPORTED if pattern == path}
    for method in ("GET", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"):
        if method in has:
            continue
        r = agent.request(method, fill(path))
        if method == "OPTIONS":
            r.json() if "json" in r.headers["content-type"] else None
            assert r.status_code == 405
            continue
        other = find(method, fill(path))
        assert other is None or other.pattern != path
        if other:  # another pattern takes it: /events and /{id}
            continue
        assert r.status_code == 405
        assert set(r.headers["allow"].split(", ")) == has


@pytest.mark.parametrize("path", ["/api/v1/intents", "/healthz", "/login",
                                  "/api/v1/suspensions"])
def test_head_is_get_without_a_body(agent, path):
    full, head = agent.get(path), agent.head(path)
    assert head.status_code == full.status_code == 200
    assert head.content == b""
    assert head.headers["content-type"] == full.headers["content-type"]


# --- Queries --------------------------------------------------------------

@pytest.mark.parametrize("row", **by_name(
    [r for r in ROUTES if r.proof not in ("COOKIE", "CLIENT")]))
def test_an_unknown_query_key(by_role, nobody, row):
    client = first(row, by_role) if row.roles else nobody
    for query in ("bogus=1", "bogus", "LIMIT=1", "limit%20=1", "=1",
                  "limits=1", "%F0%9F%98%80=1"):
        r = client.request(row.method, fill(row.pattern) + "?" + query)
        assert r.status_code == 400, (query, r.text)
        if row.style != "HTML":
            refused(r, 400, "request.unknown_key")


@pytest.mark.parametrize("row", **by_name(
    [r for r in ROUTES if r.proof != "COOKIE" and r.query]))
def test_a_repeated_query_key(by_role, nobody, row):
    client = first(row, by_role) if row.roles else nobody
    for key in row.query:
        for query in (f"{key}=1&{key}=1", f"{key}=1&{key}=2", f"{key}&{key}",
                      f"{key}=1&%{ord(key[0]):02x}{key[1:]}=1"):
            r = client.request(row.method, fill(row.pattern) + "?" + query)
            assert r.status_code == 400, (query, r.text)
            if row.style != "HTML":
                refused(r, 400, "request.repeated_key")


@pytest.mark.parametrize("query", ["limit=%", "limit=%zz", "limit=%ff",
                                   "limit=1%00", "&".join(
                                       f"k{i}=1" for i in range(300))])
def test_a_query_that_is_not_one(agent, query):
    refused(agent.get("/api/v1/intents?" + query), 400)


def test_empty_parts_of_a_query_are_nothing(agent):
    r = agent.get("/api/v1/intents?&limit=1&&")
    assert r.status_code == 200 and len(r.json()["intents"]) == 1


# --- Conflicts and their words --------------------------------------------

def test_no_conflict_speaks_of_what_it_is_not_about(server, agent, operator):
    """Clients recognize a lease conflict by five letters in the body: no title,
    value or name may bring them in."""
    from kit import answer, set_status, suspend
    word = "Please reLEASE the lease"
    key = server.key("operator", label="Release Lease")
    choices = [{"value": word, "label": word, "description": word}]
    with server.client(headers={"X-API-Key": key}) as boss, \
            server.client("agent", agent="lease-Lease") as robot:
        asked = ask(robot, question=word, title=word, choices=choices,
                    context={word: word}, intent={"title": word})
        assert answer(boss, asked, word, reason=word).status_code == 200
        r = answer(boss, asked, word)
        body = refused(r, 409, "suspension.already_decided")
        assert body["value"] == word  # the value is unchanged
        assert body["responded_by"] == "Release Lease"
        assert "lease-Lease" in body["audit_summary"]
        assert "lease" not in r.text.lower()

        intent, _ = suspend(robot, question=word, choices=choices)
        conflicts = [
            set_status(robot, intent, "completed"),
            set_status(robot, intent, "completed", version=1),
            robot.post("/api/v1/suspensions", json={
                "question": word, "intent_id": intent["id"]}),
            robot.post(f"/api/v1/intents/{intent['id']}/events", json={
                "event_type": "intent.suspended",
                "payload": {"suspension_id": word}}),
            robot.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel",
                       json={"reason": word}),
        ]
        for r in conflicts:
            refused(r, 409)
            assert "lease" not in r.text.lower()


@pytest.mark.parametrize("headers", [
    {"Content-Encoding": "gzip"}, {"Content-Encoding": "br"}, {}])
@pytest.mark.parametrize("path", ["/api/v1/suspensions", "/api/v1/intents"])
def test_a_compressed_body(agent, path, headers):
    r = agent.post(path, content=gzip.compress(b'{"question":"x"}'),
                   headers=headers)
    refused(r, 415, "request.encoding")
    assert "compressed" in r.json()["detail"]
    # A body that is as it is may say so.
    r = agent.post("/api/v1/suspensions", json={"question": "Go on?"},
                   headers={"Content-Encoding": "identity"})
    assert r.status_code == 201, r.text
