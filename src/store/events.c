/* Events in the database. Only ever added. */
#include "store/events.h"

#include "store/sql.gen.h"

enum { SEQUENCE, ID, TYPE, CREATED_AT, CANONICAL, HASH, PREVIOUS };

static const struct err *select_rows(struct pg *pg, struct arena *a,
                                     int statement,
                                     const struct pg_args *args,
                                     struct event_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, statement, args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct event);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct event){.sequence = pg_int(r, i, SEQUENCE),
                                   .id = pg_str(r, i, ID),
                                   .type = pg_str(r, i, TYPE),
                                   .created_at = pg_int(r, i, CREATED_AT),
                                   .canonical = pg_str(r, i, CANONICAL),
                                   .hash = pg_str(r, i, HASH),
                                   .previous = pg_str(r, i, PREVIOUS)};
    return NULL;
}

const struct err *events_list(struct pg *pg, struct arena *a,
                              const struct events_page *page,
                              struct event_rows *out)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, page->intent_id);
    pg_arg(&args, page->type);
    pg_arg_time(&args, page->since);
    if (page->before)
        pg_arg_int(&args, page->before);
    else
        pg_arg(&args, STR_NONE);
    pg_arg_int(&args, page->limit);
    pg_arg_int(&args, page->offset);
    return select_rows(pg, a, SQL_EVENT_LIST, &args, out);
}

const struct err *events_chain(struct pg *pg, struct arena *a,
                               struct str intent_id, int64_t after,
                               int64_t limit, struct event_rows *out)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, intent_id);
    pg_arg_int(&args, after);
    pg_arg_int(&args, limit);
    return select_rows(pg, a, SQL_EVENT_CHAIN, &args, out);
}

const struct err *events_get(struct pg *pg, struct arena *a,
                             struct str intent_id, int64_t sequence,
                             struct event_rows *out)
{
    struct pg_args args = pg_args(a);
    pg_arg(&args, intent_id);
    pg_arg_int(&args, sequence);
    return select_rows(pg, a, SQL_EVENT_GET, &args, out);
}

void events_queue(struct pg *pg, struct arena *a, struct str intent_id,
                  const struct event_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct event *e = &list->v[i];
        struct pg_args args = pg_args(a);
        pg_arg(&args, intent_id);
        pg_arg_int(&args, e->sequence);
        pg_arg(&args, e->id);
        pg_arg(&args, e->type);
        pg_arg_time(&args, e->created_at);
        pg_arg(&args, e->canonical);
        pg_arg(&args, e->hash);
        pg_arg(&args, e->previous);
        pg_queue(pg, SQL_EVENT_INSERT, &args);
    }
}
