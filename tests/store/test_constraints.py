"""Whatever the program does: the constraints carry the invariants."""
import pytest
from psycopg import errors

import rows


@pytest.fixture(autouse=True)
def nothing_stays(superuser):
    with superuser.transaction(force_rollback=True):
        yield


def fails(db, error, query, *args):
    with pytest.raises(error) as info:
        with db.transaction():
            db.execute(query, args)
    return info.value.diag.constraint_name


def refused(db, error, make, *args, **columns):
    with pytest.raises(error) as info:
        with db.transaction():
            make(db, *args, **columns)
    return info.value.diag.constraint_name


# --- Suspensions ----------------------------------------------------------

DECIDED = {"state": "resolved", "outcome": "none", "responded_at": rows.NOW}


def test_one_open_question_for_an_intent(superuser):
    one = rows.intent(superuser)
    rows.suspension(superuser, one, seq=1, **DECIDED)
    rows.suspension(superuser, one, seq=2)
    assert refused(superuser, errors.UniqueViolation, rows.suspension, one,
                   seq=3) == "suspension_one_open"
    rows.suspension(superuser, one, seq=3, **DECIDED)
    assert refused(superuser, errors.UniqueViolation, rows.suspension, one,
                   seq=3, **DECIDED) == "suspension_intent_id_seq_key"
    rows.suspension(superuser, rows.intent(superuser))


def test_a_decision_is_written_once(superuser):
    question = rows.suspension(superuser, rows.intent(superuser))
    decide = ("UPDATE suspension SET state = %s, outcome = 'none', response = "
              "%s, responded_at = now() WHERE id = %s")
    superuser.execute(decide, ["resolved", '"yes"', question])
    fails(superuser, errors.CheckViolation, decide, "resolved", '"no"',
          question)
    fails(superuser, errors.CheckViolation, decide, "cancelled", None,
          question)
    fails(superuser, errors.CheckViolation, "UPDATE suspension SET state = "
          "'pending', outcome = NULL, responded_at = NULL WHERE id = %s",
          question)
    fails(superuser, errors.CheckViolation, "UPDATE suspension SET "
          "audit_summary = 'x' WHERE id = %s", question)


@pytest.mark.parametrize("column, value", [
    ("id", "x"), ("seq", 9), ("question", "other?"), ("subject", "[]"),
    ("subject_sha256", "1" * 64), ("choices", "[1]"),
    ("response_type", "form"), ("context", '{"a":1}'), ("form", "[]"),
    ("record", '{"a":1}'), ("title", "x"), ("explanation", "x"),
    ("severity", "low"), ("severity_said", "low"), ("asked_by", "x"),
    ("fallback_policy", "complete_with_fallback"),
    ("fallback_value", '"yes"'), ("on_reject", "abandon"),
    ("kind", "approval"), ("allow_edit", True), ("responder_mode",
                                                 "initiator"),
    ("not_initiator", True), ("evidence", "[1]"), ("artifacts", "[1]"),
    ("initiated_by", "x"), ("expires_at", "2030-01-01")])
def test_what_was_asked_is_sealed(superuser, column, value):
    question = rows.suspension(superuser, rows.intent(superuser))
    fails(superuser, errors.CheckViolation,
          f"UPDATE suspension SET {column} = %s WHERE id = %s", value,
          question)


def test_who_may_answer_and_what_it_supersedes_are_sealed(superuser):
    old = rows.suspension(superuser, rows.intent(superuser), **DECIDED)
    other = rows.suspension(superuser, rows.intent(superuser), **DECIDED)
    question = rows.suspension(
        superuser, rows.intent(superuser), kind="plan_review",
        responder_mode="group", responder="payments", supersedes=old)
    for column, value in (("responder", "everybody"), ("supersedes", other),
                          ("supersedes", None), ("kind", None)):
        fails(superuser, errors.CheckViolation,
              f"UPDATE suspension SET {column} = %s WHERE id = %s", value,
              question)
    refused(superuser, errors.ForeignKeyViolation, rows.suspension,
            rows.intent(superuser), supersedes="nothing")


def test_what_was_approved_instead_comes_with_the_decision(superuser):
    question = rows.suspension(superuser, rows.intent(superuser),
                               kind="approval")
    superuser.execute(
        "UPDATE suspension SET state = 'resolved', outcome = 'authorized', "
        "responded_at = now(), constraints = '{}', approved_subject = '{}', "
        "approved_sha256 = repeat('0', 64) WHERE id = %s", [question])
    for column in ("constraints", "approved_subject"):
        fails(superuser, errors.CheckViolation,
              f"UPDATE suspension SET {column} = '[]' WHERE id = %s",
              question)


def test_what_was_asked_stays_with_its_intent(superuser):
    question = rows.suspension(superuser, rows.intent(superuser))
    fails(superuser, errors.CheckViolation, "UPDATE suspension SET intent_id "
          "= %s WHERE id = %s", rows.intent(superuser), question)


def test_a_decision_is_whole_or_not_there(superuser):
    one = rows.intent(superuser)
    for columns in ({"state": "resolved"},
                    {"state": "resolved", "outcome": "none"},
                    {"state": "resolved", "responded_at": rows.NOW},
                    {"outcome": "none"}, {"responded_at": rows.NOW}):
        refused(superuser, errors.CheckViolation, rows.suspension, one,
                **columns)


@pytest.mark.parametrize("columns", [
    {"id": ""}, {"id": "a b"}, {"id": "x" * 65}, {"id": "é"}, {"seq": 0},
    {"response_type": "vote"}, {"question": ""}, {"question": "x" * 4001},
    {"severity": "urgent"}, {"severity_said": "critical"}, {"subject_sha256": "x"}, {"timeout_seconds": 0},
    {"fallback_policy": "guess"}, {"on_reject": "explode"},
    {**DECIDED, "state": "answered"}, {**DECIDED, "outcome": "yes"},
    {**DECIDED, "responded_via": "mail"},
    {"kind": "vote"}, {"kind": ""}, {"responder_mode": "everybody"},
    {"responder_mode": "group"}, {"responder_mode": "named"},
    {"responder_mode": "agent"}, {"responder": "x"},
    {"responder_mode": "initiator", "responder": "x"},
    {**DECIDED, "approved_subject": "{}"},
    {**DECIDED, "approved_sha256": "0" * 64},
    {**DECIDED, "approved_subject": "{}", "approved_sha256": "0"}])
def test_a_suspension_that_cannot_be(superuser, columns):
    refused(superuser, errors.CheckViolation, rows.suspension,
            rows.intent(superuser), **columns)


def test_the_inboxs_order_is_the_databases(superuser):
    ranks = []
    for severity in ("critical", "high", "medium", "low", None):
        question = rows.suspension(superuser, rows.intent(superuser),
                                   severity=severity)
        ranks.append(superuser.execute(
            "SELECT inbox_rank FROM suspension WHERE id = %s",
            [question]).fetchone()[0])
    assert ranks == [0, 1, 2, 3, 4]


# --- Events ---------------------------------------------------------------

@pytest.mark.parametrize("role", ["sayso_web", "sayso_owner", "postgres"])
@pytest.mark.parametrize("query", [
    "UPDATE event SET canonical = 'x'", "DELETE FROM event",
    "TRUNCATE event"])
def test_events_are_append_only(server, role, query):
    """For want of the right, and by trigger for the owner and for the
    superuser."""
    with server.database(role) as db:
        with db.transaction(force_rollback=True):
            rows.event(db, rows.intent(db), 1)
            fails(db, errors.InsufficientPrivilege, query)


def test_a_sequence_is_there_once_and_starts_at_one(superuser):
    one = rows.intent(superuser)
    rows.event(superuser, one, 1)
    refused(superuser, errors.UniqueViolation, rows.event, one, 1)
    refused(superuser, errors.CheckViolation, rows.event, one, 0,
            previous_event_hash=None)
    refused(superuser, errors.CheckViolation, rows.event, one, 2,
            previous_event_hash=None)
    two = rows.intent(superuser)
    refused(superuser, errors.CheckViolation, rows.event, two, 1,
            previous_event_hash="h")


# --- The others -----------------------------------------------------------

def test_one_holder_for_a_scope(superuser):
    one = rows.intent(superuser)
    held = rows.lease(superuser, one)
    assert refused(superuser, errors.UniqueViolation, rows.lease, one
                   ) == "lease_one_holder"
    rows.lease(superuser, one, scope="other")
    rows.lease(superuser, one, status="expired")
    superuser.execute("UPDATE lease SET status = 'released' WHERE id = %s",
                      [held])
    rows.lease(superuser, one)
    fails(superuser, errors.UniqueViolation,
          "UPDATE lease SET status = 'active' WHERE id = %s", held)
    for columns in ({"scope": ""}, {"scope": "x" * 256}, {"status": "held"}):
        refused(superuser, errors.CheckViolation, rows.lease, one, **columns)


@pytest.mark.parametrize("columns", [
    {"title": ""}, {"title": "x" * 501}, {"status": "failed"},
    {"version": 0}, {"confidence": 101}, {"confidence": -1}])
def test_an_intent_that_cannot_be(superuser, columns):
    refused(superuser, errors.CheckViolation, rows.intent, **columns)


def test_nothing_depends_on_itself_or_on_nothing(superuser):
    one = rows.intent(superuser)
    insert = "INSERT INTO intent_dependency VALUES (%s, %s, now())"
    fails(superuser, errors.CheckViolation, insert, one, one)
    fails(superuser, errors.ForeignKeyViolation, insert, one,
          "11111111-2222-4333-8444-555555555555")
    fails(superuser, errors.ForeignKeyViolation, "UPDATE intent SET "
          "parent_intent_id = '11111111-2222-4333-8444-555555555555' "
          "WHERE id = %s", one)


def test_an_answer_is_remembered_once(superuser):
    insert = ("INSERT INTO idempotency (principal, key, request_sha256, "
              "status, body, created_at) VALUES ('p', 'k', 'x', 200, '', "
              "now())")
    superuser.execute(insert)
    assert fails(superuser, errors.UniqueViolation, insert
                 ) == "idempotency_once"


@pytest.mark.parametrize("role, agents, good", [
    ("agent", "{a}", True), ("agent", "{}", False), ("admin", "{}", True),
    ("operator", "{a}", False), ("clock", "{}", False)])
def test_keys_and_their_agents(superuser, role, agents, good):
    insert = ("INSERT INTO api_key (id, key_sha256, prefix, role, label, "
              "agents, created_at, reach) VALUES (gen_random_uuid(), "
              "repeat('a', 64), 'x', %s, 'x', %s, now(), 'all')")
    if good:
        superuser.execute(insert, [role, agents])
    else:
        fails(superuser, errors.CheckViolation, insert, role, agents)


@pytest.mark.parametrize("role, agents, reach, good", [
    ("agent", "{a}", "own", True), ("agent", "{a}", "all", True),
    ("agent", "{*}", "all", True), ("agent", "{*}", "own", False),
    ("agent", "{a,*}", "own", False), ("operator", "{}", "all", True),
    ("operator", "{}", "own", False), ("agent", "{a}", "some", False),
    ("agent", "{a}", None, False)])
def test_what_a_key_reaches(superuser, role, agents, reach, good):
    insert = ("INSERT INTO api_key (id, key_sha256, prefix, role, label, "
              "agents, created_at, reach) VALUES (gen_random_uuid(), "
              "repeat('d', 64), 'x', %s, 'x', %s, now(), %s)")
    if good:
        superuser.execute(insert, [role, agents, reach])
    else:
        error = errors.CheckViolation if reach else errors.NotNullViolation
        fails(superuser, error, insert, role, agents, reach)


def test_people(superuser):
    insert = ("INSERT INTO principal (id, role, email, name, password_hash, "
              "created_at) VALUES (gen_random_uuid(), %s, %s, 'x', 'x', "
              "now())")
    superuser.execute(insert, ["auditor", "a@example.com"])
    fails(superuser, errors.UniqueViolation, insert, "admin",
          "a@example.com")
    fails(superuser, errors.CheckViolation, insert, "admin",
          "A@example.com")
    fails(superuser, errors.CheckViolation, insert, "agent",
          "b@example.com")


# What the settings pages, signing in and the use of a key write.
PARTS = {
    "INSERT": {
        "principal": "id role email name password_hash created_at groups "
                     "bulk_limit",
        "api_key": "id key_sha256 prefix role label agents created_at "
                   "expires_at groups reach"},
    "UPDATE": {
        "principal": "login_failures login_failed_at password_hash role name "
                     "groups bulk_limit disabled_at time_zone theme "
                     "signed_in_at single_key",
        "api_key": "last_used_at revoked_at reach severity_floor"}}


def test_the_workers_role_reaches_nothing_else(superuser):
    """Every right that it has on a table, as one list: a new one is a
    decision."""
    found = superuser.execute(
        "SELECT table_name, string_agg(privilege_type, ' ' ORDER BY "
        "privilege_type) FROM information_schema.role_table_grants WHERE "
        "grantee = 'sayso_web' GROUP BY 1").fetchall()
    rights = dict(found)
    assert rights["event"] == "INSERT SELECT"
    assert rights["idempotency"] == "INSERT SELECT"
    assert rights["api_key"] == "SELECT"
    assert rights["principal"] == "SELECT"
    for table, what in rights.items():
        assert "TRUNCATE" not in what and "TRIGGER" not in what
        assert "REFERENCES" not in what
        if table not in ("intent_dependency", "assignment", "subscription",
                         "saved_view", "sign_in_failure", "secret_view"):
            assert "DELETE" not in what, table
    for right, of in PARTS.items():
        columns = superuser.execute(
            "SELECT table_name, column_name FROM "
            "information_schema.column_privileges WHERE grantee = 'sayso_web' "
            "AND privilege_type = %s AND table_name IN ('principal', "
            "'api_key')", [right]).fetchall()
        assert set(columns) == {(table, column) for table, names in of.items()
                                for column in names.split()}, right


@pytest.mark.parametrize("groups, good", [
    (None, True), ("payments", True), ("a.b_c-1 z", True), ("", False),
    (" a", False), ("a ", False), ("a  b", False), ("A", False),
    ("a,b", False), ("p\u0430y", False), ("a\n", False)])
def test_groups_are_names_with_a_space_between(superuser, groups, good):
    key = ("INSERT INTO api_key (id, key_sha256, prefix, role, label, agents,"
           " created_at, reach, groups) VALUES (gen_random_uuid(), "
           "repeat('b', 64), 'x', 'operator', 'x', '{}', now(), 'all', %s)")
    person = ("INSERT INTO principal (id, role, email, name, password_hash, "
              "created_at, groups) VALUES (gen_random_uuid(), 'operator', "
              "'g@example.com', 'x', 'x', now(), %s)")
    for insert in (key, person):
        if good:
            superuser.execute(insert, [groups])
        else:
            fails(superuser, errors.CheckViolation, insert, groups)


def test_only_the_owners_connect(server):
    with server.database() as db:
        public = db.execute("SELECT has_database_privilege('public', 'sayso',"
                            " 'CONNECT'), has_database_privilege('public', "
                            "'sayso', 'TEMP')").fetchone()
    assert public == (False, False)
