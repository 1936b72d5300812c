/* The filters of decided questions: read from the address, and shown as links
 * that change them. Shared by the list and its export. */
#ifndef DOORS_PAGES_INBOX_DECIDED_FILTERS_H
#define DOORS_PAGES_INBOX_DECIDED_FILTERS_H

#include "doors/call/call.h"
#include "store/question/decided.h"

struct inbox_decided_filters {
    struct decided_query query;
    struct str from, until; /* as in the address; p NULL: any */
    struct decided_counts counts; /* set by the caller that shows them */
};

/* ERR_BAD_REQUEST request.query. Looks up the row to continue after. */
const struct err *
inbox_decided_filters_read(struct call *c,
                           struct inbox_decided_filters *t) MUST;
/* `filters`, with counts. */
struct json *inbox_decided_filters_view(struct call *c,
                                        const struct inbox_decided_filters *t);
/* Is the list narrowed by anything? */
bool inbox_decided_filters_any(const struct inbox_decided_filters *t);

#endif
