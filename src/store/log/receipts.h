/* Receipts in the database. */
#ifndef STORE_LOG_RECEIPTS_H
#define STORE_LOG_RECEIPTS_H

#include "domain/log/receipt.h"
#include "world/pg/pg.h"

#define RECEIPTS_PAGE 200

/* A question that has ended, and what its receipt says. */
struct receipts_due {
    struct suspension s;
    struct permit permit;
    struct event asked, ended; /* id, sequence, hash and previous alone */
    struct str xid;
    bool has_permit;
    bool has_event; /* an event of its transaction names the question */
    bool logged;    /* and the log has it */
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
    bool found;
};
const struct err *receipts_get(struct pg *pg, struct arena *a,
                               struct str suspension_id,
                               struct receipts_row *out) MUST;
/* Locks the place until the transaction ends, and reads what follows. */
const struct err *receipts_take(struct pg *pg, struct arena *a, int64_t epoch,
                                struct receipts_page *out) MUST;
void receipts_queue(struct pg *pg, struct arena *a, const struct receipt *r,
                    struct str jws, struct str kid, int64_t now);
/* Moves the place after this one. */
void receipts_queue_end(struct pg *pg, struct arena *a,
                        const struct receipts_due *last);

#endif
