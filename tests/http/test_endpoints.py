"""Endpoints of agents: registered, read, changed, rotated, removed; and the
deliveries to them when a question ends."""
import base64
import concurrent.futures
import contextlib
import json

import pytest

from kit import (ANY_ID, ZULU, answer, ask, asleep, end_key, new_id, refused,
                 wait_for, waiting)

PATH = "/api/v1/endpoints"


@pytest.fixture(autouse=True)
def alone(server):
    """No endpoint of another test gets messages of this one."""
    yield
    with server.database() as db:
        db.execute("DELETE FROM subscription")
        db.execute("UPDATE endpoint SET removed_at = now() "
                   "WHERE removed_at IS NULL")


@pytest.fixture(scope="module")
def bot(server):
    with server.client("agent", agent="endpoint-bot") as client:
        yield client


def url():
    """Nothing listens there: the name cannot be resolved."""
    return f"https://{new_id()}.invalid/hook"


def register(client, status=201, **more):
    r = client.post(PATH, json={"name": "Platform", "url": url(), **more})
    assert r.status_code == status, r.text
    return r.json()


def deliveries(server, endpoint):
    """The deliveries written for an endpoint; sending them fails."""
    with server.database() as db:
        return db.execute(
            "SELECT type, body::json, event_sequence, suspension_id FROM "
            "delivery WHERE endpoint_id = %s ORDER BY created_at, "
            "event_sequence", [endpoint["endpoint_id"]]).fetchall()


# --- Registering ----------------------------------------------------------

@pytest.mark.route("POST /api/v1/endpoints")
@pytest.mark.route("GET /api/v1/endpoints/{id}")
def test_an_endpoint(server, bot):
    address = url()
    made = bot.post(PATH, json={"name": "Platform", "url": address,
                                "event_types": ["intent_vetoed", "event"]})
    assert made.status_code == 201
    body = made.json()
    assert made.headers["location"] == \
        f"{server.url}{PATH}/{body['endpoint_id']}"
    secret = body.pop("secret")
    assert secret.startswith("whsec_")
    assert len(base64.b64decode(secret[6:], validate=True)) == 32
    assert ZULU.fullmatch(body.pop("created_at"))
    one = body.pop("endpoint_id")
    assert body == {
        "name": "Platform", "url": address, "agent": "endpoint-bot",
        "event_types": ["intent_vetoed", "event"], "internal": False,
        "prefix": False, "paused": False, "paused_at": None, "gone_at": None,
        "waiting": 0, "created_by": "endpoint-bot"}
    read = bot.get(f"{PATH}/{one}").json()
    assert "secret" not in read and read["url"] == address


@pytest.mark.route("GET /api/v1/endpoints")
def test_each_sees_its_own(bot, other_agent, admin):
    mine, theirs = register(bot), register(other_agent)
    everyones = register(admin)
    of_bot = register(admin, agent="endpoint-bot")
    assert everyones["agent"] is None

    def ids(client):
        found = client.get(PATH)
        assert "secret" not in found.text
        return [e["endpoint_id"] for e in found.json()["endpoints"]]

    assert ids(bot) == [mine["endpoint_id"], of_bot["endpoint_id"]]
    assert ids(other_agent) == [theirs["endpoint_id"]]
    assert {mine["endpoint_id"], theirs["endpoint_id"],
            everyones["endpoint_id"]} <= set(ids(admin))


def test_who_renames_undoes_no_pause(server, bot):
    """It was read before the pause, and is written after it."""
    made = register(bot)
    at = f"{PATH}/{made['endpoint_id']}"
    with concurrent.futures.ThreadPoolExecutor(1) as pool, \
            server.database() as db:
        with db.transaction():
            db.execute("UPDATE endpoint SET paused_at = now(), gone_at = now()"
                       " WHERE id = %s", [made["endpoint_id"]])
            renamed = pool.submit(bot.patch, at, json={"name": "Another"})
            wait_for(lambda: waiting(server))
        assert renamed.result(30).status_code == 200
    now = bot.get(at).json()
    assert now["name"] == "Another" and now["paused"] and now["gone_at"]


@pytest.mark.route("PATCH /api/v1/endpoints/{id}")
@pytest.mark.route("DELETE /api/v1/endpoints/{id}")
@pytest.mark.route("POST /api/v1/endpoints/{id}/rotate")
def test_anothers_is_not_there(bot, other_agent, admin):
    for one in (register(other_agent), register(admin)):
        at = f"{PATH}/{one['endpoint_id']}"
        for r in (bot.get(at), bot.patch(at, json={"name": "x"}),
                  bot.post(at + "/rotate"), bot.delete(at)):
            refused(r, 404, "endpoint.unknown")
        assert admin.get(at).json()["name"] == "Platform"


@pytest.mark.route("PATCH /api/v1/endpoints/{id}")
@pytest.mark.route("DELETE /api/v1/endpoints/{id}")
@pytest.mark.route("POST /api/v1/endpoints/{id}/rotate")
@pytest.mark.route("POST /api/v1/endpoints/{id}/test")
def test_what_an_admin_made_for_an_agent_is_the_admins(server, bot, admin):
    """The agent reads it."""
    one = register(admin, agent="endpoint-bot")
    at = f"{PATH}/{one['endpoint_id']}"
    before = bot.get(at).json()
    for r in (bot.patch(at, json={"paused": True}), bot.post(at + "/rotate"),
              bot.post(at + "/test"), bot.delete(at)):
        refused(r, 403, "endpoint.admin_only")
        assert "secret" not in r.json()
    assert bot.get(at).json() == before and not deliveries(server, one)
    for r in (admin.patch(at, json={"paused": True}),
              admin.post(at + "/rotate"), admin.post(at + "/test"),
              admin.delete(at)):
        assert r.is_success, r.text


def test_a_channel_is_no_endpoint(server, admin):
    one = new_id()
    with server.database() as db:
        db.execute("INSERT INTO endpoint (id, kind, name, address, created_at,"
                   " created_by) VALUES (%s, 'mail', %s, 'a@example.org', "
                   "now(), 'x')", [one, one])
    refused(admin.get(f"{PATH}/{one}"), 404, "endpoint.unknown")
    refused(admin.delete(f"{PATH}/{one}"), 404, "endpoint.unknown")
    assert one not in admin.get(PATH).text


BAD = [
    ({"name": None}, "name", "field.missing"),
    ({"name": ""}, "name", "endpoint.name"),
    ({"name": "a\nb"}, "name", "endpoint.name"),
    ({"name": "x" * 121}, "name", "field.too_long"),
    ({"url": None}, "url", "field.missing"),
    ({"url": 7}, "url", "field.type"),
    ({"url": ""}, "url", "endpoint.url"),
    ({"url": "http://example.org/x"}, "url", "endpoint.url"),
    ({"url": "https://user:pw@example.org/"}, "url", "endpoint.url"),
    ({"url": "https://example.org/#x"}, "url", "endpoint.url"),
    ({"url": "https://example.org:0/"}, "url", "endpoint.url"),
    ({"url": "https://2130706433/"}, "url", "endpoint.url"),
    ({"url": "https://" + "x" * 2000}, "url", "field.too_long"),
    ({"url": "https://127.0.0.1/x"}, "url", "endpoint.private"),
    ({"url": "https://10.1.2.3:8443/x"}, "url", "endpoint.private"),
    ({"url": "https://169.254.169.254/x"}, "url", "endpoint.private"),
    ({"url": "https://[::1]/x"}, "url", "endpoint.private"),
    ({"url": "https://[::ffff:127.0.0.1]/x"}, "url", "endpoint.private"),
    ({"url": "https://[fd00::1]/x"}, "url", "endpoint.private"),
    ({"event_types": "all"}, "event_types", "field.type"),
    ({"event_types": ["event", "nothing"]}, "event_types[1]", "event.type"),
    ({"event_types": [7]}, "event_types[0]", "event.type"),
    ({"event_types": ["event"] * 201}, "event_types", "field.too_many"),
    ({"secret": "whsec_x"}, "secret", "field.unknown"),
    ({"agent": "a b"}, "agent", "agent.name"),
    ({"internal": "yes"}, "internal", "field.type"),
]


@pytest.mark.parametrize("wrong, at, code", BAD)
def test_bad_input(bot, admin, wrong, at, code):
    body = {"name": "Platform", "url": url(), **wrong}
    for client in (bot, admin):
        refused(client.post(PATH, json=body), 422, code, at)


@pytest.mark.parametrize("wrong, at, code", [
    ({"name": ""}, "name", "endpoint.name"),
    ({"event_types": ["nothing"]}, "event_types[0]", "event.type"),
    ({"paused": 1}, "paused", "field.type"),
    ({"url": "https://example.org"}, "url", "field.unknown")])
def test_bad_changes(bot, wrong, at, code):
    one = register(bot)
    before = bot.get(f"{PATH}/{one['endpoint_id']}").json()
    r = bot.patch(f"{PATH}/{one['endpoint_id']}", json={"name": "y", **wrong})
    refused(r, 422, code, at)
    assert bot.get(f"{PATH}/{one['endpoint_id']}").json() == before


def test_what_only_an_admin_registers(bot, admin):
    for more, at in (({"agent": "other-agent"}, "agent"),
                     ({"internal": True}, "internal")):
        r = bot.post(PATH, json={"name": "x", "url": url(), **more})
        refused(r, 403, "endpoint.admin_only", at)
    assert register(bot, agent="endpoint-bot")["agent"] == "endpoint-bot"
    inside = register(admin, url="https://127.0.0.1:9/x", internal=True)
    assert inside["internal"] is True


def test_the_same_address_twice(bot, other_agent):
    one = register(bot)
    refused(bot.post(PATH, json={"name": "y", "url": one["url"]}), 409,
            "endpoint.taken")
    register(other_agent, url=one["url"])
    bot.delete(f"{PATH}/{one['endpoint_id']}")
    register(bot, url=one["url"])


def test_the_ceiling(server, bot):
    with server.database() as db:
        db.execute("INSERT INTO endpoint (id, kind, name, address, agent, "
                   "secret, created_at, created_by) SELECT gen_random_uuid(), "
                   "'agent', 'x', 'https://x.invalid/' || n, 'crowd', 'x', "
                   "now(), 'x' FROM generate_series(1, 500) n")
    r = bot.post(PATH, json={"name": "x", "url": url()})
    refused(r, 409, "endpoint.too_many")


def test_no_agent_takes_them_all(bot, other_agent):
    made = [register(bot) for _ in range(20)]
    r = bot.post(PATH, json={"name": "x", "url": url()})
    refused(r, 429, "limit.endpoints")
    register(other_agent)
    bot.delete(f"{PATH}/{made[0]['endpoint_id']}")
    register(bot)


# --- Changing -------------------------------------------------------------

def test_changes(bot):
    one = register(bot)
    at = f"{PATH}/{one['endpoint_id']}"
    changed = bot.patch(at, json={"name": "New", "paused": True}).json()
    assert changed["name"] == "New" and changed["paused"] is True
    assert ZULU.fullmatch(changed["paused_at"])
    again = bot.patch(at, json={"paused": True}).json()
    assert again["paused_at"] == changed["paused_at"]
    changed = bot.patch(at, json={"event_types": ["intent_resumed"]}).json()
    assert changed["event_types"] == ["intent_resumed"] and changed["paused"]
    assert bot.patch(at, json={}).json() == changed
    changed = bot.patch(at, json={"paused": False}).json()
    assert changed["paused"] is False and changed["paused_at"] is None
    assert bot.get(at).json() == {**changed, "last_delivery": None}


def test_going_on_forgives_that_it_was_gone(server, bot):
    one = register(bot)
    with server.database() as db:
        db.execute("UPDATE endpoint SET gone_at = now() WHERE id = %s",
                   [one["endpoint_id"]])
    at = f"{PATH}/{one['endpoint_id']}"
    assert bot.get(at).json()["gone_at"]
    assert bot.patch(at, json={"paused": False}).json()["gone_at"] is None


def test_a_new_secret(server, bot):
    one = register(bot)
    at = f"{PATH}/{one['endpoint_id']}/rotate"
    turned = bot.post(at).json()
    assert turned["secret"].startswith("whsec_")
    assert turned["secret"] != one["secret"]
    with server.database() as db:
        row = db.execute(
            "SELECT secret, previous_secret, previous_secret_until - now() "
            "BETWEEN '23:59' AND '24:00' FROM endpoint WHERE id = %s",
            [one["endpoint_id"]]).fetchone()
    assert row == (turned["secret"], one["secret"], True)
    assert ZULU.fullmatch(turned["previous_until"])
    refused(bot.post(at, json={"secret": "whsec_mine"}), 422, "field.unknown",
            "secret")


def test_removed(server, bot, operator):
    one = register(bot, event_types=["intent_resumed"])
    at = f"{PATH}/{one['endpoint_id']}"
    bot.patch(at, json={"paused": True})
    answer(operator, ask(bot), "approve")
    assert bot.get(at).json()["waiting"] == 1
    gone = bot.delete(at)
    assert gone.status_code == 204 and gone.content == b""
    refused(bot.get(at), 404, "endpoint.unknown")
    refused(bot.delete(at), 404, "endpoint.unknown")
    with server.database() as db:
        state = db.execute("SELECT state FROM delivery WHERE endpoint_id = %s",
                           [one["endpoint_id"]]).fetchall()
    assert state == [("failed",)]


# --- What is told ---------------------------------------------------------

def test_an_answer_is_told(server, bot, other_agent, admin, operator):
    mine, everyones = register(bot), register(admin)
    theirs = register(other_agent)
    choices = [{"value": "go", "label": "Go", "effect": "authorize"},
               {"value": "no", "label": "No", "effect": "veto"}]
    asked = ask(bot, choices=choices, intent={"session_id": "s-7"})
    assert deliveries(server, mine) == []
    done = answer(operator, asked, "no", reason="Too dear.").json()
    for endpoint in (mine, everyones):
        (kind, body, sequence, suspension), = deliveries(server, endpoint)
        assert kind == body["type"] == "intent_vetoed"
        assert suspension == asked["suspension_id"]
        data = body["data"]
        assert body["timestamp"] == done["responded_at"]
        assert sequence == data["event_sequence"] > 1
        assert data["request_id"] == data["suspension_id"] == suspension
        assert data["session_id"] == "s-7" and data["task_id"] is None
        assert data["reason"] == "Too dear." and data["value"] == "no"
        assert data["outcome"] == "vetoed" and data["stale"] is False
        assert data["intent_id"] == asked["intent_id"]
        assert data["intent_status"] == "active"
    assert deliveries(server, theirs) == []
    # A refused answer makes no delivery.
    assert answer(operator, asked, "go").status_code == 409
    assert len(deliveries(server, mine)) == 1


def test_a_refused_answer_is_not_told(server, bot, operator):
    mine = register(bot)
    asked = ask(bot)
    assert answer(operator, asked, "maybe").status_code == 422
    r = operator.post(f"/api/v1/suspensions/{asked['suspension_id']}/respond",
                      json={"value": "approve", "subject_sha256": "0" * 64})
    refused(r, 409, "suspension.changed")
    assert deliveries(server, mine) == []


def test_the_other_ends_are_told(server, bot, operator):
    mine = register(bot)
    asked = ask(bot)
    r = bot.post(f"/api/v1/suspensions/{asked['suspension_id']}/cancel")
    assert r.status_code == 200
    short = ask(bot, timeout_seconds=1)
    with server.database() as db:
        wait_for(lambda: db.execute(
            "SELECT 1 FROM decision WHERE suspension_id = %s AND state = "
            "'expired'",
            [short["suspension_id"]]).fetchone())
    kinds = [d[0] for d in deliveries(server, mine)]
    assert sorted(kinds) == ["intent_suspension_cancelled",
                             "intent_suspension_expired"]


def test_the_openintent_door_tells_too(server, bot, operator):
    from kit import suspend
    mine = register(bot)
    intent, suspension = suspend(bot)
    r = operator.post(f"/api/v1/intents/{intent['id']}/suspend/respond",
                      json={"suspension_id": suspension, "value": "approve"})
    assert r.status_code == 200
    (kind, body, *_), = deliveries(server, mine)
    assert kind == "intent_resumed"
    assert body["data"]["value"] == "approve"


def test_the_same_answer_again_is_told_once(server, bot, operator):
    mine, key = register(bot), new_id()
    asked = ask(bot)
    for _ in range(3):
        r = operator.post(
            f"/api/v1/suspensions/{asked['suspension_id']}/respond",
            json={"value": "approve"}, headers={"Idempotency-Key": key})
        assert r.status_code == 200
    assert len(deliveries(server, mine)) == 1


@contextlib.contextmanager
def no_key_for_any_agent(server):
    """The keys that may speak for every agent stand still."""
    wide = "UPDATE api_key SET expires_at = %s WHERE '*' = ANY (agents)"
    with server.database() as db:
        db.execute(wide, ["2020-01-01"])
        try:
            yield
        finally:
            db.execute(wide, [None])


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_an_agent_without_a_key_is_told_nothing(server, bot, admin, operator,
                                                how):
    name = f"keyless-{how}"
    first, last = (server.key("agent", "--agent", name) for _ in range(2))
    theirs = server.key("agent", "--agent", "keyed", "--agent", "more")
    with server.client(headers={"X-API-Key": first}) as client, \
            server.client(headers={"X-API-Key": theirs}) as other:
        mine, others = register(client), register(other)
        given = register(admin, agent=name)
        asked = [ask(client) for _ in range(4)]
        asked_too = [ask(other) for _ in range(4)]

    def told_after(step):
        for one in (asked[step], asked_too[step]):
            assert answer(operator, one).status_code == 200
        return [len(deliveries(server, e)) for e in (mine, given, others)]

    end_key(server, first, how)
    with no_key_for_any_agent(server):
        assert told_after(0) == [1, 1, 1]
        end_key(server, last, how)
        # An endpoint that an admin registered for the agent still counts.
        assert told_after(1) == [1, 2, 2]
        assert told_after(2) == [1, 3, 3]
    # A key for any agent is one for this agent.
    assert told_after(3) == [2, 4, 4]


# --- Channels -------------------------------------------------------------

def told(server, endpoint):
    """The news of a channel, without those of intents that earlier tests left:
    the clock goes on with their reminders and leases."""
    with server.database() as db:
        return db.execute(
            "SELECT d.type, d.recipient, d.body::json, d.event_sequence "
            "FROM delivery d JOIN endpoint e ON e.id = d.endpoint_id "
            "WHERE e.id = %s AND NOT EXISTS (SELECT FROM intent i WHERE "
            "i.id = d.intent_id AND i.created_at < e.created_at)",
            [endpoint["endpoint_id"]]).fetchall()


LADDER = {"max_attempts": 2, "interval_seconds": 3600}


def test_a_question_tells_its_channel(server, bot, channel):
    ops = channel("slack", "ops", detail="summary")
    other = channel("slack", "other")
    asked = ask(bot, channel_hint="ops", title="Refund")
    (kind, recipient, body, sequence), = told(server, ops)
    assert (kind, recipient) == ("suspension.asked", None)
    data = body["data"]
    assert data["title"] == "Refund" and data["attempt"] == 1
    assert data["suspension_id"] == asked["suspension_id"]
    assert data["url"] == asked["url"] and "on_expiry" in data
    assert "context" not in data and sequence == 2
    assert told(server, other) == []


def test_every_question(server, bot, channel):
    every = channel("slack", "every", every=True)
    paused = channel("slack", "paused", every=True, paused=True)
    named = channel("slack", "named")
    ask(bot)
    assert len(told(server, every)) == 1
    ask(bot, channel_hint="named")
    assert len(told(server, every)) == len(told(server, named)) == 1
    assert told(server, paused) == []


def test_the_first_step_of_a_ladder(server, bot, channel):
    mail = channel("mail", "mail", "ops@example.org",
                   ["@example.org"], detail="all")
    slack = channel("slack", "slack")
    ask(bot, channel_hint="slack", context={"a": 1}, retry_policy={
        **LADDER, "escalation_ladder": [
            {"attempt": 1, "channel_hint": "mail",
             "notify_to": "eva@example.org"}]})
    (_, recipient, body, _), = told(server, mail)
    assert recipient == body["data"]["notify_to"] == "eva@example.org"
    assert body["data"]["max_attempts"] == 2
    assert body["data"]["context"] == {"a": 1}
    assert told(server, slack) == []


@pytest.mark.parametrize("more, at, code", [
    ({"channel_hint": "pager"}, "channel_hint", "channel.unknown"),
    ({"retry_policy": {**LADDER, "escalation_ladder": [
        {"attempt": 2, "channel_hint": "pager"}]}},
     "retry_policy.escalation_ladder[0].channel_hint", "channel.unknown"),
    ({"retry_policy": {**LADDER, "escalation_ladder": [
        {"attempt": 2, "channel_hint": "mail",
         "notify_to": "eve@evil.example"}]}},
     "retry_policy.escalation_ladder[0].notify_to", "channel.not_allowed"),
    ({"retry_policy": {**LADDER, "escalation_ladder": [
        {"attempt": 2, "notify_to": "eve@evil.example,eva@example.org"}]}},
     "retry_policy.escalation_ladder[0].notify_to", "channel.not_allowed")])
def test_a_channel_that_there_is_not(server, bot, channel, more, at, code):
    mail = channel("mail", "mail", "ops@example.org", ["@example.org"],
                   every=True)
    with server.database() as db:
        count = "SELECT count(*), (SELECT count(*) FROM event) FROM intent"
        before = db.execute(count).fetchone()
        r = bot.post("/api/v1/suspensions", json={"question": "x?", **more})
        refused(r, 422, code, at)
        assert db.execute(count).fetchone() == before
    assert told(server, mail) == []


def ladder(*steps, **more):
    return {**LADDER, "strategy": "fixed", "final_fallback_policy": "fail",
            "escalation_ladder": [
                {"attempt": n, "channel_hint": hint, "notify_to": who}
                for n, hint, who in steps], **more}


def not_there(server, asked):
    """The log lines about a question whose channel is missing."""
    return [x for x in server.log().splitlines()
            if asked["suspension_id"] in x and "notified instead" in x]


def test_a_paused_channel_may_be_named(server, bot, channel):
    """Its name is known; the recipients are chosen when a notice is written."""
    away = channel("slack", "away", notify_to=["mara"], paused=True)
    every = channel("slack", "every", every=True)
    asked = [ask(bot, channel_hint="away"),
             ask(bot, retry_policy=ladder((1, "away", "mara"))),
             ask(bot, retry_policy=ladder((1, "", "mara"))),
             ask(bot, retry_policy=ladder((1, "", "away")))]
    assert told(server, away) == []
    assert len(told(server, every)) == 4
    for one in asked:
        line, = not_there(server, one)
        assert " notice " in line and "mara" not in line
    assert '"away"' in not_there(server, asked[0])[0]


@pytest.mark.parametrize("name, who", [("away", ""), ("never-there", ""),
                                       ("away", "nobody"), ("", "nobody")])
def test_what_a_policy_was_inherited_with_is_no_fault_of_the_question(
        server, operator, channel, name, who):
    away = channel("slack", "away", paused=True)
    with server.database() as db:
        db.execute("UPDATE endpoint SET gone_at = paused_at, paused_at = NULL "
                   "WHERE id = %s AND %s = ''", [away["endpoint_id"], who])
    every = channel("slack", "every", every=True)
    desk = channel("slack", "desk")
    policy = ladder((1, name, who), (2, name, who))
    key = server.key("agent", "--agent", "heir", "--retry-policy",
                     json.dumps(policy))
    with server.client(headers={"X-API-Key": key}) as client:
        asked = ask(client)
        assert len(not_there(server, asked)) == 1
        (kind, recipient, body, _), = told(server, every)
        assert (kind, recipient) == ("suspension.asked", None)
        assert body["data"]["suspension_id"] == asked["suspension_id"]
        # The question's own members are checked as always.
        ask(client, channel_hint="desk", retry_policy=ladder((1, "desk", "")))
        assert len(told(server, desk)) == 1
        r = client.post("/api/v1/suspensions", json={
            "question": "x?", "channel_hint": "pager"})
        refused(r, 422, "channel.unknown", "channel_hint")
        r = client.post("/api/v1/suspensions", json={
            "question": "x?", "retry_policy": ladder((2, "", "nobody"))})
        refused(r, 422, "channel.not_allowed",
                "retry_policy.escalation_ladder[0].notify_to")


def test_an_escalation_to_who_is_not_there_any_more(server, bot, channel):
    every = channel("slack", "every", every=True)
    desk = channel("slack", "desk", notify_to=["mara"])
    with asleep(server, "tick"), server.database() as db:
        asked = ask(bot, channel_hint="desk", retry_policy=ladder(
            (2, "desk", "mara"), interval_seconds=1, max_attempts=60))
        db.execute("UPDATE endpoint SET paused_at = now() WHERE id = %s",
                   [desk["endpoint_id"]])
    kind, recipient, body, _ = wait_for(lambda: told(server, every))[0]
    assert (kind, recipient) == ("suspension.escalated", None)
    assert body["data"]["suspension_id"] == asked["suspension_id"]
    assert not_there(server, asked)
    assert [d[0] for d in told(server, desk)] == ["suspension.asked"]


def test_openintents_hints_are_only_that(server, bot, channel):
    from kit import suspend
    every = channel("slack", "every", every=True)
    _, suspension = suspend(bot, channel_hint="pager")
    (_, _, body, _), = told(server, every)
    assert body["data"]["suspension_id"] == suspension


def test_openintent_checks_whom_to_notify_where_there_are_channels(
        bot, channel):
    from kit import new_intent, patch, put, record, suspend
    policy = {**LADDER, "strategy": "fixed", "final_fallback_policy": "fail",
              "escalation_ladder": [{"attempt": 2, "channel_hint": "",
                                     "notify_to": "eve@evil.example"}]}
    suspend(bot, retry_policy=policy)
    channel("mail", "mail", "ops@example.org", ["@example.org"])
    intent = new_intent(bot, "suspended_awaiting_input")
    r = patch(bot, intent, put("_suspension", record(retry_policy=policy)))
    refused(r, 422, "channel.not_allowed")
    assert "escalation_ladder[0].notify_to" in json.dumps(r.json())


def test_an_unknown_id(bot):
    for bad in (ANY_ID, "x", "null"):
        refused(bot.get(f"{PATH}/{bad}"), 404, "endpoint.unknown")
