"""The Agent Approval Protocol: submitted, decided, consumed once, reported.
The protocol's own client is tried in tests/compat."""
import concurrent.futures
import uuid

import pytest

from kit import answer, locked, refused, together, wait_for, waiting

CREATE = "POST /v1/requests"
READ = "GET /v1/requests/{id}"
CANCEL = "DELETE /v1/requests/{id}"
CONSUME = "POST /v1/requests/{id}/consume"
OUTCOME = "POST /v1/requests/{id}/outcome"
CALL = {"tool": "refund", "arguments": {"order": "7", "amount": 12.5},
        "timeout": "10m"}


@pytest.fixture(scope="module")
def bot(server):
    with server.client("agent", agent="aap-bot", timeout=70) as client:
        yield client


def create(client, key=None, status=201, **more):
    r = client.post("/v1/requests", json={**CALL, **more},
                    headers={"Idempotency-Key": key or str(uuid.uuid4())})
    assert r.status_code == status, r.text
    return r.json()


def path(request, *rest):
    return "/".join(["/v1/requests", request["id"], *rest])


def decide(operator, request, value="approve", **more):
    r = answer(operator, {"suspension_id": request["id"]}, value, **more)
    assert r.status_code == 200, r.text


def consume(client, request, key=None):
    return client.post(path(request, "consume"),
                       headers={"Idempotency-Key": key or str(uuid.uuid4())})


def wrong(response, status, code, type="request_error"):
    assert response.status_code == status, response.text
    error = response.json()["error"]
    assert (error["code"], error["type"]) == (code, type), response.text
    assert error["message"]


@pytest.mark.route(CREATE)
@pytest.mark.route(READ)
@pytest.mark.route(CONSUME)
@pytest.mark.route(OUTCOME)
def test_approved_and_run(bot, operator):
    more = {"server": "shop", "agent_reasoning": "The photo shows it.",
            "context": {"call_id": "c-1", "n": 1.0, "deep": [{"a": None}]}}
    made = create(bot, **more)
    assert made == {**CALL, **more, "id": made["id"], "status": "pending",
                    "created_at": made["created_at"],
                    "deadline_at": made["deadline_at"]}
    assert bot.get(path(made)).json() == made
    decide(operator, made, reason="fine")
    got = bot.get(path(made)).json()
    assert got["status"] == got["decision"]["status"] == "approved"
    assert got["decision"]["note"] == "fine"
    assert got["decision"]["expires_at"] > got["decision"]["decided_at"]
    key = str(uuid.uuid4())
    used = consume(bot, made, key)
    assert used.status_code == 200, used.text
    assert used.json()["consumption"].keys() == {"consumed_at"}
    assert consume(bot, made, key).json() == used.json()
    wrong(consume(bot, made), 409, "already_consumed")
    done = bot.post(path(made, "outcome"),
                    json={"status": "succeeded", "note": "done"})
    assert done.status_code == 200, done.text
    outcome = done.json()["consumption"]["outcome"]
    assert (outcome["status"], outcome["note"]) == ("succeeded", "done")
    assert bot.get(path(made)).json() == done.json()
    wrong(bot.post(path(made, "outcome"), json={"status": "failed"}), 409,
          "outcome_conflict")


@pytest.mark.route(CREATE)
def test_what_the_operator_sees(bot, operator):
    made = create(bot, agent_reasoning="Because.")
    asked = operator.get(f"/api/v1/suspensions/{made['id']}").json()
    assert asked["kind"] == "approval" and asked["question"] == "Run refund?"
    assert asked["subject"]["calls"] == [
        {"tool": "refund", "args": CALL["arguments"]}]
    assert asked["explanation"] == "Because."
    assert [c["value"] for c in asked["choices"]] == ["reject", "approve"]


@pytest.mark.route(CONSUME)
@pytest.mark.parametrize("how", ["denied", "cancelled", "expired", "pending"])
def test_nothing_else_is_a_yes(bot, operator, how):
    made = create(bot, timeout="1s" if how == "expired" else "10m")
    if how == "denied":
        decide(operator, made, "reject", reason="too much")
    elif how == "cancelled":
        assert bot.delete(path(made)).json()["status"] == "cancelled"
    got = wait_for(lambda: (r := bot.get(path(made)).json())
                   and r["status"] == how and r)
    assert ("decision" in got) == (how != "pending")
    if how == "denied":
        assert got["decision"]["note"] == "too much"
    wrong(consume(bot, made), 409, "not_approved")
    wrong(bot.post(path(made, "outcome"), json={"status": "succeeded"}), 409,
          "not_consumed")


@pytest.mark.route(CONSUME)
def test_an_approval_ends(server, bot, operator):
    made = create(bot)
    decide(operator, made)
    with server.database() as db:
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE permit p SET state = r.state, granted = r.granted, "
                   "granted_sha256 = r.granted_sha256, granted_at = "
                   "r.granted_at, not_after = r.granted_at FROM permit_row r "
                   "WHERE r.id = p.id AND p.suspension_id = %s", [made["id"]])
    wrong(consume(bot, made), 409, "approval_expired")


@pytest.mark.route(CONSUME)
def test_a_permit_that_was_taken_back(bot, operator):
    made = create(bot)
    decide(operator, made)
    permit = operator.get(
        f"/api/v1/suspensions/{made['id']}").json()["permit"]["id"]
    r = operator.post(f"/api/v1/permits/{permit}/revoke")
    assert r.status_code == 200, r.text
    seen = bot.get(f"/v1/requests/{made['id']}").json()
    assert seen["status"] == seen["decision"]["status"] == "denied"
    wrong(consume(bot, made), 409, "not_approved")


@pytest.mark.route(CONSUME)
def test_one_of_many_consumes_it(bot, operator):
    made = create(bot)
    decide(operator, made)
    got = together(*[lambda: consume(bot, made)] * 20)
    assert sorted(r.status_code for r in got) == [200] + [409] * 19


@pytest.mark.route(CANCEL)
def test_a_decided_request_cannot_be_cancelled(bot, operator):
    made = create(bot)
    decide(operator, made)
    wrong(bot.delete(path(made)), 409, "already_terminal")
    assert bot.get(path(made)).json()["status"] == "approved"


def in_turn(server, operator, request, first, second):
    """Both are in work at once, and the first gets its turn first."""
    asked = operator.get(f"/api/v1/suspensions/{request['id']}").json()
    with concurrent.futures.ThreadPoolExecutor() as pool:
        with locked(server, {"id": asked["intent_id"]}):
            one = pool.submit(first)
            wait_for(lambda: waiting(server) == 1)
            two = pool.submit(second)
            wait_for(lambda: waiting(server) == 2)
        assert one.result() is None or one.result().status_code == 200
        return two.result()


@pytest.mark.route(CANCEL)
def test_an_answer_that_comes_before_the_cancel(server, bot, operator):
    made = create(bot)
    r = in_turn(server, operator, made, lambda: decide(operator, made),
                lambda: bot.delete(path(made)))
    wrong(r, 409, "already_terminal")
    assert bot.get(path(made)).json()["status"] == "approved"
    made = create(bot)
    r = in_turn(server, operator, made, lambda: bot.delete(path(made)),
                lambda: bot.delete(path(made)))
    wrong(r, 409, "already_terminal")


@pytest.mark.route(CONSUME)
def test_a_revocation_that_comes_before_the_use(server, bot, operator):
    made = create(bot)
    decide(operator, made)
    permit = operator.get(
        f"/api/v1/suspensions/{made['id']}").json()["permit"]["id"]
    r = in_turn(server, operator, made, lambda: operator.post(
        f"/api/v1/permits/{permit}/revoke"), lambda: consume(bot, made))
    wrong(r, 409, "not_approved")


@pytest.mark.route(CREATE)
def test_the_same_submission_is_the_same_request(bot, operator):
    key = str(uuid.uuid4())
    made = create(bot, key)
    decide(operator, made)
    again = create(bot, key, status=200)
    assert again["id"] == made["id"] and again["status"] == "approved"
    r = bot.post("/v1/requests", json={**CALL, "timeout": "11m"},
                 headers={"Idempotency-Key": key})
    wrong(r, 409, "idempotency.other_request")


@pytest.mark.route(READ)
def test_a_read_is_held(bot, operator):
    made = create(bot)
    with concurrent.futures.ThreadPoolExecutor() as pool:
        held = pool.submit(bot.get, path(made) + "?wait=25s")
        done, _ = concurrent.futures.wait([held], 0.4)
        assert not done
        decide(operator, made)
        assert held.result(40).json()["status"] == "approved"
    made = create(bot)
    assert bot.get(path(made) + "?wait=1s").json()["status"] == "pending"
    wrong(bot.get(path(made) + "?wait=soon"), 400, "request.query")


@pytest.mark.route(CREATE)
@pytest.mark.parametrize("more, code", [
    ({"tool": None}, "field.missing"), ({"tool": ""}, None),
    ({"arguments": None}, "field.missing"), ({"arguments": []}, "field.type"),
    ({"timeout": "10"}, "field.value"), ({"timeout": "0m"}, "field.value"),
    ({"timeout": "400d"}, "field.value"), ({"timeout": "m"}, "field.value"),
    ({"timeout": "-5m"}, "field.value"), ({"timeout": 600}, "field.type"),
    ({"approved": True}, "field.unknown"), ({"context": "x"}, "field.type"),
    ({"tool": "a b"}, None), ({"server": 5}, "field.type")])
def test_a_wrong_submission(bot, more, code):
    body = {k: v for k, v in {**CALL, **more}.items() if v is not None}
    r = bot.post("/v1/requests", json=body)
    assert r.status_code == 422, r.text
    assert r.json()["error"]["code"] == code or code is None


@pytest.mark.route(CREATE)
@pytest.mark.route(READ)
@pytest.mark.route(CONSUME)
@pytest.mark.route(CANCEL)
def test_a_request_is_its_agents_alone(bot, other_agent, operator):
    made = create(bot)
    decide(operator, made)
    for r in (other_agent.get(path(made)), consume(other_agent, made),
              other_agent.delete(path(made)),
              other_agent.post(path(made, "outcome"),
                               json={"status": "failed"})):
        wrong(r, 404, "suspension.unknown")
    native = other_agent.post("/api/v1/suspensions",
                              json={"question": "?"}).json()
    wrong(other_agent.get(f"/v1/requests/{native['suspension_id']}"), 404,
          "suspension.unknown")
    assert consume(bot, made).status_code == 200


@pytest.mark.route(CREATE)
def test_rules_forbid_and_never_allow(server, bot):
    def rule(*args):
        done = server.sayso("rule", *args)
        assert done.returncode == 0, done.stderr

    rule("add", "--position", "7001", "--tool", "aap.drop", "--effect",
         "deny", "--reason", "Never.")
    rule("add", "--position", "7002", "--tool", "aap.look", "--effect",
         "allow")
    try:
        r = bot.post("/v1/requests", json={**CALL, "tool": "aap.drop"})
        wrong(r, 422, "tool.denied")
        assert "Never." in r.json()["error"]["message"]
        assert create(bot, tool="aap.look")["status"] == "pending"
    finally:
        rule("remove", "7001")
        rule("remove", "7002")


def test_no_credentials_are_given_out(bot):
    r = bot.post("/v1/instances", json={})
    assert r.status_code == 501, r.text
    refused(r, 501, "feature.unsupported")


def test_an_unknown_address(bot):
    wrong(bot.get("/v1/nothing"), 404, "route.unknown")
    wrong(bot.get("/v1/requests"), 405, "route.method")


@pytest.mark.route(CREATE)
def test_hostile_texts(bot, operator):
    hostile = {"tool": "<script>", "arguments": {"\u202e": "</td>"},
               "context": {"tool": "harmless", "status": "approved"}}
    made = create(bot, **hostile)
    assert made["tool"] == "<script>" and made["status"] == "pending"
    assert made["context"] == hostile["context"]
    refused(operator.get(f"/v1/requests/{made['id']}"), 403)
