"""Access to an intent: every route with every level of it, on an open and on a
closed intent; lists, streams and webhooks; entries, their end,
and what goes with them."""
import concurrent.futures
import datetime

import pytest

import kit
from kit import (KEYED, answer, ask, at, events, get, made, new_id, new_intent,
                 patch, put, refused, set_status, types, wait_for)
from plans import plan, task
from server import place
from test_hold_apart import BODIES, OF_INTENTS, sent
from test_streams import Stream

route = pytest.mark.route
LEVELS = {"none": 0, "read": 1, "write": 2, "admin": 3}
NEEDS = {"READ": 1, "WRITE": 2, "FULL": 3}
PATH = "/api/v1"


class Cast:
    """Agents with a key each: the maker, one for each level, and one whose key
    reaches every open intent."""

    def __init__(self, server):
        tag = new_id()[:8]
        self.server = server
        self.names = {n: f"{n}-{tag}" for n in ("maker", *LEVELS, "far")}
        self.keys = {n: server.key("agent", "--agent", name, "--reach",
                                   "all" if n == "far" else "own")
                     for n, name in self.names.items()}
        self.by = {n: server.client(headers={"X-API-Key": k})
                   for n, k in self.keys.items()}
        self.maker = self.by["maker"]

    def entries(self, **levels):
        return [{"principal_id": self.names[who], "principal_type": "agent",
                 "permission": level}
                for who, level in (levels or {"read": "read", "write": "write",
                                              "admin": "admin"}).items()]

    def put(self, intent, policy, entries):
        return made(self.maker.put(at(intent, "acl"), json={
            "default_policy": policy, "entries": entries}), 200)

    def grant(self, intent, who, permission="write", **more):
        return made(self.maker.post(at(intent, "acl/entries"), json={
            "principal_id": self.names[who], "principal_type": "agent",
            "permission": permission, **more}))

    def intent(self, policy, **body):
        intent = new_intent(self.maker, **body)
        self.put(intent, policy, self.entries())
        return get(self.maker, intent)


@pytest.fixture(scope="module")
def cast(server):
    return Cast(server)


def gone(response):
    assert response.status_code == 204, response.text


def level(who, policy):
    """The access that the agent has by the rules of docs/design.md."""
    if who == "far":
        return 3 if policy == "open" else 0
    return LEVELS[who]


# --- Every route ------------------------------------------------------------

def prepared(cast, who, intent, row, policy="closed"):
    """Ids that the call needs besides the intent's; the caller's own where it
    may have one."""
    caller = cast.by[who]
    mine = caller if level(who, policy) >= 2 else cast.maker
    ids = {"agent_id": "second", "dependency_id": new_id(), "entry_id": new_id(),
           "approval_id": "none", "request_id": "none", "lease_id": new_id(),
           "attachment_id": new_id()}
    if "{lease_id}" in row.pattern:
        ids["lease_id"] = made(mine.post(at(intent, "leases"),
                                         json={"scope": "s"}))["id"]
    elif "{event_id}" in row.pattern:
        ids["event_id"] = events(cast.maker, intent["id"])[0]["id"]
    elif "{attachment_id}" in row.pattern:
        ids["attachment_id"] = made(mine.post(
            at(intent, "attachments"), json=BODIES["attachments"]))["id"]
    elif "{entry_id}" in row.pattern:
        ids["entry_id"] = cast.grant(intent, "none", "read")["id"]
        gone(cast.maker.delete(at(intent, "acl/entries", ids["entry_id"]))) if who == "none" else None
    elif "{approval_id}" in row.pattern:
        ids["approval_id"] = made(cast.maker.post(
            at(intent, "approvals"), json=BODIES["approvals"]))["id"]
    elif "{request_id}" in row.pattern:
        ids["request_id"] = request(cast.by["none"], cast.names["none"],
                                    intent)["id"]
    elif row.name.startswith("DELETE") and "{agent_id}" in row.pattern:
        made(cast.maker.post(at(intent, "agents"),
                             json={"agent_id": "second"}), 200)
    elif "dependencies/" in row.pattern:
        other = new_intent(cast.maker)
        ids["dependency_id"] = other["id"]
        made(cast.maker.post(at(intent, "dependencies"),
                             json={"dependency_id": other["id"]},
                             headers={"If-Match": str(intent["version"])}),
             200)
    elif row.pattern.endswith("/retry-policy") and row.method == "GET":
        made(cast.maker.put(at(intent, "retry-policy"),
                            json=BODIES["retry-policy"]), 200)
    elif row.name.startswith("DELETE") and "governance" in row.pattern:
        made(cast.maker.put(at(intent, "governance"), json={},
                            headers={"If-Match": str(intent["version"])}),
             200)
    return ids


def request(client, name, intent, permission="write", **more):
    return made(client.post(at(intent, "access-requests"), json={
        "principal_id": name, "principal_type": "agent",
        "requested_permission": permission, "reason": "I can help.", **more}))


def called(cast, who, intent, row, policy):
    ids = prepared(cast, who, intent, row, policy)
    body = None
    if row.method in ("POST", "PATCH", "PUT"):
        body = BODIES[row.pattern.rpartition("/")[2]]
        if body == "dependency_id":
            body = {"dependency_id": new_intent(cast.by[who])["id"]}
    method = "HEAD" if "subscribe" in row.pattern else row.method
    version = get(cast.maker, intent)["version"]
    return sent(cast.by[who], method, kit.fill(row.pattern, id=intent["id"],
                                               **ids), body, version)


def check(r, has, needs):
    if has == 0:
        assert r.status_code == 404, r.text
    elif has < needs:
        assert r.status_code == 403, r.text
    else:
        assert r.status_code < 300, r.text
    if has < needs and r.request.method != "HEAD":
        body = refused(r, *((404, None) if has == 0
                            else (403, "access.denied")))
        if has == 0:
            assert body["code"].endswith(".unknown")
        else:
            words = {v: k for k, v in LEVELS.items()}
            assert (body["permission"], body["required_permission"]) == (
                words[has], words[needs])


@pytest.mark.parametrize("policy", ["open", "closed"])
@pytest.mark.parametrize("row", **kit.by_name(OF_INTENTS))
def test_A1_a_route_of_an_intent(cast, row, policy):
    for who in (*LEVELS, "far"):
        has = level(who, policy)
        if row.name.endswith("/approve") and who == "none":
            continue  # in test_A1_nobody_answers_for_itself
        intent = cast.intent(policy)
        check(called(cast, who, intent, row, policy), has, NEEDS[row.needs])


# Calls that name the intent in their body, or something of it in their path.
def _coordinator(cast, intent):
    return made(cast.maker.post(f"{PATH}/coordinators", json={
        "intent_id": intent["id"], "agent_id": cast.names["maker"]}))["id"]


def _portfolio(cast, who, *intents):
    one = made(cast.by[who].post(f"{PATH}/portfolios", json={"name": "x"}))
    for intent in intents:
        made(cast.maker.post(f"{PATH}/portfolios/{one['id']}/intents",
                             json={"intent_id": intent["id"]}))
    return one["id"]


def _call(method, path, **body):
    def run(cast, who, intent):
        given = {k: v(cast, who, intent) if callable(v) else v
                 for k, v in body.items()}
        return cast.by[who].request(
            method, PATH + path, json=given or None,
            headers={"If-Match": "1"})
    return run


def _of(make, method, path, **body):
    def run(cast, who, intent):
        one = make(cast, intent)
        return cast.by[who].request(
            method, PATH + path.format(one), json=body or None,
            headers={"If-Match": "1"})
    return run


def _its(cast, who, intent):
    return intent["id"]


def _task(cast, intent):
    return task(cast.maker, intent)["id"]


def _plan(cast, intent):
    return plan(cast.maker, intent)["id"]


ELSEWHERE = {
    "POST /api/v1/intents": _call("POST", "/intents", title="x",
                                  parent_intent_id=_its),
    "POST /api/v1/tasks": _call("POST", "/tasks", intent_id=_its, name="x"),
    "POST /api/v1/plans": _call("POST", "/plans", intent_id=_its, name="x"),
    "GET /api/v1/tasks/{id}": _of(_task, "GET", "/tasks/{}"),
    "PATCH /api/v1/tasks/{id}": _of(_task, "PATCH", "/tasks/{}", priority="high"),
    "GET /api/v1/plans/{id}": _of(_plan, "GET", "/plans/{}"),
    "PATCH /api/v1/plans/{id}": _of(_plan, "PATCH", "/plans/{}", state="active"),
    "POST /api/v1/coordinators": _call(
        "POST", "/coordinators", intent_id=_its,
        agent_id=lambda cast, who, _: cast.names[who]),
    "GET /api/v1/coordinators/{id}": _of(_coordinator, "GET",
                                         "/coordinators/{}"),
    "POST /api/v1/suspensions": _call(
        "POST", "/suspensions", intent_id=_its, question="x?",
        response_type="text"),
    "POST /api/v1/tool-calls/check": _call(
        "POST", "/tool-calls/check", intent_id=_its,
        tool_calls=[{"id": "1", "tool": "x", "arguments": {}}]),
    "POST /api/v1/subscriptions": lambda cast, who, intent: cast.by[who].post(
        f"{PATH}/subscriptions", json={"intent_id": intent["id"],
                                       "webhook_url": endpoint(cast, who)}),
}
# The other routes of an intent, and the test that has them or why none does.
APART = {
    "GET /api/v1/intents": "test_A1_lists",
    "GET /api/v1/escalations": "test_A1_lists",
    "GET /api/v1/suspensions": "test_A1_own_questions",
    "GET /api/v1/suspensions/{id}": "test_A1_own_questions",
    "GET /api/v1/suspensions/{id}/action": "test_A1_own_questions",
    "GET /api/v1/suspensions/{id}/receipt":
        "it loads its question as GET /api/v1/suspensions/{id} does",
    "POST /api/v1/suspensions/{id}/cancel": "test_A1_own_questions",
    "POST /api/v1/suspensions/{id}/reconcile":
        "it loads its question as GET /api/v1/suspensions/{id} does",
    "POST /api/v1/suspensions/{id}/respond": "test_A1_a_handoff",
    "POST /api/v1/coordinators/{id}/heartbeat": "test_A1_a_coordinator",
    "DELETE /api/v1/coordinators/{id}": "test_A1_a_coordinator",
    "POST /api/v1/decisions": "test_A1_a_coordinator",
    "POST /api/v1/portfolios/{id}/intents": "test_A1_members",
    "DELETE /api/v1/portfolios/{id}/intents/{intent_id}": "test_A1_members",
    "GET /api/v1/permits/{id}": "test_A1_permits",
    "POST /api/v1/permits/{id}/revoke": "test_A1_permits",
    "POST /api/v1/redemptions": "test_A1_permits",
    "POST /api/v1/redemptions/{id}/result":
        "the one who used a permit reports what came of it",
    "POST /api/v1/authorizations": "it makes an intent of its own",
    "POST /hooks/{client}": "it makes an intent of its own",
    "POST /mcp": "its tools call the same functions as the other routes",
    "POST /v1/requests": "it makes an intent of its own",
    **{name: "it loads its question as GET /api/v1/suspensions/{id} does"
       for name in ("GET /v1/requests/{id}", "DELETE /v1/requests/{id}",
                    "POST /v1/requests/{id}/consume",
                    "POST /v1/requests/{id}/outcome")},
    "POST /api/v1/test/answer": "a script answers what its own key asked",
    "GET /api/v1/artifacts/{sha256}":
        "it loads its question as GET /api/v1/suspensions/{id} does",
    **{name: "test_log.py: test_readers_of_an_intent_read_its_checkpoints"
       for name in ("GET /api/v1/checkpoints", "GET /api/v1/checkpoints/{id}",
                    "GET /api/v1/checkpoints/{id}/proof/{event_id}",
                    "GET /api/v1/verify/consistency")},
}


def endpoint(cast, who):
    """The address of an endpoint of the agent's own."""
    url = f"https://x.invalid/{new_id()}"
    made(cast.by[who].post(f"{PATH}/endpoints", json={"name": new_id()[:20],
                                                      "url": url}))
    return url


def test_A1_every_route_is_in_one_of_the_tables():
    of_agents = {r.name for r in KEYED if "agent" in r.roles}
    needing = {r.name for r in KEYED if r.needs != "NONE"} & of_agents
    assert needing == ({r.name for r in OF_INTENTS} | set(ELSEWHERE)
                       | set(APART))
    for r in OF_INTENTS:
        assert r.needs in NEEDS, r.name
    for told in APART.values():
        assert " " in told or told in globals(), told


@pytest.mark.parametrize("policy", ["open", "closed"])
@pytest.mark.parametrize("name", ELSEWHERE)
def test_A1_what_leads_to_an_intent(cast, name, policy):
    [row] = [r for r in KEYED if r.name == name]
    for who in (*LEVELS, "far"):
        has, intent = level(who, policy), cast.intent(policy)
        r = ELSEWHERE[name](cast, who, intent)
        if has >= 2 and name == "POST /api/v1/tool-calls/check":
            refused(r, 422, "responder.initiator")  # a later rule
            continue
        if (who, policy, name) == ("admin", "open", "POST /api/v1/coordinators"):
            refused(r, 403, "acl.own")  # the same
            continue
        check(r, has, NEEDS[row.needs])


@pytest.mark.parametrize("row", **kit.by_name(OF_INTENTS))
def test_A1_people_have_all(cast, row, operator, auditor):
    if row.method != "GET" or "subscribe" in row.pattern:
        return
    intent = cast.intent("closed")
    ids = prepared(cast, "admin", intent, row)
    for client in (operator, auditor):
        r = client.get(kit.fill(row.pattern, id=intent["id"], **ids))
        assert r.status_code == 200, r.text


# --- What the routes above do not show -----------------------------------------

def test_A1_asking_a_person_is_a_part_of_writing(cast):
    for who in ("read", "write"):
        intent = cast.intent("closed")
        r = set_status(cast.by[who], intent, "suspended_awaiting_input")
        check(r, LEVELS[who], 2)
        refused(set_status(cast.by[who], get(cast.maker, intent), "completed"),
                403, "access.denied")


def test_A1_assigning_by_an_event_needs_what_assigning_needs(cast):
    intent = cast.intent("closed")
    body = {"event_type": "agent_assigned", "payload": {"agent_id": "x"}}
    refused(cast.by["write"].post(at(intent, "events"), json=body), 403,
            "access.denied")
    made(cast.by["admin"].post(at(intent, "events"), json=body))


def test_A1_an_assigned_agent_writes(cast):
    """Of a closed intent; of an open one it may do all, as ever."""
    for policy, status in (("closed", 403), ("open", 200)):
        intent = cast.intent(policy)
        made(cast.maker.post(at(intent, "agents"),
                             json={"agent_id": cast.names["none"]}), 200)
        r = patch(cast.by["none"], intent, put("/x", 1))
        assert r.status_code == 200, r.text
        r = set_status(cast.by["none"], r.json(), "completed")
        assert r.status_code == status, r.text


def test_A1_a_lease_gives_no_more_than_the_entry(cast):
    intent = cast.intent("open")
    made(cast.by["write"].post(at(intent, "leases"), json={"scope": "x"}))
    refused(set_status(cast.by["write"], intent, "completed"), 403,
            "access.denied")
    refused(cast.by["write"].post(at(intent, "acl/entries"), json={
        "principal_id": cast.names["write"], "permission": "admin"}), 403,
        "access.denied")


def listed(client, path, member, **query):
    r = client.get(path, params=query)
    assert r.status_code == 200, r.text
    return {one["id"] for one in r.json()[member]}


def test_A1_lists(cast):
    parent = new_intent(cast.maker)
    shut = {p: cast.intent(p, parent_intent_id=parent["id"])
            for p in ("open", "closed")}
    shut["closed"] = get(cast.maker, shut["closed"])
    ids = {p: i["id"] for p, i in shut.items()}
    asked = made(cast.maker.post(at(shut["closed"], "escalations"),
                                 json={"reason": "x"}))["id"]
    portfolio = _portfolio(cast, "maker", *shut.values())
    above = cast.intent("open", depends_on=[ids["closed"]])
    for who in ("none", "read", "write", "admin", "far", "maker"):
        client = cast.by[who]
        sees = {p for p in ids if who == "maker" or level(who, p) > 0}
        own = listed(client, f"{PATH}/intents", "intents", limit=1000)
        assert {p for p in ids if ids[p] in own} == sees, who
        found = listed(client, f"{PATH}/escalations", "escalations")
        assert (asked in found) == ("closed" in sees), who
        if who in ("far", "maker"):
            for part in ("children", "descendants"):
                kept = listed(client, at(parent, part), part)
                assert kept == {ids[p] for p in sees}, (who, part)
        if not sees:
            refused(client.get(f"{PATH}/portfolios/{portfolio}"), 404)
            continue
        one = made(client.get(f"{PATH}/portfolios/{portfolio}"), 200)
        assert {m["intent_id"] for m in one["members"]} == {
            ids[p] for p in sees}, who
        inside = listed(client, f"{PATH}/portfolios/{portfolio}/intents",
                        "intents")
        assert inside == {ids[p] for p in sees}, who
        needed = listed(client, at(above, "dependencies"), "dependencies")
        assert needed == ({ids["closed"]} if "closed" in sees else set()), who
        graph = made(client.get(at(above, "graph")), 200)
        [node] = [n for n in graph["nodes"] if n["id"] == ids["closed"]]
        assert bool(node["title"]) == ("closed" in sees), who


def test_A1_kin_is_nothing_on_a_closed_intent(cast):
    """An agent may read what its own intent depends on, but for this."""
    for policy, status in (("open", 200), ("closed", 404)):
        below = cast.intent(policy)
        top = new_intent(cast.maker, depends_on=[below["id"]])
        cast.grant(top, "none")
        assert cast.by["none"].get(at(below)).status_code == status
    refused(cast.by["none"].post(f"{PATH}/intents", json={
        "title": "x", "depends_on": [below["id"]]}), 422, "intent.unknown")


def test_A1_own_questions(cast):
    intent = new_intent(cast.maker)
    names = ("none", "read", "write")
    cast.put(intent, "closed", cast.entries(**dict.fromkeys(names, "write")))
    asked = {who: made(cast.by[who].post(
        at(intent, "approvals"), json={"action": "x", "reason": "x"}))["id"]
        for who in names}
    cast.put(intent, "closed", cast.entries(read="read", write="write"))
    for who in names:
        has, client = level(who, "closed"), cast.by[who]
        path = f"{PATH}/suspensions/{asked[who]}"
        check(client.get(path), has, 1)
        check(client.get(path + "/action"), has, 1)
        for state in (None, "pending"):
            r = client.get(f"{PATH}/suspensions",
                           params={"state": state} if state else {})
            found = {s["suspension_id"] for s in r.json()["suspensions"]}
            assert (asked[who] in found) == (has > 0), who
        check(client.post(path + "/cancel", json={}), has, 2)


def test_A1_a_handoff(cast):
    body = {"kind": "handoff_acceptance", "question": "x?",
            "responder": {"mode": "agent", "who": cast.names["none"]},
            "subject": {"from": "a", "to": "b", "summary": "x", "reason": "x",
                        "artifacts": [], "evidence": []}}
    for who in ("none", "read", "write"):
        intent = cast.intent("closed")
        if who == "none":
            refused(cast.maker.post(f"{PATH}/suspensions", json={
                **body, "intent_id": intent["id"]}), 422, "responder.nobody")
            cast.grant(intent, "none", "read")
        q = ask(cast.maker, intent_id=intent["id"], kind="handoff_acceptance",
                choices=None, response_type=None,
                subject={"from": "a", "to": cast.names[who], "summary": "x",
                         "reason": "x", "artifacts": [], "evidence": []},
                responder={"mode": "agent", "who": cast.names[who]})
        if who == "none":
            cast.put(intent, "closed", [])
        check(answer(cast.by[who], q, "accept"), level(who, "closed"), 2)


def test_A1_a_coordinator(cast, operator):
    intent = new_intent(cast.maker)
    k = made(operator.post(f"{PATH}/coordinators", json={
        "intent_id": intent["id"], "agent_id": cast.names["none"]}))
    beat = f"{PATH}/coordinators/{k['id']}/heartbeat"
    record = {"coordinator_id": k["id"], "intent_id": intent["id"],
              "decision_type": "plan_created", "summary": "x",
              "rationale": "x"}
    for policy, entries, has in (("open", {}, 3), ("closed", {}, 0),
                                 ("closed", {"none": "read"}, 1),
                                 ("closed", {"none": "write"}, 2)):
        cast.put(intent, policy, cast.entries(**entries) if entries else [])
        check(cast.by["none"].post(beat), has, 2)
        check(cast.by["none"].post(f"{PATH}/decisions", json=record), has, 2)
        check(cast.by["none"].get(f"{PATH}/coordinators/{k['id']}"), has, 1)
    cast.put(intent, "closed", cast.entries(none="read"))
    path = f"{PATH}/coordinators/{k['id']}"
    check(cast.by["none"].delete(path), 1, 2)
    cast.put(intent, "closed", [])
    check(cast.by["none"].delete(path), 0, 2)


def test_A1_members(cast):
    """Membership of a portfolio needs admin; an agent adds what it owns."""
    for who in ("none", "read", "write"):
        intent = cast.intent("closed")
        own = _portfolio(cast, who)
        check(cast.by[who].post(f"{PATH}/portfolios/{own}/intents",
                                json={"intent_id": intent["id"]}),
              level(who, "closed"), 3)
        check(cast.by[who].delete(
            f"{PATH}/portfolios/{own}/intents/{intent['id']}"),
            level(who, "closed"), 3)


def test_A1_permits(cast, operator):
    p = made(cast.by["none"].post(f"{PATH}/authorizations", json={
        "goal": "x", "max_uses": 3, "authorization_details": [
            {"type": "tool_call", "tool": "x", "arguments": {}}]}), 202)
    intent = {"id": p["intent_id"]}
    use = {"permit_id": p["permit_id"],
           "call": {"tool": "x", "arguments": {}}}
    assert answer(operator, {"suspension_id": p["request_id"]},
                  "approve").status_code == 200
    made(cast.by["none"].post(f"{PATH}/redemptions",
                              json={**use, "operation_id": "1"}))
    # Only a handoff takes an intent from the agent that made it.
    with cast.server.database() as db:
        db.execute("UPDATE intent SET created_by = %s, acl = 2 WHERE id = %s",
                   [cast.names["maker"], intent["id"]])
    path = f"{PATH}/permits/{p['permit_id']}"
    for has in (0, 1, 2):
        if has:
            cast.grant(intent, "none", "read" if has == 1 else "write")
        check(cast.by["none"].get(path), has, 1)
        check(cast.by["none"].post(f"{PATH}/redemptions",
                                   json={**use, "operation_id": "2"}), has, 2)
    check(cast.by["none"].post(path + "/revoke", json={}), 2, 2)


# --- Streams and webhooks --------------------------------------------------------

def test_A1_a_stream_ends_with_the_access(server, cast):
    intent = cast.intent("closed")
    entry = cast.grant(intent, "none", "read")
    portfolio = _portfolio(cast, "maker", intent)
    other = cast.intent("open")
    made(cast.maker.post(f"{PATH}/portfolios/{portfolio}/intents",
                         json={"intent_id": other["id"]}))
    streams = {
        "own": Stream(server, at(intent, "subscribe"), cast.keys["none"]),
        "kept": Stream(server, at(intent, "subscribe"), cast.keys["read"]),
        "far": Stream(server, f"{PATH}/portfolios/{portfolio}/subscribe",
                      cast.keys["far"]),
        "all": Stream(server, f"{PATH}/portfolios/{portfolio}/subscribe",
                      cast.keys["read"])}
    try:
        for s in streams.values():
            wait_for(lambda s=s: s.places)

        def comment(text, where):
            made(cast.maker.post(at(where, "events"), json={
                "event_type": "comment", "payload": {"text": text}}))

        def said(name):
            return [f["data"]["payload"]["text"]
                    for f in streams[name].frames if f["event"] == "comment"]

        comment("one", intent)
        wait_for(lambda: "one" in said("own") and "one" in said("all"))
        gone(cast.maker.delete(at(intent, "acl/entries", entry["id"])))
        comment("two", intent)
        comment("three", other)
        wait_for(lambda: "two" in said("kept") and "three" in said("all"))
        wait_for(lambda: "three" in said("far"))
        wait_for(lambda: streams["own"].ended)
        assert said("own") == ["one"] and said("far") == ["three"]
        assert said("all") == ["one", "two", "three"]
        refused(cast.by["none"].get(at(intent, "subscribe")), 404,
                "intent.unknown")
    finally:
        for s in streams.values():
            s.close()


def delivered(server, subscription):
    with server.database() as db:
        return [t for t, in db.execute(
            "SELECT body::json -> 'event' ->> 'event_type' FROM delivery "
            "WHERE subscription_id = %s ORDER BY event_sequence",
            [subscription["id"]])]


def test_A1_webhooks(server, cast):
    intent = cast.intent("open")
    subs = {}
    for who in ("none", "read", "far"):
        cast.grant(intent, who, "read")
        subs[who] = {}
        for wish in ({"intent_id": intent["id"]}, {}):
            subs[who][bool(wish)] = made(cast.by[who].post(
                f"{PATH}/subscriptions", json={
                    **wish, "event_types": ["comment"],
                    "webhook_url": endpoint(cast, who)}))
    body = {"event_type": "comment", "payload": {}}
    made(cast.maker.post(at(intent, "events"), json=body))
    cast.put(intent, "closed", cast.entries(read="read"))
    made(cast.maker.post(at(intent, "events"), json=body))
    for who, n in (("none", 1), ("read", 2), ("far", 1)):
        for one in subs[who].values():
            assert delivered(server, one) == ["comment"] * n, who


def test_A1_what_waits_to_be_sent_is_not_sent(server, cast, operator):
    """An endpoint that does not answer, until the access is gone."""
    for policy in ("open", "closed"):
        intent = cast.intent(policy)
        entry = cast.grant(intent, "none", "read")
        subs = {who: made(cast.by[who].post(f"{PATH}/subscriptions", json={
            "intent_id": intent["id"], "webhook_url": endpoint(cast, who)}))
            for who in ("none", "read")}
        asked = request(cast.by["none"], cast.names["none"], intent)
        made(operator.post(at(intent, "access-requests", asked["id"],
                               "deny")), 200)
        gone(cast.maker.delete(at(intent, "acl/entries", entry["id"])))
        with server.database() as db:
            states = dict(db.execute(
                "SELECT subscription_id::text, array_agg(DISTINCT state) "
                "FROM delivery WHERE subscription_id = ANY (%s) GROUP BY 1",
                [[s["id"] for s in subs.values()]]).fetchall())
            [kept] = db.execute("SELECT DISTINCT state FROM delivery WHERE "
                                "suspension_id = %s AND subscription_id IS "
                                "NULL", [asked["id"]]).fetchone()
        assert states[subs["none"]["id"]] == ["failed"]
        assert states[subs["read"]["id"]] == ["pending"]
        assert kept == "pending"


def test_A1_an_answer_is_not_sent_to_who_is_shut_out(server, cast, operator):
    """The push of an answer goes to the agent that asked."""
    intent = cast.intent("closed")
    endpoint(cast, "write")
    for shut in (False, True):
        q = made(cast.by["write"].post(at(intent, "approvals"),
                                       json={"action": "x", "reason": "x"}))
        if shut:
            cast.put(intent, "closed", [])
        made(operator.post(at(intent, "approvals", q["id"], "approve")), 200)
        with server.database() as db:
            found = db.execute("SELECT count(*) FROM delivery WHERE "
                               "suspension_id = %s", [q["id"]]).fetchone()[0]
        assert (found > 0) != shut


def test_A1_a_callback_is_not_sent_to_who_is_shut_out(server, cast, operator,
                                                      admin):
    """One that waits ends, one that would be next is not written."""
    below = f"https://x.invalid/{new_id()}/"
    made(admin.post(f"{PATH}/endpoints", json={"name": "x", "url": below,
                                               "prefix": True}))

    def asked(who, name):
        return ask(cast.by[who], intent_id=intent["id"], callback=below + name)

    def states():
        with server.database() as db:
            return dict(db.execute(
                "SELECT split_part(address, '/', 5), state FROM delivery "
                "WHERE intent_id = %s AND address IS NOT NULL",
                [intent["id"]]).fetchall())

    intent = cast.intent("closed")
    for who in ("maker", "write"):
        assert answer(operator, asked(who, who)).status_code == 200
    later = asked("write", "later")
    assert states() == {"maker": "pending", "write": "pending"}
    cast.put(intent, "closed", [])
    assert states() == {"maker": "pending", "write": "failed"}
    assert answer(operator, later).status_code == 200
    assert states() == {"maker": "pending", "write": "failed"}


# --- Entries ---------------------------------------------------------------------

@route("PUT /api/v1/intents/{id}/acl")
@route("GET /api/v1/intents/{id}/acl")
def test_the_list_is_replaced(cast):
    intent = new_intent(cast.maker)
    first = cast.put(intent, "open", cast.entries())
    explicit = {e["principal_id"]: e for e in first["entries"]
                if e["id"] != e["principal_id"]}
    assert {e["permission"] for e in explicit.values()} == {
        "read", "write", "admin"}
    [tie] = [e for e in first["entries"] if e["id"] == e["principal_id"]]
    assert (tie["principal_id"], tie["permission"]) == (cast.names["maker"],
                                                        "admin")
    assert made(cast.maker.get(at(intent, "acl")), 200) == first
    # The list that was read can be sent again, and nothing changes.
    before = events(cast.maker, intent["id"])
    again = made(cast.maker.put(at(intent, "acl"), json=first), 200)
    assert again == first and events(cast.maker, intent["id"]) == before
    last = cast.put(intent, "closed", cast.entries(read="write", far="read"))
    kept = {e["principal_id"]: e["id"] for e in last["entries"]}
    assert kept[cast.names["read"]] == explicit[cast.names["read"]]["id"]
    newest = events(cast.maker, intent["id"], limit=2)
    told = {e["event_type"]: e["payload"] for e in newest}
    assert {e["principal_id"] for e in told["access_revoked"]["entries"]} == {
        cast.names["write"], cast.names["admin"]}
    assert told["access_revoked"]["default_policy"] == "closed"
    assert {e["principal_id"]: e["permission"]
            for e in told["access_granted"]["entries"]} == {
        cast.names["read"]: "write", cast.names["far"]: "read"}


@route("POST /api/v1/intents/{id}/acl/entries")
@route("DELETE /api/v1/intents/{id}/acl/entries/{entry_id}")
def test_an_entry(cast, operator):
    intent = new_intent(cast.maker)
    cast.put(intent, "closed", [])
    one = cast.grant(intent, "none", "read", reason="to help",
                     expires_at="2999-01-01T00:00:00")
    assert kit.NAIVE.fullmatch(one["granted_at"])
    assert one == {"id": one["id"], "principal_id": cast.names["none"],
                   "principal_type": "agent", "permission": "read",
                   "granted_by": cast.names["maker"],
                   "granted_at": one["granted_at"], "reason": "to help",
                   "expires_at": "2999-01-01T00:00:00.000000"}
    two = made(operator.post(at(intent, "acl/entries"), json={
        "principal_id": cast.names["none"], "permission": "admin"}))
    assert two["id"] == one["id"] and two["expires_at"] is None
    gone(cast.by["none"].delete(at(intent, "acl/entries", one["id"])))
    refused(cast.by["none"].get(at(intent)), 404, "intent.unknown")
    refused(cast.maker.delete(at(intent, "acl/entries", one["id"])), 404,
            "acl.unknown")
    log = events(cast.maker, intent["id"], limit=3)
    assert [(e["event_type"], e["actor"]) for e in log[:2]] == [
        ("access_revoked", cast.names["none"]),
        ("access_granted", two["granted_by"])]
    assert log[0]["payload"] == {"entry_id": one["id"],
                                 "principal_id": cast.names["none"]}
    assert log[2]["payload"] == {
        "entry_id": one["id"], "principal_id": cast.names["none"],
        "permission": "read", "expires_at": "2999-01-01T00:00:00.000000"}


@pytest.mark.parametrize("wrong, code", [
    ({"principal_id": None}, "field.missing"),
    ({"principal_id": "a b"}, "agent.name"),
    ({"principal_id": "/a"}, "agent.name"),
    ({"principal_type": "user"}, "acl.people"),
    ({"permission": "all"}, None),
    ({"expires_at": "2020-01-01T00:00:00"}, "field.range"),
    ({"expires_at": "soon"}, "field.time"),
    ({"reason": 7}, None)])
def test_a_wrong_entry(cast, wrong, code):
    intent = new_intent(cast.maker)
    body = {"principal_id": "x", "permission": "read", **wrong}
    body = {k: v for k, v in body.items() if v is not None}
    refused(cast.maker.post(at(intent, "acl/entries"), json=body), 422, code)
    refused(cast.maker.put(at(intent, "acl"), json={
        "default_policy": "open", "entries": [body]}), 422, code)


def test_wrong_lists(cast):
    intent = new_intent(cast.maker)
    path = at(intent, "acl")
    one = {"principal_id": "x"}
    for body, code in (({}, "field.missing"), ({"default_policy": "x"}, None),
                       ({"default_policy": "open", "entries": {}}, None),
                       ({"default_policy": "open", "entries": [1]}, None),
                       ({"default_policy": "open", "entries": [one, one]},
                        "acl.twice")):
        refused(cast.maker.put(path, json=body), 422, code)


def test_an_intent_has_50_entries(cast):
    intent = new_intent(cast.maker)
    many = [{"principal_id": f"a{n}"} for n in range(51)]
    refused(cast.maker.put(at(intent, "acl"), json={
        "default_policy": "open", "entries": many}), 422, "acl.too_many")
    cast.put(intent, "open", many[:50])
    refused(cast.maker.post(at(intent, "acl/entries"), json=many[50]), 409,
            "acl.too_many")
    made(cast.maker.post(at(intent, "acl/entries"), json=many[7]))


def holding(client, intent, n=1):
    return [made(client.post(at(intent, "leases"),
                             json={"scope": f"s{i}",
                                   "duration_seconds": 3600}))["id"]
            for i in range(n)]


def ended(server, leases):
    with server.database() as db:
        return [s for s, in db.execute("SELECT status FROM lease WHERE id = "
                                       "ANY (%s)", [leases])]


@pytest.mark.parametrize("how", ["revoke", "list", "close", "less"])
def test_leases_go_with_the_access(server, cast, how):
    intent = new_intent(cast.maker)
    entry = cast.grant(intent, "none")
    own = holding(cast.maker, intent)
    leases = [made(cast.by["none"].post(
        at(intent, "leases"), json={"scope": f"n{i}"}))["id"]
        for i in range(2)]
    if how == "revoke":
        gone(cast.maker.delete(at(intent, "acl/entries", entry["id"])))
    elif how == "less":
        cast.grant(intent, "none", "read")
    else:
        cast.put(intent, "closed" if how == "close" else "open", [])
    assert ended(server, leases) == ["revoked"] * 2
    assert ended(server, own) == ["active"]
    released = [e["payload"] for e in events(cast.maker, intent["id"])
                if e["event_type"] == "lease_released"]
    assert {p["lease_id"] for p in released} == set(leases)
    assert {p["reason"] for p in released} == {"access_revoked"}
    status = 200 if how == "less" else 404
    assert cast.by["none"].get(at(intent)).status_code == status


def test_many_leases_go_in_one_event(server, cast):
    intent = new_intent(cast.maker)
    entry = cast.grant(intent, "none")
    leases = holding(cast.by["none"], intent, 40)
    gone(cast.maker.delete(at(intent, "acl/entries", entry["id"])))
    assert ended(server, leases) == ["revoked"] * 40
    released = [e["payload"] for e in events(cast.maker, intent["id"],
                                             event_type="lease_released")]
    told = {p["lease_id"] for p in released if "lease_id" in p}
    [rest] = [p for p in released if "lease_ids" in p]
    assert told | set(rest["lease_ids"]) == set(leases)


def test_a_closed_intent_frees_the_scope_of_who_is_out(server, cast):
    """A lease gave reach while the intent was open."""
    intent = new_intent(cast.maker)
    made(cast.maker.post(at(intent, "agents"),
                         json={"agent_id": cast.names["none"]}), 200)
    leases = holding(cast.by["none"], intent)
    made(cast.maker.delete(at(intent, "agents", cast.names["none"])), 200)
    made(cast.by["none"].get(at(intent)), 200)
    cast.put(intent, "closed", [])
    refused(cast.by["none"].get(at(intent)), 404, "intent.unknown")
    assert ended(server, leases) == ["revoked"]


def test_a_repeated_request_needs_the_access_too(cast):
    intent = cast.intent("closed")
    headers = {"Idempotency-Key": new_id()}
    body = {"event_type": "comment", "payload": {"text": "x"}}
    made(cast.by["write"].post(at(intent, "events"), json=body,
                               headers=headers))
    cast.put(intent, "closed", [])
    refused(cast.by["write"].post(at(intent, "events"), json=body,
                                  headers=headers), 404, "intent.unknown")


def test_a_repeated_withdrawal_needs_the_access_too(cast):
    intent = cast.intent("closed")
    one = made(cast.by["write"].post(at(intent, "approvals"),
                                     json={"action": "x", "reason": "x"}))
    headers = {"Idempotency-Key": new_id()}
    path = f"{PATH}/suspensions/{one['id']}/cancel"
    first = made(cast.by["write"].post(path, json={}, headers=headers), 200)
    assert made(cast.by["write"].post(path, json={}, headers=headers),
                200) == first
    cast.put(intent, "closed", [])
    refused(cast.by["write"].post(path, json={}, headers=headers), 404,
            "suspension.unknown")


def test_a_full_log_keeps_nobody_inside(server, cast):
    intent = cast.intent("closed")
    with server.database() as db:
        db.execute("UPDATE intent SET event_sequence = 10000 WHERE id = %s",
                   [intent["id"]])
    acl = made(cast.maker.get(at(intent, "acl")), 200)["entries"]
    [entry] = [e for e in acl if e["principal_id"] == cast.names["write"]]
    gone(cast.maker.delete(at(intent, "acl/entries", entry["id"])))
    refused(cast.by["write"].get(at(intent)), 404, "intent.unknown")
    with server.database() as db:
        db.execute("UPDATE intent SET event_sequence = (SELECT max(sequence) "
                   "FROM event WHERE intent_id = %(i)s) WHERE id = %(i)s",
                   {"i": intent["id"]})


def test_grants_and_revocations_at_once(cast):
    """One after the other: no call fails, no entry is lost or doubled."""
    intent = new_intent(cast.maker)
    cast.put(intent, "closed", [])

    def turn(n):
        made(cast.maker.post(at(intent, "acl/entries"), json={
            "principal_id": f"r{n % 3}", "permission": "write"}))
        found = made(cast.maker.get(at(intent, "acl")), 200)["entries"]
        for e in found:
            if e["principal_id"] == f"r{n % 3}":
                r = cast.maker.delete(at(intent, "acl/entries", e["id"]))
                assert r.status_code in (204, 404), r.text

    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        list(pool.map(turn, range(48)))
    left = made(cast.maker.get(at(intent, "acl")), 200)["entries"]
    assert [e["principal_id"] for e in left] == [cast.names["maker"]]
    log = [e for e in events(cast.maker, intent["id"], limit=1000)
           if e["event_type"].startswith("access_")]
    granted = set()
    for e in reversed(log):
        one = e["payload"].get("entry_id")
        if e["event_type"] == "access_granted":
            granted.add(one)
        elif one:
            granted.remove(one)
    assert not granted


def test_a_write_and_its_revocation_at_once(cast):
    """Whichever comes first by the intent's lock: never a write after."""
    for _ in range(20):
        intent = cast.intent("closed")
        acl = made(cast.maker.get(at(intent, "acl")), 200)["entries"]
        [entry] = [e for e in acl if e["principal_id"] == cast.names["write"]]
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            wrote = pool.submit(cast.by["write"].post, at(intent, "leases"),
                                json={"scope": "x"})
            gone = pool.submit(cast.maker.delete,
                               at(intent, "acl/entries", entry["id"]))
        assert gone.result().status_code == 204
        assert wrote.result().status_code in (201, 404), wrote.result().text
        order = types(cast.maker, intent["id"])
        if wrote.result().status_code == 201:
            assert order.index("lease_acquired") < order.index(
                "lease_released")
        else:
            assert "lease_acquired" not in order


# --- Time ------------------------------------------------------------------------

@pytest.fixture(scope="module")
def timed(clock):
    one = kit.Watched(place("access"), **clock.setting).start()
    yield one, clock
    one.stop()
    assert kit.complaints(one) == []


def later(timed, **span):
    """The server's time then, as a naive text."""
    _, clock = timed
    now = datetime.datetime.now(datetime.timezone.utc)
    then = now + datetime.timedelta(seconds=clock.seconds, **span)
    return then.strftime("%Y-%m-%dT%H:%M:%S")


def test_an_entry_ends_by_itself(timed):
    server, clock = timed
    cast = Cast(server)
    intent = new_intent(cast.maker)
    cast.put(intent, "closed", [])
    entry = cast.grant(intent, "none", expires_at=later(timed, minutes=5))
    open_one = new_intent(cast.maker)
    cast.grant(open_one, "none", expires_at=later(timed, minutes=5))
    leases = holding(cast.by["none"], intent, 1)
    holding(cast.by["none"], open_one, 1)
    with kit.asleep(server, "tick"):
        clock.forward(minutes=4)
        made(cast.by["none"].get(at(intent)), 200)
        clock.forward(minutes=2)
        # Nobody waits for the clock.
        for one in (intent, open_one):
            refused(cast.by["none"].get(at(one)), 404, "intent.unknown")
            refused(patch(cast.by["none"], one, put("/x", 1)), 404,
                    "intent.unknown")
        own = listed(cast.by["none"], f"{PATH}/intents", "intents")
        assert not own & {intent["id"], open_one["id"]}
        acl = made(cast.maker.get(at(intent, "acl")), 200)["entries"]
        assert cast.names["none"] not in {e["principal_id"] for e in acl}
    wait_for(lambda: "access_expired" in types(cast.maker, intent["id"]))
    [told] = [e for e in events(cast.maker, intent["id"])
              if e["event_type"] == "access_expired"]
    assert told["payload"] == {"entry_id": entry["id"],
                               "principal_id": cast.names["none"]}
    assert (told["actor"], told["actor_type"]) == ("clock", "clock")
    assert ended(server, leases) == ["revoked"]
    wait_for(lambda: "access_expired" in types(cast.maker, open_one["id"]))
    refused(cast.by["none"].get(at(open_one)), 404, "intent.unknown")
    with server.database() as db:
        left = db.execute("SELECT id FROM acl_entry WHERE intent_id = ANY "
                          "(%s)", [[intent["id"], open_one["id"]]])
        assert not left.fetchall()


@route("POST /api/v1/intents/{id}/acl/entries")
@route("PUT /api/v1/intents/{id}/acl")
@route("POST /api/v1/intents/{id}/agents")
def test_no_agent_gives_access_to_itself(cast, operator):
    """Else what a person gave for a time, or takes back, would stay."""
    end = "2099-01-01T00:00:00"
    for policy in ("closed", "open"):
        intent = cast.intent(policy)
        cast.put(intent, policy, [])
        one = made(operator.post(at(intent, "acl/entries"), json={
            "principal_id": cast.names["none"], "permission": "admin",
            "expires_at": end}))
        guest = cast.by["none"]
        mine = {"principal_id": cast.names["none"], "permission": "admin"}
        refused(guest.post(at(intent, "acl/entries"), json=mine), 403,
                "acl.own")
        refused(guest.put(at(intent, "acl"), json={
            "default_policy": policy, "entries": [mine]}), 403, "acl.own")
        refused(guest.post(at(intent, "agents"),
                           json={"agent_id": cast.names["none"]}), 403,
                "acl.own")
        refused(guest.post(at(intent, "events"), json={
            "event_type": "agent_assigned",
            "payload": {"agent_id": cast.names["none"]}}), 403, "acl.own")
        if policy == "open":  # of a closed one this role gives no access
            refused(guest.post(f"{PATH}/coordinators", json={
                "intent_id": intent["id"], "agent_id": cast.names["none"]}),
                403, "acl.own")
        # The rest of the list is an admin's to change.
        made(guest.put(at(intent, "acl"), json={
            "default_policy": policy, "entries": [
                {**mine, "expires_at": one["expires_at"]},
                {"principal_id": "x", "permission": "read"}]}), 200)
        gone(operator.delete(at(intent, f"acl/entries/{one['id']}")))
        assert guest.get(at(intent)).status_code == 404


def test_a_grant_again_after_the_end(timed):
    server, clock = timed
    cast = Cast(server)
    intent = cast.intent("closed")
    for _ in range(2):
        cast.grant(intent, "none", "read", expires_at=later(timed, minutes=5))
        made(cast.by["none"].get(at(intent)), 200)
        clock.forward(minutes=6)
        refused(cast.by["none"].get(at(intent)), 404, "intent.unknown")


# --- Requests ---------------------------------------------------------------------

@route("POST /api/v1/intents/{id}/access-requests")
@route("GET /api/v1/intents/{id}/access-requests")
@route("POST /api/v1/intents/{id}/access-requests/{request_id}/approve")
@pytest.mark.parametrize("by", ["operator", "agent"])
@pytest.mark.parametrize("given", [None, "read"])
def test_a_request_that_is_approved(cast, operator, by, given):
    intent = cast.intent("closed")
    stranger, name = cast.by["none"], cast.names["none"]
    one = request(stranger, name, intent, capabilities=["sql"])
    assert one["url"].endswith(f"/suspensions/{one['id']}")
    assert {k: one[k] for k in ("principal_id", "requested_permission",
                                "status", "reason", "capabilities",
                                "decided_by")} == {
        "principal_id": name, "requested_permission": "write",
        "status": "pending", "reason": "I can help.", "capabilities": ["sql"],
        "decided_by": None}
    refused(stranger.get(at(intent)), 404, "intent.unknown")
    # Its own question, though it has no access.
    seen = made(stranger.get(f"{PATH}/suspensions/{one['id']}"), 200)
    assert seen["intent_id"] == intent["id"] and not seen.get("initiated_by")
    assert "Refund" not in str(seen)
    shown = made(stranger.get(f"{PATH}/suspensions/{one['id']}/action"), 200)
    assert "Refund" not in str(shown)
    decider = operator if by == "operator" else cast.by["admin"]
    r = decider.post(at(intent, "access-requests", one["id"], "approve"),
                     json={"decided_by": "x", "reason": "fine",
                           **({"permission": given} if given else {})})
    done = made(r, 200)
    assert done["status"] == "approved" and done["decision_reason"] == "fine"
    assert done["permission"] == (given or "write")
    made(stranger.get(at(intent)), 200)
    check(patch(stranger, intent, put("/x", 1)),
          LEVELS[given or "write"], 2)
    log = events(cast.maker, intent["id"])
    told = {e["event_type"]: e["payload"] for e in reversed(log)}
    assert told["access_requested"]["request_id"] == one["id"]
    assert told["access_request_approved"] == {
        "request_id": one["id"], "principal_id": name,
        "permission": given or "write", "reason": "fine"}
    assert told["access_granted"]["principal_id"] == name
    listed_ = made(cast.by["read"].get(at(intent, "access-requests")), 200)
    assert [x["id"] for x in listed_["access_requests"]] == [one["id"]]
    refused(decider.post(at(intent, "access-requests", one["id"], "deny")),
            409, "suspension.already_decided")


@route("POST /api/v1/intents/{id}/access-requests/{request_id}/deny")
def test_a_request_that_is_denied(cast, operator):
    intent = cast.intent("closed")
    stranger, name = cast.by["none"], cast.names["none"]
    one = request(stranger, name, intent)
    path = at(intent, "access-requests", one["id"])
    for body, code in (({"permission": "admin"}, "response.invalid_choice"),
                       ({"permission": "x"}, None),
                       ({"expires_at": "2020-01-01"}, None)):
        refused(operator.post(path + "/approve", json=body), 422, code)
    done = made(operator.post(path + "/deny", json={"reason": "no"}), 200)
    assert (done["status"], done["decision_reason"]) == ("denied", "no")
    refused(stranger.get(at(intent)), 404, "intent.unknown")
    seen = made(stranger.get(f"{PATH}/suspensions/{one['id']}"), 200)
    assert seen["outcome"] == "vetoed"
    log = {e["event_type"]: e["payload"]
           for e in events(cast.maker, intent["id"])}
    assert log["access_request_denied"] == {
        "request_id": one["id"], "principal_id": name, "reason": "no"}
    assert not any(e["principal_id"] == name for e in made(
        cast.maker.get(at(intent, "acl")), 200)["entries"])


def test_an_approval_that_ends(timed):
    server, clock = timed
    cast = Cast(server)
    with server.client("operator") as operator:
        intent = cast.intent("closed")
        one = request(cast.by["none"], cast.names["none"], intent)
        made(operator.post(at(intent, "access-requests", one["id"], "approve"),
                           json={"expires_at": later(timed, hours=1)}), 200)
    made(cast.by["none"].get(at(intent)), 200)
    clock.forward(hours=2)
    refused(cast.by["none"].get(at(intent)), 404, "intent.unknown")


def test_silence_gives_nothing(timed):
    """A request stays open, and ends with its intent as denied."""
    server, clock = timed
    cast = Cast(server)
    intent = cast.intent("closed")
    one = request(cast.by["none"], cast.names["none"], intent)
    clock.forward(days=400)
    refused(cast.by["none"].get(at(intent)), 404, "intent.unknown")
    path = f"{PATH}/suspensions/{one['id']}"
    assert made(cast.by["none"].get(path), 200)["state"] == "pending"
    assert set_status(cast.maker, get(cast.maker, intent),
                      "completed").status_code == 200
    assert made(cast.by["none"].get(path), 200)["state"] == "cancelled"
    [end] = made(cast.maker.get(at(intent, "access-requests")),
                 200)["access_requests"]
    assert end["status"] == "denied" and end["decision_reason"]


def test_A1_nobody_answers_for_itself(cast, operator):
    intent = cast.intent("closed")
    one = request(cast.by["write"], cast.names["write"], intent, "admin")
    path = at(intent, "access-requests", one["id"])
    for who, status, code in (("write", 403, "access.denied"),
                              ("none", 404, "intent.unknown"),
                              ("far", 404, "intent.unknown")):
        for what in ("approve", "deny"):
            refused(cast.by[who].post(f"{path}/{what}"), status, code)
    # One with admin asks for another, or another asks for it.
    mine = request(cast.by["admin"], cast.names["none"], intent)
    theirs = request(cast.by["none"], cast.names["admin"], intent, "read")
    for one in (mine, theirs):
        refused(cast.by["admin"].post(
            at(intent, "access-requests", one["id"], "approve")), 403,
            "suspension.own_question")
    other = cast.intent("closed")
    refused(operator.post(at(other, "access-requests", mine["id"],
                             "approve")), 404, "access.unknown")


def test_how_many_requests_there_may_be(cast):
    intent = cast.intent("closed")
    body = {"principal_id": "a", "requested_permission": "read", "reason": ""}
    path = at(intent, "access-requests")
    stranger = cast.by["none"]
    made(stranger.post(path, json=body))
    refused(stranger.post(path, json=body), 409, "access.requested")
    for n in range(2):
        made(stranger.post(path, json={**body, "principal_id": f"b{n}"}))
    # An agent leaves room for the others.
    refused(stranger.post(path, json={**body, "principal_id": "b2"}),
            409, "access.too_many_requests")
    for n in range(2):
        made(cast.by["far"].post(path, json={**body, "principal_id": f"c{n}"}))
    refused(cast.by["read"].post(path, json={**body, "principal_id": "c"}),
            409, "access.too_many_requests")
    # Withdrawn ones count for the agent, so that no stranger fills a log.
    for s in made(cast.maker.get(path), 200)["access_requests"]:
        if s["principal_id"] in ("a", "b0", "b1"):
            made(stranger.post(f"{PATH}/suspensions/{s['id']}/cancel",
                               json={}), 200)
    for n in range(7):
        q = made(stranger.post(path, json={**body, "principal_id": f"d{n}"}))
        made(stranger.post(f"{PATH}/suspensions/{q['id']}/cancel", json={}),
             200)
    refused(stranger.post(path, json=body), 409, "access.too_many_requests")
    made(cast.by["far"].post(path, json=body))


def test_wrong_requests(cast):
    intent = cast.intent("closed")
    path = at(intent, "access-requests")
    good = {"principal_id": "a", "requested_permission": "read", "reason": "x"}
    for wrong in ({"principal_id": "a b"}, {"requested_permission": "all"},
                  {"principal_type": "user"}, {"reason": None},
                  {"capabilities": "x"}):
        body = {k: v for k, v in {**good, **wrong}.items() if v is not None}
        refused(cast.by["none"].post(path, json=body), 422)
    refused(cast.by["none"].post(at({"id": new_id()}, "access-requests"),
                                 json=good), 404, "intent.unknown")
    ended_ = new_intent(cast.maker, "completed")
    refused(cast.by["none"].post(at(ended_, "access-requests"), json=good),
            409, "intent.ended")


def test_the_answer_to_a_request_is_sent(server, cast, operator):
    """Also to an agent that is denied; it learns nothing of the intent."""
    intent = new_intent(cast.maker, "active")
    cast.put(intent, "closed", [])
    endpoint(cast, "none")
    one = request(cast.by["none"], cast.names["none"], intent)
    made(operator.post(at(intent, "access-requests", one["id"], "deny")), 200)
    with server.database() as db:
        [body] = db.execute("SELECT body::json FROM delivery WHERE "
                            "suspension_id = %s", [one["id"]]).fetchone()
    assert body["data"]["outcome"] == "vetoed"
    assert body["data"]["intent_status"] is None


@pytest.mark.parametrize("n", range(5))
def test_two_answers_at_once(cast, operator, other_operator, n):
    intent = cast.intent("closed")
    one = request(cast.by["none"], cast.names["none"], intent)
    path = at(intent, "access-requests", one["id"])
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        yes = pool.submit(operator.post, path + "/approve")
        no = pool.submit(other_operator.post, path + "/deny")
    assert sorted([yes.result().status_code, no.result().status_code]) == [
        200, 409]
    won = yes.result().status_code == 200
    assert (cast.by["none"].get(at(intent)).status_code == 200) == won
