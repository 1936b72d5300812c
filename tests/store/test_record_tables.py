"""The database and the contract have what the tables of the records name."""
import re

import pytest
import yaml
from records import FIELDS, TABLES
from server import TOP
from statements import STATEMENTS

# The types of a column that a field may be stored in. The text of a numeric is
# exact, and that of a confidence is a JSON number.
TYPES = {"TEXT": {"text", "uuid", "character", "numeric"},
         "UUID": {"uuid"},
         "JSON": {"text", "json", "jsonb", "double precision"},
         "OBJECT": {"text", "json", "jsonb"},
         "COUNT": {"smallint", "integer", "bigint"},
         "NUMBER": {"smallint", "integer", "bigint"},
         "TIME": {"timestamp with time zone"},
         "NAIVE": {"timestamp with time zone"},
         "FLAG": {"boolean"},
         "WORD": {"text"},
         "DECIMAL": {"numeric"}}
# Where a noun is read from another relation than it is written to.
VIEWS = {("suspension", "ROW"): "suspension_row"}
# Columns that a trigger sets.
TRIGGERED = {"intent_created_at"}
STORED = {"ROW", "INSERT", "UPDATE"}


@pytest.fixture(scope="module")
def columns(server):
    """{table: {column: (type, may it be left out of an INSERT?)}}"""
    out = {}
    with server.database("sayso_owner") as db:
        for table, column, kind, free in db.execute(
                "SELECT table_name, column_name, data_type,"
                " is_nullable = 'YES' OR column_default IS NOT NULL"
                " OR is_generated = 'ALWAYS' OR is_identity = 'YES'"
                " FROM information_schema.columns"
                " WHERE table_schema = 'public'"):
            out.setdefault(table, {})[column] = (kind, free)
    return out


def test_each_table_of_fields_is_a_record():
    assert set(FIELDS) == set(TABLES)
    assert len(FIELDS) >= 4


@pytest.mark.parametrize("noun", sorted(FIELDS))
def test_the_columns_are_there(columns, noun):
    for field in FIELDS[noun]:
        for place in field.places & STORED:
            table = columns[VIEWS.get((noun, place), TABLES[noun])]
            assert field.column in table, field.name
            kind = table[field.column][0]
            assert kind in TYPES.get(field.type, {kind}), field.name


@pytest.mark.parametrize("noun", sorted(FIELDS))
def test_an_insert_has_all_that_a_row_needs(columns, noun):
    needed = {name for name, (_, free) in columns[TABLES[noun]].items()
              if not free and name not in TRIGGERED}
    inserts = [set(re.split(r",\s*", listed.strip()))
               for text in STATEMENTS.values()
               for listed in re.findall(
                   rf"INSERT INTO {TABLES[noun]}\s*\(([^)]+)\)", text)]
    for inserted in inserts:
        assert needed <= inserted
    assert inserts or not any("INSERT" in f.places for f in FIELDS[noun])


def test_the_statement_that_moves_tasks_has_what_moves():
    listed = re.search(r"AS u \(([^)]*)\)", STATEMENTS["task_move"]).group(1)
    moved = [f.column for f in FIELDS["task"] if "PART" in f.places]
    assert re.split(r",\s*", listed) == ["id", *moved]


# ---- docs/openapi.yaml ----

# The schema of a noun's object, and of the body that it is read from.
OBJECTS = {"suspension": "Suspension",
           "cost": "Cost", "attachment": "Attachment", "failure": "Failure",
           "failure_policy": "RetryPolicyOfIntent",
           "acl_entry": "AclEntry", "coordinator": "Coordinator",
           "permit": "Permit", "redemption": "Use",
           "portfolio": "Portfolio", "portfolio_member": "PortfolioMembership",
           "lease": "Lease",
           "assignment": "Assignment",
           "subscription": "Subscription",
           "plan": "Plan",
           "checkpoint": "Checkpoint",
           "task": "Task",
           "graph_node": "GraphNode",
           "endpoint": "Endpoint",
           "artifact": "UploadedArtifact",
           "log_checkpoint": "LogCheckpoint",
           "signing_key": "SigningKey"}
BODIES = {"cost": "CostNew", "attachment": "AttachmentNew",
          "failure": "FailureNew", "failure_policy": "RetryPolicyNew",
          "redemption": "UseResult",
          "acl_entry": "AclEntryNew",
          "coordinator": "CoordinatorNew", "portfolio": "PortfolioNew",
          "portfolio_member": "PortfolioMemberNew",
          "subscription": "SubscriptionNew",
          "plan": "PlanNew",
          "checkpoint": "CheckpointNew",
          "endpoint": "EndpointNew"}
# Only agents write these members of a task; they are stored as one text.
FACTS = set(re.findall(r'^    {"(\w+)", JSON_', (
    TOP / "src/domain/plan/task.c").read_text(), re.M))
# Members of an object that are made from other rows than the noun's own.
MADE = {"suspension": {"claims", "permit", "receipt_url", "restore_epoch",
                       "restored_from", "task_id", "tool_calls",
                       "unusable_reason", "url", "usable"},
        "endpoint": {"last_delivery"},
        "portfolio": {"aggregate_status", "has_suspended_members", "members",
                      "suspended_member_count", "progress"},
        "permit": {"object", "view", "redemptions"},
        "plan": {"conditions", "on_complete", "metadata", "checkpoints",
                 "progress"},
        "checkpoint": {"on_timeout_enforced"},
        "signing_key": {"vkey"},
        "task": FACTS | {"blocks", "suspended_intent_id"}}
# Members of a body that code reads.
READ = {"plan": {"intent_id", "state", "tasks", "checkpoints", "conditions",
                 "on_complete", "metadata"}}
# Older names that the contract does not have.
UNLISTED = {"checkpoint": {"after"}}


@pytest.fixture(scope="module")
def schemas():
    document = yaml.safe_load((TOP / "docs/openapi.yaml").read_text())
    return document["components"]["schemas"]


def properties(schemas, name):
    """{member: its schema} of a schema and of those that it includes."""
    out, whole = {}, schemas[name]
    for part in [whole, *whole.get("allOf", [])]:
        if "$ref" in part:
            out |= properties(schemas, part["$ref"].rsplit("/", 1)[1])
        out |= part.get("properties", {})
    return out


def shown(noun):
    fields = [f for f in FIELDS[noun] if "OBJECT" in f.places]
    return ({f.member for f in fields} |
            {f.alias for f in fields if f.alias})


def read(noun):
    fields = [f for f in FIELDS[noun] if f.places & {"BODY", "NEED"}]
    return {f.member for f in fields} | {f.other for f in fields if f.other}


def test_each_record_has_its_schema():
    assert {n for n in FIELDS if shown(n)} == set(OBJECTS)
    assert {n for n in FIELDS if read(n)} == set(BODIES)


@pytest.mark.parametrize("noun", sorted(OBJECTS))
def test_the_contract_has_the_members_of_the_object(schemas, noun):
    assert set(properties(schemas, OBJECTS[noun])) == \
        shown(noun) | MADE.get(noun, set())


@pytest.mark.parametrize("noun", sorted(BODIES))
def test_the_contract_has_the_members_of_the_body(schemas, noun):
    listed = properties(schemas, BODIES[noun])
    code = READ.get(noun, set())
    assert set(listed) - code == read(noun) - UNLISTED.get(noun, set())
    needed = {f.member for f in FIELDS[noun] if "NEED" in f.places}
    # A member that has another spelling is not required by itself.
    spelt = {f.member for f in FIELDS[noun] if f.other}
    assert set(schemas[BODIES[noun]].get("required", [])) - spelt - code == \
        needed - spelt
