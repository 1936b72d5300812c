"""The seven kinds over HTTP: asked, read, answered in every way at both APIs,
and by every sort of responder."""
import hashlib
import json

import pytest
from kit import (answer, ask, check_chain, events, get, new_id, new_intent,
                 patch, put, read, record, refused, respond, suspend, types)
from page import new_token

route = pytest.mark.route

SUBJECTS = {
    "approval": {
        "action": {"name": "refund", "provider": "stripe"},
        "target": "order 12345", "scope_summary": "one refund",
        "consequence": "499.99 EUR leave the account", "reversible": True,
        "calls": [{"tool": "refund.create", "args": {"amount": 499.99}}],
        "constraints": {"amount": 500, "regions": ["de", "fr"]}},
    "permission": {
        "capability": "read mail", "target": "inbox of ada",
        "risk_text": "sees private mail", "consequence": "mail is read",
        "duration": {"kind": "until", "seconds": 3600}},
    "plan_review": {"plan": {
        "version": 1, "scope": "one order", "expected_outputs": ["a mail"],
        "risk_summary": "small",
        "steps": [{"id": "a", "title": "Read"}, {"id": "b", "title": "Send"}]}},
    "elicitation": {"prompt": "Which colour?"},
    "credential_needed": {
        "provider": "github", "credential_class": "token", "scopes": ["repo"],
        "settings_url": None, "draft_ref": "draft:1"},
    "cost_confirmation": {
        "purpose": "translate", "estimate": {"amount": 12.5, "unit": "EUR"},
        "limit": {"amount": 20, "unit": "EUR"}},
    "handoff_acceptance": {
        "from": "writer", "to": "lawyer", "summary": "a draft",
        "reason": "needs a lawyer", "artifacts": [], "evidence": []},
}
KINDS = list(SUBJECTS)
NEEDED = {
    "approval": ["action", "target", "scope_summary"],
    "permission": ["capability", "target", "risk_text", "duration",
                   "consequence"],
    "plan_review": ["plan"], "elicitation": [],
    "credential_needed": ["provider", "credential_class", "settings_url"],
    "cost_confirmation": ["purpose", "estimate", "limit"],
    "handoff_acceptance": ["from", "to", "summary", "reason", "artifacts",
                           "evidence"],
}
EDITED = {**SUBJECTS["approval"], "target": "order 9"}


def subject(server, kind):
    one = SUBJECTS[kind]
    return {**one, "settings_url": server.url + "/settings"} \
        if "settings_url" in one else one


def body(server, kind, **more):
    return {"question": "May I?", "kind": kind,
            "subject": subject(server, kind), **more}


def put_question(client, server, kind, **more):
    r = client.post("/api/v1/suspensions", json=body(server, kind, **more))
    assert r.status_code == 201, r.text
    return r.json()


def action(client, asked):
    r = client.get(f"/api/v1/suspensions/{asked['suspension_id']}/action")
    assert r.status_code == 200, r.text
    return r.json()


def reply(client, asked, **body):
    return client.post(
        f"/api/v1/suspensions/{asked['suspension_id']}/respond", json=body)


# --- Asking and reading ---------------------------------------------------

@route("POST /api/v1/suspensions")
@route("GET /api/v1/suspensions/{id}")
@route("GET /api/v1/suspensions/{id}/action")
@pytest.mark.parametrize("kind", KINDS)
def test_a_kind_is_asked_and_read_the_same_everywhere(server, agent, operator,
                                                      kind):
    """AUI-AR-READ-003: a client shows the person that the agent waits for."""
    asked = put_question(agent, server, kind, severity="high")
    seen = read(agent, asked)
    assert seen == read(operator, asked)
    assert seen["kind"] == kind and seen["state"] == "pending"
    assert seen["subject"] == subject(server, kind)
    assert seen["modified"] is False and seen["constraints"] is None
    assert seen["responder"] == {"mode": "operators", "who": None,
                                 "not_initiator": False}
    raw = json.dumps(subject(server, kind), ensure_ascii=False,
                     separators=(",", ":")).encode()
    assert seen["subject_sha256"] == hashlib.sha256(raw).hexdigest()
    shown = action(agent, asked)
    assert shown == action(operator, asked)
    assert shown["type"] == "action.required"
    assert shown["actionId"] == asked["suspension_id"]
    assert shown["taskId"] == asked["intent_id"]
    assert shown["agentId"] == "refunds-agent"
    assert shown["runtimeStatus"] == (
        "plan_ready" if kind == "plan_review" else "needs_input")
    assert shown["payload"]["kind"] == kind
    assert shown["payload"]["subject"] == seen["subject"]
    assert shown["payload"]["decisions"] == seen["choices"]
    intent = get(agent, {"id": asked["intent_id"]})
    mirror = intent["state"]["_suspension"]
    assert mirror["kind"] == kind and mirror["choices"] == seen["choices"]
    assert mirror["subject"] == seen["subject"]
    told = events(agent, asked["intent_id"])[0]
    assert told["event_type"] == "intent.suspended"
    assert told["payload"]["kind"] == kind


@pytest.mark.parametrize("kind", [k for k in KINDS if NEEDED[k]])
def test_what_a_kind_has_to_show_is_named_where_it_is_missing(agent, kind):
    r = agent.post("/api/v1/suspensions",
                   json={"question": "May I?", "kind": kind})
    said = refused(r, 422, "kind.facts", f"subject.{NEEDED[kind][0]}")
    assert said["missing"] == NEEDED[kind]


def test_a_high_severity_needs_its_consequence(server, agent):
    one = {k: v for k, v in SUBJECTS["approval"].items()
           if k != "consequence"}
    r = agent.post("/api/v1/suspensions", json=body(
        server, "approval", subject=one, severity="critical"))
    refused(r, 422, "kind.facts", "subject.consequence")
    ask(agent, kind="approval", subject=one, severity="medium",
        response_type=None, choices=None)


def test_what_is_referred_to_comes_back(server, agent):
    asked = put_question(
        agent, server, "plan_review",
        evidence=[{"title": "Log", "ref": "run:1"}],
        artifacts=[{"title": "Plan", "kind": "text", "ref": "doc:1"},
                   {"title": "Data", "ref": "doc:2"}])
    seen = read(agent, asked)
    assert seen["evidence"] == [{"title": "Log", "ref": "run:1"}]
    assert seen["artifacts"] == [
        {"title": "Plan", "kind": "text", "ref": "doc:1"},
        {"title": "Data", "kind": None, "ref": "doc:2"}]
    assert action(agent, asked)["refs"] == ["run:1"]


def test_another_agent_sees_neither_the_question_nor_its_event(
        server, agent, other_agent):
    asked = put_question(agent, server, "approval")
    at = f"/api/v1/suspensions/{asked['suspension_id']}"
    refused(other_agent.get(at), 404, "suspension.unknown")
    refused(other_agent.get(at + "/action"), 404, "suspension.unknown")
    refused(agent.get(f"/api/v1/suspensions/{new_id()}/action"), 404,
            "suspension.unknown")


# --- Every answer ---------------------------------------------------------

ANSWERS = [
    ("approval", {}, {"value": "approve"}, "authorized", "active"),
    ("approval", {}, {"value": "reject"}, "vetoed", "active"),
    ("approval", {"severity": "high"}, {"value": "reject", "reason": "no"},
     "vetoed", "active"),
    ("approval", {"on_reject": "abandon"}, {"value": "reject"}, "vetoed",
     "abandoned"),
    ("approval", {"allow_edit": True},
     {"value": "edit", "subject": EDITED, "reason": "the right one",
      "typed": "order 9"},
     "authorized", "active"),
    ("approval", {}, {"value": "constrain", "constraints": {"amount": 9}},
     "authorized", "active"),
    ("approval", {"response_type": "confirm"}, {"value": "yes"},
     "authorized", "active"),
    ("approval", {"response_type": "confirm"}, {"value": "no"}, "vetoed",
     "active"),
    ("permission", {}, {"value": "allow_once"}, "authorized", "active"),
    ("permission", {}, {"value": "allow_for", "constraints": {"seconds": 60}},
     "authorized", "active"),
    ("permission", {}, {"value": "deny"}, "vetoed", "active"),
    ("plan_review", {}, {"value": "approve"}, "authorized", "active"),
    ("plan_review", {}, {"value": "approve_edited", "constraints": {
        "steps": [{"id": "b", "note": "only this"}]}}, "authorized",
     "active"),
    ("plan_review", {}, {"value": "request_changes", "reason": "shorter"},
     "changes_requested", "active"),
    ("plan_review", {}, {"value": "reject", "reason": "no"}, "vetoed",
     "active"),
    ("elicitation", {}, {"value": "red"}, "answered", "active"),
    ("elicitation", {}, {"choice": "decline"}, "declined", "active"),
    ("elicitation", {"form": [{"key": "n", "type": "integer"}]},
     {"value": {"n": 3}}, "answered", "active"),
    ("elicitation", {"form": [{"key": "n", "type": "integer"}]},
     {"choice": "decline", "reason": "private"}, "declined", "active"),
    ("elicitation", {"form": {
        "type": "object", "required": ["n"], "properties": {
            "n": {"type": "integer", "minimum": 1},
            "c": {"type": "array", "items": {"enum": ["red", "blue"]}}}}},
     {"value": {"n": 3, "c": ["red"]}}, "answered", "active"),
    ("elicitation", {"choices": [{"value": "red"}]}, {"value": "red"},
     "answered", "active"),
    ("elicitation", {"response_type": "confirm"}, {"value": "no"},
     "answered", "active"),
    ("credential_needed", {}, {"value": "configured"}, "answered", "active"),
    ("credential_needed", {}, {"value": "decline"}, "declined", "active"),
    ("cost_confirmation", {}, {"value": "confirm"}, "authorized", "active"),
    ("cost_confirmation", {},
     {"value": "confirm", "constraints": {"limit": 5.5}}, "authorized",
     "active"),
    ("cost_confirmation", {}, {"value": "cancel"}, "vetoed", "active"),
    ("cost_confirmation", {}, {"value": "stop_task"}, "vetoed", "abandoned"),
    ("handoff_acceptance", {}, {"value": "accept"}, "accepted", "active"),
    ("handoff_acceptance", {}, {"value": "decline", "reason": "busy"},
     "declined", "active"),
]
# Allowed once is less than these questions ask for.
MODIFIED = {"edit", "constrain", "allow_for", "allow_once", "approve_edited"}


def is_modified(sent):
    return sent.get("value") in MODIFIED if isinstance(
        sent.get("value"), str) and sent["value"] != "confirm" \
        else "constraints" in sent


@pytest.fixture(scope="module")
def pushed(server, agent):
    """The messages to the agent's platform about a question, as they are
    queued."""
    r = agent.post("/api/v1/endpoints", json={
        "name": "kinds", "url": f"https://{new_id()}.invalid/hook"})
    assert r.status_code == 201, r.text
    made = r.json()["endpoint_id"]

    def find(asked):
        with server.database() as db:
            [row] = db.execute(
                "SELECT body FROM delivery WHERE endpoint_id = %s AND "
                "intent_id = %s", [made, asked["intent_id"]]).fetchall()
        return json.loads(row[0])

    yield find
    agent.delete(f"/api/v1/endpoints/{made}")


@route("POST /api/v1/suspensions/{id}/respond")
@pytest.mark.parametrize("kind, more, sent, outcome, status", ANSWERS)
def test_an_answer_is_the_same_in_the_view_the_event_and_the_webhook(
        server, agent, operator, pushed, kind, more, sent, outcome, status):
    asked = put_question(agent, server, kind, **more)
    r = reply(operator, asked, subject_sha256=asked["subject_sha256"], **sent)
    assert r.status_code == 200, r.text
    done = read(agent, asked)
    # Whether a yes can be used now is said to those who read.
    usable = done.pop("usable", None)
    assert done.pop("unusable_reason", None) is None
    assert r.json() == done
    assert usable is (True if outcome == "authorized" else None)
    assert done["state"] == "resolved" and done["outcome"] == outcome
    assert done["value"] == sent.get("value")
    assert done["reason"] == sent.get("reason")
    assert done["modified"] is is_modified(sent)
    assert done["subject"] == subject(server, kind)  # as it was asked
    assert done["audit_summary"].endswith(".")
    resolved = action(agent, asked)
    told = pushed(asked)["data"]
    assert resolved["type"] == "action.resolved"
    for key, other in (("kind", "kind"), ("outcome", "outcome"),
                       ("value", "value"), ("modified", "modified"),
                       ("reason", "reason"), ("responded_by", "respondedBy")):
        assert told[key] == done[key], key
        assert resolved["payload"].get(other) == done[key], key
    assert resolved["payload"].get("constraints") == done["constraints"]
    assert resolved["payload"].get("approvedSha256") == \
        done["approved_sha256"]
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["status"] == told["intent_status"] == status
    mirror = intent["state"]["_suspension"]
    assert mirror["outcome"] == outcome
    assert mirror["modified"] is done["modified"]
    check_chain(events(agent, asked["intent_id"]))


def test_what_was_approved_instead_is_told_with_its_digest(server, agent,
                                                           operator):
    asked = put_question(agent, server, "approval", allow_edit=True)
    text = json.dumps(EDITED, indent=1)
    at = f"/api/v1/suspensions/{asked['suspension_id']}/respond"
    r = operator.post(at, content='{"value": "edit", "reason": "better", '
                                  f'"typed": "order 9", "subject": {text}}}',
                      headers={"Content-Type": "application/json"})
    done = r.json()
    assert r.status_code == 200, r.text
    assert done["approved_subject"] == EDITED
    assert done["approved_sha256"] == hashlib.sha256(
        text.encode()).hexdigest()
    assert done["subject_sha256"] == asked["subject_sha256"]
    resumed = next(e for e in events(agent, asked["intent_id"])
                   if e["event_type"] == "intent.resumed")
    assert resumed["payload"]["approved_sha256"] == done["approved_sha256"]


@pytest.mark.parametrize("kind, more, sent, code, at", [
    ("approval", {}, {"value": "approve", "constraints": {"amount": 1}},
     "amend.unused", "constraints"),
    ("approval", {}, {"value": "approve", "subject": EDITED}, "amend.unused",
     "subject"),
    ("approval", {}, {"value": "edit", "subject": EDITED},
     "response.invalid_choice", None),
    ("approval", {}, {"value": "approve", "choice": "reject"},
     "response.unused", "choice"),
    ("approval", {}, {"value": "constrain", "constraints": {"amount": 501}},
     "amend.wider", "constraints.amount"),
    ("approval", {}, {"value": "constrain", "constraints": {"regions": 1}},
     "amend.wider", "constraints.regions"),
    ("approval", {}, {"value": "constrain", "constraints": {"amount": 500}},
     "amend.unchanged", "constraints"),
    ("approval", {"severity": "high"}, {"value": "reject"}, "reason.missing",
     "reason"),
    ("approval", {"allow_edit": True}, {"value": "edit", "subject": {}},
     "kind.facts", "subject.action"),
    ("permission", {}, {"value": "allow_for",
                        "constraints": {"seconds": 3601}}, "amend.wider",
     "constraints.seconds"),
    ("plan_review", {}, {"value": "reject"}, "reason.missing", "reason"),
    ("plan_review", {}, {"value": "approve_edited", "constraints": {
        "steps": [{"id": "new"}]}}, "amend.unknown", "constraints.steps[0]"),
    ("elicitation", {}, {"value": "red", "choice": "decline"},
     "response.unused", "value"),
    ("elicitation", {"form": [{"key": "n", "type": "integer"}]},
     {"value": {"n": "three"}}, "response.form", None),
    ("cost_confirmation", {},
     {"value": "confirm", "constraints": {"limit": 20.01}}, "amend.wider",
     "constraints.limit"),
    ("handoff_acceptance", {}, {"value": "decline"}, "reason.missing",
     "reason"),
])
def test_what_is_no_answer_changes_nothing(server, agent, operator, kind,
                                           more, sent, code, at):
    asked = put_question(agent, server, kind, **more)
    refused(reply(operator, asked, **sent), 422, code, at)
    assert read(agent, asked) == {k: v for k, v in asked.items()
                                  if k not in ("status", "version")}
    assert types(agent, asked["intent_id"]) == ["intent_created",
                                                "intent.suspended"]


def test_a_limit_sent_twice_is_one_answer_one_event_one_push(
        server, agent, operator, pushed):
    """AUI-AR-ACTION-004."""
    asked = put_question(agent, server, "cost_confirmation")
    key = {"Idempotency-Key": new_id()}
    first, again = (answer(operator, asked, "confirm",
                           constraints={"limit": 3}, headers=key)
                    for _ in range(2))
    assert first.status_code == again.status_code == 200
    assert first.text == again.text
    assert types(agent, asked["intent_id"]).count("intent.resumed") == 1
    assert pushed(asked)["data"]["modified"] is True
    other = answer(operator, asked, "confirm", constraints={"limit": 4},
                   headers=key)
    refused(other, 409, "idempotency.other_request")


# --- Plans and what supersedes them ---------------------------------------

def test_a_rejected_plan_and_its_reason_stay_beside_the_revision(
        server, agent, operator):
    first = put_question(agent, server, "plan_review")
    assert reply(operator, first, value="request_changes",
                 reason="Leave out the mail.").status_code == 200
    revised = {"plan": {**SUBJECTS["plan_review"]["plan"], "version": 2,
                        "steps": [{"id": "a", "title": "Read"}]}}
    second = put_question(agent, server, "plan_review", subject=revised,
                          intent_id=first["intent_id"],
                          supersedes=first["suspension_id"])
    assert second["supersedes"] == first["suspension_id"]
    assert second["intent_id"] == first["intent_id"]
    told = events(agent, second["intent_id"])[0]
    assert told["payload"]["supersedes"] == first["suspension_id"]
    assert reply(operator, second, value="approve").status_code == 200
    old, new = read(agent, first), read(agent, second)
    assert old["outcome"] == "changes_requested"
    assert old["reason"] == "Leave out the mail."
    assert old["subject"] == SUBJECTS["plan_review"]
    assert new["outcome"] == "authorized" and new["subject"] == revised


def test_only_an_ended_question_of_ones_own_and_of_the_kind_is_superseded(
        server, agent, other_agent, operator):
    def trying(client, old, kind="plan_review"):
        return client.post("/api/v1/suspensions", json=body(
            server, kind, supersedes=old))

    one = put_question(agent, server, "plan_review")
    mine = one["suspension_id"]
    refused(trying(agent, mine), 422, "supersedes.other", "supersedes")
    reply(operator, one, value="reject", reason="no")
    refused(trying(agent, mine, "approval"), 422, "supersedes.other",
            "supersedes")
    refused(trying(other_agent, mine), 422, "suspension.unknown",
            "supersedes")
    refused(trying(agent, new_id()), 422, "suspension.unknown", "supersedes")
    refused(trying(agent, "no id"), 422, "suspension.unknown", "supersedes")
    plain = ask(agent)
    answer(operator, plain)
    refused(trying(agent, plain["suspension_id"]), 422, "supersedes.other")
    assert trying(agent, mine).status_code == 201


def test_a_record_does_not_supersede_itself(server, agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    one = record(kind="plan_review", subject=SUBJECTS["plan_review"])
    del one["choices"]
    r = patch(agent, intent, put("_suspension",
                                 {**one, "supersedes": one["id"]}))
    assert r.status_code == 422, r.text
    assert r.json()["code"] == "suspension.unknown"


LISTED = {"action": {"name": "Refund"}, "target": "12345", "x": [1],
          "consequence": "Money leaves.", "scope_summary": "One.",
          "constraints": {"x": list(range(1950))}}


def test_an_edited_subject_has_the_limit_of_one_that_is_asked(
        server, agent, operator):
    """Each value is compared with each of the list of its limit."""
    asked = put_question(agent, server, "approval", subject=LISTED,
                         allow_edit=True, choices=None)
    edit = {"value": "edit", "reason": "More."}
    for n in (2001, 40000):
        r = reply(operator, asked, **edit, subject={**LISTED, "x": [5000] * n})
        refused(r, 422, "subject.too_large", "subject")
    assert agent.get(f"/api/v1/suspensions/{asked['suspension_id']}").json()[
        "state"] == "pending"


def test_a_record_of_a_kind_has_the_limit_too(server, agent):
    for n, code in ((1900, 200), (2001, 422)):
        intent = new_intent(agent, "suspended_awaiting_input")
        one = record(kind="approval", allow_edit=True, subject={
            **LISTED, "constraints": {"x": list(range(n))}})
        del one["choices"]
        r = patch(agent, intent, put("_suspension", one))
        assert r.status_code == code, r.text
        assert code == 200 or r.json()["code"] == "subject.too_large"


# --- Silence and credentials ----------------------------------------------

@pytest.mark.parametrize("kind, value, code", [
    ("approval", "approve", "fallback.authorizes"),
    ("permission", "allow_once", "fallback.authorizes"),
    ("cost_confirmation", "confirm", "fallback.authorizes"),
    ("handoff_acceptance", "accept", "fallback.authorizes"),
    ("permission", "allow_for", "amend.missing"),
    ("plan_review", "approve_edited", "amend.missing")])
@pytest.mark.parametrize("severity", [None, "low", "high"])
def test_a_fallback_that_authorizes_is_refused_at_creation(
        server, agent, kind, value, code, severity):
    r = agent.post("/api/v1/suspensions", json=body(
        server, kind, severity=severity, timeout_seconds=60,
        fallback_policy="use_default_and_continue", fallback_value=value))
    refused(r, 422, code, "fallback_value")


def test_a_credentials_page_that_was_opened_leaves_it_pending(server, agent,
                                                              person):
    asked = put_question(agent, server, "credential_needed",
                         context={"step": 3})
    someone = person("operator")
    page = someone.client.get(f"/suspensions/{asked['suspension_id']}")
    assert page.status_code == 200
    someone.client.get("/settings")
    seen = read(agent, asked)
    assert seen["state"] == "pending"
    assert seen["subject"]["draft_ref"] == "draft:1"
    assert seen["context"] == {"step": 3}


@pytest.mark.parametrize("url", [
    "https://evil.example/", "javascript:alert(1)", "/settings",
    "http://127.0.0.1.evil.example/"])
def test_a_credential_is_not_set_up_just_anywhere(server, agent, url):
    one = {**SUBJECTS["credential_needed"], "settings_url": url}
    r = agent.post("/api/v1/suspensions",
                   json=body(server, "credential_needed", subject=one))
    refused(r, 422, "kind.facts", "subject.settings_url")


@pytest.mark.parametrize("field", [
    {"key": "x", "label": "Password"}, {"key": "x", "label": "API key"}])
def test_no_secret_passes_through_a_form(server, agent, field):
    r = agent.post("/api/v1/suspensions",
                   json=body(server, "elicitation", form=[field]))
    refused(r, 422, "kind.secret", "form[0]")


# --- Who may decide -------------------------------------------------------

@pytest.fixture(scope="module")
def desk(server):
    """desk(label, groups) makes an operator's key and gives a client."""
    made = []

    def make(label, groups=None, role="operator"):
        key = server.key(role, label=label)
        with server.database() as db:
            db.execute("UPDATE api_key SET groups = %s WHERE label = %s",
                       [groups, label])
        made.append(server.client(headers={"X-API-Key": key}))
        return made[-1]

    yield make
    for client in made:
        client.close()


def test_operators_of_a_group_decide_and_others_are_told_who_can(
        server, agent, operator, admin, desk):
    group = f"g-{new_id()[:8]}"
    inside = desk(f"inside {group}", f"other {group}")
    outside = desk(f"outside {group}", f"{group}-not other")
    asked = put_question(agent, server, "approval",
                         responder={"mode": "group", "who": group})
    assert asked["responder"]["who"] == group
    for client in (operator, admin, outside):
        said = refused(reply(client, asked, value="approve"), 403,
                       "suspension.not_yours")
        assert f"Operators of the group {group} can." in said["detail"]
    refused(reply(agent, asked, value="approve"), 403,
            "suspension.own_question")
    assert read(agent, asked)["state"] == "pending"
    assert reply(inside, asked, value="approve").status_code == 200


def test_one_by_name_decides(server, agent, operator, desk):
    name = f"desk-{new_id()[:8]}"
    named = desk(name)
    asked = put_question(agent, server, "approval",
                         responder={"mode": "named", "who": name})
    said = refused(reply(operator, asked, value="approve"), 403,
                   "suspension.not_yours")
    assert f"Only {name} can." in said["detail"]
    assert reply(named, asked, value="approve").status_code == 200


def test_the_initiator_decides_or_does_not(server, agent, operator, desk):
    name = f"ada-{new_id()[:8]}"
    ada = desk(name)
    intent = {"title": "T", "initiated_by": name}
    mine = put_question(agent, server, "approval", intent=intent,
                        responder={"mode": "initiator"})
    refused(reply(operator, mine, value="approve"), 403,
            "suspension.not_yours")
    assert reply(ada, mine, value="approve").status_code == 200
    others = put_question(agent, server, "approval", intent=intent,
                          responder={"mode": "operators",
                                     "not_initiator": True})
    refused(reply(ada, others, value="approve"), 403, "suspension.initiator")
    r = ada.post(f"/api/v1/intents/{others['intent_id']}/suspend/respond",
                 json={"suspension_id": others["suspension_id"],
                       "value": "approve", "responded_by": "somebody-else"})
    assert r.status_code == 403, r.text
    assert reply(operator, others, value="approve").status_code == 200


@pytest.mark.parametrize("responder, code", [
    ({"mode": "group", "who": "no-such-group"}, "responder.nobody"),
    ({"mode": "named", "who": "nobody@example.com"}, "responder.nobody"),
    ({"mode": "initiator"}, "responder.initiator"),
    ({"mode": "operators", "not_initiator": True}, "responder.initiator"),
    ({"mode": "agent", "who": "lawyer"}, "responder.agent")])
def test_a_question_that_nobody_could_answer_is_not_asked(server, agent,
                                                          responder, code):
    r = agent.post("/api/v1/suspensions",
                   json=body(server, "approval", responder=responder))
    refused(r, 422, code)


def test_a_rule_that_keeps_nobody_out_is_not_taken(server, agent, desk):
    """Another spelling of a name would let the initiator answer."""
    name = f"ada-{new_id()[:8]}"
    desk(name)
    for initiated_by, status in ((name, 201), (f"{name} Roth", 422),
                                 ("Ada", 422)):
        r = agent.post("/api/v1/suspensions", json=body(
            server, "approval",
            intent={"title": "T", "initiated_by": initiated_by},
            responder={"mode": "operators", "not_initiator": True}))
        assert r.status_code == status, (initiated_by, r.text)
    refused(r, 422, "responder.initiator", "responder.not_initiator")


def test_who_is_gone_could_not_answer(server, agent, desk):
    name, group = f"old-{new_id()[:8]}", f"g-{new_id()[:8]}"
    desk(name, group)

    def trying(**responder):
        return agent.post("/api/v1/suspensions", json=body(
            server, "approval", intent={"title": "T", "initiated_by": name},
            responder=responder))

    ways = [{"mode": "named", "who": name}, {"mode": "group", "who": group},
            {"mode": "initiator"}]
    assert [trying(**w).status_code for w in ways] == [201] * 3
    for gone in ("expires_at = now() - interval '1 s', revoked_at = NULL",
                 "expires_at = NULL, revoked_at = now()"):
        with server.database() as db:
            db.execute(f"UPDATE api_key SET {gone} WHERE label = %s", [name])
        for way in ways:
            refused(trying(**way), 422, "responder.nobody",
                    "responder.who" if "who" in way else "responder")


def test_the_label_of_a_persons_token_is_no_name(server, agent):
    """A token answers as its person, whatever it is called."""
    new_token(server, "operator")
    refused(agent.post("/api/v1/suspensions", json=body(
        server, "approval", responder={"mode": "named", "who": "Chat"})),
        422, "responder.nobody", "responder.who")


def test_one_who_is_named_and_excluded_could_not_answer(server, agent, desk):
    name = f"eve-{new_id()[:8]}"
    desk(name)
    r = agent.post("/api/v1/suspensions", json=body(
        server, "approval", intent={"title": "T", "initiated_by": name},
        responder={"mode": "named", "who": name, "not_initiator": True}))
    refused(r, 422, "responder.nobody")


# --- Handoffs -------------------------------------------------------------

def hand_over(agent, server, **more):
    return put_question(agent, server, "handoff_acceptance",
                        responder={"mode": "agent", "who": "lawyer"}, **more)


def owner(client, asked):
    return get(client, {"id": asked["intent_id"]}).get("owner")


@pytest.fixture(scope="module")
def lawyer(server):
    """Another agent with a key of its own."""
    key = server.key("agent", "--agent", "lawyer", label="lawyers")
    with server.client(headers={"X-API-Key": key,
                                "X-Agent-ID": "lawyer"}) as client:
        yield client


def test_another_agent_takes_a_goal_over_by_its_key_alone(
        server, agent, other_agent, operator, admin, lawyer):
    asked = hand_over(agent, server)
    for client in (operator, admin):
        refused(reply(client, asked, value="accept"), 403,
                "suspension.not_yours")
    refused(reply(agent, asked, value="accept"), 403,
            "suspension.own_question")
    refused(reply(other_agent, asked, value="accept"), 404,
            "suspension.unknown")
    # The asking key under the other's name.
    with server.client("agent", agent="lawyer") as twin:
        refused(reply(twin, asked, value="accept"), 403,
                "suspension.own_question")
    # OpenIntent's endpoint is for people.
    refused(respond(lawyer, {"id": asked["intent_id"]},
                    asked["suspension_id"], "accept"), 403, "role.forbidden")
    assert owner(agent, asked) is None
    assert read(lawyer, asked)["state"] == "pending"
    assert action(lawyer, asked)["type"] == "action.required"
    r = reply(lawyer, asked, value="accept")
    assert r.status_code == 200, r.text
    assert r.json()["responded_by"] == "lawyer"
    assert "by the agent lawyer" in r.json()["audit_summary"]
    assert owner(agent, asked) == "lawyer"
    told = events(agent, asked["intent_id"])
    [handoff] = [e for e in told if e["event_type"] == "coordinator.handoff"]
    assert handoff["payload"] == {
        "suspension_id": asked["suspension_id"], "from": "refunds-agent",
        "to": "lawyer"}
    check_chain(told)


def test_a_declined_handoff_leaves_the_goal_where_it_is(server, agent,
                                                        lawyer):
    asked = hand_over(agent, server)
    refused(reply(lawyer, asked, value="decline"), 422, "reason.missing")
    done = reply(lawyer, asked, value="decline", reason="Not my field.")
    assert done.json()["outcome"] == "declined"
    assert owner(agent, asked) is None
    assert "coordinator.handoff" not in types(agent, asked["intent_id"])


def test_who_asks_is_not_who_takes_over(server, agent):
    r = agent.post("/api/v1/suspensions", json=body(
        server, "handoff_acceptance",
        responder={"mode": "agent", "who": "refunds-agent"}))
    refused(r, 422, "responder.agent", "responder.who")


# --- OpenIntent's door ----------------------------------------------------

@pytest.mark.parametrize("kind", KINDS)
def test_a_record_of_a_kind_is_answered_through_openintent(server, agent,
                                                           operator, kind):
    one = dict(kind=kind, subject=subject(server, kind), choices=None,
               response_type=None)
    intent, sid = suspend(agent, **one)
    mirror = get(agent, intent)["state"]["_suspension"]
    seen = read(agent, {"suspension_id": sid})
    assert seen["kind"] == mirror["kind"] == kind
    assert mirror["choices"] == seen["choices"]
    yes = next(c for c in seen["choices"] if c["effect"] in (
        "authorize", "answer", "accept"))["value"]
    value = "red" if kind == "elicitation" else yes
    r = respond(operator, intent, sid, value)
    assert r.status_code == 200, r.text
    assert read(agent, {"suspension_id": sid})["outcome"] in (
        "authorized", "answered", "accepted")
    assert get(agent, intent)["status"] == "active"


def test_openintent_reads_limits_edits_and_declines_of_a_kind(server, agent,
                                                              operator):
    def trying(kind, value, more, **sent):
        intent, sid = suspend(agent, kind=kind, choices=None,
                              subject=subject(server, kind),
                              response_type=None, **more)
        r = respond(operator, intent, sid, value, **sent)
        return r, read(agent, {"suspension_id": sid})

    r, seen = trying("cost_confirmation", "confirm", {},
                     constraints={"limit": 4})
    assert r.status_code == 200 and seen["constraints"] == {"limit": 4}
    r, seen = trying("cost_confirmation", "confirm", {},
                     constraints={"limit": 21})
    assert r.status_code == 422 and seen["state"] == "pending"
    r, seen = trying("approval", "edit", {"allow_edit": True},
                     subject=EDITED, reason="better", typed="order 9")
    assert r.status_code == 200 and seen["approved_subject"] == EDITED
    r, seen = trying("approval", "approve", {}, constraints={"amount": 1})
    assert r.status_code == 422 and r.json()["code"] == "amend.unused"
    r, seen = trying("elicitation", None, {}, choice="decline")
    assert r.status_code == 200 and seen["outcome"] == "declined"


def test_a_record_of_a_kind_without_its_facts_is_refused(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    one = record(kind="approval")
    r = patch(agent, intent, put("_suspension", one))
    said = refused(r, 422, "kind.facts")
    assert said["missing"] == NEEDED["approval"]
    assert "_suspension" not in get(agent, intent)["state"]


@pytest.mark.parametrize("word", [False, None, "vote", "", 7, ["approval"],
                                  "Approval"])
def test_a_plain_record_is_a_plain_card_and_never_a_permit(agent, operator,
                                                           word):
    extra = {"constraints": {"a": 1}, "responder": "me", "subject": 7}
    intent, sid = suspend(agent, **{"kind": word} if word is not None else {},
                          **extra)
    seen = read(agent, {"suspension_id": sid})
    assert seen["kind"] is None
    assert {c["effect"] for c in seen["choices"]} == {"none"}
    # Members of its answer that belong to kinds are ignored here.
    r = respond(operator, intent, sid, "approve", choice="x",
                constraints={"a": 1}, subject={})
    assert r.status_code == 200, r.text
    done = read(agent, {"suspension_id": sid})
    assert done["outcome"] == "none" and done["modified"] is False
    mirror = get(agent, intent)["state"]["_suspension"]
    # Members with the names of the server's own are left out.
    assert mirror["subject"] == 7
    assert not {"constraints", "modified"} & set(mirror)


# --- Hostile -------------------------------------------------------------

def test_hostile_facts_come_back_as_they_were(server, agent, operator):
    nasty = "<script>\u202eevil\u200b\u0007😀" + "x" * 9000
    one = {**SUBJECTS["approval"], "target": nasty,
           "action": {"name": nasty, "deep": {"a": [[[[nasty]]]]}}}
    asked = put_question(agent, server, "approval", subject=one)
    assert read(operator, asked)["subject"] == one
    assert action(operator, asked)["payload"]["subject"] == one


@pytest.mark.parametrize("text, status", [
    ('{"question":"q","kind":"approval","kind":"permission"}', 400),
    ('{"question":"q","kind":"approval","subject":{"target":"\\u0000"}}', 400),
    ('{"question":"q","kind":"approval","subject":{"a":1e999}}', 400),
    ('{"question":"q","kind":"approval","subject":{"a":1,"a":2}}', 400),
    ('{"question":"q","kind":"approval","subject":' + '[' * 40 + ']' * 40
     + '}', 400),
    ('{"question":"q","kind":"approval","subject":[]}', 422),
    ('{"question":"q","kind":7}', 422)])
def test_a_body_that_cannot_be_a_kind(agent, text, status):
    r = agent.post("/api/v1/suspensions", content=text,
                   headers={"Content-Type": "application/json"})
    assert r.status_code == status, r.text
