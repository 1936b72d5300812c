"""Every column that can have contents is erased by the rules of retention, or kept
for a reason. A new column has to be in one of the two lists."""
import re

import pytest
from psycopg import errors

import rows

# Columns of other types have no words of an agent or of a person.
TYPES = ("text", "ARRAY", "bytea", "json", "jsonb", "tsvector", "numeric")

# Whole tables that have nothing of a question, or end with it by themselves.
TABLES = {
    "settings of admins": "principal api_key endpoint tool_rule resource "
                          "retention_rule signing_key person_mail",
    "of a signed-in person": "operator_session known_browser saved_view "
                             "secret_view sign_in_failure person_push",
    "while a question is open": "open_question inbox_entry",
    "seven days or less": "idempotency dpop_proof permit_token initiation",
    "the log: digests, signatures, places": "log_leaf log_tile log_head "
        "log_cosignature log_checkpoint log_anchor log_fault receipt_end "
        "receipt_wait log_request event_erased",
    "a list of tasks, of no question": "portfolio portfolio_member",
    "how an agent listens, or tries again": "subscription failure_policy",
    "ids alone": "search_part search_fill retention_wait",
    "the schema": "migration",
    "counts": "restore verification",
    "ends with its delivery": "delivery_try"}
# Columns of the others.
KEPT = {
    "an id": """suspension.id suspension.supersedes decision.suspension_id
        ended_words.suspension_id permit.suspension_id permit.auth_req_id
        answer_use.suspension_id restore_claim.suspension_id
        receipt.suspension_id plan_checkpoint.id plan_checkpoint.suspension_id
        plan.tasks plan.review_id task.depends_on intent.depends_on""",
    "the name of an agent or a key": """suspension.asked_by decision.asked_by
        intent.created_by intent.owner lease.agent_id assignment.agent_id
        assignment.assigned_by permit.agent permit.jkt redemption.by
        answer_use.by restore_claim.by plan.created_by task.assigned_agent
        coordinator.agent_id coordinator.supervisor_id coordinator.granted_by
        intent_cost.agent_id intent_failure.agent_id acl_entry.principal_id
        acl_entry.granted_by""",
    "who decided; erased with the person": """decision.decided_by
        permit.ended_by plan_checkpoint.decided_by""",
    "a word of a closed list": """suspension.response_type suspension.severity
        suspension.severity_said suspension.fallback_policy
        suspension.on_reject suspension.kind suspension.responder_mode
        suspension.origin suspension.callback_body decision.kind
        decision.state decision.outcome decision.via intent.status
        event.event_type lease.status permit.state redemption.result
        plan.state plan.on_failure plan.paused_reason
        plan_checkpoint.on_timeout plan_checkpoint.on_reject
        plan_checkpoint.severity plan_checkpoint.status task.status task.hold
        coordinator.type coordinator.suspension_policy intent_failure.next
        acl_entry.permission""",
    "the chain of events": """event.event_hash event.previous_event_hash
        intent.event_hash""",
    "signed": "receipt.jws receipt.kid",
    "a figure, for reports": """intent_cost.cost_type intent_cost.amount
        intent_cost.unit plan_checkpoint.timeout_hours""",
    "names the use to the agent": """redemption.operation_id
        answer_use.operation_id""",
}


@pytest.fixture(scope="module")
def columns(server):
    with server.database() as db:
        return set(db.execute(
            "SELECT c.table_name, c.column_name FROM information_schema.columns "
            "c JOIN information_schema.tables t USING (table_schema, "
            "table_name) WHERE table_schema = 'public' AND t.table_type = "
            "'BASE TABLE' AND c.data_type = ANY (%s)",
            [list(TYPES)]).fetchall())


@pytest.fixture(scope="module")
def erased(server, columns):
    """The columns that the functions set, and all of the tables from which they
    delete."""
    with server.database() as db:
        text = "\n".join(r[0] for r in db.execute(
            "SELECT prosrc FROM pg_proc WHERE proname IN "
            "('retention_questions', 'retention_intents')"))
    found = set()
    for table in re.findall(r"DELETE FROM (\w+)", text):
        found |= {c for c in columns if c[0] == table}
    for table, body in re.findall(r"UPDATE (\w+)(.*?);", text, re.S):
        names = re.findall(r"(?:SET|,)\s+(\w+) = ", body)
        found |= {(table, name) for name in names} & columns
    return found


def test_every_column_is_erased_or_kept_with_a_reason(columns, erased):
    whole = {t for names in TABLES.values() for t in names.split()}
    kept = {tuple(c.split(".")) for names in KEPT.values()
            for c in names.split()}
    assert kept <= columns
    left = {c for c in columns - erased - kept if c[0] not in whole}
    assert left == set(), "neither erased nor kept with a reason"
    assert {c for c in kept if c in erased} == set()
    assert whole <= {c[0] for c in columns} | {"migration", "restore"}


def test_the_eraser_may_run_two_functions(server, superuser):
    """It reads the tables' version, and what was restored."""
    tables = superuser.execute(
        "SELECT relname, has_table_privilege('sayso_erase', oid, 'SELECT'), "
        "has_table_privilege('sayso_erase', oid, 'INSERT, UPDATE, DELETE, "
        "TRUNCATE') OR has_any_column_privilege('sayso_erase', oid, 'INSERT, "
        "UPDATE') FROM pg_class WHERE relkind IN ('r', 'v') AND relnamespace "
        "= 'public'::regnamespace").fetchall()
    assert {t for t, reads, _ in tables if reads} == {"migration", "restore"}
    assert not any(writes for *_, writes in tables)
    with server.database("sayso_erase") as db:
        for call in ("retention_questions('{x}', 'x', now())",
                     "retention_intents('{}', 'x', now())",
                     "person_erase('a@example.com', now(), true)"):
            with pytest.raises(errors.InsufficientPrivilege):
                db.execute(f"SELECT * FROM {call}")
        for call in ("retention_turn(10)", "retention_erase('x', 10)",
                     "retention_erase(10)"):
            assert db.execute(f"SELECT * FROM {call}").fetchall() == []
    with server.database("sayso_web") as db:
        for call in ("retention_turn(10)", "retention_erase('x', 10)",
                     "retention_erase(10)"):
            with pytest.raises(errors.InsufficientPrivilege):
                db.execute(f"SELECT * FROM {call}")


def test_a_rule_stays_as_it_was_made(owner):
    with owner.transaction(force_rollback=True):
        owner.execute("INSERT INTO retention_rule (name, days, created_at, "
                      "created_by) VALUES ('a', 7, now(), 'x')")
        for change in ("days = 8", "kind = 'approval'", "name = 'b'"):
            with pytest.raises(errors.IntegrityError), owner.transaction():
                owner.execute(f"UPDATE retention_rule SET {change}")
        with pytest.raises(errors.IntegrityError), owner.transaction():
            owner.execute("DELETE FROM retention_rule")
        for wrong in ("'b', 6", "'B', 7", "'person', 7"):
            with pytest.raises(errors.CheckViolation), owner.transaction():
                owner.execute("INSERT INTO retention_rule (name, days, "
                              "created_at, created_by) VALUES "
                              f"({wrong}, now(), 'x')")


def test_nobody_takes_bytes_without_a_rule(owner):
    """Not the owner of the tables either."""
    with owner.transaction(force_rollback=True):
        intent = rows.intent(owner)
        rows.event(owner, intent, 1)
        event = intent, 1
        for change in ("canonical = ''", "canonical = '{}'"):
            with pytest.raises(errors.InsufficientPrivilege), \
                    owner.transaction():
                owner.execute(f"UPDATE event SET {change} WHERE intent_id = %s "
                              "AND sequence = %s", event)
        owner.execute("INSERT INTO event_erased VALUES (%s, %s, 'x', now())",
                      event)
        with pytest.raises(errors.InsufficientPrivilege), owner.transaction():
            owner.execute("UPDATE event SET canonical = '', event_type = 'x' "
                          "WHERE intent_id = %s AND sequence = %s", event)
        owner.execute("UPDATE event SET canonical = '' WHERE intent_id = %s "
                      "AND sequence = %s", event)
