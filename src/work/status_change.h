/* Other intents that the work on one moves to another status. */
#ifndef WORK_STATUS_CHANGE_H
#define WORK_STATUS_CHANGE_H

#include "domain/intent/intent.h"
#include "world/pg/pg.h"

/* One that was moved, to be announced after the commit. */
struct status_change_other {
    struct str intent_id;
    int64_t version;
    const struct status_change_other *next;
};
struct status_changes {
    struct pg *pg;
    struct arena *arena;
    int64_t now;
    bool has_listeners; /* an agent's endpoint may want its events */
    const struct status_change_other *changed_intents; /* NULL: none yet */
};
struct status_change {
    enum intent_status from, to;
    const char *reason;
};
/* Into the current batch, at most three statements: the intent, whose lock is
 * held, takes the other status, with an event of its own and its deliveries. i
 * has only its id, version, tail and containers. One whose log is full gets no
 * event, so that it does not fail the work. */
const struct err *status_change_queue(struct status_changes *m,
                                      struct intent *i,
                                      const struct status_change *change) MUST;
/* The same in two parts, for a caller that appends further events to the list
 * in between. */
const struct err *status_change_event(struct status_changes *m,
                                      struct intent *i,
                                      const struct status_change *change,
                                      struct event_list *out) MUST;
void status_change_write(struct status_changes *m, const struct intent *i,
                         const struct status_change *change,
                         const struct event_list *list);

#endif
