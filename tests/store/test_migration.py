"""A database from before the kinds is migrated: nothing in it changes, and all
of it still works."""
import re
import shutil
import subprocess
import time

import psycopg
import pytest
from server import TOP
from statements import STATEMENTS

import questions
import rows


@pytest.fixture(scope="module")
def old(server, tmp_path_factory):
    """A database of its own beside the server's. old.connect(user) connects;
    old.migrate(until) applies the files up to that number."""
    class Old:
        conf = (server.state / "sayso.conf").read_text()
        host = re.search(r"^database = .*host=(\S+)", conf, re.M)[1]
        at = tmp_path_factory.mktemp("migration")

        def connect(self, user="sayso_owner"):
            return psycopg.connect(host=self.host, dbname="sayso_old",
                                   user=user, autocommit=True,
                                   prepare_threshold=None)

        def begin(self, until):
            """Starts the command."""
            files = self.at / f"sql{until}"
            files.mkdir(exist_ok=True)
            for path in sorted((TOP / "sql").glob("0*.sql")):
                if int(path.name[:4]) <= until:
                    shutil.copy(path, files)
            conf = self.at / "sayso.conf"
            text = self.conf.replace("dbname=sayso ", "dbname=sayso_old ")
            conf.write_text(re.sub(r"^migrations = .*$",
                                   f"migrations = {files}", text, flags=re.M))
            return subprocess.Popen(
                [server.state / "app" / "sayso", "migrate"], text=True,
                stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                env={**server.environ, "SAYSO_CONF": str(conf)})

        def migrate(self, until):
            done = self.begin(until)
            said, wrong = done.communicate(timeout=120)
            assert done.returncode == 0, wrong
            return said

    with server.database() as db:
        db.execute("DROP DATABASE IF EXISTS sayso_old")
        db.execute("CREATE DATABASE sayso_old OWNER sayso_owner TEMPLATE "
                   "template0 ENCODING 'UTF8' LC_COLLATE 'C.UTF-8' LC_CTYPE "
                   "'C.UTF-8'")
    yield Old()
    with server.database() as db:
        db.execute("DROP DATABASE sayso_old WITH (FORCE)")


def everything(db):
    """Every row as it reads, by table."""
    tables = ("intent", "suspension", "event", "principal", "api_key")
    return {t: [r for [r] in db.execute(
        f"SELECT to_jsonb({t}) FROM {t} ORDER BY to_jsonb({t})::text")]
        for t in tables}


def without(found, *names):
    return [{k: v for k, v in row.items() if k not in names}
            for row in found]


def question_of_before(db, intent_id, **columns):
    """A question in the shape that it had until 0010."""
    row = {"intent_id": intent_id, "seq": 1, "record": "{}",
           "response_type": "text", "question": "?", "subject": "{}",
           "subject_sha256": "0" * 64, "context": "{}", "choices": "[]",
           "asked_by": "a", "suspended_at": rows.NOW,
           "fallback_policy": "fail", "on_reject": "resume",
           "asked_sequence": 1, "state": "pending", **columns}
    rows.insert(db, "suspension", row)


def fill(db):
    open_one, done = rows.intent(db), rows.intent(db)
    question_of_before(db, open_one, id="open", severity="high")
    question_of_before(db, done, id="done", state="resolved",
                       outcome="answered", response='"yes"',
                       responded_at=rows.NOW)
    rows.event(db, done, 1)
    db.execute("INSERT INTO principal (id, role, email, name, password_hash, "
               "created_at) VALUES (gen_random_uuid(), 'operator', "
               "'a@example.com', 'x', 'x', now())")
    db.execute("INSERT INTO api_key (id, key_sha256, prefix, role, label, "
               "agents, created_at) VALUES (gen_random_uuid(), repeat('a', "
               "64), 'x', 'agent', 'x', '{a}', now())")


def test_old_rows_stay_as_they_are_and_go_on(old):
    assert "(2 new)" in old.migrate(2)
    with old.connect() as db:
        fill(db)
        before = everything(db)
    applied = old.migrate(3)
    assert "applied 0003_kinds.sql" in applied and "(1 new)" in applied
    assert "(0 new)" in old.migrate(3)
    with old.connect() as db:
        after = everything(db)
        new = {"suspension": (
            "kind", "allow_edit", "responder_mode", "responder",
            "not_initiator", "evidence", "artifacts", "supersedes",
            "constraints", "approved_subject", "approved_sha256",
            "audience", "search"),
            "intent": ("owner",),
            "principal": ("groups", "bulk_limit", "time_zone", "theme",
                          "signed_in_at"),
            "api_key": ("groups",), "event": ()}
        for table, names in new.items():
            assert without(after[table], *names) == before[table], table
            assert all(set(names) <= set(r) for r in after[table]), table
        for row in after["suspension"]:
            assert row["kind"] is None and row["responder_mode"] == "operators"
            assert row["evidence"] == row["artifacts"] == "[]"
            assert row["allow_edit"] is row["not_initiator"] is False
    with old.connect("sayso_web") as db:
        # Open questions are answered, once; decided ones stay decided.
        decide = ("UPDATE suspension SET state = 'resolved', outcome = "
                  "'answered', responded_at = now() WHERE id = %s")
        db.execute(decide, ["open"])
        for one in ("open", "done"):
            with pytest.raises(psycopg.errors.CheckViolation):
                db.execute(decide, [one])
        seen = db.execute("SELECT id, kind, responder_mode, state FROM "
                          "suspension_row ORDER BY id").fetchall()
        assert seen == [("done", None, "operators", "resolved"),
                        ("open", None, "operators", "resolved")]
        assert db.execute("SELECT DISTINCT owner FROM intent_row"
                          ).fetchall() == [(None,)]


def test_a_severity_of_before_stays_the_agents_own(old):
    applied = old.migrate(6)
    assert "applied 0006_risk.sql" in applied
    with old.connect() as db:
        question_of_before(db, rows.intent(db), id="unsaid")
        seen = db.execute("SELECT id, severity, severity_said, inbox_rank "
                          "FROM suspension_row ORDER BY id").fetchall()
        assert seen == [("done", None, None, 4), ("open", "high", None, 1),
                        ("unsaid", None, None, 4)]
        classes = db.execute("SELECT rank, class FROM inbox_until(2::smallint)"
                             ).fetchall()
        assert sorted(classes) == [(0, 0), (1, 1), (2, 2), (4, 2)]
        assert db.execute("SELECT DISTINCT severity_floor FROM api_key"
                          ).fetchall() == [(None,)]


MANY = 100_000


def fill_many(db):
    """Questions of every kind and state, with every column set. Without the
    checks of foreign keys and the indexes of the inbox, which take longest and
    are not tested here."""
    db.execute("SET session_replication_role = replica")
    db.execute("DROP INDEX suspension_search, suspension_inbox_for, "
               "suspension_inbox_agent, suspension_inbox_agent_for, "
               "suspension_inbox_all")
    db.execute("SET synchronous_commit = off")
    db.execute("""
        INSERT INTO suspension (id, intent_id, seq, record, response_type,
            title, question, explanation, severity, severity_said, subject,
            subject_sha256, context, choices, form, channel_hint, asked_by,
            asked_by_key, initiated_by, suspended_at, timeout_seconds,
            retry_policy, expires_at, fallback_policy, fallback_value,
            on_reject, confidence, asked_sequence, attempt, next_attempt_at,
            kind, allow_edit, responder_mode, responder, not_initiator,
            evidence, artifacts, supersedes, state, outcome, response, reason,
            metadata, responded_by, responded_by_claimed, responded_via,
            responded_at, audit_summary, constraints, approved_subject,
            approved_sha256)
        SELECT 'm' || n, md5('m' || n)::uuid, 1, '{"n":' || n || '}', 'text',
               CASE WHEN n %% 3 = 0 THEN 'Title ' || n END,
               'Question ' || n || '?', 'e' || n,
               (ARRAY['low', 'medium', 'high', 'critical'])[n %% 5],
               CASE WHEN n %% 5 = 3 THEN 'low' END, '{"s":' || n || '}',
               repeat(md5(n::text), 2), '{"c":' || n || '}', '[]',
               CASE WHEN n %% 4 = 0 THEN '[]' END,
               CASE WHEN n %% 3 = 1 THEN 'ops' END, 'agent-' || n %% 50,
               CASE WHEN n %% 2 = 0 THEN md5('k' || n %% 50)::uuid END,
               'p' || n %% 100, now() - n * interval '1 second',
               CASE WHEN n %% 3 > 0 THEN 3600 END,
               CASE WHEN n %% 6 = 0 THEN '{}' END,
               CASE WHEN n %% 3 > 0 THEN now() + n * interval '1 hour' END,
               'fail', CASE WHEN n %% 7 = 0 THEN '"no"' END, 'resume',
               CASE WHEN n %% 8 = 0 THEN n / 1e6 END, 1, 1 + n %% 4,
               CASE WHEN n %% 4 = 1 AND n %% 2 = 1
                    THEN now() + n * interval '1 minute' END,
               (ARRAY[NULL, 'approval', 'permission'])[1 + n %% 3],
               n %% 2 = 0,
               (ARRAY['operators', 'group', 'initiator'])[1 + n %% 3],
               CASE WHEN n %% 3 = 1 THEN 'g' || n %% 20 END, n %% 9 = 0,
               '[]', '[1]', CASE WHEN n %% 11 = 0 THEN 'm' || n / 2 END,
               d.state, d.outcome, CASE WHEN d.yes THEN '"r' || n || '"' END,
               CASE WHEN d.yes THEN 'because ' || n END,
               CASE WHEN d.yes AND n %% 5 = 0 THEN '{}' END,
               CASE WHEN d.yes THEN 'who' || n %% 40 END,
               CASE WHEN d.yes AND n %% 7 = 0 THEN 'claimed' END,
               CASE WHEN d.yes THEN
                    (ARRAY['browser', 'native', 'clock'])[1 + n %% 3] END,
               CASE WHEN d.yes THEN now() - n * interval '1 ms' END,
               CASE WHEN d.yes THEN 'Summary ' || n END,
               CASE WHEN d.yes AND n %% 5 = 1 THEN '{"max":1}' END,
               CASE WHEN d.yes AND n %% 10 = 0 THEN '{"a":1}' END,
               CASE WHEN d.yes AND n %% 10 = 0 THEN repeat('a', 64) END
          FROM generate_series(1, %s) n
         CROSS JOIN LATERAL (SELECT n %% 2 = 0 AS yes,
               CASE WHEN n %% 2 = 1 THEN 'pending' ELSE (ARRAY['resolved',
                    'resolved', 'expired', 'cancelled'])[1 + n / 2 %% 4] END
                    AS state,
               CASE WHEN n %% 2 = 0 THEN (ARRAY['authorized', 'vetoed',
                    'none'])[1 + n / 2 %% 3] END AS outcome) d""", [MANY])


def all_questions(db):
    """How many there are, and one digest over every column of the program's
    view of them."""
    return db.execute(
        "SELECT count(*), md5(string_agg(md5(r::text), '' ORDER BY id)) "
        "FROM suspension_row r").fetchone()


def wait_until(done):
    end = time.monotonic() + 30
    while not done():
        assert time.monotonic() < end
        time.sleep(0.01)


def moved(db):
    return db.execute("SELECT (SELECT count(*) FROM decision) + (SELECT "
                      "count(*) FROM open_question)").fetchone()[0]


def test_questions_are_moved_though_it_is_interrupted(old):
    """A hundred thousand in the old shape, open and decided; the command is
    killed in the middle and run again."""
    old.migrate(10)
    with old.connect() as db, old.connect("postgres") as superuser:
        fill_many(superuser)
        before = all_questions(db)
        assert before[0] >= MANY
        first = old.begin(12)
        wait_until(lambda: moved(db) > MANY / 10)
        first.kill()
        first.communicate()
        # The server ends the statement whose client is gone.
        wait_until(lambda: db.execute(
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = "
            "'sayso migrate'").fetchone()[0] == 0)
        assert MANY / 10 < moved(db) < before[0]
        assert all_questions(db) == before
        # No process may write meanwhile.
        with old.connect("sayso_web") as web:
            with pytest.raises(psycopg.errors.InsufficientPrivilege):
                question_of_before(web, rows.intent(web), id="lost")
        said = old.migrate(11)
        assert "applied 0011" in said and "applied 0010" not in said
        # A row written since then by a role with the right to write is not
        # dropped.
        question_of_before(db, rows.intent(db), id="late")
        late = old.begin(12)
        assert "questions were written" in late.communicate()[1]
        assert late.returncode == 1
        db.execute("DELETE FROM suspension WHERE id = 'late'")
        old.migrate(12)
        assert moved(db) == before[0]
        assert all_questions(db) == before
        assert questions.strays(db) == []


def key_of(db, *agents, test=False):
    [[one]] = db.execute(
        "INSERT INTO api_key (id, key_sha256, prefix, role, label, agents, "
        "created_at, reach, test) VALUES (gen_random_uuid(), "
        "encode(sha256(random()::text::bytea), 'hex'), 'x', 'agent', 'x', %s, "
        "now(), 'all', %s) RETURNING id", [list(agents), test])
    return one


def test_tests_of_before_are_marked(old):
    """Intents that only test keys had to do with are tests. A real agent loses
    nothing, also where a test key has its name."""
    old.migrate(35)
    with old.connect() as db:
        tests = key_of(db, "only-test", "shared", test=True)
        real = key_of(db, "only-real", "shared")

        def asked(by, key, test, **intent):
            at = rows.intent(db, created_by=by, **intent)
            rows.suspension(db, at, asked_by=by, asked_by_key=key, test=test)
            return at
        marked = {asked("only-test", tests, True),
                  asked("shared", tests, True),
                  rows.intent(db, created_by="only-test")}
        kept = {asked("only-real", real, False),
                asked("shared", real, False),
                rows.intent(db, created_by="shared"),
                rows.intent(db, created_by="only-real")}
        mixed = asked("shared", real, False, status="completed")
        rows.suspension(db, mixed, asked_by="shared", asked_by_key=tests,
                        test=True, seq=2, asked_sequence=2,
                        state="resolved", outcome="answered", response="1",
                        responded_at=rows.NOW)
        beside = rows.intent(db, created_by="only-test")
        rows.suspension(db, beside, asked_by="only-test", asked_by_key=tests,
                        origin="approval")
        portfolios = {}
        for who, of in (("only-test", marked), ("shared", marked),
                        ("shared", kept), ("only-real", ())):
            [[one]] = db.execute(
                "INSERT INTO portfolio (id, name, created_by, status, "
                "governance_policy, metadata, deadline, version, created_at, "
                "updated_at) VALUES (gen_random_uuid(), 'x', %s, 'active', "
                "'{}', '{}', 'infinity', 1, now(), now()) RETURNING id", [who])
            portfolios[one] = of is marked
            for intent in list(of)[:1]:
                db.execute("INSERT INTO portfolio_member (id, portfolio_id, "
                           "intent_id, role, priority, added_at) VALUES "
                           "(gen_random_uuid(), %s, %s, 'member', 0, now())",
                           [one, intent])
        rows.endpoint(db, agent="only-test", created_by="only-test",
                      name="own of tests")
        rows.endpoint(db, agent="only-real", created_by="only-real",
                      name="own of a real one")
        rows.endpoint(db, agent="only-test", name="an admin's")
    old.migrate(36)
    with old.connect() as db:
        ids = [*marked, *kept, mixed, beside]
        found = {str(i) for [i] in db.execute(
            "SELECT id FROM intent WHERE test AND id = ANY (%s::uuid[])",
            [ids])}
        assert found == marked | {beside}
        assert db.execute("SELECT count(*) FROM suspension WHERE NOT test AND "
                          "intent_id = ANY (%s::uuid[])",
                          [list(marked | {beside})]).fetchone() == (0,)
        assert dict(db.execute(
            "SELECT id, test FROM portfolio WHERE id = ANY (%s)",
            [list(portfolios)])) == portfolios
        assert dict(db.execute(
            "SELECT name, test FROM endpoint WHERE name IN ('own of tests', "
            "'own of a real one', 'an admin''s')")) == {
                "own of tests": True, "own of a real one": False,
                "an admin's": None}


def test_every_statement_of_the_workers_fits_the_migrated_database(old):
    old.migrate(9999)
    with old.connect("sayso_web") as db:
        for name, text in STATEMENTS.items():
            if name not in ("begin", "commit", "notice_listen"):
                db.execute("DEALLOCATE ALL")
                db.execute(f"PREPARE one AS {text}".encode())
