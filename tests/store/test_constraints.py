"""Whatever the program does: the constraints carry the invariants."""
import re

import pytest
from psycopg import errors
from statements import STATEMENTS

import questions
import rows
from rows import refused


pytestmark = pytest.mark.usefixtures("nothing_stays")


def fails(db, error, query, *args):
    with pytest.raises(error) as info:
        with db.transaction():
            db.execute(query, args)
    return info.value.diag.constraint_name


# --- Suspensions ----------------------------------------------------------

DECIDED = {"state": "resolved", "outcome": "none", "responded_at": rows.NOW}


def run(db, name, *values):
    """A statement of the program; its other parameters are NULL."""
    text = STATEMENTS[name]
    n = max([0, *map(int, re.findall(r"\$(\d+)", text))])
    values = list(values) + [None] * (n - len(values))
    return db.execute(re.sub(r"\$(\d+)", r"%(v\1)s", text.replace("%", "%%")),
                      {f"v{i + 1}": v for i, v in enumerate(values)})


def decide(db, question, response=None, outcome="none"):
    run(db, "suspension_decide", "x", None, None, question, "resolved",
        outcome, response,
        None, None, None, None, None, "a", None, "native", rows.NOW)


def test_one_open_question_for_an_intent(superuser):
    one = rows.intent(superuser)
    rows.suspension(superuser, one, seq=1, **DECIDED)
    rows.suspension(superuser, one, seq=2)
    assert refused(superuser, errors.UniqueViolation, rows.suspension, one,
                   seq=3) == "open_question_slot"
    rows.suspension(superuser, one, seq=3, **DECIDED)
    assert refused(superuser, errors.UniqueViolation, rows.suspension, one,
                   seq=3, **DECIDED) == "suspension_intent_id_seq_key"
    rows.suspension(superuser, rows.intent(superuser))
    assert questions.strays(superuser) == []


def test_a_decision_is_written_once(superuser):
    question = rows.suspension(superuser, rows.intent(superuser))
    decide(superuser, question, '"yes"')
    assert questions.strays(superuser) == []
    for table in ("open_question", "inbox_entry"):
        assert superuser.execute(f"SELECT count(*) FROM {table} WHERE "
                                 "suspension_id = %s", [question]
                                 ).fetchone()[0] == 0
    # Without its open question a decision is refused, ...
    refused(superuser, errors.NotNullViolation, decide, question, '"no"')
    refused(superuser, errors.NotNullViolation, decide, "nothing", '"no"')
    # ... and a second one whatever the program does.
    again = ("INSERT INTO decision SELECT (d).* FROM (SELECT d FROM decision "
             "d WHERE suspension_id = %s) one")
    assert fails(superuser, errors.UniqueViolation, again, question
                 ) == "decision_once"
    assert superuser.execute(
        "SELECT response FROM suspension_row WHERE id = %s", [question]
    ).fetchone()[0] == '"yes"'


def test_a_decision_keeps_what_was_reached(superuser):
    question = rows.suspension(superuser, rows.intent(superuser),
                               channel_hint="first")
    superuser.execute("UPDATE open_question SET attempt = 3, channel_hint = "
                      "'third' WHERE suspension_id = %s", [question])
    seen = ("SELECT attempt, channel_hint, state FROM suspension_row WHERE "
            "id = %s", [question])
    assert superuser.execute(*seen).fetchone() == (3, "third", "pending")
    decide(superuser, question)
    assert superuser.execute(*seen).fetchone() == (3, "third", "resolved")
    assert superuser.execute("SELECT channel_hint FROM suspension WHERE id = "
                             "%s", [question]).fetchone()[0] == "first"


SEALED = ("suspension", "decision", "event")


@pytest.mark.parametrize("role", ["sayso_web", "sayso_wait", "sayso_tick",
                                  "sayso_deliver", "sayso_erase"])
@pytest.mark.parametrize("table", SEALED)
def test_no_process_changes_or_deletes_what_is_sealed(superuser, role, table):
    """Neither a column of it, nor by any other right."""
    rights = superuser.execute(
        "SELECT string_agg(privilege_type, ' ') FROM (SELECT privilege_type "
        "FROM information_schema.role_table_grants WHERE grantee = %s AND "
        "table_name = %s UNION SELECT privilege_type FROM "
        "information_schema.column_privileges WHERE grantee = %s AND "
        "table_name = %s) one", [role, table] * 2).fetchone()[0]
    assert set((rights or "").split()) <= {"SELECT", "INSERT"}
    assert superuser.execute(
        "SELECT has_table_privilege('public', 'suspension', 'SELECT')"
    ).fetchone()[0] is False


def test_the_doctor_sees_a_right_too_many(superuser):
    def found():
        superuser.execute("SET LOCAL ROLE sayso_web")
        right = run(superuser, "doctor_rights").fetchone()[1]
        superuser.execute("RESET ROLE")
        return right
    assert found() is False
    for right in [f"{r} ON {t}" for t in SEALED for r in (
            "UPDATE", "DELETE", "TRUNCATE")] + [
                "UPDATE (question) ON suspension",
                "UPDATE (response) ON decision"]:
        with superuser.transaction(force_rollback=True):
            superuser.execute(f"GRANT {right} TO sayso_web")
            assert found() is True, right


def test_what_it_supersedes_is_there(superuser):
    old = rows.suspension(superuser, rows.intent(superuser), **DECIDED)
    rows.suspension(superuser, rows.intent(superuser), kind="plan_review",
                    supersedes=old)
    refused(superuser, errors.ForeignKeyViolation, rows.suspension,
            rows.intent(superuser), supersedes="nothing")


def test_a_question_stands_in_its_audiences_list(superuser):
    def lists(**columns):
        question = rows.suspension(superuser, rows.intent(superuser),
                                   **columns)
        return superuser.execute(
            "SELECT audience, not_for FROM inbox_entry WHERE suspension_id = "
            "%s", [question]).fetchall()
    assert lists() == [("o", None)]
    assert lists(initiated_by="me", not_initiator=True) == [("o", "me")]
    assert lists(initiated_by="me", responder_mode="initiator") == [
        ("i:me", None)]
    for mode in ("group", "named", "agent"):
        assert lists(responder_mode=mode, responder="x" * 400) == [
            (mode[0] + ":" + "x" * 300, None)]


def test_a_decision_is_whole_or_not_there(superuser):
    one = rows.intent(superuser)
    for columns in ({}, {"outcome": "none"}, {"responded_at": rows.NOW}):
        refused(superuser, errors.NotNullViolation, rows.suspension, one,
                state="resolved", **columns)
    refused(superuser, errors.CheckViolation, rows.suspension, one,
            state="pending?", outcome="none", responded_at=rows.NOW)


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
            "SELECT inbox_rank FROM open_question WHERE suspension_id = %s",
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


def test_one_coordinator_for_an_intent(superuser):
    one = rows.intent(superuser)
    rows.coordinator(superuser, one)
    assert refused(superuser, errors.UniqueViolation, rows.coordinator, one
                   ) == "coordinator_one"
    rows.coordinator(superuser, one, ended_at=rows.NOW)
    other = rows.intent(superuser)
    for columns in ({"type": "robot"}, {"suspension_policy": "stop"},
                    {"heartbeat_seconds": 0}, {"version": 0},
                    {"ended_at": rows.NOW, "lapses_at": rows.NOW}):
        refused(superuser, errors.CheckViolation, rows.coordinator, other,
                **columns)


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


# The columns that the settings pages, signing in and the use of a key write.
PARTS = {
    "INSERT": {
        "principal": "id role email name password_hash created_at groups "
                     "bulk_limit",
        "api_key": "id key_sha256 prefix role label agents created_at "
                   "expires_at groups reach severity_floor principal_id "
                   "resource_id decides"},
    "UPDATE": {
        "principal": "login_failures login_failed_at password_hash role name "
                     "groups bulk_limit disabled_at time_zone theme "
                     "signed_in_at single_key after_answer",
        "api_key": "last_used_at revoked_at reach severity_floor decides"}}


def test_the_workers_role_reaches_nothing_else(superuser):
    """Every right that it has on a table, as one list: a new one is a
    decision."""
    found = superuser.execute(
        "SELECT table_name, string_agg(privilege_type, ' ' ORDER BY "
        "privilege_type) FROM information_schema.role_table_grants WHERE "
        "grantee = 'sayso_web' GROUP BY 1").fetchall()
    rights = dict(found)
    assert rights["event"] == rights["suspension"] == "INSERT SELECT"
    assert rights["decision"] == rights["inbox_entry"] == "INSERT SELECT"
    assert rights["idempotency"] == "INSERT SELECT"
    assert rights["restore_claim"] == "INSERT SELECT"
    assert rights["intent_cost"] == rights["intent_failure"] == \
        "INSERT SELECT"
    assert rights["api_key"] == "SELECT"
    assert rights["principal"] == "SELECT"
    for table, what in rights.items():
        assert "TRUNCATE" not in what and "TRIGGER" not in what
        assert "REFERENCES" not in what
        if table not in ("intent_dependency", "assignment", "subscription",
                         "open_question", "plan_checkpoint",
                         "saved_view", "sign_in_failure", "secret_view",
                         "tool_rule", "portfolio_member", "attachment",
                         "acl_entry", "log_request", "person_mail",
                         "person_push"):
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
