/* The head of the page on which several questions are decided: the number and
 * reasons of those left out, the highest risk, and the equal ones. Never loads,
 * never decides. */
#ifndef DOORS_PAGES_INBOX_BULK_HEAD_H
#define DOORS_PAGES_INBOX_BULK_HEAD_H

#include "doors/pages/shell/view.h"
#include "store/question/suspensions.h"

#define INBOX_BULK_HEAD_SAME 3 /* equal ones that a row names */

struct inbox_bulk_head_of {
    const struct suspension *const *in; /* that are decided */
    size_t n;
    struct suspension_rows others; /* open, equal to one, not ticked */
    const struct json *left;       /* the list of those left out */
};
/* `head`. Adds `same` to each of items, which are the rows of in. */
struct json *inbox_bulk_head(struct page_view *v,
                             const struct inbox_bulk_head_of *of,
                             const struct json *items);

#endif
