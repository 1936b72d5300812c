"""Questions in the database: many at once, and whether each is in the right
tables."""
import pathlib

MANY = (pathlib.Path(__file__).parent / "questions.sql").read_text()


def many(db, insert, values=None):
    """Runs an INSERT INTO question, with the columns of questions.sql, and
    puts the rows where they belong. Within one transaction."""
    with db.transaction():
        db.execute(MANY)
        db.execute(insert, values)
        db.execute("SELECT pg_temp.questions_store()")


def end_now(db, id):
    """Makes an open question due, as if its time had passed."""
    with db.transaction():
        db.execute("UPDATE suspension SET expires_at = now() - interval '1 s' "
                   "WHERE id = %s", [id])
        db.execute("UPDATE open_question SET ending = now() - interval '1 s' "
                   "WHERE suspension_id = %s", [id])
        db.execute("UPDATE inbox_entry SET ending = now() - interval '1 s' "
                   "WHERE suspension_id = %s", [id])


def strays(db):
    """The ids of questions that are both open and decided, or neither; that are
    open in no list; whose rows differ; or that were decided and never asked."""
    return [id for [id] in db.execute("""
        SELECT s.id FROM suspension s
          LEFT JOIN open_question o ON o.suspension_id = s.id
          LEFT JOIN decision d ON d.suspension_id = s.id
         WHERE (o.suspension_id IS NULL) = (d.suspension_id IS NULL)
            OR o.audiences IS DISTINCT FROM (
                   SELECT array_agg(audience ORDER BY audience)
                     FROM inbox_entry e WHERE e.suspension_id = s.id)
            OR (o.intent_id, o.kind, o.inbox_rank, o.ending, o.suspended_at,
                o.asked_by, o.asked_by_key, o.subject_sha256)
               IS DISTINCT FROM
               (s.intent_id, s.kind, inbox_rank(s.severity),
                coalesce(s.expires_at, 'infinity'), s.suspended_at,
                s.asked_by, s.asked_by_key, s.subject_sha256)
               AND o.suspension_id IS NOT NULL
            OR (d.kind, d.asked_by, d.suspended_at) IS DISTINCT FROM
               (s.kind, s.asked_by, s.suspended_at)
               AND d.suspension_id IS NOT NULL
            OR EXISTS (
                   SELECT 1 FROM inbox_entry e
                    WHERE e.suspension_id = s.id
                      AND (e.kind, e.inbox_rank, e.ending, e.suspended_at,
                           e.asked_by, e.not_for)
                          IS DISTINCT FROM
                          (o.kind, o.inbox_rank, o.ending, o.suspended_at,
                           o.asked_by, CASE WHEN left(e.audience, 2) <> 'x:'
                                            THEN o.not_for END))
         UNION ALL
        SELECT suspension_id FROM decision
         WHERE suspension_id NOT IN (SELECT id FROM suspension)
        """).fetchall()]
