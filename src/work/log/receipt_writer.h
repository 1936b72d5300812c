/* Signs the receipts of questions that have ended, in the order of their
 * transactions. Called by process/seal.c after log_writer. */
#ifndef WORK_LOG_RECEIPT_WRITER_H
#define WORK_LOG_RECEIPT_WRITER_H

#include "work/log/log_writer.h"

/* The memory of the process between batches. Starts as all zeros. */
struct receipt_writer {
    int64_t waking_at; /* the next look at those that wait, by clock_mono */
    char after[128];   /* the id of the last one that was looked at */
};

/* One batch in one transaction, and every few seconds a second one for those
 * that wait. A question is signed once the log has the event that ended it.
 * Where the log is past the place of that event without it, because the chain
 * of its intent is broken, the question is put aside until the log has it, and
 * the others go on. One of a test gets no receipt. *n: the questions that were
 * passed, and those that no longer wait. */
const struct err *receipt_writer_batch(struct receipt_writer *w,
                                       const struct work *clock,
                                       const struct signer *k, size_t *n) MUST;

#endif
