"""A credential is checked before an answer that reports it counts: a real HTTPS
receiver acts as the vault, and the published verifier reads its requests."""
import time

import pytest
import standardwebhooks

import kit
from kit import new_id, refused
from page import Page
from receiver import Authority, Receiver
from server import place

SECRET = "whsec_" + "c2VjcmV0IG9mIHRoZSB2YXVsdCwgMjQgYnl0ZXM="


@pytest.fixture(scope="module")
def authority():
    return Authority(place("vault-ca"))


@pytest.fixture(scope="module")
def vault(authority):
    one = Receiver(authority.context())
    yield one
    one.close()


@pytest.fixture(scope="module")
def server(authority):
    one = kit.Watched(place("vault"), SAYSO_CA_FILE=str(authority.file),
                      SAYSO_WORKERS="2").start()
    yield one
    one.stop()
    assert kit.complaints(one) == [] and "whsec_" not in one.log()


@pytest.fixture(scope="module")
def agent(server):
    with server.client("agent", agent="release-agent") as client:
        yield client


@pytest.fixture
def asked(server, vault, agent):
    """Asks with a channel of its own; `path` is the vault's address."""
    path, name = f"/{new_id()}", f"vault {new_id()}"
    with server.database() as db:
        db.execute(
            "INSERT INTO endpoint (id, kind, name, address, secret, internal,"
            " created_at, created_by) VALUES (gen_random_uuid(), 'webhook', "
            "%s, %s, %s, true, now(), 'x')",
            [name, f"https://127.0.0.1:{vault.port}{path}", SECRET])
    r = agent.post("/api/v1/suspensions", json=credential(server, probe=name))
    assert r.status_code == 201, r.text
    return {**r.json(), "path": path, "name": name}


def credential(server, **more):
    return {"kind": "credential_needed", "question": "Connect GitHub?",
            "context": {"task": "kept"},
            "subject": {"provider": "GitHub", "credential_class": "App",
                        "scopes": ["contents:write"],
                        "settings_url": f"{server.url}/settings",
                        "draft_ref": "draft 1", **more}}


def configured(operator, asked, **more):
    return operator.post(
        f"/api/v1/suspensions/{asked['suspension_id']}/respond",
        json={"value": "configured", **more})


def read(agent, asked):
    return agent.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()


def test_what_is_there_counts(vault, agent, operator, asked):
    vault.always[asked["path"]] = (200, {}, b'{"found": true}', 0)
    r = configured(operator, asked)
    assert r.status_code == 200 and r.json()["outcome"] == "answered"
    (sent,) = vault.at(asked["path"])
    told = standardwebhooks.Webhook(SECRET).verify(sent.body, sent.headers)
    assert told["type"] == "credential.check"
    assert told["data"] == {
        "provider": "GitHub", "credential_class": "App",
        "scopes": ["contents:write"], "initiated_by": None,
        "suspension_id": asked["suspension_id"],
        "intent_id": asked["intent_id"]}


@pytest.mark.parametrize("answer", [(404, {}, b"", 0),
                                    (200, {}, b'{"found": false}', 0)])
def test_what_is_not_there_stays_asked(vault, agent, operator, asked, answer):
    vault.always[asked["path"]] = answer
    refused(configured(operator, asked), 409, "credential.not_found")
    after = read(agent, asked)
    assert after["state"] == "pending" and after["value"] is None
    assert after["context"] == {"task": "kept"}
    assert after["subject"]["draft_ref"] == "draft 1"
    vault.always[asked["path"]] = (201, {}, b'{ "found":true,\n"x":1 }', 0)
    assert configured(operator, asked).status_code == 200


@pytest.mark.parametrize("status,body", [
    (500, b'{"found": true}'), (302, b'{"found": true}'), (401, b""),
    (204, b""), (200, b""), (200, b"{}"), (200, b"true"), (200, b"ok"),
    (200, b'{"found": "true"}'), (200, b'{"found": 1}'),
    (200, b'{"found": true')])
def test_an_answer_that_says_nothing(vault, agent, operator, asked, status,
                                     body):
    """Most receivers accept every request."""
    vault.always[asked["path"]] = (status, {"location": "/there"}, body, 0)
    refused(configured(operator, asked), 409, "credential.unchecked")
    assert read(agent, asked)["state"] == "pending"
    assert len(vault.at(asked["path"])) == 1 and vault.at("/there") == []


def test_nobody_waits_long_for_the_vault(vault, agent, operator, asked):
    vault.always[asked["path"]] = (200, {}, b"", 30)
    begun = time.monotonic()
    refused(configured(operator, asked), 409, "credential.unchecked")
    assert time.monotonic() - begun < 20
    assert read(agent, asked)["state"] == "pending"


def test_a_channel_that_was_taken_away(server, agent, operator, asked):
    with server.database() as db:
        db.execute("UPDATE endpoint SET removed_at = now() WHERE name = %s",
                   [asked["name"]])
    refused(configured(operator, asked), 409, "credential.unchecked")


def test_who_declines_or_may_not_asks_no_vault(vault, agent, operator, asked):
    refused(configured(agent, asked), 403, "suspension.own_question")
    r = operator.post(
        f"/api/v1/suspensions/{asked['suspension_id']}/respond",
        json={"value": "decline"})
    assert r.status_code == 200 and r.json()["outcome"] == "declined"
    refused(configured(operator, asked), 409, "suspension.already_decided")
    assert vault.at(asked["path"]) == []


def test_a_repeated_answer_is_looked_for_once(vault, operator, asked):
    vault.always[asked["path"]] = (200, {}, b'{"found": true}', 0)
    key = {"Idempotency-Key": new_id()}
    path = f"/api/v1/suspensions/{asked['suspension_id']}/respond"
    twice = [operator.post(path, json={"value": "configured"}, headers=key)
             for _ in range(2)]
    assert [r.status_code for r in twice] == [200, 200]
    assert twice[0].json() == twice[1].json()
    assert len(vault.at(asked["path"])) == 1


def test_a_probe_that_is_none(server, agent):
    r = agent.post("/api/v1/suspensions",
                   json=credential(server, probe="no such channel"))
    refused(r, 422, "kind.facts", "subject.probe")


@pytest.mark.parametrize("url", [
    "http://vault.example/", "https://evil.example/", "javascript:alert(1)",
    "https://127.0.0.1.evil.example/", "//evil.example/x", "/settings",
    "https://user@127.0.0.1/", "{own}.evil.example/", "{own}@evil.example/",
    "{own}\\@evil.example", "{own}:1/"])
def test_a_place_that_is_not_ours(server, agent, url):
    subject = credential(server)
    subject["subject"]["settings_url"] = url.replace("{own}", server.url)
    refused(agent.post("/api/v1/suspensions", json=subject), 422,
            "kind.facts", "subject.settings_url")


def test_the_page_tells_who_looks_and_when(vault, operator, person, asked):
    reader = person("operator").client
    url = f"/suspensions/{asked['suspension_id']}"
    before = Page(reader.get(url)).text
    assert "Not verified yet" in before
    assert f"Sayso asks {asked['name']} whether the credential" in before
    vault.always[asked["path"]] = (200, {}, b'{"found": true}', 0)
    assert configured(operator, asked).status_code == 200
    assert f"{asked['name']} found it before" in Page(reader.get(url)).text
