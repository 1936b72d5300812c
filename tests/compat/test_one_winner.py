"""H1: two answers to one question at once, from the form of its page and from
the SDK with an operator's key: one of them counts, for each sort of question
that holds nothing."""
import pytest
from openintent.exceptions import ConflictError, NotFoundError
from openintent.models import AccessRequestStatus

import kit
from page import Page, login_data

ROUNDS = 25  # 100 of all four


@pytest.fixture(scope="module")
def browser(server):
    """An operator who has signed in."""
    email, password = f"{kit.new_id()}@example.com", kit.new_id()
    made = server.sayso("operator", "create", "--email", email, "--name",
                        "Ada", "--role", "operator", "--password-stdin",
                        input=password + "\n")
    assert made.returncode == 0, made.stderr
    with server.client(headers={"Accept": "text/html"}) as client:
        r = client.post("/login", data=login_data(client, email=email,
                                                  password=password))
        assert r.status_code == 303
        yield client


def approval(sync, person, intent):
    one = sync.request_approval(intent.id, "deploy", "It is tested.")

    def read():
        return sync.get_approval_status(intent.id, one.id).status

    return (one.id, {"value": "deny"}, "denied", "approved",
            lambda: person.approve_approval(intent.id, one.id), read,
            ("governance.approval_granted", "governance.approval_denied"))


def escalation(sync, person, intent):
    one = sync.escalate_to_human(intent.id, "The bank is silent.")

    def read():
        [found] = sync.list_escalations(intent.id)
        return found.resolution

    return (one.id, {"value": "page"}, "page", "sdk",
            lambda: person.resolve_escalation(one.id, "sdk"), read,
            ("coordinator.escalation_resolved",))


def arbitration(sync, person, intent):
    one = sync.request_arbitration(intent.id, "We differ.", {
        "options": [{"value": "page"}, {"value": "sdk"}]})

    def read():
        [found] = sync.get_decisions(intent.id)
        return found.outcome

    return (one.id, {"value": "page"}, "page", "sdk",
            lambda: person.record_decision(intent.id, "arbitration", "sdk",
                                           "x"), read,
            ("decision_recorded",))


def access(sync, person, intent):
    one = sync.request_access(intent.id, "second")

    def read():
        [found] = sync.list_access_requests(intent.id)
        given = {e.principal_id for e in sync.get_acl(intent.id).entries}
        assert ("second" in given) == (
            found.status is AccessRequestStatus.APPROVED)
        return found.status.value

    return (one.id, {"value": "deny"}, "denied", "approved",
            lambda: person.approve_access_request(intent.id, one.id), read,
            ("access_request_approved", "access_request_denied"))


@pytest.mark.parametrize("turn", range(ROUNDS))
@pytest.mark.parametrize("ask", [approval, escalation, arbitration, access])
def test_H1_one_winner(server, sync, person, browser, ask, turn):
    made = sync.create_intent("A race", "x")
    one, typed, by_page, by_sdk, answer, read, ends = ask(sync, person, made)
    path = f"/suspensions/{one}"
    shown = Page(browser.get(path))
    if not any(f["action"].endswith("/respond") for f in shown.forms):
        # The first press only shows the step that confirms it.
        shown = Page(browser.get(path, params={"choice": typed["value"]}))
    form = shown.data("/respond", **typed)

    def sdk():
        try:
            return bool(answer())
        except (ConflictError, NotFoundError):
            return False  # decided, or of arbitrations none is open

    def page():
        r = browser.post(path + "/respond", data=form)
        assert r.status_code in (303, 409), r.text
        return r.status_code == 303

    won = kit.together(sdk, page)
    assert sorted(won) == [False, True], won
    assert read() == (by_sdk if won[0] else by_page)
    with server.client("operator") as operator:
        told = [t for t in kit.types(operator, made.id) if t in ends]
        inbox = operator.get("/api/v1/suspensions", params={
            "state": "pending", "limit": 100}).json()["suspensions"]
    assert len(told) == 1
    assert one not in {s["suspension_id"] for s in inbox}
