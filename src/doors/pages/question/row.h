/* Rows of lists on the pages of intents and portfolios: a question
 * (question/row), and a link to a page with a state next to it. Never loads,
 * never decides. */
#ifndef DOORS_PAGES_QUESTION_ROW_H
#define DOORS_PAGES_QUESTION_ROW_H

#include "domain/question/suspension.h"
#include "doors/call/call.h"
#include "doors/pages/shell/view.h"

/* {suspension, who, task}; who answered it, or null; task: null, for the caller
 * to set. */
struct json *question_row(struct call *c, struct page_view *v,
                          const struct suspension *s);
/* {relation, path, id, title, state} of a page under path, such as
 * "/intents/". */
struct question_row_link {
    struct str relation; /* "" or p NULL: none */
    const char *path;
    struct str id, title;
    const struct vocabulary_word *state;
};
struct json *question_row_link(struct arena *a,
                               const struct question_row_link *link);

#endif
