/* The inbox of a reader for whom nothing waits. */
#ifndef DOORS_PAGES_INBOX_EMPTY_H
#define DOORS_PAGES_INBOX_EMPTY_H

#include "doors/call/call.h"

/* Sets `first` of the page: for an admin, until an agent has asked, the steps
 * to the first request; and `done`: for those who answer, their answers of
 * today. Each is null where it is not shown. */
const struct err *inbox_empty(struct call *c, int64_t now,
                              struct json *view) MUST;

#endif
