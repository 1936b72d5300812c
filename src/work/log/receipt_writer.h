/* Signs the receipts of questions that have ended, in the order of their
 * transactions. Called by process/seal.c after log_writer. */
#ifndef WORK_LOG_RECEIPT_WRITER_H
#define WORK_LOG_RECEIPT_WRITER_H

#include "work/log/log_writer.h"

/* One batch, in one transaction. A question waits until the log has the event
 * that ended it; one of an intent whose chain is broken gets no receipt, and
 * neither does one of a test. *n: the questions that were passed. */
const struct err *receipt_writer_batch(const struct work *clock,
                                       const struct signer *k, size_t *n) MUST;

#endif
