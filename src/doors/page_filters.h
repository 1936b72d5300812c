/* The inbox's filters: read from the address, and shown as what changes it.
 * Never loads, never decides. */
#ifndef DOORS_PAGE_FILTERS_H
#define DOORS_PAGE_FILTERS_H

#include "doors/call/call.h"
#include "doors/page_row.h"
#include "store/inbox.h"

#define PAGE_FILTERS_MANY INT64_MAX

struct page_filters {
    int64_t now;
    struct inbox_wish wish;
    struct str due; /* the word in the address; p NULL: any */
    enum page_row_group group;
    struct inbox_counts counts; /* filled in by who loads them */
};

/* ERR_BAD_REQUEST request.query. Sets all but the place in the list. */
const struct err *page_filters_read(struct call *c, struct page_filters *f,
                                    int64_t now) MUST;
/* `filters`: what changes each of them, with counts. */
struct json *page_filters_view(struct call *c, struct page_view *v,
                               const struct page_filters *f);
/* "My groups" */
const char *page_filters_title(const struct page_filters *f);
/* How many there are; PAGE_FILTERS_MANY where they were not all counted. */
int64_t page_filters_all(const struct page_filters *f);
/* Is the view narrowed by anything? */
bool page_filters_any(const struct page_filters *f);

#endif
