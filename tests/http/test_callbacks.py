"""Answers that are sent to an address of the question's own, endpoints on this
machine, and messages that try an endpoint: to real receivers."""
import base64
import json

import pytest
import standardwebhooks

from kit import answer, ask, new_id, refused, wait_for
from receiver import Receiver

PATH = "/api/v1/endpoints"
ASK = "POST /api/v1/suspensions"
REGISTER = "POST /api/v1/endpoints"
TEST = "POST /api/v1/endpoints/{id}/test"


@pytest.fixture(scope="module")
def receiver():
    one = Receiver()
    yield one
    one.close()


@pytest.fixture(autouse=True)
def alone(server):
    yield
    with server.database() as db:
        db.execute("UPDATE endpoint SET removed_at = now() "
                   "WHERE removed_at IS NULL")


@pytest.fixture(scope="module")
def bot(server):
    with server.client("agent", agent="callback-bot") as client:
        yield client


def base(receiver, host="127.0.0.1"):
    return f"http://{host}:{receiver.port}/{new_id()}/"


def register(client, url, **more):
    r = client.post(PATH, json={"name": "Engine", "url": url, **more})
    assert r.status_code == 201, r.text
    return r.json()


def prefix(admin, receiver, **more):
    return register(admin, base(receiver), internal=True, prefix=True, **more)


def got(receiver, url):
    """The one request at an address."""
    path = "/" + url.split("/", 3)[3]
    [one] = wait_for(lambda: [r for r in receiver.requests
                              if r.path == path])
    return one


def verified(endpoint, request):
    return standardwebhooks.Webhook(endpoint["secret"]).verify(
        request.body, {k.lower(): v for k, v in request.headers.items()})


def not_signed(endpoint, request):
    names = {k.lower() for k in request.headers}
    assert {"webhook-id", "webhook-timestamp"} <= names
    assert "webhook-signature" not in names
    with pytest.raises(standardwebhooks.WebhookVerificationError):
        verified(endpoint, request)


TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
PARENT = "00f067aa0ba902b7"


def traces(receiver, admin, bot, end, given):
    """Those of an endpoint and a callback, where the question had that one."""
    one = register(admin, base(receiver), internal=True, agent="callback-bot")
    where = prefix(admin, receiver)["url"] + "x"
    end(ask(bot, callback=where, headers={"traceparent": given}))
    return [got(receiver, url).headers.get("traceparent")
            for url in (one["url"], where)]


@pytest.mark.route(ASK)
@pytest.mark.parametrize("given, flags", [
    (f"00-{TRACE}-{PARENT}-01", "01"), (f"00-{TRACE}-{PARENT}-00", "00"),
    (f"cc-{TRACE}-{PARENT}-01-later", "01")])
def test_the_trace_of_a_question_goes_on(server, receiver, admin, bot,
                                         operator, given, flags):
    def end(asked):
        with server.database() as db:
            assert db.execute(
                "SELECT traceparent FROM open_question WHERE suspension_id = "
                "%s", [asked["suspension_id"]]).fetchone() == (given[:55],)
        # The answer has a trace of its own.
        assert answer(operator, asked, headers={
            "traceparent": f"00-{'a' * 32}-{PARENT}-01"}).status_code == 200

    parents = set()
    for told in traces(receiver, admin, bot, end, given):
        version, trace, parent, last = told.split("-")
        assert (version, trace, last) == ("00", TRACE, flags)
        assert len(bytes.fromhex(parent)) == 8 and any(bytes.fromhex(parent))
        parents.add(parent)
    assert len(parents | {PARENT}) == 3


@pytest.mark.route(ASK)
def test_the_trace_goes_on_where_it_is_withdrawn(receiver, admin, bot):
    for told in traces(receiver, admin, bot, lambda asked: bot.post(
            f"/api/v1/suspensions/{asked['suspension_id']}/cancel", json={}),
            f"00-{TRACE}-{PARENT}-01"):
        assert told.split("-")[1] == TRACE


@pytest.mark.route(ASK)
@pytest.mark.parametrize("given", [
    "", "x", f"00-{TRACE}-{PARENT}", f"00-{'0' * 32}-{PARENT}-01",
    f"00-{TRACE}-{'0' * 16}-01", f"ff-{TRACE}-{PARENT}-01",
    f"00-{TRACE.upper()}-{PARENT}-01", f"00-{TRACE}-{PARENT}-01-x"])
def test_a_trace_that_is_none_is_ignored(receiver, admin, bot, operator,
                                         given):
    assert traces(receiver, admin, bot, lambda asked: answer(operator, asked),
                  given) == [None, None]


@pytest.mark.route(REGISTER)
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
def test_an_endpoint_on_this_machine(receiver, admin, bot, operator, host):
    made = register(admin, base(receiver, host), internal=True,
                    agent="callback-bot")
    asked = ask(bot)
    assert answer(operator, asked, reason="fine").status_code == 200
    message = verified(made, got(receiver, made["url"]))
    assert message["data"]["suspension_id"] == asked["suspension_id"]
    assert message["data"]["asked_by"] == "callback-bot"


@pytest.mark.route(REGISTER)
@pytest.mark.parametrize("url, internal, code", [
    ("http://127.0.0.1:3000/hook", False, "endpoint.private"),
    ("http://localhost/hook", False, "endpoint.private"),
    ("http://example.org/hook", True, "endpoint.url"),
    ("http://10.0.0.1/hook", True, "endpoint.url"),
    ("http://localhost.example.org/hook", True, "endpoint.url"),
    ("http://127.0.0.1.example.org/", True, "endpoint.url"),
    ("http://u@127.0.0.1/hook", True, "endpoint.url"),
    ("http://", True, "endpoint.url"),
    ("ftp://127.0.0.1/hook", True, "endpoint.url")])
def test_plain_http_leads_nowhere_else(admin, url, internal, code):
    refused(admin.post(PATH, json={"name": "x", "url": url,
                                   "internal": internal}), 422, code, "url")


@pytest.mark.route(REGISTER)
def test_an_agent_registers_no_address_of_this_machine(bot, receiver):
    for more in {"internal": True}, {"prefix": True}:
        refused(bot.post(PATH, json={"name": "x", "url": "https://x.example/",
                                     **more}),
                403, "endpoint.admin_only", next(iter(more)))


@pytest.mark.route(ASK)
@pytest.mark.parametrize("body", ["message", "data", "answer", None])
def test_a_callback(receiver, admin, bot, operator, body):
    made = prefix(admin, receiver)
    where = made["url"] + f"wait/{new_id()}?signature=a%2Fb"
    asked = ask(bot, callback=where, callback_body=body)
    assert asked["callback"] == where
    assert answer(operator, asked, reason="fine").status_code == 200
    request = got(receiver, where)
    sent = json.loads(request.body)
    data = sent["data"] if body in ("message", None) else sent
    if body == "answer":
        assert sent == "approve"
        not_signed(made, request)
    else:
        assert verified(made, request) == sent
        assert data["suspension_id"] == asked["suspension_id"]
        assert data["value"] == "approve" and data["outcome"] == "none"
        assert data["constraints"] is None
        assert data["approved_subject"] is None


@pytest.mark.route(ASK)
def test_no_agent_writes_a_signed_message(receiver, admin, bot):
    """An answer may be what the agent chose: the words of another message."""
    made = prefix(admin, receiver)
    where = made["url"] + new_id()
    forged = {"type": "intent_authorized",
              "timestamp": "2026-11-20T09:31:44.120931Z",
              "data": {"suspension_id": new_id(), "outcome": "authorized"}}
    ask(bot, callback=where, callback_body="answer", timeout_seconds=1,
        choices=None, response_type="text",
        fallback_policy="use_default_and_continue", fallback_value=forged)
    request = got(receiver, where)
    assert json.loads(request.body) == forged
    not_signed(made, request)


@pytest.mark.route(ASK)
def test_silence_is_null(receiver, admin, bot):
    made = prefix(admin, receiver)
    where = made["url"] + new_id()
    asked = ask(bot, callback=where, callback_body="answer")
    r = bot.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel")
    assert r.status_code == 200
    assert got(receiver, where).body == b"null"


@pytest.mark.route(ASK)
def test_a_prefix_gets_nothing_else(receiver, admin, bot, operator):
    made = prefix(admin, receiver)
    assert answer(operator, ask(bot)).status_code == 200
    where = made["url"] + "last"
    asked = ask(bot, callback=where)
    assert answer(operator, asked).status_code == 200
    got(receiver, where)
    below = "/" + made["url"].split("/", 3)[3]
    assert [r.path for r in receiver.requests
            if r.path.startswith(below)] == [below + "last"]


@pytest.mark.route(ASK)
def test_an_agent_chooses_no_address(receiver, admin, bot):
    made = prefix(admin, receiver)
    plain = register(admin, base(receiver), internal=True)
    others = prefix(admin, receiver, agent="somebody-else")
    for where in ("https://evil.example/x", plain["url"] + "x",
                  others["url"] + "x", made["url"][:-1] + "-x/y",
                  made["url"].replace("http:", "https:") + "x"):
        r = bot.post("/api/v1/suspensions",
                     json={"question": "?", "callback": where})
        refused(r, 422, "callback.unknown", "callback")
    for tail in ("", "../x", "a/../../x", "%2e%2e/x", "a/%2E./x", "./x",
                 "x/..", "..%2fx", "%2e%2e%2fx", "..%5cx", "%252e%252e/x",
                 "%25252e%25252e/x", "%%32%65%%32%65/x", "..;/x", "..;a=b/x",
                 "%2e%2e;/x", "..%3b/x", "a%00/x", "a%0d%0ax", "%c0%ae%c0%ae/x",
                 "%e0%80%ae/x", "%ef%bc%8e%ef%bc%8e/x", "%e2%80%a4./x",
                 "%e2%80%a5/x", "%uff0e%uff0e/x", "%2", "%zz/x", "%20../x",
                 ".%e2%80%8b./x", "%ef%bc%8fx", "a%7fx", "a%c2%85x", "a;x",
                 "a%2ex", "/x", "//evil.example/x", "/", "a:x", "a@x", "a%5Cx", "%u002e/x", "a%"):
        r = bot.post("/api/v1/suspensions",
                     json={"question": "?", "callback": made["url"] + tail})
        refused(r, 422, "endpoint.url", "callback")
    # The same letters in a query are no path.
    assert bot.post("/api/v1/suspensions", json={
        "question": "?", "callback": made["url"] +
        "r~1_2-3.x/%C3%A9%20t?to=..%2f;%252e"}).status_code == 201
    for bad in ("x#y", "x y", "x\\y"):
        r = bot.post("/api/v1/suspensions",
                     json={"question": "?", "callback": made["url"] + bad})
        refused(r, 422, "endpoint.url", "callback")
    refused(bot.post("/api/v1/suspensions",
                     json={"question": "?", "callback_body": "data"}),
            422, "field.unused", "callback_body")
    refused(bot.post("/api/v1/suspensions",
                     json={"question": "?", "callback": made["url"] + "x",
                           "callback_body": "all"}), 422, None,
            "callback_body")


@pytest.mark.route(ASK)
def test_a_removed_prefix_gets_no_answer(receiver, admin, bot, operator):
    made = prefix(admin, receiver)
    where = made["url"] + new_id()
    asked = ask(bot, callback=where)
    assert admin.delete(f"{PATH}/{made['endpoint_id']}").status_code == 204
    assert answer(operator, asked).status_code == 200
    other = prefix(admin, receiver)
    there = other["url"] + new_id()
    again = ask(bot, callback=there)
    assert answer(operator, again).status_code == 200
    got(receiver, there)
    path = "/" + where.split("/", 3)[3]
    assert not [r for r in receiver.requests if r.path == path]


@pytest.mark.route(ASK)
def test_410_below_a_prefix_ends_that_delivery_alone(
        server, receiver, admin, bot, other_agent, operator):
    made = prefix(admin, receiver)
    where = {who: made["url"] + new_id() for who in (bot, other_agent)}
    receiver.answer("/" + where[bot].split("/", 3)[3], 410)
    asked = {who: ask(who, callback=where[who]) for who in where}
    assert answer(operator, asked[bot]).status_code == 200
    with server.database() as db:
        state, tries, said = wait_for(lambda: db.execute(
            "SELECT state, tries, answer FROM delivery WHERE address = %s "
            "AND state <> 'pending'", [where[bot]]).fetchone())
    assert (state, tries) == ("failed", 1) and "410" in said
    one = admin.get(f"{PATH}/{made['endpoint_id']}").json()
    assert one["gone_at"] is None
    assert answer(operator, asked[other_agent]).status_code == 200
    got(receiver, where[other_agent])
    ask(bot, callback=where[bot])


@pytest.mark.route(REGISTER)
@pytest.mark.parametrize("url", ["https://x.example/a", "https://x.example",
                                 "https://x.example/?a=/"])
def test_the_address_of_a_prefix(admin, url):
    refused(admin.post(PATH, json={"name": "x", "url": url, "prefix": True}),
            422, "endpoint.url", "url")


@pytest.mark.route(TEST)
@pytest.mark.route("GET /api/v1/endpoints/{id}")
def test_a_test_message(receiver, admin, bot, other_agent):
    made = register(admin, base(receiver), internal=True,
                    agent="callback-bot")
    one = f"{PATH}/{made['endpoint_id']}"
    refused(bot.post(f"{one}/test"), 403, "endpoint.admin_only")
    assert bot.get(one).json()["last_delivery"] is None
    refused(other_agent.post(f"{one}/test"), 404, "endpoint.unknown")
    sent = admin.post(f"{one}/test")
    assert sent.status_code == 202, sent.text
    message = verified(made, got(receiver, made["url"]))
    assert message["type"] == "endpoint_test"
    by = admin.get(one).json()["created_by"]
    assert message["data"]["sent_by"] == by
    last = wait_for(lambda: (d := bot.get(one).json()["last_delivery"])
                    and d["state"] == "delivered" and d)
    assert last["delivery_id"] == sent.json()["delivery_id"]
    assert last["tries"] == 1 and last["type"] == "endpoint_test"


@pytest.mark.route(TEST)
def test_one_test_message_at_a_time(admin, bot):
    """And an address that leads nowhere says so at once."""
    made = register(bot, f"https://{new_id()}.invalid/hook")
    one = f"{PATH}/{made['endpoint_id']}"
    assert bot.post(f"{one}/test").status_code == 202
    refused(bot.post(f"{one}/test"), 409, "endpoint.trying")
    last = wait_for(lambda: (d := bot.get(one).json()["last_delivery"])
                    and d["tries"] > 0 and d)
    assert last["state"] == "pending" and last["answer"]
    refused(bot.post(f"{one}/test", json={"x": 1}), 422, "field.unknown", "x")


@pytest.mark.route("POST /settings/endpoints/{id}")
@pytest.mark.route("GET /settings/deliveries/{id}")
def test_a_test_message_from_the_page(receiver, admin, person):
    alice = person("admin").client
    made = register(admin, base(receiver), internal=True)
    page = f"/settings/endpoints/{made['endpoint_id']}"
    text = alice.get(page).text
    csrf = text.split('name="csrf" value="')[1].split('"')[0]
    r = alice.post(page, data={"csrf": csrf, "do": "test"})
    assert r.status_code == 303
    got(receiver, made["url"])
    log = alice.get(r.headers["location"]).text
    assert "endpoint_test" in log
    row = log.split('href="/settings/deliveries/')[1].split('"')[0]
    text = alice.get(f"/settings/deliveries/{row}").text
    assert "none, a test message" in text


@pytest.mark.route(ASK)
def test_an_edit_stands_in_the_message(receiver, admin, bot, operator):
    """Nothing has to be read a second time."""
    made = register(admin, base(receiver), internal=True,
                    agent="callback-bot")
    subject = {"action": {"name": "refund"}, "target": "order 7",
               "scope_summary": "One refund", "consequence": "Money goes.",
               "calls": [{"tool": "refund", "args": {"amount": 50}}]}
    asked = ask(bot, kind="approval", subject=subject, allow_edit=True,
                choices=None, response_type=None)
    changed = {**subject, "calls": [{"tool": "refund",
                                     "args": {"amount": 20}}]}
    r = answer(operator, asked, "edit", subject=changed, reason="less",
               subject_sha256=asked["subject_sha256"])
    assert r.status_code == 200, r.text
    data = verified(made, got(receiver, made["url"]))["data"]
    assert data["modified"] and data["approved_subject"] == changed


def test_the_secret_is_one_of_standard_webhooks(receiver, admin):
    made = prefix(admin, receiver)
    assert len(base64.b64decode(made["secret"][6:])) == 32


def refused_at_sending(server, receiver, where):
    with server.database() as db:
        state, tries, said = wait_for(lambda: db.execute(
            "SELECT state, tries, answer FROM delivery WHERE address = %s "
            "AND state <> 'pending'", [where]).fetchone())
    assert (state, tries) == ("failed", 1)
    path = "/" + where.split("/", 3)[3]
    assert not [r for r in receiver.requests if r.path.startswith(path)]
    return said


CHANGED = {
    "narrower": ("address = address || 'narrow/'", "has to be below"),
    "elsewhere": ("address = replace(address, '127.0.0.1', 'localhost')",
                  "has to be below"),
    "another's": ("agent = 'somebody-else'", "no longer accepts callbacks"),
    "no prefix": ("prefix = false", "no longer accepts callbacks")}


@pytest.mark.route(ASK)
@pytest.mark.parametrize("change, why", CHANGED.values(), ids=CHANGED)
def test_a_callback_is_checked_when_it_is_sent(
        server, receiver, admin, bot, operator, change, why):
    """Its endpoint may have been changed since it was asked."""
    made = prefix(admin, receiver)
    where = made["url"] + new_id()
    asked = ask(bot, callback=where)
    with server.database() as db:
        db.execute(f"UPDATE endpoint SET {change} WHERE id = %s",
                   [made["endpoint_id"]])
    assert answer(operator, asked).status_code == 200
    assert why in refused_at_sending(server, receiver, where)


@pytest.mark.route(ASK)
@pytest.mark.parametrize("tail", [
    "../x", "a/..;/x", "%252e%252e/x", "a%5c..%5cx", "a\\x", "x#y", "%2e%2e/x"])
def test_a_callback_of_an_older_version_is_checked_when_it_is_sent(
        server, receiver, admin, bot, operator, tail):
    """Where other rules may have held when it was asked."""
    made = prefix(admin, receiver)
    asked = ask(bot, callback=made["url"] + "x")
    where = made["url"] + tail
    with server.database() as db:
        db.execute("UPDATE suspension SET callback = %s WHERE id = %s",
                   [where, asked["suspension_id"]])
    assert answer(operator, asked).status_code == 200
    assert refused_at_sending(server, receiver, where)


@pytest.mark.route(ASK)
def test_a_try_again_is_checked_too(server, receiver, admin, bot, operator):
    """Each try: between two of them the endpoint was made narrower."""
    made = prefix(admin, receiver)
    where = made["url"] + new_id()
    path = "/" + where.split("/", 3)[3]
    receiver.answer(path, 500)
    asked = ask(bot, callback=where)
    assert answer(operator, asked).status_code == 200
    wait_for(lambda: [r for r in receiver.requests if r.path == path])
    receiver.answer(path, 200)
    with server.database() as db:
        wait_for(lambda: db.execute("SELECT tries FROM delivery WHERE "
                                    "address = %s", [where]).fetchone()[0])
        db.execute("UPDATE endpoint SET address = address || 'narrow/' "
                   "WHERE id = %s", [made["endpoint_id"]])
        db.execute("UPDATE delivery SET next_at = now() WHERE address = %s",
                   [where])
        state, said = wait_for(lambda: db.execute(
            "SELECT state, answer FROM delivery WHERE address = %s AND "
            "state <> 'pending'", [where]).fetchone())
    assert state == "failed" and "has to be below" in said
    assert len([r for r in receiver.requests if r.path == path]) == 1
