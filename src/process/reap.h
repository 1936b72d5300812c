/* Part of the clock: leases that lapsed, and rows that have outlived their
 * use. Entered by process/tick.c once a round. Each call does a little and
 * says whether there is more. */
#ifndef PROCESS_REAP_H
#define PROCESS_REAP_H

#include "store/due.h"

/* Where the reaper stands. Starts as all zeros. */
struct reap {
    struct due_place place; /* among the lapsed leases */
    int64_t swept_at;       /* it began at the first of them; 0: never */
    int64_t deleted_at;     /* of the last look at old rows; 0: never */
};

/* Marks lapsed leases expired and says so in the log of their intents. */
const struct err *reap_leases(struct reap *r, struct pg *pg, struct arena *a,
                              bool *more) MUST;
/* Deletes what nobody needs any more (docs/operations.md). */
const struct err *reap_rows(struct reap *r, struct pg *pg, struct arena *a,
                            bool *more) MUST;

#endif
