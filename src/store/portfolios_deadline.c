/* Deadlines of portfolios, and the questions that they can end. */
#include "base/id.h"
#include "store/portfolios.h"
#include "store/sql.gen.h"

const struct err *portfolios_over(struct pg *pg, struct arena *a,
                                  const struct str *ids, size_t n, int64_t now,
                                  struct portfolios_overs *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    pg_arg_texts(&args, ids, n);
    pg_arg_time(&args, now);
    TRY(pg_query(pg, a, SQL_PORTFOLIO_OVER, &args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct portfolios_over);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct portfolios_over){.intent_id = pg_str(r, i, 0),
                                             .portfolio_id = pg_str(r, i, 1),
                                             .at = pg_int(r, i, 2)};
    return NULL;
}

void portfolios_queue_deadlines(struct pg *pg, struct arena *a,
                                const struct str *ids, size_t n)
{
    struct pg_args args = pg_args(a);
    if (n == 0)
        return;
    pg_arg_texts(&args, ids, n);
    pg_queue(pg, SQL_PORTFOLIO_DEADLINES, &args);
}

void portfolios_queue_asked(struct pg *pg, struct arena *a,
                            struct str intent_id)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, intent_id);
    pg_queue(pg, SQL_PORTFOLIO_SHARE, &args);
    portfolios_queue_deadlines(pg, a, &intent_id, 1);
}

const struct err *portfolios_waiting(struct pg *pg, struct arena *a,
                                     struct str id,
                                     struct portfolios_waiting *out)
{
    struct pg_args args = pg_args(a);
    struct pg_rows *r = NULL;
    *out = (struct portfolios_waiting){.n = 0};
    pg_arg(&args, id);
    if (id_uuid(id))
        TRY(pg_query(pg, a, SQL_PORTFOLIO_WAITING, &args, &r));
    out->n = r ? pg_count(r) : 0;
    out->v = arena_many(a, out->n + 1, struct str);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = pg_str(r, i, 0);
    return NULL;
}

const struct err *
portfolios_take_waiting(struct pg *pg, struct arena *a,
                        const struct portfolios_waiting *intents)
{
    struct pg_args args = pg_args(a);
    pg_arg_texts(&args, intents->v, intents->n);
    return intents->n
               ? pg_query(pg, a, SQL_PORTFOLIO_TAKE_INTENTS, &args, NULL)
               : NULL;
}
