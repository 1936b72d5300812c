"""Subscriptions of RFC-0006: events go to a registered endpoint, and never to
a URL because it stands in a body."""
import datetime

import pytest

from kit import (ANY_ID, NAIVE, answer, ask, end_key, new_id, new_intent,
                 refused)
from test_endpoints import alone, bot, register  # noqa: F401

PATH = "/api/v1/subscriptions"


def subscribe(client, endpoint, **more):
    """As the SDK sends it."""
    r = client.post(PATH, json={
        "intent_id": None, "portfolio_id": None, "subscriber_id": "me",
        "event_types": [], "webhook_url": endpoint["url"],
        "expires_at": None, **more})
    assert r.status_code == 201, r.text
    return r.json()


def passed(zone, hours=5):
    """A time that is over, in this zone."""
    now = datetime.datetime.now(datetime.timezone.utc)
    then = now - datetime.timedelta(hours=hours)
    return then.strftime("%Y-%m-%dT%H:%M:%S") + zone


def sent(server, subscription):
    with server.database() as db:
        rows = db.execute("SELECT body::json FROM delivery WHERE "
                          "subscription_id = %s ORDER BY event_sequence",
                          [subscription["id"]]).fetchall()
    for body, in rows:
        assert body["subscription_id"] == subscription["id"]
    return [body["event"] for body, in rows]


@pytest.mark.route("POST /api/v1/subscriptions")
@pytest.mark.route("GET /api/v1/subscriptions")
@pytest.mark.route("DELETE /api/v1/subscriptions/{id}")
def test_a_subscription(bot):  # noqa: F811
    endpoint, intent = register(bot), new_intent(bot)
    one = subscribe(bot, endpoint, intent_id=intent["id"],
                    event_types=["comment"],
                    expires_at="2999-01-01T00:00:00")
    listed = bot.get(PATH, params={"intent_id": intent["id"]}).json()
    assert listed == {"subscriptions": [one], "next": None}
    assert NAIVE.fullmatch(one.pop("created_at"))
    gone = one.pop("id")
    assert one == {
        "intent_id": intent["id"], "portfolio_id": None,
        "subscriber_id": "me", "event_types": ["comment"],
        "webhook_url": endpoint["url"], "active": True,
        "expires_at": "2999-01-01T00:00:00.000000"}
    assert bot.get(PATH, params={"portfolio_id": ANY_ID}).json()[
        "subscriptions"] == []
    r = bot.delete(f"{PATH}/{gone}")
    assert r.status_code == 204 and r.content == b""
    refused(bot.delete(f"{PATH}/{gone}"), 404, "subscription.unknown")
    assert bot.get(PATH).json()["subscriptions"] == []


def test_events_as_get_shows_them(server, bot):  # noqa: F811
    endpoint, intent = register(bot), new_intent(bot)
    one = subscribe(bot, endpoint, intent_id=intent["id"])
    every = subscribe(bot, endpoint, event_types=["comment"])
    other = new_intent(bot)
    for at in (intent, other):
        for payload in ({"text": 'é "x" \\'}, {"n": 1.5}):
            r = bot.post(f"/api/v1/intents/{at['id']}/events",
                         json={"event_type": "comment", "payload": payload})
            assert r.status_code == 201
    log = bot.get(f"/api/v1/intents/{intent['id']}/events").json()
    assert sent(server, one) == log[1::-1]
    assert len(sent(server, every)) == 4


def test_P10_a_subscription_to_a_portfolio(server, bot):  # noqa: F811
    """The events of whoever is a member then, and of nobody after."""
    endpoint, one, other = register(bot), new_intent(bot), new_intent(bot)
    p = bot.post("/api/v1/portfolios", json={"name": "x"}).json()
    mine = subscribe(bot, endpoint, portfolio_id=p["id"])
    every = subscribe(bot, endpoint)
    assert mine["portfolio_id"] == p["id"] and mine["intent_id"] is None
    listed = bot.get(PATH, params={"portfolio_id": p["id"]}).json()
    assert listed["subscriptions"] == [mine]
    note(bot, one)
    members = f"/api/v1/portfolios/{p['id']}/intents"
    assert bot.post(members, json={"intent_id": one["id"]}
                    ).status_code == 201
    note(bot, one)
    note(bot, other)
    assert bot.delete(f"{members}/{one['id']}").status_code == 204
    note(bot, one)
    got = sent(server, mine)
    assert [e["event_type"] for e in got] == ["added_to_portfolio",
                                              "comment"]
    assert {e["intent_id"] for e in got} == {one["id"]}
    assert len(sent(server, every)) == 6
    refused(bot.post(PATH, json={"webhook_url": endpoint["url"],
                                 "portfolio_id": ANY_ID}), 404,
            "portfolio.unknown")


def test_a_whole_question(server, bot, operator):  # noqa: F811
    endpoint = register(bot, event_types=["event"])
    one = subscribe(bot, endpoint)
    asked = ask(bot)
    answer(operator, asked, "approve")
    kinds = [e["event_type"] for e in sent(server, one)]
    assert kinds == ["intent_created", "intent.suspended", "intent.resumed"]


def note(client, intent):
    r = client.post(f"/api/v1/intents/{intent['id']}/events",
                    json={"event_type": "comment", "payload": {}})
    assert r.status_code == 201, r.text


@pytest.mark.parametrize("how", ["revoked", "expired"])
def test_it_ends_with_the_key_that_made_it(server, bot, admin, how):  # noqa: F811
    """Another key of the same agent does not keep it alive."""
    intent, name = new_intent(bot), f"keyed-{how}"
    old, new = (server.key("agent", "--agent", name, "--reach", "all")
                for _ in range(2))
    with server.client(headers={"X-API-Key": old}) as client:
        endpoint = register(client)
        ended = [subscribe(client, endpoint, intent_id=intent["id"]),
                 subscribe(client, endpoint)]
    with server.client(headers={"X-API-Key": new}) as client:
        going = [subscribe(client, endpoint),
                 subscribe(bot, register(bot), intent_id=intent["id"]),
                 subscribe(admin, endpoint, intent_id=intent["id"])]
        note(bot, intent)
        assert [len(sent(server, s)) for s in ended + going] == [1] * 5
        end_key(server, old, how)
        note(bot, intent)
        assert [len(sent(server, s)) for s in ended + going] == \
            [1, 1, 2, 2, 2]
        listed = client.get(PATH).json()["subscriptions"]
        assert {s["id"]: s["active"] for s in listed} == {
            ended[0]["id"]: False, ended[1]["id"]: False,
            going[0]["id"]: True, going[2]["id"]: True}


BAD = [
    ({"webhook_url": "https://nobody.invalid/"}, "webhook_url",
     "subscription.webhook_url"),
    ({"webhook_url": None}, "webhook_url", "field.missing"),
    ({"webhook_url": 7}, "webhook_url", "field.type"),
    ({"webhook_url": "http://169.254.169.254/"}, "webhook_url",
     "subscription.webhook_url"),
    ({"intent_id": "x"}, "intent_id", "field.uuid"),
    ({"portfolio_id": "x"}, "portfolio_id", "field.uuid"),
    ({"intent_id": ANY_ID, "portfolio_id": ANY_ID}, "portfolio_id",
     "field.unused"),
    ({"event_types": ["comment", "nothing"]}, "event_types[1]", "event.type"),
    ({"event_types": "comment"}, "event_types", "field.type"),
    ({"expires_at": "soon"}, "expires_at", "field.time"),
    ({"expires_at": "2020-01-01T00:00:00"}, "expires_at", "field.range"),
    ({"expires_at": passed("Z")}, "expires_at", "field.range"),
    ({"expires_at": passed("+02:00")}, "expires_at", "field.range"),
    ({"subscriber_id": "x" * 201}, "subscriber_id", "field.too_long"),
]


@pytest.mark.parametrize("wrong, at, code", BAD)
def test_bad_input(bot, wrong, at, code):  # noqa: F811
    endpoint = register(bot)
    r = bot.post(PATH, json={"webhook_url": endpoint["url"], **wrong})
    refused(r, 422, code, at)
    assert bot.get(PATH).json()["subscriptions"] == []


def test_an_intent_that_there_is_not(bot):  # noqa: F811
    endpoint = register(bot)
    r = bot.post(PATH, json={"webhook_url": endpoint["url"],
                             "intent_id": ANY_ID})
    refused(r, 404, "intent.unknown", "intent_id")


def test_anothers_endpoint(bot, other_agent, admin):  # noqa: F811
    theirs, everyones = register(other_agent), register(admin)
    for endpoint in (theirs, everyones):
        r = bot.post(PATH, json={"webhook_url": endpoint["url"]})
        refused(r, 422, "subscription.webhook_url", "webhook_url")
    one = subscribe(other_agent, theirs)
    refused(bot.delete(f"{PATH}/{one['id']}"), 404, "subscription.unknown")
    assert bot.get(PATH).json()["subscriptions"] == []
    assert admin.get(PATH).json()["subscriptions"] == [one]
    mine = subscribe(admin, everyones)
    assert mine["webhook_url"] == everyones["url"]
    assert admin.delete(f"{PATH}/{one['id']}").status_code == 204


def test_a_revoked_key_removes_nothing(server):
    """Every worker remembers the key when it is revoked."""
    key = server.key("agent", "--agent", "revoked", label="to be revoked")
    with server.client(headers={"X-API-Key": key}) as client:
        one = subscribe(client, register(client))
        for _ in range(40):
            assert client.get(PATH).status_code == 200
        done = server.sayso("key", "revoke", key[:12])
        assert done.returncode == 0, done.stderr
        for _ in range(20):
            refused(client.delete(f"{PATH}/{one['id']}"), 401, "key.revoked")
    with server.database() as db:
        assert db.execute("SELECT count(*) FROM subscription WHERE id = %s",
                          [one["id"]]).fetchone() == (1,)


def test_an_endpoint_for_callbacks_gets_no_events(server, bot, admin):  # noqa: F811
    """Also one that became one after the subscription."""
    for more in {}, {"agent": "endpoint-bot"}:
        made = register(admin, url=f"https://x.invalid/{new_id()}/",
                        prefix=True, **more)
        for client in bot, admin:
            r = client.post(PATH, json={"webhook_url": made["url"]})
            refused(r, 422, "subscription.webhook_url", "webhook_url")
    intent = new_intent(bot)
    late = register(bot, url=f"https://x.invalid/{new_id()}/")
    one = subscribe(bot, late, intent_id=intent["id"])
    note(bot, intent)
    with server.database() as db:
        db.execute("UPDATE endpoint SET prefix = true WHERE id = %s",
                   [late["endpoint_id"]])
    note(bot, intent)
    assert len(sent(server, one)) == 1


def test_it_goes_with_its_endpoint(bot):  # noqa: F811
    endpoint = register(bot)
    subscribe(bot, endpoint)
    bot.delete(f"/api/v1/endpoints/{endpoint['endpoint_id']}")
    assert bot.get(PATH).json()["subscriptions"] == []
    r = bot.post(PATH, json={"webhook_url": endpoint["url"]})
    refused(r, 422, "subscription.webhook_url", "webhook_url")


def test_the_ceiling_of_a_key_and_pages(server):
    key = server.key("agent", "--agent", "many")
    with server.client(headers={"X-API-Key": key}) as client:
        endpoint, intent = register(client), new_intent(client)["id"]
        first = subscribe(client, endpoint, intent_id=intent)
        with server.database() as db:
            db.execute(
                "INSERT INTO subscription SELECT gen_random_uuid(), "
                "endpoint_id, intent_id, subscriber_id, event_types, "
                "created_at, %s, now() + interval '1 hour' FROM subscription,"
                " generate_series(1, 250) WHERE id = %s",
                [new_id(), first["id"]])
            db.execute(
                "INSERT INTO subscription SELECT gen_random_uuid(), "
                "endpoint_id, intent_id, subscriber_id, event_types, "
                "created_at, created_by, expires_at FROM subscription, "
                "generate_series(1, 98) WHERE id = %s", [first["id"]])
        subscribe(client, endpoint, intent_id=intent)
        r = client.post(PATH, json={"webhook_url": endpoint["url"],
                                    "intent_id": intent})
        refused(r, 429, "limit.subscriptions")
        seen, after = [], None
        for n in (200, 150):
            page = client.get(PATH, params={"after": after} if after else {})
            rows = [s["id"] for s in page.json()["subscriptions"]]
            assert len(rows) == n
            seen, after = seen + rows, page.json()["next"]
        assert after is None and len(set(seen)) == 350


def test_few_are_told_of_every_intent(server):
    """Each of them is written for in every transaction."""
    made = []
    for n in range(10):
        key = server.key("agent", "--agent", f"many-{n}")
        with server.client(headers={"X-API-Key": key}) as client:
            endpoint = register(client)
            body = {"webhook_url": endpoint["url"], "subscriber_id": "me"}
            made += [subscribe(client, endpoint) for _ in range(10)]
            r = client.post(PATH, json=body)
            refused(r, 429, "limit.subscriptions")
            subscribe(client, endpoint, intent_id=new_intent(client)["id"])
    key = server.key("agent", "--agent", "late")
    with server.client(headers={"X-API-Key": key}) as client:
        body = {"webhook_url": register(client)["url"], "subscriber_id": "me"}
        r = client.post(PATH, json=body)
        refused(r, 409, "subscription.too_many")
        with server.database() as db:
            db.execute("DELETE FROM subscription WHERE id = %s",
                       [made[0]["id"]])
        assert client.post(PATH, json=body).status_code == 201


def test_a_bad_query(bot):  # noqa: F811
    for bad in ("x", "", ANY_ID + "0"):
        for name in ("after", "intent_id", "portfolio_id"):
            refused(bot.get(PATH, params={name: bad}), 400,
                    "request.query", name)


def test_an_end_in_local_time_without_a_zone(bot):  # noqa: F811
    """The SDK's async client sends such: an hour is better than nothing."""
    endpoint = register(bot)
    one = subscribe(bot, endpoint, expires_at=passed(""))
    left = datetime.datetime.fromisoformat(one["expires_at"]) - \
        datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None)
    assert datetime.timedelta(minutes=50) < left <= datetime.timedelta(hours=1)
    r = bot.post(PATH, json={"webhook_url": endpoint["url"],
                             "expires_at": passed("", hours=15)})
    refused(r, 422, "field.range", "expires_at")
