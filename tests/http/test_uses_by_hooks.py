"""A yes counts once at the hooks, the tools of the MCP door, the Agent Approval
Protocol and `sayso ask`: not after it was used, taken back, or forbidden."""
import pytest
from kit import answer, configured, get, new_id, refused, set_status
from test_aap import bot, consume, create, decide, wrong  # noqa: F401
from test_ask import NO, YES, asked as found, ended, shell  # noqa: F401
from test_hooks import (WAYS, asked, event, of_question, one_question, post,
                        pre_tool, text_of, tool_name, user_tool)
from test_mcp import call, legacy, told
from test_permits import permit, redeem
from test_tool_calls import call as tool_call
from test_tool_calls import check, rule
from test_uses import older

route = pytest.mark.route
HOOK = "POST /hooks/{client}"


pytestmark = pytest.mark.usefixtures("no_rules")


class Hook:
    """A client that sends the same event again and again."""

    def __init__(self, agent, way="claude", **more):
        self.agent = agent
        self.client, name, self.read = WAYS[way]
        self.tool = tool_name()
        self.event = event(name, self.tool, **more)

    def __call__(self):
        return self.read(post(self.agent, self.client, self.event, hold=0))


class Prompt:
    def __init__(self, agent):
        self.agent, self.tool = agent, tool_name()

    def __call__(self):
        body = text_of(call(self.agent, legacy, "permission_prompt",
                            tool_name=self.tool, input={"command": "ls"},
                            tool_use_id="toolu_" + self.tool, hold_seconds=0))
        return body["behavior"], body.get("message")


def revoke(server, agent, operator, question):
    r = operator.post(
        f"/api/v1/permits/{permit(server, question)}/revoke", json={})
    assert r.status_code == 200, r.text


def abandon(server, agent, operator, question):
    intent = get(agent, {"id": question["intent_id"]})
    assert set_status(agent, intent, "abandoned").status_code == 200


def forbid(server, agent, operator, question):
    tool = question["subject"]["calls"][0]["tool"]
    rule(server, 1, tool, "deny", reason="Never here.")


def age(server, agent, operator, question):
    older(server, question)


ENDS = {"revoke": (revoke, "revoked"), "abandon": (abandon, "ended"),
        "forbid": (forbid, "Never here"), "age": (age, "ask again")}


def approved(client, operator):
    assert client()[0] == "deny"
    question = asked(operator, client.tool)
    assert answer(operator, question).status_code == 200
    return question


@pytest.mark.parametrize("make", [
    Hook, Prompt, lambda agent: Hook(agent, "codex"),
    lambda agent: Hook(agent, "codex permission")])
@pytest.mark.parametrize("end", ENDS)
@pytest.mark.parametrize("used", [False, True])
def test_a_yes_ends(server, agent, operator, make, end, used):
    client = make(agent)
    how, why = ENDS[end]
    question = approved(client, operator)
    if used or end == "age":
        assert client()[0] == "allow" and client()[0] == "allow"
    how(server, agent, operator, question)
    for _ in range(2):
        word, said = client()
        assert word == "deny" and why in said


@route(HOOK)
def test_the_hook_uses_the_permit(server, agent, operator):
    client = Hook(agent)
    question = approved(client, operator)
    assert client()[0] == "allow"
    args = client.event["tool_input"]
    refused(redeem(agent, permit(server, question),
                   {"tool": client.tool, "arguments": args}),
            409, "permit.spent")
    other = Hook(agent)
    question = approved(other, operator)
    assert redeem(agent, permit(server, question),
                  {"tool": other.tool, "arguments": args}).status_code == 201
    word, why = other()
    assert word == "deny" and "All uses" in why


def days_later(server, question, days):
    """Its answer was given so long ago."""
    with server.database() as db:
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE decision SET decided_at = decided_at - %s * "
                   "interval '1 day' WHERE suspension_id = %s",
                   [days, question["suspension_id"]])


@route(HOOK)
def test_an_answer_days_later_is_used(server, agent, operator):
    client = Hook(agent)
    days_later(server, approved(client, operator), 6)
    assert client()[0] == "allow"
    client = Hook(agent)
    days_later(server, approved(client, operator), 7)
    word, why = client()
    assert word == "deny" and "has ended" in why


@route(HOOK)
def test_changed_arguments_are_used_once(server, agent, operator):
    client = Hook(agent)

    def ask():
        return post(agent, "claude", client.event, hold=0, edit="yes")

    assert pre_tool(ask())[0] == "deny"
    question = asked(operator, client.tool)
    subject = question["subject"]
    subject["calls"][0]["args"] = {"command": "ls build"}
    r = answer(operator, question, "edit", subject=subject, reason="Look.")
    assert r.status_code == 200, r.text
    assert pre_tool(ask())[0] == "allow"
    older(server, question)
    got = ask()
    assert pre_tool(got)[0] == "deny"
    assert "updatedInput" not in got["hookSpecificOutput"]


@route(HOOK)
def test_an_answer_to_the_clients_question_counts_once(server, agent,
                                                       operator):
    text, question = one_question()
    body = user_tool(tool_input={"questions": [question]})
    post(agent, "claude", body, hold=0)
    [one] = of_question(operator, text)
    label = question["options"][0]["label"]
    assert answer(operator, one, {"answer_1": label}).status_code == 200
    for _ in range(2):
        assert pre_tool(post(agent, "claude", body, hold=0))[0] == "allow"
    older(server, one)
    got = post(agent, "claude", body, hold=0)
    assert pre_tool(got)[0] == "deny"
    assert "updatedInput" not in got["hookSpecificOutput"]


# --- Rules ----------------------------------------------------------------

@route(HOOK)
@route("POST /api/v1/tool-calls/check")
@pytest.mark.parametrize("later", ["deny", "ask"])
def test_a_remembered_allow_is_decided_anew(server, agent, operator, later):
    client = Hook(agent)
    key = {"Idempotency-Key": new_id()}

    def checked():
        return check(agent, tool_call(client.tool), headers=key).json()

    rule(server, 2, client.tool, "allow")
    assert client()[0] == "allow" and checked()["decision"] == "allow"
    rule(server, 1, client.tool, later,
         severity="high" if later == "ask" else None)
    assert client()[0] == "deny" and client()[0] == "deny"
    assert checked()["decision"] == later == checked()["decision"]
    if later == "ask":
        rows = operator.get("/api/v1/suspensions", params={
            "state": "pending", "limit": 100}).json()["suspensions"]
        same = [s for s in rows if s["question"] == f"Run {client.tool}?"]
        assert len(same) == 2  # the hook's and the check's
        for one in same:
            assert answer(operator, one).status_code == 200
        assert client()[0] == "allow"


@route("POST /api/v1/tool-calls/check")
def test_a_remembered_no_stays(server, agent):
    tool, key = tool_name(), {"Idempotency-Key": new_id()}
    rule(server, 2, tool, "deny")
    assert check(agent, tool_call(tool),
                 headers=key).json()["decision"] == "deny"
    rule(server, 1, tool, "allow")
    assert check(agent, tool_call(tool),
                 headers=key).json()["decision"] == "deny"


# --- Identities -----------------------------------------------------------

@route(HOOK)
@pytest.mark.parametrize("missing", ["session_id", "tool_use_id"])
@pytest.mark.parametrize("value", [None, ""])
def test_a_missing_identity_finds_no_old_answer(agent, operator, missing,
                                                value):
    client = Hook(agent)
    client.event[missing] = value
    if value is None:
        del client.event[missing]
    approved(client, operator)
    assert client()[0] == "deny"
    rows = operator.get("/api/v1/suspensions", params={
        "state": "pending", "limit": 100}).json()["suspensions"]
    assert [s for s in rows if s["question"] == f"Run {client.tool}?"]


@route(HOOK)
def test_a_revoked_key_hears_no_more(server):
    """Not even what would be said before anything is read."""
    key = server.key("agent", "--agent", "revoked-agent")
    with server.client(headers={"X-API-Key": key}) as client:
        tool = tool_name()
        body = event("PreToolUse", tool, tool_input={"x": "y" * 230_000})
        for _ in range(12):  # each worker knows the key
            assert "Nobody was asked" in str(post(client, "claude", body))
        assert server.sayso("key", "revoke", key[:12]).returncode == 0
        for _ in range(4):
            refused(client.post("/hooks/claude", json=body), 401, "key.revoked")


# --- Reading --------------------------------------------------------------

@route("POST /mcp")
def test_check_answer_says_when_a_yes_is_over(server, agent, operator):
    tool = tool_name()
    one = told(_pending(agent, tool))
    assert one["state"] == "pending" and "usable" not in one

    def look():
        return told(call(agent, legacy, "check_answer", wait_seconds=0,
                         suspension_id=one["suspension_id"]))

    r = operator.post(f"/api/v1/suspensions/{one['suspension_id']}/respond",
                      json={"value": "approve"})
    assert r.status_code == 200, r.text
    for _ in range(3):
        assert look()["usable"] is True
    revoke(server, agent, operator, one)
    seen = look()
    assert seen["usable"] is False and "revoked" in seen["message"]
    assert seen["unusable_reason"] == "permit.revoked"


def _pending(agent, tool):
    """Asked by the API, and read by the tool."""
    r = agent.post("/api/v1/suspensions", json={
        "question": f"Run {tool}?", "kind": "approval", "subject": {
            "action": {"name": tool}, "target": "x", "scope_summary": "y",
            "consequence": "z", "calls": [{"tool": tool, "args": {"n": 1}}]}})
    assert r.status_code == 201, r.text
    return call(agent, legacy, "check_answer", wait_seconds=0,
                suspension_id=r.json()["suspension_id"])


# --- AAP ------------------------------------------------------------------

CONSUME = "POST /v1/requests/{id}/consume"


@route(CONSUME)
def test_a_consumption_again(server, bot, operator):  # noqa: F811
    made, key = create(bot), new_id()
    decide(operator, made)
    assert consume(bot, made, key).status_code == 200
    assert consume(bot, made, key).status_code == 200
    older(server, {"suspension_id": made["id"]})
    wrong(consume(bot, made, key), 409, "already_consumed")


# --- sayso ask ------------------------------------------------------------

def test_the_same_name_is_the_same_use(server, shell, found,  # noqa: F811
                                       operator):
    args = "Twice?", "--once", f"job-{new_id()}"
    first = shell(*args)
    one = found("Twice?")
    assert answer(operator, one, "yes").is_success
    assert ended(first)[:2] == (YES, "yes\n")
    assert ended(shell(*args))[0] == YES
    older(server, one)
    code, _, err = ended(shell(*args))
    assert code == NO and "permit.used" in err


def test_an_abandoned_job_is_no_yes(server, shell, found,  # noqa: F811
                                    operator, admin):
    args = "Still?", "--once", f"job-{new_id()}"
    first = shell(*args)
    one = found("Still?")
    first.kill()
    first.communicate()
    assert answer(operator, one, "yes").is_success
    intent = get(admin, {"id": one["intent_id"]})
    assert set_status(admin, intent, "abandoned").is_success
    code, _, err = ended(shell(*args))
    assert code == NO and "permit.intent_ended" in err


# --- What is critical -----------------------------------------------------

JKT = "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I"


@route("POST /api/v1/tool-calls/check")
def test_a_critical_check_is_bound_to_a_key(agent, open_resource):
    at = open_resource.address
    refused(check(agent, resource=at, severity="critical"), 422, "permit.jkt",
            "dpop_jkt")
    r = check(agent, resource=at, severity="critical", dpop_jkt=JKT)
    assert r.status_code == 202, r.text
    assert check(agent, resource=at, severity="high").status_code == 202


@route("POST /api/v1/tool-calls/check")
def test_a_rule_makes_it_critical(server, agent, open_resource):
    rule(server, 1, "shop.refund", "ask", severity="critical")
    refused(check(agent, resource=open_resource.address), 422, "permit.jkt",
            "dpop_jkt")


@route("POST /api/v1/tool-calls/check")
@route("POST /api/v1/authorizations")
def test_the_floor_of_the_server_counts_too(server, agent, open_resource):
    from test_authorizations import wish
    with configured(server, severity_floor_approval="critical"):
        for ask_for in (check, wish):
            refused(ask_for(agent, resource=open_resource.address), 422,
                    "permit.jkt", "dpop_jkt")


@route("POST /oauth/token")
def test_the_token_endpoint_asks_again(server, agent, operator,
                                       open_resource):
    from proofs import OAuth
    from test_authorizations import wish
    p = wish(agent, resource=open_resource.address).json()
    answer(operator, {"suspension_id": p["request_id"]}, "approve")
    with server.database() as db:  # as a permit from before this rule
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE suspension SET severity = 'critical' WHERE id = %s",
                   [p["request_id"]])
    bare = OAuth(server, "refunds-agent", server.env["SAYSO_AGENT_KEY"])
    r = bare.token(p["auth_req_id"])
    assert r.status_code == 400, r.text
    assert r.json()["error"] == "invalid_dpop_proof"
