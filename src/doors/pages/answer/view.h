/* The views of the pages of one question, made from loaded records. Never
 * loads, never decides. */
#ifndef DOORS_PAGES_ANSWER_VIEW_H
#define DOORS_PAGES_ANSWER_VIEW_H

#include "doors/pages/answer/form.h"
#include "doors/pages/question/revision.h"

struct answer_view_of {
    const struct suspension *s;
    const struct principal *reader;
    struct question_revision revision;
    struct str checkpoint; /* that an open one decides; p NULL: none */
    struct json *timeline;
    int64_t closed; /* sequence of the event that closed it; 0: none */
    const struct suspension *next; /* in the reader's inbox; NULL: none */
};

/* The view of suspension.html without `place`. */
struct json *answer_view_open(struct page_view *v,
                              const struct answer_view_of *of,
                              const struct answer_form_of *form);
/* The view of answered.html. */
struct json *answer_view_closed(struct page_view *v,
                                const struct answer_view_of *of);
/* `next`: the next question; NULL for NULL. */
struct json *answer_view_next(struct page_view *v, const struct suspension *s);

#endif
