"""The native door: ask, read, list, answer, cancel."""
import hashlib
import time

import pytest

from kit import (ANY_ID, CHOICES, ZULU, answer, ask, asleep, events, get,
                 new_id, new_intent, patch, put, read, refused, set_status,
                 suspend, types)

route = pytest.mark.route


def cancel(client, asked, **body):
    at = f"/api/v1/suspensions/{asked['suspension_id']}/cancel"
    return client.post(at, json=body)


# --- Asking ---------------------------------------------------------------

@route("POST /api/v1/suspensions")
@route("GET /api/v1/suspensions/{id}")
def test_a_question_is_enough(agent):
    r = agent.post("/api/v1/suspensions", json={"question": "Go on?"})
    asked = r.json()
    assert r.status_code == 201
    assert asked["state"] == "pending"
    assert asked["status"] == "suspended_awaiting_input"
    assert asked["version"] == 1
    assert asked["response_type"] == "confirm"
    assert [c["value"] for c in asked["choices"]] == ["yes", "no"]
    assert asked["asked_by"] == "refunds-agent"
    assert asked["expires_at"] is None
    assert "until somebody answers" in asked["on_expiry"]
    assert asked["url"].endswith(f"/suspensions/{asked['suspension_id']}")
    assert r.headers["location"].endswith(
        f"/api/v1/suspensions/{asked['suspension_id']}")
    assert ZULU.fullmatch(asked["suspended_at"])
    assert asked["subject_sha256"] == hashlib.sha256(b"{}").hexdigest()
    for key in ("outcome", "value", "reason", "responded_by", "responded_at",
                "audit_summary"):
        assert asked[key] is None, key
    seen = read(agent, asked)
    assert seen == {k: v for k, v in asked.items()
                    if k not in ("status", "version")}


def test_one_atomic_call_makes_intent_and_question(agent):
    asked = ask(agent, title="Refund order 12345",
                intent={"description": "d", "session_id": "s", "task_id": "t",
                        "turn_id": "u", "initiated_by": "alice@example.com"})
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["status"] == "suspended_awaiting_input"
    assert intent["version"] == asked["version"] == 1
    assert intent["title"] == "Refund order 12345"
    assert intent["description"] == "d"
    assert intent["session_id"] == "s" and intent["task_id"] == "t"
    assert intent["turn_id"] == "u"
    assert intent["initiated_by"] == "alice@example.com"
    assert intent["created_by"] == "refunds-agent"
    assert intent["state"]["_suspension"]["id"] == asked["suspension_id"]
    assert types(agent, intent["id"]) == ["intent_created",
                                          "intent.suspended"]


def test_the_intents_title_comes_from_where_there_is_one(agent):
    def title(**more):
        asked = ask(agent, **more)
        return get(agent, {"id": asked["intent_id"]})["title"]

    assert title(intent={"title": "Own"}, title="Of it") == "Own"
    assert title(title="Of it") == "Of it"
    assert title(question="Q?") == "Q?"
    assert title(question="😀" * 4000) == "😀" * 500
    assert title(title=" ", question="Q?") == "Q?"


@pytest.mark.parametrize("status", ["draft", "active"])
def test_a_given_intent_is_suspended(agent, status):
    intent = new_intent(agent, status)
    asked = ask(agent, intent_id=intent["id"])
    assert asked["intent_id"] == intent["id"]
    assert asked["version"] == intent["version"] + 1
    now = get(agent, intent)
    assert now["status"] == "suspended_awaiting_input"
    assert now["state"]["_suspension"]["id"] == asked["suspension_id"]


def test_the_window_of_the_two_calls_may_be_filled_here(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    assert ask(agent, intent_id=intent["id"])["state"] == "pending"


@pytest.mark.parametrize("status", ["blocked", "completed", "abandoned"])
def test_an_intent_that_cannot_be_suspended(agent, status):
    intent = new_intent(agent, status)
    r = agent.post("/api/v1/suspensions",
                   json={"question": "Q?", "intent_id": intent["id"]})
    refused(r, 409, "intent.transition")
    assert get(agent, intent) == intent


def test_one_open_question(agent):
    asked = ask(agent)
    r = agent.post("/api/v1/suspensions", json={
        "question": "Another?", "intent_id": asked["intent_id"]})
    body = refused(r, 409, "suspension.open")
    assert body["suspension_id"] == asked["suspension_id"]
    # Another one is asked in a child.
    child = ask(agent, intent={"parent_intent_id": asked["intent_id"]})
    intent = get(agent, {"id": child["intent_id"]})
    assert intent["parent_intent_id"] == asked["intent_id"]


def test_everything_that_can_be_said(agent, channel):
    channel("slack", "slack")
    body = {
        "question": "Refund?", "title": "Refund", "severity": "critical",
        "explanation": "Because.", "channel_hint": "slack",
        "subject": {"amount": 499.990, "n": 12345678901234567},
        "context": {"a": 1}, "response_type": "choice",
        "choices": [
            {"value": "y", "label": "Yes", "description": "d",
             "style": "primary", "metadata": {"m": 1}, "effect": "authorize",
             "reason": "optional"},
            {"value": "n", "label": "No", "effect": "veto",
             "reason": "required"},
            {"value": "l", "label": "Later"}],
        "on_reject": "abandon", "timeout_seconds": 60,
        "fallback_policy": "complete_with_fallback", "fallback_value": "l",
        "retry_policy": {"max_attempts": 2, "interval_seconds": 60,
                         "strategy": "fixed"}}
    # A no that ends the intent leaves nothing to go on with.
    refused(agent.post("/api/v1/suspensions",
                       json={**body, "fallback_value": "n"}), 422,
            "fallback.ends", "fallback_value")
    asked = ask(agent, **body)
    seen = read(agent, asked)
    # Members that its policy lacks are filled in.
    body["retry_policy"]["final_fallback_policy"] = "complete_with_fallback"
    later = body["choices"].pop()
    assert later.items() <= seen["choices"].pop().items()
    for key, value in body.items():
        assert seen[key] == value, key
    assert seen["attempt"] == 1
    assert ZULU.fullmatch(seen["next_attempt_at"])
    assert seen["expires_at"] is not None
    assert '"Later"' in seen["on_expiry"]


def test_the_subject_is_kept_as_the_bytes_that_were_sent(agent, operator):
    subject = b'{ "b":1.50,\n "a" : "\\u00e9" }'
    r = agent.post("/api/v1/suspensions",
                   content=b'{"question":"Q?","subject": ' + subject
                           + b' , "context":{"x":1}}')
    assert r.status_code == 201, r.text
    assert r.json()["subject_sha256"] == hashlib.sha256(subject).hexdigest()
    # Without a subject, what was shown is the context.
    context = b'{"amount":   499.990}'
    r = agent.post("/api/v1/suspensions",
                   content=b'{"question":"Q?","context":' + context + b'}')
    digest = hashlib.sha256(context).hexdigest()
    assert r.json()["subject_sha256"] == digest
    refused(answer(operator, r.json(), "yes", subject_sha256="0" * 64), 409,
            "suspension.changed")
    assert answer(operator, r.json(), "yes",
                  subject_sha256=digest).status_code == 200


def test_hostile_text_is_kept_and_comes_back_as_it_was(agent):
    text = "<script>alert(1)</script>\u202e\u200b{{x}} ' \" \\ \u0007 😀"
    asked = ask(agent, question=text, title=text,
                choices=[{"value": text, "label": text}],
                context={text: text})
    seen = read(agent, asked)
    assert seen["question"] == seen["title"] == text
    assert seen["choices"][0]["value"] == text
    assert seen["context"] == {text: text}


def long(n):
    return "x" * n


@pytest.mark.parametrize("body, code, at", [
    ({"question": None}, "field.missing", "question"),
    ({"question": ""}, "field.empty", "question"),
    ({"question": " \n"}, "field.empty", "question"),
    ({"question": long(4001)}, "field.too_long", "question"),
    ({"question": {}}, "field.type", "question"),
    ({"title": long(201)}, "field.too_long", "title"),
    ({"explanation": long(20001)}, "field.too_long", "explanation"),
    ({"severity": "urgent"}, "field.value", "severity"),
    ({"severity": ""}, "field.value", "severity"),
    ({"response_type": "vote"}, "field.value", "response_type"),
    ({"response_type": "choice", "choices": []}, "field.missing", "choices"),
    ({"response_type": "text"}, "field.unused", "choices"),
    ({"choices": {}}, "field.type", "choices"),
    ({"choices": [7]}, "body.not_object", "choices[0]"),
    ({"choices": [{"value": "a", "label": "A"}, {"label": "B"}]},
     "field.missing", "choices[1].value"),
    ({"choices": [{"value": ""}]}, "field.empty", "choices[0].value"),
    ({"choices": [{"value": "a"}, {"value": "a"}]}, "choices.duplicate",
     "choices[1]"),
    ({"choices": [{"value": "a", "effect": "explode"}]}, "field.value",
     "choices[0].effect"),
    ({"choices": [{"value": "a", "effect": "authorize_modified"}]},
     "field.value", "choices[0].effect"),
    ({"choices": [{"value": "a", "reason": "maybe"}]}, "field.value",
     "choices[0].reason"),
    ({"choices": [{"value": "a", "icon": "x"}]}, "field.unknown",
     "choices[0].icon"),
    ({"choices": [{"value": "a", "metadata": 1}]}, "field.type",
     "choices[0].metadata"),
    ({"choices": [{"value": long(201)}]}, "field.too_long",
     "choices[0].value"),
    ({"choices": [{"value": str(i)} for i in range(21)]}, "field.too_many",
     "choices"),
    ({"context": []}, "field.type", "context"),
    ({"subject": "x"}, "field.type", "subject"),
    ({"timeout_seconds": 0}, "field.range", "timeout_seconds"),
    ({"timeout_seconds": -5}, "field.range", "timeout_seconds"),
    ({"timeout_seconds": 1e9}, "field.range", "timeout_seconds"),
    ({"timeout_seconds": True}, "field.range", "timeout_seconds"),
    ({"fallback_policy": "guess"}, "field.value", "fallback_policy"),
    ({"fallback_policy": "complete_with_fallback"}, "field.missing",
     "fallback_value"),
    ({"retry_policy": {"max_attempts": 101}}, "field.range",
     "retry_policy.max_attempts"),
    ({"retry_policy": []}, "field.type", "retry_policy"),
    ({"on_reject": "explode"}, "field.value", "on_reject"),
    ({"intent_id": "x"}, "field.uuid", "intent_id"),
    ({"intent_id": ANY_ID, "intent": {}}, "field.unused", "intent"),
    ({"intent": []}, "body.not_object", "intent"),
    ({"intent": {"status": "active"}}, "field.unknown", "intent.status"),
    ({"intent": {"parent_intent_id": "x"}}, "field.uuid",
     "intent.parent_intent_id"),
    ({"state": "resolved"}, "field.unknown", "state"),
    ({"response": "approve"}, "field.unknown", "response"),
    ({"resolution": "responded"}, "field.unknown", "resolution"),
    ({"kind": "vote"}, "field.value", "kind"),
])
def test_a_body_that_cannot_be_a_question(agent, body, code, at):
    body = {"question": "Refund?", "choices": CHOICES, **body}
    refused(agent.post("/api/v1/suspensions", json=body), 422, code, at)


def test_intents_that_there_are_not(agent):
    refused(agent.post("/api/v1/suspensions",
                       json={"question": "Q?", "intent_id": ANY_ID}), 404,
            "intent.unknown")
    r = agent.post("/api/v1/suspensions", json={
        "question": "Q?", "intent": {"parent_intent_id": ANY_ID}})
    refused(r, 404, "intent.unknown", "intent.parent_intent_id")


def test_a_question_with_all_its_facts_has_a_ceiling(agent):
    refused(agent.post("/api/v1/suspensions", json={
        "question": "Q?", "context": {"a": "x" * (250 << 10)},
        "explanation": "x" * 10000}), 413)


# --- Reading and listing --------------------------------------------------

def test_an_agent_sees_what_it_asked_itself(agent, other_agent, operator,
                                            auditor, admin):
    asked = ask(agent)
    at = f"/api/v1/suspensions/{asked['suspension_id']}"
    refused(other_agent.get(at), 404, "suspension.unknown")
    refused(other_agent.post(at + "/cancel", json={}), 404,
            "suspension.unknown")
    for client in (agent, operator, auditor, admin):
        assert client.get(at).json()["question"] == asked["question"]


def test_an_id_in_upper_case(agent, operator):
    asked = ask(agent)
    path = f"/api/v1/suspensions/{asked['suspension_id'].upper()}"
    r = agent.get(path)
    assert r.status_code == 200, r.text
    assert r.json()["suspension_id"] == asked["suspension_id"]
    r = operator.post(path + "/respond", json={
        "value": "approve", "subject_sha256": asked["subject_sha256"]})
    assert r.status_code == 200, r.text
    assert agent.get(path + "?wait=5").json()["state"] == "resolved"
    for other in (new_id().upper(), "X" + asked["suspension_id"][1:].upper()):
        assert agent.get(f"/api/v1/suspensions/{other}").status_code == 404
        assert operator.post(f"/api/v1/suspensions/{other}/respond",
                             json={"value": "approve"}).status_code == 404


@route("GET /api/v1/suspensions")
def test_a_list_pages_by_key(server, operator):
    with server.client("agent", agent="list-agent") as one:
        asked = [ask(one)["suspension_id"] for _ in range(5)]
        answer(operator, {"suspension_id": asked[2]})
        got, query = [], {"limit": 2}
        while True:
            page = one.get("/api/v1/suspensions", params=query).json()
            got += [s["suspension_id"] for s in page["suspensions"]]
            if not page["next"]:
                break
            assert page["next"] == got[-1]
            query["after"] = page["next"]
        assert got == asked[::-1]
        r = one.get("/api/v1/suspensions", params={"state": "pending"})
        listed = [s["suspension_id"] for s in r.json()["suspensions"]]
        assert listed == [a for a in asked[::-1] if a != asked[2]]
        r = one.get("/api/v1/suspensions", params={"state": "resolved"})
        assert [s["value"] for s in r.json()["suspensions"]] == ["approve"]


def test_a_list_shows_an_agent_its_own_and_others_all(
        agent, other_agent, operator):
    mine, theirs = ask(agent), ask(other_agent)
    listed = agent.get("/api/v1/suspensions").json()["suspensions"]
    assert listed[0]["suspension_id"] == mine["suspension_id"]
    assert {s["asked_by"] for s in listed} == {"refunds-agent"}
    listed = operator.get("/api/v1/suspensions").json()["suspensions"]
    assert [s["suspension_id"] for s in listed[:2]] == [
        theirs["suspension_id"], mine["suspension_id"]]


@pytest.mark.parametrize("query", [
    {"state": "open"}, {"state": ""}, {"limit": "0"}, {"limit": "101"},
    {"limit": "x"}, {"after": ANY_ID}, {"after": ""}, {"after": "a b"}])
def test_a_query_that_cannot_be(agent, query):
    refused(agent.get("/api/v1/suspensions", params=query), 400,
            "request.query", next(iter(query)))


def test_a_page_after_anothers_question_is_told_nothing(agent, other_agent):
    theirs = ask(other_agent)["suspension_id"]
    unknown = agent.get("/api/v1/suspensions", params={"after": new_id()})
    theirs = agent.get("/api/v1/suspensions", params={"after": theirs})
    assert theirs.status_code == 400 and theirs.json() == unknown.json()


@pytest.mark.parametrize("at", [ANY_ID, "x", "1", "x" * 65, "a%20b",
                                "%F0%9F%98%80"])
def test_a_suspension_that_there_is_not(agent, operator, at):
    path = f"/api/v1/suspensions/{at}"
    refused(agent.get(path), 404, "suspension.unknown")
    refused(operator.post(path + "/respond", json={"value": "x"}), 404,
            "suspension.unknown")
    refused(agent.post(path + "/cancel"), 404, "suspension.unknown")


# --- Answering ------------------------------------------------------------

@route("POST /api/v1/suspensions/{id}/respond")
def test_an_answer(agent, operator):
    asked = ask(agent)
    r = answer(operator, asked, "approve", reason="fine", metadata={"a": 1},
               responded_by="alice@example.com")
    assert r.status_code == 200
    got = r.json()
    assert got["state"] == "resolved" and got["outcome"] == "none"
    assert got["value"] == "approve" and got["reason"] == "fine"
    assert got["metadata"] == {"a": 1}
    assert got["responded_by"] == "demo operator"
    assert got["responded_by_claimed"] == "alice@example.com"
    assert got["responded_via"] == "native"
    assert ZULU.fullmatch(got["responded_at"])
    assert "Approve refund" in got["audit_summary"]
    assert read(agent, asked) == got
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["status"] == "active" and intent["version"] == 2
    assert intent["state"]["_suspension"]["response"] == "approve"
    assert types(agent, intent["id"])[-1] == "intent.resumed"


@pytest.mark.parametrize("effect, outcome, status", [
    ("authorize", "authorized", "active"),
    ("veto", "vetoed", "active"),
    ("request_changes", "changes_requested", "active"),
    ("answer", "answered", "active"),
    ("decline", "declined", "active"),
    ("accept", "accepted", "active"),
    ("stop_task", "vetoed", "abandoned"),
    ("none", "none", "active"),
])
def test_the_outcome_comes_from_the_choices_effect(agent, operator, effect,
                                                   outcome, status):
    asked = ask(agent, choices=[{"value": "x", "effect": effect}])
    got = answer(operator, asked, "x").json()
    assert got["outcome"] == outcome
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["status"] == status
    assert intent["state"]["_suspension"]["outcome"] == outcome
    assert intent["state"]["_suspension"]["resolution"] == "responded"
    if status == "abandoned":
        assert types(agent, intent["id"])[-2:] == ["intent.resumed",
                                                   "status_changed"]


def test_a_veto_may_end_the_intent(agent, operator):
    choices = [{"value": "no", "effect": "veto"}]
    resumed = ask(agent, choices=choices)
    ended = ask(agent, choices=choices, on_reject="abandon")
    for asked, status in ((resumed, "active"), (ended, "abandoned")):
        assert answer(operator, asked, "no").status_code == 200
        intent = get(agent, {"id": asked["intent_id"]})
        assert intent["status"] == status


def test_an_answer_that_needs_a_reason(agent, operator):
    asked = ask(agent, choices=[
        {"value": "no", "effect": "veto", "reason": "required"}])
    for more in ({}, {"reason": ""}, {"reason": " \t"}):
        refused(answer(operator, asked, "no", **more), 422, "reason.missing",
                "reason")
    refused(answer(operator, asked, "no", reason="x" * 4001), 422,
            at="reason")
    assert read(agent, asked)["state"] == "pending"
    got = answer(operator, asked, "no", reason="because")
    assert got.json()["reason"] == "because"


FORM = [
    {"key": "amount", "type": "number", "required": True, "min": 1,
     "max": 500},
    {"key": "count", "type": "integer"},
    {"key": "note", "type": "text", "max_length": 10, "min_length": 2},
    {"key": "sure", "type": "boolean"},
    {"key": "how", "type": "enum", "options": [
        "cash", {"value": "card", "label": "Card"}]},
    {"key": "tags", "type": "multi", "options": ["a", "b"]},
    {"key": "mail", "format": "email"},
    {"key": "when", "format": "date"},
]


@pytest.mark.parametrize("value, wrong", [
    ({}, {"amount"}),
    ({"amount": 0.5}, {"amount"}),
    ({"amount": 501}, {"amount"}),
    ({"amount": "5"}, {"amount"}),
    ({"amount": 5, "count": 1.5}, {"count"}),
    ({"amount": 5, "note": "x"}, {"note"}),
    ({"amount": 5, "note": "x" * 11}, {"note"}),
    ({"amount": 5, "sure": "yes"}, {"sure"}),
    ({"amount": 5, "how": "cheque"}, {"how"}),
    ({"amount": 5, "tags": ["a", "c"]}, {"tags"}),
    ({"amount": 5, "tags": "a"}, {"tags"}),
    ({"amount": 5, "mail": "nobody"}, {"mail"}),
    ({"amount": 5, "when": "2026-02-30"}, {"when"}),
    ({"amount": 5, "else": 1}, {"else"}),
    ({"amount": None, "note": 7}, {"amount", "note"}),
])
def test_a_form_answer_that_cannot_be(agent, operator, value, wrong):
    asked = ask(agent, response_type="form", choices=None, form=FORM)
    body = refused(answer(operator, asked, value), 422, "response.form")
    assert set(body["fields"]) == wrong
    assert read(agent, asked)["state"] == "pending"


def test_a_form_answer(agent, operator):
    asked = ask(agent, response_type=None, choices=None, form=FORM)
    assert asked["response_type"] == "form"
    for wrong in (None, [], "x", 1):
        refused(answer(operator, asked, wrong), 422)
    value = {"amount": 499.99, "count": 3, "note": "wörds", "sure": False,
             "how": "card", "tags": ["b", "a"], "mail": "a@example.com",
             "when": "2026-11-20"}
    got = answer(operator, asked, value).json()
    assert got["value"] == value and got["outcome"] == "answered"


@pytest.mark.parametrize("form, code", [
    ([], "form.fields"),
    ([{"key": "a"}] * 2, "form.duplicate"),
    ([{"key": "password"}], "form.secret"),
    ([{"key": "API_KEY"}], "form.secret"),
    ([{"key": "x", "label": "Password"}], "form.secret"),
    ([{"key": ""}], "field.empty"),
    ([{"key": "a", "type": "date"}], "field.value"),
    ([{"key": "a", "type": "enum"}], "form.options"),
    ([{"key": "a", "type": "enum", "options": [1]}], "form.option"),
    ([{"key": "a", "type": "integer", "default": "x"}], "form.default"),
    ([{"key": "a", "min_length": 5, "max_length": 2}], "form.bounds"),
    ([{"key": "a", "pattern": "(a+)+"}], "field.unknown"),
])
def test_a_form_that_cannot_be(agent, form, code):
    r = agent.post("/api/v1/suspensions", json={"question": "Q?",
                                                "form": form})
    refused(r, 422, code)


@pytest.mark.parametrize("body, code, at", [
    ({"reason": 7}, "field.type", "reason"),
    ({"metadata": []}, "field.type", "metadata"),
    ({"subject_sha256": "x" * 65}, "field.too_long", "subject_sha256"),
    ({"outcome": "authorized"}, "field.unknown", "outcome"),
    ({"constraints": []}, "field.type", "constraints"),
])
def test_a_body_that_cannot_be_an_answer(agent, operator, body, code, at):
    asked = ask(agent)
    refused(answer(operator, asked, **body), 422, code, at)


def test_a_choice_that_there_is_not(agent, operator):
    asked = ask(agent)
    body = refused(answer(operator, asked, "x"), 422,
                   "response.invalid_choice")
    assert [c["value"] for c in body["valid_choices"]] == ["approve", "deny"]
    r = operator.post(f"/api/v1/suspensions/{asked['suspension_id']}/respond",
                      json={})
    refused(r, 422, "response.invalid_choice")


def test_a_second_answer_names_the_first(agent, operator, other_operator):
    asked = ask(agent)
    first = answer(operator, asked, "approve").json()
    body = refused(answer(other_operator, asked, "deny"), 409,
                   "suspension.already_decided")
    assert body["value"] == "approve"
    assert body["responded_by"] == "demo operator"
    assert body["responded_at"] == first["responded_at"]
    assert read(agent, asked) == first


def test_only_people_answer(agent, other_agent, auditor):
    asked = ask(agent)
    refused(answer(agent, asked), 403, "suspension.own_question")
    refused(answer(other_agent, asked), 404, "suspension.unknown")
    refused(answer(auditor, asked), 403, "role.forbidden")
    assert read(agent, asked)["state"] == "pending"


# --- Cancelling -----------------------------------------------------------

@route("POST /api/v1/suspensions/{id}/cancel")
def test_the_asking_agent_takes_it_back(agent, operator):
    asked = ask(agent)
    r = cancel(agent, asked, reason="not needed")
    assert r.status_code == 200
    got = r.json()
    assert got["state"] == "cancelled" and got["reason"] == "not needed"
    assert got["outcome"] == "none" and got["value"] is None
    assert got["responded_by"] == "refunds-agent"
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["status"] == "active" and intent["version"] == 2
    assert intent["state"]["_suspension"]["resolution"] == "cancelled"
    assert "response" not in intent["state"]["_suspension"]
    assert types(agent, intent["id"])[-1] == "status_changed"
    body = refused(answer(operator, asked), 409,
                   "suspension.already_decided")
    assert body["state"] == "cancelled"
    refused(cancel(agent, asked), 409, "suspension.already_decided")


def test_an_admin_may_and_an_operator_may_not(agent, operator, admin):
    asked = ask(agent)
    refused(cancel(operator, asked), 403, "role.forbidden")
    assert cancel(admin, asked).status_code == 200
    assert read(agent, asked)["responded_by"] == "demo admin"


def test_no_body_is_needed(agent):
    asked = ask(agent)
    at = f"/api/v1/suspensions/{asked['suspension_id']}/cancel"
    assert agent.post(at).status_code == 200


def test_a_body_that_cannot_be_a_cancellation(agent):
    asked = ask(agent)
    refused(cancel(agent, asked, reason=7), 422, "field.type", "reason")
    refused(cancel(agent, asked, why="x"), 422, "field.unknown", "why")
    refused(cancel(agent, asked, reason="x" * 4001), 422, "field.too_long")
    assert read(agent, asked)["state"] == "pending"


def test_an_answered_question_cannot_be_taken_back(agent, operator):
    asked = ask(agent)
    answer(operator, asked, "deny")
    body = refused(cancel(agent, asked), 409, "suspension.already_decided")
    assert body["value"] == "deny"


# --- Silence --------------------------------------------------------------

POLICIES = {"fail": "abandoned", "complete_with_fallback": "active",
            "use_default_and_continue": "active"}


@pytest.fixture(scope="module")
def silent(server, agent):
    """Questions whose time is over, which the clock has not seen yet."""
    with asleep(server, "tick"):
        yield overdue(agent)


def overdue(agent):
    def make(policy):
        return ask(agent, timeout_seconds=1, fallback_policy=policy,
                   fallback_value="deny")

    out = {policy: make(policy) for policy in POLICIES}
    for name in ("cancel", "patch", "complete"):
        out[name] = make("use_default_and_continue")
    out["ended"] = make("fail")
    time.sleep(1.1)
    return out


@pytest.mark.parametrize("policy", POLICIES)
def test_too_late(agent, operator, silent, policy):
    asked = silent[policy]
    assert read(agent, asked)["state"] == "pending"  # reading decides nothing
    body = refused(answer(operator, asked), 409, "suspension.expired")
    assert body["responded_by"] == "clock"
    seen = read(agent, asked)
    assert seen["state"] == "expired"
    assert seen["responded_via"] == "clock"
    if policy == "fail":
        assert seen["outcome"] == "none" and seen["value"] is None
    else:
        assert seen["outcome"] == "fallback" and seen["value"] == "deny"
    intent = get(agent, {"id": asked["intent_id"]})
    assert intent["status"] == POLICIES[policy]
    assert intent["state"]["_suspension"]["resolution"] == "expired"
    expired = events(agent, intent["id"],
                     event_type="intent.suspension_expired")
    assert len(expired) == 1 and expired[0]["actor"] == "clock"
    assert ("fallback_value" in expired[0]["payload"]) == (policy != "fail")


def test_too_late_to_take_it_back(agent, silent):
    refused(cancel(agent, silent["cancel"]), 409, "suspension.expired")
    assert read(agent, silent["cancel"])["state"] == "expired"


def test_the_agent_goes_on_after_its_own_clock_said_so(agent, silent):
    """The SDK is not told that time was up; it patches and completes with the
    version that it knows."""
    intent = get(agent, {"id": silent["patch"]["intent_id"]})
    r = patch(agent, intent, put("done", True))
    assert r.status_code == 200, r.text
    assert r.json()["status"] == "active" and r.json()["state"]["done"]
    assert read(agent, silent["patch"])["state"] == "expired"
    intent = get(agent, {"id": silent["complete"]["intent_id"]})
    r = set_status(agent, intent, "completed")
    assert r.status_code == 200, r.text
    assert r.headers["etag"] == f'"{r.json()["version"]}"'
    assert types(agent, intent["id"])[-3:] == [
        "intent.suspension_expired", "status_changed", "status_changed"]
    intent = get(agent, {"id": silent["ended"]["intent_id"]})
    refused(set_status(agent, intent, "completed"), 409)
    refused(patch(agent, intent, put("done", True)), 409)


def test_a_question_through_the_other_door_is_read_here(agent):
    _, suspension = suspend(agent)
    assert read(agent, {"suspension_id": suspension})["state"] == "pending"


# --- The agent's own task ---------------------------------------------------

def test_a_question_has_the_agents_own_task(agent, operator):
    """However it is read: by itself, in the lists, and by an event of
    Agent UI."""
    task = f"t-{new_id()}"
    asked = ask(agent, intent={"title": "Refund", "task_id": task})
    id = asked["suspension_id"]
    path = f"/api/v1/suspensions/{id}"

    def listed(**query):
        rows = agent.get("/api/v1/suspensions", params={
            "limit": 100, **query}).json()["suspensions"]
        return [s["task_id"] for s in rows if s["suspension_id"] == id]

    assert asked["task_id"] == task
    assert agent.get(path).json()["task_id"] == task
    assert agent.get(f"{path}/action").json()["taskId"] == task
    assert listed() == listed(state="pending") == [task]
    assert answer(operator, asked).json()["task_id"] == task
    assert listed(state="resolved") == [task]
    assert agent.get(f"{path}/action").json()["taskId"] == task
    other = ask(agent, intent={"title": "Refund", "task_id": task})
    r = agent.post(f"/api/v1/suspensions/{other['suspension_id']}/cancel")
    assert r.json()["task_id"] == task
    plain = ask(agent)
    path = f"/api/v1/suspensions/{plain['suspension_id']}"
    assert "task_id" not in agent.get(path).json()
    assert agent.get(f"{path}/action").json()["taskId"] == plain["intent_id"]


def test_who_asks_for_access_learns_no_task(agent, other_agent):
    intent = ask(agent, intent={"title": "Refund", "task_id": "t-1"})
    r = other_agent.post(
        f"/api/v1/intents/{intent['intent_id']}/access-requests", json={
            "principal_id": "other-agent", "requested_permission": "read",
            "reason": "To help."})
    assert r.status_code == 201, r.text
    got = other_agent.get(f"/api/v1/suspensions/{r.json()['id']}")
    assert got.status_code == 200 and "t-1" not in got.text
