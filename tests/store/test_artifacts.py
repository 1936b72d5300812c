"""Files that agents upload, in the database: what a row may be, who may do
what with it, and when it may go."""
import hashlib

import psycopg
import pytest
from statements import STATEMENTS

import rows

BYTES = b"bytes"
DIGEST = hashlib.sha256(BYTES).hexdigest()


@pytest.fixture
def made(superuser, nothing_stays):
    """make(**columns) inserts a file, and gives its id."""
    superuser.execute(
        "INSERT INTO api_key (id, key_sha256, prefix, role, label, created_at,"
        " reach) VALUES (md5('k')::uuid, repeat('0', 64), 'x', 'auditor', 'x',"
        " now(), 'all')")

    def make(**columns):
        row = {"id": "11111111-2222-4333-8444-555555555555",
               "sha256": DIGEST, "uploaded_by": "a", "test": False,
               "media_type": "text/plain", "size": len(BYTES), "width": None,
               "height": None, "bytes": BYTES, **columns}
        superuser.execute(
            f"INSERT INTO artifact ({', '.join(row)}, key_id, uploaded_at)"
            f" VALUES ({', '.join(['%s'] * len(row))}, md5('k')::uuid, now()"
            " - interval '2 days')", list(row.values()))
        return row["id"]
    return make


@pytest.mark.parametrize("columns", [
    {"sha256": "0" * 64}, {"sha256": "0" * 63}, {"media_type": "text/html"},
    {"media_type": "image/svg+xml"}, {"size": 4}, {"size": 0, "bytes": b""},
    {"size": 1048577, "bytes": b"x" * 1048577}, {"width": 1, "height": 1},
    {"media_type": "image/png"}, {"media_type": "image/png", "width": 1},
    {"media_type": "image/png", "width": 8193, "height": 1}])
def test_a_row_that_is_none(made, columns):
    with pytest.raises(psycopg.errors.CheckViolation):
        made(**columns)


def test_an_agent_has_the_bytes_once(made):
    made()
    made(id="11111111-2222-4333-8444-555555555556", uploaded_by="b")
    with pytest.raises(psycopg.errors.UniqueViolation):
        made(id="11111111-2222-4333-8444-555555555557")


@pytest.mark.parametrize("text", [
    "DELETE FROM artifact", "UPDATE artifact SET bytes = ''",
    "UPDATE artifact SET sha256 = sha256", "UPDATE artifact SET size = 1",
    "DELETE FROM artifact_use", "UPDATE artifact_use SET artifact_id = NULL"])
def test_the_workers_change_no_file(web, text):
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        web.execute(text)


@pytest.mark.parametrize("role", ["tick", "wait", "deliver", "seal"])
def test_no_other_process_reads_its_bytes(server, role):
    with server.database(f"sayso_{role}") as db:
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            db.execute("SELECT bytes FROM artifact")


def test_the_clock_removes_what_no_question_uses(server, superuser, made):
    one = made()

    def due(before):
        superuser.execute("DEALLOCATE ALL")
        superuser.execute(("PREPARE one AS " +
                           STATEMENTS["due_artifact_delete"]).encode())
        return superuser.execute(
            f"EXECUTE one(now() - interval '{before}')").rowcount

    assert due("3 days") == 0
    superuser.execute("UPDATE artifact SET used = true WHERE id = %s", [one])
    assert due("1 day") == 0
    superuser.execute("UPDATE artifact SET used = false WHERE id = %s", [one])
    assert due("1 day") == 1


def test_a_file_of_a_question_cannot_be_removed(superuser, made):
    """Even where its mark is wrong."""
    one = made()
    asked = rows.suspension(superuser, rows.intent(superuser))
    superuser.execute("INSERT INTO artifact_use VALUES (%s, %s)", [asked, one])
    with pytest.raises(psycopg.errors.ForeignKeyViolation):
        superuser.execute("DELETE FROM artifact WHERE id = %s", [one])
