/* Telling a listener where its stream is.
 *
 * A client that comes back then goes on there, also when nothing was for it
 * yet, and need not be read what happened long before. Sends nothing. */
#include "process/wait_place.h"

/* Transactions between two places that are told. Not each time: the SDK's
 * dispatcher raises on every type of frame but five, and logs that. */
#define FAR 10000

static struct str place(struct arena *a, const struct wait_place *p,
                        const char *before, const char *type)
{
    const struct tail_cursor *at = p->at;
    const struct frame_id id = {
        .xid = at->xid,
        .intent_id = at->intent_id[0] ? str_of(at->intent_id) : STR_NONE,
        .sequence = at->sequence + (p->skip > 0),
        .part = p->skip};
    struct buf b = buf_make(a, 1024);
    buf_put(&b, before);
    frame_id_place(&b, type, p->to, &id);
    *p->told = at->xid;
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
    return place(a, p, head, "connected");
}

struct str wait_place_keep(struct arena *a, const struct wait_place *p)
{
    if (p->at->xid - *p->told < FAR)
        return STR(": still here\n\n");
    return place(a, p, ": still here\n", "keepalive");
}
