/* The sender's side of deliveries. Decides nothing: the next try comes with the
 * result. */
#include "store/sending/outbox.h"

#include "base/clock.h"
#include "base/shared/clock_watch.h"
#include "store/rows.h"

static const struct record_field outbox_item_fields[] = {
    {RECORD_TEXT(outbox_item, id, IN_ROW)},
    {RECORD_TEXT(outbox_item, endpoint_id, IN_ROW)},
    {RECORD_TEXT(outbox_item, recipient, IN_ROW)},
    {RECORD_TEXT(outbox_item, body, IN_ROW)},
    {RECORD_NUMBER(outbox_item, tries, IN_ROW)},
    {RECORD_FLAG(outbox_item, plain, IN_ROW)},
    {RECORD_TEXT(outbox_item, traceparent, IN_ROW)},
    {RECORD_WORD(outbox_item, kind, IN_JOIN, vocabulary_endpoint_kind_all)},
    {RECORD_TEXT(outbox_item, address, IN_JOIN)},
    {RECORD_FLAG(outbox_item, below, IN_JOIN)},
    {RECORD_TEXT(outbox_item, secret, IN_JOIN)},
    {RECORD_TEXT(outbox_item, previous_secret, IN_JOIN)},
    {RECORD_FLAG(outbox_item, internal, IN_JOIN)},
    {RECORD_TEXT(outbox_item, prefix, IN_JOIN)},
    {RECORD_TEXT(outbox_item, place, IN_JOIN)},
};
static const struct record outbox_item_record =
    RECORD(outbox_item, "delivery", "delivery");

const struct err *outbox_take(struct pg *pg, struct arena *a,
                              const struct outbox_claim *claim,
                              struct outbox_items *out)
{
    return rows_list(
        pg, a, SQL_OUTBOX_TAKE,
        PG(pg_moment(claim->now), pg_texts(claim->busy, claim->busy_n),
           pg_number(claim->limit), pg_moment(claim->now + OUTBOX_CLAIM),
           pg_number(OUTBOX_PER_ENDPOINT), pg_number(OUTBOX_PER_OWNER),
           pg_number(claim->agents), pg_texts(claim->away, claim->away_n)),
        &outbox_item_record, &out->v, &out->n);
}

const struct err *outbox_next(struct pg *pg, struct arena *a,
                              const struct outbox_claim *claim, int64_t *out)
{
    struct pg_rows *r = NULL;
    const int64_t before = clock_host();
    TRY(pg_query(pg, a, SQL_OUTBOX_NEXT,
                 PG(pg_texts(claim->away, claim->away_n)), &r));
    *out = pg_int(r, 0, 0);
    clock_watch_database(before, pg_time(r, 0, 1), clock_host());
    return NULL;
}

const struct err *outbox_finish(struct pg *pg, struct arena *a,
                                const struct outbox_try *v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        const struct outbox_try *t = &v[i];
        const struct pg_value status =
            t->status ? pg_number(t->status) : pg_text(STR_NONE);
        pg_queue(pg, a, SQL_OUTBOX_FINISH,
                 PG(pg_text(t->delivery_id), pg_number(t->n),
                    pg_text(t->answer), pg_flag(t->delivered),
                    pg_moment(t->next_at), pg_moment(t->now), pg_moment(t->at),
                    pg_number(t->ms), status));
    }
    return pg_run(pg, a, NULL);
}

const struct err *outbox_gone(struct pg *pg, struct arena *a,
                              struct str endpoint_id, int64_t now)
{
    return pg_query(pg, a, SQL_OUTBOX_GONE,
                    PG(pg_text(endpoint_id), pg_moment(now)), NULL);
}

const struct err *outbox_unsubscribe(struct pg *pg, struct arena *a,
                                     struct str delivery_id)
{
    return pg_query(pg, a, SQL_OUTBOX_UNSUBSCRIBE, PG(pg_text(delivery_id)),
                    NULL);
}

const struct err *outbox_give_up(struct pg *pg, struct arena *a, int64_t now,
                                 size_t *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_OUTBOX_GIVE_UP,
                 PG(pg_moment(now), pg_moment(now - OUTBOX_PAUSED_MAX)), &r));
    *out = pg_affected(r);
    return NULL;
}
