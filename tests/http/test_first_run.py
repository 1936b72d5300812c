"""An empty inbox: the steps of a new server for who decides, with a test
request, and later the answers of the day. On a server of its own."""
import re

import pytest

import kit
from kit import answer, ask, refused
from page import Page
from server import place

route = pytest.mark.route
STEPS = "Three steps, and the first request of an agent stands here."


@pytest.fixture(scope="module")
def server():
    with kit.own_server(place("first-run")) as one:
        yield one


@pytest.fixture(scope="module")
def boss(person):
    return person("admin")


@pytest.fixture(scope="module")
def tom(person):
    return person("operator")


def inbox(who, **query):
    r = who.client.get("/inbox", params=query or None)
    assert r.status_code == 200, r.text
    return r


def rows(r):
    return re.findall(r'href="/suspensions/([^"/?]+)"', r.text)


def try_it(who):
    data = Page(inbox(who)).data("/inbox/trial")
    r = who.client.post("/inbox/trial", data=data)
    assert r.status_code == 303, r.text
    assert r.headers["location"] == "/inbox"
    return data


def asked_by_trial(server):
    with server.database() as db:
        return db.execute(
            "SELECT s.id, s.severity, s.responder, i.status, i.id::text"
            "  FROM suspension s JOIN intent i ON i.id = s.intent_id"
            " WHERE s.asked_by = 'sayso-test' ORDER BY s.id").fetchall()


def decide(who, id_, value):
    page = who.client.get(f"/suspensions/{id_}")
    at = f"/suspensions/{id_}/respond"
    return who.client.post(at, data=Page(page).data(at, value=value))


@route("GET /inbox")
@route("POST /inbox/trial")
def test_the_steps_lead_to_a_first_request(server, boss, tom):
    page = inbox(boss)
    text = Page(page).text
    assert STEPS in text and "Waiting for the first request" in text
    assert f"As {boss.name} , administrator." in text
    # The line to copy has this server's address.
    assert f"curl {server.url}/api/v1/suspensions" in text
    assert f"--transport http sayso {server.url}/mcp" in text
    assert 'aria-label="Filters"' not in page.text

    data = try_it(boss)
    [(id_, severity, responder, status, intent)] = asked_by_trial(server)
    assert severity == "low" and status == "suspended_awaiting_input"
    assert boss.email in responder
    assert rows(inbox(boss))[0] == id_
    assert id_ not in inbox(tom).text
    # A second one is not asked while the first waits.
    assert boss.client.post("/inbox/trial", data=data).status_code == 303
    assert len(asked_by_trial(server)) == 1
    text = Page(boss.client.get(f"/suspensions/{id_}")).text
    assert "This is a test request. Nothing is sent" in text

    # An answer ends its task, and does not count as an agent's request.
    assert decide(boss, id_, "approve").status_code == 303
    [(_, _, _, status, _)] = asked_by_trial(server)
    assert status == "completed"
    assert STEPS in Page(inbox(boss)).text


def test_a_rejection_ends_it_too(server, boss):
    try_it(boss)
    id_ = asked_by_trial(server)[-1][0]
    assert decide(boss, id_, "reject").status_code == 303
    assert asked_by_trial(server)[-1][3] == "completed"


def test_an_operator_without_keys_gets_there_too(server, person):
    """./start makes an operator, whose first request is one press away."""
    one = person("operator")
    page = inbox(one)
    text = Page(page).text
    assert STEPS in text and f"As {one.name} , operator." in text
    assert f"curl {server.url}/api/v1/suspensions" in text
    assert "./start printed one" in text
    assert 'aria-label="Filters"' not in page.text
    # An operator is not offered the steps of an admin.
    assert "/settings/keys" not in page.text.partition("<main")[2]
    assert "/settings/channels" not in page.text.partition("<main")[2]
    try_it(one)
    id_ = asked_by_trial(server)[-1][0]
    assert rows(inbox(one))[0] == id_
    assert decide(one, id_, "approve").status_code == 303


@pytest.mark.parametrize("role", ["auditor", "user"])
def test_only_who_decides_may(server, person, boss, role):
    one = person(role)
    n = len(asked_by_trial(server))
    token = Page(one.client.get("/settings/profile")).data("/logout")["csrf"]
    r = one.client.post("/inbox/trial", data={"csrf": token})
    assert r.status_code == 403
    assert STEPS not in Page(inbox(one)).text
    assert boss.client.post("/inbox/trial", data={}).status_code == 403
    assert len(asked_by_trial(server)) == n


def test_no_agent_takes_its_name(server):
    made = server.sayso("key", "create", "--role", "agent", "--label", "x",
                        "--agent", "sayso-test")
    assert made.returncode != 0
    key = server.key("agent", "--agent", "*")
    with server.client(headers={"X-API-Key": key,
                                "X-Agent-ID": "sayso-test"}) as any_agent:
        refused(any_agent.get("/api/v1/suspensions"), 403, "agent.not_named")


def test_steps_that_are_done(server, boss, channel):
    server.key("agent", "--agent", "first-agent")
    text = Page(inbox(boss)).text
    assert "Done: Connect an agent" in text and "Done: Be told" not in text
    channel("mail", "desk", "mailto:desk@example.com")
    assert "Done: Be told" in Page(inbox(boss)).text


def test_the_answers_of_the_day(server, boss, tom):
    with server.client("agent", agent="refunds-agent") as agent:
        asked = [ask(agent, severity="low") for _ in range(2)]
        assert "aria-label=\"Filters\"" in inbox(boss).text
        assert STEPS not in Page(inbox(boss)).text
        for one in asked:
            assert decide(tom, one["suspension_id"],
                          "approve").status_code == 303
    text = Page(inbox(tom)).text
    assert "You are all caught up" in text
    assert re.search(r"You answered 2 requests today, median \d+ s\.", text)
    # The steps do not come back.
    assert "You have answered 2 requests" not in Page(inbox(boss)).text
    assert "You are all caught up" in Page(inbox(boss)).text
    assert STEPS not in Page(inbox(boss)).text
    # A search that finds nothing is no empty inbox.
    assert "No requests match" in Page(inbox(tom, q="nothing")).text


def test_a_reader_is_not_caught_up(person):
    text = Page(inbox(person("auditor"))).text
    assert "You are all caught up" not in text and "No open requests" in text
