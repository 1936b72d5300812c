"""Every statement can be prepared by the role that runs it, and by no other."""
import re

import psycopg
import pytest
from server import TOP
from statements import STATEMENTS, role

# These need no preparing, and cannot be.
TRANSACTION = {"begin", "commit", "notice_listen"}


def prepare(db, text):
    db.execute("DEALLOCATE ALL")
    db.execute(f"PREPARE one AS {text}".encode())
    types = db.execute("SELECT cardinality(parameter_types) FROM "
                       "pg_prepared_statements WHERE name = 'one'")
    return types.fetchone()[0]


@pytest.mark.parametrize("name", [n for n in STATEMENTS
                                  if n not in TRANSACTION])
def test_a_statement_can_be_prepared_by_the_workers(web, name):
    """They prepare all of them on connecting."""
    text = STATEMENTS[name]
    used = {int(n) for n in re.findall(r"\$(\d+)", text)}
    assert prepare(web, text) == len(used)
    assert used == set(range(1, len(used) + 1)), "a parameter is not used"


@pytest.mark.parametrize("name", [n for n in STATEMENTS
                                  if n not in TRANSACTION])
def test_a_statement_can_be_run_by_who_needs_it(server, name):
    """With nothing but NULLs it does nothing and may still be refused for a
    missing right, or for the meaning of the NULLs: only the first is wrong."""
    with server.database(role(name)) as db:
        with db.transaction(force_rollback=True):
            n = prepare(db, STATEMENTS[name])
            values = f"({', '.join(['NULL'] * n)})" if n else ""
            try:
                db.execute(f"EXECUTE one{values}")
            except (psycopg.errors.NotNullViolation,
                    psycopg.errors.CheckViolation):
                pass


# The settings pages have people and keys to themselves; a key with a retry
# policy is the command's alone.
@pytest.mark.parametrize("name", ["key_insert", "migration_insert"])
def test_the_workers_may_not_run_the_commands_statements(web, name):
    n = prepare(web, STATEMENTS[name])
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        web.execute(f"EXECUTE one({', '.join(['NULL'] * n)})")


@pytest.mark.parametrize("text", [
    "DELETE FROM principal", "DELETE FROM api_key",
    "UPDATE principal SET email = 'x'", "UPDATE principal SET id = id",
    "UPDATE principal SET created_at = now()",
    "UPDATE api_key SET role = 'admin'", "UPDATE api_key SET agents = '{*}'",
    "UPDATE api_key SET groups = 'finance'",
    "UPDATE api_key SET key_sha256 = key_sha256",
    "UPDATE api_key SET expires_at = NULL",
    "DELETE FROM operator_session"])
def test_what_of_people_and_keys_no_page_may_change(web, text):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        web.execute(text)


def test_every_statement_is_used():
    code = "".join(p.read_text() for p in (TOP / "src").rglob("*.[ch]"))
    for name in STATEMENTS:
        assert f"SQL_{name.upper()}" in code, f"nobody uses {name}"


def test_sql_stands_nowhere_else():
    """But for the lock of the migrations, which come before any table."""
    for path in (TOP / "src").rglob("*.[ch]"):
        # pg_batch.c compares how statements begin.
        if "sql.gen" in path.name or path.name in ("migrate.c", "pg_batch.c"):
            continue
        for text in re.findall(r'"((?:[^"\\\n]|\\.)*)"', path.read_text()):
            assert not re.match(r"(SELECT|INSERT INTO|UPDATE|DELETE FROM) ",
                                text), (path, text)


def test_no_statement_pages_deep_by_offset():
    """Only the lists whose protocol asks for it, and they have a ceiling."""
    assert {n for n, t in STATEMENTS.items() if "OFFSET" in t} <= {
        "intent_list", "intent_list_own", "event_list", "task_list"}
