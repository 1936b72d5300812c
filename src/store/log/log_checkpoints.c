/* Checkpoints of the log in the database. */
#include "store/log/log_checkpoints.h"

#include "base/id.h"
#include "store/rows.h"

const struct err *log_checkpoints_get(struct pg *pg, struct arena *a,
                                      struct str id,
                                      struct log_checkpoint *out)
{
    return rows_get(pg, a, SQL_LOG_CHECKPOINT_GET, PG(pg_text(id)),
                    &log_checkpoint_record, out);
}

const struct err *log_checkpoints_covering(struct pg *pg, struct arena *a,
                                           int64_t epoch, struct str intent_id,
                                           int64_t sequence,
                                           struct log_checkpoint *out,
                                           bool *found)
{
    return rows_find(
        pg, a, SQL_LOG_CHECKPOINT_COVERING,
        PG(pg_number(epoch), pg_text(intent_id), pg_number(sequence)),
        &log_checkpoint_record, out, found);
}

void log_checkpoints_queue(struct pg *pg, struct arena *a,
                           const struct log_checkpoint *c)
{
    rows_queue(pg, a, SQL_LOG_CHECKPOINT_INSERT, NULL, &log_checkpoint_record,
               IN_INSERT, c);
}

const struct err *log_checkpoints_of(struct pg *pg, struct arena *a,
                                     int64_t epoch, const struct str *ids,
                                     size_t n,
                                     struct log_checkpoints_open **out,
                                     size_t *out_n)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_LOG_CHECKPOINT_OPEN,
                 PG(pg_number(epoch), pg_texts(ids, n)), &r));
    *out_n = pg_count(r);
    *out = arena_many(a, *out_n + 1, struct log_checkpoints_open);
    for (size_t i = 0; i < *out_n; i++)
        (*out)[i] = (struct log_checkpoints_open){.intent_id = pg_str(r, i, 0),
                                                  .first = pg_int(r, i, 1),
                                                  .last = pg_int(r, i, 2),
                                                  .ended = pg_bool(r, i, 3)};
    return NULL;
}

const struct err *log_checkpoints_server(struct pg *pg, struct arena *a,
                                         int64_t epoch, int64_t *last,
                                         int64_t *at)
{
    struct pg_rows *r = NULL;
    *last = *at = 0;
    TRY(pg_query(pg, a, SQL_LOG_CHECKPOINT_SERVER, PG(pg_number(epoch)), &r));
    if (pg_count(r) > 0) {
        *last = pg_int(r, 0, 0);
        *at = pg_int(r, 0, 1);
    }
    return NULL;
}

const struct err *log_checkpoints_list(struct pg *pg, struct arena *a,
                                       const struct log_checkpoints_page *page,
                                       struct log_checkpoint_rows *out)
{
    return rows_list(pg, a, SQL_LOG_CHECKPOINT_LIST,
                     PG(pg_text(page->intent_id), pg_text(page->scope),
                        pg_text(page->after), pg_number(page->limit)),
                     &log_checkpoint_record, &out->v, &out->n);
}

const struct err *log_checkpoints_ask(struct pg *pg, struct arena *a,
                                      struct str id, struct str intent_id,
                                      struct str by, int64_t now)
{
    return pg_query(pg, a, SQL_LOG_REQUEST_INSERT,
                    PG(pg_text(id), pg_text(intent_id), pg_text(by),
                       pg_moment(now)),
                    NULL);
}

const struct err *log_checkpoints_asked(struct pg *pg, struct arena *a,
                                        struct str id, bool *ended,
                                        struct str *checkpoint_id)
{
    struct pg_rows *r = NULL;
    bool withdrawn = false;
    TRY(rows_change(pg, a, SQL_LOG_REQUEST_WITHDRAW, PG(pg_text(id)),
                    &withdrawn));
    TRY(pg_query(pg, a, SQL_LOG_REQUEST_GET, PG(pg_text(id)), &r));
    *ended = pg_count(r) > 0 && pg_bool(r, 0, 0);
    *checkpoint_id = *ended ? pg_str(r, 0, 1) : STR_NONE;
    return NULL;
}

const struct err *log_checkpoints_event(struct pg *pg, struct arena *a,
                                        const struct log_checkpoint *c,
                                        struct str event_id,
                                        struct log_checkpoints_event *out)
{
    struct pg_rows *r = NULL;
    const int one[] = {SQL_LOG_CHECKPOINT_EVENT};
    const int all[] = {SQL_LOG_CHECKPOINT_EVENT_SERVER,
                       SQL_LOG_CHECKPOINT_EVENT_LATE};
    const int *ways = c->intent_id.p ? one : all;
    const size_t n = c->intent_id.p ? countof(one) : countof(all);
    for (size_t i = 0; i < n && id_uuid(event_id); i++) {
        TRY(pg_query(pg, a, ways[i],
                     PG(pg_number(c->epoch), pg_text(c->intent_id),
                        pg_number(c->first_sequence),
                        pg_number(c->last_sequence), pg_text(event_id)),
                     &r));
        if (pg_count(r) > 0)
            break;
    }
    if (!r || pg_count(r) == 0)
        return ERROR(ERR_NOT_FOUND, "log.not_covered",
                     "The checkpoint does not cover an event with this id.");
    *out = (struct log_checkpoints_event){.index = pg_int(r, 0, 0) -
                                                   c->first_sequence,
                                          .hash = pg_str(r, 0, 1),
                                          .intent_id = pg_str(r, 0, 2)};
    return NULL;
}

const struct err *log_checkpoints_reach(struct pg *pg, struct arena *a,
                                        const struct log_checkpoint *from,
                                        const struct log_checkpoint *to,
                                        bool *whole, struct event *next)
{
    struct pg_rows *r[2] = {NULL};
    pg_queue(pg, a, SQL_LOG_CHECKPOINT_BETWEEN,
             PG(pg_number(from->epoch), pg_text(from->intent_id),
                pg_number(from->first_sequence),
                pg_number(to->last_sequence),
                pg_number(LOG_CHECKPOINTS_REACH + 1)));
    pg_queue(pg, a, SQL_LOG_CHECKPOINT_BOUNDARY,
             PG(pg_number(from->epoch), pg_text(from->intent_id),
                pg_number(from->last_sequence)));
    TRY(pg_run(pg, a, r));
    if (pg_int(r[0], 0, 0) > LOG_CHECKPOINTS_REACH)
        return ERROR(ERR_INVALID, "log.too_far",
                     "There are more than 10000 checkpoints between these. "
                     "Check them in steps.");
    *whole = pg_bool(r[0], 0, 1) && pg_bool(r[0], 0, 2);
    *next = (struct event){.sequence = 0};
    if (pg_count(r[1]) > 0)
        *next = (struct event){.sequence = pg_int(r[1], 0, 0),
                               .hash = pg_str(r[1], 0, 1),
                               .previous = pg_str(r[1], 0, 2)};
    return NULL;
}
