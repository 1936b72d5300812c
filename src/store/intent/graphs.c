/* Intents that wait for each other, in the database. Decides nothing but
 * whether a new edge closes a ring. */
#include "store/intent/graphs.h"

#include "base/id.h"
#include "store/intent/intents.h"
#include "store/rows.h"

#define GRAPHS_SEARCHED_MAX 10000 /* as in intent_ring */

const struct err *graphs_read(struct pg *pg, struct arena *a,
                              const struct graphs_query *query,
                              struct graph *out)
{
    *out = (struct graph){.n = 0};
    if (id_uuid(query->id))
        TRY(rows_list(pg, a, SQL_INTENT_NODES,
                      PG(pg_text(query->id), intents_reader(a, query->who),
                         intents_now(), pg_number(query->levels),
                         pg_number((int64_t)query->max + 1)),
                      &graph_node_record, &out->v, &out->n));
    if (out->n == 0)
        return ERROR(ERR_NOT_FOUND, "intent.unknown",
                     "There is no intent with this id.");
    out->truncated = out->n > query->max;
    if (out->truncated)
        out->n = query->max;
    return NULL;
}

const struct err *graphs_dependencies(struct pg *pg, struct arena *a,
                                      struct str id, struct graph *out)
{
    *out = (struct graph){.n = 0};
    return rows_list(pg, a, SQL_INTENT_NEEDED, PG(pg_text(id)),
                     &graph_node_record, &out->v, &out->n);
}

const struct err *graphs_check_ring(struct pg *pg, struct arena *a,
                                    struct str id,
                                    const struct intent_ids *others,
                                    const char *at)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_INTENT_RING,
                 PG(pg_text(id), pg_texts(others->v, others->n)), &rows));
    if (pg_bool(rows, 0, 0))
        return err_at(a, ERR_BAD_REQUEST, "intent.cycle", str_of(at),
                      "An intent may not wait for one that waits for it. It "
                      "waits for its dependencies and its children.");
    if (pg_int(rows, 0, 1) > GRAPHS_SEARCHED_MAX)
        return ERROR(ERR_CONFLICT, "intent.graph_too_large",
                     "More than 10000 intents wait for this one.");
    return NULL;
}

const struct err *graphs_open(struct pg *pg, struct arena *a, struct str id,
                              struct intent_ids *out)
{
    struct pg_rows *rows = NULL;
    TRY(pg_query(pg, a, SQL_INTENT_OPEN, PG(pg_text(id)), &rows));
    out->n = pg_count(rows);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = pg_str(rows, i, 0);
    return NULL;
}
