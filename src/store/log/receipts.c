/* Receipts in the database. Decides nothing. */
#include "store/log/receipts.h"

#include "store/question/suspensions.h"
#include "store/rows.h"

/* After the columns of the question. */
enum {
    XID,
    ASKED_HASH,
    PERMIT,
    GRANTED,
    USES,
    NOT_AFTER,
    CALLS,
    SIGNED,
    LATE
};

/* ---- what is due ---------------------------------------------------- */

static struct receipts_due receipts_row(const struct suspension *s,
                                        const struct pg_rows *r, size_t i)
{
    const int c = rows_columns(&suspension_record);
    struct receipts_due d = {.s = *s};
    d.permit = (struct permit){.id = pg_str(r, i, c + PERMIT),
                               .granted_sha256 = pg_str(r, i, c + GRANTED),
                               .granted = pg_str(r, i, c + GRANTED),
                               .not_after = pg_int(r, i, c + NOT_AFTER)};
    d.permit.terms.max_uses = pg_int(r, i, c + USES);
    d.has_permit = d.permit.id.p != NULL;
    d.asked = (struct event){.hash = pg_str(r, i, c + ASKED_HASH),
                             .sequence = d.s.asked_sequence};
    d.xid = pg_str(r, i, c + XID);
    d.calls = pg_str(r, i, c + CALLS);
    d.has_receipt = pg_bool(r, i, c + SIGNED);
    d.late = pg_bool(r, i, c + LATE);
    return d;
}

static const struct err *receipts_read(struct pg *pg, struct arena *a,
                                       const struct pg_rows *r, int64_t epoch,
                                       bool ever, struct receipts_page *out)
{
    const struct suspension_rows questions = suspensions_rows(a, r);
    struct endings_row *ends =
        arena_many(a, questions.n + 1, struct endings_row);
    out->n = questions.n;
    out->v = arena_many(a, out->n + 1, struct receipts_due);
    for (size_t i = 0; i < out->n; i++) {
        out->v[i] = receipts_row(&questions.v[i], r, i);
        ends[i] =
            (struct endings_row){.s = &questions.v[i], .xid = out->v[i].xid};
    }
    TRY(endings_find(pg, a, epoch, ever, ends, out->n));
    for (size_t i = 0; i < out->n; i++)
        out->v[i].end = ends[i];
    return NULL;
}

const struct err *receipts_take(struct pg *pg, struct arena *a, int64_t epoch,
                                struct receipts_page *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RECEIPT_TAKE, NULL, &r));
    TRY(pg_query(pg, a, SQL_RECEIPT_DUE,
                 PG(pg_text(pg_str(r, 0, 0)), pg_text(pg_str(r, 0, 1)),
                    pg_number(RECEIPTS_PAGE),
                    pg_number((int64_t)RECEIPTS_PAGE_BYTES)),
                 &r));
    return receipts_read(pg, a, r, epoch, false, out);
}

const struct err *receipts_waiting(struct pg *pg, struct arena *a,
                                   int64_t epoch, struct str after,
                                   struct receipts_page *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RECEIPT_WAITING,
                 PG(pg_text(after), pg_number(RECEIPTS_PAGE),
                    pg_number((int64_t)RECEIPTS_PAGE_BYTES)),
                 &r));
    return receipts_read(pg, a, r, epoch, true, out);
}

/* ---- writing and reading -------------------------------------------- */

void receipts_queue(struct pg *pg, struct arena *a, const struct receipt *r,
                    struct str jws, struct str kid, int64_t now)
{
    pg_queue(pg, a, SQL_RECEIPT_PUT,
             PG(pg_text(r->s->id), pg_number(r->ended->sequence),
                pg_text(r->salt), pg_text(jws), pg_text(kid), pg_moment(now)));
}

void receipts_queue_end(struct pg *pg, struct arena *a,
                        const struct receipts_due *last)
{
    pg_queue(pg, a, SQL_RECEIPT_END,
             PG(pg_text(last->xid), pg_text(last->s.id)));
}

void receipts_queue_wait(struct pg *pg, struct arena *a,
                         struct str suspension_id, bool lost, int64_t now)
{
    pg_queue(pg, a, SQL_RECEIPT_WAIT,
             PG(pg_text(suspension_id), pg_moment(now), pg_flag(lost)));
}

void receipts_queue_wait_end(struct pg *pg, struct arena *a,
                             struct str suspension_id)
{
    pg_queue(pg, a, SQL_RECEIPT_WAIT_END, PG(pg_text(suspension_id)));
}

const struct err *receipts_get(struct pg *pg, struct arena *a,
                               struct str suspension_id,
                               struct receipts_row *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RECEIPT_GET, PG(pg_text(suspension_id)), &r));
    *out = (struct receipts_row){.found = pg_count(r) > 0};
    if (out->found) {
        out->event_sequence = pg_int(r, 0, 0);
        out->salt = pg_str(r, 0, 1);
        out->jws = pg_str(r, 0, 2);
        out->kid = pg_str(r, 0, 3);
        out->signed_at = pg_int(r, 0, 4);
        return NULL;
    }
    TRY(pg_query(pg, a, SQL_RECEIPT_HELD, PG(pg_text(suspension_id)), &r));
    if (pg_count(r) > 0) {
        out->broken = pg_int(r, 0, 0);
        out->lost = pg_bool(r, 0, 1);
    }
    return NULL;
}
