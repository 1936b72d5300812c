"""Which agents and people have a say, and how much of one: access that was lent is
neither kept nor passed on for longer, a quorum is not made smaller, and the rules
and keys of an admin say which people answer."""
import datetime

import kit
import pytest
from kit import (answer, ask, at, get, made, new_id, new_intent, refused)
from page import Page, send
from plans import change, checkpoint, move, plan, task
from test_governance import completion, complete, put as put_policy, violation
from test_guardrails import guarded
from test_records import failure, policy as retry_policy
from test_resume import caller  # noqa: F401
from test_tool_calls import call, check, ticket, told

PATH = "/api/v1"


@pytest.fixture(scope="module")
def own(server):
    """own(NAME, ...) makes an agent key of these names, each with a tag of its
    own; a client that speaks for the first, and one for each other."""
    def make(*names, reach="own"):
        tag = new_id()[:8]
        tagged = [f"{n}-{tag}" for n in names]
        key = server.key("agent", "--reach", reach,
                         *[w for n in tagged for w in ("--agent", n)])
        out = []
        for name in tagged:
            client = server.client(headers={"X-API-Key": key},
                                   agent=name)
            client.name = name
            out.append(client)
        return out[0] if len(out) == 1 else out
    return make


def soon(**span):
    then = datetime.datetime.now(datetime.timezone.utc) + \
        datetime.timedelta(**span)
    return then.strftime("%Y-%m-%dT%H:%M:%S.%f")


def entry(who, permission="admin", **more):
    return {"principal_id": getattr(who, "name", who),
            "permission": permission, **more}


def lend(person, intent, who, **more):
    return made(person.post(at(intent, "acl/entries"), json=entry(
        who, expires_at=soon(hours=1), **more)))


def acl(client, intent):
    return {e["principal_id"]: e for e in
            made(client.get(at(intent, "acl")), 200)["entries"]}


def policy(client, intent, word, *entries):
    return client.put(at(intent, "acl"), json={
        "default_policy": word, "entries": list(entries)})


# --- Access that was lent -----------------------------------------------------

WAYS = {
    "an entry": lambda by, i, who: by.post(at(i, "acl/entries"),
                                           json=entry(who)),
    "a list": lambda by, i, who: policy(
        by, i, "open" if not get(by, i).get("closed") else "closed",
        entry(who)),
    "an assignment": lambda by, i, who: by.post(
        at(i, "agents"), json={"agent_id": who.name}),
    "a delegation": lambda by, i, who: by.post(at(i, "events"), json={
        "event_type": "agent_assigned", "payload": {"agent_id": who.name}}),
    "a fallback": lambda by, i, who: by.put(at(i, "retry-policy"), json={
        "strategy": "none", "max_retries": 1,
        "fallback_agent_id": who.name}),
    "a handoff": lambda by, i, who: by.post(f"{PATH}/suspensions", json={
        "intent_id": i["id"], "kind": "handoff_acceptance",
        "question": "Do you take it over?",
        "responder": {"mode": "agent", "who": who.name},
        "subject": {"from": by.name, "to": who.name, "summary": "x",
                    "reason": "x", "artifacts": [], "evidence": []}}),
}


@pytest.mark.parametrize("shut", ["open", "closed"])
@pytest.mark.parametrize("way", [w for w in WAYS if w != "a list"])
def test_the_other_name_of_a_key_is_given_nothing(own, operator, way, shut):
    maker = own("maker")
    alpha, alpha2 = own("alpha", "alpha2")
    intent = new_intent(maker)
    made(policy(maker, intent, shut), 200)
    lend(operator, intent, alpha)
    if way == "a handoff":  # only who may read it is asked to take it over
        made(maker.post(at(intent, "acl/entries"), json=entry(alpha2, "read")))
    refused(WAYS[way](alpha, get(alpha, intent), alpha2), 403, "acl.own")
    if way != "a handoff":
        refused(alpha2.get(at(intent)), 404)


def test_a_request_of_the_other_name_is_answered_by_others(own, operator):
    maker, (alpha, alpha2) = own("maker"), own("alpha", "alpha2")
    intent = new_intent(maker)
    lend(operator, intent, alpha)
    for by, code in ((alpha2, "acl.own"), (alpha, "suspension.own_question")):
        asked = made(by.post(at(intent, "access-requests"), json=entry(
            by, None, requested_permission="admin", reason="help")))
        refused(alpha.post(at(intent, "access-requests", asked["id"],
                              "approve")), 403, code)
    refused(alpha2.get(at(intent)), 404)


def test_a_name_of_another_key_of_the_same_agent(server, own, operator):
    """Two keys, one of which speaks for both names."""
    maker, (alpha, alpha2) = own("maker"), own("alpha", "alpha2")
    single = server.client(headers={"X-API-Key": server.key(
        "agent", "--agent", alpha.name)})
    intent = new_intent(maker)
    lend(operator, intent, alpha)
    refused(single.post(at(intent, "acl/entries"), json=entry(alpha2)), 403,
            "acl.own")


@pytest.mark.parametrize("shut", ["open", "closed"])
@pytest.mark.parametrize("way", [w for w in WAYS
                                 if w not in ("an entry", "a list")])
def test_what_has_no_end_is_not_given_by_a_guest(own, operator, way, shut):
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(policy(maker, intent, shut), 200)
    lend(operator, intent, alpha)
    if way == "a handoff":
        made(maker.post(at(intent, "acl/entries"), json=entry(beta, "read")))
    body = refused(WAYS[way](alpha, get(alpha, intent), beta), 403,
                   "acl.longer")
    assert body["expires_at"]
    if way != "a handoff":
        refused(beta.get(at(intent)), 404)


@pytest.mark.parametrize("shut", ["open", "closed"])
def test_an_entry_of_a_guest_ends_with_the_guest(own, operator, shut):
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(policy(maker, intent, shut), 200)
    mine = lend(operator, intent, alpha)
    one = made(alpha.post(at(intent, "acl/entries"), json=entry(beta)))
    assert one["expires_at"] == mine["expires_at"]
    refused(alpha.post(at(intent, "acl/entries"),
                       json=entry(beta, expires_at=soon(hours=2))), 403,
            "acl.longer")
    sooner = soon(minutes=5)
    one = made(alpha.post(at(intent, "acl/entries"),
                          json=entry(beta, "read", expires_at=sooner)))
    assert one["expires_at"] == sooner
    # A whole list: what stays as it is may be longer, what is new may not.
    made(maker.post(at(intent, "acl/entries"), json=entry("gamma", "read")))
    kept = entry(alpha, expires_at=mine["expires_at"])
    made(policy(alpha, intent, shut, kept, entry("gamma", "read"),
                entry("delta")), 200)
    now = acl(maker, intent)
    assert now["gamma"]["expires_at"] is None
    assert now["delta"]["expires_at"] == mine["expires_at"]
    refused(policy(alpha, intent, shut, kept, entry(
        "gamma", "read", reason="and more", expires_at=soon(hours=3))), 403,
        "acl.longer")


TIES = {
    "a child": lambda by, i: by.post(at(i, "children"), json={"title": "x"}),
    "a child by its parent": lambda by, i: by.post(f"{PATH}/intents", json={
        "title": "x", "parent_intent_id": i["id"]}),
    "the child of a question": lambda by, i: by.post(
        f"{PATH}/suspensions", json={"question": "?", "intent": {
            "title": "x", "parent_intent_id": i["id"]}}),
    "a dependency": lambda by, i: by.post(f"{PATH}/intents", json={
        "title": "x", "depends_on": [i["id"]]}),
    "a dependency of before": lambda by, i: by.post(
        at(new_intent(by), "dependencies"), json={"dependency_id": i["id"]},
        headers={"If-Match": "2"}),
}


@pytest.mark.parametrize("shut", ["open", "closed"])
@pytest.mark.parametrize("way", TIES)
def test_a_guest_ties_no_intent_of_its_own_to_it(own, operator, way, shut):
    """It would read the open intent by that, as long as it likes."""
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(policy(maker, intent, shut), 200)
    mine = lend(operator, intent, alpha)
    body = refused(TIES[way](alpha, intent), 403, "acl.longer")
    assert body["expires_at"] == mine["expires_at"]
    # Without an end it may, and so may its maker.
    made(operator.post(at(intent, "acl/entries"), json=entry(beta)))
    for client in beta, maker:
        assert TIES[way](client, intent).status_code in (200, 201)


def test_a_guest_coordinates_no_closed_intent(own, operator):
    """When it is opened again, that would be access without end."""
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(policy(maker, intent, "closed"), 200)
    lend(operator, intent, alpha)
    made(operator.post(at(intent, "acl/entries"), json=entry(beta)))
    for client, status in ((alpha, 403), (beta, 201)):
        r = client.post(f"{PATH}/coordinators", json={
            "intent_id": intent["id"], "agent_id": client.name})
        assert r.status_code == status, r.text


def test_a_guest_that_writes_for_good_gives_no_admin_for_good(own, operator):
    """Of a closed intent an assigned agent writes: that is what it may give."""
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    made(maker.post(at(intent, "agents"), json={"agent_id": alpha.name}), 200)
    made(policy(maker, intent, "closed"), 200)
    mine = lend(operator, intent, alpha)
    write = made(alpha.post(at(intent, "acl/entries"),
                            json=entry(beta, "write")))
    assert write["expires_at"] is None
    admin = made(alpha.post(at(intent, "acl/entries"), json=entry(beta)))
    assert admin["expires_at"] == mine["expires_at"]
    refused(alpha.post(at(intent, "acl/entries"), json=entry(alpha)), 403,
            "acl.own")


def test_an_answer_of_a_guest_ends_with_the_guest(own, operator):
    maker, alpha, beta = own("maker"), own("alpha"), own("beta")
    intent = new_intent(maker)
    mine = lend(operator, intent, alpha)

    def asked(by):
        return made(by.post(at(intent, "access-requests"), json=entry(
            by, None, requested_permission="write", reason="help")))["id"]

    made(alpha.post(at(intent, "access-requests", asked(beta), "approve")),
         200)
    assert acl(maker, intent)[beta.name]["expires_at"] == mine["expires_at"]
    refused(alpha.post(at(intent, "access-requests", asked(beta), "approve"),
                       json={"expires_at": soon(hours=2)}), 403, "acl.longer")
    other = own("gamma", "delta")[0]
    one = asked(other)
    made(alpha.post(at(intent, "access-requests", one, "deny"), json={}), 200)


@pytest.mark.parametrize("reach,code", [("all", "acl.own"),
                                        ("own", "acl.longer")])
def test_a_guest_does_not_open_a_closed_intent(own, operator, reach, code):
    maker, alpha = own("maker"), own("alpha", reach=reach)
    intent = new_intent(maker)
    made(policy(maker, intent, "closed"), 200)
    mine = lend(operator, intent, alpha)
    kept = entry(alpha, expires_at=mine["expires_at"])
    refused(policy(alpha, intent, "open", kept), 403, code)
    assert made(maker.get(at(intent, "acl")), 200)["default_policy"] == \
        "closed"
    made(policy(alpha, intent, "closed", kept, entry("x")), 200)
    made(policy(maker, intent, "open"), 200)  # its maker may


def test_an_entry_without_end_opens_but_where_the_key_reaches_all(own,
                                                                  operator):
    for reach, status in (("own", 200), ("all", 403)):
        maker, alpha = own("maker"), own("alpha", reach=reach)
        intent = new_intent(maker)
        made(policy(maker, intent, "closed", entry(alpha)), 200)
        r = policy(alpha, intent, "open", entry(alpha))
        assert r.status_code == status, r.text


def test_who_made_or_owns_it_gives_as_before(own):
    (maker, second), beta = own("maker", "second"), own("beta")
    intent = new_intent(maker)
    assert made(maker.post(at(intent, "acl/entries"),
                           json=entry(second)))["expires_at"] is None
    made(maker.post(at(intent, "agents"), json={"agent_id": beta.name}), 200)
    # An assigned agent of an open intent has it as long as it is assigned.
    made(beta.post(at(intent, "acl/entries"), json=entry("x")))


# --- A quorum -------------------------------------------------------------------

def quorate(maker, *names, share=0.6):
    intent = new_intent(maker, "active")
    for name in names:
        made(maker.post(at(intent, "agents"), json={"agent_id": name}), 200)
    made(put_policy(maker, intent, completion_mode="quorum",
                    quorum_threshold=share), 200)
    return intent


def test_under_a_quorum_only_people_take_assignments_away(own, operator):
    maker, beta, gamma = own("alpha"), own("beta"), own("gamma")
    intent = quorate(maker, maker.name, beta.name, gamma.name)
    completion(maker, intent, operator)
    for by, whom in ((maker, beta), (maker, gamma), (beta, beta)):
        detail = violation(by.delete(at(intent, "agents", whom.name)),
                           "completion_mode")
        assert detail["mode"] == "quorum"
    violation(complete(maker, intent), "completion_mode")
    made(operator.delete(at(intent, "agents", gamma.name)), 200)
    made(operator.delete(at(intent, "agents", beta.name)), 200)
    assert complete(maker, intent).status_code == 200


def test_names_of_one_key_count_once(own, operator):
    (alpha, alpha2), beta, gamma = own("a", "a2"), own("b"), own("c")
    intent = quorate(alpha, alpha.name, beta.name, gamma.name)
    completion(alpha, intent, operator)
    made(alpha.post(at(intent, "agents"), json={"agent_id": alpha2.name}), 200)
    completion(alpha2, intent, operator)
    violation(complete(alpha, intent), "completion_mode")
    completion(beta, intent, operator)  # two of three hands
    assert complete(alpha, intent).status_code == 200


def test_one_key_of_any_name_counts_once(server, agent, own, operator):
    names = [f"any-{new_id()[:8]}" for _ in range(3)]
    intent = quorate(agent, *names)
    clients = [server.client("agent", agent=n) for n in names]
    for client in clients:
        completion(client, intent, operator)
    violation(complete(agent, intent), "completion_mode")


def test_names_of_one_key_are_one_of_those_needed(own, operator):
    """Else all of a quorum could never be reached."""
    (alpha, alpha2), beta = own("a", "a2"), own("b")
    intent = quorate(alpha, alpha.name, alpha2.name, beta.name, share=1)
    completion(alpha2, intent, operator)
    violation(complete(alpha, intent), "completion_mode")
    completion(beta, intent, operator)
    assert complete(alpha, intent).status_code == 200


# --- The terms of a key --------------------------------------------------------

@pytest.fixture(scope="module", autouse=True)
def desks(desk):
    """Somebody is in each of the groups."""
    return desk("payments-desk", "payments"), desk("ledger-desk", "ledger")


@pytest.fixture
def termed(server):
    """termed("--by", ...): a client with a key of such terms."""
    made_ = []

    def make(*options):
        name = f"termed-{new_id()[:8]}"
        key = server.key("agent", "--agent", name, *options)
        client = server.client(headers={"X-API-Key": key})
        client.name, client.prefix = name, key[:12]
        made_.append(client)
        return client

    yield make
    for client in made_:
        client.close()


def question(operator, id_):
    return made(operator.get(f"/api/v1/suspensions/{id_}"), 200)


def every_question(client, operator):
    """One of each sort that the server asks for an agent, or in its name."""
    out = {}
    out["own"] = question(operator, ask(client)["suspension_id"])
    intent = new_intent(client, "active")
    one = made(client.post(at(intent, "approvals"), json={
        "action": "complete", "reason": "x", "context": {}}))
    out["approval"] = question(operator, one["id"])
    one = made(client.post(at(intent, "escalations"), json={"reason": "x"}))
    out["escalation"] = question(operator, one["id"])
    one = made(client.post(at(intent, "access-requests"), json={
        "principal_id": client.name, "requested_permission": "write",
        "reason": "x"}))
    out["access"] = question(operator, one["id"])
    # A checkpoint that somebody else's move leads to.
    first = task(client, intent)
    gate = checkpoint(first, severity="low")
    one = plan(client, intent, first, checkpoints=[gate], state="active")
    move(client, first, "running")
    move(operator, first, "completed")
    found = made(client.get(f"/api/v1/plans/{one['id']}"), 200)
    out["checkpoint"] = question(
        operator, found["checkpoints"][0]["suspension_id"])
    # A review.
    other = guarded(client, name=client.name, requires_plan_review=True)
    first = task(client, other)
    one = plan(client, other, first)
    moved = change(client, one, state="active").json()
    out["review"] = question(operator, moved["review_suspension_id"])
    # Failures of a task, told of by an operator's move.
    third = new_intent(client, "active")
    first = task(client, third, max_attempts=1)
    plan(client, third, first, on_failure="notify",
         state="active")
    move(client, first, "running")
    move(operator, first, "failed")
    [one] = made(operator.get("/api/v1/escalations", params={
        "intent_id": third["id"]}), 200)["escalations"]
    out["task"] = question(operator, one["id"])
    # A failure that an agent records.
    fourth = new_intent(client)
    made(retry_policy(client, fourth, max_retries=0), 200)
    made(failure(client, fourth))
    [one] = made(operator.get("/api/v1/escalations", params={
        "intent_id": fourth["id"]}), 200)["escalations"]
    out["failure"] = question(operator, one["id"])
    return out


def test_the_floor_of_a_key_holds_for_every_question(termed, operator):
    client = termed("--severity-floor", "critical")
    for what, one in every_question(client, operator).items():
        assert one["severity"] == "critical", what


def test_the_servers_floor_holds_for_every_question(server, termed, operator):
    client = termed()
    with kit.configured(server, severity_floor_none="critical",
                        severity_floor_approval="critical"):
        for what, one in every_question(client, operator).items():
            assert one["severity"] == "critical", what


def test_a_group_of_a_key_decides_every_question(termed, operator):
    client = termed("--by", "group:payments")
    for what, one in every_question(client, operator).items():
        assert one["responder"]["mode"] == "group", what
        assert one["responder"]["who"] == "payments", what


def test_a_floor_that_was_set_after_the_plan(server, termed, operator):
    client = termed()
    intent = guarded(client, name=client.name, requires_plan_review=True)
    one = plan(client, intent, task(client, intent))
    assert server.sayso("key", "floor", client.prefix, "critical"
                        ).returncode == 0
    assert server.sayso("key", "by", client.prefix, "group:payments"
                        ).returncode == 0
    moved = change(client, one, state="active").json()
    asked = question(operator, moved["review_suspension_id"])
    assert asked["severity"] == "critical"
    assert asked["responder"]["who"] == "payments"


def test_silence_approves_no_checkpoint_that_was_raised(server, termed,
                                                        operator):
    client = termed()
    with kit.configured(server, silence_may_authorize="low"):
        intent = new_intent(client, "active")
        first = task(client, intent)
        one = plan(client, intent, first, state="active", checkpoints=[
            checkpoint(first, severity="low", timeout_hours=1,
                       on_timeout="auto_approve")])
        assert server.sayso("key", "floor", client.prefix, "high"
                            ).returncode == 0
        move(client, first, "running", "completed")
        found = made(client.get(f"/api/v1/plans/{one['id']}"), 200)
        asked = question(operator, found["checkpoints"][0]["suspension_id"])
    assert asked["severity"] == "high"
    assert "approved" not in asked["on_expiry"]


def test_operators_of_a_key_replace_whom_the_agent_names(termed, caller):
    mara = caller("user")
    client = termed("--by", "operators")
    r = check(client, responder=None, initiated_by=mara.email)
    assert r.status_code == 202, r.text
    one = told(client, r.json()["request_id"])
    assert one["responder"]["mode"] == "operators"
    refused(mara.api.post(r.json()["approval_url"]), 403)
    # Those of them that the agent names stay.
    asked = ask(client, responder={"mode": "group", "who": "payments"})
    assert told(client, asked["suspension_id"])["responder"] == {
        "mode": "group", "who": "payments"} | {
        k: v for k, v in told(client, asked["suspension_id"])[
            "responder"].items() if k not in ("mode", "who")}


def test_agents_answer_no_request_whose_key_is_decided_by_people(termed, own,
                                                                 operator):
    client, maker = termed("--by", "operators"), own("maker")
    intent = new_intent(maker)
    one = made(client.post(at(intent, "access-requests"), json={
        "principal_id": client.name, "requested_permission": "read",
        "reason": "x"}))
    refused(maker.post(at(intent, "access-requests", one["id"], "approve")),
            403, "suspension.not_yours")
    made(operator.post(at(intent, "access-requests", one["id"], "approve")),
         200)


def test_an_initiator_of_a_key_has_to_be_proven(server, termed, caller):
    mara = caller("user")
    client = termed("--by", "initiator")
    body = refused(check(client, initiated_by=mara.email), 422,
                   "responder.initiator", "initiation")
    assert "initiation" in body["detail"]
    refused(client.post("/api/v1/suspensions", json={
        "question": "Shall I?"}), 422, "responder.initiator")
    r = check(client, initiation=ticket(mara, client.name),
              severity="critical")
    assert r.status_code == 202, r.text
    one = told(client, r.json()["request_id"])
    assert one["responder"]["mode"] == "initiator"


# --- The terms of a rule ---------------------------------------------------------

@pytest.fixture
def ruled(server):
    """Rules with deciders, made by the command; removed afterwards."""
    made_ = []

    def make(position, tool, by=None, severity="high"):
        more = ["--by", by] if by else []
        done = server.sayso("rule", "add", "--position", str(position),
                            "--tool", tool, "--effect", "ask", "--severity",
                            severity, *more)
        assert done.returncode == 0, done.stderr
        made_.append(position)

    yield make
    for position in made_:
        server.sayso("rule", "remove", str(position))


def test_a_rule_says_who_decides(ruled, agent, caller):
    mara = caller("user")
    ruled(1, "pay.team", "group:payments")
    ruled(2, "pay.any", "operators")
    ruled(3, "pay.own", "initiator")
    for tool, mode in (("pay.team", "group"), ("pay.any", "operators")):
        r = check(agent, call(tool), responder=None, initiated_by=mara.email)
        assert r.status_code == 202, r.text
        one = told(agent, r.json()["request_id"])["responder"]
        assert one["mode"] == mode, one
        refused(mara.api.post(r.json()["approval_url"]), 403)
    refused(check(agent, call("pay.own"), initiated_by=mara.email), 422,
            "responder.initiator", "initiation")
    r = check(agent, call("pay.team", "a"), call("pay.any", "b"))
    assert told(agent, r.json()["request_id"])["responder"]["mode"] == "group"
    refused(check(agent, call("pay.team", "a"), call("pay.own", "b")), 422,
            "rule.torn", "tool_calls")


def test_a_rule_counts_before_the_key(ruled, termed):
    ruled(1, "pay.team", "group:payments")
    client = termed("--by", "group:ledger")
    for tool, group in (("pay.team", "payments"), ("what.ever", "ledger")):
        r = check(client, call(tool))
        assert told(client, r.json()["request_id"])["responder"]["who"] == \
            group


def test_deciders_on_the_pages_and_in_the_commands(server, person, termed):
    admin = person("admin").client
    rules_, keys = "/settings/rules", "/settings/keys"
    r = send(admin, rules_, {"Position": "77", "Tool": "page.tool",
                             "Decided by": "group:payments"})
    assert r.status_code == 303, Page(r).text
    assert "group:payments" in Page(admin.get(rules_)).text
    assert "group:payments" in server.sayso("rule", "list").stdout
    r = send(admin, rules_, {"Position": "78", "Tool": "page.tool",
                             "Decided by": "somebody"})
    assert r.status_code == 422
    assert server.sayso("rule", "remove", "77").returncode == 0
    client = termed()
    with server.database() as db:
        id_ = db.execute("SELECT id FROM api_key WHERE prefix = %s",
                         [client.prefix]).fetchone()[0]
    at_ = f"{keys}/{id_}"
    page = Page(admin.get(at_))
    for by, status in (("operators", 303), ("group:a b", 400), ("", 303),
                       ("initiator", 303)):
        r = admin.post(at_ + "/floor", data=page.data("/floor", by=by))
        assert r.status_code == status, by
    assert Page(admin.get(at_)).value("/floor", "by") == "initiator"
    [line] = [x for x in server.sayso("key", "list").stdout.splitlines()
              if client.prefix in x]
    assert line.endswith("\tinitiator")
    for bad in (["key", "by", client.prefix, "anybody"],
                ["key", "by", client.prefix],
                ["rule", "add", "--position", "1", "--tool", "x", "--effect",
                 "deny", "--by", "operators"],
                ["key", "create", "--role", "operator", "--label", "x",
                 "--by", "operators"]):
        assert server.sayso(*bad).returncode == 2, bad


@pytest.mark.parametrize("words", [
    ("operator", "list", "--json"), ("key", "list", "--json"),
    ("rule", "list", "--json"), ("operator", "list", "more")])
def test_a_list_takes_no_option(server, words, tmp_path):
    """It says so before it looks for the database."""
    nowhere = tmp_path / "sayso.conf"
    nowhere.write_text((server.state / "sayso.conf").read_text().replace(
        "host=", "host=/nowhere"))
    done = server.sayso(*words, conf=nowhere)
    assert done.returncode == 2, done.stderr
    assert "/nowhere" not in done.stderr


# --- An initiator who is only claimed ----------------------------------------------

LEVELS = ("low", "medium", "high", "critical")


@pytest.mark.parametrize("most", [None, *LEVELS])
def test_up_to_which_severity_a_claimed_user_decides(server, agent, caller,
                                                     name, most):
    mara, ops = caller("user"), caller("operator")
    settings = {"claimed_initiator": most} if most else {}
    limit = LEVELS.index(most or "high")
    with kit.configured(server, **settings):
        for i, severity in enumerate(LEVELS):
            r = check(agent, responder=None, initiated_by=mara.email,
                      requires_approval=True, severity=severity)
            # A call without a rule is asked about at high risk at least.
            if max(i, 2) <= limit:
                assert r.status_code == 202, r.text
            else:
                body = refused(r, 422, "responder.initiator", "initiation")
                assert "initiation" in body["detail"]
            r = agent.post("/api/v1/suspensions", json={
                "intent": {"title": "x", "initiated_by": mara.email},
                "question": "Shall I?", "severity": severity,
                "responder": {"mode": "initiator"}})
            assert (r.status_code == 201) == (i <= limit), r.text
            # An operator is no person of the agent's choice alone.
            assert check(agent, responder=None, initiated_by=ops.email,
                         severity=severity).status_code == 202
            # One who is proven always may.
            assert check(agent, responder=None, severity=severity,
                         initiation=ticket(mara, name)).status_code == 202


@pytest.mark.parametrize("since", ["is no operator any more",
                                   "may decide less"])
def test_what_changed_since_it_was_asked(server, agent, caller, since):
    """At each address at which a person answers."""
    demoted = since.startswith("is no")
    mara = caller("operator" if demoted else "user")
    asked = [check(agent, responder=None, initiated_by=mara.email).json()
             for _ in range(3)]
    settings = {"claimed_initiator": "medium"}
    with kit.configured(server, **settings):
        if demoted:
            with server.database() as db:
                db.execute("UPDATE principal SET role = 'user' WHERE email = "
                           "%s", [mara.email])
        for n, word in enumerate(("approve", "reject")):
            refused(mara.api.post(f"{PATH}/resume/{asked[n]['request_id']}",
                                  params={"action": word}), 403,
                    "suspension.not_yours")
        id_ = asked[2]["request_id"]
        refused(mara.api.post(f"{PATH}/suspensions/{id_}/respond",
                              json={"value": "approve"}), 403,
                "suspension.not_yours")
        assert told(agent, id_)["state"] == "pending"
    assert mara.api.post(asked[0]["approval_url"]).status_code == 200


@pytest.fixture(scope="module")
def name(agent):
    return told(agent, ask(agent)["suspension_id"])["asked_by"]


def test_at_the_authorizations_too(agent, caller):
    mara = caller("user")
    r = agent.post("/api/v1/authorizations", json={
        "authorization_details": [{"type": "tool_call", "tool": "pay",
                                   "args": {"amount": 1}}],
        "severity": "critical", "initiated_by": mara.email,
        "responder": {"mode": "initiator"}, "dpop_jkt": "x"})
    assert r.status_code == 422, r.text


# --- The terms of a rule at every door that asks about calls ------------------------

def native(client, **more):
    return client.post("/api/v1/suspensions", json={
        "kind": "approval", "question": "Pay?", "severity": "low",
        "subject": {"action": {"name": "pay"}, "target": "x",
                    "scope_summary": "One", "consequence": "It is gone.",
                    "calls": [{"tool": "pay.team", "args": {"n": 1}}]},
        **more})


def openintent(client):
    intent = new_intent(client, "suspended_awaiting_input")
    body = kit.record(kind="approval", choices=None, response_type="choice",
                      severity="low", subject={
                          "action": {"name": "pay"}, "target": "x",
                          "scope_summary": "One", "consequence": "Gone.",
                          "calls": [{"tool": "pay.team", "args": {"n": 1}}]})
    r = kit.patch(client, intent, kit.put("_suspension", {
        k: v for k, v in body.items() if v is not None}))
    assert r.status_code == 200, r.text
    return body["id"]


def by_mcp(client):
    r = client.post("/mcp", json={
        "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
            "name": "request_approval", "arguments": {
                "action": "pay.team", "target": "x", "scope_summary": "One",
                "severity": "low", "arguments": {"n": 1},
                "timeout_seconds": 1},
            "_meta": {"claudecode/toolUseId": new_id()}}}, timeout=60)
    return r.json()["result"]["structuredContent"]["suspension_id"]


@pytest.mark.parametrize("door", ["native", "openintent", "mcp"])
def test_a_rule_counts_where_no_check_was_made(ruled, agent, caller, operator,
                                               door):
    mara = caller("user")
    ruled(1, "pay.*", "group:payments", severity="critical")
    id_ = {"native": lambda: made(native(
               agent, intent={"title": "x", "initiated_by": mara.email},
               responder={"mode": "initiator"}))["suspension_id"],
           "openintent": lambda: openintent(agent),
           "mcp": lambda: by_mcp(agent)}[door]()
    one = told(agent, id_)
    assert (one["severity"], one["severity_said"]) == ("critical", "low")
    assert one["responder"]["mode"] == "group"
    assert one["responder"]["who"] == "payments"


def test_what_a_rule_asks_about_is_used_once_it_was_answered(ruled, agent,
                                                             desk):
    """An approval at a lower risk than the rule's could never be used."""
    person = desk("payments-two", "payments")
    ruled(1, "pay.*", "group:payments", severity="high")
    asked = made(native(agent))
    done = answer(person, asked, "approve")
    assert done.status_code == 200, done.text
    r = agent.post("/api/v1/redemptions", json={
        "suspension_id": asked["suspension_id"], "operation_id": new_id()})
    assert r.status_code == 201, r.text


def test_calls_that_different_people_decide_are_torn_natively(ruled, agent):
    ruled(1, "pay.team", "group:payments")
    ruled(2, "pay.more", "group:ledger")
    subject = {"action": {"name": "pay"}, "target": "x",
               "scope_summary": "One", "consequence": "It is gone.",
               "calls": [{"tool": t, "args": {}}
                         for t in ("pay.team", "pay.more")]}
    refused(native(agent, subject=subject), 422, "rule.torn", "subject.calls")
