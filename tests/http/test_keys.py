"""Access: keys, the agents they act as, and roles, row by row."""
import pytest

from kit import (ANY_ID, KEYED, ROLES, ROUTES, ask, at, by_name, fill, made,
                 new_id, new_intent, refused)

BODY = {"title": "x", "question": "x?", "scope": "x", "agent_id": "x",
        "event_type": "comment", "status": "active", "suspension_id": "x",
        "dependency_id": ANY_ID}


def call(client, row, **kwargs):
    headers = {"If-Match": "1", **kwargs.pop("headers", {})}
    if row.method in ("POST", "PATCH", "PUT"):
        kwargs.setdefault("json", {})
    return client.request(row.method, fill(row.pattern), headers=headers,
                          **kwargs)


# --- Row by row -----------------------------------------------------------

@pytest.mark.parametrize("row", **by_name(KEYED))
def test_without_a_key(nobody, row):
    r = call(nobody, row)
    refused(r, 401, "key.missing")
    assert r.headers["www-authenticate"]


@pytest.mark.parametrize("key", [
    "sayso_" + "A" * 43, "x", "0", "sayso_", "x" * 257, "' OR 1=1 --", "é"])
def test_a_key_that_there_is_not(nobody, key):
    for row in KEYED:
        r = call(nobody, row, headers={"X-API-Key": key.encode()})
        refused(r, 401, "key.unknown")


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("row", **by_name(KEYED))
def test_the_role(by_role, row, role):
    if "subscribe" in row.pattern and role in row.roles:  # would be held
        row = row._replace(method="HEAD")
    r = call(by_role[role], row)
    if role in row.roles and row.pattern == "/mcp":
        assert r.status_code == 400 and "jsonrpc" in r.json()
    elif role in row.roles and row.pattern.startswith("/api/v1/test/"):
        refused(r, 403, "key.no_test")
    elif role in row.roles and row.pattern == "/api/v1/artifacts":
        assert r.status_code == 201, r.text
    elif role in row.roles and row.pattern == "/api/v1/admin/checkpoints":
        assert r.status_code in (201, 409), r.text  # of the server
    elif role in row.roles:
        assert r.status_code in (200, 404, 422), r.text
    else:
        refused(r, 403, "role.forbidden")


def test_a_key_opens_no_page(operator, agent):
    """Pages are for people who signed in."""
    for row in ROUTES:
        if row.proof == "COOKIE":
            for client in (operator, agent):
                r = client.request(row.method, fill(row.pattern))
                if row.style != "HTML":
                    refused(r, 401, "session.missing")
                    continue
                assert r.status_code == 303, row.name
                assert r.headers["location"].startswith("/login")


# --- A key's life ---------------------------------------------------------

def client_of(server, key, **headers):
    return server.client(headers={"X-API-Key": key, **headers})


def test_a_revoked_key(server):
    key = server.key("operator", label="to be revoked")
    with client_of(server, key) as client:
        assert client.get("/api/v1/intents").status_code == 200
        done = server.sayso("key", "revoke", key[:12])
        assert done.returncode == 0, done.stderr
        refused(client.get("/api/v1/intents"), 401, "key.revoked")
    assert server.sayso("key", "revoke", key[:12]).returncode == 1


def test_a_revoked_key_reads_no_intent(server):
    """The statement that reads an intent looks at the key as well, whether
    the intent is there or not."""
    key = server.key("agent", "--agent", "reader", label="reads one")
    with client_of(server, key) as client:
        intent = new_intent(client)
        for _ in range(3): # the worker knows the key
            assert client.get(f"/api/v1/intents/{intent['id']}"
                              ).status_code == 200
        assert client.get(f"/api/v1/intents/{new_id()}").status_code == 404
        with server.database() as db: # every row lies elsewhere
            db.execute("VACUUM FULL api_key")
        assert client.get(f"/api/v1/intents/{intent['id']}"
                          ).status_code == 200
        done = server.sayso("key", "revoke", key[:12])
        assert done.returncode == 0, done.stderr
        for id in (intent["id"], new_id()):
            refused(client.get(f"/api/v1/intents/{id}"), 401, "key.revoked")


def test_an_expired_key(server):
    key = server.key("auditor", "--expires-days", "1", label="short")
    with client_of(server, key) as client:
        assert client.get("/api/v1/intents").status_code == 200
        with server.database() as db:
            n = db.execute("UPDATE api_key SET expires_at = now() - "
                           "interval '1 second' WHERE prefix = %s",
                           [key[:12]]).rowcount
            assert n == 1
        refused(client.get("/api/v1/intents"), 401, "key.expired")


def test_a_key_is_stored_as_its_digest_and_listed_without_it(server):
    import hashlib
    label = f"digest {new_id()}"
    key = server.key("admin", label=label)
    with server.database() as db:
        rows = db.execute("SELECT key_sha256, to_json(api_key)::text FROM "
                          "api_key WHERE label = %s", [label]).fetchall()
    assert [r[0] for r in rows] == [hashlib.sha256(key.encode()).hexdigest()]
    assert key not in rows[0][1]
    listed = server.sayso("key", "list").stdout
    assert key not in listed and key[:12] in listed
    assert len(key) == 6 + 43


def test_the_last_use_is_noted(server):
    label = f"used {new_id()}"
    key = server.key("auditor", label=label)
    with server.database() as db, client_of(server, key) as client:
        def last():
            return db.execute("SELECT last_used_at FROM api_key WHERE label "
                              "= %s", [label]).fetchone()[0]

        assert last() is None
        client.get("/api/v1/intents")
        assert last() is not None


@pytest.mark.parametrize("args", [
    ["--role", "clock"], ["--role", "none"], ["--role", "agent"],
    ["--role", "operator", "--agent", "a"],
    ["--role", "agent", "--agent", "a b"], ["--role", "agent", "--agent", ""],
    ["--role", "agent", "--agent", "clock"],
    ["--role", "admin", "--expires-days", "0"],
    ["--role", "admin", "--expires-days", "x"],
    ["--role", "admin", "--bogus", "x"], ["--role"]])
def test_a_key_that_cannot_be_made(server, args):
    done = server.sayso("key", "create", "--label", "x", *args)
    assert done.returncode == 2, done.stdout
    assert done.stdout == "" and done.stderr.startswith("sayso: ")


def test_the_key_as_a_bearer_token(server, nobody):
    key = server.env["SAYSO_AGENT_KEY"]
    for header in (f"Bearer {key}", f"bearer  {key}"):
        r = nobody.get("/api/v1/intents", headers={"Authorization": header})
        assert r.status_code == 200, header
    for header in (key, f"Basic {key}", "Bearer", f"Bearer x{key}",
                   f"Bearer {key} {key}"):
        r = nobody.get("/api/v1/intents", headers={"Authorization": header})
        refused(r, 401)


def test_a_key_is_read_from_nowhere_else(server, nobody):
    key = server.env["SAYSO_OPERATOR_KEY"]
    for query in ("api_key", "key", "X-API-Key", "token"):
        r = nobody.get("/api/v1/intents", params={query: key})
        refused(r, 401, "key.missing")
    r = nobody.get("/api/v1/intents", headers={"Cookie": f"sayso={key}"})
    refused(r, 401, "key.missing")


def test_two_keys_are_no_key(server, nobody):
    good, bad = server.env["SAYSO_OPERATOR_KEY"], "sayso_" + "A" * 43
    r = nobody.get("/api/v1/intents", headers=[("X-API-Key", bad),
                                               ("X-API-Key", good)])
    refused(r, 401)


# --- Whom a key speaks for ------------------------------------------------

def test_a_key_of_two_agents(server):
    key = server.key("agent", "--agent", "first", "--agent", "second")

    def created_by(**headers):
        with client_of(server, key, **headers) as client:
            return new_intent(client, "draft")["created_by"]

    assert created_by() == "first"
    assert created_by(**{"X-Agent-ID": "first"}) == "first"
    assert created_by(**{"X-Agent-ID": "second"}) == "second"
    for name in ("third", "", "First", "first second", "*", "first,second",
                 "clock", "x" * 200):
        with client_of(server, key, **{"X-Agent-ID": name}) as client:
            r = client.post("/api/v1/intents", json={"title": "x"})
            refused(r, 403, "agent.not_named")


def test_two_names_under_one_key_are_two_agents(server):
    key = server.key("agent", "--agent", "first", "--agent", "second",
                     "--reach", "all")
    with client_of(server, key, **{"X-Agent-ID": "first"}) as one, \
            client_of(server, key, **{"X-Agent-ID": "second"}) as two:
        asked = ask(one)
        at = f"/api/v1/suspensions/{asked['suspension_id']}"
        refused(two.get(at), 404)
        refused(two.post(at + "/cancel", json={}), 404)
        intent = new_intent(one)
        leases = f"/api/v1/intents/{intent['id']}/leases"
        lease = one.post(leases, json={"scope": "x"}).json()
        refused(two.delete(f"{leases}/{lease['id']}"), 403,
                "lease.not_holder")
        refused(two.post(leases, json={"scope": "x"}), 409, "lease.held")


def test_a_key_of_any_agent(server):
    key = server.key("agent", "--agent", "*", label="robots")
    with client_of(server, key) as client:
        assert new_intent(client, "draft")["created_by"] == "robots"
        for name in ("émile", "a.b:c", "x" * 120):
            r = client.post("/api/v1/intents", json={"title": "x"}, headers=[
                (b"X-Agent-ID", name.encode())])
            assert r.json()["created_by"] == name
        for name in ("*", "clock", "sayso", "a b", "a/b", "x" * 121, "\u00a0",
                     "a\u2003b"):
            r = client.post("/api/v1/intents", json={"title": "x"}, headers=[
                (b"X-Agent-ID", name.encode())])
            refused(r, 403, "agent.not_named")


def test_the_name_means_nothing_for_a_person(server, operator):
    r = operator.get("/api/v1/intents", headers={"X-Agent-ID": "whoever"})
    assert r.status_code == 200


def test_the_maker_of_a_thing_is_no_agent_of_that_name(server):
    """The label of an operator's key could be an agent's name."""
    label = f"desk-{new_id()[:8]}"
    with server.client(headers={"X-API-Key": server.key(
            "operator", label=label)}) as operator:
        intent = new_intent(operator)
        assert intent["created_by"] == f"{label} (key)"
        made(operator.put(at(intent, "acl"), json={
            "default_policy": "closed", "entries": []}), 200)
    with server.client("agent", agent=label) as namesake:
        refused(namesake.get(at(intent)), 404, "intent.unknown")
