/* The tail of all events, for streams. Only reads. */
#ifndef STORE_SENDING_TAIL_H
#define STORE_SENDING_TAIL_H

#include "domain/sending/frame.h"
#include "world/pg/pg.h"

#define TAIL_PAGE 500                     /* events */
#define TAIL_PAGE_BYTES ((size_t)8 << 20) /* a page ends with the event that
                                             reaches them */

struct tail_rows {
    struct frame_event *v;
    size_t n;
    bool more; /* the page is full: there may be more */
};
/* A position in the order over all events: after (xid, intent_id, sequence). */
struct tail_cursor {
    uint64_t xid;
    char intent_id[37]; /* "": before all events of that transaction */
    int64_t sequence;
};

/* The position at which a new reader begins: everything that commits from now
 * on is after it. */
const struct err *tail_now(struct pg *pg, struct arena *a,
                           struct tail_cursor *out) MUST;
/* The next events in order, only those below the oldest transaction that
 * may still write; moves the cursor. */
const struct err *tail_read(struct pg *pg, struct arena *a,
                            struct tail_cursor *at,
                            struct tail_rows *out) MUST;
/* The ends of questions, in the order of the feed. */
struct tail_ends {
    struct tail_end {
        uint64_t xid;
        struct str key_id; /* that asked; p NULL: none */
    } *v;
    size_t n;
    bool more;
};
struct tail_ended_cursor {
    uint64_t xid;
    char id[65]; /* "": before all ends of that transaction */
};
/* The next ends, only those below the oldest transaction that may end more;
 * moves the cursor. */
const struct err *tail_ended(struct pg *pg, struct arena *a,
                             struct tail_ended_cursor *at,
                             struct tail_ends *out) MUST;
/* When the oldest event was written that streams cannot send yet, because an
 * older transaction may still write; 0: none. */
const struct err *tail_held(struct pg *pg, struct arena *a,
                            int64_t *out) MUST;
/* The transactions that they wait for, the oldest first. */
struct tail_holders {
    struct tail_holder {
        struct str who; /* the process's id, or the name of a prepared one */
        struct str user, database;
        int64_t us; /* its age */
    } *v;
    size_t n;
};
const struct err *tail_holders(struct pg *pg, struct arena *a,
                               struct tail_holders *out) MUST;
/* One intent's events after a sequence. */
const struct err *tail_intent(struct pg *pg, struct arena *a,
                              struct str intent_id, int64_t after,
                              struct tail_rows *out) MUST;

#endif
