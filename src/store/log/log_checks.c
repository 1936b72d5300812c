/* Reads the log beside the events. Decides nothing. */
#include "store/log/log_checks.h"

#include "store/log/endings.h"
#include "store/question/suspensions.h"
#include "store/rows.h"

const struct err *log_checks_ends(struct pg *pg, struct arena *a,
                                  struct log_checks_ends *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_ENDS, NULL, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_end);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] =
            (struct log_checks_end){.end = {.epoch = pg_int(r, i, 0),
                                            .size = pg_int(r, i, 1),
                                            .xid = pg_str(r, i, 2),
                                            .intent_id = pg_str(r, i, 3),
                                            .sequence = pg_int(r, i, 4)},
                                    .leaves = pg_int(r, i, 5),
                                    .tiles = pg_int(r, i, 6),
                                    .head = pg_int(r, i, 7)};
    return NULL;
}

const struct err *log_checks_epoch(struct pg *pg, struct arena *a,
                                   struct str origin, int64_t *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_EPOCH, PG(pg_text(origin)), &r));
    *out = pg_count(r) ? pg_int(r, 0, 0) : -1;
    return NULL;
}

const struct err *log_checks_leaves(struct pg *pg, struct arena *a,
                                    int64_t epoch, struct str intent_id,
                                    int64_t from, int64_t to,
                                    struct log_checks_leaves *out)
{
    struct pg_rows *r = NULL;
    TRY(intent_id.p
            ? pg_query(pg, a, SQL_LOG_CHECK_LEAVES_OF,
                       PG(pg_number(epoch), pg_text(intent_id),
                          pg_number(from), pg_number(to - 1)),
                       &r)
            : pg_query(pg, a, SQL_LOG_CHECK_LEAVES,
                       PG(pg_number(epoch), pg_number(from), pg_number(to)),
                       &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_leaf);
    for (size_t i = 0; i < out->n; i++) {
        struct log_checks_leaf *l = &out->v[i];
        l->position = pg_int(r, i, 0);
        l->intent_id = pg_str(r, i, 1);
        l->sequence = pg_int(r, i, 2);
        if (!tlogs_unhex(pg_str(r, i, 3), &l->hash, 1))
            l->hash = (struct tlog_hash){{0}};
        l->has_event = log_checkpoint_hash_read(a, pg_str(r, i, 4), &l->event);
    }
    return NULL;
}

const struct err *log_checks_heads(struct pg *pg, struct arena *a,
                                   int64_t epoch, int64_t after, int64_t max,
                                   struct log_checks_heads *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_HEADS,
                 PG(pg_number(epoch), pg_number(after), pg_number(max)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct tlogs_head);
    for (size_t i = 0; i < out->n; i++)
        (void)tlogs_head_row(r, i, &out->v[i]); /* zero fits no head */
    return NULL;
}

const struct err *log_checks_checkpoints(struct pg *pg, struct arena *a,
                                         int64_t at, struct str id,
                                         struct log_checks_checkpoints *out)
{
    struct pg_rows *r = NULL;
    const int before = rows_columns(&log_checkpoint_record);
    TRY(pg_query(
        pg, a, SQL_LOG_CHECK_CHECKPOINTS,
        PG(at ? pg_moment(at) : pg_text(STR("-infinity")), pg_text(id)), &r));
    out->n = pg_count(r);
    out->v = rows_all(a, &log_checkpoint_record, r);
    out->before = arena_many(a, out->n + 1, int64_t);
    for (size_t i = 0; i < out->n; i++)
        out->before[i] = pg_int(r, i, before);
    return NULL;
}

const struct err *log_checks_unlogged(struct pg *pg, struct arena *a,
                                      const struct tlogs_end *end,
                                      struct log_checks_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_UNLOGGED,
                 PG(pg_number(end->epoch), pg_text(end->xid),
                    pg_text(end->intent_id), pg_number(end->sequence)),
                 &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_row);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct log_checks_row){.intent_id = pg_str(r, i, 0),
                                            .sequence = pg_int(r, i, 1)};
    return NULL;
}

const struct err *log_checks_written(struct pg *pg, struct arena *a,
                                     int64_t epoch, int64_t from, int64_t to,
                                     struct log_checks_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_WRITTEN,
                 PG(pg_number(epoch), pg_number(from), pg_number(to)), &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct log_checks_row);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct log_checks_row){.position = pg_int(r, i, 0),
                                            .intent_id = pg_str(r, i, 1),
                                            .sequence = pg_int(r, i, 2),
                                            .again = pg_bool(r, i, 3)};
    return NULL;
}

/* ---- questions ------------------------------------------------------ */

/* Of an event, after its first column. */
enum { SEQUENCE, TYPE, CANONICAL, HASH, ID, PREVIOUS };
/* After the columns of the question. */
enum {
    ASKED = 0,
    ENDED = 4,
    PERMIT = 10,
    GRANTED,
    USES,
    NOT_AFTER,
    RECEIPT,
    SALT,
    JWS,
    KID,
    SIGNED_AT,
    DUE,
    CALLS
};

static struct event log_checks_event(const struct pg_rows *r, size_t i,
                                     int column)
{
    return (struct event){.sequence = pg_int(r, i, column + SEQUENCE),
                          .type = pg_str(r, i, column + TYPE),
                          .canonical = pg_str(r, i, column + CANONICAL),
                          .hash = pg_str(r, i, column + HASH)};
}

static void log_checks_question(struct arena *a, const struct suspension *s,
                                const struct pg_rows *r, size_t i,
                                struct question_check *out)
{
    const int c = rows_columns(&suspension_record);
    *out =
        (struct question_check){.s = s,
                                .asked = log_checks_event(r, i, c + ASKED),
                                .ended = log_checks_event(r, i, c + ENDED),
                                .receipt_sequence = pg_int(r, i, c + RECEIPT),
                                .salt = pg_str(r, i, c + SALT),
                                .jws = pg_str(r, i, c + JWS),
                                .kid = pg_str(r, i, c + KID),
                                .signed_at = pg_int(r, i, c + SIGNED_AT),
                                .due = pg_bool(r, i, c + DUE),
                                .calls = pg_str(r, i, c + CALLS)};
    out->ended.id = pg_str(r, i, c + ENDED + ID);
    out->ended.previous = pg_str(r, i, c + ENDED + PREVIOUS);
    if (!pg_str(r, i, c + PERMIT).p)
        return;
    struct permit *p = arena_new(a, struct permit);
    p->id = pg_str(r, i, c + PERMIT);
    p->granted = p->granted_sha256 = pg_str(r, i, c + GRANTED);
    p->terms.max_uses = pg_int(r, i, c + USES);
    p->not_after = pg_int(r, i, c + NOT_AFTER);
    out->permit = p;
}

const struct err *log_checks_questions(struct pg *pg, struct arena *a,
                                       struct str intent_id, int64_t after,
                                       struct log_checks_questions *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECK_QUESTIONS,
                 PG(pg_text(intent_id), pg_number(after)), &r));
    const struct suspension_rows rows = suspensions_rows(a, r);
    out->n = rows.n;
    out->v = arena_many(a, out->n + 1, struct question_check);
    struct endings_row *ends = arena_many(a, out->n + 1, struct endings_row);
    for (size_t i = 0; i < out->n; i++) {
        log_checks_question(a, &rows.v[i], r, i, &out->v[i]);
        ends[i] = (struct endings_row){.s = &rows.v[i]};
    }
    TRY(endings_find(pg, a, 0, true, ends, out->n));
    for (size_t i = 0; i < out->n; i++) {
        out->v[i].ending = ends[i].ending;
        if (ends[i].ending != ENDING_NONE)
            out->v[i].ended = ends[i].event;
    }
    return NULL;
}
