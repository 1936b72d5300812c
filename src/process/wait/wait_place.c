/* The position of a stream.
 *
 * A client that reconnects continues there, also when no event was for it yet,
 * and does not read old events again. Sends nothing. */
#include "process/wait/wait_place.h"

#include "store/tables.h"

/* Transactions between two positions that are sent. Not after each one: the
 * SDK's dispatcher raises on every type of frame but five, and logs that. */
#define FAR 10000

static struct str wait_place_place(struct arena *a, const struct wait_place *p,
                                   const char *before, const char *type)
{
    const struct event_cursor *at = p->at;
    const struct frame_id id = {
        .epoch = tables_restore().epoch,
        .xid = at->xid,
        .intent_id = at->intent_id[0] ? str_of(at->intent_id) : STR_NONE,
        .sequence = at->sequence + (p->skip > 0),
        .part = p->skip};
    struct buf b = buf_make(a, 1024);
    buf_put(&b, before);
    frame_id_place(&b, type, p->to, &id);
    *p->sent = at->xid;
    return buf_text(&b);
}

struct str wait_place_begin(struct arena *a, const struct wait_place *p)
{
    static const char head[] = "Status: 200 OK\r\n"
                               "Content-Type: text/event-stream\r\n"
                               "Cache-Control: no-store\r\n"
                               "X-Accel-Buffering: no\r\n"
                               "X-Content-Type-Options: nosniff\r\n\r\n"
                               "retry: 5000\n\n";
    return wait_place_place(a, p, head, "connected");
}

struct str wait_place_keep(struct arena *a, const struct wait_place *p)
{
    if (p->at->xid - *p->sent < FAR)
        return STR(": still here\n\n");
    return wait_place_place(a, p, ": still here\n", "keepalive");
}

static int64_t wait_place_xid(const struct frame_event *e)
{
    int64_t xid = 0;
    (void)str_int(e->cursor, 0, INT64_MAX, &xid);
    return xid;
}

bool wait_place_behind(enum frame_audience to, const struct event_cursor *at,
                       const struct frame_event *e)
{
    const uint64_t xid = (uint64_t)wait_place_xid(e);
    const int order = str_cmp(e->intent_id, str_of(at->intent_id));
    if (to == FRAME_INTENT)
        return e->sequence > at->sequence;
    if (xid != at->xid)
        return xid > at->xid;
    return order != 0 ? order > 0 : e->sequence > at->sequence;
}

bool wait_place_next(enum frame_audience to, const struct event_cursor *at,
                     const struct frame_event *e)
{
    return e->sequence == at->sequence + 1 &&
           str_is(e->intent_id, at->intent_id) &&
           (to == FRAME_INTENT || (uint64_t)wait_place_xid(e) == at->xid);
}

void wait_place_move(enum frame_audience to, struct event_cursor *at,
                     const struct frame_event *e)
{
    at->sequence = e->sequence;
    if (to != FRAME_INTENT &&
        str_copy(at->intent_id, sizeof at->intent_id, e->intent_id))
        at->xid = (uint64_t)wait_place_xid(e);
}
