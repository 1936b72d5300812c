"""The tool-call door's people: users, their tokens, initiation tickets, and the
one endpoint that ends a pause. The numbers are those of the list of attacks
that the door was planned with."""
import datetime
import re

import kit
import pytest
from kit import ROUTES, ask, events, fill, new_id, refused, together
from page import Page, logged, once, press, send

route = pytest.mark.route
RESUME = "POST /api/v1/resume/{id}"
TOKENS = "/settings/tokens"


class Caller:
    """A person and a client that has their token."""

    def __init__(self, server, person, role):
        self.one = person(role)
        self.email = self.one.email
        self.token = self.one.token()
        self.api = server.client(headers={"X-API-Key": self.token})


@pytest.fixture(scope="module")
def caller(server, person):
    made = []

    def make(role="user"):
        made.append(Caller(server, person, role))
        return made[-1]

    yield make
    for one in made:
        one.api.close()


@pytest.fixture(scope="module")
def mara(caller):
    return caller()


@pytest.fixture(scope="module")
def other(caller):
    return caller()


def subject(**more):
    return {"action": {"name": "Refund"}, "target": "order 12345",
            "scope_summary": "One refund", "consequence": "Money leaves.",
            "calls": [{"tool": "shop.refund", "args": {"amount": "50.00"}}],
            **more}


def pause(agent, who, **more):
    """A question of kind approval, for the initiator to decide."""
    body = {"kind": "approval", "question": "Refund?", "choices": None,
            "subject": subject(), "severity": "high",
            "intent": {"title": "Refund", "task_id": new_id(),
                       "session_id": "s-1", "initiated_by": who},
            "responder": {"mode": "initiator"}, "on_reject": "abandon", **more}
    return ask(agent, **body)["suspension_id"]


def resume(client, request_id, action=None, **more):
    headers = more.pop("headers", {})
    body = {**({"action": action} if action else {}), **more}
    return client.post(f"/api/v1/resume/{request_id}", json=body,
                       headers=headers)


def state(agent, request_id):
    return agent.get(f"/api/v1/suspensions/{request_id}").json()["state"]


# --- Roles ----------------------------------------------------------------

USER_MAY = {"GET /api/v1/suspensions/{id}",
            "GET /api/v1/suspensions/{id}/receipt",
            "GET /api/v1/artifacts/{sha256}",
            "POST /api/v1/suspensions/{id}/respond",
            "POST /api/v1/initiations", "POST /api/v1/permits/{id}/revoke",
            RESUME}
USER_PAGES = {"POST /logout", "GET /inbox", "GET /suspensions/{id}",
              "GET /artifacts/{sha256}",
              "GET /suspensions/{id}/looking",
              "GET /suspensions/{id}/receipt",
              "GET /suspensions/{id}/receipt.json",
              "GET /settings/notifications", "POST /settings/notifications",
              "POST /suspensions/{id}/respond", "GET /settings/profile",
              "POST /settings/profile", "GET /settings/tokens",
              "GET /settings/permits", "POST /settings/permits",
              "POST /settings/tokens", "GET /settings/secrets/{id}",
              "POST /settings/secrets/{id}"}


def test_75_a_user_reaches_nothing_else_by_token(mara):
    for row in ROUTES:
        if row.proof != "KEY":
            continue
        r = mara.api.request(row.method, fill(row.pattern), json={})
        allowed = r.status_code != 403 or "role.forbidden" not in r.text
        assert allowed == (row.name in USER_MAY), (row.name, r.text)


def test_75_a_user_reaches_nothing_else_by_page(person):
    client = person("user").client
    for row in ROUTES:
        if row.proof != "COOKIE" or row.name == "POST /logout":
            continue
        assert ("user" in row.roles) == (row.name in USER_PAGES), row.name
        r = client.request(row.method, fill(row.pattern))
        refused = row.name not in USER_PAGES or row.method == "POST"
        assert (r.status_code == 403) == refused, (row.name, r.status_code)


def test_a_user_sees_only_what_was_started_for_them(agent, mara, other):
    theirs = pause(agent, mara.email)
    elsewhere = pause(agent, other.email)
    for_all = ask(agent)["suspension_id"]
    assert mara.api.get(f"/api/v1/suspensions/{theirs}").status_code == 200
    for hidden in (elsewhere, for_all):
        refused(mara.api.get(f"/api/v1/suspensions/{hidden}"), 404,
                "suspension.unknown")
        page = mara.one.client.get(f"/suspensions/{hidden}")
        assert page.status_code == 404 and "suspension.unknown" in page.text
    inbox = mara.one.client.get("/inbox")
    found = set(re.findall(r"/suspensions/([0-9a-f-]{36})", inbox.text))
    assert theirs in found and not found & {elsewhere, for_all}
    for view in ("?view=all", "?view=mine", "?view=groups"):
        assert mara.one.client.get(f"/inbox{view}").status_code == 400
    found = mara.one.client.get("/inbox?q=Refund").text
    assert elsewhere not in found and for_all not in found


def test_a_user_answers_in_the_browser(agent, mara):
    asked = pause(agent, mara.email, severity="low")
    page = f"/suspensions/{asked}"
    r = mara.one.client.post(
        f"{page}/respond",
        data=Page(mara.one.client.get(page)).data("/respond", value="approve"))
    assert r.status_code == 303, r.text
    told = agent.get(f"/api/v1/suspensions/{asked}").json()
    assert told["outcome"] == "authorized"
    assert told["responded_by"] == mara.email


# --- Tokens of people -----------------------------------------------------

@route("GET /settings/tokens")
@route("POST /settings/tokens")
@route("GET /settings/secrets/{id}")
def test_a_token_is_made_with_the_password_and_shown_once(server, person):
    one = person("operator")
    r = send(one.client, TOKENS, {"Label": "Chat", "Expires": "30",
                                  "Your password": "wrong-horse"})
    assert r.status_code == 422 and once(r) is None
    assert "This is not your password." in r.text
    assert "wrong-horse" not in r.text
    text = one.token()
    assert re.fullmatch(r"sayso_[\w-]{43}", text)
    assert text not in one.client.get(TOKENS).text
    assert text[:12] in one.client.get(TOKENS).text
    assert logged(server, "did=token.make", one.email)


def test_a_token_acts_as_its_person(server, agent, caller):
    one = caller("operator")
    asked = ask(agent)
    r = kit.answer(one.api, asked)
    assert r.status_code == 200 and r.json()["responded_by"] == one.email
    resumed = [e for e in events(one.api, asked["intent_id"])
               if e["event_type"] == "intent.resumed"]
    assert resumed[0]["actor"] == one.email
    assert resumed[0]["actor_type"] == "person"


def test_the_role_that_counts_is_the_persons(server, agent, caller):
    one = caller("operator")
    asked = ask(agent)
    assert one.api.get("/api/v1/suspensions").status_code == 200
    with server.database() as db:
        db.execute("UPDATE principal SET role = 'auditor' WHERE email = %s",
                   [one.email])
    refused(kit.answer(one.api, asked), 403, "role.forbidden")
    with server.database() as db:
        db.execute("UPDATE principal SET disabled_at = now() WHERE email = %s",
                   [one.email])
    refused(one.api.get("/api/v1/suspensions"), 401, "key.revoked")


def test_a_token_ends(server, caller):
    one = caller("operator")
    with server.database() as db:
        ends = db.execute("SELECT expires_at - created_at FROM api_key WHERE "
                          "prefix = %s", [one.token[:12]]).fetchone()[0]
    assert abs(ends - datetime.timedelta(days=30)) < datetime.timedelta(
        seconds=5)
    page = one.one.client.get(TOKENS)
    key = re.search(r"key=([0-9a-f-]{36})", page.text)[1]
    r = press(one.one.client, TOKENS, "revoke",
              page=f"{TOKENS}?do=revoke&key={key}")
    assert r.status_code == 303
    refused(one.api.get("/api/v1/suspensions"), 401, "key.revoked")


def test_a_token_of_somebody_else_is_not_there(caller, person):
    one, client = caller("operator"), person("admin").client
    key = re.search(r"key=([0-9a-f-]{36})", one.one.client.get(TOKENS).text)[1]
    csrf = Page(client.get(TOKENS)).data("/logout")["csrf"]
    assert client.get(f"{TOKENS}?do=revoke&key={key}").status_code == 404
    r = client.post(TOKENS, data={"do": "revoke", "key": key, "csrf": csrf})
    assert r.status_code == 404
    assert one.api.get("/api/v1/suspensions").status_code == 200


# --- Initiations ----------------------------------------------------------

@route("POST /api/v1/initiations")
def test_a_person_starts_a_task_with_a_ticket(server, mara, agent, operator):
    r = mara.api.post("/api/v1/initiations", json={"agent": "refund-agent"})
    assert r.status_code == 201
    assert re.fullmatch(r"sin_[\w-]{43}", r.json()["initiation"])
    with server.database() as db:
        stored = db.execute("SELECT array_agg(i::text) FROM initiation i"
                            ).fetchone()[0]
    assert r.json()["initiation"] not in " ".join(stored)
    refused(agent.post("/api/v1/initiations", json={"agent": "a"}), 403,
            "role.forbidden")
    refused(operator.post("/api/v1/initiations", json={"agent": "a"}), 403,
            "initiation.person")
    for body, code in (({}, "field.missing"), ({"agent": "a b"},
                                               "field.value"),
                       ({"agent": "a", "x": 1}, "field.unknown")):
        refused(mara.api.post("/api/v1/initiations", json=body), 422, code)


# --- Resume ---------------------------------------------------------------

@route(RESUME)
def test_10_the_initiator_approves(agent, mara):
    asked = pause(agent, mara.email)
    r = resume(mara.api, asked, "approve")
    assert r.status_code == 200, r.text
    told = r.json()
    assert told["object"] == "tool_approval"
    assert told["status"] == "Running" and told["outcome"] == "authorized"
    assert told["request_id"] == asked and told["calls"] == 1
    assert told["responded_by"] == mara.email and told["session_id"] == "s-1"
    assert state(agent, asked) == "resolved"


def test_11_another_user_finds_nothing(agent, mara, other):
    asked = pause(agent, mara.email)
    refused(resume(other.api, asked, "approve"), 404, "suspension.unknown")
    assert state(agent, asked) == "pending"


def test_12_an_operator_is_not_asked(agent, mara, operator):
    asked = pause(agent, mara.email)
    refused(resume(operator, asked, "approve"), 403, "suspension.not_yours")
    assert state(agent, asked) == "pending"


def test_13_a_disabled_person_is_nobody(server, agent, caller):
    one = caller()
    asked = pause(agent, one.email)
    with server.database() as db:
        db.execute("UPDATE principal SET disabled_at = now() WHERE email = %s",
                   [one.email])
    refused(resume(one.api, asked, "approve"), 401, "key.revoked")
    assert state(agent, asked) == "pending"


def test_14_a_rejection_ends_the_task(agent, mara):
    asked = pause(agent, mara.email, severity="medium")
    r = resume(mara.api, asked, "reject")
    assert r.status_code == 200, r.text
    assert r.json()["object"] == "tool_rejection"
    assert r.json()["message"] == "Tool execution rejected."
    assert r.json()["status"] == "Canceled"
    assert r.json()["intent_status"] == "abandoned"
    assert r.json()["reason"] is None and r.json()["outcome"] == "vetoed"


def test_15_an_unknown_action_is_never_a_no(agent, mara):
    asked = pause(agent, mara.email)
    for action in ("maybe", "Approve", "cancel", "complete", "answer"):
        r = resume(mara.api, asked, action)
        refused(r, 422, "resume.action", "action")
        assert r.json()["valid_actions"] == ["approve", "reject"]
    refused(resume(mara.api, asked), 422, "resume.action")
    assert state(agent, asked) == "pending"


def test_15_two_choices_that_say_yes(agent, mara):
    asked = pause(agent, mara.email, choices=[
        {"value": "all", "label": "Refund all", "effect": "authorize"},
        {"value": "half", "label": "Refund half", "effect": "authorize"},
        {"value": "no", "label": "No refund", "effect": "veto"}])
    r = resume(mara.api, asked, "approve")
    refused(r, 422, "resume.action")
    assert r.json()["valid_actions"] == ["reject", "all", "half", "no"]
    r = resume(mara.api, asked, "half")
    assert r.status_code == 200 and r.json()["outcome"] == "authorized"


def test_16_the_body_and_the_address_differ(agent, mara):
    asked = pause(agent, mara.email)
    r = mara.api.post(f"/api/v1/resume/{asked}?action=approve",
                      json={"action": "reject"})
    refused(r, 422, "resume.action")
    assert state(agent, asked) == "pending"
    r = mara.api.post(f"/api/v1/resume/{asked}?action=approve")
    assert r.status_code == 200 and r.json()["action"] == "approve"


@route("GET /api/v1/resume/{id}")
def test_17_a_scanner_decides_nothing(server, agent, mara):
    asked = pause(agent, mara.email)
    with server.client() as nobody:
        for action in ("approve", "reject") * 50:
            r = nobody.get(f"/api/v1/resume/{asked}?action={action}")
            assert r.status_code == 303
            assert r.headers["location"] == (
                f"/suspensions/{asked}?choice={action}")
    assert state(agent, asked) == "pending"


def test_18_the_address_leads_to_the_page_with_the_choice(agent, mara):
    asked = pause(agent, mara.email)
    r = mara.one.client.get(f"/suspensions/{asked}?choice=reject")
    assert r.status_code == 200
    assert Page(r).value("/respond", "value") == "reject"
    assert state(agent, asked) == "pending"


def test_25_a_credential_is_completed_and_no_secret_is_taken(agent, mara,
                                                             server):
    url = server.url + "/settings/profile"
    asked = pause(agent, mara.email, kind="credential_needed", on_reject=None,
                  severity="medium", subject={
                      "provider": "Mail", "credential_class": "oauth",
                      "settings_url": url})
    for name in ("code", "token", "access_token", "id_token", "secret"):
        secret = new_id()
        r = resume(mara.api, asked, "complete", **{name: secret})
        refused(r, 422, "resume.secret", name)
        assert secret not in r.text and not logged(server, secret)
    refused(resume(mara.api, asked, "approve"), 422, "resume.action")
    r = resume(mara.api, asked, "complete")
    assert r.status_code == 200, r.text
    assert r.json()["object"] == "resume_result"
    assert r.json()["status"] == "Running"
    assert r.json()["outcome"] == "answered"


def test_27_a_grave_yes_is_given_on_the_page(agent, mara, caller):
    # A person who is only claimed to have begun it decides nothing critical.
    refused(agent.post("/api/v1/suspensions", json={
        "question": "Refund?", "kind": "approval", "subject": subject(),
        "severity": "critical", "intent": {"title": "Refund",
                                           "initiated_by": mara.email},
        "responder": {"mode": "initiator"}}), 422, "responder.initiator")
    ticket = mara.api.post("/api/v1/initiations",
                           json={"agent": "refunds-agent"}).json()
    grave = agent.post("/api/v1/tool-calls/check", json={
        "task": {"task_id": new_id()}, "initiation": ticket["initiation"],
        "severity": "critical", "tool_calls": [
            {"id": "c", "tool": "shop.refund", "arguments": {}}]})
    assert grave.status_code == 202, grave.text
    for asked in (grave.json()["request_id"],
                  pause(agent, mara.email, subject=subject(reversible=False))):
        refused(resume(mara.api, asked, "approve"), 403, "resume.page_only")
        refused(mara.api.post(f"/api/v1/suspensions/{asked}/respond", json={
            "value": "approve", "typed": "order 12345"}), 403,
            "resume.page_only")
        assert state(agent, asked) == "pending"
        r = resume(mara.api, asked, "reject", reason="Not this one.")
        assert r.status_code == 200, r.text


def test_an_answer_is_taken_as_it_is(agent, mara):
    asked = pause(agent, mara.email, kind=None, subject=None, on_reject=None,
                  response_type="text", question="Which order?")
    refused(resume(mara.api, asked, "answer"), 422, "resume.value", "value")
    refused(resume(mara.api, asked, "approve"), 422, "resume.action")
    r = resume(mara.api, asked, "answer", value="12345")
    assert r.status_code == 200 and r.json()["object"] == "resume_result"
    assert agent.get(f"/api/v1/suspensions/{asked}").json()["value"] == "12345"


def test_a_repeat_is_the_first_answer(agent, mara):
    asked = pause(agent, mara.email)
    key = {"Idempotency-Key": new_id()}
    first = resume(mara.api, asked, "approve", headers=key)
    again = resume(mara.api, asked, "approve", headers=key)
    assert first.status_code == again.status_code == 200
    assert first.content == again.content
    late = resume(mara.api, asked, "reject")
    refused(late, 409, "suspension.already_decided")
    assert mara.email in late.text


def test_a_key_belongs_to_the_action_in_the_address(agent, mara):
    """No body differs: the address alone says what is meant."""
    asked = pause(agent, mara.email)
    key = {"Idempotency-Key": new_id()}
    path = f"/api/v1/resume/{asked}"
    first, again = [mara.api.post(f"{path}?action=approve", headers=key)
                    for _ in range(2)]
    assert first.status_code == again.status_code == 200
    assert first.content == again.content
    assert again.headers["Idempotency-Replayed"] == "true"
    for other in ("?action=reject", ""):
        refused(mara.api.post(path + other, headers=key), 409,
                "idempotency.other_request")


def test_H1_an_agent_never_resumes(agent, mara):
    asked = pause(agent, mara.email)
    r = resume(agent, asked, "approve", responded_by=mara.email)
    refused(r, 403, "role.forbidden")
    assert state(agent, asked) == "pending"


def test_H5_of_two_approvals_one_counts(agent, mara):
    for _ in range(50):
        asked = pause(agent, mara.email)
        told = together(lambda: resume(mara.api, asked, "approve"),
                        lambda: resume(mara.api, asked, "approve"))
        assert sorted(r.status_code for r in told) == [200, 409]
        found = agent.get(f"/api/v1/suspensions/{asked}").json()
        resumed = [e for e in events(agent, found["intent_id"])
                   if e["event_type"] == "intent.resumed"]
        assert len(resumed) == 1


def test_H6_what_is_wrong_has_its_status(agent, mara, other, operator):
    asked = pause(agent, mara.email)
    refused(resume(mara.api, new_id(), "approve"), 404, "suspension.unknown")
    refused(resume(other.api, asked, "approve"), 404, "suspension.unknown")
    refused(resume(operator, asked, "approve"), 403, "suspension.not_yours")
    refused(resume(mara.api, asked, "maybe"), 422, "resume.action")
    r = mara.api.post(f"/api/v1/resume/{asked}", content=b"{")
    refused(r, 400)
    assert resume(mara.api, asked, "approve").status_code == 200
    refused(resume(mara.api, asked, "approve"), 409,
            "suspension.already_decided")
