"""Batches of retention: what fails, what is large, and who has the turn."""
import concurrent.futures
import contextlib
import os
import re
import signal

import pytest

import kit
from retention import ask, end, erase, retaining, rule, signed


@pytest.fixture(scope="module")
def server():
    with retaining("batches") as one:
        yield one


@pytest.fixture(scope="module")
def agent(server):
    with server.client("agent", agent="retained") as client:
        yield client


@pytest.fixture(scope="module")
def operator(server):
    with server.client("operator") as client:
        yield client


@pytest.fixture
def swept(server):
    """Nothing is left to be erased."""
    erase(server, f"swept-{kit.new_id()}")


def test_killed_in_a_batch_it_goes_on(server, agent, operator):
    """The process of the server, killed while it waits inside a batch."""
    many = [end(server, operator, ask(agent)) for _ in range(3)]
    with server.database() as db:
        db.execute("UPDATE delivery SET state = 'delivered', next_at = NULL")
    assert server.sayso("retention", "add", "--name", "killed", "--days",
                        "7").returncode == 0
    with server.database() as db, server.database() as look:
        db.execute("SET session_replication_role = replica")
        db.execute("UPDATE retention_rule SET days = 0, started_at = now(), "
                   "started_by = 'x' WHERE name = 'killed'")
        with db.transaction():
            db.execute("LOCK TABLE suspension_call IN EXCLUSIVE MODE")
            for _ in range(2):
                os.kill(server.child("erase"), signal.SIGKILL)
                kit.wait_for(lambda: look.execute(
                    "SELECT FROM pg_stat_activity WHERE usename = "
                    "'sayso_erase' AND wait_event_type = 'Lock'"
                    ).fetchone() is not None, 40)
            assert all("erased" not in kit.read(agent, one) for one in many)
        kit.wait_for(lambda: all("erased" in kit.read(agent, one)
                                 for one in many), 40)
        db.execute("UPDATE retention_rule SET removed_at = now(), removed_by "
                   "= 'x' WHERE name = 'killed'")
    assert server.sayso("verify").returncode == 0


@contextlib.contextmanager
def stuck(server, *ids):
    """The questions cannot be erased."""
    with server.database() as db:
        db.execute("CREATE FUNCTION stuck() RETURNS trigger LANGUAGE plpgsql "
                   "AS $$ BEGIN RAISE 'stuck'; END $$")
        db.execute("CREATE TRIGGER stuck BEFORE UPDATE ON suspension FOR EACH "
                   f"ROW WHEN (OLD.id = ANY ('{{{','.join(ids)}}}')) EXECUTE "
                   "FUNCTION stuck()")
        yield
        db.execute("DROP FUNCTION stuck CASCADE")


def test_a_question_that_cannot_be_erased_stops_no_other(server, agent,
                                                         operator, swept):
    kinds = {"stuck": "approval", "moves": "none"}
    many = [end(server, operator, ask(agent)) for _ in range(3)]
    many += [end(server, operator, kit.ask(agent), "deny") for _ in range(3)]
    bad = many[1]["intent_id"]
    with stuck(server, many[1]["suspension_id"]):
        for name, kind in kinds.items():
            rule(server, name, "--kind", kind)
        done = server.sayso("retention", "run")
        assert done.returncode == 1
        assert done.stdout == "5 questions and 5 tasks erased\n"
        assert f"rule stuck could not erase {bad}\n" in done.stderr
    done = server.sayso("retention", "run")
    assert (done.returncode, done.stdout) == (
        0, "1 questions and 1 tasks erased\n")
    for name in kinds:
        server.sayso("retention", "remove", name)


def test_the_process_goes_on_with_another_rule(server, agent, operator, swept):
    bad = end(server, operator, ask(agent))
    other = end(server, operator, kit.ask(agent), "deny")
    with stuck(server, bad["suspension_id"]):
        rule(server, "a-stuck", "--kind", "approval")
        rule(server, "b-moves", "--kind", "none")
        os.kill(server.child("erase"), signal.SIGKILL)
        kit.wait_for(lambda: "erased" in kit.read(agent, other), 40)
        assert "erased" not in kit.read(agent, bad)
        assert re.search(r"erase: a batch of \d+ of rule a-stuck: ",
                         server.log())
    for name in ("a-stuck", "b-moves"):
        assert server.sayso("retention", "remove", name).returncode == 0


def test_a_batch_ends_at_a_number_of_events(server, agent, operator, swept):
    """The sizes of tasks alone are moved: they have few events."""
    many = [end(server, operator, ask(agent)) for _ in range(3)]
    rule(server, "sizes")
    with server.database() as db, db.transaction(force_rollback=True):
        db.execute("SET LOCAL session_replication_role = replica")
        looked = [db.execute("SELECT looked FROM retention_erase('sizes', 100)"
                             ).fetchone()[0]]
        db.execute("UPDATE retention_rule SET place_at = '-infinity', place_id "
                   "= '', passed_at = NULL WHERE name = 'sizes'")
        db.execute("UPDATE decision SET erased_at = NULL, erased_rule = NULL "
                   "WHERE suspension_id = ANY (%s)",
                   [[x["suspension_id"] for x in many]])
        db.execute("UPDATE intent SET event_sequence = 9000 WHERE id = ANY "
                   "(%s)", [[x["intent_id"] for x in many]])
        looked += [db.execute("SELECT looked FROM retention_erase('sizes', "
                              "100)").fetchone()[0] for _ in range(2)]
    assert looked == [3, 2, 1]
    assert server.sayso("retention", "remove", "sizes").returncode == 0
    erase(server, "sizes-2")


def withdrawn(server, agent, task):
    """A question of the task, which has ended and is signed."""
    one = kit.ask(agent, intent_id=task)
    kit.made(agent.post(f"/api/v1/suspensions/{one['suspension_id']}/cancel",
                        json={}), 200)
    signed(server, one)
    return one


def test_a_task_that_fails_alone_is_left_out_as_a_whole(server, agent, swept):
    task = kit.new_intent(agent)["id"]
    many = [withdrawn(server, agent, task) for _ in range(3)]
    other = withdrawn(server, agent, kit.new_intent(agent)["id"])
    with stuck(server, *(x["suspension_id"] for x in many)):
        rule(server, "whole")
        done = server.sayso("retention", "run")
    assert done.returncode == 1
    assert done.stdout == "1 questions and 1 tasks erased\n"
    assert re.findall("could not erase (.*)", done.stderr) == [task]
    assert "erased" in kit.read(agent, other)
    assert "erased" not in kit.read(agent, many[2])
    done = server.sayso("retention", "run")
    assert done.stdout == "3 questions and 1 tasks erased\n"
    assert server.sayso("retention", "remove", "whole").returncode == 0


def test_events_of_an_agent_are_not_read_for_names(server, agent, swept):
    """Each has 128,000 names, which would be gigabytes of temporary files."""
    task = kit.new_intent(agent)["id"]
    many = [withdrawn(server, agent, task)]
    body = ('{"event_type":"%s","payload":{"approval_ids":[' +
            ",".join(["1"] * 128000) + "]}}")
    for n in range(20):
        kit.made(agent.post(
            f"/api/v1/intents/{task}/events",
            content=body % ("tool.invoked" if n % 2 else "comment"),
            headers={"Content-Type": "application/json"}))
    many.append(withdrawn(server, agent, task))
    rule(server, "names")
    with server.database() as db:
        def temporary():
            return db.execute(
                "SELECT temp_bytes FROM pg_stat_database WHERE datname = "
                "current_database()").fetchone()[0]
        before = temporary()
        done = server.sayso("retention", "run")
        assert done.stdout == "2 questions and 1 tasks erased\n"
        # The session of the command has said what it used once it has gone.
        kit.wait_for(lambda: db.execute(
            "SELECT FROM pg_stat_activity WHERE application_name = "
            "'sayso admin'").fetchone() is None)
        assert temporary() - before < 20 << 20
    assert server.sayso("retention", "remove", "names").returncode == 0
    assert all("erased" in kit.read(agent, one) for one in many)


@pytest.mark.parametrize("type", [
    "comment", "tool.invoked", "agent_assigned", "state_patched",
    "decision_recorded", "task.blocked"])
def test_what_an_agent_can_make_large_is_not_parsed(server, agent, type):
    """It would fail: these bytes are no JSON. One change of the state is
    parsed, the newest before the question."""
    one = ask(agent)
    with server.database() as db, db.transaction(force_rollback=True):
        db.execute("SET LOCAL session_replication_role = replica")
        db.execute("UPDATE event SET sequence = sequence + 5000 WHERE "
                   "intent_id = %s AND sequence > 1", [one["intent_id"]])
        db.execute("UPDATE suspension SET asked_sequence = asked_sequence + "
                   "5000 WHERE id = %s", [one["suspension_id"]])
        db.execute(
            "INSERT INTO event (intent_id, sequence, id, event_type, "
            "created_at, canonical, event_hash, previous_event_hash) SELECT "
            "%s, n, gen_random_uuid(), CASE n WHEN 2000 THEN 'state_patched' "
            "ELSE %s END, now(), CASE n WHEN 2000 THEN '{}' ELSE repeat('x', "
            "5000) END, 'x', 'x' FROM generate_series(2, 2000) n",
            [one["intent_id"], type])
        db.execute("SELECT retention_questions(ARRAY[%s], 'r', now())",
                   [one["suspension_id"]])
        assert db.execute("SELECT count(*) FROM event_erased WHERE intent_id "
                          "= %s", [one["intent_id"]]).fetchone()[0] == 1


def test_an_agent_writes_no_event_that_names_a_question(server, agent):
    with server.database() as db:
        text = db.execute(
            "SELECT prosrc FROM pg_proc WHERE proname = 'retention_questions'"
            ).fetchone()[0]
    types = re.findall(r"'([a-z._]+)'", re.search(
        r"event_type IN \((.*?)\)", text, re.S)[1])
    assert len(types) > 20 and "governance.approval_enforced" in types
    path = f"/api/v1/intents/{kit.new_intent(agent)['id']}/events"
    for one in types:
        r = agent.post(path, json={"event_type": one,
                                   "payload": {"permit_id": kit.new_id()}})
        if one == "tool.invoked":
            kit.refused(r, 422, "event.reserved")
        else:
            assert r.status_code in (403, 409)
            kit.refused(r, r.status_code, "event.servers_own")


def test_an_agents_own_use_of_a_tool_stays(server, agent, operator, swept):
    """It names the question, and is the agent's word."""
    one = ask(agent)
    path = f"/api/v1/intents/{one['intent_id']}/events"
    for name in ("suspension_id", "request_id", "approval_id",
                 "escalation_id", "arbitration_id"):
        kit.made(agent.post(path, json={
            "event_type": "tool.invoked",
            "payload": {name: one["suspension_id"], "tool": "x"}}))
    end(server, operator, one)
    other = ask(agent, intent_id=one["intent_id"])
    signed(server, other)
    assert erase(server, "tools") == "1 questions and 0 tasks erased\n"
    assert len([e for e in agent.get(path).json()
                if e["event_type"] == "tool.invoked" and "tool" in e["payload"]
                ]) == 5
    end(server, operator, other)


@pytest.mark.parametrize("path", ["_suspension/", "//_suspension//"])
def test_a_record_goes_however_its_path_is_written(server, agent, operator,
                                                   swept, path):
    intent = kit.new_intent(agent, "suspended_awaiting_input")
    record = kit.record(id=kit.new_id())
    kit.made(kit.patch(agent, intent, kit.put("note", "kept"),
                       kit.put(path, record)), 200)
    one = {"suspension_id": record["id"], "intent_id": intent["id"]}
    end(server, operator, one, "deny")
    signed(server, kit.ask(agent, intent_id=intent["id"]))
    assert erase(server, f"path-{kit.new_id()}") == (
        "1 questions and 0 tasks erased\n")
    assert {bool(e.get("erased")) for e in kit.events(agent, intent["id"])
            if e["event_type"] == "state_patched"} == {True}


def test_a_rule_without_a_next_question_stops_no_other(server, agent, operator,
                                                       swept):
    """Its turn is the first one."""
    end(server, operator, ask(agent))
    other = end(server, operator, kit.ask(agent), "deny")
    name = "retention_found(retention_rule, timestamptz, integer)"
    with server.database() as db:
        text = db.execute("SELECT pg_get_functiondef(%s::regprocedure)",
                          [name]).fetchone()[0]
        db.execute(text.replace("BEGIN", "BEGIN IF r.name = 'a-none' THEN "
                                "RAISE 'none'; END IF;", 1))
        rule(server, "a-none", "--kind", "approval")
        assert server.sayso("retention", "run").returncode == 1
        rule(server, "b-next", "--kind", "none")
        db.execute("UPDATE retention_rule SET turn_at = now() WHERE name = "
                   "'b-next'")
        done = server.sayso("retention", "run")
        db.execute(text)
    assert done.returncode == 1
    assert done.stdout == "1 questions and 1 tasks erased\n"
    assert "erased" in kit.read(agent, other)
    for one in ("a-none", "b-next"):
        assert server.sayso("retention", "remove", one).returncode == 0


def test_no_erased_decision_is_read_again(server, agent, operator, swept):
    for _ in range(3):
        end(server, operator, ask(agent))
    erase(server, "read-1")
    rule(server, "read-2")
    read = ("SELECT idx_tup_fetch + seq_tup_read FROM pg_stat_xact_user_tables "
            "WHERE relname = 'decision'")
    with server.database() as db, db.transaction():
        db.execute("SET LOCAL enable_seqscan = off")
        before = db.execute(read).fetchone()[0]
        assert db.execute(
            "SELECT count(*) FROM retention_rule r, retention_found(r, now(), "
            "100) WHERE r.name = 'read-2'").fetchone()[0] == 0
        assert db.execute(read).fetchone()[0] == before
    assert server.sayso("retention", "remove", "read-2").returncode == 0


def test_a_command_that_a_lock_stops_ends(server, agent, operator, swept):
    one = end(server, operator, ask(agent))
    rule(server, "locked")
    with server.database() as db:
        with db.transaction():
            db.execute("LOCK TABLE suspension_call IN EXCLUSIVE MODE")
            done = server.sayso("retention", "run")
        assert done.returncode == 1
        assert done.stdout == "0 questions and 0 tasks erased\n"
        assert "a batch of 500 of rule locked failed" in done.stderr
        assert f"rule locked could not erase {one['intent_id']}" in done.stderr
    assert server.sayso("retention", "run").stdout == (
        "1 questions and 1 tasks erased\n")
    assert server.sayso("retention", "remove", "locked").returncode == 0


def test_a_command_whose_connection_is_lost_ends(server, agent, operator,
                                                 swept):
    """The batch is not repeated without the command's limits of time."""
    one = end(server, operator, ask(agent))
    rule(server, "lost")
    at_work = ("FROM pg_stat_activity WHERE application_name = 'sayso admin' "
               "AND wait_event_type = 'Lock'")
    with server.database() as db, server.database() as look, \
            concurrent.futures.ThreadPoolExecutor() as pool:
        with db.transaction():
            db.execute("LOCK TABLE suspension_call IN EXCLUSIVE MODE")
            run = pool.submit(server.sayso, "retention", "run")
            kit.wait_for(lambda: look.execute(
                f"SELECT pg_terminate_backend(pid) {at_work}").fetchone())
            done = run.result(60)
    assert done.returncode == 1
    assert "a batch of 500 of rule lost failed" in done.stderr
    assert f"rule lost could not erase {one['intent_id']}" in done.stderr
    assert server.sayso("retention", "run").stdout == (
        "1 questions and 1 tasks erased\n")
    assert server.sayso("retention", "remove", "lost").returncode == 0


def test_a_command_waits_for_the_process(server, agent, operator, swept):
    end(server, operator, ask(agent))
    rule(server, "busy")
    with server.database() as db, server.database() as look, \
            concurrent.futures.ThreadPoolExecutor() as pool:
        with db.transaction():
            db.execute("SELECT pg_advisory_xact_lock(6201)")
            run = pool.submit(server.sayso, "retention", "run")
            kit.wait_for(lambda: run.done() or look.execute(
                "SELECT FROM pg_locks WHERE locktype = 'advisory' AND objid = "
                "6201 AND NOT granted").fetchone() is not None)
        done = run.result()
    assert (done.returncode, done.stdout) == (
        0, "1 questions and 1 tasks erased\n")
    assert server.sayso("retention", "remove", "busy").returncode == 0
