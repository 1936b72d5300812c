/* A question as a row of the inbox, and rows that are alike put together.
 * Never loads, never decides. */
#ifndef DOORS_PAGE_ROW_H
#define DOORS_PAGE_ROW_H

#include "domain/suspension.h"
#include "doors/call/call.h"
#include "doors/page_view.h"
#include "store/suspensions.h"

enum page_row_group {
    PAGE_ROW_NONE,
    PAGE_ROW_LIKE, /* the same agent, kind, and action or shape of the title */
    PAGE_ROW_AGENT,
    PAGE_ROW_DEADLINE,
    PAGE_ROW_GROUP__MAX
};

/* The word in the address; PAGE_ROW_GROUP__MAX for an unknown one, NONE for p
 * NULL. */
enum page_row_group page_row_group_of(struct str word);
/* A question as a row: what templates/README.md promises of one of the inbox.
 * `figure` is the one that matters most, from the facts that the kind knows;
 * `pick` stands for the question in a form, its id and the digest of the facts
 * as they were shown. */
struct json *page_row(struct page_view *v, const struct suspension *s);
/* `groups` of the list at hand: of each `heading` (NULL where nothing is
 * grouped), `rows`. */
struct json *page_row_groups(struct call *c, struct page_view *v,
                             struct suspension_rows rows,
                             enum page_row_group by);

#endif
