/* A question as a row of the inbox, and groups of similar rows. Never loads,
 * never decides. */
#ifndef DOORS_PAGES_INBOX_ROW_H
#define DOORS_PAGES_INBOX_ROW_H

#include "domain/question/suspension.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"
#include "store/question/suspensions.h"

enum inbox_row_group {
    INBOX_ROW_NONE,
    INBOX_ROW_LIKE, /* the same agent, kind, and action or shape of the title */
    INBOX_ROW_AGENT,
    INBOX_ROW_DEADLINE,
    INBOX_ROW_GROUP__MAX
};

/* The word in the address; INBOX_ROW_GROUP__MAX for an unknown one, NONE for p
 * NULL. */
enum inbox_row_group inbox_row_group_of(struct str word);
/* A question as a row of the inbox. `figure` is the most important one, from
 * the facts of its kind; `pick` identifies the question in a form, by its id
 * and the digest of the facts as they were shown. */
struct json *inbox_row(struct page_view *v, const struct suspension *s);
/* The same without its name for forms and its deadline. */
struct json *inbox_row_short(struct page_view *v, const struct suspension *s);
/* `groups` of the current list: of each `heading` (NULL without grouping),
 * `rows`. */
struct json *inbox_row_groups(struct call *c, struct page_view *v,
                              struct suspension_rows rows,
                              enum inbox_row_group by);

#endif
