/* Work that is due by time, for the clock: questions, leases, rows past their
 * retention. Claims and stores; decides nothing. */
#ifndef WORK_CLOCK_DUE_H
#define WORK_CLOCK_DUE_H

#include "domain/question/retry.h"
#include "store/intent/leases.h"
#include "work/work.h"

#define DUE_BATCH 50                /* questions of one transaction */
#define DUE_BYTES ((size_t)4 << 20) /* of them; one larger goes alone */
#define DUE_LEASES_BATCH 20         /* intents with expired leases */
#define DUE_LEASES_MAX 60           /* of all of them */

/* The clock's unit of work, in these functions: arena, database, configuration
 * and time; the units that they find begin with it. */

/* The time at which the next question is due, for a reminder or its end; 0:
 * none. From then on the connection plans without sorting (enable_sort off),
 * so pg has to be the clock's own. */
const struct err *due_next(struct pg *pg, struct arena *a, int64_t *out) MUST;
struct due_wanted {
    size_t limit;           /* at most DUE_BATCH */
    const struct str *skip; /* ids of questions to be skipped */
    size_t skip_n;
};
/* Questions as units of work, oldest first, in one transaction that is begun
 * here; without any no transaction is left open. Their intents and then the
 * questions are locked; those locked by another transaction are left out. */
struct due_unit {
    struct work work;
    struct retry_round round; /* of a reminder */
    bool reminded;            /* attempt and next_attempt_at have changed */
};
struct due_batch {
    struct due_unit *v;
    size_t n;
    bool has_listeners; /* its deliveries have recipients */
    /* Set as soon as they are chosen, even if the rest fails: their number,
     * and the first one's question. */
    size_t chosen;
    struct str first;
};
const struct err *due_take(const struct work *clock,
                           const struct due_wanted *wanted,
                           struct due_batch *out) MUST;

/* Puts all decisions, and their deliveries, into the current batch: a few
 * statements for all of it, and a few for each unit with recipients. Tasks and
 * plans are written before. */
const struct err *due_queue(const struct work *clock,
                            const struct due_batch *b) MUST;

/* Rows that are due, of a few intents: one statement finds the intents, and
 * another reads the rows of those that no other transaction has locked. */
struct due_kind {
    int find, read;
    const struct record *record; /* of a row */
    size_t intent_id; /* the offset of this member in the record's struct */
};
/* Runs step on each of these intents with its rows, the longest due first, in
 * one transaction that is committed here; step leaves no statement queued.
 * *more: there were such intents. */
const struct err *
due_each(const struct work *clock, const struct due_kind *kind,
         const struct err *(*step)(struct work *w, void *rows, size_t n),
         bool *more) MUST;

/* Runs the current batch, commits, and wakes those that wait for a change of
 * the intents, and the sender. */
const struct err *due_commit(const struct work *clock, const struct work *v,
                             size_t n) MUST;

/* A place in the order of expired leases; at 0: before the first. */
struct due_place {
    int64_t at;
    char id[37];
};
/* Intents with expired leases after a place, in one transaction that is begun
 * here; without any no transaction is left open. Moves the place; end: there
 * are no more. Suspended intents, and those locked by another transaction, are
 * skipped. */
struct due_leases {
    struct work *v; /* their intents, locked */
    size_t n;
    struct lease_rows leases; /* of all of them */
    bool end;
};
const struct err *due_leases(const struct work *clock, struct due_place *place,
                             struct due_leases *out) MUST;

#endif
