/* A question's receipt with its place in the log, as the API and the page show
 * it. */
#ifndef DOORS_ASKING_RECEIPT_FOUND_H
#define DOORS_ASKING_RECEIPT_FOUND_H

#include "domain/log/log_checkpoint.h"
#include "doors/call/call.h"
#include "store/log/receipts.h"
#include "store/log/tlogs.h"

struct receipt_found {
    struct receipts_row row;
    /* The rest only where the row was found. */
    struct event asked, ended;
    int64_t position; /* of ended in the log; -1: a log of another epoch */
    bool covered;     /* a checkpoint has it: */
    struct log_checkpoint checkpoint;
    int64_t place; /* of the event in the checkpoint, from 0 */
    bool headed;   /* the newest head has it: */
    struct tlogs_head head;
};
/* Without a receipt that is not an error: receipt_found_missing is. */
const struct err *receipt_found_read(struct call *c,
                                     const struct suspension *s,
                                     struct receipt_found *out) MUST;
/* Why there is none: ERR_CONFLICT suspension.pending, receipt.held;
 * ERR_NOT_FOUND receipt.test; ERR_BUSY receipt.soon. */
const struct err *receipt_found_missing(struct arena *a,
                                        const struct suspension *s,
                                        const struct receipts_row *row);

#endif
