"""How people are told of new requests: the texts of browser notifications, and
the page where each person chooses."""
import pytest
from kit import answer, ask, new_id
from page import Page

route = pytest.mark.route
PAGE, NOTICES = "/settings/notifications", "/inbox/notices"


def notices(one, *asked):
    r = one.client.get(NOTICES, params={
        "of": ".".join(a["suspension_id"] for a in asked)})
    assert r.status_code == 200, r.text
    assert "no-store" in r.headers["Cache-Control"]
    return r.json()["notices"]


@route("GET /inbox/notices")
def test_a_notification_has_risk_and_title_and_no_more(agent, person):
    me = person()
    asked = ask(agent, title="Drop orders", severity="high",
                explanation="Nobody reads it.")
    plain = ask(agent, question="May I?")
    assert notices(me, asked, plain) == [
        {"id": asked["suspension_id"],
         "url": f"/suspensions/{asked['suspension_id']}",
         "title": "Drop orders", "risk": "High", "rank": 3, "mine": False},
        {"id": plain["suspension_id"],
         "url": f"/suspensions/{plain['suspension_id']}",
         "title": "May I?", "risk": "", "rank": 2, "mine": False}]


@route("GET /inbox/notices")
def test_a_notification_shows_no_argument(agent, operator, person):
    cwd = f"/srv/{new_id()}"
    r = agent.post("/hooks/claude", params={"hold": 0}, json={
        "session_id": new_id(), "cwd": cwd, "hook_event_name": "PreToolUse",
        "tool_name": "Bash", "tool_input": {"command": "rm -rf build"},
        "tool_use_id": new_id()})
    assert r.status_code == 200, r.text
    rows = operator.get("/api/v1/suspensions", params={
        "state": "pending", "limit": 100}).json()["suspensions"]
    asked = next(s for s in rows if cwd in (s["explanation"] or ""))
    assert asked["title"] == "Run `rm -rf build`"
    assert [n["title"] for n in notices(person(), asked)] == ["Run Bash?"]


@route("GET /inbox/notices")
def test_a_notification_is_for_those_who_can_answer(agent, operator, person):
    me, other = person(), person()
    named = ask(agent, responder={"mode": "named", "who": me.email})
    assert [n["mine"] for n in notices(me, named)] == [True]
    assert notices(other, named) == []
    assert answer(operator, named).status_code == 403
    over = ask(agent)
    assert len(notices(me, over)) == 1
    assert answer(operator, over).status_code == 200
    assert notices(me, over) == []
    for role in ("auditor", "user"):
        r = person(role).client.get(NOTICES, params={"of": "x"})
        assert r.status_code == 403, role


@route("GET /inbox/notices")
def test_notices_of_nothing_and_of_too_many(agent, person):
    me = person()
    asked = [ask(agent) for _ in range(12)]
    assert len(notices(me, *asked)) == 10
    for of in ("", ".", "..", "nothing", "a" * 3000, "%00", "' OR 1"):
        r = me.client.get(NOTICES, params={"of": of})
        assert r.status_code == 200 and r.json() == {"notices": []}, of
    assert me.client.get(NOTICES).json() == {"notices": []}


@route("GET /settings/notifications")
def test_the_page_of_notifications(person):
    text = Page(person().client.get(PAGE)).text
    assert "This browser" in text
    assert "This browser" not in Page(person("user").client.get(PAGE)).text
    auditor = Page(person("auditor").client.get(PAGE)).text
    assert "You answer no requests" in auditor
    assert "This browser" not in auditor and "Time zone" not in auditor


# --- Who is looking ---------------------------------------------------------

def looking(one, asked):
    r = one.client.get(f"/suspensions/{asked['suspension_id']}/looking")
    assert r.status_code == 200, r.text
    assert "no-store" in r.headers["Cache-Control"]
    return r.json()["sentence"]


@route("GET /suspensions/{id}/looking")
@route("GET /suspensions/{id}")
def test_who_else_has_a_request_open(agent, operator, person):
    me, other, third = person(), person(), person("admin")
    asked, plain = ask(agent), ask(agent)
    path = f"/suspensions/{asked['suspension_id']}"
    assert "looking at this" not in me.client.get(path).text
    assert looking(me, asked) == ""
    page = other.client.get(path).text
    assert f"{me.name} is looking at this" in page
    assert looking(me, asked) == f"{other.name} is looking at this"
    assert looking(me, plain) == ""
    third.client.get(path)
    assert looking(me, asked) in (
        f"{other.name} and {third.name} are looking at this",
        f"{third.name} and {other.name} are looking at this")
    assert answer(operator, asked).status_code == 200
    assert looking(me, asked) == ""


@route("GET /suspensions/{id}/looking")
def test_looking_counts_those_who_can_answer_and_shows_it_to_who_may_see(
        agent, person):
    me, other, auditor, user = (person(), person(), person("auditor"),
                                person("user"))
    named = ask(agent, responder={"mode": "named", "who": me.email})
    path = f"/suspensions/{named['suspension_id']}"
    for one in (other, auditor):
        assert one.client.get(path).status_code == 200
    assert looking(me, named) == ""
    assert looking(other, named) == f"{me.name} is looking at this"
    assert user.client.get(f"{path}/looking").status_code == 404
    assert auditor.client.get(f"{path}/looking").status_code == 403
    assert me.client.get("/suspensions/nothing/looking").status_code == 404
