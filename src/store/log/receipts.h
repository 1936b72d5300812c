/* Receipts in the database. */
#ifndef STORE_LOG_RECEIPTS_H
#define STORE_LOG_RECEIPTS_H

#include "domain/log/receipt.h"
#include "store/log/endings.h"

#define RECEIPTS_PAGE 100
#define RECEIPTS_PAGE_BYTES ((size_t)8 << 20)

/* A question that has ended, and what its receipt says. */
struct receipts_due {
    struct suspension s;
    struct permit permit;
    struct event asked; /* hash and sequence alone */
    struct endings_row end;
    struct str xid;
    struct str calls; /* p NULL: it is not about calls of tools */
    bool has_permit;
    bool has_receipt;
    bool late; /* an event of its intent is missing in the log for a moment */
};
struct receipts_page {
    struct receipts_due *v;
    size_t n;
};
/* The signed receipt of a question. */
struct receipts_row {
    int64_t event_sequence;
    struct str salt; /* p NULL: erased */
    struct str jws, kid;
    int64_t signed_at;
    bool found;
    /* Why there is none; neither: it is not signed yet. */
    int64_t broken; /* the event that breaks the chain of its intent, or 0 */
    bool lost;      /* no event says how the question ended */
};
const struct err *receipts_get(struct pg *pg, struct arena *a,
                               struct str suspension_id,
                               struct receipts_row *out) MUST;
/* Locks the place until the transaction ends, and reads what follows. */
const struct err *receipts_take(struct pg *pg, struct arena *a, int64_t epoch,
                                struct receipts_page *out) MUST;
/* Those that wait, after this id. */
const struct err *receipts_waiting(struct pg *pg, struct arena *a,
                                   int64_t epoch, struct str after,
                                   struct receipts_page *out) MUST;
void receipts_queue(struct pg *pg, struct arena *a, const struct receipt *r,
                    struct str jws, struct str kid, int64_t now);
/* Lets a question wait, and ends that. lost: there is no event that says how
 * it ended. */
void receipts_queue_wait(struct pg *pg, struct arena *a,
                         struct str suspension_id, bool lost, int64_t now);
void receipts_queue_wait_end(struct pg *pg, struct arena *a,
                             struct str suspension_id);
/* Moves the place after this one. */
void receipts_queue_end(struct pg *pg, struct arena *a,
                        const struct receipts_due *last);

#endif
