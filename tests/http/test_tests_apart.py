"""Tests live apart: a test key reaches what test keys made and nothing else,
a real key reaches none of it, and people see both, with a mark. Each way that
an intent, a question or what hangs on them is reached is tried both ways,
also by keys that reach everything and by a name that went from one sort to the
other."""
import csv
import io
import json

import pytest

import kit
from kit import (ANY_ID, KEYED, answer, ask, at, events, get, made, new_id,
                 new_intent, refused)
from page import send
from plans import plan, task
from test_hold_apart import ASKED_FOR, BODIES, OF_INTENTS, OTHERS, USE, sent
from test_streams import Stream

route = pytest.mark.route
PATH = "/api/v1"


def client_of(server, name, *options, **headers):
    key = server.key("agent", "--agent", name, *options)
    return server.client(headers={"X-API-Key": key, **headers})


class Things:
    """An agent of one sort, and one of each thing that an agent makes."""

    def __init__(self, server, operator, test):
        self.server, self.test = server, test
        self.text = f"text-{new_id()}"
        sort = ["--test"] if test else []
        self.name = f"{'test' if test else 'real'}-{new_id()[:8]}"
        self.key = server.key("agent", "--agent", self.name, *sort)
        self.maker = server.client(headers={"X-API-Key": self.key})
        maker, name = self.maker, self.name
        self.other = new_intent(maker, title=self.text)
        self.intent = new_intent(maker, title=self.text)
        self.asked = ask(maker, intent_id=self.intent["id"], title=self.text)
        self.ended = ask(maker, title=self.text)
        made(answer(operator, self.ended), 200)
        self.lease = self.make(self.other, "leases", scope="x")
        self.attachment = self.make(self.other, "attachments",
                                    **BODIES["attachments"])
        self.entry = self.make(self.other, "acl/entries", principal_id="x",
                               permission="read")
        self.approval = self.make(self.other, "approvals", action="x",
                                  reason="x")
        self.escalation = self.make(self.other, "escalations", reason=self.text)
        self.request = made(operator.post(
            at(self.other, "access-requests"), json={
                "principal_id": "x", "requested_permission": "read",
                "reason": "x"}))
        made(maker.put(at(self.other, "retry-policy"),
                       json={"strategy": "fixed"}), 200)
        self.portfolio = self.post("portfolios", name=self.text)
        self.post(f"portfolios/{self.portfolio['id']}/intents",
                  intent_id=self.other["id"])
        self.coordinator = self.post("coordinators", agent_id=name,
                                     intent_id=self.other["id"])
        self.endpoint = self.post("endpoints", name=self.text,
                                  url=f"https://x.invalid/{name}")
        self.subscription = self.post(
            "subscriptions", intent_id=self.other["id"],
            webhook_url=f"https://x.invalid/{name}")
        self.ids = {
            "intents": self.other["id"],
            "endpoints": self.endpoint["endpoint_id"],
            "portfolios": self.portfolio["id"],
            "coordinators": self.coordinator["id"],
            "subscriptions": self.subscription["id"],
            "suspensions": self.asked["suspension_id"],
            "tasks": task(maker, self.other)["id"],
            "plans": plan(maker, self.other)["id"],
            "permits": new_id(), "redemptions": new_id(),
            "agents": name}
        if not test:
            p = self.post("authorizations", 202, goal="x", max_uses=2,
                          authorization_details=[
                              {"type": "tool_call", "tool": "x",
                               "arguments": {}}])
            made(answer(operator, {"suspension_id": p["request_id"]}), 200)
            used = self.post("redemptions", **USE, permit_id=p["permit_id"])
            self.permit = p
            self.ids["permits"] = p["permit_id"]
            self.ids["redemptions"] = used["redemption_id"]
        self.in_path = {"lease_id": self.lease["id"], "agent_id": "x",
                        "attachment_id": self.attachment["id"],
                        "entry_id": self.entry["id"],
                        "approval_id": self.approval["id"],
                        "request_id": self.request["id"],
                        "dependency_id": self.intent["id"],
                        "intent_id": self.other["id"]}

    def post(self, path, status=201, **body):
        return made(self.maker.post(f"{PATH}/{path}", json=body), status)

    def make(self, intent, path, **body):
        return made(self.maker.post(at(intent, path), json=body))

    def everything(self):
        """All rows that a stranger could have changed."""
        ids = [self.other["id"], self.intent["id"]]
        with self.server.database() as db:
            return [db.execute(
                f"SELECT array(SELECT to_jsonb(t)::text FROM {table} t "
                f"WHERE {column} = ANY (%s) ORDER BY 1)", [ids]).fetchone()
                for table, column in (
                    ("intent", "id"), ("lease", "intent_id"),
                    ("assignment", "intent_id"), ("acl_entry", "intent_id"),
                    ("intent_dependency", "intent_id"),
                    ("intent_dependency", "dependency_id"),
                    ("intent", "parent_intent_id"), ("task", "intent_id"),
                    ("plan", "intent_id"), ("coordinator", "intent_id"),
                    ("suspension_row", "intent_id"), ("event", "intent_id"),
                    ("attachment", "intent_id"), ("intent_cost", "intent_id"),
                    ("intent_failure", "intent_id"),
                    ("portfolio_member", "intent_id"))]


class World:
    def __init__(self, server, operator):
        self.of = {test: Things(server, operator, test)
                   for test in (False, True)}
        self.strangers = {False: {}, True: {}}
        for test, others in self.strangers.items():
            """others: of the other sort than what they try to reach."""
            sort = [] if test else ["--test"]
            tag = new_id()[:8]
            others["of its own"] = client_of(server, f"own-{tag}", *sort)
            others["of all"] = client_of(server, f"all-{tag}", "--reach",
                                         "all", *sort)
            others["of any name"] = client_of(
                server, "*", *sort, **{"X-Agent-ID": f"any-{tag}"})
        # A name goes over once its keys have ended.
        for test in False, True:
            mine = self.of[test]
            kit.end_key(server, mine.key, "revoked")
            self.strangers[test]["of its name"] = client_of(
                server, mine.name, *([] if test else ["--test"]))
            mine.maker = None


@pytest.fixture(scope="module")
def world(server, operator):
    return World(server, operator)


STRANGERS = ("of its own", "of all", "of any name", "of its name")
both = pytest.mark.parametrize("test", [False, True], ids=["real", "test"])
each = pytest.mark.parametrize("who", STRANGERS)


@each
@both
def test_every_route_of_an_intent(world, who, test):
    """404, word for word as for an intent that nobody has."""
    mine, stranger = world.of[test], world.strangers[test][who]
    own = new_intent(stranger)
    before = mine.everything()
    for row in [*OF_INTENTS, *(r for r in KEYED if r.name == ASKED_FOR)]:
        body = None
        if row.method in ("POST", "PATCH", "PUT"):
            body = BODIES.get(row.pattern.rpartition("/")[2], {
                "principal_id": "x", "requested_permission": "read",
                "reason": "x"})
            if body == "dependency_id":
                body = {"dependency_id": own["id"]}
        real, none = (
            sent(stranger, row.method,
                 kit.fill(row.pattern, id=one, **mine.in_path), body, 1)
            for one in (mine.other["id"], ANY_ID))
        refused(real, 404, "intent.unknown")
        assert real.text == none.text, row.name
    assert mine.everything() == before


@each
@both
def test_every_other_route(world, who, test):
    mine, stranger = world.of[test], world.strangers[test][who]
    before = mine.everything()
    for name, wanted in OTHERS.items():
        [row] = [r for r in KEYED if r.name == name]
        [kind] = [k for k in mine.ids if f"/{k}/" in row.pattern
                  and k != "intents"]
        if kind == "agents" or (kind in ("permits", "redemptions") and test):
            continue
        body = {} if row.method in ("POST", "PATCH") else None
        if name.endswith("/respond"):
            body = {"value": "approve"}
        if name.endswith("/reconcile"):
            body = {"outcome": "authorized"}
        if "/portfolios/" in name and body is not None:
            body = {"status": "abandoned", "intent_id": mine.other["id"]}
        real, none = (
            sent(stranger, row.method,
                 kit.fill(row.pattern, id=one, intent_id=mine.other["id"]),
                 body, 1)
            for one in (mine.ids[kind], new_id()))
        refused(real, *wanted)
        assert real.text == none.text, name
    for asked in mine.asked, mine.ended:
        path = f"{PATH}/suspensions/{asked['suspension_id']}"
        refused(stranger.get(path), 404, "suspension.unknown")
        refused(stranger.post(path + "/cancel"), 404, "suspension.unknown")
        refused(stranger.get(f"/v1/requests/{asked['suspension_id']}"), 404)
    assert mine.everything() == before


@each
@both
def test_what_a_body_names(world, who, test):
    mine, stranger = world.of[test], world.strangers[test][who]
    intent, own = mine.other["id"], new_intent(stranger)
    before = mine.everything()
    for path, body in (
            ("suspensions", {"question": "?", "intent_id": intent}),
            ("suspensions", {"question": "?", "intent": {
                "title": "x", "parent_intent_id": intent}}),
            ("intents", {"title": "x", "parent_intent_id": intent}),
            ("subscriptions", {"intent_id": intent,
                               "webhook_url": "https://x.invalid/a"}),
            ("coordinators", {"intent_id": intent, "agent_id": "x"}),
            ("decisions", {"intent_id": intent, "summary": "x",
                           "coordinator_id": mine.coordinator["id"],
                           "decision_type": "x"}),
            ("tasks", {"intent_id": intent, "name": "x"}),
            ("plans", {"intent_id": intent, "tasks": []}),
            ("tool-calls/check", {"intent_id": intent, "tool_calls": [
                {"tool": "x", "arguments": {}}]})):
        r = stranger.post(f"{PATH}/{path}", json=body)
        assert r.status_code in (403, 404, 422), (path, r.text)
        if r.status_code == 403:
            assert kit._flat(r.json())["code"] == "coordinator.not_yours"
    r = stranger.post(f"{PATH}/intents", json={"title": "x",
                                               "depends_on": [intent]})
    refused(r, 422, "intent.unknown")
    r = stranger.post(at(own, "dependencies"),
                      json={"dependency_id": intent},
                      headers={"If-Match": str(get(stranger, own)["version"])})
    refused(r, 422, "intent.unknown")
    if not test:
        refused(stranger.post(f"{PATH}/redemptions", json={
            **USE, "permit_id": mine.permit["permit_id"]}), 404,
            "permit.unknown")
    assert mine.everything() == before


@each
@both
@route("GET /api/v1/intents")
@route("GET /api/v1/suspensions")
@route("GET /api/v1/escalations")
@route("GET /api/v1/portfolios")
@route("GET /api/v1/endpoints")
@route("GET /api/v1/subscriptions")
def test_no_list_has_any_of_it(world, who, test):
    mine, stranger = world.of[test], world.strangers[test][who]
    hidden = [*mine.ids.values(), mine.intent["id"],
              mine.ended["suspension_id"], mine.text]
    hidden.remove(mine.name)
    for path in ("intents?limit=1000", "suspensions?limit=100",
                 "suspensions?state=pending&limit=100",
                 "suspensions?state=resolved&limit=100",
                 "suspensions?ended_after=0&limit=100",
                 "suspensions?ended_after=0&limit=100&agents=all",
                 "escalations", "portfolios?limit=100", "endpoints",
                 "subscriptions"):
        r = stranger.get(f"{PATH}/{path}")
        assert r.status_code == 200, r.text
        assert not [x for x in hidden if x in r.text], path


CHIP = '<strong class="chip">Test</strong>'


@both
@route("GET /intents/{id}")
@route("GET /portfolios/{id}")
@route("GET /suspensions/{id}")
def test_people_see_both(world, operator, auditor, person, test):
    mine = world.of[test]
    browser = person().client
    for path in (f"/intents/{mine.other['id']}",
                 f"/portfolios/{mine.portfolio['id']}",
                 f"/suspensions/{mine.asked['suspension_id']}",
                 f"/suspensions/{mine.approval['id']}"):
        page = browser.get(path)
        assert page.status_code == 200
        assert (CHIP in page.text) is test, path
    for one in mine.approval, mine.escalation, mine.request:
        assert one.get("test", False) is test
    for client in operator, auditor:
        seen = get(client, mine.other)
        assert seen.get("test", False) is test
        r = client.get(f"{PATH}/suspensions/{mine.asked['suspension_id']}")
        assert r.json().get("test", False) is test
        r = client.get(f"{PATH}/portfolios/{mine.portfolio['id']}").json()
        assert r.get("test", False) is test
        text = client.get(f"{PATH}/intents?limit=1000").text
        assert mine.other["id"] in text


# --- What is given away ----------------------------------------------------

@pytest.fixture
def pair(server):
    """A real agent and one for tests: name and client of each."""
    tag = new_id()[:8]
    names = {False: f"a-{tag}", True: f"t-{tag}"}
    return {test: (name, client_of(server, name,
                                   *(["--test"] if test else [])))
            for test, name in names.items()}


@both
@route("POST /api/v1/intents/{id}/agents")
@route("POST /api/v1/intents/{id}/acl/entries")
@route("PUT /api/v1/intents/{id}/acl")
@route("PUT /api/v1/intents/{id}/retry-policy")
@route("POST /api/v1/coordinators")
@route("POST /api/v1/tasks")
def test_nothing_is_given_to_the_other_sort(pair, operator, test):
    """By the agent itself, and by a person."""
    (_, maker), (other, _) = pair[test], pair[not test]
    intent = new_intent(maker)
    apart = {"status": 422, "code": "test.apart"}
    for who in maker, operator:
        refused(who.post(at(intent, "agents"), json={"agent_id": other}),
                **apart, at="agent_id")
        entry = {"principal_id": other, "permission": "read"}
        refused(who.post(at(intent, "acl/entries"), json=entry), **apart)
        refused(who.put(at(intent, "acl"), json={
            "default_policy": "open", "entries": [entry]}), **apart)
        refused(who.post(at(intent, "access-requests"), json={
            "principal_id": other, "requested_permission": "read",
            "reason": "x"}), **apart)
        refused(who.put(at(intent, "retry-policy"), json={
            "strategy": "fixed", "fallback_agent_id": other}), **apart)
        refused(who.post(f"{PATH}/tasks", json={
            "intent_id": intent["id"], "name": "x",
            "assigned_agent": other}), **apart)
    refused(operator.post(f"{PATH}/coordinators", json={
        "intent_id": intent["id"], "agent_id": other}), **apart)
    refused(maker.post(at(intent, "events"), json={
        "event_type": "agent_assigned", "payload": {"agent_id": other}}),
        **apart)


@both
def test_a_handoff_stays_in_its_sort(server, pair, test):
    (name, maker), (other, _) = pair[test], pair[not test]
    more = ["--test"] if test else []
    next_name = f"next-{new_id()[:8]}"
    taker = client_of(server, next_name, *more)

    def body(to):
        return {"question": "Take it?", "kind": "handoff_acceptance",
                "responder": {"mode": "agent", "who": to},
                "subject": {"from": name, "to": to, "summary": "x",
                            "reason": "x", "artifacts": [], "evidence": []}}
    refused(maker.post(f"{PATH}/suspensions", json=body(other)), 422,
            "test.apart", "responder.who")
    asked = made(maker.post(f"{PATH}/suspensions", json=body(next_name)))
    done = answer(taker, asked, "accept")
    assert done.status_code == 200, done.text
    intent = get(taker, {"id": asked["intent_id"]})
    assert intent["owner"] == next_name
    assert intent.get("test", False) is test


@both
@route("POST /api/v1/intents/{id}/dependencies")
@route("POST /api/v1/portfolios/{id}/intents")
def test_people_join_nothing_of_two_sorts(pair, operator, test):
    mine, other = new_intent(pair[test][1]), new_intent(pair[not test][1])
    r = operator.post(at(mine, "dependencies"),
                      json={"dependency_id": other["id"]},
                      headers={"If-Match": str(mine["version"])})
    refused(r, 422, "test.apart", "dependency_id")
    r = operator.post(at(mine, "children"), json={
        "title": "x", "depends_on": [other["id"]]})
    refused(r, 422, "test.apart", "depends_on")
    portfolio = made(pair[test][1].post(f"{PATH}/portfolios",
                                        json={"name": "x"}))
    r = operator.post(f"{PATH}/portfolios/{portfolio['id']}/intents",
                      json={"intent_id": other["id"]})
    refused(r, 422, "test.apart", "intent_id")
    child = made(operator.post(at(mine, "children"), json={"title": "x"}))
    assert child.get("test", False) is test
    made(operator.post(at(child, "agents"),
                       json={"agent_id": pair[test][0]}), 200)
    assert get(pair[test][1], child)["id"] == child["id"]
    r = pair[not test][1].get(f"{PATH}/intents/{child['id']}")
    refused(r, 404, "intent.unknown")


# --- The marks --------------------------------------------------------------

@route("GET /api/v1/intents/{id}")
@route("GET /api/v1/intents/{id}/events")
def test_the_mirror_and_the_events_say_so(pair, operator):
    for test, (_, client) in pair.items():
        asked = ask(client)
        intent = {"id": asked["intent_id"]}
        for state in "pending", "resolved":
            mirror = get(client, intent)["state"]["_suspension"]
            assert mirror.get("test", False) is test, state
            if state == "pending":
                made(answer(operator, asked), 200)
        made(client.post(at(intent, "events"), json={
            "event_type": "comment", "payload": {"x": 1}}))
        listed = events(client, intent["id"])
        assert len(listed) >= 4
        for event in listed:
            assert event["payload"].get("test", False) is test, event


@route("GET /decided.csv")
@route("GET /decided.jsonl")
@route("GET /api/v1/suspensions/{id}/action")
def test_the_exports_and_the_action_say_so(pair, operator, person):
    browser = person("auditor").client
    for test, (name, client) in pair.items():
        asked = ask(client)
        path = f"{PATH}/suspensions/{asked['suspension_id']}/action"
        for _ in "open", "answered":
            payload = made(client.get(path), 200)["payload"]
            assert payload.get("test", False) is test
            answer(operator, asked)
        r = browser.get("/decided.csv", params={"agent": name})
        [row] = csv.DictReader(io.StringIO(r.text[1:], newline=""))
        r = browser.get("/decided.jsonl", params={"agent": name})
        [line] = map(json.loads, r.text.splitlines())
        assert row["agent"] == line["agent"] == name
        assert line["test"] is test and row["test"] == json.dumps(test)
        # New columns come last: others are read by their positions.
        assert list(row) == list(line) and "test" in row


@route("GET /api/v1/agents/{agent_id}/subscribe")
@route("GET /api/v1/portfolios/{id}/subscribe")
def test_streams_have_their_own_sort(server, pair, operator):
    """Of an agent's name that both sorts had, and of a portfolio."""
    name, real = pair[False]
    intent = new_intent(real)
    made(real.post(at(intent, "agents"), json={"agent_id": name}), 200)
    portfolio = made(real.post(f"{PATH}/portfolios", json={"name": "x"}))
    made(real.post(f"{PATH}/portfolios/{portfolio['id']}/intents",
                   json={"intent_id": intent["id"]}))
    key = real.headers["X-API-Key"]
    kit.end_key(server, key, "revoked")
    tests = client_of(server, name, "--test")
    mine = new_intent(tests)
    refused(tests.get(f"{PATH}/portfolios/{portfolio['id']}/subscribe"), 404,
            "portfolio.unknown")
    path = f"{PATH}/agents/{name}/subscribe"
    stream, people = (Stream(server, path, client.headers["X-API-Key"])
                      for client in (tests, operator))
    made(operator.post(at(intent, "state"), json={"patches": [
        {"op": "set", "path": "/x", "value": 1}]},
        headers={"If-Match": str(get(operator, intent)["version"])}), 200)
    made(tests.post(at(mine, "agents"), json={"agent_id": name}), 200)

    def seen(one):
        return {f["data"]["intent_id"] for f in list(one.frames)}
    kit.wait_for(lambda: seen(people) == {intent["id"], mine["id"]})
    kit.wait_for(lambda: seen(stream))
    assert seen(stream) == {mine["id"]}
    for one in stream, people:
        one.close()


# --- Names -------------------------------------------------------------------

def create(server, name, *options):
    return server.sayso("key", "create", "--role", "agent", "--label", "x",
                        "--agent", name, *options)


@both
def test_a_name_is_of_one_sort(server, test):
    sorts = {False: [], True: ["--test"]}
    name = f"one-{new_id()[:8]}"
    first = create(server, name, *sorts[test])
    assert first.returncode == 0, first.stderr
    again = create(server, name, *sorts[test])
    assert again.returncode == 0, again.stderr
    other = create(server, name, *sorts[not test])
    assert other.returncode == 2 and name in other.stderr
    more = create(server, "fresh-name", "--agent", name, *sorts[not test])
    assert more.returncode == 2
    for key in first, again:
        kit.end_key(server, key.stdout.strip(), "revoked")
    assert create(server, name, *sorts[not test]).returncode == 0


def test_an_expired_key_has_no_name(server):
    name = f"brief-{new_id()[:8]}"
    key = create(server, name, "--test").stdout.strip()
    kit.end_key(server, key, "expired")
    assert create(server, name).returncode == 0


@both
def test_a_key_of_any_name_does_not_count_and_has_no_such_name(server, test):
    sorts = {False: [], True: ["--test"]}
    name = f"any-{new_id()[:8]}"
    with client_of(server, "*", *sorts[not test],
                   **{"X-Agent-ID": name}) as anybody:
        assert anybody.get(f"{PATH}/intents").status_code == 200
        key = create(server, name, *sorts[test])
        assert key.returncode == 0, key.stderr
        refused(anybody.get(f"{PATH}/intents"), 403, "agent.not_named")
        r = anybody.get(f"{PATH}/intents", headers={"X-Agent-ID": "x" + name})
        assert r.status_code == 200
        refused(anybody.get(f"{PATH}/agents/{name}/subscribe"), 403,
                "agent.not_named")
        kit.end_key(server, key.stdout.strip(), "revoked")
        assert anybody.get(f"{PATH}/intents").status_code == 200


def test_a_pair_that_is_there_is_named_and_refused(server):
    name = f"pair-{new_id()[:8]}"
    sha256 = 2 * new_id().replace("-", "")
    with client_of(server, name, "--test") as tests:
        assert tests.get(f"{PATH}/intents").status_code == 200
        assert "shares" not in server.sayso("doctor").stdout
        with server.database() as db:
            db.execute(
                "INSERT INTO api_key (id, key_sha256, prefix, role, label, "
                "agents, created_at, reach) VALUES (gen_random_uuid(), %s, "
                "'x', 'agent', 'x', %s, now(), 'own')", [sha256, ["y", name]])
        try:
            refused(tests.get(f"{PATH}/intents"), 401, "key.test")
            told = server.sayso("doctor").stdout
            assert "WRONG" in told and f"shares with real keys: {name}" in told
        finally:
            with server.database() as db:
                db.execute("UPDATE api_key SET revoked_at = now() "
                           "WHERE key_sha256 = %s", [sha256])
        assert tests.get(f"{PATH}/intents").status_code == 200
    assert "shares" not in server.sayso("doctor").stdout


@route("POST /settings/keys")
def test_the_page_refuses_a_test_keys_name(server, person):
    name = f"page-{new_id()[:8]}"
    assert create(server, name, "--test").returncode == 0
    r = send(person("admin").client, "/settings/keys", {
        "Label": "x", "Role": "agent", "Agents": f"fresh, {name}"})
    assert r.status_code == 422
    assert f"A test key has this name: {name}" in r.text


@both
@route("POST /api/v1/tool-calls/check")
def test_a_tasks_id_is_known_by_its_sort(server, test):
    """A name that went over has the other's tasks no more."""
    sorts = {False: [], True: ["--test"]}
    name = f"task-{new_id()[:8]}"
    body = {"task": {"task_id": "t1"}, "tool_calls": [
        {"id": "c", "tool": "x", "arguments": {}}],
        "responder": {"mode": "operators"}}
    key = create(server, name, *sorts[test]).stdout.strip()
    with server.client(headers={"X-API-Key": key}) as client:
        first = client.post(f"{PATH}/tool-calls/check", json=body)
        assert first.status_code in (200, 201, 202), first.text
    kit.end_key(server, key, "revoked")
    with client_of(server, name, *sorts[not test]) as client:
        r = client.post(f"{PATH}/tool-calls/check", json=body)
        assert r.status_code in (200, 201, 202), r.text
        assert r.json()["intent_id"] != first.json()["intent_id"]
