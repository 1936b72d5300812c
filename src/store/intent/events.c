/* Events in the database. Rows are only ever inserted. */
#include "store/intent/events.h"

#include "base/id.h"
#include "store/rows.h"

#define CHECK_PAGE 500 /* events */

enum {
    SEQUENCE,
    ID,
    TYPE,
    CREATED_AT,
    CANONICAL,
    HASH,
    PREVIOUS,
    RULE,
    ERASED_AT,
    FOUND,
    NUMBER
};

static struct event_rows events_all(struct arena *a, const struct pg_rows *r)
{
    struct event_rows out = {.n = pg_count(r)};
    out.v = arena_many(a, out.n + 1, struct event);
    for (size_t i = 0; i < out.n; i++)
        out.v[i] = (struct event){.sequence = pg_int(r, i, SEQUENCE),
                                  .id = pg_str(r, i, ID),
                                  .type = pg_str(r, i, TYPE),
                                  .created_at = pg_int(r, i, CREATED_AT),
                                  .canonical = pg_str(r, i, CANONICAL),
                                  .hash = pg_str(r, i, HASH),
                                  .previous = pg_str(r, i, PREVIOUS),
                                  .rule = pg_str(r, i, RULE),
                                  .erased_at = pg_int(r, i, ERASED_AT)};
    return out;
}

static const struct err *events_select_all(struct pg *pg, struct arena *a,
                                           int statement,
                                           const struct pg_args *args,
                                           struct pg_rows **rows,
                                           struct event_rows *out)
{
    TRY(pg_query(pg, a, statement, args, rows));
    *out = events_all(a, *rows);
    return NULL;
}

/* A page of at most limit rows, as intents.c makes them. */
static const struct err *events_select_page(struct pg *pg, struct arena *a,
                                            int statement,
                                            const struct pg_args *args,
                                            int64_t limit,
                                            struct event_rows *out)
{
    struct pg_rows *r = NULL;
    TRY(events_select_all(pg, a, statement, args, &r, out));
    const int64_t found = out->n ? pg_int(r, 0, FOUND) : 0;
    if (out->n > (size_t)limit)
        out->n = (size_t)limit;
    out->more = found > (int64_t)out->n;
    return NULL;
}

const struct err *events_list(struct pg *pg, struct arena *a,
                              const struct events_page *page,
                              struct event_rows *out)
{
    return events_select_page(
        pg, a, SQL_EVENT_LIST,
        PG(pg_text(page->intent_id), pg_text(page->type),
           pg_moment(page->since),
           page->before ? pg_number(page->before) : pg_text(STR_NONE),
           pg_number(page->limit + 1), pg_number(page->offset),
           pg_number((int64_t)EVENTS_PAGE_BYTES)),
        page->limit, out);
}

const struct err *events_chain(struct pg *pg, struct arena *a,
                               struct str intent_id, int64_t after,
                               int64_t limit, struct event_rows *out)
{
    return events_select_page(pg, a, SQL_EVENT_CHAIN,
                              PG(pg_texts(&intent_id, 1), pg_number(after),
                                 pg_number(limit + 1),
                                 pg_number((int64_t)EVENTS_PAGE_BYTES)),
                              limit, out);
}

void events_queue_chains(struct pg *pg, struct arena *a, const struct str *ids,
                         size_t n, int64_t limit)
{
    pg_queue(pg, a, SQL_EVENT_CHAIN,
             PG(pg_texts(ids, n), pg_number(0), pg_number(limit + 1),
                pg_number((int64_t)EVENTS_PAGE_BYTES)));
}

struct event_rows *events_chains(struct arena *a, const struct pg_rows *r,
                                 size_t n, int64_t limit)
{
    const struct event_rows all = events_all(a, r);
    const bool cut = all.n && pg_int(r, 0, FOUND) > (int64_t)all.n;
    const size_t *first = rows_begin(a, r, NUMBER, n);
    struct event_rows *out = arena_many(a, n + 1, struct event_rows);
    for (size_t i = 0; i < n; i++) {
        const size_t found = first[i + 1] - first[i];
        const bool over = found > (size_t)limit;
        out[i] = (struct event_rows){.v = all.v + first[i],
                                     .n = over ? (size_t)limit : found};
        /* Where the page was cut, others may have followed the last. */
        out[i].more = over || (cut && first[i + 1] == all.n);
    }
    return out;
}

void events_check_page(struct arena *a, struct str intent_id,
                       const struct event_rows *page,
                       struct event_check *check,
                       void (*told)(void *own, const struct event *e),
                       void *own)
{
    struct arena *tree = arena_within(a);
    for (size_t i = 0; i < page->n; i++) {
        told(own, &page->v[i]);
        (void)event_check(tree, check, intent_id, &page->v[i]);
        arena_reset(tree);
    }
    arena_free(tree);
}

const struct err *events_check_small(struct pg *pg, struct arena *a,
                                     struct str intent_id,
                                     struct event_check *check,
                                     void (*told)(void *own,
                                                  const struct event *e),
                                     void *own)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_EVENT_BYTES, PG(pg_text(intent_id)), &r));
    /* Without a limit an agent could write a chain that keeps a worker busy
     * until it is killed. */
    if (pg_int(r, 0, 0) > EVENTS_CHECK_BYTES)
        return ERROR(
            ERR_INVALID, "event.log_too_large",
            "The event log has more than 32 MB, too much to verify in "
            "a request. Run sayso verify on the server.");
    return events_check(pg, a, intent_id, check, told, own);
}

const struct err *events_check(struct pg *pg, struct arena *a,
                               struct str intent_id, struct event_check *check,
                               void (*told)(void *own, const struct event *e),
                               void *own)
{
    struct arena *page = arena_within(a);
    struct event_rows rows = {.more = true};
    char hash[65] = {0}; /* the last one of a page that was freed */
    int64_t last = 0;
    while (rows.more) {
        TRY(events_chain(pg, page, intent_id, last, CHECK_PAGE, &rows));
        events_check_page(page, intent_id, &rows, check, told, own);
        last = rows.n ? rows.v[rows.n - 1].sequence : last;
        const struct str end = str_head(check->tail.hash, sizeof(hash) - 1);
        memmove(hash, end.p ? end.p : "", end.n);
        check->tail.hash = (struct str){hash, end.n};
        arena_reset(page);
    }
    check->tail.hash = arena_str(a, check->tail.hash);
    arena_free(page);
    return NULL;
}

const struct err *events_get(struct pg *pg, struct arena *a,
                             struct str intent_id, int64_t sequence,
                             struct event_rows *out)
{
    struct pg_rows *rows = NULL;
    return events_select_all(pg, a, SQL_EVENT_GET,
                             PG(pg_text(intent_id), pg_number(sequence)),
                             &rows, out);
}

const struct err *events_find(struct pg *pg, struct arena *a,
                              struct str intent_id, struct str id,
                              struct event_rows *out)
{
    struct pg_rows *rows = NULL;
    *out = (struct event_rows){.n = 0};
    return id_uuid(id) ? events_select_all(
                             pg, a, SQL_EVENT_FIND,
                             PG(pg_text(intent_id), pg_text(id)), &rows, out)
                       : NULL;
}

void events_queue(struct pg *pg, struct arena *a, struct str intent_id,
                  const struct event_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct event *e = &list->v[i];
        pg_queue(pg, a, SQL_EVENT_INSERT,
                 PG(pg_text(intent_id), pg_number(e->sequence), pg_text(e->id),
                    pg_text(e->type), pg_moment(e->created_at),
                    pg_text(e->canonical), pg_text(e->hash),
                    pg_text(e->previous)));
    }
}
