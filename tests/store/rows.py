"""Rows for the store tests, written as the program writes them."""
import uuid

import pytest

import questions

NOW = "2026-11-20T09:00:00Z"


def refused(db, error, make, *args, **columns):
    """The constraint that refuses a row."""
    with pytest.raises(error) as info:
        with db.transaction():
            make(db, *args, **columns)
    return info.value.diag.constraint_name


def intent(db, **columns):
    """A new intent; gives its id."""
    row = {"id": str(uuid.uuid4()), "title": "x", "created_by": "x",
           "status": "active", "constraints": "{}", "state": "{}",
           "version": 1, "created_at": NOW, "updated_at": NOW, **columns}
    insert(db, "intent", row)
    return row["id"]


def suspension(db, intent_id, **columns):
    row = {"id": str(uuid.uuid4()), "intent_id": intent_id, "seq": 1,
           "record": "{}", "response_type": "text", "question": "?",
           "subject": "{}", "subject_sha256": "0" * 64, "context": "{}",
           "choices": "[]", "asked_by": "a", "suspended_at": NOW,
           "fallback_policy": "fail", "on_reject": "resume",
           "asked_sequence": 1, **columns}
    questions.many(db, *written("question", row))
    return row["id"]


def event(db, intent_id, sequence, **columns):
    row = {"intent_id": intent_id, "sequence": sequence,
           "id": str(uuid.uuid4()), "event_type": "comment",
           "created_at": NOW, "canonical": "{}", "event_hash": "h",
           "previous_event_hash": None if sequence == 1 else "h", **columns}
    insert(db, "event", row)


def lease(db, intent_id, **columns):
    row = {"id": str(uuid.uuid4()), "intent_id": intent_id, "agent_id": "a",
           "scope": "s", "status": "active", "acquired_at": NOW,
           "expires_at": NOW, **columns}
    insert(db, "lease", row)
    return row["id"]


def coordinator(db, intent_id, **columns):
    row = {"id": str(uuid.uuid4()), "intent_id": intent_id, "agent_id": "a",
           "role": "x", "type": "llm", "suspension_policy": "isolate",
           "guardrails": "{}", "metadata": "{}", "heartbeat_seconds": 60,
           "heartbeat_at": NOW, "granted_at": NOW, "version": 1, **columns}
    insert(db, "coordinator", row)
    return row["id"]


def endpoint(db, **columns):
    row = {"id": str(uuid.uuid4()), "kind": "agent", "name": "x",
           "address": f"https://{uuid.uuid4()}.example/x", "secret": "whsec_x",
           "created_at": NOW, "created_by": "x", **columns}
    insert(db, "endpoint", row)
    return row["id"]


def subscription(db, endpoint_id, **columns):
    row = {"id": str(uuid.uuid4()), "endpoint_id": endpoint_id,
           "subscriber_id": "x", "created_at": NOW,
           "created_by": str(uuid.uuid4()), **columns}
    insert(db, "subscription", row)
    return row["id"]


def delivery(db, endpoint_id, intent_id, **columns):
    row = {"id": str(uuid.uuid4()), "endpoint_id": endpoint_id,
           "intent_id": intent_id, "event_sequence": 1, "type": "event",
           "body": "{}", "state": "pending", "next_at": NOW,
           "created_at": NOW, **columns}
    insert(db, "delivery", row)
    return row["id"]


def written(table, row):
    return (f"INSERT INTO {table} ({', '.join(row)}) VALUES "
            f"({', '.join(['%s'] * len(row))})", list(row.values()))


def insert(db, table, row):
    db.execute(*written(table, row))
