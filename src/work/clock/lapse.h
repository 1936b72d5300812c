/* Part of the clock: expired leases, coordinators that do not respond, and
 * rows past their retention. Called by process/tick.c once a round, with the
 * clock's unit of work (work/clock/due.h). Each call does a little and returns
 * whether there is more. */
#ifndef WORK_CLOCK_LAPSE_H
#define WORK_CLOCK_LAPSE_H

#include "work/clock/due.h"

/* The memory between two rounds. Starts as all zeros. */
struct lapse {
    struct due_place place; /* among the expired leases */
    int64_t swept_at;       /* start of the current pass over the leases; 0:
                             * never */
    int64_t deleted_at;     /* of the last look at old rows; 0: never */
    int64_t searched_at;    /* of the last look at what the search needs */
    int64_t parted_at;      /* of the last look at parts that are empty */
};

/* Marks leases past their end expired and adds the events to their intents'
 * logs. */
const struct err *lapse_leases(struct lapse *r, const struct work *clock,
                               bool *more) MUST;
/* Reports coordinators that have missed their heartbeats, in the logs and to
 * the supervisors. */
const struct err *lapse_coordinators(const struct work *clock,
                                     bool *more) MUST;
/* Ends the access of agents whose entry is over: its leases with it. */
const struct err *lapse_access(const struct work *clock, bool *more) MUST;
/* Stamps of checkpoints that the sender got: they come to their checkpoints,
 * each with an event in the log of its intent. */
const struct err *lapse_anchors(const struct work *clock, bool *more) MUST;
/* Reads questions from before the search, and sums up what has ended for it. */
const struct err *lapse_search(struct lapse *r, const struct work *clock,
                               bool *more) MUST;
/* Deletes rows past their retention (docs/operations/security.md). */
const struct err *lapse_rows(struct lapse *r, const struct work *clock,
                             bool *more) MUST;

#endif
