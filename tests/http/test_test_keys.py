"""Keys for tests: a script answers what the key asked itself and moves its
clock; it reaches nothing else, and gains nothing."""
import pytest

from kit import (answer, ask, configured, made, new_intent, refused,
                 wait_for)

ANSWER = "POST /api/v1/test/answer"
CLOCK = "POST /api/v1/test/clock"
APPROVAL = {"question": "Refund?", "kind": "approval", "choices": None,
            "response_type": None,
            "subject": {"action": {"name": "refund"}, "target": "order 1",
                        "scope_summary": "One refund",
                        "consequence": "The customer has the money.",
                        "calls": [{"tool": "refund", "args": {"order": 1}}]}}


def client_of(server, name, *options):
    key = server.key("agent", "--agent", name, *options)
    return server.client(headers={"X-API-Key": key})


@pytest.fixture(scope="module")
def ordinary(server):
    with client_of(server, "real-bot") as client:
        yield client


def script(client, asked, value="approve", **more):
    return client.post("/api/v1/test/answer", json={
        "suspension_id": asked["suspension_id"], "value": value, **more})


def read(client, asked):
    return client.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()


def forward(client, seconds):
    r = client.post("/api/v1/test/clock", json={"forward_seconds": seconds})
    assert r.status_code == 200, r.text
    return r.json()["moved"]


@pytest.mark.route(ANSWER)
def test_the_script_answers_its_own_question(tester, operator):
    asked = ask(tester, **APPROVAL)
    assert asked["test"] is True
    done = script(tester, asked, reason="scripted")
    assert done.status_code == 200, done.text
    got = read(tester, asked)
    assert (got["state"], got["outcome"]) == ("resolved", "authorized")
    assert got["responded_by"] == "Test script"
    assert "permit" not in got
    refused(script(tester, asked), 409, "suspension.already_decided")
    refused(answer(operator, asked, "deny"), 409,
            "suspension.already_decided")


@pytest.mark.route(ANSWER)
def test_it_reaches_no_question_of_another_key(server, tester, ordinary,
                                               operator):
    real = ask(ordinary)
    assert "test" not in real
    refused(script(tester, real), 404, "suspension.unknown")
    with client_of(server, "other-tested-bot", "--test") as other:
        theirs = ask(other)
        refused(script(tester, theirs), 404, "suspension.unknown")
    assert read(operator, real)["state"] == "pending"
    assert read(operator, theirs)["state"] == "pending"


@pytest.mark.route(ANSWER)
@pytest.mark.route(CLOCK)
def test_an_ordinary_key_has_no_script(ordinary, tester):
    mine, tests = ask(ordinary), ask(tester)
    for asked in mine, tests:
        refused(script(ordinary, asked), 403, "key.no_test")
    refused(ordinary.post("/api/v1/test/clock",
                          json={"forward_seconds": 60}), 403, "key.no_test")


def test_the_agent_itself_still_cannot_answer(tester):
    asked = ask(tester)
    refused(answer(tester, asked), 403, "suspension.own_question")


@pytest.mark.route(ANSWER)
@pytest.mark.parametrize("body, code, at", [
    ({"value": "approve"}, "field.missing", "suspension_id"),
    ({"suspension_id": "x"}, None, None),
    ({"suspension_id": 1, "value": "approve"}, "field.type",
     "suspension_id"),
    ({"suspension_id": "x", "value": "approve", "role": "admin"},
     "field.unknown", "role")])
def test_a_wrong_body(tester, body, code, at):
    r = tester.post("/api/v1/test/answer", json=body)
    refused(r, 422 if code else 404, code, at)


@pytest.mark.route(CLOCK)
def test_the_clock_ends_what_it_asked(tester, ordinary, operator):
    brief = ask(tester, timeout_seconds=3600)
    long = ask(tester, timeout_seconds=7200)
    real = ask(ordinary, timeout_seconds=3600)
    assert forward(tester, 3000) >= 2
    later = ask(tester, timeout_seconds=3600)
    assert forward(tester, 601) >= 3
    wait_for(lambda: read(tester, brief)["state"] == "expired")
    assert read(tester, long)["state"] == "pending"
    assert read(tester, later)["state"] == "pending"
    assert forward(tester, 3600) >= 2
    wait_for(lambda: read(tester, long)["state"] == "expired")
    wait_for(lambda: read(tester, later)["state"] == "expired")
    assert read(operator, real)["state"] == "pending"


@pytest.mark.route(CLOCK)
def test_the_clock_walks_the_ladder(tester):
    """Attempt by attempt, as the real time would."""
    asked = ask(tester, retry_policy={
        "max_attempts": 3, "interval_seconds": 3600, "strategy": "fixed",
        "final_fallback_policy": "fail"})
    forward(tester, 3601)
    wait_for(lambda: read(tester, asked)["attempt"] == 2)
    forward(tester, 3600)
    wait_for(lambda: read(tester, asked)["attempt"] == 3)
    assert read(tester, asked)["state"] == "pending"
    forward(tester, 3600)
    wait_for(lambda: read(tester, asked)["state"] == "expired")


@pytest.mark.route(CLOCK)
@pytest.mark.parametrize("seconds", [0, -5, 31622401, "60", None])
def test_a_wrong_span(tester, seconds):
    refused(tester.post("/api/v1/test/clock",
                        json={"forward_seconds": seconds}), 422)


@pytest.mark.route("POST /api/v1/authorizations")
def test_no_permit_for_a_test(tester):
    refused(tester.post("/api/v1/authorizations", json={
        "goal": "Refund", "authorization_details": [
            {"type": "tool_call", "tool": "refund",
             "arguments": {"order": "1"}}]}), 403, "key.test")


@pytest.mark.route(ANSWER)
@pytest.mark.route("POST /api/v1/intents/{id}/access-requests")
@pytest.mark.route("POST /api/v1/intents/{id}/approvals")
def test_no_script_answers_what_the_server_asks(server, tester, operator):
    """The effect of such an answer is real: access, or a policy's approval."""
    with client_of(server, "closing-test", "--test") as other:
        intent = new_intent(other)
    made(operator.put(f"/api/v1/intents/{intent['id']}/acl", json={
        "default_policy": "closed", "entries": []}), 200)
    access = made(tester.post(
        f"/api/v1/intents/{intent['id']}/access-requests", json={
            "principal_id": "tested-bot", "requested_permission": "admin",
            "reason": "x"}))
    approval = made(tester.post(
        f"/api/v1/intents/{new_intent(tester)['id']}/approvals",
        json={"action": "complete", "reason": "x"}))
    for one, value in ((access, "admin"), (approval, "approve")):
        asked = {"suspension_id": one["id"]}
        refused(script(tester, asked, value), 404, "suspension.unknown")
        assert read(operator, asked)["state"] == "pending"
        assert read(operator, asked)["test"] is True
    r = tester.get(f"/api/v1/intents/{intent['id']}")
    assert r.status_code == 404


@pytest.mark.route("GET /suspensions/{id}")
@pytest.mark.route("GET /inbox")
def test_the_page_says_that_it_is_a_test(tester, ordinary, person):
    carol = person().client
    asked, real = ask(tester, question="Scripted?"), ask(ordinary)
    page = carol.get(f"/suspensions/{asked['suspension_id']}").text
    assert '<strong class="chip">Test</strong>' in page
    page = carol.get(f"/suspensions/{real['suspension_id']}").text
    assert '<strong class="chip">Test</strong>' not in page
    rows = carol.get("/inbox?agent=tested-bot").text
    assert '<strong class="chip">Test</strong>' in rows


def test_a_server_without_the_setting_takes_none(server, tester):
    with configured(server, test_keys="no"):
        refused(tester.get("/api/v1/suspensions"), 401, "key.test")
        done = server.sayso("key", "create", "--role", "agent", "--agent",
                            "x", "--label", "x", "--test")
        assert done.returncode == 2 and "test_keys" in done.stderr
    assert tester.get("/api/v1/suspensions").status_code == 200


def test_only_agents_have_such_keys(server):
    for role in "operator", "admin", "auditor":
        done = server.sayso("key", "create", "--role", role, "--label", "x",
                            "--test")
        assert done.returncode == 2 and "--test" in done.stderr
