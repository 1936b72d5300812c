"""The lists of agents, tasks and portfolios, the page of an agent, and the page
that stops a task."""
import html
import re
import urllib.parse

import pytest
from kit import answer, ask, get, new_id, new_intent, refused
from page import Page
from test_container_pages import portfolio
from test_forms import HOSTILE
from test_kinds import SUBJECTS
from test_permits import limited, look, permit, question

route = pytest.mark.route
CHOICES = [{"value": "deny", "label": "No", "effect": "veto"},
           {"value": "approve", "label": "Yes", "effect": "authorize"}]


@pytest.fixture(scope="module")
def me(person):
    return person("operator")


@pytest.fixture
def named(server):
    """named(name): an agent's client with a key of its own."""
    made = []

    def make(name):
        key = server.key("agent", "--agent", name)
        made.append(server.client(headers={"X-API-Key": key}))
        return made[-1]

    yield make
    for client in made:
        client.close()


def show(who, path, **query):
    r = who.client.get(path, params=query or None)
    assert r.status_code == 200, r.text
    return r


def figures(r):
    """The figures of an agent's page by their label."""
    found = re.findall(r"<dt>([^<]*)</dt><dd>([^<]*)</dd>"
                       r'(?:<dd class="second">([^<]*)</dd>)?', r.text)
    return {label: (value, second) for label, value, second in found}


def titles(r):
    return [html.unescape(t) for t in re.findall(
        r'<a class="title" href="/suspensions/[^"]*"[^>]*>([^<]*)</a>',
        r.text)]


# --- Agents ---------------------------------------------------------------

@route("GET /agents")
@route("GET /agent")
def test_an_agent_by_its_requests(server, named, operator, me):
    name = f"a-{new_id()[:8]}"
    bot = named(name)
    for value in ("approve", "approve", "deny"):
        asked = ask(bot, title=f"To {value}", choices=CHOICES)
        more = {"reason": "no"} if value == "deny" else {}
        assert answer(operator, asked, value, **more).status_code == 200
    ask(bot, title="Still open")
    r = show(me, "/agent", name=name)
    assert f"<h1 dir=\"auto\">{name}</h1>" in r.text
    seen = figures(r)
    assert seen["Asked"] == ("4", "1 open")
    assert seen["Approved"][0] == "2" and seen["Rejected"][0] == "1"
    assert seen["Expired"][0] == "0"
    assert re.fullmatch(r"\d+ s", seen["Median wait"][0])
    assert "Withdrawn" not in seen
    assert titles(r) == ["Still open", "To deny", "To approve",
                         "To approve"]
    assert f'href="/decided?agent={name}"' in r.text
    row = re.search(rf'<a class="name" href="/agent\?name={name}">.*?</tr>',
                    show(me, "/agents").text, re.S)[0]
    assert f'href="/inbox?view=all&amp;agent={name}">1</a>' in row


def test_changes_and_other_ends_are_counted(server, named, operator, me):
    name = f"b-{new_id()[:8]}"
    bot = named(name)
    asked = question(bot, limited())
    assert answer(operator, asked, "constrain", constraints={
        "amount": "40.00"}).status_code == 200
    gone = ask(bot)
    assert bot.post(f"/api/v1/suspensions/{gone['suspension_id']}/cancel",
                    json={}).status_code == 200
    seen = figures(show(me, "/agent", name=name))
    assert seen["Approved"] == ("1", "1 with changes")
    assert seen["Withdrawn"][0] == "1" and seen["Asked"][0] == "2"


def test_what_was_asked_on_the_same_target(server, named, operator, me):
    name = f"c-{new_id()[:8]}"
    bot = named(name)
    here, there = f"KES-{new_id()}", f"KES-{new_id()} \"quoted\" \\ é"
    subject = SUBJECTS["approval"]
    for n, target in enumerate((here, there, here)):
        asked = question(bot, {**subject, "target": target}, title=f"n{n}")
        assert answer(operator, asked, "reject", reason="no").status_code == 200
    now = question(bot, {**subject, "target": here}, title="now")
    r = show(me, "/agent", name=name, question=now["suspension_id"])
    same = r.text.split('id="h-same"')[1].split("</section>")[0]
    assert here in same
    assert re.findall(r">(n\d)</a>", same) == ["n2", "n0"]
    quoted = question(bot, {**subject, "target": there}, title="q")
    r = show(me, "/agent", name=name, question=quoted["suspension_id"])
    same = r.text.split('id="h-same"')[1].split("</section>")[0]
    assert re.findall(r">(n\d)</a>", same) == ["n1"]
    # The question of another agent says nothing here.
    other = show(me, "/agent", name="refunds-agent",
                 question=now["suspension_id"]) \
        if me.client.get("/agent", params={"name": "refunds-agent"}
                         ).status_code == 200 else None
    assert other is None or "h-same" not in other.text
    gone = me.client.get("/agent", params={"name": name,
                                           "question": new_id()})
    assert gone.status_code == 404


@pytest.mark.parametrize("name", [
    "<b>bold</b>", "..", "a?b=c&d", "%2e%2e", "\u05d0\u05d1\u05d2-bot",
    "x" * 120, "😀" * 40, "'\"`", "#top", "a+b"])
def test_names_of_all_sorts(server, me, agent, name):
    """Also names that no new agent could have."""
    asked = ask(agent, title=f"By {new_id()[:8]}")
    with server.database() as db:
        db.execute("UPDATE open_question SET asked_by = %s WHERE "
                   "suspension_id = %s", [name, asked["suspension_id"]])
    try:
        r = show(me, "/agents", after=name[:-1] if len(name) > 1 else None)
        link = f"/agent?name={urllib.parse.quote(name, safe='')}"
        assert link.lower() in html.unescape(r.text).lower()
        assert "<b>bold" not in r.text
        page = me.client.get(link)
        assert page.status_code == 200, page.text
        head = re.search(r"<h1[^>]*>(.*?)</h1>", page.text, re.S)[1]
        assert html.unescape(head) == name
    finally:
        with server.database() as db:
            db.execute("UPDATE open_question SET asked_by = 'refunds-agent' "
                       "WHERE suspension_id = %s", [asked["suspension_id"]])


def test_addresses_of_no_agent(me):
    at = me.client.get
    r = at("/agent", params={"name": f"nobody-{new_id()}"})
    assert r.status_code == 404 and "agent.unknown" in r.text
    assert at("/agent").status_code == 400
    assert at("/agent", params={"name": "x" * 301}).status_code == 400
    assert at("/agents", params={"after": "x" * 301}).status_code == 400
    r = at("/agents", params={"after": "\U0010ffff"})
    assert r.status_code == 200 and "No more agents" in Page(r).text


def test_readers_of_the_history_read_agents(person, agent, user, server):
    ask(agent)
    reader = person("auditor")
    assert "refunds-agent" in show(reader, "/agents").text
    assert reader.client.get("/agent", params={"name": "refunds-agent"}
                             ).status_code == 200
    one = person("user")
    assert one.client.get("/agents").status_code == 403
    assert one.client.get("/agent", params={"name": "refunds-agent"}
                          ).status_code == 403


# --- Tasks and portfolios --------------------------------------------------

@route("GET /intents")
@route("GET /portfolios")
def test_the_lists(agent, me):
    intent = new_intent(agent, "active", title=HOSTILE[:200])
    r = show(me, "/intents")
    assert f'href="/intents/{intent["id"]}"' in r.text
    assert "<script>alert" not in r.text
    r = show(me, "/intents", status="completed")
    assert f'href="/intents/{intent["id"]}"' not in r.text
    of = portfolio(agent, name=f"P {new_id()}")
    assert f'href="/portfolios/{of["id"]}"' in show(me, "/portfolios").text
    assert of["id"] not in show(me, "/portfolios", status="completed").text
    for path in ("/intents", "/portfolios"):
        assert me.client.get(path, params={"status": "odd"}
                             ).status_code == 400
    assert me.client.get("/intents", params={"after": new_id()}
                         ).status_code == 400


def test_the_list_of_tasks_has_pages(server, agent, me):
    made = [new_intent(agent, "active") for _ in range(52)]
    r = show(me, "/intents")
    older = re.search(r'href="(/intents\?after=[^"]+)"', r.text)[1]
    assert "The newest 50 tasks" in Page(r).text
    assert made[0]["id"] not in r.text
    assert made[0]["id"] in me.client.get(html.unescape(older)).text


# --- Stopping a task --------------------------------------------------------

def stop_page(who, intent_id):
    r = who.client.get(f"/intents/{intent_id}/stop")
    assert r.status_code == 200, r.text
    return Page(r)


def stop(who, intent_id, **typed):
    at = f"/intents/{intent_id}/stop"
    return who.client.post(at, data=stop_page(who, intent_id).data(at, **typed))


@route("GET /intents/{id}/stop")
@route("POST /intents/{id}/stop")
def test_a_task_is_stopped_with_its_permit(server, agent, operator, me):
    asked = question(agent)
    assert answer(operator, asked).status_code == 200
    id_ = permit(server, asked)
    intent = asked["intent_id"]
    again = ask(agent, intent_id=intent, title="One more?")
    page = stop_page(me, intent)
    assert "Its request One more? is withdrawn." in page.text
    assert "The permit of refunds-agent" in page.text
    assert "used 0 of 1, is revoked." in page.text
    assert "Nothing is stopped yet." in page.text
    assert "Stop the task" in Page(me.client.get(f"/intents/{intent}")).text
    r = stop(me, intent, reason="It runs wild.")
    assert r.status_code == 303, r.text
    assert r.headers["location"] == f"/intents/{intent}"
    assert get(agent, {"id": intent})["status"] == "abandoned"
    seen = look(agent, id_)
    assert seen["state"] == "revoked" and seen["ended_by"] == me.email
    assert seen["reason"] == "It runs wild."
    ended = agent.get(f"/api/v1/suspensions/{again['suspension_id']}").json()
    assert ended["state"] == "cancelled" and ended["reason"] == "It runs wild."
    events = agent.get(f"/api/v1/intents/{intent}/events",
                       params={"limit": 50}).json()
    types = [e["event_type"] for e in events]
    assert types[:2] == ["grant.revoked", "status_changed"]
    assert "Stop the task" not in Page(me.client.get(f"/intents/{intent}")).text
    # Once more changes nothing.
    assert "The task has ended already." in stop_page(me, intent).text
    assert stop(me, intent).status_code == 303
    assert len(agent.get(f"/api/v1/intents/{intent}/events",
                         params={"limit": 50}).json()) == len(events)


def test_a_task_without_anything(agent, me):
    intent = new_intent(agent, "active")
    child = new_intent(agent, "active", parent_intent_id=intent["id"],
                       title="Its child")
    text = stop_page(me, intent["id"]).text
    assert "It has no open request." in text
    assert "It has no permit that could be used." in text
    assert "Its child task Its child goes on." in text
    assert stop(me, intent["id"]).status_code == 303
    assert get(agent, intent)["status"] == "abandoned"
    assert get(agent, child)["status"] == "active"


def test_a_stop_that_is_refused(agent, me, person):
    intent = new_intent(agent, "active")
    at = f"/intents/{intent['id']}/stop"
    assert stop(me, intent["id"], reason="x" * 1001).status_code == 422
    assert get(agent, intent)["status"] == "active"
    assert me.client.post(at, data={}).status_code == 403
    reader = person("auditor").client
    assert reader.get(at).status_code == 403
    assert "Stop the task" not in reader.get(f"/intents/{intent['id']}").text
    assert me.client.get(f"/intents/{new_id()}/stop").status_code == 404
    done = new_intent(agent, "active")
    r = agent.post(f"/api/v1/intents/{done['id']}/status",
                   json={"status": "completed"},
                   headers={"If-Match": str(get(agent, done)["version"])})
    assert r.status_code == 200, r.text
    r = stop(me, done["id"])
    assert r.status_code == 409 and "intent.transition" in r.text
