"""A word means its effect: where any choice has an effect, "reject" never
approves, whatever an agent calls its choices, at any door."""
import pytest
from kit import (answer, ask, at, events, made, new_id, new_intent, patch,
                 put as put_, record, refused, respond, suspend)
from page import Page, token
from plans import decide, question, read, reached
from test_resume import resume

SUBJECT = {"action": {"name": "refund"}, "target": "orders/12345",
           "scope_summary": "One order", "consequence": "The money is gone."}


@pytest.fixture(scope="module")
def me(person):
    return person("operator").client


def choice(value, effect, label=None, **more):
    return {"value": value, "label": label or f"Take way {value.strip()}",
            "effect": effect, **more}


def asking(client, choices, kind=None, **more):
    body = {"question": "Refund?", "choices": choices, "severity": "low",
            **({"kind": kind, "subject": SUBJECT} if kind else {}), **more}
    return client.post("/api/v1/suspensions", json=body)


# The values say the opposite of the effects, and the labels pass.
TURNED = [choice("reject", "authorize", "Reject order 1234"),
          choice("approve", "veto", "Approve nothing today")]
TWO_NOES = [choice("ship", "authorize", "Ship it"),
            choice("later", "veto", "Keep it for later"),
            choice("drop", "veto", "Drop it")]


def outcome(client, asked):
    return question(client, asked["suspension_id"])["outcome"]


# --- When it is asked -----------------------------------------------------

# The last ones have letters of Cyrillic, Greek and Turkish.
NOES = ["reject", "no", "deny", "decline", "REJECT", "No", " Deny ", "cancel",
        "\uff52\uff45\uff4a\uff45\uff43\uff54", "re\u200bject", "no!", "do_not",
        "stop-it", "nein", "DECLINED", "n\u043e", "\u039d\u039f",
        "decl\u0131ne", "DEN\u0130ED", "don\u02bct"]
YESES = ["approve", "yes", "allow", "accept", "APPROVE", "Yes", " Allow ",
         "ok", "\uff41\uff50\uff50\uff52\uff4f\uff56\uff45", "ap\u200bprove",
         "yes!", "go_ahead", "do-it", "ja", "ACCEPTED", "y\u0435s", "\u039f\u039a",
         "perm\u0131t", "CONF\u0130RM", "\ufb01ne"]


@pytest.mark.parametrize("kind", [None, "approval"])
@pytest.mark.parametrize("no, yes", [*zip(NOES, YESES)])
def test_a_value_does_not_say_the_opposite(agent, kind, no, yes):
    for choices, place in (
            ([choice(no, "authorize", "Send it"), choice("x1", "veto")], 0),
            ([choice("x1", "authorize"), choice(yes, "veto", "Keep it")], 1)):
        refused(asking(agent, choices, kind), 422, "choice.value_opposite",
                f"choices[{place}].value")


def test_every_effect_has_its_side(agent):
    for value, effect in (("no", "accept"), ("yes", "decline"),
                          ("yes", "stop_task"), ("ok", "request_changes")):
        refused(asking(agent, [choice(value, effect),
                               choice("x1", "answer")]), 422,
                "choice.value_opposite")
    for value in ("no", "yes", "reject"):  # an answer is neither
        assert asking(agent, [choice(value, "answer"), choice("x1", "veto")]
                      ).status_code == 201


@pytest.mark.parametrize("kind", [None, "approval"])
def test_a_confirm_answers_with_its_own_words(agent, kind):
    code = "kind.effect" if kind else "choice.value_opposite"
    for label in ("Keep it", "Yes keep it"):
        refused(asking(agent, [choice("yes", "veto", label),
                               choice("no", "authorize", "No delay, pay")],
                       kind, response_type="confirm"), 422, code)
    r = asking(agent, [choice("yes", "authorize", "Pay"),
                       choice("no", "veto", "Keep it")], kind,
               response_type="confirm")
    assert r.status_code == 201, r.text


@pytest.mark.parametrize("openintent", [False, True])
def test_a_confirm_without_effects_is_labelled_as_it_answers(agent, me,
                                                             openintent):
    """Its yes and no are what keys, lists and words take them for."""
    def put(yes, no):
        choices = [{"value": "yes", "label": yes},
                   {"value": "no", "label": no}]
        if not openintent:
            return agent.post("/api/v1/suspensions", json={
                "question": "Refund?", "response_type": "confirm",
                "choices": [{**c, "effect": "none"} for c in choices]})
        intent = new_intent(agent, "suspended_awaiting_input")
        return patch(agent, intent, put_("_suspension", record(
            response_type="confirm", choices=choices)))

    for yes, no, place in (("No, keep it", "Later", 0),
                           ("Send it", "Yes", 1), ("Cancel", "OK", 0)):
        refused(put(yes, no), 422, "choice.label_opposite",
                f"choices[{place}].label")
    for yes, no in (("Yes", "No"), ("Send it", "Keep it"),
                    ("Cancel order 7", "Keep order 7")):
        assert put(yes, no).status_code in (200, 201), (yes, no)


@pytest.mark.parametrize("kind", [None, "approval"])
def test_a_label_that_begins_with_the_word_and_says_more(agent, operator,
                                                         kind):
    choices = [choice("cancel", "authorize", "Cancel order 1234"),
               choice("keep", "veto", "Keep order 1234")]
    asked = made(asking(agent, choices, kind))
    # A program that shows the choices sends the value of the one pressed.
    assert answer(operator, asked, "cancel").json()["outcome"] == "authorized"
    asked = made(asking(agent, choices, kind))
    refused(resume(operator, asked["suspension_id"], "cancel"), 422,
            "resume.action")
    assert outcome(agent, asked) is None
    for label in ("Send it", "Cancelled order 1234", "Cancel", "Do not cancel"):
        choices[0]["label"] = label
        assert asking(agent, choices, kind).status_code == 422, label


# --- By word --------------------------------------------------------------

@pytest.mark.route("POST /api/v1/resume/{id}")
@pytest.mark.parametrize("kind", [None, "approval"])
@pytest.mark.parametrize("word, wanted", [
    ("reject", "vetoed"), ("REJECT", "vetoed"), ("no", "vetoed"),
    ("Deny", "vetoed"), ("\uff2e\uff2f", "vetoed"), ("decline", "vetoed"),
    ("re\u200bject", "vetoed"), ("approve", "authorized")])
def test_a_word_means_its_effect(agent, operator, kind, word, wanted):
    for choices in (TURNED, TURNED[::-1]):
        asked = made(asking(agent, choices, kind))
        r = resume(operator, asked["suspension_id"], word)
        assert r.status_code == 200, r.text
        assert r.json()["outcome"] == wanted
        assert outcome(agent, asked) == wanted


def test_a_yes_is_spelled_as_it_stands(agent, operator):
    """A no may be spelled in any way, and is never the harder one."""
    asked = made(asking(agent, TWO_NOES))
    for word in ("APPROVE", "Approve", "yes", "allow", "ok", "go"):
        r = resume(operator, asked["suspension_id"], word)
        refused(r, 422, "resume.action")
        assert r.json()["valid_actions"] == ["approve", "reject", "ship",
                                             "later", "drop"]
    assert outcome(agent, asked) is None


def test_a_no_works_however_many_reject(agent, operator):
    for word in ("reject", "no", "decline"):
        asked = made(asking(agent, TWO_NOES))
        r = resume(operator, asked["suspension_id"], word)
        assert r.status_code == 200, r.text
        found = question(agent, asked["suspension_id"])
        assert (found["outcome"], found["value"]) == ("vetoed", "later")
    for effects in (["decline"], ["stop_task"], ["request_changes"],
                    ["stop_task", "decline", "decline"]):
        asked = made(asking(agent, [
            choice("ship", "authorize"),
            *(choice(f"x{n}", e) for n, e in enumerate(effects))]))
        r = resume(operator, asked["suspension_id"], "reject")
        assert r.status_code == 200, r.text
        assert r.json()["outcome"] not in ("authorized", "answered", "none")


def test_a_value_of_an_agent_stands_where_it_is_no_word(agent, operator):
    asked = made(asking(agent, TWO_NOES))
    r = resume(operator, asked["suspension_id"], "drop")
    assert r.json()["outcome"] == "vetoed"
    assert question(agent, asked["suspension_id"])["value"] == "drop"


@pytest.mark.parametrize("word, wanted", [
    ("reject", "vetoed"), ("REJECT", "vetoed"), ("no", "vetoed"),
    ("approve", None)])
def test_a_word_at_the_native_door(agent, operator, word, wanted):
    """A yes that is the value of a no could be meant in two ways."""
    asked = made(asking(agent, TURNED))
    r = answer(operator, asked, word)
    assert r.status_code == (200 if wanted else 422), r.text
    assert outcome(agent, asked) == wanted


def test_a_word_at_the_doors_of_openintent(agent, operator):
    asked = made(asking(agent, TWO_NOES))
    r = respond(operator, {"id": asked["intent_id"]}, asked["suspension_id"],
                "reject")
    assert r.status_code == 200, r.text
    assert r.json()["value"] == "later"
    assert r.json()["choice_label"] == "Keep it for later"
    told = events(agent, asked["intent_id"], event_type="intent.resumed")
    assert told[0]["payload"]["choice_label"] == "Keep it for later"


def test_where_no_choice_has_an_effect_a_word_is_a_value(agent, operator):
    """RFC-0025: the agent reads its own value."""
    plain = [{"value": v, "label": label} for v, label in (
        ("reject", "Send it"), ("approve", "Keep it"))]
    for way in ("resume", "openintent", "native"):
        intent, id = suspend(agent, choices=plain)
        if way == "resume":
            r = resume(operator, id, "reject")
        elif way == "openintent":
            r = respond(operator, intent, id, "reject")
        else:
            r = answer(operator, {"suspension_id": id}, "reject")
        assert r.status_code == 200, r.text
        found = question(agent, id)
        assert (found["value"], found["outcome"]) == ("reject", "none")


def test_the_payload_has_the_choice(agent, operator):
    asked = ask(agent, choices=[
        choice("ship", "authorize", "Ship it", description="By mail"),
        choice("hold", "veto", "Hold it")])
    answer(operator, asked, "ship")
    told = events(agent, asked["intent_id"], event_type="intent.resumed")
    assert told[0]["payload"]["choice_label"] == "Ship it"
    assert told[0]["payload"]["choice_description"] == "By mail"
    asked = ask(agent, response_type="text", choices=None)
    answer(operator, asked, "ship")
    told = events(agent, asked["intent_id"], event_type="intent.resumed")
    assert "choice_label" not in told[0]["payload"]


# --- At the other doors -----------------------------------------------------

@pytest.mark.parametrize("choices", [TURNED, TURNED[::-1], TWO_NOES])
@pytest.mark.parametrize("how, status", [("approve", "approved"),
                                         ("reject", "rejected")])
def test_a_checkpoint_is_what_was_said(agent, operator, choices, how, status):
    intent, of, first, second, _ = reached(agent)
    asked = ask(agent, intent_id=intent["id"], choices=choices,
                context={"checkpoint_id": "cp-1"})
    r = decide(operator, of, how)
    assert r.status_code == 200, r.text
    assert read(agent, of)["checkpoints"][0]["status"] == status
    assert outcome(agent, asked) == ("vetoed" if how == "reject"
                                     else "authorized")


def test_an_arbitration_is_not_settled_by_a_word(agent, operator):
    intent = new_intent(agent, "active")
    options = [{"value": "approve", "label": "The first"},
               {"value": "reject", "label": "The second"},
               {"value": "no", "label": "None"}]
    made(agent.post(at(intent, "arbitrate"), json={
        "reason": "Which?", "context": {"options": options}}))
    id = agent.get("/api/v1/suspensions", params={
        "state": "pending", "limit": 100}).json()["suspensions"]
    id = next(s["suspension_id"] for s in id
              if s["intent_id"] == intent["id"])
    for word in ("approve", "reject", "no", "REJECT"):
        refused(resume(operator, id, word), 422, "resume.action")
    made(operator.post(at(intent, "decisions"), json={
        "decision_type": "arbitration", "outcome": "reject"}))
    assert question(agent, id)["value"] == "reject"
    assert question(agent, id)["outcome"] == "answered"


def test_a_request_for_access_is_denied_by_word(agent, other_agent, operator):
    intent = new_intent(agent, "active")
    for word, wanted in (("reject", "vetoed"), ("no", "vetoed"),
                         ("approve", None)):
        id = made(other_agent.post(at(intent, "access-requests"), json={
            "principal_id": "other-agent", "requested_permission": "write",
            "reason": "To help."}))["id"]
        r = resume(operator, id, word)
        assert r.status_code == (200 if wanted else 422), r.text
        assert question(operator, id)["outcome"] == wanted


def test_silence_is_no_yes_by_word(agent):
    more = {"timeout_seconds": 600,
            "fallback_policy": "complete_with_fallback"}
    for choices in (TWO_NOES, TURNED):
        refused(asking(agent, choices, fallback_value="approve", **more), 422,
                "fallback.authorizes", "fallback_value")
    refused(asking(agent, TURNED, fallback_value="reject", **more), 422,
            "fallback.authorizes", "fallback_value")
    assert asking(agent, TWO_NOES, fallback_value="later",
                  **more).status_code == 201


@pytest.mark.parametrize("choices", [TWO_NOES, [
    choice("a", "authorize"), choice("b", "authorize"), choice("c", "veto")]])
def test_silence_is_no_yes_in_any_spelling(agent, choices):
    """The agent reads its fallback as it reads an answer."""
    more = {"timeout_seconds": 600,
            "fallback_policy": "complete_with_fallback"}
    for word in ("approve", "APPROVE", "yes", "ok", "Approve!", "allow",
                 "\uff41pprove", "\u0430pprove", "accepted", True):
        refused(asking(agent, choices, fallback_value=word, **more), 422,
                "fallback.authorizes", "fallback_value")
    for word in ("none", "no", "later", False, {"by": "timeout"}):
        assert asking(agent, choices, fallback_value=word,
                      **more).status_code == 201, word


# --- On the page ------------------------------------------------------------

def path(asked):
    return f"/suspensions/{asked['suspension_id']}"


def test_a_link_with_a_word_shows_its_effect(agent, me):
    for choices in (TURNED, TURNED[::-1]):
        asked = made(asking(agent, choices))
        for word, value in (("reject", "approve"), ("REJECT", "approve"),
                            ("approve", "reject")):
            page = Page(me.get(path(asked), params={"choice": word}))
            assert page.value("/respond", "value") == value, word
    asked = made(asking(agent, [
        choice("cancel", "authorize", "Cancel order 1234"),
        choice("keep", "veto", "Keep order 1234")]))
    page = Page(me.get(path(asked), params={"choice": "cancel"}))
    assert page.buttons("/respond") == ["cancel", "keep"]  # none is chosen


@pytest.mark.parametrize("severity", ["low", "critical"])
def test_a_button_does_what_it_says(agent, me, severity):
    """Also where it leads to a page of its own first."""
    for value, wanted in (("reject", "authorized"), ("approve", "vetoed")):
        asked = made(asking(agent, TURNED, "approval", severity=severity))
        page = Page(me.get(path(asked)))
        if severity == "low":
            data = page.data("/respond", value=value)
        else:
            r = me.get(path(asked), params={"choice": value, "exact": "yes"})
            page = Page(r)
            assert page.value("/respond", "value") == value
            data = page.data("/respond", value=value, reason="As agreed.",
                             typed="orders/12345")
        r = me.post(f"{path(asked)}/respond", data=data)
        assert r.status_code == 303, Page(r).text
        assert outcome(agent, asked) == wanted


def test_the_buttons_of_a_page_name_their_value(agent, me):
    asked = made(asking(agent, TURNED, "approval", severity="critical"))
    text = me.get(path(asked)).text
    for value in ("reject", "approve"):
        assert f"{path(asked)}?choice={value}&amp;exact=yes" in text
    asked = made(asking(agent, None, "approval", severity="critical"))
    assert "exact=" not in me.get(path(asked)).text


def test_several_at_once(agent, me):
    asked = [made(asking(agent, TWO_NOES, question=f"Bulk? {new_id()}"))
             for _ in range(2)]
    picks = [f"{a['suspension_id']}:{a['subject_sha256']}" for a in asked]
    r = me.post("/inbox/decide", data={
        "csrf": token(me), "answer": "reject", "pick[]": picks,
        "reason": "Not now."})
    assert r.status_code == 303, r.text
    assert "2 rejected." in Page(me.get(r.headers["location"])).text
    for a in asked:
        found = question(agent, a["suspension_id"])
        assert (found["outcome"], found["value"]) == ("vetoed", "later")
