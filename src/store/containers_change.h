/* A change of an intent, as its containers see it. */
#ifndef STORE_CONTAINERS_CHANGE_H
#define STORE_CONTAINERS_CHANGE_H

#include "domain/plan/board.h"
#include "world/pg/pg.h"

struct coordinators_change; /* store/coordinators.h */

/* Inside of the transaction that makes it, and before it is written. */
struct containers_change {
    struct pg *pg;
    struct arena *arena;
    int64_t now;
    struct intent *intent; /* with its new status; its tail moves */
    enum intent_status was;
    struct str asker; /* the agent that makes the change; p NULL: no agent */
    const struct suspension *suspension; /* the newest; NULL: none */
    struct event_list *events; /* what follows is appended here */
    struct board **board; /* its tasks, once they are read: the caller writes
                           * them */
    const struct coordinators_change *coordinated; /* the same for them; NULL:
                                                    * nothing follows there */
};

#endif
