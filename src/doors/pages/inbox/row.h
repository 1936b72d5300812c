/* A question as a row of the inbox. Never loads, never decides. */
#ifndef DOORS_PAGES_INBOX_ROW_H
#define DOORS_PAGES_INBOX_ROW_H

#include "doors/call/call.h"
#include "doors/pages/inbox/amount.h"
#include "doors/pages/shell/view.h"

/* The facts that rows show, and by which they are grouped. */
struct inbox_row_about {
    struct amount amount;
    int64_t seconds; /* that a permission is asked for; 0: none */
    struct str does; /* the tools, the action or the capability, in one line;
                      * p NULL: the facts name none */
    struct str target;
    bool titled; /* its title is that of its calls */
};
/* The facts are read in memory of its own, and what is found is copied to a.
 */
struct inbox_row_about inbox_row_about(struct arena *a,
                                       const struct suspension *s);
/* A question as a row. `figure` is its amount; `pick` identifies the question
 * in a form, by its id and the digest of the facts as they were shown. */
struct json *inbox_row_short(struct page_view *v, const struct suspension *s,
                             const struct inbox_row_about *about);
/* The same as a row of the list, with its name for forms, its deadline, and
 * its amount for a script. */
struct json *inbox_row_listed(struct call *c, struct page_view *v,
                              const struct suspension *s,
                              const struct inbox_row_about *about);
/* The facts, `rows`, in the rows of the bulk review. Takes a value out where it
 * stands exactly so. */
void inbox_row_drop(struct json *rows, const char *path, struct str value);
/* Takes out of the facts of each item what is the same in all of them. It is
 * shown once. */
struct json *inbox_row_common(struct arena *a, const struct json *items);
/* The columns of the list: amounts where there are any, and targets where they
 * differ; a target that has a column is not among the facts. */
void inbox_row_set_columns(struct json *view, const struct json *items,
                           const struct json *common);

#endif
