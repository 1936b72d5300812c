"""Rules of retention: what they erase, what stays, and who says so."""
import json
import re

import pytest

import kit
import plans
from page import press, send, token
from retention import WORD, ask, end, erase, retaining, signed
from test_guardrails import guarded, under_review

route = pytest.mark.route
ERASED = re.compile(r"Erased by rule \S+ on 20\d\d-\d\d-\d\d\.")


@pytest.fixture(scope="module")
def server():
    with retaining("retention") as one:
        yield one


@pytest.fixture(scope="module")
def agent(server):
    with server.client("agent", agent="retained") as client:
        yield client


@pytest.fixture(scope="module")
def operator(server):
    with server.client("operator") as client:
        yield client


def text_of(server):
    """All that the tables have as text."""
    with server.database() as db:
        tables = [r[0] for r in db.execute(
            "SELECT format('%I', relname) FROM pg_class WHERE relkind = 'r' "
            "AND relnamespace = 'public'::regnamespace")]
        return {t: "\n".join(str(r[0]) for r in db.execute(
            f"SELECT t::text FROM {t} t")) for t in tables}


def test_a_question_that_ended_is_erased_and_verify_is_sound(server, agent,
                                                             operator):
    one = end(server, operator, ask(agent))
    id = one["suspension_id"]
    open_ = ask(agent)
    receipt = agent.get(f"/api/v1/suspensions/{id}/receipt").json()
    assert erase(server, "first") == "1 questions and 1 tasks erased\n"
    again = server.sayso("retention", "add", "--name", "first", "--days", "9")
    assert again.returncode == 1 and "retention.taken" in again.stderr
    again = server.sayso("retention", "start", "nothing")
    assert again.returncode == 1 and "retention.unknown" in again.stderr

    got = agent.get(f"/api/v1/suspensions/{id}").json()
    assert got["erased"]["rule"] == "first"
    assert ERASED.fullmatch(got["question"]) and got["subject"] == {}
    assert got["subject_sha256"] is None and got["reason"] is None
    assert (got["state"], got["outcome"]) == ("resolved", "vetoed")
    assert WORD not in json.dumps(got)
    intent = agent.get(f"/api/v1/intents/{one['intent_id']}").json()
    assert ERASED.fullmatch(intent["title"])
    assert intent["state"]["_erased"]["rule"] == "first"
    assert intent["state"]["_suspension"]["erased"]["rule"] == "first"
    assert WORD not in json.dumps(intent)

    listed = agent.get(f"/api/v1/intents/{one['intent_id']}/events").json()
    assert {e["erased"]["rule"] for e in listed} == {"first"}
    assert WORD in json.dumps(agent.get(
        f"/api/v1/suspensions/{open_['suspension_id']}").json())

    done = server.sayso("verify")
    assert done.returncode == 0 and "BROKEN" not in done.stdout, done.stdout
    assert f"{len(listed)} erased" in done.stdout
    done = server.sayso("verify", one["intent_id"])
    assert done.stdout.count("by rule first on 20") == len(listed)

    after = agent.get(f"/api/v1/suspensions/{id}/receipt").json()
    assert after["receipt"] == receipt["receipt"]
    assert after["disclosures"] == [] and after["texts"]["subject"] is None
    assert after["erased"]["subject"] == after["erased"]["event"]
    found = {name: text for name, text in text_of(server).items()
             if id in text and WORD in "\n".join(
                 line for line in text.splitlines() if id in line)}
    # The request as it was remembered for a repeat stays for a week.
    assert set(found) <= {"idempotency"}


@route("GET /settings/retention")
@route("POST /settings/retention")
@route("GET /settings/retention/{name}")
@route("POST /settings/retention/{name}")
def test_an_admin_makes_and_starts_a_rule(server, agent, operator, person):
    one = end(server, operator, ask(agent))
    boss = person("admin").client
    page, rule = "/settings/retention", "/settings/retention/old-refusals"
    assert person("operator").client.get(page).status_code == 403
    values = {"Name": "old-refusals", "Days": "7", "Kind": "approval",
              "Outcome": "vetoed"}
    for wrong, said in (({"Name": "No spaces"}, "A name has"),
                        ({"Days": "6"}, "from 7 to")):
        r = send(boss, page, {**values, **wrong})
        assert r.status_code == 422 and said in r.text, r.text
    assert send(boss, page, values).status_code == 303
    r = send(boss, page, {**values, "Days": "8"})
    assert r.status_code == 422 and "There is, or was, a rule" in r.text
    with server.database() as db:
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE retention_rule SET days = 0 WHERE name = "
                   "'old-refusals'")
        db.execute("DELETE FROM delivery")
    text = boss.get(rule).text
    assert "Not started" in text and "Approval" in text and "Rejected" in text
    assert "Start" not in person("auditor").client.get(rule).text
    assert server.sayso("retention", "run").stdout.startswith("0 questions")
    r = press(boss, rule, "start", page=f"{rule}?do=start")
    assert r.status_code == 303
    assert "Active" in boss.get(rule).text
    assert server.sayso("retention", "run").stdout == \
        "1 questions and 1 tasks erased\n"
    assert kit.read(agent, one)["erased"]["rule"] == "old-refusals"
    r = press(boss, rule, "remove", page=f"{rule}?do=remove")
    assert r.status_code == 303
    assert "Removed" in boss.get(page).text
    r = boss.post(rule, data={"csrf": token(boss), "do": "start"})
    assert r.status_code == 404
    assert boss.get(page + "/nothing").status_code == 404


def test_pages_say_what_was_erased(server, agent, operator, person):
    one = end(server, operator, ask(agent))
    id = one["suspension_id"]
    erase(server, "pages")
    me = person("operator")
    page = me.client.get(f"/suspensions/{id}")
    assert page.status_code == 200 and "Erased request" in page.text
    assert "Erased by rule <bdi>pages</bdi> on" in page.text
    for path in (f"/suspensions/{id}", f"/suspensions/{id}/receipt",
                 f"/intents/{one['intent_id']}", "/decided",
                 f"/decided?q={id}"):
        text = me.client.get(path).text
        assert ERASED.search(text) or "Erased by" in text, path
        assert WORD not in text, path
    assert id not in me.client.get("/decided", params={"q": WORD}).text
    line = json.loads(me.client.get(
        "/decided.jsonl", params={"q": id}).text.splitlines()[0])
    assert ERASED.fullmatch(line["question"]) and line["reason"] == ""


def test_what_is_open_or_may_be_used_is_left(server, agent, operator):
    open_ = ask(agent)
    yes = end(server, operator, ask(agent), "approve")
    with server.database() as db:
        live = db.execute("SELECT count(*) FROM permit_row WHERE suspension_id "
                          "= %s AND state = 'active' AND not_after > now()",
                          [yes["suspension_id"]]).fetchone()[0]
    erase(server, "left")
    assert "erased" not in kit.read(agent, open_)
    assert ("erased" in kit.read(agent, yes)) == (live == 0)


def test_a_task_in_which_something_happens_keeps_its_own(server, agent,
                                                         operator):
    """The question is erased; the task waits for its second one."""
    one = end(server, operator, ask(agent))
    other = ask(agent, intent_id=one["intent_id"])
    signed(server, other)
    assert erase(server, "part") == "1 questions and 0 tasks erased\n"
    intent = agent.get(f"/api/v1/intents/{one['intent_id']}").json()
    assert WORD in intent["title"] and "erased" in kit.read(agent, one)
    assert WORD in kit.read(agent, other)["question"]
    assert server.sayso("verify", one["intent_id"]).returncode == 0
    end(server, operator, other)
    assert erase(server, "rest") == "1 questions and 1 tasks erased\n"
    intent = agent.get(f"/api/v1/intents/{one['intent_id']}").json()
    assert WORD not in json.dumps(intent)
    assert server.sayso("verify").returncode == 0


def test_copies_of_a_reason_go_with_it(server, agent, operator, swept):
    """In a task that stays: that of a plan's review, and of an access."""
    intent = guarded(agent, "retained", requires_plan_review=True)
    _, of, _ = under_review(agent, intent=intent)
    review = {"suspension_id": of["review_suspension_id"]}
    end(server, operator, review, "request_changes")
    shut = kit.new_intent(agent)
    kit.made(agent.put(f"/api/v1/intents/{shut['id']}/acl", json={
        "default_policy": "closed", "entries": []}), 200)
    at = f"/api/v1/intents/{shut['id']}/access-requests"
    with server.client("agent", agent="stranger") as stranger:
        asked = kit.made(stranger.post(at, json={
            "principal_id": "stranger", "principal_type": "agent",
            "requested_permission": "read", "reason": "I can help."}))
    kit.made(operator.post(f"{at}/{asked['id']}/approve",
                           json={"reason": f"{WORD} yes"}), 200)
    signed(server, {"suspension_id": asked["id"]})

    def kept():
        acl = agent.get(f"/api/v1/intents/{shut['id']}/acl").text
        return (plans.read(agent, of)["review_reason"], WORD in acl,
                "stranger" in acl)
    assert kept() == (f"{WORD} no", True, True)
    others = [ask(agent, intent_id=one["id"]) for one in (intent, shut)]
    for one in others:
        signed(server, one)
    assert erase(server, "copies") == "2 questions and 0 tasks erased\n"
    assert kept() == (None, False, True)
    assert server.sayso("verify").returncode == 0
    for one in others:
        end(server, operator, one)


def moved(server, one, by):
    """The task's last change, earlier or later than it was."""
    with server.database() as db:
        db.execute("UPDATE intent SET updated_at = updated_at + %s::interval "
                   "WHERE id = %s", [by, one["intent_id"]])


@pytest.fixture
def swept(server):
    """Nothing is left to be erased."""
    erase(server, f"swept-{kit.new_id()}")


def waits(server, one):
    """The rule for which the task waits; it is looked at again."""
    with server.database() as db:
        return (db.execute(
            "UPDATE retention_wait SET looked_at = looked_at - interval "
            "'2 days' WHERE intent_id = %s RETURNING rule",
            [one["intent_id"]]).fetchone() or [None])[0]


@pytest.mark.parametrize("id", ["the task's", "payload", "the agent's"])
def test_an_id_that_an_agent_chose_takes_no_other_event(server, agent,
                                                        operator, swept, id):
    intent = kit.new_intent(agent, "suspended_awaiting_input")
    path = f"/api/v1/intents/{intent['id']}"
    id = {"the task's": intent["id"], "the agent's": "retained"}.get(id, id)
    asked = kit.patch(agent, intent, kit.put("note", WORD),
                      kit.put("_suspension", kit.record(id=id)))
    assert kit.made(asked, 200)["state"]["_suspension"]["id"] == id
    one = {"suspension_id": id, "intent_id": intent["id"]}
    kit.made(agent.post(f"{path}/events", json={
        "event_type": "comment", "payload": {"text": f'"{id}"', "by": id}}))
    kit.made(agent.post(f"{path}/events", json={
        "event_type": "tool_call_started", "payload": {"suspension_id": id}}))
    end(server, operator, one, "deny")
    other = kit.ask(
        agent, intent_id=intent["id"], supersedes=id,
        context={"suspension_id": id, "payload": {"suspension_id": id}})
    signed(server, other)
    assert erase(server, f"id-{id}") == "1 questions and 0 tasks erased\n"
    events = agent.get(f"{path}/events").json()
    assert {e["event_type"] for e in events if e.get("erased")} == {
        "state_patched", "intent.suspended", "intent.resumed"}
    left = {e["event_type"]: e["payload"] for e in events
            if not e.get("erased")}
    assert {"intent_created", "status_changed", "comment",
            "tool_call_started"} <= set(left)
    assert left["intent.suspended"]["suspension_id"] == other["suspension_id"]
    assert kit.read(agent, other)["context"]["suspension_id"] == id
    end(server, operator, other, "deny")


def test_what_was_sent_goes_with_its_event_alone(server, agent, operator,
                                                 swept):
    one = ask(agent)
    id, task = one["suspension_id"], one["intent_id"]
    kit.made(agent.post(f"/api/v1/intents/{task}/events", json={
        "event_type": "comment", "payload": {"text": id, "of": [id]}}))
    end(server, operator, one)
    other = ask(agent, intent_id=task, context={"suspension_id": id})
    signed(server, other)
    with server.database() as db:
        endpoint = db.execute(
            "INSERT INTO endpoint (id, name, kind, address, secret, "
            "created_at, created_by) VALUES (gen_random_uuid(), 'sent', "
            "'agent', 'https://example.com/', 'x', now(), 'x') RETURNING id"
            ).fetchone()[0]
        db.execute(
            "INSERT INTO delivery (id, endpoint_id, subscription_id, "
            "intent_id, event_sequence, type, body, state, created_at) SELECT "
            "gen_random_uuid(), %s, gen_random_uuid(), intent_id, sequence, "
            "'event', canonical, 'delivered', created_at FROM event WHERE "
            "intent_id = %s", [endpoint, task])
    assert erase(server, "sent") == "1 questions and 0 tasks erased\n"
    with server.database() as db:
        sent, erased = (dict(db.execute(sql, [task]).fetchall()) for sql in (
            "SELECT event_sequence, body FROM delivery WHERE intent_id = %s "
            "AND subscription_id IS NOT NULL",
            "SELECT sequence, rule FROM event_erased WHERE intent_id = %s"))
        db.execute("DELETE FROM delivery WHERE endpoint_id = %s", [endpoint])
    assert erased and sent and not set(sent) & set(erased)
    assert len(sent) + len(erased) == max(sent)
    end(server, operator, other)


def test_a_later_rule_takes_the_tasks_of_a_removed_one(server, agent,
                                                       operator, swept):
    one = end(server, operator, ask(agent))
    moved(server, one, "1 hour")
    assert erase(server, "removed") == "1 questions and 0 tasks erased\n"
    assert waits(server, one) == "removed"
    moved(server, one, "-1 hour")
    assert erase(server, "unfit", kind="permission").startswith("0 questions "
                                                                "and 0")
    assert erase(server, "later") == "0 questions and 1 tasks erased\n"
    assert waits(server, one) is None
    intent = agent.get(f"/api/v1/intents/{one['intent_id']}").json()
    assert intent["state"]["_erased"]["rule"] == "later"


def test_a_task_waits_for_the_rule_that_erased_last(server, agent, operator,
                                                    swept):
    one = end(server, operator, ask(agent))
    moved(server, one, "1 hour")
    assert erase(server, "last-1") == "1 questions and 0 tasks erased\n"
    other = end(server, operator, ask(agent, intent_id=one["intent_id"]))
    moved(server, one, "1 hour")
    assert erase(server, "last-2") == "1 questions and 0 tasks erased\n"
    assert waits(server, other) == "last-2"
    moved(server, one, "-1 hour")
    assert erase(server, "last-3") == "0 questions and 1 tasks erased\n"


# --- A person -------------------------------------------------------------

def test_a_person_is_erased(server, agent, person):
    me = person("operator")
    email = me.email
    mine = ask(agent, intent={"title": "T", "initiated_by": email})
    with server.client(headers={"X-API-Key": me.token()}) as client:
        kit.made(kit.answer(client, mine, "reject", reason="My own words."),
                 200)
    signed(server, mine)
    done = server.sayso("operator", "erase", "--email", email)
    assert done.returncode == 1 and "disable it first" in done.stderr
    assert server.sayso("operator", "disable", "--email",
                        email).returncode == 0
    done = server.sayso("operator", "erase", "--email", email, "--dry-run")
    assert done.returncode == 0 and done.stdout.startswith("1 requests")
    with server.database() as db:
        db.execute("DELETE FROM delivery")
    done = server.sayso("operator", "erase", "--email", email)
    assert done.returncode == 0, done.stdout + done.stderr
    alias = re.search(r"erased-\w+@invalid", done.stdout)[0]
    got = kit.read(agent, mine)
    assert got["responded_by"] == got["initiated_by"] == alias
    assert got["reason"] is None and got["subject"]["action"]
    found = [t for t, text in text_of(server).items()
             if email in text or "My own words." in text]
    assert set(found) <= {"idempotency"}, found
    done = server.sayso("verify")
    assert done.returncode == 0, done.stdout
    assert server.sayso("verify", mine["intent_id"]).stdout.count(
        "by rule person on") >= 2
