"""Two at once: one wins, the other gets a conflict, and one is written."""
import concurrent.futures
import time

import pytest

from kit import (answer, ask, check_chain, events, get, locked, new_id,
                 new_intent, patch, put, record, refused, respond, set_status,
                 suspend, together, types, wait_for, waiting)

ROUNDS = 25


def one_winner(got, names):
    """Exactly one 200; every other is a 409 with the winner and the answer.
    names: the responders, in the order of the answers."""
    won = [i for i, r in enumerate(got) if r.status_code == 200]
    assert len(won) == 1, [r.text for r in got]
    for r in got[:won[0]] + got[won[0] + 1:]:
        body = refused(r, 409, "suspension.already_decided")
        assert body["responded_by"] == names[won[0]]
        assert body["value"] == got[won[0]].json()["value"]
        assert body["responded_at"]
    return won[0]


NAMES = ["demo operator", "Second Operator"]


@pytest.mark.parametrize("door", ["openintent", "native", "both"])
def test_two_operators_at_once(agent, operator, other_operator, door):
    winners = []
    for _ in range(ROUNDS):
        asked = ask(agent)
        intent = {"id": asked["intent_id"]}

        def one(client, value, native):
            if native:
                return answer(client, asked, value)
            return respond(client, intent, asked["suspension_id"], value)

        got = together(
            lambda: one(operator, "approve", door != "openintent"),
            lambda: one(other_operator, "deny", door == "native"))
        winners.append(one_winner(got, NAMES))
        now = get(agent, intent)
        value = ["approve", "deny"][winners[-1]]
        assert now["version"] == 2 and now["status"] == "active"
        assert now["state"]["_suspension"]["response"] == value
        assert types(agent, intent["id"]).count("intent.resumed") == 1

@pytest.mark.parametrize("first", [0, 1])
def test_the_first_of_two_operators_wins(server, agent, operator,
                                         other_operator, first):
    """For each of the two as the winner, and at each door."""
    asked = ask(agent)
    intent = {"id": asked["intent_id"]}
    calls = [lambda: answer(operator, asked, "approve"),
             lambda: respond(other_operator, intent, asked["suspension_id"],
                             "deny")]
    got = [None, None]
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        with locked(server, intent):
            for n, who in enumerate((first, 1 - first), 1):
                got[who] = pool.submit(calls[who])
                wait_for(lambda: waiting(server) == n)
        assert one_winner([g.result() for g in got], NAMES) == first


def test_many_operators_at_once(agent, operator, other_operator):
    for _ in range(5):
        asked = ask(agent)
        got = together(*[
            lambda c=c: answer(c, asked, "deny")
            for c in [operator, other_operator] * 8])
        one_winner(got, NAMES * 8)


def test_an_answer_and_a_withdrawal_at_once(agent, operator):
    at = "/api/v1/suspensions/{}/cancel"
    for _ in range(ROUNDS):
        asked = ask(agent)
        got = together(
            lambda: answer(operator, asked, "deny"),
            lambda: agent.post(at.format(asked["suspension_id"]), json={}))
        assert sorted(r.status_code for r in got) == [200, 409]
        state = "resolved" if got[0].status_code == 200 else "cancelled"
        seen = agent.get(f"/api/v1/suspensions/{asked['suspension_id']}")
        assert seen.json()["state"] == state
        loser = next(r for r in got if r.status_code == 409)
        assert loser.json()["state"] == state
        check_chain(events(agent, asked["intent_id"]))


def test_an_answer_and_an_end_at_once(agent, operator, admin):
    for _ in range(ROUNDS):
        intent, suspension = suspend(agent)
        got = together(
            lambda: respond(operator, intent, suspension, "deny"),
            lambda: set_status(admin, intent, "abandoned"))
        assert sorted(r.status_code for r in got) == [200, 409]
        now = get(agent, intent)
        answered = got[0].status_code == 200
        assert now["status"] == ("active" if answered else "abandoned")
        assert now["state"]["_suspension"]["resolution"] == (
            "responded" if answered else "cancelled")


def test_equal_versions_at_once(agent):
    for _ in range(ROUNDS):
        intent = new_intent(agent)
        got = together(*[lambda n=n: patch(agent, intent, put("n", n))
                         for n in range(4)])
        assert sorted(r.status_code for r in got) == [200, 409, 409, 409]
        won = next(n for n, r in enumerate(got) if r.status_code == 200)
        now = get(agent, intent)
        assert now["state"] == {"n": won}
        assert now["version"] == intent["version"] + 1
        for r in got:
            if r.status_code == 409:
                assert r.json()["current_version"] == now["version"]
        assert types(agent, intent["id"]).count("state_patched") == 1


def test_every_change_counts(agent):
    """Clients that retry with the newest version lose no change."""
    intent = new_intent(agent, state={"l": []})

    def add(n):
        while True:
            now = get(agent, intent)
            r = patch(agent, now, {"op": "append", "path": "l", "value": n})
            if r.status_code == 200:
                return
            refused(r, 409, "intent.version")

    together(*[lambda n=n: add(n) for n in range(8)])
    now = get(agent, intent)
    assert sorted(now["state"]["l"]) == list(range(8))
    assert now["version"] == intent["version"] + 8


def test_two_questions_at_once(agent):
    for _ in range(ROUNDS):
        intent = new_intent(agent)
        got = together(*[lambda: agent.post("/api/v1/suspensions", json={
            "question": "Q?", "intent_id": intent["id"]})] * 3)
        assert sorted(r.status_code for r in got) == [201, 409, 409]
        assert types(agent, intent["id"]).count("intent.suspended") == 1


def test_one_id_for_two_questions_at_once(agent):
    for _ in range(ROUNDS):
        one, two = (new_intent(agent, "suspended_awaiting_input")
                    for _ in range(2))
        wanted = record()
        got = together(
            lambda: patch(agent, one, put("_suspension", wanted)),
            lambda: patch(agent, two, put("_suspension", wanted)))
        assert sorted(r.status_code for r in got) == [200, 409]


def test_events_at_once_leave_no_gap(agent, operator):
    intent = new_intent(agent)
    at = f"/api/v1/intents/{intent['id']}/events"
    got = together(*[lambda c=c: c.post(at, json={"event_type": "comment"})
                     for c in [agent, operator] * 20])
    assert {r.status_code for r in got} == {201}
    listed = events(agent, intent["id"])
    check_chain(listed)
    assert len(listed) == 42


def test_dependencies_that_complete_at_once(agent):
    """The last one to complete frees those that waited, whichever it is."""
    for _ in range(10):
        first, second = new_intent(agent), new_intent(agent)
        waiting = [set_status(agent, new_intent(
            agent, "draft", depends_on=order), "active").json()
            for order in ([first["id"], second["id"]],
                          [second["id"], first["id"]])]
        assert {w["status"] for w in waiting} == {"blocked"}
        got = together(lambda: set_status(agent, first, "completed"),
                       lambda: set_status(agent, second, "completed"))
        assert [r.status_code for r in got] == [200, 200], [r.text
                                                            for r in got]
        assert [get(agent, w)["status"] for w in waiting] == ["active"] * 2
        for w in waiting:
            check_chain(events(agent, w["id"]))


def test_a_cycle_made_at_once(agent):
    for _ in range(10):
        one, two = new_intent(agent, "draft"), new_intent(agent, "draft")

        def depend(a, b):
            return agent.post(f"/api/v1/intents/{a['id']}/dependencies",
                              json={"dependency_id": b["id"]},
                              headers={"If-Match": "1"})

        got = together(lambda: depend(one, two), lambda: depend(two, one))
        assert sorted(r.status_code for r in got) == [200, 400], [
            r.text for r in got]


def test_completing_and_depending_at_once(agent):
    """An intent does not keep waiting for an intent that is completed."""
    for _ in range(10):
        first, second = new_intent(agent), new_intent(agent)
        together(
            lambda: set_status(agent, first, "completed"),
            lambda: agent.post(f"/api/v1/intents/{second['id']}/dependencies",
                               json={"dependency_id": first["id"]},
                               headers={"If-Match": str(second["version"])}))
        assert get(agent, second)["status"] == "active"


def test_a_child_made_while_its_parent_completes(server, agent):
    """A parent completes only after its children: a child that is being made,
    and exists when the parent gets its turn, counts."""
    parent = new_intent(agent)
    with server.database() as db, db.transaction():
        db.execute("SELECT FROM intent WHERE id = %s FOR SHARE",
                   [parent["id"]])
        db.execute(
            "INSERT INTO intent (id, title, created_by, status, constraints,"
            " state, version, created_at, updated_at, parent_intent_id) "
            "VALUES (%s, 'x', 'x', 'active', '{}', '{}', 1, now(), now(), "
            "%s)", [new_id(), parent["id"]])
        with concurrent.futures.ThreadPoolExecutor(1) as pool:
            done = pool.submit(set_status, agent, parent, "completed")
            time.sleep(0.5)
            db.execute("COMMIT")
            refused(done.result(), 409, "intent.children_open")
    assert get(agent, parent)["status"] == "active"


def test_a_child_waits_for_what_its_parent_is_at(server, agent):
    parent = new_intent(agent)
    for make in (lambda: new_intent(agent, parent_intent_id=parent["id"]),
                 lambda: ask(agent, intent={
                     "title": "t", "parent_intent_id": parent["id"]})):
        with server.database() as db, db.transaction():
            db.execute("SELECT FROM intent WHERE id = %s FOR NO KEY UPDATE",
                       [parent["id"]])
            with concurrent.futures.ThreadPoolExecutor(1) as pool:
                made = pool.submit(make)
                time.sleep(0.5)
                assert not made.done()
                db.execute("COMMIT")
                made.result()


def test_an_answer_while_a_dependency_completes(agent, operator):
    """In either order the intent ends up active: it has no open dependency."""
    for _ in range(ROUNDS):
        first = new_intent(agent)
        intent, suspension = suspend(agent)
        r = agent.post(f"/api/v1/intents/{intent['id']}/dependencies",
                       json={"dependency_id": first["id"]},
                       headers={"If-Match": str(intent["version"])})
        assert r.status_code == 200, r.text
        got = together(
            lambda: respond(operator, intent, suspension, "deny"),
            lambda: set_status(agent, first, "completed"))
        assert [r.status_code for r in got] == [200, 200]
        assert get(agent, intent)["status"] == "active"


def test_an_answer_while_a_dependency_is_added(agent, operator):
    """Here it ends up blocked: its dependency is open."""
    for _ in range(ROUNDS):
        first = new_intent(agent)
        intent, suspension = suspend(agent)
        got = together(
            lambda: respond(operator, intent, suspension, "deny"),
            lambda: agent.post(
                f"/api/v1/intents/{intent['id']}/dependencies",
                json={"dependency_id": first["id"]},
                headers={"If-Match": str(intent["version"])}))
        assert got[0].status_code == 200
        now = get(agent, intent)
        assert now["status"] == ("blocked" if got[1].status_code == 200
                                 else "active")


def test_a_key_and_its_twin_under_load(agent):
    keys = [new_id() for _ in range(5)]
    got = together(*[lambda k=k: agent.post(
        "/api/v1/intents", json={"title": k}, headers={"Idempotency-Key": k})
        for k in keys * 8])
    assert {r.status_code for r in got} == {201}
    assert len({r.json()["id"] for r in got}) == 5


def test_what_never_comes_through_is_told_to_come_again(server, agent):
    """A conflict with others at each try."""
    name = "contended-" + new_id()
    with server.database() as db:
        db.execute("CREATE FUNCTION contended() RETURNS trigger LANGUAGE "
                   "plpgsql AS $$ BEGIN IF NEW.title LIKE 'contended-%' THEN "
                   "RAISE serialization_failure; END IF; RETURN NEW; END $$")
        db.execute("CREATE TRIGGER contended BEFORE INSERT ON intent FOR "
                   "EACH ROW EXECUTE FUNCTION contended()")
        try:
            r = agent.post("/api/v1/intents", json={"title": name})
        finally:
            db.execute("DROP TRIGGER contended ON intent")
            db.execute("DROP FUNCTION contended()")
    refused(r, 503, "database.contended")
    assert int(r.headers["retry-after"]) > 0
    assert agent.post("/api/v1/intents",
                      json={"title": name}).status_code == 201
