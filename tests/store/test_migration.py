"""A database that stood before the kinds came is brought up to them: nothing
in it changes, and all of it goes on working."""
import re
import shutil

import psycopg
import pytest
from server import TOP
from statements import STATEMENTS

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

        def migrate(self, until):
            files = self.at / f"sql{until}"
            files.mkdir(exist_ok=True)
            for path in sorted((TOP / "sql").glob("0*.sql")):
                if int(path.name[:4]) <= until:
                    shutil.copy(path, files)
            conf = self.at / "sayso.conf"
            text = self.conf.replace("dbname=sayso ", "dbname=sayso_old ")
            conf.write_text(re.sub(r"^migrations = .*$",
                                   f"migrations = {files}", text, flags=re.M))
            done = server.sayso("migrate", conf=conf)
            assert done.returncode == 0, done.stderr
            return done.stdout

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


def fill(db):
    open_one, done = rows.intent(db), rows.intent(db)
    rows.suspension(db, open_one, id="open", severity="high")
    rows.suspension(db, done, id="done", state="resolved", outcome="answered",
                    response='"yes"', responded_at=rows.NOW)
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
        # What was open is answered, once; what was decided stays so.
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
        rows.suspension(db, rows.intent(db), id="unsaid")
        seen = db.execute("SELECT id, severity, severity_said, inbox_rank "
                          "FROM suspension_row ORDER BY id").fetchall()
        assert seen == [("done", None, None, 4), ("open", "high", None, 1),
                        ("unsaid", None, None, 4)]
        classes = db.execute("SELECT rank, class FROM inbox_until(2::smallint)"
                             ).fetchall()
        assert sorted(classes) == [(0, 0), (1, 1), (2, 2), (4, 2)]
        assert db.execute("SELECT DISTINCT severity_floor FROM api_key"
                          ).fetchall() == [(None,)]


def test_every_statement_of_the_workers_fits_the_migrated_database(old):
    old.migrate(9999)
    with old.connect("sayso_web") as db:
        for name, text in STATEMENTS.items():
            if name not in ("begin", "commit", "notice_listen"):
                db.execute("DEALLOCATE ALL")
                db.execute(f"PREPARE one AS {text}".encode())
