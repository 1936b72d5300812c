/* The inbox's filters: read from the address, and shown as links that change
 * them. Never loads, never decides. */
#ifndef DOORS_PAGES_INBOX_FILTERS_H
#define DOORS_PAGES_INBOX_FILTERS_H

#include "doors/call/call.h"
#include "doors/pages/inbox/groups.h"
#include "store/question/inbox.h"

struct inbox_filters {
    int64_t now;
    struct inbox_query query;
    struct str due; /* the word in the address; p NULL: any */
    enum inbox_groups_by group;
    struct inbox_counts counts; /* set by the caller that loads them */
};

/* ERR_BAD_REQUEST request.query. Sets everything but the position in the
 * list. */
const struct err *inbox_filters_read(struct call *c, struct inbox_filters *f,
                                     int64_t now) MUST;
/* `filters`: links that change each of them, with counts; to the lists of the
 * agents of these rows too. */
struct json *inbox_filters_view(struct call *c, const struct inbox_filters *f,
                                struct suspension_rows due,
                                struct suspension_rows rest);
/* The number of results, at most INBOX_COUNT_MAX + 1. */
int64_t inbox_filters_all(const struct inbox_filters *f);
/* Is the view narrowed by anything? */
bool inbox_filters_any(const struct inbox_filters *f);

#endif
