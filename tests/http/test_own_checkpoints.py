"""Checkpoints of plans that an agent asks about itself: its question names the
checkpoint in its context, and takes the place of the server's (RFC-0012)."""
import pytest
from kit import (answer, ask, get, made, new_intent, patch, put, record,
                 refused, respond, set_status, together)
from page import Page
from plans import (checkpoint, decide, kinds, last, move, plan, question,
                   reached, read, task)

WORDS = [{"value": "ship", "label": "Ship it", "effect": "authorize"},
         {"value": "hold", "label": "Hold it", "effect": "veto"},
         {"value": "later", "label": "Ask me later", "effect": "answer"}]


def own(client, intent, gate="cp-1", **more):
    context = {"checkpoint_id": gate, **more.pop("context", {})}
    return ask(client, intent_id=intent["id"], intent=None, context=context,
               choices=more.pop("choices", WORDS), **more)


def through_openintent(client, intent, choices=None, status=200):
    """Suspends as the SDK does; the id, or the refusal."""
    asked = record(context={"checkpoint_id": "cp-1"})
    if choices is not None:
        asked["choices"] = choices
    if choices == []:
        asked["response_type"] = "confirm"
    if get(client, intent)["status"] == "active":
        assert set_status(client, get(client, intent),
                          "suspended_awaiting_input").status_code == 200
    r = patch(client, get(client, intent), put("_suspension", asked))
    said = made(r, status)
    return asked["id"] if status == 200 else said


def gate_of(client, of):
    return read(client, of)["checkpoints"][0]


def test_its_question_takes_the_place_of_the_servers(agent, person):
    intent, of, first, second, id = reached(agent)
    asked = own(agent, intent)["suspension_id"]
    before = question(agent, id)
    assert before["state"] == "cancelled"
    assert "Superseded" in before["audit_summary"]
    gate = gate_of(agent, of)
    assert (gate["status"], gate["suspension_id"]) == ("reached", asked)
    assert last(agent, intent, "plan.checkpoint_reached")[
        "suspension_id"] == asked
    me = person("operator")
    page = Page(me.client.get(f"/suspensions/{asked}"))
    assert "also decides the checkpoint Look at it" in page.text
    assert "Approves the details shown and the checkpoint." in page.text
    assert "Checkpoint" in me.client.get(
        "/inbox", params={"q": intent["id"]}).text


@pytest.mark.parametrize("how", ["native", "openintent", "plan", "browser"])
def test_its_answer_decides_the_checkpoint(agent, operator, person, how):
    intent, of, first, second, _ = reached(agent)
    asked = own(agent, intent)
    id = asked["suspension_id"]
    if how == "native":
        done = answer(operator, asked, "ship")
    elif how == "openintent":
        done = respond(operator, intent, id, "ship")
    elif how == "plan":
        done = decide(operator, of, "approve")
    else:
        me = person("operator")
        step = Page(me.client.get(f"/suspensions/{id}",
                                  params={"choice": "ship"}))
        done = me.client.post(f"/suspensions/{id}/respond",
                              data=step.data("/respond", value="ship"))
        assert "The plan goes on." in me.client.get(
            f"/suspensions/{id}").text
    assert done.status_code in (200, 303), done.text
    assert question(agent, id)["value"] == "ship"
    assert gate_of(agent, of)["status"] == "approved"
    assert gate_of(agent, of)["approved_by"]
    assert read(agent, of)["state"] == "active"
    assert get(agent, intent)["status"] == "active"
    assert kinds(agent, intent)[-3:] == [
        "plan.checkpoint_reached", "plan.checkpoint_approved", "plan.resumed"]
    move(agent, second, "running", "completed")
    assert read(agent, of)["state"] == "completed"


def test_its_no_ends_the_plan(agent, operator):
    intent, of, first, second, _ = reached(agent)
    assert answer(operator, own(agent, intent), "hold").status_code == 200
    assert read(agent, of)["state"] == "failed"
    assert read(agent, second)["status"] == "cancelled"
    assert get(agent, intent)["status"] == "active"
    intent, of, first, second, _ = reached(agent, on_reject="retry")
    assert answer(operator, own(agent, intent), "hold").status_code == 200
    assert read(agent, of)["state"] == "active"
    assert read(agent, first)["attempt"] == 2


def test_neither_yes_nor_no_asks_again(agent, operator):
    intent, of, first, second, _ = reached(agent)
    asked = own(agent, intent)
    assert answer(operator, asked, "later").status_code == 200
    again = gate_of(agent, of)
    assert again["status"] == "reached"
    assert again["suspension_id"] != asked["suspension_id"]
    assert question(agent, again["suspension_id"])["state"] == "pending"
    assert read(agent, of)["state"] == "paused"
    # And once more: each time the server's own question comes back.
    withdrawn = own(agent, intent)
    r = agent.post(f"/api/v1/suspensions/{withdrawn['suspension_id']}/cancel")
    assert r.status_code == 200, r.text
    third = gate_of(agent, of)["suspension_id"]
    assert third not in (again["suspension_id"], withdrawn["suspension_id"])
    assert question(agent, again["suspension_id"])["state"] == "cancelled"
    assert answer(operator, {"suspension_id": third}).status_code == 200
    assert read(agent, of)["state"] == "active"


def test_an_agent_gains_nothing_by_asking_itself(agent, operator, desk):
    """The approvers and the severity are the checkpoint's."""
    alice, _ = desk("Alice Own"), desk("Bob Own")
    intent, of, first, second, _ = reached(
        agent, approvers=["Alice Own", "Bob Own"], severity="high")
    asked = own(agent, intent, severity="low",
                responder={"mode": "named", "who": "Second Operator"})
    assert asked["severity"] == "high"
    assert asked["responder"]["mode"] == "operators"
    for how in (lambda: answer(operator, asked, "ship"),
                lambda: decide(operator, of, "approve")):
        refused(how(), 403, "suspension.not_yours")
    refused(answer(agent, asked, "ship"), 403)
    assert answer(alice, asked, "ship").status_code == 200
    assert gate_of(agent, of)["status"] == "approved"


def test_a_key_for_tests_decides_no_plan(server, agent, operator):
    intent, of, first, second, id = reached(agent)
    agent.post(f"/api/v1/intents/{intent['id']}/agents",
               json={"agent_id": "own-tested-bot"})
    key = server.key("agent", "--agent", "own-tested-bot", "--test")
    with server.client(headers={"X-API-Key": key}) as tester:
        # A real intent is none of a test's, assigned to its name or not.
        refused(tester.post("/api/v1/suspensions", json={
            "intent_id": intent["id"], "question": "Ship?",
            "response_type": "choice", "choices": WORDS,
            "context": {"checkpoint_id": "cp-1"}}), 404)
        refused(tester.post("/api/v1/test/answer", json={
            "suspension_id": id, "value": "approve"}), 404)
    assert gate_of(agent, of)["status"] == "reached"
    assert gate_of(agent, of)["suspension_id"] == id


@pytest.mark.parametrize("choices", [
    WORDS[1:], WORDS[:1] + WORDS[2:], WORDS[2:]])
def test_it_needs_a_yes_and_a_no(agent, choices):
    intent, of, first, second, id = reached(agent)
    r = agent.post("/api/v1/suspensions", json={
        "intent_id": intent["id"], "question": "Ship?",
        "response_type": "choice", "choices": choices,
        "context": {"checkpoint_id": "cp-1"}})
    refused(r, 422, "checkpoint.choices", "choices")
    assert gate_of(agent, of)["suspension_id"] == id
    assert question(agent, id)["state"] == "pending"


def test_two_plans_with_the_same_name_of_a_checkpoint(agent, operator):
    intent, of, *_ = reached(agent)
    more = task(agent, intent, "More")
    other = plan(agent, intent, more, checkpoints=[checkpoint(more)],
                 state="active")
    move(agent, more, "running", "completed")
    r = agent.post("/api/v1/suspensions", json={
        "intent_id": intent["id"], "question": "Ship?",
        "response_type": "choice", "choices": WORDS,
        "context": {"checkpoint_id": "cp-1"}})
    refused(r, 422, "checkpoint.ambiguous", "context.checkpoint_id")
    asked = own(agent, intent, context={"plan_id": other["id"].upper()})
    assert gate_of(agent, other)["suspension_id"] == asked["suspension_id"]
    assert answer(operator, asked, "ship").status_code == 200
    assert read(agent, other)["state"] == "completed"
    assert read(agent, of)["state"] == "paused"


def test_other_checkpoints_are_words_of_the_agent(agent, operator):
    """Of another framework, say, or one that does not wait."""
    intent, of, first, second, id = reached(agent)
    for of_intent, gate in ((new_intent(agent), "cp-1"),
                                (intent, "cp-2"), (intent, 7)):
        asked = own(agent, of_intent, gate)
        assert question(agent, id)["state"] == "pending"
        assert answer(operator, asked, "ship").status_code == 200
    assert gate_of(agent, of)["suspension_id"] == id


@pytest.mark.parametrize("how", ["plan", "intent"])
def test_the_plan_ends_meanwhile(agent, operator, how):
    intent, of, first, second, _ = reached(agent)
    asked = own(agent, intent)
    if how == "plan":
        move(agent, of, "cancelled")
        assert question(agent, asked["suspension_id"])["state"] == "pending"
        assert answer(operator, asked, "ship").status_code == 200
        assert get(agent, intent)["status"] == "active"
        assert read(agent, of)["state"] == "cancelled"
    else:
        assert set_status(agent, get(agent, intent),
                          "abandoned").status_code == 200
        assert question(agent, asked["suspension_id"])["state"] == \
            "cancelled"
        assert read(agent, of)["state"] == "failed"


def test_two_answers_at_once(agent, operator, other_operator):
    for _ in range(10):
        intent, of, *_ = reached(agent)
        asked = own(agent, intent)
        got = together(lambda: answer(operator, asked, "ship"),
                       lambda: answer(other_operator, asked, "hold"))
        assert sorted(r.status_code for r in got) == [200, 409]
        yes = got[0].status_code == 200
        assert read(agent, of)["state"] == ("active" if yes else "failed")


def test_the_two_questions_are_never_open_at_once(agent, operator):
    """An answer to the server's meets the agent's own question."""
    for _ in range(10):
        intent, of, first, second, id = reached(agent)
        got = together(
            lambda: decide(operator, of, "approve"),
            lambda: agent.post("/api/v1/suspensions", json={
                "intent_id": intent["id"], "question": "Ship?",
                "response_type": "choice", "choices": WORDS,
                "context": {"checkpoint_id": "cp-1"}}))
        gate, asked = gate_of(agent, of), made(got[1])
        if gate["status"] == "approved":
            assert got[0].status_code == 200
            continue # the agent's is a question like any other
        assert gate["suspension_id"] == asked["suspension_id"]
        assert got[0].status_code in (403, 409), got[0].text
        assert question(agent, id)["state"] == "cancelled"


@pytest.mark.parametrize("choices, yes", [
    (None, "approve"), ([], "yes")], ids=["approve and deny", "yes and no"])
def test_it_goes_through_openintents_suspension(agent, operator, choices,
                                                yes):
    """Its choices have no effects: some values mean a yes and a no."""
    intent, of, *_ = reached(agent)
    id = through_openintent(agent, intent, choices)
    assert gate_of(agent, of)["suspension_id"] == id
    assert respond(operator, intent, id, yes).status_code == 200
    assert read(agent, of)["state"] == "active"
    assert question(agent, id)["outcome"] == "authorized"


def test_openintents_other_choices_decide_nothing(agent, operator):
    intent, of, first, second, gate = reached(agent)
    id = through_openintent(agent, intent, [{"value": "go", "label": "Go"},
                                            {"value": "no", "label": "No"}])
    assert respond(operator, intent, id, "go").status_code == 200
    assert gate_of(agent, of)["suspension_id"] == gate
    assert question(agent, gate)["state"] == "pending"


def test_a_yes_is_not_called_a_no(agent):
    intent, of, first, second, gate = reached(agent)
    r = through_openintent(agent, intent, [
        {"value": "approve", "label": "Reject"},
        {"value": "deny", "label": "Keep waiting"}], 422)
    assert r["code"] == "choice.label_opposite"
    assert gate_of(agent, of)["suspension_id"] == gate
