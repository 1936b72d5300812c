/* What is due without anybody's call, for the clock: questions, leases, rows
 * that have outlived their use. Takes and stores; decides nothing. */
#ifndef STORE_DUE_H
#define STORE_DUE_H

#include "domain/retry.h"
#include "store/leases.h"
#include "store/work.h"

#define DUE_BATCH 50                    /* questions of one transaction */
#define DUE_BYTES ((size_t)4 << 20)     /* of them; one larger goes alone */
#define DUE_LEASES_BATCH 20             /* intents with lapsed leases */
#define DUE_LEASES_MAX 60               /* of all of them */
#define DUE_PAGE 500                    /* rows of one statement */

/* When the next question is due, for a reminder or its end; 0: none is. From
 * then on the connection plans without sorting (enable_sort off), so pg has to
 * be the clock's own. */
const struct err *due_next(struct pg *pg, struct arena *a,
                           int64_t *out) MUST;
struct due_wanted {
    int64_t now;
    size_t limit;           /* at most DUE_BATCH */
    const struct str *skip; /* ids of questions to be left alone */
    size_t skip_n;
};
/* Questions as units of work, oldest first, in one transaction that is begun
 * here; with none of them no transaction is left open. Their intents and then
 * they themselves are locked; what somebody else works on is left out. */
struct due_unit {
    struct work work;
    struct retry_round round; /* of a reminder */
    bool reminded;            /* attempt and next_attempt_at have changed */
};
struct due_batch {
    struct due_unit *v;
    size_t n;
    bool told; /* there is somewhere to deliver what agents are told */
    /* Known as soon as they are chosen, whatever comes of the rest: how many,
     * and the first one's question. */
    size_t chosen;
    struct str first;
};
const struct err *due_take(struct pg *pg, struct arena *a,
                           const struct due_wanted *wanted,
                           struct due_batch *out) MUST;

/* Puts all that was decided, and what is to be delivered of it, into the batch
 * at hand: a few statements for the whole of it, and a few for each unit where
 * there is somebody to be told. */
void due_queue(struct pg *pg, struct arena *a, const struct due_batch *b);

/* A place in the order of lapsed leases; at 0: before the first. */
struct due_place {
    int64_t at;
    char id[37];
};
/* Intents with lapsed leases behind a place, in one transaction that is begun
 * here; with none of them no transaction is left open. Moves the place; end:
 * there are no more. Suspended intents, and what somebody else works on, are
 * passed by. */
struct due_leases {
    struct work *v; /* their intents, locked */
    size_t n;
    struct lease_rows leases; /* of all of them */
    bool end;
};
const struct err *due_leases(struct pg *pg, struct arena *a, int64_t now,
                             struct due_place *place,
                             struct due_leases *out) MUST;

/* What is deleted, and of when. */
enum due_old { DUE_IDEMPOTENCY, DUE_SESSION, DUE_DELIVERY, DUE_SUBSCRIPTION,
               DUE_KNOWN_BROWSER, DUE_SIGN_IN_FAILURE, DUE_STORED,
               DUE_SECRET, DUE_OLD__MAX };
/* Deletes at most DUE_PAGE rows that ended before a moment. How many. */
const struct err *due_delete(struct pg *pg, struct arena *a,
                             enum due_old what, int64_t before,
                             size_t *out) MUST;

#endif
