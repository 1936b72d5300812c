/* Deadlines of portfolios, and the questions that they can end. */
#include "base/id.h"
#include "store/plan/portfolios.h"
#include "store/sql.gen.h"

const struct err *portfolios_over(struct pg *pg, struct arena *a,
                                  const struct str *ids, size_t n, int64_t now,
                                  struct portfolios_overs *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_PORTFOLIO_OVER,
                 PG(pg_texts(ids, n), pg_moment(now)), &r));
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
    if (n == 0)
        return;
    pg_queue(pg, a, SQL_PORTFOLIO_DEADLINES, PG(pg_texts(ids, n)));
}

void portfolios_queue_asked(struct pg *pg, struct arena *a,
                            struct str intent_id)
{
    pg_queue(pg, a, SQL_PORTFOLIO_SHARE, PG(pg_text(intent_id)));
    portfolios_queue_deadlines(pg, a, &intent_id, 1);
}

const struct err *portfolios_waiting(struct pg *pg, struct arena *a,
                                     struct str id,
                                     struct portfolios_waiting *out)
{
    struct pg_rows *r = NULL;
    *out = (struct portfolios_waiting){.n = 0};
    if (id_uuid(id))
        TRY(pg_query(pg, a, SQL_PORTFOLIO_WAITING, PG(pg_text(id)), &r));
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
    return intents->n ? pg_query(pg, a, SQL_PORTFOLIO_TAKE_INTENTS,
                                 PG(pg_texts(intents->v, intents->n)), NULL)
                      : NULL;
}
