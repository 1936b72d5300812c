/* The sender's side of deliveries. Decides nothing: the next try comes with the
 * result. */
#include "store/outbox.h"

#include "base/clock.h"
#include "store/sql.gen.h"

enum { ID, ENDPOINT_ID, KIND, ADDRESS, RECIPIENT, BODY, SECRET,
       PREVIOUS_SECRET, INTERNAL, TRIES, PLACE, BELOW, PLAIN, PREFIX };

static struct outbox_item row(const struct pg_rows *r, size_t i)
{
    return (struct outbox_item){
        .id = pg_str(r, i, ID),
        .endpoint_id = pg_str(r, i, ENDPOINT_ID),
        .kind = vocabulary_endpoint_kind_of(pg_str(r, i, KIND)),
        .address = pg_str(r, i, ADDRESS),
        .recipient = pg_str(r, i, RECIPIENT),
        .body = pg_str(r, i, BODY),
        .secret = pg_str(r, i, SECRET),
        .previous_secret = pg_str(r, i, PREVIOUS_SECRET),
        .internal = pg_bool(r, i, INTERNAL),
        .tries = pg_int(r, i, TRIES),
        .place = pg_str(r, i, PLACE),
        .below = pg_bool(r, i, BELOW),
        .plain = pg_bool(r, i, PLAIN),
        .prefix = pg_str(r, i, PREFIX)};
}

const struct err *outbox_take(struct pg *pg, struct arena *a,
                              const struct outbox_claim *claim,
                              struct outbox_items *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_time(&args, claim->now);
    pg_arg_texts(&args, claim->busy, claim->busy_n);
    pg_arg_int(&args, claim->limit);
    pg_arg_time(&args, claim->now + OUTBOX_CLAIM);
    pg_arg_int(&args, OUTBOX_PER_ENDPOINT);
    pg_arg_int(&args, OUTBOX_PER_OWNER);
    pg_arg_int(&args, claim->agents);
    pg_arg_texts(&args, claim->away, claim->away_n);
    TRY(pg_query(pg, a, SQL_OUTBOX_TAKE, &args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct outbox_item);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = row(r, i);
    return NULL;
}

const struct err *outbox_next(struct pg *pg, struct arena *a,
                              const struct outbox_claim *claim, int64_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_texts(&args, claim->away, claim->away_n);
    const int64_t before = clock_host();
    TRY(pg_query(pg, a, SQL_OUTBOX_NEXT, &args, &r));
    *out = pg_int(r, 0, 0);
    clock_watch_database(before, pg_time(r, 0, 1), clock_host());
    return NULL;
}

static void queue_finish(struct pg *pg, struct arena *a,
                         const struct outbox_try *t)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, t->delivery_id);
    pg_arg_int(&args, t->n);
    pg_arg(&args, t->answer);
    pg_arg_bool(&args, t->delivered);
    pg_arg_time(&args, t->next_at);
    pg_arg_time(&args, t->now);
    pg_arg_time(&args, t->at);
    pg_arg_int(&args, t->ms);
    if (t->status)
        pg_arg_int(&args, t->status);
    else
        pg_arg(&args, STR_NONE);
    pg_queue(pg, SQL_OUTBOX_FINISH, &args);
}

const struct err *outbox_finish(struct pg *pg, struct arena *a,
                                const struct outbox_try *v, size_t n)
{
    for (size_t i = 0; i < n; i++)
        queue_finish(pg, a, &v[i]);
    return pg_run(pg, a, NULL);
}

const struct err *outbox_gone(struct pg *pg, struct arena *a,
                              struct str endpoint_id, int64_t now)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, endpoint_id);
    pg_arg_time(&args, now);
    return pg_query(pg, a, SQL_OUTBOX_GONE, &args, NULL);
}

const struct err *outbox_give_up(struct pg *pg, struct arena *a, int64_t now,
                                 size_t *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_time(&args, now);
    pg_arg_time(&args, now - OUTBOX_PAUSED_MAX);
    TRY(pg_query(pg, a, SQL_OUTBOX_GIVE_UP, &args, &r));
    *out = pg_affected(r);
    return NULL;
}
