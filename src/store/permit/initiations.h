/* Initiation tickets: the proof of which person started a task with an agent. A
 * ticket decides nothing, so an agent may hold it. */
#ifndef STORE_PERMIT_INITIATIONS_H
#define STORE_PERMIT_INITIATIONS_H

#include "base/clock.h"
#include "base/err.h"
#include "world/pg/pg.h"

#define INITIATIONS_LIFE (INT64_C(600) * CLOCK_SECOND)

/* A new ticket of that person for one agent, "sin_" and 32 random bytes. Only
 * its digest is stored. *expires_at: when it ends. */
const struct err *initiations_make(struct pg *pg, struct arena *a,
                                   struct str person_id, struct str agent,
                                   struct str *ticket,
                                   int64_t *expires_at) MUST;

/* The person of a ticket, in the transaction at hand; the ticket is locked.
 * ERR_INVALID initiation.unknown: there is none, it has ended, was used, or is
 * for another agent. */
struct initiations_person {
    struct str id, email;
};
const struct err *initiations_take(struct pg *pg, struct arena *a,
                                   struct str ticket, struct str agent,
                                   struct initiations_person *out) MUST;
/* Into the current batch: the ticket is used by this intent. */
void initiations_queue_use(struct pg *pg, struct arena *a, struct str ticket,
                           struct str intent_id);

#endif
