/* Receipts in the database. Decides nothing. */
#include "store/log/receipts.h"

#include "store/question/suspensions.h"
#include "store/rows.h"

/* After the columns of the question. */
enum {
    XID,
    SEQUENCE,
    ID,
    HASH,
    PREVIOUS,
    ASKED_HASH,
    PERMIT,
    GRANTED,
    USES,
    NOT_AFTER,
    LOGGED
};

static struct receipts_due receipts_row(const struct suspension *s,
                                        const struct pg_rows *r, size_t i)
{
    const int c = rows_columns(&suspension_record);
    struct receipts_due d;
    d.s = *s;
    d.permit = (struct permit){.id = pg_str(r, i, c + PERMIT),
                               .granted_sha256 = pg_str(r, i, c + GRANTED),
                               .granted = pg_str(r, i, c + GRANTED),
                               .not_after = pg_int(r, i, c + NOT_AFTER)};
    d.ended = (struct event){.sequence = pg_int(r, i, c + SEQUENCE),
                             .id = pg_str(r, i, c + ID),
                             .hash = pg_str(r, i, c + HASH),
                             .previous = pg_str(r, i, c + PREVIOUS)};
    d.asked = (struct event){.hash = pg_str(r, i, c + ASKED_HASH),
                             .sequence = d.s.asked_sequence};
    d.xid = pg_str(r, i, c + XID);
    d.logged = pg_bool(r, i, c + LOGGED);
    d.permit.terms.max_uses = pg_int(r, i, c + USES);
    d.has_permit = d.permit.id.p != NULL;
    d.has_event = d.ended.id.p != NULL;
    return d;
}

const struct err *receipts_take(struct pg *pg, struct arena *a, int64_t epoch,
                                struct receipts_page *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RECEIPT_TAKE, NULL, &r));
    TRY(pg_query(pg, a, SQL_RECEIPT_DUE,
                 PG(pg_number(epoch), pg_text(pg_str(r, 0, 0)),
                    pg_text(pg_str(r, 0, 1)), pg_number(RECEIPTS_PAGE)),
                 &r));
    const struct suspension_rows questions = suspensions_rows(a, r);
    out->n = questions.n;
    out->v = arena_many(a, out->n + 1, struct receipts_due);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = receipts_row(&questions.v[i], r, i);
    return NULL;
}

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

const struct err *receipts_get(struct pg *pg, struct arena *a,
                               struct str suspension_id,
                               struct receipts_row *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_RECEIPT_GET, PG(pg_text(suspension_id)), &r));
    *out = (struct receipts_row){.found = pg_count(r) > 0};
    if (out->found)
        *out = (struct receipts_row){.event_sequence = pg_int(r, 0, 0),
                                     .salt = pg_str(r, 0, 1),
                                     .jws = pg_str(r, 0, 2),
                                     .kid = pg_str(r, 0, 3),
                                     .found = true};
    return NULL;
}
