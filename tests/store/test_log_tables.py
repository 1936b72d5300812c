"""The log that can be verified: its tables only grow, and one process writes
them."""
import pytest
from psycopg import errors
from test_constraints import fails

import rows

pytestmark = pytest.mark.usefixtures("nothing_stays")

EPOCH = 9  # the log of the server's process is another
KID = "k" * 43
TABLES = ("signing_key", "log_end", "log_leaf", "log_tile", "log_head",
          "log_checkpoint", "log_fault", "receipt", "receipt_end",
          "receipt_wait")


@pytest.fixture
def log(owner):
    """A row in each table, as the owner; gives the ids of its intent and its
    question. Nothing of it stays."""
    with owner.transaction(force_rollback=True):
        intent = rows.intent(owner)
        question = rows.suspension(owner, intent)
        rows.event(owner, intent, 1)
        rows.insert(owner, "log_leaf", leaf(intent))
        rows.insert(owner, "log_tile", tile(2))
        rows.insert(owner, "log_head", {
            "epoch": EPOCH, "size": 1, "root": bytes(32), "note": "x",
            "signed_at": rows.NOW})
        rows.insert(owner, "log_checkpoint", checkpoint(intent))
        rows.insert(owner, "signing_key", key(kid=KID))
        rows.insert(owner, "receipt", {
            "suspension_id": question, "event_sequence": 1, "salt": "x",
            "jws": "x", "kid": KID, "signed_at": rows.NOW})
        yield intent, question


def leaf(intent, **columns):
    return {"epoch": EPOCH, "position": 0, "intent_id": intent, "sequence": 1,
            "hash": bytes(32), **columns}


def tile(n, **columns):
    return {"epoch": EPOCH, "level": 0, "number": 0, "hashes": bytes(32 * n),
            **columns}


def checkpoint(intent, **columns):
    return {"id": "chk_" + "x" * 22, "epoch": EPOCH, "scope": "intent",
            "intent_id": intent, "merkle_root": "x", "event_count": 1,
            "first_sequence": 1, "last_sequence": 1, "created_at": rows.NOW,
            "signed_by": "x", "signature": "x", **columns}


def key(**columns):
    return {"kid": "K" * 43, "did": columns.get("kid", "x"),
            "public_key": "x" * 43, "state": "retired",
            "created_at": rows.NOW, "current_from": rows.NOW,
            "current_until": rows.NOW, **columns}


def bad(db, error, table, row):
    return rows.refused(db, error, rows.insert, table, row)


# ---- what is there stays ----

@pytest.mark.parametrize("query", [
    "UPDATE log_leaf SET hash = hash", "UPDATE log_leaf SET position = 7",
    "DELETE FROM log_leaf", "TRUNCATE log_leaf",
    "UPDATE log_head SET note = 'y'", "UPDATE log_head SET root = root",
    "TRUNCATE log_head CASCADE",
    "UPDATE log_checkpoint SET signature = 'y'",
    "UPDATE log_checkpoint SET merkle_root = 'y'",
    "UPDATE log_checkpoint SET created_at = now()",
    "DELETE FROM log_checkpoint", "TRUNCATE log_checkpoint CASCADE",
    "UPDATE receipt SET jws = 'y'", "UPDATE receipt SET event_sequence = 2",
    "DELETE FROM receipt", "TRUNCATE receipt",
    "UPDATE log_tile SET hashes = substr(hashes, 1, 32)",
    "UPDATE log_tile SET hashes = sha256('y') || sha256('y')",
    "UPDATE log_tile SET number = 1", "DELETE FROM log_tile",
    "TRUNCATE log_tile"])
def test_the_owner_too_only_appends(owner, log, query):
    fails(owner, errors.InsufficientPrivilege, query)


def test_what_may_change(owner, log):
    """An anchor comes later; a salt is erased with the words; a tile
    grows."""
    for query in ("UPDATE log_checkpoint SET anchor = '{}'",
                  "UPDATE receipt SET salt = NULL",
                  "UPDATE log_tile SET hashes = hashes || sha256('y')"):
        assert owner.execute(query + (" WHERE epoch = 9" if "receipt" not in
                                      query else f" WHERE kid = '{KID}'")
                             ).rowcount == 1


def test_a_checkpoint_is_anchored_once(owner, log):
    query = f"UPDATE log_checkpoint SET anchor = '{{}}' WHERE epoch = {EPOCH}"
    assert owner.execute(query).rowcount == 1
    fails(owner, errors.InsufficientPrivilege, query)


# ---- who writes ----

def rights(db, role, table):
    return {tuple(r) for r in db.execute(
        "SELECT privilege_type, column_name FROM "
        "information_schema.column_privileges WHERE grantee = %s AND "
        "table_name = %s AND privilege_type <> 'SELECT' UNION "
        "SELECT privilege_type, NULL FROM "
        "information_schema.role_table_grants WHERE grantee = %s AND "
        "table_name = %s AND privilege_type IN ('DELETE', 'TRUNCATE')",
        [role, table] * 2)}


@pytest.mark.parametrize("role", ["sayso_web", "sayso_wait", "sayso_tick",
                                  "sayso_deliver"])
@pytest.mark.parametrize("table", TABLES)
def test_70_no_other_process_writes_the_log(superuser, role, table):
    """The web cannot write a receipt or a head. Old heads are deleted by the
    clock, which anchors checkpoints too."""
    allowed = {("sayso_tick", "log_head"): {("DELETE", None)},
               ("sayso_tick", "log_checkpoint"): {("UPDATE", "anchor")}}
    assert rights(superuser, role, table) == allowed.get((role, table), set())


@pytest.mark.parametrize("table", ["intent", "event", "suspension",
                                   "decision", "permit", "principal",
                                   "api_key"])
def test_the_signer_writes_nothing_that_it_signs(superuser, table):
    assert rights(superuser, "sayso_seal", table) == set()


@pytest.mark.parametrize("table", ["principal", "api_key",
                                   "operator_session", "endpoint"])
def test_the_signer_reads_no_secret(server, table):
    with server.database("sayso_seal") as db:
        fails(db, errors.InsufficientPrivilege, f"SELECT FROM {table}")


# ---- rows that cannot be ----

def test_an_event_is_in_the_log_once(owner, log):
    intent, _ = log
    assert bad(owner, errors.UniqueViolation, "log_leaf",
               leaf(intent, position=1)) == "log_leaf_pkey"
    assert bad(owner, errors.UniqueViolation, "log_leaf",
               leaf(intent, sequence=2)) == "log_leaf_position"
    rows.insert(owner, "log_leaf", leaf(intent, epoch=EPOCH + 1))
    for columns in ({"position": -1}, {"sequence": 0}, {"hash": bytes(31)}):
        bad(owner, errors.CheckViolation, "log_leaf",
            leaf(intent, **{"epoch": EPOCH + 2, **columns}))


@pytest.mark.parametrize("row", [
    tile(0, level=1), tile(257, level=1), tile(1, level=7),
    tile(1, level=-1), tile(1, number=-1), tile(1, level=1, hashes=b"x" * 33)])
def test_a_tile_has_1_to_256_digests(owner, log, row):
    bad(owner, errors.CheckViolation, "log_tile", row)


def test_batches_of_a_log_begin_once(owner, log):
    intent, _ = log
    other = {"id": "chk_" + "y" * 22}
    assert bad(owner, errors.UniqueViolation, "log_checkpoint",
               checkpoint(intent, **other)) == "log_checkpoint_batch"
    of_server = {"scope": "server", "id": "chk_" + "z" * 22}
    rows.insert(owner, "log_checkpoint", checkpoint(None, **of_server))
    assert bad(owner, errors.UniqueViolation, "log_checkpoint",
               checkpoint(None, **{**of_server, **other})
               ) == "log_checkpoint_batch"
    for columns in ({"scope": "server"}, {"intent_id": None},
                    {"event_count": 2}, {"event_count": 0}, {"id": "chk_x"},
                    {"first_sequence": 0, "event_count": 2},
                    {"last_sequence": 65537, "event_count": 65537}):
        bad(owner, errors.CheckViolation, "log_checkpoint",
            checkpoint(intent, **{"epoch": 10, **other, **columns}))


def test_a_question_has_one_receipt(owner, log):
    _, question = log
    row = {"suspension_id": question, "event_sequence": 1, "jws": "x",
           "kid": KID, "signed_at": rows.NOW}
    assert bad(owner, errors.UniqueViolation, "receipt", row) == "receipt_pkey"
    bad(owner, errors.ForeignKeyViolation, "receipt",
        {**row, "suspension_id": "nothing"})


@pytest.mark.parametrize("columns", [
    {"kid": "x"}, {"public_key": "x"}, {"state": "old"},
    {"state": "next"}, {"current_from": None}, {"state": "current"}])
def test_a_key_that_cannot_be(owner, log, columns):
    bad(owner, errors.CheckViolation, "signing_key", key(**columns))


def test_one_key_is_current_and_one_next(owner, log):
    for state, dates in (("current", {"current_until": None}),
                         ("next", {"current_from": None,
                                   "current_until": None})):
        owner.execute("UPDATE signing_key SET state = 'retired', "
                      "current_from = coalesce(current_from, now()), "
                      "current_until = now() WHERE state = %s", [state])
        rows.insert(owner, "signing_key", key(state=state, kid=state[0] * 42
                                              + "1", **dates))
        assert bad(owner, errors.UniqueViolation, "signing_key",
                   key(state=state, kid=state[0] * 42 + "2", **dates)
                   ) == f"signing_key_{state}"
