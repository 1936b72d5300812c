"""A stored database with many times its questions, for what takes long: how long
a migration takes, and what one does that is killed in the middle of a file."""

# By table: what is another in each copy, as SQL over the row r and the number k.
UUID = "md5(r.{0}::text || k)::uuid"
TEXT = "r.{0} || '-' || k"
COPIED = {
    "intent": {"id": UUID},
    "suspension": {"id": TEXT, "intent_id": UUID},
    "event": {"id": UUID, "intent_id": UUID},
    "decision": {"suspension_id": TEXT},
    "open_question": {
        "suspension_id": TEXT, "intent_id": UUID,
        "search": "(SELECT search_words(s.title, s.question, r.asked_by, "
                  "s.id || '-' || k, md5(s.intent_id::text || k)::uuid) "
                  "FROM suspension s WHERE s.id = r.suspension_id)"},
    "inbox_entry": {"suspension_id": TEXT},
    "delivery": {"id": UUID, "intent_id": UUID, "suspension_id": TEXT},
}


def grow(db, times):
    """db: a superuser's connection. Each question comes so many times more."""
    db.execute("SET session_replication_role = replica")
    db.execute("SET synchronous_commit = off")
    for table, other in COPIED.items():
        columns = [c for [c] in db.execute(
            "SELECT attname::text FROM pg_attribute WHERE attrelid = "
            "to_regclass(%s) AND attnum > 0 AND NOT attisdropped AND "
            "attgenerated = '' ORDER BY attnum", [table])]
        if columns:
            values = [other[c].format(c) if c in other else f"r.{c}"
                      for c in columns]
            db.execute(f"INSERT INTO {table} ({', '.join(columns)}) "
                       f"SELECT {', '.join(values)} FROM {table} r, "
                       f"generate_series(1, {int(times)}) k")
    db.execute("VACUUM ANALYZE")
