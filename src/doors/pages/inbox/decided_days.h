/* The days of a list of decided questions: the heading of each, and how many of
 * its questions ended in which way. Never loads, never decides. */
#ifndef DOORS_PAGES_INBOX_DECIDED_DAYS_H
#define DOORS_PAGES_INBOX_DECIDED_DAYS_H

#include "doors/call/call.h"
#include "store/question/decided.h"

/* `days` of the rows, which are those of the first found ones, in their order:
 * each with `name`, `sums` ("3 rejected, 1 approved"; "" where the day began on
 * the page before, or is not whole) and `rows`. */
struct json *inbox_decided_days(struct call *c, const struct decided_rows *d,
                                const struct decided_query *w,
                                const struct json *rows);

#endif
