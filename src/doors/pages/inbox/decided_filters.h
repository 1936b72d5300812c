/* The filters of decided questions: read from the address, and shown as links
 * and fields that change them. Shared by the list and its export. */
#ifndef DOORS_PAGES_INBOX_DECIDED_FILTERS_H
#define DOORS_PAGES_INBOX_DECIDED_FILTERS_H

#include "doors/call/call.h"
#include "store/question/decided.h"

struct inbox_decided_filters {
    struct decided_query query;
    struct str from, until, over; /* as in the address; p NULL: any */
    struct decided_counts counts;  /* set by the caller that shows them */
    struct searches_page lists;    /* the same */
};

/* ERR_BAD_REQUEST request.query. Looks up the row to continue after, and the
 * people that the filters name. */
const struct err *
inbox_decided_filters_read(struct call *c,
                           struct inbox_decided_filters *t) MUST;
/* `filters`, with counts. */
struct json *
inbox_decided_filters_view(struct call *c,
                           const struct inbox_decided_filters *t);
/* Is the list narrowed by anything? */
bool inbox_decided_filters_any(const struct inbox_decided_filters *t);
/* The word of an outcome in the address and in files: that of the pages. */
struct str inbox_decided_filters_outcome(enum outcome outcome);

#endif
