/* The filters of what was decided: read from the address, and shown as what
 * changes it. The list and its export share them. */
#ifndef DOORS_PAGE_TRAIL_H
#define DOORS_PAGE_TRAIL_H

#include "doors/call/call.h"
#include "store/decided.h"

struct page_trail {
    struct decided_wish wish;
    struct str from, until; /* as in the address; p NULL: any */
    struct decided_counts counts; /* filled in by who shows them */
};

/* ERR_BAD_REQUEST request.query. Looks up the row to go on behind. */
const struct err *page_trail_read(struct call *c,
                                  struct page_trail *t) MUST;
/* `filters`, with counts. */
struct json *page_trail_view(struct call *c, const struct page_trail *t);
/* Is the list narrowed by anything? */
bool page_trail_any(const struct page_trail *t);

#endif
