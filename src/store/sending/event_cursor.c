/* The tail of all events.
 *
 * Called by the process that holds streams, and by the handlers for the
 * beginning of a stream. Only reads; the frames are the domain's. */
#include "store/sending/event_cursor.h"

#include "store/rows.h"
#include "store/tables.h"

/* Before all intents' ids. */
#define NIL STR("00000000-0000-0000-0000-000000000000")

enum { XID, INTENT, SEQUENCE, TYPE, CANONICAL, HASH, RECORD, AGENTS, VERSION,
       WATCHED };

static const struct err *event_cursor_read_rows(struct pg *pg, struct arena *a,
                                                int statement,
                                                const struct pg_args *args,
                                                struct event_cursor_rows *out)
{
    struct pg_rows *r = NULL;
    size_t bytes = 0;
    TRY(pg_query(pg, a, statement, args, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct frame_event);
    for (size_t i = 0; i < out->n; i++) {
        out->v[i] = (struct frame_event){.epoch = tables_restore().epoch,
                                         .cursor = pg_str(r, i, XID),
                                         .intent_id = pg_str(r, i, INTENT),
                                         .sequence = pg_int(r, i, SEQUENCE),
                                         .type = pg_str(r, i, TYPE),
                                         .canonical = pg_str(r, i, CANONICAL),
                                         .hash = pg_str(r, i, HASH),
                                         .record = pg_str(r, i, RECORD),
                                         .agents = pg_str(r, i, AGENTS),
                                         .version = pg_int(r, i, VERSION),
                                         .watched = pg_str(r, i, WATCHED)};
        bytes += out->v[i].canonical.n + out->v[i].record.n;
    }
    out->more =
        out->n == EVENT_CURSOR_PAGE || bytes >= EVENT_CURSOR_PAGE_BYTES;
    return NULL;
}

static const struct err *event_cursor_set_xid(uint64_t *out, struct str xid)
{
    int64_t v = 0;
    if (!str_int(xid, 1, INT64_MAX, &v))
        return ERROR(ERR_INTERNAL, "internal",
                     "The transaction id cannot be read.");
    *out = (uint64_t)v;
    return NULL;
}

const struct err *event_cursor_now(struct pg *pg, struct arena *a,
                                   struct event_cursor *out)
{
    struct str xid = STR_NONE;
    TRY(rows_text(pg, a, SQL_EVENT_CURSOR_NOW, NULL, &xid));
    *out = (struct event_cursor){.sequence = 0};
    return event_cursor_set_xid(&out->xid, xid);
}

const struct err *event_cursor_read(struct pg *pg, struct arena *a,
                                    struct event_cursor *at,
                                    struct event_cursor_rows *out)
{
    TRY(event_cursor_read_rows(
        pg, a, SQL_EVENT_CURSOR_READ,
        PG(pg_number((int64_t)at->xid),
           pg_text(at->intent_id[0] ? str_of(at->intent_id) : NIL),
           pg_number(at->sequence), pg_number(EVENT_CURSOR_PAGE),
           pg_number((int64_t)EVENT_CURSOR_PAGE_BYTES)),
        out));
    if (out->n == 0)
        return NULL;
    const struct frame_event *last = &out->v[out->n - 1];
    if (!str_copy(at->intent_id, sizeof at->intent_id, last->intent_id))
        return ERROR(ERR_INTERNAL, "internal", "This is not an intent's id.");
    TRY(event_cursor_set_xid(&at->xid, last->cursor));
    at->sequence = last->sequence;
    return NULL;
}

const struct err *event_cursor_intent(struct pg *pg, struct arena *a,
                                      struct str intent_id, int64_t after,
                                      struct event_cursor_rows *out)
{
    return event_cursor_read_rows(
        pg, a, SQL_EVENT_CURSOR_INTENT,
        PG(pg_text(intent_id), pg_number(after), pg_number(EVENT_CURSOR_PAGE),
           pg_number((int64_t)EVENT_CURSOR_PAGE_BYTES)),
        out);
}

const struct err *event_cursor_ended(struct pg *pg, struct arena *a,
                                     struct event_cursor_ended *at,
                                     struct event_cursor_ends *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_EVENT_CURSOR_ENDED,
                 PG(pg_number((int64_t)at->xid), pg_text(str_of(at->id)),
                    pg_number(EVENT_CURSOR_PAGE)),
                 &r));
    out->n = pg_count(r);
    out->more = out->n == EVENT_CURSOR_PAGE;
    out->v = arena_many(a, out->n + 1, struct event_cursor_end);
    for (size_t i = 0; i < out->n; i++) {
        TRY(event_cursor_set_xid(&out->v[i].xid, pg_str(r, i, 0)));
        out->v[i].key_id = pg_str(r, i, 2);
    }
    if (out->n == 0)
        return NULL;
    at->xid = out->v[out->n - 1].xid;
    return str_copy(at->id, sizeof at->id, pg_str(r, out->n - 1, 1))
               ? NULL
               : ERROR(ERR_INTERNAL, "internal",
                       "This is not a suspension's id.");
}

const struct err *event_cursor_held(struct pg *pg, struct arena *a,
                                    int64_t *out)
{
    return rows_number(pg, a, SQL_EVENT_CURSOR_HELD, NULL, out);
}

const struct err *event_cursor_holders(struct pg *pg, struct arena *a,
                                       struct event_cursor_holders *out)
{
    struct pg_rows *r = NULL;
    TRY(pg_query(pg, a, SQL_EVENT_CURSOR_HOLDERS, NULL, &r));
    out->n = pg_count(r);
    out->v = arena_many(a, out->n + 1, struct event_cursor_holder);
    for (size_t i = 0; i < out->n; i++)
        out->v[i] = (struct event_cursor_holder){.who = pg_str(r, i, 0),
                                                 .user = pg_str(r, i, 1),
                                                 .database = pg_str(r, i, 2),
                                                 .us = pg_int(r, i, 3)};
    return NULL;
}
