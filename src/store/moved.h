/* Other intents that the work on one moves to another status. */
#ifndef STORE_MOVED_H
#define STORE_MOVED_H

#include "domain/intent/intent.h"
#include "world/pg/pg.h"

/* One that was moved, to be announced after the commit. */
struct moved_other {
    struct str intent_id;
    int64_t version;
    const struct moved_other *next;
};
struct moved {
    struct pg *pg;
    struct arena *arena;
    int64_t now;
    bool told; /* an agent's endpoint may want its events */
    const struct moved_other *others; /* NULL: none yet */
};
struct moved_change {
    enum intent_status from, to;
    const char *reason;
};
/* Into the current batch, at most three statements: the intent, whose lock is
 * held, takes the other status, with an event of its own and its deliveries. i
 * has only its id, version, tail and containers. One whose log is full gets no
 * event, so that it does not fail the work. */
const struct err *moved_queue(struct moved *m, struct intent *i,
                              const struct moved_change *change) MUST;
/* The same in two parts, for a caller that appends further events to the list
 * in between. */
const struct err *moved_event(struct moved *m, struct intent *i,
                              const struct moved_change *change,
                              struct event_list *out) MUST;
void moved_write(struct moved *m, const struct intent *i,
                 const struct moved_change *change,
                 const struct event_list *list);

#endif
