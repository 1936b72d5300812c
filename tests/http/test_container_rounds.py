"""Many hundred times: edges that would close a ring, children while others
complete, and two answers to a question of each origin. The numbers are those
of the list of tests that the containers were planned with."""
import collections
import concurrent.futures
import random
import threading
import time

import pytest
from rounds import Line, Rounds

ROUNDS = 500
RACES = 100  # of each origin


def intent(line, **more):
    r = line.post("/api/v1/intents", {"title": "x", **more})
    assert r.status == 201, r.body
    return r.body


def active(line):
    one = intent(line)
    r = line.post(f"/api/v1/intents/{one['id']}/status",
                  {"status": "active"}, **{"If-Match": str(one["version"])})
    assert r.status == 200, r.body
    return r.body


def depend(line, one, other):
    return line.post(f"/api/v1/intents/{one['id']}/dependencies",
                     {"dependency_id": other["id"]},
                     **{"If-Match": str(one["version"])})


@pytest.fixture
def no_deadlock(server):
    def seen():
        return server.log("postgres").count("deadlock detected")

    before = seen()
    yield
    assert seen() == before


# --- Rings -------------------------------------------------------------------

def two_halves(line, *_):
    """a waits for b, and c for d."""
    b, d = intent(line), intent(line)
    a, c = (intent(line, depends_on=[x["id"]]) for x in (b, d))
    return {"edges": [(b, c), (d, a)], "all": [x["id"] for x in (a, b, c, d)]}


def test_G4_two_edges_that_close_a_ring_of_four(server, agent, other_agent,
                                                no_deadlock):
    with Rounds(server, agent, agent) as racing:
        races = racing.run(
            ROUNDS, two_halves,
            lambda line, of: depend(line, *of["edges"][0]),
            lambda line, of: depend(line, *of["edges"][1]))
    for race in races:
        assert sorted([race.first.status, race.second.status]) == [200, 400]
    everywhere = sum((r.about["all"] for r in races), [])
    with server.database() as db:
        edges = db.execute(
            "SELECT intent_id::text, dependency_id::text FROM "
            "intent_dependency WHERE intent_id = ANY (%s)",
            [everywhere]).fetchall()
    assert len(edges) == 3 * len(races)
    won = collections.Counter(r.first.status for r in races)
    print(f"{len(races)} rings of four, none closed: {dict(won)}")
    assert len(won) == 2, won


# --- Children while another one completes ------------------------------------

def waiting(line):
    """d, and p that waits for it."""
    d, p = active(line), active(line)
    r = depend(line, p, d)
    assert r.status == 200, r.body
    return d, p


def test_G6_children_that_depend_on_one_that_completes(server, agent,
                                                       no_deadlock):
    """Eight threads, of two rounds at a time: of four, three make children of
    p, which wait for d like p, and one completes d."""
    lines = [Line(server, agent) for _ in range(8)]
    all_p, began = [], time.monotonic()

    def one(n, ready, d, p):
        ready.wait(30)
        if n % 4 == 0:
            return lines[n].post(
                f"/api/v1/intents/{d['id']}/status", {"status": "completed"},
                **{"If-Match": str(d["version"])})
        return lines[n].post(f"/api/v1/intents/{p['id']}/children", {
            "title": "x", "depends_on": [d["id"]]})

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        while len(all_p) < ROUNDS:
            pairs = list(pool.map(waiting, lines[::4]))
            ready = threading.Barrier(8)
            order = random.sample(range(8), 8)
            done = dict(zip(order, pool.map(
                lambda n: one(n, ready, *pairs[n // 4]), order)))
            assert [done[n].status for n in range(8)] == (
                [200] + [201] * 3) * 2, [
                r.body for r in done.values() if r.status > 201]
            all_p += [p["id"] for _, p in pairs]
    for line in lines:
        line.http.close()
    with server.database() as db:
        freed, children = db.execute(
            "SELECT count(*) FILTER (WHERE id = ANY (%s) AND status = "
            "'active'), count(*) FILTER (WHERE parent_intent_id = ANY (%s)) "
            "FROM intent", [all_p, all_p]).fetchone()
    assert (freed, children) == (ROUNDS, 3 * ROUNDS)
    print(f"{ROUNDS} rounds, {time.monotonic() - began:.1f} s")


# --- Two members that complete a portfolio ------------------------------------

def test_P6_two_members_complete_at_once(server, agent, no_deadlock):
    """The portfolio is completed by the second of them, in one transition."""
    def make(line, _):
        p = line.post("/api/v1/portfolios", {
            "name": "x", "governance_policy": {"auto_complete_threshold": 100}})
        two = [active(line), active(line)]
        for one in two:
            r = line.post(f"/api/v1/portfolios/{p.body['id']}/intents",
                          {"intent_id": one["id"]})
            assert r.status == 201, r.body
        return {"id": p.body["id"], "two": two}

    def complete(n):
        return lambda line, of: line.post(
            f"/api/v1/intents/{of['two'][n]['id']}/status",
            {"status": "completed"},
            **{"If-Match": str(of["two"][n]["version"])})

    with Rounds(server, agent, agent) as racing:
        races = racing.run(200, make, complete(0), complete(1))
    assert {r.first.status for r in races} == {200}
    assert {r.second.status for r in races} == {200}
    with server.database() as db:
        ended = db.execute(
            "SELECT status, version, count(*) FROM portfolio WHERE id = ANY "
            "(%s) GROUP BY 1, 2", [[r.about["id"] for r in races]]).fetchall()
    assert ended == [("completed", 2, len(races))]
    print(f"{len(races)} portfolios, each completed once")


# --- Two answers to a question of each origin ---------------------------------

def ask(path, **body):
    def make(line):
        of = active(line)
        r = line.post(f"/api/v1/intents/{of['id']}/{path}",
                      {"reason": "x", **body})
        assert r.status == 201, r.body
        return {"intent": of["id"], "id": r.body["id"]}
    return make


def plan(line, guardrails=None, **more):
    """A plan with one task."""
    of = active(line)
    if guardrails:
        r = line.post("/api/v1/coordinators", {
            "intent_id": of["id"], "agent_id": "refunds-agent",
            "heartbeat_interval_seconds": 86400,
            "guardrails": guardrails})
        assert r.status == 201, r.body
    task = line.post("/api/v1/tasks", {"intent_id": of["id"], "name": "x"})
    made = line.post("/api/v1/plans", {
        "intent_id": of["id"], "tasks": [task.body["id"]], "state": "active",
        **{k: v(task.body["id"]) for k, v in more.items()}})
    assert made.status == 201, made.body
    return {"intent": of["id"], "plan": made.body, "task": task.body}


def review(line):
    of = plan(line, {"requires_plan_review": True})
    return {**of, "id": of["plan"]["review_suspension_id"]}


def checkpoint(line):
    """Reached at once: a task that an operator's plan skips is done."""
    of = plan(line, checkpoints=lambda task: [
        {"id": "cp", "name": "x", "after_task": task}])
    line.http.request(
        "PATCH", f"/api/v1/tasks/{of['task']['id']}", '{"status": "skipped"}',
        {**line.headers, "Content-Type": "application/json", "If-Match": "1"})
    r = line.http.getresponse()
    assert r.status == 200, r.read()
    r.read()
    return of


def native(value):
    return lambda line, of: line.post(
        f"/api/v1/suspensions/{of['id']}/respond", {"value": value})


def of_sdk(path, **body):
    def call(line, of):
        names = {**of, "plan_id": of.get("plan", {}).get("id")}
        return line.post("/api/v1/" + path.format(**names),
                         {k: v.format(**names) for k, v in body.items()})
    return call


def decide(how):
    return of_sdk("plans/{plan_id}/checkpoints/cp/" + how)


ORIGINS = {
    "approval": (
        ask("approvals", action="Deploy"),
        of_sdk("intents/{intent}/approvals/{id}/approve"), native("deny"),
        ("governance.approval_granted", "governance.approval_denied")),
    "escalation": (
        ask("escalations"),
        of_sdk("escalations/{id}/resolve", resolution="Go on."),
        native("Stop."), ("coordinator.escalation_resolved",) * 2),
    "arbitration": (
        ask("arbitrate"),
        of_sdk("intents/{intent}/decisions", decision_type="arbitration",
               outcome="pay", reasoning="x", arbitration_id="{id}"),
        native("wait"), ("decision_recorded",) * 2),
    "checkpoint": (
        checkpoint, decide("approve"), decide("reject"),
        ("plan.checkpoint_approved", "plan.checkpoint_rejected")),
    "plan_review": (
        review, native("approve"), native("reject"),
        ("plan.activated", "plan.checkpoint_rejected")),
}


@pytest.mark.parametrize("origin", ORIGINS)
def test_H1_two_answers_at_once(server, agent, operator, other_operator,
                                origin):
    """One winner, and one event of one of the two answers."""
    make, first, second, kinds = ORIGINS[origin]
    with Rounds(server, operator, other_operator, agent) as racing:
        races = racing.run(RACES, lambda a, b, line: make(line), first,
                           second)
    with server.database() as db:
        told = {id: tuple(found) for id, found in db.execute(
            "SELECT intent_id::text, array_agg(event_type) FROM event "
            "WHERE intent_id = ANY (%s) AND event_type = ANY (%s) "
            "GROUP BY intent_id",
            [[r.about["intent"] for r in races], list(kinds)])}
        ended = db.execute(
            "SELECT count(*) FROM open_question WHERE intent_id = ANY (%s)",
            [[r.about["intent"] for r in races]]).fetchone()[0]
    wins = collections.Counter()
    for race in races:
        yes = race.first.status < 300
        won, lost = (race.first, race.second)[::1 if yes else -1]
        assert won.status in (200, 201) and lost.status == 409, race
        assert told[race.about["intent"]] == (kinds[0 if yes else 1],)
        wins[yes] += 1
    assert ended == 0
    print(f"{origin}: {len(races)} races, {dict(wins)}")
