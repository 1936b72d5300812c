/* Work that is due by time, for the clock: questions, leases, rows past their
 * retention. Claims and stores; decides nothing. */
#ifndef WORK_CLOCK_DUE_H
#define WORK_CLOCK_DUE_H

#include "domain/question/retry.h"
#include "store/intent/leases.h"
#include "store/intent/records.h"
#include "store/person/acls.h"
#include "store/plan/coordinators.h"
#include "work/work.h"

#define DUE_BATCH 50                /* questions of one transaction */
#define DUE_BYTES ((size_t)4 << 20) /* of them; one larger goes alone */
#define DUE_LEASES_BATCH 20         /* intents with expired leases */
#define DUE_LEASES_MAX 60           /* of all of them */
#define DUE_PAGE 500                /* rows of one statement */

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
 * another reads the rows of those that no other transaction has locked, in one
 * transaction that is begun here; without any no transaction is left open. */
struct due_some {
    struct work *v; /* their intents, locked */
    size_t n;
    struct pg_rows *rows; /* of read; NULL: n is 0 */
};
const struct err *due_some(const struct work *clock, int find, int read,
                           struct due_some *out) MUST;

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

/* Coordinators that have missed their heartbeats and were not reported yet, of
 * a few intents, in one transaction that is begun here; without any no
 * transaction is left open. Intents that another transaction has locked are
 * left out. */
struct due_coordinators {
    struct work *v; /* their intents, locked */
    size_t n;
    struct coordinator_rows lapsed; /* of all of them */
};
const struct err *due_coordinators(const struct work *clock,
                                   struct due_coordinators *out) MUST;
/* Into the current batch: its event is in the log. */
void due_queue_told(const struct work *w, const struct coordinator *c);

/* Entries that are over, of a few intents, like due_coordinators. */
struct due_accesses {
    struct work *v; /* their intents, locked */
    size_t n;
    struct acl_rows over; /* of all of them */
};
const struct err *due_access(const struct work *clock,
                             struct due_accesses *out) MUST;
/* Failures whose next step is due, of a few intents, like due_coordinators. */
struct due_failure {
    struct failure failure;
    struct str fallback_agent_id; /* of the policy now; p NULL: none */
};
struct due_failures {
    struct work *v; /* their intents, locked */
    size_t n;
    struct due_failure *failures; /* of all of them, the longest due first */
    size_t failures_n;
};
const struct err *due_failures(const struct work *clock,
                               struct due_failures *out) MUST;
/* Tasks that have run as long as they may, of a few intents, like
 * due_coordinators. */
struct due_tasks {
    struct work *v; /* their intents, locked */
    size_t n;
    struct task *tasks; /* of all of them, the longest due first */
    size_t tasks_n;
};
const struct err *due_tasks(const struct work *clock,
                            struct due_tasks *out) MUST;
/* Into the current batch: it is looked at again then. */
void due_queue_task(struct pg *pg, struct arena *a, const struct task *t,
                    int64_t runs_until);
/* Into the current batch: the step, failure.next, was taken (resolved_at), or
 * is due later; 0: none. */
void due_queue_failure(struct pg *pg, struct arena *a,
                       const struct due_failure *d, int64_t resolved_at,
                       int64_t due_at);
/* Releases the leases of an agent on an intent, at most 20, and ends its
 * assignment. */
struct due_agent {
    struct str intent_id, agent_id;
    int64_t now;
    bool stays; /* it keeps its assignment */
};
struct due_dismissed {
    struct lease_rows leases;
    bool assigned; /* it was */
};
const struct err *due_dismiss(struct pg *pg, struct arena *a,
                              const struct due_agent *who,
                              struct due_dismissed *out) MUST;

/* The kinds of rows that are deleted. */
enum due_old {
    DUE_IDEMPOTENCY,
    DUE_SESSION,
    DUE_DELIVERY,
    DUE_SUBSCRIPTION,
    DUE_KNOWN_BROWSER,
    DUE_SIGN_IN_FAILURE,
    DUE_STORED,
    DUE_SECRET,
    DUE_INITIATION,
    DUE_DPOP_PROOF,
    DUE_PERMIT_TOKEN,
    DUE_OLD__MAX
};
/* Deletes at most DUE_PAGE rows that ended before a moment. Returns the
 * number. */
const struct err *due_delete(struct pg *pg, struct arena *a, enum due_old what,
                             int64_t before, size_t *out) MUST;

#endif
