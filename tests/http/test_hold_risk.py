"""Silence and risk: the fallbacks allowed, the record of an expiry, the least
severity of a question, and the confirmation of a grave yes."""
import re

import pytest

import kit
from kit import (answer, ask, configured, events, get, new_intent, patch, put,
                 record, refused, suspend, wait_for)
from page import Page
from test_kinds import SUBJECTS

AUTHORIZES = [{"value": "go", "label": "Go", "effect": "authorize"},
              {"value": "no", "label": "No", "effect": "veto",
               "reason": "required"}]
GOES_ON = {"fallback_policy": "complete_with_fallback"}
SEVERITIES = [None, "low", "medium", "high", "critical"]


@pytest.fixture
def lenient(server):
    """The operator lets silence authorize at severity low."""
    with configured(server, silence_may_authorize="low"):
        yield


def asking(client, **body):
    body = {"question": "Refund?", **GOES_ON, **body}
    return client.post("/api/v1/suspensions",
                       json={k: v for k, v in body.items() if v is not None})


def kind(word, **body):
    return {"kind": word, "subject": SUBJECTS[word], **body}


def expired(client, asked):
    def state():
        r = client.get(f"/api/v1/suspensions/{asked['suspension_id']}")
        return r.json() if r.json()["state"] == "expired" else None

    wait_for(state)
    return state()


# --- Silence --------------------------------------------------------------

@pytest.mark.parametrize("severity", SEVERITIES)
def test_h3_silence_is_never_a_yes(agent, severity):
    """A transfer of a million, one second, no person, and a yes at its end."""
    for body in (kind("approval", fallback_value="approve"),
                 kind("permission", fallback_value="allow_once"),
                 kind("handoff_acceptance", fallback_value="accept"),
                 {"choices": AUTHORIZES, "fallback_value": "go"},
                 {"response_type": "confirm", "fallback_value": "yes"},
                 {"fallback_value": "yes"}):
        r = asking(agent, severity=severity, timeout_seconds=1, **body)
        refused(r, 422, "fallback.authorizes", "fallback_value")


@pytest.mark.parametrize("severity", SEVERITIES)
def test_h3_a_no_may_be_silent(agent, severity):
    for body in (kind("approval", fallback_value="reject"),
                 {"choices": AUTHORIZES, "fallback_value": "no"},
                 {"response_type": "confirm", "fallback_value": "no"},
                 {"response_type": "text", "fallback_value": "as usual"}):
        r = asking(agent, severity=severity, **body)
        assert r.status_code == 201, r.text
    r = asking(agent, severity=severity, choices=AUTHORIZES,
               fallback_value="go", fallback_policy="fail")
    assert r.status_code == 201, r.text


def test_h3_the_other_door_of_the_same_rule(agent):
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = record(kind="approval", subject=SUBJECTS["approval"], **GOES_ON,
                    fallback_value="approve")
    del wanted["choices"]
    refused(patch(agent, intent, put("_suspension", wanted)), 422,
            "fallback.authorizes", "fallback_value")


def test_h3_the_operator_may_allow_it_at_low_alone(agent, lenient):
    for severity in SEVERITIES:
        r = asking(agent, severity=severity, fallback_value="approve",
                   **kind("approval"))
        if severity == "low":
            assert r.status_code == 201, r.text
        else:
            refused(r, 422, "fallback.authorizes", "fallback_value")


@pytest.mark.parametrize("body", [
    {"response_type": "confirm", "choices": None, "fallback_value": "deny"},
    {"response_type": "confirm", "choices": None, "fallback_value": "yes"},
    {"fallback_value": {"decision": "deny", "by": "timeout"}},
    {"fallback_value": ["deny"]}, {"fallback_value": "maybe"},
    {"fallback_value": 5}, {"fallback_value": False},
    {"response_type": "text", "choices": None, "fallback_value": ""},
    {"response_type": "form", "choices": None, "fallback_value": "none"}])
def test_h3_an_openintent_default_is_taken_as_it_is(agent, operator, auditor,
                                                    body):
    """RFC-0025: any value. No choice of it has an effect, so it is no yes."""
    body = {k: v for k, v in {**GOES_ON, "timeout_seconds": 1,
                              "choices": kit.CHOICES, **body}.items()
            if v is not None}
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = {**record(), **body}
    if "choices" not in body:
        wanted.pop("choices")
    r = patch(agent, intent, put("_suspension", wanted))
    assert r.status_code == 200, r.text
    seen = expired(auditor, {"suspension_id": wanted["id"]})
    assert seen["outcome"] == "fallback"
    assert seen["value"] == body["fallback_value"]
    assert "Nobody answered" in seen["audit_summary"]
    assert "the default that it stated" in seen["audit_summary"]
    mirror = get(agent, intent)["state"]["_suspension"]
    assert mirror["response"] == body["fallback_value"]
    assert mirror["resolution"] == "expired"
    assert mirror["decided_by"] == "clock"
    ended = events(agent, intent["id"],
                   event_type="intent.suspension_expired")
    assert ended[0]["payload"]["fallback_value"] == body["fallback_value"]


def test_h3_a_value_that_is_no_choice_is_handed_back(agent, auditor):
    for value in ("later", {"choice": "go"}):
        r = asking(agent, choices=AUTHORIZES, fallback_value=value,
                   timeout_seconds=1)
        assert r.status_code == 201, r.text
        seen = expired(auditor, r.json())
        assert seen["outcome"] == "fallback" and seen["value"] == value


def test_h3_a_yes_in_another_spelling_is_a_yes(agent):
    for value in ("GO", " Go!"):
        refused(asking(agent, choices=AUTHORIZES, fallback_value=value), 422,
                "fallback.authorizes", "fallback_value")


def test_h3_with_a_kind_a_fallback_is_an_answer(agent):
    refused(asking(agent, **kind("approval", fallback_value="later")), 422,
            "response.invalid_choice", "fallback_value")
    refused(asking(agent, **kind("elicitation", fallback_value="")), 422,
            "response.empty", "fallback_value")


def test_h3_the_pages_say_that_nobody_answers(agent, person):
    me = person("operator").client
    asked = ask(agent, response_type="confirm", choices=None, **GOES_ON,
                fallback_value="no", timeout_seconds=3600)
    assert asked["on_expiry"].startswith("If nobody answers by ")
    assert asked["on_expiry"].endswith(
        ', the agent continues with its default, "Reject: No".')
    path = f"/suspensions/{asked['suspension_id']}"
    assert ("continues with its default, &quot;Reject: No&quot;"
            in me.get(path).text)
    asked = ask(agent, response_type="confirm", choices=None, **GOES_ON,
                fallback_value="no", timeout_seconds=1)
    path = f"/suspensions/{asked['suspension_id']}"
    expired(agent, asked)
    page = me.get(path).text
    assert "The request expired on" in page
    assert "continues with its default, “<bdi>Reject: No</bdi>”" in page
    page = me.get(f"/intents/{asked['intent_id']}").text
    assert "no answer, the agent continues with its default" in page


# --- What silence leaves behind -------------------------------------------

def test_m6_silence_leaves_the_same_in_the_row_and_in_the_mirror(
        agent, lenient):
    r = asking(agent, severity="low", timeout_seconds=1,
               fallback_value="allow_once", **kind("permission"))
    assert r.status_code == 201, r.text
    seen = expired(agent, r.json())
    mirror = get(agent, {"id": seen["intent_id"]})["state"][
        "_suspension"]
    assert mirror["constraints"] == {"uses": 1} and mirror["modified"] is True
    assert seen["constraints"] == {"uses": 1} and seen["modified"] is True
    assert "approved_sha256" not in mirror or \
        mirror["approved_sha256"] == seen["approved_sha256"]


# --- A bare yes or no -----------------------------------------------------

def test_a_bare_yes_or_no_means_what_it_says(agent, operator):
    for value, outcome in (("yes", "authorized"), ("no", "vetoed")):
        r = agent.post("/api/v1/suspensions", json={"question": "Go on?"})
        assert r.status_code == 201, r.text
        assert {c["value"]: c["effect"] for c in r.json()["choices"]} == {
            "yes": "authorize", "no": "veto"}
        r = answer(operator, r.json(), value)
        assert r.status_code == 200, r.text
        assert r.json()["outcome"] == outcome


def test_an_openintent_confirm_has_no_effects(agent, operator, auditor):
    _, one = suspend(agent, response_type="confirm", choices=None)
    seen = auditor.get(f"/api/v1/suspensions/{one}").json()
    assert {c["effect"] for c in seen["choices"]} == {"none"}
    r = answer(operator, {"suspension_id": one}, "yes")
    assert r.json()["outcome"] == "none", r.text


# --- How grave it is at the least -----------------------------------------

DROP = {**SUBJECTS["approval"], "target": "orders_2024", "reversible": False,
        "consequence": "The rows are gone."}


@pytest.fixture
def floored(server):
    """A key with a floor of its own, and its agent."""
    key = server.key("agent", "--agent", "floored-agent", "--severity-floor",
                     "high")
    with server.client(headers={"X-API-Key": key}) as client:
        yield key, client


def severities(asked):
    return asked["severity"], asked["severity_said"]


def test_h3_the_agents_word_is_only_raised_by_its_key(server, floored):
    key, client = floored
    for said, counts in ((None, "high"), ("low", "high"), ("high", "high"),
                         ("critical", "critical")):
        asked = ask(client, severity=said)
        assert severities(asked) == (counts, said)
        mirror = get(client, {"id": asked["intent_id"]})["state"][
            "_suspension"]
        assert mirror["severity"] == counts
        told = events(client, asked["intent_id"],
                      event_type="intent.suspended")[0]["payload"]
        assert told["severity"] == counts
    # The other door of the same rule.
    intent, one = suspend(client, choices=kit.CHOICES)
    mirror = get(client, intent)["state"]["_suspension"]
    assert mirror["severity"] == "high"
    assert mirror["severity_said"] == "none"
    assert severities(client.get(f"/api/v1/suspensions/{one}").json()) == (
        "high", None)


def test_h3_a_floor_of_a_key_is_changed(server, floored):
    key, client = floored
    made = server.sayso("key", "floor", key[:12], "critical")
    assert made.returncode == 0, made.stderr
    assert ask(client, severity="low")["severity"] == "critical"
    assert server.sayso("key", "floor", key[:12], "none").returncode == 0
    assert severities(ask(client, severity="low")) == ("low", "low")
    for bad in ([key[:12], "urgent"], [key[:12]], ["nothing", "low"]):
        assert server.sayso("key", "floor", *bad).returncode != 0
    for bad in (["--role", "operator", "--severity-floor", "low"],
                ["--role", "agent", "--agent", "x", "--severity-floor", "x"]):
        made = server.sayso("key", "create", "--label", "x", *bad)
        assert made.returncode == 2 and "--severity-floor" in made.stderr


@pytest.mark.route("POST /settings/keys/{id}/floor")
def test_h3_a_floor_of_a_key_is_changed_on_its_page(server, floored, person):
    key, client = floored
    admin = person("admin").client
    with server.database() as db:
        id = db.execute("SELECT id FROM api_key WHERE prefix = %s",
                        [key[:12]]).fetchone()[0]
    path = f"/settings/keys/{id}"
    page = admin.get(path)
    assert '<option value="high" selected>High</option>' in page.text
    data = Page(page).data("/floor", floor="medium")
    assert admin.post(path + "/floor", data=data).status_code == 303
    assert ask(client)["severity"] == "medium"
    data["floor"] = "urgent"
    assert admin.post(path + "/floor", data=data).status_code == 400
    data["floor"] = "none"
    assert admin.post(path + "/floor", data=data).status_code == 303
    assert ask(client)["severity"] is None


def test_h3_the_agents_word_is_only_raised_by_kind(server, agent):
    with configured(server, severity_floor_approval="high",
                    severity_floor_none="medium"):
        asked = agent.post("/api/v1/suspensions", json={
            "question": "?", "severity": "low", **kind("approval")}).json()
        assert severities(asked) == ("high", "low")
        assert severities(ask(agent)) == ("medium", None)
        assert severities(ask(agent, severity="critical")) == (
            "critical", "critical")
        other = agent.post("/api/v1/suspensions", json={
            "question": "?", "severity": "low", **kind("permission")}).json()
        assert severities(other) == ("low", "low")


def test_h3_silence_goes_by_the_severity_that_counts(server, agent, lenient):
    with configured(server, severity_floor_approval="medium"):
        refused(asking(agent, severity="low", fallback_value="approve",
                       **kind("approval")), 422, "fallback.authorizes")


def test_h3_what_a_kind_needs_goes_by_the_agents_word(agent, operator,
                                                     person):
    """The server raised it, so the agent need not have stated the consequence;
    the page says so."""
    one = {k: v for k, v in DROP.items() if k != "consequence"}
    refused(agent.post("/api/v1/suspensions", json={
        "question": "?", "kind": "approval", "subject": one,
        "severity": "high"}), 422, "kind.facts")
    asked = agent.post("/api/v1/suspensions", json={
        "question": "?", "kind": "approval", "subject": one,
        "severity": "low"}).json()
    assert severities(asked) == ("high", "low")
    me = person("operator").client
    text = Page(me.get(f"/suspensions/{asked['suspension_id']}")).text
    assert "Raised from low by Sayso." in text
    assert "No consequence stated" in text


# --- A2: what is not said --------------------------------------------------

def listed(client, **query):
    r = client.get("/inbox", params=query)
    assert r.status_code == 200, r.text
    return re.findall(r'class="title" href="/suspensions/([^"]+)"', r.text)


def test_a2_what_is_not_said_sorts_as_medium(server, person):
    me, word = person("operator").client, "unsaid" + kit.new_id()[:6]
    made = {}
    with server.client("agent", agent=word) as own:
        for severity, seconds in (("low", 7200), (None, 7201),
                                  ("medium", 7202), (None, 7203),
                                  ("high", 7204)):
            made[severity, seconds] = ask(
                own, title=word, severity=severity,
                timeout_seconds=seconds)["suspension_id"]
    order = [made[k] for k in (("high", 7204), (None, 7201),
                               ("medium", 7202), (None, 7203),
                               ("low", 7200))]
    assert listed(me, q=word) == order
    assert listed(me, agent=word) == order
    # A page that begins between them continues in the right place, with and
    # without the search.
    for n, last in enumerate(order[:-1]):
        for query in ({"q": word}, {"agent": word}):
            rest = listed(me, after=last, **query)
            assert rest == order[n + 1:], (n, query)
    # The question's own page has the same position.
    page = me.get(f"/suspensions/{order[2]}").text
    assert f'/suspensions/{order[1]}"' in page
    assert f'/suspensions/{order[3]}"' in page


def test_a2_what_is_not_said_is_in_no_decision_for_many(server, agent, person):
    boss, word = person("operator"), "bulk" + kit.new_id()[:6]
    with server.database() as db:
        db.execute("UPDATE principal SET bulk_limit = 'critical' WHERE "
                   "email = %s", [boss.email])
    for severity, subject in ((None, SUBJECTS["approval"]), ("low", DROP)):
        agent.post("/api/v1/suspensions", json={
            "question": "?", "title": word, "kind": "approval",
            "severity": severity, "subject": subject})
    page = boss.client.get("/inbox", params={"q": word})
    pick = re.findall(r'name="pick\[\]" value="([^"]+)"', page.text)
    csrf = Page(page).value("/inbox/confirm", "csrf")
    assert len(pick) == 2
    r = boss.client.post("/inbox/decide", data={
        "csrf": csrf, "answer": "approve", "pick[]": pick})
    assert "2 not" in Page(r).text, Page(r).text
    assert "It has no risk level." in Page(r).text
    assert "needs a typed confirmation" in Page(r).text


def test_a2_what_is_not_said_takes_two_steps(agent, person):
    me = person("operator").client
    for body, two in (({}, True), ({"response_type": "confirm",
                                    "choices": [{"value": "a"}]}, False),
                      ({"choices": AUTHORIZES}, True)):
        asked = agent.post("/api/v1/suspensions",
                           json={"question": "?", **body}).json()
        page = me.get(f"/suspensions/{asked['suspension_id']}").text
        assert ("?choice=" in page) == two, body


def test_a2_what_ends_soon_stands_first(agent, person):
    me, word = person("operator").client, "soon" + kit.new_id()[:6]
    late = [ask(agent, title=f"{word} {n}", severity=[None, "low"][n % 2],
                timeout_seconds=600 + n)["suspension_id"] for n in range(11)]
    grave = ask(agent, title=word, severity="critical", timeout_seconds=3600)
    for query in ({"q": word}, {"q": word, "sort": "deadline"},
                  {"q": word, "group": "agent"}):
        text = me.get("/inbox", params=query).text
        assert "Due in 15 min" in text
        assert re.findall(r'class="title" href="/suspensions/([^"]+)"',
                          text) == [*late, grave["suspension_id"]]
    text = me.get("/inbox", params={"q": word, "risk": "critical"}).text
    assert ">11 with another risk</a> are due in 15 min." in text
    text = me.get("/inbox", params={"q": kit.new_id()}).text
    assert "in 15 min" not in text


# --- A5: a typed yes --------------------------------------------------------

def test_a5_a_critical_yes_is_typed(agent, operator):
    one = {**DROP, "reversible": True}
    for severity, subject, word in (("critical", one, "orders_2024"),
                                    ("low", DROP, "orders_2024"),
                                    ("critical", {**one, "target": "a\nb"},
                                     None)):
        asked = agent.post("/api/v1/suspensions", json={
            "question": "?", "kind": "approval", "severity": severity,
            "subject": subject}).json()
        word = word or asked["subject_sha256"][:8]
        for typed in ({}, {"typed": "orders"}, {"typed": ""}):
            body = refused(answer(operator, asked, "approve", **typed), 422,
                           "typed.differs", "typed")
            assert body["wanted"] == word and word in body["detail"]
        r = answer(operator, asked, "approve", typed=f" {word} ")
        assert r.status_code == 200 and r.json()["outcome"] == "authorized"


def test_a5_a_no_is_not_typed(agent, operator):
    asked = agent.post("/api/v1/suspensions", json={
        "question": "?", "kind": "approval", "severity": "critical",
        "subject": DROP}).json()
    r = answer(operator, asked, "reject", reason="No.")
    assert r.status_code == 200, r.text


def test_a5_without_a_target_it_is_the_servers_word(agent, operator):
    asked = agent.post("/api/v1/suspensions", json={
        "question": "Go?", "severity": "critical"}).json()
    refused(answer(operator, asked, "yes"), 422, "typed.differs")
    assert answer(operator, asked, "yes", typed="Approve").status_code == 200


def test_a5_at_the_openintent_door(agent, operator):
    intent = new_intent(agent, "suspended_awaiting_input")
    wanted = record(kind="approval", subject=DROP)
    del wanted["choices"]
    r = patch(agent, intent, put("_suspension", wanted))
    assert r.status_code == 200, r.text
    refused(kit.respond(operator, intent, wanted["id"], "approve"), 422)
    r = kit.respond(operator, intent, wanted["id"], "approve",
                    typed="orders_2024")
    assert r.status_code == 200, r.text
    # Without effects nothing is authorized, so nothing has to be typed.
    intent, one = suspend(agent, severity="critical")
    r = kit.respond(operator, intent, one, "approve")
    assert r.status_code == 200, r.text


def test_a5_on_a_page(agent, person):
    me = person("operator").client
    asked = agent.post("/api/v1/suspensions", json={
        "question": "Drop it?", "kind": "approval", "severity": "critical",
        "subject": DROP}).json()
    path = f"/suspensions/{asked['suspension_id']}"
    page = Page(me.get(path, params={"choice": "approve"}))
    assert "Critical risk. Cannot be undone: The rows are gone." in page.text
    data = page.data("/respond", value="approve")
    for typed in (None, "orders"):
        r = me.post(path + "/respond", data={**data, "typed": typed or ""})
        assert r.status_code == 422, r.text
        assert 'name="typed"' in r.text
    r = me.post(path + "/respond", data={**data, "typed": "orders_2024"})
    assert r.status_code == 303, r.text
