/* The tail of all events, for streams. Only reads. */
#ifndef STORE_SENDING_EVENT_CURSOR_H
#define STORE_SENDING_EVENT_CURSOR_H

#include "domain/sending/frame.h"
#include "world/pg/pg.h"

#define EVENT_CURSOR_PAGE 500 /* events */
#define EVENT_CURSOR_PAGE_BYTES                                               \
    ((size_t)8 << 20) /* a page ends with the event that
                                             reaches them */

struct event_cursor_rows {
    struct frame_event *v;
    size_t n;
    bool more; /* the page is full: there may be more */
};
/* A position in the order over all events: after (xid, intent_id, sequence). */
struct event_cursor {
    uint64_t xid;
    char intent_id[37]; /* "": before all events of that transaction */
    int64_t sequence;
};

/* The position at which a new reader begins: everything that commits from now
 * on is after it. */
const struct err *event_cursor_now(struct pg *pg, struct arena *a,
                                   struct event_cursor *out) MUST;
/* The next events in order, only those below the oldest transaction that
 * may still write; moves the cursor. */
const struct err *event_cursor_read(struct pg *pg, struct arena *a,
                                    struct event_cursor *at,
                                    struct event_cursor_rows *out) MUST;
/* The ends of questions, in the order of the feed. */
struct event_cursor_ends {
    struct event_cursor_end {
        uint64_t xid;
        struct str key_id; /* that asked; p NULL: none */
    } * v;
    size_t n;
    bool more;
};
struct event_cursor_ended {
    uint64_t xid;
    char id[65]; /* "": before all ends of that transaction */
};
/* The next ends, only those below the oldest transaction that may end more;
 * moves the cursor. */
const struct err *event_cursor_ended(struct pg *pg, struct arena *a,
                                     struct event_cursor_ended *at,
                                     struct event_cursor_ends *out) MUST;
/* When the oldest event was written that streams cannot send yet, because an
 * older transaction may still write; 0: none. */
const struct err *event_cursor_held(struct pg *pg, struct arena *a,
                                    int64_t *out) MUST;
/* The transactions that they wait for, the oldest first. */
struct event_cursor_holders {
    struct event_cursor_holder {
        struct str who; /* the process's id, or the name of a prepared one */
        struct str user, database;
        int64_t us; /* its age */
    } * v;
    size_t n;
};
const struct err *event_cursor_holders(struct pg *pg, struct arena *a,
                                       struct event_cursor_holders *out) MUST;
/* One intent's events after a sequence. */
const struct err *event_cursor_intent(struct pg *pg, struct arena *a,
                                      struct str intent_id, int64_t after,
                                      struct event_cursor_rows *out) MUST;

#endif
